// SPDX-License-Identifier: BSD-3-Clause
// HBISA: solutions and residuals, iteration counts of reference sweeps, spectral radii by LAPACK, batches, smoothing.
#include <coppice/solvers/queueing/hbisa.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <lapacke.h>

#include "support/executors.hpp"
#include "support/sanitized.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/random.hpp>
#include <coppice/solvers/catalogue/preconditioner.hpp>
#include <coppice/solvers/iterative/by_name/krylov.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using dense = std::vector<std::vector<long double>>;

template <class T>
dense dense_of(csr<T> const& a) {
    dense d(std::size_t(a.rows()), std::vector<long double>(std::size_t(a.rows()), 0));
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            d[std::size_t(i)][std::size_t(a.column_indices()[k])] += a.values()[k];
    return d;
}

/// b - A x in extended precision, relative to b.
template <class T>
double residual_of(csr<T> const& a, std::vector<T> const& b, std::vector<T> const& x, std::size_t first,
                   std::size_t last) {
    long double rr = 0, bb = 0;
    for (std::size_t i = first; i < last; ++i) {
        long double r = b[i];
        for (auto k = a.row_offsets()[std::int64_t(i)]; k < a.row_offsets()[std::int64_t(i) + 1]; ++k)
            r -= (long double)(a.values()[k]) * x[std::size_t(a.column_indices()[k])];
        rr += r * r;
        bb += (long double)(b[i]) * b[i];
    }
    return double(std::sqrt(rr / bb));
}

/// Reference sweeps of Eq. 6 or Eq. 7 by dense elimination in extended precision; `order` lists the blocks of a sweep,
/// which use each other's new values if `fresh`.
struct plain_sweeps {
    dense a;
    std::size_t block;

    std::vector<long double> solve_block(std::size_t j, std::vector<long double> const& b,
                                         std::vector<long double> const& x) const {
        std::size_t const first = j * block, last = std::min(first + block, a.size()), k = last - first;
        dense m(k, std::vector<long double>(k + 1));
        for (std::size_t i = 0; i < k; ++i) {
            m[i][k] = b[first + i];
            for (std::size_t c = 0; c < a.size(); ++c)
                if (c >= first && c < last)
                    m[i][c - first] = a[first + i][c];
                else
                    m[i][k] -= a[first + i][c] * x[c];
        }
        for (std::size_t c = 0; c < k; ++c)
            for (std::size_t i = 0; i < k; ++i)
                if (i != c)
                    for (std::size_t e = k + 1; e-- > c;) m[i][e] -= m[i][c] / m[c][c] * m[c][e];
        std::vector<long double> y(k);
        for (std::size_t i = 0; i < k; ++i) y[i] = m[i][k] / m[i][i];
        return y;
    }
    void sweep(std::vector<std::size_t> const& order, bool fresh, std::vector<long double> const& b,
               std::vector<long double>& x) const {
        auto const old = x;
        for (std::size_t const j : order) {
            auto const y = solve_block(j, b, fresh ? x : old);
            std::copy(y.begin(), y.end(), x.begin() + std::ptrdiff_t(j * block));
        }
    }
};

std::vector<std::size_t> every(std::size_t blocks, std::size_t first, std::size_t step) {
    std::vector<std::size_t> order;
    for (std::size_t j = first; j < blocks; j += step) order.push_back(j);
    return order;
}

template <class T>
std::vector<T> random_vector(std::int64_t n, std::uint64_t seed) {
    std::vector<T> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(random_stream(seed, 1).uniform(i, -1.0, 1.0));
    return x;
}

queue_options small_queue(double loss) {
    return {.servers = 9, .places = 6, .arrival = 5, .upper = 3, .lower = 2, .loss = loss};
}

template <class Executor, class T>
struct solved {
    std::vector<hbisa_result> results;
    std::vector<T> x;
};
template <class T, class Executor>
solved<Executor, T> solve_with(Executor const& exec, csr<T> const& a, std::vector<T> const& b,
                               hbisa_options const& options, std::vector<T> const& start) {
    auto const on = exec.copy(a);
    hbisa<Executor, T> const solver(exec, on.view(), options);
    auto const rhs = exec.copy(b);
    auto x = exec.copy(start);
    auto results = solver.solve(exec, rhs.view(), x.view());
    return {results, to_vector(exec, x)};
}

} // namespace

TEST_CASE_TEMPLATE("hbisa: the sweeps are those of the equations", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    auto const run = [&](csr<double> const& a, std::int64_t block) {
        auto const on = exec.copy(a);
        auto const b = random_vector<double>(a.rows(), 1), start = random_vector<double>(a.rows(), 2);
        plain_sweeps const plain{dense_of(a), std::size_t(block)};
        std::size_t const blocks = std::size_t((a.rows() - 1) / block + 1);
        for (int const kind : {0, 1, 2}) { // Jacobi, Gauss-Seidel, symmetric Gauss-Seidel
            hbisa<Executor, double> const solver(
                exec, on.view(),
                {.sweep = kind == 0 ? block_sweep::jacobi : block_sweep::gauss_seidel, .storage = {.block = block}});
            std::vector<long double> const rhs(b.begin(), b.end());
            std::vector<long double> expected(start.begin(), start.end());
            for (int s = 0; s < 3; ++s) {
                if (kind == 0) {
                    plain.sweep(every(blocks, 0, 1), false, rhs, expected);
                    continue;
                }
                plain.sweep(every(blocks, 0, 2), true, rhs, expected);
                plain.sweep(every(blocks, 1, 2), true, rhs, expected);
                if (kind == 2) plain.sweep(every(blocks, 0, 2), true, rhs, expected);
            }
            auto const d = exec.copy(b);
            auto x = exec.copy(start);
            solver.smooth(exec, d.view(), x.view(), 3, kind == 2);
            auto const got = to_vector(exec, x);
            for (std::size_t i = 0; i < got.size(); ++i)
                REQUIRE(std::abs(got[i] - double(expected[i])) <= 1e-12 * (1 + std::abs(double(expected[i]))));
        }
    };
    run(queue_matrix<double>(host, small_queue(0.5)), 6);
    run(laplace2d<double>(host, 7, 6), 7);
    run(generate<double>(host, "pentadiagonal", {.n = 43, .case_id = 18}), 10); // five bands, a short last block
    run(laplace2d<double>(host, 5, 1), 5);                                      // one block: there are no odd blocks
}

TEST_CASE_TEMPLATE("hbisa: converges if the spectral radius is below one, and else reports it", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    for (double const loss : {2.0, 0.1, 0.0}) {
        CAPTURE(loss);
        auto const a = queue_matrix<double>(host, small_queue(loss));
        std::size_t const n = std::size_t(a.rows());
        plain_sweeps const plain{dense_of(a), 6};
        std::vector<double> iteration(n * n), re(n), im(n);
        for (std::size_t c = 0; c < n; ++c) { // column c of D^-1 N
            std::vector<long double> x(n, 0);
            x[c] = 1;
            plain.sweep(every(9, 0, 1), false, std::vector<long double>(n, 0), x);
            for (std::size_t i = 0; i < n; ++i) iteration[c * n + i] = double(x[i]);
        }
        double radius = 0;
        REQUIRE(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', int(n), iteration.data(), int(n), re.data(), im.data(),
                              nullptr, 1, nullptr, 1) == 0);
        for (std::size_t i = 0; i < n; ++i) radius = std::max(radius, std::hypot(re[i], im[i]));
        CHECK((radius < 1 - 1e-9) == (loss > 0));
        for (auto const sweep : {block_sweep::jacobi, block_sweep::gauss_seidel}) {
            hbisa_options const options{
                .sweep = sweep, .storage = {.block = 6}, .tolerance = 1e-10, .max_iterations = 2000};
            auto const on = exec.copy(a);
            CHECK(hbisa<Executor, double>(exec, on.view(), options).spectral_radius(exec) ==
                  doctest::Approx(radius).epsilon(1e-6));
            std::vector<double> const b(n, 1.0);
            auto const [results, x] = solve_with(exec, a, b, options, std::vector<double>(n, 0.0));
            auto const& r = results.at(0);
            CHECK(r.converged == (loss > 0));
            CHECK(residual_of(a, b, x, 0, n) == doctest::Approx(r.relative_residual).epsilon(1e-3));
            if (loss > 0) {
                CHECK(r.relative_residual <= 1e-10);
                double const rate = sweep == block_sweep::jacobi ? radius : radius * radius;
                if (r.iterations > 64) CHECK(r.contraction == doctest::Approx(rate).epsilon(0.01));
            } else { // x diverges
                CHECK(r.reason == hbisa_reason::spectral_radius);
                CHECK(r.spectral_radius == doctest::Approx(1));
                CHECK(r.iterations < 300);
            }
        }
    }
    // Slow convergence: the spectral radius is about 2 cos(pi / 7) / 0.2.
    coo<double> entries{12, 12};
    for (int i = 0; i < 12; ++i) {
        entries.add(i, i, 0.2);
        if (i + 2 < 12) entries.add(i, i + 2, 1.0);
        if (i >= 2) entries.add(i, i - 2, 1.0);
    }
    auto const far = to_csr(host, entries);
    std::vector<double> const b(12, 1.0);
    auto const [results, x] = solve_with(exec, far, b, {.storage = {.block = 2}}, std::vector<double>(12, 0.0));
    CHECK(results.at(0).reason == hbisa_reason::spectral_radius);
    CHECK(results.at(0).spectral_radius == doctest::Approx(2 * std::cos(std::acos(-1.0) / 7) / 0.2).epsilon(1e-4));
    CHECK(residual_of(far, b, x, 0, 12) <= 1); // never worse than the starting guess
}

TEST_CASE_TEMPLATE("hbisa: systems of a batch give the same bits as alone", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    std::vector<csr<double>> alone;
    coo<double> all{};
    std::vector<double> b;
    std::int32_t const n = 54;
    for (int s = 0; s < 5; ++s) {
        alone.push_back(queue_matrix<double>(host, small_queue(0.2 + s)));
        auto const slice = to_coo(host, alone.back());
        for (std::size_t k = 0; k < slice.values.size(); ++k)
            all.add(slice.row_indices[k] + n * s, slice.column_indices[k] + n * s, slice.values[k]);
        auto const rhs = s == 2   ? std::vector<double>(std::size_t(n), 0.0)
                         : s == 3 ? std::vector<double>(std::size_t(n), std::numeric_limits<double>::infinity())
                                  : random_vector<double>(n, std::uint64_t(s));
        b.insert(b.end(), rhs.begin(), rhs.end());
    }
    all.rows = all.columns = 5 * n;
    auto const matrix = to_csr(host, all);
    for (auto const sweep : {block_sweep::jacobi, block_sweep::gauss_seidel}) {
        hbisa_options options{.sweep = sweep, .storage = {.block = 6}, .tolerance = 1e-9};
        options.systems = 5;
        auto const start = random_vector<double>(5 * n, 7);
        auto const [results, x] = solve_with(exec, matrix, b, options, start);
        options.systems = 1;
        for (int s = 0; s < 5; ++s) {
            CAPTURE(s);
            auto const slice = [&](std::vector<double> const& v) {
                return std::vector<double>(v.begin() + n * s, v.begin() + n * (s + 1));
            };
            auto const [one, y] = solve_with(exec, alone[std::size_t(s)], slice(b), options, slice(start));
            CHECK(results.at(std::size_t(s)).reason == one[0].reason);
            if constexpr (std::is_same_v<Executor, host_executor>) { // bitwise
                CHECK(results[std::size_t(s)].iterations == one[0].iterations);
                CHECK(slice(x) == y);
            }
            if (one[0].reason == hbisa_reason::converged)
                for (std::size_t i = 0; i < y.size(); ++i) REQUIRE(std::abs(slice(x)[i] - y[i]) <= 1e-7);
        }
        CHECK(results[0].reason == hbisa_reason::converged);
        CHECK(results[0].iterations > results[4].iterations);
        CHECK(results[2].reason == hbisa_reason::zero_rhs);
        CHECK(std::all_of(x.begin() + 2 * n, x.begin() + 3 * n, [](double v) { return v == 0; }));
        CHECK(results[3].reason == hbisa_reason::not_finite);
    }
}

namespace {

template <class T, class Executor>
void check_magnitudes(Executor const& exec, std::vector<int> const& powers) {
    queue_options const chain = small_queue(0.5);
    auto const one = queue_matrix<T>(host_executor{1}, chain);
    std::int64_t const n = one.rows(), systems = 3;
    coo<T> entries{std::int32_t(systems * n), std::int32_t(systems * n)};
    for (std::int32_t s = 0; s < systems; ++s)
        for (std::int32_t i = 0; i < n; ++i)
            for (auto k = one.row_offsets()[i]; k < one.row_offsets()[i + 1]; ++k)
                entries.add(std::int32_t(s * n) + i, std::int32_t(s * n) + one.column_indices()[k], one.values()[k]);
    auto const a = to_csr(host_executor{1}, entries);
    auto const b = random_vector<T>(systems * n, 1), start = random_vector<T>(systems * n, 2);
    for (std::int64_t const resident : {-1, 0}) {
        hbisa_options const options{.storage = {.block = chain.places},
                                    .systems = systems,
                                    .tolerance = sizeof(T) == 4 ? 1e-4 : 1e-10,
                                    .resident_bytes = resident};
        auto const plain = solve_with(exec, a, b, options, start);
        REQUIRE(plain.results[1].reason == hbisa_reason::converged);
        for (int const power : powers) {
            CAPTURE(power);
            CAPTURE(resident);
            auto right = b, guess = start; // the second of three systems
            for (std::int64_t i = n; i < 2 * n; ++i)
                for (auto* v : {&right, &guess}) (*v)[std::size_t(i)] = std::ldexp((*v)[std::size_t(i)], power);
            auto const found = solve_with(exec, a, right, options, guess);
            CHECK(found.results[1].reason == hbisa_reason::converged);
            CHECK(found.results[1].iterations == plain.results[1].iterations);
            CHECK(residual_of(a, right, found.x, std::size_t(n), std::size_t(2 * n)) <= 1.1 * options.tolerance);
            for (std::size_t const s : {0, 2}) {
                CHECK(found.results[s].iterations == plain.results[s].iterations);
                for (std::size_t i = s * std::size_t(n); i < (s + 1) * std::size_t(n); ++i)
                    CHECK(found.x[i] == plain.x[i]);
            }
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("hbisa: right-hand sides of any magnitude", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    check_magnitudes<double>(exec, {-960, -600, 600, 1000});
    check_magnitudes<float>(exec, {-90, -70, 70, 110});
    // Solutions that leave the range, and a guess that is much larger than b.
    auto const a = queue_matrix<double>(host_executor{1}, {.servers = 3,
                                                           .places = 4,
                                                           .arrival = 0x1p-10,
                                                           .service = 0x1p-10,
                                                           .opening = 0x1p-10,
                                                           .closing = 0x1p-10,
                                                           .loss = 0x1p-10});
    std::vector<double> const large(std::size_t(a.rows()), 0x1p+1020), zero(large.size()),
        small(large.size(), 0x1p-900), guess(large.size(), 0x1p+100);
    hbisa_options const options{.storage = {.block = 4}, .tolerance = 1e-8};
    auto const out = solve_with(exec, a, large, options, zero);
    CHECK(out.results[0].reason == hbisa_reason::not_finite);
    CHECK_FALSE(out.results[0].converged);
    CHECK(out.results[0].relative_residual == 1);
    CHECK(out.x == zero);
    auto const found = solve_with(exec, a, small, options, guess);
    CHECK(found.results[0].converged);
    CHECK(residual_of(a, small, found.x, 0, small.size()) <= 1.1e-8);
}

TEST_CASE_TEMPLATE("hbisa: a NaN of one system does not reach the others", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::int32_t const block = 5, n = 4 * block;
    for (int const bands : {1, 3}) {
        coo<double> entries{2 * n, 2 * n};
        for (std::int32_t i = 0; i < 2 * n; ++i)
            for (std::int32_t j = 0; j < 2 * n; ++j) {
                bool const same = i / block == j / block, next = i / n == j / n && std::abs(i - j) == block;
                if ((same && std::abs(i - j) <= bands) || next) entries.add(i, j, i == j ? 8 + 0.1 * i : -0.5);
            }
        auto const a = to_csr(host_executor{1}, entries);
        auto b = random_vector<double>(2 * n, 1);
        b[3] = std::numeric_limits<double>::quiet_NaN();
        for (auto const sweep : {block_sweep::jacobi, block_sweep::gauss_seidel})
            for (std::int64_t const resident : {-1, 0}) {
                CAPTURE(bands);
                CAPTURE(resident);
                hbisa_options const options{.sweep = sweep,
                                            .storage = {.block = block},
                                            .systems = 2,
                                            .tolerance = 1e-10,
                                            .resident_bytes = resident};
                auto const found = solve_with(exec, a, b, options, std::vector<double>(b.size()));
                CHECK(found.results[0].reason == hbisa_reason::not_finite);
                CHECK(std::isnan(found.results[0].relative_residual));
                CHECK(found.results[1].converged);
                CHECK(residual_of(a, b, found.x, n, 2 * n) <= 1.1e-10);
            }
    }
}

TEST_CASE_TEMPLATE("hbisa: floats, the limit of the precision, corners and bad input", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    auto const a = queue_matrix<float>(host, small_queue(1));
    std::vector<float> const b(std::size_t(a.rows()), 1.0f), zero(b.size(), 0.0f);
    auto const good = solve_with(exec, a, b, {.storage = {.block = 6}, .tolerance = 1e-5}, zero);
    CHECK(good.results[0].converged);
    CHECK(residual_of(a, b, good.x, 0, b.size()) <= 1.1e-5);
    auto const limit = solve_with(exec, a, b, {.storage = {.block = 6}, .tolerance = 0}, zero);
    CHECK(limit.results[0].reason == hbisa_reason::stagnated);
    CHECK(limit.results[0].spectral_radius < 1);
    CHECK(residual_of(a, b, limit.x, 0, b.size()) <= 1e-5);
    auto const few = solve_with(exec, a, b, {.storage = {.block = 6}, .tolerance = 1e-5, .max_iterations = 3}, zero);
    CHECK(few.results[0].reason == hbisa_reason::max_iterations);
    CHECK(few.results[0].iterations == 3);

    auto const make = [&](csr<double> const& m, hbisa_options const& o) {
        auto const on = exec.copy(m);
        return hbisa<Executor, double>(exec, on.view(), o);
    };
    csr<double> const none(0, 0, host.copy(std::vector<std::int32_t>{0}), {}, {});
    buffer<double> empty(exec, 0);
    CHECK(make(none, {}).solve(exec, empty.view(), empty.view())[0].converged);
    for (std::int32_t const n : {1, 2}) {
        auto const m = laplace2d<double>(host, n, 1);
        auto const one = solve_with(exec, m, std::vector<double>(std::size_t(n), 1.0), {.tolerance = 1e-12},
                                    std::vector<double>(std::size_t(n), 0.0));
        CHECK(one.results[0].converged);
    }
    auto const grid = laplace2d<double>(host, 7, 6);
    CHECK_THROWS_AS(make(grid, {.tolerance = -1}), argument_error);
    CHECK_THROWS_AS(make(grid, {.max_iterations = -1}), argument_error);
    CHECK_THROWS_AS(make(grid, {.systems = 0}), argument_error);
    CHECK_THROWS_AS(make(grid, {.storage = {.block = 7}, .systems = 4}), dimension_error);
    CHECK_THROWS_AS(make(grid, {.storage = {.block = 6}}), matrix_error);
    auto const solver = make(grid, {});
    buffer<double> x(exec, 42), y(exec, 41);
    CHECK_THROWS_AS(solver.solve(exec, x.view(), x.view()), argument_error);
    CHECK_THROWS_AS(solver.solve(exec, y.view(), x.view()), dimension_error);

    coo<double> entries{6, 6};
    for (int i = 0; i < 6; ++i) {
        if (i != 4) entries.add(i, i, 2.0);
        entries.add(i, (i + 3) % 6, 1.0);
    }
    CHECK_THROWS_WITH_AS(make(to_csr(host, entries), {.storage = {.block = 3}}),
                         "diagonal block 1 is singular: its column 1 has no pivot", matrix_error);
    CHECK(make(to_csr(host, entries), {.storage = {.block = 3, .max_bands = 1, .lenient = true}}).regularised_rows() ==
          1);
    entries.add(4, 4, std::numeric_limits<double>::quiet_NaN());
    CHECK_THROWS_AS(make(to_csr(host, entries), {.storage = {.block = 3}}), matrix_error);
}

TEST_CASE_TEMPLATE("hbisa: on-chip sweeps equal sweeps by passes", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    auto const form_of = [&]<class T>(csr<T> const& a, hbisa_options const& o) {
        auto const on = exec.copy(a);
        return hbisa<Executor, T>(exec, on.view(), o).resident_members();
    };
    auto const compare = [&]<class T>(csr<T> const& a, std::int64_t block, std::int64_t bytes, T tolerance) {
        std::vector<T> const b = random_vector<T>(a.rows(), 4), start = random_vector<T>(a.rows(), 5);
        for (auto const sweep : {block_sweep::jacobi, block_sweep::gauss_seidel}) {
            hbisa_options o{.sweep = sweep, .storage = {.block = block}, .tolerance = double(tolerance)};
            o.resident_bytes = 0;
            CHECK(form_of(a, o) == 0);
            auto const passes = solve_with(exec, a, b, o, start);
            o.resident_bytes = bytes;
            REQUIRE(form_of(a, o) > 0);
            auto const resident = solve_with(exec, a, b, o, start);
            CHECK(passes.results[0].converged);
            CHECK(resident.results[0].converged);
            CHECK(resident.results[0].iterations == passes.results[0].iterations);
            CHECK(residual_of(a, b, resident.x, 0, b.size()) <= 1.01 * double(tolerance));
            T largest = 0;
            for (T const x : passes.x) largest = std::max(largest, std::abs(x));
            for (std::size_t i = 0; i < b.size(); ++i)
                REQUIRE(std::abs(resident.x[i] - passes.x[i]) <=
                        T(10000) * std::numeric_limits<T>::epsilon() * largest);
            auto const again = solve_with(exec, a, b, o, start);
            CHECK(again.x == resident.x); // bitwise
        }
    };
    auto const queue = [&](std::int64_t servers, std::int64_t places) {
        return queue_matrix<double>(
            host, {.servers = servers, .places = places, .arrival = 5, .upper = 3, .lower = 2, .loss = 1});
    };
    std::int64_t const limit = 1 << 20; // limited by the device to the memory of a thread block
    compare(queue(9, 6), 6, limit, 1e-9);
    compare(queue(1, 700), 700, limit, 1e-9); // one block, in segments
    compare(queue(3, 400), 400, limit, 1e-9);
    compare(queue(200, 3), 3, limit, 1e-9);
    compare(laplace2d<float>(host, 7, 6), 7, limit, 1e-3f);
    // On CUDA teams of several blocks, with and without on-chip memory for the matrix.
    auto const large = queue(150, 20);
    compare(large, 20, -1, 1e-9);
    bool took[3] = {}; // the smallest limits are too small, larger ones need several members, the largest need one
    for (std::int64_t bytes = 1 << 12; bytes <= limit; bytes += sanitized ? 3 * bytes : bytes / 2) {
        int const members = form_of(large, {.storage = {.block = 20}, .resident_bytes = bytes});
        took[members == 0 ? 0 : members == 1 ? 2 : 1] = true;
        if (members > 0) compare(large, 20, bytes, 1e-9);
    }
    CHECK(took[0]);
    CHECK((took[1] || took[2]));
    // The largest system that fits, and the smallest that does not.
    auto const fits = [&](std::int64_t servers) {
        return form_of(queue(servers, 10), {.storage = {.block = 10}, .resident_bytes = 16 << 10}) > 0;
    };
    std::int64_t just = 2, not_any_more = 2000;
    REQUIRE(fits(just));
    REQUIRE(!fits(not_any_more));
    while (not_any_more - just > 1) {
        std::int64_t const middle = (just + not_any_more) / 2;
        (fits(middle) ? just : not_any_more) = middle;
    }
    compare(queue(just, 10), 10, 16 << 10, 1e-9);
    auto const beyond = queue(just + 1, 10);
    std::vector<double> const ones(std::size_t(beyond.rows()), 1.0);
    CHECK(solve_with(exec, beyond, ones, {.storage = {.block = 10}, .tolerance = 1e-9, .resident_bytes = 16 << 10},
                     std::vector<double>(ones.size(), 0.0))
              .results[0]
              .converged);
    CHECK_THROWS_AS(form_of(beyond, {.resident_bytes = -2}), argument_error);

    // Blocks whose elimination exchanges rows, blocks with more bands, and couplings between systems are solved by
    // passes.
    coo<double> swapping{8, 8};
    for (int i = 0; i < 8; ++i) {
        swapping.add(i, i, i % 4 == 0 ? 0.5 : 4.0);
        if (i % 4 != 3) swapping.add(i, i + 1, 1.0);
        if (i % 4 != 0) swapping.add(i, i - 1, 1.0);
        swapping.add(i, (i + 4) % 8, 0.1);
    }
    auto const exchanges = to_csr(host, swapping);
    CHECK(form_of(exchanges, {.storage = {.block = 4}}) == 0);
    CHECK(solve_with(exec, exchanges, random_vector<double>(8, 1), {.storage = {.block = 4}, .tolerance = 1e-12},
                     std::vector<double>(8, 0.0))
              .results[0]
              .converged);
    auto const bands = generate<double>(host, "pentadiagonal", {.n = 40, .case_id = 18});
    CHECK(form_of(bands, {.storage = {.block = 10}}) == 0);
    CHECK(form_of(laplace2d<double>(host, 7, 6), {.storage = {.block = 7}, .systems = 2}) == 0);

    // Refreshes with values for which the elimination of blocks exchanges rows, so that the solver runs by passes
    // instead of on chip; then with the first values again.
    auto const tame = laplace2d<double>(host, 4, 2);
    auto wild = host.copy(tame);
    for (std::int32_t i = 0; i < 8; ++i)
        for (auto k = wild.row_offsets()[i]; k < wild.row_offsets()[i + 1]; ++k)
            if (wild.column_indices()[k] == i && i % 4 == 0) wild.values()[k] = 0.5;
    auto const first = exec.copy(tame), second = exec.copy(wild);
    hbisa<Executor, double> solver(exec, first.view(), {.storage = {.block = 4}, .tolerance = 1e-12});
    CHECK(solver.resident_members() == 1);
    solver.refresh(exec, second.view());
    CHECK(solver.resident_members() == 0);
    solver.refresh(exec, first.view());
    CHECK(solver.resident_members() == 1);
    auto const b = random_vector<double>(8, 9);
    auto const rhs = exec.copy(b);
    auto x = exec.copy(std::vector<double>(8, 0.0));
    CHECK(solver.solve(exec, rhs.view(), x.view())[0].converged);
    CHECK(residual_of(tame, b, to_vector(exec, x), 0, 8) <= 1.01e-12);
}

TEST_CASE_TEMPLATE("hbisa: as a preconditioner", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 40}));
    csr_operator<Executor, double> const op(exec, a.view());
    auto const b = exec.copy(random_vector<double>(1600, 3));
    auto const iterations = [&](char const* name) {
        auto const m = make_preconditioner(exec, name, a.view());
        auto x = exec.copy(std::vector<double>(1600, 0.0));
        auto const result = solve(exec, "cg", op, m, b.view(), x.view(), {.tolerance = 1e-8});
        CHECK(result.converged);
        return result.iterations;
    };
    CHECK(make_preconditioner(exec, "hbisa", a.view()).report().number("block") == 40);
    auto const plain = iterations("none"), lines = iterations("hbisa");
    CHECK(10 * lines < 9 * plain); // the condition number is half as large
    CHECK(2 * iterations("hbisa,order=symmetric") < lines + 10);
    CHECK(2 * iterations("hbisa,sweeps=4") < lines + 10);

    // Sweeps that amplify vectors are rejected.
    auto const wild = exec.copy(generate<double>(host_executor{1}, "rmat", {.scale = 7, .edge_factor = 9}));
    for (char const* const name : {"hbisa,sweeps=1000", "hbisa,sweeps=1000,order=gauss-seidel"}) {
        auto const m = make_preconditioner(exec, name, wild.view());
        CHECK(m.report().number("sweeps_taken") < 1000);
        buffer<double> z(exec, 128);
        m.apply(exec, b.view().slice(0, 128), z.view());
        for (double const e : to_vector(exec, z)) CHECK(std::isfinite(e));
    }
    CHECK_THROWS_AS(make_preconditioner(exec, "hbisa,block=1601", a.view()), argument_error);
    CHECK_THROWS_AS(make_preconditioner(exec, "hbisa,order=random", a.view()), argument_error);
}

TEST_CASE_TEMPLATE("hbisa: the iterations of Table 3", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& c : cloud_cases()) {
        if (c.queue.servers > 500) continue;
        CAPTURE(c.name);
        auto const a = queue_matrix<double>(host_executor{1}, c.queue);
        std::vector<double> const b(std::size_t(a.rows()), 1.0), zero(b.size(), 0.0);
        auto const [results, x] =
            solve_with(exec, a, b, {.storage = {.block = c.queue.places}, .tolerance = 1e-7}, zero);
        CHECK(results[0].converged);
        CHECK(std::abs(double(results[0].iterations) - c.hbisa) <= 0.1 * c.hbisa);
        CHECK(residual_of(a, b, x, 0, b.size()) <= 1.001e-7);
    }
}

TEST_CASE("hbisa: a residual that does not decrease") {
    using coppice::detail::hbisa_end;
    coppice::detail::hbisa_state state;
    state.b_norm = 1;
    state.decide(0.5, 1e-6, 1000);
    CHECK(state.improved == 1); // the first x is saved
    for (; state.active() && state.iterations < 200; state.decide(0.5, 1e-6, 1000)) CHECK(state.best == 0.5);
    CHECK(state.improved == 0); // an x with the same residual is not
    CHECK(state.end == hbisa_end::stuck);
    CHECK(state.iterations == 2 * coppice::detail::hbisa_state::window); // two windows without progress
    // Progress of less than rounding errors in a window is none.
    state = {};
    state.b_norm = 1;
    for (int k = 0; k <= 64; ++k) state.decide(k < 64 ? 1 : 1 - 1e-10, 1e-6, 1000);
    CHECK(state.idle == 1);
}

TEST_CASE("hbisa: names of reasons") {
    CHECK(to_string(hbisa_reason::converged) == "converged");
    CHECK(to_string(hbisa_reason::zero_rhs) == "zero_rhs");
    CHECK(to_string(hbisa_reason::max_iterations) == "max_iterations");
    CHECK(to_string(hbisa_reason::spectral_radius) == "spectral_radius");
    CHECK(to_string(hbisa_reason::stagnated) == "stagnated");
    CHECK(to_string(hbisa_reason::not_finite) == "not_finite");
    CHECK(to_string(hbisa_reason(99)) == "unknown");
}
