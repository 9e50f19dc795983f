// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Incomplete LU factors with fill, computed in host memory.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1 {

/// Whether rows are permuted so that the product of the diagonal is largest.
enum class ilut_matching { automatic, yes, no };
/// Order of the rows and columns.
enum class ilut_order {
    automatic, ///< degree, if the build has Eigen
    given,
    degree ///< minimum degree of A + A^T
};

struct ilut_options {
    double drop = 1e-3; ///< elements below this fraction of the norm of their row of A are dropped; 0: none
    double fill = 10;   ///< most nonzeros of a row of L, and of U: this many times those of the row of A
    int level = -1;     ///< only elements of at most this level of fill; -1: any level
    double pivot = 0.1; ///< columns are interchanged if the diagonal is below this fraction of its row of U; 0: never
    ilut_matching matching = ilut_matching::automatic;
    ilut_order order = ilut_order::automatic;
};

namespace detail {

/// A strict triangle of a factor, by rows.
template <class S>
struct ilut_triangle {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<S> values{};
};

/// P R A C Q = L U approximately. L has a unit diagonal; R and C are diagonal.
template <class S>
struct ilut_factors {
    ilut_triangle<S> lower, upper;
    std::vector<S> inverse_pivots;
    std::vector<std::int32_t> row_of, column_of; ///< of A, at each position
    std::vector<double> row_scale, column_scale; ///< of the rows and columns of A; powers of two
    bool matched = false;
    double shift = 0;                 ///< fraction of the norm of each row that was added to the diagonal
    std::int64_t replaced_pivots = 0; ///< pivots that were zero, or nearly
    std::int64_t interchanges = 0;    ///< of columns
};

/// Row by row (Saad, Iterative Methods for Sparse Linear Systems, algorithm 10.6 with threshold and number of elements,
/// or algorithm 10.5 with levels), with interchanges of columns as ILUTP. Rows and columns are scaled by powers of two
/// before; with a matching by its scaling. If the factors amplify a trial vector beyond the working precision, the
/// diagonal is shifted by increasing fractions of the row norms. Sequential, in host memory; `a` has sorted rows
/// without duplicates and finite values. Checks interruption::current().
///
/// Throws matrix_error for a structurally singular matrix if rows are matched by request, if no usable factors are
/// found, and if factors exceed 32-bit offsets.
template <class S>
ilut_factors<S> make_ilut_factors(csr_view<S> a, ilut_options const& options);

extern template ilut_factors<double> make_ilut_factors(csr_view<double>, ilut_options const&);
extern template ilut_factors<std::complex<double>> make_ilut_factors(csr_view<std::complex<double>>,
                                                                     ilut_options const&);

} // namespace detail
} // namespace coppice::inline v0_1
