// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exchange of elements and rows between ranks during set-up (rank_messages.hpp). Collective.
#pragma once

#include <cstdint>
#include <utility>
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
/// Offsets of the entries of each rank, from the offsets of its rows.
template <executor Executor>
rank_offsets begins_of_entries(Executor const& exec, std::int32_t const* offsets, rank_offsets const& of_rows) {
    auto const rows = exec.copy(of_rows);
    buffer<std::int64_t> entries(exec, rows.size());
    for_each(exec, rows.size(),
             detail::gather_at<std::int32_t, std::int64_t, std::int64_t>{offsets, rows.data(), entries.data()});
    return to_vector(exec, entries);
}

/// Offsets of the rows for or from each rank, and of their entries, [ranks + 1].
struct row_offsets {
    rank_offsets rows, entries;
};
/// Those of the rows from each rank. Collective.
inline row_offsets begins_of_received(rank_communicator const& comm, row_offsets const& sent) {
    auto [rows, entries] = begins_of_received<2>(comm, {&sent.rows, &sent.entries});
    return {std::move(rows), std::move(entries)};
}

/// Exchanges rows with their entries, and `more` arrays with them; the result has as many columns as `sent`.
template <executor Executor, class T, class... More>
csr<T> exchange_rows(Executor const& exec, rank_communicator const& comm, row_offsets const& sent_begin,
                     csr_view<T> sent, row_offsets const& received_begin, exchanged<More> const&... more) {
    std::int64_t const rows = received_begin.rows.back(), entries = received_begin.entries.back();
    buffer<std::int32_t> lengths(exec, sent.rows()), received(exec, rows), columns(exec, entries);
    buffer<T> values(exec, entries);
    for_each(exec, sent.rows(), length_of_row{sent.offsets, lengths.data()});
    exchange(exec, comm, exchanged<std::int32_t>{sent_begin.rows, lengths.data(), received_begin.rows, received.data()},
             exchanged<std::int32_t>{sent_begin.entries, sent.indices, received_begin.entries, columns.data()},
             exchanged<T>{sent_begin.entries, sent.coefficients, received_begin.entries, values.data()}, more...);
    std::int32_t nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<std::int32_t>(
        exec, rows, detail::stored_degree<std::int32_t>{received.data()}, nonzeros);
    return {std::int32_t(rows), sent.columns(), std::move(offsets), std::move(columns), std::move(values)};
}
/// The same if the numbers of rows from other ranks are known, but not those of their entries.
template <executor Executor, class T>
csr<T> exchange_rows(Executor const& exec, rank_communicator const& comm, rank_offsets const& send_begin,
                     csr_view<T> sent, rank_offsets const& receive_begin) {
    row_offsets const sent_begin{send_begin, begins_of_entries(exec, sent.offsets, send_begin)};
    return exchange_rows(exec, comm, sent_begin, sent, {receive_begin, begins_of_received(comm, sent_begin.entries)});
}

} // namespace coppice::inline v0_1::distributed
