// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Well-conditioned systems for which elimination of segments with partial pivoting has exponential element growth:
/// Toeplitz matrices and random matrices of ones, and discretised two-point boundary value problems.
#pragma once

#include <array>
#include <string>

#include "solvers/band_reference.hpp"

namespace coppice::test {

/// A matrix of one of the classes that solve_bands supports.
template <class T>
struct growth_case {
    std::string name;
    std::vector<T> lower, diagonal, upper; ///< blocks; `diagonal` also bands
    band_matrix<T> matrix;
    plain_rows<T> meaning{0};
    bool cyclic = false;

    growth_case(std::string what, banded_storage<T> const& s)
        : name(std::move(what)), diagonal(s.bands), matrix(s.view()), meaning(s.meaning()) {
        matrix.diagonal = diagonal.data();
    }
    growth_case(std::string what, block_storage<T> const& s, bool round)
        : name(std::move(what)), lower(s.lower), diagonal(s.diagonal), upper(s.upper), matrix(s.view()),
          meaning(s.meaning(round)), cyclic(round) {
        matrix.lower = lower.data();
        matrix.diagonal = diagonal.data();
        matrix.upper = upper.data();
    }
    growth_case(growth_case&&) = default; // moved vectors keep their memory
};

/// A banded matrix with constant bands, value(k) on band k.
template <class T, class Value>
banded_storage<T> toeplitz(std::int64_t n, int below, int above, Value const& value) {
    banded_storage<T> s(n, below, above);
    for (int k = -below; k <= above; ++k) {
        T const v = value(k);
        for (std::int64_t i = 0; i < n; ++i)
            if (i + k >= 0 && i + k < n) s.at(i, k) = v;
    }
    return s;
}

/// Grcar's matrix, -1 below a diagonal and k bands of ones; transposed, -1 above it.
template <class T>
growth_case<T> grcar(std::int64_t n, int k, bool transposed) {
    auto const value = [&](int band) { return T(real_of<T>(band == (transposed ? 1 : -1) ? -1 : 1)); };
    return {std::string(transposed ? "transposed " : "") + "grcar " + std::to_string(n) + " " + std::to_string(k),
            toeplitz<T>(n, transposed ? k : 1, transposed ? 1 : k, value)};
}

/// 1 or -1; for complex types one of these times 1 or i.
template <class T>
T random_one(std::mt19937_64& random) {
    auto const bits = random() >> 60;
    auto const sign = real_of<T>(bits & 1 ? 1 : -1);
    if constexpr (is_complex<T>)
        return bits & 2 ? T(sign, 0) : T(0, sign);
    else
        return sign;
}

template <class T>
growth_case<T> toeplitz_of_ones(std::int64_t n, int below, int above, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    return {"toeplitz " + std::to_string(n) + " " + std::to_string(below) + " " + std::to_string(above) + " " +
                std::to_string(seed),
            toeplitz<T>(n, below, above, [&](int) { return random_one<T>(random); })};
}
template <class T>
growth_case<T> bands_of_ones(std::int64_t n, int below, int above, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    banded_storage<T> s(n, below, above);
    for (int k = -below; k <= above; ++k)
        for (std::int64_t i = 0; i < n; ++i)
            if (i + k >= 0 && i + k < n) s.at(i, k) = random_one<T>(random);
    return {"ones " + std::to_string(n) + " " + std::to_string(below) + " " + std::to_string(above) + " " +
                std::to_string(seed),
            s};
}
template <class T>
growth_case<T> blocks_of_ones(std::int64_t rows, int n, std::uint64_t seed, bool cyclic) {
    std::mt19937_64 random(seed);
    block_storage<T> s(rows, n, seed, true);
    for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
        for (T& value : *band) value = random_one<T>(random);
    if (!cyclic) s.spoil(0, rows);
    return {"blocks of ones " + std::to_string(rows) + " " + std::to_string(n) + " " + std::to_string(seed), s, cyclic};
}

/// exp(h M) of a small matrix, column-major, by its series.
inline std::vector<double> exponential(std::vector<double> const& m, int n, double h) {
    std::vector<double> sum(m.size(), 0.0), term(m.size(), 0.0);
    for (int i = 0; i < n; ++i) sum[std::size_t(i * n + i)] = term[std::size_t(i * n + i)] = 1;
    for (int k = 1; k < 30; ++k) {
        std::vector<double> next(m.size(), 0.0);
        for (int j = 0; j < n; ++j)
            for (int l = 0; l < n; ++l)
                for (int i = 0; i < n; ++i)
                    next[std::size_t(i + j * n)] += h / k * m[std::size_t(i + l * n)] * term[std::size_t(l + j * n)];
        term = next;
        for (std::size_t e = 0; e < m.size(); ++e) sum[e] += term[e];
    }
    return sum;
}

/// Matrix M of y' = M y with as many growing as decaying modes, y(a) + y(b) given, n unknowns: weakly coupled pairs as
/// in the example of Wright, M = (-1/6 1; 1 -1/6).
inline std::vector<double> dichotomic(int n, std::uint64_t seed) {
    random_values<double> random(seed);
    std::vector<double> m(std::size_t(n * n));
    for (double& value : m) value = 0.05 * random();
    for (int i = 0; i < n; ++i) {
        m[std::size_t(i * n + i)] += n == 1 ? 1.0 : -1.0 / 6;
        if (int const j = i ^ 1; j < n) m[std::size_t(i + j * n)] += 1;
    }
    return m;
}

/// Rows (-t, t, -.7) and (-t, -.7, -t) alternately, the first of them as row `first`: tridiagonal blocks, each entry
/// times an n x n matrix, or bands with zeros outside. Running rows shrink by cancellation and grow again: if a segment
/// starts with the first row, its condensed rows do not reveal the growth.
inline double shrinking_entry(std::int64_t i, int position, double t, int first) {
    if (i % 2 == first) return position == 0 ? t : position < 0 ? -t : -0.7;
    return position == 0 ? -0.7 : -t;
}
template <class T>
growth_case<T> shrinking_blocks(std::int64_t rows, int n, double t, int first, bool cyclic) {
    block_storage<T> s(rows, n, 1, true);
    for (std::int64_t i = 0; i < rows; ++i)
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c) {
                std::size_t const at = std::size_t(i * n * n + r + c * n);
                double const factor = r == c ? 1 : r + 1 == c ? 0.5 : r == c + 1 ? -0.25 : 0;
                s.lower[at] = T(real_of<T>(factor * shrinking_entry(i, -1, t, first)));
                s.diagonal[at] = T(real_of<T>(factor * shrinking_entry(i, 0, t, first)));
                s.upper[at] = T(real_of<T>(factor * shrinking_entry(i, 1, t, first)));
            }
    if (!cyclic) s.spoil(0, rows);
    return {"shrinking blocks " + std::to_string(rows) + " " + std::to_string(n) + " " + std::to_string(t) + " " +
                std::to_string(first),
            s, cyclic};
}
template <class T>
growth_case<T> shrinking_bands(std::int64_t n, int reach, double t, int first) {
    banded_storage<T> s(n, reach, reach);
    for (std::int64_t i = 0; i < n; ++i)
        for (int k = -reach; k <= reach; ++k)
            if (i + k >= 0 && i + k < n)
                s.at(i, k) = T(real_of<T>(std::abs(k) > 1 ? 0 : shrinking_entry(i, k, t, first)));
    return {"shrinking bands " + std::to_string(n) + " " + std::to_string(reach) + " " + std::to_string(t) + " " +
                std::to_string(first),
            s};
}

/// A cyclic tridiagonal matrix of rows (0, 1, -.5) and (2, .5, -2) alternately, all of whose segments grow.
template <class T>
block_storage<T> growing_cycle(std::int64_t n) {
    block_storage<T> s(n, 1, 1, true);
    for (std::int64_t i = 0; i < n; ++i) {
        bool const even = i % 2 == 0;
        s.lower[std::size_t(i)] = T(real_of<T>(even ? 0 : 2));
        s.diagonal[std::size_t(i)] = T(real_of<T>(even ? 1 : 0.5));
        s.upper[std::size_t(i)] = T(real_of<T>(even ? -0.5 : -2));
    }
    return s;
}

/// Multiple shooting over `rows` intervals of length h: y_i = exp(h M) y_(i - 1), y_0 + y_last (Wright 1993). Or the
/// trapezoidal rule: (1 - h/2 M) y_i = (1 + h/2 M) y_(i - 1).
template <class T>
growth_case<T> boundary_value_problem(std::int64_t rows, int n, double h, bool shooting, std::uint64_t seed) {
    auto const m = dichotomic(n, seed);
    auto const step = exponential(m, n, h);
    std::mt19937_64 random(seed);
    block_storage<T> s(rows, n, seed, true);
    for (std::int64_t i = 0; i < rows; ++i)
        for (int e = 0; e < n * n; ++e) {
            std::size_t const at = std::size_t(i * n * n + e);
            double const one = e % (n + 1) == 0 ? 1 : 0, half = h / 2 * m[std::size_t(e)];
            bool const condition = i == 0;
            s.upper[at] = T(0);
            s.diagonal[at] = T(real_of<T>(condition || shooting ? one : one - half));
            s.lower[at] = T(real_of<T>(condition ? one : shooting ? -step[std::size_t(e)] : -one - half));
        }
    if constexpr (is_complex<T>) // transformed unknowns: y times a phase that differs from point to point
        for (std::int64_t i = 0; i < rows; ++i) {
            T const current = std::polar(real_of<T>(1), real_of<T>(random() % 1000) / 100);
            for (int e = 0; e < n * n; ++e) {
                s.diagonal[std::size_t(i * n * n + e)] *= current;
                s.lower[std::size_t((i + 1) % rows * n * n + e)] *= current;
            }
        }
    return {(shooting ? "shooting " : "trapezoidal ") + std::to_string(rows) + " " + std::to_string(n) + " " +
                std::to_string(h),
            s, true};
}

/// Orthogonal collocation at two Gauss points of u'' = lambda^2 u by cubic Hermite elements, u given at both ends:
/// unknowns u, u' of every node, bands of 2 below and 2 above after a shift by one row.
template <class T>
growth_case<T> collocation(std::int64_t elements, double lambda) {
    std::int64_t const n = 2 * (elements + 1);
    double const h = 1.0 / double(elements);
    banded_storage<T> s(n, 2, 2);
    for (int k = -2; k <= 2; ++k)
        for (std::int64_t i = 0; i < n; ++i)
            if (i + k >= 0 && i + k < n) s.at(i, k) = T(0);
    s.at(0, 0) = T(1);
    s.at(n - 1, -1) = T(1);
    for (std::int64_t e = 0; e < elements; ++e)
        for (int g = 0; g < 2; ++g) {
            double const t = 0.5 + (g == 0 ? -0.5 : 0.5) / std::sqrt(3.0);
            std::array<double, 4> const value{1 - 3 * t * t + 2 * t * t * t, t - 2 * t * t + t * t * t,
                                              3 * t * t - 2 * t * t * t, t * t * t - t * t};
            std::array<double, 4> const second{12 * t - 6, 6 * t - 4, 6 - 12 * t, 6 * t - 2};
            for (int c = 0; c < 4; ++c) {
                std::int64_t const row = 2 * e + 1 + g, column = 2 * e + c;
                s.at(row, int(column - row)) =
                    T(real_of<T>(second[std::size_t(c)] - h * h * lambda * lambda * value[std::size_t(c)]));
            }
        }
    return {"collocation " + std::to_string(elements), s};
}

/// Compact schemes for first derivatives, of order 6 inside, and one-sided at the ends (Lele 1992).
template <class T>
growth_case<T> compact_scheme(std::int64_t n, double inside, double at_end, int reach) {
    auto s = toeplitz<T>(n, reach, reach, [&](int k) {
        return T(real_of<T>(k == 0 ? 1 : std::abs(k) == 1 ? inside : inside / 12));
    });
    s.at(0, 1) = s.at(n - 1, -1) = T(real_of<T>(at_end));
    if (reach > 1) s.at(0, 2) = s.at(n - 1, -2) = T(0);
    return {"compact " + std::to_string(n) + " " + std::to_string(at_end), s};
}

/// 1-norm condition number by LAPACK in double precision. Matrices with more than 3000 rows that are not banded are
/// rejected.
template <class T>
double lapack_condition(plain_rows<T> const& a) {
    using C = std::complex<double>;
    auto const n = lapack_int(a.size());
    std::int64_t reach = 0;
    std::vector<double> sums(std::size_t(n), 0.0);
    for (std::int64_t i = 0; i < n; ++i)
        for (auto const& [j, value] : a.rows[std::size_t(i)]) {
            reach = std::max(reach, std::abs(i - j));
            sums[std::size_t(j)] += std::abs(C(value));
        }
    double const norm = *std::max_element(sums.begin(), sums.end());
    double inverse = 0;
    std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
    if (3 * reach + 1 < n) {
        auto const k = lapack_int(reach), leading = 3 * k + 1;
        std::vector<C> bands(std::size_t(n) * std::size_t(leading));
        for (lapack_int i = 0; i < n; ++i)
            for (auto const& [j, value] : a.rows[std::size_t(i)])
                bands[std::size_t(2 * k + i - j) + std::size_t(j) * std::size_t(leading)] += C(value);
        if (LAPACKE_zgbtrf(LAPACK_COL_MAJOR, n, n, k, k, bands.data(), leading, pivots.data()) != 0) return HUGE_VAL;
        LAPACKE_zgbcon(LAPACK_COL_MAJOR, '1', n, k, k, bands.data(), leading, pivots.data(), norm, &inverse);
    } else {
        std::vector<C> full(std::size_t(n) * std::size_t(n));
        for (lapack_int i = 0; i < n; ++i)
            for (auto const& [j, value] : a.rows[std::size_t(i)])
                full[std::size_t(i) + std::size_t(j) * std::size_t(n)] += C(value);
        if (LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, full.data(), n, pivots.data()) != 0) return HUGE_VAL;
        LAPACKE_zgecon(LAPACK_COL_MAJOR, '1', n, full.data(), n, norm, &inverse);
    }
    return 1 / inverse;
}

} // namespace coppice::test
