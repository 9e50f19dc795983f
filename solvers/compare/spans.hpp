// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stretches of rows that are solved but for the unknowns on either side of them: the spikes of SPIKE, the N-shaped
/// partitions of divide and conquer.
#pragma once

#include <coppice/solvers/compare/pairs.hpp>

namespace coppice::classical {

/// x = d - a x_before - c x_behind.
template <class T>
struct span_end {
    T a, c, d;
    COPPICE_HD T at(T const& before, T const& behind) const { return d - a * before - c * behind; }
};
/// The first and the last unknown of a stretch.
template <class T>
struct span {
    span_end<T> first, last;
};

/// The two unknowns where `l` and `r` meet, from those around both: the last of l, the first of r.
template <class T>
COPPICE_HD span<T> meeting(span<T> const& l, span<T> const& r) {
    T const scale = T(1) / (T(1) - l.last.c * r.first.a);
    return {{l.last.a * scale, -(l.last.c * r.first.c * scale), (l.last.d - l.last.c * r.first.d) * scale},
            {-(r.first.a * l.last.a * scale), r.first.c * scale, (r.first.d - r.first.a * l.last.d) * scale}};
}

/// Both as one stretch.
template <class T>
COPPICE_HD span<T> joined_spans(span<T> const& l, span<T> const& r) {
    span<T> const m = meeting(l, r); // m.first: the last of l; m.last: the first of r
    return {{l.first.a - l.first.c * m.last.a, -(l.first.c * m.last.c), l.first.d - l.first.c * m.last.d},
            {-(r.last.a * m.first.a), r.last.c - r.last.a * m.first.c, r.last.d - r.last.a * m.first.d}};
}

/// The unknowns on either side of a stretch.
template <class T>
struct surroundings {
    T before, behind;
};

/// Joins `count` spans pair by pair; `spans` has room for pair_nodes(count), the last one is all of them.
template <class T, class Team>
COPPICE_HD void climb_spans(Team const& team, span<T>* spans, int count) {
    climb_pairs(team, count, [&](int node, int left, int right) {
        spans[node] = right < 0 ? spans[left] : joined_spans(spans[left], spans[right]);
    });
}
/// From what surrounds all of them to what surrounds each.
template <class T, class Team>
COPPICE_HD void descend_spans(Team const& team, span<T> const* spans, surroundings<T>* around, int count,
                              surroundings<T> const& of_all) {
    if (team.rank() == 0) around[pair_nodes(count) - 1] = of_all;
    team.sync();
    descend_pairs(team, count, [&](int node, int left, int right) {
        surroundings<T> const s = around[node];
        around[left] = s;
        if (right < 0) return;
        span<T> const m = meeting(spans[left], spans[right]);
        around[left].behind = m.last.at(s.before, s.behind);
        around[right] = {m.first.at(s.before, s.behind), s.behind};
    });
}

/// From the spans of `count` stretches, in `spans` of pair_nodes(count), to what surrounds each of them, in `around` of
/// as many: neighbours are joined pair by pair, log2(count) times, and their meetings are solved on the way back
/// (recursive SPIKE; E. Polizzi, A. H. Sameh 2006).
template <class T, class Team>
COPPICE_HD void solve_spans(Team const& team, span<T>* spans, surroundings<T>* around, int count) {
    climb_spans(team, spans, count);
    descend_spans(team, spans, around, count, {T(0), T(0)});
}

/// Rows of partition p of `count` of `n` rows: [begin, end).
COPPICE_HD constexpr int part_begin(int n, int count, int p) { return int(static_cast<long long>(n) * p / count); }
/// Partitions of about `rows` rows.
COPPICE_HD constexpr int part_count(int n, int rows) { return n <= rows ? 1 : n / rows; }

} // namespace coppice::classical
