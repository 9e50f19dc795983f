// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exchange of elements and rows between ranks during set-up (rank_messages.hpp). Collective.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/distributed/rows/rank_messages.hpp>

namespace coppice::inline v0_1::distributed {

struct length_of_row {
    std::int32_t const* offsets;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = offsets[i + 1] - offsets[i]; }
};
struct pick_offset {
    std::int32_t const* offsets;
    std::int64_t const* rows;
    std::int64_t* to;
    COPPICE_HD void operator()(std::int64_t i) const { to[i] = offsets[rows[i]]; }
};
/// Offsets of the entries of each rank, from the offsets of its rows.
template <executor Executor>
rank_offsets begins_of_entries(Executor const& exec, std::int32_t const* offsets, rank_offsets const& of_rows) {
    auto const rows = exec.copy(of_rows);
    buffer<std::int64_t> entries(exec, rows.size());
    for_each(exec, rows.size(), pick_offset{offsets, rows.data(), entries.data()});
    return to_vector(exec, entries);
}

/// Exchanges rows with their entries; the result has as many columns as `sent`.
template <executor Executor, class T>
csr<T> exchange_rows(Executor const& exec, rank_communicator const& comm, rank_offsets const& send_begin,
                     csr_view<T> sent, rank_offsets const& receive_begin) {
    std::int64_t const rows = receive_begin.back();
    buffer<std::int32_t> lengths(exec, sent.rows()), received(exec, rows);
    for_each(exec, sent.rows(), length_of_row{sent.offsets, lengths.data()});
    exchange(exec, comm, send_begin, static_cast<std::int32_t const*>(lengths.data()), receive_begin, received.data());
    std::int32_t nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<std::int32_t>(
        exec, rows, detail::stored_degree<std::int32_t>{received.data()}, nonzeros);
    rank_offsets const entries_sent = begins_of_entries(exec, sent.offsets, send_begin),
                       entries_received = begins_of_entries(exec, offsets.data(), receive_begin);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    exchange(exec, comm, entries_sent, sent.indices, entries_received, columns.data());
    exchange(exec, comm, entries_sent, sent.coefficients, entries_received, values.data());
    return {std::int32_t(rows), sent.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

} // namespace coppice::inline v0_1::distributed
