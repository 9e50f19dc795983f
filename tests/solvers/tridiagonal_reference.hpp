// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems with known solutions, and references that share no code with the solver: the residual in long
/// double, and LAPACK's gtsv.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <lapacke.h>

#include <coppice/algebra/generate/tridiagonal_gallery.hpp>

namespace coppice::test {

/// Bands and right-hand side on the host. The corners outside the matrix hold NaN and must not be read.
template <class T>
struct system {
    std::vector<T> lower, diagonal, upper, rhs, exact;

    explicit system(std::int64_t n)
        : lower(std::size_t(n)), diagonal(std::size_t(n)), upper(std::size_t(n)), rhs(std::size_t(n)),
          exact(std::size_t(n)) {}

    std::int64_t size() const { return std::int64_t(rhs.size()); }
    tridiagonal_view<T> view() const { return {size(), lower.data(), diagonal.data(), upper.data()}; }

    void spoil_corners() {
        if (size() == 0) return;
        lower.front() = upper.back() = std::numeric_limits<T>::quiet_NaN();
    }
    /// Row i of A x.
    long double apply(std::vector<T> const& x, std::size_t i) const {
        long double sum = static_cast<long double>(diagonal[i]) * x[i];
        if (i > 0) sum += static_cast<long double>(lower[i]) * x[i - 1];
        if (i + 1 < rhs.size()) sum += static_cast<long double>(upper[i]) * x[i + 1];
        return sum;
    }
    void make_rhs() {
        for (std::size_t i = 0; i < rhs.size(); ++i) rhs[i] = static_cast<T>(apply(exact, i));
    }
};

/// Gives a system the solution x ~ N(3, 1) (thesis section 2.7.1).
template <class T>
void give_solution(system<T>& s, std::uint64_t seed) {
    std::mt19937_64 generator(seed * 7919 + 17);
    std::normal_distribution<double> normal(3, 1);
    for (T& x : s.exact) x = static_cast<T>(normal(generator));
    s.make_rhs();
}

/// Matrix 1 of Table 4 from a second generator: all bands from U(-1, 1).
template <class T>
system<T> random_system(std::int64_t n, std::uint64_t seed) {
    system<T> s(n);
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
        for (T& value : *band) value = static_cast<T>(uniform(generator));
    give_solution(s, seed);
    s.spoil_corners();
    return s;
}

/// A matrix of `size` rows that repeats the rows {lower, diagonal, upper}.
struct alternating_rows {
    std::int64_t size;
    std::vector<double> entries;
    bool singular_if_cyclic = false;
};
template <class T>
system<T> system_of(alternating_rows const& rows) {
    system<T> s(rows.size);
    for (std::size_t i = 0; i < s.rhs.size(); ++i) {
        std::size_t const at = 3 * i % rows.entries.size();
        s.lower[i] = T(rows.entries[at]);
        s.diagonal[i] = T(rows.entries[at + 1]);
        s.upper[i] = T(rows.entries[at + 2]);
    }
    give_solution(s, 3);
    s.spoil_corners();
    return s;
}
/// Well-conditioned matrices for which partitions of RPTS that begin or end at one of these rows are nearly singular
/// inside, for any length: a solution of their inner rows vanishes in that unknown and decays from there.
inline std::vector<alternating_rows> vanishing_at_ends() {
    return {{20000, {-1.5, -2, -2, 1, 0, -0.5}},
            {513, {-0.5, 0.5, 2, -1, 0, 0}},
            {600, {1, 0, 1.5, -1.5, -2, 1.5}, true},
            {5001, {-0.5, -0.5, -2, 2, 0, 0.5}},
            {20000, {1.5, -1, -2, -2, 0, 1.5}},
            {600, {1, 0, 1.5, 1.5, 0, 0}},
            {513, {-0.5, 0.5, 2, -1, 0, 0, -1.5, 0.5, 0.5}},
            {1000, {1.5, -0.5, 1.5, 0, -1.5, 1.5, -1.5, 1.5, -0.5}, true},
            {2000, {0.5, -1.5, -0.5, 2, -1, 1.5, -1, -0.5, 1.5}},
            {1000, {-2, 0, -2, 1, 0, 0, 1.5, -2, 1.5}},
            {513, {0, 0, 1.5, 2, 2, 1, -1.5, -1.5, -1}},
            {20000, {-2, 2, 2, 0.5, -0.5, 1, 1, 0.5, -0.5}},
            {20000, {1, 0.5, -2, -2, 0, 1.5, -1.5, -1, -0.5}},
            {1000, {-2, 0, -2, 1, 0, 0, 1.5, -2, 1.5, 0.5, -2, -1}},
            {600, {0, 1.5, 0.5, 1.5, -0.5, -0.5, 0, 0, 1, 1.5, -0.5, 2}},
            {5001, {-0.5, 0.5, 1, -2, 0, 0, 1, 0.5, -1, -2, 1, 0.5}}};
}

/// A matrix of Table 4 with a known solution; cached, since some cost O(n^3).
inline system<double> const& gallery_system(int case_id, std::int64_t n, std::uint64_t seed) {
    static std::map<std::tuple<int, std::int64_t, std::uint64_t>, system<double>> known;
    auto const key = std::tuple(case_id, n, seed);
    if (auto const found = known.find(key); found != known.end()) return found->second;
    auto const a = tridiagonal_case<double>(host_executor{1}, case_id, n, seed);
    system<double> s(n);
    std::copy(a.lower.begin(), a.lower.end(), s.lower.begin());
    std::copy(a.diagonal.begin(), a.diagonal.end(), s.diagonal.begin());
    std::copy(a.upper.begin(), a.upper.end(), s.upper.begin());
    give_solution(s, seed + 100 * std::uint64_t(case_id));
    return known.emplace(key, std::move(s)).first->second;
}

/// Multiplies row i of A and d by 2^exponent(i).
template <class T, class Exponent>
system<T> scaled_rows(system<T> s, Exponent exponent) {
    for (std::size_t i = 0; i < s.rhs.size(); ++i)
        for (auto* const band : {&s.lower, &s.diagonal, &s.upper, &s.rhs})
            (*band)[i] = std::ldexp((*band)[i], exponent(i));
    return s;
}

/// |A x - d| / (|A| |x| + |d|) in the maximum norm; NaN counts as infinite.
template <class T>
double backward_error(system<T> const& s, std::vector<T> const& x) {
    long double residual = 0, matrix = 0, solution = 0, rhs = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double const r = std::abs(s.apply(x, i) - static_cast<long double>(s.rhs[i]));
        if (!std::isfinite(r)) return std::numeric_limits<double>::infinity();
        long double row = std::abs(static_cast<long double>(s.diagonal[i]));
        if (i > 0) row += std::abs(static_cast<long double>(s.lower[i]));
        if (i + 1 < x.size()) row += std::abs(static_cast<long double>(s.upper[i]));
        residual = std::max(residual, r);
        matrix = std::max(matrix, row);
        solution = std::max(solution, std::abs(static_cast<long double>(x[i])));
        rhs = std::max(rhs, std::abs(static_cast<long double>(s.rhs[i])));
    }
    return residual == 0 ? 0 : double(residual / (matrix * solution + rhs));
}

/// |x - exact| / |exact| in the Euclidean norm; NaN counts as infinite.
template <class T>
double forward_error(system<T> const& s, std::vector<T> const& x) {
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        long double const d = static_cast<long double>(x[i]) - s.exact[i];
        difference += d * d;
        norm += static_cast<long double>(s.exact[i]) * s.exact[i];
    }
    double const error = double(std::sqrt(difference / norm));
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Solution of LAPACK's gtsv.
inline std::vector<double> lapack_solution(system<double> s) {
    auto const n = lapack_int(s.size());
    LAPACKE_dgtsv(LAPACK_COL_MAJOR, n, 1, s.lower.data() + 1, s.diagonal.data(), s.upper.data(), s.rhs.data(), n);
    return s.rhs;
}

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Accuracy of a solver on one matrix of Table 4 over several seeds, compared with LAPACK on the same systems.
struct accuracy {
    double median_ratio;         ///< of forward errors, solver / LAPACK
    double worst_backward_error; ///< of the solver
};

/// `solve(system) -> x`.
template <class Solve>
accuracy compare_accuracy(int case_id, std::int64_t n, int seeds, Solve const& solve) {
    std::vector<double> ratios;
    double worst = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
        system<double> const& s = gallery_system(case_id, n, std::uint64_t(seed));
        std::vector<double> const x = solve(s);
        ratios.push_back(forward_error(s, x) / forward_error(s, lapack_solution(s)));
        worst = std::max(worst, backward_error(s, x));
    }
    return {median(ratios), worst};
}

/// Matrices 8 to 15 of Table 4, for which a single forward error is not significant.
inline bool ill_conditioned(int case_id) { return case_id >= 8 && case_id <= 15; }

} // namespace coppice::test
