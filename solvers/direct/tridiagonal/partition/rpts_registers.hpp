// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of a partition in the registers of one thread: loads from global memory, stores of the solution.
#pragma once

#include <cstdint>
#include <type_traits>

#include <coppice/core/block.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_levels.hpp>
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

} // namespace coppice::inline v0_1::rpts
