// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Settings in environment variables.
#pragma once

#include <cstdlib>
#include <string>

#include <unistd.h>

#include <coppice/core/config.hpp>

namespace coppice::inline v0_1::detail {

/// Environment variable; empty if it is not set, or if the program runs with the rights of another user.
inline std::string setting(char const* name) {
#if defined(__linux__)
    char const* const value = ::secure_getenv(name);
#else
    char const* const value = ::issetugid() ? nullptr : std::getenv(name);
#endif
    return value ? value : "";
}

/// Folder of cached files: $XDG_CACHE_HOME, else $HOME/.cache; empty if neither is set. A path that is not absolute is
/// ignored, as the XDG Base Directory Specification demands: it would be another folder in each working directory.
inline std::string cache_home() {
    std::string cache = setting("XDG_CACHE_HOME");
    if (cache.starts_with('/')) return cache;
    std::string const home = setting("HOME");
    return home.starts_with('/') ? home + "/.cache" : "";
}

} // namespace coppice::inline v0_1::detail
