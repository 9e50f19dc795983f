// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// What the Galerkin product of a level in ranks has besides those of the ranks' own blocks.
///
/// Over all ranks the matrix is A + K, with the own blocks A and the couplings K between ranks, and the prolongator
/// P + Q, where Q, in rows at the cuts, leads to aggregates of other ranks. Besides R A P of its own block a rank makes
///
///     R K (P + Q) + R A Q                    rows of its own
///     Q^T A P + Q^T A Q + Q^T K (P + Q)      rows of other ranks, which it sends to them
///
/// of rows at the cuts alone. Q is there where all own blocks are symmetric, so that R = P^T, Q^T A P is the transpose
/// of R A Q, and the columns of A at the cuts are its rows there.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::distributed {

/// Of a level, what a rank knows of itself and of rows next to it.
template <class T>
struct level_at_boundaries {
    hypersparse_rows<T> const& k;      ///< [rows of the rank, rows of all]
    hypersparse_rows<T> const& p_halo; ///< [rows of all, rows of all below]: P + Q in rows that are columns of K
    hypersparse_rows<T> const& q;      ///< [rows of the rank, rows of all below]
    csr_view<T> a, p, turned_r;     ///< own block, and what leads to and from its own rows below
    rank_offsets const& begin_below; ///< rows below by rank
};

/// [rows of the rank below, rows of all below]. `crosses`: has Q of any rank entries?
template <executor Executor, class T>
hypersparse_rows<T> galerkin_at_boundaries(Executor const& exec, rank_communicator const& messages, level_at_boundaries<T> const& level,
                                  bool crosses) {
    auto const& [k, p_halo, q, a, p, turned_r, begin_below] = level;
    auto const kp = multiply(exec, k, p_halo);
    auto own = multiply(exec, transposed(exec, rows_at(exec, turned_r, k.list())), kp);
    if (!crosses) return own;
    auto const all = std::int32_t(begin_below.back()), first = std::int32_t(begin_below[std::size_t(messages.rank())]);
    auto const aq = multiply(exec, transposed(exec, rows_at(exec, a, q.list())), q);
    auto const raq = multiply(exec, transposed(exec, rows_at(exec, p, aq.list())), aq);
    auto const qap = renumber(exec, transposed(exec, raq), 0, first, all, all);
    auto const rest = multiply(exec, transposed(exec, q), add(exec, kp, aq));
    return add(exec, add(exec, own, raq), push_rows(exec, messages, add(exec, qap, rest), begin_below));
}

} // namespace coppice::distributed
