// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/cuda/device_flag.hpp>

#include <mutex>
#include <utility>
#include <vector>

#include <coppice/core/cuda/cuda_check.hpp>

namespace coppice {
namespace {

/// Words of pinned host memory that every device may write. Pages are never given back: a queued kernel may still
/// write.
class note_pool {
public:
    /// A word, null where there is none, and a mark of its own, whose lowest bit is left for the answer.
    std::pair<std::uint64_t*, std::uint64_t> take() {
        std::lock_guard const lock(mutex_);
        if (free_.empty()) add_page();
        if (free_.empty()) return {nullptr, 0};
        std::uint64_t* const word = free_.back();
        free_.pop_back();
        return {word, marks_ += 2};
    }
    void give_back(std::uint64_t* word) {
        std::lock_guard const lock(mutex_);
        free_.push_back(word);
    }

private:
    void add_page() {
        constexpr int words = 512;
        void* page = nullptr;
        // Allocating is refused to a thread that captures a graph, unless it says that it knows.
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
    std::uint64_t marks_ = 0;
};

/// Outlives every plan, static ones included.
note_pool& notes() {
    static auto* const pool = new note_pool;
    return *pool;
}

} // namespace

device_note::device_note(cuda_executor const&) {
    auto const [word, mark] = notes().take();
    if (!word) return;
    lease_ = {word, [](void* p) { notes().give_back(static_cast<std::uint64_t*>(p)); }};
    mark_ = mark;
}

} // namespace coppice
