// SPDX-License-Identifier: BSD-3-Clause
// Tests of trusses, similarities and communities against their definitions; single-source for all executors.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <type_traits>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/communities.hpp>
#include <coppice/graph/communities/leiden.hpp>
#include <coppice/graph_structure.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

std::vector<std::set<int>> neighbor_sets(plain const& a) {
    std::vector<std::set<int>> all(std::size_t(a.rows));
    for_entries(a, [&](int u, int v, double) {
        if (u != v) all[std::size_t(u)].insert(v);
    });
    return all;
}
int shared(std::set<int> const& a, std::set<int> const& b) {
    return int(std::count_if(a.begin(), a.end(), [&](int v) { return b.count(v) != 0; }));
}

/// Truss numbers by removing every edge in too few triangles, for k = 3, 4, ...
std::map<std::pair<int, int>, int> plain_trusses(plain const& a) {
    auto left = neighbor_sets(a);
    std::map<std::pair<int, int>, int> number;
    for (int k = 2; std::any_of(left.begin(), left.end(), [](auto const& s) { return !s.empty(); }); ++k) {
        for (std::size_t u = 0; u < left.size(); ++u)
            for (int const v : left[u])
                if (int(u) < v) number[{int(u), v}] = k;
        for (bool changes = true; changes;) {
            changes = false;
            for (std::size_t u = 0; u < left.size(); ++u)
                for (auto at = left[u].begin(); at != left[u].end();) {
                    int const v = *at++;
                    if (shared(left[u], left[std::size_t(v)]) >= k - 1) continue;
                    left[u].erase(v);
                    left[std::size_t(v)].erase(int(u));
                    changes = true;
                }
        }
    }
    return number;
}

/// Cliques connected in a ring.
plain_csr<double> ring_of_groups(int groups, int size) {
    graph_builder g(groups * size);
    for (int c = 0; c < groups; ++c) {
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < i; ++j) g.edge(c * size + i, c * size + j, 1);
        g.edge(c * size, (c + 1) % groups * size + 1, 1);
    }
    return g.plain();
}

double plain_modularity(plain const& a, std::vector<int> const& labels) {
    std::vector<double> rows(labels.size(), 0), totals(labels.size(), 0);
    double all = 0, within = 0, squares = 0;
    for_entries(a, [&](int u, int v, double x) {
        all += x;
        rows[std::size_t(u)] += x;
        if (labels[std::size_t(u)] == labels[std::size_t(v)]) within += x;
    });
    for (std::size_t v = 0; v < labels.size(); ++v) totals[std::size_t(labels[v])] += rows[v];
    for (double const t : totals) squares += t / all * (t / all);
    return all > 0 ? within / all - squares : 0;
}

/// Checks that each label is the smallest vertex with that label; returns the number of labels.
std::int64_t check_labels(std::vector<int> const& labels) {
    std::int64_t count = 0;
    for (std::size_t v = 0; v < labels.size(); ++v) {
        auto const label = std::size_t(labels[v]);
        CHECK(label <= v);
        CHECK(labels[label] == labels[v]);
        count += label == v;
    }
    return count;
}

} // namespace

TEST_CASE_TEMPLATE("trusses and similarities: agree with all pairs of rows", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const r = truss_numbers(exec, graph_view(a));
        auto const from = to_vector(exec, r.from), to = to_vector(exec, r.to), numbers = to_vector(exec, r.numbers);
        auto const expected = plain_trusses(weights);
        REQUIRE(from.size() == expected.size());
        int largest = 0;
        std::size_t e = 0;
        for (auto const& [edge, number] : expected) {
            CHECK(edge == std::pair{from[e], to[e]});
            CHECK(numbers[e++] == number);
            largest = std::max(largest, number);
        }
        CHECK(r.largest == largest);

        auto const sets = neighbor_sets(weights);
        auto const jaccard = to_vector(exec, edge_similarity(exec, graph_view(a)));
        auto const overlap = to_vector(exec, edge_similarity(exec, graph_view(a), similarity::overlap));
        std::size_t k = 0;
        bool right = true;
        for_entries(weights, [&](int u, int v, double) {
            auto const &x = sets[std::size_t(u)], &y = sets[std::size_t(v)];
            double const both = u == v ? 0 : shared(x, y), sizes = double(x.size() + y.size());
            double const any = sizes - both, min_vertex = double(std::min(x.size(), y.size()));
            right = right && jaccard[k] == (any > 0 ? both / any : 0) &&
                    overlap[k] == (min_vertex > 0 ? both / min_vertex : 0);
            ++k;
        });
        CHECK(right);
    }
}

TEST_CASE_TEMPLATE("communities: groups are found, labels and modularity are correct", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    auto graphs = hard_graphs();
    graphs.push_back({"ring of groups", ring_of_groups(200, 8)});
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const spread = label_propagation(exec, graph_view(a));
        CHECK(spread.converged);
        auto const names = to_vector(exec, spread.labels);
        CHECK(spread.communities == check_labels(names));
        std::vector<std::map<int, int>> around(names.size()); // no label has more edges than the vertex's own
        for_entries(weights, [&](int u, int v, double) {
            if (u != v) ++around[std::size_t(u)][names[std::size_t(v)]];
        });
        for (std::size_t v = 0; v < names.size(); ++v)
            for (auto const& [label, count] : around[v]) CHECK(count <= around[v][names[v]]);

        auto const found = louvain(exec, a.view());
        auto const labels = to_vector(exec, found.labels);
        CHECK(found.communities == check_labels(labels));
        CHECK(found.modularity == doctest::Approx(plain_modularity(weights, labels)));
        CHECK(modularity(exec, a.view(), found.labels.view()) == doctest::Approx(found.modularity));
        auto const on_host = weights.on(host);
        CHECK(to_vector(host, louvain(host, on_host.view()).labels) == labels); // equal on every executor
        CHECK(to_vector(host, label_propagation(host, graph_view(on_host)).labels) == names);
        if (name == "ring of groups") {
            CHECK(spread.communities > 150); // occasionally two groups take one label
            CHECK(spread.communities <= 200);
            CHECK(found.communities <= 200);
            CHECK(found.modularity > 0.94);
        }
        if (name.find("grid") != std::string::npos) CHECK(found.modularity > 0.8);
    }
    auto const ring = ring_of_groups(30, 6);
    auto const a = ring.on(exec);
    CHECK(louvain(exec, a.view(), {.resolution = 5}).communities >
          louvain(exec, a.view(), {.resolution = 0.1}).communities);
    graph_builder g(2);
    g.edge(0, 1, -1);
    CHECK_THROWS_WITH_AS(louvain(exec, view_of(g.plain<float>().on(exec))),
                         "louvain: 2 edge weights are negative or not finite", matrix_error);
    CHECK_THROWS_AS(louvain(exec, a.view(), {.resolution = 0}), argument_error);
    for (double const weight : {1.0, 1e-300, 5e-324, 1e300, 1.5e308}) { // two triangles connected by an edge
        CAPTURE(weight);
        graph_builder pair(6);
        for (int t = 0; t < 6; t += 3)
            for (int k = 0; k < 3; ++k) pair.edge(t + k, t + (k + 1) % 3, weight);
        pair.edge(0, 3, weight);
        auto const found = louvain(exec, view_of(pair.plain().on(exec)));
        CHECK(found.communities == 2);
        CHECK(found.modularity == doctest::Approx(6.0 / 7 - 0.5));
    }
    CHECK_THROWS_AS(louvain(exec, a.view(), {.tolerance = -1}), argument_error);
    CHECK_THROWS_AS(louvain(exec, a.view(), {.max_levels = 0}), argument_error);
    CHECK_THROWS_AS(label_propagation(exec, graph_view(a), 0), argument_error);
}

/// Number of groups of vertices that edges of positive weight within one label connect.
int positively_connected(plain const& a, std::vector<int> const& labels) {
    std::vector<int> group(labels.size());
    std::iota(group.begin(), group.end(), 0);
    for (bool changes = true; changes;) {
        changes = false;
        for_entries(a, [&](int u, int v, double x) {
            if (!(x > 0) || labels[std::size_t(u)] != labels[std::size_t(v)]) return;
            int& of_u = group[std::size_t(u)];
            changes = changes || group[std::size_t(v)] < of_u;
            of_u = std::min(of_u, group[std::size_t(v)]);
        });
    }
    return int(std::set<int>(group.begin(), group.end()).size());
}

TEST_CASE_TEMPLATE("leiden: edges of weight zero connect no community", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        int const n = 30;
        graph_builder g(n); // three in four edges have weight zero
        for (int u = 0; u < n; ++u)
            for (int v = 0; v < u; ++v)
                if (random() % 3 == 0) g.edge(u, v, random() % 4 == 0 ? double(1 + random() % 3) : 0.0);
        auto const weights = g.plain();
        auto const found = leiden(exec, view_of(weights.on(exec)));
        auto const labels = to_vector(exec, found.labels);
        CHECK(found.communities == check_labels(labels));
        CHECK(found.communities == positively_connected(weights, labels));
    }
}

#if !defined(COPPICE_TEST_CUDA) // leiden() gives the same labels on every executor
TEST_CASE("leiden: vertices with just enough edges to their community join others") {
    host_executor const exec(1);
    // Communities 0 1 2 and 3. The row sums are 1, and 4 in all. Vertices 0 and 1 have an edge to their community,
    // whose other row sums add up to 2: with resolution 2 just enough, 1 = 2 * 1 * 2 / 4. Vertex 2 has no such edge.
    graph_builder g(4);
    g.edge(0, 1, 1);
    g.edge(2, 3, 1);
    auto const a = g.plain().on(exec);
    auto const integers = analytics::make_integer_graph(exec, a.view(), "leiden");
    auto const communities = exec.copy(std::vector<vertex_id>{0, 0, 0, 3});
    auto const refined = to_vector(exec, analytics::refine(exec, integers, communities.data(), 2.0));
    CHECK(refined[0] == refined[1]);
    CHECK(refined[2] == 2);
    CHECK(refined[3] == 3);
}
#endif

TEST_CASE_TEMPLATE("communities: an R-MAT graph has the same on every executor", Fixture, COPPICE_TEST_EXECUTORS) {
    Fixture f;
    auto const exec = f.exec();
    host_executor const host;
    bool const on_device = !std::is_base_of_v<host_executor, std::decay_t<decltype(exec)>>;
    auto const on_host = rmat<float>(host, {.scale = on_device ? 20 : 12}); // on devices rows that all blocks share
    auto const expected = louvain(host, on_host.view());
    auto const a = exec.copy(on_host);
    auto const found = louvain(exec, a.view());
    CHECK(found.levels == expected.levels);
    CHECK(found.modularity == expected.modularity);
    CHECK(to_vector(exec, found.labels) == to_vector(host, expected.labels));
    CHECK(modularity(exec, a.view(), found.labels.view()) == expected.modularity);
}
