// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The couplings between the rows of a rank and those of other ranks, on one level of a multilevel method.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>
#include <coppice/solvers/distributed/levels/pushed_rows.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr_apply.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// The distinct columns of two matrices, ascending.
template <executor Executor, class T>
buffer<std::int32_t> columns_of(Executor const& exec, hypersparse_rows<T> const& a, hypersparse_rows<T> const& b) {
    auto const of_a = a.entries().view().column_indices(), of_b = b.entries().view().column_indices();
    buffer<std::int32_t> all(exec, of_a.size() + of_b.size());
    exec.copy_elements(of_a.data(), all.data(), of_a.size());
    exec.copy_elements(of_b.data(), all.data() + of_a.size(), of_b.size());
    return detail::distinct_of(exec, std::move(all));
}

/// Converts rows of `a`, whose row indices start at `first`, to columns that are positions in a halo.
template <executor Executor, class T>
halo_rows<Executor, T> rows_in_halo(Executor const& exec, hypersparse_rows<T> a, std::int32_t first,
                                    buffer<std::int32_t> const& needs) {
    auto [list, entries] = std::move(a).release();
    auto rows = std::move(entries).release();
    buffer<std::int32_t> positions(exec, rows.indices.size());
    for_each(exec, positions.size(),
             detail::position_in_list<std::int32_t>{rows.indices.data(), needs.data(), needs.size(), positions.data()});
    for_each(exec, list.size(), shift_index{list.data(), -first});
    return {exec, std::move(list), std::move(rows.offsets), std::move(positions), std::move(rows.values), needs.size()};
}

/// Copies new values of the matrix that `rows` was made of, whose pattern is the same.
template <executor Executor, class T>
void refresh_values(Executor const& exec, halo_rows<Executor, T>& rows, hypersparse_rows<T> const& a) {
    auto const values = a.entries().view().values();
    require_size("values of rows in a halo", values, rows.values.size());
    exec.copy_elements(values.data(), rows.values.data(), values.size());
}

/// What the filter of a prolongator makes of the entries of K; depends on the values of the set-up.
template <class T>
struct filtered_entries {
    static constexpr std::int32_t dropped = -1, without_aggregate = -2; ///< the latter is kept
    buffer<std::int32_t> target{};  ///< of each entry: the global aggregate of its column, or a constant above
    std::int32_t per_aggregate = 1; ///< number of columns of P_0
    buffer<T> tentative{};          ///< [halo, per_aggregate]: P_0 in the columns of K; empty if all entries are 1
};

/// K^T of a level: the rows of this rank, which other ranks have as columns of K, and the halo of their columns.
template <executor Executor, class T>
struct transposed_couplings {
    buffer<std::int32_t> needs; ///< as in coupled_level
    halo<Executor, T> outer;
    halo_rows<Executor, T> rows;

    transposed_couplings(Executor const& exec, rank_communicator const& messages, rank_offsets const& begin,
                         hypersparse_rows<T> k)
        : needs(detail::distinct_of(exec, copy_of(exec, k.entries().view().column_indices()))),
          outer(exec, messages, halo_plan(messages, begin, to_vector(exec, needs))),
          rows(rows_in_halo(exec, std::move(k), 0, needs)) {}
};

template <executor Executor, class T>
struct coupled_level {
    std::int32_t size, all; ///< rows of the rank, and of all ranks
    /// [size, all]: entries in columns of other ranks; released after the next level is built
    hypersparse_rows<T> k;
    rank_offsets begin;         ///< [ranks + 1]: first row of each rank on this level
    buffer<std::int32_t> needs; ///< columns of other ranks in the halo, ascending
    halo<Executor, T> outer;
    halo_rows<Executor, T> rows;                                   ///< rows of k
    std::optional<transposed_couplings<Executor, T>> transposed{}; ///< from transpose() until the next refresh()
    filtered_entries<T> filtered{};
    buffer<T> rest{};                    ///< b - K x_outer, for smoothers that need b without the couplings
    bool crosses = false;                ///< whether P of any rank has entries between ranks
    halo_rows<Executor, T> restricted{}; ///< rows of the next level, columns of the halo: Q^T of other ranks
    halo_rows<Executor, T> prolonged{};  ///< rows of this level, columns of the halo of the next level: Q
    buffer<std::int32_t> next_offsets{}, next_indices{}; ///< of the next own block, if it is stored here
    buffer<T> next_values{};

    /// `above`: Q of the level above; the halo also contains its columns.
    coupled_level(Executor const& exec, rank_communicator const& messages, hypersparse_rows<T> couplings,
                  rank_offsets ranks, hypersparse_rows<T> const& above)
        : size(couplings.rows()), all(couplings.columns()), k(std::move(couplings)), begin(std::move(ranks)),
          needs(columns_of(exec, k, above)), outer(exec, messages, halo_plan(messages, begin, to_vector(exec, needs))),
          rows(rows_in_halo(exec, copy_of(exec, k), 0, needs)) {}

    /// Takes new values of K on the same pattern.
    void refresh(Executor const& exec, hypersparse_rows<T> couplings) {
        refresh_values(exec, rows, couplings);
        k = std::move(couplings);
        transposed.reset();
    }
    /// Makes K^T of the current values. Collective.
    void transpose(Executor const& exec, rank_communicator const& messages) {
        buffer<std::int32_t> columns(exec, rows.columns.size());
        for_each(exec, columns.size(),
                 detail::gather_at<std::int32_t, std::int32_t>{needs.data(), rows.columns.data(), columns.data()});
        hypersparse_rows<T> const of_rank(detail::sound_rows{}, size, copy_of(exec, rows.rows),
                                          csr<T>(std::int32_t(rows.rows.size()), all, copy_of(exec, rows.offsets),
                                                 std::move(columns), copy_of(exec, rows.values)));
        transposed.emplace(exec, messages, begin, mirrored(exec, messages, of_rank, begin));
    }
    /// K with columns that are positions in the halo.
    csr_view<T> rows_of_k() const {
        return {std::int32_t(rows.rows.size()),
                std::int32_t(needs.size()),
                std::int32_t(rows.values.size()),
                rows.offsets.data(),
                rows.columns.data(),
                rows.values.data()};
    }
};

} // namespace coppice::inline v0_1::distributed
