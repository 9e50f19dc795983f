// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Test graphs as symmetric weight matrices in host memory.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/patterns.hpp"

namespace coppice::test {

/// Collects the edges of an undirected graph; a pair given twice keeps its last weight.
class graph_builder {
public:
    explicit graph_builder(int vertices) : vertices_(vertices) {}
    void edge(int v, int w, double weight) {
        entry(v, w, weight);
        entry(w, v, weight);
    }
    /// One direction only.
    void entry(int row, int column, double weight) { entries_[{row, column}] = weight; }

    template <class T = double>
    plain_csr<T> plain() const {
        plain_csr<T> a;
        a.rows = a.columns = vertices_;
        a.offsets.assign(std::size_t(vertices_) + 1, 0);
        for (auto const& [position, weight] : entries_) {
            ++a.offsets[std::size_t(position.first) + 1];
            a.indices.push_back(position.second);
            a.values.push_back(T(weight));
        }
        for (std::size_t i = 1; i < a.offsets.size(); ++i) a.offsets[i] += a.offsets[i - 1];
        return a;
    }

private:
    int vertices_;
    std::map<std::pair<int, int>, double> entries_;
};

/// Weights of a 3 x 3 stencil on a grid; stencil[3 * (dy + 1) + dx + 1].
template <class T = double>
plain_csr<T> stencil_graph(int nx, int ny, std::array<double, 9> const& stencil) {
    plain_csr<T> a;
    a.rows = a.columns = nx * ny;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    double const w = std::abs(stencil[std::size_t(3 * (dy + 1) + dx + 1)]);
                    if (w == 0 || (dx == 0 && dy == 0)) continue;
                    if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny) continue;
                    a.indices.push_back((y + dy) * nx + x + dx);
                    a.values.push_back(T(w));
                }
            a.offsets.push_back(int(a.indices.size()));
        }
    return a;
}

inline constexpr std::array<double, 9> stencil_aniso1{-.2, -.1, -.2, -1, 3, -1, -.2, -.1, -.2};
inline constexpr std::array<double, 9> stencil_aniso2{-.1, -.2, -1, -.2, 3, -.2, -1, -.2, -.1};
inline constexpr std::array<double, 9> stencil_five_point{0, -1, 0, -1, 4, -1, 0, -1, 0};

struct named_graph {
    std::string name;
    plain_csr<double> weights;
};

/// Corner cases and difficult shapes: no vertex, no edge, stars, complete graphs, cycles, equal weights, power laws.
inline std::vector<named_graph> hard_graphs() {
    std::vector<named_graph> all;
    auto const add = [&](std::string name, graph_builder const& g) { all.push_back({std::move(name), g.plain()}); };
    add("no vertex", graph_builder(0));
    add("one vertex", graph_builder(1));
    add("five isolated vertices", graph_builder(5));
    {
        graph_builder g(1);
        g.entry(0, 0, 3);
        add("one self loop", g);
    }
    {
        graph_builder g(2);
        g.edge(0, 1, .5);
        add("one edge", g);
    }
    {
        graph_builder g(7);
        for (int v = 0; v < 7; ++v) g.entry(v, v, 9);
        for (int v = 0; v + 1 < 6; ++v) g.edge(v, v + 1, v == 2 ? 0.0 : 1.0);
        add("path with self loops, a zero and an isolated vertex", g);
    }
    for (int n : {3, 4, 5, 8, 33}) {
        graph_builder g(n);
        for (int v = 0; v < n; ++v) g.edge(v, (v + 1) % n, 1);
        add("cycle of " + std::to_string(n), g);
    }
    {
        graph_builder g(500);
        for (int v = 1; v < 500; ++v) g.edge(0, v, 1 + v % 7);
        add("star", g);
    }
    for (bool uniform : {true, false}) {
        graph_builder g(40);
        for (int v = 0; v < 40; ++v)
            for (int w = 0; w < v; ++w) g.edge(v, w, uniform ? 2 : 1 + (v * 31 + w * 17) % 101);
        add(uniform ? "complete, equal weights" : "complete", g);
    }
    {
        std::mt19937_64 random(7);
        std::uniform_real_distribution<double> uniform(0, 1);
        graph_builder g(3000);
        for (int k = 0; k < 12000; ++k) {
            int const v = int(3000 * std::pow(uniform(random), 3));
            int const w = int(3000 * uniform(random));
            if (v != w) g.edge(v, w, std::ceil(10 * uniform(random)));
        }
        add("power law, ten weights", g);
        graph_builder h(2000);
        for (int k = 0; k < 9000; ++k) {
            int const v = int(2000 * uniform(random));
            int const w = int(2000 * uniform(random));
            if (v != w) h.edge(v, w, uniform(random));
        }
        add("random, distinct weights", h);
    }
    {
        graph_builder g(900); // weights increase along both axes: without charges a round confirms almost nothing
        for (int y = 0; y < 30; ++y)
            for (int x = 0; x < 30; ++x) {
                int const v = 30 * y + x;
                if (x < 29) g.edge(v, v + 1, 1 + x + 1.01 * y);
                if (y < 29) g.edge(v, v + 30, 1.001 + x + 1.01 * y);
            }
        add("rising weights", g);
    }
    all.push_back({"five-point grid", stencil_graph(40, 37, stencil_five_point)});
    all.push_back({"ANISO2", stencil_graph(35, 35, stencil_aniso2)});
    return all;
}

} // namespace coppice::test
