// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank.
///
///     auto const turned = transpose(exec, a.view());
///     auto const r = pagerank<double>(exec, a.view(), turned.view(), {.tolerance = 1e-8});
///     r.ranks, r.iterations, r.residual;
///
/// A last argument says where the surfer starts again: personalised PageRank. Edge weights are ignored: a surfer takes
/// every stored edge of a vertex with the same probability.
#pragma once

#include <coppice/graph/structure/pagerank.hpp>
