// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: what one worker does with one stretch of rows.
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
/// work on one stretch: `rank()`, `size()`, `sync()`; a CPU core works alone. The rows under elimination are in memory
/// (memory_stacks) or in registers (register_stacks); `walk` goes through a stretch with either.
#pragma once

#include <coppice/solvers/chain/chain_stack.hpp>

namespace coppice::chain {

/// Walks through a stretch; after every elimination `kept(inner, stacks)` may take the K pivot rows. What is left then
/// are the first W rows of `stacks`.
template <class Stacks, class Shape, class Kept, class Tell>
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

/// Takes rows that are left for rows of a link, S y + R z = d.
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

/// A stretch in memory: `units` units and the right-hand sides of one more, each [side][K] and [column][K]. The
/// pivot rows of group i of unknowns go where unit i was, their right-hand sides and then the solution where those of
/// unit i + 1 were: where units are staged in memory, those are used up by then. Behind all of it, y.
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

/// Solves slot rows upwards: right-hand sides become the solution, of which the W behind the last group, z, are known.
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
        for (int s = team.rank(); s < g.sides; s += team.size()) {
            COPPICE_UNROLL
            for (int r = k - 1; r >= 0; --r) {
                T value = slots.side(inner + 1, r, s);
                COPPICE_UNROLL
                for (int c = r + 1; c < k; ++c) value = value - slots.entry(inner, r, c) * slots.side(inner + 1, c, s);
                slots.side(inner + 1, r, s) = value * slots.entry(inner, r, r);
            }
        }
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

/// Solves a stretch by `stacks` that know y, z from `boundary.right(at, k, side, to)`. Then the right-hand sides of
/// unit u are the values of its first K unknowns behind x[first - 1].
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
