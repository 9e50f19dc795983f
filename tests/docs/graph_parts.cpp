// SPDX-License-Identifier: BSD-3-Clause
// The second example of docs/guide/parts.md, which contains the region between the markers.
// [begin]
#include <algorithm>
#include <vector>

#include <coppice/parts.hpp>

using namespace coppice;

/// Orders a symmetric matrix, distributed over ranks, along paths of heavy edges: vertex v gets position order[v].
std::vector<std::int32_t> order_by_paths(csr<double> const& a, int ranks, double& coverage) {
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(ranks), host_executor{1}));
    std::vector<std::int32_t> order(std::size_t(a.rows()));
    all.run([&](host_executor const& host, rank_communicator const& comm) {
        std::int64_t const p = comm.rank(), first = a.rows() * p / ranks, last = a.rows() * (p + 1) / ranks;
        auto const begin = a.row_offsets()[first], end = a.row_offsets()[last];
        std::vector<std::int32_t> offsets(a.row_offsets().begin() + first, a.row_offsets().begin() + last + 1);
        for (auto& offset : offsets) offset -= begin;
        distributed_csr<host_executor, double> const rows(
            host, comm, offsets, {a.column_indices().begin() + begin, a.column_indices().begin() + end},
            {a.values().begin() + begin, a.values().begin() + end});

        distributed_graph<host_executor, double> const graph(host, comm, rows);
        auto const factor = parallel_factor(host, graph, {.degree = 2, .ties = tie_rule::near});
        auto const forest = extract_forest(host, graph, factor);
        std::copy_n(forest.inverse.data(), graph.size(), order.begin() + first);
        if (p == 0) coverage = forest.weight_coverage; // equal on all ranks
    });
    return order;
}
// [end]

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/linear_forest.hpp>

#include <cmath>

int main() {
    host_executor const exec(1);
    auto const a = generate<double>(exec, "aniso2", {.nx = 50, .ny = 40});
    auto const factor = parallel_factor(exec, a.view(), {.degree = 2, .ties = tie_rule::near});
    auto const forest = extract_forest(exec, a.view(), factor);
    for (int const ranks : {1, 2, 3, 8}) {
        double coverage = 0;
        if (order_by_paths(a, ranks, coverage) != to_vector(exec, forest.inverse)) return 1;
        if (!(std::abs(coverage - forest.weight_coverage) < 1e-14)) return 2;
    }
    return 0;
}
