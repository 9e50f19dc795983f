// SPDX-License-Identifier: BSD-3-Clause
// Reductions of rows of features by warps (python/src/feature_warps.hpp) on CPU threads, compared with the definitions
// in double precision.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <coppice/core/executor.hpp>

#include "support/warps.hpp"

#include "python/src/feature_warps.hpp"

namespace {

using namespace coppice;
using namespace coppice::python;

/// Rows of the given lengths with random columns; a column may occur twice in a row.
struct random_rows {
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<float> values;
    std::int32_t width_of_matrix;

    random_rows(std::vector<int> const& lengths, std::int32_t matrix_columns, std::mt19937& draws)
        : width_of_matrix(matrix_columns) {
        std::uniform_int_distribution<std::int32_t> column(0, matrix_columns - 1), value(-3, 3);
        for (int const length : lengths) {
            for (int k = 0; k < length; ++k) columns.push_back(column(draws)), values.push_back(float(value(draws)));
            offsets.push_back(std::int32_t(columns.size()));
        }
    }
    csr_view<float> view() const {
        return {std::int32_t(offsets.size() - 1),
                width_of_matrix,
                offsets.back(),
                offsets.data(),
                columns.data(),
                values.data()};
    }
};

std::vector<float> features(std::int64_t rows, std::int64_t width, std::mt19937& draws) {
    std::uniform_int_distribution<int> value(-4, 4); // many equal products
    std::vector<float> x(std::size_t(rows * width));
    for (float& each : x) each = float(value(draws));
    return x;
}

struct reduced_rows {
    std::vector<float> y;
    std::vector<std::int32_t> from;
};

/// Values are small integers, so that sums are exact in any order.
reduced_rows definition_of(csr_view<float> a, std::vector<float> const& x, std::int64_t width, row_reduction how) {
    std::int64_t const rows = a.rows();
    reduced_rows all{std::vector<float>(std::size_t(rows * width)),
                     std::vector<std::int32_t>(std::size_t(rows * width), -1)};
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t c = 0; c < width; ++c) {
            double sum = 0, best = 0;
            std::int32_t at = -1;
            for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k) {
                double product = double(a.coefficients[k]) * double(x[std::size_t(a.indices[k] * width + c)]);
                sum += product;
                if (how == row_reduction::min) product = -product;
                if (at < 0 || (!std::isnan(best) && (product > best || std::isnan(product)))) best = product, at = k;
            }
            bool const adds = how == row_reduction::sum || how == row_reduction::mean;
            auto const to = std::size_t(i * width + c);
            int const count = a.offsets[i + 1] - a.offsets[i];
            all.y[to] = float(adds ? how == row_reduction::mean && count > 0 ? double(float(sum) / float(count)) : sum
                              : how == row_reduction::min ? -best
                                                          : best);
            if (!adds) all.from[to] = at;
        }
    return all;
}

bool same(std::vector<float> const& a, std::vector<float> const& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
    return a.size() == b.size();
}

/// Lengths on either side of those at which rows are cut, and empty rows.
std::vector<int> const hard_lengths{
    0,  0, 3, longest_whole_row, longest_whole_row + 1, 1, 0, 4 * piece_entries, 700, 1, 2, longest_whole_row + 1,
    31, 0};

} // namespace

TEST_CASE("reductions of features by warps equal their definitions") {
    std::mt19937 draws(1);
    host_executor const exec{1};
    for (std::int64_t const width : {1, 3, 4, 8, 20, 33, 132}) {
        std::vector<int> lengths = hard_lengths;
        if (width > 33) lengths = {0, 2, longest_whole_row + 1, 5};
        for (int extra = 0; extra < 5; ++extra) lengths.push_back(int(draws() % 40));
        random_rows const matrix(lengths, 50, draws);
        auto const a = matrix.view();
        auto x = features(a.columns(), width, draws);
        for (row_reduction const how :
             {row_reduction::sum, row_reduction::mean, row_reduction::max, row_reduction::min}) {
            CAPTURE(width);
            CAPTURE(int(how));
            if (how == row_reduction::max) x[std::size_t(width)] = std::numeric_limits<float>::quiet_NaN();
            if (how == row_reduction::min)
                for (float& each : x) each = each > 0 ? std::numeric_limits<float>::infinity() : each;
            auto const defined = definition_of(a, x, width, how);
            std::vector<float> y(defined.y.size(), -7);
            std::vector<std::int32_t> from(defined.from.size(), -7);
            bool const selects = how == row_reduction::max || how == row_reduction::min;
            reduce_by_warps(exec, a, x.data(), width, how, y.data(), selects ? from.data() : nullptr, {});
            CHECK(same(y, defined.y));
            for (std::int64_t i = 0; i < a.rows(); ++i) // the zeros of empty rows are positive
                if (a.offsets[i] == a.offsets[i + 1]) CHECK_FALSE(std::signbit(y[std::size_t(i * width)]));
            if (selects) CHECK(from == defined.from);
        }
    }
}

TEST_CASE("gradients of features by warps equal their definitions") {
    std::mt19937 draws(2);
    host_executor const exec{1};
    for (std::int64_t const width : {1, 4, 6, 33}) {
        CAPTURE(width);
        random_rows const matrix({0, 5, 40, longest_whole_row + 90, 7, 0, 1}, 30, draws);
        auto const a = matrix.view();
        auto const u = features(a.rows(), width, draws), v = features(a.columns(), width, draws);
        std::vector<std::int32_t> numbers(std::size_t(a.nonzeros())), of_row(std::size_t(a.rows() * width)),
            of_column(std::size_t(a.columns() * width));
        for (auto& each : numbers) each = std::int32_t(draws() % 5);
        for (auto& each : of_column) each = std::int32_t(draws() % 5);
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (std::int64_t c = 0; c < width; ++c) {
                int const count = a.offsets[i + 1] - a.offsets[i];
                of_row[std::size_t(i * width + c)] = count > 0 ? a.offsets[i] + std::int32_t(draws() % 3 % count) : -1;
            }

        std::vector<float> y(std::size_t(a.rows() * width)), defined(y.size());
        std::vector<float> plain(numbers.size()), chosen(numbers.size()), all(numbers.size()), some(numbers.size());
        for (std::int64_t i = 0; i < a.rows(); ++i)
            for (std::int32_t k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
                for (std::int64_t c = 0; c < width; ++c) {
                    auto const in = std::size_t(a.indices[k] * width + c), out = std::size_t(i * width + c);
                    if (of_column[in] == numbers[std::size_t(k)]) defined[out] += a.coefficients[k] * v[in];
                    all[std::size_t(k)] += u[out] * v[in];
                    if (of_row[out] == k) some[std::size_t(k)] += u[out] * v[in];
                }
        reduce_by_warps(exec, a, v.data(), width, row_reduction::sum, y.data(), nullptr,
                        {of_column.data(), numbers.data()});
        CHECK(y == defined);
        sample_in_warps(exec, a, u.data(), v.data(), width, plain.data(), nullptr);
        CHECK(plain == all);
        sample_in_warps(exec, a, u.data(), v.data(), width, chosen.data(), of_row.data());
        CHECK(chosen == some);
    }
}

TEST_CASE("reductions of features by warps have the same bits for any alignment") {
    std::mt19937 draws(3);
    host_executor const exec{1};
    std::uniform_real_distribution<float> value(-1, 1);
    for (std::int64_t const width : {4, 16, 136}) {
        CAPTURE(width);
        random_rows matrix({0, 9, longest_whole_row + 40, 3, 70}, 20, draws);
        for (float& each : matrix.values) each = value(draws);
        auto const a = matrix.view();
        auto const elements = std::size_t(a.columns() * width), results = std::size_t(a.rows() * width);
        std::vector<float> x(elements), shifted(elements + 1);
        for (std::size_t i = 0; i < elements; ++i) x[i] = shifted[i + 1] = value(draws);
        std::vector<float> y(results), of_shifted(results + 1), products(matrix.values.size()), more(products.size());
        reduce_by_warps(exec, a, x.data(), width, row_reduction::sum, y.data(), nullptr, {});
        reduce_by_warps(exec, a, shifted.data() + 1, width, row_reduction::sum, of_shifted.data() + 1, nullptr, {});
        CHECK(y == std::vector<float>(of_shifted.begin() + 1, of_shifted.end()));
        sample_in_warps(exec, a, y.data(), x.data(), width, products.data(), nullptr);
        sample_in_warps(exec, a, of_shifted.data() + 1, shifted.data() + 1, width, more.data(), nullptr);
        CHECK(products == more);
    }
}
