// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the [0, n]-factor algorithms.
#pragma once

#include <cstdint>
#include <optional>

#include <coppice/graph/scan/edge_order.hpp>

namespace coppice::inline v0_1 {

/// Options of the [0, n]-factor algorithms. The greedy algorithm reads degree, ties and seed only.
struct factor_options {
    int degree = 2; ///< n in [1, 4]: maximum number of edges per vertex
    /// Number of rounds M > 0; 0: until the factor is maximal; none: chosen by cost, see <coppice/factor.hpp>
    std::optional<int> rounds{};
    int charge_period = 5;           ///< m >= 1: no charges in rounds k with k mod m = k_m
    int charge_offset = 0;           ///< k_m in [0, m)
    double charge_below = 0.2;       ///< in other rounds charges only after an uncharged round that confirmed less than
                                     ///< this fraction of its proposals
    double charge_probability = 0.5; ///< probability p in [0, 1] of a positive charge
    tie_rule ties = tie_rule::hash;  ///< order of edges of equal weight; see tie_rule and <coppice/factor.hpp>
    std::uint64_t seed = 0;          ///< seed of the charges and of the hash in the tie rule
};

} // namespace coppice::inline v0_1
