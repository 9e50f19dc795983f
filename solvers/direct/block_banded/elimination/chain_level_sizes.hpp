// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Numbers and offsets of the block rows and condensed segments of each system of a batch on each level of the chain
/// solver.
///
/// Depth 0 counts block rows of the matrix. Depth k + 1 counts condensed segments: one for each segment of depth k. A
/// segment never contains rows of two systems, so systems do not influence each other. If systems have different sizes,
/// the condensed segments of system s start at first(s, k + 1) = first(s, k) / length + s. This layout has gaps but
/// needs no scan over the systems.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>

namespace coppice::inline v0_1::chain {

// Segment lengths are powers of two, so that shifts replace divisions.
inline constexpr int log_segment_rows = 5; ///< M = 32: maximum number of block rows of a segment
inline constexpr int log_condensed_segment = 4;
inline constexpr int condensed_segment_length =
    1 << log_condensed_segment;       ///< condensed segments in a segment of a coarser level
inline constexpr int max_levels = 17; ///< 32 * 16^15 > 2^63

struct levels {
    batch_shape batch;
    int log_length = log_segment_rows; ///< log2 of M, the block rows of a segment; M is even

    COPPICE_LANE int length() const { return 1 << log_length; }
    COPPICE_LANE int log_segment(int depth) const { return depth == 0 ? log_length : log_condensed_segment; }
    COPPICE_LANE int segment_length(int depth) const { return 1 << log_segment(depth); }

    /// Number of block rows at `depth` of a system with `rows` block rows.
    COPPICE_LANE std::int64_t count(std::int64_t rows, int depth) const {
        for (int k = 0; k < depth; ++k) rows = up(rows, k);
        return rows;
    }
    /// Number of segments into which `block_rows` block rows at `depth` are split.
    COPPICE_LANE std::int64_t up(std::int64_t block_rows, int depth) const {
        return (block_rows + segment_length(depth) - 1) >> log_segment(depth);
    }
    /// Index of the first block row of system s at `depth`, counted over all systems.
    COPPICE_LANE std::int64_t first(std::int64_t s, int depth) const {
        if (s == 0) return 0;
        if (!batch.offsets) return s * count(batch.rows, depth);
        std::int64_t at = batch.offsets[s];
        for (int k = 0; k < depth; ++k) at = (at >> log_segment(k)) + s;
        return at;
    }
    /// Number of block rows at `depth` that the storage of all systems holds, including gaps.
    COPPICE_LANE std::int64_t total(int depth) const {
        if (!batch.offsets) return batch.systems * count(batch.rows, depth);
        std::int64_t all = batch.total;
        for (int k = 0; k < depth; ++k) all = (all >> log_segment(k)) + batch.systems;
        return all;
    }
    /// System of block row `at` of `depth`.
    COPPICE_LANE std::int64_t system_of(std::int64_t at, int depth) const {
        if (batch.systems == 1) return 0;
        if (!batch.offsets) return at / count(batch.rows, depth);
        std::int64_t low = 0, high = batch.systems;
        while (high - low > 1) {
            std::int64_t const middle = low + (high - low) / 2;
            (first(middle, depth) <= at ? low : high) = middle;
        }
        return low;
    }
};

/// Position of a segment in the level that reduces block rows of one depth to condensed segments of the next depth.
struct segment_location {
    system_location block_rows; ///< block rows of the system
    std::int64_t begin;         ///< index of the first block row of the segment in the system
    /// Index of the segment and of its condensed rows, over all systems; -1 for a segment after the last one of a
    /// system or of all systems
    std::int64_t segment;
    std::int64_t next; ///< index of the next condensed segment; for the last one of a system, that of its first
    bool exchanged;    ///< z is the y of `next` with its two blocks exchanged, see matrix_rows::entry
};

/// Segment p of system s, whose condensed segments start at `first`.
COPPICE_LANE segment_location locate_segment_of(levels const& l, int depth, std::int64_t p, std::int64_t s,
                                                std::int64_t first) {
    system_location location = l.batch.system(s);
    std::int64_t const rows = location.rows, q = p - first, block_rows = l.count(rows, depth);
    if (depth > 0) location = {s, l.first(s, depth), 1, block_rows};
    std::int64_t const condensed = l.up(block_rows, depth);
    bool const last = q + 1 >= condensed;
    return {location, q << l.log_segment(depth), q < condensed ? p : -1, last ? first : p + 1, last && rows % 2 == 1};
}
COPPICE_LANE segment_location locate_segment(levels const& l, int depth, std::int64_t p) {
    if (l.batch.systems == 1 && !l.batch.offsets) { // avoids the divisions that a batch needs
        segment_location const location = locate_segment_of(l, depth, p, 0, 0);
        return location.segment >= 0 ? location : segment_location{{0, 0, 1, 0}, 0, -1, 0, false};
    }
    if (p >= l.total(depth + 1)) return {{0, 0, 1, 0}, 0, -1, 0, false};
    std::int64_t const s = l.system_of(p, depth + 1);
    return locate_segment_of(l, depth, p, s, l.first(s, depth + 1));
}

/// Segments of the lanes of a pack.
template <int Lanes>
struct segment_locations {
    segment_location lane[Lanes];
    bool inner; ///< all lanes belong to one system, and no segment contains its first or last rows

    COPPICE_LANE segment_locations(levels const& l, int depth, std::int64_t p) {
        for (int i = 0; i < Lanes; ++i) lane[i] = locate_segment(l, depth, p + i);
        system_location const& s = lane[0].block_rows;
        inner = lane[0].segment >= 0 && lane[Lanes - 1].segment >= 0 && lane[Lanes - 1].block_rows.system == s.system &&
                lane[0].begin > 0 && lane[Lanes - 1].begin + l.segment_length(depth) < s.rows - 2;
    }
};

/// Right-hand sides of the segments in the lanes of a pack: bit s of of_lane[l] for column s of lane l.
template <int Lanes>
struct flagged_columns {
    unsigned of_lane[Lanes]{};

    COPPICE_LANE bool any() const {
        unsigned all = 0;
        for (unsigned const columns : of_lane) all |= columns;
        return all != 0;
    }
    /// Whether some columns of a segment are not flagged.
    COPPICE_LANE bool leaves_some(segment_locations<Lanes> const& at) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) some = some || (at.lane[l].segment >= 0 && of_lane[l] != ~0u);
        return some;
    }
    /// Deactivates the segments in which column s is flagged (or is not, if not `flagged`); returns whether any stays
    /// active.
    COPPICE_LANE bool remove(segment_locations<Lanes>& at, int s, bool flagged) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            if ((of_lane[l] >> s & 1) == unsigned(flagged)) at.lane[l].segment = -1;
            some = some || at.lane[l].segment >= 0;
        }
        return some;
    }
};

/// Segments of the lanes of a pack, with the magnitudes of padding rows; see matrix_rows::entry.
template <int Lanes>
struct padded_locations : segment_locations<Lanes> {
    padding_sizes padding[Lanes];

    COPPICE_LANE padded_locations(levels const& l, int depth, std::int64_t p) : segment_locations<Lanes>(l, depth, p) {}
    COPPICE_LANE void divide_padding(double divisor) {
        for (padding_sizes& sizes : padding) sizes = sizes.divided_by(divisor);
    }
    /// For segments of `block_rows`, which provides these magnitudes.
    template <class BlockRows>
    COPPICE_LANE padded_locations(levels const& l, BlockRows const& block_rows, std::int64_t p)
        : padded_locations(l, block_rows.depth, p) {
        pad(l, block_rows);
    }
    template <class BlockRows>
    COPPICE_LANE void pad(levels const& l, BlockRows const& block_rows) {
        for (int i = 0; i < Lanes && !this->inner; ++i) {
            segment_location const& location = this->lane[i];
            if (location.segment >= 0 &&
                location.begin + l.segment_length(block_rows.depth) >= location.block_rows.rows)
                padding[i] = block_rows.padding(location);
        }
    }
};

} // namespace coppice::inline v0_1::chain
