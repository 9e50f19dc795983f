// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/graphs/distributed_louvain.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

TEST_CASE_TEMPLATE("distributed communities: the labels and the modularity of one executor", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    constexpr bool on_host = std::is_same_v<decltype(Fixture::exec()), host_executor>;
    for (auto const& graph : graphs_for_ranks(true)) {
        CAPTURE(graph.name);
        auto const simple = summed_edges(graph.edges);
        int const n = simple.vertices();
        auto descending = graph.edges; // rows with parallel edges that are not sorted
        for (std::size_t v = 0; v < std::size_t(n); ++v) {
            std::reverse(descending.columns.begin() + descending.offsets[v],
                         descending.columns.begin() + descending.offsets[v + 1]);
            std::reverse(descending.lengths.begin() + descending.offsets[v],
                         descending.lengths.begin() + descending.offsets[v + 1]);
        }
        for (double const resolution : {1.0, 2.5}) {
            CAPTURE(resolution);
            louvain_options const options{.resolution = resolution, .tolerance = 0};
            auto const expected = communities_of_one(host_executor{1}, simple, options);
            // The modularity of the labels, from its definition.
            std::vector<double> degrees(static_cast<std::size_t>(n), 0), totals(static_cast<std::size_t>(n), 0);
            double all = 0, within = 0, squares = 0;
            for (std::size_t u = 0; u < std::size_t(n); ++u)
                for (auto k = std::size_t(simple.offsets[u]); k < std::size_t(simple.offsets[u + 1]); ++k) {
                    degrees[u] += simple.lengths[k];
                    all += simple.lengths[k];
                    if (expected.labels[u] == expected.labels[std::size_t(simple.columns[k])])
                        within += simple.lengths[k];
                }
            for (std::size_t u = 0; u < std::size_t(n); ++u) totals[std::size_t(expected.labels[u])] += degrees[u];
            for (double const t : totals) squares += t * t;
            double const modularity = all > 0 ? within / all - resolution * squares / all / all : 0;

            // Many short launches: devices run fewer cases.
            std::vector<std::vector<int>> divisions{equal_division(n, 3), {0, 0, n / 3, n / 3, n, n}};
            if (on_host || resolution != 1) divisions = divisions_of_vertices(n);
            if (!on_host && resolution != 1) divisions.resize(2);
            for (auto const& begin : divisions) {
                CAPTURE(begin);
                pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                    for (std::int64_t const gathered : {0, 300, 1 << 16}) {
                        CAPTURE(gathered);
                        if (gathered > 0 && (resolution != 1 || (!on_host && gathered > 300))) continue;
                        auto const found = communities_over_ranks(exec, comm, simple, begin, options, gathered);
                        CHECK(found == expected);
                        CHECK(found.modularity == doctest::Approx(modularity));
                    }
                    // Parallel edges: their sum. Another number of edges changes the unit of weights.
                    for (std::int64_t const gathered : {0, 1 << 16})
                        for (bool const descends : {false, true}) {
                            CAPTURE(gathered);
                            CAPTURE(descends);
                            if (gathered > 0 && resolution != 1) continue;
                            if (!on_host && descends != (gathered > 0)) continue;
                            auto const& edges = descends ? descending : graph.edges;
                            auto const parallel = communities_over_ranks(exec, comm, edges, begin, options, gathered);
                            CHECK(parallel.labels == expected.labels);
                            CHECK(parallel.modularity == doctest::Approx(expected.modularity));
                        }
                });
            }
        }
    }
}

TEST_CASE_TEMPLATE("distributed communities: a graph of several levels", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    int const groups = 160, size = 4;
    edge_collector cliques(groups * size); // in a ring, with vertices in random order
    std::vector<int> order(static_cast<std::size_t>(groups * size));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    for (int c = 0; c < groups; ++c) {
        auto const member = [&](int group, int i) { return order[std::size_t(group % groups * size + i)]; };
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < i; ++j) cliques.edge(member(c, i), member(c, j), 1 + .1 * ((i + j) % 3));
        cliques.edge(member(c, 0), member(c + 1, 1), .7);
    }
    auto const graph = cliques.rows();
    auto const expected = communities_of_one(host_executor{2}, graph, {});
    CHECK(expected.levels > 1);
    CHECK(expected.modularity > 0.85);
    CHECK(communities_of_one(host_executor{1}, graph, {.max_levels = 1}).levels == 1);
    for (int const ranks : {1, 2, 3, 4, 7})
        pool.run(std::size_t(ranks), [&](auto const& exec, rank_communicator const& comm) {
            auto const begin = equal_division(graph.vertices(), ranks);
            for (std::int64_t const gathered : {0, 1000, 1 << 20}) {
                CHECK(communities_over_ranks(exec, comm, graph, begin, {}, gathered) == expected);
                CHECK(communities_over_ranks(exec, comm, graph, begin, {.max_levels = 1}, gathered) ==
                      communities_of_one(host_executor{1}, graph, {.max_levels = 1}));
            }
        });
}
