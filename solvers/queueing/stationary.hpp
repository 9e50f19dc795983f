// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stationary distributions of Markov chains whose matrix is block-tridiagonal, by HBISA and aggregation.
#pragma once

#include <cstdint>
#include <string_view>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/executor.hpp>

namespace coppice {

struct stationary_options {
    std::int64_t block = 0; ///< rows of a block, 1 to those of the matrix; 0: found
    double tolerance =
        1e-13; ///< of each block: max |A x| / max (a_ii x_i), over its rows; >= 0, taken as 16 eps at least
    std::int64_t max_iterations = 10000;
};

/// Why the iterations ended.
enum class stationary_reason { converged, max_iterations, stagnated, not_finite };
std::string_view to_string(stationary_reason reason);

struct stationary_result {
    std::int64_t iterations = 0;
    bool converged = false;
    stationary_reason reason = stationary_reason::max_iterations;
    double residual = 0; ///< that the tolerance is meant for, before the last iteration
};

/// x >= 0 with A x = 0 and sum 1, for A = -Q^T with the generator Q of an irreducible chain: non-positive beside the
/// diagonal, columns that sum to zero, as queue_matrix() makes it. (pi = pi P of Yang, Li and Li 2017, Eq. 9, is this
/// with A = I - P^T.)
///
/// The sweeps of HBISA converge slowly here, those of block Jacobi not at all: the spectral radius is 1. So each sweep
/// over the even and the odd blocks (Eq. 7) is followed by an exact solution for the chain of the blocks (Koury,
/// McAllister and Stewart 1984, Takahashi 1975), which is a birth and death process: its masses are products of ratios,
/// kept as logarithms. Within a block the distribution is kept with sum 1, and the blocks are eliminated without a
/// subtraction. So nothing underflows before the end, and the probabilities of unlikely states have as many digits as
/// those of the likely ones.
///
/// x[n] in memory of `exec` is written only. All iterations where the data lives; waits for the end. The same bits for
/// any number of threads. Throws what to_block_hybrid() throws for tridiagonal diagonal blocks, matrix_error where a
/// column does not sum to zero within the root of the precision, an entry beside the diagonal is positive, the diagonal
/// is not, or a block is never left, argument_error for options outside their range. A chain of one block is cut into
/// states.
template <executor Executor, class T>
stationary_result stationary_distribution(Executor const& exec, csr_view<T> a, array_view<T> x,
                                          stationary_options const& options = {});

} // namespace coppice
