// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Betweenness and closeness by lengths of edges.
#pragma once

#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/path_search_host.hpp>
#include <coppice/graph/frontier/filtered_edges.hpp>
#include <coppice/graph/search/sssp_distances.hpp>

namespace coppice::inline v0_1 {

/// As betweenness(), where the value of an edge is its length, more than 0. For each source, the edges of shortest
/// paths (distance[u] + length = distance[v], as sssp() rounds) form a graph without cycles, in which numbers of paths
/// and dependencies are computed.
///
/// The host searches from one source per thread (Dijkstra's algorithm): O(m + n log C) per source, where C is the ratio
/// of the largest distance to the smallest difference of distances. Memory: 36 bytes per vertex and thread, 16 for each
/// edge that was on a shortest path at some time, and 8 per vertex for each of 8 sources, or 4 per thread. CUDA
/// processes the levels of that graph: O(n + m) and the time of sssp() per source. It searches from up to 16 sources at
/// the same time in copies of the graph, as long as these have at most 2^27 vertices and edges and take at most an
/// eighth of the memory of the device, and waits after each group. Memory for each copy: 100 bytes per vertex, 12 per
/// edge, 24 per edge on a shortest path, and that of sssp(), with `options.edges` 8 more per edge.
///
/// If a distance does not grow by a length, the host processes levels too. Throws matrix_error if a length is not more
/// than 0 or edges by which distances do not grow form a cycle, and the errors of betweenness().
template <executor Executor, class T>
betweenness_result weighted_betweenness(Executor const& exec, csr_view<T> a, betweenness_options const& options = {});

/// As closeness(), by lengths of edges, at least 0. Distances of 0 count as reached and add nothing to the sums; the
/// harmonic sum omits them. Searches and memory: as of weighted_betweenness(), but 12 bytes per vertex and thread.
/// Throws the errors of closeness() and sssp(), and matrix_error for negative lengths.
template <executor Executor, class T>
closeness_result weighted_closeness(Executor const& exec, csr_view<T> a, source_choice const& from = {});

namespace analytics {

template <class T>
struct is_short_edge {
    T const* lengths;
    bool positive; ///< whether 0 is too short
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return lengths[k] > T(0) || (!positive && lengths[k] == T(0)) ? 0 : 1;
    }
};
template <class T, executor Executor>
void require_lengths(Executor const& exec, csr_view<T> a, bool positive, char const* algorithm) {
    std::int64_t const bad =
        reduce(exec, a.nonzeros(), std::int64_t{0}, is_short_edge<T>{a.coefficients, positive}, plus{});
    if (bad > 0)
        throw matrix_error(std::string(algorithm) + ": " + std::to_string(bad) + " lengths are " +
                           (positive ? "not more than 0, expected positive lengths" : "negative or NaN"));
}

/// Selects the edges that are on a shortest path: the length of edge k from u to v is distances[v] - distances[u].
template <class T>
struct edges_on_paths {
    csr_view<T> a;
    T const* distances;
    vertex_id* neighbors; ///< of the selected edges
    std::int32_t* edges;  ///< their numbers in a
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const {
        T const from = distances[u], to = distances[a.indices[k]]; // infinite ones are no distances
        return from - from == T(0) && to - to == T(0) && from + a.coefficients[k] == to;
    }
    COPPICE_HD void store(vertex_id, std::int32_t k, std::int32_t at) const {
        neighbors[at] = a.indices[k];
        edges[at] = k;
    }
};
/// The graph of these edges, which has no cycle; values are the numbers of the edges in a. Waits.
template <executor Executor, class T>
csr<std::int32_t> graph_of_paths(Executor const& exec, csr_view<T> a, T const* distances) {
    graph_view const g(a);
    edges_on_paths<T> select{a, distances, nullptr, nullptr};
    std::int32_t total = 0;
    auto offsets = offsets_of_selected(exec, g, select, total);
    buffer<vertex_id> neighbors(exec, total);
    buffer<std::int32_t> edges(exec, total);
    select.neighbors = neighbors.data();
    select.edges = edges.data();
    filter_edges(exec, g, offsets.data(), select);
    return {a.rows(), a.rows(), std::move(offsets), std::move(neighbors), std::move(edges)};
}

/// Data of the shortest paths from one source in each copy of a graph: numbers of paths, and dependencies so far.
struct weighted_walk {
    csr_view<std::int32_t> out, in; ///< the graph of the paths, and its transposed matrix
    std::int32_t* waiting;          ///< number of edges into a vertex that are not processed
    scaled_number* paths;
    scaled_number* ratios;      ///< (1 + dependency) / paths of the vertices that are done, else 0
    double* scores;             ///< 0 on entry
    double* edge_scores;        ///< 0 on entry; null: not computed
    vertex_id const* sources;   ///< of every copy
    vertex_id vertices_of_copy; ///< number
    COPPICE_HD bool is_source(vertex_id v) const { return sources[v / vertices_of_copy] == v; }
};
struct begin_weighted_walk {
    weighted_walk x;
    COPPICE_HD void operator()(std::int64_t v) const {
        x.waiting[v] = x.in.row_end(v) - x.in.row_begin(v);
        x.ratios[v] = {};
        x.paths[v] = {x.is_source(vertex_id(v)) ? 1.0 : 0.0, 0};
    }
};
struct list_sources {
    vertex_id const* sources;
    std::int64_t count;
    worklist* now;
    COPPICE_HD void operator()(std::int64_t k) const {
        now->items[k] = sources[k];
        if (k == 0) now->count = count;
    }
};
struct release_on_path {
    weighted_walk x;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id, std::int32_t k) const {
        vertex_id const v = x.out.indices[k];
        if (worker.add(x.waiting + v, std::int32_t(-1)) == 1) worker.emit(v);
    }
};
struct count_weighted_paths {
    using value = scaled_number;
    weighted_walk x;
    COPPICE_HD scaled_number term(vertex_id, std::int32_t k) const { return x.paths[x.in.indices[k]]; }
    COPPICE_HD void store(vertex_id v, scaled_number const& sum) const { x.paths[v] = sum; }
};
struct depend_on_weighted {
    using value = scaled_number;
    weighted_walk x;
    COPPICE_HD scaled_number term(vertex_id v, std::int32_t k) const {
        vertex_id const w = x.out.indices[k];
        if (x.edge_scores) x.edge_scores[x.out.coefficients[k]] = x.paths[v] * x.ratios[w];
        return x.ratios[w];
    }
    COPPICE_HD void store(vertex_id v, scaled_number const& sum) const {
        double const dependence = x.paths[v] * sum;
        x.ratios[v] = dependency_ratio(dependence, x.paths[v]);
        if (!x.is_source(v)) x.scores[v] = dependence;
    }
};

template <class T>
struct is_reached {
    T const* distances;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return distances[v] - distances[v] == T(0) ? 1 : 0; }
};
/// sums[i] += scores[k * size + i] for all copies k, in their order.
struct add_scores {
    double const* scores;
    std::int64_t copies, size;
    double* sums;
    COPPICE_HD void operator()(std::int64_t i) const {
        double sum = sums[i];
        for (std::int64_t k = 0; k < copies; ++k) sum += scores[k * size + i];
        sums[i] = sum;
    }
};

/// Computes the dependencies on paths from one group of sources after the other, level by level.
template <executor Executor, class T>
class levels_of_paths {
public:
    levels_of_paths(Executor const& exec, csr_view<T> a, std::int64_t copies, bool of_edges)
        : exec_(exec), search_(exec, a, copies), vertices_(a.rows()), edges_(a.nonzeros()), waiting_(exec, vertices()),
          paths_(exec, vertices()), ratios_(exec, vertices()), scores_(exec, vertices()),
          edge_scores_(exec, of_edges ? copies * edges_ : 0), lists_(exec, vertices(), vertices_ + 1) {}

    /// Adds the dependencies on paths from the group of sources that begins with source `first`.
    void add(std::vector<vertex_id> const& sources, std::int64_t first, betweenness_result& result) {
        auto const group = search_.group(sources, first);
        std::int64_t const copies = group.size();
        auto const distances = search_.distances(group);
        auto const out = graph_of_paths(exec_, search_.graph(copies), distances.data());
        auto const in = transpose(exec_, out.view());
        bool const of_edges = edge_scores_.size() > 0;
        weighted_walk const x{out.view(),
                              in.view(),
                              waiting_.data(),
                              paths_.data(),
                              ratios_.data(),
                              scores_.data(),
                              of_edges ? edge_scores_.data() : nullptr,
                              group.data(),
                              vertices_};
        fill(exec_, scores_.view(), 0.0);
        fill(exec_, edge_scores_.view(), 0.0);
        for_each(exec_, copies * vertices_, begin_weighted_walk{x});
        lists_.clear();
        for_each(exec_, copies, list_sources{group.data(), copies, lists_.now()});
        lists_.forward_once([&] {
            edge_map(exec_, nullptr, lists_.now(), graph_view(out), into(lists_.next()), release_on_path{x});
            edge_sum(exec_, nullptr, lists_.next(), graph_view(in), count_weighted_paths{x});
        });
        std::int32_t levels = 0;
        if (lists_.count(levels) <
            reduce(exec_, copies * vertices_, std::int64_t{0}, is_reached<T>{distances.data()}, plus{}))
            throw matrix_error("betweenness: a length is so small that adding it does not change a distance, so that "
                               "vertices have no order; scale or round the lengths");
        lists_.backward_once([&] { edge_sum(exec_, nullptr, lists_.now(), graph_view(out), depend_on_weighted{x}); });
        for_each(exec_, vertices_, add_scores{scores_.data(), copies, vertices_, result.scores.data()});
        for_each(exec_, result.edge_scores.size(),
                 add_scores{edge_scores_.data(), copies, edges_, result.edge_scores.data()});
        exec_.synchronize(); // the arrays of this group are destroyed here
    }

private:
    std::int64_t vertices() const { return search_.copies() * vertices_; }

    Executor exec_;
    simultaneous_sssp<Executor, T> search_;
    vertex_id vertices_; ///< of one copy, as edges_
    std::int64_t edges_;
    buffer<std::int32_t> waiting_;
    buffer<scaled_number> paths_, ratios_;
    buffer<double> scores_, edge_scores_;
    level_lists<Executor> lists_;
};
template <executor Executor, class T>
void add_path_dependencies_by_levels(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                                     bool of_edges, betweenness_result& result) {
    std::int64_t const count = std::int64_t(sources.size()), copies = copies_for(exec, a, count);
    levels_of_paths<Executor, T> paths(exec, a, copies, of_edges);
    for (std::int64_t first = 0; first < count; first += copies) paths.add(sources, first, result);
}
template <executor Executor, class T>
void add_path_dependencies(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, bool of_edges,
                           betweenness_result& result) {
    add_path_dependencies_by_levels(exec, a, sources, of_edges, result);
}
/// Calls add(source, distances) for all sources in order, with the distances from the source.
template <executor Executor, class T, class Add>
void for_distances_of_sources(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                              Add const& add) {
    for_distances_of_groups(exec, a, sources, 0,
                            [&](std::int64_t first, std::int64_t count, buffer<T> const& distances) {
                                for (std::int64_t k = 0; k < count; ++k)
                                    add(sources[std::size_t(first + k)], distances.data() + k * a.rows());
                            });
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
betweenness_result weighted_betweenness(Executor const& exec, csr_view<T> a, betweenness_options const& options) {
    using namespace analytics;
    graph_view const g(a);
    auto const chosen = chosen_sources(g, options.from, "a source of betweenness");
    require_lengths(exec, a, true, "betweenness");
    auto result = empty_betweenness(exec, g, options, std::int64_t(chosen.size()));
    add_path_dependencies(exec, a, chosen, options.edges, result);
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
    EXTERN template betweenness_result weighted_betweenness(EXECUTOR const&, csr_view<T>, betweenness_options const&); \
    EXTERN template closeness_result weighted_closeness(EXECUTOR const&, csr_view<T>, source_choice const&)
COPPICE_WEIGHTED_PATHS(extern, host_executor, float);
COPPICE_WEIGHTED_PATHS(extern, host_executor, double);
COPPICE_WEIGHTED_PATHS(extern, cuda_executor, float);
COPPICE_WEIGHTED_PATHS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
