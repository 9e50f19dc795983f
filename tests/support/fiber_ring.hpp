// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions that run alternately on one thread, each on its own stack: about a hundred times as fast as system threads
/// if they wait for each other often. x86-64 only (COPPICE_TEST_FIBERS).
#pragma once

#if defined(__x86_64__)
#define COPPICE_TEST_FIBERS 1

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace coppice::test {

#define COPPICE_TEST_UNWATCHED __attribute__((no_sanitize("thread")))

/// Saves the callee-saved registers on the stack, stores the stack pointer in *from and continues with the one in `to`.
/// (swapcontext makes two system calls each time, and the address sanitizer clears the shadow of the whole stack.)
__attribute__((naked, noinline, no_sanitize("address", "thread"))) inline void switch_stack(void** /*from*/,
                                                                                            void* /*to*/) {
    asm(R"(
        pushq %rbp
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        popq %rbp
        ret)");
}

/// A stack and its thread handle of the thread sanitizer. They are cached, since creating them takes longer than
/// running a test on them.
struct fiber_stack {
    static constexpr std::size_t bytes = std::size_t(1) << 19, guard_bytes = std::size_t(1) << 12;
    std::byte* memory = nullptr;
    void* thread = nullptr;

    static fiber_stack take() {
        {
            std::lock_guard const lock(spare().mutex);
            auto& stacks = spare().stacks;
            if (!stacks.empty()) {
                fiber_stack const last = stacks.back();
                stacks.pop_back();
                return last;
            }
        }
        void* const memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        mprotect(memory, guard_bytes, PROT_NONE); // an overflow is an error instead of overwriting another fiber
#if defined(__SANITIZE_THREAD__)
        return {static_cast<std::byte*>(memory), __tsan_create_fiber(0)};
#else
        return {static_cast<std::byte*>(memory), nullptr};
#endif
    }
    void give_back() const {
#if defined(__SANITIZE_ADDRESS__) // the poisoned last frames would affect the next user of the memory
        if (memory) __asan_unpoison_memory_region(memory, bytes);
#endif
        std::lock_guard const lock(spare().mutex);
        if (memory) spare().stacks.push_back(*this);
    }

private:
    struct fiber_cache {
        std::mutex mutex;
        std::vector<fiber_stack> stacks;
    };
    static fiber_cache& spare() {
        static fiber_cache* const all = new fiber_cache; // never destroyed, since rings may be destroyed later at exit
        return *all;
    }
};

/// Runs body(0), ..., body(count - 1); each runs until it returns or gives way to the next. A body throws no exception,
/// and does not give way inside of a handler.
///
/// The thread sanitizer sees every body as a thread that run() starts and joins. Switching implies no ordering:
/// unordered accesses of two bodies to the same address are a race in any order of execution. The ring's own data are
/// hidden from it (COPPICE_TEST_UNWATCHED).
class fiber_ring {
public:
    fiber_ring(int count, std::function<void(int)> body) : fibers_(std::size_t(count)), body_(std::move(body)) {
        for (auto& f : fibers_) f.own = fiber_stack::take();
    }
    ~fiber_ring() {
        for (auto& f : fibers_) f.own.give_back();
    }
    fiber_ring(fiber_ring const&) = delete;
    fiber_ring& operator=(fiber_ring const&) = delete;

    /// Returns when all bodies have returned.
    void run() {
        fiber_ring* const outer = std::exchange(current(), this);
        alive_ = int(fibers_.size());
        for (auto& f : fibers_) {
            // The layout of switch_stack: six registers and the return address, aligned as at function entry.
            std::uint64_t frame[8] = {};
            auto const enter_at = &fiber_ring::enter;
            std::memcpy(&frame[6], &enter_at, sizeof(enter_at));
            f.at = f.own.memory + fiber_stack::bytes - sizeof(frame);
            std::memcpy(f.at, frame, sizeof(frame));
            f.alive = true;
        }
        now_ = 0;
#if defined(__SANITIZE_THREAD__)
        caller_.own.thread = __tsan_get_current_fiber();
        __tsan_release(&begun_);
#endif
        if (alive_ > 0) leave(caller_, fibers_[0]);
#if defined(__SANITIZE_THREAD__)
        __tsan_acquire(&ended_);
#endif
        current() = outer;
    }

    /// Switches to the next body of the calling thread's ring; returns when it is this body's turn again.
    COPPICE_TEST_UNWATCHED static void yield_thread() {
        fiber_ring& ring = *current();
        fiber& self = ring.fibers_[ring.now_];
        if (ring.alive_ > 1) leave(self, ring.next());
    }

private:
    struct fiber {
        fiber_stack own;
        void* at = nullptr; ///< its stack pointer while others run
        bool alive = false;
        void* fake_stack = nullptr; ///< of the address sanitizer; the next two are those of the caller
        void const* bottom = nullptr;
        std::size_t bytes = 0;
    };

    COPPICE_TEST_UNWATCHED static fiber_ring*& current() {
        thread_local fiber_ring* ring = nullptr;
        return ring;
    }
    COPPICE_TEST_UNWATCHED fiber& next() {
        do now_ = now_ + 1 == fibers_.size() ? 0 : now_ + 1;
        while (!fibers_[now_].alive);
        return fibers_[now_];
    }

    /// Returns when another body switches to `self`.
    COPPICE_TEST_UNWATCHED static void leave(fiber& self, fiber& to) {
        announce(&self.fake_stack, to);
        switch_stack(&self.at, to.at);
        arrived(self.fake_stack, nullptr);
    }
    COPPICE_TEST_UNWATCHED static void enter() {
        fiber_ring& ring = *current();
#if defined(__SANITIZE_THREAD__)
        __tsan_acquire(&ring.begun_);
#endif
        arrived(nullptr, &ring.caller_);
        std::size_t const self = ring.now_;
        ring.body_(int(self));
#if defined(__SANITIZE_THREAD__)
        __tsan_release(&ring.ended_);
#endif
        ring.fibers_[self].alive = false;
        fiber& to = --ring.alive_ == 0 ? ring.caller_ : ring.next();
        announce(nullptr, to);
        switch_stack(&ring.fibers_[self].at, to.at);
        std::terminate(); // never resumed
    }

    // Informs the address sanitizer about the stacks and the thread sanitizer about the running fiber.
    COPPICE_TEST_UNWATCHED static void announce([[maybe_unused]] void** fake_stack, [[maybe_unused]] fiber const& to) {
#if defined(__SANITIZE_ADDRESS__)
        if (to.own.memory)
            __sanitizer_start_switch_fiber(fake_stack, to.own.memory, fiber_stack::bytes);
        else
            __sanitizer_start_switch_fiber(fake_stack, to.bottom, to.bytes);
#elif defined(__SANITIZE_THREAD__)
        __tsan_switch_to_fiber(to.own.thread, __tsan_switch_to_fiber_no_sync);
#endif
    }
    COPPICE_TEST_UNWATCHED static void arrived([[maybe_unused]] void* fake_stack, [[maybe_unused]] fiber* caller) {
#if defined(__SANITIZE_ADDRESS__)
        void const* bottom = nullptr;
        std::size_t bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack, &bottom, &bytes);
        if (caller && !caller->bottom) caller->bottom = bottom, caller->bytes = bytes;
#endif
    }

    std::vector<fiber> fibers_;
    std::function<void(int)> body_;
    fiber caller_{};
    std::size_t now_ = 0;
    int alive_ = 0;
    // Addresses of annotations for the thread sanitizer: bodies start after run() begins and end before it returns.
    [[maybe_unused]] char begun_ = 0, ended_ = 0;
};

} // namespace coppice::test
#endif
