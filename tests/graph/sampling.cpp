// SPDX-License-Identifier: BSD-3-Clause
// Tests of sampled neighbourhoods, subgraphs, distances of all pairs and clustering coefficients against their
// definitions; single-source for all executors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <coppice/centrality.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/sampling.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// A local_graph in host memory.
struct sample {
    std::vector<vertex_id> vertices, from, to;
    std::vector<std::int32_t> edges;
    std::vector<std::int64_t> vertices_of_hops, edges_of_hops;
    bool operator==(sample const&) const = default;
};
template <class Executor>
sample on_host(Executor const& exec, local_graph const& g) {
    return {to_vector(exec, g.vertices), to_vector(exec, g.from), to_vector(exec, g.to),
            to_vector(exec, g.edges),    g.vertices_of_hops,      g.edges_of_hops};
}

/// Random directed graph with loops, vertices without edges and one long row.
plain random_directed(int n, int edges, unsigned seed) {
    std::mt19937 random(seed);
    graph_builder g(n);
    for (int k = 0; k < edges; ++k)
        g.entry(int(random() % unsigned(n)), int(random() % unsigned(n)), 0.25 * (1 + int(random() % 8)));
    for (int v = 0; v < n / 2; ++v) g.entry(1, 2 * v, 1);
    return g.plain();
}

std::vector<vertex_id> seeds_of(int n, unsigned seed) {
    std::vector<vertex_id> seeds;
    for (int v = 0; v < n; ++v)
        if ((unsigned(v) * 7919u + seed) % 5 == 0) seeds.push_back(n - 1 - v);
    return seeds;
}

/// Whether the edges exist, lead from the vertex that they are listed for, and have the right local numbers.
void check_edges(plain const& a, sample const& found) {
    REQUIRE(found.from.size() == found.edges.size());
    REQUIRE(found.to.size() == found.edges.size());
    CHECK(std::set<int>(found.vertices.begin(), found.vertices.end()).size() == found.vertices.size());
    for (std::size_t e = 0; e < found.edges.size(); ++e) {
        auto const k = std::size_t(found.edges[e]);
        auto const u = std::size_t(found.vertices[std::size_t(found.from[e])]);
        CHECK((a.offsets[u] <= int(k) && int(k) < a.offsets[u + 1]));
        CHECK(a.indices[k] == found.vertices[std::size_t(found.to[e])]);
    }
}

void check_sample(plain const& a, std::vector<vertex_id> const& seeds, neighbor_sample_options const& options,
                  sample const& found) {
    check_edges(a, found);
    REQUIRE(found.vertices_of_hops.size() == options.fanouts.size() + 1);
    CHECK(std::vector<vertex_id>(found.vertices.begin(), found.vertices.begin() + std::ptrdiff_t(seeds.size())) ==
          seeds);
    std::size_t first = 0, size = seeds.size(), e = 0;
    std::set<vertex_id> known(seeds.begin(), seeds.end());
    for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
        std::set<vertex_id> added;
        auto const begin = e;
        for (std::size_t v = first; v < first + size; ++v) {
            auto const u = std::size_t(found.vertices[v]);
            int const degree = a.offsets[u + 1] - a.offsets[u], fanout = int(options.fanouts[hop]);
            int const expected =
                options.replace ? (degree > 0 ? fanout : 0) : (fanout < 0 ? degree : std::min(degree, fanout));
            std::set<int> different;
            for (int k = 0; k < expected; ++k, ++e) {
                REQUIRE(e < found.edges.size());
                CHECK(found.from[e] == int(v));
                different.insert(found.edges[e]);
                auto const w = a.indices[std::size_t(found.edges[e])];
                if (!known.count(w)) added.insert(w);
            }
            if (!options.replace) CHECK(int(different.size()) == expected);
        }
        CHECK(found.edges_of_hops[hop] == std::int64_t(e - begin));
        first += size;
        size = added.size();
        CHECK(found.vertices_of_hops[hop + 1] == std::int64_t(size));
        REQUIRE(found.vertices.size() >= first + size);
        CHECK(std::equal(added.begin(), added.end(), found.vertices.begin() + std::ptrdiff_t(first)));
        known.insert(added.begin(), added.end());
    }
    CHECK(e == found.edges.size());
    CHECK(found.vertices.size() == first + size);
}

/// Vertices within `hops` edges, in the order of the hops.
std::vector<vertex_id> plain_neighborhood(plain const& a, std::vector<vertex_id> const& seeds, int hops) {
    std::vector<vertex_id> all = seeds;
    std::set<vertex_id> known(seeds.begin(), seeds.end()), frontier = known;
    for (int hop = 0; hop < hops; ++hop) {
        std::set<vertex_id> added;
        for_entries(a, [&](int u, int v, double) {
            if (frontier.count(u) && !known.count(v)) added.insert(v);
        });
        all.insert(all.end(), added.begin(), added.end());
        known.insert(added.begin(), added.end());
        frontier = added;
    }
    return all;
}

/// Edges between vertices, in the order of the rows.
std::vector<std::int32_t> plain_inner_edges(plain const& a, std::vector<vertex_id> const& vertices) {
    std::set<vertex_id> const inside(vertices.begin(), vertices.end());
    std::vector<std::int32_t> edges;
    for (auto const u : vertices)
        for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k)
            if (inside.count(a.indices[std::size_t(k)])) edges.push_back(k);
    return edges;
}

/// Coefficients by all triples of vertices, without third roots for weights that are 1.
std::vector<double> plain_clustering(plain const& a, bool undirected, bool weighted) {
    auto const n = std::size_t(a.rows);
    std::vector<std::vector<double>> w(n, std::vector<double>(n, -1));
    double largest = 0;
    for_entries(a, [&](int u, int v, double x) {
        largest = std::max(largest, x);
        w[std::size_t(u)][std::size_t(v)] = x;
    });
    auto const root = [&](std::size_t u, std::size_t v) {
        return u == v || w[u][v] < 0 ? 0 : weighted ? std::cbrt(w[u][v] / largest) : 1.0;
    };
    auto const b = [&](std::size_t u, std::size_t v) { return undirected ? root(u, v) : root(u, v) + root(v, u); };
    std::vector<double> found(n, 0);
    for (std::size_t u = 0; u < n; ++u) {
        double sum = 0, d = 0, both = 0;
        for (std::size_t v = 0; v < n; ++v) {
            if (u == v) continue;
            d += w[u][v] >= 0;
            if (!undirected) d += w[v][u] >= 0;
            both += w[u][v] >= 0 && w[v][u] >= 0;
            for (std::size_t x = 0; x < n; ++x)
                if (x != u && x != v) sum += b(u, v) * b(v, x) * b(x, u);
        }
        double const pairs = undirected ? d * (d - 1) : 2 * (d * (d - 1) - 2 * both);
        found[u] = pairs > 0 ? sum / pairs : 0;
    }
    return found;
}

void check_coefficients(std::vector<double> const& found, std::vector<double> const& expected) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t v = 0; v < found.size(); ++v)
        CHECK(std::abs(found[v] - expected[v]) <= 1e-12 * std::max(1.0, expected[v]));
}

} // namespace

TEST_CASE_TEMPLATE("sampled neighbourhoods: fan-outs, local numbers, the same on all executors", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    std::vector<named_graph> graphs = hard_graphs();
    for (unsigned seed = 1; seed <= 3; ++seed) graphs.push_back({"directed", random_directed(60, 300, seed)});
    for (auto const& [name, weights] : graphs) {
        CAPTURE(name);
        auto const a = weights.on(exec);
        auto const plain_seeds = seeds_of(weights.rows, 3);
        auto const seeds = exec.copy(plain_seeds);
        for (auto const& fanouts : {std::vector<std::int64_t>{}, {3}, {5, 2}, {-1, 1}, {0, 4}, {2, 2, 2}, {20}})
            for (bool const replace : {false, true}) {
                if (replace && std::count(fanouts.begin(), fanouts.end(), -1) > 0) continue;
                neighbor_sample_options const options{fanouts, replace, 11};
                auto const found = on_host(exec, sample_neighbors(exec, graph_view(a), seeds.view(), options));
                check_sample(weights, plain_seeds, options, found);
                auto const on_one = sample_neighbors(host, graph_view(weights.on(host)),
                                                     array_view<vertex_id const>(plain_seeds), options);
                CHECK(found == on_host(host, on_one));
            }
    }
    auto const a = random_directed(60, 300, 1).on(exec);
    graph_view const g(a);
    auto const seeds = exec.copy(std::vector<vertex_id>{1, 4}), twice = exec.copy(std::vector<vertex_id>{1, 4, 1}),
               outside = exec.copy(std::vector<vertex_id>{1, 60});
    CHECK_FALSE(on_host(exec, sample_neighbors(exec, g, seeds.view(), {{4}, false, 1})) ==
                on_host(exec, sample_neighbors(exec, g, seeds.view(), {{4}, false, 2})));
    CHECK_THROWS_AS(sample_neighbors(exec, g, twice.view(), {{4}}), argument_error);
    CHECK_THROWS_AS(sample_neighbors(exec, g, outside.view(), {{4}}), argument_error);
    CHECK_THROWS_AS(sample_neighbors(exec, g, seeds.view(), {{4, -2}}), argument_error);
    CHECK_THROWS_AS(sample_neighbors(exec, g, seeds.view(), {{-1}, true}), argument_error);
    CHECK_THROWS_AS(induced_subgraph(exec, g, twice.view()), argument_error);
    CHECK_THROWS_AS(k_hop_subgraph(exec, g, seeds.view(), -1), argument_error);
}

TEST_CASE("sampled neighbourhoods: all sets of edges have the same probability") {
    host_executor const host(1);
    graph_builder star(11);
    for (int v = 1; v <= 10; ++v) star.entry(0, v, 1);
    auto const a = star.plain().on(host);
    std::vector<vertex_id> const seeds{0};
    constexpr int draws = 6000;
    for (int const fanout : {1, 2, 3, 5, 9}) // by Floyd's algorithm, and by a scan of the row
        for (bool const replace : {false, true}) {
            std::map<int, int> single;
            std::map<std::pair<int, int>, int> pairs;
            for (std::uint64_t seed = 0; seed < draws; ++seed) {
                auto edges =
                    sample_neighbors(host, graph_view(a), array_view<vertex_id const>(seeds), {{fanout}, replace, seed})
                        .edges;
                for (auto const x : edges) ++single[x];
                for (int i = 0; i < fanout; ++i)
                    for (int j = 0; j < fanout; ++j)
                        if (edges[i] < edges[j]) ++pairs[{edges[i], edges[j]}];
            }
            auto const check = [](int count, double expected) {
                CHECK(std::abs(count - expected) <= 5 * std::sqrt(expected));
            };
            for (int k = 0; k < 10; ++k) check(single[k], draws * fanout / 10.0);
            double const pair = replace ? fanout * (fanout - 1) / 100.0 : fanout * (fanout - 1) / 90.0;
            for (int k = 0; k < 10; ++k)
                for (int l = k + 1; l < 10 && fanout > 1; ++l) check(pairs[{k, l}], draws * pair);
        }
}

TEST_CASE_TEMPLATE("subgraphs: induced ones, and those within some edges", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<named_graph> graphs = hard_graphs();
    for (unsigned seed = 1; seed <= 3; ++seed) graphs.push_back({"directed", random_directed(80, 160, seed)});
    for (auto const& [name, weights] : graphs) {
        CAPTURE(name);
        auto const a = weights.on(exec);
        auto const chosen = seeds_of(weights.rows, 1);
        auto const list = exec.copy(chosen);
        auto const sample = on_host(exec, induced_subgraph(exec, graph_view(a), list.view()));
        check_edges(weights, sample);
        CHECK(sample.vertices == chosen);
        CHECK(sample.edges == plain_inner_edges(weights, chosen));
        if (weights.rows > 500) continue;
        std::vector<vertex_id> const two(chosen.begin(),
                                         chosen.begin() + std::ptrdiff_t(std::min<std::size_t>(chosen.size(), 2)));
        auto const seeds = exec.copy(two);
        for (int const hops : {0, 1, 2, 40}) {
            auto const found = on_host(exec, k_hop_subgraph(exec, graph_view(a), seeds.view(), hops));
            check_edges(weights, found);
            CHECK(found.vertices == plain_neighborhood(weights, two, hops));
            CHECK(found.edges == plain_inner_edges(weights, found.vertices));
            REQUIRE(found.vertices_of_hops.size() == std::size_t(hops) + 1);
            std::int64_t total = 0;
            for (auto const size : found.vertices_of_hops) total += size;
            CHECK(total == std::int64_t(found.vertices.size()));
        }
    }
}

TEST_CASE_TEMPLATE("distances of all pairs: in blocks of any memory", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const weights = random_directed(37, 90, 5);
    auto const a = weights.on(exec);
    int const n = weights.rows;
    for (bool const weighted : {false, true}) {
        std::vector<double> expected(std::size_t(n * n), std::numeric_limits<double>::infinity());
        auto const at = [&](int u, int v) -> double& { return expected[std::size_t(u * n + v)]; };
        for_entries(weights, [&](int u, int v, double x) { at(u, v) = weighted ? x : 1; });
        for (int v = 0; v < n; ++v) at(v, v) = 0;
        for (int x = 0; x < n; ++x) // Floyd and Warshall; multiples of 1/4 are exact
            for (int u = 0; u < n; ++u)
                for (int v = 0; v < n; ++v) at(u, v) = std::min(at(u, v), at(u, x) + at(x, v));
        for (std::int64_t const memory : {1, 5000, 1 << 28}) {
            std::vector<double> found;
            std::int64_t largest = 0;
            all_pairs_distances(exec, a.view(),
                                [&](std::int64_t first, array_view<double const> block) {
                                    CHECK(first * n == std::int64_t(found.size()));
                                    largest = std::max(largest, block.size());
                                    auto const rows = to_vector(exec, block);
                                    found.insert(found.end(), rows.begin(), rows.end());
                                },
                                {.weighted = weighted, .memory = memory});
            CHECK(found == expected);
            CHECK(largest <= std::max<std::int64_t>(n, memory / 8));
        }
    }
    CHECK_THROWS_AS(all_pairs_distances(exec, a.view(), [](std::int64_t, array_view<double const>) {}, {.memory = 0}),
                    argument_error);
}

TEST_CASE_TEMPLATE("clustering coefficients: directed and weighted graphs", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : hard_graphs()) {
        if (weights.rows > 100) continue;
        CAPTURE(name);
        auto const a = weights.on(exec);
        auto const plain = to_vector(exec, clustering_coefficients(exec, a.view(), {.undirected = true}));
        check_coefficients(plain, to_vector(exec, clustering(exec, graph_view(a)).coefficients));
        for (bool const undirected : {false, true})
            check_coefficients(to_vector(exec, clustering_coefficients(exec, a.view(), {undirected, true})),
                               plain_clustering(weights, undirected, true));
    }
    for (unsigned seed = 1; seed <= 4; ++seed) {
        auto const weights = random_directed(30, 200, seed);
        auto const a = weights.on(exec);
        for (bool const weighted : {false, true})
            check_coefficients(to_vector(exec, clustering_coefficients(exec, a.view(), {false, weighted})),
                               plain_clustering(weights, false, weighted));
    }
    for (double const wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        graph_builder g(3);
        g.edge(0, 1, wrong);
        auto const a = g.plain().on(exec);
        CHECK_THROWS_AS(clustering_coefficients(exec, a.view(), {true, true}), matrix_error);
        CHECK(to_vector(exec, clustering_coefficients(exec, a.view(), {true, false})) == std::vector<double>(3, 0.0));
    }
}
