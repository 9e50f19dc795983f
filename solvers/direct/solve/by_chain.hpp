// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver: reduces block rows to condensed rows, solves these, and substitutes the block rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/solve/band_plan.hpp>

namespace coppice::inline v0_1::chain {

/// Condensed rows at a depth, each for `span` block rows of the matrix of `of`, with these arrays.
template <class T>
COPPICE_HD condensed_rows<T> condensed_in(matrix_block_rows<T> const& of, T* matrix, T* rhs, T* sizes, int depth,
                                          std::int64_t span) {
    auto* const encoded = reinterpret_cast<real_lane_t<T>*>(sizes);
    return {matrix, rhs, encoded, depth, 2 * of.a.n, of.rhs_count, of.a, span, of.singular};
}
/// The same for `count` segments, with all arrays in memory from `base` on.
template <class T>
COPPICE_HD condensed_rows<T> condensed_at(matrix_block_rows<T> const& of, T* base, int depth, std::int64_t count,
                                          std::int64_t span) {
    int const w = 2 * of.a.n;
    T* const rhs = base + count * 2 * w * w;
    return condensed_in(of, base, rhs, rhs + count * w * of.rhs_count, depth, span);
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

/// All levels of a chain solve: the rows of the matrix, condensed segments depth by depth, and the final Schur
/// complement. condensed_of(depth, number of segments, block rows of a segment, offset in elements) provides the
/// memory.
template <class T>
struct chain_levels {
    chain_level<T, matrix_block_rows<T>> rows;
    std::array<chain_level<T, condensed_rows<T>>, max_levels> condensed;
    final_complement<T> last;
    int depth = 0; ///< levels of condensed segments

    template <class CondensedOf>
    chain_levels(matrix_block_rows<T> const& block_rows, levels const& l, elimination<real_lane_t<T>> const& how,
                 int const* predicate, CondensedOf const& condensed_of) {
        int const n = block_rows.a.n, rhs_count = block_rows.rhs_count;
        condensed_rows<T> below{};
        for_each_level(l, n, rhs_count, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
            condensed_rows<T> const to = condensed_of(k, count, span, offset);
            if (k == 1)
                rows = {block_rows, to, l, rows_shape(l, n, rhs_count), how, count, predicate};
            else
                condensed[std::size_t(depth++)] = {below, to, l, condensed_shape(n, rhs_count), how, count, predicate};
            below = to;
        });
        last = {below, l, how, predicate};
    }
    /// Calls use(depth, level) for every level, from the rows of the matrix on, or in the reverse order.
    template <class Use>
    void upwards(Use const& use) const {
        use(0, rows);
        for (int k = 0; k < depth; ++k) use(k + 1, condensed[std::size_t(k)]);
    }
    template <class Use>
    void downwards(Use const& use) const {
        for (int k = depth - 1; k >= 0; --k) use(k + 1, condensed[std::size_t(k)]);
        use(0, rows);
    }
};

/// One chain solve of up to max_rhs columns.
template <class T, class Executor>
void solve_columns(Executor const& exec, matrix_block_rows<T> const& block_rows, elimination<real_lane_t<T>> const& how,
                   std::byte* condensed, std::byte* memory, int const* predicate) {
    if constexpr (std::is_same_v<Executor, host_executor>) {
        if (from_both_ends(exec, block_rows.a)) return solve_from_ends(exec, block_rows, how, memory, predicate);
        if (solves_separately(exec, block_rows.a)) {
            for (std::int64_t s = 0; s < block_rows.a.batch.systems; ++s)
                if (block_rows.a.batch.system(s).rows > 0)
                    solve_columns(exec, system_of(block_rows, s), how, condensed, memory, predicate);
            return;
        }
    }
    levels const l = levels_of(exec, block_rows.a);
    auto const reduce = [&](int, auto const& level) { run_job(exec, level.reduction(), memory); };
    auto const substitute = [&](int, auto const& level) { run_job(exec, level.substitution(), memory); };
    if (merges_in_one_kernel(exec, block_rows.a)) {
        auto const finest = finest_level(block_rows, l, how, condensed, predicate);
        reduce(0, finest);
        solve_condensed(exec, tree_job<T>(finest.condensed, l, how, predicate));
        return substitute(0, finest);
    }
    chain_levels<T> const all(
        block_rows, l, how, predicate, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
            return condensed_at(block_rows, reinterpret_cast<T*>(condensed) + offset, k, count, span);
        });
    all.upwards(reduce);
    run_job(exec, all.last, memory);
    all.downwards(substitute);
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
        bool const tridiagonal = a.lower_bands < 0 && a.block == 1;
        if (a.systems > 1 || reported || o.refinements > 0 || tridiagonal || a.size > band_ends<T>::max_small)
            return false;
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
