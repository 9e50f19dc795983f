// SPDX-License-Identifier: BSD-3-Clause
#include "cached_memory.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <coppice/core/host/host_executor.hpp>

namespace coppice::graphblas {
namespace {

class cached_host_memory final : public memory_resource {
public:
    cached_host_memory() { free_.reserve(max_arrays); }
    void* allocate(std::size_t bytes) override {
        if (bytes < min_bytes) return base_->allocate(bytes);
        std::scoped_lock const lock(guard_);
        auto const fits = std::find_if(free_.rbegin(), free_.rend(), [bytes](array const& a) {
            return a.bytes >= bytes && a.bytes - bytes <= bytes / 4;
        });
        if (fits != free_.rend()) {
            void* const reused = fits->data;
            free_bytes_ -= fits->bytes;
            free_.erase(std::next(fits).base());
            return reused;
        }
        void* const made = base_->allocate(bytes);
        try {
            sizes_[made] = bytes;
        } catch (...) {
            base_->deallocate(made, bytes);
            throw;
        }
        return made;
    }
    // The size of an array that was shrunk is not the one that was allocated, so that the pointer decides.
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        std::scoped_lock const lock(guard_);
        auto const known = sizes_.find(pointer);
        if (known == sizes_.end()) return base_->deallocate(pointer, bytes);
        array const freed{pointer, known->second};
        if (freed.bytes > max_free_bytes) return release(freed);
        // The oldest arrays have sizes that may not be used any more.
        while (free_.size() == max_arrays || free_bytes_ + freed.bytes > max_free_bytes) {
            array const oldest = free_.front();
            free_.erase(free_.begin());
            free_bytes_ -= oldest.bytes;
            release(oldest);
        }
        free_.push_back(freed);
        free_bytes_ += freed.bytes;
    }
    memory_space space() const noexcept override { return memory_space::host; }
    void read(void const* from, void* host_to, std::size_t bytes) override { base_->read(from, host_to, bytes); }
    bool can_shrink() const noexcept override { return base_->can_shrink(); }
    // The system would clear the pages again when the array is used again.
    void shrink(void* pointer, std::size_t bytes, std::size_t new_bytes) noexcept override {
        if (bytes <= max_free_bytes && new_bytes >= bytes / 2) return;
        base_->shrink(pointer, bytes, new_bytes);
    }
    void release() noexcept {
        std::scoped_lock const lock(guard_);
        for (array const& a : free_) release(a);
        free_.clear();
        free_bytes_ = 0;
    }

private:
    struct array {
        void* data;
        std::size_t bytes;
    };
    void release(array a) noexcept {
        sizes_.erase(a.data);
        base_->deallocate(a.data, a.bytes);
    }
    static constexpr std::size_t min_bytes = std::size_t{1} << 20, max_arrays = 32;
    static constexpr std::size_t max_free_bytes = std::size_t{256} << 20;
    std::shared_ptr<memory_resource> base_ = system_memory(); ///< arrays may be unpacked, which programs free
    std::mutex guard_;
    std::vector<array> free_; ///< the oldest first
    std::size_t free_bytes_ = 0;
    std::unordered_map<void*, std::size_t> sizes_; ///< of arrays of at least min_bytes, used or free
};

std::shared_ptr<cached_host_memory> const& instance() {
    // Programs may free objects when they end.
    static auto* const memory = new std::shared_ptr<cached_host_memory>(std::make_shared<cached_host_memory>());
    return *memory;
}

} // namespace

std::shared_ptr<memory_resource> cached_memory() { return instance(); }
void release_cached_memory() noexcept { instance()->release(); }

} // namespace coppice::graphblas
