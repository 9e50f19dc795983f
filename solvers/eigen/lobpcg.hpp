// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Smallest eigenvalues of symmetric matrices by LOBPCG; include/coppice/eigenpairs.hpp has the contract.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/solvers/precondition/interface/any_preconditioner.hpp>

namespace coppice::inline v0_1 {

struct eigen_options {
    double tolerance = 1e-6; ///< of |A x - lambda B x| / (|A x| + |lambda| |B x|) of every pair
    std::int64_t max_iterations = 500;
    bool largest = false; ///< the largest eigenvalues instead of the smallest
    /// Called on the host after each iteration with the largest of these residuals. If it returns false, the
    /// iterations end.
    std::function<bool(std::int64_t, double)> progress = {};
};

enum class eigen_reason {
    converged,      ///< every pair meets the tolerance
    max_iterations, ///< the limit of iterations
    stagnated,      ///< the residuals no longer decrease: the limit of the precision
    /// NaN or infinity in A, B, the start vectors, or after the preconditioner; an eigenvalue that leaves the range
    not_finite,
    cancelled ///< the callback returned false
};
std::string_view to_string(eigen_reason reason);

struct eigen_result {
    bool converged = false;
    eigen_reason reason = eigen_reason::max_iterations;
    std::int64_t iterations = 0;
    std::vector<double> values{};    ///< increasing; decreasing with options.largest; NaN if there was no iterate
    std::vector<double> residuals{}; ///< of each pair, as in options.tolerance, from products with the returned vectors
};

/// Eigenpairs A x = lambda B x; see <coppice/eigenpairs.hpp>. Compiled for double.
template <executor Executor, class T>
eigen_result lobpcg(Executor const& exec, csr_view<T> a, any_preconditioner<Executor, T> const& m, array_view<T> x,
                    int count, eigen_options const& options = {}, csr_view<T> b = {},
                    array_view<T const> constraints = {});

#define COPPICE_LOBPCG(EXTERN, EXECUTOR, T)                                                                            \
    EXTERN template eigen_result lobpcg(EXECUTOR const&, csr_view<T>, any_preconditioner<EXECUTOR, T> const&,          \
                                        array_view<T>, int, eigen_options const&, csr_view<T>, array_view<T const>);
COPPICE_LOBPCG(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_LOBPCG(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
