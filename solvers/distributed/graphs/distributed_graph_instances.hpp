// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of graph_parts.hpp. Included by the sources that instantiate them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/factor/factor.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/graphs/rank_graph.hpp>

namespace coppice {
namespace distributed {

/// A row of a part with its entries in columns of other parts, which stand behind its own ones; in the order of the
/// whole matrix where it is sorted.
template <class T>
struct join_columns {
    csr_view<T> own;
    csr_view<T> others;        ///< by place among the outer vertices
    std::int32_t rows, before; ///< the first `before` of the outer vertices are of parts before this one
    std::int32_t* offsets;
    std::int32_t* columns;
    T* values;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t at = own.offsets[i] + others.offsets[i];
        offsets[i] = at;
        if (i == rows) return;
        take_others(i, true, at);
        for (std::int32_t k = own.offsets[i]; k < own.offsets[i + 1]; ++k, ++at) {
            columns[at] = own.indices[k];
            values[at] = own.coefficients[k];
        }
        take_others(i, false, at);
    }

private:
    COPPICE_HD void take_others(std::int64_t i, bool of_before, std::int32_t& at) const {
        for (std::int32_t k = others.offsets[i]; k < others.offsets[i + 1]; ++k) {
            if ((others.indices[k] < before) != of_before) continue;
            columns[at] = rows + others.indices[k];
            values[at++] = others.coefficients[k];
        }
    }
};

/// Neighbours by name.
struct name_neighbor {
    std::int32_t* neighbors;
    part_names names;
    COPPICE_HD void operator()(std::int64_t k) const {
        if (neighbors[k] >= 0) neighbors[k] = names(neighbors[k]);
    }
};

} // namespace distributed

template <executor Executor, class T>
struct graph_part<Executor, T>::state {
    distributed::column_places places;
    distributed::part_of_graph<Executor> place;
    csr<T> weights; ///< columns: own vertices, then outer ones

    state(Executor const& exec, part_messages const& others, csr_part<Executor, T> const& a)
        : places(a.couplings().columns), place(exec, others, a.begins(), places.distinct), weights(joined(exec, a)) {}

private:
    csr<T> joined(Executor const& exec, csr_part<Executor, T> const& a) const {
        auto const& entries = a.couplings();
        auto const& own = a.own_block();
        auto const rows = own.rows();
        std::vector<std::int32_t> begin(std::size_t(rows) + 1, 0), at;
        for (std::size_t k = 0; k < entries.rows.size(); ++k)
            begin[std::size_t(entries.rows[k]) + 1] = entries.offsets[k + 1] - entries.offsets[k];
        for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
        for (std::int32_t const column : entries.columns) at.push_back(places(column));
        auto const outer = std::int32_t(places.distinct.size());
        csr<T> const couplings(rows, outer, exec.copy(begin), exec.copy(at), exec.copy(entries.values));
        buffer<std::int32_t> offsets(exec, std::int64_t(rows) + 1),
            columns(exec, own.nonzeros() + couplings.nonzeros());
        buffer<T> values(exec, columns.size());
        distributed::part_names const names = place.names();
        auto const before = std::int32_t(std::lower_bound(places.distinct.begin(), places.distinct.end(), names.first) -
                                         places.distinct.begin());
        for_each(exec, offsets.size(),
                 distributed::join_columns<T>{own.view(), couplings.view(), rows, before, offsets.data(),
                                              columns.data(), values.data()});
        return {rows, rows + outer, std::move(offsets), std::move(columns), std::move(values)};
    }
};

template <executor Executor, class T>
graph_part<Executor, T>::graph_part(Executor const& exec, part_messages const& others,
                                    csr_part<Executor, T> const& weights)
    : state_(std::make_unique<state>(exec, others, weights)) {}
template <executor Executor, class T>
graph_part<Executor, T>::graph_part(graph_part&&) noexcept = default;
template <executor Executor, class T>
graph_part<Executor, T>& graph_part<Executor, T>::operator=(graph_part&&) noexcept = default;
template <executor Executor, class T>
graph_part<Executor, T>::~graph_part() = default;

template <executor Executor, class T>
std::int64_t graph_part<Executor, T>::size() const {
    return state_->weights.rows();
}
template <executor Executor, class T>
std::int64_t graph_part<Executor, T>::first() const {
    return state_->place.names().first;
}
template <executor Executor, class T>
std::int64_t graph_part<Executor, T>::outer() const {
    return state_->place.outer();
}

template <executor Executor, class T>
graph_factor<std::int32_t> parallel_factor(Executor const&, graph_part<Executor, T> const& weights,
                                           factor_options const& options) {
    graph_detail::check_factor_options(options);
    auto const& part = weights.parts();
    auto f = graph_detail::factor_at(part.place, part.weights.view(), options);
    for_each(part.place.exec(), f.neighbors.size(), distributed::name_neighbor{f.neighbors.data(), part.place.names()});
    return f;
}

template <executor Executor, class T>
linear_forest<std::int32_t> extract_forest(Executor const&, graph_part<Executor, T> const& weights,
                                           graph_factor<std::int32_t> const& f) {
    auto const& part = weights.parts();
    graph_detail::require_factor(part.place, part.weights.view(), f);
    return graph_detail::forest_at(part.place, part.weights.view(), f);
}

} // namespace coppice
