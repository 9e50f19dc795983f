// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Detects from a sample of rows how many unknowns a point of a system has, e.g. the displacements of elasticity.
#pragma once

#include <algorithm>
#include <cstdint>

#include <coppice/algebra/csr.hpp>
#include <coppice/solvers/multilevel/prolongator_sample.hpp>

namespace coppice::inline v0_1::multilevel_detail {

/// Block sizes that are looked for, the largest first: a matrix of points with 6 unknowns also consists of 3 x 3
/// blocks.
struct block_sizes {
    static constexpr int count = 4;
    static constexpr int bits = 13; ///< of the number of votes for a size; 4096 samples need 13
    COPPICE_HD static int size(int k) { return k == 0 ? 6 : k == 1 ? 4 : k == 2 ? 3 : 2; }
};
static_assert(max_samples < std::int64_t(1) << block_sizes::bits);

/// A vote of a row for the largest block size that divides n, of which its columns are complete blocks, and for which
/// the constants of the other components are in the null space of the row up to a tenth of its diagonal. Columns are
/// sorted. 0 without such a size.
template <class T, class I>
struct vote_for_block {
    csr_view<T, I> a;
    COPPICE_HD std::int64_t operator()(std::int64_t row) const {
        for (int k = 0; k < block_sizes::count; ++k) {
            int const block = block_sizes::size(k);
            if (a.rows() % block == 0 && has_complete_blocks(row, block) && separates(row, block))
                return std::int64_t(1) << (k * block_sizes::bits);
        }
        return 0;
    }

private:
    COPPICE_HD bool has_complete_blocks(std::int64_t row, int block) const {
        I const begin = a.row_begin(row), end = a.row_end(row);
        if (begin == end || (end - begin) % block != 0) return false;
        for (I k = begin; k < end; k += block)
            if (a.indices[k] % block != 0 || a.indices[k + block - 1] - a.indices[k] != block - 1) return false;
        return true;
    }
    /// |sum of a_ij over the columns of component c| <= a_ii / 10 for each other component c
    COPPICE_HD bool separates(std::int64_t row, int block) const {
        constexpr double small = 0.1;
        I const begin = a.row_begin(row), end = a.row_end(row);
        double diagonal = 0;
        for (I k = begin; k < end; ++k)
            if (std::int64_t(a.indices[k]) == row) diagonal = double(a.coefficients[k]);
        for (int c = 0; c < block; ++c) {
            double sum = 0;
            for (I k = begin + c; k < end; k += block) sum += double(a.coefficients[k]);
            if (c != row % block && !(magnitude(sum) <= small * diagonal)) return false;
        }
        return true;
    }
};

/// The block size for which at least half of a sample of rows vote, or 1. For a matrix whose blocks are not complete,
/// as after the elimination of single components at a boundary, this is 1. The sum of samples is one reduction.
template <executor Executor, class T, class I>
int block_of_pattern(Executor const& exec, csr_view<T, I> a) {
    std::int64_t const samples = std::min<std::int64_t>(a.rows(), max_samples);
    if (samples == 0) return 1;
    buffer<std::int64_t> votes(exec, samples);
    draw_samples(exec, store_sample<vote_for_block<T, I>>{{a}, a.rows(), samples, votes.data()});
    std::int64_t const sum = reduce(exec, samples, std::int64_t(0), stored_sample{votes.data()}, plus{});
    constexpr std::int64_t mask = (std::int64_t(1) << block_sizes::bits) - 1;
    for (int k = 0; k < block_sizes::count; ++k)
        if (2 * ((sum >> (k * block_sizes::bits)) & mask) >= samples) return block_sizes::size(k);
    return 1;
}

} // namespace coppice::inline v0_1::multilevel_detail
