// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners over ranks whose factors are forests or forests of pairs: "mos" and "block-forest".
#pragma once

#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/one_level/forest_options.hpp>
#include <coppice/solvers/precondition/splitting/mixed_splitting.hpp>

namespace coppice::inline v0_1::distributed {

/// Computes z as mixed_splitting or block_forest_preconditioner for the whole matrix: the same forests and pairs, and
/// the same factors up to rounding errors of the row sums (distributed_splitting.hpp). Collective.
///
/// Every path of a factor is on one rank (rank_factor.hpp), also if it is long: one path through all vertices is solved
/// by one rank.
template <executor Executor, class T>
class distributed_factors {
public:
    /// mixed_splitting. Throws argument_error for options out of range, a factor_kind::bands, a threshold other than 0,
    /// and on CUDA other pivoting than partial and scaled; matrix_error, on this rank, for duplicates and values that
    /// are not finite.
    distributed_factors(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                        mixed_options const& options);
    /// block_forest_preconditioner. Throws as above.
    distributed_factors(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                        forest_options const& options);
    distributed_factors(distributed_factors&&) noexcept;
    distributed_factors& operator=(distributed_factors&&) noexcept;
    ~distributed_factors();

    /// r[size] and z[size] are the blocks of this rank, in the order of the rows of A. `exec` is the executor of the
    /// constructor.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// The transpose of apply(). Allocates and waits.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// Reads the values of a matrix with the pattern of the first one; as distributed_splitting::refresh().
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a);
    /// Needs the rows of all ranks: throws argument_error.
    void refresh(Executor const& exec, csr_view<T> own_block);
    bool replayable() const;
    int factors() const;
    /// As of the class of one rank; equal on all ranks except for the times.
    std::vector<finding> findings() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

#define COPPICE_DISTRIBUTED_FACTORS(EXTERN, EXECUTOR, T) EXTERN template class distributed_factors<EXECUTOR, T>;
COPPICE_DISTRIBUTED_FACTORS(extern, host_executor, float)
COPPICE_DISTRIBUTED_FACTORS(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_FACTORS(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_FACTORS(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1::distributed
