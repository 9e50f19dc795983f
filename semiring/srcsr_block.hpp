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

// Nonzeros of a row that one lane folds at most; a longer stretch switches the tile to the even cut along the path.
inline constexpr int cuda_lane_stretch = 48;

template <class O>
struct srcsr_job {
    O const* offsets;
    path_point const* block_starts; ///< first row of block b and its first nonzero; blocks + 1 entries
    std::int64_t first_row;         ///< rows outside [first_row, last_row) are left alone
    std::int64_t last_row;
};

/// Sizes and shared memory of the kernel for one pair of operators.
template <class Multiply, class Add, int Threads = 256, int Items = 8>
struct srcsr_shape {
    using product = product_t<Multiply>;
    using accumulator = accumulator_t<Add>;
    static_assert(std::is_trivially_copyable_v<product> && std::is_trivially_copyable_v<accumulator>,
                  "products and accumulators on CUDA are trivially copyable");

    static constexpr int threads = Threads;
    static constexpr int warps = threads / warp_lanes;
    /// Blocks that a multiprocessor is to hold at once: latency is hidden by many small blocks (measured on an H200:
    /// 32 registers a thread and 2048 threads beat every variant with more registers).
    static constexpr int blocks = sizeof(product) + sizeof(accumulator) <= 16 ? 2048 / threads : 1024 / threads;
    static constexpr bool with_row = takes_row_v<Multiply>;
    /// Products that a thread stages per tile; fewer where products are large.
    static constexpr int items = sizeof(product) <= 16   ? Items
                                 : sizeof(product) <= 32 ? (Items + 1) / 2
                                 : sizeof(product) <= 64 ? (Items + 3) / 4
                                                         : 1;
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

    COPPICE_HD int count() const { return int(last - first); }
    COPPICE_HD int rows() const { return int(row_last - row); }
};

/// Writes to shared memory which row each of the tile's nonzeros lies in, by a search along the row ends.
template <class Shape, class Block, class O>
COPPICE_HD void stage_rows(Block const& block, srcsr_job<O> const& job, srcsr_tile const& tile,
                           typename Shape::storage& shared) {
    O const* const ends = job.offsets + tile.row + 1;
    for (int i = block.thread(); i < tile.count(); i += block.threads()) {
        int low = 0;
        int high = tile.rows(); // row number `rows` is the one that stays open behind the tile
        while (low < high) {
            int const middle = (low + high) / 2;
            if (std::int64_t(ends[middle]) <= tile.first + i)
                low = middle + 1;
            else
                high = middle;
        }
        shared.row_of[i] = static_cast<unsigned short>(low);
    }
    block.sync();
}

/// What a thread has read of its tile: all loads are in flight before the first value is stored.
template <class Shape>
struct staged_products {
    typename Shape::product value[Shape::items];
};

/// Reads multiply(k) of the tile's nonzeros, coalesced.
template <class Shape, class Block, class Multiply>
COPPICE_HD staged_products<Shape> load_products(Block const& block, srcsr_tile const& tile, Multiply const& multiply,
                                                typename Shape::storage const& shared) {
    staged_products<Shape> staged;
    int const count = tile.count();
    std::int64_t const mine = tile.first + block.thread();
    auto const read = [&](int j) {
        if constexpr (Shape::with_row)
            return multiply_nonzero(multiply, mine + j * Shape::threads,
                                    tile.row + shared.row_of[block.thread() + j * Shape::threads]);
        else
            return multiply_nonzero(multiply, mine + j * Shape::threads, std::int64_t{});
    };
    if (count == Shape::tile) {
        COPPICE_UNROLL
        for (int j = 0; j < Shape::items; ++j) staged.value[j] = read(j);
    } else {
        COPPICE_UNROLL
        for (int j = 0; j < Shape::items; ++j)
            if (block.thread() + j * Shape::threads < count) staged.value[j] = read(j);
    }
    return staged;
}

template <class Shape, class Block>
COPPICE_HD void store_products(Block const& block, srcsr_tile const& tile, staged_products<Shape> const& staged,
                               typename Shape::storage& shared) {
    auto* const products = reinterpret_cast<typename Shape::product*>(shared.products);
    COPPICE_UNROLL
    for (int j = 0; j < Shape::items; ++j) {
        int const i = block.thread() + j * Shape::threads;
        if (i < tile.count()) products[Shape::slot(i)] = staged.value[j];
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

/// Lanes that fold one row together: as many as keep the block busy, a power of two up to a warp.
template <class Shape>
COPPICE_HD int lanes_per_row(int rows) {
    int lanes = 1;
    while (lanes < warp_lanes && rows * lanes * 2 <= Shape::threads) lanes *= 2;
    return lanes;
}

/// A tile that holds all rows of its block. Rows whose stretches are short are folded by one or several lanes each,
/// where every lane takes consecutive nonzeros, so the order is kept; otherwise the tile is cut along its path.
template <class Shape, class Block, class O, class Multiply, class Add, class Store>
COPPICE_HD void fold_whole_rows(Block const& block, srcsr_job<O> const& job, srcsr_tile const& tile,
                                Multiply const& multiply, Add const& add, Store const& store,
                                typename Shape::storage& shared) {
    using accumulator = typename Shape::accumulator;
    if constexpr (Shape::with_row) stage_rows<Shape>(block, job, tile, shared);
    int const rows = tile.rows();
    int const lanes = lanes_per_row<Shape>(rows);
    int const lane = block.thread() % lanes;
    int const row_step = block.threads() / lanes;
    int r = block.thread() / lanes;

    // The row's bounds are read while the products are on their way.
    auto const staged = load_products<Shape>(block, tile, multiply, shared);
    int begin = 0;
    int end = 0;
    bool too_long = false;
    if (r < rows) {
        begin = int(std::int64_t(job.offsets[tile.row + r]) - tile.first);
        end = int(std::int64_t(job.offsets[tile.row + r + 1]) - tile.first);
        too_long = end - begin > cuda_lane_stretch * lanes;
    }
    for (int next = r + row_step; next < rows; next += row_step)
        too_long =
            too_long || std::int64_t(job.offsets[tile.row + next + 1]) - std::int64_t(job.offsets[tile.row + next]) >
                            cuda_lane_stretch * lanes;
    store_products<Shape>(block, tile, staged, shared);
    if (block.sync_any(too_long)) {
        accumulator open = add.identity();
        fold_along_path<Shape>(block, job, tile, open, add, store, shared);
        return;
    }

    auto const* const products = reinterpret_cast<typename Shape::product const*>(shared.products);
    while (true) { // all lanes of a warp make the same number of rounds: more than one only where lanes == 1
        int const stretch = lanes == 1 ? end - begin : (end - begin + lanes - 1) / lanes;
        int const first = begin + lane * stretch;
        int const last = first + stretch < end ? first + stretch : end;
        accumulator sum = add.identity();
        for (int k = first; k < last; ++k) sum = accumulate(add, sum, products[Shape::slot(k)]);
        for (int distance = 1; distance < lanes; distance *= 2) {
            accumulator const after = block.from_lane(sum, (block.thread() + distance) % warp_lanes);
            if (lane + distance < lanes) sum = add(sum, after);
        }
        if (r < rows && lane == 0) store(tile.row + r, sum);
        r += row_step;
        if (lanes > 1 || r >= rows) break;
        begin = int(std::int64_t(job.offsets[tile.row + r]) - tile.first);
        end = int(std::int64_t(job.offsets[tile.row + r + 1]) - tile.first);
    }
}

/// Rows that hold more nonzeros than one tile: tile after tile, with what is open carried along.
template <class Shape, class Block, class O, class Multiply, class Add, class Store>
COPPICE_HD void fold_tile_by_tile(Block const& block, srcsr_job<O> const& job, srcsr_tile const& all,
                                  Multiply const& multiply, Add const& add, Store const& store,
                                  typename Shape::storage& shared) {
    auto open = add.identity();
    std::int64_t row = all.row;
    for (std::int64_t k = all.first; row < all.row_last;) {
        std::int64_t const k_last = k + Shape::tile < all.last ? k + Shape::tile : all.last;
        // Rows that end in this tile; the last tile takes all that are left, empty rows behind it included.
        std::int64_t low = k_last == all.last ? all.row_last : row;
        std::int64_t high = all.row_last;
        while (low < high) {
            std::int64_t const middle = low + (high - low) / 2;
            if (std::int64_t(job.offsets[middle + 1]) <= k_last)
                low = middle + 1;
            else
                high = middle;
        }
        srcsr_tile const tile{k, k_last, row, low};
        if constexpr (Shape::with_row) stage_rows<Shape>(block, job, tile, shared);
        store_products<Shape>(block, tile, load_products<Shape>(block, tile, multiply, shared), shared);
        block.sync();
        fold_along_path<Shape>(block, job, tile, open, add, store, shared);
        k = k_last;
        row = low;
    }
}

/// One block: folds the rows that the plan gives to block `b`.
COPPICE_NO_EXEC_CHECK
template <class Shape, class Block, class O, class Multiply, class Add, class Store>
COPPICE_HD void srcsr_block(Block const& block, std::int64_t b, srcsr_job<O> const& job, Multiply const& multiply,
                            Add const& add, Store const& store, typename Shape::storage& shared) {
    path_point const from = job.block_starts[b];
    path_point const to = job.block_starts[b + 1];
    srcsr_tile tile{from.nonzero, to.nonzero, from.row, to.row};
    if (tile.row < job.first_row) {
        tile.row = job.first_row;
        if (tile.row < tile.row_last) tile.first = job.offsets[tile.row];
    }
    if (tile.row_last > job.last_row) {
        tile.row_last = job.last_row;
        if (tile.row < tile.row_last) tile.last = job.offsets[tile.row_last];
    }
    if (tile.row >= tile.row_last) return;
    if (tile.last - tile.first <= Shape::tile)
        fold_whole_rows<Shape>(block, job, tile, multiply, add, store, shared);
    else
        fold_tile_by_tile<Shape>(block, job, tile, multiply, add, store, shared);
}

} // namespace coppice::detail
