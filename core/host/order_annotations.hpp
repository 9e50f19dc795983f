// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Annotations for the thread sanitizer: the order of memory accesses in sources that it does not instrument. Without
/// effect in other builds. Only sources of core include this file.
#pragma once

#if defined(COPPICE_THREAD_SANITIZER) // defined by CMake for sources that are compiled without -fsanitize=thread
#include <sanitizer/tsan_interface.h>
#endif

namespace coppice::inline v0_1::detail {

/// What this thread did before happens before what follows a later annotate_acquire() of the same address.
inline void annotate_release([[maybe_unused]] void* order) {
#if defined(COPPICE_THREAD_SANITIZER)
    __tsan_release(order);
#endif
}
inline void annotate_acquire([[maybe_unused]] void* order) {
#if defined(COPPICE_THREAD_SANITIZER)
    __tsan_acquire(order);
#endif
}

} // namespace coppice::inline v0_1::detail
