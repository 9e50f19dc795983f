// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of the kernels that project a vector onto a Krylov basis, over a Block (core/block.hpp).
#pragma once

#include <coppice/core/grid_sum.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes.hpp>

namespace coppice::detail {

/// Doubles that a block sums at once.
inline constexpr int projected_at_once = 8;

/// Block b of `blocks`: its share of v_j^H w for the columns j of every `teams`-th group from group `team` on goes to
/// partial[j blocks + b], its parts to rows of their own. `shared`: projected_at_once doubles for each warp.
COPPICE_NO_EXEC_CHECK
template <class Block, class T>
COPPICE_HD void project_block(Block const& block, double* shared, std::int64_t b, std::int64_t blocks, int team,
                              int teams, basis_columns<T> const& v, T const* w, double* partial) {
    constexpr int parts = dot_parts<T>;
    constexpr int at_once = projected_at_once / parts; // the share of w stays in the first-level cache between them
    int const count = v.columns();
    std::int64_t const stride = blocks * block.threads();
    for (int first = team * at_once; first < count; first += teams * at_once) {
        dot_value<T> sum[at_once] = {};
        int const columns = count - first < at_once ? count - first : at_once;
        for (std::int64_t i = b * block.threads() + block.thread(); i < v.n; i += stride) {
            T const here = w[i];
            COPPICE_UNROLL
            for (int c = 0; c < at_once; ++c) // a constant bound keeps the sums in registers
                if (c < columns) sum[c] += dot_term(v.column(first + c)[i], here);
        }
        double all[projected_at_once];
        COPPICE_UNROLL
        for (int c = 0; c < projected_at_once; ++c) all[c] = part_of(sum[c / parts], c % parts);
        double const of_block = block_sums(block, shared, all);
        if (block.thread() < columns * parts) partial[(first * parts + block.thread()) * blocks + b] = of_block;
    }
}

/// The block of column j: h[j] is the sum of its shares.
COPPICE_NO_EXEC_CHECK
template <class Block, class T>
COPPICE_HD void fold_projection_block(Block const& block, double* shared, int j, std::int64_t blocks,
                                      basis_columns<T> const& v, double const* partial, dot_value<T>* h) {
    if (j >= v.columns()) return;
    for (int part = 0; part < dot_parts<T>; ++part) {
        double const* const shares = partial + (j * dot_parts<T> + part) * blocks;
        double sum = 0;
        for (std::int64_t b = block.thread(); b < blocks; b += block.threads()) sum += shares[b];
        sum = block_sum(block, shared, sum);
        if (block.thread() == 0) part_of(h[j], part) = sum;
    }
}

} // namespace coppice::detail
