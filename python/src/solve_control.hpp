// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What Python and a running Krylov method say to each other.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>

#include <coppice/solvers/krylov/krylov_monitor.hpp>

#include "arrays.hpp"

namespace coppice::python {

/// Looks for an interrupt from the keyboard while a solve runs, and tells a callback of its iterations.
class solve_control {
public:
    /// `callback`: (iteration, relative residual), or None.
    explicit solve_control(nb::object callback) : callback_(std::move(callback)) {}

    std::atomic<bool>* interrupted() { return &interrupted_; }
    std::function<bool(std::int64_t, double)> progress() {
        return [this](std::int64_t iteration, double residual) { return goes_on(iteration, residual); };
    }

    /// Runs `work` while the thread that Python interrupts looks for that; an interrupt or an error ends the solve.
    template <class Work>
    void watch(Work work) {
        constexpr auto interval = std::chrono::milliseconds(50);
        auto running = std::async(std::launch::async, std::move(work));
        try {
            while (running.wait_for(interval) != std::future_status::ready) look([] {});
        } catch (...) {
            interrupted_ = true;
            running.wait();
            throw;
        }
        running.get();
    }

private:
    template <class Tell>
    void look(Tell tell) {
        nb::gil_scoped_acquire const held;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            tell();
        } catch (nb::python_error& e) {
            if (!e.matches(PyExc_KeyboardInterrupt)) throw;
            interrupted_ = true;
        }
    }
    bool goes_on(std::int64_t iteration, double residual) {
        constexpr auto interval = std::chrono::milliseconds(50); // between looks where nobody is called
        auto const now = std::chrono::steady_clock::now();
        bool const told = !callback_.is_none();
        if (interrupted_) return false;
        if (!told && now - looked_at_ < interval) return true;
        looked_at_ = now;
        look([&] {
            if (told) callback_(iteration, residual);
        });
        return !interrupted_;
    }

    nb::object callback_;
    std::atomic<bool> interrupted_ = false;
    std::chrono::steady_clock::time_point looked_at_ = std::chrono::steady_clock::now();
};

/// tolerance, absolute_tolerance, max_iterations, restart, shadow_space
krylov_options options_of(double rtol, double atol, std::int64_t max_iterations, int restart, int shadow_space);
nb::dict dict_of_result(krylov_result const& result);

} // namespace coppice::python
