// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners over ranks whose factors are forests or forests of pairs: "mos" and "block-forest".
#pragma once

#include <coppice/solvers/distributed/forests/rank_preconditioner.hpp>
#include <coppice/solvers/precondition/one_level/forest_options.hpp>
#include <coppice/solvers/precondition/splitting/mixed_splitting.hpp>

namespace coppice::inline v0_1::distributed {

/// Computes z as mixed_splitting or block_forest_preconditioner for the whole matrix: the same forests and pairs, and
/// the same factors up to rounding errors of the row sums (distributed_splitting.hpp). Collective.
///
/// Every path of a factor is on one rank (rank_factor.hpp), also if it is long: one path through all vertices is solved
/// by one rank.
template <executor Executor, class T>
class distributed_factors : public rank_preconditioner<Executor, T> {
public:
    /// mixed_splitting. Throws argument_error for options out of range, a factor_kind::bands, a threshold other than 0,
    /// and on CUDA other pivoting than partial and scaled; matrix_error, on this rank, for duplicates and values that
    /// are not finite.
    distributed_factors(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                        mixed_options const& options);
    /// block_forest_preconditioner. Throws as above.
    distributed_factors(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                        forest_options const& options);

private:
    struct state;
};

COPPICE_DECLARE_RANK_PRECONDITIONER(distributed_factors)

} // namespace coppice::inline v0_1::distributed
