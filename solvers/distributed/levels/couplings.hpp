// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The entries of a distributed matrix in columns of other ranks, as a hypersparse matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <coppice/algebra/symmetry.hpp>
#include <coppice/solvers/distributed/levels/hypersparse_matrix.hpp>
#include <coppice/solvers/distributed/rows/distributed_csr.hpp>

namespace coppice::inline v0_1::distributed {

/// Throws matrix_error for an entry in a column of another rank that is not finite. `first`: the first row of the rank.
template <class Entries>
void require_finite_couplings(Entries const& entries, std::int64_t first) {
    for (std::size_t r = 0; r < entries.rows.size(); ++r)
        for (auto k = std::size_t(entries.offsets[r]); k < std::size_t(entries.offsets[r + 1]); ++k)
            if (!detail::is_finite(entries.values[k]))
                throw matrix_error("row " + std::to_string(first + entries.rows[r]) + ", column " +
                                   std::to_string(entries.columns[k]) + " holds " +
                                   detail::value_text(entries.values[k]) + ", expected a finite value");
}

/// value_of(entry) for the entries in columns of other ranks, sorted; duplicates are added. [rows, columns]: those of
/// the rank, those of all ranks. `first`: the first row of the rank. Throws matrix_error, on this rank, for values that
/// are not finite.
template <class T, executor Executor, class Entries, class Value>
hypersparse_rows<T> couplings_of(Executor const& exec, Entries const& entries, std::int64_t row_count,
                                 std::int64_t columns, std::int64_t first, Value const& value_of) {
    require_finite_couplings(entries, first);
    std::vector<std::int32_t> rows;
    std::vector<T> values;
    for (std::size_t r = 0; r < entries.rows.size(); ++r)
        for (auto k = std::size_t(entries.offsets[r]); k < std::size_t(entries.offsets[r + 1]); ++k) {
            rows.push_back(entries.rows[r]);
            values.push_back(value_of(entries.values[k]));
        }
    return matrix_of_tuples(exec, std::int32_t(row_count), std::int32_t(columns), exec.copy(rows),
                            exec.copy(entries.columns), exec.copy(values));
}
template <executor Executor, class T, class Value>
hypersparse_rows<T> couplings_of(Executor const& exec, distributed_csr<Executor, T> const& a, std::int64_t first,
                                 Value const& value_of) {
    return couplings_of<T>(exec, a.couplings(), a.size(), a.begins().back(), first, value_of);
}

} // namespace coppice::inline v0_1::distributed
