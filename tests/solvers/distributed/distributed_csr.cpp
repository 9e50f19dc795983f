// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <coppice/algebra/validate.hpp>
#include <coppice/solvers/distributed/distributed_solve.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/iterative/krylov/cg.hpp>

#include "support/executors.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

struct identity {
    template <class Executor>
    void apply(Executor const& exec, array_view<double const> r, array_view<double> z) const {
        exec.copy_elements(r.data(), z.data(), r.size());
    }
};

/// Symmetric, diagonally dominant, with couplings between distant rows.
std::vector<std::vector<double>> dense_matrix(int n) {
    std::vector<std::vector<double>> a(static_cast<std::size_t>(n));
    for (auto& row : a) row.resize(a.size());
    std::mt19937 random(7);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i][i] = 9 + double(i % 3);
        for (std::size_t const j : {i + 1, i + 17})
            if (j < a.size()) a[i][j] = a[j][i] = -double(random() % 100) / 50;
    }
    return a;
}

struct block {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<double> values{};
};
block rows_of(std::vector<std::vector<double>> const& a, int first, int end) {
    block b;
    for (int i = first; i < end; ++i) {
        for (std::size_t j = 0; j < a.size(); ++j)
            if (a[std::size_t(i)][j] != 0) b.columns.push_back(int(j)), b.values.push_back(a[std::size_t(i)][j]);
        b.offsets.push_back(int(b.columns.size()));
    }
    return b;
}
std::vector<std::vector<int>> const divisions{
    {0, 90}, {0, 45, 90}, {0, 1, 1, 90}, {0, 0, 0, 60, 90}, {0, 9, 20, 33, 41, 52, 60, 77, 90}};

} // namespace

TEST_CASE_TEMPLATE("distributed: ranks of very different size need equally many iterations", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    // On CUDA several iterations are queued together, fewer for larger vectors.
    using exec_type = decltype(Fixture::exec());
    std::vector<int> const begin{0, sanitized ? 60'000 : 1'200'000, sanitized ? 61'000 : 1'210'000};
    for (double const tolerance : {1e-2, 1e-5, 1e-9}) {
        std::vector<std::int64_t> iterations(2);
        multi_executor<exec_type> const all(executors_of<Fixture>(2));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            auto const p = std::size_t(comm.rank());
            block b;
            for (int i = begin[p]; i < begin[p + 1]; ++i) {
                for (int const j : {i - 1, i, i + 1})
                    if (j >= 0 && j < begin[2]) {
                        b.columns.push_back(j);
                        b.values.push_back(j == i ? 3 + i % 5 : -1);
                    }
                b.offsets.push_back(int(b.columns.size()));
            }
            distributed_csr<exec_type, double> const m(exec, comm, b.offsets, b.columns, b.values);
            auto const right = exec.copy(std::vector<double>(std::size_t(m.size()), 1.0));
            auto x = exec.copy(std::vector<double>(std::size_t(m.size()), 0.0));
            auto const none = make_distributed_preconditioner(exec, comm, "none", m);
            auto const r =
                solve_distributed(exec, comm, "cg", m, none, right.view(), x.view(), {.tolerance = tolerance});
            CHECK(r.converged);
            iterations[p] = r.iterations;
        });
        CHECK(iterations[0] == iterations[1]);
    }
}

TEST_CASE_TEMPLATE("distributed: the product with halos is that of the dense matrix", Fixture, COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    auto const a = dense_matrix(90);
    for (auto const& first_rows : divisions) {
        std::vector<double> x(90), y(90);
        for (std::size_t i = 0; i < 90; ++i) x[i] = std::sin(double(i));
        multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            auto const p = std::size_t(comm.rank());
            auto const b = rows_of(a, first_rows[p], first_rows[p + 1]);
            distributed_csr<exec_type, double> const m(exec, comm, b.offsets, b.columns, b.values);
            auto const from = exec.copy(std::vector<double>(x.begin() + first_rows[p], x.begin() + first_rows[p + 1]));
            buffer<double> to(exec, m.size());
            for (int again = 0; again < 3; ++again) m.apply(exec, array_view<double const>(from.view()), to.view());
            auto const values = to_vector(exec, to);
            std::copy(values.begin(), values.end(), y.begin() + first_rows[p]);
        });
        for (std::size_t i = 0; i < 90; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < 90; ++j) sum += a[i][j] * x[j];
            CHECK(y[i] == doctest::Approx(sum).epsilon(1e-13));
        }
    }
}

TEST_CASE_TEMPLATE("distributed: the transposed product is that of the dense matrix, also of a copy with new values",
                   Fixture, COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    auto a = dense_matrix(90);
    std::mt19937 random(3);
    for (std::size_t i = 0; i < 90; ++i) // a row and a column without entries in others
        for (std::size_t j = 0; j < 90; ++j)
            if (a[i][j] != 0) a[i][j] = i != j && (i == 20 || j == 70) ? 0 : double(random() % 100) / 50 - 1.01;
    for (auto const& first_rows : divisions) {
        std::vector<double> x(90), y(90), of_copy(90);
        for (std::size_t i = 0; i < 90; ++i) x[i] = std::sin(double(i));
        multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            auto const p = std::size_t(comm.rank());
            auto const b = rows_of(a, first_rows[p], first_rows[p + 1]);
            distributed_csr<exec_type, double> m(exec, comm, b.offsets, b.columns, b.values);
            auto const from = exec.copy(std::vector<double>(x.begin() + first_rows[p], x.begin() + first_rows[p + 1]));
            auto const store_product = [&](auto const& matrix, std::vector<double>& result) {
                buffer<double> to(exec, m.size());
                for (int again = 0; again < 2; ++again) matrix.apply_transpose(exec, from.view(), to.view());
                auto const values = to_vector(exec, to);
                std::copy(values.begin(), values.end(), result.begin() + first_rows[p]);
            };
            store_product(m, y);
            auto const other = m.copy(exec);
            auto twice = b.values;
            for (double& value : twice) value *= 2;
            auto const changed = exec.copy(twice);
            m.set_values(exec, changed.view());
            store_product(other, of_copy); // has the old values
            for (int i = first_rows[p]; i < first_rows[p + 1]; ++i) CHECK(of_copy[std::size_t(i)] == y[std::size_t(i)]);
            distributed_csr<exec_type, double> third = other.copy(exec);
            third.copy_values(exec, m);
            CHECK(third.couplings().values == m.couplings().values);
            store_product(third, of_copy);
            for (int i = first_rows[p]; i < first_rows[p + 1]; ++i)
                CHECK(of_copy[std::size_t(i)] == 2 * y[std::size_t(i)]);
        });
        for (std::size_t i = 0; i < 90; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < 90; ++j) sum += a[j][i] * x[j];
            CHECK(y[i] == doctest::Approx(sum).epsilon(1e-12));
        }
    }
}

TEST_CASE_TEMPLATE("distributed: the own block has the entries between rows of the rank", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    auto const a = dense_matrix(90);
    for (auto const& first_rows : divisions) {
        multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
        std::vector<std::vector<double>> found(90, std::vector<double>(90));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            int const first = first_rows[std::size_t(comm.rank())], end = first_rows[std::size_t(comm.rank()) + 1];
            auto const b = rows_of(a, first, end);
            distributed_csr<exec_type, double> const m(exec, comm, b.offsets, b.columns, b.values);
            auto const& own = m.own_block();
            CHECK(own.rows() == end - first);
            CHECK(own.columns() == end - first);
            auto const offsets = to_vector(exec, own.row_offsets()), columns = to_vector(exec, own.column_indices());
            auto const values = to_vector(exec, own.values());
            for (int i = 0; i < own.rows(); ++i)
                for (auto k = std::size_t(offsets[std::size_t(i)]); k < std::size_t(offsets[std::size_t(i) + 1]); ++k)
                    found[std::size_t(first + i)][std::size_t(first + columns[k])] = values[k];
        });
        for (std::size_t p = 0; p + 1 < first_rows.size(); ++p)
            for (int i = first_rows[p]; i < first_rows[p + 1]; ++i)
                for (int j = 0; j < 90; ++j)
                    CHECK(found[std::size_t(i)][std::size_t(j)] ==
                          (j >= first_rows[p] && j < first_rows[p + 1] ? a[std::size_t(i)][std::size_t(j)] : 0));
    }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("distributed: the formulas of CG for any number of ranks") {
    auto const a = dense_matrix(90);
    std::vector<double> rhs(90, 1);
    std::int64_t of_one_rank = 0;
    for (auto const& first_rows : divisions) {
        std::vector<double> x(90), first;
        for (int again = 0; again < 2; ++again) {
            std::vector<krylov_result> results(first_rows.size() - 1);
            multi_executor<host_executor> const all(
                std::vector<host_executor>(first_rows.size() - 1, host_executor{1}));
            all.run([&](host_executor const& host, rank_communicator const& comm) {
                auto const p = std::size_t(comm.rank());
                auto const b = rows_of(a, first_rows[p], first_rows[p + 1]);
                std::int64_t const n = first_rows[p + 1] - first_rows[p];
                distributed_csr<host_executor, double> const m(host, comm, b.offsets, b.columns, b.values);
                host_rank const exec(host, comm);
                cg<host_rank, double> solver(exec, n, {.tolerance = 1e-12});
                auto const d = exec.copy(std::vector<double>(std::size_t(n), 1));
                buffer<double> to(exec, n);
                fill(host, to.view(), 0.0);
                results[p] = solver.solve(m, identity{}, array_view<double const>(d.view()), to.view());
                std::copy_n(to.data(), n, x.begin() + first_rows[p]);
            });
            if (of_one_rank == 0) of_one_rank = results[0].iterations;
            for (auto const& r : results) {
                CHECK(r.converged);
                CHECK(r.residual_history == results[0].residual_history);
                CHECK(std::abs(r.iterations - of_one_rank) <= 1);
            }
            if (again == 0) first = x;
        }
        CHECK(x == first);
        for (std::size_t i = 0; i < 90; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < 90; ++j) sum += a[i][j] * x[j];
            CHECK(sum == doctest::Approx(1).epsilon(1e-10));
        }
    }
}
#endif

/// Solves A x = (1, 1, ...) over ranks with the rows [first_rows[p], first_rows[p + 1]); the result of each rank.
template <class Fixture>
std::vector<krylov_result> solve_over_ranks(std::vector<std::vector<double>> const& a, std::string const& method,
                                            std::string const& preconditioner, std::vector<int> const& first_rows,
                                            std::vector<double>& x, krylov_options const& options) {
    using exec_type = decltype(Fixture::exec());
    std::vector<krylov_result> results(first_rows.size() - 1);
    multi_executor<exec_type> const all(executors_of<Fixture>(first_rows.size() - 1));
    all.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        auto const b = rows_of(a, first_rows[p], first_rows[p + 1]);
        distributed_csr<exec_type, double> const m(exec, comm, b.offsets, b.columns, b.values);
        auto const made = make_distributed_preconditioner(exec, comm, preconditioner, m);
        auto const d = exec.copy(std::vector<double>(std::size_t(m.size()), 1));
        auto to = exec.copy(std::vector<double>(std::size_t(m.size()), 0));
        results[p] = solve_distributed(exec, comm, method, m, made, d.view(), to.view(), options);
        auto const values = to_vector(exec, to);
        std::copy(values.begin(), values.end(), x.begin() + first_rows[p]);
    });
    return results;
}
/// Checks A x = (1, 1, ...).
void check_solution(std::vector<std::vector<double>> const& a, std::vector<double> const& x, double tolerance) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += a[i][j] * x[j];
        CHECK(sum == doctest::Approx(1).epsilon(tolerance));
    }
}

TEST_CASE_TEMPLATE("distributed: Krylov methods by name, with block preconditioners", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const a = dense_matrix(90);
    auto const solve = [&](std::string const& method, std::string const& preconditioner,
                           std::vector<int> const& first_rows, std::vector<double>& x, krylov_options const& options) {
        auto const results = solve_over_ranks<Fixture>(a, method, preconditioner, first_rows, x, options);
        for (auto const& r : results) {
            CHECK(r.residual_history == results[0].residual_history);
            CHECK(r.converged == results[0].converged);
        }
        return results[0];
    };
    std::vector<std::string_view> methods(krylov_names.begin(), krylov_names.end());
    methods.insert(methods.end(), transposing_names.begin(), transposing_names.end());
    for (std::string_view const name : methods) {
        std::string const method(name);
        std::int64_t of_one_rank = 0;
        for (auto const& first_rows : divisions) {
            CAPTURE(method);
            CAPTURE(first_rows.size());
            std::vector<double> x(90), again(90);
            auto const r = solve(method, "none", first_rows, x, {.tolerance = 1e-12});
            CHECK(r.converged);
            if (of_one_rank == 0) of_one_rank = r.iterations;
            CHECK(std::abs(r.iterations - of_one_rank) <= 1);
            CHECK(solve(method, "none", first_rows, again, {.tolerance = 1e-12}).iterations == r.iterations);
            CHECK(again == x);
            check_solution(a, x, 1e-10);
            auto const jacobi = solve(method, "jacobi", first_rows, again, {.tolerance = 1e-12});
            CHECK(jacobi.converged);
            CHECK(jacobi.iterations <= r.iterations + 1);
        }
    }
    std::vector<double> x(90);
    auto const forest = solve("cg", "forest", {0, 45, 90}, x, {.tolerance = 1e-12});
    CHECK(forest.converged);
    CHECK_FALSE(solve("cg", "none", {0, 45, 90}, x, {.tolerance = 1e-12, .max_iterations = 2}).converged);
    CHECK_THROWS_WITH_AS(
        solve("sor", "none", {0, 45, 90}, x, {}),
        doctest::Contains("unknown Krylov method \"sor\", expected one of: cg, minres, bicgstab, tfqmr, idrs, "
                          "gmres, fgmres, bicg, qmr"),
        argument_error);
}

TEST_CASE_TEMPLATE("distributed: bicg and qmr with transposes of preconditioners", Fixture, COPPICE_TEST_EXECUTORS) {
    auto a = dense_matrix(90);
    for (std::size_t i = 0; i < 90; ++i) // not symmetric
        for (std::size_t j = 0; j < i; ++j) a[i][j] *= j % 2 == 0 ? 0.3 : -1.5;
    for (std::string const method : {"bicg", "qmr"})
        for (std::string const preconditioner : {"forest", "ilu0", "mos-d", "multilevel"}) {
            std::int64_t of_one_rank = 0;
            for (auto const& first_rows : divisions) {
                CAPTURE(method);
                CAPTURE(preconditioner);
                CAPTURE(first_rows.size());
                std::vector<double> x(90);
                auto const results =
                    solve_over_ranks<Fixture>(a, method, preconditioner, first_rows, x, {.tolerance = 1e-11});
                for (auto const& r : results) CHECK(r.converged);
                auto const iterations = results[0].iterations;
                if (of_one_rank == 0) of_one_rank = iterations;
                if (couples_ranks(preconditioner)) CHECK(std::abs(iterations - of_one_rank) <= 2);
                check_solution(a, x, 1e-9);
            }
        }
}

TEST_CASE_TEMPLATE("distributed: iterations of the multilevel method hardly depend on the number of ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    // Enough rows for two distributed levels before the remaining levels move to one rank.
    struct grid {
        std::string name;
        std::int64_t nx, ny, nz;
        bool jumps;
        double across; ///< weight of couplings between ranks
        int more;      ///< additional iterations allowed for several ranks
    };
    auto const solve = [](int ranks, grid const& of, std::vector<std::int64_t> const& first_rows) {
        std::int64_t const nx = of.nx, ny = of.ny, n = nx * ny * of.nz;
        bool const jumps = of.jumps;
        double const wy = of.nz == 1 ? of.across : 1, wz = of.nz == 1 ? 1 : of.across;
        std::vector<krylov_result> results(static_cast<std::size_t>(ranks));
        std::vector<double> definite(static_cast<std::size_t>(ranks)), unequal = definite;
        multi_executor<exec_type> const all(executors_of<Fixture>(std::size_t(ranks)));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            auto const p = std::size_t(comm.rank());
            std::int64_t const first = first_rows.empty() ? n * std::int64_t(p) / ranks : first_rows[p];
            std::int64_t const end = first_rows.empty() ? n * std::int64_t(p + 1) / ranks : first_rows[p + 1];
            std::vector<std::int32_t> offsets{0}, columns;
            std::vector<double> values;
            auto const weight = [&](std::int64_t i) {
                return jumps && (i % nx / 20 + i / nx / 20) % 2 == 0 ? 100.0 : 1.0;
            };
            for (std::int64_t i = first; i < end; ++i) {
                std::int64_t const x = i % nx, y = i / nx % ny, z = i / (nx * ny);
                double diagonal = 1e-6;
                auto const couple = [&](bool inside, std::int64_t j, double along) {
                    double const w = along * (inside ? 2 * weight(i) * weight(j) / (weight(i) + weight(j)) : weight(i));
                    diagonal += w;
                    if (!inside) return;
                    columns.push_back(std::int32_t(j));
                    values.push_back(-w);
                };
                couple(z > 0, i - nx * ny, wz);
                couple(y > 0, i - nx, wy);
                couple(x > 0, i - 1, 1);
                couple(x + 1 < nx, i + 1, 1);
                couple(y + 1 < ny, i + nx, wy);
                couple(z + 1 < of.nz, i + nx * ny, wz);
                columns.push_back(std::int32_t(i));
                values.push_back(diagonal);
                offsets.push_back(std::int32_t(columns.size()));
            }
            distributed_csr<exec_type, double> const a(exec, comm, offsets, columns, values);
            auto const m = make_distributed_preconditioner(exec, comm, "multilevel", a);
            auto const numbers = [&](std::uint64_t seed) {
                std::vector<double> v(static_cast<std::size_t>(a.size()));
                std::mt19937_64 random(seed + std::uint64_t(first));
                for (double& value : v) value = double(random() % 2000) / 1000 - 1;
                return exec.copy(v);
            };
            auto const b = numbers(1), r = numbers(2);
            auto x = exec.copy(std::vector<double>(std::size_t(a.size()), 0));
            results[p] = solve_distributed(exec, comm, "cg", a, m, b.view(), x.view(), {.tolerance = 1e-8});
            // r^T M r > 0, b^T M r = r^T M b
            m.apply(exec, array_view<double const>(r.view()), x.view());
            auto const of_r = to_vector(exec, r), of_b = to_vector(exec, b), m_r = to_vector(exec, x);
            m.apply(exec, array_view<double const>(b.view()), x.view());
            auto const m_b = to_vector(exec, x);
            for (std::size_t i = 0; i < of_r.size(); ++i) {
                definite[p] += of_r[i] * m_r[i];
                unequal[p] += of_b[i] * m_r[i] - of_r[i] * m_b[i];
            }
        });
        double sum = 0, difference = 0;
        for (double const d : definite) sum += d;
        for (double const d : unequal) difference += d;
        CHECK(sum > 0);
        CHECK(std::abs(difference) < 1e-9 * sum); // matrices of the levels in float are as symmetric as P and P^T
        for (auto const& result : results) {
            CHECK(result.converged);
            CHECK(result.residual_history == results[0].residual_history);
        }
        return results[0].iterations;
    };
    for (grid const& of :
         {grid{"space", 30, 30, 40, false, 1, 1}, grid{"jumps", 260, 260, 1, true, 1, 1},
          grid{"plane", 300, 300, 1, false, 1, 1}, grid{"plane, heavy across the cuts", 300, 300, 1, false, 100, 2},
          grid{"space, heavy across the cuts", 36, 36, 36, false, 100, 4}}) {
        if (sanitized && of.name != "space") continue; // the others count iterations of the same code
        CAPTURE(of.name);
        std::int64_t const n = of.nx * of.ny * of.nz;
        auto const one = solve(1, of, {});
        for (int const ranks : {2, 4}) {
            if (sanitized && ranks > 2) continue;
            CAPTURE(ranks);
            auto const several = solve(ranks, of, {});
            CHECK(several <= one + of.more);
            if (!races_watched) CHECK(several == solve(ranks, of, {}));
        }
        CHECK(solve(3, of, {0, n / 3, n / 3, n}) <= one + of.more); // an empty rank
    }
}

TEST_CASE_TEMPLATE("distributed: the multilevel method has its options, and is definite with every smoother", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    // A random graph, whose diagonal blocks are weak compared with the couplings between ranks.
    std::int64_t const n = 5000;
    std::mt19937_64 random(7);
    std::vector<std::map<std::int64_t, double>> rows(static_cast<std::size_t>(n));
    for (std::int64_t e = 0; e < 3 * n; ++e) {
        auto const i = std::int64_t(random() % n), j = std::int64_t(random() % n);
        double const w = std::pow(10.0, double(random() % 4000) / 1000 - 2);
        if (i == j) continue;
        for (auto const& [from, to] : {std::pair(i, j), std::pair(j, i)}) {
            rows[std::size_t(from)][to] -= w;
            rows[std::size_t(from)][from] += w;
        }
    }
    for (std::int64_t i = 0; i < n; ++i) rows[std::size_t(i)][i] += 0.01;
    auto const solve = [&](int ranks, std::int64_t size, option_values const& chosen) {
        std::vector<krylov_result> results(static_cast<std::size_t>(ranks));
        multi_executor<exec_type> const all(executors_of<Fixture>(std::size_t(ranks)));
        all.run([&](exec_type const& exec, rank_communicator const& comm) {
            std::int64_t const p = comm.rank(), first = size * p / ranks, end = size * (p + 1) / ranks;
            std::vector<std::int32_t> offsets{0}, columns;
            std::vector<double> values;
            for (std::int64_t i = first; i < end; ++i) {
                for (auto const& [j, value] : rows[std::size_t(i)])
                    if (j < size) {
                        columns.push_back(std::int32_t(j));
                        values.push_back(value);
                    }
                offsets.push_back(std::int32_t(columns.size()));
            }
            distributed_csr<exec_type, double> const a(exec, comm, offsets, columns, values);
            auto const m = make_distributed_preconditioner(exec, comm, "multilevel", a, chosen);
            std::vector<double> right;
            for (std::int64_t i = first; i < end; ++i) right.push_back(std::sin(double(i)));
            auto const b = exec.copy(right);
            auto x = exec.copy(std::vector<double>(right.size(), 0));
            results[std::size_t(p)] = solve_distributed(exec, comm, "cg", a, m, b.view(), x.view(),
                                                        {.tolerance = 1e-6, .max_iterations = 300});
        });
        return results[0];
    };
    for (std::string const smoother : {"jacobi", "l1", "forest", "chebyshev", "gauss-seidel"})
        for (int const ranks : {1, 2, 4}) {
            if (sanitized && (ranks != 2 || smoother == "l1" || smoother == "jacobi")) continue;
            CAPTURE(smoother);
            CAPTURE(ranks);
            CHECK(solve(ranks, n, {{"smoother", smoother}}).converged);
        }
    // Small systems are solved on one rank, with the given options.
    CHECK(solve(2, 1000, {{"levels", "1"}, {"coarsest", "1"}}).iterations > solve(2, 1000, {}).iterations);
    CHECK_THROWS_WITH_AS(solve(2, 1000, {{"storage", "half"}}),
                         doctest::Contains("accepts storage=single only, got half"), argument_error);
}

TEST_CASE_TEMPLATE("distributed: a bad matrix on one rank is an error on all", Fixture, COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(3));
    CHECK_THROWS_AS(all.run([](exec_type const& exec, rank_communicator const& comm) {
        std::vector<std::int32_t> const columns{comm.rank() == 1 ? 3 : 0};
        distributed_csr<exec_type, double> const m(exec, comm, {0, 1}, columns, {1.0});
    }),
                    matrix_error);
    CHECK_THROWS_AS(all.run([](exec_type const& exec, rank_communicator const& comm) {
        std::vector<double> const values(comm.rank() == 2 ? 2 : 1);
        distributed_csr<exec_type, double> const m(exec, comm, {0, 1}, {0}, values);
    }),
                    dimension_error);
}
