// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Contraction of a graph: aggregates become vertices; the edges between them are added by a semiring.
#pragma once

#include <coppice/graph/forest/aggregates.hpp>
#include <coppice/graph/forest/contract_host.hpp>
#include <coppice/semiring/matrix_operations/mxm.hpp>

namespace coppice::inline v0_1 {
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

} // namespace graph_detail

/// Returns P[vertices, count] with p_va = `one` if vertex v belongs to aggregate a. A vertex of no aggregate has an
/// empty row. Waits.
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

namespace graph_detail {

/// P^T A P by two products.
template <executor Executor, semiring Semiring, class T, class I, class O>
csr<T, I, O> contract_by_products(Executor const& exec, Semiring const& s, csr_view<T, I, O> a,
                                  vertex_aggregates<I> const& aggregates, T one) {
    auto const p = membership_matrix<T>(exec, aggregates, one);
    auto const r = transpose(exec, p.view());
    auto const between = detail::product_of_sorted(exec, s, a, p.view());
    return detail::product_of_sorted(exec, s, r.view(), between.view());
}

/// Contracts a matrix with sorted rows, given aggregates of the same size.
template <semiring Semiring, class T, class I, class O>
csr<T, I, O> contract_sound(cuda_executor const& exec, Semiring const& s, csr_view<T, I, O> a,
                            vertex_aggregates<I> const& aggregates, T one) {
    return contract_by_products(exec, s, a, aggregates, one);
}
template <semiring Semiring, class T, class I, class O>
csr<T, I, O> contract_sound(host_executor const& exec, Semiring const& s, csr_view<T, I, O> a,
                            vertex_aggregates<I> const& aggregates, T one) {
    auto const members = membership_matrix<std::uint8_t>(exec, aggregates);
    auto const r = transpose(exec, members.view());
    std::int64_t const largest = reduce(exec, std::int64_t(aggregates.count), std::int64_t(0),
                                        aggregate_size<I>{r.row_offsets().data()}, maximum{});
    if (largest > max_contracted) return contract_by_products(exec, s, a, aggregates, one);
    return contract_rows(exec, s, a, aggregates.of.data(), r.view(), one);
}

} // namespace graph_detail

/// Returns C[count, count] = P^T A P over a semiring: c_ab = ⊕ a_ij over i in aggregate a and j in b, in the order of
/// i, then j; a loop if a = b. With plus and times the weights between aggregates are added; with min and plus the
/// lightest one is taken. `one` must leave a weight unchanged (1 for times, 0 for plus).
///
/// A[vertices, vertices] has sorted rows without duplicates (matrix_error). Throws dimension_error if the aggregates
/// are of another graph. Waits for sizes.
template <executor Executor, semiring Semiring, class T, class I>
csr<T, I> contract(Executor const& exec, Semiring const& s, csr_view<T, I> a, vertex_aggregates<I> const& aggregates,
                   std::type_identity_t<T> one) {
    require_square(a, "contract");
    require_size("vertices of the aggregates", aggregates.vertices, a.rows());
    detail::require_sorted_columns(exec, a, "matrix to contract");
    return graph_detail::contract_sound(exec, s, a, aggregates, one);
}
/// contract() over plus and times: weights between aggregates are added.
template <executor Executor, class T, class I>
csr<T, I> contract(Executor const& exec, csr_view<T, I> a, vertex_aggregates<I> const& aggregates) {
    return contract(exec, plus_times<T>{}, a, aggregates, T(1));
}

} // namespace coppice::inline v0_1
