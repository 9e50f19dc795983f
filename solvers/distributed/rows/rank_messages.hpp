// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Messages between all ranks: elements [send_begin[p], send_begin[p + 1]) go to rank p, elements [receive_begin[p],
/// receive_begin[p + 1]) come from rank p. Both arrays have ranks + 1 elements, and the counts of sender and receiver
/// agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/core/executor.hpp>
#include <coppice/core/rank_communicator.hpp>

namespace coppice::inline v0_1::distributed {

using rank_offsets = std::vector<std::int64_t>;

/// Offsets of the elements of N arrays from each rank, from the offsets of those for each rank. Collective.
template <std::size_t N>
std::array<rank_offsets, N> begins_of_received(rank_communicator const& comm,
                                               std::array<rank_offsets const*, N> const& send_begin) {
    std::vector<std::array<std::int64_t, N>> counts(std::size_t(comm.ranks()));
    for (std::size_t p = 0; p < counts.size(); ++p)
        for (std::size_t i = 0; i < N; ++i) counts[p][i] = (*send_begin[i])[p + 1] - (*send_begin[i])[p];
    std::array<rank_offsets, N> begin;
    begin.fill({0});
    for (auto const& of_rank : comm.all_to_all(counts))
        for (std::size_t i = 0; i < N; ++i) begin[i].push_back(begin[i].back() + of_rank[i]);
    return begin;
}
inline rank_offsets begins_of_received(rank_communicator const& comm, rank_offsets const& send_begin) {
    return begins_of_received<1>(comm, {&send_begin})[0];
}

/// An array whose elements [send_begin[p], send_begin[p + 1]) go to rank p; elements [receive_begin[p],
/// receive_begin[p + 1]) of another one come from rank p. Refers to all of them.
template <class T>
struct exchanged {
    rank_offsets const& send_begin;
    T const* sent;
    rank_offsets const& receive_begin;
    T* received;
};

/// The messages of arrays, none of them empty and none to or from rank `omitted`: first those to other ranks, then
/// those from other ranks.
struct message_list {
    std::vector<rank_message> all{};
    std::size_t sends = 0;

    template <class... T>
    explicit message_list(int omitted, exchanged<T> const&... arrays) {
        (add(arrays.send_begin, const_cast<T*>(arrays.sent), omitted), ...); // is only read
        sends = all.size();
        (add(arrays.receive_begin, arrays.received, omitted), ...);
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
template <class... T>
std::unique_ptr<rank_exchange> send_and_receive(rank_communicator const& comm, exchanged<T> const&... arrays) {
    message_list const messages(-1, arrays...);
    return comm.start(messages.to_others(), messages.from_others());
}
template <class T>
std::unique_ptr<rank_exchange> send_and_receive(rank_communicator const& comm, rank_offsets const& send_begin,
                                                T const* sent, rank_offsets const& receive_begin, T* received) {
    return send_and_receive(comm, exchanged<T>{send_begin, sent, receive_begin, received});
}

/// The elements of an array of a device, on the host.
template <class T>
struct staged_elements {
    exchanged<T> device;
    std::vector<T> from, to;

    template <executor Executor>
    staged_elements(Executor const& exec, exchanged<T> const& array)
        : device(array), from(to_vector(exec, array_view<T const>(array.sent, array.send_begin.back()))),
          to(static_cast<std::size_t>(array.receive_begin.back())) {}
    exchanged<T> host() { return {device.send_begin, from.data(), device.receive_begin, to.data()}; }
    template <executor Executor>
    void store(Executor const& exec) const {
        exec.copy_elements(to.data(), device.received, device.receive_begin.back());
    }
};

/// The same as one call, for elements in memory of the executor. Several arrays take as long as one, up to the bytes:
/// a rank waits for others once. Does not synchronise between devices with NCCL.
template <executor Executor, class... T>
void exchange(Executor const& exec, rank_communicator const& comm, exchanged<T> const&... arrays) {
    if constexpr (std::is_base_of_v<host_executor, Executor>) {
        send_and_receive(comm, arrays...)->finish();
    } else {
        if (device_group const* const devices = comm.devices()) {
            auto const self = std::size_t(comm.rank());
            (exec.copy_elements(arrays.sent + arrays.send_begin[self], arrays.received + arrays.receive_begin[self],
                                arrays.send_begin[self + 1] - arrays.send_begin[self]),
             ...);
            message_list const messages(comm.rank(), arrays...);
            if (!messages.all.empty())
                devices->exchange(comm.rank(), exec, messages.to_others(), messages.from_others());
            return;
        }
        if (comm.reads_devices()) {
            exec.synchronize();
            return send_and_receive(comm, arrays...)->finish();
        }
        std::tuple<staged_elements<T>...> staged{staged_elements<T>(exec, arrays)...};
        std::apply([&](auto&... of_host) { send_and_receive(comm, of_host.host()...)->finish(); }, staged);
        std::apply([&](auto const&... of_host) { (of_host.store(exec), ...); }, staged);
    }
}
template <executor Executor, class T>
void exchange(Executor const& exec, rank_communicator const& comm, rank_offsets const& send_begin, T const* sent,
              rank_offsets const& receive_begin, T* received) {
    exchange(exec, comm, exchanged<T>{send_begin, sent, receive_begin, received});
}

} // namespace coppice::inline v0_1::distributed
