// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems distributed over ranks: offsets of the ranks, and the error of a solution by definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/tridiagonal_reference.hpp"

namespace coppice::test {

/// Returns the first row of each of `ranks` ranks of nearly equal size, and n.
inline std::vector<std::int64_t> equal_rank_offsets(std::int64_t n, int ranks) {
    std::vector<std::int64_t> first_rows;
    for (int p = 0; p <= ranks; ++p) first_rows.push_back(n * p / ranks);
    return first_rows;
}

/// max |A x - d| / (|A| |x| + |d|) in long double, from the definition.
template <class T>
double true_error(test::system<T> const& s, std::vector<T> const& x) {
    long double r = 0, a = 0, largest = 0, d = 0;
    auto const n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        long double const low = i > 0 ? s.lower[i] : T(0), up = i + 1 < n ? s.upper[i] : T(0), mid = s.diagonal[i];
        long double const sum = mid * x[i] + (i > 0 ? low * x[i - 1] : 0) + (i + 1 < n ? up * x[i + 1] : 0);
        if (std::isnan(double(sum))) return double(sum);
        r = std::max(r, std::abs(sum - s.rhs[i]));
        a = std::max(a, std::abs(low) + std::abs(mid) + std::abs(up));
        largest = std::max<long double>(largest, std::abs(x[i]));
        d = std::max<long double>(d, std::abs(s.rhs[i]));
    }
    return r == 0 ? 0 : double(r / (a * largest + d));
}

} // namespace coppice::test
