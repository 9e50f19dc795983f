// SPDX-License-Identifier: BSD-3-Clause
/// \file The stages of RPTS: sizes of the systems, from the finest to the one solved directly, and where they lie.
///
/// One function lays the workspace out for both sizing and carving.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algebra/tridiagonal.hpp"

namespace coppice::rpts {

/// A tridiagonal system and the place of its solution. lower[0] and upper[size-1] may hold anything; rhs and x may be
/// the same memory.
template <class T>
struct system_view {
    std::int64_t size;
    T const *lower, *diagonal, *upper, *rhs;
    T* x;
};

/// A coarse system in the workspace: its rows are written by the reduction; the solution replaces the right-hand side.
template <class T>
struct coarse_view {
    T *lower, *diagonal, *upper, *rhs;
};

/// One stage: a fine system of `partitions` partitions and its coarse system of 2 partitions rows.
template <class T>
struct stage {
    system_view<T> fine;
    coarse_view<T> coarse;
    std::int64_t partitions;
    T threshold;
};

/// Constants of a backend; never derived from the number of threads, so that results do not depend on it.
struct shape {
    int partition;     ///< M, the rows of a partition
    std::int64_t last; ///< largest system solved without a further reduction
};

inline constexpr int least_partition = 32;     ///< smallest M of any backend, and
inline constexpr std::int64_t least_last = 64; ///< smallest `last`: together they bound every workspace
inline constexpr int most_stages = 16;         ///< 64 (32 / 2)^16 > 2^63
inline constexpr std::int64_t workspace_alignment = 64;

/// Partitions of a system: the last one is filled up with rows x = 0.
inline std::int64_t partitions_of(std::int64_t size, int partition) { return (size + partition - 1) / partition; }

/// Calls visit(fine size, partitions, offset in elements, elements of a coarse band) for every stage; returns the
/// elements of all coarse systems together.
template <class T, class Visit>
std::int64_t for_each_stage(std::int64_t size, shape s, Visit visit) {
    constexpr std::int64_t unit = workspace_alignment / std::int64_t(sizeof(T));
    std::int64_t offset = 0;
    while (size > s.last) {
        std::int64_t const partitions = partitions_of(size, s.partition);
        std::int64_t const band = (2 * partitions + unit - 1) / unit * unit;
        visit(size, partitions, offset, band);
        offset += 4 * band;
        size = 2 * partitions;
    }
    return offset;
}

} // namespace coppice::rpts
