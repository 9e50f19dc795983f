// SPDX-License-Identifier: BSD-3-Clause
// Hypersparse matrices give the results of compressed rows, on every executor, and work for sizes beyond those of
// compressed rows.
#include <doctest/doctest.h>

#include "sparse/sparse_problem.hpp"
#include <coppice/semiring/matrix_operations/hypersparse.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using T = double;
using I = std::int32_t;

/// Listed rows with large distances; most other rows are empty.
plain_matrix<T> few_rows(I rows, I columns, std::uint64_t seed) {
    auto const dense = random_sparse<T>(rows, columns, 0.1, seed);
    plain_matrix<T> a{rows, columns};
    for (I i = 0; i < rows; ++i) {
        if (i % 7 == I(seed % 3))
            for (auto k = dense.offsets[std::size_t(i)]; k < dense.offsets[std::size_t(i) + 1]; ++k) {
                a.indices.push_back(dense.indices[std::size_t(k)]);
                a.values.push_back(dense.values[std::size_t(k)]);
            }
        a.offsets.push_back(I(a.indices.size()));
    }
    return a;
}

struct row_and_column {
    COPPICE_HD T operator()(T x, std::int64_t i, std::int64_t j) const { return x + T(100 * i + j); }
};
struct row_below_column {
    COPPICE_HD bool operator()(T, std::int64_t i, std::int64_t j) const { return j > i; }
};

} // namespace

TEST_CASE_TEMPLATE("hypersparse matrices give the results of compressed rows", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = few_rows(80, 60, 1).on(exec), b = few_rows(80, 60, 2).on(exec), c = few_rows(60, 90, 3).on(exec);
    auto const m = few_rows(80, 60, 4).on(exec);
    auto const ha = to_hypersparse(exec, a.view()), hb = to_hypersparse(exec, b.view()),
               hc = to_hypersparse(exec, c.view());
    CHECK(ha.list().size() < 20);
    CHECK(plain(exec, to_csr(exec, ha)) == plain(exec, a));
    CHECK(plain(exec, to_csr(exec, exec.copy(host_executor(1).copy(ha)))) == plain(exec, a));
    auto const same = [&](hypersparse<T, I> const& got, csr<T> const& expected) {
        CHECK(plain(exec, to_csr(exec, got)) == plain(exec, expected));
    };
    op::minus<T> const minus;
    same(ewise_add(exec, minus, ha, hb), ewise_add(exec, minus, a.view(), b.view()));
    same(ewise_mult(exec, minus, ha, hb), ewise_mult(exec, minus, a.view(), b.view()));
    same(ewise_union(exec, minus, ha, 3, hb, 4), ewise_union(exec, minus, a.view(), 3, b.view(), 4));
    same(ewise_mult(exec, op::firsti<T>{}, ha, hb), ewise_mult(exec, op::firsti<T>{}, a.view(), b.view()));
    same(apply(exec, row_and_column{}, ha), apply(exec, row_and_column{}, a.view()));
    same(select_entries(exec, row_below_column{}, ha), select_entries(exec, row_below_column{}, a.view()));
    same(mxm(exec, plus_times<T>{}, ha, hc), mxm(exec, plus_times<T>{}, a.view(), c.view()));
    using where = semiring_of<add_plus<T>, op::firstj<T>>;
    same(mxm(exec, where{}, ha, hc), mxm(exec, where{}, a.view(), c.view()));
    using whither = semiring_of<add_plus<T>, op::secondj<T>>;
    same(mxm(exec, whither{}, ha, hc), mxm(exec, whither{}, a.view(), c.view()));
    auto const t = transpose(exec, ha);
    CHECK(t.rows() == 60);
    same(t, transpose(exec, a.view()));
    CHECK(reduce_to_scalar(exec, add_plus<T>{}, ha) == reduce_to_scalar(exec, add_plus<T>{}, a.view()));
    auto const sums = reduce_to_vector(exec, add_max<T>{}, ha).to_dense(exec);
    auto const expected = reduce_to_vector(exec, add_max<T>{}, a.view());
    CHECK(to_vector(exec, sums.present()) == to_vector(exec, expected.present()));

    // Rows of the masks: those of A, and others that neither A nor B has.
    auto const elsewhere = few_rows(80, 60, 3).on(exec);
    for (auto const* const mask : {&m, &elsewhere}) {
        auto const hypersparse_mask = to_hypersparse(exec, mask->view());
        for (bool const complement : {false, true})
            for (bool const replace : {false, true}) {
                CAPTURE(complement);
                CAPTURE(replace);
                descriptor const d{.replace = replace, .complement = complement};
                auto to = exec.copy(hb);
                auto plainly = exec.copy(b);
                update(exec, to, hypersparse_mask, op::plus<T>{}, ha, d);
                update(exec, plainly, *mask, op::plus<T>{}, exec.copy(a), d);
                same(to, plainly);
                update(exec, to, no_mask{}, no_accumulator{}, ha, d);
                update(exec, plainly, no_mask{}, no_accumulator{}, exec.copy(a), d);
                same(to, plainly);
                update(exec, to, to, op::plus<T>{}, to, d); // output, input and mask
                update(exec, plainly, plainly, op::plus<T>{}, plainly, d);
                same(to, plainly);
            }
    }
}

TEST_CASE_TEMPLATE("listed rows without entries are removed", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    csr<T> entries(3, 4, exec.copy(std::vector<I>{0, 0, 2, 2}), exec.copy(std::vector<I>{1, 3}),
                   exec.copy(std::vector<T>{5, 7}));
    hypersparse<T, I> const a(exec, 100, exec.copy(std::vector<I>{2, 40, 99}), std::move(entries));
    CHECK(to_vector(exec, a.list()) == std::vector<I>{40});
    CHECK(a.entries().rows() == 1);
    CHECK(a.nonzeros() == 2);
    auto const smallest = reduce_to_vector(exec, add_min<T>{}, a);
    CHECK(smallest.entries() == 1);
    CHECK(to_vector(exec, buffer<T>(exec.copy(smallest.list().values))) == std::vector<T>{5});
    CHECK_THROWS_AS((hypersparse<T, I>(exec, 100, exec.copy(std::vector<I>{2, 100}), empty_matrix<T>(exec, 2, 4))),
                    matrix_error);
}

TEST_CASE_TEMPLATE("the cost of hypersparse matrices depends on their entries only", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using wide = std::int64_t;
    wide const n = wide{1} << 60;
    auto const rows = exec.copy(std::vector<wide>{n - 1, 5, n / 2, 5, n - 1});
    auto const columns = exec.copy(std::vector<wide>{5, n / 2, n - 1, n / 2, 7});
    auto const values = exec.copy(std::vector<T>{2, 3, 4, 5, 6});
    auto const a =
        build_hypersparse(exec, n, n, array_view<wide const>(rows.view()), array_view<wide const>(columns.view()),
                          array_view<T const>(values.view()), op::plus<T>{});
    CHECK(a.nonzeros() == 4);
    auto const square = extract_tuples(exec, mxm(exec, plus_times<T>{}, a, a));
    // (5, n/2) 8, (n/2, n-1) 4, (n-1, 5) 2, (n-1, 7) 6
    CHECK(to_vector(exec, square.rows) == std::vector<wide>{5, n / 2, n / 2, n - 1});
    CHECK(to_vector(exec, square.columns) == std::vector<wide>{n - 1, 5, 7, n / 2});
    CHECK(to_vector(exec, square.values) == std::vector<T>{32, 8, 24, 16});
    auto const t = extract_tuples(exec, transpose(exec, a));
    CHECK(to_vector(exec, t.rows) == std::vector<wide>{5, 7, n / 2, n - 1});
    CHECK(to_vector(exec, t.columns) == std::vector<wide>{n - 1, n - 1, 5, n / 2});
    CHECK(ewise_add(exec, op::plus<T>{}, a, transpose(exec, a)).nonzeros() == 8);

    auto const refuses = [&](std::vector<wide> const& r, std::vector<wide> const& c) {
        auto const dr = exec.copy(r), dc = exec.copy(c);
        auto const one = exec.copy(std::vector<T>(r.size(), 1));
        build_hypersparse(exec, n, n, array_view<wide const>(dr.view()), array_view<wide const>(dc.view()),
                          array_view<T const>(one.view()), no_duplicates{});
    };
    CHECK_THROWS_AS(refuses({0, n}, {0, 0}), argument_error);
    CHECK_THROWS_AS(refuses({0, 1}, {0, -1}), argument_error);
    CHECK_THROWS_AS(refuses({4, 4}, {9, 9}), matrix_error);
    hypersparse<T, wide> const other(exec, n - 1, n), none(exec, n, n);
    CHECK_THROWS_AS(mxm(exec, plus_times<T>{}, a, other), dimension_error);
    CHECK_THROWS_AS(ewise_add(exec, op::plus<T>{}, a, other), dimension_error);
    CHECK(mxm(exec, plus_times<T>{}, a, none).nonzeros() == 0);
    CHECK_THROWS_AS(static_cast<void>(hypersparse<T, wide>(exec, n, exec.copy(std::vector<wide>{3, 2}),
                                                           detail::no_entries<T, wide, wide>(exec, wide(2), n))),
                    matrix_error);
    csr<T, wide> falls(wide(1), n, exec.copy(std::vector<wide>{0, 2}), exec.copy(std::vector<wide>{7, 6}),
                       exec.copy(std::vector<T>{1, 1}));
    CHECK_THROWS_AS(static_cast<void>(hypersparse<T, wide>(exec, n, exec.copy(std::vector<wide>{3}), std::move(falls))),
                    matrix_error);
}
