// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// RPTS on systems that do not fit on chip (thesis sections 2.6.1-2.6.7): the bodies of the kernels, templates over the
/// Block of core/block.hpp, so that tests run them on CPU threads. rpts_block_tile.hpp describes the tile that a block
/// works on.
#pragma once

#include <cstdint>

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/tridiagonal/partition/rpts_boundaries.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block_pairs.hpp>
#include <coppice/solvers/direct/tridiagonal/rpts_block_tile.hpp>

namespace coppice::inline v0_1::rpts {

// Back substitution of a partition in shared memory by two threads, one for each half.

/// Stores the two remaining equations of a half of `count` rows in shared memory for the thread of the other half, in
/// elements that hold no pivot row: the last row of the half and the right-hand side of its first row.
template <pivoting P, class Step, class T, class R>
COPPICE_HD inline void leave_rows(half<P, Step, T, R> const& h, int count, half_rows<T, R> const& left) {
    int const last = (count - 1) * h.step;
    h.near[last] = left.p.entry;
    h.middle[last] = left.p.next;
    h.away[last] = left.alone.entry;
    h.rhs_rows[last] = left.p.rhs;
    h.rhs_rows[0] = left.alone.rhs;
}
template <pivoting P, class Step, class T, class R>
COPPICE_HD inline half_rows<T, R> remaining_rows(half<P, Step, T, R> const& h, int count) {
    int const last = (count - 1) * h.step;
    return {{h.away[last], T(0), h.rhs_rows[0]}, {h.near[last], h.middle[last], h.rhs_rows[last]}};
}

/// Solves a partition of at least 4 rows in shared memory by two threads of different warps, one for each half; the
/// first has the row in the middle of an odd number. Nothing is done for `length` = 0. Contains barriers of the block.
///
/// Both warps execute the same instructions, in loops that are hardly unrolled: a kernel executes most of its code a
/// few times, so that reading instructions takes as long as executing them.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class T, class R, class Block>
COPPICE_HD inline void substitute_lane(Block const& block, partition_rows<T, R> const& rows, auto length,
                                       interface_values<R> const& x, boundary_multipliers<T> const& multipliers,
                                       auto const& threshold) {
    int const below = length / 2, above = length - below; // rows of the halves
    bool const works = length > 0;
    bool const from_above = block.thread() < tile_partitions;
    int const count = from_above ? above : below;
    half<P, int, T, R> const mine(rows, length, from_above ? 1 : -1);
    if (works) {
        auto left = mine.begin(select(from_above, x.before, x.after), select(from_above, x.first, x.last),
                               from_above ? multipliers.first : multipliers.last);
        COPPICE_UNROLL_BY(2)
        for (int j = 2; j < count; ++j) mine.eliminate(j, left, threshold);
        leave_rows(mine, count, left);
    }
    block.sync();
    middle_values<R> middle{};
    if (works)
        middle = solve_middle<P>(remaining_rows(half<P, downward_step, T, R>(rows, length), above),
                                 remaining_rows(half<P, upward_step, T, R>(rows, length), below), threshold);
    block.sync(); // both threads have read the remaining equations
    if (!works) return;
    rows.rhs[from_above ? 0 : length - 1] = select(from_above, x.first, x.last);
    R x1 = select(from_above, middle.down, middle.up), x2 = select(from_above, middle.up, middle.down);
    rows.rhs[from_above ? above - 1 : above] = x1;
    COPPICE_UNROLL_BY(4)
    for (int j = count - 2; j > 0; --j) mine.substitute(j, x1, x2);
}

/// Number of rows of a cyclic system that are in no partition if `tile` is its last tile; otherwise 0.
template <bool Cyclic, class T>
COPPICE_LANE int rows_after(level<T> const& s, std::int64_t tile) {
    if (!Cyclic || tile != (s.partitions - 1) / tile_partitions) return 0;
    return int(s.fine.size - s.partitions * block_partition);
}

/// Reduces one tile; `shared` has tile_bytes<T, R> bytes, the block tile_threads threads. `await` as in start_tile().
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block, class Await>
COPPICE_HD inline void reduce_tile(Block const& block, level<T> const& s, std::int64_t tile, unsigned char* shared,
                                   Await const& await) {
    static_assert(tile_threads == 2 * tile_partitions);
    partition_rows<T, R> const all = tile_at<T, R>(shared, tile_band);
    row_offsets offsets;
    start_tile<Cyclic>(block, s.fine, tile, all, offsets, await);
    finish_copies();
    block.sync();
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = lane_rows(all, lane);
    coarse_row<T, R> row;
    T multiplier(1);
    // The first 32 threads sweep downwards through their partitions, the other 32 upwards.
    int const step = block.thread() < tile_partitions ? 1 : -1;
    row = !Cyclic && s.threshold > T(0) ? reduce_towards<P>(step, rows, block_partition, s.threshold, &multiplier)
                                        : reduce_towards<P>(step, rows, block_partition, no_threshold{}, &multiplier);
    if constexpr (P == pivoting::none)
        block.sync();
    else
        resplit_pairs<P>(block, s, tile, all, pair_exchange<T, R>(shared), multiplier, row);
    // The rows of the tile are not needed any more: their memory collects the coarse rows for coalesced stores.
    constexpr int coarse_rows = 2 * tile_partitions;
    partition_rows<T, R> const gathered = tile_at<T, R>(shared, coarse_rows);
    gathered.put(2 * lane + (block.thread() < tile_partitions ? 1 : 0), row);
    block.sync();
    std::int64_t const first = tile * coarse_rows, size = 2 * s.partitions;
    for (int i = block.thread(); i < coarse_rows && first + i < size; i += block.threads()) {
        s.coarse.lower[first + i] = gathered.lower[i];
        s.coarse.diagonal[first + i] = gathered.diagonal[i];
        s.coarse.upper[first + i] = gathered.upper[i];
        store_rhs(gathered.rhs[i], s.coarse.rhs, first + i, s.coarse.leading, s.fine.columns);
    }
    if (int const i = block.thread(); i < rows_after<Cyclic>(s, tile)) {
        std::int64_t const at = s.partitions * block_partition + i;
        auto const rest = scaled<P>(s.fine.lower[at], s.fine.diagonal[at], s.fine.upper[at],
                                    load_rhs<R>(s.fine.rhs, s.fine.source_of(at), s.fine.rhs_leading, s.fine.columns));
        s.coarse.lower[size + i] = rest.lower;
        s.coarse.diagonal[size + i] = rest.diagonal;
        s.coarse.upper[size + i] = rest.upper;
        store_rhs(rest.rhs, s.coarse.rhs, size + i, s.coarse.leading, s.fine.columns);
    }
}

/// Coarse unknown i; -1 and 2 are those around a system of one partition. Outside the system it is zero; in a cyclic
/// system the unknown at the other end; in a segment of a longer system the unknown beyond the segment.
template <class R, bool Cyclic, class T>
COPPICE_HD inline R coarse_unknown(level<T> const& s, std::int64_t i) {
    std::int64_t const size = coarse_rows(s.fine.size, s.partitions, block_partition, Cyclic);
    if constexpr (Cyclic) {
        if (s.fine.is_segment && (i < 0 || i >= size)) {
            T const* const beyond = i < 0 ? s.fine.before : i == size ? s.fine.after : nullptr;
            return beyond ? R(*beyond) : R(T(0));
        }
        i = i < 0 ? size - 1 : i == size ? 0 : i;
    }
    return i >= 0 && i < size ? load_rhs<R>(s.coarse.rhs, i, s.coarse.leading, s.fine.columns) : R(T(0));
}
/// Reads the interface unknowns of a partition from the solution of the coarse system.
template <class R, bool Cyclic, class T>
COPPICE_HD inline interface_values<R> interfaces_of(level<T> const& s, std::int64_t partition) {
    std::int64_t const i = 2 * partition;
    return {coarse_unknown<R, Cyclic>(s, i - 1), coarse_unknown<R, Cyclic>(s, i), coarse_unknown<R, Cyclic>(s, i + 1),
            coarse_unknown<R, Cyclic>(s, i + 2)};
}

/// Stores the solution of a tile, which has replaced its right-hand sides `x`, and of the rows after the last partition
/// of a cyclic system. `targets` is read only for a whole tile of a system that has targets.
COPPICE_NO_EXEC_CHECK
template <bool Cyclic, class T, class R, class Block>
COPPICE_HD inline void store_solution(Block const& block, level<T> const& s, std::int64_t tile, R const* x,
                                      row_offsets const& targets) {
    std::int64_t const first = tile * tile_rows + block.thread();
    std::int64_t const end = Cyclic ? s.partitions * block_partition : s.fine.size;
    finite_check<T> check{s.fine.not_finite};
    auto const store_at = [&](R values, T* to) {
        COPPICE_UNROLL
        for (int c = 0; c < rhs_count<R>; ++c) check.see(rhs_at(values, c));
        store_rhs(values, to, 0, s.fine.x_leading, s.fine.columns);
    };
    auto const store = [&](R values, std::int64_t to) { store_at(values, s.fine.x + to); };
    if (int const i = block.thread(); i < rows_after<Cyclic>(s, tile))
        store(load_rhs<R>(s.coarse.rhs, 2 * s.partitions + i, s.coarse.leading, s.fine.columns),
              s.fine.target_of(end + i));
    if ((tile + 1) * tile_rows <= end) {
        T* const to = s.fine.x + first;
        R const* const from = x + offset_of_row(block.thread(), 0);
        COPPICE_UNROLL
        for (int j = 0; j < rows_of_thread; ++j) {
            R const value = from[offset_of_row(0, j)];
            if (s.fine.target)
                store(value, targets.of[j]);
            else
                store_at(value, to + j * tile_threads); // offsets are part of the instructions
        }
    } else {
        for (int j = 0; j < rows_of_thread && first + j * tile_threads < end; ++j)
            store(x[offset_of_row(block.thread(), j)], s.fine.target_of(first + j * tile_threads));
    }
    check.finish();
}

/// Substitution of one tile; `shared` has tile_rows_bytes<T, R> bytes. Its rows are complete before the preceding
/// kernel begins, which solves the coarse system; so they are loaded while that kernel runs.
COPPICE_NO_EXEC_CHECK
template <pivoting P, class R, bool Cyclic = false, class T, class Block>
COPPICE_HD inline void substitute_tile(Block const& block, level<T> const& s, std::int64_t tile,
                                       unsigned char* shared) {
    int const lane = block.thread() % tile_partitions;
    partition_rows<T, R> const rows = tile_at<T, R>(shared, tile_band);
    row_offsets targets; // of whole tiles
    start_tile<Cyclic>(block, s.fine, tile, rows, targets, [] {});
    if (s.fine.target && s.fine.target != s.fine.order && (tile + 1) * tile_rows <= s.fine.size)
        targets.read(block, s.fine.target, tile * tile_rows);
    block.await_predecessor();
    interface_values<R> const x = interfaces_of<R, Cyclic>(s, tile * tile_partitions + lane);
    pair_record record(0, 0);
    boundary_multipliers<T> multipliers;
    if constexpr (P != pivoting::none)
        if (has_pair(s, tile, lane)) {
            record = pair_record(s.pair_records[(tile * tile_partitions + lane) / 2]);
            multipliers = record.multipliers<T>(lane % 2 * 2);
        }
    finish_copies();
    block.sync();
    pair_split const split = record.split();
    bool const anew = split.number != 0, from_above = block.thread() < tile_partitions;
    bool const shifted = P != pivoting::none && block.ballot(anew) != 0; // uniform in both warps
    if (shifted) {
        if constexpr (P != pivoting::none) {
            int const second = lane % 2;
            shifted_offset const offset(split);
            if (anew) shift_rows(rows, lane - second, offset.gap, 2 * second + int(from_above));
            block.sync();
            auto const of_pair = lane_rows(rows, lane - second);
            pair_partition const piece = split.partition(second, 2 * block_partition);
            std::int64_t const first = 2 * (tile * tile_partitions + lane - second);
            auto const around = piece.around([&](int i) { return coarse_unknown<R, Cyclic>(s, first + i); });
            int const length = second < split.partitions() ? piece.length : 0;
            substitute_lane<P>(block, of_pair.from(offset(piece.first)), length, around,
                               record.multipliers<T>(piece.coarse), s.threshold);
            // A single row is the first or the last of its pair, whose unknowns are coarse unknowns in every split.
            if (anew && from_above && (second == 0 || split.partitions() == 1))
                of_pair.rhs[second * 2 * block_partition] = coarse_unknown<R, Cyclic>(s, first + 3 * second);
            block.sync();
            if (anew && from_above && second == 0) shift_solution_back(of_pair.rhs, offset.gap);
        }
    } else if (!Cyclic && s.threshold > T(0))
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, multipliers, s.threshold);
    else
        substitute_lane<P>(block, lane_rows(rows, lane), fixed_length<block_partition>{}, x, multipliers,
                           no_threshold{});
    block.sync();
    store_solution<Cyclic>(block, s, tile, rows.rhs, targets);
}

} // namespace coppice::inline v0_1::rpts
