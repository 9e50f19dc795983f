// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Triangles and clustering coefficients over ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <coppice/graph/structure/triangles.hpp>
#include <coppice/solvers/distributed/graphs/owned_graph.hpp>

namespace coppice::inline v0_1 {
namespace distributed {

/// Lists of global vertices, ascending: list i is [begin[i], begin[i + 1]).
struct vertex_lists {
    std::vector<std::int64_t> begin{0};
    std::vector<vertex_id> vertices{};
    vertex_id const* first(std::int64_t i) const { return vertices.data() + begin[std::size_t(i)]; }
    vertex_id const* last(std::int64_t i) const { return vertices.data() + begin[std::size_t(i) + 1]; }
};

/// The edges of a rank in one direction: u -> v if (degree, index) of v is larger, as analytics::rises.
class rising_lists {
public:
    vertex_lists of_own{};                ///< neighbours of each vertex of the rank
    std::vector<vertex_id> local{};       ///< the same neighbours as local vertices
    std::vector<vertex_id> outer_tails{}; ///< local outer vertices to which an edge of the rank rises, ascending

    template <class O>
    rising_lists(host_executor const& exec, rank_communicator const& comm, owned_graph<host_executor> const& graph,
                 distributed_rows<host_executor, vertex_id, O> const& rows) {
        graph_view const g = graph.view();
        std::vector<std::int32_t> degrees(static_cast<std::size_t>(graph.own()));
        for (vertex_id v = 0; v < graph.own(); ++v) degrees[std::size_t(v)] = g.degree(v);
        auto halo = rows.template halo_of<std::int32_t>(exec, comm);
        halo.start(exec, degrees.data());
        halo.finish(exec);
        auto const rank_of = [&](vertex_id v) { // the order of the edges
            bool const own = v < graph.own();
            return std::pair(own ? degrees[std::size_t(v)] : halo.values()[v - graph.own()],
                             own ? graph.first() + v : graph.outer_ids()[std::size_t(v - graph.own())]);
        };
        std::vector<char> rises_to(static_cast<std::size_t>(g.vertices - graph.own()), 0);
        for (vertex_id u = 0; u < graph.own(); ++u) {
            auto const low = rank_of(u);
            for (auto k = g.offsets[u]; k < g.offsets[u + 1]; ++k) {
                vertex_id const v = g.neighbors[k];
                auto const high = rank_of(v);
                if (!(low < high)) continue;
                of_own.vertices.push_back(high.second);
                local.push_back(v);
                if (v >= graph.own()) rises_to[std::size_t(v - graph.own())] = 1;
            }
            of_own.begin.push_back(std::int64_t(of_own.vertices.size()));
        }
        for (std::size_t k = 0; k < rises_to.size(); ++k)
            if (rises_to[k]) outer_tails.push_back(graph.own() + vertex_id(k));
    }
};

/// Fetches the lists of vertices of other ranks. `needs`: global indices, ascending. Collective.
inline vertex_lists lists_of_others(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                                    vertex_lists const& own, std::vector<vertex_id> const& needs) {
    halo_plan const plan(comm, begins, needs);
    std::vector<std::int32_t> lengths, received(needs.size());
    std::vector<vertex_id> sent;
    rank_offsets send_begin{0}, receive_begin{0};
    for (std::size_t p = 0; p + 1 < plan.send_begin.size(); ++p) {
        for (auto i = std::size_t(plan.send_begin[p]); i < std::size_t(plan.send_begin[p + 1]); ++i) {
            std::int64_t const v = plan.send_rows[i];
            lengths.push_back(std::int32_t(own.last(v) - own.first(v)));
            sent.insert(sent.end(), own.first(v), own.last(v));
        }
        send_begin.push_back(std::int64_t(sent.size()));
    }
    send_and_receive(comm, plan.send_begin, std::as_const(lengths).data(), plan.receive_begin, received.data())
        ->finish();
    vertex_lists lists;
    for (std::int32_t const length : received) lists.begin.push_back(lists.begin.back() + length);
    for (std::size_t p = 1; p < plan.receive_begin.size(); ++p)
        receive_begin.push_back(lists.begin[std::size_t(plan.receive_begin[p])]);
    lists.vertices.resize(std::size_t(lists.begin.back()));
    send_and_receive(comm, send_begin, std::as_const(sent).data(), receive_begin, lists.vertices.data())->finish();
    return lists;
}

/// Adds the triangles of an edge u -> v to the counts of their corners, which are local vertices: those at the common
/// vertices of both lists.
template <class Worker>
void count_common(Worker& worker, rising_lists const& edges, vertex_id u, vertex_id v, vertex_id const* at,
                  vertex_id const* end, std::int64_t* counts) {
    std::int64_t found = 0;
    for (auto k = edges.of_own.begin[std::size_t(u)]; k < edges.of_own.begin[std::size_t(u) + 1] && at != end; ++k) {
        vertex_id const w = edges.of_own.vertices[std::size_t(k)];
        at = std::lower_bound(at, end, w);
        if (at == end || *at != w) continue;
        ++found;
        worker.add(counts + edges.local[std::size_t(k)], std::int64_t(1));
    }
    if (found == 0) return;
    worker.add(counts + u, found);
    worker.add(counts + v, found);
}

} // namespace distributed

/// clustering() of an undirected graph whose edges, in both directions, are distributed by the vertices that they
/// leave; rows are sorted and have no parallel edges, and loops are ignored. `triangles` and `coefficients` belong to
/// the vertices of this rank; the other members describe the whole graph. All are those of one rank, bit for bit, but
/// for the last digits of `mean`, which is added in the order of ranks.
///
/// Every edge is directed to its end of larger degree, and a rank fetches the directed rows of the outer vertices to
/// which its edges lead. Memory: two words per edge, those rows, and three words per vertex of the rank and outer
/// vertex. Collective. Throws overflow_error if a rank has 2^31 edges or more.
template <class O>
clustering_result clustering_distributed(host_executor const& exec, rank_communicator const& comm,
                                         distributed_rows<host_executor, vertex_id, O> const& rows) {
    using namespace analytics;
    distributed::owned_graph<host_executor> const graph(exec, comm, rows);
    vertex_id const own = graph.own();
    distributed::rising_lists const edges(exec, comm, graph, rows);
    std::vector<vertex_id> needs;
    std::vector<std::int32_t> list_of(static_cast<std::size_t>(graph.view().vertices - own), -1);
    for (vertex_id const v : edges.outer_tails) {
        list_of[std::size_t(v - own)] = std::int32_t(needs.size());
        needs.push_back(graph.outer_ids()[std::size_t(v - own)]);
    }
    auto const of_others = distributed::lists_of_others(comm, rows.begins(), edges.of_own, needs);

    std::vector<std::int64_t> counts(static_cast<std::size_t>(graph.view().vertices), 0);
    auto const all = placed(exec, worklist{nullptr, own, 0});
    vertex_map(exec, nullptr, all.data(), nothing(), [&](auto& worker, vertex_id u) {
        for (auto k = edges.of_own.begin[std::size_t(u)]; k < edges.of_own.begin[std::size_t(u) + 1]; ++k) {
            vertex_id const v = edges.local[std::size_t(k)];
            auto const& lists = v < own ? edges.of_own : of_others;
            std::int64_t const i = v < own ? v : list_of[std::size_t(v - own)];
            distributed::count_common(worker, edges, u, v, lists.first(i), lists.last(i), counts.data());
        }
    });
    std::vector<distributed::vertex_message<std::int64_t>> sent;
    for (std::size_t k = 0; k < graph.outer_ids().size(); ++k)
        if (std::int64_t const count = counts[std::size_t(own) + k]; count > 0)
            sent.push_back({graph.outer_ids()[k], count});
    for (auto const& m : distributed::send_to_owners(comm, rows.begins(), sent))
        counts[std::size_t(m.vertex)] += m.value;

    clustering_result result{buffer<std::int64_t>(exec, own), buffer<double>(exec, own)};
    std::copy_n(counts.data(), own, result.triangles.data());
    auto const degrees = degrees_without_loops(exec, graph.view());
    auto const sums =
        graph.over_ranks(reduce(exec, own, coefficient_sums{0, 0},
                                coefficient_of{degrees.data(), result.triangles.data(), result.coefficients.data()},
                                add_coefficient_sums{}),
                         add_coefficient_sums{});
    result.total =
        graph.over_ranks(reduce(exec, own, std::int64_t{0}, value_at<std::int64_t>{result.triangles.data()}, plus{}),
                         plus{}) /
        3;
    result.mean = graph.all_vertices() > 0 ? sums.coefficients / double(graph.all_vertices()) : 0;
    result.transitivity = sums.pairs > 0 ? 3 * double(result.total) / sums.pairs : 0.0;
    return result;
}

} // namespace coppice::inline v0_1
