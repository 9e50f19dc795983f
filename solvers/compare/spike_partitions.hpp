// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Partitions of SPIKE: work of one thread on a partition in global memory, and tiles of partitions that a team stages.
#pragma once

#include <cstdint>

#include <coppice/solvers/compare/partition_team.hpp>

namespace coppice::inline v0_1::spike {

using classical::diagonal_pivots;
using classical::single_pivots;
using classical::span;
using classical::surroundings;

/// Rows of a system, split into partitions of `length` rows; the last partition may be shorter.
template <class T>
struct system {
    T const *lower, *diagonal, *upper, *rhs;
    std::int64_t n;
    int length;
    bool first, last; ///< whether there is no row before row 0, after row n - 1

    COPPICE_HD std::int64_t partitions() const { return (n + length - 1) / length; }
    COPPICE_HD int count(std::int64_t p) const {
        std::int64_t const left = n - p * length;
        return left < length ? int(left) : length;
    }
    COPPICE_HD T a(std::int64_t i) const { return i == 0 && first ? T(0) : lower[i]; }
    COPPICE_HD T c(std::int64_t i) const { return i == n - 1 && last ? T(0) : upper[i]; }
};

/// Row k of a partition has offset first + k stride.
struct row_offsets {
    std::int64_t first, stride;
    COPPICE_HD std::int64_t operator()(int k) const { return first + k * stride; }
};
/// Offsets of the rows of partition p: as stored, or interleaved for each 32 partitions (marshalled).
COPPICE_HD inline row_offsets offsets_of(std::int64_t p, int length, bool marshalled) {
    if (!marshalled) return {p * length, 1};
    return {p / 32 * 32 * length + p % 32, 32};
}

template <class T>
struct placed_rows {
    T const *lower, *diagonal, *upper, *rhs;
    row_offsets at;
    int count;
    bool first, last; ///< of the system
    COPPICE_HD int size() const { return count; }
    COPPICE_HD T a(int k) const { return k == 0 && first ? T(0) : lower[at(k)]; }
    COPPICE_HD T b(int k) const { return diagonal[at(k)]; }
    COPPICE_HD T c(int k) const { return k == count - 1 && last ? T(0) : upper[at(k)]; }
    COPPICE_HD T d(int k) const { return rhs[at(k)]; }
};

/// Synchronises the lanes of a warp that have partitions.
struct warp_of_partitions {
    std::int64_t p, partitions;
    COPPICE_HD void wait() const {
#if defined(__CUDA_ARCH__)
        std::int64_t const lanes = partitions - p / 32 * 32;
        __syncwarp(lanes < 32 ? (1u << unsigned(lanes)) - 1u : 0xffffffffu);
#endif
    }
};

/// Eliminates a partition such that no lane is more than `watermark` rows and one pivot ahead of another (Listing 3.2),
/// so that the data which the lanes read stays in the first-level cache. `length`: rows of the longest partition.
template <class Walk, class Save>
COPPICE_HD void walk_tiled(Walk& walk, Save const& save, int watermark, int length, warp_of_partitions const& warp) {
    int const step = watermark > 0 ? watermark : length;
    for (int limit = step; limit < length + step; limit += step) {
        while (!walk.done() && walk.k < limit) walk.step(save);
        if (watermark > 0) warp.wait();
    }
}

/// A system in global memory and the intermediate results of its partitions.
template <class T>
struct placed_system {
    system<T> of;      ///< bands and right-hand side, marshalled or not
    T *factor, *pairs; ///< M^T: x_k = y_k - m_k x_next, and whether rows k and k + 1 are one pivot
    T* pivots;         ///< leading entries, only for three passes
    T* x;              ///< y, then the solution
    bool marshalled;
    int watermark;

    COPPICE_HD placed_rows<T> rows(std::int64_t p) const {
        return {of.lower,
                of.diagonal,
                of.upper,
                of.rhs,
                offsets_of(p, of.length, marshalled),
                of.count(p),
                p == 0 && of.first,
                p == of.partitions() - 1 && of.last};
    }
    COPPICE_HD warp_of_partitions warp(std::int64_t p) const { return {p, of.partitions()}; }
};

/// Eliminates a partition from its first row; returns the equation of its last row.
template <class T, class Pivots, class Rows>
COPPICE_HD classical::solved_row<T> last_tiled(Rows const& rows, placed_system<T> const& s, std::int64_t p) {
    classical::pivot_walk<T, Pivots, Rows> walk(rows);
    walk_tiled(walk, classical::save_nothing{}, s.watermark, s.of.length, s.warp(p));
    return walk.last;
}

template <class T, class Pivots>
COPPICE_HD span<T> placed_span(placed_system<T> const& s, std::int64_t p) {
    placed_rows<T> const rows = s.rows(p);
    auto const last = last_tiled<T, Pivots>(rows, s, p);
    auto const first = last_tiled<T, Pivots>(classical::mirrored_rows<placed_rows<T>>{rows}, s, p);
    return {{first.m, first.w, first.y}, {last.w, last.m, last.y}};
}

/// Back substitution with M^T from the last row.
template <class T>
COPPICE_HD void placed_backward(placed_system<T> const& s, std::int64_t p) {
    row_offsets const at = offsets_of(p, s.of.length, s.marshalled);
    int const count = s.of.count(p);
    for (int k = count - 1; k >= 0; --k) {
        int const next = T(0) < s.pairs[at(k)] ? k + 2 : k + 1;
        if (next < count) s.x[at(k)] = s.x[at(k)] - s.factor[at(k)] * s.x[at(next)];
    }
}

/// Factorisation, forward substitution with L and B in the same pass, and back substitution with M^T.
template <class T, class Pivots>
COPPICE_HD void placed_solve(placed_system<T> const& s, std::int64_t p, surroundings<T> const& around) {
    placed_rows<T> const rows = s.rows(p);
    classical::surrounded_rows<T, placed_rows<T>> const known{rows, around};
    auto const save = [&](int k, classical::solved_row<T> const& row, bool pair) {
        s.pairs[rows.at(k)] = pair ? T(1) : T(0);
        s.factor[rows.at(k)] = row.m;
        s.x[rows.at(k)] = row.y;
    };
    classical::pivot_walk<T, Pivots, classical::surrounded_rows<T, placed_rows<T>>> walk(known);
    walk_tiled(walk, save, s.watermark, s.of.length, s.warp(p));
    placed_backward(s, p);
}

/// First of three passes: factorisation.
template <class T, class Pivots>
COPPICE_HD void placed_factors(placed_system<T> const& s, std::int64_t p) {
    placed_rows<T> const rows = s.rows(p);
    classical::surrounded_rows<T, placed_rows<T>> const known{rows, {T(0), T(0)}};
    classical::pivot_walk<T, Pivots, classical::surrounded_rows<T, placed_rows<T>>> walk(known);
    auto const save = [&](int k, classical::solved_row<T> const& row, bool pair) {
        s.pairs[rows.at(k)] = pair ? T(1) : T(0);
        s.factor[rows.at(k)] = row.m;
        if (k == walk.k) s.pivots[rows.at(k)] = walk.b; // only for the first row of a pivot
    };
    walk_tiled(walk, save, s.watermark, s.of.length, s.warp(p));
}
/// then forward substitution with L and B; back substitution with M^T is placed_backward.
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

/// Tiles of partitions in shared memory, 4 elements for each row.
template <class T>
struct staged_tiles {
    system<T> of;
    int partitions_of_tile;

    COPPICE_HD std::int64_t tiles() const { return (of.partitions() + partitions_of_tile - 1) / partitions_of_tile; }
    COPPICE_HD int elements() const { return 4 * partitions_of_tile * of.length; }

    /// Loads tile t in the order of the storage.
    template <class Team>
    COPPICE_HD classical::equations<T> load(Team const& team, std::int64_t t, T* memory) const {
        std::int64_t const first = t * partitions_of_tile * of.length, left = of.n - first;
        int const rows = left < partitions_of_tile * of.length ? int(left) : partitions_of_tile * of.length;
        classical::equations<T> const e = classical::equations_at(memory, rows);
        for (int k = team.rank(); k < rows; k += team.size()) {
            std::int64_t const i = first + k;
            e.set(k, {of.a(i), of.diagonal[i], of.c(i), of.rhs[i]});
        }
        team.sync();
        return e;
    }
    /// Partition q of a tile.
    COPPICE_HD classical::partition_rows<T> partition_of(classical::equations<T> const& e, std::int64_t t,
                                                         int q) const {
        return {e, q * of.length, of.count(t * partitions_of_tile + q)};
    }
    COPPICE_HD int partitions_in(std::int64_t t) const {
        std::int64_t const left = of.partitions() - t * partitions_of_tile;
        return left < partitions_of_tile ? int(left) : partitions_of_tile;
    }
};

} // namespace coppice::inline v0_1::spike
