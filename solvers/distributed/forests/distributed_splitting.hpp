// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Preconditioners made of several linear forests over ranks: the paths cross partition boundaries.
#pragma once

#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/graph/forest/grid_lines.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
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
class distributed_splitting {
public:
    /// Throws argument_error for options out of range and those that distributed_rpts does not accept; matrix_error, on
    /// this rank, for duplicates and values that are not finite.
    distributed_splitting(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                          splitting_kind kind, splitting_options const& options);
    /// splitting_kind::inner along the lines of a grid. Throws dimension_error, on all ranks, if the number of grid
    /// points differs from the number of rows, otherwise as above.
    distributed_splitting(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                          grid_sizes const& grid, tridiagonal_options const& options);
    distributed_splitting(distributed_splitting&&) noexcept;
    distributed_splitting& operator=(distributed_splitting&&) noexcept;
    ~distributed_splitting();

    /// r[size] and z[size] are the blocks of this rank, in the order of the rows of A. `exec` is the executor of the
    /// constructor.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// The transpose of apply(); of "outer" only unless it varies(). Allocates and waits.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// Reads the values of a matrix with the pattern of the first one. The forests and all plans are reused; the result
    /// has the bits of a new preconditioner with these forests. Collective. Throws refused_refresh on all ranks, before
    /// any change, for another pattern and for values that are not finite.
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a);
    /// Needs the rows of all ranks: throws argument_error.
    void refresh(Executor const& exec, csr_view<T> own_block);
    bool replayable() const;
    bool varies() const;      ///< "outer" with several factors
    void begin_solve() const; ///< the next call of "outer" uses the first factor
    int factors() const;
    /// As of the class of one rank; equal on all ranks except for the times.
    std::vector<finding> findings() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

#define COPPICE_DISTRIBUTED_SPLITTING(EXTERN, EXECUTOR, T) EXTERN template class distributed_splitting<EXECUTOR, T>;
COPPICE_DISTRIBUTED_SPLITTING(extern, host_executor, float)
COPPICE_DISTRIBUTED_SPLITTING(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_SPLITTING(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_SPLITTING(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1::distributed
