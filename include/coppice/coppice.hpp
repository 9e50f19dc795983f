// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Includes all entry headers. To reduce compile time, include only the entry headers that are used.
#pragma once

#include <coppice/arg_max.hpp>
#include <coppice/b_matching.hpp>
#include <coppice/banded.hpp>
#include <coppice/bfs.hpp>
#include <coppice/centrality.hpp>
#include <coppice/changing_graph.hpp>
#include <coppice/coarsening.hpp>
#include <coppice/communities.hpp>
#include <coppice/csr.hpp>
#include <coppice/factor.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_algorithms.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/graphblas.hpp>
#include <coppice/hbisa.hpp>
#include <coppice/krylov.hpp>
#include <coppice/linear_forest.hpp>
#include <coppice/matrix_file.hpp>
#include <coppice/matrix_market.hpp>
#include <coppice/memory.hpp>
#include <coppice/multilevel.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/parallel.hpp>
#include <coppice/pattern.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/scan.hpp>
#include <coppice/solve.hpp>
#include <coppice/sparse.hpp>
#include <coppice/spmv.hpp>
#include <coppice/sssp.hpp>
#include <coppice/tridiagonal.hpp>
#include <coppice/version.h>
