// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Streaming loads and stores, which do not displace other data in the caches, and asynchronous copies of 4, 8 or 16
/// bytes to shared memory, which bypass the registers. On the host they are plain assignments, used by the stand-in of
/// a block (tests/support/block_stand_in.hpp).
#pragma once

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Starts the copy of an element. The value is visible to this thread after finish_copies(), and to other threads after
/// a subsequent barrier.
template <class T>
COPPICE_LANE void start_copy(T* to, T const* from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
    __pipeline_memcpy_async(to, from, sizeof(T));
#else
    *to = *from;
#endif
}

/// Loads an element that is not used again soon: its cache line is evicted first.
template <class T>
COPPICE_LANE T load_once(T const* from) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return __ldcs(from);
#endif
    return *from;
}
/// Loads a value that another block may have written during this kernel; bypasses the first-level cache.
template <class T>
COPPICE_LANE T load_fresh(T const* from) {
#if defined(__CUDA_ARCH__)
    using word = std::conditional_t<alignof(T) % 16 == 0, int4, std::conditional_t<alignof(T) % 8 == 0, int2, int>>;
    T copy;
    COPPICE_UNROLL
    for (int w = 0; w < int(sizeof(T) / sizeof(word)); ++w)
        reinterpret_cast<word*>(&copy)[w] = __ldcg(reinterpret_cast<word const*>(from) + w);
    return copy;
#else
    return *from;
#endif
}
template <class T>
COPPICE_LANE void store_once(T* to, T const& value) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return __stcs(to, value);
#endif
    *to = value;
}

/// Waits for all copies that this thread has started.
COPPICE_LANE void finish_copies() {
#if defined(__CUDA_ARCH__)
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
}

} // namespace coppice::inline v0_1
