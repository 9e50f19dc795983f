// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of graph algorithms by name, with their requirements and results.
///
///     auto const answer = run_graph_algorithm(exec, "bfs", a.view(), {.source = 3});
///     for (auto const& row : graph_algorithm_catalogue) std::cout << row.name << ": " << row.summary << '\n';
///
/// sssp, widest, mst, matching and b-matching use edge weights; the others ignore them.
#pragma once

#include <coppice/graph/catalogue/catalogue.hpp>
