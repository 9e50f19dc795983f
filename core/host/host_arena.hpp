// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The task arena of a host executor. Only sources of core include this file.
#pragma once

#include <memory>

#include <tbb/task_arena.h>

#include <coppice/core/host/host_executor.hpp>

namespace coppice::inline v0_1::detail {

class loop_team;

struct host_arena : tbb::task_arena {
    explicit host_arena(int threads);
    ~host_arena();
    host_arena(host_arena const&) = delete;
    host_arena& operator=(host_arena const&) = delete;

    std::shared_ptr<loop_team> const team;
};

} // namespace coppice::inline v0_1::detail
