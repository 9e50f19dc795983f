// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Spans: segments of rows that are solved in terms of the unknowns before and after them. They are the spikes of SPIKE
/// and the N-shaped partitions of divide and conquer.
#pragma once

#include <coppice/solvers/compare/pairs.hpp>

namespace coppice::inline v0_1::classical {

/// An unknown of a segment in terms of the unknowns before and after the segment: x = d - a x_before - c x_after.
template <class T>
struct span_end {
    T a, c, d;
    COPPICE_HD T at(T const& before, T const& after) const { return d - a * before - c * after; }
};
/// The first and the last unknown of a segment in terms of the unknowns around it.
template <class T>
struct span {
    span_end<T> first, last;
};

/// The two unknowns between the neighbours `l` and `r` in terms of the unknowns around both: the last of l, the first
/// of r.
template <class T>
COPPICE_HD span<T> interface_of(span<T> const& l, span<T> const& r) {
    T const scale = T(1) / (T(1) - l.last.c * r.first.a);
    return {{l.last.a * scale, -(l.last.c * r.first.c * scale), (l.last.d - l.last.c * r.first.d) * scale},
            {-(r.first.a * l.last.a * scale), r.first.c * scale, (r.first.d - r.first.a * l.last.d) * scale}};
}

/// Merges two neighbouring spans.
template <class T>
COPPICE_HD span<T> merged_spans(span<T> const& l, span<T> const& r) {
    span<T> const m = interface_of(l, r); // m.first: the last of l; m.last: the first of r
    return {{l.first.a - l.first.c * m.last.a, -(l.first.c * m.last.c), l.first.d - l.first.c * m.last.d},
            {-(r.last.a * m.first.a), r.last.c - r.last.a * m.first.c, r.last.d - r.last.a * m.first.d}};
}

/// The unknowns before and after a segment.
template <class T>
struct surroundings {
    T before, after;
};

/// Merges `count` spans pair by pair; `spans` has space for pair_nodes(count), and the last one is the merged span of
/// all.
template <class T, class Team>
COPPICE_HD void merge_spans(Team const& team, span<T>* spans, int count) {
    merge_pairs(team, count, [&](int node, int left, int right) {
        spans[node] = right < 0 ? spans[left] : merged_spans(spans[left], spans[right]);
    });
}
/// Computes the unknowns around each segment from those around all of them.
template <class T, class Team>
COPPICE_HD void descend_spans(Team const& team, span<T> const* spans, surroundings<T>* around, int count,
                              surroundings<T> const& of_all) {
    if (team.rank() == 0) around[pair_nodes(count) - 1] = of_all;
    team.sync();
    descend_pairs(team, count, [&](int node, int left, int right) {
        surroundings<T> const s = around[node];
        around[left] = s;
        if (right < 0) return;
        span<T> const m = interface_of(spans[left], spans[right]);
        around[left].after = m.last.at(s.before, s.after);
        around[right] = {m.first.at(s.before, s.after), s.after};
    });
}

/// Computes the unknowns around each of `count` segments, in `around`, from their spans; both arrays have
/// pair_nodes(count) elements. Neighbours are merged pair by pair, in log2(count) steps, and the unknowns between them
/// are computed by back substitution (recursive SPIKE; E. Polizzi, A. H. Sameh 2006).
template <class T, class Team>
COPPICE_HD void solve_spans(Team const& team, span<T>* spans, surroundings<T>* around, int count) {
    merge_spans(team, spans, count);
    descend_spans(team, spans, around, count, {T(0), T(0)});
}

/// First row of partition p, if n rows are split into `count` partitions.
COPPICE_HD constexpr int partition_begin(int n, int count, int p) { return int(static_cast<long long>(n) * p / count); }
/// Number of partitions of about `rows` rows.
COPPICE_HD constexpr int partition_count(int n, int rows) { return n <= rows ? 1 : n / rows; }

} // namespace coppice::inline v0_1::classical
