# SPDX-License-Identifier: BSD-3-Clause
"""What the functions of the NetworkX backend share."""

from __future__ import annotations

import functools
import math
import re

import numpy as np

from . import _core, graph


@functools.cache
def _numbers_of(version):
    return tuple(map(int, re.findall("[0-9]+", version)[:2]))


def version_of_networkx():
    """(major, minor) of the NetworkX that is installed."""
    import networkx

    return _numbers_of(networkx.__version__)


def _source(G, node, message):
    from networkx import NodeNotFound

    if node not in G:
        raise NodeNotFound(message.format(node))
    return G.position[node]


def _run(name, G, **options):
    return graph.run(name, G.checked(), **options).values


def _levels(G, start, incoming=False):
    """Numbers of edges of shortest paths from a vertex, or to it if `incoming`; infinity: there is none."""
    found = graph.run("bfs", G.checked(incoming=incoming), source=start).values
    return np.where(found >= 0, found, np.inf)


def _distances(G, start, weight, incoming=False):
    """Lengths of shortest paths from a vertex, or to it if `incoming`; infinity: there is none."""
    return graph.run("sssp", G.checked(weight, incoming), source=start).values


def distances_of(G, starts, weight=None, incoming=False):
    """(vertex, lengths of shortest paths from it, or to it if `incoming`) of some vertices, many in one call."""
    matrix, count = G.checked(weight, incoming).matrix, max(1, min(64, 2**24 // max(1, len(G))))
    for first in range(0, len(starts), count):
        block = list(starts[first:first + count])
        yield from zip(block, _core.distances_from(matrix, block, weight is not None).reshape(len(block), len(G)))


def _iterated(name, G, max_iter, steps, tolerance, weight=None, **options):
    try:
        return graph.run(name, G.checked(weight), tolerance=tolerance, max_iterations=steps, weighted=weight is not None,
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


def _nodes_at(G, places):
    """The nodes at these positions."""
    return G.objects[places].tolist()


def _set_at(G, chosen):
    """The nodes for which an array of flags is true."""
    return set(_nodes_at(G, np.flatnonzero(chosen)))


def _sets(G, labels):
    """Sets of the nodes with one label, by rising labels."""
    order = np.argsort(labels, kind="stable")
    nodes, ends = _nodes_at(G, order), (np.flatnonzero(np.diff(labels[order])) + 1).tolist()
    return [set(nodes[first:last]) for first, last in zip([0, *ends], [*ends, len(nodes)])] if nodes else []


def _groups(G, labels):
    """Sets of the nodes with one label of 0 to n - 1, in the order of their first nodes."""
    places = np.arange(len(G))
    first = np.empty(len(G), dtype=np.int64)
    first[labels[::-1]] = places[::-1]  # the last assignment of an element holds
    return _sets(G, first[labels])


def _from_source(G, found, start, cutoff, integers):
    """Lengths by rising distance; nodes of the same one in the order of the graph. Infinity: not reached."""
    kept = np.isfinite(found) & (found <= (np.inf if cutoff is None else cutoff))
    kept[start] = False
    places = np.flatnonzero(kept)
    places = places[np.argsort(found[places], kind="stable")]
    lengths = found[places]
    result = {G.nodes[start]: 0}
    result.update(zip(_nodes_at(G, places), (lengths.astype(np.int64) if integers else lengths).tolist()))
    return result


def _levels_from(G, start, cutoff, incoming=False):
    """Numbers of edges of shortest paths in the order of the search, which is NetworkX's unless it is `incoming`."""
    order, _, level = breadth_first_search(G, [start], incoming)
    order = _within(order, level, cutoff)
    return dict(zip(_nodes_at(G, order), level[order].tolist()))


def _within(order, level, limit):
    """The vertices of a search that NetworkX reaches: it goes on to the next level from one below the limit."""
    return order if limit is None else order[(level[order] - 1 < limit) | (level[order] == 0)]


def lists_by_end(G, order, starts, ends):
    """The dict from the nodes at `order` to the lists of the starts of their edges; each list in the order of the edges."""
    turn = np.full(len(G), len(order))
    turn[order] = np.arange(len(order))
    sequence = np.argsort(turn[ends], kind="stable")
    values, last = _nodes_at(G, starts[sequence]), np.cumsum(np.bincount(turn[ends], minlength=len(order))).tolist()
    return {node: values[i:k] for node, i, k in zip(_nodes_at(G, order), [0, *last], last)}


def made_graph(kind, nodes, starts, ends, data=None, attributes=None, node_data=None):
    """A graph of NetworkX with copies of the attributes; edges in the order in which `add_edges_from` adds them."""
    import networkx as nx

    made = kind()
    made.graph.update(attributes or {})
    if kind not in (nx.Graph, nx.DiGraph):  # a subclass may store edges in its own way
        made.add_nodes_from(nodes if node_data is None else zip(nodes, node_data))
        made.add_edges_from(zip(starts, ends) if data is None else zip(starts, ends, data))
        return made
    made._node = {node: {} for node in nodes} if node_data is None else dict(zip(nodes, map(dict, node_data)))
    made._adj, incoming = _core.adjacency_of_edges(nodes, starts, ends, data, made.is_directed())
    if made.is_directed():
        made._pred = incoming
    return made


def _cutoff_refusal(given):
    cutoff = given["cutoff"]
    if cutoff is None or (isinstance(cutoff, (int, float)) and (abs(cutoff) <= 2**53 or cutoff in (math.inf, -math.inf))):
        return None
    return "cutoff is not a number up to 2^53, or infinity"


def depth_limit_refusal(limit):
    return None if limit is None or isinstance(limit, (int, float)) else "depth_limit is not a number"


def edges_in_order(G, order):
    """Positions of the stored edges of the vertices, vertex by vertex."""
    order = np.asarray(order, dtype=np.int64)
    first, count = G.indptr[order], np.diff(G.indptr)[order]
    return np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())


def rows_in_order(G, order):
    """(Starts, ends) of these edges."""
    edges = edges_in_order(G, order)
    return G.starts[edges], G.indices[edges]


def breadth_first_search(G, starts, incoming=False):
    """(Vertices in the order of the search, parent of each vertex, level of each vertex); -1: none.

    The order is NetworkX's. incoming : go from the ends of edges to their starts, in the order of the graph.
    """
    rows = G.incoming if incoming and G.directed else G
    return _core.breadth_first(rows.indptr, rows.indices, np.asarray(starts, dtype=np.int32))


def depth_first_search(G, start=-1):
    """NetworkX's depth-first search: (vertices in its order, parent of each vertex, vertices as the search leaves them).

    Roots are their own parents. start : the only root; -1: every vertex that is not yet reached.
    """
    return _core.depth_first(G.indptr, G.indices, start)
