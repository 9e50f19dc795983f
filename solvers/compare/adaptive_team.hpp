// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptive R-cyclic reduction with diagonal pivoting, as a team runs it (L.-W. Chang, thesis of 2014, chapter 5).
///
/// The rows of a level form blocks of one or two rows by the test of diagonal pivoting; every second block is taken out
/// of its two neighbours, a 1-(u, l) or 2-(u, l) reduction, and what is left is the next level. The test looks at the
/// entries of the level itself and not at a Schur complement, so that each block that is taken out is invertible by
/// itself, and all rows are tested at once.
///
/// Blocks are told by words of 32 rows, one bit a row. Which blocks go is a matter of each word alone: its last one
/// stays and, counted back from there, every second one; so the block of the last row, on which no test is made, stays,
/// and no two that go are neighbours. All that words ask of those before them is whether a block of two reaches over
/// and how many rows stay.
///
/// Beside rank(), size() and sync() a Team has lanes(), workers that go together (32 of a CUDA block, one on a CPU
/// core), votes(condition), bit l of which lane l passed, and from_lane(value, lane).
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/solvers/compare/partition_team.hpp>

namespace coppice::classical {

/// Rows of a word.
inline constexpr int word_rows = 32;
/// Levels of at most so many rows are solved by diagonal pivoting, row by row, which is shorter than two more levels.
inline constexpr int most_rows_in_turn = 8;

COPPICE_HD constexpr int words_of(int n) { return (n + word_rows - 1) / word_rows; }
/// Most rows that a level of n leaves: in a word single rows that go between pairs that stay, behind the second row of
/// a pair of the word before.
COPPICE_HD constexpr int rows_left(int n) {
    if (n <= word_rows) return (2 * n + 2) / 3;
    int const rest = n % word_rows;
    return n / word_rows * 22 + (rest > 0 ? (2 * rest + 3) / 3 : 0);
}

/// Blocks of 32 rows of a level.
struct block_word {
    unsigned second; ///< rows that are the second of a block of two
    unsigned stays;  ///< rows of blocks that stay
    int before;      ///< rows of all words before that stay
};
inline constexpr int block_word_elements = 3;

/// Levels of systems of up to 2^26 rows, the most that solve_classical takes.
inline constexpr int most_levels = 48;
/// Elements of `memory` of adaptive_reduction: the rows of each level, and for each one its words, one more and the
/// four bands of the next.
COPPICE_HD constexpr int adaptive_elements(int n) {
    int elements = most_levels;
    while (n > most_rows_in_turn) {
        elements += block_word_elements * (words_of(n) + 1);
        n = rows_left(n);
        elements += 4 * n;
    }
    return elements;
}

/// Marks rows i < n with wanted(i) in words[...].second.
template <class Team, class Wanted>
COPPICE_HD void mark_rows(Team const& team, int n, Wanted const& wanted, block_word* words) {
    int const lanes = team.lanes(), lane = team.rank() % lanes;
    for (int w = team.rank() / lanes; w < words_of(n); w += team.size() / lanes) {
        unsigned marks = 0;
        for (int first = 0; first < word_rows; first += lanes) {
            int const i = w * word_rows + first + lane;
            marks |= team.votes(i < n && wanted(i)) << first;
        }
        if (lane == 0) words[w].second = marks;
    }
}

/// Of rows that want to begin a block of two, those that are the second of one instead: every other row of a run. The
/// first row is one if `entered`. A subtraction carries along each run (G. Langdale, D. Lemire 2019: escaped
/// characters behind backslashes).
COPPICE_HD constexpr unsigned second_rows(unsigned wanted, bool entered) {
    unsigned const odd = 0xaaaaaaaau, first = entered ? 1 : 0, may_begin = wanted & ~first;
    unsigned const begins_or_ends = ((may_begin << 1 | odd) - may_begin) ^ odd;
    return begins_or_ends ^ (wanted | first);
}
/// Of blocks that begin at rows `begin` those that stay: with an even number of blocks behind them.
COPPICE_HD constexpr unsigned rows_that_stay(unsigned begin) {
    unsigned behind = begin >> 1;
    for (int shift = 1; shift < word_rows; shift *= 2) behind ^= behind >> shift;
    return ~behind;
}
/// The lowest `count` bits of a word; 0 <= count <= 32.
COPPICE_HD constexpr unsigned low_bits(int count) { return count < word_rows ? (1u << count) - 1 : ~0u; }

COPPICE_HD inline int count_bits(unsigned bits) {
#if defined(__CUDA_ARCH__)
    return __popc(bits);
#else
    return std::popcount(bits);
#endif
}
COPPICE_HD inline int leading_ones(unsigned bits) {
#if defined(__CUDA_ARCH__)
    return __clz(int(~bits));
#else
    return std::countl_one(bits);
#endif
}

/// From marks of rows that want to begin a block of two to the blocks of a level of n; the word behind the last one
/// tells how many rows stay. The first lanes of the team do it, a word each.
template <class Team>
COPPICE_HD void form_blocks(Team const& team, int n, block_word* words) {
    int const lanes = team.lanes(), lane = team.rank(), count = words_of(n);
    if (lane >= lanes) return;
    std::uint64_t reaches = 0; // whether a block of two reaches into the next word
    int rows = 0;
    for (int first = 0; first < count; first += lanes) {
        int const w = first + lane;
        unsigned const wanted = w < count ? words[w].second : 0;
        // A run of marks at the end of a word leaves its last row to a pair with the next word if its length is odd; a
        // word of nothing but marks hands on what came. That is how a sum of two numbers carries.
        int const run = leading_ones(wanted);
        std::uint64_t const hands_on = team.votes(run == word_rows),
                            leaves = team.votes(run < word_rows && run % 2 == 1);
        std::uint64_t const entered = ((leaves | hands_on) + leaves + reaches) ^ hands_on;
        bool const enters = (entered >> lane & 1) != 0;
        reaches = entered >> lanes & 1;
        unsigned const there = w < count ? low_bits(n - w * word_rows < word_rows ? n - w * word_rows : word_rows) : 0;
        unsigned const second = second_rows(wanted, enters);
        unsigned const stays = (rows_that_stay(~second & there) | (enters ? 1u : 0u)) & there;
        int const together = count - first < lanes ? count - first : lanes;
        int upto = count_bits(stays);
        for (int d = 1; d < together; d *= 2) {
            int const earlier = team.from_lane(upto, lane >= d ? lane - d : lane);
            if (lane >= d) upto += earlier;
        }
        if (w < count) words[w] = {second, stays, rows + upto - count_bits(stays)};
        rows += team.from_lane(upto, together - 1);
    }
    if (lane == 0) words[count] = {0, 0, rows};
}

/// A row of a level among its blocks.
struct placed_row {
    unsigned stays, second; ///< rows i - 1, i, i + 1, i + 2 in bits 0 to 3
    int before;             ///< rows before it that stay

    COPPICE_HD placed_row(block_word const* words, int i) {
        block_word const here = words[i / word_rows], next = words[i / word_rows + 1];
        int const bit = i % word_rows;
        auto const around = [&](unsigned low, unsigned high) {
            return unsigned((std::uint64_t(high) << word_rows | low) << 1 >> bit);
        };
        // The row before a word is of a block that stays.
        stays = around(here.stays, next.stays) | (bit == 0 ? 1u : 0u);
        second = around(here.second, next.second);
        before = here.before + count_bits(here.stays & low_bits(bit));
    }
};

/// Calls visit(i, stay, go) for every second row i of n: which of rows i and i + 1 stay, and which begin a block that
/// goes, in bits 0 and 1. Where no pivot has two rows that is one each, and no lane of a warp idles.
template <class Team, class Visit>
COPPICE_HD void for_pairs(Team const& team, int n, block_word const* words, Visit const& visit) {
    for (int i = 2 * team.rank(); i < n; i += 2 * team.size()) {
        block_word const word = words[i / word_rows];
        unsigned const both = i + 1 < n ? 3 : 1, stay = word.stays >> i % word_rows & both;
        visit(i, stay, both & ~(stay | word.second >> i % word_rows));
    }
}
/// Calls visit(i + k) for bits k of `rows`.
template <class Visit>
COPPICE_HD void visit_pair(int i, unsigned rows, Visit const& visit) {
    COPPICE_NO_UNROLL
    for (; rows != 0; rows &= rows - 1) visit(i + ((rows & 1) != 0 ? 0 : 1));
}

/// A block of one or two rows, whose last row is l, solved for its last unknown but for a division.
template <class T>
COPPICE_HD equation<T> last_of_block(equations<T> const& e, int l, bool two) {
    T const a = e.a[l], b = e.b[l], c = e.c[l], d = e.d[l];
    if (!two) return {a, b, c, d};
    T const b0 = e.b[l - 1];
    return {-(a * e.a[l - 1]), b0 * b - a * e.c[l - 1], b0 * c, b0 * d - a * e.d[l - 1]};
}
/// The same for the first one, of row f.
template <class T>
COPPICE_HD equation<T> first_of_block(equations<T> const& e, int f, bool two) {
    T const a = e.a[f], b = e.b[f], c = e.c[f], d = e.d[f];
    if (!two) return {a, b, c, d};
    T const b1 = e.b[f + 1];
    return {b1 * a, b * b1 - e.a[f + 1] * c, -(c * e.c[f + 1]), b1 * d - c * e.d[f + 1]};
}

/// Row i of the next level (Equations 5.6, 5.9 and 5.10).
template <class T>
COPPICE_HD equation<T> reduced_row(equations<T> const& e, placed_row const& at, int i) {
    equation<T> row{e.a[i], e.b[i], e.c[i], e.d[i]};
    if (i > 0 && (at.stays & 1) == 0) {
        equation<T> const before = last_of_block(e, i - 1, (at.second & 1) != 0);
        T const k = row.a / before.b;
        row = {-(before.a * k), row.b - before.c * k, row.c, row.d - before.d * k};
    }
    if (i + 1 < e.n && (at.stays & 4) == 0) {
        equation<T> const behind = first_of_block(e, i + 1, (at.second & 8) != 0);
        T const k = row.c / behind.b;
        row = {row.a, row.b - behind.a * k, -(behind.c * k), row.d - behind.d * k};
    }
    return row;
}

/// Writes the solution of the block that begins with row i over its right-hand side; x: that of the next level.
template <class T>
COPPICE_HD void solve_block(equations<T> const& e, placed_row const& at, int i, T const* x) {
    T const b = e.b[i], c = e.c[i], behind = x[at.before];
    T const d = i > 0 ? e.d[i] - e.a[i] * x[at.before - 1] : e.d[i];
    if ((at.second & 4) == 0) {
        e.d[i] = (d - c * behind) / b;
        return;
    }
    T const a1 = e.a[i + 1], b1 = e.b[i + 1], d1 = e.d[i + 1] - e.c[i + 1] * behind, determinant = b * b1 - a1 * c;
    e.d[i] = (b1 * d - c * d1) / determinant;
    e.d[i + 1] = (b * d1 - a1 * d) / determinant;
}

/// Solves n >= 1 equations, which equations_at has placed; the solution is where the right-hand side was. `memory`
/// holds adaptive_elements.
template <class T, class Team>
COPPICE_HD void adaptive_reduction(Team const& team, equations<T> const& e, T* memory) {
    static_assert(sizeof(int) <= sizeof(T) && alignof(int) <= alignof(T));
    int* const rows = reinterpret_cast<int*>(memory); // of each level
    // In `memory` the words of a level are behind its bands, and behind those the bands of the next. Places are
    // numbers, not pointers, so that a compiler for CUDA knows that all of them are in shared memory.
    auto const level_at = [&](int place, int n) { return equations_at(place < 0 ? e.a : memory + place, n); };
    auto const words_at = [&](int place) { return reinterpret_cast<block_word*>(memory + place); };
    auto const elements_of_words = [](int n) { return block_word_elements * (words_of(n) + 1); };
    int levels = 0, place = -1, behind = most_levels, n = e.n;
    for (; n > most_rows_in_turn; ++levels) {
        equations<T> const level = level_at(place, n);
        block_word* const words = words_at(behind);
        part_rows<T> const all{level, 0, n};
        mark_rows(
            team, n, [&](int i) { return !is_single<diagonal_pivots>(all, i, level.b[i]); }, words);
        team.sync();
        form_blocks(team, n, words);
        if (team.rank() == 0) rows[levels] = n;
        team.sync();
        int const left = words[words_of(n)].before;
        place = behind + elements_of_words(n);
        equations<T> const next = level_at(place, left);
        for_pairs(team, n, words, [&](int pair, unsigned stay, unsigned) {
            visit_pair(pair, stay, [&](int i) {
                placed_row const at(words, i);
                next.set(at.before, reduced_row(level, at, i));
            });
        });
        team.sync();
        n = left;
        behind = place + 4 * n;
    }
    if (team.rank() == 0) {
        equations<T> const level = level_at(place, n);
        solve_part<T, diagonal_pivots>(part_rows<T>{level, 0, n}, {T(0), T(0)}, level.d);
    }
    team.sync();
    while (levels-- > 0) {
        T const* const x = level_at(place, n).d;
        n = rows[levels];
        int const at_words = place - elements_of_words(n);
        block_word const* const words = words_at(at_words);
        place = levels == 0 ? -1 : at_words - 4 * n;
        equations<T> const level = level_at(place, n);
        for_pairs(team, n, words, [&](int pair, unsigned stay, unsigned go) {
            visit_pair(pair, stay, [&](int i) { level.d[i] = x[placed_row(words, i).before]; });
            visit_pair(pair, go, [&](int i) { solve_block(level, placed_row(words, i), i, x); });
        });
        team.sync();
    }
}

} // namespace coppice::classical
