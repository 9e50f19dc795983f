// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Loads of bands in global memory by vectors of 16 bytes.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::rpts {

/// 16 bytes of a band.
template <class T>
struct alignas(16) band_vector {
    static constexpr int length = 16 / int(sizeof(T));
    T element[length];
};

template <class... T>
COPPICE_HD inline bool aligned_to_16(T const*... pointers) {
    return ((reinterpret_cast<std::uintptr_t>(pointers) | ...) & 15) == 0;
}

template <int Count, class T>
COPPICE_LANE void load_vectors(T const* from, T* to) {
    using vector = band_vector<T>;
    COPPICE_UNROLL
    for (int v = 0; v < Count / vector::length; ++v) {
        vector const values = reinterpret_cast<vector const*>(from)[v];
        COPPICE_UNROLL
        for (int k = 0; k < vector::length; ++k) to[v * vector::length + k] = values.element[k];
    }
}

} // namespace coppice::inline v0_1::rpts
