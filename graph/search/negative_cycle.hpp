// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test whether distances that keep decreasing do so along a negative cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace coppice::inline v0_1::analytics {

/// For every reached v, the predecessor u with the smallest distance[u] + length; else -1.
template <class T>
std::vector<std::int32_t> nearest_before(std::vector<std::int32_t> const& offsets,
                                         std::vector<std::int32_t> const& neighbors, std::vector<T> const& lengths,
                                         std::vector<T> const& distances, std::vector<T>& by) {
    std::vector<std::int32_t> before(distances.size(), -1);
    std::vector<T> best(distances.size(), std::numeric_limits<T>::infinity());
    by.assign(distances.size(), T(0));
    for (std::size_t u = 0; u < distances.size(); ++u)
        for (auto k = std::size_t(offsets[u]); k < std::size_t(offsets[u + 1]); ++k) {
            auto const v = std::size_t(neighbors[k]);
            if (!(distances[u] + lengths[k] < best[v])) continue;
            best[v] = distances[u] + lengths[k];
            by[v] = lengths[k];
            before[v] = std::int32_t(u);
        }
    return before;
}

/// Whether the predecessors form a cycle of negative length, or the source has a negative distance. While distances
/// decrease along a negative cycle, such a cycle of predecessors appears eventually, because all distances then are
/// below those of simple paths. All arrays are in host memory, since the test is rare.
template <class T>
bool has_negative_cycle(std::vector<std::int32_t> const& offsets, std::vector<std::int32_t> const& neighbors,
                        std::vector<T> const& lengths, std::vector<T> const& distances, std::int32_t source) {
    if (distances[std::size_t(source)] < T(0)) return true;
    std::vector<T> by;
    auto const before = nearest_before(offsets, neighbors, lengths, distances, by);
    std::vector<std::int32_t> walk(distances.size(), -1); // last walk that passed each vertex
    for (std::size_t begin = 0; begin < distances.size(); ++begin) {
        auto v = std::int32_t(begin);
        while (v >= 0 && v != source && walk[std::size_t(v)] < 0) {
            walk[std::size_t(v)] = std::int32_t(begin);
            v = before[std::size_t(v)];
        }
        if (v < 0 || v == source || walk[std::size_t(v)] != std::int32_t(begin)) continue;
        double sum = 0;
        auto w = v;
        do {
            sum += double(by[std::size_t(w)]);
            w = before[std::size_t(w)];
        } while (w != v);
        if (sum < 0) return true;
    }
    return false;
}

} // namespace coppice::inline v0_1::analytics
