// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Body of the SRCSR block kernel as a template over a Block (core/block.hpp), so that it also runs on CPU threads.
///
/// A block reduces its range of the path. A range of whole, short rows is folded by one or several lanes per row. Any
/// other range is split evenly along the path, tile by tile, and combined by a segmented reduction. Partial sums of
/// rows that are split between blocks are left as carries.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/semiring/operators/nonzero_streams.hpp>
#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/operators/shared_memory_layout.hpp>
#include <coppice/semiring/reduce_rows/srcsr_job.hpp>
#include <coppice/semiring/reduce_rows/srcsr_partition.hpp>

namespace coppice::inline v0_1::detail {

/// One block with its range.
template <class Block, class O, class Multiply, class Add, class Store, class Combine,
          class Reading = read_in_rounds<Multiply, Add>>
struct srcsr_worker {
    using types = srcsr_types<Multiply, Add>;
    using product = typename types::product;
    using accumulator = typename types::accumulator;
    using result = typename types::result;
    using products_type = product_array<product>;
    static constexpr int group = 4; ///< number of products of a row that a thread evaluates before it adds them
    static constexpr int items = Reading::items;

    Block const& block;
    srcsr_job<O> const& job;
    Multiply const& multiply;
    Add const& add;
    Store const& store;
    Combine const& combine;
    unsigned char* shared;

    COPPICE_HD std::uint64_t* copy_barrier() const { return reinterpret_cast<std::uint64_t*>(shared); }
    COPPICE_HD accumulator* head() const { return reinterpret_cast<accumulator*>(shared + types::head_at); }
    COPPICE_HD unsigned char* work_area() const { return shared + types::totals_bytes(block.threads()); }

    /// Called by all threads; afterwards all inputs may be read.
    COPPICE_HD void await_inputs() const {
        if constexpr (starts_product_early<Store>()) block.await_predecessor();
    }

    /// Returns ⊕ over [first, last) of item(k), in order; evaluates `group` items before it adds the first.
    COPPICE_NO_EXEC_CHECK
    template <class Item>
    COPPICE_HD COPPICE_ALWAYS_INLINE accumulator fold(int first, int last, Item const& item) const {
        accumulator sum = add.identity();
        int k = first;
        COPPICE_NO_UNROLL
        for (; k + group <= last; k += group) {
            late<product> p[group];
            COPPICE_UNROLL
            for (int u = 0; u < group; ++u) p[u].value = item(k + u);
            COPPICE_UNROLL
            for (int u = 0; u < group; ++u) sum = accumulate(add, sum, p[u].value);
            if (is_terminal(add, sum)) return sum;
        }
        late<product> p[group - 1];
        COPPICE_UNROLL
        for (int u = 0; u < group - 1; ++u)
            if (k + u < last) p[u].value = item(k + u);
        COPPICE_UNROLL
        for (int u = 0; u < group - 1; ++u)
            if (k + u < last) sum = accumulate(add, sum, p[u].value);
        return sum;
    }

    // ------------------------------------------------------------------------------------ ranges of whole, short rows

    /// Copies [first, first + count) of one stream to shared memory at `area`; returns a pointer to element 0 of the
    /// copy. If `inner`, copies whole granules of 16 bytes, which include some elements of neighbouring ranges.
    /// Otherwise, at the ends of the array, copies element by element, because a granule would exceed the array.
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE T const* copy_stream(T const* all, std::int64_t first, int count, bool inner,
                                                          unsigned char*& area) const {
        auto const* const from = reinterpret_cast<unsigned char const*>(all + first);
        int const shift = int(reinterpret_cast<std::uintptr_t>(from) % 16);
        T* const copy = reinterpret_cast<T*>(area + shift);
        if (inner) {
            block.copy(area, from - shift, (shift + count * int(sizeof(T)) + 15) & ~15, copy_barrier(), job.read_once);
        } else {
            COPPICE_NO_UNROLL
            for (int i = block.thread(); i < count; i += block.threads()) copy[i] = all[first + i];
        }
        area += round_up(job.capacity * int(sizeof(T)), types::alignment) + types::alignment;
        return copy;
    }
    COPPICE_HD streams<> copy_streams(streams<> const&, std::int64_t, int, bool, unsigned char*&) const { return {}; }
    template <class T, class... Rest>
    COPPICE_HD COPPICE_ALWAYS_INLINE streams<T, Rest...>
    copy_streams(streams<T, Rest...> const& s, std::int64_t first, int count, bool inner, unsigned char*& area) const {
        T const* const copy = copy_stream(s.first, first, count, inner, area);
        return {copy, copy_streams(s.rest, first, count, inner, area)};
    }

    /// Evaluates ⊗ for up to `items` nonzeros per thread from `begin` on, coalesced, into `products`; row_of(i) is the
    /// row of element i. All loads of a thread are issued before the first value is used.
    template <class RowOf>
    COPPICE_HD COPPICE_ALWAYS_INLINE void evaluate_products(products_type const& products, std::int64_t first,
                                                            int begin, int count, RowOf const& row_of) const {
        late<product> p[items];
        if constexpr (types::streamed) {
            auto const here = advance(multiply.arrays, first);
            late<decltype(load<Reading::past_cache>(here, 0))> e[items];
            for_items(begin, count, [&](int u, int i) { e[u].value = load<Reading::past_cache>(here, i); });
            for_items(begin, count, [&](int u, int i) {
                if constexpr (types::with_row)
                    p[u].value = apply_to(multiply.f, e[u].value, std::int64_t(row_of(i)));
                else
                    p[u].value = apply_to(multiply.f, e[u].value, no_row{});
            });
        } else {
            for_items(begin, count,
                      [&](int u, int i) { p[u].value = multiply_nonzero(multiply, first + i, row_of(i)); });
        }
        for_items(begin, count, [&](int u, int i) { products.set(i, p[u].value); });
    }

    /// Folds rows [0, rows) of the range that begins at `from`; item(k, row) is the product of nonzero k of the range.
    /// `wait` is called after the row bounds are read and before the first use of an item.
    template <class Item, class Wait>
    COPPICE_HD COPPICE_ALWAYS_INLINE void fold_rows(path_point from, int rows, Item const& item,
                                                    Wait const& wait) const {
        O const* const offsets = job.offsets + from.row;
        int const exponent = lanes_exponent(rows, block.threads());
        int const lanes = 1 << exponent;
        int const lane = block.thread() & (lanes - 1);
        int r = block.thread() >> exponent;
        int begin = 0, end = 0;
        late<fetched_t<Store>> fetched;
        auto const bounds = [&] {
            begin = int(std::int64_t(offsets[r]) - from.nonzero);
            end = int(std::int64_t(offsets[r + 1]) - from.nonzero);
            if (lane == 0) fetched.value = fetch_for(store, from.row + r);
        };
        if (r < rows) bounds();
        wait();
        while (true) { // all lanes of a warp make the same number of rounds; more than one only if lanes == 1
            int const chunk = (end - begin + lanes - 1) >> exponent;
            int const first = begin + lane * chunk;
            int const last = first + chunk < end ? first + chunk : end;
            bool const needed = r >= rows || wants_row(store, from.row + r);
            accumulator sum = fold(first, needed ? last : first, [&](int k) { return item(k, from.row + r); });
            for (int d = 1; d < lanes; d *= 2) {
                accumulator const after = block.from_lane(sum, (block.thread() + d) % warp_lanes);
                if (lane + d < lanes) sum = add(sum, after);
            }
            if (r < rows && lane == 0) store_row(store, from.row + r, result_of(add, sum), fetched.value);
            r += block.threads() >> exponent;
            if (lanes > 1 || r >= rows) break;
            bounds();
        }
    }

    COPPICE_HD void fold_row_range(path_point from, path_point to) const {
        int const rows = int(to.row - from.row);
        int const count = int(to.nonzero - from.nonzero);
        unsigned char* area = work_area();
        if constexpr (types::streamed) {
            constexpr int margin = 16; // at least the elements of one granule
            bool const inner = count > 0 && from.nonzero >= margin && to.nonzero + margin <= job.nonzeros;
            if (inner) block.init_barrier(copy_barrier());
            auto const staged = copy_streams(multiply.arrays, from.nonzero, count, inner, area);
            await_inputs();
            fold_rows(
                from, rows,
                [&](int k, std::int64_t row) {
                    if constexpr (types::with_row)
                        return apply_at(multiply.f, staged, k, std::int64_t(row));
                    else
                        return apply_at(multiply.f, staged, k, no_row{});
                },
                [&] {
                    if (inner)
                        block.pass_barrier(copy_barrier());
                    else
                        block.sync();
                });
        } else {
            await_inputs();
            products_type const products{area, count};
            for (int begin = 0; begin < count; begin += items * block.threads())
                evaluate_products(products, from.nonzero, begin, count, [](int) { return std::int64_t{}; });
            fold_rows(
                from, rows, [&](int k, std::int64_t) { return products[k]; }, [&] { block.sync(); });
        }
    }

    // ----------------------------------------------------------------------------------------- ranges along the path

    /// End of the row that continues after a tile.
    static constexpr unsigned short never_ends = 65535;

    /// A tile: rows [row, row + rows) end among the nonzeros [first, first + count).
    struct tile {
        std::int64_t row;
        std::int64_t first;
        int rows;
        int count;
        bool split_first;           ///< its first row began in an earlier range
        unsigned short const* ends; ///< in shared memory: ends of the rows relative to `first`, then never_ends
        products_type products;
        result* results; ///< in shared memory: sums of the rows
    };

    COPPICE_HD int row_at(tile const& t, int k) const { // row that contains nonzero k; `rows` for the open row
        int low = 0, high = t.rows;
        while (low < high) {
            int const middle = (low + high) / 2;
            if (int(t.ends[middle]) <= k)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    /// Calls body(u, i) for the items i = begin + thread + u threads below `count`; u < items is known at compile time.
    template <class Body>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_items(int begin, int count, Body const& body) const {
        COPPICE_UNROLL
        for (int u = 0; u < items; ++u)
            if (int const i = begin + block.thread() + u * block.threads(); i < count) body(u, i);
    }

    /// Loads the tile [from, to) into shared memory: row ends and products.
    COPPICE_HD tile load_tile(path_point from, int rows, int count, bool split_first) const {
        auto* const ends = reinterpret_cast<unsigned short*>(work_area());
        O const* const global_ends = job.offsets + from.row + 1;
        unsigned char* const area = work_area() + round_up(2 * (job.tile_steps + 1), types::alignment);
        int const results_at = round_up(count * types::product_bytes, types::alignment);
        tile const t{from.row,
                     from.nonzero,
                     rows,
                     count,
                     split_first,
                     ends,
                     products_type{area, count},
                     reinterpret_cast<result*>(area + results_at)};
        int const round = items * block.threads();
        auto const load_ends = [&] {
            if (block.thread() == 0) ends[rows] = never_ends;
            COPPICE_NO_UNROLL
            for (int begin = 0; begin < rows; begin += round) {
                late<O> end[items];
                for_items(begin, rows, [&](int u, int i) { end[u].value = global_ends[i]; });
                for_items(begin, rows, [&](int u, int i) {
                    ends[i] = static_cast<unsigned short>(end[u].value - static_cast<O>(from.nonzero));
                });
            }
        };
        auto const evaluate_all = [&](auto const& row_of) {
            COPPICE_NO_UNROLL
            for (int begin = 0; begin < count; begin += round)
                evaluate_products(t.products, from.nonzero, begin, count, row_of);
        };
        if constexpr (types::with_row) {
            load_ends();
            block.sync();
            evaluate_all([&](int k) { return from.row + row_at(t, k); });
        } else {
            evaluate_all([](int) { return std::int64_t{}; });
            load_ends();
        }
        return t;
    }

    /// Ordered exclusive scan of the open sums of all threads. Returns the open sum before this thread, where `open` is
    /// the open sum before thread 0, and sets `open` to that after the last thread. A barrier is needed before the next
    /// call.
    COPPICE_HD accumulator scan_open(open_sum<accumulator> mine, accumulator& open) const {
        using partial = open_sum<accumulator>;
        auto* const totals = reinterpret_cast<partial*>(shared + types::totals_at);
        int const lane = block.thread() % warp_lanes;
        int const warp = block.thread() / warp_lanes;
        auto const merge = [&](partial const& a, partial const& b) {
            return b.closes ? b : partial{add(a.open, b.open), a.closes};
        };
        COPPICE_UNROLL
        for (int d = 1; d < warp_lanes; d *= 2) {
            partial const before = block.from_lane(mine, lane >= d ? lane - d : lane);
            if (lane >= d) mine = merge(before, mine);
        }
        if (lane == warp_lanes - 1) totals[warp] = mine;
        partial const left = block.from_lane(mine, lane > 0 ? lane - 1 : lane);
        block.sync();
        partial before{open, 1}, all{open, 1};
        for (int w = 0; w < block.threads() / warp_lanes; ++w) {
            if (w == warp) before = all;
            all = merge(all, totals[w]);
        }
        open = all.open;
        if (lane > 0) before = merge(before, left);
        return before.open;
    }

    /// Warp-transposed segmented reduction (section 3.5.2, Figure 22): every thread walks an odd number of consecutive
    /// path steps, so that shared memory is read without bank conflicts. `open`: the open sum before the tile on entry,
    /// after the tile on return.
    COPPICE_HD void reduce_tile(tile const& t, accumulator& open) const {
        int const steps = t.rows + t.count;
        int const chunk = (steps + block.threads() - 1) / block.threads() | 1;
        int const first = block.thread() * chunk < steps ? block.thread() * chunk : steps;
        int const left = steps - first < chunk ? steps - first : chunk;
        int low = first > t.count ? first - t.count : 0;
        int high = first < t.rows ? first : t.rows;
        while (low < high) {
            int const middle = (low + high) / 2;
            if (int(t.ends[middle]) <= first - middle - 1)
                low = middle + 1;
            else
                high = middle;
        }
        int row = low, k = first - low;
        int const first_row = row;
        int end = t.ends[row];
        accumulator sum = add.identity(), head = sum;
        bool closes = false;
        auto const step = [&] {
            if (k < end) {
                sum = accumulate(add, sum, t.products[k]);
                ++k;
            } else {
                if (closes)
                    t.results[row] = result_of(add, sum);
                else
                    head = sum;
                closes = true;
                sum = add.identity();
                // Reads ends[rows] after the last row too, unconditionally: with a condition nvcc 13.0 read the wrong
                // end here.
                end = t.ends[++row];
            }
        };
        if constexpr (sizeof(accumulator) <= 8) {
            COPPICE_UNROLL
            for (int u = 0; u < range_items; ++u)
                if (u < left) step();
        } else {
            COPPICE_NO_UNROLL
            for (int u = 0; u < left; ++u) step();
        }
        accumulator const before = scan_open({sum, closes}, open);
        if (closes) close_first(t, first_row, add(before, head));
    }

    /// Stores the sum of a row that ends in the tile; the first row may have begun in an earlier range.
    COPPICE_HD void close_first(tile const& t, int r, accumulator const& sum) const {
        if (r == 0 && t.split_first)
            combine.close_split_row(*this, t, sum);
        else
            t.results[r] = result_of(add, sum);
    }

    /// Reduces and stores the tile of `rows` rows and `count` nonzeros that begins at `from`.
    COPPICE_HD void fold_tile(path_point from, int rows, int count, bool split_first, accumulator& open) const {
        using fetched_type = fetched_t<Store>;
        constexpr bool ahead = sizeof(fetched_type) <= 8;
        tile const t = load_tile(from, rows, count, split_first);
        late<fetched_type> fetched[items];
        if constexpr (ahead) for_items(0, rows, [&](int u, int r) { fetched[u].value = fetch_for(store, t.row + r); });
        block.sync();
        if constexpr (Combine::by_walk)
            reduce_tile(t, open);
        else
            combine.reduce(*this, t, open);
        block.sync();
        auto const store_results = [&](int begin) {
            for_items(begin, rows, [&](int u, int r) {
                if (r > 0 || !split_first) store_row(store, t.row + r, t.results[r], fetched[u].value);
            });
        };
        if constexpr (!ahead) for_items(0, rows, [&](int u, int r) { fetched[u].value = fetch_for(store, t.row + r); });
        store_results(0);
        COPPICE_NO_UNROLL
        for (int begin = items * block.threads(); begin < rows; begin += items * block.threads()) {
            for_items(begin, rows, [&](int u, int r) { fetched[u].value = fetch_for(store, t.row + r); });
            store_results(begin);
        }
    }

    COPPICE_HD void fold_path_range(path_point from, path_point to, int kind) const {
        await_inputs();
        int const rows = int(to.row - from.row), count = int(to.nonzero - from.nonzero);
        bool const split_first = kind & range_splits_first;
        accumulator open = add.identity();
        if constexpr (types::one_tile) {
            fold_tile(from, rows, count, split_first, open);
        } else {
            auto const row_end = [ends = job.offsets + from.row + 1](std::int64_t i) { return std::int64_t(ends[i]); };
            path_point at{0, from.nonzero};
            while (at.row < rows || at.nonzero < to.nonzero) {
                std::int64_t const done = at.row + at.nonzero - from.nonzero;
                path_point const next =
                    path_search(row_end, rows, from.nonzero, count,
                                done + job.tile_steps < rows + count ? done + job.tile_steps : rows + count);
                fold_tile({from.row + at.row, at.nonzero}, int(next.row - at.row), int(next.nonzero - at.nonzero),
                          split_first && at.row == 0, open);
                at = next;
                block.sync(); // from here on the tile may be overwritten
            }
        }
        // Publish the partial sum for later ranges before waiting for earlier ranges. In the opposite order every range
        // would wait for all ranges before it.
        if ((kind & range_splits_last) && block.thread() == 0) combine.leave_open(*this, to.row, open);
        if (split_first && rows > 0) combine.finish_split_row(*this, from.row);
    }

    // --------------------------------------------------------------------------------------------------- split rows

    static constexpr bool small_carries = sizeof(accumulator) <= 8;

    /// Publishes the partial sum of the last row of this range.
    COPPICE_HD void publish_open(accumulator const& open) const {
        if constexpr (small_carries) {
            block.publish(job.slots + range, open);
        } else {
            static_cast<accumulator*>(job.large_carries)[range] = open;
            block.publish_after_fence(job.slots + range);
        }
    }
    /// Returns the partial sum that range s published; waits for it.
    COPPICE_HD accumulator collect_open(std::int64_t s) const {
        if constexpr (small_carries) {
            return block.template collect<accumulator>(job.slots + s);
        } else {
            block.collect_before_fence(job.slots + s);
            return static_cast<accumulator const*>(job.large_carries)[s];
        }
    }
    /// Access to the same memory without waiting, for a kernel that runs later. `head`: of the range where the row
    /// ends.
    COPPICE_HD void leave_carry(bool head, std::int64_t s, accumulator const& value) const {
        if constexpr (small_carries)
            __builtin_memcpy((head ? job.heads : job.slots)[s].half, &value, sizeof(accumulator));
        else
            static_cast<accumulator*>(job.large_carries)[head ? job.ranges + s : s] = value;
    }
    COPPICE_HD accumulator carry(bool head, std::int64_t s) const {
        if constexpr (small_carries) {
            late<accumulator> c;
            __builtin_memcpy(&c, (head ? job.heads : job.slots)[s].half, sizeof(accumulator));
            return c.value;
        } else {
            return static_cast<accumulator const*>(job.large_carries)[head ? job.ranges + s : s];
        }
    }

    /// Returns ⊕ over partial(i) for i in [0, count), in order, computed by all threads of the block, to every thread.
    template <class Partial>
    COPPICE_HD accumulator fold_partials(std::int64_t count, Partial const& partial) const {
        std::int64_t const chunk = (count + block.threads() - 1) / block.threads();
        accumulator sum = add.identity();
        for (std::int64_t i = block.thread() * chunk; i < (block.thread() + 1) * chunk && i < count; ++i)
            sum = add(sum, partial(i));
        accumulator open = add.identity();
        scan_open({sum, 0}, open);
        return open;
    }

    // --------------------------------------------------------------------------------------- the range of this block

    std::int64_t range = 0;

    /// Computes the segment of the path to reduce, clipped to the rows of the job; returns whether it is not empty.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool find_path_range(path_point& from, path_point& to, int& kind) const {
        path_point const split = job.splits[range];
        from = point_of(split), to = point_of(job.splits[range + 1]);
        kind = kind_of(split);
        if (job.first_row > 0 || job.last_row < job.rows) {
            if (from.row < job.first_row) {
                from = {job.first_row, std::int64_t(job.offsets[job.first_row])};
                kind &= ~range_splits_first;
            }
            if (to.row >= job.last_row) {
                to = {job.last_row, std::int64_t(job.offsets[job.last_row])};
                kind &= ~range_splits_last;
            }
            if (from.row > to.row || (from.row == to.row && from.nonzero >= to.nonzero)) return false;
        }
        return true;
    }
    /// Whether the range is folded row by row.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool by_rows(int kind) const {
        return (kind & range_of_whole_rows) && job.capacity > 0 && (types::streamed || !types::with_row);
    }
};

/// Returns the store of one thread: a separate one if it folds over rows, otherwise the shared one.
COPPICE_NO_EXEC_CHECK
template <class Store>
COPPICE_HD COPPICE_ALWAYS_INLINE decltype(auto) store_of_thread(Store const& store) {
    if constexpr (folds_rows_v<Store>)
        return store.on_thread();
    else
        return (store);
}

/// Policy that reduces a tile and combines the partial sums of split rows in order: in the range where the row ends,
/// which waits for the others (scheme `adaptive`), or by a second kernel (`balanced_postprocess`). Blocks start in the
/// order of their ranges, so that a block waits only for blocks that are already running. See srcsr_cuda.cuh for the
/// other policies.
struct ordered_combine {
    static constexpr std::int64_t short_chain = 4; ///< up to this many partial sums are collected by one thread
    /// A tile is reduced by reduce_tile(); otherwise by reduce() of the policy
    static constexpr bool by_walk = true;

    /// Called by one thread: `sum` is the partial sum of the tile's first row in this range.
    template <class Worker, class Tile, class Accumulator>
    COPPICE_HD void close_split_row(Worker const& w, Tile const&, Accumulator const& sum) const {
        if (w.job.scheme == srcsr_scheme::adaptive)
            *w.head() = sum;
        else
            w.leave_carry(true, w.range, sum);
    }
    /// Called by all threads: completes a split row that ends in this range.
    template <class Worker>
    COPPICE_HD void finish_split_row(Worker const& w, std::int64_t row) const {
        if (w.job.scheme != srcsr_scheme::adaptive) return;
        std::int64_t const first = ranges_of_row(w.job.offsets, row, w.job.work_per_block).first;
        auto before = w.add.identity();
        if (w.range - first > short_chain)
            before = w.fold_partials(w.range - first, [&](std::int64_t i) { return w.collect_open(first + i); });
        else if (w.block.thread() == 0)
            for (std::int64_t s = first; s < w.range; ++s) before = w.add(before, w.collect_open(s));
        if (w.block.thread() == 0)
            store_row(w.store, row, result_of(w.add, w.add(before, *w.head())), fetch_for(w.store, row));
    }
    /// Called by one thread: `open` is the partial sum of row `row`, which continues in the next range.
    template <class Worker, class Accumulator>
    COPPICE_HD void leave_open(Worker const& w, std::int64_t, Accumulator const& open) const {
        if (w.job.scheme == srcsr_scheme::adaptive)
            w.publish_open(open);
        else
            w.leave_carry(false, w.range, open);
    }
};

/// One block of the kernel: the rows of range `s`. The result does not depend on `Reading`.
COPPICE_NO_EXEC_CHECK
template <class Reading, class Block, class O, class Multiply, class Add, class Store, class Combine>
COPPICE_HD void srcsr_block(Block const& block, std::int64_t s, srcsr_job<O> const& job, Multiply const& multiply,
                            Add const& add, Store const& store, Combine const& combine, unsigned char* shared) {
    auto const& of_thread = store_of_thread(store);
    using store_type = std::remove_cvref_t<decltype(of_thread)>;
    srcsr_worker<Block, O, Multiply, Add, store_type, Combine, Reading> const worker{block,     job,     multiply, add,
                                                                                     of_thread, combine, shared,   s};
    path_point from, to;
    int kind;
    if (worker.find_path_range(from, to, kind)) {
        if (worker.by_rows(kind))
            worker.fold_row_range(from, to);
        else
            worker.fold_path_range(from, to, kind);
    }
    if constexpr (folds_rows_v<Store>) {
        block.sync(); // all reads of shared memory are done
        store.finish(block, reinterpret_cast<double*>(shared + srcsr_types<Multiply, Add>::totals_at), s, job.ranges,
                     of_thread);
    }
}

/// One block of the second kernel of `balanced_postprocess`: stores the split rows that end in ranges [begin, begin +
/// threads). A short chain of partial sums is folded by one thread, a long one by the whole block.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Multiply, class Add, class Store, class Combine>
COPPICE_HD void srcsr_postprocess_block(Block const& block, std::int64_t begin, srcsr_job<O> const& job,
                                        Multiply const& multiply, Add const& add, Store const& store,
                                        Combine const& combine, unsigned char* shared) {
    constexpr std::int64_t short_chain = 16;
    srcsr_worker<Block, O, Multiply, Add, Store, Combine> const worker{block, job,     multiply, add,
                                                                       store, combine, shared};
    // Row that ends in range s and began before it, or -1.
    auto const closing_row = [&](std::int64_t s) -> std::int64_t {
        if (s >= job.ranges) return -1;
        path_point const from = point_of(job.splits[s]), to = point_of(job.splits[s + 1]);
        if (from.row >= to.row || from.row < job.first_row || from.row >= job.last_row) return -1;
        return kind_of(job.splits[s]) & range_splits_first ? from.row : -1;
    };
    // Partial sum i, counted from range `first`, of the row that ends in range s.
    auto const partial = [&](std::int64_t s, std::int64_t first, std::int64_t i) {
        return worker.carry(first + i == s, first + i);
    };
    std::int64_t const range = begin + block.thread();
    std::int64_t const mine = closing_row(range);
    bool long_chain = false;
    if (mine >= 0) {
        std::int64_t const first = ranges_of_row(job.offsets, mine, job.work_per_block).first;
        long_chain = range - first >= short_chain;
        if (!long_chain) {
            auto sum = add.identity();
            for (std::int64_t i = 0; i <= range - first; ++i) sum = add(sum, partial(range, first, i));
            store_row(store, mine, result_of(add, sum), fetch_for(store, mine));
        }
    }
    if (!block.sync_any(long_chain)) return;
    for (int t = 0; t < block.threads(); ++t) {
        std::int64_t const s = begin + t;
        std::int64_t const row = closing_row(s);
        if (row < 0) continue;
        std::int64_t const first = ranges_of_row(job.offsets, row, job.work_per_block).first;
        if (s - first < short_chain) continue;
        auto const sum = worker.fold_partials(s - first + 1, [&](std::int64_t i) { return partial(s, first, i); });
        if (block.thread() == 0) store_row(store, row, result_of(add, sum), fetch_for(store, row));
        block.sync();
    }
}

} // namespace coppice::inline v0_1::detail
