// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The workspace of solve_bands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <coppice/core/workspace_layout.hpp>
#include <coppice/solvers/direct/error/band_condition.hpp>
#include <coppice/solvers/direct/error/band_error.hpp>
#include <coppice/solvers/direct/solve/band_levels.hpp>
#include <coppice/solvers/direct/solve/by_rpts.hpp>

namespace coppice::chain {

/// Memory of a chain solve, in the workspace.
struct chain_memory {
    std::byte *links = nullptr, *launch = nullptr;
};

/// Where everything lies in the workspace; one function for sizing and carving.
struct workspace_plan : workspace_layout {
    std::int64_t links = 0, links_bytes = 0; ///< also the workspace of rpts, which comes first
    std::int64_t launch = 0, launch_bytes = 0;
    std::int64_t parts = 0, inaccurate = 0, singular = 0, next = 0, uneven = 0, flags = 0; ///< of verdict_memory
    std::int64_t residual = 0, residual_bytes = 0;
    std::int64_t vectors = 0, climbs = 0, norms = 0, conditions = 0, singular_of_condition = 0,
                 climbing = 0; ///< of condition_memory

    chain_memory chain_in(std::byte* space) const { return {space + links, space + launch}; }

    void take_links(std::int64_t size) { links = take(links_bytes = size); }
    void take_launch(std::int64_t size) { launch = take(launch_bytes = size); }
    void take_residual(std::int64_t size) { residual = take(residual_bytes = size); }
    void take_verdicts(std::int64_t systems, std::int64_t columns) {
        parts = take(systems * columns * std::int64_t(sizeof(error_parts)));
        inaccurate = take(systems * columns);
        singular = take(systems * 8);
        next = take(systems * std::int64_t(sizeof(int)));
        uneven = take(2 * systems * std::int64_t(sizeof(int)));
        flags = take(try_flags * std::int64_t(sizeof(int)));
    }
    void take_condition(std::int64_t systems, std::int64_t vector_bytes) {
        vectors = take(condition_starts * vector_bytes);
        climbs = take(systems * condition_starts * std::int64_t(sizeof(climb_state)));
        norms = take(systems * 8);
        conditions = take(systems * 8);
        singular_of_condition = take(systems * 8);
        climbing = take(8);
    }
};

/// What the chain needs for `sides` columns at once, or rpts for all, whichever is more.
template <class T, class Executor>
void plan_solvers(workspace_plan& plan, Executor const& exec, band_matrix<T> const& a, std::int64_t columns, int sides,
                  band_options const& o, bool reported) {
    using lane = lane_of_t<T>;
    auto const rows = rows_of(a, o);
    bool const ends = from_both_ends(exec, rows);
    std::int64_t const links = ends ? 0 : link_elements(exec, rows, sides) * std::int64_t(sizeof(T));
    plan.take_links(starts_with_rpts(exec, a, o, reported) ? std::max(links, rpts_bytes(exec, a, columns, o.cyclic))
                                                           : links);
    plan.take_launch(ends ? ends_bytes(rows, sides)
                          : launch_bytes<lane>(exec, rows_shape(levels_of(rows.batch), a.block, sides),
                                               links_shape(a.block, sides)));
}

template <class T, class Executor>
workspace_plan plan_workspace(Executor const& exec, band_matrix<T> const& a, std::int64_t columns,
                              band_options const& o, bool reported) {
    workspace_plan plan;
    if (only_rpts(exec, a, o, reported)) {
        plan.take_links(rpts_bytes(exec, a, columns, o.cyclic));
        return plan;
    }
    bool const estimated = reported && o.condition;
    bool const watched = watches_rpts(exec, a, o, reported);
    bool const refined = watched || o.refinements > 0 || (reported && o.method == band_method::automatic);
    std::int64_t const least = estimated ? condition_starts : 1, unit = sizeof(T);
    plan_solvers(plan, exec, a, columns, int(std::clamp<std::int64_t>(columns, least, most_sides)), o, reported);
    if (reported || watched) plan.take_verdicts(a.systems, columns);
    if (refined) plan.take_residual(a.size * columns * unit);
    if (estimated) plan.take_condition(a.systems, a.size * unit);
    return plan;
}

} // namespace coppice::chain
