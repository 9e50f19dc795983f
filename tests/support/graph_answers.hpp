// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks results of graph algorithms against their definitions, with plain loops on the host. Every check returns an
/// empty string or a message.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "support/graph_validator.hpp"
#include "support/patterns.hpp"

namespace coppice::test {

using plain = plain_csr<double>;

/// Calls f(u, v, value) for all stored entries.
template <class Visit>
void for_entries(plain const& a, Visit const& f) {
    for (int u = 0; u < a.rows; ++u)
        for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k)
            f(u, a.indices[std::size_t(k)], a.values[std::size_t(k)]);
}

/// Distances by relaxing all edges until nothing changes; with `levels` every edge has length 1.
inline std::vector<double> plain_distances(plain const& a, int source, bool levels) {
    std::vector<double> d(std::size_t(a.rows), std::numeric_limits<double>::infinity());
    d[std::size_t(source)] = 0;
    for (bool changes = true; changes;) {
        changes = false;
        for_entries(a, [&](int u, int v, double x) {
            double const next = d[std::size_t(u)] + (levels ? 1 : x);
            if (!(next < d[std::size_t(v)])) return;
            d[std::size_t(v)] = next;
            changes = true;
        });
    }
    return d;
}

/// Every parent is connected by an edge that explains the distance, and leads to the source.
template <class Length>
std::string check_parents(plain const& a, int source, std::vector<double> const& d, std::vector<int> const& parents,
                          Length const& length) {
    std::vector<char> explained(d.size(), 0);
    for_entries(a, [&](int u, int v, double x) {
        if (parents[std::size_t(v)] == u && d[std::size_t(u)] + length(x) == d[std::size_t(v)])
            explained[std::size_t(v)] = 1;
    });
    for (int v = 0; v < a.rows; ++v) {
        bool const reached = d[std::size_t(v)] < std::numeric_limits<double>::infinity();
        int const p = parents[std::size_t(v)];
        if (!reached && p != -1) return "a parent of what is not reached: " + std::to_string(v);
        if (v == source && p != v) return "the source is not its own parent";
        if (reached && v != source && !explained[std::size_t(v)]) return "no edge to the parent: " + std::to_string(v);
        int at = v, steps = 0;
        while (reached && at != source && steps++ <= a.rows) at = parents[std::size_t(at)];
        if (reached && at != source) return "parents run in a circle: " + std::to_string(v);
    }
    return {};
}

/// Labels are the smallest vertices of the components.
inline std::string check_components(plain const& a, std::vector<int> const& labels) {
    union_find sets(a.rows);
    for_entries(a, [&](int u, int v, double) { sets.unite(u, v); });
    std::vector<int> smallest(labels.size(), -1);
    for (int v = 0; v < a.rows; ++v) {
        int& first = smallest[std::size_t(sets.root(v))];
        if (first < 0) first = v;
        if (labels[std::size_t(v)] != first) return "label of " + std::to_string(v);
    }
    return {};
}

/// Core numbers by repeatedly removing a vertex of the smallest degree.
inline std::vector<int> plain_cores(plain const& a) {
    std::vector<int> degree(std::size_t(a.rows), 0), core(std::size_t(a.rows), -1);
    for_entries(a, [&](int u, int v, double) { degree[std::size_t(u)] += u != v; });
    for (int taken = 0, k = 0; taken < a.rows; ++taken) {
        int next = -1;
        for (int v = 0; v < a.rows; ++v)
            if (core[std::size_t(v)] < 0 && (next < 0 || degree[std::size_t(v)] < degree[std::size_t(next)])) next = v;
        k = std::max(k, degree[std::size_t(next)]);
        core[std::size_t(next)] = k;
        for (int e = a.offsets[std::size_t(next)]; e < a.offsets[std::size_t(next) + 1]; ++e)
            --degree[std::size_t(a.indices[std::size_t(e)])];
    }
    return core;
}

/// No two members are neighbours, and every other vertex has a member as a neighbour.
inline std::string check_independent(plain const& a, std::vector<std::uint8_t> const& members) {
    std::vector<char> near(members.size(), 0);
    std::string wrong;
    for_entries(a, [&](int u, int v, double) {
        if (u == v || !members[std::size_t(v)]) return;
        near[std::size_t(u)] = 1;
        if (members[std::size_t(u)]) wrong = "neighbours in the set: " + std::to_string(u) + ", " + std::to_string(v);
    });
    for (int v = 0; v < a.rows; ++v)
        if (!members[std::size_t(v)] && !near[std::size_t(v)]) wrong = "fits into the set: " + std::to_string(v);
    return wrong;
}

/// Mates are connected by an edge and mutual, and no edge connects two vertices without a mate.
inline std::string check_matching(plain const& a, std::vector<int> const& mates) {
    std::vector<char> adjacent(mates.size(), 0);
    std::string wrong;
    for_entries(a, [&](int u, int v, double) {
        if (u == v) return;
        if (mates[std::size_t(u)] == v) adjacent[std::size_t(u)] = 1;
        if (mates[std::size_t(u)] < 0 && mates[std::size_t(v)] < 0)
            wrong = "an edge that fits: " + std::to_string(u) + ", " + std::to_string(v);
    });
    for (std::size_t v = 0; v < mates.size(); ++v) {
        if (mates[v] == -1) continue;
        if (!adjacent[v]) return "no edge to the mate of " + std::to_string(v);
        if (mates[std::size_t(mates[v])] != int(v)) return "not the mate of its mate: " + std::to_string(v);
    }
    return wrong;
}

/// Neighbours have different colours, and every vertex has neighbours of all smaller colours.
inline std::string check_colours(plain const& a, std::vector<int> const& colours) {
    std::string wrong;
    std::vector<std::vector<char>> seen(colours.size());
    for (std::size_t v = 0; v < colours.size(); ++v) {
        if (colours[v] < 0 || colours[v] >= a.rows) return "no colour: " + std::to_string(v);
        seen[v].assign(std::size_t(colours[v]), 0);
    }
    for_entries(a, [&](int u, int v, double) {
        if (u == v) return;
        int const mine = colours[std::size_t(u)], other = colours[std::size_t(v)];
        if (mine == other) wrong = "the same colour: " + std::to_string(u) + ", " + std::to_string(v);
        if (other < mine) seen[std::size_t(u)][std::size_t(other)] = 1;
    });
    for (auto const& s : seen)
        if (std::count(s.begin(), s.end(), 1) != std::ptrdiff_t(s.size())) wrong = "a colour is skipped";
    return wrong;
}

/// Triangles at every vertex, by all pairs of neighbours.
inline std::vector<std::int64_t> plain_triangles(plain const& a) {
    std::vector<std::vector<char>> adjacent(std::size_t(a.rows), std::vector<char>(std::size_t(a.rows), 0));
    for_entries(a, [&](int u, int v, double) { adjacent[std::size_t(u)][std::size_t(v)] = 1; });
    std::vector<std::int64_t> count(std::size_t(a.rows), 0);
    for_entries(a, [&](int u, int v, double) {
        for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k) {
            int const w = a.indices[std::size_t(k)];
            if (u != v && v < w && w != u) count[std::size_t(u)] += adjacent[std::size_t(v)][std::size_t(w)];
        }
    });
    return count;
}

/// Weight and number of edges of Kruskal's forest of the upper triangle.
inline std::pair<double, int> kruskal(plain const& a) {
    std::vector<std::tuple<double, int, int>> edges;
    for_entries(a, [&](int u, int v, double x) {
        if (u < v) edges.emplace_back(x, u, v);
    });
    std::sort(edges.begin(), edges.end());
    union_find sets(a.rows);
    std::pair<double, int> forest{0, 0};
    for (auto const& [x, u, v] : edges)
        if (sets.unite(u, v)) {
            forest.first += x;
            ++forest.second;
        }
    return forest;
}

/// Vertices that `source` reaches; against the direction of the edges if `back`.
inline std::vector<char> plain_reach(plain const& a, int source, bool back) {
    std::vector<char> there(std::size_t(a.rows), 0);
    there[std::size_t(source)] = 1;
    for (bool changes = true; changes;) {
        changes = false;
        for_entries(a, [&](int u, int v, double) {
            if (back) std::swap(u, v);
            if (!there[std::size_t(u)] || there[std::size_t(v)]) return;
            there[std::size_t(v)] = 1;
            changes = true;
        });
    }
    return there;
}

/// Labels are the smallest vertices of strongly connected components; counts these.
inline std::string check_strong_components(plain const& a, std::vector<int> const& labels, std::int64_t& components) {
    std::vector<int> smallest(labels.size(), -1);
    components = 0;
    for (int v = 0; v < a.rows; ++v) {
        if (smallest[std::size_t(v)] >= 0) continue;
        ++components;
        auto const from = plain_reach(a, v, false), to = plain_reach(a, v, true);
        for (std::size_t u = 0; u < labels.size(); ++u)
            if (from[u] && to[u]) smallest[u] = v;
    }
    for (std::size_t v = 0; v < labels.size(); ++v)
        if (labels[v] != smallest[v]) return "label of " + std::to_string(v);
    return {};
}

/// Widths of the widest paths by relaxing all edges until nothing changes.
inline std::vector<double> plain_widths(plain const& a, int source) {
    double const infinity = std::numeric_limits<double>::infinity();
    std::vector<double> w(std::size_t(a.rows), -infinity);
    w[std::size_t(source)] = infinity;
    for (bool changes = true; changes;) {
        changes = false;
        for_entries(a, [&](int u, int v, double x) {
            double const next = std::min(w[std::size_t(u)], x);
            if (!(next > w[std::size_t(v)])) return;
            w[std::size_t(v)] = next;
            changes = true;
        });
    }
    return w;
}
inline std::string check_widest_parents(plain const& a, int source, std::vector<double> const& widths,
                                        std::vector<int> const& parents) {
    std::vector<char> explained(widths.size(), 0);
    for_entries(a, [&](int u, int v, double x) {
        if (parents[std::size_t(v)] == u && std::min(widths[std::size_t(u)], x) == widths[std::size_t(v)])
            explained[std::size_t(v)] = 1;
    });
    for (int v = 0; v < a.rows; ++v) {
        bool const reached = widths[std::size_t(v)] > -std::numeric_limits<double>::infinity();
        if (reached != (parents[std::size_t(v)] >= 0)) return "a parent or none: " + std::to_string(v);
        int at = v, walked = 0;
        while (reached && at != source && walked++ <= a.rows) {
            if (!explained[std::size_t(at)]) return "no edge to the parent: " + std::to_string(at);
            at = parents[std::size_t(at)];
        }
        if (reached && at != source) return "parents run in a circle: " + std::to_string(v);
    }
    return {};
}

/// An edge is listed if and only if its removal increases the number of components.
inline std::string check_bridges(plain const& a, std::vector<int> const& from, std::vector<int> const& to) {
    std::vector<std::pair<int, int>> edges, found;
    for_entries(a, [&](int u, int v, double) {
        if (u < v) edges.emplace_back(u, v);
    });
    for (std::size_t k = 0; k < from.size(); ++k) found.emplace_back(std::minmax(from[k], to[k]));
    std::sort(found.begin(), found.end());
    std::vector<std::pair<int, int>> expected;
    for (std::size_t left_out = 0; left_out < edges.size(); ++left_out) {
        union_find sets(a.rows);
        for (std::size_t k = 0; k < edges.size(); ++k)
            if (k != left_out) sets.unite(edges[k].first, edges[k].second);
        if (sets.root(edges[left_out].first) != sets.root(edges[left_out].second)) expected.push_back(edges[left_out]);
    }
    return found == expected ? ""
                             : "bridges: " + std::to_string(found.size()) + " for " + std::to_string(expected.size());
}

} // namespace coppice::test
