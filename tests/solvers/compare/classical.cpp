// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/compare/classical.hpp>

#include <cmath>

#include "solvers/compare/classical_batch.hpp"
#include "solvers/tridiagonal_reference.hpp"
#include "support/counted.hpp"
#include "support/executors.hpp"
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>

using namespace coppice;
using namespace coppice::test;
using method = classical_algorithm;

namespace {

constexpr method methods[] = {method::thomas, method::cr,    method::pcr,       method::rd,
                              method::cr_pcr, method::cr_rd, method::rd_scaled, method::cr_rd_scaled};

#if !defined(COPPICE_TEST_CUDA) // counted on the host, where one worker is the team
/// Number of operations of one algorithm for n diagonally dominant equations.
std::pair<double, double> count_operations(method which, int n, int intermediate) {
    std::vector<counted> memory(std::size_t(4 * n + classical::extra_elements(which, n, intermediate, 8)));
    auto const e = classical::equations_at(memory.data(), n);
    for (int i = 0; i < n; ++i)
        e.set(i, {counted(i > 0 ? -1 : 0), counted(4), counted(i < n - 1 ? -1 : 0), counted(1)});
    counted::operations = counted::divisions = 0;
    classical::solve(chain::alone{}, which, e, memory.data() + 4 * n, intermediate, 8);
    return {double(counted::operations), double(counted::divisions)};
}
#endif

/// `systems` systems: -1 <= a, c < 1, |b| from U(low, high); NaN outside of each system.
template <class T>
test::system<T> batch_of(std::int64_t systems, std::int64_t n, double low, double high, std::uint64_t seed) {
    test::system<T> s(systems * n);
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> band(-1, 1), middle(low, high);
    for (std::int64_t i = 0; i < systems * n; ++i) {
        auto const at = std::size_t(i);
        s.lower[at] = i % n == 0 ? T(0) : T(band(engine));
        s.diagonal[at] = T(middle(engine));
        s.upper[at] = i % n == n - 1 ? T(0) : T(band(engine));
    }
    give_solution(s, seed);
    for (std::int64_t k = 0; k < systems; ++k)
        s.lower[std::size_t(k * n)] = s.upper[std::size_t(k * n + n - 1)] = std::numeric_limits<T>::quiet_NaN();
    return s;
}

template <class T>
test::system<T> split_every(test::system<T> s, std::int64_t n) {
    for (std::int64_t i = 0; i < s.size(); i += n) s.lower[std::size_t(i)] = s.upper[std::size_t(i + n - 1)] = 0;
    return s;
}

} // namespace

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("classical: the operations of Table 1") {
    // Arithmetic operations and divisions for n equations, m of which are left to the second method of a hybrid.
    for (int const n : {256, 1024}) {
        double const logn = std::log2(n);
        int const m = 64;
        double const logm = std::log2(m);
        auto const near = [](double counted_operations, double expected) {
            return std::abs(counted_operations - expected) <= 0.12 * expected;
        };
        CAPTURE(n);
        CHECK(near(count_operations(method::thomas, n, m).first, 8.0 * n));
        CHECK(near(count_operations(method::cr, n, m).first, 17.0 * n));
        CHECK(near(count_operations(method::cr, n, m).second, 3.0 * n));
        CHECK(near(count_operations(method::pcr, n, m).first, 12.0 * n * logn));
        CHECK(near(count_operations(method::pcr, n, m).second, 2.0 * n * logn + n));
        // The first stride matrices of a scan step are final: n (log n - 1) + 1 products instead of n log n.
        CHECK(near(count_operations(method::rd, n, m).first, 20.0 * (n * (logn - 1) + 1) + 6 * n));
        CHECK(count_operations(method::rd, n, m).second <= 3.0 * n + 1); // none in the scan
        CHECK(near(count_operations(method::cr_pcr, n, m).first, 17.0 * (n - m) + 12 * m * logm));
        CHECK(near(count_operations(method::cr_rd, n, m).first, 17.0 * (n - m) + 20 * (m * (logm - 1) + 1) + 6 * m));
    }
}
#endif

TEST_CASE_TEMPLATE("classical: every algorithm, any size, diagonally dominant", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {1, 2, 3, 5, 8, 17, 31, 64, 100, 257, 512})
        for (method const which : methods) {
            bool const doubling = which == method::rd || which == method::cr_rd;
            CAPTURE(n);
            CAPTURE(int(which));
            // Recursive doubling loses as many digits as its matrix products grow by, so it is tested with small sizes
            // only.
            if (doubling && n > 8) continue;
            auto const s = batch_of<double>(9, n, 3, 4, std::uint64_t(n));
            auto const x = solve_batch(exec, s, 9, {which, 8});
            CHECK(backward_error(split_every(s, n), x) <= (doubling ? 1e-3 : 1e-14));
            auto const f = batch_of<float>(9, n, 3, 4, std::uint64_t(n));
            if (!doubling) CHECK(backward_error(split_every(f, n), solve_batch(exec, f, 9, {which, 8})) <= 1e-5);
        }
}

TEST_CASE_TEMPLATE("classical: the accuracy experiment of section 5.4", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Diagonally dominant systems: cyclic reduction is as accurate as LAPACK, recursive doubling overflows.
    auto const dominant = batch_of<float>(8, 512, 4, 5, 1);
    auto const close = [] { // coefficients of similar magnitude in each row, not dominant
        test::system<float> s(8 * 512);
        std::mt19937_64 engine(2);
        std::uniform_real_distribution<double> wiggle(0.95, 1.05), level(1, 10);
        for (std::size_t i = 0; i < s.rhs.size(); ++i) {
            double const row = level(engine);
            s.lower[i] = i % 512 == 0 ? 0.0f : float(row * wiggle(engine));
            s.diagonal[i] = float(row * wiggle(engine));
            s.upper[i] = i % 512 == 511 ? 0.0f : float(row * wiggle(engine));
        }
        give_solution(s, 2);
        return s;
    }();
    for (method const which :
         {method::thomas, method::cr, method::pcr, method::cr_pcr, method::rd_scaled, method::cr_rd_scaled}) {
        CAPTURE(int(which));
        CHECK(backward_error(split_every(dominant, 512), solve_batch(exec, dominant, 8, {which, 128})) <= 1e-6);
    }
    CHECK(std::isinf(backward_error(split_every(dominant, 512), solve_batch(exec, dominant, 8, {method::rd}))));
    // The scaled form handles minors far outside of the range of the type, in both directions.
    for (float const level : {1e-18f, 1e18f}) {
        auto far = dominant;
        for (auto* const band : {&far.lower, &far.diagonal, &far.upper, &far.rhs})
            for (float& value : *band) value *= level;
        for (method const which : {method::rd_scaled, method::cr_rd_scaled})
            CHECK(backward_error(split_every(far, 512), solve_batch(exec, far, 8, {which, 128})) <= 1e-6);
    }
    // Coefficients of similar magnitude: recursive doubling does not overflow; LAPACK, which pivots, is more accurate
    // than all methods without pivoting.
    auto const worst = [&](method which) {
        return backward_error(split_every(close, 512), solve_batch(exec, close, 8, {which, 128}));
    };
    CHECK(std::isfinite(worst(method::rd)));
    CHECK(std::isfinite(worst(method::rd_scaled)));
    test::system<double> wide(close.size());
    for (std::size_t i = 0; i < wide.rhs.size(); ++i) {
        wide.lower[i] = close.lower[i], wide.diagonal[i] = close.diagonal[i], wide.upper[i] = close.upper[i];
        wide.rhs[i] = close.rhs[i];
    }
    double const pivoting = backward_error(wide, lapack_solution(wide));
    CHECK(pivoting < worst(method::cr) / 1e6);
    CHECK(worst(method::cr) > 1e-8);
}

TEST_CASE_TEMPLATE("classical: messages for wrong arguments", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    buffer<float> band(exec, 12), x(exec, 12);
    tridiagonal_view<float> const a{12, band.data(), band.data(), band.data()};
    auto const d = array_view<float const>(band.view());
    CHECK_THROWS_AS(solve_classical(exec, a, 5, d, x.view()), argument_error);
    CHECK_THROWS_AS(solve_classical(exec, a, 0, d, x.view()), argument_error);
    CHECK_THROWS_AS(solve_classical(exec, a, -1, d, x.view()), argument_error);
    CHECK_THROWS_AS(solve_classical(exec, a, 3, d.slice(0, 11), x.view()), dimension_error);
    CHECK_THROWS_AS(solve_classical(exec, a, 3, d, x.view(), {method(int(classical::last_algorithm) + 1)}),
                    argument_error);
    CHECK_THROWS_AS(solve_classical(exec, a, 3, d, x.view(), {method::cr_pcr, 0}), argument_error);
    CHECK_THROWS_AS(solve_classical(exec, a, 3, d, x.view(), {method::spike, 128, 0}), argument_error);
    CHECK_THROWS_AS(
        solve_classical(exec, tridiagonal_view<float>{12, nullptr, band.data(), band.data()}, 3, d, x.view()),
        argument_error);
    solve_classical(exec, tridiagonal_view<float>{}, 0, array_view<float const>{}, array_view<float>{});
}
