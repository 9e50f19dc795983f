// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: reduction and substitution of one segment of rows by one worker.
///
/// solvers/direct/DESIGN.md defines the terms and lists the equations (1) to (6) that comments refer to.
///
/// The inner unknowns of a segment have nonzero coefficients only in the rows of the segment, so they are eliminated
/// there. Each is eliminated once, and every row with a nonzero coefficient may become the pivot row. The method equals
/// Gaussian elimination with partial pivoting of the whole matrix with permuted columns; no segment is singular unless
/// the matrix is. (Structured elimination of S. J. Wright, SIAM J. Sci. Stat. Comput. 13 (1992), 742-764. RPTS, in
/// contrast, sweeps over a partition twice, each time over all rows except one. If these rows alone are nearly
/// singular, its coarse system is ill-conditioned even if the matrix is not, thesis section 2.4.1.)
///
/// A segment is condensed to two block rows S y + R z = d in the unknowns y = (x[first - 1], x[first]) before the
/// segment and z = (x[last], x[last + 1]) after it: a condensed segment. Condensed segments form a chain with the same
/// structure, so segments of condensed segments are condensed by the same elimination. For a cyclic matrix the end of
/// the chain equals its start, z = y; for any other matrix the columns that couple both ends are zero. So no function
/// here needs to distinguish cyclic systems.
///
/// A worker treats a segment as a sequence of block rows with K scalar rows and K + W columns each; block row u starts
/// at local column u K. The first W columns are those of y, the last W those of z, and the columns between are
/// eliminated. Block rows of the matrix: K = n, W = 2 n. Condensed segments: K = W = 2 n.
///
/// T is a lane type: a real or complex scalar, or a pack of scalars with one segment in each lane. The lanes of a Team
/// share the work on one segment; a CPU core is a team of one. The rows under elimination are an elimination_window
/// (chain_concepts.hpp), stored in memory or in registers; `walk` moves the window through a segment.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_concepts.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_stack.hpp>

namespace coppice::inline v0_1::chain {

/// Moves a window through a segment and applies (1) to (4) to the inner unknowns, K at a time. After the elimination of
/// group `inner` of unknowns, saved(inner, stacks) may copy the K pivot rows. At the end the first W rows of `stacks`
/// are the condensed rows.
template <class Shape, class Saved, class Observer, elimination_window<Observer> Stacks>
COPPICE_LANE void walk(Stacks& stacks, Shape const& g, Saved const& saved, Observer const& observer) {
    int const first = g.width() / g.rows();
    COPPICE_UNROLL
    for (int u = 0; u < first; ++u) stacks.load_first(u);
    COPPICE_NO_UNROLL
    for (int u = first; u < g.block_rows; ++u) {
        stacks.load(u);
        stacks.eliminate(observer.at(u));
        saved(u - first, stacks);
        stacks.advance();
    }
}

struct save_nothing {
    template <class Stacks>
    COPPICE_LANE void operator()(int, Stacks const&) const {}
};

/// Passes the remaining rows of a segment to `condensed` as condensed rows, S y + R z = d.
template <class Shape, class Locations, class Condensed>
struct store_condensed {
    Shape const& g;
    Locations const& at;
    Condensed const& condensed;

    template <class T>
    COPPICE_LANE void operator()(int r, int j, T const& value) const {
        int const w = g.width(), after = j - g.active(); // the columns of unknowns come first; W of them remain: z
        if (after >= 0)
            condensed.take(at, r, after < w ? after : after + w, value);
        else if (j < w)
            condensed.take(at, r, w + j, value);
    }
};

/// Reduces a segment to its condensed rows.
template <class Stacks, class Shape, class Locations, class Condensed, class Observer>
COPPICE_LANE void reduce_segment(Stacks& stacks, Shape const& g, Locations const& at, Condensed const& condensed,
                                 Observer const& observer) {
    walk(stacks, g, save_nothing{}, observer);
    stacks.for_each(g.width(), store_condensed<Shape, Locations, Condensed>{g, at, condensed});
}

/// The pivot rows of a segment in memory: `block_rows` block rows and the right-hand sides of one more, each
/// [right-hand side][K] and [column][K], followed by y. The pivot rows of group i of unknowns are stored in slot i;
/// their right-hand sides, which the solution overwrites, in the right-hand sides of slot i + 1. If the block rows
/// themselves are staged in this memory, block row i + 1 has already been loaded by then.
template <class T, class Shape>
struct slot_rows {
    T* at;
    Shape const& g;

    /// Right-hand sides of slot u; slot `block_rows` is the one after the last.
    COPPICE_LANE T& rhs(int u, int r, int s) const { return at[u * g.block_row_elements() + s * g.rows() + r]; }
    COPPICE_LANE T& entry(int u, int r, int c) const {
        return at[u * g.block_row_elements() + (g.rhs_count + c) * g.rows() + r];
    }
    /// Unknown k of y.
    COPPICE_LANE T& y(int k, int s) const { return known()[k * g.rhs_count + s]; }
    /// Unknown k of z.
    COPPICE_LANE T& z(int k, int s) const { return rhs(g.inner() + 1 + k / g.rows(), k % g.rows(), s); }
    COPPICE_LANE T* known() const { return at + g.block_rows * g.block_row_elements() + g.rows() * g.rhs_count; }
};

/// Saves the pivot rows of a walk.
template <class T, class Shape>
struct save_slots {
    slot_rows<T, Shape> const& slots;

    template <class Stacks>
    COPPICE_LANE void operator()(int inner, Stacks const& stacks) const {
        stacks.for_each(slots.g.rows(), taker{slots, inner});
    }
    struct taker {
        slot_rows<T, Shape> const& slots;
        int inner;
        COPPICE_LANE void operator()(int r, int j, T const& value) const {
            int const active = slots.g.active();
            (j < active ? slots.entry(inner, r, j) : slots.rhs(inner + 1, r, j - active)) = value;
        }
    };
};

/// Solves an upper triangular system of `rows` unknowns, (5): x(r) is first the right-hand side of row r, then its
/// unknown; upper(r, c) are the entries right of the diagonal and, for c = r, the reciprocals of the pivots.
template <class Upper, class X>
COPPICE_LANE void solve_triangle(int rows, Upper const& upper, X const& x) {
    COPPICE_UNROLL
    for (int r = rows - 1; r >= 0; --r) {
        auto value = x(r);
        COPPICE_UNROLL
        for (int c = r + 1; c < rows; ++c) value = value - upper(r, c) * x(c);
        x(r) = value * upper(r, r);
    }
}

/// Back substitution (5) through the pivot rows of a segment; the solution overwrites the right-hand sides. z, the W
/// unknowns after the last group, is already stored there.
template <class T, class Team, class Shape>
COPPICE_HD COPPICE_ONE_COPY void substitute_slots(Team const& team, Shape const g, T* memory) {
    slot_rows<T, Shape> const slots{memory, g};
    int const k = g.rows(), groups = g.width() / k;
    COPPICE_NO_UNROLL
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        for (int i = team.rank(); i < k * g.rhs_count; i += team.size()) {
            int const s = i / k, r = i - s * k;
            T value = slots.rhs(inner + 1, r, s);
            COPPICE_UNROLL
            for (int group = 1; group <= groups; ++group) {
                COPPICE_UNROLL
                for (int c = 0; c < k; ++c)
                    value = value - slots.entry(inner, r, group * k + c) * slots.rhs(inner + 1 + group, c, s);
            }
            slots.rhs(inner + 1, r, s) = value;
        }
        team.sync();
        for (int s = team.rank(); s < g.rhs_count; s += team.size())
            solve_triangle(
                k, [&](int r, int c) -> T const& { return slots.entry(inner, r, c); },
                [&](int r) -> T& { return slots.rhs(inner + 1, r, s); });
        team.sync();
    }
}

/// Loads y of a segment by `condensed.left(at, k, rhs, to)`.
template <class T, class Team, class Shape, class Locations, class Condensed>
COPPICE_LANE void take_left(Team const& team, Shape const& g, Locations const& at, slot_rows<T, Shape> const& slots,
                            Condensed const& condensed) {
    for (int i = team.rank(); i < g.width() * g.rhs_count; i += team.size())
        condensed.left(at, i / g.rhs_count, i % g.rhs_count, slots.y(i / g.rhs_count, i % g.rhs_count));
    team.sync();
}

/// Solves a segment by a window that has moved y to the right-hand side; z comes from condensed.right(at, k, rhs, to).
/// Afterwards the right-hand sides of slot u hold the first K unknowns of block row u, counted from x[first - 1].
template <class T, class Team, class Stacks, class Shape, class Locations, class Condensed, class Observer>
COPPICE_LANE void substitute_segment(Team const& team, Stacks& stacks, Shape const& g, Locations const& at,
                                     slot_rows<T, Shape> const& slots, Condensed const& condensed,
                                     Observer const& observer) {
    walk(stacks, g, save_slots<T, Shape>{slots}, observer);
    int const k = g.rows(), w = g.width();
    for (int i = team.rank(); i < w * g.rhs_count; i += team.size()) {
        int const j = i / g.rhs_count, s = i - j * g.rhs_count;
        condensed.right(at, j, s, slots.z(j, s));
    }
    for (int i = team.rank(); i < k * g.rhs_count; i += team.size())
        slots.rhs(0, i / g.rhs_count, i % g.rhs_count) = slots.y(w - k + i / g.rhs_count, i % g.rhs_count);
    team.sync();
    substitute_slots(team, g, slots.at);
}

} // namespace coppice::inline v0_1::chain
