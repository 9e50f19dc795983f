// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SRCSR on the host: equal stretches of the path for the workers, carries folded in order.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <coppice/core/host/parallel_host.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp> // the plan; that header includes this one behind it
#include <coppice/semiring/reduce_rows/srcsr_host_fold.hpp>
#include <coppice/semiring/reduce_rows/srcsr_lane.hpp>

namespace coppice {
namespace detail {

// Path steps that a worker takes at a time: about 128 KiB of a matrix in float. A constant, so that rows are cut at the
// same places whatever the number of threads.
inline constexpr std::int64_t host_path_steps = 16384;

inline void require_range(row_range range, std::int64_t rows) {
    if (range.first < 0 || range.last < range.first || range.last > rows)
        throw argument_error("row range [" + std::to_string(range.first) + ", " + std::to_string(range.last) +
                             ") does not lie in [0, " + std::to_string(rows) + ")");
}

// Path searches that a worker does at a time.
inline constexpr std::int64_t host_searches = 16;

/// Throws matrix_error unless the offsets run from 0 to `nonzeros` without falling; one pass at the speed of memory.
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
        throw matrix_error("row " + std::to_string(first) + ": offsets fall from " + std::to_string(offsets[first]) +
                           " to " + std::to_string(offsets[first + 1]));
    });
}

inline path_point earlier(path_point a, path_point b) { return a.row + a.nonzero <= b.row + b.nonzero ? a : b; }
inline path_point later(path_point a, path_point b) { return a.row + a.nonzero <= b.row + b.nonzero ? b : a; }

/// Hands the sum of a row to its store, if that wants it.
template <class Store, class Add, class Sum>
void emit_row(Store const& store, std::int64_t row, Add const& add, Sum const& sum) {
    if (wants_row(store, row)) store_row(store, row, result_of(add, sum), fetch_for(store, row));
}

/// Walks one stretch of a range that ends at nonzero `range_end`. Operators come by value: what they hold stays in
/// registers through the loops.
template <class O, class Multiply, class Add, class Store>
auto walk_stretch(path_point from, path_point to, std::int64_t range_end, O const* offsets, Multiply multiply, Add add,
                  Store store) {
    auto const row_end = [ends = offsets + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    auto const emit = [&store, &add](std::int64_t row, auto const& sum) { emit_row(store, row, add, sum); };
    auto const by = [&](auto const& fold) {
        if constexpr (chooses_rows_v<Store>) {
            using wanted = fold_wanted<std::remove_cvref_t<decltype(fold)>, Add, Store>;
            return walk_rows(from, to, row_end, wanted{fold, add, store}, add, emit);
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
    std::int64_t const stretches = (path + plan.work_per_block - 1) / plan.work_per_block;
    plan.block_count = stretches;
    plan.block_starts = buffer<detail::path_point>(exec, stretches + 1);
    auto const row_end = [ends = offsets.data() + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    // A search misses the cache at every step, so it is done once for the pattern and not in every product.
    auto const search = [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t s = first; s < last; ++s)
            plan.block_starts[s] =
                detail::path_search(row_end, rows, 0, nonzeros, std::min(path, s * plan.work_per_block));
    };
    detail::for_each_block(exec, stretches + 1, detail::host_searches, search);
    return plan;
}

/// The stretches of the plan, clipped to the range: rows are cut at the same places in every range, so that a row's
/// sum has the same bits whether it is done alone or with others.
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
    std::int64_t const first_stretch = (begin.row + begin.nonzero) / steps;
    std::int64_t const stretches = (end.row + end.nonzero + steps - 1) / steps - first_stretch;

    using ends_type = detail::walk_ends<accumulator_t<Add>>;
    struct stretch {
        std::int64_t first_row;
        ends_type ends;
        decltype(detail::fold_of_rows(store, 0, 0)) folded{};
    };
    std::vector<stretch> done(static_cast<std::size_t>(stretches),
                              stretch{0, ends_type{false, add.identity(), add.identity()}});
    detail::for_each_block(exec, stretches, 1, [&](std::int64_t s, std::int64_t, std::int64_t) {
        auto const from = detail::later(begin, plan.block_starts[first_stretch + s]);
        auto const to = detail::earlier(end, plan.block_starts[first_stretch + s + 1]);
        auto& mine = done[static_cast<std::size_t>(s)];
        mine.first_row = from.row;
        mine.ends = detail::walk_stretch(from, to, end.nonzero, offsets, multiply, add, store);
        if (mine.ends.closes) mine.folded = detail::fold_of_rows(store, from.row + 1, to.row);
    });

    // One ordered fold of what rows left open at the cuts.
    auto open = add.identity();
    [[maybe_unused]] decltype(detail::fold_of_rows(store, 0, 0)) folded{};
    for (stretch const& s : done) {
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

/// The host has one way to do it; see srcsr_cuda.cuh.
template <class O, class Multiply, class Add, class Store>
void reduce_rows_as_tuned(host_executor const& exec, srcsr_plan<O> const& plan, Multiply multiply, Add add,
                          Store store) {
    reduce_rows(exec, plan, row_range{0, plan.rows()}, multiply, add, store);
}

} // namespace detail
} // namespace coppice
