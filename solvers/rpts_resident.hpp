// SPDX-License-Identifier: BSD-3-Clause
/// \file Systems that stay on chip: read once, solved, written once (5 n elements instead of 9 n). The body of the
/// kernel, a template over the Block of core/block.hpp, so that tests run it on CPU threads.
///
/// Each thread holds one partition of the finest system in its registers. The coarse rows of a block go through the
/// nested systems of rpts_nested.hpp. A block either holds whole systems, one or several, or a share of one system;
/// then every share is reduced to the two rows of its end unknowns, the shares of a system meet, and each block solves
/// the small system of all their rows for itself.
#pragma once

#include <cstdint>

#include "solvers/rpts_nested.hpp"
#include "solvers/rpts_vectors.hpp"

namespace coppice::rpts {

/// M of the finest partitions: 64 registers of rows in a thread. Even, as all partitions (see rpts_block.hpp).
template <class T>
inline constexpr int resident_partition = 64 / int(sizeof(T));
inline constexpr int resident_threads = 512;      ///< most threads of a block: all registers of a multiprocessor
inline constexpr int least_resident_threads = 64; ///< of a block that holds a share

/// Rows that one multiprocessor holds.
template <class T>
inline constexpr std::int64_t resident_rows = std::int64_t(resident_partition<T>) * resident_threads;

/// One of the two rows that a share leaves.
template <class T>
struct alignas(16) share_row {
    T lower, diagonal, upper, rhs;
};

/// How a batch of equal systems is laid over blocks. What decides the bits of a solution is `partitions` and `shares`;
/// they follow from the rows and number of the systems and the multiprocessors of the device.
struct resident_plan {
    std::int64_t pairs = 0;   ///< systems times right-hand sides, each worked on by itself
    std::int64_t items = 0;   ///< pieces of work of a block
    int partitions = 0;       ///< of a system in one block: as many threads
    int shares = 1;           ///< blocks that share a system, or
    int together = 1;         ///< systems that share a block
    int threads = 0;          ///< of a block
    nested_plan inner, outer; ///< of the coarse rows of a block; of the rows of all shares

    int shared_elements() const { return together * inner.elements + outer.elements; }
};

/// Whole systems of `rows` <= resident_rows<T>, as many in a block as leave all multiprocessors with work.
template <class T>
resident_plan plan_whole(std::int64_t rows, std::int64_t pairs, int multiprocessors) {
    constexpr int m = resident_partition<T>;
    resident_plan plan;
    plan.pairs = pairs;
    plan.partitions = int((rows + m - 1) / m);
    std::int64_t const crowd = pairs / (4 * std::int64_t(multiprocessors)), room = 128 / plan.partitions;
    std::int64_t const together = crowd < room ? crowd : room;
    plan.together = together > 1 ? int(together) : 1;
    plan.items = (pairs + plan.together - 1) / plan.together;
    plan.inner = nested_plan(2 * plan.partitions, false);
    plan.threads = (plan.together * plan.partitions + warp_lanes - 1) / warp_lanes * warp_lanes;
    return plan;
}

/// Systems in shares of `threads` partitions, a power of two.
template <class T>
resident_plan plan_shares(std::int64_t rows, std::int64_t pairs, int threads) {
    std::int64_t const share = std::int64_t(threads) * resident_partition<T>;
    resident_plan plan;
    plan.pairs = pairs;
    plan.partitions = plan.threads = threads;
    plan.shares = int((rows + share - 1) / share);
    plan.items = pairs * plan.shares;
    plan.inner = nested_plan(2 * threads, true);
    plan.outer = nested_plan(2 * plan.shares, false);
    return plan;
}

/// Rows of a system that one block may hold alone: of more, blocks of fewer threads that share it are faster.
template <class T>
inline constexpr std::int64_t whole_rows = resident_rows<T> / 2;

/// `rows` <= multiprocessors * resident_rows<T>. Shares are small while there are multiprocessors without any, and
/// where there are several for each, so that one loads while another computes; but no system gets more than 128 shares
/// of fewer than all threads, for each block solves the system of all shares.
template <class T>
resident_plan plan_resident(std::int64_t rows, std::int64_t systems, std::int64_t columns, int multiprocessors) {
    constexpr std::int64_t m = resident_partition<T>, most_shares = 128;
    if (rows <= whole_rows<T>) return plan_whole<T>(rows, systems * columns, multiprocessors);
    int threads = least_resident_threads;
    if (systems * rows > multiprocessors * threads * m) threads *= 2;
    while (threads < resident_threads && rows > most_shares * threads * m) threads *= 2;
    return plan_shares<T>(rows, systems * columns, threads);
}

template <class T>
struct resident_job {
    system_view<T> all;
    resident_plan plan;
    share_row<T>* rows; ///< [pair][2 shares]
    T threshold;
    int const* gate = nullptr; ///< as of a stage
};

/// Rows [first, first + M) of one system; rows behind its end read x = 0, entries outside the matrix become zero.
template <int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void load_own(system_view<T> const& s, std::int64_t first, own_rows<T, M>& own) {
    if (first + M <= s.size && aligned_to_16(s.lower + first, s.diagonal + first, s.upper + first, s.rhs + first)) {
        load_vectors<M>(s.lower + first, own.lower);
        load_vectors<M>(s.diagonal + first, own.diagonal);
        load_vectors<M>(s.upper + first, own.upper);
        load_vectors<M>(s.rhs + first, own.rhs);
    } else {
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j) {
            bool const inside = first + j < s.size;
            own.lower[j] = inside ? s.lower[first + j] : T(0);
            own.diagonal[j] = inside ? s.diagonal[first + j] : T(1);
            own.upper[j] = inside ? s.upper[first + j] : T(0);
            own.rhs[j] = inside ? s.rhs[first + j] : T(0);
        }
    }
    if (first == 0) own.lower[0] = T(0);
    std::int64_t const last = s.size - 1 - first;
    COPPICE_UNROLL
    for (int j = 0; j < M; ++j) own.upper[j] = j == last ? T(0) : own.upper[j];
}

template <int M, class T>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_own(system_view<T> const& s, std::int64_t first, T const (&x)[M]) {
    if (first + M <= s.size && aligned_to_16(s.x + first)) {
        store_vectors<M>(x, s.x + first);
    } else {
        COPPICE_UNROLL
        for (int j = 0; j < M; ++j)
            if (first + j < s.size) s.x[first + j] = x[j];
    }
}

/// What another block wrote during this kernel.
template <class T>
COPPICE_HD inline share_row<T> load_fresh(share_row<T> const* from) {
#if defined(__CUDA_ARCH__)
    share_row<T> row;
    constexpr int vectors = int(sizeof(row) / 16);
    for (int v = 0; v < vectors; ++v)
        reinterpret_cast<int4*>(&row)[v] = __ldcg(reinterpret_cast<int4 const*>(from) + v);
    return row;
#else
    return *from;
#endif
}

/// The shares of a system meet and each solves the system of all their rows: the end unknowns of this share come to the
/// last level of `inner`, those of its neighbours are returned. Ends with a barrier.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block, class Meeting>
COPPICE_HD inline outer_unknowns<T> solve_outer(Block const& block, resident_job<T> const& job, std::int64_t pair,
                                                int share, Meeting& meeting, T* inner, T* outer,
                                                auto const& threshold) {
    resident_plan const& plan = job.plan;
    int const rows = 2 * plan.shares, last = plan.inner.levels;
    share_row<T>* const all = job.rows + pair * rows;
    partition_rows<T> const ends = plan.inner.rows(inner, last), top = plan.outer.rows(outer, 0);
    if (int const t = block.thread(); t < 2)
        all[2 * share + t] = {ends.lower[t], ends.diagonal[t], ends.upper[t], ends.rhs[t]};
    meeting.meet(block, pair, plan.shares);
    for (int i = block.thread(); i < rows; i += block.threads()) {
        auto const row = load_fresh(all + i);
        put_row(top, padded<nested_partition>(i), coarse_row<T>{row.lower, row.diagonal, row.upper, row.rhs});
    }
    fill_level(top, rows, plan.outer.size[0], block.thread(), block.threads());
    block.sync();
    reduce_nested<P>(block, plan.outer, 1, outer, threshold);
    solve_innermost<P>(block, plan.outer, 1, outer, threshold);
    substitute_nested<P>(block, plan.outer, 1, outer, outer_unknowns<T>{}, threshold);
    auto const x = interfaces_in(top, plan.shares, share, outer_unknowns<T>{});
    if (block.thread() == 0) ends.rhs[0] = x.first, ends.rhs[1] = x.last;
    block.sync();
    return {x.before, x.after};
}

/// Solves item `item`: several systems, one, or a share of one. `shared` holds plan.shared_elements() elements;
/// `meeting.meet(block, pair, shares)` is a barrier of all blocks that work on a pair.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class Block, class Meeting>
COPPICE_HD inline void solve_resident(Block const& block, resident_job<T> const& job, std::int64_t item,
                                      Meeting& meeting, T* shared, auto const& threshold) {
    constexpr int m = resident_partition<T>;
    resident_plan const& plan = job.plan;
    std::int64_t const first_pair = plan.shares > 1 ? item / plan.shares : item * plan.together;
    int const share = plan.shares > 1 ? int(item - first_pair * plan.shares) : 0;
    int const systems = first_pair + plan.together <= plan.pairs ? plan.together : int(plan.pairs - first_pair);
    int const slot = block.thread() / plan.partitions, p = block.thread() - slot * plan.partitions;
    bool const works = slot < systems;
    T* const memory = shared + (works ? slot : 0) * plan.inner.elements;
    partition_rows<T> const top = plan.inner.rows(memory, 0);
    system_view<T> const s = job.all.pair(first_pair + (works ? slot : 0));
    std::int64_t const first = (std::int64_t(share) * plan.partitions + p) * m;

    own_rows<T, m> own;
    if (works) {
        load_own(s, first, own);
        reduce_own<P>(own, top, p, threshold);
        if (!plan.inner.open) fill_level(top, 2 * plan.partitions, plan.inner.size[0], p, plan.partitions);
    }
    block.sync();
    reduce_nested<P>(block, plan.inner, systems, shared, threshold);
    outer_unknowns<T> outside{};
    if (plan.shares > 1)
        outside =
            solve_outer<P>(block, job, first_pair, share, meeting, shared, shared + plan.inner.elements, threshold);
    else
        solve_innermost<P>(block, plan.inner, systems, shared, threshold);
    substitute_nested<P>(block, plan.inner, systems, shared, outside, threshold);
    if (works) {
        auto const x = interfaces_in(top, plan.partitions, p, outside);
        substitute_partition<P>(own.rows(), fixed_length<m>{}, x, threshold);
        store_own(s, first, own.rhs);
    }
    block.sync(); // the next item may overwrite what this one read
}

} // namespace coppice::rpts
