// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reordering of nonzeros on CUDA: transpose and sorting of rows, both by the stable radix sort of core/parallel.hpp.
#pragma once

#include <utility>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

template <class O>
struct count_upwards {
    O* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = O(k); }
};

/// Row and value of the nonzero that moves to position k. The row is found by binary search, so long rows cause no
/// imbalance.
template <class T, class I, class O>
struct gather_transposed {
    csr_view<T, I, O> a;
    O const* source;
    I* rows;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        O const from = source[k];
        std::int64_t first = 0, last = a.rows(); // the last row with row_begin(row) <= from is in [first, last)
        while (last - first > 1) {
            std::int64_t const middle = (first + last) / 2;
            (a.row_begin(middle) <= from ? first : last) = middle;
        }
        rows[k] = I(first);
        values[k] = a.coefficients[from];
    }
};

/// offsets[c] = number of sorted keys less than c.
template <class I, class O>
struct offsets_of_sorted {
    I const* keys;
    std::int64_t count;
    O* offsets;
    COPPICE_HD void operator()(std::int64_t c) const {
        std::int64_t first = 0, last = count;
        while (first < last) {
            std::int64_t const middle = (first + last) / 2;
            if (std::int64_t(keys[middle]) < c)
                first = middle + 1;
            else
                last = middle;
        }
        offsets[c] = O(first);
    }
};

/// Transpose: the stable sort by column keeps the rows of a column in increasing order.
template <class T, class I, class O>
csr<T, I, O> transpose_nonzeros(cuda_executor const& exec, csr_view<T, I, O> a) {
    std::int64_t const nonzeros = a.nonzeros();
    buffer<I> keys = copy_of(exec, a.column_indices());
    buffer<O> source(exec, nonzeros);
    for_each(exec, nonzeros, count_upwards<O>{source.data()});
    sort_keys_below(exec, keys, source, a.columns());

    buffer<O> offsets(exec, std::int64_t(a.columns()) + 1);
    for_each(exec, offsets.size(), offsets_of_sorted<I, O>{keys.data(), nonzeros, offsets.data()});
    buffer<T> values(exec, nonzeros);
    // The keys are no longer needed: the rows take their memory.
    for_each(exec, nonzeros, gather_transposed<T, I, O>{a, source.data(), keys.data(), values.data()});
    return {a.columns(), a.rows(), std::move(offsets), std::move(keys), std::move(values)};
}

/// Sorts the columns of each row, with equal ones in their old order, by transposing twice.
template <class T, class I, class O>
csr<T, I, O> sort_rows(cuda_executor const& exec, I rows, I columns, buffer<O> offsets, buffer<I> indices,
                       buffer<T> values) {
    csr<T, I, O> const unsorted(rows, columns, std::move(offsets), std::move(indices), std::move(values));
    auto const transposed = transpose_nonzeros(exec, unsorted.view());
    return transpose_nonzeros(exec, transposed.view());
}

} // namespace coppice::inline v0_1::detail
