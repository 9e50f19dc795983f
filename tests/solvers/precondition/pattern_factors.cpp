// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners with factors of other patterns than forests: pairs, bands, lines of grids; compared with dense
// definitions.
#include <coppice/krylov.hpp>
#include <coppice/preconditioner_classes.hpp>

#include <limits>
#include <set>

#include "solvers/dense_splittings.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// Stores whether a pattern contains the entry (k / n, k % n). Runs on the executor of the pattern.
template <class Pattern>
struct ask_pattern {
    Pattern pattern;
    int n;
    std::uint8_t* held;
    COPPICE_HD void operator()(std::int64_t k) const { held[k] = pattern(k / n, k % n) ? 1 : 0; }
};
template <class Executor, class Pattern>
dense factor_of(Executor const& exec, dense const& a, Pattern const& pattern) {
    buffer<std::uint8_t> held(exec, std::int64_t(a.n) * a.n);
    for_each(exec, held.size(), ask_pattern<Pattern>{pattern, a.n, held.data()});
    auto const there = to_vector(exec, held);
    dense factor(a.n);
    for (std::size_t k = 0; k < there.size(); ++k) factor.a[k] = there[k] ? a.a[k] : 0;
    return factor;
}
dense without(dense a, dense const& taken) {
    for (int i = 0; i < a.n; ++i)
        for (int j = 0; j < a.n; ++j)
            if (i != j && taken(i, j) != 0) a(i, j) = 0;
    return a;
}

} // namespace

TEST_CASE_TEMPLATE("forests of pairs: every vertex once, pairs and neighbours are coupled, and coverages", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {0, 1, 2, 3, 4, 17, 60, 151})
        for (unsigned const seed : {1u, 2u}) {
            CAPTURE(n);
            auto const a = random_matrix(n, true, seed);
            auto const local = exec.copy(to_csr<double>(a));
            auto const pairs = pair_forest(exec, local.view(), {.seed = seed});
            auto const order = to_vector(exec, pairs.order), positions = to_vector(exec, pairs.positions);
            auto const permutation = to_vector(exec, pairs.blocks.permutation),
                       links = to_vector(exec, pairs.blocks.links);
            int seen = 0;
            for (std::size_t p = 0; p < order.size(); ++p)
                if (order[p] >= 0) {
                    CHECK(positions[std::size_t(order[p])] == int(p));
                    ++seen;
                }
            CHECK(seen == n);
            CHECK(pairs.ghosts() == int(order.size()) - n);
            auto const weight = [&](std::size_t b, std::size_t c) {
                double sum = 0;
                for (std::size_t const s : {2 * b, 2 * b + 1})
                    for (std::size_t const t : {2 * c, 2 * c + 1})
                        if (order[s] >= 0 && order[t] >= 0 && s != t) sum += std::abs(a(order[s], order[t]));
                return sum;
            };
            double held = 0, all = 0;
            std::size_t const blocks = order.size() / 2;
            for (std::size_t b = 0; b < blocks; ++b) {
                CHECK(order[2 * b] >= 0); // the ghost is the second one
                if (order[2 * b + 1] >= 0) CHECK(a(order[2 * b], order[2 * b + 1]) != 0);
                held += weight(b, b);
                if (links[2 * std::size_t(permutation[b]) + 1] < 0) continue;
                REQUIRE(b + 1 < blocks);
                CHECK(weight(b, b + 1) > 0);
                held += 2 * weight(b, b + 1);
            }
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) all += i == j ? 0 : std::abs(a(i, j));
            CHECK(pairs.weight_coverage == doctest::Approx(all > 0 ? held / all : 1));
        }
}

TEST_CASE_TEMPLATE("forests of pairs: the weight between two pairs is the sum of their edges", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    dense a(6);
    auto const edge = [&](int i, int j, double weight) { a(i, j) = a(j, i) = weight; };
    for (int i = 0; i < 6; i += 2) edge(i, i + 1, 100);
    edge(0, 2, 5), edge(0, 3, 3); // 8 between the first two pairs, in descending order
    edge(1, 4, 7);
    edge(3, 5, 7.5); // the forest of the three pairs omits the edge of weight 7
    auto const local = exec.copy(to_csr<double>(a));
    CHECK(pair_forest(exec, local.view()).weight_coverage == doctest::Approx((300 + 8 + 7.5) / (300 + 8 + 7 + 7.5)));
}

TEST_CASE_TEMPLATE("pattern factors: pairs along a forest are solved as their dense matrix", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (int const n : {1, 2, 3, 40, 71})
        for (bool const symmetric : {true, false}) {
            CAPTURE(n);
            auto const a = random_matrix(n, symmetric, unsigned(n) + 5);
            auto const local = exec.copy(to_csr<double>(a));
            block_forest_preconditioner<Executor, double> m(exec, local.view());
            auto const position = to_vector(exec, m.pairs().positions), links = to_vector(exec, m.pairs().blocks.links);
            auto const inverse = to_vector(exec, m.pairs().blocks.permutation);
            dense factor(n);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    int const b = inverse[std::size_t(position[std::size_t(i)] / 2)];
                    int const c = inverse[std::size_t(position[std::size_t(j)] / 2)];
                    bool const held = b == c || links[2 * std::size_t(b)] == c || links[2 * std::size_t(b) + 1] == c;
                    factor(i, j) = held ? a(i, j) : 0;
                }
            auto const r = random_vector<double>(n, 3);
            CHECK(distance(apply(exec, m, r), lapack_solve(factor, r)) < 1e-11);
            // New values: the pairs stay.
            auto other = a;
            for (double& e : other.a) e *= 3;
            m.refresh(exec, view_of(exec.copy(to_csr<double>(other))));
            for (double& e : factor.a) e *= 3;
            CHECK(distance(apply(exec, m, r), lapack_solve(factor, r)) < 1e-11);
        }
}

TEST_CASE_TEMPLATE("pattern factors: several patterns agree with the dense definition", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    using enum factor_kind;
    for (int const n : {1, 2, 45, 80})
        for (std::vector<factor_kind> const& kinds : {std::vector{forest},
                                                      {blocks},
                                                      {bands},
                                                      {blocks, forest},
                                                      {bands, blocks, forest},
                                                      {bands, bands, blocks}})
            for (int const reach : {1, 3})
                for (double const omega : {0.0, 0.5}) {
                    CAPTURE(n);
                    CAPTURE(kinds.size());
                    CAPTURE(reach);
                    CAPTURE(omega);
                    auto const a = random_matrix(n, false, unsigned(n) + 2);
                    auto const local = exec.copy(to_csr<double>(a));
                    mixed_splitting<Executor, double> const m(exec, local.view(),
                                                              {.kinds = kinds, .bands = reach, .omega = omega});
                    CHECK(m.factors() <= int(kinds.size()));
                    std::vector<dense> factors;
                    dense taken(n);
                    for (int l = 0; l < m.factors(); ++l) {
                        auto const held = factor_of(exec, a, m.pattern(l));
                        if (kinds[std::size_t(l)] == bands && m.factors() == int(kinds.size()))
                            for (int i = 0; i < n; ++i)
                                for (int j = 0; j < n; ++j)
                                    CHECK((held(i, j) != 0) == (a(i, j) != 0 && std::abs(i - j) <= reach));
                        factors.push_back(omega == 0 ? without(held, taken) : held);
                        for (std::size_t k = 0; k < held.a.size(); ++k) taken.a[k] += held.a[k];
                    }
                    auto const r = random_vector<double>(n, 3);
                    CHECK(distance(apply(exec, m, r), lapack_solve(direct_product(a, factors), r)) < 1e-9);
                }
    // Forests alone: mos-d.
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 15}));
    auto const r = random_vector<double>(int(a.rows()), 1);
    auto const all = make_preconditioner(exec, "mos,first=forest,factors=3", a.view());
    CHECK(all.report().number("weight_coverage") ==
          doctest::Approx(make_preconditioner(exec, "mos-d,factors=3", a.view()).report().number("weight_coverage")));
    CHECK(distance(apply(exec, all, r), apply(exec, make_preconditioner(exec, "mos-d,factors=3", a.view()), r)) <
          1e-13);
    // The bands and the forests after them contain all entries of A before nine factors are reached. Empty factors are
    // not built.
    CHECK(make_preconditioner(exec, "mos,first=bands,bands=8,factors=9", a.view()).report().number("factors") < 9);
}

TEST_CASE_TEMPLATE("pattern factors: lines of a grid", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    struct {
        std::string kind;
        generator_options size;
        std::string options;
    } const samples[] = {{"aniso1", {.nx = 9, .ny = 9, .nz = 1}, ""},
                         {"convection", {.nx = 7, .ny = 4, .nz = 1}, "nx=7"},
                         {"laplace27", {.nx = 5, .ny = 3, .nz = 4}, "nx=5,ny=3,nz=4"},
                         {"laplace3d", {.nx = 3, .ny = 1, .nz = 5}, "nx=3,ny=1,nz=5"},
                         {"laplace2d", {.nx = 1, .ny = 6, .nz = 1}, "nx=1,ny=6"}};
    for (auto const& [kind, size, options] : samples) {
        auto const& case_kind = kind;
        CAPTURE(case_kind);
        auto const host = generate<double>(host_executor{1}, kind, size);
        dense a(host.rows());
        for (int i = 0; i < a.n; ++i)
            for (int k = host.row_offsets()[i]; k < host.row_offsets()[i + 1]; ++k)
                a(i, host.column_indices()[k]) += host.values()[k];
        auto const local = exec.copy(host);
        auto const m = make_preconditioner(exec, options.empty() ? "adi" : "adi," + options, local.view());
        auto const r = random_vector<double>(a.n, 4);
        std::vector<double> x(r.size()); // Eq. 28
        int factors = 0, stride = 1;
        std::int64_t const lengths[] = {size.nx, size.ny, size.nz};
        for (std::int64_t const given : lengths) {
            int const length = int(given);
            if (length == 1) continue;
            dense lines(a.n);
            for (int i = 0; i < a.n; ++i)
                for (int j = 0; j < a.n; ++j) {
                    bool const neighbours = std::abs(i - j) == stride && i / (stride * length) == j / (stride * length);
                    lines(i, j) = i == j || neighbours ? a(i, j) : 0;
                }
            auto const step = lapack_solve(lines, minus(r, times(a, x)));
            for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
            ++factors;
            stride *= length;
        }
        CHECK(m.report().number("factors") == factors);
        CHECK(distance(apply(exec, m, r), x) < 1e-11);
    }
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 6}));
    for (std::string const wrong : {"nx=7", "nx=6,ny=5", "nx=6,ny=6,nz=2", "ny=37", "nz=5"})
        CHECK_THROWS_WITH_AS(make_preconditioner(exec, "adi," + wrong, a.view()),
                             doctest::Contains("expected one point for each row"), dimension_error);
    CHECK_THROWS_AS((inner_alternation<Executor, double>(exec, a.view(), grid_sizes{-6, -6, 1})), argument_error);
    CHECK_THROWS_AS((inner_alternation<Executor, double>(exec, a.view(), grid_sizes{6, 5, 1})), dimension_error);
}

TEST_CASE_TEMPLATE("pattern factors: matrices with few entries, singular factors, bad input", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const neighbours = [](int i, int j) { return std::abs(i - j) == 1; };
    auto const made = [](int n, auto&& entry) {
        dense a(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) a(i, j) = entry(i, j);
        return a;
    };
    auto pieces = random_matrix(60, true, 4); // one singular block, the others nonsingular
    for (int i = 0; i < 60; ++i)
        for (int j = 0; j < 60; ++j)
            if ((i < 2) != (j < 2)) pieces(i, j) = 0;
    pieces(0, 0) = pieces(1, 1) = pieces(0, 1) = pieces(1, 0) = 1;
    struct {
        std::string what;
        dense a;
        bool exact; ///< one factor contains all entries
        double regularised;
    } const samples[] = {
        {"one row", made(1, [](int, int) { return -3.0; }), true, 0},
        {"diagonal", made(30, [](int i, int j) { return i == j ? 1.0 + i : 0.0; }), true, 0},
        {"pair", made(2, [](int i, int j) { return i == j ? 1e-9 : -2.0; }), true, 0},
        {"two singular rows of 60", pieces, false, 2},
        {"all ones", made(12, [](int, int) { return 1.0; }), false, -1},
        {"nothing", made(5, [](int, int) { return 0.0; }), false, -1},
        {"no diagonal", made(30, [&](int i, int j) { return neighbours(i, j) ? 1.0 : 0.0; }), false, -1},
        {"large and small", made(20, [&](int i, int j) { return i == j             ? 1e-200
                                                                : neighbours(i, j) ? 1e150
                                                                                   : 0.0; }),
         false, -1}};
    for (auto const& [what, a, exact, regularised] : samples)
        for (std::string const name : {"block-forest,rounds=0", "mos,rounds=0", "mos,first=bands,bands=3,rounds=0"}) {
            auto const& case_what = what;
            CAPTURE(case_what);
            CAPTURE(name);
            auto const local = exec.copy(to_csr<double>(a));
            auto const m = make_preconditioner(exec, name, local.view());
            auto const r = random_vector<double>(a.n, 2);
            auto const z = apply(exec, m, r);
            CHECK(all_finite(z));
            if (exact) CHECK(distance(z, lapack_solve(a, r)) < 1e-12);
            if (regularised >= 0 && name.starts_with("block")) CHECK(m.report().number("mended_rows") == regularised);
        }

    auto const a = random_matrix(20, false, 1);
    auto const local = exec.copy(to_csr<double>(a));
    for (std::string const name : {"block-forest", "mos", "mos,first=bands", "adi"}) {
        CAPTURE(name);
        auto m = make_preconditioner(exec, name, local.view());
        auto const r = random_vector<double>(20, 1);
        auto const before = apply(exec, m, r);
        auto poisoned = to_csr<double>(a);
        poisoned.values()[7] = std::numeric_limits<double>::quiet_NaN();
        auto const there = exec.copy(poisoned);
        CHECK_THROWS_AS(make_preconditioner(exec, name, there.view()), matrix_error);
        CHECK_THROWS_AS(m.refresh(exec, there.view()), matrix_error); // leaves everything as it was
        auto shifted = a; // the same number of entries, one at another position
        int i = 0, j = 1;
        while (shifted(i, j) == 0 || shifted(j, i) != 0) j < 19 ? ++j : (j = 0, ++i);
        std::swap(shifted(i, j), shifted(j, i));
        CHECK_THROWS_WITH_AS(m.refresh(exec, view_of(exec.copy(to_csr<double>(shifted)))),
                             doctest::Contains("has another pattern"), matrix_error);
        CHECK(apply(exec, m, r) == before);
        m.refresh(exec, local.view());
        CHECK(apply(exec, m, r) == before);
    }
    for (auto const wrong : {"mos,factors=0", "mos,factors=17", "mos,omega=1.5", "mos,bands=0", "mos,bands=9",
                             "mos,first=tree", "mos,others=bands", "block-forest,rounds=-2", "adi,nz=0", "adi,nx=-1"})
        CHECK_THROWS_AS(make_preconditioner(exec, wrong, local.view()), argument_error);
    CHECK_THROWS_AS((mixed_splitting<Executor, double>(exec, local.view(), {.kinds = {}})), argument_error);
    CHECK_THROWS_AS((mixed_splitting<Executor, double>(exec, local.view(), {.bands = 9})), argument_error);
}
