// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR on the host: the path is split into chunks of equal length, and carries are folded in order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp> // defines the plan, then includes this header
#include <coppice/semiring/reduce_rows/srcsr_host_fold.hpp>
#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

namespace coppice::inline v0_1 {
namespace detail {

// Path steps per chunk: about 128 KiB of a matrix in float. It is a constant, so that the split points do not depend on
// the number of threads.
inline constexpr std::int64_t host_path_steps = 16384;

inline void require_range(row_range range, std::int64_t rows) {
    if (range.first < 0 || range.last < range.first || range.last > rows)
        throw argument_error("row range [" + std::to_string(range.first) + ", " + std::to_string(range.last) +
                             ") is not within [0, " + std::to_string(rows) + ")");
}

// Number of split points that one task searches on the merge path.
inline constexpr std::int64_t host_searches = 16;

/// Throws matrix_error unless the offsets are non-decreasing from 0 to `nonzeros`. One pass, memory-bandwidth bound.
template <class O>
void require_offsets(host_executor const& exec, array_view<O const> offsets, std::int64_t nonzeros) {
    std::int64_t const rows = offsets.size() - 1;
    if (offsets[0] != 0 || std::int64_t(offsets[rows]) != nonzeros)
        throw matrix_error("row offsets run from " + std::to_string(offsets[0]) + " to " +
                           std::to_string(offsets[rows]) + ", expected 0 to " + std::to_string(nonzeros));
    for_each_block(exec, rows, host_block, [offsets](std::int64_t, std::int64_t first, std::int64_t last) {
        O falls = 0;
        for (std::int64_t i = first; i < last; ++i) falls += O(offsets[i + 1] < offsets[i]);
        if (falls == 0) return;
        while (offsets[first + 1] >= offsets[first]) ++first;
        throw matrix_error("row " + std::to_string(first) + ": offsets decrease from " +
                           std::to_string(offsets[first]) + " to " + std::to_string(offsets[first + 1]));
    });
}

inline path_point earlier(path_point a, path_point b) { return a.row + a.nonzero <= b.row + b.nonzero ? a : b; }
inline path_point later(path_point a, path_point b) { return a.row + a.nonzero <= b.row + b.nonzero ? b : a; }

/// Passes the sum of a row to its store if the store selects the row.
template <class Store, class Add, class Sum>
void emit_row(Store const& store, std::int64_t row, Add const& add, Sum const& sum) {
    if (wants_row(store, row)) store_row(store, row, result_of(add, sum), fetch_for(store, row));
}

/// Walks one chunk of a range that ends at nonzero `range_end`. Operators are passed by value, so that their members
/// stay in registers during the loops.
template <class O, class Multiply, class Add, class Store>
auto walk_chunk(path_point from, path_point to, std::int64_t range_end, O const* offsets, Multiply multiply, Add add,
                Store store) {
    auto const row_end = [ends = offsets + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    auto const emit = [&store, &add](std::int64_t row, auto const& sum) { emit_row(store, row, add, sum); };
    auto const by = [&](auto const& fold) {
        if constexpr (chooses_rows_v<Store>) {
            using selected = fold_selected_rows<std::remove_cvref_t<decltype(fold)>, Add, Store>;
            return walk_rows(from, to, row_end, selected{fold, add, store}, add, emit);
        } else {
            return walk_rows(from, to, row_end, fold, add, emit);
        }
    };
    using ahead = fold_ahead<Multiply, Add>;
    if constexpr (ahead::fits)
        if (to.nonzero + ahead::reach <= range_end && lengths_vary(row_end, from.row, to.row))
            return by(ahead{multiply, add});
    return by(fold_in_order<Multiply, Add>{multiply, add});
}

} // namespace detail

template <class O>
srcsr_plan<O> make_srcsr_plan(host_executor const& exec, array_view<O const> offsets, std::int64_t nonzeros,
                              srcsr_options const& = {}) {
    srcsr_plan<O> plan;
    plan.offsets = offsets;
    plan.nonzeros = nonzeros;
    std::int64_t const rows = plan.rows();
    if (offsets.size() > 0) detail::require_offsets(exec, offsets, nonzeros);
    if (rows == 0) return plan;
    plan.work_per_block = detail::host_path_steps;
    std::int64_t const path = rows + nonzeros;
    std::int64_t const chunks = (path + plan.work_per_block - 1) / plan.work_per_block;
    plan.block_count = chunks;
    plan.block_starts = buffer<detail::path_point>(exec, chunks + 1);
    auto const row_end = [ends = offsets.data() + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    // Every step of a search misses the cache. The searches are therefore done once per pattern, not in every product.
    auto const search = [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s)
            plan.block_starts[s] =
                detail::path_search(row_end, rows, 0, nonzeros, std::min(path, s * plan.work_per_block));
    };
    detail::for_each_block(exec, chunks + 1, detail::host_searches, search);
    return plan;
}

/// Uses the chunks of the plan, clipped to the range. All ranges split rows at the same points, so that the sum of a
/// row is bitwise equal whether it is computed alone or with others.
template <class O, row_multiplier Multiply, adder Add, class Store>
requires row_multiplier_for<Multiply, Add> && row_store_for<Store, Add>
void reduce_rows(host_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply multiply, Add add,
                 Store store, array_view<std::byte> = {}) {
    detail::require_indices<Multiply, Store>();
    detail::require_range(range, plan.rows());
    if (range.first == range.last) return;
    O const* const offsets = plan.offsets.data();
    detail::path_point const begin{range.first, std::int64_t(offsets[range.first])};
    detail::path_point const end{range.last, std::int64_t(offsets[range.last])};
    std::int64_t const steps = plan.work_per_block;
    std::int64_t const first_chunk = (begin.row + begin.nonzero) / steps;
    std::int64_t const chunks = (end.row + end.nonzero + steps - 1) / steps - first_chunk;

    using ends_type = detail::walk_ends<accumulator_t<Add>>;
    struct chunk {
        std::int64_t first_row;
        ends_type ends;
        decltype(detail::fold_of_rows(store, 0, 0)) folded{};
    };
    std::vector<chunk> done(static_cast<std::size_t>(chunks),
                            chunk{0, ends_type{false, add.identity(), add.identity()}});
    detail::for_each_block(exec, chunks, 1, [&](std::int64_t s, std::int64_t, std::int64_t) {
        auto const from = detail::later(begin, plan.block_starts[first_chunk + s]);
        auto const to = detail::earlier(end, plan.block_starts[first_chunk + s + 1]);
        auto& mine = done[static_cast<std::size_t>(s)];
        mine.first_row = from.row;
        mine.ends = detail::walk_chunk(from, to, end.nonzero, offsets, multiply, add, store);
        if (mine.ends.closes) mine.folded = detail::fold_of_rows(store, from.row + 1, to.row);
    });

    // Ordered fold of the partial sums of rows that cross split points.
    auto open = add.identity();
    [[maybe_unused]] decltype(detail::fold_of_rows(store, 0, 0)) folded{};
    for (chunk const& s : done) {
        if (s.ends.closes) {
            detail::emit_row(store, s.first_row, add, add(open, s.ends.head));
            if constexpr (detail::folds_rows_v<Store>) {
                folded += store.of_rows(s.first_row, s.first_row + 1);
                folded += s.folded;
            }
        }
        open = detail::open_after(open, s.ends, add);
    }
    if constexpr (detail::folds_rows_v<Store>) store.finish(folded);
}

namespace detail {

/// The host has a single variant; see srcsr_cuda.cuh.
template <class O, class Multiply, class Add, class Store>
void reduce_rows_as_tuned(host_executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add,
                          Store store) {
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store);
}

} // namespace detail
} // namespace coppice::inline v0_1
