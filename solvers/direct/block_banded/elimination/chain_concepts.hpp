// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The roles in the chain solver, each as a concept: what the templates of this room ask of their parameters. words.md
/// beside this file explains the words; chain_models.hpp lists who plays which role, and checks it.
#pragma once

#include <concepts>
#include <cstdint>

#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>

namespace coppice::chain {

/// Lanes that share the work on one stretch. Lane `rank()` of `size()` takes every size()th piece of a loop; `sync()`
/// is the barrier between what one lane has written to memory and what another reads. One lane alone is a team, too.
template <class X>
concept team_of_lanes = requires(X const& team) {
    { team.rank() } -> std::convertible_to<int>;
    { team.size() } -> std::convertible_to<int>;
    team.sync();
};

/// Lanes that hand each other registers instead of memory: `from(value, rank)` is the `value` that the lane `rank` of
/// the same team passes in the same call.
template <class X, class T>
concept exchanging_team = requires(X const& team, T const& value, int rank) {
    { team.rank() } -> std::convertible_to<int>;
    { team.from(value, rank) } -> std::convertible_to<T>;
};

/// A teller is what an elimination calls where it finds no pivot: `teller(k, lane)` for column k of the unit that is
/// being eliminated, in lane `lane` of a pack. It is not called where its `wanted()` is false.
template <class X>
concept pivot_listener = requires(X const& teller, int k, int lane) {
    { teller.wanted() } -> std::convertible_to<bool>;
    teller(k, lane);
};
/// A teller for each unit of a stretch.
template <class X>
concept unit_teller = requires(X const& teller, int unit) {
    { teller.at(unit) } -> pivot_listener;
};

/// Where the stretches of the lanes of a pack lie; a team has one stretch.
template <class X>
concept lane_places = requires(X const& at, int lane) {
    { at.lane[lane] } -> std::convertible_to<stretch_place const&>;
    { at.inner } -> std::convertible_to<bool>;
};

/// What a stage reduces: block rows of the matrix, scalar rows of a banded one, or the links of the stage before.
/// `depth` counts the stages below; `row_of(place, u, k)` is the row of the matrix whose unknown is the k-th that unit
/// u of a stretch eliminates, -1 where rows only fill up a stretch; `known` is what is known of the size of entries.
template <class X>
concept stretch_units = requires(X const& units, stretch_place const& at, int u, int k) {
    { X::of_rows } -> std::convertible_to<bool>;
    { units.depth } -> std::convertible_to<int>;
    { units.singular } -> std::convertible_to<std::int64_t*>;
    { units.filling(at) } -> std::same_as<filling_sizes>;
    { units.row_of(at, u, k) } -> std::same_as<std::int64_t>;
    units.known(at, u);
};

/// Stands for what for_each of a window calls.
struct takes_anything {
    template <class T>
    COPPICE_HD void operator()(int, int, T const&) const {}
};

/// The rows under elimination: W that are left from before, and K of the unit in hand. walk() (chain_lane.hpp) takes
/// one through a stretch: `load_first(u)` for the units that reach into the unknowns before it; then, for each other
/// unit, `load(u)`, `eliminate(teller)`, which leaves K pivot rows on top, and `advance()`, which drops these rows.
/// `for_each(rows, take)` calls take(row, column, value) for the first rows, wherever they are held.
template <class X, class Tell>
concept elimination_window = unit_teller<Tell> && requires(X& window, X const& held, Tell const& tell, int u) {
    window.load_first(u);
    window.load(u);
    window.eliminate(tell.at(u));
    window.advance();
    held.for_each(u, takes_anything{});
};

/// Takes the rows of the links that stretches become: value (r, c) of S, R and the right-hand sides, in the lanes of
/// a pack.
template <class X, class Places, class T>
concept link_sink = lane_places<Places> && requires(X const& links, Places const& at, int r, int c, T const& value) {
    links.take(at, r, c, value);
};

} // namespace coppice::chain
