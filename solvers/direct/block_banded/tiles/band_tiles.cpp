// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Segments of matrices with few bands on one core: one segment in each SIMD lane. Tiles are transposed through a
/// buffer that stays in the first-level cache. Compiled once for each instruction set.
#include <coppice/solvers/direct/block_banded/tiles/chain_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_front.hpp>
#include <coppice/solvers/direct/interface/instances.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

// Elimination of a segment, scalar row by scalar row, with one segment in each lane of a pack. The window is that of
// elimination/chain_front.hpp.

/// A front of the first 2 N rows.
template <class T, int N, int Left>
COPPICE_ALWAYS_INLINE band_front<T, N, Left> front_of(band_row<T, N> const* rows, T const* y) {
    band_front<T, N, Left> front;
    COPPICE_UNROLL_ALL
    for (int i = 0; i < 2 * N; ++i) front.put(i, rows[i], y);
    return front;
}

/// Reduces a segment of `count` >= 2 N rows to its condensed rows. Calls `before_row(u)` before each elimination.
template <class T, int N, class Observer, class Each>
COPPICE_ALWAYS_INLINE band_front<T, N, 2 * N> reduce_band(band_row<T, N> const* rows, int count,
                                                          Observer const& observer, Each const& before_row) {
    auto front = front_of<T, N, 2 * N>(rows, static_cast<T const*>(nullptr));
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        front.eliminate(rows[u], plain_elimination<T>{}, observer.at(u));
    }
    return front;
}

/// Solves a segment with known y and z: x[0 ... 2 N) is initially y, x[count ... count + 2 N) is z, and the unknowns
/// between are computed. Pivot rows overwrite the rows. Returns the residual of the unused rows.
template <class T, int N, class Observer, class Each>
COPPICE_ALWAYS_INLINE real_lane_t<T> substitute_band(band_row<T, N>* rows, int count, T* x, Observer const& observer,
                                                     Each const& before_row) {
    auto front = front_of<T, N, 0>(rows, x);
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        rows[u] = front.eliminate(rows[u], plain_elimination<T>{}, observer.at(u));
    }
    T after[2 * N];
    COPPICE_UNROLL_ALL
    for (int j = 0; j < 2 * N; ++j) after[j] = x[count + j];
    real_lane_t<T> const residual = front.largest_residual(after);
    for (int u = count - 1; u >= 2 * N; --u) {
        T value = rows[u].rhs;
        COPPICE_UNROLL_ALL
        for (int j = 2 * N - 1; j >= 0; --j)
            value = value - rows[u].entry[j + 1] *
                                after[j]; // the newest unknown comes last, so that fewer operations wait for it
        COPPICE_UNROLL_ALL
        for (int j = 2 * N - 1; j > 0; --j) after[j] = after[j - 1];
        after[0] = x[u] = value * rows[u].entry[0];
    }
    return residual;
}

/// Prefetches the next tile row by row while the current tile is computed.
template <int N>
struct fetch_ahead {
    char const* from[2 * N + 2];

    COPPICE_ALWAYS_INLINE void operator()(int row) const {
        for (char const* const band : from) __builtin_prefetch(band + (row - 2 * N) * register_bytes);
    }
};

/// One segment for each lane of a pack, of a matrix with up to N bands on each side.
template <class T, int N>
struct band_tile {
    using lanes = pack<T, register_bytes, 1>;
    static constexpr int width = lanes::width, bands = 2 * N + 1;
    static constexpr int max_rows = band_tiles::max_block_rows * N; ///< of a segment

    alignas(64) band_row<lanes, N> rows[max_rows];
    alignas(64) lanes x[max_rows + 2 * N]; ///< starts N unknowns before the segments

    chain_level<T, matrix_block_rows<T>> const& s;
    int const count; ///< rows of a segment
    padded_locations<width> at;

    band_tile(chain_level<T, matrix_block_rows<T>> const& level, std::int64_t p)
        : s(level), count(level.shape.block_rows * N), at(segments_of<lanes>(level.all, level.block_rows, p)) {}

    /// Addresses of the bands and the right-hand side of these segments; null for bands that are not stored.
    void locate(T const* (&from)[bands + 1]) const {
        std::int64_t const first = at.lane[0].begin * N;
        for (int b = 0; b < bands; ++b) {
            strided_pointer<T> const of = s.block_rows.a.entry_pointer(N, 0, b);
            from[b] = of.base ? of.base + first : nullptr;
        }
        from[bands] = s.block_rows.d + first;
    }
    /// Prefetcher of the next tile.
    fetch_ahead<N> ahead() const {
        T const* from[bands + 1];
        locate(from);
        fetch_ahead<N> next;
        for (int b = 0; b <= bands;
             ++b) // prefetching an address twice costs nothing, so it replaces bands that are not stored
            next.from[b] = reinterpret_cast<char const*>((from[b] ? from[b] : from[bands]) + count * width);
        return next;
    }

    lanes& target(int row, int band) { return band < bands ? rows[row].entry[band] : rows[row].rhs; }

    [[gnu::noinline]] void load() {
        if (!at.inner) return load_edge();
        T const* from[bands + 1];
        locate(from);
        for (int b = 0; b <= bands; ++b) load_band(b, from[b]);
    }
    /// Row j of lane l is from[l count + j]; `count` is a multiple of the number of lanes or less than it.
    void load_band(int band, T const* from) {
        if (!from) {
            for (int j = 0; j < count; ++j) target(j, band) = lanes(T(0));
            return;
        }
        int j = 0;
        for (; j + width <= count; j += width) {
            typename lanes::vector square[width];
#pragma GCC unroll 16
            for (int l = 0; l < width; ++l) __builtin_memcpy(&square[l], from + l * count + j, sizeof(square[l]));
            transpose(square);
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) target(j + i, band).v[0] = square[i];
        }
        for (; j < count; ++j)
            for (int l = 0; l < width; ++l) set_lane(target(j, band), l, from[l * count + j]);
    }
    /// Segments that contain the first or last rows of the matrix, entry by entry.
    void load_edge() {
        for (int i = 0; i < count; ++i) {
            int const r = i % N;
            for (int l = 0; l < width; ++l) {
                system_location const& system = at.lane[l].block_rows;
                std::int64_t const j = at.lane[l].begin + i / N;
                for (int b = 0; b < bands; ++b)
                    set_lane(rows[i].entry[b], l, s.block_rows.a.entry(system, j, r, r + b, at.padding[l]));
                set_lane(rows[i].rhs, l, s.block_rows.a.has_row(system, j, r) ? s.block_rows.d[j * N + r] : T(0));
            }
        }
    }
    /// Loads y and z of all segments, which are stored in the right-hand side of their condensed segments.
    [[gnu::noinline]] void load_around() {
        for (int i = 0; i < 2 * N; ++i)
            for (int l = 0; l < width; ++l) {
                segment_location const& location = at.lane[l];
                int const after = location.exchanged ? (i + N) % (2 * N) : i;
                set_lane(x[i], l, location.segment < 0 ? T(0) : s.condensed.rhs[location.segment * 2 * N + i]);
                set_lane(x[count + i], l, location.segment < 0 ? T(0) : s.condensed.rhs[location.next * 2 * N + after]);
            }
    }
    /// Largest entry of the first 2 N rows.
    lanes largest_of_first() const {
        lanes largest(0);
        for (int i = 0; i < 2 * N; ++i)
            for (lanes const& entry : rows[i].entry) largest = larger(largest, magnitude(entry));
        return largest;
    }
    /// Largest of y and z, and of all unknowns.
    lanes largest_around() const {
        lanes largest(0);
        for (int i = 0; i < 2 * N; ++i) largest = larger(larger(magnitude(x[i]), magnitude(x[count + i])), largest);
        return largest;
    }
    lanes largest_solution() const {
        lanes largest(0);
        for (int i = 0; i < count + 2 * N; ++i) largest = larger(magnitude(x[i]), largest);
        return largest;
    }
    [[gnu::noinline]] void store() {
        lanes const* const from = x + N;
        bool all = at.inner;
        for (segment_location const& location : at.lane) all = all && location.segment >= 0;
        if (!all) return store_edge(from);
        T* const to = s.block_rows.x + at.lane[0].begin * N;
        int j = 0;
        for (; j + width <= count; j += width) {
            typename lanes::vector square[width];
#pragma GCC unroll 16
            for (int i = 0; i < width; ++i) square[i] = from[j + i].v[0];
            transpose(square);
#pragma GCC unroll 16
            for (int l = 0; l < width; ++l) __builtin_memcpy(to + l * count + j, &square[l], sizeof(square[l]));
        }
        for (; j < count; ++j)
            for (int l = 0; l < width; ++l) to[l * count + j] = get_lane(from[j], l);
    }
    void store_edge(lanes const* from) {
        for (int i = 0; i < count; ++i)
            for (int l = 0; l < width; ++l) {
                std::int64_t const j = at.lane[l].begin + i / N;
                if (at.lane[l].segment >= 0 && s.block_rows.a.has_row(at.lane[l].block_rows, j, i % N))
                    s.block_rows.x[j * N + i % N] = get_lane(from[i], l);
            }
    }
};

/// Adapter: converts scalar row indices of an elimination to unknowns of block rows for an observer.
template <int N, class Observer>
struct row_observer {
    Observer const& target;
    int k = 0;

    struct one {
        Observer target;
        int k;
        COPPICE_ALWAYS_INLINE bool needed() const { return target.needed(); }
        COPPICE_ALWAYS_INLINE void operator()(int, int lane) const { target(k, lane); }
    };
    COPPICE_ALWAYS_INLINE one at(int row) const { return {target.at(row / N), row % N}; }
};

template <class T, int N, class Lanes>
void reduce(band_tile<T, N>& tile, Lanes* memory) {
    constexpr int w = 2 * N;
    auto const& s = tile.s;
    tile.load();
    pivot_observer<matrix_block_rows<T>, Lanes::size> const observer{{}, s.block_rows, tile.at};
    auto const front =
        reduce_band<Lanes, N>(tile.rows, tile.count, row_observer<N, decltype(observer)>{observer}, tile.ahead());
    largest_magnitude<Lanes> largest;
    for (int r = 0; r < w; ++r) {
        for (int c = 0; c < w; ++c) {
            s.condensed.take(tile.at, r, c, front.left[r][c]);
            s.condensed.take(tile.at, r, w + c, front.active[r][c]);
            largest.include(front.left[r][c]);
            largest.include(front.active[r][c]);
        }
        s.condensed.take(tile.at, r, 2 * w, front.rhs[r]);
    }
    auto const observed = s.growth_in(alone{}, tile.at, tile.largest_of_first(), largest.value());
    if (observed.some) s.reduce_again(alone{}, tile.at, observed, memory);
}

template <class T, int N, class Lanes>
void substitute(band_tile<T, N>& tile, Lanes* memory) {
    auto const& s = tile.s;
    auto const at = tile.at;
    auto flags = s.condensed.by_householder(at);
    if (flags.leaves_some(at)) {
        tile.load();
        tile.load_around();
        silent_observer const observer;
        Lanes const residual = substitute_band<Lanes, N>(tile.rows, tile.count, tile.x,
                                                         row_observer<N, silent_observer>{observer}, tile.ahead());
        if (s.violates(at, residual, tile.largest_around()))
            s.flag(alone{}, at, 0, residual, tile.largest_solution(), flags);
        flags.remove(tile.at, 0, true);
        tile.store();
    }
    if (flags.any()) s.substitute_again(alone{}, at, flags, memory);
}

template <int N, bool Left, class T>
void pass_tiles(chain_level<T, matrix_block_rows<T>> const& s, std::int64_t first, std::int64_t last,
                std::byte* memory) {
    using lanes = typename band_tile<T, N>::lanes;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        band_tile<T, N> tile(s, p);
        if constexpr (Left)
            reduce(tile, reinterpret_cast<lanes*>(memory));
        else
            substitute(tile, reinterpret_cast<lanes*>(memory));
    }
}

} // namespace

template <bool Left, class T>
void band_pass(level_pass<Left, chain_level<T, matrix_block_rows<T>>> const& job, std::int64_t first, std::int64_t last,
               std::byte* memory) {
    switch (job.level.block_rows.a.n) {
    case 2:
        return pass_tiles<2, Left>(job.level, first, last, memory);
    case 3:
        return pass_tiles<3, Left>(job.level, first, last, memory);
    case 4:
        return pass_tiles<4, Left>(job.level, first, last, memory);
    }
}

#define COPPICE_BAND_TILES(T, Left)                                                                                    \
    template void band_pass(level_pass<Left, chain_level<T, matrix_block_rows<T>>> const&, std::int64_t, std::int64_t, \
                            std::byte*);
COPPICE_REAL_TYPES(COPPICE_BAND_TILES, true)
COPPICE_REAL_TYPES(COPPICE_BAND_TILES, false)

} // namespace coppice::inline v0_1::COPPICE_ISA
