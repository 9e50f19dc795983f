// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graph algorithms and semiring products over ranks: threads of one process (<coppice/parts.hpp>) or processes of MPI
/// (<coppice/mpi.hpp>). Each rank has the edges that leave its vertices, a contiguous block of rows.
///
///     auto const block = coppice::read_rows<double>(exec, comm, "graph.mtx");
///     coppice::distributed_rows const rows(exec, comm, block.offsets, block.columns);
///     auto const r = coppice::bfs_distributed(exec, comm, rows, 0); // r.levels: of the vertices of this rank
///
/// - `distributed_rows`: a pattern in blocks of rows; `reduce_rows` and `semiring_spmv` over it, with any operators.
/// - `bfs_distributed`, `sssp_distributed`, `connected_components_distributed`: the results of one rank, bit for bit;
///   host and CUDA.
/// - `mxm_distributed`, `masked_mxm_distributed`: products of sparse matrices over any semiring, with or without a
///   plan; host and CUDA.
/// - `clustering_distributed`: triangles, bit for bit; `louvain_distributed`: communities, bit for bit;
///   `pagerank_distributed`: the result of one rank up to rounding; host and CUDA.
/// - `transpose_rows`, `is_undirected`, `run_graph_algorithm_distributed`: for blocks of rows on the host.
///
/// Guide: docs/guide/parts.md.
#pragma once

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/graphs/distributed_analytics.hpp>
#include <coppice/solvers/distributed/graphs/distributed_bfs.hpp>
#include <coppice/solvers/distributed/graphs/distributed_components.hpp>
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>
#include <coppice/solvers/distributed/graphs/distributed_pagerank.hpp>
#include <coppice/solvers/distributed/graphs/distributed_sssp.hpp>
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>
#include <coppice/solvers/distributed/rows/distributed_product.hpp>
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>
