// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Least-squares problems and systems with rectangular matrices; include/coppice/least_squares.hpp has the contract.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/named_options.hpp>

namespace coppice::inline v0_1 {

struct least_squares_options {
    std::string method = "lsmr"; ///< "lsmr" or "lsqr"
    /// "none"; "jacobi": the column norms of A; or the name of another preconditioner for symmetric matrices, which is
    /// made for A^T A + damping^2 I: that product is computed.
    std::string preconditioner = "jacobi";
    option_values preconditioner_options{};
    double damping = 0; ///< minimises |b - A x|^2 + damping^2 |x|^2
    /// Ends if |b - A x| <= tolerance |b| or |A^T (b - A x)| <= tolerance c |b - A x|, where c is the largest norm of a
    /// column of A. With damping for the matrix [A; damping I] and the right-hand side [b; 0].
    double tolerance = 1e-8;
    std::int64_t max_iterations = 10000;
    /// Called on the host after each iteration with |b - A x| / |b| of the recurrence. If it returns false, the solve
    /// ends.
    std::function<bool(std::int64_t, double)> progress = {};
};

enum class least_squares_reason {
    residual,       ///< |b - A x| <= tolerance |b|
    normal,         ///< |A^T (b - A x)| is small enough: a least-squares solution
    max_iterations, ///< the limit of iterations
    stagnated,      ///< restarts from the true residual do not reduce |A^T (b - A x)|, or M is not positive definite
    not_finite,     ///< NaN or infinity in A, b or x
    cancelled       ///< the callback returned false
};
std::string_view to_string(least_squares_reason reason);

struct least_squares_result {
    bool converged = false; ///< reason is residual or normal
    least_squares_reason reason = least_squares_reason::max_iterations;
    std::int64_t iterations = 0;
    std::int64_t restarts = 0;
    double residual_norm = 0; ///< true |b - A x|, with damping of the extended system
    double normal_norm = 0;   ///< true |A^T (b - A x)|, as above
    double b_norm = 0;
    std::vector<double>
        residual_history{}; ///< |b - A x| / |b| of the recurrence, at the start and after each iteration
};

/// Solves min |b - A x| by LSMR (Fong and Saunders 2011) or LSQR (Paige and Saunders 1982), for any shape and rank of
/// A; see <coppice/least_squares.hpp>. Compiled for float and double.
template <executor Executor, class T>
least_squares_result solve_least_squares(Executor const& exec, csr_view<T> a, array_view<T const> b, array_view<T> x,
                                         least_squares_options const& options = {});

#define COPPICE_LEAST_SQUARES(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template least_squares_result solve_least_squares(EXECUTOR const&, csr_view<T>, array_view<T const>,        \
                                                             array_view<T>, least_squares_options const&);
COPPICE_LEAST_SQUARES(extern, host_executor, float)
COPPICE_LEAST_SQUARES(extern, host_executor, double)
#if defined(COPPICE_HAS_CUDA)
COPPICE_LEAST_SQUARES(extern, cuda_executor, float)
COPPICE_LEAST_SQUARES(extern, cuda_executor, double)
#endif

} // namespace coppice::inline v0_1
