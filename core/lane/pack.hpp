// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// SIMD lane type of host kernels: a value that consists of several machine registers.
///
/// Lane code is templated on its value type: float or double in a CUDA thread, a pack on a CPU core, where each lane
/// computes what one CUDA thread would compute. A pack of two registers gives a core two independent dependency chains.
/// Masks keep the form of vector comparisons; std::experimental::simd converts masks of packs wider than a register to
/// bit sets. The register width is part of the type, so that copies of a kernel that are compiled for different
/// instruction sets (core/host/isa.hpp) never share an instantiation.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <coppice/core/config.hpp>

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace coppice::inline v0_1 {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

// The statement for r = 0 ... Registers - 1. A loop would take the compiler three times as long in large kernels: until
// it is unrolled, the registers of a pack are an array in memory.
#define COPPICE_REGISTER(number, ...)                                                                                  \
    if constexpr (number < Registers) {                                                                                \
        constexpr int r = number;                                                                                      \
        __VA_ARGS__;                                                                                                   \
    }
#define COPPICE_EACH_REGISTER(...)                                                                                     \
    do {                                                                                                               \
        COPPICE_REGISTER(0, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(1, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(2, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(3, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(4, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(5, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(6, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(7, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(8, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(9, __VA_ARGS__)                                                                               \
        COPPICE_REGISTER(10, __VA_ARGS__)                                                                              \
        COPPICE_REGISTER(11, __VA_ARGS__)                                                                              \
        COPPICE_REGISTER(12, __VA_ARGS__)                                                                              \
        COPPICE_REGISTER(13, __VA_ARGS__)                                                                              \
        COPPICE_REGISTER(14, __VA_ARGS__)                                                                              \
        COPPICE_REGISTER(15, __VA_ARGS__)                                                                              \
    } while (false)

/// `Registers` machine registers of `Bytes` bytes with elements T (float or double); arithmetic is per lane.
template <class T, int Bytes, int Registers>
struct pack {
    using value_type = T;
    using bits_type = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    typedef T vector __attribute__((vector_size(Bytes)));
    typedef bits_type bits __attribute__((vector_size(Bytes)));
    static constexpr int width = Bytes / int(sizeof(T)); ///< lanes of one register
    static constexpr int size = Registers * width;       ///< lanes of the pack
    static_assert(Registers >= 1 && Registers <= 16);

    struct mask {
        bits m[Registers];

        friend COPPICE_ALWAYS_INLINE mask operator||(mask a, mask const& b) {
            COPPICE_EACH_REGISTER(a.m[r] |= b.m[r]);
            return a;
        }
        /// a and not b, per lane.
        friend COPPICE_ALWAYS_INLINE mask without(mask a, mask const& b) {
            COPPICE_EACH_REGISTER(a.m[r] &= ~b.m[r]);
            return a;
        }
    };

    vector v[Registers];

    pack() = default;
    // GCC copies a trivial object of several registers in pieces of 8 and 16 bytes, which the next load of a register
    // has to wait for.
    COPPICE_ALWAYS_INLINE pack(pack const& a) { *this = a; }
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): a register may be stored into itself
    COPPICE_ALWAYS_INLINE pack& operator=(pack const& a) {
        COPPICE_EACH_REGISTER(v[r] = a.v[r]);
        return *this;
    }
    COPPICE_ALWAYS_INLINE explicit pack(T value) {
        COPPICE_EACH_REGISTER(v[r] = value - vector{}); // without an instruction for the zero: x - 0 is x
    }

    /// a - b, or 0 if b is larger, for integers of which only the leading 16 bits are not zero. x86 has an instruction
    /// for 16 bits at every level, but comparisons of 64 bits only from AVX2 on.
    COPPICE_ALWAYS_INLINE static bits saturated_difference(bits const& a, bits const& b) {
#if defined(__SSE2__) && !defined(__CUDACC__)
        if constexpr (Bytes == 16) return (bits)_mm_subs_epu16((__m128i)a, (__m128i)b);
#endif
#if defined(__AVX2__) && !defined(__CUDACC__)
        if constexpr (Bytes == 32) return (bits)_mm256_subs_epu16((__m256i)a, (__m256i)b);
#endif
#if defined(__AVX512BW__) && !defined(__CUDACC__)
        if constexpr (Bytes == 64) return (bits)_mm512_subs_epu16((__m512i)a, (__m512i)b);
#endif
        return b < a ? a - b : bits{};
    }

    friend COPPICE_ALWAYS_INLINE pack operator+(pack a, pack const& b) {
        COPPICE_EACH_REGISTER(a.v[r] += b.v[r]);
        return a;
    }
    friend COPPICE_ALWAYS_INLINE pack operator-(pack a, pack const& b) {
        COPPICE_EACH_REGISTER(a.v[r] -= b.v[r]);
        return a;
    }
    friend COPPICE_ALWAYS_INLINE pack operator*(pack a, pack const& b) {
        COPPICE_EACH_REGISTER(a.v[r] *= b.v[r]);
        return a;
    }
    friend COPPICE_ALWAYS_INLINE pack operator/(pack a, pack const& b) {
        COPPICE_EACH_REGISTER(a.v[r] /= b.v[r]);
        return a;
    }
    friend COPPICE_ALWAYS_INLINE pack operator-(pack a) {
        COPPICE_EACH_REGISTER(a.v[r] = -a.v[r]);
        return a;
    }
    friend COPPICE_ALWAYS_INLINE mask operator<=(pack const& a, pack const& b) {
        mask result;
        COPPICE_EACH_REGISTER(result.m[r] = a.v[r] <= b.v[r]);
        return result;
    }
    friend COPPICE_ALWAYS_INLINE mask operator<(pack const& a, pack const& b) {
        mask result;
        COPPICE_EACH_REGISTER(result.m[r] = a.v[r] < b.v[r]);
        return result;
    }

    /// Per lane: condition ? a : b. A loop: without it GCC 12 contracts other products of RPTS for AVX-512.
    friend COPPICE_ALWAYS_INLINE pack select(mask const& condition, pack const& a, pack const& b) {
        pack result;
#pragma GCC unroll 8
        for (int r = 0; r < Registers; ++r) result.v[r] = condition.m[r] ? a.v[r] : b.v[r];
        return result;
    }
    /// Absolute values.
    friend COPPICE_ALWAYS_INLINE pack magnitude(pack a) {
        constexpr bits_type all_but_sign = static_cast<bits_type>(~(std::uint64_t(1) << 63) >> (64 - 8 * sizeof(T)));
        COPPICE_EACH_REGISTER(a.v[r] = (vector)((bits)a.v[r] & (bits{} + all_but_sign)));
        return a;
    }
    /// The larger of two values; b if a is NaN.
    friend COPPICE_ALWAYS_INLINE pack larger(pack a, pack const& b) {
#if defined(__AVX512F__)
        if constexpr (Bytes == 64) { // one instruction, which GCC generates only for shorter registers
            if constexpr (sizeof(T) == 4)
                COPPICE_EACH_REGISTER(a.v[r] =
                                          (vector)_mm512_maskz_max_ps(__mmask16(-1), (__m512)a.v[r], (__m512)b.v[r]));
            else
                COPPICE_EACH_REGISTER(a.v[r] =
                                          (vector)_mm512_maskz_max_pd(__mmask8(-1), (__m512d)a.v[r], (__m512d)b.v[r]));
            return a;
        }
#endif
        return select(b < a, a, b);
    }
};
#undef COPPICE_EACH_REGISTER
#undef COPPICE_REGISTER

namespace detail {

// Index of lane `lane` in the two-source shuffle that swaps the off-diagonal blocks of `Half` lanes between a and b.
template <int Half, bool High>
constexpr int swap_block_lane(int lane, int width) {
    bool const odd = (lane / Half) % 2 == 1;
    if constexpr (High) return odd ? width + lane : lane + Half;
    return odd ? width + lane - Half : lane;
}

template <int Half, class Vector, int... Lane>
COPPICE_ALWAYS_INLINE void swap_blocks(Vector& a, Vector& b, std::integer_sequence<int, Lane...>) {
    constexpr int width = sizeof...(Lane);
    Vector const low = __builtin_shufflevector(a, b, swap_block_lane<Half, false>(Lane, width)...);
    b = __builtin_shufflevector(a, b, swap_block_lane<Half, true>(Lane, width)...);
    a = low;
}

template <int Width, int Half, class Vector>
COPPICE_ALWAYS_INLINE void transpose_blocks(Vector (&rows)[Width]) {
    if constexpr (Half > 0) {
#pragma GCC unroll 16
        for (int i = 0; i < Width; ++i)
            if ((i & Half) == 0) swap_blocks<Half>(rows[i], rows[i + Half], std::make_integer_sequence<int, Width>{});
        transpose_blocks<Width, Half / 2>(rows);
    }
}

} // namespace detail

/// Transposes a Width x Width block held in `Width` registers of `Width` elements.
template <int Width, class Vector>
COPPICE_ALWAYS_INLINE void transpose(Vector (&rows)[Width]) {
    detail::transpose_blocks<Width, Width / 2>(rows);
}

} // namespace coppice::inline v0_1
