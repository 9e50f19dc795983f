// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Sweeps of HBISA that keep systems on chip from the first iteration to the last.
#pragma once

#include <cstdint>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/solvers/queueing/resident_job.hpp>

namespace coppice::detail {

/// A packed copy of the matrix for teams, one a system, which run all iterations in one kernel.
///
/// The rule: diagonal blocks are tridiagonal and partial pivoting exchanges no rows in them, no system is coupled to
/// another, and in the memory of a member there is room for its share of four vectors. Of teams of 1, 2, 4, 8 and 16
/// members the first is taken that also has room for the blocks and the couplings; else the first with room for the
/// blocks, and the couplings are read where they lie; else the first with room for the vectors. On the host a team is a
/// thread, and has room for all or for nothing.
template <executor Executor, class T>
class resident_sweeps {
public:
    resident_sweeps() = default;
    /// `bytes` of memory that a member may take; -1: all that there are, 0: none. `halves`: 2 for Gauss-Seidel. Waits.
    template <class I>
    resident_sweeps(Executor const& exec, block_hybrid<T, I> const& a, std::int64_t systems, int halves,
                    std::int64_t bytes);

    /// New values on the same pattern. Waits.
    template <class I>
    void refresh(Executor const& exec, block_hybrid<T, I> const& a);

    /// Members of a team; 0 where the rule is not met.
    int members() const { return usable_ ? job_.places.members : 0; }

    /// As hbisa::solve(), but for what it says of systems that do not converge. Neither allocates nor waits.
    void run(Executor const& exec, T const* b, T* x, double tolerance, std::int64_t limit, hbisa_state* states) const;

private:
    template <class I>
    bool choose(Executor const& exec, block_hybrid<T, I> const& a, std::int64_t bytes);

    resident_job<T> job_{};
    int threads_ = 1;
    bool planned_ = false, usable_ = false;
    buffer<T> bands_{}, values_{}; ///< bands: lower, diagonal, upper, inverse pivots
    buffer<std::int32_t> offsets_{};
    buffer<resident_column> columns_{};
    mutable buffer<std::byte> room_{};
};

} // namespace coppice::detail
