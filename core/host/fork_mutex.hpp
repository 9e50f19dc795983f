// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Mutexes of data that all threads of a process share.
#pragma once

#include <mutex>

namespace coppice::inline v0_1::detail {

/// A mutex that fork() waits for. A new process has only the thread that called fork(): a std::mutex that another
/// thread held at that moment stays locked there, and the new process waits for it forever.
///
/// fork() locks all of these mutexes, in any order: while a thread holds one, it must not lock another one, nor create
/// or destroy one.
///
/// The same holds for static variables of functions: one that another thread is initialising when fork() is called is
/// never initialised in the new process, and its users wait forever. So those that every operation uses are initialised
/// when the library is loaded, by a variable `..._at_load` in their source.
class fork_mutex {
public:
    fork_mutex();
    ~fork_mutex();
    fork_mutex(fork_mutex const&) = delete;
    fork_mutex& operator=(fork_mutex const&) = delete;

    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    bool try_lock() { return mutex_.try_lock(); }

private:
    std::mutex mutex_{};
};

} // namespace coppice::inline v0_1::detail
