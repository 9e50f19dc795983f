// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The values of a small sparse product, an entry for each lane: the row of A is walked through, and the column is
/// searched for in each row of B that it meets. That is more work than to merge the rows of B, but no lane waits for
/// another one, and nothing but loads, of which some are on their way at a time: where a product has fewer rows than a
/// device has room for warps, time is what one row takes.
#pragma once

#include <cmath>

#include <coppice/core/parallel.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>

namespace coppice::detail {

/// The last position p in [0, count) with sorted[p] <= key; sorted[0] <= key.
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

/// Entry p of the product, in the order of the row of A, as every other way of making it.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
struct sum_entry {
    static constexpr int at_once = 4;
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
        for (O k = a.row_begin(row), last = a.row_end(row); k < last; k += O(at_once)) {
            O at[at_once], left[at_once]; // where the column may stand
            COPPICE_UNROLL
            for (int q = 0; q < at_once; ++q) {
                bool const met = k + O(q) < last;
                I const inner = met ? a.indices[k + O(q)] : I(0);
                at[q] = met ? b.row_begin(inner) : O(0);
                left[q] = met ? b.row_end(inner) - at[q] : O(0);
            }
            for (bool searched = true; searched;) {
                searched = false;
                COPPICE_UNROLL
                for (int q = 0; q < at_once; ++q) {
                    if (left[q] <= 1) continue;
                    O const half = left[q] / 2;
                    if (b.indices[at[q] + half] <= column) at[q] += half;
                    left[q] -= half;
                    searched = searched || left[q] > 1;
                }
            }
            COPPICE_UNROLL
            for (int q = 0; q < at_once; ++q)
                if (left[q] > 0 && b.indices[at[q]] == column) {
                    I const inner = a.indices[k + O(q)];
                    sum = accumulate(s.add, sum,
                                     multiply_at(s, a.coefficients[k + O(q)], b.coefficients[at[q]],
                                                 meeting{row, inner, inner, column}));
                }
        }
        values[p] = static_cast<Z>(s.result(sum));
    }
};

/// Whether a product is small enough: by the mean of the rows, and so that a single long row does no harm.
template <class A, class B, class I, class O>
bool takes_entries(product_plan<I, O> const& plan, csr_view<A, I, O> a, csr_view<B, I, O> b) {
    constexpr double most_rows = 1 << 13, most_steps = 1 << 27, most_at_worst = 1 << 30;
    double const rows = double(plan.product_rows()), entries = double(plan.nonzeros());
    if (rows == 0 || rows > most_rows || b.rows() == 0) return false;
    double const a_row = double(a.nonzeros()) / double(a.rows()), b_row = double(b.nonzeros()) / double(b.rows());
    return entries * double(a.columns()) <= most_at_worst && entries * a_row * (2 + std::log2(1 + b_row)) <= most_steps;
}

} // namespace coppice::detail
