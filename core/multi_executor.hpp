// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors of the ranks of one distributed problem on one host, and their communication.
///
/// Each rank runs in its own thread with its own executor: some of the cores of this machine, or a device with a
/// stream. Ranks exchange small host values through shared memory. Devices exchange device memory in stream order by
/// NCCL (NVIDIA Collective Communications Library) if it is available.
///
/// COPPICE_RANKS_IN_TURN=1 in the environment lets one rank run at a time, from one exchange to the next. A rank waits
/// for its device before the next one runs, and there is no NCCL. This is for tools that do not follow several threads
/// on one device, such as initcheck of compute-sanitizer.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/core/rank_communicator.hpp>

namespace coppice::inline v0_1 {

namespace detail {

inline bool ranks_run_in_turn() {
    char const* const wish = std::getenv("COPPICE_RANKS_IN_TURN");
    return wish && std::string_view(wish) == "1";
}

/// The shared memory through which the ranks of a multi_executor exchange values. There are two sets of messages, used
/// alternately: a rank that is already in round k + 1 does not write to the set that other ranks still read in round k.
class rendezvous {
public:
    /// If `end_turn` is not null, one rank runs at a time. It calls end_turn(rank) before another one runs.
    explicit rendezvous(int ranks, std::function<void(int)> end_turn = {})
        : ranks_(ranks), spins_(!end_turn && ranks <= int(std::thread::hardware_concurrency()) / 2),
          end_turn_(std::move(end_turn)), messages_{std::vector<message>(std::size_t(ranks)),
                                                    std::vector<message>(std::size_t(ranks))} {}

    using message = std::vector<std::byte>;

    /// If one rank runs at a time, waits for the turn of the calling rank, which lasts as long as the result, except
    /// for exchanges.
    std::unique_lock<std::mutex> turn() { return end_turn_ ? std::unique_lock(turn_) : std::unique_lock<std::mutex>(); }
    /// Gives the message of every rank to every rank. The result is valid until the next call but one.
    std::vector<message> const& exchange(int rank, message mine) {
        if (end_turn_) end_turn_(rank);
        turn_of_others const others(end_turn_ ? &turn_ : nullptr);
        std::unique_lock lock(mutex_);
        std::size_t const round = round_;
        messages_[round % 2][std::size_t(rank)] = std::move(mine);
        if (++arrived_ == ranks_) {
            arrived_ = 0;
            ++round_;
            all_arrived_.notify_all();
        } else if (spins_) {
            // Ranks with equal work arrive within microseconds of each other: spinning is shorter than waking a thread.
            lock.unlock();
            auto const until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
            while (round_ == round && std::chrono::steady_clock::now() < until) {
            }
            lock.lock();
        }
        all_arrived_.wait(lock, [&] { return round_ != round || !failure_.empty() || !ended_.empty(); });
        if (round_ == round) {
            if (failure_.empty()) throw argument_error(ended_);
            throw error(error_code::device, failure_);
        }
        return messages_[round % 2];
    }
    /// Reports that `rank` has failed: the other ranks throw at their next gather().
    void fail(int rank, std::string const& why) {
        std::lock_guard const lock(mutex_);
        if (failure_.empty()) failure_ = "rank " + std::to_string(rank) + " failed: " + why;
        all_arrived_.notify_all();
    }
    /// Reports that `rank` has returned: other ranks that still call gather() throw.
    void finish(int rank) {
        if (end_turn_) end_turn_(rank);
        std::lock_guard const lock(mutex_);
        if (ended_.empty())
            ended_ = "rank " + std::to_string(rank) +
                     " has ended while others still exchange values: ranks must make the same calls";
        all_arrived_.notify_all();
    }

private:
    /// Other ranks may run in this scope; at its end the calling rank waits for its turn. Null: ranks run
    /// concurrently.
    class turn_of_others {
    public:
        explicit turn_of_others(std::mutex* turn) : turn_(turn) {
            if (turn_) turn_->unlock();
        }
        ~turn_of_others() {
            if (turn_) turn_->lock();
        }
        turn_of_others(turn_of_others const&) = delete;
        turn_of_others& operator=(turn_of_others const&) = delete;

    private:
        std::mutex* turn_;
    };

    std::mutex mutex_{};
    std::condition_variable all_arrived_{};
    int ranks_, arrived_ = 0;
    bool spins_; ///< spin before waiting: at most half of the hardware threads are ranks
    std::function<void(int)> end_turn_;
    std::mutex turn_{};                  ///< held by the rank that runs, if one runs at a time
    std::atomic<std::size_t> round_ = 0; ///< changes only under the lock
    std::array<std::vector<message>, 2> messages_;
    std::string failure_{}, ended_{};
};

/// NCCL communicators of the devices of a multi_executor; created at the first request.
class device_collectives {
public:
    explicit device_collectives(std::vector<cuda_executor> executors) : executors_(std::move(executors)) {}

    /// Returns null, on all ranks, if NCCL is not available. Throws device_error if NCCL fails to start.
    device_group const* get() { // not covered: devices only
        std::lock_guard const lock(mutex_);
        if (!failure_.empty()) throw device_error(failure_);
        if (!created_) {
            created_ = true;
            try {
                group_ = device_group::make(executors_, why_not_);
            } catch (error const& e) {
                failure_ = e.what();
                throw;
            }
        }
        return group_.get();
    }
    std::string why_not() const { // not covered: devices only
        std::lock_guard const lock(mutex_);
        return why_not_;
    }
    /// Ends operations that wait for a failed rank. The next call of get() creates new communicators.
    void abort() { // not covered: devices only
        std::lock_guard const lock(mutex_);
        if (!group_) return;
        group_->abort();
        aborted_.push_back(std::move(group_)); // ranks may still hold its address
        created_ = false;
    }

private:
    mutable std::mutex mutex_{};
    std::vector<cuda_executor> executors_;
    std::shared_ptr<device_group> group_{};
    std::vector<std::shared_ptr<device_group>> aborted_{};
    bool created_ = false;
    std::string why_not_{}, failure_{};
};

/// The transport between ranks of one process: they read each other's memory.
class shared_memory_transport final : public rank_transport {
public:
    shared_memory_transport(rendezvous& point, int rank, int ranks, device_collectives* collectives)
        : point_(&point), collectives_(collectives), rank_(rank), ranks_(ranks) {}

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    void all_gather(std::span<std::byte const> mine, bool, take_block const& take) override {
        auto const& from = point_->exchange(rank_, {mine.begin(), mine.end()});
        for (int p = 0; p < ranks_; ++p) take(p, from[std::size_t(p)]);
    }
    void all_to_all(void const* mine, std::size_t bytes, void* from) override {
        auto const* const first = static_cast<std::byte const*>(mine);
        auto const& all = point_->exchange(rank_, {first, first + bytes * std::size_t(ranks_)});
        for (std::size_t p = 0; p < all.size(); ++p)
            std::memcpy(static_cast<std::byte*>(from) + p * bytes, all[p].data() + std::size_t(rank_) * bytes, bytes);
    }
    /// Copies what other ranks send. finish() waits until all ranks have done so.
    std::unique_ptr<rank_exchange> start(std::span<rank_message const> sends,
                                         std::span<rank_message const> receives) override {
        auto const list = std::as_bytes(sends);
        auto const& all = point_->exchange(rank_, {list.begin(), list.end()});
        std::vector<std::size_t> next(all.size(), 0); // of each rank, the first message that was not inspected
        for (rank_message const& to : receives) {
            auto const p = std::size_t(to.rank);
            rank_message from{};
            do {
                if (next[p] + sizeof from > all[p].size())
                    throw argument_error("rank " + std::to_string(rank_) + " expects a message of " +
                                         std::to_string(to.bytes) + " bytes, which rank " + std::to_string(p) +
                                         " does not send");
                std::memcpy(&from, all[p].data() + next[p], sizeof from);
                next[p] += sizeof from;
            } while (from.rank != rank_);
            require_size("bytes of a message from rank " + std::to_string(p), std::int64_t(from.bytes),
                         std::int64_t(to.bytes));
            if (to.bytes > 0) std::memcpy(to.at, from.at, to.bytes);
        }
        return std::make_unique<copied>(*point_, rank_);
    }
    device_group const* devices() override { return collectives_ ? collectives_->get() : nullptr; }
    std::string why_no_devices() const override { // not covered: devices only
        return collectives_ ? collectives_->why_not() : rank_transport::why_no_devices();
    }

private:
    class copied final : public rank_exchange {
    public:
        copied(rendezvous& point, int rank) : point_(&point), rank_(rank) {}
        void finish() override { point_->exchange(rank_, {}); }

    private:
        rendezvous* point_;
        int rank_;
    };

    rendezvous* point_;
    device_collectives* collectives_;
    int rank_, ranks_;
};

} // namespace detail

/// The executors of the ranks of a distributed problem, one per rank. Several may use the same device.
template <executor Executor>
class multi_executor {
public:
    /// Throws argument_error if the list is empty, or if two executors share a stream (copies of one cuda_executor do),
    /// because two threads cannot use one stream simultaneously. Construct the executors of one device separately.
    explicit multi_executor(std::vector<Executor> executors) : executors_(std::move(executors)) {
        if (executors_.empty()) throw argument_error("multi_executor: no executors, expected at least one");
        if constexpr (std::is_same_v<Executor, cuda_executor>)
            for (std::size_t p = 0; p < executors_.size(); ++p)
                for (std::size_t q = 0; q < p; ++q)
                    if (executors_[p].stream() == executors_[q].stream() &&
                        executors_[p].device() == executors_[q].device())
                        throw argument_error("multi_executor: executors " + std::to_string(q) + " and " +
                                             std::to_string(p) + " share a stream, expected a stream for each");
        if constexpr (std::is_same_v<Executor, cuda_executor>)
            collectives_ = std::make_shared<detail::device_collectives>(executors_);
    }
    int ranks() const { return int(executors_.size()); }
    Executor const& executor_of(int p) const { return executors_[std::size_t(p)]; }
    [[deprecated("use ranks()")]] int parts() const { return ranks(); }
    [[deprecated("use executor_of()")]] Executor const& part(int p) const { return executor_of(p); }

    /// Calls work(executor, communicator) for every rank concurrently; returns after all calls have ended. If a rank
    /// throws, the other ranks throw at their next gather(), and run() rethrows the exception of the rank that failed
    /// first. A rank that waits in gather() for a rank that has returned throws argument_error. If the system cannot
    /// start the thread of a rank, that rank fails with thread_error.
    template <class Work>
    void run(Work const& work) const {
        bool const in_turn = detail::ranks_run_in_turn();
        detail::rendezvous point(ranks(), in_turn ? [this](int p) { executor_of(p).synchronize(); }
                                                  : std::function<void(int)>());
        std::vector<std::exception_ptr> failures(executors_.size());
        int first_failed = -1;
        std::mutex mutex;
        auto const failed = [&](int p, std::exception_ptr const& failure, std::string const& why) {
            failures[std::size_t(p)] = failure;
            {
                std::lock_guard const lock(mutex);
                if (first_failed < 0) first_failed = p;
            }
            point.fail(p, why);
            if (collectives_) collectives_->abort();
        };
        auto const one = [&](int p) {
            auto const turn = point.turn();
            try {
                if constexpr (std::is_same_v<Executor, cuda_executor>) make_current(executor_of(p));
                // A rank would wait for NCCL while the others wait for their turn.
                detail::shared_memory_transport transport(point, p, ranks(), in_turn ? nullptr : collectives_.get());
                work(executor_of(p), rank_communicator(transport));
                point.finish(p);
            } catch (std::exception const& e) {
                failed(p, std::current_exception(), e.what());
            } catch (...) {
                failed(p, std::current_exception(), "an exception of no known type");
            }
        };
        std::vector<std::thread> threads;
        threads.reserve(executors_.size());
        auto const started = [&](int p) {
            try {
                // std::function, because std::thread of a lambda would export type information (RTTI) of the lambda.
                threads.emplace_back(std::function<void()>([&one, p] { one(p); }));
                return true;
            } catch (std::exception const& e) {
                thread_error const failure("multi_executor: the thread of rank " + std::to_string(p) + " of " +
                                           std::to_string(ranks()) + " does not start: " + e.what());
                failed(p, std::make_exception_ptr(failure), failure.what());
                return false;
            }
        };
        int p = 1;
        while (p < ranks() && started(p)) ++p;
        if (p == ranks()) one(0);
        for (std::thread& thread : threads) thread.join();
        if (first_failed >= 0) std::rethrow_exception(failures[std::size_t(first_failed)]);
    }

private:
    std::vector<Executor> executors_;
    std::shared_ptr<detail::device_collectives> collectives_{};
};

} // namespace coppice::inline v0_1
