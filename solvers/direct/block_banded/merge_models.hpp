// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Who plays which role of join_tree.hpp, as chain_models.hpp has it for the chain solver. Nothing is defined here.
#pragma once

#include <coppice/solvers/direct/block_banded/chain_models.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>

namespace coppice::joins::models {

using block = chain::models::any_block;
inline constexpr pivoting partial = pivoting::partial;

// Scalar links, each whole in a lane.
static_assert(joining_workers<rpts::pair_tree<double, 8>::joining<partial, rpts::no_threshold>>);
static_assert(parting_workers<rpts::pair_tree<double, 8>::parting>);
static_assert(joining_workers<rpts::joining_lanes<partial, double, block, rpts::no_threshold>>);
static_assert(parting_workers<rpts::parting_lanes<double>>);
static_assert(joining_workers<rpts::joining_shares<partial, double, rpts::no_threshold>>);
static_assert(parting_workers<rpts::parting_shares<double>> && parting_runs<rpts::parting_shares<double>>);
// Links whose columns lie in the lanes of a team.
static_assert(joining_workers<chain::joining_teams<double, 4, block>>);
static_assert(parting_workers<chain::parting_teams<double, 4, block>> &&
              parting_runs<chain::parting_teams<double, 4, block>>);

} // namespace coppice::joins::models
