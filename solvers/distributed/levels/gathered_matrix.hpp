// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Gathers a distributed matrix on every rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>

namespace coppice::inline v0_1::distributed {

/// Extends offsets to more rows; rows from `rows` on are empty.
struct extend_offsets {
    std::int32_t const* from;
    std::int64_t rows;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i < rows ? i : rows]; }
};
/// Merges the offsets of all ranks, rows + 1 each, to those of the whole matrix.
struct merge_offsets {
    std::int32_t const *of_ranks, *starts; ///< offset of the entries of each rank
    std::int64_t rows;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const rank = i / rows;
        to[i] = starts[rank] + (i % rows == 0 ? 0 : of_ranks[rank * (rows + 1) + i % rows]);
    }
};

struct store_column {
    std::int64_t const* begin;
    std::int64_t ranks;
    std::int32_t stride;
    std::int32_t* column;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const rank = detail::lower_position(begin, 0, ranks, std::int64_t(column[k]) + 1) - 1;
        column[k] = std::int32_t(rank * stride + column[k] - begin[rank]);
    }
};
struct one_on_diagonal {
    std::int32_t first_row, first_column;
    std::int32_t *rows, *columns;
    COPPICE_HD void operator()(std::int64_t i) const {
        rows[i] = first_row + std::int32_t(i);
        columns[i] = first_column + first_row + std::int32_t(i);
    }
};

/// The rows of a rank in the gathered matrix, in which each rank has `stride` rows: its own block, the couplings `k`
/// with other ranks, and ones on the diagonal of the padding rows. The columns [begin[p], begin[p + 1]) of `k` belong
/// to rank p.
template <executor Executor, class T>
csr<T> rows_of_rank(Executor const& exec, csr_view<T> own, hypersparse_rows<T> k, rank_offsets const& begin,
                    std::int32_t stride, int rank) {
    auto const ranks = std::int32_t(begin.size()) - 1, first = rank * stride, all = ranks * stride;
    buffer<std::int32_t> offsets(exec, std::int64_t(stride) + 1), columns = copy_of(exec, own.column_indices());
    for_each(exec, offsets.size(), extend_offsets{own.offsets, own.rows(), offsets.data()});
    for_each(exec, columns.size(), shift_index{columns.data(), first});
    csr<T> const placed(stride, all, std::move(offsets), std::move(columns), copy_of(exec, own.values()));

    auto [list, rows] = std::move(k).release();
    auto couplings = std::move(rows).release();
    auto const placed_begin = exec.copy(begin);
    for_each(exec, couplings.indices.size(),
             store_column{placed_begin.data(), ranks, stride, couplings.indices.data()});
    auto const count = std::int32_t(list.size());
    hypersparse_rows<T> const coupling_rows(
        exec, stride, std::move(list),
        csr<T>(count, all, std::move(couplings.offsets), std::move(couplings.indices), std::move(couplings.values)));
    if (own.rows() == stride) return add_hypersparse(exec, placed.view(), coupling_rows);
    buffer<std::int32_t> lacking(exec, stride - own.rows()), diagonal(exec, lacking.size());
    buffer<T> ones(exec, lacking.size());
    for_each(exec, lacking.size(), one_on_diagonal{own.rows(), first, lacking.data(), diagonal.data()});
    fill(exec, ones.view(), T(1));
    return add_hypersparse(exec, placed.view(),
                           add(exec, coupling_rows, matrix_of_tuples(exec, stride, all, lacking, diagonal, ones)));
}

/// Gathers the rows of all ranks in rank order; all ranks have the same number of rows. Collective.
template <executor Executor, class T>
csr<T> gather_all_rows(rank_executor<Executor> const& exec, csr_view<T> mine) {
    Executor const& base = exec;
    std::int64_t const rows = mine.rows(), ranks = exec.comm().ranks();
    auto const counts = exec.comm().gather(std::int64_t(mine.nonzeros()));
    std::int64_t const max_count = *std::max_element(counts.begin(), counts.end());
    std::vector<std::int32_t> starts{0};
    std::int64_t all = 0;
    for (std::int64_t const count : counts)
        starts.push_back(checked_cast<std::int32_t>(all += count, "nonzeros of the levels that all ranks have"));
    auto const gather = [&](auto const* from, std::int64_t count) {
        using value = std::remove_cvref_t<decltype(*from)>;
        buffer<value> padded(base, max_count), of_ranks(base, max_count * ranks), together(base, all);
        base.copy_elements(from, padded.data(), count);
        fill(base, padded.view().slice(count, max_count - count), value(0)); // the padding is sent too
        detail::gather_values(exec, static_cast<value const*>(padded.data()), of_ranks.data(), max_count);
        for (std::int64_t p = 0; p < ranks; ++p)
            base.copy_elements(of_ranks.data() + p * max_count, together.data() + starts[std::size_t(p)],
                               counts[std::size_t(p)]);
        return together;
    };
    buffer<std::int32_t> of_ranks(base, (rows + 1) * ranks), offsets(base, rows * ranks + 1);
    detail::gather_values(exec, mine.offsets, of_ranks.data(), rows + 1);
    auto const placed_starts = base.copy(starts);
    for_each(base, offsets.size(), merge_offsets{of_ranks.data(), placed_starts.data(), rows, offsets.data()});
    auto const n = std::int32_t(rows * ranks);
    return csr<T>(n, n, std::move(offsets), gather(mine.indices, mine.nonzeros()),
                  gather(mine.coefficients, mine.nonzeros()));
}

} // namespace coppice::inline v0_1::distributed
