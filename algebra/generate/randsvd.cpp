// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/randsvd.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <coppice/algebra/generate/tridiagonal_gallery.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {
namespace {

using dense_vector = std::vector<double>;

/// Square row-major matrix with the few operations that the construction below needs.
struct dense_matrix {
    std::int64_t n;
    dense_vector elements = dense_vector(static_cast<std::size_t>(n * n));

    double* row(std::int64_t i) { return elements.data() + i * n; }
    double& operator()(std::int64_t i, std::int64_t j) { return row(i)[j]; }
};

/// Householder vector: v and beta with (I - beta v v^T) x = -sign(x_0) |x| e_0. v overwrites x; returns beta, 0 if x =
/// 0.
double householder(dense_vector& x) {
    double largest = 0;
    for (double const value : x) largest = std::max(largest, std::abs(value));
    if (largest == 0) return 0;
    double norm = 0; // norm of x / largest, which cannot underflow
    for (double const value : x) norm += (value / largest) * (value / largest);
    norm = largest * std::sqrt(norm);
    double const sign = x[0] < 0 ? -1 : 1;
    double const first = x[0] + sign * norm;
    for (double& value : x) value /= first; // v_0 = 1
    x[0] = 1;
    return first / (sign * norm);
}

/// A(first:, columns:) -= beta v (v^T A); v[n - first].
void reflect_rows(dense_matrix& a, std::int64_t first, std::int64_t columns, dense_vector const& v, double beta) {
    dense_vector sums(static_cast<std::size_t>(a.n - columns), 0.0);
    for (std::int64_t i = first; i < a.n; ++i) {
        double const* row = a.row(i) + columns;
        double const weight = v[static_cast<std::size_t>(i - first)];
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += weight * row[j];
    }
    for (std::int64_t i = first; i < a.n; ++i) {
        double* row = a.row(i) + columns;
        double const weight = beta * v[static_cast<std::size_t>(i - first)];
        for (std::size_t j = 0; j < sums.size(); ++j) row[j] -= weight * sums[j];
    }
}

/// A(rows:, first:) -= beta (A v) v^T; v[n - first].
void reflect_columns(dense_matrix& a, std::int64_t rows, std::int64_t first, dense_vector const& v, double beta) {
    for (std::int64_t i = rows; i < a.n; ++i) {
        double* row = a.row(i) + first;
        double sum = 0;
        for (std::size_t j = 0; j < v.size(); ++j) sum += row[j] * v[j];
        sum *= beta;
        for (std::size_t j = 0; j < v.size(); ++j) row[j] -= sum * v[j];
    }
}

/// The i-th standard normal number of a random stream (Box and Muller).
double normal(random_stream const& random, std::uint64_t i) {
    double const radius = std::sqrt(-2 * std::log(random.uniform(2 * i, 0, 1)));
    return radius * std::cos(2 * std::numbers::pi * random.uniform(2 * i + 1));
}

/// Multiplies by a Haar-distributed orthogonal matrix (Stewart 1980): reflections by normal vectors of increasing
/// length, and random signs. `apply(first, v, beta)` applies one reflection, `flip(i)` changes the sign of row or
/// column i.
template <class Apply, class Flip>
void random_orthogonal(std::int64_t n, random_stream const& random, Apply const& apply, Flip const& flip) {
    std::uint64_t counter = 0;
    for (std::int64_t first = n - 2; first >= 0; --first) {
        dense_vector v(static_cast<std::size_t>(n - first));
        for (double& value : v) value = normal(random, counter++);
        if (v[0] < 0) flip(first);
        double const beta = householder(v);
        apply(first, v, beta);
    }
    if (n > 0 && normal(random, counter) < 0) flip(n - 1);
}

/// Applies orthogonal transformations from both sides until `reach` bands remain on either side of the diagonal
/// (MATLAB's bandred with kl = ku = reach).
void reduce_to_bands(dense_matrix& a, int reach) {
    for (std::int64_t j = 0, k = reach; k + 1 < a.n; ++j, ++k) {
        dense_vector v(static_cast<std::size_t>(a.n - k));
        for (std::int64_t i = k; i < a.n; ++i) v[static_cast<std::size_t>(i - k)] = a(i, j);
        double beta = householder(v);
        reflect_rows(a, k, j, v, beta);

        v.assign(a.row(j) + k, a.row(j) + a.n);
        beta = householder(v);
        reflect_columns(a, j, k, v, beta);
    }
}

/// diag(sigma) between random orthogonal matrices, reduced to bands.
dense_matrix random_bands(dense_vector const& sigma, int reach, std::uint64_t seed, std::uint64_t block) {
    auto const n = static_cast<std::int64_t>(sigma.size());
    dense_matrix a{n};
    for (std::int64_t i = 0; i < n; ++i) a(i, i) = sigma[static_cast<std::size_t>(i)];
    random_orthogonal(
        n, random_stream(seed, 2 * block),
        [&](std::int64_t k, dense_vector const& v, double beta) { reflect_rows(a, k, 0, v, beta); },
        [&](std::int64_t i) {
            for (std::int64_t j = 0; j < n; ++j) a(i, j) = -a(i, j);
        });
    random_orthogonal(
        n, random_stream(seed, 2 * block + 1),
        [&](std::int64_t k, dense_vector const& v, double beta) { reflect_columns(a, 0, k, v, beta); },
        [&](std::int64_t j) {
            for (std::int64_t i = 0; i < n; ++i) a(i, j) = -a(i, j);
        });
    reduce_to_bands(a, reach);
    return a;
}

} // namespace

double randsvd_singular_value(randsvd_mode mode, double kappa, std::int64_t i, std::int64_t n) {
    if (n == 1) return 1;
    double const position = static_cast<double>(i) / static_cast<double>(n - 1);
    switch (mode) {
    case randsvd_mode::one_large:
        return i == 0 ? 1 : 1 / kappa;
    case randsvd_mode::one_small:
        return i == n - 1 ? 1 / kappa : 1;
    case randsvd_mode::geometric:
        return std::pow(kappa, -position);
    default:
        return 1 - position * (1 - 1 / kappa);
    }
}

banded<double> banded_randsvd(host_executor const& exec, std::int64_t n, int reach, double kappa, randsvd_mode mode,
                              std::uint64_t seed) {
    banded<double> a(exec, n, reach, reach);
    fill(exec, a.bands.view(), 0.0);
    std::int64_t const blocks =
        n <= randsvd_largest ? std::min<std::int64_t>(n, 1) : (n + randsvd_block - 1) / randsvd_block;
    for_each_block(exec, blocks, 1, [&](std::int64_t block, std::int64_t, std::int64_t) {
        // Block b takes the singular values b, b + blocks, ...: as many as it has rows, from the whole range.
        std::int64_t const size = n / blocks, longer = n % blocks;
        std::int64_t const rows = size + (block < longer ? 1 : 0), first = block * size + std::min(block, longer);
        dense_vector sigma(static_cast<std::size_t>(rows));
        std::int64_t taken = block;
        for (double& value : sigma) {
            value = randsvd_singular_value(mode, kappa, taken, n);
            taken += blocks;
        }
        auto bands = random_bands(sigma, reach, seed, static_cast<std::uint64_t>(block));
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = -reach; k <= reach; ++k)
                if (i + k >= 0 && i + k < rows) a.bands[(k + reach) * n + first + i] = bands(i, i + k);
    });
    return a;
}

} // namespace coppice::inline v0_1::detail
