// SPDX-License-Identifier: BSD-3-Clause
// The example of docs/guide/analytics.md, which contains the region between the markers word for word.
// [begin]
#include <coppice/bfs.hpp>
#include <coppice/csr.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/sssp.hpp>
#include <iostream>

template <class Executor>
bool analyse(Executor const& exec) {
    coppice::host_executor const host;
    auto const a = exec.copy(coppice::generate<float>(host, "rmat", {.scale = 12}));
    coppice::graph_view const g(a);
    coppice::require_undirected(exec, g, "this analysis");

    auto const walk = coppice::bfs(exec, g, 0, {.incoming = g}); // levels and parents
    auto const paths = coppice::sssp(exec, a.view(), 0);         // values are lengths
    auto const ranks = coppice::pagerank<float>(exec, g, g, {.tolerance = 1e-5});
    auto const connected = coppice::connected_components(exec, g);
    auto const cores = coppice::core_numbers(exec, g);
    auto const corners = coppice::clustering(exec, g);
    auto const forest = coppice::minimum_spanning_forest(exec, a.view());
    auto const far = coppice::to_vector(exec, paths.distances); // results live where the graph does
    std::cout << walk.reached << " vertices within " << walk.depth << " edges, " << connected.components
              << " components, " << corners.total << " triangles, cores up to " << cores.largest << ", vertex 1 at "
              << far[1] << "\n";
    return forest.trees == connected.components && ranks.converged;
}
// [end]

int main() { return analyse(coppice::host_executor(2)) ? 0 : 1; }
