// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Counter-based random numbers: the i-th number is a hash of (seed, stream, i), independent of the thread that draws
/// it.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// Finaliser of SplitMix64: a bijection on 64-bit words in which each output bit depends on all input bits.
COPPICE_HD constexpr std::uint64_t mix_bits(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u; ///< 2^64 divided by the golden ratio

/// Hash of an ordered pair.
COPPICE_HD constexpr std::uint64_t mix_pair(std::uint64_t first, std::uint64_t second) {
    return mix_bits(mix_bits(first + golden_ratio) ^ second);
}

/// One of many independent sequences of random numbers, with random access to element i.
struct random_stream {
    std::uint64_t state = 0;

    COPPICE_HD constexpr random_stream(std::uint64_t seed, std::uint64_t stream)
        : state(mix_bits(mix_bits(seed + golden_ratio) ^ (stream + 1) * golden_ratio)) {}

    /// 64 random bits.
    COPPICE_HD constexpr std::uint64_t bits(std::uint64_t i) const { return mix_bits(state + (i + 1) * golden_ratio); }
    /// Uniform in [0, 1), a multiple of 2^-53.
    COPPICE_HD constexpr double uniform(std::uint64_t i) const { return double(bits(i) >> 11) * 0x1p-53; }
    /// Uniform in (low, high), both ends excluded up to rounding.
    COPPICE_HD constexpr double uniform(std::uint64_t i, double low, double high) const {
        return low + (high - low) * (double(bits(i) >> 11) + 0.5) * 0x1p-53;
    }
};

/// Random numbers one after another, of one object, for example a walk or a vertex.
class random_sequence {
public:
    COPPICE_HD random_sequence(std::uint64_t seed, std::int64_t object)
        : state_(mix_bits(seed * golden_ratio + static_cast<std::uint64_t>(object))) {}
    /// Uniform in [0, 1), a multiple of 2^-53.
    COPPICE_HD double uniform() {
        state_ += golden_ratio;
        return double(mix_bits(state_) >> 11) * 0x1p-53;
    }
    /// Uniform in {0, ..., count - 1}; count > 0.
    COPPICE_HD std::int32_t below(std::int32_t count) {
        auto const x = std::int32_t(uniform() * count);
        return x < count ? x : count - 1;
    }

private:
    std::uint64_t state_;
};

} // namespace coppice::inline v0_1
