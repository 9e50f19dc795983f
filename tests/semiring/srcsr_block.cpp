// SPDX-License-Identifier: BSD-3-Clause
// The body of the SRCSR block kernel on CPU threads: order, barriers, and (under the thread sanitizer) races.
#include "semiring/srcsr_block.hpp"

#include <doctest/doctest.h>

#include <memory>

#include "support/block_stand_in.hpp"
#include "support/patterns.hpp"

using namespace coppice;
using test::block_runner;
using test::plain_csr;
using test::random_matrix;

namespace {

/// Strings over a small alphabet, as a hash with length: concatenation, the most order-sensitive operator there is.
struct word {
    std::uint64_t hash;
    std::uint64_t power; ///< of the base, to the length
    friend bool operator==(word const&, word const&) = default;
};
struct concatenate {
    word identity() const { return {0, 1}; }
    word operator()(word const& a, word const& b) const { return {a.hash * b.power + b.hash, a.power * b.power}; }
};
struct letter {
    word operator()(std::int64_t k) const { return {std::uint64_t(k) * 2654435761u + 1, 1000003}; }
};
struct letter_with_row {
    word operator()(std::int64_t k, std::int64_t row) const {
        return {std::uint64_t(k) * 2654435761u + std::uint64_t(row) * 97 + 1, 1000003};
    }
};

template <class Multiply>
word product(Multiply const& multiply, std::int64_t k, std::int64_t row) {
    return coppice::detail::multiply_nonzero(multiply, k, row);
}

/// Plans by the definition, runs every block, compares every row with a sequential fold.
template <class Multiply>
void check(block_runner& blocks, plain_csr<float> const& a, std::int64_t work, std::int64_t first_row,
           std::int64_t last_row) {
    using shape = coppice::detail::srcsr_shape<Multiply, concatenate, 64, 3>;
    Multiply const multiply{};
    std::vector<coppice::detail::path_point> starts;
    std::int64_t const path = std::int64_t(a.rows) + a.offsets.back();
    for (std::int64_t b = 0; b * work < path; ++b) {
        std::int64_t row = 0;
        while (row < a.rows && a.offsets[std::size_t(row)] + row < b * work) ++row;
        starts.push_back({row, a.offsets[std::size_t(row)]});
    }
    int const count = int(starts.size());
    starts.push_back({a.rows, a.offsets.back()});

    std::vector<word> y(std::size_t(a.rows), word{42, 42});
    std::vector<int> stores(std::size_t(a.rows), 0);
    coppice::detail::srcsr_job<std::int32_t> const job{a.offsets.data(), starts.data(), first_row, last_row};
    auto const store = [&](std::int64_t row, word const& w) {
        y[std::size_t(row)] = w;
        ++stores[std::size_t(row)];
    };
    blocks.run(count, [&](auto const& block, int b, std::byte* shared) {
        coppice::detail::srcsr_block<shape>(block, b, job, multiply, concatenate{}, store,
                                            *reinterpret_cast<typename shape::storage*>(shared));
    });
    for (std::int64_t i = 0; i < a.rows; ++i) {
        bool const inside = i >= first_row && i < last_row;
        REQUIRE(stores[std::size_t(i)] == (inside ? 1 : 0));
        word expected = concatenate{}.identity();
        for (std::int64_t k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k)
            expected = concatenate{}(expected, product(multiply, k, i));
        if (inside) REQUIRE(y[std::size_t(i)] == expected);
    }
}

} // namespace

TEST_CASE("the block kernel folds every row in order") {
    using shape = coppice::detail::srcsr_shape<letter_with_row, concatenate, 64, 3>;
    block_runner blocks(64, sizeof(shape::storage));
    std::vector<std::vector<std::int64_t>> const patterns{
        {1},
        std::vector<std::int64_t>(70, 5),   // one lane a row
        std::vector<std::int64_t>(9, 20),   // several lanes a row
        {0, 0, 150, 0, 1, 2, 0, 190, 0, 0}, // a row too long for its lanes: cut along the path
        {700, 3, 0, 500, 0, 0},             // tile after tile
        std::vector<std::int64_t>(300, 0),
        {1, 0, 49, 48, 47, 96, 97, 0},
    };
    for (auto const& lengths : patterns) {
        CAPTURE(lengths.size());
        auto const a = random_matrix<float>(lengths, 10, 1);
        for (std::int64_t const work : {64, 192, 500}) {
            check<letter>(blocks, a, work, 0, a.rows);
            check<letter_with_row>(blocks, a, work, 0, a.rows);
        }
        check<letter_with_row>(blocks, a, 192, a.rows / 3, a.rows - a.rows / 4);
    }
}
