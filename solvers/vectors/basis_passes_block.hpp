// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Bodies of the kernels that project a vector onto a Krylov basis, over a Block (core/block.hpp).
#pragma once

#include <coppice/core/sum_of_blocks.hpp>
#include <coppice/solvers/vectors/basis_passes.hpp>

namespace coppice::detail {

/// Block b of `blocks`: its share of v_j^H w for all columns j goes to partial[j blocks + b], its parts to rows of
/// their own. `shared`: a double for each warp.
COPPICE_NO_EXEC_CHECK
template <class Block, class T>
COPPICE_HD void project_block(Block const& block, double* shared, std::int64_t b, std::int64_t blocks,
                              basis_columns<T> const& v, T const* w, double* partial) {
    constexpr int parts = dot_parts<T>;
    constexpr int at_once = 8 / parts; // the share of w stays in the first-level cache between them
    int const count = v.columns();
    std::int64_t const stride = blocks * block.threads();
    for (int first = 0; first < count; first += at_once) {
        dot_value<T> sum[at_once] = {};
        int const columns = count - first < at_once ? count - first : at_once;
        for (std::int64_t i = b * block.threads() + block.thread(); i < v.n; i += stride) {
            T const here = w[i];
            COPPICE_UNROLL
            for (int c = 0; c < at_once; ++c) // a constant bound keeps the sums in registers
                if (c < columns) sum[c] += dot_term(v.column(first + c)[i], here);
        }
        COPPICE_UNROLL
        for (int c = 0; c < at_once; ++c)
            if (c < columns)
                for (int part = 0; part < parts; ++part) {
                    double const of_block = block_sum(block, shared, part_of(sum[c], part));
                    if (block.thread() == 0) partial[((first + c) * parts + part) * blocks + b] = of_block;
                }
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
