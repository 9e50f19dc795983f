// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products as compositions of the primitives, on any executor; what CUDA runs.
///
/// Structure: a row that meets few rows of B is merged by one lane (merged_partners.hpp), beside rows of about as many
/// products; others of up to 64 products with short rows of B are gathered by eight lanes, of up to 256 by a warp, in a
/// table in shared memory; of more by a warp that sets a bit for each column (product_groups.hpp). They are counted,
/// and found again to be written: memory beside the product is a length and a number of products for each row. Values:
/// by as many lanes, merged anew, or each row of B by all lanes at once and one row after the other in the order of the
/// row of A, so that sums are those of the host, bit for bit where the arithmetic is the same. Of long rows a warp
/// folds a window of the structure; of small products a lane makes an entry (product_entries.hpp).
#pragma once

#include <limits>

#include <coppice/semiring/spgemm/product_entries.hpp>
#include <coppice/semiring/spgemm/product_groups.hpp>

namespace coppice::detail {

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

/// Entries of the row of B that a nonzero of A meets.
template <class A, class B, class I, class O>
struct partner_length {
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
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        signed_products[row - first] = sign * static_cast<std::int32_t>(count < most ? count : most);
    }
};

/// The lengths of the rows, their products, and the numbers of those that are found by bits.
template <class I>
struct counted_rows {
    buffer<std::int64_t> lengths{};
    buffer<std::int32_t> signed_products{};
    buffer<I> long_rows{};
    std::int64_t long_count = 0;
    bool all_merged = false;  ///< by lanes
    bool has_windows = false; ///< some row may have more entries than a window
};
template <class A, class B, class I, class O, class Mask>
product_columns<A, B, I, O, Mask> columns_of(csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask, std::int64_t first,
                                             counted_rows<I>& counted) {
    return {a, b, mask, first, counted.signed_products.data()};
}

/// Calls f(slots) with the number of slots as a constant, if it is one of these.
template <int... Choices, class F>
void with_slots(int slots, F const& f) {
    (void)((slots == Choices && (f(std::integral_constant<int, Choices>{}), true)) || ...);
}
template <class F>
void with_structure_slots(int slots, F const& f) {
    with_slots<few_partners, some_partners, most_partners>(slots, f);
}

template <class A, class B, class I, class O, class Mask, executor Executor>
counted_rows<I> count_rows(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask, row_range range,
                           product_schedule const& schedule) {
    std::int64_t const rows = range.last - range.first;
    counted_rows<I> counted;
    auto& [lengths, signed_products, long_rows, long_count, all_merged, has_windows] = counted;
    lengths = buffer<std::int64_t>(exec, rows);
    signed_products = buffer<std::int32_t>(exec, rows);
    reduce_rows(exec, make_srcsr_plan(exec, a), range, partner_length<A, B, I, O>{a, b}, add_plus<std::int64_t>{},
                store_products{range.first, schedule.slots > 0 ? 1 : -1, signed_products.data()});
    buffer<found_rows> noted(exec, 1);
    fill(exec, noted.view(), found_rows{});
    auto const columns = columns_of(a, b, mask, range.first, counted);
    with_structure_slots(schedule.slots, [&](auto slots) {
        using count = merged_rows_of_warp<count_merged_row<slots(), A, B, I, O, Mask>>;
        for_each_warp(
            exec, warps_for(rows, schedule.merged_each),
            count{rows, schedule.merged_each, {columns, schedule.usual_partner, counted.lengths.data(), noted.data()}});
    });
    found_rows found = schedule.slots > 0 ? exec.load(noted.data()) : found_rows{1};
    all_merged = found.shared == 0;
    if (!all_merged) {
        using count = rows_of_warp<count_gathered_row<A, B, I, O, Mask>>;
        for_each_warp(exec, warps_for(rows, schedule.shared_each),
                      count{rows, schedule.shared_each, {columns, lengths.data(), noted.data()}});
        found = exec.load(noted.data());
    }
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
    plan.all_merged = counted.all_merged;
}
/// Its columns, and the windows of long rows.
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

/// Structure of the product into `plan`.
template <class A, class B, class I, class O, class Mask, executor Executor>
void find_structure_by_lanes(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask,
                             product_plan<I, O>& plan, product_schedule const& schedule) {
    auto counted = count_rows(exec, a, b, mask, plan.range, schedule);
    place_rows(exec, counted, plan);
    write_columns(exec, columns_of(a, b, mask, plan.range.first, counted), schedule, counted, plan);
}

/// Folds products into sums, which lie in shared memory or where the structure does, and these into values, which may
/// be the same memory.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
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
    bool masked;         ///< some products have no place in the structure
    bool all_merged;     ///< lanes can merge all rows
    bool short_partners; ///< rows of B, at the mean
    bool long_partners;
    int slots; ///< that lanes merge with, 0: they do not
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
    COPPICE_HD std::int64_t size(std::int64_t r) const {
        return std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]);
    }
    /// Whether a lane merges row r, -1 for none; all lanes of the warp call it.
    template <class Block>
    COPPICE_HD bool merges(Block const& block, std::int64_t r) const {
        if (slots == 0) return false;
        std::int64_t const steps = r < 0 ? 0 : size(r);
        if (all_merged) return steps > 0;
        bool const fits = steps > 0 && steps <= product_window &&
                          std::int64_t(a.row_end(first + r)) - std::int64_t(a.row_begin(first + r)) <= slots;
        return !is_far_longer(block, fits ? int(steps) : 0) && fits;
    }
    template <class Block>
    COPPICE_HD dealt_row deal(Block const& block, std::int64_t r) const {
        bool const merged = merges(block, r);
        if (r < 0 || merged || size(r) == 0 || size(r) > product_window) return {};
        if constexpr (!sums_are_small) return {row_workers::lane};
        return {short_partners && size(r) <= room(narrow_lanes) ? row_workers::few : row_workers::warp};
    }

    /// What a product needs of memory.
    struct met_factors {
        A of_a;
        B of_b;
        I inner;
    };
    COPPICE_HD met_factors factors(O k, O q) const { return {a.coefficients[k], b.coefficients[q], a.indices[k]}; }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto product(std::int64_t r, met_factors const& met, I column) const {
        return multiply_at(s, met.of_a, met.of_b, meeting{first + r, met.inner, met.inner, column});
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
            int const rows_met = from < last ? (last - from < O(Lanes) ? int(last - from) : Lanes) : 0;
            bool const inside = lane < rows_met;
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
                if (met.listed && block.ballot(met.total > short_row * rows_met) == 0) {
                    add_listed<Lanes>(block, r, from, met, here, count, cut, staged);
                    continue;
                }
            }
            if constexpr (is_fetched_ahead) {
                A const of_a = inside ? a.coefficients[from + O(lane)] : A();
                met_entry<Lanes> const met{r, inner, of_a, begin, end};
                if (Lanes == warp_lanes && long_partners)
                    add_fetched<Lanes, 2>(block, met, rows_met, here, count, cut);
                else
                    add_fetched<Lanes, 1>(block, met, rows_met, here, count, cut);
            } else {
                for (int k = 0; k < Lanes && block.ballot(k < rows_met) != 0; ++k) {
                    O const its_begin = block.from_lane(begin, group + k), its_end = block.from_lane(end, group + k);
                    I const met_row = block.from_lane(inner, group + k);
                    for (O q = its_begin + O(lane); q < its_end; q += O(Lanes))
                        if (int const p = place_of(here, count, b.indices[q], cut); p >= 0)
                            here.sums[p] = accumulate(s.add, here.sums[p], product(r, from + O(k), met_row, q));
                    block.sync_warp(); // the next row of B meets the same sums
                }
            }
        }
    }
    /// Whether a lane reads entries of the next row of B before it adds those of this one.
    static constexpr bool is_fetched_ahead = std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;
    /// An entry of A, one to a lane, and the row of B that it meets.
    template <int Lanes>
    struct met_entry {
        std::int64_t row;
        I inner;
        A of_a;
        O begin, end;

        template <class Block>
        COPPICE_HD met_entry of_lane(Block const& block, int source) const {
            return {row, block.from_lane(inner, source), block.from_lane(of_a, source), block.from_lane(begin, source),
                    block.from_lane(end, source)};
        }
    };
    /// The first entries q, q + Lanes, ... of a lane in a row of B.
    template <int Count>
    struct fetched_entries {
        I columns[Count];
        B values[Count];
    };
    template <int Lanes, int Count>
    COPPICE_HD fetched_entries<Count> fetch(met_entry<Lanes> const& e, int lane) const {
        fetched_entries<Count> f;
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t) {
            bool const met = O(t * Lanes + lane) < e.end - e.begin;
            f.columns[t] = met ? b.indices[e.begin + O(t * Lanes + lane)] : I(-1);
            f.values[t] = met ? b.coefficients[e.begin + O(t * Lanes + lane)] : B();
        }
        return f;
    }
    /// Adds the products of the rows of B that the lanes' entries of A meet, one row after the other, `Count` entries a
    /// lane at once: the loads of the next ones are on their way meanwhile.
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, int Count, class Block>
    COPPICE_HD void add_fetched(Block const& block, met_entry<Lanes> const& own, int rows_met,
                                shared_entries<Lanes> here, int count, bool cut) const {
        int const lane = block.thread() % Lanes, group = block.thread() % warp_lanes - lane;
        met_entry<Lanes> next = own.of_lane(block, group);
        if (rows_met == 0) next.end = next.begin;
        fetched_entries<Count> of_next = fetch<Lanes, Count>(next, lane);
        for (int k = 0; block.ballot(k < rows_met) != 0; ++k) {
            met_entry<Lanes> now = next;
            fetched_entries<Count> const of_now = of_next;
            next = own.of_lane(block, group + (k + 1 < Lanes ? k + 1 : k));
            if (k + 1 >= rows_met) next.end = next.begin;
            of_next = fetch<Lanes, Count>(next, lane);
            add_entries<Lanes>(now, lane, of_now, here, count, cut);
            for (now.begin += O(Lanes * Count); now.begin < now.end; now.begin += O(Lanes * Count))
                add_entries<Lanes>(now, lane, fetch<Lanes, Count>(now, lane), here, count, cut);
            block.sync_warp(); // the next row of B meets the same sums
        }
    }
    COPPICE_NO_EXEC_CHECK
    template <int Lanes, int Count>
    COPPICE_HD void add_entries(met_entry<Lanes> const& e, int lane, fetched_entries<Count> const& f,
                                shared_entries<Lanes> here, int count, bool cut) const {
        if (O(lane) >= e.end - e.begin) return;
        int places[Count];
        find_places(here, count, f.columns, cut, places);
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t)
            if (int const p = places[t]; O(t * Lanes + lane) < e.end - e.begin && p >= 0)
                here.sums[p] = accumulate(s.add, here.sums[p],
                                          product(e.row, met_factors{e.of_a, f.values[t], e.inner}, f.columns[t]));
    }
    template <int Lanes>
    COPPICE_HD int place_of(shared_entries<Lanes> here, int count, I column, bool cut) const {
        int place[1];
        find_places(here, count, {column}, cut, place);
        return place[0];
    }
    /// Where the sums of some columns are, -1 for one without: the last ones that are not behind them. The searches go
    /// side by side.
    template <int Lanes, int Count>
    COPPICE_HD void find_places(shared_entries<Lanes> here, int count, I const (&columns)[Count], bool cut,
                                int (&places)[Count]) const {
        for (int& p : places) p = 0;
        for (int left = count; left > 1;) {
            int const half = int(unsigned(left) / 2);
            COPPICE_UNROLL
            for (int t = 0; t < Count; ++t)
                if (here.columns[places[t] + half] <= columns[t]) places[t] += half;
            left -= half;
        }
        if (!cut && !masked) return;
        COPPICE_UNROLL
        for (int t = 0; t < Count; ++t)
            if (here.columns[places[t]] != columns[t]) places[t] = -1;
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

/// The values of rows that lanes merge, and their columns where these are given memory.
template <int Slots, class Rows, class I, class O, class Z, bool with_columns>
struct sum_merged_rows {
    using out_columns = entries_of_lane<I, O>;
    using out_values = entries_of_lane<Z, O>;
    static constexpr int merge_bytes = out_values::bytes + (with_columns ? out_columns::bytes : 0);
    static_assert(merge_bytes <= most_warp_bytes);
    Rows of;
    I* columns; ///< to be written, or null

    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void by_merge(Block const& block, std::int64_t row, std::byte* memory) const {
        std::int64_t const r = of.merges(block, row) ? row : -1;
        O const from = r < 0 ? O(0) : of.a.row_begin(of.first + r), to = r < 0 ? O(0) : of.a.row_end(of.first + r);
        O const begin = r < 0 ? O(0) : of.offsets[r], end = r < 0 ? O(0) : of.offsets[r + 1];
        merged_partners<Slots, I, O> partners(of.a, of.b, from, to, most_partners_of<Slots>(block, int(to - from)));
        out_values values(block, memory, of.values, begin);
        out_columns written(block, memory + out_values::bytes, columns, begin);
        O place = begin; // where a masked structure has its next column
        merge_rows(
            block, partners, out_values::most,
            [&](I column) {
                auto sum = of.s.add.identity();
                partners.pass(
                    column, [&](int k, O q) { return of.factors(from + O(k), q); },
                    [&](auto const& met) { sum = accumulate(of.s.add, sum, of.product(r, met, column)); });
                if (of.masked && (place == end || of.indices[place] != column)) return; // the mask leaves it out
                if (of.masked) ++place;
                values.add(static_cast<Z>(of.s.result(sum)));
                if constexpr (with_columns) written.add(column);
            },
            [&] {
                values.write(block);
                if constexpr (with_columns) written.write(block);
            });
    }
};

/// Memory for sums, where they do not lie in shared memory or where the values do.
template <class Rows, class Sum, class Z, executor Executor>
Sum* memory_of_sums(Executor const& exec, buffer<Sum>& own, array_view<Z> values) {
    if constexpr (Rows::sums_are_small) return nullptr;
    if constexpr (std::is_same_v<Sum, Z>) return values.data();
    own = buffer<Sum>(exec, values.size());
    return own.data();
}

/// The values of a product of known offsets; its columns as well where `columns` is not null, for products all of whose
/// rows lanes merge.
template <bool with_columns = false, class A, class B, class I, class O, class Semiring, class Z, executor Executor>
void sum_products_by_lanes(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                           csr_view<B, I, O> b, array_view<Z> values, product_schedule const& schedule,
                           I* columns = nullptr) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    using rows = sum_rows<A, B, I, O, Semiring, sum_type, Z>;
    std::int64_t const count = plan.product_rows();
    if constexpr (!with_columns)
        if (schedule.by_entries && !plan.all_merged && takes_entries(plan, a, b))
            return for_each(exec, plan.nonzeros(),
                            sum_entry<A, B, I, O, Semiring, sum_type, Z>{a, b, s, count, plan.range.first,
                                                                         plan.offsets.data(), plan.indices.data(),
                                                                         values.data()});
    bool const merges = plan.all_merged || !plan.masked; // masked rows may have far more steps than entries
    int const slots = with_columns ? schedule.slots : merges ? schedule.sum_slots : 0;
    bool const all_merged = plan.all_merged && slots > 0 && slots == schedule.slots;
    // Where a warp has one row, eight lanes leave the others idle: they are for rows of B that leave them idle as well.
    std::int64_t const short_row = schedule.shared_each > 1 ? narrow_partners : narrow_lanes;
    buffer<sum_type> own;
    rows const of{a,
                  b,
                  s,
                  count,
                  plan.range.first,
                  plan.masked,
                  all_merged,
                  double(b.nonzeros()) <= double(short_row) * double(b.rows()),
                  double(b.nonzeros()) >= double(wide_partners) * double(b.rows()),
                  slots,
                  plan.offsets.data(),
                  plan.indices.data(),
                  memory_of_sums<rows>(exec, own, values),
                  values.data()};
    with_slots<few_partners, some_partners>(slots, [&](auto of_lane) {
        using merged = sum_merged_rows<of_lane(), rows, I, O, Z, with_columns>;
        for_each_warp(exec, warps_for(count, schedule.merged_each),
                      merged_rows_of_warp<merged>{count, schedule.merged_each, {of, columns}});
    });
    if constexpr (!with_columns) {
        if (!all_merged)
            for_each_warp(exec, warps_for(count, schedule.shared_each),
                          rows_of_warp<rows>{count, schedule.shared_each, of});
        for_each_warp(exec, plan.piece_count, sum_window<rows>{of, plan.pieces.data()});
    }
}

/// A B whole: columns and values at once where lanes merge all rows.
template <class Z, class A, class B, class I, class O, class Semiring, executor Executor>
csr<Z, I, O> product_by_lanes(Executor const& exec, product_plan<I, O> plan, Semiring const& s, csr_view<A, I, O> a,
                              csr_view<B, I, O> b, product_schedule const& schedule) {
    auto counted = count_rows(exec, a, b, constant_mask{}, plan.range, schedule);
    place_rows(exec, counted, plan);
    buffer<Z> values(exec, plan.indices.size());
    if (counted.all_merged && schedule.sum_slots == schedule.slots) {
        sum_products_by_lanes<true>(exec, plan, s, a, b, values.view(), schedule, plan.indices.data());
    } else {
        write_columns(exec, columns_of(a, b, constant_mask{}, plan.range.first, counted), schedule, counted, plan);
        sum_products_by_lanes(exec, plan, s, a, b, values.view(), schedule);
    }
    return {plan.product_rows(), plan.columns, std::move(plan.offsets), std::move(plan.indices), std::move(values)};
}

} // namespace coppice::detail
