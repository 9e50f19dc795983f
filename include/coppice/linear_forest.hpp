// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Linear forests: paths that cover the vertices of a weighted graph, and the tridiagonal system along them.
///
///     auto const weights = symmetrised_weights(exec, a.view());
///     auto const factor = parallel_factor(exec, weights.view(), {.ties = tie_rule::near});
///     auto const forest = extract_forest(exec, weights.view(), factor);
///     auto const system = extract_forest_system(exec, a.view(), forest);   // solve with <coppice/tridiagonal.hpp>
///
/// The forest is the factor with every cycle opened at its weakest edge, the last one in the total order of edges. Its
/// permutation lists the vertices path after path; the system is the tridiagonal part of A in that order, without
/// couplings from one path to the next. With y[p] = x[permutation[p]] the system acts on y.
///
/// decompose_into_forests(exec, weights.view(), {.factors = 4}) makes several forests, each of what the ones before it
/// have left. pair_forest() pairs vertices first and makes a forest of the pairs; grid_lines() takes the lines of a
/// grid.
///
/// For new values on an old pattern call extract_forest_system(exec, plan, a, forest, system) again.
#pragma once

#include <coppice/graph/factor/factor.hpp>
#include <coppice/graph/forest/forest_decomposition.hpp>
#include <coppice/graph/forest/grid_lines.hpp>
#include <coppice/graph/forest/linear_forest.hpp>
#include <coppice/graph/forest/paired_forest.hpp>
