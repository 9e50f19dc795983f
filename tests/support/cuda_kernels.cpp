// SPDX-License-Identifier: BSD-3-Clause
// Lists the kernels of a test program and those that it launches: at exit, if the environment variable
// COPPICE_KERNELS_FILE is set, a line "registered NAME" or "launched NAME" for each, appended to that file. The linker
// replaces the calls (--wrap). scripts/kernels.py reads the lists.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include <cuda_runtime_api.h>

namespace {

struct kernel_lists {
    std::mutex mutex{};
    std::map<void const*, std::string> registered{}; // by the address of the stub
    std::map<cudaKernel_t, void const*> stub_of{};   // kernels by handle
    std::set<void const*> launched{};
    bool writes = std::getenv("COPPICE_KERNELS_FILE") != nullptr;
    ~kernel_lists() {
        char const* const path = std::getenv("COPPICE_KERNELS_FILE");
        std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
        if (!file) return;
        for (auto const& [stub, name] : registered)
            std::fprintf(file, "%s %s\n", launched.contains(stub) ? "launched" : "registered", name.c_str());
        std::fclose(file);
    }
};
kernel_lists& lists() {
    static kernel_lists all; // used by static initialisers of other sources
    return all;
}
void launch(void const* stub) {
    auto& all = lists();
    if (!all.writes) return;
    std::lock_guard const lock(all.mutex);
    all.launched.insert(stub);
}

} // namespace

extern "C" {
void __real___cudaRegisterFunction(void** module, char const* stub, char* function, char const* name, int limit,
                                   uint3* thread, uint3* block, dim3* threads, dim3* blocks, int* warp);
void __wrap___cudaRegisterFunction(void** module, char const* stub, char* function, char const* name, int limit,
                                   uint3* thread, uint3* block, dim3* threads, dim3* blocks, int* warp);
void __wrap___cudaRegisterFunction(void** module, char const* stub, char* function, char const* name, int limit,
                                   uint3* thread, uint3* block, dim3* threads, dim3* blocks, int* warp) {
    {
        auto& all = lists();
        std::lock_guard const lock(all.mutex);
        all.registered[stub] = name;
    }
    __real___cudaRegisterFunction(module, stub, function, name, limit, thread, block, threads, blocks, warp);
}
cudaError_t __real___cudaGetKernel(cudaKernel_t* kernel, void const* stub);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, void const* stub);
cudaError_t __wrap___cudaGetKernel(cudaKernel_t* kernel, void const* stub) {
    auto const status = __real___cudaGetKernel(kernel, stub);
    auto& all = lists();
    std::lock_guard const lock(all.mutex);
    if (status == cudaSuccess) all.stub_of[*kernel] = stub;
    return status;
}
cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t bytes,
                                      cudaStream_t stream);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t bytes,
                                      cudaStream_t stream);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t bytes,
                                      cudaStream_t stream) {
    if (lists().writes) {
        void const* stub = nullptr;
        {
            std::lock_guard const lock(lists().mutex);
            if (auto const found = lists().stub_of.find(kernel); found != lists().stub_of.end()) stub = found->second;
        }
        if (stub) launch(stub);
    }
    return __real___cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream);
}
cudaError_t __real_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* stub, void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* stub, void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* stub, void** arguments) {
    launch(stub);
    return __real_cudaLaunchKernelExC(config, stub, arguments);
}
} // extern "C"
