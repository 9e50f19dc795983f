// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The iterations of a Krylov method: their state in memory of the executor, the loop, and its observation by the host.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>

#include <coppice/core/one_user.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/solvers/iterative/krylov/krylov_rounds.hpp>
#include <coppice/solvers/iterative/vectors/product_and_dot.hpp>
#include <coppice/solvers/iterative/vectors/vector_pass.hpp>

namespace coppice::inline v0_1::detail {

/// Returns whether apply() of an operator or preconditioner may be captured into a CUDA graph. See
/// <coppice/krylov.hpp>.
template <class Operator>
bool is_replayable(Operator const& op) {
    if constexpr (declares_replayable<Operator>)
        return op.replayable();
    else
        return false;
}

/// Returns whether this preconditioner is the identity.
template <class M>
bool is_identity(M const& m) {
    if constexpr (requires { m.is_identity(); })
        return m.is_identity();
    else
        return false;
}

/// For preconditioners without begin_solve().
struct no_solve_scope {};
/// Notifies a preconditioner that a solve begins; the returned object lives as long as the solve.
template <class M>
auto begin_solve_of(M const& m) {
    if constexpr (requires { m.begin_solve(); }) {
        if constexpr (!std::is_void_v<decltype(m.begin_solve())>) {
            return m.begin_solve();
        } else {
            m.begin_solve();
            return no_solve_scope{};
        }
    } else {
        return no_solve_scope{};
    }
}

/// Returns whether apply_and_dot() of an operator exists and may be called.
template <class Operator>
bool has_dots(Operator const& op) {
    if constexpr (requires { op.has_dots(); })
        return op.has_dots();
    else
        return true;
}

/// sums[0] = left^H y, sums[1] = y^H y, for an operator without apply_and_dot().
template <class T, int Count>
struct dots_of_product {
    static constexpr int dots = Count;
    T const* left;
    T const* y;
    dot_value<T>* sums;

    COPPICE_HD no_update begin() const { return {}; }
    COPPICE_HD dot_pair<T> pair(int p) const {
        dot_pair<T> both;
        both.left = p == 0 ? left : y;
        both.right = y;
        return both;
    }
    COPPICE_HD void finish(dot_value<T> const* all) const {
        for (int p = 0; p < Count; ++p) sums[p] = all[p];
    }
};

/// Executes the iterations of one solve on vectors of T. `State` is trivially copyable and begins with a krylov_control
/// `control`.
template <executor Executor, class T, class State>
class krylov_iteration {
    static_assert(std::is_trivially_copyable_v<State>);

public:
    using element = element_t<T>;

    template <class A, class M>
    krylov_iteration(Executor const& exec, krylov_monitor& monitor, pass_scratch<Executor>& scratch, A const& a,
                     M const& m)
        : exec_(exec), monitor_(monitor), scratch_(scratch), replayable_(is_replayable(a) && is_replayable(m)),
          state_(exec, 1), repeat_(exec) {
        repeat_.attach(loop_of(a));
        auto const& options = monitor.options();
        auto const memory = options.progress ? shared_memory(exec) : exec.memory();
        if (options.record_history || options.progress)
            history_ = buffer<double>(memory, std::clamp<std::int64_t>(options.max_iterations, 1, max_recorded));
        if (options.progress) {
            messages_ = buffer<krylov_messages>(memory, 1);
            *messages_.data() = {};
        }
    }

    /// Declares that the body has no effect after the round has ended, so that several iterations may be queued at a
    /// time. The number decreases with the cost of a product, because queued iterations after the end are wasted.
    void rests_at_the_end() { repeats_ = repetition<Executor>::repeats_of(exec_, scratch_.size); }

    /// The state in memory of the executor.
    State* state() { return state_.data(); }

    /// y = A x with sums[0] = left^H y and, if Count is 2, sums[1] = y^H y. `sums` is in memory of the executor.
    template <int Count, class A>
    void multiply(A const& a, array_view<element> x, array_view<element> y, array_view<element> left,
                  dot_value<element>* sums) {
        array_view<T const> const from = as_numbers<T>(x);
        array_view<T> const to = as_numbers<T>(y);
        T const* const with = as_numbers<T>(left).data();
        if constexpr (requires { a.template apply_and_dot<Count>(exec_, from, to, with, sums); })
            if (has_dots(a)) return a.template apply_and_dot<Count>(exec_, from, to, with, sums);
        a.apply(exec_, from, to);
        pass(dots_of_product<element, Count>{left.data(), y.data(), sums});
    }
    template <class Pass>
    void pass(Pass const& p) {
        run_pass(exec_, scratch_, p);
    }

    /// Executes a round: begin() once, then body() repeatedly until the state indicates the end of the round. `first`
    /// is the initial state; returns the final state.
    template <class Begin, class Body>
    State round(State first, best_solution<Executor, T>& best, Begin const& begin, Body const& body) {
        first.control = monitor_.control();
        first.control.best = best.residual();
        if (!history_.empty()) {
            first.control.history = history_.data();
            first.control.history_capacity = history_.size();
        }
        if (!messages_.empty()) first.control.messages = messages_.data();
        reported_ = begin_ = first.control.iterations;
        exec_.copy_elements(&first, state_.data(), 1);
        begin();
        std::function<void()> watch;
        if (monitor_.options().progress) watch = [this] { report_progress(); };
        State now;
        for (;;) {
            repeat_.run(&control()->loop, {replayable_, repeats_}, body, watch);
            now = exec_.load(state_.data());
            process_state(now.control);
            if (now.control.end != round_end::pause) break;
            now.control.end = round_end::none;
            now.control.loop.on = 1;
            now.control.history_begin = begin_ = now.control.iterations;
            exec_.copy_elements(&now, state_.data(), 1);
        }
        if (cancelled_) now.control.end = round_end::cancelled;
        best.close(now.control);
        monitor_.close(now.control);
        monitor_.result().on_device = repeat_.on_device();
        return now;
    }

private:
    /// Capacity of the history on the device; the host fetches it when it is full.
    static constexpr std::int64_t max_recorded = 1024;

    krylov_control* control() { return &state_.data()->control; }

    /// Processes the state on the host: reports the progress since the last call and appends to the history.
    void process_state(krylov_control const& now) {
        if (monitor_.options().progress) { // only iterations since the last state from the device
            messages_.data()->iterations = now.iterations;
            report_progress();
        }
        std::int64_t const iterations = now.iterations - begin_;
        if (monitor_.options().record_history && iterations > 0) {
            auto const recorded = to_vector(exec_, history_.view().slice(0, iterations));
            auto& all = monitor_.result().residual_history;
            all.insert(all.end(), recorded.begin(), recorded.end());
        }
    }

    /// Calls the progress callback for the iterations that it has not been called for yet.
    void report_progress() {
        std::int64_t const done = *static_cast<std::int64_t volatile*>(&messages_.data()->iterations);
        std::atomic_thread_fence(std::memory_order_acquire);
        for (; reported_ < done && !cancelled_; ++reported_) {
            double const residual = static_cast<double const volatile*>(history_.data())[reported_ - begin_];
            cancelled_ = !monitor_.options().progress(reported_ + 1, residual);
        }
        if (!cancelled_) return;
        *static_cast<int volatile*>(&messages_.data()->cancel) = 1;
        if constexpr (std::is_same_v<Executor, host_executor>) control()->loop.on = 0;
    }

    Executor exec_;
    krylov_monitor& monitor_;
    pass_scratch<Executor>& scratch_;
    bool replayable_;
    int repeats_ = 1; ///< iterations per pass of the loop
    buffer<State> state_;
    buffer<double> history_{};
    buffer<krylov_messages> messages_{};
    repetition<Executor> repeat_; // declared after the memory that its kernels use, so that it is destroyed first
    std::int64_t reported_ = 0;   ///< number of iterations that have been reported to the caller
    std::int64_t begin_ = 0;      ///< iteration of the first entry of the history
    bool cancelled_ = false;
};

} // namespace coppice::inline v0_1::detail
