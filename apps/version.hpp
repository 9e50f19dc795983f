// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Version of the program, which is that of the library.
#pragma once

#include <coppice/version.h>

namespace coppice::app {

inline constexpr char const* version = COPPICE_VERSION_STRING;

} // namespace coppice::app
