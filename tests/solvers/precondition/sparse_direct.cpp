// SPDX-License-Identifier: BSD-3-Clause
// The preconditioner "direct" compared with LAPACK and with residuals in extended precision.
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

#include <cmath>
#include <random>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// max_i |b - A x|_i / (|A| |x| + |b|)_i, in extended precision.
template <class T>
double backward_error(csr<T> const& a, std::vector<T> const& x, std::vector<T> const& b) {
    double worst = 0;
    auto const v = a.view();
    for (std::int64_t i = 0; i < a.rows(); ++i) {
        long double r = b[std::size_t(i)], size = std::abs(r);
        for (auto k = v.row_begin(i); k < v.row_end(i); ++k) {
            long double const term = (long double)(v.coefficients[k]) * x[std::size_t(v.indices[k])];
            r -= term;
            size += std::abs(term);
        }
        if (size > 0) worst = std::max(worst, double(std::abs(r) / size));
    }
    return worst;
}

template <class Executor, class T>
std::vector<T> apply_direct(Executor const& exec, csr<T> const& a, std::vector<T> const& b, char const* choice) {
    auto const there = exec.copy(a);
    auto const m = make_preconditioner(exec, choice, there.view());
    auto const right = exec.copy(b);
    buffer<T> z(exec, right.size());
    m.apply(exec, right.view(), z.view());
    return to_vector(exec, z);
}

/// Rows with a few random entries and no structure, each with an entry of a random permutation.
csr<double> scattered(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[std::size_t(i)] = i;
    std::shuffle(order.begin(), order.end(), random);
    dense m(n);
    for (int i = 0; i < n; ++i) {
        m(i, order[std::size_t(i)]) = 1 + value(random);
        for (int k = 0; k < 3; ++k) m(i, int(random() % unsigned(n))) = value(random);
    }
    return to_csr<double>(m);
}

/// [H B^T; B 0]: zeros on the diagonal of the last rows.
dense saddle_point(int n, int constraints, unsigned seed) {
    auto m = random_matrix(n, true, seed);
    for (int i = n - constraints; i < n; ++i) {
        for (int j = 0; j < n; ++j) m(i, j) = m(j, i) = 0;
        for (int k = 0; k < 3; ++k) {
            int const j = (7 * i + 11 * k) % (n - constraints);
            m(i, j) = m(j, i) = 1 + 0.1 * k;
        }
    }
    return m;
}

} // namespace

TEST_CASE_TEMPLATE("direct: small backward errors for matrices of any kind", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    std::vector<csr<double>> matrices;
    for (unsigned seed = 1; seed <= 20; ++seed) matrices.push_back(scattered(30 + int(seed) * 5, seed));
    for (unsigned seed = 1; seed <= 5; ++seed) matrices.push_back(to_csr<double>(saddle_point(90, 30, seed)));
    matrices.push_back(to_csr<double>(random_matrix(80, true, 3)));
    matrices.push_back(generate<double>(host_executor{1}, "convection", {.nx = 40}));
    matrices.push_back(generate<double>(host_executor{1}, "laplace2d", {.nx = 50}));
    for (auto const& a : matrices) {
        auto const b = random_vector<double>(int(a.rows()), 7);
        CHECK(backward_error(a, apply_direct(exec, a, b, "direct"), b) <= 1e-12);
        CHECK(backward_error(a, apply_direct(exec, a, b, "direct,method=lu"), b) <= 1e-12);
    }
}

TEST_CASE_TEMPLATE("direct: the factorisation is that of the matrix", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    auto const definite = exec.copy(to_csr<double>(random_matrix(80, true, 1)));
    auto const report = make_preconditioner(exec, "direct", definite.view()).report();
    CHECK(report.number("cholesky") == 1);
    CHECK(report.number("factor_nonzeros") >= 80);
    CHECK(report.number("fill") > 0);
    auto indefinite = random_matrix(80, true, 3);
    for (int i = 0; i < 80; i += 3) indefinite(i, i) *= -1;
    auto const other = exec.copy(to_csr<double>(indefinite));
    CHECK(make_preconditioner(exec, "direct", other.view()).report().number("cholesky") == 0);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,method=cholesky", other.view()),
                         doctest::Contains("method=cholesky requires a symmetric positive definite matrix"),
                         matrix_error);
    // A positive diagonal, and indefinite: [1 2; 2 1].
    dense pair(2);
    pair(0, 0) = pair(1, 1) = 1;
    pair(0, 1) = pair(1, 0) = 2;
    auto const small = exec.copy(to_csr<double>(pair));
    CHECK(make_preconditioner(exec, "direct", small.view()).report().number("cholesky") == 0);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,max-operations=1", definite.view()),
                         doctest::Contains("raise max-operations"), matrix_error);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,max-gigabytes=1e-9", definite.view()),
                         doctest::Contains("raise max-gigabytes"), matrix_error);
}

TEST_CASE_TEMPLATE("direct: powers of two change the solution by powers of two", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    auto const a = scattered(60, 5);
    auto const b = random_vector<double>(60, 3);
    auto const x = apply_direct(exec, a, b, "direct");
    for (int const power : {-900, -40, 40, 900}) {
        auto rows = host_executor{1}.copy(a);
        auto right = b;
        for (std::int64_t i = 0; i < a.rows(); ++i) { // powers of different rows
            int const of_row = i % 3 == 0 ? power : 0;
            auto const v = a.view();
            for (auto k = v.row_begin(i); k < v.row_end(i); ++k)
                rows.values()[std::size_t(k)] = std::ldexp(v.coefficients[k], of_row);
            right[std::size_t(i)] = std::ldexp(right[std::size_t(i)], of_row);
        }
        CHECK(apply_direct(exec, rows, right, "direct") == x);
    }
}

TEST_CASE_TEMPLATE("direct: float, complex numbers, unsorted rows, duplicates, tiny sizes", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    auto const m = random_matrix(50, false, 4);
    auto const b = random_vector<double>(50, 2);
    auto const x = apply_direct(exec, to_csr<double>(m), b, "direct");
    auto const rounded = apply_direct(exec, to_csr<float>(m), std::vector<float>(b.begin(), b.end()), "direct");
    for (std::size_t i = 0; i < 50; ++i) CHECK(double(rounded[i]) == doctest::Approx(x[i]).epsilon(1e-4));

    using complex = std::complex<double>;
    auto const real = to_csr<double>(m);
    csr<complex> complex_matrix{real.rows(), real.columns(), exec.copy(to_vector(host_executor{1}, real.row_offsets())),
                                exec.copy(to_vector(host_executor{1}, real.column_indices())),
                                exec.copy(std::vector<complex>(real.values().begin(), real.values().end()))};
    auto const p = make_preconditioner(exec, "direct", complex_matrix.view());
    std::vector<complex> right;
    for (double const v : b) right.emplace_back(0, v);
    auto const r = exec.copy(right);
    buffer<complex> z(exec, 50);
    p.apply(exec, r.view(), z.view());
    auto const found = to_vector(exec, z);
    for (std::size_t i = 0; i < 50; ++i) CHECK(std::abs(found[i] - complex(0, x[i])) <= 1e-12 * (1 + std::abs(x[i])));

    // Row 0: 1 + 2 at column 1, 1 at column 0.
    csr<double> const folded{2, 2, exec.copy(std::vector<std::int32_t>{0, 3, 4}),
                             exec.copy(std::vector<std::int32_t>{1, 0, 1, 1}),
                             exec.copy(std::vector<double>{1, 1, 2, 4})};
    auto const q = make_preconditioner(exec, "direct", folded.view());
    CHECK(apply(exec, q, {7, 8}) == std::vector<double>{1, 2});

    dense one(1);
    one(0, 0) = -4;
    CHECK(apply_direct(exec, to_csr<double>(one), std::vector<double>{8}, "direct") == std::vector<double>{-2});
    CHECK(apply_direct(exec, to_csr<double>(dense(0)), std::vector<double>{}, "direct").empty());
}

TEST_CASE_TEMPLATE("direct: singular matrices are refused, and refresh takes new values", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    auto m = random_matrix(40, false, 9);
    auto const a = exec.copy(to_csr<double>(m));
    auto p = make_preconditioner(exec, "direct", a.view());
    auto const b = random_vector<double>(40, 1);
    auto const x = apply(exec, p, b);
    auto doubled = to_csr<double>(m);
    for (double& v : doubled.values()) v *= 2;
    auto const there = exec.copy(doubled);
    p.refresh(exec, there.view());
    auto const half = apply(exec, p, b);
    for (std::size_t i = 0; i < 40; ++i) CHECK(half[i] == x[i] / 2);
    auto const elsewhere = exec.copy(to_csr<double>(random_matrix(40, false, 8)));
    CHECK_THROWS_AS(p.refresh(exec, elsewhere.view()), error);

    dense singular(3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) singular(i, j) = i + 1;
    auto const rank_one = exec.copy(to_csr<double>(singular));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct", rank_one.view()), doctest::Contains("singular"),
                         matrix_error);
    dense empty_row(3);
    empty_row(0, 0) = empty_row(2, 2) = 1;
    auto const structurally = exec.copy(to_csr<double>(empty_row));
    CHECK_THROWS_AS(make_preconditioner(exec, "direct", structurally.view()), matrix_error);
    auto poisoned = to_csr<double>(m);
    poisoned.values()[5] = std::nan("");
    auto const not_finite = exec.copy(poisoned);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct", not_finite.view()), doctest::Contains("is not finite"),
                         matrix_error);
}

TEST_CASE_TEMPLATE("auto: ends with the direct solver where no iteration converges", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    using Executor = std::remove_cvref_t<decltype(exec)>;
    // Central differences of a convection without diffusion: skew-symmetric, no diagonal.
    int const width = 90;
    double const weight[] = {1, std::sqrt(2.0)};
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) {
            auto const add = [&](int y, int x, double v) {
                if (y < 0 || y >= width || x < 0 || x >= width) return;
                columns.push_back(y * width + x);
                values.push_back(v);
            };
            add(i - 1, j, -weight[1]);
            add(i, j - 1, -weight[0]);
            add(i, j + 1, weight[0]);
            add(i + 1, j, weight[1]);
            offsets.push_back(std::int32_t(columns.size()));
        }
    int const n = width * width;
    csr<double> const host{n, n, host_executor{1}.copy(offsets), host_executor{1}.copy(columns),
                           host_executor{1}.copy(values)};
    auto const b = random_vector<double>(n, 1);
    auto const a = exec.copy(host);
    csr_operator<Executor, double> const op(exec, a.view());
    auto const right = exec.copy(b);
    auto x = exec.copy(std::vector<double>(std::size_t(n), 0.0));
    auto const found = solve_automatically(exec, op, right.view(), x.view(), {.krylov = {.tolerance = 1e-8}});
    CHECK(found.result.converged);
    CHECK(found.last().choice.preconditioner.starts_with("direct"));
    CHECK(found.attempts.size() > 1);
}
