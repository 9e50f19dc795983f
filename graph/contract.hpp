// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Contraction of a graph: aggregates become vertices, edges between them are folded by a semiring.
#pragma once

#include <coppice/graph/aggregates.hpp>
#include <coppice/semiring/products/mxm.hpp>

namespace coppice {
namespace graph_detail {

template <class I>
struct has_aggregate {
    I const* of;
    COPPICE_HD I operator()(std::int64_t v) const { return of[v] >= 0 ? I(1) : I(0); }
};
template <class T, class I>
struct store_member {
    I const* of;
    T one;
    I *offsets, *indices;
    T* values;
    COPPICE_HD void operator()(std::int64_t v, I position) const {
        offsets[v] = position;
        if (of[v] < 0) return;
        indices[position] = of[v];
        values[position] = one;
    }
};

/// A product of matrices whose columns are known to rise.
template <executor Executor, semiring Semiring, class T, class I>
csr<T, I> sound_product(Executor const& exec, Semiring const& s, csr_view<T, I> a, csr_view<T, I> b) {
    return mxm(exec, detail::plan_rising(exec, a, b, detail::all_rows(a)), s, a, b);
}

} // namespace graph_detail

/// P[vertices, count]: p_va = `one` where vertex v belongs to aggregate a. A vertex of none has an empty row. Waits.
template <class T, executor Executor, class I>
csr<T, I> membership_matrix(Executor const& exec, vertex_aggregates<I> const& a, std::type_identity_t<T> one = T(1)) {
    std::int64_t const n = a.vertices;
    graph_detail::has_aggregate<I> const counts{a.of.data()};
    I const members = reduce(exec, n, I(0), counts, plus{});
    buffer<I> offsets(exec, n + 1), indices(exec, members);
    buffer<T> values(exec, members);
    exclusive_scan(exec, n, counts,
                   graph_detail::store_member<T, I>{a.of.data(), one, offsets.data(), indices.data(), values.data()},
                   I(0));
    fill(exec, offsets.view().slice(n, 1), members);
    return {a.vertices, a.count, std::move(offsets), std::move(indices), std::move(values)};
}

/// C[count, count] = P^T A P over a semiring: c_ab = ⊕ a_ij over i of aggregate a and j of b, a loop where a = b, in
/// the order of j within that of i. With plus and times the weights between aggregates are added, with min and plus the
/// lightest one is kept, given `one` that leaves a weight as it is (1 for times, 0 for plus).
///
/// A[vertices, vertices] with columns rising in every row (matrix_error); dimension_error where the aggregates are of
/// another graph. Waits for sizes.
template <executor Executor, semiring Semiring, class T, class I>
csr<T, I> contract(Executor const& exec, Semiring const& s, csr_view<T, I> a, vertex_aggregates<I> const& aggregates,
                   std::type_identity_t<T> one) {
    require_square(a, "contract");
    require_size("vertices of the aggregates", aggregates.vertices, a.rows());
    detail::require_rising(exec, a, "matrix to contract");
    auto const p = membership_matrix<T>(exec, aggregates, one);
    auto const r = transpose(exec, p.view());
    auto const between = graph_detail::sound_product(exec, s, a, p.view());
    return graph_detail::sound_product(exec, s, r.view(), between.view());
}
/// The same with weights added.
template <executor Executor, class T, class I>
csr<T, I> contract(Executor const& exec, csr_view<T, I> a, vertex_aggregates<I> const& aggregates) {
    return contract(exec, plus_times<T>{}, a, aggregates, T(1));
}

} // namespace coppice
