// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Exchange of the elements of a distributed vector that a rank reads from others (its halo).
///
///     halo<Executor, T> h(exec, comm, plan);
///     h.start(exec, x);      starts to send the elements of x[own] that other ranks read
///     ...                    work that does not read the halo
///     h.finish(exec);        work queued from now on may read h.values()
///
/// Collective. The exchange overlaps the work between start() and finish() if the ranks are processes of MPI, or
/// devices with NCCL (rank_communicator::devices()), which does not involve the host. Without NCCL, elements of devices
/// go through host memory, unless MPI reads that of devices, and the host waits for the device.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <coppice/algebra/transform.hpp>
#include <coppice/core/multi_executor.hpp>
#include <coppice/core/parallel.hpp>
#include <coppice/solvers/distributed/rows/compact_indices.hpp>
#include <coppice/solvers/distributed/rows/rank_messages.hpp>

namespace coppice::inline v0_1::distributed {

/// Which elements are sent and received. `needs`: columns of other ranks, ascending, without duplicates. Rank p owns
/// the columns [begin[p], begin[p + 1]). A rank owns and needs less than 2^31 columns; their indices may have 64 bits.
struct halo_plan {
    std::vector<std::int32_t> send_rows{};     ///< local indices: for rank 0, then for rank 1, ...
    std::vector<std::int64_t> send_begin{};    ///< [ranks + 1] offset of the elements for each rank
    std::vector<std::int64_t> receive_begin{}; ///< [ranks + 1] offset of the elements from each rank in `needs`
    bool any = false;                          ///< whether any rank has a halo

    template <class I>
    halo_plan(rank_communicator const& comm, std::vector<std::int64_t> const& begin, std::vector<I> const& needs) {
        auto const ranks = std::size_t(comm.ranks()), self = std::size_t(comm.rank());
        for (std::size_t p = 0; p <= ranks; ++p)
            receive_begin.push_back(std::lower_bound(needs.begin(), needs.end(), begin[p]) - needs.begin());
        std::vector<std::array<std::int64_t, 2>> asks(ranks); // of each rank: how many elements, whether any of all
        for (std::size_t p = 0; p < ranks; ++p) asks[p] = {receive_begin[p + 1] - receive_begin[p], !needs.empty()};
        send_begin = {0};
        for (auto const& [count, of_any] : comm.all_to_all(asks)) {
            send_begin.push_back(send_begin.back() + count);
            any = any || of_any != 0;
        }
        if (!any) return;
        std::vector<I> asked(static_cast<std::size_t>(send_begin.back()));
        send_and_receive(comm, receive_begin, needs.data(), send_begin, asked.data())->finish();
        send_rows.reserve(asked.size());
        for (I const row : asked) send_rows.push_back(std::int32_t(row - I(begin[self])));
    }
    std::int64_t received() const { return receive_begin.back(); }
};

/// A plan with the sent rows in memory of the executor; the halos of one pattern share it.
template <executor Executor>
struct placed_halo_plan {
    halo_plan plan;
    buffer<std::int32_t> sent_rows;

    placed_halo_plan(Executor const& exec, halo_plan from)
        : plan(std::move(from)), sent_rows(exec.copy(plan.send_rows)) {}
};
template <executor Executor>
using shared_halo_plan = std::shared_ptr<placed_halo_plan<Executor> const>;

/// The elements of the vector of this rank that other ranks read, in memory of the executor.
template <executor Executor, class T>
struct sent_elements {
    buffer<T> values;

    sent_elements(Executor const& exec, placed_halo_plan<Executor> const& from) : values(exec, from.sent_rows.size()) {}
    T* gather(Executor const& exec, placed_halo_plan<Executor> const& from, T const* x) {
        for_each(exec, values.size(),
                 coppice::detail::gather_at<T, std::int32_t>{x, from.sent_rows.data(), values.data()});
        return values.data();
    }
};

template <executor Executor, class T>
class halo;

template <class T>
class halo<host_executor, T> {
public:
    halo(host_executor const& exec, rank_communicator const& comm, halo_plan plan)
        : halo(exec, comm, std::make_shared<placed_halo_plan<host_executor> const>(exec, std::move(plan))) {}
    halo(host_executor const& exec, rank_communicator const& comm, shared_halo_plan<host_executor> shared)
        : comm_(comm), shared_(std::move(shared)), sent_(exec, *shared_), values_(exec, plan().received()) {}

    bool replayable() const { return false; } ///< ranks synchronise
    halo_plan const& plan() const { return shared_->plan; }
    buffer<std::int32_t> const& sent_rows() const { return shared_->sent_rows; }
    T const* values() const { return values_.data(); }
    void start(host_executor const& exec, T const* x) {
        if (!plan().any) return;
        T const* const ready = sent_.gather(exec, *shared_, x);
        pending_ = send_and_receive(comm_, plan().send_begin, ready, plan().receive_begin, values_.data());
    }
    void finish(host_executor const&) {
        if (!plan().any) return;
        pending_->finish();
        pending_.reset();
    }

private:
    rank_communicator comm_;
    shared_halo_plan<host_executor> shared_;
    sent_elements<host_executor, T> sent_;
    buffer<T> values_;
    std::unique_ptr<rank_exchange> pending_{}; ///< reads and writes the buffers above
};

} // namespace coppice::inline v0_1::distributed

#if defined(__CUDACC__)
#include <coppice/solvers/distributed/rows/halo_cuda.cuh>
#endif
