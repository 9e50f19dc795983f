// SPDX-License-Identifier: BSD-3-Clause
// mxv and vxm against their definition, on every executor. tests/semiring/mxv_graphblas.cpp compares both with
// SuiteSparse:GraphBLAS.
#include <doctest/doctest.h>

#include <limits>

#include "semiring/mxv_problem.hpp"
#include "support/affine.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Config, class Executor>
void check_calls(Executor const& exec, mxv_shape const& shape, std::uint64_t seed, std::size_t step) {
    CAPTURE(shape.name);
    mxv_problem<Config> const p(shape.lengths, shape.columns, seed);
    auto const there = exec.copy(p.a);
    matrix_operand a(exec, there);
    a.prepare_transpose(exec);
    auto const calls = every_call();
    for (std::size_t k = seed % step; k < calls.size(); k += step) {
        CAPTURE(calls[k].text());
        CHECK(same_entries(by_coppice(exec, p, a, calls[k]), by_definition(p, calls[k])));
    }
}

using affine = affine_map<>;
using compose = compose_maps<>;
struct affine_of_positions {
    COPPICE_HD affine operator()(std::int32_t a, std::uint8_t u, std::int64_t k) const {
        return {static_cast<std::uint32_t>(a + 7), static_cast<std::uint32_t>(u + 3 * k)};
    }
};

template <class Config, class Executor>
void check_shapes(Executor const& exec) {
    std::uint64_t seed = 1;
    for (auto const& shape : small_mxv_shapes()) check_calls<Config>(exec, shape, seed++, 1);
    // Large shapes: every 61st call only. 61 is coprime to the number of calls, so that the calls of different shapes
    // differ and together cover all options.
    for (auto const& shape : large_mxv_shapes()) check_calls<Config>(exec, shape, seed++, 61);
}

} // namespace

TEST_CASE_TEMPLATE("mxv and vxm follow their definition: plus-minus over double", Where, COPPICE_TEST_EXECUTORS) {
    check_shapes<plus_minus_double>(Where::exec());
}
TEST_CASE_TEMPLATE("mxv and vxm follow their definition: xor-and over bool", Where, COPPICE_TEST_EXECUTORS) {
    check_shapes<xor_and_bool>(Where::exec());
}
TEST_CASE_TEMPLATE("mxv and vxm follow their definition: any-pair over int32", Where, COPPICE_TEST_EXECUTORS) {
    check_shapes<any_pair_int32>(Where::exec());
}
TEST_CASE_TEMPLATE("user-defined types and operators, in the order of the nonzeros", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    std::mt19937_64 random(9);
    for (auto const& shape : large_mxv_shapes()) {
        CAPTURE(shape.name);
        auto const plain = random_pattern<std::int32_t>(shape.lengths, shape.columns, random);
        auto const u = random_vector<std::uint8_t>(shape.columns, false, random);
        auto const mask = random_vector<bool>(plain.rows(), true, random);
        auto const there = exec.copy(plain);
        matrix_operand const a(exec, there);
        auto const u_there = exec.copy(u);
        auto const mask_there = exec.copy(mask);
        dense_vector<affine> w(exec, plain.rows());
        mxv(exec, w.view(), mask_there.view(), no_accumulator{}, semiring_of<compose, affine_of_positions>{}, a,
            u_there.view());
        auto const got = host_executor(1).copy(w);
        for (std::int32_t i = 0; i < plain.rows(); ++i) {
            entry<affine> sum{{1, 0}, false};
            for (auto k = plain.view().row_begin(i); mask.values()[i] && k < plain.view().row_end(i); ++k) {
                std::int32_t const j = plain.column_indices()[k];
                if (!u.view().has(j)) continue;
                sum = {compose{}(sum.value, affine_of_positions{}(plain.values()[k], u.values()[j], j)), true};
            }
            REQUIRE(got.view().has(i) == sum.present);
            if (sum.present) REQUIRE(got.values()[i] == sum.value);
        }
    }
}

TEST_CASE_TEMPLATE("w may be u and the mask", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    using config = plus_minus_double;
    for (std::int64_t const n : {1, 50, 5000}) {
        mxv_problem<config> p(std::vector<std::int64_t>(std::size_t(n), 7), std::int32_t(n), 5);
        auto const there = exec.copy(p.a);
        matrix_operand a(exec, there);
        a.prepare_transpose(exec);
        host_executor const host(1);
        for (auto* const v : {&p.bitmap_u[0], &p.bitmap_u[1], &p.bitmap_mask[0], &p.bitmap_mask[1]})
            *v = host.copy(p.w[0]);
        p.w[1] = host.copy(p.w[0]);
        for (mxv_call const& c : every_call()) {
            if (c.full_u || c.mask == mask_kind::full) continue;
            CAPTURE(c.text());
            auto w = exec.copy(p.w[0]);
            if (c.mask == mask_kind::none)
                call_product<config>(exec, c, a, w.view(), no_mask{}, w.view());
            else
                call_product<config>(exec, c, a, w.view(), w.view(), w.view());
            CHECK(same_entries(host.copy(w), by_definition(p, c)));
        }
    }
}

TEST_CASE_TEMPLATE("a full w keeps all its entries under an accumulator", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    mxv_problem<plus_minus_double> p(small_mxv_shapes().front().lengths, small_mxv_shapes().front().columns, 6);
    auto const there = exec.copy(p.a);
    matrix_operand a(exec, there);
    auto const u = exec.copy(p.bitmap_u[1]);
    auto const mask = exec.copy(p.bitmap_mask[0]);
    mxv_call c;
    c.accumulate = accumulation::plus;
    for (auto const kind : {mask_kind::none, mask_kind::bitmap}) {
        c.mask = kind;
        auto w = dense_vector<double>(exec.copy(p.w[0].values()));
        if (kind == mask_kind::none)
            call_product<plus_minus_double>(exec, c, a, w.view(), no_mask{}, u.view());
        else
            call_product<plus_minus_double>(exec, c, a, w.view(), mask.view(), u.view());
        host_executor const host(1);
        for (auto& flag : p.w[0].present()) flag = 1;
        auto const expected = by_definition(p, c);
        CHECK(w.is_full());
        CHECK(same_entries(host.copy(w), expected));
    }
}

TEST_CASE_TEMPLATE("a symmetric matrix is its own transpose, with one plan", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    std::int32_t const n = 200;
    host_executor const host(1);
    // A path graph: i is adjacent to i - 1 and i + 1.
    std::vector<std::int32_t> offsets{0}, columns;
    for (std::int32_t i = 0; i < n; ++i) {
        if (i > 0) columns.push_back(i - 1);
        if (i + 1 < n) columns.push_back(i + 1);
        offsets.push_back(std::int32_t(columns.size()));
    }
    csr<double> const path(n, n, exec.copy(offsets), exec.copy(columns),
                           exec.copy(std::vector<double>(columns.size(), 1.0)));
    matrix_operand const a(exec, path, path);
    // Distances from vertex 0 by n rounds of d = min(d, d min.+ A), in place.
    dense_vector<double> start(host, n);
    start.values()[0] = 0;
    start.present()[0] = 1;
    auto d = exec.copy(start);
    for (int round = 0; round < 5; ++round)
        vxm(exec, d.view(), no_mask{}, op::min<double>{}, min_plus<double>{}, d.view(), a);
    auto const after = host.copy(d);
    for (std::int64_t i = 0; i < n; ++i) {
        REQUIRE(after.view().has(i) == (i <= 5));
        if (i <= 5) REQUIRE(after.values()[i] == double(i));
    }
    CHECK(entry_count(exec, dense_vector_view<double const>(d.view())) == 6);
}

TEST_CASE_TEMPLATE("prepare_transpose() updates the values of a computed transpose", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    csr<double> matrix(2, 2, exec.copy(std::vector{0, 1, 2}), exec.copy(std::vector{1, 1}),
                       exec.copy(std::vector{2.0, 3.0}));
    matrix_operand a(exec, matrix);
    CHECK_FALSE(a.has_transpose());
    a.prepare_transpose(exec);
    dense_vector<double> const ones(exec.copy(std::vector{1.0, 1.0}));
    dense_vector<double> w(exec, 2);
    auto const product = [&] {
        vxm(exec, w.view(), no_mask{}, no_accumulator{}, plus_times<double>{}, ones.view(), a);
        auto const host_w = host_executor(1).copy(w);
        CHECK_FALSE(host_w.view().has(0));
        CHECK(host_w.view().has(1));
        return host_w.values()[1];
    };
    CHECK(product() == 5.0);
    auto const changed = exec.copy(std::vector{20.0, 30.0});
    exec.copy_elements(changed.data(), matrix.values().data(), 2);
    a.prepare_transpose(exec);
    CHECK(product() == 50.0);
}

TEST_CASE_TEMPLATE("mxv and vxm reject invalid arguments and write nothing", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    mxv_problem<plus_times_float> const p({2, 0, 3, 1}, 6, 7); // 4 x 6
    auto const there = exec.copy(p.a);
    matrix_operand a(exec, there);
    auto const u = exec.copy(p.bitmap_u[1]), u_rows = exec.copy(p.bitmap_u[0]);
    auto const mask = exec.copy(p.bitmap_mask[0]), wrong_mask = exec.copy(p.bitmap_mask[1]);
    auto w = exec.copy(p.w[0]);
    auto const s = plus_times<float>{};
    auto const none = no_accumulator{};
    auto const unchanged = [&] { return same_entries(host_executor(1).copy(w), p.w[0]); };

    CHECK_THROWS_WITH_AS(mxv(exec, w.view(), wrong_mask.view(), none, s, a, u.view()),
                         doctest::Contains("length of the mask: got 6, expected 4"), dimension_error);
    CHECK_THROWS_WITH_AS(mxv(exec, w.view(), no_mask{}, none, s, a, u_rows.view()),
                         doctest::Contains("length of u: got 4, expected 6"), dimension_error);
    auto wrong_w = exec.copy(p.w[1]);
    CHECK_THROWS_WITH_AS(mxv(exec, wrong_w.view(), no_mask{}, none, s, a, u.view()),
                         doctest::Contains("length of w: got 6, expected 4"), dimension_error);
    dense_vector_view<float const> const short_flags{u.view().values, u.view().present.slice(0, 5)};
    CHECK_THROWS_AS(mxv(exec, w.view(), no_mask{}, none, s, a, short_flags), dimension_error);

    // Products with a transpose that was not prepared.
    CHECK_THROWS_WITH_AS(vxm(exec, wrong_w.view(), no_mask{}, none, s, u_rows.view(), a),
                         doctest::Contains("prepare_transpose"), argument_error);
    CHECK_THROWS_AS(mxv(exec, wrong_w.view(), no_mask{}, none, s, a, u_rows.view(), {.transpose0 = true}),
                    argument_error);
    CHECK_NOTHROW(vxm(exec, w.view(), no_mask{}, none, s, u.view(), a, {.transpose1 = true}));
    w = exec.copy(p.w[0]);

    // A vector without presence flags cannot represent a missing entry: operations that could delete one are errors.
    auto full_w = dense_vector<float>(exec.copy(p.w[0].values()));
    CHECK_THROWS_WITH_AS(mxv(exec, full_w.view(), no_mask{}, none, s, a, u.view()),
                         doctest::Contains("w is a full vector"), argument_error);
    CHECK_THROWS_AS(mxv(exec, full_w.view(), mask.view(), op::plus<float>{}, s, a, u.view(), {.replace = true}),
                    argument_error);
    CHECK_THROWS_AS(
        mxv(exec, full_w.view(), no_mask{}, op::plus<float>{}, s, a, u.view(), {.replace = true, .complement = true}),
        argument_error);

    // w shares memory with the matrix.
    csr<float> matrix = exec.copy(p.a);
    matrix_operand const b(exec, matrix);
    dense_vector_view<float> const inside{matrix.values().view().slice(0, 4), w.view().present};
    CHECK_THROWS_AS(mxv(exec, inside, no_mask{}, none, s, b, u.view()), argument_error);

    auto const other = exec.copy(p.a);
    CHECK_THROWS_AS(matrix_operand(exec, there, other), dimension_error); // 4 x 6 is not the shape of its transpose
    CHECK_THROWS_AS(dense_vector<float>(buffer<float>(exec, 3), buffer<std::int8_t>(exec, 2)), dimension_error);
    CHECK(unchanged());
}

TEST_CASE_TEMPLATE("matrices without rows or columns", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    csr<float> const no_rows(0, 5, exec.copy(std::vector{0}), {}, {});
    csr<float> const no_columns(5, 0, exec.copy(std::vector<std::int32_t>(6, 0)), {}, {});
    matrix_operand a(exec, no_rows), b(exec, no_columns);
    a.prepare_transpose(exec);
    b.prepare_transpose(exec);
    dense_vector<float> const nothing;
    dense_vector<float> none(exec, 0), w(exec, 5);
    fill(exec, w.present().view(), std::int8_t{1});
    auto const s = plus_times<float>{};
    mxv(exec, none.view(), no_mask{}, no_accumulator{}, s, a, dense_vector_view<float const>(w.view()));
    mxv(exec, w.view(), no_mask{}, no_accumulator{}, s, b, nothing.view());
    CHECK(entry_count(exec, w.view()) == 0);
    fill(exec, w.present().view(), std::int8_t{1});
    vxm(exec, w.view(), no_mask{}, no_accumulator{}, s, nothing.view(), a);
    CHECK(entry_count(exec, w.view()) == 0);
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("a guarded adder is a monoid: every grouping gives the same result") {
    using detail::entry_state;
    using value = detail::guarded<int>;
    auto const add = detail::guarded_adder<add_plus<int>>{};
    std::vector<value> all;
    for (auto const state : {entry_state::none, entry_state::present, entry_state::masked_out})
        for (int v : {0, 3}) all.push_back({state == entry_state::none ? 0 : v, state});
    auto const same = [](value a, value b) {
        return a.state == b.state && (a.state != entry_state::present || a.value == b.value);
    };
    for (value a : all) {
        CHECK(same(add(add.identity(), a), a));
        CHECK(same(add(a, add.identity()), a));
        for (value b : all) {
            if (add.terminal(a)) CHECK(same(add(a, b), a));
            for (value c : all) CHECK(same(add(add(a, b), c), add(a, add(b, c))));
        }
    }
}

TEST_CASE("guarded minima of products with NaN: every grouping gives the same result") {
    using detail::entry_state;
    using value = detail::guarded<float>;
    auto const add = detail::guarded_adder<add_min<float>>{};
    float const nan = std::numeric_limits<float>::quiet_NaN();
    value const products[] = {{0, entry_state::none}, {nan, entry_state::present}, {2, entry_state::present}};
    auto const partial = [&](value const& product) { return detail::accumulate(add, add.identity(), product); };
    for (value const& a : products)
        for (value const& b : products)
            for (value const& c : products) {
                value const in_order = detail::accumulate(add, detail::accumulate(add, partial(a), b), c);
                for (value const& grouped :
                     {add(add(partial(a), partial(b)), partial(c)), add(partial(a), add(partial(b), partial(c)))})
                    CHECK((grouped.state == in_order.state && grouped.value == in_order.value));
            }
}

TEST_CASE_TEMPLATE("a mask without values counts by its structure", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    mxv_problem<plus_times_float> const p({2, 0, 3, 1}, 6, 7);
    auto const there = exec.copy(p.a);
    matrix_operand const a(exec, there);
    auto const u = exec.copy(p.bitmap_u[1]);
    auto const mask = exec.copy(p.bitmap_mask[0]);
    auto const product = [&](auto const& m, descriptor const& d) {
        auto w = exec.copy(p.w[0]);
        mxv(exec, w.view(), m, no_accumulator{}, plus_times<float>{}, a, u.view(), d);
        return host_executor(1).copy(w);
    };
    using mask_type = typename std::remove_cvref_t<decltype(mask)>::value_type;
    dense_vector_view<mask_type const> const no_values{{nullptr, mask.size()}, mask.view().present};
    for (bool const complement : {false, true}) {
        auto const expected = product(mask.view(), {.structure = true, .complement = complement});
        CHECK(same_entries(product(no_values, {.complement = complement}), expected));
        CHECK(same_entries(product(no_values, {.structure = true, .complement = complement}), expected));
    }
    dense_vector_view<mask_type const> const nothing{{nullptr, mask.size()}, {}};
    CHECK_THROWS_WITH_AS(product(nothing, {}), doctest::Contains("neither values nor presence flags"), argument_error);
    CHECK_THROWS_AS(product(dense_vector_view<mask_type const>{{nullptr, 4}, mask.view().present.slice(0, 3)}, {}),
                    dimension_error);
}

TEST_CASE("masked products and skipped rows give the same entries") {
    host_executor const exec(2);
    for (auto const& shapes : {small_mxv_shapes(), large_mxv_shapes()})
        for (auto const& shape : shapes) {
            CAPTURE(shape.name);
            mxv_problem<plus_minus_double> const p(shape.lengths, shape.columns, 8);
            matrix_operand const a(exec, p.a);
            for (bool const complement : {false, true})
                for (bool const full_u : {false, true}) {
                    mxv_call c;
                    c.full_u = full_u;
                    c.mask = mask_kind::bitmap;
                    c.desc.complement = complement;
                    auto w = exec.copy(p.w[0]);
                    auto const mask = p.mask(c).view();
                    detail::mask_reader<double> const reader{mask.values.data(), mask.present.data(), complement};
                    detail::entry_writer<double, no_accumulator> const write{w.values().data(), w.present().data(), {}};
                    detail::multiply_rows<false, true>(exec, a.along(false), reader, plus_minus_double::semiring(),
                                                       p.u(c).view(), write);
                    CHECK(same_entries(w, by_definition(p, c)));
                }
        }
}

TEST_CASE("64-bit indices and offsets") {
    host_executor const exec(2);
    csr<double, std::int64_t, std::int64_t> const matrix(2, 3, exec.copy(std::vector<std::int64_t>{0, 2, 2}),
                                                         exec.copy(std::vector<std::int64_t>{0, 2}),
                                                         exec.copy(std::vector{2.0, 5.0}));
    matrix_operand a(exec, matrix);
    dense_vector<double> w(exec, 2);
    dense_vector<double> const u(exec.copy(std::vector{1.0, 10.0, 100.0}));
    mxv(exec, w.view(), no_mask{}, no_accumulator{}, plus_times<double>{}, a, u.view());
    CHECK(w.values()[0] == 502.0);
    CHECK(w.present()[0] == 1);
    CHECK(w.present()[1] == 0);
}
#endif
