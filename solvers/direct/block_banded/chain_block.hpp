// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver in one warp of a GPU: segments are staged in shared memory, their rows are held in registers.
/// Kernel bodies are templates over the Block of core/block.hpp, of 32 threads, so that tests can run them on CPU
/// threads.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include <coppice/solvers/direct/block_banded/chain_householder_segments.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_front.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level.hpp>
#include <coppice/solvers/direct/block_banded/tiles/chain_tile.hpp>

namespace coppice::inline v0_1::chain {

// Scalar rows of a banded matrix as block rows of tiles.
//
// With blocks of n = max(kl, ku) rows, a segment of a banded matrix is eliminated n columns at a time from a window of
// W + n rows, many of whose entries are outside of the bands. With scalar rows instead (K = 1, W = 2 n) one row
// enters, one column is eliminated from W + 1 rows, and all entries of a row are inside of the bands. Segments,
// condensed segments, y and z are the same as with blocks. The window is that of the host
// (elimination/chain_front.hpp).

/// Scalar rows of one banded system with one right-hand side; a model of segment_rows. Segments are counted in blocks
/// of n rows, block rows of a segment in scalar rows.
template <class T>
struct scalar_band_rows : matrix_block_rows<T> {
    using blocks = matrix_block_rows<T>;
    using blocks::a, blocks::d;

    COPPICE_LANE explicit scalar_band_rows(blocks const& rows) : blocks(rows) {}

    COPPICE_LANE T rhs_of(segment_location const& at, int u, int, int rhs_index) const {
        return blocks::rhs_of(at, u / a.n, u % a.n, rhs_index);
    }
    COPPICE_LANE T entry_of(segment_location const& at, int u, int, int c, padding_sizes const& padding) const {
        return blocks::entry_of(at, u / a.n, u % a.n, u % a.n + c, padding);
    }
    COPPICE_LANE bool needs_padding(segment_location const& at, int to) const {
        return blocks::needs_padding(at, (to + a.n - 1) / a.n);
    }
    COPPICE_LANE std::int64_t first_of(segment_location const& at) const { return at.begin * a.n; }
    COPPICE_LANE std::int64_t origin(segment_location const& at) const { return first_of(at); }
    COPPICE_LANE int plain_begin() const { return blocks::plain_begin() * a.n; }
    COPPICE_LANE std::int64_t plain_end(segment_location const& at) const { return blocks::plain_end(at) * a.n; }
    COPPICE_LANE block_row_range plain(segment_location const& at, int block_rows) const {
        return block_row_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - first_of(at), block_rows);
    }
    COPPICE_LANE static constexpr std::int64_t stride() { return 1; }
    template <class Shape>
    static constexpr int max_block_rows = Shape::width() / 2 << log_segment_rows;
    template <class Shape, class Run>
    COPPICE_LANE void for_each_run(Shape const& g, Run const& run) const {
        constexpr std::integral_constant<int, 1> row{};
        int const n = g.width() / 2;
        // In the transposed matrix, band k is band -k of the stored matrix, from row k on.
        bool const transposed = a.op != matrix_operation::none;
        std::int64_t const stride_of_bands = transposed ? 1 - a.scalar_rows : a.scalar_rows;
        std::int64_t at = a.lower_bands * a.scalar_rows - n * stride_of_bands;
        COPPICE_NO_UNROLL
        for (int i = 0; i <= 2 * n + 1; ++i) {                   // a single loop, since its body is long
            int const k = i - 1 - n, band = transposed ? -k : k; // column minus row
            bool const stored = -a.lower_bands <= band && band <= a.upper_bands;
            run(i == 0 ? d : stored ? a.diagonal + at : nullptr, 1, row, i, 1);
            if (i > 0) at += stride_of_bands;
        }
    }
    COPPICE_LANE solution_run<T> solution(segment_location const& at, int block_rows, int rhs_index) const {
        solution_run<T> run = blocks::solution(at, block_rows / a.n, rhs_index);
        run.stride = 1;
        return run;
    }
    template <class Team>
    COPPICE_HD row_sizes<real_lane_t<T>> largest_rows(Team const& team, segment_location const& at, int rows) const {
        return blocks::largest_rows(team, at, rows / a.n);
    }
    COPPICE_LANE std::int64_t row_of(segment_location const& location, int u, int) const {
        std::int64_t const row = first_of(location) + u - a.n;
        return row >= 0 && row < a.scalar_rows ? row : -1;
    }
};

/// The finest level of a banded matrix, in scalar rows.
template <class T>
chain_level<T, scalar_band_rows<T>> row_by_row(chain_level<T, matrix_block_rows<T>> const& s) {
    int const n = s.block_rows.a.n;
    return {scalar_band_rows<T>(s.block_rows),
            s.condensed,
            s.all,
            {{1, 2 * n}, s.shape.block_rows * n, s.shape.rhs_count},
            s.how,
            s.segments,
            s.predicate};
}

/// Layout of the segments of a warp in shared memory.
struct tile_plan {
    int pitch; ///< elements between segments
    int bytes;
};

/// Sizes of the tiles of a level of matrix rows: one right-hand side, block rows with K rows and K + W columns. `Left`:
/// for a reduction.
template <class T, class BlockRows, int K, int W, bool Left>
struct tile_sizes {
    using shape = block_row_shape<known_size<K, W>>;
    /// Lanes of a segment: one if the window fits into its registers and, in a substitution, the slots of 32 segments
    /// fit into a suitable fraction of the shared memory; else the smallest divisor of K for which both hold.
    static constexpr int fewest_lanes() {
        constexpr int words = (K + W) * (K + W + (Left ? W : 0) + 1) * int(sizeof(T)) / 4;
        constexpr int maximum = Left ? 150 : 40;
        int count = 1;
        while (count < K && (K % count != 0 || words > maximum * count)) ++count;
        return count;
    }
    static constexpr int lanes = fewest_lanes();
    static constexpr int segments = warp_lanes / lanes;

    /// A reduction stages a segment in pieces; the first piece contains all block rows with entries in columns of y. In
    /// a piece a band is a run of at least 64 bytes, one memory transaction. Blocks, which alone take 16 bytes or more,
    /// have runs of 32 bytes.
    static constexpr int shortest_piece() {
        constexpr int run_bytes = K == 1 ? 64 : 32;
        int log = 1;
        while ((K << log) * int(sizeof(T)) < run_bytes || K << log < W) ++log;
        return log;
    }
    static constexpr int log_piece = Left ? shortest_piece() : 0;

    template <class Block>
    using tile = block_row_tile<log_piece, segments, T, Block, BlockRows, shape>;

    static tile_plan plan(int block_rows) {
        shape const g{{}, block_rows, 1};
        int const pitch = Left ? tile<int>::piece_pitch(g) : int(g.slot_elements() + W) | 1;
        int const bytes = segments * int(sizeof(staged_segment)) + segments * pitch * int(sizeof(T));
        int const again = int(householder_segments<T, BlockRows, K, W, int>::elements(g) * sizeof(T));
        return {pitch, (std::max(bytes, again) + 15) / 16 * 16};
    }
};

/// One warp that reduces or substitutes the segments [first, end) of a level.
template <class T, class BlockRows, int K, int W, bool Left, class Block>
struct warp_tile {
    using real = real_lane_t<T>;
    using sizes = tile_sizes<T, BlockRows, K, W, Left>;
    using shape = typename sizes::shape;
    using team_type = tile_team<Block, sizes::lanes>;
    using tile_type = typename sizes::template tile<Block>;
    /// Whether scalar rows stay in their registers, or all rows move up as those of blocks do. They move if staying
    /// causes more register spills (double, four bands on each side, 2^22 rows: 1077 us with staying rows, 978 us with
    /// moving ones).
    static constexpr bool rows_stay = K == 1 && (!Left || W * int(sizeof(T)) < 64);
    using stacks_type = std::conditional_t<rows_stay, scalar_band_window<T, W / 2, Left, team_type, tile_type>,
                                           register_stacks<T, K, W, sizes::lanes, Left, team_type, tile_type>>;

    Block const& block;
    chain_level<T, BlockRows> const& s;
    shape const g;
    team_type const team;
    staged_segment* const locations;
    std::int64_t const first, end;
    tile_type tile;

    COPPICE_LANE warp_tile(Block const& b, chain_level<T, BlockRows> const& of, std::int64_t begin, std::int64_t after,
                           tile_plan const& plan, unsigned char* shared)
        : block(b), s(of), g{{}, of.shape.block_rows, 1}, team(b), locations(reinterpret_cast<staged_segment*>(shared)),
          first(begin), end(after), tile(b, of.block_rows, g, locations,
                                         reinterpret_cast<T*>(locations + sizes::segments), plan.pitch, team.segment) {}
    warp_tile(warp_tile const&) = delete; // members refer to each other

    COPPICE_LANE void run() {
        if constexpr (Left)
            reduce();
        else
            substitute();
    }

private:
    COPPICE_LANE void start() {
        tile.locate(s.all, first, end, locations);
        tile.begin();
    }
    COPPICE_LANE void reduce() {
        start();
        segment_locations<1> const& at = locations[team.segment].at;
        pivot_observer<BlockRows, 1> const observer{{}, s.block_rows, at};
        tile.arrive_first();
        stacks_type stacks(team, tile, nullptr, s.how);
        reduce_segment(stacks, g, at, s.condensed, observer);
        again(flag_growth(at.lane[0], stacks.largest_seen(), stacks.largest_left()));
    }
    /// Stores the growth_reference of the condensed segment, with the flag if it has grown: `of_rows` is the size of
    /// the rows, `largest` the largest condensed entry in the columns of this lane. Returns the lanes that have found
    /// growth, one bit each.
    COPPICE_LANE unsigned flag_growth(segment_location const& location, real of_matrix, real largest) const {
        bool const none = team.idle || location.segment < 0;
        growth_reference<real> const size =
            none ? growth_reference<real>(0, false) : s.size_before(location, of_matrix);
        unsigned const observed =
            block.ballot(!none && (size.by_householder || exceeds_growth_bound(largest, size.size, W)));
        if (!none && team.rank() == 0)
            s.condensed.sizes[location.segment] =
                growth_reference<real>(size.size, any_of_segment(observed, sizes::lanes, team.segment)).encoded();
        return observed;
    }
    COPPICE_LANE void again(unsigned flagged) const {
        if (flagged != 0)
            eliminate_flagged<Left, K, W>(block, s, first, flagged, sizes::lanes, reinterpret_cast<T*>(locations));
    }
    COPPICE_LANE void substitute() {
        start();
        segment_locations<1> const& at = locations[team.segment].at;
        slot_rows<T, shape> const slots{tile.segment(team.segment), g};
        T* const y = slots.known();
        T* const z = y + W;
        bool const none = team.idle || at.lane[0].segment < 0;
        real const size = none ? real(0) : s.condensed.sizes[at.lane[0].segment];
        take_boundary(at, y, z);
        tile.arrive_first();
        stacks_type stacks(team, tile, y, s.how);
        walk(stacks, g, save_slots<T, shape>{slots}, silent_observer{});
        real const residual = stacks.largest_residual(z);
        team.sync();
        if (team.rank() == 0) substitute_in_registers<K, W>(g, slots, z);
        // The first lane of a segment, which has computed the unknowns, votes for it.
        bool const votes = !none && team.rank() == 0;
        real const solution = votes && size >= 0 ? solution_if_doubtful(slots, residual, size) : real(-1);
        unsigned flagged = block.ballot(votes && size < 0);
        if (unsigned const doubtful = block.ballot(solution >= 0); doubtful != 0)
            flagged |= confirm_violated<sizes::lanes>(block, s, locations, doubtful, residual, solution);
        store(flagged);
        again(flagged);
    }
    /// The largest unknown of a segment if the residual of its unused rows may be too large: compares with y and z,
    /// then with all unknowns, and with the largest entry. Otherwise -1.
    COPPICE_LANE real solution_if_doubtful(slot_rows<T, shape> const& slots, real residual, real size) const {
        real solution(0);
        COPPICE_UNROLL
        for (int j = 0; j < W; ++j)
            solution = larger(larger(magnitude(slots.y(j, 0)), magnitude(slots.known()[W + j])), solution);
        if (!exceeds_residual_bound(residual, size, solution)) return -1;
        COPPICE_NO_UNROLL
        for (int u = 0; u < g.block_rows; ++u)
            for (int r = 0; r < K; ++r) solution = larger(magnitude(slots.rhs(u, r, 0)), solution);
        return exceeds_residual_bound(residual, size, solution) ? solution : real(-1);
    }
    /// Loads y and z of the segment. All loads are issued before the first value is stored.
    COPPICE_LANE void take_boundary(segment_locations<1> const& at, T* y, T* z) const {
        constexpr int each = (W + sizes::lanes - 1) / sizes::lanes;
        T of_y[each]{}, of_z[each]{};
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            int const i = team.rank() + j * sizes::lanes;
            if (i < W && !team.idle) s.condensed.left(at, i, 0, of_y[j]), s.condensed.right(at, i, 0, of_z[j]);
        }
        COPPICE_UNROLL
        for (int j = 0; j < each; ++j) {
            int const i = team.rank() + j * sizes::lanes;
            if (i < W && !team.idle) y[i] = of_y[j], z[i] = of_z[j];
        }
    }
    /// Stores the solution, which has replaced the right-hand sides of the slots, except for the segments with a lane
    /// in `by_householder`.
    COPPICE_LANE void store(unsigned by_householder) const {
        constexpr int in_y = W / 2 - K; // as in store_slots
        team.sync();
        if (tile.follow() && g.block_rows * K % warp_lanes == 0 && by_householder == 0) {
            T* const to = s.block_rows.solution(locations[0].at.lane[0], g.block_rows, 0).at;
            slot_rows<T, shape> const from{tile.segment(0), g};
            int const rows = g.block_rows * K, pitch = tile.pitch();
            COPPICE_NO_UNROLL
            for (int i = block.thread(); i < rows; i += warp_lanes) {
                T const* const value = i < in_y ? &from.y(W / 2 + i, 0) : &from.rhs((i - in_y) / K, (i - in_y) % K, 0);
                COPPICE_UNROLL
                for (int q = 0; q < sizes::segments; ++q) to[q * rows + i] = value[q * pitch];
            }
            return;
        }
        for (int q = 0; q < sizes::segments; ++q)
            if (!any_of_segment(by_householder, sizes::lanes, q))
                store_slots(s.block_rows, locations[q].at.lane[0], slot_rows<T, shape>{tile.segment(q), g},
                            block.thread());
    }
};

/// Maximum n with tiles. With n = 8 the unrolled elimination does not fit into the instruction cache: 2^22 rows take
/// 19.7 ms in float (23 ms without tiles), but 63 ms in double.
inline constexpr int largest_tiled = 4;

/// Whether the levels of a matrix with blocks of n rows are processed by tiles.
template <class T>
bool has_tiles(matrix_rows<T> const& a) {
    return a.n <= largest_tiled;
}

/// Returns launch(level, its tile_sizes, its plan) if there are tiles for the level, else false. A banded matrix is
/// converted to a level of scalar rows.
template <bool Left, class T, class Launch, int... N>
bool with_tiles(chain_level<T, matrix_block_rows<T>> const& s, Launch const& launch, std::integer_sequence<int, N...>) {
    if (s.shape.rhs_count != 1 || !has_tiles(s.block_rows.a)) return false;
    auto const try_size = [&](auto const& of, auto sizes) {
        using shape = typename decltype(sizes)::shape;
        return of.shape.rows() == shape::rows() && of.shape.width() == shape::width() &&
               launch(of, sizes, sizes.plan(of.shape.block_rows));
    };
    if (s.block_rows.a.banded()) {
        auto const by_rows = row_by_row(s);
        return (try_size(by_rows, tile_sizes<T, scalar_band_rows<T>, 1, 2 * (N + 1), Left>()) || ...);
    }
    return (try_size(s, tile_sizes<T, matrix_block_rows<T>, N + 1, 2 * (N + 1), Left>()) || ...);
}
/// The same for a job; false if it is not a pass over the rows of a matrix.
template <class Job, class Launch>
bool runs_in_tiles(Job const&, Launch const&) {
    return false;
}
template <bool Left, class T, class Launch>
bool runs_in_tiles(level_pass<Left, chain_level<T, matrix_block_rows<T>>> const& pass, Launch const& launch) {
    return with_tiles<Left>(pass.level, launch, std::make_integer_sequence<int, largest_tiled>());
}

} // namespace coppice::inline v0_1::chain
