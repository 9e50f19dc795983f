// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pairs of vertices over ranks, the graph of these blocks, and the entries that factors along their paths contain:
/// pair_forest() over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/forest/paired_forest.hpp>
#include <coppice/solvers/distributed/forests/forest_rows.hpp>
#include <coppice/solvers/distributed/graphs/distributed_graph_state.hpp>
#include <coppice/solvers/distributed/rows/fetched_rows.hpp>

namespace coppice::inline v0_1::distributed {

/// The vertices of a block, global; the second one is -1 if there is none.
struct block_members {
    std::int32_t of[2];
};
/// The vertices, global, of the previous block on the path, of the own block and of the next one; -1: none. A factor
/// contains the entries in these columns.
struct factor_columns {
    std::int32_t of[6];
    COPPICE_HD int slot(std::int32_t column) const {
        for (int s = 0; s < 6; ++s)
            if (of[s] == column) return s;
        return -1;
    }
};

/// Blocks of one or two vertices, numbered by their smaller vertices, which own them.
struct rank_pairs {
    rank_offsets begins{};           ///< first block of each rank
    buffer<std::int32_t> block_of{}; ///< of the vertices of this rank; global
    buffer<block_members> members{}; ///< of the blocks of this rank
};

struct leads_block {
    std::int32_t const* mates; ///< global, -1: none
    std::int32_t first;        ///< first vertex of the rank
    COPPICE_HD std::int64_t operator()(std::int64_t v) const {
        return mates[v] < 0 || mates[v] > first + std::int32_t(v) ? 1 : 0;
    }
};
/// Stores the members of a block, the vertex that leads each vertex and, for leaders, the local block.
struct store_members {
    leads_block leads;
    std::int32_t *block_of, *leader_of;
    block_members* members;
    COPPICE_HD void operator()(std::int64_t v, std::int64_t block) const {
        std::int32_t const id = leads.first + std::int32_t(v);
        bool const here = leads(v) != 0;
        leader_of[v] = here ? id : leads.mates[v];
        block_of[v] = here ? std::int32_t(block) : -1;
        if (here) members[block] = {{id, leads.mates[v]}};
    }
};
struct shift_block {
    std::int32_t* block_of;
    std::int32_t first;
    COPPICE_HD void operator()(std::int64_t v) const { block_of[v] += block_of[v] < 0 ? 0 : first; }
};

/// `mates`: neighbours of a [0, 1]-factor over ranks. Collective.
template <executor Executor>
rank_pairs pairs_of(Executor const& exec, rank_communicator const& comm, rank_offsets const& begins,
                    buffer<std::int32_t> const& mates) {
    std::int64_t const n = mates.size();
    buffer<std::int32_t> of_leaders(exec, n), leaders(exec, n);
    buffer<block_members> members(exec, n);
    leads_block const leads{mates.data(), std::int32_t(begins[std::size_t(comm.rank())])};
    std::int64_t const count = exclusive_scan(
        exec, n, leads, store_members{leads, of_leaders.data(), leaders.data(), members.data()}, std::int64_t(0));
    rank_pairs pairs;
    pairs.begins = offsets_of_ranks(comm, count);
    for_each(exec, n, shift_block{of_leaders.data(), std::int32_t(pairs.begins[std::size_t(comm.rank())])});
    order_plan<Executor> const plan(exec, comm, begins, leaders.view());
    pairs.block_of = buffer<std::int32_t>(exec, n);
    elements_in_order<Executor, std::int32_t>(exec, comm, plan).fetch(exec, of_leaders.data(), pairs.block_of.data());
    pairs.members = copy_of(exec, members.view().slice(0, count));
    return pairs;
}

/// An edge to a block.
template <class T>
struct block_edge {
    std::int32_t block;
    T weight;
};
template <class T>
struct make_block_edge {
    csr_view<T> weights;             ///< columns: own vertices, then outer vertices
    std::int32_t const *own, *outer; ///< their blocks
    COPPICE_HD block_edge<T> operator()(std::int64_t k) const {
        std::int32_t const c = weights.indices[k];
        return {c < weights.rows() ? own[c] : outer[c - weights.rows()], weights.coefficients[k]};
    }
};
template <class T>
struct store_block_edge {
    make_block_edge<T> edge;
    std::int32_t* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        auto const [block, weight] = edge(k);
        columns[k] = block;
        values[k] = weight;
    }
};
template <class T>
struct append_block_edge {
    block_edge<T> const* from;
    std::int32_t* columns;
    T* values;
    COPPICE_HD void operator()(std::int64_t k) const {
        columns[k] = from[k].block;
        values[k] = from[k].weight;
    }
};
struct append_offset {
    std::int64_t const* begin;
    std::int32_t own;
    std::int32_t* offsets;
    COPPICE_HD void operator()(std::int64_t i) const { offsets[i] = own + std::int32_t(begin[i]); }
};
/// The rows of the members of a block: own rows, then fetched ones.
struct store_member_rows {
    block_members const* members;
    rank_ids ids; ///< of the vertices of this rank, and of the fetched rows
    std::int32_t* rows;
    COPPICE_HD void operator()(std::int64_t block) const {
        for (int s = 0; s < 2; ++s) {
            std::int32_t const v = members[block].of[s];
            rows[2 * block + s] = v < 0 ? -1 : ids.local_or_outer(v);
        }
    }
};

/// The graph of the blocks of a graph; weights are sums over all edges between two blocks, in ascending order, as on
/// one rank. Collective.
template <executor Executor, class T>
distributed_graph<Executor, T> graph_of_pairs(Executor const& exec, rank_communicator const& comm,
                                              rank_offsets const& begins, distributed_graph<Executor, T> const& graph,
                                              rank_pairs const& pairs) {
    csr_view<T> const weights = graph.ranks().weights.view();
    rank_ids const ids = graph.ranks().graph.ids();
    order_plan<Executor> const outer(exec, comm, begins, array_view<std::int32_t const>(ids.outer, ids.outer_count));
    buffer<std::int32_t> outer_blocks(exec, ids.outer_count);
    elements_in_order<Executor, std::int32_t>(exec, comm, outer)
        .fetch(exec, pairs.block_of.data(), outer_blocks.data());
    make_block_edge<T> const edge{weights, pairs.block_of.data(), outer_blocks.data()};

    std::vector<std::int32_t> needs; // members on other ranks
    for (block_members const& m : to_vector(exec, pairs.members))
        if (m.of[1] >= 0 && ids.local(m.of[1]) < 0) needs.push_back(m.of[1]);
    std::sort(needs.begin(), needs.end());
    fetched_rows const fetched(exec, comm, begins, needs, weights.offsets);
    auto const others = fetched.template fetch<block_edge<T>>(exec, comm, edge);
    auto const of_others = exec.copy(needs);

    std::int64_t const n = weights.rows(), own = weights.nonzeros(), blocks = pairs.members.size();
    buffer<std::int32_t> offsets(exec, n + 1 + std::int64_t(needs.size())), columns(exec, own + others.size()),
        rows(exec, 2 * blocks);
    buffer<T> values(exec, columns.size());
    exec.copy_elements(weights.offsets, offsets.data(), n + 1);
    for_each(exec, fetched.begin().size(),
             append_offset{fetched.begin().data(), std::int32_t(own), offsets.data() + n});
    for_each(exec, own, store_block_edge<T>{edge, columns.data(), values.data()});
    for_each(exec, others.size(), append_block_edge<T>{others.data(), columns.data() + own, values.data() + own});
    for_each(exec, blocks,
             store_member_rows{pairs.members.data(),
                               {ids.first, ids.rows, of_others.data(), std::int32_t(needs.size())},
                               rows.data()});
    auto const all = std::int32_t(pairs.begins.back());
    csr_view<T> const member_rows{std::int32_t(offsets.size() - 1),
                                  all,
                                  std::int32_t(columns.size()),
                                  offsets.data(),
                                  columns.data(),
                                  values.data()};
    auto const coarse = graph_detail::graph_of_blocks<Executor, T, std::int32_t>(
        exec, member_rows, std::int32_t(blocks), nullptr, rows.data(),
        std::int32_t(pairs.begins[std::size_t(comm.rank())]));
    distributed_csr<Executor, T> const of_ranks(exec, comm, to_vector(exec, coarse.row_offsets()),
                                                to_vector(exec, coarse.column_indices()),
                                                to_vector(exec, coarse.values()));
    return {exec, comm, of_ranks};
}

} // namespace coppice::inline v0_1::distributed
