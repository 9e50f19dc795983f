// SPDX-License-Identifier: BSD-3-Clause
// Aggregates from forests and matchings, and contraction, against their definitions.
#include <coppice/coarsening.hpp>

#include <algorithm>
#include <map>
#include <random>

#include "support/executors.hpp"
#include <coppice/algebra/coo.hpp>
#include <coppice/algebra/generate/generators.hpp>

using namespace coppice;

namespace {

/// A symmetric matrix with about `degree` random edges a vertex.
csr<double> random_graph(int n, int degree, unsigned seed) {
    std::mt19937 random(seed);
    std::map<std::pair<int, int>, double> edges;
    for (int e = 0; n > 1 && e < n * degree / 2; ++e) {
        int const i = int(random() % unsigned(n)), j = int(random() % unsigned(n));
        if (i != j) edges[{i, j}] = edges[{j, i}] = double(1 + random() % 100);
    }
    host_executor const host{1};
    std::vector<std::int32_t> offsets(std::size_t(n) + 1), columns;
    std::vector<double> values;
    for (auto const& [at, w] : edges) {
        ++offsets[std::size_t(at.first) + 1];
        columns.push_back(at.second);
        values.push_back(w);
    }
    for (int i = 0; i < n; ++i) offsets[std::size_t(i) + 1] += offsets[std::size_t(i)];
    return {n, n, host.copy(offsets), host.copy(columns), host.copy(values)};
}

} // namespace

TEST_CASE_TEMPLATE("runs: stretches of paths, nearly equal, at least as long as asked", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (int const n : {0, 1, 2, 3, 7, 500})
        for (int const degree : {0, 2, 6})
            for (int const shortest : {1, 2, 3, 10}) {
                CAPTURE(n);
                CAPTURE(degree);
                CAPTURE(shortest);
                auto const graph = exec.copy(random_graph(n, degree, 5));
                auto const forest = extract_forest(exec, graph.view(), parallel_factor(exec, graph.view()));
                auto const a = aggregate_runs(exec, forest, shortest);
                auto const of = to_vector(exec, a.of);
                auto const order = to_vector(exec, forest.permutation);
                auto const paths = to_vector(exec, forest.path_offsets);
                int next = 0;
                for (int k = 0; k < forest.paths; ++k) {
                    std::vector<int> sizes;
                    for (int p = paths[std::size_t(k)]; p < paths[std::size_t(k) + 1]; ++p) {
                        int const run = of[std::size_t(order[std::size_t(p)])];
                        if (run == next + int(sizes.size())) sizes.push_back(0);
                        REQUIRE(run == next + int(sizes.size()) - 1);
                        ++sizes.back();
                    }
                    int const length = paths[std::size_t(k) + 1] - paths[std::size_t(k)];
                    CHECK(int(sizes.size()) == std::max(1, length / shortest));
                    auto const [least, most] = std::minmax_element(sizes.begin(), sizes.end());
                    CHECK(*most - *least <= 1);
                    next += int(sizes.size());
                }
                CHECK(a.count == next);
                CHECK(a.vertices == n);
            }
}

TEST_CASE_TEMPLATE("runs: single vertices join, stay or are left out as they are told", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // The path 0 1 2 and the single vertices 3, 4, 5.
    csr<double> const graph{6, 6, exec.copy(std::vector<std::int32_t>{0, 1, 3, 4, 4, 4, 4}),
                            exec.copy(std::vector<std::int32_t>{1, 0, 2, 1}),
                            exec.copy(std::vector<double>{1, 1, 1, 1})};
    auto const forest = extract_forest(exec, graph.view(), parallel_factor(exec, graph.view()));
    auto const companions =
        exec.copy(std::vector<std::int32_t>{stays_alone, stays_alone, stays_alone, 1, left_out, stays_alone});
    auto const a = aggregate_runs(exec, forest, 3, companions.view());
    CHECK(to_vector(exec, a.of) == std::vector<std::int32_t>{0, 0, 0, 0, -1, 1});
    CHECK(a.count == 2);
    CHECK_THROWS_AS(aggregate_runs(exec, forest, 0), argument_error);
    CHECK_THROWS_AS(aggregate_runs(exec, forest, 3, companions.view().slice(0, 5)), dimension_error);
}

TEST_CASE_TEMPLATE("pairs of a matching, and aggregates of aggregates", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const graph = exec.copy(random_graph(300, 5, 2));
    auto const matching = parallel_factor(exec, graph.view(), {.degree = 1});
    auto const pairs = aggregate_pairs(exec, matching);
    auto const of = to_vector(exec, pairs.of), mates = to_vector(exec, matching.neighbors);
    CHECK(pairs.count == 300 - matching.edges);
    std::vector<int> sizes(std::size_t(pairs.count));
    for (std::size_t v = 0; v < of.size(); ++v) {
        ++sizes[std::size_t(of[v])];
        if (mates[v] >= 0) CHECK(of[v] == of[std::size_t(mates[v])]);
    }
    CHECK(*std::min_element(sizes.begin(), sizes.end()) >= 1);
    CHECK(*std::max_element(sizes.begin(), sizes.end()) <= 2);
    auto const small = contract(exec, graph.view(), pairs);
    auto const again = aggregate_pairs(exec, parallel_factor(exec, small.view(), {.degree = 1}));
    auto const whole = compose(exec, pairs, again);
    auto const inner = to_vector(exec, again.of), composed = to_vector(exec, whole.of);
    for (std::size_t v = 0; v < of.size(); ++v) CHECK(composed[v] == inner[std::size_t(of[v])]);
    CHECK(whole.count == again.count);
    CHECK_THROWS_AS(compose(exec, again, pairs), dimension_error);
    CHECK_THROWS_AS(aggregate_pairs(exec, parallel_factor(exec, graph.view())), argument_error);
}

TEST_CASE_TEMPLATE("contraction folds the edges between aggregates", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    constexpr int n = 1200;
    auto const host = random_graph(n, 6, 9);
    auto const graph = exec.copy(host);
    auto const forest = extract_forest(exec, graph.view(), parallel_factor(exec, graph.view()));
    std::vector<std::int32_t> companions(n, left_out); // of single vertices: their rows and columns vanish
    auto const local = exec.copy(companions);
    std::vector<vertex_aggregates<std::int32_t>> all;
    all.push_back(aggregate_runs(exec, forest, 2, local.view()));
    std::vector<std::int32_t> dealt(n);
    for (int v = 0; v < n; ++v) dealt[std::size_t(v)] = v % 7 == 0 ? -1 : v % 3; // hundreds in an aggregate
    all.push_back({n, 3, exec.copy(dealt)});
    for (auto const& a : all) {
        auto const of = to_vector(exec, a.of);
        std::map<std::pair<int, int>, double> sums, least;
        for (int i = 0; i < n; ++i)
            for (int k = host.row_offsets()[i]; k < host.row_offsets()[i + 1]; ++k) {
                std::pair const at{of[std::size_t(i)], of[std::size_t(host.column_indices()[k])]};
                if (at.first < 0 || at.second < 0) continue;
                double const w = host.values()[k];
                sums[at] += w;
                least[at] = least.contains(at) ? std::min(least[at], w) : w;
            }
        auto const holds = [&](csr<double> const& c, std::map<std::pair<int, int>, double> const& expected) {
            auto const offsets = to_vector(exec, c.row_offsets()), columns = to_vector(exec, c.column_indices());
            auto const values = to_vector(exec, c.values());
            CHECK(c.rows() == a.count);
            CHECK(c.columns() == a.count);
            REQUIRE(values.size() == expected.size());
            std::size_t k = 0; // a map is in the order of rows and columns
            for (auto const& [at, value] : expected) {
                CHECK(columns[k] == at.second);
                CHECK(offsets[std::size_t(at.first)] <= std::int32_t(k));
                CHECK(std::int32_t(k) < offsets[std::size_t(at.first) + 1]);
                CHECK(values[k++] == value);
            }
        };
        holds(contract(exec, graph.view(), a), sums);
        holds(contract(exec, min_plus<double>{}, graph.view(), a, 0.0), least);
        CHECK_THROWS_AS(contract(exec, test::view_of(exec.copy(random_graph(9, 2, 1))), a), dimension_error);
    }
}
