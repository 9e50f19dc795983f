// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/number_text.hpp>
#include <coppice/solvers/iterative/krylov/krylov_monitor.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1 {

using detail::round_end;

std::string_view to_string(krylov_reason reason) {
    switch (reason) {
    case krylov_reason::converged:
        return "converged";
    case krylov_reason::zero_rhs:
        return "zero_rhs";
    case krylov_reason::max_iterations:
        return "max_iterations";
    case krylov_reason::slow:
        return "slow";
    case krylov_reason::breakdown:
        return "breakdown";
    case krylov_reason::stagnated:
        return "stagnated";
    case krylov_reason::not_finite:
        return "not_finite";
    case krylov_reason::cancelled:
        return "cancelled";
    }
    return "unknown";
}

krylov_monitor::krylov_monitor(krylov_options const& options) : options_(options) {
    if (!(options.tolerance >= 0) || std::isinf(options.tolerance))
        throw argument_error("tolerance is " + coppice::detail::number_text(options.tolerance) +
                             ", expected a number >= 0");
    if (!(options.absolute_tolerance >= 0) || std::isinf(options.absolute_tolerance))
        throw argument_error("absolute_tolerance is " + coppice::detail::number_text(options.absolute_tolerance) +
                             ", expected a number >= 0");
    if (options.max_iterations < 0)
        throw argument_error("max_iterations is " + std::to_string(options.max_iterations) + ", expected >= 0");
    if (options.max_remaining < 0)
        throw argument_error("max_remaining is " + std::to_string(options.max_remaining) + ", expected >= 0");
    if (options.restart < 1 || options.restart > 1000)
        throw argument_error("restart is " + std::to_string(options.restart) + ", expected 1 to 1000");
    if (options.shadow_space < 1 || options.shadow_space > krylov_options::max_shadow_space)
        throw argument_error("shadow_space is " + std::to_string(options.shadow_space) + ", expected 1 to " +
                             std::to_string(krylov_options::max_shadow_space));
    if (options.record_history)
        result_.residual_history.reserve(std::size_t(std::min<std::int64_t>(options.max_iterations, 100000)) + 1);
}

double krylov_monitor::scale() const { return std::ldexp(1.0, exponent_); }

bool krylov_monitor::start(double b_squared, double b_largest, int exponent) {
    exponent_ = exponent;
    if (b_largest == 0) {
        result_.relative_residual = 0;
        finish(krylov_reason::zero_rhs);
        return false;
    }
    // A norm whose square underflows must not be taken for b = 0; scaled_solve scales b so that no square underflows.
    if (!std::isfinite(b_squared) || b_squared < std::numeric_limits<double>::min()) {
        finish(krylov_reason::not_finite);
        return false;
    }
    b_norm_ = std::sqrt(b_squared);
    tolerance_ = std::max(options_.tolerance, options_.absolute_tolerance / b_norm_ * scale());
    return true;
}

void krylov_monitor::end_scaled(double residual_squared) {
    double const residual = std::sqrt(residual_squared) / b_norm_;
    result_.relative_residual = residual;
    if (options_.record_history && !result_.residual_history.empty()) result_.residual_history.back() = residual;
    if (!result_.converged || residual <= tolerance_) return;
    finish(std::isfinite(residual) ? krylov_reason::stagnated : krylov_reason::not_finite);
}

bool krylov_monitor::open(double residual_squared) {
    double const residual = std::sqrt(residual_squared) / b_norm_;
    result_.relative_residual = residual;
    if (options_.record_history) {
        if (result_.residual_history.empty()) result_.residual_history.push_back(residual);
        result_.residual_history.back() = residual;
    }
    if (residual <= tolerance_) { // also if the round ended for another reason
        finish(krylov_reason::converged);
        return false;
    }
    if (finished_) return false;
    if (!std::isfinite(residual)) {
        finish(krylov_reason::not_finite);
        return false;
    }
    if (result_.iterations == 0) began_with_ = residual;
    bool const broke = end_ == round_end::breakdown || end_ == round_end::restart;
    if (broke && steps_ == 0) {
        finish(krylov_reason::breakdown);
        return false;
    }
    if (result_.iterations >= options_.max_iterations) {
        finish(krylov_reason::max_iterations);
        return false;
    }
    // A cycle without progress would be repeated for ever; rounds of other methods may need a second and a third
    // attempt.
    bool stalls = end_ == round_end::cycle && residual >= opened_with_ * (1 - 1e-12);
    if (end_ == round_end::tolerance || broke) {
        // Long rounds that end with a restart do not count: their length depends on the order of summation, and so
        // would the reason why the solve ends. These solves end at the maximum number of iterations.
        constexpr std::int64_t long_round = 10;
        bool const idle = residual > 0.9 * best_ && !(end_ == round_end::restart && steps_ >= long_round);
        idle_rounds_ = idle ? idle_rounds_ + 1 : 0;
        stalls = idle_rounds_ >= 3;
    }
    best_ = std::min(best_, residual);
    if (stalls) {
        finish(broke ? krylov_reason::breakdown : krylov_reason::stagnated);
        return false;
    }
    if (end_ == round_end::tolerance || broke) ++result_.restarts;
    opened_with_ = residual;
    steps_ = 0;
    end_ = round_end::none;
    return true;
}

detail::krylov_control krylov_monitor::control() const {
    detail::krylov_control round;
    round.loop.on = 1;
    round.iterations = round.round_began_at = round.history_begin = result_.iterations;
    round.limit = options_.max_iterations;
    round.b_norm = b_norm_;
    round.tolerance = tolerance_;
    round.max_remaining = double(options_.max_remaining);
    round.began_with = began_with_;
    return round;
}

void krylov_monitor::close(detail::krylov_control const& round) {
    result_.iterations = round.iterations;
    steps_ = round.iterations - round.round_began_at;
    end_ = round.end;
    if (end_ == round_end::not_finite) finish(krylov_reason::not_finite);
    if (end_ == round_end::cancelled) finish(krylov_reason::cancelled);
    if (end_ == round_end::slow) finish(krylov_reason::slow);
}

void krylov_monitor::finish(krylov_reason reason) {
    result_.reason = reason;
    result_.converged = reason == krylov_reason::converged || reason == krylov_reason::zero_rhs;
    finished_ = true;
}

} // namespace coppice::inline v0_1
