// SPDX-License-Identifier: BSD-3-Clause
// Krylov methods by name for user-defined operators, 64-bit offsets, and several vector types.
#include <coppice/csr.hpp>
#include <coppice/krylov.hpp>
#include <coppice/preconditioner.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>

#include "support/executors.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

// Visible in both compilation passes of a CUDA source.
static_assert(
    detail::operator_with_dots<detail::borrowed_operator<csr_operator<host_executor, double>>, host_executor, double>);
#if defined(COPPICE_HAS_CUDA)
static_assert(detail::operator_with_dots<detail::borrowed_operator<csr_operator<cuda_executor, std::complex<double>>>,
                                         cuda_executor, std::complex<double>>);
#endif

/// A + shift I, not assembled. Element-wise work is a product with a diagonal matrix, which runs on the executor of A.
template <class Executor, class T>
struct shifted {
    csr_view<T> a, diagonal;
    srcsr_plan<std::int32_t> const *plan, *diagonal_plan;

    void apply(Executor const& exec, array_view<T const> x, array_view<T> y) const {
        spmv(exec, *plan, a, x, y);
        spmv(exec, *diagonal_plan, diagonal, x, y, T(1), T(1));
    }
};

template <class T>
csr<T> diagonal_matrix(host_executor const& exec, std::int32_t n, T value) {
    coo<T> entries{.rows = n, .columns = n};
    for (std::int32_t i = 0; i < n; ++i) entries.add(i, i, value);
    return to_csr(exec, entries);
}

/// max |b - (A + shift I) x| / max |b|, from the definition.
double residual_of(csr<double> const& a, double shift, std::vector<double> const& x, std::vector<double> const& b) {
    double worst = 0, largest = 0;
    for (std::int32_t i = 0; i < a.rows(); ++i) {
        double sum = b[std::size_t(i)] - shift * x[std::size_t(i)];
        for (auto k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            sum -= a.values()[k] * x[std::size_t(a.column_indices()[k])];
        worst = std::max(worst, std::abs(sum));
        largest = std::max(largest, std::abs(b[std::size_t(i)]));
    }
    return worst / largest;
}

} // namespace

TEST_CASE_TEMPLATE("a user-defined operator is solved by name", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    host_executor const host{1};
    auto const a = laplace2d<double>(host, 17, 13);
    double const shift = 0.5;
    auto const local = exec.copy(a), diagonal = exec.copy(diagonal_matrix(host, a.rows(), shift));
    auto const plan = make_srcsr_plan(exec, local.view()), diagonal_plan = make_srcsr_plan(exec, diagonal.view());
    shifted<Executor, double> const op{local.view(), diagonal.view(), &plan, &diagonal_plan};
    auto const m = make_preconditioner(exec, "jacobi", local.view());
    std::vector<double> const ones(std::size_t(a.rows()), 1.0);
    auto const b = exec.copy(ones);
    any_operator<Executor, double> const any(a.rows(), op);
    any_operator<Executor, double> const function(
        a.rows(), [op](Executor const& e, array_view<double const> x, array_view<double> y) { op.apply(e, x, y); });
    CHECK(any.size() == a.rows());
    for (auto const method : krylov_names) {
        CAPTURE(method);
        auto x = exec.copy(std::vector<double>(ones.size(), 0.0));
        auto const result = solve(exec, method, any, m, b.view(), x.view(), {.tolerance = 1e-10});
        CHECK(result.converged);
        CHECK(residual_of(a, shift, to_vector(exec, x), ones) < 1e-9);
        // A function object, the operator type, and buffers instead of views give the same bits.
        auto y = exec.copy(std::vector<double>(ones.size(), 0.0)), z = exec.copy(to_vector(exec, y));
        CHECK(solve(exec, method, function, m, b, y, {.tolerance = 1e-10}).iterations == result.iterations);
        CHECK(solve(exec, method, op, m, b, z, {.tolerance = 1e-10}).iterations == result.iterations);
        CHECK(to_vector(exec, y) == to_vector(exec, x));
        CHECK(to_vector(exec, z) == to_vector(exec, x));
    }
    auto x = exec.copy(ones), shorter = exec.copy(std::vector<double>(3));
    CHECK_THROWS_AS(solve(exec, "sor", any, m, b, x), argument_error);
    CHECK_THROWS_AS(solve(exec, "cg", any, m, shorter, x), dimension_error);
    CHECK_THROWS_AS(solve(exec, "cg", any, m, shorter, shorter), dimension_error);
    CHECK_THROWS_AS((any_operator<Executor, double>(-1, op)), argument_error);
}

namespace {

/// Twice the identity in float, for vectors of any type.
struct float_operator {
    using value_type = float;
    template <class T>
    void apply(host_executor const&, array_view<T const> x, array_view<T> y) const {
        for (std::int64_t i = 0; i < x.size(); ++i) y[i] = T(2) * x[i];
    }
};

} // namespace

TEST_CASE("the vectors determine the precision of an operator that supports several") {
    host_executor const exec{1};
    std::vector<double> const b(20, 3.0);
    std::vector<double> x(20);
    std::vector<float> const small_b(20, 3.0f);
    std::vector<float> small_x(20);
    for (auto const method : krylov_names) {
        CAPTURE(method);
        std::fill(x.begin(), x.end(), 0.0);
        std::fill(small_x.begin(), small_x.end(), 0.0f);
        CHECK(solve(exec, method, float_operator{}, identity_preconditioner{}, b, x, {.tolerance = 1e-14}).converged);
        CHECK(x[7] == doctest::Approx(1.5).epsilon(1e-13));
        CHECK(solve(exec, method, float_operator{}, identity_preconditioner{}, small_b, small_x).converged);
        CHECK(small_x[7] == doctest::Approx(1.5).epsilon(1e-5));
    }
}

TEST_CASE("host vectors and spans are solved without copies") {
    host_executor const exec{2};
    auto const a = laplace2d<double>(exec, 9, 9);
    csr_operator const op(exec, a); // the matrix itself, not its view
    auto const m = make_preconditioner(exec, "none", a.view());
    std::vector<double> const b(std::size_t(a.rows()), 1.0);
    std::vector<double> x(b.size()), y(b.size());
    CHECK(solve(exec, "cg", op, m, b, x).converged);
    CHECK(solve(exec, "cg", op, m, std::span(b), std::span(y)).converged);
    CHECK(x == y);
    std::fill(y.begin(), y.end(), 0.0);
    any_operator<host_executor, double> const any(csr_operator(exec, a)); // has size()
    CHECK(solve(exec, "cg", any, m, std::span(b), std::span(y)).converged);
    auto const spans = y;
    std::fill(y.begin(), y.end(), 0.0);
    CHECK(solve(exec, "cg", any, m, {b.data(), std::ssize(b)}, {y.data(), std::ssize(y)}).converged);
    CHECK(y == spans);
    // A csr_operator computes the dot products during its product, in another order.
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == doctest::Approx(y[i]).epsilon(1e-9));
}

TEST_CASE_TEMPLATE("csr_operator takes offsets wider than its indices", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using Executor = std::remove_const_t<decltype(exec)>;
    auto const a = laplace2d<double>(host_executor{1}, 12, 7);
    std::vector<std::int64_t> const offsets(a.row_offsets().begin(), a.row_offsets().end());
    csr<double, std::int32_t, std::int64_t> const wide(a.rows(), a.columns(), exec.copy(offsets),
                                                       exec.copy(a.column_indices()), exec.copy(a.values()));
    auto const narrow = exec.copy(a);
    csr_operator const op(exec, wide);
    static_assert(std::is_same_v<decltype(op), csr_operator<Executor, double, std::int32_t, std::int64_t> const>);
    auto const m = make_preconditioner(exec, "jacobi", narrow.view());
    std::vector<double> const zeros(std::size_t(a.rows()));
    auto const b = exec.copy(std::vector<double>(zeros.size(), 1.0));
    auto x = exec.copy(zeros), y = exec.copy(zeros);
    CHECK(solve(exec, "cg", op, m, b, x).converged);
    CHECK(solve(exec, "cg", csr_operator(exec, narrow), m, b.view(), y.view()).converged);
    CHECK(to_vector(exec, x) == to_vector(exec, y));
}
