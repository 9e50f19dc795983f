// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

namespace coppice::graphblas::device {

/// Runs f, which computes an operation on the device, if backend and size admit it. f throws host_reason before it
/// changes the output. Returns whether it ran, and records the reason if not.
bool attempt(char const* operation, std::function<bool()> const& is_large, std::function<void()> const& f);

} // namespace coppice::graphblas::device
