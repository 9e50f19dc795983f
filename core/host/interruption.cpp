// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/interruption.hpp>

namespace coppice::inline v0_1 {
namespace {

thread_local interruption* of_this_thread = nullptr;

} // namespace

interruption* interruption::current() noexcept { return of_this_thread; }

void interruption::check() {
    if (of_this_thread) of_this_thread->check_now();
}

void interruption::check_now() {
    if (!ended_ && std::this_thread::get_id() == owner_) {
        auto const now = std::chrono::steady_clock::now();
        if (now - asked_ >= interval) {
            asked_ = now;
            if (requested()) ended_ = true;
        }
    }
    if (ended_) throw interrupted();
}

interruption::scope::scope(interruption* now) noexcept : before_(of_this_thread) { of_this_thread = now; }
interruption::scope::~scope() { of_this_thread = before_; }

} // namespace coppice::inline v0_1
