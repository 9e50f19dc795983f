// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/host/fork_mutex.hpp>
#include <coppice/core/host/threads_of_process.hpp>

#include <algorithm>
#include <vector>

#include <pthread.h>

namespace coppice::inline v0_1 {
namespace {

/// All mutexes; never destroyed, since fork() may be called until the process ends.
struct fork_mutexes {
    std::mutex mutex{};
    std::vector<detail::fork_mutex*> all{};

    fork_mutexes();
};
fork_mutexes& known() {
    static auto& mutexes = *new fork_mutexes;
    return mutexes;
}
[[maybe_unused]] fork_mutexes const& mutexes_at_load = known();

void lock_all() {
    known().mutex.lock();
    for (auto* const mutex : known().all) mutex->lock();
}
void unlock_all() {
    for (auto* const mutex : known().all) mutex->unlock();
    known().mutex.unlock();
}

void begin_process() {
    detail::threads_of_process::forked();
    unlock_all();
}

// If there is no memory for the handlers, a fork does not wait.
fork_mutexes::fork_mutexes() { ::pthread_atfork(&lock_all, &unlock_all, &begin_process); }

} // namespace

detail::fork_mutex::fork_mutex() {
    std::lock_guard const lock(known().mutex);
    known().all.push_back(this);
}
detail::fork_mutex::~fork_mutex() {
    std::lock_guard const lock(known().mutex);
    std::erase(known().all, this);
}

} // namespace coppice::inline v0_1
