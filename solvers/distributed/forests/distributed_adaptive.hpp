// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The adaptive multiplicative splitting over ranks: "mos-a".
#pragma once

#include <memory>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>
#include <coppice/solvers/precondition/interface/preconditioner_row.hpp>
#include <coppice/solvers/precondition/splitting/adaptive_splitting.hpp>

namespace coppice::inline v0_1::distributed {

/// Computes z as adaptive_splitting for the whole matrix: the same forests and factors up to rounding errors, which may
/// exchange selected entries of a row that are equal to 16 bits. Collective.
///
/// Each rank has its rows of B_l, and fetches the ratios of the inverse of M_l at the positions of their columns and in
/// windows around them (rank_windows.hpp). The patterns are made on the host.
template <executor Executor, class T>
class distributed_adaptive {
public:
    /// Throws the errors of adaptive_splitting, and argument_error for options that distributed_rpts does not accept.
    distributed_adaptive(Executor const& exec, rank_communicator const& comm, distributed_csr<Executor, T> const& a,
                         adaptive_options const& options);
    distributed_adaptive(distributed_adaptive&&) noexcept;
    distributed_adaptive& operator=(distributed_adaptive&&) noexcept;
    ~distributed_adaptive();

    /// r[size] and z[size] are the blocks of this rank, in the order of the rows of A. `exec` is the executor of the
    /// constructor.
    void apply(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// The transpose of apply(). Allocates and waits.
    void apply_transpose(Executor const& exec, array_view<T const> r, array_view<T> z) const;
    /// Reads the values of a matrix with the pattern of the first one, with the forests and patterns of the first one;
    /// as distributed_splitting::refresh().
    void refresh(Executor const& exec, distributed_csr<Executor, T> const& a);
    /// Needs the rows of all ranks: throws argument_error.
    void refresh(Executor const& exec, csr_view<T> own_block);
    bool replayable() const;
    int factors() const;
    /// As of adaptive_splitting; equal on all ranks except for the times.
    std::vector<finding> findings() const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

#define COPPICE_DISTRIBUTED_ADAPTIVE(EXTERN, EXECUTOR, T) EXTERN template class distributed_adaptive<EXECUTOR, T>;
COPPICE_DISTRIBUTED_ADAPTIVE(extern, host_executor, float)
COPPICE_DISTRIBUTED_ADAPTIVE(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_DISTRIBUTED_ADAPTIVE(extern, cuda_executor, float)
COPPICE_DISTRIBUTED_ADAPTIVE(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1::distributed
