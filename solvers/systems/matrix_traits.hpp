// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What of a matrix decides which solver suits it.
#pragma once

#include <coppice/graph/edge_weights.hpp>

namespace coppice {

struct matrix_traits {
    bool symmetric = true;         ///< in pattern and values
    bool positive_diagonal = true; ///< every diagonal entry is stored and above zero
    bool finite = true;            ///< every value
    double row_length = 0;         ///< mean over the nonzeros of the lengths of their rows: hubs count as they cost

    /// What a look can tell of it: a positive definite matrix has both.
    bool maybe_positive_definite() const { return symmetric && positive_diagonal; }
};

namespace detail {

/// As graph_detail::nonzero_flags.
struct trait_flags {
    static constexpr std::int64_t unsymmetric = 1, unsorted = 2, diagonal = 4, not_finite = 8;
    static constexpr std::int64_t balance = graph_detail::nonzero_flags::balance;
};

/// An entry right of the diagonal looks for its mirror image; as many on the left make the pattern symmetric.
template <class T, class I, class O>
struct traits_of_nonzero {
    csr_view<T, I, O> a;
    COPPICE_HD std::int64_t operator()(std::int64_t k, std::int64_t row) const {
        using f = trait_flags;
        I const column = a.indices[k];
        T const value = a.coefficients[k];
        std::int64_t found = is_finite(value) ? 0 : f::not_finite;
        if (k > std::int64_t(a.row_begin(row)) && a.indices[k - 1] >= column) found |= f::unsorted;
        if (std::int64_t(column) < row) return found - f::balance;
        if (std::int64_t(column) == row) return value > T(0) ? found | f::diagonal : found;
        O const mirror = position_in_row(a, column, row);
        if (mirror < 0 || a.coefficients[mirror] != value) found |= f::unsymmetric;
        return found + f::balance;
    }
};
/// Turns the flag of a positive diagonal entry into that of a row without one.
struct store_traits {
    std::int64_t* rows;
    COPPICE_HD void operator()(std::int64_t row, std::int64_t found) const {
        rows[row] = found ^ trait_flags::diagonal;
    }
};

template <class T, class I, class O>
struct squared_length {
    csr_view<T, I, O> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        double const length = double(a.row_end(i) - a.row_begin(i));
        return length * length;
    }
};

} // namespace detail

/// One pass over a square matrix, with a binary search for each entry of its upper triangle. Columns in any order
/// (unsorted ones cost a transposition). Waits.
template <executor Executor, class T, class I, class O>
matrix_traits traits_of(Executor const& exec, csr_view<T, I, O> a) {
    using f = detail::trait_flags;
    require_square(a, "traits_of");
    if (!a.offsets) return {};
    buffer<std::int64_t> rows(exec, a.rows());
    reduce_rows(exec, make_srcsr_plan(exec, a), detail::traits_of_nonzero<T, I, O>{a}, graph_detail::join_flags{},
                detail::store_traits{rows.data()});
    std::int64_t const found =
        reduce(exec, a.rows(), std::int64_t(0), graph_detail::flags_of_row{rows.data()}, graph_detail::join_flags{});
    matrix_traits traits;
    traits.finite = (found & f::not_finite) == 0;
    traits.positive_diagonal = (found & f::diagonal) == 0;
    traits.symmetric = (found & f::unsymmetric) == 0 && found / f::balance == 0;
    double const squares = reduce(exec, a.rows(), 0.0, detail::squared_length<T, I, O>{a}, plus{});
    traits.row_length = a.nonzeros() > 0 ? squares / double(a.nonzeros()) : 0;
    if (found & f::unsorted) traits.symmetric = is_symmetric(exec, a);
    return traits;
}

} // namespace coppice
