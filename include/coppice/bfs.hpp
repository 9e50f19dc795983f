// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Breadth-first search.
///
///     auto const r = bfs(exec, a.view(), source, {.incoming = a.view()}); // undirected: its own transpose
///     r.levels, r.parents, r.depth, r.reached;
///
/// Without `incoming` every level is pushed, which is right for every graph. The vertices are rows of `a`, counted from
/// 0; edge weights are ignored: the level of a vertex is its distance in edges.
#pragma once

#include <coppice/graph/search/bfs.hpp>
