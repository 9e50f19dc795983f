// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of graph algorithms: their requirements, how they are run, and their results.
///
/// A registration has a `row` (its description), its memory requirement, and a function that runs it:
///
///     static constexpr graph_memory memory;
///     template <executor Executor, class T>
///     static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& options);
///
/// The registrations of graph/centrality, graph/communities, and of flows and orders are in separate headers. To add an
/// algorithm, add a registration and a line in the list at the end; the command, its help and its tests follow from the
/// list.
#pragma once

#include <array>

#include <coppice/core/names.hpp>
#include <coppice/graph/catalogue/centrality_registrations.hpp>
#include <coppice/graph/catalogue/community_registrations.hpp>
#include <coppice/graph/catalogue/flow_registrations.hpp>
#include <coppice/graph/factor/b_matching.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/frontier/answer.hpp>
#include <coppice/graph/search/bfs.hpp>
#include <coppice/graph/search/diameter.hpp>
#include <coppice/graph/search/sssp_distances.hpp>
#include <coppice/graph/search/widest_path.hpp>
#include <coppice/graph/structure/both_directions.hpp>
#include <coppice/graph/structure/bridges.hpp>
#include <coppice/graph/structure/clustering_coefficients.hpp>
#include <coppice/graph/structure/colouring.hpp>
#include <coppice/graph/structure/components.hpp>
#include <coppice/graph/structure/cores.hpp>
#include <coppice/graph/structure/independent_set.hpp>
#include <coppice/graph/structure/maximal_matching.hpp>
#include <coppice/graph/structure/pagerank.hpp>
#include <coppice/graph/structure/spanning_forest.hpp>
#include <coppice/graph/structure/strong_components.hpp>
#include <coppice/graph/structure/triangles.hpp>

namespace coppice::inline v0_1 {
namespace analytics {

/// Removes the edges whose value in `a`, the number of parallel edges, is larger than 1 in at least one direction.
template <executor Executor, class T>
void drop_parallel_edges(Executor const& exec, csr_view<T> a, std::vector<vertex_id>& from,
                         std::vector<vertex_id>& to) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const neighbors = to_vector(exec, a.column_indices());
    auto const counts = to_vector(exec, a.values());
    auto const several = [&](vertex_id u, vertex_id v) {
        for (auto k = offsets[std::size_t(u)]; k < offsets[std::size_t(u) + 1]; ++k)
            if (neighbors[std::size_t(k)] == v && counts[std::size_t(k)] > T(1)) return true;
        return false;
    };
    std::size_t remaining = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (several(from[i], to[i]) || several(to[i], from[i])) continue;
        from[remaining] = from[i];
        to[remaining++] = to[i];
    }
    from.resize(remaining);
    to.resize(remaining);
}

/// The edges that a matching may take: all of them, by magnitude, or those of positive weight.
template <class T>
struct edges_to_match {
    csr<T> positive;
    csr_view<T> view;
    template <executor Executor>
    edges_to_match(Executor const& exec, csr_view<T> a, analytics_options const& o)
        : positive(o.by_value ? positive_edges(exec, a) : csr<T>()), view(o.by_value ? positive.view() : a) {}
};

struct bfs_entry {
    static constexpr auto row = graph_algorithm_row{"bfs",
                                                    "Breadth-first search: levels from a source",
                                                    "the level of every vertex, -1 if it is not reached",
                                                    false,
                                                    false,
                                                    false,
                                                    "source hops"}
                                    .combining(duplicates::first);
    static constexpr graph_memory memory{20, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        bfs_options options;
        if (o.undirected) options.incoming = a;
        if (o.hops > 0) options.max_depth = o.hops;
        auto const r = bfs(exec, graph_view(a), o.source, options);
        return {values_of(exec, r.levels), {{"depth", r.depth}, {"reached", double(r.reached)}}};
    }
};
struct sssp_entry {
    static constexpr auto row = graph_algorithm_row{"sssp",
                                                    "Shortest paths from a source; values are lengths",
                                                    "the distance of every vertex, infinity if it is not reached",
                                                    false,
                                                    false,
                                                    true,
                                                    "source delta"}
                                    .combining(duplicates::min);
    static constexpr graph_memory memory{32, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = sssp(exec, a, o.source, {.delta = o.delta, .parents = false});
        graph_answer answer{values_of(exec, r.distances), {}};
        double reached = 0, farthest = 0;
        for (double const d : std::get<graph_answer::values>(answer.found)) {
            if (!(d < std::numeric_limits<double>::infinity())) continue;
            ++reached;
            farthest = std::max(farthest, d);
        }
        answer.facts = {{"reached", reached}, {"farthest", farthest}, {"delta", r.delta}, {"rounds", double(r.rounds)}};
        if (r.negative_cycle) answer.failure = negative_cycle_failure;
        return answer;
    }
};
struct components_entry {
    static constexpr auto row = graph_algorithm_row{"components", "Connected components",
                                                    "the component of every vertex, as its smallest vertex", true}
                                    .combining(duplicates::first);
    static constexpr graph_memory memory{12, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto labels = vertices_of(exec, connected_components(exec, graph_view(a)).labels);
        auto facts = facts_of_labels("components", labels);
        return {std::move(labels), std::move(facts)};
    }
};
struct strong_components_entry {
    static constexpr auto row =
        graph_algorithm_row{"strong-components", "Strongly connected components of a directed graph",
                            "the component of every vertex, as its smallest vertex"}
            .combining(duplicates::first);
    static constexpr graph_memory memory{64, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto labels = vertices_of(exec, strongly_connected_components(exec, graph_view(a), in).labels);
        auto facts = facts_of_labels("components", labels);
        return {std::move(labels), std::move(facts)};
    }
};
struct widest_entry {
    static constexpr auto row = graph_algorithm_row{"widest",
                                                    "Widest paths from a source; values are widths",
                                                    "the width of every vertex, -infinity if it is not reached",
                                                    false,
                                                    false,
                                                    true,
                                                    "source"}
                                    .combining(duplicates::max);
    static constexpr graph_memory memory{36, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = widest_paths(exec, a, o.source);
        graph_answer answer{values_of(exec, r.widths), {}};
        double reached = 0;
        for (double const w : std::get<graph_answer::values>(answer.found))
            reached += w > -std::numeric_limits<double>::infinity() ? 1 : 0;
        answer.facts = {{"reached", reached}, {"rounds", double(r.rounds)}};
        return answer;
    }
};
struct diameter_entry {
    static constexpr auto row =
        graph_algorithm_row{"diameter", "Bounds of the diameter of the component of a vertex of maximum degree",
                            "the level of every vertex from one end of the longest path found, -1 if it is not reached",
                            true}
            .combining(duplicates::first);
    static constexpr graph_memory memory{20, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = diameter(exec, graph_view(a));
        auto const levels =
            a.rows() > 0 ? bfs(exec, graph_view(a), r.from, {.incoming = a}).levels : buffer<std::int32_t>(exec, 0);
        return {values_of(exec, levels),
                {{"lower", r.lower}, {"upper", r.upper}, {"reached", double(r.reached)}, {"searches", r.searches}}};
    }
};
struct bridges_entry {
    static constexpr auto row = graph_algorithm_row{"bridges",
                                                    "Edges whose removal disconnects a component",
                                                    "the bridges, a symmetric matrix of ones",
                                                    true,
                                                    false,
                                                    false}
                                    .combining(duplicates::count);
    static constexpr graph_memory memory{48, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = bridges(exec, graph_view(a));
        auto from = to_vector(exec, r.from), to = to_vector(exec, r.to);
        if (o.counted) drop_parallel_edges(exec, a, from, to);
        auto const count = from.size();
        return {answer_edges{std::move(from), std::move(to), std::vector<double>(count, 1.0)},
                {{"bridges", double(count)}, {"components", double(r.components)}}};
    }
};
struct pagerank_entry {
    static constexpr auto row =
        graph_algorithm_row{"pagerank", "PageRank", "the rank of every vertex; their sum is 1", false,
                            false,      false,      "damping tolerance max-iterations weighted"}
            .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{40, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        directed_weights<T> weights;
        if (o.weighted) weights = {a.values(), in.edges.values()};
        auto const r =
            pagerank<T>(exec, graph_view(a), in, {o.damping, o.tolerance, o.max_iterations}, {}, {}, weights);
        graph_answer answer{values_of(exec, r.ranks),
                            {{"iterations", r.iterations}, {"residual", r.residual}, {"converged", r.converged}}};
        if (!r.converged)
            answer.failure = "pagerank did not converge in " + std::to_string(r.iterations) + " iterations";
        return answer;
    }
};
struct triangles_entry {
    static constexpr graph_algorithm_row row{"triangles", "Triangles and clustering coefficients",
                                             "the number of triangles at every vertex", true, true};
    static constexpr graph_memory memory{40, 4};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = clustering(exec, graph_view(a));
        return {values_of(exec, r.triangles),
                {{"triangles", double(r.total)}, {"mean_clustering", r.mean}, {"transitivity", r.transitivity}}};
    }
};
struct clustering_entry {
    static constexpr auto row = graph_algorithm_row{"clustering",
                                                    "Clustering coefficients, also of directed and weighted graphs",
                                                    "the coefficient of every vertex",
                                                    false,
                                                    true,
                                                    false,
                                                    "weighted"}
                                    .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{64, 96};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        bool const symmetric = o.undirected && (!o.weighted || is_symmetric(exec, a));
        auto coefficients =
            to_vector(exec, clustering_coefficients(exec, a, {.undirected = symmetric, .weighted = o.weighted}));
        double sum = 0;
        for (double const c : coefficients) sum += c;
        double const mean = coefficients.empty() ? 0.0 : sum / double(coefficients.size());
        return {std::move(coefficients), {{"mean_clustering", mean}}};
    }
};
struct cores_entry {
    static constexpr graph_algorithm_row row{"cores", "Core numbers", "the core number of every vertex", true};
    static constexpr graph_memory memory{24, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = core_numbers(exec, graph_view(a));
        return {values_of(exec, r.cores), {{"largest", r.largest}}};
    }
};
struct mst_entry {
    static constexpr auto row = graph_algorithm_row{"mst",
                                                    "Minimum spanning forest; values are weights",
                                                    "the edges of the forest, a symmetric matrix",
                                                    true,
                                                    false,
                                                    true}
                                    .combining(duplicates::min);
    static constexpr graph_memory memory{56, 17};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = minimum_spanning_forest(exec, a);
        return {answer_edges{to_vector(exec, r.from), to_vector(exec, r.to), values_of(exec, r.weights)},
                {{"edges", double(r.from.size())},
                 {"trees", double(r.trees)},
                 {"weight", r.weight},
                 {"rounds", double(r.rounds)}}};
    }
};
struct matching_entry {
    static constexpr auto row =
        graph_algorithm_row{"matching",
                            "Greedy matching of heavy edges, with at least half of the largest sum of "
                            "|values|, or of positive values (by-value)",
                            "the mate of every vertex, or none",
                            true,
                            true,
                            true,
                            "by-value"}
            .combining(duplicates::max);
    static constexpr graph_memory memory{20, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        edges_to_match<T> const edges(exec, a, o);
        auto const f = parallel_factor(exec, edges.view, {.degree = 1, .rounds = 0, .charge_below = 0});
        return {vertices_of(exec, f.neighbors),
                {{"edges", double(f.edges)},
                 {"weight", f.weight},
                 {"weight_coverage", f.weight_coverage},
                 {"rounds", double(f.rounds)}}};
    }
};
struct b_matching_entry {
    static constexpr auto row =
        graph_algorithm_row{"b-matching",
                            "The heaviest edges by |value|, or by value if positive (by-value), up to "
                            "capacity at each vertex, by the greedy algorithm",
                            "the selected edges, a symmetric matrix",
                            true,
                            true,
                            true,
                            "capacity by-value"}
            .combining(duplicates::max);
    static constexpr graph_memory memory{44, 36};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        edges_to_match<T> const edges(exec, a, o);
        auto const r = b_matching(exec, edges.view, o.capacity);
        return {answer_edges{to_vector(exec, r.from), to_vector(exec, r.to), values_of(exec, r.weights)},
                {{"edges", double(r.from.size())},
                 {"weight", r.weight},
                 {"weight_coverage", r.weight_coverage},
                 {"rounds", double(r.rounds)}}};
    }
};
struct maximal_matching_entry {
    static constexpr auto row = graph_algorithm_row{"maximal-matching", "A maximal matching; values are ignored",
                                                    "the mate of every vertex, or none", true}
                                    .combining(duplicates::first);
    static constexpr graph_memory memory{16, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = maximal_matching(exec, graph_view(a));
        return {vertices_of(exec, r.mates), {{"edges", double(r.pairs)}}};
    }
};
struct independent_set_entry {
    static constexpr auto row = graph_algorithm_row{"independent-set", "A maximal independent set",
                                                    "1 for every vertex in the set, else 0", true}
                                    .combining(duplicates::first);
    static constexpr graph_memory memory{16, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = maximal_independent_set(exec, graph_view(a));
        return {values_of(exec, r.members), {{"size", double(r.size)}}};
    }
};
struct colouring_entry {
    static constexpr auto row =
        graph_algorithm_row{"colouring", "A greedy colouring", "the colour of every vertex, from 0 on", true}.combining(
            duplicates::first);
    static constexpr graph_memory memory{28, 1};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = colour_graph(exec, graph_view(a));
        return {values_of(exec, r.colours), {{"colours", r.count}}};
    }
};

template <class... Entry>
struct algorithm_list {
    static constexpr std::array<graph_algorithm_row, sizeof...(Entry)> rows{Entry::row...};
    static constexpr std::array<std::string_view, sizeof...(Entry)> names{Entry::row.name...};

    template <executor Executor, class T>
    static graph_answer run(std::string_view name, Executor const& exec, csr_view<T> a, analytics_options const& o) {
        graph_answer answer;
        if (((name == Entry::row.name && (answer = Entry::run(exec, a, o), true)) || ...)) return answer;
        coppice::detail::throw_unknown_name("graph algorithm", name, names);
    }
    static graph_memory memory_of(std::string_view name) {
        graph_memory memory;
        if (((name == Entry::row.name && (memory = Entry::memory, true)) || ...)) return memory;
        coppice::detail::throw_unknown_name("graph algorithm", name, names);
    }
};
using algorithm_entries =
    algorithm_list<bfs_entry, sssp_entry, widest_entry, diameter_entry, components_entry, strong_components_entry,
                   bridges_entry, biconnected_entry, articulation_points_entry, topological_levels_entry,
                   longest_paths_entry, max_flow_entry, mincut_entry, random_walks_entry, pagerank_entry,
                   betweenness_entry, edge_betweenness_entry, closeness_entry, katz_entry, eigenvector_entry,
                   hits_entry, triangles_entry, clustering_entry, similarity_entry, cores_entry, truss_entry,
                   communities_entry, leiden_entry, label_propagation_entry, mst_entry, matching_entry,
                   b_matching_entry, maximal_matching_entry, independent_set_entry, colouring_entry>;

} // namespace analytics

/// Descriptions of all graph algorithms.
inline constexpr auto const& graph_algorithm_catalogue = analytics::algorithm_entries::rows;

/// Upper bound in bytes of the executor memory that the named algorithm needs in addition to the graph; measured on the
/// host. `undirected` and `weighted`: as in the options; with weights, searches from many sources take memory for each
/// of `threads` host threads. Throws argument_error for an unknown name.
inline std::int64_t graph_algorithm_memory(std::string_view name, graph_view g, bool undirected, bool weighted = false,
                                           int threads = 1) {
    return analytics::algorithm_entries::memory_of(name).bytes(g, undirected, weighted, threads);
}

/// Runs the named algorithm on a graph in the memory of `exec`; waits. Throws argument_error for an unknown name,
/// memory_error with the required size if memory is short, and the errors of the algorithm. The requirements of its
/// description are not checked.
template <executor Executor, class T>
graph_answer run_graph_algorithm(Executor const& exec, std::string_view name, csr_view<T> a,
                                 analytics_options const& options = {}) {
    try {
        return analytics::algorithm_entries::run(name, exec, a, options);
    } catch (memory_error const& e) {
        int threads = 1;
        if constexpr (requires { exec.threads(); }) threads = exec.threads();
        std::int64_t const bytes = graph_algorithm_memory(name, a, options.undirected, options.weighted, threads);
        throw memory_error(std::string(name) + " needs up to " + std::to_string((bytes + 999'999) / 1'000'000) +
                           " MB in addition to the graph, which are not available: " + e.what());
    }
}

} // namespace coppice::inline v0_1
