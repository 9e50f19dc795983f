// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A solve by the chain: units to links, links to unknowns, unknowns of the units.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <coppice/solvers/direct/solve/band_levels.hpp>
#include <coppice/solvers/direct/solve/band_plan.hpp>

namespace coppice::chain {

/// All links of the chain in stages, from those of the finest on.
template <class T, class Executor, class LinksAt>
void solve_stages(Executor const& exec, link_units<T> const& finest, levels const& l,
                  elimination<real_lane_t<T>> const& how, LinksAt const& links_at, std::byte* memory, int const* gate) {
    using coarse = stage<T, link_units<T>>;
    std::array<coarse, most_stages> stages;
    int depth = 0;
    for_each_stage(l, finest.a.n, finest.sides, [&](int k, std::int64_t count, std::int64_t span, std::int64_t offset) {
        if (k == 1) return;
        link_units<T> const& from = depth == 0 ? finest : stages[std::size_t(depth - 1)].links;
        stages[std::size_t(depth++)] = {
            from, links_at(k, count, span, offset), l, links_shape(finest.a.n, finest.sides), how, count, gate};
    });
    for (int k = 0; k < depth; ++k) reduce(exec, stages[std::size_t(k)], memory);
    close(exec, closing<T>{depth == 0 ? finest : stages[std::size_t(depth - 1)].links, l, how, gate}, memory);
    for (int k = depth - 1; k >= 0; --k) substitute(exec, stages[std::size_t(k)], memory);
}

/// One chain solve of up to most_sides columns.
template <class T, class Executor>
void solve_columns(Executor const& exec, row_units<T> const& units, elimination<real_lane_t<T>> const& how,
                   std::byte* links, std::byte* memory, int const* gate) {
    if (from_both_ends(exec, units.a)) return solve_from_ends(exec, units, how, memory, gate);
    int const n = units.a.n, w = 2 * n, sides = units.sides;
    levels const l = levels_of(exec, units.a);
    auto* const base = reinterpret_cast<T*>(links);
    auto const links_at = [&](int depth, std::int64_t count, std::int64_t span, std::int64_t offset) {
        T *const at = base + offset, *const rhs = at + count * 2 * w * w, *const behind = rhs + count * w * sides;
        return link_units<T>{at,   rhs,           reinterpret_cast<real_lane_t<T>*>(behind), depth, w, sides, units.a,
                             span, units.singular};
    };
    std::int64_t const count = l.total(1);
    stage<T, row_units<T>> const finest{
        units, links_at(1, count, l.length(), 0), l, rows_shape(l, n, sides), how, count, gate};
    reduce(exec, finest, memory);
    if (joins_links(exec, units.a))
        solve_links(exec, tree_job<T>(finest.links, l, how, gate));
    else
        solve_stages(exec, finest.links, l, how, links_at, memory, gate);
    substitute(exec, finest, memory);
}

/// A chain solve of all columns, as many at a time as the launcher takes.
template <class T, class Executor>
void solve_by_chain(Executor const& exec, matrix_rows<T> const& a, columns_view<T const> d, columns_view<T> x,
                    band_options const& o, std::byte* space, workspace_plan const& plan, std::int64_t* singular,
                    int const* gate) {
    using real = real_lane_t<T>;
    elimination<real> const how{real(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
    int const most = sides_at_once(exec, a);
    for (std::int64_t c = 0; c < x.columns; c += most) {
        int const sides = int(std::min<std::int64_t>(most, x.columns - c));
        row_units<T> const units{
            a, d.pointer + c * d.leading, x.pointer + c * x.leading, d.leading, x.leading, sides, singular};
        solve_columns(exec, units, how, space + plan.links, space + plan.launch, gate);
    }
}

/// Whether nothing is done but the elimination of a matrix that is its own middle (band_ends): there is nothing to
/// plan, and no workspace.
template <class T, class Executor>
bool only_a_middle(Executor const& exec, band_matrix<T> const& a, band_options const& o, bool reported) {
    if constexpr (std::is_floating_point_v<T>)
        return !reported && o.refinements == 0 && a.lower_bands >= 0 && a.size <= band_ends<T>::most_small &&
               from_both_ends(exec, rows_of(a, o));
    else
        return false;
}
/// Solves such a matrix.
template <class T, class Executor>
void solve_a_middle(Executor const& exec, band_matrix<T> const& a, columns_view<T const> d, columns_view<T> x,
                    band_options const& o) {
    if constexpr (std::is_floating_point_v<T>)
        solve_by_chain(exec, rows_of(a, o), d, x, o, nullptr, {}, nullptr, nullptr);
}

} // namespace coppice::chain
