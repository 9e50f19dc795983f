// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// A small banded system on one core: all rows pass through one front, first to last, as in LAPACK's gbsv. Included by
/// band_ends.cpp, which is compiled for several instruction sets, so everything is in an unnamed namespace.
#pragma once

#include <coppice/solvers/direct/block_banded/tiles/band_end.hpp>

namespace coppice::inline v0_1::COPPICE_ISA {
namespace {

using namespace coppice::chain;

/// The rows, and the pivot rows of back substitution, on the stack.
template <class T, int Lanes, int Width>
struct small_system {
    using column = front_column<T, Lanes>;
    static constexpr int spare = std::max(Lanes, 8); ///< rows after the last one that are read as zeros
    static constexpr int max_rows = int(band_ends<T>::max_small), pitch = max_rows + spare;
    static constexpr int max_entries = Width + spare; ///< of a row that starts below the first lanes

    band_ends<T> const& e;
    int const n, below, rhs_count;
    alignas(64) T rows[max_entries + max_rhs][pitch]; ///< [entry or right-hand side][row]; zero from row n on
    T entries[max_rows][Width + 1], values[max_rhs][max_rows];
    column rhs[max_rhs];

    COPPICE_ALWAYS_INLINE explicit small_system(band_ends<T> const& job)
        : e(job), n(int(job.a.scalar_rows)), below(job.lower), rhs_count(job.rhs_count) {
        load();
    }

    void load() {
        if (!e.a.banded()) return copy_blocks();
        if (n < 4) return copy<1>();
        n < 8 ? copy<4>() : copy<8>();
    }
    void copy_blocks() {
        for (auto& row : rows)
            for (int i = 0; i < n + spare; i += 8) clear_group(row + i);
        copy_block_rows(e.a, e.block_stride, 0, 1, rows[below], pitch, n);
        for (int s = 0; s < rhs_count; ++s)
            for (int i = 0; i < n; ++i) rows[max_entries + s][i] = e.d[s * e.d_leading + i];
        if (e.how.equilibrate) scale_rows<max_entries>(rows[0], pitch, n, rhs_count);
    }
    /// Copies the rows, `Group` at a time; entries outside of the matrix become zero.
    template <int Group>
    COPPICE_ALWAYS_INLINE void copy() {
        using group = front_column<T, Group>;
        matrix_rows<T> const& a = e.a;
        bool const transposed = a.op != matrix_operation::none;
        int const count = n, lower = transposed ? a.upper_bands : a.lower_bands,
                  upper = transposed ? a.lower_bands : a.upper_bands;
        int const first = below - (lower < count ? lower : count - 1),
                  last = below + (upper < count ? upper : count - 1);
        // From here on, the entries of row i are from[i], from[i + step], ...
        T const* const from = a.diagonal + (a.lower_bands + (transposed ? below - first : first - below)) * count +
                              (transposed ? first - below : 0);
        int const step = transposed ? 1 - count : count;
        for (int i = 0; i < count; i += Group) { // the last group overlaps the one before
            int const at = i < count - Group ? i : count - Group;
            copy_group(group(), rows[first] + at, from + at, step, last - first + 1, at + first - below, count);
            copy_group(group(), rows[max_entries] + at, e.d + at, e.d_leading, rhs_count, 0, 1 << 30);
        }
        for (int j = 0; j < max_entries; ++j)
            for (int i = j < first || j > last ? 0 : count; i < count + 8; i += 8) clear_group(rows[j] + i);
        for (int s = 0; s < rhs_count; ++s) clear_group(rows[max_entries + s] + count);
        if (e.how.equilibrate) scale_rows<max_entries>(rows[0], pitch, count, rhs_count);
    }
    /// Copies some rows of `many` bands. Those of the first band have their entries in columns `across`, `across` + 1,
    /// ...
    template <class Group>
    COPPICE_ALWAYS_INLINE static void copy_group(Group, T* to, T const* from, std::int64_t step, int many, int across,
                                                 int columns) {
        using integer = typename Group::bits_type;
        constexpr int registers = Group::size / Group::width;
        typename Group::bits column[registers];
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r)
            column[r] = lane_keys<Group>::own_number() + integer(across + r * Group::width);
        for (int j = 0; j < many; ++j, to += pitch, from += step) {
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) {
                typename Group::vector rows;
                __builtin_memcpy(&rows, from + r * Group::width, sizeof(rows));
                auto const inside = (column[r] > integer(-1)) & (column[r] < integer(columns));
                rows = inside ? rows : typename Group::vector{};
                column[r] += 1;
                __builtin_memcpy(to + r * Group::width, &rows, sizeof(rows));
            }
        }
    }
    COPPICE_ALWAYS_INLINE static void clear_group(T* to) { __builtin_memset(to, 0, 8 * sizeof(T)); }
    /// Eliminates all unknowns. Calls zero_pivot(unknown) for a column without a pivot.
    template <class Observer>
    COPPICE_ALWAYS_INLINE void eliminate(Observer const& zero_pivot) {
        lane_front<column, Width> front;
        front.clear();
        auto const entering = [&](int j, int row) COPPICE_INLINE_LAMBDA {
            return entering_row<T>{rows[j] + row, rows[max_entries] + row, pitch};
        };
        for (int i = 0; i < below; ++i) front.put(i, entering(below - i, i));
        for (int s = 0; s < rhs_count; ++s) {
            auto const own = lanes_before<column>(below);
#pragma GCC unroll 8
            for (int r = 0; r < Lanes / column::width; ++r) {
                typename column::vector first;
                __builtin_memcpy(&first, rows[max_entries + s] + r * column::width, sizeof(first));
                rhs[s].v[r] = own.m[r] ? first : typename column::vector{};
            }
        }
        for (int u = 0; u < n; ++u)
            if (front.eliminate(entering(0, u + below), rhs, rhs_count, e.how.flush, e.how.threshold,
                                saved_row<T>{entries[u], values[0] + u, max_rows}))
                zero_pivot(u);
    }
    COPPICE_ALWAYS_INLINE void substitute() {
        for (int s = 0; s < rhs_count; ++s) {
            T after[Width] = {};
            one_end<T, Lanes, Width>::substitute_rhs(entries[0], n, values[s], after);
            T* const x = e.x + s * e.x_leading;
            for (int i = 0; i < n; ++i) x[i] = values[s][i];
        }
    }
};

} // namespace
} // namespace coppice::inline v0_1::COPPICE_ISA
