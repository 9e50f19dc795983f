// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Which types a function object names for its parameters: to tell an index that a function object asks for from an
/// index that would be converted to a floating-point number by mistake.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace coppice::detail {

/// The parameters of a signature as a tuple; `known` is false for anything else.
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

/// The parameters of a function, or of the one call operator of a class; not known for templates (generic lambdas) and
/// overloads.
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
/// Parameter `At` of F without reference and const; void if it is not known.
template <class F, std::size_t At>
using parameter_t = typename decltype(find_parameter<F, At>())::type;

/// Whether a parameter of this type takes an index: an integer, or a class that is no number. What is not known may.
template <class P>
constexpr bool is_index_parameter() {
    if constexpr (std::is_void_v<P>)
        return true;
    else if constexpr (std::is_arithmetic_v<P>)
        return std::is_integral_v<P> && !std::is_same_v<P, bool>;
    else
        return std::is_enum_v<P> || !std::is_convertible_v<double, P>;
}

/// Whether the parameters `At` of F take indices.
template <class F, std::size_t... At>
inline constexpr bool takes_index_v = (is_index_parameter<parameter_t<F, At>>() && ...);

} // namespace coppice::detail
