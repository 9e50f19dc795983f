// SPDX-License-Identifier: BSD-3-Clause
// The example of "Graphs that change" in docs/guide/analytics.md; the page contains the region between the markers.
// [begin]
#include <coppice/changing_graph.hpp>
#include <coppice/graph_structure.hpp>

using namespace coppice;

/// Updates results for a graph after one edge is removed and two are added.
template <class Executor>
bool follow_changes(Executor const& exec, csr<float> const& a, vertex_id source) {
    auto const old_components = connected_components(exec, a);
    auto const old_paths = sssp(exec, a.view(), source); // with its parents
    auto const old_ranks = pagerank<float>(exec, a, a, {.tolerance = 1e-5});

    auto const added = both_directions(edge_batch<float>{{1, 2}, {5, 3}, {1.f, 4.f}}); // 1 - 5, 2 - 3
    auto const removed = both_directions(edge_batch<float>{{7}, {8}});
    auto const left = without_edges(exec, a.view(), removed);
    auto const b = with_edges(exec, left.view(), added);
    auto const updated = components_again(exec, b, old_components, ends_of(added), ends_of(removed));
    auto const paths = sssp_again(exec, b.view(), source, old_paths);
    auto const ranks = pagerank<float>(exec, b, b, {.tolerance = 1e-5}, {}, old_ranks.ranks.view());

    // Bitwise equal to a computation from scratch, in less time.
    return ranks.converged && updated.components == connected_components(exec, b).components &&
           to_vector(exec, paths.distances) == to_vector(exec, sssp(exec, b.view(), source).distances);
}
// [end]

#include <coppice/generators.hpp>

int main() {
    host_executor const exec(2);
    auto const a = generate<float>(exec, "laplace2d", {.nx = 20, .ny = 20});
    return follow_changes(exec, symmetrised_weights(exec, a.view()), 0) ? 0 : 1;
}
