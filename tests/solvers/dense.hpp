// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Small dense systems for the solver tests: created by plain loops, solved by LAPACK.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <lapacke.h>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::test {

/// Row-major n x n; entries that are exactly 0 are not stored in CSR.
struct dense {
    int n = 0;
    std::vector<double> a{};

    explicit dense(int size) : n(size), a(std::size_t(size) * std::size_t(size)) {}
    double& operator()(int i, int j) { return a[std::size_t(i) * std::size_t(n) + std::size_t(j)]; }
    double operator()(int i, int j) const { return a[std::size_t(i) * std::size_t(n) + std::size_t(j)]; }
};

/// Returns M^-1 r of a preconditioner.
template <class Executor, class M>
std::vector<double> apply(Executor const& exec, M const& m, std::vector<double> const& r) {
    auto const right = exec.copy(r);
    buffer<double> z(exec, std::int64_t(r.size()));
    m.apply(exec, right.view(), z.view());
    return to_vector(exec, z);
}
/// Returns M^-1 of a preconditioner with n rows, column by column.
template <class Executor, class M>
dense inverse_of(Executor const& exec, M const& m, int n) {
    dense inverse(n);
    for (int j = 0; j < n; ++j) {
        std::vector<double> basis(static_cast<std::size_t>(n));
        basis[std::size_t(j)] = 1;
        auto const column = apply(exec, m, basis);
        for (int i = 0; i < n; ++i) inverse(i, j) = column[std::size_t(i)];
    }
    return inverse;
}

/// Random sparse matrix, diagonally dominant; symmetric positive definite if `symmetric`.
inline dense random_matrix(int n, bool symmetric, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 0.2);
    dense m(n);
    for (int e = 0; e < 3 * n; ++e) {
        int const i = int(random() % unsigned(n)), j = int(random() % unsigned(n));
        if (i == j) continue;
        m(i, j) = value(random);
        if (symmetric) m(j, i) = m(i, j);
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.05;
        for (int j = 0; j < n; ++j) sum += std::abs(m(i, j));
        m(i, i) = sum;
    }
    return m;
}

template <class T>
csr<T> to_csr(dense const& m) {
    host_executor const exec{1};
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<T> values;
    for (int i = 0; i < m.n; ++i) {
        for (int j = 0; j < m.n; ++j)
            if (m(i, j) != 0) {
                columns.push_back(j);
                values.push_back(T(m(i, j)));
            }
        offsets.push_back(std::int32_t(columns.size()));
    }
    return {m.n, m.n, exec.copy(offsets), exec.copy(columns), exec.copy(values)};
}

inline dense product(dense const& a, dense const& b) {
    dense c(a.n);
    for (int i = 0; i < a.n; ++i)
        for (int k = 0; k < a.n; ++k)
            for (int j = 0; j < a.n; ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
}

/// A^-1 b by LAPACK (dgesv).
inline std::vector<double> lapack_solve(dense m, std::vector<double> b) {
    std::vector<lapack_int> pivots(std::size_t(m.n));
    if (m.n > 0) LAPACKE_dgesv(LAPACK_ROW_MAJOR, m.n, 1, m.a.data(), m.n, pivots.data(), b.data(), 1);
    return b;
}

/// |b - A x| / |b| in long double, from the CSR arrays.
template <class T>
double residual_of(csr<T> const& a, std::vector<T> const& b, std::vector<T> const& x) {
    long double rr = 0, bb = 0;
    for (int i = 0; i < a.rows(); ++i) {
        long double r = b[std::size_t(i)];
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            r -= (long double)(a.values()[k]) * x[std::size_t(a.column_indices()[k])];
        rr += r * r;
        bb += (long double)(b[std::size_t(i)]) * b[std::size_t(i)];
    }
    return double(std::sqrt(rr / bb));
}

template <class T>
std::vector<T> random_vector(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (auto& e : x) e = T(value(random));
    return x;
}

} // namespace coppice::test
