// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hot loops of the chain solver on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_factor_level.hpp>

namespace coppice::inline v0_1 {

// Processes segments [first, last) of a job: a pass over a level, or a step of a factored level. `first` is a multiple
// of 16; `memory` holds launch_bytes for one thread. Different calls may run concurrently.
COPPICE_ISA_DECLARE(template <class Job>
                    void chain_pass(Job const& job, std::int64_t first, std::int64_t last, std::byte* memory);)

// As chain_pass, for passes over levels for which band_tiles::takes is true.
COPPICE_ISA_DECLARE(template <bool Left, class T> void band_pass(
                        chain::level_pass<Left, chain::chain_level<T, chain::matrix_block_rows<T>>> const& job,
                        std::int64_t first, std::int64_t last, std::byte* memory);)

namespace chain {

/// Whether the items of a job are segments, one for each lane of a pack; otherwise systems.
template <class Job>
inline constexpr bool in_packs = true;
template <class T>
inline constexpr bool in_packs<final_complement<T>> = false;
template <class T>
inline constexpr bool in_packs<factored_final_complement<T>> = false;

} // namespace chain
namespace chain::band_tiles {

/// Real matrices with 2 to 4 bands on either side, one right-hand side and partial pivoting without a threshold.
inline constexpr int min_reach = 2, max_reach = 4;
inline constexpr int max_block_rows = 32; ///< block rows of a segment

/// Whether such tiles can solve systems with this matrix, for suitable options.
template <class T>
bool reaches(matrix_rows<T> const& a) {
    return std::is_floating_point_v<T> && a.banded() && a.n >= min_reach && a.n <= max_reach;
}

template <class T>
bool takes(chain_level<T, matrix_block_rows<T>> const& s) {
    return reaches(s.block_rows.a) && s.block_rows.rhs_count == 1 && s.shape.block_rows <= max_block_rows &&
           !s.how.flush && !s.how.equilibrate;
}

} // namespace chain::band_tiles
} // namespace coppice::inline v0_1
