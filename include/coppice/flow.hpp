// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Directed networks: maximum flow and minimum cut, topological levels, longest paths.
///
///     max_flow(exec, a.view(), source, sink);                        // values are capacities; flow and cut
///     auto const transposed = transpose(exec, a.view());
///     topological_levels(exec, g, transposed);                       // of a graph without cycles
///     longest_paths(exec, g, transposed.view());                     // values are lengths
///
/// Results are the same on host and CUDA, for any number of threads.
#pragma once

#include <coppice/graph/search/longest_path.hpp>
#include <coppice/graph/structure/max_flow.hpp>
