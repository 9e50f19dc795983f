// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/bands/distributed_tridiagonal.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "solvers/distributed/split_systems.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
struct distributed_solution {
    std::vector<T> x;
    std::vector<solve_report> reports;
};

/// Rows [first_rows[p], first_rows[p + 1]) on rank p.
template <class Fixture, class T>
distributed_solution<T> solve_distributed(test::system<T> const& s, std::vector<std::int64_t> const& first_rows) {
    std::size_t const ranks = first_rows.size() - 1;
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(ranks));
    distributed_solution<T> out{std::vector<T>(s.rhs.size()), std::vector<solve_report>(ranks)};
    all.run([&](exec_type const& exec, rank_communicator const& comm) {
        auto const p = std::size_t(comm.rank());
        std::int64_t const n = first_rows[p + 1] - first_rows[p];
        auto const rows = [&](std::vector<T> const& of) {
            return exec.copy(std::vector<T>(of.begin() + first_rows[p], of.begin() + first_rows[p + 1]));
        };
        auto const lower = rows(s.lower), diagonal = rows(s.diagonal), upper = rows(s.upper), d = rows(s.rhs);
        buffer<T> x(exec, n);
        tridiagonal_view<T> const a{n, lower.data(), diagonal.data(), upper.data()};
        out.reports[p] = solve_tridiagonal_distributed(exec, comm, a, d.view(), x.view());
        auto const values = to_vector(exec, x);
        std::copy(values.begin(), values.end(), out.x.begin() + first_rows[p]);
    });
    return out;
}

} // namespace

TEST_CASE_TEMPLATE("distributed tridiagonal: any number and size of ranks", Fixture, COPPICE_TEST_EXECUTORS) {
    double const bound = 50 * std::numeric_limits<double>::epsilon();
    for (std::int64_t const n : {0, 1, 2, 7, 1000, 5000})
        for (int const ranks : {1, 2, 3, 8}) {
            CAPTURE(n);
            CAPTURE(ranks);
            auto const s = random_system<double>(n, std::uint64_t(n + ranks));
            auto const r = solve_distributed<Fixture>(s, equal_rank_offsets(n, ranks));
            for (solve_report const& report : r.reports) {
                CHECK(report.status == solve_status::ok);
                CHECK(report.backward_error == r.reports[0].backward_error);
            }
            CHECK(true_error(s, r.x) <= bound);
        }
    auto const s = random_system<double>(600, 5);
    for (std::vector<std::int64_t> const& first_rows :
         {std::vector<std::int64_t>{0, 1, 1, 400, 401, 600}, {0, 0, 0, 600}, {0, 600, 600}, {0, 599, 600}}) {
        auto const r = solve_distributed<Fixture>(s, first_rows);
        CHECK(r.reports[0].status == solve_status::ok);
        CHECK(true_error(s, r.x) <= bound);
        CHECK(r.x == solve_distributed<Fixture>(s, first_rows).x);
    }
}

TEST_CASE_TEMPLATE("distributed tridiagonal: singular diagonal blocks, and a singular matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    std::int64_t const n = 48;
    auto s = random_system<double>(n, 3);
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
        s.diagonal[i] = 0;
        s.lower[i] = s.upper[i] = 1;
    }
    s.make_rhs();
    for (auto const& first_rows :
         {std::vector<std::int64_t>{0, 15, 26, 48}, {0, 1, 2, 3, 48}, {0, 47, 48}}) { // odd ranks
        auto const r = solve_distributed<Fixture>(s, first_rows);
        CHECK(r.reports.back().status == solve_status::ok);
        CHECK(true_error(s, r.x) <= 50 * std::numeric_limits<double>::epsilon());
    }
    s.lower[20] = s.upper[20] = 0; // a row of zeros
    for (int const ranks : {1, 3})
        CHECK(solve_distributed<Fixture>(s, equal_rank_offsets(n, ranks)).reports[0].status != solve_status::ok);
    s.lower[20] = std::nan("");
    CHECK(solve_distributed<Fixture>(s, equal_rank_offsets(n, 3)).reports[2].status != solve_status::ok);
    // Ranks of up to 512 rows are gathered as they are: the first attempt decides that the matrix is singular.
    auto row_of_zeros = random_system<double>(1024, 5);
    row_of_zeros.lower[700] = row_of_zeros.diagonal[700] = row_of_zeros.upper[700] = 0;
    auto const reports = solve_distributed<Fixture>(row_of_zeros, {0, 512, 1024}).reports;
    CHECK(reports[0].status == solve_status::singular);
    CHECK(reports[0].tries == 1);
}

TEST_CASE_TEMPLATE("distributed tridiagonal: first RPTS, then pivoting over more rows", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    double const epsilon = std::numeric_limits<double>::epsilon();
    // No Dirichlet ends: rows and columns sum to zero, and the right-hand side is in the range.
    std::int64_t const n = 3000;
    auto s = random_system<double>(n, 3);
    for (std::size_t i = 0; i < std::size_t(n); ++i) {
        s.diagonal[i] = i == 0 || i + 1 == std::size_t(n) ? 1 : 2;
        s.lower[i] = s.upper[i] = -1;
    }
    s.make_rhs();
    for (int const ranks : {1, 2, 5})
        for (solve_report const& r : solve_distributed<Fixture>(s, equal_rank_offsets(n, ranks)).reports)
            CHECK(r.status == solve_status::singular);
    // Toeplitz matrices with singular inner partitions, graded matrices, rows of very different scales.
    for (int const kind : {0, 1, 2, 3, 4})
        for (int const ranks : {1, 2, 3}) {
            auto t = random_system<double>(n, std::uint64_t(kind + 1));
            for (std::size_t i = 0; i < std::size_t(n); ++i) {
                double const size = std::pow(10.0, 12 * std::sin(double(i)));
                if (kind == 0) t.lower[i] = t.upper[i] = 1, t.diagonal[i] = 0;
                if (kind == 1) t.lower[i] = t.upper[i] = 1, t.diagonal[i] = 2 * std::cos(5 * std::acos(-1.0) / 31);
                if (kind == 2) t.lower[i] *= size, t.diagonal[i] *= size, t.upper[i] *= size;
                if (kind == 3) t.diagonal[i] *= 1e-12;
                if (kind == 4) t.lower[i] *= 1e-150, t.diagonal[i] *= 1e-150, t.upper[i] *= 1e-150;
            }
            t.make_rhs();
            CAPTURE(kind);
            CAPTURE(ranks);
            auto const r = solve_distributed<Fixture>(t, equal_rank_offsets(n, ranks));
            CHECK(r.reports[0].status == solve_status::ok);
            CHECK(true_error(t, r.x) <= 51 * epsilon);
        }
}

TEST_CASE_TEMPLATE("distributed: a rank that fails is an error on all", Fixture, COPPICE_TEST_EXECUTORS) {
    using exec_type = decltype(Fixture::exec());
    multi_executor<exec_type> const all(executors_of<Fixture>(3));
    std::vector<std::string> messages(3);
    auto const work = [&](exec_type const& exec, rank_communicator const& comm) {
        auto const bands = exec.copy(std::vector<double>(30, 1));
        buffer<double> x(exec, comm.rank() == 1 ? 9 : 10);
        tridiagonal_view<double> const a{10, bands.data(), bands.data() + 10, bands.data() + 20};
        try {
            solve_tridiagonal_distributed(exec, comm, a, bands.view().slice(0, 10), x.view());
        } catch (error const& e) {
            messages[std::size_t(comm.rank())] = e.what();
            throw;
        }
    };
    CHECK_THROWS_AS(all.run(work), dimension_error);
    CHECK(messages[0] == "rank 1 failed: solution of solve_tridiagonal_distributed: got 9, expected 10");
    CHECK(messages[2] == messages[0]);
    CHECK_THROWS_AS(multi_executor<exec_type>({}), argument_error);
    if constexpr (std::is_same_v<exec_type, cuda_executor>) // copies share a stream
        CHECK_THROWS_AS(multi_executor<exec_type>(std::vector<exec_type>(2, Fixture::exec())), argument_error);

    // One rank makes fewer calls than the others; earlier collective calls succeed on all ranks.
    std::vector<int> sums(3);
    auto const uneven = [&](exec_type const&, rank_communicator const& comm) {
        for (int const value : comm.gather(comm.rank() + 1)) sums[std::size_t(comm.rank())] += value;
        if (comm.rank() != 1) comm.gather(0);
    };
    CHECK_THROWS_WITH_AS(all.run(uneven),
                         "rank 1 has ended while others still exchange values: ranks must make the same calls",
                         argument_error);
    CHECK(sums == std::vector<int>{6, 6, 6});
}
