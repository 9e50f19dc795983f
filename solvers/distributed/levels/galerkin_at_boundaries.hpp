// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The terms of the distributed Galerkin product beyond those of the own blocks.
///
/// The matrix over all ranks is A + K, with the own blocks A and the couplings K between ranks; the prolongator is P +
/// Q, where Q has entries in rows at rank boundaries and columns of aggregates of other ranks. In addition to R A P of
/// its own block a rank computes
///
///     R K (P + Q) + R A Q                    its own rows
///     Q^T A P + Q^T A Q + Q^T K (P + Q)      rows of other ranks, which it sends to them
///
/// only for rows at rank boundaries. Q is used only if the matrix of all ranks is symmetric. Then R = P^T, Q^T A P is
/// the transpose of R A Q, and the columns of A at the boundaries equal its rows.
#pragma once

#include <cstdint>

#include <coppice/solvers/distributed/levels/pushed_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// The matrices of a level on one rank that the products read.
template <class T>
struct level_at_boundaries {
    hypersparse_rows<T> const& k; ///< [rows of the rank, rows of all ranks]
    /// [rows of all ranks, coarse rows of all ranks]: P + Q in the rows that are columns of K
    hypersparse_rows<T> const& p_halo;
    hypersparse_rows<T> const& q;    ///< [rows of the rank, coarse rows of all ranks]
    csr_view<T> a, p, r_transposed;  ///< own block, P, and the transpose of R
    rank_offsets const& begin_below; ///< first coarse row of each rank
};

/// Returns the terms, [coarse rows of the rank, coarse rows of all ranks]. `crosses`: whether Q of any rank has
/// entries.
template <executor Executor, class T>
hypersparse_rows<T> galerkin_at_boundaries(Executor const& exec, rank_communicator const& messages,
                                           level_at_boundaries<T> const& level, bool crosses) {
    auto const& [k, p_halo, q, a, p, r_transposed, begin_below] = level;
    auto const kp = multiply(exec, k, p_halo);
    auto own = multiply(exec, transposed(exec, rows_at(exec, r_transposed, k.list())), kp);
    if (!crosses) return own;
    auto const all = std::int32_t(begin_below.back()), first = std::int32_t(begin_below[std::size_t(messages.rank())]);
    auto const aq = multiply(exec, transposed(exec, rows_at(exec, a, q.list())), q);
    auto const raq = multiply(exec, transposed(exec, rows_at(exec, p, aq.list())), aq);
    auto const qap = renumber(exec, transposed(exec, raq), 0, first, all, all);
    auto const rest = multiply(exec, transposed(exec, q), add(exec, kp, aq));
    return add(exec, add(exec, own, raq), push_rows(exec, messages, add(exec, qap, rest), begin_below));
}

} // namespace coppice::inline v0_1::distributed
