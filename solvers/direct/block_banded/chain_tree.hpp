// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Solves all condensed segments of the chain solver in one kernel, for one right-hand side. A condensed segment
/// consists of 2 n equations in the n unknowns before and the n unknowns at the end of a segment of rows
/// (solvers/direct/DESIGN.md). The kernel merges neighbouring condensed segments until one is left of each system,
/// solves its 2 n equations, and computes the unknowns at the ends of all condensed segments by back substitution. Its
/// body is a template over the Block of core/block.hpp, so that tests can run it on CPU threads.
///
/// A team consists of a few lanes of a warp, which hold the columns of two condensed segments. A team merges
/// consecutive condensed segments one after the other (chain_merge.hpp); then the teams of a system merge theirs as a
/// binary tree. A CUDA block works either on whole systems, one or several, or on a slice of one system. The blocks
/// that share a system synchronise once through global memory; then each block merges the condensed segments of all
/// slices redundantly, in the same way. The separator rows of a merge overwrite the right one of the two condensed
/// segments, and the unknowns overwrite the separator rows during back substitution.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/block_banded/chain_tree_level.hpp>

namespace coppice::inline v0_1::chain {

/// Copies from[count] to to[count] with all threads of a block. `from` may have been written by another block during
/// this kernel: loads bypass the first-level cache. Does not synchronise.
template <class T, class Block>
COPPICE_HD inline void copy_fresh(Block const& block, T* to, T const* from, int count) {
    COPPICE_UNROLL_FOUR
    for (int i = block.thread(); i < count; i += block.threads()) to[i] = load_fresh(from + i);
}

/// Maximum over the lanes of a warp.
COPPICE_NO_EXEC_CHECK
template <class Block>
COPPICE_HD inline int max_of_warp(Block const& block, int value) {
    int const lane = block.thread() & (warp_lanes - 1);
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
        int const other = block.from_lane(value, lane ^ distance);
        value = value < other ? other : value;
    }
    return value;
}

/// Work of block `index`. `shared` has the size and layout of tree_memory; `barrier.wait(block, system, slices)` is a
/// barrier of all blocks that share a system.
COPPICE_NO_EXEC_CHECK
template <int W, class T, class Block, class Barrier>
COPPICE_HD inline void solve_condensed(Block const& block, tree_job<T> const& job, std::int64_t index, Barrier& barrier,
                                       T* shared) {
    tree_memory<T, W> const memory(job.plan, shared);
    int const slices = job.plan.slices, group = int(unsigned(block.thread()) / merge_lanes<W>) >> job.plan.log_teams;
    std::int64_t const system = slices > 1 ? index / slices : index * job.plan.systems_of_block(merge_lanes<W>) + group;
    int const slice = slices > 1 ? int(index - system * slices) : 0;
    system_segments const of_system = job.of_system(system);
    bool const works = slice < of_system.slices;
    std::int64_t const first = works ? of_system.first_of(slice) : 0, end = works ? of_system.first_of(slice + 1) : 0;
    int const count = int(end - first);
    int const maximum = job.uneven() ? max_of_warp(block, count) : slices == 1 ? int(job.plan.segments) : count;
    int const teams = job.plan.teams();
    tree_level<T, W, Block> const own{block,
                                      job,
                                      job.template store<W>().from(of_system.first + first),
                                      memory.of_teams(),
                                      memory.around(),
                                      system,
                                      first,
                                      count,
                                      maximum,
                                      job.uneven() || maximum > teams ? teams : maximum,
                                      false,
                                      of_system.exchanged()};
    auto const of_slices = job.template store_of_slices<W>();
    merge_level(own, slices == 1, of_slices, index);
    if (slices > 1) {
        barrier.wait(block, system, slices);
        if (!works) return;
        int const merged_slices = of_system.slices;
        auto const all = memory.of_slices(), theirs = of_slices.from(system * slices);
        copy_fresh(block, all.matrix, theirs.matrix, merged_slices * 2 * W * W);
        copy_fresh(block, all.rhs, theirs.rhs, merged_slices * W);
        copy_fresh(block, all.sizes, theirs.sizes, merged_slices);
        block.sync();
        tree_level<T, W, Block> const merged{block,
                                             job,
                                             all,
                                             memory.merging_slices(),
                                             memory.around(),
                                             system,
                                             0,
                                             merged_slices,
                                             merged_slices,
                                             merged_slices < teams ? merged_slices : teams,
                                             true,
                                             of_system.exchanged()};
        merge_level(merged, true, all, 0);
        substitute_level(merged);
        block.sync();
        if (int const r = block.thread(); r < W) {
            bool const last = slice + 1 == merged_slices;
            memory.around()[r] = all.rhs_of(slice)[r];
            memory.around()[W + r] =
                last ? all.rhs_of(0)[of_system.exchanged() ? (r + W / 2) % W : r] : all.rhs_of(slice + 1)[r];
        }
    }
    substitute_level(own);
}

} // namespace coppice::inline v0_1::chain
