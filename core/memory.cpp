// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/memory.hpp>

#include <cstddef>
#include <cstdint>

namespace coppice::inline v0_1 {

void* detail::allocate_elements(memory_resource* resource, std::int64_t size, std::size_t bytes) {
    if (size < 0) throw argument_error("buffer size is negative: " + std::to_string(size));
    if (size > static_cast<std::int64_t>(PTRDIFF_MAX / bytes))
        throw overflow_error("buffer of " + std::to_string(size) + " elements exceeds the address space");
    if (size == 0) return nullptr;
    std::size_t const all = static_cast<std::size_t>(size) * bytes;
    void* const block = resource->allocate(all);
    if (!block) throw memory_error("a memory resource returned a null pointer for " + std::to_string(all) + " bytes");
    if (reinterpret_cast<std::uintptr_t>(block) % block_alignment == 0) return block;
    resource->deallocate(block, all);
    throw argument_error("a memory resource returned a block that is not aligned to " +
                         std::to_string(block_alignment) + " bytes");
}

} // namespace coppice::inline v0_1
