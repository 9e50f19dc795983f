// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The version of the program: that of the library.
#pragma once

#include <coppice/version.h>

namespace coppice::app {

inline constexpr char const* version = COPPICE_VERSION_STRING;

} // namespace coppice::app
