// SPDX-License-Identifier: BSD-3-Clause
// The example of "Many small graphs" in docs/guide/analytics.md; the page contains the region between the markers.
// [begin]
#include <coppice/graph_batch.hpp>
#include <coppice/graph_structure.hpp>

/// Numbers of components of many small graphs in host memory, and the core numbers of their vertices.
template <class Executor>
bool process_together(Executor const& exec, std::vector<coppice::csr_view<double>> const& graphs) {
    auto const batch = coppice::make_graph_batch(exec, std::span<coppice::csr_view<double> const>(graphs));
    auto const components = coppice::batch_components(exec, batch); // an element per graph
    auto const ranks = coppice::batch_pagerank(exec, batch);        // the ranks of each graph sum to 1
    auto const paths = coppice::batch_sssp(exec, batch, std::vector<coppice::vertex_id>(graphs.size(), 0));
    auto const cores = coppice::core_numbers(exec, coppice::graph_view(batch.graph)); // of all vertices
    return components.size() == batch.count && ranks.converged && cores.cores.size() == paths.distances.size();
}
// [end]

#include <coppice/generators.hpp>

int main() {
    coppice::host_executor const exec(2);
    auto const grid = coppice::generate<double>(exec, "laplace2d", {.nx = 5, .ny = 4});
    auto const weights = coppice::symmetrised_weights(exec, grid.view());
    return process_together(exec, {weights.view(), weights.view()}) ? 0 : 1;
}
