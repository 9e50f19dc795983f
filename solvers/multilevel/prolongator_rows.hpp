// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The smoothed prolongator row by row, where P_0 is constant on aggregates: a row of P has a column for each aggregate
/// that the kept entries of the row lead to, so that a worker finds it, and later its values, in one look at the row of
/// A.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/semiring/products/marked_columns.hpp>
#include <coppice/semiring/products/product_plan.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::multilevel_detail {

// Rows that a worker takes at a time.
inline constexpr std::int64_t prolongator_block = 2048;

/// Marks what A_F keeps of a row, as mark_kept does; whether the row is smoothed.
template <class T, class I>
void mark_row(csr_view<T, I> a, is_kept<T, I> const& kept, filtered_couplings<T> const& others, std::int64_t row,
              std::uint8_t* marks) {
    I const* const of = kept.along.of;
    I const begin = a.row_begin(row), end = a.row_end(row);
    filtered_row<T> sum{T(0), T(0)};
    for (I k = begin; k < end; ++k) {
        T const value = a.coefficients[k];
        std::int64_t const column = a.indices[k];
        marks[k] = column != row && kept(value, row, column);
        if (marks[k])
            sum.kept = sum.kept + magnitude(value);
        else
            sum.lumped = sum.lumped + value;
    }
    bool const member = of[row] >= 0;
    sum = with_others(sum, others, row);
    bool const smoothed = member && smooths(in_units(sum, kept.one_by_unit), kept.diagonal[row]);
    for (I k = begin; k < end; ++k) marks[k] = std::int64_t(a.indices[k]) == row ? member : smoothed && marks[k];
}

/// Adds the aggregates of the marked entries of a row to the end of `columns`, rising, each once.
template <class T, class I>
void append_aggregates(csr_view<T, I> a, std::uint8_t const* marks, I const* of, std::int64_t row,
                       std::vector<I>& columns) {
    constexpr std::ptrdiff_t short_row = 32; // insertion takes the square of what longer ones have
    auto const start = std::ptrdiff_t(columns.size());
    for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
        if (marks[k] && of[a.indices[k]] >= 0) columns.push_back(of[a.indices[k]]);
    auto const first = columns.begin() + start;
    if (columns.end() - first > short_row)
        std::sort(first, columns.end());
    else
        detail::sort_words(columns.data() + start, columns.end() - first);
    columns.erase(std::unique(first, columns.end()), columns.end());
}

/// marks[nonzeros] of A, and the structure of P into `plan`.
template <class T, class I>
void find_prolongator_rows(host_executor const& exec, csr_view<T, I> a, is_kept<T, I> const& kept,
                           filtered_couplings<T> const& others, array_view<std::uint8_t> marks, product_plan<I>& plan) {
    std::int64_t const rows = a.rows();
    plan.offsets = buffer<I>(exec, rows + 1);
    plan.offsets[0] = 0;
    std::vector<std::vector<I>> parts(std::size_t((rows + prolongator_block - 1) / prolongator_block));
    detail::for_each_block(exec, rows, prolongator_block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        std::vector<I> columns;
        columns.reserve(std::size_t(4 * prolongator_block));
        for (std::int64_t i = first; i < last; ++i) {
            mark_row(a, kept, others, i, marks.data());
            append_aggregates(a, marks.data(), kept.along.of, i, columns);
            plan.offsets[i + 1] = I(columns.size());
        }
        parts[std::size_t(p)] = std::move(columns);
    });
    auto const starts = detail::starts_of_parts(parts, [](auto const& columns) { return columns.size(); });
    plan.indices = buffer<I>(exec, detail::product_size<I>(starts.back()));
    detail::join_row_blocks(exec, parts, starts, prolongator_block, plan.offsets,
                            [&](auto const& columns, std::int64_t start) {
                                std::copy(columns.begin(), columns.end(), plan.indices.data() + start);
                            });
}

/// p[nonzeros of P]: the values of its rows.
template <class T, class I>
void fill_prolongator_rows(host_executor const& exec, csr_view<T, I> a, filter_scales<T> const& scales,
                           array_view<std::uint8_t const> marks, array_view<I const> of, product_plan<I> const& plan,
                           array_view<T> p) {
    constexpr std::ptrdiff_t few = 16; // columns that are looked through one by one
    filter_by_mark<T, I> const filter{};
    add_filtered<T> const add{};
    detail::for_each_block(exec, a.rows(), prolongator_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            I const* const columns = plan.indices.data() + plan.offsets[row];
            I const* const columns_end = plan.indices.data() + plan.offsets[row + 1];
            if (columns == columns_end) continue;
            T* const values = p.data() + plan.offsets[row];
            std::fill(values, values + (columns_end - columns), T(0));
            I const begin = a.row_begin(row), end = a.row_end(row);
            auto sum = add.identity();
            for (I k = begin; k < end; ++k) sum = add(sum, filter(a.coefficients[k], a.indices[k], marks[k], row));
            damped_row<T> const r = damp_row(with_others(sum, scales.others, row), scales.others.magnitude(row),
                                             scales.one_by_unit(), scales.diagonal()[row]);
            for (I k = begin; k < end; ++k) {
                I const column = marks[k] ? of[a.indices[k]] : I(-1);
                if (column < I(0)) continue;
                I const* at = columns;
                if (columns_end - columns > few)
                    at = std::lower_bound(columns, columns_end, column);
                else
                    while (*at != column) ++at;
                T& value = values[at - columns];
                value = value + (std::int64_t(a.indices[k]) == row ? r.on_diagonal() : r.beside(a.coefficients[k]));
            }
        }
    });
}

} // namespace coppice::multilevel_detail
