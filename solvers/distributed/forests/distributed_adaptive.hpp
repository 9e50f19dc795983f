// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The adaptive multiplicative splitting over ranks: "mos-a".
#pragma once

#include <coppice/solvers/distributed/forests/rank_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/adaptive_splitting.hpp>

namespace coppice::inline v0_1::distributed {

/// Computes z as adaptive_splitting for the whole matrix: the same forests and factors up to rounding errors, which may
/// exchange selected entries of a row that are equal to 16 bits. Collective.
///
/// Each rank has its rows of B_l, and fetches the ratios of the inverse of M_l at the positions of their columns and in
/// windows around them (rank_windows.hpp). The patterns are made on the host.
template <executor Executor, class T>
class distributed_adaptive : public rank_preconditioner<Executor, T> {
public:
    /// Throws the errors of adaptive_splitting, and argument_error for options that distributed_rpts does not accept.
    distributed_adaptive(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                         adaptive_options const& options);

private:
    struct state;
};

COPPICE_DECLARE_RANK_PRECONDITIONER(distributed_adaptive)

} // namespace coppice::inline v0_1::distributed
