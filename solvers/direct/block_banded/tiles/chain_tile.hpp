// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Block rows of the segments of one warp, staged in shared memory by coalesced copies (thesis sections 2.6.3 and
/// 2.6.11): a template over the Block of core/block.hpp, of 32 threads.
#pragma once

#include <coppice/core/block.hpp>
#include <coppice/core/element_copy.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>

namespace coppice::inline v0_1::chain {

/// A segment of the warp. Its block rows [first, last) are copied in the order of the storage; the others, at the ends
/// of its system, are computed entry by entry.
struct alignas(16) staged_segment {
    std::int64_t origin; ///< index of its first block row in the storage
    int first, last;
    segment_locations<1> at;

    COPPICE_LANE bool copied(int u) const { return first <= u && u < last; }
};

/// Computes block rows [from, to) of a segment entry by entry; padding rows divided by `divisor`. Rarely called, and
/// therefore not inlined in the kernels.
template <class T, class BlockRows, class Shape>
[[gnu::noinline]] COPPICE_HD void load_entrywise(BlockRows const& block_rows, staged_segment const& location, Shape g,
                                                 int from, int to, T* memory, int thread, double divisor = 1) {
    int const k = g.rows(), each = g.block_row_elements();
    padding_sizes padding;
    if (block_rows.needs_padding(location.at.lane[0], to))
        padding = block_rows.padding(location.at.lane[0]).divided_by(divisor);
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

/// The Tile of register_stacks. With LogPiece = 0 a whole segment is staged and stays, so that slot_rows may use the
/// same memory. Otherwise pieces of `1 << LogPiece` block rows are staged one after the other in so little memory that
/// other warps can run while one waits.
template <int LogPiece, int Segments, class T, class Block, class BlockRows, class Shape>
struct block_row_tile {
    static constexpr bool whole = LogPiece == 0;

    Block const& block;
    BlockRows const& block_rows;
    Shape g;
    staged_segment const* locations;
    T* memory;
    int pitch_;                         ///< elements between segments, if whole segments are staged
    int own;                            ///< segment of this lane
    unsigned entrywise = 0;             ///< bit q: some block rows of segment q cannot be copied
    bool at_boundary = false;           ///< whether there are such segments, or fewer than `Segments` in all
    bool row = false;                   ///< the segments are consecutive in the storage,
    int copied_from = 0, copied_to = 0; ///< and block rows [copied_from, copied_to) of all of them can be copied

    COPPICE_LANE block_row_tile(Block const& b, BlockRows const& from, Shape const& shape,
                                staged_segment const* segments, T* elements, int pitch, int mine)
        : block(b), block_rows(from), g(shape), locations(segments), memory(elements), pitch_(pitch), own(mine) {}

    /// Locates the next segments of a level, from `first` up to `end`; the remaining ones have no rows.
    COPPICE_LANE void locate(levels const& l, std::int64_t first, std::int64_t end, staged_segment* to) {
        if (int const t = block.thread(); t < Segments) {
            segment_locations<1> const at(l, block_rows.depth,
                                          first + t < end ? first + t : l.total(block_rows.depth + 1));
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
    COPPICE_LANE static constexpr int piece_pitch(Shape const& g) {
        return (g.block_row_elements() << LogPiece) | 1; // odd, so that the lanes of a warp access different banks
    }
    COPPICE_LANE int piece_block_rows() const { return whole ? g.block_rows : 1 << LogPiece; }
    COPPICE_LANE int pitch() const { return whole ? pitch_ : piece_pitch(g); }
    COPPICE_LANE T* segment(int q) const { return memory + q * pitch(); }
    COPPICE_LANE T* block_row(int u) const {
        return segment(own) + (whole ? u : u & (piece_block_rows() - 1)) * g.block_row_elements();
    }
    COPPICE_LANE bool conjugated() const { return block_rows.conjugated(); }
    /// Whether all segments are consecutive in the storage and none is at the boundary of a system.
    COPPICE_LANE bool follow() const { return row && !at_boundary; }
    /// Starts the first copies.
    COPPICE_LANE void begin() const { start(0); }
    /// Waits until the block rows of the first piece have arrived.
    COPPICE_LANE void arrive_first() const {
        finish_copies();
        block.sync();
    }
    /// Waits until block row u has arrived, for block rows after the first piece.
    COPPICE_LANE void arrive(int u) const {
        if (whole || (u & (piece_block_rows() - 1)) != 0) return;
        block.sync(); // all lanes have read the previous piece
        start(u >> LogPiece);
        arrive_first();
    }

private:
    /// Starts the copies of a piece.
    COPPICE_LANE void start(int piece) const {
        block_rows.for_each_run(g, run_copier{*this, piece});
        if (!at_boundary) return;
        int const begin = piece * piece_block_rows(), all = begin + piece_block_rows(),
                  end = all < g.block_rows ? all : g.block_rows;
        COPPICE_NO_UNROLL
        for (int q = 0; q < Segments; ++q) {
            if ((entrywise >> q & 1) == 0) continue;
            staged_segment const& location = locations[q];
            COPPICE_NO_UNROLL
            for (int end_of = 0; end_of < 2; ++end_of) { // before the copied block rows, then after them
                int const from = end_of == 0 || location.last < begin ? begin : location.last;
                int const to = end_of == 1 || location.first > end ? end : location.first;
                if (from < to)
                    load_entrywise(block_rows, location, g, from, to,
                                   segment(q) + (from - begin) * g.block_row_elements(), block.thread());
            }
        }
    }
    /// Copies `Length` elements of every block row, from[block_row pitch + e], to elements first + e step of the staged
    /// block row. If `from` is null, stores zeros.
    struct run_copier {
        block_row_tile const& tile;
        int piece;

        template <int Length>
        COPPICE_LANE void operator()(T const* from, int pitch, std::integral_constant<int, Length>, int first,
                                     int step) const {
            if (!from && piece > 0) return; // the zeros of the first piece stay
            constexpr int maximum = BlockRows::template max_block_rows<Shape>;
            if (from && pitch == Length && tile.follow()) {
                if constexpr (fills_warp<Length, maximum>())
                    if (tile.g.block_rows == maximum) return copy_row<Length, maximum>(from, first, step);
                if constexpr (fills_warp<Length, maximum / 2>())
                    if (tile.g.block_rows == maximum / 2) return copy_row<Length, maximum / 2>(from, first, step);
            }
            // Consecutive lanes copy consecutive elements, of one segment or of several.
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
        /// Copies consecutive segments of `All` block rows, which are all copied: no address is computed twice, and the
        /// compiler knows most offsets from a base.
        template <int Length, int All>
        COPPICE_LANE void copy_row(T const* from, int first, int step) const {
            constexpr int count = whole ? All : 1 << LogPiece, chunk = count * Length; // block rows of a segment
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
        /// Number of lanes that share a segment: the most for which all lanes copy the same element of different block
        /// rows.
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
        /// Copies element e of block row u of every `groups`-th segment, from segment `group` on.
        COPPICE_LANE void copy(T const* from, int pitch, int u, int e, T* to, int group, int groups) const {
            if (from && tile.row) {
                std::int64_t const block_row = tile.locations[0].origin + u * tile.block_rows.stride();
                T const* source = from + (block_row + group * tile.g.block_rows) * pitch + e;
                T* target = to + group * tile.pitch();
                int const distance = groups * tile.g.block_rows * pitch;
                if (!tile.at_boundary) {
                    COPPICE_UNROLL
                    for (int q = 0; q < Segments; q += groups) { // the last lanes may have no segment
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

} // namespace coppice::inline v0_1::chain
