// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// How many units and links each system of a batch has on each stage of the chain solver, and where they lie.
///
/// Depth 0 counts block rows, depth k + 1 the links that stretches of depth k leave. Stretches never reach from one
/// system into the next, so systems do not see each other. Systems of different sizes have their links at
/// first(s, k + 1) = first(s, k) / length + s: a layout with gaps, but one that needs no scan over the systems.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_rows.hpp>

namespace coppice::chain {

// Lengths of stretches are powers of two, so that shifts take the place of divisions.
inline constexpr int log_stretch_rows = 5; ///< M = 32: block rows of a stretch at most
inline constexpr int log_stretch_links = 4;
inline constexpr int stretch_links = 1 << log_stretch_links; ///< links of a stretch on coarser stages

struct levels {
    batch_shape batch;
    int log_length = log_stretch_rows; ///< of the block rows of a stretch, M: even

    COPPICE_HD COPPICE_ALWAYS_INLINE int length() const { return 1 << log_length; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int log_stretch(int depth) const {
        return depth == 0 ? log_length : log_stretch_links;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int stretch(int depth) const { return 1 << log_stretch(depth); }

    /// Units at `depth` of a system that has `rows` block rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t count(std::int64_t rows, int depth) const {
        for (int k = 0; k < depth; ++k) rows = up(rows, k);
        return rows;
    }
    /// Number of stretches that `units` units at `depth` are cut into.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t up(std::int64_t units, int depth) const {
        return (units + stretch(depth) - 1) >> log_stretch(depth);
    }
    /// Number of the first unit of system s, counted through all systems.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t first(std::int64_t s, int depth) const {
        if (s == 0) return 0;
        if (!batch.offsets) return s * count(batch.rows, depth);
        std::int64_t at = batch.offsets[s];
        for (int k = 0; k < depth; ++k) at = (at >> log_stretch(k)) + s;
        return at;
    }
    /// Units that storage for all systems needs, gaps included.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t total(int depth) const {
        if (!batch.offsets) return batch.systems * count(batch.rows, depth);
        std::int64_t all = batch.total;
        for (int k = 0; k < depth; ++k) all = (all >> log_stretch(k)) + batch.systems;
        return all;
    }
    /// The system that unit `at` belongs to.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t system_of(std::int64_t at, int depth) const {
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

/// A stretch on the stage that turns units of one depth into links of the next.
struct stretch_place {
    system_place units; ///< the units of its system
    std::int64_t begin; ///< its first unit, within the system
    std::int64_t link;  ///< number of the link that it becomes; -1 behind the last stretch of a system or of all
    std::int64_t next;  ///< number of the link behind it; behind the last link of a system its first
    bool exchanged;     ///< z is the y of `next` with its two blocks exchanged, see matrix_rows::entry
};

/// Stretch p of system s, whose links begin at `first`.
COPPICE_HD COPPICE_ALWAYS_INLINE stretch_place place_stretch_of(levels const& l, int depth, std::int64_t p,
                                                                std::int64_t s, std::int64_t first) {
    system_place place = l.batch.system(s);
    std::int64_t const rows = place.rows, q = p - first, units = l.count(rows, depth);
    if (depth > 0) place = {s, l.first(s, depth), 1, units};
    std::int64_t const links = l.up(units, depth);
    bool const last = q + 1 >= links;
    return {place, q << l.log_stretch(depth), q < links ? p : -1, last ? first : p + 1, last && rows % 2 == 1};
}
COPPICE_HD COPPICE_ALWAYS_INLINE stretch_place place_stretch(levels const& l, int depth, std::int64_t p) {
    if (l.batch.systems == 1 && !l.batch.offsets) { // without the divisions of a batch
        stretch_place const place = place_stretch_of(l, depth, p, 0, 0);
        return place.link >= 0 ? place : stretch_place{{0, 0, 1, 0}, 0, -1, 0, false};
    }
    if (p >= l.total(depth + 1)) return {{0, 0, 1, 0}, 0, -1, 0, false};
    std::int64_t const s = l.system_of(p, depth + 1);
    return place_stretch_of(l, depth, p, s, l.first(s, depth + 1));
}

/// The stretches of the lanes of a pack.
template <int Lanes>
struct stretch_places {
    stretch_place lane[Lanes];
    bool inner; ///< all lanes are in one system, and none reaches its first or last rows

    COPPICE_HD COPPICE_ALWAYS_INLINE stretch_places(levels const& l, int depth, std::int64_t p) {
        for (int i = 0; i < Lanes; ++i) lane[i] = place_stretch(l, depth, p + i);
        system_place const& s = lane[0].units;
        inner = lane[0].link >= 0 && lane[Lanes - 1].link >= 0 && lane[Lanes - 1].units.system == s.system &&
                lane[0].begin > 0 && lane[Lanes - 1].begin + l.stretch(depth) < s.rows - 2;
    }
};

/// The same with the sizes of entries in rows that fill up a stretch behind the last row of its system; see
/// matrix_rows::entry.
template <int Lanes>
struct filled_places : stretch_places<Lanes> {
    filling_sizes filling[Lanes];

    COPPICE_HD COPPICE_ALWAYS_INLINE filled_places(levels const& l, int depth, std::int64_t p)
        : stretch_places<Lanes>(l, depth, p) {}
    /// Of stretches of `units`, which know these sizes.
    template <class Units>
    COPPICE_HD COPPICE_ALWAYS_INLINE filled_places(levels const& l, Units const& units, std::int64_t p)
        : stretch_places<Lanes>(l, units.depth, p) {
        for (int i = 0; i < Lanes && !this->inner; ++i) {
            stretch_place const& place = this->lane[i];
            if (place.link >= 0 && place.begin + l.stretch(units.depth) >= place.units.rows)
                filling[i] = units.filling(place);
        }
    }
    template <class Units>
    COPPICE_HD filled_places(stretch_places<Lanes> const& at, Units const& units) : stretch_places<Lanes>(at) {
        for (int i = 0; i < Lanes; ++i)
            if (this->lane[i].link >= 0) filling[i] = units.filling(this->lane[i]);
    }
};

} // namespace coppice::chain
