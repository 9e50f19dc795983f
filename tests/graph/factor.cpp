// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include <coppice/factor.hpp>

#include "support/executors.hpp"
#include "support/graph_validator.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Greedy factor from its definition, for graphs with distinct weights: needs no tie rule.
std::vector<int> greedy_by_definition(plain_graph const& g, int n) {
    struct edge {
        double weight;
        int v, w;
    };
    std::vector<edge> edges;
    for (int v = 0; v < g.vertices(); ++v)
        for (auto const& e : g.adjacent[std::size_t(v)])
            if (v < e.to) edges.push_back({e.weight, v, e.to});
    std::sort(edges.begin(), edges.end(), [](edge const& a, edge const& b) { return a.weight > b.weight; });
    std::vector<std::vector<int>> chosen(g.adjacent.size());
    for (edge const& e : edges)
        if (int(chosen[std::size_t(e.v)].size()) < n && int(chosen[std::size_t(e.w)].size()) < n) {
            chosen[std::size_t(e.v)].push_back(e.w);
            chosen[std::size_t(e.w)].push_back(e.v);
        }
    std::vector<int> flat;
    for (auto& list : chosen) {
        list.resize(std::size_t(n), -1);
        std::sort(list.begin(), list.end());
        flat.insert(flat.end(), list.begin(), list.end());
    }
    return flat;
}

/// Sorts the neighbours of each vertex, so that the order of confirmation does not matter.
std::vector<int> sorted_neighbors(std::vector<int> neighbors, int n) {
    for (auto at = neighbors.begin(); at != neighbors.end(); at += n) std::sort(at, at + n);
    return neighbors;
}

template <class Executor>
graph_factor<int> factor_on(Executor const& exec, plain_csr<double> const& weights, factor_options const& options) {
    auto const there = weights.on(exec);
    return parallel_factor(exec, there.view(), options);
}

/// Spokes with edges to a few of `hubs` hubs, popular ones more often; or to all hubs, in the same order of preference.
plain_csr<double> hubs_and_spokes(int hubs, int spokes, bool complete) {
    std::mt19937 random(17);
    auto const uniform = [&] { return double(random() % 1000000) / 1e6; };
    graph_builder g(hubs + spokes);
    for (int v = hubs; v < hubs + spokes; ++v) {
        if (complete)
            for (int u = 0; u < hubs; ++u) g.edge(u, v, (1 + .1 * uniform()) / (1 + u));
        else
            for (int k = 0; k < 3; ++k) g.edge(int(hubs * std::pow(uniform(), 2)), v, 1 / (1e-3 + uniform()));
    }
    return g.plain();
}

} // namespace

TEST_CASE_TEMPLATE("factors are factors, of every degree and tie rule", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const g = graph_of(weights.on(host));
        for (int degree = 1; degree <= 4; ++degree)
            for (tie_rule const ties : {tie_rule::hash, tie_rule::near})
                for (std::optional<int> const rounds : {std::optional<int>{1}, {5}, {0}, {}}) {
                    CAPTURE(degree);
                    CAPTURE(rounds.value_or(-1));
                    auto const f = factor_on(exec, weights, {.degree = degree, .rounds = rounds, .ties = ties});
                    auto const neighbors = to_vector(exec, f.neighbors);
                    CHECK(check_factor(g, degree, neighbors, f.maximal) == "");
                    CHECK((rounds != 0 || f.maximal));
                    CHECK((!rounds || *rounds == 0 || f.rounds <= *rounds));
                    double const weight = factor_weight(g, degree, neighbors);
                    double const total = g.total_weight();
                    CHECK(f.weight == doctest::Approx(weight));
                    CHECK(f.total_weight == doctest::Approx(total));
                    CHECK(f.weight_coverage == doctest::Approx(total > 0 ? weight / total : 1.0));
                    CHECK(f.edges ==
                          (std::int64_t(neighbors.size()) - std::count(neighbors.begin(), neighbors.end(), -1)) / 2);
                }
    }
}

TEST_CASE_TEMPLATE("without colours and until maximal the factor is the greedy one", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const on_host = weights.on(host);
        for (int degree = 1; degree <= 4; ++degree)
            for (tie_rule const ties : {tie_rule::hash, tie_rule::near}) {
                factor_options const options{
                    .degree = degree, .rounds = 0, .charge_period = 1, .ties = ties, .seed = 3};
                auto const greedy = greedy_factor(host, on_host.view(), options);
                auto const parallel = factor_on(exec, weights, options);
                auto const never_coloured =
                    factor_on(exec, weights, {.degree = degree, .charge_below = 0, .ties = ties, .seed = 3});
                CHECK(to_vector(exec, never_coloured.neighbors) == to_vector(exec, parallel.neighbors));
                CHECK(check_factor(graph_of(on_host), degree, to_vector(host, greedy.neighbors), true) == "");
                CHECK(sorted_neighbors(to_vector(exec, parallel.neighbors), degree) ==
                      sorted_neighbors(to_vector(host, greedy.neighbors), degree));
                CHECK(parallel.edges == greedy.edges);
                CHECK(parallel.weight_coverage == doctest::Approx(greedy.weight_coverage));
            }
    }
}

TEST_CASE("the greedy factor follows its definition if weights are distinct") {
    host_executor const host(2);
    for (auto const& [name, weights] : hard_graphs()) {
        if (name != "random, distinct weights") continue;
        auto const a = weights.on(host);
        for (int degree = 1; degree <= 4; ++degree) {
            auto const f = greedy_factor(host, a.view(), {.degree = degree});
            CHECK(sorted_neighbors(to_vector(host, f.neighbors), degree) == greedy_by_definition(graph_of(a), degree));
        }
    }
}

TEST_CASE_TEMPLATE("the factor is the same on every executor", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        for (int degree : {1, 2, 4})
            for (std::optional<int> const rounds : {std::optional<int>{5}, {}}) {
                factor_options const options{.degree = degree, .rounds = rounds, .seed = 11};
                auto const here = factor_on(host, weights, options);
                auto const there = factor_on(exec, weights, options);
                auto const again = factor_on(exec, weights, options);
                CHECK(to_vector(exec, there.neighbors) == to_vector(host, here.neighbors));
                CHECK(to_vector(exec, again.neighbors) == to_vector(host, here.neighbors));
                CHECK(there.rounds == here.rounds);
                CHECK(there.maximal == here.maximal);
                CHECK(there.weight == again.weight);
            }
    }
}

TEST_CASE_TEMPLATE("random colours find edges if weights increase in one direction", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : hard_graphs()) {
        if (name != "rising weights") continue;
        auto const never = factor_on(exec, weights, {.rounds = 5, .charge_below = 0});
        auto const when_stalled = factor_on(exec, weights, {.rounds = 5});
        auto const always = factor_on(exec, weights, {.rounds = 5, .charge_below = 2});
        auto const as_needed = factor_on(exec, weights, {});
        CHECK(never.weight_coverage < 0.15);
        CHECK(when_stalled.weight_coverage > 0.4);
        CHECK(always.weight_coverage > 0.4);
        CHECK(as_needed.weight_coverage >= when_stalled.weight_coverage);
    }
}

TEST_CASE_TEMPLATE("unlimited rounds find the greedy factor if five rounds with colours do not", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    int const length = 30, paths = 100; // weights increase along every path, so that a round confirms one edge of it
    graph_builder g(length * paths);
    for (int v = 0; v + 1 < length * paths; ++v)
        if ((v + 1) % length != 0) g.edge(v, v + 1, 10 + v % length);
    auto const weights = g.plain();
    auto const on_host = weights.on(host);
    for (int const degree : {1, 2}) {
        auto const greedy = greedy_factor(host, on_host.view(), {.degree = degree});
        auto const five = factor_on(exec, weights, {.degree = degree, .rounds = 5});
        auto const needed = factor_on(exec, weights, {.degree = degree});
        CHECK(needed.maximal);
        CHECK(sorted_neighbors(to_vector(exec, needed.neighbors), degree) ==
              sorted_neighbors(to_vector(host, greedy.neighbors), degree));
        if (degree == 1) CHECK(five.weight_coverage < 0.9 * needed.weight_coverage);
    }
}

TEST_CASE_TEMPLATE("the default rounds find the weight of the greedy factor on hubs and spokes", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (bool const complete : {false, true}) {
        auto const weights = hubs_and_spokes(complete ? 60 : 30, complete ? 600 : 3000, complete);
        auto const on_host = weights.on(host);
        for (int degree = 1; degree <= 4; ++degree) {
            auto const greedy = greedy_factor(host, on_host.view(), {.degree = degree});
            auto const found = factor_on(exec, weights, {.degree = degree});
            CAPTURE(complete);
            CAPTURE(degree);
            CHECK(found.weight > 0.99 * greedy.weight);
        }
    }
}

TEST_CASE_TEMPLATE("rounds that reuse proposals give the same result as rounds that start anew", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        // Both factors have four rounds without charges. `separate` has a round with charges after each of the first
        // three. With probability 1 all charges are +, so that a round with charges adds no edge; but the next round
        // then computes all proposals again.
        for (int const degree : {1, 2, 3}) {
            auto const together = factor_on(exec, weights, {.degree = degree, .rounds = 4, .charge_period = 1});
            auto const separate = factor_on(
                exec, weights,
                {.degree = degree, .rounds = 7, .charge_period = 2, .charge_below = 2, .charge_probability = 1});
            CHECK(to_vector(exec, together.neighbors) == to_vector(exec, separate.neighbors));
        }
    }
}

namespace {
/// A host executor that uses the rounds of devices.
struct device_like_host : host_executor {
    using host_executor::host_executor;
};
} // namespace

TEST_CASE("matchings: the rounds of the host give the result of those of a device") {
    host_executor const host(2);
    device_like_host const device(1);
    auto graphs = hard_graphs();
    graphs.push_back({"grid of equal weights", stencil_graph(90, 70, stencil_five_point)});
    graphs.push_back({"weights that rise", stencil_graph(90, 70, stencil_aniso1)});
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(host);
        for (factor_options const& options :
             {factor_options{.degree = 1}, factor_options{.degree = 1, .rounds = 0, .charge_below = 0},
              factor_options{.degree = 1, .rounds = 3}, factor_options{.degree = 1, .rounds = 12, .charge_below = 0.9},
              factor_options{.degree = 1, .rounds = 0, .charge_offset = 2, .ties = tie_rule::near}}) {
            auto const own = parallel_factor(host, a.view(), options);
            auto const other = parallel_factor(device, a.view(), options);
            CHECK(to_vector(host, own.neighbors) == to_vector(host, other.neighbors));
            CHECK(own.rounds == other.rounds);
            CHECK(own.maximal == other.maximal);
            CHECK(own.edges == other.edges);
            CHECK(own.weight == doctest::Approx(other.weight).epsilon(1e-14));
        }
    }
}

TEST_CASE_TEMPLATE("near ties follow the lines of a grid", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const f = factor_on(exec, stencil_graph(50, 50, stencil_five_point), {.ties = tie_rule::near});
    auto const neighbors = to_vector(exec, f.neighbors);
    for (int v = 51; v < 99; ++v) { // inner vertices of a row of the grid
        CHECK(std::min(neighbors[std::size_t(2 * v)], neighbors[std::size_t(2 * v + 1)]) == v - 1);
        CHECK(std::max(neighbors[std::size_t(2 * v)], neighbors[std::size_t(2 * v + 1)]) == v + 1);
    }
}

TEST_CASE_TEMPLATE("edges stored in one direction only are no edges", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    graph_builder g(200);
    std::mt19937 random(5);
    for (int k = 0; k < 1500; ++k) {
        int const v = int(random() % 200);
        int const w = int(random() % 200);
        if (v != w) g.entry(v, w, 1 + double(random() % 50));
    }
    auto const weights = g.plain();
    auto const graph = graph_of(weights.on(host));
    for (int const degree : {1, 2, 4}) {
        auto const f = factor_on(exec, weights, {.degree = degree, .rounds = 0}); // terminates
        CHECK(check_factor(graph, degree, to_vector(exec, f.neighbors), f.maximal) == "");
        auto const on_host = weights.on(host);
        auto const greedy = greedy_factor(host, on_host.view(), {.degree = degree});
        CHECK(check_factor(graph, degree, to_vector(host, greedy.neighbors), true) == "");
    }
}

TEST_CASE_TEMPLATE("signs do not matter, repeated columns are allowed, float agrees with double", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const positive = stencil_graph(20, 20, stencil_aniso2);
    auto negative = positive;
    for (auto& w : negative.values) w = -w;
    auto const expected = to_vector(exec, factor_on(exec, positive, {}).neighbors);
    CHECK(to_vector(exec, factor_on(exec, negative, {}).neighbors) == expected);
    auto const single = stencil_graph<float>(20, 20, stencil_aniso2).on(exec);
    CHECK(to_vector(exec, parallel_factor(exec, single.view()).neighbors) == expected);

    plain_csr<double> twice; // edge 0 - 1 stored twice in both directions
    twice.rows = twice.columns = 3;
    twice.offsets = {0, 3, 5, 6};
    twice.indices = {1, 1, 2, 0, 0, 0};
    twice.values = {2, 2, 1, 2, 2, 1};
    auto const f = factor_on(exec, twice, {.rounds = 0});
    CHECK(sorted_neighbors(to_vector(exec, f.neighbors), 2) == std::vector<int>{1, 2, -1, 0, -1, 0});
}

TEST_CASE_TEMPLATE("wrong options and weights are rejected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const grid = stencil_graph(4, 4, stencil_five_point);
    for (factor_options const& wrong :
         {factor_options{.degree = 0}, factor_options{.degree = 5}, factor_options{.rounds = -1},
          factor_options{.charge_period = 0}, factor_options{.charge_offset = 5}, factor_options{.charge_offset = -1},
          factor_options{.charge_below = -1}, factor_options{.charge_probability = 1.5},
          factor_options{.charge_probability = std::numeric_limits<double>::quiet_NaN()}})
        CHECK_THROWS_AS(factor_on(exec, grid, wrong), argument_error);
    for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto spoiled = grid;
        spoiled.values[5] = bad;
        CHECK_THROWS_AS(factor_on(exec, spoiled, {}), matrix_error);
        CHECK_THROWS_AS(factor_on(exec, spoiled, {.rounds = 0}), matrix_error);
    }
    auto rectangular = grid;
    rectangular.columns = 20;
    CHECK_THROWS_AS(factor_on(exec, rectangular, {}), dimension_error);
    host_executor const host(1);
    auto const on_host = rectangular.on(host);
    CHECK_THROWS_AS(greedy_factor(host, on_host.view()), dimension_error);
}
