// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of a partition in the registers of one thread: loads from global memory, stores of the solution.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/merge/merge_tree.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_segment.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::inline v0_1::rpts {

/// Granules of 16 bytes in a band of a partition: 4 or 2.
template <class T, int M>
inline constexpr int granules_of = M / band_vector<T>::length;

/// The rows of a partition in the registers of one thread; all indices must be compile-time constants.
template <class T, int M>
struct own_rows {
    T lower[M], diagonal[M], upper[M], rhs[M];
    COPPICE_LANE partition_rows<T> rows() { return {lower, diagonal, upper, rhs}; }
};

/// Position and size of the partition of a lane in global memory.
struct partition_position {
    std::int64_t row, rhs, x; ///< index of its first row in the bands, the right-hand sides and the solutions
    int left;                 ///< rows from its first one to the end of the system, at most M + 1
    bool is_first;            ///< whether it is the first partition of its system
};

/// Offset in shared memory of granule `g` of a band with `Granules` granules for each partition. Accesses of a warp
/// have no bank conflicts, whether each lane reads its own granules or neighbouring lanes copy neighbouring granules.
template <int Granules>
COPPICE_LANE int offset_of_granule(int partition, int g) {
    static_assert(Granules == 2 || Granules == 4);
    return partition * Granules + (g ^ (int(unsigned(partition) / (8 / Granules)) & (Granules - 1)));
}

/// Loads rows element by element with stride `pitch`; zeros after the first `left` rows.
template <int M, class T>
COPPICE_LANE void load_each(T const* lower, T const* diagonal, T const* upper, T const* rhs, auto pitch, int left,
                            own_rows<T, M>& own) {
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) {
        bool const inside = j < left;
        own.lower[j] = inside ? lower[j * pitch] : T(0);
        own.diagonal[j] = inside ? diagonal[j * pitch] : T(0);
        own.upper[j] = inside ? upper[j * pitch] : T(0);
        own.rhs[j] = inside ? rhs[j * pitch] : T(0);
    }
}

/// Loads the rows of a partition. Rows after the end of its system become x = 0; entries outside the matrix become
/// zero.
template <int M, bool Cyclic, class T>
COPPICE_LANE void load_own(system_view<T> const& all, partition_position const& position, own_rows<T, M>& own) {
    T const *const lower = all.lower + position.row, *const diagonal = all.diagonal + position.row,
                   *const upper = all.upper + position.row, *const rhs = all.rhs + position.rhs;
    if (position.left >= M && all.pitch == 1 && aligned_to_16(lower, diagonal, upper, rhs)) {
        load_vectors<M>(lower, own.lower);
        load_vectors<M>(diagonal, own.diagonal);
        load_vectors<M>(upper, own.upper);
        if (!all.order) load_vectors<M>(rhs, own.rhs); // with an order, load_in_order() follows
    } else if (all.pitch == 1) {
        load_each(lower, diagonal, upper, rhs, fixed_length<1>{}, position.left, own);
    } else {
        load_each(lower, diagonal, upper, rhs, all.pitch, position.left, own);
    }
    if constexpr (!Cyclic) {
        if (position.is_first) own.lower[0] = T(0);
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j) own.upper[j] = j == position.left - 1 ? T(0) : own.upper[j];
    }
    if (position.left >= M) return;
    T largest(0);
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j)
        largest = larger(larger(magnitude(own.lower[j]), magnitude(own.diagonal[j])),
                         larger(magnitude(own.upper[j]), largest));
    T const padding = padding_diagonal(largest);
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) own.diagonal[j] = j < position.left ? own.diagonal[j] : padding;
}

/// Loads the right-hand sides of the partitions of a warp if they have their own order (system_view::order), through
/// shared memory: neighbouring lanes read the right-hand sides of neighbouring rows, which are often close to each
/// other.
COPPICE_NO_EXEC_CHECK
template <int M, class T, class Block>
COPPICE_LANE void load_in_order(Block const& block, system_view<T> const& all, partition_position const& own,
                                T (&rhs)[M], band_vector<T>* by) {
    constexpr int length = band_vector<T>::length, granules = granules_of<T, M>;
    int const lane = block.thread() & (warp_lanes - 1);
    int const g = lane & (granules - 1), first = g * length;
    block.sync_warp(); // other lanes may still read this memory
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        int const p = int(unsigned(k * warp_lanes + lane) / granules);
        std::int64_t const row = block.from_lane(own.row, p) + first;
        int const left = block.from_lane(own.left, p);
        band_vector<T> granule;
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) granule.element[j] = first + j < left ? all.rhs[all.order[row + j]] : T(0);
        by[offset_of_granule<granules>(p, g)] = granule;
    }
    block.sync_warp();
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        band_vector<T> const granule = by[offset_of_granule<granules>(lane, k)];
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) rhs[k * length + j] = granule.element[j];
    }
    block.sync_warp(); // the next step writes to this memory
}

/// Writes the solutions of the partitions of a warp through shared memory; `by` holds their granules.
COPPICE_NO_EXEC_CHECK
template <int M, class T, class Block>
COPPICE_LANE void store_solution(Block const& block, system_view<T> const& all, partition_position const& own,
                                 T const (&x)[M], band_vector<T>* by) {
    constexpr int length = band_vector<T>::length, granules = granules_of<T, M>;
    int const lane = block.thread() & (warp_lanes - 1);
    finite_check<T> check{all.not_finite};
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j)
        if (j < own.left) check.see(x[j]);
    check.finish();
    if (all.pitch != 1) { // interleaved: neighbouring lanes write the same rows of other systems
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j)
            if (j < own.left) all.x[own.x + j * all.pitch] = x[j];
        return;
    }
    block.sync_warp(); // other lanes may still read this memory
    COPPICE_UNROLL
    for (int g = 0; g < granules; ++g) {
        band_vector<T> granule;
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) granule.element[j] = x[g * length + j];
        by[offset_of_granule<granules>(lane, g)] = granule;
    }
    block.sync_warp();
    int const g = lane & (granules - 1), first = g * length;
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        int const p = int(unsigned(k * warp_lanes + lane) / granules);
        std::int64_t const row = block.from_lane(own.x, p) + first;
        T* const to = all.x + row;
        int const left = block.from_lane(own.left, p);
        band_vector<T> const granule = by[offset_of_granule<granules>(p, g)];
        if (all.target) {
            COPPICE_UNROLL
            for (int j = 0; j < length; ++j)
                if (first + j < left) all.x[all.target[row + j]] = granule.element[j];
        } else if (first + length <= left && aligned_to_16(to)) {
            *reinterpret_cast<band_vector<T>*>(to) = granule;
        } else {
            COPPICE_UNROLL
            for (int j = 0; j < length; ++j)
                if (first + j < left) to[j] = granule.element[j];
        }
    }
}

/// The power of two that scales the largest entry of a partition to about 1. Without it the couplings between the ends
/// of a long segment underflow if the matrix is badly scaled. Both equations of a partition get the same factor: the
/// smaller equation has lost more digits to cancellation, and pivoting must see this. The factor is 1 for scaled
/// pivoting, which has already scaled the rows, and with a threshold, which applies to the given entries.
template <pivoting P, class T, int M, class Threshold>
COPPICE_LANE T scale_of(own_rows<T, M> const& own, Threshold const&) {
    if constexpr (P == pivoting::scaled_partial || !std::is_same_v<Threshold, no_threshold>) return T(1);
    std::int32_t bits = 0;
    auto const see = [&](T const& entry) {
        std::int32_t const other = leading_bits(entry);
        bits = bits < other ? other : bits;
    };
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) see(own.lower[j]), see(own.diagonal[j]), see(own.upper[j]);
    T largest;
    from_leading_bits(bits, largest);
    return near_inverse(largest);
}

// Reduction of a short partition in the registers of one thread by a tree: two neighbouring rows form a segment, and
// segments are merged (rpts_segment.hpp) until one is left.
//
// The sweeps of RPTS lose digits if the inner rows of a partition are nearly singular, and shorter partitions mean
// more such partitions. Measured on random bands of 512 rows in double: partitions of four rows had backward errors up
// to 4e-14, of eight rows up to 3e-15. Merging, which can choose pivots from all rows, has 2e-16 with either length.
// Eight rows take three merges in two dependent steps, about the time of the sweeps, and the substitution eliminates
// no row again. With sixteen rows the separator rows would not fit into the registers.

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
