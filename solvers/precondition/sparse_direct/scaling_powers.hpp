// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Scaling of rows and columns by powers of two.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::inline v0_1::detail {

inline int exponent_of(double magnitude) {
    return magnitude > 0 && std::isfinite(magnitude) ? std::ilogb(magnitude) + 1 : 0;
}
inline double magnitude_of(double v) { return std::abs(v); }
inline double magnitude_of(std::complex<double> v) { return std::max(std::abs(v.real()), std::abs(v.imag())); }
inline double scaled(double v, int power) { return std::ldexp(v, power); }
inline std::complex<double> scaled(std::complex<double> v, int power) {
    return {std::ldexp(v.real(), power), std::ldexp(v.imag(), power)};
}

/// A matrix is multiplied by 2^-power of its rows and columns.
struct scaling_powers {
    std::vector<int> row, column;

    /// Row powers from the matrix, then column powers from the scaled rows; equal ones for a symmetric matrix.
    template <class S>
    scaling_powers(csr_view<S> a, bool symmetric) : row(std::size_t(a.rows()), 0), column(row) {
        std::vector<double> largest(row.size(), 0.0);
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                largest[std::size_t(i)] = std::max(largest[std::size_t(i)], magnitude_of(a.coefficients[k]));
        if (symmetric) {
            for (std::size_t i = 0; i < row.size(); ++i)
                row[i] = column[i] = int(std::floor(exponent_of(largest[i]) / 2.0));
            return;
        }
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = exponent_of(largest[i]);
        std::fill(largest.begin(), largest.end(), 0.0);
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
                double& of = largest[std::size_t(a.indices[k])];
                of = std::max(of, std::ldexp(magnitude_of(a.coefficients[k]), -row[std::size_t(i)]));
            }
        for (std::size_t j = 0; j < column.size(); ++j) column[j] = exponent_of(largest[j]);
    }
    scaling_powers() = default;

    template <class S>
    S apply(S value, std::int32_t i, std::int32_t j) const {
        return scaled(value, -row[std::size_t(i)] - column[std::size_t(j)]);
    }
};

} // namespace coppice::inline v0_1::detail
