// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Executors of the ranks of one distributed problem on one host, and their communication.
///
/// Each rank runs in its own thread with its own executor: some of the cores of this machine, or a device with a
/// stream. Ranks exchange small host values through shared memory. Devices exchange device memory in stream order by
/// NCCL (NVIDIA Collective Communications Library) if it is available.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

/// Communication of one rank with all others. All ranks call gather(value) in the same order; it returns the values of
/// all ranks, indexed by rank. It throws if another rank has failed or has returned; it never waits for such a rank.
template <class Messages>
concept communicator = requires(Messages const& m) {
    { m.ranks() } -> std::convertible_to<int>;
    { m.rank() } -> std::convertible_to<int>;
    { m.gather(0.0) } -> std::same_as<std::vector<double>>;
};

namespace detail {

/// The shared memory through which the ranks of a multi_executor exchange values. There are two sets of messages, used
/// alternately: a rank that is already in round k + 1 does not write to the set that other ranks still read in round k.
class rendezvous {
public:
    explicit rendezvous(int ranks)
        : ranks_(ranks), spins_(ranks <= int(std::thread::hardware_concurrency()) / 2),
          messages_{std::vector<message>(std::size_t(ranks)), std::vector<message>(std::size_t(ranks))} {}

    template <class Value>
    std::vector<Value> gather(int rank, Value const& value) {
        static_assert(std::is_trivially_copyable_v<Value>, "ranks exchange trivially copyable values");
        message mine(sizeof(Value));
        std::memcpy(mine.data(), &value, sizeof(Value));
        std::vector<message> const& from = exchange(rank, std::move(mine));
        std::vector<Value> values(from.size());
        for (std::size_t p = 0; p < from.size(); ++p) std::memcpy(&values[p], from[p].data(), sizeof(Value));
        return values;
    }
    /// Gathers a vector of every rank. The lengths may differ between ranks.
    template <class Value>
    std::vector<std::vector<Value>> gather(int rank, std::vector<Value> const& values) {
        static_assert(std::is_trivially_copyable_v<Value>, "ranks exchange trivially copyable values");
        message mine(values.size() * sizeof(Value));
        if (!mine.empty()) std::memcpy(mine.data(), values.data(), mine.size());
        std::vector<message> const& from = exchange(rank, std::move(mine));
        std::vector<std::vector<Value>> all(from.size());
        for (std::size_t p = 0; p < from.size(); ++p) {
            all[p].resize(from[p].size() / sizeof(Value));
            if (!from[p].empty()) std::memcpy(all[p].data(), from[p].data(), from[p].size());
        }
        return all;
    }
    /// Reports that `rank` has failed: the other ranks throw at their next gather().
    void fail(int rank, std::string const& why) {
        std::lock_guard const lock(mutex_);
        if (failure_.empty()) failure_ = "rank " + std::to_string(rank) + " failed: " + why;
        all_arrived_.notify_all();
    }
    /// Reports that `rank` has returned: other ranks that still call gather() throw.
    void finish(int rank) {
        std::lock_guard const lock(mutex_);
        if (ended_.empty())
            ended_ = "rank " + std::to_string(rank) +
                     " has ended, others exchange values still: ranks must make the same calls";
        all_arrived_.notify_all();
    }

private:
    using message = std::vector<std::byte>;

    std::vector<message> const& exchange(int rank, message mine) {
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

    std::mutex mutex_{};
    std::condition_variable all_arrived_{};
    int ranks_, arrived_ = 0;
    bool spins_;                         ///< spin before waiting: at most half of the hardware threads are ranks
    std::atomic<std::size_t> round_ = 0; ///< changes only under the lock
    std::array<std::vector<message>, 2> messages_;
    std::string failure_{}, ended_{};
};

/// NCCL communicators of the devices of a multi_executor; created at the first request.
class device_collectives {
public:
    explicit device_collectives(std::vector<cuda_executor> executors) : executors_(std::move(executors)) {}

    /// Returns null, on all ranks, if NCCL is not available. Throws device_error if NCCL fails to start.
    device_group const* get() {
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
    std::string why_not() const {
        std::lock_guard const lock(mutex_);
        return why_not_;
    }
    /// Ends operations that wait for a failed rank. The next call of get() creates new communicators.
    void abort() {
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

} // namespace detail

/// Model of `communicator` for one rank of a multi_executor.
class rank_communicator {
public:
    rank_communicator(detail::rendezvous& rendezvous, int rank, int ranks,
                      detail::device_collectives* collectives = nullptr)
        : rendezvous_(&rendezvous), collectives_(collectives), rank_(rank), ranks_(ranks) {}
    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    [[deprecated("use rank()")]] int part() const { return rank_; }
    [[deprecated("use ranks()")]] int parts() const { return ranks_; }
    template <class Value>
    std::vector<Value> gather(Value const& value) const {
        return rendezvous_->gather(rank_, value);
    }
    /// Returns the vectors of all ranks, indexed by rank. Their lengths may differ.
    template <class Value>
    std::vector<std::vector<Value>> gather(std::vector<Value> const& values) const {
        return rendezvous_->gather(rank_, values);
    }

    /// Collectives between devices without the host. Null on the host, without NCCL, and if two ranks use the same
    /// device.
    device_group const* devices() const { return collectives_ ? collectives_->get() : nullptr; }
    /// Why devices() is null.
    std::string why_no_devices() const { return collectives_ ? collectives_->why_not() : "the ranks are on the host"; }

private:
    detail::rendezvous* rendezvous_;
    detail::device_collectives* collectives_;
    int rank_, ranks_;
};

/// Returns the offset of the elements of each rank in the whole vector, [ranks + 1]. `size`: number of elements of this
/// rank. Collective.
inline std::vector<std::int64_t> offsets_of_ranks(rank_communicator const& comm, std::int64_t size) {
    std::vector<std::int64_t> begin{0};
    for (std::int64_t const count : comm.gather(size)) begin.push_back(begin.back() + count);
    return begin;
}

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
        detail::rendezvous point(ranks());
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
            try {
                if constexpr (std::is_same_v<Executor, cuda_executor>) make_current(executor_of(p));
                work(executor_of(p), rank_communicator(point, p, ranks(), collectives_.get()));
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
                // As std::function: a thread of a lambda would have type information of default visibility.
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
