// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The methods that split a system into partitions, run by a team of workers in shared memory: SPIKE with diagonal
/// pivoting, with the Thomas algorithm and with cyclic reduction (L.-W. Chang, thesis of 2014, chapter 3), Wang's
/// partition method (1981), the divide and conquer methods of Bondeli and of Wang and Mou (both 1991), and redundant
/// reduction (A. P. Dieguez, M. Amor, R. Doallo 2018). The equations `e` are overwritten. docs/guide/classical.md has
/// the formulas.
#pragma once

#include <coppice/solvers/compare/classical_team.hpp>
#include <coppice/solvers/compare/diagonal_pivots.hpp>

namespace coppice::inline v0_1::classical {

/// The `count` rows of e from `begin` on, as a segment.
template <class T>
struct partition_rows {
    equations<T> const& e;
    int begin, count;
    COPPICE_HD int size() const { return count; }
    COPPICE_HD T a(int k) const { return e.a[begin + k]; }
    COPPICE_HD T b(int k) const { return e.b[begin + k]; }
    COPPICE_HD T c(int k) const { return e.c[begin + k]; }
    COPPICE_HD T d(int k) const { return e.d[begin + k]; }
};
/// The rows of a segment with known unknowns around it, whose terms move to the right-hand side.
template <class T, class Rows>
struct surrounded_rows {
    Rows const& rows;
    surroundings<T> around;
    COPPICE_HD int size() const { return rows.size(); }
    COPPICE_HD T a(int k) const { return k == 0 ? T(0) : rows.a(k); }
    COPPICE_HD T b(int k) const { return rows.b(k); }
    COPPICE_HD T c(int k) const { return k == size() - 1 ? T(0) : rows.c(k); }
    COPPICE_HD T d(int k) const {
        T d = rows.d(k);
        if (k == 0) d = d - rows.a(0) * around.before;
        return k == size() - 1 ? d - rows.c(k) * around.after : d;
    }
};

template <class T>
COPPICE_HD partition_rows<T> partition_of(equations<T> const& e, int partitions, int p) {
    int const begin = partition_begin(e.n, partitions, p);
    return {e, begin, partition_begin(e.n, partitions, p + 1) - begin};
}

/// Solves a segment with known unknowns around it. The rows of M^T overwrite its rows: x_k = d_k - c_k x_next, where
/// next is k + 2 if a_k > 0 (k and k + 1 form one pivot), else k + 1.
template <class T, class Pivots>
COPPICE_HD void solve_partition(partition_rows<T> const& rows, surroundings<T> const& around, T* x) {
    surrounded_rows<T, partition_rows<T>> const known{rows, around};
    equations<T> const& e = rows.e;
    int const begin = rows.begin;
    auto const save = [&](int k, solved_row<T> const& row, bool pair) {
        e.a[begin + k] = pair ? T(1) : T(0);
        e.c[begin + k] = row.m;
        e.d[begin + k] = row.y;
    };
    pivot_walk<T, Pivots, surrounded_rows<T, partition_rows<T>>> walk(known);
    while (!walk.done()) walk.step(save);
    for (int i = begin + rows.count - 1; i >= begin; --i) {
        int const next = T(0) < e.a[i] ? i + 2 : i + 1;
        x[i] = next < begin + rows.count ? e.d[i] - e.c[i] * x[next] : e.d[i];
    }
}

/// SPIKE: computes the spans of the partitions, then the unknowns around each partition, then the unknowns inside.
/// `memory`: 8 elements for each of pair_nodes(partitions).
template <class T, class Pivots, class Team>
COPPICE_HD void spike(Team const& team, equations<T> const& e, int partitions, T* memory, T* x) {
    auto* const spans = reinterpret_cast<span<T>*>(memory);
    auto* const around = reinterpret_cast<surroundings<T>*>(memory + 6 * pair_nodes(partitions));
    for (int p = team.rank(); p < partitions; p += team.size())
        spans[p] = span_of<T, Pivots>(partition_of(e, partitions, p));
    team.sync();
    solve_spans(team, spans, around, partitions);
    for (int p = team.rank(); p < partitions; p += team.size())
        solve_partition<T, Pivots>(partition_of(e, partitions, p), around[p], x);
    team.sync();
}

/// Eliminates the unknown of row l < i from row i; row i then contains the unknown that precedes l. (eliminate_after
/// eliminates the unknown of row r > i.)
template <class T>
COPPICE_HD void eliminate_before(equations<T> const& e, int i, int l) {
    T const k = e.a[i] / e.b[l];
    e.a[i] = -(e.a[l] * k);
    e.b[i] = e.b[i] - e.c[l] * k;
    e.d[i] = e.d[i] - e.d[l] * k;
}
template <class T>
COPPICE_HD void eliminate_after(equations<T> const& e, int i, int r) {
    T const k = e.c[i] / e.b[r];
    e.c[i] = -(e.c[r] * k);
    e.b[i] = e.b[i] - e.a[r] * k;
    e.d[i] = e.d[i] - e.d[r] * k;
}

/// One step of cyclic reduction inside of a segment of `count` rows, of which rows 0, s, 2 s, ... and count - 1 remain
/// (s = stride). Updates the row with the number `index`; every second row and the last one are kept.
template <class T>
COPPICE_HD void reduce_inside(equations<T> const& e, int begin, int count, int stride, int index) {
    int const last = count - 1, k = 2 * stride * index;
    auto const row = [&](int i) {
        int const before = i == last ? (last - 1) / stride * stride : i - stride;
        bool const odd = (before / stride) % 2 == 1;
        if (before >= 0 && odd) eliminate_before(e, begin + i, begin + before);
        if (i < last && i + stride < last) eliminate_after(e, begin + i, begin + i + stride);
    };
    if (k < last)
        row(k);
    else if (k < last + 2 * stride && last > 0)
        row(last);
}

/// SPIKE with cyclic reduction inside of the partitions, where all workers work on all rows. `memory` as for spike.
template <class T, class Team>
COPPICE_HD void spike_by_reduction(Team const& team, equations<T> const& e, int partitions, T* memory, T* x) {
    auto* const spans = reinterpret_cast<span<T>*>(memory);
    auto* const around = reinterpret_cast<surroundings<T>*>(memory + 6 * pair_nodes(partitions));
    int const maximum = (e.n + partitions - 1) / partitions; // maximum number of rows of a partition
    int stride = 1;
    for (; stride < maximum - 1; stride *= 2) {
        int const each = (maximum - 1) / (2 * stride) + 2;
        for (int j = team.rank(); j < partitions * each; j += team.size()) {
            partition_rows<T> const rows = partition_of(e, partitions, j / each);
            if (stride < rows.count - 1) reduce_inside(e, rows.begin, rows.count, stride, j % each);
        }
        team.sync();
    }
    for (int p = team.rank(); p < partitions; p += team.size()) {
        partition_rows<T> const rows = partition_of(e, partitions, p);
        int const f = rows.begin, l = rows.begin + rows.count - 1;
        if (f == l) {
            span_end<T> const only{e.a[f] / e.b[f], e.c[f] / e.b[f], e.d[f] / e.b[f]};
            spans[p] = {only, only};
            continue;
        }
        T const determinant = e.b[f] * e.b[l] - e.c[f] * e.a[l];
        spans[p] = {{e.b[l] * e.a[f] / determinant, -(e.c[f] * e.c[l]) / determinant,
                     (e.b[l] * e.d[f] - e.c[f] * e.d[l]) / determinant},
                    {-(e.a[l] * e.a[f]) / determinant, e.b[f] * e.c[l] / determinant,
                     (e.b[f] * e.d[l] - e.a[l] * e.d[f]) / determinant}};
    }
    team.sync();
    solve_spans(team, spans, around, partitions);
    for (int p = team.rank(); p < partitions; p += team.size()) {
        partition_rows<T> const rows = partition_of(e, partitions, p);
        x[rows.begin] = spans[p].first.at(around[p].before, around[p].after);
        x[rows.begin + rows.count - 1] = spans[p].last.at(around[p].before, around[p].after);
    }
    team.sync();
    while (stride > 1) {
        stride /= 2;
        int const each = (maximum - 1) / (2 * stride) + 1;
        for (int j = team.rank(); j < partitions * each; j += team.size()) {
            partition_rows<T> const rows = partition_of(e, partitions, j / each);
            int const last = rows.count - 1, k = 2 * stride * (j % each) + stride, i = rows.begin + k;
            if (k >= last) continue;
            int const after = rows.begin + (k + stride < last ? k + stride : last);
            x[i] = (e.d[i] - e.a[i] * x[i - stride] - e.c[i] * x[after]) / e.b[i];
        }
        team.sync();
    }
}

/// Wang's partition method: each partition becomes diagonal except for two columns, those of its last unknown and
/// of the last unknown of the previous partition. `memory`: 5 elements for each partition.
template <class T, class Team>
COPPICE_HD void wang(Team const& team, equations<T> const& e, int partitions, T* memory, T* x) {
    for (int p = team.rank(); p < partitions; p += team.size()) {
        int const begin = partition_begin(e.n, partitions, p), end = partition_begin(e.n, partitions, p + 1);
        for (int i = begin + 1; i < end; ++i) eliminate_before(e, i, i - 1);
        for (int i = end - 3; i >= begin; --i) {
            T const k = e.c[i] / e.b[i + 1];
            e.a[i] = e.a[i] - e.a[i + 1] * k;
            e.c[i] = -(e.c[i + 1] * k);
            e.d[i] = e.d[i] - e.d[i + 1] * k;
        }
    }
    team.sync();
    // In every partition except the last, the first unknown of the next partition is eliminated from the last row.
    equations<T> const small = equations_at(memory, partitions);
    for (int p = team.rank(); p < partitions; p += team.size()) {
        int const l = partition_begin(e.n, partitions, p + 1) - 1;
        if (p + 1 < partitions && partition_begin(e.n, partitions, p + 2) - l > 2) eliminate_after(e, l, l + 1);
        small.set(p, e(l));
    }
    team.sync();
    T* const last = memory + 4 * partitions;
    thomas(team, small, last);
    for (int p = team.rank(); p < partitions; p += team.size()) {
        int const begin = partition_begin(e.n, partitions, p), end = partition_begin(e.n, partitions, p + 1);
        T const before = p > 0 ? last[p - 1] : T(0);
        x[end - 1] = last[p];
        for (int i = begin; i < end - 1; ++i) x[i] = (e.d[i] - e.a[i] * before - e.c[i] * last[p]) / e.b[i];
    }
    team.sync();
}

/// A segment with coefficients 1 to its neighbours: its span is then independent of the actual outer coefficients.
template <class T>
struct one_couplings {
    partition_rows<T> const& rows;
    COPPICE_HD int size() const { return rows.size(); }
    COPPICE_HD T a(int k) const { return k == 0 ? T(1) : rows.a(k); }
    COPPICE_HD T b(int k) const { return rows.b(k); }
    COPPICE_HD T c(int k) const { return k == size() - 1 ? T(1) : rows.c(k); }
    COPPICE_HD T d(int k) const { return rows.d(k); }
};

/// Bondeli's divide and conquer: three right-hand sides for each partition, and a tridiagonal system for the unknowns
/// on both sides of the partition boundaries, last(0), first(1), last(1), ..., first(partitions - 1). `memory`: 10
/// elements for each partition.
template <class T, class Team>
COPPICE_HD void bondeli(Team const& team, equations<T> const& e, int partitions, T* memory, T* x) {
    int const unknowns = 2 * partitions - 2;
    equations<T> const small = equations_at(memory, unknowns);
    T* const ends = memory + 4 * unknowns;
    for (int p = team.rank(); p < partitions; p += team.size()) {
        partition_rows<T> const rows = partition_of(e, partitions, p);
        span<T> const s = span_of<T, single_pivots>(one_couplings<T>{rows});
        T const minor = s.first.a * s.last.c - s.last.a * s.first.c, a = rows.a(0), c = rows.c(rows.count - 1);
        if (p + 1 < partitions) // eliminates x_before
            small.set(2 * p, p == 0 ? equation<T>{T(0), T(1), c * s.last.c, s.last.d}
                                    : equation<T>{-s.last.a, s.first.a, c * minor,
                                                  s.first.a * s.last.d - s.last.a * s.first.d});
        if (p > 0) // eliminates x_after
            small.set(2 * p - 1, p + 1 == partitions ? equation<T>{a * s.first.a, T(1), T(0), s.first.d}
                                                     : equation<T>{a * minor, s.last.c, -s.first.c,
                                                                   s.last.c * s.first.d - s.first.c * s.last.d});
    }
    team.sync();
    thomas(team, small, ends);
    for (int p = team.rank(); p < partitions; p += team.size())
        solve_partition<T, single_pivots>(partition_of(e, partitions, p),
                                          {p > 0 ? ends[2 * p - 2] : T(0), p + 1 < partitions ? ends[2 * p + 1] : T(0)},
                                          x);
    team.sync();
}

/// Computes spans[e.n]: each row is a segment, x_i = (d_i - a_i x_{i-1} - c_i x_{i+1}) / b_i. Synchronises the team.
template <class T, class Team>
COPPICE_HD void spans_of_rows(Team const& team, equations<T> const& e, span<T>* spans) {
    for (int i = team.rank(); i < e.n; i += team.size()) {
        span_end<T> const row{e.a[i] / e.b[i], e.c[i] / e.b[i], e.d[i] / e.b[i]};
        spans[i] = {row, row};
    }
    team.sync();
}

/// Divide and conquer of Wang and Mou: single rows, merged pair by pair. `memory`: 8 elements for each of
/// pair_nodes(n).
template <class T, class Team>
COPPICE_HD void divide_and_conquer(Team const& team, equations<T> const& e, T* memory, T* x) {
    auto* const spans = reinterpret_cast<span<T>*>(memory);
    auto* const around = reinterpret_cast<surroundings<T>*>(memory + 6 * pair_nodes(e.n));
    spans_of_rows(team, e, spans);
    solve_spans(team, spans, around, e.n);
    for (int i = team.rank(); i < e.n; i += team.size()) x[i] = spans[i].last.at(around[i].before, around[i].after);
    team.sync();
}

/// Redundant reduction in the form of Kogge and Stone: computes the span of rows 0 ... i for every i. That of all rows
/// gives x_0; then the first equation of rows 0 ... i, x_0 = d - c x_{i+1}, gives x_{i+1}. `memory`: 12 n elements.
template <class T, class Team>
COPPICE_HD void redundant_reduction(Team const& team, equations<T> const& e, T* memory, T* x) {
    auto* spans = reinterpret_cast<span<T>*>(memory);
    spans_of_rows(team, e, spans);
    spans = scan(team, spans, spans + e.n, e.n,
                 [](auto const& later, auto const& earlier) { return merged_spans(earlier, later); });
    T const first = spans[e.n - 1].first.d;
    for (int i = team.rank(); i < e.n; i += team.size())
        x[i] = i == 0 ? first : (spans[i - 1].first.d - first) / spans[i - 1].first.c;
    team.sync();
}

} // namespace coppice::inline v0_1::classical
