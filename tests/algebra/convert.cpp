// SPDX-License-Identifier: BSD-3-Clause
// Coordinate storage to compressed rows, compared with a map that is filled in input order.
#include <coppice/algebra/convert.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "support/executors.hpp"
#include "support/failing_memory.hpp"
#include "support/same_bits.hpp"
#include <coppice/semiring/operators/binary_operators.hpp>

using namespace coppice;

namespace {

#define HOST_EXECUTORS coppice::test::on_threads

template <class T, class I>
void check_against_map(csr<T, I> const& a, coo<T, I> const& from) {
    std::map<std::pair<I, I>, T> expected;
    for (std::size_t k = 0; k < from.values.size(); ++k) {
        auto const [at, fresh] = expected.try_emplace({from.row_indices[k], from.column_indices[k]}, from.values[k]);
        if (!fresh) at->second += from.values[k];
    }
    REQUIRE(a.rows() == from.rows);
    REQUIRE(a.columns() == from.columns);
    REQUIRE(std::size_t(a.nonzeros()) == expected.size());
    REQUIRE(a.row_offsets()[0] == 0);
    REQUIRE(a.row_offsets()[a.rows()] == a.nonzeros());
    auto at = expected.begin();
    bool same = true;
    for (I row = 0; row < a.rows(); ++row)
        for (I k = a.row_offsets()[row]; k < a.row_offsets()[row + 1]; ++k, ++at)
            same = same && at->first == std::pair{row, a.column_indices()[k]} && at->second == a.values()[k];
    CHECK(same);
}

template <class T, class I>
coo<T, I> random_triplets(I rows, I columns, std::int64_t entries, unsigned seed) {
    std::mt19937_64 random(seed);
    // Magnitudes differ strongly, so that any other order of summation changes the last bits.
    std::uniform_real_distribution<double> exponent(-10, 10);
    coo<T, I> a{rows, columns};
    for (std::int64_t k = 0; k < entries; ++k) {
        auto const i = static_cast<I>(random() % static_cast<std::uint64_t>(rows));
        auto const j = static_cast<I>(random() % static_cast<std::uint64_t>(columns));
        a.add(i, j, static_cast<T>(std::exp(exponent(random)) * (random() % 2 ? 1 : -1)));
    }
    return a;
}

/// A value whose "sum" records the order of its terms.
struct history {
    std::uint64_t hash;
    history& operator+=(history const& next) {
        hash = hash * 1000003 + next.hash;
        return *this;
    }
    bool operator==(history const&) const = default;
};

} // namespace

TEST_CASE_TEMPLATE("compressed rows of random triplets", Fixture, HOST_EXECUTORS) {
    auto const exec = Fixture::exec();
    struct {
        std::int32_t rows, columns;
        std::int64_t entries;
    } const cases[] = {{1, 1, 0},      {1, 1, 1},          {1, 1, 3},       {2, 2, 2},
                       {2, 3, 7},      {10, 1, 30},        {1, 1000, 5000}, {100, 100, 500},
                       {300, 7, 6000}, {5, 100000, 90000}, {200000, 9, 50}, {70000, 70000, 150000}};
    unsigned seed = 1;
    for (auto const& c : cases) {
        CAPTURE(c.rows);
        CAPTURE(c.entries);
        auto const a = random_triplets<double, std::int32_t>(c.rows, c.columns, c.entries, ++seed);
        check_against_map(to_csr(exec, a), a);
        auto const b = random_triplets<float, std::int64_t>(c.rows, c.columns, c.entries, ++seed);
        check_against_map(to_csr(exec, b), b);
    }
}

TEST_CASE_TEMPLATE("triplets in row order and in column order", Fixture, HOST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // 3 x 40000 entries are several blocks of input; some rows are empty, including the first and the last.
    std::int32_t const n = 40000;
    coo<double> by_row{n, n};
    coo<double> by_column{n, n};
    for (std::int32_t i = 1; i + 1 < n; ++i)
        for (std::int32_t j = i - 1; j <= i + 1 && i % 7 != 3; ++j) by_row.add(i, j, i + 0.25 * j);
    for (std::int32_t j = 0; j < n; ++j)
        for (std::int32_t i = std::max(1, j - 1); i <= std::min(n - 2, j + 1); ++i)
            if (i % 7 != 3) by_column.add(i, j, i + 0.25 * j);
    auto const a = to_csr(exec, by_row);
    check_against_map(a, by_row);
    CHECK(test::same_bits(a, to_csr(exec, by_column)));

    // One swapped pair at any position, also across two blocks of input, must be detected as unsorted.
    for (std::size_t k : {std::size_t(5), std::size_t(32767), by_row.values.size() - 2}) {
        auto swapped = to_coo(exec, a);
        std::swap(swapped.row_indices[k], swapped.row_indices[k + 1]);
        std::swap(swapped.column_indices[k], swapped.column_indices[k + 1]);
        std::swap(swapped.values[k], swapped.values[k + 1]);
        CHECK(test::same_bits(a, to_csr(exec, swapped)));
    }
    // A duplicate across two blocks is summed.
    auto repeated = to_coo(exec, a);
    repeated.row_indices[32768] = repeated.row_indices[32767];
    repeated.column_indices[32768] = repeated.column_indices[32767];
    check_against_map(to_csr(exec, repeated), repeated);
}

TEST_CASE_TEMPLATE("duplicates are summed in input order, zeros are kept", Fixture, HOST_EXECUTORS) {
    auto const exec = Fixture::exec();
    coo<double> a{2, 2};
    a.add(1, 0, 1e16);
    a.add(0, 1, 0);
    a.add(1, 0, 1);
    a.add(1, 0, -1e16);
    a.add(0, 0, 5);
    a.add(0, 0, -5);
    auto const c = to_csr(exec, a);
    REQUIRE(c.nonzeros() == 3);
    CHECK(c.values()[0] == 0);
    CHECK(c.values()[1] == 0);
    CHECK(c.values()[2] == 0); // (1e16 + 1) - 1e16; the other orders give 1

    std::mt19937 random(7);
    coo<history> h{50, 50};
    for (std::uint64_t k = 0; k < 100000; ++k) h.add(int(random() % 50), int(random() % 50), {k});
    check_against_map(to_csr(exec, h), h);
}

TEST_CASE("the same bits with one and two threads") {
    auto const a = random_triplets<float, std::int32_t>(3000, 2000, 400000, 3);
    auto const one = to_csr(host_executor{1}, a);
    for (int repeat = 0; repeat < 3; ++repeat) CHECK(test::same_bits(one, to_csr(host_executor{2}, a)));
}

TEST_CASE("moved triplets are freed") {
    auto a = random_triplets<double, std::int32_t>(30, 30, 100, 5);
    auto const expected = to_csr(host_executor{1}, a);
    CHECK(a.entries() == 100);
    CHECK(test::same_bits(expected, to_csr(host_executor{1}, std::move(a))));
    CHECK(a.values.capacity() == 0);
    CHECK(a.row_indices.capacity() == 0);
}

TEST_CASE("empty matrices") {
    host_executor const exec{2};
    for (auto [rows, columns] : {std::pair{0, 0}, {0, 5}, {5, 0}, {3, 3}}) {
        auto const a = to_csr(exec, coo<double>{rows, columns});
        CHECK(a.rows() == rows);
        CHECK(a.columns() == columns);
        CHECK(a.nonzeros() == 0);
        REQUIRE(a.row_offsets().size() == rows + 1);
        for (auto const offset : a.row_offsets()) CHECK(offset == 0);
        CHECK(to_coo(exec, a).entries() == 0);
    }
    CHECK(to_coo(exec, csr<double>{}).entries() == 0);
}

TEST_CASE("writing and reading back") {
    host_executor const exec{2};
    auto const a = to_csr(exec, random_triplets<double, std::int32_t>(500, 400, 3000, 11));
    auto const back = to_coo(exec, a);
    CHECK(back.rows == 500);
    CHECK(back.columns == 400);
    CHECK(test::same_bits(a, to_csr(exec, back)));
}

TEST_CASE("invalid triplets are rejected") {
    host_executor const exec{2};
    auto const message_of = [&](coo<double> const& a) -> std::string {
        try {
            to_csr(exec, a);
        } catch (matrix_error const& e) {
            return e.what();
        }
        return "accepted";
    };
    coo<double> a{3, 4};
    a.add(0, 0, 1);
    a.add(2, 3, 1);
    CHECK(message_of(a) == "accepted");
    auto with = [&](std::int32_t i, std::int32_t j) {
        coo<double> b = a;
        b.add(i, j, 1);
        b.add(-7, -7, 1);
        return message_of(b);
    };
    CHECK(with(3, 0) == "entry 2 of a coordinate matrix is at row 3, column 0; the matrix is 3 x 4");
    CHECK(with(0, 4) == "entry 2 of a coordinate matrix is at row 0, column 4; the matrix is 3 x 4");
    CHECK(with(-1, 0) == "entry 2 of a coordinate matrix is at row -1, column 0; the matrix is 3 x 4");
    CHECK(with(0, -1) == "entry 2 of a coordinate matrix is at row 0, column -1; the matrix is 3 x 4");
    CHECK(message_of({-1, 4}) == "coordinate matrix of negative size: -1 x 4");
    CHECK(message_of({1, -4}) == "coordinate matrix of negative size: 1 x -4");

    coo<double> uneven = a;
    uneven.row_indices.push_back(0);
    CHECK_THROWS_AS(to_csr(exec, uneven), dimension_error);
    uneven = a;
    uneven.column_indices.pop_back();
    CHECK_THROWS_AS(to_csr(exec, uneven), dimension_error);
}

TEST_CASE_TEMPLATE("duplicates are folded by an operator in input order", Fixture, HOST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(11);
    coo<double> a{40, 30};
    std::map<std::pair<int, int>, std::vector<double>> at;
    for (int k = 0; k < 40000; ++k) {
        int const i = int(random() % 40), j = int(random() % 30);
        double const value = double(random() % 1000) - 500;
        a.add(i, j, value);
        at[{i, j}].push_back(value);
    }
    auto const check = [&](csr<double> const& got, auto const& expected) {
        REQUIRE(got.nonzeros() == int(at.size()));
        std::int64_t k = 0;
        for (auto const& [position, values] : at) {
            CHECK(got.column_indices()[k] == position.second);
            CHECK(got.values()[k++] == expected(values));
        }
    };
    check(to_csr(exec, a, op::min<double>{}), [](auto const& v) { return *std::min_element(v.begin(), v.end()); });
    check(to_csr(exec, a, op::first<double>{}), [](auto const& v) { return v.front(); });
    check(to_csr(exec, coo<double>(a), op::second<double>{}), [](auto const& v) { return v.back(); });
    auto const halve = [](double x, double y) { return 0.5 * x + y; }; // neither associative nor commutative
    check(to_csr(exec, a, halve),
          [&](auto const& v) { return std::accumulate(v.begin() + 1, v.end(), v.front(), halve); });
}

TEST_CASE_TEMPLATE("no_duplicates refuses a repeated position", Fixture, HOST_EXECUTORS) {
    auto const exec = Fixture::exec();
    coo<double> a{3, 3};
    a.add(2, 1, 4);
    a.add(0, 1, 3);
    auto const c = to_csr(exec, a, no_duplicates{});
    CHECK(c.nonzeros() == 2);
    CHECK(c.values()[0] == 3);
    a.add(2, 1, 5);
    CHECK_THROWS_WITH_AS(to_csr(exec, a, no_duplicates{}),
                         "to_csr: 1 of 3 entries repeat a position; pass an operator that combines their values",
                         matrix_error);
}

TEST_CASE("more nonzeros than an index can count are rejected") {
    // An 8-bit index makes the limit easy to reach: 127 nonzeros fit, 128 do not, but duplicates count once.
    host_executor const exec{1};
    coo<double, std::int8_t> a{20, 20};
    for (int k = 0; k < 127; ++k) a.add(static_cast<std::int8_t>(k / 20), static_cast<std::int8_t>(k % 20), 1);
    CHECK(to_csr(exec, a).nonzeros() == 127);
    a.add(0, 0, 1);
    a.add(0, 0, 1);
    CHECK(to_csr(exec, a).nonzeros() == 127);
    a.add(19, 19, 1);
    CHECK_THROWS_AS(to_csr(exec, a), overflow_error);
}

TEST_CASE("conversions write no byte after their arrays, and an allocation that fails is an error") {
    auto const sorted = [] {
        coo<double> a{50, 40}; // the last rows are empty
        for (int i = 0; i < 47; ++i) a.add(i, i % 40, 1);
        return a;
    }();
    auto const any_order = random_triplets<double, std::int32_t>(60, 70, 300, 2);
    auto const allocations = test::every_allocation_fails_once(2, [&](host_executor const& exec) {
        to_csr(exec, sorted);
        to_csr(exec, any_order);
    });
    CHECK(allocations > 4);
}
