// SPDX-License-Identifier: BSD-3-Clause
// Solves with several right-hand sides in one call.
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>

#include <limits>
#include <system_error>

#include <pthread.h>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/solve/columns_in_step.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class T>
std::vector<T> column_of(std::vector<T> const& all, std::size_t n, std::size_t k) {
    return {all.begin() + std::ptrdiff_t(k * n), all.begin() + std::ptrdiff_t((k + 1) * n)};
}

} // namespace

TEST_CASE_TEMPLATE("columns: each ends as in a separate solve, for every method", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const host_a = generate<double>(host_executor{1}, "aniso2", {.nx = sanitized ? 12 : 23});
    auto const a = exec.copy(host_a);
    auto const n = std::size_t(a.rows());
    csr_operator<Executor, double> const op(exec, a);
    auto const m = make_preconditioner(exec, "forest", a.view());
    for (std::size_t const columns : {1u, 3u, 11u}) {
        std::vector<double> b;
        for (std::size_t k = 0; k < columns; ++k) {
            auto const one = random_vector<double>(int(n), unsigned(k));
            b.insert(b.end(), one.begin(), one.end());
        }
        if (columns > 2) {
            std::fill(b.begin() + std::ptrdiff_t(n), b.begin() + std::ptrdiff_t(2 * n), 0.0);
            b[2 * n + 5] = std::numeric_limits<double>::quiet_NaN();
        }
        auto const rhs = exec.copy(b);
        for (auto const method : krylov_names) {
            CAPTURE(method);
            CAPTURE(columns);
            std::vector<double> guess(b.size(), 0.0);
            guess[3] = 100; // the first one starts with a large residual
            auto x = exec.copy(guess);
            auto const results =
                solve_columns(exec, method, op, m, rhs.view(), x.view(), std::int64_t(columns), {.tolerance = 1e-9});
            REQUIRE(results.size() == columns);
            auto const solutions = to_vector(exec, x);
            for (std::size_t k = 0; k < columns; ++k) {
                CAPTURE(k);
                krylov_result const& r = results[k];
                auto const one_b = column_of(b, n, k), one_x = column_of(solutions, n, k);
                if (columns > 2 && k == 1) {
                    CHECK(r.reason == krylov_reason::zero_rhs);
                    CHECK(one_x == std::vector<double>(n, 0.0));
                    continue;
                }
                if (columns > 2 && k == 2) {
                    CHECK(r.fault == "element 5 of the right-hand side b is not finite");
                    CHECK(one_x == std::vector<double>(n, 0.0));
                    continue;
                }
                CHECK(r.converged);
                CHECK(residual_of(host_a, one_b, one_x) <= 1.01e-9);
                auto alone = exec.copy(column_of(guess, n, k));
                auto const single =
                    solve(exec, method, op, m, view_of(exec.copy(one_b)), alone.view(), {.tolerance = 1e-9});
                CHECK(r.on_device == single.on_device);
                // Separate dot products change the number of iterations by rounding, most for BiCGStab.
                CHECK(std::abs(double(r.iterations - single.iterations)) <= 0.25 * double(single.iterations) + 2);
            }
            auto again = exec.copy(guess);
            solve_columns(exec, method, op, m, rhs.view(), again.view(), std::int64_t(columns), {.tolerance = 1e-9});
            CHECK(to_vector(exec, again) == solutions);
        }
    }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE_TEMPLATE("columns: products of all waiting solves are one pass, and correct", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const host_a = to_csr<float>(random_matrix(300, false, 2));
    auto const a = exec.copy(host_a);
    std::int64_t const n = a.rows();
    csr_operator<Executor, float> const op(exec, a);
    for (int const solves : {2, 4, 5, 8}) {
        CAPTURE(solves);
        // Solve k takes k + 1 products, starting with its own vector; there are two more solves than run
        // simultaneously.
        auto const x = exec.copy(random_vector<float>(int(n) * (solves + 2), 3));
        std::vector<std::vector<float>> got(std::size_t(solves) + 2), separate(got);
        detail::columns_in_step<Executor, float> together(exec, op, solves);
        auto const powers = [&](std::int64_t k, auto const& multiply) {
            buffer<float> from(exec, n), to(exec, n);
            exec.copy_elements(x.data() + k * n, from.data(), n);
            for (std::int64_t p = 0; p <= k; ++p, from.swap(to)) multiply(from, to);
            return to_vector(exec, from);
        };
        together.run(solves + 2, [&](int member, std::int64_t k) {
            got[std::size_t(k)] =
                powers(k, [&](auto const& from, auto& to) { together.multiply(member, from.data(), to.data()); });
        });
        CHECK(together.passes() <= 2 * solves + 3); // not the sum of all
        for (std::int64_t k = 0; k < solves + 2; ++k) {
            auto const expected =
                powers(k, [&](auto const& from, auto& to) { op.apply(exec, from.view(), to.view()); });
            for (std::size_t i = 0; i < expected.size(); ++i)
                REQUIRE(got[std::size_t(k)][i] == doctest::Approx(expected[i]).epsilon(1e-5).scale(1));
        }
    }
}
#endif

TEST_CASE_TEMPLATE("columns: bad input, exceptions and cancellation", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(to_csr<double>(random_matrix(40, true, 4)));
    csr_operator<Executor, double> const op(exec, a);
    auto const m = make_preconditioner(exec, "jacobi", a.view());
    auto const b = exec.copy(random_vector<double>(120, 1));
    auto x = exec.copy(std::vector<double>(120));
    auto const solve_three = [&](std::string_view method, krylov_options const& options, std::int64_t columns = 3) {
        return solve_columns(exec, method, op, m, b.view(), x.view(), columns, options);
    };
    CHECK_THROWS_AS(solve_three("sor", {}), argument_error);
    CHECK_THROWS_AS(solve_three("cg", {.tolerance = -1}), argument_error);
    CHECK_THROWS_AS(solve_three("cg", {}, 2), dimension_error);
    CHECK_THROWS_AS(solve_three("cg", {}, -1), argument_error);
    CHECK_THROWS_AS(solve_columns(exec, "cg", op, m, x.view(), x.view(), 3), argument_error);
    krylov_options shouting{
        .progress = [](std::int64_t k, double) -> bool { return k < 2 ? true : throw std::runtime_error("enough"); }};
    CHECK_THROWS_WITH_AS(solve_three("cg", shouting), "enough", std::runtime_error);
    // A system that takes hundreds of iterations, since a device runs ahead of the cancellation.
    auto const large = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 150}));
    csr_operator<Executor, double> const of_large(exec, large);
    auto const m_of_large = make_preconditioner(exec, "jacobi", large.view());
    auto const rhs_columns = exec.copy(random_vector<double>(3 * int(large.rows()), 1));
    auto found = exec.copy(std::vector<double>(std::size_t(3 * large.rows())));
    krylov_options const stopping{.tolerance = 1e-14, .progress = [](std::int64_t k, double) { return k < 2; }};
    for (krylov_result const& r :
         solve_columns(exec, "cg", of_large, m_of_large, rhs_columns.view(), found.view(), 3, stopping))
        CHECK(r.reason == krylov_reason::cancelled);
    CHECK(solve_columns(exec, "cg", op, m, b.view().slice(0, 0), x.view().slice(0, 0), 0).empty());
}

TEST_CASE("columns: a preconditioner that varies restarts for each column") {
    host_executor const exec{2};
    auto const a = generate<double>(exec, "laplace2d", {.nx = 20});
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "alt-o", a.view());
    REQUIRE(m.varies());
    std::int64_t const n = a.rows();
    auto const b = random_vector<double>(int(3 * n), 4);
    std::vector<double> together(b.size()), alone(b.size());
    krylov_options const options{.tolerance = 1e-9};
    solve_columns(exec, "fgmres", op, m, b, together, 3, options);
    for (std::int64_t k = 0; k < 3; ++k)
        solve(exec, "fgmres", op, m, array_view<double const>(b).slice(k * n, n),
              array_view<double>(alone).slice(k * n, n), options);
    CHECK(together == alone);
}

#if !defined(COPPICE_TEST_CUDA) && defined(__GLIBC__)
TEST_CASE("columns: no thread can be started") {
    host_executor const exec{2};
    auto const a = generate<double>(exec, "laplace2d", {.nx = 8});
    csr_operator const op(exec, a);
    auto const m = make_preconditioner(exec, "jacobi", a.view());
    auto const b = random_vector<double>(3 * 64, 4);
    std::vector<double> x(b.size()), expected(b.size());
    solve_columns(exec, "cg", op, m, b, expected, 3, {}); // and the threads of the executor are available
    pthread_attr_t usual, huge;
    REQUIRE(pthread_getattr_default_np(&usual) == 0);
    REQUIRE(pthread_attr_init(&huge) == 0);
    REQUIRE(pthread_attr_setstacksize(&huge, std::size_t(1) << 46) == 0); // more than the address space
    REQUIRE(pthread_setattr_default_np(&huge) == 0);
    CHECK_THROWS_AS(solve_columns(exec, "cg", op, m, b, x, 3, {}), thread_error);
    REQUIRE(pthread_setattr_default_np(&usual) == 0);
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&usual);
    CHECK(x == std::vector<double>(b.size()));
    solve_columns(exec, "cg", op, m, b, x, 3, {});
    CHECK(x == expected);
}
#endif
