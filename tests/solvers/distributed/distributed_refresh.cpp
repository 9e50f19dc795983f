// SPDX-License-Identifier: BSD-3-Clause
// New values of a distributed matrix, and of the multilevel method made of it.
#include <coppice/solvers/distributed/distributed_solve.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>

#include "solvers/distributed/ranks_of_matrix.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// `a` with each entry outside of the diagonal multiplied by weight(i, j), and the same row sums.
csr<double> weighted(csr<double> const& a, std::function<double(std::int64_t, std::int64_t)> const& weight) {
    csr<double> b = host_executor{1}.copy(a);
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        double more = 0;
        std::int64_t diagonal = -1;
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            std::int64_t const j = a.column_indices()[k];
            if (j == i) diagonal = k;
            if (j != i) more += a.values()[k] - (b.values()[k] = a.values()[k] * weight(i, j));
        }
        b.values()[diagonal] += more;
    }
    return b;
}
/// A number in [0, 1) for each pair {i, j}.
double hash_of_pair(std::int64_t i, std::int64_t j) {
    return std::fmod(
        std::abs(std::sin(double(std::min(i, j)) * 12.9898 + double(std::max(i, j)) * 78.233)) * 43758.5453, 1.0);
}
csr<double> scaled(csr<double> const& a, int power) {
    csr<double> b = host_executor{1}.copy(a);
    for (double& value : b.values()) value = std::ldexp(value, power);
    return b;
}
/// Values of the rows [first, end).
std::vector<double> values_of(csr<double> const& a, std::int64_t first, std::int64_t end) {
    return slice_rows(a, first, end).values;
}

} // namespace

TEST_CASE_TEMPLATE("distributed: the product with new values is that of a new matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 12});
    auto const b = weighted(a, [](std::int64_t i, std::int64_t j) { return 1 + 0.1 * double((3 * i + j) % 7); });
    std::int64_t const n = a.rows();
    for (row_ranges const& begin :
         {row_ranges{0, n}, {0, n / 2, n}, {0, 1, 1, n}, {0, 0, 0, 60, n}, {0, 9, 20, 33, 41, 52, 60, 77, n}}) {
        CAPTURE(begin.size());
        auto const product = [&](bool is_new) {
            return on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
                auto of_rank = matrix_of_rank(exec, comm, is_new ? b : a, first, end);
                if (!is_new) {
                    auto const values = exec.copy(values_of(b, first, end));
                    of_rank.set_values(exec, values.view());
                    auto const expected = matrix_of_rank(exec, comm, b, first, end);
                    CHECK(of_rank.couplings().values == expected.couplings().values);
                    CHECK(to_vector(exec, of_rank.own_block().values()) ==
                          to_vector(exec, expected.own_block().values()));
                    auto const few = exec.copy(std::vector<double>(std::size_t(values.size()) + 1, 1.0));
                    CHECK_THROWS_AS(of_rank.set_values(exec, few.view()), dimension_error);
                }
                auto const x = exec.copy(numbers(first, end, 1));
                buffer<double> y(exec, x.size());
                of_rank.apply(exec, array_view<double const>(x.view()), y.view());
                return to_vector(exec, y);
            });
        };
        CHECK(product(false) == product(true));
    }
}

TEST_CASE_TEMPLATE("distributed: a refreshed multilevel method has the bits of a set-up with the same aggregates",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    // Large enough for two distributed levels above those of one rank; the last size has none of the latter.
    struct of_test {
        std::string kind, choice;
        std::int64_t nx;
    };
    for (of_test const& of : {of_test{"laplace2d", "multilevel", 200},
                              {"convection", "multilevel", 200},
                              {"laplace2d", "multilevel,smoother=gauss-seidel,cycle=w", 90},
                              {"laplace2d", "multilevel,smoother=chebyshev,levels=2", 150}}) {
        if (sanitized && of.nx > 150) continue;
        CAPTURE(of.kind);
        CAPTURE(of.choice);
        auto const a = generate<double>(host_executor{2}, of.kind, {.nx = of.nx});
        auto const other = weighted(a, [&](std::int64_t i, std::int64_t j) {
            return 2 + std::sin(0.01 * double(i)) + std::sin(0.01 * double(j));
        });
        std::int64_t const n = a.rows();
        for (row_ranges const& begin : ends_for_races<row_ranges>(
                 {{0, n}, {0, n / 2, n}, {0, n / 4, n / 2, 3 * n / 4, n}, {0, n / 3, n / 3 + 500, n}})) {
            CAPTURE(begin.size());
            on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
                auto of_rank = matrix_of_rank(exec, comm, a, first, end);
                auto m = make_distributed_preconditioner(exec, comm, of.choice, of_rank);
                auto const r = exec.copy(numbers(first, end, 2));
                auto const refreshed = [&](csr<double> const& to) {
                    auto const values = exec.copy(values_of(to, first, end));
                    of_rank.set_values(exec, values.view());
                    refresh_distributed_preconditioner(exec, m, of_rank);
                    return applied(exec, m, r);
                };
                auto const before = applied(exec, m, r);
                CHECK(refreshed(a) == before);
                auto const with_other = refreshed(other);
                CHECK(with_other != before);
                CHECK(refreshed(other) == with_other);
                auto const up = scaled(a, 5); // the same aggregates, and no other bit
                auto const of_up = matrix_of_rank(exec, comm, up, first, end);
                auto const made = make_distributed_preconditioner(exec, comm, of.choice, of_up);
                CHECK(refreshed(up) == applied(exec, made, r));
                CHECK(refreshed(a) == before);
                return before;
            });
        }
    }
}

TEST_CASE_TEMPLATE("distributed: for values that change little, a refresh has the bits of a new set-up", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // No couplings are equal, so that all levels find the same aggregates for both matrices.
    std::int64_t const nx = sanitized ? 90 : 200;
    auto const grid = generate<double>(host_executor{2}, "laplace2d", {.nx = nx});
    auto const a = weighted(grid, [](std::int64_t i, std::int64_t j) { return 1 + hash_of_pair(i, j); });
    auto const other =
        weighted(a, [](std::int64_t i, std::int64_t j) { return 1 + 1e-8 * hash_of_pair(i + 1, j + 1); });
    for (int const ranks : ends_for_races({1, 2, 4})) {
        CAPTURE(ranks);
        on_ranks<Fixture>(equal_ranges(a.rows(), ranks),
                          [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
                              auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
                              auto const of_other = matrix_of_rank(exec, comm, other, first, end);
                              auto m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
                              auto const made = make_distributed_preconditioner(exec, comm, "multilevel", of_other);
                              auto const r = exec.copy(numbers(first, end, 5));
                              auto const before = applied(exec, m, r), expected = applied(exec, made, r);
                              CHECK(before != expected);
                              refresh_distributed_preconditioner(exec, m, of_other);
                              CHECK(applied(exec, m, r) == expected);
                              return expected;
                          });
    }
}

TEST_CASE_TEMPLATE("distributed: a refreshed multilevel method converges as a new one", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = sanitized ? 90 : 200, n = nx * nx;
    auto const a = generate<double>(host_executor{2}, "laplace2d", {.nx = nx});
    // The couplings across the middle, between two ranks, grow fifty times.
    auto const other = weighted(a, [&](std::int64_t i, std::int64_t j) {
        return (1.2 + std::sin(0.0003 * double(i + j))) * ((i < n / 2) == (j < n / 2) ? 1 : 50);
    });
    for (int const ranks : {2, 4}) {
        CAPTURE(ranks);
        enum { made_anew, refreshed, unchanged };
        auto const iterations = [&](int how) {
            std::int64_t count = 0;
            on_ranks<Fixture>(
                equal_ranges(n, ranks), [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
                    auto of_rank = matrix_of_rank(exec, comm, how == made_anew ? other : a, first, end);
                    auto m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
                    if (how != made_anew) {
                        auto const values = exec.copy(values_of(other, first, end));
                        of_rank.set_values(exec, values.view());
                        if (how == refreshed) refresh_distributed_preconditioner(exec, m, of_rank);
                    }
                    auto const b = exec.copy(numbers(first, end, 3));
                    auto x = exec.copy(std::vector<double>(std::size_t(end - first), 0.0));
                    auto const result =
                        solve_distributed(exec, comm, "cg", of_rank, m, b.view(), x.view(), {.tolerance = 1e-8});
                    CHECK(result.converged);
                    if (comm.rank() == 0) count = result.iterations;
                    return to_vector(exec, x);
                });
            return count;
        };
        auto const fresh = iterations(made_anew);
        CHECK(iterations(refreshed) <= fresh + 2);
        CHECK(iterations(unchanged) > fresh + 6);
    }
}

TEST_CASE_TEMPLATE("distributed: a refresh refuses other patterns and values that are not finite", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 40});
    std::int64_t const n = a.rows();
    // The entry of the last row of rank 0 in the first column of rank 1 moves to the second.
    auto shifted = host_executor{1}.copy(a);
    std::vector<std::int32_t> columns(a.column_indices().begin(), a.column_indices().end());
    for (auto k = a.row_offsets()[n / 2 - 1]; k < a.row_offsets()[n / 2]; ++k)
        if (columns[std::size_t(k)] >= n / 2) ++columns[std::size_t(k)];
    csr<double> const other(a.rows(), a.columns(), host_executor{1}.copy(a.row_offsets()),
                            host_executor{1}.copy(columns), host_executor{1}.copy(a.values()));
    auto infinite = host_executor{1}.copy(a);
    for (auto k = a.row_offsets()[n / 2 - 1]; k < a.row_offsets()[n / 2]; ++k)
        if (a.column_indices()[k] >= n / 2) infinite.values()[k] = std::numeric_limits<double>::infinity();
    multi_executor<exec_type> const ranks(executors_of<Fixture>(2));
    auto const refresh_from = [&](csr<double> const& to, std::int64_t middle) {
        ranks.run([&](exec_type const& exec, rank_communicator const& comm) {
            bool const second = comm.rank() == 1;
            auto const of_rank = matrix_of_rank(exec, comm, a, second ? n / 2 : 0, second ? n : n / 2);
            auto m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
            CHECK_THROWS_WITH_AS(m.refresh(exec, of_rank.own_block().view()),
                                 doctest::Contains("refresh_distributed_preconditioner"), argument_error);
            auto const changed = matrix_of_rank(exec, comm, to, second ? middle : 0, second ? n : middle);
            refresh_distributed_preconditioner(exec, m, changed);
        });
    };
    refresh_from(a, n / 2);
    CHECK_THROWS_AS(refresh_from(other, n / 2), refused_refresh);
    CHECK_THROWS_AS(refresh_from(infinite, n / 2), refused_refresh);
    CHECK_THROWS_AS(refresh_from(a, n / 2 + 1), error);
}

TEST_CASE_TEMPLATE("distributed: a refused refresh changes no rank", Fixture, COPPICE_TEST_EXECUTORS) {
    std::int64_t const nx = 90;
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = nx});
    std::int64_t const n = a.rows(), middle = n / 2;
    auto const up = scaled(a, 4);
    auto infinite = scaled(a, 1), only_own = scaled(a, 1);
    for (auto k = a.row_offsets()[middle - 1]; k < a.row_offsets()[middle]; ++k) {
        double& value = (a.column_indices()[k] >= middle ? infinite : only_own).values()[k];
        value = std::numeric_limits<double>::infinity();
    }
    // The flow goes through every rank: all own blocks are unsymmetric, or that of the first rank only.
    auto const flow = weighted(a, [](std::int64_t i, std::int64_t j) { return j < i ? 1.5 : 1.0; });
    auto const at_first = weighted(a, [](std::int64_t i, std::int64_t j) { return j < i && i < 100 ? 1.5 : 1.0; });
    for (row_ranges const& begin : {row_ranges{0, middle, n}, {0, 0, middle, n}}) {
        CAPTURE(begin.size());
        on_ranks<Fixture>(begin, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
            auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
            auto m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
            auto const r = exec.copy(numbers(first, end, 6));
            auto const before = applied(exec, m, r);
            for (auto const* const refused : std::vector<csr<double> const*>{&infinite, &only_own, &flow, &at_first}) {
                auto const to = matrix_of_rank(exec, comm, *refused, first, end);
                CHECK_THROWS_AS(refresh_distributed_preconditioner(exec, m, to), refused_refresh);
                CHECK(applied(exec, m, r) == before);
            }
            auto const of_up = matrix_of_rank(exec, comm, up, first, end);
            auto const made = make_distributed_preconditioner(exec, comm, "multilevel", of_up);
            refresh_distributed_preconditioner(exec, m, of_up);
            CHECK(applied(exec, m, r) == applied(exec, made, r));
            return before;
        });
    }
}

TEST_CASE_TEMPLATE("distributed: a multilevel method without rows", Fixture, COPPICE_TEST_EXECUTORS) {
    host_executor const host{1};
    csr<double> const nothing(0, 0, host.copy(std::vector<std::int32_t>{0}), buffer<std::int32_t>(host, 0),
                              buffer<double>(host, 0));
    on_ranks<Fixture>(row_ranges{0, 0, 0}, [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
        auto const of_rank = matrix_of_rank(exec, comm, nothing, first, end);
        auto m = make_distributed_preconditioner(exec, comm, "multilevel", of_rank);
        refresh_distributed_preconditioner(exec, m, of_rank);
        buffer<double> const r(exec, 0);
        CHECK(applied(exec, m, r).empty());
        return std::vector<double>();
    });
}

TEST_CASE_TEMPLATE("distributed: block preconditioners are refreshed with the own block", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 20});
    auto const up = scaled(a, 3);
    on_ranks<Fixture>(equal_ranges(a.rows(), 2), [&](auto const& exec, auto const& comm, std::int64_t first, auto end) {
        auto const of_rank = matrix_of_rank(exec, comm, a, first, end);
        auto const of_up = matrix_of_rank(exec, comm, up, first, end);
        auto const r = exec.copy(numbers(first, end, 4));
        for (std::string const name : {"block-forest", "jacobi"}) {
            CAPTURE(name);
            auto m = make_distributed_preconditioner(exec, comm, name, of_rank);
            auto const expected = make_distributed_preconditioner(exec, comm, name, of_up);
            refresh_distributed_preconditioner(exec, m, of_up);
            CHECK(applied(exec, m, r) == applied(exec, expected, r));
        }
        return to_vector(exec, r);
    });
}
