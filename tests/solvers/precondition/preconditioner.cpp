// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <atomic>
#include <latch>
#include <limits>
#include <numeric>
#include <thread>

#include "solvers/dense.hpp"
#include "support/executors.hpp"
#include "support/failing_memory.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Returns M of a preconditioner: M^-1 by columns, inverted by LAPACK.
template <class Executor, class M>
dense matrix_of(Executor const& exec, M const& m, int n) {
    dense const inverse = inverse_of(exec, m, n);
    dense result(n);
    for (int j = 0; j < n; ++j) {
        std::vector<double> basis(static_cast<std::size_t>(n));
        basis[std::size_t(j)] = 1;
        auto const column = lapack_solve(inverse, basis);
        for (int i = 0; i < n; ++i) result(i, j) = column[std::size_t(i)];
    }
    return result;
}

/// Checks that the entries of M are entries of A: the diagonal, and the edges of a linear forest. Returns the fraction
/// of the off-diagonal weight of |A| that M contains.
double check_linear_forest(dense const& m, dense const& a) {
    std::vector<int> root(static_cast<std::size_t>(a.n));
    std::iota(root.begin(), root.end(), 0);
    auto const find = [&](int v) {
        while (root[std::size_t(v)] != v) v = root[std::size_t(v)];
        return v;
    };
    double covered = 0, all = 0;
    for (int i = 0; i < a.n; ++i) {
        CHECK(m(i, i) == doctest::Approx(a(i, i)));
        int degree = 0;
        for (int j = 0; j < a.n; ++j) {
            if (i == j) continue;
            all += std::abs(a(i, j));
            bool const edge = std::abs(m(i, j)) > 1e-9 || std::abs(m(j, i)) > 1e-9;
            if (!edge) continue;
            ++degree;
            covered += std::abs(a(i, j));
            CHECK(m(i, j) == doctest::Approx(a(i, j)).epsilon(1e-8));
            if (j < i) continue;
            CHECK(find(i) != find(j)); // no cycle
            root[std::size_t(find(i))] = find(j);
        }
        CHECK(degree <= 2);
    }
    return all > 0 ? covered / all : 1;
}

/// The pattern of `a` with new random values, diagonally dominant.
dense revalued(dense const& a, unsigned seed) {
    dense b = random_matrix(a.n, false, seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> value(0.1, 1);
    for (int i = 0; i < a.n; ++i) {
        double sum = 0.1;
        for (int j = 0; j < a.n; ++j) sum += std::abs(b(i, j) = a(i, j) != 0 && i != j ? -value(random) : 0);
        b(i, i) = sum;
    }
    return b;
}

} // namespace

TEST_CASE_TEMPLATE("jacobi divides by the diagonal", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto m = random_matrix(40, false, 3);
    auto const a = exec.copy(to_csr<double>(m));
    auto const r = random_vector<double>(40, 1);
    auto const right = exec.copy(r);
    buffer<double> z(exec, 40);
    auto const jacobi = make_preconditioner(exec, "jacobi", a.view());
    jacobi.apply(exec, right.view(), z.view());
    for (int i = 0; i < 40; ++i)
        CHECK(to_vector(exec, z)[std::size_t(i)] == doctest::Approx(r[std::size_t(i)] / m(i, i)));
    CHECK_THROWS_AS(jacobi.apply(exec, right.view().slice(0, 39), z.view()), dimension_error);

    m(23, 23) = 0; // not stored
    m(31, 31) = 0;
    auto const holes = exec.copy(to_csr<double>(m));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "jacobi", holes.view()),
                         "row 23 has a zero diagonal entry, or none; the Jacobi preconditioner needs every one",
                         matrix_error);
}

TEST_CASE_TEMPLATE("tridiagonal contains the three middle bands", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 65, 150}) {
        auto a = random_matrix(n, false, 3);
        for (int i = 1; i < n; ++i) a(i, i - 1) = -0.1 * i / n;
        auto bands = a;
        double off_diagonal = 0, all = 0;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (std::abs(i - j) > 1) bands(i, j) = 0;
                if (std::abs(i - j) == 1) off_diagonal += std::abs(a(i, j));
                if (i != j) all += std::abs(a(i, j));
            }
        auto const local = exec.copy(to_csr<double>(a));
        auto const m = make_preconditioner(exec, "tridiagonal", local.view());
        auto const r = random_vector<double>(n, 1);
        auto const right = exec.copy(r);
        buffer<double> z(exec, n);
        m.apply(exec, right.view(), z.view());
        auto const expected = lapack_solve(bands, r);
        for (int i = 0; i < n; ++i)
            CHECK(to_vector(exec, z)[std::size_t(i)] == doctest::Approx(expected[std::size_t(i)]));
        CHECK(m.report().number("weight_coverage") == doctest::Approx(all > 0 ? off_diagonal / all : 1));
        CHECK(m.forest() == nullptr);
    }
}

TEST_CASE_TEMPLATE("forest contains the entries of A along a linear forest", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 20, 70}) {
        for (bool const symmetric : {true, false}) {
            CAPTURE(n);
            CAPTURE(symmetric);
            auto const a = random_matrix(n, symmetric, unsigned(n) + 1);
            auto const local = exec.copy(to_csr<double>(a));
            auto m = make_preconditioner(exec, "forest", local.view());
            double const covered = check_linear_forest(matrix_of(exec, m, n), a);
            CHECK(covered == doctest::Approx(m.report().number("weight_coverage")).epsilon(1e-6));
            CHECK(m.report().number("paths") >= 1);
            CHECK(m.report().number("longest_path") <= n);
            CHECK(m.report().setup_seconds > 0);
            REQUIRE(m.forest() != nullptr);
            CHECK(m.forest()->paths == m.report().number("paths"));

            // New values: the same edges, the new coefficients.
            auto const b = revalued(a, 99);
            auto const values = to_csr<double>(b);
            auto const fresh = exec.copy(values);
            if (values.nonzeros() == local.nonzeros()) {
                auto const before = matrix_of(exec, m, n);
                m.refresh(exec, fresh.view());
                auto const after = matrix_of(exec, m, n);
                check_linear_forest(after, b);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                        if (std::abs(before(i, j)) > 1e-9) CHECK(std::abs(after(i, j)) > 1e-9);
            }
        }
    }
}

namespace {

/// Multiplies every value by 1, 2 or 3, depending on its column.
csr<double> with_other_values(csr<double> a) {
    for (std::int32_t k = 0; k < a.nonzeros(); ++k) a.values()[k] *= 1 + a.column_indices()[k] % 3;
    return a;
}

struct refreshed_matrix {
    char const* name;
    csr<double> values, others; ///< with the same pattern; both symmetric or neither
};
std::vector<refreshed_matrix> matrices_to_refresh() {
    host_executor const host{1};
    std::vector<refreshed_matrix> all;
    auto twice = generate<double>(host, "aniso2", {.nx = 40});
    for (double& v : twice.values()) v *= 2;
    all.push_back({"symmetric", generate<double>(host, "aniso2", {.nx = 40}), std::move(twice)});
    all.push_back({"unsymmetric", generate<double>(host, "convection", {.nx = 40}),
                   with_other_values(generate<double>(host, "convection", {.nx = 40}))});
    // Matrices of which every second diagonal entry is nearly zero (singular tridiagonal factors, zero pivots), either
    // before or after the refresh.
    auto const regularised = [&] {
        auto a = random_matrix(60, false, 3);
        for (int i = 0; i < 60; i += 2) a(i, i) = 1e-200;
        return to_csr<double>(a);
    };
    all.push_back({"regularised before", to_csr<double>(random_matrix(60, false, 3)), regularised()});
    all.push_back({"regularised after", regularised(), to_csr<double>(random_matrix(60, false, 3))});
    return all;
}

} // namespace

namespace {

/// Moves the last entry of the first row to the next column.
csr<double> with_an_entry_elsewhere(csr<double> const& a) {
    host_executor const exec{1};
    auto columns = to_vector(exec, a.column_indices());
    ++columns[std::size_t(a.row_offsets()[1]) - 1];
    return {a.rows(), a.columns(), exec.copy(to_vector(exec, a.row_offsets())), exec.copy(columns),
            exec.copy(to_vector(exec, a.values()))};
}

} // namespace

TEST_CASE_TEMPLATE("refresh with the same values is the same preconditioner, to the bit", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const smaller_one = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 5}));
    for (auto const& sample : matrices_to_refresh()) {
        auto const a = exec.copy(sample.values), other = exec.copy(sample.others);
        auto const shifted = exec.copy(with_an_entry_elsewhere(sample.values));
        auto const r = exec.copy(random_vector<double>(a.rows(), 1));
        for (auto const name : {"none",
                                "jacobi",
                                "diagp_0",
                                "diagp_1",
                                "diagp_2",
                                "l1",
                                "tridiagonal",
                                "forest",
                                "ilu0",
                                "ic0",
                                "isai",
                                "hbisa",
                                "isai,power=2",
                                "hbisa,block=7,order=symmetric,sweeps=2",
                                "alt-i",
                                "alt-o",
                                "mos-d",
                                "mos-a",
                                "multilevel",
                                "multilevel,coarsest=20,smoother=forest,cycle=w,storage=full",
                                "multilevel,coarsest=20,smoother=chebyshev",
                                "diagp_1,steps=3",
                                "ilu0,factor-scheme=exact,solve-scheme=exact",
                                "ilu0,factor-scheme=sweeps,solve-scheme=sweeps",
                                "ic0,factor-scheme=sweeps,solve-scheme=sweeps"}) {
            if (find_unmet_need(exec, preconditioner_row_of(parse_choice(name).name).needs, a.view())) continue;
            CAPTURE(sample.name);
            CAPTURE(name);
            auto const apply = [&](auto const& m) {
                buffer<double> z(exec, a.rows());
                m.begin_solve();
                m.apply(exec, r.view(), z.view());
                return to_vector(exec, z);
            };
            auto const fresh = make_preconditioner(exec, name, a.view());
            auto again = make_preconditioner(exec, name, other.view());
            bool const same_forest = (again.forest() == nullptr && again.name() != "multilevel") ||
                                     (again.name() == "forest" && to_vector(exec, again.forest()->permutation) ==
                                                                      to_vector(exec, fresh.forest()->permutation));
            if (again.name() != "none") CHECK(apply(again) != apply(fresh));
            again.refresh(exec, a.view());
            if (!same_forest) {
                again = make_preconditioner(exec, name, a.view());
                again.refresh(exec, other.view());
                again.refresh(exec, a.view());
            }
            CHECK(apply(again) == apply(fresh));
            for (finding const& f : fresh.report().findings)
                if (f.unit != finding_unit::seconds && same_forest) CHECK(again.report().number(f.key) == f.value);

            if (again.name() != "none") {
                CHECK_THROWS_AS(again.refresh(exec, smaller_one.view()), dimension_error);
                CHECK_THROWS_WITH_AS(again.refresh(exec, shifted.view()),
                                     doctest::Contains("has another pattern than the one"), matrix_error);
            }
            CHECK(apply(again) == apply(fresh));
        }
    }
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE_TEMPLATE("refresh and apply allocate nothing", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const memory = std::make_shared<failing_memory>();
    host_executor const exec(Fixture::exec().threads(), memory);
    for (auto const& sample : matrices_to_refresh()) {
        auto const a = exec.copy(sample.values), other = exec.copy(sample.others);
        auto const r = exec.copy(random_vector<double>(a.rows(), 1));
        buffer<double> z(exec, a.rows());
        for (auto const name : preconditioner_names) {
            if (find_unmet_need(exec, preconditioner_row_of(name).needs, a.view())) continue;
            CAPTURE(sample.name);
            CAPTURE(name);
            auto m = make_preconditioner(exec, name, a.view());
            m.refresh(exec, other.view()); // the first regularisation allocates memory
            auto before = memory->allocations();
            m.refresh(exec, a.view());
            m.refresh(exec, other.view());
            if (preconditioner_row_of(name).refresh_allocates) before = memory->allocations();
            m.apply(exec, r.view(), z.view());
            CHECK(memory->allocations() == before);
        }
    }
}
#endif

TEST_CASE_TEMPLATE("a path in any order is solved directly", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 90;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(5));
    dense a(n);
    for (int i = 0; i < n; ++i) {
        a(order[std::size_t(i)], order[std::size_t(i)]) = 2.5;
        if (i > 0) a(order[std::size_t(i)], order[std::size_t(i - 1)]) = -1;
        if (i > 0) a(order[std::size_t(i - 1)], order[std::size_t(i)]) = -1.2;
    }
    auto const local = exec.copy(to_csr<double>(a));
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const m = make_preconditioner(exec, "forest", local.view(), {.factor = {.rounds = 0}});
    CHECK(m.report().number("paths") == 1);
    CHECK(m.report().number("longest_path") == n);
    CHECK(m.report().number("weight_coverage") == doctest::Approx(1));
    csr_operator<Executor, double> const op(exec, local.view());
    auto const b = exec.copy(random_vector<double>(n, 1));
    auto x = exec.copy(std::vector<double>(n));
    auto const result = solve(exec, "gmres", op, m, b.view(), x.view(), {.tolerance = 1e-12});
    CHECK(result.converged);
    CHECK(result.iterations == 1);
}

TEST_CASE_TEMPLATE("strong couplings across the numbering: the forest beats jacobi and tridiagonal", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace3d", {.nx = 20, .wy = 40}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(random_vector<double>(a.rows(), 1));
    auto const iterations = [&](std::string_view name) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        auto const result = solve(exec, "bicgstab", op, make_preconditioner(exec, name, a.view()), b.view(), x.view());
        CHECK(result.converged);
        return result.iterations;
    };
    auto const forest = iterations("forest");
    CHECK(2 * forest < iterations("jacobi"));
    CHECK(2 * forest < iterations("tridiagonal"));
}

TEST_CASE_TEMPLATE("options by name are those of the struct, and the report lists them", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 40}));
    auto const r = exec.copy(random_vector<double>(a.rows(), 1));
    auto const apply = [&](auto const& m) {
        buffer<double> z(exec, a.rows());
        m.apply(exec, r.view(), z.view());
        return to_vector(exec, z);
    };
    forest_options options{.factor = {.rounds = 3, .ties = tie_rule::hash, .seed = 7}};
    options.tridiagonal.pivot = pivoting::scaled_partial;
    auto const by_struct = make_preconditioner(exec, "forest", a.view(), options);
    auto const by_text =
        make_preconditioner(exec, "forest,rounds=3,ties=hash,pivoting=scaled", a.view(), {{"seed", 7}});
    CHECK(apply(by_text) == apply(by_struct));
    CHECK(apply(by_text) != apply(make_preconditioner(exec, "forest", a.view())));
    auto const told = by_text.report();
    CHECK(told.name == "forest");
    CHECK(told.options.find("rounds")->text == "3");
    CHECK(told.options.find("charge-below")->text == "0.2"); // a default
    CHECK_THROWS_WITH_AS(told.number("path"), doctest::Contains("expected one of: paths, longest_path"),
                         argument_error);
    CHECK_FALSE(make_preconditioner(exec, "none", a.view()).report().has("paths"));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "forest,rounds=3,rounds=4", a.view()),
                         doctest::Contains("option rounds is given twice"), argument_error);
    // Values passed separately override those after the name.
    CHECK(
        make_preconditioner(exec, "forest,rounds=3", a.view(), {{"rounds", 4}}).report().options.find("rounds")->text ==
        "4");
}

TEST_CASE("every row of the catalogue: texts, and defaults that its options accept") {
    for (preconditioner_row const& row : preconditioner_catalogue) {
        CAPTURE(row.name);
        CHECK_FALSE(row.matrix.empty());
        CHECK_FALSE(row.setup.empty());
        CHECK_FALSE(row.suits.empty());
        option_values defaults;
        for (option_row const& option : row.options) {
            CAPTURE(option.name);
            CHECK_FALSE(option.meaning.empty());
            defaults.set(option.name, option.standard);
        }
        CHECK_NOTHROW(chosen_options(std::string(row.name), row.options, defaults));
        CHECK(std::count(preconditioner_names.begin(), preconditioner_names.end(), row.name) == 1);
    }
}

TEST_CASE_TEMPLATE("bad input of preconditioners", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto m = random_matrix(6, true, 1);
    auto const a = exec.copy(to_csr<double>(m));
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "amg", a.view()),
                         doctest::Contains("unknown preconditioner \"amg\", expected one of: none, jacobi, diagp_0"),
                         argument_error);
    CHECK_THROWS_WITH_AS(
        make_preconditioner(exec, "tridiagonal,rounds=3", a.view()),
        "preconditioner \"tridiagonal\" has no option \"rounds\", expected one of: pivoting, threshold",
        argument_error);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "forest", a.view(), {{"charge-probability", 1.5}}),
                         "option charge-probability of preconditioner \"forest\" is \"1.5\", expected a number from 0 "
                         "to 1",
                         argument_error);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "forest,rounds", a.view()),
                         "\"rounds\" in \"forest,rounds\" is not an option, expected key=value", argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "jacobi,a=", a.view()), argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "", a.view()), argument_error);
    csr_view<double> wide = a.view();
    wide.column_count = 7;
    for (auto const name : preconditioner_names)
        CHECK_THROWS_AS(make_preconditioner(exec, name, wide), dimension_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "forest", a.view(), {.factor = {.rounds = -1}}), argument_error);
    m(2, 3) = std::numeric_limits<double>::quiet_NaN();
    auto const poisoned = exec.copy(to_csr<double>(m));
    CHECK_THROWS_AS(make_preconditioner(exec, "forest", poisoned.view()), matrix_error);
    // No rows at all.
    auto const empty = exec.copy(to_csr<double>(dense(0)));
    for (auto const name : preconditioner_names) {
        auto const none = make_preconditioner(exec, name, empty.view());
        none.apply(exec, array_view<double const>{}, array_view<double>{});
    }
}

namespace {

/// Tridiagonal matrices, singular or nearly so, each as its three bands.
std::vector<dense> singular_bands(int n) {
    std::vector<dense> all;
    auto const add = [&](auto lower, auto diagonal, auto upper) {
        dense m(n);
        for (int i = 0; i < n; ++i) {
            m(i, i) = diagonal(i);
            if (i > 0) m(i, i - 1) = lower(i);
            if (i + 1 < n) m(i, i + 1) = upper(i);
        }
        all.push_back(m);
    };
    auto const constant = [](double value) { return [value](int) { return value; }; };
    add(constant(1), constant(0), constant(1));     // a graph of one path
    add(constant(1), constant(1e-20), constant(1)); // only the other entries of a row cancel
    add(
        constant(-1), [n](int i) { return i == 0 || i == n - 1 ? 1.0 : 2.0; }, constant(-1)); // no Dirichlet end
    add(
        constant(0), [](int i) { return i % 5 == 3 ? 0.0 : 2.0; }, constant(0)); // zero rows
    add(
        constant(0.5), [](int i) { return i % 7 == 2 ? 0.0 : 1.0; }, constant(0)); // zero columns
    add([](int i) { return i % 2 ? 1.0 : 0.0; }, [](int i) { return i / 2 % 3 ? 2.0 : 1.0; },
        [](int i) { return i % 2 ? 0.0 : 1.0; }); // pairs, every third singular
    add([](int i) { return i % 2 ? 1.0 : 0.0; }, [](int i) { return i % 6 == 1 ? 1 + 1e-15 : 1.0; },
        [](int i) { return i % 2 ? 0.0 : 1.0; }); // nearly singular
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("singular tridiagonal bands are regularised during set-up", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host{1};
    for (int const n : {2, 3, 7, 65, 501})
        for (double const scale : {1.0, 0x1p-300, 0x1p300})
            for (bool const whole : {true, false}) {
                int which = 0;
                for (auto m : singular_bands(n)) {
                    // If the bands are the whole matrix, they may be as close to singular as the matrix.
                    for (int i = 0; !whole && i + n / 2 < n && n > 3; ++i) m(i, i + n / 2) = m(i + n / 2, i) = 1e-3;
                    for (auto& value : m.a) value *= scale;
                    ++which;
                    CAPTURE(n);
                    CAPTURE(scale);
                    CAPTURE(whole);
                    CAPTURE(which);
                    auto const a = to_csr<double>(m);
                    auto const local = exec.copy(a);
                    auto const r = exec.copy(random_vector<double>(n, 3));
                    buffer<double> z(exec, n);
                    for (auto const name : {"tridiagonal", "forest"}) {
                        auto const p = make_preconditioner(exec, name, local.view());
                        p.apply(exec, r.view(), z.view());
                        double largest = 0;
                        for (double const value : to_vector(exec, z))
                            largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : INFINITY;
                        CHECK(largest * scale < (p.report().number("weight_coverage") == 1 ? 0x1p600 : 1e6 * n));
                        // The number of regularised rows among coupled ones depends on rounding.
                        auto const on_host = make_preconditioner(host, name, a.view());
                        if (p.report().number("weight_coverage") < 1)
                            CHECK((p.report().number("mended_rows") > 0) ==
                                  (on_host.report().number("mended_rows") > 0));
                    }
                }
            }
    // A nonsingular path keeps its entries if another path is singular.
    dense off_diagonal(40);
    for (int i = 0; i < 40; ++i) {
        off_diagonal(i, i) = i < 20 ? 0 : 2;
        if (i > 0 && i != 19 && i != 20) off_diagonal(i, i - 1) = off_diagonal(i - 1, i) = 1;
    }
    auto const both = exec.copy(to_csr<double>(off_diagonal));
    auto const p = make_preconditioner(exec, "tridiagonal", both.view());
    CHECK(p.report().number("mended_rows") >= 19);
    CHECK(p.report().number("mended_rows") <= 22);
    auto const regularised = matrix_of(exec, p, 40);
    for (int i = 22; i < 40; ++i) CHECK(regularised(i, i) == doctest::Approx(2));
    // A nonsingular matrix is not changed, even if it is badly scaled.
    auto scaled = random_matrix(50, true, 3);
    for (int i = 0; i < 50; ++i)
        for (int j = 0; j < 50; ++j) scaled(i, j) *= std::pow(10.0, (i * 7 % 20 - 10) + (j * 7 % 20 - 10));
    auto const graded = exec.copy(to_csr<double>(scaled));
    for (auto const name : {"tridiagonal", "forest"})
        CHECK(make_preconditioner(exec, name, graded.view()).report().number("mended_rows") == 0);
}

TEST_CASE_TEMPLATE("the convergence factor is the spectral radius of I - M^-1 A", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (double const scale : {1.0, 0x1p-600, 0x1p600}) {
        CAPTURE(scale);
        auto on_host = generate<double>(host_executor{1}, "laplace2d", {.nx = 9, .ny = 9});
        for (double& value : on_host.values()) value *= scale;
        auto const a = exec.copy(on_host);
        // The spectral radius of the Jacobi iteration on the n x n 5-point grid is cos(pi / (n + 1)).
        auto const jacobi = make_preconditioner(exec, "jacobi", a.view());
        CHECK(convergence_factor(exec, a.view(), jacobi, 400) ==
              doctest::Approx(std::cos(std::acos(-1.0) / 10)).epsilon(1e-6));
        auto const none = make_preconditioner(exec, "multilevel", a.view()); // 81 rows: solved directly
        CHECK(convergence_factor(exec, a.view(), none, 2) < 1e-5);
    }
    // Without a preconditioner, the factor of a diagonal matrix is max |1 - a_ii| = |1 - 4|; it may exceed 1.
    csr<double> const diagonal(2, 2, exec.copy(std::vector<int>{0, 1, 2}), exec.copy(std::vector<int>{0, 1}),
                               exec.copy(std::vector<double>{0.5, 4}));
    auto const none = make_preconditioner(exec, "none", diagonal.view());
    CHECK(convergence_factor(exec, diagonal.view(), none, 60) == doctest::Approx(3).epsilon(1e-9));
    CHECK_THROWS_AS(convergence_factor(exec, diagonal.view(), none, 1), argument_error);
}

#if !defined(COPPICE_TEST_CUDA)

namespace {

/// An operator or preconditioner whose apply() blocks until it is released.
struct waits {
    std::latch *entered, *leave;
    std::int64_t n = 4;
    std::int64_t size() const { return n; }
    void apply(host_executor const& exec, array_view<double const> r, array_view<double> z) const {
        entered->count_down();
        leave->wait();
        exec.copy_elements(r.data(), z.data(), r.size());
    }
};

} // namespace

TEST_CASE("preconditioner: a second thread in apply() is rejected") {
    host_executor const exec{1};
    std::latch entered(1), leave(1);
    any_preconditioner<host_executor, double> const m(waits{&entered, &leave}, preconditioner_report{});
    std::vector<double> const r{1, 2, 3, 4};
    std::vector<double> z(4), other(4, 7.0);
    std::thread first([&] { m.apply(exec, r, z); });
    entered.wait();
    auto copy = m; // the same preconditioner
    CHECK_THROWS_WITH_AS(copy.apply(exec, r, other), doctest::Contains("in use by another thread"), argument_error);
    CHECK(other == std::vector<double>(4, 7.0));
    leave.count_down();
    first.join();
    CHECK(z == r);
    m.apply(exec, r, other); // as good as before
    CHECK(other == r);
}

TEST_CASE("Krylov methods: a second thread in a solver object is rejected") {
    host_executor const exec{1};
    any_preconditioner<host_executor, double> const m(identity_preconditioner{}, preconditioner_report{});
    auto const check = [&](auto solver) {
        std::latch in(1), out(1);
        waits const op{&in, &out};
        std::vector<double> const b{1, 2, 3, 4};
        std::vector<double> x(4), other(4, 7.0);
        std::thread first([&] { solver.solve(op, m, array_view<double const>(b), array_view<double>(x)); });
        in.wait();
        CHECK_THROWS_AS(solver.solve(op, m, array_view<double const>(b), array_view<double>(other)), argument_error);
        CHECK(other == std::vector<double>(4, 7.0));
        out.count_down();
        first.join();
        for (std::size_t i = 0; i < b.size(); ++i) CHECK(x[i] == doctest::Approx(b[i])); // A = I
    };
    check(cg<host_executor, double>(exec, 4));
    check(minres<host_executor, double>(exec, 4));
    check(bicgstab<host_executor, double>(exec, 4));
    check(idrs<host_executor, double>(exec, 4));
    check(gmres<host_executor, double>(exec, 4));
    check(fgmres<host_executor, double>(exec, 4));
}

TEST_CASE("preconditioner: two threads get the vectors of one, or argument_error") {
    host_executor const exec{1};
    auto const a = generate<double>(exec, "aniso2", {.nx = races_watched ? 12 : 24});
    auto const b = random_vector<double>(int(a.rows()), 5);
    for (auto const name : preconditioner_names) {
        CAPTURE(name);
        if (find_unmet_need(exec, preconditioner_row_of(name).needs, a.view())) continue;
        auto const m = make_preconditioner(exec, name, a.view());
        auto const solve_once = [&] {
            csr_operator const op(exec, a);
            std::vector<double> x(b.size());
            solve(exec, "fgmres", op, m, b, x, {.tolerance = 1e-8, .max_iterations = 20});
            return x;
        };
        auto const expected = solve_once();
        std::atomic<int> wrong{0}, failed{0};
        auto const many = [&] {
            for (int k = 0; k < (test::sanitized ? 2 : 10); ++k) try {
                    if (solve_once() != expected) ++wrong;
                } catch (argument_error const&) {
                } catch (...) {
                    ++failed;
                }
        };
        std::thread one(many), two(many);
        one.join();
        two.join();
        CHECK(wrong == 0);
        CHECK(failed == 0);
        CHECK(solve_once() == expected);
    }
}

#endif
