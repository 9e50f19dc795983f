// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Units of the stretches of one warp, staged in shared memory by coalesced copies (thesis sections 2.6.3 and
/// 2.6.11): a template over the Block of core/block.hpp, of 32 threads.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::chain {

/// A stretch of the warp. Its units [first, last) are copied as they stand in memory; the others, at the ends of its
/// system, are asked for entry by entry.
struct alignas(16) staged_stretch {
    std::int64_t origin; ///< index of its first unit in the storage
    int first, last;
    stretch_places<1> at;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool copied(int u) const { return first <= u && u < last; }
};

/// Units [from, to) of a stretch, entry by entry. Rare, and so kept out of the kernels' way.
template <class T, class Units, class Shape>
[[gnu::noinline]] COPPICE_HD void fill_units(Units const& units, staged_stretch const& place, Shape g, int from, int to,
                                             T* memory, int thread) {
    int const k = g.rows(), each = g.unit_elements();
    filling_sizes filling;
    if (units.fills(place.at.lane[0], to)) filling = units.filling(place.at.lane[0]);
    for (int i = thread; i < (to - from) * each; i += warp_lanes) {
        int const u = i / each, e = i - u * each, column = e / k, r = e - column * k;
        if (column < g.sides) {
            memory[i] = units.side_of(place.at.lane[0], from + u, r, column);
        } else {
            T const entry = units.entry_of(place.at.lane[0], from + u, r, column - g.sides, filling);
            memory[i] = units.conjugated() ? conjugate(entry) : entry;
        }
    }
}

/// The Tile of the stacks in registers. Either all of a stretch is staged at once and stays, so that slot_rows may lie
/// over it; or, with a `LogPiece`, pieces of `1 << LogPiece` units take turns in a place so small that other warps have
/// work while one waits.
template <int LogPiece, int Stretches, class T, class Block, class Units, class Shape>
struct unit_tile {
    static constexpr bool whole = LogPiece == 0;

    Block const& block;
    Units const& units;
    Shape g;
    staged_stretch const* places;
    T* memory;
    int pitch_;                         ///< elements between stretches, where all of a stretch is staged
    int own;                            ///< the stretch of this lane
    unsigned filled = 0;                ///< bit q: some units of stretch q cannot be copied
    bool borders = false;               ///< there are such, or stretches that are none
    bool row = false;                   ///< the stretches follow each other in the storage,
    int copied_from = 0, copied_to = 0; ///< and units [copied_from, copied_to) of all of them together can be copied

    COPPICE_HD COPPICE_ALWAYS_INLINE unit_tile(Block const& b, Units const& from, Shape const& shape,
                                               staged_stretch const* stretches, T* elements, int pitch, int mine)
        : block(b), units(from), g(shape), places(stretches), memory(elements), pitch_(pitch), own(mine) {}

    /// Takes the next stretches of a stage, from `first` up to `end`; what is behind that has no rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE void place(levels const& l, std::int64_t first, std::int64_t end,
                                                staged_stretch* to) {
        if (int const t = block.thread(); t < Stretches) {
            stretch_places<1> const at(l, units.depth, first + t < end ? first + t : l.total(units.depth + 1));
            stretch_place const& s = at.lane[0];
            unit_range const plain = units.plain(s, g.units);
            to[t] = {units.origin(s), plain.first, plain.last, at};
            borders = plain.first > 0 || plain.last < g.units;
        }
        filled = block.ballot(borders && to[block.thread()].at.lane[0].link >= 0);
        borders = block.sync_any(borders);
        row = l.batch.systems == 1 && g.units % piece_units() == 0;
        if (!row || !borders) return;
        stretch_place const& s = to[0].at.lane[0];
        std::int64_t const left = s.link < 0 ? 0 : units.plain_end(s) - units.first_of(s);
        copied_from = s.begin == 0 ? units.plain_begin() : 0;
        copied_to = left < Stretches * g.units ? int(left) : Stretches * g.units;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int piece_pitch(Shape const& g) {
        return (g.unit_elements() << LogPiece) | 1; // odd, so that the lanes of a warp meet different banks
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int piece_units() const { return whole ? g.units : 1 << LogPiece; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int pitch() const { return whole ? pitch_ : piece_pitch(g); }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* stretch(int q) const { return memory + q * pitch(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* unit(int u) const {
        return stretch(own) + (whole ? u : u & (piece_units() - 1)) * g.unit_elements();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool conjugated() const { return units.conjugated(); }
    /// Whether all stretches follow each other in the storage and none is at a border.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool follow() const { return row && !borders; }
    /// Starts the first copies.
    COPPICE_HD COPPICE_ALWAYS_INLINE void begin() const { start(0); }
    /// Before the first unit is looked at: those of the first piece are there.
    COPPICE_HD COPPICE_ALWAYS_INLINE void arrive_first() const {
        finish_copies();
        block.sync();
    }
    /// Before unit u is looked at, of those behind the first piece.
    COPPICE_HD COPPICE_ALWAYS_INLINE void arrive(int u) const {
        if (whole || (u & (piece_units() - 1)) != 0) return;
        block.sync(); // all lanes are done with the piece before
        start(u >> LogPiece);
        arrive_first();
    }

private:
    /// Starts the copies of a piece.
    COPPICE_HD COPPICE_ALWAYS_INLINE void start(int piece) const {
        units.for_each_run(g, run_copier{*this, piece});
        if (!borders) return;
        int const begin = piece * piece_units(), all = begin + piece_units(), end = all < g.units ? all : g.units;
        COPPICE_NO_UNROLL
        for (int q = 0; q < Stretches; ++q) {
            if ((filled >> q & 1) == 0) continue;
            staged_stretch const& place = places[q];
            COPPICE_NO_UNROLL
            for (int side = 0; side < 2; ++side) { // before what is copied, and behind
                int const from = side == 0 || place.last < begin ? begin : place.last;
                int const to = side == 1 || place.first > end ? end : place.first;
                if (from < to)
                    fill_units(units, place, g, from, to, stretch(q) + (from - begin) * g.unit_elements(),
                               block.thread());
            }
        }
    }
    /// Copies `Length` elements of every unit, from[unit pitch + e], to places first + e step of the unit. `from` may
    /// be null: zeros.
    struct run_copier {
        unit_tile const& tile;
        int piece;

        template <int Length>
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(T const* from, int pitch, std::integral_constant<int, Length>,
                                                         int first, int step) const {
            if (!from && piece > 0) return; // they stay
            constexpr int most = Units::template most_units<Shape>;
            if (from && pitch == Length && tile.follow()) {
                if constexpr (fills_warp<Length, most>())
                    if (tile.g.units == most) return copy_row<Length, most>(from, first, step);
                if constexpr (fills_warp<Length, most / 2>())
                    if (tile.g.units == most / 2) return copy_row<Length, most / 2>(from, first, step);
            }
            // Lanes side by side copy what lies side by side, of one stretch or of several.
            int const chunk = Length * tile.piece_units();
            int const each = whole || chunk > warp_lanes ? warp_lanes : chunk, groups = warp_lanes / each;
            int const thread = tile.block.thread(), group = thread / each;
            if (group >= groups) return;
            COPPICE_NO_UNROLL
            for (int i = thread - group * each; i < chunk; i += each) {
                int const u = i / Length, e = i - u * Length, at = first + e * step;
                T* const to = tile.stretch(0) + (u * tile.g.unit_elements() + at);
                copy(from, pitch, piece * tile.piece_units() + u, e, to, group, groups);
            }
        }
        /// The same for stretches of `All` units that follow each other, all of them to be copied: no address is
        /// computed twice, and most are known to the compiler but for a base.
        template <int Length, int All>
        COPPICE_HD COPPICE_ALWAYS_INLINE void copy_row(T const* from, int first, int step) const {
            constexpr int count = whole ? All : 1 << LogPiece, chunk = count * Length; // units of a stretch
            constexpr int each = lanes_for<Length, All>(), groups = warp_lanes / each, apart = each / Length;
            int const thread = tile.block.thread(), group = thread / each, i = thread % each, u = i / Length;
            int const e = i - u * Length, pitch = tile.pitch();
            if (each * groups < warp_lanes && group >= groups) return;
            T const* source = from + (tile.places[0].origin + piece * count + group * All) * Length + i;
            T* target = tile.stretch(group) + (u * tile.g.unit_elements() + first + e * step);
            COPPICE_UNROLL_FOUR
            for (int q = 0; q < Stretches; q += groups) {
                if (Stretches % groups == 0 || q + group < Stretches) {
                    COPPICE_UNROLL
                    for (int h = 0; h < chunk / each; ++h)
                        start_copy(target + h * apart * tile.g.unit_elements(), source + h * each);
                }
                source += groups * All * Length;
                target += groups * pitch;
            }
        }
        /// Lanes that share a stretch there: the most that have the same part of as many units.
        template <int Length, int All>
        static constexpr int lanes_for() {
            int const chunk = (whole ? All : 1 << LogPiece) * Length;
            int each = warp_lanes;
            while (each > 1 && (chunk % each != 0 || each % Length != 0)) --each;
            return each;
        }
        template <int Length, int All>
        static constexpr bool fills_warp() {
            int const each = lanes_for<Length, All>();
            return (whole || All % (1 << LogPiece) == 0) && each % Length == 0 &&
                   warp_lanes / each * each >= 3 * warp_lanes / 4;
        }
        /// Element e of unit u of every stretch, every `groups`th from `group` on.
        COPPICE_HD COPPICE_ALWAYS_INLINE void copy(T const* from, int pitch, int u, int e, T* to, int group,
                                                   int groups) const {
            if (from && tile.row) {
                std::int64_t const unit = tile.places[0].origin + u * tile.units.stride();
                T const* source = from + (unit + group * tile.g.units) * pitch + e;
                T* target = to + group * tile.pitch();
                int const apart = groups * tile.g.units * pitch;
                if (!tile.borders) {
                    COPPICE_UNROLL
                    for (int q = 0; q < Stretches; q += groups) { // stretches of lanes at the end may be none
                        if (Stretches % groups == 0 || q + group < Stretches) start_copy(target, source);
                        target += groups * tile.pitch();
                        source += apart;
                    }
                    return;
                }
                int at = u + group * tile.g.units;
                COPPICE_UNROLL_FOUR
                for (int q = group; q < Stretches; q += groups) {
                    if (tile.copied_from <= at && at < tile.copied_to) start_copy(target, source);
                    target += groups * tile.pitch();
                    source += apart;
                    at += groups * tile.g.units;
                }
                return;
            }
            T const* const source = from ? from + u * tile.units.stride() * pitch + e : nullptr;
            COPPICE_UNROLL_FOUR
            for (int q = group; q < Stretches; q += groups) {
                staged_stretch const& place = tile.places[q];
                if (!place.copied(u)) continue;
                if (source)
                    start_copy(to + q * tile.pitch(), source + place.origin * pitch);
                else
                    to[q * tile.pitch()] = T(0);
            }
        }
    };
};

} // namespace coppice::chain
