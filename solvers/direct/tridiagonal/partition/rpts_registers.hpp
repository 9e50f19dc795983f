// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of a partition in the registers of one thread: how they come from global memory, and how solutions
/// get back there.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_substitution.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_vectors.hpp>

namespace coppice::rpts {

/// Rows of a partition in granules of 16 bytes: 4 or 2.
template <class T, int M>
inline constexpr int granules_of = M / band_vector<T>::length;

/// The rows of a partition in the registers of one thread: every index must be known to the compiler.
template <class T, int M>
struct own_rows {
    T lower[M], diagonal[M], upper[M], rhs[M];
    COPPICE_HD COPPICE_ALWAYS_INLINE partition_rows<T> rows() { return {lower, diagonal, upper, rhs}; }
};

/// Where the partition of a lane lies in global memory, and how much of it.
struct partition_place {
    std::int64_t row, side, x; ///< where its first row is in the bands, the right-hand sides and the solutions
    int left;                  ///< rows from the first one on that are inside the system, at most M + 1
    bool is_first;             ///< whether it is the first partition of its system
};

/// Place in shared memory of granule `g` of a band, of which a partition has `Granules`. Lanes of a warp that read
/// their own granules at once meet different banks, and so do lanes that copy neighbouring granules.
template <int Granules>
COPPICE_HD COPPICE_ALWAYS_INLINE int place_of_granule(int partition, int g) {
    static_assert(Granules == 2 || Granules == 4);
    return partition * Granules + (g ^ (int(unsigned(partition) / (8 / Granules)) & (Granules - 1)));
}

/// Loads rows element by element, `pitch` apart; zeros behind the first `left` rows.
template <int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_each(T const* lower, T const* diagonal, T const* upper, T const* rhs,
                                                auto pitch, int left, own_rows<T, M>& own) {
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) {
        bool const inside = j < left;
        own.lower[j] = inside ? lower[j * pitch] : T(0);
        own.diagonal[j] = inside ? diagonal[j * pitch] : T(0);
        own.upper[j] = inside ? upper[j * pitch] : T(0);
        own.rhs[j] = inside ? rhs[j * pitch] : T(0);
    }
}

/// Loads the rows of a partition. Rows behind the end of its system become x = 0; entries outside the matrix become
/// zero.
template <int M, bool Cyclic, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_own(system_view<T> const& all, partition_place const& place,
                                               own_rows<T, M>& own) {
    T const *const lower = all.lower + place.row, *const diagonal = all.diagonal + place.row,
                   *const upper = all.upper + place.row, *const rhs = all.rhs + place.side;
    if (place.left >= M && all.pitch == 1 && aligned_to_16(lower, diagonal, upper, rhs)) {
        load_vectors<M>(lower, own.lower);
        load_vectors<M>(diagonal, own.diagonal);
        load_vectors<M>(upper, own.upper);
        if (!all.order) load_vectors<M>(rhs, own.rhs); // with an order, load_in_order() follows
    } else if (all.pitch == 1) {
        load_each(lower, diagonal, upper, rhs, fixed_length<1>{}, place.left, own);
    } else {
        load_each(lower, diagonal, upper, rhs, all.pitch, place.left, own);
    }
    if constexpr (!Cyclic) {
        if (place.is_first) own.lower[0] = T(0);
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j) own.upper[j] = j == place.left - 1 ? T(0) : own.upper[j];
    }
    if (place.left >= M) return;
    T largest(0);
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j)
        largest = larger(larger(magnitude(own.lower[j]), magnitude(own.diagonal[j])),
                         larger(magnitude(own.upper[j]), largest));
    T const behind = filling(largest);
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) own.diagonal[j] = j < place.left ? own.diagonal[j] : behind;
}

/// Loads right-hand sides that stand in another order (system_view::order), for the partitions of a warp by way of
/// shared memory: neighbouring lanes read the right-hand sides of neighbouring rows, which the order often leaves
/// together.
COPPICE_NO_EXEC_CHECK
template <int M, class T, class Block>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_in_order(Block const& block, system_view<T> const& all,
                                                    partition_place const& own, T (&rhs)[M], band_vector<T>* by) {
    constexpr int length = band_vector<T>::length, granules = granules_of<T, M>;
    int const lane = block.thread() & (warp_lanes - 1);
    int const g = lane & (granules - 1), first = g * length;
    block.sync_warp(); // others may still read there
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        int const p = int(unsigned(k * warp_lanes + lane) / granules);
        std::int64_t const row = block.from_lane(own.row, p) + first;
        int const left = block.from_lane(own.left, p);
        band_vector<T> granule;
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) granule.element[j] = first + j < left ? all.rhs[all.order[row + j]] : T(0);
        by[place_of_granule<granules>(p, g)] = granule;
    }
    block.sync_warp();
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        band_vector<T> const granule = by[place_of_granule<granules>(lane, k)];
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) rhs[k * length + j] = granule.element[j];
    }
    block.sync_warp(); // the next step writes there
}

/// Writes the solutions of a warp by way of shared memory, the granules of its partitions at `by`.
COPPICE_NO_EXEC_CHECK
template <int M, class T, class Block>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_solution(Block const& block, system_view<T> const& all,
                                                     partition_place const& own, T const (&x)[M], band_vector<T>* by) {
    constexpr int length = band_vector<T>::length, granules = granules_of<T, M>;
    int const lane = block.thread() & (warp_lanes - 1);
    if (all.pitch != 1) { // interleaved: neighbouring lanes write the same rows of other systems
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j)
            if (j < own.left) all.x[own.x + j * all.pitch] = x[j];
        return;
    }
    block.sync_warp(); // others may still read there
    COPPICE_UNROLL
    for (int g = 0; g < granules; ++g) {
        band_vector<T> granule;
        COPPICE_UNROLL
        for (int j = 0; j < length; ++j) granule.element[j] = x[g * length + j];
        by[place_of_granule<granules>(lane, g)] = granule;
    }
    block.sync_warp();
    int const g = lane & (granules - 1), first = g * length;
    COPPICE_UNROLL
    for (int k = 0; k < granules; ++k) {
        int const p = int(unsigned(k * warp_lanes + lane) / granules);
        std::int64_t const row = block.from_lane(own.x, p) + first;
        T* const to = all.x + row;
        int const left = block.from_lane(own.left, p);
        band_vector<T> const granule = by[place_of_granule<granules>(p, g)];
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

/// The power of two that brings the largest entry of a partition near one. The entries that couple the ends of a long
/// segment are so small that for a badly scaled matrix they would underflow. Both equations of a partition get the same
/// factor: the smaller equation has lost more digits to cancellation, and pivoting has to see that. The factor is 1 for
/// scaled pivoting, which has scaled the rows, and with a threshold, which is meant for entries as they are given.
template <pivoting P, class T, int M, class Threshold>
COPPICE_HD COPPICE_ALWAYS_INLINE T scale_of(own_rows<T, M> const& own, Threshold const&) {
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

} // namespace coppice::rpts
