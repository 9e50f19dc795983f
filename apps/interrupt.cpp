// SPDX-License-Identifier: BSD-3-Clause
#include "apps/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include <pthread.h>

namespace coppice::app {
namespace {

// Both live as long as the process: the thread below may use them while main() returns.
std::mutex& lock() {
    static auto* const mutex = new std::mutex;
    return *mutex;
}
std::set<std::filesystem::path>& folders() {
    static auto* const all = new std::set<std::filesystem::path>;
    return *all;
}

std::atomic<bool> work_can_end{false}, work_shall_end{false};

// Whoever ignores a signal (nohup) or handles it (a profiler that is loaded before) goes on doing so.
bool ends_the_program(int signal) {
    struct sigaction action {};
    return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
}

[[noreturn]] void end_by(int signal, sigset_t const& waited) {
    lock().lock(); // and never unlocked: what is removed here is not published any more
    for (auto const& folder : folders()) {
        // Another thread may just put a file into a folder that is being emptied.
        std::error_code failure;
        for (int attempt = 0; attempt < 10 && std::filesystem::exists(folder, failure); ++attempt)
            std::filesystem::remove_all(folder, failure);
    }
    std::signal(signal, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &waited, nullptr);
    std::raise(signal);
    std::_Exit(128 + signal);
}

} // namespace

void handle_interrupts() {
    sigset_t waited;
    sigemptyset(&waited);
    for (int const signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2})
        if (ends_the_program(signal)) sigaddset(&waited, signal);
    if (pthread_sigmask(SIG_BLOCK, &waited, nullptr) != 0) return;
    try {
        std::thread([waited] {
            int signal = 0;
            while (sigwait(&waited, &signal) == 0)
                if (signal != SIGINT || !work_can_end || work_shall_end.exchange(true)) end_by(signal, waited);
        }).detach();
    } catch (std::system_error const&) { // no thread: signals end the program as ever, and may leave a folder behind
        pthread_sigmask(SIG_UNBLOCK, &waited, nullptr);
    }
}

std::filesystem::path make_removable_folder(std::string pattern) {
    std::lock_guard const guard(lock()); // a signal finds either no folder or one that it knows
    if (!mkdtemp(pattern.data())) return {};
    folders().insert(pattern);
    return pattern;
}

void forget_interrupt(std::filesystem::path const& folder) {
    std::lock_guard const guard(lock());
    folders().erase(folder);
}

interruptible::interruptible() { work_can_end = true; }
interruptible::~interruptible() { work_can_end = false; }

bool is_interrupted() { return work_shall_end; }

} // namespace coppice::app
