// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the Galerkin product of a level in parts has besides those of the parts' own blocks.
///
/// Over all parts the matrix is A + K, with the own blocks A and the couplings K between parts, and the prolongator
/// P + Q, where Q, in rows at the cuts, leads to aggregates of other parts. Besides R A P of its own block a part makes
///
///     R K (P + Q) + R A Q                    rows of its own
///     Q^T A P + Q^T A Q + Q^T K (P + Q)      rows of other parts, which it sends to them
///
/// of rows at the cuts alone. Q is there where all own blocks are symmetric, so that R = P^T, Q^T A P is the transpose
/// of R A Q, and the columns of A at the cuts are its rows there.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::distributed {

/// Of a level, what a part knows of itself and of rows next to it.
template <class T>
struct level_at_cuts {
    listed_matrix<T> const& k;      ///< [rows of the part, rows of all]
    listed_matrix<T> const& p_halo; ///< [rows of all, rows of all below]: P + Q in rows that are columns of K
    listed_matrix<T> const& q;      ///< [rows of the part, rows of all below]
    csr_view<T> a, p, turned_r;     ///< own block, and what leads to and from its own rows below
    part_begins const& begin_below; ///< rows below by part
};

/// [rows of the part below, rows of all below]. `crosses`: has Q of any part entries?
template <executor Executor, class T>
listed_matrix<T> galerkin_at_cuts(Executor const& exec, part_messages const& messages, level_at_cuts<T> const& level,
                                  bool crosses) {
    auto const& [k, p_halo, q, a, p, turned_r, begin_below] = level;
    auto const kp = multiply(exec, k, p_halo);
    auto own = multiply(exec, turn(exec, rows_at(exec, turned_r, k.list())), kp);
    if (!crosses) return own;
    auto const all = std::int32_t(begin_below.back()), first = std::int32_t(begin_below[std::size_t(messages.part())]);
    auto const aq = multiply(exec, turn(exec, rows_at(exec, a, q.list())), q);
    auto const raq = multiply(exec, turn(exec, rows_at(exec, p, aq.list())), aq);
    auto const qap = renumber(exec, turn(exec, raq), 0, first, all, all);
    auto const rest = multiply(exec, turn(exec, q), add(exec, kp, aq));
    return add(exec, add(exec, own, raq), push_rows(exec, messages, add(exec, qap, rest), begin_below));
}

} // namespace coppice::distributed
