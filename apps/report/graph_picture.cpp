// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/graph_picture.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/report/collect.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {
namespace {

using position_2d = std::array<double, 2>;

/// Orders vertices by breadth-first search, component by component, so that neighbours start near each other.
std::vector<std::int32_t> search_order(std::int32_t n, graph_edges const& edges) {
    std::vector<std::vector<std::int32_t>> near(static_cast<std::size_t>(n));
    for (auto const& [u, v] : edges) {
        near[std::size_t(u)].push_back(v);
        near[std::size_t(v)].push_back(u);
    }
    std::vector<std::int32_t> order;
    std::vector<char> seen(std::size_t(n), 0);
    for (std::int32_t first = 0; first < n; ++first) {
        if (seen[std::size_t(first)]) continue;
        seen[std::size_t(first)] = 1;
        order.push_back(first);
        for (auto at = order.size() - 1; at < order.size(); ++at)
            for (auto const v : near[std::size_t(order[at])])
                if (!std::exchange(seen[std::size_t(v)], char(1))) order.push_back(v);
    }
    return order;
}

/// Force-directed layout, starting from a spiral: every vertex is repelled by all others, attracted by its neighbours
/// and weakly by the centre; steps become shorter. Two vertices with an edge only have distance 1.
std::vector<position_2d> positions_by_springs(std::int32_t n, graph_edges const& edges) {
    std::vector<position_2d> at(static_cast<std::size_t>(n)), force(static_cast<std::size_t>(n));
    auto const order = search_order(n, edges);
    for (std::size_t k = 0; k < order.size(); ++k) {
        double const radius = 0.6 * std::sqrt(double(k) + 0.5), angle = 2.39996 * double(k); // the golden angle
        at[std::size_t(order[k])] = {radius * std::cos(angle), radius * std::sin(angle)};
    }
    constexpr int steps = 400;
    for (int step = 0; step < steps; ++step) {
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
        double const longest = std::sqrt(double(n)) * 0.1 * (1 - double(step) / steps) + 0.001;
        for (std::size_t v = 0; v < at.size(); ++v) {
            double const length = std::hypot(force[v][0], force[v][1]), distance = std::min(length, longest);
            if (length == 0) continue;
            for (std::size_t d : {0u, 1u}) at[v][d] += force[v][d] / length * distance;
        }
    }
    return at;
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
        drawing.positions = positions_by_springs(std::int32_t(n), drawing.edges);
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
    position_2d min_value = drawing.positions[0], max_value = min_value;
    for (auto const& p : drawing.positions)
        for (std::size_t d : {0u, 1u}) {
            min_value[d] = std::min(min_value[d], p[d]);
            max_value[d] = std::max(max_value[d], p[d]);
        }
    constexpr double margin = 0.6;
    double const width = max_value[0] - min_value[0] + 2 * margin, height = max_value[1] - min_value[1] + 2 * margin;
    auto const x = [&](std::int32_t v) {
        return coordinate(drawing.positions[std::size_t(v)][0] - min_value[0] + margin);
    };
    auto const y = [&](std::int32_t v) {
        return coordinate(drawing.positions[std::size_t(v)][1] - min_value[1] + margin);
    };
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
