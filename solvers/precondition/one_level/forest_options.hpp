// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Options of the forest preconditioner.
#pragma once

#include <coppice/graph/factor/factor_options.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::inline v0_1 {

struct forest_options {
    /// Options of the factor, whose degree is always 2. Of edges of equal weight, that to the nearer vertex is
    /// preferred: on the 5-point grid of 1000^2 the forest has 281 paths (tie_rule::hash: 86,675), CG takes 547
    /// iterations (649), BiCGStab 245 (277; means over seven perturbations of b). If all weights differ, both rules
    /// give the same forest.
    factor_options factor{.ties = tie_rule::near};
    tridiagonal_options tridiagonal{}; ///< pivoting of the solves
};

} // namespace coppice::inline v0_1
