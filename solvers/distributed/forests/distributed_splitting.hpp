// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners made of several linear forests over ranks: the paths cross partition boundaries.
#pragma once

#include <coppice/graph/forest/grid_lines.hpp>
#include <coppice/solvers/distributed/forests/rank_preconditioner.hpp>
#include <coppice/solvers/precondition/splitting/splitting_options.hpp>

namespace coppice::inline v0_1::distributed {

enum class splitting_kind {
    inner, ///< inner_alternation: "alt-i", and "adi" for the lines of a grid
    outer, ///< outer_alternation: "alt-o"
    direct ///< direct_splitting: "mos-d"
};

/// Computes z as the class of one rank that splitting_kind names, for the whole matrix: the same forests, and the same
/// tridiagonal factors up to rounding errors of the row sums. (The sums decide the weights, which are rounded to 16
/// bits; so other forests are possible, but need a weight at the limit of two roundings.) Collective.
///
/// Each factor is distributed in the order of its forest (path_system.hpp), and fetches its right-hand side and its
/// solution. "inner" stores a copy of A for the products between two factors. The factors of "direct" fetch their
/// right-hand sides from the solutions of the factors before: m + 1 exchanges.
template <executor Executor, class T>
class distributed_splitting : public rank_preconditioner<Executor, T> {
public:
    /// Throws argument_error for options out of range and those that distributed_rpts does not accept; matrix_error, on
    /// this rank, for duplicates and values that are not finite.
    distributed_splitting(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                          splitting_kind kind, splitting_options const& options);
    /// splitting_kind::inner along the lines of a grid. Throws dimension_error, on all ranks, if the number of grid
    /// points differs from the number of rows, otherwise as above.
    distributed_splitting(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                          grid_sizes const& grid, tridiagonal_options const& options);

private:
    struct state;
};

COPPICE_DECLARE_RANK_PRECONDITIONER(distributed_splitting)

} // namespace coppice::inline v0_1::distributed
