// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What Python and a running Krylov method say to each other.
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

/// Runs the handlers of signals while a solve goes on, and tells a callback of its iterations. An exception of either
/// ends the solve after the iteration, with the best x so far, or in a set-up at once; it is then raised in Python.
class solve_control final : public interruption {
public:
    /// `callback`: (iteration, relative residual), or None.
    explicit solve_control(nb::object callback) : callback_(std::move(callback)) {}

    std::function<bool(std::int64_t, double)> progress() {
        return [this](std::int64_t iteration, double residual) { return goes_on(iteration, residual); };
    }
    /// Has an exception asked the solve to end?
    bool ends() const { return ends_; }
    /// Takes the exception that is set in the interpreter, of which the first is kept; with the interpreter's lock.
    void end_by(nb::object raised) {
        std::lock_guard const lock(mutex_);
        if (!raised_.is_valid()) raised_ = std::move(raised);
        ends_ = true;
    }
    /// The exception, or None.
    nb::object raised() const { return raised_.is_valid() ? raised_ : nb::object(nb::none()); }
    /// Runs `work` without the interpreter's lock; false where an exception ended it in a set-up.
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
    /// Runs `work` on another thread while this one, which handles signals, looks for them.
    template <class Work>
    void watch(Work work) {
        auto running = std::async(std::launch::async, std::move(work));
        while (running.wait_for(interval) != std::future_status::ready) look();
        running.get();
    }

private:
    static constexpr std::chrono::milliseconds interval{50};

    bool wanted() override {
        look();
        return ends_;
    }
    void look() {
        if (!handles_signals()) return;
        nb::gil_scoped_acquire const held;
        if (nb::object raised = raised_by_signals(); raised.is_valid()) end_by(std::move(raised));
    }
    bool goes_on(std::int64_t iteration, double residual) {
        if (ends_) return false;
        auto const now = std::chrono::steady_clock::now();
        if (now - looked_at_ >= interval) {
            looked_at_ = now;
            look();
        }
        if (!callback_.is_none() && !ends_) tell(iteration, residual);
        return !ends_;
    }
    void tell(std::int64_t iteration, double residual) {
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
    std::chrono::steady_clock::time_point looked_at_ = std::chrono::steady_clock::now();
};

/// tolerance, absolute_tolerance, max_iterations, restart, shadow_space
krylov_options options_of(double rtol, double atol, std::int64_t max_iterations, int restart, int shadow_space);
nb::dict dict_of_result(krylov_result const& result);
/// What Python is told of a solve that an exception ended in a set-up.
nb::dict dict_of_raised(solve_control const& control);

} // namespace coppice::python
