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

#include <coppice/solvers/rpts/partition/rpts_own.hpp>
#include <coppice/solvers/rpts/partition/rpts_segment.hpp>

namespace coppice::rpts {

/// Whether partitions of M rows go this way.
template <int M>
inline constexpr bool joins_pairs = M <= 8;

template <class T, int M>
struct pair_tree {
    static constexpr int pairs = M / 2;
    joint<T> joints[pairs]; ///< joints[k]: where pair k begins the right one of two segments

    /// The segment of a partition. Of a cyclic system it has the first `left` rows alone.
    template <pivoting P, bool Cyclic = false>
    COPPICE_HD COPPICE_ALWAYS_INLINE segment<T> reduce(own_rows<T, M> const& own, T const& scale, auto const& threshold,
                                                       int left = M) {
        segment<T> all[pairs];
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) {
            auto const upper = scaled<P>(own.lower[2 * k], own.diagonal[2 * k], own.upper[2 * k], own.rhs[2 * k]),
                       lower = scaled<P>(own.lower[2 * k + 1], own.diagonal[2 * k + 1], own.upper[2 * k + 1],
                                         own.rhs[2 * k + 1]);
            all[k] = {{scale * upper.lower, scale * upper.diagonal, scale * upper.upper, T(0), scale * upper.rhs},
                      {T(0), scale * lower.lower, scale * lower.diagonal, scale * lower.upper, scale * lower.rhs}};
            if constexpr (Cyclic) {
                if (left == 2 * k + 1) { // the last unknown is a copy of the first
                    all[k].upper.after = all[k].upper.last, all[k].upper.last = T(0);
                    all[k].lower = {T(0), T(-1), T(1), T(0), T(0)};
                }
                if (left <= 2 * k) all[k] = empty_segment<T>();
            }
        }
        COPPICE_UNROLL
        for (int width = 1; width < pairs; width *= 2) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; k += 2 * width)
                all[k] = join<P>(all[k], all[k + width], threshold, joints[k + width]);
        }
        return all[0];
    }

    /// All unknowns, from those around the partition.
    COPPICE_HD COPPICE_ALWAYS_INLINE void solve(interface_values<T> const& x, T (&solution)[M]) const {
        interface_values<T> around[pairs];
        around[0] = x;
        COPPICE_UNROLL
        for (int width = pairs / 2; width > 0; width /= 2) {
            COPPICE_UNROLL
            for (int k = 0; k < pairs; k += 2 * width) {
                auto const met = solve_joint(joints[k + width], around[k]);
                around[k + width] = {met.left, met.right, around[k].last, around[k].after};
                around[k].last = met.left, around[k].after = met.right;
            }
        }
        COPPICE_UNROLL
        for (int k = 0; k < pairs; ++k) solution[2 * k] = around[k].first, solution[2 * k + 1] = around[k].last;
    }
};

/// The segment of a longer partition, pair by pair, where the sweeps would lose digits; its joints are not kept.
template <pivoting P, class T, int M>
COPPICE_HD COPPICE_ALWAYS_INLINE segment<T> joined_segment(own_rows<T, M> const& own, T const& scale,
                                                           auto const& threshold) {
    auto const of_pair = [&](int k) COPPICE_INLINE_LAMBDA -> segment<T> {
        auto const upper = scaled<P>(own.lower[k], own.diagonal[k], own.upper[k], own.rhs[k]),
                   lower = scaled<P>(own.lower[k + 1], own.diagonal[k + 1], own.upper[k + 1], own.rhs[k + 1]);
        return {{scale * upper.lower, scale * upper.diagonal, scale * upper.upper, T(0), scale * upper.rhs},
                {T(0), scale * lower.lower, scale * lower.diagonal, scale * lower.upper, scale * lower.rhs}};
    };
    segment<T> all = of_pair(0);
    COPPICE_UNROLL
    for (int k = 2; k < M; k += 2) {
        joint<T> unused;
        all = join<P>(all, of_pair(k), threshold, unused);
    }
    return all;
}

} // namespace coppice::rpts
