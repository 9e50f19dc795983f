// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Result of the linear forest algorithms: disjoint paths and the numbering of the vertices along them.
#pragma once

#include <cstdint>

#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Disjoint paths that cover all vertices (an isolated vertex is a path of length one), and the numbering along them.
///
/// Path k has the positions [path_offsets[k], path_offsets[k + 1]) of the permutation, from its smaller end vertex to
/// its larger one. Paths are ordered by their smaller end vertices. Move-only; in the memory of its executor.
template <class I>
struct linear_forest {
    I vertices = 0; ///< N
    I paths = 0;
    I longest_path = 0;         ///< number of vertices of the longest path
    I cycles_broken = 0;        ///< number of opened cycles; each is opened at its last edge in the total order
    std::int64_t edges = 0;     ///< N - paths
    double weight = 0;          ///< sum of |w| over the edges of the forest; the mean if the two directions differ
    double weight_coverage = 1; ///< weight / sum of |w| over all edges of the graph (Eq. 23); 1 without edges
    buffer<I> path_ids{};       ///< [N] smaller end vertex of the path of each vertex
    buffer<I> positions{};      ///< [N] number of vertices between path_ids[v] and v: 0 at the smaller end
    buffer<I> permutation{};    ///< [N] permutation[p] = vertex at position p of the new order
    buffer<I> inverse{};        ///< [N] inverse[permutation[p]] = p
    buffer<I> path_offsets{};   ///< [paths + 1]
    buffer<I> links{};          ///< [2N] vertices before and after v on its path in 2v and 2v + 1, or -1
};

template <executor Executor, class I>
linear_forest<I> copy_of(Executor const& exec, linear_forest<I> const& f) {
    return {f.vertices,
            f.paths,
            f.longest_path,
            f.cycles_broken,
            f.edges,
            f.weight,
            f.weight_coverage,
            copy_of(exec, f.path_ids),
            copy_of(exec, f.positions),
            copy_of(exec, f.permutation),
            copy_of(exec, f.inverse),
            copy_of(exec, f.path_offsets),
            copy_of(exec, f.links)};
}

} // namespace coppice::inline v0_1
