// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Plain sequential loops, for comparison with the graph algorithms on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::bench::loops {

using graph = csr_view<float>;

template <class Body>
void neighbors(graph g, int u, Body const& body) {
    for (int k = g.offsets[u], end = g.offsets[u + 1]; k < end; ++k) body(g.indices[k]);
}

inline std::vector<int> bfs(graph g, int source) {
    auto const n = std::size_t(g.rows());
    std::vector<int> parent(n, -1), queue(n);
    std::size_t first = 0, last = 0;
    queue[last++] = source;
    parent[std::size_t(source)] = source;
    while (first < last) {
        int const u = queue[first++];
        neighbors(g, u, [&](int v) {
            if (parent[std::size_t(v)] >= 0) return;
            parent[std::size_t(v)] = u;
            queue[last++] = v;
        });
    }
    return parent;
}

inline std::vector<float> dijkstra(graph g, int source) {
    std::vector<float> distance(std::size_t(g.rows()), std::numeric_limits<float>::infinity());
    using entry = std::pair<float, int>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
    distance[std::size_t(source)] = 0;
    queue.push({0.0f, source});
    while (!queue.empty()) {
        auto const [d, u] = queue.top();
        queue.pop();
        if (d > distance[std::size_t(u)]) continue;
        for (int k = g.offsets[u]; k < g.offsets[u + 1]; ++k) {
            float& other = distance[std::size_t(g.indices[k])];
            if (!(d + g.coefficients[k] < other)) continue;
            other = d + g.coefficients[k];
            queue.push({other, g.indices[k]});
        }
    }
    return distance;
}

/// Union-find: initially each tree consists of one vertex.
class trees {
public:
    explicit trees(int n) : up_(std::size_t(n)) { std::iota(up_.begin(), up_.end(), 0); }
    int root(int v) {
        while (up_[std::size_t(v)] != v) v = up_[std::size_t(v)] = up_[std::size_t(up_[std::size_t(v)])];
        return v;
    }
    bool unite(int u, int v) {
        int const a = root(u), b = root(v);
        up_[std::size_t(std::max(a, b))] = std::min(a, b);
        return a != b;
    }

private:
    std::vector<int> up_;
};

inline std::vector<int> components(graph g) {
    trees t(g.rows());
    for (int u = 0; u < g.rows(); ++u)
        neighbors(g, u, [&](int v) {
            if (v < u) t.unite(u, v);
        });
    std::vector<int> label(std::size_t(g.rows()));
    for (int u = 0; u < g.rows(); ++u) label[std::size_t(u)] = t.root(u);
    return label;
}

/// Jacobi's iteration until the sum of changes is at most `stop`; of a graph in which all edges are stored in both
/// directions.
inline std::vector<float> pagerank(graph g, float stop) {
    auto const n = std::size_t(g.rows());
    std::vector<float> rank(n, 1 / float(n)), contribution(n);
    for (double change = 1; change >= stop;) {
        double stuck = 0;
        change = 0;
        for (std::size_t u = 0; u < n; ++u) {
            int const degree = g.offsets[u + 1] - g.offsets[u];
            contribution[u] = degree > 0 ? rank[u] / float(degree) : 0;
            if (degree == 0) stuck += rank[u];
        }
        float const base = float((0.15 + 0.85 * stuck) / double(n));
        for (std::size_t u = 0; u < n; ++u) {
            float sum = 0;
            neighbors(g, int(u), [&](int v) { sum += contribution[std::size_t(v)]; });
            float const next = base + 0.85f * sum;
            change += next > rank[u] ? next - rank[u] : rank[u] - next;
            rank[u] = next;
        }
    }
    return rank;
}

/// Counts triangles over edges directed to the larger degree; a byte per vertex flags the neighbours of u.
inline std::int64_t triangles(graph g) {
    auto const n = std::size_t(g.rows());
    auto const degree = [&](int u) { return g.offsets[u + 1] - g.offsets[u]; };
    std::vector<int> begin(n + 1, 0), rising;
    for (int u = 0; u < g.rows(); ++u) {
        neighbors(g, u, [&](int v) {
            if (std::pair(degree(u), u) < std::pair(degree(v), v)) rising.push_back(v);
        });
        begin[std::size_t(u) + 1] = int(rising.size());
    }
    std::vector<char> near(n, 0);
    std::int64_t count = 0;
    for (std::size_t u = 0; u < n; ++u) {
        for (int k = begin[u]; k < begin[u + 1]; ++k) near[std::size_t(rising[std::size_t(k)])] = 1;
        for (int k = begin[u]; k < begin[u + 1]; ++k) {
            auto const v = std::size_t(rising[std::size_t(k)]);
            for (int i = begin[v]; i < begin[v + 1]; ++i) count += near[std::size_t(rising[std::size_t(i)])];
        }
        for (int k = begin[u]; k < begin[u + 1]; ++k) near[std::size_t(rising[std::size_t(k)])] = 0;
    }
    return count;
}

/// Core numbers by buckets of degrees (Batagelj and Zaversnik 2003).
inline std::vector<int> cores(graph g) {
    int const n = g.rows();
    auto const at = [](auto& v, int i) -> auto& { return v[std::size_t(i)]; };
    std::vector<int> degree(std::size_t(n), 0), position(degree), order(degree);
    int max_degree = 0;
    for (int v = 0; v < n; ++v) max_degree = std::max(max_degree, at(degree, v) = g.offsets[v + 1] - g.offsets[v]);
    std::vector<int> bucket(std::size_t(max_degree) + 2, 0);
    for (int v = 0; v < n; ++v) ++at(bucket, at(degree, v) + 1);
    for (int d = 0; d < max_degree; ++d) at(bucket, d + 1) += at(bucket, d);
    for (int v = 0; v < n; ++v) at(order, at(position, v) = at(bucket, at(degree, v))++) = v;
    for (int d = max_degree; d > 0; --d) at(bucket, d) = at(bucket, d - 1);
    at(bucket, 0) = 0;
    for (int i = 0; i < n; ++i)
        neighbors(g, at(order, i), [&](int u) {
            if (at(degree, u) <= at(degree, at(order, i))) return;
            int const first = at(bucket, at(degree, u))++, other = at(order, first);
            std::swap(at(order, first), at(order, at(position, u)));
            std::swap(at(position, other), at(position, u));
            --at(degree, u);
        });
    return degree;
}

inline std::vector<char> independent_set(graph g) {
    std::vector<char> in(std::size_t(g.rows()), 0);
    for (int u = 0; u < g.rows(); ++u) {
        bool alone = true;
        for (int k = g.offsets[u]; alone && k < g.offsets[u + 1]; ++k) alone = !in[std::size_t(g.indices[k])];
        in[std::size_t(u)] = alone;
    }
    return in;
}

inline std::vector<int> maximal_matching(graph g) {
    std::vector<int> mate(std::size_t(g.rows()), -1);
    for (int u = 0; u < g.rows(); ++u)
        for (int k = g.offsets[u]; mate[std::size_t(u)] < 0 && k < g.offsets[u + 1]; ++k) {
            int const v = g.indices[k];
            if (v == u || mate[std::size_t(v)] >= 0) continue;
            mate[std::size_t(u)] = v;
            mate[std::size_t(v)] = u;
        }
    return mate;
}

inline std::vector<int> colouring(graph g) {
    std::vector<int> colour(std::size_t(g.rows()), -1), taken(std::size_t(g.rows()) + 1, -1);
    for (int u = 0; u < g.rows(); ++u) {
        neighbors(g, u, [&](int v) {
            if (colour[std::size_t(v)] >= 0) taken[std::size_t(colour[std::size_t(v)])] = u;
        });
        int c = 0;
        while (taken[std::size_t(c)] == u) ++c;
        colour[std::size_t(u)] = c;
    }
    return colour;
}

/// Edges by increasing (`sign` 1) or decreasing (-1) weight.
inline std::vector<std::tuple<float, int, int>> sorted_edges(graph g, float sign) {
    std::vector<std::tuple<float, int, int>> edges;
    for (int u = 0; u < g.rows(); ++u)
        for (int k = g.offsets[u]; k < g.offsets[u + 1]; ++k)
            if (g.indices[k] > u) edges.emplace_back(sign * g.coefficients[k], u, g.indices[k]);
    std::sort(edges.begin(), edges.end());
    return edges;
}
inline double kruskal(graph g) {
    trees t(g.rows());
    double weight = 0;
    for (auto const& [w, u, v] : sorted_edges(g, 1))
        if (t.unite(u, v)) weight += double(w);
    return weight;
}
inline double greedy_matching(graph g) {
    std::vector<char> matched(std::size_t(g.rows()), 0);
    double weight = 0;
    for (auto const& [w, u, v] : sorted_edges(g, -1)) {
        if (matched[std::size_t(u)] || matched[std::size_t(v)]) continue;
        matched[std::size_t(u)] = matched[std::size_t(v)] = 1;
        weight -= double(w);
    }
    return weight;
}

} // namespace coppice::bench::loops
