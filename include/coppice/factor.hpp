// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// [0, n]-factors: at most n edges at every vertex of a weighted graph, chosen so that they weigh much.
///
///     auto const weights = symmetrised_weights(exec, a.view());                    // |A| without its diagonal
///     auto const factor = parallel_factor(exec, weights.view(), {.degree = 2});    // algorithm 8
///     factor.neighbors[2 * v], factor.neighbors[2 * v + 1];                         // a vertex or -1
///     factor.weight_coverage;                                                       // share of the weight, Eq. 23
///
/// greedy_factor(host, weights, options) is the sequential measure (algorithm 6). Both take n from 1 (a matching) to 4.
///
/// **Order.** Edges are taken by weight, then by the tie rule, then by the pair of vertices: a total order that both
/// ends of an edge agree on. The factor follows from weights and options alone: the same on the host, on CUDA and for
/// any number of threads. Without charges and until maximal (charge_below = 0, rounds = 0) it is the greedy factor.
///
/// **Ties.** `tie_rule::hash` makes edges of equal weight compete at random; `tie_rule::near` prefers small |i - j|,
/// and so finds whole lines of a numbered grid. On the 5-point grid of 1000 x 1000 equal weights and n = 2 near covers
/// .500 and its forest has 281 paths, hash .466 and 86,675. Where weights decide (ANISO1, 2) both give the same. Hash
/// is the default here, as it does not depend on the numbering; forests for preconditioners are better off with near.
///
/// **Rounds.** In a round every vertex proposes to its best free neighbours, and what is mutual is confirmed; repeated
/// until nothing is proposed this gives the greedy factor. From the second round on only rows that lost a candidate are
/// searched again, all in all hardly more than every row twice, and only vertices that still wait are looked at. Where
/// weights rise along long ways few proposals are mutual, and one round for every step of the way would be needed. So
/// by default (no `rounds`) rounds go on until the factor is maximal unless, at the pace of the last one, they would
/// cost more than eight that search every row; then charges help out for four more rounds. On 93 public matrices this
/// is the greedy factor on all but one, in the time that five rounds take. On CUDA the first four rounds wait for the
/// device, and of the later ones every fourth; once more when half of more than 2^18 vertices have been settled. Rounds
/// behind the last one that finds something do no harm, but are counted.
///
/// **Charges.** Where weights rise in one direction, all vertices propose the same way and nothing is mutual. Algorithm
/// 8 then gives vertices random charges and lets only opposite ones meet. That costs weight: a vertex settles for a
/// lighter edge because its best neighbour has its own charge. With M `rounds` given, vertices are charged only after
/// an uncharged round that confirmed less than `charge_below` = 0.2 of its proposals, until the next round with k mod m
/// = k_m. A value above 1 charges in all other rounds, as the thesis does; 0 never does.
#pragma once

#include <coppice/graph/factor/factor.hpp>
