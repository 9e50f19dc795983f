// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Properties of a matrix that determine the choice of a factorisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

/// Properties of the matrix that determine the choice of a factorisation.
struct matrix_properties {
    bool symmetric = true;         ///< A = A^H up to rounding
    bool symmetric_pattern = true; ///< of stored elements
    bool positive_diagonal = true; ///< all diagonal elements are stored and positive
    bool weak_diagonal = false;    ///< some diagonal element is small or missing
    bool may_be_definite() const { return symmetric && positive_diagonal; }
};

inline double conjugate(double v) { return v; }
inline std::complex<double> conjugate(std::complex<double> v) { return std::conj(v); }

/// One pass over a matrix with sorted rows. Throws matrix_error for a value that is not finite.
template <class S>
matrix_properties properties_of(csr_view<S> a) {
    constexpr double weak = 0.01; // of the largest elements of its row and its column
    auto const n = std::size_t(a.rows());
    matrix_properties found;
    std::vector<double> of_row(n, 0.0), of_column(n, 0.0), of_diagonal(n, 0.0);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            auto const j = std::size_t(a.indices[k]);
            S const value = a.coefficients[k];
            if (!is_finite(value))
                throw matrix_error("row " + std::to_string(i) + ", column " + std::to_string(j) +
                                   " of the matrix (from 0) is not finite");
            double const size = std::abs(value);
            of_row[std::size_t(i)] = std::max(of_row[std::size_t(i)], size);
            of_column[j] = std::max(of_column[j], size);
            if (std::int32_t(j) == i) of_diagonal[j] = std::real(value) > 0 && std::imag(value) == 0 ? size : -size;
        }
    // Rows are visited in order, so the mirror images of row i are the next unread elements of their rows.
    std::vector<std::int32_t> next(a.offsets, a.offsets + a.rows());
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        double const diagonal = of_diagonal[std::size_t(i)];
        found.positive_diagonal = found.positive_diagonal && diagonal > 0;
        double const smaller = std::min(of_row[std::size_t(i)], of_column[std::size_t(i)]);
        found.weak_diagonal = found.weak_diagonal || !(std::abs(diagonal) > weak * smaller);
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int32_t const j = a.indices[k];
            auto const mirror = next[std::size_t(j)]++;
            bool const stored = mirror < a.row_end(j) && a.indices[mirror] == i;
            found.symmetric_pattern = found.symmetric_pattern && stored;
            found.symmetric = found.symmetric && stored &&
                              std::abs(a.coefficients[mirror] - conjugate(a.coefficients[k])) <=
                                  symmetry_tolerance<double> * std::min(of_row[std::size_t(i)], of_row[std::size_t(j)]);
        }
    }
    return found;
}

} // namespace coppice::inline v0_1::detail
