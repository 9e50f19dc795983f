// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Complex numbers for kernels. They have the layout of std::complex, whose operators are not all available on a
/// device.
#pragma once

#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1 {

/// re + i im. Products use the plain formula, without the special treatment of infinities of Annex G of the C standard.
template <class R>
struct complex_pair {
    R re;
    R im;

    complex_pair() = default;
    template <class S>
    requires std::is_arithmetic_v<S> COPPICE_HD constexpr explicit complex_pair(S real) : re(R(real)), im(0) {}
    template <class S>
    COPPICE_HD constexpr explicit complex_pair(complex_pair<S> const& other) : re(R(other.re)), im(R(other.im)) {}
    COPPICE_HD constexpr complex_pair(R real, R imaginary) : re(real), im(imaginary) {}

    COPPICE_HD friend constexpr complex_pair operator+(complex_pair const& a, complex_pair const& b) {
        return {a.re + b.re, a.im + b.im};
    }
    COPPICE_HD friend constexpr complex_pair operator-(complex_pair const& a, complex_pair const& b) {
        return {a.re - b.re, a.im - b.im};
    }
    COPPICE_HD friend constexpr complex_pair operator-(complex_pair const& a) { return {-a.re, -a.im}; }
    COPPICE_HD friend constexpr complex_pair operator*(complex_pair const& a, complex_pair const& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    COPPICE_HD friend constexpr complex_pair operator*(complex_pair const& a, R b) { return {a.re * b, a.im * b}; }
    COPPICE_HD friend constexpr complex_pair operator*(R a, complex_pair const& b) { return b * a; }
    COPPICE_HD friend constexpr complex_pair operator/(complex_pair const& a, R b) { return {a.re / b, a.im / b}; }
    /// Quotient by Smith's method (1962), which does not square b and so avoids overflow and underflow.
    COPPICE_HD friend constexpr complex_pair operator/(complex_pair const& a, complex_pair const& b) {
        if ((b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im)) {
            R const ratio = b.im / b.re, whole = b.re + b.im * ratio;
            return {(a.re + a.im * ratio) / whole, (a.im - a.re * ratio) / whole};
        }
        R const ratio = b.re / b.im, whole = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / whole, (a.im * ratio - a.re) / whole};
    }
    COPPICE_HD constexpr complex_pair& operator+=(complex_pair const& b) { return *this = *this + b; }
    COPPICE_HD constexpr complex_pair& operator-=(complex_pair const& b) { return *this = *this - b; }
    COPPICE_HD friend constexpr bool operator==(complex_pair const& a, complex_pair const& b) {
        return a.re == b.re && a.im == b.im;
    }
};

} // namespace coppice::inline v0_1
