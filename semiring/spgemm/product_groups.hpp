// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Columns of the rows of a sparse product on CUDA. One lane, eight lanes or a whole warp process a row, by a merge in
/// registers, by a hash table, or by bits in shared memory. Templates over the Block of core/block.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/warp_work.hpp>
#include <coppice/semiring/operators/semirings.hpp>
#include <coppice/semiring/spgemm/gathered_rows.hpp>
#include <coppice/semiring/spgemm/lane_merge.hpp>
#include <coppice/semiring/spgemm/product_plan.hpp>
#include <coppice/semiring/spgemm/row_masks.hpp>

namespace coppice::inline v0_1::detail {

inline constexpr std::int64_t merged_products = 4096; ///< largest number of products of a row that one lane merges
inline constexpr std::int64_t narrow_products = 64;   ///< of a row that eight lanes gather in a hash table
inline constexpr std::int64_t table_products = 256;   ///< of a row that a warp gathers in a hash table
inline constexpr int narrow_lanes = 8;
inline constexpr std::int64_t short_row_mean = 12; ///< rows of B are short up to this mean length
inline constexpr std::int64_t long_row_mean = 48;  ///< rows of B are long from this mean length on
inline constexpr int max_warp_bytes = 6144;        ///< shared memory of a warp

/// Which lanes process a row of the product that is not merged by one lane.
enum class row_workers { none, lane, few, warp };
struct row_assignment {
    row_workers workers = row_workers::none;
    std::int64_t products = 0; ///< set if the workers need it
};

/// Processes up to `each` <= 32 consecutive rows of a product by one warp: first rows for single lanes, then rows for
/// eight lanes, then rows for all lanes. `Rows` assigns and processes rows: assign(block, r), called by all lanes with
/// -1 for no row; by_lane(r); by_group<Lanes>(block, r, memory) with r = -1 for a group without a row.
template <class Rows>
struct rows_of_warp {
    static constexpr int warp_bytes = Rows::warp_bytes;
    std::int64_t rows;
    int each;
    Rows of;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w, std::byte* memory) const {
        int const lane = block.thread() % warp_lanes;
        std::int64_t const begin = w * each, r = begin + lane;
        bool const is_own = lane < each && r < rows;
        row_assignment const own = of.assign(block, is_own ? r : -1);
        if (own.workers == row_workers::lane) of.by_lane(r);
        by_groups<narrow_lanes>(block, own, row_workers::few, begin, memory);
        by_groups<warp_lanes>(block, own, row_workers::warp, begin, memory);
    }

private:
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void by_groups(Block const& block, row_assignment const& own, row_workers workers, std::int64_t begin,
                              std::byte* memory) const {
        constexpr int groups = warp_lanes / Lanes;
        int const group = block.thread() % warp_lanes / Lanes;
        for (unsigned left = block.ballot(own.workers == workers); left != 0;) {
            int mine = -1;
            for (int g = 0; g < groups && left != 0; ++g, left &= left - 1)
                if (g == group) mine = first_lane(left);
            std::int64_t const products = block.from_lane(own.products, mine < 0 ? 0 : mine);
            of.template by_group<Lanes>(block, mine < 0 ? -1 : begin + mine, mine < 0 ? 0 : products,
                                        memory + group * (warp_bytes / groups));
        }
    }
};

/// Processes rows with one lane per row: by_merge(block, r, memory), with r = -1 for a lane without a row.
template <class Rows>
struct merged_rows_of_warp {
    static constexpr int warp_bytes = Rows::merge_bytes > 0 ? Rows::merge_bytes : 16;
    std::int64_t rows;
    int each;
    Rows of;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w, std::byte* memory) const {
        int const lane = block.thread() % warp_lanes;
        std::int64_t const r = w * each + lane;
        of.by_merge(block, lane < each && r < rows ? r : -1, memory);
    }
};

/// Assignment of the rows of a product to lanes: the largest row of A that one lane merges (0: no merging), and the
/// number of rows per warp. A warp takes fewer rows if each row occupies all lanes for long, or if otherwise some warps
/// of the device would be idle.
struct product_schedule {
    int slots; ///< for the structure
    /// For the values: with more slots the lanes wait too often for separate memory accesses.
    int sum_slots;
    std::int64_t max_mean_length; ///< a merged row multiplies rows of B with at most this mean length
    int merged_each, shared_each; ///< rows per warp
    bool per_entry = false;       ///< values of small products: one lane per entry
};
template <class A, class B, class I, class O>
product_schedule schedule_of(csr_view<A, I, O> a, csr_view<B, I, O> b) {
    double const row_of_a = double(a.nonzeros()) / double(a.rows() > 0 ? a.rows() : 1);
    double const row_of_b = double(b.nonzeros()) / double(b.rows() > 0 ? b.rows() : 1);
    auto const each = [&](int max_rows, std::int64_t many_warps) {
        std::int64_t const rows_per_warp = std::int64_t(a.rows()) / many_warps;
        return rows_per_warp >= max_rows ? max_rows : rows_per_warp > 1 ? int(rows_per_warp) : 1;
    };
    auto const fits = [&](int slots) { return 1.125 * row_of_a <= slots; }; // margin for rows longer than the mean
    int const slots = fits(small_merge)    ? small_merge
                      : fits(medium_merge) ? medium_merge
                      : fits(large_merge)  ? large_merge
                                           : 0;
    return {slots,
            slots <= medium_merge ? slots : 0,
            std::int64_t(2 * row_of_b) + 4, // rows above this limit occur in graphs with high-degree vertices
            each(warp_lanes, 1024),
            each(row_of_a * row_of_b > double(narrow_products) ? 4 : warp_lanes, 8192),
            true};
}
inline std::int64_t warps_for(std::int64_t rows, int each) { return (rows + each - 1) / each; }

/// Set of the distinct columns of a row of a product: hash table with open addressing.
template <class I>
struct column_table {
    static constexpr int warp_bytes = int(3 * table_products * sizeof(I)); ///< slots, and a list of half that size
    I* slots;
    int size; ///< a power of two, at least twice the number of columns
    COPPICE_HD void insert(I column) const {
        unsigned at = (unsigned(column) * 0x9e3779b1u) >> 16;
        for (;; ++at) {
            I const seen = exchange_if(slots + (at & unsigned(size - 1)), I(-1), column);
            if (seen == I(-1) || seen == column) return;
        }
    }
};

/// Inputs of the workers of all rows of the product.
template <class A, class B, class I, class O, class Mask>
struct product_columns {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Mask mask;
    std::int64_t first; ///< row of A that corresponds to row 0 of the product
    /// Number of products of every row, negative if the row is not merged by one lane. Computed once for all rows,
    /// because each value needs a chain of dependent reads. Larger values are stored as the maximum.
    std::int32_t* signed_products;

    COPPICE_HD std::int64_t products(std::int64_t r) const {
        std::int32_t const count = signed_products[r];
        return count < 0 ? -count : count;
    }
    COPPICE_HD bool has_short_b_rows(std::int64_t r, std::int64_t products) const {
        return products <= short_row_mean * std::int64_t(a.row_end(first + r) - a.row_begin(first + r));
    }
    /// Assignment of a row that is not merged by one lane: `none` if its columns are found by bits.
    COPPICE_HD row_assignment assign(std::int64_t r) const {
        if (r < 0 || signed_products[r] >= 0) return {};
        std::int64_t const count = products(r);
        if (count > table_products) return {};
        bool const narrow = count <= narrow_products && has_short_b_rows(r, count);
        return {narrow ? row_workers::few : row_workers::warp, count};
    }
    /// Whether one lane merges a row: at most `slots` entries of A and not too many products.
    COPPICE_HD bool suits_a_lane(std::int64_t r, int slots, std::int64_t max_mean_length) const {
        std::int64_t const entries = std::int64_t(a.row_end(first + r)) - std::int64_t(a.row_begin(first + r));
        return entries <= slots && products(r) > 0 && products(r) <= merged_products &&
               products(r) <= max_mean_length * entries;
    }

    /// Calls emit(column) for the columns of row r that the mask admits, in ascending order, and write() at intervals;
    /// all lanes of the warp call it, with r = -1 for no row.
    template <int Slots, class Block, class Emit, class Write>
    COPPICE_HD void by_merge(Block const& block, std::int64_t r, int max_steps, Emit&& emit, Write&& write) const {
        O const begin = r < 0 ? O(0) : a.row_begin(first + r), end = r < 0 ? O(0) : a.row_end(first + r);
        row_merger<Slots, I, O> merger(a, b, begin, end, merge_width<Slots>(block, int(end - begin)));
        merge_rows(
            block, merger, max_steps,
            [&](I column) {
                merger.pass(column);
                if (mask.admits(first + r, column)) emit(column);
            },
            write);
    }

    /// Inserts the columns of row r into a hash table, by a group of lanes; all lanes of the warp call it.
    template <int Lanes, class Block>
    COPPICE_HD column_table<I> by_group(Block const& block, std::int64_t r, std::int64_t count, I* slots) const {
        int const lane = block.thread() % Lanes;
        column_table<I> const table{slots, size_for<Lanes>(count)};
        for (int p = lane; p < table.size; p += Lanes) slots[p] = I(-1);
        block.sync_warp();
        O from = r < 0 ? O(0) : a.row_begin(first + r);
        O const last = r < 0 ? O(0) : a.row_end(first + r);
        for (; block.ballot(from < last) != 0; from += O(Lanes)) {
            bool const inside = lane < last - from;
            I const inner = inside ? a.indices[from + O(lane)] : I(0);
            gathered_rows<Lanes, O> const met(block, inside ? b.row_begin(inner) : O(0),
                                              inside ? b.row_end(inner) : O(0));
            for (int t = lane; block.ballot(t < met.total) != 0; t += Lanes) {
                O const q = met.find(block, t).entry;
                if (t < met.total) table.insert(b.indices[q]);
            }
        }
        block.sync_warp();
        return table;
    }

    /// Calls body(position, column) for the columns of the table that the mask admits, in any order; returns their
    /// number.
    template <int Lanes, class Block, class Body>
    COPPICE_HD int for_each_column(Block const& block, std::int64_t r, column_table<I> const& table,
                                   Body const& body) const {
        int const lane = block.thread() % Lanes, shift = block.thread() % warp_lanes - lane;
        int count = 0;
        for (int p = lane; block.ballot(p < table.size) != 0; p += Lanes) {
            bool const taken =
                p < table.size && table.slots[p] != I(-1) && mask.admits(first + r, std::int64_t(table.slots[p]));
            unsigned const of_group = (block.ballot(taken) >> shift) & (0xffffffffu >> (warp_lanes - Lanes));
            if (taken) body(count + std::popcount(of_group & ((1u << lane) - 1)), table.slots[p]);
            count += std::popcount(of_group);
        }
        return count;
    }

private:
    template <int Lanes>
    COPPICE_HD static int size_for(std::int64_t products) {
        if (products == 0) return 0;
        int size = Lanes;
        while (size < 2 * products) size *= 2;
        return size;
    }
};

/// Marks the length of a row that must be counted by bits.
inline constexpr std::int64_t length_by_bits = -1;
inline constexpr std::int64_t product_window = 512; ///< entries of a row that are folded together

/// Statistics of the counting kernels; a nonzero value means that such rows exist.
struct found_rows {
    int shared = 0;       ///< rows that are not merged by one lane
    int by_bits = 0;      ///< among them rows whose columns are found by bits
    int with_windows = 0; ///< merged rows with more entries than a window
};

/// Counts the entries of rows that are merged by one lane, and decides which rows these are.
template <int Slots, class A, class B, class I, class O, class Mask>
struct count_merged_row {
    static constexpr int merge_bytes = 0;
    product_columns<A, B, I, O, Mask> columns;
    std::int64_t max_mean_length;
    std::int64_t* lengths; ///< 0 for other rows
    found_rows* found;

    template <class Block>
    COPPICE_HD void by_merge(Block const& block, std::int64_t r, std::byte*) const {
        bool merged = r >= 0 && columns.suits_a_lane(r, Slots, max_mean_length);
        if (is_far_longer(block, merged ? int(columns.products(r)) : 0)) merged = false;
        if (r >= 0 && !merged && columns.products(r) > 0) {
            columns.signed_products[r] = -columns.signed_products[r];
            raise_flag(&found->shared);
        }
        constexpr int long_time = 1 << 30; // nothing to write: no intermediate call of write() is needed
        std::int64_t count = 0;
        columns.template by_merge<Slots>(
            block, merged ? r : -1, long_time, [&](I) { ++count; }, [] {});
        if (r >= 0) lengths[r] = count;
        if (count > product_window) raise_flag(&found->with_windows);
    }
};
/// Counts the entries of the other rows with up to 256 products.
template <class A, class B, class I, class O, class Mask>
struct count_gathered_row {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    std::int64_t* lengths;
    found_rows* found;

    template <class Block>
    COPPICE_HD row_assignment assign(Block const&, std::int64_t r) const {
        row_assignment const row = columns.assign(r);
        if (r < 0 || row.workers != row_workers::none || columns.signed_products[r] > 0) return row;
        lengths[r] = columns.signed_products[r] < 0 ? length_by_bits : 0;
        if (lengths[r] != 0) raise_flag(&found->by_bits);
        return row;
    }
    COPPICE_HD void by_lane(std::int64_t) const {}
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t products, std::byte* memory) const {
        auto const table = columns.template by_group<Lanes>(block, r, products, reinterpret_cast<I*>(memory));
        int const count = columns.template for_each_column<Lanes>(block, r, table, ignore_column{});
        if (r >= 0 && block.thread() % Lanes == 0) lengths[r] = count;
        block.sync_warp(); // the table may be overwritten from here on
    }

private:
    struct ignore_column {
        COPPICE_HD void operator()(int, I) const {}
    };
};

/// Writes the columns of rows that are merged by one lane.
template <int Slots, class A, class B, class I, class O, class Mask>
struct write_merged_columns {
    static constexpr int merge_bytes = lane_output<I, O>::bytes;
    product_columns<A, B, I, O, Mask> columns;
    O const* offsets;
    I* indices;

    template <class Block>
    COPPICE_HD void by_merge(Block const& block, std::int64_t r, std::byte* memory) const {
        bool const merged = r >= 0 && columns.signed_products[r] > 0;
        lane_output<I, O> out(block, memory, indices, merged ? offsets[r] : O(0));
        columns.template by_merge<Slots>(
            block, merged ? r : -1, out.max_entries, [&](I column) { out.add(column); }, [&] { out.write(block); });
    }
};
/// Writes the sorted columns of the other rows with up to 256 products.
template <class A, class B, class I, class O, class Mask>
struct write_gathered_row {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    O const* offsets;
    I* indices;

    template <class Block>
    COPPICE_HD row_assignment assign(Block const&, std::int64_t r) const {
        return columns.assign(r);
    }
    COPPICE_HD void by_lane(std::int64_t) const {}
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t products, std::byte* memory) const {
        I* const slots = reinterpret_cast<I*>(memory);
        I* const list = slots + 2 * table_products * Lanes / warp_lanes;
        auto const table = columns.template by_group<Lanes>(block, r, products, slots);
        int const count = columns.template for_each_column<Lanes>(block, r, table, list_column{list});
        block.sync_warp();
        for (int e = block.thread() % Lanes; e < count; e += Lanes) {
            I const column = list[e];
            int position = 0;
            for (int other = 0; other < count; ++other) position += list[other] < column ? 1 : 0;
            indices[offsets[r] + O(position)] = column;
        }
        block.sync_warp(); // the table may be overwritten from here on
    }

private:
    struct list_column {
        I* list;
        COPPICE_HD void operator()(int position, I column) const { list[position] = column; }
    };
};

/// A row with many products, by a warp: one bit per column of a window in shared memory, window after window.
template <class A, class B, class I, class O, class Mask>
struct long_row_columns {
    static constexpr int warp_bytes = max_warp_bytes;
    static constexpr std::int64_t window = 8 * max_warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    I const* long_rows;
    std::int64_t* lengths; ///< not null: count the entries
    O const* offsets;      ///< otherwise: write them
    I* indices;

    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w, std::byte* memory) const {
        auto* const words = reinterpret_cast<std::uint32_t*>(memory);
        int const lane = block.thread() % warp_lanes;
        std::int64_t const r = long_rows[w];
        std::int64_t lowest, highest, found = 0;
        find_ends(block, r, lowest, highest);
        for (std::int64_t start = lowest / window * window; start <= highest; start += window) {
            std::int64_t const size = highest - start < window ? highest - start + 1 : window;
            int const used = int((size + 31) / 32);
            for (int p = lane; p < used; p += warp_lanes) words[p] = 0;
            block.sync_warp();
            set_column_bits(block, r, start, words);
            block.sync_warp();
            for (int p = 0; p < used; p += warp_lanes)
                found += emit(block, r, start + 32 * (p + lane), p + lane < used ? words[p + lane] : 0, found);
            block.sync_warp();
        }
        if (lengths && lane == 0) lengths[r] = found;
    }

private:
    /// Computes the first and the last column of the row; all lanes receive both.
    template <class Block>
    COPPICE_HD void find_ends(Block const& block, std::int64_t r, std::int64_t& lowest, std::int64_t& highest) const {
        auto const& [a, b, mask, first, signed_products] = columns;
        int const lane = block.thread() % warp_lanes;
        lowest = b.columns();
        highest = -1;
        for (O k = a.row_begin(first + r) + O(lane); k < a.row_end(first + r); k += O(warp_lanes)) {
            O const begin = b.row_begin(a.indices[k]), end = b.row_end(a.indices[k]);
            if (begin == end) continue;
            std::int64_t const low = b.indices[begin], high = b.indices[end - 1];
            lowest = low < lowest ? low : lowest;
            highest = high > highest ? high : highest;
        }
        for (int distance = warp_lanes / 2; distance > 0; distance /= 2) {
            std::int64_t const low = block.from_lane(lowest, lane ^ distance),
                               high = block.from_lane(highest, lane ^ distance);
            lowest = low < lowest ? low : lowest;
            highest = high > highest ? high : highest;
        }
    }
    /// Sets the bits of the columns [start, start + window) of the row.
    template <class Block>
    COPPICE_HD void set_column_bits(Block const& block, std::int64_t r, std::int64_t start,
                                    std::uint32_t* words) const {
        auto const& [a, b, mask, first, signed_products] = columns;
        int const lane = block.thread() % warp_lanes;
        int const width = columns.has_short_b_rows(r, columns.products(r)) ? narrow_lanes : warp_lanes;
        O const last = a.row_end(first + r);
        bool const are_long = columns.products(r) >= long_row_mean * std::int64_t(last - a.row_begin(first + r));
        for (O from = a.row_begin(first + r); from < last; from += O(warp_lanes)) {
            bool const inside = lane < last - from;
            I const inner = inside ? a.indices[from + O(lane)] : I(0);
            O begin = inside ? b.row_begin(inner) : O(0);
            O const end = inside ? b.row_end(inner) : O(0);
            if (start > 0) begin = O(lower_position(b.indices, begin, end, start));
            for (int k = 0; k < warp_lanes && k < last - from; k += warp_lanes / width) {
                O const its_begin = block.from_lane(begin, k + lane / width);
                O const its_end = block.from_lane(end, k + lane / width);
                if (are_long)
                    set_strided_bits<4>(its_begin + O(lane % width), its_end, width, start, words);
                else
                    set_strided_bits<1>(its_begin + O(lane % width), its_end, width, start, words);
            }
        }
    }
    /// Sets the bits of the entries q, q + width, ... before `end` of a row of B; `Count` loads are independent of each
    /// other.
    template <int Count>
    COPPICE_HD void set_strided_bits(O q, O end, int width, std::int64_t start, std::uint32_t* words) const {
        for (; q < end; q += O(Count * width)) {
            std::int64_t at[Count];
            COPPICE_UNROLL
            for (int t = 0; t < Count; ++t)
                at[t] = O(t * width) < end - q ? std::int64_t(columns.b.indices[q + O(t * width)]) - start : window;
            if (at[0] >= window) return;
            COPPICE_UNROLL
            for (int t = 0; t < Count; ++t)
                if (at[t] < window) set_bits(words + at[t] / 32, 1u << (at[t] % 32));
        }
    }
    /// Writes the columns whose bits are set, for all lanes, after `before` earlier ones; or, if `lengths` is given,
    /// only counts them. Returns their number.
    template <class Block>
    COPPICE_HD int emit(Block const& block, std::int64_t r, std::int64_t start, std::uint32_t bits,
                        std::int64_t before) const {
        if constexpr (!std::is_same_v<Mask, constant_mask>)
            for (std::uint32_t left = bits; left != 0; left &= left - 1)
                if (int const bit = first_lane(left); !columns.mask.admits(columns.first + r, start + bit))
                    bits &= ~(1u << bit);
        if constexpr (std::is_same_v<Mask, constant_mask>)
            if (!columns.mask.admitted) bits = 0;
        int const lane = block.thread() % warp_lanes, count = std::popcount(bits);
        int ends = count;
        for (int distance = 1; distance < warp_lanes; distance *= 2) {
            int const earlier = block.from_lane(ends, lane < distance ? lane : lane - distance);
            if (lane >= distance) ends += earlier;
        }
        if (!lengths) {
            I* to = indices + offsets[r] + before + (ends - count);
            for (; bits != 0; bits &= bits - 1) *to++ = I(start + first_lane(bits));
        }
        return block.from_lane(ends, warp_lanes - 1);
    }
};

} // namespace coppice::inline v0_1::detail
