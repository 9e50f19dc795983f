// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Closeness, and levels from many sources: 64 simultaneous searches.
#pragma once

#include <coppice/graph/centrality/multi_source_bfs.hpp>
#include <coppice/graph/centrality/sources.hpp>

namespace coppice::inline v0_1 {

/// Values for every vertex, in the memory of the executor.
struct closeness_result {
    buffer<double> scores{};   ///< closeness; 0 if no source reaches the vertex
    buffer<double> harmonic{}; ///< sum of 1 / distance from other vertices
    std::int64_t sources = 0;
};

/// Closeness and harmonic centrality by numbers of edges. Let c of m sources u != v reach v over shortest paths of
/// lengths d(u, v). Then closeness is c / (sum of d) * c / m (Wasserman and Faust 1994), and harmonic is the sum of 1 /
/// d. By default all vertices are sources and the result is exact. With a sample both are estimates (Eppstein and Wang
/// 2004), and harmonic sums are scaled to all vertices. For distances from v instead of to v, pass the transposed
/// graph.
///
/// 64 sources are processed together (Then et al., The more the merrier, 2014): one pass over the edges for each level
/// of the 64 searches. The result has the same bits for any number of threads on one kind of executor. Memory: 65 bytes
/// per vertex. Throws argument_error for sources that are no vertices or are repeated. Waits at the end.
template <executor Executor>
closeness_result closeness(Executor const& exec, graph_view g, source_choice const& from = {});

/// Computes the levels of breadth-first searches from several sources: element s * vertices + v is the number of edges
/// of a shortest path from sources[s] to v, or -1 if there is no path. The result is in the memory of the executor.
/// Throws argument_error for a source that is no vertex.
template <executor Executor>
buffer<std::int32_t> bfs_levels(Executor const& exec, graph_view g, std::vector<vertex_id> const& sources);

namespace analytics {

struct distance_sums {
    std::int64_t* sum;
    std::int64_t* count;
    double* harmonic;
    COPPICE_HD void operator()(vertex_id v, std::uint64_t bits, std::int32_t depth) const {
        std::int64_t sources = 0;
        for (; bits != 0; bits &= bits - 1) ++sources;
        sum[v] += sources * depth;
        count[v] += sources;
        harmonic[v] += double(sources) / double(depth);
    }
};
struct clear_distance_sums {
    distance_sums x;
    std::uint8_t* is_source;
    COPPICE_HD void operator()(std::int64_t v) const {
        x.sum[v] = x.count[v] = 0;
        x.harmonic[v] = 0;
        is_source[v] = 0;
    }
};
/// `count`: number of sources; `scale`: of the harmonic sums.
struct store_closeness {
    distance_sums x;
    std::uint8_t const* is_source;
    double count, scale;
    double* scores;
    COPPICE_HD void operator()(std::int64_t v) const {
        double const reach = double(x.count[v]), others = count - is_source[v];
        scores[v] = reach > 0 ? reach / double(x.sum[v]) * (reach / others) : 0.0;
        x.harmonic[v] *= scale;
    }
};
struct flag_source {
    vertex_id const* sources;
    std::uint8_t* is_source;
    COPPICE_HD void operator()(std::int64_t i) const { is_source[sources[i]] = 1; }
};
struct store_levels {
    std::int32_t* const* levels; ///< levels of the first source of a group
    std::int64_t vertices;
    COPPICE_HD void operator()(vertex_id v, std::uint64_t bits, std::int32_t depth) const {
        for (std::int64_t s = 0; bits != 0; ++s, bits >>= 1)
            if (bits & 1) (*levels)[s * vertices + v] = depth;
    }
};
/// Makes `levels` those of a group of sources, whose own levels are 0.
struct begin_levels {
    std::int32_t** of_group;
    std::int32_t* levels;
    vertex_id const* sources;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t s) const {
        if (s == 0) *of_group = levels;
        levels[s * vertices + sources[s]] = 0;
    }
};

} // namespace analytics

template <executor Executor>
closeness_result closeness(Executor const& exec, graph_view g, source_choice const& from) {
    using namespace analytics;
    auto const chosen = chosen_sources(g, from, "a source of closeness");
    std::int64_t const n = g.vertices, count = std::int64_t(chosen.size());
    closeness_result result{buffer<double>(exec, n), buffer<double>(exec, n), count};
    if (n == 0) return result;
    auto const sources = exec.copy(chosen);
    buffer<std::int64_t> sums(exec, 2 * n);
    buffer<std::uint8_t> is_source(exec, n);
    distance_sums const x{sums.data(), sums.data() + n, result.harmonic.data()};
    std::uint8_t* const chosen_flag = is_source.data();
    for_each(exec, n, clear_distance_sums{x, chosen_flag});
    for_each(exec, count, flag_source{sources.data(), chosen_flag});
    reach_search<Executor> search(exec, g);
    constexpr int together = search.sources_together;
    for (std::int64_t first = 0; first < count; first += together)
        search.run(sources.data() + first, int(std::min<std::int64_t>(together, count - first)), x);
    double const scale = from.vertices.empty() ? double(n) / double(count) : 1.0; // from the sources to all vertices
    for_each(exec, n, store_closeness{x, chosen_flag, double(count), scale, result.scores.data()});
    exec.synchronize();
    return result;
}

template <executor Executor>
buffer<std::int32_t> bfs_levels(Executor const& exec, graph_view g, std::vector<vertex_id> const& sources) {
    using namespace analytics;
    for (vertex_id const v : sources) require_vertex(g, v, "a source of bfs_levels");
    std::int64_t const n = g.vertices, count = std::int64_t(sources.size());
    buffer<std::int32_t> levels(exec, n * count);
    fill(exec, levels.view(), -1);
    if (count == 0) return levels;
    auto const from = exec.copy(sources);
    buffer<std::int32_t*> first_level(exec, 1);
    reach_search<Executor> search(exec, g);
    constexpr int together = search.sources_together;
    for (std::int64_t first = 0; first < count; first += together) {
        std::int64_t const some = std::min<std::int64_t>(together, count - first);
        std::int32_t** const of_group = first_level.data();
        vertex_id const* const source = from.data() + first;
        for_each(exec, some, begin_levels{of_group, levels.data() + first * n, source, n});
        search.run(source, int(some), store_levels{of_group, n});
    }
    exec.synchronize();
    return levels;
}

#define COPPICE_CLOSENESS(EXTERN, EXECUTOR)                                                                            \
    EXTERN template closeness_result closeness(EXECUTOR const&, graph_view, source_choice const&);                     \
    EXTERN template buffer<std::int32_t> bfs_levels(EXECUTOR const&, graph_view, std::vector<vertex_id> const&)
COPPICE_CLOSENESS(extern, host_executor);
COPPICE_CLOSENESS(extern, cuda_executor);

} // namespace coppice::inline v0_1
