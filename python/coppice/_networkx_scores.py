# SPDX-License-Identifier: BSD-3-Clause
"""Scores of nodes and pairs of the NetworkX backend: degrees, harmonic centrality, HITS, PageRank, link prediction."""

from __future__ import annotations

import math

import numpy as np

from . import graph
from ._networkx_common import _by_node, _iterable_of, _not_converged, _real, distances_of
from .sparse import Matrix


def _degree_centrality(G):
    return _share_of_nodes(G, G.degrees(incoming=True))


def _in_degree_centrality(G):
    return _share_of_nodes(G, G.degrees(incoming=True, outgoing=False))


def _out_degree_centrality(G):
    return _share_of_nodes(G, G.degrees())


def _share_of_nodes(G, degrees):
    if len(G) <= 1:
        return dict.fromkeys(G, 1)
    return _by_node(G, degrees * (1.0 / (len(G) - 1.0)))


def _harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    scores = np.zeros(len(G))
    for _, found in distances_of(G, range(len(G)), distance):
        reached = np.isfinite(found) & (found != 0)
        scores[reached] += 1 / found[reached]
    return _by_node(G, scores)


def _hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    """NetworkX iterates by ARPACK until `tol`; here until the digits of the vector stay."""
    try:
        authorities = graph.run("hits", G.checked(), tolerance=1e-12, max_iterations=100_000).values
    except ArithmeticError as error:
        raise NotImplementedError(f"hits: {error}") from None
    hubs = G.matrix() @ authorities
    return _by_node(G, hubs / hubs.sum()), _by_node(G, authorities / authorities.sum())


@np.errstate(over="ignore", invalid="ignore")  # the reciprocal of a sum below 2^-1024 is infinite: no convergence, as there
def weighted_pagerank(G, alpha, personalization, max_iter, tol, nstart, weight, dangling):
    """NetworkX's iteration, with products of the library."""
    A, n = G.matrix(weight), len(G)
    sums = np.asarray(A.sum(axis=1)).reshape(n)
    incoming = A.copy()
    factors = np.divide(1.0, sums, out=np.zeros(n), where=sums != 0)
    incoming.data = A.data * np.repeat(factors, np.diff(A.indptr))
    product, ends = Matrix(incoming.T.tocsr()), sums == 0
    start, restart = (_distribution(G, given) for given in (nstart, personalization))
    rest, x = restart if dangling is None else _distribution(G, dangling), start
    for _ in range(max_iter):
        last = x
        x = alpha * (product.mxv(x) + x[ends].sum() * rest) + (1 - alpha) * restart
        if np.abs(x - last).sum() < n * tol:
            return _by_node(G, x)
    raise _not_converged(max_iter)


def _distribution(G, given):
    if given is None:
        return np.full(len(G), 1.0 / len(G))
    values = np.array([given.get(node, 0) for node in G], dtype=np.float64)
    return values / values.sum()


def is_distribution(G, given):
    """Whether these are numbers of at least 0 for nodes, of which one is above 0."""
    if not isinstance(given, dict) or not all(_real(value) and 0 <= value <= 1e100 for value in given.values()):
        return False
    return any(value > 0 and node in G for node, value in given.items())


def betweenness_sums(G, name, weight):
    """The library's result, as sums over ordered pairs; of an undirected graph the library counts pairs once."""
    matrix = graph.CheckedGraph(G.matrix(weight))
    matrix.undirected = not G.directed
    found = graph.run(name, matrix, weighted=weight is not None).values
    return found * (1 if G.directed else 2) if name == "betweenness" else found


def _edge_betweenness_centrality(G, k=None, normalized=True, weight=None, seed=None):
    start, end, sums = betweenness_sums(G, "edge-betweenness", weight)
    factor = 1 if G.directed or not normalized else 2
    n = len(G)
    if n >= 2 and normalized:
        sums = sums * factor / (n * (n - 1))
    found = dict(zip((start.astype(np.int64) * n + end).tolist(), sums.tolist()))
    once = G.directed | (G.indices >= G.starts)  # in the order of G.edges
    return {(G.nodes[u], G.nodes[v]): found.get(u * n + v, 0.0)
            for u, v in zip(G.starts[once].tolist(), G.indices[once].tolist())}


def betweenness_from(G, starts, endpoints, targets=None):
    """Brandes' sums over shortest paths from some vertices, unscaled; products of the library take a level at a time.

    targets : flags of the vertices at which paths end; None: all.
    """
    total, rows, targets = np.zeros(len(G)), max(1, min(64, 2**24 // len(G))), np.ones(len(G)) if targets is None else targets
    edges = Matrix(G.matrix()), Matrix(G.incoming)
    for first in range(0, len(starts), rows):
        total += _dependencies(*edges, np.asarray(starts[first:first + rows]), endpoints, targets)
    return total


def _dependencies(edges, incoming, starts, endpoints, targets):
    """The sum over the starts s and the targets t of paths(s, v, t) / paths(s, t), t and v other than s; `endpoints`: with v = t, s."""
    n, each = edges.shape[0], np.arange(len(starts))
    paths, level = np.zeros((len(starts), n)), np.full((len(starts), n), -1, dtype=np.int32)
    paths[each, starts], level[each, starts] = 1, 0
    fronts = [(each, starts)]
    while len(fronts[-1][0]):
        row, column, value = _product(fronts[-1], paths[fronts[-1]], edges)
        new = level[row, column] < 0
        fronts.append((row[new], column[new]))
        paths[fronts[-1]], level[fronts[-1]] = value[new], len(fronts) - 1
    share = np.zeros_like(paths)
    for depth in range(len(fronts) - 2, 1, -1):
        row, column, value = _product(fronts[depth], (targets[fronts[depth][1]] + share[fronts[depth]]) / paths[fronts[depth]], incoming)
        before = level[row, column] == depth - 1
        row, column = row[before], column[before]
        share[row, column] = value[before] * paths[row, column]
    if endpoints:
        share[level > 0] += 1
        share[each, starts] = (level > 0).sum(axis=1)
    return share.sum(axis=0)


def _betweenness_centrality_subset(G, sources, targets, normalized=False, weight=None):
    flags = np.zeros(len(G))
    flags[[G.position[node] for node in targets]] = 1
    sums = betweenness_from(G, [G.position[node] for node in sources], False, flags)
    return _by_node(G, scaled_betweenness(G, sums, normalized, False, None))


def _product(places, values, edges):
    """(rows, columns, values) of the product of a matrix with these entries and a square matrix."""
    from scipy.sparse import csr_array

    shape = (int(places[0].max()) + 1, edges.shape[0])
    found = Matrix(csr_array((values, places), shape=shape)).mxm(edges).to_scipy().tocoo()
    return found.row, found.col, found.data


def scaled_betweenness(G, sums, normalized, endpoints, sample):
    """NetworkX's scale; a sampled node is no pair with itself, and so has one source fewer."""
    n, exact = len(G) if endpoints else len(G) - 1, sample is None
    if n < 2:
        return sums
    sources, both = n if exact else len(sample), 1 if G.directed else 2

    def scale(count):
        return math.nan if count == 0 else 1 / (count * (n - 1)) if normalized else n / (count * both)

    factors = np.full(len(G), scale(sources))
    if not exact and not endpoints:
        factors[sample] = scale(sources - 1)
    return sums * factors


def _jaccard_coefficient(G, ebunch=None):
    degree = np.diff(G.indptr)

    def coefficient(u, v, common):
        union = degree[u] + degree[v] - common
        return np.where(union > 0, common / np.maximum(union, 1), 0.0)

    return _over_pairs(G, ebunch, None, coefficient)


def _resource_allocation_index(G, ebunch=None):
    return _over_pairs(G, ebunch, 1 / np.maximum(np.diff(G.indptr), 1), lambda u, v, common: common)


def _adamic_adar_index(G, ebunch=None):
    return _over_pairs(G, ebunch, 1 / np.log(np.maximum(np.diff(G.indptr), 2)), lambda u, v, common: common)


def _preferential_attachment(G, ebunch=None):
    degree = np.diff(G.indptr)
    return ((u, v, int(degree[G.position[u]] * degree[G.position[v]])) for u, v in ebunch)


def _predicted(G, pairs, community, score):
    """NetworkX's iterator of (u, v, score of the common neighbors, of those of their community); None: of two communities."""
    from networkx import NetworkXAlgorithmError

    communities, rows = G.values_of_nodes(community), {}

    def community_of(node):
        if node not in communities:
            raise NetworkXAlgorithmError(f"No community information available for Node {node}")
        return communities[node]

    def neighbors(u):
        if u not in rows:
            rows[u] = set(G.indices[G.indptr[G.position[u]]:G.indptr[G.position[u] + 1]].tolist())
        return rows[u]

    def predict(u, v):
        first, second = community_of(u), community_of(v)
        common = (neighbors(u) & neighbors(v)) - {G.position[u], G.position[v]}
        return score(common, {k for k in common if community_of(G.nodes[k]) == first} if first == second else None)

    return ((u, v, predict(u, v)) for u, v in pairs)


def _cn_soundarajan_hopcroft(G, ebunch=None, community="community"):
    return _predicted(G, ebunch, community, lambda common, within: len(common) + len(within or ()))


def _ra_index_soundarajan_hopcroft(G, ebunch=None, community="community"):
    degrees = G.degrees()
    return _predicted(G, ebunch, community, lambda common, within: sum(1 / int(degrees[k]) for k in within or ()))


def _within_inter_cluster(G, ebunch=None, delta=0.001, community="community"):
    from networkx import NetworkXAlgorithmError

    if delta <= 0:
        raise NetworkXAlgorithmError("Delta must be greater than zero")
    return _predicted(G, ebunch, community, lambda common, within: 0 if within is None else
                      len(within) / (len(common) - len(within) + delta))


def _over_pairs(G, pairs, weights, score):
    """(u, v, score) for pairs of nodes; `score` takes the sum of the weights of the common neighbors."""
    from scipy.sparse import csr_array

    A, n = G.matrix(), len(G)
    ends = np.array([(G.position[u], G.position[v]) for u, v in pairs], dtype=np.int64).reshape(-1, 2)
    u, v = ends[:, 0], ends[:, 1]
    keys, found = np.unique(u * n + v, return_inverse=True)
    mask = csr_array((np.ones(len(keys)), (keys // n, keys % n)), shape=(n, n))
    ones = Matrix(mask)
    weighted = A if weights is None else csr_array((weights[A.indices], A.indices, A.indptr), shape=A.shape)
    product = Matrix(weighted).mxm(Matrix(A), mask=ones).to_scipy().tocoo()
    sums = np.zeros(len(keys))
    sums[np.searchsorted(keys, product.row.astype(np.int64) * n + product.col)] = product.data
    return iter([(*pair, value) for pair, value in zip(pairs, score(u, v, sums[found.reshape(-1)]).tolist())])


def _hits_refusal(given):
    G = given["G"]
    if len(G) < 2 or G.number_of_edges() == 0:
        return "the graph has one node or no edges, for which ARPACK raises an error"
    if not (_real(given["tol"]) and 0 <= given["tol"] <= 1e-6):
        return "tol is not a number up to 1e-6"
    enough = isinstance(given["max_iter"], int) and given["max_iter"] >= 100
    return None if enough else "max_iter is not an integer of 100 or more"


def _pairs_refusal(given):
    G, pairs = given["G"], given["ebunch"]
    if not isinstance(pairs, (list, tuple, set, frozenset)):
        return "ebunch is not a list of pairs of nodes"
    fine = all(isinstance(pair, tuple) and len(pair) == 2 and _iterable_of(pair, G) and pair[0] != pair[1] for pair in pairs)
    return None if fine else "ebunch has an element that is not a tuple of two different nodes of the graph"


def _delta_refusal(given):
    return _pairs_refusal(given) if _real(given["delta"]) else "delta is not a number"


def _subset_refusal(given):
    if _iterable_of(given["sources"], given["G"]) and _iterable_of(given["targets"], given["G"]):
        return None
    return "sources or targets is not a list of nodes of the graph"


_PAIRS = {"directed": False, "loops": False, "arguments": _pairs_refusal}
_COMMUNITIES = {"directed": False, "node_attribute": "community", "arguments": _pairs_refusal}
FUNCTIONS = (
    (_edge_betweenness_centrality, "heavy", {"only": {"k": None}, "weight": "weight", "use": "positive"}),
    (_degree_centrality, "search", {"several": True}),
    (_in_degree_centrality, "search", {"several": True, "directed": True}),
    (_out_degree_centrality, "search", {"several": True, "directed": True}),
    (_harmonic_centrality, "sources", {"only": {"nbunch": None, "sources": None}, "weight": "distance", "several": True}),
    (_hits, "pass", {"only": {"nstart": None, "normalized": True}, "arguments": _hits_refusal, "absent": "weight"}),
    (_betweenness_centrality_subset, "local", {"only": {"weight": None}, "several": True, "arguments": _subset_refusal}),
    (_cn_soundarajan_hopcroft, "local", _COMMUNITIES),
    (_ra_index_soundarajan_hopcroft, "local", _COMMUNITIES),
    (_within_inter_cluster, "local", {**_COMMUNITIES, "arguments": _delta_refusal}),
    (_jaccard_coefficient, "local", _PAIRS),
    (_resource_allocation_index, "local", _PAIRS),
    (_adamic_adar_index, "local", _PAIRS),
    (_preferential_attachment, "local", _PAIRS),
)
