// SPDX-License-Identifier: BSD-3-Clause
/// \file Coarse systems in the shared memory of one block of a GPU, each reduced into the next: the recursion of RPTS
/// where the length of the chains counts and not the traffic. A thread takes a partition into registers, walks it in
/// both directions at once and leaves its two coarse rows.
///
/// Short partitions: reducing 4^k rows to one takes k times 6 dependent steps with partitions of 8, and 2 k times 2
/// with partitions of 4, but twice as many barriers.
#pragma once

#include "core/block.hpp"
#include "solvers/rpts_halves.hpp"
#include "solvers/rpts_stage.hpp"

namespace coppice::rpts {

inline constexpr int nested_partition = 8; ///< M of all but the last level of an open plan, which may have 4 rows
inline constexpr int nested_levels = 16;

/// Where row i of a stretch of partitions of M rows lies: partitions begin an odd number of elements apart, so that the
/// lanes of a warp meet different banks.
template <int M>
COPPICE_HD constexpr int padded(int i) {
    static_assert(M % 2 == 0);
    return i + int(unsigned(i) / unsigned(M));
}

/// Rows at `shared`, band after band of `band` elements.
template <class T>
COPPICE_HD inline partition_rows<T> bands_at(T* shared, int band) {
    return {shared, shared + band, shared + 2 * band, shared + 3 * band};
}

template <class T, class R>
COPPICE_HD inline void put_row(partition_rows<T, R> const& rows, int i, coarse_row<T, R> const& row) {
    rows.lower[i] = row.lower;
    rows.diagonal[i] = row.diagonal;
    rows.upper[i] = row.upper;
    rows.rhs[i] = row.rhs;
}

/// x = 0: fills up the last partition of a system.
template <class T>
COPPICE_HD inline coarse_row<T> filling_row() {
    return {T(0), T(1), T(0), T(0)};
}

/// The rows of a partition in the registers of one thread: every index must be known to the compiler.
template <class T, int M>
struct own_rows {
    T lower[M], diagonal[M], upper[M], rhs[M];
    COPPICE_HD COPPICE_ALWAYS_INLINE partition_rows<T> rows() { return {lower, diagonal, upper, rhs}; }
};

/// Sizes of the nested systems and where they begin, the same for every system of a block.
///
/// A closed plan is for whole systems and ends with at most nested_partition rows, solved by one thread. An open plan
/// is for a share of a system whose end rows couple to its neighbours; it ends with the two rows of the share's first
/// and last unknown. Filling would break that coupling, so the size of an open plan is a power of two.
struct nested_plan {
    int levels = 0; ///< reductions
    int elements = 0;
    int size[nested_levels + 1] = {};
    int start[nested_levels + 1] = {}; ///< in elements
    bool open = false;

    nested_plan() = default;
    nested_plan(int rows, bool is_open) : open(is_open) {
        for (;; ++levels) {
            int const whole = (rows + nested_partition - 1) / nested_partition * nested_partition;
            size[levels] = open ? rows : whole;
            start[levels] = elements;
            elements += 4 * padded<nested_partition>(whole);
            if (open ? rows == 2 : whole == nested_partition) return;
            rows = 2 * partitions(levels);
        }
    }
    /// Whether the last reduction is of one partition of half the length.
    COPPICE_HD bool ends_short() const { return levels > 0 && size[levels - 1] < nested_partition; }
    COPPICE_HD int partitions(int level) const {
        return size[level] < nested_partition ? 1 : size[level] / nested_partition;
    }
    template <class T>
    COPPICE_HD partition_rows<T> rows(T* shared, int level) const {
        int const whole = size[level] < nested_partition ? nested_partition : size[level];
        return bands_at(shared + start[level], padded<nested_partition>(whole));
    }
};

template <int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE own_rows<T, M> take_rows(partition_rows<T> const& level, int partition) {
    own_rows<T, M> own;
    int const at = padded<nested_partition>(partition * M);
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) {
        own.lower[j] = level.lower[at + j];
        own.diagonal[j] = level.diagonal[at + j];
        own.upper[j] = level.upper[at + j];
        own.rhs[j] = level.rhs[at + j];
    }
    return own;
}

/// The two coarse rows of a partition in registers, put into the next level.
COPPICE_NO_EXEC_CHECK
template <pivoting P, int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void reduce_own(own_rows<T, M>& own, partition_rows<T> const& coarse, int partition,
                                                 auto const& threshold) {
    coarse_row<T> first, last;
    reduce_both<P>(own.rows(), fixed_length<M>{}, threshold, first, last);
    int const at = padded<nested_partition>(2 * partition); // its neighbour lies beside it
    put_row(coarse, at, first);
    put_row(coarse, at + 1, last);
}

/// Rows [from, size) of a level become filling; shared by `workers` threads.
template <class T>
COPPICE_HD inline void fill_level(partition_rows<T> const& level, int from, int size, int worker, int workers) {
    for (int i = from + worker; i < size; i += workers) put_row(level, padded<nested_partition>(i), filling_row<T>());
}

/// Calls work(memory of the system, partition) for every partition of level k of all systems. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <class T, class Block, class Work>
COPPICE_HD COPPICE_ALWAYS_INLINE void for_each_partition(Block const& block, nested_plan const& plan, int k,
                                                         int systems, T* shared, Work const& work) {
    int const partitions = plan.partitions(k);
    for (int i = block.thread(); i < systems * partitions; i += block.threads()) {
        int const system = i / partitions;
        work(shared + system * plan.elements, i - system * partitions);
    }
    block.sync();
}

/// Reduces level k, of partitions of M rows. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, int M, class T, class Block>
COPPICE_HD COPPICE_ALWAYS_INLINE void reduce_level(Block const& block, nested_plan const& plan, int k, int systems,
                                                   T* shared, auto const& threshold) {
    for_each_partition(block, plan, k, systems, shared, [&](T* memory, int p) {
        partition_rows<T> const coarse = plan.rows(memory, k + 1);
        auto own = take_rows<M>(plan.rows(memory, k), p);
        reduce_own<P>(own, coarse, p, threshold);
        if (p == 0 && !plan.open) fill_level(coarse, 2 * plan.partitions(k), plan.size[k + 1], 0, 1);
    });
}

/// Reduces level 0 of `systems` systems down to the last level. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void reduce_nested(Block const& block, nested_plan const& plan, int systems, T* shared,
                                     auto const& threshold) {
    int const whole = plan.levels - (plan.ends_short() ? 1 : 0);
    for (int k = 0; k < whole; ++k) reduce_level<P, nested_partition>(block, plan, k, systems, shared, threshold);
    if (whole < plan.levels) reduce_level<P, nested_partition / 2>(block, plan, whole, systems, shared, threshold);
}

/// The unknowns outside of a share: zero where the system ends.
template <class T>
struct outer_unknowns {
    T before, after;
};

/// The interface unknowns of a partition from the solution of the next level.
template <class T>
COPPICE_HD COPPICE_ALWAYS_INLINE interface_values<T> interfaces_in(partition_rows<T> const& coarse, int partitions,
                                                                   int p, outer_unknowns<T> const& outside) {
    T const* const x = coarse.rhs;
    constexpr auto at = [](int i) { return padded<nested_partition>(i); };
    return {p > 0 ? x[at(2 * p - 1)] : outside.before, x[at(2 * p)], x[at(2 * p + 1)],
            p + 1 < partitions ? x[at(2 * p + 2)] : outside.after};
}

/// Solves the last level of a closed plan. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void solve_innermost(Block const& block, nested_plan const& plan, int systems, T* shared,
                                       auto const& threshold) {
    for (int system = block.thread(); system < systems; system += block.threads()) {
        partition_rows<T> const level = plan.rows(shared + system * plan.elements, plan.levels);
        auto own = take_rows<nested_partition>(level, 0);
        solve_directly<P>(own.rows(), fixed_length<nested_partition>{}, threshold);
        COPPICE_UNROLL
        for (int j = 0; j < nested_partition; ++j) level.rhs[j] = own.rhs[j];
    }
    block.sync();
}

/// From the solution of level k + 1 to that of level k. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, int M, class T, class Block>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_level(Block const& block, nested_plan const& plan, int k, int systems,
                                                       T* shared, outer_unknowns<T> const& outside,
                                                       auto const& threshold) {
    for_each_partition(block, plan, k, systems, shared, [&](T* memory, int p) {
        partition_rows<T> const fine = plan.rows(memory, k);
        auto const x = interfaces_in(plan.rows(memory, k + 1), plan.partitions(k), p, outside);
        auto own = take_rows<M>(fine, p);
        substitute_partition<P>(own.rows(), fixed_length<M>{}, x, threshold);
        int const at = padded<nested_partition>(p * M);
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j) fine.rhs[at + j] = own.rhs[j];
    });
}

/// From the solution of the last level to that of level 0, in place of its right-hand side; `outside` is of all systems
/// (closed plans: zero). Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block>
COPPICE_HD inline void substitute_nested(Block const& block, nested_plan const& plan, int systems, T* shared,
                                         outer_unknowns<T> const& outside, auto const& threshold) {
    int const whole = plan.levels - (plan.ends_short() ? 1 : 0);
    if (whole < plan.levels)
        substitute_level<P, nested_partition / 2>(block, plan, whole, systems, shared, outside, threshold);
    for (int k = whole - 1; k >= 0; --k)
        substitute_level<P, nested_partition>(block, plan, k, systems, shared, outside, threshold);
}

} // namespace coppice::rpts
