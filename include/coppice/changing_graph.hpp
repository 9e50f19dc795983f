// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graphs that change by batches of edges, and answers that start from the old ones.
///
///     auto const b = with_edges(exec, a.view(), both_directions(edge_batch<float>{{1, 2}, {5, 3}, {1.f, 4.f}}));
///     auto const c = without_edges(exec, b.view(), both_directions(edge_batch<float>{{7}, {8}}));
///     components_again(exec, c, old_components, ends_of(added), ends_of(removed));
///     sssp_again(exec, c.view(), source, old_distances);                    // with parents
///     pagerank<float>(exec, c, c, {}, {}, old_ranks.ranks.view());          // fewer iterations
#pragma once

#include <coppice/graph/change/changed_components.hpp>
#include <coppice/graph/search/sssp.hpp>
#include <coppice/graph/structure/pagerank.hpp>
