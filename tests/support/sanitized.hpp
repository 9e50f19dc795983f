// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether a sanitizer is active: long cases then use smaller sizes that execute the same lines.
#pragma once

namespace coppice::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Whether the thread sanitizer is active. Synchronisation is the same for every matrix and most sizes, so that a few
/// suffice; the address sanitizer runs all.
#if defined(__SANITIZE_THREAD__)
constexpr bool races_watched = true;
#else
constexpr bool races_watched = false;
#endif

} // namespace coppice::test
