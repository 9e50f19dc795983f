// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether a sanitizer watches: cases that are long then take smaller sizes, which pass the same lines.
#pragma once

namespace coppice::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Whether it is the thread sanitizer: what awaits what is the same for every matrix and for most sizes, so that a few
/// do, where the address sanitizer takes all.
#if defined(__SANITIZE_THREAD__)
constexpr bool races_watched = true;
#else
constexpr bool races_watched = false;
#endif

} // namespace coppice::test
