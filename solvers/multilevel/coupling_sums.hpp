// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sums over couplings of a row with other ranks, which are not part of the matrix of the level.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Sums of the magnitudes of the entries of each row in columns of other ranks, [rows]; null without other ranks.
template <class T>
struct coupling_sums {
    T const* magnitudes = nullptr;
    COPPICE_HD T magnitude(std::int64_t row) const { return magnitudes ? magnitudes[row] : T(0); }
};

/// Filtered couplings of each row: the sum of the dropped entries, NaN for a row that must not be smoothed, and the
/// magnitudes of the remaining ones.
template <class T>
struct filtered_couplings {
    T const *dropped = nullptr, *remaining = nullptr;
    COPPICE_HD T lumped(std::int64_t row) const { return dropped ? dropped[row] : T(0); }
    COPPICE_HD T magnitude(std::int64_t row) const { return remaining ? remaining[row] : T(0); }
};

} // namespace coppice::inline v0_1::multilevel_detail
