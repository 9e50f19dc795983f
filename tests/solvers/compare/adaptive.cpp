// SPDX-License-Identifier: BSD-3-Clause
// Adaptive R-cyclic reduction: its blocks against the sequential rule, and large systems by one worker and by blocks.
#include <coppice/solvers/compare/adaptive_team.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "solvers/compare/classical_batch.hpp"
#include "solvers/compare/team_of_block.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/executors.hpp"
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

using namespace coppice;
using namespace coppice::test;
using classical::block_word;

namespace {

/// Random bands in which each row needs a pivot of two rows with about the given probability.
template <class T>
test::system<T> bands_with_pairs(std::int64_t n, double probability, std::uint64_t seed) {
    auto s = random_system<T>(n, seed);
    std::mt19937_64 engine(seed);
    std::bernoulli_distribution small(probability);
    for (T& b : s.diagonal) b = small(engine) ? b * T(1e-3) : b + T(b < 0 ? -3 : 3);
    s.lower.front() = s.upper.back() = 0;
    s.make_rhs();
    return s;
}

#if !defined(COPPICE_TEST_CUDA)

/// Flags of rows that need a pivot of two rows; never set for the last row.
std::vector<char> flags_of(int n, double probability, unsigned seed) {
    std::mt19937 engine(seed);
    std::bernoulli_distribution flagged(probability);
    std::vector<char> flags(static_cast<std::size_t>(n));
    for (char& m : flags) m = flagged(engine) ? 1 : 0;
    flags.back() = 0;
    return flags;
}

struct blocks_of_rows {
    std::vector<char> second, stays;
    std::vector<int> before;
    friend bool operator==(blocks_of_rows const&, blocks_of_rows const&) = default;
};
/// The sequential rule: a flagged row forms a block with the next row unless it is the second row of a block itself. In
/// each word, counted from its end, the blocks that start there alternately stay and are eliminated.
blocks_of_rows by_rule(std::vector<char> const& flags) {
    auto const n = flags.size();
    blocks_of_rows b{std::vector<char>(n), std::vector<char>(n), std::vector<int>(n)};
    for (std::size_t i = 1; i < n; ++i) b.second[i] = flags[i - 1] && !b.second[i - 1];
    for (std::size_t word = 0; word < n; word += classical::word_rows) {
        char stays = 1;
        for (std::size_t i = std::min(word + classical::word_rows, n); i-- > word;) {
            b.stays[i] = b.second[i] && i == word ? 1 : stays; // a block that extends into the next word stays
            if (!b.second[i]) stays = 1 - stays;
        }
    }
    for (std::size_t i = 1; i < n; ++i) b.before[i] = b.before[i - 1] + b.stays[i - 1];
    return b;
}
blocks_of_rows by_words(block_word const* words, int n) {
    blocks_of_rows b;
    for (int i = 0; i < n; ++i) {
        classical::placed_row const at(words, i);
        b.second.push_back((at.second & 2) != 0);
        b.stays.push_back((at.stays & 2) != 0);
        b.before.push_back(at.before);
    }
    return b;
}

template <class Team>
void form(Team const& team, std::vector<char> const& flags, block_word* words) {
    int const n = int(flags.size());
    classical::flag_rows(
        team, n, [&](int i) { return flags[std::size_t(i)] != 0; }, words);
    team.sync();
    classical::form_blocks(team, n, words);
}

#endif

} // namespace

TEST_CASE_TEMPLATE("adaptive reduction: sizes around words and words of words", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 2, 8, 9, 10, 31, 32, 33, 34, 63, 64, 65, 127, 512, 1023, 1024, 1025, 1057, 1100})
        for (double const probability : {0.0, 0.3, 0.7}) {
            CAPTURE(n);
            CAPTURE(probability);
            auto const s = bands_with_pairs<double>(n, probability, std::uint64_t(n));
            CHECK(backward_error(s, solve_batch(exec, s, 1, {classical_algorithm::adaptive_cr})) <= 1e-11);
            auto const f = bands_with_pairs<float>(n, probability, std::uint64_t(n));
            CHECK(backward_error(f, solve_batch(exec, f, 1, {classical_algorithm::adaptive_cr})) <= 1e-2);
        }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("adaptive reduction: second rows of a word") {
    std::mt19937 engine(1);
    for (int k = 0; k < 200000; ++k) {
        unsigned const starts =
            k < 1 << 16 ? unsigned(k) * (k % 2 == 0 ? 1u : 0x10001u) : unsigned(engine()) | unsigned(engine());
        for (bool const entered : {false, true}) {
            unsigned expected = entered ? 1 : 0;
            for (int i = 1; i < 32; ++i)
                if ((starts >> (i - 1) & 1) != 0 && (expected >> (i - 1) & 1) == 0) expected |= 1u << i;
            if (classical::second_rows(starts, entered) != expected) {
                CAPTURE(starts);
                CHECK(classical::second_rows(starts, entered) == expected);
            }
        }
    }
}

TEST_CASE("adaptive reduction: blocks of a level") {
    for (int const n : {9, 31, 32, 33, 64, 65, 100, 1000, 1024, 1025, 1056, 1057, 2500})
        for (double const probability : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0})
            for (unsigned seed = 0; seed < 5; ++seed) {
                CAPTURE(n);
                CAPTURE(probability);
                CAPTURE(seed);
                auto const flags = flags_of(n, probability, seed);
                auto const expected = by_rule(flags);
                int const left = int(std::count(expected.stays.begin(), expected.stays.end(), char(1)));
                CHECK(left <= classical::rows_left(n));
                CHECK(left < n);
                std::vector<block_word> words(static_cast<std::size_t>(classical::words_of(n) + 1));
                form(chain::alone{}, flags, words.data());
                CHECK(by_words(words.data(), n) == expected);
                CHECK(words.back().before == left);
                if (seed > 0) continue;
                for (int const threads : {32, 96}) {
                    std::fill(words.begin(), words.end(), block_word{~0u, ~0u, -1});
                    block_runner(threads).run(1, [&](block_stand_in const& block, int, std::byte*) {
                        form(team_of_block{block}, flags, words.data());
                    });
                    CHECK(by_words(words.data(), n) == expected);
                    CHECK(words.back().before == left);
                }
            }
}

TEST_CASE("adaptive reduction: single rows between pairs leave most rows") {
    for (int n = 9; n < 400; ++n) {
        CAPTURE(n);
        CHECK(classical::rows_left(n) < n);
        CHECK(classical::rows_left(n) >= classical::rows_left(n - 1));
    }
    int levels = 0;
    for (int n = 1 << 26; n > classical::max_sequential_rows; n = classical::rows_left(n)) ++levels;
    CHECK(levels <= classical::max_levels);
}

TEST_CASE("adaptive reduction: blocks of several warps give the bits of one worker") {
    for (int const n : {130, 1100})
        for (double const probability : {0.0, 0.5}) {
            CAPTURE(n);
            CAPTURE(probability);
            auto const s = bands_with_pairs<double>(n, probability, 3);
            auto const solve = [&](auto const& team, double* memory, double* x) {
                auto const e = classical::equations_at(memory, n);
                put_equations(team, s, e);
                classical::adaptive_reduction(team, e, memory + 4 * n);
                for (int i = team.rank(); i < n; i += team.size()) x[i] = e.d[i];
            };
            auto const elements = static_cast<std::size_t>(4 * n + classical::adaptive_elements(n));
            std::vector<double> memory(elements), expected(static_cast<std::size_t>(n)), x(expected);
            solve(chain::alone{}, memory.data(), expected.data());
            for (int const threads : {32, 64, 160}) {
                CAPTURE(threads);
                block_runner(threads, elements * sizeof(double))
                    .run(1, [&](block_stand_in const& block, int, std::byte* shared) {
                        solve(team_of_block{block}, reinterpret_cast<double*>(shared), x.data());
                    });
                CHECK(std::memcmp(x.data(), expected.data(), x.size() * sizeof(double)) == 0);
            }
        }
}
#endif
