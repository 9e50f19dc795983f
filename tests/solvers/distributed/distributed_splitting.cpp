// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of several forests over ranks, compared with those of one rank.
#include <coppice/solvers/distributed/forests/distributed_splitting.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/levels/refused_refresh.hpp>

#include "solvers/distributed/forest_problems.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

auto const splittings_over_ranks = {"alt-i", "alt-o", "mos-d", "adi", "mos", "block-forest", "mos-a"};

/// z of some calls one after the other, then of the transpose unless M varies.
template <class Executor, class T>
std::vector<std::vector<T>> results_of(Executor const& exec, any_preconditioner<Executor, T> const& m,
                                       std::vector<T> const& r) {
    std::vector<std::vector<T>> results;
    auto const from = exec.copy(r);
    buffer<T> z(exec, from.size());
    static_cast<void>(m.begin_solve());
    for (int call = 0; call < 5; ++call) {
        m.apply(exec, from.view(), z.view());
        results.push_back(to_vector(exec, z));
    }
    if (m.varies()) return results;
    m.apply_transpose(exec, from.view(), z.view());
    results.push_back(to_vector(exec, z));
    return results;
}

/// Applications, transpose and findings are those of one rank.
template <class Fixture, class T>
void check_splitting(plain_csr<T> const& a, rank_rows const& begins, std::string const& choice, double tolerance) {
    using exec_type = decltype(Fixture::exec());
    CAPTURE(choice);
    CAPTURE(begins);
    auto const numbers = random_rhs(std::size_t(a.rows));
    std::vector<T> const r(numbers.begin(), numbers.end());
    auto const whole = Fixture::exec();
    auto const matrix = a.on(whole);
    auto const one = make_preconditioner(whole, choice, matrix.view());
    auto const expected = results_of(whole, one, r);
    auto found = expected;
    with_rows<Fixture>(a, begins, [&](exec_type const& exec, rank_communicator const& comm, auto& rows) {
        auto const first = begins[std::size_t(comm.rank())], end = begins[std::size_t(comm.rank()) + 1];
        auto const m = make_distributed_preconditioner(exec, comm, choice, rows);
        CHECK(m.varies() == one.varies());
        auto const own = results_of(exec, m, std::vector<T>(r.begin() + first, r.begin() + end));
        REQUIRE(own.size() == expected.size());
        for (std::size_t k = 0; k < own.size(); ++k) std::copy(own[k].begin(), own[k].end(), found[k].begin() + first);
        auto const of_one = one.report(), of_rank = m.report();
        REQUIRE(of_rank.findings.size() == of_one.findings.size());
        for (std::size_t k = 0; k < of_one.findings.size(); ++k) {
            CAPTURE(of_one.findings[k].key);
            CHECK(of_rank.findings[k].key == of_one.findings[k].key);
            if (of_one.findings[k].unit != finding_unit::seconds)
                CHECK(of_rank.findings[k].value == doctest::Approx(of_one.findings[k].value).epsilon(1e-5));
        }
    });
    for (std::size_t k = 0; k < expected.size(); ++k) {
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < expected[k].size(); ++i) {
            largest = std::max(largest, std::abs(double(expected[k][i])));
            double const error = std::abs(double(found[k][i]) - double(expected[k][i]));
            worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
        }
        CAPTURE(k);
        CHECK(std::isfinite(largest));
        CHECK(worst <= tolerance * largest);
    }
}

} // namespace

TEST_CASE_TEMPLATE("distributed splittings: the preconditioners are those of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    for (named_matrix const& m : forest_matrices())
        for (int const ranks : {2, 3, 4, 7})
            for (std::string const name : splittings_over_ranks) {
                if (sanitized && ranks != 4) continue;
                CAPTURE(m.name);
                check_splitting<Fixture>(m.a, equal_rows(m.a.rows, ranks), name, 1e-9);
            }
}

TEST_CASE_TEMPLATE("distributed splittings: ranks of any size", Fixture, COPPICE_TEST_EXECUTORS) {
    for (std::string const name : splittings_over_ranks) {
        auto const a = grid(20, 31, 0.05, 1, 0.05, 0.3);
        int const n = a.rows;
        for (rank_rows const& begins : {rank_rows{0, 0, n / 3, n / 3, n, n}, rank_rows{0, 1, 2, n}, rank_rows{0, n, n}})
            check_splitting<Fixture>(a, begins, name, 1e-11);
        auto const path = shuffled_paths(2000, 2000, 2.5, 0.3); // divided
        check_splitting<Fixture>(path, {0, 0, 700, 700, 1400, 2000}, name, 1e-11);
        for (int const size : {0, 1, 2, 5}) // more ranks than rows
            check_splitting<Fixture>(grid(size, 1, 1, 0, 0.5), equal_rows(size, 7), name, 1e-12);
    }
}

TEST_CASE_TEMPLATE("distributed splittings: options and single precision", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = random_directions(600, 600);
    auto const begins = equal_rows(a.rows, 3);
    for (char const* const options : {"factors=1", "factors=7,omega=0", "omega=1", "enough-coverage=0.5",
                                      "least-gain=0.2", "ties=hash,seed=4,rounds=3", "pivoting=scaled"})
        for (std::string const name : {"alt-i", "alt-o", "mos-d"})
            check_splitting<Fixture>(a, begins, name + "," + options, 1e-10);
    for (char const* const options : {"first=forest", "first=forest,omega=0.1", "others=blocks,factors=3", "omega=0.5",
                                      "factors=1", "ties=hash,seed=4,rounds=3", "pivoting=scaled"})
        check_splitting<Fixture>(a, begins, std::string("mos,") + options, 1e-10);
    check_splitting<Fixture>(a, begins, "block-forest,ties=hash,rounds=2", 1e-10);
    for (char const* const options : {"factors=2,window=3", "accuracy=0.3", "enough-coverage=0.5", "least-gain=0.1"})
        check_splitting<Fixture>(a, begins, std::string("mos-a,") + options, 1e-9);
    check_splitting<Fixture>(grid(40, 30, 0.3, 1, 0.1), equal_rows(1200, 3), "adi,nx=40", 1e-10);
    check_splitting<Fixture>(grid(24, 30, 0.3, 1, 0.1), equal_rows(720, 4), "adi,nx=4,ny=6,nz=30", 1e-10);
    for (std::string const name : splittings_over_ranks)
        check_splitting<Fixture>(grid<float>(40, 40, 0.05, 1, 0.5), equal_rows(1600, 3), name, 1e-5);
}

TEST_CASE_TEMPLATE("distributed splittings: a refresh has the bits of a new set-up with the same forests", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::size_t turn = 0; // with sanitizers each matrix and each name once or twice
    for (named_matrix const& named : forest_matrices())
        for (std::string const name : splittings_over_ranks) {
            if (sanitized && turn++ % 4 != 0) continue;
            CAPTURE(named.name);
            CAPTURE(name);
            auto other = named.a; // twice the rows: the same weights and forests
            for (double& value : other.values) value *= -2;
            auto const begins = equal_rows(other.rows, 3);
            auto const numbers = random_rhs(std::size_t(other.rows));
            with_rows<Fixture>(named.a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
                auto const p = std::size_t(comm.rank());
                std::vector<double> const r(numbers.begin() + begins[p], numbers.begin() + begins[p + 1]);
                auto const given = exec.copy(values_of_rank(named.a, begins, p));
                auto const changed = exec.copy(values_of_rank(other, begins, p));
                auto refreshed = make_distributed_preconditioner(exec, comm, name, rows);
                auto const before = results_of(exec, refreshed, r);
                rows.set_values(exec, changed.view());
                refresh_distributed_preconditioner(exec, refreshed, rows);
                auto const anew = make_distributed_preconditioner(exec, comm, name, rows);
                CHECK(results_of(exec, refreshed, r) == results_of(exec, anew, r));
                CHECK(refreshed.report().number("mended_rows") == anew.report().number("mended_rows"));
                rows.set_values(exec, given.view());
                refresh_distributed_preconditioner(exec, refreshed, rows);
                CHECK(results_of(exec, refreshed, r) == before);
            });
        }
}

TEST_CASE_TEMPLATE("distributed splittings: Krylov methods take the iterations of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    int const nx = sanitized ? 16 : 60;
    auto const a = grid(nx, nx, 0.3, 1, 1e-2, 0.2);
    auto const iterations = [&](int ranks, std::string const& name, std::string const& method) {
        std::vector<krylov_result> results(static_cast<std::size_t>(ranks));
        auto const begins = equal_rows(a.rows, ranks);
        with_rows<Fixture>(a, begins, [&](auto const& exec, auto const& comm, auto& rows) {
            auto const p = std::size_t(comm.rank());
            auto const m = make_distributed_preconditioner(exec, comm, name, rows);
            auto const numbers = random_rhs(std::size_t(a.rows));
            auto const b = exec.copy(std::vector<double>(numbers.begin() + begins[p], numbers.begin() + begins[p + 1]));
            auto x = exec.copy(std::vector<double>(std::size_t(rows.size()), 0.0));
            results[p] = solve_distributed(exec, comm, method, rows, m, b.view(), x.view(), {.tolerance = 1e-8});
        });
        for (auto const& r : results) {
            CHECK(r.converged);
            CHECK(r.residual_history == results[0].residual_history);
        }
        return results[0].iterations;
    };
    for (std::string const name : splittings_over_ranks) {
        std::string const method = name == "alt-o" ? "fgmres" : name == "mos" ? "bicgstab" : "gmres";
        auto const one = iterations(1, name, method);
        for (int const ranks : {2, 3, 4, 7}) {
            if (sanitized && ranks != 3) continue;
            CAPTURE(name);
            CAPTURE(ranks);
            CHECK(std::abs(iterations(ranks, name, method) - one) <= 1);
        }
    }
}

TEST_CASE_TEMPLATE("distributed splittings: errors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto a = grid(12, 12, 0.05, 1, 0.05);
    rank_rows const begins{0, 50, 144};
    auto const make = [&](std::string const& choice) {
        with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
            auto m = make_distributed_preconditioner(exec, comm, choice, rows);
            CHECK_THROWS_WITH_AS(m.refresh(exec, rows.own_block().view()),
                                 doctest::Contains("needs the rows of all ranks"), argument_error);
        });
    };
    for (std::string const name : splittings_over_ranks) {
        CAPTURE(name);
        make(name);
        CHECK_THROWS_WITH_AS(make(name + ",threshold=0.5"), doctest::Contains("threshold must be 0"), argument_error);
        CHECK_THROWS_WITH_AS(make(name + ",degree=2"), doctest::Contains("has no option \"degree\""), argument_error);
        auto const good = a;
        for (int const row : {49, 60}) // the last of a rank, and one that is not coupled with other ranks
            for (int k = a.offsets[std::size_t(row)]; k < a.offsets[std::size_t(row) + 1]; ++k) {
                a.values[std::size_t(k)] = std::numeric_limits<double>::infinity();
                CHECK_THROWS_AS(make(name), matrix_error);
                a = good;
            }
        a.indices[std::size_t(a.offsets[49])] = a.indices[std::size_t(a.offsets[49]) + 1]; // twice
        CHECK_THROWS_WITH_AS(make(name), doctest::Contains("holds a column twice"), matrix_error);
        a = good;
    }
    with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) { // of own blocks
        auto m = make_distributed_preconditioner(exec, comm, "mos,first=bands", rows);
        m.refresh(exec, rows.own_block().view());
        CHECK_THROWS_AS(make_distributed_preconditioner(exec, comm, "mos", rows, {{"factors", 0}}), argument_error);
    });
    CHECK_THROWS_WITH_AS(make("adi,nx=7"), doctest::Contains("144 rows"), dimension_error);
    for (char const* const name : {"forest", "alt-i", "mos-d", "block-forest", "mos-a", "multilevel"})
        with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
            CAPTURE(name);
            auto const m = make_distributed_preconditioner(exec, comm, name, rows);
            auto whole = exec.copy(std::vector<double>(std::size_t(rows.size()), 1.0));
            auto few = exec.copy(std::vector<double>(std::size_t(rows.size()) - 1, 1.0));
            CHECK_THROWS_AS(m.apply(exec, std::as_const(few).view(), whole.view()), dimension_error);
            CHECK_THROWS_AS(m.apply(exec, std::as_const(whole).view(), few.view()), dimension_error);
        });
}
