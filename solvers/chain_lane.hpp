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

#include "solvers/lane_access.hpp"

namespace coppice::chain {

/// A team of one.
struct alone {
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int rank() { return 0; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int size() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr void sync() {}
};

/// Sizes of one stage. `sides` right-hand sides are solved at once.
struct unit_shape {
    int rows;  ///< K
    int width; ///< W
    int units; ///< of a stretch, at least W / K
    int sides;

    COPPICE_HD COPPICE_ALWAYS_INLINE int stack_rows() const { return width + rows; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int inner() const {
        return units - width / rows;
    } ///< groups of K unknowns to eliminate
    COPPICE_HD COPPICE_ALWAYS_INLINE int unknowns() const { return inner() * rows + width; } ///< those and z
    COPPICE_HD COPPICE_ALWAYS_INLINE int reduce_columns() const { return 2 * width + rows + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int substitute_columns() const { return width + rows + sides; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int slot_columns() const { return width + rows; }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t reduce_elements() const {
        return 2ll * stack_rows() * reduce_columns();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t substitute_elements() const {
        return 2ll * stack_rows() * substitute_columns() + std::int64_t(inner()) * rows * slot_columns() +
               std::int64_t(unknowns() + width) * sides;
    }
};

/// How to eliminate.
template <class Real>
struct elimination {
    Real threshold;   ///< entries up to this count as zero,
    bool flush;       ///< where this is on
    bool equilibrate; ///< scale each row by a power of two first (scaled partial pivoting)
};

/// Brings the row with the largest entry of column k to row k of `rows` rows; the first of equals stays.
template <class T, class Team>
COPPICE_HD inline void bring_pivot_up(Team const& team, T* stack, int k, int rows, int columns) {
    if constexpr (lane_count<T> == 1) {
        int pivot = k;
        auto best = magnitude(stack[k * columns + k]);
        for (int r = k + 1; r < rows; ++r)
            if (auto const size = magnitude(stack[r * columns + k]); best < size) {
                best = size;
                pivot = r;
            }
        team.sync();
        if (pivot != k)
            for (int j = k + team.rank(); j < columns; j += team.size()) {
                T const held = stack[k * columns + j];
                stack[k * columns + j] = stack[pivot * columns + j];
                stack[pivot * columns + j] = held;
            }
        team.sync();
    } else {
        T* const top = stack + k * columns;
        for (int r = k + 1; r < rows; ++r) {
            T* const row = stack + r * columns;
            auto const swap = magnitude(top[k]) < magnitude(row[k]);
            for (int j = k; j < columns; ++j) {
                T const held = top[j];
                top[j] = select(swap, row[j], held);
                row[j] = select(swap, held, row[j]);
            }
        }
    }
}

/// Eliminates the first `count` columns from `rows` rows by partial pivoting; the first `count` rows are the pivot rows
/// afterwards, with the reciprocals of the pivots in place of these. Tells `zero_pivot(k, lane)` of columns of zeros.
template <class T, class Team, class Tell>
COPPICE_HD inline void eliminate_columns(Team const& team, T* stack, int count, int rows, int columns,
                                         elimination<real_lane_t<T>> const& how, Tell const& zero_pivot) {
    for (int k = 0; k < count; ++k) {
        if (how.flush) {
            for (int r = k + team.rank(); r < rows; r += team.size()) {
                T& entry = stack[r * columns + k];
                entry = select(magnitude(entry) <= how.threshold, T(0), entry);
            }
            team.sync();
        }
        bring_pivot_up(team, stack, k, rows, columns);
        T* const top = stack + k * columns;
        if (zero_pivot.wanted() && team.rank() == 0)
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(magnitude(top[k]), l) == 0) zero_pivot(k, l);
        T const reciprocal = safe_reciprocal(top[k]);
        for (int r = k + 1; r < rows; ++r) {
            T* const row = stack + r * columns;
            T const factor = -(row[k] * reciprocal);
            for (int j = k + 1 + team.rank(); j < columns; j += team.size()) row[j] = row[j] + factor * top[j];
        }
        team.sync();
        if (team.rank() == 0) top[k] = reciprocal;
        team.sync();
    }
}

/// Scales rows so that the largest of the first `width` columns and of the `left` ones behind is near 1.
template <class T, class Team>
COPPICE_HD inline void equilibrate_rows(Team const& team, T* stack, int rows, int considered, int columns) {
    for (int r = team.rank(); r < rows; r += team.size()) {
        T* const row = stack + r * columns;
        auto size = magnitude(row[0]);
        for (int j = 1; j < considered; ++j) size = larger(magnitude(row[j]), size);
        auto const factor = scale_to_one(size);
        for (int j = 0; j < columns; ++j) row[j] = scaled(row[j], factor);
    }
    team.sync();
}

/// Entries of the first `considered` columns up to the threshold become zero.
template <class T, class Team>
COPPICE_HD inline void flush_rows(Team const& team, T* stack, int rows, int considered, int columns,
                                  real_lane_t<T> const& threshold) {
    for (int i = team.rank(); i < rows * considered; i += team.size()) {
        T& entry = stack[i / considered * columns + i % considered];
        entry = select(magnitude(entry) <= threshold, T(0), entry);
    }
    team.sync();
}

/// Loads unit `u` of stretch `p`, its right-hand sides from column `sides_at` on, ready for elimination.
template <class T, class Team, class Units, class Places>
COPPICE_HD inline void load_unit(Team const& team, Units const& units, unit_shape const& g, Places const& at, int u,
                                 T* raw, int columns, int sides_at, elimination<real_lane_t<T>> const& how) {
    int const considered = g.width + g.rows;
    units.load(team, at, u, raw, columns, sides_at);
    team.sync();
    if (how.flush) flush_rows(team, raw, g.rows, considered, columns, how.threshold);
    if (how.equilibrate) equilibrate_rows(team, raw, g.rows, considered, columns);
}

/// The active part of a stack: W rows that still hold the unknowns being eliminated, then room for K more. Columns: W
/// and K of the unknowns, `left` of y, the right-hand sides.
template <class T>
struct stack_view {
    T* at;
    int columns;
    int left; ///< columns of y: W in the reduction, none where y is known

    COPPICE_HD COPPICE_ALWAYS_INLINE T* row(int r) const { return at + r * columns; }
};

/// Puts unit `u` of stretch `p` into rows [to, to + K), with its columns shifted by `offset` against y.
template <class T, class Team, class Units, class Places>
COPPICE_HD inline void load_first_unit(Team const& team, Units const& units, unit_shape const& g, Places const& at,
                                       int u, stack_view<T> const& s, T const* y,
                                       elimination<real_lane_t<T>> const& how) {
    int const to = u * g.rows, offset = u * g.rows, base = g.width + g.rows;
    // Loaded to the rows behind first, as it stands, then dealt out.
    T* const raw = s.row(g.width);
    load_unit(team, units, g, at, u, raw, s.columns, base + s.left, how);
    for (int i = team.rank(); i < g.rows * s.columns; i += team.size()) {
        int const r = i / s.columns, j = i - r * s.columns;
        T const* const from = raw + r * s.columns;
        T value(0);
        if (j < g.width) { // unknown behind y
            int const c = g.width + j - offset;
            if (c >= 0 && c < base) value = from[c];
        } else if (j >= base && j < base + s.left) { // y itself
            int const c = j - base - offset;
            if (c >= 0 && c < base) value = from[c];
        } else if (j >= base + s.left) {
            value = from[j];
            if (s.left == 0)
                for (int c = 0; c + offset < g.width && c < base; ++c)
                    value = value - from[c] * y[(c + offset) * g.sides + (j - base)];
        }
        s.row(to + r)[j] = value;
    }
    team.sync();
}

/// Walks through a stretch; after every elimination `kept(inner, stack)` may take the K pivot rows. Returns the stack
/// whose first W rows are what is left.
template <class T, class Team, class Units, class Places, class Kept, class Tell>
COPPICE_HD inline stack_view<T> walk(Team const& team, Units const& units, unit_shape const& g, Places const& at,
                                     T* memory, int left, T const* y, elimination<real_lane_t<T>> const& how,
                                     Kept const& kept, Tell const& tell) {
    int const columns = g.width + g.rows + left + g.sides, first = g.width / g.rows;
    stack_view<T> now{memory, columns, left}, next{memory + g.stack_rows() * columns, columns, left};
    for (int u = 0; u < first; ++u) load_first_unit(team, units, g, at, u, now, y, how);
    for (int u = first; u < g.units; ++u) {
        T* const raw = now.row(g.width);
        for (int i = team.rank(); i < g.rows * left; i += team.size())
            raw[(i / left) * columns + g.width + g.rows + i % left] = T(0);
        load_unit(team, units, g, at, u, raw, columns, g.width + g.rows + left, how);
        eliminate_columns(team, now.at, g.rows, g.stack_rows(), columns, how, tell.at(u));
        kept(u - first, now);
        // What is left moves up and, with its first K columns gone, to the left.
        for (int i = team.rank(); i < g.width * columns; i += team.size()) {
            int const r = i / columns, j = i - r * columns;
            next.row(r)[j] = j < g.width            ? now.row(r + g.rows)[j + g.rows]
                             : j < g.width + g.rows ? T(0)
                                                    : now.row(r + g.rows)[j];
        }
        team.sync();
        stack_view<T> const old = now;
        now = next;
        next = old;
    }
    return now;
}

struct keep_nothing {
    template <class Stack>
    COPPICE_HD void operator()(int, Stack const&) const {}
};

/// Reduces stretch `p` to a link, S y + R z = d; `memory` holds g.reduce_elements().
template <class T, class Team, class Units, class Places, class Links, class Tell>
COPPICE_HD inline void reduce_stretch(Team const& team, Units const& units, unit_shape const& g, Places const& at,
                                      T* memory, elimination<real_lane_t<T>> const& how, Links const& links,
                                      Tell const& tell) {
    auto const s = walk(team, units, g, at, memory, g.width, static_cast<T const*>(nullptr), how, keep_nothing{}, tell);
    int const base = g.width + g.rows;
    int const columns = 2 * g.width + g.sides;
    for (int i = team.rank(); i < g.width * columns; i += team.size()) {
        int const r = i / columns, j = i - r * columns;
        int const from = j < g.width ? base + j : j < 2 * g.width ? j - g.width : base + j - g.width;
        links.take(at, r, j, s.row(r)[from]);
    }
    team.sync();
}

/// Keeps the pivot rows of a walk: matrix part to `slots`, right-hand sides to `x`.
template <class T, class Team>
struct keep_slots {
    Team const& team;
    unit_shape const& g;
    T *slots, *x;

    COPPICE_HD void operator()(int inner, stack_view<T> const& s) const {
        int const columns = g.slot_columns();
        for (int i = team.rank(); i < g.rows * s.columns; i += team.size()) {
            int const r = i / s.columns, j = i - r * s.columns;
            if (j < columns)
                slots[(std::int64_t(inner) * g.rows + r) * columns + j] = s.row(r)[j];
            else
                x[(inner * g.rows + r) * g.sides + j - columns] = s.row(r)[j];
        }
    }
};

/// Solves slot rows upwards: x holds right-hand sides and becomes the solution, its last W rows are z.
template <class T, class Team>
COPPICE_HD inline void substitute_slots(Team const& team, unit_shape const& g, T const* slots, T* x) {
    int const columns = g.slot_columns();
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        T const* const slot = slots + std::int64_t(inner) * g.rows * columns;
        T* const here = x + inner * g.rows * g.sides;
        for (int i = team.rank(); i < g.rows * g.sides; i += team.size()) {
            int const r = i / g.sides, side = i - r * g.sides;
            T value = here[i];
            for (int c = g.rows; c < columns; ++c) value = value - slot[r * columns + c] * here[c * g.sides + side];
            here[i] = value;
        }
        team.sync();
        for (int side = team.rank(); side < g.sides; side += team.size())
            for (int r = g.rows - 1; r >= 0; --r) {
                T value = here[r * g.sides + side];
                for (int c = r + 1; c < g.rows; ++c) value = value - slot[r * columns + c] * here[c * g.sides + side];
                here[r * g.sides + side] = value * slot[r * columns + r];
            }
        team.sync();
    }
}

/// Solves stretch `p`, y and z known: `boundary.left(at, i, side)`, `boundary.right(at, i, side)`; gives unit u the
/// values of its first K unknowns behind x[first - 1] by `units.store(at, u, r, side, value)`.
template <class T, class Team, class Units, class Places, class Boundary, class Tell>
COPPICE_HD inline void substitute_stretch(Team const& team, Units const& units, unit_shape const& g, Places const& at,
                                          T* memory, elimination<real_lane_t<T>> const& how, Boundary const& boundary,
                                          Tell const& tell) {
    T* const slots = memory + 2ll * g.stack_rows() * g.substitute_columns();
    T* const x = slots + std::int64_t(g.inner()) * g.rows * g.slot_columns();
    T* const y = x + std::int64_t(g.unknowns()) * g.sides;
    for (int i = team.rank(); i < g.width * g.sides; i += team.size()) {
        boundary.left(at, i, y[i]);
        boundary.right(at, i, x[g.inner() * g.rows * g.sides + i]);
    }
    team.sync();
    walk(team, units, g, at, memory, 0, static_cast<T const*>(y), how, keep_slots<T, Team>{team, g, slots, x}, tell);
    team.sync();
    substitute_slots(team, g, slots, x);
    for (int i = team.rank(); i < g.units * g.rows * g.sides; i += team.size()) {
        int const u = i / (g.rows * g.sides), rest = i - u * g.rows * g.sides;
        int const r = rest / g.sides, side = rest - r * g.sides;
        units.store(at, u, r, side, u == 0 ? y[(g.width - g.rows) * g.sides + rest] : x[i - g.rows * g.sides]);
    }
    team.sync();
}

} // namespace coppice::chain
