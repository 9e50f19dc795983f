// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Several right-hand sides as one value of lane code: they take part in the arithmetic of an elimination, not in
/// its decisions.
#pragma once

#include <coppice/core/config.hpp>
#include <coppice/core/lane/lane_math.hpp>

namespace coppice::rpts {

/// One element of each of `Count` right-hand sides; 16 bytes at a time where Count is right.
template <class T, int Count>
struct alignas(16) side_pack {
    T value[Count];

    side_pack() = default;
    COPPICE_HD COPPICE_ALWAYS_INLINE explicit side_pack(T all) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) value[c] = all;
    }
    friend COPPICE_HD COPPICE_ALWAYS_INLINE side_pack operator+(side_pack a, side_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] + b.value[c];
        return a;
    }
    friend COPPICE_HD COPPICE_ALWAYS_INLINE side_pack operator-(side_pack a, side_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] - b.value[c];
        return a;
    }
    friend COPPICE_HD COPPICE_ALWAYS_INLINE side_pack operator*(T const& factor, side_pack a) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = factor * a.value[c];
        return a;
    }
    friend COPPICE_HD COPPICE_ALWAYS_INLINE side_pack multiply_add(T const& factor, side_pack a, side_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = coppice::multiply_add(factor, a.value[c], b.value[c]);
        return a;
    }
    friend COPPICE_HD COPPICE_ALWAYS_INLINE side_pack select(bool condition, side_pack const& a, side_pack const& b) {
        side_pack result;
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) result.value[c] = condition ? a.value[c] : b.value[c];
        return result;
    }
};

} // namespace coppice::rpts
