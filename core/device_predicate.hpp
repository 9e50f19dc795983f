// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Gates: work that is queued but may turn out not to be wanted. A gate is a flag in the memory of the executor; work
/// behind it looks when it begins.
#pragma once

#include <coppice/core/config.hpp>

namespace coppice {

/// Whether work behind `gate` is to be done: there is no gate, or its flag is not 0.
COPPICE_HD COPPICE_ALWAYS_INLINE bool is_open(int const* gate) { return !gate || *gate != 0; }

} // namespace coppice
