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

/// Whether apply() of an operator or preconditioner may be captured into a CUDA graph. See <coppice/krylov.hpp>.
template <class Operator>
bool is_replayable(Operator const& op) {
    if constexpr (tells_replayable<Operator>)
        return op.replayable();
    else
        return false;
}

/// Whether this preconditioner is z = r.
template <class M>
bool is_identity(M const& m) {
    if constexpr (requires { m.is_identity(); })
        return m.is_identity();
    else
        return false;
}

/// Nothing to hold.
struct no_turn {};
/// Notifies a preconditioner of the begin of a solve; the returned object exists as long as the solve.
template <class M>
auto begin_solve_of(M const& m) {
    if constexpr (requires { m.begin_solve(); }) {
        if constexpr (!std::is_void_v<decltype(m.begin_solve())>) {
            return m.begin_solve();
        } else {
            m.begin_solve();
            return no_turn{};
        }
    } else {
        return no_turn{};
    }
}

/// Whether apply_and_dot() of an operator exists and may be called.
template <class Operator>
bool has_dots(Operator const& op) {
    if constexpr (requires { op.has_dots(); })
        return op.has_dots();
    else
        return true;
}

/// sums[0] = left^H y, sums[1] = y^H y, where an operator does not do it in its product.
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

/// The iterations of one solve with an operator on vectors of T. `State` is trivially copyable and begins with a
/// krylov_control `control`.
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
            history_ = buffer<double>(memory, std::clamp<std::int64_t>(options.max_iterations, 1, most_recorded));
        if (options.progress) {
            mail_ = buffer<krylov_mail>(memory, 1);
            *mail_.data() = {};
        }
    }

    /// The body of the rounds rests when a round has ended, so that several may be queued in a row: the fewer the more
    /// the products cost that those behind the end take for nothing.
    void rests_at_the_end() { repeats_ = repetition<Executor>::repeats_of(exec_, scratch_.size); }

    /// In memory of the executor.
    State* state() { return state_.data(); }

    /// y = A x with sums[0] = left^H y and, where Count is 2, sums[1] = y^H y; `sums` in memory of the executor.
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

    /// A round: begin() once, then body() again and again until the state says that the round has ended. `first` is the
    /// state to begin with; returns the last one.
    template <class Begin, class Body>
    State round(State first, best_solution<Executor, T>& best, Begin const& begin, Body const& body) {
        first.control = monitor_.control();
        first.control.best = best.residual();
        if (!history_.empty()) {
            first.control.history = history_.data();
            first.control.history_room = history_.size();
        }
        if (!mail_.empty()) first.control.mail = mail_.data();
        seen_ = begin_ = first.control.iterations;
        exec_.copy_elements(&first, state_.data(), 1);
        begin();
        std::function<void()> watch;
        if (monitor_.options().progress) watch = [this] { tell_progress(); };
        State now;
        for (;;) {
            repeat_.run(&control()->loop, {replayable_, repeats_}, body, watch);
            now = exec_.load(state_.data());
            hear(now.control);
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
    static constexpr std::int64_t most_recorded = 1024; ///< then the host fetches them

    krylov_control* control() { return &state_.data()->control; }

    /// Host-side results of the loop: progress not yet reported, and the history.
    void hear(krylov_control const& now) {
        if (monitor_.options().progress) { // of those behind the last word from the device
            mail_.data()->iterations = now.iterations;
            tell_progress();
        }
        std::int64_t const iterations = now.iterations - begin_;
        if (monitor_.options().record_history && iterations > 0) {
            auto const recorded = to_vector(exec_, history_.view().slice(0, iterations));
            auto& all = monitor_.result().residual_history;
            all.insert(all.end(), recorded.begin(), recorded.end());
        }
    }

    /// Reports the iterations that have not been reported yet to the caller.
    void tell_progress() {
        std::int64_t const done = *static_cast<std::int64_t volatile*>(&mail_.data()->iterations);
        std::atomic_thread_fence(std::memory_order_acquire);
        for (; seen_ < done && !cancelled_; ++seen_) {
            double const residual = static_cast<double const volatile*>(history_.data())[seen_ - begin_];
            cancelled_ = !monitor_.options().progress(seen_ + 1, residual);
        }
        if (!cancelled_) return;
        *static_cast<int volatile*>(&mail_.data()->cancel) = 1;
        if constexpr (std::is_same_v<Executor, host_executor>) control()->loop.on = 0;
    }

    Executor exec_;
    krylov_monitor& monitor_;
    pass_scratch<Executor>& scratch_;
    bool replayable_;
    int repeats_ = 1; ///< of an iteration in a turn of the loop
    buffer<State> state_;
    buffer<double> history_{};
    buffer<krylov_mail> mail_{};
    repetition<Executor> repeat_; // behind what its kernels use
    std::int64_t seen_ = 0;       ///< iterations that the caller has been told of
    std::int64_t begin_ = 0;      ///< iteration of the first entry of the history
    bool cancelled_ = false;
};

} // namespace coppice::inline v0_1::detail
