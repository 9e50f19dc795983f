// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The version of the program; CMake passes that of the project.
#pragma once

namespace coppice::app {

inline constexpr char const* version = COPPICE_VERSION;

} // namespace coppice::app
