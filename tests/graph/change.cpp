// SPDX-License-Identifier: BSD-3-Clause
// Tests of graphs that change by batches of edges: incremental results against results from scratch; single-source for
// all executors.
#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include <coppice/changing_graph.hpp>
#include <coppice/graph_structure.hpp>

#include "support/executors.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using entry_map = std::map<std::pair<int, int>, double>;

plain_csr<double> plain_of(entry_map const& entries, int vertices) {
    graph_builder g(vertices);
    for (auto const& [position, value] : entries) g.entry(position.first, position.second, value);
    return g.plain();
}

/// An undirected graph that is changed step by step.
struct changing {
    int vertices;
    entry_map entries{};
    std::mt19937 random{11};

    edge_batch<double> edges(int count) {
        edge_batch<double> batch;
        for (int k = 0; k < count; ++k) {
            batch.from.push_back(int(random() % unsigned(vertices)));
            batch.to.push_back(int(random() % unsigned(vertices)));
            batch.values.push_back(double(random() % 20));
        }
        return both_directions(batch);
    }
    edge_batch<double> stored(int count) {
        edge_batch<double> batch;
        for (int k = 0; k < count && !entries.empty(); ++k) {
            auto at = entries.lower_bound({int(random() % unsigned(vertices)), 0});
            if (at == entries.end()) at = entries.begin();
            batch.from.push_back(at->first.first);
            batch.to.push_back(at->first.second);
        }
        return both_directions(batch);
    }
    void add(edge_batch<double> const& b) {
        for (std::size_t k = 0; k < b.from.size(); ++k) entries[{b.from[k], b.to[k]}] = b.values[k];
    }
    void remove(edge_batch<double> const& b) {
        for (std::size_t k = 0; k < b.from.size(); ++k) entries.erase({b.from[k], b.to[k]});
    }
};

template <class Executor>
void check_same(Executor const& exec, csr<double> const& a, plain_csr<double> const& expected) {
    CHECK(to_vector(exec, a.row_offsets()) == expected.offsets);
    CHECK(to_vector(exec, a.column_indices()) == expected.indices);
    CHECK(to_vector(exec, a.values()) == expected.values);
}

} // namespace

TEST_CASE_TEMPLATE("batches of edges, and results that start from the old ones", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 3000;
    changing graph{n};
    csr<double> a = plain_of({}, n).on(exec);
    auto connected = connected_components(exec, graph_view(a));
    auto paths = sssp(exec, a.view(), 7);
    for (int step = 0; step < 8; ++step) {
        CAPTURE(step);
        auto const added = graph.edges(step == 0   ? 3500
                                       : step == 5 ? 0
                                                   : 40),
                   removed = graph.stored(step < 2 ? 0 : 60);
        graph.remove(removed);
        graph.add(added);
        auto const fewer = without_edges(exec, a.view(), removed);
        a = with_edges(exec, fewer.view(), added);
        check_same(exec, a, plain_of(graph.entries, n));

        auto const again = components_again(exec, graph_view(a), connected, ends_of(added), ends_of(removed));
        auto const fresh = connected_components(exec, graph_view(a));
        CHECK(to_vector(exec, again.labels) == to_vector(exec, fresh.labels));
        CHECK(again.components == fresh.components);
        connected = connected_components(exec, graph_view(a));

        auto const from_old = sssp_again(exec, a.view(), 7, paths);
        paths = sssp(exec, a.view(), 7);
        auto const x = to_vector(exec, from_old.distances), y = to_vector(exec, paths.distances);
        CHECK(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
        CHECK(to_vector(exec, from_old.parents) == to_vector(exec, paths.parents));
    }
    auto const ranks = pagerank<double>(exec, a, a, {.tolerance = 1e-10});
    auto const more = graph.edges(3);
    auto const b = with_edges(exec, a.view(), more);
    auto const cold = pagerank<double>(exec, b, b, {.tolerance = 1e-10});
    auto const warm = pagerank<double>(exec, b, b, {.tolerance = 1e-10}, {}, ranks.ranks.view());
    CHECK(warm.converged);
    CHECK(warm.iterations < cold.iterations * 4 / 5);
    auto const x = to_vector(exec, warm.ranks), y = to_vector(exec, cold.ranks);
    double difference = 0;
    for (std::size_t v = 0; v < x.size(); ++v) difference += std::abs(x[v] - y[v]);
    CHECK(difference < 2e-9);
}

TEST_CASE_TEMPLATE("batches: the last of several updates counts, invalid ones are rejected", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = plain_of({{{0, 1}, 1}, {{2, 0}, 2}}, 3).on(exec);
    auto const b = with_edges(exec, a.view(), {{0, 0, 2, 2, 0}, {2, 1, 2, 2, 2}, {5, 6, 7, 8, 9}});
    check_same(exec, b, plain_of({{{0, 1}, 6}, {{0, 2}, 9}, {{2, 0}, 2}, {{2, 2}, 8}}, 3));
    check_same(exec, without_edges(exec, b.view(), {{0, 1, 2}, {1, 1, 2}, {}}),
               plain_of({{{0, 2}, 9}, {{2, 0}, 2}}, 3));
    check_same(exec, with_edges(exec, a.view(), edge_batch<double>{}), plain_of({{{0, 1}, 1}, {{2, 0}, 2}}, 3));
    CHECK_THROWS_WITH_AS(with_edges(exec, a.view(), {{0, 3}, {1, 1}, {1, 1}}),
                         "edge 1 of a batch leads from 3 to 1 in a graph of 3 vertices, which are counted from 0",
                         argument_error);
    CHECK_THROWS_AS(with_edges(exec, a.view(), {{0}, {1}, {}}), dimension_error);
    CHECK_THROWS_AS(both_directions(edge_batch<double>{{0, 1}, {1}, {}}), dimension_error);
    CHECK_THROWS_AS(both_directions(edge_batch<double>{{0, 1}, {1, 2}, {1.0}}), dimension_error);
    CHECK_THROWS_AS(without_edges(exec, a.view(), {{0}, {}, {}}), dimension_error);
    auto const old = sssp(exec, a.view(), 0);
    CHECK_THROWS_AS(sssp_again(exec, a.view(), 1, old), argument_error);
    CHECK_THROWS_AS(components_again(exec, a, connected_components(exec, graph_view(a)), {{0, 3}}, {}), argument_error);
    auto const start = exec.copy(std::vector<double>{1, -1, 0});
    CHECK_THROWS_AS(pagerank<double>(exec, a, a, {}, {}, start.view()), argument_error);
}

TEST_CASE_TEMPLATE("components after an edge was both added and removed", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const n = 6;
    for (unsigned seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        changing graph{n, {}, std::mt19937{seed}};
        graph.add(graph.edges(int(seed % 5)));
        auto const a = plain_of(graph.entries, n).on(exec);
        auto const old = connected_components(exec, graph_view(a));
        auto const paths = sssp(exec, a.view(), 0);
        auto const added = graph.edges(2);
        auto removed = graph.edges(1); // may be in the graph or not
        auto const& again = seed % 2 == 0 ? added : removed;
        removed.from.push_back(again.from[0]);
        removed.to.push_back(again.to[0]);
        removed = both_directions(edge_batch<double>{removed.from, removed.to, {}});
        auto const more = with_edges(exec, a.view(), added), both = without_edges(exec, more.view(), removed);
        auto const fewer = without_edges(exec, a.view(), removed), other = with_edges(exec, fewer.view(), added);
        for (auto const* const b : {&both, &other}) {
            auto const found = components_again(exec, graph_view(*b), old, ends_of(added), ends_of(removed));
            auto const fresh = connected_components(exec, graph_view(*b));
            CHECK(to_vector(exec, found.labels) == to_vector(exec, fresh.labels));
            CHECK(found.components == fresh.components);
            CHECK(to_vector(exec, sssp_again(exec, b->view(), 0, paths).distances) ==
                  to_vector(exec, sssp(exec, b->view(), 0).distances));
        }
    }
}
