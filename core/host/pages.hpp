// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pages of host memory.
#pragma once

#include <cstddef>

namespace coppice::inline v0_1::detail {

/// Makes the system provide the pages of allocated memory now instead of at their first access. Does not change their
/// contents; other threads may access them. May do nothing.
void populate_pages(void* pointer, std::size_t bytes) noexcept;

} // namespace coppice::inline v0_1::detail
