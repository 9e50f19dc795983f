// SPDX-License-Identifier: BSD-3-Clause
// The preconditioner "direct" compared with LAPACK and with residuals in extended precision.
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/solve/solve_automatically.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/core/host/interruption.hpp>
#include <coppice/solvers/precondition/sparse_direct/band_order.hpp>
#include <coppice/solvers/precondition/sparse_direct/sparse_factors.hpp>
#include <coppice/solvers/precondition/sparse_direct/transversal.hpp>

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
    auto const two = apply(exec, q, {7, 8});
    CHECK(two[0] == doctest::Approx(1).epsilon(1e-14));
    CHECK(two[1] == doctest::Approx(2).epsilon(1e-14));

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

/// Laplacian of a graph of n vertices in which i is connected with i - 1 and i - distance, with random weights, of
/// which some are very large; `columns`: a rate matrix, whose columns sum to zero.
dense laplacian(int n, int distance, bool weighted, bool columns, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(0.1, 1);
    dense m(n);
    for (int i = 1; i < n; ++i)
        for (int const j : {i - 1, i - distance})
            if (j >= 0)
                for (auto const& [row, column] : {std::pair{i, j}, std::pair{j, i}}) {
                    double const weight = weighted ? value(random) * (random() % 8 == 0 ? 1e6 : 1) : 1;
                    if (!columns && column > row) continue;
                    m(row, column) -= weight, m(column, column) += weight;
                    if (!columns) m(column, row) -= weight, m(row, row) += weight;
                }
    return m;
}

TEST_CASE_TEMPLATE("direct: matrices whose rows or columns sum to zero are singular", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    auto const check = [&]<class T>(T, dense const& m, bool singular) {
        auto const a = exec.copy(to_csr<T>(m));
        if (singular)
            CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct", a.view()), doctest::Contains("singular"),
                                 matrix_error);
        else
            CHECK_NOTHROW(make_preconditioner(exec, "direct", a.view()));
    };
    for (int const n : {2, 3, 10, 50, 150})
        for (int const distance : {1, 3, 20}) // path; few bands; more bands than the band solver takes
            for (bool const weighted : {false, true})
                for (bool const columns : {false, true}) {
                    CAPTURE(n);
                    CAPTURE(distance);
                    CAPTURE(weighted);
                    CAPTURE(columns);
                    auto m = laplacian(n, distance, weighted, columns, unsigned(n));
                    auto pair = dense(2 * n); // and a second component, which is not singular
                    for (int i = 0; i < n; ++i) {
                        pair(n + i, n + i) = 1;
                        for (int j = 0; j < n; ++j) pair(i, j) = std::ldexp(m(i, j), 1000);
                    }
                    check(1.0, m, true);
                    check(std::complex<double>(), m, true);
                    if (!weighted) check(1.0f, m, true);
                    check(1.0, pair, true);
                    m(n / 2, n / 2) *= 1 + 1e-10;
                    check(1.0, m, false);
                }
    // Other values on the same pattern.
    auto m = laplacian(20, 1, false, false, 1);
    auto const singular = exec.copy(to_csr<double>(m));
    for (int i = 0; i < 20; ++i) m(i, i) += 1;
    auto const regular = exec.copy(to_csr<double>(m));
    auto p = make_preconditioner(exec, "direct", regular.view());
    CHECK_THROWS_AS(p.refresh(exec, singular.view()), matrix_error);
    p.refresh(exec, regular.view());
    std::vector<double> const ones(20, 1);
    for (double const x : apply(exec, p, ones)) CHECK(x == doctest::Approx(1).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("direct: factors on the device where cuDSS is installed", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const general = generate<double>(host_executor{1}, "convection", {.nx = 30});
    auto const there = exec.copy(general);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(exec)>, host_executor>) {
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,method=cudss", there.view()),
                             doctest::Contains("method=cudss is for the CUDA backend"), argument_error);
        return;
    } else if (!has_cudss()) {
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,method=cudss", there.view()),
                             doctest::Contains("use method=auto"), backend_error);
        MESSAGE("skipped: cuDSS was not found");
        return;
    }
    for (auto const choice : {"direct", "direct,method=cudss"}) {
        auto const report = make_preconditioner(exec, choice, there.view()).report();
        CHECK(report.number("cudss") == 1);
        CHECK(report.number("factor_nonzeros") >= double(general.nonzeros()));
        CHECK(report.number("estimated_gigabytes") > 0);
        CHECK(report.number("estimated_operations") > 0);
    }
    // The same bits each time.
    auto const b = random_vector<double>(int(general.rows()), 7);
    auto p = make_preconditioner(exec, "direct,method=cudss", there.view());
    auto const x = apply(exec, p, b);
    CHECK(backward_error(general, x, b) <= 1e-12);
    CHECK(apply(exec, make_preconditioner(exec, "direct,method=cudss", there.view()), b) == x);
    auto changed = host_executor{1}.copy(general);
    for (std::int64_t k = 0; k < changed.nonzeros(); ++k) changed.values()[k] *= k % 3 == 0 ? 1.25 : 1;
    auto const other = exec.copy(changed);
    p.refresh(exec, other.view());
    CHECK(backward_error(changed, apply(exec, p, b), b) <= 1e-12);
    p.refresh(exec, there.view());
    CHECK(backward_error(general, apply(exec, p, b), b) <= 1e-12);
}

TEST_CASE("direct: the transversal maximises the product, and its scalings belong to it") {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> value(0, 1);
    for (int trial = 0; trial < 300; ++trial) {
        int const n = 1 + trial % 6;
        dense m(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (random() % 5 < 3) m(i, j) = std::ldexp(value(random), int(random() % 20) - 10);
        std::vector<int> order(static_cast<std::size_t>(n)); // all permutations
        for (int i = 0; i < n; ++i) order[std::size_t(i)] = i;
        double best = 0;
        int largest = 0;
        do {
            double product = 1;
            int edges = 0;
            for (int i = 0; i < n; ++i) {
                product *= m(i, order[std::size_t(i)]);
                edges += m(i, order[std::size_t(i)]) > 0 ? 1 : 0;
            }
            best = std::max(best, product);
            largest = std::max(largest, edges);
        } while (std::next_permutation(order.begin(), order.end()));
        auto const a = to_csr<double>(m);
        auto const found = detail::maximum_product_transversal(a.view());
        CHECK(found.matched == largest);
        CHECK((found.first_unmatched() < 0) == (best > 0));
        if (!(best > 0)) continue;
        double product = 1;
        for (int i = 0; i < n; ++i) {
            product *= m(i, found.column_of[std::size_t(i)]);
            for (int j = 0; j < n; ++j) {
                double const scaled =
                    std::ldexp(m(i, j), -found.row_power[std::size_t(i)] - found.column_power[std::size_t(j)]);
                CHECK(scaled <= 2 * (1 + 1e-12));
                if (j == found.column_of[std::size_t(i)]) CHECK(scaled >= 0.5 * (1 - 1e-12));
            }
        }
        CHECK(product == doctest::Approx(best).epsilon(1e-10));
    }
}

TEST_CASE("direct: an order with few bands is found if there is one") {
    std::mt19937 random(5);
    auto const permuted = [&](int n, int lower, int upper, bool shuffle) {
        std::vector<int> order(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) order[std::size_t(i)] = i;
        if (shuffle) std::shuffle(order.begin(), order.end(), random);
        coo<double> entries{n, n};
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - lower); j <= std::min(n - 1, i + upper); ++j)
                entries.add(order[std::size_t(i)], order[std::size_t(j)], 1 + (i + 2 * j) % 7);
        return to_csr(host_executor{1}, std::move(entries));
    };
    for (int const n : {1, 2, 30, 3000}) {
        auto const given = permuted(n, 3, 2, false);
        auto const as_is = detail::find_band_order(detail::pattern_view(given.view()), 3);
        REQUIRE(as_is.has_value());
        CHECK(as_is->position.empty());
        CHECK(as_is->lower == std::min(n - 1, 3));
        CHECK(as_is->upper == std::min(n - 1, 2));
        auto const mixed = permuted(n, 3, 3, true);
        auto const found = detail::find_band_order(detail::pattern_view(mixed.view()), 8);
        REQUIRE(found.has_value());
        int widest = 0;
        auto const v = mixed.view();
        for (int i = 0; i < n; ++i)
            for (auto k = v.row_begin(i); k < v.row_end(i); ++k)
                if (!found->position.empty())
                    widest = std::max(
                        widest, std::abs(found->position[std::size_t(i)] - found->position[std::size_t(v.indices[k])]));
        CHECK(widest <= std::max(found->lower, found->upper));
        CHECK(widest <= 8);
    }
    for (auto const kind : {"laplace2d", "laplace3d"}) {
        auto const grid = generate<double>(host_executor{1}, kind, {.nx = 30});
        CHECK_FALSE(detail::find_band_order(detail::pattern_view(grid.view()), 8).has_value());
    }
    dense star(40); // one long row
    for (int i = 0; i < 40; ++i) star(i, i) = star(0, i) = star(i, 0) = 1;
    CHECK_FALSE(detail::find_band_order(detail::pattern_view(view_of(to_csr<double>(star))), 8).has_value());
}

TEST_CASE_TEMPLATE("direct: bands in any order, orders by name, and matched rows", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    int const n = 500;
    std::mt19937 random(3);
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[std::size_t(i)] = i;
    std::shuffle(order.begin(), order.end(), random);
    coo<double> entries{n, n};
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - 3); j <= std::min(n - 1, i + 3); ++j)
            entries.add(order[std::size_t(i)], order[std::size_t(j)], i == j ? 0.1 : 1 + (i + 2 * j) % 7);
    auto const bands = to_csr(host_executor{1}, std::move(entries));
    auto const b = random_vector<double>(n, 7);
    CHECK(backward_error(bands, apply_direct(exec, bands, b, "direct"), b) <= 1e-12);
    auto const there = exec.copy(bands);
    CHECK(make_preconditioner(exec, "direct", there.view()).report().number("bands") == 1);

    auto const saddle = to_csr<double>(saddle_point(90, 30, 2));
    auto const right = random_vector<double>(90, 7);
    for (auto const choice : {"direct,order=symmetric", "direct,order=matched", "direct,order=columns"})
        CHECK(backward_error(saddle, apply_direct(exec, saddle, right, choice), right) <= 1e-12);
    dense full(50); // as many products in A^T A as the automatic choice computes: 50 times the nonzeros
    for (int i = 0; i < 50; ++i)
        for (int j = 0; j < 50; ++j) full(i, j) = 1 + (i * j) % 7 + (i == j ? 30 : 0);
    auto const full_matrix = to_csr<double>(full);
    auto const ones = std::vector<double>(50, 1.0);
    CHECK(backward_error(full_matrix, apply_direct(exec, full_matrix, ones, "direct,order=columns"), ones) <= 1e-12);
    dense arrow(200); // a requested order is not refused for a dense row
    for (int i = 0; i < 200; ++i) arrow(i, i) = 201, arrow(0, i) += 1, arrow(i, 0) += 1;
    auto const arrow_matrix = to_csr<double>(arrow);
    auto const arrow_rhs = random_vector<double>(200, 7);
    CHECK(backward_error(arrow_matrix, apply_direct(exec, arrow_matrix, arrow_rhs, "direct,method=lu,order=columns"),
                         arrow_rhs) <= 1e-12);
    auto const on_exec = exec.copy(saddle);
    CHECK(make_preconditioner(exec, "direct,order=matched", on_exec.view()).report().number("matched") == 1);
    dense empty_columns(30); // two rows with one column
    for (int i = 0; i < 30; ++i)
        for (int j = 0; j < 30; ++j) empty_columns(i, j) = i < 2 ? (j == 4 ? 1 : 0) : 1 + (i * j) % 5;
    auto const structurally = exec.copy(to_csr<double>(empty_columns));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct", structurally.view()),
                         doctest::Contains("only 29 of its 30 rows can be matched"), matrix_error);
    if (!has_suitesparse())
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, "direct,method=klu", there.view()),
                             doctest::Contains("COPPICE_SUITESPARSE=ON"), argument_error);
    else
        for (auto const choice : {"direct,method=klu", "direct,method=umfpack"})
            CHECK(backward_error(bands, apply_direct(exec, bands, b, choice), b) <= 1e-12);
}

TEST_CASE("direct: a factorisation can be interrupted") {
    if (!has_sparse_direct()) return;
    struct at_once final : interruption {
        bool requested() override { return true; }
    };
    host_executor const exec{1};
    auto const definite = generate<double>(exec, "laplace2d", {.nx = 300});
    auto const general = generate<double>(exec, "convection", {.nx = 200});
    for (auto const* a : {&definite, &general}) {
        auto const on_host = a->view();
        at_once request;
        interruption::scope const scope(&request);
        CHECK_THROWS_AS((detail::sparse_factors<double>(on_host, {})), interrupted);
    }
}

namespace {

/// Central differences of a convection without diffusion: skew-symmetric but for the diagonal.
csr<double> convection_without_diffusion(int width, double diagonal) {
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
            if (diagonal != 0) add(i, j, diagonal);
            add(i, j + 1, weight[0]);
            add(i + 1, j, weight[1]);
            offsets.push_back(std::int32_t(columns.size()));
        }
    host_executor const host{1};
    int const n = width * width;
    return {n, n, host.copy(offsets), host.copy(columns), host.copy(values)};
}

} // namespace

TEST_CASE_TEMPLATE("auto: ends with the direct solver where no iteration converges", Fixture, COPPICE_TEST_EXECUTORS) {
    if (!has_sparse_direct()) return;
    auto const exec = Fixture::exec();
    using Executor = std::remove_cvref_t<decltype(exec)>;
    constexpr bool on_host = std::is_same_v<Executor, host_executor>;
    for (double const diagonal : {0.0, 1e-12}) {
        auto const a = exec.copy(convection_without_diffusion(90, diagonal));
        csr_operator<Executor, double> const op(exec, a.view());
        auto const right = exec.copy(random_vector<double>(a.rows(), 1));
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows()), 0.0));
        auto const found = solve_automatically(exec, op, right.view(), x.view(), {.krylov = {.tolerance = 1e-8}});
        CHECK(found.result.converged);
        CHECK(found.last().choice.preconditioner.starts_with("direct"));
        // On the host a matrix without diagonal is factorised before any iteration, if this takes little time.
        CHECK((found.attempts.size() > 1) == (diagonal != 0 || !on_host));
    }
}
