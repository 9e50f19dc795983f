// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/graph_picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/report/collect.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {
namespace {

using position_2d = std::array<double, 2>;

/// A connected component: its vertices in the order of a breadth-first search, so that neighbours start near each
/// other, and its edges between positions in this order.
struct component {
    std::vector<std::int32_t> vertices{};
    graph_edges edges{};
};

std::vector<component> components_of(std::int32_t n, graph_edges const& edges) {
    std::vector<std::vector<std::int32_t>> near(static_cast<std::size_t>(n));
    for (auto const& [u, v] : edges) {
        near[std::size_t(u)].push_back(v);
        near[std::size_t(v)].push_back(u);
    }
    std::vector<component> all;
    std::vector<std::int32_t> position(std::size_t(n), -1);
    for (std::int32_t first = 0; first < n; ++first) {
        if (position[std::size_t(first)] >= 0) continue;
        auto& order = all.emplace_back().vertices;
        position[std::size_t(first)] = 0;
        order.push_back(first);
        for (std::size_t at = 0; at < order.size(); ++at)
            for (auto const v : near[std::size_t(order[at])]) {
                if (position[std::size_t(v)] >= 0) continue;
                position[std::size_t(v)] = std::int32_t(order.size());
                order.push_back(v);
            }
        for (auto const u : order)
            for (auto const v : near[std::size_t(u)])
                if (u < v) all.back().edges.emplace_back(position[std::size_t(u)], position[std::size_t(v)]);
    }
    return all;
}

/// Forces at all vertices: every one is repelled by all others, attracted by its neighbours and weakly by the centre.
void add_forces(std::vector<position_2d> const& at, graph_edges const& edges, std::vector<position_2d>& force) {
    for (std::size_t v = 0; v < at.size(); ++v) force[v] = {-0.02 * at[v][0], -0.02 * at[v][1]};
    for (std::size_t v = 0; v < at.size(); ++v)
        for (std::size_t u = 0; u < v; ++u) {
            double const x = at[v][0] - at[u][0], y = at[v][1] - at[u][1], near = x * x + y * y + 1e-6;
            for (int d : {0, 1}) {
                double const push = (d == 0 ? x : y) / near;
                force[v][std::size_t(d)] += push;
                force[u][std::size_t(d)] -= push;
            }
        }
    for (auto const& [u, v] : edges) {
        double const x = at[std::size_t(v)][0] - at[std::size_t(u)][0],
                     y = at[std::size_t(v)][1] - at[std::size_t(u)][1], distance = std::sqrt(x * x + y * y);
        for (int d : {0, 1}) {
            double const pull = (d == 0 ? x : y) * distance;
            force[std::size_t(v)][std::size_t(d)] -= pull;
            force[std::size_t(u)][std::size_t(d)] += pull;
        }
    }
}

/// Force-directed layout of a component, starting from a spiral; steps become shorter. Two vertices with an edge only
/// have distance 1.
std::vector<position_2d> positions_by_springs(component const& c) {
    std::vector<position_2d> at(c.vertices.size()), force(c.vertices.size());
    for (std::size_t k = 0; k < at.size(); ++k) {
        double const radius = 0.6 * std::sqrt(double(k) + 0.5), angle = 2.39996 * double(k); // the golden angle
        at[k] = {radius * std::cos(angle), radius * std::sin(angle)};
    }
    constexpr int steps = 400;
    for (int step = 0; step < steps; ++step) {
        add_forces(at, c.edges, force);
        double const longest = std::sqrt(double(at.size())) * 0.1 * (1 - double(step) / steps) + 0.001;
        for (std::size_t v = 0; v < at.size(); ++v) {
            double const length = std::hypot(force[v][0], force[v][1]), distance = std::min(length, longest);
            if (length == 0) continue;
            for (std::size_t d : {0u, 1u}) at[v][d] += force[v][d] / length * distance;
        }
    }
    return at;
}

/// Smallest and largest coordinates.
std::pair<position_2d, position_2d> extent(std::vector<position_2d> const& positions) {
    position_2d min_value = positions[0], max_value = positions[0];
    for (auto const& p : positions)
        for (std::size_t d : {0u, 1u}) {
            min_value[d] = std::min(min_value[d], p[d]);
            max_value[d] = std::max(max_value[d], p[d]);
        }
    return {min_value, max_value};
}

/// Lays out every component and puts them side by side in rows, the largest first, with a gap of 1.
std::vector<position_2d> positions_by_components(std::int32_t n, graph_edges const& edges) {
    auto all = components_of(n, edges);
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& a, auto const& b) { return a.vertices.size() > b.vertices.size(); });
    std::vector<std::vector<position_2d>> layouts;
    double area = 0, widest = 0;
    for (auto const& c : all) {
        layouts.push_back(positions_by_springs(c));
        auto const [low, high] = extent(layouts.back());
        area += (high[0] - low[0] + 1) * (high[1] - low[1] + 1);
        widest = std::max(widest, high[0] - low[0] + 1);
    }
    double const row = std::max(widest, std::sqrt(2 * area)); // pages are wider than high
    std::vector<position_2d> positions(static_cast<std::size_t>(n));
    double x = 0, y = 0, height = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        auto const [low, high] = extent(layouts[k]);
        if (x > 0 && x + high[0] - low[0] + 1 > row) {
            x = 0;
            y += std::exchange(height, 0.0);
        }
        for (std::size_t v = 0; v < layouts[k].size(); ++v)
            positions[std::size_t(all[k].vertices[v])] = {x + layouts[k][v][0] - low[0], y + layouts[k][v][1] - low[1]};
        x += high[0] - low[0] + 1;
        height = std::max(height, high[1] - low[1] + 1);
    }
    return positions;
}

} // namespace

template <class T>
graph_drawing draw_graph(csr_view<T> a) {
    graph_drawing drawing;
    std::int64_t const n = a.rows();
    if (n == 0 || n > max_drawn_grid_points) return drawing;
    std::int64_t const nx = plane_grid_width(a);
    if (nx == 0 && n > max_drawn_vertices) return drawing;
    for (std::int32_t u = 0; u < n; ++u)
        for (auto k = a.row_begin(u); k < a.row_end(u); ++k)
            if (a.indices[k] != u) drawing.edges.push_back(std::minmax(u, a.indices[k]));
    std::sort(drawing.edges.begin(), drawing.edges.end());
    drawing.edges.erase(std::unique(drawing.edges.begin(), drawing.edges.end()), drawing.edges.end());
    if (nx > 0)
        for (std::int64_t v = 0; v < n; ++v) drawing.positions.push_back({double(v % nx), double(v / nx)});
    else
        drawing.positions = positions_by_components(std::int32_t(n), drawing.edges);
    return drawing;
}
template <class T>
graph_drawing draw_picture(csr_view<T> a) {
    auto drawing = draw_graph(a);
    if (drawing.positions.empty())
        throw usage_error(fmt::format("--picture draws graphs of 1 to {} vertices and plane grids of at most {} "
                                      "points, and this one has {}",
                                      max_drawn_vertices, max_drawn_grid_points, std::int64_t(a.rows())));
    return drawing;
}
template graph_drawing draw_graph(csr_view<float>);
template graph_drawing draw_graph(csr_view<double>);
template graph_drawing draw_picture(csr_view<float>);
template graph_drawing draw_picture(csr_view<double>);

std::string graph_picture(graph_drawing const& drawing) {
    if (drawing.positions.empty()) return {};
    auto const [min_value, max_value] = extent(drawing.positions);
    constexpr double margin = 0.6;
    double const width = max_value[0] - min_value[0] + 2 * margin, height = max_value[1] - min_value[1] + 2 * margin;
    double const x0 = min_value[0] - margin, y0 = min_value[1] - margin;
    auto const x = [&](std::int32_t v) { return coordinate(drawing.positions[std::size_t(v)][0] - x0); };
    auto const y = [&](std::int32_t v) { return coordinate(drawing.positions[std::size_t(v)][1] - y0); };
    auto const lines = [&](graph_edges const& edges, char const* colour, double thick) {
        std::string path;
        for (auto const& [u, v] : edges) path += fmt::format("M{} {}L{} {}", x(u), y(u), x(v), y(v));
        return path.empty() ? path
                            : fmt::format("<path fill='none' stroke='{}' stroke-width='{}' stroke-linecap='round' "
                                          "d='{}'/>",
                                          colour, thick, path);
    };
    std::string svg = fmt::format("<svg role='img' aria-label='the graph' "
                                  "viewBox='0 0 {} {}' style='max-width:{:.0f}px'>",
                                  coordinate(width), coordinate(height), std::min(1040.0, 60 * width));
    svg += lines(drawing.edges, "#9aa5b1", 0.035) + lines(drawing.taken, "#0b5cad", 0.14);
    for (std::size_t v = 0; v < drawing.positions.size(); ++v) {
        auto const id = std::int32_t(v);
        svg += fmt::format("<circle cx='{}' cy='{}' r='0.2' fill='{}' stroke='#1b1f24' stroke-width='0.03'>"
                           "<title>{}</title></circle>",
                           x(id), y(id), drawing.fills.empty() ? "#ffffff" : drawing.fills[v],
                           escaped(drawing.words.empty() ? drawing.vertices.name(id) : drawing.words[v]));
    }
    return svg + "</svg>";
}

std::string picture_file(graph_drawing const& drawing) {
    return "<?xml version='1.0' encoding='UTF-8'?>\n<svg xmlns='http://www.w3.org/2000/svg'" +
           graph_picture(drawing).substr(4) + "\n";
}

std::string component_colour(std::int64_t component) {
    // Paul Tol's light colour set, distinguishable with all types of colour vision, used cyclically.
    static constexpr std::array<char const*, 9> colours{"#77aadd", "#ee8866", "#eedd88", "#ffaabb", "#99ddff",
                                                        "#44bb99", "#bbcc33", "#aaaa00", "#dddddd"};
    return colours[std::size_t(component) % colours.size()];
}
std::string shade(double value) {
    if (!(value >= 0 && value <= 1)) return "#dddddd";
    auto const mix = [&](int light, int dark) { return int(std::lround(light + (dark - light) * value)); };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(0xf2, 0x0b), mix(0xf6, 0x3c), mix(0xfb, 0x78));
}

} // namespace coppice::app::report
