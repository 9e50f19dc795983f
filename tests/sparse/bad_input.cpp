// SPDX-License-Identifier: BSD-3-Clause
// Inputs that sparse operations reject or accept; after an error the output is unchanged.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <functional>

#include "sparse/sparse_problem.hpp"
#include <coppice/algebra/statistics.hpp>
#include <coppice/spmv.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using T = double;
using list = std::vector<std::int32_t>;
op::plus<T> const plus_op;
plus_times<T> const times;
no_mask const everywhere;
no_accumulator const none;

template <executor Executor>
sparse_vector<T> vector_of(Executor const& exec, std::int32_t n, double density, std::uint64_t seed) {
    auto const row = random_sparse<T>(1, n, density, seed);
    return {exec, n, exec.copy(row.indices), exec.copy(row.values)};
}
template <executor Executor>
std::vector<T> values_of(Executor const& exec, sparse_vector<T> const& v) {
    buffer<std::int32_t> indices;
    buffer<T> values;
    return to_vector(exec, v.as_list(exec, indices, values).values);
}

} // namespace

TEST_CASE_TEMPLATE("sizes that disagree and masks of other shapes", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_sparse<T>(9, 7, 0.4, 1).on(exec), b = random_sparse<T>(7, 8, 0.4, 2).on(exec),
               tall = random_sparse<T>(10, 7, 0.4, 3).on(exec), wide = random_sparse<T>(9, 8, 0.4, 4).on(exec);
    auto c = random_sparse<T>(9, 7, 0.4, 5).on(exec);
    auto const before = plain(exec, c);
    for (auto const* const other : {&tall, &wide}) {
        CHECK_THROWS_AS(ewise_add(exec, plus_op, a.view(), other->view()), dimension_error);
        CHECK_THROWS_AS(ewise_mult(exec, plus_op, a.view(), other->view()), dimension_error);
        CHECK_THROWS_AS(ewise_union(exec, plus_op, a.view(), 0, other->view(), 0), dimension_error);
        CHECK_THROWS_AS(update(exec, c, everywhere, none, *other), dimension_error);
        CHECK_THROWS_AS(update(exec, c, *other, none, a), dimension_error);
        CHECK_THROWS_AS(assign(exec, c, *other, none, a.view(), all_indices{}, all_indices{}), dimension_error);
        CHECK_THROWS_AS(subassign(exec, c, *other, none, a.view(), all_indices{}, all_indices{}), dimension_error);
        CHECK_THROWS_AS(assign_scalar(exec, c, *other, none, 1.0, all_indices{}, all_indices{}), dimension_error);
    }
    CHECK_THROWS_AS(mxm(exec, times, a.view(), a.view()), dimension_error);
    CHECK_THROWS_AS(mxm(exec, c, everywhere, none, times, a.view(), b.view()), dimension_error);
    CHECK_THROWS_AS(make_masked_product_plan(exec, a.view(), b.view(), a.view()), dimension_error);
    CHECK(plain(exec, c) == before);

    matrix_operand const operand(exec, a);
    auto u = vector_of(exec, 7, 0.5, 6), w = vector_of(exec, 9, 0.5, 7);
    auto const old = values_of(exec, w);
    auto const short_list = exec.copy(list{1, 2});
    CHECK_THROWS_AS(mxv(exec, w, everywhere, none, times, operand, w), dimension_error);
    CHECK_THROWS_AS(mxv(exec, u, everywhere, none, times, operand, u), dimension_error);
    CHECK_THROWS_AS(mxv(exec, w, u, none, times, operand, u), dimension_error);
    CHECK_THROWS_AS(ewise_add(exec, plus_op, u, w), dimension_error);
    CHECK_THROWS_AS(update(exec, w, everywhere, none, u), dimension_error);
    CHECK_THROWS_AS(update(exec, w, u, none, w), dimension_error);
    CHECK_THROWS_AS(assign(exec, w, everywhere, none, u, short_list.view()), dimension_error);
    CHECK_THROWS_AS(subassign(exec, w, u, none, extract(exec, u, short_list.view()), short_list.view()),
                    dimension_error);
    CHECK_THROWS_AS(assign_scalar(exec, w, u, none, 1.0), dimension_error);
    CHECK(values_of(exec, w) == old);
}

TEST_CASE_TEMPLATE("indices out of range, and twice", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto c = random_sparse<T>(9, 7, 0.4, 1).on(exec);
    auto const before = plain(exec, c);
    auto const small = random_sparse<T>(2, 2, 1, 2).on(exec);
    auto w = vector_of(exec, 9, 0.5, 3);
    auto const old = values_of(exec, w);
    auto const u = vector_of(exec, 2, 1, 4);
    auto const good = exec.copy(list{0, 1});
    list const pairs[] = {{0, 9}, {-1, 0}, {3, 3}};
    for (list const& rows : pairs) {
        CAPTURE(rows[0]);
        auto const at = exec.copy(rows);
        CHECK_THROWS_AS(assign(exec, c, everywhere, none, small.view(), at, good), argument_error);
        CHECK_THROWS_AS(subassign(exec, c, everywhere, none, small.view(), good, at), argument_error);
        CHECK_THROWS_AS(assign(exec, w, everywhere, none, u, at.view()), argument_error);
        CHECK_THROWS_AS(subassign(exec, w, everywhere, none, u, at.view()), argument_error);
        if (rows[0] == rows[1]) continue; // may be read twice, and set to one value twice
        CHECK_THROWS_AS(extract(exec, c.view(), at, all_indices{}), argument_error);
        CHECK_THROWS_AS(extract(exec, c.view(), all_indices{}, at), argument_error);
        CHECK_THROWS_AS(extract(exec, w, at.view()), argument_error);
        CHECK_THROWS_AS(assign_scalar(exec, c, everywhere, none, 1.0, at, all_indices{}), argument_error);
        auto const x = exec.copy(std::vector<T>{1, 2});
        CHECK_THROWS_AS(build(exec, 9, 9, at.view(), good.view(), x.view(), plus_op), argument_error);
        CHECK_THROWS_AS(
            build_vector(exec, 9, array_view<std::int32_t const>(at.view()), array_view<T const>(x.view()), plus_op),
            argument_error);
    }
    auto const x = exec.copy(std::vector<T>{1, 2}), y = exec.copy(std::vector<T>{1, 2, 3});
    auto const twice = exec.copy(list{4, 4});
    CHECK_THROWS_AS(build(exec, 9, 9, twice.view(), twice.view(), x.view(), no_duplicates{}), matrix_error);
    CHECK_THROWS_AS(build(exec, 9, 9, twice.view(), twice.view(), y.view(), plus_op), dimension_error);
    CHECK_THROWS_AS(sparse_vector<T>(exec, 9, exec.copy(twice), exec.copy(x)), matrix_error);
    CHECK(plain(exec, c) == before);
    CHECK(values_of(exec, w) == old);
}

TEST_CASE_TEMPLATE("columns that are unsorted or repeated", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const good = random_sparse<T>(1, 3, 1, 1).on(exec);
    plain_matrix<T> const broken[] = {
        {1, 3, {0, 2}, {1, 1}, {1, 1}}, {1, 3, {0, 2}, {2, 1}, {1, 1}}, {1, 3, {0, 1}, {3}, {1}}};
    for (auto const& one : broken) {
        auto const a = one.on(exec);
        CHECK_THROWS_AS(ewise_add(exec, plus_op, a.view(), good.view()), matrix_error);
        CHECK_THROWS_AS(ewise_mult(exec, plus_op, good.view(), a.view()), matrix_error);
        CHECK_THROWS_AS(to_hypersparse(exec, a.view()), matrix_error);
    }
}

TEST_CASE_TEMPLATE("the output may be any input and the mask", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_sparse<T>(12, 12, 0.3, 1).on(exec);
    auto const fresh_copy = [&] { return exec.copy(a); };
    descriptor const d{.structure = true};
    auto one = fresh_copy(), other = fresh_copy();
    mxm(exec, one, one, plus_op, times, one.view(), one.view(), d);
    mxm(exec, other, a, plus_op, times, a.view(), a.view(), d);
    CHECK(plain(exec, one) == plain(exec, other));
    one = fresh_copy(), other = fresh_copy();
    update(exec, one, one, plus_op, one, {.complement = true});
    update(exec, other, a, plus_op, a, {.complement = true});
    CHECK(plain(exec, one) == plain(exec, other));
    auto const reversed = list{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    auto const down = exec.copy(reversed);
    auto const copy = exec.copy(other);
    assign(exec, one, one, none, one.view(), down, all_indices{});
    assign(exec, other, copy, none, copy.view(), down, all_indices{});
    CHECK(plain(exec, one) == plain(exec, other));

    matrix_operand operand(exec, a);
    operand.prepare_transpose(exec);
    auto const u = vector_of(exec, 12, 0.4, 2);
    auto v = exec.copy(u), w = exec.copy(u);
    mxv(exec, v, v, plus_op, times, operand, v, d);
    mxv(exec, w, u, plus_op, times, operand, u, d);
    CHECK(values_of(exec, v) == values_of(exec, w));
    assign(exec, v, v, none, v, down.view());
    assign(exec, w, exec.copy(w), none, exec.copy(w), down.view());
    CHECK(values_of(exec, v) == values_of(exec, w));
    // A plan writes to the given array, which must not be one of its inputs.
    auto ones = plain_matrix<T>{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 1, 1}}.on(exec);
    auto const plan = make_product_plan(exec, ones.view(), ones.view());
    CHECK_THROWS_AS(product_values(exec, plan, times, ones.view(), ones.view(), ones.values().view()), argument_error);
}

TEST_CASE_TEMPLATE("null arrays are rejected before they are read", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using matrix = csr_view<T>;
    auto const owner = random_sparse<T>(3, 3, 1, 1).on(exec);
    auto const good = owner.view();
    auto const order = exec.copy(list{2, 0, 1});
    auto const plan = make_product_plan(exec, good, good);
    auto const rows = make_srcsr_plan(exec, good);
    buffer<T> x(exec, 3), y(exec, 3), values(exec, good.nonzeros());
    auto const into = [&](auto const& write) {
        auto c = empty_matrix<T>(exec, 3, 3);
        write(c);
    };
    std::vector<std::function<void(matrix)>> const of_values{
        [&](matrix a) { mxm(exec, times, a, good); },
        [&](matrix a) { mxm(exec, times, good, a); },
        [&](matrix a) { mxm(exec, plan, times, a, good); },
        [&](matrix a) { mxm(exec, plan, times, good, a); },
        [&](matrix a) { masked_mxm(exec, times, a, good, good); },
        [&](matrix a) { ewise_add(exec, plus_op, a, good); },
        [&](matrix a) { ewise_mult(exec, plus_op, good, a); },
        [&](matrix a) { apply(exec, op::ainv<T>{}, a); },
        [&](matrix a) { select_entries(exec, op::tril{}, a); },
        [&](matrix a) { reduce_to_vector(exec, add_plus<T>{}, a); },
        [&](matrix a) { reduce_to_scalar(exec, add_plus<T>{}, a); },
        [&](matrix a) { extract(exec, a, all_indices{}, all_indices{}); },
        [&](matrix a) { into([&](auto& c) { assign(exec, c, everywhere, none, a, all_indices{}, all_indices{}); }); },
        [&](matrix a) { resize(exec, a, 2, 2); },
        [&](matrix a) { kronecker(exec, plus_op, a, good); },
        [&](matrix a) { kronecker(exec, plus_op, good, a); },
        [&](matrix a) {
            concat(exec, std::vector<matrix>{good, a}, 2);
        },
        [&](matrix a) {
            split(exec, a, list{1, 2}, list{3});
        },
        [&](matrix a) { extract_tuples(exec, a); },
        [&](matrix a) { to_hypersparse(exec, a); },
        [&](matrix a) { transpose(exec, a); },
        [&](matrix a) { sort_columns(exec, a); },
        [&](matrix a) { permute(exec, a, array_view<std::int32_t const>(order.view())); },
        [&](matrix a) { convert_values<float>(exec, a); },
        [&](matrix a) { extract_diagonal(exec, a); },
        [&](matrix a) { symmetry_of(exec, a); },
        [&](matrix a) { describe(exec, a); },
        [&](matrix a) {
            spmm(exec, rows, times, a, thin_view<T const>{x.view(), 1}, thin_view<T>{y.view(), 1});
        }};
    std::vector<std::function<void(matrix)>> const of_patterns{
        [&](matrix a) { make_product_plan(exec, a, good); }, [&](matrix a) { make_product_plan(exec, good, a); },
        [&](matrix a) { masked_mxm(exec, times, good, good, a, descriptor{.structure = true}); },
        [&](matrix a) {
            into([&](auto& c) {
                assign_scalar(exec, c, a, none, 1.0, all_indices{}, all_indices{}, {.structure = true});
            });
        },
        [&](matrix a) {
            thin_view<T const> const one{x.view(), 1};
            sddmm(exec, times, a, one, one, values.view());
        }};
    matrix const no_offsets{3, 3, good.nonzeros(), nullptr, good.indices, good.coefficients};
    matrix const no_columns{3, 3, good.nonzeros(), good.offsets, nullptr, good.coefficients};
    matrix const no_values{3, 3, good.nonzeros(), good.offsets, good.indices, nullptr};
    for (std::size_t k = 0; k < of_values.size() + of_patterns.size(); ++k) {
        CAPTURE(k);
        bool const reads_values = k < of_values.size();
        auto const& operation = reads_values ? of_values[k] : of_patterns[k - of_values.size()];
        operation(good);
        CHECK_THROWS_AS(operation(no_offsets), argument_error);
        CHECK_THROWS_AS(operation(no_columns), argument_error);
        if (reads_values) CHECK_THROWS_AS(operation(no_values), argument_error);
    }
    CHECK_THROWS_AS(make_srcsr_plan(exec, no_offsets), argument_error);
}

TEST_CASE_TEMPLATE("min and max monoids ignore NaN entries", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    T const nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    plain_matrix<T> const rows{3, 3, {0, 3, 5, 6}, {0, 1, 2, 0, 2, 1}, {nan, 2, 1, nan, nan, nan}};
    auto const a = rows.on(exec);
    auto const minima = to_vector(exec, reduce_to_vector(exec, add_min<T>{}, a.view()).values()),
               maxima = to_vector(exec, reduce_to_vector(exec, add_max<T>{}, a.view()).values());
    CHECK(minima == std::vector<T>{1, infinity, infinity});
    CHECK(maxima == std::vector<T>{2, -infinity, -infinity});
    CHECK(reduce_to_scalar(exec, add_min<T>{}, a.view()) == 1);
    auto const ones = plain_matrix<T>{3, 1, {0, 1, 2, 3}, {0, 0, 0}, {0, 0, 0}}.on(exec);
    CHECK(to_vector(exec, mxm(exec, min_plus<T>{}, a.view(), ones.view()).values()) ==
          std::vector<T>{1, infinity, infinity});
    CHECK(std::isnan(reduce_to_scalar(exec, add_plus<T>{}, a.view())));
}

TEST_CASE_TEMPLATE("sizes that overflow", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const huge = empty_matrix<T>(exec, std::int32_t(1 << 20), std::int32_t(0)),
               flat = empty_matrix<T>(exec, std::int32_t(0), std::int32_t(1 << 20));
    CHECK_THROWS_AS(kronecker(exec, plus_op, huge.view(), huge.view()), overflow_error);
    CHECK_THROWS_AS(kronecker(exec, plus_op, flat.view(), flat.view()), overflow_error);
    CHECK_THROWS_AS(diag(exec, view_of(dense_vector<T>(exec, 3)), std::int64_t{1} << 31), overflow_error);
    CHECK_THROWS_AS(sparse_vector<T>(exec, std::int64_t{1} << 31), overflow_error);
    CHECK_THROWS_AS(sparse_vector<T>(exec, -1), argument_error);
    CHECK_THROWS_AS(resize(exec, huge.view(), -1, 2), argument_error);
    std::vector<csr_view<T>> const tiles(2100, flat.view());
    CHECK_THROWS_AS(concat(exec, tiles, tiles.size()), overflow_error);
}

TEST_CASE_TEMPLATE("zero rows, zero columns, 0 x 0", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct size {
        std::int32_t rows, columns;
    };
    size const sizes[] = {{0, 0}, {0, 5}, {5, 0}};
    for (auto const [rows, columns] : sizes) {
        auto const& case_rows = rows;
        CAPTURE(case_rows);
        auto const& case_columns = columns;
        CAPTURE(case_columns);
        auto a = empty_matrix<T>(exec, rows, columns);
        auto const nothing = plain(exec, a);
        CHECK(plain(exec, ewise_add(exec, plus_op, a.view(), a.view())) == nothing);
        CHECK(plain(exec, ewise_mult(exec, plus_op, a.view(), a.view())) == nothing);
        CHECK(plain(exec, apply(exec, op::ainv<T>{}, a.view())) == nothing);
        CHECK(plain(exec, select_entries(exec, op::triu{0}, a.view())) == nothing);
        CHECK(plain(exec, extract(exec, a.view(), all_indices{}, all_indices{})) == nothing);
        CHECK(plain(exec, transpose(exec, view_of(transpose(exec, a.view())))) == nothing);
        CHECK(plain(exec, to_csr(exec, to_hypersparse(exec, a.view()))) == nothing);
        CHECK(reduce_to_vector(exec, add_plus<T>{}, a.view()).size() == rows);
        CHECK(reduce_to_scalar(exec, add_plus<T>{}, a.view()) == 0);
        auto const square = mxm(exec, times, a.view(), view_of(transpose(exec, a.view())));
        CHECK(square.rows() == rows);
        CHECK(square.columns() == rows);
        CHECK(square.nonzeros() == 0);
        update(exec, a, a, plus_op, exec.copy(a), {.replace = true, .complement = true});
        assign_scalar(exec, a, everywhere, none, 1.0, all_indices{}, all_indices{});
        CHECK(plain(exec, a) == nothing);
        CHECK(extract_tuples(exec, a.view()).values.empty());
        CHECK(resize(exec, a.view(), 3, 4).rows() == 3);
        matrix_operand operand(exec, a);
        operand.prepare_transpose(exec);
        sparse_vector<T> w(exec, rows), u(exec, columns);
        mxv(exec, w, everywhere, none, times, operand, u);
        vxm(exec, u, everywhere, none, times, w, operand);
        CHECK(w.entries() == 0);
        CHECK(u.entries() == 0);
    }
    sparse_vector<T> const empty(exec, 0);
    CHECK(ewise_add(exec, plus_op, empty, empty).size() == 0);
    CHECK(reduce_to_scalar(exec, add_min<T>{}, empty) == std::numeric_limits<T>::infinity());
}
