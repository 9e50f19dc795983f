// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Levels and longest paths of directed graphs without cycles.
#pragma once

#include <limits>

#include <coppice/graph/frontier/level_lists.hpp>

namespace coppice::inline v0_1 {

/// Result in the memory of the executor.
struct topological_levels_result {
    /// Number of edges of a longest path to the vertex; -1: the vertex is on a cycle, or reached from one
    buffer<std::int32_t> levels{};
    std::int32_t depth = 0;   ///< number of levels
    std::int64_t ordered = 0; ///< vertices that have a level
    bool acyclic = true;
};
template <class T>
struct longest_paths_result {
    buffer<T> lengths{};         ///< of a longest path to the vertex from anywhere, at least 0
    buffer<vertex_id> parents{}; ///< predecessor on it, the smallest one; the vertex itself if the path starts there
    bool acyclic = true;         ///< otherwise vertices on or after a cycle have length NaN and parent -1
};

/// Computes the level of every vertex of a directed graph: every edge leads to a larger level, so that the vertices in
/// the order of their levels are in topological order. Loops are cycles. `incoming` is the transposed graph. In each
/// round the vertices are ordered whose predecessors all have levels (Kahn 1962). O(n + m) work, as many rounds as
/// levels. Memory: 6 words per vertex. The same result for any number of threads, on host and CUDA. Waits.
template <executor Executor>
topological_levels_result topological_levels(Executor const& exec, graph_view g, graph_view incoming);

/// Computes longest paths; the value of an edge is its length and may be negative. `incoming` is the transposed graph
/// with the same values. Rounds and determinism as above; memory: two words and a length per vertex in addition. Throws
/// matrix_error for a length that is NaN or infinite. Waits.
template <executor Executor, class T>
longest_paths_result<T> longest_paths(Executor const& exec, graph_view g, csr_view<T> incoming);

namespace analytics {

struct count_incoming {
    graph_view incoming;
    std::int32_t* waiting;
    std::int32_t* levels;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        waiting[v] = incoming.degree(v);
        levels[v] = waiting[v] == 0 ? 0 : -1;
        if (waiting[v] == 0) worker.emit(v);
    }
};
/// The worker that takes the last incoming edge of a vertex lists it.
struct release_vertex {
    graph_view g;
    std::int32_t* waiting;
    std::int32_t* levels;
    level_state const* state;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        if (worker.add(waiting + v, -1) != 1) return;
        levels[v] = state->level + 1;
        worker.emit(v);
    }
};
/// Calls at_level(list) for every level, in order; at_level maps over the list.
template <executor Executor, class AtLevel>
topological_levels_result walk_levels(Executor const& exec, graph_view g, graph_view incoming,
                                      AtLevel const& at_level) {
    require_size("vertices of the incoming edges of a directed graph", incoming.vertices, g.vertices);
    require_size("edges that come in, for levels of a directed graph", incoming.edge_count, g.edge_count);
    std::int64_t const n = g.vertices;
    topological_levels_result r{buffer<std::int32_t>(exec, n)};
    if (n == 0) return r;
    buffer<std::int32_t> waiting(exec, n);
    auto const all_vertices = every_vertex(exec, g);
    level_lists<Executor> lists(exec, n, n + 1);
    lists.clear();
    vertex_map(exec, nullptr, all_vertices.data(), into(lists.now()),
               count_incoming{incoming, waiting.data(), r.levels.data()});
    lists.forward([&] {
        at_level(lists.now());
        edge_map(exec, nullptr, lists.now(), g, into(lists.next()),
                 release_vertex{g, waiting.data(), r.levels.data(), lists.state()});
    });
    r.ordered = lists.count(r.depth);
    r.acyclic = r.ordered == n;
    return r;
}

/// A length and the vertex that it comes from. The sum of two is the larger one, of equal ones that of the smaller
/// vertex.
template <class T>
struct longest_choice {
    T length = -std::numeric_limits<T>::infinity();
    vertex_id from = std::numeric_limits<vertex_id>::max();
    COPPICE_HD longest_choice operator+(longest_choice const& o) const {
        return o.length > length || (o.length == length && o.from < from) ? o : *this;
    }
};
template <class T>
struct extend_longest {
    using value = longest_choice<T>;
    csr_view<T> incoming;
    T* lengths;
    vertex_id* parents;
    COPPICE_HD value term(vertex_id, std::int32_t k) const {
        vertex_id const u = incoming.indices[k];
        return {lengths[u] + incoming.coefficients[k], u};
    }
    COPPICE_HD void store(vertex_id v, value const& best) const {
        bool const starts = !(best.length >= T(0));
        lengths[v] = starts ? T(0) : best.length;
        parents[v] = starts ? v : best.from;
    }
};
template <class T>
struct not_finite {
    T const* lengths;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const { return lengths[k] - lengths[k] == T(0) ? 0 : 1; }
};

} // namespace analytics

template <executor Executor>
topological_levels_result topological_levels(Executor const& exec, graph_view g, graph_view incoming) {
    return analytics::walk_levels(exec, g, incoming, [](analytics::worklist const*) {});
}

template <executor Executor, class T>
longest_paths_result<T> longest_paths(Executor const& exec, graph_view g, csr_view<T> incoming) {
    using namespace analytics;
    std::int64_t const n = g.vertices, m = incoming.nonzeros();
    if (reduce(exec, m, std::int64_t{0}, not_finite<T>{incoming.coefficients}, plus{}) > 0)
        throw matrix_error("longest_paths: a length is NaN or infinite, expected finite lengths");
    longest_paths_result<T> r{buffer<T>(exec, n), buffer<vertex_id>(exec, n)};
    fill(exec, r.lengths.view(), std::numeric_limits<T>::quiet_NaN());
    fill(exec, r.parents.view(), -1);
    graph_view const in(incoming);
    extend_longest<T> const extend{incoming, r.lengths.data(), r.parents.data()};
    r.acyclic =
        walk_levels(exec, g, in, [&](worklist const* level) { edge_sum(exec, nullptr, level, in, extend); }).acyclic;
    return r;
}

#define COPPICE_TOPOLOGICAL_LEVELS(EXTERN, EXECUTOR)                                                                   \
    EXTERN template topological_levels_result topological_levels(EXECUTOR const&, graph_view, graph_view)
#define COPPICE_LONGEST_PATHS(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template longest_paths_result<T> longest_paths(EXECUTOR const&, graph_view, csr_view<T>)
COPPICE_TOPOLOGICAL_LEVELS(extern, host_executor);
COPPICE_TOPOLOGICAL_LEVELS(extern, cuda_executor);
COPPICE_LONGEST_PATHS(extern, host_executor, float);
COPPICE_LONGEST_PATHS(extern, host_executor, double);
COPPICE_LONGEST_PATHS(extern, cuda_executor, float);
COPPICE_LONGEST_PATHS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
