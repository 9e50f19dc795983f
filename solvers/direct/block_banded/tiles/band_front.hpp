// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a banded matrix row by row, with the rows under elimination in the lanes of a pack.
///
/// Let b be the number of bands below the diagonal. Before unknown u is eliminated, b rows contain it, and one more row
/// enters. A front stores these rows column by column: `Width` columns from u on, one row in each lane. The row with
/// the largest entry leaves as the pivot row; if it is not the entering row, the entering row takes its lane. So no row
/// moves: column j after the elimination is stored as column j - 1 of the next unknown, which only renames registers.
/// Lanes without a row hold zeros.
///
/// All loops are meant to be unrolled, and all values to stay in registers.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/core/lane/pack.hpp>
#include <coppice/solvers/direct/block_banded/elimination/chain_window.hpp>

#if defined(__AVX2__) && !defined(__clang__) // only GCC has __builtin_shuffle
#define COPPICE_HAS_LANE_PICK 1
#else
#define COPPICE_HAS_LANE_PICK 0
#endif

namespace coppice::inline v0_1::chain {

/// A column of a front, in as many registers as `Lanes` elements need.
template <class T, int Lanes>
using front_column = pack<T, (Lanes * int(sizeof(T)) < register_bytes ? Lanes * int(sizeof(T)) : register_bytes),
                          (Lanes * int(sizeof(T)) < register_bytes ? 1 : Lanes * int(sizeof(T)) / register_bytes)>;

/// Broadcasts a value to all lanes.
template <class Column>
COPPICE_ALWAYS_INLINE Column in_all_lanes(typename Column::value_type value) {
    return Column(value);
}

/// Magnitudes as integers with the lane index in their last bits, so that one maximum finds the largest entry and its
/// lane. Entries that differ only in these bits count as equal; of equal ones the first wins, and NaN wins over all.
template <class Column>
struct lane_keys {
    using bits = typename Column::bits;
    using integer = typename Column::bits_type;
    static constexpr int lanes = Column::size;
    static constexpr integer number =
        2 * lanes - 1; ///< mask of the bits that hold the lane index, counted from the last lane

    COPPICE_ALWAYS_INLINE static bits own_number() { return numbers(std::make_index_sequence<Column::width>()); }
    COPPICE_ALWAYS_INLINE static bits larger_key(bits a, bits b) { return a > b ? a : b; }
    /// Keys of register r, whose first lane has index `first`; if `first` is `lanes`, all keys get the index of the
    /// entering row.
    COPPICE_ALWAYS_INLINE static bits key(Column const& column, int r, int first) {
        constexpr integer sign = integer(1) << (8 * sizeof(integer) - 1);
        bits const row = first == lanes ? bits{} + integer(lanes) : own_number() + integer(first);
        return ((bits)column.v[r] & ~(sign | number)) | (number - row);
    }
    /// Largest key of a register, in all of its lanes.
    COPPICE_ALWAYS_INLINE static bits largest(bits keys) { return over_lanes<Column::width / 2>(keys); }

private:
    template <std::size_t... Lane>
    COPPICE_ALWAYS_INLINE static bits numbers(std::index_sequence<Lane...>) {
        return bits{integer(Lane)...};
    }
    template <int Half, int... Lane>
    COPPICE_ALWAYS_INLINE static bits exchanged(bits a, std::integer_sequence<int, Lane...>) {
        if constexpr (sizeof(integer) == 8 &&
                      Half == 1) { // faster as numbers of 32 bits, which do not leave their pairs
            typedef std::int32_t words __attribute__((vector_size(sizeof(bits))));
            return exchanged_words((words)a, std::make_integer_sequence<int, 2 * int(sizeof...(Lane))>{});
        }
        return __builtin_shufflevector(a, a, (Lane ^ Half)...);
    }
    template <class Words, int... Lane>
    COPPICE_ALWAYS_INLINE static bits exchanged_words(Words a, std::integer_sequence<int, Lane...>) {
        return (bits)__builtin_shufflevector(a, a, (Lane ^ 2)...);
    }
    template <int Half>
    COPPICE_ALWAYS_INLINE static bits over_lanes(bits a) {
        if constexpr (Half > 0)
            return over_lanes<Half / 2>(
                larger_key(a, exchanged<Half>(a, std::make_integer_sequence<int, Column::width>())));
        else
            return a;
    }
};

/// Mask of the first lanes.
template <class Column>
COPPICE_ALWAYS_INLINE typename Column::mask lanes_before(int count) {
    using integer = typename Column::bits_type;
    typename Column::mask mask;
#pragma GCC unroll 8
    for (int r = 0; r < Column::size / Column::width; ++r)
        mask.m[r] = lane_keys<Column>::own_number() + integer(r * Column::width) < integer(count);
    return mask;
}

/// Pivot search: the row of a front with the largest entry in a column (lane_keys), or the entering row.
template <class Column>
struct pivot_lane {
    using T = typename Column::value_type;
    using keys = lane_keys<Column>;
    using bits = typename Column::bits;
    using integer = typename Column::bits_type;
    static constexpr int lanes = Column::size, registers = lanes / Column::width;

    bits at;                    ///< index of the lane, in all elements; `lanes` for the entering row
    typename Column::mask here; ///< mask of that lane
#if COPPICE_HAS_LANE_PICK
    bits in_register[registers]; ///< all bits set for the register of that lane
#endif

    COPPICE_ALWAYS_INLINE pivot_lane(Column const& column, T entering) {
        bits best = keys::key(in_all_lanes<Column>(entering), 0, lanes);
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) best = keys::larger_key(best, keys::key(column, r, r * Column::width));
        at = ~keys::largest(best) & keys::number;
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) here.m[r] = at == (keys::own_number() + integer(r * Column::width));
#if COPPICE_HAS_LANE_PICK
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r)
            in_register[r] = (at & integer(-Column::width)) == integer(r * Column::width);
#endif
    }
    /// Entry of the pivot row in a column, in all lanes. If many entries are needed, a column of several registers is
    /// better read from memory; the next step waits for the `urgent` ones.
    template <bool Urgent = false>
    COPPICE_ALWAYS_INLINE Column pick(Column const& column, T const& of_entering) const {
#if COPPICE_HAS_LANE_PICK
        Column const entering = in_all_lanes<Column>(of_entering);
        Column value;
        if constexpr (registers == 1 && register_bytes == 64) {
            value.v[0] = __builtin_shuffle(column.v[0], entering.v[0], at);
            return value;
        } else if constexpr (registers == 1 || Urgent) {
            typename Column::vector of_pivot = entering.v[0];
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r)
                of_pivot = in_register[r] ? __builtin_shuffle(column.v[r], at) : of_pivot;
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) value.v[r] = of_pivot;
            return value;
        }
#endif
        int const lane = int(at[0]);
        T const* const from = lane < lanes ? reinterpret_cast<T const*>(&column) + lane : &of_entering;
        return in_all_lanes<Column>(*from);
    }
};

/// Entries of the entering row: entry j is entry[j * pitch].
template <class T>
struct entering_row {
    T const* entry;
    T const* rhs; ///< its right-hand sides, with the same stride
    int pitch;
};

/// Destination of a pivot row: reciprocal of the pivot, then the entries after it; right-hand sides with stride
/// `pitch`.
template <class T>
struct saved_row {
    T* entry;
    T* rhs;
    int pitch;
};

template <class Column, int Width>
struct lane_front {
    using T = typename Column::value_type;
    static constexpr bool in_registers = Column::size <= 8; ///< otherwise the columns are in memory, in loops

    Column column[Width];

    COPPICE_ALWAYS_INLINE void load(Column const* from) {
        for_each_column<0>([&](int j) COPPICE_INLINE_LAMBDA { column[j] = from[j]; });
    }
    COPPICE_ALWAYS_INLINE void save(Column* to) const {
        for_each_column<0>([&](int j) COPPICE_INLINE_LAMBDA { to[j] = column[j]; });
    }
    COPPICE_ALWAYS_INLINE void clear() {
        for_each_column<0>([&](int j) COPPICE_INLINE_LAMBDA { column[j] = Column(T(0)); });
    }
    /// Puts a row into a lane; entry[0] belongs to the first column.
    COPPICE_ALWAYS_INLINE void put(int lane, entering_row<T> const& row) {
        auto const here = without(lanes_before<Column>(lane + 1), lanes_before<Column>(lane));
        for_each_column<0>([&](int j) COPPICE_INLINE_LAMBDA {
            column[j] = select(here, in_all_lanes<Column>(row.entry[j * row.pitch]), column[j]);
        });
    }
    /// Takes a row in and eliminates the first column of the front and of `rhs`, `rhs_count` columns of right-hand
    /// sides. If `flush` is set, entries of that column of at most `threshold` count as zero. Stores the pivot row in
    /// `saved`. Returns whether all were zero.
    COPPICE_ALWAYS_INLINE bool eliminate(entering_row<T> const& row, Column* rhs, int rhs_count, bool flush,
                                         T threshold, saved_row<T> const& saved) {
        T first = row.entry[0];
        if (flush) {
            first = magnitude(first) <= threshold ? T(0) : first;
            column[0] = select(magnitude(column[0]) <= Column(threshold), Column(T(0)), column[0]);
        }
        pivot_lane<Column> const pivot(column[0], first);
        Column const top = pivot.pick(column[0], first);
        // Of all rows, while the search is going on: a reciprocal takes as long.
        Column const reciprocal = pivot.template pick<true>(reciprocals(column[0]), safe_reciprocal(first));
        Column const factor = select(pivot.here, in_all_lanes<Column>(first), column[0]) * reciprocal;
        saved.entry[0] = get_lane(reciprocal, 0);
        auto const eliminate_column = [&](int j, auto const& picked) COPPICE_INLINE_LAMBDA {
            Column const entering = in_all_lanes<Column>(row.entry[j * row.pitch]);
            column[j - 1] = select(pivot.here, entering, column[j]) - factor * picked;
            saved.entry[j] = get_lane(picked, 0);
        };
        eliminate_column(1, pivot.template pick<true>(column[1], row.entry[row.pitch]));
        for_each_column<2>(
            [&](int j) COPPICE_INLINE_LAMBDA { eliminate_column(j, pivot.pick(column[j], row.entry[j * row.pitch])); });
        // Only the entering row has an entry in this column.
        Column const zero(T(0)), last = in_all_lanes<Column>(row.entry[Width * row.pitch]),
                                 value = pivot.pick(zero, row.entry[Width * row.pitch]);
        column[Width - 1] = select(pivot.here, last, zero) - factor * value;
        saved.entry[Width] = get_lane(value, 0);
        for (int s = 0; s < rhs_count; ++s) {
            Column const entering = in_all_lanes<Column>(row.rhs[s * row.pitch]),
                         of_pivot = pivot.pick(rhs[s], row.rhs[s * row.pitch]);
            rhs[s] = select(pivot.here, entering, rhs[s]) - factor * of_pivot;
            saved.rhs[s * saved.pitch] = get_lane(of_pivot, 0);
        }
        return get_lane(top, 0) == T(0);
    }

private:
    template <int First, class Use>
    COPPICE_ALWAYS_INLINE static void for_each_column(Use const& use) {
        if constexpr (in_registers) {
#pragma GCC unroll 32
            for (int j = First; j < Width; ++j) use(j);
        } else {
            for (int j = First; j < Width; ++j) use(j);
        }
    }
    /// safe_reciprocal of all lanes, with the comparison during the division.
    COPPICE_ALWAYS_INLINE static Column reciprocals(Column const& a) {
        T const smallest = std::numeric_limits<T>::min();
        return select(magnitude(a) < Column(smallest), Column(1 / smallest), Column(T(1)) / a);
    }
};

/// The small dense system that both ends of a banded matrix leave in its middle, by Gaussian elimination with partial
/// pivoting: n rows, each in one lane of columns that are stored in memory; T is float or double. Pivot rows are copied
/// out, so that no row moves and no branch depends on values.
template <class T, int Lanes>
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): columns begin at cache lines
struct few_rows {
    using column = front_column<T, Lanes>;

    int n, rhs_count;
    alignas(64) T entry[Lanes + max_rhs][Lanes]; ///< [unknown][lane]; right-hand sides from column `Lanes` on
    T x[max_rhs][Lanes];                         ///< solutions

    COPPICE_ALWAYS_INLINE few_rows(int size, int columns) : n(size), rhs_count(columns) {
        for (int c = 0; c < n; ++c) put(entry[c], column(T(0)));
        for (int s = 0; s < rhs_count; ++s) put(entry[Lanes + s], column(T(0)));
    }
    COPPICE_ALWAYS_INLINE T& rhs(int row, int s) { return entry[Lanes + s][row]; }

    /// Solves the system. At the elimination of a column, its entries of at most `threshold` count as zero. Calls
    /// zero_pivot(unknown) for a column without a pivot.
    template <class Observer>
    COPPICE_ALWAYS_INLINE void solve(T threshold, Observer const& zero_pivot) {
        using integer = typename keys::integer;
        constexpr int width = column::width;

        T upper[Lanes][Lanes], reciprocals[Lanes]; // pivot rows, in the order of elimination
        bits waiting[registers];                   // all bits set in lanes whose row has not been a pivot row
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) waiting[r] = keys::own_number() + integer(r * width) < integer(n);
        column current = get(entry[0]);
        for (int k = 0; k < n; ++k) {
            if (threshold > 0) current = select(magnitude(current) <= column(threshold), column(T(0)), current);
            bits const at = pivot_lane(current, waiting);
#pragma GCC unroll 8
            for (int r = 0; r < registers; ++r) waiting[r] &= at != keys::own_number() + integer(r * width);
            int const pivot = int(at[0]);
            T const value = threshold > 0 ? get_lane(current, pivot) : entry[k][pivot];
            if (value == T(0)) zero_pivot(k);
            T const reciprocal = reciprocals[k] = safe_reciprocal(value);
            column const factor = current * in_all_lanes<column>(reciprocal);
            // Returns column c after the elimination; its entry in the pivot row is stored in `saved`.
            auto const leave = [&](int c, T& saved) COPPICE_INLINE_LAMBDA {
                saved = entry[c][pivot];
                return get(entry[c]) - factor * in_all_lanes<column>(saved);
            };
            if (k + 1 < n) put(entry[k + 1], current = leave(k + 1, upper[k][k + 1]));
            for (int c = k + 2; c < n; ++c) put(entry[c], leave(c, upper[k][c]));
            for (int s = Lanes; s < Lanes + rhs_count; ++s) put(entry[s], leave(s, x[s - Lanes][k]));
        }
        substitute(upper, reciprocals);
    }

private:
    using keys = lane_keys<column>;
    using bits = typename keys::bits;
    static constexpr int registers = Lanes / column::width;

    /// The lane of the pivot row of a column, in all elements: of the lanes in `waiting`, that of the largest entry.
    COPPICE_ALWAYS_INLINE static bits pivot_lane(column const& values, bits const (&waiting)[registers]) {
        bits best = keys::key(values, 0, 0) & waiting[0];
#pragma GCC unroll 8
        for (int r = 1; r < registers; ++r)
            best = keys::larger_key(best, keys::key(values, r, r * column::width) & waiting[r]);
        return ~keys::largest(best) & keys::number;
    }
    /// Back substitution through the pivot rows.
    COPPICE_ALWAYS_INLINE void substitute(T const (&upper)[Lanes][Lanes], T const (&reciprocals)[Lanes]) {
        for (int s = 0; s < rhs_count; ++s)
            for (int k = n - 1; k >= 0; --k) {
                T value = x[s][k];
                for (int c = n - 1; c > k; --c) value = value - upper[k][c] * x[s][c];
                x[s][k] = value * reciprocals[k];
            }
    }
    COPPICE_ALWAYS_INLINE static column get(T const* from) {
        column value;
        __builtin_memcpy(value.v, __builtin_assume_aligned(from, alignof(column)), sizeof(column));
        return value;
    }
    COPPICE_ALWAYS_INLINE static void put(T* to, column const& value) {
        __builtin_memcpy(__builtin_assume_aligned(to, alignof(column)), &value, sizeof(column));
    }
};

} // namespace coppice::inline v0_1::chain
