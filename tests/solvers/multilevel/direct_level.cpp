// SPDX-License-Identifier: BSD-3-Clause
// The inverse of the last level: elimination without pivoting on the executor, matrices for which it fails, and its use
// in a multilevel method.
#include <coppice/multilevel.hpp>
#include <coppice/solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "support/executors.hpp"
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/multilevel/direct_level.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Returns the largest entry of A inverse - I, with inverse[n, n].
double distance_of_inverse(csr<double> const& a, std::vector<double> const& inverse) {
    std::int64_t const n = a.rows();
    double largest = 0;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            long double sum = i == j ? -1 : 0;
            for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
                sum += (long double)a.values()[k] * inverse[std::size_t(a.column_indices()[k] * n + j)];
            largest = std::max(largest, double(std::abs(sum)));
            if (std::isnan(double(sum))) return double(sum);
        }
    return largest;
}
csr<double> scaled(csr<double> a, double factor) {
    for (double& v : a.values()) v *= factor;
    return a;
}
/// Path of n unknowns whose rows sum to zero.
csr<double> closed_path(int n) {
    std::vector<int> offsets{0}, indices;
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
        for (int const j : {i - 1, i, i + 1})
            if (j >= 0 && j < n) {
                indices.push_back(j);
                values.push_back(j != i ? -1 : i == 0 || i == n - 1 ? 1 : 2);
            }
        offsets.push_back(int(indices.size()));
    }
    host_executor const host{1};
    return {n, n, copy_of(host, offsets), copy_of(host, indices), copy_of(host, values)};
}

} // namespace

TEST_CASE_TEMPLATE("dense elimination: the inverse of matrices of levels", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    auto const check = [&](csr<double> const& a) {
        std::int64_t const n = a.rows();
        bool const symmetric = is_symmetric(host, a.view());
        CAPTURE(n);
        CAPTURE(symmetric);
        auto const local = exec.copy(a);
        buffer<double> inverse(exec, n * n);
        multilevel_detail::invert_by_elimination(exec, local.view(), inverse.data());
        auto const found = to_vector(exec, inverse.view());
        CHECK(distance_of_inverse(a, found) < 1e-11);
        bool mirrored = true;
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < i; ++j)
                mirrored = mirrored && found[std::size_t(i * n + j)] == found[std::size_t(j * n + i)];
        CHECK(mirrored == symmetric);
    };
    for (std::int64_t const nx : {1, 2, 7, 8, 9, 31}) {
        check(generate<double>(host, "laplace2d", {.nx = nx, .ny = 1}));
        check(generate<double>(host, "laplace2d", {.nx = nx, .ny = 9}));
        check(generate<double>(host, "convection", {.nx = nx, .ny = 7}));
    }
    check(generate<double>(host, "laplace2d", {.nx = 40, .ny = 13})); // a worker has 16 rows, the last one 8
    check(scaled(generate<double>(host, "rotated", {.nx = 12, .angle = 30, .ratio = 0.01}), 0x1p800));
    check(scaled(generate<double>(host, "convection", {.nx = 12}), -0x1p-800));
}

TEST_CASE_TEMPLATE("direct level: pivoting is used if elimination without it fails", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using executor_type = std::remove_const_t<decltype(exec)>;
    constexpr bool on_device = !std::is_same_v<executor_type, host_executor>;
    host_executor const host{1};
    multilevel_detail::direct_level<executor_type, double, std::int32_t> level;
    auto const good = exec.copy(generate<double>(host, "laplace2d", {.nx = 20}));
    CHECK(level.eliminate(exec, good.view()) == on_device);
    // Pivots are zero, although the matrix is nonsingular.
    csr<double> const exchange{2, 2, copy_of(host, std::vector{0, 1, 2}), copy_of(host, std::vector{1, 0}),
                               copy_of(host, std::vector{4.0, 2.0})};
    auto const zero_pivots = exec.copy(exchange);
    CHECK(!level.eliminate(exec, zero_pivots.view()));
    level.fill(exec, zero_pivots.view());
    auto const b = exec.copy(std::vector{3.0, 8.0});
    buffer<double> x(exec, 2);
    level.solve(exec, b.data(), x.data());
    CHECK(to_vector(exec, x.view()) == std::vector{4.0, 0.75});
    // Singular matrices, and NaN.
    for (int const n : {5, 64, 200}) {
        auto const path = exec.copy(closed_path(n));
        CHECK(!level.eliminate(exec, path.view()));
        level.fill(exec, path.view()); // without the last unknown
        auto const ones = exec.copy(std::vector<double>(std::size_t(n), 1.0));
        buffer<double> y(exec, n);
        level.solve(exec, ones.data(), y.data());
        for (double const v : to_vector(exec, y.view())) CHECK(std::isfinite(v));
    }
    for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto a = generate<double>(host, "laplace2d", {.nx = 5});
        a.values()[17] = bad;
        auto const local = exec.copy(a);
        CHECK(!level.eliminate(exec, local.view()));
    }
}

TEST_CASE_TEMPLATE("multilevel: a device stops at a level that it can invert", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using executor_type = std::remove_const_t<decltype(exec)>;
    constexpr bool on_device = !std::is_same_v<executor_type, host_executor>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 120}));
    using multilevel = multilevel_preconditioner<executor_type, double>;
    multilevel const usual(exec, a.view(), {.coarsest = multilevel_options::usual_coarsest});
    multilevel const chosen(exec, a.view());
    auto const levels = chosen.report().levels;
    CHECK(usual.report().levels.back().rows <= 128);
    CHECK(chosen.report().direct);
    CHECK(chosen.report().end == coarsening_end::small);
    CHECK(levels.size() == usual.report().levels.size() - (on_device ? 1 : 0));
    CHECK((levels.back().rows > 128) == on_device);

    csr_operator<executor_type, double> const op(exec, a.view());
    auto const b = exec.copy(std::vector<double>(std::size_t(a.rows()), 1.0));
    auto const iterations = [&](multilevel const& m) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        auto const result = solve(exec, "cg", op, m, b.view(), x.view(), {.tolerance = 1e-8, .max_iterations = 100});
        CHECK(result.converged);
        return result.iterations;
    };
    auto const before = iterations(chosen);
    CHECK(before <= iterations(usual));
    // refresh() with the values times 3: the levels stay the same, and so does the number of iterations.
    multilevel again(exec, a.view());
    auto const larger = exec.copy(scaled(generate<double>(host_executor{1}, "laplace2d", {.nx = 120}), 3));
    again.refresh(exec, larger.view());
    CHECK(iterations(again) == before);
}
