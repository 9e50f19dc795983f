// SPDX-License-Identifier: BSD-3-Clause
// Teams of a GPU on CPU threads, for the chain solver and the classical algorithms; the stand-in checks barriers.
#include <doctest/doctest.h>

#include "solvers/band_reference.hpp"
#include "solvers/direct/block_banded/growth_families.hpp"
#include "support/block_stand_in.hpp"
#include "support/sanitized.hpp"
#include <coppice/solvers/compare/classical_solve.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/factored/band_factor_solve.hpp>

namespace coppice::test {
namespace {

/// A block of the stand-in as a team: one thread, or a warp if lanes exchange values.
template <class Block>
struct block_team {
    Block const& block;
    int rank() const { return block.thread(); }
    int size() const { return block.threads(); }
    void sync() const { block.sync(); }
    bool any(bool condition) const { return block.sync_any(condition); }
    template <class T>
    T from(T const& value, int lane) const {
        return block.from_lane(value, lane);
    }
};

/// A launcher whose teams are blocks of `threads` CPU threads, 1 or 32; there is one team more than there is work for.
struct team_executor {
    int threads;
};
template <class Job>
void run_job(team_executor const& exec, Job const& job, std::byte*) {
    using T = typename Job::value_type;
    block_runner blocks(exec.threads, std::size_t(job.elements()) * sizeof(T));
    blocks.run(int(job.items()) + 1, [&](auto const& block, int index, std::byte* shared) {
        job.run(block_team<std::decay_t<decltype(block)>>{block}, index, reinterpret_cast<T*>(shared));
    });
}
template <class T>
std::int64_t launch_bytes(team_executor const&, std::int64_t) {
    return 0;
}

/// Teams of `lanes` CPU threads that share the barriers and votes of a block, as the teams of a warp do.
template <class Block>
struct team_in_lockstep : block_team<Block> {
    int lanes;
    int rank() const { return this->block.thread() % lanes; }
    int size() const { return lanes; }
    template <class T>
    T from(T const& value, int lane) const {
        return this->block.from_lane(value, this->block.thread() / lanes * lanes + lane);
    }
};
/// A launcher whose blocks are warps of several such teams.
struct lockstep_executor {
    int lanes, teams;
};
template <class Job>
void run_job(lockstep_executor const& exec, Job const& job, std::byte*) {
    using T = typename Job::value_type;
    std::int64_t const elements = job.elements(), teams = exec.teams;
    block_runner blocks(exec.lanes * exec.teams, std::size_t(elements * teams) * sizeof(T));
    blocks.run(int((job.items() + teams - 1) / teams), [&](auto const& block, int index, std::byte* shared) {
        int const team = block.thread() / exec.lanes;
        job.run(team_in_lockstep<std::decay_t<decltype(block)>>{{block}, exec.lanes}, index * teams + team,
                reinterpret_cast<T*>(shared) + team * elements);
    });
}
template <class T>
std::int64_t launch_bytes(lockstep_executor const&, std::int64_t) {
    return 0;
}

/// A launcher whose warps are blocks of 32 CPU threads that process tiles.
struct tile_executor {
    template <bool Left, class T, class BlockRows>
    void run(chain::chain_level<T, BlockRows> const& all) const {
        auto const launch = []<class Rows, int K, int W>(chain::chain_level<T, Rows> const& s,
                                                         chain::tile_sizes<T, Rows, K, W, Left> sizes,
                                                         chain::tile_plan const& plan) {
            block_runner blocks(warp_lanes, std::size_t(plan.bytes));
            int const warps = int((s.segments + sizes.segments - 1) / sizes.segments);
            blocks.run(warps, [&](auto const& block, int w, std::byte* shared) {
                using Block = std::decay_t<decltype(block)>;
                chain::warp_tile<T, Rows, K, W, Left, Block>(block, s, std::int64_t(w) * sizes.segments, s.segments,
                                                             plan, reinterpret_cast<unsigned char*>(shared))
                    .run();
            });
            return true;
        };
        // A number n in the sequence selects blocks of n + 1 rows. Only some sizes are tested, since each one is a
        // separate instantiation, which takes compile time.
        using some = std::conditional_t<std::is_floating_point_v<T>, std::integer_sequence<int, 0, 1, 2, 3>,
                                        std::integer_sequence<int, 0, 1>>;
        REQUIRE(chain::with_tiles<Left>(all, launch, some()));
    }
};
template <class Job>
void run_job(tile_executor const&, Job const& job, std::byte* memory) {
    run_job(team_executor{1}, job, memory);
}
template <bool Left, class T>
void run_job(tile_executor const& exec,
             chain::level_pass<Left, chain::chain_level<T, chain::matrix_block_rows<T>>> const& pass, std::byte*) {
    exec.run<Left>(pass.level);
}

/// Solves for `columns` columns; x may be d.
template <class T, class Executor>
void solve_to(Executor const& exec, band_matrix<T> const& a, band_options const& o, std::vector<T> const& d,
              int columns, std::vector<T>& x, std::int64_t* singular = nullptr) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    using lane = lane_of_t<T>;
    using real = real_lane_t<lane>;
    elimination<real> const how{real(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
    matrix_block_rows<lane> const block_rows{
        rows,    reinterpret_cast<lane const*>(d.data()), reinterpret_cast<lane*>(x.data()), a.size, a.size, columns,
        singular};
    std::vector<T> condensed(std::size_t(chain::for_each_level(l, a.block, columns, [](auto...) {})),
                             T(real(HUGE_VAL)));
    solve_columns(exec, block_rows, how, reinterpret_cast<std::byte*>(condensed.data()), nullptr, nullptr);
}
template <class T, class Executor>
std::vector<T> solve_anew(Executor const& exec, band_matrix<T> const& a, band_options const& o, std::vector<T> const& d,
                          int columns, std::int64_t* singular = nullptr) {
    std::vector<T> x(d.size());
    solve_to(exec, a, o, d, columns, x, singular);
    return x;
}
template <class T, class Executor>
std::vector<T> solve_over_rhs(Executor const& exec, band_matrix<T> const& a, band_options const& o, std::vector<T> x,
                              int columns) {
    solve_to(exec, a, o, x, columns, x);
    return x;
}

/// Solves `columns` columns by teams, directly and with a saved factorisation.
std::vector<std::vector<double>> solve_by_teams(team_executor const& exec, band_matrix<double> const& a,
                                                band_options const& o, std::vector<double> const& d, int columns) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    std::vector<std::vector<double>> x{solve_anew(exec, a, o, d, columns), std::vector<double>(d.size())};
    elimination<double> const how{0, false, o.pivot == pivoting::scaled_partial};
    std::vector<double> condensed(std::size_t(chain::for_each_level(l, a.block, columns, [](auto...) {})), HUGE_VAL);
    auto const plan = plan_factor(exec, rows);
    // With guard elements: a team without work must not save anything.
    std::vector<double> factor(std::size_t(plan.bytes / 8) + 4096, -77.0);
    auto* const bytes = reinterpret_cast<std::byte*>(factor.data());
    matrix_block_rows<double> const none{rows, nullptr, nullptr, 0, 0, 0, nullptr};
    factored_levels<double>(none, how, plan, bytes, nullptr).up(exec, factor_step::factorise, nullptr);
    for (std::size_t i = factor.size() - 4096; i < factor.size(); ++i) REQUIRE(factor[i] == -77.0);
    matrix_block_rows<double> const block_rows{rows, d.data(), x[1].data(), a.size, a.size, columns, nullptr};
    factored_levels<double> factored(block_rows, how, plan, bytes, condensed.data());
    factored.up(exec, factor_step::forward, nullptr);
    factored.down(exec, nullptr);
    return x;
}

} // namespace

TEST_CASE("teams: the chain solver and its factorisation") {
    for (int const threads : {1, 32})
        for (int const n : ends_for_races({1, 2, 3, 8}))
            for (std::int64_t const length : {1, 7, 70}) {
                CAPTURE(threads);
                CAPTURE(n);
                CAPTURE(length);
                block_storage<double> const s(length, n, std::uint64_t(length), true);
                auto const a = s.meaning(true);
                auto const d = rhs_for(a, 2, 1);
                auto const x = solve_by_teams({threads}, band_matrix<double>(s.view()), {.cyclic = true}, d, 2);
                CHECK(backward_error_of(a, x[0], d) <= 100 * epsilon<double>);
                CHECK(backward_error_of(a, x[1], d) <= 100 * epsilon<double>);
            }
}

namespace {

/// Checks that warps, whole or divided into teams, find the same pivots and compute the same bits as one worker.
template <class T>
void check_lanes(band_matrix<T> const& a, plain_rows<T> const& meaning, band_options const& o, int columns) {
    auto const d = rhs_for(meaning, columns, 1);
    std::vector<std::int64_t> alone(std::size_t(a.systems), chain::no_row), in_lanes(alone), in_teams(alone);
    auto const x = solve_anew<T>(team_executor{1}, a, o, d, columns, alone.data());
    CHECK(backward_error_of(meaning, x, d) <= 100 * epsilon<T>);
    CHECK(solve_anew<T>(team_executor{32}, a, o, d, columns, in_lanes.data()) == x);
    CHECK(solve_anew<T>(lockstep_executor{8, 4}, a, o, d, columns, in_teams.data()) == x);
    CHECK(in_lanes == alone);
    CHECK(in_teams == alone);
}

} // namespace

TEST_CASE("teams: the bits of one worker") {
    using operation = matrix_operation;
    for (int const n : ends_for_races({1, 2, 5, 7, 8}))
        for (std::int64_t const length : {1, 33, 600 / n}) {
            CAPTURE(n);
            CAPTURE(length);
            bool const cyclic = n % 2 == 0;
            block_storage<double> const s(length, n, std::uint64_t(length), cyclic);
            check_lanes<double>(s.view(), s.meaning(cyclic), {.cyclic = cyclic}, 1);
            check_lanes<double>(s.view(), s.meaning(cyclic).transposed(false),
                                {.cyclic = cyclic, .operation = operation::transposed}, 3);
            block_storage<std::complex<float>> const t(length, n, std::uint64_t(length), cyclic);
            check_lanes<std::complex<float>>(t.view(), t.meaning(cyclic).transposed(true),
                                             {.pivot = pivoting::scaled_partial,
                                              .threshold = 1e-20,
                                              .cyclic = cyclic,
                                              .operation = operation::conjugate_transposed},
                                             1);
            banded_storage<float> const b(length * n, n, n / 2, std::uint64_t(length));
            check_lanes<float>(banded_view<float>{length * n, n, n / 2, b.bands.data()}, b.meaning(), {}, 2);
        }
}

// NaN in the row of the column is its pivot, and in any other row it is not: for one worker and for many lanes.
TEST_CASE("teams: pivots of columns with NaN, infinities and equal entries") {
    double const nan = std::nan(""), inf = HUGE_VAL;
    block_runner blocks(32);
    for (auto const& column : {std::vector<double>{0, -2, 2, 1, 2},
                               {nan, 1, inf, 3, 4},
                               {1, nan, -3, 3, nan},
                               {0, 0, 0, 0, 0},
                               {nan, nan, nan, nan, nan},
                               {1, inf, -inf, nan, 5},
                               {0, nan, nan, nan, nan}})
        for (int k = 0; k < 5; ++k) {
            CAPTURE(k);
            int expected = k; // as LAPACK's idamax with comparisons that are false for NaN
            for (int r = k + 1; r < 5; ++r)
                if (std::abs(column[std::size_t(expected)]) < std::abs(column[std::size_t(r)])) expected = r;
            CHECK(chain::scalar_pivot(chain::alone{}, column.data(), k, 5).row == expected);
            std::vector<int> rows(32);
            blocks.run(1, [&](auto const& block, int, std::byte*) {
                using Block = std::decay_t<decltype(block)>;
                chain::scalar_pivot const pivot(team_in_lockstep<Block>{{block}, 4}, column.data(), k, 5);
                rows[std::size_t(block.thread())] = pivot.row;
            });
            for (int const row : rows) CHECK(row == expected);
        }
}

namespace {

/// Checks that tiles compute a solution, and that it is bitwise equal to that of one worker. (Matrices with two or more
/// bands on a side are eliminated row by row, and are not compared bitwise.)
template <class T>
void check_tiles(band_matrix<T> const& a, plain_rows<T> const& meaning, band_options const& o = {}) {
    auto const d = rhs_for(meaning, 1, 1);
    std::vector<std::int64_t> in_tiles(std::size_t(a.systems), chain::no_row), alone(in_tiles);
    auto const x = solve_anew<T>(tile_executor{}, a, o, d, 1, in_tiles.data());
    CHECK(backward_error_of(meaning, x, d) <= 100 * epsilon<T>);
    auto const y = solve_anew<T>(team_executor{1}, a, o, d, 1, alone.data());
    if (a.lower_bands < 0 || a.block == 1) CHECK(x == y);
    CHECK(in_tiles == alone);
}

} // namespace

TEST_CASE("tiles: blocks of every size and partition boundary") {
    for (int const n : ends_for_races({1, 2, 3, 4}))
        for (std::int64_t const length : {1, 2, 33, 70}) {
            CAPTURE(n);
            CAPTURE(length);
            block_storage<float> const s(length, n, std::uint64_t(length), true);
            check_tiles<float>(s.view(), s.meaning(true), {.cyclic = true});
            block_storage<double> const t(length, n, std::uint64_t(length), false);
            check_tiles<double>(t.view(), t.meaning(false), {.pivot = pivoting::scaled_partial});
        }
}

TEST_CASE("tiles: some of them far from the boundaries") {
    for (int const n : ends_for_races({1, 2, 3, 4})) {
        CAPTURE(n);
        block_storage<float> const s(n == 4 ? 1600 : 2176, n, 5, false);
        check_tiles<float>(s.view(), s.meaning(false));
    }
}

TEST_CASE("tiles: transposed matrices") {
    for (int const n : ends_for_races({1, 2, 3}))
        for (std::int64_t const length : {2, 33, 1100}) {
            CAPTURE(n);
            CAPTURE(length);
            bool const cyclic = length == 33;
            block_storage<double> const s(length, n, std::uint64_t(length), cyclic);
            check_tiles<double>(s.view(), s.meaning(cyclic).transposed(false),
                                {.cyclic = cyclic, .operation = matrix_operation::transposed});
        }
    for (std::int64_t const length : {5, 300, 2222}) {
        CAPTURE(length);
        banded_storage<double> const s(length, 1, 2, std::uint64_t(length));
        check_tiles<double>(banded_view<double>{length, 1, 2, s.bands.data()}, s.meaning().transposed(false),
                            {.operation = matrix_operation::transposed});
    }
}

TEST_CASE("tiles: complex numbers") {
    using T = std::complex<float>;
    using operation = matrix_operation;
    for (operation const op :
         ends_for_races({operation::none, operation::transposed, operation::conjugate_transposed})) {
        CAPTURE(int(op));
        bool const conjugated = op == operation::conjugate_transposed;
        for (std::int64_t const length : {1, 70, 1100}) {
            block_storage<T> const s(length, 1, 3, true);
            auto const a = s.meaning(true);
            check_tiles<T>(s.view(), op == operation::none ? a : a.transposed(conjugated),
                           {.cyclic = true, .operation = op});
        }
        block_storage<T> const s(300, 2, 4, false);
        auto const a = s.meaning(false);
        check_tiles<T>(s.view(), op == operation::none ? a : a.transposed(conjugated),
                       {.pivot = pivoting::scaled_partial, .threshold = 1e-20, .operation = op});
        banded_storage<T> const t(2222, 2, 1, 5);
        auto const b = t.meaning();
        check_tiles<T>(banded_view<T>{2222, 2, 1, t.bands.data()}, op == operation::none ? b : b.transposed(conjugated),
                       {.operation = op});
    }
}

TEST_CASE("tiles: bands") {
    for (auto const& [below, above] :
         ends_for_races({std::pair(1, 0), std::pair(2, 2), std::pair(1, 2), std::pair(3, 0), std::pair(4, 3)}))
        for (std::int64_t const length : {1, 5, 300, 1111}) {
            auto const& case_below = below;
            CAPTURE(case_below);
            auto const& case_above = above;
            CAPTURE(case_above);
            CAPTURE(length);
            banded_storage<double> const s(length, below, above, std::uint64_t(length));
            check_tiles<double>(banded_view<double>{length, below, above, s.bands.data()}, s.meaning());
        }
    for (int const reach : {2, 3}) { // some tiles far from the partition boundaries
        std::int64_t const length = reach * 3100;
        banded_storage<float> const s(length, reach, reach, 7);
        check_tiles<float>(banded_view<float>{length, reach, reach, s.bands.data()}, s.meaning());
    }
}

TEST_CASE("tiles: batches, thresholds, singular systems") {
    std::int64_t const systems = 5, rows = 37;
    for (bool const interleaved : {false, true}) {
        auto const s = batch_with_empty_row(systems, rows, 11, interleaved);
        band_matrix<double> a(s.view());
        a.systems = systems;
        a.interleaved = interleaved;
        for (double const threshold : {0.0, 1e-12}) {
            CAPTURE(threshold);
            band_options const o{.threshold = threshold, .cyclic = true};
            std::vector<double> const d(std::size_t(a.size), 1.0);
            std::vector<std::int64_t> in_tiles(std::size_t(systems), chain::no_row), alone(in_tiles);
            auto const x = solve_anew<double>(tile_executor{}, a, o, d, 1, in_tiles.data());
            auto const y = solve_anew<double>(team_executor{1}, a, o, d, 1, alone.data());
            CHECK(in_tiles == alone);
            for (std::int64_t k = 0; k < systems; ++k) CHECK((in_tiles[std::size_t(k)] != chain::no_row) == (k == 3));
            for (std::size_t i = 0; i < x.size(); ++i) {
                bool const same = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
                REQUIRE(same);
            }
        }
    }
}

namespace {

/// Solves boundary value problems and matrices of ones, plain and transposed, by one worker and by `exec`; their
/// segments are eliminated by Householder reflections if they grow.
template <class T, class Executor>
void check_growing(Executor const& exec, growth_case<T> const& c, bool transposed = false) {
    CAPTURE(c.name);
    CAPTURE(transposed);
    auto const meaning = transposed ? c.meaning.transposed(false) : c.meaning;
    if (lapack_condition(meaning) > (sizeof(real_of<T>) == 4 ? 1e3 : 1e8)) return;
    band_options const o{.cyclic = c.cyclic,
                         .operation = transposed ? matrix_operation::transposed : matrix_operation::none};
    auto const d = rhs_for(meaning, 1, 1);
    std::int64_t singular = chain::no_row;
    CHECK(backward_error_of(meaning, solve_anew<T>(exec, c.matrix, o, d, 1, &singular), d) <= 100 * epsilon<T>);
    CHECK(singular == chain::no_row);
}

} // namespace

namespace {

/// Tiles that copy the growth references of the condensed segments of rows to `sizes`.
struct watched_tiles {
    tile_executor tiles;
    std::vector<double>& sizes;
};
template <class Job>
void run_job(watched_tiles const& exec, Job const& job, std::byte* memory) {
    run_job(exec.tiles, job, memory);
    using reduction = chain::level_pass<true, chain::chain_level<double, chain::matrix_block_rows<double>>>;
    if constexpr (std::is_same_v<Job, reduction>)
        exec.sizes.assign(job.level.condensed.sizes, job.level.condensed.sizes + job.level.segments);
}

} // namespace

// The growth reference is the largest entry of all rows of a segment. If it were the largest entry of a single small
// row, the test would report growth where there is none, and a warp would eliminate the segment a second time.
TEST_CASE("tiles: growth references are the sizes of the rows of segments") {
    for (int const n : {1, 2, 4}) {
        CAPTURE(n);
        std::int64_t const length = 32 * 33; // whole segments
        block_storage<double> s(length, n, 3, true);
        std::size_t const block = std::size_t(n * n);
        std::vector<double> largest(33, 0.0);
        for (std::int64_t j = 0; j < length; ++j)
            for (auto* const band : {&s.lower, &s.diagonal, &s.upper})
                for (std::size_t i = std::size_t(j) * block; i < std::size_t(j + 1) * block; ++i) {
                    if (j % 32 != 7) (*band)[i] *= 0x1p-9;
                    largest[std::size_t(j / 32)] = std::max(largest[std::size_t(j / 32)], std::abs((*band)[i]));
                }
        auto const meaning = s.meaning(true);
        std::vector<double> sizes;
        auto const d = rhs_for(meaning, 1, 1);
        solve_anew<double>(watched_tiles{{}, sizes}, s.view(), {.cyclic = true}, d, 1);
        REQUIRE(sizes.size() == largest.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            CHECK(sizes[i] <= largest[i]); // compared by its leading bits
            CHECK(sizes[i] > largest[i] * (1 - 0x1p-19));
        }
    }
}

TEST_CASE("tiles: no growth") {
    tile_executor const tiles;
    for (int const k : {1, 2, 3, 4}) { // barriers of CPU threads are slow, and reflections have many
        bool const transposed = k % 2 == 0;
        check_growing(tiles, grcar<double>(130 + k, k, true), transposed);
        check_growing(tiles, blocks_of_ones<double>(70, k, 1, transposed), transposed);
        check_growing(tiles, boundary_value_problem<float>(70, k, 1.0, true, 3), transposed);
    }
    check_growing(tiles, blocks_of_ones<double>(1100, 1, 2, false)); // all segments of a warp grow
    using complex = std::complex<double>;
    for (int const k : {1, 2}) {
        check_growing(tiles, boundary_value_problem<complex>(70, k, 1.0, false, 3), k == 2);
        check_growing(tiles, grcar<complex>(100, k, true));
    }
}

// In some of the segments the residual of the unused rows is too large.
TEST_CASE("tiles: rows that shrink and grow again") {
    tile_executor const tiles;
    for (int const n : {1, 2, 3, 4}) {
        check_growing(tiles, shrinking_blocks<double>(330 / n, n, 1e-4, 0, false));
        check_growing(tiles, shrinking_bands<double>(330, n, 1e-6, 1));
    }
    check_growing(tiles, shrinking_bands<double>(330, 1, 1e-4, 0));
    check_growing(tiles, shrinking_blocks<std::complex<double>>(200, 1, 1e-4, 0, true));
}

TEST_CASE("teams: no growth") {
    for (int const threads : {1, 32})
        for (int const k : {0, 1, 3, 6}) {
            auto const c = k == 0   ? shrinking_blocks<double>(300, 2, 1e-4, 0, false)
                           : k == 1 ? boundary_value_problem<double>(200, 1, 1.0, true, 1)
                                    : grcar<double>(300, k, true);
            CAPTURE(threads);
            CAPTURE(c.name);
            auto const d = rhs_for(c.meaning, 2, 1);
            for (auto const& x : solve_by_teams({threads}, c.matrix, {.cyclic = c.cyclic}, d, 2))
                CHECK(backward_error_of(c.meaning, x, d) <= 100 * epsilon<double>);
        }
}

// Teams without growth take part in the reflections of others. They must not change anything: the unknowns have already
// replaced the right-hand sides.
TEST_CASE("teams in lockstep: only some segments grow") {
    for (int const n : ends_for_races({1, 2, 5}))
        for (int const columns : ends_for_races({1, 2})) {
            CAPTURE(n);
            CAPTURE(columns);
            std::int64_t const rows = 32 * 13 + 5;
            block_storage<double> s(rows, n, 5, false);
            auto const grows = growing_cycle<double>(rows);
            for (std::int64_t i = 0; i < rows; ++i) {
                bool const chosen = i / 32 % 5 == 1; // of which segments grow
                for (int k = 0; k < n * n; ++k) {
                    auto const at = std::size_t(i * n * n + k);
                    bool const on_diagonal = k % (n + 1) == 0;
                    if (chosen) {
                        s.lower[at] = on_diagonal ? grows.lower[std::size_t(i)] : 0;
                        s.diagonal[at] = on_diagonal ? grows.diagonal[std::size_t(i)] : 0;
                        s.upper[at] = on_diagonal ? grows.upper[std::size_t(i)] : 0;
                    } else if (on_diagonal) {
                        s.diagonal[at] += 3 * n;
                    }
                }
            }
            s.spoil(0, rows);
            auto const meaning = s.meaning(false);
            auto const d = rhs_for(meaning, columns, 1);
            band_matrix<double> const a(s.view());
            auto const expected = solve_anew<double>(team_executor{1}, a, {}, d, columns);
            CHECK(backward_error_of(meaning, expected, d) <= 100 * epsilon<double>);
            CHECK(solve_over_rhs<double>(lockstep_executor{4, 8}, a, {}, d, columns) == expected);
            CHECK(solve_over_rhs<double>(lockstep_executor{16, 2}, a, {}, d, columns) == expected);
        }
}

TEST_CASE("teams: the classical algorithms") {
    using method = classical_algorithm;
    for (int const threads : {1, 4, 32})
        for (method const which : {method::thomas, method::cr, method::pcr, method::rd, method::cr_pcr, method::cr_rd,
                                   method::rd_scaled, method::cr_rd_scaled})
            for (int const n : {1, 2, 7, 20}) {
                CAPTURE(threads);
                CAPTURE(int(which));
                CAPTURE(n);
                std::vector<double> const band(std::size_t(2 * n), -1), middle(std::size_t(2 * n), 2.5);
                std::vector<double> const d(std::size_t(2 * n), 1);
                std::vector<double> x(d.size()), alone(d.size());
                tridiagonal_view<double> const a{2 * n, band.data(), middle.data(), band.data()};
                classical::batch<double> const b{a, d.data(), x.data(), n, 4, 8, which};
                block_runner blocks(threads, std::size_t(b.elements()) * sizeof(double));
                blocks.run(2, [&](auto const& block, int s, std::byte* shared) {
                    b.template solve<classical::method_group::unpartitioned>(
                        block_team<std::decay_t<decltype(block)>>{block}, s, reinterpret_cast<double*>(shared));
                });
                solve_classical(host_executor{1}, a, 2, array_view<double const>{d.data(), 2 * n},
                                array_view<double>{alone.data(), 2 * n}, {which, 4});
                CHECK(x == alone);
            }
}

} // namespace coppice::test
