// SPDX-License-Identifier: BSD-3-Clause
// NaN products under min, max and arg-max: ignored wherever a row is cut, with and without presence flags and masks.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/executors.hpp"
#include "support/patterns.hpp"
#include <coppice/semiring/spmv/mxv.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

float const nan_value = std::numeric_limits<float>::quiet_NaN();
float const infinity = std::numeric_limits<float>::infinity();

/// Which products are NaN, by nonzero. Cuts fall everywhere: between stretches, shares, tiles, threads and lanes.
struct nan_places {
    char const* name;
    std::function<bool(std::int64_t nonzero)> holds;
};
std::vector<nan_places> every_place() {
    return {{"every second", [](std::int64_t k) { return k % 2 == 0; }},
            {"all but one of 97", [](std::int64_t k) { return k % 97 != 50; }},
            {"at random", [](std::int64_t k) { return (std::uint64_t(k) * 0x9e3779b97f4a7c15u >> 61) < 4; }},
            {"around multiples of 1024", [](std::int64_t k) { return (k + 2) % 1024 < 4; }},
            {"everywhere", [](std::int64_t) { return true; }}};
}

struct with_min {
    static auto semiring() { return min_plus<float>{}; }
    static float product(float a, float u) { return a + u; }
    static float none() { return infinity; }
    static bool better(float a, float b) { return a < b; }
    static float result(float best, std::int32_t) { return best; }
};
struct with_max {
    static auto semiring() { return max_plus<float>{}; }
    static float product(float a, float u) { return a + u; }
    static float none() { return -infinity; }
    static bool better(float a, float b) { return a > b; }
    static float result(float best, std::int32_t) { return best; }
};
struct with_arg_max {
    static auto semiring() { return arg_max_times<float>{}; }
    static float product(float a, float u) { return a * u; }
    static float none() { return -infinity; }
    static bool better(float a, float b) { return a > b; }
    static float result(float, std::int32_t column) { return float(column); }
};

enum class flags { none, all, some };
bool has_flag(flags f, std::int32_t j) { return f != flags::some || j % 3 != 1; }
bool wanted(std::int64_t row) { return row % 5 != 2; }

/// The best of the products that are numbers, and the first of equals; none() and column -1 where there are none.
template <class Rule>
entry<float> by_definition(plain_csr<float> const& a, std::vector<float> const& u, flags f, std::int32_t row) {
    float best = Rule::none();
    std::int32_t column = -1;
    bool present = false;
    for (std::int32_t k = a.offsets[std::size_t(row)]; k < a.offsets[std::size_t(row) + 1]; ++k) {
        std::int32_t const j = a.indices[std::size_t(k)];
        if (!has_flag(f, j)) continue;
        present = true;
        float const product = Rule::product(a.values[std::size_t(k)], u[std::size_t(j)]);
        if (std::isnan(product) || (column >= 0 && !Rule::better(product, best))) continue;
        best = product;
        column = j;
    }
    return {Rule::result(best, column), present};
}

template <class Rule, class Executor>
void check_products(Executor const& exec, plain_csr<float> const& plain) {
    std::vector<float> u(std::size_t(plain.columns));
    for (std::size_t j = 0; j < u.size(); ++j) u[j] = float(j * 37 % 50);
    std::vector<std::int8_t> all(u.size(), 1), some(u.size()), mask_flags(std::size_t(plain.rows));
    for (std::size_t j = 0; j < u.size(); ++j) some[j] = has_flag(flags::some, std::int32_t(j));
    for (std::size_t i = 0; i < mask_flags.size(); ++i) mask_flags[i] = wanted(std::int64_t(i));
    auto const matrix = plain.on(exec);
    matrix_operand const a(exec, matrix);
    dense_vector<float> const mask(exec.copy(std::vector<float>(mask_flags.size(), 1)), exec.copy(mask_flags));
    for (flags const f : {flags::none, flags::all, flags::some}) {
        auto const x = f == flags::none ? dense_vector<float>(exec.copy(u))
                                        : dense_vector<float>(exec.copy(u), exec.copy(f == flags::all ? all : some));
        for (bool const masked : {false, true}) {
            CAPTURE(int(f));
            CAPTURE(masked);
            dense_vector<float> w(exec, plain.rows);
            auto const s = Rule::semiring();
            if (masked) // along the rows, too
                vxm(exec, w.view(), mask.view(), no_accumulator{}, s, x.view(), a, {.transpose1 = true});
            else
                mxv(exec, w.view(), no_mask{}, no_accumulator{}, s, a, x.view());
            auto const got = host_executor(1).copy(w);
            std::int64_t wrong = 0;
            for (std::int32_t i = 0; i < plain.rows; ++i) {
                auto expected = by_definition<Rule>(plain, u, f, i);
                expected.present = expected.present && (!masked || wanted(i));
                if (got.view().has(i) != expected.present) ++wrong;
                if (expected.present && !(got.values()[i] == expected.value)) ++wrong;
            }
            CHECK(wrong == 0);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE("min, max and arg-max ignore NaN wherever a row is cut", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    for (auto const& shape : hard_row_lengths(61)) {
        if (shape.name != "long rows at both ends" && shape.name != "power law" && shape.name != "stencil" &&
            shape.name != "rows of 2047" && shape.name != "past the short row limit")
            continue;
        CAPTURE(shape.name);
        auto plain = random_matrix<float>(shape.lengths, 5000, 62);
        auto const values = plain.values;
        for (auto const& places : every_place()) {
            CAPTURE(std::string(places.name));
            for (std::size_t k = 0; k < values.size(); ++k)
                plain.values[k] = places.holds(std::int64_t(k)) ? nan_value : std::round(64 * values[k]);
            check_products<with_min>(exec, plain);
            check_products<with_max>(exec, plain);
            check_products<with_arg_max>(exec, plain);
        }
    }
}

TEST_CASE_TEMPLATE("a NaN at one place of a row that is cut often", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    std::int32_t const n = 40000;
    std::vector<std::int32_t> columns(n);
    for (std::int32_t j = 0; j < n; ++j) columns[std::size_t(j)] = j;
    std::vector<float> values(n, 10);
    values[n - 1] = 1;
    csr<float> matrix(1, n, exec.copy(std::vector{0, n}), exec.copy(columns), exec.copy(values));
    matrix_operand const a(exec, matrix);
    dense_vector<float> const u(exec.copy(std::vector<float>(n, 0)), exec.copy(std::vector<std::int8_t>(n, 1)));
    dense_vector<float> w(exec, 1);
    std::vector<std::int32_t> places{0, 1, n - 2};
    for (std::int32_t cut = 64; cut < n; cut *= 2)
        for (std::int32_t const p : {cut - 1, cut, cut + 1}) places.push_back(p);
    for (std::int32_t const p : places) {
        CAPTURE(p);
        auto changed = values;
        changed[std::size_t(p)] = nan_value;
        exec.copy_elements(exec.copy(changed).data(), matrix.values().data(), n);
        mxv(exec, w.view(), no_mask{}, no_accumulator{}, min_plus<float>{}, a, u.view());
        CHECK(host_executor(1).copy(w).values()[0] == 1.0f);
    }
}
