// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Singular values from LAPACK, and the prescribed ones of matrices made by randsvd.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>
#include <lapacke.h>

#include <coppice/algebra/tridiagonal.hpp>

namespace coppice::test {

/// Singular values, descending, of an n x n matrix given by its entries.
template <class Entry>
std::vector<double> singular_values(std::int64_t n, Entry const& entry) {
    std::vector<double> full(std::size_t(n * n)), sigma(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) full[std::size_t(i + j * n)] = entry(i, j);
    double unused = 0;
    auto const size = int(n);
    REQUIRE(LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', size, size, full.data(), size, sigma.data(), &unused, 1, &unused,
                           1) == 0);
    return sigma;
}

inline double entry_of(tridiagonal<double> const& a, std::int64_t i, std::int64_t j) {
    return j == i - 1 ? a.lower[i] : j == i ? a.diagonal[i] : j == i + 1 ? a.upper[i] : 0;
}

/// Singular value i of n of matrices 8 to 11 of Tables 4 and 6, with norm 1 and condition 1e15: one small, geometric,
/// one large, arithmetic.
inline double randsvd_singular_value(int id, std::int64_t i, std::int64_t n) {
    double const t = double(i) / double(n - 1);
    return id == 8    ? (i < n - 1 ? 1 : 1e-15)
           : id == 9  ? std::pow(1e15, -t)
           : id == 10 ? (i == 0 ? 1 : 1e-15)
                      : 1 - t * (1 - 1e-15);
}

} // namespace coppice::test
