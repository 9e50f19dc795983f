// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the Galerkin product of a level in parts has besides those of the parts' own blocks.
///
/// Over all parts the matrix is A + K, with the own blocks A and the couplings K between parts, and the prolongator
/// P + Q, where Q, in rows at the cuts, leads to aggregates of other parts. Besides R A P of its own block a part makes
///
///     R K (P + Q) + R A Q                    rows of its own
///     Q^T A P + Q^T A Q + Q^T K (P + Q)      rows of other parts, which it sends to them
///
/// of rows at the cuts alone. Q is there where all own blocks are symmetric, so that R = P^T, Q^T A P is the transpose
/// of R A Q, and the columns of A at the cuts are its rows there.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/coupling_entries.hpp>

namespace coppice::distributed {

/// Of a level, what its part has to know. Where Q crosses nowhere, `rows` and what follows are not looked at.
template <class T>
struct level_at_cuts {
    listed_rows<T> k;                 ///< [rows at the cuts], columns: places in the halo
    listed_rows<T> r;                 ///< [rows at the cuts] of R^T, columns of the part
    listed_rows<T> p_halo;            ///< [halo] of P + Q, columns over all parts
    listed_rows<T> q;                 ///< [rows at the cuts], columns over all parts
    std::vector<std::int32_t> rows{}; ///< [rows at the cuts], rising
    std::vector<std::int32_t> near{}; ///< rows of the part that A couples with these, rising
    listed_rows<T> a{};               ///< [rows at the cuts], columns: places among `near`
    listed_rows<T> p{};               ///< [near], columns of the part
};
template <class T>
struct products_at_cuts {
    std::vector<coupling_entry<T>> own{};  ///< rows of the part, columns over all parts
    std::vector<coupling_entry<T>> sent{}; ///< rows and columns over all parts
};

/// `first`: row of the next level that the part begins with, over all parts.
template <class T>
products_at_cuts<T> multiply_at_cuts(host_executor const& exec, level_at_cuts<T> const& level, std::int32_t first) {
    // Columns by their places among those that occur.
    listed_rows<T> p_halo = level.p_halo, q = level.q;
    std::vector<std::int32_t> columns = p_halo.columns;
    columns.insert(columns.end(), q.columns.begin(), q.columns.end());
    column_places const places(columns);
    std::size_t const count = places.distinct.size();
    for (auto* const listed : {&p_halo, &q})
        for (std::int32_t& c : listed->columns) c = places(c);

    products_at_cuts<T> made;
    auto const put = [&](std::vector<std::int32_t> const& names, listed_rows<T> const& product, auto const& add) {
        for (auto* const to : {&made.own, &made.sent}) to->reserve(to->size() + product.columns.size());
        for (std::size_t i = 0; i < product.rows(); ++i)
            for (std::size_t l = product.begin(i); l < product.end(i); ++l)
                add(names[i], places.distinct[std::size_t(product.columns[l])], product.values[l]);
    };
    listed_rows<T> const kp = multiply(exec, level.k, p_halo, count);
    turned_rows<T> const r(level.r);
    put(r.names, multiply(exec, r.rows, kp, count), [&](std::int32_t row, std::int32_t column, T value) {
        made.own.push_back({row, column, value});
    });
    if (q.columns.empty()) return made;
    listed_rows<T> const aq = multiply(exec, transpose(level.a, std::int32_t(level.near.size())), q, count);
    turned_rows<T> const p(level.p);
    put(p.names, multiply(exec, p.rows, aq, count), [&](std::int32_t row, std::int32_t column, T value) {
        made.own.push_back({row, column, value});
        made.sent.push_back({column, first + row, value});
    });
    turned_rows<T> const turned(level.q);
    put(turned.names, multiply(exec, turned.rows, side_by_side(kp, rows_of(aq, level.near, level.rows)), count),
        [&](std::int32_t row, std::int32_t column, T value) {
            made.sent.push_back({row, column, value});
        });
    return made;
}

} // namespace coppice::distributed
