// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How the caller of a long operation ends it before it is done.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace coppice {

/// Thrown by an operation that its caller has asked to end. What it was to write holds unspecified values then. It does
/// not derive from coppice::error, so that no handler of errors takes it for a failure and goes on.
class interrupted final : public std::exception {
public:
    char const* what() const noexcept override { return "interrupted"; }
};

/// Decides whether operations of the thread that made it go on. While an interruption::scope lives, operations on the
/// host ask between pieces of every parallel loop, and throw `interrupted` once wanted() has been true; an operation on
/// a device asks where the host waits for a value.
class interruption {
public:
    interruption() = default;
    virtual ~interruption() = default;
    interruption(interruption const&) = delete;
    interruption& operator=(interruption const&) = delete;

    /// That of the operation that this thread works for; null for none.
    static interruption* current() noexcept;
    /// Throws `interrupted` where the operation that this thread works for is to end.
    static void check();

    class scope;

private:
    static constexpr std::chrono::milliseconds interval{50}; ///< between two calls of wanted()

    /// Called on the thread that made the object, at most once in an interval.
    virtual bool wanted() = 0;
    void look();

    std::atomic<bool> ended_ = false;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

/// Makes an interruption that of this thread. Null: what runs meanwhile is not interrupted.
class interruption::scope {
public:
    explicit scope(interruption* now) noexcept;
    ~scope();
    scope(scope const&) = delete;
    scope& operator=(scope const&) = delete;

private:
    interruption* before_;
};

} // namespace coppice
