// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several solves in lock step, whose products with one matrix are computed together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <coppice/core/executor.hpp>
#include <coppice/core/repeat.hpp>
#include <coppice/semiring/spgemm/thin_dense.hpp>
#include <coppice/solvers/iterative/operators/csr_operator.hpp>

namespace coppice::inline v0_1::detail {

/// Multiplies one nonzero with the same element of `Width` vectors.
template <class T, class I, int Width>
struct multiply_columns {
    T const* x[Width];
    COPPICE_HD auto operator()(T const& value, I const& column) const {
        column_group<product_sum_t<T, T>, Width> p;
        auto const a = stored_value<T>::load(value);
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) p.sums[j] = a * stored_value<T>::load(read_only(x[j] + column));
        return p;
    }
};
template <class T, int Width>
struct store_columns {
    T* y[Width];
    template <class Sums>
    COPPICE_HD void operator()(std::int64_t row, Sums const& sums) const {
        COPPICE_UNROLL
        for (int j = 0; j < Width; ++j) stored_value<T>::store(y[j][row], sums.sums[j]);
    }
};

/// Vectors of one product.
template <class T>
struct product_request {
    T const* x;
    T* y;
};

/// y_j = A x_j for at most `Width` requests in one pass over A. If there are fewer, the last one is repeated.
template <int Width, executor Executor, class T, class I, class O>
void multiply_together(Executor const& exec, srcsr_plan<O> const& plan, csr_view<T, I, O> a,
                       product_request<T> const* requests, int count, array_view<std::byte> workspace) {
    multiply_columns<T, I, Width> multiply;
    store_columns<T, Width> store;
    for (int j = 0; j < Width; ++j) {
        auto const& request = requests[std::min(j, count - 1)];
        multiply.x[j] = request.x;
        store.y[j] = request.y;
    }
    using add = add_column_group<add_plus<product_sum_t<T, T>>, Width>;
    reduce_rows(exec, plan, along_nonzeros{multiply, a.coefficients, a.indices}, add{}, store, workspace);
}

/// Runs several solves in threads that execute one at a time, so that they can share an executor. A solve that requests
/// a product passes control to the next one; when all active solves have requested one, the products are computed in as
/// few passes over the matrix as possible. The order of the threads is fixed, so results are the same on every run.
///
/// On CUDA their loops are merged: when all unfinished solves have reached a loop, each queues its body, and the queued
/// work of all of them becomes one CUDA graph.
template <executor Executor, class T>
class columns_in_step {
public:
    /// Maximum number of simultaneous solves. On a device, two passes with four columns are faster than one with eight,
    /// which needs too many registers.
    static constexpr int max_columns = std::is_same_v<Executor, host_executor> ? 8 : 4;

    static_assert(max_columns <= max_shared_loops);

    columns_in_step(Executor const& exec, csr_operator<Executor, T> const& a, int solves)
        : exec_(exec), a_(a), members_(static_cast<std::size_t>(solves)),
          workspace_(exec, workspace_of<max_columns>(a.plan())), recorder_(exec) {
        for (int m = 0; m < solves; ++m) member(m).loop = {this, m};
    }

    /// Runs solve(member, k) for all k < `count`, with up to `solves` members simultaneously; rethrows the first
    /// exception.
    void run(std::int64_t count, std::function<void(int, std::int64_t)> const& solve) {
        std::int64_t next = 0; // the active member takes the next column
        std::vector<std::thread> threads;
        auto const work = [&](int m) {
            member(m).activation.acquire();
            try {
                enter_thread(exec_);
                while (!failure_ && next < count) solve(m, next++);
            } catch (...) {
                if (!failure_) failure_ = std::current_exception();
            }
            member(m).state = member_task::done;
            activate_next(m);
        };
        threads.reserve(members_.size());
        try {
            // The threads run a std::function, because a std::thread that runs a lambda exports the type information
            // (RTTI) of the lambda.
            for (int m = 0; m < int(members_.size()); ++m)
                threads.emplace_back(std::function<void()>([&work, m] { work(m); }));
        } catch (std::exception const& e) { // the threads that started solve all columns
            if (threads.empty())
                throw thread_error(std::string("solves in step: no thread for them starts: ") + e.what());
            for (std::size_t m = threads.size(); m < members_.size(); ++m) members_[m].state = member_task::done;
        }
        member(0).activation.release();
        for (std::thread& thread : threads) thread.join();
        if (failure_) std::rethrow_exception(failure_);
    }

    /// Number of passes over the matrix so far.
    std::int64_t passes() const { return passes_; }

    /// Computes y = A x for a member, which must be the active one.
    void multiply(int m, T const* x, T* y) {
        member(m).request = {x, y};
        wait_until_active(m, member_task::waits);
    }
    shared_loop* loop_of(int m) { return &member(m).loop; }

private:
    static constexpr int narrow = 4; ///< columns of a pass if at most this number is requested

    /// State of a solve: working, waiting for a product, at its loop, with its loop body queued, done.
    enum class member_task { ready, waits, loops, queued, done };
    struct member_loop final : shared_loop {
        columns_in_step* all = nullptr;
        int member = 0;
        member_loop() = default;
        member_loop(columns_in_step* of, int m) : all(of), member(m) {}
        bool run(loop_switch* loop, int times, std::function<void()> const& body) override {
            return all->run_loop(member, loop, times, body);
        }
    };
    struct member_state {
        member_task state = member_task::ready;
        product_request<T> request{};
        loop_switch* at = nullptr; ///< switch of its loop
        member_loop loop{};
        std::binary_semaphore activation{0};
    };

    template <int Width>
    static std::int64_t workspace_of(srcsr_plan<std::int32_t> const& plan) {
        return plan.template workspace<column_group<product_sum_t<T, T>, Width>>();
    }
    member_state& member(int m) { return members_[static_cast<std::size_t>(m)]; }

    /// Sets the state of solve m, activates the next solve, and blocks until solve m is active again.
    void wait_until_active(int m, member_task state) {
        member(m).state = state;
        activate_next(m);
        member(m).activation.acquire();
        if (failure_) std::rethrow_exception(failure_);
    }
    bool run_loop(int m, loop_switch* loop, int times, std::function<void()> const& body) { // not covered: devices only
        member(m).at = loop;
        wait_until_active(m, member_task::loops);
        if (!recorder_.records()) {
            while (exec_.load(&loop->on)) body();
            return false;
        }
        try {
            for (int k = 0; k < times; ++k) body();
        } catch (...) {
            recorder_.stop(); // recording must end before memory is released
            throw;
        }
        wait_until_active(m, member_task::queued);
        return true;
    }
    int count(member_task state) const {
        int all = 0;
        for (member_state const& s : members_) all += s.state == state ? 1 : 0;
        return all;
    }
    void change(member_task from, member_task to) {
        for (member_state& s : members_)
            if (s.state == from) s.state = to;
    }

    /// Activates the next member that can continue. If all members wait, executes the operation that they wait for
    /// first.
    void activate_next(int from) {
        int next = next_ready(from);
        if (next < 0) {
            execute_requests();
            next = next_ready(int(members_.size()) - 1);
        }
        if (next >= 0) member(next).activation.release();
    }
    void execute_requests() {
        auto const wake = [&] {
            for (member_task const waiting : {member_task::waits, member_task::loops, member_task::queued})
                change(waiting, member_task::ready);
        };
        if (failure_) return wake(); // wakes all waiting members; each rethrows failure_ in wait_until_active()
        try {
            if (count(member_task::waits) > 0) return multiply_all();
            if (count(member_task::queued) > 0) {
                recorder_.run();                                        // not covered: devices only
                return change(member_task::queued, member_task::ready); // not covered: devices only
            }
            loop_switch* loops[max_columns];
            int looping = 0;
            for (member_state const& s : members_)
                if (s.state == member_task::loops) loops[looping++] = s.at;
            if (looping > 0) recorder_.begin(loops, looping);
            change(member_task::loops, member_task::ready);
        } catch (...) { // wake() lets every waiting member rethrow it
            failure_ = std::current_exception();
            recorder_.stop();
            wake();
        }
    }
    int next_ready(int from) {
        int const count = int(members_.size());
        for (int d = 1; d <= count; ++d)
            if (member((from + d) % count).state == member_task::ready) return (from + d) % count;
        return -1;
    }
    void multiply_all() {
        product_request<T> requests[max_columns];
        int count = 0;
        for (member_state& s : members_)
            if (s.state == member_task::waits) {
                requests[count++] = s.request;
                s.state = member_task::ready;
            }
        if (count == 0) return;
        ++passes_;
        auto const n = a_.size();
        if (count == 1 && !recorder_.records())
            a_.apply(exec_, array_view<T const>(requests[0].x, n), array_view<T>(requests[0].y, n));
        else if (count <= narrow)
            multiply_together<narrow>(exec_, a_.plan(), a_.matrix(), requests, count, workspace_.view());
        else if constexpr (max_columns > narrow)
            multiply_together<max_columns>(exec_, a_.plan(), a_.matrix(), requests, count, workspace_.view());
    }

    static void enter_thread(host_executor const&) {}
    static void enter_thread([[maybe_unused]] cuda_executor const& exec) {
#if defined(__CUDACC__)
        COPPICE_CUDA_CHECK(cudaSetDevice(exec.device()));
#endif
    }

    Executor const& exec_;
    csr_operator<Executor, T> const& a_;
    std::vector<member_state> members_;
    buffer<std::byte> workspace_; ///< workspace of the products
    loop_recorder<Executor> recorder_;
    std::exception_ptr failure_{};
    std::int64_t passes_ = 0;
};

/// The operator of one of the simultaneous solves.
template <executor Executor, class T>
struct operator_in_step {
    columns_in_step<Executor, T>* all;
    int member;
    std::int64_t rows;

    std::int64_t size() const { return rows; }
    void apply(Executor const&, array_view<T const> x, array_view<T> y) const {
        all->multiply(member, x.data(), y.data());
    }
    bool replayable() const { return true; }
    shared_loop* shared() const { return all->loop_of(member); }
};

} // namespace coppice::inline v0_1::detail
