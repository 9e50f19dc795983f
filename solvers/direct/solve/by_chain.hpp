// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: reduces block rows to condensed rows, solves these, and substitutes the block rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/solve/band_levels.hpp>
#include <coppice/solvers/direct/solve/band_plan.hpp>

namespace coppice::inline v0_1::chain {

/// Condensed rows of `count` segments at a depth, in memory from `base` on, each for `span` block rows of the matrix of
/// `of`.
template <class T, class Of>
COPPICE_HD condensed_rows<T> condensed_at(Of const& of, T* base, int depth, std::int64_t count, std::int64_t span) {
    int const w = 2 * of.a.n;
    T *const rhs = base + count * 2 * w * w, *const sizes = rhs + count * w * of.rhs_count;
    return {base, rhs, reinterpret_cast<real_lane_t<T>*>(sizes), depth, w, of.rhs_count, of.a, span, of.singular};
}

/// Solves the condensed rows level by level, from the finest ones on.
template <class T, class Executor>
void solve_levels(Executor const& exec, condensed_rows<T> const& finest, levels const& l,
                  elimination<real_lane_t<T>> const& how, T* condensed, std::byte* memory, int const* predicate) {
    using coarse = chain_level<T, condensed_rows<T>>;
    std::array<coarse, max_levels> coarse_levels;
    int depth = 0;
    for_each_level(
        l, finest.a.n, finest.rhs_count, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
            if (k == 1) return;
            condensed_rows<T> const& from = depth == 0 ? finest : coarse_levels[std::size_t(depth - 1)].condensed;
            coarse_levels[std::size_t(depth++)] = {from,     condensed_at(finest, condensed + offset, k, count, span),
                                                   l,        condensed_shape(finest.a.n, finest.rhs_count),
                                                   how,      count,
                                                   predicate};
        });
    for (int k = 0; k < depth; ++k) run_job(exec, coarse_levels[std::size_t(k)].reduction(), memory);
    run_job(
        exec,
        final_complement<T>{depth == 0 ? finest : coarse_levels[std::size_t(depth - 1)].condensed, l, how, predicate},
        memory);
    for (int k = depth - 1; k >= 0; --k) run_job(exec, coarse_levels[std::size_t(k)].substitution(), memory);
}

/// The finest level of a chain solve: block rows to condensed rows, in the memory of condensed_elements.
template <class T>
COPPICE_HD chain_level<T, matrix_block_rows<T>> finest_level(matrix_block_rows<T> const& block_rows, levels const& l,
                                                             elimination<real_lane_t<T>> const& how,
                                                             std::byte* condensed, int const* predicate) {
    std::int64_t const count = l.total(1);
    auto const at = condensed_at(block_rows, reinterpret_cast<T*>(condensed), 1, count, l.length());
    return {block_rows, at, l, rows_shape(l, block_rows.a.n, block_rows.rhs_count), how, count, predicate};
}

/// One chain solve of up to max_rhs columns.
template <class T, class Executor>
void solve_columns(Executor const& exec, matrix_block_rows<T> const& block_rows, elimination<real_lane_t<T>> const& how,
                   std::byte* condensed, std::byte* memory, int const* predicate) {
    if (from_both_ends(exec, block_rows.a)) return solve_from_ends(exec, block_rows, how, memory, predicate);
    levels const l = levels_of(exec, block_rows.a);
    auto const finest = finest_level(block_rows, l, how, condensed, predicate);
    run_job(exec, finest.reduction(), memory);
    if (merges_in_one_kernel(exec, block_rows.a))
        solve_condensed(exec, tree_job<T>(finest.condensed, l, how, predicate));
    else
        solve_levels(exec, finest.condensed, l, how, reinterpret_cast<T*>(condensed), memory, predicate);
    run_job(exec, finest.substitution(), memory);
}

/// A chain solve of `columns` columns, of which `first` is the first, in groups of the size that the launcher supports.
COPPICE_NO_EXEC_CHECK
template <class T, class Executor>
COPPICE_HD void solve_by_chain(Executor const& exec, matrix_block_rows<T> const& first, std::int64_t columns,
                               elimination<real_lane_t<T>> const& how, chain_memory const& memory,
                               int const* predicate) {
    int const max_columns = rhs_at_once(exec, first.a);
    for (std::int64_t c = 0; c < columns; c += max_columns) {
        matrix_block_rows<T> block_rows = first;
        block_rows.rhs_count = columns - c < max_columns ? int(columns - c) : max_columns;
        block_rows.d += c * block_rows.d_leading;
        block_rows.x += c * block_rows.x_leading;
        solve_columns(exec, block_rows, how, memory.condensed, memory.launch, predicate);
    }
}

template <class T>
elimination<real_lane_t<T>> elimination_of(band_options const& o) {
    return {real_lane_t<T>(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
}

/// Whether the solve is only the elimination of a small banded matrix (tiles/band_small.hpp): then there is no plan and
/// no workspace.
template <class T, class Executor>
bool only_one_front(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    if constexpr (std::is_floating_point_v<T>) {
        if (reported || o.refinements > 0 || a.lower_bands < 0 || a.size > band_ends<T>::max_small) return false;
        auto const rows = rows_of(a, o);
        return from_both_ends(exec, rows) && passes_one_front(rows);
    } else {
        return false;
    }
}
/// Solves such a matrix.
template <class T, class Executor>
void solve_by_one_front(Executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                        band_options const& o) {
    if constexpr (std::is_floating_point_v<T>)
        solve_by_chain(exec,
                       matrix_block_rows<T>{rows_of(a, o), d.pointer, x.pointer, d.leading, x.leading, 0, nullptr},
                       x.columns, elimination_of<T>(o), {}, nullptr);
}

} // namespace coppice::inline v0_1::chain
