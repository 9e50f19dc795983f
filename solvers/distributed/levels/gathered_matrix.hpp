// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A matrix whose rows lie in parts, as one that every part has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/solvers/distributed/levels/exchange.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>
#include <coppice/solvers/distributed/rows/rank_executor.hpp>

namespace coppice::distributed {

struct shift_columns {
    std::int32_t const* from;
    std::int32_t by;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t k) const { to[k] = from[k] + by; }
};
/// Rows from `rows` on are empty.
struct extend_offsets {
    std::int32_t const* from;
    std::int64_t rows;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = from[i < rows ? i : rows]; }
};
/// Offsets of parts, rows + 1 of each, as those of all rows.
struct join_offsets {
    std::int32_t const *of_parts, *starts; ///< where the entries of a part begin
    std::int64_t rows;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const part = i / rows;
        to[i] = starts[part] + (i % rows == 0 ? 0 : of_parts[part * (rows + 1) + i % rows]);
    }
};

struct place_column {
    std::int64_t const* begin;
    std::int64_t parts;
    std::int32_t apart;
    std::int32_t* column;
    COPPICE_HD void operator()(std::int64_t k) const {
        std::int64_t const part = detail::lower_position(begin, 0, parts, std::int64_t(column[k]) + 1) - 1;
        column[k] = std::int32_t(part * apart + column[k] - begin[part]);
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

/// Rows of a part in a matrix of all parts, which stand `apart` rows from each other: its own block, the entries `k`
/// that couple it with others, and ones on the diagonal of rows that it lacks. Part p has the columns
/// [begin[p], begin[p + 1]) of `k`.
template <executor Executor, class T>
csr<T> rows_of_part(Executor const& exec, csr_view<T> own, listed_matrix<T> k, part_begins const& begin,
                    std::int32_t apart, int part) {
    auto const parts = std::int32_t(begin.size()) - 1, first = part * apart, all = parts * apart;
    buffer<std::int32_t> offsets(exec, std::int64_t(apart) + 1), columns(exec, own.nonzeros());
    for_each(exec, offsets.size(), extend_offsets{own.offsets, own.rows(), offsets.data()});
    for_each(exec, columns.size(), shift_columns{own.indices, first, columns.data()});
    csr<T> const placed(apart, all, std::move(offsets), std::move(columns), copy_of(exec, own.values()));

    auto [list, rows] = std::move(k).release();
    auto couplings = std::move(rows).release();
    auto const placed_begin = exec.copy(begin);
    for_each(exec, couplings.indices.size(), place_column{placed_begin.data(), parts, apart, couplings.indices.data()});
    auto const listed = std::int32_t(list.size());
    listed_matrix<T> const others(
        exec, apart, std::move(list),
        csr<T>(listed, all, std::move(couplings.offsets), std::move(couplings.indices), std::move(couplings.values)));
    if (own.rows() == apart) return add_listed(exec, placed.view(), others);
    buffer<std::int32_t> lacking(exec, apart - own.rows()), diagonal(exec, lacking.size());
    buffer<T> ones(exec, lacking.size());
    for_each(exec, lacking.size(), one_on_diagonal{own.rows(), first, lacking.data(), diagonal.data()});
    fill(exec, ones.view(), T(1));
    return add_listed(exec, placed.view(),
                      add(exec, others, matrix_of_tuples(exec, apart, all, lacking, diagonal, ones)));
}

/// The rows of all parts, one part behind the other; all have as many. Called by all parts.
template <executor Executor, class T>
csr<T> join_rows(part_executor<Executor> const& exec, csr_view<T> mine) {
    Executor const& base = exec;
    std::int64_t const rows = mine.rows(), parts = exec.others().parts();
    auto const counts = exec.others().gather(std::int64_t(mine.nonzeros()));
    std::int64_t const most = *std::max_element(counts.begin(), counts.end());
    std::vector<std::int32_t> starts{0};
    std::int64_t all = 0;
    for (std::int64_t const count : counts)
        starts.push_back(checked_cast<std::int32_t>(all += count, "nonzeros of the levels that all parts have"));
    auto const gather = [&](auto const* from, std::int64_t count) {
        using value = std::remove_cvref_t<decltype(*from)>;
        buffer<value> padded(base, most), of_parts(base, most * parts), together(base, all);
        base.copy_elements(from, padded.data(), count);
        fill(base, padded.view().slice(count, most - count), value(0)); // all of it is sent
        detail::gather_values(exec, static_cast<value const*>(padded.data()), of_parts.data(), most);
        for (std::int64_t p = 0; p < parts; ++p)
            base.copy_elements(of_parts.data() + p * most, together.data() + starts[std::size_t(p)],
                               counts[std::size_t(p)]);
        return together;
    };
    buffer<std::int32_t> of_parts(base, (rows + 1) * parts), offsets(base, rows * parts + 1);
    detail::gather_values(exec, mine.offsets, of_parts.data(), rows + 1);
    auto const placed_starts = base.copy(starts);
    for_each(base, offsets.size(), join_offsets{of_parts.data(), placed_starts.data(), rows, offsets.data()});
    auto const n = std::int32_t(rows * parts);
    return csr<T>(n, n, std::move(offsets), gather(mine.indices, mine.nonzeros()),
                  gather(mine.coefficients, mine.nonzeros()));
}

} // namespace coppice::distributed
