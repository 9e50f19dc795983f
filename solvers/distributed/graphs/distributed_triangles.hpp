// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles and clustering coefficients over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/frontier/frontier_host.hpp>
#include <coppice/graph/structure/triangles.hpp>
#include <coppice/solvers/distributed/graphs/merged_order.hpp>
#include <coppice/solvers/distributed/rows/fetched_rows.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

struct merge_degree {
    merged_order order;
    graph_view g;
    std::int32_t const* of_outer;
    std::int32_t* degrees;
    COPPICE_HD void operator()(std::int64_t v) const {
        degrees[order.of_local(vertex_id(v))] = v < order.own ? g.degree(v) : of_outer[v - order.own];
    }
};
struct own_degree {
    graph_view g;
    std::int32_t* degrees;
    COPPICE_HD void operator()(std::int64_t v) const { degrees[v] = g.degree(v); }
};
struct merged_degrees {
    std::int32_t const* degrees;
    COPPICE_HD std::int32_t degree(std::int64_t number) const { return degrees[number]; }
};
/// Degrees of the vertices and outer vertices, by their numbers. Collective.
template <executor Executor, class O>
buffer<std::int32_t> fetch_degrees(Executor const& exec, rank_communicator const& comm, graph_view own_rows,
                                   merged_order const& order, distributed_rows<Executor, vertex_id, O> const& rows) {
    buffer<std::int32_t> own(exec, order.own), all(exec, order.vertices());
    for_each(exec, order.own, own_degree{own_rows, own.data()});
    auto halo = rows.template halo_of<std::int32_t>(exec, comm);
    halo.start(exec, own.data());
    halo.finish(exec);
    for_each(exec, order.vertices(), merge_degree{order, own_rows, halo.values(), all.data()});
    return all;
}

/// Selects the edges of a rank in one direction, to the end of larger (degree, index), as analytics::rises.
struct rising_edges_of_rank {
    graph_view g; ///< the rows of the rank, with local neighbours
    merged_order order;
    std::int32_t const* degrees;
    vertex_id* heads; ///< numbers
    COPPICE_HD bool selects(vertex_id u, std::int32_t k) const {
        vertex_id const from = order.of_local(u), to = order.of_local(g.neighbors[k]);
        return degrees[from] != degrees[to] ? degrees[from] < degrees[to] : from < to;
    }
    COPPICE_HD void store(vertex_id, std::int32_t k, std::int32_t at) const {
        heads[at] = order.of_local(g.neighbors[k]);
    }
};
template <executor Executor>
analytics::selected_edges direct_edges_of_rank(Executor const& exec, rising_edges_of_rank rule) {
    std::int32_t total = 0;
    analytics::selected_edges d{analytics::offsets_of_selected(exec, rule.g, rule, total), {}};
    d.neighbors = buffer<vertex_id>(exec, total);
    rule.heads = d.neighbors.data();
    analytics::filter_edges(exec, rule.g, d.offsets.data(), rule);
    return d;
}

struct is_outer_head {
    merged_order order;
    std::int32_t const* flags;
    COPPICE_HD bool operator()(std::int64_t k) const { return flags[order.of_outer(vertex_id(k))] != 0; }
};
struct list_outer_head {
    vertex_id const* outer;
    vertex_id* list;
    std::int32_t* positions;
    COPPICE_HD void operator()(std::int64_t at, std::int64_t k) const {
        list[at] = outer[k];
        positions[k] = std::int32_t(at);
    }
};
struct global_head {
    merged_order order;
    vertex_id const* heads;
    COPPICE_HD vertex_id operator()(std::int64_t k) const { return order.global(heads[k]); }
};
struct number_head {
    merged_order order;
    vertex_id* heads;
    COPPICE_HD void operator()(std::int64_t k) const { heads[k] = order.of_global(heads[k]); }
};
/// Length of the row of a number: of this rank, fetched, or empty.
struct merged_length {
    merged_order order;
    std::int32_t const* own_offsets;
    std::int32_t const* positions; ///< of the fetched rows, by outer vertices; -1: not fetched
    std::int64_t const* fetched;   ///< their offsets
    COPPICE_HD std::int32_t operator()(std::int64_t number) const {
        if (order.is_own(vertex_id(number)))
            return own_offsets[number - order.before + 1] - own_offsets[number - order.before];
        std::int32_t const i = positions[order.outer_position(vertex_id(number))];
        return i < 0 ? 0 : std::int32_t(fetched[i + 1] - fetched[i]);
    }
};
struct is_known_head {
    vertex_id const* heads;
    COPPICE_HD bool selects(vertex_id, std::int32_t k) const { return heads[k] >= 0; }
};

/// The directed edges of the rank and those of the outer vertices to which they lead, between numbers. Heads of outer
/// vertices that are unknown to this rank are omitted, since no edge of the rank leads to them. Collective.
template <executor Executor>
analytics::selected_edges merge_directed_rows(Executor const& exec, owned_graph<Executor> const& graph,
                                              merged_order const& order, analytics::selected_edges const& own) {
    using namespace analytics;
    buffer<std::int32_t> flags(exec, order.vertices()), positions(exec, order.outer_count);
    buffer<vertex_id> list(exec, order.outer_count);
    fill(exec, flags.view(), 0);
    fill(exec, positions.view(), -1);
    auto const edges = placed(exec, worklist{nullptr, own.neighbors.size(), 0});
    vertex_map(exec, nullptr, edges.data(), nothing(), set_flag_at{own.neighbors.data(), flags.data()});
    std::int64_t const count = select(exec, order.outer_count, is_outer_head{order, flags.data()},
                                      list_outer_head{order.outer, list.data(), positions.data()});
    auto const needs = to_vector(exec, array_view<vertex_id const>(list.data(), count));

    fetched_rows const rows(exec, graph.comm(), graph.begins(), needs, own.offsets.data());
    auto received = rows.fetch<vertex_id>(exec, graph.comm(), global_head{order, own.neighbors.data()});
    for_each(exec, received.size(), number_head{order, received.data()});

    // Rows in the order of numbers: fetched rows of earlier ranks, those of this rank, fetched rows of later ranks.
    auto const earlier = std::lower_bound(needs.begin(), needs.end(), order.first) - needs.begin();
    std::int64_t const before = exec.load(rows.begin().data() + earlier), mine = own.neighbors.size();
    std::int32_t total = 0;
    selected_edges all{coppice::detail::offsets_of_degrees<std::int32_t>(
                           exec, order.vertices(),
                           merged_length{order, own.offsets.data(), positions.data(), rows.begin().data()}, total),
                       buffer<vertex_id>(exec, total)};
    exec.copy_elements(static_cast<vertex_id const*>(received.data()), all.neighbors.data(), before);
    exec.copy_elements(own.neighbors.data(), all.neighbors.data() + before, mine);
    exec.copy_elements(static_cast<vertex_id const*>(received.data()) + before, all.neighbors.data() + before + mine,
                       received.size() - before);
    return select_edges(exec, all.view(), is_known_head{all.neighbors.data()});
}

/// Counts triangles u -> v, u -> w, v -> w whose first vertex u is in a range at their three vertices. A thread flags
/// the heads of its current u.
inline void count_at_corners_from(host_executor const& exec, merged_degrees const&, bool, graph_view d,
                                  analytics::vertex_range us, std::int64_t* counts) {
    std::vector<std::vector<vertex_id>> flags(static_cast<std::size_t>(exec.threads()));
    analytics::distribute_chunks(exec, exec.threads(), us.last - us.first, 256, analytics::nothing(),
                                 [&](auto& worker, int number, std::int64_t first, std::int64_t last) {
                                     auto& head_of =
                                         flags[std::size_t(number)]; // the last vertex of which a vertex is a head
                                     if (head_of.empty()) head_of.assign(std::size_t(d.vertices), -1);
                                     for (auto u = vertex_id(us.first + first); u < us.first + last; ++u) {
                                         for (auto k = d.offsets[u]; k < d.offsets[u + 1]; ++k)
                                             head_of[std::size_t(d.neighbors[k])] = u;
                                         std::int64_t at_u = 0;
                                         for (auto k = d.offsets[u]; k < d.offsets[u + 1]; ++k) {
                                             vertex_id const v = d.neighbors[k];
                                             std::int64_t at_v = 0;
                                             for (auto i = d.offsets[v]; i < d.offsets[v + 1]; ++i)
                                                 if (vertex_id const w = d.neighbors[i]; head_of[std::size_t(w)] == u) {
                                                     ++at_v;
                                                     worker.add(counts + w, std::int64_t(1));
                                                 }
                                             at_u += at_v;
                                             if (at_v > 0) worker.add(counts + v, at_v);
                                         }
                                         if (at_u > 0) worker.add(counts + u, at_u);
                                     }
                                 });
}
#if defined(__CUDACC__)
inline void count_at_corners_from(cuda_executor const& exec, merged_degrees const& degrees, bool has_hubs, graph_view d,
                                  analytics::vertex_range us, std::int64_t* counts) {
    analytics::for_each_triangle_from(exec, degrees, has_hubs, d, us, analytics::count_at_corners{counts});
}
#endif

struct add_received_count {
    std::int32_t const* rows;
    std::int64_t const* values;
    std::int64_t* counts;
    COPPICE_NO_EXEC_CHECK
    template <class Worker>
    COPPICE_HD void operator()(Worker& worker, vertex_id i) const {
        if (values[i] > 0) worker.add(counts + rows[i], values[i]);
    }
};
/// Adds the counts of outer vertices to those of their owners. Collective.
template <executor Executor>
void add_counts_of_others(Executor const& exec, owned_graph<Executor> const& graph, merged_order const& order,
                          std::int64_t* counts) {
    std::int64_t const* const from = counts;
    buffer<std::int64_t> of_outer(exec, order.outer_count);
    exec.copy_elements(from, of_outer.data(), order.before);
    exec.copy_elements(from + order.before + order.own, of_outer.data() + order.before,
                       order.outer_count - order.before);
    reverse_halo<Executor, std::int64_t> to_owners(exec, graph.comm(), graph.halo_plan());
    to_owners.run(exec, of_outer.data());
    analytics::vertex_map(exec, nullptr, to_owners.all(), analytics::nothing(),
                          add_received_count{to_owners.rows(), to_owners.values(), counts + order.before});
}

} // namespace distributed

/// clustering() of an undirected graph whose edges, in both directions, are distributed by the vertices that they
/// leave; rows are sorted and have no parallel edges, and loops are ignored. `triangles` and `coefficients` belong to
/// the vertices of this rank, in memory of the executor; the other members describe the whole graph. All are those of
/// one rank, bit for bit, except for the last digits of `mean`, which is summed in the order of the ranks.
///
/// Every edge is directed to its end of larger degree, and a rank fetches the directed rows of the outer vertices to
/// which its edges lead. Memory: two words per edge, four times the fetched rows, 12 words for each vertex and outer
/// vertex of the rank, on the host one more for each thread; on CUDA that of clustering() for these edges. Host and
/// CUDA (O of 32 or 64 bits). Collective. Throws overflow_error if a rank has 2^31 edges or more, or if its directed
/// edges and those that it fetches are as many.
template <executor Executor, class O>
clustering_result clustering_distributed(Executor const& exec, rank_communicator const& comm,
                                         distributed_rows<Executor, vertex_id, O> const& rows) {
    using namespace analytics;
    distributed::owned_graph<Executor> const graph(exec, comm, rows);
    auto const order = distributed::order_of(graph);
    graph_view own_rows = graph.view();
    own_rows.vertices = order.own;
    auto const degrees = distributed::fetch_degrees(exec, comm, own_rows, order, rows);
    buffer<std::int64_t> counts(exec, order.vertices());
    fill(exec, counts.view(), 0);
    {
        auto const own_edges = distributed::direct_edges_of_rank(exec, {own_rows, order, degrees.data(), nullptr});
        auto const edges = distributed::merge_directed_rows(exec, graph, order, own_edges);
        distributed::count_at_corners_from(exec, {degrees.data()}, has_long_rows(own_rows), edges.view(),
                                           {order.before, order.before + std::int64_t(order.own)}, counts.data());
    }
    distributed::add_counts_of_others(exec, graph, order, counts.data());

    clustering_result result{copy_of(exec, counts.view().slice(order.before, order.own)),
                             buffer<double>(exec, order.own)};
    auto const degrees_of_own = degrees_without_loops(exec, own_rows);
    std::int64_t const* const triangles = result.triangles.data();
    auto const sums = comm.all_reduce(
        reduce(exec, order.own, coefficient_sums{0, 0},
               coefficient_of{degrees_of_own.data(), triangles, result.coefficients.data()}, add_coefficient_sums{}),
        add_coefficient_sums{});
    result.total =
        comm.all_reduce(reduce(exec, order.own, std::int64_t{0}, value_at<std::int64_t>{triangles}, plus{}), plus{}) /
        3;
    result.mean = graph.all_vertices() > 0 ? sums.coefficients / double(graph.all_vertices()) : 0;
    result.transitivity = sums.pairs > 0 ? 3 * double(result.total) / sums.pairs : 0.0;
    return result;
}

#define COPPICE_TRIANGLES_DISTRIBUTED(EXTERN, EXECUTOR, O)                                                             \
    EXTERN template clustering_result clustering_distributed(EXECUTOR const&, rank_communicator const&,                \
                                                             distributed_rows<EXECUTOR, vertex_id, O> const&)
COPPICE_TRIANGLES_DISTRIBUTED(extern, cuda_executor, std::int32_t);
COPPICE_TRIANGLES_DISTRIBUTED(extern, cuda_executor, std::int64_t);

} // namespace coppice::inline v0_1
