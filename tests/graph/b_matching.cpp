// SPDX-License-Identifier: BSD-3-Clause
// Tests of b-matchings against a plain implementation of the greedy algorithm; single-source for all executors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include <coppice/b_matching.hpp>
#include <coppice/factor.hpp>
#include <coppice/graph/factor/edge_weights.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using plain_edges = std::vector<std::tuple<int, int, double>>;

/// Takes each edge in the order of the library if both ends have capacity.
plain_edges greedy_edges(plain const& a, std::vector<int> const& capacities) {
    std::vector<weighted_edge<double, int>> all;
    for_entries(a, [&](int u, int v, double x) {
        if (u < v && x != 0) all.push_back({std::abs(x), u, v});
    });
    edge_order<int> const order;
    std::sort(all.begin(), all.end(), [&](auto const& e, auto const& f) { return order.before(e, f); });
    auto room = capacities;
    plain_edges taken;
    for (auto const& e : all) {
        if (room[std::size_t(e.low)] <= 0 || room[std::size_t(e.high)] <= 0) continue;
        --room[std::size_t(e.low)];
        --room[std::size_t(e.high)];
        taken.emplace_back(e.low, e.high, e.weight);
    }
    return taken;
}
template <class Executor, class T>
plain_edges edges_of(Executor const& exec, b_matching_result<T> const& r) {
    auto const from = to_vector(exec, r.from), to = to_vector(exec, r.to);
    auto const weights = to_vector(exec, r.weights);
    plain_edges edges;
    for (std::size_t e = 0; e < from.size(); ++e) edges.emplace_back(from[e], to[e], weights[e]);
    return edges;
}

/// Weights that increase along a path: every refusal depends on the one before.
plain_csr<double> rising_path(int n) {
    graph_builder g(n);
    for (int v = 1; v < n; ++v) g.edge(v - 1, v, v);
    return g.plain();
}
plain_csr<double> hubs_of(int n) {
    graph_builder g(n);
    for (int hub = 0; hub < 5; ++hub)
        for (int v = hub + 1; v < n; v += 1 + hub) g.edge(hub, v, 1 + (v * 31 + hub) % 17);
    return g.plain();
}

} // namespace

TEST_CASE_TEMPLATE("b-matchings: the edges of the greedy algorithm, for any capacities", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto graphs = hard_graphs();
    graphs.push_back({"rising weights", rising_path(3000)});
    graphs.push_back({"hubs", hubs_of(3000)});
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        std::vector<int> mixed(std::size_t(weights.rows));
        for (std::size_t v = 0; v < mixed.size(); ++v) mixed[v] = int((v * 7 + v / 3) % 6);
        auto const capacities = exec.copy(mixed);
        auto const r = b_matching(exec, a.view(), array_view<std::int32_t const>(capacities.view()));
        auto const expected = greedy_edges(weights, mixed);
        CHECK(edges_of(exec, r) == expected);
        double sum = 0;
        for (auto const& [u, v, x] : expected) sum += x;
        CHECK(r.weight == doctest::Approx(sum));
        for (int const n : {0, 1, 2, 5, 1000000}) {
            CAPTURE(n);
            auto const f = b_matching(exec, a.view(), n);
            CHECK(edges_of(exec, f) == greedy_edges(weights, std::vector<int>(std::size_t(weights.rows), n)));
            CHECK(f.weight_coverage >= 0);
            CHECK(f.weight_coverage <= 1.0000001);
            if (n == 1000000 && f.weight > 0) CHECK(f.weight_coverage == doctest::Approx(1));
        }
    }
}

TEST_CASE_TEMPLATE("b-matchings: those of degrees 1 to 4 are the greedy factors", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        if (weights.rows == 0) continue;
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const on_host = symmetrised_weights(host, view_of(weights.on(host)));
        auto const a = exec.copy(on_host);
        for (int n = 1; n <= 4; ++n) {
            auto const greedy = greedy_factor(host, on_host.view(), {.degree = n});
            auto const r = b_matching(exec, a.view(), n);
            CHECK(r.from.size() == greedy.edges);
            CHECK(r.weight == doctest::Approx(greedy.weight));
        }
    }
}

TEST_CASE_TEMPLATE("b-matchings reject invalid input with a message", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder g(3);
    g.edge(0, 1, 1);
    auto const a = g.plain<float>().on(exec);
    auto const few = exec.copy(std::vector<std::int32_t>{1, 2}),
               below = exec.copy(std::vector<std::int32_t>{1, -2, -1});
    CHECK_THROWS_AS(b_matching(exec, a.view(), array_view<std::int32_t const>(few.view())), dimension_error);
    CHECK_THROWS_WITH_AS(b_matching(exec, a.view(), array_view<std::int32_t const>(below.view())),
                         "b_matching: 2 capacities are below 0", argument_error);
    CHECK_THROWS_AS(b_matching(exec, a.view(), -1), argument_error);
    for (double const bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        graph_builder h(3);
        h.edge(0, 1, bad);
        CHECK_THROWS_WITH_AS(b_matching(exec, view_of(h.plain().on(exec)), 1),
                             "b_matching: edge weights are not finite", matrix_error);
    }
}
