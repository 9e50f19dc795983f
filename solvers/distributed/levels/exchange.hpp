// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exchange of elements and rows between ranks during set-up. Collective.
///
/// Elements [send_begin[p], send_begin[p + 1]) of `sent` go to rank p; elements [receive_begin[p], receive_begin[p +
/// 1]) of `received` come from rank p. Both arrays have ranks + 1 elements, and the counts of sender and receiver must
/// agree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/transform.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::inline v0_1::distributed {

using rank_offsets = std::vector<std::int64_t>;

/// `sent` and `received` are in memory of the executor. Does not synchronise between devices with NCCL.
template <executor Executor, class T>
void exchange(Executor const& exec, rank_communicator const& comm, rank_offsets const& send_begin, T const* sent,
              rank_offsets const& receive_begin, T* received) {
    auto const ranks = std::size_t(comm.ranks());
    if constexpr (std::is_same_v<Executor, cuda_executor>)
        if (device_group const* const devices = comm.devices()) {
            std::vector<device_message> sends, receives;
            for (std::size_t p = 0; p < ranks; ++p) {
                if (std::int64_t const count = send_begin[p + 1] - send_begin[p]; count > 0)
                    sends.push_back(
                        {int(p), const_cast<T*>(sent) + send_begin[p], std::size_t(count) * sizeof(T)}); // is only read
                if (std::int64_t const count = receive_begin[p + 1] - receive_begin[p]; count > 0)
                    receives.push_back({int(p), received + receive_begin[p], std::size_t(count) * sizeof(T)});
            }
            if (!sends.empty() || !receives.empty()) devices->exchange(comm.rank(), exec, sends, receives);
            return;
        }
    std::vector<T> staged;
    T const* mine = sent;
    if constexpr (!std::is_same_v<Executor, host_executor>) {
        staged = to_vector(exec, array_view<T const>(sent, send_begin.back()));
        mine = staged.data();
    }
    auto const begins = comm.gather(send_begin);
    auto const from = comm.gather(mine);
    for (std::size_t p = 0; p < ranks; ++p)
        exec.copy_elements(from[p] + begins[p][std::size_t(comm.rank())], received + receive_begin[p],
                           receive_begin[p + 1] - receive_begin[p]);
    comm.gather(0); // no rank may free memory before all ranks have read it
}

/// Offsets of the elements from each rank, computed from the send counts of all ranks.
inline rank_offsets begins_of_received(rank_communicator const& comm, rank_offsets const& send_begin) {
    rank_offsets begin{0};
    auto const self = std::size_t(comm.rank());
    for (auto const& of_rank : comm.gather(send_begin))
        begin.push_back(begin.back() + of_rank[self + 1] - of_rank[self]);
    return begin;
}

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
