// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reduction tree of condensed rows: the order in which the condensed rows of neighbouring segments are merged into
/// those of the whole system, and the reverse order for the back substitution. Single implementation for scalar rows,
/// one segment in each lane (tridiagonal/partition/), and for block rows, whose columns are distributed over a team of
/// lanes (block_banded/).
///
/// The condensed rows of a segment are its Schur complement: W equations in the W unknowns at each of its two ends,
/// after its inner unknowns are eliminated. Merging two neighbouring segments eliminates the unknowns between them. The
/// pivot rows of these unknowns, the separator rows, return their values in the back substitution.
///
///     worker       0               1               2               3
///     segments [ ][ ][ ]       [ ][ ][ ]       [ ][ ][ ]       [ ][ ]
///     runs      └──┴──┘         └──┴──┘         └──┴──┘         └──┘    each worker merges its own segments in order
///     tree      └───────────────┘               └───────────────┘       workers at distance 1
///               └───────────────────────────────┘                       workers at distance 2, ...
///
/// This order determines the bits of a solution; it depends on the numbers of workers and segments only.
#pragma once

#include <bit>
#include <concepts>

#include <coppice/core/block.hpp>

namespace coppice::inline v0_1::merging {

/// One merge step of all workers: each merges the next segment of its run or, in the tree, the segment of the worker at
/// +`distance`.
struct merge_step {
    int run;        ///< max. segments of a worker
    int number = 1; ///< number of the merged segment in the run; run, run + 1, ... in the tree
    int distance = run > 1 ? 0 : 1;

    COPPICE_LANE bool in_tree() const { return distance > 0; }
    /// Level of the tree, from 0.
    COPPICE_LANE int level() const { return number - run; }
    COPPICE_LANE void advance() {
        ++number;
        if (number >= run) distance = in_tree() ? 2 * distance : 1;
    }
};

/// Whether worker i of `workers` receives the segment of worker i + distance in this step.
COPPICE_LANE bool receives(int i, int distance, int workers) {
    return (i & (2 * distance - 1)) == 0 && i + distance < workers;
}
/// Whether worker i sends its segment to worker i - distance in this step.
COPPICE_LANE bool sends(int i, int distance) { return (i & (2 * distance - 1)) == distance; }
/// The sender of the step in which worker i is either sender or receiver.
COPPICE_LANE int sender(int i, int distance) { return (i & ~(2 * distance - 1)) + distance; }

/// Workers (lanes or teams) that hold the segments of a system. `run()` is the largest number of segments of a worker,
/// `workers()` the largest number of workers of a system. Both are maxima over all systems of a warp or block, because
/// these systems take the same steps.
template <class X>
concept reduction_workers = requires(X const& workers) {
    { workers.run() } -> std::convertible_to<int>;
    { workers.workers() } -> std::convertible_to<int>;
};
/// `merge(step)`: the worker receives a segment, sends its own, or is inactive, as receives() and sends() return.
template <class X>
concept merging_workers = reduction_workers<X> && requires(X& workers, merge_step const& step) {
    workers.merge(step);
};
/// Back substitution: `substitute_tree(distance)` and `substitute_run(number)` compute the unknowns of a separator and
/// pass them to the segments on both sides.
template <class X>
concept substituting_workers = reduction_workers<X> && requires(X& workers, int distance) {
    workers.substitute_tree(distance);
};
template <class X>
concept substituting_runs = reduction_workers<X> && requires(X& workers, int number) {
    workers.substitute_run(number);
};

/// Unroll factors of the loops on a GPU. A tree in registers of a thread is fully unrolled, so that all indices are
/// constants.
inline constexpr int rolled = 1, unrolled = warp_lanes;

/// Merges all segments; the first worker gets the condensed rows of the whole system.
COPPICE_NO_EXEC_CHECK
template <int Unroll = rolled, merging_workers Workers>
COPPICE_LANE void merge_all(Workers& all) {
    COPPICE_UNROLL_BY(Unroll)
    for (merge_step step{all.run()}; step.distance < all.workers(); step.advance()) all.merge(step);
}

/// Back substitution through the tree: from the unknowns around the whole system to those around the run of each
/// worker.
COPPICE_NO_EXEC_CHECK
template <int Unroll = rolled, substituting_workers Workers>
COPPICE_LANE void substitute_tree(Workers& all) {
    COPPICE_UNROLL_BY(Unroll)
    for (int distance = int(std::bit_floor(unsigned(all.workers() - 1))); distance > 0; distance /= 2)
        all.substitute_tree(distance);
}
/// Back substitution through the runs: to the unknowns around each segment.
COPPICE_NO_EXEC_CHECK
template <substituting_runs Workers>
COPPICE_LANE void substitute_runs(Workers& all) {
    COPPICE_NO_UNROLL
    for (int number = all.run() - 1; number > 0; --number) all.substitute_run(number);
}

} // namespace coppice::inline v0_1::merging
