// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of partitions by Givens rotations, run by a team (after g-Spike: I. E. Venetis, A. Kouris, A. Sobczyk,
/// E. Gallopoulos, A. H. Sameh 2015).
///
/// The inner unknowns of a partition have nonzero coefficients only in its rows, so the rotations produce no small
/// pivot unless the matrix is nearly singular. The first and last unknown of a partition are not eliminated, so no
/// partition can be singular. (S. J. Wright's structured orthogonal factorization, 1992; g-Spike itself rotates whole
/// partitions and repairs singular ones.)
#pragma once

#include <cmath>

#include <coppice/solvers/compare/classical_team.hpp>
#include <coppice/solvers/compare/diagonal_pivots.hpp>

namespace coppice::inline v0_1::classical {

template <class T>
struct rotation {
    T c, s;
};
/// The rotation that maps (x, y) to (r, 0); does not overflow.
template <class T>
COPPICE_HD rotation<T> rotation_of(T const& x, T const& y) {
    using std::sqrt;
    if (size_of(y) < size_of(x)) {
        T const t = y / x, c = T(1) / sqrt(T(1) + t * t);
        return {c, c * t};
    }
    if (!(T(0) < size_of(y))) return {T(1), y}; // both are zero; NaN is kept
    T const t = x / y, s = T(1) / sqrt(T(1) + t * t);
    return {s * t, s};
}

template <class T, int Width>
struct wide_row {
    T v[Width];
};
/// Rotates two rows so that column j of `q` becomes zero.
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

/// The two remaining rows of a partition, in (x_before, x_first, x_last, x_after, d).
template <class T>
struct rotated_rows {
    wide_row<T, 5> row[2];
};
/// The rows that determine the unknowns between two partitions, in (last, first; before, first, last, after, d).
template <class T>
struct rotated_separator {
    wide_row<T, 7> row[2];
};

/// Eliminates the inner unknowns of rows [begin, end), end - begin >= 2, by rotations. The pivot row of x_k, in
/// (x_before, x_k, x_{k+1}, d; x_first, x_{k+2}), overwrites row k and `more`[2 k], [2 k + 1].
template <class T>
COPPICE_HD rotated_rows<T> rotate_partition(equations<T> const& e, int begin, int end, T* more) {
    // Columns: x_k, x_{k+1}, x_{k+2}, x_before, x_first, d.
    using row = wide_row<T, 6>;
    int const f = begin;
    row p{{e.c[f], T(0), T(0), e.a[f], e.b[f], e.d[f]}};
    row q{{e.b[f + 1], e.c[f + 1], T(0), T(0), e.a[f + 1], e.d[f + 1]}};
    for (int k = begin + 1; k < end - 1; ++k) {
        row next{{e.a[k + 1], e.b[k + 1], e.c[k + 1], T(0), T(0), e.d[k + 1]}};
        rotate(q, p, 0); // p then contains x_{k+1}
        rotate(q, next, 0);
        e.a[k] = q.v[3], e.b[k] = q.v[0], e.c[k] = q.v[1], e.d[k] = q.v[5];
        more[2 * k] = q.v[4], more[2 * k + 1] = q.v[2];
        q = next;
        for (row* const r : {&p, &q}) r->v[0] = r->v[1], r->v[1] = r->v[2], r->v[2] = T(0);
    }
    return {{{{p.v[3], p.v[4], p.v[0], p.v[1], p.v[5]}}, {{q.v[3], q.v[4], q.v[0], q.v[1], q.v[5]}}}};
}

/// Merges the rows of two neighbouring partitions; stores the rows of the unknowns between them in `m`.
template <class T>
COPPICE_HD rotated_rows<T> merged_rotated_rows(rotated_rows<T> const& l, rotated_rows<T> const& r,
                                               rotated_separator<T>& m) {
    // Columns of the four rows: the two unknowns to eliminate (the last one of l, the first one of r), then x_before,
    // the first unknown of l, the last one of r, x_after, d.
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

/// The unknowns around a partition, and its first and last unknown.
template <class T>
struct rotated_ends {
    T before, first, last, after;
};

/// Elements of `memory` of rotated_partitions.
COPPICE_HD constexpr int rotation_elements(int n, int partitions) { return 2 * n + 28 * pair_nodes(partitions); }

/// Solves n >= 2 equations in partitions of at least two rows; `memory` holds rotation_elements.
template <class T, class Team>
COPPICE_HD void rotated_partitions(Team const& team, equations<T> const& e, int partitions, T* memory, T* x) {
    int const nodes = pair_nodes(partitions);
    auto* const condensed = reinterpret_cast<rotated_rows<T>*>(memory + 2 * e.n);
    auto* const separators = reinterpret_cast<rotated_separator<T>*>(memory + 2 * e.n + 10 * nodes);
    auto* const ends = reinterpret_cast<rotated_ends<T>*>(memory + 2 * e.n + 24 * nodes);
    for (int p = team.rank(); p < partitions; p += team.size())
        condensed[p] =
            rotate_partition(e, partition_begin(e.n, partitions, p), partition_begin(e.n, partitions, p + 1), memory);
    team.sync();
    merge_pairs(team, partitions, [&](int node, int left, int right) {
        condensed[node] =
            right < 0 ? condensed[left] : merged_rotated_rows(condensed[left], condensed[right], separators[node]);
    });
    if (team.rank() == 0) { // system of the two unknowns (first, last)
        wide_row<T, 5> p = condensed[nodes - 1].row[0], q = condensed[nodes - 1].row[1];
        rotate(p, q, 1);
        T const last = q.v[4] / q.v[2];
        ends[nodes - 1] = {T(0), (p.v[4] - p.v[2] * last) / p.v[1], last, T(0)};
    }
    team.sync();
    descend_pairs(team, partitions, [&](int node, int left, int right) {
        rotated_ends<T> const s = ends[node];
        ends[left] = s;
        if (right < 0) return;
        auto const remainder = [&](T const* v) {
            return v[6] - v[2] * s.before - v[3] * s.first - v[4] * s.last - v[5] * s.after;
        };
        T const *const upper = separators[node].row[0].v, *const lower = separators[node].row[1].v;
        T const first = remainder(lower) / lower[1], last = (remainder(upper) - upper[1] * first) / upper[0];
        ends[left].last = last, ends[left].after = first;
        ends[right] = {last, first, s.last, s.after};
    });
    for (int p = team.rank(); p < partitions; p += team.size()) {
        int const begin = partition_begin(e.n, partitions, p), end = partition_begin(e.n, partitions, p + 1);
        rotated_ends<T> const s = ends[p];
        x[begin] = s.first, x[end - 1] = s.last;
        for (int k = end - 2; k > begin; --k) {
            T const after = k + 2 < end ? x[k + 2] : s.after;
            x[k] =
                (e.d[k] - e.a[k] * s.before - memory[2 * k] * s.first - e.c[k] * x[k + 1] - memory[2 * k + 1] * after) /
                e.b[k];
        }
    }
    team.sync();
}

} // namespace coppice::inline v0_1::classical
