// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The inverse of a dense matrix of some hundred rows without leaving the executor: Gauss and Jordan's elimination in
/// blocks, without pivoting. Matrices of the levels of a multilevel method mostly allow that; who calls it checks.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/semiring/spgemm/product_entries.hpp>

namespace coppice::multilevel_detail {

using detail::magnitude;

/// Entry k of an m by m matrix of zeros, with ones on the diagonal behind the first n rows.
struct start_dense {
    int n, m;
    double* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        int const row = int(k) / m;
        to[k] = row >= n && int(k) % m == row ? 1.0 : 0.0;
    }
};
template <class T, class I>
struct place_entry {
    csr_view<T, I> a;
    int m;
    double* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const row = detail::position_below(a.offsets, std::int64_t(a.rows()) + 1, k);
        to[row * m + a.indices[k]] = double(a.coefficients[k]);
    }
};
/// 1 for an entry that differs from its mirror image by more than rounding.
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

/// A step: with K the pivots of a block, A_ij - A_iK A_KK^-1 A_Kj beside their rows and columns, A_KK^-1 A_Kj in their
/// rows, -A_iK A_KK^-1 in their columns, and A_KK^-1 where these meet. A worker has some rows of a column; each of them
/// solves with A_KK for itself, so that a step is one launch.
struct eliminate_block {
    static constexpr int size = 8;
    int m, first, rows; ///< of all, of the block, of a worker: multiples of `size`
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
    /// x = A_KK^-1 times A_Kj, or times the column of the identity where j is in K.
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

/// The first n rows and columns of what elimination left, its symmetric part where the matrix was so.
template <class T>
struct store_inverse {
    int n, m;
    bool symmetric;
    double const* from;
    T* to;
    COPPICE_HD void operator()(std::int64_t k) const {
        int const i = int(k) / n, j = int(k) % n;
        double const here = from[i * m + j];
        to[k] = T(symmetric ? (here + from[j * m + i]) / 2 : here);
    }
};

/// inverse[n, n] of a with n rows, row after row, as far as elimination without pivoting finds it: what is wrong with
/// pivots shows in A^-1 A x. Symmetric where a is so to rounding. n^2 fits an int with room to spare.
template <executor Executor, class T, class I>
void invert_by_elimination(Executor const& exec, csr_view<T, I> a, T* inverse) {
    constexpr int size = eliminate_block::size;
    constexpr std::int64_t workers = 1 << 15; // more of them solve again what others have solved
    int const n = int(a.rows()), m = (n + size - 1) / size * size;
    std::int64_t const entries = std::int64_t(m) * m;
    int const rows = int((entries / workers + size) / size) * size;
    buffer<double> now(exec, entries), next(exec, entries);
    for_each(exec, entries, start_dense{n, m, now.data()});
    for_each(exec, a.nonzeros(), place_entry<T, I>{a, m, now.data()});
    bool const symmetric =
        reduce(exec, entries, 0, differs_from_mirror{m, double(std::numeric_limits<T>::epsilon()), now.data()},
               maximum{}) == 0;
    for (int first = 0; first < m; first += size) {
        for_each(exec, eliminate_block::workers(m, rows), eliminate_block{m, first, rows, now.data(), next.data()});
        std::swap(now, next);
    }
    for_each(exec, std::int64_t(n) * n, store_inverse<T>{n, m, symmetric, now.data(), inverse});
}

} // namespace coppice::multilevel_detail
