// SPDX-License-Identifier: BSD-3-Clause
/// \file SRCSR on the host: equal stretches of the path for the workers, carries folded in order.
#pragma once

#include <string>
#include <vector>

#include "core/parallel_host.hpp"
#include "semiring/srcsr.hpp" // the plan; that header includes this one behind it
#include "semiring/srcsr_lane.hpp"

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

} // namespace detail

template <class O>
srcsr_plan<O> make_srcsr_plan(host_executor const& exec, array_view<O const> offsets, std::int64_t nonzeros,
                              srcsr_options const& = {}) {
    srcsr_plan<O> plan;
    plan.offsets = offsets;
    plan.nonzeros = nonzeros;
    std::int64_t const rows = plan.rows();
    if (rows == 0) return plan;
    plan.work_per_block = detail::host_path_steps;
    std::int64_t const path = rows + nonzeros;
    std::int64_t const stretches = (path + plan.work_per_block - 1) / plan.work_per_block;
    plan.block_count = stretches;
    plan.block_starts = buffer<detail::path_point>(exec, stretches + 1);
    auto const row_end = [ends = offsets.data() + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    // A search misses the cache at every step, so it is done once for the pattern and not in every product.
    for_each(exec, stretches + 1, [&](std::int64_t s) {
        std::int64_t const step = s < stretches ? s * plan.work_per_block : path;
        plan.block_starts[s] = detail::path_search(row_end, rows, 0, nonzeros, step);
    });
    return plan;
}

template <class O, class Multiply, class Add, class Store>
void reduce_rows(host_executor const& exec, srcsr_plan<O> const& plan, row_range range, Multiply multiply, Add add,
                 Store store, array_view<std::byte> = {}) {
    detail::require_range(range, plan.rows());
    std::int64_t const rows = range.last - range.first;
    if (rows == 0) return;
    O const* const offsets = plan.offsets.data();
    std::int64_t const first_nonzero = offsets[range.first];
    std::int64_t const nonzeros = static_cast<std::int64_t>(offsets[range.last]) - first_nonzero;

    auto const row_end = [ends = offsets + range.first + 1](std::int64_t i) { return std::int64_t(ends[i]); };
    // By value: what the operators hold stays in registers through the loops.
    auto const product = [multiply, base = range.first](std::int64_t k, std::int64_t i) {
        return detail::multiply_nonzero(multiply, k, base + i);
    };
    auto const emit = [store, add, base = range.first](std::int64_t i, auto const& sum) {
        detail::store_row(store, base + i, detail::result_of(add, sum), detail::fetch_for(store, base + i));
    };

    using ends_type = detail::walk_ends<accumulator_t<Add>>;
    struct stretch {
        std::int64_t first_row;
        ends_type ends;
    };
    constexpr std::int64_t steps = detail::host_path_steps;
    std::int64_t const path = rows + nonzeros;
    std::int64_t const stretches = (path + steps - 1) / steps;
    std::vector<stretch> done(static_cast<std::size_t>(stretches),
                              stretch{0, ends_type{false, add.identity(), add.identity()}});
    detail::for_each_block(exec, path, steps, [&](std::int64_t s, std::int64_t first, std::int64_t last) {
        bool const planned = rows == plan.rows();
        auto const at = [&](std::int64_t block, std::int64_t step) {
            return planned ? plan.block_starts[block]
                           : detail::path_search(row_end, rows, first_nonzero, nonzeros, step);
        };
        auto const from = at(s, first);
        auto const to = at(s + 1, last);
        auto const local_product = product;
        auto const local_emit = emit;
        auto const local_end = row_end;
        done[static_cast<std::size_t>(s)] = {from.row,
                                             detail::walk(from, to, local_end, local_product, add, local_emit)};
    });

    // One ordered fold of what rows left open at the cuts.
    auto open = add.identity();
    for (stretch const& s : done) {
        if (s.ends.closes) emit(s.first_row, add(open, s.ends.head));
        open = detail::open_after(open, s.ends, add);
    }
}

} // namespace coppice
