// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Factor once, solve often: what a worker keeps of the elimination of a stretch, and how it uses that.
///
/// For each group of K unknowns the worker keeps the pivot rows U, with their columns of the next W unknowns and of y;
/// the factors L, the f of (3) in words.md; and for each column the number of its pivot row. For a stretch that was
/// eliminated by reflections it keeps v (chain_reflect.hpp) in place of the factors and, instead of the number of a
/// pivot row, the weight of the reflection with a minus sign. A solve repeats (4) on the right-hand sides, stores the
/// right-hand sides of the pivot rows where the solution will stand, and does (5).
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

namespace coppice::chain {

/// One group of a stretch in memory: L with U of its own columns [K][rows], U of later columns and y [...][K], pivots
/// [K].
template <class T>
struct kept_group {
    T* at;
    int rows, stack_rows, later;

    COPPICE_HD COPPICE_ALWAYS_INLINE T& factor(int r, int k) const { return at[k * stack_rows + r]; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& upper(int r, int j) const { return at[(stack_rows + j) * rows + r]; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& pivot(int k) const { return at[(stack_rows + later) * rows + k]; }
};

/// Elements of one group; `later` columns: W of the next unknowns and W of y.
template <class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE int kept_elements(Shape const& g) {
    return g.rows() * (g.stack_rows() + 2 * g.width() + 1);
}
template <class T, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE kept_group<T> kept_at(T* memory, Shape const& g, int inner) {
    return {memory + std::int64_t(inner) * kept_elements(g), g.rows(), g.stack_rows(), 2 * g.width()};
}

/// The number of the pivot row as an element; plain lanes hold small integers exactly.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T pivot_number(scalar_pivot<T> const& p, int, int) {
    return T(typename lane_traits<real_lane_t<T>>::value_type(p.row));
}
template <class T>
COPPICE_ALWAYS_INLINE T pivot_number(pack_pivot<T> const& p, int k, int rows) {
    using real = typename lane_traits<real_lane_t<T>>::value_type;
    T number{real(k)};
    for (int r = k + 1; r < rows; ++r) number = select(p.here(r), T(real(r)), number);
    return number;
}
/// For a reflection, minus its weight; the number of row k itself where the weight is 0, which changes nothing, or NaN.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T pivot_number(reflected_column<T> const& p, int k, int) {
    using real = real_lane_t<T>;
    real const own{typename lane_traits<real>::value_type(k)};
    real const number = select(real(0) < p.weight, -p.weight, own);
    if constexpr (is_complex_lane<T>)
        return T(number, real(0));
    else
        return number;
}
COPPICE_HD COPPICE_ALWAYS_INLINE float real_part(float a) { return a; }
COPPICE_HD COPPICE_ALWAYS_INLINE double real_part(double a) { return a; }
template <class R>
COPPICE_HD COPPICE_ALWAYS_INLINE R real_part(complex_lane<R> const& a) {
    return a.re;
}
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T real_part(T const& a) {
    return a;
}

/// Keeps the values of all lanes (keep_all), or of the lanes whose stretches become links (keep_some).
struct keep_all {
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(T& to, T const& value) const {
        to = value;
    }
};
template <class Places>
struct keep_some {
    Places const& at;
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(T& to, T const& value) const {
        for (int l = 0; l < lane_count<T>; ++l)
            if (at.lane[l].link >= 0) set_lane(to, l, get_lane(value, l));
    }
};

/// A teller that also records pivots. `kept` is the group that the elimination in progress belongs to.
template <class T, class Teller, class Keep = keep_all>
struct recording_teller {
    static constexpr bool recording = true;

    Keep keep;
    Teller teller;
    kept_group<T> kept;
    T* memory; ///< of the stretch
    int each;  ///< elements of a group
    int first; ///< unit of the first elimination

    COPPICE_HD COPPICE_ALWAYS_INLINE recording_teller at(int u) const {
        kept_group<T> group = kept;
        group.at = memory + std::int64_t(u - first) * each;
        return {keep, teller.at(u), group, memory, each, first};
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool wanted() const { return teller.wanted(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int lane) const { teller(k, lane); }
    template <class Pivot>
    COPPICE_HD COPPICE_ALWAYS_INLINE void record(int k, Pivot const& pivot, T const*) const {
        keep(kept.pivot(k), pivot_number(pivot, k, kept.stack_rows));
    }
};

/// Copies the factors and pivot rows of a group after its elimination.
template <class T, class Team, class Shape, class Keep>
struct keep_group {
    Team const& team;
    Shape const& g;
    T* memory;
    Keep keep;

    template <class Stacks>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int inner, Stacks const& stacks) const {
        stack_view<T> const& s = stacks.now;
        kept_group<T> const to = kept_at(memory, g, inner);
        for (int i = team.rank(); i < g.rows() * g.stack_rows(); i += team.size())
            keep(to.at[i], s(i % g.stack_rows(), i / g.stack_rows()));
        for (int i = team.rank(); i < g.rows() * to.later; i += team.size())
            keep(to.upper(i % g.rows(), i / g.rows()), s(i % g.rows(), g.rows() + i / g.rows()));
    }
};

/// Repeats the row operations of a group on the rows v of one right-hand side. `reflected`: some of the operations may
/// be reflections.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void repeat_operations(kept_group<T> const& kept, bool reflected, T* v) {
    using lane = real_lane_t<T>;
    using real = typename lane_traits<lane>::value_type;
    for (int k = 0; k < kept.rows; ++k) {
        auto const number = real_part(kept.pivot(k));
        if constexpr (lane_count<T> == 1) {
            int const pivot = number < 0 ? k : int(number);
            T const held = v[k];
            v[k] = v[pivot];
            v[pivot] = held;
        } else {
            for (int r = k + 1; r < kept.stack_rows; ++r) {
                auto const here = without(number <= lane(real(r)), number <= lane(real(r) - real(0.5)));
                T const top = v[k];
                v[k] = select(here, v[r], top);
                v[r] = select(here, top, v[r]);
            }
        }
        T multiple = v[k];
        if (reflected) {
            auto const here = number < lane(0);
            T sum = v[k];
            for (int r = k + 1; r < kept.stack_rows; ++r) sum = sum + conjugate_of(kept.factor(r, k)) * v[r];
            sum = scaled(sum, number); // -weight
            multiple = select(here, sum, v[k]);
            v[k] = select(here, v[k] + sum, v[k]);
        }
        for (int r = k + 1; r < kept.stack_rows; ++r) v[r] = v[r] + kept.factor(r, k) * multiple;
    }
}

/// Repeats the row operations of a stretch on its right-hand sides, one in each column of v. `pivots(inner, r, side,
/// value)` is called with the right-hand sides of pivot row r of each group; the right-hand sides of the link are then
/// in the first W rows of v.
template <class T, class Team, class Units, class Shape, class Places, class Pivots>
COPPICE_HD COPPICE_ALWAYS_INLINE void repeat_stretch(Team const& team, Units const& units, Shape const& g,
                                                     Places const& at, stack_view<T> const& v, T* kept, bool reflected,
                                                     Pivots const& pivots) {
    int const first = g.width() / g.rows();
    for (int u = 0; u < first; ++u) units.load_sides(team, g, at, u, v, u * g.rows(), 0);
    for (int u = first; u < g.units; ++u) {
        units.load_sides(team, g, at, u, v, g.width(), 0);
        team.sync();
        kept_group<T> const group = kept_at(kept, g, u - first);
        for (int side = team.rank(); side < g.sides; side += team.size()) {
            T* const column = v.column(side);
            repeat_operations(group, reflected, column);
            for (int r = 0; r < g.rows(); ++r) pivots(u - first, r, side, column[r]);
            for (int r = 0; r < g.width(); ++r) column[r] = column[r + g.rows()];
        }
        team.sync();
    }
}

struct forget_pivots {
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int, int, int, T const&) const {}
};
template <class T>
struct store_pivots {
    T* x;
    int rows, sides;
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int inner, int r, int side, T const& value) const {
        x[(inner * rows + r) * sides + side] = value;
    }
};

/// Turns the right-hand sides of a stretch into those of its link; `memory` holds forward_elements().
template <class T, class Team, class Units, class Shape, class Places, class Links>
COPPICE_HD inline void forward_stretch(Team const& team, Units const& units, Shape const& g, Places const& at,
                                       T* memory, T* kept, Links const& links) {
    stack_view<T> const v{memory, g.pitch(), g.sides, 0};
    repeat_stretch(team, units, g, at, v, kept, links.any_reflected(at), forget_pivots{});
    for (int i = team.rank(); i < g.width() * g.sides; i += team.size()) {
        int const r = i / g.sides, side = i - r * g.sides;
        links.take(at, r, 2 * g.width() + side, v(r, side));
    }
    team.sync();
}

/// Solves a stretch whose y and z are known, (5); `memory` holds backward_elements(). The right-hand sides of the pivot
/// rows are computed a second time: to keep them from forward_stretch costs more, since the rows that fill up a stretch
/// would need places, too.
template <class T, class Team, class Units, class Shape, class Places, class Boundary>
COPPICE_HD inline void backward_stretch(Team const& team, Units const& units, Shape const& g, Places const& at,
                                        T* memory, T* kept, Boundary const& boundary) {
    T *const x = memory, *const y = x + std::int64_t(g.unknowns()) * g.sides; // both [unknown][side]
    stack_view<T> const v{y + std::int64_t(g.width()) * g.sides, g.pitch(), g.sides, 0};
    for (int i = team.rank(); i < g.width() * g.sides; i += team.size()) {
        boundary.left(at, i / g.sides, i % g.sides, y[i]);
        boundary.right(at, i / g.sides, i % g.sides, x[g.inner() * g.rows() * g.sides + i]);
    }
    team.sync();
    repeat_stretch(team, units, g, at, v, kept, boundary.links.any_reflected(at),
                   store_pivots<T>{x, g.rows(), g.sides});
    int const each = g.rows() * g.sides;
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        kept_group<T> const group = kept_at(kept, g, inner);
        T* const here = x + std::int64_t(inner) * each;
        for (int i = team.rank(); i < each; i += team.size()) {
            int const r = i / g.sides, side = i - r * g.sides;
            T value = here[i];
            for (int c = 0; c < g.width(); ++c) {
                value = value - group.upper(r, c) * here[(g.rows() + c) * g.sides + side];
                value = value - group.upper(r, g.width() + c) * y[c * g.sides + side];
            }
            here[i] = value;
        }
        team.sync();
        for (int side = team.rank(); side < g.sides; side += team.size())
            solve_triangle(
                g.rows(), [&](int r, int c) -> T const& { return group.factor(r, c); },
                [&](int r) -> T& { return here[r * g.sides + side]; });
        team.sync();
    }
    for (int i = team.rank(); i < g.units * each; i += team.size()) {
        int const u = i / each, rest = i - u * each, r = rest / g.sides, side = rest - r * g.sides;
        units.store(at, u, r, side, u == 0 ? y[(g.width() - g.rows()) * g.sides + rest] : x[i - each]);
    }
    team.sync();
}

/// Elements of memory that forward_stretch and backward_stretch need.
template <class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t forward_elements(Shape const& g) {
    return std::int64_t(g.pitch()) * g.sides;
}
template <class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t backward_elements(Shape const& g) {
    return std::int64_t(g.unknowns() + g.width() + g.pitch()) * g.sides;
}

} // namespace coppice::chain
