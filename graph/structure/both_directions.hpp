// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Undirected graph of a directed one, and the edges of positive weight.
#pragma once

#include <coppice/algebra/files/read_options.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/semiring/matrix_operations/elementwise.hpp>
#include <coppice/semiring/operators/binary_operators.hpp>

namespace coppice::inline v0_1 {

namespace graph_detail {
struct is_positive {
    template <class T>
    COPPICE_HD bool operator()(T const& value) const {
        return value > T(0);
    }
};
} // namespace graph_detail

/// Returns the union of A and A^T: every edge in both directions, with its sign, zeros and loops included. If both
/// directions are stored with different values, the smaller one is used if `rule` is duplicates::min, else the larger
/// one; an algorithm documents its rule in graph_algorithm_row::parallel. A is square with sorted rows without
/// duplicates (matrix_error). Throws overflow_error if the union exceeds the index type. (symmetrised_weights() makes
/// the input of factors and forests instead: magnitudes, without zeros.)
template <executor Executor, class T>
csr<T> both_directions(Executor const& exec, csr_view<T> a, duplicates rule = duplicates::max) {
    require_square(a, "both_directions");
    auto const reversed = transpose(exec, a);
    if (rule == duplicates::min) return ewise_add(exec, op::min<T>{}, a, reversed.view());
    return ewise_add(exec, op::max<T>{}, a, reversed.view());
}

/// Returns the edges of positive weight. parallel_factor(), greedy_factor() and b_matching() maximise the sum of
/// |a_ij|; on this graph they maximise the sum of a_ij and take no edge of negative weight.
template <executor Executor, class T>
csr<T> positive_edges(Executor const& exec, csr_view<T> a) {
    return select_entries(exec, graph_detail::is_positive{}, a);
}

#define COPPICE_BOTH_DIRECTIONS(EXTERN, EXECUTOR, T)                                                                   \
    EXTERN template csr<T> both_directions(EXECUTOR const&, csr_view<T>, duplicates);                                  \
    EXTERN template csr<T> positive_edges(EXECUTOR const&, csr_view<T>)
COPPICE_BOTH_DIRECTIONS(extern, host_executor, float);
COPPICE_BOTH_DIRECTIONS(extern, host_executor, double);
COPPICE_BOTH_DIRECTIONS(extern, cuda_executor, float);
COPPICE_BOTH_DIRECTIONS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
