// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Concepts of the chain solver: what its templates require of their parameters. solvers/direct/DESIGN.md defines the
/// terms; a test lists and checks the models of each concept.
#pragma once

#include <concepts>
#include <cstdint>

#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>

namespace coppice::inline v0_1::chain {

/// Lanes that share the work on one segment. Lane `rank()` of `size()`, a power of two, takes every size()-th iteration
/// of a loop; `sync()` is the barrier between writes to memory by one lane and reads by another. A single lane is also
/// a team.
template <class X>
concept team_of_lanes = requires(X const& team) {
    { team.rank() } -> std::convertible_to<int>;
    { team.size() } -> std::convertible_to<int>;
    team.sync();
};

/// Lanes that exchange registers instead of memory: `from(value, rank)` returns the `value` that lane `rank` of the
/// same team passes in the same call.
template <class X, class T>
concept exchanging_team = requires(X const& team, T const& value, int rank) {
    { team.rank() } -> std::convertible_to<int>;
    { team.from(value, rank) } -> std::convertible_to<T>;
};

/// Observer of missing pivots: the elimination calls `observer(k, lane)` if it finds no pivot for column k of the
/// current block row in lane `lane` of a pack. It is not called if its `needed()` is false.
template <class X>
concept column_observer = requires(X const& observer, int k, int lane) {
    { observer.needed() } -> std::convertible_to<bool>;
    observer(k, lane);
};
/// Provides an observer for each block row of a segment.
template <class X>
concept segment_observer = requires(X const& observer, int block_row) {
    { observer.at(block_row) } -> column_observer;
};

/// Positions of the segments of the lanes of a pack; a team has one segment.
template <class X>
concept lane_locations = requires(X const& at, int lane) {
    { at.lane[lane] } -> std::convertible_to<segment_location const&>;
    { at.inner } -> std::convertible_to<bool>;
};

/// Input of a level: block rows of the matrix, scalar rows of a banded matrix, or the condensed segments of the
/// previous level. `depth` is the number of levels below. `row_of(location, u, k)` is the row of the matrix whose
/// unknown is the k-th one that block row u of a segment eliminates, -1 for padding rows. `known` returns the growth
/// reference of the rows if it is already known.
template <class X>
concept segment_rows = requires(X const& block_rows, segment_location const& at, int u, int k) {
    { X::of_matrix } -> std::convertible_to<bool>;
    { block_rows.depth } -> std::convertible_to<int>;
    { block_rows.singular } -> std::convertible_to<std::int64_t*>;
    { block_rows.padding(at) } -> std::same_as<padding_sizes>;
    { block_rows.row_of(at, u, k) } -> std::same_as<std::int64_t>;
    block_rows.known(at, u);
};

/// Placeholder for the function that for_each of a window calls.
struct takes_anything {
    template <class T>
    COPPICE_HD void operator()(int, int, T const&) const {}
};

/// The rows under elimination: W rows that remain from previous block rows, and K rows of the current one. walk()
/// (chain_lane.hpp) moves a window through a segment. It calls `load_first(u)` for the block rows with entries in the
/// unknowns before the segment; then, for every other block row, `load(u)`, `eliminate(observer)`, which leaves K pivot
/// rows at the top, and `advance()`, which drops these rows. `for_each(rows, take)` calls take(row, column, value) for
/// the first rows, independent of where they are stored.
template <class X, class Observer>
concept elimination_window = segment_observer<Observer> &&
    requires(X& window, X const& held, Observer const& observer, int u) {
    window.load_first(u);
    window.load(u);
    window.eliminate(observer.at(u));
    window.advance();
    held.for_each(u, takes_anything{});
};

/// Receives the rows of condensed segments: value (r, c) of S, R and the right-hand sides, in the lanes of a pack.
template <class X, class Locations, class T>
concept condensed_sink = lane_locations<Locations> &&
    requires(X const& condensed, Locations const& at, int r, int c, T const& value) {
    condensed.take(at, r, c, value);
};

} // namespace coppice::inline v0_1::chain
