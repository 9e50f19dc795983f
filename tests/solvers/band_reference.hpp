// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reference for tests of block tridiagonal and banded systems: stored by definition, compared with plain rows of
/// (column, value) in long double arithmetic and with LAPACK.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::test {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;
template <class T>
using real_of = decltype(std::abs(T()));
template <class T>
using wide_of = std::conditional_t<is_complex<T>, std::complex<long double>, long double>;

template <class T>
wide_of<T> widen(T value) {
    return wide_of<T>(value);
}
/// |re| + |im|, the magnitude used in reports.
template <class W>
long double size_of(W value) {
    return std::abs(std::real(value)) + std::abs(std::imag(value));
}

/// Random numbers from U(-1, 1), real and imaginary part if complex.
template <class T>
class random_values {
public:
    explicit random_values(std::uint64_t seed) : engine_(seed * 6364136223846793005u + 1442695040888963407u) {}
    T operator()() {
        if constexpr (is_complex<T>) {
            auto const re = real_of<T>(uniform_(engine_));
            return T(re, real_of<T>(uniform_(engine_)));
        } else {
            return T(uniform_(engine_));
        }
    }
    template <class Vector>
    void fill(Vector& v) {
        for (auto& value : v) value = (*this)();
    }

private:
    std::mt19937_64 engine_;
    std::uniform_real_distribution<double> uniform_{-1, 1};
};

/// Rows of (column, value): the matrix that a storage represents.
template <class T>
struct plain_rows {
    std::vector<std::vector<std::pair<std::int64_t, T>>> rows;

    explicit plain_rows(std::int64_t n) : rows(std::size_t(n)) {}
    std::int64_t size() const { return std::int64_t(rows.size()); }
    void add(std::int64_t i, std::int64_t j, T value) { rows[std::size_t(i)].emplace_back(j, value); }

    plain_rows transposed(bool conjugated) const {
        plain_rows t(size());
        for (std::int64_t i = 0; i < size(); ++i)
            for (auto const& [j, value] : rows[std::size_t(i)]) {
                if constexpr (is_complex<T>)
                    t.add(j, i, conjugated ? std::conj(value) : value);
                else
                    t.add(j, i, value);
            }
        return t;
    }
};

/// Scalar and block tridiagonal storage. Entries outside the matrix are NaN unless it is cyclic.
template <class T>
struct block_storage {
    std::int64_t length;
    int n;
    std::vector<T> lower, diagonal, upper;

    block_storage(std::int64_t block_rows, int block, std::uint64_t seed, bool cyclic)
        : length(block_rows), n(block), lower(std::size_t(block_rows * block * block)), diagonal(lower), upper(lower) {
        random_values<T> random(seed);
        for (auto* const band : {&lower, &diagonal, &upper}) random.fill(*band);
        if (!cyclic) spoil(0, length);
    }
    /// Sets the blocks of block rows [begin, end) that couple to other block rows outside to NaN.
    void spoil(std::int64_t begin, std::int64_t end) {
        if (begin == end) return;
        T const nan(std::numeric_limits<real_of<T>>::quiet_NaN());
        for (int k = 0; k < n * n; ++k)
            lower[std::size_t(begin * n * n + k)] = upper[std::size_t((end - 1) * n * n + k)] = nan;
    }
    block_tridiagonal_view<T> view() const { return {length, n, lower.data(), diagonal.data(), upper.data()}; }
    std::int64_t size() const { return length * n; }

    /// Adds block rows [begin, end) as a separate system, whose rows begin at `first` of `to`.
    void describe(plain_rows<T>& to, std::int64_t begin, std::int64_t end, bool cyclic) const {
        for (std::int64_t i = begin; i < end; ++i)
            for (int position = -1; position <= 1; ++position) {
                std::int64_t block = i + position;
                if (block < begin || block >= end) {
                    if (!cyclic) continue;
                    block = block < begin ? end - 1 : begin;
                }
                auto const& band = position < 0 ? lower : position == 0 ? diagonal : upper;
                for (int r = 0; r < n; ++r)
                    for (int c = 0; c < n; ++c)
                        to.add(i * n + r, block * n + c, band[std::size_t(i * n * n + r + c * n)]);
            }
    }
    plain_rows<T> meaning(bool cyclic) const {
        plain_rows<T> rows(size());
        describe(rows, 0, length, cyclic);
        return rows;
    }
};

/// Banded storage; entries outside the matrix are NaN.
template <class T>
struct banded_storage {
    std::int64_t length;
    int below, above;
    std::vector<T> bands;

    banded_storage(std::int64_t rows, int lower, int upper)
        : length(rows), below(lower), above(upper),
          bands(std::size_t(rows * (lower + upper + 1)), T(std::numeric_limits<real_of<T>>::quiet_NaN())) {}
    banded_storage(std::int64_t rows, int lower, int upper, std::uint64_t seed) : banded_storage(rows, lower, upper) {
        random_values<T> random(seed);
        for (int k = -below; k <= above; ++k)
            for (std::int64_t i = 0; i < length; ++i)
                if (i + k >= 0 && i + k < length) at(i, k) = random();
    }
    T& at(std::int64_t i, int k) { return bands[std::size_t((k + below) * length + i)]; }
    banded_view<T> view() const { return {length, below, above, bands.data()}; }
    std::int64_t size() const { return length; }
    plain_rows<T> meaning() const {
        plain_rows<T> rows(length);
        for (std::int64_t i = 0; i < length; ++i)
            for (int k = -below; k <= above; ++k)
                if (i + k >= 0 && i + k < length) rows.add(i, i + k, bands[std::size_t((k + below) * length + i)]);
        return rows;
    }
};

/// A X for X with columns of n rows.
template <class T>
std::vector<T> times(plain_rows<T> const& a, std::vector<T> const& x, std::int64_t columns) {
    std::vector<T> y(x.size());
    for (std::int64_t c = 0; c < columns; ++c)
        for (std::int64_t i = 0; i < a.size(); ++i) {
            wide_of<T> sum(0);
            for (auto const& [j, value] : a.rows[std::size_t(i)])
                sum += widen(value) * widen(x[std::size_t(j + c * a.size())]);
            y[std::size_t(i + c * a.size())] = T(sum);
        }
    return y;
}

template <class T>
inline constexpr double epsilon = double(std::numeric_limits<real_of<T>>::epsilon());

/// Right-hand sides of a known random solution.
template <class T>
std::vector<T> rhs_for(plain_rows<T> const& a, std::int64_t columns, std::uint64_t seed) {
    std::vector<T> x(std::size_t(a.size() * columns));
    random_values<T>(seed + 99).fill(x);
    return times(a, x, columns);
}

/// Block storage in the memory of an executor.
template <class T, class Executor>
struct blocks_on {
    buffer<T> lower, diagonal, upper;
    band_matrix<T> matrix;

    blocks_on(Executor const& exec, block_storage<T> const& s)
        : lower(exec.copy(s.lower)), diagonal(exec.copy(s.diagonal)), upper(exec.copy(s.upper)),
          matrix(block_tridiagonal_view<T>{s.length, s.n, lower.data(), diagonal.data(), upper.data()}) {}
};

/// Result of solve_bands.
template <class T>
struct solution {
    std::vector<T> x;
    std::vector<solve_report> reports;
};

template <class T, class Executor>
solution<T> solve_matrix(Executor const& exec, band_matrix<T> const& a, std::vector<T> const& d,
                         band_options const& options = {}) {
    auto const rhs = exec.copy(d);
    std::int64_t const columns = a.size == 0 ? 0 : std::int64_t(d.size()) / a.size;
    buffer<T> x(exec, std::int64_t(d.size()));
    buffer<solve_report> reports(exec, a.systems);
    solve_bands(exec, a, columns_view<T const>(rhs.data(), a.size, columns), columns_view<T>(x.data(), a.size, columns),
                options, reports.view());
    return {to_vector(exec, x), to_vector(exec, reports)};
}

template <class T, class Executor>
solution<T> solve_blocks(Executor const& exec, block_storage<T> const& s, std::vector<T> const& d,
                         band_options const& options = {}) {
    blocks_on<T, Executor> const a(exec, s);
    return solve_matrix(exec, a.matrix, d, options);
}

/// Solves a system with bands and a right-hand side, such as test::system.
template <class System, class Executor>
auto solve_scalar(Executor const& exec, System const& s, band_options const& options = {}) {
    using T = std::decay_t<decltype(s.rhs[0])>;
    auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
    tridiagonal_view<T> const a{std::int64_t(s.rhs.size()), lower.data(), diagonal.data(), upper.data()};
    return solve_matrix(exec, band_matrix<T>(a), s.rhs, options);
}

template <class T, class Executor>
solution<T> solve_banded_storage(Executor const& exec, banded_storage<T> const& s, std::vector<T> const& d,
                                 band_options const& options = {}) {
    auto const bands = exec.copy(s.bands);
    return solve_matrix(exec, band_matrix<T>(banded_view<T>{s.length, s.below, s.above, bands.data()}), d, options);
}

/// max |A x - d| / (|A| |x| + |d|) over the columns; NaN counts as infinite.
template <class T>
double backward_error_of(plain_rows<T> const& a, std::vector<T> const& x, std::vector<T> const& d) {
    std::int64_t const n = a.size(), columns = n == 0 ? 0 : std::int64_t(x.size()) / n;
    double worst = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
        long double residual = 0, matrix = 0, solution = 0, rhs = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            wide_of<T> r = -widen(d[std::size_t(i + c * n)]);
            long double row = 0;
            for (auto const& [j, value] : a.rows[std::size_t(i)]) {
                r += widen(value) * widen(x[std::size_t(j + c * n)]);
                row += size_of(widen(value));
            }
            if (!std::isfinite(size_of(r))) return HUGE_VAL;
            residual = std::max(residual, size_of(r));
            matrix = std::max(matrix, row);
            solution = std::max(solution, size_of(widen(x[std::size_t(i + c * n)])));
            rhs = std::max(rhs, size_of(widen(d[std::size_t(i + c * n)])));
        }
        if (residual > 0) worst = std::max(worst, double(residual / (matrix * solution + rhs)));
    }
    return worst;
}

/// |x - exact| / |exact|.
template <class T>
double forward_error_of(std::vector<T> const& x, std::vector<T> const& exact) {
    long double difference = 0, norm = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference += std::norm(widen(x[i]) - widen(exact[i]));
        norm += std::norm(widen(exact[i]));
    }
    double const error = double(std::sqrt(difference / norm));
    return std::isnan(error) ? HUGE_VAL : error;
}

/// Solution of LAPACK's gbsv for a real system of bandwidth `reach` on both sides; info > 0 if it is singular.
inline std::vector<double> lapack_band_solution(plain_rows<double> const& a, int reach, std::vector<double> d,
                                                lapack_int* info = nullptr) {
    auto const n = lapack_int(a.size()), leading = lapack_int(3 * reach + 1);
    std::vector<double> bands(std::size_t(n) * std::size_t(leading), 0.0);
    for (lapack_int i = 0; i < n; ++i)
        for (auto const& [j, value] : a.rows[std::size_t(i)])
            bands[std::size_t(2 * reach + i - j) + std::size_t(j) * std::size_t(leading)] = value;
    std::vector<lapack_int> pivots(static_cast<std::size_t>(n));
    lapack_int const result =
        LAPACKE_dgbsv(LAPACK_COL_MAJOR, n, reach, reach, 1, bands.data(), leading, pivots.data(), d.data(), n);
    if (info) *info = result;
    return d;
}

/// Cyclic tridiagonal systems of `rows` rows, some with small diagonal entries; row `empty` of system 3 is zero.
inline block_storage<double> batch_with_empty_row(std::int64_t systems, std::int64_t rows, std::int64_t empty,
                                                  bool interleaved) {
    block_storage<double> s(systems * rows, 1, 3, true);
    for (int i = 0; i < 40; ++i) s.diagonal[std::size_t(i * 4)] *= 1e-13;
    std::size_t const at = std::size_t(interleaved ? empty * systems + 3 : 3 * rows + empty);
    s.lower[at] = s.diagonal[at] = s.upper[at] = 0;
    return s;
}

} // namespace coppice::test
