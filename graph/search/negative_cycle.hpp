// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test whether distances that keep decreasing do so along a negative cycle. All arrays are in host memory, since the
/// test is rare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace coppice::inline v0_1::analytics {

/// Message of algorithms that are selected by name.
inline constexpr char negative_cycle_failure[] =
    "a cycle of negative length is reached, so there are no shortest paths";

/// The last edge of a walk to a vertex: its length, and the vertex that it leaves; -1: there is none.
template <class T>
struct edge_to_vertex {
    T distance = std::numeric_limits<T>::infinity(); ///< distance of `from` plus `length`
    T length = 0;
    std::int32_t from = -1;
};

/// For every v, the edge u -> v with the smallest distance[u] + length, of the vertices u that have offsets.
template <class T>
std::vector<edge_to_vertex<T>> nearest_edges(std::vector<std::int32_t> const& offsets,
                                             std::vector<std::int32_t> const& neighbors, std::vector<T> const& lengths,
                                             std::vector<T> const& distances) {
    std::vector<edge_to_vertex<T>> nearest(distances.size());
    for (std::size_t u = 0; u + 1 < offsets.size(); ++u)
        for (auto k = std::size_t(offsets[u]); k < std::size_t(offsets[u + 1]); ++k) {
            auto& of = nearest[std::size_t(neighbors[k])];
            if (distances[u] + lengths[k] < of.distance) of = {distances[u] + lengths[k], lengths[k], std::int32_t(u)};
        }
    return nearest;
}

/// Whether the edges form a cycle of negative length that does not contain `source`. While distances decrease along a
/// negative cycle, the nearest edges eventually form one, because all distances then are below those of simple paths,
/// or the source has a negative distance.
template <class T>
bool form_negative_cycle(std::vector<edge_to_vertex<T>> const& edges, std::int32_t source) {
    auto const edge_to = [&](std::int32_t v) -> edge_to_vertex<T> const& { return edges[std::size_t(v)]; };
    std::vector<std::int32_t> walk(edges.size(), -1); // last walk that passed each vertex
    for (std::size_t begin = 0; begin < edges.size(); ++begin) {
        auto v = std::int32_t(begin);
        while (v >= 0 && v != source && walk[std::size_t(v)] < 0) {
            walk[std::size_t(v)] = std::int32_t(begin);
            v = edge_to(v).from;
        }
        if (v < 0 || v == source || walk[std::size_t(v)] != std::int32_t(begin)) continue;
        double sum = 0;
        auto w = v;
        do {
            sum += double(edge_to(w).length);
            w = edge_to(w).from;
        } while (w != v);
        if (sum < 0) return true;
    }
    return false;
}

} // namespace coppice::inline v0_1::analytics
