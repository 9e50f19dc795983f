// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptive R-cyclic reduction with diagonal pivoting, as a team runs it (L.-W. Chang, thesis of 2014, chapter 5).
///
/// The rows of a level form blocks of one or two rows by the test of diagonal pivoting; every second block is taken out
/// of its two neighbours, a 1-(u, l) or 2-(u, l) reduction, and what is left is the next level. The test looks at the
/// entries of the level itself and not at a Schur complement, so that each block that is taken out is invertible by
/// itself.
#pragma once

#include <coppice/core/parallel.hpp> // plus
#include <coppice/solvers/classical/partition_team.hpp>
#include <coppice/solvers/classical/recurrences.hpp>

namespace coppice::classical {

/// Most rows that a level of n leaves: every second block of at most two rows, between blocks of at least one.
COPPICE_HD constexpr int rows_left(int n) { return n < 3 ? n - 1 : (2 * n + 2) / 3; }
/// Rows of all levels.
COPPICE_HD constexpr int rows_of_levels(int n) {
    int rows = n;
    while (n > 2) rows += n = rows_left(n) < n ? rows_left(n) : n - 1;
    return rows + 2;
}
/// Elements of `memory` of adaptive_reduction: four bands and x of all levels but the first one's bands, three numbers
/// for each row, and the carries of `groups`.
COPPICE_HD constexpr int adaptive_elements(int n, int groups) {
    return 5 * (rows_of_levels(n) - n) + 3 * rows_of_levels(n) + 4 * groups;
}

/// Blocks of the rows of one level.
struct level_blocks {
    int* place; ///< of row i in the next level; -1 where its block is taken out
    int* first; ///< first row of the block of row i
    int* size;  ///< of that block
};

/// Whether a block of two begins and how many blocks have begun, for either state of the row before.
struct block_map {
    int state, blocks0, blocks1; ///< state: bits as in pivot_map
    friend COPPICE_HD block_map operator*(block_map const& l, block_map const& e) {
        auto const after = [&](int s, int blocks) {
            return blocks + (((e.state >> s) & 1) != 0 ? l.blocks1 : l.blocks0);
        };
        pivot_map const joined = pivot_map{l.state} * pivot_map{e.state};
        return {joined.bits, after(0, e.blocks0), after(1, e.blocks1)};
    }
};
template <class T>
struct block_of_row {
    equations<T> e;
    COPPICE_HD block_map operator()(std::int64_t i) const {
        part_rows<T> const rows{e, 0, e.n};
        return {is_single<diagonal_pivots>(rows, int(i), e.b[i]) ? 0 : 1, 1, 0};
    }
};
/// The number of the block of row i and whether it begins one of two; level_blocks are made of these.
struct keep_block {
    level_blocks blocks;
    COPPICE_HD void operator()(std::int64_t i, block_map const& m) const {
        blocks.place[i] = m.blocks0 - 1;
        blocks.size[i] = m.state & 1;
    }
};

/// A block of one or two rows between its neighbours: its first and its last unknown as functions of those around.
template <class T>
COPPICE_HD span<T> solved_block(equations<T> const& e, int first, int size) {
    if (size == 1) {
        span_end<T> const only{e.a[first] / e.b[first], e.c[first] / e.b[first], e.d[first] / e.b[first]};
        return {only, only};
    }
    int const l = first + 1;
    T const determinant = e.b[first] * e.b[l] - e.a[l] * e.c[first];
    return {{e.b[l] * e.a[first] / determinant, -(e.c[first] * e.c[l]) / determinant,
             (e.b[l] * e.d[first] - e.c[first] * e.d[l]) / determinant},
            {-(e.a[l] * e.a[first]) / determinant, e.b[first] * e.c[l] / determinant,
             (e.b[first] * e.d[l] - e.a[l] * e.d[first]) / determinant}};
}

/// Row i of the next level (Equations 5.6, 5.9 and 5.10).
template <class T>
COPPICE_HD equation<T> reduced_row(equations<T> const& e, level_blocks const& at, int i) {
    equation<T> row = e(i);
    if (i > 0 && at.place[i - 1] < 0) {
        span_end<T> const before = solved_block(e, at.first[i - 1], at.size[i - 1]).last;
        row.b = row.b - row.a * before.c;
        row.d = row.d - row.a * before.d;
        row.a = -(row.a * before.a);
    }
    if (i + 1 < e.n && at.place[i + 1] < 0) {
        span_end<T> const behind = solved_block(e, at.first[i + 1], at.size[i + 1]).first;
        row.b = row.b - row.c * behind.a;
        row.d = row.d - row.c * behind.d;
        row.c = -(row.c * behind.c);
    }
    return row;
}

/// Places of the rows that stay, from the numbers of their blocks.
struct kept_row {
    int const* block;
    int kept;
    COPPICE_HD int operator()(std::int64_t i) const { return block[i] % 2 == kept ? 1 : 0; }
};
struct keep_place {
    int* place;
    int kept;
    COPPICE_HD void operator()(std::int64_t i, int rows) const { place[i] = place[i] % 2 == kept ? rows - 1 : -1; }
};

/// Forms the blocks of a level; returns the rows of the next one. The block of the last row stays.
template <class T, class Team>
COPPICE_HD int form_blocks(Team const& team, equations<T> const& e, level_blocks const& at, T* carries, int groups) {
    team_machine<T, Team> const machine{team, carries, groups};
    machine.scan(e.n, block_of_row<T>{e}, joined_products{}, keep_block{at});
    int const kept = at.place[e.n - 1] % 2;
    team.sync();
    // From marks to blocks: a row whose predecessor begins a block of two is its second.
    for (int i = team.rank(); i < e.n; i += team.size()) at.first[i] = i > 0 && at.size[i - 1] == 1 ? i - 1 : i;
    team.sync();
    for (int i = team.rank(); i < e.n; i += team.size())
        if (at.first[i] == i) {
            bool const two = at.size[i] == 1;
            at.size[i] = two ? 2 : 1;
            if (two) at.size[i + 1] = 2;
        }
    team.sync();
    machine.scan(e.n, kept_row{at.place, kept}, plus{}, keep_place{at.place, kept});
    int const left = at.place[e.n - 1] + 1;
    team.sync();
    return left;
}

/// Solves n >= 1 equations; `memory` holds adaptive_elements.
template <class T, class Team>
COPPICE_HD void adaptive_reduction(Team const& team, equations<T> const& e, int groups, T* memory, T* x) {
    constexpr int most_levels = 64;
    equations<T> level[most_levels];
    int const all = rows_of_levels(e.n);
    int* const marks = reinterpret_cast<int*>(memory + 5 * (all - e.n));
    T* const carries = memory + 5 * (all - e.n) + 3 * all;
    auto const blocks_of = [&](int first) {
        return level_blocks{marks + first, marks + all + first, marks + 2 * all + first};
    };
    int levels = 1, first = 0;
    level[0] = e;
    for (int below = 0;; ++levels) { // `first`: rows of the levels above; `below`: of those that are made
        equations<T> const& now = level[levels - 1];
        level_blocks const at = blocks_of(first);
        int const left = form_blocks(team, now, at, carries, groups);
        if (left == now.n) break; // one block
        equations<T> const next = equations_at(memory + 4 * below, left);
        for (int i = team.rank(); i < now.n; i += team.size())
            if (at.place[i] >= 0) next.set(at.place[i], reduced_row(now, at, i));
        team.sync();
        first += now.n;
        below += left;
        level[levels] = next;
    }
    T* const solutions = memory + 4 * (all - e.n); // of the levels below the first
    auto const solution_of = [&](int begin) { return begin == 0 ? x : solutions + (begin - e.n); };
    for (int l = levels - 1; l >= 0; --l) {
        equations<T> const& now = level[l];
        level_blocks const at = blocks_of(first);
        T *const here = solution_of(first), *const below = solution_of(first + now.n);
        if (l + 1 < levels) {
            for (int i = team.rank(); i < now.n; i += team.size())
                if (at.place[i] >= 0) here[i] = below[at.place[i]];
            team.sync();
        }
        for (int i = team.rank(); i < now.n; i += team.size()) {
            if (at.first[i] != i || (l + 1 < levels && at.place[i] >= 0)) continue;
            int const size = at.size[i];
            span<T> const s = solved_block(now, i, size);
            T const before = i > 0 ? here[i - 1] : T(0), behind = i + size < now.n ? here[i + size] : T(0);
            here[i] = s.first.at(before, behind);
            if (size == 2) here[i + 1] = s.last.at(before, behind);
        }
        team.sync();
        if (l > 0) first -= level[l - 1].n;
    }
}

} // namespace coppice::classical
