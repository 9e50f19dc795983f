// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Stretches of narrow bands on one core: a stretch per SIMD lane, tiles transposed through a buffer
/// that stays in the first-level cache. Compiled once per instruction set.
#include <coppice/solvers/direct/block_banded/tiles/band_tiles.hpp>

#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/block_banded/tiles/band_segment.hpp>

namespace coppice::COPPICE_ISA {
namespace {

using namespace coppice::chain;

/// Asks for the memory of the next tile row by row, so that it comes while this one computes.
template <int N>
struct fetch_ahead {
    char const* from[2 * N + 2];

    COPPICE_ALWAYS_INLINE void operator()(int row) const {
        for (char const* const band : from) __builtin_prefetch(band + (row - 2 * N) * register_bytes);
    }
};

/// As many stretches as a pack has lanes, of a matrix with up to N bands on either side.
template <class T, int N>
struct band_tile {
    using lanes = pack<T, register_bytes, 1>;
    static constexpr int width = lanes::width, bands = 2 * N + 1;
    static constexpr int most_rows = band_tiles::most_units * N; ///< of a stretch

    alignas(64) band_row<lanes, N> rows[most_rows];
    alignas(64) lanes x[most_rows + 2 * N]; ///< from N unknowns before the stretches on

    stage<T, row_units<T>> const& s;
    int const count; ///< rows of a stretch
    filled_places<width> at;

    band_tile(stage<T, row_units<T>> const& stage, std::int64_t p)
        : s(stage), count(stage.shape.units * N), at(stage.all, stage.units, p) {}

    /// Where the bands and the right-hand side of these stretches lie; null for bands that are not stored.
    void locate(T const* (&from)[bands + 1]) const {
        std::int64_t const first = at.lane[0].begin * N;
        for (int b = 0; b < bands; ++b) {
            strand<T> const of = s.units.a.strand_of(N, 0, b);
            from[b] = of.base ? of.base + first : nullptr;
        }
        from[bands] = s.units.d + first;
    }
    /// The tile behind this one.
    fetch_ahead<N> ahead() const {
        T const* from[bands + 1];
        locate(from);
        fetch_ahead<N> next;
        for (int b = 0; b <= bands; ++b) // what is not stored costs nothing to ask for once more
            next.from[b] = reinterpret_cast<char const*>((from[b] ? from[b] : from[bands]) + count * width);
        return next;
    }

    lanes& target(int row, int band) { return band < bands ? rows[row].entry[band] : rows[row].rhs; }

    void load() {
        if (!at.inner) return load_edge();
        T const* from[bands + 1];
        locate(from);
        for (int b = 0; b <= bands; ++b) load_band(b, from[b]);
    }
    /// Row j of lane l is from[l count + j]; `count` is a multiple of the lanes or less than them.
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
    /// Stretches that meet an end of the matrix, entry by entry.
    void load_edge() {
        for (int i = 0; i < count; ++i) {
            int const r = i % N;
            for (int l = 0; l < width; ++l) {
                system_place const& system = at.lane[l].units;
                std::int64_t const j = at.lane[l].begin + i / N;
                for (int b = 0; b < bands; ++b)
                    set_lane(rows[i].entry[b], l, s.units.a.entry(system, j, r, r + b, at.filling[l]));
                set_lane(rows[i].rhs, l, s.units.a.has_row(system, j, r) ? s.units.d[j * N + r] : T(0));
            }
        }
    }
    /// y and z of all stretches, which is what stands in place of the one right-hand side of their links.
    void load_around() {
        for (int i = 0; i < 2 * N; ++i)
            for (int l = 0; l < width; ++l) {
                stretch_place const& place = at.lane[l];
                int const behind = place.exchanged ? (i + N) % (2 * N) : i;
                set_lane(x[i], l, place.link < 0 ? T(0) : s.links.rhs[place.link * 2 * N + i]);
                set_lane(x[count + i], l, place.link < 0 ? T(0) : s.links.rhs[place.next * 2 * N + behind]);
            }
    }
    /// Of the first rows.
    lanes largest_of_first() const {
        lanes largest(0);
        for (int i = 0; i < 2 * N; ++i)
            for (lanes const& entry : rows[i].entry) largest = larger(largest, magnitude(entry));
        return largest;
    }
    void store() {
        lanes const* const from = x + N;
        bool all = at.inner;
        for (stretch_place const& place : at.lane) all = all && place.link >= 0;
        if (!all) return store_edge(from);
        T* const to = s.units.x + at.lane[0].begin * N;
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
                if (at.lane[l].link >= 0 && s.units.a.has_row(at.lane[l].units, j, i % N))
                    s.units.x[j * N + i % N] = get_lane(from[i], l);
            }
    }
};

/// Tells in unknowns of units what eliminations of single rows have to say.
template <int N, class Tell>
struct row_teller {
    Tell const& told;
    int k = 0;

    struct one {
        Tell told;
        int k;
        COPPICE_ALWAYS_INLINE bool wanted() const { return told.wanted(); }
        COPPICE_ALWAYS_INLINE void operator()(int, int lane) const { told(k, lane); }
    };
    COPPICE_ALWAYS_INLINE one at(int row) const { return {told.at(row / N), row % N}; }
};

template <class T, int N>
void reduce(stage<T, row_units<T>> const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename band_tile<T, N>::lanes;
    constexpr int w = 2 * N;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        band_tile<T, N> tile(s, p);
        tile.load();
        pivot_teller<row_units<T>, lanes::size> const teller{{}, s.units, tile.at};
        auto const front =
            reduce_band<lanes, N>(tile.rows, tile.count, row_teller<N, decltype(teller)>{teller}, tile.ahead());
        largest_magnitude<lanes> largest;
        for (int r = 0; r < w; ++r) {
            for (int c = 0; c < w; ++c) {
                s.links.take(tile.at, r, c, front.left[r][c]);
                s.links.take(tile.at, r, w + c, front.active[r][c]);
                largest.look_at(front.left[r][c]);
                largest.look_at(front.active[r][c]);
            }
            s.links.take(tile.at, r, 2 * w, front.rhs[r]);
        }
        auto const grown = s.growth_of(alone{}, tile.at, tile.largest_of_first(), largest.value());
        if (grown.some) s.reduce_again(alone{}, tile.at, grown, reinterpret_cast<lanes*>(memory));
    }
}

template <class T, int N>
void substitute(stage<T, row_units<T>> const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    using lanes = typename band_tile<T, N>::lanes;
    for (std::int64_t p = first; p < last; p += lanes::size) {
        band_tile<T, N> tile(s, p);
        if (s.links.any_reflected(tile.at)) {
            s.substitute_again(alone{}, tile.at, reinterpret_cast<lanes*>(memory));
            if (!s.links.leave(tile.at, false)) continue;
        }
        tile.load();
        tile.load_around();
        silent_teller const teller;
        substitute_band<lanes, N>(tile.rows, tile.count, tile.x, row_teller<N, silent_teller>{teller}, tile.ahead());
        tile.store();
    }
}

} // namespace

template <class T>
void band_reduce(stage<T, row_units<T>> const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    switch (s.units.a.n) {
    case 2:
        return reduce<T, 2>(s, first, last, memory);
    case 3:
        return reduce<T, 3>(s, first, last, memory);
    case 4:
        return reduce<T, 4>(s, first, last, memory);
    }
}

template <class T>
void band_substitute(stage<T, row_units<T>> const& s, std::int64_t first, std::int64_t last, std::byte* memory) {
    switch (s.units.a.n) {
    case 2:
        return substitute<T, 2>(s, first, last, memory);
    case 3:
        return substitute<T, 3>(s, first, last, memory);
    case 4:
        return substitute<T, 4>(s, first, last, memory);
    }
}

template void band_reduce(stage<float, row_units<float>> const&, std::int64_t, std::int64_t, std::byte*);
template void band_reduce(stage<double, row_units<double>> const&, std::int64_t, std::int64_t, std::byte*);
template void band_substitute(stage<float, row_units<float>> const&, std::int64_t, std::int64_t, std::byte*);
template void band_substitute(stage<double, row_units<double>> const&, std::int64_t, std::int64_t, std::byte*);

} // namespace coppice::COPPICE_ISA
