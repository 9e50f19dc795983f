// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Complex numbers as kernels need them: the layout of std::complex, whose operators do not all run on a device.
#pragma once

#include <coppice/core/config.hpp>

namespace coppice {

/// re + i im. Products follow the plain formula: no second look at infinities, as C's Annex G asks for.
template <class R>
struct complex_pair {
    R re;
    R im;

    complex_pair() = default;
    COPPICE_HD constexpr explicit complex_pair(R real) : re(real), im(0) {}
    COPPICE_HD constexpr complex_pair(R real, R imaginary) : re(real), im(imaginary) {}

    COPPICE_HD friend constexpr complex_pair operator+(complex_pair const& a, complex_pair const& b) {
        return {a.re + b.re, a.im + b.im};
    }
    COPPICE_HD friend constexpr complex_pair operator*(complex_pair const& a, complex_pair const& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    COPPICE_HD friend constexpr complex_pair operator*(complex_pair const& a, R b) { return {a.re * b, a.im * b}; }
    COPPICE_HD friend constexpr complex_pair operator*(R a, complex_pair const& b) { return b * a; }
    COPPICE_HD friend constexpr bool operator==(complex_pair const& a, complex_pair const& b) {
        return a.re == b.re && a.im == b.im;
    }
};

} // namespace coppice
