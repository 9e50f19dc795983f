// SPDX-License-Identifier: BSD-3-Clause
// spmv over mixed value types against sums in double.
#include <doctest/doctest.h>

#include <complex>
#include <limits>

#include "support/executors.hpp"
#include "support/patterns.hpp"
#include <coppice/algebra/transform.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using exact = std::complex<double>;

template <class T>
struct sample {
    static T of(double re, double) { return T(float(re)); }
    static exact value(T const& v) { return double(v); }
};
template <class R>
struct sample<std::complex<R>> {
    static std::complex<R> of(double re, double im) { return {R(re), R(im)}; }
    static exact value(std::complex<R> const& v) { return exact(v); }
};

/// y = beta y + alpha A x with values of type T, x of type X, y of type Y; `sum_rounding` is the unit roundoff of the
/// sums, `last` that of y.
template <class T, class X, class Y, class Executor>
void check(Executor const& exec, double sum_rounding, double last) {
    for (auto const& shape : hard_row_lengths(61)) {
        if (shape.lengths.size() > 10000) continue;
        CAPTURE(shape.name);
        std::int32_t const columns = 500;
        auto const pattern = random_matrix<double>(shape.lengths, columns, 62);
        std::mt19937_64 random(63);
        std::uniform_real_distribution<double> draw(-1, 1);
        plain_csr<T> plain{pattern.rows, columns, pattern.offsets, pattern.indices, {}};
        for (double const v : pattern.values) plain.values.push_back(sample<T>::of(v, draw(random)));
        std::vector<X> x;
        std::vector<Y> y;
        for (int j = 0; j < columns; ++j) x.push_back(sample<X>::of(draw(random), draw(random)));
        for (int i = 0; i < plain.rows; ++i) y.push_back(sample<Y>::of(draw(random), draw(random)));

        auto const a = plain.on(exec);
        auto const dx = exec.copy(x);
        auto dy = exec.copy(y);
        using scalar = spmv_scalar_t<T, X>;
        spmv(exec, make_srcsr_plan(exec, a.view()), a.view(), dx.view(), dy.view(), scalar(1.5f), scalar(0.25f));
        auto const got = to_vector(exec, dy);
        for (std::size_t i = 0; i < y.size(); ++i) {
            exact sum = 0;
            double magnitude = 0;
            for (std::int32_t k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k) {
                exact const p = sample<T>::value(plain.values[std::size_t(k)]) *
                                sample<X>::value(x[std::size_t(plain.indices[std::size_t(k)])]);
                sum += p;
                magnitude += std::abs(p);
            }
            double const length = double(plain.offsets[i + 1] - plain.offsets[i]);
            exact const expected = 0.25 * sample<Y>::value(y[i]) + 1.5 * sum;
            double const bound =
                sum_rounding * ((4 + length) * magnitude + std::abs(expected) + 1) + last * std::abs(expected) + 1e-300;
            REQUIRE(std::abs(sample<Y>::value(got[i]) - expected) <= bound);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("two-byte values, sums in float", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check<float16, float, float>(exec, 0x1p-23, 0x1p-23);
    check<bfloat16, float, float>(exec, 0x1p-23, 0x1p-23);
    check<float16, float16, float16>(exec, 0x1p-23, 0x1p-11);
    check<bfloat16, bfloat16, bfloat16>(exec, 0x1p-23, 0x1p-8);
}
TEST_CASE_TEMPLATE("a matrix is converted to two-byte values and back", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    auto const plain = random_matrix<float>({3, 0, 70, 1}, 100, 64);
    auto const a = plain.on(exec);
    auto const narrow = convert_values<float16>(exec, a.view());
    auto const wide = convert_values<float>(exec, narrow.view());
    auto const got = to_vector(exec, wide.values());
    REQUIRE(got.size() == plain.values.size());
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(got[k] == float(float16(plain.values[k])));
    CHECK(to_vector(exec, narrow.row_offsets()) == plain.offsets);
    CHECK(to_vector(exec, narrow.column_indices()) == plain.indices);
}
TEST_CASE_TEMPLATE("float values, sums in the wider of both types", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check<float, double, double>(exec, 0x1p-52, 0x1p-52);
    check<float, double, float>(exec, 0x1p-52, 0x1p-23);
}
TEST_CASE_TEMPLATE("complex values", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check<std::complex<float>, std::complex<float>, std::complex<float>>(exec, 0x1p-22, 0x1p-23);
    check<std::complex<double>, std::complex<double>, std::complex<double>>(exec, 0x1p-51, 0x1p-52);
    check<float, std::complex<float>, std::complex<float>>(exec, 0x1p-22, 0x1p-23);
}
TEST_CASE_TEMPLATE("complex and real values of two precisions, sums in the wider one", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    using c32 = std::complex<float>;
    using c64 = std::complex<double>;
    check<c32, c64, c64>(exec, 0x1p-51, 0x1p-52);
    check<c64, c32, c64>(exec, 0x1p-51, 0x1p-52);
    check<double, c32, c64>(exec, 0x1p-51, 0x1p-52);
    check<c32, double, c32>(exec, 0x1p-51, 0x1p-23);
    check<c32, c32, c64>(exec, 0x1p-22, 0x1p-23);
}
TEST_CASE_TEMPLATE("real products in a complex y", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    check<double, double, std::complex<double>>(exec, 0x1p-52, 0x1p-52);
    check<float, double, std::complex<float>>(exec, 0x1p-52, 0x1p-23);
    check<float, float, std::complex<double>>(exec, 0x1p-23, 0x1p-24);
    check<float16, float, std::complex<float>>(exec, 0x1p-23, 0x1p-23);

    std::complex<double> const unset(std::nan(""), std::nan("")); // not read if beta is 0
    auto const a = plain_csr<double>{2, 1, {0, 1, 1}, {0}, {3}}.on(exec);
    auto const x = exec.copy(std::vector<double>{2});
    auto y = exec.copy(std::vector<std::complex<double>>{unset, unset});
    spmv(exec, make_srcsr_plan(exec, a.view()), a.view(), x.view(), y.view());
    CHECK(to_vector(exec, y) == std::vector<std::complex<double>>{6, 0});
}

TEST_CASE_TEMPLATE("products by name are accumulated and masked element by element", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const infinity = std::numeric_limits<double>::infinity();
    auto const mask = exec.copy(std::vector<double>{0, -2, 1, 0}), w = exec.copy(std::vector<double>{4, 4, 1, 1});
    std::vector<double> const product{1, 2, 3, infinity};
    struct {
        char const* name;
        bool masked, complement, merged;
        std::vector<double> y;
    } const rows[] = {{"plus-times", false, false, true, {5, 6, 4, infinity}},
                      {"plus-times", true, false, true, {4, 6, 4, 1}},
                      {"plus-times", true, true, false, {1, 0, 0, infinity}},
                      {"min-plus", true, false, false, {infinity, 2, 3, infinity}},
                      {"min-plus", false, false, true, {1, 2, 1, 1}},
                      {"max-min", true, true, true, {4, 4, 1, infinity}},
                      {"any", false, false, true, {4, 4, 1, 1}}};
    for (auto const& row : rows) {
        CAPTURE(row.name);
        auto y = exec.copy(product);
        array_view<double const> const none{};
        merge_result(exec, row.name, row.masked ? array_view<double const>(mask.view()) : none, row.complement,
                     row.merged ? array_view<double const>(w.view()) : none, y.view());
        CHECK(to_vector(exec, y) == row.y);
    }
    auto y = exec.copy(product);
    CHECK_THROWS_AS(merge_result(exec, "arg-max", {}, false, w.view(), y.view()), argument_error);
    CHECK_THROWS_AS(merge_result(exec, "min-plus", mask.view().slice(0, 3), false, {}, y.view()), dimension_error);
    CHECK_THROWS_AS(merge_result(exec, "plus", {}, false, {}, y.view()), argument_error);
    CHECK(to_vector(exec, y) == product);
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("integer arithmetic wraps, in constant expressions, which must not overflow") {
    constexpr int highest = std::numeric_limits<int>::max(), lowest = std::numeric_limits<int>::lowest();
    static_assert(op::plus<int>{}(highest, 1) == lowest);
    static_assert(op::minus<int>{}(lowest, 1) == highest);
    static_assert(op::rminus<int>{}(1, lowest) == highest);
    static_assert(op::times<int>{}(highest, 2) == -2);
    static_assert(add_plus<int>{}(lowest, -1) == highest);
    static_assert(add_times<int>{}(lowest, -1) == lowest);
    static_assert(add_plus<std::int8_t>{}(100, 100) == -56);
    static_assert(add_plus<bool>{}(true, true) && !op::minus<bool>{}(true, true));
    // int, to which the factors are promoted, would overflow
    static_assert(op::times<std::uint16_t>{}(65535, 65535) == 1);
    static_assert(detail::product_of(std::uint16_t{65535}, std::uint16_t{65535}) == -131071);
    static_assert(add_times<std::uint16_t>{}(65535, 65535) == 1);
    static_assert(op::times_with_column<std::uint16_t>{}(65535, 65535, 3).value == 1);
    CHECK(op::times<std::uint8_t>{}(255, 255) == 1);

    host_executor const exec(1);
    std::vector<std::int32_t> const offsets{0, 2, 2}, columns{0, 1};
    std::vector<std::int8_t> const values{3, 5}, x{7, 6};
    std::vector<std::int8_t> y(2);
    csr_view<std::int8_t> const a{2, 2, 2, offsets.data(), columns.data(), values.data()};
    semiring_spmv(exec, make_srcsr_plan(exec, a), arg_max_times<std::int8_t>{}, a, array_view(x), array_view(y));
    CHECK(y == std::vector<std::int8_t>{1, -1});
}
TEST_CASE("index-unary operators at the limits of their scalar") {
    constexpr auto highest = std::numeric_limits<std::int64_t>::max(), lowest = -highest - 1;
    static_assert(op::tril{highest}(0, 3, 5) && !op::tril{lowest}(0, 3, 5));
    static_assert(!op::triu{highest}(0, 3, 5) && op::triu{lowest}(0, 3, 5));
    static_assert(!op::on_diagonal{highest}(0, 3, 5) && op::offdiag{highest}(0, 3, 5));
    static_assert(op::rowindex<>{highest}(0, 1, 5) == lowest && op::colindex<>{highest}(0, 1, 2) == lowest + 1);
    static_assert(op::diagindex<>{lowest}(0, 1, 1) == lowest);
}
#endif
