// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Atomic minimum, maximum, counter and flag operations. Their results do not depend on the order of the workers, so
/// they are the same on every run.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// *address = min(*address, value).
COPPICE_LANE void lower_to(std::int64_t* address, std::int64_t value) {
#if defined(__CUDA_ARCH__)
    atomicMin(reinterpret_cast<long long*>(address), static_cast<long long>(value));
#else
    // Compiler builtins, since sources for several instruction sets must not instantiate library functions (see
    // isa.hpp).
    std::int64_t seen = __atomic_load_n(address, __ATOMIC_RELAXED);
    while (value < seen &&
           !__atomic_compare_exchange_n(address, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/// *address = max(*address, value) for values >= 0; NaN counts as larger than all numbers.
COPPICE_LANE void raise_to(double* address, double value) {
    // The bits of values >= 0 are ordered as integers; those of a quiet NaN are above those of infinity.
    std::int64_t bits;
    if (value != value) {
        bits = 0x7ff8000000000000;
    } else {
        __builtin_memcpy(&bits, &value, sizeof(bits));
    }
#if defined(__CUDA_ARCH__)
    auto* const at = reinterpret_cast<long long*>(address);
    if (*reinterpret_cast<long long volatile*>(at) < bits) atomicMax(at, static_cast<long long>(bits));
#else
    auto* const at = reinterpret_cast<std::int64_t*>(address);
    std::int64_t seen = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (seen < bits && !__atomic_compare_exchange_n(at, &seen, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/// ++*address.
COPPICE_LANE void count_one(std::int64_t* address) {
#if defined(__CUDA_ARCH__)
    atomicAdd(reinterpret_cast<unsigned long long*>(address), 1ull);
#else
    __atomic_fetch_add(address, 1, __ATOMIC_RELAXED);
#endif
}

/// *word |= bits.
COPPICE_LANE void set_bits(std::uint32_t* word, std::uint32_t bits) { // not covered: kernels only
#if defined(__CUDA_ARCH__)
    atomicOr(word, bits);
#else
    __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}

/// Compare and swap: *address = value if *address == expected. Returns the old value. Integers of 4 or 8 bytes.
template <class T>
COPPICE_LANE T exchange_if(T* address, T expected, T value) { // not covered: kernels only
#if defined(__CUDA_ARCH__)
    using word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
    return T(atomicCAS(reinterpret_cast<word*>(address), word(expected), word(value)));
#else
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

/// *flag = 1; may be called by any number of workers.
template <class Flag>
COPPICE_LANE void raise_flag(Flag* flag) {
#if defined(__CUDA_ARCH__)
    if (*flag != Flag(1)) *flag = Flag(1); // avoids stores of many warps to one address, which would be serialised
#else
    __atomic_store_n(flag, Flag(1), __ATOMIC_RELAXED);
#endif
}
/// Whether raise_flag has been called for this flag. A concurrent call may or may not be seen.
template <class Flag>
COPPICE_LANE bool is_raised(Flag const* flag) {
#if defined(__CUDA_ARCH__)
    return *static_cast<Flag const volatile*>(flag) != Flag(0);
#else
    return __atomic_load_n(flag, __ATOMIC_RELAXED) != Flag(0);
#endif
}

} // namespace coppice::inline v0_1
