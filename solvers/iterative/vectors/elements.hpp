// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Element types of real and complex vectors, and the type of their dot products.
///
/// Passes over vectors compute with element_t<T>: T itself, or, for std::complex, a complex_pair of the same layout,
/// whose operators also run on a device. Dot products x^H y have type dot_value<E>: double or complex double.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/complex_pair.hpp>
#include <coppice/core/conjugate.hpp>
#include <coppice/core/memory.hpp>

namespace coppice::inline v0_1 {
namespace detail {

template <class T>
struct element_of_type {
    using element = T;
    using real = T;
    using dot = double;
    static constexpr int components = 1; ///< number of doubles in a dot product
};
template <class R>
struct element_of_type<complex_pair<R>> {
    using element = complex_pair<R>;
    using real = R;
    using dot = complex_pair<double>;
    static constexpr int components = 2;
};
template <class R>
struct element_of_type<std::complex<R>> : element_of_type<complex_pair<R>> {};

} // namespace detail

/// The type in which passes compute with vectors of T.
template <class T>
using element_t = typename detail::element_of_type<std::remove_const_t<T>>::element;
/// The type of a dot product of elements E.
template <class E>
using dot_value = typename detail::element_of_type<std::remove_const_t<E>>::dot;

/// Whether T is complex: std::complex or complex_pair.
template <class T>
inline constexpr bool is_complex_number = detail::element_of_type<std::remove_const_t<T>>::components == 2;

namespace detail {

template <class E>
inline constexpr int dot_components = element_of_type<std::remove_const_t<E>>::components;
template <class E>
using real_of_t = typename element_of_type<std::remove_const_t<E>>::real;
/// Machine epsilon of the precision of T.
template <class T>
inline constexpr double epsilon_of = double(std::numeric_limits<typename element_of_type<T>::real>::epsilon());

template <class T>
using element_of_view_t = std::conditional_t<std::is_const_v<T>, element_t<T> const, element_t<T>>;

/// Converts a view of std::complex numbers to a view of elements, and back.
template <class T>
array_view<element_of_view_t<T>> as_elements(array_view<T> x) {
    if constexpr (std::is_same_v<element_of_view_t<T>, T>)
        return x;
    else
        return {reinterpret_cast<element_of_view_t<T>*>(x.data()), x.size()};
}
template <class T, class E>
array_view<T> as_numbers(array_view<E> x) {
    if constexpr (std::is_same_v<T, E> || std::is_same_v<T, E const>)
        return x;
    else
        return {reinterpret_cast<T*>(x.data()), x.size()};
}

/// Converts the coefficients of a matrix view to elements.
template <class T, class I, class O>
csr_view<element_t<T>, I, O> as_elements(csr_view<T, I, O> a) {
    return {a.row_count, a.column_count, a.nonzero_count,
            a.offsets,   a.indices,      reinterpret_cast<element_t<T> const*>(a.coefficients)};
}

COPPICE_HD inline float real_part(float x) { return x; }
COPPICE_HD inline double real_part(double x) { return x; }
template <class R>
COPPICE_HD R real_part(complex_pair<R> const& x) {
    return x.re;
}
COPPICE_HD inline double length_of(double x) { return std::fabs(x); }
COPPICE_HD inline double length_of(complex_pair<double> const& x) { return std::hypot(x.re, x.im); }
COPPICE_HD inline bool is_zero(double x) { return x == 0; }
COPPICE_HD inline bool is_zero(complex_pair<double> const& x) { return x.re == 0 && x.im == 0; }

/// Component c of a dot product.
COPPICE_HD inline double& component_of(double& x, int) { return x; }
COPPICE_HD inline double& component_of(complex_pair<double>& x, int c) { return c == 0 ? x.re : x.im; }

/// conj(x) y in double.
template <class T>
COPPICE_HD double dot_term(T x, T y) {
    return double(x) * double(y);
}
template <class R>
COPPICE_HD complex_pair<double> dot_term(complex_pair<R> const& x, complex_pair<R> const& y) {
    double const a = x.re, b = x.im, c = y.re, d = y.im;
    return {a * c + b * d, a * d - b * c};
}

} // namespace detail
} // namespace coppice::inline v0_1
