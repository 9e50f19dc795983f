// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// One pass over all nonzeros of a square matrix that finds what decides how it is treated.
#pragma once

#include <coppice/algebra/rows/nonzero_flags.hpp>
#include <coppice/semiring/reduce_rows/srcsr.hpp>

namespace coppice::detail {

/// The joined flags of all nonzeros: a binary search for each entry right of the diagonal. Where columns are unsorted,
/// what is said of mirror images means nothing. Waits.
template <executor Executor, class T, class I, class O>
nonzero_flags look_at_nonzeros(Executor const& exec, csr_view<T, I, O> a) {
    buffer<std::int64_t> rows(exec, a.rows());
    reduce_rows(exec, make_srcsr_plan(exec, a), look_at_nonzero<T, I, O>{a}, join_flags{}, store_flags{rows.data()});
    std::int64_t const word = reduce(exec, a.rows(), std::int64_t(0), flags_of_row{rows.data()}, join_flags{});
    return nonzero_flags{word};
}

} // namespace coppice::detail
