// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Coarsening: partitions of the vertices into aggregates, from linear forests and matchings.
#pragma once

#include <cstdint>
#include <string>

#include <coppice/core/parallel.hpp>
#include <coppice/graph/forest/linear_forest.hpp>

namespace coppice::inline v0_1 {

/// A partition of vertices into aggregates. Move-only; in the memory of the executor that made it.
template <class I = std::int32_t>
struct vertex_aggregates {
    I vertices = 0;
    I count = 0;    ///< number of aggregates; none is empty
    buffer<I> of{}; ///< [vertices] index of the vertex's aggregate, or -1 if it belongs to none
};

/// Treatment of a vertex that is alone on its path: it forms its own aggregate, or is left out; any other value is
/// the vertex whose aggregate it joins.
inline constexpr int stays_alone = -1;
inline constexpr int left_out = -2;

namespace graph_detail {

/// The runs of one path (groups of consecutive vertices), stored at the first vertex of the path.
template <class I>
struct path_runs {
    I first_run, runs, length;
};
template <class I>
struct runs_of_path {
    I const *offsets, *permutation, *companions;
    I shortest;
    COPPICE_HD I operator()(std::int64_t k) const {
        I const length = offsets[k + 1] - offsets[k];
        if (length == 1 && companions) return companions[permutation[offsets[k]]] == I(stays_alone) ? I(1) : I(0);
        return length / shortest > 0 ? length / shortest : I(1);
    }
};
template <class I>
struct store_path_runs {
    runs_of_path<I> runs;
    path_runs<I>* path_of; ///< [vertices], at the first vertex of each path
    COPPICE_HD void operator()(std::int64_t k, I first_run) const {
        path_of[runs.permutation[runs.offsets[k]]] = {first_run, runs(k), I(runs.offsets[k + 1] - runs.offsets[k])};
    }
};
/// Position p of a path of L vertices is in run floor(p R / L) of R runs: their lengths differ by at most one.
template <class I>
struct assign_run {
    I const *path_ids, *positions;
    path_runs<I> const* path_of;
    I* of;
    COPPICE_HD void operator()(std::int64_t v) const {
        path_runs<I> const c = path_of[path_ids[v]];
        of[v] = c.runs > 0 ? c.first_run + I(std::int64_t(positions[v]) * c.runs / c.length) : I(-1);
    }
};

template <class I>
struct merge_companion {
    path_runs<I> const* paths;
    I const* path_ids;
    I const* companions;
    I const* direct; ///< aggregates without companions
    I* of;
    COPPICE_HD void operator()(std::int64_t v) const {
        I const other = companions[v];
        of[v] = paths[path_ids[v]].runs == 0 && other >= 0 ? direct[other] : direct[v];
    }
};
/// 1 for vertices without a mate and the smaller end of each matched pair, which number an aggregate.
template <class I>
struct numbers_aggregate {
    I const* mates;
    COPPICE_HD I operator()(std::int64_t v) const { return mates[v] < 0 || v < mates[v] ? I(1) : I(0); }
};
template <class I>
struct compose_aggregate {
    I const *inner, *outer;
    I* of;
    COPPICE_HD void operator()(std::int64_t v) const { of[v] = inner[v] < 0 ? I(-1) : outer[inner[v]]; }
};
template <class I>
struct store_pair {
    I const* mates;
    I* of;
    COPPICE_HD void operator()(std::int64_t v, I number) const {
        if (mates[v] >= 0 && mates[v] < v) return;
        of[v] = number;
        if (mates[v] >= 0) of[mates[v]] = number;
    }
};

} // namespace graph_detail

/// Splits every path of a linear forest into nearly equal runs of at least `shortest` vertices, numbered along the
/// paths; a shorter path is one run.
///
/// `companions`, if given, decide about vertices that are alone on their paths: stays_alone, left_out, or a vertex of a
/// run whose aggregate they join. Throws argument_error for `shortest` < 1, dimension_error for companions of another
/// length. On CUDA waits for the number of aggregates.
template <executor Executor, class I>
vertex_aggregates<I> aggregate_runs(Executor const& exec, linear_forest<I> const& forest,
                                    std::type_identity_t<I> shortest,
                                    std::type_identity_t<array_view<I const>> companions = {}) {
    using namespace graph_detail;
    if (shortest < 1) throw argument_error("runs of a forest need at least 1 vertex, got " + std::to_string(shortest));
    std::int64_t const n = forest.vertices;
    if (!companions.empty()) require_size("companions of a forest's vertices", companions, n);
    vertex_aggregates<I> a;
    a.vertices = forest.vertices;
    a.of = buffer<I>(exec, n);
    if (n == 0) return a;
    buffer<path_runs<I>> path_of(exec, n);
    runs_of_path<I> const runs{forest.path_offsets.data(), forest.permutation.data(), companions.data(), shortest};
    a.count = exclusive_scan(exec, std::int64_t(forest.paths), runs, store_path_runs<I>{runs, path_of.data()}, I(0));
    buffer<I> before(exec, companions.empty() ? 0 : n);
    I* const direct = companions.empty() ? a.of.data() : before.data();
    for_each(exec, n, assign_run<I>{forest.path_ids.data(), forest.positions.data(), path_of.data(), direct});
    if (companions.empty()) return a;
    for_each(exec, n,
             merge_companion<I>{path_of.data(), forest.path_ids.data(), companions.data(), direct, a.of.data()});
    return a;
}

/// Aggregates of the pairs and the single vertices of a matching (a factor of degree 1). Throws argument_error for a
/// factor of another degree; extract a linear forest from one of degree 2.
template <executor Executor, class I>
vertex_aggregates<I> aggregate_pairs(Executor const& exec, graph_factor<I> const& matching) {
    using namespace graph_detail;
    if (matching.degree != 1)
        throw argument_error("aggregate_pairs needs a factor of degree 1, got " + std::to_string(matching.degree));
    vertex_aggregates<I> a;
    a.vertices = matching.vertices;
    a.of = buffer<I>(exec, matching.vertices);
    I const* const mates = matching.neighbors.data();
    a.count = exclusive_scan(exec, std::int64_t(matching.vertices), numbers_aggregate<I>{mates},
                             store_pair<I>{mates, a.of.data()}, I(0));
    return a;
}

/// Composes aggregates: `second` partitions the aggregates of `first`. Throws dimension_error if the sizes differ.
template <executor Executor, class I>
vertex_aggregates<I> compose(Executor const& exec, vertex_aggregates<I> const& first,
                             vertex_aggregates<I> const& second) {
    require_size("vertices of the second aggregates", second.vertices, first.count);
    vertex_aggregates<I> a;
    a.vertices = first.vertices;
    a.count = second.count;
    a.of = buffer<I>(exec, first.vertices);
    for_each(exec, first.vertices, graph_detail::compose_aggregate<I>{first.of.data(), second.of.data(), a.of.data()});
    return a;
}

} // namespace coppice::inline v0_1
