// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/algebra/operations.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "support/executors.hpp"
#include "support/patterns.hpp"
#include "support/same_bits.hpp"
#include <coppice/algebra/from_arrays.hpp>
#include <coppice/algebra/rows/lane_sort.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

struct entry {
    std::int32_t row, column;
    double value;
};

std::vector<entry> entries_of(plain_csr<double> const& a) {
    std::vector<entry> all;
    for (std::int32_t i = 0; i < a.rows; ++i)
        for (auto k = std::size_t(a.offsets[std::size_t(i)]); k < std::size_t(a.offsets[std::size_t(i) + 1]); ++k)
            all.push_back({i, a.indices[k], a.values[k]});
    return all;
}

/// Rows of entries in (row, column) order; entries at the same position keep their order.
plain_csr<double> from_entries(std::int32_t rows, std::int32_t columns, std::vector<entry> all) {
    std::stable_sort(all.begin(), all.end(), [](entry const& a, entry const& b) {
        return a.row < b.row || (a.row == b.row && a.column < b.column);
    });
    plain_csr<double> m;
    m.rows = rows;
    m.columns = columns;
    m.offsets.assign(std::size_t(rows) + 1, 0);
    for (auto const& e : all) {
        ++m.offsets[std::size_t(e.row) + 1];
        m.indices.push_back(e.column);
        m.values.push_back(e.value);
    }
    std::partial_sum(m.offsets.begin(), m.offsets.end(), m.offsets.begin());
    return m;
}

template <class Matrix>
bool equal(Matrix const& got, plain_csr<double> const& expected) {
    host_executor const host{1};
    return same_bits(host.copy(got), expected.on(host));
}

/// Entries at random positions without duplicates; about half of the positions are mirrored, some with another value.
plain_csr<double> random_square(std::int32_t n, int entries, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::int32_t> index(0, n - 1);
    std::uniform_int_distribution<int> small(-4, 4); // zeros and equal magnitudes occur
    std::map<std::pair<int, int>, double> positions;
    for (int k = 0; k < entries; ++k) {
        int const i = index(random), j = index(random), kind = small(random);
        double const value = small(random) / 4.0;
        positions[{i, j}] = value;
        if (kind > 0) positions[{j, i}] = kind > 2 ? -value : value;
    }
    std::vector<entry> all;
    for (auto const& [position_key, value] : positions) all.push_back({position_key.first, position_key.second, value});
    return from_entries(n, n, all);
}

/// A| - diag(|A|), plus its transpose if it is not symmetric, from the definition.
plain_csr<double> plain_weights(plain_csr<double> const& a) {
    std::map<std::pair<int, int>, double> weight;
    for (auto const& e : entries_of(a))
        if (e.row != e.column && e.value != 0) weight[{e.row, e.column}] = std::abs(e.value);
    bool symmetric = true;
    for (auto const& [position_key, w] : weight) {
        auto const mirror = weight.find({position_key.second, position_key.first});
        symmetric = symmetric && mirror != weight.end() && mirror->second == w;
    }
    auto sum = weight;
    if (!symmetric)
        for (auto const& [position_key, w] : weight) sum[{position_key.second, position_key.first}] += w;
    std::vector<entry> all;
    for (auto const& [position_key, w] : sum) all.push_back({position_key.first, position_key.second, w});
    return from_entries(a.rows, a.columns, all);
}

plain_csr<double> shuffled_rows(plain_csr<double> a, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < std::size_t(a.rows); ++i)
        for (auto k = a.offsets[i + 1] - 1; k > a.offsets[i]; --k) {
            auto const other = std::uniform_int_distribution<std::int32_t>(a.offsets[i], k)(random);
            std::swap(a.indices[std::size_t(k)], a.indices[std::size_t(other)]);
            std::swap(a.values[std::size_t(k)], a.values[std::size_t(other)]);
        }
    return a;
}

} // namespace

TEST_CASE_TEMPLATE("transpose and sort_columns keep the order of equal positions", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, lengths] : hard_row_lengths(11)) {
        for (std::int32_t const columns :
             {7, 700, 70001}) { // fewer columns than the ranges of the first pass, and more
            auto const& case_name = name;
            CAPTURE(case_name);
            CAPTURE(columns);
            auto const plain = random_matrix<double>(lengths, columns, 5);
            auto const a = plain.on(exec);
            auto all = entries_of(plain);
            CHECK(equal(sort_columns(exec, a.view()), from_entries(plain.rows, columns, all)));
            for (auto& e : all) std::swap(e.row, e.column);
            CHECK(equal(transpose(exec, a.view()), from_entries(columns, plain.rows, all)));
        }
    }
}

TEST_CASE_TEMPLATE("transpose of bands and of few columns", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // Several chunks of nonzeros with disjoint columns; empty rows, unsorted rows, duplicates, columns without
    // nonzeros.
    std::int32_t const rows = 60000;
    for (std::int32_t const columns : {60060, 60}) {
        plain_csr<double> a{rows, columns, {0}, {}, {}};
        for (std::int32_t i = 0; i < rows; ++i) {
            std::int32_t const first = columns == 60 ? i % 20 : i + 9;
            if (i % 7 != 2)
                for (std::int32_t const step : {31, 5, 5, 0}) {
                    a.indices.push_back(first + step);
                    a.values.push_back(double(a.values.size()));
                }
            a.offsets.push_back(std::int32_t(a.indices.size()));
        }
        auto all = entries_of(a);
        for (auto& e : all) std::swap(e.row, e.column);
        CHECK(equal(transpose(exec, view_of(a.on(exec))), from_entries(columns, rows, all)));
    }
}

TEST_CASE_TEMPLATE("operations on matrices without rows, columns or nonzeros", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    csr<double> const nothing;
    CHECK(transpose(exec, nothing.view()).rows() == 0);
    CHECK(sort_columns(exec, nothing.view()).rows() == 0);
    CHECK(permute(exec, nothing.view(), {}).rows() == 0);
    CHECK(symmetrised_weights(exec, nothing.view()).rows() == 0);
    CHECK(extract_diagonal(exec, nothing.view()).size() == 0);
    CHECK(extract_tridiagonal(exec, nothing.view()).size() == 0);
    CHECK(is_symmetric(exec, nothing.view()));
    CHECK(describe(exec, nothing.view()).degrees.smallest == 0);

    auto const wide = plain_csr<double>{0, 5, {0}, {}, {}}.on(exec);
    CHECK(equal(transpose(exec, wide.view()), plain_csr<double>{5, 0, {0, 0, 0, 0, 0, 0}, {}, {}}));
    auto const tall = plain_csr<double>{2, 0, {0, 0, 0}, {}, {}}.on(exec);
    CHECK(equal(transpose(exec, tall.view()), plain_csr<double>{0, 2, {0}, {}, {}}));

    auto const one = plain_csr<double>{1, 1, {0, 1}, {0}, {-2.0}}.on(exec);
    auto const info = describe(exec, one.view());
    CHECK(info.diagonal_coverage == 1);
    CHECK(info.identity_coverage == 1);
    CHECK(symmetrised_weights(exec, one.view()).nonzeros() == 0);
}

TEST_CASE_TEMPLATE("permute gives P A P^T", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int32_t const n : {1, 2, 3, 40, 3000}) {
        CAPTURE(n);
        auto const plain = shuffled_rows(random_square(n, 6 * n, 3), 4);
        std::vector<std::int32_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937_64(9));
        std::vector<std::int32_t> position(order.size());
        for (std::size_t p = 0; p < order.size(); ++p) position[std::size_t(order[p])] = std::int32_t(p);
        auto permuted_entries = entries_of(plain);
        for (auto& e : permuted_entries) e = {position[std::size_t(e.row)], position[std::size_t(e.column)], e.value};
        auto const permutation = exec.copy(order);
        CHECK(equal(permute(exec, view_of(plain.on(exec)), permutation.view()), from_entries(n, n, permuted_entries)));
        CHECK(to_vector(exec, invert_permutation(exec, permutation.view())) == position);
    }
}

TEST_CASE_TEMPLATE("permute rejects what is not a permutation", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_square(4, 9, 1).on(exec);
    using order = std::vector<std::int32_t>;
    for (auto const& wrong : {order{0, 1, 1, 3}, order{0, 1, 4, 3}, order{-1, 1, 2, 3}}) {
        auto const permutation = exec.copy(wrong);
        CHECK_THROWS_AS(permute(exec, a.view(), permutation.view()), argument_error);
    }
    auto const repeated = exec.copy(order{0, 1, 1, 3});
    CHECK_THROWS_WITH(permute(exec, a.view(), repeated.view()), doctest::Contains("2 does not occur"));
    auto const brief = exec.copy(order{0, 1, 2});
    CHECK_THROWS_AS(permute(exec, a.view(), brief.view()), dimension_error);
    auto const wide = plain_csr<double>{1, 2, {0, 1}, {1}, {1.0}}.on(exec);
    auto const single = exec.copy(order{0});
    CHECK_THROWS_AS(permute(exec, wide.view(), single.view()), dimension_error);
}

TEST_CASE_TEMPLATE("symmetry of pattern and of values", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const check = [&](std::vector<entry> all, bool pattern, bool values) {
        auto const sorted = from_entries(4, 4, std::move(all));
        for (auto const& plain : {sorted, shuffled_rows(sorted, 2)}) {
            auto const found = symmetry_of(exec, view_of(plain.on(exec)));
            CHECK(found.pattern == pattern);
            CHECK(found.values == values);
            CHECK(is_symmetric(exec, view_of(plain.on(exec))) == values);
        }
    };
    double const nan = std::numeric_limits<double>::quiet_NaN();
    check({}, true, true);
    check({{0, 1, 2}, {1, 0, 2}, {3, 3, 1}, {1, 2, -1}, {2, 1, -1}}, true, true);
    check({{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, -1}, {2, 1, -1}}, false, false);
    check({{0, 1, 2}, {1, 0, 3}}, true, false);
    check({{0, 1, 2}, {1, 0, -2}}, true, false);
    check({{0, 1, 2}}, false, false);
    check({{0, 1, 2}, {2, 0, 2}}, false,
          false); // the same number of entries as its transpose, in total and in each row
    check({{0, 3, nan}, {3, 0, nan}}, true, false);
    auto const wide = plain_csr<double>{1, 2, {0, 0}, {}, {}}.on(exec);
    CHECK_FALSE(symmetry_of(exec, wide.view()).pattern);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        auto const plain = random_square(300, 1000, seed);
        auto mirrored = entries_of(plain);
        for (auto const& e : entries_of(plain)) mirrored.push_back({e.column, e.row, e.value});
        std::map<std::pair<int, int>, double> sums;
        for (auto const& e : mirrored) sums[{e.row, e.column}] += e.value;
        std::vector<entry> all;
        for (auto const& [position_key, value] : sums) all.push_back({position_key.first, position_key.second, value});
        auto sum = from_entries(300, 300, all);
        CHECK(is_symmetric(exec, view_of(sum.on(exec))));
        sum.values[sum.values.size() / 2] += 1; // on the diagonal the matrix remains symmetric
        auto const changed = entries_of(sum)[sum.values.size() / 2];
        CHECK(is_symmetric(exec, view_of(sum.on(exec))) == (changed.row == changed.column));
    }
}

TEST_CASE_TEMPLATE("symmetrised weights", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int32_t const n : {1, 2, 3, 50, 2000})
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            CAPTURE(n);
            auto const plain = random_square(n, 5 * n, seed);
            auto const expected = plain_weights(plain);
            CHECK(equal(symmetrised_weights(exec, view_of(plain.on(exec))), expected));
            CHECK(equal(symmetrised_weights(exec, view_of(shuffled_rows(plain, 8).on(exec))), expected));
            // Symmetrised weights are symmetric, so a second symmetrisation does not add them twice.
            CHECK(equal(symmetrised_weights(exec, view_of(expected.on(exec))), expected));
        }
    // The matrix is symmetric by magnitude, since signs do not matter and a stored zero is not an edge. Therefore the
    // result is |A| and not |A| + |A^T|.
    auto const skew = from_entries(3, 3, {{0, 1, 2}, {1, 0, -2}, {1, 2, 0}, {2, 2, 7}});
    CHECK(equal(symmetrised_weights(exec, view_of(skew.on(exec))), from_entries(3, 3, {{0, 1, 2}, {1, 0, 2}})));
    // A dense row and a dense column.
    std::vector<entry> arrow;
    for (std::int32_t i = 0; i < 3000; ++i) arrow.push_back({7, i, 1.0 + i});
    auto const arrow_matrix = from_entries(3000, 3000, arrow);
    CHECK(equal(symmetrised_weights(exec, view_of(arrow_matrix.on(exec))), plain_weights(arrow_matrix)));
}

TEST_CASE_TEMPLATE("symmetrised weights reject NaN", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const infinity = std::numeric_limits<double>::infinity();
    auto const bad = from_entries(4, 4, {{0, 1, 2}, {1, 0, 2}, {2, 3, -infinity}, {3, 1, std::nan("")}}).on(exec);
    CHECK_THROWS_WITH_AS(symmetrised_weights(exec, bad.view()), "row 2, column 3 holds -inf, expected a finite value",
                         matrix_error);
    auto const twice = from_entries(2, 2, {{0, 1, 2}, {0, 1, 3}}).on(exec);
    CHECK_THROWS_AS(symmetrised_weights(exec, twice.view()), matrix_error);
    auto const wide = plain_csr<double>{1, 2, {0, 1}, {1}, {1.0}}.on(exec);
    CHECK_THROWS_WITH_AS(symmetrised_weights(exec, wide.view()), doctest::Contains("1 x 2"), dimension_error);
}

TEST_CASE_TEMPLATE("diagonal and tridiagonal parts", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937_64 random(3);
    for (std::int32_t const n : {1, 2, 5, 900}) {
        auto const plain = random_matrix<double>(std::vector<std::int64_t>(std::size_t(n), 6), n, 17);
        std::vector<double> band[3];
        for (auto& b : band) b.assign(std::size_t(n), 0.0);
        for (auto const& e : entries_of(plain)) // in storage order, so that sums of duplicates have the same bits
            if (std::abs(e.column - e.row) <= 1) band[e.column - e.row + 1][std::size_t(e.row)] += e.value;
        auto const a = plain.on(exec);
        auto const bands = extract_tridiagonal(exec, a.view());
        CHECK(to_vector(exec, bands.lower) == band[0]);
        CHECK(to_vector(exec, bands.diagonal) == band[1]);
        CHECK(to_vector(exec, bands.upper) == band[2]);
        CHECK(to_vector(exec, extract_diagonal(exec, a.view())) == band[1]);
    }
    auto const wide = plain_csr<double>{2, 3, {0, 2, 3}, {0, 1, 2}, {4, 5, 6}}.on(exec);
    CHECK(to_vector(exec, extract_diagonal(exec, wide.view())) == std::vector<double>{4, 0});
    CHECK_THROWS_AS(extract_tridiagonal(exec, wide.view()), dimension_error);
}

TEST_CASE_TEMPLATE("quantities of a matrix", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, lengths] : hard_row_lengths(5)) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const plain = random_matrix<double>(lengths, 900, 23);
        long double diagonal = 0, near_diagonal = 0, off = 0, largest = 0;
        std::int64_t lower = 0, upper = 0;
        std::vector<double> on_diagonal(std::min(lengths.size(), std::size_t(900)), 0.0);
        for (auto const& e : entries_of(plain)) {
            long double const weight = std::abs(e.value);
            (e.row == e.column ? diagonal : off) += weight;
            if (std::abs(e.row - e.column) == 1) near_diagonal += weight;
            if (e.row == e.column) on_diagonal[std::size_t(e.row)] += e.value;
            lower = std::max<std::int64_t>(lower, e.row - e.column);
            upper = std::max<std::int64_t>(upper, e.column - e.row);
            largest = std::max(largest, weight);
        }
        auto const a = plain.on(exec);
        auto const weights = coverages(exec, a.view());
        CHECK(weights.diagonal == doctest::Approx(double(diagonal)).epsilon(1e-12));
        CHECK(weights.near_diagonal == doctest::Approx(double(near_diagonal)).epsilon(1e-12));
        CHECK(weights.off_diagonal == doctest::Approx(double(off)).epsilon(1e-12));
        CHECK(bandwidths(exec, a.view()).lower == lower);
        CHECK(bandwidths(exec, a.view()).upper == upper);
        auto const found = degrees(exec, a.view());
        if (!lengths.empty()) {
            CHECK(found.smallest == *std::min_element(lengths.begin(), lengths.end()));
            CHECK(found.largest == *std::max_element(lengths.begin(), lengths.end()));
            CHECK(found.mean == doctest::Approx(double(plain.values.size()) / double(lengths.size())));
        }
        auto const info = describe(exec, a.view());
        CHECK(info.largest_magnitude == double(largest));
        CHECK(info.zero_diagonals == std::count(on_diagonal.begin(), on_diagonal.end(), 0.0));
        CHECK(info.nonzeros == std::int64_t(plain.values.size()));
        CHECK(info.sorted_columns == has_sorted_columns(exec, a.view()));
        if (diagonal + off > 0)
            CHECK(info.diagonal_coverage == doctest::Approx(double(diagonal / (diagonal + off))).epsilon(1e-12));
        if (off > 0) CHECK(info.identity_coverage == doctest::Approx(double(near_diagonal / off)).epsilon(1e-12));
    }
}

TEST_CASE_TEMPLATE("values computed by hand", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    double const nan = std::numeric_limits<double>::quiet_NaN();
    // [ 4 -1  0 ]
    // [ .  0  2 ]
    // [ 5  .  . ]
    auto const a = from_entries(3, 3, {{0, 0, 4}, {0, 1, -1}, {0, 2, 0}, {1, 1, 0}, {1, 2, 2}, {2, 0, 5}}).on(exec);
    auto const info = describe(exec, a.view());
    CHECK(info.diagonal_coverage == 4.0 / 12);
    CHECK(info.identity_coverage == 3.0 / 8);
    CHECK(info.bandwidth.lower == 2);
    CHECK(info.bandwidth.upper == 2);
    CHECK(info.degrees.smallest == 1);
    CHECK(info.degrees.largest == 3);
    CHECK(info.degrees.mean == 2);
    CHECK(info.zero_diagonals == 2);
    CHECK(info.sorted_columns);
    CHECK_FALSE(info.symmetric_pattern);
    CHECK(info.nonfinite == 0);
    CHECK(info.largest_magnitude == 5);

    auto const bad = from_entries(2, 2, {{0, 0, nan}, {0, 1, 3}, {1, 0, 1 / 0.0}, {1, 1, 1}}).on(exec);
    CHECK(describe(exec, bad.view()).nonfinite == 2);
    CHECK(describe(exec, bad.view()).largest_magnitude == 3);
    CHECK(std::isnan(describe(exec, bad.view()).diagonal_coverage));
    CHECK_FALSE(has_sorted_columns(exec, view_of(from_entries(1, 3, {{0, 1, 1}, {0, 1, 1}}).on(exec))));
}

TEST_CASE_TEMPLATE("single precision", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = plain_csr<float>{2, 2, {0, 2, 4}, {1, 0, 0, 1}, {-3, 1, 2, 1}}.on(exec);
    auto const weights = host_executor{1}.copy(symmetrised_weights(exec, a.view()));
    CHECK(weights.nonzeros() == 2);
    CHECK(weights.values()[0] == 5.0f);
    CHECK(weights.values()[1] == 5.0f);
    CHECK(describe(exec, a.view()).diagonal_coverage == 2.0 / 7);
    CHECK(to_vector(exec, transpose(exec, a.view()).values()) == std::vector<float>{1, 2, -3, 1});
}

TEST_CASE("columns of a lane are sorted for any length, with their values or alone") {
    std::mt19937 random(4);
    for (int const length : {0, 1, 2, 31, 32, 33, 34, 63, 64, 65, 100, 1000})
        for (int const distinct : {1, 7, 100000})
            for (bool const ascending : {true, false}) { // else in random order
                CAPTURE(length);
                CAPTURE(distinct);
                std::vector<std::int32_t> columns(std::size_t(length), 0);
                for (int k = 0; k < length; ++k)
                    columns[std::size_t(k)] = ascending ? k / distinct : std::int32_t(random() % unsigned(distinct));
                std::vector<double> values;
                for (auto const c : columns) values.push_back(2.0 * c + 1);
                auto expected = columns, alone = columns;
                std::sort(expected.begin(), expected.end());
                coppice::detail::lane_sort<double, std::int32_t>{alone.data(), nullptr}(length);
                CHECK(alone == expected);
                coppice::detail::lane_sort<double, std::int32_t>{columns.data(), values.data()}(length);
                CHECK(columns == expected);
                bool paired = true;
                for (std::size_t k = 0; k < columns.size(); ++k) paired = paired && values[k] == 2.0 * columns[k] + 1;
                CHECK(paired);
            }
}

TEST_CASE("negative sizes and complex values in messages") {
    host_executor const exec{1};
    using matrix = csr<double>;
    for (auto const& [rows, columns] : {std::pair{-1, 3}, {2, -1}}) {
        std::string const message =
            "matrix of negative size: " + std::to_string(rows) + " x " + std::to_string(columns);
        std::string made, converted;
        try {
            matrix(rows, columns, buffer<std::int32_t>(exec, 1), buffer<std::int32_t>(exec, 0),
                   buffer<double>(exec, 0));
        } catch (argument_error const& e) {
            made = e.what();
        }
        try {
            csr_from_arrays(exec, rows, columns, std::vector{0}, std::vector<int>{}, std::vector<double>{});
        } catch (argument_error const& e) {
            converted = e.what();
        }
        CHECK(made == message);
        CHECK(converted == message);
    }
    using pair = complex_pair<double>;
    csr<pair> const a(2, 2, exec.copy(std::vector{0, 1, 2}), exec.copy(std::vector{1, 0}),
                      exec.copy(std::vector<pair>{{1, 2}, {3, std::numeric_limits<double>::infinity()}}));
    CHECK_THROWS_WITH_AS(coppice::detail::require_finite(exec, a.view()),
                         "row 1, column 0 holds (3.000000, inf), expected a finite value", matrix_error);
}

TEST_CASE("arrays numbered from 1 are copied, and numbers outside of the matrix are errors") {
    host_executor const exec{1};
    std::vector<std::int64_t> const offsets{1, 2, 4, 5};
    std::vector<unsigned> columns{2, 1, 3, 3};
    std::vector<float> const values{1, 2, 3, 4};
    auto const a = csr_from_arrays(exec, 3, 3, offsets, columns, values, {.base = 1});
    CHECK(to_vector(exec, a.row_offsets()) == std::vector{0, 1, 3, 4});
    CHECK(to_vector(exec, a.column_indices()) == std::vector{1, 0, 2, 2});
    CHECK(to_vector(exec, a.values()) == values);
    columns[3] = 4;
    CHECK_THROWS_WITH_AS(csr_from_arrays(exec, 3, 3, offsets, columns, values, {.base = 1}),
                         "element 3 of the column indices is 4, expected at least 1 and less than 4", matrix_error);
    columns[3] = 0;
    CHECK_THROWS_WITH_AS(csr_from_arrays(exec, 3, 3, offsets, columns, values, {.base = 1}),
                         "element 3 of the column indices is 0, expected at least 1 and less than 4", matrix_error);
}

TEST_CASE("owners and views of matrices are accepted alike") {
    host_executor const exec{1};
    auto const a = random_square(60, 400, 3).on(exec);
    CHECK(same_bits(transpose(exec, a), transpose(exec, a.view())));
    CHECK(same_bits(transpose(exec, transpose(exec, a)), sort_columns(exec, a)));
    CHECK(same_bits(extract_diagonal(exec, a), extract_diagonal(exec, a.view())));
    CHECK(same_bits(extract_tridiagonal(exec, a).lower, extract_tridiagonal(exec, a.view()).lower));
    CHECK(symmetry_of(exec, a).pattern == symmetry_of(exec, a.view()).pattern);
    CHECK(is_symmetric(exec, a) == is_symmetric(exec, a.view()));
    CHECK(has_sorted_columns(exec, a) == has_sorted_columns(exec, a.view()));
    CHECK(same_bits(symmetrised_weights(exec, a), symmetrised_weights(exec, a.view())));
    CHECK(describe(exec, a).nonzeros == a.nonzeros());
    buffer<std::int32_t> reversed(exec, 60);
    for (std::int32_t i = 0; i < 60; ++i) reversed[i] = 59 - i;
    CHECK(same_bits(permute(exec, a, reversed), permute(exec, a.view(), reversed.view())));
}
