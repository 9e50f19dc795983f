// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver in one warp of a GPU: stretches staged in shared memory, their rows in registers. Bodies of
/// kernels, templates over the Block of core/block.hpp, of 32 threads, so that tests run them on CPU threads.
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include <coppice/solvers/direct/block_banded/chain_bands.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_front.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tile.hpp>

namespace coppice::chain {

/// `Lanes` lanes of a warp. Where Lanes does not divide 32, the lanes that are left over are idle: they go along with
/// the last team and store nothing.
template <class Block, int Lanes>
struct tile_team {
    static constexpr int stretches = warp_lanes / Lanes;

    Block const& block;
    int stretch, lane;
    bool idle;

    COPPICE_HD COPPICE_ALWAYS_INLINE explicit tile_team(Block const& b)
        : block(b), stretch(b.thread() / Lanes), lane(b.thread() % Lanes), idle(stretch >= stretches) {
        if (idle) stretch = stretches - 1;
    }
    /// Number of the lane in the team; Lanes or more for an idle lane.
    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return idle ? lane + Lanes : lane; }
    COPPICE_HD COPPICE_ALWAYS_INLINE int place() const { return lane; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int size() { return Lanes; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync() const { block.sync(); }
    template <class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE T from(T const& value, int lane_of_team) const {
        if constexpr (Lanes == 1)
            return value;
        else
            return block.from_lane(value, stretch * Lanes + lane_of_team);
    }
};

/// A whole warp as one team.
template <class Block>
struct warp_team {
    Block const& block;
    COPPICE_HD COPPICE_ALWAYS_INLINE int rank() const { return block.thread(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int size() { return warp_lanes; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void sync() const { block.sync(); }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool any(bool condition) const { return block.ballot(condition) != 0; }
};

/// Whether one of the `lanes` lanes of stretch q has its bit in `ballot`.
COPPICE_HD COPPICE_ALWAYS_INLINE bool any_of_stretch(unsigned ballot, int lanes, int q) {
    unsigned const each = lanes == warp_lanes ? ~0u : (1u << lanes) - 1;
    return (ballot >> q * lanes & each) != 0;
}

/// Stores the solution of a stretch, by the lanes of a warp. The right-hand sides of the slots hold it from the last K
/// unknowns of y on. Of a matrix the second half of y, the block first in the stretch, is part of the solution, though
/// K may be less than that block; the first half of y belongs to the stretch before.
template <class T, class Units, class Shape>
COPPICE_HD COPPICE_ALWAYS_INLINE void store_slots(Units const& units, stretch_place const& at,
                                                  slot_rows<T, Shape> const& from, int thread) {
    Shape const& g = from.g;
    int const k = g.rows(), w = g.width(), in_y = w / 2 - k;
    solution_run<T> const to = units.solution(at, g.units, 0);
    for (int i = thread; i < to.rows; i += warp_lanes)
        to.at[i / k * to.stride + i % k] =
            i < in_y ? from.y(w / 2 + i, 0) : from.side((i - in_y) / k, (i - in_y) % k, 0);
}

/// Units of a stretch that were staged in memory in the places of slot_rows; memory_stacks loads units from here.
template <class T, int K, int W>
struct staged_units {
    slot_rows<T, unit_shape<known_size<K, W>>> from;
    bool conjugated; ///< as in staged_unit

    template <class Team, class Shape>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(Team const& team, Shape const&, filled_places<1> const&, int u,
                                               stack_view<T> const& to) const {
        staged_unit<T, K> const unit{&from.side(u, 0, 0), conjugated};
        for (int i = team.rank(); i < K * (W + K + 1); i += team.size()) {
            int const c = i / K, r = i - c * K;
            if (c < W + K)
                to(W + r, c) = unit.entry(r, c);
            else
                to(W + r, c + to.left) = unit.side(r);
        }
    }
};

/// Eliminates stretches by reflections, one warp a stretch. The whole device may wait for one such stretch, a chain of
/// dependent steps; so all lanes stage its units first, and every size is known to the compiler.
template <class T, class Units, int K, int W, class Block>
struct reflected_stretches {
    using real = real_lane_t<T>;
    using shape = unit_shape<known_size<K, W>>;

    Block const& block;
    stage<T, Units> const& s;
    shape const g;
    T* const memory; ///< elements() of it
    warp_team<Block> const team;

    COPPICE_HD COPPICE_ALWAYS_INLINE reflected_stretches(Block const& b, stage<T, Units> const& of, T* elements)
        : block(b), s(of), g{{}, of.shape.units, 1}, memory(elements), team{b} {}
    reflected_stretches(reflected_stretches const&) = delete; // parts of it refer to each other

    /// Elements of memory: two stacks and the slots.
    template <class Size>
    static std::int64_t elements(unit_shape<Size> const& of) {
        return stack_elements(of) + of.slot_elements() + W;
    }

    /// Looks again at stretch p, whose link was marked as grown, and eliminates it by reflections where it has.
    COPPICE_HD COPPICE_ALWAYS_INLINE void reduce(std::int64_t p) const {
        filled_places<1> const at(s.all, s.units, p);
        stretch_place const& place = at.lane[0];
        auto const units = stage_units(at);
        largest_magnitude<T> of_link;
        for (int i = team.rank(); i < 2 * W * W; i += warp_lanes)
            of_link.look_at(s.links.entry(place.link, i % W, i / W));
        real const largest = largest_of_team(team, of_link.value(), memory);
        link_size<real> size = s.size_before(place, largest_of_rows(place, units));
        size.reflected = size.reflected || has_grown(largest, size.size, W);
        if (team.rank() == 0) s.links.sizes[place.link] = size.mark();
        if (!size.reflected) return;
        real tolerance = size.tolerance();
        if (s.how.flush) tolerance = larger(tolerance, s.how.threshold);
        reflecting_stacks stacks(memory_stacks(team, units, g, at, memory, W, static_cast<T const*>(nullptr), s.how),
                                 tolerance);
        reduce_stretch(stacks, g, at, s.links, pivot_teller<Units, 1>{{}, s.units, at});
        team.sync();
    }
    /// Solves stretch p, which became a link by reflections.
    COPPICE_HD COPPICE_ALWAYS_INLINE void substitute(std::int64_t p) const {
        filled_places<1> const at(s.all, s.units, p);
        auto const units = stage_units(at);
        slot_rows<T, shape> const& slots = units.from;
        link_boundary<T> const boundary{s.links};
        take_left(team, g, at, slots, boundary);
        reflecting_stacks stacks(
            memory_stacks(team, units, g, at, memory, 0, static_cast<T const*>(slots.known()), s.how), real(0));
        substitute_stretch(team, stacks, g, at, slots, boundary, silent_teller{});
        store_slots(s.units, at.lane[0], slots, team.rank());
        team.sync();
    }

private:
    /// Elements of two stacks, which are also room for a value of each lane.
    template <class Size>
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr std::int64_t stack_elements(unit_shape<Size> const& of) {
        std::int64_t const stacks = 2 * aligned_elements<T>(of.pitch() * of.reduce_columns());
        return stacks < warp_lanes ? warp_lanes : stacks;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE staged_units<T, K, W> stage_units(filled_places<1> const& at) const {
        slot_rows<T, shape> const slots{memory + stack_elements(g), g};
        fill_units(s.units, staged_stretch{0, 0, 0, at}, g, 0, g.units, slots.at, team.rank());
        team.sync();
        return {slots, s.units.conjugated()};
    }
    /// The largest entry of the units that are rows of the matrix, not rows that fill up the stretch.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_of_rows(stretch_place const& place,
                                                          staged_units<T, K, W> const& units) const {
        int const rows = s.units.solution(place, g.units, 0).rows;
        real largest(0);
        for (int i = team.rank(); i < rows; i += warp_lanes) {
            COPPICE_UNROLL
            for (int c = 0; c < W + K; ++c) largest = larger(largest, magnitude(units.from.entry(i / K, i % K, c)));
        }
        return largest_of_team(team, largest, memory);
    }
};

/// Eliminates those stretches of a tile by reflections, one after the other, that have a lane in `marked`: `lanes`
/// lanes a stretch, from stretch `first` on. In a reduction their links have grown; in a substitution the tile has
/// stored what it has solved but these, as x may be d and they read d once more. A call, so that the tile keeps its
/// registers.
template <bool Left, int K, int W, class T, class Units, class Block>
[[gnu::noinline]] COPPICE_HD void reflect_marked(Block const& block, stage<T, Units> const& s, std::int64_t first,
                                                 unsigned marked, int lanes, T* memory) {
    block.sync(); // all have looked at what is in memory
    reflected_stretches<T, Units, K, W, Block> const again(block, s, memory);
    COPPICE_NO_UNROLL
    for (int q = 0; q < warp_lanes / lanes; ++q) {
        if (!any_of_stretch(marked, lanes, q)) continue;
        if constexpr (Left)
            again.reduce(first + q);
        else
            again.substitute(first + q);
    }
}

/// How the stretches of a warp lie in shared memory.
struct tile_plan {
    int pitch; ///< elements between stretches
    int bytes;
};

/// Sizes of the tiles of a stage of rows: one right-hand side, units of K rows and K + W columns. `Left`: of a
/// reduction.
template <class T, class Units, int K, int W, bool Left>
struct tile_sizes {
    using shape = unit_shape<known_size<K, W>>;
    /// Lanes of a stretch: one lane if the window fits into its registers and if, in a substitution, the slots of 32
    /// stretches fit into a fair share of the shared memory; else the fewest that divide K for which both hold.
    static constexpr int fewest_lanes() {
        constexpr int words = (K + W) * (K + W + (Left ? W : 0) + 1) * int(sizeof(T)) / 4;
        constexpr int most = Left ? 150 : 40;
        int count = 1;
        while (count < K && (K % count != 0 || words > most * count)) ++count;
        return count;
    }
    static constexpr int lanes = fewest_lanes();
    static constexpr int stretches = warp_lanes / lanes;

    /// A reduction stages a stretch piece by piece; the first piece has all units that reach into y. In a piece
    /// a band is a run of at least 64 bytes, which the memory delivers at once. Blocks, of which one alone is 16 bytes
    /// or more, take runs of 32 bytes.
    static constexpr int shortest_piece() {
        constexpr int run_bytes = K == 1 ? 64 : 32;
        int log = 1;
        while ((K << log) * int(sizeof(T)) < run_bytes || K << log < W) ++log;
        return log;
    }
    static constexpr int log_piece = Left ? shortest_piece() : 0;

    template <class Block>
    using tile = unit_tile<log_piece, stretches, T, Block, Units, shape>;

    static tile_plan plan(int units) {
        shape const g{{}, units, 1};
        int const pitch = Left ? tile<int>::piece_pitch(g) : int(g.slot_elements() + W) | 1;
        int const bytes = stretches * int(sizeof(staged_stretch)) + stretches * pitch * int(sizeof(T));
        int const again = int(reflected_stretches<T, Units, K, W, int>::elements(g) * sizeof(T));
        return {pitch, (std::max(bytes, again) + 15) / 16 * 16};
    }
};

/// One warp that reduces or substitutes the stretches [first, end) of a stage.
template <class T, class Units, int K, int W, bool Left, class Block>
struct warp_tile {
    using real = real_lane_t<T>;
    using sizes = tile_sizes<T, Units, K, W, Left>;
    using shape = typename sizes::shape;
    using team_type = tile_team<Block, sizes::lanes>;
    using tile_type = typename sizes::template tile<Block>;
    /// Scalar rows stay where they are; rows of blocks move up together. So do scalar rows that would spill more where
    /// they stay (double, four bands on a side, 2^22 rows: 1077 instead of 978 us).
    static constexpr bool rows_stay = K == 1 && (!Left || W * int(sizeof(T)) < 64);
    using stacks_type = std::conditional_t<rows_stay, band_rows_window<T, W / 2, Left, team_type, tile_type>,
                                           register_stacks<T, K, W, sizes::lanes, Left, team_type, tile_type>>;

    Block const& block;
    stage<T, Units> const& s;
    shape const g;
    team_type const team;
    staged_stretch* const places;
    std::int64_t const first, end;
    tile_type tile;

    COPPICE_HD COPPICE_ALWAYS_INLINE warp_tile(Block const& b, stage<T, Units> const& of, std::int64_t begin,
                                               std::int64_t behind, tile_plan const& plan, unsigned char* shared)
        : block(b), s(of), g{{}, of.shape.units, 1}, team(b), places(reinterpret_cast<staged_stretch*>(shared)),
          first(begin), end(behind),
          tile(b, of.units, g, places, reinterpret_cast<T*>(places + sizes::stretches), plan.pitch, team.stretch) {}
    warp_tile(warp_tile const&) = delete; // parts of it refer to each other

    COPPICE_HD COPPICE_ALWAYS_INLINE void run() {
        if constexpr (Left)
            reduce();
        else
            substitute();
    }

private:
    COPPICE_HD COPPICE_ALWAYS_INLINE void start() {
        tile.place(s.all, first, end, places);
        tile.begin();
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void reduce() {
        start();
        stretch_places<1> const& at = places[team.stretch].at;
        pivot_teller<Units, 1> const teller{{}, s.units, at};
        tile.arrive_first();
        stacks_type stacks(team, tile, nullptr, s.how);
        reduce_stretch(stacks, g, at, s.links, teller);
        again(mark(at.lane[0], stacks.largest_seen(), stacks.largest_left()));
    }
    /// Stores the link_size of the link that a stretch became, with a mark where the link has grown: `of_rows` is the
    /// size of the rows, `largest` the largest entry of the link in this lane's columns. Returns which lanes have seen
    /// growth.
    COPPICE_HD COPPICE_ALWAYS_INLINE unsigned mark(stretch_place const& place, real of_rows, real largest) const {
        bool const none = team.idle || place.link < 0;
        link_size<real> const size = none ? link_size<real>(0, false) : s.size_before(place, of_rows);
        unsigned const grown = block.ballot(!none && (size.reflected || has_grown(largest, size.size, W)));
        if (!none && team.rank() == 0)
            s.links.sizes[place.link] =
                link_size<real>(size.size, any_of_stretch(grown, sizes::lanes, team.stretch)).mark();
        return grown;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void again(unsigned marked) const {
        if (marked != 0)
            reflect_marked<Left, K, W>(block, s, first, marked, sizes::lanes, reinterpret_cast<T*>(places));
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE void substitute() {
        start();
        stretch_places<1> const& at = places[team.stretch].at;
        slot_rows<T, shape> const slots{tile.stretch(team.stretch), g};
        T* const y = slots.known();
        T* const z = y + W;
        bool const reflected = !team.idle && s.links.any_reflected(at);
        take_boundary(at, y, z);
        tile.arrive_first();
        stacks_type stacks(team, tile, y, s.how);
        walk(stacks, g, keep_slots<T, shape>{slots}, silent_teller{});
        team.sync();
        if (team.rank() == 0) {
            COPPICE_UNROLL
            for (int r = 0; r < K; ++r) slots.side(0, r, 0) = y[W - K + r];
            substitute_in_registers<K, W>(g, slots, z);
        }
        unsigned const marked = block.ballot(reflected);
        store(marked);
        again(marked);
    }
    /// Loads y and z of the stretch. All loads are on their way before the first value is stored.
    COPPICE_HD COPPICE_ALWAYS_INLINE void take_boundary(stretch_places<1> const& at, T* y, T* z) const {
        constexpr int each = (W + sizes::lanes - 1) / sizes::lanes;
        link_boundary<T> const boundary{s.links};
        T of_y[each]{}, of_z[each]{};
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            int const i = team.rank() + j * sizes::lanes;
            if (i < W && !team.idle) boundary.left(at, i, 0, of_y[j]), boundary.right(at, i, 0, of_z[j]);
        }
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            int const i = team.rank() + j * sizes::lanes;
            if (i < W && !team.idle) y[i] = of_y[j], z[i] = of_z[j];
        }
    }
    /// Stores the solution, which has replaced the right-hand sides of the slots; not of the stretches with a lane in
    /// `reflected`.
    COPPICE_HD COPPICE_ALWAYS_INLINE void store(unsigned reflected) const {
        constexpr int in_y = W / 2 - K; // as in store_slots
        team.sync();
        if (tile.follow() && g.units * K % warp_lanes == 0 && reflected == 0) {
            T* const to = s.units.solution(places[0].at.lane[0], g.units, 0).at;
            slot_rows<T, shape> const from{tile.stretch(0), g};
            int const rows = g.units * K, pitch = tile.pitch();
            COPPICE_NO_UNROLL
            for (int i = block.thread(); i < rows; i += warp_lanes) {
                T const* const value = i < in_y ? &from.y(W / 2 + i, 0) : &from.side((i - in_y) / K, (i - in_y) % K, 0);
                COPPICE_UNROLL
                for (int q = 0; q < sizes::stretches; ++q) to[q * rows + i] = value[q * pitch];
            }
            return;
        }
        for (int q = 0; q < sizes::stretches; ++q)
            if (!any_of_stretch(reflected, sizes::lanes, q))
                store_slots(s.units, places[q].at.lane[0], slot_rows<T, shape>{tile.stretch(q), g}, block.thread());
    }
};

/// The largest n for which there are tiles. With n = 8 the unrolled elimination no longer fits into the instruction
/// cache: 2^22 rows take 19.7 ms instead of the 23 ms without tiles in float, but 63 ms in double.
inline constexpr int largest_tiled = 4;

/// Whether stages of a matrix with blocks of n rows go to tiles.
template <class T>
bool has_tiles(matrix_rows<T> const& a) {
    return a.n <= largest_tiled;
}

/// Returns launch(stage, its tile_sizes, its plan) if there are tiles for the stage, else false. A banded matrix
/// becomes a stage of scalar rows for this.
template <bool Left, class T, class Launch, int... N>
bool with_tiles(stage<T, row_units<T>> const& s, Launch const& launch, std::integer_sequence<int, N...>) {
    if (s.shape.sides != 1 || !has_tiles(s.units.a)) return false;
    auto const try_size = [&](auto const& of, auto sizes) {
        using shape = typename decltype(sizes)::shape;
        return of.shape.rows() == shape::rows() && of.shape.width() == shape::width() &&
               launch(of, sizes, sizes.plan(of.shape.units));
    };
    if (s.units.a.banded()) {
        auto const by_rows = row_by_row(s);
        return (try_size(by_rows, tile_sizes<T, band_row_units<T>, 1, 2 * (N + 1), Left>()) || ...);
    }
    return (try_size(s, tile_sizes<T, row_units<T>, N + 1, 2 * (N + 1), Left>()) || ...);
}
template <bool Left, class T, class Launch>
bool with_tiles(stage<T, row_units<T>> const& s, Launch const& launch) {
    return with_tiles<Left>(s, launch, std::make_integer_sequence<int, largest_tiled>());
}

} // namespace coppice::chain
