// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What a team that sweeps over a system keeps on chip, and whether it fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <coppice/solvers/queueing/hbisa_lane.hpp>
#include <coppice/solvers/queueing/resident_offsets.hpp>

namespace coppice::detail {

/// A block is solved by one thread, or by several that take `length` rows each where blocks are few and long.
struct resident_parts {
    static constexpr int least_rows = 16; ///< of a part
    static constexpr int most = 32;       ///< that follow each other one by one

    int count = 1;
    int length = 1;

    /// For blocks of `block` rows, so many of them at a time, by `threads`.
    static resident_parts of(std::int64_t block, std::int64_t blocks, int threads) {
        std::int64_t const parts =
            std::min({std::int64_t(most), block / least_rows, threads / std::max<std::int64_t>(blocks, 1)});
        if (parts < 3) return {1, int(block)}; // the rows of a part are gone over twice
        // Odd, so that threads of one block do not wait for each other at a bank of the memory.
        int const length = int((block + parts - 1) / parts) | 1;
        return {int((block + length - 1) / length), length};
    }
};

/// The memory of a member, in bytes from its beginning; the same for all members, who read each other's. What stands
/// not inside is read where it lies.
struct resident_memory {
    static constexpr int groups = 32; ///< of threads whose squares are summed one by one

    bool bands = false, couplings = false; ///< inside
    std::int64_t rows = 0;                 ///< of each vector
    std::int64_t partial = 0, group = 0, total = 0, state = 0, vectors = 0, carries = 0, band = 0, values = 0,
                 columns = 0, offsets = 0;
    std::int64_t bytes = 0;

    template <class T>
    static resident_memory of(resident_places const& p, resident_parts const& parts, int threads, std::int64_t entries,
                              bool bands, bool couplings) {
        resident_memory m;
        m.bands = bands;
        m.couplings = couplings;
        m.rows = p.most_blocks() * p.block;
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
        m.carries = take(parts.count > 1 ? 6 * p.most_count() * parts.count : 0, sizeof(T));
        m.band = take(bands ? 4 * m.rows : 0, sizeof(T));
        m.values = take(couplings ? entries : 0, sizeof(T));
        m.columns = take(couplings ? entries : 0, sizeof(resident_column));
        m.offsets = take(couplings ? m.rows + 1 : 0, sizeof(std::int32_t));
        return m;
    }
};

/// A batch of systems, packed by places, and how to sweep over them.
template <class T>
struct resident_job {
    resident_places places;
    resident_parts parts;
    resident_memory memory;
    std::int64_t rows = 0; ///< of the matrix, without what fills up blocks

    // By place: the bands of the blocks, the inverse pivots of their elimination, the couplings.
    T const *lower = nullptr, *diagonal = nullptr, *upper = nullptr, *inverse = nullptr;
    std::int32_t const* offsets = nullptr;
    resident_column const* columns = nullptr;
    T const* values = nullptr;

    T const* b = nullptr; ///< by row
    T* x = nullptr;
    double tolerance = 0;
    std::int64_t limit = 0; ///< sweeps
    hbisa_state* states = nullptr;
};

} // namespace coppice::detail
