// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Partitioning of a matrix into segments, level by level, and layout of the workspace of solve_bands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/error/band_condition.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>
#include <coppice/solvers/direct/solve/launchers.hpp>

namespace coppice::inline v0_1::chain {

COPPICE_HD inline block_row_shape<any_size> rows_shape(levels const& l, int n, int rhs_count) {
    return {{n, 2 * n}, l.length(), rhs_count};
}
inline block_row_shape<any_size> condensed_shape(int n, int rhs_count) {
    return {{2 * n, 2 * n}, condensed_segment_length, rhs_count};
}

/// Levels with shorter segments for short systems.
inline levels levels_of(batch_shape const& batch, int max_log_length = log_segment_rows) {
    int log_length = 2;
    while (log_length < max_log_length && (std::int64_t(1) << log_length) < batch.rows) ++log_length;
    return {batch, log_length};
}
/// Levels with shorter segments if the matrix has few rows in total and condensed rows are merged in one kernel:
/// elimination in a segment is a chain of dependent steps. Not for systems that the chain solver rarely solves: shorter
/// segments need more memory.
template <class T, class Executor>
levels levels_of(Executor const& exec, matrix_rows<T> const& a) {
    constexpr std::int64_t few = 1 << 19; // block rows; measured on an H200
    bool const shorter = merges_in_one_kernel(exec, a) && (a.n > 1 || a.cyclic) && a.batch.total <= few;
    return levels_of(a.batch, shorter ? log_segment_rows - 1 : log_segment_rows);
}

/// Calls use(depth of the condensed rows, number of segments, block rows of a segment, offset in elements) for every
/// level; returns the elements of all condensed rows.
template <class Use>
std::int64_t for_each_level(levels const& l, int n, int rhs_count, Use use) {
    std::int64_t offset = 0, span = l.length();
    for (int depth = 1;; ++depth, span *= condensed_segment_length) {
        std::int64_t const condensed = l.total(depth);
        use(depth, condensed, span, offset);
        offset += (condensed * (2 * n * (4 * n + rhs_count) + 1) + 15) / 16 * 16; // a multiple of 64 bytes
        if (l.count(l.batch.rows, depth) <= 1) return offset;
    }
}

/// Returns the number of elements of all condensed rows, for the method that is used: one kernel, or one per level.
template <class T, class Executor>
std::int64_t condensed_elements(Executor const& exec, matrix_rows<T> const& a, int rhs_count) {
    if (merges_in_one_kernel(exec, a)) return tree_elements(exec, levels_of(exec, a), a);
    return for_each_level(levels_of(a.batch), a.n, rhs_count, [](auto...) {});
}

/// Memory of a chain solve in the workspace.
struct chain_memory {
    std::byte *condensed = nullptr, *launch = nullptr;
};

/// Offsets of all arrays in the workspace; a single function computes them for its size and for its use.
struct workspace_plan : workspace_layout {
    std::int64_t condensed = 0, condensed_bytes = 0; ///< shared with the workspace of rpts, which runs before
    std::int64_t launch = 0;
    std::int64_t errors = 0, inaccurate = 0, singular = 0, next = 0, uneven = 0, flags = 0; ///< of error_memory
    std::int64_t residual = 0;
    std::int64_t vectors = 0, estimates = 0, norms = 0, conditions = 0, singular_of_condition = 0,
                 unfinished = 0; ///< of condition_memory

    chain_memory chain_in(std::byte* space) const { return {space + condensed, space + launch}; }

    error_memory errors_in(std::byte* space, std::int64_t systems, std::int64_t columns) const {
        return {reinterpret_cast<column_error*>(space + errors),
                reinterpret_cast<bool*>(space + inaccurate),
                reinterpret_cast<std::int64_t*>(space + singular),
                reinterpret_cast<int*>(space + next),
                reinterpret_cast<int*>(space + uneven),
                reinterpret_cast<int*>(space + flags),
                systems,
                columns};
    }
    template <class T>
    condition_memory<T> condition_in(std::byte* space) const {
        return {reinterpret_cast<T*>(space + vectors),
                reinterpret_cast<estimate_state*>(space + estimates),
                reinterpret_cast<double*>(space + norms),
                reinterpret_cast<double*>(space + conditions),
                reinterpret_cast<std::int64_t*>(space + singular_of_condition),
                reinterpret_cast<int*>(space + unfinished)};
    }

    void take_condensed(std::int64_t size) { condensed = take(condensed_bytes = size); }
    void take_errors(std::int64_t systems, std::int64_t columns) {
        errors = take(systems * columns * std::int64_t(sizeof(column_error)));
        inaccurate = take(systems * columns);
        singular = take(systems * 8);
        next = take(systems * std::int64_t(sizeof(int)));
        uneven = take(2 * systems * std::int64_t(sizeof(int)));
        flags = take(attempt_flags * std::int64_t(sizeof(int)));
    }
    void take_condition(std::int64_t systems, std::int64_t vector_bytes) {
        vectors = take(condition_starts * vector_bytes);
        estimates = take(systems * condition_starts * std::int64_t(sizeof(estimate_state)));
        norms = take(systems * 8);
        conditions = take(systems * 8);
        singular_of_condition = take(systems * 8);
        unfinished = take(8);
    }
};

/// Reserves the memory of the chain solver for `rhs_count` right-hand sides at a time, or that of rpts for all,
/// whichever is larger.
template <class T, class Executor>
void plan_solvers(workspace_plan& plan, Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                  int rhs_count, band_options const& o, bool reported) {
    using lane = lane_of_t<T>;
    auto const rows = rows_of(a, o);
    bool const ends = from_both_ends(exec, rows);
    std::int64_t const condensed = ends ? 0 : condensed_elements(exec, rows, rhs_count) * std::int64_t(sizeof(T));
    plan.take_condensed(starts_with_rpts(exec, a, o, reported)
                            ? std::max(condensed, rpts_bytes(exec, a, columns, o.cyclic))
                            : condensed);
    std::int64_t launch =
        ends ? 0
             : launch_bytes<lane>(exec, std::max(rows_shape(levels_of(rows.batch), a.block, rhs_count).elements(),
                                                 condensed_shape(a.block, rhs_count).elements()));
    if constexpr (std::is_same_v<Executor, host_executor>)
        if (ends || solves_separately(exec, rows)) launch = std::max(launch, ends_bytes(exec, rows, rhs_count));
    plan.launch = plan.take(launch);
}

template <class T, class Executor>
workspace_plan plan_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                              band_options const& o, bool reported) {
    workspace_plan plan;
    if (only_rpts(exec, a, o, reported)) {
        plan.take_condensed(rpts_bytes(exec, a, columns, o.cyclic));
        return plan;
    }
    bool const estimated = reported && o.condition;
    bool const watched = watches_rpts(exec, a, o, reported);
    bool const refined = watched || o.refinements > 0 || (reported && o.method == band_method::automatic);
    std::int64_t const min_columns = estimated ? condition_starts : 1, element_bytes = sizeof(T);
    plan_solvers(plan, exec, a, columns, int(std::clamp<std::int64_t>(columns, min_columns, max_rhs)), o, reported);
    if (reported || watched) plan.take_errors(a.systems, columns);
    if (refined) plan.residual = plan.take(a.size * columns * element_bytes);
    if (estimated) plan.take_condition(a.systems, a.size * element_bytes);
    return plan;
}

} // namespace coppice::inline v0_1::chain
