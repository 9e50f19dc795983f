// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Conversion between storage and arithmetic types: two-byte floats are computed in float, std::complex as
/// complex_pair, all other types as they are.
#pragma once

#include <complex>
#include <type_traits>

#include <coppice/algebra/float16.hpp>
#include <coppice/core/complex_pair.hpp>

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
    COPPICE_HD static void store(std::complex<R>& to, complex_pair<R> const& value) {
        auto& components = reinterpret_cast<R(&)[2]>(to);
        components[0] = value.re;
        components[1] = value.im;
    }
};

template <class T>
using arithmetic_t = typename stored_value<std::remove_const_t<T>>::arithmetic;

/// Type of a sum of products of a stored T and a stored X.
template <class T, class X>
using product_sum_t = decltype(arithmetic_t<T>{} * arithmetic_t<X>{});

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
