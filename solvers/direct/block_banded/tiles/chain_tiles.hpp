// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hot loops of the chain solver on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_factor_level.hpp>

namespace coppice::inline v0_1 {

// Processes segments [first, last) of a level; `first` is a multiple of 16, `memory` holds tile_bytes or
// factor_tile_bytes. Different calls may run concurrently.
COPPICE_ISA_DECLARE(template <class Level>
                    void chain_reduce(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory);
                    template <class Level>
                    void chain_substitute(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory);
                    template <class Level>
                    void chain_factor(Level const& s, std::int64_t first, std::int64_t last, std::byte* memory);)

namespace chain {

/// Bytes of memory of one thread: a register of at most 64 bytes for each real number of every element.
template <class T>
std::int64_t tile_bytes(block_row_shape<any_size> const& g) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T and value_type are equal if T is a real number
    std::int64_t const reals = sizeof(T) / sizeof(typename lane_traits<real_lane_t<T>>::value_type);
    std::int64_t const elements =
        g.reduce_elements() > g.substitute_elements() ? g.reduce_elements() : g.substitute_elements();
    return elements * 64 * reals;
}

/// Bytes of memory of one thread for the steps of a factorisation.
template <class T>
std::int64_t factor_tile_bytes(block_row_shape<any_size> const& g) {
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T and value_type are equal if T is a real number
    std::int64_t const reals = sizeof(T) / sizeof(typename lane_traits<real_lane_t<T>>::value_type);
    return factored_level<T, matrix_block_rows<T>>::elements(g) * 64 * reals;
}

} // namespace chain
} // namespace coppice::inline v0_1
