// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <map>
#include <string>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/algebra/operations.hpp>
#include <coppice/factor.hpp>
#include <coppice/linear_forest.hpp>

#include "support/executors.hpp"
#include "support/graph_validator.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

template <class Executor>
plain_forest on_host(Executor const& exec, linear_forest<int> const& f) {
    return {to_vector(exec, f.path_ids), to_vector(exec, f.positions),    to_vector(exec, f.permutation),
            to_vector(exec, f.inverse),  to_vector(exec, f.path_offsets), to_vector(exec, f.links)};
}

/// Neighbour sets after removing the lightest edge of every cycle of the factor; weights in cycles must be distinct.
std::map<int, std::vector<int>> opened_by_walking(plain_graph const& g, std::vector<int> const& neighbors) {
    std::map<int, std::vector<int>> result;
    int const n = g.vertices();
    for (int v = 0; v < n; ++v)
        for (int s = 0; s < 2; ++s)
            if (int const w = neighbors[std::size_t(2 * v + s)]; w >= 0) result[v].push_back(w);
    std::vector<char> seen(std::size_t(n), 0);
    for (int start = 0; start < n; ++start) {
        if (seen[std::size_t(start)]) continue;
        std::vector<int> walk{start};
        int from = -1;
        int at = start;
        bool closed = false;
        for (;;) {
            auto const& next = result[at];
            int to = -1;
            for (int const w : next)
                if (w != from) to = w;
            if (next.size() < 2 || to < 0) break;
            if (to == start) {
                closed = true;
                break;
            }
            from = at;
            at = to;
            walk.push_back(at);
        }
        if (!closed) continue;
        std::pair<int, int> lightest{walk.back(), walk.front()};
        for (std::size_t k = 0; k + 1 < walk.size(); ++k)
            if (g.weight(walk[k], walk[k + 1]) < g.weight(lightest.first, lightest.second))
                lightest = {walk[k], walk[k + 1]};
        std::erase(result[lightest.first], lightest.second);
        std::erase(result[lightest.second], lightest.first);
        for (int const v : walk) seen[std::size_t(v)] = 1;
    }
    return result;
}

/// A factor of degree 2 from given neighbours.
template <class Executor>
graph_factor<int> factor_of(Executor const& exec, std::vector<int> const& neighbors) {
    graph_factor<int> f;
    f.degree = 2;
    f.vertices = int(neighbors.size()) / 2;
    f.neighbors = exec.copy(neighbors);
    return f;
}

} // namespace

TEST_CASE_TEMPLATE("forests are forests", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const g = graph_of(weights.on(host));
        auto const there = weights.on(exec);
        for (int const degree : {1, 2})
            for (tie_rule const ties : {tie_rule::hash, tie_rule::near}) {
                auto const f = parallel_factor(exec, there.view(), {.degree = degree, .rounds = 0, .ties = ties});
                auto const forest = extract_forest(exec, there.view(), f);
                auto const plain = on_host(exec, forest);
                CHECK(check_forest(g, plain) == "");
                CHECK(forest.vertices == g.vertices());
                CHECK(forest.paths == int(plain.path_offsets.size()) - 1);
                CHECK(forest.edges == forest.vertices - forest.paths);
                CHECK(forest.cycles_broken == f.edges - forest.edges);
                int longest = 0;
                for (std::size_t k = 1; k < plain.path_offsets.size(); ++k)
                    longest = std::max(longest, plain.path_offsets[k] - plain.path_offsets[k - 1]);
                CHECK(forest.longest_path == longest);
                CHECK(forest.weight == doctest::Approx(forest_weight(g, plain)));
                if (g.total_weight() > 0)
                    CHECK(forest.weight_coverage == doctest::Approx(forest_weight(g, plain) / g.total_weight()));
            }
    }
}

TEST_CASE_TEMPLATE("every cycle loses its lightest edge and nothing else", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    std::mt19937 random(3);
    // Cycles of all lengths, numbered at random, with distinct weights.
    std::vector<int> lengths;
    for (int length = 3; length <= 40; ++length) lengths.push_back(length);
    lengths.insert(lengths.end(), {64, 100, 127, 128, 129, 1024, 1500});
    int n = 0;
    for (int const length : lengths) n += length;
    std::vector<int> name(std::size_t(n), 0);
    for (int v = 0; v < n; ++v) name[std::size_t(v)] = v;
    std::shuffle(name.begin(), name.end(), random);
    std::vector<double> weight(std::size_t(n), 0);
    for (int v = 0; v < n; ++v) weight[std::size_t(v)] = 1 + v * 0.001;
    std::shuffle(weight.begin(), weight.end(), random);
    graph_builder g(n);
    int first = 0;
    for (int const length : lengths) {
        for (int k = 0; k < length; ++k)
            g.edge(name[std::size_t(first + k)], name[std::size_t(first + (k + 1) % length)],
                   weight[std::size_t(first + k)]);
        first += length;
    }
    auto const weights = g.plain();
    auto const there = weights.on(exec);
    auto const f = parallel_factor(exec, there.view(), {.rounds = 0});
    CHECK(f.edges == n);
    auto const forest = extract_forest(exec, there.view(), f);
    CHECK(forest.cycles_broken == int(lengths.size()));
    auto const plain = on_host(exec, forest);
    auto const graph = graph_of(weights.on(host));
    CHECK(check_forest(graph, plain) == "");
    auto expected = opened_by_walking(graph, to_vector(exec, f.neighbors));
    for (int v = 0; v < n; ++v) {
        std::vector<int> found;
        for (int d = 0; d < 2; ++d)
            if (int const w = plain.links[std::size_t(2 * v + d)]; w >= 0) found.push_back(w);
        std::sort(found.begin(), found.end());
        std::sort(expected[v].begin(), expected[v].end());
        REQUIRE(found == expected[v]);
    }
}

TEST_CASE_TEMPLATE("edges with different weights in both directions have their mean, also across ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder g(9); // cycles of 4 and 5 vertices, which lose {2, 3} and {8, 4}
    auto const both = [&](int v, int w, double out, double back) {
        g.entry(v, w, out);
        g.entry(w, v, back);
    };
    both(0, 1, 8, 7);
    both(1, 2, 6, 9);
    both(2, 3, 2, 4.5);
    both(3, 0, 5, 5);
    for (int v = 4; v < 8; ++v) both(v, v + 1, 10 - v, 4 + v);
    both(8, 4, 30, 1);
    auto const weights = g.plain().on(exec);
    auto const f = parallel_factor(exec, weights.view(), {.rounds = 0});
    auto const forest = extract_forest(exec, weights.view(), f);
    CHECK(forest.cycles_broken == 2);
    CHECK(f.weight == 7.5 + 7.5 + 3.25 + 5 + 4 * 7 + 15.5);
    CHECK(forest.weight == 7.5 + 7.5 + 5 + 4 * 7);
    CHECK(forest.weight_coverage == doctest::Approx(forest.weight / f.total_weight));
}

TEST_CASE_TEMPLATE("cycles of equal weights are broken once, at the same edge on every executor", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (int const length : {3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 257}) {
        graph_builder g(length);
        for (int v = 0; v < length; ++v) g.edge(v, (v + 1) % length, 1);
        auto const weights = g.plain();
        auto const here = weights.on(host);
        auto const there = weights.on(exec);
        auto const f = parallel_factor(exec, there.view(), {.rounds = 0});
        auto const forest = extract_forest(exec, there.view(), f);
        CHECK(forest.cycles_broken == 1);
        CHECK(forest.paths == 1);
        CHECK(check_forest(graph_of(here), on_host(exec, forest)) == "");
        auto const again = extract_forest(host, here.view(), parallel_factor(host, here.view(), {.rounds = 0}));
        CHECK(to_vector(exec, forest.permutation) == to_vector(host, again.permutation));
    }
}

TEST_CASE("few threads walk along the paths, many scan: the same forest") {
    host_executor const few(1), many(8);
    for (char const* kind : {"laplace2d", "aniso2", "aniso3", "laplace3d"}) {
        auto const a = generate<double>(few, kind, {.nx = kind == std::string("laplace3d") ? 12 : 40});
        for (int const degree : {1, 2})
            for (tie_rule const ties : {tie_rule::near, tie_rule::hash}) {
                INFO(kind, ", degree ", degree);
                auto const f = parallel_factor(few, a.view(), {.degree = degree, .ties = ties});
                auto const walked = extract_forest(few, a.view(), f), scanned = extract_forest(many, a.view(), f);
                CHECK(on_host(few, walked) == on_host(many, scanned));
                CHECK(walked.paths == scanned.paths);
                CHECK(walked.longest_path == scanned.longest_path);
                CHECK(walked.cycles_broken == scanned.cycles_broken);
                CHECK(walked.edges == scanned.edges);
                CHECK(walked.weight == scanned.weight); // equal bits
                CHECK(walked.weight_coverage == scanned.weight_coverage);
            }
    }
    // The same with distant neighbours, for which no walks are used: a matrix with shuffled indices.
    auto const a = generate<double>(few, "laplace2d", {.nx = 200});
    std::vector<std::int32_t> shuffled(40000);
    for (int p = 0; p < 40000; ++p) shuffled[std::size_t(p)] = std::int32_t(std::int64_t(p) * 17389 % 40000);
    auto const b = permute(few, a.view(), view_of(few.copy(shuffled)));
    auto const f = parallel_factor(few, b.view());
    CHECK(f.edges > 30000);
    CHECK(on_host(few, extract_forest(few, b.view(), f)) == on_host(many, extract_forest(many, b.view(), f)));
}

TEST_CASE_TEMPLATE("the system holds the coefficients of A along the paths", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        // unsymmetric values, a diagonal if one is stored, one entry without a mirror entry
        plain_csr<double> a = weights;
        for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = double(k % 1000) - 400.5;
        if (a.rows > 30) a.values[7] = 0;
        auto const there = weights.on(exec);
        auto const matrix = a.on(exec);
        auto const forest = extract_forest(exec, there.view(), parallel_factor(exec, there.view()));
        auto const system = extract_forest_system(exec, matrix.view(), forest);
        auto const permutation = to_vector(exec, forest.permutation);
        auto const ids = to_vector(exec, forest.path_ids);
        auto const entry = [&](int i, int j) {
            double sum = 0;
            for (int k = a.offsets[std::size_t(i)]; k < a.offsets[std::size_t(i) + 1]; ++k)
                if (a.indices[std::size_t(k)] == j) sum += a.values[std::size_t(k)];
            return sum;
        };
        auto const lower = to_vector(exec, system.lower);
        auto const diagonal = to_vector(exec, system.diagonal);
        auto const upper = to_vector(exec, system.upper);
        REQUIRE(system.size() == a.rows);
        for (std::size_t p = 0; p < permutation.size(); ++p) {
            int const v = permutation[p];
            auto const coupled = [&](std::size_t q) {
                return ids[std::size_t(permutation[q])] == ids[std::size_t(v)] ? entry(v, permutation[q]) : 0.0;
            };
            REQUIRE(diagonal[p] == entry(v, v));
            REQUIRE(lower[p] == (p > 0 ? coupled(p - 1) : 0.0));
            REQUIRE(upper[p] == (p + 1 < permutation.size() ? coupled(p + 1) : 0.0));
        }
    }
}

TEST_CASE_TEMPLATE("a plan and a system are reused for new values", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto weights = stencil_graph(20, 20, stencil_aniso1);
    auto const there = weights.on(exec);
    auto const forest = extract_forest(exec, there.view(), parallel_factor(exec, there.view()));
    auto const plan = make_srcsr_plan(exec, there.view());
    tridiagonal<double> system(exec, 400);
    for (double const scale : {1.0, 3.0}) {
        for (double& w : weights.values) w *= scale;
        auto const scaled = weights.on(exec);
        extract_forest_system(exec, plan, scaled.view(), forest, system);
        CHECK(to_vector(exec, system.upper) ==
              to_vector(exec, extract_forest_system(exec, scaled.view(), forest).upper));
    }
    tridiagonal<double> small(exec, 399);
    CHECK_THROWS_AS(extract_forest_system(exec, plan, there.view(), forest, small), dimension_error);
}

TEST_CASE_TEMPLATE("an edge of a factor that the matrix does not store has the weight 0", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    graph_builder square(4); // the cycle 0 1 2 3 without the edge between 3 and 0
    square.edge(0, 1, 3);
    square.edge(1, 2, 2);
    square.edge(2, 3, 1);
    auto const a = square.plain().on(exec);
    graph_factor<int> factor;
    factor.vertices = 4;
    factor.degree = 2;
    factor.neighbors = exec.copy(std::vector<int>{1, 3, 0, 2, 1, 3, 2, 0});
    auto const forest = extract_forest(exec, a.view(), std::move(factor));
    CHECK(forest.paths == 1);
    CHECK(to_vector(exec, forest.permutation) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE_TEMPLATE("grid lines: positions are coordinates; empty grids and grids that no index counts", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& grid : {grid_sizes{4, 3, 2}, {1, 5, 1}, {7, 1, 1}, {1, 1, 1}, {2, 2, 5}})
        for (int direction = 0; direction < 3; ++direction) {
            auto const f = grid_lines<int>(exec, grid, direction);
            auto const got = on_host(exec, f);
            std::int64_t const sizes[] = {grid.nx, grid.ny, grid.nz}, length = sizes[direction];
            CHECK(f.vertices == grid.points());
            CHECK(f.paths == grid.points() / length);
            CHECK(f.longest_path == length);
            CHECK(f.edges == f.paths * (length - 1));
            CHECK(got.path_offsets.back() == f.vertices);
            for (int v = 0; v < f.vertices; ++v) {
                std::int64_t const at[] = {v % grid.nx, v / grid.nx % grid.ny, v / (grid.nx * grid.ny)};
                int const stride = int(direction == 0 ? 1 : direction == 1 ? grid.nx : grid.nx * grid.ny);
                auto const i = std::size_t(v);
                CHECK(got.positions[i] == at[direction]);
                CHECK(got.path_ids[i] == v - at[direction] * stride);
                CHECK(got.links[2 * i] == (at[direction] > 0 ? v - stride : -1));
                CHECK(got.links[2 * i + 1] == (at[direction] + 1 < length ? v + stride : -1));
                CHECK(got.permutation[std::size_t(got.inverse[i])] == v);
                CHECK((at[direction] == 0 || got.inverse[i] == got.inverse[i - std::size_t(stride)] + 1));
            }
        }
    for (auto const& none : {grid_sizes{0, 3, 2}, {3, 0, 1}, {std::int64_t(1) << 40, 1, 0}})
        for (int direction = 0; direction < 3; ++direction) {
            auto const f = grid_lines<int>(exec, none, direction);
            CHECK((f.vertices == 0 && f.paths == 0 && f.edges == 0 && f.longest_path == 0));
            CHECK(on_host(exec, f).path_offsets == std::vector<int>{0});
        }
    CHECK_THROWS_WITH_AS(grid_lines<int>(exec, {3, -1, 2}, 0),
                         "a grid of 3 x -1 x 2 points, expected none or more in every direction", argument_error);
    for (int const direction : {-1, 3})
        CHECK_THROWS_WITH_AS(grid_lines<int>(exec, {3, 1, 2}, direction), doctest::Contains("expected 0, 1 or 2"),
                             argument_error);
    CHECK_THROWS_AS(grid_lines<int>(exec, {1 << 16, 1 << 15, 1}, 0), overflow_error);
    CHECK_THROWS_AS(grid_lines<std::int64_t>(exec, {std::int64_t(1) << 62, 2, 1}, 0), overflow_error);
}

TEST_CASE_TEMPLATE("factors of wrong size are rejected", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const weights = stencil_graph(3, 1, stencil_five_point).on(exec);
    auto const view = weights.view();
    CHECK_NOTHROW(extract_forest(exec, view, factor_of(exec, {1, -1, 0, 2, 1, -1})));
    CHECK_THROWS_AS(extract_forest(exec, view, factor_of(exec, {1, -1, 0, -1})), dimension_error);
    for (auto const& wrong : {std::vector<int>{1, -1, -1, -1, -1, -1},
                              {1, 1, 0, 0, -1, -1},
                              {0, -1, -1, -1, -1, -1},
                              {3, -1, -1, -1, -1, -1},
                              {-5, -1, -1, -1, -1, -1},
                              {1, -1, 2, -1, 1, 0}})
        CHECK_THROWS_AS(extract_forest(exec, view, factor_of(exec, wrong)), argument_error);
    CHECK_THROWS_AS(extract_forest(exec, view, parallel_factor(exec, view, {.degree = 3})), argument_error);
    auto const larger = stencil_graph(4, 1, stencil_five_point).on(exec);
    CHECK_THROWS_AS(extract_forest(exec, larger.view(), factor_of(exec, {1, -1, 0, 2, 1, -1})), dimension_error);
    auto const forest = extract_forest(exec, view, factor_of(exec, {1, -1, 0, 2, 1, -1}));
    CHECK_THROWS_AS(extract_forest_system(exec, larger.view(), forest), dimension_error);
}

TEST_CASE_TEMPLATE("a forest can be copied between memory spaces", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    auto const weights = stencil_graph(9, 9, stencil_five_point).on(exec);
    auto const f = parallel_factor(exec, weights.view());
    auto const forest = extract_forest(exec, weights.view(), f);
    auto const copy = host.copy(forest);
    CHECK(to_vector(host, copy.permutation) == to_vector(exec, forest.permutation));
    CHECK(copy.paths == forest.paths);
    CHECK(to_vector(host, host.copy(f).neighbors) == to_vector(exec, f.neighbors));
}
