// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Complex numbers for lane code: over a real scalar in a CUDA thread, over a SIMD pack on a CPU core.
#pragma once

#include <type_traits>

#include <coppice/core/lane/lane_math.hpp>

namespace coppice::inline v0_1 {

/// re + i im; R is a real lane type. complex_lane<float> and std::complex<float> have the same layout.
template <class R>
struct complex_lane {
    using real_type = R;
    using value_type = complex_lane<typename lane_traits<R>::value_type>;

    R re, im;

    complex_lane() = default;
    COPPICE_LANE explicit complex_lane(typename lane_traits<R>::value_type real) : re(real), im(0) {}
    COPPICE_LANE complex_lane(R const& real, R const& imaginary) : re(real), im(imaginary) {}

    friend COPPICE_LANE complex_lane operator+(complex_lane const& a, complex_lane const& b) {
        return {a.re + b.re, a.im + b.im};
    }
    friend COPPICE_LANE complex_lane operator-(complex_lane const& a, complex_lane const& b) {
        return {a.re - b.re, a.im - b.im};
    }
    friend COPPICE_LANE complex_lane operator*(complex_lane const& a, complex_lane const& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend COPPICE_LANE complex_lane operator-(complex_lane const& a) { return {-a.re, -a.im}; }
    /// re| + |im|, LAPACK's measure of the size of a pivot.
    friend COPPICE_LANE R magnitude(complex_lane const& a) { return magnitude(a.re) + magnitude(a.im); }
    friend COPPICE_LANE complex_lane conjugate(complex_lane const& a) { return {a.re, -a.im}; }
    template <class Mask>
    friend COPPICE_LANE complex_lane select(Mask const& condition, complex_lane const& a, complex_lane const& b) {
        return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
    }
    /// a * factor for a real factor.
    friend COPPICE_LANE complex_lane scaled(complex_lane const& a, R const& factor) {
        return {a.re * factor, a.im * factor};
    }
    /// 1 / a without intermediate overflow. If |re| and |im| are both below the smallest normal number, `a` is replaced
    /// by that number.
    friend COPPICE_LANE complex_lane safe_reciprocal(complex_lane const& a) {
        R const smallest(std::numeric_limits<typename lane_traits<R>::value_type>::min());
        R const size = larger(magnitude(a.re), magnitude(a.im));
        R const real = select(size < smallest, smallest, a.re);
        R const imaginary = select(size < smallest, R(0), a.im);
        R const inverse = reciprocal(select(size < smallest, smallest, size));
        R const x = real * inverse, y = imaginary * inverse;
        R const factor = inverse * reciprocal(x * x + y * y);
        return {x * factor, -(y * factor)};
    }
};

COPPICE_LANE float conjugate(float a) { return a; }
COPPICE_LANE double conjugate(double a) { return a; }

/// The real lane type that belongs to a lane type.
template <class T>
struct real_lane {
    using type = T;
};
template <class R>
struct real_lane<complex_lane<R>> {
    using type = R;
};
template <class T>
using real_lane_t = typename real_lane<T>::type;
template <class T>
inline constexpr bool is_complex_lane = !std::is_same_v<real_lane_t<T>, T>;

template <class T>
COPPICE_LANE T scaled(T const& a, T const& factor) {
    return a * factor;
}

} // namespace coppice::inline v0_1
