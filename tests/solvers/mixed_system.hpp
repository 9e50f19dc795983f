// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems for which RPTS divides by zero, and their solution without a report.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <coppice/banded.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::test {

/// Rows (lower, diagonal, upper) of different scales, repeated. Condition numbers are 1e4 to 1e6; the matrix is
/// singular if n mod 7 is 1 or 4.
inline constexpr double mixed_rows[7][3] = {{0, 0, -1},           {-1000, -1, 1000},   {-1, 1, -1},
                                            {-1000, 1000, -1000}, {-1000, 1000, 1000}, {-1, 1, 1},
                                            {1000, 0.001, 1000}};

template <class T>
struct mixed_system {
    std::vector<T> lower, diagonal, upper, d;

    explicit mixed_system(std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
            double const* const row = mixed_rows[i % 7];
            lower.push_back(i == 0 ? std::numeric_limits<T>::quiet_NaN() : T(row[0]));
            diagonal.push_back(T(row[1]));
            upper.push_back(i == n - 1 ? std::numeric_limits<T>::quiet_NaN() : T(row[2]));
            d.push_back(T(1 + 0.25 * std::sin(double(i))));
        }
    }
    std::int64_t size() const { return std::int64_t(d.size()); }
    void append(mixed_system const& other) {
        lower.insert(lower.end(), other.lower.begin(), other.lower.end());
        diagonal.insert(diagonal.end(), other.diagonal.begin(), other.diagonal.end());
        upper.insert(upper.end(), other.upper.begin(), other.upper.end());
        d.insert(d.end(), other.d.begin(), other.d.end());
    }
};
/// A system that needs no pivoting.
template <class T>
mixed_system<T> easy_system(std::int64_t n) {
    mixed_system<T> s(n);
    for (std::int64_t i = 0; i < n; ++i) {
        s.lower[std::size_t(i)] = i == 0 ? s.lower[0] : T(-1);
        s.upper[std::size_t(i)] = i == n - 1 ? s.upper[std::size_t(i)] : T(-1);
        s.diagonal[std::size_t(i)] = T(4);
    }
    return s;
}

/// max |A x - d| / (|A| |x| + |d|) of a system whose rows have the given stride in x and d.
template <class T>
double error_of(mixed_system<T> const& s, T const* x, T const* d, std::int64_t stride = 1) {
    long double worst = 0, matrix = 0, solution = 0, rhs = 0;
    std::int64_t const n = s.size();
    for (std::int64_t i = 0; i < n; ++i) {
        auto const at = std::size_t(i);
        long double r = (long double)(s.diagonal[at]) * x[i * stride] - d[i], sum = std::abs(s.diagonal[at]);
        if (i > 0) r += (long double)(s.lower[at]) * x[(i - 1) * stride], sum += std::abs(s.lower[at]);
        if (i + 1 < n) r += (long double)(s.upper[at]) * x[(i + 1) * stride], sum += std::abs(s.upper[at]);
        if (!std::isfinite(double(x[i * stride]))) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, std::abs(r));
        matrix = std::max(matrix, sum);
        solution = std::max(solution, (long double)(std::abs(x[i * stride])));
        rhs = std::max(rhs, (long double)(std::abs(d[i])));
    }
    return double(worst / (matrix * solution + rhs));
}

/// Solves the matrix or batch that `describe` makes of the bands on `exec`, without a report, in place or not.
template <class T, class Executor, class Describe>
std::vector<T> solve_quietly(Executor const& exec, mixed_system<T> const& s, std::vector<T> const& d,
                             band_options const& options, bool in_place, Describe const& describe) {
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    auto const rhs = exec.copy(d);
    auto x = exec.copy(d);
    std::int64_t const n = s.size(), columns = std::int64_t(d.size()) / n;
    band_matrix<T> const a =
        describe(band_matrix<T>(tridiagonal_view<T>{n, lower.data(), diagonal.data(), upper.data()}));
    buffer<std::byte> workspace(exec, bands_workspace(exec, a, columns, options));
    solve_bands(exec, a, columns_view<T const>(in_place ? x.data() : rhs.data(), n, columns),
                columns_view<T>(x.data(), n, columns), workspace.view(), options);
    return to_vector(exec, x);
}
inline constexpr auto alone = [](auto a) { return a; };

} // namespace coppice::test
