// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graph algorithms over ranks by name, for blocks of rows on the host.
#pragma once

#include <string_view>

#include <coppice/core/executor.hpp>
#include <coppice/graph/frontier/answer.hpp>
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

namespace coppice::inline v0_1 {

/// Whether run_graph_algorithm_distributed() has the algorithm with this name.
bool is_distributed_graph_algorithm(std::string_view name);

/// Whether the whole graph stores as many edges (u, v) as (v, u) for all u and v. Compares hashes, as is_undirected()
/// of one executor does. Collective; all ranks return the same result.
template <class T>
bool is_undirected(rank_communicator const& comm, row_block<T> const& rows);

/// run_graph_algorithm() of a graph of which each rank has a block of rows, in host memory. `found` of the result
/// belongs to the vertices of this rank; all other members describe the whole graph. T is float or double. Collective.
/// Throws argument_error for a name without distributed algorithm, and the errors of the algorithm.
template <executor Executor, class T>
graph_answer run_graph_algorithm_distributed(Executor const& exec, rank_communicator const& comm, std::string_view name,
                                             row_block<T> const& block, analytics_options const& options = {});
/// The same if `rows`, of the offsets and columns of `block`, exist. Throws dimension_error, on this rank, if they have
/// another number of rows.
template <executor Executor, class T>
graph_answer run_graph_algorithm_distributed(Executor const& exec, rank_communicator const& comm, std::string_view name,
                                             distributed_rows<Executor> const& rows, row_block<T> const& block,
                                             analytics_options const& options = {});

#define COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(EXTERN, EXECUTOR, T)                                                       \
    EXTERN template graph_answer run_graph_algorithm_distributed(                                                      \
        EXECUTOR const&, rank_communicator const&, std::string_view, row_block<T> const&, analytics_options const&);   \
    EXTERN template graph_answer run_graph_algorithm_distributed(EXECUTOR const&, rank_communicator const&,            \
                                                                 std::string_view, distributed_rows<EXECUTOR> const&,  \
                                                                 row_block<T> const&, analytics_options const&)
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(extern, host_executor, float);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(extern, host_executor, double);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(extern, cuda_executor, float);
COPPICE_GRAPH_ALGORITHM_DISTRIBUTED(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
