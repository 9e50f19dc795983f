// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// The catalogue of graph algorithms: by name, with what each needs and reports.
///
///     auto const answer = run_graph_algorithm(exec, "bfs", a.view(), {.source = 3});
///     for (auto const& row : graph_algorithm_catalogue) std::cout << row.name << ": " << row.summary << '\n';
///
/// Edge weights are used by sssp, widest, mst, matching and b-matching, and ignored by the others.
#pragma once

#include <coppice/graph/catalogue/catalogue.hpp>
