// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/eigen/small_dense.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coppice::inline v0_1::eigen_detail {
namespace {

/// Rotates rows and columns p and q of A, and columns p and q of V, so that a_pq becomes 0.
void rotate(small_matrix& a, small_matrix& v, int p, int q) {
    if (a(p, q) == 0) return;
    double const tau = (a(q, q) - a(p, p)) / (2 * a(p, q));
    double const t = (tau >= 0 ? 1 : -1) / (std::abs(tau) + std::hypot(1.0, tau));
    double const c = 1 / std::hypot(1.0, t), s = t * c;
    auto const combine = [&](double& x, double& y) {
        double const before = x;
        x = c * before - s * y;
        y = s * before + c * y;
    };
    for (int k = 0; k < a.rows; ++k) combine(a(k, p), a(k, q));
    for (int k = 0; k < a.rows; ++k) combine(a(p, k), a(q, k));
    for (int k = 0; k < v.rows; ++k) combine(v(k, p), v(k, q));
}

double off_diagonal(small_matrix const& a) {
    double sum = 0;
    for (int j = 0; j < a.columns; ++j)
        for (int i = 0; i < j; ++i) sum += a(i, j) * a(i, j);
    return std::sqrt(sum);
}

} // namespace

small_matrix product(small_matrix const& a, small_matrix const& b) {
    small_matrix c(a.rows, b.columns);
    for (int j = 0; j < b.columns; ++j)
        for (int k = 0; k < a.columns; ++k)
            for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    return c;
}

small_matrix transposed_product(small_matrix const& a, small_matrix const& b) {
    small_matrix c(a.columns, b.columns);
    for (int j = 0; j < b.columns; ++j)
        for (int i = 0; i < a.columns; ++i)
            for (int k = 0; k < a.rows; ++k) c(i, j) += a(k, i) * b(k, j);
    return c;
}

small_eigenpairs symmetric_eigenpairs(small_matrix a) {
    int const n = a.rows;
    small_matrix v(n, n);
    for (int i = 0; i < n; ++i) v(i, i) = 1;
    double norm = off_diagonal(a);
    for (int i = 0; i < n; ++i) norm += std::abs(a(i, i));
    for (int sweep = 0; sweep < 30 && off_diagonal(a) > 1e-17 * norm; ++sweep)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) rotate(a, v, p, q);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return a(i, i) < a(j, j); });
    small_eigenpairs sorted{{}, small_matrix(n, n)};
    for (int j = 0; j < n; ++j) {
        sorted.values.push_back(a(order[std::size_t(j)], order[std::size_t(j)]));
        for (int i = 0; i < n; ++i) sorted.vectors(i, j) = v(i, order[std::size_t(j)]);
    }
    return sorted;
}

small_eigenpairs projected_eigenpairs(small_matrix const& h, small_matrix const& g, double dependent) {
    int const n = g.rows;
    std::vector<double> scale(static_cast<std::size_t>(n)); // makes the diagonal of G one
    for (int i = 0; i < n; ++i) scale[std::size_t(i)] = g(i, i) > 0 ? 1 / std::sqrt(g(i, i)) : 0;
    small_matrix scaled(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) scaled(i, j) = scale[std::size_t(i)] * g(i, j) * scale[std::size_t(j)];
    auto const basis = symmetric_eigenpairs(scaled);
    int const first = int(std::lower_bound(basis.values.begin(), basis.values.end(), dependent) - basis.values.begin());
    small_matrix range(n, n - first); // D U Lambda^-1/2: G-orthonormal
    for (int j = first; j < n; ++j)
        for (int i = 0; i < n; ++i)
            range(i, j - first) = scale[std::size_t(i)] * basis.vectors(i, j) / std::sqrt(basis.values[std::size_t(j)]);
    auto inner = symmetric_eigenpairs(transposed_product(range, product(h, range)));
    return {std::move(inner.values), product(range, inner.vectors)};
}

} // namespace coppice::inline v0_1::eigen_detail
