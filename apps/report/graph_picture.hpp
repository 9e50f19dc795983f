// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pictures of graphs: edges, selected edges, and vertices coloured by the result of an algorithm.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/matrix_file.hpp>
#include <coppice/graph/layout/layout.hpp>

namespace coppice::app::report {

using graph_edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// A graph with coordinates. Empty positions: it is too large to be drawn.
struct graph_drawing {
    std::vector<plane_position> positions{}; ///< of the vertices; adjacent ones have a distance of about 1
    graph_edges edges{};                     ///< each edge once
    graph_edges taken{};                     ///< selected edges, drawn thick
    std::vector<std::string> fills{};        ///< colours of the vertices; empty: all equal
    std::vector<std::string> words{};        ///< tooltips of the vertices; may be empty
    vertex_numbering vertices{};             ///< numbering in the file of the graph
};

inline constexpr std::int64_t max_drawn_vertices = 1000;       ///< vertices of a general graph on a page
inline constexpr std::int64_t max_drawn_grid_points = 4096;    ///< points of a plane grid on a page, row by row
inline constexpr std::int64_t max_picture_vertices = 200'000;  ///< vertices of a separate picture
inline constexpr std::int64_t max_picture_entries = 4'000'000; ///< stored edges of a separate picture

/// Returns positions and edges of the graph of a matrix in host memory, for a page; none if it is too large. Grid
/// coordinates for a plane grid, otherwise graph_layout(). Deterministic.
template <class T>
graph_drawing draw_graph(csr_view<T> a);
/// The same for --picture. Throws usage_error with the sizes if the graph is too large.
template <class T>
graph_drawing draw_picture(host_executor const& host, csr_view<T> a);

/// Returns "<svg ...>" for a page; empty if there is nothing to draw.
std::string graph_picture(graph_drawing const& drawing);

/// Returns the content of a separate SVG file.
std::string picture_file(graph_drawing const& drawing);

/// Colour for the number of a component, and colour from light to dark for a value in [0, 1].
std::string component_colour(std::int64_t component);
std::string shade(double value);

} // namespace coppice::app::report
