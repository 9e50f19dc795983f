// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What couples a part's rows of one level of a multilevel method with those of other parts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr_apply.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::distributed {

/// The columns that occur in two matrices, rising.
template <executor Executor, class T>
buffer<std::int32_t> columns_of(Executor const& exec, listed_matrix<T> const& a, listed_matrix<T> const& b) {
    auto const of_a = a.entries().view().column_indices(), of_b = b.entries().view().column_indices();
    buffer<std::int32_t> all(exec, of_a.size() + of_b.size());
    exec.copy_elements(of_a.data(), all.data(), of_a.size());
    exec.copy_elements(of_b.data(), all.data() + of_a.size(), of_b.size());
    return detail::distinct_of(exec, std::move(all));
}

/// The rows of `a`, which are counted from `first` here, with columns by their places among those of a halo.
template <executor Executor, class T>
halo_rows<Executor, T> rows_in_halo(Executor const& exec, listed_matrix<T> a, std::int32_t first,
                                    buffer<std::int32_t> const& needs) {
    auto [list, entries] = std::move(a).release();
    auto rows = std::move(entries).release();
    buffer<std::int32_t> places(exec, rows.indices.size());
    for_each(exec, places.size(),
             detail::place_in_list<std::int32_t>{rows.indices.data(), needs.data(), needs.size(), places.data()});
    for_each(exec, list.size(), move_index{list.data(), -first});
    return {exec, std::move(list), std::move(rows.offsets), std::move(places), std::move(rows.values), needs.size()};
}

template <executor Executor, class T>
struct coupled_level {
    std::int32_t size, all;     ///< rows of the part, and of all parts
    listed_matrix<T> k;         ///< [size, all]: entries in columns of other parts; until the next level is made
    part_begins begin;          ///< [parts + 1]: rows of the level by part
    buffer<std::int32_t> needs; ///< columns of other parts that come as its halo, rising
    halo<Executor, T> others;
    halo_rows<Executor, T> rows;                         ///< those of k
    buffer<T> rest{};                                    ///< where a smoother needs b without the others
    bool crosses = false;                                ///< has P of any part entries of other parts?
    halo_rows<Executor, T> restricted{};                 ///< rows of the next level, columns of the halo: Q^T of others
    halo_rows<Executor, T> prolonged{};                  ///< rows of this level, columns of the next level's halo: Q
    buffer<std::int32_t> next_offsets{}, next_indices{}; ///< of the next own block, where it is kept here
    buffer<T> next_values{};

    /// `above`: Q of the level above, whose columns the halo has as well.
    coupled_level(Executor const& exec, part_messages const& messages, listed_matrix<T> couplings, part_begins parts,
                  listed_matrix<T> const& above)
        : size(couplings.rows()), all(couplings.columns()), k(std::move(couplings)), begin(std::move(parts)),
          needs(columns_of(exec, k, above)), others(exec, messages, halo_plan(messages, begin, to_vector(exec, needs))),
          rows(rows_in_halo(exec, copy_of(exec, k), 0, needs)) {}
};

} // namespace coppice::distributed
