// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The rows of B that a short row of A meets, merged by one lane: it stands at an entry of each of them and takes the
/// least column in turn, so that columns come in order and what falls on one of them in the order of the row of A.
/// Nothing is looked up, sorted or shared between lanes.
#pragma once

#include <limits>

#include <coppice/algebra/csr.hpp>
#include <coppice/core/block.hpp>

namespace coppice::detail {

inline constexpr int few_partners = 8;   ///< of A's rows where most are so short: half of the registers
inline constexpr int most_partners = 32; ///< entries of the longest row of A that a lane merges

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
    /// Steps over a column: meet(s, q) where entry s of the row of A meets entry q of B there, in rising s.
    COPPICE_NO_EXEC_CHECK
    template <class Meet>
    COPPICE_HD void pass(I column, Meet&& meet) {
        COPPICE_UNROLL
        for (int first = 0; first < Slots; first += few_partners) {
            if (first >= used_) break;
            COPPICE_UNROLL
            for (int s = first; s < first + few_partners; ++s) {
                if (column_[s] != column) continue;
                meet(s, at_[s]);
                ++at_[s];
                column_[s] = at_[s] < end_[s] ? b_[at_[s]] : none;
            }
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

} // namespace coppice::detail
