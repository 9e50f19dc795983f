// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/core/memory.hpp>

#include <cstddef>
#include <cstdint>

namespace coppice::inline v0_1 {

void* detail::allocate_elements(memory_resource* resource, std::int64_t size, std::size_t bytes) {
    if (size < 0) throw argument_error("buffer size is negative: " + std::to_string(size));
    if (size > static_cast<std::int64_t>(PTRDIFF_MAX / bytes))
        throw overflow_error("buffer of " + std::to_string(size) + " elements exceeds the address space");
    return size > 0 ? resource->allocate(static_cast<std::size_t>(size) * bytes) : nullptr;
}

} // namespace coppice::inline v0_1
