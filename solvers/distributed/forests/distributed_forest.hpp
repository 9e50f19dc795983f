// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The algebraic tridiagonal preconditioner over ranks: the paths of its linear forest cross partition boundaries.
#pragma once

#include <coppice/solvers/distributed/forests/rank_preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/forest_options.hpp>

namespace coppice::inline v0_1::distributed {

/// Computes z = P^T T^-1 P r as forest_preconditioner does for the whole matrix: the same forest, bit for bit, and the
/// same tridiagonal matrix T; the solutions differ by rounding errors. Collective.
///
/// The rows of T are distributed in the order of the forest (path_system.hpp). apply() fetches r in this order from its
/// owners, solves and fetches z from the owners of the positions. On devices with NCCL nothing waits for the host.
///
/// If T has rows that are not diagonally dominant, it is regularised during set-up and refresh, for which every path is
/// on one rank, which needs memory for it.
template <executor Executor, class T>
class distributed_forest : public rank_preconditioner<Executor, T> {
public:
    /// Throws argument_error for options that distributed_rpts does not accept, and the errors of parallel_factor();
    /// matrix_error, on this rank, for duplicates and values that are not finite.
    distributed_forest(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                       forest_options const& options = {});
    bool divides_paths() const; ///< whether a path may have rows of several ranks

private:
    struct state;
};

COPPICE_DECLARE_RANK_PRECONDITIONER(distributed_forest)

} // namespace coppice::inline v0_1::distributed
