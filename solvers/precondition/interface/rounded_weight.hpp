// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Rounding of weights.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Rounds to 16 significant bits. Weights that differ only by rounding errors become equal, so the scale of a row,
/// which changes the rounding of its quotients, does not decide ties.
COPPICE_HD inline float to_16_bits(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = (bits + 0x80u) & ~0xffu;
    __builtin_memcpy(&value, &bits, sizeof bits);
    return value;
}
COPPICE_HD inline double to_16_bits(double value) {
    std::uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = (bits + (std::uint64_t(1) << 36)) & ~((std::uint64_t(1) << 37) - 1);
    __builtin_memcpy(&value, &bits, sizeof bits);
    return value;
}

/// Replaces the last bits of the value by `last`, which orders values that are equal to 16 bits.
COPPICE_HD inline float with_last_bits(float value, std::uint8_t last) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    bits = (bits & ~0xffu) | last;
    __builtin_memcpy(&value, &bits, sizeof bits);
    return value;
}

} // namespace coppice::inline v0_1::detail
