// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Batches of small tridiagonal systems, solved by the classical algorithms; for comparison, and for matrices that need
/// no pivoting. docs/guide/classical.md has the equations.
#pragma once

#include <type_traits>

#include <coppice/algebra/tridiagonal.hpp>
#include <coppice/solvers/compare/classical_methods.hpp>

namespace coppice::inline v0_1 {

using classical_algorithm = classical::algorithm;

struct classical_options {
    classical_algorithm algorithm = classical_algorithm::cr_pcr;
    int intermediate = 128; ///< number of equations at which the hybrid methods end the cyclic reduction; at least 1
    int partition = 8;      ///< rows of a partition, or of a group of a linear recurrence; at least 1
};

/// Solves `systems` systems of a.size() / systems equations each, stored one after the other; x may be d. Coefficients
/// that couple different systems are ignored. Only spike, parallel_diagonal, adaptive_cr and g_spike pivot; the other
/// methods are suitable for diagonally dominant and for symmetric positive definite matrices. Recursive doubling, cf_lu
/// and redundant_reduction overflow even for these, from about 40 (float) or 300 (double) equations on; the scaled
/// forms do not. On CUDA each system is solved by one block and must fit into its shared memory, and the call returns
/// before the work is done. Systems with 16384 or more equations, or too large for shared memory, are solved by the
/// whole executor with spike, spike_thomas (solve_spike, with its own partitions), parallel_diagonal and cf_lu
/// (look_back_scan). Throws dimension_error or argument_error before anything is written.
template <class T, executor Executor>
void solve_classical(Executor const& exec, tridiagonal_view<T> a, std::int64_t systems,
                     array_view<std::type_identity_t<T> const> d, array_view<std::type_identity_t<T>> x,
                     classical_options options = {});

} // namespace coppice::inline v0_1
