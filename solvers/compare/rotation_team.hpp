// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Partitions eliminated by Givens rotations, as a team runs them (after g-Spike: I. E. Venetis, A. Kouris, A. Sobczyk,
/// E. Gallopoulos, A. H. Sameh 2015).
///
/// The unknowns inside of a partition have all their entries in its rows, so the rotations meet no small pivot that the
/// matrix itself does not have. The two end unknowns of a partition stay: no partition can be singular. (S. J. Wright's
/// structured orthogonal factorization, 1992; g-Spike itself rotates whole partitions and repairs singular ones.)
#pragma once

#include <cmath>

#include <coppice/solvers/compare/classical_team.hpp>
#include <coppice/solvers/compare/diagonal_pivots.hpp>

namespace coppice::classical {

template <class T>
struct rotation {
    T c, s;
};
/// Takes (x, y) to (r, 0), without overflow.
template <class T>
COPPICE_HD rotation<T> rotation_of(T const& x, T const& y) {
    using std::sqrt;
    if (size_of(y) < size_of(x)) {
        T const t = y / x, c = T(1) / sqrt(T(1) + t * t);
        return {c, c * t};
    }
    if (!(T(0) < size_of(y))) return {T(1), y}; // both are zero; NaN stays
    T const t = x / y, s = T(1) / sqrt(T(1) + t * t);
    return {s * t, s};
}

template <class T, int Width>
struct wide_row {
    T v[Width];
};
/// Rotates two rows so that column j of `q` is zero.
template <class T, int Width>
COPPICE_HD void rotate(wide_row<T, Width>& p, wide_row<T, Width>& q, int j) {
    rotation<T> const g = rotation_of(p.v[j], q.v[j]);
    for (int k = 0; k < Width; ++k) {
        T const above = p.v[k], below = q.v[k];
        p.v[k] = g.c * above + g.s * below;
        q.v[k] = g.c * below - g.s * above;
    }
    q.v[j] = T(0);
}

/// Two rows that a partition leaves, in (x_before, x_first, x_last, x_behind, d).
template <class T>
struct rotated_link {
    wide_row<T, 5> row[2];
};
/// The rows that told the unknowns where two links met, (last, first; before, first, last, behind, d).
template <class T>
struct rotated_meeting {
    wide_row<T, 7> row[2];
};

/// Rotates the unknowns inside of rows [begin, end), end - begin >= 2, out. The pivot row of x_k, in
/// (x_before, x_k, x_{k+1}, d; x_first, x_{k+2}), replaces row k and fills `more`[2 k], [2 k + 1].
template <class T>
COPPICE_HD rotated_link<T> rotate_part(equations<T> const& e, int begin, int end, T* more) {
    // Columns: x_k, x_{k+1}, x_{k+2}, x_before, x_first, d.
    using row = wide_row<T, 6>;
    int const f = begin;
    row p{{e.c[f], T(0), T(0), e.a[f], e.b[f], e.d[f]}};
    row q{{e.b[f + 1], e.c[f + 1], T(0), T(0), e.a[f + 1], e.d[f + 1]}};
    for (int k = begin + 1; k < end - 1; ++k) {
        row next{{e.a[k + 1], e.b[k + 1], e.c[k + 1], T(0), T(0), e.d[k + 1]}};
        rotate(q, p, 0); // p has x_{k+1} then
        rotate(q, next, 0);
        e.a[k] = q.v[3], e.b[k] = q.v[0], e.c[k] = q.v[1], e.d[k] = q.v[5];
        more[2 * k] = q.v[4], more[2 * k + 1] = q.v[2];
        q = next;
        for (row* const r : {&p, &q}) r->v[0] = r->v[1], r->v[1] = r->v[2], r->v[2] = T(0);
    }
    return {{{{p.v[3], p.v[4], p.v[0], p.v[1], p.v[5]}}, {{q.v[3], q.v[4], q.v[0], q.v[1], q.v[5]}}}};
}

/// Joins two links; what is told of the unknowns between goes to `m`.
template <class T>
COPPICE_HD rotated_link<T> joined_links(rotated_link<T> const& l, rotated_link<T> const& r, rotated_meeting<T>& m) {
    // Columns: the last of l, the first of r; x_before, the first of l, the last of r, x_behind, d.
    wide_row<T, 7> row[4];
    for (int i = 0; i < 2; ++i) {
        T const *const a = l.row[i].v, *const b = r.row[i].v;
        row[i] = {{a[2], a[3], a[0], a[1], T(0), T(0), a[4]}};
        row[2 + i] = {{b[0], b[1], T(0), T(0), b[2], b[3], b[4]}};
    }
    for (int column = 0; column < 2; ++column)
        for (int i = 3; i > column; --i) rotate(row[i - 1], row[i], column);
    m = {{row[0], row[1]}};
    auto const rest = [](wide_row<T, 7> const& w) { return wide_row<T, 5>{{w.v[2], w.v[3], w.v[4], w.v[5], w.v[6]}}; };
    return {{rest(row[2]), rest(row[3])}};
}

/// All that surrounds a partition and its own ends.
template <class T>
struct rotated_ends {
    T before, first, last, behind;
};

/// Elements of `memory` of rotated_partitions.
COPPICE_HD constexpr int rotation_elements(int n, int parts) { return 2 * n + 28 * pair_nodes(parts); }

/// Solves n >= 2 equations in partitions of at least two rows; `memory` holds rotation_elements.
template <class T, class Team>
COPPICE_HD void rotated_partitions(Team const& team, equations<T> const& e, int parts, T* memory, T* x) {
    int const nodes = pair_nodes(parts);
    auto* const links = reinterpret_cast<rotated_link<T>*>(memory + 2 * e.n);
    auto* const met = reinterpret_cast<rotated_meeting<T>*>(memory + 2 * e.n + 10 * nodes);
    auto* const ends = reinterpret_cast<rotated_ends<T>*>(memory + 2 * e.n + 24 * nodes);
    for (int p = team.rank(); p < parts; p += team.size())
        links[p] = rotate_part(e, part_begin(e.n, parts, p), part_begin(e.n, parts, p + 1), memory);
    team.sync();
    climb_pairs(team, parts, [&](int node, int left, int right) {
        links[node] = right < 0 ? links[left] : joined_links(links[left], links[right], met[node]);
    });
    if (team.rank() == 0) { // (first, last) alone
        wide_row<T, 5> p = links[nodes - 1].row[0], q = links[nodes - 1].row[1];
        rotate(p, q, 1);
        T const last = q.v[4] / q.v[2];
        ends[nodes - 1] = {T(0), (p.v[4] - p.v[2] * last) / p.v[1], last, T(0)};
    }
    team.sync();
    descend_pairs(team, parts, [&](int node, int left, int right) {
        rotated_ends<T> const s = ends[node];
        ends[left] = s;
        if (right < 0) return;
        auto const told = [&](T const* v) {
            return v[6] - v[2] * s.before - v[3] * s.first - v[4] * s.last - v[5] * s.behind;
        };
        T const *const upper = met[node].row[0].v, *const lower = met[node].row[1].v;
        T const first = told(lower) / lower[1], last = (told(upper) - upper[1] * first) / upper[0];
        ends[left].last = last, ends[left].behind = first;
        ends[right] = {last, first, s.last, s.behind};
    });
    for (int p = team.rank(); p < parts; p += team.size()) {
        int const begin = part_begin(e.n, parts, p), end = part_begin(e.n, parts, p + 1);
        rotated_ends<T> const s = ends[p];
        x[begin] = s.first, x[end - 1] = s.last;
        for (int k = end - 2; k > begin; --k) {
            T const behind = k + 2 < end ? x[k + 2] : s.behind;
            x[k] = (e.d[k] - e.a[k] * s.before - memory[2 * k] * s.first - e.c[k] * x[k + 1] -
                    memory[2 * k + 1] * behind) /
                   e.b[k];
        }
    }
    team.sync();
}

} // namespace coppice::classical
