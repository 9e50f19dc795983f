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
inline constexpr int few_partners = 8, some_partners = 16, most_partners = 32;

/// Room for a value that may not be there.
template <class T>
union maybe_value {
    char none;
    T value;
    COPPICE_HD maybe_value() : none(0) {}
};

/// Up to `Slots` rows of B in the registers of a lane.
template <int Slots, class I, class O>
class merged_partners {
    static_assert(Slots % few_partners == 0);

public:
    /// No column: all rows of B have ended.
    static constexpr I none = std::numeric_limits<I>::max();

    /// Those of the entries [begin, end) of A, at most `used` in any lane of the warp. Used up where begin = end.
    template <class A, class B>
    COPPICE_HD merged_partners(csr_view<A, I, O> a, csr_view<B, I, O> b, O begin, O end, int used)
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
        I least = none;
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += few_partners) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + few_partners; ++s) least = column_[s] < least ? column_[s] : least;
        }
        return least;
    }
    /// Steps over a column: entry s of the row of A meets entry q of B there, in rising s. `read(s, q)` is called for
    /// some of these before `meet(value read)` for the first of them, so that memory answers them together.
    COPPICE_NO_EXEC_CHECK
    template <class Read, class Meet>
    COPPICE_HD void pass(I column, Read const& read, Meet&& meet) {
        using value_type = decltype(read(0, O(0)));
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += few_partners) {
            if (first >= used_) break;
            bool met[few_partners];
            maybe_value<value_type> values[few_partners];
            COPPICE_UNROLL
            for (int s = 0; s < few_partners; ++s) {
                met[s] = column_[first + s] == column;
                if (met[s]) values[s].value = read(first + s, at_[first + s]++);
            }
            COPPICE_UNROLL
            for (int s = 0; s < few_partners; ++s)
                if (met[s]) column_[first + s] = at_[first + s] < end_[first + s] ? b_[at_[first + s]] : none;
            COPPICE_UNROLL
            for (int s = 0; s < few_partners; ++s)
                if (met[s]) meet(values[s].value);
        }
    }
    /// The same where nothing is read.
    COPPICE_HD void pass(I column) {
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += few_partners) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + few_partners; ++s)
                if (column_[s] == column) column_[s] = ++at_[s] < end_[s] ? b_[at_[s]] : none;
        }
    }

private:
    I const* b_;
    int used_;
    I column_[Slots];
    O at_[Slots], end_[Slots];
};

/// The most entries of a row among those of the lanes of a warp, up to Slots, rounded up to what merged_partners looks
/// at together; all lanes call it.
template <int Slots, class Block>
COPPICE_HD int most_partners_of(Block const& block, int own) {
    int used = 0;
    COPPICE_UNROLL
    for (int first = 0; first < Slots; first += few_partners)
        if (block.ballot(own > first) != 0) used = first + few_partners;
    return used;
}

/// Lanes that merge take as long as the longest of their rows: whether that of this lane, of so many steps (0: it has
/// none), is far longer than those of the warp at the mean. All lanes call it.
template <class Block>
COPPICE_HD bool is_far_longer(Block const& block, int steps) {
    int const count = std::popcount(block.ballot(steps > 0));
    std::int64_t sum = steps;
    for (int apart = warp_lanes / 2; apart > 0; apart /= 2)
        sum += block.from_lane(sum, (block.thread() % warp_lanes) ^ apart);
    return std::int64_t(steps) * count > 64 * count + 4 * sum;
}

/// Entries that lanes write to rows of their own: several are kept in shared memory, from where they go out side by
/// side. Larger ones go out at once.
template <class T, class O>
class entries_of_lane {
public:
    static constexpr int most = 8; ///< of a lane between two calls of write()
    static constexpr bool kept = sizeof(T) <= 16 && alignof(T) <= 16;
    static constexpr int bytes = kept ? warp_lanes * (most + 1) * int(sizeof(T)) : 0; ///< of shared memory a warp

    /// The row begins at to[begin]; memory[bytes] is the warp's, aligned to 16.
    template <class Block>
    COPPICE_HD entries_of_lane(Block const& block, std::byte* memory, T* to, O begin)
        : memory_(reinterpret_cast<T*>(memory) + block.thread() % warp_lanes * (most + 1)), to_(to), next_(begin) {}
    COPPICE_HD void add(T const& value) {
        if constexpr (kept)
            memory_[count_++] = value;
        else
            to_[next_++] = value;
    }
    /// All lanes of the warp call it, after `most` calls of add() at most.
    template <class Block>
    COPPICE_HD void write(Block const& block) {
        if constexpr (!kept) return;
        int const lane = block.thread() % warp_lanes;
        T const* const of_warp = memory_ - lane * (most + 1);
        block.sync_warp();
        for (int row = lane / most, e = lane % most; row < warp_lanes; row += warp_lanes / most) {
            O const begin = block.from_lane(next_, row);
            int const count = block.from_lane(count_, row);
            if (e < count) to_[begin + O(e)] = of_warp[row * (most + 1) + e];
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
template <class Block, class Partners, class Step, class Write>
COPPICE_HD void merge_rows(Block const& block, Partners& partners, int most, Step&& step, Write&& write) {
    for (bool goes_on = true; block.ballot(goes_on) != 0;) {
        for (int n = 0; goes_on && n < most; ++n) {
            auto const column = partners.lowest();
            goes_on = column != Partners::none;
            if (goes_on) step(column);
        }
        write();
    }
}

} // namespace coppice::detail
