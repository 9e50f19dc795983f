// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Names of the pivoting strategies, shared by tridiagonal and solve.
#pragma once

#include "apps/names.hpp"
#include <coppice/solvers/direct/interface/pivoting.hpp>

namespace coppice::app {

inline constexpr named<pivoting> pivotings[] = {
    {"none", pivoting::none}, {"partial", pivoting::partial}, {"scaled", pivoting::scaled_partial}};

} // namespace coppice::app
