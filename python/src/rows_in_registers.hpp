// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Runs reductions of rows of features that hold several elements in a register, on the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/core/parallel.hpp>

namespace coppice::python {

/// The elements of x from column c on for entry k of rows.a; fetches those of a later entry.
template <class Rows>
COPPICE_ALWAYS_INLINE auto const* row_of_entry(Rows const& rows, std::int32_t k, std::int64_t c) {
    std::int32_t const* const columns = rows.a.indices;
    if (k + 8 < rows.a.nonzeros()) __builtin_prefetch(rows.x + columns[k + 8] * rows.width + c);
    return rows.x + columns[k] * rows.width + c;
}

template <class Rows>
void reduce_range(Rows const& rows, std::int64_t first, std::int64_t last) {
    rows.of_range(first, last);
}
#if defined(__x86_64__)
/// The same with registers of 32 bytes; without fused operations, so that the bits are the same on every processor.
template <class Rows>
[[gnu::target("avx2")]] void reduce_range_avx2(Rows const& rows, std::int64_t first, std::int64_t last) {
    rows.of_range(first, last);
}
#endif

/// Calls rows.of_range(first, last) for all rows of the matrix rows.a, in parallel.
template <class Rows>
void for_rows_in_registers(host_executor const& exec, Rows const& rows) {
    auto run = reduce_range<Rows>;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) run = reduce_range_avx2<Rows>;
#endif
    // Rows have very different lengths in graphs: many small blocks balance the threads.
    std::int64_t const block = std::max<std::int64_t>(1, 4096 / std::max<std::int64_t>(1, rows.width));
    coppice::detail::for_each_block(
        exec, rows.a.rows(), block,
        [&](std::int64_t, std::int64_t first, std::int64_t last) { run(rows, first, last); });
}

} // namespace coppice::python
