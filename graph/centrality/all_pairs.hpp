// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Distances between all pairs of vertices, in blocks of bounded memory.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <coppice/graph/centrality/closeness.hpp>
#include <coppice/graph/search/sssp_distances.hpp>

namespace coppice::inline v0_1 {

struct all_pairs_options {
    bool weighted = false;                         ///< whether values are lengths; otherwise each edge has length 1
    std::int64_t memory = std::int64_t(256) << 20; ///< bytes of the distances of a block; a block has at least one row
};

/// Computes the distances from several sources: element s * vertices + v is the distance from sources[s] to v;
/// infinity: there is no path. In the memory of the executor. `weighted`: values are lengths, see sssp(); the distances
/// of a source that reaches a negative cycle are NaN. Throws argument_error for a source that is no vertex. Waits.
template <executor Executor, class T>
buffer<T> distances_from(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, bool weighted);

/// Calls receive(first, distances) for blocks of consecutive sources in ascending order: distances[s * vertices + v],
/// an array_view<T const> in the memory of the executor, is the distance from vertex first + s to v as distances_from()
/// returns it. It is valid during the call. Time: a search for each vertex; memory: that of a block, and of the
/// searches. Throws argument_error if options.memory is not positive, and what `receive` throws.
template <executor Executor, class T, class Receive>
void all_pairs_distances(Executor const& exec, csr_view<T> a, Receive receive, all_pairs_options const& options = {}) {
    std::int64_t const n = a.rows();
    if (options.memory < 1)
        throw argument_error("all_pairs_distances option memory is " + std::to_string(options.memory) +
                             ", expected a number of bytes above 0");
    // levels are computed before they are converted
    std::int64_t const row = std::max<std::int64_t>(1, n * std::int64_t(options.weighted ? sizeof(T) : sizeof(T) + 4));
    std::int64_t const rows = std::clamp<std::int64_t>(options.memory / row, 1, std::max<std::int64_t>(n, 1));
    std::vector<vertex_id> sources;
    for (std::int64_t first = 0; first < n; first += rows) {
        sources.resize(std::size_t(std::min(rows, n - first)));
        std::iota(sources.begin(), sources.end(), vertex_id(first));
        buffer<T> const block = distances_from(exec, a, sources, options.weighted);
        receive(first, block.view());
    }
}

namespace analytics {

template <class T>
struct level_as_distance {
    std::int32_t const* levels;
    T* distances;
    COPPICE_HD void operator()(std::int64_t i) const {
        distances[i] = levels[i] < 0 ? std::numeric_limits<T>::infinity() : T(levels[i]);
    }
};

} // namespace analytics

template <executor Executor, class T>
buffer<T> distances_from(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, bool weighted) {
    if (weighted) return sssp_distances(exec, a, sources);
    auto const levels = bfs_levels(exec, graph_view(a), sources);
    buffer<T> distances(exec, levels.size());
    for_each(exec, levels.size(), analytics::level_as_distance<T>{levels.data(), distances.data()});
    exec.synchronize(); // the levels are destroyed here
    return distances;
}

#define COPPICE_DISTANCES_FROM(EXTERN, EXECUTOR, T)                                                                    \
    EXTERN template buffer<T> distances_from(EXECUTOR const&, csr_view<T>, std::vector<vertex_id> const&, bool)
COPPICE_DISTANCES_FROM(extern, host_executor, float);
COPPICE_DISTANCES_FROM(extern, host_executor, double);
COPPICE_DISTANCES_FROM(extern, cuda_executor, float);
COPPICE_DISTANCES_FROM(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
