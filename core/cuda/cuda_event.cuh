// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Time measurement of work that is queued on a stream.
#pragma once

#include <algorithm>
#include <vector>

#include <coppice/core/cuda/cuda_check.hpp>
#include <coppice/core/executor.hpp>

namespace coppice::inline v0_1 {

class cuda_event {
public:
    cuda_event() { COPPICE_CUDA_CHECK(cudaEventCreate(&event_)); }
    cuda_event(cuda_event const&) = delete;
    cuda_event& operator=(cuda_event const&) = delete;
    ~cuda_event() { cudaEventDestroy(event_); }

    /// Records the time at which all previously queued work is complete.
    void record(cuda_executor const& exec) { COPPICE_CUDA_CHECK(cudaEventRecord(event_, exec.stream())); }

    /// Microseconds since another event; waits for this one.
    double microseconds_since(cuda_event const& begin) const {
        float milliseconds = 0;
        COPPICE_CUDA_CHECK(cudaEventSynchronize(event_));
        COPPICE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin.event_, event_));
        return double(milliseconds) * 1e3;
    }

private:
    cudaEvent_t event_{};
};

/// Measures the time per call of `work(k)`, which queues the k-th call, in microseconds. Returns `samples` values in
/// ascending order; each is the mean of `calls` consecutive calls. `unmeasured` calls precede them.
template <class Work>
std::vector<double> sorted_microseconds(cuda_executor const& exec, int samples, int calls, int unmeasured,
                                        Work const& work) {
    cuda_event begin, end;
    int k = 0;
    while (k < unmeasured) work(k++);
    std::vector<double> times;
    for (int sample = 0; sample < samples; ++sample) {
        begin.record(exec);
        for (int c = 0; c < calls; ++c) work(k++);
        end.record(exec);
        times.push_back(end.microseconds_since(begin) / calls);
    }
    std::sort(times.begin(), times.end());
    return times;
}

} // namespace coppice::inline v0_1
