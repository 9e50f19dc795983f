// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Adaptive R-cyclic reduction with diagonal pivoting (A-R-CR), run by a team (L.-W. Chang, thesis of 2014, chapter 5).
///
/// The test of diagonal pivoting groups the rows of a level into blocks of one or two rows. The unknowns of every
/// second block are eliminated from the rows of its two neighbours, a 1-(u, l) or 2-(u, l) reduction; the rows of the
/// neighbours stay and form the next level. The test uses the entries of the level itself, not of a Schur complement.
/// Therefore each eliminated block is invertible, and all rows are tested simultaneously.
///
/// Blocks are represented by words of 32 rows, one bit for each row. The choice of the eliminated blocks is local to a
/// word: backwards from its last block, every second block stays, beginning with the last one. Therefore the block of
/// the last row, which is not tested, stays, and no two eliminated blocks are neighbours. A word needs two numbers from
/// the previous words: whether a block of two rows extends into it, and how many rows stay.
///
/// In addition to rank(), size() and sync() a Team has lanes(), the number of workers in lockstep (32 of a CUDA block,
/// one on a CPU core), votes(condition), whose bit l is the condition of lane l, and from_lane(value, lane).
#pragma once

#include <bit>
#include <cstdint>

#include <coppice/solvers/compare/partition_team.hpp>

namespace coppice::inline v0_1::classical {

/// Rows of a word.
inline constexpr int word_rows = 32;
/// Levels with at most this many rows are solved by sequential diagonal pivoting, which takes less time than two more
/// levels.
inline constexpr int max_sequential_rows = 8;

COPPICE_HD constexpr int words_of(int n) { return (n + word_rows - 1) / word_rows; }
/// Maximum number of rows that remain of a level of n rows. The worst case in a word is single eliminated rows between
/// pairs that stay, after the second row of a pair of the previous word.
COPPICE_HD constexpr int rows_left(int n) {
    if (n <= word_rows) return (2 * n + 2) / 3;
    int const rest = n % word_rows;
    return n / word_rows * 22 + (rest > 0 ? (2 * rest + 3) / 3 : 0);
}

/// Block structure of 32 rows of a level, one bit for each row.
struct block_word {
    unsigned second; ///< rows that are the second row of a block of two
    unsigned stays;  ///< rows of blocks that stay
    int before;      ///< number of rows in all previous words that stay
};
inline constexpr int block_word_elements = 3;

/// Maximum number of levels, for systems of up to 2^26 rows, the maximum of solve_classical.
inline constexpr int max_levels = 48;
/// Elements of `memory` of adaptive_reduction: the row counts of the levels, and for each level its words, one extra
/// word, and the four bands of the next level.
COPPICE_HD constexpr int adaptive_elements(int n) {
    int elements = max_levels;
    while (n > max_sequential_rows) {
        elements += block_word_elements * (words_of(n) + 1);
        n = rows_left(n);
        elements += 4 * n;
    }
    return elements;
}

/// Sets the bits of the rows i < n with condition(i) in words[...].second.
template <class Team, class Condition>
COPPICE_HD void flag_rows(Team const& team, int n, Condition const& condition, block_word* words) {
    int const lanes = team.lanes(), lane = team.rank() % lanes;
    for (int w = team.rank() / lanes; w < words_of(n); w += team.size() / lanes) {
        unsigned flags = 0;
        for (int first = 0; first < word_rows; first += lanes) {
            int const i = w * word_rows + first + lane;
            flags |= team.votes(i < n && condition(i)) << first;
        }
        if (lane == 0) words[w].second = flags;
    }
}

/// Among rows with bits in `starts`, which could start a block of two, those that are the second row of such a block:
/// every other row of a run. The first row is a second row if `entered`. A subtraction propagates along each run (G.
/// Langdale, D. Lemire 2019, on escaped characters after backslashes).
COPPICE_HD constexpr unsigned second_rows(unsigned starts, bool entered) {
    unsigned const odd = 0xaaaaaaaau, first = entered ? 1 : 0, may_begin = starts & ~first;
    unsigned const begins_or_ends = ((may_begin << 1 | odd) - may_begin) ^ odd;
    return begins_or_ends ^ (starts | first);
}
/// Rows of the blocks that stay, given the first rows `begin` of all blocks: those with an even number of blocks after
/// them.
COPPICE_HD constexpr unsigned rows_that_stay(unsigned begin) {
    unsigned after = begin >> 1;
    for (int shift = 1; shift < word_rows; shift *= 2) after ^= after >> shift;
    return ~after;
}
/// The lowest `count` bits set; 0 <= count <= 32.
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

/// Computes the blocks of a level of n rows from the flags of rows that could start a block of two. The word after the
/// last one receives the number of rows that stay. Executed by the first lanes of the team, one word each.
template <class Team>
COPPICE_HD void form_blocks(Team const& team, int n, block_word* words) {
    int const lanes = team.lanes(), lane = team.rank(), count = words_of(n);
    if (lane >= lanes) return;
    std::uint64_t reaches = 0; // whether a block of two rows extends into the next word
    int rows = 0;
    for (int first = 0; first < count; first += lanes) {
        int const w = first + lane;
        unsigned const starts = w < count ? words[w].second : 0;
        // A run of flags of odd length at the end of a word leaves its last row to a pair with the next word; a word
        // with all flags set passes on its incoming state. This is the carry propagation of an addition.
        int const run = leading_ones(starts);
        std::uint64_t const hands_on = team.votes(run == word_rows),
                            leaves = team.votes(run < word_rows && run % 2 == 1);
        std::uint64_t const entered = ((leaves | hands_on) + leaves + reaches) ^ hands_on;
        bool const enters = (entered >> lane & 1) != 0;
        reaches = entered >> lanes & 1;
        unsigned const there = w < count ? low_bits(n - w * word_rows < word_rows ? n - w * word_rows : word_rows) : 0;
        unsigned const second = second_rows(starts, enters);
        unsigned const stays = (rows_that_stay(~second & there) | (enters ? 1u : 0u)) & there;
        int const together = count - first < lanes ? count - first : lanes;
        int prefix = count_bits(stays);
        for (int d = 1; d < together; d *= 2) {
            int const earlier = team.from_lane(prefix, lane >= d ? lane - d : lane);
            if (lane >= d) prefix += earlier;
        }
        if (w < count) words[w] = {second, stays, rows + prefix - count_bits(stays)};
        rows += team.from_lane(prefix, together - 1);
    }
    if (lane == 0) words[count] = {0, 0, rows};
}

/// A row of a level and its neighbours in the block structure.
struct placed_row {
    unsigned stays, second; ///< rows i - 1, i, i + 1, i + 2 in bits 0 to 3
    int before;             ///< rows before it that stay

    COPPICE_HD placed_row(block_word const* words, int i) {
        block_word const here = words[i / word_rows], next = words[i / word_rows + 1];
        int const bit = i % word_rows;
        auto const around = [&](unsigned low, unsigned high) {
            return unsigned((std::uint64_t(high) << word_rows | low) << 1 >> bit);
        };
        // The last block of a word always stays, so row -1 (the last row of the previous word) stays.
        stays = around(here.stays, next.stays) | (bit == 0 ? 1u : 0u);
        second = around(here.second, next.second);
        before = here.before + count_bits(here.stays & low_bits(bit));
    }
};

/// Calls function(i, stay, go) for every second row i of n: bits 0 and 1 give which of rows i and i + 1 stay, and which
/// start an eliminated block. If all blocks have one row, each call has one of each, and no lane of a warp idles.
template <class Team, class Function>
COPPICE_HD void for_pairs(Team const& team, int n, block_word const* words, Function const& function) {
    for (int i = 2 * team.rank(); i < n; i += 2 * team.size()) {
        block_word const word = words[i / word_rows];
        unsigned const both = i + 1 < n ? 3 : 1, stay = word.stays >> i % word_rows & both;
        function(i, stay, both & ~(stay | word.second >> i % word_rows));
    }
}
/// Calls function(i + k) for each bit k of `rows`.
template <class Function>
COPPICE_HD void for_rows_of_pair(int i, unsigned rows, Function const& function) {
    COPPICE_NO_UNROLL
    for (; rows != 0; rows &= rows - 1) function(i + ((rows & 1) != 0 ? 0 : 1));
}

/// The equation of the last unknown of a block of one or two rows with last row l, before the division by its
/// coefficient.
template <class T>
COPPICE_HD equation<T> last_of_block(equations<T> const& e, int l, bool two) {
    T const a = e.a[l], b = e.b[l], c = e.c[l], d = e.d[l];
    if (!two) return {a, b, c, d};
    T const b0 = e.b[l - 1];
    return {-(a * e.a[l - 1]), b0 * b - a * e.c[l - 1], b0 * c, b0 * d - a * e.d[l - 1]};
}
/// The equation of the first unknown of a block of one or two rows with first row f, before the division.
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
        equation<T> const after = first_of_block(e, i + 1, (at.second & 8) != 0);
        T const k = row.c / after.b;
        row = {row.a, row.b - after.a * k, -(after.c * k), row.d - after.d * k};
    }
    return row;
}

/// Solves the block that starts at row i and overwrites its right-hand side; x is the solution of the next level.
template <class T>
COPPICE_HD void solve_block(equations<T> const& e, placed_row const& at, int i, T const* x) {
    T const b = e.b[i], c = e.c[i], after = x[at.before];
    T const d = i > 0 ? e.d[i] - e.a[i] * x[at.before - 1] : e.d[i];
    if ((at.second & 4) == 0) {
        e.d[i] = (d - c * after) / b;
        return;
    }
    T const a1 = e.a[i + 1], b1 = e.b[i + 1], d1 = e.d[i + 1] - e.c[i + 1] * after, determinant = b * b1 - a1 * c;
    e.d[i] = (b1 * d - c * d1) / determinant;
    e.d[i + 1] = (b * d1 - a1 * d) / determinant;
}

/// Solves n >= 1 equations with the layout of equations_at; the solution overwrites the right-hand side. `memory` holds
/// adaptive_elements.
template <class T, class Team>
COPPICE_HD void adaptive_reduction(Team const& team, equations<T> const& e, T* memory) {
    static_assert(sizeof(int) <= sizeof(T) && alignof(int) <= alignof(T));
    int* const rows = reinterpret_cast<int*>(memory); // of each level
    // In `memory` the words of a level follow its bands, and the bands of the next level follow the words. Offsets
    // instead of pointers let the CUDA compiler infer that all accesses are to shared memory.
    auto const level_at = [&](int offset, int n) { return equations_at(offset < 0 ? e.a : memory + offset, n); };
    auto const words_at = [&](int offset) { return reinterpret_cast<block_word*>(memory + offset); };
    auto const elements_of_words = [](int n) { return block_word_elements * (words_of(n) + 1); };
    int levels = 0, offset = -1, after = max_levels, n = e.n;
    for (; n > max_sequential_rows; ++levels) {
        equations<T> const level = level_at(offset, n);
        block_word* const words = words_at(after);
        partition_rows<T> const all{level, 0, n};
        flag_rows(
            team, n, [&](int i) { return !is_single<diagonal_pivots>(all, i, level.b[i]); }, words);
        team.sync();
        form_blocks(team, n, words);
        if (team.rank() == 0) rows[levels] = n;
        team.sync();
        int const left = words[words_of(n)].before;
        offset = after + elements_of_words(n);
        equations<T> const next = level_at(offset, left);
        for_pairs(team, n, words, [&](int pair, unsigned stay, unsigned) {
            for_rows_of_pair(pair, stay, [&](int i) {
                placed_row const at(words, i);
                next.set(at.before, reduced_row(level, at, i));
            });
        });
        team.sync();
        n = left;
        after = offset + 4 * n;
    }
    if (team.rank() == 0) {
        equations<T> const level = level_at(offset, n);
        solve_partition<T, diagonal_pivots>(partition_rows<T>{level, 0, n}, {T(0), T(0)}, level.d);
    }
    team.sync();
    while (levels-- > 0) {
        T const* const x = level_at(offset, n).d;
        n = rows[levels];
        int const at_words = offset - elements_of_words(n);
        block_word const* const words = words_at(at_words);
        offset = levels == 0 ? -1 : at_words - 4 * n;
        equations<T> const level = level_at(offset, n);
        for_pairs(team, n, words, [&](int pair, unsigned stay, unsigned go) {
            for_rows_of_pair(pair, stay, [&](int i) { level.d[i] = x[placed_row(words, i).before]; });
            for_rows_of_pair(pair, go, [&](int i) { solve_block(level, placed_row(words, i), i, x); });
        });
        team.sync();
    }
}

} // namespace coppice::inline v0_1::classical
