// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test of the sweeps of the Gauss-Seidel smoother: the factor by which they amplify a vector, and smaller steps where
/// it is too large.
///
/// The sweeps of a range solve (M + L) x = b and (M + U) x = b with its triangles L and U. For a symmetric positive
/// definite matrix |x| <= 2 |M^-1 b| in the norm of M, since x^T b = x^T (A + 2 M - D) x / 2 with M >= D. For an
/// M-matrix |x| grows at most with the number of rows in the maximum norm. For other matrices, with small diagonal
/// entries or strong advection, it may grow exponentially, up to an overflow.
#pragma once

#include <cmath>
#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/solvers/multilevel/coupling_sums.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Tests the sweeps of a range of rows with M^-1 b = ±1. If the growth exceeds its limit in both norms, m becomes the
/// row sum of magnitudes, with which |x| is at most the number of rows. `x` has an element for each row.
template <class T, class I, class Rows>
struct limit_growth {
    /// Of the growth in the norm of M, and in the maximum norm over the square root of the number of rows (a sum of
    /// random signs). Twice what symmetric positive definite matrices and M-matrices have.
    static constexpr double limit = 4;

    csr_view<T, I> a;
    coupling_sums<T> others;
    T *inverse, *x;

    COPPICE_HD void operator()(std::int64_t range) const {
        Rows const rows(range, a.rows());
        if (!grows(rows, true) && !grows(rows, false)) return;
        for (std::int64_t i = rows.first; i < rows.last; ++i) {
            T sum = others.magnitude(i);
            for (I k = a.row_begin(i), end = a.row_end(i); k < end; ++k) sum += magnitude(a.coefficients[k]);
            T const one = T(1) / sum;
            if (is_finite(one)) inverse[i] = inverse[i] < T(0) ? -one : one;
        }
    }

private:
    /// Solves a triangle of the range.
    COPPICE_HD bool grows(Rows const& rows, bool forwards) const {
        double largest = 0, of_x = 0, of_b = 0; // squares in the norm of M, which is scaled to 1 in the first row
        double const first = magnitude(double(inverse[rows.first]));
        for (std::int64_t done = 0; done < rows.size(); ++done) {
            std::int64_t const i = forwards ? rows.first + done : rows.last - 1 - done;
            T sum = T(0);
            for (I k = a.row_begin(i), end = a.row_end(i); k < end; ++k) {
                std::int64_t const j = a.indices[k];
                if (forwards ? j < i && j >= rows.first : j > i && j < rows.last) sum += a.coefficients[k] * x[j];
            }
            x[i] = sign_of(i) - inverse[i] * sum;
            double const size = magnitude(double(x[i])), m = first / magnitude(double(inverse[i]));
            largest = largest < size ? size : largest;
            of_x += m * size * size;
            of_b += m;
            if (!(size <= 1e30)) return true;
        }
        return !(of_x <= limit * limit * of_b) && !(largest <= limit * std::sqrt(double(rows.size())));
    }
    /// A fixed random sign of each row.
    COPPICE_HD static T sign_of(std::int64_t i) {
        std::uint64_t const bits = std::uint64_t(i + 1) * 0x9e3779b97f4a7c15u;
        return (bits >> 40 & 1) != 0 ? T(1) : T(-1);
    }
};

} // namespace coppice::inline v0_1::multilevel_detail
