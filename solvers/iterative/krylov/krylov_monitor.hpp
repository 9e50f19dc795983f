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

/// y = A x. `x` and `y` have the length of the right-hand side, are in memory of the executor and do not overlap.
template <class A, class Executor, class T>
concept linear_operator = requires(A const& a, Executor const& exec, array_view<T const> x, array_view<T> y) {
    a.apply(exec, x, y);
};

/// z ≈ A^-1 r, the same linear map at every call. `r` and `z` do not overlap.
template <class M, class Executor, class T>
concept preconditioner_for = requires(M const& m, Executor const& exec, array_view<T const> r, array_view<T> z) {
    m.apply(exec, r, z);
};

namespace detail {

/// Whether the object declares that it may be captured into a CUDA graph. A named concept, because nvcc reads nested
/// requires-expressions differently from the host compiler.
template <class Operator>
concept tells_replayable = requires(Operator const& op) {
    { op.replayable() } -> std::convertible_to<bool>;
};
/// Of one of several solves whose products are taken together: its loop goes on beside theirs.
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
    static constexpr int most_shadow_space = 8;

    double tolerance = 1e-6;       ///< of |b - Ax| / |b|; at least 0
    double absolute_tolerance = 0; ///< of |b - Ax|: one of the two is enough
    std::int64_t max_iterations = 10000;
    /// Ends the solve as `slow` where, at the mean pace so far, the tolerance is more than so many iterations away;
    /// 0: never. Looked at after every eighth iteration.
    std::int64_t most_remaining = 0;
    int restart = 30;           ///< GMRES and FGMRES: dimension of the Krylov space, 1 to 1000
    int shadow_space = 4;       ///< IDR(s): s, 1 to most_shadow_space
    bool record_history = true; ///< fill krylov_result::residual_history
    /// (iteration, relative residual), called by the host for every iteration in order; false stops the solve: on the
    /// host after that iteration, on CUDA soon after.
    std::function<bool(std::int64_t, double)> progress = {};
};

/// Why a solve ended.
enum class krylov_reason {
    converged,      ///< the true residual meets a tolerance
    zero_rhs,       ///< b = 0, so x = 0
    max_iterations, ///< the limit of iterations is reached
    slow,           ///< the tolerance is farther away than krylov_options::most_remaining
    breakdown,      ///< a division by zero from which a restart does not help: a singular or unsuitable matrix
    stagnated,  ///< restarts from the true residual no longer reduce it: the limit of the precision, or of the method
    not_finite, ///< a NaN or infinity in b, the given x, A or the preconditioner, or a solution, or products with A,
                ///< outside the range of numbers
    cancelled   ///< the progress callback returned false
};
std::string_view to_string(krylov_reason reason);

/// One iteration is one step of the method: BiCGStab applies A and the preconditioner twice, the others once.
struct krylov_result {
    std::int64_t iterations = 0;
    bool converged = false; ///< reason is converged or zero_rhs
    krylov_reason reason = krylov_reason::max_iterations;
    double relative_residual = std::numeric_limits<double>::quiet_NaN(); ///< true |b - Ax| / |b| of the returned x
    std::int64_t restarts = 0; ///< restarts from the true residual that the method itself does not ask for
    bool on_device = false;    ///< the iterations ran on a GPU without the host: as one CUDA graph
    std::string fault{};       ///< not_finite: the first element of b or of the starting guess that is to blame, if any
    /// Relative residual at the start and after each iteration: as the method's recurrence has it, the last one true.
    std::vector<double> residual_history{};
};

/// Monitors a solve between its rounds. A method runs in rounds: each begins with a true residual, open(), and ends
/// when its krylov_control ends it; then the true residual is computed again. So no method stops on the residual of its
/// own recurrence alone.
class krylov_monitor {
public:
    /// Throws argument_error for options outside their range.
    explicit krylov_monitor(krylov_options const& options);

    /// Begins a solve of A (2^e x) = 2^e b with the square of |2^e b|; e = `exponent`. False when there is nothing to
    /// iterate on: b = 0 or not finite. All other residuals are those of the scaled system.
    bool start(double b_squared, double b_largest, int exponent = 0);
    int exponent() const { return exponent_; }
    double scale() const; ///< 2^e
    /// The solve has ended, and x has been scaled back and rounded: the square of the residual of that.
    void end_scaled(double residual_squared);
    /// Whether to run another round, after a true residual with this square.
    bool open(double residual_squared);
    /// What a round that is open begins with.
    detail::krylov_control control() const;
    /// A round has ended.
    void close(detail::krylov_control const& round);
    /// x has become NaN or infinite, which only a preconditioner can do.
    void x_is_spoilt() { finish(krylov_reason::not_finite); }
    /// What is not finite in the input; empty for nothing.
    void blame(std::string what) { result_.fault = std::move(what); }

    krylov_options const& options() const { return options_; }
    krylov_result& result() { return result_; }
    krylov_result take() { return std::move(result_); }

private:
    void finish(krylov_reason reason);

    krylov_options const& options_;
    krylov_result result_{};
    bool finished_ = false;
    int exponent_ = 0;
    double b_norm_ = 0;                                            ///< |2^e b|
    double tolerance_ = 0;                                         ///< relative, of the two
    double began_with_ = 0;                                        ///< true residual at the start of the solve
    double opened_with_ = std::numeric_limits<double>::infinity(); ///< true residual at the start of the round
    double best_ = std::numeric_limits<double>::infinity();        ///< least true residual so far
    int idle_rounds_ = 0;                                          ///< rounds in a row that did not improve on it
    std::int64_t steps_ = 0;                                       ///< iterations of this round
    detail::round_end end_ = detail::round_end::none;
};

} // namespace coppice::inline v0_1
