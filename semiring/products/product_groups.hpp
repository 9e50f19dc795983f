// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rows of a sparse product by the lanes of a warp, eight or all of them a row: which columns there are, by a table or
/// by bits in shared memory, and their sums. Templates over the Block of core/block.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/core/warp_work.hpp>
#include <coppice/semiring/products/met_rows.hpp>
#include <coppice/semiring/products/product_plan.hpp>
#include <coppice/semiring/semirings.hpp>
#include <coppice/semiring/sparse/row_masks.hpp>

namespace coppice::detail {

inline constexpr std::int64_t lane_products = 8;    ///< products of a row that one lane gathers
inline constexpr std::int64_t narrow_products = 64; ///< of a row that eight lanes gather in a table
inline constexpr std::int64_t table_products = 256; ///< the same of a warp
inline constexpr int narrow_lanes = 8;
inline constexpr std::int64_t narrow_partners = 12; ///< rows of B are short up to this length on average
inline constexpr int most_warp_bytes = 6144;        ///< shared memory of a warp

/// Who works on a row of the product.
enum class row_workers { none, lane, few, warp };
struct dealt_row {
    row_workers workers = row_workers::none;
    std::int64_t products = 0; ///< where several lanes work on it
};

/// Rows of a product in stretches of `each`, at most 32, by one warp: some by single lanes, some by eight lanes, some
/// by all, one after the other. `Rows` says who works on row r and what is done: deal(r), by_lane(r),
/// by_group<Lanes>(block, r, memory) with r = -1 for a group without a row.
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
        dealt_row const own = lane < each && r < rows ? of.deal(r) : dealt_row{};
        if (own.workers == row_workers::lane) of.by_lane(r);
        by_groups<narrow_lanes>(block, own, row_workers::few, begin, memory);
        by_groups<warp_lanes>(block, own, row_workers::warp, begin, memory);
    }

private:
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void by_groups(Block const& block, dealt_row const& own, row_workers workers, std::int64_t begin,
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

/// How many rows a warp takes: fewer where a row keeps all lanes busy for long, or where the warps of a device would
/// have nothing to do.
template <class A, class B, class I, class O>
int rows_each(csr_view<A, I, O> a, csr_view<B, I, O> b) {
    constexpr std::int64_t many_warps = 8192;
    double const row_of_a = double(a.nonzeros()) / double(a.rows() > 0 ? a.rows() : 1);
    double const row_of_b = double(b.nonzeros()) / double(b.rows() > 0 ? b.rows() : 1);
    int const most = row_of_a * row_of_b > double(narrow_products) ? 4 : warp_lanes;
    std::int64_t const share = std::int64_t(a.rows()) / many_warps;
    return share >= most ? most : share > 1 ? int(share) : 1;
}
inline std::int64_t warps_for(std::int64_t rows, int each) { return (rows + each - 1) / each; }

/// Distinct columns of a row of a product in a table with open addresses.
template <class I>
struct column_table {
    static constexpr int warp_bytes = int(3 * table_products * sizeof(I)); ///< slots, and a list half as long
    I* slots;
    int size; ///< a power of 2, twice the columns at least
    COPPICE_HD void insert(I column) const {
        unsigned at = (unsigned(column) * 0x9e3779b1u) >> 16;
        for (;; ++at) {
            I const seen = exchange_if(slots + (at & unsigned(size - 1)), I(-1), column);
            if (seen == I(-1) || seen == column) return;
        }
    }
};

/// What the workers of a row of the product know.
template <class A, class B, class I, class O, class Mask>
struct product_columns {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Mask mask;
    std::int64_t first; ///< row of A that is row 0 of the product

    COPPICE_HD std::int64_t products(std::int64_t r) const { return row_products<A, B, I, O>{a, b}(first + r); }
    COPPICE_HD bool has_short_partners(std::int64_t r, std::int64_t products) const {
        return products <= narrow_partners * std::int64_t(a.row_end(first + r) - a.row_begin(first + r));
    }
    COPPICE_HD dealt_row deal(std::int64_t r) const {
        std::int64_t const count = products(r);
        if (count == 0 || count > table_products) return {};
        if (count <= lane_products) return {row_workers::lane};
        bool const narrow = count <= narrow_products && has_short_partners(r, count);
        return {narrow ? row_workers::few : row_workers::warp, count};
    }

    /// The columns in order, of a row with few products; how many there are.
    COPPICE_HD int by_lane(std::int64_t r, I* found) const {
        std::int64_t const i = first + r;
        int n = 0;
        for (O k = a.row_begin(i); k < a.row_end(i); ++k)
            for (O q = b.row_begin(a.indices[k]); q < b.row_end(a.indices[k]); ++q) {
                I const column = b.indices[q];
                int at = n;
                while (at > 0 && found[at - 1] > column) --at;
                if (at > 0 && found[at - 1] == column) continue;
                if (!mask.admits(i, column)) continue;
                for (int p = n; p > at; --p) found[p] = found[p - 1];
                found[at] = column;
                ++n;
            }
        return n;
    }

    /// The columns of row r in a table, by a group of lanes; all lanes of the warp call it.
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
            met_rows<Lanes, O> const met(block, inside ? b.row_begin(inner) : O(0), inside ? b.row_end(inner) : O(0));
            for (int t = lane; block.ballot(t < met.total) != 0; t += Lanes) {
                O const q = met.find(block, t).entry;
                if (t < met.total) table.insert(b.indices[q]);
            }
        }
        block.sync_warp();
        return table;
    }

    /// visit(place, column) for the columns of the table that the mask admits, in no order; how many there are.
    template <int Lanes, class Block, class Visit>
    COPPICE_HD int visit_table(Block const& block, std::int64_t r, column_table<I> const& table,
                               Visit const& visit) const {
        int const lane = block.thread() % Lanes, shift = block.thread() % warp_lanes - lane;
        int count = 0;
        for (int p = lane; block.ballot(p < table.size) != 0; p += Lanes) {
            bool const taken =
                p < table.size && table.slots[p] != I(-1) && mask.admits(first + r, std::int64_t(table.slots[p]));
            unsigned const of_group = (block.ballot(taken) >> shift) & (0xffffffffu >> (warp_lanes - Lanes));
            if (taken) visit(count + std::popcount(of_group & ((1u << lane) - 1)), table.slots[p]);
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

/// Counts the entries of rows with up to 256 products.
template <class A, class B, class I, class O, class Mask>
struct count_gathered_row {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    std::int64_t* lengths; ///< 0 at first
    int* longer;           ///< raised where a row has more

    COPPICE_HD dealt_row deal(std::int64_t r) const {
        dealt_row const row = columns.deal(r);
        if (row.workers == row_workers::none && columns.products(r) > 0) raise_flag(longer);
        return row;
    }
    COPPICE_HD void by_lane(std::int64_t r) const {
        I found[lane_products];
        lengths[r] = columns.by_lane(r, found);
    }
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t products, std::byte* memory) const {
        auto const table = columns.template by_group<Lanes>(block, r, products, reinterpret_cast<I*>(memory));
        int const count = columns.template visit_table<Lanes>(block, r, table, ignore_column{});
        if (r >= 0 && block.thread() % Lanes == 0) lengths[r] = count;
        block.sync_warp(); // the table may be filled again
    }

private:
    struct ignore_column {
        COPPICE_HD void operator()(int, I) const {}
    };
};

/// Writes them, in order.
template <class A, class B, class I, class O, class Mask>
struct write_gathered_row {
    static constexpr int warp_bytes = column_table<I>::warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    O const* offsets;
    I* indices;

    COPPICE_HD dealt_row deal(std::int64_t r) const { return columns.deal(r); }
    COPPICE_HD void by_lane(std::int64_t r) const {
        I found[lane_products];
        int const n = columns.by_lane(r, found);
        for (int p = 0; p < n; ++p) indices[offsets[r] + p] = found[p];
    }
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t products, std::byte* memory) const {
        I* const slots = reinterpret_cast<I*>(memory);
        I* const list = slots + 2 * table_products * Lanes / warp_lanes;
        auto const table = columns.template by_group<Lanes>(block, r, products, slots);
        int const count = columns.template visit_table<Lanes>(block, r, table, list_column{list});
        block.sync_warp();
        for (int e = block.thread() % Lanes; e < count; e += Lanes) {
            I const column = list[e];
            int place = 0;
            for (int other = 0; other < count; ++other) place += list[other] < column ? 1 : 0;
            indices[offsets[r] + O(place)] = column;
        }
        block.sync_warp(); // the table may be filled again
    }

private:
    struct list_column {
        I* list;
        COPPICE_HD void operator()(int place, I column) const { list[place] = column; }
    };
};

/// A row of many products by a warp: a bit for every column of a window in shared memory, window after window.
template <class A, class B, class I, class O, class Mask>
struct long_row_columns {
    static constexpr int warp_bytes = most_warp_bytes;
    static constexpr std::int64_t window = 8 * most_warp_bytes;
    product_columns<A, B, I, O, Mask> columns;
    I const* long_rows;
    std::int64_t* lengths; ///< where entries are counted;
    O const* offsets;      ///< else they are written
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
            mark(block, r, start, words);
            block.sync_warp();
            for (int p = 0; p < used; p += warp_lanes)
                found += take(block, r, start + 32 * (p + lane), p + lane < used ? words[p + lane] : 0, found);
            block.sync_warp();
        }
        if (lengths && lane == 0) lengths[r] = found;
    }

private:
    /// The first and the last column of the row, all lanes alike.
    template <class Block>
    COPPICE_HD void find_ends(Block const& block, std::int64_t r, std::int64_t& lowest, std::int64_t& highest) const {
        auto const& [a, b, mask, first] = columns;
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
        for (int apart = warp_lanes / 2; apart > 0; apart /= 2) {
            std::int64_t const low = block.from_lane(lowest, lane ^ apart),
                               high = block.from_lane(highest, lane ^ apart);
            lowest = low < lowest ? low : lowest;
            highest = high > highest ? high : highest;
        }
    }
    /// Sets the bits of the columns [start, start + window) of the row.
    template <class Block>
    COPPICE_HD void mark(Block const& block, std::int64_t r, std::int64_t start, std::uint32_t* words) const {
        auto const& [a, b, mask, first] = columns;
        int const lane = block.thread() % warp_lanes;
        int const width = columns.has_short_partners(r, columns.products(r)) ? narrow_lanes : warp_lanes;
        O const last = a.row_end(first + r);
        for (O from = a.row_begin(first + r); from < last; from += O(warp_lanes)) {
            bool const inside = lane < last - from;
            I const inner = inside ? a.indices[from + O(lane)] : I(0);
            O begin = inside ? b.row_begin(inner) : O(0);
            O const end = inside ? b.row_end(inner) : O(0);
            if (start > 0) begin = O(lower_position(b.indices, begin, end, start));
            for (int k = 0; k < warp_lanes && k < last - from; k += warp_lanes / width) {
                O const its_begin = block.from_lane(begin, k + lane / width);
                O const its_end = block.from_lane(end, k + lane / width);
                for (O q = its_begin + O(lane % width); q < its_end; q += O(width)) {
                    std::int64_t const at = std::int64_t(b.indices[q]) - start;
                    if (at >= window) break;
                    set_bits(words + at / 32, 1u << (at % 32));
                }
            }
        }
    }
    /// Writes the columns start + (those of the bits) of all lanes behind `before` others, or only says how many there
    /// are.
    template <class Block>
    COPPICE_HD int take(Block const& block, std::int64_t r, std::int64_t start, std::uint32_t bits,
                        std::int64_t before) const {
        if constexpr (!std::is_same_v<Mask, constant_mask>)
            for (std::uint32_t left = bits; left != 0; left &= left - 1)
                if (int const bit = first_lane(left); !columns.mask.admits(columns.first + r, start + bit))
                    bits &= ~(1u << bit);
        if constexpr (std::is_same_v<Mask, constant_mask>)
            if (!columns.mask.admitted) bits = 0;
        int const lane = block.thread() % warp_lanes, count = std::popcount(bits);
        int ends = count;
        for (int apart = 1; apart < warp_lanes; apart *= 2) {
            int const earlier = block.from_lane(ends, lane < apart ? lane : lane - apart);
            if (lane >= apart) ends += earlier;
        }
        if (!lengths) {
            I* to = indices + offsets[r] + before + (ends - count);
            for (; bits != 0; bits &= bits - 1) *to++ = I(start + first_lane(bits));
        }
        return block.from_lane(ends, warp_lanes - 1);
    }
};

} // namespace coppice::detail
