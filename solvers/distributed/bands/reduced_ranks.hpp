// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Distributed tridiagonal systems by RPTS (Recursive Partitioned Tridiagonal Schur complement): each rank reduces its
/// rows as one executor does (rpts_ranks.hpp), the remaining coarse rows of all ranks are gathered and solved by every
/// rank, and each rank substitutes back. So the time on P devices is little more than 1 / P of that on one device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include <coppice/core/multi_executor.hpp>
#include <coppice/solvers/direct/interface/band_solver.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// The neighbours of a rank among the ranks that have rows.
struct rank_neighbours {
    int before = -1, after = -1; ///< neighbouring ranks; -1: none
    std::int64_t max_rows = 0;   ///< of any rank
    std::vector<std::int64_t> rows_of_ranks;
    rank_neighbours(std::vector<std::int64_t> const& rows, int rank) : rows_of_ranks(rows) {
        for (int p = 0; p < int(rows.size()); ++p) {
            if (rows[std::size_t(p)] == 0) continue;
            max_rows = std::max(max_rows, rows[std::size_t(p)]);
            if (p < rank) before = p;
            if (p > rank && after < 0) after = p;
        }
    }
};

} // namespace distributed

namespace rpts {
template <class T>
struct rank_levels;
} // namespace rpts

/// The rows of one rank of a tridiagonal system and the workspace, at most 8 % of the memory of the bands and the
/// right-hand side. Collective: all ranks construct it and call its members in the same order.
///
/// a.lower[0] couples with the last row of the ranks before, a.upper[n - 1] with the first row of the ranks after; they
/// are ignored at the ends of the whole matrix. A rank may have no rows. Does not check its results;
/// solve_tridiagonal_distributed does.
template <class T, executor Executor, communicator Messages = rank_communicator>
class distributed_rpts {
    static_assert(std::is_floating_point_v<T>, "RPTS is for real systems");

public:
    /// Whether distributed RPTS supports the options.
    static bool takes(Executor const& exec, band_options const& options);

    distributed_rpts(Executor const& exec, Messages const& comm, tridiagonal_view<T> a,
                     band_options const& options = {});

    /// x = A^-1 d; `x` must not overlap `d`. Returns whether the gathered coarse system has a column without a pivot.
    /// Synchronises for the reduction. All work is queued on the executor of the constructor.
    bool solve(array_view<T const> d, array_view<T> x);
    /// As solve(), without a test of the pivots. The gathered coarse system is solved on the executor, so that on
    /// devices with NCCL nothing waits for the host. The first call allocates. For preconditioners, whose systems are
    /// regularised; only for messages of type rank_communicator.
    void solve_on_executor(array_view<T const> d, array_view<T> x);
    /// Whether solve_on_executor() never waits and may be captured into a CUDA graph after its first call.
    bool replayable() const;
    /// Whether the gathered rows are those of the whole matrix, so that the result of solve() holds for the whole
    /// matrix.
    bool crosses_whole() const;
    /// max |d - A x| / (|A| max |x| + max |d|) over all ranks, as in solvers/direct/error/band_error.hpp; equal on all
    /// ranks. Synchronises.
    double backward_error(array_view<T const> d, array_view<T const> x);
    /// Whether all row sums or all column sums of the whole matrix are zero, by the last backward_error(); then the
    /// matrix is singular, whatever pivots the elimination finds (solvers/direct/error/error_rows.hpp).
    bool sums_vanish() const { return sums_vanish_; }
    /// x = x + A^-1 (d - A x), a step of refinement. Allocates two vectors. Returns the same as solve().
    bool refine(array_view<T const> d, array_view<T> x);

private:
    /// The system of the coarse rows of all ranks, and memory for its exchange. A rank sends `stride` rows.
    struct gathered_rows {
        std::int64_t stride = 0, first = 0, count = 0; ///< most rows of a rank; first row and rows of this one
        buffer<std::int64_t> begins{};                 ///< [ranks + 1]: first row of each rank
        buffer<T> sent{}, received{};                  ///< for each rank: lower, diagonal, upper, right-hand side
        tridiagonal<T> matrix{};
        buffer<T> rhs{}, solution{};
        buffer<std::byte> workspace{};
        gathered_rows(Executor const& exec, std::vector<std::int64_t> const& rows_of_ranks, int rank);
    };

    /// Pivoting of the gathered rows: those that are coarse rows are not scaled (pivot_of_level).
    pivoting pivot_of_gathered() const;
    /// Queues the reduction of the rows of this rank; no levels if it has no rows.
    rpts::rank_levels<T> reduce_own(array_view<T const> d, array_view<T> x);
    /// The coarse rows of this rank, on the host: lower, diagonal, upper, right-hand side, one after the other.
    std::vector<T> coarse_rows(rpts::rank_levels<T> const& levels) const;
    /// y = solution of the `n` coarse rows of all ranks; the same bits on every rank.
    bool solve_coarse(std::vector<std::vector<T>> const& ranks, std::int64_t n, T* y) const;

    Executor exec_;
    Messages comm_;
    tridiagonal_view<T> a_;
    tridiagonal_options options_;
    distributed::rank_neighbours neighbours_;
    bool sums_vanish_ = false;
    buffer<std::byte> workspace_;
    buffer<T> outer_unknowns_; ///< the unknowns before and after the rows of the rank
    std::optional<gathered_rows> gathered_{};
};

} // namespace coppice::inline v0_1
