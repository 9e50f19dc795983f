// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Betweenness: the fraction of shortest paths that pass through a vertex.
#pragma once

#include <algorithm>
#include <optional>

#include <coppice/graph/centrality/sources.hpp>
#include <coppice/graph/frontier/level_lists.hpp>

namespace coppice::inline v0_1 {

struct betweenness_options {
    source_choice from{};         ///< sources of the paths; the sums of a sample are scaled to all vertices
    bool unordered_pairs = false; ///< halve the scores, so that a pair of an undirected graph counts once
    bool edges = false;           ///< compute the scores of edges, too
};

/// In the memory of the executor.
struct betweenness_result {
    buffer<double> scores{};
    buffer<double> edge_scores{}; ///< of every stored edge in its direction, if options.edges
    std::int64_t sources = 0;
};

/// Computes for every vertex v the sum over pairs (s, t) of the fraction of shortest paths from s to t, by number of
/// edges, that pass through v, v != s, t (Brandes 2001). s are the sources, t all vertices. The score of an edge is the
/// sum of the fractions of paths that take it (Girvan and Newman 2002). Four sources are processed together. `incoming`
/// is the transposed graph, or g itself if it is undirected. Parallel edges are separate paths.
///
/// Sums are folded in the order of a row: the result has the same bits for any number of threads on one kind of
/// executor. Numbers of paths may be as large as 2^(2^40): if one exceeds 2^900, sources are processed singly with
/// numbers that have a separate scale. O(n + m) time per source. Memory: 140 bytes per vertex, 68 more for scaled
/// numbers. Throws argument_error for sources that are no vertices or are repeated, dimension_error if the size of
/// `incoming` differs. Waits after every four sources.
template <executor Executor>
betweenness_result betweenness(Executor const& exec, graph_view g, graph_view incoming,
                               betweenness_options const& options = {});

namespace analytics {

/// Scaled number of any size: number 2^(512 scale), where number < 2^512 except in unnormalised sums.
struct scaled_number {
    double number = 0;
    std::int64_t scale = 0;
    static constexpr double step = 0x1p-512;
    COPPICE_HD scaled_number scaled() const {
        return number < 1 / step ? scaled_number{number, scale} : scaled_number{number * step, scale + 1};
    }
    COPPICE_HD scaled_number operator+(scaled_number const& b) const {
        if (scale == b.scale) return scaled_number{number + b.number, scale}.scaled();
        if (number == 0) return b;
        if (b.number == 0) return *this;
        scaled_number const& high = scale > b.scale ? *this : b;
        scaled_number const& low = scale > b.scale ? b : *this;
        return high.scale - low.scale > 1 ? high : scaled_number{high.number + low.number * step, high.scale}.scaled();
    }
    /// The product as a double; 0 if it is tiny.
    COPPICE_HD double operator*(scaled_number const& b) const {
        double const p = number * b.number;
        std::int64_t const s = scale + b.scale;
        return s == 0 ? p : s == -1 ? p * step : s == 1 ? p / step : 0.0;
    }
};
COPPICE_HD inline double dependency_ratio(double dependence, double paths) { return (1 + dependence) / paths; }
COPPICE_HD inline scaled_number dependency_ratio(double dependence, scaled_number const& paths) {
    return {(1 + dependence) / paths.number, -paths.scale};
}
COPPICE_HD inline bool fits(double paths) { return paths < 0x1p900; }
COPPICE_HD inline bool fits(scaled_number const&) { return true; }

/// One value for each of the sources that are processed together.
template <class Number, int Walkers>
struct for_walkers {
    Number of[Walkers] = {};
    COPPICE_HD for_walkers operator+(for_walkers const& b) const {
        for_walkers sum;
        for (int s = 0; s < Walkers; ++s) sum.of[s] = of[s] + b.of[s];
        return sum;
    }
};

/// The values that edges read are 0 until the level of their vertex is done, so that a sum over all edges of a row is a
/// sum over those from the level that was done last. In the forward pass these are the numbers of paths to each vertex;
/// in the backward pass the ratios (1 + dependency) / paths.
template <class Number, int Walkers>
struct brandes_arrays {
    for_walkers<std::int32_t, Walkers>* levels;
    for_walkers<Number, Walkers>* paths;
    for_walkers<Number, Walkers>* ratios;
    for_walkers<Number, Walkers>* sums; ///< of the current level: paths, or dependencies as numbers
    std::int32_t* queued;               ///< last level whose list contains the vertex
    double* scores;
    double* edge_scores; ///< null: not computed
    level_state* state;
};
template <class Number, int Walkers>
struct no_path {
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD void operator()(std::int64_t v) const {
        for (int s = 0; s < Walkers; ++s) x.levels[v].of[s] = -1;
        x.paths[v] = x.ratios[v] = for_walkers<Number, Walkers>{};
        x.queued[v] = -1;
    }
};
template <class Number, int Walkers>
struct begin_paths {
    brandes_arrays<Number, Walkers> x;
    vertex_id const* sources;
    int count;
    worklist* now;
    COPPICE_HD void operator()(std::int64_t) const {
        for (int s = 0; s < count; ++s) {
            x.levels[sources[s]].of[s] = 0;
            x.sums[sources[s]].of[s] = Number{1};
            now->items[now->count++] = sources[s];
        }
    }
};
/// Publishes the numbers of paths of a finished level; edges read them from now on.
template <class Number, int Walkers>
struct publish_paths {
    brandes_arrays<Number, Walkers> x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id v) const {
        for (int s = 0; s < Walkers; ++s) {
            if (x.levels[v].of[s] != x.state->level) continue;
            x.paths[v].of[s] = x.sums[v].of[s];
            if (fits(x.sums[v].of[s])) continue;
            worker.store(&x.state->ends, 1);
        }
    }
};
template <class Number, int Walkers>
struct walk_on {
    graph_view g;
    brandes_arrays<Number, Walkers> x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = g.neighbors[k];
        std::int32_t const level = x.state->level;
        bool arrives = false;
        for (int s = 0; s < Walkers; ++s) {
            if (worker.load(&x.levels[u].of[s]) != level || worker.load(&x.levels[v].of[s]) != -1) continue;
            worker.store(&x.levels[v].of[s], level + 1);
            arrives = true;
        }
        if (arrives && worker.exchange(&x.queued[v], level + 1) != level + 1) worker.emit(v);
    }
};
/// sums[v] = sum of paths[u] over the edges u -> v; u is in the level before, or paths[u] is 0.
template <class Number, int Walkers>
struct count_paths {
    using value = for_walkers<Number, Walkers>;
    graph_view incoming;
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD value const& term(vertex_id, std::int32_t k) const { return x.paths[incoming.neighbors[k]]; }
    COPPICE_HD void store(vertex_id v, value const& sum) const { x.sums[v] = sum; }
};
/// dependence = paths[v] times the sum of ratios[w] over the edges v -> w; w is in the next level, or ratios[w] is 0.
template <class Number, int Walkers>
struct depend_on {
    using value = for_walkers<Number, Walkers>;
    graph_view g;
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD value const& term(vertex_id v, std::int32_t k) const {
        value const& ratio = x.ratios[g.neighbors[k]];
        if (x.edge_scores)
            for (int s = 0; s < Walkers; ++s)
                if (x.levels[v].of[s] == x.state->level) x.edge_scores[k] += x.paths[v].of[s] * ratio.of[s];
        return ratio;
    }
    COPPICE_HD void store(vertex_id v, value const& sum) const {
        std::int32_t const level = x.state->level;
        for (int s = 0; s < Walkers; ++s) {
            if (x.levels[v].of[s] != level) continue;
            double const dependence = x.paths[v].of[s] * sum.of[s];
            x.sums[v].of[s] = Number{dependence};
            if (level > 0) x.scores[v] += dependence;
        }
    }
};
COPPICE_HD inline double plain(double number) { return number; }
COPPICE_HD inline double plain(scaled_number const& number) { return number.number; }
template <class Number, int Walkers>
struct publish_ratios {
    brandes_arrays<Number, Walkers> x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        for (int s = 0; s < Walkers; ++s)
            if (x.levels[v].of[s] == x.state->level)
                x.ratios[v].of[s] = dependency_ratio(plain(x.sums[v].of[s]), x.paths[v].of[s]);
    }
};

/// Searches from up to `Walkers` sources simultaneously.
template <executor Executor, class Number, int Walkers>
class brandes_walk {
public:
    brandes_walk(Executor const& exec, graph_view g, graph_view incoming, double* scores, double* edge_scores)
        : exec_(exec), g_(g), incoming_(incoming), levels_(exec, g.vertices), paths_(exec, g.vertices),
          ratios_(exec, g.vertices), sums_(exec, g.vertices), queued_(exec, g.vertices),
          lists_(exec, std::int64_t(Walkers) * g.vertices, g.vertices + 1), x_{levels_.data(), paths_.data(),
                                                                               ratios_.data(), sums_.data(),
                                                                               queued_.data(), scores,
                                                                               edge_scores,    lists_.state()} {}

    /// Adds the dependencies of all vertices to their scores. Returns false, and adds nothing, if a number of paths
    /// overflows Number.
    bool run(vertex_id const* sources, int count) {
        lists_.clear();
        for_each(exec_, g_.vertices, no_path<Number, Walkers>{x_});
        for_each(exec_, 1, begin_paths<Number, Walkers>{x_, sources, count, lists_.now()});
        lists_.forward([&] {
            vertex_map(exec_, nullptr, lists_.now(), nothing(), publish_paths<Number, Walkers>{x_});
            edge_map(exec_, nullptr, lists_.now(), g_, into(lists_.next()), walk_on<Number, Walkers>{g_, x_});
            edge_sum(exec_, nullptr, lists_.next(), incoming_, count_paths<Number, Walkers>{incoming_, x_});
        });
        if (lists_.has_ended()) return false;
        lists_.backward([&] {
            edge_sum(exec_, nullptr, lists_.now(), g_, depend_on<Number, Walkers>{g_, x_});
            vertex_map(exec_, nullptr, lists_.now(), nothing(), publish_ratios<Number, Walkers>{x_});
        });
        return true;
    }

private:
    Executor exec_;
    graph_view g_, incoming_;
    buffer<for_walkers<std::int32_t, Walkers>> levels_;
    buffer<for_walkers<Number, Walkers>> paths_, ratios_, sums_;
    buffer<std::int32_t> queued_;
    level_lists<Executor> lists_;
    brandes_arrays<Number, Walkers> x_;
};

/// Scores of 0.
template <executor Executor>
betweenness_result empty_betweenness(Executor const& exec, graph_view g, betweenness_options const& options,
                                     std::int64_t sources) {
    betweenness_result result{buffer<double>(exec, g.vertices), buffer<double>(exec, options.edges ? g.edge_count : 0),
                              sources};
    fill(exec, result.scores.view(), 0.0);
    fill(exec, result.edge_scores.view(), 0.0);
    return result;
}
/// Scales from a sample to all vertices, and from ordered to unordered pairs; waits.
template <executor Executor>
void scale_betweenness(Executor const& exec, betweenness_options const& options, betweenness_result& result) {
    std::int64_t const n = result.scores.size();
    bool const sampled = options.from.vertices.empty() && result.sources > 0;
    double const factor = (sampled ? double(n) / double(result.sources) : 1.0) * (options.unordered_pairs ? 0.5 : 1.0);
    if (factor != 1) {
        for_each(exec, n, scale_value{result.scores.data(), factor});
        for_each(exec, result.edge_scores.size(), scale_value{result.edge_scores.data(), factor});
    }
    exec.synchronize();
}

} // namespace analytics

template <executor Executor>
betweenness_result betweenness(Executor const& exec, graph_view g, graph_view incoming,
                               betweenness_options const& options) {
    using namespace analytics;
    require_size("vertices of the incoming edges of betweenness", incoming.vertices, g.vertices);
    auto const chosen = chosen_sources(g, options.from, "a source of betweenness");
    std::int64_t const count = std::int64_t(chosen.size());
    auto result = empty_betweenness(exec, g, options, count);
    if (g.vertices == 0) return result;
    auto const sources = exec.copy(chosen);
    double *const scores = result.scores.data(), *const edge_scores =
                                                     options.edges ? result.edge_scores.data() : nullptr;
    constexpr int walkers = 4;
    brandes_walk<Executor, double, walkers> walk(exec, g, incoming, scores, edge_scores);
    // Numbers of paths this large need long paths, so the sources share few vertices of a level: one source at a time.
    std::optional<brandes_walk<Executor, scaled_number, 1>> scaled;
    for (std::int64_t first = 0; first < count; first += walkers) {
        int const together = int(std::min<std::int64_t>(walkers, count - first));
        if (!scaled && walk.run(sources.data() + first, together)) continue;
        if (!scaled) scaled.emplace(exec, g, incoming, scores, edge_scores);
        for (int s = 0; s < together; ++s) scaled->run(sources.data() + first + s, 1);
    }
    scale_betweenness(exec, options, result);
    return result;
}

#define COPPICE_BETWEENNESS(EXTERN, EXECUTOR)                                                                          \
    EXTERN template betweenness_result betweenness(EXECUTOR const&, graph_view, graph_view, betweenness_options const&)
COPPICE_BETWEENNESS(extern, host_executor);
COPPICE_BETWEENNESS(extern, cuda_executor);

} // namespace coppice::inline v0_1
