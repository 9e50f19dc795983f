// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first search over ranks.
#pragma once

#include <coppice/graph/search/bfs.hpp>
#include <coppice/solvers/distributed/graphs/level_pull.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// No vertex is reached but the source, if the rank owns it.
struct begin_search {
    vertex_id start; ///< local index of the source; -1: another rank owns it
    std::uint32_t source;
    std::int32_t* levels;
    std::uint32_t* parents;
    COPPICE_HD void operator()(std::int64_t v) const {
        levels[v] = v == start ? 0 : -1;
        parents[v] = v == start ? source : no_parent;
    }
};

/// A vertex without a level enters level 1 from the source.
struct reach_from_source {
    std::uint32_t source;
    std::int32_t* levels;
    std::uint32_t* parents;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        if (worker.load(levels + v) != -1) return;
        worker.store(parents + v, source);
        worker.store(levels + v, std::int32_t(1));
    }
};
/// The same for edge k of the source.
struct reach_neighbor {
    vertex_id const* neighbors;
    reach_from_source reach;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id k) const {
        reach(worker, neighbors[k]);
    }
};
struct is_outer_reached {
    std::int32_t const* levels; ///< of outer vertices
    COPPICE_HD bool operator()(std::int64_t k) const { return levels[k] != -1; }
};
/// Reaches level 1 from the source, which the rank owns if `start` is not -1. All parents are the source, so that the
/// owners need one bit for each outer vertex. Collective.
template <executor Executor>
begun_search reach_first_level(owned_graph<Executor> const& graph, vertex_id start, reach_from_source const& reach) {
    auto const& exec = graph.exec();
    begun_search begun{1};
    if (start != -1) {
        std::int32_t const* const offsets = graph.view().offsets;
        std::int32_t const first = exec.load(offsets + start), end = exec.load(offsets + start + 1);
        begun.edges = end - first;
        auto const edges = analytics::placed(exec, analytics::worklist{nullptr, begun.edges, 0});
        analytics::vertex_map(exec, nullptr, edges.data(), analytics::nothing(),
                              reach_neighbor{graph.view().neighbors + first, reach});
    }
    halo_bits<Executor>(exec, graph.comm(), graph.halo_plan())
        .send(exec, is_outer_reached{reach.levels + graph.own()}, reach);
    return begun;
}

} // namespace distributed

/// bfs() from the global vertex `source` of a graph whose edges are distributed by the vertices that they leave: the
/// same levels and parents for any number of ranks, threads, devices and processes. `levels` and `parents` belong to
/// the vertices of this rank, in memory of the executor; parents are global indices. `depth` and `reached` describe the
/// whole graph. Loops and parallel edges are allowed.
///
/// Without `incoming`, every level is pushed and parents are the smallest possible ones. `incoming`: the rows of the
/// transposed graph, in the same blocks; `rows` itself if the graph is undirected. Large levels are then pulled, as by
/// bfs(); parents are the smallest possible ones if the rows of `incoming` are sorted.
///
/// Communication of the first level with `incoming`: a gather and one bit for every outer vertex. Of a pushed level: a
/// gather and 4 bytes for every outer vertex (vertex of another rank adjacent to one of this rank). On hosts, and on
/// devices if these are more than 32 MB for each rank, another gather counts the outer vertices that the level reaches.
/// If messages of 8 bytes for each of them are fewer bytes (devices: by 32 MB for each rank), these are exchanged
/// instead, after their numbers. Of a pulled level: a gather and one bit for every outer vertex of `incoming`. With
/// `incoming`, devices pull a level that would be pushed if few edges are left; its parents are those of a pushed
/// level.
///
/// Memory, in words of 4 bytes: 6 words for each vertex and outer vertex of the rank and 2 words for the results of
/// each vertex; one word for each vertex and rank that has it as an outer vertex; in a level with messages 6 words for
/// each outer vertex that is reached and 2 for each message received; with `incoming` 2 bits for each vertex of these
/// rows, 2 for each outer vertex, and one for each vertex and rank that has it as an outer vertex.
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
    vertex_id const start = graph.owns(source) ? vertex_id(source - graph.first()) : -1;
    for_each(exec, n, distributed::begin_search{start, std::uint32_t(source), levels.data(), parents.data()});
    distributed::begun_search begun;
    if (incoming && max_depth > 0)
        begun = distributed::reach_first_level(graph, start, {std::uint32_t(source), levels.data(), parents.data()});
    distributed::level_search<Executor> search(graph, std::move(levels), std::move(parents));
    if (incoming)
        search.run(distributed::every_edge{}, max_depth, distributed::level_pull<Executor, O>(graph, *incoming), begun);
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
