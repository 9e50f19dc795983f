// SPDX-License-Identifier: BSD-3-Clause
// Tests against exact optima: Boost's maximum-weight matching, and all subsets of edges of tiny graphs.
#include <doctest/doctest.h>

#include <random>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/maximum_weighted_matching.hpp>

#include <coppice/factor.hpp>

#include "support/graph_validator.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Weights are even integers: the algorithm of Boost 1.74 may not terminate with real weights.
plain_csr<double> random_even_weights(int vertices, int edges, int seed) {
    std::mt19937 random{static_cast<unsigned>(seed)};
    graph_builder g(vertices);
    for (int k = 0; k < edges; ++k) {
        int const v = int(random() % unsigned(vertices));
        int const w = int(random() % unsigned(vertices));
        if (v != w) g.edge(v, w, 2 * (1 + int(random() % 40)));
    }
    return g.plain();
}

long heaviest_matching(plain_graph const& g) {
    using boost_graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                              boost::property<boost::edge_weight_t, long>>;
    boost_graph b(std::size_t(g.vertices()));
    for (int v = 0; v < g.vertices(); ++v)
        for (auto const& e : g.adjacent[std::size_t(v)])
            if (v < e.to) boost::add_edge(std::size_t(v), std::size_t(e.to), long(e.weight), b);
    std::vector<boost::graph_traits<boost_graph>::vertex_descriptor> mate(std::size_t(g.vertices()));
    boost::maximum_weighted_matching(b, &mate[0]);
    return boost::matching_weight_sum(b, &mate[0]);
}

/// Maximum-weight [0, n]-factor by enumeration of all subsets of edges.
double heaviest_factor(plain_graph const& g, int n) {
    struct edge {
        int v, w;
        double weight;
    };
    std::vector<edge> edges;
    for (int v = 0; v < g.vertices(); ++v)
        for (auto const& e : g.adjacent[std::size_t(v)])
            if (v < e.to) edges.push_back({v, e.to, e.weight});
    double best = 0;
    for (unsigned subset = 0; subset < (1u << edges.size()); ++subset) {
        std::vector<int> degree(g.adjacent.size(), 0);
        double weight = 0;
        for (std::size_t k = 0; k < edges.size(); ++k)
            if (subset >> k & 1) {
                ++degree[std::size_t(edges[k].v)];
                ++degree[std::size_t(edges[k].w)];
                weight += edges[k].weight;
            }
        if (*std::max_element(degree.begin(), degree.end()) <= n) best = std::max(best, weight);
    }
    return best;
}

} // namespace

TEST_CASE("a greedy matching weighs at least half of the heaviest") {
    host_executor const host(2);
    for (int seed = 0; seed < 30; ++seed) {
        auto const a = random_even_weights(30 + seed, 120, seed).on(host);
        auto const best = heaviest_matching(graph_of(a));
        factor_options const options{.degree = 1, .rounds = 0, .seed = std::uint64_t(seed)};
        auto const greedy = greedy_factor(host, a.view(), options);
        auto const parallel = parallel_factor(host, a.view(), options);
        CHECK(greedy.weight <= double(best));
        CHECK(parallel.weight <= double(best));
        CHECK(2 * greedy.weight >= double(best));
    }
}

TEST_CASE("a greedy [0, n]-factor weighs at least half of the heaviest") {
    host_executor const host(1);
    for (int seed = 0; seed < 25; ++seed) {
        auto const a = random_even_weights(7, 12, seed).on(host);
        auto const g = graph_of(a);
        for (int n = 1; n <= 4; ++n) {
            double const best = heaviest_factor(g, n);
            auto const greedy = greedy_factor(host, a.view(), {.degree = n});
            auto const parallel = parallel_factor(host, a.view(), {.degree = n, .rounds = 0});
            CHECK(greedy.weight <= best);
            CHECK(parallel.weight <= best);
            CHECK(2 * greedy.weight >= best);
        }
    }
}
