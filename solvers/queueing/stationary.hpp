// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stationary distributions of quasi-birth-death (QBD) Markov chains, whose matrix is block-tridiagonal, by HBISA and
/// aggregation.
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

struct stationary_options {
    std::int64_t block = 0; ///< rows of a block, between 1 and the rows of the matrix; 0: determined automatically
    double tolerance =
        1e-13; ///< bound of max |A x| / max (a_ii x_i) over the rows of each block; >= 0, and at least 16 eps is used
    std::int64_t max_iterations = 10000;
};

/// Why the iterations ended.
enum class stationary_reason { converged, max_iterations, stagnated, not_finite };
std::string_view to_string(stationary_reason reason);

struct stationary_result {
    std::int64_t iterations = 0;
    bool converged = false;
    stationary_reason reason = stationary_reason::max_iterations;
    double residual =
        0; ///< maximum over the blocks of the quantity that the tolerance bounds, before the last iteration
};

/// Computes x >= 0 with A x = 0 and sum 1, for A = -Q^T with the generator Q of an irreducible chain: off-diagonal
/// entries are non-positive and columns sum to zero, as in queue_matrix(). (pi = pi P of Yang, Li and Li 2017, Eq. 9,
/// is the case A = I - P^T.)
///
/// For such matrices Gauss-Seidel sweeps of HBISA converge slowly, and block Jacobi sweeps not at all, since the
/// spectral radius is 1. So each sweep over the even and the odd blocks (Eq. 7) is followed by an exact solution of the
/// aggregated chain of the blocks (Koury, McAllister and Stewart 1984, Takahashi 1975), a birth-death process: the
/// masses of the blocks are products of ratios, stored as logarithms. The distribution within each block has sum 1, and
/// blocks are eliminated without subtractions. Therefore intermediate values do not underflow, and the probabilities of
/// unlikely states are as accurate as those of likely ones.
///
/// x[n] in memory of `exec` is only written. All iterations, including the stopping test, are executed in the memory
/// space of the data; the call waits for their end. Deterministic for any number of threads. Throws the errors of
/// to_block_hybrid() for tridiagonal diagonal blocks; matrix_error if a column sum exceeds the square root of the
/// precision relative to the diagonal, if an off-diagonal entry is positive, if a diagonal entry is not positive, or if
/// a block has no transition to another block; argument_error for options outside their range. A chain of one block is
/// split into blocks of one state.
template <executor Executor, class T>
stationary_result stationary_distribution(Executor const& exec, csr_view<T> a, array_view<T> x,
                                          stationary_options const& options = {});

} // namespace coppice::inline v0_1
