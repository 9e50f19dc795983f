// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Guard for objects with internal memory that only one thread may use at a time.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

/// Detects that two threads use an object at the same time, which would give wrong results. It is a member of that
/// object. A copied or moved object starts unused. enter() costs one atomic exchange.
class one_user {
public:
    /// Scope of the use of the object by this thread.
    class use {
    public:
        use() = default;
        explicit use(std::atomic<void const*>* user) : user_(user) {}
        use(use&& other) noexcept : user_(std::exchange(other.user_, nullptr)) {}
        use& operator=(use&&) = delete;
        ~use() {
            if (user_) user_->store(nullptr, std::memory_order_release);
        }

    private:
        std::atomic<void const*>* user_ = nullptr; ///< null for a nested use in the same thread
    };

    one_user() = default;
    one_user(one_user const&) noexcept {}
    one_user& operator=(one_user const&) noexcept { return *this; }

    /// Starts a use of the object. Throws argument_error if another thread is using it; the same thread may nest uses.
    /// `what` names the object in the message, for example "a preconditioner".
    use enter(char const* what) const {
        void const* user = nullptr;
        if (user_.compare_exchange_strong(user, this_thread(), std::memory_order_acquire)) return use(&user_);
        if (user != this_thread())
            throw argument_error(std::string(what) + " is in use by another thread, expected one thread at a time: " +
                                 "make one for each thread");
        return {};
    }

private:
    static void const* this_thread() {
        thread_local char const tag = 0;
        return &tag;
    }
    mutable std::atomic<void const*> user_{nullptr};
};

} // namespace coppice::inline v0_1::detail
