// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hybrid blocked iterative solving algorithm (HBISA) for block-tridiagonal systems (Yang, Li and Li, J.
/// Supercomput. 73, 2017): block Jacobi or block Gauss-Seidel sweeps in which each diagonal block is solved directly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <coppice/core/one_user.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/precondition/interface/transposed.hpp>
#include <coppice/solvers/queueing/block_range.hpp>
#include <coppice/solvers/queueing/hbisa_lane.hpp>
#include <coppice/solvers/queueing/resident_sweeps.hpp>

namespace coppice::inline v0_1 {

enum class block_sweep {
    jacobi,      ///< D_j x_j' = b_j - L_j x_{j-1} - U_j x_{j+1}, all blocks simultaneously (Eq. 6)
    gauss_seidel ///< the even blocks, then the odd blocks with the new values of the even ones (Eq. 7)
};

struct hbisa_options {
    block_sweep sweep = block_sweep::jacobi;
    block_hybrid_options storage{};
    std::int64_t systems =
        1; ///< number of systems of equal size, stored one after the other, without couplings between them
    double tolerance = 1e-6;             ///< of |b - A x| / |b|, for each system; at least 0
    std::int64_t max_iterations = 10000; ///< sweeps
    /// Maximum bytes of on-chip memory in which a worker keeps its slice of a system through all sweeps: on CUDA shared
    /// memory of a thread block, limited by the device. -1: as much as possible, on the host 4 MiB; 0: none.
    std::int64_t resident_bytes = -1;
};

/// Why the sweeps over a system ended.
enum class hbisa_reason {
    converged,       ///< the true residual meets the tolerance
    zero_rhs,        ///< b = 0, so x = 0
    max_iterations,  ///< the limit is reached, and the residual was still falling
    spectral_radius, ///< the residual stopped falling: the spectral radius of D^-1 (L + U) is not below 1 (Lemma 1)
    stagnated, ///< the residual stopped falling although the spectral radius is below 1: the limit of the precision
    not_finite ///< a NaN or infinity in b, the given x or the matrix; or x leaves the range
};
std::string_view to_string(hbisa_reason reason);

struct hbisa_result {
    std::int64_t iterations = 0; ///< sweeps
    bool converged = false;      ///< reason is converged or zero_rhs
    hbisa_reason reason = hbisa_reason::max_iterations;
    double relative_residual = 0; ///< true |b - A x| / |b| of the returned x; NaN if b is not finite
    /// Reduction factor of the residual in one sweep: over the last sweeps, or over all if there are few; 0: unknown.
    double contraction = 0;
    /// Estimated spectral radius of D^-1 (L + U) if the residual stopped falling; else 0.
    double spectral_radius = 0;
};

/// HBISA solver and smoother for a block-tridiagonal matrix; also the base of the hbisa preconditioner.
///
/// The constructor copies the matrix to hybrid storage and factorises the diagonal blocks; the solves allocate a few
/// scalars for each system only. The sweeps and the residual test of Algorithm 2 (sum over the rows of each block, then
/// over the blocks, then the decision) are executed in the memory space of the data: on CUDA the solve is one graph,
/// and the host waits only for its end. Systems that have converged do not change while others continue. The object
/// owns the workspace: a function throws argument_error if another thread is executing one of them. Instantiated for
/// float and double.
///
/// If a system fits on chip (the rule is in detail::resident_sweeps), a thread block, a cluster of thread blocks, or a
/// thread of the host keeps it there through all sweeps, on CUDA in one kernel for all systems; otherwise each step of
/// a sweep is a pass over global memory. Both ways use the same equations and stopping tests, but results may differ in
/// the last bits.
template <executor Executor, class T, class I = std::int32_t>
class hbisa {
public:
    /// Throws the errors of to_block_hybrid(); dimension_error if the systems do not consist of whole blocks;
    /// matrix_error for a singular diagonal block (a tridiagonal block in lenient storage is regularised instead) and
    /// for values that are not finite; argument_error for options outside their range.
    hbisa(Executor const& exec, csr_view<T, I> a, hbisa_options const& options = {});

    /// Replaces the values; the pattern must be that of the constructor. Throws as the constructor; waits for the
    /// device.
    void refresh(Executor const& exec, csr_view<T, I> a);

    /// Solves A x = b. On entry x[n] is the initial guess; on return it is, for each system, the best iterate. b[n]
    /// must not overlap x. Returns one result for each system. Waits for the device. b may have any magnitude: if the
    /// largest element of a system is outside of 2^-400 to 2^400 (float: 2^-64 to 2^64), b and x of all systems are
    /// copied and those of this system multiplied by a power of two; an x that leaves the range is 0, with the reason
    /// not_finite.
    std::vector<hbisa_result> solve(Executor const& exec, array_view<T const> b, array_view<T> x) const;

    /// Smoother: `sweeps` sweeps over all systems, from the given x. If `symmetric`, each Gauss-Seidel sweep ends with
    /// a second update of the even blocks. Neither allocates nor waits; may be captured into a CUDA graph.
    void smooth(Executor const& exec, array_view<T const> b, array_view<T> x, std::int64_t sweeps,
                bool symmetric = false) const;

    /// Solves D x = b without the couplings of the blocks: the first sweep from x = 0. As smooth().
    void solve_blocks(Executor const& exec, array_view<T const> b, array_view<T> x) const;

    /// Sweeps for A^T x = b, the steps in reverse order: from x = 0, smooth() and this are transposed linear maps. 0
    /// sweeps: solves D^T x = b without the couplings. Allocates; the first call after a refresh transposes the
    /// couplings.
    void smooth_transposed(Executor const& exec, array_view<T const> b, array_view<T> x, std::int64_t sweeps,
                           bool symmetric = false) const;

    /// Factor by which a sweep amplifies a random vector, in the maximum norm; infinite if it overflows. Waits for the
    /// device.
    double growth(Executor const& exec, bool symmetric = false) const;

    /// Estimate of the spectral radius of D^-1 (L + U) by the power method, the maximum over all systems; infinite if
    /// powers overflow. Waits for the device.
    double spectral_radius(Executor const& exec) const;

    block_hybrid<T, I> const& matrix() const { return matrix_; }
    /// Number of workers that together keep a system on chip in solve() (on CUDA thread blocks); 0 if solve() uses
    /// passes over global memory.
    int resident_members() const { return regularised_rows() == 0 ? resident_.members() : 0; }
    /// Number of rows of singular tridiagonal blocks whose pivots were shifted.
    std::int64_t regularised_rows() const {
        std::int64_t rows = 0;
        for (auto const& range : ranges_) rows += range.regularised_rows();
        return rows;
    }
    [[deprecated("use regularised_rows()")]] std::int64_t mended_rows() const { return regularised_rows(); }

private:
    std::int64_t size() const { return matrix_.rows(); }
    void sweep_range(Executor const& exec, std::size_t r, T const* b, T const* seen, T* x,
                     detail::hbisa_state const* states) const;
    void sweep(Executor const& exec, T const* b, T* x, bool symmetric) const;
    void sweep_by_passes(Executor const& exec, T const* b, T* x, detail::hbisa_state* states) const;
    void iterate(Executor const& exec, T const* b, T* x, detail::hbisa_state* states, loop_switch* loop) const;

    hbisa_options options_;
    block_hybrid<T, I> matrix_;
    std::vector<detail::block_range<Executor, T>> ranges_{};
    detail::resident_sweeps<Executor, T> resident_{};
    mutable buffer<double> squares_, block_sums_;
    mutable buffer<T> best_;
    mutable detail::transposed_matrix<Executor, T, I> transposed_couplings_{};
    detail::one_user user_{};
};

} // namespace coppice::inline v0_1
