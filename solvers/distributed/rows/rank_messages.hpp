// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Messages between all ranks: elements [send_begin[p], send_begin[p + 1]) go to rank p, elements [receive_begin[p],
/// receive_begin[p + 1]) come from rank p. Both arrays have ranks + 1 elements, and the counts of sender and receiver
/// agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/core/rank_communicator.hpp>

namespace coppice::inline v0_1::distributed {

using rank_offsets = std::vector<std::int64_t>;

/// Offsets of the elements from each rank, from the offsets of those for each rank. Collective.
inline rank_offsets begins_of_received(rank_communicator const& comm, rank_offsets const& send_begin) {
    rank_offsets counts, begin{0};
    for (std::size_t p = 0; p + 1 < send_begin.size(); ++p) counts.push_back(send_begin[p + 1] - send_begin[p]);
    for (std::int64_t const count : comm.all_to_all(counts)) begin.push_back(begin.back() + count);
    return begin;
}

/// The messages, none of them empty and none to or from rank `omitted`: first those to other ranks, then those from
/// other ranks.
struct message_list {
    std::vector<rank_message> all{};
    std::size_t sends = 0;

    template <class T>
    message_list(rank_offsets const& send_begin, T const* sent, rank_offsets const& receive_begin, T* received,
                 int omitted = -1) {
        add(send_begin, const_cast<T*>(sent), omitted); // is only read
        sends = all.size();
        add(receive_begin, received, omitted);
    }
    std::span<rank_message const> to_others() const { return std::span(all).first(sends); }
    std::span<rank_message const> from_others() const { return std::span(all).subspan(sends); }

private:
    template <class T>
    void add(rank_offsets const& begin, T* elements, int omitted) {
        for (std::size_t p = 0; p + 1 < begin.size(); ++p)
            if (std::int64_t const count = begin[p + 1] - begin[p]; count > 0 && int(p) != omitted)
                all.push_back({int(p), elements + begin[p], std::size_t(count) * sizeof(T)});
    }
};

/// Starts to send and receive elements in host memory, or in memory of devices if comm.reads_devices(). Collective.
template <class T>
std::unique_ptr<rank_exchange> send_and_receive(rank_communicator const& comm, rank_offsets const& send_begin,
                                                T const* sent, rank_offsets const& receive_begin, T* received) {
    message_list const messages(send_begin, sent, receive_begin, received);
    return comm.start(messages.to_others(), messages.from_others());
}

/// The same as one call, for elements in memory of the executor. Does not synchronise between devices with NCCL.
template <executor Executor, class T>
void exchange(Executor const& exec, rank_communicator const& comm, rank_offsets const& send_begin, T const* sent,
              rank_offsets const& receive_begin, T* received) {
    if constexpr (std::is_base_of_v<host_executor, Executor>) {
        send_and_receive(comm, send_begin, sent, receive_begin, received)->finish();
    } else {
        if (device_group const* const devices = comm.devices()) {
            auto const self = std::size_t(comm.rank());
            exec.copy_elements(sent + send_begin[self], received + receive_begin[self],
                               send_begin[self + 1] - send_begin[self]);
            message_list const messages(send_begin, sent, receive_begin, received, comm.rank());
            if (!messages.all.empty())
                devices->exchange(comm.rank(), exec, messages.to_others(), messages.from_others());
            return;
        }
        if (comm.reads_devices()) {
            exec.synchronize();
            return send_and_receive(comm, send_begin, sent, receive_begin, received)->finish();
        }
        std::vector<T> const from = to_vector(exec, array_view<T const>(sent, send_begin.back()));
        std::vector<T> to(static_cast<std::size_t>(receive_begin.back()));
        send_and_receive(comm, send_begin, from.data(), receive_begin, to.data())->finish();
        exec.copy_elements(to.data(), received, receive_begin.back());
    }
}

} // namespace coppice::inline v0_1::distributed
