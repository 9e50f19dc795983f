// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Memory of the machine and its pages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coppice::inline v0_1::detail {

/// Makes the system provide the pages of allocated memory now instead of at their first access. Does not change their
/// contents; other threads may access them. May do nothing.
void populate_pages(void* pointer, std::size_t bytes) noexcept;

/// Bytes of memory of this machine, or of the control group (version 2) of this process if they are fewer and the group
/// is the root of the visible hierarchy, as in a container.
std::int64_t memory_of_machine();

} // namespace coppice::inline v0_1::detail
