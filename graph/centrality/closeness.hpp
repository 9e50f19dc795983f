// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Closeness, and levels from many sources: 64 searches at once.
#pragma once

#include <coppice/graph/centrality/multi_source_bfs.hpp>
#include <coppice/graph/centrality/sources.hpp>

namespace coppice {

/// All in the memory of the executor, for every vertex.
struct closeness_result {
    buffer<double> scores{};   ///< closeness; 0 where nothing reaches the vertex
    buffer<double> harmonic{}; ///< sum of 1 / distance from others
    std::int64_t sources = 0;
};

/// How near others are, by edges: with c vertices u that reach v over paths of lengths d(u, v) and m sources other than
/// v, closeness is c / (sum of d) * c / m, as of Wasserman and Faust (1994), and harmonic the sum of 1 / d. Sources are
/// all vertices, exactly; of a sample both are estimates (Eppstein and Wang 2004), harmonic sums being scaled to all
/// vertices. To ask how near v is to others, give the graph with its edges turned round.
///
/// 64 sources walk together (Then et al., The more the merrier, 2014): a pass over the edges for each level of the 64.
/// The same bits for any number of threads, on one kind of executor. Memory: 65 bytes a vertex. Throws argument_error
/// for sources that are no vertices or given twice. Waits at the end.
template <executor Executor>
closeness_result closeness(Executor const& exec, graph_view g, source_choice const& from = {});

/// Levels of breadth-first searches from many sources: element s * vertices + v is the number of edges from sources[s]
/// to v, -1 where there is no path; in the memory of the executor. Throws argument_error for a source that is no
/// vertex.
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
struct no_distances {
    distance_sums x;
    std::uint8_t* is_source;
    COPPICE_HD void operator()(std::int64_t v) const {
        x.sum[v] = x.count[v] = 0;
        x.harmonic[v] = 0;
        is_source[v] = 0;
    }
};
struct mark_source {
    vertex_id const* sources;
    std::uint8_t* is_source;
    COPPICE_HD void operator()(std::int64_t i) const { is_source[sources[i]] = 1; }
};
struct finish_closeness {
    distance_sums x;
    std::uint8_t const* is_source;
    double sources;
    double scale; ///< from those to all vertices
    double* scores;
    COPPICE_HD void operator()(std::int64_t v) const {
        double const reach = double(x.count[v]), others = sources - is_source[v];
        scores[v] = reach > 0 ? reach / double(x.sum[v]) * (reach / others) : 0.0;
        x.harmonic[v] *= scale;
    }
};
struct store_levels {
    std::int32_t* const* levels; ///< of the first source
    std::int64_t vertices;
    COPPICE_HD void operator()(vertex_id v, std::uint64_t bits, std::int32_t depth) const {
        for (std::int64_t s = 0; bits != 0; ++s, bits >>= 1)
            if (bits & 1) (*levels)[s * vertices + v] = depth;
    }
};
struct place_levels {
    std::int32_t** place;
    std::int32_t* levels;
    vertex_id const* sources;
    std::int64_t vertices;
    COPPICE_HD void operator()(std::int64_t s) const {
        if (s == 0) *place = levels;
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
    for_each(exec, n, no_distances{x, is_source.data()});
    for_each(exec, count, mark_source{sources.data(), is_source.data()});
    reach_search<Executor> search(exec, g);
    constexpr int together = search.sources_together;
    for (std::int64_t first = 0; first < count; first += together)
        search.run(sources.data() + first, int(std::min<std::int64_t>(together, count - first)), x);
    double const scale = from.vertices.empty() ? double(n) / double(count) : 1.0;
    for_each(exec, n, finish_closeness{x, is_source.data(), double(count), scale, result.scores.data()});
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
    buffer<std::int32_t*> place(exec, 1);
    reach_search<Executor> search(exec, g);
    constexpr int together = search.sources_together;
    for (std::int64_t first = 0; first < count; first += together) {
        std::int64_t const some = std::min<std::int64_t>(together, count - first);
        for_each(exec, some, place_levels{place.data(), levels.data() + first * n, from.data() + first, n});
        search.run(from.data() + first, int(some), store_levels{place.data(), n});
    }
    exec.synchronize();
    return levels;
}

#define COPPICE_CLOSENESS(EXTERN, EXECUTOR)                                                                            \
    EXTERN template closeness_result closeness(EXECUTOR const&, graph_view, source_choice const&);                     \
    EXTERN template buffer<std::int32_t> bfs_levels(EXECUTOR const&, graph_view, std::vector<vertex_id> const&)
COPPICE_CLOSENESS(extern, host_executor);
COPPICE_CLOSENESS(extern, cuda_executor);

} // namespace coppice
