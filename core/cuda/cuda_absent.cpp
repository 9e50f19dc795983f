// SPDX-License-Identifier: BSD-3-Clause
// Replaces cuda_executor.cpp and device_group.cpp in a build without CUDA: creating a CUDA executor throws
// backend_error.
#include <coppice/core/cuda/cuda_executor.hpp>
#include <coppice/core/cuda/device_group.hpp>

namespace coppice::inline v0_1 {

struct cuda_executor::state {
    std::shared_ptr<memory_resource> resource;
    std::string name;
};

int cuda_device_count() noexcept { return 0; }

cuda_executor::cuda_executor(int) { throw backend_error("this build of Coppice has no CUDA backend"); }
cuda_executor::cuda_executor(int device, CUstream_st*) : cuda_executor(device) {} // not covered: devices only

// No object can be constructed, so no member function is called.
// not covered: devices only
int cuda_executor::device() const { return -1; }
CUstream_st* cuda_executor::stream() const { return nullptr; }
int cuda_executor::multiprocessors() const { return 0; }
cuda_executor cuda_executor::second_stream() const { return *this; }
std::string const& cuda_executor::name() const { return state_->name; }
std::shared_ptr<memory_resource> const& cuda_executor::memory() const { return state_->resource; }
void cuda_executor::synchronize() const {}
cuda_executor::recording::recording(cuda_executor const&) {}
cuda_executor::recording::~recording() = default;
void cuda_executor::copy_bytes(void const*, void*, std::size_t) const {}
void cuda_executor::load_bytes(void const*, void*, std::size_t) const {}
void make_current(cuda_executor const&) {}
std::size_t device_memory(cuda_executor const&) { return 0; }
std::size_t free_device_memory(cuda_executor const&) { return 0; }

struct device_group::state {};
// not covered: devices only
std::shared_ptr<device_group> device_group::make(std::vector<cuda_executor> const&, std::string& why_not) {
    why_not = "this build of Coppice has no CUDA backend";
    return nullptr;
}
std::shared_ptr<device_group> device_group::connect(cuda_executor const&, rank_transport&, std::string& why_not) {
    why_not = "this build of Coppice has no CUDA backend";
    return nullptr;
}
device_group::~device_group() = default;
void device_group::all_gather(int, cuda_executor const&, void const*, void*, std::size_t) const {}
void device_group::exchange(int, cuda_executor const&, std::span<rank_message const>,
                            std::span<rank_message const>) const {}
void device_group::abort() noexcept {}
int device_group::nccl_version() { return 0; }

} // namespace coppice::inline v0_1
