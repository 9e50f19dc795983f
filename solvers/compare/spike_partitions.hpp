// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The partitions of SPIKE, as one worker each works on them where they lie, and as a team stages a tile of them.
#pragma once

#include <cstdint>

#include <coppice/solvers/compare/partition_team.hpp>

namespace coppice::spike {

using classical::diagonal_pivots;
using classical::single_pivots;
using classical::span;
using classical::surroundings;

/// Rows of a system in partitions of `length`; the last one may be shorter.
template <class T>
struct system {
    T const *lower, *diagonal, *upper, *rhs;
    std::int64_t n;
    int length;
    bool first, last; ///< whether nothing is before row 0, behind row n - 1

    COPPICE_HD std::int64_t parts() const { return (n + length - 1) / length; }
    COPPICE_HD int count(std::int64_t p) const {
        std::int64_t const left = n - p * length;
        return left < length ? int(left) : length;
    }
    COPPICE_HD T a(std::int64_t i) const { return i == 0 && first ? T(0) : lower[i]; }
    COPPICE_HD T c(std::int64_t i) const { return i == n - 1 && last ? T(0) : upper[i]; }
};

/// Row k of a partition at place + k stride.
struct places {
    std::int64_t place, stride;
    COPPICE_HD std::int64_t operator()(int k) const { return place + k * stride; }
};
/// As stored, or row by row for each 32 partitions.
COPPICE_HD inline places places_of(std::int64_t p, int length, bool marshalled) {
    if (!marshalled) return {p * length, 1};
    return {p / 32 * 32 * length + p % 32, 32};
}

template <class T>
struct placed_rows {
    T const *lower, *diagonal, *upper, *rhs;
    places at;
    int count;
    bool first, last; ///< of the system
    COPPICE_HD int size() const { return count; }
    COPPICE_HD T a(int k) const { return k == 0 && first ? T(0) : lower[at(k)]; }
    COPPICE_HD T b(int k) const { return diagonal[at(k)]; }
    COPPICE_HD T c(int k) const { return k == count - 1 && last ? T(0) : upper[at(k)]; }
    COPPICE_HD T d(int k) const { return rhs[at(k)]; }
};

/// Lets the lanes of a warp that have partitions wait for each other.
struct warp_of_parts {
    std::int64_t p, parts;
    COPPICE_HD void wait() const {
#if defined(__CUDA_ARCH__)
        std::int64_t const lanes = parts - p / 32 * 32;
        __syncwarp(lanes < 32 ? (1u << unsigned(lanes)) - 1u : 0xffffffffu);
#endif
    }
};

/// Walks through a partition; no lane is more than `watermark` rows and a pivot ahead of another (Listing 3.2): what
/// they read stays in the first-level cache. `length`: rows of the longest partition.
template <class Walk, class Kept>
COPPICE_HD void walk_tiled(Walk& walk, Kept const& kept, int watermark, int length, warp_of_parts const& warp) {
    int const step = watermark > 0 ? watermark : length;
    for (int mark = step; mark < length + step; mark += step) {
        while (!walk.done() && walk.k < mark) walk.step(kept);
        if (watermark > 0) warp.wait();
    }
}

/// A system in global memory and what its partitions leave there.
template <class T>
struct placed_system {
    system<T> of;      ///< bands and right-hand side, marshalled or not
    T *factor, *pairs; ///< M^T: x_k = y_k - m_k x_next, and whether rows k and k + 1 are one pivot
    T* pivots;         ///< leading entries, for three passes
    T* x;              ///< y at first
    bool marshalled;
    int watermark;

    COPPICE_HD placed_rows<T> rows(std::int64_t p) const {
        return {of.lower,
                of.diagonal,
                of.upper,
                of.rhs,
                places_of(p, of.length, marshalled),
                of.count(p),
                p == 0 && of.first,
                p == of.parts() - 1 && of.last};
    }
    COPPICE_HD warp_of_parts warp(std::int64_t p) const { return {p, of.parts()}; }
};

/// The last row of a partition, eliminated from the first.
template <class T, class Pivots, class Rows>
COPPICE_HD classical::solved_row<T> last_tiled(Rows const& rows, placed_system<T> const& s, std::int64_t p) {
    classical::pivot_walk<T, Pivots, Rows> walk(rows);
    walk_tiled(walk, classical::keep_no_rows{}, s.watermark, s.of.length, s.warp(p));
    return walk.last;
}

template <class T, class Pivots>
COPPICE_HD span<T> placed_span(placed_system<T> const& s, std::int64_t p) {
    placed_rows<T> const rows = s.rows(p);
    auto const last = last_tiled<T, Pivots>(rows, s, p);
    auto const first = last_tiled<T, Pivots>(classical::mirrored_rows<placed_rows<T>>{rows}, s, p);
    return {{first.m, first.w, first.y}, {last.w, last.m, last.y}};
}

/// M^T from the last row.
template <class T>
COPPICE_HD void placed_backward(placed_system<T> const& s, std::int64_t p) {
    places const at = places_of(p, s.of.length, s.marshalled);
    int const count = s.of.count(p);
    for (int k = count - 1; k >= 0; --k) {
        int const next = T(0) < s.pairs[at(k)] ? k + 2 : k + 1;
        if (next < count) s.x[at(k)] = s.x[at(k)] - s.factor[at(k)] * s.x[at(next)];
    }
}

/// Factors, L and B in one pass, and M^T.
template <class T, class Pivots>
COPPICE_HD void placed_solve(placed_system<T> const& s, std::int64_t p, surroundings<T> const& around) {
    placed_rows<T> const rows = s.rows(p);
    classical::surrounded_rows<T, placed_rows<T>> const known{rows, around};
    auto const kept = [&](int k, classical::solved_row<T> const& row, bool pair) {
        s.pairs[rows.at(k)] = pair ? T(1) : T(0);
        s.factor[rows.at(k)] = row.m;
        s.x[rows.at(k)] = row.y;
    };
    classical::pivot_walk<T, Pivots, classical::surrounded_rows<T, placed_rows<T>>> walk(known);
    walk_tiled(walk, kept, s.watermark, s.of.length, s.warp(p));
    placed_backward(s, p);
}

/// The same in three passes: first the factors,
template <class T, class Pivots>
COPPICE_HD void placed_factors(placed_system<T> const& s, std::int64_t p) {
    placed_rows<T> const rows = s.rows(p);
    classical::surrounded_rows<T, placed_rows<T>> const known{rows, {T(0), T(0)}};
    classical::pivot_walk<T, Pivots, classical::surrounded_rows<T, placed_rows<T>>> walk(known);
    auto const kept = [&](int k, classical::solved_row<T> const& row, bool pair) {
        s.pairs[rows.at(k)] = pair ? T(1) : T(0);
        s.factor[rows.at(k)] = row.m;
        if (k == walk.k) s.pivots[rows.at(k)] = walk.b; // of the row that leads
    };
    walk_tiled(walk, kept, s.watermark, s.of.length, s.warp(p));
}
/// then L and B; M^T is placed_backward.
template <class T>
COPPICE_HD void placed_forward(placed_system<T> const& s, std::int64_t p, surroundings<T> const& around) {
    placed_rows<T> const rows = s.rows(p);
    classical::surrounded_rows<T, placed_rows<T>> const known{rows, around};
    T y(0);
    for (int k = 0; k < rows.count;) {
        T const b = s.pivots[rows.at(k)], z = known.d(k) - known.a(k) * y;
        if (T(0) < s.pairs[rows.at(k)]) {
            T const c = rows.c(k), a1 = rows.a(k + 1), b1 = rows.b(k + 1), d1 = known.d(k + 1);
            T const determinant = b * b1 - a1 * c;
            s.x[rows.at(k)] = (b1 * z - c * d1) / determinant;
            s.x[rows.at(k + 1)] = y = (b * d1 - a1 * z) / determinant;
            k += 2;
        } else {
            s.x[rows.at(k)] = y = z / b;
            k += 1;
        }
    }
}

/// A tile of partitions in memory that a team shares, 4 elements a row.
template <class T>
struct staged_tiles {
    system<T> of;
    int parts_of_tile;

    COPPICE_HD std::int64_t tiles() const { return (of.parts() + parts_of_tile - 1) / parts_of_tile; }
    COPPICE_HD int elements() const { return 4 * parts_of_tile * of.length; }

    /// Brings tile t in, in the order of memory.
    template <class Team>
    COPPICE_HD classical::equations<T> load(Team const& team, std::int64_t t, T* memory) const {
        std::int64_t const first = t * parts_of_tile * of.length, left = of.n - first;
        int const rows = left < parts_of_tile * of.length ? int(left) : parts_of_tile * of.length;
        classical::equations<T> const e = classical::equations_at(memory, rows);
        for (int k = team.rank(); k < rows; k += team.size()) {
            std::int64_t const i = first + k;
            e.set(k, {of.a(i), of.diagonal[i], of.c(i), of.rhs[i]});
        }
        team.sync();
        return e;
    }
    /// Partition q of a tile.
    COPPICE_HD classical::part_rows<T> part(classical::equations<T> const& e, std::int64_t t, int q) const {
        return {e, q * of.length, of.count(t * parts_of_tile + q)};
    }
    COPPICE_HD int parts_in(std::int64_t t) const {
        std::int64_t const left = of.parts() - t * parts_of_tile;
        return left < parts_of_tile ? int(left) : parts_of_tile;
    }
};

} // namespace coppice::spike
