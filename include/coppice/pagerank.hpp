// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// PageRank.
///
///     auto const r = pagerank<double>(exec, a.view(), transpose(exec, a.view()).view(), {.tolerance = 1e-8});
///     r.ranks, r.iterations, r.residual;
///
/// A last argument says where the surfer starts again: personalised PageRank.
#pragma once

#include <coppice/graph/analytics/pagerank.hpp>
