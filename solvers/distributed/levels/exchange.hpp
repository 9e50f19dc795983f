// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elements and rows that cross between parts while something is set up. All parts make the same calls.
///
/// What is for part p stands in [send_begin[p], send_begin[p + 1]) of what is sent, and what comes from part p in
/// [receive_begin[p], receive_begin[p + 1]) of what is received; both have parts + 1 elements, and parts agree about
/// how many they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>

namespace coppice::distributed {

using part_begins = std::vector<std::int64_t>;

/// `sent` and `received` are in memory of the executor. Between devices with NCCL nobody waits.
template <executor Executor, class T>
void exchange(Executor const& exec, part_messages const& others, part_begins const& send_begin, T const* sent,
              part_begins const& receive_begin, T* received) {
    auto const parts = std::size_t(others.parts());
    if constexpr (std::is_same_v<Executor, cuda_executor>)
        if (device_group const* const devices = others.devices()) {
            std::vector<device_message> sends, receives;
            for (std::size_t p = 0; p < parts; ++p) {
                if (std::int64_t const count = send_begin[p + 1] - send_begin[p]; count > 0)
                    sends.push_back(
                        {int(p), const_cast<T*>(sent) + send_begin[p], std::size_t(count) * sizeof(T)}); // is read
                if (std::int64_t const count = receive_begin[p + 1] - receive_begin[p]; count > 0)
                    receives.push_back({int(p), received + receive_begin[p], std::size_t(count) * sizeof(T)});
            }
            if (!sends.empty() || !receives.empty()) devices->exchange(others.part(), exec, sends, receives);
            return;
        }
    std::vector<T> staged;
    T const* mine = sent;
    if constexpr (!std::is_same_v<Executor, host_executor>) {
        staged = to_vector(exec, array_view<T const>(sent, send_begin.back()));
        mine = staged.data();
    }
    auto const begins = others.gather(send_begin);
    auto const from = others.gather(mine);
    for (std::size_t p = 0; p < parts; ++p)
        exec.copy_elements(from[p] + begins[p][std::size_t(others.part())], received + receive_begin[p],
                           receive_begin[p + 1] - receive_begin[p]);
    others.gather(0); // nobody frees what others still read
}

/// Where what comes from each part begins, from how much every part sends to each.
inline part_begins begins_of_received(part_messages const& others, part_begins const& send_begin) {
    part_begins begin{0};
    auto const self = std::size_t(others.part());
    for (auto const& of_part : others.gather(send_begin))
        begin.push_back(begin.back() + of_part[self + 1] - of_part[self]);
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
/// Where the entries of each part begin whose rows begin there.
template <executor Executor>
part_begins begins_of_entries(Executor const& exec, std::int32_t const* offsets, part_begins const& of_rows) {
    auto const rows = exec.copy(of_rows);
    buffer<std::int64_t> entries(exec, rows.size());
    for_each(exec, rows.size(), pick_offset{offsets, rows.data(), entries.data()});
    return to_vector(exec, entries);
}

/// Rows with their entries, as many columns as `sent` has.
template <executor Executor, class T>
csr<T> exchange_rows(Executor const& exec, part_messages const& others, part_begins const& send_begin, csr_view<T> sent,
                     part_begins const& receive_begin) {
    std::int64_t const rows = receive_begin.back();
    buffer<std::int32_t> lengths(exec, sent.rows()), received(exec, rows);
    for_each(exec, sent.rows(), length_of_row{sent.offsets, lengths.data()});
    exchange(exec, others, send_begin, static_cast<std::int32_t const*>(lengths.data()), receive_begin,
             received.data());
    std::int32_t nonzeros = 0;
    auto offsets = detail::offsets_of_degrees<std::int32_t>(
        exec, rows, detail::stored_degree<std::int32_t>{received.data()}, nonzeros);
    part_begins const entries_sent = begins_of_entries(exec, sent.offsets, send_begin),
                      entries_received = begins_of_entries(exec, offsets.data(), receive_begin);
    buffer<std::int32_t> columns(exec, nonzeros);
    buffer<T> values(exec, nonzeros);
    exchange(exec, others, entries_sent, sent.indices, entries_received, columns.data());
    exchange(exec, others, entries_sent, sent.coefficients, entries_received, values.data());
    return {std::int32_t(rows), sent.columns(), std::move(offsets), std::move(columns), std::move(values)};
}

} // namespace coppice::distributed
