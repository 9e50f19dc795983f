// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs the body of a CUDA block kernel on CPU threads, so that barrier bugs are found without a GPU.
///
///     block_runner blocks(/*threads*/ 128, /*shared bytes*/ 4096);
///     blocks.run(/*blocks*/ 5, [&](auto const& block, int index, std::byte* shared) { body(block, ...); });
///
/// `block` models the Block of core/block.hpp. The threads of a block are fibers that switch at barriers, which is much
/// faster than system threads (which are used if fibers are not available). The thread sanitizer sees each fiber as a
/// thread and reports a missing barrier as a data race: the only orderings are those of the barriers that the body
/// calls (internal bookkeeping uses relaxed atomics and futexes, because the ordering of a mutex would hide races).
/// Blocks run on two sets of threads without ordering between them, so that races between neighbouring blocks are found
/// as well. Shared memory contains garbage when a block starts.
///
/// A block whose threads cannot all reach a barrier fails with block_failure instead of hanging: threads that return
/// while others wait, threads that wait at different lines, warps of which only some lanes take part in an exchange.
#pragma once

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <coppice/core/block.hpp>
#include <coppice/core/error.hpp>

#include "support/fiber_ring.hpp"

namespace coppice::test {

/// Source location of a call. Replaces std::source_location, which clang before 16 does not have.
struct code_line {
    char const* file = "";
    int line = 0;
    static constexpr code_line current(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

/// A block that could not finish on a GPU, or whose threads wait at different barriers.
class block_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

namespace detail {

/// Counter on which threads can sleep. Sleeping and waking imply no ordering; only `advance` and `passed` do.
class turnstile {
public:
    std::uint32_t now() const { return count_.load(std::memory_order_acquire); }
    bool passed(std::uint32_t seen) const { return count_.load(std::memory_order_acquire) != seen; }
    void advance() {
        count_.fetch_add(1, std::memory_order_release);
        syscall(SYS_futex, &count_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    }
    /// Waits until the count differs from `seen`; acquires what was done before it advanced.
    void wait(std::uint32_t seen) {
        while (!passed(seen)) syscall(SYS_futex, &count_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    }
    /// The same for a thread of a block.
    void wait_in_block(std::uint32_t seen) {
#if defined(COPPICE_TEST_FIBERS)
        while (count_.load(std::memory_order_relaxed) == seen) fiber_ring::yield_thread();
        static_cast<void>(now()); // acquires once, since an acquire is slow under the thread sanitizer
#else
        wait(seen);
#endif
    }

private:
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
    std::atomic<std::uint32_t> count_{0};
};

/// Barrier: arrivals are counted; the last one advances the turnstile.
struct barrier {
    std::atomic<int> arrived{0};
    turnstile predicate;

    /// Whether the caller is the last of `count`; the last one acquires what the others have done.
    bool is_last(int count) {
        if (arrived.fetch_add(1, std::memory_order_release) + 1 < count) return false;
        static_cast<void>(arrived.load(std::memory_order_acquire));
        return true;
    }
};

/// Exception that unwinds a thread of a failed block.
struct block_stopped {};

/// The threads of one block at a time, reused for many blocks.
class block_threads;

} // namespace detail

/// The Block of a body; see core/block.hpp.
class block_stand_in {
public:
    block_stand_in(detail::block_threads& owner, int thread) : owner_(&owner), thread_(thread) {}

    int thread() const { return thread_; }
    int threads() const;
    void sync(code_line where = code_line::current()) const;
    bool sync_any(bool condition, code_line where = code_line::current()) const;

    void sync_warp(code_line where = code_line::current()) const;

    /// `value` of lane `source` (modulo 32) of the own warp.
    template <class T>
    T from_lane(T const& value, int source, code_line where = code_line::current()) const;

    /// Bit l: `condition` of lane l of the own warp.
    unsigned ballot(bool condition, code_line where = code_line::current()) const;

    void await_predecessor() const {}
    void init_barrier(std::uint64_t*) const {}
    void copy(void* to, void const* from, int bytes, std::uint64_t*, bool) const {
        if (thread_ == 0) std::memcpy(to, from, std::size_t(bytes));
    }
    void pass_barrier(std::uint64_t*, code_line where = code_line::current()) const { sync(where); }
    template <class T>
    void publish(hand_over_slot* slot, T const& value) const {
        static_assert(sizeof(T) <= 8);
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof(T));
        std::atomic_ref(slot->half[0]).store(word, std::memory_order_relaxed);
        std::atomic_ref(slot->half[1]).store(1, std::memory_order_release);
    }
    template <class T>
    T collect(hand_over_slot* slot) const;
    template <class T, int Most>
    void collect(hand_over_slot* slots, int stride, int end, T (&out)[Most]) const {
        for (int k = 0; k < Most && k * stride < end; ++k) out[k] = collect<T>(slots + k * stride);
    }
    template <class T>
    void write_message(std::uint64_t* words, T const& value) const {
        std::uint32_t halves[message_words<T>] = {};
        std::memcpy(halves, &value, sizeof(T));
        for (int w = 0; w < message_words<T>; ++w)
            std::atomic_ref(words[w]).store(halves[w] | (std::uint64_t(1) << 32), std::memory_order_relaxed);
    }
    template <class T>
    T await_message(std::uint64_t* words) const;
    void publish_after_fence(hand_over_slot* slot) const { publish(slot, 0); }
    void collect_before_fence(hand_over_slot* slot) const { collect<int>(slot); }

private:
    detail::block_threads* owner_;
    int thread_;
};

namespace detail {

class block_threads {
public:
    using body_type = std::function<void(block_stand_in const&, int, std::byte*)>;

    block_threads(int threads, std::size_t shared_bytes)
        : size_(threads), shared_((shared_bytes + sizeof(line) - 1) / sizeof(line)), warps_(warps()),
          where_(std::size_t(threads)), vote_(std::size_t(threads)), lane_value_(std::size_t(threads)) {
#if defined(COPPICE_TEST_FIBERS)
        workers_.emplace_back([this, threads] {
            fiber_ring ring(threads, [this](int t) { run_blocks(t); });
            work([&] { ring.run(); });
        });
#else
        for (int t = 0; t < threads; ++t) workers_.emplace_back([this, t] { work([&] { run_blocks(t); }); });
#endif
    }
    ~block_threads() {
        body_ = nullptr;
        start_.advance();
        for (auto& worker : workers_) worker.join();
    }
    block_threads(block_threads const&) = delete;
    block_threads& operator=(block_threads const&) = delete;

    int size() const { return size_; }

    /// Starts blocks first, first + step, ... below `end`; `body` must live until finish() returns.
    void begin(int first, int step, int end, body_type const& body) {
        first_ = first;
        step_ = step;
        end_ = end;
        body_ = &body;
        failure_ = nullptr;
        failed_.store(false, std::memory_order_relaxed);
        prepare_block();
        seen_done_ = done_.predicate.now();
        start_.advance();
    }
    /// Waits for the blocks; returns the first exception, if any.
    std::exception_ptr finish() {
        done_.predicate.wait(seen_done_);
        return failure_;
    }

    /// Lets other threads run; unwinds if the block has failed meanwhile.
    void wait_for_others() {
        if (failed_.load(std::memory_order_relaxed)) throw block_stopped{};
#if defined(COPPICE_TEST_FIBERS)
        fiber_ring::yield_thread();
#endif
        std::this_thread::yield();
    }

    void sync(int thread, code_line where) { pass(block_, 0, size_, thread, where); }

    bool sync_any(int thread, bool condition, code_line where) {
        vote_[std::size_t(thread)] = condition;
        sync(thread, where);
        bool const any = std::any_of(vote_.begin(), vote_.end(), [](char v) { return v != 0; });
        sync(thread, where); // no thread votes again before all others have counted
        return any;
    }

    void sync_warp(int thread, code_line where) {
        require_whole_warp(thread, where);
        end_exchange(thread, where);
    }

    /// Address that lane `source` of the warp of `thread` published, valid until end_exchange().
    void const* exchange(int thread, void const* value, int source, code_line where) {
        int const first = require_whole_warp(thread, where);
        lane_value_[std::size_t(thread)] = value;
        end_exchange(thread, where);
        return lane_value_[std::size_t(first + (source & (warp_lanes - 1)))];
    }
    /// Value that lane `lane` of the thread's warp published, between exchange and end_exchange.
    void const* shown(int thread, int lane) const {
        return lane_value_[std::size_t(thread / warp_lanes * warp_lanes + lane)];
    }
    void end_exchange(int thread, code_line where) {
        int const warp = thread / warp_lanes;
        pass(warps_[std::size_t(warp)], warp * warp_lanes, warp_lanes, thread, where);
    }

private:
    struct alignas(64) line {
        std::byte bytes[64];
    };

    /// The first thread of the warp.
    int require_whole_warp(int thread, code_line where) {
        int const first = thread / warp_lanes * warp_lanes;
        if (first + warp_lanes > size_)
            fail(
                std::make_exception_ptr(block_failure("exchange in a warp of fewer than 32 lanes, at " + text(where))));
        if (failed_.load(std::memory_order_relaxed)) throw block_stopped{};
        return first;
    }

    std::size_t warps() const { return std::size_t((size_ + warp_lanes - 1) / warp_lanes); }
    static std::string text(code_line const& where) {
        return std::string(where.file) + ":" + std::to_string(where.line);
    }

    void prepare_block() {
        if (!shared_.empty()) std::memset(static_cast<void*>(shared_.data()), 0xcd, shared_.size() * sizeof(line));
        running_.store(size_, std::memory_order_relaxed);
        returned_.store(0, std::memory_order_relaxed);
        block_.arrived.store(0, std::memory_order_relaxed);
        for (auto& warp : warps_) warp.arrived.store(0, std::memory_order_relaxed);
    }

    template <class Run>
    void work(Run const& run) {
        for (std::uint32_t seen = 0;; ++seen) {
            start_.wait(seen);
            if (!body_) return;
            run();
        }
    }

    void run_blocks(int thread) {
        for (int index = first_; index < end_; index += step_) {
            run_one(thread, index);
            // The last worker decides for all whether to continue. If each worker read failed_ itself, a fast one could
            // already fail in the next block before a slow one reads it.
            meet(next_, [this] {
                stop_ = failed_.load(std::memory_order_relaxed);
                if (!stop_) prepare_block();
            });
            if (stop_) break;
        }
        meet(done_, [] {});
    }

    void run_one(int thread, int index) {
        try {
            (*body_)(block_stand_in(*this, thread), index, shared_.empty() ? nullptr : shared_.data()->bytes);
        } catch (block_stopped const&) {
        } catch (...) {
            fail(std::current_exception());
        }
        // Acquire and release here order only what follows the body, so that they hide no races inside it.
        returned_.fetch_add(1, std::memory_order_relaxed);
        bool const last = running_.fetch_sub(1, std::memory_order_acq_rel) == 1;
        if (last && returned_.load(std::memory_order_relaxed) < size_)
            fail_stuck("threads of the block returned while others wait at a barrier");
    }

    /// Barrier of all workers outside of a body; the last one calls `last()` before it opens.
    template <class Last>
    void meet(barrier& b, Last last) {
        std::uint32_t const seen = b.predicate.now();
        if (b.is_last(size_)) {
            b.arrived.store(0, std::memory_order_relaxed);
            last();
            b.predicate.advance();
        } else {
            b.predicate.wait_in_block(seen);
        }
    }

    /// Barrier inside a body, of the `count` threads from `first` on.
    void pass(barrier& b, int first, int count, int thread, code_line where) {
        where_[std::size_t(thread)] = where;
        std::uint32_t const seen = b.predicate.now();
        if (b.is_last(count)) {
            check_same_line(first, count);
            b.arrived.store(0, std::memory_order_relaxed);
            // The others count as running again before they are released: zero always means that no thread can
            // continue.
            running_.fetch_add(count - 1, std::memory_order_relaxed);
            b.predicate.advance();
        } else {
            if (running_.fetch_sub(1, std::memory_order_relaxed) == 1)
                fail_stuck("no thread of the block can go on: not all reach the barrier at " + text(where));
            if (!failed_.load(std::memory_order_relaxed)) b.predicate.wait_in_block(seen);
        }
        if (failed_.load(std::memory_order_relaxed)) throw block_stopped{};
    }

    void check_same_line(int first, int count) {
        auto const& expected = where_[std::size_t(first)];
        for (int t = first + 1; t < first + count; ++t) {
            auto const& other = where_[std::size_t(t)];
            if (other.line == expected.line &&
                (other.file == expected.file || std::strcmp(other.file, expected.file) == 0))
                continue;
            fail(std::make_exception_ptr(block_failure("thread " + std::to_string(first) + " waits at " +
                                                       text(expected) + ", thread " + std::to_string(t) + " at " +
                                                       text(other))));
            return;
        }
    }

    void fail_stuck(std::string const& message) { fail(std::make_exception_ptr(block_failure(message))); }

    /// Stores the first failure and releases every waiting thread to unwind.
    void fail(std::exception_ptr failure) {
        {
            std::lock_guard const lock(failure_mutex_);
            if (!failure_) failure_ = std::move(failure);
        }
        failed_.store(true, std::memory_order_seq_cst);
        block_.predicate.advance();
        for (auto& warp : warps_) warp.predicate.advance();
    }

    int size_;
    std::vector<line> shared_;
    barrier block_;
    std::vector<barrier> warps_;
    std::vector<code_line> where_; // where each thread waits, for the check by the last to arrive
    std::vector<char> vote_;
    std::vector<void const*> lane_value_;
    std::atomic<int> running_{0}, returned_{0};
    std::atomic<bool> failed_{false};
    std::mutex failure_mutex_;
    std::exception_ptr failure_;

    int first_ = 0, step_ = 1, end_ = 0;
    bool stop_ = false;
    body_type const* body_ = nullptr;
    turnstile start_;
    barrier next_, done_;
    std::uint32_t seen_done_ = 0;
    std::vector<std::thread> workers_; // last member, since the threads use all members above
};

} // namespace detail

inline int block_stand_in::threads() const { return owner_->size(); }
inline void block_stand_in::sync(code_line where) const { owner_->sync(thread_, where); }
inline bool block_stand_in::sync_any(bool condition, code_line where) const {
    return owner_->sync_any(thread_, condition, where);
}

inline void block_stand_in::sync_warp(code_line where) const { owner_->sync_warp(thread_, where); }

template <class T>
T block_stand_in::collect(hand_over_slot* slot) const {
    std::atomic_ref<std::uint64_t> const ready(slot->half[1]);
    while (ready.load(std::memory_order_acquire) == 0) owner_->wait_for_others();
    std::uint64_t const word = std::atomic_ref(slot->half[0]).load(std::memory_order_relaxed);
    ready.store(0, std::memory_order_relaxed);
    alignas(T) unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &word, sizeof(T));
    return *reinterpret_cast<T const*>(bytes);
}

template <class T>
T block_stand_in::await_message(std::uint64_t* words) const {
    alignas(T) std::uint32_t halves[message_words<T>];
    for (int w = 0; w < message_words<T>; ++w) {
        std::uint64_t word;
        while ((word = std::atomic_ref(words[w]).load(std::memory_order_relaxed)) == 0) owner_->wait_for_others();
        halves[w] = std::uint32_t(word);
    }
    T value;
    std::memcpy(static_cast<void*>(&value), halves, sizeof(T));
    return value;
}

template <class T>
T block_stand_in::from_lane(T const& value, int source, code_line where) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T const result = *static_cast<T const*>(owner_->exchange(thread_, std::addressof(value), source, where));
    owner_->end_exchange(thread_, where); // no lane leaves before all others have read its value
    return result;
}

inline unsigned block_stand_in::ballot(bool condition, code_line where) const {
    unsigned bits = 0;
    owner_->exchange(thread_, &condition, 0, where);
    for (int lane = 0; lane < warp_lanes; ++lane)
        bits |= unsigned(*static_cast<bool const*>(owner_->shown(thread_, lane))) << lane;
    owner_->end_exchange(thread_, where);
    return bits;
}

/// Runs bodies as blocks of a fixed number of threads, which are reused by later calls.
class block_runner {
public:
    /// `threads` in 1 ... 1024; a multiple of 32 if the body calls from_lane.
    explicit block_runner(int threads, std::size_t shared_bytes = 0) : threads_(threads), shared_bytes_(shared_bytes) {
        if (threads < 1 || threads > 1024)
            throw argument_error("a block has 1 to 1024 threads, not " + std::to_string(threads));
    }

    /// Calls body(block, index, shared) for blocks 0 ... blocks - 1 and rethrows the first exception of any thread.
    /// `shared` is 64-byte aligned, and null if its size is 0.
    template <class Body>
    void run(int blocks, Body const& body) {
        detail::block_threads::body_type const call = std::cref(body);
        int const sets = blocks < 2 ? blocks : 2;
        while (int(sets_.size()) < sets)
            sets_.push_back(std::make_unique<detail::block_threads>(threads_, shared_bytes_));
        for (int s = 0; s < sets; ++s) sets_[std::size_t(s)]->begin(s, sets, blocks, call);
        std::exception_ptr failure;
        for (int s = 0; s < sets; ++s)
            if (auto const f = sets_[std::size_t(s)]->finish(); f && !failure) failure = f;
        if (failure) std::rethrow_exception(failure);
    }

private:
    int threads_;
    std::size_t shared_bytes_;
    std::vector<std::unique_ptr<detail::block_threads>> sets_;
};

} // namespace coppice::test
