// SPDX-License-Identifier: BSD-3-Clause
// Pentadiagonal, partition and block galleries: conditions from LAPACK's singular values beside the printed ones.
#include <algorithm>
#include <cmath>
#include <vector>

#include <coppice/generators.hpp>

#include "support/executors.hpp"
#include "support/same_bits.hpp"
#include "support/singular_values.hpp"
#include <coppice/algebra/random.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

host_executor const host{2};

double ratio(std::vector<double> const& sigma) { return sigma.front() / sigma.back(); }

using test::entry_of;
double entry_of(banded<double> const& a, std::int64_t i, std::int64_t j) {
    return std::abs(j - i) <= 2 ? a.bands[(j - i + 2) * a.size() + i] : 0;
}
double entry_of(block_tridiagonal<double> const& a, std::int64_t i, std::int64_t j) {
    std::int64_t const row = i / 2, column = j / 2, at = row * 4 + i % 2 + j % 2 * 2;
    return column == row - 1 ? a.lower[at] : column == row ? a.diagonal[at] : column == row + 1 ? a.upper[at] : 0;
}
template <class Matrix>
std::vector<double> singular_values(Matrix const& a) {
    return test::singular_values(a.size(), [&](std::int64_t i, std::int64_t j) { return entry_of(a, i, j); });
}

bool constant(buffer<double> const& band, std::int64_t first, std::int64_t last, double value) {
    return std::all_of(band.begin() + first, band.begin() + last, [&](double v) { return v == value; });
}

} // namespace

TEST_CASE("pentadiagonal gallery: conditions are those of Table 6") {
    for (auto const& [id, condition] :
         {std::pair{2, 1.00}, {14, 10.2}, {17, 3.57e4}, {18, 1.00}, {19, 2.56}, {20, 2.56}, {21, 1.67}}) {
        auto const& case_id = id;
        CAPTURE(case_id);
        CHECK(ratio(singular_values(pentadiagonal_case(host, id, 512))) == doctest::Approx(condition).epsilon(.005));
    }
    CHECK(ratio(singular_values(pentadiagonal_case(host, 7, 512))) == doctest::Approx(1.06).epsilon(.02));
    CHECK(ratio(singular_values(pentadiagonal_case(host, 22, 512))) == doctest::Approx(1.54).epsilon(.05));
    CHECK(ratio(singular_values(pentadiagonal_case(host, 23, 512))) == doctest::Approx(1.85).epsilon(.05));
    CHECK(ratio(singular_values(pentadiagonal_case(host, 13, 512))) > 1e16); // 6.8e34: beyond double
}

TEST_CASE("pentadiagonal gallery: randsvd has its singular values and five bands") {
    std::int64_t const n = 200;
    for (int const id : {8, 9, 10, 11}) {
        CAPTURE(id);
        auto const a = pentadiagonal_case(host, id, n, 3);
        auto const sigma = singular_values(a);
        double worst = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            double const expected = randsvd_singular_value(id, i, n);
            worst = std::max(worst, std::abs(sigma[std::size_t(i)] - expected));
        }
        CHECK(worst < 2e-14);
        CHECK(std::abs(a.bands[4 * n + n / 2]) > 1e-20); // not tridiagonal by accident
    }
}

TEST_CASE("pentadiagonal gallery: bands of every case") {
    std::int64_t const n = 4000;
    auto const first = pentadiagonal_case(host, 1, n, 9);
    auto const at = [](banded<double> const& a, int band, std::int64_t i) { return a.bands[band * n + i]; };
    for (int id = 1; id <= pentadiagonal_case_count; ++id) {
        CAPTURE(id);
        CHECK_FALSE(pentadiagonal_case_description(id).empty());
        auto const a = pentadiagonal_case(host, id, n, 9);
        CHECK(same_bits(a.bands, pentadiagonal_case(host_executor{1}, id, n, 9).bands));
        CHECK((at(a, 0, 0) == 0 && at(a, 0, 1) == 0 && at(a, 1, 0) == 0));
        CHECK((at(a, 4, n - 1) == 0 && at(a, 4, n - 2) == 0 && at(a, 3, n - 1) == 0));
        double const diagonal[] = {0, 0, 1e8, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 1e-8, 0, 1e-8, 1e8, 8, 8, 8, 8, 8};
        if (diagonal[id] != 0 || id == 14 || id == 16)
            CHECK(constant(a.bands, 2 * n, 3 * n, diagonal[id]));
        else if (id < 8 || id > 11)
            CHECK(std::equal(a.bands.begin() + 2 * n, a.bands.begin() + 3 * n, first.bands.begin() + 2 * n));
        for (std::int64_t i = 2; i < n - 2; ++i)
            for (int const band : {0, 1, 3, 4}) {
                double const value = at(a, band, i), random = at(first, band, i);
                bool const middle = (band == 0 && i == n / 2) || (id == 4 && band == 1 && i == n / 2) ||
                                    (id == 4 && band == 0 && i == n / 2 + 1);
                if (id == 2 || id == 7 || id == 15 || id == 16) REQUIRE(value == random);
                if (id == 3 || id == 4) REQUIRE(value == (middle ? 1e-50 : 1) * random);
                if (id == 12) REQUIRE(value == (band == 0 ? 1e-50 : 1) * random);
                if (id == 13) REQUIRE(value == (band <= 1 ? 1e-50 : 1) * random);
                if (id == 5 || id == 6) REQUIRE((value == random || (value == 0 && (id == 6 || band % 4 == 0))));
                if (id == 14) REQUIRE(value == (band == 1 ? -10 : band == 3 ? 10 : 1));
                if (id == 17 || id == 18) REQUIRE(value == 1);
                if (id >= 19) REQUIRE((band != 0 || value == -1));
                if (id == 22 || id == 23) REQUIRE((band != 4 || value == random));
            }
    }
    auto const thinned = pentadiagonal_case(host, 6, n, 9);
    for (int const band : {0, 1, 3, 4}) {
        auto const part = thinned.bands.view().slice(band * n, n);
        CHECK(std::abs(std::count(part.begin(), part.end(), 0.0) - n / 2) < n / 20);
    }
    for (std::int64_t const small : {0, 1, 2, 3}) CHECK(pentadiagonal_case<float>(host, 1, small).size() == small);
    CHECK_THROWS_AS(pentadiagonal_case(host, 24, 5), argument_error);
    CHECK_THROWS_AS(pentadiagonal_case(host, 0, 5), argument_error);
    CHECK_THROWS_AS(pentadiagonal_case(host, 1, -5), argument_error);
    CHECK_THROWS_AS(pentadiagonal_case_description(24), argument_error);
}

TEST_CASE("partition gallery: conditions and bands of the types that Table 4 does not have") {
    CHECK(ratio(singular_values(partition_case(host, 2, 512))) == doctest::Approx(1).epsilon(.001));
    CHECK(ratio(singular_values(partition_case(host, 6, 512))) == doctest::Approx(1.03).epsilon(.03));
    CHECK(ratio(singular_values(partition_case(host, 17, 512))) == doctest::Approx(3.27e2).epsilon(.005));
    CHECK(ratio(singular_values(partition_case(host, 18, 512))) > 1e15);
    std::int64_t const n = 512;
    for (int const type : {14, 16}) { // one draw for each off-diagonal
        auto const a = partition_case(host, type, n, 5);
        CHECK(constant(a.lower, 1, n, a.lower[1]));
        CHECK(constant(a.upper, 0, n - 1, a.upper[0]));
        CHECK(constant(a.diagonal, 0, n, type == 14 ? 1e-8 : 0));
        CHECK(a.lower[1] != a.upper[0]);
        CHECK(a.lower[1] != partition_case(host, type, n, 6).lower[1]);
    }
    // gallery('clement', 4, 0): eigenvalues -3, -1, 1, 3.
    auto const clement = partition_case(host, 15, 4);
    CHECK((clement.lower[1] == 3 && clement.lower[2] == 2 && clement.lower[3] == 1));
    CHECK((clement.upper[0] == 1 && clement.upper[1] == 2 && clement.upper[2] == 3));
    CHECK(constant(clement.diagonal, 0, 4, 0));
    auto const scaled = partition_case(host, 18, n, 5), random = tridiagonal_case(host, 1, n, 5);
    for (std::int64_t i = 1; i < n - 1; ++i) {
        bool const special = i == 255 || i == 256;
        REQUIRE(scaled.lower[i] == (special ? 1 : random.lower[i]));
        REQUIRE(scaled.upper[i] == (special ? 1 : random.upper[i]));
        REQUIRE(scaled.diagonal[i] == (special ? 0 : i == 254 ? 1e15 : random.diagonal[i]));
    }
    for (int const type : {1, 3, 4, 5, 7, 8, 12, 13})
        CHECK(same_bits(partition_case(host, type, 70, 2).lower, tridiagonal_case(host, type, 70, 2).lower));
    for (int type = 1; type <= partition_case_count; ++type) {
        CHECK_FALSE(partition_case_description(type).empty());
        for (std::int64_t const small : {0, 1, 2}) CHECK(partition_case<float>(host, type, small).size() == small);
    }
    CHECK_THROWS_AS(partition_case(host, 19, 5), argument_error);
    CHECK_THROWS_AS(partition_case(host, 0, 5), argument_error);
    CHECK_THROWS_AS(partition_case(host, 2, -5), argument_error);
}

TEST_CASE("block transform: full blocks, the singular values of the scalar matrix twice") {
    std::int64_t const n = 80;
    auto const a = tridiagonal_case(host, 1, n, 2);
    auto const b = block_transform(host, a.view(), 7);
    auto const scalar = singular_values(a), blocks = singular_values(b);
    double worst = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) worst = std::max(worst, std::abs(blocks[i] - scalar[i / 2]));
    CHECK(worst < 1e-14);
    for (std::int64_t i = 0; i < n; ++i)
        for (int e = 0; e < 4; ++e) REQUIRE(b.diagonal[4 * i + e] != 0);
    CHECK(b.diagonal[0] != b.diagonal[4]); // and not by one rotation for all
    CHECK(same_bits(b.upper, block_transform(host_executor{1}, a.view(), 7).upper));
    CHECK_FALSE(same_bits(b.upper, block_transform(host, a.view(), 8).upper));
}
