// SPDX-License-Identifier: BSD-3-Clause
// Results of the host in one pass (with memory that can shrink) are bitwise equal to those in two passes (with memory
// that cannot): products with shifted rows, products inside masks, element-wise operations, assignments.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "sparse/sparse_problem.hpp"
#include "support/failing_memory.hpp"
#include "support/same_bits.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Diagonals as in a grid matrix, with rows that break the pattern: empty, short by one, dense; values of any size,
/// some of them NaN.
plain_matrix<double> broken_bands(std::int32_t rows, std::int32_t columns, std::vector<std::int32_t> const& diagonals,
                                  std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    plain_matrix<double> a{rows, columns};
    auto const add = [&](std::int32_t j) {
        a.indices.push_back(j);
        a.values.push_back(random() % 97 == 0 ? std::numeric_limits<double>::quiet_NaN() : normal(random));
    };
    for (std::int32_t i = 0; i < rows; ++i) {
        if (i == rows / 2 || i == rows / 2 + 1) {
            for (std::int32_t j = 0; j < columns; ++j) add(j);
        } else if (i % 41 != 13) {
            for (std::int32_t const d : diagonals)
                if (i + d >= 0 && i + d < columns && !(i % 29 == 5 && d == diagonals.front())) add(i + d);
        }
        a.offsets.push_back(static_cast<std::int32_t>(a.indices.size()));
    }
    return a;
}

struct problem {
    plain_matrix<double> a, b, mask;
};
std::vector<problem> problems() {
    std::vector<problem> all;
    all.push_back({broken_bands(400, 400, {-20, -1, 0, 1, 20}, 1), broken_bands(400, 400, {-20, -1, 0, 1, 20}, 2),
                   broken_bands(400, 400, {-20, -1, 0, 1, 20}, 3)});
    all.push_back({broken_bands(300, 310, {0, 3}, 4), broken_bands(310, 290, {-2, 0, 1}, 5),
                   broken_bands(300, 290, {-4, 0, 5}, 6)});
    // Rows with more than 64 products are also shifted.
    all.push_back({broken_bands(150, 150, {-5, -4, -3, -2, -1, 0, 1, 2, 3}, 7),
                   broken_bands(150, 150, {-4, -3, -2, -1, 0, 1, 2, 3, 4}, 8), broken_bands(150, 150, {-1, 0, 1}, 9)});
    all.push_back({random_sparse<double>(300, 200, 0.05, 10), random_sparse<double>(200, 250, 0.05, 11),
                   random_sparse<double>(300, 250, 0.1, 12)});
    all.push_back({random_sparse<double>(30, 40, 0, 13), random_sparse<double>(40, 20, 0.3, 14),
                   random_sparse<double>(30, 20, 0.5, 15)});
    return all;
}
std::vector<host_executor> executors_of_one_pass() { return {host_executor(1), host_executor(2), host_executor(5)}; }

/// Executors whose memory cannot shrink.
host_executor in_two_passes() { return host_executor(1, std::make_shared<failing_memory>()); }

/// Checks that work(exec) is bitwise equal in one pass and in two.
template <class Work>
void check_passes(Work const& work) {
    auto const expected = work(in_two_passes());
    for (auto const& exec : executors_of_one_pass()) CHECK(same_bits(work(exec), expected));
}

/// One entry, or none, in every row, in column column_of(i).
template <class Column>
plain_matrix<double> single_entries(std::int32_t rows, std::int32_t columns, Column const& column_of) {
    plain_matrix<double> a{rows, columns};
    for (std::int32_t i = 0; i < rows; ++i) {
        if (auto const j = static_cast<std::int32_t>(column_of(i)); j >= 0 && j < columns) {
            a.indices.push_back(j);
            a.values.push_back(i % 5 == 3 ? -0.0 : 0.5 * i - 3);
        }
        a.offsets.push_back(static_cast<std::int32_t>(a.indices.size()));
    }
    return a;
}

} // namespace

// They need no sums, if the columns of the right factor ascend.
TEST_CASE("products with single entries per row are bitwise equal to a plan and its values") {
    std::int32_t const n = 5000;
    auto const wide = random_sparse<double>(n, n, 0.002, 31);
    auto const diagonal = [](std::int32_t i) { return i; };
    auto const scattered = [](std::int32_t i) { return i * 1234567L % n; };
    auto const gaps = [](std::int32_t i) { return i % 7 == 2 ? -1 : i / 2; };
    auto const doubled = [](std::int32_t i) { return i % 2 == 0 ? 2 * i : -1; };
    auto const thousands = [](std::int32_t i) { return i / 1000; };
    std::vector<plain_matrix<double>> factors{
        single_entries(n, n, diagonal), single_entries(n, n, scattered), single_entries(n, n, gaps),
        single_entries(n, n, doubled),  single_entries(n, n, thousands), single_entries(n, n, [](auto) { return -1; })};
    auto two_in_last = factors[2];
    two_in_last.indices.push_back(n - 1);
    two_in_last.values.push_back(7);
    ++two_in_last.offsets.back();
    factors.push_back(two_in_last);
    for (auto const& exec : executors_of_one_pass()) {
        auto const check = [&](auto const& left, auto const& right, auto const& s) {
            auto const plan = make_product_plan(exec, left, right);
            CHECK(same_bits(mxm(exec, s, left, right), mxm(exec, plan, s, left, right)));
        };
        auto const a = wide.on(exec);
        for (auto const& factor : factors) {
            auto const b = factor.on(exec);
            check(view_of(a), view_of(b), plus_times<double>{});
            check(view_of(b), view_of(a), min_plus<double>{});
            check(view_of(b), view_of(b), plus_times<double>{});
        }
    }
}

TEST_CASE("products in one pass are bitwise equal to a plan and its values") {
    for (auto const& [a, b, mask] : problems())
        check_passes([&left = a, &right = b](host_executor const& exec) {
            return mxm(exec, plus_times<double>{}, view_of(left.on(exec)), view_of(right.on(exec)));
        });
    // Also compares with a plan in the same memory.
    host_executor const exec(2);
    for (auto const& [a, b, mask] : problems()) {
        auto const da = a.on(exec), db = b.on(exec);
        auto const plan = make_product_plan(exec, da.view(), db.view());
        CHECK(same_bits(mxm(exec, min_plus<double>{}, da.view(), db.view()),
                        mxm(exec, plan, min_plus<double>{}, da.view(), db.view())));
    }
}

TEST_CASE("products inside a mask are bitwise equal to a plan and its values") {
    for (auto const& exec : executors_of_one_pass())
        for (auto const& [a, b, mask] : problems())
            for (bool const structure : {true, false}) {
                auto const da = a.on(exec), db = b.on(exec), dm = mask.on(exec);
                descriptor const d{.structure = structure};
                auto const plan = make_masked_product_plan(exec, da.view(), db.view(), dm.view(), d);
                CHECK(same_bits(masked_mxm(exec, plus_times<double>{}, da.view(), db.view(), dm.view(), d),
                                mxm(exec, plan, plus_times<double>{}, da.view(), db.view())));
            }
}

TEST_CASE("element-wise operations and assignments in one pass are bitwise equal to two passes") {
    for (std::uint64_t seed = 20; seed < 26; ++seed) {
        double const density = seed % 3 == 0 ? 0.002 : 0.1;
        auto const a =
            seed % 2 == 0 ? broken_bands(300, 280, {-3, 0, 1}, seed) : random_sparse<double>(300, 280, density, seed);
        auto const b = random_sparse<double>(300, 280, 0.05, seed + 100);
        std::vector<std::int32_t> rising, shuffled{7, 3, 250, 0, 91};
        for (std::int32_t i = 1; i < 280; i += 3) rising.push_back(i);
        check_passes([&](host_executor const& exec) {
            return ewise_add(exec, op::minus<double>{}, view_of(a.on(exec)), view_of(b.on(exec)));
        });
        check_passes([&](host_executor const& exec) {
            return ewise_mult(exec, op::minus<double>{}, view_of(a.on(exec)), view_of(b.on(exec)));
        });
        for (auto const& list : {rising, shuffled})
            for (bool const replace : {false, true})
                check_passes([&](host_executor const& exec) {
                    auto c = a.on(exec);
                    auto const at = exec.copy(list);
                    auto const submatrix = extract(exec, view_of(b.on(exec)), at, at);
                    assign(exec, c, b.on(exec), no_accumulator{}, submatrix.view(), at, at, {.replace = replace});
                    subassign(exec, c, submatrix, op::plus<double>{}, submatrix.view(), at, at, {.replace = replace});
                    assign(exec, c, no_mask{}, no_accumulator{}, submatrix.view(), at, at);
                    return c;
                });
    }
}

TEST_CASE("an assignment writes the listed positions and no others") {
    host_executor const exec(2);
    auto const a = random_sparse<double>(40, 30, 0.2, 1), b = random_sparse<double>(3, 4, 0.6, 2);
    for (std::vector<std::int32_t> const& columns : {std::vector<std::int32_t>{2, 9, 10, 29}, {9, 2, 29, 10}}) {
        std::vector<std::int32_t> const rows{30, 1, 17};
        std::vector<double> expected(40 * 30, -1), got(40 * 30, -1); // -1: no entry
        auto const fill = [](std::vector<double>& to, plain_matrix<double> const& from, auto const& at) {
            for (std::size_t i = 0; i < std::size_t(from.rows); ++i)
                for (auto k = std::size_t(from.offsets[i]); k < std::size_t(from.offsets[i + 1]); ++k)
                    to[at(i, std::size_t(from.indices[k]))] = from.values[k];
        };
        auto const whole = [](std::size_t i, std::size_t j) { return i * 30 + j; };
        auto const index_of = [&](std::size_t i, std::size_t j) {
            return std::size_t(rows[i]) * 30 + std::size_t(columns[j]);
        };
        fill(expected, a, whole);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j) expected[index_of(i, j)] = -1;
        fill(expected, b, index_of);
        auto c = a.on(exec);
        assign(exec, c, no_mask{}, no_accumulator{}, view_of(b.on(exec)), exec.copy(rows), exec.copy(columns));
        fill(got, plain(exec, c), whole);
        CHECK(got == expected);
    }
}

namespace {

/// Addition that throws for a given value.
struct refuse_value {
    double value;
    double identity() const { return 0; }
    double operator()(double x, double y) const {
        if (y == value) throw std::runtime_error("refused");
        return x + y;
    }
};

} // namespace

TEST_CASE("an exception of an operator reaches the caller of a product in one pass") {
    auto a = broken_bands(20000, 20000, {-20, -1, 0, 1, 20}, 1);
    for (double& v : a.values) v = 1;
    a.values[a.values.size() / 3] = 12345;
    for (auto const& exec : executors_of_one_pass()) {
        auto const da = a.on(exec);
        CHECK_THROWS_AS(mxm(exec, semiring_of<refuse_value, op::second<double>>{{12345}, {}}, da.view(), da.view()),
                        std::runtime_error);
    }
}

TEST_CASE("the error for unsorted columns names the row, at any position") {
    host_executor const exec(2);
    auto const good = random_sparse<double>(3000, 500, 0.2, 3);
    CHECK_NOTHROW(coppice::detail::require_sorted_columns(exec, view_of(good.on(exec)), "it"));
    for (std::int32_t const row : {0, 1, 1499, 2997}) {
        REQUIRE(good.offsets[std::size_t(row) + 1] - good.offsets[std::size_t(row)] > 2);
        auto const first = std::size_t(good.offsets[std::size_t(row)]),
                   last = std::size_t(good.offsets[std::size_t(row) + 1]) - 1;
        auto equal = good, falls = good, low = good, high = good;
        equal.indices[first + 1] = equal.indices[first];
        std::swap(falls.indices[last - 1], falls.indices[last]);
        low.indices[first] = -1;
        high.indices[last] = 500;
        for (auto const& bad : {equal, falls, low, high}) {
            std::string message;
            try {
                coppice::detail::require_sorted_columns(exec, view_of(bad.on(exec)), "it");
            } catch (matrix_error const& e) {
                message = e.what();
            }
            CHECK(message.find("row " + std::to_string(row) + " ") != std::string::npos);
        }
    }
}
