// SPDX-License-Identifier: BSD-3-Clause
#include "apps/report/graph_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "apps/app.hpp"
#include "apps/report/collect.hpp"
#include "apps/report/svg.hpp"

namespace coppice::app::report {
namespace {

/// Smallest and largest coordinates.
std::pair<plane_position, plane_position> extent(std::vector<plane_position> const& positions) {
    plane_position min_value = positions[0], max_value = positions[0];
    for (auto const& p : positions)
        for (std::size_t d : {0u, 1u}) {
            min_value[d] = std::min(min_value[d], p[d]);
            max_value[d] = std::max(max_value[d], p[d]);
        }
    return {min_value, max_value};
}

template <class T>
graph_edges edges_of(csr_view<T> a) {
    graph_edges edges;
    for (std::int32_t u = 0; u < a.rows(); ++u)
        for (auto k = a.row_begin(u); k < a.row_end(u); ++k)
            if (a.indices[k] != u) edges.push_back(std::minmax(u, a.indices[k]));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

template <class T>
graph_drawing drawing_of(host_executor const& host, csr_view<T> a) {
    graph_drawing drawing;
    drawing.edges = edges_of(a);
    std::int64_t const n = a.rows(), nx = plane_grid_width(a);
    if (nx > 0)
        for (std::int64_t v = 0; v < n; ++v) drawing.positions.push_back({double(v % nx), double(v / nx)});
    else
        drawing.positions = graph_layout(host, graph_view(a));
    return drawing;
}

} // namespace

template <class T>
graph_drawing draw_graph(csr_view<T> a) {
    bool const drawn =
        a.rows() > 0 && a.rows() <= (plane_grid_width(a) > 0 ? max_drawn_grid_points : max_drawn_vertices);
    return drawn ? drawing_of(host_executor{1}, a) : graph_drawing();
}
template <class T>
graph_drawing draw_picture(host_executor const& host, csr_view<T> a) {
    if (a.rows() == 0 || a.rows() > max_picture_vertices || a.nonzeros() > max_picture_entries)
        throw usage_error(
            fmt::format("--picture draws graphs of 1 to {} vertices and at most {} stored edges, and this "
                        "one has {} and {}",
                        max_picture_vertices, max_picture_entries, std::int64_t(a.rows()), std::int64_t(a.nonzeros())));
    return drawing_of(host, a);
}
template graph_drawing draw_graph(csr_view<float>);
template graph_drawing draw_graph(csr_view<double>);
template graph_drawing draw_picture(host_executor const&, csr_view<float>);
template graph_drawing draw_picture(host_executor const&, csr_view<double>);

namespace {

/// Vertices of a large picture: a path of points for each colour, without tooltips.
template <class X, class Y>
std::string points_of(graph_drawing const& drawing, X const& x, Y const& y) {
    std::map<std::string, std::string> paths;
    for (std::size_t v = 0; v < drawing.positions.size(); ++v)
        paths[drawing.fills.empty() ? "#0b5cad" : drawing.fills[v]] +=
            fmt::format("M{} {}h0", x(std::int32_t(v)), y(std::int32_t(v)));
    std::string svg;
    for (auto const& [colour, path] : paths)
        svg += fmt::format("<path fill='none' stroke='{}' stroke-width='0.4' stroke-linecap='round' d='{}'/>", colour,
                           path);
    return svg;
}

} // namespace

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
    if (std::int64_t(drawing.positions.size()) > max_drawn_grid_points)
        return svg + points_of(drawing, x, y) + "</svg>";
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
