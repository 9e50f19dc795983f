// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Betweenness: which part of shortest paths runs through a vertex.
#pragma once

#include <algorithm>
#include <optional>

#include <coppice/graph/centrality/sources.hpp>
#include <coppice/graph/frontier/level_lists.hpp>

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
/// Counts of paths may be as large as 2^(2^40): once one is beyond 2^900, sources walk alone with counts that have a
/// scale of their own. n + m steps a source. Memory: 140 bytes a vertex, 68 more for such counts. Throws
/// argument_error for sources that are no vertices or given twice, dimension_error where `incoming` has another size.
/// Waits for every four sources.
template <executor Executor>
betweenness_result betweenness(Executor const& exec, graph_view g, graph_view incoming,
                               betweenness_options const& options = {});

namespace analytics {

/// A number of any size: number 2^(512 scale), where number < 2^512 unless it is added to.
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
    /// The product, where it matters if it is not tiny.
    COPPICE_HD double operator*(scaled_number const& b) const {
        double const p = number * b.number;
        std::int64_t const s = scale + b.scale;
        return s == 0 ? p : s == -1 ? p * step : s == 1 ? p / step : 0.0;
    }
};
COPPICE_HD inline double share(double dependence, double paths) { return (1 + dependence) / paths; }
COPPICE_HD inline scaled_number share(double dependence, scaled_number const& paths) {
    return {(1 + dependence) / paths.number, -paths.scale};
}
COPPICE_HD inline bool fits(double paths) { return paths < 0x1p900; }
COPPICE_HD inline bool fits(scaled_number const&) { return true; }

/// For each of the sources that walk together.
template <class Number, int Walkers>
struct for_walkers {
    Number of[Walkers] = {};
    COPPICE_HD for_walkers operator+(for_walkers const& b) const {
        for_walkers sum;
        for (int s = 0; s < Walkers; ++s) sum.of[s] = of[s] + b.of[s];
        return sum;
    }
};

/// What edges read is 0 until the level of the vertex is done, so that a sum over all edges of a row is one over those
/// from the level that was done last: on the way up that many paths lead to a vertex; on the way down that is its part
/// (1 + dependence) / paths for each path of the level before.
template <class Number, int Walkers>
struct brandes_arrays {
    for_walkers<std::int32_t, Walkers>* levels;
    for_walkers<Number, Walkers>* paths;
    for_walkers<Number, Walkers>* parts;
    for_walkers<Number, Walkers>* sums; ///< of the level that is visited: paths, or dependences as numbers
    std::int32_t* listed;               ///< the last level whose list has the vertex
    double* scores;
    level_state* state;
};
template <class Number, int Walkers>
struct no_path {
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD void operator()(std::int64_t v) const {
        for (int s = 0; s < Walkers; ++s) x.levels[v].of[s] = -1;
        x.paths[v] = x.parts[v] = for_walkers<Number, Walkers>{};
        x.listed[v] = -1;
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
/// The paths to a level are known: edges read them now.
template <class Number, int Walkers>
struct tell_paths {
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
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
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
        if (arrives && worker.exchange(&x.listed[v], level + 1) != level + 1) worker.emit(v);
    }
};
/// sums[v] = sum of paths[u] over edges u -> v, which come from the level before or have none yet.
template <class Number, int Walkers>
struct count_paths {
    using value = for_walkers<Number, Walkers>;
    graph_view incoming;
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD value const& term(vertex_id, std::int32_t k) const { return x.paths[incoming.neighbors[k]]; }
    COPPICE_HD void store(vertex_id v, value const& sum) const { x.sums[v] = sum; }
};
/// dependence = paths[v] times the sum of parts[w] over edges v -> w, which lead to the next level or have none yet.
template <class Number, int Walkers>
struct depend_on {
    using value = for_walkers<Number, Walkers>;
    graph_view g;
    brandes_arrays<Number, Walkers> x;
    COPPICE_HD value const& term(vertex_id, std::int32_t k) const { return x.parts[g.neighbors[k]]; }
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
struct tell_parts {
    brandes_arrays<Number, Walkers> x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker&, vertex_id v) const {
        for (int s = 0; s < Walkers; ++s)
            if (x.levels[v].of[s] == x.state->level) x.parts[v].of[s] = share(plain(x.sums[v].of[s]), x.paths[v].of[s]);
    }
};

/// Walks from up to `Walkers` sources at a time.
template <executor Executor, class Number, int Walkers>
class brandes_walk {
public:
    brandes_walk(Executor const& exec, graph_view g, graph_view incoming, double* scores)
        : exec_(exec), g_(g), incoming_(incoming), levels_(exec, g.vertices), paths_(exec, g.vertices),
          parts_(exec, g.vertices), sums_(exec, g.vertices), listed_(exec, g.vertices),
          lists_(exec, std::int64_t(Walkers) * g.vertices, g.vertices + 1), x_{levels_.data(), paths_.data(),
                                                                               parts_.data(),  sums_.data(),
                                                                               listed_.data(), scores,
                                                                               lists_.state()} {}

    /// Adds what depends on vertices to their scores; false, and nothing added, where paths are too many for Number.
    bool run(vertex_id const* sources, int count) {
        lists_.clear();
        for_each(exec_, g_.vertices, no_path<Number, Walkers>{x_});
        for_each(exec_, 1, begin_paths<Number, Walkers>{x_, sources, count, lists_.now()});
        lists_.rise([&] {
            visit_items(exec_, nullptr, lists_.now(), nothing(), tell_paths<Number, Walkers>{x_});
            visit_edges(exec_, nullptr, lists_.now(), g_, into(lists_.next()), walk_on<Number, Walkers>{g_, x_});
            visit_sums(exec_, nullptr, lists_.next(), incoming_, count_paths<Number, Walkers>{incoming_, x_});
        });
        if (lists_.has_ended()) return false;
        lists_.sink([&] {
            visit_sums(exec_, nullptr, lists_.now(), g_, depend_on<Number, Walkers>{g_, x_});
            visit_items(exec_, nullptr, lists_.now(), nothing(), tell_parts<Number, Walkers>{x_});
        });
        return true;
    }

private:
    Executor exec_;
    graph_view g_, incoming_;
    buffer<for_walkers<std::int32_t, Walkers>> levels_;
    buffer<for_walkers<Number, Walkers>> paths_, parts_, sums_;
    buffer<std::int32_t> listed_;
    level_lists<Executor> lists_;
    brandes_arrays<Number, Walkers> x_;
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
    fill(exec, result.scores.view(), 0.0);
    constexpr int walkers = 4;
    brandes_walk<Executor, double, walkers> walk(exec, g, incoming, result.scores.data());
    // Where paths are that many, they are long: the sources have few vertices of a level in common.
    std::optional<brandes_walk<Executor, scaled_number, 1>> scaled;
    for (std::int64_t first = 0; first < count; first += walkers) {
        int const together = int(std::min<std::int64_t>(walkers, count - first));
        if (!scaled && walk.run(sources.data() + first, together)) continue;
        if (!scaled) scaled.emplace(exec, g, incoming, result.scores.data());
        for (int s = 0; s < together; ++s) scaled->run(sources.data() + first + s, 1);
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
