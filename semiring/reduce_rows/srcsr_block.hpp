// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The body of the SRCSR block kernel, over a Block (core/block.hpp), so that it also runs under CPU threads.
///
/// A block folds its share of the path. A share of whole, short rows is folded by one or several lanes per row; any
/// other is cut evenly along the path, tile by tile, and joined by a segmented reduction. Parts of rows that are cut
/// between blocks are left as carries.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/semiring/operators/nonzero_streams.hpp>
#include <coppice/semiring/operators/operators.hpp>
#include <coppice/semiring/operators/shared_memory_layout.hpp>
#include <coppice/semiring/reduce_rows/srcsr_job.hpp>
#include <coppice/semiring/reduce_rows/srcsr_partition.hpp>

namespace coppice::detail {

/// One block at its share.
template <class Block, class O, class Multiply, class Add, class Store, class Combine,
          class Reading = read_in_rounds<Multiply, Add>>
struct srcsr_worker {
    using types = srcsr_types<Multiply, Add>;
    using product = typename types::product;
    using accumulator = typename types::accumulator;
    using result = typename types::result;
    using products_type = product_array<product>;
    static constexpr int group = 4; ///< nonzeros of a row that a thread keeps in flight
    static constexpr int items = Reading::items;

    Block const& block;
    srcsr_job<O> const& job;
    Multiply const& multiply;
    Add const& add;
    Store const& store;
    Combine const& combine;
    unsigned char* shared;

    COPPICE_HD std::uint64_t* gate() const { return reinterpret_cast<std::uint64_t*>(shared); }
    COPPICE_HD accumulator* head() const { return reinterpret_cast<accumulator*>(shared + types::head_at); }
    COPPICE_HD unsigned char* work_area() const { return shared + types::totals_bytes(block.threads()); }

    /// All threads: from here on everything may be read.
    COPPICE_HD void await_inputs() const {
        if constexpr (starts_product_early<Store>()) block.await_predecessor();
    }

    /// ⊕ over [first, last) of item(k), in order; `group` items are evaluated before the first is added.
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

    // ------------------------------------------------------------------------------------ shares of whole, short rows

    /// Copies [first, first + count) of one stream to shared memory at `area`; element 0 of the copy is returned.
    /// `inner`: by whole granules of 16 bytes, so also some elements of neighbouring shares. Else, at the ends of the
    /// array, where that would touch what is not its own, element by element.
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE T const* stage(T const* all, std::int64_t first, int count, bool inner,
                                                    unsigned char*& area) const {
        auto const* const from = reinterpret_cast<unsigned char const*>(all + first);
        int const shift = int(reinterpret_cast<std::uintptr_t>(from) % 16);
        T* const copy = reinterpret_cast<T*>(area + shift);
        if (inner) {
            block.copy(area, from - shift, (shift + count * int(sizeof(T)) + 15) & ~15, gate(), job.read_once);
        } else {
            COPPICE_NO_UNROLL
            for (int i = block.thread(); i < count; i += block.threads()) copy[i] = all[first + i];
        }
        area += round_up(job.capacity * int(sizeof(T)), types::alignment) + types::alignment;
        return copy;
    }
    COPPICE_HD streams<> stage_all(streams<> const&, std::int64_t, int, bool, unsigned char*&) const { return {}; }
    template <class T, class... Rest>
    COPPICE_HD COPPICE_ALWAYS_INLINE streams<T, Rest...> stage_all(streams<T, Rest...> const& s, std::int64_t first,
                                                                   int count, bool inner, unsigned char*& area) const {
        T const* const copy = stage(s.first, first, count, inner, area);
        return {copy, stage_all(s.rest, first, count, inner, area)};
    }

    /// Evaluates ⊗ for up to `items` nonzeros per thread from `begin` on, coalesced, into `products`; row_of(i) is the
    /// row of element i. Everything that a thread loads is in flight before it is used.
    template <class RowOf>
    COPPICE_HD COPPICE_ALWAYS_INLINE void stage_products(products_type const& products, std::int64_t first, int begin,
                                                         int count, RowOf const& row_of) const {
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

    /// Folds the rows [0, rows) that begin at row `first_row`; item(k, row) is the product of nonzero k of the share.
    /// `wait` is called between the reading of the row bounds and the first use of an item.
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
        while (true) { // all lanes of a warp make the same number of rounds: more than one only where lanes == 1
            int const stretch = (end - begin + lanes - 1) >> exponent;
            int const first = begin + lane * stretch;
            int const last = first + stretch < end ? first + stretch : end;
            bool const wanted = r >= rows || wants_row(store, from.row + r);
            accumulator sum = fold(first, wanted ? last : first, [&](int k) { return item(k, from.row + r); });
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

    COPPICE_HD void fold_row_share(path_point from, path_point to) const {
        int const rows = int(to.row - from.row);
        int const count = int(to.nonzero - from.nonzero);
        unsigned char* area = work_area();
        if constexpr (types::streamed) {
            constexpr int margin = 16; // elements in a granule, and more
            bool const inner = count > 0 && from.nonzero >= margin && to.nonzero + margin <= job.nonzeros;
            if (inner) block.open_gate(gate());
            auto const staged = stage_all(multiply.arrays, from.nonzero, count, inner, area);
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
                        block.pass_gate(gate());
                    else
                        block.sync();
                });
        } else {
            await_inputs();
            products_type const products{area, count};
            for (int begin = 0; begin < count; begin += items * block.threads())
                stage_products(products, from.nonzero, begin, count, [](int) { return std::int64_t{}; });
            fold_rows(
                from, rows, [&](int k, std::int64_t) { return products[k]; }, [&] { block.sync(); });
        }
    }

    // ----------------------------------------------------------------------------------------- shares along the path

    /// Stands for the end of the row that goes on behind a tile.
    static constexpr unsigned short never_ends = 65535;

    /// A tile: rows [row, row + rows) end among the nonzeros [first, first + count).
    struct tile {
        std::int64_t row;
        std::int64_t first;
        int rows;
        int count;
        bool cut;                   ///< its first row began in an earlier share
        unsigned short const* ends; ///< of the rows, from `first`, and never_ends behind them; in shared memory
        products_type products;
        result* results; ///< of the rows, in shared memory
    };

    COPPICE_HD int row_at(tile const& t, int k) const { // the row that holds nonzero k, `rows` for the open one
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

    /// Calls body(u, i) for the items i = begin + thread + u threads below `count`, u < items at compile time.
    template <class Body>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_items(int begin, int count, Body const& body) const {
        COPPICE_UNROLL
        for (int u = 0; u < items; ++u)
            if (int const i = begin + block.thread() + u * block.threads(); i < count) body(u, i);
    }

    /// Brings the tile [from, to) to shared memory: row ends and products.
    COPPICE_HD tile stage_tile(path_point from, int rows, int count, bool cut) const {
        auto* const ends = reinterpret_cast<unsigned short*>(work_area());
        O const* const global_ends = job.offsets + from.row + 1;
        unsigned char* const area = work_area() + round_up(2 * (job.tile_steps + 1), types::alignment);
        int const results_at = round_up(count * types::product_bytes, types::alignment);
        tile const t{from.row,
                     from.nonzero,
                     rows,
                     count,
                     cut,
                     ends,
                     products_type{area, count},
                     reinterpret_cast<result*>(area + results_at)};
        int const round = items * block.threads();
        auto const stage_ends = [&] {
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
        auto const stage_all_products = [&](auto const& row_of) {
            COPPICE_NO_UNROLL
            for (int begin = 0; begin < count; begin += round)
                stage_products(t.products, from.nonzero, begin, count, row_of);
        };
        if constexpr (types::with_row) {
            stage_ends();
            block.sync();
            stage_all_products([&](int k) { return from.row + row_at(t, k); });
        } else {
            stage_all_products([](int) { return std::int64_t{}; });
            stage_ends();
        }
        return t;
    }

    /// Ordered exclusive scan of what the threads leave open. Returns what is open before this thread, given `open`
    /// before thread 0, and replaces `open` by what the last thread leaves. Call it again only after a barrier.
    COPPICE_HD accumulator scan_open(open_part<accumulator> mine, accumulator& open) const {
        using part = open_part<accumulator>;
        auto* const totals = reinterpret_cast<part*>(shared + types::totals_at);
        int const lane = block.thread() % warp_lanes;
        int const warp = block.thread() / warp_lanes;
        auto const join = [&](part const& a, part const& b) {
            return b.closes ? b : part{add(a.open, b.open), a.closes};
        };
        COPPICE_UNROLL
        for (int d = 1; d < warp_lanes; d *= 2) {
            part const before = block.from_lane(mine, lane >= d ? lane - d : lane);
            if (lane >= d) mine = join(before, mine);
        }
        if (lane == warp_lanes - 1) totals[warp] = mine;
        part const left = block.from_lane(mine, lane > 0 ? lane - 1 : lane);
        block.sync();
        part before{open, 1}, all{open, 1};
        for (int w = 0; w < block.threads() / warp_lanes; ++w) {
            if (w == warp) before = all;
            all = join(all, totals[w]);
        }
        open = all.open;
        if (lane > 0) before = join(before, left);
        return before.open;
    }

    /// Warp-transposed segmented reduction (section 3.5.2, Figure 22): every thread walks an odd number of consecutive
    /// path steps, so that shared memory is read without conflicts. `open` is what is open before the tile, and after.
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
                // Nothing to ask behind the last row: nvcc 13.0 read the wrong end here where that was a condition.
                end = t.ends[++row];
            }
        };
        if constexpr (sizeof(accumulator) <= 8) {
            COPPICE_UNROLL
            for (int u = 0; u < share_items; ++u)
                if (u < left) step();
        } else {
            COPPICE_NO_UNROLL
            for (int u = 0; u < left; ++u) step();
        }
        accumulator const before = scan_open({sum, closes}, open);
        if (closes) close_first(t, first_row, add(before, head));
    }

    /// Takes the sum of a row that closes in the tile; the first may have begun in an earlier share.
    COPPICE_HD void close_first(tile const& t, int r, accumulator const& sum) const {
        if (r == 0 && t.cut)
            combine.close_cut(*this, t, sum);
        else
            t.results[r] = result_of(add, sum);
    }

    /// Reduces and stores the tile of `rows` and `count` from `from` on.
    COPPICE_HD void fold_tile(path_point from, int rows, int count, bool cut, accumulator& open) const {
        using fetched_type = fetched_t<Store>;
        constexpr bool ahead = sizeof(fetched_type) <= 8;
        tile const t = stage_tile(from, rows, count, cut);
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
                if (r > 0 || !cut) store_row(store, t.row + r, t.results[r], fetched[u].value);
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

    COPPICE_HD void fold_path_share(path_point from, path_point to, int kind) const {
        await_inputs();
        int const rows = int(to.row - from.row), count = int(to.nonzero - from.nonzero);
        bool const cut = kind & share_cuts_first;
        accumulator open = add.identity();
        if constexpr (types::one_tile) {
            fold_tile(from, rows, count, cut, open);
        } else {
            auto const row_end = [ends = job.offsets + from.row + 1](std::int64_t i) { return std::int64_t(ends[i]); };
            path_point at{0, from.nonzero};
            while (at.row < rows || at.nonzero < to.nonzero) {
                std::int64_t const done = at.row + at.nonzero - from.nonzero;
                path_point const next =
                    path_search(row_end, rows, from.nonzero, count,
                                done + job.tile_steps < rows + count ? done + job.tile_steps : rows + count);
                fold_tile({from.row + at.row, at.nonzero}, int(next.row - at.row), int(next.nonzero - at.nonzero),
                          cut && at.row == 0, open);
                at = next;
                block.sync(); // the tile may be overwritten from here on
            }
        }
        // First what others wait for, then what this share waits for: the other way round every share would wait for
        // all before it.
        if ((kind & share_cuts_last) && block.thread() == 0) combine.leave_open(*this, to.row, open);
        if (cut && rows > 0) combine.finish_cut(*this, from.row);
    }

    // ------------------------------------------------------------------------------------------------- rows cut in two

    static constexpr bool small_carries = sizeof(accumulator) <= 8;

    /// Hands over what this share leaves open of its last row.
    COPPICE_HD void publish_open(accumulator const& open) const {
        if constexpr (small_carries) {
            block.publish(job.slots + share, open);
        } else {
            static_cast<accumulator*>(job.large_carries)[share] = open;
            block.publish_behind_fence(job.slots + share);
        }
    }
    /// What share s has left open; waits for it.
    COPPICE_HD accumulator collect_open(std::int64_t s) const {
        if constexpr (small_carries) {
            return block.template collect<accumulator>(job.slots + s);
        } else {
            block.collect_behind_fence(job.slots + s);
            return static_cast<accumulator const*>(job.large_carries)[s];
        }
    }
    /// The same memory without waiting, for a kernel that runs later. `head`: of the share where the row ends.
    COPPICE_HD void leave_carry(bool head, std::int64_t s, accumulator const& value) const {
        if constexpr (small_carries)
            __builtin_memcpy((head ? job.heads : job.slots)[s].half, &value, sizeof(accumulator));
        else
            static_cast<accumulator*>(job.large_carries)[head ? job.shares + s : s] = value;
    }
    COPPICE_HD accumulator carry(bool head, std::int64_t s) const {
        if constexpr (small_carries) {
            late<accumulator> c;
            __builtin_memcpy(&c, (head ? job.heads : job.slots)[s].half, sizeof(accumulator));
            return c.value;
        } else {
            return static_cast<accumulator const*>(job.large_carries)[head ? job.shares + s : s];
        }
    }

    /// ⊕ over part(i) for i in [0, count), in order, by all threads of the block; the result on every thread.
    template <class Part>
    COPPICE_HD accumulator fold_parts(std::int64_t count, Part const& part) const {
        std::int64_t const chunk = (count + block.threads() - 1) / block.threads();
        accumulator sum = add.identity();
        for (std::int64_t i = block.thread() * chunk; i < (block.thread() + 1) * chunk && i < count; ++i)
            sum = add(sum, part(i));
        accumulator open = add.identity();
        scan_open({sum, 0}, open);
        return open;
    }

    // ----------------------------------------------------------------------------------------------------- the share

    std::int64_t share = 0;

    /// The stretch of the path that is to be folded; whether there is one.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool find_stretch(path_point& from, path_point& to, int& kind) const {
        path_point const cut = job.cuts[share];
        from = point_of(cut), to = point_of(job.cuts[share + 1]);
        kind = kind_of(cut);
        if (job.first_row > 0 || job.last_row < job.rows) {
            if (from.row < job.first_row) {
                from = {job.first_row, std::int64_t(job.offsets[job.first_row])};
                kind &= ~share_cuts_first;
            }
            if (to.row >= job.last_row) {
                to = {job.last_row, std::int64_t(job.offsets[job.last_row])};
                kind &= ~share_cuts_last;
            }
            if (from.row > to.row || (from.row == to.row && from.nonzero >= to.nonzero)) return false;
        }
        return true;
    }
    /// Whether a share is folded row by row.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool by_rows(int kind) const {
        return (kind & share_of_rows) && job.capacity > 0 && (types::streamed || !types::with_row);
    }
};

/// The store of one thread: its own where it folds over rows, else that of all.
COPPICE_NO_EXEC_CHECK
template <class Store>
COPPICE_HD COPPICE_ALWAYS_INLINE decltype(auto) store_of_thread(Store const& store) {
    if constexpr (folds_rows_v<Store>)
        return store.on_thread();
    else
        return (store);
}

/// How a tile is reduced and how the parts of cut rows come together: in order, in the share where the row ends, which
/// waits for the others (scheme `adaptive`), or by a second kernel (`balanced_postprocess`). Blocks start in the order
/// of their shares, so who waits does so for blocks that are running. See srcsr_cuda.cuh for the other policies.
struct ordered_parts {
    static constexpr std::int64_t short_chain = 4; ///< parts that one thread collects alone
    static constexpr bool by_walk = true;          ///< a tile is reduced by reduce_tile, else by reduce() from here

    /// One thread: `sum` is the part of the tile's first row that lies in this share.
    template <class Worker, class Tile, class Accumulator>
    COPPICE_HD void close_cut(Worker const& w, Tile const&, Accumulator const& sum) const {
        if (w.job.scheme == srcsr_scheme::adaptive)
            *w.head() = sum;
        else
            w.leave_carry(true, w.share, sum);
    }
    /// All threads: puts a cut row together that ends in this share.
    template <class Worker>
    COPPICE_HD void finish_cut(Worker const& w, std::int64_t row) const {
        if (w.job.scheme != srcsr_scheme::adaptive) return;
        std::int64_t const first = shares_of_row(w.job.offsets, row, w.job.work_per_block).first;
        auto before = w.add.identity();
        if (w.share - first > short_chain)
            before = w.fold_parts(w.share - first, [&](std::int64_t i) { return w.collect_open(first + i); });
        else if (w.block.thread() == 0)
            for (std::int64_t s = first; s < w.share; ++s) before = w.add(before, w.collect_open(s));
        if (w.block.thread() == 0)
            store_row(w.store, row, result_of(w.add, w.add(before, *w.head())), fetch_for(w.store, row));
    }
    /// One thread: `open` is what the share leaves of row `row`.
    template <class Worker, class Accumulator>
    COPPICE_HD void leave_open(Worker const& w, std::int64_t, Accumulator const& open) const {
        if (w.job.scheme == srcsr_scheme::adaptive)
            w.publish_open(open);
        else
            w.leave_carry(false, w.share, open);
    }
};

/// One block of the kernel: the rows of share `s`. The result does not depend on `Reading`.
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
    if (worker.find_stretch(from, to, kind)) {
        if (worker.by_rows(kind))
            worker.fold_row_share(from, to);
        else
            worker.fold_path_share(from, to, kind);
    }
    if constexpr (folds_rows_v<Store>) {
        block.sync(); // the last words in shared memory have been read
        store.finish(block, reinterpret_cast<double*>(shared + srcsr_types<Multiply, Add>::totals_at), s, job.shares,
                     of_thread);
    }
}

/// One block of the second kernel of `balanced_postprocess`: stores the cut rows that close in shares
/// [begin, begin + threads). Short chains of parts by one thread each, long ones by the whole block.
COPPICE_NO_EXEC_CHECK
template <class Block, class O, class Multiply, class Add, class Store, class Combine>
COPPICE_HD void srcsr_postprocess_block(Block const& block, std::int64_t begin, srcsr_job<O> const& job,
                                        Multiply const& multiply, Add const& add, Store const& store,
                                        Combine const& combine, unsigned char* shared) {
    constexpr std::int64_t short_chain = 16;
    srcsr_worker<Block, O, Multiply, Add, Store, Combine> const worker{block, job,     multiply, add,
                                                                       store, combine, shared};
    auto const closing_row = [&](std::int64_t s) -> std::int64_t { // a row that closes in share s and began before it
        if (s >= job.shares) return -1;
        path_point const from = point_of(job.cuts[s]), to = point_of(job.cuts[s + 1]);
        if (from.row >= to.row || from.row < job.first_row || from.row >= job.last_row) return -1;
        return kind_of(job.cuts[s]) & share_cuts_first ? from.row : -1;
    };
    // Part i of the row that closes in share s, of those from share `first` on.
    auto const part = [&](std::int64_t s, std::int64_t first, std::int64_t i) {
        return worker.carry(first + i == s, first + i);
    };
    std::int64_t const share = begin + block.thread();
    std::int64_t const mine = closing_row(share);
    bool long_chain = false;
    if (mine >= 0) {
        std::int64_t const first = shares_of_row(job.offsets, mine, job.work_per_block).first;
        long_chain = share - first >= short_chain;
        if (!long_chain) {
            auto sum = add.identity();
            for (std::int64_t i = 0; i <= share - first; ++i) sum = add(sum, part(share, first, i));
            store_row(store, mine, result_of(add, sum), fetch_for(store, mine));
        }
    }
    if (!block.sync_any(long_chain)) return;
    for (int t = 0; t < block.threads(); ++t) {
        std::int64_t const s = begin + t;
        std::int64_t const row = closing_row(s);
        if (row < 0) continue;
        std::int64_t const first = shares_of_row(job.offsets, row, job.work_per_block).first;
        if (s - first < short_chain) continue;
        auto const sum = worker.fold_parts(s - first + 1, [&](std::int64_t i) { return part(s, first, i); });
        if (block.thread() == 0) store_row(store, row, result_of(add, sum), fetch_for(store, row));
        block.sync();
    }
}

} // namespace coppice::detail
