// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// for_each_warp (core/warp_work.hpp) on CPU threads: each warp is a block of 32 threads.
#pragma once

#include <coppice/core/executor.hpp>
#include <coppice/core/warp_work.hpp>

#include "support/block_stand_in.hpp"

namespace coppice {

template <class F>
void for_each_warp(host_executor const&, std::int64_t n, F f) {
    test::block_runner blocks(warp_lanes, F::warp_bytes);
    blocks.run(int(n), [&](auto const& block, int w, std::byte* memory) { f(block, std::int64_t(w), memory); });
}

} // namespace coppice
