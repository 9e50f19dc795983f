// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segments of the chain solver that contain entries of sparse right-hand sides (thesis section 2.7.2: the others are
/// skipped).
#pragma once

#include <cstdint>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/solve/band_solve.hpp>

namespace coppice::inline v0_1::sparse_rhs {

/// A flag for each segment of every depth: whether it contains an entry of the current columns.
struct activity {
    chain::levels all{};
    int n = 1;                               ///< rows of a block
    std::uint8_t* flags = nullptr;           ///< null: activity is not tracked
    std::int64_t begin[chain::max_levels]{}; ///< of the flags of depth k + 1
    std::int64_t bytes = 0;

    activity() = default;
    activity(chain::levels const& l, int block) : all(l), n(block) {
        chain::for_each_level(l, block, 0, [&](int depth, std::int64_t condensed, std::int64_t, std::int64_t) {
            begin[depth - 1] = bytes;
            bytes += align_workspace(condensed);
        });
    }
    /// Flags the segment of scalar row `row` of the storage.
    COPPICE_HD void flag(std::int64_t row) const {
        if (!flags) return;
        std::int64_t const i = row / n;
        bool const interleaved = all.batch.interleaved;
        std::int64_t const s = interleaved ? i % all.batch.systems : all.batch.system_of(i);
        std::int64_t const j = interleaved ? i / all.batch.systems : i - all.batch.first_row(s);
        raise_flag(flags + begin[0] + all.first(s, 1) + j / all.segment_length(0));
    }
};

/// Sets the flag of a segment of condensed rows if any of these is active.
struct raise_activity {
    activity at;
    int depth; ///< of the condensed rows
    COPPICE_HD void operator()(std::int64_t p) const {
        chain::segment_location const location = chain::locate_segment(at.all, depth, p);
        if (location.segment < 0) return;
        std::uint8_t const* const below = at.flags + at.begin[depth - 1] + location.block_rows.base;
        std::uint8_t any = 0;
        for (std::int64_t j = location.begin;
             j < location.begin + at.all.segment_length(depth) && j < location.block_rows.rows; ++j)
            any = std::uint8_t(any | below[j]);
        at.flags[at.begin[depth] + p] = any;
    }
};

} // namespace coppice::inline v0_1::sparse_rhs
