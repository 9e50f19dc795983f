// SPDX-License-Identifier: BSD-3-Clause
// Dot products compared with long double, for all types of vector arguments.
#include <coppice/parallel.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "support/executors.hpp"

using namespace coppice;
using coppice::test::on_cuda;

namespace {

std::vector<float> some_floats(std::int64_t n, unsigned seed) {
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    return v;
}

} // namespace

TEST_CASE_TEMPLATE("dots: several in one pass, in double", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int64_t const n : {0, 1, 7, 8193, 40001}) {
        CAPTURE(n);
        auto const x = some_floats(n, 1), y = some_floats(n, 2);
        long double xx = 0, xy = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            xx += static_cast<long double>(x[i]) * x[i];
            xy += static_cast<long double>(x[i]) * y[i];
        }
        auto const u = exec.copy(x), v = exec.copy(y);
        auto const [uu, uv] = dots(exec, dot_of(u, u), dot_of(u, v));
        CHECK(std::abs(double(uu - xx)) <= 1e-13 * double(n + 1));
        CHECK(std::abs(double(uv - xy)) <= 1e-13 * double(n + 1));
        CHECK(dot(exec, u.view(), v) == uv);
    }
}

TEST_CASE_TEMPLATE("dots: the left vector is conjugated", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using C = std::complex<float>;
    auto const x = exec.copy(std::vector<C>{{1, 2}, {3, -1}}), y = exec.copy(std::vector<C>{{0, 1}, {2, 2}});
    // (1 - 2i) i + (3 + i)(2 + 2i) = 2 + i + 4 + 8i
    CHECK(dot(exec, x, y) == std::complex<double>(6, 9));
}

TEST_CASE("dots: vectors of different length are rejected; host vectors are not copied") {
    host_executor const exec{2};
    std::vector<double> const x{1, 2, 3}, y{4, 5, 6}, shorter{1};
    CHECK(dot(exec, x, y) == 32);
    CHECK_THROWS_AS(dot(exec, x, shorter), dimension_error);
    CHECK_THROWS_AS(dots(exec, dot_of(x, x), dot_of(shorter, shorter)), dimension_error);
}
