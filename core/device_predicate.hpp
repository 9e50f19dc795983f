// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Device predicates: a flag in memory of the executor that decides, when queued work starts, whether it runs.
#pragma once

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Whether work with this predicate runs: `predicate` is null (no predicate), or the flag is not 0.
COPPICE_LANE bool is_enabled(int const* predicate) { return !predicate || *predicate != 0; }

} // namespace coppice::inline v0_1
