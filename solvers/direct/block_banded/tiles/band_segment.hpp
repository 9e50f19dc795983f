// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The chain solver's elimination of a stretch of a banded matrix, scalar row by scalar row, a stretch in each lane of
/// a pack: the window is that of chain/window/chain_front.hpp.
#pragma once

#include <coppice/solvers/direct/block_banded/elimination/chain_front.hpp>

namespace coppice::chain {

/// A front of the first 2 N rows.
template <class T, int N, int Left>
COPPICE_ALWAYS_INLINE band_front<T, N, Left> front_of(band_row<T, N> const* rows, T const* y) {
    band_front<T, N, Left> front;
    COPPICE_UNROLL_ALL
    for (int i = 0; i < 2 * N; ++i) front.put(i, rows[i], y);
    return front;
}

/// Reduces a stretch of `count` rows, at least 2 N, to a link. `before_row(u)` is called on the way.
template <class T, int N, class Tell, class Each>
COPPICE_ALWAYS_INLINE band_front<T, N, 2 * N> reduce_band(band_row<T, N> const* rows, int count, Tell const& tell,
                                                          Each const& before_row) {
    auto front = front_of<T, N, 2 * N>(rows, static_cast<T const*>(nullptr));
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        front.eliminate(rows[u], plain_elimination<T>{}, tell.at(u));
    }
    return front;
}

/// Solves a stretch, y and z known: x[0 ... 2 N) is y at first, x[count ... count + 2 N) is z, between come the
/// unknowns; pivot rows take the place of the rows.
template <class T, int N, class Tell, class Each>
COPPICE_ALWAYS_INLINE void substitute_band(band_row<T, N>* rows, int count, T* x, Tell const& tell,
                                           Each const& before_row) {
    auto front = front_of<T, N, 0>(rows, x);
    for (int u = 2 * N; u < count; ++u) {
        before_row(u);
        rows[u] = front.eliminate(rows[u], plain_elimination<T>{}, tell.at(u));
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
