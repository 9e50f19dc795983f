// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Freed blocks of memory that wait for the next allocation of about their size.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <map>
#include <new>
#include <unordered_map>
#include <vector>

namespace coppice::inline v0_1 {

/// Bytes that the caches of one device may hold together, and those that they hold.
struct cache_budget {
    std::size_t limit;
    std::atomic<std::size_t> used = 0;

    bool take(std::size_t bytes) {
        std::size_t const before = used.fetch_add(bytes);
        if (bytes <= limit && before <= limit - bytes) return true;
        used.fetch_sub(bytes);
        return false;
    }
    void give_back(std::size_t bytes) { used.fetch_sub(bytes); }
};

/// Keeps freed blocks for reuse, in front of an allocator whose calls are expensive. A block is used again for the same
/// size only; rounded sizes, by at most an eighth and 2 MB, make sizes equal that are near each other. Not thread-safe.
class block_cache {
public:
    explicit block_cache(cache_budget& budget) : budget_(&budget) {}

    /// The size in which a block of `bytes` bytes is allocated: at least 512, and the next multiple of an eighth of the
    /// largest power of two in it, between 64 bytes and 2 MB.
    static std::size_t rounded(std::size_t bytes) {
        constexpr std::size_t smallest = 512, longest_step = std::size_t(2) << 20;
        if (bytes <= smallest) return smallest;
        std::size_t const step = std::clamp(std::bit_floor(bytes) / 8, smallest / 8, longest_step);
        std::size_t const size = bytes / step * step;
        return size == bytes || size > std::size_t(-1) - step ? bytes : size + step;
    }
    /// A kept block of this rounded size, or null. It is in use from now on.
    void* take(std::size_t size) {
        auto const found = free_.find(size);
        if (found == free_.end() || found->second.empty()) return nullptr;
        void* const block = found->second.back();
        in_use_.emplace(block, size); // may throw
        found->second.pop_back();
        budget_->give_back(size);
        return block;
    }
    /// Reports a block of this rounded size that the allocator has made. Without memory for that, the result is false,
    /// and the block is not saved later.
    bool add(void* block, std::size_t size) noexcept {
        try {
            in_use_.insert_or_assign(block, size); // a block that was freed elsewhere may still be listed
            return true;
        } catch (std::bad_alloc const&) {
            return false;
        }
    }
    /// Ends the use of a block. Returns whether it is saved; otherwise the caller frees it. Blocks that were not
    /// reported are not saved.
    bool give_back(void* block) noexcept {
        auto const found = in_use_.find(block);
        if (found == in_use_.end()) return false;
        std::size_t const size = found->second;
        in_use_.erase(found);
        if (!budget_->take(size)) return false;
        try {
            free_[size].push_back(block);
        } catch (std::bad_alloc const&) {
            budget_->give_back(size);
            return false;
        }
        return true;
    }
    /// Calls free(block) for all kept blocks and forgets them.
    template <class Free>
    void clear(Free const& free) {
        budget_->give_back(cached_bytes());
        for (auto const& [size, blocks] : free_)
            for (void* const block : blocks) free(block);
        free_.clear();
    }
    std::size_t cached_bytes() const {
        std::size_t sum = 0;
        for (auto const& [size, blocks] : free_) sum += size * blocks.size();
        return sum;
    }

private:
    cache_budget* budget_;
    std::map<std::size_t, std::vector<void*>> free_{}; ///< by rounded size
    std::unordered_map<void*, std::size_t> in_use_{};
};

} // namespace coppice::inline v0_1
