// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of B that a short row of A meets, merged by one lane: it stands at an entry of each of them and takes the
/// least column in turn, so that columns come in order and what falls on one of them in the order of the row of A.
/// Nothing is looked up, sorted or shared between lanes. Templates over the Block of core/block.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <limits>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/block.hpp>

namespace coppice::detail {

// Entries of the longest row of A that a lane merges: the fewer they are, the fewer registers a lane takes.
inline constexpr int small_merge = 8, medium_merge = 16, large_merge = 32;

/// Room for a value that may not be there.
template <class T>
union maybe_value {
    char none;
    T value;
    COPPICE_HD maybe_value() : none(0) {}
};

/// Up to `Slots` rows of B in the registers of a lane.
template <int Slots, class I, class O>
class row_merger {
    static_assert(Slots % small_merge == 0);

public:
    /// No column: all rows of B have ended.
    static constexpr I none = std::numeric_limits<I>::max();

    /// Those of the entries [begin, end) of A, at most `used` in any lane of the warp. Used up where begin = end.
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
    /// The least column that is left, or none.
    COPPICE_HD I lowest() const {
        I min_column = none;
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += small_merge) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + small_merge; ++s) min_column = column_[s] < min_column ? column_[s] : min_column;
        }
        return min_column;
    }
    /// Steps over a column: entry s of the row of A meets entry q of B there, in rising s. `read(s, q)` is called for
    /// some of these before `meet(value read)` for the first of them, so that memory answers them together.
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
    /// The same where nothing is read.
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

/// The most entries of a row among those of the lanes of a warp, up to Slots, rounded up to what row_merger looks
/// at together; all lanes call it.
template <int Slots, class Block>
COPPICE_HD int merge_width(Block const& block, int entries) {
    int used = 0;
    COPPICE_UNROLL
    for (int first = 0; first < Slots; first += small_merge)
        if (block.ballot(entries > first) != 0) used = first + small_merge;
    return used;
}

/// Lanes that merge take as long as the longest of their rows: whether that of this lane, of so many steps (0: it has
/// none), is far longer than those of the warp at the mean. All lanes call it.
template <class Block>
COPPICE_HD bool is_far_longer(Block const& block, int steps) {
    int const count = std::popcount(block.ballot(steps > 0));
    std::int64_t sum = steps;
    for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
        sum += block.from_lane(sum, (block.thread() % warp_lanes) ^ distance);
    return std::int64_t(steps) * count > 64 * count + 4 * sum;
}

/// Entries that lanes write to rows of their own: several are kept in shared memory, from where they go out side by
/// side. Larger ones go out at once.
template <class T, class O>
class lane_output {
public:
    static constexpr int max_entries = 8; ///< of a lane between two calls of write()
    static constexpr bool buffered = sizeof(T) <= 16 && alignof(T) <= 16;
    static constexpr int bytes = buffered ? warp_lanes * (max_entries + 1) * int(sizeof(T)) : 0; ///< of shared memory a warp

    /// The row begins at to[begin]; memory[bytes] is the warp's, aligned to 16.
    template <class Block>
    COPPICE_HD lane_output(Block const& block, std::byte* memory, T* to, O begin)
        : memory_(reinterpret_cast<T*>(memory) + block.thread() % warp_lanes * (max_entries + 1)), to_(to), next_(begin) {}
    COPPICE_HD void add(T const& value) {
        if constexpr (buffered)
            memory_[count_++] = value;
        else
            to_[next_++] = value;
    }
    /// All lanes of the warp call it, after `most` calls of add() at most.
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
        block.sync_warp(); // the memory is written again
        next_ += O(count_);
        count_ = 0;
    }

private:
    T *memory_, *to_;
    O next_;
    int count_ = 0;
};

/// Merges the row of every lane: step(column) for its columns in order, write() of all lanes together after `most`
/// steps of each at most. All lanes of the warp call it; `partners` of a lane without a row are used up.
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

} // namespace coppice::detail
