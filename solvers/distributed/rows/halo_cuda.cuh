// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Halo exchange between devices. See solvers/distributed/rows/halo.hpp for the contract.
#pragma once

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/device_group.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::inline v0_1::distributed {

/// A CUDA event: a point in the order of a stream that other streams wait for.
class cuda_event {
public:
    cuda_event() { COPPICE_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~cuda_event() { cudaEventDestroy(event_); }
    cuda_event(cuda_event const&) = delete;
    cuda_event& operator=(cuda_event const&) = delete;

    void set(cuda_executor const& exec) { COPPICE_CUDA_CHECK(cudaEventRecord(event_, exec.stream())); }
    /// Work that is queued on `exec` from now on waits for the event.
    void delay(cuda_executor const& exec) const { COPPICE_CUDA_CHECK(cudaStreamWaitEvent(exec.stream(), event_, 0)); }
    void wait() const { COPPICE_CUDA_CHECK(cudaEventSynchronize(event_)); } ///< blocks the host

private:
    cudaEvent_t event_{};
};

template <class T>
class halo<cuda_executor, T> {
public:
    halo(cuda_executor const& exec, rank_communicator const& comm, halo_plan plan)
        : halo(exec, comm, std::make_shared<placed_halo_plan<cuda_executor> const>(exec, std::move(plan))) {}
    halo(cuda_executor const& exec, rank_communicator const& comm, shared_halo_plan<cuda_executor> shared)
        : comm_(comm), shared_(std::move(shared)), sent_(exec, *shared_), values_(exec, plan().received()),
          devices_(plan().any ? comm.devices() : nullptr), exchange_executor_(exec.second_stream()),
          messages_(-1, exchanged<T>{plan().send_begin, sent_.values.data(), plan().receive_begin, values_.data()}) {}

    halo(halo const&) = delete;
    halo& operator=(halo const&) = delete;
    ~halo() {
        if (is_open_) cudaStreamSynchronize(exchange_executor_.stream()); // it still writes into the buffers
    }

    bool replayable() const { return !plan().any || devices_; }
    halo_plan const& plan() const { return shared_->plan; }
    buffer<std::int32_t> const& sent_rows() const { return shared_->sent_rows; }
    T const* values() const { return values_.data(); }

    void start(cuda_executor const& exec, T const* x) {
        if (!plan().any) return;
        sent_.gather(exec, *shared_, x);
        left_.set(exec);
        if (!devices_) return;
        left_.delay(exchange_executor_);
        is_open_ = true;
        if (!messages_.all.empty())
            devices_->exchange(comm_.rank(), exchange_executor_, messages_.to_others(), messages_.from_others());
        arrived_.set(exchange_executor_);
    }
    void finish(cuda_executor const& exec) {
        if (!plan().any) return;
        if (devices_) {
            arrived_.delay(exec);
            is_open_ = false;
            return;
        }
        // A device cannot read the memory pool of another device, so the elements go through the host or through MPI.
        left_.wait();
        if (comm_.reads_devices()) return comm_.start(messages_.to_others(), messages_.from_others())->finish();
        auto const ready = to_vector(exchange_executor_, array_view<T const>(sent_.values.view()));
        std::vector<T> arrived(static_cast<std::size_t>(values_.size()));
        send_and_receive(comm_, plan().send_begin, ready.data(), plan().receive_begin, arrived.data())->finish();
        exec.copy_elements(arrived.data(), values_.data(), values_.size());
    }

private:
    rank_communicator comm_;
    shared_halo_plan<cuda_executor> shared_;
    sent_elements<cuda_executor, T> sent_;
    buffer<T> values_;
    device_group const* devices_;
    cuda_executor exchange_executor_; ///< its stream orders the transfers between devices; all halos of a rank use it
    cuda_event left_{}, arrived_{};
    bool is_open_ = false;  ///< between start() and finish(): the exchange is in flight
    message_list messages_; ///< between the buffers above
};

} // namespace coppice::inline v0_1::distributed
