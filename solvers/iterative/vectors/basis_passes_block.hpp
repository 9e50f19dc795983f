// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of the kernels that project a vector onto a Krylov basis, over a Block (core/block.hpp).
#pragma once

#include <coppice/core/grid_sum.hpp>
#include <coppice/solvers/iterative/vectors/basis_passes.hpp>

namespace coppice::inline v0_1::detail {

/// Number of doubles that a block sums simultaneously.
inline constexpr int projected_batch = 8;

/// Block b of `blocks`: sums its range of v_j^H w for all columns j of the groups team, team + teams, ... and stores
/// them in partial[j blocks + b], each component in a separate row. `shared`: projected_batch doubles per warp.
COPPICE_NO_EXEC_CHECK
template <class Block, class T>
COPPICE_HD void project_block(Block const& block, double* shared, std::int64_t b, std::int64_t blocks, int team,
                              int teams, basis_columns<T> const& v, T const* w, double* partial) {
    constexpr int components = dot_components<T>;
    // Between two columns, the range of w stays in the first-level cache.
    constexpr int batch = projected_batch / components;
    int const count = v.columns();
    std::int64_t const stride = blocks * block.threads();
    for (int first = team * batch; first < count; first += teams * batch) {
        dot_value<T> sum[batch] = {};
        int const columns = count - first < batch ? count - first : batch;
        for (std::int64_t i = b * block.threads() + block.thread(); i < v.n; i += stride) {
            T const here = w[i];
            COPPICE_UNROLL
            for (int c = 0; c < batch; ++c) // a constant bound keeps the sums in registers
                if (c < columns) sum[c] += dot_term(v.column(first + c)[i], here);
        }
        double all[projected_batch];
        COPPICE_UNROLL
        for (int c = 0; c < projected_batch; ++c) all[c] = component_of(sum[c / components], c % components);
        double const of_block = block_sums(block, shared, all);
        if (block.thread() < columns * components)
            partial[(first * components + block.thread()) * blocks + b] = of_block;
    }
}

/// The block of column j: h[j] = sum of its partial sums.
COPPICE_NO_EXEC_CHECK
template <class Block, class T>
COPPICE_HD void fold_projection_block(Block const& block, double* shared, int j, std::int64_t blocks,
                                      basis_columns<T> const& v, double const* partial, dot_value<T>* h) {
    if (j >= v.columns()) return;
    for (int component = 0; component < dot_components<T>; ++component) {
        double const* const partial_sums = partial + (j * dot_components<T> + component) * blocks;
        double sum = 0;
        for (std::int64_t b = block.thread(); b < blocks; b += block.threads()) sum += partial_sums[b];
        sum = block_sum(block, shared, sum);
        if (block.thread() == 0) component_of(h[j], component) = sum;
    }
}

} // namespace coppice::inline v0_1::detail
