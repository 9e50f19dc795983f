// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks which types model the concepts of merge_tree.hpp, as chain_models.hpp does for those of the chain solver.
/// This header defines nothing.
#pragma once

#include <coppice/solvers/direct/block_banded/chain_models.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>

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
