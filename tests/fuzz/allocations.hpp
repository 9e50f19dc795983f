// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Replaces malloc: counts the allocated memory, and can simulate failures. operator new calls it.
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

/// Makes allocation number `first` (from 0) fail, or this and all later ones.
void fail_allocations(failures which, std::int64_t first);
/// Number of allocations since then.
std::int64_t allocations();

std::int64_t held_bytes();
/// Maximum number of allocated bytes since reset_peak().
std::int64_t peak_bytes();
void reset_peak();

} // namespace coppice::fuzz
