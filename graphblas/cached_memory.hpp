// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Host memory that keeps large arrays which were freed, for arrays of about the same size. Operations allocate and
/// free arrays of all positions often, and the system clears each new page, which can take longer than the operation.
#pragma once

#include <memory>

#include <coppice/core/memory.hpp>

namespace coppice::graphblas {

std::shared_ptr<memory_resource> cached_memory();
/// Frees the arrays that are kept.
void release_cached_memory() noexcept;

} // namespace coppice::graphblas
