// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/forests/distributed_forest.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph.hpp>
#include <coppice/solvers/distributed/levels/refused_refresh.hpp>
#include <coppice/solvers/precondition/one_level/forest_preconditioner.hpp>

#include "solvers/distributed/forest_problems.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// The preconditioner of all ranks and its transpose, applied once and again, give
/// those of one rank up to `tolerance`.
template <class Fixture, class T>
void check_same(plain_csr<T> const& a, rank_rows const& begins, forest_options const& options, bool divided,
                double tolerance, bool regularises = false) {
    using exec_type = decltype(Fixture::exec());
    auto const n = std::size_t(a.rows);
    auto const numbers = random_rhs(n);
    std::vector<T> const r(numbers.begin(), numbers.end());
    auto const whole = Fixture::exec();
    auto const matrix = a.on(whole);
    forest_preconditioner<exec_type, T> const one(whole, matrix.view(), options);
    auto const from = whole.copy(r);
    buffer<T> to(whole, a.rows);
    one.apply(whole, from.view(), to.view());
    auto const expected = to_vector(whole, to);
    one.apply_transpose(whole, from.view(), to.view());
    auto const expected_transposed = to_vector(whole, to);
    std::vector<T> found(n), found_transposed(n);
    with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto const& rows) {
        distributed::distributed_forest<exec_type, T> const m(exec, comm, rows, options);
        CHECK(m.divides_paths() == divided);
        int const first = begins[std::size_t(comm.rank())];
        auto const own = exec.copy(std::vector<T>(r.begin() + first, r.begin() + first + rows.size()));
        buffer<T> z(exec, rows.size());
        for (int again = 0; again < 2; ++again) m.apply(exec, own.view(), z.view());
        auto const values = to_vector(exec, z);
        std::copy(values.begin(), values.end(), found.begin() + first);
        for (int again = 0; again < 2; ++again) m.apply_transpose(exec, own.view(), z.view());
        auto const transposed = to_vector(exec, z);
        std::copy(transposed.begin(), transposed.end(), found_transposed.begin() + first);
        auto const of_one = one.findings(), of_rank = m.findings();
        for (std::size_t k = 0; k < of_one.size(); ++k) {
            CAPTURE(of_one[k].key);
            CHECK(of_rank[k].key == of_one[k].key);
            if (of_one[k].key == "mended_rows") CHECK((of_one[k].value > 0) == regularises);
            if (of_one[k].unit != finding_unit::seconds)
                CHECK(of_rank[k].value == doctest::Approx(of_one[k].value).epsilon(1e-5));
        }
    });
    check_close(found, expected, tolerance);
    check_close(found_transposed, expected_transposed, tolerance);
    double forward = 0, backward = 0, terms = 0; // <M^-1 r, r> and <r, M^-T r>
    for (std::size_t i = 0; i < n; ++i) {
        forward += double(found[i]) * double(r[i]);
        backward += double(r[i]) * double(found_transposed[i]);
        terms += std::abs(double(found[i]) * double(r[i]));
    }
    CHECK(std::abs(forward - backward) <= tolerance * double(n) * terms);
}

} // namespace

TEST_CASE_TEMPLATE("distributed forest: a rank begins at the nearest start of a path", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using offsets = std::vector<std::int64_t>;
    auto const exec = Fixture::exec();
    auto const nearest = [&](offsets const& begins, std::vector<std::vector<int>> const& starts) {
        std::vector<std::vector<distributed::path_starts>> known;
        auto const targets = exec.copy(begins);
        for (auto const& of_rank : starts) {
            auto const list = exec.copy(of_rank);
            buffer<distributed::path_starts> found(exec, targets.size());
            for_each(exec, found.size(),
                     distributed::find_path_starts{list.data(), list.size(), targets.data(), found.data()});
            known.push_back(to_vector(exec, found));
        }
        return distributed::nearest_path_starts(begins, known);
    };
    for (auto const& starts : {std::vector<std::vector<int>>{{0, 7, 12, 30}, {}, {}}, {{0}, {7, 12}, {30}}}) {
        CHECK(nearest({0, 10, 20, 40}, starts) == offsets{0, 12, 12, 40});
        CHECK(nearest({0, 9, 22, 40}, starts) == offsets{0, 7, 30, 40});
        CHECK(nearest({0, 7, 30, 36}, starts) == offsets{0, 7, 30, 36});
    }
    CHECK(nearest({0, 3, 8, 9}, {{0}, {}, {}}) == offsets{0, 0, 9, 9});              // one path
    CHECK(nearest({0, 0, 5, 5, 10}, {{}, {0}, {}, {5}}) == offsets{0, 0, 5, 5, 10}); // empty ranks
    CHECK(nearest({0, 0, 0}, {{}, {}}) == offsets{0, 0, 0});                         // no rows
    CHECK(distributed::max_block_rows({0, 3, 3, 10}) == 7);
}

TEST_CASE_TEMPLATE("distributed forest: the preconditioner is that of one rank", Fixture, COPPICE_TEST_EXECUTORS) {
    for (named_matrix const& m : forest_matrices())
        for (int const ranks : {2, 3, 4, 7}) {
            if (sanitized && ranks % 3 != 1) continue;
            CAPTURE(m.name);
            CAPTURE(ranks);
            check_same<Fixture>(m.a, equal_rows(m.a.rows, ranks), {}, m.divided, 1e-10, m.name == "singular paths");
        }
}

TEST_CASE_TEMPLATE("distributed forest: ranks of any size", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = grid(20, 31, 0.05, 1, 0.05);
    int const n = a.rows;
    for (rank_rows const& begins : {rank_rows{0, 0, n / 3, n / 3, n, n}, rank_rows{0, 1, 2, n}, rank_rows{0, n, n}})
        for (auto const& m : {a, grid(20, 31, 0.05, 1, 0.05, 0.3)}) check_same<Fixture>(m, begins, {}, false, 1e-12);
    auto const path = shuffled_paths(2000, 2000, 2.5, 0);
    check_same<Fixture>(path, {0, 0, 700, 700, 1400, 2000}, {}, true, 1e-12);
    for (int const size : {0, 1, 2, 5}) // more ranks than rows
        check_same<Fixture>(grid(size, 1, 1, 0, 0.5), equal_rows(size, 7), {}, size > 1, 1e-12);
}

TEST_CASE_TEMPLATE("distributed forest: options and single precision", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = grid(40, 40, 0.05, 1, 0.05);
    std::vector<forest_options> choices{{.factor = {.rounds = 2, .ties = tie_rule::near}},
                                        {.factor = {.rounds = 7, .charge_below = 2, .seed = 5}},
                                        {.tridiagonal = {.pivot = pivoting::scaled_partial}}};
    if (std::is_same_v<decltype(Fixture::exec()), host_executor>)
        choices.push_back({.tridiagonal = {.pivot = pivoting::none}});
    auto const paths = shuffled_paths(2000, 1000, 2.5, 0.01);
    for (auto const& options : choices) {
        check_same<Fixture>(a, equal_rows(a.rows, 3), options, false, 1e-11);
        check_same<Fixture>(paths, equal_rows(paths.rows, 3), options, true, 1e-11);
    }
    check_same<Fixture>(grid<float>(40, 40, 0.05, 1, 0.5), equal_rows(1600, 3), {}, false, 1e-5);
}

TEST_CASE_TEMPLATE("distributed forest: a nearly singular matrix is regularised unless the forest has all entries",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    int const n = 1500;
    for (bool const has_others : {false, true}) {
        auto a = shuffled_paths(n, n, 0, has_others ? 1e-3 : 0);
        for (int i = 0; i < n; ++i) { // the row sums along the path are 2e-15
            double sum = 2e-15;
            int diagonal = 0;
            for (int k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k) {
                double const value = a.values[std::size_t(k)];
                if (a.indices[std::size_t(k)] == i)
                    diagonal = k;
                else if (std::abs(value) > 0.1)
                    sum -= value;
            }
            a.values[std::size_t(diagonal)] = sum;
        }
        auto const whole = Fixture::exec();
        auto const matrix = a.on(whole);
        auto const of_one = forest_preconditioner<exec_type, double>(whole, matrix.view()).findings();
        with_rows<Fixture>(a, equal_rows(n, 3), [&](auto const& exec, rank_communicator const& comm, auto const& rows) {
            auto const of_rank = distributed::distributed_forest<exec_type, double>(exec, comm, rows).findings();
            for (std::size_t k = 0; k < of_one.size(); ++k) {
                if (of_one[k].key != "mended_rows") continue;
                CHECK((of_one[k].value > 0) == has_others);
                CHECK(of_rank[k].value == of_one[k].value);
            }
        });
    }
}

TEST_CASE_TEMPLATE("distributed forest: CG and BiCGStab take the iterations of one rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const solve = [](plain_csr<double> const& a, int ranks, std::string const& method, bool of_blocks) {
        std::vector<krylov_result> results(static_cast<std::size_t>(ranks));
        with_rows<Fixture>(a, equal_rows(a.rows, ranks), [&](auto const& exec, auto const& comm, auto const& rows) {
            auto const m = of_blocks ? make_preconditioner(exec, "forest", rows.own_block().view())
                                     : make_distributed_preconditioner(exec, comm, "forest", rows);
            auto const first = a.rows * std::int64_t(comm.rank()) / ranks;
            auto const numbers = random_rhs(std::size_t(a.rows));
            auto const b = exec.copy(
                std::vector<double>(numbers.begin() + first, numbers.begin() + first + std::int64_t(rows.size())));
            auto x = exec.copy(std::vector<double>(std::size_t(rows.size()), 0.0));
            results[std::size_t(comm.rank())] =
                solve_distributed(exec, comm, method, rows, m, b.view(), x.view(), {.tolerance = 1e-8});
        });
        for (auto const& r : results) {
            CHECK(r.converged);
            CHECK(r.residual_history == results[0].residual_history);
        }
        return results[0].iterations;
    };
    int const nx = sanitized ? 24 : 80;
    auto const symmetric = grid(nx, nx, 0.01, 1, 1e-4), unsymmetric = grid(nx, nx, 0.01, 1, 1e-3, 0.2);
    auto const one_path = shuffled_paths(nx * nx, nx * nx, 2.5, 0.2); // divided between ranks
    for (auto const* a : {&symmetric, &unsymmetric, &one_path}) {
        std::string const method = a == &unsymmetric ? "bicgstab" : "cg";
        auto const one = solve(*a, 1, method, false);
        for (int const ranks : {2, 3, 4, 7}) {
            if (sanitized && ranks != 3) continue;
            CAPTURE(a == &one_path);
            CAPTURE(method);
            CAPTURE(ranks);
            auto const several = solve(*a, ranks, method, false);
            CHECK(std::abs(several - one) <= 1);
            CHECK(several < solve(*a, ranks, method, true));
        }
    }
}

TEST_CASE_TEMPLATE("distributed forest: a refresh has the bits of a new set-up with the same forest", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    for (named_matrix const& named : forest_matrices())
        for (int const ranks : {1, 3, 4}) {
            if (sanitized && ranks != 3) continue;
            CAPTURE(named.name);
            CAPTURE(ranks);
            auto other = named.a; // twice the weights: the same forest
            for (std::size_t i = 0; i < std::size_t(other.rows); ++i)
                for (int k = other.offsets[i]; k < other.offsets[i + 1]; ++k)
                    other.values[std::size_t(k)] *= other.indices[std::size_t(k)] == int(i) ? 2.5 : -2;
            auto const begins = equal_rows(other.rows, ranks);
            auto const numbers = random_rhs(std::size_t(other.rows));
            with_rows<Fixture>(named.a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
                auto const p = std::size_t(comm.rank());
                auto const r =
                    exec.copy(std::vector<double>(numbers.begin() + begins[p], numbers.begin() + begins[p + 1]));
                auto const applied = [&](auto const& m) {
                    buffer<double> z(exec, rows.size());
                    m.apply(exec, r.view(), z.view());
                    auto both = to_vector(exec, z);
                    m.apply_transpose(exec, r.view(), z.view());
                    for (double const value : to_vector(exec, z)) both.push_back(value);
                    return both;
                };
                auto refreshed = make_distributed_preconditioner(exec, comm, "forest", rows);
                auto const before = applied(refreshed);
                auto const given = exec.copy(values_of_rank(named.a, begins, p));
                auto const changed = exec.copy(values_of_rank(other, begins, p));
                rows.set_values(exec, changed.view());
                refresh_distributed_preconditioner(exec, refreshed, rows);
                auto const anew = make_distributed_preconditioner(exec, comm, "forest", rows);
                CHECK(applied(refreshed) == applied(anew));
                CHECK(refreshed.report().number("mended_rows") == anew.report().number("mended_rows"));
                rows.set_values(exec, given.view());
                refresh_distributed_preconditioner(exec, refreshed, rows);
                CHECK(applied(refreshed) == before);
            });
        }
}

TEST_CASE_TEMPLATE("distributed forest: all ranks refuse a refresh that one rank refuses", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const a = grid(12, 12, 0.05, 1, 0.05);
    auto changed = a;
    changed.indices[std::size_t(a.offsets[140])] -= 1; // a coupling with the first rank
    rank_rows const begins{0, 135, 140, 144};
    with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
        auto m = make_distributed_preconditioner(exec, comm, "forest", rows);
        auto const p = std::size_t(comm.rank());
        auto const r = exec.copy(std::vector<double>(std::size_t(rows.size()), 1.0));
        auto const applied = [&] {
            buffer<double> z(exec, rows.size());
            m.apply(exec, r.view(), z.view());
            return to_vector(exec, z);
        };
        auto const before = applied();
        auto const begin = a.offsets[std::size_t(begins[p])], end = a.offsets[std::size_t(begins[p + 1])];
        std::vector<int> offsets(a.offsets.begin() + begins[p], a.offsets.begin() + begins[p + 1] + 1);
        for (int& offset : offsets) offset -= begin;
        std::vector<double> const values(a.values.begin() + begin, a.values.begin() + end);
        using matrix = std::decay_t<decltype(rows)>;
        matrix const other(exec, comm, offsets, {changed.indices.begin() + begin, changed.indices.begin() + end},
                           values);
        CHECK_THROWS_WITH_AS(refresh_distributed_preconditioner(exec, m, other),
                             doctest::Contains("rank 2: the matrix to refresh from has another pattern"),
                             refused_refresh);
        for (int const k : {0, 1}) { // in the column of another rank, and in the own block
            auto bad = values;
            if (p == 2) bad[std::size_t(k)] = std::numeric_limits<double>::quiet_NaN();
            matrix const nan(exec, comm, offsets, {a.indices.begin() + begin, a.indices.begin() + end}, bad);
            CHECK_THROWS_WITH_AS(refresh_distributed_preconditioner(exec, m, nan),
                                 doctest::Contains("rank 2: row 140, column"), refused_refresh);
        }
        CHECK(applied() == before);
    });
}

TEST_CASE_TEMPLATE("distributed forest: report and errors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto a = grid(12, 12, 0.05, 1, 0.05);
    rank_rows const begins{0, 50, 144};
    auto const make = [&](std::string const& choice) {
        with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto const& rows) {
            auto m = make_distributed_preconditioner(exec, comm, choice, rows);
            auto const report = m.report();
            CHECK(report.name == "forest");
            CHECK(report.number("paths") == 12);
            CHECK(report.number("longest_path") == 12);
            CHECK_THROWS_WITH_AS(m.refresh(exec, rows.own_block().view()),
                                 doctest::Contains("needs the rows of all ranks"), argument_error);
        });
    };
    make("forest,rounds=9,ties=hash");
    CHECK_THROWS_WITH_AS(make("forest,threshold=0.5"), doctest::Contains("threshold must be 0"), argument_error);
    CHECK_THROWS_WITH_AS(make("forest,factors=2"), doctest::Contains("has no option \"factors\""), argument_error);
    if (std::is_same_v<decltype(Fixture::exec()), cuda_executor>)
        CHECK_THROWS_WITH_AS(make("forest,pivoting=none"), doctest::Contains("pivoting must be"), argument_error);
    auto const entry = [&](int row, int column) {
        auto const begin = a.indices.begin() + a.offsets[std::size_t(row)],
                   end = a.indices.begin() + a.offsets[std::size_t(row) + 1];
        return std::size_t(std::find(begin, end, column) - a.indices.begin());
    };
    for (int const column : {48, 61}) { // of the same rank, and of the other one
        a.values[entry(49, column)] = std::numeric_limits<double>::infinity();
        CHECK_THROWS_WITH_AS(make("forest"), doctest::Contains("expected a finite value"), matrix_error);
        a.values[entry(49, column)] = -1;
        a.indices[entry(49, 37)] = column; // twice
        CHECK_THROWS_WITH_AS(make("forest"), doctest::Contains("holds a column twice"), matrix_error);
        a = grid(12, 12, 0.05, 1, 0.05);
    }
}

TEST_CASE_TEMPLATE("distributed decomposition: the forests are those of one rank", Fixture, COPPICE_TEST_EXECUTORS) {
    auto a = random_directions(600, 0); // symmetric
    auto const whole = Fixture::exec();
    auto const matrix = a.on(whole);
    decomposition_options const options{.factors = 5, .omega = 0.01, .factor = {.ties = tie_rule::near}};
    auto const one = decompose_into_forests(whole, matrix.view(), options);
    std::vector<std::vector<int>> expected; // copied here: a rank has another current device
    for (auto const& forest : one.forests) expected.push_back(to_vector(whole, forest.links));
    for (int const ranks : {1, 3, 4}) {
        auto const begins = equal_rows(a.rows, ranks);
        with_rows<Fixture>(a, begins, [&](auto const& exec, rank_communicator const& comm, auto& rows) {
            auto const first = begins[std::size_t(comm.rank())], end = begins[std::size_t(comm.rank()) + 1];
            distributed_graph<std::decay_t<decltype(exec)>, double> const graph(exec, comm, rows);
            auto const found = decompose_into_forests(exec, graph, options);
            REQUIRE(found.forests.size() == one.forests.size());
            CHECK(found.exhausted == one.exhausted);
            for (std::size_t l = 0; l < one.forests.size(); ++l) {
                auto const& links = expected[l];
                CHECK(to_vector(exec, found.forests[l].links) ==
                      std::vector<int>(links.begin() + 2 * first, links.begin() + 2 * end));
                CHECK(found.covered[l] == doctest::Approx(one.covered[l]).epsilon(1e-12));
                CHECK(found.forests[l].weight_coverage ==
                      doctest::Approx(one.forests[l].weight_coverage).epsilon(1e-12));
            }
        });
    }
}
