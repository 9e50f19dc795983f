// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Properties of a square matrix from one inspection of each nonzero: symmetry, order of columns, diagonal.
#pragma once

#include <coppice/algebra/rows/row_access.hpp>

namespace coppice::inline v0_1::detail {

/// Flags in one word, so that they combine quickly. The higher bits count the entries right of the diagonal minus those
/// left of it. If every entry on the right has a mirror image and both counts are equal, then every entry on the left
/// has a mirror image.
struct nonzero_flags {
    static constexpr std::int64_t not_finite = 1;
    static constexpr std::int64_t unsorted = 2;  ///< or a column occurs twice
    static constexpr std::int64_t one_sided = 4; ///< an entry has no mirror image
    static constexpr std::int64_t uneven = 8;    ///< a mirror image has another magnitude
    static constexpr std::int64_t unequal = 16;  ///< a mirror image has another value
    static constexpr std::int64_t diagonal =
        32; ///< of a nonzero: it is a positive diagonal entry; of a row: it has none
    static constexpr std::int64_t balance = 64;

    std::int64_t word;
    /// Whether any of `flags` is set.
    bool any(std::int64_t flags) const { return (word & flags) != 0; }
    /// Whether every entry has a mirror image.
    bool symmetric_pattern() const { return !any(one_sided) && (word & ~(balance - 1)) == 0; }
};
struct merge_flags {
    COPPICE_HD std::int64_t identity() const { return 0; }
    COPPICE_HD std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        constexpr std::int64_t flags = nonzero_flags::balance - 1;
        return ((a | b) & flags) + (a & ~flags) + (b & ~flags);
    }
};

/// Returns the flags of nonzero k. Mirror images are searched for entries right of the diagonal; rows are sorted.
template <class T, class I, class O>
struct inspect_nonzero {
    csr_view<T, I, O> a;
    COPPICE_HD std::int64_t operator()(std::int64_t k, std::int64_t row) const {
        using f = nonzero_flags;
        I const column = a.indices[k];
        T const value = a.coefficients[k];
        std::int64_t found = is_finite(value) ? 0 : f::not_finite;
        if (k > std::int64_t(a.row_begin(row)) && a.indices[k - 1] >= column) found |= f::unsorted;
        if (std::int64_t(column) < row) return found - f::balance;
        if (std::int64_t(column) == row) return value > T(0) ? found | f::diagonal : found;
        O const mirror = position_in_row(a, column, row);
        if (mirror < 0) return (found | f::one_sided) + f::balance;
        if (a.coefficients[mirror] != value) found |= f::unequal;
        if (magnitude(a.coefficients[mirror]) != magnitude(value)) found |= f::uneven;
        return found + f::balance;
    }
};
/// Stores the flags of a row. Inverts the flag of a positive diagonal entry, so that it is set if the row has none and
/// flags of rows can be combined by bitwise or.
struct store_flags {
    std::int64_t* rows;
    COPPICE_HD void operator()(std::int64_t row, std::int64_t found) const {
        rows[row] = found ^ nonzero_flags::diagonal;
    }
};
struct flags_of_row {
    std::int64_t const* rows;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const { return rows[row]; }
};

} // namespace coppice::inline v0_1::detail
