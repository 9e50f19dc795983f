// SPDX-License-Identifier: BSD-3-Clause
// Small tridiagonal systems; banded systems with one and with several right-hand sides.
#include <coppice/banded.hpp>
#include <coppice/tridiagonal.hpp>

#include "solvers/band_reference.hpp"
#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("tridiagonal: small systems eliminated from both ends are as accurate as gtsv", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 127, 511, 512, 513})
        for (auto const pivot : {pivoting::none, pivoting::partial, pivoting::scaled_partial}) {
            CAPTURE(n);
            CAPTURE(int(pivot));
            block_storage<double> s(n, 1, std::uint64_t(n), false); // NaN in the corners
            if (pivot == pivoting::none)
                for (double& value : s.diagonal) value += 3;
            auto const rows = s.meaning(false);
            auto const d = rhs_for(rows, 1, 3);
            auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
            auto x = exec.copy(d);
            solve_tridiagonal(exec, tridiagonal_view<double>{n, lower.data(), diagonal.data(), upper.data()}, x.view(),
                              x.view(), {.pivot = pivot});
            CHECK(backward_error_of(rows, to_vector(exec, x), d) < 20 * epsilon<double>);
        }
}

TEST_CASE_TEMPLATE("bands: the same bits for one and several right-hand sides, on one and two threads", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const reach : {2, 3, 4})
        for (std::int64_t const n : {3, 100, 2049, 4500}) {
            CAPTURE(reach);
            CAPTURE(n);
            banded_storage<double> const s(n, reach, reach, std::uint64_t(n + reach));
            auto const d = rhs_for(s.meaning(), 10, 3); // more columns than are solved simultaneously
            auto const x = solve_banded_storage(exec, s, d).x;
            for (std::int64_t const c : {0, 5, 9}) {
                std::vector<double> const column(d.begin() + c * n, d.begin() + (c + 1) * n);
                CHECK(solve_banded_storage(exec, s, column).x ==
                      std::vector<double>(x.begin() + c * n, x.begin() + (c + 1) * n));
            }
#if !defined(COPPICE_TEST_CUDA)
            CHECK(solve_banded_storage(host_executor{1}, s, d).x == x);
#endif
        }
}

TEST_CASE_TEMPLATE("bands: with a report, columns that need other attempts do not change the bits of a column", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {40, 600}) {
        CAPTURE(n);
        block_storage<double> s(n, 1, std::uint64_t(n), false);
        for (double& value : s.diagonal) value += 3;
        auto const rows = s.meaning(false);
        std::int64_t const columns = 3;
        auto const lower = exec.copy(s.lower), diagonal = exec.copy(s.diagonal), upper = exec.copy(s.upper);
        band_matrix<double> const a(tridiagonal_view<double>{n, lower.data(), diagonal.data(), upper.data()});
        auto const solve = [&](std::vector<double> const& right, std::int64_t count) {
            auto const d = exec.copy(right);
            buffer<double> x(exec, n * count);
            buffer<solve_report> report(exec, 1);
            solve_bands(exec, a, columns_view<double const>(d.data(), n, count),
                        columns_view<double>(x.data(), n, count), {}, report.view());
            return std::pair(to_vector(exec, x), to_vector(exec, report).front());
        };
        auto d = rhs_for(rows, columns, 3);
        std::vector<double> const first(d.begin(), d.begin() + n);
        auto const [alone, of_alone] = solve(first, 1);
        std::fill(d.begin() + n, d.begin() + 2 * n, 0.0);
        auto const [with_zero, of_zero] = solve(d, columns);
        CHECK(of_zero.status == solve_status::ok);
        CHECK(of_zero.tries == of_alone.tries); // a solution that is zero is not huge
        CHECK(std::vector<double>(with_zero.begin(), with_zero.begin() + n) == alone);
        d[std::size_t(n + n / 2)] = std::numeric_limits<double>::quiet_NaN();
        auto const [with_nan, of_nan] = solve(d, columns);
        CHECK(of_nan.status == solve_status::not_finite);
        CHECK(of_nan.tries > of_alone.tries);
        CHECK(std::vector<double>(with_nan.begin(), with_nan.begin() + n) == alone);
    }
}
