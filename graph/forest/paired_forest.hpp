// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pairs of vertices from a matching, and a linear forest of the pairs (thesis section 4.6).
#pragma once

#include <algorithm>
#include <utility>

#include <coppice/algebra/operations.hpp>
#include <coppice/algebra/rows/built_rows.hpp>
#include <coppice/algebra/rows/lane_sort.hpp>
#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {

/// Blocks of one or two vertices, numbered along paths of blocks. Move-only; in the memory of its executor.
template <class I>
struct paired_forest {
    I vertices = 0;            ///< N
    I matched = 0;             ///< number of matched vertices
    linear_forest<I> blocks{}; ///< forest of the graph of blocks; weights are sums over the edges between two blocks
    /// Coverage of the edges within a block and between neighbouring blocks; 1 without edges.
    double weight_coverage = 1;
    /// [2 blocks] vertex at each position; -1 at the second position of a block of one vertex
    buffer<I> order{};
    buffer<I> positions{}; ///< [N] order[positions[v]] = v

    I ghosts() const { return 2 * blocks.vertices - vertices; } ///< number of positions without a vertex
};

namespace graph_detail {

/// The smaller vertex of a pair, or a single vertex, creates the block.
template <class I>
struct is_block_leader {
    I const* mate;
    COPPICE_HD std::int64_t operator()(std::int64_t v) const { return mate[v] < 0 || mate[v] > I(v) ? 1 : 0; }
};
template <class I>
struct store_block {
    is_block_leader<I> leads;
    I *block_of, *members;
    COPPICE_HD void operator()(std::int64_t v, std::int64_t block) const {
        if (!leads(v)) return;
        I const mate = leads.mate[v];
        block_of[v] = I(block);
        if (mate >= 0) block_of[mate] = I(block);
        members[2 * block] = I(v);
        members[2 * block + 1] = mate;
    }
};

/// Collects the entries of a block's rows that lead to other blocks: columns, summed magnitudes and their number.
template <class T, class I>
struct block_row {
    csr_view<T, I> weights;
    I const *block_of, *members; ///< block_of = null: the columns are blocks
    I first;                     ///< index of the first block
    I const* offsets;            ///< [blocks + 1], offsets of the workspace of each block
    I* columns;
    T* values;
    I* counts;

    COPPICE_HD void operator()(std::int64_t block) const {
        I const at = offsets[block];
        I length = 0;
        for (int s = 0; s < 2; ++s) {
            I const v = members[2 * block + s];
            if (v < 0) continue;
            for (I k = weights.row_begin(v); k < weights.row_end(v); ++k) {
                I const column = weights.indices[k], to = block_of ? block_of[column] : column;
                if (to == first + I(block)) continue;
                columns[at + length] = to;
                values[at + length++] = detail::magnitude(weights.coefficients[k]);
            }
        }
        detail::lane_sort<T, I>{columns + at, values + at}(length);
        counts[block] = merge_equal(columns + at, values + at, length);
    }

private:
    /// Adds equal columns in ascending order of their values, so that both directions of an edge have the same bits.
    COPPICE_HD static I merge_equal(I* columns, T* values, I length) {
        I merged = 0;
        for (I k = 0, end = 0; k < length; k = end) {
            for (end = k; end < length && columns[end] == columns[k]; ++end) {
            }
            for (I j = k + 1; j < end; ++j)
                for (I to = j; to > k && values[to - 1] > values[to]; --to) {
                    T const value = values[to];
                    values[to] = values[to - 1];
                    values[to - 1] = value;
                }
            T sum = values[k];
            for (I j = k + 1; j < end; ++j) sum = sum + values[j];
            columns[merged] = columns[k];
            values[merged++] = sum;
        }
        return merged;
    }
};
template <class I>
struct capacity_of_block {
    I const *offsets, *members;
    COPPICE_HD I operator()(std::int64_t block) const {
        I sum = 0;
        for (int s = 0; s < 2; ++s) {
            I const v = members[2 * block + s];
            sum += v < 0 ? I(0) : offsets[v + 1] - offsets[v];
        }
        return sum;
    }
};
/// Rows of the graph of blocks, for build_rows().
template <class T, class I>
struct block_row_entries {
    I const *offsets, *counts, *columns;
    T const* values;
    COPPICE_NO_EXEC_CHECK
    template <class Emit>
    COPPICE_HD void emit_row(std::int64_t block, Emit& emit) const {
        for (I k = offsets[block]; k < offsets[block] + counts[block]; ++k) emit(columns[k], values[k]);
    }
};
template <class I>
struct order_block {
    I const *permutation, *members;
    I *order, *positions;
    COPPICE_HD void operator()(std::int64_t p) const {
        for (int s = 0; s < 2; ++s) {
            I const v = members[2 * std::int64_t(permutation[p]) + s];
            order[2 * p + s] = v;
            if (v >= 0) positions[v] = I(2 * p + s);
        }
    }
};
template <class T, class I>
struct weigh_block_row {
    csr_view<T, I> weights;
    I const *block_of, *links;
    COPPICE_HD covered_weight operator()(std::int64_t v) const {
        covered_weight sum{0, 0};
        I const block = block_of[v];
        for (I k = weights.row_begin(v); k < weights.row_end(v); ++k) {
            if (weights.indices[k] == I(v)) continue;
            double const weight = double(detail::magnitude(weights.coefficients[k]));
            I const to = block_of[weights.indices[k]];
            bool const held =
                to == block || to == links[2 * std::int64_t(block)] || to == links[2 * std::int64_t(block) + 1];
            sum.all += weight;
            sum.covered += held ? weight : 0;
        }
        return sum;
    }
};

/// Returns the graph of the blocks: one row per block, without edges within a block. block_of = null: the columns of
/// the weights are blocks, and the rows are those of blocks first, first + 1, ...
template <executor Executor, class T, class I>
csr<T, I> graph_of_blocks(Executor const& exec, csr_view<T, I> weights, I blocks, I const* block_of, I const* members,
                          I first = 0) {
    I capacity = 0;
    auto const offsets =
        detail::offsets_of_degrees<I>(exec, blocks, capacity_of_block<I>{weights.offsets, members}, capacity);
    buffer<I> columns(exec, capacity), counts(exec, blocks);
    buffer<T> values(exec, capacity);
    for_each(exec, blocks,
             block_row<T, I>{weights, block_of, members, first, offsets.data(), columns.data(), values.data(),
                             counts.data()});
    return detail::build_rows<T, I, I>(
        exec, blocks, block_of ? blocks : weights.columns(),
        block_row_entries<T, I>{offsets.data(), counts.data(), columns.data(), values.data()});
}

} // namespace graph_detail

/// Pairs the vertices by a [0, 1]-factor, and computes a linear forest of the blocks from a [0, 2]-factor of the graph
/// of blocks, whose edge weights are sums over all edges between two blocks. `options` (except degree) and `weights` as
/// for parallel_factor(). Deterministic; waits. Throws as parallel_factor().
template <executor Executor, class T, class I>
paired_forest<I> pair_forest(Executor const& exec, csr_view<T, I> weights, factor_options options = {}) {
    using namespace graph_detail;
    I const n = require_square(weights, "pair_forest").rows();
    options.degree = 1;
    auto const matching = parallel_factor(exec, weights, options);
    buffer<I> block_of(exec, n), members(exec, 2 * std::int64_t(n));
    is_block_leader<I> const leads{matching.neighbors.data()};
    I const blocks =
        I(exclusive_scan(exec, n, leads, store_block<I>{leads, block_of.data(), members.data()}, std::int64_t(0)));
    auto const coarse = graph_of_blocks(exec, weights, blocks, block_of.data(), members.data());
    options.degree = 2;
    paired_forest<I> result;
    result.vertices = n;
    result.matched = 2 * (n - blocks);
    result.blocks = extract_forest(exec, coarse.view(), parallel_factor(exec, coarse.view(), options));
    auto const sum =
        reduce(exec, n, covered_weight{0, 0},
               weigh_block_row<T, I>{weights, block_of.data(), result.blocks.links.data()}, add_covered_weight{});
    result.weight_coverage = sum.all > 0 ? sum.covered / sum.all : 1;
    result.order = buffer<I>(exec, 2 * std::int64_t(blocks));
    result.positions = buffer<I>(exec, n);
    for_each(
        exec, blocks,
        order_block<I>{result.blocks.permutation.data(), members.data(), result.order.data(), result.positions.data()});
    return result;
}

#define COPPICE_PAIRED_FOREST(EXTERN, EXECUTOR, T)                                                                     \
    EXTERN template paired_forest<std::int32_t> pair_forest(EXECUTOR const&, csr_view<T>, factor_options)
COPPICE_PAIRED_FOREST(extern, host_executor, float);
COPPICE_PAIRED_FOREST(extern, host_executor, double);
COPPICE_PAIRED_FOREST(extern, cuda_executor, float);
COPPICE_PAIRED_FOREST(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
