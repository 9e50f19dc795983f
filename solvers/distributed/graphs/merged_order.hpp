// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Numbers of the vertices and outer vertices of a rank in the order of their global indices.
#pragma once

#include <cstddef>
#include <cstdint>

#include <coppice/algebra/rows/row_access.hpp>
#include <coppice/solvers/distributed/graphs/owned_graph.hpp>

namespace coppice::inline v0_1::distributed {

/// Numbers the vertices and outer vertices of a rank together, in the order of their global indices. Rows that are
/// sorted by these then are sorted by numbers too, and the vertices of the rank are the range [before, before + own).
struct merged_order {
    vertex_id before; ///< number of outer vertices before the vertices of the rank
    vertex_id own, first;
    vertex_id const* outer; ///< [outer_count] global indices, ascending
    vertex_id outer_count;

    COPPICE_HD vertex_id vertices() const { return own + outer_count; }
    COPPICE_HD vertex_id of_outer(vertex_id k) const { return k < before ? k : k + own; }
    COPPICE_HD vertex_id of_local(vertex_id v) const { return v < own ? before + v : of_outer(v - own); }
    COPPICE_HD bool is_own(vertex_id number) const { return number >= before && number < before + own; }
    /// Position among the outer vertices of one of them.
    COPPICE_HD vertex_id outer_position(vertex_id number) const { return number < before ? number : number - own; }
    COPPICE_HD vertex_id global(vertex_id number) const {
        return is_own(number) ? first + (number - before) : outer[outer_position(number)];
    }
    /// -1: neither a vertex of the rank nor an outer one.
    COPPICE_HD vertex_id of_global(vertex_id v) const {
        if (v >= first && v < first + own) return before + (v - first);
        vertex_id const k = coppice::detail::position_between(outer, vertex_id(0), outer_count, std::int64_t(v));
        return k < 0 ? k : of_outer(k);
    }
};
template <executor Executor>
merged_order order_of(owned_graph<Executor> const& graph) {
    auto const& plan = graph.halo_plan()->plan; // receives the outer vertices of earlier ranks first
    return {vertex_id(plan.receive_begin[std::size_t(graph.comm().rank())]), graph.own(), graph.first(),
            graph.outer_ids().data(), vertex_id(graph.outer_ids().size())};
}

} // namespace coppice::inline v0_1::distributed
