// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first search over ranks.
#pragma once

#include <coppice/graph/search/bfs.hpp>
#include <coppice/solvers/distributed/graphs/level_search.hpp>

namespace coppice::inline v0_1 {

/// bfs() from the global vertex `source` of a graph whose edges are distributed by the vertices that they leave: the
/// same levels and parents for any number of ranks, threads and processes. `levels` and `parents` belong to the
/// vertices of this rank; parents are global indices, always the smallest possible ones. `depth` and `reached` describe
/// the whole graph. Loops and parallel edges are allowed.
///
/// Every level uses the push direction. Communication: a gather and an exchange per level; in total a rank sends 8
/// bytes for each outer vertex (vertex of another rank adjacent to one of this rank) that it reaches. Memory: 5 words
/// for each vertex and outer vertex of the rank. Collective; all ranks pass the same source and options. Throws
/// argument_error, on all ranks, if the source is no vertex or max_depth is negative.
template <executor Executor, class O>
bfs_result bfs_distributed(Executor const& exec, rank_communicator const& comm,
                           distributed_rows<Executor, vertex_id, O> const& rows, std::int64_t source,
                           std::int32_t max_depth = std::numeric_limits<std::int32_t>::max()) {
    if (max_depth < 0)
        throw argument_error("max_depth of bfs_distributed is " + std::to_string(max_depth) + ", expected 0 or more");
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
    search.run(distributed::every_edge{}, max_depth);
    return {search.levels(), search.parents(), search.depth(), search.reached()};
}

} // namespace coppice::inline v0_1
