// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Joins of neighbouring links of the chain solver by a team of lanes, each of which holds two columns, and the way
/// back from a joint to the unknowns of the join.
///
///     S  y + R  m          = d       the left link, W rows
///              S' m + R' z = d'      the right link
///
/// The unknowns m between the two links are eliminated from all 2 W rows by partial pivoting, or once more by
/// reflections where the link that is left has grown (chain_growth.hpp). The W rows that are left are a link from y to
/// z. The W pivot rows are kept as the joint: where y and z are known, m follows from the joint, and nothing is
/// eliminated twice.
#pragma once

#include <bit>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>

namespace coppice::chain {

/// Lanes of a team. Each lane has two columns: most of the time of a join goes into the search for pivots, which all
/// lanes repeat.
template <int W>
inline constexpr int join_lanes = int(std::bit_ceil(unsigned(2 * W)));

/// W rows of a column, at an address from which 16 bytes can be loaded at once.
template <class T, int W>
struct alignas(W * sizeof(T) % 16 == 0 ? 16 : 8) link_column {
    T row[W];
};

/// Links in memory. A join writes its joint over its right link: the joint's columns of y and z where S' and R' stood.
/// The triangle of the joint, its columns of m, has a place of its own.
template <class T, int W>
struct link_store {
    static constexpr int triangle = W * (W + 1) / 2;
    static constexpr int elements = 2 * W * W + W + triangle + 1; ///< for one link
    using real = real_lane_t<T>;

    T* matrix;   ///< [link][2 W][W], column after column
    T* rhs;      ///< [link][W]
    T* upper;    ///< [link][triangle], column after column, with reciprocals on the diagonal
    real* sizes; ///< [link], as in link_units

    /// A store of `links` links in `memory`.
    static COPPICE_HD link_store in(T* memory, int links) {
        return {memory, memory + links * 2 * W * W, memory + links * (2 * W + 1) * W,
                reinterpret_cast<real*>(memory + links * (elements - 1))};
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE link_store from(std::int64_t link) const {
        return {matrix + link * 2 * W * W, rhs + link * W, upper + link * triangle, sizes + link};
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* column(std::int64_t link, int c) const {
        return matrix + (link * 2 * W + c) * W;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* side(std::int64_t link) const { return rhs + link * W; }
};

/// `Lanes` lanes of a warp, one of several teams of a block.
template <class Block, int Lanes>
struct join_team {
    Block const& block;
    int number, lane, first; ///< the team, this lane of it, and the lane of the warp where it begins

    COPPICE_HD COPPICE_ALWAYS_INLINE explicit join_team(Block const& b)
        : block(b), number(int(unsigned(b.thread()) / Lanes)), lane(b.thread() & (Lanes - 1)),
          first(b.thread() & (warp_lanes - 1) & ~(Lanes - 1)) {}
    static constexpr int in_warp = warp_lanes / Lanes;

    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return lane; }
    /// Whether one of the lanes has its bit in a ballot.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool any_of(unsigned ballot) const {
        return (ballot >> first & (~0u >> (warp_lanes - Lanes))) != 0;
    }
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE T from(T const& value, int lane_of_team) const {
        return block.from_lane(value, first + lane_of_team);
    }
};

/// A link in the lanes of a team that joins it with one right neighbour after the other. Lanes 0 .. W - 1 and lanes
/// W .. 2 W - 1 are two sets that take turns: one set holds the columns of R, whose unknowns m the coming join
/// eliminates, and the other set receives the columns of R'. Beside these, lanes 0 .. W - 1 hold the columns of S and
/// lane W holds the right-hand side. All lanes of a warp go through a join together; lanes of a team that is not
/// `active` keep what they have.
template <class T, int W, class Team>
struct link_columns {
    using real = real_lane_t<T>;
    using column_type = link_column<T, W>;
    static constexpr int lanes = join_lanes<W>, rows = 2 * W;

    /// What a lane loads of the right link.
    struct right_part {
        column_type unknown, side;
        real mark; ///< its link_size
    };

    Team const& team;
    elimination<real> const& how;
    bool turned = false; ///< whether the second set holds R
    // Of each column the first W elements are rows of the link; the last W are rows of the right link during a join.
    T held[rows];  ///< the column of R or R' of this lane
    T aside[rows]; ///< its column of S, or the right-hand side
    real mark = 1; ///< the link_size

    COPPICE_HD COPPICE_ALWAYS_INLINE link_columns(Team const& t, elimination<real> const& e) : team(t), how(e) {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) held[r] = aside[r] = T(0);
    }

    /// Loads link i, the leftmost link of the joins to come.
    COPPICE_HD COPPICE_ALWAYS_INLINE void take_first(link_store<T, W> const& links, std::int64_t i, bool active) {
        turned = false;
        column_type const own = load(links.column(i, W + place()), active && holds_middle(false)),
                          beside = load(place_aside(links, i), active && has_aside());
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[r] = own.row[r];
            aside[r] = beside.row[r];
        }
        if (active) mark = links.sizes[i];
        prepare_own();
    }
    /// What this lane needs of the right link i, for a join during which `turned` has the value turned_then.
    COPPICE_HD COPPICE_ALWAYS_INLINE right_part take_right(link_store<T, W> const& links, std::int64_t i,
                                                           bool turned_then, bool active) const {
        T const* const from = links.column(i, holds_middle(turned_then) ? place() : W + place());
        return {load(from, active && in_sets()), load(links.side(i), active && of_side()),
                active ? links.sizes[i] : real(1)};
    }
    /// Joins the link with its right neighbour, which was link i; the joint goes to place i of `joints`.
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void join(right_part right, link_store<T, W> const& joints, std::int64_t i,
                                               bool active, Tell const& tell) {
        T before[W], beside[W];
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            before[r] = held[r];
            beside[r] = aside[r];
        }
        take_in(right);
        auto const size = link_size<real>(mark).with(link_size<real>(right.mark));
        zero_pivots zeros = eliminate<rows>(size.reflected ? size.tolerance() : real(0));
        bool const grown = active && has_grown(largest_left(), size.size, W);
        bool reflects = false;
        if (unsigned const voted = team.block.ballot(grown); voted != 0) { // once more, by reflections
            reflects = team.any_of(voted);
            halves again(before, beside);
            right_part const once_more = take_right(joints, i, turned, active);
            zero_pivots const found = reflect_apart<rows>(team, how, turned, again, &once_more, tolerance_of(size));
            if (reflects) zeros = take_over(again, found);
        }
        team.block.sync_warp(); // the joint goes where the right link was
        if (active) {
            if (team.rank() == 0) zeros.tell(tell);
            keep(joints, i);
        }
        turned = turned != active;
        mark = active ? link_size<real>(size.size, size.reflected || reflects).mark() : mark;
        bool const comes_in = in_sets() && !holds_middle(turned);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[r] = comes_in ? T(0) : active ? held[W + r] : before[r];
            aside[r] = active ? aside[W + r] : beside[r];
        }
    }
    /// Puts the link to place i.
    COPPICE_HD COPPICE_ALWAYS_INLINE void put(link_store<T, W> const& links, std::int64_t i) const {
        if (holds_middle(turned)) store(held, links.column(i, W + place()));
        if (has_aside()) store(aside, place_aside(links, i));
        if (team.rank() == 0) links.sizes[i] = mark;
    }
    /// Sets small entries to zero and scales rows, as stages of links do with every unit that they load.
    COPPICE_HD COPPICE_ALWAYS_INLINE void prepare_own() { prepare(held, aside, of_y()); }

    /// Solves S y + R z = d where z is y, or y with its halves exchanged (`exchanged`); every lane gets y.
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void close(bool exchanged, T (&y)[W], bool active, Tell const& tell) {
        int const behind = exchanged ? (place() + W / 2) % W : place();
        bool const middle = holds_middle(turned);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            T const s = team.from(aside[r], place()), z = team.from(held[r], first_middle() + behind);
            held[r] = middle ? s + z : held[r];
        }
        if (how.equilibrate) equilibrate(held, aside, middle, false);
        T before[W], beside[W];
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            before[r] = held[r];
            beside[r] = aside[r];
        }
        link_size<real> const size(mark);
        zero_pivots zeros = eliminate<W>(real(0));
        bool const grown = active && (size.reflected || has_grown(largest_above(), size.size, W));
        if (unsigned const voted = team.block.ballot(grown); voted != 0) {
            halves again(before, beside);
            zero_pivots const found = reflect_apart<W>(team, how, turned, again, nullptr, tolerance_of(size));
            if (team.any_of(voted)) zeros = take_over(again, found);
        }
        if (active && team.rank() == 0) zeros.tell(tell);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) y[r] = team.from(aside[r], W);
        COPPICE_UNROLL
        for (int k = W - 1; k >= 0; --k) {
            y[k] = y[k] * team.from(held[k], first_middle() + k);
            COPPICE_UNROLL
            for (int r = 0; r < k; ++r) y[r] = y[r] - team.from(held[r], first_middle() + k) * y[k];
        }
    }

private:
    /// A copy of the columns for reflect_apart, which is not inlined and so has to find the columns in memory.
    struct halves {
        T held[rows], aside[rows];
        COPPICE_HD COPPICE_ALWAYS_INLINE halves(T const (&own)[W], T const (&beside)[W]) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                held[r] = own[r];
                aside[r] = beside[r];
            }
        }
    };
    /// Takes the columns back from a copy.
    COPPICE_HD COPPICE_ALWAYS_INLINE zero_pivots take_over(halves const& other, zero_pivots const& found) {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) {
            held[r] = other.held[r];
            aside[r] = other.aside[r];
        }
        return found;
    }
    /// Puts the rows of the right link into the last W elements of the columns.
    COPPICE_HD COPPICE_ALWAYS_INLINE void take_in(right_part right) {
        prepare(right.unknown.row, right.side.row, false);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[W + r] = right.unknown.row[r];
            aside[W + r] = right.side.row[r];
        }
    }
    /// The largest entry of this lane's columns: largest_left in the link that a join leaves, largest_above in the
    /// pivot rows of a closing without the pivots. A pivot is as large as the entries behind it, or does not matter.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_left() const {
        bool const of_z = in_sets() && !holds_middle(turned);
        largest_bits<T> of_held, of_aside, largest; // two maxima, so that neither waits for the other
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            of_held.look_at(held[W + r]);
            of_aside.look_at(aside[W + r]);
        }
        largest.with(of_held, of_z);
        largest.with(of_aside, of_y());
        return largest.value();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_above() const {
        bool const middle = holds_middle(turned);
        largest_bits<T> largest;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) largest.look_at(held[r], middle && r < place());
        return largest.value();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool in_sets() const { return team.rank() < 2 * W; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool of_y() const { return team.rank() < W; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool of_side() const { return team.rank() == W; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int place() const { return int(unsigned(team.rank()) % W); }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool holds_middle(bool turned_then) const {
        return in_sets() && (team.rank() >= W) == turned_then;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int first_middle() const { return turned ? W : 0; }
    /// Where the column of S or the right-hand side that this lane holds lies in memory; see has_aside().
    COPPICE_HD COPPICE_ALWAYS_INLINE T* place_aside(link_store<T, W> const& links, std::int64_t i) const {
        return of_y() ? links.column(i, place()) : links.side(i);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool has_aside() const { return team.rank() <= W; }

    COPPICE_HD COPPICE_ALWAYS_INLINE static column_type load(T const* from, bool wanted) {
        column_type c{};
        if (wanted) c = *reinterpret_cast<column_type const*>(from);
        return c;
    }
    /// The first W rows of a column.
    COPPICE_HD COPPICE_ALWAYS_INLINE static void store(T const* column, T* to) {
        column_type c;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) c.row[r] = column[r];
        *reinterpret_cast<column_type*>(to) = c;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void keep(link_store<T, W> const& joints, std::int64_t i) const {
        if (holds_middle(turned)) {
            int const k = place();
            T* const to = joints.upper + i * joints.triangle + k * (k + 1) / 2;
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r)
                if (r <= k) to[r] = held[r];
        } else if (in_sets()) {
            store(held, joints.column(i, W + place()));
        }
        if (has_aside()) store(aside, place_aside(joints, i));
    }
    /// `y`: `beside` is a column of S, not the right-hand side.
    COPPICE_HD COPPICE_ALWAYS_INLINE void prepare(T* column, T* beside, bool y) const {
        if (how.flush) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                column[r] = select(magnitude(column[r]) <= how.threshold, T(0), column[r]);
                beside[r] = select(y && magnitude(beside[r]) <= how.threshold, T(0), beside[r]);
            }
        }
        if (how.equilibrate) equilibrate(column, beside, in_sets(), y);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void equilibrate(T* column, T* beside, bool unknown, bool y) const {
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            real size = select(unknown, magnitude(column[r]), real(0));
            size = larger(select(y, magnitude(beside[r]), real(0)), size);
            COPPICE_UNROLL
            for (int apart = 1; apart < lanes; apart *= 2) size = larger(team.from(size, team.rank() ^ apart), size);
            real const scale = scale_to_one(size);
            column[r] = scaled(column[r], scale);
            beside[r] = scaled(beside[r], scale);
        }
    }
    /// Eliminates m from the first `Rows` rows. A pivot up to the tolerance counts as no pivot.
    template <int Rows>
    COPPICE_HD COPPICE_ALWAYS_INLINE zero_pivots eliminate(real tolerance) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < W; ++k) {
            column_removal<T, register_pivot<T, Rows>, Rows> const of(key<Rows>(k).row, k, Rows);
            zeros.note(k, of.top, tolerance);
            eliminate_in(held, of.pivot, of.factor, k, Rows, Rows, static_cast<T*>(nullptr));
            eliminate_in(aside, of.pivot, of.factor, k, Rows, Rows, static_cast<T*>(nullptr));
            held[k] = team.rank() == first_middle() + k ? of.reciprocal : held[k];
        }
        return zeros;
    }
    /// eliminate() by reflections, on a copy of the columns; `right`, if any, is put into them first. Rare, and so a
    /// function of its own that costs a join no registers.
    template <int Rows>
    [[gnu::noinline]] COPPICE_HD static zero_pivots reflect_apart(Team const team, elimination<real> const how,
                                                                  bool turned, halves& columns, right_part const* right,
                                                                  real tolerance) {
        link_columns own(team, how);
        own.turned = turned;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            own.held[r] = columns.held[r];
            own.aside[r] = columns.aside[r];
        }
        if (right) own.take_in(*right);
        zero_pivots const zeros = own.template reflect<Rows>(tolerance);
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) {
            columns.held[r] = own.held[r];
            columns.aside[r] = own.aside[r];
        }
        return zeros;
    }
    template <int Rows>
    COPPICE_HD COPPICE_ALWAYS_INLINE zero_pivots reflect(real tolerance) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < W; ++k) {
            key_column<T, Rows> column = key<Rows>(k);
            reflection<T> const of(column.row, k, Rows);
            zeros.note(k, of.top, tolerance);
            COPPICE_UNROLL
            for (int r = k + 1; r < Rows; ++r) column.row[r] = of.v(column.row[r]);
            auto const v = [&](int r) -> T const& { return column.row[r]; };
            chain::reflect(held, of.weight, v, k, Rows);
            chain::reflect(aside, of.weight, v, k, Rows);
            held[k] = team.rank() == first_middle() + k ? safe_reciprocal(of.top) : held[k];
        }
        return zeros;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE real tolerance_of(link_size<real> const& size) const {
        return how.flush ? larger(size.tolerance(), how.threshold) : size.tolerance();
    }
    /// The column of the k-th unknown of m, for all lanes.
    template <int Rows>
    COPPICE_HD COPPICE_ALWAYS_INLINE key_column<T, Rows> key(int k) const {
        return key_column<T, Rows>(k, how, [&](int r) { return team.from(held[r], first_middle() + k); });
    }
};

/// The way back through a joint. Lane r < W of a team has row r of the joint's columns of y and of its triangle, lane
/// W + r has row r of the columns of z.
template <class T, int W, class Team>
struct joint_rows {
    Team const& team;

    /// What this lane has of a joint.
    struct part {
        T entry[W], upper[W], side;
    };
    COPPICE_HD COPPICE_ALWAYS_INLINE part load(link_store<T, W> const& joints, std::int64_t i, bool active) const {
        part p{};
        if (!active || team.rank() >= 2 * W) return p;
        T const* const from = joints.column(i, of_z() ? W : 0) + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.entry[c] = from[c * W];
        if (of_z()) return p;
        // For c < row() this reads another entry of the triangle, and the value computed from it is never used.
        T const* const triangle = joints.upper + i * joints.triangle + row();
        COPPICE_UNROLL
        for (int c = 0; c < W; ++c) p.upper[c] = triangle[c * (c + 1) / 2];
        p.side = joints.side(i)[row()];
        return p;
    }
    /// Computes m; `known` is y in the lanes of y and z in the lanes of z. Every lane gets all of m; in the lanes of y
    /// the result is the unknown of the lane's own row.
    COPPICE_HD COPPICE_ALWAYS_INLINE T solve(part const& p, T const (&known)[W], T (&m)[W]) const {
        T sum(0), own(0);
        COPPICE_UNROLL
        for (int c = W - 1; c >= 0; --c) sum = sum + p.entry[c] * known[c];
        T value = p.side - sum - team.from(sum, W + row());
        COPPICE_UNROLL
        for (int k = W - 1; k >= 0; --k) {
            T const solved = value * p.upper[k];
            own = select(row() == k, solved, own);
            m[k] = team.from(solved, k);
            value = value - p.upper[k] * m[k];
        }
        return own;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int row() const { return int(unsigned(team.rank()) % W); }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool of_y() const { return team.rank() < W; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool of_z() const { return !of_y() && team.rank() < 2 * W; }
};

} // namespace coppice::chain
