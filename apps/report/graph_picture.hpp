// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Pictures of small graphs, and of plane grids: edges, those that an algorithm has taken, and vertices in the colours
/// of what it says about them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <coppice/algebra/csr.hpp>
#include <coppice/algebra/files/matrix_file.hpp>

namespace coppice::app::report {

using graph_edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// A graph on paper. No places: it is too large to be drawn.
struct graph_drawing {
    std::vector<std::array<double, 2>> places{}; ///< of the vertices, about one apart
    graph_edges edges{};                         ///< all of them, each once
    graph_edges taken{};                         ///< drawn thick
    std::vector<std::string> fills{};            ///< colours of the vertices; empty: all alike
    std::vector<std::string> words{};            ///< what is shown when a vertex is pointed at; may be empty
    vertex_numbering vertices{};                 ///< what the file of the graph calls them
};

inline constexpr std::int64_t most_drawn = 400;          ///< vertices of any graph
inline constexpr std::int64_t most_drawn_of_grid = 4096; ///< points of a plane grid, row by row

/// Places and edges of the graph of a matrix in host memory: the points of a plane grid where they are, the vertices of
/// other graphs by springs along the edges (Fruchterman and Reingold 1991), the same in every run.
template <class T>
graph_drawing draw_graph(csr_view<T> a);
/// The same for --picture. Throws usage_error that names both sizes where the graph is too large to be drawn.
template <class T>
graph_drawing draw_picture(csr_view<T> a);

/// "<svg ...>" in a page. Empty where there is nothing to draw.
std::string graph_picture(graph_drawing const& drawing);

/// The same as a file by itself.
std::string picture_file(graph_drawing const& drawing);

/// A colour for a number of a part, and one from light to dark for a value in [0, 1].
std::string part_colour(std::int64_t part);
std::string shade(double value);

} // namespace coppice::app::report
