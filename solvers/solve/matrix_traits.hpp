// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What of a matrix decides which solver suits it.
#pragma once

#include <cmath>

#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/spmv/inspect_nonzeros.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice {

struct matrix_traits {
    bool complex = false;          ///< of complex numbers
    bool symmetric = true;         ///< in pattern and values; complex: Hermitian
    bool positive_diagonal = true; ///< every diagonal entry is stored and above zero; complex: and real
    bool finite = true;            ///< every value
    double row_length = 0;         ///< mean over the nonzeros of the lengths of their rows: hubs count as they cost
    /// Real: mean over the rows that have any of the share that the two largest of the magnitudes beside the diagonal
    /// have in all: more than a linear forest can hold of them, 1 in a tridiagonal matrix.
    double strongest_pair = 0;

    /// What a look can tell of it: a positive definite matrix has both.
    bool maybe_positive_definite() const { return symmetric && positive_diagonal; }
};

namespace detail {

template <class T, class I, class O>
struct squared_length {
    csr_view<T, I, O> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        double const length = double(a.row_end(i) - a.row_begin(i));
        return length * length;
    }
};

/// The share of the two largest beside the diagonal, and 1 for the row that has any.
struct pair_share {
    double share = 0, rows = 0;
    COPPICE_HD pair_share operator()(pair_share const& a, pair_share const& b) const {
        return {a.share + b.share, a.rows + b.rows};
    }
};
template <class T, class I, class O>
struct pair_share_of_row {
    csr_view<T, I, O> a;
    COPPICE_HD pair_share operator()(std::int64_t i) const {
        double first = 0, second = 0, sum = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            if (std::int64_t(a.indices[k]) == i) continue;
            double const size = std::abs(double(a.coefficients[k]));
            sum += size;
            second = size > first ? first : size > second ? size : second;
            first = size > first ? size : first;
        }
        return sum > 0 ? pair_share{(first + second) / sum, 1} : pair_share{};
    }
};

template <executor Executor, class T, class I, class O>
matrix_traits traits_of_real(Executor const& exec, csr_view<T, I, O> a) {
    using flags = nonzero_flags;
    flags const found = look_at_nonzeros(exec, a);
    matrix_traits traits;
    traits.finite = !found.any(flags::not_finite);
    traits.positive_diagonal = !found.any(flags::diagonal);
    traits.symmetric = found.symmetric_pattern() && !found.any(flags::unequal);
    double const squares = reduce(exec, a.rows(), 0.0, squared_length<T, I, O>{a}, plus{});
    traits.row_length = a.nonzeros() > 0 ? squares / double(a.nonzeros()) : 0;
    if (found.any(flags::unsorted)) traits.symmetric = is_symmetric(exec, a);
    auto const pairs = reduce(exec, a.rows(), pair_share{}, pair_share_of_row<T, I, O>{a}, pair_share{});
    traits.strongest_pair = pairs.rows > 0 ? pairs.share / pairs.rows : 0;
    return traits;
}

/// Flags of a row of complex numbers, its columns sorted.
template <class E, class I, class O>
struct look_at_complex_row {
    static constexpr int not_finite = 1, unequal = 2, no_positive_diagonal = 4;
    csr_view<E, I, O> a;
    COPPICE_HD int operator()(std::int64_t i) const {
        int found = no_positive_diagonal;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            E const value = a.coefficients[k];
            I const j = a.indices[k];
            if (!(value.re - value.re == 0) || !(value.im - value.im == 0)) found |= not_finite;
            if (std::int64_t(j) == i && value.re > 0 && value.im == 0) found &= ~no_positive_diagonal;
            O const mirror = position_in_row(a, j, I(i));
            if (mirror < 0 || a.coefficients[mirror].re != value.re || a.coefficients[mirror].im != -value.im)
                found |= unequal;
        }
        return found;
    }
};
struct join_bits {
    COPPICE_HD int operator()(int a, int b) const { return a | b; }
};

template <executor Executor, class E, class I, class O>
matrix_traits traits_of_complex(Executor const& exec, csr_view<E, I, O> a) {
    using look = look_at_complex_row<E, I, O>;
    int const found = reduce(exec, a.rows(), 0, look{a}, join_bits{});
    matrix_traits traits;
    traits.complex = true;
    traits.finite = (found & look::not_finite) == 0;
    traits.symmetric = (found & look::unequal) == 0;
    traits.positive_diagonal = (found & look::no_positive_diagonal) == 0;
    return traits;
}

} // namespace detail

/// One pass over a square matrix, with a binary search for each entry of its upper triangle. Columns in any order
/// (unsorted ones cost a transposition; complex matrices must be sorted to be seen as Hermitian). Waits.
template <executor Executor, class T, class I, class O>
matrix_traits traits_of(Executor const& exec, csr_view<T, I, O> a) {
    require_square(a, "traits_of");
    if (!a.offsets) return {.complex = is_complex_number<T>};
    if constexpr (is_complex_number<T>) {
        auto traits = detail::traits_of_complex(exec, detail::as_elements(a));
        double const squared = reduce(exec, a.rows(), 0.0, detail::squared_length<T, I, O>{a}, plus{});
        traits.row_length = a.nonzeros() > 0 ? squared / double(a.nonzeros()) : 0;
        return traits;
    } else {
        return detail::traits_of_real(exec, a);
    }
}

} // namespace coppice
