// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Loads and stores that leave the caches to others, and copies of 4, 8 or 16 bytes to shared memory past the
/// registers. On the host they are plain assignments, for the stand-in of a block.
#pragma once

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice {

/// Starts to copy an element; it is there for this thread after finish_copies(), for others behind a barrier after
/// that.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void start_copy(T* to, T const* from) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if defined(__CUDA_ARCH__)
    __pipeline_memcpy_async(to, from, sizeof(T));
#else
    *to = *from;
#endif
}

/// An element that is not needed again soon: its line is the first to leave the cache.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T load_once(T const* from) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return __ldcs(from);
#endif
    return *from;
}
/// What another block wrote during this kernel, so not from the first-level cache.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE T load_fresh(T const* from) {
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
COPPICE_HD COPPICE_ALWAYS_INLINE void store_once(T* to, T const& value) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_floating_point_v<T>) return __stcs(to, value);
#endif
    *to = value;
}

/// Waits for all copies that this thread has started.
COPPICE_HD COPPICE_ALWAYS_INLINE void finish_copies() {
#if defined(__CUDA_ARCH__)
    __pipeline_commit();
    __pipeline_wait_prior(0);
#endif
}

} // namespace coppice
