// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles and clustering coefficients over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <coppice/graph/frontier/frontier_host.hpp>
#include <coppice/graph/structure/triangles.hpp>
#include <coppice/solvers/distributed/graphs/owned_graph.hpp>
#include <coppice/solvers/distributed/rows/fetched_rows.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Lists of vertices: list i is [begin[i], begin[i + 1]).
struct vertex_lists {
    std::vector<std::int64_t> begin{0};
    std::vector<vertex_id> vertices{};
    std::span<vertex_id const> operator[](std::int64_t i) const {
        return std::span(vertices).subspan(std::size_t(begin[std::size_t(i)]),
                                           std::size_t(begin[std::size_t(i) + 1] - begin[std::size_t(i)]));
    }
};

/// The edges of a rank in one direction: u -> v if (degree, index) of v is larger, as analytics::rises.
struct rising_edges_of_rank {
    vertex_lists heads{};           ///< of each vertex of the rank: local vertices, in the order of the row
    std::vector<vertex_id> outer{}; ///< outer vertices among the heads, as positions in outer_ids(), ascending

    template <class O>
    rising_edges_of_rank(host_executor const& exec, rank_communicator const& comm,
                         owned_graph<host_executor> const& graph,
                         distributed_rows<host_executor, vertex_id, O> const& rows) {
        graph_view const g = graph.view();
        std::vector<std::int32_t> degrees;
        degrees.reserve(std::size_t(g.vertices));
        for (vertex_id v = 0; v < graph.own(); ++v) degrees.push_back(g.degree(v));
        auto halo = rows.template halo_of<std::int32_t>(exec, comm);
        halo.start(exec, degrees.data());
        halo.finish(exec);
        degrees.insert(degrees.end(), halo.values(), halo.values() + (g.vertices - graph.own()));
        std::vector<char> is_head(degrees.size(), 0);
        for (vertex_id u = 0; u < graph.own(); ++u) {
            auto const low = std::pair(degrees[std::size_t(u)], graph.global(u));
            for (auto k = g.offsets[u]; k < g.offsets[u + 1]; ++k) {
                vertex_id const v = g.neighbors[k];
                if (!(low < std::pair(degrees[std::size_t(v)], graph.global(v)))) continue;
                heads.vertices.push_back(v);
                is_head[std::size_t(v)] = 1;
            }
            heads.begin.push_back(std::int64_t(heads.vertices.size()));
        }
        for (auto v = std::size_t(graph.own()); v < is_head.size(); ++v)
            if (is_head[v]) outer.push_back(vertex_id(v) - graph.own());
    }
};

/// Fetches the heads of the outer vertices `edges.outer`, as local vertices; omits heads that are neither vertices nor
/// outer vertices of this rank. Collective.
inline vertex_lists heads_of_outer(host_executor const& exec, rank_communicator const& comm,
                                   owned_graph<host_executor> const& graph, rising_edges_of_rank const& edges) {
    std::vector<vertex_id> needs;
    for (vertex_id const k : edges.outer) needs.push_back(graph.outer_ids()[k]);
    fetched_rows const rows(exec, comm, graph.begins(), needs, edges.heads.begin.data());
    auto const received = rows.fetch<vertex_id>(
        exec, comm, [&](std::int64_t k) { return graph.global(edges.heads.vertices[std::size_t(k)]); });
    vertex_lists lists;
    for (std::size_t i = 0; i < needs.size(); ++i) {
        for (std::int64_t k = rows.begin()[i]; k < rows.begin()[i + 1]; ++k)
            if (vertex_id const v = graph.local(received[k]); v >= 0) lists.vertices.push_back(v);
        lists.begin.push_back(std::int64_t(lists.vertices.size()));
    }
    return lists;
}

/// Counts triangles at local vertices: for every edge u -> v of the rank, each common head w of u and v forms a
/// triangle, which adds 1 to the counts of u, v and w. A thread flags the heads of its current u.
inline void count_at_corners_of_rank(host_executor const& exec, vertex_lists const& own, vertex_lists const& of_outer,
                                     std::vector<std::int32_t> const& list_of_outer,
                                     std::vector<std::int64_t>& counts) {
    auto const vertices = std::int64_t(own.begin.size()) - 1;
    std::vector<std::vector<vertex_id>> flags(static_cast<std::size_t>(exec.threads()));
    analytics::distribute_chunks(
        exec, exec.threads(), vertices, 256, analytics::nothing(),
        [&](auto& worker, int number, std::int64_t first, std::int64_t last) {
            auto& head_of = flags[std::size_t(number)]; // the last vertex of which a vertex is a head
            if (head_of.empty()) head_of.assign(counts.size(), -1);
            for (std::int64_t u = first; u < last; ++u) {
                for (vertex_id const w : own[u]) head_of[std::size_t(w)] = vertex_id(u);
                std::int64_t at_u = 0;
                for (vertex_id const v : own[u]) {
                    std::int64_t at_v = 0;
                    for (vertex_id const w : v < vertices ? own[v] : of_outer[list_of_outer[std::size_t(v - vertices)]])
                        if (head_of[std::size_t(w)] == u) {
                            ++at_v;
                            worker.add(counts.data() + w, std::int64_t(1));
                        }
                    at_u += at_v;
                    if (at_v > 0) worker.add(counts.data() + v, at_v);
                }
                if (at_u > 0) worker.add(counts.data() + u, at_u);
            }
        });
}

} // namespace distributed

/// clustering() of an undirected graph whose edges, in both directions, are distributed by the vertices that they
/// leave; rows are sorted and have no parallel edges, and loops are ignored. `triangles` and `coefficients` belong to
/// the vertices of this rank; the other members describe the whole graph. All are those of one rank, bit for bit,
/// except for the last digits of `mean`, which is summed in the order of the ranks.
///
/// Every edge is directed to its end of larger degree, and a rank fetches the directed rows of the outer vertices to
/// which its edges lead. Memory: one word per edge, twice the fetched rows, and (5 + threads) words for each vertex and
/// outer vertex of the rank. Collective. Throws overflow_error if a rank has 2^31 edges or more.
template <class O>
clustering_result clustering_distributed(host_executor const& exec, rank_communicator const& comm,
                                         distributed_rows<host_executor, vertex_id, O> const& rows) {
    using namespace analytics;
    distributed::owned_graph<host_executor> const graph(exec, comm, rows);
    vertex_id const own = graph.own();
    distributed::rising_edges_of_rank const edges(exec, comm, graph, rows);
    auto const of_outer = distributed::heads_of_outer(exec, comm, graph, edges);
    std::vector<std::int32_t> list_of_outer(std::size_t(graph.outer_ids().size()), -1);
    for (std::size_t i = 0; i < edges.outer.size(); ++i) list_of_outer[std::size_t(edges.outer[i])] = std::int32_t(i);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(graph.view().vertices), 0);
    distributed::count_at_corners_of_rank(exec, edges.heads, of_outer, list_of_outer, counts);
    std::vector<distributed::vertex_message<std::int64_t>> sent;
    for (std::int64_t k = 0; k < graph.outer_ids().size(); ++k)
        if (std::int64_t const count = counts[std::size_t(own + k)]; count > 0)
            sent.push_back({graph.outer_ids()[k], count});
    for (auto const& m : distributed::send_to_owners(comm, rows.begins(), sent))
        counts[std::size_t(m.vertex)] += m.value;

    clustering_result result{buffer<std::int64_t>(exec, own), buffer<double>(exec, own)};
    std::copy_n(counts.data(), own, result.triangles.data());
    auto const degrees = degrees_without_loops(exec, graph.view());
    auto const sums = graph.comm().all_reduce(
        reduce(exec, own, coefficient_sums{0, 0},
               coefficient_of{degrees.data(), result.triangles.data(), result.coefficients.data()},
               add_coefficient_sums{}),
        add_coefficient_sums{});
    result.total =
        graph.comm().all_reduce(
            reduce(exec, own, std::int64_t{0}, value_at<std::int64_t>{result.triangles.data()}, plus{}), plus{}) /
        3;
    result.mean = graph.all_vertices() > 0 ? sums.coefficients / double(graph.all_vertices()) : 0;
    result.transitivity = sums.pairs > 0 ? 3 * double(result.total) / sums.pairs : 0.0;
    return result;
}

} // namespace coppice::inline v0_1
