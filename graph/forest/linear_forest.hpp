// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear forest of a [0, 2]-factor: opens its cycles, numbers the vertices along the paths, and extracts the
/// tridiagonal system of a matrix in that order (thesis, section 4.3.3).
#pragma once

#include <cstdint>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/graph/factor/factor_result.hpp>

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

/// Opens every cycle of a factor of degree 1 or 2 at its weakest edge and numbers the vertices along the paths.
///
/// `weights` are those from which the factor was computed. The weakest edge is the last one in the factor's total
/// order, so it is unique. O(N log(longest path)) time without sorting; waits for the executor. The forest depends on
/// factor and weights only. Throws dimension_error if the sizes differ, argument_error for a degree above 2.
template <executor Executor, class T, class I, class O>
linear_forest<I> extract_forest(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f);

namespace graph_detail {
/// extract_forest() for a factor from parallel_factor(), without validation.
template <executor Executor, class T, class I, class O>
linear_forest<I> forest_of_factor(Executor const& exec, csr_view<T, I, O> weights, graph_factor<I> const& f);
} // namespace graph_detail

/// Returns the tridiagonal part of A along the forest, in the order of the forest: row p belongs to vertex
/// permutation[p].
///
/// It has the diagonal of A and the coefficients a_ij and a_ji of neighbours on a path, so A need not be symmetric.
/// Couplings between different paths, and entries that A does not store, are zero. Duplicate entries of A are added.
/// One pass over A; queued on CUDA. Throws dimension_error if A is not N x N.
template <executor Executor, class T, class I, class O>
tridiagonal<T> extract_forest_system(Executor const& exec, csr_view<T, I, O> a, linear_forest<I> const& forest);

/// Writes the tridiagonal part to an existing system of N rows, with a plan for A: for new values on an old pattern.
template <executor Executor, class T, class I, class O>
void extract_forest_system(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
                           linear_forest<I> const& forest, tridiagonal<T>& system);

} // namespace coppice::inline v0_1

#include <coppice/graph/forest/forest_paths.hpp>
#include <coppice/graph/forest/forest_system.hpp>

namespace coppice::inline v0_1 {

#define COPPICE_LINEAR_FOREST(EXTERN, EXECUTOR, T, I)                                                                  \
    EXTERN template linear_forest<I> extract_forest(EXECUTOR const&, csr_view<T, I>, graph_factor<I> const&);          \
    EXTERN template linear_forest<I> graph_detail::forest_of_factor(EXECUTOR const&, csr_view<T, I>,                   \
                                                                    graph_factor<I> const&);                           \
    EXTERN template tridiagonal<T> extract_forest_system(EXECUTOR const&, csr_view<T, I>, linear_forest<I> const&);    \
    EXTERN template void extract_forest_system(EXECUTOR const&, srcsr_plan<I> const&, csr_view<T, I>,                  \
                                               linear_forest<I> const&, tridiagonal<T>&)
COPPICE_LINEAR_FOREST(extern, host_executor, float, std::int32_t);
COPPICE_LINEAR_FOREST(extern, host_executor, double, std::int32_t);
COPPICE_LINEAR_FOREST(extern, cuda_executor, float, std::int32_t);
COPPICE_LINEAR_FOREST(extern, cuda_executor, double, std::int32_t);

} // namespace coppice::inline v0_1
