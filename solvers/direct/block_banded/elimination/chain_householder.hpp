// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Householder reflections, which eliminate rows if partial pivoting lets their entries grow: code of one lane, for
/// real and complex scalars and packs of them.
///
/// H = 1 - weight v v^H with v_k = 1 maps rows [k, rows) of a column to (top, 0 ... 0). Row k then has the form of a
/// pivot row, (2) in solvers/direct/DESIGN.md, so the substitution does not depend on which elimination was used.
#pragma once

#include <coppice/core/lane/lane_access.hpp>

namespace coppice::inline v0_1::chain {

COPPICE_LANE float square_root(float a) { return __builtin_sqrtf(a); }
COPPICE_LANE double square_root(double a) { return __builtin_sqrt(a); }
template <class Pack>
requires requires { typename Pack::bits; }
COPPICE_ALWAYS_INLINE Pack square_root(Pack a) {
    for (int l = 0; l < lane_count<Pack>; ++l) set_lane(a, l, square_root(get_lane(a, l)));
    return a;
}

template <class R>
COPPICE_LANE R square_of(R const& a) {
    return a * a;
}
template <class R>
COPPICE_LANE R square_of(complex_lane<R> const& a) {
    return a.re * a.re + a.im * a.im;
}
template <class R>
COPPICE_LANE R conjugate_of(R const& a) {
    return a;
}
template <class R>
COPPICE_LANE complex_lane<R> conjugate_of(complex_lane<R> const& a) {
    return {a.re, -a.im};
}

/// a / |a| (the sign of a real number), and |a| in `length`; returns 1 if a is 0.
template <class R>
COPPICE_LANE R direction_of(R const& a, R& length) {
    length = magnitude(a);
    return select(a < R(0), R(-1), R(1));
}
template <class R>
COPPICE_LANE complex_lane<R> direction_of(complex_lane<R> const& a, R& length) {
    R const scale = near_inverse(magnitude(a)); // squares of a itself may underflow
    complex_lane<R> const near_one = scaled(a, scale);
    R const near_length = square_root(square_of(near_one));
    length = near_length * near_inverse(scale);
    auto const none = near_length <= R(0);
    R const inverse = reciprocal(select(none, R(1), near_length));
    return {select(none, R(1), near_one.re * inverse), select(none, R(0), near_one.im * inverse)};
}

/// The reflection of rows [k, rows) of a column. No square overflows, and the column times a power of two gives the
/// same v and weight. For a column of zeros the weight is 0 and the reflection is the identity.
template <class T>
struct householder {
    using real = real_lane_t<T>;

    T top;       ///< new value of row k
    real weight; ///< 1 <= weight <= 2
    T to_v;      ///< v_r = column[r] * scale * to_v for r > k; |v_r| <= 1
    real scale;

    COPPICE_LANE householder(T const* column, int k, int rows) {
        real largest = magnitude(column[k]);
        COPPICE_UNROLL
        for (int r = k + 1; r < rows; ++r) largest = larger(largest, magnitude(column[r]));
        scale = near_inverse(largest);
        real sum(0);
        COPPICE_UNROLL
        for (int r = k; r < rows; ++r) sum = sum + square_of(scaled(column[r], scale));
        real const length = square_root(sum);
        T const first = scaled(column[k], scale);
        real of_first;
        T const direction = direction_of(first, of_first);
        auto const none = length <= real(0);
        top = scaled(-scaled(direction, length), near_inverse(scale));
        weight = select(none, real(0), real(1) + of_first * reciprocal(select(none, real(1), length)));
        // first + direction * length: the sum does not cancel.
        to_v = safe_reciprocal(select(none, direction, first + scaled(direction, length)));
    }
    /// v_r, computed from the entry in row r > k of the column.
    COPPICE_LANE T v(T const& entry) const { return scaled(entry, scale) * to_v; }
};

/// Applies a reflection, given by its weight and v(r) for r > k, to rows [k, rows) of a column.
template <class T, class V>
COPPICE_LANE void apply_householder(T* column, real_lane_t<T> const& weight, V const& v, int k, int rows) {
    T sum = column[k];
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) sum = sum + conjugate_of(v(r)) * column[r];
    sum = scaled(sum, weight);
    column[k] = column[k] - sum;
    COPPICE_UNROLL
    for (int r = k + 1; r < rows; ++r) column[r] = column[r] - v(r) * sum;
}

} // namespace coppice::inline v0_1::chain
