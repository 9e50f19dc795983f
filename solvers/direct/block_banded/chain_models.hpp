// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Who plays which role of chain_roles.hpp. Nothing is defined here: a model that loses a member is named by the
/// compiler here, and not somewhere in the body of an elimination.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/block_banded/chain_merge.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_concepts.hpp>

namespace coppice::chain::models {

/// Stands for the Block of a kernel.
struct any_block {
    int thread() const;
    void sync() const;
    void sync_warp() const;
    unsigned ballot(bool) const;
    template <class T>
    T from_lane(T const&, int) const;
};
/// Stands for a tile of units in shared memory.
struct any_tile {
    void arrive(int) const;
    double* unit(int) const;
    bool conjugated() const;
};

template <class Block, int Lanes>
using tile = tile_team<Block, Lanes>;

static_assert(team_of_lanes<alone>);
static_assert(team_of_lanes<onlooking<alone>>);
static_assert(team_of_lanes<tile<any_block, 4>> && exchanging_team<tile<any_block, 4>, double>);
static_assert(team_of_lanes<warp_team<any_block>>);
static_assert(exchanging_team<join_team<any_block, 8>, double>);

using rows = row_units<double>;
static_assert(stretch_units<rows> && stretch_units<link_units<double>> && stretch_units<band_row_units<double>>);
static_assert(lane_places<stretch_places<1>> && lane_places<stretch_places<8>>);
static_assert(link_sink<link_units<double>, stretch_places<1>, double>);

static_assert(pivot_listener<silent_teller> && pivot_listener<pivot_teller<rows, 1>>);
static_assert(pivot_listener<closing<double>::teller>);
static_assert(unit_teller<silent_teller> && unit_teller<pivot_teller<rows, 1>>);

template <class Window>
inline constexpr bool is_window = elimination_window<Window, silent_teller>;
using memory_window = memory_stacks<double, alone, rows, unit_shape<any_size>, stretch_places<1>>;
using team_of_block = tile<any_block, 2>;
static_assert(is_window<memory_window>);
static_assert(is_window<reflecting_stacks<double, alone, rows, unit_shape<any_size>, stretch_places<1>>>);
static_assert(is_window<register_stacks<double, 2, 4, 2, true, team_of_block, any_tile>>);
static_assert(is_window<band_rows_window<double, 2, true, tile<any_block, 1>, any_tile>>);

} // namespace coppice::chain::models
