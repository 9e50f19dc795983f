// SPDX-License-Identifier: BSD-3-Clause
#include "apps/backend.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#if defined(COPPICE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

#include "apps/version.hpp"

namespace coppice::app {
namespace {

std::string processor_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0)
            if (auto const colon = line.find(':'); colon != std::string::npos && colon + 2 < line.size())
                return line.substr(colon + 2);
    return "unknown processor";
}

std::string machine_name_of(host_executor const&) { return processor_name(); }
std::string describe(host_executor const& exec) {
    int const working = working_threads(exec);
    auto const requested = exec.threads() > working ? fmt::format(" of the {} requested", exec.threads()) : "";
    return fmt::format("host, {} thread{}{} ({})", working, working == 1 ? "" : "s", requested, machine_name_of(exec));
}

#if defined(COPPICE_HAS_CUDA)
std::string machine_name_of(cuda_executor const& exec) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, exec.device()) != cudaSuccess) return "unknown device";
    return properties.name;
}
std::string describe(cuda_executor const& exec) {
    return fmt::format("cuda, device {} ({})", exec.device(), machine_name_of(exec));
}
#endif

} // namespace

int working_threads(host_executor const& exec) {
    int threads = 1;
    exec.run([&] { threads = tbb::this_task_arena::max_concurrency(); });
    return threads;
}

any_executor make_executor(common_options const& options, [[maybe_unused]] int rank) {
#if defined(COPPICE_HAS_CUDA)
    if (options.backend == "cuda" || (options.backend == "auto" && cuda_device_count() > 0))
        return rank == 0 ? cuda_executor{} : cuda_executor{rank % std::max(1, cuda_device_count())};
#else
    if (options.backend == "cuda") throw backend_error("--backend cuda: this build of Coppice has no CUDA backend");
#endif
    return host_executor{options.threads};
}

std::string backend_name(any_executor const& executor) { return executor.index() == 0 ? "host" : "cuda"; }

std::string describe_executor(any_executor const& executor) {
    return std::visit([](auto const& exec) { return describe(exec); }, executor);
}

std::string machine_name(any_executor const& executor) {
    return std::visit([](auto const& exec) { return machine_name_of(exec); }, executor);
}

std::vector<std::pair<std::string, std::string>> describe_build() {
    std::vector<std::pair<std::string, std::string>> entries = {
        {"coppice", version},
        {"compiler", COPPICE_COMPILER},
        {"oneTBB", fmt::format("{}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR)},
    };
#if defined(COPPICE_HAS_CUDA)
    entries.emplace_back("CUDA", fmt::format("{}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10));
#else
    entries.emplace_back("CUDA", "not built in");
#endif
    return entries;
}

} // namespace coppice::app
