// SPDX-License-Identifier: BSD-3-Clause
// Tests of layouts: distances in the plane follow distances in the graph, components do not overlap.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <random>

#include <coppice/graph_layout.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

double distance(plane_position const& p, plane_position const& q) { return std::hypot(p[0] - q[0], p[1] - q[1]); }

std::vector<plane_position> layout_of(plain const& weights, int threads = 2) {
    host_executor const exec(threads);
    auto const a = weights.on(exec);
    return graph_layout(exec, graph_view(a));
}

std::vector<int> plain_levels(plain const& a, int source) {
    std::vector<int> level(std::size_t(a.rows), -1);
    std::queue<int> next;
    next.push(source);
    level[std::size_t(source)] = 0;
    while (!next.empty()) {
        auto const u = std::size_t(next.front());
        next.pop();
        for (int k = a.offsets[u]; k < a.offsets[u + 1]; ++k) {
            auto const v = std::size_t(a.indices[std::size_t(k)]);
            if (level[v] >= 0) continue;
            level[v] = level[u] + 1;
            next.push(int(v));
        }
    }
    return level;
}

/// Sum over pairs of (1 - s |p - q| / d)^2 / pairs for the best scale s, from some sources of a connected graph.
double normalised_stress(plain const& a, std::vector<plane_position> const& where) {
    double both = 0, square = 0, count = 0;
    for (int source = 0; source < a.rows; source += std::max(1, a.rows / 20)) {
        auto const level = plain_levels(a, source);
        for (std::size_t v = 0; v < where.size(); ++v) {
            if (level[v] <= 0) continue;
            double const ratio = distance(where[std::size_t(source)], where[v]) / level[v];
            both += ratio;
            square += ratio * ratio;
            ++count;
        }
    }
    return 1 - both * both / (square * count);
}

double mean_length(plain const& a, std::vector<plane_position> const& where) {
    double sum = 0, count = 0;
    for_entries(a, [&](int u, int v, double) {
        if (u == v) return;
        sum += distance(where[std::size_t(u)], where[std::size_t(v)]);
        ++count;
    });
    return sum / count;
}

} // namespace

TEST_CASE("layouts: distances in the plane are those in the graph") {
    graph_builder path(500), cycle(300), tree(1023), cube(512);
    for (int v = 0; v + 1 < 500; ++v) path.edge(v, v + 1, 1);
    for (int v = 0; v < 300; ++v) cycle.edge(v, (v + 1) % 300, 1);
    for (int v = 1; v < 1023; ++v) tree.edge(v, (v - 1) / 2, 1);
    for (int v = 0; v < 512; ++v)
        for (int const step : {1, 8, 64})
            if (v / step % 8 != 7) cube.edge(v, v + step, 1);
    struct row {
        char const* name;
        plain graph;
        double stress; ///< random positions have 1 / 4 or more
    };
    for (auto const& [name, graph, stress] : {row{"path", path.plain(), 0.08},
                                              {"cycle", cycle.plain(), 0.05},
                                              {"tree", tree.plain(), 0.18},
                                              {"cube", cube.plain(), 0.12},
                                              {"grid", stencil_graph(40, 40, stencil_five_point), 0.05},
                                              {"long grid", stencil_graph(200, 6, stencil_five_point), 0.05}}) {
        CAPTURE(name);
        auto const where = layout_of(graph);
        CHECK(normalised_stress(graph, where) < stress);
        CHECK(mean_length(graph, where) == doctest::Approx(1));
        CHECK(where == layout_of(graph, 1));
    }
}

TEST_CASE("layouts: every graph has finite, different positions, and isolated vertices are aside") {
    for (auto const& [name, weights] : hard_graphs()) {
        CAPTURE(name);
        auto const where = layout_of(weights);
        REQUIRE(where.size() == std::size_t(weights.rows));
        for (auto const& p : where) CHECK((std::isfinite(p[0]) && std::isfinite(p[1])));
        auto sorted = where;
        std::sort(sorted.begin(), sorted.end());
        CHECK(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    }
    graph_builder g(60); // components of 30 and 12 vertices, of two; the others are isolated
    for (int v = 0; v < 29; ++v) g.edge(v, v + 1, 1);
    for (int v = 30; v < 42; ++v)
        for (int w = 30; w < v; ++w) g.edge(v, w, 1);
    g.edge(50, 51, 1);
    auto const where = layout_of(g.plain());
    std::vector<std::vector<int>> groups(4);
    for (int v = 0; v < 60; ++v) groups[v < 30 ? 0 : v < 42 ? 1 : v == 50 || v == 51 ? 2 : 3].push_back(v);
    struct box {
        double x0 = 1e9, x1 = -1e9, y0 = 1e9, y1 = -1e9;
    };
    std::vector<box> boxes;
    for (auto const& group : groups) {
        box b;
        for (int const v : group) {
            auto const& [x, y] = where[std::size_t(v)];
            b = {std::min(b.x0, x), std::max(b.x1, x), std::min(b.y0, y), std::max(b.y1, y)};
        }
        for (auto const& other : boxes)
            CHECK(std::max({b.x0 - other.x1, other.x0 - b.x1, b.y0 - other.y1, other.y0 - b.y1}) > 1 - 1e-9);
        boxes.push_back(b);
    }
}

TEST_CASE("layouts: directions and parallel edges do not matter") {
    graph_builder one(30), both(30);
    std::mt19937 random(3);
    for (int k = 0; k < 60; ++k) {
        int const u = int(random() % 30), v = int(random() % 30);
        one.entry(u, v, 1);
        both.edge(u, v, 1);
    }
    CHECK(layout_of(one.plain()) == layout_of(both.plain()));
}

TEST_CASE("layouts: the longer side is horizontal") {
    for (auto const& [nx, ny] : {std::pair{40, 3}, {3, 40}, {60, 1}}) {
        auto const where = layout_of(stencil_graph(nx, ny, stencil_five_point));
        double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
        for (auto const& p : where) x += p[0] / double(where.size()), y += p[1] / double(where.size());
        for (auto const& p : where) {
            xx += (p[0] - x) * (p[0] - x);
            xy += (p[0] - x) * (p[1] - y);
            yy += (p[1] - y) * (p[1] - y);
        }
        CHECK(xx > 4 * yy);
        CHECK(std::abs(xy) <= 1e-9 * xx);
    }
}

TEST_CASE("layouts: a short cycle is nearly a regular polygon") {
    for (int const n : {5, 9, 12, 24}) { // one leaf of the tree of points, and several; each point acts once
        CAPTURE(n);
        graph_builder cycle(n);
        for (int v = 0; v < n; ++v) cycle.edge(v, (v + 1) % n, 1);
        auto const where = layout_of(cycle.plain());
        double shortest = 1e9, longest = 0;
        for (int v = 0; v < n; ++v) {
            double const length = distance(where[std::size_t(v)], where[std::size_t((v + 1) % n)]);
            shortest = std::min(shortest, length);
            longest = std::max(longest, length);
        }
        CHECK(longest <= 1.03 * shortest);
    }
}
