// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank.
///
///     auto const transposed = transpose(exec, a.view());
///     auto const r = pagerank<double>(exec, a.view(), transposed.view(), {.tolerance = 1e-8});
///     r.ranks, r.iterations, r.residual;
///
/// The optional argument `restart` is the restart distribution of personalised PageRank. The random surfer follows
/// every stored edge of a vertex with the same probability, or, with the argument `weights`, with a probability
/// proportional to its weight; the values of `a` are not read.
#pragma once

#include <coppice/graph/structure/pagerank.hpp>
