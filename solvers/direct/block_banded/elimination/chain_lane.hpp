// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: what one worker does with one stretch of rows.
///
/// words.md beside this file explains the words and has the equations (1) to (6) that comments refer to.
///
/// The inner unknowns of a stretch have all their entries in the rows of the stretch. So they are eliminated there,
/// each once, and every row that holds an unknown may become its pivot row: Gaussian elimination with partial pivoting
/// of the whole matrix, its columns permuted, in which no stretch is singular unless the matrix is. (Structured
/// elimination of S. J. Wright, SIAM J. Sci. Stat. Comput. 13 (1992), 742-764. RPTS sweeps over a partition twice, each
/// time over all rows but one; where these rows are singular by themselves its coarse system is ill-conditioned though
/// the matrix is not, thesis section 2.4.1.)
///
/// What remains of a stretch are two block rows in the unknowns y = (x[first - 1], x[first]) before the stretch and
/// z = (x[last], x[last + 1]) behind it, S y + R z = d: a link. Links form a chain, and stretches of links reduce to
/// links by the same elimination. A cyclic matrix closes the chain, z = y; for any other matrix the columns that would
/// close the chain are zero. So no function here asks whether a system is cyclic.
///
/// A worker sees a stretch as units of K rows and K + W columns; unit u begins at local column u K. The first W columns
/// are y, the last W are z, the columns between are eliminated. Block rows: K = n, W = 2 n. Links: K = W = 2 n.
///
/// T is a lane type: a scalar, complex or not, or a pack of scalars, one stretch in each lane. A Team of lanes shares
/// the work on one stretch; a CPU core is a team of one. The rows under elimination are an elimination_window
/// (chain_roles.hpp), in memory or in registers, and `walk` takes the window through a stretch.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_concepts.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_stack.hpp>

namespace coppice::chain {

/// Takes a window through a stretch: (1) to (4) for the inner unknowns, K at a time. After the elimination of group
/// `inner` of unknowns, kept(inner, stacks) may copy the K pivot rows. At the end the first W rows of `stacks` are the
/// link.
template <class Shape, class Kept, class Tell, elimination_window<Tell> Stacks>
COPPICE_HD COPPICE_ALWAYS_INLINE void walk(Stacks& stacks, Shape const& g, Kept const& kept, Tell const& tell) {
    int const first = g.width() / g.rows();
    COPPICE_UNROLL
    for (int u = 0; u < first; ++u) stacks.load_first(u);
    COPPICE_NO_UNROLL
    for (int u = first; u < g.units; ++u) {
        stacks.load(u);
        stacks.eliminate(tell.at(u));
        kept(u - first, stacks);
        stacks.advance();
    }
}

struct keep_nothing {
    template <class Stacks>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int, Stacks const&) const {}
};

/// Hands the rows that are left of a stretch to `links` as the rows of a link, S y + R z = d.
template <class Shape, class Places, class Links>
struct take_link {
    Shape const& g;
    Places const& at;
    Links const& links;

    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int r, int j, T const& value) const {
        int const w = g.width(), behind = j - g.active(); // the unknowns come first, of which W are left: z
        if (behind >= 0)
            links.take(at, r, behind < w ? behind : behind + w, value);
        else if (j < w)
            links.take(at, r, w + j, value);
    }
};

/// Reduces a stretch to a link.
template <class Stacks, class Shape, class Places, class Links, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void reduce_stretch(Stacks& stacks, Shape const& g, Places const& at,
                                                     Links const& links, Tell const& tell) {
    walk(stacks, g, keep_nothing{}, tell);
    stacks.for_each(g.width(), take_link<Shape, Places, Links>{g, at, links});
}

/// The pivot rows of a stretch in memory: `units` units and the right-hand sides of one more, each [side][K] and
/// [column][K], and behind them y. The pivot rows of group i of unknowns go to the place of unit i; their right-hand
/// sides, which the solution replaces, to the place of the right-hand sides of unit i + 1. Where units themselves are
/// staged in this memory, unit i + 1 has been loaded by then.
template <class T, class Shape>
struct slot_rows {
    T* at;
    Shape const& g;

    /// Right-hand sides of unit u; u = units is that behind the last.
    COPPICE_HD COPPICE_ALWAYS_INLINE T& side(int u, int r, int s) const {
        return at[u * g.unit_elements() + s * g.rows() + r];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& entry(int u, int r, int c) const {
        return at[u * g.unit_elements() + (g.sides + c) * g.rows() + r];
    }
    /// Unknown k of y.
    COPPICE_HD COPPICE_ALWAYS_INLINE T& y(int k, int s) const { return known()[k * g.sides + s]; }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* known() const { return at + g.units * g.unit_elements() + g.rows() * g.sides; }
};

/// Keeps the pivot rows of a walk.
template <class T, class Shape>
struct keep_slots {
    slot_rows<T, Shape> const& slots;

    template <class Stacks>
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int inner, Stacks const& stacks) const {
        stacks.for_each(slots.g.rows(), taker{slots, inner});
    }
    struct taker {
        slot_rows<T, Shape> const& slots;
        int inner;
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int r, int j, T const& value) const {
            int const active = slots.g.active();
            (j < active ? slots.entry(inner, r, j) : slots.side(inner + 1, r, j - active)) = value;
        }
    };
};

/// (5) for `rows` unknowns among themselves: x(r) is the right-hand side of row r at first, then its unknown; upper(r,
/// c) are the entries behind the diagonal and, on it, the reciprocals of the pivots.
template <class Upper, class X>
COPPICE_HD COPPICE_ALWAYS_INLINE void solve_triangle(int rows, Upper const& upper, X const& x) {
    COPPICE_UNROLL
    for (int r = rows - 1; r >= 0; --r) {
        auto value = x(r);
        COPPICE_UNROLL
        for (int c = r + 1; c < rows; ++c) value = value - upper(r, c) * x(c);
        x(r) = value * upper(r, r);
    }
}

/// Solves the pivot rows of a stretch upwards, (5): right-hand sides become the solution. z, the W unknowns behind the
/// last group, stands there already.
template <class T, class Team, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_slots(Team const& team, Shape const& g,
                                                       slot_rows<T, Shape> const& slots) {
    int const k = g.rows(), groups = g.width() / k;
    COPPICE_NO_UNROLL
    for (int inner = g.inner() - 1; inner >= 0; --inner) {
        for (int i = team.rank(); i < k * g.sides; i += team.size()) {
            int const s = i / k, r = i - s * k;
            T value = slots.side(inner + 1, r, s);
            COPPICE_UNROLL
            for (int group = 1; group <= groups; ++group) {
                COPPICE_UNROLL
                for (int c = 0; c < k; ++c)
                    value = value - slots.entry(inner, r, group * k + c) * slots.side(inner + 1 + group, c, s);
            }
            slots.side(inner + 1, r, s) = value;
        }
        team.sync();
        for (int s = team.rank(); s < g.sides; s += team.size())
            solve_triangle(
                k, [&](int r, int c) -> T const& { return slots.entry(inner, r, c); },
                [&](int r) -> T& { return slots.side(inner + 1, r, s); });
        team.sync();
    }
}

/// y of a stretch, from `boundary.left(at, k, side, to)`.
template <class T, class Team, class Shape, class Places, class Boundary>
COPPICE_HD COPPICE_ALWAYS_INLINE void take_left(Team const& team, Shape const& g, Places const& at,
                                                slot_rows<T, Shape> const& slots, Boundary const& boundary) {
    for (int i = team.rank(); i < g.width() * g.sides; i += team.size())
        boundary.left(at, i / g.sides, i % g.sides, slots.y(i / g.sides, i % g.sides));
    team.sync();
}

/// Solves a stretch by a window that has taken y to the right-hand side; z comes from boundary.right(at, k, side, to).
/// Afterwards the right-hand sides of unit u are the first K unknowns of unit u behind x[first - 1].
template <class T, class Team, class Stacks, class Shape, class Places, class Boundary, class Tell>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_stretch(Team const& team, Stacks& stacks, Shape const& g,
                                                         Places const& at, slot_rows<T, Shape> const& slots,
                                                         Boundary const& boundary, Tell const& tell) {
    walk(stacks, g, keep_slots<T, Shape>{slots}, tell);
    int const k = g.rows(), w = g.width();
    for (int i = team.rank(); i < w * g.sides; i += team.size()) {
        int const j = i / g.sides, s = i - j * g.sides;
        boundary.right(at, j, s, slots.side(g.inner() + 1 + j / k, j % k, s));
    }
    for (int i = team.rank(); i < k * g.sides; i += team.size())
        slots.side(0, i / g.sides, i % g.sides) = slots.y(w - k + i / g.sides, i % g.sides);
    team.sync();
    substitute_slots(team, g, slots);
}

} // namespace coppice::chain
