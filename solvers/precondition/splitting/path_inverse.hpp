// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The inverse of a tridiagonal matrix as ratios along its paths.
///
/// Row p of M^-1 is y with y^T M = e_p^T. Its entries satisfy y_p = middle_p, y_q = right_q y_{q-1} for q > p and
/// y_q = left_q y_{q+1} for q < p, within the path; they are zero on other paths. The ratios follow from an elimination
/// that starts at the far end of the path:
///
///     right_q  = -u_{q-1} / D_q,   D_q = d_q - l_{q+1} u_q / D_{q+1}
///     left_q   = -l_{q+1} / E_q,   E_q = d_q - u_{q-1} l_q / E_{q-1}
///     middle_p = 1 / (D_p + E_p - d_p)
///
/// If an elimination starts `window` rows away instead of at the end, its error is the product of right_k left_{k-1}
/// over these rows, i.e. the square of the decay of an entry over the window.
#pragma once

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::detail {

/// The ratios of a system, borrowed. reach_right[q] is the largest magnitude of a product right_{q+1} right_{q+2} ...
/// of at least one ratio, over at least `window` ratios: if an entry of a row of M^-1 is y at q, no entry to its right
/// within the window exceeds |y| reach_right[q]. 0 at the end of a path. reach_left likewise to the left.
template <class T>
struct path_ratios {
    T const *right, *left, *middle, *reach_right, *reach_left;
};

/// Owns the ratios of a system of n rows.
template <class T>
struct path_inverse {
    buffer<T> right{}, left{}, middle{}, reach_right{}, reach_left{};

    path_inverse() = default;
    template <executor Executor>
    path_inverse(Executor const& exec, std::int64_t n)
        : right(exec, n), left(exec, n), middle(exec, n), reach_right(exec, n), reach_left(exec, n) {}
    path_ratios<T> view() const {
        return {right.data(), left.data(), middle.data(), reach_right.data(), reach_left.data()};
    }

    /// Computes the ratios of a system. Each elimination starts `window` rows outside of its segment. Queued on CUDA.
    /// `first`: number of rows before the system, on paths that end there; the result is that of all rows.
    template <executor Executor>
    void read(Executor const& exec, tridiagonal_view<T> a, int window, std::int64_t first = 0);
};

/// Eliminates one segment of rows from the right, then from the left; each elimination starts outside of the segment.
template <class T>
struct eliminate_segment {
    static constexpr std::int64_t length = 32;

    tridiagonal_view<T> a;
    int window;
    std::int64_t shift; ///< rows of the first segment before the system
    T *right, *left, *middle, *reach_right, *reach_left;

    COPPICE_HD void operator()(std::int64_t segment) const {
        std::int64_t const begin = segment * length - shift, end = begin + length;
        std::int64_t const first = begin > 0 ? begin : 0, last = end < a.size() ? end : a.size();
        double pivots[length]; // D
        from_right(first, last, pivots);
        from_left(first, last, pivots);
    }

private:
    COPPICE_HD double diagonal(std::int64_t q) const { return double(a.diagonal[q]); }
    /// Couplings of row q with the previous and the next row; 0 at the ends.
    COPPICE_HD double lower(std::int64_t q) const { return q > 0 && q < a.size() ? double(a.lower[q]) : 0.0; }
    COPPICE_HD double upper(std::int64_t q) const { return q >= 0 && q + 1 < a.size() ? double(a.upper[q]) : 0.0; }
    /// Replaces a pivot that consists of rounding errors only by the size of a rounding error; 1 in a row of zeros.
    COPPICE_HD double safe(double pivot, std::int64_t q) const {
        double const scale = magnitude(diagonal(q)) + magnitude(lower(q)) + magnitude(upper(q));
        double const smallest = 0x1p-40 * scale;
        if (scale == 0) return 1;
        if (magnitude(pivot) >= smallest) return pivot;
        return pivot < 0 ? -smallest : smallest;
    }
    COPPICE_HD static T finite(double value) { return is_finite(T(value)) ? T(value) : T(0); }
    COPPICE_HD static double longest(double ratio, double reach) {
        return magnitude(ratio) * (reach > 1 ? reach : 1.0);
    }

    COPPICE_HD void from_right(std::int64_t first, std::int64_t last, double* pivots) const {
        std::int64_t const begin = last - 1 + window < a.size() ? last - 1 + window : a.size() - 1;
        double pivot = 1, ratio = 0, reach = 0; // D, right and reach at q + 1
        for (std::int64_t q = begin; q >= first; --q) {
            // l_{q+1} u_q / D_{q+1} = -l_{q+1} right_{q+1}
            pivot = safe(q == begin ? diagonal(q) : diagonal(q) + lower(q + 1) * ratio, q);
            double const reach_here = q == begin ? 0.0 : longest(ratio, reach);
            if (q < last) {
                pivots[q - first] = pivot;
                reach_right[q] = finite(reach_here);
            }
            ratio = -upper(q - 1) / pivot;
            reach = reach_here;
            if (q < last) right[q] = finite(ratio);
        }
    }
    COPPICE_HD void from_left(std::int64_t first, std::int64_t last, double const* pivots) const {
        std::int64_t const begin = first - window > 0 ? first - window : 0;
        double pivot = 1, ratio = 0, reach = 0; // E, left and reach at q - 1
        for (std::int64_t q = begin; q < last; ++q) {
            pivot = safe(q == begin ? diagonal(q) : diagonal(q) + upper(q - 1) * ratio, q);
            double const reach_here = q == begin ? 0.0 : longest(ratio, reach);
            ratio = -lower(q + 1) / pivot;
            reach = reach_here;
            if (q < first) continue;
            left[q] = finite(ratio);
            reach_left[q] = finite(reach_here);
            middle[q] = finite(1 / safe(pivot + pivots[q - first] - diagonal(q), q));
        }
    }
};

template <class T>
template <executor Executor>
void path_inverse<T>::read(Executor const& exec, tridiagonal_view<T> a, int window, std::int64_t first) {
    using segment = eliminate_segment<T>;
    std::int64_t const shift = first % segment::length;
    if (a.size() == 0) return;
    for_each(
        exec, (a.size() + shift + segment::length - 1) / segment::length,
        segment{a, window, shift, right.data(), left.data(), middle.data(), reach_right.data(), reach_left.data()});
}

} // namespace coppice::inline v0_1::detail
