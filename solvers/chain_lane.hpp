// SPDX-License-Identifier: BSD-3-Clause
/// \file The chain solver: what one worker does with one stretch of rows.
///
/// RPTS reduces a partition to one equation for each of its two end unknowns by two sweeps, each of which sees all rows
/// but one. Where those rows are singular by themselves the coarse system is ill-conditioned though the matrix is not
/// (thesis section 2.4.1). Here the unknowns are eliminated once, and every row that holds an unknown may become its
/// pivot row. That is Gaussian elimination with partial pivoting of the whole matrix, its columns permuted, so no
/// partition can be singular unless the matrix is: the columns of the inner unknowns have all their entries in the rows
/// of the partition. (Structured elimination of S. J. Wright, SIAM J. Sci. Stat. Comput. 13 (1992), 742-764.)
///
/// What remains of a stretch are two block rows in the unknowns y = (x[first - 1], x[first]) before it and
/// z = (x[last], x[last + 1]) behind it, S y + R z = d: a link. Links form a chain, and stretches of links reduce
/// to links by the same elimination. A chain that is closed, S y + R y = d, is what a cyclic matrix leaves; for
/// any other matrix the columns that close it are zero. So nothing here knows of cyclic systems.
///
/// A worker sees its stretch as units of K rows and K + W columns; unit u begins at local column u K. The first W
/// columns are y, the last W are z, those between are eliminated. Block rows: K = n, W = 2 n. Links: K = W = 2 n.
///
/// T is a lane type: a scalar, complex or not, or a pack of them, one stretch in each lane. A Team of lanes shares the
/// work on one stretch: `rank()`, `size()`, `sync()`; a CPU core works alone.
#pragma once

#include <cstdint>
#include <type_traits>

#include "solvers/lane_access.hpp"

namespace coppice::chain {

/// A team of one.
struct alone {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rank() { return 0; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int size() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr void sync() {}
};

inline constexpr int most_stack_rows = 32; ///< W + K of links of blocks of 8

/// Sizes of one stage: K and W, here known at run time only.
struct any_size {
    int rows_, width_;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rows() const { return rows_; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int width() const { return width_; }
};
/// Sizes known to the compiler, whose elimination it unrolls.
template <int K, int W>
struct known_size {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rows() { return K; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int width() { return W; }
};

/// The same and what goes with them. `sides` right-hand sides are solved at once.
template <class Size>
struct unit_shape : Size {
    int units; ///< of a stretch, at least W / K
    int sides;

    using Size::rows;
    using Size::width;
    COPPICE_HD COPPICE_ALWAYS_INLINE int stack_rows() const { return width() + rows(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE int pitch() const { return stack_rows() | 1; }  ///< odd, against bank conflicts
    COPPICE_HD COPPICE_ALWAYS_INLINE int active() const { return width() + rows(); } ///< columns of a unit
    COPPICE_HD COPPICE_ALWAYS_INLINE int inner() const { return units - width() / rows(); } ///< groups to eliminate
    COPPICE_HD COPPICE_ALWAYS_INLINE int unknowns() const { return inner() * rows() + width(); } ///< those and z
    COPPICE_HD COPPICE_ALWAYS_INLINE int reduce_columns() const { return active() + width() + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int substitute_columns() const { return active() + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t slot_elements() const {
        return std::int64_t(inner()) * rows() * active();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t reduce_elements() const { return 2ll * pitch() * reduce_columns(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t substitute_elements() const {
        return 2ll * pitch() * substitute_columns() + slot_elements() + std::int64_t(unknowns() + width()) * sides;
    }
};

/// How to eliminate.
template <class Real>
struct elimination {
    Real threshold;   ///< entries up to this count as zero,
    bool flush;       ///< where this is on
    bool equilibrate; ///< scale each row by a power of two first (scaled partial pivoting)
};

/// Rows under elimination, column-major. Columns: W + K of the unknowns, the first K of which go next; `left` of y; the
/// right-hand sides. Rows: W that are left from before, K of the next unit.
template <class T>
struct stack_view {
    T* at;
    int pitch, columns;
    int left; ///< columns of y: W in the reduction, none where y is known

    COPPICE_HD COPPICE_ALWAYS_INLINE T* column(int j) const { return at + j * pitch; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& operator()(int r, int j) const { return at[j * pitch + r]; }
};

/// The row with the largest entry of a column among rows [k, rows), for a scalar: its number. The first of equals wins.
template <class T>
struct scalar_pivot {
    int row;

    COPPICE_HD COPPICE_ALWAYS_INLINE scalar_pivot(T const* column, int k, int rows) : row(k) {
        auto best = magnitude(column[k]);
        for (int r = k + 1; r < rows; ++r)
            if (auto const size = magnitude(column[r]); best < size) {
                best = size;
                row = r;
            }
    }
    /// Row k and the pivot row exchanged: what stands in the pivot's place, and in row r then.
    COPPICE_HD COPPICE_ALWAYS_INLINE T top(T const* column, int, int) const { return column[row]; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T below(T const* column, int k, int r) const { return column[r == row ? k : r]; }
};

/// The same for a pack: a mask for each row.
template <class T>
struct pack_pivot {
    decltype(real_lane_t<T>() <= real_lane_t<T>()) here[most_stack_rows];

    COPPICE_ALWAYS_INLINE pack_pivot(T const* column, int k, int rows) {
        auto best = magnitude(column[k]);
        for (int r = k + 1; r < rows; ++r) {
            auto const size = magnitude(column[r]);
            here[r] = best < size;
            best = select(here[r], size, best);
        }
        // A later row that was larger still takes the place of an earlier one.
        auto later = here[rows - 1];
        for (int r = rows - 2; r > k; --r) {
            auto const mine = here[r];
            here[r] = without(mine, later);
            later = later || mine;
        }
    }
    COPPICE_ALWAYS_INLINE T top(T const* column, int k, int rows) const {
        T value = column[k];
        for (int r = k + 1; r < rows; ++r) value = select(here[r], column[r], value);
        return value;
    }
    COPPICE_ALWAYS_INLINE T below(T const* column, int k, int r) const { return select(here[r], column[k], column[r]); }
};

/// Removes column k from the rows below k of one column: v the pivot row's entry, factors f[k + 1 ... rows).
/// Rows from `moved` on go to to[r - moved], the others stay.
template <class T, class Pivot>
COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate_in(T* column, Pivot const& pivot, T const* f, int k, int rows,
                                                   int moved, T* to) {
    T const v = pivot.top(column, k, rows);
    if constexpr (lane_count<T> == 1) {
        T const held = column[k];
        column[k] = v;
        for (int r = k + 1; r < rows; ++r) {
            T const value = (r == pivot.row ? held : column[r]) + f[r] * v;
            (r < moved ? column[r] : to[r - moved]) = value;
        }
    } else {
        T const held = column[k];
        for (int r = k + 1; r < rows; ++r) {
            T const value = select(pivot.here[r], held, column[r]) + f[r] * v;
            (r < moved ? column[r] : to[r - moved]) = value;
        }
        column[k] = v;
    }
}

/// Eliminates the first `count` columns of `s` from `rows` rows by partial pivoting. Pivot rows stay, with reciprocals
/// in place of the pivots; what is left moves to `next`, up and to the left by `count`. zero_pivot(k, lane) hears of
/// columns of zeros; where it records, it hears of every pivot, and the first `count` columns keep the factors below.
template <class T, class Team, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void
eliminate_columns(Team const& team, stack_view<T> const& s, int count, int rows, int active, stack_view<T> const& next,
                  elimination<real_lane_t<T>> const& how, Tell const& zero_pivot) {
    using pivot_type = std::conditional_t<lane_count<T> == 1, scalar_pivot<T>, pack_pivot<T>>;
    for (int k = 0; k < count; ++k) {
        T* const key = s.column(k);
        if (how.flush) {
            for (int r = k + team.rank(); r < rows; r += team.size())
                key[r] = select(magnitude(key[r]) <= how.threshold, T(0), key[r]);
            team.sync();
        }
        pivot_type const pivot(key, k, rows);
        T const top = pivot.top(key, k, rows);
        if (zero_pivot.wanted() && team.rank() == 0)
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(magnitude(top), l) == 0) zero_pivot(k, l);
        if (team.rank() == 0) zero_pivot.record(k, pivot, key);
        T const reciprocal = safe_reciprocal(top);
        bool const last = k == count - 1;
        if constexpr (lane_count<T> == 1) {
            // Factors take the place of the entries they remove, where the whole team sees them.
            T const held = key[k];
            team.sync();
            for (int r = k + 1 + team.rank(); r < rows; r += team.size())
                key[r] = -((r == pivot.row ? held : key[r]) * reciprocal);
            if (team.rank() == 0) key[k] = reciprocal;
            team.sync();
            for (int j = k + 1 + team.rank(); j < s.columns; j += team.size())
                eliminate_in(s.column(j), pivot, static_cast<T const*>(key), k, rows, last ? count : rows,
                             next.column(j < active ? (j < count ? 0 : j - count) : j));
            team.sync();
        } else {
            T f[most_stack_rows];
            for (int r = k + 1; r < rows; ++r) f[r] = -(pivot.below(key, k, r) * reciprocal);
            key[k] = reciprocal;
            if (zero_pivot.recording)
                for (int r = k + 1; r < rows; ++r) key[r] = f[r];
            if (!last) {
                for (int j = k + 1; j < s.columns; ++j) eliminate_in(s.column(j), pivot, f, k, rows, rows, s.at);
            } else {
                for (int j = count; j < active; ++j)
                    eliminate_in(s.column(j), pivot, f, k, rows, count, next.column(j - count));
                for (int j = active; j < s.columns; ++j)
                    eliminate_in(s.column(j), pivot, f, k, rows, count, next.column(j));
            }
        }
    }
}

/// Scales `rows` rows from `first` on so that the largest of the active columns is near 1.
template <class T, class Team>
COPPICE_HD inline void equilibrate_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active) {
    for (int r = first + team.rank(); r < first + rows; r += team.size()) {
        auto size = magnitude(s(r, 0));
        for (int j = 1; j < active; ++j) size = larger(magnitude(s(r, j)), size);
        auto const factor = scale_to_one(size);
        for (int j = 0; j < s.columns; ++j) s(r, j) = scaled(s(r, j), factor);
    }
    team.sync();
}

/// Entries of the active columns up to the threshold become zero.
template <class T, class Team>
COPPICE_HD inline void flush_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active,
                                  real_lane_t<T> const& threshold) {
    for (int i = team.rank(); i < rows * active; i += team.size()) {
        T& entry = s(first + i % rows, i / rows);
        entry = select(magnitude(entry) <= threshold, T(0), entry);
    }
    team.sync();
}

/// Loads unit `u` to the last K rows, ready for elimination.
template <class T, class Team, class Units, class Shape, class Places>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_unit(Team const& team, Units const& units, Shape const& g, Places const& at,
                                                int u, stack_view<T> const& s, elimination<real_lane_t<T>> const& how) {
    for (int i = team.rank(); i < g.rows() * s.left; i += team.size())
        s(g.width() + i % g.rows(), g.active() + i / g.rows()) = T(0);
    units.load(team, g, at, u, s);
    team.sync();
    if (how.flush) flush_rows(team, s, g.width(), g.rows(), g.active(), how.threshold);
    if (how.equilibrate) equilibrate_rows(team, s, g.width(), g.rows(), g.active());
}

/// Puts unit `u` < W / K, which reaches into y, into rows [u K, u K + K). Where y is known it goes to the other side.
template <class T, class Team, class Units, class Shape, class Places>
COPPICE_HD inline void load_first_unit(Team const& team, Units const& units, Shape const& g, Places const& at, int u,
                                       stack_view<T> const& s, T const* y, elimination<real_lane_t<T>> const& how) {
    int const offset = u * g.rows(), active = g.active();
    load_unit(team, units, g, at, u, s, how); // to the last rows, as it stands; then dealt out
    for (int i = team.rank(); i < g.rows() * s.columns; i += team.size()) {
        int const j = i / g.rows(), r = i - j * g.rows(), from = g.width() + r;
        T value(0);
        if (j < g.width()) { // an unknown behind y
            int const c = g.width() + j - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active && j < active + s.left) { // y itself
            int const c = j - active - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active + s.left) {
            value = s(from, j);
            if (s.left == 0)
                for (int c = 0; c + offset < g.width() && c < active; ++c)
                    value = value - s(from, c) * y[(c + offset) * g.sides + (j - active)];
        }
        s(offset + r, j) = value;
    }
    team.sync();
}

/// Walks through a stretch; after every elimination `kept(inner, stack)` may take the K pivot rows. Returns the stack
/// whose first W rows are what is left.
template <class T, class Team, class Units, class Shape, class Places, class Kept, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE stack_view<T>
walk(Team const& team, Units const& units, Shape const& g, Places const& at, T* memory, int left, T const* y,
     elimination<real_lane_t<T>> const& how, Kept const& kept, Tell const& tell) {
    int const columns = g.active() + left + g.sides, first = g.width() / g.rows();
    stack_view<T> now{memory, g.pitch(), columns, left}, next{memory + g.pitch() * columns, g.pitch(), columns, left};
    for (int u = 0; u < first; ++u) load_first_unit(team, units, g, at, u, now, y, how);
    for (int u = first; u < g.units; ++u) {
        load_unit(team, units, g, at, u, now, how);
        for (int i = team.rank(); i < g.rows() * g.width(); i += team.size())
            next(i % g.width(), g.width() + i / g.width()) = T(0);
        eliminate_columns(team, now, g.rows(), g.stack_rows(), g.active(), next, how, tell.at(u));
        kept(u - first, now);
        team.sync();
        stack_view<T> const old = now;
        now = next;
        next = old;
    }
    return now;
}

struct keep_nothing {
    template <class Stack>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int, Stack const&) const {}
};

/// Reduces a stretch to a link, S y + R z = d; `memory` holds g.reduce_elements().
template <class T, class Team, class Units, class Shape, class Places, class Links, class Tell>
COPPICE_HD inline void reduce_stretch(Team const& team, Units const& units, Shape const& g, Places const& at, T* memory,
                                      elimination<real_lane_t<T>> const& how, Links const& links, Tell const& tell) {
    int const w = g.width(), columns = 2 * w + g.sides;
    auto const s = walk(team, units, g, at, memory, w, static_cast<T const*>(nullptr), how, keep_nothing{}, tell);
    for (int i = team.rank(); i < w * columns; i += team.size()) {
        int const r = i / columns, j = i - r * columns;
        links.take(at, r, j, s(r, j < w ? g.active() + j : j < 2 * w ? j - w : g.active() + j - w));
    }
    team.sync();
}

/// Keeps the pivot rows of a walk: matrix part to `slots`, right-hand sides to `x`.
template <class T, class Team, class Shape>
struct keep_slots {
    Team const& team;
    Shape const& g;
    T *slots, *x;

    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int inner, stack_view<T> const& s) const {
        for (int i = team.rank(); i < g.rows() * s.columns; i += team.size()) {
            int const j = i / g.rows(), r = i - j * g.rows();
            if (j < g.active())
                slots[(std::int64_t(inner) * g.active() + j) * g.rows() + r] = s(r, j);
            else
                x[(inner * g.rows() + r) * g.sides + j - g.active()] = s(r, j);
        }
    }
};

/// Solves slot rows upwards: x holds right-hand sides and becomes the solution, its last W rows are z.
template <class T, class Team, class Shape>
COPPICE_HD inline void substitute_slots(Team const& team, Shape const& g, T const* slots, T* x) {
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        T const* const slot = slots + std::int64_t(inner) * g.rows() * g.active();
        T* const here = x + inner * g.rows() * g.sides;
        for (int i = team.rank(); i < g.rows() * g.sides; i += team.size()) {
            int const r = i / g.sides, side = i - r * g.sides;
            T value = here[i];
            for (int c = g.rows(); c < g.active(); ++c)
                value = value - slot[c * g.rows() + r] * here[c * g.sides + side];
            here[i] = value;
        }
        team.sync();
        for (int side = team.rank(); side < g.sides; side += team.size())
            for (int r = g.rows() - 1; r >= 0; --r) {
                T value = here[r * g.sides + side];
                for (int c = r + 1; c < g.rows(); ++c)
                    value = value - slot[c * g.rows() + r] * here[c * g.sides + side];
                here[r * g.sides + side] = value * slot[r * g.rows() + r];
            }
        team.sync();
    }
}

/// Solves a stretch, y and z known: `boundary.left(at, i, to)`, `boundary.right(at, i, to)`; gives unit u the values of
/// its first K unknowns behind x[first - 1] by `units.store(at, u, r, side, value)`.
template <class T, class Team, class Units, class Shape, class Places, class Boundary, class Tell>
COPPICE_HD inline void substitute_stretch(Team const& team, Units const& units, Shape const& g, Places const& at,
                                          T* memory, elimination<real_lane_t<T>> const& how, Boundary const& boundary,
                                          Tell const& tell) {
    T* const slots = memory + 2ll * g.pitch() * g.substitute_columns();
    T* const x = slots + g.slot_elements();
    T* const y = x + std::int64_t(g.unknowns()) * g.sides;
    for (int i = team.rank(); i < g.width() * g.sides; i += team.size()) {
        boundary.left(at, i, y[i]);
        boundary.right(at, i, x[g.inner() * g.rows() * g.sides + i]);
    }
    team.sync();
    walk(team, units, g, at, memory, 0, static_cast<T const*>(y), how, keep_slots<T, Team, Shape>{team, g, slots, x},
         tell);
    substitute_slots(team, g, slots, x);
    int const each = g.rows() * g.sides;
    for (int i = team.rank(); i < g.units * each; i += team.size()) {
        int const u = i / each, rest = i - u * each, r = rest / g.sides, side = rest - r * g.sides;
        units.store(at, u, r, side, u == 0 ? y[(g.width() - g.rows()) * g.sides + rest] : x[i - each]);
    }
    team.sync();
}

} // namespace coppice::chain
