// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Values of a small sparse product with one lane per entry: the lane iterates over the row of A and searches the
/// column in each selected row of B. This is more work than merging the rows of B, but lanes do not wait for each
/// other, and several loads are in flight. It is used if the product has fewer rows than the device can run warps, so
/// that the time is that of a single row.
#pragma once

#include <cmath>

#include <coppice/core/parallel.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>

namespace coppice::inline v0_1::detail {

/// Returns the last position p in [0, count) with sorted[p] <= key; requires sorted[0] <= key.
template <class T>
COPPICE_HD std::int64_t position_below(T const* sorted, std::int64_t count, std::int64_t key) {
    std::int64_t first = 0;
    while (count > 1) {
        std::int64_t const half = count / 2;
        if (std::int64_t(sorted[first + half]) <= key) first += half;
        count -= half;
    }
    return first;
}

/// Computes entry p of the product, in the order of the row of A, like all other methods.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
struct sum_entry {
    static constexpr int searches = 4;
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Semiring s;
    std::int64_t rows, first;
    O const* offsets;
    I const* indices;
    Z* values;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t p) const {
        std::int64_t const row = first + position_below(offsets, rows + 1, p);
        I const column = indices[p];
        Sum sum = s.add.identity();
        for (O k = a.row_begin(row), last = a.row_end(row); k < last; k += O(searches)) {
            O at[searches], left[searches]; // candidate positions of the column and lengths of the remaining intervals
            COPPICE_UNROLL
            for (int q = 0; q < searches; ++q) {
                bool const met = k + O(q) < last;
                I const inner = met ? a.indices[k + O(q)] : I(0);
                at[q] = met ? b.row_begin(inner) : O(0);
                left[q] = met ? b.row_end(inner) - at[q] : O(0);
            }
            for (bool searched = true; searched;) {
                searched = false;
                COPPICE_UNROLL
                for (int q = 0; q < searches; ++q) {
                    if (left[q] <= 1) continue;
                    O const half = left[q] / 2;
                    if (b.indices[at[q] + half] <= column) at[q] += half;
                    left[q] -= half;
                    searched = searched || left[q] > 1;
                }
            }
            COPPICE_UNROLL
            for (int q = 0; q < searches; ++q)
                if (left[q] > 0 && b.indices[at[q]] == column) {
                    I const inner = a.indices[k + O(q)];
                    sum = accumulate(s.add, sum,
                                     multiply_at(s, a.coefficients[k + O(q)], b.coefficients[at[q]],
                                                 element_positions{row, inner, inner, column}));
                }
        }
        values[p] = static_cast<Z>(result_of_sum(s, sum));
    }
};

/// Whether a product is small enough for this method: limits the work for mean rows and for a single long row.
template <class A, class B, class I, class O>
bool suits_entry_kernel(product_plan<I, O> const& plan, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    constexpr double max_rows = 1 << 13, max_steps = 1 << 27, max_worst_steps = 1 << 30;
    double const rows = double(plan.product_rows()), entries = double(plan.nonzeros());
    if (rows == 0 || rows > max_rows || b.rows() == 0) return false;
    double const a_row = double(a.nonzeros()) / double(a.rows()), b_row = double(b.nonzeros()) / double(b.rows());
    return entries * double(a.columns()) <= max_worst_steps &&
           entries * a_row * (2 + std::log2(1 + b_row)) <= max_steps;
}

} // namespace coppice::inline v0_1::detail
