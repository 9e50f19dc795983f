// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registrations of the centralities.
#pragma once

#include <coppice/graph/centrality/betweenness.hpp>
#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/centrality/spectral.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1::analytics {

/// Result of a centrality that sums over sources.
inline graph_answer answer_of_sources(std::int64_t sources, graph_answer::values scores) {
    double const largest = largest_of(scores);
    return {std::move(scores), {{"sources", double(sources)}, {"largest", largest}}};
}
struct betweenness_entry {
    static constexpr graph_algorithm_row row{"betweenness",
                                             "Betweenness, exact or of sampled sources; pairs of an undirected graph "
                                             "count once",
                                             "the betweenness of every vertex",
                                             false,
                                             false,
                                             false,
                                             "samples"};
    static constexpr graph_memory memory{148, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r =
            betweenness(exec, graph_view(a), in, {.from = {.samples = o.samples}, .unordered_pairs = o.undirected});
        return answer_of_sources(r.sources, values_of(exec, r.scores));
    }
};
struct closeness_entry {
    static constexpr auto row = graph_algorithm_row{"closeness",
                                                    "Closeness by incoming edges, exact or of sampled sources",
                                                    "the closeness of every vertex",
                                                    false,
                                                    false,
                                                    false,
                                                    "samples"}
                                    .combining(duplicates::first);
    static constexpr graph_memory memory{68, 0};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        auto const r = closeness(exec, graph_view(a), {.samples = o.samples});
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
struct katz_entry {
    static constexpr graph_algorithm_row row{
        "katz", "Katz centrality by incoming edges", "the score of every vertex", false, false,
        false,  "alpha tolerance max-iterations"};
    static constexpr graph_memory memory{24, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r = katz_centrality(
            exec, graph_view(a), in, {.alpha = o.alpha, .tolerance = o.tolerance, .max_iterations = o.max_iterations});
        return answer_of_iteration("katz", r, values_of(exec, r.scores));
    }
};
struct eigenvector_entry {
    static constexpr graph_algorithm_row row{"eigenvector",
                                             "Eigenvector centrality by incoming edges",
                                             "the score of every vertex; their squares sum to 1",
                                             false,
                                             false,
                                             false,
                                             "tolerance max-iterations"};
    static constexpr graph_memory memory{24, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r = eigenvector_centrality(exec, in, {o.tolerance, o.max_iterations});
        return answer_of_iteration("eigenvector", r, values_of(exec, r.scores));
    }
};
struct hits_entry {
    static constexpr graph_algorithm_row row{
        "hits", "Hubs and authorities",    "the authority of every vertex; their sum is 1", false, false,
        false,  "tolerance max-iterations"};
    static constexpr graph_memory memory{32, 0, true};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        incoming_edges<T> const in(exec, a, o);
        auto const r = hubs_and_authorities(exec, graph_view(a), in, {o.tolerance, o.max_iterations});
        return answer_of_iteration("hits", r, values_of(exec, r.authorities));
    }
};

} // namespace coppice::inline v0_1::analytics
