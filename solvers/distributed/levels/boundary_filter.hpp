// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The filter of a prolongator in rows at rank boundaries, and the sums of the couplings that it drops and keeps.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::inline v0_1::distributed {

/// A row at a rank boundary: its global aggregate or -1, the sign of its couplings, and the magnitude of its diagonal.
/// Has no padding, because a device would not write padding that the host copies.
struct boundary_row {
    std::int32_t aggregate;
    std::int32_t kind; ///< a multilevel_detail::row_kind
    double diagonal;
};
static_assert(sizeof(boundary_row) == 2 * sizeof(std::int32_t) + sizeof(double));
struct describe_boundary_row {
    std::int32_t const *rows, *of;
    double const* diagonal;
    multilevel_detail::row_kind const* kinds;
    double scale;
    std::int32_t first;
    boundary_row* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i];
        to[i] = {of[row] < 0 ? -1 : first + of[row], std::int32_t(kinds[row]), diagonal[row] * scale};
    }
};

/// Filters a row of K: the sum of the dropped entries, the magnitudes of the remaining ones, and for each entry the
/// aggregate of its column, or -1 if it is dropped or its column has no aggregate.
template <class T>
struct filter_row {
    csr_view<T> k; ///< columns: positions in the halo
    std::int32_t const* rows;
    boundary_row const *mine, *halo;
    multilevel_detail::filter_threshold threshold;
    bool smooths;
    T *dropped, *remaining;
    std::int32_t *row_of, *target; ///< of the entries
    COPPICE_HD void operator()(std::int64_t r) const {
        T out(0), in(0);
        for (std::int32_t at = k.offsets[r]; at < k.offsets[r + 1]; ++at) {
            T const value = k.coefficients[at], size = detail::magnitude(value);
            boundary_row const other = halo[k.indices[at]];
            row_of[at] = rows[r];
            target[at] = -1;
            if (!smooths || mine[r].aggregate < 0 ||
                !threshold.keeps(double(value), multilevel_detail::row_kind(mine[r].kind), mine[r].diagonal,
                                 other.diagonal)) {
                out += value;
            } else {
                in += size;
                target[at] = other.aggregate;
            }
        }
        dropped[rows[r]] = out;
        remaining[rows[r]] = in;
    }
};

/// K_F P_0 of a level, [rows of the rank, `all_below`], and the filter sums of rows at rank boundaries; `left_out` and
/// `kept` of other rows stay unchanged. `rule` has the scaled diagonals and the aggregates of the rows of the
/// rank; `first_below` is the global index of its first aggregate.
template <executor Executor, class T>
hypersparse_rows<T>
filter_at_boundaries(Executor const& exec, rank_communicator const& messages, coupled_level<Executor, T> const& level,
                     multilevel_detail::filter_rule<T, std::int32_t> const& rule, double scale, bool smooths,
                     std::int32_t first_below, std::int32_t all_below, T* dropped, T* remaining) {
    auto const describe = [&](buffer<std::int32_t> const& rows) {
        buffer<boundary_row> described(exec, rows.size());
        for_each(exec, rows.size(),
                 describe_boundary_row{rows.data(), rule.along.of, rule.diagonal, rule.kinds, scale, first_below,
                                       described.data()});
        return described;
    };
    halo_plan const& plan = level.outer.plan();
    auto const& rows = level.rows;
    auto const mine = describe(rows.rows), sent = describe(level.outer.sent_rows());
    buffer<boundary_row> halo(exec, plan.received());
    exchange(exec, messages, plan.send_begin, sent.data(), plan.receive_begin, halo.data());
    std::int64_t const count = rows.values.size();
    buffer<std::int32_t> row_of(exec, count), target(exec, count), tuple_rows(exec, count), tuple_columns(exec, count);
    buffer<T> tuple_values(exec, count);
    csr_view<T> const k{std::int32_t(rows.rows.size()),
                        std::int32_t(level.needs.size()),
                        std::int32_t(count),
                        rows.offsets.data(),
                        rows.columns.data(),
                        rows.values.data()};
    for_each(exec, k.rows(),
             filter_row<T>{k, rows.rows.data(), mine.data(), halo.data(), rule.threshold, smooths, dropped, remaining,
                           row_of.data(), target.data()});
    std::int32_t const *const row = row_of.data(), *const column = target.data();
    std::int32_t *const to_row = tuple_rows.data(), *const to_column = tuple_columns.data();
    T* const to_value = tuple_values.data();
    std::int64_t const tuples = select(
        exec, count, [=] COPPICE_HD(std::int64_t e) { return column[e] >= 0; },
        [=] COPPICE_HD(std::int64_t position, std::int64_t e) {
            to_row[position] = row[e];
            to_column[position] = column[e];
            to_value[position] = k.coefficients[e];
        });
    auto const shorten = [&](auto const& all) { return copy_of(exec, all.view().slice(0, tuples)); };
    return matrix_of_tuples(exec, level.size, all_below, shorten(tuple_rows), shorten(tuple_columns),
                            shorten(tuple_values));
}

/// Computes Q = -damping K_F P_0 in place: on entry q is K_F P_0. `rows` contains the row indices of `damping`, sorted.
template <executor Executor, class T>
void damp(Executor const& exec, hypersparse_rows<T>& q, buffer<std::int32_t> const& rows, buffer<T> const& damping) {
    T* const values = q.entries().values().data();
    std::int32_t const *const list = q.list().data(), *const offsets = q.entries().view().offsets;
    auto const damped = rows.view();
    T const* const factors = damping.data();
    for_each(exec, q.list().size(), [=] COPPICE_HD(std::int64_t r) {
        T const by = -factors[detail::lower_position(damped.data(), 0, damped.size(), std::int64_t(list[r]))];
        for (std::int32_t k = offsets[r]; k < offsets[r + 1]; ++k) values[k] *= by;
    });
}

} // namespace coppice::inline v0_1::distributed
