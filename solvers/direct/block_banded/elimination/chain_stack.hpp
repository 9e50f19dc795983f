// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Window of the chain solver (solvers/direct/DESIGN.md) in memory: two stacks of rows, one of which is eliminated into
/// the other, by partial pivoting or Householder reflections; and how it loads block rows.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/block_banded/elimination/chain_growth.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_pivoting.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_reflections.hpp>

namespace coppice::inline v0_1::chain {

/// Scales the largest entry of a row, of magnitude `size`, to about 1. Exact; changes neither zero rows nor rows that
/// are not finite.
template <class R>
struct row_scale {
    R lift, scale; ///< powers of two
    COPPICE_LANE explicit row_scale(R const& size) : lift(subnormal_lift(size)), scale(scale_to_one(lift * size)) {}
    template <class T>
    COPPICE_LANE T of(T const& value) const {
        return scaled(scaled(value, lift), scale);
    }
};
/// The scale of a row with these active entries.
template <class T>
COPPICE_LANE row_scale<real_lane_t<T>> scale_of(stack_view<T> const& s, int r, int active) {
    auto size = magnitude(s(r, 0));
    for (int j = 1; j < active; ++j) size = larger(magnitude(s(r, j)), size);
    return row_scale<real_lane_t<T>>(size);
}

/// Scales `rows` rows from `first` on so that the largest active entry of each is about 1.
template <class T, class Team>
COPPICE_HD inline void equilibrate_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active) {
    for (int r = first + team.rank(); r < first + rows; r += team.size()) {
        auto const scale = scale_of(s, r, active);
        for (int j = 0; j < s.columns; ++j) s(r, j) = scale.of(s(r, j));
    }
    team.sync();
}

/// Sets entries of the active columns to zero if they are at most the threshold.
template <class T, class Team>
COPPICE_HD inline void flush_rows(Team const& team, stack_view<T> const& s, int first, int rows, int active,
                                  real_lane_t<T> const& threshold) {
    for (int i = team.rank(); i < rows * active; i += team.size()) {
        T& entry = s(first + i % rows, i / rows);
        entry = select(magnitude(entry) <= threshold, T(0), entry);
    }
    team.sync();
}

/// Loads block row `u` into the last K rows and prepares them for elimination.
template <class T, class Team, class BlockRows, class Shape, class Locations>
COPPICE_LANE void load_block_row(Team const& team, BlockRows const& block_rows, Shape const& g, Locations const& at,
                                 int u, stack_view<T> const& s, elimination<real_lane_t<T>> const& how) {
    for (int i = team.rank(); i < g.rows() * s.left; i += team.size())
        s(g.width() + i % g.rows(), g.active() + i / g.rows()) = T(0);
    block_rows.load(team, g, at, u, s);
    team.sync();
    if (how.flush) flush_rows(team, s, g.width(), g.rows(), g.active(), how.threshold);
    if (how.equilibrate) equilibrate_rows(team, s, g.width(), g.rows(), g.active());
}

/// Whether the same code serves all uses of packs with this shape: no size is known to the compiler.
template <class T, class Shape>
inline constexpr bool out_of_line = lane_count<T> > 1 && std::is_same_v<Shape, block_row_shape<any_size>>;

/// load_block_row for Householder reflections and packs; not inlined.
template <class T, class Team, class BlockRows, class Shape, class Locations>
[[gnu::noinline]] COPPICE_HD void
load_block_row_out_of_line(Team const& team, BlockRows const& block_rows, Shape const g, Locations const& at, int u,
                           stack_view<T> const s, elimination<real_lane_t<T>> const& how) {
    load_block_row(team, block_rows, g, at, u, s, how);
}

/// Maximum of `size` and the entries of the last K rows that this lane of the team reads.
template <class T, class Team, class Shape>
COPPICE_LANE real_lane_t<T> with_block_row(Team const& team, Shape const& g, stack_view<T> const& s,
                                           real_lane_t<T> size) {
    for (int i = team.rank(); i < g.rows() * g.active(); i += team.size())
        size = larger(size, magnitude(s(g.width() + i % g.rows(), i / g.rows())));
    return size;
}

/// Loads block row `u` < W / K, which has entries in columns of y, into rows [u K, u K + K). If y is known, its terms
/// are subtracted from the right-hand sides. The last K rows keep the block row as it was loaded.
template <class T, class Team, class BlockRows, class Shape, class Locations>
COPPICE_HD inline void load_first_block_row(Team const& team, BlockRows const& block_rows, Shape const& g,
                                            Locations const& at, int u, stack_view<T> const& s, T const* y,
                                            elimination<real_lane_t<T>> const& how) {
    int const offset = u * g.rows(), active = g.active();
    // into the last rows; from there to its columns
    if constexpr (lane_count < T >> 1)
        load_block_row_out_of_line(team, block_rows, g, at, u, s, how);
    else
        load_block_row(team, block_rows, g, at, u, s, how);
    for (int i = team.rank(); i < g.rows() * s.columns; i += team.size()) {
        int const j = i / g.rows(), r = i - j * g.rows(), from = g.width() + r;
        T value(0);
        if (j < g.width()) { // an unknown after y
            int const c = g.width() + j - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active && j < active + s.left) { // y itself
            int const c = j - active - offset;
            if (c >= 0 && c < active) value = s(from, c);
        } else if (j >= active + s.left) {
            value = s(from, j);
            if (s.left == 0)
                for (int c = 0; c + offset < g.width() && c < active; ++c)
                    value = value - s(from, c) * y[(c + offset) * g.rhs_count + (j - active)];
        }
        s(offset + r, j) = value;
    }
    team.sync();
}

/// Window in memory that a team shares; a model of elimination_window.
template <class T, class Team, class BlockRows, class Shape, class Locations>
struct memory_stacks {
    Team const& team;
    BlockRows const& block_rows;
    Shape const& g;
    Locations const& at;
    T const* y; ///< [width][rhs_count], the unknowns before the segment, if they are known
    elimination<real_lane_t<T>> const& how;
    stack_view<T> now, next;
    real_lane_t<T> size{0}; ///< largest entry of the first block rows that this lane has read

    COPPICE_LANE memory_stacks(Team const& t, BlockRows const& from, Shape const& shape, Locations const& locations,
                               T* memory, int left, T const* known, elimination<real_lane_t<T>> const& e)
        : team(t), block_rows(from), g(shape), at(locations), y(known),
          how(e), now{memory, g.pitch(), g.active() + left + g.rhs_count, left}, next{memory + g.pitch() * now.columns,
                                                                                      now.pitch, now.columns, left} {}

    COPPICE_LANE void load_first(int u) {
        load_first_block_row(team, block_rows, g, at, u, now, y, how);
        if (now.left == 0) return;
        size = with_block_row(team, g, now, size);
        team.sync();
    }
    COPPICE_LANE void load(int u) {
        if constexpr (out_of_line<T, Shape>)
            load_block_row_out_of_line(team, block_rows, g, at, u, now, how);
        else
            load_block_row(team, block_rows, g, at, u, now, how);
        clear_new_columns();
    }
    template <class Observer>
    COPPICE_LANE void eliminate(Observer const& observer) {
        if constexpr (out_of_line<T, Shape>)
            eliminate_columns_of_packs(now, g.rows(), g.stack_rows(), g.active(), next, how,
                                       pack_observer<T>(observer));
        else
            eliminate_columns(team, now, g.rows(), g.stack_rows(), g.active(), next, how, observer);
    }
    COPPICE_LANE void advance() {
        team.sync();
        stack_view<T> const old = now;
        now = next;
        next = old;
    }
    /// Calls take(row, column, value) for the first `rows` rows: the pivot rows, or at the end of a segment the
    /// condensed rows. Columns: first those of the unknowns, then `left` columns of y, then the right-hand sides.
    template <class Take>
    COPPICE_LANE void for_each(int rows, Take const& take) const {
        for (int i = team.rank(); i < rows * now.columns; i += team.size()) {
            int const j = i / rows, r = i - j * rows;
            take(r, j, now(r, j));
        }
    }
    /// The remaining rows have zeros in the columns of the unknowns that enter.
    COPPICE_LANE void clear_new_columns() {
        for (int i = team.rank(); i < g.rows() * g.width(); i += team.size())
            next(i % g.width(), g.width() + i / g.width()) = T(0);
    }
    /// largest_magnitude of the condensed rows, over the entries that this lane reads.
    COPPICE_LANE real_lane_t<T> largest_left() const {
        int const w = g.width();
        largest_magnitude<T> largest;
        for (int i = team.rank(); i < 2 * w * w; i += team.size()) {
            int const j = i / w, r = i - j * w;
            largest.include(now(r, j < w ? j : g.active() + j - w));
        }
        return largest.value();
    }
};

/// memory_stacks with elimination by Householder reflections; a pivot of at most `tolerance` counts as zero.
template <class T, class Team, class BlockRows, class Shape, class Locations>
struct householder_stacks : memory_stacks<T, Team, BlockRows, Shape, Locations> {
    real_lane_t<T> tolerance;

    COPPICE_LANE householder_stacks(memory_stacks<T, Team, BlockRows, Shape, Locations> const& rows,
                                    real_lane_t<T> const& zero)
        : memory_stacks<T, Team, BlockRows, Shape, Locations>(rows), tolerance(zero) {}

    COPPICE_LANE void load(int u) {
        load_block_row_out_of_line(this->team, this->block_rows, this->g, this->at, u, this->now, this->how);
        this->clear_new_columns();
    }
    template <class Observer>
    COPPICE_LANE void eliminate(Observer const& observer) {
        householder_column<T> eliminated[max_block_row_size];
        eliminate_by_householder(this->team, this->now, this->g.rows(), this->g.stack_rows(), this->g.active(),
                                 this->next, eliminated);
        report_householder(this->team, eliminated, this->g.rows(), tolerance, observer);
    }
};

} // namespace coppice::inline v0_1::chain
