// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Merge of neighbouring condensed segments of the chain solver by a team of lanes, each of which holds two columns.
///
///     S  y + R  m          = d       the left condensed segment, W rows
///              S' m + R' z = d'      the right condensed segment
///
/// The unknowns m between the two condensed segments are eliminated from all 2 W rows by partial pivoting, and again by
/// Householder reflections if the remaining rows have grown (chain_growth.hpp). The W remaining rows are a condensed
/// segment from y to z. The W pivot rows are saved as separator rows: they determine m from y and z, so nothing is
/// eliminated twice.
#pragma once

#include <cstdint>

#include <coppice/solvers/direct/block_banded/chain_condensed_store.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_registers.hpp>

namespace coppice::inline v0_1::chain {

/// A condensed segment in the lanes of a team, which merges it with one right neighbour after the other. Lanes 0 .. W -
/// 1 and lanes W .. 2 W - 1 are two sets that alternate: one set holds the columns of R, whose unknowns m the next
/// merge eliminates, and the other set receives the columns of R'. In addition, lanes 0 .. W - 1 hold the columns of S,
/// and lane W holds the right-hand side. All lanes of a warp execute a merge together; lanes of a team that is not
/// `active` keep their values.
template <class T, int W, class Team>
struct condensed_columns {
    using real = real_lane_t<T>;
    using column_type = condensed_column<T, W>;
    static constexpr int lanes = merge_lanes<W>, rows = 2 * W;

    /// The values of the right condensed segment that a lane loads.
    struct right_columns {
        column_type unknown, rhs;
        real reference; ///< its encoded growth_reference
    };

    Team const& team;
    elimination<real> const& how;
    bool swapped = false; ///< whether the second set holds R
    // In each column the first W elements are rows of the condensed segment; the last W are rows of the right one
    // during a merge.
    T held[rows];       ///< column of R or R' in this lane
    T y_or_rhs[rows];   ///< column of S, or the right-hand side, in this lane
    real reference = 1; ///< encoded growth_reference

    COPPICE_LANE condensed_columns(Team const& t, elimination<real> const& e) : team(t), how(e) {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) held[r] = y_or_rhs[r] = T(0);
    }

    /// Loads condensed segment i, the leftmost one of the following merges.
    COPPICE_LANE void take_first(condensed_store<T, W> const& condensed, std::int64_t i, bool active) {
        swapped = false;
        column_type const own = load(condensed.column(i, W + position()), active && holds_middle(false)),
                          other = load(y_or_rhs_address(condensed, i), active && has_y_or_rhs());
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[r] = own.row[r];
            y_or_rhs[r] = other.row[r];
        }
        if (active) reference = condensed.sizes[i];
        prepare_own();
    }
    /// Loads the values of the right condensed segment i that this lane needs for a merge in which `swapped` is
    /// swapped_then.
    COPPICE_LANE right_columns take_right(condensed_store<T, W> const& condensed, std::int64_t i, bool swapped_then,
                                          bool active) const {
        T const* const from = condensed.column(i, holds_middle(swapped_then) ? position() : W + position());
        return {load(from, active && in_sets()), load(condensed.rhs_of(i), active && of_rhs()),
                active ? condensed.sizes[i] : real(1)};
    }
    /// Merges the condensed segment with its right neighbour, which was condensed segment i; the separator rows are
    /// stored in `separators` at index i.
    template <class Observer>
    COPPICE_LANE void merge(right_columns right, condensed_store<T, W> const& separators, std::int64_t i, bool active,
                            Observer const& observer) {
        T before[W], other[W];
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            before[r] = held[r];
            other[r] = y_or_rhs[r];
        }
        take_in(right);
        auto const size = growth_reference<real>(reference).with(growth_reference<real>(right.reference));
        zero_pivots zeros = eliminate<rows>(size.by_householder ? size.tolerance() : real(0));
        bool const observed = active && exceeds_growth_bound(largest_left(), size.size, W);
        bool reflects = false;
        if (unsigned const voted = team.block.ballot(observed); voted != 0) { // repeat by Householder reflections
            reflects = team.any_of(voted);
            halves again(before, other);
            right_columns const once_more = take_right(separators, i, swapped, active);
            zero_pivots const found =
                eliminate_by_householder_out_of_line<rows>(team, how, swapped, again, &once_more, tolerance_of(size));
            if (reflects) zeros = take_over(again, found);
        }
        team.block.sync_warp(); // the separator rows overwrite the right condensed segment
        if (active) {
            if (team.rank() == 0) zeros.report(observer);
            save(separators, i);
        }
        swapped = swapped != active;
        reference = active ? growth_reference<real>(size.size, size.by_householder || reflects).encoded() : reference;
        bool const comes_in = in_sets() && !holds_middle(swapped);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[r] = comes_in ? T(0) : active ? held[W + r] : before[r];
            y_or_rhs[r] = active ? y_or_rhs[W + r] : other[r];
        }
    }
    /// Stores the condensed segment at index i.
    COPPICE_LANE void put(condensed_store<T, W> const& condensed, std::int64_t i) const {
        if (holds_middle(swapped)) store(held, condensed.column(i, W + position()));
        if (has_y_or_rhs()) store(y_or_rhs, y_or_rhs_address(condensed, i));
        if (team.rank() == 0) condensed.sizes[i] = reference;
    }
    /// Sets small entries to zero and scales rows, as levels do with every block row that they load.
    COPPICE_LANE void prepare_own() { prepare(held, y_or_rhs, of_y()); }

    /// Solves S y + R z = d with z = y, or with z equal to y with its halves exchanged (`exchanged`); every lane gets
    /// y.
    template <class Observer>
    COPPICE_LANE void solve_final(bool exchanged, T (&y)[W], bool active, Observer const& observer) {
        int const after = exchanged ? (position() + W / 2) % W : position();
        bool const middle = holds_middle(swapped);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            T const s = team.from(y_or_rhs[r], position()), z = team.from(held[r], first_middle() + after);
            held[r] = middle ? s + z : held[r];
        }
        if (how.equilibrate) equilibrate(held, y_or_rhs, middle, false);
        T before[W], other[W];
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            before[r] = held[r];
            other[r] = y_or_rhs[r];
        }
        growth_reference<real> const size(reference);
        zero_pivots zeros = eliminate<W>(real(0));
        bool const observed = active && (size.by_householder || exceeds_growth_bound(largest_above(), size.size, W));
        if (unsigned const voted = team.block.ballot(observed); voted != 0) {
            halves again(before, other);
            zero_pivots const found =
                eliminate_by_householder_out_of_line<W>(team, how, swapped, again, nullptr, tolerance_of(size));
            if (team.any_of(voted)) zeros = take_over(again, found);
        }
        if (active && team.rank() == 0) zeros.report(observer);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) y[r] = team.from(y_or_rhs[r], W);
        COPPICE_UNROLL
        for (int k = W - 1; k >= 0; --k) {
            y[k] = y[k] * team.from(held[k], first_middle() + k);
            COPPICE_UNROLL
            for (int r = 0; r < k; ++r) y[r] = y[r] - team.from(held[r], first_middle() + k) * y[k];
        }
    }

private:
    /// A copy of the columns for eliminate_by_householder_out_of_line, which is not inlined and therefore needs the
    /// columns in memory.
    struct halves {
        T held[rows], y_or_rhs[rows];
        COPPICE_LANE halves(T const (&own)[W], T const (&other)[W]) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                held[r] = own[r];
                y_or_rhs[r] = other[r];
            }
        }
    };
    /// Copies the columns back.
    COPPICE_LANE zero_pivots take_over(halves const& other, zero_pivots const& found) {
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) {
            held[r] = other.held[r];
            y_or_rhs[r] = other.y_or_rhs[r];
        }
        return found;
    }
    /// Stores the rows of the right condensed segment in the last W elements of the columns.
    COPPICE_LANE void take_in(right_columns right) {
        prepare(right.unknown.row, right.rhs.row, false);
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            held[W + r] = right.unknown.row[r];
            y_or_rhs[W + r] = right.rhs.row[r];
        }
    }
    /// Largest entry in the columns of this lane: largest_left in the condensed rows after a merge, largest_above in
    /// the pivot rows of the final Schur complement, without the pivots. A pivot is at least as large as the entries
    /// after it, or irrelevant.
    COPPICE_LANE real largest_left() const {
        bool const of_z = in_sets() && !holds_middle(swapped);
        largest_bits<T> of_held, of_y_or_rhs, largest; // two independent maxima, so that neither waits for the other
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            of_held.include(held[W + r]);
            of_y_or_rhs.include(y_or_rhs[W + r]);
        }
        largest.with(of_held, of_z);
        largest.with(of_y_or_rhs, of_y());
        return largest.value();
    }
    COPPICE_LANE real largest_above() const {
        bool const middle = holds_middle(swapped);
        largest_bits<T> largest;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) largest.include(held[r], middle && r < position());
        return largest.value();
    }
    COPPICE_LANE bool in_sets() const { return team.rank() < 2 * W; }
    COPPICE_LANE bool of_y() const { return team.rank() < W; }
    COPPICE_LANE bool of_rhs() const { return team.rank() == W; }
    COPPICE_LANE int position() const { return int(unsigned(team.rank()) % W); }
    COPPICE_LANE bool holds_middle(bool swapped_then) const { return in_sets() && (team.rank() >= W) == swapped_then; }
    COPPICE_LANE int first_middle() const { return swapped ? W : 0; }
    /// Address of the column of S or of the right-hand side that this lane holds; only if has_y_or_rhs().
    COPPICE_LANE T* y_or_rhs_address(condensed_store<T, W> const& condensed, std::int64_t i) const {
        return of_y() ? condensed.column(i, position()) : condensed.rhs_of(i);
    }
    COPPICE_LANE bool has_y_or_rhs() const { return team.rank() <= W; }

    COPPICE_LANE static column_type load(T const* from, bool needed) {
        column_type c{};
        if (needed) c = *reinterpret_cast<column_type const*>(from);
        return c;
    }
    /// Stores the first W rows of a column.
    COPPICE_LANE static void store(T const* column, T* to) {
        column_type c;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) c.row[r] = column[r];
        *reinterpret_cast<column_type*>(to) = c;
    }
    COPPICE_LANE void save(condensed_store<T, W> const& separators, std::int64_t i) const {
        if (holds_middle(swapped)) {
            int const k = position();
            T* const to = separators.upper + i * separators.triangle + k * (k + 1) / 2;
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r)
                if (r <= k) to[r] = held[r];
        } else if (in_sets()) {
            store(held, separators.column(i, W + position()));
        }
        if (has_y_or_rhs()) store(y_or_rhs, y_or_rhs_address(separators, i));
    }
    /// `y`: `other` is a column of S, not the right-hand side.
    COPPICE_LANE void prepare(T* column, T* other, bool y) const {
        if (how.flush) {
            COPPICE_UNROLL
            for (int r = 0; r < W; ++r) {
                column[r] = select(magnitude(column[r]) <= how.threshold, T(0), column[r]);
                other[r] = select(y && magnitude(other[r]) <= how.threshold, T(0), other[r]);
            }
        }
        if (how.equilibrate) equilibrate(column, other, in_sets(), y);
    }
    COPPICE_LANE void equilibrate(T* column, T* other, bool unknown, bool y) const {
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            real size = select(unknown, magnitude(column[r]), real(0));
            size = larger(select(y, magnitude(other[r]), real(0)), size);
            COPPICE_UNROLL
            for (int distance = 1; distance < lanes; distance *= 2)
                size = larger(team.from(size, team.rank() ^ distance), size);
            row_scale<real> const scale(size);
            column[r] = scale.of(column[r]);
            other[r] = scale.of(other[r]);
        }
    }
    /// Eliminates the unknowns m between the two segments from the first `Rows` rows. A pivot counts as zero if its
    /// magnitude is at most the tolerance.
    template <int Rows>
    COPPICE_LANE zero_pivots eliminate(real tolerance) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < W; ++k) {
            column_removal<T, register_pivot<T, Rows>, Rows> const of(key<Rows>(k).row, k, Rows);
            zeros.record(k, of.top, tolerance);
            eliminate_in(held, of.pivot, of.factor, k, Rows, Rows, static_cast<T*>(nullptr));
            eliminate_in(y_or_rhs, of.pivot, of.factor, k, Rows, Rows, static_cast<T*>(nullptr));
            held[k] = team.rank() == first_middle() + k ? of.reciprocal : held[k];
        }
        return zeros;
    }
    /// eliminate() by Householder reflections, on a copy of the columns; `right`, if not null, is stored in them first.
    /// Rarely called, and a separate function, so that it costs a merge no registers.
    template <int Rows>
    [[gnu::noinline]] COPPICE_HD static zero_pivots
    eliminate_by_householder_out_of_line(Team const team, elimination<real> const how, bool swapped, halves& columns,
                                         right_columns const* right, real tolerance) {
        condensed_columns own(team, how);
        own.swapped = swapped;
        COPPICE_UNROLL
        for (int r = 0; r < W; ++r) {
            own.held[r] = columns.held[r];
            own.y_or_rhs[r] = columns.y_or_rhs[r];
        }
        if (right) own.take_in(*right);
        zero_pivots const zeros = own.template eliminate_by_householder<Rows>(tolerance);
        COPPICE_UNROLL
        for (int r = 0; r < rows; ++r) {
            columns.held[r] = own.held[r];
            columns.y_or_rhs[r] = own.y_or_rhs[r];
        }
        return zeros;
    }
    template <int Rows>
    COPPICE_LANE zero_pivots eliminate_by_householder(real tolerance) {
        zero_pivots zeros;
        COPPICE_UNROLL
        for (int k = 0; k < W; ++k) {
            key_column<T, Rows> column = key<Rows>(k);
            householder<T> const of(column.row, k, Rows);
            zeros.record(k, of.top, tolerance);
            COPPICE_UNROLL
            for (int r = k + 1; r < Rows; ++r) column.row[r] = of.v(column.row[r]);
            auto const v = [&](int r) -> T const& { return column.row[r]; };
            chain::apply_householder(held, of.weight, v, k, Rows);
            chain::apply_householder(y_or_rhs, of.weight, v, k, Rows);
            held[k] = team.rank() == first_middle() + k ? safe_reciprocal(of.top) : held[k];
        }
        return zeros;
    }
    COPPICE_LANE real tolerance_of(growth_reference<real> const& size) const {
        return how.flush ? larger(size.tolerance(), how.threshold) : size.tolerance();
    }
    /// Column of the k-th unknown of m, for all lanes.
    template <int Rows>
    COPPICE_LANE key_column<T, Rows> key(int k) const {
        return key_column<T, Rows>(k, how, [&](int r) { return team.from(held[r], first_middle() + k); });
    }
};

} // namespace coppice::inline v0_1::chain
