// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/validate.hpp>

#include <cmath>
#include <complex>
#include <functional>

#include "support/executors.hpp"
#include "support/patterns.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

plain_csr<double> good() { return {3, 4, {0, 2, 2, 5}, {0, 3, 1, 2, 3}, {1, 2, 3, 4, 5}}; }

struct broken {
    char const* message;
    std::function<void(plain_csr<double>&)> damage;
    validation_options options{};
};

} // namespace

TEST_CASE("validate accepts valid matrices") {
    host_executor const exec{2};
    CHECK_NOTHROW(validate(exec, view_of(good().on(exec)), {.sorted = true, .duplicates = false, .finite = true}));
    CHECK_NOTHROW(validate(exec, view_of(csr<double>{})));
    CHECK_NOTHROW(validate(exec, view_of(plain_csr<double>{0, 3, {0}, {}, {}}.on(exec))));
    auto loose = good();
    loose.indices = {3, 0, 2, 1, 2};
    loose.values[1] = std::nan("");
    CHECK_NOTHROW(validate(exec, view_of(loose.on(exec))));
}

TEST_CASE("validate reports the first error") {
    std::vector<broken> const all{
        {"row offsets begin with 1, expected 0", [](auto& a) { a.offsets[0] = 1; }},
        {"row 1: offsets decrease from 2 to 1", [](auto& a) { a.offsets[2] = 1; }},
        {"row 0: the row ends at nonzero 7 of 5", [](auto& a) { a.offsets[1] = 7; }},
        {"row 0: offsets decrease from 0 to -1", [](auto& a) { a.offsets[1] = -1; }},
        {"row offsets end with 4, expected the number of nonzeros 5", [](auto& a) { a.offsets[3] = 4; }},
        {"row 2: column 4 is outside [0, 4)", [](auto& a) { a.indices[3] = 4; }},
        {"row 0: column -1 is outside [0, 4)", [](auto& a) { a.indices[0] = -1, a.indices[4] = 9; }},
        {"row 2: column 1 follows column 2, expected sorted columns",
         [](auto& a) {
             a.indices = {0, 3, 2, 1, 3};
         },
         {.sorted = true}},
        {"row 2: column 3 occurs more than once",
         [](auto& a) {
             a.indices = {0, 3, 3, 1, 3};
         },
         {.duplicates = false}},
        {"row 0: column 2 occurs more than once",
         [](auto& a) {
             a.indices = {2, 2, 1, 2, 3};
         },
         {.duplicates = false}},
        {"row 2: the value in column 2 is inf, expected a finite value",
         [](auto& a) { a.values[3] = 1 / 0.0; },
         {.finite = true}},
    };
    for (auto const& [message, damage, options] : all) {
        auto plain = good();
        damage(plain);
        for (int const threads : {1, 2}) {
            host_executor const exec{threads};
            CHECK_THROWS_WITH_AS(validate(exec, view_of(plain.on(exec)), options), message, matrix_error);
        }
    }
    host_executor const exec{1};
    CHECK_THROWS_AS(validate(exec, csr_view<double>{2, 2, 0, nullptr, nullptr, nullptr}), matrix_error);
    std::int32_t const offsets[] = {0, 1};
    CHECK_THROWS_AS(validate(exec, csr_view<double>{1, 1, 1, offsets, nullptr, nullptr}), matrix_error);
    CHECK_THROWS_AS(validate(exec, csr_view<double>{-1, 1, 0, offsets, nullptr, nullptr}), matrix_error);
}

TEST_CASE("validate reports the smallest invalid row, for any number of threads") {
    auto plain = random_matrix<double>(std::vector<std::int64_t>(60000, 4), 1000, 3);
    for (std::size_t const row : {59999u, 41234u, 20001u}) plain.indices[4 * row + 2] = 1000;
    for (int const threads : {1, 2, 3}) {
        host_executor const exec{threads};
        CHECK_THROWS_WITH_AS(validate(exec, view_of(plain.on(exec))), "row 20001: column 1000 is outside [0, 1000)",
                             matrix_error);
    }
}

TEST_CASE("validate shows both parts of a complex value") {
    host_executor const exec{1};
    plain_csr<std::complex<double>> const a{1, 1, {0, 1}, {0}, {{1, std::nan("")}}};
    CHECK_THROWS_WITH_AS(validate(exec, view_of(a.on(exec)), {.finite = true}),
                         "row 0: the value in column 0 is (1.000000, nan), expected a finite value", matrix_error);
    csr_view<double> const bare{.row_count = 1, .column_count = 1};
    CHECK_THROWS_WITH_AS(validate(exec, bare), "there are no row offsets", matrix_error);
}
