// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Shortest paths from one vertex.
///
///     auto const r = sssp(exec, a.view(), source); // values are lengths, negative ones too
///     r.distances, r.parents, r.negative_cycle;
#pragma once

#include <coppice/graph/search/sssp.hpp>
#include <coppice/graph/search/widest_path.hpp>
