// SPDX-License-Identifier: BSD-3-Clause
// Every operation on every executor gives the bits of one thread of the host.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "sparse/sparse_problem.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using T = double;

struct times_column {
    COPPICE_HD T operator()(T x, std::int64_t, std::int64_t j) const { return x * T(j); }
};
struct above_diagonal {
    COPPICE_HD bool operator()(T, std::int64_t i, std::int64_t j) const { return j > i; }
};
struct is_odd_index {
    COPPICE_HD bool operator()(T, std::int64_t i) const { return i % 2 == 1; }
};

/// What the operations make of one problem, as plain matrices and vectors.
template <executor Executor>
std::vector<plain_matrix<T>> results(Executor const& exec, double density) {
    std::int32_t const n = 90;
    auto const a = random_sparse<T>(n, n, density, 1).on(exec), b = random_sparse<T>(n, n, 0.1, 2).on(exec);
    auto const m = random_sparse<float>(n, n, 0.3, 3).on(exec);
    op::minus<T> const minus;
    auto const chosen = exec.copy(std::vector<std::int32_t>{5, 80, 3, 17, 41, 2});
    std::vector<plain_matrix<T>> all;
    auto const keep = [&](csr<T> const& c) { all.push_back(plain(exec, c)); };

    auto c = exec.copy(b);
    update(exec, c, m, op::plus<T>{}, ewise_add(exec, minus, a.view(), b.view()), {.complement = true});
    keep(c);
    update(exec, c, m, no_accumulator{}, ewise_mult(exec, minus, a.view(), c.view()), {.replace = true});
    keep(c);
    keep(ewise_union(exec, minus, a.view(), 3, b.view(), 4));
    keep(apply(exec, times_column{}, a.view()));
    keep(select_entries(exec, above_diagonal{}, a.view()));
    keep(extract(exec, a.view(), chosen, chosen));
    c = exec.copy(b);
    auto const small = extract(exec, a.view(), chosen, chosen);
    assign(exec, c, m, no_accumulator{}, small.view(), chosen, chosen);
    subassign(exec, c, no_mask{}, op::plus<T>{}, small.view(), chosen, chosen);
    assign_scalar(exec, c, m, no_accumulator{}, 2.0, chosen, all_indices{}, {.structure = true});
    keep(c);
    keep(kronecker(exec, minus, small.view(), small.view()));
    std::vector<csr_view<T>> const tiles{a.view(), b.view(), b.view(), a.view()};
    auto const joined = concat(exec, tiles, 2);
    keep(joined);
    keep(split(exec, joined.view(), std::vector<std::int32_t>{70, 110}, std::vector<std::int32_t>{180})[1]);
    keep(resize(exec, a.view(), 40, 200));
    mxm(exec, c, m, op::plus<T>{}, plus_times<T>{}, a.view(), b.view(), {.transpose1 = true});
    keep(c);
    auto const sums = reduce_to_vector(exec, add_plus<T>{}, a.view());
    keep(diag(exec, sums.view(), 2));
    CHECK(reduce_to_scalar(exec, add_max<T>{}, a.view()) ==
          (a.nonzeros() > 0 ? 4 : -std::numeric_limits<T>::infinity()));
    return all;
}

/// The same of vectors, each as a matrix of one row.
template <executor Executor>
std::vector<plain_matrix<T>> vector_results(Executor const& exec, double density) {
    std::int32_t const n = 3000;
    auto const graph = random_sparse<T>(n, n, 0.002, 4).on(exec);
    matrix_operand a(exec, graph);
    a.prepare_transpose(exec);
    auto const vector = [&](double d, std::uint64_t seed) {
        auto row = random_sparse<T>(1, n, d, seed).on(exec);
        return sparse_vector<T>(exec, n, exec.copy(row.column_indices()), exec.copy(row.values()));
    };
    std::vector<plain_matrix<T>> all;
    auto const keep = [&](sparse_vector<T> const& v) {
        buffer<std::int32_t> indices;
        buffer<T> values;
        auto const l = v.as_list(exec, indices, values);
        all.push_back({1, n, {0, std::int32_t(l.entries())}, to_vector(exec, l.indices), to_vector(exec, l.values)});
    };
    auto const u = vector(density, 5), m = vector(0.3, 6);
    auto w = vector(0.05, 7);
    mxv(exec, w, m, op::plus<T>{}, plus_times<T>{}, a, u, {.complement = true});
    keep(w);
    vxm(exec, w, no_mask{}, no_accumulator{}, min_plus<T>{}, u, a);
    keep(w);
    update(exec, w, m, op::min<T>{}, ewise_add(exec, op::minus<T>{}, u, w), {.structure = true});
    keep(w);
    keep(select_entries(exec, is_odd_index{}, ewise_mult(exec, op::minus<T>{}, m, w)));
    auto const chosen = exec.copy(std::vector<std::int32_t>{77, 2999, 0, 5});
    assign(exec, w, no_mask{}, no_accumulator{}, extract(exec, m, chosen.view()), chosen.view());
    assign_scalar(exec, w, m, op::plus<T>{}, 9.0);
    keep(resize(exec, w, n / 2));
    w.make_bitmap(exec);
    assign_scalar(exec, w, vector(0.01, 8), no_accumulator{}, 1.0, {.structure = true});
    keep(w);
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("sparse operations have the bits of one thread of the host", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const one(1);
    for (double const density : {0.0, 0.02, 0.3}) {
        CAPTURE(density);
        auto const expected = results(one, density), got = results(exec, density);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            CAPTURE(k);
            CHECK(got[k] == expected[k]);
        }
        auto const vectors = vector_results(one, density), on_exec = vector_results(exec, density);
        for (std::size_t k = 0; k < vectors.size(); ++k) {
            CAPTURE(k);
            CHECK(on_exec[k] == vectors[k]);
        }
    }
}

TEST_CASE_TEMPLATE("extract takes every place of its lists, few or many", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    using index_list = std::vector<std::int32_t>;
    // Columns looked up one by one, by a table, at places that repeat, nowhere.
    for (auto const& [columns, density] : {std::pair(100000, 1e-4), std::pair(60, 0.3)}) {
        auto const a = random_sparse<T>(40, columns, density, 9);
        index_list every;
        for (std::int32_t j = 0; j < columns; j += columns / 50) every.push_back(j);
        for (std::size_t k = 0; k < a.indices.size(); k += 3) every.push_back(a.indices[k]);
        index_list rising = every;
        std::sort(rising.begin(), rising.end());
        rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
        for (index_list const& wanted : {every, rising, index_list{columns - 1, 0}, index_list{}}) {
            index_list const rows{7, 0, 31, 4, 7, 3};
            plain_matrix<T> expected{std::int32_t(rows.size()), std::int32_t(wanted.size())};
            for (auto const i : rows) {
                auto const begin = a.indices.begin() + a.offsets[std::size_t(i)],
                           end = a.indices.begin() + a.offsets[std::size_t(i) + 1];
                for (std::size_t k = 0; k < wanted.size(); ++k) {
                    auto const at = std::lower_bound(begin, end, wanted[k]);
                    if (at == end || *at != wanted[k]) continue;
                    expected.indices.push_back(std::int32_t(k));
                    expected.values.push_back(a.values[std::size_t(at - a.indices.begin())]);
                }
                expected.offsets.push_back(std::int32_t(expected.indices.size()));
            }
            auto const on_exec = a.on(exec);
            auto const& case_columns = columns;
            CAPTURE(case_columns);
            CAPTURE(wanted.size());
            CHECK(plain(exec, extract(exec, on_exec.view(), exec.copy(rows), exec.copy(wanted))) == expected);
        }
    }
}
