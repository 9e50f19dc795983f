// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the rows of a level have beside its matrix, where it is one part's.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::multilevel_detail {

/// The magnitudes of the entries of every row in columns of other parts, added up, [rows]; null where there are no
/// other parts.
template <class T>
struct coupling_sums {
    T const* magnitudes = nullptr;
    COPPICE_HD T magnitude(std::int64_t row) const { return magnitudes ? magnitudes[row] : T(0); }
};

/// Of these entries the sum of those that a filtered matrix leaves out, and the magnitudes of those that it keeps.
template <class T>
struct filtered_couplings {
    T const *dropped = nullptr, *remaining = nullptr;
    COPPICE_HD T lumped(std::int64_t row) const { return dropped ? dropped[row] : T(0); }
    COPPICE_HD T magnitude(std::int64_t row) const { return remaining ? remaining[row] : T(0); }
};

} // namespace coppice::multilevel_detail
