// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Operators on the bits of integers and their monoids.
///
/// | adder | ⊕ | identity | terminal |
/// | --- | --- | --- | --- |
/// | `add_bor` | a or b | 0 | all bits |
/// | `add_band` | a and b | all bits | 0 |
/// | `add_bxor` | exactly one | 0 | |
/// | `add_bxnor` | both or none | all bits | |
#pragma once

#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {
namespace detail {

/// A value of T in which only bit k is set, counted from 1; 0 if T has no bit k.
template <class T>
COPPICE_HD constexpr T bit(T const& k) {
    constexpr int bits = 8 * int(sizeof(T));
    using U = std::make_unsigned_t<T>;
    return k >= T(1) && k <= T(bits) ? static_cast<T>(U(1) << (int(k) - 1)) : T(0);
}

} // namespace detail

namespace op {

template <class T>
struct bor {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a | b); }
};

template <class T>
struct band {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a & b); }
};

template <class T>
struct bxor {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a ^ b); }
};

template <class T>
struct bxnor {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(~(a ^ b)); }
};

// Bits are numbered from 1. Bits outside the type read as 0; setting or clearing them has no effect.

/// Bit b of a: 0 or 1.
template <class T>
struct bget {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return T((a & detail::bit(b)) != 0); }
};

/// a with bit b set.
template <class T>
struct bset {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a | detail::bit(b)); }
};

/// a with bit b cleared.
template <class T>
struct bclr {
    using domain = T;
    COPPICE_HD constexpr T operator()(T const& a, T const& b) const { return static_cast<T>(a & ~detail::bit(b)); }
};

/// Shifts a by b bits to the left, or by -b bits to the right (arithmetic shift for signed types); |b| may exceed the
/// width.
template <class T>
struct bshift {
    template <class B>
    COPPICE_HD constexpr T operator()(T const& a, B const& b) const {
        constexpr int bits = 8 * int(sizeof(T));
        using U = std::make_unsigned_t<T>;
        if (b >= B(bits)) return T(0);
        if constexpr (std::is_signed_v<B>) {
            if (b <= B(-bits)) return a < T(0) ? static_cast<T>(-1) : T(0);
            if (b < B(0)) return static_cast<T>(a >> int(-b));
        }
        return static_cast<T>(static_cast<U>(a) << int(b));
    }
};

} // namespace op

template <class T>
struct add_bor : op::bor<T> {
    COPPICE_HD constexpr T identity() const { return T(0); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a == static_cast<T>(~T(0)); }
};

template <class T>
struct add_band : op::band<T> {
    COPPICE_HD constexpr T identity() const { return static_cast<T>(~T(0)); }
    COPPICE_HD constexpr bool terminal(T const& a) const { return a == T(0); }
};

template <class T>
struct add_bxor : op::bxor<T> {
    COPPICE_HD constexpr T identity() const { return T(0); }
};

template <class T>
struct add_bxnor : op::bxnor<T> {
    COPPICE_HD constexpr T identity() const { return static_cast<T>(~T(0)); }
};

} // namespace coppice::inline v0_1
