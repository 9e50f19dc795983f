// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear forest of a [0, 2]-factor: opens its cycles, numbers the vertices along the paths, and extracts the
/// tridiagonal system of a matrix in that order (thesis, section 4.3.3).
#pragma once

#include <cstdint>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/graph/factor/factor_result.hpp>
#include <coppice/graph/forest/linear_forest_result.hpp>

namespace coppice::inline v0_1 {

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
