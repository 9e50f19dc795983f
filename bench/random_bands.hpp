// SPDX-License-Identifier: BSD-3-Clause
/// \file Random bands for measurements: drawn by all threads, new for every seed, since a repeated system lets the
/// branch predictor learn the pivots of LAPACK.
#pragma once

#include <cstdint>

#include "core/parallel.hpp"

namespace coppice::bench {

/// Element i of stream `seed` of U(-1, 1).
template <class T>
T uniform(std::uint64_t seed, std::int64_t i) {
    std::uint64_t h = seed * 0x9e3779b97f4a7c15ull + std::uint64_t(i) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebull;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
    return T(double((h ^ (h >> 32)) >> 11) * 0x1p-52 - 1.0);
}

/// Fills `to` with shift + U(-1, 1).
template <class T>
void draw(host_executor const& exec, buffer<T>& to, std::uint64_t seed, T shift = T(0)) {
    T* const at = to.data();
    for_each(exec, to.size(), [=](std::int64_t i) { at[i] = shift + uniform<T>(seed, i); });
}

} // namespace coppice::bench
