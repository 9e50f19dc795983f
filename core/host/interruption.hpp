// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Interruption of long operations by their caller.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace coppice::inline v0_1 {

/// Thrown by an operation that its caller has interrupted. Its output then has unspecified values. The type does not
/// derive from coppice::error, so that error handlers do not catch it and continue.
class interrupted final : public std::exception {
public:
    char const* what() const noexcept override { return "interrupted"; }
};

/// Decides whether operations of the thread that created it continue. While an interruption::scope exists, operations
/// on the host check between pieces of every parallel loop, and throw `interrupted` after requested() has returned
/// true. Operations on a device check when the host waits for a value.
class interruption {
public:
    interruption() = default;
    virtual ~interruption() = default;
    interruption(interruption const&) = delete;
    interruption& operator=(interruption const&) = delete;

    /// Returns the interruption of the operation that this thread executes; null if there is none.
    static interruption* current() noexcept;
    /// Throws `interrupted` if the operation that this thread executes shall end.
    static void check();

    class scope;

private:
    static constexpr std::chrono::milliseconds interval{50}; ///< minimum time between two calls of requested()

    /// Called on the thread that created the object, at most once in an interval.
    virtual bool requested() = 0;
    void check_now();

    std::atomic<bool> ended_ = false;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

/// Sets the interruption of this thread for the lifetime of the scope. Null: operations in the scope are not
/// interrupted.
class interruption::scope {
public:
    explicit scope(interruption* now) noexcept;
    ~scope();
    scope(scope const&) = delete;
    scope& operator=(scope const&) = delete;

private:
    interruption* before_;
};

} // namespace coppice::inline v0_1
