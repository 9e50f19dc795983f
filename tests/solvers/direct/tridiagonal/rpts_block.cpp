// SPDX-License-Identifier: BSD-3-Clause
// Components of solve_tridiagonal: the lane code of one partition, and the bodies of the CUDA kernels on CPU threads,
// so that accuracy and barriers of the GPU path are tested without a GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "solvers/tridiagonal_reference.hpp"
#include "support/block_stand_in.hpp"
#include "support/sanitized.hpp"
#include "support/share_barrier.hpp"
#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_on_chip.hpp>

using namespace coppice;
using namespace coppice::test;
using namespace coppice::rpts;

namespace {

template <class T>
partition_rows<T> rows_of(test::system<T>& s) {
    return {s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data()};
}

/// Solves systems on chip: all blocks simultaneously if they share a system, otherwise one after the other.
template <pivoting P, bool Cyclic = false, class T>
void solve_on_chip(system_view<T> const& s, resident_plan const& plan, double limit = 0) {
    std::vector<std::atomic<int>> arrivals(std::size_t(plan.pairs));
    std::vector<slice_segment<T>> segments(std::size_t(plan.pairs * plan.slices));
    resident_job<T> const job{s, plan, segments.data(), T(0)};
    auto const run = [&](std::int64_t first, std::int64_t last) {
        block_runner blocks(plan.threads, std::size_t(resident_memory<T>(plan).bytes()));
        blocks.run(int(last - first), [&](auto const& block, int item, std::byte* shared) {
            slice_barrier barrier{&arrivals};
            auto const solve = [&](auto const& threshold) {
                T* const memory = reinterpret_cast<T*>(shared);
                if (plan.partition == min_resident_partition<T>)
                    solve_resident<P, min_resident_partition<T>, Cyclic>(block, job, int(first) + item, barrier, memory,
                                                                         threshold);
                else
                    solve_resident<P, max_resident_partition<T>, Cyclic>(block, job, int(first) + item, barrier, memory,
                                                                         threshold);
            };
            if constexpr (!Cyclic)
                if (limit > 0) return solve(T(limit));
            solve(no_threshold{});
        });
    };
    if (plan.slices == 1) return run(0, plan.items);
    std::vector<std::thread> all;
    for (std::int64_t item = 0; item < plan.items; ++item) all.emplace_back(run, item, item + 1);
    for (auto& one : all) one.join();
}

/// Partitioning of a solve: systems of at most `last` rows are solved on chip, in partitions of M rows, by blocks of at
/// most `threads` threads.
struct path {
    std::int64_t last;
    int threads = 512;
    bool small = false; ///< use the smaller M
    double threshold = 0;

    template <class T>
    int partition() const {
        return small ? min_resident_partition<T> : max_resident_partition<T>;
    }
};

/// Executes all levels of a solve as the CUDA launcher does, tile by tile, with R for the right-hand sides.
template <pivoting P, class R, bool Cyclic = false, class T>
void solve_in_blocks(system_view<T> const& s, path const& how) {
    int m = how.partition<T>();
    if (Cyclic && m == max_resident_partition<T> && !merges_pairs<max_resident_partition<T>> && s.size % m != 0)
        m = min_resident_partition<T>;
    if (s.size <= how.last)
        return solve_on_chip<P, Cyclic>(s,
                                        s.size <= how.threads * m ? plan_whole(s.size, s.pairs(), m, 1)
                                                                  : plan_slices(s.size, s.pairs(), m, how.threads),
                                        how.threshold);
    std::int64_t const partitions = partitions_of(s.size, block_partition, Cyclic);
    std::int64_t const rows = coarse_rows(s.size, partitions, block_partition, Cyclic), all = s.systems * rows;
    std::vector<T> memory(std::size_t(all * (3 + s.columns)), T(0));
    T* const at = memory.data();
    std::vector<std::int8_t> pair_records(std::size_t(partitions / 2 * s.systems), std::int8_t(99));
    level<T> const whole{
        s, {at, at + all, at + 2 * all, at + 3 * all, rows, all}, partitions, T(how.threshold), pair_records.data()};
    int const tiles = int((partitions + tile_partitions - 1) / tile_partitions);
    auto const for_all_tiles = [&](auto const& body) {
        block_runner blocks(tile_threads, tile_bytes<T, R>);
        for (std::int64_t k = 0; k < s.systems; ++k)
            for (std::int64_t c = 0; c < s.columns; c += rhs_count<R>)
                blocks.run(tiles, [&](auto const& block, int tile, std::byte* shared) {
                    body(block, whole.at(k, c), tile, reinterpret_cast<unsigned char*>(shared));
                });
    };
    for_all_tiles([](auto const& block, level<T> const& one, int tile, unsigned char* shared) {
        reduce_tile<P, R, Cyclic>(block, one, tile, shared, [] {});
    });
    solve_in_blocks<P, R, Cyclic>(next_systems(s, whole.coarse, rows), how);
    for_all_tiles([](auto const& block, level<T> const& one, int tile, unsigned char* shared) {
        substitute_tile<P, R, Cyclic>(block, one, tile, shared);
    });
}

template <pivoting P, class T>
std::vector<T> block_solution(test::system<T> const& s, path const& how) {
    std::vector<T> x(s.rhs);
    solve_in_blocks<P, T>(
        system_view<T>{s.size(), s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data(), x.data()}, how);
    return x;
}

/// Systems of n rows, stored one after the other, each with its own right-hand sides, column by column.
template <class T>
struct packed_batch {
    std::int64_t n, systems, columns;
    std::vector<test::system<T>> one; ///< [system * columns + column]
    std::vector<T> lower, diagonal, upper, rhs;

    packed_batch(std::int64_t rows, std::int64_t count, std::int64_t rhs_columns)
        : n(rows), systems(count), columns(rhs_columns), rhs(std::size_t(rows * count * rhs_columns)) {
        for (std::int64_t k = 0; k < count; ++k)
            for (std::int64_t c = 0; c < rhs_columns; ++c) {
                auto s = random_system<T>(n, std::uint64_t(100 + k));
                give_solution(s, std::uint64_t(1000 * k + c));
                s.spoil_corners();
                std::copy(s.rhs.begin(), s.rhs.end(), rhs.begin() + (c * count + k) * n);
                if (c == 0) {
                    lower.insert(lower.end(), s.lower.begin(), s.lower.end());
                    diagonal.insert(diagonal.end(), s.diagonal.begin(), s.diagonal.end());
                    upper.insert(upper.end(), s.upper.begin(), s.upper.end());
                }
                one.push_back(std::move(s));
            }
    }
    std::int64_t leading() const { return n * systems; }
    system_view<T> view(std::vector<T>& x) const {
        return {n, lower.data(), diagonal.data(), upper.data(), rhs.data(), x.data(), systems, columns,
                n, leading(),    leading()};
    }
    std::vector<T> of(std::vector<T> const& x, std::int64_t k, std::int64_t c) const {
        auto const first = x.begin() + (c * systems + k) * n;
        return {first, first + n};
    }
};

} // namespace

TEST_CASE("rpts: the coarse rows of a partition hold for a known solution") {
    for (int const length : {4, 5, 15, 31, 32}) {
        // Rows 1 .. length of a larger system form the partition, so that it has neighbours on both sides.
        auto s = random_system<double>(length + 2, std::uint64_t(length));
        partition_rows<double> const all = rows_of(s);
        partition_rows<double> const rows{all.lower + 1, all.diagonal + 1, all.upper + 1, all.rhs + 1};
        auto const& x = s.exact;
        auto const last = std::size_t(length);
        auto const check = [&](coarse_row<double> const& first_row, coarse_row<double> const& last_row) {
            double const top = first_row.lower * x[0] + first_row.diagonal * x[1] + first_row.upper * x[last];
            double const bottom = last_row.lower * x[1] + last_row.diagonal * x[last] + last_row.upper * x[last + 1];
            CHECK(top == doctest::Approx(first_row.rhs).epsilon(1e-12));
            CHECK(bottom == doctest::Approx(last_row.rhs).epsilon(1e-12));
        };
        coarse_row<double> first_row, last_row;
        reduce_both<pivoting::partial>(rows, length, 0.0, first_row, last_row);
        check(first_row, last_row);
        check(reduce_towards<pivoting::partial>(upward_step{}, rows, length, 0.0),
              reduce_towards<pivoting::partial>(downward_step{}, rows, length, 0.0));
        check(reduce_towards<pivoting::scaled_partial>(upward_step{}, rows, length, 0.0),
              reduce_towards<pivoting::scaled_partial>(downward_step{}, rows, length, 0.0));
        substitute_partition<pivoting::partial>(rows, length, {x[0], x[1], x[last], x[last + 1]}, 0.0, {});
        for (std::size_t j = 1; j <= last; ++j) CHECK(s.rhs[j] == doctest::Approx(x[j]).epsilon(1e-9));
    }
}

TEST_CASE("rpts: a partition with a singular inner matrix is solved by its boundary rows") {
    // With an odd number of inner rows and a zero diagonal the inner matrix is exactly singular, the system is not.
    for (int const length : {5, 15, 31}) {
        test::system<double> s(length);
        std::fill(s.lower.begin(), s.lower.end(), 1.0);
        std::fill(s.upper.begin(), s.upper.end(), 1.0);
        give_solution(s, 1);
        s.lower.front() = s.upper.back() = 0;
        s.make_rhs();
        auto const& x = s.exact;
        substitute_partition<pivoting::partial>(rows_of(s), length, {0.0, x.front(), x.back(), 0.0}, 0.0, {});
        for (std::size_t j = 0; j < x.size(); ++j) CHECK(s.rhs[j] == doctest::Approx(x[j]).epsilon(1e-12));
    }
}

// In the matrix (1, 2 cos(k pi / (inner + 1)), 1) every `inner` consecutive rows are singular. The whole matrix is not,
// unless inner + 1 divides n + 1.
template <class T>
test::system<T> singular_inside(std::int64_t n, int inner, int k) {
    test::system<T> s(n);
    std::fill(s.lower.begin(), s.lower.end(), T(1));
    std::fill(s.upper.begin(), s.upper.end(), T(1));
    std::fill(s.diagonal.begin(), s.diagonal.end(), T(2 * std::cos(k * 3.14159265358979323846 / (inner + 1))));
    give_solution(s, 1);
    s.lower.front() = s.upper.back() = 0;
    s.make_rhs();
    return s;
}

TEST_CASE("rpts: partitions that are singular inside, through tiles and on chip") {
    auto const check = [&]<class T>(T, std::int64_t n, int inner, int k) {
        CAPTURE(sizeof(T));
        CAPTURE(n);
        CAPTURE(inner);
        CAPTURE(k);
        auto const s = singular_inside<T>(n, inner, k);
        double const bound = 100 * double(std::numeric_limits<T>::epsilon());
        for (path const& p : {path{100, 64}, path{5120, 64}, path{5120, 512}, path{5120, 32, true},
                              path{100, 64, false, 1e-25}, path{5120, 64, false, 1e-25}}) {
            if (test::sanitized && (p.threshold > 0 || (test::races_watched && p.threads > 64))) continue;
            CAPTURE(p.last);
            CAPTURE(p.threads);
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, p)) <= bound);
            CHECK(backward_error(s, block_solution<pivoting::scaled_partial>(s, p)) <= bound);
        }
    };
    for (int const inner : {2, 6, 14, 30})
        for (int const k : {1, 2, 5, 13})
            for (std::int64_t const n : {130, 1020, 1024, 2085, 4000})
                if (k <= inner && (n + 1) % (inner + 1) != 0 && (!test::sanitized || k == 1 || k == 5) &&
                    (!test::races_watched || (k == 1 && n == 1020)))
                    check(1.0, n, inner, k), check(1.0f, n, inner, k);
}

TEST_CASE("rpts: solutions that vanish at partition boundaries, through tiles and on chip") {
    auto const check = []<class T>(T, alternating_rows rows) {
        CAPTURE(sizeof(T));
        CAPTURE(rows.entries[0]);
        auto const s = system_of<T>(rows);
        double const bound = 100 * double(std::numeric_limits<T>::epsilon());
        for (path const& p : {path{100, 64}, path{5120, 64}, path{5120, 32, true}, path{100, 64, false, 1e-30}}) {
            if (test::races_watched && p.threshold > 0) continue;
            CAPTURE(p.last);
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, p)) <= bound);
            CHECK(backward_error(s, block_solution<pivoting::scaled_partial>(s, p)) <= bound);
            if (p.last != 100 || p.threshold > 0) continue;
            // Two right-hand sides in a tile.
            std::int64_t const n = s.size();
            std::vector<T> d(s.rhs), x(std::size_t(2 * n));
            d.insert(d.end(), s.rhs.rbegin(), s.rhs.rend());
            system_view<T> const both{
                n, s.lower.data(), s.diagonal.data(), s.upper.data(), d.data(), x.data(), 1, 2, n, n, n};
            solve_in_blocks<pivoting::partial, rhs_pack<T, 2>>(both, p);
            CHECK(std::vector<T>(x.begin(), x.begin() + n) == block_solution<pivoting::partial>(s, p));
        }
    };
    for (auto const& rows : vanishing_at_ends())
        if (rows.size <= 2000) check(1.0, rows), check(1.0f, rows);
}

TEST_CASE("rpts: partition boundaries are shifted if a partition is nearly singular inside") {
    CHECK(boundary_shift(0) == 0);
    CHECK((boundary_shift(1) == 1 && boundary_shift(2) == -1 && boundary_shift(3) == 2 && boundary_shift(4) == -2));
    CHECK((boundary_shift(5) == 8 && boundary_shift(6) == -8 && boundary_shift(7) == 14 && boundary_shift(12) == -26));
    auto s = singular_inside<double>(200, 30, 5);
    auto const all = rows_of(s);
    auto const multiplier = [&](int first, int length, bool down) {
        pair_partition const piece{first, length, 0, -1, 2};
        return sweep_in_pair<pivoting::partial>(all, piece, down, 0.0, [](int i) { return i; }).relative;
    };
    for (bool const down : {true, false}) {
        CHECK(multiplier(32, 32, down) < 1e-10);
        for (int const length : {30, 31, 33, 34}) CHECK(multiplier(32, length, down) > 0.01);
        CHECK(multiplier(1, 2, down) == 1);
    }
}

TEST_CASE("rpts: sweeps through a partition of a pair have the bits of the reduction") {
    auto s = random_system<double>(70, 7);
    auto const all = rows_of(s);
    auto const in_place = [](int i) { return i; };
    for (int const first : {1, 3, 26})
        for (int const length : {4, 31, 32, 38}) {
            pair_partition const piece{first, length, 0, -1, 2};
            auto const check = [&]<pivoting P>(std::integral_constant<pivoting, P>, bool down) {
                double multiplier = 0;
                auto const sweep = sweep_in_pair<P>(all, piece, down, 0.0, in_place);
                auto const row = reduce_towards<P>(down ? 1 : -1, all.from(first), length, no_threshold{}, &multiplier);
                CHECK(sweep.row.lower == row.lower);
                CHECK(sweep.row.diagonal == row.diagonal);
                CHECK(sweep.row.upper == row.upper);
                CHECK(sweep.row.rhs == row.rhs);
                CHECK(sweep.multiplier == multiplier);
            };
            for (bool const down : {true, false}) {
                check(std::integral_constant<pivoting, pivoting::partial>{}, down);
                check(std::integral_constant<pivoting, pivoting::scaled_partial>{}, down);
                check(std::integral_constant<pivoting, pivoting::none>{}, down);
            }
        }
}

TEST_CASE("rpts: each split of a pair covers its rows by partitions and single rows, with four coarse rows") {
    constexpr int rows = 64;
    for (int number = 0; number < pair_split::numbers; ++number) {
        pair_split const split{number};
        pair_partition const first = split.partition(0, rows), last = split.partition(1, rows);
        bool const above = first.first == 1, below = last.end() == rows - 1;
        CHECK(first.first == int(above));
        CHECK(last.end() == rows - int(below));
        if (split.partitions() == 2) {
            CHECK((!above && !below && first.end() == last.first && first.length >= 4 && last.length >= 4));
            CHECK((first.coarse == 0 && first.after == last.coarse && last.before == first.coarse + 1));
            CHECK((last.coarse == 2 && first.before == -1 && last.after == 4));
        } else {
            CHECK((above || below));
            CHECK((first.coarse == last.coarse && first.first == last.first));
            // A single row and the two ends of the partition are three coarse unknowns. A pair has four coarse rows:
            // the fourth unknown is the sum of two neighbours.
            CHECK(int(first.sum_before()) + int(first.sum_after()) == int(above != below));
            CHECK((first.before == (above ? 0 : -1) && first.after == (below ? 3 : 4)));
            CHECK(first.coarse == first.before + 1 + int(first.sum_before()));
            CHECK(first.after == first.coarse + 2 + int(first.sum_after()));
        }
    }
}

TEST_CASE("rpts: four threads check each split of a pair, for every number of pairs, until one is good") {
    for (int count = 1; count <= 16; ++count) {
        unsigned open = 0;
        for (int k = 0; k < count; ++k) open |= 1u << 2 * (15 - k); // the last pairs of a tile
        std::vector<int> threads_of(std::size_t(16 * 16), 0);       // by rank of the pair and split of the pass
        split_group const any(0, open);
        CHECK(any.pairs == count);
        CHECK(any.splits == 16 / count);
        for (int thread = 0; thread < tile_threads; ++thread) {
            split_group const group(thread, open);
            if (!group.works()) continue;
            int const rank = group.pair(open) / 2 - (16 - count);
            REQUIRE((rank >= 0 && rank < count && group.split() < any.splits));
            threads_of[std::size_t(16 * rank + group.split())] |= 1 << group.sweep;
            for (int sweeps = 0; sweeps < 16; ++sweeps) { // all other splits are bad
                unsigned bad[2] = {~0u, ~0u};
                int const bit = thread / 4 * 4;
                bad[bit / 32] &= ~(15u << bit % 32) | unsigned(sweeps) << bit % 32;
                bool const good = (sweeps & 3) != 3 && (sweeps & 12) != 12;
                CHECK(any.first_good(rank, bad) == (good ? group.split() : -1));
            }
        }
        for (int rank = 0; rank < count; ++rank)
            for (int k = 0; k < any.splits; ++k) CHECK(threads_of[std::size_t(16 * rank + k)] == 15);
    }
}

TEST_CASE("rpts: a tile records the first split without a partition that is nearly singular inside") {
    // Windows of consecutive rows whose matrix is singular, in some pairs; random rows elsewhere. The boundary has to
    // be near windows that are weakly coupled to the other rows.
    constexpr int rows = tile_rows, pair_rows = 2 * block_partition;
    std::mt19937_64 draw(7);
    std::array<int, pair_split::numbers> times{};
    int reported[2] = {0, 0};
    for (int trial = 0; trial < 60; ++trial) {
        auto s = random_system<double>(rows, std::uint64_t(trial));
        for (int pair = 0; pair < tile_partitions / 2; ++pair) {
            if (trial % 3 == 0 ? pair != trial % 16 : draw() % 4 == 0) continue;
            int const inner = 2 + 2 * int(draw() % 15), k = 1 + int(draw() % unsigned(inner));
            int const first = pair * pair_rows + 1 + int(draw() % unsigned(pair_rows - inner - 1));
            for (auto i = std::size_t(first); i < std::size_t(first + inner); ++i) {
                s.lower[i] = s.upper[i] = 1;
                s.diagonal[i] = 2 * std::cos(k * 3.14159265358979323846 / (inner + 1));
            }
            double const coupling = draw() % 2 ? 1e-9 : 1;
            s.lower[std::size_t(first)] *= coupling;
            s.upper[std::size_t(first + inner - 1)] *= coupling;
        }
        auto const all = rows_of(s);
        std::vector<double> coarse(4 * 2 * tile_partitions);
        double* const at = coarse.data();
        std::vector<std::int8_t> records(tile_partitions / 2, std::int8_t(99));
        system_view<double> fine{rows, s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data(), s.rhs.data()};
        int flags[2] = {0, 0};
        fine.not_finite = flags, fine.uncertain = flags + 1;
        level<double> const one{fine, {at, at + 64, at + 128, at + 192, 64, 64}, tile_partitions, 0.0, records.data()};
        block_runner(tile_threads, tile_bytes<double, double>)
            .run(1, [&](auto const& block, int tile, std::byte* shared) {
                reduce_tile<pivoting::partial, double>(block, one, tile, reinterpret_cast<unsigned char*>(shared),
                                                       [] {});
            });
        bool no_split = false; // of a pair that needs one
        for (int pair = 0; pair < tile_partitions / 2; ++pair) {
            auto const own = all.from(pair * pair_rows);
            auto const is_bad = [&](pair_partition const& piece) {
                auto const small = [&](bool down) {
                    return sweep_in_pair<pivoting::partial>(own, piece, down, 0.0, [](int i) { return i; }).relative <
                           min_multiplier;
                };
                return small(true) && small(false);
            };
            auto const sweeps_are_small = [&](int k) {
                double down = 1, up = 1;
                reduce_towards<pivoting::partial>(downward_step{}, own.from(k * block_partition), block_partition, 0.0,
                                                  &down);
                reduce_towards<pivoting::partial>(upward_step{}, own.from(k * block_partition), block_partition, 0.0,
                                                  &up);
                return down < min_multiplier && up < min_multiplier;
            };
            int expected = 0;
            if (sweeps_are_small(0) || sweeps_are_small(1))
                for (int k = 1; k < pair_split::numbers && expected == 0; ++k)
                    if (!is_bad(pair_split{k}.partition(0, pair_rows)) &&
                        !is_bad(pair_split{k}.partition(1, pair_rows)))
                        expected = k;
            no_split = no_split || ((sweeps_are_small(0) || sweeps_are_small(1)) && expected == 0);
            CAPTURE(trial);
            CAPTURE(pair);
            CHECK(pair_record(records[std::size_t(pair)]).split().number == expected);
            ++times[std::size_t(expected)];
        }
        CHECK(flags[0] == int(no_split));
        CHECK(flags[1] == int(no_split));
        ++reported[no_split ? 1 : 0];
    }
    CHECK((reported[0] > 0 && reported[1] > 0));
    CHECK(times[0] > 100);
    CHECK(std::count_if(times.begin() + 1, times.end(), [](int t) { return t > 0; }) >= 6); // various splits are needed
}

TEST_CASE("rpts: a system with partitions that have no good split is reported as uncertain") {
    // The second of three systems has no good split in any pair (tests/solvers/direct/solve/not_finite.cpp).
    auto const flags_of = [](std::int64_t n, path const& p, bool second_is_bad, auto cyclic) {
        packed_batch<double> s(n, 3, 2);
        for (std::int64_t i = 0; i < 3 * n; i += n) s.lower[std::size_t(i)] = s.upper[std::size_t(i + n - 1)] = 0.5;
        for (std::int64_t i = n; second_is_bad && i < 2 * n; ++i) {
            double const rows[3][3] = {{1, 1, 1}, {0, -1e-6, -1e-6}, {1, 1, 1}};
            auto const at = std::size_t(i);
            s.lower[at] = rows[i % 3][0], s.diagonal[at] = rows[i % 3][1], s.upper[at] = rows[i % 3][2];
        }
        std::vector<double> x(s.rhs.size());
        std::array<int, 4> flags{}; // not_finite, and uncertain of each system
        auto view = s.view(x);
        view.not_finite = flags.data(), view.uncertain = flags.data() + 1;
        solve_in_blocks<pivoting::partial, rhs_pack<double, 2>, decltype(cyclic)::value>(view, p);
        if (!second_is_bad)
            for (double const value : x) CHECK(std::isfinite(value));
        return flags;
    };
    using all = std::array<int, 4>;
    for (std::int64_t const n : {1027, 3001})
        for (std::int64_t const last : {100, 600}) {
            CAPTURE(n);
            CAPTURE(last);
            for (bool const bad : {true, false}) {
                all const expected{int(bad), 0, int(bad), 0};
                CHECK((flags_of(n, {last, 64}, bad, std::false_type{}) == expected));
                CHECK((flags_of(n, {last, 64}, bad, std::true_type{}) == expected));
            }
            // Entries that count as zero change the system: its residual does not matter.
            CHECK(flags_of(n, {last, 64, false, 1e-30}, true, std::false_type{})[2] == 0);
        }
    CHECK((flags_of(3001, {5120, 512}, true, std::false_type{}) == all{})); // on chip x is accurate

    // Two such partitions in a system with a condition number of 3e8: x is finite and wrong.
    test::system<double> s(1500);
    for (std::size_t i = 0; i < 1500; ++i) {
        double const rows[3][3] = {{-1, -1, 0.7}, {0.7, -0.7, -0.7}, {1e-4, 1e-4, 0}};
        bool const of_these = i >= 640 && i < 705;
        double const* const row = rows[(i - 640) % 3];
        s.lower[i] = of_these ? row[0] : i > 0 ? -1 : 0, s.diagonal[i] = of_these ? row[1] : 4;
        s.upper[i] = of_these ? row[2] : i < 1499 ? -1 : 0, s.rhs[i] = 1 + 0.25 * std::sin(double(i));
    }
    for (std::int64_t const last : {600, 5120}) {
        std::vector<double> x(s.rhs.size());
        std::array<int, 2> flags{};
        system_view<double> view{s.size(), s.lower.data(), s.diagonal.data(), s.upper.data(), s.rhs.data(), x.data()};
        view.not_finite = flags.data(), view.uncertain = flags.data() + 1;
        solve_in_blocks<pivoting::partial, double>(view, {last, 64});
        for (double const value : x) CHECK(std::isfinite(value));
        CHECK(flags[1] == (last == 600));
        CHECK((backward_error(s, x) > 1e-12) == (last == 600));
    }
}

TEST_CASE("rpts: merged segments hold for a known solution and return the separator unknowns") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int run = 0; run < 200; ++run) {
        // x[0] is the unknown before the left segment, x[1] and x[2] are its ends, x[3] and x[4] the ends of the right
        // segment, and x[5] is the unknown after it. In two of three runs a pivot that RPTS would choose is zero; then
        // another row must become the pivot row.
        double x[6];
        for (double& value : x) value = uniform(random);
        auto const equation = [&](int first, bool upper) {
            end_equation<double> e{uniform(random), uniform(random), uniform(random), uniform(random), 0};
            if (run % 3 == 1) (upper ? e.after : e.before) = 0;
            if (run % 3 == 2) (upper ? e.first : e.last) = 0;
            e.rhs = e.before * x[first - 1] + e.first * x[first] + e.last * x[first + 1] + e.after * x[first + 2];
            return e;
        };
        segment<double> const left{equation(1, true), equation(1, false)}, right{equation(3, true), equation(3, false)};
        interface_values<double> const around{x[0], x[1], x[4], x[5]};
        auto const check = [&](auto const& merged, separator_rows<double> const& saved) {
            for (auto const& e : {merged.upper, merged.lower})
                CHECK(residual_of(e, around) == doctest::Approx(0).epsilon(1e-13));
            auto const met = solve_separator(saved, around);
            CHECK(met.left == doctest::Approx(x[2]).epsilon(1e-9));
            CHECK(met.right == doctest::Approx(x[3]).epsilon(1e-9));
        };
        separator_rows<double> saved;
        check(merge<pivoting::partial>(left, right, no_threshold{}, saved), saved);
        check(merge<pivoting::scaled_partial>(left, right, 0.0, saved), saved);
        auto whole = left; // a system of two unknowns
        for (auto* const e : {&whole.upper, &whole.lower}) e->rhs -= e->before * x[0] + e->after * x[3];
        auto const ends = solve_whole<pivoting::partial>(whole, no_threshold{});
        CHECK(ends.first == doctest::Approx(x[1]).epsilon(1e-9));
        CHECK(ends.last == doctest::Approx(x[2]).epsilon(1e-9));
    }
}

// The equations on both sides of the separator are multiples of one equation, so the second pivot must be zero in spite
// of rounding errors.
TEST_CASE("rpts: two equal equations leave no pivot at the separator") {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int run = 0; run < 200; ++run) {
        CAPTURE(run);
        double const u = uniform(random), v = uniform(random), d = uniform(random);
        auto const times = [&](double factor, bool upper) {
            end_equation<double> const e{0, 0, factor * u, factor * v, factor * d};
            return upper ? e : end_equation<double>{factor * u, factor * v, 0, 0, factor * d};
        };
        segment<double> const left{{uniform(random), uniform(random), 0, 0, 1}, times(uniform(random), true)};
        segment<double> const right{times(uniform(random), false), {0, 0, uniform(random), uniform(random), 1}};
        separator_rows<double> saved;
        merge<pivoting::partial>(left, right, no_threshold{}, saved);
        CHECK(saved.right_reciprocal > 1e300);
    }
}

TEST_CASE("rpts: on chip no loss for singular partitions and different scales") {
    for (std::int64_t const n : {509, 512, 3001, 9003}) { // 9003: 36 slices, so that some lanes have two
        CAPTURE(n);
        auto const& s = gallery_system(13, n, 1);
        auto const plain = random_system<double>(n, 5);
        auto const x = block_solution<pivoting::partial>(plain, {n, 32});
        CHECK(backward_error(plain, x) <= 1e-13);
        CHECK(backward_error(s, block_solution<pivoting::partial>(s, {n, 32})) <= 1e-15);
        if (n <= 3001) {
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, {n, 32, true})) <= 1e-15);
            CHECK(backward_error(plain, block_solution<pivoting::partial>(plain, {n, 64, true})) <= 1e-13);
        }
        if (test::races_watched) continue;
        // Scaled pivoting is invariant under scaling of rows by powers of two.
        auto const mixed = scaled_rows(plain, [](std::size_t i) { return int(i * 7919 % 401) - 200; });
        CHECK(block_solution<pivoting::scaled_partial>(plain, {n, 32}) ==
              block_solution<pivoting::scaled_partial>(mixed, {n, 32}));
        auto const through_tiles = block_solution<pivoting::partial>(plain, {600, 64});
        for (int const exponent : {-997, -500, 997}) {
            auto const scaled = scaled_rows(plain, [=](std::size_t) { return exponent; });
            CHECK(x == block_solution<pivoting::partial>(scaled, {n, 32}));
            // The coupling between the ends of 32 rows may underflow.
            if (exponent != -997) CHECK(through_tiles == block_solution<pivoting::partial>(scaled, {600, 64}));
        }
    }
}

TEST_CASE("rpts: on chip no loss if the coupling between the ends of a segment is not a normal number") {
    auto const check = []<class T>(T, std::int64_t n, bool small, std::vector<std::array<double, 3>> const& rows) {
        CAPTURE(sizeof(T));
        CAPTURE(n);
        CAPTURE(small);
        test::system<T> s(n);
        for (std::size_t i = 0; i < std::size_t(n); ++i) {
            auto const& row = rows[i % rows.size()];
            s.lower[i] = T(row[0]), s.diagonal[i] = T(row[1]), s.upper[i] = T(row[2]);
        }
        s.lower.front() = s.upper.back() = 0;
        for (std::size_t i = 0; i < std::size_t(n); ++i) s.rhs[i] = T(1 + 0.25 * std::sin(double(i)));
        auto const x = block_solution<pivoting::partial>(s, {5120, 64, small});
        CHECK(backward_error(s, x) <= 100 * double(std::numeric_limits<T>::epsilon()));
    };
    // Condition numbers of 7 to 36. With such entries as pivots errors were 1000 to 1e7 epsilon.
    check(1.0, 1541, false, {{-0.7, 0.7, 0}, {-1e-5, -0.7, 1e-5}, {-0.7, 1, 1}, {-2, -2, -2}});
    check(1.0, 1195, false, {{1e-7, -0.7, -0.5}, {0, 0.5, -1e-7}, {1e-7, -2, -0.5}});
    check(1.0, 1527, false, {{1e-7, -1, 0}, {-0.5, 1e-7, -2}, {-0.7, -2, 1e-7}});
    check(1.0, 1343, true, {{0, -0.5, -0.7}, {1e-8, -1, 2}, {-1, 0.7, 1e-8}});
    check(1.0, 1187, true, {{0, -0.7, 1}, {-1e-8, 0.7, -1e-8}, {0.5, 0.5, -1}});
    check(1.f, 653, false, {{-1e-5, -2, 0.5}, {1, 0, -2}, {0.7, 2, -1}, {0, 0.7, -1e-5}});
    check(1.f, 653, true, {{-1e-5, -2, 0.5}, {1, 0, -2}, {0.7, 2, -1}, {0, 0.7, -1e-5}});
}

TEST_CASE("rpts: corner entries outside the matrix change no bit") {
    for (std::int64_t const n : {1, 3, 12, 100, 700})
        for (path const& p : {path{5120, 64}, path{5120, 32, true}, path{100, 64}}) {
            CAPTURE(n);
            CAPTURE(p.small);
            auto s = random_system<float>(n, std::uint64_t(n));
            auto const with = [&](float corner) {
                s.lower.front() = s.upper.back() = corner;
                return block_solution<pivoting::partial>(s, p);
            };
            auto const x = with(0);
            for (float const corner :
                 {1e10f, 3e38f, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
                CHECK(x == with(corner));
        }
}

TEST_CASE("rpts: lanes of a pack and scalars compute the same") {
    using lanes = pack<double, register_bytes, 2>;
    constexpr int length = 15;
    std::vector<test::system<double>> systems;
    std::vector<lanes> bands[4];
    for (auto& band : bands) band.resize(length);
    for (int l = 0; l < lanes::size; ++l) {
        systems.push_back(random_system<double>(length, 100 + std::uint64_t(l)));
        auto& s = systems.back();
        s.lower.front() = s.upper.back() = 0.5;
        for (int j = 0; j < length; ++j) {
            auto const at = [&](int b) -> double& { return reinterpret_cast<double*>(&bands[b][std::size_t(j)])[l]; };
            at(0) = s.lower[std::size_t(j)], at(1) = s.diagonal[std::size_t(j)];
            at(2) = s.upper[std::size_t(j)], at(3) = s.rhs[std::size_t(j)];
        }
    }
    partition_rows<lanes> const rows{bands[0].data(), bands[1].data(), bands[2].data(), bands[3].data()};
    coarse_row<lanes> first, last;
    reduce_both<pivoting::scaled_partial>(rows, length, lanes(0.0), first, last);
    substitute_partition<pivoting::scaled_partial>(rows, length, {lanes(1.0), lanes(2.0), lanes(3.0), lanes(4.0)},
                                                   lanes(0.0), {});
    for (int l = 0; l < lanes::size; ++l) {
        auto const own = rows_of(systems[std::size_t(l)]);
        auto const up = reduce_towards<pivoting::scaled_partial>(upward_step{}, own, length, 0.0);
        CHECK(reinterpret_cast<double const*>(&first.diagonal)[l] == doctest::Approx(up.diagonal).epsilon(1e-12));
        CHECK(reinterpret_cast<double const*>(&first.rhs)[l] == doctest::Approx(up.rhs).epsilon(1e-12));
        substitute_partition<pivoting::scaled_partial>(own, length, {1.0, 2.0, 3.0, 4.0}, 0.0, {});
        for (int j = 0; j < length; ++j)
            CHECK(reinterpret_cast<double const*>(&bands[3][std::size_t(j)])[l] ==
                  doctest::Approx(own.rhs[j]).epsilon(1e-8));
    }
}

TEST_CASE("rpts: kernel bodies reach LAPACK's accuracy on Table 4, through tiles and on chip") {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    // Solves 512 rows with four paths: a tile reduces them to 32 rows, which are solved on chip; or all rows are solved
    // on chip, in one block, in two slices, or in four slices.
    for (int id = 1; id <= tridiagonal_case_count; ++id)
        for (path const& p : {path{100, 64}, path{5120, 64}, path{5120, 32}, path{5120, 32, true}}) {
            if (test::races_watched && id % 10 != 3) continue;
            CAPTURE(id);
            CAPTURE(p.last);
            CAPTURE(p.threads);
            CAPTURE(p.small);
            auto const by = [&](auto const& solve) {
                accuracy const result = compare_accuracy(id, 512, 3, solve);
                if (!ill_conditioned(id)) CHECK(result.median_ratio <= 10);
                CHECK(result.worst_backward_error <= 100 * epsilon);
            };
            by([&](auto const& s) { return block_solution<pivoting::partial>(s, p); });
            if (p.threads == 64) by([&](auto const& s) { return block_solution<pivoting::scaled_partial>(s, p); });
        }
}

TEST_CASE("rpts: kernel bodies solve every size around their boundaries") {
    for (std::int64_t const n :
         {1,   2,   3,   7,   8,   9,   15,  16,  17,  29,  30,  31,   32,   33,   61,   64,   65,
          127, 128, 129, 225, 226, 511, 512, 513, 991, 992, 993, 1023, 1024, 1025, 1984, 1985, 4000})
        for (std::int64_t const last : {20, 300, 5120}) {
            if (test::races_watched && n % 8 != 1) continue;
            CAPTURE(n);
            CAPTURE(last);
            auto const s = random_system<double>(n, std::uint64_t(n));
            bool const small = last == 300;
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, {last, 512, small})) <= 1e-13);
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, {last, 32, !small})) <= 1e-13);
            auto const f = random_system<float>(n, std::uint64_t(n));
            CHECK(backward_error(f, block_solution<pivoting::scaled_partial>(f, {last, 64, small})) <= 1e-4);
            CHECK(backward_error(f, block_solution<pivoting::scaled_partial>(f, {last, 32, !small})) <= 1e-4);
        }
}

TEST_CASE("rpts: permuted vectors give the same bits") {
    auto const check = [](auto const& s, path const& how) {
        using T = std::remove_cvref_t<decltype(s.rhs[0])>;
        std::vector<std::int32_t> order(std::size_t(s.size()));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(unsigned(s.size())));
        std::vector<T> rhs(order.size()), x(order.size(), T(NAN));
        for (std::size_t i = 0; i < order.size(); ++i) rhs[std::size_t(order[i])] = s.rhs[i];
        system_view<T> view{s.size(), s.lower.data(), s.diagonal.data(), s.upper.data(), rhs.data(), x.data()};
        auto const expected = block_solution<pivoting::partial>(s, how);
        auto other = order;
        std::shuffle(other.begin(), other.end(), std::mt19937(3));
        for (bool const ready : {false, true})
            for (std::int32_t const* const target :
                 std::array<std::int32_t const*, 3>{order.data(), other.data(), nullptr}) {
                view.order = order.data();
                view.target = target;
                view.ready = ready;
                std::fill(x.begin(), x.end(), T(NAN));
                solve_in_blocks<pivoting::partial, T>(view, how);
                for (std::size_t i = 0; i < order.size(); ++i)
                    CHECK(x[target ? std::size_t(target[i]) : i] == expected[i]);
            }
    };
    for (std::int64_t const n : test::ends_for_races({1, 7, 33, 64, 129, 993, 1024, 2500}))
        for (path const& p : {path{5120}, path{5120, 32}, path{100, 64}, path{5120, 64, true}}) {
            CAPTURE(n);
            CAPTURE(p.last);
            CAPTURE(p.threads);
            CAPTURE(p.small);
            check(random_system<double>(n, std::uint64_t(n)), p);
            if (!test::races_watched) check(random_system<float>(n, std::uint64_t(n)), p);
        }
}

TEST_CASE("rpts: batches with several right-hand sides are bitwise equal to separate solves") {
    for (std::int64_t const n : {1, 7, 40, 200, 1100})
        for (path const& p : {path{5120}, path{5120, 32}, path{100, 64}, path{5120, 64, true}}) {
            CAPTURE(n);
            CAPTURE(p.last);
            CAPTURE(p.threads);
            CAPTURE(p.small);
            packed_batch<double> const batch(n, 5, 3);
            std::vector<double> x(batch.rhs.size());
            solve_in_blocks<pivoting::partial, rhs_pack<double, 2>>(batch.view(x), p);
            for (std::int64_t k = 0; k < batch.systems; ++k)
                for (std::int64_t c = 0; c < batch.columns; ++c) {
                    auto const& s = batch.one[std::size_t(k * batch.columns + c)];
                    auto const mine = batch.of(x, k, c);
                    CHECK(backward_error(s, mine) <= 1e-13);
                    if ((k + c) % 2 == 0 && !test::races_watched)
                        CHECK(mine == block_solution<pivoting::partial>(s, p));
                }
        }
}

TEST_CASE("rpts: interleaved systems are bitwise equal to contiguous ones") {
    for (std::int64_t const n : {1, 7, 40, 200, 1100}) {
        CAPTURE(n);
        packed_batch<float> const batch(n, 5, 2);
        std::int64_t const all = n * batch.systems;
        auto const interleaved = [&](std::vector<float> const& band) {
            std::vector<float> result(band.size());
            for (std::size_t i = 0; i < band.size(); ++i) {
                std::int64_t const column = std::int64_t(i) / all, row = std::int64_t(i) % n,
                                   system = std::int64_t(i) % all / n;
                result[std::size_t(column * all + row * batch.systems + system)] = band[i];
            }
            return result;
        };
        auto const lower = interleaved(batch.lower), diagonal = interleaved(batch.diagonal),
                   upper = interleaved(batch.upper), rhs = interleaved(batch.rhs);
        std::vector<float> x(rhs.size()), y(rhs.size());
        system_view<float> view{
            n,   lower.data(), diagonal.data(), upper.data(), rhs.data(), x.data(), batch.systems, batch.columns, 1,
            all, all};
        view.pitch = batch.systems;
        for (int const m : {min_resident_partition<float>, max_resident_partition<float>}) {
            solve_on_chip<pivoting::partial>(view, plan_whole(n, view.pairs(), m, 1));
            solve_on_chip<pivoting::partial>(batch.view(y), plan_whole(n, view.pairs(), m, 1));
            CHECK(x == interleaved(y));
        }
    }
}

namespace {

/// A batch of random cyclic systems, optionally with a zero diagonal.
template <class T>
struct cyclic_batch {
    std::int64_t n, systems;
    std::vector<T> lower, diagonal, upper, rhs;

    cyclic_batch(std::int64_t rows, std::int64_t count, bool zero_diagonal) : n(rows), systems(count) {
        std::mt19937_64 random(std::uint64_t(rows) + zero_diagonal);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (auto* const band : {&lower, &diagonal, &upper, &rhs}) {
            band->resize(std::size_t(rows * count));
            for (T& value : *band) value = T(uniform(random));
        }
        if (zero_diagonal) std::fill(diagonal.begin(), diagonal.end(), T(0));
    }
    system_view<T> view(std::vector<T>& x) const {
        x = rhs; // in place
        return {n, lower.data(), diagonal.data(), upper.data(), x.data(), x.data(), systems, 1,
                n, n * systems,  n * systems};
    }
    /// max_i |b - A x|_i / (|A| |x| + |b|)_i, in long double.
    double componentwise_error(std::vector<T> const& x) const {
        long double worst = 0;
        for (std::int64_t i = 0; i < n * systems; ++i) {
            std::int64_t const first = i / n * n, before = i == first ? first + n - 1 : i - 1,
                               after = i == first + n - 1 ? first : i + 1;
            auto const at = [](std::vector<T> const& v, std::int64_t k) -> long double { return v[std::size_t(k)]; };
            long double const terms[] = {at(lower, i) * at(x, before), at(diagonal, i) * at(x, i),
                                         at(upper, i) * at(x, after), -at(rhs, i)};
            long double sum = 0, sizes = 0;
            for (long double const term : terms) sum += term, sizes += std::abs(term);
            worst = std::max(worst, std::abs(sum) / sizes);
        }
        return double(worst);
    }
    /// |b - A x| / (|A| |x| + |b|), largest entries and row sums.
    double normwise_error(std::vector<T> const& x) const {
        long double residual = 0, matrix = 0, solution = 0, right = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            auto const at = [](std::vector<T> const& v, std::int64_t k) -> long double { return v[std::size_t(k)]; };
            std::int64_t const before = (i + n - 1) % n, after = (i + 1) % n;
            residual = std::max(residual, std::abs(at(rhs, i) - at(lower, i) * at(x, before) -
                                                   at(diagonal, i) * at(x, i) - at(upper, i) * at(x, after)));
            matrix = std::max(matrix, std::abs(at(lower, i)) + std::abs(at(diagonal, i)) + std::abs(at(upper, i)));
            solution = std::max(solution, std::abs(at(x, i)));
            right = std::max(right, std::abs(at(rhs, i)));
        }
        return double(residual / (matrix * solution + right));
    }
};

} // namespace

TEST_CASE("rpts: kernel bodies solve cyclic systems of every size around their boundaries") {
    for (std::int64_t const n : test::ends_for_races(
             {64, 65, 66, 67, 94, 95, 96, 97, 127, 128, 129, 255, 256, 1023, 1024, 1025, 1026, 1057, 2500}))
        for (path const& p : {path{5120}, path{5120, 32}, path{5120, 64, true}, path{63, 64}, path{130, 32, true}}) {
            CAPTURE(n);
            CAPTURE(p.last);
            CAPTURE(p.threads);
            CAPTURE(p.small);
            cyclic_batch<double> const s(n, 2, false);
            std::vector<double> x;
            solve_in_blocks<pivoting::partial, double, true>(s.view(x), p);
            CHECK(s.componentwise_error(x) <= 1e-11);
            cyclic_batch<float> const f(n, 1, n % 2 == 1); // zero diagonals: singular for even n
            std::vector<float> y;
            solve_in_blocks<pivoting::scaled_partial, float, true>(f.view(y), p);
            CHECK(f.componentwise_error(y) <= 1e-3);
        }
}

TEST_CASE("rpts: boundary rows with large multipliers are not eliminated, through tiles and on chip") {
    // Solutions that grow and decay by a factor of two from row to row: the error of the interface unknowns in an
    // equation in the middle of a partition would be a hundred times as large.
    auto const check = [](auto epsilon, std::int64_t n, double lower, double diagonal, double upper) {
        using T = decltype(epsilon);
        CAPTURE(n);
        CAPTURE(lower);
        CAPTURE(sizeof(T));
        test::system<T> s(n);
        std::fill(s.lower.begin(), s.lower.end(), T(lower));
        std::fill(s.diagonal.begin(), s.diagonal.end(), T(diagonal));
        std::fill(s.upper.begin(), s.upper.end(), T(upper));
        s.lower.front() = s.upper.back() = 0;
        give_solution(s, 11);
        for (path const& p : {path{100, 64}, path{5120, 64}, path{5120, 32, true}, path{63, 64}}) {
            CAPTURE(p.last);
            CHECK(backward_error(s, block_solution<pivoting::partial>(s, p)) <= 100 * double(epsilon));
            CHECK(backward_error(s, block_solution<pivoting::scaled_partial>(s, p)) <= 100 * double(epsilon));
        }
    };
    for (std::int64_t const n : {843, 1628, 2100}) {
        check(std::numeric_limits<double>::epsilon(), n, -0.7608, -0.4604, 0.6892);
        check(std::numeric_limits<double>::epsilon(), n, 0.8776, -0.5164, -0.8846);
        check(std::numeric_limits<float>::epsilon(), n, -0.7608, -0.4604, 0.6892);
    }
}

TEST_CASE("rpts: no partition of a cyclic system loses digits if it is singular inside") {
    auto const check = [](auto epsilon, std::int64_t n, path const& p) {
        using T = decltype(epsilon);
        CAPTURE(sizeof(T));
        CAPTURE(n);
        CAPTURE(p.last);
        cyclic_batch<T> s(n, 1, false);
        std::fill(s.lower.begin(), s.lower.end(), T(1));
        std::fill(s.diagonal.begin(), s.diagonal.end(), T(2 * std::cos(5 * 3.14159265358979323846 / 31)));
        std::fill(s.upper.begin(), s.upper.end(), T(1));
        std::vector<T> x;
        solve_in_blocks<pivoting::partial, T, true>(s.view(x), p);
        T largest(0);
        for (T const value : x) largest = std::max(largest, std::abs(value));
        CHECK(largest < T(1e4)); // |A^-1| is about n
        CHECK(s.componentwise_error(x) <= 1e4 * double(epsilon));
    };
    for (std::int64_t const n : {96, 160, 1056, 2080, 2112, 3103})
        for (path const& p : {path{63, 64}, path{130, 32, true}})
            check(std::numeric_limits<double>::epsilon(), n, p), check(std::numeric_limits<float>::epsilon(), n, p);
}

TEST_CASE("rpts: solutions that vanish at partition boundaries, cyclic") {
    auto const check = []<class T>(T, std::vector<double> const& rows, std::int64_t n) {
        CAPTURE(sizeof(T));
        CAPTURE(rows[0]);
        CAPTURE(n);
        cyclic_batch<T> s(n, 1, false);
        for (std::size_t i = 0; i < s.rhs.size(); ++i) {
            std::size_t const at = 3 * i % rows.size();
            s.lower[i] = T(rows[at]), s.diagonal[i] = T(rows[at + 1]), s.upper[i] = T(rows[at + 2]);
        }
        std::vector<T> x;
        solve_in_blocks<pivoting::partial, T, true>(s.view(x), {100, 64});
        T largest(0);
        for (T const value : x) largest = std::max(largest, std::abs(value));
        CHECK(largest < T(1e4));
        CHECK(s.normwise_error(x) <= 100 * double(std::numeric_limits<T>::epsilon()));
    };
    for (auto const& rows : vanishing_at_ends())
        for (std::int64_t const n : {504, 1080, 2076})
            if (!rows.singular_if_cyclic) check(1.0, rows.entries, n), check(1.0f, rows.entries, n);
}

TEST_CASE("rpts: NaN in one system of a batch stays there") {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    for (std::int64_t const n : {1, 3, 16, 45, 1100}) {
        packed_batch<float> clean(n, 4, 1);
        std::vector<float> x(clean.rhs.size()), y(x);
        auto bad = clean;
        for (auto* const band : {&bad.lower, &bad.diagonal, &bad.upper, &bad.rhs})
            std::fill_n(band->begin() + n, n, nan); // all of system 1
        for (path const& p : {path{5120}, path{300}, path{5120, 512, true}}) {
            solve_in_blocks<pivoting::partial, float>(clean.view(x), p);
            solve_in_blocks<pivoting::partial, float>(bad.view(y), p);
            for (std::int64_t const k : {0, 2, 3}) CHECK(clean.of(x, k, 0) == bad.of(y, k, 0));
            for (float const value : bad.of(y, 1, 0)) CHECK(std::isnan(value));
        }
    }
}

TEST_CASE("rpts: systems that share a warp do not change each other's bits") {
    // In some of these systems boundary rows take part in the elimination, in others they do not. If a pivot is exactly
    // zero, a row that takes no part may have another effect than none.
    std::mt19937 random(5);
    for (int k = 0; k < (test::races_watched ? 4 : 60); ++k) {
        std::int64_t const n = 16 + 15 * (k % 4);
        CAPTURE(k);
        packed_batch<float> some(n, 16, 1); // four in a warp
        for (auto* const band : {&some.lower, &some.diagonal, &some.upper})
            for (float& entry : *band) entry = float(random() % 3) - 1;
        auto other = some;
        for (std::int64_t i = n; i < 2 * n; ++i) other.diagonal[std::size_t(i)] += 4; // no boundary rows in system 1
        std::vector<float> x(some.rhs.size()), y(x);
        solve_in_blocks<pivoting::partial, float>(some.view(x), {5120});
        solve_in_blocks<pivoting::partial, float>(other.view(y), {5120});
        auto const bits = [](std::vector<float> const& values) {
            std::vector<std::uint32_t> all;
            for (float const value : values)
                all.push_back(std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value));
            return all;
        };
        for (std::int64_t const i : {0, 2, 3, 4}) CHECK(bits(some.of(x, i, 0)) == bits(other.of(y, i, 0)));
    }
}
