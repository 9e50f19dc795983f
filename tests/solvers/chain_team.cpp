// SPDX-License-Identifier: BSD-3-Clause
// What teams of a GPU do, on CPU threads: the chain solver and the classical algorithms, with barriers that are looked
// at.
#include <doctest/doctest.h>

#include "solvers/band_factor_solve.hpp"
#include "solvers/band_reference.hpp"
#include "solvers/classical_solve.hpp"
#include "support/block_stand_in.hpp"

namespace coppice::test {
namespace {

/// A block of the stand-in as a team.
template <class Block>
struct block_team {
    Block const& block;
    int rank() const { return block.thread(); }
    int size() const { return block.threads(); }
    void sync() const { block.sync(); }
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

/// Solves by teams, anew and with a factorisation, for `columns` columns.
std::vector<std::vector<double>> solve_by_teams(team_executor const& exec, band_matrix<double> const& a,
                                                band_options const& o, std::vector<double> const& d, int columns) {
    using namespace chain;
    auto const rows = rows_of(a, o);
    levels const l = levels_of(rows.batch);
    std::vector<std::vector<double>> x(2, std::vector<double>(d.size()));
    elimination<double> const how{0, false, o.pivot == pivoting::scaled_partial};
    row_units<double> units{rows, d.data(), x[0].data(), a.size, a.size, columns, nullptr};
    std::vector<double> links(std::size_t(chain::for_each_stage(l, a.block, columns, [](auto...) {})), HUGE_VAL);
    solve_columns(exec, units, how, reinterpret_cast<std::byte*>(links.data()), nullptr, nullptr);

    auto const plan = plan_factor(exec, rows);
    // Guarded: a team without work must not keep anything.
    std::vector<double> factor(std::size_t(plan.bytes / 8) + 4096, -77.0);
    auto* const bytes = reinterpret_cast<std::byte*>(factor.data());
    row_units<double> const none{rows, nullptr, nullptr, 0, 0, 0, nullptr};
    factored_stages<double>(none, how, plan, bytes, nullptr).up(exec, factor_step::factorise, nullptr);
    for (std::size_t i = factor.size() - 4096; i < factor.size(); ++i) REQUIRE(factor[i] == -77.0);
    units.x = x[1].data();
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

TEST_CASE("teams: the classical algorithms") {
    using method = classical_algorithm;
    for (int const threads : {1, 4, 32})
        for (method const which : {method::thomas, method::cr, method::pcr, method::rd, method::cr_pcr, method::cr_rd})
            for (int const n : {1, 2, 7, 20}) {
                CAPTURE(threads);
                CAPTURE(int(which));
                CAPTURE(n);
                std::vector<double> const band(std::size_t(2 * n), -1), middle(std::size_t(2 * n), 2.5);
                std::vector<double> const d(std::size_t(2 * n), 1);
                std::vector<double> x(d.size()), alone(d.size());
                tridiagonal_view<double> const a{2 * n, band.data(), middle.data(), band.data()};
                classical::batch<double> const b{a, d.data(), x.data(), n, 4, which};
                block_runner blocks(threads, std::size_t(b.elements()) * sizeof(double));
                blocks.run(2, [&](auto const& block, int s, std::byte* shared) {
                    b.solve(block_team<std::decay_t<decltype(block)>>{block}, s, reinterpret_cast<double*>(shared));
                });
                solve_classical(host_executor{1}, a, 2, array_view<double const>{d.data(), 2 * n},
                                array_view<double>{alone.data(), 2 * n}, {which, 4});
                CHECK(x == alone);
            }
}

} // namespace coppice::test
