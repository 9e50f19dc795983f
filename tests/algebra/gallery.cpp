// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/generate/tridiagonal_gallery.hpp>

#include <algorithm>
#include <cmath>
#include <lapacke.h>
#include <random>
#include <vector>

#include "support/executors.hpp"
#include "support/same_bits.hpp"
#include "support/sanitized.hpp"
#include "support/singular_values.hpp"
#include <coppice/algebra/random.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

std::vector<double> dense(tridiagonal<double> const& a) {
    auto const n = std::size_t(a.size());
    std::vector<double> full(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        auto const row = std::int64_t(i);
        if (i > 0) full[i * n + i - 1] = a.lower[row];
        full[i * n + i] = a.diagonal[row];
        if (i + 1 < n) full[i * n + i + 1] = a.upper[row];
    }
    return full;
}

std::vector<double> singular_values(tridiagonal<double> const& a) {
    return test::singular_values(a.size(), [&](std::int64_t i, std::int64_t j) { return entry_of(a, i, j); });
}

double condition(tridiagonal<double> const& a) {
    auto const sigma = singular_values(a);
    return sigma.front() / sigma.back();
}

bool same(tridiagonal<double> const& a, tridiagonal<double> const& b) {
    return same_bits(a.lower, b.lower) && same_bits(a.diagonal, b.diagonal) && same_bits(a.upper, b.upper);
}

bool uniform(buffer<double> const& band, std::int64_t first, std::int64_t last) {
    double sum = 0, squares = 0, largest = 0;
    for (std::int64_t i = first; i < last; ++i) {
        sum += band[i];
        squares += band[i] * band[i];
        largest = std::max(largest, std::abs(band[i]));
    }
    auto const count = double(last - first);
    return std::abs(sum / count) < 0.05 && std::abs(squares / count - 1.0 / 3) < 0.03 && largest < 1 && largest > 0.99;
}

bool constant(buffer<double> const& band, std::int64_t first, std::int64_t last, double value) {
    return std::all_of(band.begin() + first, band.begin() + last, [&](double v) { return v == value; });
}

host_executor const exec{2};

} // namespace

TEST_CASE("conditions of the matrices without random numbers are those of Table 4") {
    CHECK(condition(tridiagonal_case(exec, 3, 512)) == doctest::Approx(3.52e2).epsilon(.005));
    CHECK(condition(tridiagonal_case(exec, 7, 512)) == doctest::Approx(9.00).epsilon(.002));
    CHECK(condition(tridiagonal_case(exec, 16, 512)) == doctest::Approx(3.27e2).epsilon(.005));
    CHECK(condition(tridiagonal_case(exec, 17, 512)) == doctest::Approx(1.00).epsilon(.005));
    CHECK(condition(tridiagonal_case(exec, 18, 512)) == doctest::Approx(3.00).epsilon(.005));
    CHECK(condition(tridiagonal_case(exec, 19, 512)) == doctest::Approx(1.12).epsilon(.005));
}

TEST_CASE("conditions of the well-conditioned random matrices are near Table 4") {
    for (std::uint64_t const seed : {1, 2}) {
        CHECK(condition(tridiagonal_case(exec, 2, 512, seed)) == doctest::Approx(1.00).epsilon(.005));
        CHECK(condition(tridiagonal_case(exec, 6, 512, seed)) == doctest::Approx(1.04).epsilon(.05));
        CHECK(condition(tridiagonal_case(exec, 20, 512, seed)) == doctest::Approx(2.30).epsilon(.1));
    }
    for (int const c :
         {1, 4, 5}) { // 1.58e3, 2.93e3, 1.59e3: single samples of a heavy-tailed distribution with median 4e3
        auto const found = condition(tridiagonal_case(exec, c, 512, 1));
        CAPTURE(c);
        CHECK(found > 2e2);
        CHECK(found < 2e5);
    }
}

TEST_CASE("conditions of case 1 are spread like those of another random number generator") {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> ours, others;
    for (std::uint64_t seed = 1; seed <= 41; ++seed) {
        auto a = tridiagonal_case(exec, 1, 100, seed);
        ours.push_back(std::log10(condition(a)));
        for (auto* band : {&a.lower, &a.diagonal, &a.upper})
            for (double& value : *band) value = between(random);
        others.push_back(std::log10(condition(a)));
    }
    std::sort(ours.begin(), ours.end());
    std::sort(others.begin(), others.end());
    for (std::size_t const quantile : {10, 20, 30}) CHECK(std::abs(ours[quantile] - others[quantile]) < 0.4);
}

TEST_CASE("randsvd has the singular values of its mode") {
    for (std::int64_t const n : {2, 3, 100, 512}) {
        for (int const c : {8, 9, 10, 11}) {
            CAPTURE(n);
            CAPTURE(c);
            auto const sigma = singular_values(tridiagonal_case(exec, c, n, 4));
            double worst = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                double const expected = randsvd_singular_value(c, i, n);
                worst = std::max(worst, std::abs(sigma[std::size_t(i)] - expected));
            }
            CHECK(worst < 2e-14); // rounding errors of some hundred transformations; norm 1
            if (n == 512) CHECK(sigma.front() / sigma.back() > 3e13);
        }
    }
    CHECK(tridiagonal_case(exec, 8, 1).diagonal[0] != 0);
    CHECK(tridiagonal_case(exec, 8, 0).size() == 0);
    // The random orthogonal factors include random signs: the diagonal has entries of either sign. Another seed gives
    // another matrix.
    auto const a = tridiagonal_case(exec, 9, 200, 1);
    CHECK(std::any_of(a.diagonal.begin(), a.diagonal.end(), [](double v) { return v < 0; }));
    CHECK(std::any_of(a.diagonal.begin(), a.diagonal.end(), [](double v) { return v > 0; }));
    CHECK_FALSE(same(a, tridiagonal_case(exec, 9, 200, 2)));
}

TEST_CASE("randsvd beyond its largest single matrix distributes the singular values over blocks") {
    std::int64_t const n = randsvd_largest + 7;
    auto const sigma = singular_values(tridiagonal_case(exec, 11, n, 4));
    double worst = 0;
    for (std::int64_t i = 0; i < n; ++i)
        worst = std::max(worst, std::abs(sigma[std::size_t(i)] - (1 - double(i) / double(n - 1) * (1 - 1e-15))));
    CHECK(worst < 2e-14);
    auto const a = tridiagonal_case(exec, 9, 40000);
    CHECK(std::all_of(a.diagonal.begin(), a.diagonal.end(), [](double v) { return std::isfinite(v); }));
    CHECK(std::count(a.upper.begin(), a.upper.end(), 0.0) >= 40000 / randsvd_block);
    CHECK(same(a, tridiagonal_case(host_executor{1}, 9, 40000)));
}

TEST_CASE("bands of every case") {
    std::int64_t const n = 20000;
    auto const first = tridiagonal_case(exec, 1, n, 9);
    CHECK(uniform(first.lower, 1, n));
    CHECK(uniform(first.diagonal, 0, n));
    CHECK(uniform(first.upper, 0, n - 1));
    for (int c = 1; c <= 20; ++c) {
        CAPTURE(c);
        // randsvd takes most of the time; other cases generate shorter ones
        if (sanitized && c >= 8 && c <= 11) continue;
        auto const a = tridiagonal_case(exec, c, n, 9);
        CHECK(a.lower[0] == 0);
        CHECK(a.upper[n - 1] == 0);
        CHECK(same(a, tridiagonal_case(host_executor{1}, c, n, 9)));
        if (c == 2) CHECK(constant(a.diagonal, 0, n, 1e8));
        if (c == 6) CHECK(constant(a.diagonal, 0, n, 64));
        if (c == 14) CHECK(constant(a.diagonal, 0, n, 1e-8));
        if (c == 15) CHECK(constant(a.diagonal, 0, n, 0));
        if (c == 2 || c == 6 || c == 14 || c == 15) CHECK((uniform(a.lower, 1, n) && uniform(a.upper, 0, n - 1)));
        if (c == 16 || c == 17) {
            CHECK(constant(a.lower, 1, n, 1));
            CHECK(constant(a.upper, 0, n - 1, 1));
            CHECK(constant(a.diagonal, 0, n, c == 16 ? 1e-8 : 1e8));
        }
        if (c >= 18) {
            CHECK(constant(a.lower, 1, n, -1));
            CHECK(constant(a.diagonal, 0, n, 4));
            CHECK((c == 20 ? uniform(a.upper, 0, n - 1) : constant(a.upper, 0, n - 1, c == 18 ? -1 : 1)));
        }
    }
    auto const weak = tridiagonal_case(exec, 4, n, 9), thinned = tridiagonal_case(exec, 5, n, 9);
    auto const faint = tridiagonal_case(exec, 12, n, 9);
    CHECK(same_bits(weak.diagonal, first.diagonal));
    CHECK(same_bits(weak.upper, first.upper));
    std::int64_t zeros[2] = {};
    for (std::int64_t i = 1; i < n; ++i) {
        // MATLAB's a(N/2+1, N/2) is in row N/2 with 0-based rows.
        CHECK(weak.lower[i] == (i == n / 2 ? 1e-50 : 1) * first.lower[i]);
        CHECK(faint.lower[i] == 1e-50 * first.lower[i]);
        CHECK((thinned.lower[i] == 0 || thinned.lower[i] == first.lower[i]));
        CHECK((thinned.upper[i - 1] == 0 || thinned.upper[i - 1] == first.upper[i - 1]));
        zeros[0] += thinned.lower[i] == 0;
        zeros[1] += thinned.upper[i - 1] == 0;
    }
    CHECK(std::abs(zeros[0] - n / 2) < n / 50);
    CHECK(std::abs(zeros[1] - n / 2) < n / 50);
}

TEST_CASE("lesp, kms and dorr by their definitions") {
    for (std::int64_t const n : {1, 2, 3, 4, 9}) {
        CAPTURE(n);
        // gallery('lesp', 4): -5 2 0 0; 1/2 -7 3 0; 0 1/3 -9 4; 0 0 1/4 -11
        auto const lesp = tridiagonal_case(exec, 3, n);
        double const diagonal[] = {-5, -7, -9, -11}, lower[] = {0, 1 / 2., 1 / 3., 1 / 4.}, upper[] = {2, 3, 4};
        for (std::int64_t i = 0; i < std::min<std::int64_t>(n, 4); ++i) {
            CHECK(lesp.diagonal[i] == diagonal[i]);
            CHECK(lesp.lower[i] == lower[i]);
            if (i + 1 < n && i < 3) CHECK(lesp.upper[i] == upper[i]);
        }
        // The inverse times K, K_ij = 2^-|i-j|, is the identity.
        auto const inverse = dense(tridiagonal_case(exec, 7, n));
        for (std::int64_t i = 0; i < n; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::int64_t k = 0; k < n; ++k)
                    sum += inverse[std::size_t(i * n + k)] * std::pow(0.5, double(std::abs(k - j)));
                CHECK(sum == doctest::Approx(i == j ? 1 : 0).epsilon(1e-14));
            }
        // dorr: -theta u'' - (1/2 - x) u' with upwind differences; interior rows sum to 0.
        auto const dorr = tridiagonal_case(exec, 13, n);
        double const h = 1.0 / double(n + 1), term = 1e-4 / (h * h);
        for (std::int64_t i = 0; i < n; ++i) {
            double const wind = (0.5 - double(i + 1) * h) / h;
            double const left = -term + std::min(wind, 0.0), right = -term - std::max(wind, 0.0);
            CHECK(dorr.diagonal[i] == doctest::Approx(-(left + right)).epsilon(1e-14));
            if (i > 0) CHECK(dorr.lower[i] == doctest::Approx(left).epsilon(1e-14));
            if (i + 1 < n) CHECK(dorr.upper[i] == doctest::Approx(right).epsilon(1e-14));
        }
    }
    auto const dorr =
        singular_values(tridiagonal_case(exec, 13, 512)); // 1.4e17 in Table 4: singular to working precision
    CHECK(dorr.front() / dorr.back() > 1e15);
}

TEST_CASE("cases out of range") {
    CHECK_THROWS_AS(tridiagonal_case(exec, 0, 5), argument_error);
    CHECK_THROWS_AS(tridiagonal_case(exec, 21, 5), argument_error);
    CHECK_THROWS_AS(tridiagonal_case(exec, 1, -1), argument_error);
    CHECK_THROWS_AS(tridiagonal_case_description(21), argument_error);
    for (int c = 1; c <= 20; ++c) {
        CHECK_FALSE(tridiagonal_case_description(c).empty());
        for (std::int64_t const n : {0, 1, 2}) CHECK(tridiagonal_case<float>(exec, c, n).size() == n);
    }
}

TEST_CASE("streams of random numbers are uniform and distinct") {
    random_stream const a(1, 0), b(1, 1), c(2, 0);
    double mean = 0, ab = 0, ac = 0, successive = 0;
    int const n = 100000;
    for (int i = 0; i < n; ++i) {
        auto const k = static_cast<std::uint64_t>(i);
        mean += a.uniform(k) / n;
        ab += (a.uniform(k) - .5) * (b.uniform(k) - .5) * 12 / n;
        ac += (a.uniform(k) - .5) * (c.uniform(k) - .5) * 12 / n;
        successive += (a.uniform(k) - .5) * (a.uniform(k + 1) - .5) * 12 / n;
    }
    CHECK(std::abs(mean - .5) < .004); // four standard deviations
    CHECK(std::abs(ab) < .013);
    CHECK(std::abs(ac) < .013);
    CHECK(std::abs(successive) < .013);
}
