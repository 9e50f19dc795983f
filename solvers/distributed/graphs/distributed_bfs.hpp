// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first search over ranks.
#pragma once

#include <coppice/graph/search/bfs.hpp>
#include <coppice/solvers/distributed/graphs/level_search.hpp>

namespace coppice::inline v0_1 {

/// bfs() from the global vertex `source` of a graph whose edges are distributed by the vertices that they leave: the
/// same levels and parents for any number of ranks, threads, devices and processes. `levels` and `parents` belong to
/// the vertices of this rank, in memory of the executor; parents are global indices. `depth` and `reached` describe the
/// whole graph. Loops and parallel edges are allowed.
///
/// Without `incoming`, every level is pushed and parents are the smallest possible ones. `incoming`: the rows of the
/// transposed graph, in the same blocks; `rows` itself if the graph is undirected. Large levels are then pulled, as by
/// bfs(); parents are the smallest possible ones if the rows of `incoming` are sorted.
///
/// Communication of a pushed level: two gathers, then, if it reaches outer vertices (vertices of other ranks adjacent
/// to one of this rank), either 8 bytes for each of them, with an exchange of the numbers of messages, or, if this is
/// less, 4 bytes for every outer vertex. Of a pulled level: one gather and one byte for every outer vertex of
/// `incoming`.
///
/// Memory, in words of 4 bytes: 6 words for each vertex and outer vertex of the rank and 2 words for the results of
/// each vertex; one word for each vertex and rank that has it as an outer vertex; in a level with messages 6 words for
/// each outer vertex that is reached and 2 for each message received; with `incoming` one byte for each vertex, and 2
/// bytes for each outer vertex, of these rows.
///
/// Host and CUDA (O of 32 or 64 bits). Collective; all ranks pass the same source and options. Throws argument_error,
/// on all ranks, if the source is no vertex or max_depth is negative; on this rank, dimension_error if `incoming` has
/// another number of rows, overflow_error if the rank has 2^31 outgoing edges or more.
template <executor Executor, class O>
bfs_result bfs_distributed(Executor const& exec, rank_communicator const& comm,
                           distributed_rows<Executor, vertex_id, O> const& rows, std::int64_t source,
                           std::int32_t max_depth = std::numeric_limits<std::int32_t>::max(),
                           distributed_rows<Executor, vertex_id, O> const* incoming = nullptr) {
    if (max_depth < 0)
        throw argument_error("max_depth of bfs_distributed is " + std::to_string(max_depth) + ", expected 0 or more");
    if (incoming) require_size("rows of the incoming edges of bfs_distributed", incoming->size(), rows.size());
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    graph.require_vertex(source, "the source of bfs_distributed");
    std::int64_t const n = graph.view().vertices;
    buffer<std::int32_t> levels(exec, n);
    buffer<std::uint32_t> parents(exec, n);
    fill(exec, levels.view(), -1);
    fill(exec, parents.view(), distributed::no_parent);
    if (graph.owns(source)) {
        std::int32_t const zero = 0;
        auto const parent = std::uint32_t(source);
        exec.copy_elements(&zero, levels.data() + (source - graph.first()), 1);
        exec.copy_elements(&parent, parents.data() + (source - graph.first()), 1);
    }
    distributed::level_search<Executor> search(graph, std::move(levels), std::move(parents));
    if (incoming)
        search.run(distributed::every_edge{}, max_depth, distributed::level_pull<Executor, O>(graph, *incoming));
    else
        search.run(distributed::every_edge{}, max_depth);
    return {search.levels(), search.parents(), search.depth(), search.reached()};
}

#define COPPICE_BFS_DISTRIBUTED(EXTERN, EXECUTOR, O)                                                                   \
    EXTERN template bfs_result bfs_distributed(EXECUTOR const&, rank_communicator const&,                              \
                                               distributed_rows<EXECUTOR, vertex_id, O> const&, std::int64_t,          \
                                               std::int32_t, distributed_rows<EXECUTOR, vertex_id, O> const*)
COPPICE_BFS_DISTRIBUTED(extern, cuda_executor, std::int32_t);
COPPICE_BFS_DISTRIBUTED(extern, cuda_executor, std::int64_t);

} // namespace coppice::inline v0_1
