// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/solve/solve_automatically.hpp>

#include <cmath>
#include <complex>
#include <limits>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/asymmetry.hpp>
#include <coppice/algebra/from_arrays.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/multilevel/near_null_space.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Executor>
matrix_traits traits_on(Executor const& exec, dense const& m) {
    return traits_of(exec, view_of(exec.copy(to_csr<double>(m))));
}

struct automatic_outcome {
    automatic_result found;
    std::vector<double> x;
};
template <class Executor>
automatic_outcome solve_on(Executor const& exec, csr<double> const& matrix, std::vector<double> const& right,
                           automatic_options const& options = {}) {
    auto const a = exec.copy(matrix);
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(right);
    auto x = exec.copy(std::vector<double>(right.size(), 0));
    auto found = solve_automatically(exec, op, b.view(), x.view(), options);
    return {std::move(found), to_vector(exec, x)};
}

double relative_residual(dense const& m, std::vector<double> const& x, std::vector<double> const& b) {
    double rr = 0, bb = 0;
    for (int i = 0; i < m.n; ++i) {
        double r = b[std::size_t(i)];
        for (int j = 0; j < m.n; ++j) r -= m(i, j) * x[std::size_t(j)];
        rr += r * r;
        bb += b[std::size_t(i)] * b[std::size_t(i)];
    }
    return std::sqrt(rr / bb);
}

/// Symmetric indefinite with a positive diagonal: blocks [1 2; 2 1] and weak couplings.
dense disguised_indefinite(int n) {
    dense m(n);
    for (int i = 0; i < n; ++i) m(i, i) = 1 + 0.01 * i;
    for (int i = 0; i + 1 < n; i += 2) m(i, i + 1) = m(i + 1, i) = 2;
    for (int i = 1; i + 2 < n; i += 2) m(i, i + 2) = m(i + 2, i) = 0.1;
    return m;
}

} // namespace

TEST_CASE_TEMPLATE("the traits that determine a solver are recognised", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto sample = random_matrix(30, true, 1);
    CHECK(traits_on(exec, sample).maybe_positive_definite());
    sample(3, 3) = -1;
    CHECK(traits_on(exec, sample).symmetric);
    CHECK_FALSE(traits_on(exec, sample).positive_diagonal);
    sample(3, 3) = 0; // not stored
    CHECK_FALSE(traits_on(exec, sample).positive_diagonal);
    sample = random_matrix(30, true, 1);
    sample(4, 9) = 7;
    sample(9, 4) = 0;
    CHECK_FALSE(traits_on(exec, sample).symmetric);
    sample(9, 4) = 7;
    CHECK(traits_on(exec, sample).symmetric);
    sample(9, 4) = -7;
    CHECK_FALSE(traits_on(exec, sample).symmetric);
    dense one_sided(3); // as many on the left as on the right
    one_sided(0, 1) = one_sided(1, 2) = one_sided(2, 0) = 1;
    CHECK_FALSE(traits_on(exec, one_sided).symmetric);
    dense left(3); // one entry left of the diagonal, and no diagonal
    left(2, 0) = 1;
    CHECK_FALSE(traits_on(exec, left).symmetric);
    sample(4, 9) = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(traits_on(exec, sample).finite);
    CHECK(traits_on(exec, dense(0)).symmetric);
    CHECK(traits_on(exec, one_sided).row_length == 1);
    CHECK(traits_on(exec, dense(0)).strongest_pair == 0);
    dense sample_of_pairs(4); // rows with 3, 2, 1 and no off-diagonal entries
    sample_of_pairs(0, 0) = 100, sample_of_pairs(0, 1) = -1, sample_of_pairs(0, 2) = 2, sample_of_pairs(0, 3) = 5;
    sample_of_pairs(1, 0) = 3, sample_of_pairs(1, 3) = -4, sample_of_pairs(2, 0) = 1, sample_of_pairs(3, 3) = 1;
    CHECK(traits_on(exec, sample_of_pairs).strongest_pair == doctest::Approx((7.0 / 8 + 1 + 1) / 3));

    csr<double> const unsorted{2, 2, exec.copy(std::vector<std::int32_t>{0, 2, 4}),
                               exec.copy(std::vector<std::int32_t>{1, 0, 1, 0}),
                               exec.copy(std::vector<double>{3, 1, 1, 3})};
    CHECK(traits_of(exec, unsorted.view()).maybe_positive_definite());
    // An infinite element equals itself, in real and in complex matrices.
    auto const infinite = [&](auto value) {
        csr<decltype(value)> const one{1, 1, exec.copy(std::vector{0, 1}), exec.copy(std::vector{0}),
                                       exec.copy(std::vector{value})};
        return traits_of(exec, one.view());
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (auto const& traits : {infinite(infinity), infinite(std::complex<double>(infinity, 0))}) {
        CHECK(traits.symmetric);
        CHECK_FALSE(traits.finite);
    }
}

TEST_CASE_TEMPLATE("matrices that are symmetric up to rounding are solved as symmetric ones", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto sample = random_matrix(120, true, 7);
    for (int i = 0; i < sample.n; ++i) // rows of different scales: D A D
        for (int j = 0; j < sample.n; ++j) sample(i, j) = std::ldexp(sample(i, j), i % 9 + j % 9);
    auto const exact = sample;
    double expected = 0; // from the definition
    std::vector<double> largest(std::size_t(sample.n), 0.0);
    for (int i = 0; i < sample.n; ++i)
        for (int j = 0; j < sample.n; ++j)
            largest[std::size_t(i)] = std::max(largest[std::size_t(i)], std::abs(sample(i, j)));
    for (int i = 0; i < sample.n; ++i)
        for (int j = 0; j < i; ++j) {
            sample(i, j) *= 1 + ((i + j) % 3 - 1) * 3e-16;
            double const scale = std::min(largest[std::size_t(i)], largest[std::size_t(j)]);
            expected = std::max(expected, std::abs(sample(i, j) - sample(j, i)) / scale);
        }
    REQUIRE(expected > 0);
    CHECK(traits_on(exec, exact).asymmetry == 0);
    auto const traits = traits_on(exec, sample);
    CHECK(traits.symmetric);
    CHECK(traits.asymmetry == doctest::Approx(expected));
    auto const matrix = to_csr<double>(sample);
    CHECK(asymmetry_of(exec, view_of(exec.copy(matrix))) == doctest::Approx(expected));
    auto const b = random_vector<double>(sample.n, 5);
    for (auto const preconditioner : {"auto", "ic0", "direct", "multilevel"}) {
        CAPTURE(preconditioner);
        auto const [found, x] =
            solve_on(exec, matrix, b, {.preconditioner = preconditioner, .krylov = {.tolerance = 1e-10}});
        CHECK(found.result.converged);
        CHECK(found.attempts.front().choice.solver == "cg");
        CHECK(relative_residual(sample, x, b) <= 2e-10);
    }
    auto unsymmetric = exact;
    unsymmetric(4, 3) += 1e-10 * largest[3];
    CHECK_FALSE(traits_on(exec, unsymmetric).symmetric);
    unsymmetric = exact;
    int column = 3; // of an element that is stored
    while (column == 4 || unsymmetric(4, column) == 0) ++column;
    unsymmetric(4, column) = 0; // not stored
    CHECK_FALSE(traits_on(exec, unsymmetric).symmetric);
    unsymmetric(column, 4) =
        1e-17 * std::min(largest[std::size_t(column)], largest[4]); // stored on one side only, and negligible
    CHECK(traits_on(exec, unsymmetric).symmetric);
    csr<double> const twice{2, 2, exec.copy(std::vector<std::int32_t>{0, 3, 5}),
                            exec.copy(std::vector<std::int32_t>{0, 1, 1, 0, 1}),
                            exec.copy(std::vector<double>{3, 1, 1, 1, 3})};
    CHECK_FALSE(traits_of(exec, twice.view()).symmetric);
}

TEST_CASE_TEMPLATE("traits: dominance of the diagonals, and levels of a search on the host", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    constexpr bool on_host = std::is_same_v<std::remove_cvref_t<decltype(exec)>, host_executor>;
    auto const sample = random_matrix(50, false, 3);
    double sum = 0, weight = 0;
    for (int i = 0; i < 50; ++i) {
        double others = 0;
        for (int j = 0; j < 50; ++j) others += i == j ? 0 : std::abs(sample(i, j));
        sum += std::max(0.0, std::abs(sample(i, i)) - others) / std::abs(sample(i, i));
        weight += std::min(1.0, std::abs(sample(i, i)) / others);
    }
    CHECK(traits_on(exec, sample).dominance == doctest::Approx(sum / 50));
    CHECK(traits_on(exec, sample).diagonal_weight == doctest::Approx(weight / 50));
    CHECK_FALSE(traits_on(exec, sample).has_hubs);
    host_executor const host{1};
    auto const levels_of = [&](char const* kind, generator_options const& sizes) {
        return traits_of(exec, view_of(exec.copy(generate<double>(host, kind, sizes)))).levels;
    };
    // In a breadth-first search on the 5-point grid from the middle of the left side, level r has 2 r + 1 points until
    // it reaches another side: levels 0 to r have (r + 1)^2 points.
    int expected = 0;
    while (2 * (expected + 1) * (expected + 1) < 60 * 60) ++expected;
    int const found = levels_of("laplace2d", {.nx = 60, .ny = 60});
    if (on_host) CHECK(std::abs(found - expected) <= 2); // the last levels meet the other sides
    if (!on_host) CHECK(found == 0);
    if (on_host) CHECK(levels_of("laplace2d", {.nx = 400, .ny = 400}) == matrix_traits::many_levels);
    if (on_host) CHECK(traits_on(exec, sample).levels < 10);
    // An arrow: row 0 has 400 entries, the others have 2. Sum of squares 400^2 + 399 * 4, entries 400 + 399 * 2.
    dense arrow(400);
    for (int i = 0; i < 400; ++i) arrow(0, i) = arrow(i, 0) = arrow(i, i) = 1;
    CHECK(traits_on(exec, arrow).has_hubs);
    // Of a large matrix, the search ends early: the estimate is near the number of levels of the whole search.
    auto const cube = [&](std::int64_t n) { return levels_of("laplace3d", {.nx = n, .ny = n, .nz = n}); };
    if (on_host) CHECK(cube(56) == doctest::Approx(69).epsilon(0.1));
}

TEST_CASE("choices: the diagonal is not tried where CG with it is slow") {
    matrix_traits const plane{.row_length = 5, .dominance = 0.001, .levels = 100};
    CHECK(solver_choices(plane, 20'000, true).front().preconditioner == "multilevel");
    CHECK(solver_choices(plane, 20'000, false).front().preconditioner == "jacobi");
    CHECK(solver_choices(plane, 1'000'000, true).front().preconditioner == "multilevel");
    matrix_traits dominant = plane, compact = plane, small_plane = plane;
    dominant.dominance = 0.2;
    compact.levels = small_plane.levels = 50;
    CHECK(solver_choices(small_plane, 10'000, true).front().preconditioner == "multilevel");
    CHECK(solver_choices(dominant, 20'000, true).front().preconditioner == "jacobi");
    CHECK(solver_choices(compact, 100'000, true).front().preconditioner == "jacobi"); // in space
    // Unsymmetric: BiCGStab takes fewer iterations. Small diagonals, as of elasticity: CG takes more.
    matrix_traits advection = small_plane, elastic = small_plane;
    advection.symmetric = false;
    elastic.diagonal_weight = 0.57;
    elastic.levels = 20;
    CHECK(solver_choices(advection, 10'000, true).front().preconditioner == "jacobi");
    CHECK(solver_choices(elastic, 12'000, true).front().preconditioner == "multilevel");
    elastic.levels = 9; // in space
    CHECK(solver_choices(elastic, 12'000, true).front().preconditioner == "jacobi");
}

TEST_CASE("choices: where iterations often fail, a quick direct solver is the first") {
    if (!has_sparse_direct()) return;
    matrix_traits const circuit{.symmetric = false, .has_hubs = true},
        network{.symmetric = false, .positive_diagonal = false}, graph{.has_hubs = true}, general{.symmetric = false};
    for (auto const& traits : {circuit, network}) {
        CHECK(solver_choices(traits, 20'000, true).front().preconditioner == "direct,max-operations=1e8");
        CHECK(solver_choices(traits, 20'000, false).front().preconditioner != "direct,max-operations=1e8");
        CHECK(solver_choices(traits, 1'000'000, true).front().preconditioner != "direct,max-operations=1e8");
    }
    for (auto const& traits : {graph, general})
        CHECK(solver_choices(traits, 20'000, true).front().preconditioner != "direct,max-operations=1e8");
}

TEST_CASE("choices: by symmetry and diagonal, and names that are given are kept") {
    matrix_traits const definite, indefinite{.positive_diagonal = false}, general{.symmetric = false};
    CHECK(solver_choices(general, 1000, true, "direct").front().preconditioner == "direct");
    CHECK(solver_choices(general, 1000, true, "direct", "direct,method=lu").front().solver == "gmres");
    CHECK_THROWS_WITH_AS(solver_choices(general, 1000, true, "direct", "ilu0"),
                         doctest::Contains("takes no other preconditioner, got \"ilu0\""), argument_error);
    if (has_sparse_direct()) { // small systems on the host, and few bands
        for (auto const& traits : {definite, indefinite, general}) {
            CHECK(solver_choices(traits, 1000, true).front().preconditioner == "direct,max-operations=1e7");
            CHECK(solver_choices(traits, 1000, false).front().preconditioner != "direct,max-operations=1e7");
        }
        CHECK(solver_choices({.few_bands = true}, 100'000, false).front().preconditioner == "direct");
        CHECK(solver_choices({.few_bands = true}, 10'000'000, true).front().solver == "cg");
        CHECK(solver_choices({.few_bands = true}, 10'000'000, false).front().preconditioner != "direct");
    }
    for (bool const on_host : {true, false}) {
        CHECK(solver_choices(definite, 5000, on_host).front().solver == "cg");
        bool const early = has_sparse_direct() && on_host;
        CHECK(solver_choices(indefinite, 5000, on_host)[early ? 1 : 0].solver == "minres");
        for (solver_choice const& c : solver_choices(general, 1000, on_host)) {
            CHECK(c.solver != "cg");
            CHECK(c.solver != "minres");
            CHECK(c.preconditioner != "ic0");
        }
        for (auto const method : krylov_names)
            for (auto const& traits : {definite, indefinite, general})
                for (solver_choice const& c : solver_choices(traits, 1000, on_host, method)) CHECK(c.solver == method);
        for (auto const name : preconditioner_names)
            for (auto const& traits : {definite, indefinite, general})
                for (solver_choice const& c : solver_choices(traits, 1000, on_host, automatic_name, name))
                    CHECK(c.preconditioner == name);
        CHECK(solver_choices(general, 1000, on_host, "cg", "forest").size() == 1);
        // Large systems use the diagonal while the residual decreases fast enough, then the multilevel method, for a
        // limited number of iterations.
        auto const takes_levels = [&](matrix_traits const& traits, std::int64_t n) {
            auto const all = solver_choices(traits, n, on_host);
            return std::any_of(all.begin(), all.end(), [](auto const& c) { return c.preconditioner == "multilevel"; });
        };
        for (auto const& traits : {definite, general}) {
            auto const large = solver_choices(traits, 100'000, on_host);
            CHECK(large[0].preconditioner == "jacobi");
            CHECK(large[0].max_remaining > 0);
            CHECK(large[1].preconditioner == "multilevel");
            CHECK(large[1].iterations == 100);
            CHECK(large[1].max_remaining > 0);
            for (int const k : {0, 1}) CHECK(large[std::size_t(k)].solver == (traits.symmetric ? "cg" : "bicgstab"));
            CHECK_FALSE(takes_levels(traits, 1000));
        }
        CHECK_FALSE(takes_levels(indefinite, 100'000));
        // The forest instead of the diagonal if it contains nearly all weight or is cheap compared with a product.
        for (auto const& traits : {matrix_traits{.strongest_pair = 0.95}, matrix_traits{.row_length = 80}}) {
            CHECK(solver_choices(traits, 100'000, on_host)[0].preconditioner == "forest");
            CHECK(solver_choices(traits, 100'000, on_host)[0].max_remaining > 0);
        }
        matrix_traits const hubs{.row_length = 1e5};
        CHECK_FALSE(takes_levels(hubs, 100'000));
        for (auto const method : {"auto", "cg", "gmres"})
            for (solver_choice const& c : solver_choices(hubs, 1000, on_host, method))
                CHECK((c.preconditioner != "ic0" && c.preconditioner != "ilu0" && c.preconditioner != "isai"));
    }
}

TEST_CASE("choices: preconditioners of complex matrices for a method that is given") {
    using names = std::vector<std::string>;
    auto const chosen = [](matrix_traits traits, bool on_host, std::string_view solver) {
        traits.complex = true;
        names all;
        for (auto const& c : solver_choices(traits, 5000, on_host, solver)) {
            CHECK(c.solver == solver);
            all.push_back(c.preconditioner);
        }
        return all;
    };
    matrix_traits const definite, indefinite{.positive_diagonal = false}, general{.symmetric = false};
    for (auto const method : {"cg", "minres"}) {
        CHECK(chosen(definite, true, method) == names{"ic0", "jacobi", "none"});
        CHECK(chosen(definite, false, method) == names{"jacobi", "none"});
        CHECK(chosen(indefinite, true, method) == names{"none"}); // the diagonal is no definite preconditioner
        CHECK(chosen(general, true, method) == names{"jacobi", "none"});
    }
    CHECK(chosen(general, true, "gmres") == names{"ilu0", "jacobi", "none"});
    CHECK(chosen(general, false, "gmres") == names{"isai", "jacobi", "none"});
    CHECK(chosen({.row_length = 1e5}, true, "bicgstab") == names{"jacobi", "none"});
}

TEST_CASE_TEMPLATE("complex matrices are solved by the method that is given", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using number = std::complex<double>;
    int const n = 300;
    for (bool const definite : {true, false}) { // Hermitian: couplings of magnitude 1, with a phase
        std::vector<int> offsets{0}, columns;
        std::vector<number> values, x(std::size_t(n), 0.0);
        for (int i = 0; i < n; ++i) {
            for (int const j : {i - 1, i, i + 1}) {
                if (j < 0 || j >= n) continue;
                columns.push_back(j);
                values.push_back(j == i ? number(definite || i % 2 == 0 ? 2.5 : -2.5) : std::polar(1.0, 0.3 * (j - i)));
            }
            offsets.push_back(int(columns.size()));
        }
        auto const a = exec.copy(csr_from_arrays(host_executor{1}, n, n, offsets, columns, values));
        csr_operator<std::remove_const_t<decltype(exec)>, number> const op(exec, a.view());
        std::vector<number> right;
        for (int i = 0; i < n; ++i) right.emplace_back(1 + i % 3, i % 5 - 2);
        auto const b = exec.copy(right);
        for (auto const method : {"cg", "minres", "gmres", "bicgstab"}) {
            if (!definite && std::string(method) == "cg") continue;
            CAPTURE(method);
            auto there = exec.copy(x);
            auto const found = solve_automatically(exec, op, b.view(), there.view(),
                                                   {.solver = method, .krylov = {.tolerance = 1e-10}});
            CHECK(found.result.converged);
            for (auto const& attempt : found.attempts) CHECK(attempt.choice.solver == method);
            auto const y = to_vector(exec, there);
            double rr = 0, bb = 0;
            for (int i = 0; i < n; ++i) {
                number r = right[std::size_t(i)];
                for (int k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
                    r -= values[std::size_t(k)] * y[std::size_t(columns[std::size_t(k)])];
                rr += std::norm(r);
                bb += std::norm(right[std::size_t(i)]);
            }
            CHECK(std::sqrt(rr / bb) <= 1.1e-10);
        }
        auto y = exec.copy(x);
        std::vector<double> const ones(300, 1.0);
        CHECK_THROWS_WITH_AS(
            solve_automatically(exec, op, b.view(), y.view(),
                                {.near_null_space = ones, .near_null_space_imaginary = std::vector<double>(299, 1.0)}),
            "near-null-space vectors with 300 real and 299 imaginary parts", dimension_error);
        if (definite) {
            auto const found = solve_automatically(exec, op, b.view(), y.view(),
                                                   {.solver = "cg",
                                                    .krylov = {.tolerance = 1e-8},
                                                    .near_null_space = ones,
                                                    .near_null_space_imaginary = ones});
            CHECK(found.result.converged);
            CHECK(found.attempts.front().choice.preconditioner == "multilevel");
        }
        CHECK_THROWS_WITH_AS(
            solve_automatically(exec, op, b.view(), y.view(), {.null_space = std::vector<double>(300, 1.0)}),
            "null_space is for real matrices", argument_error);
    }
}

TEST_CASE("near-null-space vectors of a complex matrix put the multilevel method first") {
    auto const first = [](bool symmetric, std::string_view solver, bool given) {
        auto const choices =
            solver_choices({.complex = true, .symmetric = symmetric}, 1'000'000, true, solver, automatic_name, given);
        return choices.front().solver + " " + choices.front().preconditioner;
    };
    CHECK(first(true, "auto", true) == "cg multilevel");
    CHECK(first(true, "auto", false) == "cg ic0");
    CHECK(first(false, "auto", true) == "bicgstab multilevel");
    CHECK(first(false, "gmres", true) == "gmres multilevel");
    CHECK(first(false, "minres", true) == "minres jacobi"); // it needs a symmetric preconditioner
}

TEST_CASE_TEMPLATE("near-null-space vectors reach the multilevel method", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const points = 9;
    auto const a = generate<double>(host_executor{2}, "elasticity", {.nx = points});
    std::vector<double> at;
    for (int p = 0; p < points * points * points; ++p)
        for (int const c : {p % points, p / points % points, p / points / points}) at.push_back(c);
    auto const b = random_vector<double>(int(a.rows()), 3);
    automatic_options options{.solver = "cg", .preconditioner = "multilevel", .krylov = {.tolerance = 1e-8}};
    auto const without = solve_on(exec, a, b, options);
    options.unknowns_per_point = 3;
    options.near_null_space = rigid_body_modes(3, at);
    auto const with = solve_on(exec, a, b, options);
    CHECK(without.found.result.converged);
    CHECK(with.found.result.converged);
    CHECK(with.found.result.iterations < without.found.result.iterations);
    long double rr = 0, bb = 0;
    for (int i = 0; i < a.rows(); ++i) {
        long double r = b[std::size_t(i)];
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            r -= (long double)(a.values()[k]) * with.x[std::size_t(a.column_indices()[k])];
        rr += r * r;
        bb += b[std::size_t(i)] * b[std::size_t(i)];
    }
    CHECK(rr <= 1.01e-16L * bb);

    auto const wrong = [&](automatic_options const& others, std::vector<double> vectors) {
        auto all = others;
        all.near_null_space = std::move(vectors);
        try {
            solve_on(exec, a, b, all);
        } catch (error const& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    auto const n = std::size_t(a.rows());
    CHECK(wrong({}, std::vector<double>(n + 1, 1.0)) == "near-null-space vectors with " + std::to_string(n + 1) +
                                                            " elements for a matrix of " + std::to_string(n) + " rows");
    std::string const methods = "near-null-space vectors are for the preconditioners \"multilevel\" and \"auto\", got ";
    CHECK(wrong({.solver = "direct"}, std::vector<double>(n, 1.0)) == methods + "\"direct\"");
    CHECK(wrong({.preconditioner = "ic0,fill=1"}, std::vector<double>(n, 1.0)) == methods + "\"ic0,fill=1\"");
    CHECK(wrong({.solver = "cg", .preconditioner = "multilevel"}, std::vector<double>(33 * n, 1.0))
              .starts_with("a point has 1 to 32 unknowns"));
    CHECK(wrong({.solver = "bicg", .null_space = std::vector<double>(n, 1.0)}, {})
              .starts_with("null_space is not available with the method bicg"));
    CHECK(wrong({.solver = "qmr", .null_space = std::vector<double>(n, 1.0)}, {})
              .starts_with("null_space is not available with the method qmr"));
    CHECK(wrong({.near_null_space_imaginary = std::vector<double>(n, 1.0)}, std::vector<double>(n, 1.0)) ==
          "near-null-space vectors of a real matrix are real");
}

TEST_CASE_TEMPLATE("null spaces of matrices and vectors of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<double> b(30);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = i % 2 == 0 ? 1 : -1;
    for (int const of_matrix : {-700, -600, 0, 600})
        for (int const of_vector : {-1000, -600, 0, 600, 1000}) {
            CAPTURE(of_matrix);
            CAPTURE(of_vector);
            dense graph(30);
            for (int i = 0; i < 30; ++i) {
                graph(i, i) = std::ldexp(2.0, of_matrix);
                graph(i, (i + 1) % 30) = graph((i + 1) % 30, i) = -std::ldexp(1.0, of_matrix);
            }
            auto const a = to_csr<double>(graph);
            std::vector<double> vector(30, std::ldexp(1.0, of_vector));
            auto const [found, x] = solve_on(exec, a, b, {.krylov = {.tolerance = 1e-10}, .null_space = vector});
            CHECK(found.result.converged);
            double sum = 0, largest = 0;
            for (double const value : x) sum += value, largest = std::max(largest, std::abs(value));
            CHECK(std::abs(sum) <= 1e-9 * largest);
            vector[3] *= 1.5;
            CHECK_THROWS_WITH_AS(solve_on(exec, a, b, {.null_space = vector}),
                                 doctest::Contains("expected 0 up to rounding"), argument_error);
            vector[4] = std::nan("");
            CHECK_THROWS_WITH_AS(solve_on(exec, a, b, {.null_space = vector}),
                                 doctest::Contains("vector 0 (from 0) is zero, not finite"), argument_error);
        }
}

TEST_CASE_TEMPLATE("solves whatever the matrix is", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<std::pair<char const*, dense>> cases;
    cases.emplace_back("definite", random_matrix(80, true, 1));
    cases.emplace_back("general", random_matrix(80, false, 2));
    auto indefinite = random_matrix(80, true, 3);
    for (int i = 0; i < 80; i += 3) indefinite(i, i) *= -1;
    cases.emplace_back("indefinite", indefinite);
    cases.emplace_back("indefinite with a positive diagonal", disguised_indefinite(81));
    auto saddle = random_matrix(80, true, 4);
    for (int i = 60; i < 80; ++i) {
        for (int j = 60; j < 80; ++j) saddle(i, j) = 0;
        saddle(i, i - 60) = saddle(i - 60, i) = 1 + 0.1 * i;
    }
    cases.emplace_back("zeros on the diagonal", saddle);
    dense cycle(40); // a permutation
    for (int i = 0; i < 40; ++i) cycle(i, (i + 1) % 40) = 1 + i % 3;
    cases.emplace_back("no diagonal", cycle);
    for (auto const& [name, m] : cases) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const b = random_vector<double>(m.n, 5);
        auto const [found, x] = solve_on(exec, to_csr<double>(m), b, {.krylov = {.tolerance = 1e-10}});
        CHECK(found.result.converged);
        CHECK(relative_residual(m, x, b) <= 2e-10);
        CHECK(found.result.residual_history.size() == std::size_t(found.result.iterations) + 1);
        std::int64_t iterations = 0;
        for (solver_attempt const& attempt : found.attempts) iterations += attempt.result.iterations;
        CHECK(iterations == found.result.iterations);
        CHECK(found.last().result.converged);
    }
}

TEST_CASE_TEMPLATE("continues from the best x if a choice fails, and never ends above the initial residual", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Singular and inconsistent: nothing converges.
    dense graph(30);
    for (int i = 0; i < 30; ++i) {
        graph(i, i) = 2;
        graph(i, (i + 1) % 30) = graph((i + 1) % 30, i) = -1;
    }
    std::vector<double> const ones(30, 1);
    auto const [found, x] = solve_on(exec, to_csr<double>(graph), ones, {.krylov = {.max_iterations = 5000}});
    CHECK_FALSE(found.result.converged);
    CHECK(found.attempts.size() > 2);
    CHECK(found.result.relative_residual <= 1);
    CHECK(relative_residual(graph, x, ones) <= 1 + 1e-12);
    double before = 1;
    for (solver_attempt const& attempt : found.attempts) {
        if (!attempt.refusal.empty()) continue; // the direct solver may see that the matrix is singular
        CHECK(attempt.result.relative_residual <= before * (1 + 1e-12));
        before = attempt.result.relative_residual;
    }
    // A preconditioner whose set-up fails is skipped.
    auto zero = random_matrix(30, true, 1);
    zero(3, 3) = 0;
    auto const [passed, unused] = solve_on(exec, to_csr<double>(zero), ones, {.solver = "gmres"});
    CHECK(passed.result.converged);
    CHECK_THROWS_WITH_AS(solve_on(exec, to_csr<double>(zero), ones, {.preconditioner = "jacobi"}),
                         doctest::Contains("row 3 has a zero diagonal entry"), matrix_error);
}

TEST_CASE_TEMPLATE("the diagonal and multilevel are ended early if they are too slow", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    constexpr bool on_host = std::is_same_v<std::remove_cvref_t<decltype(exec)>, host_executor>;
    // Indefinite, with a positive diagonal: shifted Laplacians. On the host the diagonal is not tried in the plane.
    auto const shifted = [&](char const* kind, int nx, double shift) {
        auto a = generate<double>(host_executor{1}, kind, {.nx = nx});
        for (double& v : a.values()) v = v > 0 ? v - shift : v;
        return a;
    };
    auto const a = shifted("laplace2d", 101, 1.9), in_space = shifted("laplace3d", 22, 2.0);
    auto const b = random_vector<double>(int(a.rows()), 5);
    for (auto const* const matrix : {&a, &in_space}) {
        auto const rhs = random_vector<double>(int(matrix->rows()), 5);
        auto const found = solve_on(exec, *matrix, rhs, {.krylov = {.max_iterations = 300}}).found;
        std::size_t const levels = on_host && matrix == &a ? 0 : 1;
        REQUIRE(found.attempts.size() > levels + 1);
        if (levels > 0) CHECK(found.attempts[0].choice.preconditioner == "jacobi");
        CHECK(found.attempts[levels].choice.preconditioner == "multilevel");
        for (std::size_t k = 0; k <= levels; ++k) {
            CHECK_FALSE(found.attempts[k].result.converged);
            CHECK(found.attempts[k].result.iterations <= 40);
        }
        CHECK(found.result.relative_residual <= 1);
    }
    // A method selected by name may use all iterations.
    auto const named =
        solve_on(exec, a, b, {.solver = "gmres", .preconditioner = "multilevel", .krylov = {.max_iterations = 130}});
    CHECK(named.found.result.iterations == 130);
}

TEST_CASE_TEMPLATE("automatic solves: limits, progress, bad input", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = to_csr<double>(disguised_indefinite(200));
    auto const b = random_vector<double>(200, 1);
    CHECK(solve_on(exec, a, b, {.krylov = {.max_iterations = 0}}).found.result.reason == krylov_reason::max_iterations);
    auto const short_of = solve_on(exec, a, b, {.krylov = {.tolerance = 0, .max_iterations = 7}});
    CHECK(short_of.found.result.iterations <= 7);
    CHECK_FALSE(short_of.found.result.converged);

    std::int64_t told = 0;
    automatic_options watched;
    watched.krylov.tolerance = 1e-12;
    watched.krylov.progress = [&](std::int64_t k, double) {
        CHECK(k == ++told);
        return true;
    };
    auto const seen = solve_on(exec, a, b, watched);
    CHECK(seen.found.result.converged);
    CHECK(told == seen.found.result.iterations);
    watched.krylov.progress = [](std::int64_t, double) { return false; };
    CHECK(solve_on(exec, a, b, watched).found.result.reason == krylov_reason::cancelled);

    CHECK(solve_on(exec, a, std::vector<double>(200, 0)).found.result.reason == krylov_reason::zero_rhs);
    auto poisoned_b = b;
    poisoned_b[4] = std::numeric_limits<double>::quiet_NaN();
    CHECK(solve_on(exec, a, poisoned_b).found.result.reason == krylov_reason::not_finite);
    auto poisoned = disguised_indefinite(200);
    poisoned(3, 3) = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(solve_on(exec, to_csr<double>(poisoned), b), matrix_error);
    CHECK_THROWS_AS(solve_on(exec, a, std::vector<double>(199, 1)), dimension_error);
    CHECK_THROWS_AS(solve_on(exec, a, b, {.krylov = {.restart = 0}}), argument_error);
    CHECK_THROWS_WITH_AS(solve_on(exec, a, b, {.solver = "gmress"}),
                         "unknown method \"gmress\", expected one of: auto, direct, cg, minres, bicgstab, tfqmr, idrs, "
                         "gmres, fgmres, bicg, qmr",
                         argument_error);
    CHECK_THROWS_AS(solve_on(exec, a, b, {.preconditioner = "amg"}), argument_error);

    auto const one = solve_on(exec, to_csr<double>(dense(0)), {});
    CHECK(one.found.result.converged);
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE_TEMPLATE("options that the preconditioner does not have are refused", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = generate(host_executor{}, "laplace2d", {.nx = 8});
    std::vector<double> const b(64, 1.0);
    auto const refused = [&](std::string const& solver, std::string const& preconditioner, char const* message) {
        for (std::string const name : {"round", "tol"})
            CHECK_THROWS_WITH_AS(
                solve_on(exec, a, b,
                         {.solver = solver, .preconditioner = preconditioner, .preconditioner_options = {{name, 7}}}),
                doctest::Contains((message + (" \"" + name + "\"")).c_str()), argument_error);
    };
    for (auto const solver : {"auto", "cg", "bicg"}) {
        for (auto const& row : preconditioner_catalogue)
            refused(solver, std::string(row.name),
                    ("preconditioner \"" + std::string(row.name) + "\" has no option").c_str());
        refused(solver, "auto", "no preconditioner has an option");
    }
    refused("direct", "auto", "preconditioner \"direct\" has no option");
    CHECK_THROWS_WITH_AS(solve_on(exec, a, b, {.preconditioner_options = {{"rounds", "many"}}}),
                         doctest::Contains("expected an integer"), argument_error);
    CHECK(solve_on(exec, a, b, {.preconditioner_options = {{"rounds", 3}}}).found.result.converged);
    CHECK(solve_on(exec, a, b, {.preconditioner = "forest,rounds=3", .preconditioner_options = {{"seed", 2}}})
              .found.result.converged);
}

TEST_CASE("automatic solves give the same bits for any number of threads") {
    auto const a = generate<double>(host_executor{1}, "convection", {.nx = 60});
    auto const b = random_vector<double>(int(a.rows()), 1);
    auto const one = solve_on(host_executor{1}, a, b), two = solve_on(host_executor{2}, a, b);
    CHECK(one.x == two.x);
    CHECK(one.found.attempts.size() == two.found.attempts.size());
}
#endif
