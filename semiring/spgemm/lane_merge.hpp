// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Merges the rows of B selected by a short row of A, in one lane: the lane keeps a cursor into each row of B and
/// repeatedly takes the smallest column. Columns are produced in ascending order, and products of one column in the
/// order of A's row. No hashing, no sorting, and no communication between lanes. Templates over the Block of
/// core/block.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/block.hpp>

namespace coppice::inline v0_1::detail {

// Largest numbers of entries of a row of A that one lane merges, for three kernels: smaller ones need fewer registers.
inline constexpr int small_merge = 8, medium_merge = 16, large_merge = 32;

/// Storage for a value that may be absent.
template <class T>
union maybe_value {
    char none;
    T value;
    COPPICE_HD maybe_value() : none(0) {}
};

/// Cursors into up to `Slots` rows of B, in the registers of one lane.
template <int Slots, class I, class O>
class row_merger {
    static_assert(Slots % small_merge == 0);

public:
    /// Column value if all rows of B have ended.
    static constexpr I none = std::numeric_limits<I>::max();

    /// Cursors for the entries [begin, end) of A, at most `used` in any lane of the warp. Ended from the start if begin
    /// = end.
    template <class A, class B>
    COPPICE_HD row_merger(csr_view<A, I, O> a, csr_view<B, I, O> b, O begin, O end, int used)
        : b_(b.indices), used_(used) {
        COPPICE_UNROLL
        for (int s = 0; s < Slots; ++s) {
            bool const met = begin + O(s) < end;
            I const inner = met ? a.indices[begin + O(s)] : I(0);
            at_[s] = met ? b.row_begin(inner) : O(0);
            end_[s] = met ? b.row_end(inner) : O(0);
        }
        COPPICE_UNROLL
        for (int s = 0; s < Slots; ++s) column_[s] = at_[s] < end_[s] ? b_[at_[s]] : none;
    }
    /// Returns the smallest remaining column, or none.
    COPPICE_HD I lowest() const {
        I min_column = none;
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += small_merge) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + small_merge; ++s)
                min_column = column_[s] < min_column ? column_[s] : min_column;
        }
        return min_column;
    }
    /// Advances past a column. For every entry s of the row of A whose row of B has this column at entry q, in
    /// ascending s: reads read(s, q) and calls use(value read). Several reads are issued before the first use, so that
    /// their latencies overlap.
    COPPICE_NO_EXEC_CHECK
    template <class Read, class Use>
    COPPICE_HD void pass(I column, Read const& read, Use&& use) {
        using value_type = decltype(read(0, O(0)));
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += small_merge) {
            if (first >= used_) break;
            bool met[small_merge];
            maybe_value<value_type> values[small_merge];
            COPPICE_UNROLL
            for (int s = 0; s < small_merge; ++s) {
                met[s] = column_[first + s] == column;
                if (met[s]) values[s].value = read(first + s, at_[first + s]++);
            }
            COPPICE_UNROLL
            for (int s = 0; s < small_merge; ++s)
                if (met[s]) column_[first + s] = at_[first + s] < end_[first + s] ? b_[at_[first + s]] : none;
            COPPICE_UNROLL
            for (int s = 0; s < small_merge; ++s)
                if (met[s]) use(values[s].value);
        }
    }
    /// Advances past a column without reading values.
    COPPICE_HD void pass(I column) {
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += small_merge) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + small_merge; ++s)
                if (column_[s] == column) column_[s] = ++at_[s] < end_[s] ? b_[at_[s]] : none;
        }
    }

private:
    I const* b_;
    int used_;
    I column_[Slots];
    O at_[Slots], end_[Slots];
};

/// Returns the largest number of entries of a row among the lanes of a warp, at most Slots, rounded up to a multiple of
/// small_merge. All lanes call it.
template <int Slots, class Block>
COPPICE_HD int merge_width(Block const& block, int entries) {
    int used = 0;
    COPPICE_UNROLL
    for (int first = 0; first < Slots; first += small_merge)
        if (block.ballot(entries > first) != 0) used = first + small_merge;
    return used;
}

/// A warp that merges takes as long as its longest row. Returns whether the row of this lane, with this many steps (0:
/// no row), is much longer than the mean of the warp. All lanes call it.
template <class Block>
COPPICE_HD bool is_far_longer(Block const& block, int steps) {
    int const count = std::popcount(block.ballot(steps > 0));
    std::int64_t sum = steps;
    for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
        sum += block.from_lane(sum, (block.thread() % warp_lanes) ^ distance);
    return std::int64_t(steps) * count > 64 * count + 4 * sum;
}

/// Output of one lane to a separate row: several entries are buffered in shared memory and then written contiguously.
/// Large entries are written immediately.
template <class T, class O>
class lane_output {
public:
    static constexpr int max_entries = 8; ///< entries of a lane between two calls of write()
    static constexpr bool buffered = sizeof(T) <= 16 && alignof(T) <= 16;
    /// Bytes of shared memory per warp.
    static constexpr int bytes = buffered ? warp_lanes * (max_entries + 1) * int(sizeof(T)) : 0;

    /// The row begins at to[begin]; memory[bytes] belongs to the warp and is aligned to 16.
    template <class Block>
    COPPICE_HD lane_output(Block const& block, std::byte* memory, T* to, O begin)
        : memory_(reinterpret_cast<T*>(memory) + block.thread() % warp_lanes * (max_entries + 1)), to_(to),
          next_(begin) {}
    COPPICE_HD void add(T const& value) {
        if constexpr (buffered)
            memory_[count_++] = value;
        else
            to_[next_++] = value;
    }
    /// All lanes of the warp call it, after at most `max_entries` calls of add().
    template <class Block>
    COPPICE_HD void write(Block const& block) {
        if constexpr (!buffered) return;
        int const lane = block.thread() % warp_lanes;
        T const* const of_warp = memory_ - lane * (max_entries + 1);
        block.sync_warp();
        for (int row = lane / max_entries, e = lane % max_entries; row < warp_lanes; row += warp_lanes / max_entries) {
            O const begin = block.from_lane(next_, row);
            int const count = block.from_lane(count_, row);
            if (e < count) to_[begin + O(e)] = of_warp[row * (max_entries + 1) + e];
        }
        block.sync_warp(); // the buffer is reused
        next_ += O(count_);
        count_ = 0;
    }

private:
    T *memory_, *to_;
    O next_;
    int count_ = 0;
};

/// Merges one row per lane: calls step(column) for its columns in ascending order, and write() by all lanes together
/// after at most `max_steps` steps of each. All lanes of the warp call it; the merger of a lane without a row has
/// ended.
COPPICE_NO_EXEC_CHECK
template <class Block, class Merger, class Step, class Write>
COPPICE_HD void merge_rows(Block const& block, Merger& merger, int max_steps, Step&& step, Write&& write) {
    for (bool goes_on = true; block.ballot(goes_on) != 0;) {
        for (int n = 0; goes_on && n < max_steps; ++n) {
            auto const column = merger.lowest();
            goes_on = column != Merger::none;
            if (goes_on) step(column);
        }
        write();
    }
}

} // namespace coppice::inline v0_1::detail
