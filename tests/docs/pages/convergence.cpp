// SPDX-License-Identifier: BSD-3-Clause
// The examples of docs/guide/convergence.md; regions between the markers are in the page word for word.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/solve.hpp>

namespace {

// [begin]
/// Lists conditions that the matrix does not satisfy, one per line. Read this first if a solve did not converge.
std::string inspect(coppice::host_executor const& exec, coppice::csr_view<double> a) {
    std::ostringstream text;
    coppice::validate(exec, a, {.finite = true}); // throws, and names the row
    auto const info = coppice::describe(exec, a);
    if (!info.symmetric_values) text << "not symmetric: no cg, minres, ic0\n";
    if (info.zero_diagonals > 0) text << info.zero_diagonals << " zero or missing diagonal entries: no jacobi\n";
    auto const traits = coppice::traits_of(exec, a);
    if (!traits.positive_diagonal) text << "a diagonal entry is not positive: not positive definite, so no cg\n";
    if (info.diagonal_coverage < 0.1)
        text << "diagonal_coverage " << info.diagonal_coverage << ": diagonals do little\n";
    return text.str();
}
// [end]

coppice::csr<double> matrix(int n, double diagonal, double lower, double upper) {
    coppice::host_executor const exec;
    coppice::coo<double> entries{.rows = n, .columns = n};
    for (int i = 0; i < n; ++i) {
        if (diagonal != 0) entries.add(i, i, diagonal);
        if (i > 0) entries.add(i, i - 1, lower);
        if (i + 1 < n) entries.add(i, i + 1, upper);
    }
    return coppice::to_csr(exec, entries);
}

coppice::krylov_result solve_with(coppice::csr<double> const& a, char const* method, char const* preconditioner,
                                  std::vector<double> const& b, std::vector<double>& x,
                                  coppice::krylov_options const& options = {}) {
    coppice::host_executor const exec(2);
    auto const m = coppice::make_preconditioner(exec, preconditioner, a.view());
    return coppice::solve(exec, method, coppice::csr_operator(exec, a.view()), m, b, x, options);
}

} // namespace

TEST_CASE("did not converge: what the matrix does not satisfy") {
    coppice::host_executor const exec(2);
    auto const lines_of = [&](coppice::csr<double> const& a) { return inspect(exec, a); };
    CHECK(lines_of(coppice::laplace2d<double>(exec, 9, 9)).empty());
    CHECK(lines_of(matrix(9, 4, -1, -2)) == "not symmetric: no cg, minres, ic0\n");
    CHECK(lines_of(matrix(9, 0, -1, -1)).find("9 zero or missing diagonal entries") != std::string::npos);
    CHECK(lines_of(matrix(9, -2, 1, 1)).find("not positive definite") != std::string::npos);
    auto const broken = matrix(9, std::nan(""), 1, 1);
    CHECK_THROWS_AS(lines_of(broken), coppice::matrix_error);
}

TEST_CASE("did not converge: each reason, and what helps") {
    using coppice::krylov_reason;
    coppice::host_executor const exec(2);
    auto const grid = coppice::laplace2d<double>(exec, 60, 60);
    std::vector<double> const b(3600, 1.0);
    std::vector<double> x(3600, 0.0);

    // max_iterations: a better preconditioner.
    auto const limited = solve_with(grid, "cg", "none", b, x, {.max_iterations = 30});
    CHECK(limited.reason == krylov_reason::max_iterations);
    CHECK(limited.relative_residual > 1e-6);
    CHECK(solve_with(grid, "cg", "multilevel", b, x, {.max_iterations = 30}).converged); // continues from x

    // slow: ends before the limit is reached.
    std::fill(x.begin(), x.end(), 0.0);
    auto const slow = solve_with(grid, "cg", "none", b, x, {.tolerance = 1e-12, .max_remaining = 20});
    CHECK(slow.reason == krylov_reason::slow);
    CHECK(slow.iterations < 30);

    // breakdown: cg requires a positive definite matrix. minres also solves symmetric indefinite systems.
    auto const both_signs = matrix(100, 0, 1, 1);
    std::vector<double> exact(100), rhs(100), y(100, 0.0);
    for (std::size_t i = 0; i < 100; ++i) exact[i] = 1 + double(i % 3);
    coppice::csr_operator(exec, both_signs.view()).apply(exec, exact, rhs);
    std::vector<double> first(100, 0.0);
    first[0] = 1; // r^T A r = 0
    auto const broken = solve_with(both_signs, "cg", "none", first, y);
    CHECK(broken.reason == krylov_reason::breakdown);
    std::fill(y.begin(), y.end(), 0.0);
    CHECK(solve_with(both_signs, "minres", "none", rhs, y, {.tolerance = 1e-10}).converged);

    // stagnated: the tolerance is below what the precision allows.
    std::fill(x.begin(), x.end(), 0.0);
    auto const limit = solve_with(grid, "cg", "multilevel", b, x, {.tolerance = 1e-30});
    CHECK(limit.reason == krylov_reason::stagnated);
    CHECK(limit.relative_residual < 1e-12);

    // not_finite: fault names the element.
    auto nan = b;
    nan[7] = std::numeric_limits<double>::quiet_NaN();
    auto const invalid = solve_with(grid, "cg", "none", nan, x);
    CHECK(invalid.reason == krylov_reason::not_finite);
    CHECK(invalid.fault.find("7") != std::string::npos);
}

TEST_CASE("did not converge: attempts of the automatic choice, and the history") {
    coppice::host_executor const exec(2);
    auto const a = coppice::laplace2d<double>(exec, 60, 60);
    std::vector<double> const b(3600, 1.0);
    std::vector<double> x(3600, 0.0);
    std::ostringstream text;
    // clang-format off
// [begin]
coppice::csr_operator const op(exec, a.view());
auto const found = coppice::solve_automatically(exec, op, b, x, {.krylov = {.tolerance = 1e-9}});
for (auto const& attempt : found.attempts) {
    text << attempt.choice.solver << ", " << attempt.choice.preconditioner << ": ";
    if (!attempt.refusal.empty()) text << "not possible, " << attempt.refusal << '\n';
    else text << attempt.result.iterations << " iterations, " << to_string(attempt.result.reason) << '\n';
}
// [end]
    // clang-format on
    CHECK(found.result.converged);
    CHECK(text.str().find("cg, ") == 0);
    CHECK(text.str().find("converged") != std::string::npos);
    CHECK(found.result.residual_history.size() >= 2);

    // clang-format off
// [begin]
coppice::krylov_options options{.tolerance = 1e-9};
options.progress = [&](std::int64_t iteration, double residual) {
    if (iteration % 10 == 0) text << iteration << ' ' << residual << '\n';
    return residual < 1e6; // false ends the solve as `cancelled`, with the best x
};
// [end]
    // clang-format on
    text.str("");
    std::fill(x.begin(), x.end(), 0.0);
    CHECK(solve_with(a, "cg", "jacobi", b, x, options).converged);
    CHECK(("\n" + text.str()).find("\n10 ") != std::string::npos);
}
