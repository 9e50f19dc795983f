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

/// Largest asymmetry of the entries on one side of the diagonal, and the number of entries on the left without a mirror
/// image: those on the left less the mirror images that are found from the right.
struct found_asymmetry {
    double largest = 0;
    std::int64_t unmatched = 0;
};
struct merge_asymmetries {
    COPPICE_HD found_asymmetry operator()(found_asymmetry const& a, found_asymmetry const& b) const {
        return {maximum{}(a.largest, b.largest), a.unmatched + b.unmatched};
    }
};
/// Row i of asymmetry_of(), the diagonal and the entries right of it or, if `left`, left of it; ends beyond the limit.
/// Columns are sorted.
template <class T, class I, class O>
struct asymmetry_of_row {
    csr_view<T, I, O> a;
    double const* largest;
    double limit;
    bool left;

    COPPICE_HD found_asymmetry operator()(std::int64_t i) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        found_asymmetry found;
        for (O k = a.row_begin(i); k < a.row_end(i) && found.largest <= limit; ++k) {
            std::int64_t const j = a.indices[k];
            if (k > a.row_begin(i) && a.indices[k - 1] == a.indices[k]) return {infinity, 0};
            found.unmatched += j < i ? 1 : 0;
            if (left ? j > i : j < i) continue;
            O const mirror = j == i ? k : position_in_row(a, j, i);
            found.unmatched -= j > i && mirror >= 0 ? 1 : 0;
            T const other = mirror < 0 ? T{} : conjugate_of(a.coefficients[mirror]);
            double const difference = double(magnitude(a.coefficients[k] - other));
            if (difference == 0) continue;
            double const scale = largest[i] < largest[j] ? largest[i] : largest[j];
            double const relative = difference / scale; // not a number if a value is not finite
            found.largest = maximum{}(found.largest, relative <= infinity ? relative : infinity);
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
    // First for the entries to the right of the diagonal. If the numbers of entries on its two sides show that some on
    // the left have no mirror image, also for those.
    detail::asymmetry_of_row<T, I, O> row{sorted.view, largest.data(), limit, false};
    auto const right = reduce(exec, a.rows(), detail::found_asymmetry{}, row, detail::merge_asymmetries{});
    if (right.unmatched == 0 || right.largest > limit) return right.largest;
    row.left = true;
    auto const left = reduce(exec, a.rows(), detail::found_asymmetry{}, row, detail::merge_asymmetries{});
    return maximum{}(right.largest, left.largest);
}

#define COPPICE_ASYMMETRY(EXTERN, EXECUTOR)                                                                            \
    EXTERN template double asymmetry_of(EXECUTOR const&, csr_view<float>, double);                                     \
    EXTERN template double asymmetry_of(EXECUTOR const&, csr_view<double>, double)
COPPICE_ASYMMETRY(extern, host_executor);
COPPICE_ASYMMETRY(extern, cuda_executor);

} // namespace coppice::inline v0_1
