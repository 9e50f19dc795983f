// SPDX-License-Identifier: BSD-3-Clause
// Checks which types model the concepts of the chain solver (chain_concepts.hpp) and of reduction trees
// (merge_tree.hpp). Defines nothing: if a type loses a required member, the compiler reports it here instead of in the
// body of an elimination.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/block_banded/chain_merge.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_concepts.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_final_complement.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>

namespace coppice::inline v0_1::chain::models {

/// Stand-in for the Block of a kernel.
struct any_block {
    int thread() const;
    void sync() const;
    void sync_warp() const;
    unsigned ballot(bool) const;
    template <class T>
    T from_lane(T const&, int) const;
};
/// Stand-in for a tile of block rows in shared memory.
struct any_tile {
    void arrive(int) const;
    double* block_row(int) const;
    bool conjugated() const;
};

template <class Block, int Lanes>
using tile = tile_team<Block, Lanes>;

static_assert(team_of_lanes<alone>);
static_assert(team_of_lanes<masked_team<alone>>);
static_assert(team_of_lanes<tile<any_block, 4>> && exchanging_team<tile<any_block, 4>, double>);
static_assert(team_of_lanes<warp_team<any_block>> && exchanging_team<warp_team<any_block>, double>);
static_assert(exchanging_team<merge_team<any_block, 8>, double>);

using rows = matrix_block_rows<double>;
static_assert(segment_rows<rows> && segment_rows<condensed_rows<double>> && segment_rows<scalar_band_rows<double>>);
static_assert(lane_locations<segment_locations<1>> && lane_locations<segment_locations<8>>);
static_assert(condensed_sink<condensed_rows<double>, segment_locations<1>, double>);

static_assert(column_observer<silent_observer> && column_observer<pivot_observer<rows, 1>>);
static_assert(column_observer<final_complement<double>::unknown_observer>);
static_assert(segment_observer<silent_observer> && segment_observer<pivot_observer<rows, 1>>);

template <class Window>
inline constexpr bool is_window = elimination_window<Window, silent_observer>;
using memory_window = memory_stacks<double, alone, rows, block_row_shape<any_size>, segment_locations<1>>;
using team_of_block = tile<any_block, 2>;
static_assert(is_window<memory_window>);
static_assert(is_window<householder_stacks<double, alone, rows, block_row_shape<any_size>, segment_locations<1>>>);
static_assert(is_window<register_stacks<double, 2, 4, 2, true, team_of_block, any_tile>>);
static_assert(is_window<scalar_band_window<double, 2, true, tile<any_block, 1>, any_tile>>);
static_assert(is_window<lane_columns<double, 2, 4, true, warp_team<any_block>, any_tile>>);

} // namespace coppice::inline v0_1::chain::models

namespace coppice::inline v0_1::merging::models {

using block = chain::models::any_block;
inline constexpr pivoting partial = pivoting::partial;

// Scalar condensed segments, each stored in one lane.
static_assert(merging_workers<rpts::pair_tree<double, 8>::merging_pairs<partial, rpts::no_threshold>>);
static_assert(substituting_workers<rpts::pair_tree<double, 8>::substituting_pairs>);
static_assert(merging_workers<rpts::merging_lanes<partial, double, block, rpts::no_threshold>>);
static_assert(substituting_workers<rpts::substituting_lanes<double>>);
static_assert(merging_workers<rpts::merging_slices<partial, double, rpts::no_threshold>>);
static_assert(substituting_workers<rpts::substituting_slices<double>> &&
              substituting_runs<rpts::substituting_slices<double>>);
// Condensed segments whose columns are distributed over the lanes of a team.
static_assert(merging_workers<chain::merging_teams<double, 4, block>>);
static_assert(substituting_workers<chain::substituting_teams<double, 4, block>> &&
              substituting_runs<chain::substituting_teams<double, 4, block>>);

} // namespace coppice::inline v0_1::merging::models
