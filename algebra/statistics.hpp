// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Statistics of a matrix. Included by algebra/operations.hpp.
#pragma once

#include <limits>

#include <coppice/algebra/symmetry.hpp>

namespace coppice::inline v0_1 {

/// Lower and upper bandwidth: the maximum of i - j and of j - i over stored entries (i, j), at least 0.
struct bandwidth {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
};

/// Number of stored nonzeros per row; all 0 for a matrix without rows.
struct degree_summary {
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    double mean = 0;
};

/// Sums of |a_ij| in double precision, and fractions of them.
///
/// A coverage is 1 if the total weight is zero. NaN in the matrix gives NaN.
struct weight_summary {
    double diagonal = 0;      ///< sum of |a_ii|
    double near_diagonal = 0; ///< sum of |a_ij| with |i - j| = 1
    double off_diagonal = 0;  ///< sum of |a_ij| with i != j: omega_G of Eq. 23, with both directions of an edge

    /// c_diag: weight of the diagonal divided by the weight of the whole matrix (Eq. 54).
    double diagonal_coverage() const { return fraction(diagonal, diagonal + off_diagonal); }
    /// c_id: weight of the sub- and superdiagonal divided by the off-diagonal weight (Eq. 24).
    double identity_coverage() const { return fraction(near_diagonal, off_diagonal); }

private:
    static double fraction(double value, double whole) { return whole == 0 ? 1 : value / whole; }
};

/// Result of describe().
struct matrix_info {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t nonzeros = 0;
    bool sorted_columns = true;
    bool symmetric_pattern = true;
    bool symmetric_values = true;
    coppice::bandwidth bandwidth{};
    degree_summary degrees{};
    double diagonal_coverage = 1;
    double identity_coverage = 1;
    std::int64_t zero_diagonals = 0; ///< rows i < min(rows, columns) whose diagonal entry is missing or 0
    std::int64_t nonfinite = 0;      ///< stored values that are NaN or infinite
    double largest_magnitude = 0;    ///< of the finite values
};

namespace detail {

/// Quantities that one pass over the nonzeros collects.
struct matrix_sums {
    weight_summary weights{};
    bandwidth reach{};
    std::int64_t smallest_degree = std::numeric_limits<std::int64_t>::max();
    std::int64_t largest_degree = 0;
    std::int64_t zero_diagonals = 0;
    std::int64_t nonfinite = 0;
    double largest_magnitude = 0;
};

struct combine_sums {
    template <class N>
    COPPICE_HD static N larger(N a, N b) {
        return a < b ? b : a;
    }
    COPPICE_HD matrix_sums operator()(matrix_sums a, matrix_sums const& b) const {
        a.weights.diagonal += b.weights.diagonal;
        a.weights.near_diagonal += b.weights.near_diagonal;
        a.weights.off_diagonal += b.weights.off_diagonal;
        a.reach.lower = larger(a.reach.lower, b.reach.lower);
        a.reach.upper = larger(a.reach.upper, b.reach.upper);
        if (b.smallest_degree < a.smallest_degree) a.smallest_degree = b.smallest_degree;
        a.largest_degree = larger(a.largest_degree, b.largest_degree);
        a.zero_diagonals += b.zero_diagonals;
        a.nonfinite += b.nonfinite;
        a.largest_magnitude = larger(a.largest_magnitude, b.largest_magnitude);
        return a;
    }
};

template <class T, class I, class O>
struct row_sums {
    csr_view<T, I, O> a;
    COPPICE_HD matrix_sums operator()(std::int64_t i) const {
        matrix_sums s;
        T diagonal{};
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            std::int64_t const distance = std::int64_t(a.indices[k]) - i;
            double const weight = magnitude(double(a.coefficients[k]));
            if (distance == 0) {
                diagonal = diagonal + a.coefficients[k];
                s.weights.diagonal += weight;
            } else {
                s.weights.off_diagonal += weight;
                if (distance == 1 || distance == -1) s.weights.near_diagonal += weight;
                if (-distance > s.reach.lower) s.reach.lower = -distance;
                if (distance > s.reach.upper) s.reach.upper = distance;
            }
            if (!is_finite(weight))
                ++s.nonfinite;
            else if (weight > s.largest_magnitude)
                s.largest_magnitude = weight;
        }
        s.smallest_degree = s.largest_degree = a.row_end(i) - a.row_begin(i);
        s.zero_diagonals = i < std::int64_t(a.columns()) && diagonal == T(0) ? 1 : 0;
        return s;
    }
};

/// Computes all sums in one pass over A.
template <executor Executor, class T, class I, class O>
matrix_sums sum_up(Executor const& exec, csr_view<T, I, O> a) {
    require_arrays(a);
    return reduce(exec, a.rows(), matrix_sums{}, row_sums<T, I, O>{a}, combine_sums{});
}

} // namespace detail

/// Returns the bandwidths over all stored nonzeros, including stored zeros. Waits.
template <executor Executor, class T, class I, class O>
bandwidth bandwidths(Executor const& exec, csr_view<T, I, O> a) {
    return detail::sum_up(exec, a).reach;
}

/// Returns the smallest, largest and mean number of nonzeros of a row. Waits.
template <executor Executor, class T, class I, class O>
degree_summary degrees(Executor const& exec, csr_view<T, I, O> a) {
    if (a.rows() == 0) return {};
    auto const sums = detail::sum_up(exec, a);
    return {sums.smallest_degree, sums.largest_degree, double(a.nonzeros()) / double(a.rows())};
}

/// Returns the weight sums. Deterministic; waits.
template <executor Executor, class T, class I, class O>
weight_summary coverages(Executor const& exec, csr_view<T, I, O> a) {
    return detail::sum_up(exec, a).weights;
}

/// Computes size, symmetry, bandwidths, degrees, coverages and properties of the values in two passes. Rectangular
/// matrices are supported. Throws matrix_error if a row contains a column twice. Waits.
template <executor Executor, class T, class I, class O>
matrix_info describe(Executor const& exec, csr_view<T, I, O> a) {
    auto const sums = detail::sum_up(exec, a);
    auto const mirrored = symmetry_of(exec, a);
    matrix_info info;
    info.rows = a.rows();
    info.columns = a.columns();
    info.nonzeros = a.nonzeros();
    info.sorted_columns = has_sorted_columns(exec, a);
    info.symmetric_pattern = mirrored.pattern;
    info.symmetric_values = mirrored.values;
    info.bandwidth = sums.reach;
    if (a.rows() > 0)
        info.degrees = {sums.smallest_degree, sums.largest_degree, double(a.nonzeros()) / double(a.rows())};
    info.diagonal_coverage = sums.weights.diagonal_coverage();
    info.identity_coverage = sums.weights.identity_coverage();
    info.zero_diagonals = sums.zero_diagonals;
    info.nonfinite = sums.nonfinite;
    info.largest_magnitude = sums.largest_magnitude;
    return info;
}

COPPICE_ACCEPT_OWNERS(bandwidths)
COPPICE_ACCEPT_OWNERS(degrees)
COPPICE_ACCEPT_OWNERS(coverages)
COPPICE_ACCEPT_OWNERS(describe)

} // namespace coppice::inline v0_1
