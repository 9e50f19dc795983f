// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver's elimination of a stretch of a banded matrix, scalar row by scalar row.
///
/// chain_lane.hpp eliminates the N unknowns of a block at a time. Here a unit is a scalar row: row i of a stretch has
/// its 2 N + 1 entries in columns i ... i + 2 N, counted from N columns before the first row of the stretch. So the
/// window (chain/words.md) is 2 N rows and the row that joins them, and one of them leaves as pivot row. The joining
/// row takes the place of the pivot row, so no other row moves: a selection for each entry, whether its row was the
/// pivot row, is all that is left of the exchanges. The first 2 N columns are y, the last 2 N are z, and what remains
/// is the link of the stretch, S y + R z = d.
///
/// T is a lane type as in chain_lane.hpp. Everything here is meant to be unrolled and to stay in registers.
#pragma once

#include <coppice/core/lane/lane_access.hpp>

#if defined(__CUDA_ARCH__)
#define COPPICE_UNROLL_ALL _Pragma("unroll")
#else
#define COPPICE_UNROLL_ALL _Pragma("GCC unroll 16")
#endif

namespace coppice::chain {

/// A row of a stretch: its entries from the lowest band up, its right-hand side. Pivot rows take their place:
/// reciprocal of the pivot, the entries behind it, right-hand side.
template <class T, int N>
struct band_row {
    T entry[2 * N + 1];
    T rhs;
};

/// Rows under elimination, their `Left` columns of y (2 N or none) and right-hand sides.
template <class T, int N, int Left>
struct band_front {
    static constexpr int width = 2 * N;

    T active[width][width];
    T left[width][Left > 0 ? Left : 1];
    T rhs[width];

    /// The first 2 N rows; where y is not carried along it is known and goes to the right-hand sides.
    COPPICE_HD COPPICE_ALWAYS_INLINE band_front(band_row<T, N> const* rows, T const* y) {
        COPPICE_UNROLL_ALL
        for (int i = 0; i < width; ++i) {
            band_row<T, N> const& row = rows[i];
            rhs[i] = row.rhs;
            COPPICE_UNROLL_ALL
            for (int j = 0; j < width; ++j) active[i][j] = j <= i ? row.entry[width + j - i] : T(0);
            COPPICE_UNROLL_ALL
            for (int c = 0; c < width; ++c) {
                if (Left > 0)
                    left[i][c] = c >= i ? row.entry[c - i] : T(0);
                else if (c >= i)
                    rhs[i] = rhs[i] - row.entry[c - i] * y[c];
            }
        }
    }

    /// Takes `row` in and eliminates the first column; `pivot_row` becomes what is eliminated with.
    template <class Tell>
    COPPICE_HD COPPICE_ALWAYS_INLINE band_row<T, N> eliminate(band_row<T, N> const& row, Tell const& zero_pivot) {
        // The largest entry wins; of equal ones that of the first row, and `row` comes last.
        real_lane_t<T> best = magnitude(row.entry[0]);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) best = larger(magnitude(active[r][0]), best);
        using mask = decltype(best <= best);
        mask here[width];
        here[0] = best <= magnitude(active[0][0]);
        mask taken = here[0];
        COPPICE_UNROLL_ALL
        for (int r = 1; r < width; ++r) {
            here[r] = without(best <= magnitude(active[r][0]), taken);
            taken = taken || here[r];
        }
        T const top = pick(here, 0, row.entry[0]);
        if (zero_pivot.wanted())
            for (int l = 0; l < lane_count<T>; ++l)
                if (get_lane(magnitude(top), l) == 0) zero_pivot(0, l);
        band_row<T, N> pivot;
        pivot.entry[0] = safe_reciprocal(top);
        T factor[width];
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) factor[r] = -(select(here[r], row.entry[0], active[r][0]) * pivot.entry[0]);
        COPPICE_UNROLL_ALL
        for (int j = 1; j < width; ++j) {
            pivot.entry[j] = pick(here, j, row.entry[j]);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r)
                active[r][j - 1] = select(here[r], row.entry[j], active[r][j]) + factor[r] * pivot.entry[j];
        }
        pivot.entry[width] = select(taken, T(0), row.entry[width]); // none but `row` reaches that far
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r)
            active[r][width - 1] = select(here[r], row.entry[width], T(0)) + factor[r] * pivot.entry[width];
        COPPICE_UNROLL_ALL
        for (int c = 0; c < Left; ++c) { // `row` is behind y
            T value(0);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) value = select(here[r], left[r][c], value);
            COPPICE_UNROLL_ALL
            for (int r = 0; r < width; ++r) left[r][c] = select(here[r], T(0), left[r][c]) + factor[r] * value;
        }
        pivot.rhs = row.rhs;
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) pivot.rhs = select(here[r], rhs[r], pivot.rhs);
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) rhs[r] = select(here[r], row.rhs, rhs[r]) + factor[r] * pivot.rhs;
        return pivot;
    }

private:
    template <class Mask>
    COPPICE_HD COPPICE_ALWAYS_INLINE T pick(Mask const& here, int j, T value) const {
        COPPICE_UNROLL_ALL
        for (int r = 0; r < width; ++r) value = select(here[r], active[r][j], value);
        return value;
    }
};

/// Reduces a stretch of `count` rows, at least 2 N, to a link. `before_row(u)` is called on the way.
template <class T, int N, class Tell, class Each>
COPPICE_HD COPPICE_ALWAYS_INLINE band_front<T, N, 2 * N> reduce_band(band_row<T, N> const* rows, int count,
                                                                     Tell const& tell, Each const& before_row) {
    band_front<T, N, 2 * N> front(rows, static_cast<T const*>(nullptr));
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        front.eliminate(rows[u], tell.at(u));
    }
    return front;
}

/// Solves a stretch, y and z known: x[0 ... 2 N) is y at first, x[count ... count + 2 N) is z, between come the
/// unknowns; pivot rows take the place of the rows.
template <class T, int N, class Tell, class Each>
COPPICE_HD COPPICE_ALWAYS_INLINE void substitute_band(band_row<T, N>* rows, int count, T* x, Tell const& tell,
                                                      Each const& before_row) {
    band_front<T, N, 0> front(rows, x);
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        rows[u] = front.eliminate(rows[u], tell.at(u));
    }
    T behind[2 * N];
    COPPICE_UNROLL_ALL
    for (int j = 0; j < 2 * N; ++j) behind[j] = x[count + j];
    for (int u = count - 1; u >= 2 * N; --u) {
        T value = rows[u].rhs;
        COPPICE_UNROLL_ALL
        for (int j = 2 * N - 1; j >= 0; --j) value = value - rows[u].entry[j + 1] * behind[j]; // the newest comes last
        COPPICE_UNROLL_ALL
        for (int j = 2 * N - 1; j > 0; --j) behind[j] = behind[j - 1];
        behind[0] = x[u] = value * rows[u].entry[0];
    }
}

} // namespace coppice::chain

#undef COPPICE_UNROLL_ALL
