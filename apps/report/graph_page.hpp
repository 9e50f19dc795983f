// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The page of `coppice bfs|pagerank|components|... --report`: statistics of a graph and results of an algorithm.
#pragma once

#include <string>
#include <vector>

#include "apps/backend.hpp"
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

/// A further section of a page.
struct page_section {
    std::string id{};
    std::string title{};
    std::string html{};
};

/// The page of a matrix or a graph; sections without content are left out.
struct graph_page {
    std::string command{};
    std::string summary{}; ///< what the command computes
    std::string graph{};   ///< as given by the user
    std::string size{};
    entries facts{};
    bar_chart degrees{};
    bar_chart found{}; ///< levels, distances, scores, sizes of components, weights of edges
    ranking top{};     ///< empty: no ranking
    std::vector<page_section> more{};
    graph_drawing drawing{};
    entries settings{};
    entries environment{};
};

/// Counts sizes in bins 0, 1, 2, 3 to 4, 5 to 8, ...
bar_chart chart_sizes(std::string const& title, std::string const& axis, std::vector<std::int64_t> const& sizes);
/// Vertices by degree; the diagonal does not count.
template <class T>
bar_chart chart_degrees(csr_view<T> a);
/// Sets size, chart of the rows, sparsity pattern and drawing of a matrix in host memory.
template <class T>
void show_matrix(csr_view<T> a, graph_page& page);
/// The largest finite values of vertices; among equal values, smaller numbers are first.
ranking largest_values(std::vector<double> const& values, std::size_t max_rows);
/// Sets the chart, the ranking, and edges and colours of the drawing from a result.
void show_answer(graph_answer const& answer, graph_algorithm_row const& row, graph_page& page);

/// Sets the environment: backend and build.
void show_environment(any_executor const& chosen, graph_page& page);

/// Returns a self-contained HTML page.
std::string render(graph_page const& page);

} // namespace coppice::app::report
