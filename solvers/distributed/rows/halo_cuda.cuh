// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Halos between devices. See solvers/distributed/rows/halo.hpp for the contract.
#pragma once

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/cuda/device_group.hpp>
#include <coppice/solvers/distributed/rows/halo.hpp>

namespace coppice::distributed {

/// A point in the order of a stream that others wait for.
class cuda_point {
public:
    cuda_point() { COPPICE_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
    ~cuda_point() { cudaEventDestroy(event_); }
    cuda_point(cuda_point const&) = delete;
    cuda_point& operator=(cuda_point const&) = delete;

    void set(cuda_executor const& exec) { COPPICE_CUDA_CHECK(cudaEventRecord(event_, exec.stream())); }
    /// What is queued on `exec` from now on waits.
    void hold(cuda_executor const& exec) const { COPPICE_CUDA_CHECK(cudaStreamWaitEvent(exec.stream(), event_, 0)); }
    void wait() const { COPPICE_CUDA_CHECK(cudaEventSynchronize(event_)); } ///< the host does

private:
    cudaEvent_t event_{};
};

template <class T>
class halo<cuda_executor, T> {
public:
    halo(cuda_executor const& exec, part_messages const& others, halo_plan plan)
        : others_(others), plan_(std::move(plan)), sent_(exec, plan_), values_(exec, plan_.received()),
          devices_(plan_.any ? others.devices() : nullptr), beside_(exec.device()) {}

    bool replayable() const { return !plan_.any || devices_; }
    halo_plan const& plan() const { return plan_; }
    buffer<std::int32_t> const& sent_rows() const { return sent_.rows; } ///< of plan().send_rows
    T const* values() const { return values_.data(); }

    void start(cuda_executor const& exec, T const* x) {
        if (!plan_.any) return;
        ready_ = sent_.gather(exec, x);
        left_.set(exec);
        if (!devices_) return;
        left_.hold(beside_);
        messages_.clear();
        std::size_t const parts = plan_.receive_from.size();
        for (std::size_t p = 0; p < parts; ++p)
            if (std::int64_t const count = plan_.send_begin[p + 1] - plan_.send_begin[p]; count > 0)
                messages_.push_back({int(p), ready_ + plan_.send_begin[p], std::size_t(count) * sizeof(T)});
        std::size_t const sends = messages_.size();
        for (std::size_t p = 0; p < parts; ++p)
            if (std::int64_t const count = plan_.received(p); count > 0)
                messages_.push_back({int(p), values_.data() + plan_.receive_begin[p], std::size_t(count) * sizeof(T)});
        std::span<device_message const> const all(messages_);
        if (!all.empty()) devices_->exchange(others_.part(), beside_, all.first(sends), all.subspan(sends));
        arrived_.set(beside_);
    }
    void finish(cuda_executor const& exec) {
        if (!plan_.any) return;
        if (devices_) return arrived_.hold(exec);
        // Memory of one device's pool is not another one's to read.
        left_.wait();
        auto const all = others_.gather(to_vector(beside_, array_view<T const>(ready_, sent_.rows.size())));
        for (std::size_t p = 0; p < all.size(); ++p)
            exec.copy_elements(all[p].data() + plan_.receive_from[p], values_.data() + plan_.receive_begin[p],
                               plan_.received(p));
    }

private:
    part_messages others_;
    halo_plan plan_;
    sent_elements<cuda_executor, T> sent_;
    buffer<T> values_;
    device_group const* devices_;
    cuda_executor beside_; ///< what crosses between devices does so in its order
    cuda_point left_{}, arrived_{};
    T* ready_ = nullptr;
    std::vector<device_message> messages_{};
};

} // namespace coppice::distributed
