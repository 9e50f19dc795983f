// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segmented reduction of a tile by CUB's block scans (thesis section 3.5.1).
#pragma once

#include <type_traits>

#include <cub/block/block_scan.cuh>

#include <coppice/semiring/reduce_rows/srcsr_block.hpp>

namespace coppice::inline v0_1::detail {

constexpr cub::BlockScanAlgorithm block_scan_algorithm(segmented_reduction r) {
    return r == segmented_reduction::raking           ? cub::BLOCK_SCAN_RAKING
           : r == segmented_reduction::raking_memoize ? cub::BLOCK_SCAN_RAKING_MEMOIZE
                                                      : cub::BLOCK_SCAN_WARP_SCANS;
}

/// Scans pairs (row begins here, value): every thread holds `items` consecutive nonzeros of the tile.
template <segmented_reduction Reduction, int Threads>
struct combine_by_block_scan : ordered_combine {
    static constexpr int items = 4;
    static constexpr bool by_walk = false;

    template <class Worker, class Tile, class Accumulator>
    __device__ void reduce(Worker const& w, Tile const& t, Accumulator& open) const {
        using partial = open_sum<Accumulator>;
        using scan = cub::BlockScan<partial, Threads, block_scan_algorithm(Reduction)>;
        __shared__ typename scan::TempStorage storage;
        auto const merge = [&w](partial const& a, partial const& b) {
            return b.closes ? b : partial{w.add(a.open, b.open), a.closes};
        };
        // Store rows that end before the first nonzero of the tile.
        for (int r = w.block.thread(); r < t.rows && t.ends[r] == 0; r += Threads)
            w.close_first(t, r, r == 0 ? open : w.add.identity());
        bool const none_open = t.rows > 0 && t.ends[0] == 0;
        w.block.sync();
        if (none_open) open = w.add.identity();
        for (int begin = 0; begin < t.count; begin += Threads * items) {
            int const first = begin + w.block.thread() * items;
            int const first_row = first < t.count ? w.row_at(t, first) : t.rows;
            late<partial> value[items];
            int row = first_row;
            COPPICE_UNROLL
            for (int i = 0; i < items; ++i) {
                int const k = first + i;
                value[i].value = partial{w.add.identity(), 0};
                if (k >= t.count) continue;
                while (row < t.rows && t.ends[row] <= k) ++row;
                value[i].value = {accumulate(w.add, w.add.identity(), t.products[k]),
                                  row > 0 && t.ends[row - 1] == k ? 1 : 0};
            }
            partial scanned[items] = {value[0].value, value[1].value, value[2].value, value[3].value};
            partial all;
            scan(storage).InclusiveScan(scanned, scanned, merge, all);
            partial const before{open, 1};
            row = first_row;
            COPPICE_UNROLL
            for (int i = 0; i < items; ++i) {
                int const k = first + i;
                if (k >= t.count) continue;
                while (row < t.rows && t.ends[row] <= k) ++row;
                if (row >= t.rows || t.ends[row] != k + 1) continue;
                w.close_first(t, row, merge(before, scanned[i]).open);
                for (int r = row + 1; r < t.rows && t.ends[r] == k + 1; ++r) w.close_first(t, r, w.add.identity());
            }
            open = merge(before, all).open;
            w.block.sync();
        }
        // `open` is the sum after the last nonzero; it is the identity if a row ends there.
        if (t.count > 0 && t.rows > 0 && t.ends[t.rows - 1] == t.count) open = w.add.identity();
    }
};

template <segmented_reduction Reduction, int Threads>
using ordered_combine_by = std::conditional_t<Reduction == segmented_reduction::warp_transposed, ordered_combine,
                                              combine_by_block_scan<Reduction, Threads>>;

} // namespace coppice::inline v0_1::detail
