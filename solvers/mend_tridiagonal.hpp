// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems of preconditioners made safe to solve with.
#pragma once

#include <cmath>
#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/lane_math.hpp>
#include <coppice/solvers/rpts.hpp>

namespace coppice {
namespace detail {

template <class T>
struct largest_entry_of_row {
    tridiagonal_view<T> a;
    COPPICE_HD double operator()(std::int64_t i) const {
        maximum const larger_or_nan;
        double const beside = larger_or_nan(i > 0 ? double(magnitude(a.lower[i])) : 0.0,
                                            i + 1 < a.size() ? double(magnitude(a.upper[i])) : 0.0);
        return larger_or_nan(beside, double(magnitude(a.diagonal[i])));
    }
};

/// A system that is solved to see what comes out: the matrix near one, and a random right-hand side, as large as the
/// rows are, so small that a pivot of zero gives a large result, not an infinite one that would reach other paths.
template <class T>
struct tridiagonal_probe {
    static constexpr int exponents = std::numeric_limits<T>::max_exponent;
    static constexpr double shrink = exponents > 128 ? 0x1p-500 : 0x1p-60; ///< of the right-hand side

    tridiagonal_view<T> a;
    double scale;        ///< a power of two
    double cancellation; ///< share of its terms that a row may cancel to; 0 allows any
    T *lower, *diagonal, *upper, *rhs, *solution;

    /// Fills row i. Corners are left out, so that rows outside do not matter.
    COPPICE_HD void operator()(std::int64_t i) const {
        lower[i] = i > 0 ? T(scale * double(a.lower[i])) : T(0);
        diagonal[i] = T(scale * double(a.diagonal[i]));
        upper[i] = i + 1 < a.size() ? T(scale * double(a.upper[i])) : T(0);
        double const size = scale * largest_entry_of_row<T>{a}(i);
        random_stream const random(0, 7);
        double const draw = random.uniform(std::uint64_t(i), 0.5, 1.0);
        double const signed_draw = random.bits(std::uint64_t(i)) & 1 ? -draw : draw;
        rhs[i] = T(shrink * (size > shrink ? size : shrink) * signed_draw);
    }
    /// Does row i show that the matrix is nearly singular? Its terms cancel to working precision, whatever the scale of
    /// rows and unknowns is, or its unknown is beyond all bounds, as where no pivot holds it.
    COPPICE_HD bool breaks(std::int64_t i) const {
        if (i < 0 || i >= a.size()) return false;
        double const here = magnitude(solution[i]);
        double terms = double(magnitude(diagonal[i])) * here;
        if (i > 0) terms += double(magnitude(lower[i])) * double(magnitude(solution[i - 1]));
        if (i + 1 < a.size()) terms += double(magnitude(upper[i])) * double(magnitude(solution[i + 1]));
        double const right = magnitude(rhs[i]);
        return !(cancellation * terms <= right && here <= 1);
    }
    /// Rows that are mended: those that break, and their neighbours.
    COPPICE_HD bool mends(std::int64_t i) const { return breaks(i - 1) || breaks(i) || breaks(i + 1); }
};

template <class T>
struct count_mended {
    tridiagonal_probe<T> probe;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return probe.mends(i) ? 1 : 0; }
};

/// Makes the diagonal entry of a row that is to be mended a little larger than the entries beside it.
template <class T>
struct strengthen_pivot {
    tridiagonal_probe<T> probe;
    bool every_row;
    double unit; ///< about the largest entry; the pivot of a row without any
    T* diagonal; ///< of the system itself
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!every_row && !probe.mends(i)) return;
        double const old = diagonal[i];
        double const beside = (i > 0 ? double(magnitude(probe.a.lower[i])) : 0.0) +
                              (i + 1 < probe.a.size() ? double(magnitude(probe.a.upper[i])) : 0.0);
        double size = old < 0 ? -old : old;
        size = size > beside ? size : beside;
        size = size > unit * probe.shrink ? (1 + 0x1p-6) * size : unit;
        diagonal[i] = T(old < 0 ? -size : size);
    }
};

} // namespace detail

/// Mends `system` where it is singular or nearly so, that its solution is finite for every finite right-hand side: the
/// pivots of rows that break, and of the rows beside them, are shifted until they outweigh the rest of their rows.
/// Returns the number of rows that were mended; 0, the usual case, changes nothing.
///
/// `whole` says that the system is all of the matrix: one that is nearly singular belongs to it then, and only what has
/// no finite solution is mended.
///
/// Found out by a solve with a random right-hand side: both executors find the same parts, if not the same number of
/// rows of them. Waits for it, and
/// allocates 5 n elements and the workspace of a solve. A system with entries that are not finite is left as it is.
template <executor Executor, class T>
std::int64_t mend_tridiagonal(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options,
                              bool whole) {
    std::int64_t const n = system.size();
    double const largest = reduce(exec, n, 0.0, detail::largest_entry_of_row<T>{system.view()}, maximum{});
    if (n == 0 || !std::isfinite(largest)) return 0;
    constexpr int rounds = 6; // after each of them fewer rows break, as a rule; then all are strengthened
    double const unit = largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
    tridiagonal<T> copy(exec, n);
    buffer<T> rhs(exec, n), solution(exec, n);
    detail::tridiagonal_probe<T> const probe{system.view(),
                                             1 / unit,
                                             whole ? 0.0 : 4 * double(std::numeric_limits<T>::epsilon()),
                                             copy.lower.data(),
                                             copy.diagonal.data(),
                                             copy.upper.data(),
                                             rhs.data(),
                                             solution.data()};
    std::int64_t mended = 0;
    for (int round = 0; round <= rounds; ++round) {
        for_each(exec, n, probe);
        solve_tridiagonal(exec, copy.view(), rhs.view(), solution.view(), options);
        std::int64_t const broken = reduce(exec, n, std::int64_t(0), detail::count_mended<T>{probe}, plus{});
        if (broken == 0) return mended;
        bool const every_row = round == rounds - 1;
        mended = every_row ? n : std::min(n, mended + broken);
        for_each(exec, n, detail::strengthen_pivot<T>{probe, every_row, unit, system.diagonal.data()});
    }
    return mended;
}

} // namespace coppice
