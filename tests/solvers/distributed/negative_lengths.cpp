// SPDX-License-Identifier: BSD-3-Clause
// Shortest paths over ranks with negative lengths, and cycles of negative length.
#include <coppice/graph_parts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Distances by the definition of Bellman and Ford: n passes over all edges; empty if distances still decrease.
std::vector<double> distances_by_definition(edge_rows const& g, int source) {
    std::vector<double> distances(std::size_t(g.vertices()), std::numeric_limits<double>::infinity());
    distances[std::size_t(source)] = 0;
    for (int pass = 0; pass <= g.vertices(); ++pass) {
        bool changed = false;
        for (std::size_t u = 0; u < distances.size(); ++u)
            for (auto k = std::size_t(g.offsets[u]); k < std::size_t(g.offsets[u + 1]); ++k) {
                auto& to = distances[std::size_t(g.columns[k])];
                if (!(distances[u] + g.lengths[k] < to)) continue;
                to = distances[u] + g.lengths[k];
                changed = true;
            }
        if (!changed) return distances;
    }
    return {};
}

/// Lengths of at least 0, plus p[u] - p[v]: many are negative, and no cycle is. Multiples of 1/4, so that sums are
/// exact and edges of length 0 between vertices of any distance occur.
edge_rows with_potentials(edge_rows g) {
    auto const potential = [](int v) { return double(v * 29 % 31) - 15; };
    for (int u = 0; u < g.vertices(); ++u)
        for (auto k = std::size_t(g.offsets[std::size_t(u)]); k < std::size_t(g.offsets[std::size_t(u) + 1]); ++k)
            g.lengths[k] = std::round(4 * g.lengths[k]) / 4 + potential(u) - potential(g.columns[k]);
    return g;
}

/// Compares with sssp() of one thread, for all divisions of the vertices into ranks.
template <class Fixture>
void check_paths(rank_pool<Fixture>& pool, edge_rows const& graph, int source) {
    auto const distances = distances_by_definition(graph, source);
    auto const of_one = sssp(host_executor(1), graph.view(), source);
    host_executor const host;
    REQUIRE(of_one.negative_cycle == distances.empty());
    for (auto const& begin : divisions_of_vertices(graph.vertices())) {
        CAPTURE(begin);
        pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
            auto const block = rows_of_rank(graph, begin, comm.rank());
            distributed_rows const rows(exec, comm, block.offsets, block.columns);
            auto const lengths = exec.copy(block.values);
            auto const found = sssp_distributed(exec, comm, rows, array_view<double const>(lengths.view()), source);
            CHECK(found.negative_cycle == distances.empty());
            if (found.negative_cycle) return;
            CHECK(found.delta == of_one.delta);
            CHECK(concatenated(exec, comm, found.distances) == distances);
            CHECK(concatenated(exec, comm, found.parents) == to_vector(host, of_one.parents));
        });
    }
}

/// Vertices of paths with more exchanges than precede the first test for a negative cycle, a prime number.
constexpr int path_length = 79;

/// A path 0, 1, ..., n - 1 with edges of the given length, whose vertices are in the order i * step mod n.
edge_collector path_of(int n, int step, double length) {
    edge_collector all(n);
    for (int i = 0; i + 1 < n; ++i) all.arc(i * step % n, (i + 1) * step % n, length);
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("distributed shortest paths: negative lengths without a negative cycle", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for (bool const symmetric : {false, true})
        check_paths(pool, with_potentials(random_edges(150, 700, symmetric, 4)), 149);
    for (int const step : {1, 200}) // along the ranks, and from rank to rank in every step
        check_paths(pool, path_of(path_length, step, -1).rows(), 0);
    auto const vertex = [](int i) { return i * 11 % path_length; };
    auto zero = path_of(path_length, 11, -.5); // a cycle of length 0
    zero.arc(vertex(path_length - 1), vertex(path_length / 2), .5 * (path_length - 1 - path_length / 2));
    check_paths(pool, zero.rows(), 0);
    auto infinite = path_of(40, 3, -1);
    infinite.arc(39 * 3 % 40, 0, std::numeric_limits<double>::infinity());
    check_paths(pool, infinite.rows(), 0);
}

TEST_CASE_TEMPLATE("distributed shortest paths: cycles of negative length", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    struct cycle {
        int from, to, source;
    };
    // across ranks, within one, with the source, a loop, and one that is not reached
    constexpr int n = path_length;
    for (auto const& c :
         {cycle{5 * n / 6, n / 15, 0}, {12, 10, 0}, {n - 1, 0, 0}, {n / 5, n / 5, 0}, {n / 10, n / 30, n / 10 + 1}})
        for (int const step : {1, 200}) {
            CAPTURE(c.from);
            CAPTURE(step);
            auto graph = path_of(n, step, -1);
            graph.arc(c.from * step % n, c.to * step % n, c.from - c.to - .25);
            check_paths(pool, graph.rows(), c.source * step % n);
        }
    auto dense = with_potentials(random_edges(150, 700, true, 9));
    for (std::size_t const k : {std::size_t(5), dense.lengths.size() / 2, dense.lengths.size() - 1}) {
        auto graph = dense;
        graph.lengths[k] -= 500;
        check_paths(pool, graph, 0);
    }
}

TEST_CASE_TEMPLATE("distributed shortest paths: an algorithm by name reports a negative cycle", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    auto graph = path_of(20, 3, 1);
    graph.arc(19 * 3 % 20, 0, -30);
    auto const rows = graph.rows();
    pool.run(3, [&](auto const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(rows, equal_division(20, 3), comm.rank());
        auto const answer = run_graph_algorithm_distributed(exec, comm, "sssp", block, analytics_options{});
        CHECK(answer.failure == "a cycle of negative length is reached, so there are no shortest paths");
    });
}
