// SPDX-License-Identifier: BSD-3-Clause
// Distributed algorithms on processes of MPI give the same bits as on the same number of ranks of one process.
#define DOCTEST_CONFIG_IMPLEMENT
#include "mpi/both_kinds.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <coppice/factor.hpp>
#include <coppice/krylov.hpp>
#include <coppice/linear_forest.hpp>
#include <coppice/preconditioner.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
distributed_csr<host_executor, T> matrix_of(host_executor const& exec, rank_communicator const& comm,
                                            row_block<T> const& rows) {
    return {exec, comm, rows.offsets, rows.columns, rows.values};
}

struct krylov_answer {
    std::vector<double> history{}, x{};
    bool operator==(krylov_answer const&) const = default;
};
krylov_answer solve_grid(host_executor const& exec, rank_communicator const& comm, std::int64_t nx,
                         std::string const& method, std::string const& preconditioner) {
    auto const rows = rows_of_grid(comm, nx, nx, 0.01);
    auto const a = matrix_of(exec, comm, rows);
    auto const m = make_distributed_preconditioner(exec, comm, preconditioner, a);
    auto const b = exec.copy(numbers<double>(rows.first, rows.rows()));
    auto x = exec.copy(std::vector<double>(std::size_t(rows.rows()), 0.0));
    auto const r = solve_distributed(exec, comm, method, a, m, b.view(), x.view(), {.tolerance = 1e-9});
    CHECK(r.converged);
    return {r.residual_history, whole(comm, to_vector(exec, x))};
}

/// max |b - A x| / max |b| for the grid, from the definition.
double residual_on_grid(std::int64_t nx, std::vector<double> const& x) {
    auto const at = [&](std::int64_t i, std::int64_t j) {
        return i < 0 || j < 0 || i >= nx || j >= nx ? 0 : x[std::size_t(j * nx + i)];
    };
    auto const b = numbers<double>(0, nx * nx);
    double worst = 0;
    for (std::int64_t j = 0; j < nx; ++j)
        for (std::int64_t i = 0; i < nx; ++i) {
            double const sum = 4.01 * at(i, j) - at(i - 1, j) - at(i + 1, j) - at(i, j - 1) - at(i, j + 1);
            worst = std::max(worst, std::abs(b[std::size_t(j * nx + i)] - sum));
        }
    return worst;
}

} // namespace

TEST_CASE("mpi: messages between all ranks") {
    auto const body = [](host_executor const&, rank_communicator const& comm) {
        int const self = comm.rank(), ranks = comm.ranks();
        std::vector<int> all;
        auto const keep = [&](auto const& values) { all.insert(all.end(), values.begin(), values.end()); };
        keep(comm.gather(self * self + 1));
        for (auto const& of_rank : comm.gather(std::vector<int>(std::size_t(self % 3), 10 + self))) keep(of_rank);
        std::vector<int> pairs(std::size_t(2 * ranks), -1), mine{self, -self};
        comm.all_gather(mine.data(), pairs.data(), 2);
        keep(pairs);
        comm.all_gather(mine.data(), pairs.data(), 0); // nothing
        std::vector<int> to_each;
        for (int p = 0; p < ranks; ++p) to_each.push_back(100 * self + p);
        keep(whole(comm, comm.all_to_all(to_each)));
        // Each rank sends p + 1 values to every other rank p, in two exchanges that are pending at the same time.
        std::vector<int> const sent(std::size_t(ranks), self);
        std::vector<int> received(std::size_t(ranks * (self + 1)), self), again = received;
        std::vector<rank_message> sends, receives, receives_again;
        for (int p = 0; p < ranks; ++p) {
            if (p == self) continue;
            auto const offset = std::size_t(p * (self + 1));
            sends.push_back({p, const_cast<int*>(sent.data()), std::size_t(p + 1) * sizeof(int)});
            receives.push_back({p, received.data() + offset, std::size_t(self + 1) * sizeof(int)});
            receives_again.push_back({p, again.data() + offset, std::size_t(self + 1) * sizeof(int)});
        }
        auto const first = comm.start(sends, receives);
        auto const second = comm.start(sends, receives_again);
        keep(comm.gather(7)); // between start and end
        second->finish();
        first->finish();
        CHECK(received == again);
        keep(whole(comm, received));
        return all;
    };
    auto const all = over_processes(body);
    int const ranks = processes().ranks();
    for (int p = 0; p < ranks; ++p) CHECK(all[std::size_t(p)] == p * p + 1);
    // the last block is that of the last rank: `ranks` values of each rank
    for (int p = 0; p < ranks; ++p)
        for (int k = 0; k < ranks; ++k)
            CHECK(all[all.size() - std::size_t(ranks * ranks) + std::size_t(p * ranks + k)] == p);
}

TEST_CASE("mpi: the product with halos") {
    std::int64_t const nx = 23;
    auto const y = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
        auto const rows = rows_of_grid(comm, nx, nx, 0.01);
        auto const a = matrix_of(exec, comm, rows);
        auto const x = exec.copy(numbers<double>(rows.first, rows.rows()));
        buffer<double> product(exec, rows.rows());
        for (int again = 0; again < 3; ++again) a.apply(exec, array_view<double const>(x.view()), product.view());
        return whole(comm, to_vector(exec, product));
    });
    auto const x = numbers<double>(0, nx * nx);
    for (std::int64_t i = 0; i < nx * nx; ++i) {
        double sum = 4.01 * x[std::size_t(i)];
        if (i % nx > 0) sum -= x[std::size_t(i - 1)];
        if (i % nx < nx - 1) sum -= x[std::size_t(i + 1)];
        if (i >= nx) sum -= x[std::size_t(i - nx)];
        if (i + nx < nx * nx) sum -= x[std::size_t(i + nx)];
        CHECK(y[std::size_t(i)] == doctest::Approx(sum).epsilon(1e-13));
    }
}

TEST_CASE("mpi: Krylov methods with preconditioners of the ranks") {
    std::int64_t const nx = 24;
    for (std::string_view const method : krylov_names) {
        CAPTURE(method);
        auto const answer = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return solve_grid(exec, comm, nx, std::string(method), "forest");
        });
        CHECK(residual_on_grid(nx, answer.x) < 1e-6);
    }
}

TEST_CASE("mpi: the multilevel method takes about as many iterations as on one rank") {
    std::int64_t const nx = 150;
    auto const solve = [&](host_executor const& exec, rank_communicator const& comm) {
        return solve_grid(exec, comm, nx, "cg", "multilevel");
    };
    auto const answer = over_processes(solve);
    CHECK(residual_on_grid(nx, answer.x) < 1e-6);
    CHECK(answer.history.size() <= in_process(1, solve).history.size() + 2);
}

TEST_CASE("mpi: preconditioners of all ranks, their transposes and refreshes are those of threads") {
    for (std::string const name : {"multilevel", "forest", "alt-i", "mos-d", "mos", "mos-a", "block-forest"}) {
        CAPTURE(name);
        std::int64_t const nx = name == "multilevel" ? 70 : 24; // a level on several ranks
        auto const apply = [&](host_executor const& exec, rank_communicator const& comm) {
            auto const rows = rows_of_grid(comm, nx, nx, 0.01), other = rows_of_grid(comm, nx, nx, 0.5);
            auto a = matrix_of(exec, comm, rows);
            auto m = make_distributed_preconditioner(exec, comm, name, a);
            auto const r = exec.copy(numbers<double>(rows.first, rows.rows()));
            buffer<double> z(exec, rows.rows());
            std::vector<std::vector<double>> results;
            for (auto const* const values : {&rows.values, &other.values}) {
                a.set_values(exec, array_view<double const>(values->data(), std::int64_t(values->size())));
                refresh_distributed_preconditioner(exec, m, a);
                m.apply(exec, r.view(), z.view());
                results.push_back(whole(comm, to_vector(exec, z)));
                m.apply_transpose(exec, r.view(), z.view());
                results.push_back(whole(comm, to_vector(exec, z)));
            }
            return results;
        };
        CHECK(over_processes(apply)[0].size() == std::size_t(nx * nx)); // compares with threads
    }
}

TEST_CASE("mpi: a refreshed multilevel method has the bits of the first one for the first values") {
    std::int64_t const nx = 150;
    auto const cycles = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
        auto const rows = rows_of_grid(comm, nx, nx, 0.01), other = rows_of_grid(comm, nx, nx, 0.5);
        auto a = matrix_of(exec, comm, rows);
        auto m = make_distributed_preconditioner(exec, comm, "multilevel", a);
        auto const r = exec.copy(numbers<double>(rows.first, rows.rows()));
        buffer<double> z(exec, rows.rows());
        m.apply(exec, r.view(), z.view());
        std::vector<std::vector<double>> of_values{whole(comm, to_vector(exec, z))};
        for (auto const* const values : {&rows.values, &other.values, &rows.values}) {
            a.set_values(exec, array_view<double const>(values->data(), std::int64_t(values->size())));
            refresh_distributed_preconditioner(exec, m, a);
            m.apply(exec, r.view(), z.view());
            of_values.push_back(whole(comm, to_vector(exec, z)));
        }
        return of_values;
    });
    CHECK(cycles[0] == cycles[1]);
    CHECK(cycles[0] != cycles[2]);
    CHECK(cycles[0] == cycles[3]);
}

TEST_CASE("mpi: a refresh that one rank refuses is an error on all, and changes nothing") {
    std::int64_t const nx = 90;
    auto const cycles = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
        auto const rows = rows_of_grid(comm, nx, nx, 0.01);
        auto other = rows_of_grid(comm, nx, nx, 0.5);
        auto a = matrix_of(exec, comm, rows);
        auto m = make_distributed_preconditioner(exec, comm, "multilevel", a);
        auto const r = exec.copy(numbers<double>(rows.first, rows.rows()));
        buffer<double> z(exec, rows.rows());
        std::vector<std::vector<double>> results;
        auto const apply = [&](any_preconditioner<host_executor, double> const& to) {
            to.apply(exec, r.view(), z.view());
            results.push_back(whole(comm, to_vector(exec, z)));
        };
        apply(m);
        if (comm.rank() == comm.ranks() - 1) other.values.back() = std::numeric_limits<double>::quiet_NaN();
        a.set_values(exec, array_view<double const>(other.values.data(), std::int64_t(other.values.size())));
        CHECK_THROWS_AS(refresh_distributed_preconditioner(exec, m, a), matrix_error);
        apply(m);
        a.set_values(exec, array_view<double const>(rows.values.data(), std::int64_t(rows.values.size())));
        apply(make_distributed_preconditioner(exec, comm, "multilevel", a));
        refresh_distributed_preconditioner(exec, m, a);
        apply(m);
        return results;
    });
    for (auto const& of_values : cycles) CHECK(of_values == cycles[0]);
}

TEST_CASE_TEMPLATE("mpi: tridiagonal systems and bands", T, float, double) {
    std::int64_t const n = 3000;
    struct answer {
        std::vector<T> x{};
        int attempts = 0;
        bool operator==(answer const&) const = default;
    };
    T const bound = 100 * std::numeric_limits<T>::epsilon();
    auto const right = numbers<T>(0, n);
    auto const tridiagonal = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
        rank_range const range(n, comm);
        std::int64_t const rows = range.last - range.first;
        auto const d = exec.copy(numbers<T>(range.first, rows));
        std::vector<T> const ones(std::size_t(rows), 1), middle(std::size_t(rows), T(0.25));
        buffer<T> x(exec, rows);
        auto const report = solve_tridiagonal_distributed(
            exec, comm, tridiagonal_view<T>{rows, ones.data(), middle.data(), ones.data()}, d.view(), x.view());
        CHECK(report.status == solve_status::ok);
        return answer{whole(comm, to_vector(exec, x)), report.tries};
    });
    auto const at = [&](std::vector<T> const& x, std::int64_t i) { return i < 0 || i >= n ? T(0) : x[std::size_t(i)]; };
    T largest = 1;
    for (T const value : tridiagonal.x) largest = std::max(largest, std::abs(value));
    for (std::int64_t i = 0; i < n; ++i) {
        auto const& x = tridiagonal.x;
        CHECK(std::abs(at(x, i - 1) + at(x, i) / 4 + at(x, i + 1) - right[std::size_t(i)]) <= bound * largest);
    }
    auto const bands = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
        rank_range const range(n, comm);
        std::int64_t const rows = range.last - range.first;
        auto const d = exec.copy(numbers<T>(range.first, rows));
        std::vector<T> rows_of_bands; // two below and one above the diagonal: -1 2 5 1
        for (T const value : {T(-1), T(2), T(5), T(1)})
            rows_of_bands.insert(rows_of_bands.end(), std::size_t(rows), value);
        buffer<T> x(exec, rows);
        auto const report =
            solve_bands_distributed<T>(exec, comm, band_matrix<T>(banded_view<T>{rows, 2, 1, rows_of_bands.data()}),
                                       columns_view<T const>(d.view()), columns_view<T>(x.view()));
        CHECK(report.status == solve_status::ok);
        return answer{whole(comm, to_vector(exec, x)), report.tries};
    });
    for (std::int64_t i = 0; i < n; ++i) {
        auto const& x = bands.x;
        T const sum = 2 * at(x, i - 1) - at(x, i - 2) + 5 * at(x, i) + at(x, i + 1);
        CHECK(std::abs(sum - right[std::size_t(i)]) <= bound);
    }
}

TEST_CASE("mpi: factors and forests are those of one rank") {
    struct forest_answer {
        std::vector<int> neighbors{}, order{};
        bool operator==(forest_answer const&) const = default;
    };
    auto const body = [](host_executor const& exec, rank_communicator const& comm) {
        auto const rows = rows_of_grid(comm, 40, 31, 0.0);
        distributed_graph<host_executor, double> const graph(exec, comm, matrix_of(exec, comm, rows));
        auto const factor = parallel_factor(exec, graph, {.degree = 2});
        auto const forest = extract_forest(exec, graph, factor);
        return forest_answer{whole(comm, to_vector(exec, factor.neighbors)),
                             whole(comm, to_vector(exec, forest.inverse))};
    };
    CHECK(over_processes(body) == in_process(1, body));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int result = 0;
    {
        doctest::Context context(argc, argv);
        auto const ranks = processes(); // for the calls of all test cases
        context.setOption("minimal", ranks.rank() != 0);
        result = context.run();
    }
    MPI_Finalize();
    return result;
}
