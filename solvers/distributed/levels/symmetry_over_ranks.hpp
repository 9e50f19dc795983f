// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Symmetry of a distributed matrix.
#pragma once

#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice::inline v0_1::distributed {

/// Whether a real matrix is symmetric up to rounding errors of an assembly, as asymmetry_of() measures them.
/// Collective; the same result on all ranks.
template <executor Executor, class T>
bool is_symmetric_over_ranks(Executor const& exec, rank_communicator const& comm,
                             distributed_csr<Executor, T> const& a);

} // namespace coppice::inline v0_1::distributed
