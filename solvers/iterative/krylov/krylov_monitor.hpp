// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Common interface of all Krylov methods: options, results, and the stopping criteria.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <coppice/core/memory.hpp>
#include <coppice/solvers/iterative/krylov/krylov_control.hpp>

namespace coppice::inline v0_1 {

/// Computes y = A x. `x` and `y` have the length of the right-hand side, are in memory of the executor and do not
/// overlap.
template <class A, class Executor, class T>
concept linear_operator = requires(A const& a, Executor const& exec, array_view<T const> x, array_view<T> y) {
    a.apply(exec, x, y);
};

/// Computes z ≈ A^-1 r, the same linear map at every call. `r` and `z` do not overlap.
template <class M, class Executor, class T>
concept preconditioner_for = requires(M const& m, Executor const& exec, array_view<T const> r, array_view<T> z) {
    m.apply(exec, r, z);
};

namespace detail {

/// The object declares whether it may be captured into a CUDA graph. A named concept, because nvcc evaluates nested
/// requires-expressions differently from the host compiler.
template <class Operator>
concept declares_replayable = requires(Operator const& op) {
    { op.replayable() } -> std::convertible_to<bool>;
};
/// The operator of one of several simultaneous solves whose products are computed together.
template <class A>
concept operator_with_loop = requires(A const& a) {
    { a.shared() } -> std::same_as<shared_loop*>;
};
template <class A>
shared_loop* loop_of(A const& a) {
    if constexpr (operator_with_loop<A>)
        return a.shared();
    else
        return nullptr;
}

} // namespace detail

struct krylov_options {
    static constexpr int max_shadow_space = 8;

    double tolerance = 1e-6;       ///< relative tolerance: |b - Ax| / |b|, at least 0
    double absolute_tolerance = 0; ///< absolute tolerance: |b - Ax|; the solve ends if one of the two is met
    std::int64_t max_iterations = 10000;
    /// Ends the solve with reason `slow` if, at the mean convergence rate so far, more than this number of iterations
    /// remain; 0: never. Evaluated after every eighth iteration.
    std::int64_t max_remaining = 0;
    int restart = 30;           ///< GMRES and FGMRES: dimension of the Krylov space, 1 to 1000
    int shadow_space = 4;       ///< IDR(s): s, 1 to max_shadow_space
    bool record_history = true; ///< fill krylov_result::residual_history
    /// Callback (iteration, relative residual), called on the host for every iteration in order. If it returns false,
    /// the solve stops: on the host after this iteration, on CUDA a few iterations later.
    std::function<bool(std::int64_t, double)> progress = {};
};

/// Reason why a solve ended.
enum class krylov_reason {
    converged,      ///< the true residual meets a tolerance
    zero_rhs,       ///< b = 0, so x = 0
    max_iterations, ///< the maximum number of iterations is reached
    slow,           ///< more than krylov_options::max_remaining iterations would remain
    breakdown,      ///< a division by zero that a restart does not avoid: a singular or unsuitable matrix
    /// Restarts from the true residual no longer reduce it: the limit of the precision or of the method is reached.
    stagnated,
    /// NaN or infinity in b, the initial guess, A or the preconditioner, or a solution or product that overflows
    not_finite,
    cancelled ///< the progress callback returned false
};
std::string_view to_string(krylov_reason reason);

/// Result of a solve. One iteration is one step of the method: BiCGStab applies A and the preconditioner twice, the
/// others once.
struct krylov_result {
    std::int64_t iterations = 0;
    bool converged = false; ///< reason is converged or zero_rhs
    krylov_reason reason = krylov_reason::max_iterations;
    double relative_residual = std::numeric_limits<double>::quiet_NaN(); ///< true |b - Ax| / |b| of the returned x
    std::int64_t restarts = 0; ///< restarts from the true residual, without the regular restarts of the method
    bool on_device = false;    ///< the iterations ran as one CUDA graph without the host
    std::string fault{};       ///< if not_finite: the first such element of b or of the initial guess, if any
    /// Relative residual at the start and after each iteration. Values are those of the recurrence, the last one is
    /// true.
    std::vector<double> residual_history{};
};

/// Controls a solve between its rounds. A round begins with a true residual, open(), and ends when its krylov_control
/// ends it; then the true residual is computed again. No method stops on the residual of its recurrence alone.
class krylov_monitor {
public:
    /// Throws argument_error for options outside their range.
    explicit krylov_monitor(krylov_options const& options);

    /// Begins a solve of A (2^e x) = 2^e b with e = `exponent`; b_squared = |2^e b|^2. Returns false if no iteration is
    /// needed: b = 0 or not finite. All other residuals are those of the scaled system.
    bool start(double b_squared, double b_largest, int exponent = 0);
    int exponent() const { return exponent_; }
    double scale() const; ///< 2^e
    /// Ends the solve after x has been scaled back and rounded; `residual_squared` is the square of the residual of the
    /// result.
    void end_scaled(double residual_squared);
    /// Returns whether to execute another round, from the square of the true residual.
    bool open(double residual_squared);
    /// Initial state of an open round.
    detail::krylov_control control() const;
    /// Called at the end of a round.
    void close(detail::krylov_control const& round);
    /// Ends the solve because x contains NaN or infinity, which only a preconditioner can cause.
    void end_not_finite() { finish(krylov_reason::not_finite); }
    /// Stores the description of the element of the input that is not finite; empty if there is none.
    void set_fault(std::string what) { result_.fault = std::move(what); }

    krylov_options const& options() const { return options_; }
    krylov_result& result() { return result_; }
    krylov_result take() { return std::move(result_); }

private:
    void finish(krylov_reason reason);

    krylov_options const& options_;
    krylov_result result_{};
    bool finished_ = false;
    int exponent_ = 0;
    double b_norm_ = 0; ///< |2^e b|
    /// Bound of |b - A x| / |b|: max(options.tolerance, options.absolute_tolerance / |b|).
    double tolerance_ = 0;
    double began_with_ = 0;                                        ///< true residual at the start of the solve
    double opened_with_ = std::numeric_limits<double>::infinity(); ///< true residual at the start of the round
    double best_ = std::numeric_limits<double>::infinity();        ///< smallest true residual so far
    /// Successive rounds without a smaller true residual.
    int idle_rounds_ = 0;
    std::int64_t steps_ = 0; ///< number of iterations of this round
    detail::round_end end_ = detail::round_end::none;
};

} // namespace coppice::inline v0_1
