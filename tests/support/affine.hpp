// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Maps x -> a x + b modulo a prime. Their composition is associative and not commutative, so that a changed order or a
/// missing operand changes the result.
#pragma once

#include <cstdint>

#include <coppice/core/config.hpp>

namespace coppice::test {

template <class T = std::uint32_t, std::uint64_t Prime = 2147483647>
struct affine_map {
    T a, b;
    COPPICE_HD friend bool operator==(affine_map const& f, affine_map const& g) { return f.a == g.a && f.b == g.b; }
};

template <class T = std::uint32_t, std::uint64_t Prime = 2147483647>
struct compose_maps {
    using map = affine_map<T, Prime>;
    COPPICE_HD map identity() const { return {1, 0}; }
    COPPICE_HD map operator()(map const& f, map const& g) const { // f first, then g
        return {static_cast<T>(std::uint64_t(g.a) * f.a % Prime),
                static_cast<T>((std::uint64_t(g.a) * f.b + g.b) % Prime)};
    }
};

} // namespace coppice::test
