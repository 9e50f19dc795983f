// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion between storage and arithmetic types: two-byte floats are computed in float, std::complex as
/// complex_pair, all other types as they are.
#pragma once

#include <complex>
#include <type_traits>

#include <coppice/algebra/float16.hpp>
#include <coppice/core/complex_pair.hpp>
#include <coppice/semiring/operators/precision.hpp>

namespace coppice::inline v0_1::detail {

template <class T>
struct stored_value {
    using arithmetic = T;
    COPPICE_HD static constexpr T load(T const& from) { return from; }
    template <class Sum>
    requires std::is_constructible_v<T, Sum> COPPICE_HD static constexpr void store(T& to, Sum const& value) {
        to = static_cast<T>(value);
    }
};

/// float16 and bfloat16.
template <class T>
struct stored_in_two_bytes {
    using arithmetic = float;
    COPPICE_HD static constexpr float load(T const& from) { return from; }
    COPPICE_HD static constexpr void store(T& to, float value) { to = T(value); }
};
template <>
struct stored_value<float16> : stored_in_two_bytes<float16> {};
template <>
struct stored_value<bfloat16> : stored_in_two_bytes<bfloat16> {};

template <class R>
struct stored_value<std::complex<R>> {
    using arithmetic = complex_pair<R>;
    // The language permits access to a std::complex as an array of two.
    COPPICE_HD static complex_pair<R> load(std::complex<R> const& from) {
        auto const& components = reinterpret_cast<R const(&)[2]>(from);
        return {components[0], components[1]};
    }
    template <class Sum>
    requires std::is_constructible_v<complex_pair<R>, Sum> COPPICE_HD static void store(std::complex<R>& to,
                                                                                        Sum const& value) {
        complex_pair<R> const rounded(value);
        auto& components = reinterpret_cast<R(&)[2]>(to);
        components[0] = rounded.re;
        components[1] = rounded.im;
    }
};

template <class T>
using arithmetic_t = typename stored_value<std::remove_const_t<T>>::arithmetic;

template <class T>
inline constexpr bool is_complex_pair_v = false;
template <class R>
inline constexpr bool is_complex_pair_v<complex_pair<R>> = true;

/// `value` as a real or complex number with real type R.
template <class R, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE constexpr auto with_real_type(T const& value) {
    if constexpr (is_complex_pair_v<T>)
        return complex_pair<R>(value);
    else
        return static_cast<R>(value);
}

/// Product of two values of arithmetic types: complex if one of them is, in the precision of the product of their real
/// types. Integers wrap.
template <class A, class B>
COPPICE_HD COPPICE_ALWAYS_INLINE constexpr auto product_of(A const& a, B const& b) {
    if constexpr (is_complex_pair_v<A> || is_complex_pair_v<B>) {
        using real = decltype(typename real_of<A>::type{} * typename real_of<B>::type{});
        return with_real_type<real>(a) * with_real_type<real>(b);
    } else if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
        using real = decltype(a * b);
        return wrapped_product(static_cast<real>(a), static_cast<real>(b));
    } else {
        return a * b;
    }
}

/// Type of a sum of products of a stored T and a stored X.
template <class T, class X>
using product_sum_t = decltype(product_of(arithmetic_t<T>{}, arithmetic_t<X>{}));

/// Type of a sum in the public interface.
template <class Sum>
struct scalar_of {
    using type = Sum;
};
template <class R>
struct scalar_of<complex_pair<R>> {
    using type = std::complex<R>;
};

} // namespace coppice::inline v0_1::detail
