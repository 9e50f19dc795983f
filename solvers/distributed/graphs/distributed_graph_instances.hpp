// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Definitions of distributed_graph.hpp. Included by the source files that instantiate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/factor/factor.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/graphs/rank_graph.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Merges a row of the own block with its entries in columns of other ranks; the outer vertices are numbered after the
/// own ones. The order of the entries is that of the global matrix if its rows are sorted.
template <class T>
struct merge_columns {
    csr_view<T> own;
    csr_view<T> others;        ///< columns are positions among the outer vertices
    std::int32_t rows, before; ///< the first `before` outer vertices belong to lower ranks
    std::int32_t* offsets;
    std::int32_t* columns;
    T* values;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t at = own.offsets[i] + others.offsets[i];
        offsets[i] = at;
        if (i == rows) return;
        copy_others(i, true, at);
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k, ++at) {
            columns[at] = own.indices[k];
            values[at] = own.coefficients[k];
        }
        copy_others(i, false, at);
    }

private:
    COPPICE_HD void copy_others(std::int64_t i, bool of_before, std::int32_t& at) const {
        for (std::int32_t k = others.offsets[i]; k < others.offsets[i + 1]; ++k) {
            if ((others.indices[k] < before) != of_before) continue;
            columns[at] = rows + others.indices[k];
            values[at++] = others.coefficients[k];
        }
    }
};

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
struct distributed_graph<Executor, T>::state {
    distributed::compact_columns outer_columns;
    distributed::rank_graph<Executor> graph;
    csr<T> weights; ///< columns: own vertices, then outer vertices

    using couplings_type = typename distributed_csr<Executor, T>::entries_of_others;

    state(Executor const& exec, rank_communicator const& comm, std::vector<std::int64_t> const& begins, csr_view<T> own,
          couplings_type const& couplings)
        : outer_columns(distributed::set_up_executor(exec), array_view<std::int32_t const>(couplings.columns)),
          graph(exec, comm, begins, outer_columns.distinct), weights(merged_weights(exec, own, couplings)) {}

private:
    csr<T> merged_weights(Executor const& exec, csr_view<T> own, couplings_type const& entries) const {
        auto const rows = own.rows();
        std::vector<std::int32_t> begin(std::size_t(rows) + 1, 0), at;
        for (std::size_t k = 0; k < entries.rows.size(); ++k)
            begin[std::size_t(entries.rows[k]) + 1] = entries.offsets[k + 1] - entries.offsets[k];
        for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        for (std::int32_t const column : entries.columns) at.push_back(outer_columns(column));
        auto const outer = std::int32_t(outer_columns.distinct.size());
        csr<T> const couplings(rows, outer, exec.copy(begin), exec.copy(at), exec.copy(entries.values));
        buffer<std::int32_t> offsets(exec, std::int64_t(rows) + 1),
            columns(exec, own.nonzeros() + couplings.nonzeros());
        buffer<T> values(exec, columns.size());
        distributed::rank_ids const ids = graph.ids();
        auto const before =
            std::int32_t(std::lower_bound(outer_columns.distinct.begin(), outer_columns.distinct.end(), ids.first) -
                         outer_columns.distinct.begin());
        for_each(exec, offsets.size(),
                 distributed::merge_columns<T>{own, couplings.view(), rows, before, offsets.data(), columns.data(),
                                               values.data()});
        return {rows, rows + outer, std::move(offsets), std::move(columns), std::move(values)};
    }
};

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
