// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products as compositions of parallel primitives, for any executor; used on CUDA.
///
/// Structure: a short row of A is merged by one lane (lane_merge.hpp), in warps of rows with similar numbers of
/// products. Other rows use shared memory: rows with up to 64 products and short rows of B are gathered by eight lanes
/// in a hash table, rows with up to 256 products by a warp in a hash table, and longer ones by a warp with one bit per
/// column (product_groups.hpp). Rows are counted first and then computed again to be written; temporary memory is one
/// length and one number of products per row. Values: rows are merged again by one lane, or each row of B is processed
/// by all lanes of the group, one row after the other in the order of A's row. Sums therefore have the order of those
/// on the host, and equal bits if the arithmetic is the same. Long rows are folded by a warp in windows of the
/// structure; in small products one lane computes one entry (product_entries.hpp).
#pragma once

#include <limits>

#include <coppice/semiring/spgemm/product_entries.hpp>
#include <coppice/semiring/spgemm/product_groups.hpp>

namespace coppice::inline v0_1::detail {

struct is_long_row {
    std::int64_t const* lengths;
    COPPICE_HD bool operator()(std::int64_t r) const { return lengths[r] == length_by_bits; }
};
template <class I>
struct list_long_row {
    I* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t r) const { list[position] = static_cast<I>(r); }
};

/// Number of windows of the structure of a row; 0 for rows of at most one window.
template <class O>
struct windows_of_row {
    O const* offsets;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        std::int64_t const size = std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
        return size > product_window ? (size + product_window - 1) / product_window : 0;
    }
};

/// Number of entries of the row of B that a nonzero of A multiplies.
template <class A, class B, class I, class O>
struct b_row_length {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        return std::int64_t(b.row_end(a.indices[k])) - std::int64_t(b.row_begin(a.indices[k]));
    }
};
struct store_products {
    std::int64_t first;
    std::int32_t sign;
    std::int32_t* signed_products;
    COPPICE_HD void operator()(std::int64_t row, std::int64_t count) const {
        constexpr std::int64_t max_count = std::numeric_limits<std::int32_t>::max();
        signed_products[row - first] = sign * static_cast<std::int32_t>(count < max_count ? count : max_count);
    }
};

/// Lengths of the rows, their numbers of products, and the list of rows whose columns are found by bits.
template <class I>
struct counted_rows {
    buffer<std::int64_t> lengths{};
    buffer<std::int32_t> signed_products{};
    buffer<I> long_rows{};
    std::int64_t long_count = 0;
    bool all_merged = false;  ///< every row is merged by one lane
    bool has_windows = false; ///< some row may have more entries than a window
};
template <class A, class B, class I, class O, class Mask>
product_columns<A, B, I, O, Mask> columns_of(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask, std::int64_t first,
                                             counted_rows<I>& counted) {
    return {a, b, mask, first, counted.signed_products.data()};
}

/// Calls f(slots) with `slots` as a compile-time constant if it is one of the choices.
template <int... Choices, class F>
void with_slots(int slots, F const& f) {
    (void)((slots == Choices && (f(std::integral_constant<int, Choices>{}), true)) || ...);
}
template <class F>
void with_structure_slots(int slots, F const& f) {
    with_slots<small_merge, medium_merge, large_merge>(slots, f);
}

template <class A, class B, class I, class O, class Mask, executor Executor>
counted_rows<I> count_rows(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask, row_range range,
                           product_schedule const& schedule) {
    std::int64_t const rows = range.last - range.first;
    counted_rows<I> counted;
    auto& [lengths, signed_products, long_rows, long_count, all_merged, has_windows] = counted;
    lengths = buffer<std::int64_t>(exec, rows);
    signed_products = buffer<std::int32_t>(exec, rows);
    reduce_rows(exec, make_srcsr_plan(exec, a), range, b_row_length<A, B, I, O>{a, b}, add_plus<std::int64_t>{},
                store_products{range.first, schedule.slots > 0 ? 1 : -1, signed_products.data()});
    buffer<found_rows> device_found(exec, 1);
    fill(exec, device_found.view(), found_rows{});
    auto const columns = columns_of(a, b, mask, range.first, counted);
    with_structure_slots(schedule.slots, [&](auto slots) {
        using count = merged_rows_of_warp<count_merged_row<slots(), A, B, I, O, Mask>>;
        for_each_warp(exec, warps_for(rows, schedule.merged_each),
                      count{rows,
                            schedule.merged_each,
                            {columns, schedule.max_mean_length, counted.lengths.data(), device_found.data()}});
    });
    found_rows found = schedule.slots > 0 ? exec.load(device_found.data()) : found_rows{1};
    all_merged = found.shared == 0;
    if (!all_merged) {
        using count = rows_of_warp<count_gathered_row<A, B, I, O, Mask>>;
        for_each_warp(exec, warps_for(rows, schedule.shared_each),
                      count{rows, schedule.shared_each, {columns, lengths.data(), device_found.data()}});
        found = exec.load(device_found.data());
    }
    has_windows = found.by_bits != 0 || found.with_windows != 0;
    if (found.by_bits == 0) return counted;
    long_rows = buffer<I>(exec, rows);
    long_count = select(exec, rows, is_long_row{lengths.data()}, list_long_row<I>{long_rows.data()});
    for_each_warp(exec, long_count,
                  long_row_columns<A, B, I, O, Mask>{columns, long_rows.data(), lengths.data(), nullptr, nullptr});
    return counted;
}

/// Computes the offsets of the product and allocates its columns.
template <class I, class O, executor Executor>
void allocate_rows(Executor const& exec, counted_rows<I> const& counted, product_plan<I, O>& plan) {
    std::int64_t const rows = counted.lengths.size();
    plan.offsets = buffer<O>(exec, rows + 1);
    std::int64_t const total = exclusive_scan(exec, rows, stored_degree<std::int64_t>{counted.lengths.data()},
                                              store_offset<O>{plan.offsets.data()}, std::int64_t{0});
    fill(exec, plan.offsets.view().slice(rows, 1), product_size<O>(total));
    plan.indices = buffer<I>(exec, total);
    plan.all_merged = counted.all_merged;
}
/// Writes its columns, and the windows of long rows.
template <class A, class B, class I, class O, class Mask, executor Executor>
void write_columns(Executor const& exec, product_columns<A, B, I, O, Mask> const& columns,
                   product_schedule const& schedule, counted_rows<I> const& counted, product_plan<I, O>& plan) {
    std::int64_t const rows = counted.lengths.size();
    O const* const offsets = plan.offsets.data();
    I* const indices = plan.indices.data();
    with_structure_slots(schedule.slots, [&](auto slots) {
        using write = merged_rows_of_warp<write_merged_columns<slots(), A, B, I, O, Mask>>;
        for_each_warp(exec, warps_for(rows, schedule.merged_each),
                      write{rows, schedule.merged_each, {columns, offsets, indices}});
    });
    if (!counted.all_merged) {
        using write = rows_of_warp<write_gathered_row<A, B, I, O, Mask>>;
        for_each_warp(exec, warps_for(rows, schedule.shared_each),
                      write{rows, schedule.shared_each, {columns, offsets, indices}});
    }
    for_each_warp(exec, counted.long_count,
                  long_row_columns<A, B, I, O, Mask>{columns, counted.long_rows.data(), nullptr, offsets, indices});
    if (!counted.has_windows) return;
    plan.pieces = buffer<std::int64_t>(exec, rows + 1);
    plan.piece_count = exclusive_scan(exec, rows, windows_of_row<O>{offsets},
                                      store_offset<std::int64_t>{plan.pieces.data()}, std::int64_t{0});
    fill(exec, plan.pieces.view().slice(rows, 1), plan.piece_count);
}

/// Computes the structure of the product into `plan`.
template <class A, class B, class I, class O, class Mask, executor Executor>
void find_structure_by_lanes(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask,
                             product_plan<I, O>& plan, product_schedule const& schedule) {
    auto counted = count_rows(exec, a, b, mask, plan.range, schedule);
    allocate_rows(exec, counted, plan);
    write_columns(exec, columns_of(a, b, mask, plan.range.first, counted), schedule, counted, plan);
}

/// Folds products into sums, in shared memory or in an array with the layout of the structure, and converts the sums to
/// values, which may share that array.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
struct sum_rows {
    static constexpr int warp_bytes = max_warp_bytes;
    /// Larger sums are in global memory, and one lane folds a row.
    using product_type = std::remove_cvref_t<decltype(multiply_at(
        std::declval<Semiring const&>(), std::declval<A const&>(), std::declval<B const&>(), element_positions{}))>;
    static constexpr bool sums_are_small =
        sizeof(Sum) <= 128 && alignof(Sum) <= 16 && sizeof(product_type) <= 128 && alignof(product_type) <= 16;
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Semiring s;
    std::int64_t rows, first;
    bool masked;       ///< some products are not in the structure
    bool all_merged;   ///< one lane can merge any row
    bool short_b_rows; ///< by mean length
    bool long_b_rows;
    int slots; ///< capacity of the merge; 0: do not merge
    /// [rows]: 1 if one lane merges the row; written by the merging kernel. Null if it merges all rows or none.
    std::uint8_t* merged;
    O const* offsets;
    I const* indices;
    Sum* sums;
    Z* values;

    /// A group of eight lanes uses a quarter of its shared memory for products and their positions and the rest for
    /// sums and their columns; a warp uses all for sums and columns.
    COPPICE_HD static constexpr bool buffers_products(int lanes) {
        return lanes == narrow_lanes && sizeof(product_type) <= 16;
    }
    COPPICE_HD static constexpr int bytes(int lanes) { return warp_bytes * lanes / warp_lanes; }
    COPPICE_HD static constexpr int sum_bytes(int lanes) {
        return bytes(lanes) - (buffers_products(lanes) ? bytes(lanes) / 4 : 0);
    }
    COPPICE_HD static constexpr int capacity(int lanes) { // in entries
        return sum_bytes(lanes) / int(sizeof(Sum) + sizeof(I));
    }
    // a multiple of 4, so that the positions after them are aligned
    COPPICE_HD static constexpr int product_capacity(int lanes) {
        return (bytes(lanes) - sum_bytes(lanes)) / int(sizeof(product_type) + sizeof(int)) / 4 * 4;
    }
    COPPICE_HD std::int64_t size(std::int64_t r) const {
        return std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
    }
    /// Decides whether one lane merges row r (-1: none); all lanes of the warp call it. The decision depends on the
    /// other rows of the warp, so it is stored for assign(), whose warps may have other rows.
    template <class Block>
    COPPICE_HD bool decide_merge(Block const& block, std::int64_t r) const {
        std::int64_t const steps = r < 0 ? 0 : size(r);
        if (all_merged) return steps > 0;
        bool const fits = steps > 0 && steps <= product_window &&
                          std::int64_t(a.row_end(first + r)) - std::int64_t(a.row_begin(first + r)) <= slots;
        bool const merges = !is_far_longer(block, fits ? int(steps) : 0) && fits;
        if (r >= 0) merged[r] = merges ? 1 : 0;
        return merges;
    }
    template <class Block>
    COPPICE_HD row_assignment assign(Block const&, std::int64_t r) const {
        if (r < 0 || size(r) == 0 || size(r) > product_window || (merged && merged[r] != 0)) return {};
        if constexpr (!sums_are_small) return {row_workers::lane};
        return {short_b_rows && size(r) <= capacity(narrow_lanes) ? row_workers::few : row_workers::warp};
    }

    /// Data of a product read from memory.
    struct factor_pair {
        A of_a;
        B of_b;
        I inner;
    };
    COPPICE_HD factor_pair factors(O k, O q) const { return {a.coefficients[k], b.coefficients[q], a.indices[k]}; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto product(std::int64_t r, factor_pair const& met, I column) const {
        return multiply_at(s, met.of_a, met.of_b, element_positions{first + r, met.inner, met.inner, column});
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto product(std::int64_t r, O k, I inner, O q) const {
        return product(r, {a.coefficients[k], b.coefficients[q], inner}, b.indices[q]);
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void by_lane(std::int64_t r) const { fold(r, offsets[r], offsets[r + 1]); }
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t, std::byte* memory) const {
        fold_by_group<Lanes>(block, r, r < 0 ? 0 : std::int64_t(offsets[r]), r < 0 ? 0 : std::int64_t(offsets[r + 1]),
                             memory);
    }

    /// Computes entries [begin, end) of row r by a group of lanes; all lanes of the warp call it.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void fold_by_group(Block const& block, std::int64_t r, std::int64_t begin, std::int64_t end,
                                  std::byte* memory) const {
        int const lane = block.thread() % Lanes;
        shared_entries<Lanes> const here(memory);
        while (block.ballot(begin < end) != 0) {
            int const count = end - begin < capacity(Lanes) ? int(end - begin) : capacity(Lanes);
            for (int p = lane; p < count; p += Lanes) {
                here.columns[p] = indices[begin + p];
                here.sums[p] = s.add.identity();
            }
            block.sync_warp();
            bool const is_window = count > 0 && (begin > std::int64_t(offsets[r]) || begin + count < offsets[r + 1]);
            add_rows<Lanes>(block, count > 0 ? r : -1, here, count, is_window,
                            shared_products<Lanes>(memory + sum_bytes(Lanes)));
            for (int p = lane; p < count; p += Lanes)
                values[begin + p] = static_cast<Z>(result_of_sum(s, here.sums[p]));
            block.sync_warp();
            begin += count;
        }
    }
    /// Computes entries [begin, end) of row r by one lane, in the order of its structure.
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void fold(std::int64_t r, std::int64_t begin, std::int64_t end) const {
        if (begin == end) return;
        std::int64_t const row_end = offsets[r + 1];
        for (std::int64_t p = begin; p < end; ++p) sums[p] = s.add.identity();
        std::int64_t const lowest = indices[begin], highest = indices[end - 1];
        for (O k = a.row_begin(first + r); k < a.row_end(first + r); ++k) {
            I const inner = a.indices[k];
            std::int64_t q = b.row_begin(inner), last = b.row_end(inner), p = begin;
            if (end < row_end || begin > std::int64_t(offsets[r])) q = lower_position(b.indices, q, last, lowest);
            for (; q < last && std::int64_t(b.indices[q]) <= highest; ++q) {
                p = lower_position(indices, p, end, std::int64_t(b.indices[q]));
                if (indices[p] != b.indices[q]) continue; // masked out
                sums[p] = accumulate(s.add, sums[p], product(r, k, inner, O(q)));
            }
        }
        for (std::int64_t p = begin; p < end; ++p) values[p] = static_cast<Z>(result_of_sum(s, sums[p]));
    }

private:
    template <int Lanes>
    struct shared_entries {
        Sum* sums;
        I* columns;
        COPPICE_HD explicit shared_entries(std::byte* memory)
            : sums(reinterpret_cast<Sum*>(memory)),
              columns(reinterpret_cast<I*>(memory + capacity(Lanes) * int(sizeof(Sum)))) {}
    };
    template <int Lanes>
    struct shared_products {
        product_type* values;
        int* positions; ///< index of the sum, or -1
        COPPICE_HD explicit shared_products(std::byte* memory)
            : values(reinterpret_cast<product_type*>(memory)),
              positions(reinterpret_cast<int*>(memory + product_capacity(Lanes) * int(sizeof(product_type)))) {}
    };
    /// Adds the products of row r (-1: none) whose columns are among these `count` columns; `is_window`: other columns
    /// may occur.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void add_rows(Block const& block, std::int64_t r, shared_entries<Lanes> here, int count, bool is_window,
                             shared_products<Lanes> staged) const {
        int const lane = block.thread() % Lanes, group = block.thread() % warp_lanes - lane;
        O from = r < 0 ? O(0) : a.row_begin(first + r);
        O const last = r < 0 ? O(0) : a.row_end(first + r);
        std::int64_t const highest = count > 0 ? std::int64_t(here.columns[count - 1]) : -1;
        for (; block.ballot(from < last) != 0; from += O(Lanes)) {
            int const row_count = from < last ? (last - from < O(Lanes) ? int(last - from) : Lanes) : 0;
            bool const inside = lane < row_count;
            I const inner = inside ? a.indices[from + O(lane)] : I(0);
            O begin = inside ? b.row_begin(inner) : O(0), end = inside ? b.row_end(inner) : O(0);
            if (is_window) {
                begin = O(lower_position(b.indices, begin, end, std::int64_t(here.columns[0])));
                end = O(lower_position(b.indices, begin, end, highest + 1));
            }
            if constexpr (buffers_products(Lanes)) {
                // Rows of B with more than `short_row` entries on average occupy all lanes; they are processed one
                // after the other below.
                constexpr int short_row = 4;
                gathered_rows<Lanes, O> const met(block, begin, end);
                if (met.numbered && block.ballot(met.total > short_row * row_count) == 0) {
                    add_gathered<Lanes>(block, r, from, met, here, count, is_window, staged);
                    continue;
                }
            }
            if constexpr (is_fetched_ahead) {
                A const of_a = inside ? a.coefficients[from + O(lane)] : A();
                matching_row<Lanes> const met{r, inner, of_a, begin, end};
                if (Lanes == warp_lanes && long_b_rows)
                    add_fetched<Lanes, 2>(block, met, row_count, here, count, is_window);
                else
                    add_fetched<Lanes, 1>(block, met, row_count, here, count, is_window);
            } else {
                for (int k = 0; k < Lanes && block.ballot(k < row_count) != 0; ++k) {
                    O const its_begin = block.from_lane(begin, group + k), its_end = block.from_lane(end, group + k);
                    I const b_row = block.from_lane(inner, group + k);
                    for (O q = its_begin + O(lane); q < its_end; q += O(Lanes))
                        if (int const p = position_of(here, count, b.indices[q], is_window); p >= 0)
                            here.sums[p] = accumulate(s.add, here.sums[p], product(r, from + O(k), b_row, q));
                    block.sync_warp(); // the next row of B may have the same columns
                }
            }
        }
    }
    /// Whether a lane reads entries of the next row of B before it adds those of this row.
    static constexpr bool is_fetched_ahead = std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;
    /// An entry of A, one per lane, and the row of B that it multiplies.
    template <int Lanes>
    struct matching_row {
        std::int64_t row;
        I inner;
        A of_a;
        O begin, end;

        template <class Block>
        COPPICE_HD matching_row of_lane(Block const& block, int source) const {
            return {row, block.from_lane(inner, source), block.from_lane(of_a, source), block.from_lane(begin, source),
                    block.from_lane(end, source)};
        }
    };
    /// The entries q, q + Lanes, ... of one lane in a row of B.
    template <int Count>
    struct fetched_entries {
        I columns[Count];
        B values[Count];
    };
    template <int Lanes, int Count>
    COPPICE_HD fetched_entries<Count> fetch(matching_row<Lanes> const& e, int lane) const {
        fetched_entries<Count> f;
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t) {
            bool const met = O(t * Lanes + lane) < e.end - e.begin;
            f.columns[t] = met ? b.indices[e.begin + O(t * Lanes + lane)] : I(-1);
            f.values[t] = met ? b.coefficients[e.begin + O(t * Lanes + lane)] : B();
        }
        return f;
    }
    /// Adds the products of the rows of B that the lanes' entries of A multiply, one row after the other, `Count`
    /// entries per lane and step; the loads of the next row are in flight meanwhile.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, int Count, class Block>
    COPPICE_HD void add_fetched(Block const& block, matching_row<Lanes> const& storage, int row_count,
                                shared_entries<Lanes> here, int count, bool is_window) const {
        int const lane = block.thread() % Lanes, group = block.thread() % warp_lanes - lane;
        matching_row<Lanes> next = storage.of_lane(block, group);
        if (row_count == 0) next.end = next.begin;
        fetched_entries<Count> of_next = fetch<Lanes, Count>(next, lane);
        for (int k = 0; block.ballot(k < row_count) != 0; ++k) {
            matching_row<Lanes> now = next;
            fetched_entries<Count> const of_now = of_next;
            next = storage.of_lane(block, group + (k + 1 < Lanes ? k + 1 : k));
            if (k + 1 >= row_count) next.end = next.begin;
            of_next = fetch<Lanes, Count>(next, lane);
            add_entries<Lanes>(now, lane, of_now, here, count, is_window);
            for (now.begin += O(Lanes * Count); now.begin < now.end; now.begin += O(Lanes * Count))
                add_entries<Lanes>(now, lane, fetch<Lanes, Count>(now, lane), here, count, is_window);
            block.sync_warp(); // the next row of B may have the same columns
        }
    }
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, int Count>
    COPPICE_HD void add_entries(matching_row<Lanes> const& e, int lane, fetched_entries<Count> const& f,
                                shared_entries<Lanes> here, int count, bool is_window) const {
        if (O(lane) >= e.end - e.begin) return;
        int positions[Count];
        find_positions(here, count, f.columns, is_window, positions);
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t)
            if (int const p = positions[t]; O(t * Lanes + lane) < e.end - e.begin && p >= 0)
                here.sums[p] = accumulate(s.add, here.sums[p],
                                          product(e.row, factor_pair{e.of_a, f.values[t], e.inner}, f.columns[t]));
    }
    template <int Lanes>
    COPPICE_HD int position_of(shared_entries<Lanes> here, int count, I column, bool is_window) const {
        int position[1];
        find_positions(here, count, {column}, is_window, position);
        return position[0];
    }
    /// Finds the positions of the sums of `Count` columns by simultaneous binary searches: the last column not greater
    /// than the key, or -1 if it differs.
    template <int Lanes, int Count>
    COPPICE_HD void find_positions(shared_entries<Lanes> here, int count, I const (&columns)[Count], bool is_window,
                                   int (&positions)[Count]) const {
        for (int& p : positions) p = 0;
        for (int left = count; left > 1;) {
            int const half = int(unsigned(left) / 2);
            COPPICE_UNROLL
            for (int t = 0; t < Count; ++t)
                if (here.columns[positions[t] + half] <= columns[t]) positions[t] += half;
            left -= half;
        }
        if (!is_window && !masked) return;
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t)
            if (here.columns[positions[t]] != columns[t]) positions[t] = -1;
    }
    /// All lanes compute products in any order; then each lane adds those of its sums, in the order of the row of A.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void add_gathered(Block const& block, std::int64_t r, O from, gathered_rows<Lanes, O> const& met,
                                 shared_entries<Lanes> here, int count, bool is_window,
                                 shared_products<Lanes> staged) const {
        constexpr int max_products = product_capacity(Lanes);
        int const lane = block.thread() % Lanes;
        for (int base = 0; block.ballot(base < met.total) != 0; base += max_products) {
            int const left = met.total - base, size = left < max_products ? left : max_products;
            for (int t = lane; block.ballot(t < size) != 0; t += Lanes) {
                auto const [k, q] = met.find(block, base + t);
                if (t >= size) continue;
                int const p = position_of(here, count, b.indices[q], is_window);
                staged.positions[t] = p;
                if (p >= 0) staged.values[t] = product(r, from + O(k), a.indices[from + O(k)], q);
            }
            block.sync_warp();
            for (int t = 0; t < size; ++t)
                if (int const p = staged.positions[t]; p >= 0 && p % Lanes == lane)
                    here.sums[p] = accumulate(s.add, here.sums[p], staged.values[t]);
            block.sync_warp(); // the memory is reused
        }
    }
};

/// Computes entries [begin, end) of row r by a warp.
COPPICE_NO_EXEC_CHECK
template <class Rows, class Block>
COPPICE_HD void sum_one_window(Rows const& of, Block const& block, std::int64_t r, std::int64_t begin, std::int64_t end,
                               std::byte* memory) {
    if constexpr (Rows::sums_are_small)
        of.template fold_by_group<warp_lanes>(block, r, begin, end, memory);
    else if (block.thread() % warp_lanes == 0)
        of.fold(r, begin, end);
}
/// Computes one window of a long row.
template <class Rows>
struct sum_window {
    static constexpr int warp_bytes = Rows::warp_bytes;
    Rows of;
    std::int64_t const* pieces;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w, std::byte* memory) const {
        std::int64_t const r = position_below(pieces, of.rows + 1, w);
        std::int64_t const begin = std::int64_t(of.offsets[r]) + (w - pieces[r]) * product_window;
        std::int64_t const row_end = of.offsets[r + 1], end = begin + product_window;
        sum_one_window(of, block, r, begin, end < row_end ? end : row_end, memory);
    }
};

/// Computes the values of rows that are merged by one lane, and writes their columns if `columns` is given.
template <int Slots, class Rows, class I, class O, class Z, bool with_columns>
struct sum_merged_rows {
    using out_columns = lane_output<I, O>;
    using out_values = lane_output<Z, O>;
    static constexpr int merge_bytes = out_values::bytes + (with_columns ? out_columns::bytes : 0);
    static_assert(merge_bytes <= max_warp_bytes);
    Rows of;
    I* columns; ///< output, or null

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void by_merge(Block const& block, std::int64_t row, std::byte* memory) const {
        std::int64_t const r = of.decide_merge(block, row) ? row : -1;
        O const from = r < 0 ? O(0) : of.a.row_begin(of.first + r), to = r < 0 ? O(0) : of.a.row_end(of.first + r);
        O const begin = r < 0 ? O(0) : of.offsets[r], end = r < 0 ? O(0) : of.offsets[r + 1];
        row_merger<Slots, I, O> merger(of.a, of.b, from, to, merge_width<Slots>(block, int(to - from)));
        out_values values(block, memory, of.values, begin);
        out_columns written(block, memory + out_values::bytes, columns, begin);
        O position = begin; // index of the next column in a masked structure
        merge_rows(
            block, merger, out_values::max_entries,
            [&](I column) {
                auto sum = of.s.add.identity();
                merger.pass(
                    column, [&](int k, O q) { return of.factors(from + O(k), q); },
                    [&](auto const& met) { sum = accumulate(of.s.add, sum, of.product(r, met, column)); });
                if (of.masked && (position == end || of.indices[position] != column)) return; // masked out
                if (of.masked) ++position;
                values.add(static_cast<Z>(result_of_sum(of.s, sum)));
                if constexpr (with_columns) written.add(column);
            },
            [&] {
                values.write(block);
                if constexpr (with_columns) written.write(block);
            });
    }
};

/// Returns global memory for sums: null if they are in shared memory, the array of values if the types agree.
template <class Rows, class Sum, class Z, executor Executor>
Sum* memory_of_sums(Executor const& exec, buffer<Sum>& storage, array_view<Z> values) {
    if constexpr (Rows::sums_are_small) return nullptr;
    if constexpr (std::is_same_v<Sum, Z>) return values.data();
    storage = buffer<Sum>(exec, values.size());
    return storage.data();
}

/// Computes the values of a product with known offsets. If `columns` is not null, also writes its columns; then one
/// lane must be able to merge every row.
template <bool with_columns = false, class A, class B, class I, class O, class Semiring, class Z, executor Executor>
void sum_products_by_lanes(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                           csr_view<B, I, O> b, array_view<Z> values, product_schedule const& schedule,
                           I* columns = nullptr) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    using rows = sum_rows<A, B, I, O, Semiring, sum_type, Z>;
    std::int64_t const count = plan.product_rows();
    if constexpr (!with_columns)
        if (schedule.per_entry && !plan.all_merged && suits_entry_kernel(plan, a, b))
            return for_each(exec, plan.nonzeros(),
                            sum_entry<A, B, I, O, Semiring, sum_type, Z>{a, b, s, count, plan.range.first,
                                                                         plan.offsets.data(), plan.indices.data(),
                                                                         values.data()});
    bool const merges = plan.all_merged || !plan.masked; // masked rows may have far more steps than entries
    int const slots = with_columns ? schedule.slots : merges ? schedule.sum_slots : 0;
    bool const all_merged = plan.all_merged && slots > 0 && slots == schedule.slots;
    // If a warp processes a single row, groups of eight lanes leave the other lanes idle; they are used only if the
    // rows of B would leave them idle anyway.
    std::int64_t const short_row = schedule.shared_each > 1 ? short_row_mean : narrow_lanes;
    buffer<sum_type> storage;
    buffer<std::uint8_t> merged(exec, slots > 0 && !all_merged ? count : 0);
    rows const of{a,
                  b,
                  s,
                  count,
                  plan.range.first,
                  plan.masked,
                  all_merged,
                  double(b.nonzeros()) <= double(short_row) * double(b.rows()),
                  double(b.nonzeros()) >= double(long_row_mean) * double(b.rows()),
                  slots,
                  merged.size() > 0 ? merged.data() : nullptr,
                  plan.offsets.data(),
                  plan.indices.data(),
                  memory_of_sums<rows>(exec, storage, values),
                  values.data()};
    with_slots<small_merge, medium_merge>(slots, [&](auto of_lane) {
        using sums = sum_merged_rows<of_lane(), rows, I, O, Z, with_columns>;
        for_each_warp(exec, warps_for(count, schedule.merged_each),
                      merged_rows_of_warp<sums>{count, schedule.merged_each, {of, columns}});
    });
    if constexpr (!with_columns) {
        if (!all_merged)
            for_each_warp(exec, warps_for(count, schedule.shared_each),
                          rows_of_warp<rows>{count, schedule.shared_each, of});
        for_each_warp(exec, plan.piece_count, sum_window<rows>{of, plan.pieces.data()});
    }
}

/// Computes A B: columns and values in one pass if one lane can merge every row.
template <class Z, class A, class B, class I, class O, class Semiring, executor Executor>
csr<Z, I, O> product_by_lanes(Executor const& exec, product_plan<I, O> plan, Semiring const& s, csr_view<A, I, O> a,
                              csr_view<B, I, O> b, product_schedule const& schedule) {
    auto counted = count_rows(exec, a, b, constant_mask{}, plan.range, schedule);
    allocate_rows(exec, counted, plan);
    buffer<Z> values(exec, plan.indices.size());
    if (counted.all_merged && schedule.sum_slots == schedule.slots) {
        sum_products_by_lanes<true>(exec, plan, s, a, b, values.view(), schedule, plan.indices.data());
    } else {
        write_columns(exec, columns_of(a, b, constant_mask{}, plan.range.first, counted), schedule, counted, plan);
        sum_products_by_lanes(exec, plan, s, a, b, values.view(), schedule);
    }
    return {plan.product_rows(), plan.columns, std::move(plan.offsets), std::move(plan.indices), std::move(values)};
}

} // namespace coppice::inline v0_1::detail
