// SPDX-License-Identifier: BSD-3-Clause
// Plans of sparse products: order of sums, ranges of rows, new values, three matrices, errors; and the lane kernels of
// CUDA.
#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "sparse/sparse_problem.hpp"
#include "support/affine.hpp"
#include "support/same_bits.hpp"
#include "support/sanitized.hpp"
#include "support/warps.hpp"
#include <coppice/algebra/convert.hpp>
#include <coppice/algebra/generate/generators.hpp>
#include <coppice/semiring/spmv/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using affine = affine_map<>;
struct pair_to_affine {
    COPPICE_HD affine operator()(std::int32_t x, std::int32_t y, std::int64_t k) const {
        return {std::uint32_t(2 * x + 3 + k), std::uint32_t(5 * y + 1)};
    }
};
using affine_semiring = semiring_of<compose_maps<>, pair_to_affine>;

struct shape {
    std::int32_t rows, inner, columns;
    double a_density, b_density;
};
// Rows with few products, with many in few columns, with many in distant columns; empty matrices.
std::vector<shape> shapes() {
    return {{61, 47, 53, 0.1, 0.1},
            {40, 700, 900, 0.2, 0.2},
            {700, 60, 20000, 0.004, 0.004},
            {20, 6, 200000, 0.6, 0.0002},
            {20, 2, 200000, 1, 0.0002},
            {6, 40, 200000, 0.5, 0.001},
            {40, 60, 3000, 0.5, 0.004},
            {200, 200, 200, 0.02, 0.02},
            {30, 400, 50, 0.2, 0.004},
            {3, 4, 60000, 1, 0.5},
            {12, 6, 50000, 0.6, 0.01},
            {5, 0, 7, 0, 0},
            {0, 4, 3, 0, 0},
            {6, 3, 0, 0, 0}};
}

/// The entries of C that a mask admits.
template <class T, class M>
plain_matrix<T> inside(plain_matrix<T> const& c, plain_matrix<M> const& mask, descriptor const& d) {
    plain_matrix<T> masked{c.rows, c.columns};
    for (std::size_t i = 0; i < std::size_t(c.rows); ++i) {
        std::map<std::int32_t, bool> named;
        for (auto m = std::size_t(mask.offsets[i]); m < std::size_t(mask.offsets[i + 1]); ++m)
            named[mask.indices[m]] = d.structure || mask.values[m] != 0;
        for (auto k = std::size_t(c.offsets[i]); k < std::size_t(c.offsets[i + 1]); ++k) {
            auto const at = named.find(c.indices[k]);
            if ((at != named.end() && at->second) == d.complement) continue;
            masked.indices.push_back(c.indices[k]);
            masked.values.push_back(c.values[k]);
        }
        masked.offsets.push_back(static_cast<std::int32_t>(masked.indices.size()));
    }
    return masked;
}

} // namespace

TEST_CASE_TEMPLATE("products fold in the order of the row of A", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::uint64_t seed = 1;
    for (auto const [rows, inner, columns, a_density, b_density] : shapes()) {
        auto const a = random_sparse<std::int32_t>(rows, inner, a_density, seed++);
        auto const b = random_sparse<std::int32_t>(inner, columns, b_density, seed++);
        auto const da = a.on(exec), db = b.on(exec);
        CHECK(plain(exec, mxm(exec, affine_semiring{}, da.view(), db.view())) ==
              by_definition(affine_semiring{}, a, b));
    }
}

TEST_CASE_TEMPLATE("a masked product has the selected entries, in the order of the row of A", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::uint64_t seed = 50;
    // Rows of B that are short, long, and long enough for bitmaps; masks with more entries than these rows, fewer, very
    // few, none.
    for (double const b_density : {0.02, 0.15, 0.5}) {
        auto const a = random_sparse<std::int32_t>(80, 60, 0.2, seed++);
        auto const b = random_sparse<std::int32_t>(60, 300, b_density, seed++);
        auto const da = a.on(exec), db = b.on(exec);
        auto const product = by_definition(affine_semiring{}, a, b);
        for (double const density : {0.9, 0.1, 0.005, 0.0}) {
            auto const m = random_sparse<float>(80, 300, density, seed++);
            auto const dm = m.on(exec);
            for (int kind = 0; kind < 4; ++kind) {
                CAPTURE(b_density);
                CAPTURE(density);
                CAPTURE(kind);
                descriptor d;
                d.structure = kind % 2 == 1;
                d.complement = kind / 2 == 1;
                CHECK(plain(exec, masked_mxm(exec, affine_semiring{}, da.view(), db.view(), dm.view(), d)) ==
                      inside(product, m, d));
            }
        }
    }
    auto const square = random_sparse<std::int32_t>(70, 70, 0.1, seed).on(exec);
    CHECK_THROWS_AS(masked_mxm(exec, affine_semiring{}, square.view(), square.view(),
                               view_of(random_sparse<float>(70, 71, 0.1, seed).on(exec))),
                    dimension_error);
    // The arrays of A, interpreted as a mask with fewer columns, exceed its bounds.
    csr_view<std::int32_t> const narrow{
        70, 7, square.nonzeros(), square.row_offsets().data(), square.column_indices().data(), square.values().data()};
    auto const thin = random_sparse<std::int32_t>(70, 7, 0.5, seed).on(exec);
    CHECK_THROWS_AS(masked_mxm(exec, affine_semiring{}, square.view(), thin.view(), narrow), matrix_error);
}

#if !defined(COPPICE_TEST_CUDA)
namespace {

/// A value that cannot be compared with 0.
struct label {
    int number;
};
struct add_labels {
    label operator()(label const& a, label const& b) const { return {a.number + b.number}; }
};

} // namespace

TEST_CASE("a matrix or vector of any type is a mask by its structure") {
    host_executor const exec(2);
    descriptor const structure{.structure = true}, complement{.structure = true, .complement = true};
    auto const pattern = random_sparse<double>(30, 30, 0.2, 5).on(exec);
    auto const numbers = random_sparse<double>(30, 30, 0.3, 6).on(exec);
    auto const to_label = [](double x) { return label{int(100 * x)}; };
    auto const labels = apply(exec, to_label, pattern.view());
    auto const read = [&](csr<label> const& a) {
        return plain(exec, apply(
                               exec, [](label l) { return l.number; }, a.view()));
    };
    plus_times<double> const s;
    for (descriptor const& d : {structure, complement}) {
        auto const expected = masked_mxm(exec, s, numbers.view(), numbers.view(), pattern.view(), d);
        auto const got = masked_mxm(exec, s, numbers.view(), numbers.view(), labels.view(), d);
        CHECK(plain(exec, got) == plain(exec, expected));
        auto updated = exec.copy(numbers), expected_update = exec.copy(numbers);
        update(exec, updated, labels, op::plus<double>{}, numbers, d);
        update(exec, expected_update, pattern, op::plus<double>{}, numbers, d);
        CHECK(plain(exec, updated) == plain(exec, expected_update));
    }
    auto own = exec.copy(labels); // output, input and mask
    update(exec, own, own, add_labels{}, own, structure);
    CHECK(read(own) == plain(exec, apply(
                                       exec, [](double x) { return 2 * int(100 * x); }, pattern.view())));
    auto const before = read(own);
    CHECK_THROWS_AS(update(exec, own, own, add_labels{}, own), argument_error); // would read the values
    CHECK(read(own) == before);

    auto const without_values =
        csr_view<double>(pattern.rows(), pattern.columns(), pattern.nonzeros(), pattern.row_offsets().data(),
                         pattern.column_indices().data(), nullptr);
    for (bool const complemented : {false, true}) {
        auto const expected = masked_mxm(exec, s, numbers.view(), numbers.view(), pattern.view(),
                                         {.structure = true, .complement = complemented});
        auto const got =
            masked_mxm(exec, s, numbers.view(), numbers.view(), without_values, {.complement = complemented});
        CHECK(plain(exec, got) == plain(exec, expected));
        auto updated = exec.copy(numbers), expected_update = exec.copy(numbers);
        update(exec, updated, without_values, op::plus<double>{}, numbers, {.complement = complemented});
        update(exec, expected_update, pattern, op::plus<double>{}, numbers,
               {.structure = true, .complement = complemented});
        CHECK(plain(exec, updated) == plain(exec, expected_update));
    }

    // vectors, as a list, as a bitmap and in dense storage
    matrix_operand const operand(exec, numbers);
    sparse_vector<double> const ones(exec, 30, exec.copy(std::vector{3, 7, 8}), exec.copy(std::vector{1.0, 1.0, 1.0}));
    for (bool const bitmap : {false, true}) {
        sparse_vector<double> chosen(exec, 30, exec.copy(std::vector{4}), exec.copy(std::vector{1.0}));
        if (bitmap) chosen.make_bitmap(exec);
        auto const named = apply(exec, to_label, chosen);
        for (descriptor const& d : {structure, complement}) {
            sparse_vector<double> got(exec, 30), expected(exec, 30);
            mxv(exec, got, named, no_accumulator{}, s, operand, ones, d);
            mxv(exec, expected, chosen, no_accumulator{}, s, operand, ones, d);
            CHECK(got.entries() == expected.entries());
            assign_scalar(exec, got, named, no_accumulator{}, 5.0, d);
            assign_scalar(exec, expected, chosen, no_accumulator{}, 5.0, d);
            CHECK(reduce_to_scalar(exec, add_plus<double>{}, got) ==
                  reduce_to_scalar(exec, add_plus<double>{}, expected));
        }
    }
    dense_vector<label> const flags(exec, 30);
    dense_vector<double> const x(exec, 30);
    dense_vector<double> y(exec, 30);
    mxv(exec, y.view(), flags.view(), no_accumulator{}, s, operand, x.view(), structure);
    CHECK(entry_count(exec, y.view()) == 0);
    CHECK_THROWS_AS(mxv(exec, y.view(), flags.view(), no_accumulator{}, s, operand, x.view()), argument_error);
}
#endif

TEST_CASE_TEMPLATE("a plan works for ranges of rows and new values", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto a = random_sparse<double>(300, 200, 0.05, 3), b = random_sparse<double>(200, 150, 0.05, 4);
    auto const db = b.on(exec);
    auto const da = a.on(exec);
    auto const plan = make_product_plan(exec, da.view(), db.view(), row_range{37, 211});
    for (double& v : a.values) v = 2 * v + 1;
    auto const again = a.on(exec);
    auto const whole = by_definition(plus_times<double>{}, a, b);
    auto const range_product = plain(exec, mxm(exec, plan, plus_times<double>{}, again.view(), db.view()));
    CHECK(range_product.rows == 211 - 37);
    CHECK(
        std::equal(range_product.values.begin(), range_product.values.end(), whole.values.begin() + whole.offsets[37]));
    CHECK(std::equal(range_product.indices.begin(), range_product.indices.end(),
                     whole.indices.begin() + whole.offsets[37]));
    CHECK(std::int32_t(range_product.indices.size()) == whole.offsets[211] - whole.offsets[37]);
}

TEST_CASE_TEMPLATE("the triple product is refreshed by its plan", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const r = random_sparse<double>(40, 120, 0.05, 5), p = random_sparse<double>(120, 45, 0.05, 6);
    auto a = random_sparse<double>(120, 120, 0.05, 7);
    auto const dr = r.on(exec), dp = p.on(exec);
    auto const old = a.on(exec);
    auto const s = plus_times<double>{};
    auto const plan = make_triple_product_plan(exec, dr.view(), old.view(), dp.view());
    auto const with_values = coppice::detail::plan_and_multiply(exec, s, dr.view(), old.view(), dp.view());
    auto const first = by_definition(s, r, by_definition(s, a, p));
    CHECK(to_vector(exec, with_values.values) == first.values);
    for (double& v : a.values) v += 3;
    auto const da = a.on(exec);
    auto const again = by_definition(s, r, by_definition(s, a, p));
    CHECK(plain(exec, triple_product(exec, plan, s, dr.view(), da.view(), dp.view())) == again);
    CHECK(plain(exec, triple_product(exec, with_values.plan, s, dr.view(), da.view(), dp.view())) == again);
}

TEST_CASE_TEMPLATE("a plan computed with values is bitwise equal to one without", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [rows, inner, columns, density] :
         {std::tuple{0, 5, 7, 0.5}, {50, 40, 1, 0.3}, {700, 300, 5000, 0.05}, {300, 400, 90, 0.4}, {60, 50, 40, 0.0}}) {
        auto const& case_rows = rows;
        CAPTURE(case_rows);
        auto const a = random_sparse<double>(rows, inner, density, 21).on(exec);
        auto const b = random_sparse<double>(inner, columns, density, 22).on(exec);
        auto const made = coppice::detail::plan_and_multiply(exec, plus_times<double>{}, a.view(), b.view());
        auto const plan = make_product_plan(exec, a.view(), b.view());
        CHECK(to_vector(exec, made.plan.offsets) == to_vector(exec, plan.offsets));
        CHECK(to_vector(exec, made.plan.indices) == to_vector(exec, plan.indices));
        auto const product = mxm(exec, plan, plus_times<double>{}, a.view(), b.view());
        CHECK(to_vector(exec, made.values) == plain(exec, product).values);
    }
}

TEST_CASE_TEMPLATE("operands with prepared transposes are used for transposed products", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_sparse<double>(30, 20, 0.2, 1).on(exec), b = random_sparse<double>(20, 30, 0.2, 2).on(exec);
    auto const c = random_sparse<double>(20, 20, 0.2, 3).on(exec);
    matrix_operand left(exec, a), right(exec, b);
    left.prepare_transpose(exec);
    right.prepare_transpose(exec);
    plus_times<double> const s;
    descriptor const both{.replace = true, .transpose0 = true, .transpose1 = true};
    auto expected = exec.copy(c), got = exec.copy(c), mixed = exec.copy(c);
    mxm(exec, expected, c, op::plus<double>{}, s, a.view(), b.view(), both);
    mxm(exec, got, c, op::plus<double>{}, s, left, right, both);
    mxm(exec, mixed, c, op::plus<double>{}, s, left, b.view(), both);
    CHECK(plain(exec, got) == plain(exec, expected));
    CHECK(plain(exec, mixed) == plain(exec, expected));
    matrix_operand const bare(exec, a);
    CHECK_THROWS_AS(mxm(exec, got, c, op::plus<double>{}, s, bare, right, both), argument_error);
    CHECK(plain(exec, got) == plain(exec, expected));
}

#if !defined(COPPICE_TEST_CUDA)
namespace {
/// Computes A B by the kernels of CUDA, on the host, and compares the bits with those of the host's product.
template <class Mask>
void check_lane_kernels(host_executor const& exec, csr_view<double> a, csr_view<double> b, Mask const& mask,
                        bool masked, coppice::detail::product_schedule const& schedule) {
    plus_times<double> const s;
    row_range const rows{0, a.rows()};
    auto const expected = coppice::detail::plan_product(exec, a, b, mask, masked, rows);
    auto plan = coppice::detail::blank_plan(a, b, rows);
    plan.masked = masked;
    coppice::detail::find_structure_by_lanes(exec, a, b, mask, plan, schedule);
    REQUIRE(to_vector(exec, plan.offsets) == to_vector(exec, expected.offsets));
    REQUIRE(to_vector(exec, plan.indices) == to_vector(exec, expected.indices));
    buffer<double> x(exec, plan.nonzeros()), y(exec, plan.nonzeros());
    fill(exec, x.view(), std::numeric_limits<double>::quiet_NaN()); // an entry that no kernel writes
    coppice::detail::sum_products_by_lanes(exec, plan, s, a, b, x.view(), schedule);
    product_values(exec, expected, s, a, b, y.view());
    CHECK(to_vector(exec, x) == to_vector(exec, y));
}
} // namespace

TEST_CASE("the lane kernels of CUDA compute rows that are far longer than those next to them") {
    host_executor const exec(2);
    // A row of A has up to 4 entries. Rows of B have one entry, but every `distance`-th one has `length` entries.
    std::int32_t const rows = 200, columns = 700;
    for (std::int32_t const distance : {7, 31, 64})
        for (std::int32_t const length : {70, 150, 400}) {
            plain_matrix<double> a{rows, rows, {0}, {}, {}}, b{rows, columns, {0}, {}, {}};
            for (std::int32_t i = 0; i < rows; ++i) {
                for (std::int32_t k = i; k < std::min(rows, i + 1 + i % 4); ++k) {
                    a.indices.push_back(k);
                    a.values.push_back(1 / (i + 3.0));
                }
                a.offsets.push_back(std::int32_t(a.indices.size()));
                for (std::int32_t j = 0; j < (i % distance == 3 ? length : 1); ++j) {
                    b.indices.push_back(i + j);
                    b.values.push_back(1 / (j + 7.0));
                }
                b.offsets.push_back(std::int32_t(b.indices.size()));
            }
            CAPTURE(distance);
            CAPTURE(length);
            auto const da = a.on(exec), db = b.on(exec);
            for (int const merged_each : {32, 20, 3})
                for (int const shared_each : {32, 4, 1})
                    for (int const slots : {coppice::detail::small_merge, coppice::detail::medium_merge})
                        check_lane_kernels(exec, da.view(), db.view(), coppice::detail::constant_mask{}, false,
                                           {slots, slots, 1000, merged_each, shared_each});
        }
}

TEST_CASE("the lane kernels of CUDA are bitwise equal to the host") {
    host_executor const exec(2);
    std::uint64_t seed = 50;
    auto all = ends_for_races(shapes());
    all.insert(all.end(), {{300, 60, 50, 0.05, 0.1}, {300, 60, 500, 0.2, 0.04}, {300, 200, 40, 0.08, 0.2}});
    for (auto const [all_rows, inner, columns, a_density, b_density] : all) {
        if (sanitized && columns >= 50000) continue; // takes most of the time; 20000 columns run the same code
        // Rows are alike: with sanitizers two warps of them, or four long rows, are enough.
        double const each = a_density * inner * b_density * columns; // products per row
        int const enough = each > 10000 ? 4 : 33;
        std::int32_t const rows = sanitized ? std::min(all_rows, enough) : all_rows;
        auto a = random_sparse<double>(rows, inner, a_density, seed++),
             b = random_sparse<double>(inner, columns, b_density, seed++);
        for (double& v : a.values) v = 1 / (v + 3); // sums depend on the order
        for (double& v : b.values) v = 1 / (v + 7);
        auto const m = random_sparse<float>(rows, columns, b_density, seed++);
        auto const da = a.on(exec), db = b.on(exec);
        auto const dm = m.on(exec);
        plus_times<double> const s;
        auto const check = [&](auto const& mask, bool masked, coppice::detail::product_schedule const& schedule) {
            check_lane_kernels(exec, da.view(), db.view(), mask, masked, schedule);
        };
        // A warp takes one row if there are so few rows; with 32 rows per warp, short and long rows are adjacent.
        using coppice::detail::small_merge, coppice::detail::medium_merge, coppice::detail::large_merge;
        auto const usual = coppice::detail::schedule_of(da.view(), db.view());
        auto by_rows = usual;
        by_rows.per_entry = false;
        coppice::detail::product_schedule const schedules[] = {by_rows,
                                                               {small_merge, small_merge, 1000, 32, 32},
                                                               {medium_merge, medium_merge, 1000, 32, 4},
                                                               {large_merge, 0, 1000, 3, 1},
                                                               {0, 0, 0, 1, 32},
                                                               {0, 0, 0, 1, 32, true}};
        for (auto const& schedule : schedules) {
            // Products of many columns are computed in windows, which is slow: these cases run with the first schedule
            // only.
            if (columns > (sanitized ? 10000 : 20000) && &schedule != schedules) continue;
            CAPTURE(schedule.slots);
            CAPTURE(schedule.merged_each);
            check(coppice::detail::constant_mask{}, false, schedule);
            auto const whole = coppice::detail::product_by_lanes<double>(
                exec, coppice::detail::blank_plan(da.view(), db.view(), {0, rows}), s, da.view(), db.view(), schedule);
            CHECK(plain(exec, whole) == plain(exec, mxm(exec, s, da.view(), db.view())));
            if (schedule.merged_each == 3 || (races_watched && schedule.merged_each == 32))
                continue; // no other code path
            check(coppice::detail::mask_of(dm.view(), {}), true, schedule);
            if (!races_watched) check(coppice::detail::mask_of(dm.view(), {.complement = true}), true, schedule);
        }
    }
}
#endif

TEST_CASE_TEMPLATE("invalid input of products is rejected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_sparse<double>(20, 30, 0.2, 1).on(exec), b = random_sparse<double>(31, 10, 0.2, 2).on(exec);
    plus_times<double> const s;
    CHECK_THROWS_AS(mxm(exec, s, a.view(), b.view()), dimension_error);
    auto const good = random_sparse<double>(30, 10, 0.2, 2).on(exec);
    CHECK_THROWS_AS(make_product_plan(exec, a.view(), good.view(), row_range{3, 21}), argument_error);
    auto const plan = make_product_plan(exec, a.view(), good.view());
    CHECK_THROWS_AS(mxm(exec, plan, s, good.view(), a.view()), dimension_error);
    auto const narrow = random_sparse<float>(20, 9, 0.2, 2).on(exec);
    CHECK_THROWS_AS(make_masked_product_plan(exec, a.view(), good.view(), narrow.view()), dimension_error);
    plain_matrix<double> twice{1, 3, {0, 2}, {1, 1}, {1, 1}}, falls{1, 3, {0, 2}, {2, 1}, {1, 1}},
        outside{1, 3, {0, 1}, {3}, {1}};
    auto const column = plain_matrix<double>{3, 1, {0, 1, 1, 1}, {0}, {1}}.on(exec);
    for (auto const& broken : {twice, falls, outside}) {
        auto const x = broken.on(exec);
        CHECK_THROWS_AS(mxm(exec, s, x.view(), column.view()), matrix_error);
    }
    auto c = random_sparse<double>(20, 10, 0.2, 9).on(exec);
    auto const before = plain(exec, c);
    CHECK_THROWS_AS(mxm(exec, c, narrow.view(), no_accumulator{}, s, a.view(), good.view()), dimension_error);
    CHECK(plain(exec, c) == before);
}

TEST_CASE("products have the same bits for any number of threads") {
    host_executor const one(1);
    auto const grid = laplace2d<double>(one, 220, 190); // columns of a piece of rows are close
    auto const wide = rmat<double>(one, {.scale = 11}); // and here they are not
    for (auto const* a : {&grid, &wide}) {
        auto const expected = mxm(one, plus_times<double>{}, a->view(), a->view());
        for (int const threads : {2, 5, 8})
            CHECK(same_bits(mxm(host_executor(threads), plus_times<double>{}, a->view(), a->view()), expected));
    }
}

TEST_CASE("a product too large for its offset type is rejected before it is stored") {
    host_executor const exec(2);
    // A column times a row of length 200: 40,000 entries, but 16-bit offsets count only to 32,767.
    using narrow = csr<double, std::int32_t, std::int16_t>;
    std::vector<std::int16_t> one_each(201), all{0, 200};
    std::vector<std::int32_t> zeros(200, 0), rising(200);
    for (int i = 0; i <= 200; ++i) one_each[std::size_t(i)] = static_cast<std::int16_t>(i);
    for (int i = 0; i < 200; ++i) rising[std::size_t(i)] = i;
    std::vector<double> const ones(200, 1.0);
    narrow const a(200, 1, exec.copy(one_each), exec.copy(zeros), exec.copy(ones));
    narrow const b(1, 200, exec.copy(all), exec.copy(rising), exec.copy(ones));
    CHECK_THROWS_AS(make_product_plan(exec, a.view(), b.view()), overflow_error);
    CHECK(make_product_plan(exec, a.view(), b.view(), row_range{100, 120}).nonzeros() == 20 * 200);
}

TEST_CASE("owners and views of factors and vectors are accepted alike") {
    host_executor const exec{1};
    coo<double> entries{5, 5};
    for (int k = 0; k < 14; ++k) entries.add(k * 3 % 5, k * 7 % 5, k - 6.5);
    auto const a = to_csr(exec, entries), t = transpose(exec, a);
    plus_times<double> const s;
    CHECK(same_bits(mxm(exec, s, a, t), mxm(exec, s, a.view(), t.view())));
    CHECK(same_bits(mxm(exec, s, a, t.view()), mxm(exec, s, a.view(), t.view())));
    CHECK(same_bits(ewise_add(exec, op::min<double>{}, a, t), ewise_add(exec, op::min<double>{}, a.view(), t.view())));
    CHECK(reduce_to_scalar(exec, add_plus<double>{}, a) == reduce_to_scalar(exec, add_plus<double>{}, a.view()));
    auto const plan = make_srcsr_plan(exec, a);
    buffer<double> x(exec, 5), y(exec, 5), z(exec, 5);
    fill(exec, x.view(), 3.0);
    spmv(exec, plan, a, x, y);
    spmv(exec, plan, a.view(), std::as_const(x).view(), z.view());
    CHECK(same_bits(y, z));
}
