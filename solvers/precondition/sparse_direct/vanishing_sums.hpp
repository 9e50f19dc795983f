// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Finds matrices that are singular because rows or columns sum to zero, as those of graph Laplacians and rates of
/// Markov chains. Whether an elimination of such a matrix ends with a zero pivot depends on rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/error.hpp>

namespace coppice::inline v0_1::detail {

/// Connected components of the nonzeros of A + A^T: a representative of each row.
template <class S>
std::vector<std::int32_t> components_of_nonzeros(csr_view<S> a) {
    std::vector<std::int32_t> parent(std::size_t(a.rows()));
    std::iota(parent.begin(), parent.end(), 0);
    auto const root = [&](std::int32_t i) {
        for (; parent[std::size_t(i)] != i; i = parent[std::size_t(i)])
            parent[std::size_t(i)] = parent[std::size_t(parent[std::size_t(i)])]; // path halving
        return i;
    };
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
            if (a.coefficients[k] != S(0)) parent[std::size_t(root(i))] = root(a.indices[k]);
    for (std::int32_t i = 0; i < a.rows(); ++i) parent[std::size_t(i)] = root(i);
    return parent;
}

/// Sum of the entries of a row or column, relative to the largest one, so that it cannot overflow.
template <class S>
struct relative_sum {
    double largest = 0, size = 0; ///< size: sum of the relative magnitudes
    S sum = S(0);
    int count = 0;

    void add(S const& value) {
        if (value == S(0)) return;
        S const relative = value / largest;
        sum += relative;
        size += std::abs(relative);
        ++count;
    }
    /// Whether a relative change of the entries by their number times epsilon makes the sum zero.
    bool vanishes() const {
        return count > 0 && std::abs(sum) <= double(count) * std::numeric_limits<double>::epsilon() * size;
    }
};

/// Throws matrix_error if all rows, or all columns, of a connected component sum to zero up to rounding: then A is
/// singular to working precision. `a` has finite values. Takes time for one pass over the matrix, and for the
/// components if there are such sums.
template <class S>
void refuse_vanishing_sums(csr_view<S> a) {
    auto const n = std::size_t(a.rows());
    std::vector<relative_sum<S>> rows(n), columns(n);
    auto const for_all = [&](auto const& use) {
        for (std::int32_t i = 0; i < a.rows(); ++i)
            for (auto k = a.row_begin(i); k < a.row_end(i); ++k)
                use(rows[std::size_t(i)], columns[std::size_t(a.indices[k])], a.coefficients[k]);
    };
    for_all([](auto& row, auto& column, S const& value) {
        double const size = std::abs(value);
        row.largest = std::max(row.largest, size), column.largest = std::max(column.largest, size);
    });
    for_all([](auto& row, auto& column, S const& value) { row.add(value), column.add(value); });
    for (auto const* const sums : {&rows, &columns}) {
        auto const vanishes = [](relative_sum<S> const& s) { return s.vanishes(); };
        if (std::none_of(sums->begin(), sums->end(), vanishes)) continue;
        auto const component = components_of_nonzeros(a);
        std::vector<bool> uneven(n, false);
        for (std::size_t i = 0; i < n; ++i)
            if (!vanishes((*sums)[i])) uneven[std::size_t(component[i])] = true;
        for (std::size_t i = 0; i < n; ++i)
            if (!uneven[std::size_t(component[i])])
                throw matrix_error(std::string("sparse direct solver: the matrix is singular to working precision (") +
                                   (sums == &rows ? "rows" : "columns") + " sum to zero: row " + std::to_string(i) +
                                   ", from 0, and all that are connected with it)");
    }
}

} // namespace coppice::inline v0_1::detail
