// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Short waits of host threads for each other.
#pragma once

namespace coppice::inline v0_1::detail {

/// A hint to the processor: this thread is in a loop that waits for another thread.
inline void pause_thread() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
#endif
}

/// Waits until ready() returns true, for at most some ten microseconds, without a system call. Returns whether it is
/// ready. To wake a sleeping thread takes longer than most waits; a longer wait should sleep.
template <class Ready>
bool spin_until(Ready const& ready) {
    constexpr int polls = 512; // a pause takes 20 to 140 cycles
    for (int i = 0; i < polls; ++i) {
        if (ready()) return true;
        pause_thread();
    }
    return ready();
}

} // namespace coppice::inline v0_1::detail
