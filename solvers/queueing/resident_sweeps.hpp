// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// HBISA sweeps that keep systems on chip from the first iteration to the last.
#pragma once

#include <cstdint>

#include <coppice/algebra/block_hybrid.hpp>
#include <coppice/solvers/queueing/resident_job.hpp>

namespace coppice::inline v0_1::detail {

/// A packed copy of the matrix for teams, one team for each system, which execute all iterations in one kernel.
///
/// On-chip sweeps are used if the diagonal blocks are tridiagonal and partial pivoting exchanges no rows in them, if no
/// system is coupled to another, and if the memory of a member can hold its slice of four vectors. Of teams with 1, 2,
/// 4, 8 and 16 members the first is chosen whose memory can also hold the blocks and the couplings; else the first that
/// can hold the blocks (couplings are then read from global memory); else the first that can hold the vectors. On the
/// host a team is one thread, whose memory must hold everything.
template <executor Executor, class T>
class resident_sweeps {
public:
    resident_sweeps() = default;
    /// `bytes`: maximum memory of a member; -1: as much as possible, 0: none. `halves`: 2 for Gauss-Seidel. Waits for
    /// the device.
    template <class I>
    resident_sweeps(Executor const& exec, block_hybrid<T, I> const& a, std::int64_t systems, int halves,
                    std::int64_t bytes);

    /// Replaces the values; the pattern stays the same. Waits for the device.
    template <class I>
    void refresh(Executor const& exec, block_hybrid<T, I> const& a);

    /// Number of members of a team; 0 if on-chip sweeps cannot be used.
    int members() const { return usable_ ? job_.layout.members : 0; }

    /// As hbisa::solve(), but without the analysis of systems that do not converge. Neither allocates nor waits.
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
    mutable buffer<std::byte> workspace_{};
};

} // namespace coppice::inline v0_1::detail
