// SPDX-License-Identifier: BSD-3-Clause
// The second example of docs/guide/parts.md; the region between the markers stands there.
// [begin]
#include <algorithm>
#include <vector>

#include <coppice/parts.hpp>

using namespace coppice;

/// The order along the paths of heavy edges of a symmetric matrix that lies in parts: vertex v comes to place order[v].
std::vector<std::int32_t> order_by_paths(csr<double> const& a, int parts, double& coverage) {
    multi_executor<host_executor> const all(std::vector<host_executor>(std::size_t(parts), host_executor{1}));
    std::vector<std::int32_t> order(std::size_t(a.rows()));
    all.run([&](host_executor const& host, rank_communicator const& others) {
        std::int64_t const p = others.rank(), first = a.rows() * p / parts, last = a.rows() * (p + 1) / parts;
        auto const begin = a.row_offsets()[first], end = a.row_offsets()[last];
        std::vector<std::int32_t> offsets(a.row_offsets().begin() + first, a.row_offsets().begin() + last + 1);
        for (auto& offset : offsets) offset -= begin;
        distributed_csr<host_executor, double> const rows(
            host, others, offsets, {a.column_indices().begin() + begin, a.column_indices().begin() + end},
            {a.values().begin() + begin, a.values().begin() + end});

        distributed_graph<host_executor, double> const graph(host, others, rows);
        auto const factor = parallel_factor(host, graph, {.degree = 2, .ties = tie_rule::near});
        auto const forest = extract_forest(host, graph, factor);
        std::copy_n(forest.inverse.data(), graph.size(), order.begin() + first);
        if (p == 0) coverage = forest.weight_coverage; // the same on all parts
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
    for (int const parts : {1, 2, 3, 8}) {
        double coverage = 0;
        if (order_by_paths(a, parts, coverage) != to_vector(exec, forest.inverse)) return 1;
        if (!(std::abs(coverage - forest.weight_coverage) < 1e-14)) return 2;
    }
    return 0;
}
