// SPDX-License-Identifier: BSD-3-Clause
// The multilevel method on complex matrices: gauge fields, absorption, near-null spaces, comparison with LAPACK.
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

#include "solvers/gauge_grid.hpp"
#include "support/executors.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

struct complex_solve {
    krylov_result result;
    std::vector<complex_number> x, b;
};
template <class Executor>
complex_solve solve_grid(Executor const& exec, csr<complex_number> const& a, char const* method,
                         char const* preconditioner, std::vector<complex_number> const& near = {}, int block = 1) {
    std::mt19937 random(5);
    std::normal_distribution<double> value;
    std::vector<complex_number> b(std::size_t(a.rows()));
    for (auto& e : b) e = {value(random), value(random)};
    auto const local = exec.copy(a);
    auto const right = exec.copy(b);
    csr_operator<Executor, complex_number> const op(exec, local.view());
    auto const vectors = exec.copy(near);
    auto const m =
        near.empty()
            ? make_preconditioner(exec, preconditioner, local.view())
            : make_preconditioner(exec, preconditioner, local.view(), {},
                                  near_null_space<complex_number>{block, int(near.size() / b.size()), vectors.view()});
    auto x = exec.copy(std::vector<complex_number>(b.size()));
    auto const result = solve(exec, method, op, m, right.view(), x.view(), {.tolerance = 1e-9, .max_iterations = 500});
    return {result, to_vector(exec, x), b};
}

/// |b - A x| / |b|
double true_residual(csr<complex_number> const& a, complex_solve const& run) {
    double rr = 0, bb = 0;
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        complex_number r = run.b[std::size_t(i)];
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            r -= a.values()[k] * run.x[std::size_t(a.column_indices()[k])];
        rr += std::norm(r);
        bb += std::norm(run.b[std::size_t(i)]);
    }
    return std::sqrt(rr / bb);
}

/// K - shift I of an elastic cube of `points` points in each direction, three unknowns each, times `factor`.
csr<complex_number> vibrating_cube(int points, complex_number shift, complex_number factor) {
    auto const k = generate<double>(host_executor{1}, "elasticity", {.nx = points});
    coo<complex_number> entries{int(k.rows()), int(k.rows())};
    for (std::int32_t i = 0; i < k.rows(); ++i)
        for (auto e = k.row_offsets()[i]; e < k.row_offsets()[i + 1]; ++e) {
            auto const j = k.column_indices()[e];
            entries.add(i, j, factor * (k.values()[e] - (i == j ? shift : complex_number(0))));
        }
    return to_csr(host_executor{1}, std::move(entries));
}
std::vector<double> modes_of_cube(int points) {
    std::vector<double> at;
    for (int p = 0; p < points * points * points; ++p)
        for (int const c : {p % points, p / points % points, p / points / points}) at.push_back(c);
    return rigid_body_modes(3, at);
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

TEST_CASE_TEMPLATE("complex multilevel: a refused refresh() changes nothing", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = gauge_grid(20, 0.1, {0.1, 0.2}, 3);
    auto const local = exec.copy(a);
    auto m = make_preconditioner(exec, "multilevel", local.view());
    std::vector<complex_number> r(400);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
    auto const right = exec.copy(r);
    buffer<complex_number> z(exec, right.size());
    auto const applied = [&] {
        m.apply(exec, right.view(), z.view());
        return to_vector(exec, z);
    };
    auto const before = applied();
    auto bad = host_executor{1}.copy(a);
    for (auto& value : bad.values()) value *= complex_number(0, 2); // diagonals of another phase
    auto columns = to_vector(host_executor{1}, a.column_indices());
    columns[std::size_t(a.row_offsets()[1] - 1)] += 1;
    csr<complex_number> const other(400, 400, copy_of(host_executor{1}, a.row_offsets()),
                                    host_executor{1}.copy(columns), copy_of(host_executor{1}, bad.values()));
    bad.values()[bad.nonzeros() - 2] = std::nan("");
    for (csr<complex_number> const* refused : {&other, static_cast<csr<complex_number> const*>(&bad)}) {
        auto const there = exec.copy(*refused);
        CHECK_THROWS_AS(m.refresh(exec, there.view()), error);
        CHECK(applied() == before);
    }
}

TEST_CASE_TEMPLATE("complex multilevel: near-null-space vectors of gauge Laplace matrices", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const width = 48;
    auto const iterations = [&](unsigned seed, std::vector<complex_number> const& near) {
        auto const a = gauge_grid(width, 0, 0, seed);
        auto const run = solve_grid(exec, a, "cg", "multilevel", near);
        CHECK(run.result.converged);
        CHECK(true_residual(a, run) < 1.01e-9);
        return run.result.iterations;
    };
    // D^H L D with the phases D has the near-null-space vector D^H 1, and every complex multiple of it.
    auto vector = random_gauge(width, 1);
    for (auto& value : vector) value = complex_number(0.3, -2) * std::conj(value);
    std::vector<complex_number> const ones(vector.size(), 1);
    auto const plain = iterations(0, ones);
    auto const in_gauge = iterations(1, vector);
    CHECK(std::abs(in_gauge - plain) <= 4); // couplings are sums of magnitudes of real and imaginary parts
    CHECK(iterations(1, ones) > 3 * plain); // the constants of another gauge
}

TEST_CASE_TEMPLATE("complex multilevel: rigid body modes of damped vibrations", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const iterations = [&](int points, complex_number shift, complex_number factor, char const* method,
                                bool with) {
        auto const a = vibrating_cube(points, shift, factor);
        auto const modes = modes_of_cube(points);
        std::vector<complex_number> near;
        if (with) near.assign(modes.begin(), modes.end());
        auto const run = solve_grid(exec, a, method, with ? "multilevel" : "multilevel,block=3", near, 3);
        CHECK(run.result.converged);
        CHECK(true_residual(a, run) < 1.01e-9);
        return run.result.iterations;
    };
    complex_number const damped = complex_number(1, 0.1) * 0.005; // (1 + i c) w^2
    auto const phase = std::polar(1.0, 2.0);
    auto const without = iterations(9, damped, 1, "bicgstab", false), with = iterations(9, damped, 1, "bicgstab", true);
    CHECK(with < without);
    CHECK(std::abs(iterations(9, damped, phase, "bicgstab", true) - with) <= 2);
    CHECK(iterations(13, damped, 1, "bicgstab", true) <= with + 4);
    CHECK(iterations(9, 0, 1, "cg", true) < iterations(9, 0, 1, "cg", false));
}

TEST_CASE_TEMPLATE("complex multilevel: linear and Hermitian with several vectors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = gauge_grid(20, 0.1, 0.1, 3);
    auto const local = exec.copy(a);
    auto near = random_gauge(20, 3);
    for (auto& value : near) value = std::conj(value);
    for (int i = 0; i < 400; ++i) near.push_back(near[std::size_t(i)] * double(i % 20));
    auto const vectors = exec.copy(near);
    auto const m = make_preconditioner(exec, "multilevel,storage=full,smoother=jacobi", local.view(), {},
                                       near_null_space<complex_number>{1, 2, vectors.view()});
    auto const apply = [&](std::vector<complex_number> const& r) {
        auto const right = exec.copy(r);
        buffer<complex_number> z(exec, right.size());
        m.apply(exec, right.view(), z.view());
        return to_vector(exec, z);
    };
    auto const dot = [](std::vector<complex_number> const& x, std::vector<complex_number> const& y) {
        complex_number sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += std::conj(x[i]) * y[i];
        return sum;
    };
    std::vector<complex_number> r(400), scaled(400), s(400);
    complex_number const factor(0.6, -1.3);
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = {std::sin(double(i)), std::cos(3.0 * double(i))};
        s[i] = {std::cos(0.7 * double(i)), std::sin(double(i * i))};
        scaled[i] = factor * r[i];
    }
    auto const of_r = apply(r), of_scaled = apply(scaled), of_s = apply(s);
    double largest = 0, linear = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        largest = std::max(largest, std::abs(of_r[i]));
        linear = std::max(linear, std::abs(of_scaled[i] - factor * of_r[i]));
    }
    CHECK(linear < 1e-12 * largest);
    CHECK(std::abs(dot(s, of_r) - std::conj(dot(r, of_s))) < 1e-12 * std::abs(dot(r, of_r)));
    CHECK(dot(r, of_r).real() > 0);
    CHECK(std::abs(dot(r, of_r).imag()) < 1e-12 * dot(r, of_r).real());

    auto const refused = [&](near_null_space<complex_number> const& given) {
        try {
            make_preconditioner(exec, "multilevel", local.view(), {}, given);
        } catch (error const& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    CHECK(refused({1, 3, vectors.view()}).find("vectors of a near null space") != std::string::npos);
    CHECK(refused({17, 1, vectors.view().slice(0, 400)}).find("1 to 16 unknowns and as many vectors") !=
          std::string::npos);
    CHECK(refused({3, 1, vectors.view().slice(0, 400)}).find("3 unknowns at each point") != std::string::npos);
    auto poisoned = to_vector(exec, vectors);
    poisoned[7] = {0, std::nan("")};
    auto const bad = exec.copy(poisoned);
    CHECK(refused({1, 1, bad.view().slice(0, 400)}) == "element 7 of the near-null-space vectors is not finite");
}
