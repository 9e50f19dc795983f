// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice bfs|pagerank|components|... --report`: statistics of a graph and results of an algorithm.
#pragma once

#include <string>
#include <vector>

#include "apps/report/data.hpp"
#include "apps/report/graph_picture.hpp"
#include <coppice/graph/frontier/answer.hpp>

namespace coppice::app::report {

/// Number of vertices (or edges, or components) per category.
struct bar_chart {
    std::string title{};
    std::string axis{};
    std::vector<std::pair<std::string, std::int64_t>> bars{};
};
/// The first rows of a ranking: vertices with their values.
struct ranking {
    std::string title{};
    std::string item{}, figure{};
    std::vector<std::pair<std::int64_t, double>> rows{};
};

struct graph_page {
    std::string command{};
    std::string summary{}; ///< what the command computes
    std::string graph{};   ///< as given by the user
    std::string size{};
    entries facts{};
    bar_chart degrees{};
    bar_chart found{}; ///< levels, distances, scores, sizes of components, weights of edges
    ranking top{};     ///< empty: no ranking
    graph_drawing drawing{};
    entries settings{};
    entries environment{};
};

/// Vertices by degree: 0, 1, 2, 3 to 4, 5 to 8, ...
bar_chart chart_degrees(std::vector<std::int32_t> const& offsets);
/// Sets the chart, the ranking, and edges and colours of the drawing from a result.
void show_answer(graph_answer const& answer, graph_algorithm_row const& row, graph_page& page);

/// Returns a self-contained HTML page.
std::string render(graph_page const& page);

} // namespace coppice::app::report
