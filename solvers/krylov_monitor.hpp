// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What all Krylov methods share: options, results, and the one place that decides when to stop.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <coppice/core/memory.hpp>

namespace coppice {

/// y = A x. `x` and `y` have the length of the right-hand side, lie in the memory of the executor and do not overlap.
template <class A, class Executor, class T>
concept linear_operator = requires(A const& a, Executor const& exec, array_view<T const> x, array_view<T> y) {
    a.apply(exec, x, y);
};

/// z ≈ A^-1 r, the same linear map at every call. `r` and `z` do not overlap.
template <class M, class Executor, class T>
concept preconditioner_for = requires(M const& m, Executor const& exec, array_view<T const> r, array_view<T> z) {
    m.apply(exec, r, z);
};

struct krylov_options {
    double tolerance = 1e-6; ///< of |b - Ax| / |b|; at least 0
    std::int64_t max_iterations = 10000;
    int restart = 30;                                        ///< GMRES: dimension of the Krylov space, 1 to 1000
    bool record_history = true;                              ///< fill krylov_result::residual_history
    std::function<bool(std::int64_t, double)> progress = {}; ///< (iteration, relative residual); false stops the solve
};

/// Why a solve ended.
enum class krylov_reason {
    converged,      ///< the true residual meets the tolerance
    zero_rhs,       ///< b = 0, so x = 0
    max_iterations, ///< the limit of iterations is reached
    breakdown,      ///< a division by zero from which a restart does not help: a singular or unsuitable matrix
    stagnated,  ///< restarts from the true residual no longer reduce it: the limit of the precision, or of the method
    not_finite, ///< a NaN or infinity in A, b, x or the preconditioner, or squares outside the range of double
    cancelled   ///< the progress callback returned false
};
std::string_view to_string(krylov_reason reason);

/// One iteration is one step of the method: CG and GMRES apply A and the preconditioner once, BiCGStab twice.
struct krylov_result {
    std::int64_t iterations = 0;
    bool converged = false; ///< reason is converged or zero_rhs
    krylov_reason reason = krylov_reason::max_iterations;
    double relative_residual = std::numeric_limits<double>::quiet_NaN(); ///< true |b - Ax| / |b| of the returned x
    std::int64_t restarts = 0; ///< restarts from the true residual that the method itself does not ask for
    /// Relative residual at the start and after each iteration: as the method's recurrence has it, the last one true.
    std::vector<double> residual_history{};
};

/// Follows a solve. A method runs in rounds: each begins with a true residual, open(), and ends when step() says so or
/// the method cannot go on; then the true residual is computed again. So no method ever stops on its own recurrence.
class krylov_monitor {
public:
    /// Throws argument_error for options outside their range.
    explicit krylov_monitor(krylov_options const& options);

    /// Begins a solve with the square of |b|. False when there is nothing to iterate on: b = 0 or not finite.
    bool start(double b_squared, double b_largest);
    /// Is another round worth it, after a true residual with this square?
    bool open(double residual_squared);
    /// Counts an iteration that led to this recursive residual. False ends the round.
    bool step(double residual_squared);
    /// The method cannot go on: a divisor is zero. The next round is the last when this one made no step.
    void breakdown();
    /// The method's own restart, with nothing wrong (GMRES).
    void cycle_end() { end_ = round_end::cycle; }
    /// False, and remembered as the reason, when one of the values is NaN or infinite.
    bool finite(double value, double other = 0);

    krylov_result take() { return std::move(result_); }

private:
    enum class round_end { none, tolerance, breakdown, cycle, final };

    void finish(krylov_reason reason);

    krylov_options const& options_;
    krylov_result result_{};
    double b_norm_ = 0;
    double opened_with_ = std::numeric_limits<double>::infinity(); ///< true residual at the start of the round
    double best_ = std::numeric_limits<double>::infinity();        ///< least true residual so far
    int idle_rounds_ = 0;                                          ///< rounds in a row that did not improve on it
    std::int64_t steps_ = 0;                                       ///< iterations of this round
    round_end end_ = round_end::none;
};

} // namespace coppice
