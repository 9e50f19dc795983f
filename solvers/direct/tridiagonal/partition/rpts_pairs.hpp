// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Reduction of a short partition in the registers of one thread by a tree: two neighbouring rows form a segment, and
/// segments are merged (rpts_segment.hpp) until one is left.
///
/// The sweeps of RPTS lose digits if the inner rows of a partition are nearly singular, and shorter partitions mean
/// more such partitions. Measured on random bands of 512 rows in double: partitions of four rows had backward errors up
/// to 4e-14, of eight rows up to 3e-15. Merging, which can choose pivots from all rows, has 2e-16 with either length.
/// Eight rows take three merges in two dependent steps, about the time of the sweeps, and the substitution eliminates
/// no row again. With sixteen rows the separator rows would not fit into the registers.
#pragma once

#include <coppice/solvers/direct/merge/merge_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_registers.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_segment.hpp>

namespace coppice::inline v0_1::rpts {

/// Whether partitions of M rows are reduced by this tree.
template <int M>
inline constexpr bool merges_pairs = M <= 8;

/// Rows k and k + 1 of a partition as a segment.
template <pivoting P, class T, int M>
COPPICE_LANE segment<T> segment_of_pair(own_rows<T, M> const& own, int k, T const& scale) {
    return segment_of(scaled<P>(own.lower[k], own.diagonal[k], own.upper[k], own.rhs[k]),
                      scaled<P>(own.lower[k + 1], own.diagonal[k + 1], own.upper[k + 1], own.rhs[k + 1]), scale);
}

template <class T, int M>
struct pair_tree {
    static constexpr int pairs = M / 2;
    /// separators[k]: between two segments of which the right one begins with pair k
    separator_rows<T> separators[pairs];

    /// The segment of a partition. In a cyclic system only the first `left` rows belong to the partition.
    template <pivoting P, bool Cyclic = false, class Threshold>
    COPPICE_LANE segment<T> reduce(own_rows<T, M> const& own, T const& scale, Threshold const& threshold,
                                   int left = M) {
        merging_pairs<P, Threshold> all{*this, threshold};
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) {
            segment<T>& pair = all.segments[k];
            pair = segment_of_pair<P>(own, 2 * k, scale);
            if constexpr (Cyclic) {
                if (left == 2 * k + 1) { // the last unknown is a copy of the first
                    pair.upper.after = pair.upper.last, pair.upper.last = T(0);
                    pair.lower = {T(0), T(-1), T(1), T(0), T(0)};
                }
                if (left <= 2 * k) pair = identity_segment<T>();
            }
        }
        merging::merge_all<merging::unrolled>(all);
        return all.segments[0];
    }

    /// Computes all unknowns of the partition from the unknowns around it.
    COPPICE_LANE void solve(interface_values<T> const& x, T (&solution)[M]) const {
        substituting_pairs all{*this};
        all.around[0] = x;
        merging::substitute_tree<merging::unrolled>(all);
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) solution[2 * k] = all.around[k].first, solution[2 * k + 1] = all.around[k].last;
    }

    /// Workers of the reduction tree: the pairs of rows, all in one thread.
    struct workers_of_thread {
        COPPICE_HD static constexpr int run() { return 1; }
        COPPICE_HD static constexpr int workers() { return pairs; }
    };
    template <pivoting P, class Threshold>
    struct merging_pairs : workers_of_thread {
        pair_tree& tree;
        Threshold const& threshold;
        segment<T> segments[pairs];

        COPPICE_LANE merging_pairs(pair_tree& t, Threshold const& limit) : tree(t), threshold(limit) {}
        COPPICE_LANE void merge(merging::merge_step const& step) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; ++k)
                if (merging::receives(k, step.distance, pairs))
                    segments[k] = rpts::merge<P>(segments[k], segments[k + step.distance], threshold,
                                                 tree.separators[k + step.distance]);
        }
    };
    struct substituting_pairs : workers_of_thread {
        pair_tree const& tree;
        interface_values<T> around[pairs];

        COPPICE_LANE explicit substituting_pairs(pair_tree const& t) : tree(t) {}
        COPPICE_LANE void substitute_tree(int distance) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; ++k)
                if (merging::receives(k, distance, pairs)) {
                    auto const both = substitute_separator(tree.separators[k + distance], around[k]);
                    around[k] = both.left, around[k + distance] = both.right;
                }
        }
    };
};

/// The segment of a longer partition, merged pair by pair, used if the sweeps would lose digits. Its separator rows are
/// discarded.
template <pivoting P, class T, int M>
COPPICE_LANE segment<T> merged_segment(own_rows<T, M> const& own, T const& scale, auto const& threshold) {
    segment<T> all = segment_of_pair<P>(own, 0, scale);
    COPPICE_UNROLL
    for (int k = 2; k < M; k += 2) {
        separator_rows<T> unused;
        all = merge<P>(all, segment_of_pair<P>(own, k, scale), threshold, unused);
    }
    return all;
}

} // namespace coppice::inline v0_1::rpts
