// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_triangles.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("distributed triangles: those of one executor and of the definition", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for_divided_graphs(true, [&](edge_rows const& graph, std::vector<int> const& begin) {
        auto const simple = simple_edges(graph);
        auto const expected = triangles_of_one(host_executor{1}, simple);
        auto const n = std::size_t(simple.vertices());
        std::vector<std::vector<char>> connected(n, std::vector<char>(n, 0));
        for (std::size_t u = 0; u < n; ++u)
            for (auto k = std::size_t(simple.offsets[u]); k < std::size_t(simple.offsets[u + 1]); ++k)
                connected[u][std::size_t(simple.columns[k])] = std::size_t(simple.columns[k]) != u;
        std::int64_t at_first = 0; // twice the triangles at vertex n / 2
        for (std::size_t v = 0; v < n; ++v)
            for (std::size_t w = 0; w < n; ++w)
                at_first += connected[n / 2][v] && connected[v][w] && connected[w][n / 2];
        pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
            auto const found = triangles_over_ranks(exec, comm, simple, begin);
            CHECK(2 * found.triangles[n / 2] == at_first);
            CHECK(found == expected);
        });
    });
}

TEST_CASE_TEMPLATE("distributed triangles: graphs with high-degree vertices", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    // On CUDA more vertices than there are numbers of hubs. The vertices of highest degree are on all ranks.
    int const n = expected<decltype(Fixture::exec())>::numbers_hubs ? 90000 : 2000;
    std::mt19937 random(11);
    edge_collector all(n);
    auto const hub = [&] { return int(random() % 40u) * (n / 40) + 3; };
    auto const vertex = [&] { return int(random() % unsigned(n)); };
    for (int k = 0; k < 5 * n; ++k) {
        int const u = k % 3 == 0 ? hub() : vertex(), v = vertex();
        if (u == v) continue;
        all.edge(u, v, 1);
        if (k % 7 == 0) all.edge(v, u < v ? u + 1 : u - 1, 1); // neighbours of a vertex and of the next one
    }
    auto const simple = simple_edges(all.rows());
    auto const expected_counts = triangles_of_one(host_executor{2}, simple);
    REQUIRE(expected_counts.total > 1000);
    for (int const ranks : {1, 2, 5})
        pool.run(std::size_t(ranks), [&](auto const& exec, rank_communicator const& comm) {
            CHECK(triangles_over_ranks(exec, comm, simple, equal_division(n, ranks)) == expected_counts);
        });
}
