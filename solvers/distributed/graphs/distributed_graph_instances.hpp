// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_graph.hpp. Included by the source files that instantiate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/factor/factor.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph_state.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Replaces local neighbour indices by global ones.
struct make_neighbor_global {
    std::int32_t* neighbors;
    rank_ids ids;
    COPPICE_HD void operator()(std::int64_t k) const {
        if (neighbors[k] >= 0) neighbors[k] = ids(neighbors[k]);
    }
};

/// Local indices of the neighbours on the paths, outer vertices included.
struct make_local_or_outer {
    std::int32_t const* links;
    rank_ids ids;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = links[k] < 0 ? -1 : ids.local_or_outer(links[k]); }
};

} // namespace distributed

template <executor Executor, class T>
distributed_graph<Executor, T>::distributed_graph(Executor const& exec, rank_communicator const& comm,
                                                  distributed_csr<Executor, T> const& weights)
    : distributed_graph(exec, comm, weights.begins(), weights.own_block().view(), weights.couplings()) {}
template <executor Executor, class T>
distributed_graph<Executor, T>::distributed_graph(
    Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins, csr_view<T> own,
    typename distributed_csr<Executor, T>::entries_of_others const& couplings)
    : state_(std::make_unique<state>(exec, comm, begins, own, couplings)) {}
template <executor Executor, class T>
distributed_graph<Executor, T>::distributed_graph(distributed_graph&&) noexcept = default;
template <executor Executor, class T>
distributed_graph<Executor, T>& distributed_graph<Executor, T>::operator=(distributed_graph&&) noexcept = default;
template <executor Executor, class T>
distributed_graph<Executor, T>::~distributed_graph() = default;

template <executor Executor, class T>
std::int64_t distributed_graph<Executor, T>::size() const {
    return state_->weights.rows();
}
template <executor Executor, class T>
std::int64_t distributed_graph<Executor, T>::first() const {
    return state_->graph.ids().first;
}
template <executor Executor, class T>
std::int64_t distributed_graph<Executor, T>::outer() const {
    return state_->graph.outer();
}

namespace distributed {

/// parallel_factor() of the graph of a rank with other weights, with global neighbour indices.
template <executor Executor, class T>
graph_factor<std::int32_t> global_factor(rank_graph<Executor> const& graph, csr_view<T> weights,
                                         factor_options const& options) {
    auto f = graph_detail::factor_at(graph, weights, options);
    for_each(graph.exec(), f.neighbors.size(), make_neighbor_global{f.neighbors.data(), graph.ids()});
    return f;
}

/// The weights C_l of the edges of a rank: those between ranks are on both, with the same values.
template <executor Executor, class T>
class adjusted_rank_weights {
public:
    adjusted_rank_weights(rank_graph<Executor> const& graph, csr_view<T> weights)
        : graph_(graph), adjusted_(graph.exec(), weights) {}

    linear_forest<std::int32_t> find(factor_options const& options, double& total) const {
        auto const edges = global_factor(graph_, adjusted_.now(), options);
        total = edges.total_weight;
        return graph_detail::forest_at(graph_, adjusted_.now(), edges);
    }
    graph_detail::held_weight take(linear_forest<std::int32_t> const& forest, double omega) {
        buffer<std::int32_t> local(graph_.exec(), forest.links.size());
        for_each(graph_.exec(), local.size(), make_local_or_outer{forest.links.data(), graph_.ids(), local.data()});
        return graph_.all_reduce(adjusted_.take(local, omega), graph_detail::add_held_weight{});
    }

private:
    rank_graph<Executor> const& graph_;
    graph_detail::adjusted_weights<Executor, T, std::int32_t, std::int32_t> adjusted_;
};

} // namespace distributed

template <executor Executor, class T>
graph_factor<std::int32_t> parallel_factor(Executor const&, distributed_graph<Executor, T> const& weights,
                                           factor_options const& options) {
    graph_detail::check_factor_options(options);
    auto const& rank = weights.ranks();
    return distributed::global_factor(rank.graph, rank.weights.view(), options);
}

template <executor Executor, class T>
linear_forest<std::int32_t> extract_forest(Executor const&, distributed_graph<Executor, T> const& weights,
                                           graph_factor<std::int32_t> const& f) {
    auto const& rank = weights.ranks();
    graph_detail::require_factor(rank.graph, rank.weights.view(), f);
    return graph_detail::forest_at(rank.graph, rank.weights.view(), f);
}

template <executor Executor, class T>
forest_decomposition<std::int32_t> decompose_into_forests(Executor const&,
                                                          distributed_graph<Executor, T> const& weights,
                                                          decomposition_options const& options) {
    graph_detail::check_decomposition_options(options);
    auto const& rank = weights.ranks();
    distributed::adjusted_rank_weights<Executor, T> adjusted(rank.graph, rank.weights.view());
    return graph_detail::decompose<std::int32_t>(adjusted, options);
}

} // namespace coppice::inline v0_1
