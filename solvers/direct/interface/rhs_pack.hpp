// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A pack of several right-hand sides as one value of lane code: the arithmetic of the elimination applies to all of
/// them; its decisions depend on the matrix only.
#pragma once

#include <coppice/core/config.hpp>
#include <coppice/core/lane/lane_math.hpp>

namespace coppice::inline v0_1::rpts {

/// One element of each of `Count` right-hand sides, aligned to 16 bytes.
template <class T, int Count>
struct alignas(16) rhs_pack {
    T value[Count];

    rhs_pack() = default;
    COPPICE_LANE explicit rhs_pack(T all) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) value[c] = all;
    }
    friend COPPICE_LANE rhs_pack operator+(rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] + b.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack operator-(rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = a.value[c] - b.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack operator*(T const& factor, rhs_pack a) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = factor * a.value[c];
        return a;
    }
    friend COPPICE_LANE rhs_pack multiply_add(T const& factor, rhs_pack a, rhs_pack const& b) {
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) a.value[c] = coppice::multiply_add(factor, a.value[c], b.value[c]);
        return a;
    }
    friend COPPICE_LANE rhs_pack select(bool condition, rhs_pack const& a, rhs_pack const& b) {
        rhs_pack result;
        COPPICE_UNROLL
        for (int c = 0; c < Count; ++c) result.value[c] = condition ? a.value[c] : b.value[c];
        return result;
    }
};

} // namespace coppice::inline v0_1::rpts
