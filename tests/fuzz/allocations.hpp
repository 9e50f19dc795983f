// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// malloc of this program: it counts the memory that is held and can be made to fail. operator new calls it.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COPPICE_COUNTED_MALLOC 0 // sanitizers have their own
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COPPICE_COUNTED_MALLOC 0
#else
#define COPPICE_COUNTED_MALLOC 1
#endif
#else
#define COPPICE_COUNTED_MALLOC 1
#endif

namespace coppice::fuzz {

enum class failures { none, one, all_from };

/// Allocation number `first` (from 0) fails, or that one and all that follow.
void fail_allocations(failures which, std::int64_t first);
/// How many were made since then.
std::int64_t allocations();

std::int64_t held_bytes();
/// The most bytes held since reset_peak().
std::int64_t peak_bytes();
void reset_peak();

} // namespace coppice::fuzz
