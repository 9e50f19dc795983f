// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functors of the predefined operators. Integer arithmetic wraps; division by zero, conversions and minima of NaN are
/// those of SuiteSparse:GraphBLAS, which the specification leaves open.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "objects.hpp"

namespace coppice::graphblas {

template <class T>
using unsigned_of = std::make_unsigned_t<std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, T, int>>;

template <class T>
inline constexpr bool is_complex = std::is_same_v<T, GxB_FC32_t> || std::is_same_v<T, GxB_FC64_t>;

/// Converts between predefined types: floating point to integers saturates, and NaN is 0. A complex number becomes its
/// real part, and true unless it is 0.
template <class To, class From>
To converted(From x) {
    if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (is_complex<To> && is_complex<From>) {
        using real = typename To::value_type;
        return {static_cast<real>(x.real()), static_cast<real>(x.imag())};
    } else if constexpr (is_complex<From>) {
        return converted<To>(x.real());
    } else if constexpr (is_complex<To>) {
        return {converted<typename To::value_type>(x), 0};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (x != x) return 0;
        if (double(x) <= double(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
        if (double(x) >= double(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
        return static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

namespace operators {

/// Applies f to unsigned integers, whose arithmetic wraps, or to the values themselves. Narrow types are promoted to
/// unsigned int first, because the product of two promoted shorts could overflow an int.
template <class T, class F>
T wrapping(T x, T y, F f) {
    if constexpr (std::is_integral_v<T>) {
        using wide = std::common_type_t<unsigned_of<T>, unsigned>;
        return static_cast<T>(f(static_cast<wide>(x), static_cast<wide>(y)));
    } else {
        return f(x, y);
    }
}

struct identity {
    template <class T>
    static T call(T x) {
        return x;
    }
};
struct ainv {
    template <class T>
    static T call(T x) {
        if constexpr (std::is_same_v<T, bool>)
            return x;
        else if constexpr (std::is_floating_point_v<T> || is_complex<T>)
            return -x;
        else
            return wrapping<T>(T(0), x, [](auto a, auto b) { return a - b; });
    }
};
struct lxor {
    template <class T>
    static T call(T x, T y) {
        return T((x != 0) != (y != 0));
    }
};
/// Quotient of complex numbers without an overflow of |y|^2 (R. L. Smith, Algorithm 116, CACM 5, 1962). If a part of y
/// is 0, each part of x is divided by the other one.
inline GxB_FC64_t smith_quotient(GxB_FC64_t x, GxB_FC64_t y) {
    double const a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    if (d == 0) return {a == 0 && b != 0 ? 0 : a / c, b == 0 ? 0 : b / c};
    if (c == 0) return {b == 0 ? 0 : b / d, a == 0 ? 0 : -a / d};
    if (std::abs(c) >= std::abs(d)) {
        double const ratio = std::isinf(c) && std::isinf(d) ? std::copysign(1.0, c) * std::copysign(1.0, d) : d / c;
        double const scaled = c + ratio * d;
        return {(a + b * ratio) / scaled, (b - a * ratio) / scaled};
    }
    double const ratio = c / d, scaled = ratio * c + d;
    return {(a * ratio + b) / scaled, (b * ratio - a) / scaled};
}
struct div {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_same_v<T, bool>)
            return x;
        else if constexpr (is_complex<T>)
            return converted<T>(smith_quotient(converted<GxB_FC64_t>(x), converted<GxB_FC64_t>(y)));
        else if constexpr (std::is_floating_point_v<T>)
            return x / y;
        else {
            if (y == 0) {
                if (x == 0) return 0;
                return x > 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
            }
            if constexpr (std::is_signed_v<T>)
                if (y == -1) return ainv::call(x);
            return static_cast<T>(x / y);
        }
    }
};
struct minv {
    template <class T>
    static T call(T x) {
        return std::is_same_v<T, bool> ? T(1) : div::call(T(1), x);
    }
};
struct absolute {
    template <class T>
    static auto call(T x) {
        if constexpr (is_complex<T>)
            return std::abs(x);
        else if constexpr (std::is_floating_point_v<T>)
            return std::fabs(x);
        else if constexpr (std::is_signed_v<T>)
            return x < 0 ? ainv::call(x) : x;
        else
            return x;
    }
};
struct bit_not {
    template <class T>
    static T call(T x) {
        return static_cast<T>(~x);
    }
};
struct conj {
    template <class T>
    static T call(T x) {
        return std::conj(x);
    }
};
struct creal {
    template <class T>
    static auto call(T x) {
        return x.real();
    }
};
struct cimag {
    template <class T>
    static auto call(T x) {
        return x.imag();
    }
};
struct carg {
    template <class T>
    static auto call(T x) {
        return std::arg(x);
    }
};
struct one {
    template <class T>
    static T call(T) {
        return T(1);
    }
};
struct logical_not {
    template <class T>
    static T call(T x) {
        return T(x == T(0));
    }
};

#define COPPICE_REAL(NAME)                                                                                             \
    struct real_##NAME {                                                                                               \
        template <class T>                                                                                             \
        static T call(T x) {                                                                                           \
            return std::NAME(x);                                                                                       \
        }                                                                                                              \
    }
COPPICE_REAL(sqrt);
COPPICE_REAL(log);
COPPICE_REAL(exp);
COPPICE_REAL(log2);
COPPICE_REAL(exp2);
COPPICE_REAL(log10);
COPPICE_REAL(log1p);
COPPICE_REAL(expm1);
COPPICE_REAL(sin);
COPPICE_REAL(cos);
COPPICE_REAL(tan);
COPPICE_REAL(asin);
COPPICE_REAL(acos);
COPPICE_REAL(atan);
COPPICE_REAL(sinh);
COPPICE_REAL(cosh);
COPPICE_REAL(tanh);
COPPICE_REAL(asinh);
COPPICE_REAL(acosh);
COPPICE_REAL(atanh);
COPPICE_REAL(cbrt);
COPPICE_REAL(ceil);
COPPICE_REAL(floor);
COPPICE_REAL(round);
COPPICE_REAL(trunc);
COPPICE_REAL(lgamma);
COPPICE_REAL(tgamma);
COPPICE_REAL(erf);
COPPICE_REAL(erfc);
#undef COPPICE_REAL

struct first {
    template <class T>
    static T call(T x, T) {
        return x;
    }
};
struct second {
    template <class T>
    static T call(T, T y) {
        return y;
    }
};
struct any {
    template <class T>
    static T call(T, T y) {
        return y;
    }
};
struct pair {
    template <class T>
    static T call(T, T) {
        return T(1);
    }
};
struct min {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_floating_point_v<T>)
            return x < y || y != y ? x : y; // as std::fmin, without a call
        else
            return x < y ? x : y;
    }
};
struct max {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_floating_point_v<T>)
            return x > y || y != y ? x : y;
        else
            return x > y ? x : y;
    }
};
struct lor {
    template <class T>
    static T call(T x, T y) {
        return T((x != 0) || (y != 0));
    }
};
struct land {
    template <class T>
    static T call(T x, T y) {
        return T((x != 0) && (y != 0));
    }
};
struct plus {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_same_v<T, bool>)
            return x || y;
        else
            return wrapping<T>(x, y, [](auto a, auto b) { return a + b; });
    }
};
struct minus {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_same_v<T, bool>)
            return x != y;
        else
            return wrapping<T>(x, y, [](auto a, auto b) { return a - b; });
    }
};
struct times {
    template <class T>
    static T call(T x, T y) {
        if constexpr (std::is_same_v<T, bool>)
            return x && y;
        else if constexpr (is_complex<T>) // without the recovery of infinities of operator*
            return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
        else
            return wrapping<T>(x, y, [](auto a, auto b) { return a * b; });
    }
};
struct rminus {
    template <class T>
    static T call(T x, T y) {
        return minus::call(y, x);
    }
};
struct rdiv {
    template <class T>
    static T call(T x, T y) {
        return div::call(y, x);
    }
};
struct eq {
    template <class T>
    static bool call(T x, T y) {
        return x == y;
    }
};
struct ne {
    template <class T>
    static bool call(T x, T y) {
        return x != y;
    }
};
struct gt {
    template <class T>
    static bool call(T x, T y) {
        return x > y;
    }
};
struct lt {
    template <class T>
    static bool call(T x, T y) {
        return x < y;
    }
};
struct ge {
    template <class T>
    static bool call(T x, T y) {
        return x >= y;
    }
};
struct le {
    template <class T>
    static bool call(T x, T y) {
        return x <= y;
    }
};
struct bit_or {
    template <class T>
    static T call(T x, T y) {
        return static_cast<T>(x | y);
    }
};
struct bit_and {
    template <class T>
    static T call(T x, T y) {
        return static_cast<T>(x & y);
    }
};
struct bit_xor {
    template <class T>
    static T call(T x, T y) {
        return static_cast<T>(x ^ y);
    }
};
struct bit_xnor {
    template <class T>
    static T call(T x, T y) {
        return static_cast<T>(~(x ^ y));
    }
};
struct atan2 {
    template <class T>
    static T call(T x, T y) {
        return std::atan2(x, y);
    }
};
struct hypot {
    template <class T>
    static T call(T x, T y) {
        return std::hypot(x, y);
    }
};
struct fmod {
    template <class T>
    static T call(T x, T y) {
        return std::fmod(x, y);
    }
};
struct make_complex {
    template <class T>
    static std::complex<T> call(T x, T y) {
        return {x, y};
    }
};
struct copysign {
    template <class T>
    static T call(T x, T y) {
        return std::copysign(x, y);
    }
};

// Index-unary operators: row i, column j, and the scalar.

/// a + b; wraps around on overflow, as integer addition in GraphBLAS does.
template <class T>
T wrapped_sum(std::int64_t a, T b) {
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
struct rowindex {
    template <class T>
    static T call(std::int64_t i, std::int64_t, T y) {
        return wrapped_sum(i, y);
    }
};
struct colindex {
    template <class T>
    static T call(std::int64_t, std::int64_t j, T y) {
        return wrapped_sum(j, y);
    }
};
struct diagindex {
    template <class T>
    static T call(std::int64_t i, std::int64_t j, T y) {
        return wrapped_sum(j - i, y);
    }
};
#define COPPICE_CONDITION(NAME, EXPRESSION)                                                                            \
    struct NAME {                                                                                                      \
        static bool call([[maybe_unused]] std::int64_t i, [[maybe_unused]] std::int64_t j, std::int64_t y) {           \
            return EXPRESSION;                                                                                         \
        }                                                                                                              \
    }
COPPICE_CONDITION(tril, j - i <= y);
COPPICE_CONDITION(triu, j - i >= y);
COPPICE_CONDITION(diag, j - i == y);
COPPICE_CONDITION(offdiag, j - i != y);
COPPICE_CONDITION(rowle, i <= y);
COPPICE_CONDITION(rowgt, i > y);
COPPICE_CONDITION(colle, j <= y);
COPPICE_CONDITION(colgt, j > y);
#undef COPPICE_CONDITION

} // namespace operators
} // namespace coppice::graphblas
