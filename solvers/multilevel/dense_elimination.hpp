// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Inverse of a dense matrix of some hundred rows on the executor: blocked Gauss-Jordan elimination without pivoting.
/// Matrices of the levels of a multilevel method mostly allow that; the caller checks the result.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spgemm/product_entries.hpp>

namespace coppice::inline v0_1::multilevel_detail {

using detail::magnitude;

/// Entry k of an m by m matrix with ones on the diagonal after the first n rows, else zeros.
struct start_dense {
    int n, m;
    double* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        int const row = int(k) / m;
        to[k] = row >= n && int(k) % m == row ? 1.0 : 0.0;
    }
};
/// Returns 1 for an entry that differs from its transposed entry by more than rounding.
struct differs_from_mirror {
    int m;
    double precision;
    double const* a;
    COPPICE_HD int operator()(std::int64_t k) const {
        int const i = int(k) / m, j = int(k) % m;
        if (j >= i) return 0;
        double const here = a[k], there = a[j * m + i];
        double const of_diagonals = std::sqrt(magnitude(a[i * m + i])) * std::sqrt(magnitude(a[j * m + j]));
        double const scale = of_diagonals > magnitude(here) ? of_diagonals : magnitude(here);
        return magnitude(here - there) <= 1e4 * precision * scale ? 0 : 1;
    }
};

/// One step of the elimination. With K the indices of the pivot block: A_ij - A_iK A_KK^-1 A_Kj outside of its rows and
/// columns, A_KK^-1 A_Kj in its rows, -A_iK A_KK^-1 in its columns, A_KK^-1 in the block. A worker has several rows of
/// a column; each worker solves with A_KK itself, so that a step is one launch.
struct eliminate_block {
    static constexpr int size = 8;
    int m, first, rows; ///< rows of the matrix, first row of the block, rows per worker: multiples of `size`
    double const* from;
    double* to;

    static std::int64_t workers(int m, int rows) { return std::int64_t(m) * ((m + rows - 1) / rows); }

    COPPICE_HD void operator()(std::int64_t k) const {
        int const column = int(k) % m, top = int(k) / m * rows, end = top + rows < m ? top + rows : m;
        bool const in_block = column >= first && column < first + size;
        double x[size];
        solve(column, in_block, x);
        for (int row = top; row < end; row += size) {
            COPPICE_UNROLL
            for (int q = 0; q < size; ++q) {
                int const at = (row + q) * m;
                double sum = in_block ? 0.0 : from[at + column];
                COPPICE_UNROLL
                for (int p = 0; p < size; ++p) sum -= from[at + first + p] * x[p];
                to[at + column] = row == first ? x[q] : sum;
            }
        }
    }

private:
    /// x = A_KK^-1 times A_Kj, or times column j of the identity if j is in K.
    COPPICE_HD void solve(int column, bool in_block, double (&x)[size]) const {
        double a[size][size];
        COPPICE_UNROLL
        for (int q = 0; q < size; ++q) {
            int const at = (first + q) * m;
            COPPICE_UNROLL
            for (int p = 0; p < size; ++p) a[q][p] = from[at + first + p];
            x[q] = !in_block ? from[at + column] : column == first + q ? 1.0 : 0.0;
        }
        COPPICE_UNROLL
        for (int p = 0; p < size; ++p) {
            double const by_pivot = 1.0 / a[p][p];
            a[p][p] = by_pivot;
            COPPICE_UNROLL
            for (int q = p + 1; q < size; ++q) {
                double const factor = a[q][p] * by_pivot;
                COPPICE_UNROLL
                for (int c = p + 1; c < size; ++c) a[q][c] -= factor * a[p][c];
                x[q] -= factor * x[p];
            }
        }
        COPPICE_UNROLL
        for (int q = size - 1; q >= 0; --q) {
            COPPICE_UNROLL
            for (int c = q + 1; c < size; ++c) x[q] -= a[q][c] * x[c];
            x[q] *= a[q][q];
        }
    }
};

template <class T, class I>
struct store_dense_entry {
    csr_view<T, I> a;
    std::int64_t width;
    double* dense;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const row = coppice::detail::position_below(a.offsets, std::int64_t(a.rows()) + 1, k);
        dense[row * width + a.indices[k]] = double(a.coefficients[k]);
    }
};
/// Stores the inverse, or its symmetric part.
template <class T>
struct store_inverse_entry {
    double const* result;
    int n, width;
    bool symmetric;
    T* inverse;
    COPPICE_HD void operator()(std::int64_t k) const {
        int const i = int(k) / n, j = int(k) % n;
        double const here = result[i * width + j];
        inverse[k] = T(symmetric ? (here + result[j * width + i]) / 2 : here);
    }
};
/// inverse[n, n] of a, stored by rows. Without pivoting it may be inaccurate: check A^-1 A x. Symmetric if a is
/// symmetric up to rounding. Requires that n^2 fits an int.
template <executor Executor, class T, class I>
void invert_by_elimination(Executor const& exec, csr_view<T, I> a, T* inverse) {
    constexpr int size = eliminate_block::size;
    constexpr std::int64_t workers = 1 << 15; // more workers would repeat the solves with A_KK more often
    int const n = int(a.rows()), m = (n + size - 1) / size * size;
    std::int64_t const entries = std::int64_t(m) * m;
    int const rows = int((entries / workers + size) / size) * size;
    buffer<double> now(exec, entries), next(exec, entries);
    for_each(exec, entries, start_dense{n, m, now.data()});
    for_each(exec, a.nonzeros(), store_dense_entry<T, I>{a, m, now.data()});
    bool const symmetric =
        reduce(exec, entries, 0, differs_from_mirror{m, double(std::numeric_limits<T>::epsilon()), now.data()},
               maximum{}) == 0;
    for (int first = 0; first < m; first += size) {
        for_each(exec, eliminate_block::workers(m, rows), eliminate_block{m, first, rows, now.data(), next.data()});
        std::swap(now, next);
    }
    for_each(exec, std::int64_t(n) * n, store_inverse_entry<T>{now.data(), n, m, symmetric, inverse});
}

} // namespace coppice::inline v0_1::multilevel_detail
