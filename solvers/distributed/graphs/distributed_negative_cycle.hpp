// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test over ranks whether distances that keep decreasing do so along a negative cycle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <coppice/graph/search/negative_cycle.hpp>
#include <coppice/solvers/distributed/graphs/elements_at.hpp>

namespace coppice::inline v0_1::distributed {

/// analytics::nearest_edges for the vertices of this rank, with global vertices. `distances`: of local vertices.
template <executor Executor, class T>
std::vector<analytics::edge_to_vertex<T>> nearest_edges(owned_graph<Executor> const& graph, T const* lengths,
                                                        T const* distances) {
    auto const& exec = graph.exec();
    graph_view const g = graph.view();
    auto nearest = analytics::nearest_edges(to_vector(exec, array_view<std::int32_t const>(g.offsets, g.vertices + 1)),
                                            to_vector(exec, array_view<vertex_id const>(g.neighbors, g.edge_count)),
                                            to_vector(exec, array_view<T const>(lengths, g.edge_count)),
                                            to_vector(exec, array_view<T const>(distances, g.vertices)));
    auto const outer = to_vector(exec, graph.outer_ids());
    std::vector<vertex_message<analytics::edge_to_vertex<T>>> messages;
    for (std::size_t v = 0; v < nearest.size(); ++v) {
        if (nearest[v].from < 0) continue;
        nearest[v].from += graph.first(); // only vertices of this rank have edges here
        if (v >= std::size_t(graph.own())) messages.push_back({outer[v - std::size_t(graph.own())], nearest[v]});
    }
    nearest.resize(std::size_t(graph.own()));
    for (auto const& m : send_to_owners(graph.comm(), graph.begins(), messages)) {
        auto& of = nearest[std::size_t(m.vertex)];
        bool const is_first = m.value.distance == of.distance && m.value.from < of.from;
        if (m.value.distance < of.distance || is_first) of = m.value;
    }
    return nearest;
}

/// Removes the edges from which a walk backwards ends at `source` or at a vertex without an edge.
template <class T>
void remove_ending_walks(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                         std::vector<analytics::edge_to_vertex<T>>& edges, std::int64_t source) {
    host_executor const exec(1);
    std::vector<vertex_id> back(edges.size()); // many steps back; -1: ended
    for (std::size_t v = 0; v < edges.size(); ++v)
        back[v] = edges[v].from == source || begins[std::size_t(comm.rank())] + std::int64_t(v) == source
                      ? -1
                      : edges[v].from;
    for (std::int64_t steps = 1; steps < begins.back(); steps *= 2) {
        std::vector<vertex_id> at;
        for (vertex_id const v : back)
            if (v >= 0) at.push_back(v);
        auto const next = values_at(exec, comm, begins, back.data(), array_view<vertex_id const>(at));
        auto value = next.begin();
        for (vertex_id& v : back)
            if (v >= 0) v = *value++;
    }
    for (std::size_t v = 0; v < edges.size(); ++v)
        if (back[v] < 0) edges[v].from = -1;
}

/// Whether the edges of all ranks form a cycle of negative length that does not contain the global vertex `source`. The
/// test of a rank gets only vertices from which a walk backwards reaches a cycle. Collective.
template <class T>
bool form_negative_cycle(rank_communicator const& comm, std::vector<std::int64_t> const& begins,
                         std::vector<analytics::edge_to_vertex<T>> edges, std::int64_t source) {
    remove_ending_walks(comm, begins, edges, source);
    std::vector<vertex_message<analytics::edge_to_vertex<T>>> mine;
    for (std::size_t v = 0; v < edges.size(); ++v)
        if (edges[v].from >= 0) mine.push_back({vertex_id(begins[std::size_t(comm.rank())]) + vertex_id(v), edges[v]});
    std::vector<vertex_id> vertices; // ascending, since ranks own consecutive vertices
    std::vector<analytics::edge_to_vertex<T>> all;
    for (auto const& of_rank : comm.gather(mine))
        for (auto const& m : of_rank) {
            vertices.push_back(m.vertex);
            all.push_back(m.value);
        }
    for (auto& e : all)
        e.from = std::int32_t(std::lower_bound(vertices.begin(), vertices.end(), e.from) - vertices.begin());
    return analytics::form_negative_cycle(all, -1);
}

} // namespace coppice::inline v0_1::distributed
