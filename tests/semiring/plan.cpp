// SPDX-License-Identifier: BSD-3-Clause
// Plans of the host: what they refuse, and that no pattern leaves one stretch with much more work than another.
#include <doctest/doctest.h>

#include <limits>

#include "support/patterns.hpp"
#include <coppice/core/dots.hpp>
#include <coppice/semiring/spmv/mxv.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

std::string message_of(std::vector<std::int32_t> const& offsets, std::int64_t nonzeros) {
    try {
        make_srcsr_plan(host_executor{2}, array_view<std::int32_t const>{offsets.data(), std::int64_t(offsets.size())},
                        nonzeros);
    } catch (matrix_error const& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("a plan refuses offsets that fall or that do not fit the nonzeros") {
    CHECK(message_of({0, 2, 5}, 5) == "accepted");
    CHECK(message_of({0}, 0) == "accepted");
    CHECK(message_of({0, 2, 1, 5}, 5) == "row 1: offsets fall from 2 to 1");
    CHECK(message_of({0, 2, -3, 5}, 5) == "row 1: offsets fall from 2 to -3");
    CHECK(message_of({0, 9, 5}, 5) == "row 1: offsets fall from 9 to 5");
    CHECK(message_of({1, 2, 5}, 5) == "row offsets run from 1 to 5, expected 0 to 5");
    CHECK(message_of({0, 2, 5}, 6) == "row offsets run from 0 to 5, expected 0 to 6");
    std::vector<std::int32_t> many(40000, 3);
    many.front() = 0;
    many[30000] = 2;
    CHECK(message_of(many, 3) == "row 29999: offsets fall from 3 to 2");
}

TEST_CASE("stretches of a plan hold equal work whatever the pattern") {
    host_executor const exec(2);
    auto patterns = hard_row_lengths(81);
    patterns.push_back({"empty rows around one of a million", std::vector<std::int64_t>(2000000, 0)});
    patterns.back().lengths[1234567] = 1000000;
    for (auto const& shape : patterns) {
        CAPTURE(shape.name);
        std::vector<std::int64_t> offsets{0};
        for (std::int64_t const length : shape.lengths) offsets.push_back(offsets.back() + length);
        array_view<std::int64_t const> const view{offsets.data(), std::int64_t(offsets.size())};
        auto const plan = make_srcsr_plan(exec, view, offsets.back());
        for (std::int64_t s = 0; s < plan.blocks(); ++s) {
            auto const from = plan.block_starts[s], to = plan.block_starts[s + 1];
            std::int64_t const steps = to.row - from.row + to.nonzero - from.nonzero;
            REQUIRE(steps <= plan.work_per_block);
            if (s + 1 < plan.blocks()) REQUIRE(steps == plan.work_per_block);
        }
        if (plan.blocks() > 0) {
            CHECK(plan.block_starts[0].row + plan.block_starts[0].nonzero == 0);
            CHECK(plan.block_starts[plan.blocks()].row == plan.rows());
            CHECK(plan.block_starts[plan.blocks()].nonzero == plan.nonzeros);
        }
    }
}

TEST_CASE("spmv refuses a plan of another size and outputs that lie on its inputs") {
    host_executor const exec(1);
    auto plain = random_matrix<float>({2, 0, 3}, 3, 82);
    auto a = plain.on(exec);
    auto const plan = make_srcsr_plan(exec, a.view());
    auto const other = random_matrix<float>({2, 0, 4}, 3, 83).on(exec);
    std::vector<float> x(3), y(3);
    array_view<float> const xv{x.data(), 3}, yv{y.data(), 3};
    CHECK_THROWS_AS(spmv(exec, plan, other.view(), xv, yv), dimension_error);
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), xv, xv), argument_error);
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), xv, a.values().view().slice(2, 3)), argument_error);
    CHECK_THROWS_AS(semiring_spmv(exec, plan, min_plus<float>{}, a.view(), xv, a.values().view().slice(0, 3)),
                    argument_error);
    std::vector<double> wide(3);
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), array_view<float const>{reinterpret_cast<float*>(wide.data()) + 2, 3},
                         array_view<double>{wide.data(), 3}),
                    argument_error);
    spmv(exec, plan, a.view(), xv, yv);

    array_view<float> const null{nullptr, 3};
    CHECK_THROWS_WITH_AS(spmv(exec, plan, a.view(), null, yv), "length of x: a null pointer, expected 3 elements",
                         argument_error);
    CHECK_THROWS_AS(spmv(exec, plan, a.view(), xv, null), argument_error);
    CHECK_THROWS_AS(semiring_spmv(exec, plan, min_plus<float>{}, a.view(), null, yv), argument_error);
    CHECK_THROWS_AS(dot(exec, null, xv), argument_error);
    CHECK_THROWS_AS(dot(exec, xv, null), argument_error);
    auto without_values = a.view(), without_columns = a.view();
    without_values.coefficients = nullptr;
    without_columns.indices = nullptr;
    for (auto const& broken : {without_values, without_columns}) {
        CHECK_THROWS_AS(spmv(exec, plan, broken, xv, yv), argument_error);
        CHECK_THROWS_AS(matrix_operand(exec, broken), argument_error);
    }
    matrix_operand const operand(exec, a);
    dense_vector_view<float> const w{yv, {}}, no_vector{null, {}};
    CHECK_THROWS_AS(mxv(exec, w, no_mask{}, op::plus<float>{}, plus_times<float>{}, operand, no_vector),
                    argument_error);
    CHECK_THROWS_AS(mxv(exec, no_vector, no_mask{}, op::plus<float>{}, plus_times<float>{}, operand, w),
                    argument_error);
    // Nothing has no address.
    csr<float> const empty(0, 0, exec.copy(std::vector<int>{0}), buffer<int>(exec, 0), buffer<float>(exec, 0));
    auto const none = make_srcsr_plan(exec, empty.view());
    CHECK_NOTHROW(spmv(exec, none, empty.view(), array_view<float>{}, array_view<float>{}));
}
