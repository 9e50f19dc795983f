// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/multilevel/dense_inverse.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace coppice::inline v0_1::multilevel_detail {
namespace {

using matrix = std::vector<double>;

/// Returns (A + A^T) / 2 if A is symmetric up to rounding.
std::optional<matrix> symmetric_part(matrix const& a, std::int64_t n, double precision) {
    matrix s(a.size());
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double const here = a[i * n + j], there = a[j * n + i];
            double const scale = std::max(std::sqrt(std::abs(a[i * n + i] * a[j * n + j])), std::abs(here));
            if (std::abs(here - there) > 1e4 * precision * scale) return {};
            s[i * n + j] = (here + there) / 2;
        }
    return s;
}

/// Computes A = L D L^T in place: L below the diagonal, D on it, with 0 for pivots that are zero to rounding. Returns
/// false if a pivot is negative.
bool factorise(matrix& a, std::int64_t n, double precision) {
    for (std::int64_t k = 0; k < n; ++k) {
        double pivot = a[k * n + k];
        double const zero = 8 * double(n) * precision * std::abs(pivot);
        for (std::int64_t m = 0; m < k; ++m) pivot -= a[k * n + m] * a[k * n + m] * a[m * n + m];
        if (pivot < -zero) return false;
        a[k * n + k] = pivot > zero ? pivot : 0;
        for (std::int64_t i = k + 1; i < n; ++i) {
            double sum = a[i * n + k];
            for (std::int64_t m = 0; m < k; ++m) sum -= a[i * n + m] * a[k * n + m] * a[m * n + m];
            a[i * n + k] = pivot > zero ? sum / pivot : 0;
        }
    }
    return true;
}

/// L^-T D^-1 L^-1
matrix inverse_of_factors(matrix const& f, std::int64_t n) {
    matrix l(f.size(), 0), inverse(f.size());
    for (std::int64_t j = 0; j < n; ++j) { // columns of L^-1; those of dropped unknowns are empty
        if (f[j * n + j] == 0) continue;
        l[j * n + j] = 1;
        for (std::int64_t i = j + 1; i < n; ++i) {
            double sum = 0;
            for (std::int64_t m = j; m < i; ++m) sum -= f[i * n + m] * l[m * n + j];
            l[i * n + j] = f[i * n + i] == 0 ? 0 : sum;
        }
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::int64_t m = i; m < n; ++m)
                if (f[m * n + m] != 0) sum += l[m * n + i] * l[m * n + j] / f[m * n + m];
            inverse[i * n + j] = inverse[j * n + i] = sum;
        }
    return inverse;
}

/// Gauss-Jordan elimination of [A | I] with partial pivoting.
matrix eliminate(matrix a, std::int64_t n, double precision) {
    matrix inverse(a.size(), 0);
    for (std::int64_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
    std::vector<bool> left_out(static_cast<std::size_t>(n), false);
    double largest = 0;
    for (double const v : a) largest = std::max(largest, std::abs(v));
    for (std::int64_t k = 0; k < n; ++k) {
        std::int64_t best = k;
        for (std::int64_t i = k + 1; i < n; ++i)
            if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
        if (!(std::abs(a[best * n + k]) > 8 * double(n) * precision * largest)) {
            left_out[k] = true;
            continue;
        }
        for (std::int64_t j = 0; j < n && best != k; ++j) {
            std::swap(a[k * n + j], a[best * n + j]);
            std::swap(inverse[k * n + j], inverse[best * n + j]);
        }
        double const pivot = a[k * n + k];
        for (std::int64_t j = 0; j < n; ++j) {
            a[k * n + j] /= pivot;
            inverse[k * n + j] /= pivot;
        }
        for (std::int64_t i = 0; i < n; ++i) {
            double const factor = a[i * n + k];
            if (i == k || factor == 0) continue;
            for (std::int64_t j = 0; j < n; ++j) {
                a[i * n + j] -= factor * a[k * n + j];
                inverse[i * n + j] -= factor * inverse[k * n + j];
            }
        }
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n && left_out[i]; ++j) inverse[i * n + j] = 0;
    return inverse;
}

} // namespace

std::vector<double> dense_inverse(std::vector<double> a, std::int64_t n, double precision) {
    if (auto symmetric = symmetric_part(a, n, precision); symmetric && factorise(*symmetric, n, precision))
        return inverse_of_factors(*symmetric, n);
    return eliminate(std::move(a), n, precision);
}

} // namespace coppice::inline v0_1::multilevel_detail
