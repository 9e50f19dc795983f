// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Betweenness and closeness by lengths of edges.
#pragma once

#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/path_search_host.hpp>
#include <coppice/graph/search/sssp.hpp>

namespace coppice::inline v0_1 {

/// As betweenness(), where the value of an edge is its length, more than 0. For each source, the edges of shortest
/// paths (distance[u] + length = distance[v], as sssp() rounds) form a graph without cycles, in which numbers of paths
/// and dependencies are computed. `incoming` is the transposed matrix, or a itself if it is symmetric.
///
/// The host searches from one source per thread (Dijkstra's algorithm): O(m + n log C) per source, where C is the ratio
/// of the largest distance to the smallest difference of distances. Memory: 36 bytes per vertex and thread, 16 for each
/// edge that was on a shortest path at some time, and 8 per vertex for each of 8 sources, or 4 per thread. CUDA
/// processes the levels of that graph: O(n + m) and the time of sssp() per source, which waits. It searches from up to
/// min(4, 2^24 / n) sources at the same time, each by a thread with another stream, with `options.edges` from one; for
/// each of them 96 bytes per vertex and the memory of sssp(). Throws thread_error if a thread does not start.
///
/// If a distance does not grow by a length, the host processes levels too. Throws matrix_error if a length is not more
/// than 0 or edges by which distances do not grow form a cycle, and the errors of betweenness().
template <executor Executor, class T>
betweenness_result weighted_betweenness(Executor const& exec, csr_view<T> a, csr_view<T> incoming,
                                        betweenness_options const& options = {});

/// As closeness(), by lengths of edges, at least 0. Distances of 0 count as reached and add nothing to the sums; the
/// harmonic sum omits them. Searches and memory: as of weighted_betweenness(), but 12 bytes per vertex and thread.
/// Throws the errors of closeness() and sssp(), and matrix_error for negative lengths.
template <executor Executor, class T>
closeness_result weighted_closeness(Executor const& exec, csr_view<T> a, source_choice const& from = {});

namespace analytics {

template <class T, executor Executor>
void require_lengths(Executor const& exec, csr_view<T> a, bool positive, char const* algorithm) {
    auto const too_short = [=] COPPICE_HD(std::int64_t k) {
        T const length = a.coefficients[k];
        return std::int64_t(!(length > T(0) || (!positive && length == T(0))));
    };
    std::int64_t const bad = reduce(exec, a.nonzeros(), std::int64_t{0}, too_short, plus{});
    if (bad > 0)
        throw matrix_error(std::string(algorithm) + ": " + std::to_string(bad) + " lengths are " +
                           (positive ? "not more than 0, expected positive lengths" : "negative or NaN"));
}

/// Data of the shortest paths from one source: distances, numbers of paths, and dependencies so far.
template <class T>
struct weighted_walk {
    csr_view<T> a, incoming;
    T const* distances;
    std::int32_t* waiting;
    scaled_number* paths;
    scaled_number* ratios; ///< (1 + dependency) / paths of the vertices that are done, else 0
    double* scores;
    double* edge_scores; ///< null: not computed
    vertex_id source;
    /// Whether an edge of this length from u to v is on a shortest path.
    COPPICE_HD bool is_on_path(vertex_id u, vertex_id v, T length) const {
        return distances[u] - distances[u] == T(0) && distances[u] + length == distances[v];
    }
};
template <class T>
struct count_waiting {
    using value = std::int32_t;
    weighted_walk<T> x;
    COPPICE_HD std::int32_t term(vertex_id v, std::int32_t k) const {
        return x.is_on_path(x.incoming.indices[k], v, x.incoming.coefficients[k]) ? 1 : 0;
    }
    COPPICE_HD void store(vertex_id v, std::int32_t count) const {
        x.waiting[v] = count;
        x.ratios[v] = {};
        x.paths[v] = {v == x.source ? 1.0 : 0.0, 0};
    }
};
struct list_source {
    worklist* now;
    vertex_id source;
    COPPICE_HD void operator()(std::int64_t) const { now->items[now->count++] = source; }
};
template <class T>
struct release_on_path {
    weighted_walk<T> x;
    COPPICE_HD bool enters(auto const&, vertex_id) const { return true; }
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id u, std::int32_t k) const {
        vertex_id const v = x.a.indices[k];
        if (x.is_on_path(u, v, x.a.coefficients[k]) && worker.add(x.waiting + v, std::int32_t(-1)) == 1) worker.emit(v);
    }
};
template <class T>
struct count_weighted_paths {
    using value = scaled_number;
    weighted_walk<T> x;
    COPPICE_HD scaled_number term(vertex_id v, std::int32_t k) const {
        vertex_id const u = x.incoming.indices[k];
        return x.is_on_path(u, v, x.incoming.coefficients[k]) ? x.paths[u] : scaled_number{};
    }
    COPPICE_HD void store(vertex_id v, scaled_number const& sum) const { x.paths[v] = sum; }
};
template <class T>
struct depend_on_weighted {
    using value = scaled_number;
    weighted_walk<T> x;
    COPPICE_HD scaled_number term(vertex_id v, std::int32_t k) const {
        vertex_id const w = x.a.indices[k];
        if (!x.is_on_path(v, w, x.a.coefficients[k])) return {};
        if (x.edge_scores) x.edge_scores[k] += x.paths[v] * x.ratios[w];
        return x.ratios[w];
    }
    COPPICE_HD void store(vertex_id v, scaled_number const& sum) const {
        double const dependence = x.paths[v] * sum;
        x.ratios[v] = dependency_ratio(dependence, x.paths[v]);
        if (v != x.source) x.scores[v] += dependence;
    }
};

template <class T>
struct is_reached {
    T const* distances;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return distances[v] - distances[v] == T(0) ? 1 : 0; }
};
/// Computes the dependencies on paths from one source after the other, level by level.
template <executor Executor, class T>
class levels_of_paths {
public:
    levels_of_paths(Executor const& exec, csr_view<T> a, csr_view<T> incoming)
        : exec_(exec), a_(a), incoming_(incoming), waiting_(exec, a.rows()), paths_(exec, a.rows()),
          ratios_(exec, a.rows()), all_(every_vertex(exec, graph_view(a))), lists_(exec, a.rows(), a.rows() + 1) {}

    /// Adds the dependencies on paths from a source to `scores` and, unless it is null, to `edge_scores`.
    void add(vertex_id source, double* scores, double* edge_scores) {
        graph_view const g(a_), in(incoming_);
        auto const found = sssp(exec_, a_, source, {.parents = false});
        weighted_walk<T> const x{
            a_,          incoming_, found.distances.data(), waiting_.data(), paths_.data(), ratios_.data(), scores,
            edge_scores, source};
        edge_sum(exec_, nullptr, all_.data(), in, count_waiting<T>{x});
        lists_.clear();
        for_each(exec_, 1, list_source{lists_.now(), source});
        lists_.forward_once([&] {
            edge_map(exec_, nullptr, lists_.now(), g, into(lists_.next()), release_on_path<T>{x});
            edge_sum(exec_, nullptr, lists_.next(), in, count_weighted_paths<T>{x});
        });
        std::int32_t levels = 0;
        if (lists_.count(levels) <
            reduce(exec_, g.vertices, std::int64_t{0}, is_reached<T>{found.distances.data()}, plus{}))
            throw matrix_error("betweenness: a length is so small that a distance does not grow by it, which is no "
                               "order of the vertices; scale or round the lengths");
        lists_.backward_once([&] { edge_sum(exec_, nullptr, lists_.now(), g, depend_on_weighted<T>{x}); });
        exec_.synchronize(); // the distances are destroyed here
    }

private:
    Executor exec_;
    csr_view<T> a_, incoming_;
    buffer<std::int32_t> waiting_;
    buffer<scaled_number> paths_, ratios_;
    buffer<worklist> all_;
    level_lists<Executor> lists_;
};
template <executor Executor, class T>
void add_path_dependencies_by_levels(Executor const& exec, csr_view<T> a, csr_view<T> incoming,
                                     std::vector<vertex_id> const& sources, bool of_edges, betweenness_result& result) {
    levels_of_paths<Executor, T> paths(exec, a, incoming);
    for (vertex_id const source : sources)
        paths.add(source, result.scores.data(), of_edges ? result.edge_scores.data() : nullptr);
}

struct add_scores {
    double const* slots;
    std::int64_t count, vertices;
    double* sums;
    COPPICE_HD void operator()(std::int64_t v) const {
        double sum = sums[v];
        for (std::int64_t p = 0; p < count; ++p) sum += slots[p * vertices + v];
        sums[v] = sum;
    }
};

/// Searches from several sources at the same time, each on a separate stream: the levels of a search have too few
/// vertices for a device, and the host has to queue them. Scores are added in the order of the sources.
template <executor Executor, class T>
void add_path_dependencies(Executor const& exec, csr_view<T> a, csr_view<T> incoming,
                           std::vector<vertex_id> const& sources, bool of_edges, betweenness_result& result) {
    std::int64_t const n = a.rows(), count = std::int64_t(sources.size());
    std::int64_t const streams = std::clamp<std::int64_t>((std::int64_t(1) << 24) / std::max<std::int64_t>(n, 1), 1, 4);
    std::int64_t const together = std::min(streams, count);
    if (of_edges || together < 2) // scores of edges take too much memory
        return add_path_dependencies_by_levels(exec, a, incoming, sources, of_edges, result);
    std::vector<Executor> executors{exec};
    while (std::int64_t(executors.size()) < together) executors.emplace_back(exec.device());
    buffer<double> slots(exec, together * n);
    exec.synchronize(); // the other streams read what was queued on this one
    multi_executor<Executor>(std::move(executors)).run([&](Executor const& own, rank_communicator const& comm) {
        levels_of_paths<Executor, T> paths(own, a, incoming);
        double* const scores = slots.data() + comm.rank() * n;
        for (std::int64_t first = 0; first < count; first += together) {
            std::int64_t const rest = std::min(together, count - first);
            if (comm.rank() < rest) {
                fill(own, array_view<double>(scores, n), 0.0);
                paths.add(sources[std::size_t(first + comm.rank())], scores, nullptr);
            }
            comm.gather(0);
            if (comm.rank() == 0) {
                for_each(own, n, add_scores{slots.data(), rest, n, result.scores.data()});
                own.synchronize();
            }
            comm.gather(0);
        }
    });
}
/// Calls add(source, distances) for all sources in order, with the distances from the source.
template <executor Executor, class T, class Add>
void for_distances_of_sources(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                              Add const& add) {
    for (vertex_id const source : sources) {
        auto const found = sssp(exec, a, source, {.parents = false});
        add(source, found.distances.data());
        exec.synchronize(); // the distances are destroyed here
    }
}

template <class T>
struct add_distances {
    T const* distances;
    double* sum;
    std::int64_t* count;
    double* harmonic;
    vertex_id source;
    COPPICE_HD void operator()(std::int64_t v) const {
        double const d = double(distances[v]);
        if (v == source || !(d - d == 0)) return;
        sum[v] += d;
        ++count[v];
        if (d > 0) harmonic[v] += 1 / d;
    }
};
struct finish_weighted_closeness {
    double const* sum;
    std::int64_t const* count;
    std::uint8_t const* is_source;
    double sources, scale;
    double* scores;
    double* harmonic;
    COPPICE_HD void operator()(std::int64_t v) const {
        double const reach = double(count[v]), others = sources - is_source[v];
        scores[v] = sum[v] > 0 ? reach / sum[v] * (reach / others) : 0.0;
        harmonic[v] *= scale;
    }
};

} // namespace analytics

template <executor Executor, class T>
betweenness_result weighted_betweenness(Executor const& exec, csr_view<T> a, csr_view<T> incoming,
                                        betweenness_options const& options) {
    using namespace analytics;
    graph_view const g(a), in(incoming);
    auto const chosen = start_betweenness(g, in, options);
    require_lengths(exec, a, true, "betweenness");
    auto result = empty_betweenness(exec, g, options, std::int64_t(chosen.size()));
    add_path_dependencies(exec, a, incoming, chosen, options.edges, result);
    scale_betweenness(exec, options, result);
    return result;
}

template <executor Executor, class T>
closeness_result weighted_closeness(Executor const& exec, csr_view<T> a, source_choice const& from) {
    using namespace analytics;
    graph_view const g(a);
    auto const chosen = chosen_sources(g, from, "a source of closeness");
    require_lengths(exec, a, false, "closeness");
    std::int64_t const n = g.vertices, count = std::int64_t(chosen.size());
    closeness_result result{buffer<double>(exec, n), buffer<double>(exec, n), count};
    buffer<double> sums(exec, n);
    buffer<std::int64_t> counts(exec, n);
    buffer<std::uint8_t> is_source(exec, n);
    fill(exec, result.harmonic.view(), 0.0);
    fill(exec, sums.view(), 0.0);
    fill(exec, counts.view(), 0);
    fill(exec, is_source.view(), 0);
    auto const sources = exec.copy(chosen);
    for_each(exec, count, flag_source{sources.data(), is_source.data()});
    for_distances_of_sources(exec, a, chosen, [&](vertex_id source, T const* distances) {
        for_each(exec, n, add_distances<T>{distances, sums.data(), counts.data(), result.harmonic.data(), source});
    });
    double const scale = from.vertices.empty() && count > 0 ? double(n) / double(count) : 1.0;
    for_each(exec, n,
             finish_weighted_closeness{sums.data(), counts.data(), is_source.data(), double(count), scale,
                                       result.scores.data(), result.harmonic.data()});
    exec.synchronize();
    return result;
}

#define COPPICE_WEIGHTED_PATHS(EXTERN, EXECUTOR, T)                                                                    \
    EXTERN template betweenness_result weighted_betweenness(EXECUTOR const&, csr_view<T>, csr_view<T>,                 \
                                                            betweenness_options const&);                               \
    EXTERN template closeness_result weighted_closeness(EXECUTOR const&, csr_view<T>, source_choice const&)
COPPICE_WEIGHTED_PATHS(extern, host_executor, float);
COPPICE_WEIGHTED_PATHS(extern, host_executor, double);
COPPICE_WEIGHTED_PATHS(extern, cuda_executor, float);
COPPICE_WEIGHTED_PATHS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
