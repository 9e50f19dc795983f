// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The classical algorithms for tridiagonal systems, run by a team of workers in shared memory (Y. Zhang, J. Cohen, J.
/// D. Owens: Fast tridiagonal solvers on the GPU, PPoPP 2010). None of them pivots.
///
/// Equation i is a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i. A Team has rank(), size() and sync(); it is the block of a
/// CUDA kernel, or one worker on a CPU core. T is any type with + - * /, so that a test can count operations. Sizes
/// need not be powers of two: an equation outside of the system is x = 0.
#pragma once

#include <type_traits>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::classical {

template <class T>
struct equation {
    T a, b, c, d;
};

/// n equations as four arrays; the equations at a common stride form one system.
template <class T>
struct equations {
    T *a, *b, *c, *d;
    int n;

    COPPICE_HD equation<T> operator()(int i) const {
        if (i < 0 || i >= n) return {T(0), T(1), T(0), T(0)};
        return {a[i], b[i], c[i], d[i]};
    }
    COPPICE_HD void set(int i, equation<T> const& e) const {
        a[i] = e.a;
        b[i] = e.b;
        c[i] = e.c;
        d[i] = e.d;
    }
};
template <class T>
COPPICE_HD equations<T> equations_at(T* memory, int n) {
    return {memory, memory + n, memory + 2 * n, memory + 3 * n, n};
}

/// Eliminates x_{i-1} and x_{i+1} from e by its neighbouring equations (section 2.1).
template <class T>
COPPICE_HD equation<T> reduced(equation<T> const& before, equation<T> const& e, equation<T> const& after) {
    T const k1 = e.a / before.b, k2 = e.c / after.b;
    return {-(before.a * k1), e.b - before.c * k1 - after.a * k2, -(after.c * k2), e.d - before.d * k1 - after.d * k2};
}

/// Gaussian elimination without row exchanges (Thomas algorithm), by one worker. `x` may be e.d.
template <class T, class Team>
COPPICE_HD void thomas(Team const& team, equations<T> const& e, T* x) {
    if (team.rank() == 0) {
        for (int i = 0; i < e.n; ++i) {
            // c'_i = c_i / (b_i - c'_{i-1} a_i), d'_i = (d_i - d'_{i-1} a_i) / (b_i - c'_{i-1} a_i)
            T const pivot = i == 0 ? e.b[0] : e.b[i] - e.c[i - 1] * e.a[i];
            T const rhs = i == 0 ? e.d[0] : e.d[i] - e.d[i - 1] * e.a[i];
            e.c[i] = e.c[i] / pivot;
            e.d[i] = rhs / pivot;
        }
        for (int i = e.n - 1; i >= 0; --i) x[i] = i == e.n - 1 ? e.d[i] : e.d[i] - e.c[i] * x[i + 1];
    }
    team.sync();
}

/// Parallel cyclic reduction (section 2.2); `other` is memory for n more equations. x must not overlap the equations.
template <class T, class Team>
COPPICE_HD void parallel_cyclic_reduction(Team const& team, equations<T> e, equations<T> other, T* x) {
    for (int stride = 1; stride < e.n; stride *= 2) {
        for (int i = team.rank(); i < e.n; i += team.size()) other.set(i, reduced(e(i - stride), e(i), e(i + stride)));
        team.sync();
        equations<T> const old = e;
        e = other;
        other = old;
    }
    for (int i = team.rank(); i < e.n; i += team.size()) x[i] = e.d[i] / e.b[i];
    team.sync();
}

/// Inclusive scan after Hillis and Steele: now[i] = merged(now[i], ... merged(now[1], now[0])). Returns the address of
/// the result, `now` or `next`.
template <class Item, class Team, class Merge>
COPPICE_HD Item* scan(Team const& team, Item* now, Item* next, int n, Merge const& merged) {
    for (int stride = 1; stride < n; stride *= 2) {
        for (int i = team.rank(); i < n; i += team.size())
            next[i] = i < stride ? now[i] : merged(now[i], now[i - stride]);
        team.sync();
        Item* const old = now;
        now = next;
        next = old;
    }
    return now;
}

/// Matrix of recursive doubling without its third row (0, 0, w); maps (x_i, x_{i-1}, 1) to (x_{i+1}, x_i, 1).
template <class T>
struct doubling_matrix {
    T a11, a12, a13, a21, a22, a23;
};

/// Product later * earlier; w of both is 1.
template <class T>
COPPICE_HD doubling_matrix<T> product(doubling_matrix<T> const& l, doubling_matrix<T> const& e) {
    return {l.a11 * e.a11 + l.a12 * e.a21, l.a11 * e.a12 + l.a12 * e.a22, l.a11 * e.a13 + l.a12 * e.a23 + l.a13,
            l.a21 * e.a11 + l.a22 * e.a21, l.a21 * e.a12 + l.a22 * e.a22, l.a21 * e.a13 + l.a22 * e.a23 + l.a23};
}

/// Recursive doubling (section 2.3) by the scan of Hillis and Steele; `memory` holds 12 n elements.
template <class T, class Team>
COPPICE_HD void recursive_doubling(Team const& team, equations<T> const& e, T* memory, T* x) {
    int const n = e.n;
    auto* now = reinterpret_cast<doubling_matrix<T>*>(memory);
    for (int i = team.rank(); i < n; i += team.size()) {
        equation<T> q = e(i);
        if (i == n - 1) q.c = T(1); // x_n = 0, so its coefficient is arbitrary
        now[i] = {-(q.b / q.c), -(q.a / q.c), q.d / q.c, T(1), T(0), T(0)};
    }
    team.sync();
    now = scan(team, now, now + n, n, [](auto const& later, auto const& earlier) { return product(later, earlier); });
    // The first component of C_n (x_0, 0, 1) is x_n = 0.
    T const first = -(now[n - 1].a13 / now[n - 1].a11);
    for (int i = team.rank(); i < n; i += team.size()) x[i] = i == 0 ? first : now[i - 1].a11 * first + now[i - 1].a13;
    team.sync();
}

/// Maps (q_{i-1}, q_{i-2}) to (q_i, q_{i-1}), up to a common factor.
template <class T>
struct minor_matrix {
    T a11, a12, a21, a22;

    friend COPPICE_HD minor_matrix operator*(minor_matrix const& l, minor_matrix const& e) {
        return minor_matrix{l.a11 * e.a11 + l.a12 * e.a21, l.a11 * e.a12 + l.a12 * e.a22, l.a21 * e.a11 + l.a22 * e.a21,
                            l.a21 * e.a12 + l.a22 * e.a22}
            .scaled();
    }
    /// Scaled by powers of two to magnitudes between 1 / big and big, so that a product of two matrices neither
    /// overflows nor underflows.
    COPPICE_HD minor_matrix scaled() const {
        if constexpr (std::is_floating_point_v<T>) {
            constexpr T big = sizeof(T) == 4 ? T(0x1p60) : T(0x1p500);
            auto const within = [&](T limit) {
                return -limit < a11 && a11 < limit && -limit < a12 && a12 < limit && -limit < a21 && a21 < limit &&
                       -limit < a22 && a22 < limit;
            };
            if (!within(big)) return times(T(0.5) / big);
            if (within(1 / big)) return times(2 * big);
        }
        return *this;
    }
    COPPICE_HD minor_matrix times(T f) const { return {a11 * f, a12 * f, a21 * f, a22 * f}; }
};

/// x_i = offset + factor x_{i-1}.
template <class T>
struct first_order {
    T factor, offset;
    friend COPPICE_HD first_order operator*(first_order const& l, first_order const& e) {
        return {l.factor * e.factor, l.offset + l.factor * e.offset};
    }
};

/// The equation divided by the sum of the magnitudes of its coefficients, so that both rows of its matrix have the same
/// scale.
template <class T>
COPPICE_HD equation<T> normalised_row(equation<T> const& e) {
    if constexpr (std::is_floating_point_v<T>) {
        auto const magnitude = [](T value) { return value < 0 ? -value : value; };
        T const sum = magnitude(e.a) + magnitude(e.b) + magnitude(e.c);
        if (sum > 0) return {e.a / sum, e.b / sum, e.c / sum, e.d / sum};
    }
    return e;
}

/// Recursive doubling by the pivots of the LU factors of A (H. S. Stone, 1973), which are ratios of leading minors, u_i
/// = q_i / q_{i-1}. The matrix products may be scaled, and the two substitutions, scans of first-order recurrences, do
/// not grow if Gaussian elimination needs no row exchanges. `memory` holds 9 n elements.
template <class T, class Team>
COPPICE_HD void scaled_recursive_doubling(Team const& team, equations<T> const& e, T* memory, T* x) {
    int const n = e.n;
    for (int i = team.rank(); i < n; i += team.size()) e.set(i, normalised_row(e(i)));
    team.sync();
    auto const merged = [](auto const& later, auto const& earlier) { return later * earlier; };
    auto* const minors = reinterpret_cast<minor_matrix<T>*>(memory);
    for (int i = team.rank(); i < n; i += team.size())
        minors[i] = {e.b[i], i > 0 ? -(e.a[i] * e.c[i - 1]) : T(0), T(1), T(0)};
    team.sync();
    auto const* const q = scan(team, minors, minors + n, n, merged);
    T* const pivot = memory + 8 * n;
    for (int i = team.rank(); i < n; i += team.size()) pivot[i] = q[i].a11 / q[i].a21;
    team.sync();
    auto* const first = reinterpret_cast<first_order<T>*>(memory); // overwrites the minors
    for (int i = team.rank(); i < n; i += team.size()) first[i] = {i > 0 ? -(e.a[i] / pivot[i - 1]) : T(0), e.d[i]};
    team.sync();
    auto const* const y = scan(team, first, first + n, n, merged);
    auto* const second = reinterpret_cast<first_order<T>*>(memory + 4 * n); // from the last equation to the first
    for (int i = team.rank(); i < n; i += team.size())
        second[n - 1 - i] = {i < n - 1 ? -(e.c[i] / pivot[i]) : T(0), y[i].offset / pivot[i]};
    team.sync();
    auto const* const solution = scan(team, second, second + n, n, merged);
    for (int i = team.rank(); i < n; i += team.size()) x[i] = solution[n - 1 - i].offset;
    team.sync();
}

/// Cyclic reduction (section 2.1) to at most `max_remaining` >= 1 equations, those at stride - 1, 2 stride - 1, ...,
/// which `finish(stride, count)` solves; it stores their solutions in x.
template <class T, class Team, class Finish>
COPPICE_HD void cyclic_reduction(Team const& team, equations<T> const& e, T* x, int max_remaining,
                                 Finish const& finish) {
    int stride = 1;
    for (; e.n / stride > max_remaining; stride *= 2) {
        // Equation i keeps the unknowns x_{i - 2 stride} and x_{i + 2 stride}.
        for (int k = team.rank(); 2 * stride * (k + 1) - 1 < e.n; k += team.size()) {
            int const i = 2 * stride * (k + 1) - 1;
            e.set(i, reduced(e(i - stride), e(i), e(i + stride)));
        }
        team.sync();
    }
    finish(stride, e.n / stride);
    while (stride > 1) {
        stride /= 2;
        for (int k = team.rank(); 2 * stride * k + stride - 1 < e.n; k += team.size()) {
            int const i = 2 * stride * k + stride - 1;
            T const before = i - stride >= 0 ? x[i - stride] : T(0), after = i + stride < e.n ? x[i + stride] : T(0);
            x[i] = (e.d[i] - e.a[i] * before - e.c[i] * after) / e.b[i];
        }
        team.sync();
    }
}

/// Copies equations stride - 1, 2 stride - 1, ... to contiguous memory.
template <class T, class Team>
COPPICE_HD equations<T> gathered(Team const& team, equations<T> const& e, int stride, int count, T* memory) {
    equations<T> const small = equations_at(memory, count);
    for (int k = team.rank(); k < count; k += team.size()) small.set(k, e(stride * (k + 1) - 1));
    team.sync();
    return small;
}
template <class T, class Team>
COPPICE_HD void scattered(Team const& team, T const* small, int stride, int count, T* x) {
    for (int k = team.rank(); k < count; k += team.size()) x[stride * (k + 1) - 1] = small[k];
    team.sync();
}

} // namespace coppice::inline v0_1::classical
