// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sparse products as compositions of the primitives, on any executor; what CUDA runs.
///
/// Structure: rows of few products are gathered by one lane each, into a sorted list of its own, of up to 32 by a warp,
/// a product in each lane (product_warp.hpp). The products of the other rows are written out as (row, column), as many
/// at a time as the nonzeros of both matrices, sorted and made distinct. Values: by the same lanes and warps; of long
/// rows a lane folds a window of the structure. Always products in the order of the row of A, so that sums are those of
/// the host, bit for bit where the arithmetic is the same.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include <coppice/semiring/products/product_warp.hpp>

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

/// Columns of a row with few products, gathered in order by one lane.
template <class A, class B, class I, class O, class Mask>
struct short_product_row {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Mask mask;
    COPPICE_HD int operator()(std::int64_t i, I* found) const {
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
};

/// Counts the entries of rows that a lane or a warp gathers.
template <class A, class B, class I, class O, class Mask>
struct count_gathered_row {
    short_product_row<A, B, I, O, Mask> gather;
    std::int64_t first;
    std::int64_t* lengths; ///< 0 at first

    COPPICE_HD void by_lane(std::int64_t r) const {
        I found[lane_products];
        lengths[r] = gather(first + r, found);
    }
    template <class Block>
    COPPICE_HD void by_warp(Block const& block, std::int64_t r) const {
        auto const mine = gather_row(block, gather.a, gather.b, gather.mask, first + r);
        if (block.thread() % warp_lanes == 0) lengths[r] = std::popcount(mine.heads);
    }
};

template <class A, class B, class I, class O, class Mask>
struct write_gathered_row {
    short_product_row<A, B, I, O, Mask> gather;
    std::int64_t first;
    O const* offsets;
    I* indices;

    COPPICE_HD void by_lane(std::int64_t r) const {
        I found[lane_products];
        int const n = gather(first + r, found);
        for (int p = 0; p < n; ++p) indices[offsets[r] + p] = found[p];
    }
    template <class Block>
    COPPICE_HD void by_warp(Block const& block, std::int64_t r) const {
        auto const mine = gather_row(block, gather.a, gather.b, gather.mask, first + r);
        if (mine.head) indices[offsets[r] + O(mine.place)] = mine.column;
    }
};

/// Products of row r of the range, where they are many.
template <class A, class B, class I, class O>
struct long_row_products {
    row_products<A, B, I, O> work;
    std::int64_t first;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        std::int64_t const products = work(first + r);
        return products <= warp_products ? 0 : products;
    }
};

/// Products of nonzero k of the range.
template <class A, class B, class I, class O>
struct nonzero_products {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    std::int64_t first;
    COPPICE_HD std::int64_t operator()(std::int64_t k) const {
        I const inner = a.indices[first + k];
        return std::int64_t(b.row_end(inner)) - std::int64_t(b.row_begin(inner));
    }
};

/// Writes product t of the batch as a key, row first: a lane finds its row and then its nonzero by search.
template <class A, class B, class I, class O>
struct write_product_key {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    std::int64_t const* starts;         ///< of the long rows' products
    std::int64_t const* nonzero_starts; ///< of the products of the nonzeros from `first_nonzero` on
    std::int64_t rows, first, first_nonzero, base;
    std::uint64_t* keys;
    std::uint8_t* nothing;
    COPPICE_HD void operator()(std::int64_t t) const {
        std::int64_t const r = position_below(starts, rows, base + t);
        std::int64_t const begin = a.row_begin(first + r), count = a.row_end(first + r) - begin;
        std::int64_t const* const of_row = nonzero_starts + (begin - first_nonzero);
        std::int64_t const product = of_row[0] + (base + t - starts[r]);
        std::int64_t const k = position_below(of_row, count, product);
        std::int64_t const q = b.row_begin(a.indices[begin + k]) + (product - of_row[k]);
        keys[t] = std::uint64_t(r) * std::uint64_t(b.columns()) + std::uint64_t(b.indices[q]);
        nothing[t] = 0;
    }
};

/// Whether a sorted key is the first of its kind and admitted.
template <class Mask>
struct first_of_key {
    std::uint64_t const* keys;
    std::uint64_t columns;
    std::int64_t first;
    Mask mask;
    COPPICE_HD bool operator()(std::int64_t t) const {
        if (t > 0 && keys[t] == keys[t - 1]) return false;
        return mask.admits(first + std::int64_t(keys[t] / columns), std::int64_t(keys[t] % columns));
    }
};
struct store_key {
    std::uint64_t const* keys;
    std::uint64_t* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t t) const { to[position] = keys[t]; }
};

/// How many of the distinct keys of a batch lie in row first + r.
struct count_keys_of_row {
    std::uint64_t const* keys;
    std::int64_t count, first;
    std::uint64_t columns;
    std::int64_t* lengths;
    COPPICE_HD std::int64_t start(std::int64_t row) const {
        return lower_position(keys, 0, count, std::uint64_t(row) * columns);
    }
    COPPICE_HD void operator()(std::int64_t r) const { lengths[first + r] += start(first + r + 1) - start(first + r); }
};

/// Moves distinct key t of a batch to its place: the keys of a row stand together.
template <class I, class O>
struct place_key {
    count_keys_of_row rows;
    O const* offsets;
    I* indices;
    COPPICE_HD void operator()(std::int64_t t) const {
        std::int64_t const r = std::int64_t(rows.keys[t] / rows.columns);
        indices[offsets[r] + (t - rows.start(r))] = I(rows.keys[t] % rows.columns);
    }
};

/// The last row r with starts[r] <= limit.
struct find_row_below {
    std::int64_t const* starts;
    std::int64_t count, limit;
    std::int64_t* found;
    COPPICE_HD void operator()(std::int64_t) const { *found = position_below(starts, count, limit); }
};

/// The distinct (row, column) of a stretch of rows whose products were many.
struct product_batch {
    std::int64_t first, last;
    buffer<std::uint64_t> keys;
};

/// Sorts and makes distinct the products of the long rows, batch after batch.
template <class A, class B, class I, class O, class Mask, executor Executor>
std::vector<product_batch> sort_long_rows(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask,
                                          row_range range) {
    constexpr std::int64_t least = std::int64_t{1} << 22;
    std::int64_t const rows = range.last - range.first;
    buffer<std::int64_t> starts(exec, rows + 1);
    std::int64_t const total = exclusive_scan(exec, rows, long_row_products<A, B, I, O>{{a, b}, range.first},
                                              store_offset<std::int64_t>{starts.data()}, std::int64_t{0});
    fill(exec, starts.view().slice(rows, 1), total);
    if (total == 0) return {};
    std::int64_t const first_nonzero = exec.load(a.offsets + range.first);
    std::int64_t const nonzeros = exec.load(a.offsets + range.last) - first_nonzero;
    buffer<std::int64_t> nonzero_starts(exec, nonzeros);
    exclusive_scan(exec, nonzeros, nonzero_products<A, B, I, O>{a, b, first_nonzero},
                   store_offset<std::int64_t>{nonzero_starts.data()}, std::int64_t{0});
    std::int64_t const most = std::max(least, std::int64_t(a.nonzeros()) + std::int64_t(b.nonzeros()));
    std::vector<product_batch> batches;
    buffer<std::int64_t> found(exec, 1);
    for (std::int64_t first = 0, done = 0; done < total;) {
        for_each(exec, 1, find_row_below{starts.data(), rows + 1, done + most, found.data()});
        std::int64_t const last = std::max(first + 1, exec.load(found.data()));
        std::int64_t const next = exec.load(starts.data() + last), products = next - done;
        if (products > 0) {
            buffer<std::uint64_t> keys(exec, products);
            buffer<std::uint8_t> nothing(exec, products);
            for_each(exec, products,
                     write_product_key<A, B, I, O>{a, b, starts.data(), nonzero_starts.data(), rows, range.first,
                                                   first_nonzero, done, keys.data(), nothing.data()});
            sort_by_key(exec, keys.view(), nothing.view());
            buffer<std::uint64_t> distinct(exec, products);
            std::int64_t const count =
                select(exec, products, first_of_key<Mask>{keys.data(), std::uint64_t(b.columns()), range.first, mask},
                       store_key{keys.data(), distinct.data()});
            batches.push_back({first, last, copy_of(exec, distinct.view().slice(0, count))});
        }
        first = last;
        done = next;
    }
    return batches;
}

/// Windows of the structure of a row whose products are many.
inline constexpr std::int64_t product_window = 64;
template <class A, class B, class I, class O>
struct windows_of_row {
    long_row_products<A, B, I, O> products;
    O const* offsets;
    COPPICE_HD std::int64_t operator()(std::int64_t r) const {
        if (products(r) == 0) return 0;
        return (std::int64_t(offsets[r + 1]) - std::int64_t(offsets[r]) + product_window - 1) / product_window;
    }
};

/// Structure of the product into `plan`.
template <class A, class B, class I, class O, class Mask, executor Executor>
void find_structure_by_lanes(Executor const& exec, csr_view<A, I, O> a, csr_view<B, I, O> b, Mask mask,
                             product_plan<I, O>& plan) {
    std::int64_t const rows = plan.range.last - plan.range.first, first = plan.range.first;
    short_product_row<A, B, I, O, Mask> const gather{a, b, mask};
    buffer<std::int64_t> lengths(exec, rows + 1);
    fill(exec, lengths.view(), std::int64_t{0});
    row_products<A, B, I, O> const work{a, b};
    using count = count_gathered_row<A, B, I, O, Mask>;
    for_each_warp(exec, warps_for(rows),
                  rows_of_warp<A, B, I, O, count>{work, first, rows, {gather, first, lengths.data()}});
    std::uint64_t const columns = static_cast<std::uint64_t>(plan.columns);
    auto const batches = sort_long_rows(exec, a, b, mask, plan.range);
    for (auto const& batch : batches)
        for_each(exec, batch.last - batch.first,
                 count_keys_of_row{batch.keys.data(), batch.keys.size(), batch.first, columns, lengths.data()});

    std::int64_t const total = reduce(exec, rows, std::int64_t{0}, stored_degree<std::int64_t>{lengths.data()}, plus{});
    plan.offsets = buffer<O>(exec, rows + 1);
    fill(exec, plan.offsets.view().slice(rows, 1), product_size<O>(total));
    exclusive_scan(exec, rows, stored_degree<std::int64_t>{lengths.data()}, store_offset<O>{plan.offsets.data()},
                   std::int64_t{0});
    plan.indices = buffer<I>(exec, total);
    using write = write_gathered_row<A, B, I, O, Mask>;
    for_each_warp(
        exec, warps_for(rows),
        rows_of_warp<A, B, I, O, write>{work, first, rows, {gather, first, plan.offsets.data(), plan.indices.data()}});
    for (auto const& batch : batches)
        for_each(exec, batch.keys.size(),
                 place_key<I, O>{{batch.keys.data(), batch.keys.size(), batch.first, columns, nullptr},
                                 plan.offsets.data(),
                                 plan.indices.data()});

    plan.pieces = buffer<std::int64_t>(exec, rows + 1);
    plan.piece_count = exclusive_scan(exec, rows, windows_of_row<A, B, I, O>{{work, first}, plan.offsets.data()},
                                      store_offset<std::int64_t>{plan.pieces.data()}, std::int64_t{0});
    fill(exec, plan.pieces.view().slice(rows, 1), plan.piece_count);
}

/// Folds products into `sums`, which lie where the structure does, and these into values, which may be the same memory.
template <class A, class B, class I, class O, class Semiring, class Sum, class Z>
struct sum_rows {
    csr_view<A, I, O> a;
    csr_view<B, I, O> b;
    Semiring s;
    std::int64_t rows, first;
    bool masked; ///< some products have no place in the structure
    O const* offsets;
    I const* indices;
    Sum* sums;
    Z* values;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD auto product(std::int64_t r, O k, O q) const {
        meeting const at{first + r, a.indices[k], a.indices[k], b.indices[q]};
        return multiply_at(s, a.coefficients[k], b.coefficients[q], at);
    }
    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void by_lane(std::int64_t r) const { fold(r, offsets[r], offsets[r + 1]); }
    COPPICE_NO_EXEC_CHECK
    template <class Block>
    COPPICE_HD void by_warp(Block const& block, std::int64_t r) const {
        planned_columns const has_place{indices, offsets[r], offsets[r + 1], !masked};
        auto const mine = gather_row(block, a, b, has_place, first + r);
        auto const value = product(r, mine.k, mine.q);
        Sum sum = s.add.identity();
        for (unsigned left = mine.head ? mine.same : 0; block.ballot(left != 0) != 0; left &= left - 1) {
            auto const other = block.from_lane(value, left != 0 ? first_lane(left) : 0);
            if (left != 0) sum = accumulate(s.add, sum, other);
        }
        if (mine.head) values[offsets[r] + O(mine.place)] = static_cast<Z>(s.result(sum));
    }
    /// Entries [begin, end) of row r, in the order of its structure.
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
                sums[p] = accumulate(s.add, sums[p], product(r, k, O(q)));
            }
        }
        for (std::int64_t p = begin; p < end; ++p) values[p] = static_cast<Z>(s.result(sums[p]));
    }

private:
    /// Admits the columns of a row's structure: masks were asked when it was made.
    struct planned_columns {
        I const* indices;
        std::int64_t begin, end;
        bool all;
        COPPICE_HD bool admits(std::int64_t, std::int64_t column) const {
            if (all) return true;
            std::int64_t const p = lower_position(indices, begin, end, column);
            return p < end && std::int64_t(indices[p]) == column;
        }
    };
};

/// The same of the windows of long rows.
template <class Rows>
struct sum_window {
    Rows of;
    std::int64_t const* pieces;

    COPPICE_NO_EXEC_CHECK
    COPPICE_HD void operator()(std::int64_t w) const {
        std::int64_t const r = position_below(pieces, of.rows + 1, w);
        std::int64_t const begin = std::int64_t(of.offsets[r]) + (w - pieces[r]) * product_window;
        std::int64_t const row_end = of.offsets[r + 1], end = begin + product_window;
        of.fold(r, begin, end < row_end ? end : row_end);
    }
};

/// The values of a planned product. Sums of another type than the values need memory of their own.
template <class A, class B, class I, class O, class Semiring, class Z, executor Executor>
void sum_products_by_lanes(Executor const& exec, product_plan<I, O> const& plan, Semiring const& s, csr_view<A, I, O> a,
                           csr_view<B, I, O> b, array_view<Z> values) {
    using sum_type = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    buffer<sum_type> own;
    sum_type* sums;
    if constexpr (std::is_same_v<sum_type, Z>) {
        sums = values.data();
    } else {
        own = buffer<sum_type>(exec, values.size());
        sums = own.data();
    }
    using rows = sum_rows<A, B, I, O, Semiring, sum_type, Z>;
    std::int64_t const count = plan.product_rows();
    rows const of{
        a, b, s, count, plan.range.first, plan.masked, plan.offsets.data(), plan.indices.data(), sums, values.data()};
    for_each_warp(exec, warps_for(count), rows_of_warp<A, B, I, O, rows>{{a, b}, plan.range.first, count, of});
    for_each(exec, plan.piece_count, sum_window<rows>{of, plan.pieces.data()});
}

} // namespace coppice::detail
