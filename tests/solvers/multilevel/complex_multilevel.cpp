// SPDX-License-Identifier: BSD-3-Clause
// The multilevel method on complex matrices: gauge fields, absorption, comparison with LAPACK.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <random>
#include <utility>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using complex_number = std::complex<double>;

/// A 5-point grid of width^2 points with 4 + shift on the diagonal and -1 times a phase per edge: a field of `flux` per
/// cell, in a gauge with a random phase at each point if `seed` > 0.
csr<complex_number> gauge_grid(int width, double flux, complex_number shift, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> angle(0, 6.28);
    std::vector<complex_number> gauge(std::size_t(width * width), 1);
    if (seed > 0)
        for (auto& g : gauge) g = std::polar(1.0, angle(random));
    coo<complex_number> entries{width * width, width * width};
    auto const connect = [&](int p, int q, double phase) {
        auto const coupling = -std::conj(gauge[std::size_t(p)]) * std::polar(1.0, phase) * gauge[std::size_t(q)];
        entries.add(p, q, coupling);
        entries.add(q, p, std::conj(coupling));
    };
    for (int y = 0; y < width; ++y)
        for (int x = 0; x < width; ++x) {
            int const p = y * width + x;
            entries.add(p, p, 4.0 + shift);
            if (x + 1 < width) connect(p, p + 1, 0);
            if (y + 1 < width) connect(p, p + width, flux * x);
        }
    return to_csr(host_executor{1}, std::move(entries));
}

struct complex_solve {
    krylov_result result;
    std::vector<complex_number> x, b;
};
template <class Executor>
complex_solve solve_grid(Executor const& exec, csr<complex_number> const& a, char const* method,
                         char const* preconditioner) {
    std::mt19937 random(5);
    std::normal_distribution<double> value;
    std::vector<complex_number> b(std::size_t(a.rows()));
    for (auto& e : b) e = {value(random), value(random)};
    auto const local = exec.copy(a);
    auto const right = exec.copy(b);
    csr_operator<Executor, complex_number> const op(exec, local.view());
    auto const m = make_preconditioner(exec, preconditioner, local.view());
    auto x = exec.copy(std::vector<complex_number>(b.size()));
    auto const result = solve(exec, method, op, m, right.view(), x.view(), {.tolerance = 1e-9, .max_iterations = 500});
    return {result, to_vector(exec, x), b};
}

double distance_to_lapack(csr<complex_number> const& a, std::vector<complex_number> const& x,
                          std::vector<complex_number> b) {
    auto const n = std::size_t(a.rows());
    std::vector<complex_number> full(n * n);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            full[std::size_t(i) * n + std::size_t(a.column_indices()[k])] = a.values()[k];
    std::vector<lapack_int> pivots(n);
    LAPACKE_zgesv(LAPACK_ROW_MAJOR, a.rows(), 1, full.data(), a.rows(), pivots.data(), b.data(), 1);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
        difference += std::norm(x[i] - b[i]);
        norm += std::norm(b[i]);
    }
    return std::sqrt(difference / norm);
}

} // namespace

TEST_CASE_TEMPLATE("complex multilevel: gauge Laplace matrices, in every gauge", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (double const flux : {0.0, 0.02, 0.3})
        for (unsigned const seed : {0u, 1u, 2u}) {
            CAPTURE(flux);
            CAPTURE(seed);
            auto const a = gauge_grid(24, flux, 0, seed);
            auto const run = solve_grid(exec, a, "cg", "multilevel");
            CHECK(run.result.converged);
            CHECK(run.result.iterations <= 40); // at most 19 with the smoothers of the host, 33 with those of a device
            CHECK(distance_to_lapack(a, run.x, run.b) < 1e-6);
        }
    auto const small = solve_grid(exec, gauge_grid(24, 0, 0, 1), "cg", "multilevel").result.iterations;
    auto const large = solve_grid(exec, gauge_grid(72, 0, 0, 1), "cg", "multilevel").result.iterations;
    CHECK(large <= 2 * small); // without a test vector 3 times
}

TEST_CASE_TEMPLATE("complex multilevel: absorption, and a common phase of all entries", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = gauge_grid(24, 0, {0, 0.02}, 0);
    auto rotated = gauge_grid(24, 0, {0, 0.02}, 0);
    for (auto& value : rotated.values()) value *= std::polar(1.0, 2.5);
    for (auto const* const preconditioner : {"multilevel", "multilevel,smoother=chebyshev,storage=full"})
        for (csr<complex_number> const* const matrix : {&a, &std::as_const(rotated)}) {
            auto const run = solve_grid(exec, *matrix, "bicgstab", preconditioner);
            CHECK(run.result.converged);
            CHECK(run.result.iterations <= 25);
            CHECK(distance_to_lapack(*matrix, run.x, run.b) < 1e-6);
        }
    auto const local = exec.copy(a);
    CHECK_THROWS_WITH_AS(make_preconditioner(exec, "multilevel,smoother=gauss-seidel", local.view()),
                         doctest::Contains("is for Hermitian matrices"), argument_error);
}

TEST_CASE_TEMPLATE("complex multilevel: linear, and refresh() computes new values", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto a = gauge_grid(20, 0.1, {0.1, 0.2}, 3);
    auto const local = exec.copy(a);
    auto m = make_preconditioner(exec, "multilevel,storage=full", local.view());
    auto const apply = [&](std::vector<complex_number> const& r) {
        auto const right = exec.copy(r);
        buffer<complex_number> z(exec, right.size());
        m.apply(exec, right.view(), z.view());
        return to_vector(exec, z);
    };
    std::vector<complex_number> r(400), scaled(400);
    complex_number const factor(0.6, -1.3);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
        scaled[i] = factor * r[i];
    }
    auto const of_r = apply(r), of_scaled = apply(scaled);
    for (auto& value : a.values()) value *= complex_number(0, 2);
    auto const changed = exec.copy(a);
    m.refresh(exec, changed.view());
    auto const refreshed = apply(r);
    double largest = 0, linear = 0, difference = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        largest = std::max(largest, std::abs(of_r[i]));
        linear = std::max(linear, std::abs(of_scaled[i] - factor * of_r[i]));
        difference = std::max(difference, std::abs(complex_number(0, 2) * refreshed[i] - of_r[i]));
    }
    CHECK(linear < 1e-12 * largest);
    CHECK(difference < 1e-12 * largest); // M of 2 i A is 2 i M
}
