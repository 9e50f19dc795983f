// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Timing of queued work with CUDA events, and the copy bandwidth of the device.
#pragma once

#include <algorithm>
#include <vector>

#include <cuda_runtime.h>

#include "bench/bench.hpp"
#include <coppice/core/cuda/cuda_event.cuh>
#include <coppice/core/parallel.hpp>

namespace coppice::bench {

/// Seconds per call of `work(repetition)` which queues on the executor's stream: medians over `samples` batches of
/// `batch` calls, so that the gaps between launches are those of queued launches, without those of events.
template <class Work>
timing measure_queued(cuda_executor const& exec, int samples, int batch, Work const& work) {
    auto const times = sorted_microseconds(exec, samples, batch, std::max(2, batch / 2), work);
    return {times[times.size() / 2] * 1e-6, times.front() * 1e-6};
}

/// The same for calls captured into one CUDA graph, without the launch cost of the host.
template <class Work>
timing measure_in_graph(cuda_executor const& exec, int samples, int batch, Work const& work) {
    work(0); // attributes of kernels are set once
    exec.synchronize();
    cudaGraph_t graph = nullptr;
    COPPICE_CUDA_CHECK(cudaStreamBeginCapture(exec.stream(), cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < batch; ++i) work(i);
    COPPICE_CUDA_CHECK(cudaStreamEndCapture(exec.stream(), &graph));
    cudaGraphExec_t replay = nullptr;
    COPPICE_CUDA_CHECK(cudaGraphInstantiate(&replay, graph, 0));
    auto const all =
        measure_queued(exec, samples, 1, [&](int) { COPPICE_CUDA_CHECK(cudaGraphLaunch(replay, exec.stream())); });
    COPPICE_CUDA_CHECK(cudaGraphExecDestroy(replay));
    COPPICE_CUDA_CHECK(cudaGraphDestroy(graph));
    return {all.median / batch, all.fastest / batch};
}

/// Number of copies of the data that together exceed the L2 cache several times, so that no repetition finds its data
/// in the cache.
inline int copies_past_cache(double bytes) { return bytes > 400e6 ? 1 : int(std::min(64.0, 400e6 / bytes + 1)); }

/// Bytes per second, read plus written, of a device-to-device copy of `bytes` bytes.
double copy_ceiling(cuda_executor const& exec, std::int64_t bytes);

/// Name, driver and runtime of the device.
std::string device_text(cuda_executor const& exec);

} // namespace coppice::bench
