// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks factors and forests from their definitions, with plain loops and union-find, on the host.
///
/// Every check returns an empty string or a message.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <coppice/algebra/csr.hpp>

namespace coppice::test {

/// Undirected weighted graph as sorted adjacency lists; from a symmetric CSR matrix in host memory.
struct plain_graph {
    struct edge {
        int to;
        double weight;
    };
    std::vector<std::vector<edge>> adjacent;

    int vertices() const { return int(adjacent.size()); }
    double weight(int v, int w) const {
        for (edge const& e : adjacent[std::size_t(v)])
            if (e.to == w) return e.weight;
        return 0;
    }
    double total_weight() const {
        double sum = 0;
        for (auto const& list : adjacent)
            for (edge const& e : list) sum += e.weight;
        return sum / 2;
    }
};

/// Edges of |A|: without diagonal, zeros and NaN; only those stored in both directions.
template <class T>
plain_graph graph_of(csr<T> const& a) {
    plain_graph all;
    all.adjacent.resize(std::size_t(a.rows()));
    for (int i = 0; i < a.rows(); ++i)
        for (int k = a.row_offsets()[i]; k < a.row_offsets()[i + 1]; ++k) {
            double const weight = std::abs(double(a.values()[k]));
            if (a.column_indices()[k] != i && weight > 0)
                all.adjacent[std::size_t(i)].push_back({a.column_indices()[k], weight});
        }
    plain_graph g;
    g.adjacent.resize(all.adjacent.size());
    std::vector<std::pair<int, int>> directed;
    for (int i = 0; i < all.vertices(); ++i)
        for (auto const& e : all.adjacent[std::size_t(i)]) directed.emplace_back(i, e.to);
    std::sort(directed.begin(), directed.end());
    for (int i = 0; i < all.vertices(); ++i)
        for (auto const& e : all.adjacent[std::size_t(i)])
            if (std::binary_search(directed.begin(), directed.end(), std::pair{e.to, i}))
                g.adjacent[std::size_t(i)].push_back(e);
    return g;
}

class union_find {
public:
    explicit union_find(int n) : parent_(std::size_t(n)) { std::iota(parent_.begin(), parent_.end(), 0); }
    int root(int v) {
        while (parent_[std::size_t(v)] != v) {
            parent_[std::size_t(v)] = parent_[std::size_t(parent_[std::size_t(v)])];
            v = parent_[std::size_t(v)];
        }
        return v;
    }
    /// Returns false if v and w are connected already.
    bool unite(int v, int w) {
        int const a = root(v);
        int const b = root(w);
        parent_[std::size_t(a)] = b;
        return a != b;
    }

private:
    std::vector<int> parent_;
};

/// At most n mutual, existing, distinct edges per vertex; with `maximal` also that no edge can be added.
inline std::string check_factor(plain_graph const& g, int n, std::vector<int> const& neighbors, bool maximal) {
    int const vertices = g.vertices();
    if (neighbors.size() != std::size_t(n) * std::size_t(vertices)) return "wrong length of neighbours";
    std::vector<int> degree(std::size_t(vertices), 0);
    auto const at = [&](int v, int s) { return neighbors[std::size_t(n) * std::size_t(v) + std::size_t(s)]; };
    auto const lists = [&](int v, int w) {
        int times = 0;
        for (int s = 0; s < n; ++s) times += at(v, s) == w;
        return times;
    };
    for (int v = 0; v < vertices; ++v) {
        bool ended = false;
        for (int s = 0; s < n; ++s) {
            int const w = at(v, s);
            if (w == -1) {
                ended = true;
                continue;
            }
            std::string const edge = std::to_string(v) + " - " + std::to_string(w);
            if (ended) return edge + " follows an empty slot";
            if (w < 0 || w >= vertices || w == v) return edge + " is no edge";
            if (lists(v, w) != 1) return edge + " is listed twice";
            if (lists(w, v) != 1) return edge + " is not mutual";
            if (!(g.weight(v, w) > 0)) return edge + " is not in the graph";
            ++degree[std::size_t(v)];
        }
    }
    if (!maximal) return {};
    for (int v = 0; v < vertices; ++v)
        for (auto const& e : g.adjacent[std::size_t(v)])
            if (degree[std::size_t(v)] < n && degree[std::size_t(e.to)] < n && !lists(v, e.to))
                return "not maximal: " + std::to_string(v) + " - " + std::to_string(e.to) + " fits";
    return {};
}

/// Sum of the weights of the edges of a factor.
inline double factor_weight(plain_graph const& g, int n, std::vector<int> const& neighbors) {
    double sum = 0;
    for (int v = 0; v < g.vertices(); ++v)
        for (int s = 0; s < n; ++s)
            if (int const w = neighbors[std::size_t(n) * std::size_t(v) + std::size_t(s)]; w > v) sum += g.weight(v, w);
    return sum;
}

/// A forest in host memory.
struct plain_forest {
    std::vector<int> path_ids, positions, permutation, inverse, path_offsets, links;
    bool operator==(plain_forest const&) const = default;
};

/// Returns a text that describes the first error, empty if there is none. Checks that no vertex has a degree above 2,
/// that there is no cycle, and that every path is contiguous in the permutation, from its smaller end to its larger.
inline std::string check_forest(plain_graph const& g, plain_forest const& f) {
    int const n = g.vertices();
    auto const size = std::size_t(n);
    if (f.path_ids.size() != size || f.positions.size() != size || f.permutation.size() != size ||
        f.inverse.size() != size || f.links.size() != 2 * size)
        return "wrong lengths";
    auto const neighbour = [&](int v, int d) { return f.links[2 * std::size_t(v) + std::size_t(d)]; };
    union_find sets(n);
    int edges = 0;
    for (int v = 0; v < n; ++v)
        for (int d = 0; d < 2; ++d) {
            int const w = neighbour(v, d);
            if (w == -1) continue;
            std::string const edge = std::to_string(v) + " - " + std::to_string(w);
            if (w < 0 || w >= n || w == v) return edge + " is no edge";
            if (neighbour(w, 1 - d) != v) return edge + " is not stored at its other end";
            if (!(g.weight(v, w) > 0)) return edge + " is not in the graph";
            if (w < v) continue;
            ++edges;
            if (!sets.unite(v, w)) return edge + " closes a cycle";
        }
    std::vector<char> seen(size, 0);
    for (int p = 0; p < n; ++p) {
        int const v = f.permutation[std::size_t(p)];
        if (v < 0 || v >= n || seen[std::size_t(v)]++) return "not a permutation at " + std::to_string(p);
        if (f.inverse[std::size_t(v)] != p) return "inverse is wrong at vertex " + std::to_string(v);
    }
    int const paths = int(f.path_offsets.size()) - 1;
    if (paths != n - edges) return "number of paths";
    if (f.path_offsets[0] != 0 || f.path_offsets[std::size_t(paths)] != n) return "first or last path offset";
    int last_id = -1;
    for (int k = 0; k < paths; ++k) {
        int const first = f.path_offsets[std::size_t(k)];
        int const last = f.path_offsets[std::size_t(k) + 1] - 1;
        if (first > last) return "path " + std::to_string(k) + " is empty";
        int const head = f.permutation[std::size_t(first)];
        int const tail = f.permutation[std::size_t(last)];
        if (head > tail) return "path " + std::to_string(k) + " begins at its larger end";
        if (head <= last_id) return "paths are not in order of their ends";
        last_id = head;
        if (neighbour(head, 0) != -1 || neighbour(tail, 1) != -1) return "path " + std::to_string(k) + " is not whole";
        for (int p = first; p <= last; ++p) {
            int const v = f.permutation[std::size_t(p)];
            if (f.path_ids[std::size_t(v)] != head) return "path id of vertex " + std::to_string(v);
            if (f.positions[std::size_t(v)] != p - first) return "position of vertex " + std::to_string(v);
            if (p < last && neighbour(v, 1) != f.permutation[std::size_t(p) + 1])
                return "path " + std::to_string(k) + " is not contiguous after vertex " + std::to_string(v);
        }
    }
    return {};
}

inline double forest_weight(plain_graph const& g, plain_forest const& f) {
    double sum = 0;
    for (int v = 0; v < g.vertices(); ++v)
        if (int const w = f.links[2 * std::size_t(v) + 1]; w >= 0) sum += g.weight(v, w);
    return sum;
}

} // namespace coppice::test
