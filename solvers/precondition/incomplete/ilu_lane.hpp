// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Code of one lane for incomplete factorisations without fill: elimination of a row, one entry of a fixed-point sweep,
/// one row of a triangular solve, one row of an incomplete sparse approximate inverse.
#pragma once

#include <cstdint>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/solvers/iterative/vectors/elements.hpp>

namespace coppice::inline v0_1::detail {

/// The factors L (left of the diagonal, unit diagonal) and U in the pattern of A, columns sorted.
template <class T>
struct ilu_view {
    std::int32_t const *offsets, *columns, *diagonal;
    T* values;
};

/// values[k] = a_k; the magnitude of the diagonal entry is increased by `shift` times the sum of the other magnitudes
/// of the row, and made positive if pivots must be positive. sums[i] is the sum of the magnitudes of the row, 1 in a
/// row of zeros.
template <class T>
struct load_factor_row {
    ilu_view<T> f;
    std::int32_t const* sources;
    T const* of_matrix;
    real_of_t<T> shift;
    bool positive;
    T* sums;

    COPPICE_HD void operator()(std::int64_t i) const {
        using real = real_of_t<T>;
        real off_diagonal(0);
        for (std::int32_t k = f.offsets[i]; k < f.offsets[i + 1]; ++k) {
            T const value = sources[k] < 0 ? T(0) : of_matrix[sources[k]];
            f.values[k] = value;
            if (k != f.diagonal[i]) off_diagonal = off_diagonal + magnitude(value);
        }
        T& pivot = f.values[f.diagonal[i]];
        real const size = magnitude(pivot), sum = off_diagonal + size > real(0) ? off_diagonal + size : real(1);
        sums[i] = T(sum);
        real const more = shift * (off_diagonal > real(0) ? off_diagonal : sum);
        if (shift > real(0)) pivot = positive ? T(size + more) : shifted_away(pivot, size, more);
    }

private:
    COPPICE_HD static T shifted_away(T const& pivot, real_of_t<T> size, real_of_t<T> more) {
        if constexpr (is_complex_number<T>)
            return size > 0 ? pivot * ((size + more) / size) : T(more);
        else
            return pivot < T(0) ? pivot - more : pivot + more;
    }
};

/// Computes row i of the exact factors from the complete rows before it (Saad, Iterative Methods, algorithm 10.4).
template <class T>
struct factor_row {
    ilu_view<T> f;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const end = f.offsets[i + 1];
        for (std::int32_t k = f.offsets[i]; k < f.diagonal[i]; ++k) {
            std::int32_t const row = f.columns[k];
            T const factor = f.values[k] / f.values[f.diagonal[row]];
            f.values[k] = factor;
            std::int32_t to = k + 1;
            for (std::int32_t m = f.diagonal[row] + 1; m < f.offsets[row + 1]; ++m) {
                while (to < end && f.columns[to] < f.columns[m]) ++to;
                if (to < end && f.columns[to] == f.columns[m]) f.values[to] -= factor * f.values[m];
            }
        }
    }
};

/// Initial values of the sweeps: l_ij = a_ij / a_jj, u_ij = a_ij.
template <class T>
struct guess_entry {
    ilu_view<T> f;
    T* guess;
    std::int32_t const* row_of;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int32_t const row = row_of[k], column = f.columns[k];
        guess[k] = column < row ? f.values[k] / f.values[f.diagonal[column]] : f.values[k];
    }
};

/// One entry of a fixed-point sweep (Chow and Patel 2015): l_ij = (a_ij - sum l_ik u_kj) / u_jj, u_ij = a_ij - sum l_ik
/// u_kj over k < min(i, j). All values on the right-hand side are those before the sweep.
template <class T>
struct sweep_entry {
    ilu_view<T> f; ///< factors before the sweep have this pattern; values: those of A
    std::int32_t const* row_of;
    T const* before;
    T* after;

    COPPICE_HD void operator()(std::int64_t k) const {
        std::int32_t const row = row_of[k], column = f.columns[k];
        std::int32_t const end = row < column ? row : column;
        T sum = f.values[k];
        for (std::int32_t m = f.offsets[row]; m < f.offsets[row + 1] && f.columns[m] < end; ++m) {
            std::int32_t const between = f.columns[m];
            std::int32_t const other = position_between(f.columns, f.diagonal[between], f.offsets[between + 1], column);
            if (other >= 0) sum -= before[m] * before[other];
        }
        after[k] = column < row ? sum / before[f.diagonal[column]] : sum;
    }
};

/// l_ij = conj(u_ji) / u_jj for a Hermitian matrix. Sweeps compute L and U with different errors; L is replaced.
template <class T>
struct mirror_entry {
    csr_view<T> f;
    std::int32_t const *row_of, *diagonal;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int32_t const row = row_of[k], column = f.indices[k];
        if (column >= row) return;
        std::int32_t const mirror = position_in_row(f, column, row);
        values[k] = conjugate_of(values[mirror]) / values[diagonal[column]];
    }
};

/// x_i = (b_i - sum t_ij x_j) d_i with a strict triangle t; d is null for a unit diagonal. x may be b.
template <class T>
struct solve_row {
    csr_view<T> t;
    T const *inverse, *b;
    T* x;
    COPPICE_HD void operator()(std::int64_t i) const {
        T sum = b[i];
        for (std::int32_t k = t.row_begin(i); k < t.row_end(i); ++k) sum -= t.coefficients[k] * x[t.indices[k]];
        x[i] = inverse ? sum * inverse[i] : sum;
    }
};
/// Solves the rows of a level.
template <class Row>
struct row_in_level {
    Row row;
    std::int32_t const* rows;
    COPPICE_HD void operator()(std::int64_t k) const { row(rows[k]); }
};

/// next_i = (b_i - sum t_ij x_j) d_i, as the store of a product with t: one Jacobi sweep of a triangular solve.
template <class T>
struct store_sweep {
    T const *inverse, *b;
    T* next;
    COPPICE_HD void operator()(std::int64_t i, T const& product) const {
        next[i] = inverse ? (b[i] - product) * inverse[i] : b[i] - product;
    }
};

/// Computes row i of an approximate inverse M of a triangle with the rows t and the diagonal 1 / d: M T = I on the
/// pattern of M. The columns J of the row select a small triangular system, which is solved by substitution; the values
/// of the row hold its right-hand side first and are replaced by the solution.
template <class T, bool Lower>
struct invert_row {
    csr_view<T> t;
    T const* inverse; ///< inverse of the diagonal of the triangle; null if the diagonal is one
    std::int32_t const *offsets, *columns;
    T* values;

    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const begin = offsets[i], end = offsets[i + 1];
        for (std::int32_t k = begin; k < end; ++k) values[k] = std::int64_t(columns[k]) == i ? T(1) : T(0);
        for (std::int32_t step = 0; step < end - begin; ++step) {
            std::int32_t const at = Lower ? end - 1 - step : begin + step; // starts at the diagonal
            std::int32_t const row = columns[at];
            T const value = inverse ? values[at] * inverse[row] : values[at];
            values[at] = value;
            // Merges two lists of ascending columns.
            std::int32_t to = Lower ? begin : at + 1;
            std::int32_t const last = Lower ? at : end;
            for (std::int32_t k = t.row_begin(row); k < t.row_end(row); ++k) {
                while (to < last && columns[to] < t.indices[k]) ++to;
                if (to < last && columns[to] == t.indices[k]) values[to] -= value * t.coefficients[k];
            }
        }
    }
};

} // namespace coppice::inline v0_1::detail
