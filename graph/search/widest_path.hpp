// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Widest paths from one vertex: the search of sssp with another path rule.
#pragma once

#include <coppice/graph/search/sssp.hpp>

namespace coppice::inline v0_1 {

/// Result arrays in the memory of the executor.
template <class T>
struct widest_path_result {
    buffer<T> widths{};          ///< widths; infinity at the source, -infinity: not reached
    buffer<vertex_id> parents{}; ///< predecessor on a widest path; the source is its own parent; -1: not reached
    std::int64_t rounds = 0;     ///< depends on the executor and its threads
};

/// Computes for every vertex the largest width over all paths from `source` (bottleneck paths). The width of a path is
/// the smallest width of its edges; the value of an edge is its width, and an edge of width -infinity is ignored.
/// Parents are the smallest on a widest path with the fewest edges. The result is the same for any number of threads,
/// on host and CUDA. Memory as sssp(). Waits.
///
/// Throws argument_error for a source that is no vertex, matrix_error for a width that is NaN.
template <executor Executor, class T>
widest_path_result<T> widest_paths(Executor const& exec, csr_view<T> a, vertex_id source);

namespace analytics {

/// Path rule of sssp() for widths: the search minimises negated widths.
template <class T>
struct narrowest_edge {
    COPPICE_HD static T start() { return -std::numeric_limits<T>::infinity(); }
    /// T(0) - edge instead of -edge: otherwise the sign of a zero would depend on the order.
    COPPICE_HD static T extended(T path, T edge) { return T(0) - edge > path ? T(0) - edge : path; }
};
template <class T>
struct width_range {
    T min, max;
    std::int64_t bad;
};
template <class T>
struct width_as_range {
    T const* widths;
    COPPICE_HD width_range<T> operator()(std::int64_t k) const {
        T const x = widths[k], none = std::numeric_limits<T>::max();
        bool const finite = x - x == T(0);
        return {finite ? x : none, finite ? x : -none, x == x ? 0 : 1};
    }
};
template <class T>
struct merge_width_ranges {
    COPPICE_HD width_range<T> operator()(width_range<T> const& r, width_range<T> const& s) const {
        return {s.min < r.min ? s.min : r.min, s.max > r.max ? s.max : r.max, r.bad + s.bad};
    }
};
/// T(0) - x has no negative zero.
template <class T>
struct negate_value {
    T* values;
    COPPICE_HD void operator()(std::int64_t v) const { values[v] = T(0) - values[v]; }
};

} // namespace analytics

template <executor Executor, class T>
widest_path_result<T> widest_paths(Executor const& exec, csr_view<T> a, vertex_id source) {
    using namespace analytics;
    graph_view const g(a);
    require_vertex(g, source, "the source of widest_paths");
    T const none = std::numeric_limits<T>::max();
    auto const range = reduce(exec, g.edge_count, width_range<T>{none, -none, 0}, width_as_range<T>{a.coefficients},
                              merge_width_ranges<T>{});
    if (range.bad > 0) throw matrix_error("widest_paths: " + std::to_string(range.bad) + " edge widths are NaN");
    sssp_search<Executor, T, narrowest_edge<T>> search(exec, a, source);
    widest_path_result<T> result;
    T const delta = range.max > range.min ? (range.max - range.min) / 32 : T(0);
    result.rounds = search.delta_stepping(delta - range.max, delta);
    result.parents = search.parents(true);
    result.widths = std::move(search).distances();
    for_each(exec, g.vertices, negate_value<T>{result.widths.data()});
    return result;
}

#define COPPICE_WIDEST_PATHS(EXTERN, EXECUTOR, T)                                                                      \
    EXTERN template widest_path_result<T> widest_paths(EXECUTOR const&, csr_view<T>, vertex_id)
COPPICE_WIDEST_PATHS(extern, host_executor, float);
COPPICE_WIDEST_PATHS(extern, host_executor, double);
COPPICE_WIDEST_PATHS(extern, cuda_executor, float);
COPPICE_WIDEST_PATHS(extern, cuda_executor, double);

} // namespace coppice::inline v0_1
