// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How far a matrix is from its (conjugate) transpose: assembled matrices are symmetric up to rounding.
#pragma once

#include <limits>

#include <coppice/algebra/symmetry.hpp>
#include <coppice/core/conjugate.hpp>

namespace coppice::inline v0_1 {

/// Largest asymmetry_of() for which methods for symmetric matrices are chosen: rounding errors of an assembly.
template <class R>
inline constexpr double symmetry_tolerance = sizeof(R) == sizeof(float) ? 1e-6 : 1e-13;

namespace detail {

/// largest[i] = max over j of |a_ij|
template <class T, class I, class O>
struct largest_of_row {
    csr_view<T, I, O> a;
    double* largest;
    COPPICE_HD void operator()(std::int64_t i) const {
        double found = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k) {
            double const size = double(magnitude(a.coefficients[k]));
            found = size > found ? size : found;
        }
        largest[i] = found;
    }
};

/// Row i of asymmetry_of(); ends beyond the limit. Columns are sorted.
template <class T, class I, class O>
struct asymmetry_of_row {
    csr_view<T, I, O> a;
    double const* largest;
    double limit;

    COPPICE_HD double operator()(std::int64_t i) const {
        double found = 0;
        for (O k = a.row_begin(i); k < a.row_end(i) && found <= limit; ++k) {
            I const j = a.indices[k];
            if (k > a.row_begin(i) && a.indices[k - 1] == j) return std::numeric_limits<double>::infinity();
            O const mirror = position_in_row(a, std::int64_t(j), i);
            T const other = mirror < 0 ? T{} : conjugate_of(a.coefficients[mirror]);
            double const difference = double(magnitude(a.coefficients[k] - other));
            if (difference == 0) continue;
            double const scale = largest[i] < largest[j] ? largest[i] : largest[j];
            double const relative = difference / scale; // not a number if a value is not finite
            constexpr double infinity = std::numeric_limits<double>::infinity();
            found = maximum{}(found, relative <= infinity ? relative : infinity);
        }
        return found;
    }
};

} // namespace detail

/// Returns the largest |a_ij - conj(a_ji)| / min(m_i, m_j) of a square matrix, where m_i is the largest magnitude of
/// row i and elements that are not stored are 0; infinity for values that are not finite and for duplicates. It does
/// not change if A becomes D A D for a diagonal D with similar elements in coupled rows. If it is above `limit`, any
/// larger value may be returned, which takes less time. Columns may be unsorted; then a sorted copy is made. Waits.
template <executor Executor, class T, class I, class O>
double asymmetry_of(Executor const& exec, csr_view<T, I, O> a, double limit = std::numeric_limits<double>::infinity()) {
    require_square(a, "asymmetry_of");
    if (!a.offsets) return 0;
    auto const sorted = detail::with_sorted_columns(exec, a);
    buffer<double> largest(exec, a.rows());
    for_each(exec, a.rows(), detail::largest_of_row<T, I, O>{sorted.view, largest.data()});
    return reduce(exec, a.rows(), 0.0, detail::asymmetry_of_row<T, I, O>{sorted.view, largest.data(), limit},
                  maximum{});
}

#define COPPICE_ASYMMETRY(EXTERN, EXECUTOR)                                                                            \
    EXTERN template double asymmetry_of(EXECUTOR const&, csr_view<float>, double);                                     \
    EXTERN template double asymmetry_of(EXECUTOR const&, csr_view<double>, double)
COPPICE_ASYMMETRY(extern, host_executor);
COPPICE_ASYMMETRY(extern, cuda_executor);

} // namespace coppice::inline v0_1
