// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice bfs|pagerank|components|... --report`: what a graph looks like, and what was found in it.
#pragma once

#include <string>
#include <vector>

#include "apps/report/data.hpp"
#include "apps/report/graph_picture.hpp"
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::app::report {

/// How many vertices (or edges, or parts) are of a kind.
struct bar_chart {
    std::string title{};
    std::string axis{};
    std::vector<std::pair<std::string, std::int64_t>> bars{};
};
/// The first of an order: rows of vertices, with a figure each.
struct ranking {
    std::string title{};
    std::string item{}, figure{};
    std::vector<std::pair<std::int64_t, double>> rows{};
};

struct graph_page {
    std::string command{};
    std::string summary{}; ///< what the command finds
    std::string graph{};   ///< as the user named it
    std::string size{};
    entries facts{};
    bar_chart degrees{};
    bar_chart found{}; ///< levels, distances, scores, sizes of parts, weights of edges
    ranking top{};     ///< no rows: nothing is ranked
    graph_drawing drawing{};
    entries settings{};
    entries environment{};
};

/// Vertices by their edges: 0, 1, 2, 3 to 4, 5 to 8, ...
bar_chart chart_degrees(std::vector<std::int32_t> const& offsets);
/// The chart, the ranking, and the edges and colours of the drawing that an answer gives.
void show_answer(graph_answer const& answer, graph_algorithm_row const& row, graph_page& page);

/// One self-contained HTML page.
std::string render(graph_page const& page);

} // namespace coppice::app::report
