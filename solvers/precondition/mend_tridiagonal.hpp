// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Tridiagonal systems of preconditioners made safe to solve with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <coppice/algebra/random.hpp>
#include <coppice/algebra/row_access.hpp>
#include <coppice/core/lane/lane_math.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/rpts/rpts.hpp>

namespace coppice {
namespace detail {

/// What a look at the rows of a system finds.
struct system_health {
    double largest; ///< magnitude of an entry; NaN where there is one
    bool dominant;  ///< every diagonal entry outweighs the rest of its row, by more than rounding can take away
};
struct worse_health {
    COPPICE_HD system_health operator()(system_health const& a, system_health const& b) const {
        return {maximum{}(a.largest, b.largest), a.dominant && b.dominant};
    }
};
template <class T>
struct health_of_row {
    static constexpr double margin = 1 + 0x1p-20;

    tridiagonal_view<T> a;
    COPPICE_HD system_health operator()(std::int64_t i) const {
        double const lower = i > 0 ? double(magnitude(a.lower[i])) : 0.0;
        double const upper = i + 1 < a.size() ? double(magnitude(a.upper[i])) : 0.0;
        double const middle = magnitude(a.diagonal[i]);
        maximum const larger_or_nan;
        return {larger_or_nan(larger_or_nan(lower, upper), middle), middle > 0 && middle >= margin * (lower + upper)};
    }
};
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
        random_stream const random(0, 7);
        rhs[i] = side(i, random.bits(std::uint64_t(i)) & 1);
    }
    /// The right-hand side of row i.
    COPPICE_HD T side(std::int64_t i, bool negative) const {
        double const size = scale * largest_entry_of_row<T>{a}(i);
        random_stream const random(0, 7);
        double const draw = random.uniform(std::uint64_t(i), 0.5, 1.0);
        return T(shrink * (size > shrink ? size : shrink) * (negative ? -draw : draw));
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
};

/// The pieces of a system: stretches of rows that no coupling joins with the rest. A piece is mended as a whole, where
/// any of its rows breaks: which of them do is a matter of rounding, whether any does is not.
template <class T>
struct begins_piece {
    tridiagonal_view<T> a;
    COPPICE_HD bool operator()(std::int64_t i) const {
        return i == 0 || (a.lower[i] == T(0) && a.upper[i - 1] == T(0));
    }
};
template <class T>
struct store_piece {
    begins_piece<T> begins;
    std::int32_t* piece;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t before) const {
        piece[i] = std::int32_t(before + (begins(i) ? 1 : 0) - 1);
    }
};
struct store_piece_start {
    std::int32_t* starts;
    COPPICE_HD void operator()(std::int64_t p, std::int64_t i) const { starts[p] = std::int32_t(i); }
};
/// Marks the rows that break, beside those marked before, and counts both.
template <class T>
struct mark_broken {
    tridiagonal_probe<T> probe;
    bool first;
    std::uint8_t* broken;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const {
        broken[i] = probe.breaks(i) || (!first && broken[i]) ? 1 : 0;
        return broken[i];
    }
};
/// The next right-hand side has the signs of the solution to the last one. A random one can be nearly orthogonal to
/// what a singular piece amplifies; this one, along what it has amplified, is not where the piece is near to symmetric
/// (the step of Hager's estimate of a condition, 1984).
template <class T>
struct turn_side {
    tridiagonal_probe<T> probe;
    COPPICE_HD void operator()(std::int64_t i) const { probe.rhs[i] = probe.side(i, probe.solution[i] < T(0)); }
};
struct store_broken {
    std::int32_t* before;
    COPPICE_HD void operator()(std::int64_t i, std::int64_t count) const { before[i] = std::int32_t(count); }
};
/// Whether the piece of row i is mended.
struct mended_pieces {
    std::int32_t const *piece, *starts, *broken_before;
    COPPICE_HD bool operator()(std::int64_t i) const {
        std::int32_t const p = piece[i];
        return broken_before[starts[p + 1]] > broken_before[starts[p]];
    }
};
struct count_mended {
    mended_pieces mends;
    COPPICE_HD std::int64_t operator()(std::int64_t i) const { return mends(i) ? 1 : 0; }
};

/// Makes the diagonal entry of a row that is to be mended a little larger than the entries beside it.
template <class T>
struct strengthen_pivot {
    tridiagonal_probe<T> probe;
    mended_pieces mends;
    double unit; ///< about the largest entry; the pivot of a row without any
    T* diagonal; ///< of the system itself
    COPPICE_HD void operator()(std::int64_t i) const {
        if (!mends(i)) return;
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

/// Mends tridiagonal systems that are singular or nearly so, that their solution is finite for every finite right-hand
/// side: the pivots of the pieces that break are shifted until they outweigh the rest of their rows. Keeps the memory
/// that it needs for that, so that mending again allocates nothing.
template <executor Executor, class T>
class tridiagonal_mender {
public:
    /// Returns the number of rows that were mended; 0, the usual case, changes nothing. One pass over the system where
    /// every row is dominated by its diagonal; else found out by two solves. Both executors
    /// find the same pieces unless one is on the verge of working precision. Waits. A system with entries that are not
    /// finite is left as it is; so are systems of more than 2^31 - 2 rows.
    ///
    /// `whole` says that the system is all of the matrix: one that is nearly singular belongs to it then, and only what
    /// has no finite solution is mended.
    std::int64_t mend(Executor const& exec, tridiagonal<T>& system, tridiagonal_options const& options, bool whole);

private:
    void take_memory(Executor const& exec, std::int64_t n);
    detail::mended_pieces find_pieces(Executor const& exec, detail::tridiagonal_probe<T> const& probe);

    tridiagonal<T> copy_{};
    buffer<T> rhs_{}, solution_{};
    buffer<std::uint8_t> broken_{};
    buffer<std::int32_t> piece_{}, starts_{}, broken_before_{};
    buffer<std::byte> workspace_{};
};

template <executor Executor, class T>
void tridiagonal_mender<Executor, T>::take_memory(Executor const& exec, std::int64_t n) {
    if (copy_.size() == n) return;
    copy_ = tridiagonal<T>(exec, n);
    rhs_ = buffer<T>(exec, n);
    solution_ = buffer<T>(exec, n);
    broken_ = buffer<std::uint8_t>(exec, n);
    piece_ = buffer<std::int32_t>(exec, n);
    starts_ = buffer<std::int32_t>(exec, n + 1);
    broken_before_ = buffer<std::int32_t>(exec, n + 1);
    workspace_ = buffer<std::byte>(exec, tridiagonal_workspace<T>(n));
}

template <executor Executor, class T>
detail::mended_pieces tridiagonal_mender<Executor, T>::find_pieces(Executor const& exec,
                                                                   detail::tridiagonal_probe<T> const& probe) {
    std::int64_t const n = probe.a.size();
    detail::begins_piece<T> const begins{probe.a};
    exclusive_scan(exec, n, begins, detail::store_piece<T>{begins, piece_.data()}, std::int64_t(0));
    std::int64_t const pieces = select(exec, n, begins, detail::store_piece_start{starts_.data()});
    std::int64_t const broken = exclusive_scan(exec, n, detail::flag_at{broken_.data()},
                                               detail::store_broken{broken_before_.data()}, std::int64_t(0));
    fill(exec, starts_.view().slice(pieces, 1), std::int32_t(n));
    fill(exec, broken_before_.view().slice(n, 1), std::int32_t(broken));
    return {piece_.data(), starts_.data(), broken_before_.data()};
}

template <executor Executor, class T>
std::int64_t tridiagonal_mender<Executor, T>::mend(Executor const& exec, tridiagonal<T>& system,
                                                   tridiagonal_options const& options, bool whole) {
    std::int64_t const n = system.size();
    auto const health = reduce(exec, n, detail::system_health{0, true}, detail::health_of_row<T>{system.view()},
                               detail::worse_health{});
    if (health.dominant || !std::isfinite(health.largest) || n >= std::numeric_limits<std::int32_t>::max()) return 0;
    double const unit = health.largest > 0 ? std::ldexp(1.0, std::ilogb(health.largest)) : 1.0;
    take_memory(exec, n);
    detail::tridiagonal_probe<T> const probe{system.view(),
                                             1 / unit,
                                             whole ? 0.0 : 16 * double(std::numeric_limits<T>::epsilon()),
                                             copy_.lower.data(),
                                             copy_.diagonal.data(),
                                             copy_.upper.data(),
                                             rhs_.data(),
                                             solution_.data()};
    for_each(exec, n, probe);
    std::int64_t broken = 0;
    for (bool const first : {true, false}) {
        if (!first) for_each(exec, n, detail::turn_side<T>{probe});
        solve_tridiagonal(exec, copy_.view(), rhs_.view(), solution_.view(), workspace_.view(), options);
        broken = reduce(exec, n, std::int64_t(0), detail::mark_broken<T>{probe, first, broken_.data()}, plus{});
    }
    if (broken == 0) return 0;
    detail::mended_pieces const mends = find_pieces(exec, probe);
    std::int64_t const mended = reduce(exec, n, std::int64_t(0), detail::count_mended{mends}, plus{});
    for_each(exec, n, detail::strengthen_pivot<T>{probe, mends, unit, system.diagonal.data()});
    return mended;
}

} // namespace coppice
