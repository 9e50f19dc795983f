// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a segment of rows with pivots of one or two rows (diagonal pivoting; J. B. Erway, R. F. Marcia, J. A.
/// Tyson 2010; L.-W. Chang, thesis of 2014, section 2.2), by one worker.
///
/// The type Rows provides size(), a(k), b(k), c(k), d(k) for 0 <= k < size(); a(0) and c(size() - 1) are coefficients
/// of unknowns outside of the segment.
#pragma once

#include <coppice/core/config.hpp>
#include <coppice/solvers/compare/spans.hpp>

namespace coppice::inline v0_1::classical {

template <class T>
COPPICE_HD T size_of(T const& value) {
    return value < T(0) ? -value : value;
}
template <class T>
COPPICE_HD T larger_of(T const& a, T const& b) {
    return a < b ? b : a;
}

/// Pivot choice: if the leading entry b' of row k is small, |b'| sigma < kappa |a_{k+1} c_k|, rows k and k + 1 form one
/// pivot; its determinant is then not small.
struct diagonal_pivots {
    /// b' = leading / common.
    template <class T>
    COPPICE_HD static bool single(T const& leading, T const& common, T const& c, T const& a1, T const& b1, T const& c1,
                                  T const& a2) {
        return passes(leading, a1 * c * common, c, a1, b1, c1, a2);
    }
    template <class T>
    COPPICE_HD static bool single(T const& leading, T const& c, T const& a1, T const& b1, T const& c1, T const& a2) {
        return passes(leading, a1 * c, c, a1, b1, c1, a2);
    }

private:
    template <class T>
    COPPICE_HD static bool passes(T const& leading, T const& coupling, T const& c, T const& a1, T const& b1,
                                  T const& c1, T const& a2) {
        auto const kappa = static_cast<T>(0.6180339887498949); // (sqrt(5) - 1) / 2
        T const sigma =
            larger_of(larger_of(larger_of(size_of(a1), size_of(a2)), larger_of(size_of(b1), size_of(c))), size_of(c1));
        return !(size_of(leading) * sigma < kappa * size_of(coupling));
    }
};
/// Gaussian elimination without row exchanges: every pivot has one row.
struct single_pivots {
    template <class T>
    COPPICE_HD static bool single(T const&, T const&, T const&, T const&, T const&, T const&) {
        return true;
    }
};

/// Applies the test of `Pivots` to row k and the entries around it; true in the last row.
template <class Pivots, class Rows, class T>
COPPICE_HD bool is_single(Rows const& rows, int k, T const& leading) {
    int const n = rows.size();
    if (k + 1 == n) return true;
    bool const more = k + 2 < n;
    return Pivots::single(leading, rows.c(k), rows.a(k + 1), rows.b(k + 1), more ? rows.c(k + 1) : T(0),
                          more ? rows.a(k + 2) : T(0));
}

/// x_k = y - m x_{next} - w x_before, where next is the first row after the pivot.
template <class T>
struct solved_row {
    T m, y, w;
};

/// Eliminates downwards, one pivot in each step. Calls `save(k, row, pair)` with the rows of the factor M^T; `pair` is
/// true if row k + 1 belongs to the same pivot.
template <class T, class Pivots, class Rows>
struct pivot_walk {
    Rows const& rows;
    int k = 0;
    T b, d, w; ///< b x_k + c_k x_{k+1} = d - w x_before
    solved_row<T> last{T(0), T(0), T(0)};

    COPPICE_HD explicit pivot_walk(Rows const& r) : rows(r), b(r.b(0)), d(r.d(0)), w(r.a(0)) {}
    COPPICE_HD bool done() const { return k >= rows.size(); }

    /// One division for each pivot, and few branches on its size, so that lanes with different pivots hardly diverge.
    template <class Save>
    COPPICE_HD void step(Save const& save) {
        T const c = rows.c(k);
        bool const single = is_single<Pivots>(rows, k, b);
        int const l = single ? k : k + 1;
        T pivot = b;                   // b, or the determinant of two rows
        solved_row<T> scaled{c, d, w}; // row l before the division by the pivot
        solved_row<T> upper{T(0), T(0), T(0)};
        if (!single) {
            T const a1 = rows.a(l), b1 = rows.b(l), c1 = rows.c(l), d1 = rows.d(l);
            pivot = b * b1 - a1 * c;
            scaled = {b * c1, b * d1 - a1 * d, -(a1 * w)};
            upper = {-(c * c1), b1 * d - c * d1, b1 * w};
        }
        T const inverse = T(1) / pivot;
        if (!single) save(k, solved_row<T>{upper.m * inverse, upper.y * inverse, upper.w * inverse}, true);
        last = {scaled.m * inverse, scaled.y * inverse, scaled.w * inverse};
        save(l, last, false);
        k = l + 1;
        if (done()) return;
        T const a = rows.a(k);
        b = rows.b(k) - a * last.m;
        d = rows.d(k) - a * last.y;
        w = -(a * last.w);
    }
};

struct save_nothing {
    template <class T>
    COPPICE_HD void operator()(int, solved_row<T> const&, bool) const {}
};

/// The rows in reverse order.
template <class Rows>
struct mirrored_rows {
    Rows const& rows;
    COPPICE_HD int size() const { return rows.size(); }
    COPPICE_HD auto a(int k) const { return rows.c(size() - 1 - k); }
    COPPICE_HD auto b(int k) const { return rows.b(size() - 1 - k); }
    COPPICE_HD auto c(int k) const { return rows.a(size() - 1 - k); }
    COPPICE_HD auto d(int k) const { return rows.d(size() - 1 - k); }
};

template <class T, class Pivots, class Rows>
COPPICE_HD solved_row<T> last_of(Rows const& rows) {
    pivot_walk<T, Pivots, Rows> walk(rows);
    while (!walk.done()) walk.step(save_nothing{});
    return walk.last;
}

/// The span of a segment: one elimination from each end, without saved rows.
template <class T, class Pivots, class Rows>
COPPICE_HD span<T> span_of(Rows const& rows) {
    auto const last = last_of<T, Pivots>(rows), first = last_of<T, Pivots>(mirrored_rows<Rows>{rows});
    return {{first.m, first.w, first.y}, {last.w, last.m, last.y}};
}

} // namespace coppice::inline v0_1::classical
