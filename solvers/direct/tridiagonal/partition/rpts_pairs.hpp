// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A short partition in the registers of one thread as a tree of segments: two neighbouring rows are a segment as
/// they stand, and segments join (rpts_segment.hpp) until one is left.
///
/// The sweeps of RPTS lose digits where the inner rows of a partition are nearly singular by themselves, and the
/// shorter partitions are, the more of them there are: with four rows of double each, random bands of 512 rows had
/// backward errors up to 4e-14, with eight 3e-15; joins, which may take their pivots from all rows, have 2e-16 with
/// either. Eight rows take three joins in two dependent steps, about what the sweeps take, and no row is eliminated
/// again on the way back. With sixteen the joints would not fit into the registers.
#pragma once

#include <coppice/solvers/direct/merge/merge_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_registers.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_segment.hpp>

namespace coppice::rpts {

/// Whether partitions of M rows go this way.
template <int M>
inline constexpr bool joins_pairs = M <= 8;

/// Rows k and k + 1 of a partition as a segment.
template <pivoting P, class T, int M>
COPPICE_HD COPPICE_ALWAYS_INLINE segment<T> segment_of_pair(own_rows<T, M> const& own, int k, T const& scale) {
    return segment_of(scaled<P>(own.lower[k], own.diagonal[k], own.upper[k], own.rhs[k]),
                      scaled<P>(own.lower[k + 1], own.diagonal[k + 1], own.upper[k + 1], own.rhs[k + 1]), scale);
}

template <class T, int M>
struct pair_tree {
    static constexpr int pairs = M / 2;
    joint<T> joints[pairs]; ///< joints[k]: where pair k begins the right one of two segments

    /// The segment of a partition. Of a cyclic system it has the first `left` rows alone.
    template <pivoting P, bool Cyclic = false, class Threshold>
    COPPICE_HD COPPICE_ALWAYS_INLINE segment<T> reduce(own_rows<T, M> const& own, T const& scale,
                                                       Threshold const& threshold, int left = M) {
        joining<P, Threshold> all{*this, threshold};
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) {
            segment<T>& pair = all.links[k];
            pair = segment_of_pair<P>(own, 2 * k, scale);
            if constexpr (Cyclic) {
                if (left == 2 * k + 1) { // the last unknown is a copy of the first
                    pair.upper.after = pair.upper.last, pair.upper.last = T(0);
                    pair.lower = {T(0), T(-1), T(1), T(0), T(0)};
                }
                if (left <= 2 * k) pair = empty_segment<T>();
            }
        }
        joins::join_links<joins::whole>(all);
        return all.links[0];
    }

    /// All unknowns, from those around the partition.
    COPPICE_HD COPPICE_ALWAYS_INLINE void solve(interface_values<T> const& x, T (&solution)[M]) const {
        parting all{*this};
        all.around[0] = x;
        joins::part_tree<joins::whole>(all);
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) solution[2 * k] = all.around[k].first, solution[2 * k + 1] = all.around[k].last;
    }

    /// The pairs are the workers, all of them one thread.
    struct workers_of_thread {
        COPPICE_HD static constexpr int run() { return 1; }
        COPPICE_HD static constexpr int workers() { return pairs; }
    };
    template <pivoting P, class Threshold>
    struct joining : workers_of_thread {
        pair_tree& tree;
        Threshold const& threshold;
        segment<T> links[pairs];

        COPPICE_HD COPPICE_ALWAYS_INLINE joining(pair_tree& t, Threshold const& least) : tree(t), threshold(least) {}
        COPPICE_HD COPPICE_ALWAYS_INLINE void join(joins::join_step const& step) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; ++k)
                if (joins::takes(k, step.apart, pairs))
                    links[k] = rpts::join<P>(links[k], links[k + step.apart], threshold, tree.joints[k + step.apart]);
        }
    };
    struct parting : workers_of_thread {
        pair_tree const& tree;
        interface_values<T> around[pairs];

        COPPICE_HD COPPICE_ALWAYS_INLINE explicit parting(pair_tree const& t) : tree(t) {}
        COPPICE_HD COPPICE_ALWAYS_INLINE void part_tree(int apart) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; ++k)
                if (joins::takes(k, apart, pairs)) {
                    auto const both = part(tree.joints[k + apart], around[k]);
                    around[k] = both.left, around[k + apart] = both.right;
                }
        }
    };
};

/// The segment of a longer partition, pair by pair, where the sweeps would lose digits; its joints are not kept.
template <pivoting P, class T, int M>
COPPICE_HD COPPICE_ALWAYS_INLINE segment<T> joined_segment(own_rows<T, M> const& own, T const& scale,
                                                           auto const& threshold) {
    segment<T> all = segment_of_pair<P>(own, 0, scale);
    COPPICE_UNROLL
    for (int k = 2; k < M; k += 2) {
        joint<T> unused;
        all = join<P>(all, segment_of_pair<P>(own, k, scale), threshold, unused);
    }
    return all;
}

} // namespace coppice::rpts
