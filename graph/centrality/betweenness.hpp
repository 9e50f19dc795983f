// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Betweenness: which part of shortest paths runs through a vertex.
#pragma once

#include <coppice/graph/analytics/level_lists.hpp>
#include <coppice/graph/centrality/sources.hpp>

namespace coppice {

struct betweenness_options {
    source_choice from{};         ///< paths begin there; of a sample the sums are scaled to all vertices
    bool unordered_pairs = false; ///< halve, so that a pair of an undirected graph counts once
};

struct betweenness_result {
    buffer<double> scores{}; ///< in the memory of the executor
    std::int64_t sources = 0;
};

/// For every vertex v the sum over pairs (s, t) of the part of shortest paths from s to t, by edges, on which v lies
/// between them (Brandes 2001); s are the sources, t all vertices. Four sources walk together. `incoming` is the graph
/// with its edges turned round: g itself where it is undirected. Edges that are stored several times are several paths.
///
/// Every sum is folded in the order of a row: the same bits for any number of threads, on one kind of executor.
/// Counts of paths may be as large as 2^(2^40). n + m steps a source. Memory: 124 bytes a vertex. Throws argument_error
/// for sources that are no vertices or given twice, dimension_error where `incoming` has another size. Waits at the
/// end.
template <executor Executor>
betweenness_result betweenness(Executor const& exec, graph_view g, graph_view incoming,
                               betweenness_options const& options = {});

namespace analytics {

inline constexpr int walkers = 4; ///< sources that walk together

/// A count of paths: number 2^(512 scale), where number < 2^512 unless it is added to.
struct path_count {
    double number = 0;
    std::int64_t scale = 0;
    static constexpr double step = 0x1p-512;
    COPPICE_HD path_count scaled() const {
        return number < 1 / step ? path_count{number, scale} : path_count{number * step, scale + 1};
    }
    COPPICE_HD path_count operator+(path_count const& b) const {
        if (scale == b.scale) return path_count{number + b.number, scale}.scaled();
        if (number == 0) return b;
        if (b.number == 0) return *this;
        path_count const& high = scale > b.scale ? *this : b;
        path_count const& low = scale > b.scale ? b : *this;
        return high.scale - low.scale > 1 ? high : path_count{high.number + low.number * step, high.scale}.scaled();
    }
    /// x / of, where the quotient matters if it is not tiny.
    COPPICE_HD double over(path_count const& of) const {
        double const q = number / of.number;
        if (scale == of.scale) return q;
        return scale + 1 == of.scale ? q * step : scale == of.scale + 1 ? q / step : 0.0;
    }
};
struct path_counts {
    path_count of[walkers];
    COPPICE_HD path_counts operator+(path_counts const& b) const {
        path_counts sum;
        for (int s = 0; s < walkers; ++s) sum.of[s] = of[s] + b.of[s];
        return sum;
    }
};
struct walker_sums {
    double of[walkers] = {};
    COPPICE_HD walker_sums operator+(walker_sums const& b) const {
        walker_sums sum;
        for (int s = 0; s < walkers; ++s) sum.of[s] = of[s] + b.of[s];
        return sum;
    }
};

struct walker_levels {
    std::int32_t of[walkers];
};
struct brandes_arrays {
    walker_levels* levels;
    path_counts* paths;
    walker_sums* dependence;
    std::int32_t* listed; ///< the last level whose list has the vertex
    double* scores;
    level_state const* state;
};
struct no_path {
    brandes_arrays x;
    COPPICE_HD void operator()(std::int64_t v) const {
        for (int s = 0; s < walkers; ++s) x.levels[v].of[s] = -1;
        x.paths[v] = {};
        x.listed[v] = -1;
    }
};
struct begin_paths {
    brandes_arrays x;
    vertex_id const* sources;
    int count;
    worklist* now;
    COPPICE_HD void operator()(std::int64_t) const {
        for (int s = 0; s < count; ++s) {
            x.levels[sources[s]].of[s] = 0;
            x.paths[sources[s]].of[s].number = 1;
            now->items[now->count++] = sources[s];
        }
    }
};
struct walk_on {
    graph_view g;
    brandes_arrays x;
    COPPICE_HD bool enters(vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::int32_t const level = x.state->level;
        bool arrives = false;
        for (int s = 0; s < walkers; ++s) {
            if (x.levels[u].of[s] != level || worker.load(x.levels[v].of + s) != -1) continue;
            worker.store(x.levels[v].of + s, level + 1);
            arrives = true;
        }
        if (arrives && worker.exchange(x.listed + v, level + 1) != level + 1) worker.emit(v);
    }
};
/// paths[v] = sum of paths[u] over edges u -> v from the level before.
struct count_paths {
    using value = path_counts;
    graph_view incoming;
    brandes_arrays x;
    COPPICE_HD path_counts term(vertex_id v, std::int32_t k) const {
        vertex_id const u = incoming.neighbors[k];
        std::int32_t const level = x.state->level;
        path_counts t;
        for (int s = 0; s < walkers; ++s)
            if (x.levels[v].of[s] == level + 1 && x.levels[u].of[s] == level) t.of[s] = x.paths[u].of[s];
        return t;
    }
    COPPICE_HD void store(vertex_id v, path_counts const& sum) const {
        for (int s = 0; s < walkers; ++s)
            if (x.levels[v].of[s] == x.state->level + 1) x.paths[v].of[s] = sum.of[s];
    }
};
/// dependence[v] = sum of paths[v] / paths[w] (1 + dependence[w]) over edges v -> w to the next level.
struct depend_on {
    using value = walker_sums;
    graph_view g;
    brandes_arrays x;
    COPPICE_HD walker_sums term(vertex_id v, std::int32_t k) const {
        vertex_id const w = g.neighbors[k];
        std::int32_t const level = x.state->level;
        walker_sums t;
        for (int s = 0; s < walkers; ++s)
            if (x.levels[v].of[s] == level && x.levels[w].of[s] == level + 1)
                t.of[s] = x.paths[v].of[s].over(x.paths[w].of[s]) * (1 + x.dependence[w].of[s]);
        return t;
    }
    COPPICE_HD void store(vertex_id v, walker_sums const& sum) const {
        std::int32_t const level = x.state->level;
        for (int s = 0; s < walkers; ++s) {
            if (x.levels[v].of[s] != level) continue;
            x.dependence[v].of[s] = sum.of[s];
            if (level > 0) x.scores[v] += sum.of[s];
        }
    }
};
struct scale_score {
    double* scores;
    double factor;
    COPPICE_HD void operator()(std::int64_t v) const { scores[v] *= factor; }
};

} // namespace analytics

template <executor Executor>
betweenness_result betweenness(Executor const& exec, graph_view g, graph_view incoming,
                               betweenness_options const& options) {
    using namespace analytics;
    require_size("vertices of the incoming edges of betweenness", incoming.vertices, g.vertices);
    auto const chosen = chosen_sources(g, options.from, "a source of betweenness");
    std::int64_t const n = g.vertices, count = std::int64_t(chosen.size());
    betweenness_result result{buffer<double>(exec, n), count};
    if (n == 0) return result;
    auto const sources = exec.copy(chosen);
    buffer<walker_levels> levels(exec, n);
    buffer<path_counts> paths(exec, n);
    buffer<walker_sums> dependence(exec, n);
    buffer<std::int32_t> listed(exec, n);
    level_lists<Executor> lists(exec, walkers * n, n + 1);
    brandes_arrays const x{levels.data(), paths.data(),         dependence.data(),
                           listed.data(), result.scores.data(), lists.state()};
    fill(exec, result.scores.view(), 0.0);
    for (std::int64_t first = 0; first < count; first += walkers) {
        int const together = int(std::min<std::int64_t>(walkers, count - first));
        lists.clear();
        for_each(exec, n, no_path{x});
        for_each(exec, 1, begin_paths{x, sources.data() + first, together, lists.now()});
        lists.rise([&] {
            visit_edges(exec, nullptr, lists.now(), g, into(lists.next()), walk_on{g, x});
            visit_sums(exec, nullptr, lists.next(), incoming, count_paths{incoming, x});
        });
        lists.sink([&] { visit_sums(exec, nullptr, lists.now(), g, depend_on{g, x}); });
    }
    bool const sampled = options.from.vertices.empty() && count > 0;
    double const factor = (sampled ? double(n) / double(count) : 1.0) * (options.unordered_pairs ? 0.5 : 1.0);
    if (factor != 1) for_each(exec, n, scale_score{result.scores.data(), factor});
    exec.synchronize(); // the sources end here
    return result;
}

#define COPPICE_BETWEENNESS(EXTERN, EXECUTOR)                                                                          \
    EXTERN template betweenness_result betweenness(EXECUTOR const&, graph_view, graph_view, betweenness_options const&)
COPPICE_BETWEENNESS(extern, host_executor);
COPPICE_BETWEENNESS(extern, cuda_executor);

} // namespace coppice
