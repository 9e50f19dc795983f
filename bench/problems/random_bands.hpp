// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random bands for measurements, new for every seed: a repeated system lets the branch predictor learn the
/// pivots of LAPACK.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/parallel.hpp>

namespace coppice::bench {

/// Writes shift + U(-1, 1); element i of stream `seed` is the same on every device.
template <class T>
struct draw_uniform {
    T* to;
    std::uint64_t seed;
    T shift;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::uint64_t h = seed * 0x9e3779b97f4a7c15ull + std::uint64_t(i) * 0xbf58476d1ce4e5b9ull;
        h = (h ^ (h >> 31)) * 0x94d049bb133111ebull;
        h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
        to[i] = shift + T(double((h ^ (h >> 32)) >> 11) * 0x1p-52 - 1.0);
    }
};
template <class T, class Executor>
void draw(Executor const& exec, array_view<T> to, std::uint64_t seed, std::type_identity_t<T> shift = T(0)) {
    for_each(exec, to.size(), draw_uniform<T>{to.data(), seed, shift});
}

template <class T, class Executor>
void draw(Executor const& exec, buffer<T>& to, std::uint64_t seed, std::type_identity_t<T> shift = T(0)) {
    draw(exec, to.view(), seed, shift);
}

} // namespace coppice::bench
