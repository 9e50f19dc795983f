// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The task arena of a host executor. Only sources of core include this file.
#pragma once

#include <tbb/task_arena.h>

#include <coppice/core/host/host_executor.hpp>

namespace coppice::inline v0_1::detail {

struct host_arena : tbb::task_arena {
    using tbb::task_arena::task_arena;
};

} // namespace coppice::inline v0_1::detail
