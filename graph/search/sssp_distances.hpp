// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Shortest paths from several sources at the same time, in copies of a graph.
#pragma once

#include <algorithm>

#include <coppice/core/cuda/device_group.hpp>
#include <coppice/graph/search/sssp.hpp>

namespace coppice::inline v0_1 {

/// Computes distances from several sources; those of sources[k] are in [k * vertices, (k + 1) * vertices) and have the
/// same bits as from sssp(). The host runs one search per thread, CUDA up to 16 in copies of the graph, as long as
/// these have at most 2^27 vertices and edges and take at most an eighth of the memory of the device; otherwise, and
/// with negative lengths, one after the other. Memory: that of a search for each thread or copy, and the distances.
/// Lengths and errors as for sssp(); sources may be repeated. If a source reaches a negative cycle, its distances are
/// NaN. Waits.
template <executor Executor, class T>
buffer<T> sssp_distances(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, double delta = 0);

namespace analytics {

/// Copies of a graph as one graph: vertex v of copy k is k n + v, its edges are those of `one` plus k m.
template <class T>
struct repeated_graph {
    csr_view<T> one;
    csr<T> all{}; ///< empty for one copy
    csr_view<T> view(std::int64_t copies) const {
        if (copies == 1) return one;
        csr_view<T> first = all.view();
        first.row_count = first.column_count = vertex_id(copies * one.rows());
        first.nonzero_count = std::int32_t(copies * one.nonzeros());
        return first;
    }
};
struct repeat_offsets {
    std::int32_t const* offsets;
    std::int64_t rows, nonzeros;
    std::int32_t* to;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const copy = i / rows;
        to[i] = std::int32_t(copy * nonzeros + offsets[i - copy * rows]);
    }
};
template <class T>
struct repeat_edges {
    csr_view<T> one;
    vertex_id* neighbors;
    T* values;
    COPPICE_HD void operator()(std::int64_t i) const {
        std::int64_t const copy = i / one.nonzeros(), k = i - copy * one.nonzeros();
        neighbors[i] = vertex_id(copy * one.rows() + one.indices[k]);
        values[i] = one.coefficients[k];
    }
};
/// Refers to `a`; copies * (n + m) < 2^31. Queued.
template <executor Executor, class T>
repeated_graph<T> repeated(Executor const& exec, csr_view<T> a, std::int64_t copies) {
    if (copies == 1) return {a};
    std::int64_t const n = copies * a.rows(), m = copies * a.nonzeros();
    buffer<std::int32_t> offsets(exec, n + 1);
    buffer<vertex_id> neighbors(exec, m);
    buffer<T> values(exec, m);
    for_each(exec, n + 1, repeat_offsets{a.offsets, a.rows(), a.nonzeros(), offsets.data()});
    for_each(exec, m, repeat_edges<T>{a, neighbors.data(), values.data()});
    return {a, {vertex_id(n), vertex_id(n), std::move(offsets), std::move(neighbors), std::move(values)}};
}

/// Runs the searches from several sources as one search, each in another copy of the graph: the rounds of a single
/// search have too few vertices for a device. For lengths of at least 0. Memory: the copies, which have at most 2^27
/// vertices and edges if there are several, and that of sssp() for each.
template <executor Executor, class T>
class simultaneous_sssp {
public:
    /// In `copies` copies. `delta`: as for sssp(). Refers to `a`. Waits.
    simultaneous_sssp(Executor const& exec, csr_view<T> a, std::int64_t copies, double delta = 0)
        : exec_(exec), delta_(delta), copies_(copies), graph_(repeated(exec, a, copies)) {
        graph_view const g(a);
        if (delta_ == 0 && g.edge_count > 0) {
            auto const range = range_of_lengths(exec, a.coefficients, g.edge_count);
            // With copies, a round has enough vertices for a smaller delta, which avoids repeated work.
            delta_ = chosen_delta<Executor>(g, range.sum / double(g.edge_count)) / (copies > 1 ? 3 : 1);
        }
    }

    std::int64_t copies() const { return copies_; }
    /// The first copies of the graph.
    csr_view<T> graph(std::int64_t copies) const { return graph_.view(copies); }
    /// The vertices of the copies that are sources [first, first + copies()), or as many as there are.
    buffer<vertex_id> group(std::vector<vertex_id> const& sources, std::int64_t first) const {
        auto const begin = sources.begin() + first;
        std::vector<vertex_id> chosen(begin, begin + std::min(copies_, std::int64_t(sources.size()) - first));
        for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] += vertex_id(std::int64_t(k) * graph_.one.rows());
        return exec_.copy(chosen);
    }
    /// Distances of the vertices of the copies from the sources of a group, with the same bits as from sssp(). Waits.
    buffer<T> distances(buffer<vertex_id> const& group) const {
        sssp_search<Executor, T> search(exec_, graph(group.size()), group.view());
        search.delta_stepping(T(delta_), T(delta_));
        return std::move(search).distances();
    }

private:
    Executor exec_;
    double delta_;
    std::int64_t copies_;
    repeated_graph<T> graph_;
};

/// Number of copies for searches from `sources` sources. The host searches from several sources on several threads.
template <class T>
std::int64_t copies_for(host_executor const&, csr_view<T>, std::int64_t) {
    return 1;
}
/// At most 16, which have together at most 2^27 vertices and edges, and take at most an eighth of the device's memory.
template <class T>
std::int64_t copies_for(cuda_executor const& exec, csr_view<T> a, std::int64_t sources) {
    std::int64_t const n = std::max<std::int64_t>(a.rows(), 1), m = a.nonzeros();
    std::int64_t const by_memory = std::int64_t(device_memory(exec) / 8) / (160 * n + 44 * m);
    return std::clamp<std::int64_t>(std::min({sources, (std::int64_t(1) << 27) / (n + m), by_memory}), 1, 16);
}

/// Calls use(first, sources, distances) for all sources in order: `distances` has those from `sources` sources,
/// beginning with source `first`, one after the other.
template <executor Executor, class T, class Use>
void for_distances_of_groups(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, double delta,
                             Use const& use) {
    simultaneous_sssp<Executor, T> const search(exec, a, copies_for(exec, a, std::int64_t(sources.size())), delta);
    for (std::int64_t first = 0; first < std::int64_t(sources.size()); first += search.copies()) {
        auto const group = search.group(sources, first);
        auto const distances = search.distances(group);
        use(first, group.size(), distances);
        exec.synchronize(); // the arrays are destroyed here
    }
}

/// Stores the distances from source k; NaN if a negative cycle is reached.
template <executor Executor, class T>
void store_distances_of_source(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources,
                               std::int64_t k, double delta, array_view<T> distances) {
    auto const r = sssp(exec, a, sources[std::size_t(k)], {.delta = delta, .parents = false});
    auto const to = distances.slice(k * a.rows(), a.rows());
    if (r.negative_cycle)
        fill(exec, to, std::numeric_limits<T>::quiet_NaN());
    else
        exec.copy_elements(r.distances.data(), to.data(), to.size());
}
template <class T>
void store_distances(host_executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, double delta,
                     array_view<T> distances) {
    auto const search = [&](std::int64_t k, std::int64_t, std::int64_t) {
        store_distances_of_source(host_executor{1}, a, sources, k, delta, distances);
    };
    coppice::detail::for_each_block(exec, std::int64_t(sources.size()), 1, search);
}
template <class T>
void store_distances(cuda_executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, double delta,
                     array_view<T> distances) {
    auto const range = range_of_lengths(exec, a.coefficients, a.nonzeros());
    if (range.bad > 0 || range.min < 0) {
        for (std::size_t k = 0; k < sources.size(); ++k)
            store_distances_of_source(exec, a, sources, std::int64_t(k), delta, distances);
        return;
    }
    for_distances_of_groups(exec, a, sources, delta, [&](std::int64_t first, std::int64_t, buffer<T> const& found) {
        exec.copy_elements(found.data(), distances.data() + first * a.rows(), found.size());
    });
}

} // namespace analytics

template <executor Executor, class T>
buffer<T> sssp_distances(Executor const& exec, csr_view<T> a, std::vector<vertex_id> const& sources, double delta) {
    for (vertex_id const v : sources) analytics::require_vertex(graph_view(a), v, "a source of sssp_distances");
    analytics::require_delta(delta);
    buffer<T> distances(exec, std::int64_t(a.rows()) * std::int64_t(sources.size()));
    if (!sources.empty()) analytics::store_distances(exec, a, sources, delta, distances.view());
    return distances;
}

#define COPPICE_SSSP_DISTANCES(EXTERN, EXECUTOR, T)                                                                    \
    EXTERN template buffer<T> sssp_distances(EXECUTOR const&, csr_view<T>, std::vector<vertex_id> const&, double)
COPPICE_SSSP_DISTANCES(extern, host_executor, float);
COPPICE_SSSP_DISTANCES(extern, host_executor, double);
COPPICE_SSSP_DISTANCES(extern, cuda_executor, float);
COPPICE_SSSP_DISTANCES(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
