// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registrations of the centralities.
#pragma once

#include <coppice/graph/catalogue/widened_weights.hpp>
#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/centrality/weighted_paths.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1::analytics {

/// Result of a centrality that sums over sources.
inline graph_answer answer_of_sources(std::int64_t sources, graph_answer::values scores) {
    double const largest = largest_of(scores);
    return {std::move(scores), {{"sources", double(sources)}, {"largest", largest}}};
}
/// Betweenness by the options; `in` are the incoming edges.
template <executor Executor, class T>
betweenness_result betweenness_of(Executor const& exec, csr_view<T> a, incoming_edges<T> const& in,
                                  analytics_options const& o, bool edges) {
    betweenness_options const options{
        .from = {.samples = o.samples}, .unordered_pairs = in.is_symmetric_graph, .edges = edges};
    return o.weighted ? weighted_betweenness(exec, a, options) : betweenness(exec, graph_view(a), in, options);
}
struct betweenness_entry {
    static constexpr auto row = graph_algorithm_row{"betweenness",
                                                    "Betweenness, exact or of sampled sources; pairs of an undirected "
                                                    "graph count once",
                                                    "the betweenness of every vertex",
                                                    false,
                                                    false,
                                                    false,
                                                    "samples weighted"}
                                    .combining_weights(duplicates::min);
    static constexpr graph_memory memory{148, 0, true, 76, 8};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = betweenness_of(exec, a, incoming_edges<T>(exec, a, o), o, false);
        return answer_of_sources(r.sources, values_of(exec, r.scores));
    }
};
struct edge_betweenness_entry {
    static constexpr auto row = graph_algorithm_row{"edge-betweenness",
                                                    "Betweenness of edges, exact or of sampled sources; pairs of an "
                                                    "undirected graph count once",
                                                    "the betweenness of every edge, a matrix",
                                                    false,
                                                    true,
                                                    false,
                                                    "samples weighted"}
                                    .combining_weights(duplicates::min);
    static constexpr graph_memory memory{148, 8, true, 76, 8};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r = betweenness_of(exec, a, in, o, true);
        auto edges = edges_of_matrix(exec, graph_view(a), to_vector(exec, r.edge_scores), in.is_symmetric_graph);
        double const largest = largest_of(edges.weights);
        return {std::move(edges), {{"sources", double(r.sources)}, {"largest", largest}}};
    }
};
struct closeness_entry {
    static constexpr auto row = graph_algorithm_row{"closeness",
                                                    "Closeness by incoming edges, exact or of sampled sources",
                                                    "the closeness of every vertex",
                                                    false,
                                                    false,
                                                    false,
                                                    "samples weighted"}
                                    .combining(duplicates::first)
                                    .combining_weights(duplicates::min);
    static constexpr graph_memory memory{116, 0, false, 12, 8};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = o.weighted ? weighted_closeness(exec, a, {.samples = o.samples})
                                  : closeness(exec, graph_view(a), {.samples = o.samples});
        return answer_of_sources(r.sources, values_of(exec, r.scores));
    }
};

/// Result of an iterative centrality.
template <class Result>
graph_answer answer_of_iteration(char const* name, Result const& r, graph_answer::values scores) {
    double const largest = largest_of(scores);
    graph_answer answer{
        std::move(scores),
        {{"iterations", r.iterations}, {"residual", r.residual}, {"converged", r.converged}, {"largest", largest}}};
    if (!r.converged)
        answer.failure = std::string(name) + " did not converge in " + std::to_string(r.iterations) + " iterations";
    return answer;
}
/// Weights of the incoming and outgoing edges as doubles, if they are read.
template <class T>
struct double_weights {
    buffer<double> outgoing, incoming;
    directed_weights<double> view;
    template <executor Executor>
    double_weights(Executor const& exec, csr_view<T> a, csr_view<T> in, analytics_options const& o) {
        if (!o.weighted) return;
        if constexpr (std::is_same_v<T, double>) {
            view = {a.values(), in.values()};
        } else {
            outgoing = widened(exec, a.values());
            incoming = widened(exec, in.values());
            view = {std::as_const(outgoing).view(), std::as_const(incoming).view()};
        }
    }
};
struct katz_entry {
    static constexpr auto row =
        graph_algorithm_row{"katz", "Katz centrality by incoming edges",      "the score of every vertex", false, false,
                            false,  "alpha tolerance max-iterations weighted"}
            .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{24, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        double_weights<T> const weights(exec, a, in.edges, o);
        auto const r = katz_centrality(exec, graph_view(a), in,
                                       {.alpha = o.alpha, .tolerance = o.tolerance, .max_iterations = o.max_iterations},
                                       weights.view.incoming);
        return answer_of_iteration("katz", r, values_of(exec, r.scores));
    }
};
struct eigenvector_entry {
    static constexpr auto row = graph_algorithm_row{"eigenvector",
                                                    "Eigenvector centrality by incoming edges",
                                                    "the score of every vertex; their squares sum to 1",
                                                    false,
                                                    false,
                                                    false,
                                                    "tolerance max-iterations weighted"}
                                    .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{24, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        double_weights<T> const weights(exec, a, in.edges, o);
        auto const r = eigenvector_centrality(exec, in, {o.tolerance, o.max_iterations}, weights.view.incoming);
        return answer_of_iteration("eigenvector", r, values_of(exec, r.scores));
    }
};
struct hits_entry {
    static constexpr auto row = graph_algorithm_row{"hits",
                                                    "Hubs and authorities",
                                                    "the authority of every vertex; their sum is 1",
                                                    false,
                                                    false,
                                                    false,
                                                    "tolerance max-iterations weighted"}
                                    .combining_weights(duplicates::sum);
    static constexpr graph_memory memory{32, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        double_weights<T> const weights(exec, a, in.edges, o);
        auto const r = hubs_and_authorities(exec, graph_view(a), in, {o.tolerance, o.max_iterations}, weights.view);
        return answer_of_iteration("hits", r, values_of(exec, r.authorities));
    }
};

} // namespace coppice::inline v0_1::analytics
