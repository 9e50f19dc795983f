// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The algebraic tridiagonal preconditioner over ranks: the paths of its linear forest cross partition boundaries.
#pragma once

#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
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
class distributed_forest {
public:
    /// Throws argument_error for options that distributed_rpts does not accept, and the errors of parallel_factor();
    /// matrix_error, on this rank, for duplicates and values that are not finite.
    distributed_forest(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                       forest_options const& options = {});
    distributed_forest(distributed_forest&&) noexcept;
    distributed_forest& operator=(distributed_forest&&) noexcept;
    ~distributed_forest();

    /// r[size] and z[size] are the blocks of this rank, in the order of the rows of A. `exec` is the executor of the
    /// constructor.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// z = P^T T^-T P r. Allocates and waits.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// Reads the coefficients of a matrix with the pattern of the first one. The forest and all plans are reused; the
    /// result has the bits of a new preconditioner with this forest. Collective. Throws refused_refresh on all ranks,
    /// before any change, for another pattern and for values that are not finite.
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a);
    /// Needs the rows of all ranks: throws argument_error.
    void refresh(Executor const& exec, csr_view<T> own_block);
    bool replayable() const;
    bool divides_paths() const; ///< whether a path may have rows of several ranks
    /// As of forest_preconditioner; equal on all ranks except for the times.
    std::vector<finding> findings() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

#define COPPICE_DISTRIBUTED_FOREST(EXTERN, EXECUTOR, T) EXTERN template class distributed_forest<EXECUTOR, T>;
COPPICE_DISTRIBUTED_FOREST(extern, host_executor, float)
COPPICE_DISTRIBUTED_FOREST(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_FOREST(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_FOREST(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1::distributed
