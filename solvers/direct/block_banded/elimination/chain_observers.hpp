// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pivot observers of the chain solver: functions that its eliminations call for each column without a pivot.
#pragma once

#include <cstdint>
#include <limits>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>

namespace coppice::inline v0_1::chain {

inline constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

/// Key that orders the rows without a pivot for lower_to: first by elimination step, then by row, so that the first row
/// of the earliest step is reported. In a later step a row may lack a pivot only because an earlier singular row took
/// its pivot row. Step 0 eliminates rows of the matrix, later steps condensed segments.
COPPICE_LANE std::int64_t met_at(int step, std::int64_t row) { return std::int64_t(step) << 56 | row; }
/// The row in a key of met_at; no_row for no_row.
COPPICE_LANE std::int64_t row_met(std::int64_t met) {
    return met == no_row ? no_row : met & ((std::int64_t(1) << 56) - 1);
}

/// Base class of the observers that do not record pivots.
struct no_record {
    static constexpr bool recording = false;
    template <class Pivot, class T>
    COPPICE_LANE void record(int, Pivot const&, T const*) const {}
};

/// An observer that ignores everything.
struct silent_observer : no_record {
    COPPICE_LANE silent_observer at(int) const { return {}; }
    COPPICE_LANE bool needed() const { return false; }
    COPPICE_LANE void operator()(int, int) const {}
};

/// An observer that stores, for each system, the first unknown without a pivot.
template <class BlockRows, int Lanes>
struct pivot_observer : no_record {
    BlockRows const& block_rows;
    segment_locations<Lanes> const& locations;
    int u = 0;

    COPPICE_LANE pivot_observer at(int block_row) const { return {{}, block_rows, locations, block_row}; }
    COPPICE_LANE bool needed() const { return block_rows.singular != nullptr; }
    COPPICE_LANE void operator()(int k, int l) const {
        segment_location const& location = locations.lane[l];
        if (location.segment < 0) return;
        std::int64_t const row = block_rows.row_of(location, u, k);
        if (row >= 0) lower_to(block_rows.singular + location.block_rows.system, met_at(block_rows.depth, row));
    }
};

} // namespace coppice::inline v0_1::chain
