// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The body of the kernel of a pass over vectors, over a Block (core/block.hpp), so that it also runs under CPU
/// threads.
#pragma once

#include <coppice/core/sum_of_blocks.hpp>
#include <coppice/solvers/vectors/dot_pairs.hpp>
#include <coppice/solvers/vectors/vector_pass.hpp>

namespace coppice::detail {

/// Block b of `blocks`. `shared`: a double for each warp; `slots`: of a sum for each part of each dot product.
COPPICE_NO_EXEC_CHECK
template <class Block, class Pass>
COPPICE_HD void pass_of_block(Block const& block, double* shared, std::int64_t b, std::int64_t blocks, std::int64_t n,
                              Pass const& pass, hand_over_slot* slots) {
    constexpr int dots = Pass::dots;
    auto const update = pass.begin();
    if (is_idle(update)) n = 0;
    std::int64_t const stride = blocks * block.threads();
    std::int64_t i = b * block.threads() + block.thread();
    if constexpr (dots == 0) {
        for (; i < n; i += stride) update(i);
    } else {
        using element = pass_element<Pass>;
        constexpr int parts = dot_parts<element>;
        dot_value<element> sum[dots] = {};
        for (; i < n; i += stride) {
            update(i);
            COPPICE_UNROLL
            for (int p = 0; p < dots; ++p) {
                auto const pair = pass.pair(p);
                sum[p] += dot_term(pair.left[i], pair.right[i]);
            }
        }
        bool last = false;
        COPPICE_UNROLL
        for (int s = 0; s < dots * parts; ++s) {
            double& part = part_of(sum[s / parts], s % parts);
            part = block_sum(block, shared, part);
            last = grid_sum(block, shared, grid_slots{slots + s * grid_slots::needed(blocks)}, b, blocks, part);
        }
        if (last && block.thread() == 0) pass.finish(sum);
    }
}

} // namespace coppice::detail
