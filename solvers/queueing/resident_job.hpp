// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Arguments of a team that keeps a system on chip during all sweeps, and the layout of its on-chip memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <coppice/solvers/queueing/hbisa_lane.hpp>
#include <coppice/solvers/queueing/resident_offsets.hpp>

namespace coppice::inline v0_1::detail {

/// Split of a block into segments: one thread solves a block; if blocks are few and long, `count` threads with `length`
/// rows each do.
struct resident_segments {
    static constexpr int min_rows = 16;  ///< minimum number of rows of a segment
    static constexpr int max_count = 32; ///< maximum number of segments, which are combined sequentially

    int count = 1;
    int length = 1;

    /// For blocks of `block` rows, `blocks` of which are solved at a time by `threads` threads.
    static resident_segments of(std::int64_t block, std::int64_t blocks, int threads) {
        std::int64_t const segments =
            std::min({std::int64_t(max_count), block / min_rows, threads / std::max<std::int64_t>(blocks, 1)});
        if (segments < 3) return {1, int(block)}; // with segments every row is processed twice
        // An odd length avoids bank conflicts between the threads of one block.
        int const length = int((block + segments - 1) / segments) | 1;
        return {int((block + length - 1) / length), length};
    }
};

/// Layout of the memory of a member, as byte offsets; the same for all members, since they read each other's memory.
/// Data that is not on chip is read from global memory.
struct resident_memory {
    static constexpr int groups = 32; ///< groups of threads; each group sums its squares sequentially

    bool bands = false, couplings = false; ///< whether they are on chip
    std::int64_t rows = 0;                 ///< of each vector
    std::int64_t partial = 0, group = 0, total = 0, state = 0, vectors = 0, carries = 0, band = 0, values = 0,
                 columns = 0, offsets = 0;
    std::int64_t bytes = 0;

    template <class T>
    static resident_memory of(resident_layout const& p, resident_segments const& segments, int threads,
                              std::int64_t entries, bool bands, bool couplings) {
        resident_memory m;
        m.bands = bands;
        m.couplings = couplings;
        m.rows = p.max_blocks() * p.block;
        auto const take = [&m](std::int64_t count, std::size_t size) {
            std::int64_t const at = m.bytes;
            m.bytes += (count * std::int64_t(size) + 15) / 16 * 16;
            return at;
        };
        m.partial = take(threads, sizeof(double));
        m.group = take(2 * groups, sizeof(double));
        m.total = take(groups, sizeof(double));
        m.state = take(1, sizeof(hbisa_state));
        m.vectors = take(4 * m.rows, sizeof(T));
        m.carries = take(segments.count > 1 ? 6 * p.max_count() * segments.count : 0, sizeof(T));
        m.band = take(bands ? 4 * m.rows : 0, sizeof(T));
        m.values = take(couplings ? entries : 0, sizeof(T));
        m.columns = take(couplings ? entries : 0, sizeof(resident_column));
        m.offsets = take(couplings ? m.rows + 1 : 0, sizeof(std::int32_t));
        return m;
    }
};

/// A batch of systems, packed by positions, and the parameters of the sweeps.
template <class T>
struct resident_job {
    resident_layout layout;
    resident_segments segments;
    resident_memory memory;
    std::int64_t rows = 0; ///< of the matrix, without padding rows of the last block

    // Indexed by position: bands of the blocks, inverse pivots of their elimination, couplings.
    T const *lower = nullptr, *diagonal = nullptr, *upper = nullptr, *inverse = nullptr;
    std::int32_t const* offsets = nullptr;
    resident_column const* columns = nullptr;
    T const* values = nullptr;

    T const* b = nullptr; ///< indexed by row
    T* x = nullptr;
    double tolerance = 0;
    std::int64_t limit = 0; ///< maximum number of sweeps
    hbisa_state* states = nullptr;
};

} // namespace coppice::inline v0_1::detail
