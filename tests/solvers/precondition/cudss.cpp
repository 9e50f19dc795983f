// SPDX-License-Identifier: BSD-3-Clause
// Factors by cuDSS: its loader and the algorithm around it, on the host, with the library of fake_cudss.cpp.
#include <coppice/solvers/precondition/sparse_direct/cudss_direct.hpp>

#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <dlfcn.h>

#include <doctest/doctest.h>

#include "solvers/dense.hpp"
#include "solvers/precondition/fake_cudss.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/core/optional_library.hpp>
#include <coppice/solvers/precondition/sparse_direct/cudss_library.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();
constexpr auto fake_path = COPPICE_FAKE_CUDSS;

/// The settings of the fake library, with their defaults.
fake_cudss_state& fresh_fake() {
    static void* const library = ::dlopen(fake_path, RTLD_NOW | RTLD_LOCAL);
    auto* const state = static_cast<fake_cudss_state*>(::dlsym(library, "fake_cudss"));
    REQUIRE(state);
    CHECK(state->objects == 0); // of the case before
    *state = {};
    return *state;
}

detail::cudss::library const& fake_library() {
    static auto const library = detail::cudss::library::load(fake_path);
    REQUIRE(library.why_not.empty());
    return library;
}

template <class T>
using on_host = detail::cudss_direct<host_executor, T>;

template <class T>
on_host<T> factors_of(csr_view<detail::wide_number<T>> a, double max_bytes = no_limit, double max_operations = 0,
                      std::shared_ptr<detail::known_orders> orders = nullptr) {
    return {host_executor{1}, fake_library(), a, max_bytes, max_operations, std::move(orders)};
}

/// max_i |b - A x|_i / (|A| |x| + |b|)_i, or of A^T.
template <class S>
double backward_error(csr_view<S> a, std::vector<S> const& x, std::vector<S> const& b, bool transposed) {
    std::vector<S> r = b;
    std::vector<double> size(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) size[i] = std::abs(b[i]);
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k) {
            auto const to = std::size_t(transposed ? a.indices[k] : i);
            auto const from = std::size_t(transposed ? i : a.indices[k]);
            r[to] -= a.coefficients[k] * x[from];
            size[to] += std::abs(a.coefficients[k] * x[from]);
        }
    double worst = 0;
    for (std::size_t i = 0; i < b.size(); ++i) worst = maximum{}(worst, std::abs(r[i]) / size[i]);
    return worst;
}

template <class S>
void check_solves(on_host<element_t<S>> const& factors, csr_view<S> a, double tolerance = 1e-12) {
    using element = element_t<S>;
    host_executor const exec{1};
    std::vector<S> b(std::size_t(a.rows())), x(b.size());
    auto const values = random_vector<double>(2 * int(b.size()), 5);
    for (std::size_t i = 0; i < b.size(); ++i)
        if constexpr (is_complex_number<S>)
            b[i] = {values[2 * i], values[2 * i + 1]};
        else
            b[i] = values[2 * i];
    for (bool const transposed : {false, true}) {
        factors.solve(exec, array_view<element const>(reinterpret_cast<element const*>(b.data()), a.rows()),
                      array_view<element>(reinterpret_cast<element*>(x.data()), a.rows()), transposed);
        CHECK(backward_error(a, x, b, transposed) <= tolerance);
    }
}

/// A + i B with a Hermitian or another B.
csr<std::complex<double>> complex_matrix(int n, bool hermitian, double shift) {
    coo<std::complex<double>> entries{n, n};
    for (int i = 0; i < n; ++i) {
        entries.add(i, i, {shift + i % 3, hermitian ? 0 : 1.0});
        for (int const j : {i + 1, i + 5}) {
            if (j >= n) continue;
            entries.add(i, j, {-1, 0.5});
            entries.add(j, i, {-1, hermitian ? -0.5 : 0.25});
        }
    }
    return to_csr(host_executor{1}, std::move(entries));
}

/// [I B^T; B 0] with two entries in each row of B.
csr<double> constrained(int n, int constraints) {
    coo<double> entries{n + constraints, n + constraints};
    for (int i = 0; i < n; ++i) entries.add(i, i, 1 + i % 4);
    for (int c = 0; c < constraints; ++c)
        for (int const j : {2 * c, 2 * c + 1}) {
            entries.add(n + c, j, 1 + j % 3);
            entries.add(j, n + c, 1 + j % 3);
        }
    return to_csr(host_executor{1}, std::move(entries));
}

} // namespace

TEST_CASE("cudss: a library that cannot be used states why") {
    auto const missing = detail::cudss::library::load("/nonexistent/libcudss.so.1");
    CHECK(missing.why_not.starts_with("cuDSS was not found: "));
    CHECK(missing.why_not.find("/nonexistent/libcudss.so.1") != std::string::npos);
    auto const other = detail::cudss::library::load("libm.so.6");
    CHECK(other.why_not == "cuDSS: libm.so.6 has no function cudssGetProperty");
    auto& state = fresh_fake();
    state.version = 0;
    auto const old = detail::cudss::library::load(fake_path);
    CHECK(old.why_not == std::string("cuDSS: ") + fake_path + " has version 0.0.0, expected 1.x");
    fresh_fake();
    auto const usable = detail::cudss::library::load(fake_path);
    CHECK(usable.why_not == "");
    CHECK(usable.version == "1.0.0");
    CHECK(has_cudss() == detail::why_no_cudss().empty());
    if (!has_cudss()) MESSAGE("cuDSS itself is not tested: ", detail::why_no_cudss());
}

TEST_CASE("cudss: optional libraries are found in added folders") {
    std::filesystem::path const path = fake_path;
    std::string const file = path.filename().string();
    char const* const names[] = {file.c_str()};
    optional_library const before("product", "", names);
    CHECK(before.why_not().starts_with("product was not found: " + file));
    add_library_folder(path.parent_path().string());
    add_library_folder(path.parent_path().string());
    optional_library after("product", "", names);
    CHECK(after.why_not() == "");
    CHECK(after.path() == fake_path);
    void (*function)() = nullptr;
    after.find(function, "cudssExecute");
    CHECK((function != nullptr));
    after.find(function, "cudssExecuted");
    CHECK((function == nullptr));
    CHECK(after.why_not() == std::string("product: ") + fake_path + " has no function cudssExecuted");
}

TEST_CASE("cudss: the form of the factors is that of the matrix, and solutions are accurate") {
    auto& state = fresh_fake();
    host_executor const exec{1};
    auto const definite = generate<double>(exec, "laplace2d", {.nx = 12});
    {
        auto const factors = factors_of<double>(definite.view());
        CHECK(factors.kind() == detail::factor_kind::definite);
        CHECK(state.last_type == detail::cudss::positive_symmetric);
        CHECK(state.last_view == detail::cudss::lower);
        CHECK(state.deterministic);
        CHECK(factors.estimate().nonzeros == 100);
        CHECK(factors.replaced_pivots() == 0);
        check_solves(factors, definite.view());
    }
    auto const indefinite = constrained(60, 30);
    {
        auto const factors = factors_of<double>(indefinite.view());
        CHECK(factors.kind() == detail::factor_kind::symmetric);
        CHECK(state.last_type == detail::cudss::symmetric);
        check_solves(factors, indefinite.view());
    }
    // A positive diagonal, and indefinite: [1 2; 2 1].
    dense pair(2);
    pair(0, 0) = pair(1, 1) = 1;
    pair(0, 1) = pair(1, 0) = 2;
    auto const small = to_csr<double>(pair);
    CHECK(factors_of<double>(small.view()).kind() == detail::factor_kind::symmetric);
    auto const general = generate<double>(exec, "convection", {.nx = 12});
    {
        auto const factors = factors_of<double>(general.view());
        CHECK(factors.kind() == detail::factor_kind::general);
        CHECK(state.last_view == detail::cudss::full);
        check_solves(factors, general.view());
    }
    for (bool const hermitian : {true, false})
        for (double const shift : {9.0, -1.5}) {
            auto const a = complex_matrix(40, hermitian, shift);
            auto const factors = factors_of<complex_pair<double>>(a.view());
            auto const expected = !hermitian  ? detail::cudss::general
                                  : shift > 0 ? detail::cudss::positive_hermitian
                                              : detail::cudss::hermitian;
            CHECK(state.last_type == expected);
            check_solves(factors, a.view());
        }
    auto const empty = to_csr<double>(dense(0));
    CHECK(factors_of<double>(empty.view()).estimate().nonzeros == 0);
}

TEST_CASE("cudss: vectors in single precision") {
    fresh_fake();
    host_executor const exec{1};
    auto const a = generate<double>(exec, "convection", {.nx = 8});
    auto const factors = factors_of<float>(a.view());
    auto const b = random_vector<double>(int(a.rows()), 3);
    std::vector<float> const right(b.begin(), b.end());
    std::vector<float> x(right.size());
    factors.solve(exec, array_view<float const>(right), array_view<float>(x), false);
    CHECK(backward_error(a.view(), std::vector<double>(x.begin(), x.end()),
                         std::vector<double>(right.begin(), right.end()), false) <= 1e-6);
}

TEST_CASE("cudss: powers of two change no bit") {
    fresh_fake();
    host_executor const exec{1};
    auto const a = generate<double>(exec, "convection", {.nx = 8});
    auto const b = random_vector<double>(int(a.rows()), 3);
    std::vector<double> x(b.size()), y(b.size());
    factors_of<double>(a.view()).solve(exec, array_view<double const>(b), array_view<double>(x), false);
    for (int const power : {-900, 40, 900}) {
        auto scaled = exec.copy(a);
        auto right = b;
        for (std::int32_t i = 0; i < a.rows(); i += 3) {
            for (auto k = a.view().row_begin(i); k < a.view().row_end(i); ++k)
                scaled.values()[std::size_t(k)] = std::ldexp(a.view().coefficients[k], power);
            right[std::size_t(i)] = std::ldexp(b[std::size_t(i)], power);
        }
        factors_of<double>(scaled.view()).solve(exec, array_view<double const>(right), array_view<double>(y), false);
        CHECK(x == y);
        if (power == 40) check_solves(factors_of<double>(scaled.view()), scaled.view());
    }
}

TEST_CASE("cudss: singular matrices are refused, also if small pivots were replaced") {
    fresh_fake();
    dense rank_one(3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) rank_one(i, j) = i + 1;
    auto const a = to_csr<double>(rank_one);
    CHECK_THROWS_WITH_AS(factors_of<double>(a.view()), doctest::Contains("singular to working precision"),
                         matrix_error);
    auto poisoned = to_csr<double>(random_matrix(20, false, 1));
    auto good = factors_of<double>(poisoned.view());
    poisoned.values()[3] = std::nan("");
    CHECK_THROWS_WITH_AS(factors_of<double>(poisoned.view()), doctest::Contains("is not finite"), matrix_error);
    CHECK_THROWS_AS(good.refactor(host_executor{1}, poisoned.view()), matrix_error);
    std::vector<double> const b(20, 1.0);
    std::vector<double> x(20);
    CHECK_THROWS_AS(good.solve(host_executor{1}, array_view<double const>(b), array_view<double>(x), false),
                    matrix_error);
}

TEST_CASE("cudss: estimates and failures of the library are errors in words") {
    auto& state = fresh_fake();
    auto const a = generate<double>(host_executor{1}, "laplace2d", {.nx = 6});
    state.bytes = 5'000'000'000;
    CHECK_THROWS_WITH_AS(factors_of<double>(a.view(), 4e9), doctest::Contains("more than 4 GB of device memory"),
                         detail::factor_size_error);
    CHECK(state.factorisations == 0);
    CHECK(factors_of<double>(a.view(), 5e9).estimate().bytes == 5e9);

    state.operations = 2000;
    auto const orders = detail::make_known_orders();
    state.analyses = 0;
    for (int attempt = 0; attempt < 2; ++attempt) // the second one needs no analysis
        CHECK_THROWS_WITH_AS(factors_of<double>(a.view(), no_limit, 1999, orders),
                             doctest::Contains("raise max-operations"), operations_error);
    CHECK(state.analyses == 1);
    CHECK(factors_of<double>(a.view(), no_limit, 2000, orders).estimate().operations == 2000);

    state.failing_phase = detail::cudss::factorisation;
    state.failing_status = detail::cudss::allocation_failed;
    CHECK_THROWS_WITH_AS(factors_of<double>(a.view()),
                         doctest::Contains("the factorisation of cuDSS 1.0.0 reports: an allocation failed; the "
                                           "factors of this matrix do not fit into the memory of the device"),
                         matrix_error);
    state.failing_status = detail::cudss::execution_failed;
    CHECK_THROWS_WITH_AS(factors_of<double>(a.view()), doctest::Contains("reports: execution failed"), device_error);
    state.failing_status = 99;
    CHECK_THROWS_WITH_AS(factors_of<double>(a.view()), doctest::Contains("reports: unknown status"), device_error);
    state.failing_phase = 0;

    state.unsupported_type = detail::cudss::positive_symmetric; // the next form is taken
    auto const factors = factors_of<double>(a.view());
    CHECK(factors.kind() == detail::factor_kind::symmetric);
    check_solves(factors, a.view());

    state.unsupported_type = detail::cudss::hermitian; // a Hermitian matrix has the general form
    auto const h = complex_matrix(40, true, -1.5);
    auto const general = factors_of<complex_pair<double>>(h.view());
    CHECK(general.kind() == detail::factor_kind::general);
    check_solves(general, h.view());
}

TEST_CASE("cudss: new values use the same analysis if they suit it") {
    auto& state = fresh_fake();
    host_executor const exec{1};
    auto const a = generate<double>(exec, "laplace2d", {.nx = 8});
    auto factors = factors_of<double>(a.view());
    CHECK(state.analyses == 1);
    auto changed = exec.copy(a);
    for (double& value : changed.values()) value *= 1.5;
    factors.refactor(exec, changed.view());
    CHECK(state.analyses == 1);
    CHECK(state.factorisations == 2);
    check_solves(factors, changed.view());
    for (std::int32_t i = 0; i < a.rows(); i += 2) // indefinite
        for (auto k = a.view().row_begin(i); k < a.view().row_end(i); ++k)
            if (a.view().indices[k] == i) changed.values()[std::size_t(k)] *= -1;
    factors.refactor(exec, changed.view());
    CHECK(factors.kind() == detail::factor_kind::symmetric);
    check_solves(factors, changed.view());

    state.failing_phase = detail::cudss::factorisation;
    state.failing_status = detail::cudss::allocation_failed;
    CHECK_THROWS_AS(factors.refactor(exec, changed.view()), matrix_error);
    std::vector<double> x(std::size_t(a.rows()), 1.0);
    CHECK_THROWS_WITH_AS(factors.solve(exec, array_view<double const>(x), array_view<double>(x), false),
                         doctest::Contains("the last factorisation failed"), matrix_error);
    state.failing_phase = 0;
    factors.refactor(exec, a.view());
    check_solves(factors, a.view());
}
