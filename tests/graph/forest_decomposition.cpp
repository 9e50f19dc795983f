// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/linear_forest.hpp>

#include <limits>
#include <map>
#include <random>
#include <set>

#include "support/executors.hpp"
#include "support/graphs.hpp"
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

/// A symmetric matrix of random weights, some of them equal.
csr<double> random_weights(int n, unsigned seed) {
    std::mt19937 random(seed);
    graph_builder graph(n);
    for (int e = 0; e < 4 * n; ++e) {
        int const v = int(random() % unsigned(n)), w = int(random() % unsigned(n));
        if (v != w) graph.edge(v, w, double(1 + random() % 40) / 8);
    }
    auto const plain = graph.plain<double>();
    host_executor const exec{1};
    return {n, n, exec.copy(plain.offsets), exec.copy(plain.indices), exec.copy(plain.values)};
}

using edge_set = std::set<std::pair<int, int>>;

template <class Executor>
edge_set edges_of(Executor const& exec, linear_forest<std::int32_t> const& forest) {
    auto const neighbours = to_vector(exec, forest.links);
    edge_set edges;
    for (int v = 0; v < forest.vertices; ++v)
        for (int const w : {neighbours[std::size_t(2 * v)], neighbours[std::size_t(2 * v) + 1]})
            if (w >= 0) edges.insert({v, w});
    return edges;
}

double weight_in(csr<double> const& a, edge_set const& edges) {
    double sum = 0;
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k)
            if (edges.count({i, a.column_indices()[k]})) sum += a.values()[k];
    return sum;
}

} // namespace

TEST_CASE_TEMPLATE("a decomposition is one forest after the other with weights adjusted", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {1, 2, 3, 30, 120})
        for (double const omega : {0.0, 0.25, 1.0})
            for (auto const ties : {tie_rule::hash, tie_rule::near}) {
                CAPTURE(n);
                CAPTURE(omega);
                auto now = random_weights(n, unsigned(n));
                auto const first = exec.copy(now);
                double total = 0;
                for (double const w : now.values()) total += w;
                auto const all = decompose_into_forests(exec, first.view(),
                                                        {.factors = 3, .omega = omega, .factor = {.ties = ties}});
                edge_set held;
                for (std::size_t l = 0; l < all.forests.size(); ++l) {
                    // Reference from the definition (Eq. 71), using the algorithms for one forest.
                    auto const weights = exec.copy(now);
                    auto const factor = parallel_factor(exec, weights.view(), {.ties = ties});
                    auto const edges = edges_of(exec, extract_forest(exec, weights.view(), factor));
                    CHECK(edges_of(exec, all.forests[l]) == edges);
                    for (auto const& edge : edges) {
                        if (omega == 0) CHECK(held.count(edge) == 0);
                        held.insert(edge);
                    }
                    double const fraction = total > 0 ? weight_in(random_weights(n, unsigned(n)), edges) / total : 1;
                    double const together = total > 0 ? weight_in(random_weights(n, unsigned(n)), held) / total : 1;
                    CHECK(all.forests[l].weight_coverage == doctest::Approx(fraction));
                    CHECK(all.covered[l] == doctest::Approx(together));
                    for (int i = 0; i < n; ++i)
                        for (int k = now.row_offsets()[i]; k < now.row_offsets()[i + 1]; ++k)
                            if (edges.count({i, now.column_indices()[k]})) now.values()[k] *= omega;
                }
                CHECK((all.forests.size() == 3 || all.exhausted));
            }
}

TEST_CASE_TEMPLATE("the number of forests by coverage, stagnation, and the available edges", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const grid = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 30}));
    // First grid lines in one direction, then in the other; then no weight is left.
    factor_options const near{.rounds = 0, .ties = tie_rule::near};
    auto const lines = decompose_into_forests(exec, grid.view(), {.factors = 9, .factor = near});
    CHECK(lines.exhausted);
    CHECK(lines.forests.size() < 9);
    CHECK(lines.covered.back() == doctest::Approx(1));
    CHECK(lines.covered[0] > 0.45);
    CHECK(lines.covered[1] > 0.9);
    auto const enough = decompose_into_forests(
        exec, grid.view(), {.factors = 9, .enough_coverage = lines.covered[0] * 0.99, .factor = near});
    CHECK(enough.forests.size() == 1);
    CHECK_FALSE(enough.exhausted);
    // The third forest adds almost no weight and is the last one.
    auto const stagnant =
        decompose_into_forests(exec, grid.view(), {.factors = 9, .omega = 0.01, .min_gain = 0.2, .factor = near});
    CHECK(stagnant.forests.size() == 3);
    CHECK(stagnant.covered[2] - stagnant.covered[1] < 0.2);
    // A diagonal matrix: one forest of single vertices.
    csr<double> const diagonal = exec.copy(generate<double>(host_executor{1}, "laplace2d", {.nx = 1}));
    auto const alone = decompose_into_forests(exec, diagonal.view(), {.factors = 4});
    CHECK(alone.forests.size() == 1);
    CHECK(alone.exhausted);
    CHECK(alone.covered[0] == 1);
}

TEST_CASE_TEMPLATE("bad input of decompositions", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const host_weights = random_weights(10, 1);
    auto const a = exec.copy(host_weights);
    CHECK_THROWS_WITH_AS(decompose_into_forests(exec, a.view(), {.factors = 0}),
                         "decomposition option factors is 0, expected 1 or more", argument_error);
    for (double const omega : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(decompose_into_forests(exec, a.view(), {.omega = omega}), argument_error);
    CHECK_THROWS_AS(decompose_into_forests(exec, a.view(), {.enough_coverage = 2}), argument_error);
    CHECK_THROWS_AS(decompose_into_forests(exec, a.view(), {.min_gain = -1}), argument_error);
    auto wide = a.view();
    wide.column_count = 11;
    CHECK_THROWS_AS(decompose_into_forests(exec, wide), dimension_error);
    auto poisoned = random_weights(10, 1);
    poisoned.values()[0] = std::numeric_limits<double>::infinity();
    auto const bad = exec.copy(poisoned);
    CHECK_THROWS_AS(decompose_into_forests(exec, bad.view()), matrix_error);
    CHECK(decompose_into_forests(exec, csr_view<double>{}).forests.size() == 1);
}
