// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Random walks on graphs, of first order and as in node2vec.
///
///     auto const starts = exec.copy(std::vector<vertex_id>{3, 3, 14});
///     random_walks(exec, a.view(), starts.view(), {.length = 80, .return_bias = 0.5, .outward_bias = 2});
///
/// Element i (length + 1) + t of the result is the vertex of walk i after t steps. The walks depend on the seed alone:
/// they are the same on host and CUDA, for any number of threads.
#pragma once

#include <coppice/graph/search/random_walks.hpp>
