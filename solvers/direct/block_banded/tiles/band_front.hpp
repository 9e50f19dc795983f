// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a banded matrix row by row, the rows under elimination side by side in the lanes of a pack.
///
/// Before unknown u is eliminated, as many rows hold it as there are bands below the diagonal, and one more joins them.
/// A front keeps them column by column, `Width` columns from u on, a row in each lane. The row with the largest entry
/// leaves as the pivot row; if it was not the one that joined, that takes its lane. So nothing moves but the columns,
/// which go by names: what is left of column j is column j - 1 of the next unknown. Lanes without a row hold zeros.
///
/// Everything here is meant to be unrolled and to stay in registers.
#pragma once

#include <cstdint>
#include <utility>

#include <coppice/core/lane/lane_access.hpp>
#include <coppice/core/lane/pack.hpp>

#if defined(__AVX512VL__) && !defined(__clang__) // __builtin_shuffle is of GCC alone
#define COPPICE_HAS_LANE_PICK 1
#else
#define COPPICE_HAS_LANE_PICK 0
#endif

namespace coppice::chain {

/// A column of a front: as many registers as `Lanes` elements take.
template <class T, int Lanes>
using front_column = pack<T, (Lanes * int(sizeof(T)) < register_bytes ? Lanes * int(sizeof(T)) : register_bytes),
                          (Lanes * int(sizeof(T)) < register_bytes ? 1 : Lanes * int(sizeof(T)) / register_bytes)>;

/// A value in all lanes.
template <class Column>
COPPICE_ALWAYS_INLINE Column in_all_lanes(typename Column::value_type value) {
    Column column;
#pragma GCC unroll 8
    for (auto& v : column.v) v = value - typename Column::vector{}; // minus zero: nothing, to the compiler too
    return column;
}

/// Magnitudes as integers with the number of their lane in their last bits, so that one maximum finds the largest and
/// where it is: entries that agree but for those bits count as equal, the first of them wins, and NaN wins over all.
template <class Column>
struct lane_keys {
    using bits = typename Column::bits;
    using unit = typename Column::bits_type;
    static constexpr int lanes = Column::size;
    static constexpr unit number = 2 * lanes - 1; ///< the bits that hold a lane's number, from behind

    COPPICE_ALWAYS_INLINE static bits own_number() { return numbers(std::make_index_sequence<Column::width>()); }
    COPPICE_ALWAYS_INLINE static bits larger_key(bits a, bits b) { return a > b ? a : b; }
    /// Of register r, whose first lane has number `first`; of `lanes` for all lanes.
    COPPICE_ALWAYS_INLINE static bits key(Column const& column, int r, int first) {
        constexpr unit sign = unit(1) << (8 * sizeof(unit) - 1);
        bits const row = first == lanes ? bits{} + unit(lanes) : own_number() + unit(first);
        return ((bits)column.v[r] & ~(sign | number)) | (number - row);
    }
    /// The largest of the keys in a register, in all of its lanes.
    COPPICE_ALWAYS_INLINE static bits largest(bits keys) { return over_lanes<Column::width / 2>(keys); }

private:
    template <std::size_t... Lane>
    COPPICE_ALWAYS_INLINE static bits numbers(std::index_sequence<Lane...>) {
        return bits{unit(Lane)...};
    }
    template <int Half, int... Lane>
    COPPICE_ALWAYS_INLINE static bits exchanged(bits a, std::integer_sequence<int, Lane...>) {
        return __builtin_shufflevector(a, a, (Lane ^ Half)...);
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

/// Which row of a front has the largest entry in a column (lane_keys), or the row that joins.
template <class Column>
struct pivot_lane {
    using T = typename Column::value_type;
    using keys = lane_keys<Column>;
    using bits = typename Column::bits;
    using unit = typename Column::bits_type;
    static constexpr int lanes = Column::size, registers = lanes / Column::width;

    bits at;                    ///< the lane, in all elements; `lanes` for the row that joins
    typename Column::mask here; ///< that lane
#if !COPPICE_HAS_LANE_PICK
    int lane;
#endif

    COPPICE_ALWAYS_INLINE pivot_lane(Column const& column, T joining) {
        bits best = keys::key(in_all_lanes<Column>(joining), 0, lanes);
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) best = keys::larger_key(best, keys::key(column, r, r * Column::width));
        at = ~keys::largest(best) & keys::number;
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) here.m[r] = at == (keys::own_number() + unit(r * Column::width));
#if !COPPICE_HAS_LANE_PICK
        lane = int(at[0]);
#endif
    }
    /// The entry of the pivot row in a column, in all lanes.
    COPPICE_ALWAYS_INLINE Column pick(Column const& column, Column const& joining) const {
#if COPPICE_HAS_LANE_PICK
        if constexpr (registers == 1) {
            Column value;
            value.v[0] = __builtin_shuffle(column.v[0], joining.v[0], at);
            return value;
        } else {
            int const lane = int(at[0]);
            return in_all_lanes<Column>(get_lane(lane < lanes ? column : joining, lane & (lanes - 1)));
        }
#else
        return in_all_lanes<Column>(get_lane(lane < lanes ? column : joining, lane & (lanes - 1)));
#endif
    }
};

/// Where the entries of a row that joins lie: entry j of it at [j * pitch].
template <class T>
struct joining_row {
    T const* entry;
    T const* side; ///< its right-hand sides, as far apart
    int pitch;
};

/// Where a pivot row goes: reciprocal of the pivot and the entries behind it; right-hand sides `pitch` apart.
template <class T>
struct kept_row {
    T* entry;
    T* side;
    int pitch;
};

template <class Column, int Width>
struct lane_front {
    using T = typename Column::value_type;

    Column column[Width];

    COPPICE_ALWAYS_INLINE void load(Column const* from) {
#pragma GCC unroll 32
        for (int j = 0; j < Width; ++j) column[j] = from[j];
    }
    COPPICE_ALWAYS_INLINE void save(Column* to) const {
#pragma GCC unroll 32
        for (int j = 0; j < Width; ++j) to[j] = column[j];
    }
    /// Takes a row in and eliminates the first column of the front and of `side`, `sides` columns of right-hand sides.
    /// Entries of that column up to `threshold` count as zero where `flush` says so. Returns whether all were zero.
    template <bool Keep>
    COPPICE_ALWAYS_INLINE bool eliminate(joining_row<T> const& row, Column* side, int sides, bool flush, T threshold,
                                         kept_row<T> const& kept) {
        T first = row.entry[0];
        if (flush) {
            first = magnitude(first) <= threshold ? T(0) : first;
            column[0] = select(magnitude(column[0]) <= Column(threshold), Column(T(0)), column[0]);
        }
        pivot_lane<Column> const pivot(column[0], first);
        Column const top = pivot.pick(column[0], in_all_lanes<Column>(first));
        Column const reciprocal = safe_reciprocal(top);
        Column const factor = select(pivot.here, in_all_lanes<Column>(first), column[0]) * reciprocal;
        if constexpr (Keep) kept.entry[0] = get_lane(reciprocal, 0);
#pragma GCC unroll 32
        for (int j = 1; j < Width; ++j) {
            Column const joining = in_all_lanes<Column>(row.entry[j * row.pitch]),
                         value = pivot.pick(column[j], joining);
            column[j - 1] = select(pivot.here, joining, column[j]) - factor * value;
            if constexpr (Keep) kept.entry[j] = get_lane(value, 0);
        }
        // None but the row that joins reaches that far.
        Column const zero(T(0)), last = in_all_lanes<Column>(row.entry[Width * row.pitch]),
                                 value = pivot.pick(zero, last);
        column[Width - 1] = select(pivot.here, last, zero) - factor * value;
        if constexpr (Keep) kept.entry[Width] = get_lane(value, 0);
        for (int s = 0; s < sides; ++s) {
            Column const joining = in_all_lanes<Column>(row.side[s * row.pitch]),
                         of_pivot = pivot.pick(side[s], joining);
            side[s] = select(pivot.here, joining, side[s]) - factor * of_pivot;
            if constexpr (Keep) kept.side[s * kept.pitch] = get_lane(of_pivot, 0);
        }
        return get_lane(top, 0) == T(0);
    }
};

} // namespace coppice::chain
