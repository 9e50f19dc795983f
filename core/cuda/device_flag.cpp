// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/cuda/device_flag.hpp>

#include <mutex>
#include <utility>
#include <vector>

#include <coppice/core/cuda/cuda_check.hpp>

namespace coppice::inline v0_1 {
namespace {

/// Words of pinned host memory that every device may write. Pages are never freed, since a queued kernel may still
/// write to them.
class flag_pool {
public:
    /// Returns a word (null if there is no pinned memory) and a unique tag. The lowest bit of the tag is 0; the kernel
    /// writes the answer there.
    std::pair<std::uint64_t*, std::uint64_t> take() {
        std::lock_guard const lock(mutex_);
        if (free_.empty()) add_page();
        if (free_.empty()) return {nullptr, 0};
        std::uint64_t* const word = free_.back();
        free_.pop_back();
        return {word, tags_ += 2};
    }
    void give_back(std::uint64_t* word) {
        std::lock_guard const lock(mutex_);
        free_.push_back(word);
    }

private:
    void add_page() {
        constexpr int words = 512;
        void* page = nullptr;
        // A thread that captures a graph may allocate only in relaxed capture mode.
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        COPPICE_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
        cudaError_t const status =
            cudaHostAlloc(&page, words * sizeof(std::uint64_t), cudaHostAllocPortable | cudaHostAllocMapped);
        COPPICE_CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
        if (status != cudaSuccess) {
            cudaGetLastError();
            return;
        }
        free_.reserve(free_.size() + words);
        for (int i = 0; i < words; ++i) {
            auto* const word = static_cast<std::uint64_t*>(page) + i;
            *word = 0;
            free_.push_back(word);
        }
    }

    std::mutex mutex_;
    std::vector<std::uint64_t*> free_;
    std::uint64_t tags_ = 0;
};

/// Never destroyed, so that it outlives every plan, including static ones.
flag_pool& all_flags() {
    static auto* const pool = new flag_pool;
    return *pool;
}

} // namespace

device_flag::device_flag(cuda_executor const&) {
    auto const [word, tag] = all_flags().take();
    if (!word) return;
    lease_ = {word, [](void* p) { all_flags().give_back(static_cast<std::uint64_t*>(p)); }};
    tag_ = tag;
}

} // namespace coppice::inline v0_1
