// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Single-source shortest paths, and widest paths.
///
///     auto const r = sssp(exec, a.view(), source); // values are lengths, negative ones too
///     r.distances, r.parents, r.negative_cycle;
#pragma once

#include <coppice/graph/search/sssp_distances.hpp>
#include <coppice/graph/search/widest_path.hpp>
