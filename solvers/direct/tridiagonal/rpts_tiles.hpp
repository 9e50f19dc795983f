// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hot loops of RPTS on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <cstdint>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>

namespace coppice::inline v0_1 {
namespace rpts {

/// M on the host: a multiple of the lanes of a register, for the transposition
inline constexpr int host_partition = 32;
/// Largest system that is eliminated directly from both ends, without a reduction.
inline constexpr std::int64_t host_last = 512;
template <class T>
inline constexpr int max_lanes = 128 / int(sizeof(T)); ///< of a pack, for any instruction set

} // namespace rpts

// rpts_reduce and rpts_substitute process partitions [first, last) of a level; `first` is a multiple of 32. Calls for
// different partitions may run concurrently. rpts_small solves one system of at most host_last rows with one right-hand
// side. rpts_interleaved solves column 0 of systems [first, last) of an interleaved batch; `stride` is not used: row i
// of system k has index i systems + k. `memory` holds 4 size max_lanes elements, aligned to 64 bytes.
//
// rpts_reduce returns false if the substitution may give infinity or NaN for a coarse solution of moderate size: a
// pivot is zero, the inner rows of a partition are nearly singular with every split of its pair, or this was not
// checked (pivoting none). The other functions return whether x is finite.
COPPICE_ISA_DECLARE(template <pivoting P, class T>
                    bool rpts_reduce(rpts::level<T> const& s, std::int64_t first, std::int64_t last);
                    template <pivoting P, class T>
                    bool rpts_substitute(rpts::level<T> const& s, std::int64_t first, std::int64_t last);
                    template <class T> bool rpts_interleaved(rpts::system_view<T> const& s, pivoting pivot, T threshold,
                                                             std::int64_t first, std::int64_t last, T* memory);
                    template <class T> bool rpts_small(rpts::system_view<T> const& s, pivoting pivot, T threshold);)

} // namespace coppice::inline v0_1
