// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The tables of operators.hpp for complex numbers, which have no order.
#pragma once

#include <complex>
#include <concepts>

#include "operators.hpp"

namespace coppice::python {

template <class T>
concept complex_number = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {

template <class T>
struct conjugate {
    T operator()(T a) const { return std::conj(a); }
};

template <complex_number T>
struct binary_table<T> {
    static constexpr char const* what = "operator of complex numbers";
    static constexpr std::array rows{binary_row<T>{"first", of_two<op::first, T>},
                                     binary_row<T>{"second", of_two<op::second, T>},
                                     binary_row<T>{"oneb", of_two<op::oneb, T>},
                                     binary_row<T>{"plus", of_two<op::plus, T>},
                                     binary_row<T>{"minus", of_two<op::minus, T>},
                                     binary_row<T>{"rminus", of_two<op::rminus, T>},
                                     binary_row<T>{"times", of_two<op::times, T>},
                                     binary_row<T>{"div", of_two<op::div, T>},
                                     binary_row<T>{"rdiv", of_two<op::rdiv, T>},
                                     binary_row<T>{"lor", of_two<op::logical_or, T>},
                                     binary_row<T>{"land", of_two<op::logical_and, T>},
                                     binary_row<T>{"lxor", of_two<op::logical_xor, T>},
                                     binary_row<T>{"lxnor", of_two<op::logical_xnor, T>},
                                     binary_row<T>{"eq", of_two<op::iseq, T>},
                                     binary_row<T>{"ne", of_two<op::isne, T>},
                                     binary_row<T>{"pow", of_two<op::pow, T>}};
    template <std::size_t K>
    static constexpr auto call = rows[K].call;
};

template <complex_number T>
struct map_table<T> {
    static constexpr char const* what = "function of complex numbers";
    static constexpr std::array rows{entry_row<T>{"identity", of_value<op::identity, T>},
                                     entry_row<T>{"ainv", of_value<op::ainv, T>},
                                     entry_row<T>{"minv", of_value<op::minv, T>},
                                     entry_row<T>{"lnot", of_value<op::lnot, T>},
                                     entry_row<T>{"one", of_value<one, T>},
                                     entry_row<T>{"sqrt", of_value<square_root, T>},
                                     entry_row<T>{"exp", of_value<exponential, T>},
                                     entry_row<T>{"log", of_value<logarithm, T>},
                                     entry_row<T>{"conj", of_value<conjugate, T>}};
    template <std::size_t K>
    static constexpr auto call = rows[K].call;
};

} // namespace detail
} // namespace coppice::python
