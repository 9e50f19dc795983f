// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of several forests, compared with their dense definitions (thesis chapter 5).
#include <coppice/krylov.hpp>
#include <coppice/preconditioner_classes.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include "solvers/dense_splittings.hpp"
#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// B M^-1, by LAPACK on the transposes.
dense right_quotient(dense const& b, dense const& m) {
    dense transposed(m.n), result(m.n);
    for (int i = 0; i < m.n; ++i)
        for (int j = 0; j < m.n; ++j) transposed(j, i) = m(i, j);
    for (int i = 0; i < b.n; ++i) {
        std::vector<double> row(static_cast<std::size_t>(b.n));
        for (int j = 0; j < b.n; ++j) row[std::size_t(j)] = b(i, j);
        row = lapack_solve(transposed, row);
        for (int j = 0; j < b.n; ++j) result(i, j) = row[std::size_t(j)];
    }
    return result;
}
/// The entries of A that forest l contains, and the diagonal: prune(A, S_l) of Eqs. 72, 73 and 76 of the thesis.
template <class Executor>
dense along(Executor const& exec, linear_forest<std::int32_t> const& forest, dense const& a) {
    auto const links = to_vector(exec, forest.links);
    dense factor(a.n);
    for (int i = 0; i < a.n; ++i) {
        factor(i, i) = a(i, i);
        for (int const j : {links[std::size_t(2 * i)], links[std::size_t(2 * i) + 1]})
            if (j >= 0) factor(i, j) = a(i, j);
    }
    return factor;
}
/// Off-diagonal entries of row i, the largest first.
std::vector<int> by_size(dense const& a, int i) {
    std::vector<int> columns(static_cast<std::size_t>(a.n));
    std::iota(columns.begin(), columns.end(), 0);
    columns.erase(columns.begin() + i);
    std::sort(columns.begin(), columns.end(), [&](int j, int k) { return std::abs(a(i, j)) > std::abs(a(i, k)); });
    return columns;
}
int off_diagonals_in_row(dense const& a, int i) {
    int count = 0;
    for (int j = 0; j < a.n; ++j) count += j != i && a(i, j) != 0 ? 1 : 0;
    return count;
}
/// The diagonal, and in each row the largest others, as many as `shape` has there (Eq. 69).
dense pruned_like(dense const& shape, dense const& a) {
    dense result(a.n);
    for (int i = 0; i < a.n; ++i) {
        result(i, i) = a(i, i);
        auto const columns = by_size(a, i);
        for (int k = 0; k < off_diagonals_in_row(shape, i); ++k)
            result(i, columns[std::size_t(k)]) = a(i, columns[std::size_t(k)]);
    }
    return result;
}
template <class Executor>
dense to_dense(Executor const& exec, csr_view<double> a) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const columns = to_vector(exec, a.column_indices());
    auto const values = to_vector(exec, a.values());
    dense m(a.rows());
    for (int i = 0; i < m.n; ++i)
        for (int k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
            m(i, columns[std::size_t(k)]) = values[std::size_t(k)];
    return m;
}
template <class Executor>
using alternation = inner_alternation<Executor, double>;
template <class Executor>
using adaptive = adaptive_splitting<Executor, double>;

auto const splitting_names = {"alt-i", "alt-o", "mos-d", "mos-a"};

} // namespace

TEST_CASE_TEMPLATE("splittings: alternation and direct factors are those of their definitions", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (int const n : {1, 2, 3, 40, 70})
        for (bool const symmetric : {true, false})
            for (int const m : {1, 2, 4}) {
                CAPTURE(n);
                CAPTURE(symmetric);
                CAPTURE(m);
                auto const a = random_matrix(n, symmetric, unsigned(n) + 5);
                auto const local = exec.copy(to_csr<double>(a));
                auto const r = random_vector<double>(n, 3);

                inner_alternation<Executor, double> const inner(exec, local.view(), {.factors = m});
                outer_alternation<Executor, double> const outer(exec, local.view(), {.factors = m});
                std::vector<double> x(r.size()); // Eq. 28
                for (int l = 0; l < inner.factors(); ++l) {
                    auto const factor = along(exec, inner.forest(l), a);
                    CHECK(distance(apply(exec, outer, r), lapack_solve(factor, r)) < 1e-10);
                    auto const step = lapack_solve(factor, minus(r, times(a, x)));
                    for (std::size_t i = 0; i < x.size(); ++i) x[i] += step[i];
                }
                CHECK(distance(apply(exec, inner, r), x) < 1e-10);

                direct_splitting<Executor, double> const direct(exec, local.view(), {.factors = m, .omega = 0});
                std::vector<dense> factors;
                for (int l = 0; l < direct.factors(); ++l) factors.push_back(along(exec, direct.forest(l), a));
                auto const whole = direct_product(a, factors);
                CHECK(distance(apply(exec, direct, r), lapack_solve(whole, r)) < 1e-10);
            }
}

TEST_CASE_TEMPLATE("splittings: adaptive factors are those of the dense definition", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (int const n : {1, 2, 3, 40, 90})
        for (int const m : {1, 2, 3}) {
            CAPTURE(n);
            CAPTURE(m);
            auto const a = random_matrix(n, false, unsigned(n) + 7);
            auto const local = exec.copy(to_csr<double>(a));
            adaptive<Executor> const splitting(exec, local.view(),
                                               {.splitting = {.factors = m}, .window = 200, .accuracy = 1e-14});
            auto const d = diagp_1(a);
            std::vector<double> inverse(d);
            for (double& e : inverse) e = 1 / e;
            dense b = scaled(inverse, a), whole(n); // Eq. 69, from D^-1 A
            for (int i = 0; i < n; ++i) whole(i, i) = 1;
            for (int l = 0; l < splitting.factors(); ++l) {
                auto const factor = along(exec, splitting.forest(l), b);
                b = pruned_like(a, right_quotient(b, factor));
                whole = product(factor, whole);
            }
            auto const rest = to_dense(exec, splitting.rest());
            CHECK(distance(rest.a, b.a) < 1e-11);
            auto t = diagp_1(b);
            for (int i = 0; i < n; ++i) t[std::size_t(i)] *= d[std::size_t(i)];
            auto const r = random_vector<double>(n, 3);
            CHECK(distance(apply(exec, splitting, r), lapack_solve(scaled(t, whole), r)) < 1e-9);
        }
}

TEST_CASE_TEMPLATE("splittings: windows lose no entry that would be selected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    for (std::string const kind : {"aniso2", "convection"})
        for (double const accuracy : {1.0, 0.1, 0.01}) {
            CAPTURE(kind);
            CAPTURE(accuracy);
            auto const local = exec.copy(generate<double>(host_executor{1}, kind, {.nx = 12}));
            auto a = to_dense(exec, local.view());
            auto inverse = diagp_1(a);
            for (double& e : inverse) e = 1 / e;
            a = scaled(inverse, a);
            adaptive<Executor> const splitting(exec, local.view(), {.splitting = {.factors = 1}, .accuracy = accuracy});
            auto const exact = right_quotient(a, along(exec, splitting.forest(0), a));
            auto const rest = to_dense(exec, splitting.rest());
            for (int i = 0; i < a.n; ++i) {
                double smallest = std::numeric_limits<double>::infinity(), outside = 0;
                for (int j = 0; j < a.n; ++j) {
                    if (i == j || rest(i, j) != 0)
                        CHECK(rest(i, j) == doctest::Approx(exact(i, j)).epsilon(1e-9)); // all entries are accurate
                    if (i == j) continue;
                    if (rest(i, j) != 0)
                        smallest = std::min(smallest, std::abs(exact(i, j)));
                    else
                        outside = std::max(outside, std::abs(exact(i, j)));
                }
                CHECK(outside <= (1 + 2 * accuracy) * smallest);
            }
        }
}

TEST_CASE("splittings: windows find the same in rows stored contiguously and interleaved") {
    host_executor const exec{2};
    int const n = 70, max_entries = 9;
    auto const b =
        to_csr<double>(random_matrix(n, false, 5)); // positions are vertices, every vertex is connected to the next
    tridiagonal<double> m(exec, n);
    std::vector<std::int32_t> links, numbers, row_begins{0};
    for (int i = 0; i < n; ++i) {
        m.lower[i] = i > 0 ? detail::sum_in_row(b.view(), i, i - 1) : 0;
        m.diagonal[i] = detail::sum_in_row(b.view(), i, i);
        m.upper[i] = i + 1 < n ? detail::sum_in_row(b.view(), i, i + 1) : 0;
        links.insert(links.end(), {i - 1, i + 1 < n ? i + 1 : -1});
        numbers.push_back(i);
        row_begins.push_back(row_begins.back() + std::min(4, n));
    }
    detail::path_inverse<double> inverse(exec, n);
    inverse.read(exec, m.view(), max_entries);
    detail::path_ordered_rows<double, std::int32_t> const rows{
        b.view(), inverse.view(), m.diagonal.data(), links.data(), numbers.data(), numbers.data(), max_entries};
    std::int64_t const memory = 20 * detail::row_walk<double, std::int32_t>::each(max_entries);
    std::vector<std::int32_t> expected;
    for (auto const& [lanes, each, interleaved] :
         {std::tuple(70, 1, false), {10, 7, false}, {70, 1, true}, {9, 8, true}}) {
        std::vector<std::int32_t> columns(std::size_t(row_begins.back())), counts(n);
        std::vector<double> values(columns.size()), scratch(std::size_t(lanes * memory));
        for_each(exec, lanes,
                 detail::find_largest<double, std::int32_t>{rows, row_begins.data(), 0.01, columns.data(),
                                                            values.data(), counts.data(), scratch.data(), memory, lanes,
                                                            each, interleaved});
        columns.insert(columns.end(), counts.begin(), counts.end());
        if (expected.empty()) expected = columns;
        CHECK(columns == expected);
    }
}

TEST_CASE("splittings: windows reach as far as their maximum width, to both sides") {
    host_executor const exec{1};
    int const n = 80, source = 50, window = 9;
    dense a(n); // entries of M^-1 decay slowly; row 3 has one source
    for (int i = 0; i < n; ++i) {
        a(i, i) = 2;
        if (i > 0) a(i, i - 1) = a(i - 1, i) = -1;
    }
    a(3, source) = 1;
    auto const b = to_csr<double>(a);
    tridiagonal<double> m(exec, n);
    std::vector<std::int32_t> links, numbers, row_begins{0};
    for (int i = 0; i < n; ++i) {
        m.lower[i] = i > 0 ? -1 : 0;
        m.diagonal[i] = 2;
        m.upper[i] = i + 1 < n ? -1 : 0;
        links.insert(links.end(), {i - 1, i + 1 < n ? i + 1 : -1});
        numbers.push_back(i);
        row_begins.push_back(row_begins.back() + 30);
    }
    detail::path_inverse<double> inverse(exec, n);
    inverse.read(exec, m.view(), window);
    detail::path_ordered_rows<double, std::int32_t> const rows{
        b.view(), inverse.view(), m.diagonal.data(), links.data(), numbers.data(), numbers.data(), window};
    std::int64_t const memory = 20 * detail::row_walk<double, std::int32_t>::each(window);
    std::vector<std::int32_t> columns(std::size_t(row_begins.back())), counts(n);
    std::vector<double> values(columns.size()), scratch(static_cast<std::size_t>(memory));
    for_each(exec, 1,
             detail::find_largest<double, std::int32_t>{rows, row_begins.data(), 0.01, columns.data(), values.data(),
                                                        counts.data(), scratch.data(), memory, 1, n, false});
    std::vector<std::int32_t> expected{3};
    for (int q = source - window; q <= source + window; ++q) expected.push_back(q);
    auto const first = columns.begin() + row_begins[3];
    CHECK(std::vector(first, first + counts[3]) == expected);
    CHECK(counts[4] == 1);
    detail::row_walk<double, std::int32_t> walk{
        rows, 3, b.view().row_begin(3), b.view().row_end(3), {scratch.data(), 1}};
    double const largest = walk.read_sources();
    CHECK(walk.entries_above(largest, 30) == 0); // no entry exceeds the largest one
    CHECK(walk.entries_above(0.999 * largest, 30) == 1);
}

TEST_CASE_TEMPLATE("preconditioners documented as scale-invariant do not change with the scale of rows", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(7);
    auto const grid = to_dense(host_executor{1}, view_of(generate<double>(host_executor{1}, "aniso2", {.nx = 9})));
    for (dense const& a : {random_matrix(80, false, 3), grid}) {
        std::vector<double> exact(static_cast<std::size_t>(a.n)), any(exact);
        for (int i = 0; i < a.n; ++i) {
            exact[std::size_t(i)] = std::ldexp(random() % 2 ? 1 : -1, int(random() % 21) - 10);
            any[std::size_t(i)] = std::ldexp(1 + double(random() % 1000) / 999, int(random() % 21) - 10);
        }
        auto const r = random_vector<double>(a.n, 5);
        for (std::string const name :
             {"jacobi", "diagp_0", "diagp_1", "diagp_2", "diagp_1,steps=3", "diagp_2,steps=4", "tridiagonal", "ilu0",
              "isai", "alt-i", "alt-o", "adi", "mos-d", "mos", "mos,first=bands,bands=3", "mos-a",
              "alt-i,factors=2,omega=0", "mos-d,factors=1", "mos-a,factors=1"}) {
            CAPTURE(name);
            auto const plain = exec.copy(to_csr<double>(a));
            auto const expected = apply(exec, make_preconditioner(exec, name, plain.view()), r);
            for (auto const* f : {&exact, &any}) {
                auto const other = exec.copy(to_csr<double>(scaled(*f, a)));
                auto right = r;
                for (std::size_t i = 0; i < r.size(); ++i) right[i] *= (*f)[i];
                auto const z = apply(exec, make_preconditioner(exec, name, other.view()), right);
                CHECK(distance(z, expected) < 1e-11);
            }
        }
    }
}

TEST_CASE_TEMPLATE("splittings: iterations on ANISO2", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 60}));
    csr_operator<Executor, double> const op(exec, a.view());
    std::int64_t const n = a.rows();
    std::vector<double> sine(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) sine[std::size_t(i)] = std::sin(16 * std::acos(-1.0) * double(i) / double(n));
    auto const solution = exec.copy(sine);
    buffer<double> b(exec, n);
    op.apply(exec, solution.view(), b.view());
    struct {
        std::string preconditioner;
        int iterations; ///< of a dense model of Eqs. 57 to 60, 69 to 76 and 79 with greedy forests
    } const known[] = {{"jacobi", 80},          {"forest", 41},          {"alt-i,factors=1", 41},
                       {"alt-i,factors=2", 32}, {"alt-i,factors=4", 24}, {"alt-o,factors=2", 49},
                       {"alt-o,factors=4", 58}, {"mos-d,factors=1", 41}, {"mos-d,factors=4", 33},
                       {"mos-a,factors=1", 41}, {"mos-a,factors=4", 27}};
    for (auto const& [name, iterations] : known) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto x = exec.copy(std::vector<double>(std::size_t(n)));
        auto const m = make_preconditioner(exec, name, a.view());
        auto const result =
            solve(exec, m.varies() ? "fgmres" : "gmres", op, m, b.view(), x.view(), {.tolerance = 1e-6, .restart = 20});
        CHECK(result.converged);
        CHECK(std::abs(int(result.iterations) - iterations) <= 3);
    }
}

TEST_CASE_TEMPLATE("splittings: alternation from call to call is for fgmres, and every solve is the same", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 20}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(random_vector<double>(a.rows(), 1));
    auto const m = make_preconditioner(exec, "alt-o,factors=3", a.view());
    std::vector<double> first;
    for (int run = 0; run < 2; ++run) {
        auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
        CHECK(solve(exec, "fgmres", op, m, b.view(), x.view()).converged);
        if (run == 0) first = to_vector(exec, x);
        CHECK(to_vector(exec, x) == first);
    }
    auto x = exec.copy(std::vector<double>(std::size_t(a.rows())));
    for (auto const method : {"cg", "minres", "bicgstab", "idrs", "gmres"})
        CHECK_THROWS_WITH_AS(solve(exec, method, op, m, b.view(), x.view()), doctest::Contains("needs fgmres, not"),
                             argument_error);
    // With a single factor the preconditioner is the same in every iteration, so gmres accepts it.
    auto const alone = make_preconditioner(exec, "alt-o,factors=1", a.view());
    CHECK(solve(exec, "gmres", op, alone, b.view(), x.view()).converged);
}

TEST_CASE_TEMPLATE("splittings: random Laplacians, whose factors may be singular", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (unsigned seed = 0; seed < (sanitized ? 40 : 300); ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> weight(0, 1);
        dense a(17);
        for (int i = 0; i < a.n; ++i)
            for (int j = 0; j < i; ++j) {
                if (random() % (i - j <= 2 ? 3 : 40) != 0) continue;
                a(i, j) = a(j, i) = -weight(random);
                a(i, i) -= a(i, j);
                a(j, j) -= a(i, j);
            }
        auto const local = exec.copy(to_csr<double>(a));
        auto const r = random_vector<double>(a.n, 2);
        auto const on_executor = exec.copy(r);
        buffer<double> z(exec, a.n);
        for (std::string const name : {"block-forest", "mos"}) {
            CAPTURE(name);
            auto const m = make_preconditioner(exec, name, local.view());
            CHECK(all_finite(apply(exec, m, r)));
            m.apply_transpose(exec, on_executor.view(), z.view());
            CHECK(all_finite(to_vector(exec, z)));
        }
    }
}

TEST_CASE_TEMPLATE("splittings: matrices with few entries, singular factors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const made = [](int n, auto&& entry) {
        dense a(n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) a(i, j) = entry(i, j);
        return a;
    };
    auto const neighbours = [](int i, int j) { return std::abs(i - j) == 1; };
    auto weak = random_matrix(60, false, 3); // a factor along a forest may have no entries in a row
    for (int i = 0; i < 60; i += 2) weak(i, i) = 1e-200;
    struct {
        std::string what;
        dense a;
        double factors; ///< 0: not checked
    } const samples[] = {
        {"one row", made(1, [](int, int) { return -3.0; }), 1},
        {"diagonal", made(30, [](int i, int j) { return i == j ? 1.0 + i : 0.0; }), 1},
        {"path", made(30, [&](int i, int j) { return i == j             ? 3.0
                                                     : neighbours(i, j) ? -1.0 - 0.01 * (i + j)
                                                                        : 0.0; }),
         1},
        {"no diagonal", made(30, [&](int i, int j) { return neighbours(i, j) ? 1.0 : 0.0; }), 0},
        {"singular",
         made(30, [&](int i, int j) { return i == j             ? (i % 29 ? 2.0 : 1.0)
                                             : neighbours(i, j) ? -1.0
                                                                : 0.0; }), 0},
        {"all ones", made(12, [](int, int) { return 1.0; }), 0},
        {"half empty", made(12, [](int i, int j) { return i < 6 && j < 6 ? 1.0 + i * j : 0.0; }), 0},
        {"one column", made(7, [](int, int j) { return j == 3 ? 2.0 : 0.0; }), 0},
        {"shift", made(21, [](int i, int j) { return j == (7 * i + 3) % 21 ? 2.0 : 0.0; }), 0},
        {"nothing", made(5, [](int, int) { return 0.0; }), 1},
        {"triangle", made(25, [](int i, int j) { return i == j  ? 2.0
                                                        : i < j ? -1.0 / (1 + j - i)
                                                                : 0.0; }), 0},
        {"weak rows", weak, 0},
        {"large and small", made(20, [&](int i, int j) { return i == j             ? 1e-200
                                                                : neighbours(i, j) ? 1e150
                                                                                   : 0.0; }),
         0}};
    for (auto const& [what, a, factors] : samples) {
        auto const& case_what = what;
        CAPTURE(case_what);
        auto const local = exec.copy(to_csr<double>(a));
        auto const r = random_vector<double>(a.n, 2);
        for (std::string const name :
             {"alt-i,omega=0,rounds=0", "alt-i", "alt-o,omega=0,rounds=0", "mos-d,rounds=0", "mos-d,omega=1",
              "mos-a,rounds=0", "block-forest", "mos", "mos,first=bands", "mos,first=forest,others=blocks"}) {
            CAPTURE(name);
            auto const m = make_preconditioner(exec, name, local.view());
            for (int call = 0; call < 4; ++call) CHECK(all_finite(apply(exec, m, r)));
            bool const splits_once = factors == 1 && name.find("rounds=0") != std::string::npos;
            if (splits_once) CHECK(m.report().number("factors") == 1); // of four requested factors
            bool const alone = name == "alt-i,omega=0,rounds=0";
            if (what == "singular" && alone) CHECK(m.report().number("mended_rows") > 0);
            if (splits_once && a(0, 0) != 0) CHECK(distance(apply(exec, m, r), lapack_solve(a, r)) < 1e-12);
        }
    }
}

TEST_CASE_TEMPLATE("splittings: a zero pivot changes no other piece", Fixture, COPPICE_TEST_EXECUTORS) {
    auto exec = Fixture::exec();
    // Pieces without couplings to others: p: a path, 0: a zero row, 1: a singular pair, n: a pair without diagonal
    // entries, t: a triangle, which no forest covers.
    for (std::string const pieces :
         {"p0p", "0p", "pp0p", "p0", "p1p", "pp1p", "1pp", "p1npp0pp", "pp00pt", "pp1pt", "tp0p1p", "n0pp1tp"}) {
        CAPTURE(pieces);
        bool const covered = pieces.find('t') == pieces.npos;
        int n = 0;
        for (char const piece : pieces) n += piece == 'p' ? 4 : piece == '0' ? 1 : piece == 't' ? 3 : 2;
        dense a(n);
        std::vector<bool> in_path(static_cast<std::size_t>(n), false);
        int first = 0;
        for (char const piece : pieces) {
            int const size = piece == 'p' ? 4 : piece == '0' ? 1 : piece == 't' ? 3 : 2;
            for (int i = first; i < first + size; ++i) {
                a(i, i) = piece == '0' || piece == 'n' ? 0 : piece == '1' ? 1 : 2;
                in_path[std::size_t(i)] = piece == 'p';
                for (int j = first; j < i; ++j)
                    if (i == j + 1 || piece == 't') a(i, j) = a(j, i) = piece == '1' ? -1 : -1 + 0.01 * (i - first);
            }
            first += size;
        }
        auto const local = exec.copy(to_csr<double>(a));
        auto const r = random_vector<double>(n, 2);
        for (std::string const name : {"block-forest", "mos"}) {
            if (name == "mos" && !covered) continue; // with several factors it does not equal A
            CAPTURE(name);
            auto const z = apply(exec, make_preconditioner(exec, name, local.view()), r);
            CHECK(all_finite(z));
            for (int i = 0; i < n; ++i) {
                double residual = r[std::size_t(i)];
                for (int j = 0; j < n; ++j) residual -= a(i, j) * z[std::size_t(j)];
                if (in_path[std::size_t(i)]) CHECK(std::abs(residual) < 1e-12);
            }
        }
    }
}

TEST_CASE_TEMPLATE("splittings: bad input", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = random_matrix(20, false, 1);
    auto const local = exec.copy(to_csr<double>(a));
    for (std::string const name : splitting_names) {
        CAPTURE(name);
        for (auto const factors : {"0", "17", "-1", "2.5"})
            CHECK_THROWS_WITH_AS(make_preconditioner(exec, name, local.view(), {{"factors", factors}}),
                                 doctest::Contains("expected an integer from 1 to 16"), argument_error);
        auto poisoned = to_csr<double>(a);
        for (double const value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            poisoned.values()[7] = value;
            auto const there = exec.copy(poisoned);
            CHECK_THROWS_AS(make_preconditioner(exec, name, there.view()), matrix_error);
            // A refresh that fails leaves everything as it was.
            auto m = make_preconditioner(exec, name, local.view());
            auto const r = random_vector<double>(20, 1);
            auto const before = apply(exec, m, r);
            CHECK_THROWS_AS(m.refresh(exec, there.view()), matrix_error);
            m.begin_solve();
            CHECK(apply(exec, m, r) == before);
        }
        auto shifted = a; // the same number of entries, one at another position
        int i = 0, j = 1;
        while (shifted(i, j) == 0 || shifted(j, i) != 0) j < 19 ? ++j : (j = 0, ++i);
        std::swap(shifted(i, j), shifted(j, i));
        auto const other = exec.copy(to_csr<double>(shifted));
        auto m = make_preconditioner(exec, name, local.view());
        CHECK_THROWS_WITH_AS(m.refresh(exec, other.view()), doctest::Contains("has another pattern"), matrix_error);
    }
    for (auto const name : {"alt-i", "alt-o", "mos-d"})
        for (auto const omega : {"-0.1", "1.1", "nan"})
            CHECK_THROWS_WITH_AS(make_preconditioner(exec, name, local.view(), {{"omega", omega}}),
                                 doctest::Contains("expected a number from 0 to 1"), argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "mos-a,omega=0", local.view()), argument_error); // it has none
    CHECK_THROWS_AS(make_preconditioner(exec, "mos-a,window=0", local.view()), argument_error);
    CHECK_THROWS_AS((inner_alternation<Executor, double>(exec, local.view(), {.factors = 0})), argument_error);
    CHECK_THROWS_AS((direct_splitting<Executor, double>(exec, local.view(), {.factors = 17})), argument_error);
    CHECK_THROWS_AS((direct_splitting<Executor, double>(exec, local.view(), {.omega = 2})), argument_error);
    CHECK_THROWS_AS((adaptive_splitting<Executor, double>(exec, local.view(), {.window = 0})), argument_error);
    CHECK_THROWS_AS((adaptive_splitting<Executor, double>(exec, local.view(), {.accuracy = 0})), argument_error);
    CHECK_THROWS_AS((adaptive_splitting<Executor, double>(exec, local.view(), {.splitting = {.factors = 0}})),
                    argument_error);
}

TEST_CASE_TEMPLATE("splittings: the number of factors by coverage, or by gain", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = exec.copy(generate<double>(host_executor{1}, "aniso2", {.nx = 40}));
    auto const report = [&](std::string const& name) { return make_preconditioner(exec, name, a.view()).report(); };
    auto const all = report("mos-d,factors=6,omega=0.01");
    CHECK(all.number("factors") == 6);
    CHECK(all.number("coverage_1") == doctest::Approx(0.667).epsilon(0.02));
    CHECK(all.number("weight_coverage") > 0.99);
    CHECK(report("mos-d,factors=6,enough-coverage=0.75").number("factors") == 2);
    CHECK(report("mos-d,factors=6,least-gain=0.1").number("factors") < 6);
    auto const adaptive_all = report("mos-a,factors=6");
    CHECK(adaptive_all.number("factors") == 6);
    // B_l approaches a diagonal matrix (thesis section 5.2.3).
    CHECK(adaptive_all.number("diagonal_1") > 0.5);
    CHECK(adaptive_all.number("diagonal_6") > adaptive_all.number("diagonal_1") + 0.2);
    CHECK(report("mos-a,factors=6,enough-coverage=0.65").number("factors") == 2);
    // The second factor adds less than the required fraction 0.3 of the weight, so only the first one is used.
    CHECK(report("mos-a,factors=6,least-gain=0.3").number("factors") == 1);
}
