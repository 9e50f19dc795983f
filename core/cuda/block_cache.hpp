// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Freed blocks of memory that wait for the next allocation of about their size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <new>
#include <unordered_map>
#include <vector>

namespace coppice::inline v0_1 {

/// Keeps freed blocks for reuse, in front of an allocator whose calls are expensive. Sizes are rounded up by at most an
/// eighth and 2 MB, so that a block fits sizes near its own. Not thread-safe.
class block_cache {
public:
    /// Keeps at most `limit` bytes.
    explicit block_cache(std::size_t limit) : limit_(limit) {}

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
        cached_bytes_ -= size;
        return block;
    }
    /// Reports a block of this rounded size that the allocator has made. Without memory for that, the block is not
    /// saved later.
    void add(void* block, std::size_t size) noexcept {
        try {
            in_use_.emplace(block, size);
        } catch (std::bad_alloc const&) {
        }
    }
    /// Ends the use of a block. Returns whether it is saved; otherwise the caller frees it. Blocks that were not
    /// reported are not saved.
    bool give_back(void* block) noexcept {
        auto const found = in_use_.find(block);
        if (found == in_use_.end()) return false;
        std::size_t const size = found->second;
        in_use_.erase(found);
        if (size > limit_ || cached_bytes_ > limit_ - size) return false;
        try {
            free_[size].push_back(block);
        } catch (std::bad_alloc const&) {
            return false;
        }
        cached_bytes_ += size;
        return true;
    }
    /// Calls free(block) for all kept blocks and forgets them.
    template <class Free>
    void clear(Free const& free) {
        for (auto const& [size, blocks] : free_)
            for (void* const block : blocks) free(block);
        free_.clear();
        cached_bytes_ = 0;
    }
    std::size_t cached_bytes() const { return cached_bytes_; }

private:
    std::size_t limit_, cached_bytes_ = 0;
    std::map<std::size_t, std::vector<void*>> free_{}; ///< by rounded size
    std::unordered_map<void*, std::size_t> in_use_{};
};

} // namespace coppice::inline v0_1
