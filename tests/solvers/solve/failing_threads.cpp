// SPDX-License-Identifier: BSD-3-Clause
// If the system cannot start threads, there is an error, and everything is usable afterwards. A separate program, since
// oneTBB does not restart threads that exist already.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>

#include "support/failing_threads.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/core/multi_executor.hpp>

using namespace coppice;
using namespace coppice::test;

TEST_CASE("a host executor works without threads that cannot be started") {
    host_executor const exec(2);
    std::int64_t const n = 1 << 20;
    std::vector<int> keys(static_cast<std::size_t>(n)), values(keys.size());
    for (std::int64_t i = 0; i < n; ++i) keys[std::size_t(i)] = int((i * 7919) % n);
    for (int round = 0; round < 3; ++round) {
        failing_threads const limit(0);
        auto const sum = reduce(
            exec, n, std::int64_t{0}, [](std::int64_t i) { return i; }, plus{});
        CHECK(sum == n * (n - 1) / 2);
        auto sorted = keys;
        sort_by_key(exec, array_view<int>(sorted), array_view<int>(values));
        CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    }
}

TEST_CASE("ranks without a thread fail with thread_error, the others are notified") {
    multi_executor<host_executor> const all({host_executor(1), host_executor(1), host_executor(1)});
    auto const exchange = [](host_executor const&, rank_communicator const& others) {
        auto const of_all = others.gather(double(others.rank()));
        if (std::accumulate(of_all.begin(), of_all.end(), 0.0) != 3) throw argument_error("wrong values");
    };
    for (int const left : {0, 1}) {
        {
            failing_threads const limit(left);
            CHECK_THROWS_AS(all.run(exchange), thread_error);
            failing_threads const again(left);
            CHECK_THROWS_AS(all.run([](host_executor const&, rank_communicator const&) {}), thread_error);
        }
        CHECK_NOTHROW(all.run(exchange));
    }
}

TEST_CASE("simultaneous right-hand sides use the available threads") {
    host_executor const exec(1);
    auto const a = generate<double>(exec, "aniso2", {.nx = 9});
    std::int64_t const n = a.rows(), columns = 3;
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "jacobi", a.view());
    std::vector<double> b(static_cast<std::size_t>(n * columns));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = double(i % 7) - 3;
    auto const solved = [&] {
        std::vector<double> x(b.size(), 0.0);
        solve_columns(exec, "cg", op, m, array_view<double const>(b), array_view<double>(x), columns,
                      {.tolerance = 1e-9});
        return x;
    };
    auto const expected = solved();
    for (int const left : {1, 2}) {
        failing_threads const limit(left);
        CHECK(solved() == expected);
    }
    {
        failing_threads const limit(0);
        CHECK_THROWS_AS(solved(), thread_error);
    }
    CHECK(solved() == expected);
}
