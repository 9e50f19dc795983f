// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Batches of graphs: instances for the host, and the copy of the graphs into one.
#include <algorithm>

#include <coppice/core/names.hpp>
#include <coppice/graph/batch/graph_batch.hpp>

namespace coppice::inline v0_1 {
namespace analytics {

csr<double> block_diagonal(host_executor const& host, std::span<csr_view<double> const> graphs,
                           std::vector<vertex_id>& first) {
    std::vector<std::int64_t> edges{0};
    std::int64_t vertices = 0;
    first.assign(1, 0);
    for (auto const& g : graphs) {
        require_square(g, "a graph of a batch");
        vertices += g.rows();
        edges.push_back(edges.back() + g.nonzeros());
        first.push_back(checked_cast<vertex_id>(vertices, "vertices of a batch of graphs"));
    }
    checked_cast<std::int32_t>(edges.back(), "edges of a batch of graphs");
    buffer<std::int32_t> offsets(host, vertices + 1);
    buffer<vertex_id> neighbors(host, edges.back());
    buffer<double> values(host, edges.back());
    offsets.data()[0] = 0;
    auto const copy_graph = [&, to_offsets = offsets.data(), to_neighbors = neighbors.data(),
                             to_values = values.data()](std::int64_t i) {
        auto const& g = graphs[std::size_t(i)];
        vertex_id const base = first[std::size_t(i)];
        auto const start = edges[std::size_t(i)];
        for (vertex_id v = 0; v < g.rows(); ++v) to_offsets[base + v + 1] = std::int32_t(start + g.offsets[v + 1]);
        for (std::int64_t k = 0; k < g.nonzeros(); ++k) to_neighbors[start + k] = base + g.indices[k];
        std::copy_n(g.coefficients, g.nonzeros(), to_values + start);
    };
    for_each(host, std::int64_t(graphs.size()), copy_graph);
    return {vertex_id(vertices), vertex_id(vertices), std::move(offsets), std::move(neighbors), std::move(values)};
}

} // namespace analytics

COPPICE_GRAPH_BATCH(, host_executor);

} // namespace coppice::inline v0_1
