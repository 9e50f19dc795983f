// SPDX-License-Identifier: BSD-3-Clause
// z = M^-T r of every preconditioner, and solves with A^T.
#include <coppice/preconditioner.hpp>
#include <coppice/solve.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/iterative/krylov/bicg.hpp>
#include <coppice/solvers/iterative/operators/transposed_matrix.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// M^-T, column by column.
template <class Executor, class M>
dense transposed_inverse_of(Executor const& exec, M const& m, int n) {
    dense inverse(n);
    for (int j = 0; j < n; ++j) {
        std::vector<double> basis(static_cast<std::size_t>(n));
        basis[std::size_t(j)] = 1;
        auto const right = exec.copy(basis);
        buffer<double> z(exec, n);
        m.apply_transpose(exec, right.view(), z.view());
        auto const column = to_vector(exec, z);
        for (int i = 0; i < n; ++i) inverse(i, j) = column[std::size_t(i)];
    }
    return inverse;
}

/// The largest difference of B and C^T, relative to the largest element of C.
double difference_to_transpose(dense const& b, dense const& c) {
    double largest = 0, difference = 0;
    for (int i = 0; i < b.n; ++i)
        for (int j = 0; j < b.n; ++j) {
            largest = std::max(largest, std::abs(c(i, j)));
            difference = std::max(difference, std::abs(b(i, j) - c(j, i)));
        }
    return largest > 0 ? difference / largest : difference;
}

/// The registered preconditioners, and options that select other code.
std::vector<std::string> choices() {
    std::vector<std::string> all;
    for (auto const name : preconditioner_names)
        if (!preconditioner_row_of(name).varies) all.emplace_back(name);
    for (auto const* const choice :
         {"alt-o,factors=1", "diagp_2,steps=4", "hbisa,block=7,sweeps=3", "hbisa,block=7,order=gauss-seidel,sweeps=2",
          "hbisa,block=7,order=symmetric,sweeps=2", "mos,first=bands,bands=3", "mos,first=forest", "isai,power=2",
          "ilu0,solve-scheme=sweeps", "multilevel,smoother=jacobi,coarsest=8,storage=full",
          "multilevel,smoother=forest,coarsest=8,storage=full,cycle=w", "multilevel,smoother=chebyshev,coarsest=8",
          "multilevel,coarsest=8,levels=2", "multilevel,coarsest=8,storage=half", "direct,method=lu,order=matched",
          "direct,method=lu,order=columns", "ilut,drop=0.1", "iluk,level=2,matching=yes"})
        all.emplace_back(choice);
    return all;
}

bool needs_eigen(std::string const& choice) { return choice.rfind("direct", 0) == 0; }

} // namespace

TEST_CASE_TEMPLATE("preconditioners: the transposed application is that of the transposed matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& choice : choices()) {
        auto const& name_of_choice = choice;
        CAPTURE(name_of_choice);
        if (needs_eigen(choice) && !has_sparse_direct()) continue;
        bool const symmetric = preconditioner_row_of(parse_choice(choice).name).needs.symmetric;
        for (int const n : {1, 2, 65, 144}) {
            if (n < 14 && choice.find("block=7") != std::string::npos) continue;
            if (sanitized && n > 65) continue; // most of the time of this case
            auto const sample = random_matrix(n, symmetric, 3);
            auto other = sample;
            for (double& value : other.a) value *= 3;
            auto const a = exec.copy(to_csr<double>(sample)), scaled = exec.copy(to_csr<double>(other));
            auto m = make_preconditioner(exec, choice, a.view());
            double const rounding = choice.find("half") != std::string::npos ? 1e-4 : 1e-6;
            CHECK(difference_to_transpose(transposed_inverse_of(exec, m, n), inverse_of(exec, m, n)) < rounding);
            m.refresh(exec, scaled.view()); // transposed data are made again
            CHECK(difference_to_transpose(transposed_inverse_of(exec, m, n), inverse_of(exec, m, n)) < rounding);
        }
    }
}

TEST_CASE_TEMPLATE("preconditioners: singular tridiagonal matrices have finite inverses, transposed too", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(2);
    std::uniform_real_distribution<double> weight(0.1, 1);
    for (int const n : {2, 3, 5, 12, 700})
        for (bool const columns : {false, true}) {
            // Laplacians of paths, or matrices whose columns sum to zero, with an empty row between two of them.
            dense m(2 * n + 1);
            for (int first = 0; first < m.n; first += n + 1)
                for (int i = first; i < first + n; ++i)
                    for (int const j : {i - 1, i + 1}) {
                        if (j < first || j >= first + n) continue;
                        double const w = weight(random);
                        columns ? m(j, i) -= w : m(i, j) -= w;
                        m(i, i) += w;
                    }
            auto const a = exec.copy(to_csr<double>(m));
            for (auto const choice : {"tridiagonal", "forest", "alt-i", "mos-d,factors=1", "block-forest"}) {
                CAPTURE(choice);
                CAPTURE(n);
                CAPTURE(columns);
                auto const p = make_preconditioner(exec, choice, a.view());
                auto const r = random_vector<double>(m.n, 3);
                auto const right = exec.copy(r);
                buffer<double> z(exec, m.n), y(exec, m.n);
                p.apply(exec, right.view(), z.view());
                p.apply_transpose(exec, right.view(), y.view());
                double largest = 0;
                for (auto const* const result : {&z, &y})
                    for (double const e : to_vector(exec, *result))
                        largest =
                            std::isfinite(e) ? std::max(largest, std::abs(e)) : std::numeric_limits<double>::infinity();
                CHECK(largest < 1e6);
            }
        }
}

TEST_CASE_TEMPLATE("preconditioners: transposed applications of complex matrices are not conjugated", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    auto const exec = Fixture::exec();
    int const n = 60;
    auto const re = random_matrix(n, true, 1), im = random_matrix(n, false, 2);
    for (auto const name : complex_preconditioner_names) {
        CAPTURE(name);
        if (name == "direct" && !has_sparse_direct()) continue;
        bool const hermitian = preconditioner_row_of(name).needs.symmetric;
        coo<number> entries{n, n};
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (re(i, j) != 0)
                    entries.add(i, j, {re(i, j), hermitian ? (i < j ? 0.1 : i > j ? -0.1 : 0.0) : im(i, j)});
        auto const a = exec.copy(to_csr(host_executor{1}, std::move(entries)));
        auto const m = make_preconditioner(exec, name, a.view());
        auto const columns = [&](bool transposed) {
            std::vector<std::vector<number>> all;
            for (int j = 0; j < n; ++j) {
                std::vector<number> basis(static_cast<std::size_t>(n));
                basis[std::size_t(j)] = 1;
                auto const right = exec.copy(basis);
                buffer<number> z(exec, n);
                transposed ? m.apply_transpose(exec, right.view(), z.view()) : m.apply(exec, right.view(), z.view());
                all.push_back(to_vector(exec, z));
            }
            return all;
        };
        auto const plain = columns(false), transposed = columns(true);
        double difference = 0, largest = 0;
        for (std::size_t i = 0; i < std::size_t(n); ++i)
            for (std::size_t j = 0; j < std::size_t(n); ++j) {
                difference = std::max(difference, std::abs(plain[i][j] - transposed[j][i]));
                largest = std::max(largest, std::abs(plain[i][j]));
            }
        CHECK(difference < 1e-10 * largest);
    }
}

TEST_CASE_TEMPLATE("preconditioners: what has no transpose is refused", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(to_csr<double>(random_matrix(40, false, 3)));
    auto const r = exec.copy(random_vector<double>(40, 1));
    buffer<double> z(exec, 40);
    auto const varying = make_preconditioner(exec, "alt-o", a.view());
    REQUIRE(varying.varies());
    CHECK_THROWS_WITH_AS(varying.apply_transpose(exec, r.view(), z.view()), doctest::Contains("has no transpose"),
                         argument_error);
    struct halves {
        void apply(decltype(exec) const& e, array_view<double const> from, array_view<double> to) const {
            e.copy_elements(from.data(), to.data(), from.size());
        }
    };
    any_preconditioner<std::remove_cvref_t<decltype(exec)>, double> const own(halves{}, {.name = "halves"});
    CHECK_THROWS_WITH_AS(own.apply_transpose(exec, r.view(), z.view()),
                         "preconditioner \"halves\" has no apply_transpose(exec, r, z), which transposed solves need",
                         argument_error);
    auto const jacobi = make_preconditioner(exec, "jacobi", a.view());
    CHECK_THROWS_AS(jacobi.apply_transpose(exec, r.view().slice(0, 39), z.view()), dimension_error);
}

TEST_CASE_TEMPLATE("bicg: solves as LAPACK with any preconditioner, and as cg if A is positive definite", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 90}) {
        auto const sample = random_matrix(n, false, 4);
        auto const a = exec.copy(to_csr<double>(sample));
        auto const b = random_vector<double>(n, 6);
        auto const expected = lapack_solve(sample, b);
        for (auto const* const name : {"none", "jacobi", "ilu0", "forest", "ilut", "mos-d"})
            for (auto const* const method : {"bicg", "qmr"}) {
                CAPTURE(name);
                CAPTURE(method);
                auto const right = exec.copy(b);
                auto x = exec.copy(std::vector<double>(std::size_t(n), 0.0));
                auto const found =
                    solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(),
                                        {.solver = method, .preconditioner = name, .krylov = {.tolerance = 1e-12}});
                CHECK(found.result.converged);
                CHECK(found.result.relative_residual <= 1e-12);
                auto const got = to_vector(exec, x);
                for (int i = 0; i < n; ++i)
                    CHECK(got[std::size_t(i)] == doctest::Approx(expected[std::size_t(i)]).epsilon(1e-8));
            }
    }
    auto const grid = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 20}));
    csr_operator const a(exec, grid);
    auto const b = exec.copy(random_vector<double>(400, 2));
    std::vector<std::int64_t> iterations;
    for (auto const* const method : {"cg", "bicg"}) {
        auto x = exec.copy(std::vector<double>(400, 0.0));
        auto const found = solve_automatically(
            exec, a, b.view(), x.view(), {.solver = method, .preconditioner = "ic0", .krylov = {.tolerance = 1e-8}});
        CHECK(found.result.converged);
        iterations.push_back(found.result.iterations);
    }
    CHECK(std::abs(iterations[0] - iterations[1]) <= 1);
}

TEST_CASE_TEMPLATE("bicg: complex numbers, cancelling, and limits", Fixture, COPPICE_TEST_EXECUTORS) {
    using number = std::complex<double>;
    auto const exec = Fixture::exec();
    int const n = 80;
    auto const re = random_matrix(n, false, 1), im = random_matrix(n, false, 2);
    coo<number> entries{n, n};
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (re(i, j) != 0) entries.add(i, j, {re(i, j), 0.5 * im(i, j)});
    auto const on_host = to_csr(host_executor{1}, std::move(entries));
    auto const a = exec.copy(on_host);
    auto const components = random_vector<double>(2 * n, 3);
    std::vector<number> b;
    for (int i = 0; i < n; ++i) b.emplace_back(components[std::size_t(2 * i)], components[std::size_t(2 * i) + 1]);
    auto const right = exec.copy(b);
    for (auto const* const name : {"none", "ilu0"}) {
        CAPTURE(name);
        auto x = exec.copy(std::vector<number>(std::size_t(n)));
        auto const found =
            solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(),
                                {.solver = "bicg", .preconditioner = name, .krylov = {.tolerance = 1e-11}});
        CHECK(found.result.converged);
        auto const got = to_vector(exec, x);
        double rr = 0, bb = 0;
        for (int i = 0; i < n; ++i) {
            number r = b[std::size_t(i)];
            for (int k = on_host.row_offsets()[i]; k < on_host.row_offsets()[i + 1]; ++k)
                r -= on_host.values()[k] * got[std::size_t(on_host.column_indices()[k])];
            rr += std::norm(r);
            bb += std::norm(b[std::size_t(i)]);
        }
        CHECK(std::sqrt(rr / bb) <= 1.1e-11);
    }
    auto x = exec.copy(std::vector<number>(std::size_t(n)));
    automatic_options options{
        .solver = "bicg", .preconditioner = "none", .krylov = {.tolerance = 0, .max_iterations = 3}};
    CHECK(solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(), options).result.reason ==
          krylov_reason::max_iterations);
    options.krylov.progress = [](std::int64_t k, double) { return k < 2; };
    CHECK(solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(), options).result.reason ==
          krylov_reason::cancelled);
}

TEST_CASE_TEMPLATE("null space: singular consistent systems have the solution of least norm", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const half = 60, n = 2 * half;
    dense graph(n); // two components: the null space has dimension two
    auto const links = random_matrix(half, true, 8);
    for (int c = 0; c < 2; ++c)
        for (int i = 0; i < half; ++i)
            for (int j = 0; j < half; ++j)
                if (i != j && (links(i, j) != 0 || std::abs(i - j) == 1)) {
                    graph(c * half + i, c * half + j) = -1;
                    graph(c * half + i, c * half + i) += 1;
                }
    std::vector<double> const b = [&] {
        auto x = random_vector<double>(n, 4);
        std::vector<double> product(std::size_t(n), 0.0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) product[std::size_t(i)] += graph(i, j) * x[std::size_t(j)];
        return product;
    }();
    // LAPACK: A + the projection to the null space is regular and has the solution of least norm.
    dense regular = graph;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) regular(i, j) += i / half == j / half ? 1.0 / half : 0;
    auto const expected = lapack_solve(regular, b);
    std::vector<double> vectors(std::size_t(2 * n), 1.0); // (1, 1) and (1, 0): not orthogonal
    for (int i = half; i < n; ++i) vectors[std::size_t(n + i)] = 0;

    auto const a = exec.copy(to_csr<double>(graph));
    auto const right = exec.copy(b);
    for (auto const* const choice :
         {"cg none", "cg jacobi", "cg multilevel", "minres jacobi", "gmres ilu0", "gmres forest", "auto auto"}) {
        CAPTURE(choice);
        std::string const both(choice);
        auto const space = both.find(' ');
        auto x = exec.copy(random_vector<double>(n, 11)); // a guess with components in the null space
        auto const found = solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(),
                                               {.solver = both.substr(0, space),
                                                .preconditioner = both.substr(space + 1),
                                                .krylov = {.tolerance = 1e-11},
                                                .null_space = vectors});
        CHECK(found.result.converged);
        auto const got = to_vector(exec, x);
        for (int i = 0; i < n; ++i)
            CHECK(got[std::size_t(i)] == doctest::Approx(expected[std::size_t(i)]).epsilon(1e-7).scale(1));
    }

    auto x = exec.copy(std::vector<double>(std::size_t(n), 0.0));
    auto const solve_with = [&](automatic_options const& options) {
        return solve_automatically(exec, csr_operator(exec, a), right.view(), x.view(), options);
    };
    CHECK_THROWS_WITH_AS(solve_with({.null_space = random_vector<double>(n, 5)}), doctest::Contains("null space of A"),
                         argument_error);
    CHECK_THROWS_AS(solve_with({.null_space = std::vector<double>(std::size_t(2 * n), 1.0)}), argument_error);
    CHECK_THROWS_AS(solve_with({.null_space = std::vector<double>(std::size_t(n) + 1, 1.0)}), dimension_error);
    CHECK_THROWS_WITH_AS(solve_with({.solver = "direct", .null_space = vectors}), doctest::Contains("singular"),
                         argument_error);
}
