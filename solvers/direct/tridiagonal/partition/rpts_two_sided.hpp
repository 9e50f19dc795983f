// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solver of a small tridiagonal system that eliminates from both ends simultaneously: Gaussian elimination with the
/// pivoting of RPTS and the order of unknowns first, last, second, last but one, ...
///
/// Each step depends on the one before it. Two independent chains of half the length run in the two lanes of a
/// register: lane 0 downwards from the first row, lane 1 upwards from the last. Two equations in the two middle
/// unknowns remain. If the number of rows is odd, one row x = 0 is appended.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/solvers/direct/tridiagonal/partition/rpts_lane.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>

namespace coppice::inline v0_1::rpts {

/// The two middle unknowns, from the equations that remain of both ends: `down` is entry x[m] + next x[m+1] = rhs, `up`
/// is entry x[m+1] + next x[m] = rhs.
template <class T>
struct middle_pair {
    T first, second;

    template <pivoting P>
    COPPICE_ALWAYS_INLINE static middle_pair solve(open_row<T> const& down, open_row<T> const& up) {
        auto const swap = outdone<P>(down.entry, up.next);
        combination<T> const c(down.entry, up.next);
        bool const nothing = vanishes(c, down.next, up.entry) && vanishes(c, down.rhs, up.rhs);
        T const second = nothing ? T(0) : c.of(down.rhs, up.rhs) * safe_reciprocal(c.of(down.next, up.entry));
        T const reciprocal = c.template reciprocal_of_pivot<P>(swap, down.entry);
        return {reciprocal * (select(swap, up.rhs, down.rhs) - select(swap, up.entry, down.next) * second), second};
    }

private:
    /// Whether the linear combination is at most the rounding error of its terms. Equal equations differ by rounding
    /// errors here, since both were multiplied by different factors before. An unknown without an equation is set to 0,
    /// as one without a pivot.
    COPPICE_ALWAYS_INLINE static bool vanishes(combination<T> const& c, T p, T q) {
        constexpr T few = 2 * std::numeric_limits<T>::epsilon(), largest = std::numeric_limits<T>::max();
        T const value = magnitude(c.of(p, q));
        return value <= few * (magnitude(c.p_factor * p) + magnitude(c.q_factor * q)) && value <= largest;
    }
};

/// Both ends of a system in lanes 0 and 1 of `Lanes`: row j holds rows j and 2 half - 1 - j of the system.
template <class Lanes>
struct system_ends {
    using T = typename Lanes::value_type;

    system_view<T> const& s;
    std::int64_t const half = (s.size + 1) / 2;

    COPPICE_ALWAYS_INLINE static Lanes both(T down, T up) {
        Lanes value;
        value.v[0] = typename Lanes::vector{down, up};
        return value;
    }
    COPPICE_ALWAYS_INLINE T rhs_at(std::int64_t i) const { return s.rhs[s.source_of(i)]; }
    template <pivoting P>
    COPPICE_ALWAYS_INLINE equation<Lanes, Lanes> row(std::int64_t j) const {
        std::int64_t const up = 2 * half - 1 - j;
        return scaled<P>(both(s.lower[j], s.upper[up]), both(s.diagonal[j], s.diagonal[up]),
                         both(s.upper[j], s.lower[up]), both(rhs_at(j), rhs_at(up)));
    }
    /// Rows 0 and 1. If the size is odd, lane 1 of row 0 is the appended row x = 0.
    template <pivoting P>
    COPPICE_ALWAYS_INLINE equation<Lanes, Lanes> first_row() const {
        std::int64_t const n = s.size;
        bool const odd = n % 2 == 1;
        return scaled<P>(Lanes(T(0)), both(s.diagonal[0], odd ? T(1) : s.diagonal[n - 1]),
                         both(n > 1 ? s.upper[0] : T(0), odd ? T(0) : s.lower[n - 1]),
                         both(rhs_at(0), odd ? T(0) : rhs_at(n - 1)));
    }
    template <pivoting P>
    COPPICE_ALWAYS_INLINE equation<Lanes, Lanes> second_row() const {
        if (s.size % 2 == 0) return row<P>(1);
        std::int64_t const n = s.size;
        return scaled<P>(both(s.lower[1], T(0)), both(s.diagonal[1], s.diagonal[n - 1]),
                         both(s.upper[1], s.lower[n - 1]), both(rhs_at(1), rhs_at(n - 1)));
    }
    COPPICE_ALWAYS_INLINE void store(std::int64_t j, Lanes const& x) const {
        std::int64_t const up = 2 * half - 1 - j;
        s.x[s.target_of(j)] = x.v[0][0];
        if (up < s.size) s.x[s.target_of(up)] = x.v[0][1];
    }
};

/// Solves a system of at least one row, without a threshold; `slots` has `half` elements in each band for the pivot
/// rows.
template <pivoting P, class Lanes, class T>
COPPICE_ALWAYS_INLINE void solve_from_ends(system_view<T> const& s, partition_rows<Lanes> const& slots) {
    system_ends<Lanes> const ends{s};
    auto const first = ends.template first_row<P>();
    open_row<Lanes> p{first.diagonal, first.upper, first.rhs};
    constexpr no_threshold none{};
    int const half = int(ends.half);
    if (half > 1) p = eliminate_row<P>(slots, 0, ends.template second_row<P>(), p, none);
    for (int j = 2; j < half; ++j) p = eliminate_row<P>(slots, j - 1, ends.template row<P>(j), p, none);
    auto const middle = middle_pair<T>::template solve<P>({p.entry.v[0][0], p.next.v[0][0], p.rhs.v[0][0]},
                                                          {p.entry.v[0][1], p.next.v[0][1], p.rhs.v[0][1]});
    Lanes x1 = ends.both(middle.first, middle.second), x2 = ends.both(middle.second, middle.first);
    ends.store(half - 1, x1);
    for (int j = half - 2; j >= 0; --j) ends.store(j, solve_slot(slots, j, x1, x2));
}

} // namespace coppice::inline v0_1::rpts
