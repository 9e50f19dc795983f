// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The filter of a prolongator in rows at rank boundaries, and the sums of the couplings that it drops and keeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/multilevel/level_coupling.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::inline v0_1::distributed {

/// A row at a rank boundary: its global aggregate, or -1 - its component if it has none; the sign of its couplings, and
/// the magnitude of its diagonal. Has no padding, because a device would not write padding that the host copies.
struct boundary_row {
    std::int32_t aggregate;
    std::int32_t kind; ///< a multilevel_detail::row_kind
    double diagonal;

    COPPICE_HD std::int32_t component(std::int32_t block) const {
        return aggregate < 0 ? -1 - aggregate : aggregate % block;
    }
};
static_assert(sizeof(boundary_row) == 2 * sizeof(std::int32_t) + sizeof(double));
struct describe_boundary_row {
    std::int32_t const *rows, *of;
    double const* diagonal;
    multilevel_detail::row_kind const* kinds;
    double scale;
    std::int32_t first, block;
    boundary_row* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i];
        to[i] = {of[row] < 0 ? -1 - row % block : first + of[row], std::int32_t(kinds[row]), diagonal[row] * scale};
    }
};

/// Filters a row of K: for each entry the aggregate of its column, or one of the constants of filtered_entries.
template <class T>
struct filter_row {
    csr_view<T> k; ///< columns: positions in the halo
    boundary_row const *mine, *halo;
    multilevel_detail::filter_threshold threshold;
    bool smooths;
    std::int32_t block;
    std::int32_t* target; ///< of the entries
    COPPICE_HD void operator()(std::int64_t r) const {
        boundary_row const row = mine[r];
        for (std::int32_t at = k.offsets[r]; at < k.offsets[r + 1]; ++at) {
            boundary_row const other = halo[k.indices[at]];
            bool const keeps = smooths && row.aggregate >= 0 && row.component(block) == other.component(block) &&
                               threshold.keeps(double(k.coefficients[at]), multilevel_detail::row_kind(row.kind),
                                               row.diagonal, other.diagonal);
            target[at] = !keeps                 ? filtered_entries<T>::dropped
                         : other.aggregate >= 0 ? other.aggregate
                                                : filtered_entries<T>::without_aggregate;
        }
    }
};
/// The sum of the dropped entries of a row of K, and the magnitudes of the others. Lumping preserves only constants:
/// for other vectors the sum is NaN if any entry is dropped, so that the row is not smoothed. (Lumping would also
/// destroy the linearity of the real form of a complex matrix, because the two rows of an unknown have different sums.)
template <class T>
struct sum_filtered_row {
    csr_view<T> k;
    bool lumps;
    std::int32_t const *rows, *target;
    T *dropped, *remaining;
    std::int32_t* row_of; ///< of the entries
    COPPICE_HD void operator()(std::int64_t r) const {
        T out(0), in(0);
        for (std::int32_t at = k.offsets[r]; at < k.offsets[r + 1]; ++at) {
            T const value = k.coefficients[at];
            row_of[at] = rows[r];
            if (target[at] == filtered_entries<T>::dropped)
                out += lumps ? value : std::numeric_limits<T>::quiet_NaN();
            else
                in += detail::magnitude(value);
        }
        dropped[rows[r]] = out;
        remaining[rows[r]] = in;
    }
};
/// The entries of a row of P_0, `count` per row; zeros for a row without entries.
template <class T>
struct gather_tentative {
    csr_view<T> p;
    std::int32_t const* rows;
    std::int32_t count;
    T* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const begin = p.offsets[rows[i]], end = p.offsets[rows[i] + 1];
        for (std::int32_t c = 0; c < count; ++c) to[i * count + c] = begin < end ? p.coefficients[begin + c] : T(0);
    }
};

/// P_0 in the halo of a level: [halo, per_aggregate], row by row; empty if all entries are 1.
template <executor Executor, class T>
buffer<T> tentative_in_halo(Executor const& exec, rank_communicator const& messages,
                            coupled_level<Executor, T> const& level,
                            multilevel_detail::tentative_prolongator<T, std::int32_t> const& tentative) {
    auto const count = std::int32_t(tentative.per_aggregate);
    if (count == 0) return {};
    halo_plan const& plan = level.outer.plan();
    auto const& rows = level.outer.sent_rows();
    buffer<T> sent(exec, rows.size() * count), received(exec, plan.received() * count);
    for_each(exec, rows.size(), gather_tentative<T>{tentative.p, rows.data(), count, sent.data()});
    auto const elements = [&](rank_offsets begin) {
        for (std::int64_t& of_rank : begin) of_rank *= count;
        return begin;
    };
    exchange(exec, messages, elements(plan.send_begin), static_cast<T const*>(sent.data()),
             elements(plan.receive_begin), received.data());
    return received;
}

/// Decides which entries of K the filter keeps, and collects what K_F P_0 needs of other ranks. `rule` has the scaled
/// diagonals and the aggregates of the rows of the rank; `first_below` is the global index of its first column of P_0.
template <executor Executor, class T>
filtered_entries<T> filter_at_boundaries(Executor const& exec, rank_communicator const& messages,
                                         coupled_level<Executor, T> const& level,
                                         multilevel_detail::filter_rule<T, std::int32_t> const& rule, double scale,
                                         bool smooths, std::int32_t first_below,
                                         multilevel_detail::tentative_prolongator<T, std::int32_t> const& tentative) {
    auto const per_aggregate = std::int32_t(std::max(tentative.per_aggregate, 1)), block = rule.along.block;
    auto const describe = [&](buffer<std::int32_t> const& rows) {
        buffer<boundary_row> described(exec, rows.size());
        for_each(exec, rows.size(),
                 describe_boundary_row{rows.data(), rule.along.of, rule.diagonal, rule.kinds, scale,
                                       first_below / per_aggregate, block, described.data()});
        return described;
    };
    halo_plan const& plan = level.outer.plan();
    auto const mine = describe(level.rows.rows), sent = describe(level.outer.sent_rows());
    buffer<boundary_row> halo(exec, plan.received());
    exchange(exec, messages, plan.send_begin, sent.data(), plan.receive_begin, halo.data());
    filtered_entries<T> entries{buffer<std::int32_t>(exec, level.rows.values.size()), per_aggregate,
                                tentative_in_halo(exec, messages, level, tentative)};
    csr_view<T> const k = level.rows_of_k();
    for_each(exec, k.rows(),
             filter_row<T>{k, mine.data(), halo.data(), rule.threshold, smooths, block, entries.target.data()});
    return entries;
}

struct is_selected_entry {
    std::int32_t const* target;
    COPPICE_HD bool operator()(std::int64_t e) const { return target[e] >= 0; }
};
/// The entries of K_F P_0 that an entry of K gives.
template <class T>
struct store_smoothing {
    csr_view<T> k;
    std::int32_t const *target, *row;
    T const* tentative; ///< null: 1
    std::int32_t per_aggregate;
    std::int32_t *to_row, *to_column;
    T* to_value;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t e) const {
        for (std::int32_t c = 0; c < per_aggregate; ++c) {
            std::int64_t const to = position * per_aggregate + c;
            to_row[to] = row[e];
            to_column[to] = target[e] * per_aggregate + c;
            T const value = k.coefficients[e];
            to_value[to] = tentative ? value * tentative[std::int64_t(k.indices[e]) * per_aggregate + c] : value;
        }
    }
};
/// K_F P_0 of a level, [rows of the rank, `all_below`], from the decisions of the filter and the values of K; also the
/// sums of rows at rank boundaries: `dropped` and `remaining` of other rows stay unchanged.
template <executor Executor, class T>
hypersparse_rows<T> smoothing_at_boundaries(Executor const& exec, coupled_level<Executor, T> const& level,
                                            std::int32_t all_below, T* dropped, T* remaining) {
    csr_view<T> const k = level.rows_of_k();
    std::int64_t const count = k.nonzeros();
    std::int32_t const per_aggregate = level.filtered.per_aggregate;
    buffer<std::int32_t> row_of(exec, count), rows(exec, count * per_aggregate), columns(exec, rows.size());
    buffer<T> values(exec, rows.size());
    std::int32_t const* const target = level.filtered.target.data();
    T const* const tentative = level.filtered.tentative.empty() ? nullptr : level.filtered.tentative.data();
    for_each(exec, k.rows(),
             sum_filtered_row<T>{k, !tentative, level.rows.rows.data(), target, dropped, remaining, row_of.data()});
    std::int64_t const tuples = select(exec, count, is_selected_entry{target},
                                       store_smoothing<T>{k, target, row_of.data(), tentative, per_aggregate,
                                                          rows.data(), columns.data(), values.data()});
    auto const shorten = [&](auto const& all) { return copy_of(exec, all.view().slice(0, tuples * per_aggregate)); };
    return matrix_of_tuples(exec, level.size, all_below, shorten(rows), shorten(columns), shorten(values));
}

template <class T>
struct damp_row {
    std::int32_t const *list, *offsets;
    array_view<std::int32_t const> damped; ///< indices of the rows of `factors`, sorted
    T const* factors;
    T* values;
    COPPICE_HD void operator()(std::int64_t r) const {
        T const by = -factors[coppice::detail::lower_position(damped.data(), 0, damped.size(), std::int64_t(list[r]))];
        for (std::int32_t k = offsets[r]; k < offsets[r + 1]; ++k) values[k] *= by;
    }
};
/// Computes Q = -damping K_F P_0 in place: on entry q is K_F P_0. `rows` contains the row indices of `damping`, sorted.
template <executor Executor, class T>
void damp(Executor const& exec, hypersparse_rows<T>& q, buffer<std::int32_t> const& rows, buffer<T> const& damping) {
    for_each(exec, q.list().size(),
             damp_row<T>{q.list().data(), q.entries().view().offsets, rows.view(), damping.data(),
                         q.entries().values().data()});
}

} // namespace coppice::inline v0_1::distributed
