// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The links of a chain become one link, and the unknowns around that one become the unknowns around all: the order in
/// which links join, one text for scalar links, each whole in a lane (rpts/partition/), and for links whose columns lie
/// in the lanes of a team (chain/).
///
/// A link is what is left of neighbouring rows once their inner unknowns are eliminated: W equations in the W unknowns
/// around either end (chain/words.md). Two neighbours become one link by eliminating the unknowns between them; the
/// pivot rows of these unknowns, the joint, give them back where the unknowns around the new link are known.
///
///     worker       0               1               2               3
///     links    [ ][ ][ ]       [ ][ ][ ]       [ ][ ][ ]       [ ][ ]
///     runs      └──┴──┘         └──┴──┘         └──┴──┘         └──┘        each worker by itself, link after link
///     tree      └───────────────┘               └───────────────┘           workers 1 apart,
///               └───────────────────────────────┘                           workers 2 apart, ...
///
/// Which links join, and in which order, decides the bits of a solution, and is decided here.
#pragma once

#include <bit>
#include <concepts>

#include <coppice/core/block.hpp>

namespace coppice::joins {

/// One join of all workers: each takes the next link of its run, or, in the tree, the link of the worker `apart` behind
/// it.
struct join_step {
    int run;      ///< links of a worker at most
    int link = 1; ///< number in the run of the link that is taken; run, run + 1, ... in the tree
    int apart = run > 1 ? 0 : 1;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool in_tree() const { return apart > 0; }
    /// Level of the tree, from 0.
    COPPICE_HD COPPICE_ALWAYS_INLINE int level() const { return link - run; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void advance() {
        ++link;
        if (link >= run) apart = in_tree() ? 2 * apart : 1;
    }
};

/// Whether worker i of `workers` takes the link of the one `apart` behind it.
COPPICE_HD COPPICE_ALWAYS_INLINE bool takes(int i, int apart, int workers) {
    return (i & (2 * apart - 1)) == 0 && i + apart < workers;
}
/// Whether worker i gives its link to the one `apart` before it.
COPPICE_HD COPPICE_ALWAYS_INLINE bool gives(int i, int apart) { return (i & (2 * apart - 1)) == apart; }
/// Of the two links that joined where worker i was in one of them, the worker that gave its link.
COPPICE_HD COPPICE_ALWAYS_INLINE int giver(int i, int apart) { return (i & ~(2 * apart - 1)) + apart; }

/// Workers that hold the links of a chain. Those of all chains that share a warp or a block go along together, so the
/// numbers are the same for all of them: `run()`, the most links of a worker; `workers()`, the most workers of a chain.
template <class X>
concept chain_workers = requires(X const& workers) {
    { workers.run() } -> std::convertible_to<int>;
    { workers.workers() } -> std::convertible_to<int>;
};
/// `join(step)` is what a worker does in a join: it takes a link, or gives its own, or goes along.
template <class X>
concept joining_workers = chain_workers<X> && requires(X& workers, join_step const& step) {
    workers.join(step);
};
/// On the way back, `part_tree(apart)` and `part_run(link)` give the unknowns at a joint to the links on both sides.
template <class X>
concept parting_workers = chain_workers<X> && requires(X& workers, int apart) {
    workers.part_tree(apart);
};
template <class X>
concept parting_runs = chain_workers<X> && requires(X& workers, int link) {
    workers.part_run(link);
};

/// How often the loops are unrolled on a GPU: a tree in the registers of a thread must have no index left.
inline constexpr int rolled = 1, whole = warp_lanes;

/// Joins all links; the first worker gets the link of all.
COPPICE_NO_EXEC_CHECK
template <int Unroll = rolled, joining_workers Workers>
COPPICE_HD COPPICE_ALWAYS_INLINE void join_links(Workers& all) {
    COPPICE_UNROLL_BY(Unroll)
    for (join_step step{all.run()}; step.apart < all.workers(); step.advance()) all.join(step);
}

/// From the unknowns around the link of all to those around the link that each worker had before the tree, ...
COPPICE_NO_EXEC_CHECK
template <int Unroll = rolled, parting_workers Workers>
COPPICE_HD COPPICE_ALWAYS_INLINE void part_tree(Workers& all) {
    COPPICE_UNROLL_BY(Unroll)
    for (int apart = int(std::bit_floor(unsigned(all.workers() - 1))); apart > 0; apart /= 2) all.part_tree(apart);
}
/// ... and to those around the links of its run.
COPPICE_NO_EXEC_CHECK
template <parting_runs Workers>
COPPICE_HD COPPICE_ALWAYS_INLINE void part_runs(Workers& all) {
    COPPICE_NO_UNROLL
    for (int link = all.run() - 1; link > 0; --link) all.part_run(link);
}

} // namespace coppice::joins
