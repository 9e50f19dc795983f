// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The smoothed prolongator row by row, where P_0 is constant on aggregates: a row of P has a column for each aggregate
/// that the kept entries of the row lead to, so that a worker makes it in one look at the row of A, and later values of
/// it in another.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::multilevel_detail {

// Rows that a worker takes at a time.
inline constexpr std::int64_t prolongator_block = 2048;
// Nonzeros of a row: insertion takes the square of what longer ones have.
inline constexpr std::ptrdiff_t short_row = 32;

/// Marks what A_F keeps of a row, as mark_kept does; the row of omega D_F^-1, as damp_marked_row() has it by the marks.
template <class T, class I>
damped_row<T> mark_row(csr_view<T, I> a, is_kept<T, I> const& kept, filtered_couplings<T> const& others,
                       std::int64_t row, std::uint8_t* marks) {
    I const* const of = kept.along.of;
    I const begin = a.row_begin(row), end = a.row_end(row);
    filtered_row<T> sum{T(0), T(0)};
    T all = T(0);
    for (I k = begin; k < end; ++k) {
        T const value = a.coefficients[k];
        std::int64_t const column = a.indices[k];
        marks[k] = column != row && kept(value, row, column);
        all = all + value;
        if (marks[k])
            sum.kept = sum.kept + magnitude(value);
        else
            sum.lumped = sum.lumped + value;
    }
    bool const member = of[row] >= 0;
    sum = with_others(sum, others, row);
    bool const smoothed = member && smooths(in_units(sum, kept.one_by_unit), kept.diagonal[row]);
    if (!smoothed) {
        for (I k = begin; k < end; ++k) marks[k] = 0;
        sum = with_others(filtered_row<T>{all, T(0)}, others, row);
    }
    if (I const diagonal = position_between(a.indices, begin, end, row); diagonal >= I(0)) marks[diagonal] = member;
    return damp_row(sum, others.magnitude(row), kept.one_by_unit, kept.diagonal[row]);
}

/// The values of A, or those at the mirror images of its entries: of A^T.
template <class T, class I>
struct own_or_mirrored {
    T const* values;
    I const* mirrors; ///< null: the own ones
    T operator()(I k) const { return !mirrors ? values[k] : mirrors[k] < 0 ? T(0) : values[mirrors[k]]; }
};
/// A row of omega D_F^-1 by the marks of its entries.
template <class T, class I>
damped_row<T> damp_marked_row(csr_view<T, I> a, own_or_mirrored<T, I> const& values, filter_scales<T> const& scales,
                              std::uint8_t const* marks, std::int64_t row) {
    filter_by_mark<T, I> const filter{};
    add_filtered<T> const add{};
    auto sum = add.identity();
    for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
        sum = add(sum, filter(values(k), a.indices[k], marks[k], row));
    return damp_row(with_others(sum, scales.others, row), scales.others.magnitude(row), scales.one_by_unit(),
                    scales.diagonal()[row]);
}

/// Rows of P as a worker finds them: columns, the values of A and those of A^T.
template <class T, class I>
struct found_prolongator_rows {
    detail::found_slabs<I> columns{};
    detail::found_slabs<T> values{}, mirrored{};
};
template <class T, class I>
struct prolongator_piece {
    I const* columns = nullptr;
    T const *values = nullptr, *mirrored = nullptr;
    std::int64_t size = 0;
};

/// Calls visit(k, aggregate) for the marked entries k of a row that lead to one.
template <class T, class I, class Visit>
void for_marked(csr_view<T, I> a, std::uint8_t const* marks, I const* of, std::int64_t row, Visit const& visit) {
    for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
        if (marks[k] && of[a.indices[k]] >= 0) visit(k, of[a.indices[k]]);
}
/// The aggregates of a row's marked entries to `columns`, rising, each once; returns how many. There is room for each.
template <class T, class I>
std::int64_t find_row(csr_view<T, I> a, std::uint8_t const* marks, I const* of, std::int64_t row, I* columns) {
    I* end = columns;
    for_marked(a, marks, of, row, [&](I, I aggregate) { *end++ = aggregate; });
    if (end - columns > short_row)
        std::sort(columns, end);
    else
        detail::sort_words(columns, end - columns);
    return std::unique(columns, end) - columns;
}
/// The values of a row of P, whose `count` columns are known.
template <class T, class I>
void fill_row(csr_view<T, I> a, own_or_mirrored<T, I> const& of_a, std::uint8_t const* marks, I const* of,
              std::int64_t row, damped_row<T> const& r, I const* columns, std::int64_t count, T* values) {
    constexpr std::int64_t few = 16; // columns that are looked through one by one
    std::fill(values, values + count, T(0));
    for_marked(a, marks, of, row, [&](I k, I aggregate) {
        I const* at = columns;
        if (count > few)
            at = std::lower_bound(columns, columns + count, aggregate);
        else
            while (*at != aggregate) ++at;
        T& value = values[at - columns];
        value = value + (std::int64_t(a.indices[k]) == row ? r.on_diagonal() : r.beside(of_a(k)));
    });
}

/// find_row() and fill_row() in one look at a short row; `mirrored`, with the row of the transpose, may be null.
template <class T, class I>
std::int64_t make_short_row(csr_view<T, I> a, std::uint8_t const* marks, I const* of, std::int64_t row,
                            damped_row<T> const& own, damped_row<T> const& turned,
                            own_or_mirrored<T, I> const& of_transpose, I* columns, T* values, T* mirrored) {
    std::int64_t count = 0;
    for_marked(a, marks, of, row, [&](I k, I aggregate) {
        std::int64_t at = 0;
        while (at < count && columns[at] != aggregate) ++at;
        if (at == count) {
            columns[count] = aggregate;
            values[count] = T(0);
            if (mirrored) mirrored[count] = T(0);
            ++count;
        }
        bool const diagonal = std::int64_t(a.indices[k]) == row;
        values[at] = values[at] + (diagonal ? own.on_diagonal() : own.beside(a.coefficients[k]));
        if (mirrored) mirrored[at] = mirrored[at] + (diagonal ? turned.on_diagonal() : turned.beside(of_transpose(k)));
    });
    if (mirrored)
        detail::sort_by_insertion(count, columns, values, mirrored);
    else
        detail::sort_by_insertion(count, columns, values);
    return count;
}

/// Values of P, and of the transpose of the restriction, which has its pattern: none where A is symmetric, and it is P.
template <class T>
struct prolongator_sides {
    buffer<T> p{}, turned_r{};
};

/// marks[nonzeros] of A, the structure of P into `plan`, and its values. `mirrors`: null where A is symmetric.
template <class T, class I>
prolongator_sides<T> find_prolongator_rows(host_executor const& exec, csr_view<T, I> a, is_kept<T, I> const& kept,
                                           filter_scales<T> const& scales, I const* mirrors,
                                           array_view<std::uint8_t> marks, product_plan<I>& plan) {
    std::int64_t const rows = a.rows();
    I const* const of = kept.along.of;
    own_or_mirrored<T, I> const own{a.coefficients, nullptr}, turned{a.coefficients, mirrors};
    plan.offsets = buffer<I>(exec, rows + 1);
    plan.offsets[0] = 0;
    std::vector<prolongator_piece<T, I>> parts(std::size_t((rows + prolongator_block - 1) / prolongator_block));
    detail::lending_pool<found_prolongator_rows<T, I>> pool;
    detail::for_each_block(exec, rows, prolongator_block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto found = pool.take([] { return found_prolongator_rows<T, I>{}; });
        std::int64_t const most = a.row_begin(last) - a.row_begin(first), all = a.nonzeros();
        I* const columns = found->columns.room(exec, most, all);
        T* const values = found->values.room(exec, most, all);
        T* const mirrored = mirrors ? found->mirrored.room(exec, most, all) : nullptr;
        std::int64_t n = 0;
        for (std::int64_t i = first; i < last; ++i) {
            auto const r = mark_row(a, kept, scales.others, i, marks.data());
            if (of[i] < I(0)) {
                plan.offsets[i + 1] = I(n);
                continue;
            }
            T* const to_mirrored = mirrors ? mirrored + n : nullptr;
            auto const r_turned = mirrors ? damp_marked_row(a, turned, scales, marks.data(), i) : damped_row<T>{};
            std::int64_t here = 0;
            if (a.row_end(i) - a.row_begin(i) <= short_row) {
                here =
                    make_short_row(a, marks.data(), of, i, r, r_turned, turned, columns + n, values + n, to_mirrored);
            } else {
                here = find_row(a, marks.data(), of, i, columns + n);
                fill_row(a, own, marks.data(), of, i, r, columns + n, here, values + n);
                if (mirrors) fill_row(a, turned, marks.data(), of, i, r_turned, columns + n, here, to_mirrored);
            }
            n += here;
            plan.offsets[i + 1] = I(n);
        }
        found->columns.keep(n);
        found->values.keep(n);
        if (mirrors) found->mirrored.keep(n);
        parts[std::size_t(p)] = {columns, values, mirrored, n};
        pool.bring_back(std::move(found));
    });
    auto const starts = detail::starts_of_parts(parts, [](auto const& part) { return part.size; });
    I const nonzeros = detail::product_size<I>(starts.back());
    plan.indices = buffer<I>(exec, nonzeros);
    prolongator_sides<T> sides{buffer<T>(exec, nonzeros), buffer<T>(exec, mirrors ? nonzeros : I(0))};
    detail::join_row_blocks(exec, parts, starts, prolongator_block, plan.offsets,
                            [&](auto const& part, std::int64_t start) {
                                std::copy_n(part.columns, part.size, plan.indices.data() + start);
                                std::copy_n(part.values, part.size, sides.p.data() + start);
                                if (mirrors) std::copy_n(part.mirrored, part.size, sides.turned_r.data() + start);
                            });
    return sides;
}

/// p[nonzeros of P]: the values of its rows, of A or, by its mirrors, of A^T.
template <class T, class I>
void fill_prolongator_rows(host_executor const& exec, csr_view<T, I> a, I const* mirrors,
                           filter_scales<T> const& scales, array_view<std::uint8_t const> marks, array_view<I const> of,
                           product_plan<I> const& plan, array_view<T> p) {
    own_or_mirrored<T, I> const values{a.coefficients, mirrors};
    detail::for_each_block(exec, a.rows(), prolongator_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            I const begin = plan.offsets[i], count = plan.offsets[i + 1] - begin;
            if (count == 0) continue;
            fill_row(a, values, marks.data(), of.data(), i, damp_marked_row(a, values, scales, marks.data(), i),
                     plan.indices.data() + begin, count, p.data() + begin);
        }
    });
}

} // namespace coppice::multilevel_detail
