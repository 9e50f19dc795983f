// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Whether a sanitizer is active: long cases then use smaller sizes that execute the same lines.
#pragma once

#include <initializer_list>
#include <vector>

namespace coppice::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Whether the thread sanitizer is active. Synchronisation is the same for all matrices and most sizes, so tests run a
/// few of them with this sanitizer.
#if defined(__SANITIZE_THREAD__)
constexpr bool races_watched = true;
#else
constexpr bool races_watched = false;
#endif

/// Selects values for a loop over sizes or other parameters on which synchronisation does not depend: the first and the
/// last with the thread sanitizer, otherwise all.
template <class T>
std::vector<T> ends_for_races(std::vector<T> const& all) {
    return races_watched && all.size() > 2 ? std::vector<T>{all.front(), all.back()} : all;
}
template <class T>
std::vector<T> ends_for_races(std::initializer_list<T> all) {
    return ends_for_races(std::vector<T>(all));
}

} // namespace coppice::test
