// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The stages of the chain solver. A stage takes units, the block rows of the matrix or the links of the stage before,
/// eliminates the inner unknowns of every stretch of units, and leaves a link for each stretch (words.md). Here stand
/// where units are read, where links are written, and how the last link of a system is solved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <coppice/core/device_predicate.hpp>
#include <coppice/core/lane/lane_atomics.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_lane.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_level_sizes.hpp>

namespace coppice::chain {

inline constexpr int most_stages = 17; ///< 32 * 16^15 > 2^63
inline constexpr int most_sides = 8;   ///< right-hand sides solved at once
inline constexpr std::int64_t no_row = std::numeric_limits<std::int64_t>::max();

/// Orders the rows for which no pivot was found, as lower_to compares them: by elimination step, then by row, so that
/// the first row of the earliest step is reported. In a later step a row may lack its pivot only because an earlier
/// singular row took that pivot row away. Step 0 eliminates rows of the matrix, later steps links.
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t met_at(int step, std::int64_t row) {
    return std::int64_t(step) << 56 | row;
}
/// The row in a value made by met_at; no_row for no_row.
COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_met(std::int64_t met) {
    return met == no_row ? no_row : met & ((std::int64_t(1) << 56) - 1);
}

/// Base of the tellers that keep no factors: a teller is told of every pivot and of every column without one.
struct no_record {
    static constexpr bool recording = false;
    template <class Pivot, class T>
    COPPICE_HD COPPICE_ALWAYS_INLINE void record(int, Pivot const&, T const*) const {}
};

/// A teller that passes nothing on.
struct silent_teller : no_record {
    COPPICE_HD COPPICE_ALWAYS_INLINE silent_teller at(int) const { return {}; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool wanted() const { return false; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int, int) const {}
};

/// A teller that stores, for each system, the first unknown for which no pivot was found.
template <class Units, int Lanes>
struct pivot_teller : no_record {
    Units const& units;
    stretch_places<Lanes> const& places;
    int u = 0;

    COPPICE_HD COPPICE_ALWAYS_INLINE pivot_teller at(int unit) const { return {{}, units, places, unit}; }
    COPPICE_HD COPPICE_ALWAYS_INLINE bool wanted() const { return units.singular != nullptr; }
    COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int l) const {
        stretch_place const& place = places.lane[l];
        if (place.link < 0) return;
        std::int64_t const row = units.row_of(place, u, k);
        if (row >= 0) lower_to(units.singular + place.units.system, met_at(units.depth, row));
    }
};

/// Units [first, last) of a stretch.
struct unit_range {
    int first, last;

    /// The units of this stretch from its unit `first` on, `here` at most; no units where there is no stretch.
    COPPICE_HD COPPICE_ALWAYS_INLINE static unit_range inside(stretch_place const& at, int first, std::int64_t here,
                                                              int units) {
        int const last = at.link < 0 ? 0 : here < units ? int(here) : units;
        return {first, last > first ? last : first};
    }
};

/// Where the solution of one side of a stretch lies: K rows of unit u from at[u stride] on; `rows` in all.
template <class T>
struct solution_run {
    T* at;
    std::int64_t stride;
    int rows;
};

/// Block rows of the matrix and their right-hand sides.
template <class T>
struct row_units {
    static constexpr int depth = 0;
    static constexpr bool of_rows = true;

    matrix_rows<T> a;
    T const* d;
    T* x;
    std::int64_t d_leading, x_leading;
    int sides;
    std::int64_t* singular; ///< met_at() for each system, no_row at first; or null

    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(Team const& team, Shape const& g, filled_places<Lanes> const& at, int u,
                                               stack_view<Lane> const& to) const {
        int const n = g.rows();
        bool const plain = at.inner && a.op != matrix_operation::conjugate_transposed;
        // Down the columns, as blocks lie in memory.
        for (int i = team.rank(); i < n * 3 * n; i += team.size()) {
            int const c = i / n, r = i - c * n;
            if (plain)
                load_strand(at, a.strand_of(n, r, c), u, g.units, to(2 * n + r, c));
            else
                for (int l = 0; l < Lanes; ++l)
                    set_lane(to(2 * n + r, c), l, entry_of(at.lane[l], u, r, c, at.filling[l]));
        }
        load_sides(team, g, at, u, to, 2 * n, 3 * n + to.left);
    }
    /// The right-hand sides of unit u, to rows from `row` and columns from `column` on.
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_sides(Team const& team, Shape const& g, stretch_places<Lanes> const& at,
                                                     int u, stack_view<Lane> const& to, int row, int column) const {
        int const n = g.rows();
        for (int i = team.rank(); i < n * sides; i += team.size()) {
            int const side = i / n, r = i - side * n;
            Lane& target = to(row + r, column + side);
            if (at.inner)
                load_strand(at, strand<T>{d + r + side * d_leading, n, 0}, u, g.units, target);
            else
                load_side(at, u, r, side, target);
        }
    }
    /// For packs: the stretches of neighbouring lanes begin `apart` units from each other.
    template <class Lane, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_strand(stretch_places<Lanes> const& at, strand<T> const& s, int u,
                                                      int apart, Lane& to) const {
        if (!s.base) {
            to = Lane(0);
            return;
        }
        system_place const& place = at.lane[0].units;
        std::int64_t const stride = place.stride * s.stride, step = stride * apart;
        T const* const from = s.base + place.base * s.stride + (at.lane[0].begin + u + s.shift) * stride;
        for (int l = 0; l < Lanes; ++l) set_lane(to, l, from[l * step]);
    }
    template <class Lane, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_side(stretch_places<Lanes> const& at, int u, int r, int side,
                                                    Lane& to) const {
        for (int l = 0; l < Lanes; ++l) set_lane(to, l, side_of(at.lane[l], u, r, side));
    }
    /// One entry of unit u of a stretch.
    COPPICE_HD COPPICE_ALWAYS_INLINE T side_of(stretch_place const& at, int u, int r, int side) const {
        std::int64_t const j = at.begin + u;
        if (!a.has_row(at.units, j, r)) return T(0);
        return d[(at.units.base + j * at.units.stride) * a.n + r + side * d_leading];
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry_of(stretch_place const& at, int u, int r, int c,
                                                filling_sizes const& filling) const {
        return a.entry(at.units, at.begin + u, r, c, filling);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE filling_sizes filling(stretch_place const& at) const {
        return a.filling(at.units);
    }
    /// Whether units of a stretch before `to` reach behind the last row of the system: only these need rows that fill
    /// up the stretch, and looking up the entries of such rows takes a GPU long.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool fills(stretch_place const& at, int to) const {
        std::int64_t const end = at.begin + to, rows = at.units.rows;
        return end > rows || (end == rows && a.banded() && rows * a.n > a.scalar_rows);
    }
    /// What links know of units of a stretch: of rows nothing before they are looked at, `below` then, all of them, by
    /// the lanes of a team together.
    COPPICE_HD COPPICE_ALWAYS_INLINE static link_size<real_lane_t<T>> known(stretch_place const&, int) {
        return {0, false};
    }
    template <class Team>
    COPPICE_HD real_lane_t<T> largest_entry(Team const& team, stretch_place const& at, int units) const {
        real_lane_t<T> largest(0);
        for (int i = team.rank(); i < units * a.n; i += team.size()) {
            int const u = i / a.n, r = i - u * a.n;
            if (!a.has_row(at.units, at.begin + u, r)) continue;
            for (int c = 0; c < 3 * a.n; ++c) largest = larger(largest, magnitude(entry_of(at, u, r, c, {})));
        }
        return largest;
    }
    /// Whether a tile is staged without the conjugation that the operation asks for, which its reader then does.
    COPPICE_HD COPPICE_ALWAYS_INLINE bool conjugated() const {
        return is_complex_lane<T> && a.op == matrix_operation::conjugate_transposed;
    }
    /// How many of `units` units of a stretch can be copied by runs (below): those that matrix_rows calls plain.
    COPPICE_HD COPPICE_ALWAYS_INLINE unit_range plain(stretch_place const& at, int units) const {
        return unit_range::inside(at, at.begin == 0 ? plain_begin() : 0, plain_end(at) - at.begin, units);
    }
    /// The first unit of a stretch: its number within the system, and its place in the storage.
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t first_of(stretch_place const& at) { return at.begin; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t origin(stretch_place const& at) {
        return at.units.base + at.begin * at.units.stride;
    }
    /// The units of the system that a stretch belongs to.
    COPPICE_HD COPPICE_ALWAYS_INLINE static constexpr int plain_begin() { return 1; }
    COPPICE_HD COPPICE_ALWAYS_INLINE static std::int64_t plain_end(stretch_place const& at) {
        return at.units.rows - 2;
    }
    /// From one unit of a stretch to the next in the storage, in units; not 1 where systems are interleaved.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t stride() const { return a.batch.interleaved ? a.batch.systems : 1; }
    /// The largest number of units in a stretch.
    template <class Shape>
    static constexpr int most_units = 1 << log_stretch_rows;
    /// Calls run(from, pitch, length, first, step): element e of `length` of block row i, from[i pitch + e], is element
    /// first + e step of the unit, [side][K] and then [column][K]. Of conjugated units it is the conjugate. Not of
    /// banded matrices, which chain_bands.hpp takes row by row.
    template <class Shape, class Run>
    COPPICE_HD COPPICE_ALWAYS_INLINE void for_each_run(Shape const& g, Run const& run) const {
        constexpr int n = Shape::rows();
        constexpr std::integral_constant<int, n> row{};
        int const behind = g.sides * n;
        COPPICE_NO_UNROLL
        for (int side = 0; side < g.sides; ++side) run(d + side * d_leading, n, row, side * n, 1);
        if (a.op != matrix_operation::none) { // row r of a block of the unit is column r of one of its neighbours
            COPPICE_NO_UNROLL
            for (int i = 0; i < 3 * n; ++i) {
                int const part = i / n, r = i - part * n;
                T const* const band = part == 0 ? a.upper : part == 1 ? a.diagonal : a.lower;
                run(band + (part - 1) * stride() * n * n + r * n, n * n, row, behind + part * n * n + r, n);
            }
            return;
        }
        COPPICE_NO_UNROLL
        for (int i = 0; i < 3; ++i)
            run(i == 0   ? a.lower
                : i == 1 ? a.diagonal
                         : a.upper,
                n * n, std::integral_constant<int, n * n>(), behind + i * n * n, 1);
    }
    template <class Lane, int Lanes>
    COPPICE_HD void store(stretch_places<Lanes> const& at, int u, int r, int side, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            system_place const& s = at.lane[l].units;
            std::int64_t const j = at.lane[l].begin + u;
            if (at.lane[l].link >= 0 && a.has_row(s, j, r))
                x[(s.base + j * s.stride) * a.n + r + side * x_leading] = get_lane(value, l);
        }
    }
    /// Where the solution of a stretch is written.
    COPPICE_HD COPPICE_ALWAYS_INLINE solution_run<T> solution(stretch_place const& at, int units, int side) const {
        std::int64_t const end = a.banded() ? a.scalar_rows : at.units.rows * a.n, rows = end - at.begin * a.n;
        std::int64_t const all = std::int64_t(units) * a.n, here = at.link < 0 ? 0 : rows < all ? rows : all;
        T* const to = x + (at.units.base + at.begin * at.units.stride) * a.n + side * x_leading;
        return {to, at.units.stride * a.n, int(here)};
    }
    /// The scalar row, within the system, of unknown k that unit u eliminates; -1 for a row that only fills up a
    /// stretch.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_of(stretch_place const& place, int u, int k) const {
        std::int64_t const j = place.begin + u - 1;
        return a.has_row(place.units, j, k) ? j * a.n + k : -1;
    }
};

/// The links of one depth, in the workspace, as units of the next stage. On the way back the unknowns before a link are
/// stored over its right-hand sides.
template <class T>
struct link_units {
    using real = real_lane_t<T>;
    static constexpr bool of_rows = false;

    T* matrix = nullptr;   ///< [link][2 W][W], column after column
    T* rhs = nullptr;      ///< [link][sides][W]
    real* sizes = nullptr; ///< [link], a link_size each
    int depth = 0;         ///< at least 1
    int width = 0;         ///< W
    int sides = 0;
    matrix_rows<T> a;      ///< what they are links of,
    std::int64_t span = 0; ///< and how many of its block rows each stands for
    std::int64_t* singular = nullptr;

    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load(Team const& team, Shape const&, filled_places<Lanes> const& at, int u,
                                               stack_view<Lane> const& to) const {
        int const all = 2 * width + sides;
        for (int i = team.rank(); i < width * all; i += team.size()) {
            int const r = i / all, c = i - r * all;
            Lane& target = to(width + r, c < 2 * width ? c : to.left + c);
            for (int l = 0; l < Lanes; ++l)
                set_lane(target, l,
                         c < 2 * width ? entry_of(at.lane[l], u, r, c, at.filling[l])
                                       : side_of(at.lane[l], u, r, c - 2 * width));
        }
    }
    template <class Lane, class Team, class Shape, int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE void load_sides(Team const& team, Shape const&, stretch_places<Lanes> const& at,
                                                     int u, stack_view<Lane> const& to, int row, int column) const {
        for (int i = team.rank(); i < width * sides; i += team.size()) {
            int const r = i / sides, side = i - r * sides;
            for (int l = 0; l < Lanes; ++l) set_lane(to(row + r, column + side), l, side_of(at.lane[l], u, r, side));
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE link_size<real> size_of(std::int64_t link) const {
        return link_size<real>(sizes[link]);
    }
    /// Of all links of a stretch of `units`.
    COPPICE_HD COPPICE_ALWAYS_INLINE link_size<real> known(stretch_place const& at, int units) const {
        std::int64_t const left = at.units.rows - at.begin;
        int const here = left < units ? int(left) : units;
        link_size<real> all(sizes[at.units.base + at.begin]);
        for (int u = 1; u < here; ++u) all = all.with(size_of(at.units.base + at.begin + u));
        return all;
    }
    template <class Team>
    COPPICE_HD COPPICE_ALWAYS_INLINE static real largest_entry(Team const&, stretch_place const&, int) {
        return 0;
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry(std::int64_t link, int r, int c) const {
        return c < 2 * width ? matrix[(link * 2 * width + c) * width + r] : side_at(link, r, c - 2 * width);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T& side_at(std::int64_t link, int r, int side) const {
        return rhs[(link * sides + side) * width + r];
    }
    /// One entry of unit u of a stretch. Units behind the last link of a system state z = y.
    COPPICE_HD COPPICE_ALWAYS_INLINE T side_of(stretch_place const& at, int u, int r, int side) const {
        std::int64_t const j = at.begin + u;
        return j < at.units.rows ? side_at(at.units.base + j, r, side) : T(0);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE T entry_of(stretch_place const& at, int u, int r, int c,
                                                filling_sizes const& filling) const {
        std::int64_t const j = at.begin + u;
        if (j < at.units.rows) return entry(at.units.base + j, r, c);
        // The last block of unknowns comes first where it has an odd number before it.
        bool const first = r < width / 2, even = a.batch.system(at.units.system).rows % 2 == 0;
        double const size = first == even ? filling.last : filling.behind;
        return a.sized(c == r ? -size : c == width + r ? size : 0);
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE filling_sizes filling(stretch_place const& at) const {
        return a.filling(a.batch.system(at.units.system));
    }
    template <class Lane, int Lanes>
    COPPICE_HD void store(stretch_places<Lanes> const& at, int u, int r, int side, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            system_place const& s = at.lane[l].units;
            std::int64_t const j = at.lane[l].begin + u;
            if (at.lane[l].link >= 0 && j < s.rows) side_at(s.base + j, r, side) = get_lane(value, l);
        }
    }
    /// Whether one of the stretches became a link by reflections.
    template <int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE bool any_reflected(stretch_places<Lanes> const& at) const {
        bool any = false;
        for (int l = 0; l < Lanes; ++l) any = any || (at.lane[l].link >= 0 && sizes[at.lane[l].link] < 0);
        return any;
    }
    /// Keeps in the places only the stretches that became links by reflections, or only the others; returns whether any
    /// are left.
    template <int Lanes>
    COPPICE_HD COPPICE_ALWAYS_INLINE bool leave(stretch_places<Lanes>& at, bool reflected) const {
        bool any = false;
        for (stretch_place& place : at.lane) {
            if (place.link >= 0 && (sizes[place.link] < 0) != reflected) place.link = -1;
            any = any || place.link >= 0;
        }
        return any;
    }
    /// Stores column c of row r of the links that stretches became.
    template <class Lane, int Lanes>
    COPPICE_HD void take(stretch_places<Lanes> const& at, int r, int c, Lane const& value) const {
        for (int l = 0; l < Lanes; ++l) {
            std::int64_t const link = at.lane[l].link;
            if (link < 0) continue;
            if (c < 2 * width)
                matrix[(link * 2 * width + c) * width + r] = get_lane(value, l);
            else
                side_at(link, r, c - 2 * width) = get_lane(value, l);
        }
    }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_of(stretch_place const& place, int u, int k) const {
        return row_before(place.begin + u, k, place.units.system);
    }
    /// The scalar row, within the system, of unknown k among the unknowns before link j.
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t row_before(std::int64_t j, int k, std::int64_t system) const {
        system_place const rows = a.batch.system(system);
        std::int64_t block = j * span + (k < a.n ? -1 : 0);
        if (block < 0) block = rows.rows - 1;
        return a.has_row(rows, block, k % a.n) ? block * a.n + k % a.n : -1;
    }
};

/// The unknowns before and behind a stretch, read from the solved links of the next depth.
template <class T>
struct link_boundary {
    link_units<T> const& links;

    /// Unknown k before a stretch, and unknown k behind the stretch.
    template <class Lane, int Lanes>
    COPPICE_HD void left(stretch_places<Lanes> const& at, int k, int side, Lane& to) const {
        for (int l = 0; l < Lanes; ++l)
            set_lane(to, l, at.lane[l].link < 0 ? T(0) : links.side_at(at.lane[l].link, k, side));
    }
    template <class Lane, int Lanes>
    COPPICE_HD void right(stretch_places<Lanes> const& at, int k, int side, Lane& to) const {
        for (int l = 0; l < Lanes; ++l) {
            stretch_place const& place = at.lane[l];
            int const w = links.width, there = place.exchanged ? (k + w / 2) % w : k;
            set_lane(to, l, place.link < 0 ? T(0) : links.side_at(place.next, there, side));
        }
    }
};

/// The elimination for a lane type.
template <class Lane, class Real>
COPPICE_HD COPPICE_ALWAYS_INLINE auto spread(elimination<Real> const& how) {
    using real = real_lane_t<Lane>;
    return elimination<real>{real(how.threshold), how.flush, how.equilibrate};
}

/// Everything that a launcher needs for one stage: units in, links out.
template <class T, class Units>
struct stage {
    using value_type = T;
    using real = real_lane_t<T>;

    Units units;
    link_units<T> links;
    levels all;
    unit_shape<any_size> shape;
    elimination<real_lane_t<T>> how;
    std::int64_t stretches;
    int const* gate; ///< null, or: do nothing unless it points to something other than 0

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return is_open(gate); }

    template <class Lane, class Team, class Shape>
    COPPICE_HD void reduce(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        filled_places<lane_count<Lane>> const at(all, units, p);
        pivot_teller<Units, lane_count<Lane>> const teller{{}, units, at};
        auto const lane_how = spread<Lane>(how);
        memory_stacks stacks(team, units, g, at, memory, g.width(), static_cast<Lane const*>(nullptr), lane_how);
        reduce_stretch(stacks, g, at, links, teller);
        auto const grown = growth_of(team, at, largest_of_team(team, stacks.size, stacks.next.at),
                                     largest_of_team(team, stacks.largest_left(), stacks.next.at));
        if (team.any(grown.some)) reduce_again(team, at, grown, memory);
        team.sync();
    }
    template <class Lane, class Team, class Shape>
    COPPICE_HD void substitute(Team const& team, Shape const& g, std::int64_t p, Lane* memory) const {
        filled_places<lane_count<Lane>> at(all, units, p);
        if (team.any(links.any_reflected(at))) {
            substitute_again(team, at, memory);
            if (!team.any(links.leave(at, false))) return;
        }
        auto const lane_how = spread<Lane>(how);
        substitute_with<Lane>(team, g, at, memory, [&](Lane const* known) {
            return memory_stacks(team, units, g, at, memory, 0, known, lane_how);
        });
    }

    /// What is known of growth in the stretches of a pack after their reduction.
    template <class Real>
    struct growth {
        Real size, largest; ///< of the first units, where those are rows, and of the links
        bool some;          ///< whether any is to be looked at again
    };
    /// Links get their sizes.
    template <class Team, int Lanes, class Real>
    COPPICE_HD COPPICE_ALWAYS_INLINE growth<Real> growth_of(Team const& team, stretch_places<Lanes> const& at,
                                                            Real const& first, Real const& largest) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            if (at.lane[l].link < 0) continue;
            auto const size = size_before(at.lane[l], get_lane(first, l));
            some = some || size.reflected || has_grown(get_lane(largest, l), size.size, links.width);
            if (team.rank() == 0) links.sizes[at.lane[l].link] = size.mark();
        }
        return {first, largest, some};
    }
    /// Of the units of a stretch, from those of links or from what is known of rows.
    COPPICE_HD COPPICE_ALWAYS_INLINE link_size<real> size_before(stretch_place const& at, real const& of_rows) const {
        link_size<real> known = units.known(at, shape.units);
        if (how.equilibrate)
            known.size = 1;
        else if (Units::of_rows)
            known.size = of_rows;
        return known;
    }

    /// Of the stretches in `at`, keeps those that are to be eliminated again by reflections: stretches whose links have
    /// grown, and stretches with a link under them that came from reflections, since then only a pivot made by a
    /// reflection has a size that tells whether the pivot counts as zero. Returns whether any stretch is left in this
    /// team or in the teams that run in step with this team; `memory` belongs to this team.
    template <class Team, int Lanes, class Real>
    COPPICE_HD bool again(Team const& team, stretch_places<Lanes>& at, growth<Real> const& seen, Real& tolerance,
                          void* memory) const {
        bool some = false;
        for (int l = 0; l < Lanes; ++l) {
            stretch_place& place = at.lane[l];
            real const largest = get_lane(seen.largest, l);
            auto size = size_before(place, get_lane(seen.size, l));
            bool const due = place.link >= 0 && (size.reflected || has_grown(largest, size.size, links.width));
            if (Units::of_rows && !how.equilibrate && (due || Lanes == 1)) // a team goes along with others
                size.size =
                    larger(size.size, largest_of_team(team, units.largest_entry(team, place, shape.units), memory));
            size.reflected = due && (size.reflected || has_grown(largest, size.size, links.width));
            set_lane(tolerance, l, size.tolerance());
            if (due && team.rank() == 0) links.sizes[place.link] = size.mark();
            if (!size.reflected) place.link = -1;
            some = some || size.reflected;
        }
        if (how.flush) tolerance = larger(tolerance, Real(how.threshold));
        return team.any(some);
    }
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void reduce_again(Team const& team, filled_places<Lanes> at,
                                                   growth<real_lane_t<Lane>> const& seen, Lane* memory) const {
        real_lane_t<Lane> tolerance;
        if (!again(team, at, seen, tolerance, memory)) return;
        auto const lane_how = spread<Lane>(how);
        reflecting_stacks stacks(
            memory_stacks(team, units, shape, at, memory, shape.width(), static_cast<Lane const*>(nullptr), lane_how),
            tolerance);
        reduce_stretch(stacks, shape, at, links, pivot_teller<Units, Lanes>{{}, units, at});
    }
    /// Substitutes only in the stretches whose links came from reflections.
    template <class Lane, class Team, int Lanes>
    [[gnu::noinline]] COPPICE_HD void substitute_again(Team const& team, filled_places<Lanes> at, Lane* memory) const {
        links.leave(at, true);
        auto const lane_how = spread<Lane>(how);
        substitute_with<Lane>(team, shape, at, memory, [&](Lane const* known) {
            return reflecting_stacks(memory_stacks(team, units, shape, at, memory, 0, known, lane_how),
                                     real_lane_t<Lane>(0));
        });
    }

private:
    template <class Lane, class Team, class Shape, int Lanes, class Stacks>
    COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_with(Team const& team, Shape const& g,
                                                          filled_places<Lanes> const& at, Lane* memory,
                                                          Stacks const& stacks_for) const {
        slot_rows<Lane, Shape> const slots{memory + 2ll * g.pitch() * g.substitute_columns(), g};
        link_boundary<T> const boundary{links};
        take_left(team, g, at, slots, boundary);
        auto stacks = stacks_for(slots.known());
        substitute_stretch(team, stacks, g, at, slots, boundary, silent_teller{});
        int const each = g.rows() * g.sides;
        for (int i = team.rank(); i < g.units * each; i += team.size()) {
            int const u = i / each, rest = i - u * each, side = rest / g.rows(), r = rest - side * g.rows();
            units.store(at, u, r, side, slots.side(u, r, side));
        }
        team.sync();
    }
};

/// Solves the last link of each system, a dense system of 2 n equations whose ends y and z are the same unknowns; each
/// system needs elements() of memory.
template <class T>
struct closing {
    using value_type = T;
    using real = real_lane_t<T>;

    link_units<T> links;
    levels all;
    elimination<real_lane_t<T>> how;
    int const* gate;

    COPPICE_HD COPPICE_ALWAYS_INLINE bool open() const { return is_open(gate); }
    COPPICE_HD COPPICE_ALWAYS_INLINE std::int64_t elements() const {
        return std::int64_t(links.width | 1) * (links.width + links.sides);
    }

    struct teller : no_record {
        link_units<T> const& links;
        std::int64_t system;
        COPPICE_HD COPPICE_ALWAYS_INLINE teller(link_units<T> const& l, std::int64_t s) : links(l), system(s) {}
        COPPICE_HD COPPICE_ALWAYS_INLINE bool wanted() const { return links.singular != nullptr && system >= 0; }
        COPPICE_HD COPPICE_ALWAYS_INLINE void operator()(int k, int) const {
            if (std::int64_t const row = links.row_before(0, k, system); row >= 0)
                lower_to(links.singular + system, met_at(links.depth + (k < links.a.n ? 0 : 1), row));
        }
    };

    /// S + R of the last link of a system, and its right-hand sides; a unit matrix for a system without rows.
    template <class Team>
    COPPICE_HD void load(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = links.width;
        std::int64_t const link = rows == 0 ? 0 : all.first(s, links.depth);
        for (int i = team.rank(); i < w * m.columns; i += team.size()) {
            int const c = i / w, r = i - c * w, behind = rows % 2 == 1 ? (c + w / 2) % w : c;
            m(r, c) = rows == 0 ? links.a.sized(c == r ? 1 : 0)
                      : c >= w  ? links.entry(link, r, c + w)
                                : links.entry(link, r, c) + links.entry(link, r, w + behind);
        }
    }
    template <class Team>
    COPPICE_HD void solve(Team const& team, std::int64_t s, T* memory) const {
        std::int64_t const rows = s < all.batch.systems ? all.batch.system(s).rows : 0;
        int const w = links.width, columns = w + links.sides;
        // A team without a system goes along, on a unit matrix, so that its lanes meet the others at barriers.
        bool const idle = rows == 0;
        std::int64_t const link = idle ? 0 : all.first(s, links.depth);
        stack_view<T> const m{memory, w | 1, columns, 0};
        eliminate(team, s, m, teller{links, idle ? -1 : s});
        for (int side = idle ? links.sides : team.rank(); side < links.sides; side += team.size()) {
            solve_triangle(
                w, [&](int r, int c) -> T const& { return m(r, c); }, [&](int r) -> T& { return m(r, w + side); });
            for (int r = 0; r < w; ++r) links.side_at(link, r, side) = m(r, w + side);
        }
    }
    /// Eliminates S + R in `m`: by reflections where a stretch of the system was eliminated so or where rows of S + R
    /// grow.
    template <class Team, class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE void eliminate(Team const& team, std::int64_t s, stack_view<T> const& m,
                                                    Tell const& tell) const {
        bool const idle = s >= all.batch.systems || all.batch.system(s).rows == 0;
        auto const size = idle ? link_size<real>(0, false) : links.size_of(all.first(s, links.depth));
        prepare(team, s, m);
        eliminate_columns(team, m, links.width, links.width, links.width, m, how, tell);
        if (bool const again = size.reflected || (!idle && has_grown(largest_above(m), size.size, links.width));
            team.any(again))
            eliminate_again(team, s, m, size, again, tell);
    }

private:
    template <class Team>
    COPPICE_HD COPPICE_ALWAYS_INLINE void prepare(Team const& team, std::int64_t s, stack_view<T> const& m) const {
        load(team, s, m);
        team.sync();
        if (how.equilibrate) equilibrate_rows(team, m, 0, links.width, links.width);
    }
    /// The growth of the pivot rows; a pivot is as large as the entries behind it, or does not matter.
    COPPICE_HD COPPICE_ALWAYS_INLINE real largest_above(stack_view<T> const& m) const {
        largest_magnitude<T> largest;
        for (int c = 1; c < links.width; ++c)
            for (int r = 0; r < c; ++r) largest.look_at(m(r, c));
        return largest.value();
    }
    /// `again`: this team; others of its warp may go along for their own sake.
    template <class Team, class Tell>
    [[gnu::noinline]] COPPICE_HD void eliminate_again(Team const& team, std::int64_t s, stack_view<T> const& m,
                                                      link_size<real> const& size, bool again, Tell const& tell) const {
        onlooking<Team> const workers{team, again};
        real tolerance = size.tolerance();
        if (how.flush) tolerance = larger(tolerance, how.threshold);
        team.sync(); // all have looked
        prepare(workers, s, m);
        reflected_column<T> told[most_unit_rows];
        reflect_columns(workers, m, links.width, links.width, links.width, m, told);
        tell_of_reflected(workers, told, links.width, tolerance, tell);
    }
};

} // namespace coppice::chain
