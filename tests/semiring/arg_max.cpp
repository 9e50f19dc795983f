// SPDX-License-Identifier: BSD-3-Clause
// arg-max-n against a stable sort of every row.
#include <coppice/semiring/spmv/arg_max.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "support/executors.hpp"
#include "support/patterns.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using candidate = value_and_column<float>;

/// The n largest of a row by the definition: NaN left out, sorted by falling value, equal values in row order.
std::vector<candidate> best_of_row(plain_csr<float> const& a, std::int32_t row, int n) {
    std::vector<candidate> all;
    for (std::int32_t k = a.offsets[std::size_t(row)]; k < a.offsets[std::size_t(row) + 1]; ++k)
        if (!std::isnan(a.values[std::size_t(k)])) all.push_back({a.values[std::size_t(k)], a.indices[std::size_t(k)]});
    std::stable_sort(all.begin(), all.end(), [](candidate p, candidate q) { return p.value > q.value; });
    all.resize(std::size_t(n), candidate{-std::numeric_limits<float>::infinity(), -1});
    return all;
}

template <int N, class Executor>
void check(Executor const& exec, plain_csr<float> const& plain) {
    auto const a = plain.on(exec);
    buffer<candidate> best(exec, std::int64_t(plain.rows) * N);
    arg_max_n<N>(exec, make_srcsr_plan(exec, a.view()), a.view(), best.view());
    auto const got = to_vector(exec, best);
    std::int64_t wrong = 0;
    for (std::int32_t i = 0; i < plain.rows; ++i) {
        auto const expected = best_of_row(plain, i, N);
        for (int j = 0; j < N; ++j) wrong += got[std::size_t(i * N + j)] == expected[std::size_t(j)] ? 0 : 1;
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE_TEMPLATE("arg-max-n: ties, NaN, infinities, short and long rows", Where, COPPICE_TEST_EXECUTORS) {
    auto const exec = Where::exec();
    float const infinity = std::numeric_limits<float>::infinity();
    for (auto const& shape : hard_row_lengths(51)) {
        CAPTURE(shape.name);
        auto a = random_matrix<float>(shape.lengths, 1000, 52);
        check<2>(exec, a); // values that hardly ever tie
        std::mt19937 random(53);
        for (float& v : a.values) { // few values: ties everywhere
            int const r = int(random() % 20);
            v = r == 0 ? std::nanf("") : r == 1 ? infinity : r == 2 ? -infinity : float(r % 4);
        }
        check<1>(exec, a);
        check<2>(exec, a);
        check<3>(exec, a);
        check<5>(exec, a);
    }
}

TEST_CASE_TEMPLATE("rows of NaN alone, and of nothing, have no candidate", Where, COPPICE_TEST_EXECUTORS) {
    auto a = random_matrix<float>({3, 0, 1, 2000}, 10, 54);
    std::fill(a.values.begin(), a.values.end(), std::nanf(""));
    check<1>(Where::exec(), a);
    check<2>(Where::exec(), a);
}

#if !defined(COPPICE_TEST_CUDA)
TEST_CASE("merging sorted lists is associative") {
    add_arg_max_n<2, float> const add{};
    std::mt19937 random(55);
    auto const list = [&] {
        auto l = add.identity();
        for (int n = int(random() % 4); n > 0; --n) {
            float const values[] = {0, 1, 2, std::nanf("")};
            l = add(l, candidate{values[random() % 4], std::int32_t(random() % 1000)});
        }
        return l;
    };
    for (int i = 0; i < 20000; ++i) {
        auto const a = list(), b = list(), c = list();
        REQUIRE(add(add(a, b), c) == add(a, add(b, c)));
        REQUIRE(add(add.identity(), a) == a);
        REQUIRE(add(a, add.identity()) == a);
    }
}

TEST_CASE("arg-max-n refuses wrong sizes") {
    host_executor const exec(1);
    auto const plain = random_matrix<float>({2, 0, 3}, 4, 56);
    auto const a = plain.on(exec);
    buffer<candidate> best(exec, 5);
    CHECK_THROWS_AS(arg_max_n<2>(exec, make_srcsr_plan(exec, a.view()), a.view(), best.view()), dimension_error);
    auto const other = random_matrix<float>({2, 0, 3, 1}, 4, 57).on(exec);
    CHECK_THROWS_AS(arg_max_n<1>(exec, make_srcsr_plan(exec, other.view()), a.view(), best.view().slice(0, 3)),
                    dimension_error);
}
#endif
