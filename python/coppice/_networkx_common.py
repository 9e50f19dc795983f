# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of the NetworkX backend share."""

from __future__ import annotations

import math

import numpy as np

from . import graph


def _source(G, node, message):
    from networkx import NodeNotFound

    if node not in G:
        raise NodeNotFound(message.format(node))
    return G.position[node]


def _run(name, G, **options):
    return graph.run(name, G.matrix(), **options).values


def _levels(G, start, incoming=False):
    """Numbers of edges of shortest paths from a vertex, or to it if `incoming`; infinity: there is none."""
    found = graph.run("bfs", G.matrix(incoming=incoming), source=start).values
    return np.where(found >= 0, found, np.inf)


def _distances(G, start, weight, incoming=False):
    """Lengths of shortest paths from a vertex, or to it if `incoming`; infinity: there is none."""
    return graph.run("sssp", G.matrix(weight, incoming), source=start).values


def _iterated(name, G, max_iter, steps, tolerance, weight=None, **options):
    try:
        return graph.run(name, G.matrix(weight), tolerance=tolerance, max_iterations=steps, weighted=weight is not None,
                         **options).values
    except ArithmeticError:
        raise _not_converged(max_iter) from None


def _not_converged(max_iter):
    from networkx import PowerIterationFailedConvergence

    return PowerIterationFailedConvergence(max_iter)


def _by_node(G, values):
    return dict(zip(G.nodes, values.tolist()))


def _of_nodes(G, found, nodes):
    if nodes is None:
        return found
    return found[nodes] if nodes in G else {node: found[node] for node in nodes}


def _iterable_of(value, names):
    """Whether a value is a container that can be read twice, whose elements are all among the names."""
    return isinstance(value, (list, tuple, set, frozenset, dict)) and all(name in names for name in value)


def _real(value):
    """Whether a value is a finite number that float64 holds."""
    return isinstance(value, (int, float)) and -1e308 < value < 1e308


def _groups(G, labels):
    """Sets of nodes, in the order of their first ones."""
    groups: dict = {}
    for node, label in zip(G.nodes, labels.tolist()):
        groups.setdefault(label, set()).add(node)
    return list(groups.values())


def _from_source(G, found, start, cutoff, integers):
    """By rising distance; nodes of the same one in the order of the graph. Infinity: not reached."""
    kept = np.isfinite(found) & (found <= (np.inf if cutoff is None else cutoff))
    kept[start] = True
    places = np.flatnonzero(kept)
    places = places[np.argsort(found[places], kind="stable")]
    places = [start] + [k for k in places.tolist() if k != start]
    lengths = found[places]
    result = dict(zip(map(G.nodes.__getitem__, places), (lengths.astype(np.int64) if integers else lengths).tolist()))
    result[G.nodes[start]] = 0
    return result


def _cutoff_refusal(given):
    cutoff = given["cutoff"]
    if cutoff is None or (isinstance(cutoff, (int, float)) and (abs(cutoff) <= 2**53 or cutoff in (math.inf, -math.inf))):
        return None
    return "cutoff is not a number up to 2^53, or infinity"


def depth_first_search(G):
    """NetworkX's depth-first search: (vertices in its order, when it leaves each vertex, children of each root).

    The second element is a list by vertex, the last one a dict from the vertices where the search starts.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import depth_first_order

    n = len(G)  # a vertex more, whose edges are the order of the sources
    indices = np.concatenate([G.indices, np.arange(n)])
    indptr = np.concatenate([G.indptr, [len(indices)]])
    everywhere = csr_array((np.ones(len(indices)), indices, indptr), shape=(n + 1, n + 1))
    order, parent = depth_first_order(everywhere, n, directed=True)
    order, parent = order.tolist(), parent.tolist()
    size, depth, finish, children = [1] * (n + 1), [0] * (n + 1), [0] * (n + 1), {}
    for v in reversed(order[1:]):
        size[parent[v]] += size[v]
    for k, v in enumerate(order[1:]):
        depth[v] = depth[parent[v]] + 1
        finish[v] = k + size[v] - depth[v]
        if parent[v] == n:
            children[v] = 0
        elif parent[v] in children:
            children[parent[v]] += 1
    return order[1:], finish, children
