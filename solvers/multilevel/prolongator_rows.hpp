// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Row-by-row computation of the smoothed prolongator if P_0 is constant on aggregates: a row of P has a column for
/// each aggregate of the remaining entries of the row of A. A worker computes it in one pass over the row of A, and new
/// values in another.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/algebra/rows/row_blocks_host.hpp>
#include <coppice/semiring/spgemm/product_host.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::inline v0_1::multilevel_detail {

// Rows per block of work.
inline constexpr std::int64_t prolongator_block = 2048;
// Maximum number of nonzeros of a row that is sorted by insertion, whose cost is quadratic.
inline constexpr std::ptrdiff_t short_row = 32;

/// Flags the entries of a row that pass the filter, as flag_filtered does; returns the row of omega D_F^-1, as
/// damp_flagged_row() does.
template <class T, class I>
damped_row<T> flag_row(csr_view<T, I> a, filter_rule<T, I> const& rule, filtered_couplings<T> const& others,
                       std::int64_t row, std::uint8_t* flags) {
    I const* const of = rule.along.of;
    I const begin = a.row_begin(row), end = a.row_end(row);
    filtered_row<T> sum{T(0), T(0)};
    T all = T(0);
    for (I k = begin; k < end; ++k) {
        T const value = a.coefficients[k];
        std::int64_t const column = a.indices[k];
        flags[k] = column != row && rule(value, row, column);
        all = all + value;
        if (flags[k])
            sum.remaining = sum.remaining + magnitude(value);
        else
            sum.lumped = sum.lumped + value;
    }
    bool const member = of[row] >= 0;
    sum = with_couplings(sum, others, row);
    bool const smoothed = member && smooths(scaled(sum, rule.inverse_scale), rule.diagonal[row]);
    if (!smoothed) {
        for (I k = begin; k < end; ++k) flags[k] = 0;
        sum = with_couplings(filtered_row<T>{all, T(0)}, others, row);
    }
    if (I const diagonal = position_between(a.indices, begin, end, row); diagonal >= I(0)) flags[diagonal] = member;
    return damp_row(sum, others.magnitude(row), rule.inverse_scale, rule.diagonal[row]);
}

/// The values of A, or those at the transposed positions, i.e. of A^T.
template <class T, class I>
struct original_or_mirrored {
    T const* values;
    I const* mirrors; ///< null: the values of A
    T operator()(I k) const { return !mirrors ? values[k] : mirrors[k] < 0 ? T(0) : values[mirrors[k]]; }
};
/// Returns a row of omega D_F^-1 from the flags of its entries.
template <class T, class I>
damped_row<T> damp_flagged_row(csr_view<T, I> a, original_or_mirrored<T, I> const& values,
                               filter_scales<T> const& scales, std::uint8_t const* flags, std::int64_t row) {
    filter_by_flag<T, I> const filter{};
    add_filtered<T> const add{};
    auto sum = add.identity();
    for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
        sum = add(sum, filter(values(k), a.indices[k], flags[k], row));
    return damp_row(with_couplings(sum, scales.others, row), scales.others.magnitude(row), scales.inverse_scale(),
                    scales.diagonal()[row]);
}

/// Rows of P of one worker: columns, values for A and values for A^T.
template <class T, class I>
struct found_prolongator_rows {
    detail::slab_storage<I> columns{};
    detail::slab_storage<T> values{}, mirrored{};
};
template <class T, class I>
struct prolongator_chunk {
    I const* columns = nullptr;
    T const *values = nullptr, *mirrored = nullptr;
    std::int64_t size = 0;
};

/// Calls use(k, aggregate) for the flagged entries k of a row whose column has an aggregate.
template <class T, class I, class Use>
void for_flagged(csr_view<T, I> a, std::uint8_t const* flags, I const* of, std::int64_t row, Use const& use) {
    for (I k = a.row_begin(row), end = a.row_end(row); k < end; ++k)
        if (flags[k] && of[a.indices[k]] >= 0) use(k, of[a.indices[k]]);
}
/// Writes the distinct aggregates of the flagged entries of a row to `columns`, ascending; returns their number.
/// `columns` must have capacity for all entries.
template <class T, class I>
std::int64_t find_row(csr_view<T, I> a, std::uint8_t const* flags, I const* of, std::int64_t row, I* columns) {
    I* end = columns;
    for_flagged(a, flags, of, row, [&](I, I aggregate) { *end++ = aggregate; });
    if (end - columns > short_row)
        std::sort(columns, end);
    else
        detail::sort_words(columns, end - columns);
    return std::unique(columns, end) - columns;
}
/// Computes the values of a row of P, whose `count` columns are known.
template <class T, class I>
void fill_row(csr_view<T, I> a, original_or_mirrored<T, I> const& of_a, std::uint8_t const* flags, I const* of,
              std::int64_t row, damped_row<T> const& r, I const* columns, std::int64_t count, T* values) {
    constexpr std::int64_t few = 16; // columns that are searched linearly
    std::fill(values, values + count, T(0));
    for_flagged(a, flags, of, row, [&](I k, I aggregate) {
        I const* at = columns;
        if (count > few)
            at = std::lower_bound(columns, columns + count, aggregate);
        else
            while (*at != aggregate) ++at;
        T& value = values[at - columns];
        value = value + (std::int64_t(a.indices[k]) == row ? r.on_diagonal() : r.off_diagonal(of_a(k)));
    });
}

/// find_row() and fill_row() in one pass over a short row; `mirrored`, for the row of the transpose, may be null.
template <class T, class I>
std::int64_t make_short_row(csr_view<T, I> a, std::uint8_t const* flags, I const* of, std::int64_t row,
                            damped_row<T> const& own, damped_row<T> const& transposed,
                            original_or_mirrored<T, I> const& of_transpose, I* columns, T* values, T* mirrored) {
    std::int64_t count = 0;
    for_flagged(a, flags, of, row, [&](I k, I aggregate) {
        std::int64_t at = 0;
        while (at < count && columns[at] != aggregate) ++at;
        if (at == count) {
            columns[count] = aggregate;
            values[count] = T(0);
            if (mirrored) mirrored[count] = T(0);
            ++count;
        }
        bool const diagonal = std::int64_t(a.indices[k]) == row;
        values[at] = values[at] + (diagonal ? own.on_diagonal() : own.off_diagonal(a.coefficients[k]));
        if (mirrored)
            mirrored[at] =
                mirrored[at] + (diagonal ? transposed.on_diagonal() : transposed.off_diagonal(of_transpose(k)));
    });
    if (mirrored)
        detail::sort_by_insertion(count, columns, values, mirrored);
    else
        detail::sort_by_insertion(count, columns, values);
    return count;
}

/// Values of P and of the transpose of the restriction, which has the same pattern; the latter is empty if A is
/// symmetric.
template <class T>
struct transfer_values {
    buffer<T> p{}, r_transposed{};
};

/// Computes the flags[nonzeros] of A, the structure of P in `plan`, and the values. `mirrors`: null if A is symmetric.
template <class T, class I>
transfer_values<T> find_prolongator_rows(host_executor const& exec, csr_view<T, I> a, filter_rule<T, I> const& rule,
                                         filter_scales<T> const& scales, I const* mirrors,
                                         array_view<std::uint8_t> flags, product_plan<I>& plan) {
    std::int64_t const rows = a.rows();
    I const* const of = rule.along.of;
    original_or_mirrored<T, I> const own{a.coefficients, nullptr}, transposed{a.coefficients, mirrors};
    plan.offsets = buffer<I>(exec, rows + 1);
    plan.offsets[0] = 0;
    std::vector<prolongator_chunk<T, I>> chunks(std::size_t((rows + prolongator_block - 1) / prolongator_block));
    detail::lending_pool<found_prolongator_rows<T, I>> pool;
    detail::for_each_block(exec, rows, prolongator_block, [&](std::int64_t p, std::int64_t first, std::int64_t last) {
        auto found = pool.take([] { return found_prolongator_rows<T, I>{}; });
        std::int64_t const max_entries = a.row_begin(last) - a.row_begin(first), all = a.nonzeros();
        I* const columns = found->columns.reserve(exec, max_entries, all);
        T* const values = found->values.reserve(exec, max_entries, all);
        T* const mirrored = mirrors ? found->mirrored.reserve(exec, max_entries, all) : nullptr;
        std::int64_t n = 0;
        for (std::int64_t i = first; i < last; ++i) {
            auto const r = flag_row(a, rule, scales.others, i, flags.data());
            if (of[i] < I(0)) {
                plan.offsets[i + 1] = I(n);
                continue;
            }
            T* const to_mirrored = mirrors ? mirrored + n : nullptr;
            auto const row_of_transpose =
                mirrors ? damp_flagged_row(a, transposed, scales, flags.data(), i) : damped_row<T>{};
            std::int64_t here = 0;
            if (a.row_end(i) - a.row_begin(i) <= short_row) {
                here = make_short_row(a, flags.data(), of, i, r, row_of_transpose, transposed, columns + n, values + n,
                                      to_mirrored);
            } else {
                here = find_row(a, flags.data(), of, i, columns + n);
                fill_row(a, own, flags.data(), of, i, r, columns + n, here, values + n);
                if (mirrors)
                    fill_row(a, transposed, flags.data(), of, i, row_of_transpose, columns + n, here, to_mirrored);
            }
            n += here;
            plan.offsets[i + 1] = I(n);
        }
        found->columns.keep(n);
        found->values.keep(n);
        if (mirrors) found->mirrored.keep(n);
        chunks[std::size_t(p)] = {columns, values, mirrored, n};
        pool.bring_back(std::move(found));
    });
    auto const starts = detail::block_starts(chunks, [](auto const& chunk) { return chunk.size; });
    I const nonzeros = detail::product_size<I>(starts.back());
    plan.indices = buffer<I>(exec, nonzeros);
    transfer_values<T> values{buffer<T>(exec, nonzeros), buffer<T>(exec, mirrors ? nonzeros : I(0))};
    detail::concatenate_row_blocks(exec, chunks, starts, prolongator_block, plan.offsets,
                                   [&](auto const& chunk, std::int64_t start) {
                                       std::copy_n(chunk.columns, chunk.size, plan.indices.data() + start);
                                       std::copy_n(chunk.values, chunk.size, values.p.data() + start);
                                       if (mirrors)
                                           std::copy_n(chunk.mirrored, chunk.size, values.r_transposed.data() + start);
                                   });
    return values;
}

/// p[nonzeros of P]: the values of P for A or, with `mirrors`, for A^T.
template <class T, class I>
void fill_prolongator_rows(host_executor const& exec, csr_view<T, I> a, I const* mirrors,
                           filter_scales<T> const& scales, array_view<std::uint8_t const> flags, array_view<I const> of,
                           product_plan<I> const& plan, array_view<T> p) {
    original_or_mirrored<T, I> const values{a.coefficients, mirrors};
    detail::for_each_block(exec, a.rows(), prolongator_block, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
            I const begin = plan.offsets[i], count = plan.offsets[i + 1] - begin;
            if (count == 0) continue;
            fill_row(a, values, flags.data(), of.data(), i, damp_flagged_row(a, values, scales, flags.data(), i),
                     plan.indices.data() + begin, count, p.data() + begin);
        }
    });
}

} // namespace coppice::inline v0_1::multilevel_detail
