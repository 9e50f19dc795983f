// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions in C that the compiler of the system compiles while the program runs.
#pragma once

#include <string>

namespace coppice::inline v0_1 {

/// Compiles a C source and returns the handle of the loaded library, for run_time_function(). A library that this
/// program or another one compiled from the same source is used again: libraries are stored in the folder
/// $COPPICE_CACHE_DIR, $XDG_CACHE_HOME/coppice or $HOME/.cache/coppice. Folders and files that another user owns or can
/// write are not used. The compiler is $COPPICE_CC, by default cc, and gets the options -std=gnu11 -O3 -fwrapv.
/// COPPICE_JIT=off switches compilation off. The library remains loaded until the program ends. Any thread may call it;
/// each source is compiled once. Throws argument_error with the messages of the compiler if it does not accept the
/// source; backend_error if there is no compiler or no such folder, or compilation is off.
void* run_time_library(std::string const& source);

/// Returns the address of a function of the library; null if it has none of this name, or with hidden visibility.
void* run_time_function(void* library, char const* name) noexcept;

} // namespace coppice::inline v0_1
