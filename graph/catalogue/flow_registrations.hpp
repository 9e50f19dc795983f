// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registrations of biconnected components, orders of directed graphs, flows and walks.
#pragma once

#include <coppice/graph/frontier/answer.hpp>
#include <coppice/graph/search/longest_path.hpp>
#include <coppice/graph/search/random_walks.hpp>
#include <coppice/graph/structure/biconnected.hpp>
#include <coppice/graph/structure/max_flow.hpp>

namespace coppice::inline v0_1::analytics {

struct biconnected_entry {
    static constexpr auto row =
        graph_algorithm_row{"biconnected", "Biconnected components: edges that lie on common simple cycles",
                            "the number of the component of every edge, from 1 on, a symmetric matrix", true, true}
            .combining(duplicates::first);
    static constexpr graph_memory memory{84, 12};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = biconnected_components(exec, graph_view(a));
        auto const found = to_vector(exec, r.edge_components);
        std::vector<double> halves; // the sum of both directions is the number
        std::vector<std::int64_t> sizes(std::size_t(r.components), 0);
        for (auto const component : found) {
            halves.push_back((component + 1) * 0.5);
            if (component >= 0) ++sizes[std::size_t(component)];
        }
        auto edges = edges_of_matrix(exec, graph_view(a), halves, true);
        auto const largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end()) / 2;
        return {std::move(edges),
                {{"components", double(r.components)},
                 {"largest", double(largest)},
                 {"articulation_points", double(r.articulation_points)}}};
    }
};
struct articulation_points_entry {
    static constexpr auto row =
        graph_algorithm_row{"articulation-points", "Vertices whose removal increases the number of components",
                            "1 for every articulation point, else 0", true, true}
            .combining(duplicates::first);
    static constexpr graph_memory memory{84, 12};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = biconnected_components(exec, graph_view(a));
        return {values_of(exec, r.articulation),
                {{"articulation_points", double(r.articulation_points)}, {"components", double(r.components)}}};
    }
};

struct topological_levels_entry {
    static constexpr auto row =
        graph_algorithm_row{"topological-levels",
                            "Levels of a directed graph without cycles: edges lead to larger levels",
                            "the level of every vertex; -1: it is on a cycle, or reached from one"}
            .combining(duplicates::first);
    static constexpr graph_memory memory{24, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r = topological_levels(exec, graph_view(a), in);
        return {values_of(exec, r.levels),
                {{"acyclic", r.acyclic}, {"levels", r.depth}, {"ordered", double(r.ordered)}}};
    }
};
struct longest_paths_entry {
    static constexpr auto row =
        graph_algorithm_row{"longest-paths",
                            "Longest paths of a directed graph without cycles; values are lengths",
                            "the length of a longest path to every vertex, at least 0",
                            false,
                            false,
                            true}
            .combining(duplicates::max);
    static constexpr graph_memory memory{40, 12};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const in = transpose(exec, a);
        auto const r = longest_paths(exec, graph_view(a), in.view());
        auto lengths = values_of(exec, r.lengths);
        if (!r.acyclic) return {{}, {{"acyclic", 0.0}}, "the graph has a cycle, so there are no longest paths"};
        double const largest = largest_of(lengths);
        return {std::move(lengths), {{"acyclic", 1.0}, {"longest", largest}}};
    }
};

template <executor Executor, class T>
max_flow_result flow_of(Executor const& exec, csr_view<T> a, analytics_options const& o) {
    std::int64_t const sink = o.sink < 0 ? a.rows() - std::int64_t(1) : o.sink;
    require_vertex(graph_view(a), sink, "the sink");
    return max_flow(exec, a, o.source, static_cast<vertex_id>(sink));
}
struct max_flow_entry {
    static constexpr auto row = graph_algorithm_row{"max-flow",
                                                    "Maximum flow from a source to a sink; values are capacities",
                                                    "the flow of every edge that has some, a matrix",
                                                    false,
                                                    true,
                                                    true,
                                                    "source sink"}
                                    .combining(duplicates::sum);
    static constexpr graph_memory memory{72, 104};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = flow_of(exec, a, o);
        auto const all = edges_of_matrix(exec, graph_view(a), to_vector(exec, r.flows), false);
        answer_edges edges;
        edges.directed = true;
        for (std::size_t k = 0; k < all.from.size(); ++k) {
            if (!(all.weights[k] > 0)) continue;
            edges.from.push_back(all.from[k]);
            edges.to.push_back(all.to[k]);
            edges.weights.push_back(all.weights[k]);
        }
        auto const count = double(edges.from.size());
        return {std::move(edges), {{"flow", r.value}, {"edges", count}, {"rounds", double(r.rounds)}}};
    }
};
struct mincut_entry {
    static constexpr auto row = graph_algorithm_row{"min-cut",
                                                    "Minimum cut between a source and a sink; values are capacities",
                                                    "1 for every vertex on the side of the source, else 0",
                                                    false,
                                                    true,
                                                    true,
                                                    "source sink"}
                                    .combining(duplicates::sum);
    static constexpr graph_memory memory{72, 104};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = flow_of(exec, a, o);
        auto found = values_of(exec, r.with_source);
        auto const size = double(std::count(found.begin(), found.end(), 1.0));
        return {std::move(found), {{"cut", r.value}, {"source_side", size}, {"rounds", double(r.rounds)}}};
    }
};

struct random_walks_entry {
    static constexpr auto row =
        graph_algorithm_row{"random-walks",
                            "A random walk from every vertex, of first order or by node2vec",
                            "the vertices of the walk of every vertex; \"none\" after a vertex without edges",
                            false,
                            true,
                            false,
                            "length return-bias outward-bias seed weighted"}
            .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{64, 8};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        random_walk_options const options{o.length, o.return_bias, o.outward_bias, o.weighted, std::uint64_t(o.seed)};
        std::vector<vertex_id> starts(std::size_t(a.rows()));
        for (std::size_t v = 0; v < starts.size(); ++v) starts[v] = static_cast<vertex_id>(v);
        auto const from = exec.copy(starts);
        auto walks = vertices_of(exec, random_walks(exec, a, from.view(), options));
        double const ended = double(std::count(walks.begin(), walks.end(), -1));
        graph_answer answer{std::move(walks), {{"walks", double(a.rows())}, {"steps_without_edge", ended}}};
        answer.columns = o.length + std::int64_t(1);
        return answer;
    }
};

} // namespace coppice::inline v0_1::analytics
