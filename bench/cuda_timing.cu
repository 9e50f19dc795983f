// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cuda_timing.cuh"

namespace coppice::bench {
namespace {

__global__ void copy_kernel(float4 const* __restrict__ from, float4* __restrict__ to, std::int64_t n) {
    std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

} // namespace

double copy_ceiling(cuda_executor const& exec, std::int64_t bytes) {
    std::int64_t const n = bytes / 16;
    int const copies = copies_past_cache(2.0 * double(bytes));
    buffer<float4> from(exec, n * copies), to(exec, n * copies);
    fill(exec, array_view<float>{reinterpret_cast<float*>(from.data()), n * copies * 4}, 1.5f);
    auto const time = measure_queued(exec, 11, copies > 1 ? 20 : 4, [&](int r) {
        std::int64_t const offset = std::int64_t(r % copies) * n;
        copy_kernel<<<unsigned((n + 255) / 256), 256, 0, exec.stream()>>>(from.data() + offset, to.data() + offset, n);
    });
    return 2.0 * double(n) * 16 / time.median;
}

std::string device_text(cuda_executor const& exec) {
    cudaDeviceProp properties{};
    COPPICE_CUDA_CHECK(cudaGetDeviceProperties(&properties, exec.device()));
    int driver = 0, runtime = 0;
    COPPICE_CUDA_CHECK(cudaDriverGetVersion(&driver));
    COPPICE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    return text("%s, %d multiprocessors, %d MiB L2, CUDA driver %d.%d, runtime %d.%d", properties.name,
                properties.multiProcessorCount, properties.l2CacheSize >> 20, driver / 1000, driver / 10 % 100,
                runtime / 1000, runtime / 10 % 100);
}

} // namespace coppice::bench
