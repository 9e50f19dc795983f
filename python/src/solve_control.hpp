// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communication between Python and a running Krylov method.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>

#include <coppice/solvers/iterative/krylov/krylov_monitor.hpp>

#include "arrays.hpp"
#include "interrupts.hpp"

namespace coppice::python {

/// Runs signal handlers during a solve, and calls a callback after each iteration. An exception of either ends the
/// solve after the iteration, with the best x so far, or ends the set-up immediately; it is then raised in Python.
class solve_control final : public interruption {
public:
    /// `callback`: (iteration, relative residual), or None.
    explicit solve_control(nb::object callback) : callback_(std::move(callback)) {}

    std::function<bool(std::int64_t, double)> progress() {
        return [this](std::int64_t iteration, double residual) { return goes_on(iteration, residual); };
    }
    /// Whether an exception has requested the end of the solve.
    bool ends() const { return ends_; }
    /// Ends the solve by an exception; the first one is kept. Requires the interpreter's lock.
    void end_by(nb::object raised) {
        std::lock_guard const lock(mutex_);
        if (!raised_.is_valid()) raised_ = std::move(raised);
        ends_ = true;
    }
    /// The exception, or None.
    nb::object raised() const { return raised_.is_valid() ? raised_ : nb::object(nb::none()); }
    /// Runs `work` without the interpreter's lock. Returns false if an exception ended it during a set-up.
    template <class Work>
    bool runs(Work const& work) {
        nb::gil_scoped_release const released;
        interruption::scope const scope(handles_signals() ? this : nullptr);
        try {
            work();
        } catch (interrupted const&) {
            return false;
        }
        return true;
    }
    /// Runs `work` on another thread while this thread, which handles signals, polls for them.
    template <class Work>
    void watch(Work work) {
        auto running = std::async(std::launch::async, std::move(work));
        while (running.wait_for(interval) != std::future_status::ready) check_signals();
        running.get();
    }

private:
    static constexpr std::chrono::milliseconds interval{50};

    bool requested() override {
        check_signals();
        return ends_;
    }
    void check_signals() {
        if (!handles_signals()) return;
        nb::gil_scoped_acquire const held;
        if (nb::object raised = raised_by_signals(); raised.is_valid()) end_by(std::move(raised));
    }
    bool goes_on(std::int64_t iteration, double residual) {
        if (ends_) return false;
        auto const now = std::chrono::steady_clock::now();
        if (now - checked_at_ >= interval) {
            checked_at_ = now;
            check_signals();
        }
        if (!callback_.is_none() && !ends_) report(iteration, residual);
        return !ends_;
    }
    void report(std::int64_t iteration, double residual) {
        nb::gil_scoped_acquire const held;
        try {
            callback_(iteration, residual);
        } catch (nb::python_error& error) {
            error.restore();
            end_by(take_raised());
        }
    }

    nb::object callback_, raised_;
    std::mutex mutex_;
    std::atomic<bool> ends_ = false;
    std::chrono::steady_clock::time_point checked_at_ = std::chrono::steady_clock::now();
};

/// tolerance, absolute_tolerance, max_iterations, restart, shadow_space
krylov_options options_of(double rtol, double atol, std::int64_t max_iterations, int restart, int shadow_space);
nb::dict dict_of_result(krylov_result const& result);
/// Returns the result for a solve that an exception ended during its set-up.
nb::dict dict_of_raised(solve_control const& control);

} // namespace coppice::python
