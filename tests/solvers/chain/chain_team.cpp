// SPDX-License-Identifier: BSD-3-Clause
// What teams of a GPU do, on CPU threads: the chain solver and the classical algorithms, with barriers that are looked
// at.
#include <doctest/doctest.h>

#include "solvers/band_reference.hpp"
#include "solvers/chain/growth_families.hpp"
#include "support/block_stand_in.hpp"
#include <coppice/solvers/compare/classical_solve.hpp>
#include <coppice/solvers/direct/block_banded/chain_block.hpp>
#include <coppice/solvers/direct/factored/band_factor_solve.hpp>

namespace coppice::test {
namespace {

/// A block of the stand-in as a team.
template <class Block>
struct block_team {
    Block const& block;
    int rank() const { return block.thread(); }
    int size() const { return block.threads(); }
    void sync() const { block.sync(); }
    bool any(bool condition) const { return block.sync_any(condition); }
};

/// A launcher whose teams are blocks of `threads` CPU threads; one team more than there is work for.
struct team_executor {
    int threads;

    template <class Job, class Work>
    void run(Job const&, std::int64_t teams, std::int64_t elements, Work const& work) const {
        using T = typename Job::value_type;
        block_runner blocks(threads, std::size_t(elements) * sizeof(T));
        blocks.run(int(teams) + 1, [&](auto const& block, int index, std::byte* shared) {
            work(block_team<std::decay_t<decltype(block)>>{block}, index, reinterpret_cast<T*>(shared));
        });
    }
};
template <class T, class Units>
void reduce(team_executor const& exec, chain::stage<T, Units> const& s, std::byte*) {
    exec.run(s, s.stretches, s.shape.reduce_elements(),
             [&](auto const& team, int p, T* memory) { s.reduce(team, s.shape, p, memory); });
}
template <class T, class Units>
void substitute(team_executor const& exec, chain::stage<T, Units> const& s, std::byte*) {
    exec.run(s, s.stretches, s.shape.substitute_elements(),
             [&](auto const& team, int p, T* memory) { s.substitute(team, s.shape, p, memory); });
}
template <class T>
void close(team_executor const& exec, chain::closing<T> const& c, std::byte*) {
    exec.run(c, c.all.batch.systems, c.elements(),
             [&](auto const& team, int s, T* memory) { c.solve(team, s, memory); });
}
template <class T, class Units>
void run_step(team_executor const& exec, chain::factored_stage<T, Units> const& s, std::byte*) {
    exec.run(s, s.base.stretches, s.elements(s.base.shape),
             [&](auto const& team, int p, T* memory) { s.run(team, p, memory); });
}
template <class T>
void run_step(team_executor const& exec, chain::factored_closing<T> const& c, std::byte*) {
    exec.run(c, c.base.all.batch.systems, c.base.elements(),
             [&](auto const& team, int s, T* memory) { c.run(team, s, memory); });
}
template <class T>
std::int64_t factor_launch_bytes(team_executor const&, chain::unit_shape<chain::any_size> const&,
                                 chain::unit_shape<chain::any_size> const&) {
    return 0;
}

/// A launcher whose warps are blocks of 32 CPU threads that work on tiles.
struct tile_executor {
    template <bool Left, class T, class Units>
    void run(chain::stage<T, Units> const& all) const {
        auto const launch = []<class Rows, int K, int W>(chain::stage<T, Rows> const& s,
                                                         chain::tile_sizes<T, Rows, K, W, Left> sizes,
                                                         chain::tile_plan const& plan) {
            block_runner blocks(warp_lanes, std::size_t(plan.bytes));
            int const warps = int((s.stretches + sizes.stretches - 1) / sizes.stretches);
            blocks.run(warps, [&](auto const& block, int w, std::byte* shared) {
                using Block = std::decay_t<decltype(block)>;
                chain::warp_tile<T, Rows, K, W, Left, Block>(block, s, std::int64_t(w) * sizes.stretches, s.stretches,
                                                             plan, reinterpret_cast<unsigned char*>(shared))
                    .run();
            });
            return true;
        };
        // Blocks of n + 1 rows: each takes the compiler a while.
        using some = std::conditional_t<std::is_floating_point_v<T>, std::integer_sequence<int, 0, 1, 2, 3>,
                                        std::integer_sequence<int, 0, 1>>;
        REQUIRE(chain::with_tiles<Left>(all, launch, some()));
    }
};
template <class T, class Units>
void reduce(tile_executor const& exec, chain::stage<T, Units> const& s, std::byte* memory) {
    if constexpr (Units::of_rows)
        exec.run<true>(s);
    else
        reduce(team_executor{1}, s, memory);
}
template <class T, class Units>
void substitute(tile_executor const& exec, chain::stage<T, Units> const& s, std::byte* memory) {
    if constexpr (Units::of_rows)
        exec.run<false>(s);
    else
        substitute(team_executor{1}, s, memory);
}
template <class T>
void close(tile_executor const&, chain::closing<T> const& c, std::byte* memory) {
    close(team_executor{1}, c, memory);
}

/// Solves for `columns` columns.
template <class T, class Executor>
std::vector<T> solve_anew(Executor const& exec, band_matrix<T> const& a, band_options const& o, std::vector<T> const& d,
                          int columns, std::int64_t* singular = nullptr) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    using lane = lane_of_t<T>;
    using real = real_lane_t<lane>;
    std::vector<T> x(d.size());
    elimination<real> const how{real(o.threshold), o.threshold > 0, o.pivot == pivoting::scaled_partial};
    row_units<lane> const units{
        rows,    reinterpret_cast<lane const*>(d.data()), reinterpret_cast<lane*>(x.data()), a.size, a.size, columns,
        singular};
    std::vector<T> links(std::size_t(chain::for_each_stage(l, a.block, columns, [](auto...) {})), T(real(HUGE_VAL)));
    solve_columns(exec, units, how, reinterpret_cast<std::byte*>(links.data()), nullptr, nullptr);
    return x;
}

/// Solves by teams, anew and with a factorisation, for `columns` columns.
std::vector<std::vector<double>> solve_by_teams(team_executor const& exec, band_matrix<double> const& a,
                                                band_options const& o, std::vector<double> const& d, int columns) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    std::vector<std::vector<double>> x{solve_anew(exec, a, o, d, columns), std::vector<double>(d.size())};
    elimination<double> const how{0, false, o.pivot == pivoting::scaled_partial};
    std::vector<double> links(std::size_t(chain::for_each_stage(l, a.block, columns, [](auto...) {})), HUGE_VAL);
    auto const plan = plan_factor(exec, rows);
    // Guarded: a team without work must not keep anything.
    std::vector<double> factor(std::size_t(plan.bytes / 8) + 4096, -77.0);
    auto* const bytes = reinterpret_cast<std::byte*>(factor.data());
    row_units<double> const none{rows, nullptr, nullptr, 0, 0, 0, nullptr};
    factored_stages<double>(none, how, plan, bytes, nullptr).up(exec, factor_step::factorise, nullptr);
    for (std::size_t i = factor.size() - 4096; i < factor.size(); ++i) REQUIRE(factor[i] == -77.0);
    row_units<double> const units{rows, d.data(), x[1].data(), a.size, a.size, columns, nullptr};
    factored_stages<double> stages(units, how, plan, bytes, links.data());
    stages.up(exec, factor_step::forward, nullptr);
    stages.down(exec, nullptr);
    return x;
}

} // namespace

TEST_CASE("teams: the chain solver and its factorisation") {
    for (int const threads : {1, 3, 8})
        for (int const n : {1, 2, 3})
            for (std::int64_t const length : {1, 7, 70}) {
                CAPTURE(threads);
                CAPTURE(n);
                CAPTURE(length);
                block_storage<double> const s(length, n, std::uint64_t(length), true);
                auto const a = s.meaning(true);
                auto const d = sides_for(a, 2, 1);
                auto const x = solve_by_teams({threads}, band_matrix<double>(s.view()), {.cyclic = true}, d, 2);
                CHECK(backward_error_of(a, x[0], d) <= 100 * epsilon<double>);
                CHECK(backward_error_of(a, x[1], d) <= 100 * epsilon<double>);
            }
}

namespace {

/// Tiles give a solution, and that is what one worker gives, bit by bit, but for two and more bands on a side: those
/// are eliminated row by row.
template <class T>
void check_tiles(band_matrix<T> const& a, plain_rows<T> const& meaning, band_options const& o = {}) {
    auto const d = sides_for(meaning, 1, 1);
    std::vector<std::int64_t> in_tiles(std::size_t(a.systems), chain::no_row), alone(in_tiles);
    auto const x = solve_anew<T>(tile_executor{}, a, o, d, 1, in_tiles.data());
    CHECK(backward_error_of(meaning, x, d) <= 100 * epsilon<T>);
    auto const y = solve_anew<T>(team_executor{1}, a, o, d, 1, alone.data());
    if (a.lower_bands < 0 || a.block == 1) CHECK(x == y);
    CHECK(in_tiles == alone);
}

} // namespace

TEST_CASE("tiles: blocks of every size and border") {
    for (int const n : {1, 2, 3, 4})
        for (std::int64_t const length : {1, 2, 33, 70}) {
            CAPTURE(n);
            CAPTURE(length);
            block_storage<float> const s(length, n, std::uint64_t(length), true);
            check_tiles<float>(s.view(), s.meaning(true), {.cyclic = true});
            block_storage<double> const t(length, n, std::uint64_t(length), false);
            check_tiles<double>(t.view(), t.meaning(false), {.pivot = pivoting::scaled_partial});
        }
}

TEST_CASE("tiles: some of them far from the borders") {
    for (int const n : {1, 2, 3, 4}) {
        CAPTURE(n);
        block_storage<float> const s(n == 4 ? 1600 : 2176, n, 5, false);
        check_tiles<float>(s.view(), s.meaning(false));
    }
}

TEST_CASE("tiles: transposed matrices") {
    for (int const n : {1, 2, 3})
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
    for (operation const op : {operation::none, operation::transposed, operation::conjugate_transposed}) {
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
         {std::pair(1, 0), std::pair(2, 2), std::pair(1, 2), std::pair(3, 0), std::pair(4, 3)})
        for (std::int64_t const length : {1, 5, 300, 1111}) {
            auto const& case_below = below;
            CAPTURE(case_below);
            auto const& case_above = above;
            CAPTURE(case_above);
            CAPTURE(length);
            banded_storage<double> const s(length, below, above, std::uint64_t(length));
            check_tiles<double>(banded_view<double>{length, below, above, s.bands.data()}, s.meaning());
        }
    for (int const reach : {2, 3}) { // some tiles far from the borders
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

/// What boundary value problems and matrices of ones, plain and transposed, become by one worker, whose stretches are
/// reflected where they grow, and by `exec`.
template <class T, class Executor>
void check_growing(Executor const& exec, growth_case<T> const& c, bool transposed = false) {
    CAPTURE(c.name);
    CAPTURE(transposed);
    auto const meaning = transposed ? c.meaning.transposed(false) : c.meaning;
    if (lapack_condition(meaning) > (sizeof(real_of<T>) == 4 ? 1e3 : 1e8)) return;
    band_options const o{.cyclic = c.cyclic,
                         .operation = transposed ? matrix_operation::transposed : matrix_operation::none};
    auto const d = sides_for(meaning, 1, 1);
    std::int64_t singular = chain::no_row;
    CHECK(backward_error_of(meaning, solve_anew<T>(exec, c.matrix, o, d, 1, &singular), d) <= 100 * epsilon<T>);
    CHECK(singular == chain::no_row);
}

} // namespace

namespace {

/// Tiles; the sizes that links of rows keep go to `sizes`.
struct watched_tiles {
    tile_executor tiles;
    std::vector<double>& sizes;
};
void reduce(watched_tiles const& exec, chain::stage<double, chain::row_units<double>> const& s, std::byte*) {
    exec.tiles.run<true>(s);
    exec.sizes.assign(s.links.sizes, s.links.sizes + s.stretches);
}
template <class T, class Units>
void reduce(watched_tiles const& exec, chain::stage<T, Units> const& s, std::byte* memory) {
    reduce(exec.tiles, s, memory);
}
template <class T, class Units>
void substitute(watched_tiles const& exec, chain::stage<T, Units> const& s, std::byte* memory) {
    substitute(exec.tiles, s, memory);
}
template <class T>
void close(watched_tiles const& exec, chain::closing<T> const& c, std::byte* memory) {
    close(exec.tiles, c, memory);
}

} // namespace

// Of all of them: where single rows are small, a link beside those alone would look as if it had grown, and stop a
// warp.
TEST_CASE("tiles: links keep the size of the entries of their stretches") {
    for (int const n : {1, 2, 4}) {
        CAPTURE(n);
        std::int64_t const length = 32 * 33; // whole stretches
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
        auto const d = sides_for(meaning, 1, 1);
        solve_anew<double>(watched_tiles{{}, sizes}, s.view(), {.cyclic = true}, d, 1);
        REQUIRE(sizes.size() == largest.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            CHECK(sizes[i] <= largest[i]); // by its leading bits
            CHECK(sizes[i] > largest[i] * (1 - 0x1p-19));
        }
    }
}

TEST_CASE("tiles: no growth") {
    tile_executor const tiles;
    for (int const k : {1, 2, 3, 4}) { // barriers of threads are slow, and reflections have many
        bool const transposed = k % 2 == 0;
        check_growing(tiles, grcar<double>(130 + k, k, true), transposed);
        check_growing(tiles, blocks_of_ones<double>(70, k, 1, transposed), transposed);
        check_growing(tiles, boundary_value_problem<float>(70, k, 1.0, true, 3), transposed);
    }
    check_growing(tiles, blocks_of_ones<double>(1100, 1, 2, false)); // all stretches of a warp
    using complex = std::complex<double>;
    for (int const k : {1, 2}) {
        check_growing(tiles, boundary_value_problem<complex>(70, k, 1.0, false, 3), k == 2);
        check_growing(tiles, grcar<complex>(100, k, true));
    }
}

TEST_CASE("teams: no growth") {
    for (int const threads : {1, 8})
        for (int const k : {1, 3, 6}) {
            auto const c = k == 1 ? boundary_value_problem<double>(200, 1, 1.0, true, 1) : grcar<double>(300, k, true);
            CAPTURE(threads);
            CAPTURE(c.name);
            auto const d = sides_for(c.meaning, 2, 1);
            for (auto const& x : solve_by_teams({threads}, c.matrix, {.cyclic = c.cyclic}, d, 2))
                CHECK(backward_error_of(c.meaning, x, d) <= 100 * epsilon<double>);
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
