// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products on the host in which every product a_ik b_kj is a separate entry: a factor is a diagonal matrix,
/// a permutation of rows, or selects rows or columns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>

namespace coppice::inline v0_1::detail {

/// Whether no row has more than one entry and, if `ascending`, the columns of the entries ascend from row to row.
template <class T, class I, class O>
bool has_single_entries(host_executor const& exec, csr_view<T, I, O> a, bool ascending) {
    if (std::int64_t(a.nonzeros()) > a.rows()) return false;
    std::atomic<bool> good{true};
    for_each_block(exec, a.rows(), host_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        if (!good.load(std::memory_order_relaxed)) return;
        bool single = true;
        for (std::int64_t i = first; i < last; ++i) single = single & (a.row_end(i) <= a.row_begin(i) + O(1));
        O const end = a.row_end(last - 1);
        if (ascending)
            for (O k = std::max(a.row_begin(first), O(1)); k < end; ++k)
                single = single & (a.indices[k - 1] < a.indices[k]);
        if (!single) good.store(false, std::memory_order_relaxed);
    });
    return good.load(std::memory_order_relaxed);
}

/// Computes row i at the beginning of `columns` and `values`.
template <class A, class B, class I, class O, class Semiring, class Z>
void write_products(csr_view<A, I, O> a, csr_view<B, I, O> b, Semiring const& s, std::int64_t i,
                    I* COPPICE_RESTRICT columns, Z* COPPICE_RESTRICT values) {
    for (O k = a.row_begin(i), last = a.row_end(i); k < last; ++k) {
        I const inner = a.indices[k];
        A const left = a.coefficients[k];
        for (O q = b.row_begin(inner), end = b.row_end(inner); q < end; ++q) {
            element_positions const at{i, inner, inner, b.indices[q]};
            *columns++ = b.indices[q];
            *values++ = static_cast<Z>(
                result_of_sum(s, accumulate(s.add, s.add.identity(), multiply_at(s, left, b.coefficients[q], at))));
        }
    }
}

/// Returns A B if every row of A has at most one entry, or if every row of B has and their columns ascend. Then no sums
/// have to be kept, and the number of products is the number of entries. Bitwise equal to the general product.
template <class Z, class A, class B, class I, class O, class Semiring>
std::optional<csr<Z, I, O>> product_of_single_entries(host_executor const& exec, csr_view<A, I, O> a,
                                                      csr_view<B, I, O> b, Semiring const& s) {
    if (!has_single_entries(exec, a, false) && !has_single_entries(exec, b, true)) return std::nullopt;
    buffer<O> offsets(exec, std::int64_t(a.rows()) + 1);
    auto const starts = product_pieces(exec, row_products<A, B, I, O>{a, b}, row_range{0, a.rows()}, 0, offsets.data());
    O const entries = product_size<O>(starts.products);
    exclusive_scan(exec, a.rows(), stored_degree<O>{offsets.data()}, store_offset<O>{offsets.data()}, std::int64_t{0});
    offsets[a.rows()] = entries;
    buffer<I> indices(exec, entries);
    buffer<Z> values(exec, entries);
    auto const pieces = static_cast<std::int64_t>(starts.rows.size()) - 1;
    for_each_block(exec, pieces, 1, [&](std::int64_t p, std::int64_t, std::int64_t) {
        auto const piece = static_cast<std::size_t>(p);
        for (std::int64_t i = starts.rows[piece]; i < starts.rows[piece + 1]; ++i)
            write_products(a, b, s, i, indices.data() + offsets[i], values.data() + offsets[i]);
    });
    return csr<Z, I, O>(a.rows(), b.columns(), std::move(offsets), std::move(indices), std::move(values));
}

} // namespace coppice::inline v0_1::detail
