// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Communication of one rank of a distributed problem with all others: threads of one process (multi_executor) or
/// processes of MPI (mpi_executor).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <coppice/core/error.hpp>
#include <coppice/core/rank_transport.hpp>

namespace coppice::inline v0_1 {

/// Communication of one rank with all others. All ranks call gather(value) in the same order; it returns the values of
/// all ranks, indexed by rank. It throws if another rank has failed or has returned; it never waits for such a rank.
template <class Messages>
concept communicator = requires(Messages const& m) {
    { m.ranks() } -> std::convertible_to<int>;
    { m.rank() } -> std::convertible_to<int>;
    { m.gather(0.0) } -> std::same_as<std::vector<double>>;
};

/// Model of `communicator`; a handle of a rank_transport, whose owner keeps it alive. Its members are collective and
/// synchronise, except rank(), ranks(), devices() and reads_devices().
class rank_communicator {
public:
    explicit rank_communicator(rank_transport& transport)
        : transport_(&transport), rank_(transport.rank()), ranks_(transport.ranks()) {}
    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    [[deprecated("use rank()")]] int part() const { return rank_; }
    [[deprecated("use ranks()")]] int parts() const { return ranks_; }

    template <class Value>
    std::vector<Value> gather(Value const& value) const {
        std::vector<Value> all(std::size_t(ranks_), value);
        all_gather(&value, all.data(), 1);
        return all;
    }
    /// Returns the vectors of all ranks, indexed by rank. Their lengths may differ.
    template <class Value>
    std::vector<std::vector<Value>> gather(std::vector<Value> const& values) const {
        static_assert(std::is_trivially_copyable_v<Value>, "ranks exchange trivially copyable values");
        std::vector<std::vector<Value>> all(static_cast<std::size_t>(ranks_));
        transport_->all_gather(std::as_bytes(std::span(values)), false, [&](int p, std::span<std::byte const> block) {
            auto& of_rank = all[std::size_t(p)];
            of_rank.resize(block.size() / sizeof(Value));
            if (!block.empty()) std::memcpy(of_rank.data(), block.data(), block.size());
        });
        return all;
    }
    /// Combines the values of all ranks in the order of ranks: the same result on every rank.
    template <class Value, class Combine>
    Value all_reduce(Value const& mine, Combine const& combine) const {
        auto const all = gather(mine);
        Value sum = all[0];
        for (std::size_t p = 1; p < all.size(); ++p) sum = combine(sum, all[p]);
        return sum;
    }
    /// Gathers `count` values of every rank, equally many on all ranks, in rank order to all[ranks * count].
    template <class Value>
    void all_gather(Value const* mine, Value* all, std::int64_t count) const {
        static_assert(std::is_trivially_copyable_v<Value>, "ranks exchange trivially copyable values");
        auto const values = std::span(mine, std::size_t(count));
        transport_->all_gather(std::as_bytes(values), true, [&](int p, std::span<std::byte const> block) {
            if (!block.empty()) std::memcpy(all + p * count, block.data(), block.size());
        });
    }
    /// Sends element p of `to_each`[ranks] to rank p. Element p of the result comes from rank p.
    template <class Value>
    std::vector<Value> all_to_all(std::vector<Value> const& to_each) const {
        static_assert(std::is_trivially_copyable_v<Value>, "ranks exchange trivially copyable values");
        require_size("values of rank_communicator::all_to_all", std::int64_t(to_each.size()), ranks_);
        std::vector<Value> from(to_each);
        transport_->all_to_all(to_each.data(), sizeof(Value), from.data());
        return from;
    }
    /// Starts to send and receive messages; finish() of the result waits for them. See rank_transport::start.
    std::unique_ptr<rank_exchange> start(std::span<rank_message const> sends,
                                         std::span<rank_message const> receives) const {
        return transport_->start(sends, receives);
    }
    /// Waits for all ranks.
    void barrier() const { gather(0); }

    /// Whether messages of start() may be in device memory (MPI that is device-aware).
    bool reads_devices() const { return transport_->reads_devices(); }
    /// Collectives between devices without the host. Null on the host, without NCCL, and if two ranks use the same
    /// device.
    device_group const* devices() const { return transport_->devices(); }
    /// Why devices() is null.
    std::string why_no_devices() const { return transport_->why_no_devices(); }

private:
    rank_transport* transport_;
    int rank_, ranks_;
};

/// Returns the offset of the elements of each rank in the whole vector, [ranks + 1]. `size`: number of elements of this
/// rank. Collective.
inline std::vector<std::int64_t> offsets_of_ranks(rank_communicator const& comm, std::int64_t size) {
    std::vector<std::int64_t> begin{0};
    for (std::int64_t const count : comm.gather(size)) begin.push_back(begin.back() + count);
    return begin;
}

} // namespace coppice::inline v0_1
