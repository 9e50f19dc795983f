// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Functions in C or C++ that the compiler of the system compiles while the program runs.
#pragma once

#include <functional>
#include <string>

namespace coppice::inline v0_1 {

enum class run_time_language { c, cpp };

/// Compiles a source and returns the handle of the loaded library, for run_time_function(). A library that this
/// program or another one compiled from the same source is used again: libraries are stored in the folder
/// $COPPICE_CACHE_DIR, $XDG_CACHE_HOME/coppice or $HOME/.cache/coppice. Folders and files that another user owns or can
/// write are not used. Without COPPICE_CACHE_DIR, if there is no such folder or it cannot be written, libraries are
/// made in a folder of the process in $TMPDIR or /tmp, which is removed at its end. The compiler of C is $COPPICE_CC,
/// by default cc, and gets the options -std=gnu11 -O3 -fwrapv; that of C++ is $COPPICE_CXX, by default c++, with
/// -std=gnu++17 -O1 -ffp-contract=off. COPPICE_JIT=off switches compilation off. The library remains loaded until the
/// program ends. Any thread may call it; each source is compiled once. Throws argument_error with the messages of the
/// compiler if it does not accept the source; backend_error if there is no compiler, no folder can be written, or
/// compilation is off.
void* run_time_library(std::string const& source, run_time_language language = run_time_language::c);

/// Endings of the names of a stored source and of what was made of it.
struct run_time_endings {
    char const *source, *result;
};
/// Returns the path of a file that was made of a source, from the folder of run_time_library(). If there is none,
/// make(source_path, result_path) makes it. `maker` names what makes it, with its version: another one makes another
/// file. The source is stored too, so that equal hashes of different sources are noticed. Throws backend_error as
/// run_time_library(), and what `make` throws.
std::string run_time_file(std::string const& maker, std::string const& source, run_time_endings const& endings,
                          std::function<void(std::string const&, std::string const&)> const& make);

/// Returns the address of a function of the library; null if it has none of this name, or with hidden visibility.
void* run_time_function(void* library, char const* name) noexcept;

} // namespace coppice::inline v0_1
