// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The hybrid blocked iterative solving algorithm for block-tridiagonal systems (Yang, Li and Li, J. Supercomput. 73,
/// 2017): sweeps over the blocks, each solved directly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <coppice/core/one_user.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/queueing/block_range.hpp>
#include <coppice/solvers/queueing/hbisa_lane.hpp>
#include <coppice/solvers/queueing/resident_sweeps.hpp>

namespace coppice {

enum class block_sweep {
    jacobi,      ///< D_j x_j' = b_j - L_j x_{j-1} - U_j x_{j+1}, all blocks at once (Eq. 6)
    gauss_seidel ///< the even blocks, then the odd ones with what these have become (Eq. 7)
};

struct hbisa_options {
    block_sweep sweep = block_sweep::jacobi;
    block_hybrid_options storage{};
    std::int64_t systems = 1;            ///< of equal size, one behind the other, that the matrix does not couple
    double tolerance = 1e-6;             ///< of |b - A x| / |b|, for each system; at least 0
    std::int64_t max_iterations = 10000; ///< sweeps
    /// Memory near to a worker that its share of a system may take through all sweeps: on CUDA the shared memory of a
    /// thread block, at most what the device has. -1: all of it, on the host 4 MiB; 0: none.
    std::int64_t resident_bytes = -1;
};

/// Why the sweeps over a system ended.
enum class hbisa_reason {
    converged,       ///< the true residual meets the tolerance
    zero_rhs,        ///< b = 0, so x = 0
    max_iterations,  ///< the limit is reached, and the residual was still falling
    spectral_radius, ///< the residual did not fall: the spectral radius of D^-1 (L + U) is not below one (Lemma 1)
    stagnated,       ///< it did not fall although the spectral radius is below one: the limit of the precision
    not_finite       ///< a NaN or infinity in b, the given x or the matrix
};
std::string_view to_string(hbisa_reason reason);

struct hbisa_result {
    std::int64_t iterations = 0; ///< sweeps
    bool converged = false;      ///< reason is converged or zero_rhs
    hbisa_reason reason = hbisa_reason::max_iterations;
    double relative_residual = 0; ///< true |b - A x| / |b| of the returned x
    double contraction = 0; ///< factor of the residual a sweep: over the last ones, or over all where few; 0: none
    /// Estimated spectral radius of D^-1 (L + U) where that was asked after: the residual did not fall; else 0.
    double spectral_radius = 0;
};

/// A block-tridiagonal matrix split for HBISA: solver, smoother, and what its preconditioner is made of.
///
/// The constructor copies the matrix in hybrid storage and factorises the diagonal blocks; the solves allocate nothing
/// but a few scalars a system. Sweeps and the residual test of Algorithm 2 (a sum over the rows of each block, then
/// over blocks, then the decision) stay where the data lives: on CUDA the solve is one graph, and the host waits for
/// its end only. Systems that have converged stay as they are while others go on. Uses workspace of the object: its
/// functions throw argument_error if another thread is in one of them. Instantiated for float and double.
///
/// Where a system fits (detail::resident_sweeps has the rule), a thread block, a cluster of them or a thread of the
/// host keeps it through all sweeps, on CUDA in one kernel for all systems; else each step of a sweep is a pass over
/// the memory. The equations, the decisions and what is returned are the same; bits are not.
template <executor Executor, class T, class I = std::int32_t>
class hbisa {
public:
    /// Throws what to_block_hybrid() throws, dimension_error where the systems do not divide the matrix into whole
    /// blocks, matrix_error for a singular diagonal block (a tridiagonal one in lenient storage is mended) and for
    /// values that are not finite, argument_error for options outside their range.
    hbisa(Executor const& exec, csr_view<T, I> a, hbisa_options const& options = {});

    /// New values on the pattern of the matrix that it was made of. Throws as the constructor does; waits.
    void refresh(Executor const& exec, csr_view<T, I> a);

    /// x[n] holds the starting guess on entry and, for each system, the best iterate on return; b[n] must not overlap
    /// it. One result a system. Waits.
    std::vector<hbisa_result> solve(Executor const& exec, array_view<T const> b, array_view<T> x) const;

    /// So many sweeps over all systems, from the given x: a smoother. With `symmetric`, each sweep of Gauss-Seidel ends
    /// with the even blocks again. Neither allocates nor waits; may be captured into a CUDA graph.
    void smooth(Executor const& exec, array_view<T const> b, array_view<T> x, std::int64_t sweeps,
                bool symmetric = false) const;

    /// D x = b, without what couples the blocks: the first sweep from x = 0. As smooth().
    void solve_blocks(Executor const& exec, array_view<T const> b, array_view<T> x) const;

    /// The factor by which a sweep lets a random vector grow, in the maximum norm; infinite where it overflows. Waits.
    double growth(Executor const& exec, bool symmetric = false) const;

    /// Estimate of the spectral radius of D^-1 (L + U), the largest of all systems, by the power method; infinite where
    /// powers overflow. Waits.
    double spectral_radius(Executor const& exec) const;

    block_hybrid<T, I> const& matrix() const { return matrix_; }
    /// Workers that keep a system on chip together in solve(), on CUDA thread blocks; 0: passes.
    int resident_members() const { return mended_rows() == 0 ? resident_.members() : 0; }
    std::int64_t mended_rows() const {
        std::int64_t rows = 0;
        for (auto const& range : ranges_) rows += range.mended_rows();
        return rows;
    }

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
    detail::one_user user_{};
};

} // namespace coppice
