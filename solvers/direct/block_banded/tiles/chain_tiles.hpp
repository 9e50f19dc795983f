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

namespace chain {

/// Whether the items of a job are segments, one for each lane of a pack; otherwise systems.
template <class Job>
inline constexpr bool in_packs = true;
template <class T>
inline constexpr bool in_packs<final_complement<T>> = false;
template <class T>
inline constexpr bool in_packs<factored_final_complement<T>> = false;

} // namespace chain
} // namespace coppice::inline v0_1
