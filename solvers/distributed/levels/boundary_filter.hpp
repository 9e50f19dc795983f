// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The filter of a prolongator in rows at the cuts between parts, and what it leaves of their couplings.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/levels/coupled_level.hpp>
#include <coppice/solvers/multilevel/prolongator_filter.hpp>

namespace coppice::distributed {

/// Aggregate of a row at a cut among those of all parts, or -1, the magnitude of its diagonal, and what couples in it.
struct cut_row {
    std::int32_t aggregate;
    multilevel_detail::row_kind kind;
    double diagonal;
};
struct look_at_cut_row {
    std::int32_t const *rows, *of;
    double const* diagonal;
    multilevel_detail::row_kind const* kinds;
    double unit;
    std::int32_t first;
    cut_row* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int32_t const row = rows[i];
        to[i] = {of[row] < 0 ? -1 : first + of[row], kinds[row], diagonal[row] * unit};
    }
};

/// The magnitudes of the entries of a row, added up.
template <class T>
struct sum_magnitudes {
    csr_view<T> k;
    std::int32_t const* rows;
    T* to;
    COPPICE_HD void operator()(std::int64_t r) const {
        T sum(0);
        for (std::int32_t at = k.offsets[r]; at < k.offsets[r + 1]; ++at) sum += detail::magnitude(k.coefficients[at]);
        to[rows[r]] = sum;
    }
};
/// A row of K as the filter sees it: what it leaves out, the magnitudes of what it keeps, and for each entry the
/// aggregate that it leads to, -1 where it is left out or leads to none.
template <class T>
struct filter_row {
    csr_view<T> k; ///< columns: places in the halo
    std::int32_t const* rows;
    cut_row const *mine, *halo;
    multilevel_detail::prolongator_share share;
    bool smooths;
    T *left_out, *kept;
    std::int32_t *row_of, *leads_to; ///< of the entries
    COPPICE_HD void operator()(std::int64_t r) const {
        T out(0), in(0);
        for (std::int32_t at = k.offsets[r]; at < k.offsets[r + 1]; ++at) {
            T const value = k.coefficients[at], size = detail::magnitude(value);
            cut_row const other = halo[k.indices[at]];
            row_of[at] = rows[r];
            leads_to[at] = -1;
            if (!smooths || mine[r].aggregate < 0 ||
                !share.holds(double(value), mine[r].kind, mine[r].diagonal, other.diagonal)) {
                out += value;
            } else {
                in += size;
                leads_to[at] = other.aggregate;
            }
        }
        left_out[rows[r]] = out;
        kept[rows[r]] = in;
    }
};
struct leads_somewhere {
    std::int32_t const* leads_to;
    COPPICE_HD bool operator()(std::int64_t k) const { return leads_to[k] >= 0; }
};
template <class T>
struct store_tuple {
    std::int32_t const *row_of, *leads_to;
    T const* values;
    std::int32_t *rows, *columns;
    T* to;
    COPPICE_HD void operator()(std::int64_t position, std::int64_t k) const {
        rows[position] = row_of[k];
        columns[position] = leads_to[k];
        to[position] = values[k];
    }
};

/// K_F P_0 of a level, [rows of the part, `all_below`], and the sums that the filter leaves in rows at the cuts; in
/// other rows `left_out` and `kept` stay. `kept_entries` has the diagonals in `unit` and the aggregates of the rows of
/// the part, the first of which is `first_below` of all.
template <executor Executor, class T>
listed_matrix<T> filter_at_cuts(Executor const& exec, part_messages const& messages,
                                coupled_level<Executor, T> const& level,
                                multilevel_detail::is_kept<T, std::int32_t> const& kept_entries, double unit,
                                bool smooths, std::int32_t first_below, std::int32_t all_below, T* left_out, T* kept) {
    auto const look = [&](buffer<std::int32_t> const& rows) {
        buffer<cut_row> looks(exec, rows.size());
        for_each(exec, rows.size(),
                 look_at_cut_row{rows.data(), kept_entries.along.of, kept_entries.diagonal, kept_entries.kinds, unit,
                                 first_below, looks.data()});
        return looks;
    };
    halo_plan const& plan = level.others.plan();
    auto const& rows = level.rows;
    auto const mine = look(rows.rows), sent = look(level.others.sent_rows());
    buffer<cut_row> halo(exec, plan.received());
    exchange(exec, messages, plan.send_begin, sent.data(), plan.receive_begin, halo.data());
    std::int64_t const count = rows.values.size();
    buffer<std::int32_t> row_of(exec, count), leads_to(exec, count), tuple_rows(exec, count),
        tuple_columns(exec, count);
    buffer<T> tuple_values(exec, count);
    csr_view<T> const k{std::int32_t(rows.rows.size()),
                        std::int32_t(level.needs.size()),
                        std::int32_t(count),
                        rows.offsets.data(),
                        rows.columns.data(),
                        rows.values.data()};
    for_each(exec, k.rows(),
             filter_row<T>{k, rows.rows.data(), mine.data(), halo.data(), kept_entries.share, smooths, left_out, kept,
                           row_of.data(), leads_to.data()});
    std::int64_t const tuples = select(exec, count, leads_somewhere{leads_to.data()},
                                       store_tuple<T>{row_of.data(), leads_to.data(), rows.values.data(),
                                                      tuple_rows.data(), tuple_columns.data(), tuple_values.data()});
    auto const cut = [&](auto const& all) { return copy_of(exec, all.view().slice(0, tuples)); };
    return matrix_of_tuples(exec, level.size, all_below, cut(tuple_rows), cut(tuple_columns), cut(tuple_values));
}

template <class T>
struct damp_row_of {
    std::int32_t const *list, *rows, *offsets;
    std::int64_t count;
    T const* damping;
    T* values;
    COPPICE_HD void operator()(std::int64_t r) const {
        T const by = -damping[detail::lower_position(rows, 0, count, std::int64_t(list[r]))];
        for (std::int32_t k = offsets[r]; k < offsets[r + 1]; ++k) values[k] *= by;
    }
};
/// Q = -damping K_F P_0, where `rows` has the rows of `damping`.
template <executor Executor, class T>
void damp(Executor const& exec, listed_matrix<T>& q, buffer<std::int32_t> const& rows, buffer<T> const& damping) {
    T* const values = q.entries().values().data();
    for_each(
        exec, q.list().size(),
        damp_row_of<T>{q.list().data(), rows.data(), q.entries().view().offsets, rows.size(), damping.data(), values});
}

} // namespace coppice::distributed
