// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Dense definitions of preconditioners made of several factors.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/dense.hpp"
#include <coppice/core/executor.hpp>

namespace coppice::test {

inline std::vector<double> times(dense const& a, std::vector<double> const& x) {
    std::vector<double> y(x.size());
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < a.n; ++j) y[std::size_t(i)] += a(i, j) * x[std::size_t(j)];
    return y;
}
/// Eq. 40
inline std::vector<double> diagp_1(dense const& a) {
    std::vector<double> d(static_cast<std::size_t>(a.n));
    for (int i = 0; i < a.n; ++i) {
        double sum = 0;
        for (int j = 0; j < a.n; ++j) sum += i != j ? std::abs(a(i, j)) : 0;
        d[std::size_t(i)] = std::max(std::abs(a(i, i)), sum) * (a(i, i) < 0 ? -1 : 1);
    }
    return d;
}
/// T M_{m-1} ... M_0 of Eqs. 57 to 62 with T = diagp_1(A), where the off-diagonal entries of factor l are those of
/// factors[l].
inline dense direct_product(dense const& a, std::vector<dense> const& factors) {
    int const n = a.n, m = int(factors.size());
    auto const t = diagp_1(a);
    auto const shared_diagonal = [&](int i) { return 1 + (a(i, i) / t[std::size_t(i)] - 1) / m; };
    dense whole(n);
    for (int i = 0; i < n; ++i) whole(i, i) = t[std::size_t(i)];
    for (int l = m - 1; l >= 0; --l) {
        dense factor(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double const entry = factors[std::size_t(l)](i, j);
                factor(i, j) = i == j       ? shared_diagonal(i)
                               : entry == 0 ? 0
                                            : entry / t[std::size_t(i)] / std::pow(shared_diagonal(i), m - 1 - l) /
                                                  std::pow(shared_diagonal(j), l);
            }
        whole = product(whole, factor);
    }
    return whole;
}
inline double distance(std::vector<double> const& x, std::vector<double> const& y) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference = std::max(difference, std::abs(x[i] - y[i]));
        size = std::max(size, std::abs(y[i]));
    }
    return size > 0 ? difference / size : difference;
}
inline std::vector<double> minus(std::vector<double> a, std::vector<double> const& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}
inline bool all_finite(std::vector<double> const& x) {
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}
/// F A for a diagonal F.
inline dense scaled(std::vector<double> const& f, dense a) {
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < a.n; ++j) a(i, j) *= f[std::size_t(i)];
    return a;
}

} // namespace coppice::test
