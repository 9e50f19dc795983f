// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How a stored number is read into arithmetic and written back: two-byte floats in float, std::complex as a
/// complex_pair, everything else as it is.
#pragma once

#include <complex>
#include <type_traits>

#include <coppice/algebra/float16.hpp>
#include <coppice/core/complex_pair.hpp>

namespace coppice::detail {

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
    // A std::complex may be looked at as an array of two by the rules of the language.
    COPPICE_HD static complex_pair<R> load(std::complex<R> const& from) {
        auto const& parts = reinterpret_cast<R const(&)[2]>(from);
        return {parts[0], parts[1]};
    }
    COPPICE_HD static void store(std::complex<R>& to, complex_pair<R> const& value) {
        auto& parts = reinterpret_cast<R(&)[2]>(to);
        parts[0] = value.re;
        parts[1] = value.im;
    }
};

template <class T>
using arithmetic_t = typename stored_value<std::remove_const_t<T>>::arithmetic;

/// What a sum of products of a stored T and a stored X is kept in.
template <class T, class X>
using product_sum_t = decltype(arithmetic_t<T>{} * arithmetic_t<X>{});

/// The type under which a sum is shown to callers.
template <class Sum>
struct scalar_of {
    using type = Sum;
};
template <class R>
struct scalar_of<complex_pair<R>> {
    using type = std::complex<R>;
};

} // namespace coppice::detail
