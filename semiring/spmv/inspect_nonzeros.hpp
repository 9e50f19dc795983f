// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One pass over all nonzeros of a square matrix that determines properties for the choice of algorithms.
#pragma once

#include <coppice/algebra/rows/nonzero_flags.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::inline v0_1::detail {

/// Returns the combined flags of all nonzeros; makes one binary search per entry right of the diagonal. If columns are
/// unsorted, the flags about symmetry are meaningless. Waits.
template <executor Executor, class T, class I, class O>
nonzero_flags inspect_nonzeros(Executor const& exec, csr_view<T, I, O> a) {
    buffer<std::int64_t> rows(exec, a.rows());
    reduce_rows(exec, make_srcsr_plan(exec, a), inspect_nonzero<T, I, O>{a}, merge_flags{}, store_flags{rows.data()});
    std::int64_t const word = reduce(exec, a.rows(), std::int64_t(0), flags_of_row{rows.data()}, merge_flags{});
    return nonzero_flags{word};
}

} // namespace coppice::inline v0_1::detail
