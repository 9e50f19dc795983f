// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Checks that prove results of graph algorithms.
#include <array>
#include <cmath>
#include <limits>

#include <coppice/core/names.hpp>
#include <coppice/core/number_text.hpp>
#include <coppice/graph/catalogue/checks.hpp>

namespace coppice::inline v0_1 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string at_vertex(char const* what, std::int64_t v) {
    return std::string(what) + " at vertex " + std::to_string(v);
}

/// Calls f(u, v, k) for the edges k from u to v.
template <class F>
void for_edges(host_graph const& g, F const& f) {
    for (vertex_id u = 0; u < g.vertices(); ++u)
        for (auto k = std::size_t(g.offsets[std::size_t(u)]); k < std::size_t(g.offsets[std::size_t(u) + 1]); ++k)
            f(std::size_t(u), std::size_t(g.neighbors[k]), k);
}
/// The first violation that is reported, or none.
class finding {
public:
    void report(char const* what, std::size_t v) {
        if (text_.empty()) text_ = at_vertex(what, std::int64_t(v));
    }
    bool is_none() const { return text_.empty(); }
    std::string text() const { return text_; }

private:
    std::string text_;
};

/// Vertices that are reached from the starts over the edges for which leads(u, v, k).
template <class Leads>
std::vector<char> reached_over(host_graph const& g, std::vector<std::size_t> found, Leads const& leads) {
    std::vector<char> reached(std::size_t(g.vertices()), 0);
    for (auto const s : found) reached[s] = 1;
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::size_t const u = found[i];
        for (auto k = std::size_t(g.offsets[u]); k < std::size_t(g.offsets[u + 1]); ++k) {
            auto const v = std::size_t(g.neighbors[k]);
            if (reached[v] || !leads(u, v, k)) continue;
            reached[v] = 1;
            found.push_back(v);
        }
    }
    return reached;
}

/// Values of paths from one source: no edge improves a value, and edges that explain values lead to each vertex.
/// extended(path, k) is the value of a path that edge k extends.
template <class Extended, class Better>
std::string check_paths(host_graph const& g, std::vector<double> const& values, std::size_t source, double start,
                        double none, Extended const& extended, Better const& better) {
    finding wrong;
    if (values[source] != start) wrong.report("another value of the source", source);
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (values[u] != none && better(extended(values[u], k), values[v]))
            wrong.report("an edge improves the value", v);
    });
    auto const explained = reached_over(g, {source}, [&](std::size_t u, std::size_t v, std::size_t k) {
        return values[u] != none && extended(values[u], k) == values[v];
    });
    for (std::size_t v = 0; v < values.size(); ++v)
        if (values[v] != none && !explained[v]) wrong.report("no path has the value", v);
    return wrong.text();
}

using values_type = graph_answer::values;
std::vector<double> const& values_in(graph_answer const& answer) { return std::get<values_type>(answer.found); }
std::vector<std::int64_t> const& numbers_in(graph_answer const& answer) {
    return std::get<graph_answer::vertex_numbers>(answer.found);
}

std::string check_levels(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    auto values = values_in(answer);
    for (double& level : values) level = level < 0 ? infinity : level;
    double const last = o.hops > 0 ? o.hops : infinity;
    return check_paths(
        g, values, std::size_t(o.source), 0, infinity,
        [&](double path, std::size_t) { return path + 1 <= last ? path + 1 : infinity; }, std::less<>{});
}
std::string check_distances(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    auto const extended = [&](double path, std::size_t k) {
        return g.single ? double(float(path) + float(g.values[k])) : path + g.values[k];
    };
    return check_paths(g, values_in(answer), std::size_t(o.source), 0, infinity, extended, std::less<>{});
}
std::string check_widths(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    return check_paths(
        g, values_in(answer), std::size_t(o.source), infinity, -infinity,
        [&](double path, std::size_t k) { return std::min(path, g.values[k]); }, std::greater<>{});
}

std::string check_components(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    auto const& labels = numbers_in(answer);
    finding wrong;
    std::vector<std::size_t> starts;
    for (std::size_t v = 0; v < labels.size(); ++v) {
        if (labels[v] < 0 || labels[v] > std::int64_t(v)) {
            wrong.report("a label that is no smaller vertex", v);
        } else if (labels[v] == std::int64_t(v)) {
            starts.push_back(v);
        }
    }
    if (!wrong.is_none()) return wrong.text();
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t) {
        if (labels[u] != labels[v]) wrong.report("an edge leaves the component", u);
    });
    auto const connected = reached_over(g, starts, [](auto, auto, auto) { return true; });
    for (std::size_t v = 0; v < labels.size(); ++v)
        if (!connected[v]) wrong.report("no path from the vertex of the label", v);
    return wrong.text();
}

/// Checks the values of longest paths that start at any vertex. A vertex without a value (`none`), one on or after a
/// cycle, must have an incoming edge from another vertex without a value.
template <class Length>
std::string check_longest(host_graph const& g, std::vector<double> const& values, double none, Length const& length) {
    finding wrong;
    std::vector<char> explained(values.size(), 0), held_up(values.size(), 0);
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (values[u] == none) {
            held_up[v] = 1;
            if (values[v] != none) wrong.report("a value after a cycle", v);
            return;
        }
        double const path = length(values[u], k);
        if (values[v] != none && path > values[v]) wrong.report("an edge makes a longer path", v);
        if (path == values[v]) explained[v] = 1;
    });
    for (std::size_t v = 0; v < values.size(); ++v) {
        if (values[v] == none && !held_up[v]) wrong.report("no value without a cycle before", v);
        if (values[v] != none && values[v] != 0 && !explained[v]) wrong.report("no path has the value", v);
    }
    return wrong.text();
}
std::string check_topological_levels(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    return check_longest(g, values_in(answer), -1, [](double path, std::size_t) { return path + 1; });
}
std::string check_longest_paths(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    return check_longest(g, values_in(answer), infinity, [&](double path, std::size_t k) {
        return g.single ? double(float(path) + float(g.values[k])) : path + g.values[k];
    });
}

std::size_t sink_of(host_graph const& g, analytics_options const& o) {
    return o.sink < 0 ? std::size_t(g.vertices()) - 1 : std::size_t(o.sink);
}
double fact(graph_answer const& answer, std::string_view name) {
    for (auto const& [key, value] : answer.facts)
        if (key == name) return value;
    return std::numeric_limits<double>::quiet_NaN();
}
/// Returns a bound of the rounding errors in sums of the capacities of the graph.
double rounding_of(host_graph const& g) {
    double sum = 0;
    for (double const x : g.values) sum += x;
    return sum * 1e-12;
}
std::string check_flow(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    auto const& edges = std::get<answer_edges>(answer.found);
    auto const source = std::size_t(o.source), sink = sink_of(g, o);
    double const rounding = rounding_of(g);
    finding wrong;
    std::vector<double> flows(g.values.size(), 0), excess(std::size_t(g.vertices()), 0);
    std::size_t next = 0; // the edges of the answer have the order of the graph
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (next < edges.from.size() && std::size_t(edges.from[next]) == u && std::size_t(edges.to[next]) == v)
            flows[k] = edges.weights[next++];
        if (!(flows[k] >= 0 && flows[k] <= g.values[k])) wrong.report("a flow beyond the capacity of an edge", u);
        excess[u] -= flows[k];
        excess[v] += flows[k];
    });
    if (next < edges.from.size()) wrong.report("a flow without an edge", std::size_t(edges.from[next]));
    double const value = fact(answer, "flow");
    for (std::size_t v = 0; v < excess.size(); ++v) {
        double const expected = v == source ? -value : v == sink ? value : 0;
        if (!(std::abs(excess[v] - expected) <= rounding)) wrong.report("flow that is not conserved", v);
    }
    // Edges with remaining capacity, in both directions.
    std::vector<std::vector<std::size_t>> open(std::size_t(g.vertices()));
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (g.values[k] - flows[k] > rounding) open[u].push_back(v);
        if (flows[k] > rounding) open[v].push_back(u);
    });
    std::vector<char> reached(open.size(), 0);
    std::vector<std::size_t> found{source};
    reached[source] = 1;
    for (std::size_t i = 0; i < found.size(); ++i)
        for (std::size_t const v : open[found[i]])
            if (!reached[v]) {
                reached[v] = 1;
                found.push_back(v);
            }
    if (reached[sink]) wrong.report("a path with remaining capacity", sink);
    return wrong.text();
}
std::string check_minimum(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    auto const& half = values_in(answer);
    finding wrong;
    if (half[std::size_t(o.source)] != 1) wrong.report("the source is on the wrong half", std::size_t(o.source));
    if (half[sink_of(g, o)] != 0) wrong.report("the sink is on the wrong half", sink_of(g, o));
    double capacity = 0;
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (half[u] == 1 && half[v] == 0) capacity += g.values[k];
    });
    if (wrong.is_none() && !(std::abs(capacity - fact(answer, "cut")) <= rounding_of(g)))
        return "the cut has the capacity " + coppice::detail::number_text(capacity);
    return wrong.text();
}

/// Checks that mates are mutual and neighbours, and that each edge has an end whose matching edge is at least as heavy.
template <class Weight>
std::string check_mates(host_graph const& g, std::vector<std::int64_t> const& mates, Weight const& weight) {
    finding wrong;
    std::vector<double> own(mates.size(), -infinity);
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (u != v && mates[u] == std::int64_t(v)) own[u] = std::max(own[u], weight(k));
    });
    for (std::size_t v = 0; v < mates.size(); ++v) {
        if (mates[v] < 0) continue;
        if (mates[v] >= std::int64_t(mates.size()) || own[v] == -infinity) {
            wrong.report("no edge to the mate", v);
        } else if (mates[std::size_t(mates[v])] != std::int64_t(v)) {
            wrong.report("a mate with another mate", v);
        }
    }
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t k) {
        if (u != v && weight(k) > 0 && std::max(own[u], own[v]) < weight(k))
            wrong.report("an edge that could be taken", u);
    });
    return wrong.text();
}
std::string check_maximal_matching(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    return check_mates(g, numbers_in(answer), [](std::size_t) { return 1.0; });
}
std::string check_matching(host_graph const& g, graph_answer const& answer, analytics_options const& o) {
    return check_mates(g, numbers_in(answer),
                       [&](std::size_t k) { return o.by_value ? g.values[k] : std::abs(g.values[k]); });
}

std::string check_set(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    auto const& members = values_in(answer);
    finding wrong;
    std::vector<char> near(members.size(), 0);
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t) {
        if (u == v || members[v] != 1) return;
        near[u] = 1;
        if (members[u] == 1) wrong.report("two members are neighbours", u);
    });
    for (std::size_t v = 0; v < members.size(); ++v)
        if (members[v] != 1 && !near[v]) wrong.report("no member is near", v);
    return wrong.text();
}
std::string check_colours(host_graph const& g, graph_answer const& answer, analytics_options const&) {
    auto const& colours = values_in(answer);
    finding wrong;
    for_edges(g, [&](std::size_t u, std::size_t v, std::size_t) {
        if (u != v && colours[u] == colours[v]) wrong.report("a neighbour of the same colour", u);
    });
    return wrong.text();
}

struct answer_check {
    std::string_view name;
    std::string (*check)(host_graph const&, graph_answer const&, analytics_options const&);
};
constexpr answer_check checks[] = {{"bfs", check_levels},
                                   {"sssp", check_distances},
                                   {"widest", check_widths},
                                   {"components", check_components},
                                   {"topological-levels", check_topological_levels},
                                   {"longest-paths", check_longest_paths},
                                   {"max-flow", check_flow},
                                   {"min-cut", check_minimum},
                                   {"maximal-matching", check_maximal_matching},
                                   {"matching", check_matching},
                                   {"independent-set", check_set},
                                   {"colouring", check_colours}};
constexpr auto names_of_checks = [] {
    std::array<std::string_view, std::size(checks)> names{};
    for (std::size_t k = 0; k < names.size(); ++k) names[k] = checks[k].name;
    return names;
}();

} // namespace

std::span<std::string_view const> checked_graph_algorithms() { return names_of_checks; }

std::string check_graph_answer(std::string_view name, host_graph const& g, graph_answer const& answer,
                               analytics_options const& options) {
    for (auto const& [known, check] : checks)
        if (known == name) return check(g, answer, options);
    coppice::detail::throw_unknown_name("graph algorithm with a check", name, names_of_checks);
}

} // namespace coppice::inline v0_1
