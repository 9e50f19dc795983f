// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several executors that work on parts of one problem, and how the parts exchange values.
///
/// Each part is worked on by a thread of its own with an executor of its own: the cores of this machine in shares, or a
/// device and its stream each. What crosses between parts is a few values of the host at a time, or, between devices
/// where NCCL is found, memory of the devices in the order of their streams.
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
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>

namespace coppice {

/// How a part of a problem reaches the others: gather(value) is called by all parts, in the same order, and gives the
/// values of all of them, by number of the part. It throws where a part has failed or ended; none waits for that one.
template <class Messages>
concept communicator = requires(Messages const& m) {
    { m.parts() } -> std::convertible_to<int>;
    { m.part() } -> std::convertible_to<int>;
    { m.gather(0.0) } -> std::same_as<std::vector<double>>;
};

namespace detail {

/// Where the parts of a multi_executor meet. Values lie here, not with the parts, and in turn at two places: one that
/// is a meeting ahead writes where nobody reads.
class meeting_place {
public:
    explicit meeting_place(int parts)
        : parts_(parts),
          spins_(parts <= int(std::thread::hardware_concurrency()) / 2), slots_{std::vector<slot>(std::size_t(parts)),
                                                                                std::vector<slot>(std::size_t(parts))} {
    }

    template <class Value>
    std::vector<Value> gather(int part, Value const& value) {
        static_assert(std::is_trivially_copyable_v<Value>, "parts exchange trivially copyable values");
        slot mine(sizeof(Value));
        std::memcpy(mine.data(), &value, sizeof(Value));
        std::vector<slot> const& from = meet(part, std::move(mine));
        std::vector<Value> values(from.size());
        for (std::size_t p = 0; p < from.size(); ++p) std::memcpy(&values[p], from[p].data(), sizeof(Value));
        return values;
    }
    /// The same of vectors, which may differ in length.
    template <class Value>
    std::vector<std::vector<Value>> gather(int part, std::vector<Value> const& values) {
        static_assert(std::is_trivially_copyable_v<Value>, "parts exchange trivially copyable values");
        slot mine(values.size() * sizeof(Value));
        if (!mine.empty()) std::memcpy(mine.data(), values.data(), mine.size());
        std::vector<slot> const& from = meet(part, std::move(mine));
        std::vector<std::vector<Value>> all(from.size());
        for (std::size_t p = 0; p < from.size(); ++p) {
            all[p].resize(from[p].size() / sizeof(Value));
            if (!from[p].empty()) std::memcpy(all[p].data(), from[p].data(), from[p].size());
        }
        return all;
    }
    /// Part `part` will not come again: the others throw where they meet.
    void fail(int part, std::string const& why) {
        std::lock_guard const lock(mutex_);
        if (failure_.empty()) failure_ = "part " + std::to_string(part) + " failed: " + why;
        all_here_.notify_all();
    }
    /// Part `part` has done its work: where others still meet, they throw.
    void leave(int part) {
        std::lock_guard const lock(mutex_);
        if (left_.empty())
            left_ = "part " + std::to_string(part) +
                    " has ended, others exchange values still: parts must make the same calls";
        all_here_.notify_all();
    }

private:
    using slot = std::vector<std::byte>;

    std::vector<slot> const& meet(int part, slot mine) {
        std::unique_lock lock(mutex_);
        std::size_t const round = round_;
        slots_[round % 2][std::size_t(part)] = std::move(mine);
        if (++here_ == parts_) {
            here_ = 0;
            ++round_;
            all_here_.notify_all();
        } else if (spins_) {
            // Parts of equal work come within microseconds of each other: less than it takes to wake a thread.
            lock.unlock();
            auto const until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
            while (round_ == round && std::chrono::steady_clock::now() < until) {
            }
            lock.lock();
        }
        all_here_.wait(lock, [&] { return round_ != round || !failure_.empty() || !left_.empty(); });
        if (round_ == round) {
            if (failure_.empty()) throw argument_error(left_);
            throw error(error_code::device, failure_);
        }
        return slots_[round % 2];
    }

    std::mutex mutex_{};
    std::condition_variable all_here_{};
    int parts_, here_ = 0;
    bool spins_;                         ///< there are cores enough for that
    std::atomic<std::size_t> round_ = 0; ///< changes under the lock
    std::array<std::vector<slot>, 2> slots_;
    std::string failure_{}, left_{};
};

/// The collectives of the devices of a multi_executor: made when a part first asks for them.
class device_links {
public:
    explicit device_links(std::vector<cuda_executor> executors) : executors_(std::move(executors)) {}

    /// Null where there are none; on all parts alike. Throws device_error where NCCL could not begin.
    device_group const* get() {
        std::lock_guard const lock(mutex_);
        if (!failure_.empty()) throw device_error(failure_);
        if (!tried_) {
            tried_ = true;
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
    /// Ends what waits for a part that has failed; the next one who asks gets new ones.
    void abort() {
        std::lock_guard const lock(mutex_);
        if (!group_) return;
        group_->abort();
        old_.push_back(std::move(group_)); // parts may hold its address still
        tried_ = false;
    }

private:
    mutable std::mutex mutex_{};
    std::vector<cuda_executor> executors_;
    std::shared_ptr<device_group> group_{};
    std::vector<std::shared_ptr<device_group>> old_{};
    bool tried_ = false;
    std::string why_not_{}, failure_{};
};

} // namespace detail

/// The messages of a part of a multi_executor: a communicator.
class part_messages {
public:
    part_messages(detail::meeting_place& place, int part, int parts, detail::device_links* links = nullptr)
        : place_(&place), links_(links), part_(part), parts_(parts) {}
    int part() const { return part_; }
    int parts() const { return parts_; }
    template <class Value>
    std::vector<Value> gather(Value const& value) const {
        return place_->gather(part_, value);
    }
    /// The vectors of all parts, by number of the part; they may differ in length.
    template <class Value>
    std::vector<std::vector<Value>> gather(std::vector<Value> const& values) const {
        return place_->gather(part_, values);
    }

    /// Between devices: collectives that need no host. Null on the host, without NCCL and where parts share a device.
    device_group const* devices() const { return links_ ? links_->get() : nullptr; }
    /// Why devices() is null.
    std::string why_no_devices() const { return links_ ? links_->why_not() : "the parts are on the host"; }

private:
    detail::meeting_place* place_;
    detail::device_links* links_;
    int part_, parts_;
};

/// Where the elements of each part begin in the whole, [parts + 1]; `size`: those of this part. All parts call it.
inline std::vector<std::int64_t> begins_of_parts(part_messages const& others, std::int64_t size) {
    std::vector<std::int64_t> begin{0};
    for (std::int64_t const of_part : others.gather(size)) begin.push_back(begin.back() + of_part);
    return begin;
}

/// Executors for the parts of a problem, one each; several may name the same device.
template <executor Executor>
class multi_executor {
public:
    /// Throws argument_error where there is no executor, and where two share a stream (copies of one cuda_executor do):
    /// threads cannot use it at once. Executors of one device are constructed one by one.
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
            links_ = std::make_shared<detail::device_links>(executors_);
    }
    int parts() const { return int(executors_.size()); }
    Executor const& part(int p) const { return executors_[std::size_t(p)]; }

    /// Calls work(executor, messages) for every part at the same time and returns when all have ended. Where parts
    /// throw, the others throw at their next gather(), and the exception of the first part that failed by itself
    /// reaches the caller. A part that waits in gather() for one that has returned throws argument_error. If the system
    /// does not start a thread for a part, that part counts as failed, with thread_error.
    template <class Work>
    void run(Work const& work) const {
        detail::meeting_place place(parts());
        std::vector<std::exception_ptr> failures(executors_.size());
        int first_failed = -1;
        std::mutex mutex;
        auto const failed = [&](int p, std::exception_ptr const& failure, std::string const& why) {
            failures[std::size_t(p)] = failure;
            {
                std::lock_guard const lock(mutex);
                if (first_failed < 0) first_failed = p;
            }
            place.fail(p, why);
            if (links_) links_->abort();
        };
        auto const one = [&](int p) {
            try {
                if constexpr (std::is_same_v<Executor, cuda_executor>) make_current(part(p));
                work(part(p), part_messages(place, p, parts(), links_.get()));
                place.leave(p);
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
                threads.emplace_back(one, p);
                return true;
            } catch (std::exception const& e) {
                thread_error const failure("multi_executor: the thread of part " + std::to_string(p) + " of " +
                                           std::to_string(parts()) + " does not start: " + e.what());
                failed(p, std::make_exception_ptr(failure), failure.what());
                return false;
            }
        };
        int p = 1;
        while (p < parts() && started(p)) ++p;
        if (p == parts()) one(0);
        for (std::thread& thread : threads) thread.join();
        if (first_failed >= 0) std::rethrow_exception(failures[std::size_t(first_failed)]);
    }

private:
    std::vector<Executor> executors_;
    std::shared_ptr<detail::device_links> links_{};
};

} // namespace coppice
