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
struct alignas(16) staged_segment {
    std::int64_t origin; ///< index of its first unit in the storage
    int first, last;
    segment_locations<1> at;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool copied(int u) const { return first <= u && u < last; }
};

/// Units [from, to) of a stretch, entry by entry. Rare, and so kept out of the kernels' way.
template <class T, class BlockRows, class Shape>
[[gnu::noinline]] COPPICE_HD void load_entrywise(BlockRows const& block_rows, staged_segment const& location, Shape g, int from, int to,
                                             T* memory, int thread) {
    int const k = g.rows(), each = g.block_row_elements();
    padding_sizes padding;
    if (block_rows.needs_padding(location.at.lane[0], to)) padding = block_rows.padding(location.at.lane[0]);
    for (int i = thread; i < (to - from) * each; i += warp_lanes) {
        int const u = i / each, e = i - u * each, column = e / k, r = e - column * k;
        if (column < g.rhs_count) {
            memory[i] = block_rows.rhs_of(location.at.lane[0], from + u, r, column);
        } else {
            T const entry = block_rows.entry_of(location.at.lane[0], from + u, r, column - g.rhs_count, padding);
            memory[i] = block_rows.conjugated() ? conjugate(entry) : entry;
        }
    }
}

/// The Tile of the stacks in registers. Either all of a stretch is staged at once and stays, so that slot_rows may lie
/// over it; or, with a `LogPiece`, pieces of `1 << LogPiece` units take turns in a place so small that other warps have
/// work while one waits.
template <int LogPiece, int Segments, class T, class Block, class BlockRows, class Shape>
struct block_row_tile {
    static constexpr bool whole = LogPiece == 0;

    Block const& block;
    BlockRows const& block_rows;
    Shape g;
    staged_segment const* locations;
    T* memory;
    int pitch_;                         ///< elements between stretches, where all of a stretch is staged
    int own;                            ///< the stretch of this lane
    unsigned entrywise = 0;                ///< bit q: some units of stretch q cannot be copied
    bool at_boundary = false;               ///< there are such, or stretches that are none
    bool row = false;                   ///< the stretches follow each other in the storage,
    int copied_from = 0, copied_to = 0; ///< and units [copied_from, copied_to) of all of them together can be copied

    COPPICE_HD COPPICE_ALWAYS_INLINE block_row_tile(Block const& b, BlockRows const& from, Shape const& shape,
                                               staged_segment const* segments, T* elements, int pitch, int mine)
        : block(b), block_rows(from), g(shape), locations(segments), memory(elements), pitch_(pitch), own(mine) {}

    /// Takes the next stretches of a stage, from `first` up to `end`; what is behind that has no rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE void locate(levels const& l, std::int64_t first, std::int64_t end,
                                                staged_segment* to) {
        if (int const t = block.thread(); t < Segments) {
            segment_locations<1> const at(l, block_rows.depth, first + t < end ? first + t : l.total(block_rows.depth + 1));
            segment_location const& s = at.lane[0];
            block_row_range const plain = block_rows.plain(s, g.block_rows);
            to[t] = {block_rows.origin(s), plain.first, plain.last, at};
            at_boundary = plain.first > 0 || plain.last < g.block_rows;
        }
        entrywise = block.ballot(at_boundary && to[block.thread()].at.lane[0].segment >= 0);
        at_boundary = block.sync_any(at_boundary);
        row = l.batch.systems == 1 && g.block_rows % piece_block_rows() == 0;
        if (!row || !at_boundary) return;
        segment_location const& s = to[0].at.lane[0];
        std::int64_t const left = s.segment < 0 ? 0 : block_rows.plain_end(s) - block_rows.first_of(s);
        copied_from = s.begin == 0 ? block_rows.plain_begin() : 0;
        copied_to = left < Segments * g.block_rows ? int(left) : Segments * g.block_rows;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int piece_pitch(Shape const& g) {
        return (g.block_row_elements() << LogPiece) | 1; // odd, so that the lanes of a warp meet different banks
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE int piece_block_rows() const { return whole ? g.block_rows : 1 << LogPiece; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int pitch() const { return whole ? pitch_ : piece_pitch(g); }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* segment(int q) const { return memory + q * pitch(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE T* block_row(int u) const {
        return segment(own) + (whole ? u : u & (piece_block_rows() - 1)) * g.block_row_elements();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool conjugated() const { return block_rows.conjugated(); }
    /// Whether all stretches follow each other in the storage and none is at a border.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool follow() const { return row && !at_boundary; }
    /// Starts the first copies.
    COPPICE_HD COPPICE_ALWAYS_INLINE void begin() const { start(0); }
    /// Before the first unit is looked at: those of the first piece are there.
    COPPICE_HD COPPICE_ALWAYS_INLINE void arrive_first() const {
        finish_copies();
        block.sync();
    }
    /// Before unit u is looked at, of those behind the first piece.
    COPPICE_HD COPPICE_ALWAYS_INLINE void arrive(int u) const {
        if (whole || (u & (piece_block_rows() - 1)) != 0) return;
        block.sync(); // all lanes are done with the piece before
        start(u >> LogPiece);
        arrive_first();
    }

private:
    /// Starts the copies of a piece.
    COPPICE_HD COPPICE_ALWAYS_INLINE void start(int piece) const {
        block_rows.for_each_run(g, run_copier{*this, piece});
        if (!at_boundary) return;
        int const begin = piece * piece_block_rows(), all = begin + piece_block_rows(), end = all < g.block_rows ? all : g.block_rows;
        COPPICE_NO_UNROLL
        for (int q = 0; q < Segments; ++q) {
            if ((entrywise >> q & 1) == 0) continue;
            staged_segment const& location = locations[q];
            COPPICE_NO_UNROLL
            for (int rhs_index = 0; rhs_index < 2; ++rhs_index) { // before what is copied, and behind
                int const from = rhs_index == 0 || location.last < begin ? begin : location.last;
                int const to = rhs_index == 1 || location.first > end ? end : location.first;
                if (from < to)
                    load_entrywise(block_rows, location, g, from, to, segment(q) + (from - begin) * g.block_row_elements(),
                               block.thread());
            }
        }
    }
    /// Copies `Length` elements of every unit, from[unit pitch + e], to places first + e step of the unit. `from` may
    /// be null: zeros.
    struct run_copier {
        block_row_tile const& tile;
        int piece;

        template <int Length>
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(T const* from, int pitch, std::integral_constant<int, Length>,
                                                         int first, int step) const {
            if (!from && piece > 0) return; // they stay
            constexpr int maximum = BlockRows::template max_block_rows<Shape>;
            if (from && pitch == Length && tile.follow()) {
                if constexpr (fills_warp<Length, maximum>())
                    if (tile.g.block_rows == maximum) return copy_row<Length, maximum>(from, first, step);
                if constexpr (fills_warp<Length, maximum / 2>())
                    if (tile.g.block_rows == maximum / 2) return copy_row<Length, maximum / 2>(from, first, step);
            }
            // Lanes side by side copy what lies side by side, of one stretch or of several.
            int const chunk = Length * tile.piece_block_rows();
            int const each = whole || chunk > warp_lanes ? warp_lanes : chunk, groups = warp_lanes / each;
            int const thread = tile.block.thread(), group = thread / each;
            if (group >= groups) return;
            COPPICE_NO_UNROLL
            for (int i = thread - group * each; i < chunk; i += each) {
                int const u = i / Length, e = i - u * Length, at = first + e * step;
                T* const to = tile.segment(0) + (u * tile.g.block_row_elements() + at);
                copy(from, pitch, piece * tile.piece_block_rows() + u, e, to, group, groups);
            }
        }
        /// The same for stretches of `All` units that follow each other, all of them to be copied: no address is
        /// computed twice, and most are known to the compiler but for a base.
        template <int Length, int All>
        COPPICE_HD COPPICE_ALWAYS_INLINE void copy_row(T const* from, int first, int step) const {
            constexpr int count = whole ? All : 1 << LogPiece, chunk = count * Length; // units of a stretch
            constexpr int each = lanes_for<Length, All>(), groups = warp_lanes / each, distance = each / Length;
            int const thread = tile.block.thread(), group = thread / each, i = thread % each, u = i / Length;
            int const e = i - u * Length, pitch = tile.pitch();
            if (each * groups < warp_lanes && group >= groups) return;
            T const* source = from + (tile.locations[0].origin + piece * count + group * All) * Length + i;
            T* target = tile.segment(group) + (u * tile.g.block_row_elements() + first + e * step);
            COPPICE_UNROLL_FOUR
            for (int q = 0; q < Segments; q += groups) {
                if (Segments % groups == 0 || q + group < Segments) {
                    COPPICE_UNROLL
                    for (int h = 0; h < chunk / each; ++h)
                        start_copy(target + h * distance * tile.g.block_row_elements(), source + h * each);
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
                std::int64_t const block_row = tile.locations[0].origin + u * tile.block_rows.stride();
                T const* source = from + (block_row + group * tile.g.block_rows) * pitch + e;
                T* target = to + group * tile.pitch();
                int const distance = groups * tile.g.block_rows * pitch;
                if (!tile.at_boundary) {
                    COPPICE_UNROLL
                    for (int q = 0; q < Segments; q += groups) { // stretches of lanes at the end may be none
                        if (Segments % groups == 0 || q + group < Segments) start_copy(target, source);
                        target += groups * tile.pitch();
                        source += distance;
                    }
                    return;
                }
                int at = u + group * tile.g.block_rows;
                COPPICE_UNROLL_FOUR
                for (int q = group; q < Segments; q += groups) {
                    if (tile.copied_from <= at && at < tile.copied_to) start_copy(target, source);
                    target += groups * tile.pitch();
                    source += distance;
                    at += groups * tile.g.block_rows;
                }
                return;
            }
            T const* const source = from ? from + u * tile.block_rows.stride() * pitch + e : nullptr;
            COPPICE_UNROLL_FOUR
            for (int q = group; q < Segments; q += groups) {
                staged_segment const& location = tile.locations[q];
                if (!location.copied(u)) continue;
                if (source)
                    start_copy(to + q * tile.pitch(), source + location.origin * pitch);
                else
                    to[q * tile.pitch()] = T(0);
            }
        }
    };
};

} // namespace coppice::chain
