// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Objects with memory of their own that one thread may use at a time.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include <coppice/core/error.hpp>

namespace coppice::detail {

/// Tells whether another thread uses an object, in place of wrong results. A member of the object; a copy or a moved
/// object begins unused. enter() costs one atomic exchange.
class one_user {
public:
    /// The use of the object by this thread, until it is destroyed.
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
        std::atomic<void const*>* user_ = nullptr; ///< null for a use within another one of the same thread
    };

    one_user() = default;
    one_user(one_user const&) noexcept {}
    one_user& operator=(one_user const&) noexcept { return *this; }

    /// Throws argument_error if another thread is within a use; the same thread may enter again. `what` names the
    /// object, as "a preconditioner".
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
        thread_local char const place = 0;
        return &place;
    }
    mutable std::atomic<void const*> user_{nullptr};
};

} // namespace coppice::detail
