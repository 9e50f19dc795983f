// SPDX-License-Identifier: BSD-3-Clause
// Tests of biconnected components, topological levels, longest paths, maximum flows, random walks, weighted
// centralities and connected communities against their definitions; single-source for all executors.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <queue>
#include <random>

#include <coppice/centrality.hpp>
#include <coppice/communities.hpp>
#include <coppice/flow.hpp>
#include <coppice/generators.hpp>
#include <coppice/graph/catalogue/checks.hpp>
#include <coppice/graph_algorithms.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/random_walks.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

void check_close(std::vector<double> const& found, std::vector<double> const& expected, double tolerance = 1e-12) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t v = 0; v < found.size(); ++v)
        CHECK(std::abs(found[v] - expected[v]) <= tolerance * std::max(1.0, std::abs(expected[v])));
}

std::vector<named_graph> graphs_up_to(int vertices) {
    std::vector<named_graph> all;
    for (auto& g : hard_graphs())
        if (g.weights.rows <= vertices) all.push_back(std::move(g));
    return all;
}

/// Sparse graphs with many biconnected components: random edges, and triangles with common vertices.
std::vector<named_graph> graphs_to_split() {
    auto all = graphs_up_to(60);
    for (unsigned seed = 1; seed <= 12; ++seed) {
        std::mt19937 random(seed);
        int const n = 20 + int(seed), edges = int(seed % 3 == 0 ? 15 : seed % 3 == 1 ? 24 : 40);
        graph_builder g(n);
        for (int k = 0; k < edges; ++k) g.edge(int(random() % unsigned(n)), int(random() % unsigned(n)), 1);
        all.push_back({"random " + std::to_string(seed), g.plain()});
    }
    graph_builder chain(21);
    for (int v = 0; v + 2 < 21; v += 2)
        for (auto const& [x, y] : {std::pair{0, 1}, {1, 2}, {0, 2}}) chain.edge(v + x, v + y, 1);
    all.push_back({"chain of triangles", chain.plain()});
    return all;
}

/// Roots of the components without one vertex.
union_find components_without(plain const& a, int left_out) {
    union_find sets(a.rows);
    for_entries(a, [&](int u, int v, double) {
        if (u != left_out && v != left_out) sets.unite(u, v);
    });
    return sets;
}

/// Two edges at v are in one biconnected component if and only if their other ends are connected without v.
std::vector<int> plain_biconnected(plain const& a) {
    std::map<std::pair<int, int>, int> number;
    for_entries(a, [&](int u, int v, double) { number.try_emplace(std::minmax(u, v), int(number.size())); });
    union_find sets(int(number.size()));
    for (int v = 0; v < a.rows; ++v) {
        auto without = components_without(a, v);
        std::map<int, int> edge_to;
        for (int k = a.offsets[std::size_t(v)]; k < a.offsets[std::size_t(v) + 1]; ++k) {
            int const u = a.indices[std::size_t(k)];
            if (u == v) continue;
            int const edge = number[std::minmax(u, v)];
            auto const [at, is_new] = edge_to.try_emplace(without.root(u), edge);
            if (!is_new) sets.unite(edge, at->second);
        }
    }
    std::vector<int> found;
    for_entries(a, [&](int u, int v, double) { found.push_back(u == v ? -1 : sets.root(number[std::minmax(u, v)])); });
    return found;
}

/// Both are -1 at the same positions, and equal at the same pairs of positions.
bool is_same_partition(std::vector<int> const& a, std::vector<int> const& b, std::int64_t& classes) {
    std::map<int, int> to_b, to_a;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if ((a[k] < 0) != (b[k] < 0)) return false;
        if (a[k] < 0) continue;
        if (to_b.try_emplace(a[k], b[k]).first->second != b[k]) return false;
        if (to_a.try_emplace(b[k], a[k]).first->second != a[k]) return false;
    }
    classes = std::int64_t(to_b.size());
    return a.size() == b.size();
}

plain_csr<double> random_dag(int n, int edges, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order(std::size_t(n), 0);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    graph_builder g(n);
    for (int k = 0; k < edges; ++k) {
        int const x = int(random() % unsigned(n)), y = int(random() % unsigned(n));
        if (x != y)
            g.entry(order[std::size_t(std::min(x, y))], order[std::size_t(std::max(x, y))], int(random() % 9) - 3);
    }
    return g.plain();
}

plain_csr<double> random_network(int n, int edges, unsigned seed, bool whole) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    graph_builder g(n);
    for (int k = 0; k < edges; ++k)
        g.entry(int(random() % unsigned(n)), int(random() % unsigned(n)),
                whole ? double(random() % 20) : uniform(random));
    return g.plain();
}

/// A feasible flow whose value is the capacity of a cut proves that both are optimal.
template <class Executor>
void check_flow(Executor const& exec, plain const& a, int source, int sink, double tolerance) {
    auto const r = max_flow(exec, view_of(a.on(exec)), source, sink);
    auto const flows = to_vector(exec, r.flows);
    auto const inside = to_vector(exec, r.with_source);
    std::vector<double> excess(std::size_t(a.rows), 0);
    double crossing = 0;
    std::size_t k = 0;
    for_entries(a, [&](int u, int v, double capacity) {
        double const flow = flows[k++];
        CHECK(flow >= 0);
        CHECK(flow <= capacity);
        if (u == v) CHECK(flow == 0);
        excess[std::size_t(u)] -= flow;
        excess[std::size_t(v)] += flow;
        if (inside[std::size_t(u)] && !inside[std::size_t(v)]) crossing += capacity;
    });
    for (int v = 0; v < a.rows; ++v) {
        double const expected = v == source ? -r.value : v == sink ? r.value : 0;
        CHECK(std::abs(excess[std::size_t(v)] - expected) <= tolerance);
    }
    CHECK(inside[std::size_t(source)] == 1);
    CHECK(inside[std::size_t(sink)] == 0);
    CHECK(std::abs(crossing - r.value) <= tolerance);
    host_executor const host(1);
    auto const again = max_flow(host, view_of(a.on(host)), source, sink);
    CHECK(to_vector(host, again.flows) == flows);
}

/// Distances and numbers of shortest paths by lengths more than 0, between all pairs.
struct weighted_pairs {
    std::vector<std::vector<double>> distance, count;
    explicit weighted_pairs(plain const& a) {
        for (int s = 0; s < a.rows; ++s) {
            distance.push_back(plain_distances(a, s, false));
            auto const& d = distance.back();
            std::vector<int> order(d.size());
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(),
                             [&](int x, int y) { return d[std::size_t(x)] < d[std::size_t(y)]; });
            std::vector<double> n(d.size(), 0);
            n[std::size_t(s)] = 1;
            for (int const u : order)
                for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k) {
                    auto const v = std::size_t(a.indices[std::size_t(k)]);
                    if (d[std::size_t(u)] + a.values[std::size_t(k)] == d[v]) n[v] += n[std::size_t(u)];
                }
            count.push_back(n);
        }
    }
    /// Sum over pairs s, t of the fraction of the shortest paths that contain a path from x to y of this length, where
    /// s != x and t != y if `inside`.
    double fraction(std::size_t x, std::size_t y, double length, bool inside) const {
        double sum = 0;
        for (std::size_t s = 0; s < distance.size(); ++s)
            for (std::size_t t = 0; t < distance.size(); ++t) {
                if (s == t || (inside && (s == x || t == y)) || std::isinf(distance[s][t])) continue;
                if (distance[s][x] + length + distance[y][t] != distance[s][t]) continue;
                sum += count[s][x] * count[y][t] / count[s][t];
            }
        return sum;
    }
};

/// Whether the vertices of each label are connected in the subgraph of that label.
bool are_connected(plain const& a, std::vector<int> const& labels) {
    union_find sets(a.rows);
    for_entries(a, [&](int u, int v, double) {
        if (labels[std::size_t(u)] == labels[std::size_t(v)]) sets.unite(u, v);
    });
    for (int v = 0; v < a.rows; ++v)
        if (sets.root(v) != sets.root(labels[std::size_t(v)])) return false;
    return true;
}

} // namespace

TEST_CASE_TEMPLATE("biconnected components: connected without each of their vertices", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : graphs_to_split()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const r = biconnected_components(exec, graph_view(a));
        std::int64_t classes = 0, points = 0;
        CHECK(is_same_partition(to_vector(exec, r.edge_components), plain_biconnected(weights), classes));
        CHECK(r.components == classes);
        auto const articulation = to_vector(exec, r.articulation);
        union_find whole(weights.rows);
        for_entries(weights, [&](int u, int v, double) { whole.unite(u, v); });
        for (int v = 0; v < weights.rows; ++v) {
            auto without = components_without(weights, v);
            std::map<int, bool> roots;
            for (int k = weights.offsets[std::size_t(v)]; k < weights.offsets[std::size_t(v) + 1]; ++k)
                if (int const u = weights.indices[std::size_t(k)]; u != v) roots[without.root(u)] = true;
            CHECK(articulation[std::size_t(v)] == (roots.size() > 1));
            points += roots.size() > 1;
        }
        CHECK(r.articulation_points == points);
    }
    auto const twice = plain_csr<double>{3, 3, {0, 2, 5, 6}, {1, 1, 0, 0, 2, 1}, {1, 1, 1, 1, 1, 1}};
    auto const r = biconnected_components(exec, graph_view(twice.on(exec)));
    CHECK(r.components == 2);
    CHECK(to_vector(exec, r.articulation) == std::vector<std::uint8_t>{0, 1, 0});
}

TEST_CASE_TEMPLATE("large graphs: bridges are the biconnected components of one edge", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const of_edges = to_vector(exec, biconnected_components(exec, graph_view(a)).edge_components);
        std::map<int, int> size;
        for (int const c : of_edges) size[c] += c >= 0;
        auto const alone = std::count_if(size.begin(), size.end(), [](auto const& x) { return x.second == 2; });
        CHECK(alone == bridges(exec, graph_view(a)).from.size());
    }
}

TEST_CASE_TEMPLATE("topological levels and longest paths: by relaxing all edges", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::vector<plain_csr<double>> graphs{graph_builder(0).plain(), graph_builder(4).plain(), random_dag(30, 60, 1),
                                          random_dag(200, 300, 2), random_dag(500, 4000, 3)};
    graph_builder path(1000);
    for (int v = 1; v < 1000; ++v) path.entry(v, v - 1, 1);
    graphs.push_back(path.plain());
    for (auto const& g : graphs) {
        auto const a = g.on(exec), incoming = transpose(exec, a.view());
        std::vector<double> longest(std::size_t(g.rows), 0), level = longest;
        for (bool changes = true; changes;) {
            changes = false;
            for_entries(g, [&](int u, int v, double x) {
                auto const from = std::size_t(u), to = std::size_t(v);
                if (level[from] + 1 > level[to]) changes = true, level[to] = level[from] + 1;
                if (longest[from] + x > longest[to]) changes = true, longest[to] = longest[from] + x;
            });
        }
        auto const r = topological_levels(exec, a, incoming);
        auto const levels = to_vector(exec, r.levels);
        CHECK(std::equal(levels.begin(), levels.end(), level.begin()));
        CHECK(r.acyclic);
        CHECK(r.ordered == g.rows);
        CHECK(r.depth == (level.empty() ? 0 : int(*std::max_element(level.begin(), level.end())) + 1));
        auto const paths = longest_paths(exec, a, incoming.view());
        auto const lengths = to_vector(exec, paths.lengths);
        auto const parents = to_vector(exec, paths.parents);
        CHECK(lengths == longest);
        std::vector<char> explained(lengths.size(), 0);
        for_entries(g, [&](int u, int v, double x) {
            if (parents[std::size_t(v)] == u && lengths[std::size_t(u)] + x == lengths[std::size_t(v)])
                explained[std::size_t(v)] = 1;
        });
        for (int v = 0; v < g.rows; ++v)
            CHECK((explained[std::size_t(v)] || (parents[std::size_t(v)] == v && lengths[std::size_t(v)] == 0)));
    }
    graph_builder cycle(6); // 0 -> 1 -> 2 -> 1, 2 -> 3; 4 -> 5; vertices 1, 2, 3 have no level
    for (auto const& [u, v] : {std::pair{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 5}}) cycle.entry(u, v, 1);
    auto const a = cycle.plain().on(exec), incoming = transpose(exec, a.view());
    auto const r = topological_levels(exec, a, incoming);
    CHECK(!r.acyclic);
    CHECK(to_vector(exec, r.levels) == std::vector<std::int32_t>{0, -1, -1, -1, 0, 1});
    auto const paths = longest_paths(exec, a, incoming.view());
    CHECK(!paths.acyclic);
    CHECK(std::isnan(to_vector(exec, paths.lengths)[3]));
    CHECK(to_vector(exec, paths.lengths)[5] == 1);
    graph_builder loop(1);
    loop.entry(0, 0, 1);
    CHECK(!topological_levels(exec, loop.plain().on(exec), loop.plain().on(exec)).acyclic);
    graph_builder wrong(2);
    wrong.entry(0, 1, std::numeric_limits<double>::infinity());
    auto const w = wrong.plain().on(exec);
    CHECK_THROWS_AS(longest_paths(exec, w, view_of(transpose(exec, w.view()))), matrix_error);
    CHECK_THROWS_AS(topological_levels(exec, w, a), dimension_error);
}

TEST_CASE_TEMPLATE("maximum flow: feasible, and as large as a cut", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (unsigned seed = 1; seed <= 20; ++seed) {
        int const n = 2 + int(seed * seed), edges = int(seed % 4 + 1) * n;
        CAPTURE(seed);
        check_flow(exec, random_network(n, edges, seed, true), 0, n - 1, 0);
        check_flow(exec, random_network(n, edges, seed, false), n - 1, 0, 1e-9);
    }
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows > 1 && weights.rows <= 1000) check_flow(exec, weights, 0, weights.rows / 2, 1e-9);
    }
    auto const grid = stencil_graph(40, 30, stencil_five_point);
    check_flow(exec, grid, 0, 1199, 1e-9);
    graph_builder path(3000);
    for (int v = 1; v < 3000; ++v) path.entry(v - 1, v, 5 + v % 3);
    check_flow(exec, path.plain(), 0, 2999, 0);
    auto const a = path.plain().on(exec);
    CHECK_THROWS_AS(max_flow(exec, a.view(), 0, 0), argument_error);
    CHECK_THROWS_AS(max_flow(exec, a.view(), 0, 3000), argument_error);
    CHECK_THROWS_AS(max_flow(exec, a.view(), -1, 2), argument_error);
    graph_builder negative(2);
    negative.entry(0, 1, -1);
    CHECK_THROWS_AS(max_flow(exec, view_of(negative.plain().on(exec)), 0, 1), matrix_error);
    graph_builder infinite(2);
    infinite.entry(0, 1, std::numeric_limits<double>::infinity());
    CHECK_THROWS_AS(max_flow(exec, view_of(infinite.plain<float>().on(exec)), 0, 1), matrix_error);
}

TEST_CASE_TEMPLATE("maximum flow: very large capacities do not round it", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    int const half = 8, n = 2 * half + 2, source = n - 2, sink = n - 1;
    for (double const unlimited : {1e18, 1e300, std::numeric_limits<double>::max()})
        for (unsigned seed = 1; seed <= 20; ++seed) {
            CAPTURE(unlimited);
            CAPTURE(seed);
            std::mt19937 random(seed);
            graph_builder g(n); // all small capacities are of edges from the first half to the second
            for (int v = 0; v < half; ++v) {
                if (random() % 2 == 0) g.entry(source, v, unlimited);
                if (random() % 2 == 0) g.entry(half + v, sink, unlimited);
                for (int k = 0; k < 3; ++k) {
                    int const other = int(random() % unsigned(half));
                    g.entry(v, half + other, double(random() % 9));
                    g.entry(seed % 2 == 0 ? v : half + v, seed % 2 == 0 ? other : half + other, unlimited);
                    g.entry(half + other, v, seed % 3 == 0 ? unlimited : 0.0);
                }
            }
            check_flow(exec, g.plain(), source, sink, 0);
        }
    graph_builder unbounded(3);
    for (int v = 1; v < 3; ++v) unbounded.entry(v - 1, v, std::numeric_limits<double>::max());
    CHECK_THROWS_AS(max_flow(exec, view_of(unbounded.plain().on(exec)), 0, 2), overflow_error);
    graph_builder near_infinity(3);
    for (int v = 1; v < 3; ++v) near_infinity.entry(v - 1, v, 1e290);
    CHECK(max_flow(exec, view_of(near_infinity.plain().on(exec)), 0, 2).value == 1e290);
}

TEST_CASE_TEMPLATE("weights whose sums overflow are refused, or give no result", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder g(4);
    for (auto const& [u, v] : {std::pair{0, 1}, {0, 2}, {1, 2}, {2, 3}}) g.edge(u, v, 1e308);
    auto const a = g.plain().on(exec);
    analytics_options const options{.undirected = true, .weighted = true};
    CHECK_THROWS_AS(run_graph_algorithm(exec, "pagerank", a.view(), options), matrix_error);
    CHECK_THROWS_AS(run_graph_algorithm(exec, "random-walks", a.view(), options), matrix_error);
    CHECK(!run_graph_algorithm(exec, "hits", a.view(), options).failure.empty());
}

TEST_CASE_TEMPLATE("random walks: follow edges with the probabilities of node2vec", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    graph_builder g(6); // a directed edge to 5, which ends walks; an edge of weight 0 is never taken
    for (auto const& [u, v] : {std::pair{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 4}}) g.edge(u, v, 1 + u + 2 * v);
    g.entry(3, 5, 0.5);
    g.entry(0, 4, 0);
    auto const weights = g.plain();
    auto const a = weights.on(exec);
    int const n = weights.rows, walks = 60000;
    std::vector<vertex_id> starts;
    for (int i = 0; i < walks; ++i) starts.push_back(i % n);
    auto const from = exec.copy(starts);
    auto const weight_of = [&](int u, int v, bool weighted) {
        double w = 0;
        for_entries(weights, [&](int x, int y, double value) {
            if (x == u && y == v) w = weighted ? value : 1;
        });
        return w;
    };
    for (auto const& [p, q] : {std::pair{1.0, 1.0}, {4.0, 0.25}, {0.1, 2.0}, {300.0, 300.0}})
        for (bool const weighted : {false, true}) {
            random_walk_options const options{.length = 4, .return_bias = p, .outward_bias = q, .weighted = weighted};
            auto const found = to_vector(exec, random_walks(exec, a.view(), from.view(), options));
            REQUIRE(found.size() == starts.size() * 5);
            CHECK(found == to_vector(host, random_walks(host, view_of(weights.on(host)),
                                                        array_view<vertex_id const>(starts), options)));
            std::map<std::array<int, 3>, double> count;
            std::map<std::array<int, 2>, double> total;
            for (std::size_t i = 0; i < starts.size(); ++i) {
                auto const* const walk = found.data() + 5 * i;
                CHECK(walk[0] == starts[i]);
                for (int t = 1; t < 5; ++t) {
                    int const before = t > 1 ? walk[t - 2] : -1;
                    if (walk[t - 1] < 0) CHECK(walk[t] == -1);
                    if (walk[t - 1] < 0) continue;
                    ++count[{before, walk[t - 1], walk[t]}];
                    ++total[{before, walk[t - 1]}];
                }
            }
            for (auto const& [pair, all] : total) {
                auto const [before, u] = pair;
                std::vector<double> fraction(std::size_t(n), 0);
                double sum = 0;
                for (int v = 0; v < n; ++v) {
                    double const bias = before < 0                        ? 1
                                        : v == before                     ? 1 / p
                                        : weight_of(before, v, false) > 0 ? 1
                                                                          : 1 / q;
                    sum += fraction[std::size_t(v)] = weight_of(u, v, weighted) * bias;
                }
                if (sum == 0) CHECK(count[{before, u, -1}] == all);
                for (int v = 0; v < n && sum > 0; ++v) {
                    double const expected = fraction[std::size_t(v)] / sum;
                    double const deviation = std::sqrt(expected * (1 - expected) * all);
                    CHECK(std::abs(count[{before, u, v}] - expected * all) <= 5 * deviation);
                }
            }
        }
    auto const other = random_walks(exec, a.view(), from.view(), {.length = 4, .seed = 2});
    CHECK(to_vector(exec, other) != to_vector(exec, random_walks(exec, a.view(), from.view(), {.length = 4})));
    CHECK_THROWS_AS(random_walks(exec, a.view(), from.view(), {.length = 0}), argument_error);
    CHECK_THROWS_AS(random_walks(exec, a.view(), from.view(), {.return_bias = 0}), argument_error);
    auto const outside = exec.copy(std::vector<vertex_id>{0, n});
    CHECK_THROWS_AS(random_walks(exec, a.view(), outside.view(), {}), argument_error);
    graph_builder negative(2);
    negative.edge(0, 1, -1);
    auto const bad = negative.plain().on(exec);
    CHECK_THROWS_AS(random_walks(exec, bad.view(), from.view().slice(0, 1), {.weighted = true}), matrix_error);
}

TEST_CASE_TEMPLATE("betweenness of edges and by lengths, closeness by lengths: sums over all pairs", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto graphs = graphs_up_to(60);
    graphs.push_back({"random, directed", random_network(40, 90, 5, true)});
    graphs.push_back({"grid", stencil_graph(6, 5, stencil_five_point)});
    for (auto& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        for (double& x : weights.values) x = 1 + std::floor(2 * x); // sums are exact
        auto const a = weights.on(exec), transposed = transpose(exec, a.view());
        auto unweighted = weights;
        for (double& x : unweighted.values) x = 1;
        for (bool const weighted : {false, true}) {
            auto const& lengths = weighted ? weights : unweighted;
            weighted_pairs const pairs(lengths);
            auto const n = std::size_t(weights.rows);
            std::vector<double> at_vertices(n, 0), at_edges;
            for (std::size_t v = 0; v < n; ++v) at_vertices[v] = pairs.fraction(v, v, 0, true);
            for_entries(lengths, [&](int u, int v, double x) {
                at_edges.push_back(u == v ? 0 : pairs.fraction(std::size_t(u), std::size_t(v), x, false));
            });
            auto const r = weighted ? weighted_betweenness(exec, a.view(), {.edges = true})
                                    : betweenness(exec, a, transposed, {.edges = true});
            check_close(to_vector(exec, r.scores), at_vertices);
            check_close(to_vector(exec, r.edge_scores), at_edges);
            if (!weighted) continue;
            auto const near = weighted_closeness(exec, a.view());
            std::vector<double> close(n, 0), harmonic(n, 0);
            for (std::size_t v = 0; v < n; ++v) {
                double count = 0, sum = 0;
                for (std::size_t u = 0; u < n; ++u) {
                    double const d = pairs.distance[u][v];
                    if (u == v || std::isinf(d)) continue;
                    ++count;
                    sum += d;
                    harmonic[v] += 1 / d;
                }
                if (count > 0) close[v] = count / sum * count / double(n - 1);
            }
            check_close(to_vector(exec, near.scores), close);
            check_close(to_vector(exec, near.harmonic), harmonic);
        }
    }
    int const diamonds = 1200; // 2^1200 paths
    graph_builder chain(3 * diamonds + 1);
    for (int i = 0; i < diamonds; ++i)
        for (int const middle : {3 * i + 1, 3 * i + 2}) {
            chain.edge(3 * i, middle, 2);
            chain.edge(middle, 3 * i + 3, 3);
        }
    auto const a = chain.plain().on(exec);
    auto const scores = to_vector(exec, weighted_betweenness(exec, a.view(), {.from = {.vertices = {0}}}).scores);
    for (int i = 0; i < diamonds; i += 7)
        CHECK(scores[std::size_t(3 * i + 1)] == doctest::Approx(0.5 * (3 * (diamonds - 1 - i) + 1)).epsilon(1e-12));
    graph_builder tiny(3);
    tiny.edge(0, 1, 1e20);
    tiny.edge(1, 2, 1);
    auto const small = tiny.plain().on(exec);
    CHECK_THROWS_AS(weighted_betweenness(exec, small.view()), matrix_error);
    graph_builder zero(2);
    zero.edge(0, 1, 0);
    auto const z = zero.plain().on(exec);
    CHECK_THROWS_AS(weighted_betweenness(exec, z.view()), matrix_error);
    CHECK(to_vector(exec, weighted_closeness(exec, z.view()).scores) == std::vector<double>{0, 0});
}

namespace {

/// R-MAT graph with random lengths, half of them integers.
template <class T>
csr<T> random_lengths(host_executor const& host, int scale) {
    auto a = generate<T>(host, "rmat", {.scale = scale, .edge_factor = 12});
    auto const* const offsets = a.row_offsets().data();
    auto const* const columns = a.column_indices().data();
    T* const values = a.values().data();
    for (int u = 0; u < int(a.rows()); ++u)
        for (auto k = offsets[u]; k < offsets[u + 1]; ++k) {
            auto const bits =
                mix_bits(std::uint64_t(std::min(u, columns[k])) * 99991 + std::uint64_t(std::max(u, columns[k])));
            values[k] = T(1 + bits % 8) + (bits % 2 == 0 ? T(0) : T(bits >> 40) / T(1 << 24));
        }
    return a;
}

} // namespace

TEST_CASE_TEMPLATE("weighted betweenness and closeness: the same bits for any number of threads", T, float, double) {
    host_executor const one(1);
    auto const a = random_lengths<T>(one, 8);
    betweenness_options const options{.from = {.samples = 50}, .edges = true};
    auto const expected = weighted_betweenness(one, a.view(), options);
    auto const near = weighted_closeness(one, a.view(), options.from);
    CHECK(expected.sources == 50);
    for (int const threads : {2, 3, 5}) {
        host_executor const exec(threads);
        auto const found = weighted_betweenness(exec, a.view(), options);
        CHECK(to_vector(exec, found.scores) == to_vector(one, expected.scores));
        CHECK(to_vector(exec, found.edge_scores) == to_vector(one, expected.edge_scores));
        auto const close = weighted_closeness(exec, a.view(), options.from);
        CHECK(to_vector(exec, close.scores) == to_vector(one, near.scores));
        CHECK(to_vector(exec, close.harmonic) == to_vector(one, near.harmonic));
    }
}

TEST_CASE_TEMPLATE("paths from several sources in copies of a graph are those from single sources", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const on_host = random_lengths<double>(host_executor(2), 7);
    auto const a = exec.copy(on_host);
    std::vector<vertex_id> const sources{3, 60, 0, 127, 11, 12, 90};
    std::int64_t const n = a.rows(), m = a.nonzeros();
    auto const scores = [&](std::int64_t copies) {
        betweenness_result result{buffer<double>(exec, n), buffer<double>(exec, m), std::int64_t(sources.size())};
        fill(exec, result.scores.view(), 0.0);
        fill(exec, result.edge_scores.view(), 0.0);
        analytics::levels_of_paths<std::remove_const_t<decltype(exec)>, double> paths(exec, a.view(), copies, true);
        for (std::size_t first = 0; first < sources.size(); first += std::size_t(copies))
            paths.add(sources, std::int64_t(first), result);
        return std::pair(to_vector(exec, result.scores), to_vector(exec, result.edge_scores));
    };
    auto const expected = scores(1);
    CHECK(*std::max_element(expected.first.begin(), expected.first.end()) > 10);
    for (std::int64_t const copies : {2, 3, 7, 8}) {
        CHECK(scores(copies) == expected);
        analytics::simultaneous_sssp<std::remove_const_t<decltype(exec)>, double> const search(exec, a.view(), copies);
        for (std::size_t first = 0; first < sources.size(); first += std::size_t(copies)) {
            auto const group = search.group(sources, std::int64_t(first));
            auto const together = to_vector(exec, search.distances(group));
            REQUIRE(together.size() == std::size_t(n) * std::size_t(group.size()));
            for (std::size_t k = 0; k < std::size_t(group.size()); ++k) {
                auto const alone = to_vector(exec, sssp(exec, a.view(), sources[first + k]).distances);
                CHECK(std::equal(alone.begin(), alone.end(), together.begin() + std::ptrdiff_t(k) * n));
            }
        }
    }
}

TEST_CASE_TEMPLATE("weighted betweenness: an edge of infinite length is none", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder far(4); // 3 is not reached
    far.edge(0, 1, 1);
    far.edge(1, 2, 1);
    far.edge(2, 3, std::numeric_limits<double>::infinity());
    auto const a = far.plain().on(exec);
    std::vector<double> const expected{0, 2, 0, 0};
    CHECK(to_vector(exec, weighted_betweenness(exec, a.view()).scores) == expected);
    betweenness_result result{buffer<double>(exec, 4), {}, 4};
    fill(exec, result.scores.view(), 0.0);
    analytics::levels_of_paths<std::remove_const_t<decltype(exec)>, double> paths(exec, a.view(), 4, false);
    paths.add({0, 1, 2, 3}, 0, result);
    CHECK(to_vector(exec, result.scores) == expected);
}

TEST_CASE("weighted betweenness: lengths that no distance grows by, infinite lengths, and numbers of paths") {
    host_executor const exec(2);
    // 1e20 + 1 = 1e20: vertices 1 to 3 have equal distances from 0; an edge from one to another gives a second path.
    struct directed_edge {
        int from, to;
    };
    auto const scores = [&](std::vector<directed_edge> const& short_edges) {
        graph_builder tiny(4);
        for (int v = 1; v < 4; ++v) tiny.entry(0, v, 1e20);
        for (auto const& e : short_edges) tiny.entry(e.from, e.to, 1);
        auto const a = tiny.plain().on(exec);
        betweenness_options options;
        options.from.vertices = {0};
        options.edges = true;
        auto const found = weighted_betweenness(exec, a.view(), options);
        auto const edges = to_vector(exec, found.edge_scores);
        CHECK(std::accumulate(edges.begin(), edges.begin() + 3, 0.0) == 3); // every path begins at 0
        return to_vector(exec, found.scores);
    };
    CHECK(scores({}) == std::vector<double>{0, 0, 0, 0});
    CHECK(scores({{1, 2}}) == std::vector<double>{0, 0.5, 0, 0});
    CHECK(scores({{2, 1}}) == std::vector<double>{0, 0, 0.5, 0});
    CHECK(scores({{3, 1}, {1, 2}})[3] == doctest::Approx(0.5 + 1.0 / 3));
    CHECK(scores({{3, 1}, {1, 2}})[1] == doctest::Approx(2.0 / 3));
    CHECK_THROWS_AS(scores({{1, 2}, {2, 3}, {3, 1}}), matrix_error);
    int const diamonds = 1000; // 2^1000 paths; the edges of a diamond share what passes through it
    graph_builder chain(3 * diamonds + 1);
    for (int i = 0; i < diamonds; ++i)
        for (int const middle : {3 * i + 1, 3 * i + 2}) {
            chain.edge(3 * i, middle, 1);
            chain.edge(middle, 3 * i + 3, 1);
        }
    auto const c = chain.plain().on(exec);
    auto const edges =
        to_vector(exec, weighted_betweenness(exec, c.view(), {.from = {.vertices = {0}}, .edges = true}).edge_scores);
    for (int i = 0; i < diamonds; i += 13) // from 3i to 3i + 1
        CHECK(edges[std::size_t(c.row_offsets()[3 * i]) + (i == 0 ? 0 : 2)] ==
              doctest::Approx(1 + 0.5 * (3 * (diamonds - 1 - i) + 1)).epsilon(1e-12));
}

TEST_CASE_TEMPLATE("weighted ranks and spectral centralities solve their equations", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto weights = random_network(50, 300, 11, true);
    auto const a = weights.on(exec), transposed = transpose(exec, a.view());
    auto const n = std::size_t(weights.rows);
    directed_weights<double> const w{a.values(), transposed.values()};
    std::vector<double> out_sum(n, 0);
    for_entries(weights, [&](int u, int, double x) { out_sum[std::size_t(u)] += x; });
    auto const in = [&](std::vector<double> const& x) {
        std::vector<double> y(n, 0);
        for_entries(weights, [&](int u, int v, double value) { y[std::size_t(v)] += value * x[std::size_t(u)]; });
        return y;
    };
    auto const ranks = pagerank<double>(exec, a, transposed, {.tolerance = 1e-14}, {}, {}, w);
    CHECK(ranks.converged);
    auto const r = to_vector(exec, ranks.ranks);
    double dangling = 0;
    auto contribution = r;
    for (std::size_t v = 0; v < n; ++v) {
        if (out_sum[v] == 0) dangling += r[v];
        contribution[v] = out_sum[v] > 0 ? r[v] / out_sum[v] : 0;
    }
    auto next = in(contribution);
    for (double& x : next) x = 0.85 * (x + dangling / double(n)) + 0.15 / double(n);
    check_close(r, next);

    auto const katz = katz_centrality(exec, a, transposed, {.alpha = 0.001, .tolerance = 1e-13}, w.incoming);
    CHECK(katz.converged);
    auto const x = to_vector(exec, katz.scores);
    auto sums = in(x);
    for (double& s : sums) s = 0.001 * s + 1;
    check_close(x, sums);
    CHECK(katz_centrality(exec, a, transposed, {}, w.incoming).converged); // with the default alpha

    auto const vector =
        eigenvector_centrality(exec, transposed, {.tolerance = 1e-14, .max_iterations = 5000}, w.incoming);
    CHECK(vector.converged);
    auto const e = to_vector(exec, vector.scores);
    auto image = in(e);
    double value = 0;
    for (std::size_t v = 0; v < n; ++v) value += e[v] * image[v];
    for (double& s : image) s /= value;
    check_close(e, image, 1e-10);

    auto const hits = hubs_and_authorities(exec, a, transposed, {.tolerance = 1e-14, .max_iterations = 5000}, w);
    auto const authorities = to_vector(exec, hits.authorities);
    auto found = in(to_vector(exec, hits.hubs));
    double const total = std::accumulate(found.begin(), found.end(), 0.0);
    for (double& s : found) s /= total;
    check_close(authorities, found, 1e-10);
    CHECK_THROWS_AS(katz_centrality(exec, a, transposed, {}, w.incoming.slice(0, 3)), dimension_error);
    weights.values[0] = -1;
    auto const negative = weights.on(exec);
    CHECK_THROWS_AS(pagerank<double>(exec, negative, transposed, {}, {}, {}, {negative.values(), transposed.values()}),
                    matrix_error);
}

TEST_CASE_TEMPLATE("leiden: connected communities, at least the modularity of louvain", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto graphs = hard_graphs();
    for (unsigned seed = 1; seed <= 5; ++seed) { // sparse graphs, for which louvain leaves communities unconnected
        std::mt19937 random(seed);
        graph_builder g(2000);
        for (int k = 0; k < 3500; ++k) {
            int const u = int(random() % 2000), v = int(random() % 2000);
            if (u != v) g.edge(u, v, 1 + int(random() % 4));
        }
        graphs.push_back({"random " + std::to_string(seed), g.plain()});
    }
    host_executor const host(1);
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const r = leiden(exec, a.view());
        auto const labels = to_vector(exec, r.labels);
        CHECK(are_connected(weights, labels));
        std::int64_t count = 0;
        for (std::size_t v = 0; v < labels.size(); ++v) {
            CHECK(labels[v] <= int(v));
            count += labels[v] == int(v);
        }
        CHECK(r.communities == count);
        CHECK(to_vector(host, leiden(host, view_of(weights.on(host))).labels) == labels);
        if (weights.rows == 0) continue;
        CHECK(r.modularity == doctest::Approx(modularity(exec, a.view(), r.labels.view())).epsilon(1e-12));
        CHECK(r.modularity >= louvain(exec, a.view()).modularity - 0.005);
    }
    auto const a = graphs.back().weights.on(exec);
    CHECK(leiden(exec, a.view(), {.louvain = {.resolution = 4}}).communities > leiden(exec, a.view()).communities);
    CHECK_THROWS_AS(leiden(exec, a.view(), {.passes = 0}), argument_error);
    CHECK_THROWS_WITH_AS(leiden(exec, a.view(), {.louvain = {.resolution = 0}}),
                         "leiden option resolution is 0, expected more than 0", argument_error);
}

TEST_CASE("communities: the same labels for any number of threads") {
    host_executor const one(1);
    auto const a = random_lengths<double>(one, 12); // rows that threads share
    auto const of_leiden = leiden(one, a.view());
    auto const of_louvain = louvain(one, a.view());
    auto const spread = label_propagation(one, graph_view(a));
    for (int const threads : {2, 3}) {
        host_executor const exec(threads);
        auto const found = leiden(exec, a.view());
        CHECK(to_vector(exec, found.labels) == to_vector(one, of_leiden.labels));
        CHECK(found.modularity == of_leiden.modularity);
        CHECK(to_vector(exec, louvain(exec, a.view()).labels) == to_vector(one, of_louvain.labels));
        CHECK(to_vector(exec, label_propagation(exec, graph_view(a)).labels) == to_vector(one, spread.labels));
    }
}

TEST_CASE("communities: a vertex chooses the smallest label of the largest score") {
    host_executor const exec(3);
    int const leaves = 40000; // the table of a hub grows many times, and its row is longer than a piece of work
    std::mt19937 random(3);
    graph_builder g(leaves + 2);
    for (int v = 2; v < leaves + 2; ++v) {
        g.edge(0, v, 1 + int(random() % 3));
        if (v % 3 == 0) g.edge(1, v, 1 + int(random() % 3));
        g.edge(v, 2 + int(random() % unsigned(leaves)), 2);
    }
    auto const weights = g.plain();
    auto const a = weights.on(exec);
    std::vector<int> labels(std::size_t(a.rows()));
    for (std::size_t v = 0; v < labels.size(); ++v)
        labels[v] = v % 5 == 0 ? int(random() % 200) : int(random() % labels.size());
    std::vector<std::int64_t> whole(weights.values.begin(), weights.values.end());
    std::vector<std::uint32_t> chosen(labels.size());
    analytics::label_choice<host_executor> choice(exec, graph_view(a), whole.data(), labels.data(), chosen.data());
    analytics::worklist const all{nullptr, std::int64_t(labels.size()), 0};
    for (int repeat = 0; repeat < 2; ++repeat) { // tables are empty after use
        choice.choose(&all, analytics::count_of_label{});
        std::vector<std::map<int, std::int64_t>> around(labels.size());
        for_entries(weights, [&](int u, int v, double x) {
            if (u != v) around[std::size_t(u)][labels[std::size_t(v)]] += std::int64_t(x);
        });
        std::size_t wrong = 0;
        for (std::size_t v = 0; v < labels.size(); ++v) {
            std::int64_t largest = 0;
            int best = -1; // ascending labels; equal weights: the own label, else the smallest
            for (auto const& [label, weight] : around[v])
                if (weight > largest || (weight == largest && label == labels[v])) {
                    largest = weight;
                    best = label;
                }
            wrong += chosen[v] != static_cast<std::uint32_t>(best);
        }
        CHECK(wrong == 0);
    }
}

namespace {

/// Changes one number of a result; returns false if there is none.
bool spoil(graph_answer& answer, std::size_t at) {
    if (auto* const edges = std::get_if<answer_edges>(&answer.found)) {
        if (edges->weights.empty()) return false;
        edges->weights[at % edges->weights.size()] *= 0.5;
    } else if (auto* const numbers = std::get_if<graph_answer::vertex_numbers>(&answer.found)) {
        auto& number = (*numbers)[at % numbers->size()];
        number = number < 0 ? 0 : number == 0 ? 1 : number - 1;
    } else {
        auto& value =
            std::get<graph_answer::values>(answer.found)[at % std::get<graph_answer::values>(answer.found).size()];
        value = std::isinf(value) ? 1 : value == 1 ? 0 : 1;
    }
    return true;
}

} // namespace

TEST_CASE_TEMPLATE("checks prove results, and find each change", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    std::mt19937 random(5);
    auto graphs = hard_graphs();
    graphs.push_back({"grid", stencil_graph(20, 15, stencil_five_point)});
    graphs.push_back({"without cycles", random_dag(60, 200, 8)});
    for (auto const& name : checked_graph_algorithms()) {
        CAPTURE(name);
        auto const& rows = graph_algorithm_catalogue;
        auto const row = std::find_if(rows.begin(), rows.end(), [&](auto const& r) { return r.name == name; });
        REQUIRE(row != rows.end());
        int proved = 0, found = 0, changes = 0;
        for (auto& [graph, weights] : graphs) {
            bool const directed = graph == "without cycles";
            if (weights.rows < 2 || (directed && row->undirected)) continue;
            if (directed && row->reads("sink")) // capacities
                for (double& x : weights.values) x = std::abs(x);
            auto const a = weights.on(exec);
            analytics_options const options{.source = weights.rows / 3, .undirected = !directed};
            auto answer = run_graph_algorithm(exec, name, a.view(), options);
            if (!answer.failure.empty()) continue;
            auto const on_host = host_graph_of(exec, a.view());
            CHECK(check_graph_answer(name, on_host, answer, options) == "");
            ++proved;
            for (int k = 0; k < 5; ++k) {
                auto wrong = answer;
                if (!spoil(wrong, random())) continue;
                ++changes;
                found += !check_graph_answer(name, on_host, wrong, options).empty();
            }
        }
        CHECK(proved >= (row->weighted && !row->undirected && name == "longest-paths" ? 1 : 10));
        // A change may give another right answer: another colour, or the other set of a cut of equal capacity.
        CHECK(found >= (name == "colouring" || name == "min-cut" ? changes / 4 : changes * 3 / 4));
    }
    CHECK_THROWS_AS(check_graph_answer("pagerank", host_graph{}, graph_answer{}, {}), argument_error);
}
