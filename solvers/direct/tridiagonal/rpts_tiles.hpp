// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hot loops of RPTS on the host, compiled for several instruction sets (core/host/isa.hpp).
#pragma once

#include <cstdint>

#include <coppice/core/host/isa.hpp>
#include <coppice/solvers/direct/interface/pivoting.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>

namespace coppice {
namespace rpts {

inline constexpr int host_partition = 32; ///< M on the host: whole registers in every transposition
/// Largest system that is not reduced, but eliminated from both ends.
inline constexpr std::int64_t host_last = 512;
template <class T>
inline constexpr int most_lanes = 128 / int(sizeof(T)); ///< of a pack, for any instruction set

} // namespace rpts

// rpts_reduce and rpts_substitute take partitions [first, last) of a stage; `first` is a multiple of 32. Partitions of
// different calls may run at once. rpts_small solves one system of at most host_last rows with one right-hand side.
// rpts_interleaved solves systems [first, last) of an interleaved batch, of which column 0 is taken and `stride` is
// not: row i of system k stands at i systems + k. `memory` holds 4 size most_lanes elements, aligned to 64 bytes.
//
// rpts_reduce returns false if the substitution may give infinity or NaN for a coarse solution of moderate size: a
// pivot is zero, the inner rows of a partition are nearly singular however its pair is cut, or nobody has looked. The
// others return whether x is finite.
COPPICE_ISA_DECLARE(template <pivoting P, class T>
                    bool rpts_reduce(rpts::stage<T> const& s, std::int64_t first, std::int64_t last);
                    template <pivoting P, class T>
                    bool rpts_substitute(rpts::stage<T> const& s, std::int64_t first, std::int64_t last);
                    template <class T> bool rpts_interleaved(rpts::system_view<T> const& s, pivoting pivot, T threshold,
                                                             std::int64_t first, std::int64_t last, T* memory);
                    template <class T> bool rpts_small(rpts::system_view<T> const& s, pivoting pivot, T threshold);)

} // namespace coppice
