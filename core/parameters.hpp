// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Parameter types of function objects. They distinguish a parameter that takes an index from a floating-point
/// parameter, to which an index would be converted by mistake.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace coppice::inline v0_1::detail {

/// Parameters of a signature as a tuple. `known` is false for types that are not signatures.
template <class Signature>
struct parameters_of_signature {
    static constexpr bool known = false;
};
template <class... P>
struct known_parameters {
    static constexpr bool known = true;
    using types = std::tuple<P...>;
};
template <class R, class... P, bool N>
struct parameters_of_signature<R (*)(P...) noexcept(N)> : known_parameters<P...> {};
template <class R, class C, class... P, bool N>
struct parameters_of_signature<R (C::*)(P...) noexcept(N)> : known_parameters<P...> {};
template <class R, class C, class... P, bool N>
struct parameters_of_signature<R (C::*)(P...) const noexcept(N)> : known_parameters<P...> {};
template <class R, class C, class... P, bool N>
struct parameters_of_signature<R (C::*)(P...)& noexcept(N)> : known_parameters<P...> {};
template <class R, class C, class... P, bool N>
struct parameters_of_signature<R (C::*)(P...) const& noexcept(N)> : known_parameters<P...> {};

/// Parameters of a function, or of the only call operator of a class. Unknown for templates (generic lambdas) and
/// overloaded call operators.
template <class F>
struct parameters_of : parameters_of_signature<std::decay_t<F>> {};
template <class F>
requires requires { &F::operator(); }
struct parameters_of<F> : parameters_of_signature<decltype(&F::operator())> {};

template <class F, std::size_t At>
constexpr auto find_parameter() {
    using found = parameters_of<std::remove_cvref_t<F>>;
    if constexpr (found::known) {
        if constexpr (At < std::tuple_size_v<typename found::types>)
            return std::type_identity<std::remove_cvref_t<std::tuple_element_t<At, typename found::types>>>{};
        else
            return std::type_identity<void>{};
    } else {
        return std::type_identity<void>{};
    }
}
/// Type of parameter `At` of F without reference and const; void if it is unknown.
template <class F, std::size_t At>
using parameter_t = typename decltype(find_parameter<F, At>())::type;

/// Whether a parameter of type P takes an index: P is an integer, a class that is not a number, or unknown.
template <class P>
constexpr bool is_index_parameter() {
    if constexpr (std::is_void_v<P>)
        return true;
    else if constexpr (std::is_arithmetic_v<P>)
        return std::is_integral_v<P> && !std::is_same_v<P, bool>;
    else
        return std::is_enum_v<P> || !std::is_convertible_v<double, P>;
}

/// Whether all parameters `At` of F take indices.
template <class F, std::size_t... At>
inline constexpr bool takes_index_v = (is_index_parameter<parameter_t<F, At>>() && ...);

} // namespace coppice::inline v0_1::detail
