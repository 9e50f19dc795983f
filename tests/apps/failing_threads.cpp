// SPDX-License-Identifier: BSD-3-Clause
// Loaded before a program: the first COPPICE_FAILING_THREADS threads cannot be started.
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <dlfcn.h>
#include <pthread.h>

extern "C" int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*start)(void*),
                              void* argument) {
    static std::atomic<int> created{0};
    char const* const failing = std::getenv("COPPICE_FAILING_THREADS");
    if (failing && created++ < std::atoi(failing)) return EAGAIN;
    static auto const create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
    return create(thread, attributes, start, argument);
}
