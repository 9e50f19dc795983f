// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// [0, n]-factors: subsets of the edges of a weighted graph with at most n edges at every vertex and large weight.
///
///     auto const weights = symmetrised_weights(exec, a.view());                    // |A| without its diagonal
///     auto const factor = parallel_factor(exec, weights.view(), {.degree = 2});    // algorithm 8
///     factor.neighbors[2 * v], factor.neighbors[2 * v + 1];                         // a vertex or -1
///     factor.weight_coverage;                                                       // fraction of the weight, Eq. 23
///
/// greedy_factor(host, weights, options) is the sequential reference (algorithm 6). Both accept n from 1 (a matching)
/// to 4.
///
/// **Order.** Edges are taken by weight, then by the tie rule, then by the pair of vertices. This is a total order, the
/// same at both ends of an edge. The factor depends on weights and options only: it is the same on the host, on CUDA
/// and for any number of threads. Without charges and until maximal (charge_below = 0, rounds = 0) it is the greedy
/// factor.
///
/// **Ties.** `tie_rule::hash` orders edges of equal weight pseudo-randomly; `tie_rule::near` prefers small |i - j|, and
/// so finds whole lines of a numbered grid. Example: a 5-point grid of 1000 x 1000 with equal weights and n = 2. With
/// near the weight coverage (weight of the factor / weight of all edges) is .500 and the forest has 281 paths; with
/// hash .466 and 86,675. If the weights determine the order (ANISO1, 2), both give the same. The default is hash,
/// because it does not depend on the numbering; use near for the forests of preconditioners.
///
/// **Rounds.** In a round every vertex proposes to its best free neighbours, and mutual proposals are confirmed.
/// Repeated until there is no proposal, this gives the greedy factor. From the second round on, only rows that lost a
/// candidate are searched again (in total about two searches per row), and only vertices that still wait are processed.
/// If weights increase along long paths, few proposals are mutual, and as many rounds as the path has edges would be
/// needed. Therefore, by default (no `rounds`), rounds continue until the factor is maximal unless the rounds done and
/// the remaining ones, at the rate of the last round, cost more than eight rounds that search every row; then four
/// rounds use charges, and rounds without charges follow as long as one of them adds a hundredth of the edges. On 86
/// public matrices and 27 graphs of hubs and spokes, n = 1 to 4, the weight coverage is within .0005 of the greedy one.
/// It is up to .07 below it if weights increase along paths of hundreds of edges or more. On CUDA
/// the host waits after each of the first four rounds, then after every fourth round, and once more when half of more
/// than 2^18 vertices are final. Rounds after the last effective one change nothing, but are counted.
///
/// **Charges.** If weights increase in one direction, all vertices propose in the same direction and no proposal is
/// mutual. Algorithm 8 then gives every vertex a random sign (its charge) and allows proposals only between vertices of
/// opposite charge, which makes the proposals bipartite. This costs weight: a vertex takes a lighter edge if its best
/// neighbour has the same charge. If `rounds` = M is given, vertices are charged only after an uncharged round that
/// confirmed less than the fraction `charge_below` = 0.2 of its proposals, until the next round k with k mod m = k_m.
/// With a value above 1 all other rounds are charged, as in the thesis; with 0 none is.
#pragma once

#include <coppice/graph/factor/factor.hpp>
