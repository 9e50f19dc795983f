// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registrations of communities, trusses and similarities.
#pragma once

#include <coppice/graph/communities/label_propagation.hpp>
#include <coppice/graph/communities/leiden.hpp>
#include <coppice/graph/communities/louvain.hpp>
#include <coppice/graph/communities/truss.hpp>
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::inline v0_1::analytics {

struct similarity_entry {
    static constexpr graph_algorithm_row row{"similarity", "Jaccard similarity of the ends of every edge",
                                             "the similarities, a symmetric matrix", true, true};
    static constexpr graph_memory memory{0, 8};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        graph_view const g(a);
        auto const values = to_vector(exec, edge_similarity(exec, g));
        auto const offsets = to_vector(exec, a.row_offsets());
        auto const neighbors = to_vector(exec, a.column_indices());
        answer_edges edges;
        double sum = 0;
        for (vertex_id u = 0; u < g.vertices; ++u)
            for (auto k = std::size_t(offsets[std::size_t(u)]); k < std::size_t(offsets[std::size_t(u) + 1]); ++k) {
                if (neighbors[k] <= u) continue;
                edges.from.push_back(u);
                edges.to.push_back(neighbors[k]);
                edges.weights.push_back(values[k]);
                sum += values[k];
            }
        double const count = double(edges.from.size());
        return {std::move(edges), {{"edges", count}, {"mean", count > 0 ? sum / count : 0.0}}};
    }
};
struct truss_entry {
    static constexpr graph_algorithm_row row{"truss", "Truss numbers: largest k of a k-truss that contains the edge",
                                             "the numbers, a symmetric matrix", true, true};
    static constexpr graph_memory memory{8, 24};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = truss_numbers(exec, graph_view(a));
        return {answer_edges{to_vector(exec, r.from), to_vector(exec, r.to), values_of(exec, r.numbers)},
                {{"edges", double(r.from.size())}, {"largest", r.largest}}};
    }
};
/// Result of a method that maximises modularity.
template <executor Executor>
graph_answer answer_of_communities(Executor const& exec, louvain_result const& r) {
    auto labels = vertices_of(exec, r.labels);
    auto facts = facts_of_labels("communities", labels);
    facts.emplace_back("modularity", r.modularity);
    facts.emplace_back("levels", r.levels);
    return {std::move(labels), std::move(facts)};
}
struct communities_entry {
    static constexpr auto row = graph_algorithm_row{"communities",
                                                    "Communities of large modularity (Louvain); values are weights",
                                                    "the community of every vertex, as its smallest vertex",
                                                    true,
                                                    true,
                                                    true,
                                                    "resolution"}
                                    .combining(duplicates::sum);
    static constexpr graph_memory memory{56, 32};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        return answer_of_communities(exec, louvain(exec, a, {.resolution = o.resolution}));
    }
};
struct leiden_entry {
    static constexpr auto row =
        graph_algorithm_row{"leiden",
                            "Connected communities of large modularity (Leiden); values are weights",
                            "the community of every vertex, as its smallest vertex",
                            true,
                            true,
                            true,
                            "resolution"}
            .combining(duplicates::sum);
    static constexpr graph_memory memory{88, 32};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const& o) {
        return answer_of_communities(exec, leiden(exec, a, {.louvain = {.resolution = o.resolution}}));
    }
};
struct label_propagation_entry {
    static constexpr graph_algorithm_row row{"label-propagation", "Communities by propagation of labels",
                                             "the community of every vertex, as its smallest vertex", true};
    static constexpr graph_memory memory{40, 24};
    template <executor Executor, class T>
    static graph_answer run(Executor const& exec, csr_view<T> a, analytics_options const&) {
        auto const r = label_propagation(exec, graph_view(a));
        auto labels = vertices_of(exec, r.labels);
        auto facts = facts_of_labels("communities", labels);
        facts.emplace_back("sweeps", r.sweeps);
        facts.emplace_back("converged", r.converged);
        return {std::move(labels), std::move(facts)};
    }
};

} // namespace coppice::inline v0_1::analytics
