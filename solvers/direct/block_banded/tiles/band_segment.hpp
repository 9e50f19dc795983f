// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Elimination of a segment of a banded matrix in the chain solver, scalar row by scalar row, with one segment in each
/// lane of a pack. The window is that of elimination/chain_front.hpp.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_front.hpp>

namespace coppice::inline v0_1::chain {

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

} // namespace coppice::inline v0_1::chain
