// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random difficult CSR patterns: empty rows, one dense row, power-law lengths, duplicates, unsorted columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>

#include "support/sanitized.hpp"

namespace coppice::test {

/// A CSR matrix in plain vectors.
template <class T, class I = std::int32_t, class O = I>
struct plain_csr {
    I rows = 0;
    I columns = 0;
    std::vector<O> offsets{0};
    std::vector<I> indices{};
    std::vector<T> values{};

    template <class Executor>
    csr<T, I, O> on(Executor const& exec) const {
        return {rows, columns, exec.copy(offsets), exec.copy(indices), exec.copy(values)};
    }
};

/// A matrix with rows of the given lengths and random columns, which may repeat and are not sorted.
template <class T, class I = std::int32_t, class O = I>
plain_csr<T, I, O> random_matrix(std::vector<std::int64_t> const& row_lengths, I columns, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<I> column(0, std::max<I>(columns - 1, 0));
    std::uniform_real_distribution<double> value(-1, 1);
    plain_csr<T, I, O> a;
    a.rows = static_cast<I>(row_lengths.size());
    a.columns = columns;
    for (std::int64_t const length : row_lengths) {
        for (std::int64_t k = 0; k < length; ++k) {
            a.indices.push_back(column(random));
            a.values.push_back(static_cast<T>(value(random)));
        }
        a.offsets.push_back(static_cast<O>(a.indices.size()));
    }
    return a;
}

struct named_lengths {
    std::string name;
    std::vector<std::int64_t> lengths;
};

/// Row lengths at the boundaries of every launcher: none, empty, short, long, mixed.
inline std::vector<named_lengths> hard_row_lengths(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    std::vector<named_lengths> all;
    all.push_back({"no rows", {}});
    all.push_back({"one empty row", {0}});
    all.push_back({"one row of one", {1}});
    all.push_back({"all rows empty", std::vector<std::int64_t>(70000, 0)});
    all.push_back({"one long row", {100000}});
    all.push_back({"stencil", std::vector<std::int64_t>(9000, 9)});
    all.push_back({"rows of eight", std::vector<std::int64_t>(5000, 8)});
    all.push_back({"short row limit", std::vector<std::int64_t>(300, 64)});
    all.push_back({"past the short row limit", std::vector<std::int64_t>(300, 65)});
    std::vector<std::int64_t> mixed;
    for (int i = 0; i < 20000; ++i) mixed.push_back(draw(0, 3) == 0 ? draw(0, 40) : 0);
    all.push_back({"many empty rows", mixed});
    std::vector<std::int64_t> dense(4000, 3);
    dense[1234] = 50000;
    all.push_back({"one dense row", dense});
    std::vector<std::int64_t> edges(3000, 0);
    edges.front() = 40000;
    edges.back() = 40000;
    all.push_back({"long rows at both ends", edges});
    std::vector<std::int64_t> power;
    for (int i = 0; i < 5000; ++i) {
        double const u = std::uniform_real_distribution<double>(1e-3, 1)(random);
        power.push_back(static_cast<std::int64_t>(std::min(20000.0, 2 * std::pow(u, -1.2))) - 2);
    }
    all.push_back({"power law", power});
    for (std::int64_t const length : {2046, 2047, 2048, 2049, 4096})
        all.push_back({"rows of " + std::to_string(length), {length, 1, length, 0, 0, length}});
    if (races_watched) // one each of empty, equal, long and mixed rows
        std::erase_if(all, [](named_lengths const& each) {
            return each.name != "no rows" && each.name != "stencil" && each.name != "one dense row" &&
                   each.name != "power law" && each.name != "rows of 2049";
        });
    return all;
}

} // namespace coppice::test
