// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products as compositions of the primitives, on any executor; what CUDA runs.
///
/// Structure: a row that meets few rows of B is merged by one lane (merged_partners.hpp), beside rows of about as many
/// products; others of up to 64 products with short rows of B are gathered by eight lanes, of up to 256 by a warp, in a
/// table in shared memory; of more by a warp that sets a bit for each column (product_groups.hpp). They are counted,
/// and found again to be written: memory beside the product is a length for each row. Values: by as many lanes, merged
/// anew, or each row of B by all lanes at once and one row after the other in the order of the row of A, so that sums
/// are those of the host, bit for bit where the arithmetic is the same. Of long rows a warp folds a window of the
/// structure.
#pragma once

#include <coppice/semiring/products/product_groups.hpp>

namespace coppice::detail {

/// The last position p in [0, count) with sorted[p] <= key; sorted[0] <= key.
template <class T>
COPPICE_HD std::int64_t position_below(T const* sorted, std::int64_t count, std::int64_t key) {
    std::int64_t first = 0;
    while (count > 1) {
        std::int64_t const half = count / 2;
        if (std::int64_t(sorted[first + half]) <= key) first += half;
        count -= half;
    }
    return first;
}

struct is_long_row {
    std::int64_t const* lengths;
    COPPICE_HD bool operator()(std::int64_t r) const { return lengths[r] == length_by_bits; }
};
template <class I>
struct list_long_row {
    I* list;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t r) const { list[position] = static_cast<I>(r); }
};

/// Windows of the structure of a row that has many entries.
template <class O>
struct windows_of_row {
    O const* offsets;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        std::int64_t const size = std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
        return size > product_window ? (size + product_window - 1) / product_window : 0;
    }
};

/// The lengths of the rows, and the numbers of those that are found by bits.
template <class I>
struct counted_rows {
    buffer<std::int64_t> lengths{};
    buffer<I> long_rows{};
    std::int64_t long_count = 0;
    bool all_merged = false;  ///< by lanes
    bool has_windows = false; ///< some row may have more entries than a window
};
template <int Slots, class A, class B, class I, class O, class Mask, executor Executor>
counted_rows<I> count_rows(Executor const& exec, product_columns<A, B, I, O, Mask> const& columns, std::int64_t rows,
                           int each) {
    counted_rows<I> counted;
    auto& [lengths, long_rows, long_count, all_merged, has_windows] = counted;
    lengths = buffer<std::int64_t>(exec, rows);
    fill(exec, lengths.view(), std::int64_t{0});
    buffer<found_rows> noted(exec, 1);
    fill(exec, noted.view(), found_rows{});
    using count = rows_of_warp<count_gathered_row<Slots, A, B, I, O, Mask>>;
    for_each_warp(exec, warps_for(rows, each), count{rows, each, {columns, lengths.data(), noted.data()}});
    found_rows const found = exec.load(noted.data());
    all_merged = found.shared == 0;
    has_windows = found.by_bits != 0 || found.with_windows != 0;
    if (found.by_bits == 0) return counted;
    long_rows = buffer<I>(exec, rows);
    long_count = select(exec, rows, is_long_row{lengths.data()}, list_long_row<I>{long_rows.data()});
    for_each_warp(exec, long_count,
                  long_row_columns<A, B, I, O, Mask>{columns, long_rows.data(), lengths.data(), nullptr, nullptr});
    return counted;
}

/// Offsets of the product, and memory for its columns.
template <class I, class O, executor Executor>
void place_rows(Executor const& exec, counted_rows<I> const& counted, product_plan<I, O>& plan) {
    std::int64_t const rows = counted.lengths.size();
    plan.offsets = buffer<O>(exec, rows + 1);
    std::int64_t const total = exclusive_scan(exec, rows, stored_degree<std::int64_t>{counted.lengths.data()},
                                              store_offset<O>{plan.offsets.data()}, std::int64_t{0});
    fill(exec, plan.offsets.view().slice(rows, 1), product_size<O>(total));
    plan.indices = buffer<I>(exec, total);
}
/// Its columns, and the windows of long rows.
template <int Slots, class A, class B, class I, class O, class Mask, executor Executor>
void write_columns(Executor const& exec, product_columns<A, B, I, O, Mask> const& columns, int each,
                   counted_rows<I> const& counted, product_plan<I, O>& plan) {
    std::int64_t const rows = counted.lengths.size();
    using write = rows_of_warp<write_gathered_row<Slots, A, B, I, O, Mask>>;
    for_each_warp(exec, warps_for(rows, each), write{rows, each, {columns, plan.offsets.data(), plan.indices.data()}});
    if (counted.long_count > 0)
        for_each_warp(exec, counted.long_count,
                      long_row_columns<A, B, I, O, Mask>{columns, counted.long_rows.data(), nullptr,
                                                         plan.offsets.data(), plan.indices.data()});
    if (!counted.has_windows) return;
    plan.pieces = buffer<std::int64_t>(exec, rows + 1);
    plan.piece_count = exclusive_scan(exec, rows, windows_of_row<O>{plan.offsets.data()},
                                      store_offset<std::int64_t>{plan.pieces.data()}, std::int64_t{0});
    fill(exec, plan.pieces.view().slice(rows, 1), plan.piece_count);
}

/// Calls f(slots) with the number of slots of a schedule as a constant.
template <class F>
void with_slots(product_schedule const& schedule, F const& f) {
    if (schedule.slots == few_partners)
        f(std::integral_constant<int, few_partners>{});
    else
        f(std::integral_constant<int, most_partners>{});
}

/// Structure of the product into `plan`.
template <class A, class B, class I, class O, class Mask, executor Executor>
void find_structure_by_lanes(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask,
                             product_plan<I, O>& plan, product_schedule const& schedule) {
    product_columns<A, B, I, O, Mask> const columns{a, b, mask, plan.range.first};
    with_slots(schedule, [&](auto slots) {
        auto const counted = count_rows<slots()>(exec, columns, plan.product_rows(), schedule.each);
        place_rows(exec, counted, plan);
        write_columns<slots()>(exec, columns, schedule.each, counted, plan);
    });
}

/// Folds products into sums, which lie in shared memory or where the structure does, and these into values, which may
/// be the same memory.
template <int Slots, class A, class B, class I, class O, class Semiring, class Sum, class Z>
struct sum_rows {
    static constexpr int warp_bytes = most_warp_bytes;
    /// Larger sums stay in global memory, a lane for a row.
    using product_type = std::remove_cvref_t<decltype(multiply_at(
        std::declval<Semiring const&>(), std::declval<A const&>(), std::declval<B const&>(), meeting{}))>;
    static constexpr bool sums_are_small =
        sizeof(Sum) <= 128 && alignof(Sum) <= 16 && sizeof(product_type) <= 128 && alignof(product_type) <= 16;
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Semiring s;
    std::int64_t rows, first;
    bool masked; ///< some products have no place in the structure
    O const* offsets;
    I const* indices;
    Sum* sums;
    Z* values;

    /// A quarter of the shared memory of a few lanes has products and their places, the rest, as all that of a warp,
    /// sums and their columns.
    COPPICE_HD static constexpr bool stages(int lanes) { return lanes == narrow_lanes && sizeof(product_type) <= 16; }
    COPPICE_HD static constexpr int bytes(int lanes) { return warp_bytes * lanes / warp_lanes; }
    COPPICE_HD static constexpr int sum_bytes(int lanes) {
        return bytes(lanes) - (stages(lanes) ? bytes(lanes) / 4 : 0);
    }
    COPPICE_HD static constexpr int room(int lanes) { // in entries
        return sum_bytes(lanes) / int(sizeof(Sum) + sizeof(I));
    }
    COPPICE_HD static constexpr int products_at_once(int lanes) { // a multiple of 4: places behind them are aligned
        return (bytes(lanes) - sum_bytes(lanes)) / int(sizeof(product_type) + sizeof(int)) / 4 * 4;
    }
    COPPICE_HD dealt_row deal(std::int64_t r) const {
        std::int64_t const size = std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
        if (size == 0 || size > product_window) return {};
        bool const few = std::int64_t(a.row_end(first + r)) - std::int64_t(a.row_begin(first + r)) <= Slots;
        if (!few) return deal_wide(r, 0);
        std::int64_t const steps = masked ? row_products<A, B, I, O>{a, b}(first + r) : size;
        return steps <= merged_products ? dealt_row{row_workers::merge, steps} : deal_wide(r, 0);
    }
    COPPICE_HD dealt_row deal_wide(std::int64_t r, std::int64_t) const {
        if constexpr (!sums_are_small) return {row_workers::lane};
        product_columns<A, B, I, O, constant_mask> const columns{a, b, {}, first};
        std::int64_t const size = std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
        std::int64_t const products = columns.products(r);
        bool const narrow = size <= room(narrow_lanes) && columns.has_short_partners(r, products);
        return {narrow ? row_workers::few : row_workers::warp, products};
    }

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto product(std::int64_t r, O k, I inner, O q) const {
        meeting const at{first + r, inner, inner, b.indices[q]};
        return multiply_at(s, a.coefficients[k], b.coefficients[q], at);
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void by_lane(std::int64_t r) const { fold(r, offsets[r], offsets[r + 1]); }
    /// take(column, value) for the entries of the rows whose lanes say `merged`, in order; all lanes of the warp call
    /// it, with rows of their own.
    COPPICE_NO_EXEC_CHECK
    template <class Block, class Take>
    COPPICE_HD void merge_row(Block const& block, std::int64_t r, bool merged, Take&& take) const {
        O const from = merged ? a.row_begin(first + r) : O(0), to = merged ? a.row_end(first + r) : O(0);
        merged_partners<Slots, I, O> partners(a, b, from, to, most_partners_of<Slots>(block, int(to - from)));
        for (I column = partners.lowest(); column != partners.none; column = partners.lowest()) {
            Sum sum = s.add.identity();
            partners.pass(column, add_product{*this, sum, r, from});
            take(column, static_cast<Z>(s.result(sum)));
        }
    }
    /// Rows [begin, end) whose lanes say `merged`; all lanes of the warp call it.
    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void by_merge(Block const& block, std::int64_t begin, std::int64_t end, bool merged,
                             std::byte* memory) const {
        stretch_of_rows<Z, O> const stretch(block, offsets, values, begin, end, merged, memory, warp_bytes);
        std::int64_t const r = begin + block.thread() % warp_lanes;
        Z* const row = merged ? stretch.row(r) : nullptr;
        if (masked)
            merge_row(
                block, r, merged,
                take_inside{row, merged ? indices + offsets[r] : nullptr, merged ? indices + offsets[r + 1] : nullptr});
        else
            merge_row(block, r, merged, take_value{row});
        stretch.write(block);
    }
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void by_group(Block const& block, std::int64_t r, std::int64_t, std::byte* memory) const {
        fold_by_group<Lanes>(block, r, r < 0 ? 0 : std::int64_t(offsets[r]), r < 0 ? 0 : std::int64_t(offsets[r + 1]),
                             memory);
    }

    /// Entries [begin, end) of row r by a group of lanes; all lanes of the warp call it.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void fold_by_group(Block const& block, std::int64_t r, std::int64_t begin, std::int64_t end,
                                  std::byte* memory) const {
        int const lane = block.thread() % Lanes;
        shared_entries<Lanes> const here(memory);
        while (block.ballot(begin < end) != 0) {
            int const count = end - begin < room(Lanes) ? int(end - begin) : room(Lanes);
            for (int p = lane; p < count; p += Lanes) {
                here.columns[p] = indices[begin + p];
                here.sums[p] = s.add.identity();
            }
            block.sync_warp();
            bool const cut = count > 0 && (begin > std::int64_t(offsets[r]) || begin + count < offsets[r + 1]);
            add_rows<Lanes>(block, count > 0 ? r : -1, here, count, cut,
                            shared_products<Lanes>(memory + sum_bytes(Lanes)));
            for (int p = lane; p < count; p += Lanes) values[begin + p] = static_cast<Z>(s.result(here.sums[p]));
            block.sync_warp();
            begin += count;
        }
    }
    /// Entries [begin, end) of row r by one lane, in the order of its structure.
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
                if (indices[p] != b.indices[q]) continue; // the mask leaves it out
                sums[p] = accumulate(s.add, sums[p], product(r, k, inner, O(q)));
            }
        }
        for (std::int64_t p = begin; p < end; ++p) values[p] = static_cast<Z>(s.result(sums[p]));
    }

private:
    struct take_value {
        Z* row;
        COPPICE_HD void operator()(I, Z const& value) { *row++ = value; }
    };
    struct take_inside { ///< the mask leaves others out
        Z* row;
        I const *place, *end;
        COPPICE_HD void operator()(I column, Z const& value) {
            if (place == end || *place != column) return;
            ++place;
            *row++ = value;
        }
    };
    struct add_product {
        sum_rows const& of;
        Sum& sum;
        std::int64_t r;
        O from;
        COPPICE_NO_EXEC_CHECK
        COPPICE_HD void operator()(int k, O q) const {
            O const at = from + O(k);
            sum = accumulate(of.s.add, sum, of.product(r, at, of.a.indices[at], q));
        }
    };
    template <int Lanes>
    struct shared_entries {
        Sum* sums;
        I* columns;
        COPPICE_HD explicit shared_entries(std::byte* memory)
            : sums(reinterpret_cast<Sum*>(memory)),
              columns(reinterpret_cast<I*>(memory + room(Lanes) * int(sizeof(Sum)))) {}
    };
    template <int Lanes>
    struct shared_products {
        product_type* values;
        int* places; ///< of their sums, or -1
        COPPICE_HD explicit shared_products(std::byte* memory)
            : values(reinterpret_cast<product_type*>(memory)),
              places(reinterpret_cast<int*>(memory + products_at_once(Lanes) * int(sizeof(product_type)))) {}
    };
    /// Adds the products of row r (-1: none) that have a place among these `count` columns; `cut`: others may not.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void add_rows(Block const& block, std::int64_t r, shared_entries<Lanes> here, int count, bool cut,
                             shared_products<Lanes> staged) const {
        int const lane = block.thread() % Lanes, group = block.thread() % warp_lanes - lane;
        O from = r < 0 ? O(0) : a.row_begin(first + r);
        O const last = r < 0 ? O(0) : a.row_end(first + r);
        std::int64_t const highest = count > 0 ? std::int64_t(here.columns[count - 1]) : -1;
        for (; block.ballot(from < last) != 0; from += O(Lanes)) {
            bool const inside = lane < last - from;
            I const inner = inside ? a.indices[from + O(lane)] : I(0);
            O begin = inside ? b.row_begin(inner) : O(0), end = inside ? b.row_end(inner) : O(0);
            if (cut) {
                begin = O(lower_position(b.indices, begin, end, std::int64_t(here.columns[0])));
                end = O(lower_position(b.indices, begin, end, highest + 1));
            }
            if constexpr (stages(Lanes)) {
                // Long rows keep their lanes busy one after the other.
                constexpr int short_row = 4;
                met_rows<Lanes, O> const met(block, begin, end);
                int const met_here = from < last ? (last - from < O(Lanes) ? int(last - from) : Lanes) : 0;
                if (met.listed && block.ballot(met.total > short_row * met_here) == 0) {
                    add_listed<Lanes>(block, r, from, met, here, count, cut, staged);
                    continue;
                }
            }
            for (int k = 0; k < Lanes && block.ballot(k < last - from) != 0; ++k) {
                O const its_begin = block.from_lane(begin, group + k), its_end = block.from_lane(end, group + k);
                I const met_row = block.from_lane(inner, group + k);
                for (O q = its_begin + O(lane); q < its_end; q += O(Lanes)) {
                    int const p = place_of(here, count, b.indices[q], cut);
                    if (p >= 0) here.sums[p] = accumulate(s.add, here.sums[p], product(r, from + O(k), met_row, q));
                }
                block.sync_warp(); // the next row of B meets the same sums
            }
        }
    }
    /// Where the sum of a column is, -1 for one without.
    template <int Lanes>
    COPPICE_HD int place_of(shared_entries<Lanes> here, int count, I column, bool cut) const {
        auto const p = int(position_below(here.columns, count, std::int64_t(column)));
        return (cut || masked) && here.columns[p] != column ? -1 : p;
    }
    /// Products are made by all lanes, in whatever order memory answers, and added in the order of the row of A, each
    /// by the lane that has the sum.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, class Block>
    COPPICE_HD void add_listed(Block const& block, std::int64_t r, O from, met_rows<Lanes, O> const& met,
                               shared_entries<Lanes> here, int count, bool cut, shared_products<Lanes> staged) const {
        constexpr int most = products_at_once(Lanes);
        int const lane = block.thread() % Lanes;
        for (int base = 0; block.ballot(base < met.total) != 0; base += most) {
            int const left = met.total - base, size = left < most ? left : most;
            for (int t = lane; block.ballot(t < size) != 0; t += Lanes) {
                auto const [k, q] = met.find(block, base + t);
                if (t >= size) continue;
                int const p = place_of(here, count, b.indices[q], cut);
                staged.places[t] = p;
                if (p >= 0) staged.values[t] = product(r, from + O(k), a.indices[from + O(k)], q);
            }
            block.sync_warp();
            for (int t = 0; t < size; ++t)
                if (int const p = staged.places[t]; p >= 0 && p % Lanes == lane)
                    here.sums[p] = accumulate(s.add, here.sums[p], staged.values[t]);
            block.sync_warp(); // the memory is written again
        }
    }
};

/// Entries [begin, end) of row r by a warp.
COPPICE_NO_EXEC_CHECK
template <class Rows, class Block>
COPPICE_HD void sum_one_window(Rows const& of, Block const& block, std::int64_t r, std::int64_t begin, std::int64_t end,
                               std::byte* memory) {
    if constexpr (Rows::sums_are_small)
        of.template fold_by_group<warp_lanes>(block, r, begin, end, memory);
    else if (block.thread() % warp_lanes == 0)
        of.fold(r, begin, end);
}
/// Sums a window of a long row.
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

/// Columns and values at once, of a product all of whose rows lanes merge: a warp has a stretch of them.
template <class Rows, class I>
struct write_merged_rows {
    static constexpr int warp_bytes = Rows::warp_bytes;
    Rows of;
    int each;
    I* columns;

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void operator()(Block const& block, std::int64_t w, std::byte* memory) const {
        using value_type = std::remove_cvref_t<decltype(*of.values)>;
        constexpr int of_columns = warp_bytes * int(sizeof(I)) / int(sizeof(I) + sizeof(value_type)) / 16 * 16;
        std::int64_t const begin = w * each, end = begin + each < of.rows ? begin + each : of.rows;
        std::int64_t const r = begin + block.thread() % warp_lanes;
        bool const own = r < end;
        stretch_of_rows const of_row(block, of.offsets, columns, begin, end, own, memory, of_columns);
        stretch_of_rows const of_values(block, of.offsets, of.values, begin, end, own, memory + of_columns,
                                        warp_bytes - of_columns);
        of.merge_row(block, r, own,
                     take_both<value_type>{own ? of_row.row(r) : nullptr, own ? of_values.row(r) : nullptr});
        of_row.write(block);
        of_values.write(block);
    }

private:
    template <class Z>
    struct take_both {
        I* column_to;
        Z* value_to;
        COPPICE_HD void operator()(I column, Z const& value) {
            *column_to++ = column;
            *value_to++ = value;
        }
    };
};

/// Memory for sums, where they do not lie in shared memory or where the values do.
template <class Rows, class Sum, class Z, executor Executor>
Sum* memory_of_sums(Executor const& exec, buffer<Sum>& own, array_view<Z> values) {
    if constexpr (Rows::sums_are_small) return nullptr;
    if constexpr (std::is_same_v<Sum, Z>) return values.data();
    own = buffer<Sum>(exec, values.size());
    return own.data();
}

/// The values of a planned product.
template <class A, class B, class I, class O, class Semiring, class Z, executor Executor>
void sum_products_by_lanes(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                           csr_view<B, I, O> b, array_view<Z> values, product_schedule const& schedule) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    std::int64_t const count = plan.product_rows();
    with_slots(schedule, [&](auto slots) {
        using rows = sum_rows<slots(), A, B, I, O, Semiring, sum_type, Z>;
        buffer<sum_type> own;
        rows const of{a,
                      b,
                      s,
                      count,
                      plan.range.first,
                      plan.masked,
                      plan.offsets.data(),
                      plan.indices.data(),
                      memory_of_sums<rows>(exec, own, values),
                      values.data()};
        for_each_warp(exec, warps_for(count, schedule.each), rows_of_warp<rows>{count, schedule.each, of});
        for_each_warp(exec, plan.piece_count, sum_window<rows>{of, plan.pieces.data()});
    });
}

/// A B whole: columns and values at once where lanes merge all rows.
template <class Z, class A, class B, class I, class O, class Semiring, executor Executor>
csr<Z, I, O> product_by_lanes(Executor const& exec, product_plan<I, O> plan, Semiring const& s, csr_view<A, I, O> a,
                              csr_view<B, I, O> b, product_schedule const& schedule) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    product_columns<A, B, I, O, constant_mask> const columns{a, b, {}, plan.range.first};
    std::int64_t const count = plan.product_rows();
    buffer<Z> values;
    with_slots(schedule, [&](auto slots) {
        auto const counted = count_rows<slots()>(exec, columns, count, schedule.each);
        place_rows(exec, counted, plan);
        values = buffer<Z>(exec, plan.indices.size());
        if (!counted.all_merged) {
            write_columns<slots()>(exec, columns, schedule.each, counted, plan);
            return sum_products_by_lanes(exec, plan, s, a, b, values.view(), schedule);
        }
        using rows = sum_rows<slots(), A, B, I, O, Semiring, sum_type, Z>;
        rows const of{a, b, s, count, plan.range.first, false, plan.offsets.data(), nullptr, nullptr, values.data()};
        for_each_warp(exec, warps_for(count, schedule.each),
                      write_merged_rows<rows, I>{of, schedule.each, plan.indices.data()});
    });
    return {plan.product_rows(), plan.columns, std::move(plan.offsets), std::move(plan.indices), std::move(values)};
}

} // namespace coppice::detail
