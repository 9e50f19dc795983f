// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Two-byte floating-point types for storage. They convert implicitly to float, in which arithmetic is done.
///
/// float16 is IEEE binary16 and has the bits of CUDA's __half; bfloat16 has those of __nv_bfloat16. Conversion to float
/// is exact. Conversion from float rounds to nearest, ties to even, overflows to infinity, and converts NaN to a quiet
/// NaN.
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/core/config.hpp>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace coppice::inline v0_1 {
namespace detail {

/// Returns the upper `32 - shift` bits of `bits`, rounded to nearest, ties to even.
COPPICE_HD constexpr std::uint32_t shift_to_even(std::uint32_t bits, int shift) {
    std::uint32_t const half = std::uint32_t(1) << (shift - 1);
    return (bits + (half - 1) + ((bits >> shift) & 1u)) >> shift;
}

COPPICE_HD constexpr std::uint16_t float_to_binary16(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign = (bits >> 16) & 0x8000u;
    std::uint32_t const magnitude = bits & 0x7fffffffu;
    std::uint32_t result = 0;
    if (magnitude > 0x7f800000u)
        result = 0x7e00u; // NaN
    else if (magnitude >= 0x47800000u)
        result = 0x7c00u; // 2^16 and above
    else if (magnitude >= 0x38800000u)
        result = shift_to_even(magnitude - 0x38000000u, 13); // normal; a carry increments the exponent
    else if (magnitude >= 0x33000000u)                       // subnormal: multiples of 2^-24
        result = shift_to_even((magnitude & 0x7fffffu) | 0x800000u, 126 - int(magnitude >> 23));
    return static_cast<std::uint16_t>(sign | result);
}

COPPICE_HD constexpr float binary16_to_float(std::uint16_t bits) {
    std::uint32_t const sign = std::uint32_t(bits & 0x8000u) << 16;
    std::uint32_t const magnitude = std::uint32_t(bits & 0x7fffu) << 13;
    if (magnitude >= 0x0f800000u) // infinity, NaN
        return std::bit_cast<float>(sign | 0x70000000u | magnitude);
    // The exponent bias of binary16 is 15, that of float is 127. The product with 2^(127 - 15) is exact, also for
    // subnormal numbers.
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f));
}

COPPICE_HD constexpr std::uint16_t float_to_bfloat16(float value) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
    return static_cast<std::uint16_t>(shift_to_even(bits, 16));
}

COPPICE_HD constexpr float bfloat16_to_float(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t(bits) << 16);
}

} // namespace detail

/// IEEE binary16: 11 significant bits, maximum 65504, minimum 2^-24.
struct float16 {
    std::uint16_t bits;

    float16() = default;
    COPPICE_HD constexpr explicit float16(float value) : bits(detail::float_to_binary16(value)) {}
    COPPICE_HD constexpr operator float() const {
#if defined(__CUDA_ARCH__)
        return __half2float(__ushort_as_half(bits)); // one instruction
#else
        return detail::binary16_to_float(bits);
#endif
    }
};

/// Upper half of a float: 8 significant bits, the range of float.
struct bfloat16 {
    std::uint16_t bits;

    bfloat16() = default;
    COPPICE_HD constexpr explicit bfloat16(float value) : bits(detail::float_to_bfloat16(value)) {}
    COPPICE_HD constexpr operator float() const { return detail::bfloat16_to_float(bits); }
};

} // namespace coppice::inline v0_1
