// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Registry of graph algorithms by name, with their requirements and results.
///
///     auto const answer = run_graph_algorithm(exec, "bfs", a.view(), {.source = 3});
///     for (auto const& row : graph_algorithm_catalogue) std::cout << row.name << ": " << row.summary << '\n';
///     check_graph_answer("bfs", host_graph_of(exec, a.view()), answer, {.source = 3}); // "" if the result is proved
///
/// Algorithms whose row is `weighted` use edge weights, others with the option `weighted` if it is set; the rest ignore
/// them.
#pragma once

#include <coppice/graph/catalogue/catalogue.hpp>
#include <coppice/graph/catalogue/checks.hpp>
