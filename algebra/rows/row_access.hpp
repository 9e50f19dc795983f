// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Lane code for one row of a CSR matrix, used by the operations of this folder.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/complex_pair.hpp>

namespace coppice::inline v0_1::detail {

/// value| for built-in types and ordered user types; NaN stays NaN.
template <class T>
COPPICE_HD T magnitude(T value) {
    return value < T(0) ? -value : value;
}

/// value| without overflow.
template <class R>
COPPICE_HD R magnitude(complex_pair<R> value) {
    return std::hypot(value.re, value.im);
}

/// False for NaN and both infinities.
template <class T>
COPPICE_HD bool is_finite(T value) {
    return value - value == T(0);
}

/// Whether the columns of `row` are strictly increasing (sorted without duplicates).
template <class T, class I, class O>
COPPICE_HD bool row_is_sorted(csr_view<T, I, O> const& a, std::int64_t row) {
    for (O k = a.row_begin(row) + 1; k < a.row_end(row); ++k)
        if (a.indices[k] <= a.indices[k - 1]) return false;
    return true;
}

/// Returns the sum of the values of `row` in `column`; 0 if there are none. Columns may be unsorted.
template <class T, class I, class O>
COPPICE_HD T sum_in_row(csr_view<T, I, O> const& a, std::int64_t row, std::int64_t column) {
    T sum{};
    for (O k = a.row_begin(row); k < a.row_end(row); ++k)
        if (std::int64_t(a.indices[k]) == column) sum = sum + a.coefficients[k];
    return sum;
}

/// Returns the first position in [first, last) that is not `below`; `last` if there is none. The positions are
/// partitioned by `below`.
template <class Below>
COPPICE_HD std::int64_t first_not_below(std::int64_t first, std::int64_t last, Below const& below) {
    while (first < last) {
        std::int64_t const middle = first + (last - first) / 2;
        if (below(middle))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// Returns the first position in [first, last) of a sorted list whose key is not less than `key`.
template <class T, class Key>
COPPICE_HD std::int64_t lower_position(T const* sorted, std::int64_t first, std::int64_t last, Key key) {
    return first_not_below(first, last, [&](std::int64_t at) { return static_cast<Key>(sorted[at]) < key; });
}

/// Returns the position of `column` in the sorted `columns` at [low, end); -1 if it is missing.
template <class I, class O>
COPPICE_HD O position_between(I const* columns, O low, O end, std::int64_t column) {
    O length = end - low;
    if (length == 0) return O(-1);
    while (length > 1) { // branch-free, since the branch would be unpredictable
        O const half = length / 2;
        low = std::int64_t(columns[low + half]) <= column ? low + half : low;
        length -= half;
    }
    return std::int64_t(columns[low]) == column ? low : O(-1);
}

/// Returns the index of the nonzero (row, column); -1 if there is none. The columns of the row are sorted.
template <class T, class I, class O>
COPPICE_HD O position_in_row(csr_view<T, I, O> const& a, std::int64_t row, std::int64_t column) {
    return position_between(a.indices, a.row_begin(row), a.row_end(row), column);
}

/// Converts a flag to a number, for sums that count.
struct flag_at {
    std::uint8_t const* flags;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return flags[i]; }
};

/// Operators for reductions of flags and positions.
struct both {
    COPPICE_HD bool operator()(bool a, bool b) const { return a && b; }
};
struct smaller {
    COPPICE_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a < b ? a : b; }
};

} // namespace coppice::inline v0_1::detail
