// SPDX-License-Identifier: BSD-3-Clause
/// \file The body of the SRCSR block kernel, over a Block (core/block.hpp), so that it also runs under CPU threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/block.hpp"
#include "semiring/srcsr_lane.hpp"

namespace coppice::detail {

// Path steps whose rows one block owns. At most 65535, since row numbers inside a block are kept in 16 bits.
inline constexpr std::int64_t cuda_path_steps = 2048;

// Rows up to this length are folded by one thread; longer ones in a tile switch it to the even cut along the path.
inline constexpr std::int64_t cuda_short_row = 64;

template <class O>
struct srcsr_job {
    O const* offsets;
    std::int64_t const* block_rows;
    std::int64_t first_row; ///< rows outside [first_row, last_row) are left alone
    std::int64_t last_row;
};

/// Sizes and shared memory of the kernel for one pair of operators.
template <class Multiply, class Add, int Threads = 256>
struct srcsr_shape {
    using product = product_t<Multiply>;
    using accumulator = accumulator_t<Add>;
    static_assert(std::is_trivially_copyable_v<product> && std::is_trivially_copyable_v<accumulator>,
                  "products and accumulators on CUDA are trivially copyable");

    static constexpr int threads = Threads;
    static constexpr int warps = threads / warp_lanes;
    static constexpr bool with_row = takes_row_v<Multiply>;
    /// Products that a thread stages per tile: eight, fewer where products are large.
    static constexpr int items = sizeof(product) <= 16 ? 8 : sizeof(product) <= 32 ? 4 : sizeof(product) <= 64 ? 2 : 1;
    static constexpr int tile = threads * items;
    /// One element of padding per 128 bytes keeps rows of even length off each other's banks.
    static constexpr int pad_every = sizeof(product) <= 64 ? int(128 / sizeof(product)) : 2;
    COPPICE_HD static constexpr int slot(int k) { return k + k / pad_every; }

    struct storage {
        alignas(16) unsigned char products[sizeof(product) * (tile + tile / pad_every + 1)];
        alignas(16) unsigned char warp_totals[sizeof(walk_ends<accumulator>) * warps];
        unsigned short row_of[with_row ? tile : 1];
    };
};

/// Where a block stands: nonzeros [first, last) are staged; rows [row, row_last) end among them.
struct srcsr_tile {
    std::int64_t first;
    std::int64_t last;
    std::int64_t row;
    std::int64_t row_last;
};

/// Writes multiply(k) of the tile's nonzeros to shared memory, coalesced.
template <class Shape, class Block, class O, class Multiply>
COPPICE_HD void stage_products(Block const& block, srcsr_job<O> const& job, srcsr_tile const& tile, bool long_rows,
                               Multiply const& multiply, typename Shape::storage& shared) {
    using product = typename Shape::product;
    auto* const products = reinterpret_cast<product*>(shared.products);
    int const count = int(tile.last - tile.first);
    if constexpr (Shape::with_row) {
        // The row of every nonzero: written row by row where rows are short, searched where some are long.
        O const* const ends = job.offsets + tile.row + 1;
        std::int64_t const rows = tile.row_last - tile.row;
        if (!long_rows) {
            for (std::int64_t r = block.thread(); r < rows; r += block.threads())
                for (std::int64_t k = job.offsets[tile.row + r]; k < ends[r]; ++k)
                    shared.row_of[k - tile.first] = static_cast<unsigned short>(r);
        } else {
            for (int i = block.thread(); i < count; i += block.threads()) {
                std::int64_t low = 0;
                std::int64_t high = rows; // row `rows` is the one that stays open behind the tile
                while (low < high) {
                    std::int64_t const middle = (low + high) / 2;
                    if (std::int64_t(ends[middle]) <= tile.first + i)
                        low = middle + 1;
                    else
                        high = middle;
                }
                shared.row_of[i] = static_cast<unsigned short>(low);
            }
        }
        block.sync();
    }
    product value[Shape::items];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int j = 0; j < Shape::items; ++j) { // all loads are in flight before the first store
        int const i = block.thread() + j * Shape::threads;
        if (i < count) {
            if constexpr (Shape::with_row)
                value[j] = multiply_nonzero(multiply, tile.first + i, tile.row + shared.row_of[i]);
            else
                value[j] = multiply_nonzero(multiply, tile.first + i, std::int64_t{});
        }
    }
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int j = 0; j < Shape::items; ++j) {
        int const i = block.thread() + j * Shape::threads;
        if (i < count) products[Shape::slot(i)] = value[j];
    }
}

/// Ordered exclusive scan of what the threads' stretches leave open. Returns what is open before this thread, given
/// `open` before thread 0, and replaces `open` by what the last thread leaves.
template <class Shape, class Block, class Add>
COPPICE_HD typename Shape::accumulator scan_open(Block const& block, walk_ends<typename Shape::accumulator> const& ends,
                                                 typename Shape::accumulator& open, Add const& add,
                                                 typename Shape::storage& shared) {
    using accumulator = typename Shape::accumulator;
    using ends_type = walk_ends<accumulator>;
    auto* const totals = reinterpret_cast<ends_type*>(shared.warp_totals);
    int const lane = block.thread() % warp_lanes;
    int const warp = block.thread() / warp_lanes;

    struct partial {
        accumulator open;
        int closes;
    };
    auto const join = [&add](partial const& a, partial const& b) {
        return b.closes ? b : partial{add(a.open, b.open), a.closes};
    };
    partial mine{ends.open, ends.closes ? 1 : 0};
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
        partial const before = block.from_lane(mine, lane >= distance ? lane - distance : lane);
        if (lane >= distance) mine = join(before, mine);
    }
    if (lane == warp_lanes - 1) totals[warp] = {mine.closes != 0, mine.open, mine.open};
    partial const left = block.from_lane(mine, lane > 0 ? lane - 1 : lane);
    block.sync();

    partial before{open, 1};
    partial all{open, 1};
    for (int w = 0; w < Shape::warps; ++w) {
        if (w == warp) before = all;
        all = join(all, partial{totals[w].open, totals[w].closes ? 1 : 0});
    }
    open = all.open;
    if (lane > 0) before = join(before, left);
    block.sync(); // totals and products may be overwritten from here on
    return before.open;
}

/// Folds a tile that is cut evenly along its path; `open` is what is open before it, and after it.
template <class Shape, class Block, class O, class Add, class Store>
COPPICE_HD void fold_along_path(Block const& block, srcsr_job<O> const& job, srcsr_tile const& tile,
                                typename Shape::accumulator& open, Add const& add, Store const& store,
                                typename Shape::storage& shared) {
    using product = typename Shape::product;
    auto const* const products = reinterpret_cast<product const*>(shared.products);
    std::int64_t const rows = tile.row_last - tile.row;
    std::int64_t const count = tile.last - tile.first;
    std::int64_t const path = rows + count;
    std::int64_t const chunk = ((path + Shape::threads - 1) / Shape::threads) | 1; // odd: fewer bank conflicts
    auto const row_end = [ends = job.offsets + tile.row + 1](std::int64_t r) { return std::int64_t(ends[r]); };
    std::int64_t const first = block.thread() * chunk;
    std::int64_t const last = first + chunk;
    auto const from = path_search(row_end, rows, tile.first, count, first < path ? first : path);
    auto const to = path_search(row_end, rows, tile.first, count, last < path ? last : path);
    auto const ends = walk(
        from, to, row_end, [&](std::int64_t k, std::int64_t) { return products[Shape::slot(int(k - tile.first))]; },
        add, [&](std::int64_t r, auto const& sum) { store(tile.row + r, sum); });
    auto const before = scan_open<Shape>(block, ends, open, add, shared);
    if (ends.closes) store(tile.row + from.row, add(before, ends.head));
}

/// One block: folds the rows that plan gives to block `b`.
COPPICE_NO_EXEC_CHECK
template <class Shape, class Block, class O, class Multiply, class Add, class Store>
COPPICE_HD void srcsr_block(Block const& block, std::int64_t b, srcsr_job<O> const& job, Multiply const& multiply,
                            Add const& add, Store const& store, typename Shape::storage& shared) {
    using product = typename Shape::product;
    std::int64_t row = job.block_rows[b];
    std::int64_t row_last = job.block_rows[b + 1];
    row = row < job.first_row ? job.first_row : row;
    row_last = row_last > job.last_row ? job.last_row : row_last;
    if (row >= row_last) return;
    std::int64_t const first = job.offsets[row];
    std::int64_t const last = job.offsets[row_last];
    bool const one_tile = last - first <= Shape::tile;

    bool some_long = false;
    for (std::int64_t r = row + block.thread(); r < row_last; r += block.threads())
        some_long = some_long || std::int64_t(job.offsets[r + 1]) - std::int64_t(job.offsets[r]) > cuda_short_row;

    if (one_tile) {
        srcsr_tile const tile{first, last, row, row_last};
        bool long_rows = false;
        if constexpr (Shape::with_row) long_rows = block.sync_any(some_long);
        stage_products<Shape>(block, job, tile, long_rows, multiply, shared);
        long_rows = block.sync_any(some_long);
        if (!long_rows) {
            auto const* const products = reinterpret_cast<product const*>(shared.products);
            for (std::int64_t r = row + block.thread(); r < row_last; r += block.threads()) {
                auto sum = add.identity();
                int const end = int(std::int64_t(job.offsets[r + 1]) - first);
                for (int k = int(std::int64_t(job.offsets[r]) - first); k < end; ++k)
                    sum = accumulate(add, sum, products[Shape::slot(k)]);
                store(r, sum);
            }
        } else {
            auto open = add.identity();
            fold_along_path<Shape>(block, job, tile, open, add, store, shared);
        }
        return;
    }

    auto open = add.identity();
    for (std::int64_t k = first; row < row_last;) {
        std::int64_t const k_last = k + Shape::tile < last ? k + Shape::tile : last;
        // Rows that end in this tile: the last tile takes all that are left, empty rows behind it included.
        std::int64_t low = row;
        std::int64_t high = row_last;
        if (k_last == last) low = row_last;
        while (low < high) {
            std::int64_t const middle = low + (high - low) / 2;
            if (std::int64_t(job.offsets[middle + 1]) <= k_last)
                low = middle + 1;
            else
                high = middle;
        }
        srcsr_tile const tile{k, k_last, row, low};
        stage_products<Shape>(block, job, tile, true, multiply, shared);
        block.sync();
        fold_along_path<Shape>(block, job, tile, open, add, store, shared);
        k = k_last;
        row = low;
    }
}

} // namespace coppice::detail
