// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random sparse matrices and vectors, and their comparison.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "support/executors.hpp"
#include <coppice/sparse.hpp>

namespace coppice::test {

/// A matrix in std::vectors, rows sorted.
template <class T>
struct plain_matrix {
    std::int32_t rows = 0, columns = 0;
    std::vector<std::int32_t> offsets{0}, indices{};
    std::vector<T> values{};

    friend bool operator==(plain_matrix const&, plain_matrix const&) = default;
    template <executor Executor>
    csr<T> on(Executor const& exec) const {
        buffer<T> v(host_executor(1), std::int64_t(values.size()));
        for (std::size_t k = 0; k < values.size(); ++k)
            v[std::int64_t(k)] = values[k]; // vector<bool> is not contiguous
        return {rows, columns, exec.copy(offsets), exec.copy(indices), exec.copy(v)};
    }
};

template <executor Executor, class T>
plain_matrix<T> plain(Executor const&, csr<T> const& on_device) {
    csr<T> const a = host_executor(1).copy(on_device);
    plain_matrix<T> to{a.rows(), a.columns()};
    to.offsets.assign(a.row_offsets().begin(), a.row_offsets().end());
    to.indices.assign(a.column_indices().begin(), a.column_indices().end());
    to.values.assign(a.values().begin(), a.values().end());
    return to;
}

/// Small integers, so that sums are exact in any order; one row in five is empty, one in nine four times as dense.
template <class T>
plain_matrix<T> random_sparse(std::int32_t rows, std::int32_t columns, double density, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> chance(0, 1);
    plain_matrix<T> a{rows, columns};
    for (std::int32_t i = 0; i < rows; ++i) {
        double const here = i % 5 == 3 ? 0 : i % 9 == 4 ? 4 * density : density;
        for (std::int32_t j = 0; j < columns; ++j)
            if (chance(random) < here) {
                a.indices.push_back(j);
                a.values.push_back(static_cast<T>(random() % 5));
            }
        a.offsets.push_back(static_cast<std::int32_t>(a.indices.size()));
    }
    return a;
}

/// The product by its definition.
template <class Semiring, class T>
auto by_definition(Semiring const& s, plain_matrix<T> const& a, plain_matrix<T> const& b) {
    using sum = accumulator_t<std::remove_cvref_t<decltype(s.add)>>;
    plain_matrix<sum> c{a.rows, b.columns};
    for (std::int32_t i = 0; i < a.rows; ++i) {
        std::map<std::int32_t, sum> row;
        for (auto p = a.offsets[std::size_t(i)]; p < a.offsets[std::size_t(i) + 1]; ++p) {
            auto const k = std::size_t(a.indices[std::size_t(p)]);
            for (auto q = b.offsets[k]; q < b.offsets[k + 1]; ++q) {
                auto const [at, is_new] = row.try_emplace(b.indices[std::size_t(q)], s.add.identity());
                at->second =
                    s.add(at->second, s.multiply(a.values[std::size_t(p)], b.values[std::size_t(q)], std::int64_t(k)));
            }
        }
        for (auto const& [column, value] : row) {
            c.indices.push_back(column);
            c.values.push_back(value);
        }
        c.offsets.push_back(static_cast<std::int32_t>(c.indices.size()));
    }
    return c;
}

/// Masks, accumulators and descriptors of one call.
struct call {
    bool masked = false, accumulated = false;
    descriptor desc{};
};

/// All distinct combinations: without a mask, `structure` has no effect.
inline std::vector<call> every_call() {
    std::vector<call> all;
    for (int bits = 0; bits < 128; ++bits) {
        call c{(bits & 1) != 0, (bits & 2) != 0, {}};
        c.desc.replace = (bits & 4) != 0;
        c.desc.structure = (bits & 8) != 0;
        c.desc.complement = (bits & 16) != 0;
        c.desc.transpose0 = (bits & 32) != 0;
        c.desc.transpose1 = (bits & 64) != 0;
        if (c.masked || !c.desc.structure) all.push_back(c);
    }
    return all;
}

} // namespace coppice::test
