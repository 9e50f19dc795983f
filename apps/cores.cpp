// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cores.hpp"

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace coppice::app {

#if defined(__linux__)

namespace {

unsigned long allowed[1024]; // bits; with more than 65536 processors the call fails, and nothing is changed later
long allowed_bytes = 0;

void save_allowed_cores() { allowed_bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed); }

// Functions of .preinit_array run before the initialisers of all shared libraries. The C library is not ready for
// everything then: the system call alone is safe.
[[gnu::section(".preinit_array"), gnu::used]] void (*save_first)() = save_allowed_cores;

} // namespace

void use_all_allowed_cores() {
    if (allowed_bytes > 0) ::syscall(SYS_sched_setaffinity, 0, static_cast<unsigned long>(allowed_bytes), allowed);
}

#else

void use_all_allowed_cores() {}

#endif

} // namespace coppice::app
