// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A matrix whose rows lie in parts, as one that every part has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/semiring/sparse/elementwise.hpp>
#include <coppice/solvers/distributed/levels/coupling_entries.hpp>
#include <coppice/solvers/distributed/part_executor.hpp>

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

/// Rows of a part in a matrix of all parts, which stand `apart` rows from each other: its own block, the entries that
/// couple it with others, whose columns place() finds, and ones on the diagonal of rows that it lacks.
template <executor Executor, class T, class Place>
csr<T> rows_of_part(Executor const& exec, csr_view<T> own, std::vector<coupling_entry<T>> const& entries,
                    std::int32_t apart, std::int32_t part, std::int32_t parts, Place const& place) {
    std::int32_t const first = part * apart;
    buffer<std::int32_t> offsets(exec, std::int64_t(apart) + 1), columns(exec, own.nonzeros());
    for_each(exec, offsets.size(), extend_offsets{own.offsets, own.rows(), offsets.data()});
    for_each(exec, columns.size(), shift_columns{own.indices, first, columns.data()});
    csr<T> const placed(apart, apart * parts, std::move(offsets), std::move(columns), copy_of(exec, own.values()));
    listed_rows<T> others;
    auto next = entries.begin();
    for (std::int32_t i = 0; i < apart; ++i) {
        for (; next != entries.end() && next->row == i; ++next) others.add(place(next->column), next->value);
        if (i >= own.rows()) others.add(first + i, T(1));
        others.end_row();
    }
    csr<T> const coupling(apart, apart * parts, exec.copy(others.offsets), exec.copy(others.columns),
                          exec.copy(others.values));
    return ewise_add(exec, plus{}, placed.view(), coupling.view());
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
