# SPDX-License-Identifier: BSD-3-Clause
"""Depth-first searches, labelled searches and searches of all edges in the NetworkX backend, in NetworkX's order."""

from __future__ import annotations

import math

import numpy as np

from . import _core
from ._networkx_common import (_cutoff_refusal, _iterable_of, _nodes_at, _source, _within, breadth_first_search, depth_limit_refusal,
                               lists_by_end, made_graph, rows_in_order)

_FORWARD, _REVERSE = 0, 2
_EVENTS = np.array(["forward", "nontree", "reverse", "reverse-depth_limit"], dtype=object)

_LABELS = np.array(["tree", "forward", "level", "reverse"], dtype=object)


def _events(G, source, depth_limit):
    """(vertices, other vertices, numbers in `_EVENTS`) of the steps of NetworkX's depth-first search."""
    from networkx import NetworkXError

    if source is not None and source not in G:
        raise NetworkXError(f"The node {source} is not in the {'di' if G.directed else ''}graph.")
    start = -1 if source is None else G.position[source]
    return _core.depth_first_events(G.indptr, G.indices, start, len(G) if depth_limit is None else depth_limit)


def _tree_edges(G, source, depth_limit):
    u, v, event = _events(G, source, depth_limit)
    tree = (event == _FORWARD) & (u != v)
    return _nodes_at(G, u[tree]), _nodes_at(G, v[tree])


def _dfs_edges(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from zip(*_tree_edges(G, source, depth_limit))


def _dfs_labeled_edges(G, source=None, depth_limit=None, *, sort_neighbors=None):
    u, v, event = _events(G, source, depth_limit)
    yield from zip(_nodes_at(G, u), _nodes_at(G, v), _EVENTS[event].tolist())


def _dfs_tree(G, source=None, depth_limit=None, *, sort_neighbors=None):
    from networkx import DiGraph

    parents, children = _tree_edges(G, source, depth_limit)
    return made_graph(DiGraph, G.nodes if source is None else [source, *children], parents, children)


def _dfs_predecessors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    return dict(zip(*_tree_edges(G, source, depth_limit)[::-1]))


def _dfs_successors(G, source=None, depth_limit=None, *, sort_neighbors=None):
    found: dict = {}
    for parent, child in zip(*_tree_edges(G, source, depth_limit)):
        found.setdefault(parent, []).append(child)
    return found


def _dfs_preorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _ends(G, source, depth_limit, _FORWARD)


def _dfs_postorder_nodes(G, source=None, depth_limit=None, *, sort_neighbors=None):
    yield from _ends(G, source, depth_limit, _REVERSE)


def _ends(G, source, depth_limit, kind):
    _, v, event = _events(G, source, depth_limit)
    return _nodes_at(G, v[event == kind])


def _starts_of(G, source):
    """Positions of the nodes of NetworkX's `nbunch_iter`."""
    nodes = G if source is None else [source] if source in G else source
    return np.array([G.position[node] for node in nodes], dtype=np.int32)


def _edge_dfs(G, source=None, orientation=None):
    u, v = _core.depth_first_edges(G.indptr, G.indices, _starts_of(G, source), G.directed)
    yield from _oriented(G, u, v, orientation)


def _edge_bfs(G, source=None, orientation=None):
    """The rows of the vertices in the order of the search; an undirected edge is read where it is first."""
    order, _, _ = breadth_first_search(G, _starts_of(G, source))
    u, v = rows_in_order(G, order)
    if not G.directed:
        turn = _turns(G, order)
        first = turn[v] >= turn[u]
        u, v = u[first], v[first]
    yield from _oriented(G, u, v, orientation)


def _oriented(G, u, v, orientation):
    ends = _nodes_at(G, u), _nodes_at(G, v)
    return zip(*ends) if orientation is None else zip(*ends, ["forward"] * len(u))


def _turns(G, order):
    turn = np.full(len(G), -1, dtype=np.int64)
    turn[order] = np.arange(len(order))
    return turn


def _bfs_labeled_edges(G, sources):
    sources = [sources] if sources in G else sources
    order, parent, level = breadth_first_search(G, [G.position[node] for node in sources])
    u, v = rows_in_order(G, order)
    turn, above = _turns(G, order), level[u] < level[v]
    labels = np.select([above & (parent[v] == u), above, level[u] == level[v]], [0, 1, 2], 3)
    if not G.directed:  # level edges are reported once, and edges to the level before not at all
        kept = above | ((level[u] == level[v]) & (turn[v] >= turn[u]))
        u, v, labels = u[kept], v[kept], labels[kept]
    yield from zip(_nodes_at(G, u), _nodes_at(G, v), _LABELS[labels].tolist())


def _predecessor(G, source, target=None, cutoff=None, return_seen=None):
    order, _, level = breadth_first_search(G, [_source(G, source, "Source {} not in G")])
    order = _within(order, level, math.ceil(max(cutoff, 1)) if cutoff and cutoff < math.inf else None)
    u, v = rows_in_order(G, order)
    before = (level[u] + 1 == level[v]) & (_turns(G, order)[v] >= 0)
    found = lists_by_end(G, order, u[before], v[before])
    seen = dict(zip(found, level[order].tolist()))
    if target is not None:
        found, seen = found.get(target, []), seen.get(target, -1)
    return (found, seen) if return_seen else found


def _sorted_refusal(given):
    return depth_limit_refusal(given["depth_limit"])


def _edges_refusal(given):
    G, source = given["G"], given["source"]
    if not (source is None or source in G or _iterable_of(source, G)):
        return "source is neither a node nor a list of nodes of the graph"
    if given["orientation"] is None or given["orientation"] == "original":
        return None
    if given["orientation"] in ("reverse", "ignore") and not G.is_directed():
        return None
    return "orientation reads incoming edges, whose order the arrays do not hold"


def _labels_refusal(given):
    G, sources = given["G"], given["sources"]
    return None if sources in G or _iterable_of(sources, G) else "sources is neither a node nor a list of nodes of the graph"


def _predecessor_refusal(given):
    return _cutoff_refusal({"cutoff": given["cutoff"] or None})


_DEPTH = {"node": "source", "several": True, "only": {"sort_neighbors": None}, "arguments": _sorted_refusal}
FUNCTIONS = (
    (_dfs_edges, "search", _DEPTH),
    (_dfs_labeled_edges, "search", _DEPTH),
    (_dfs_tree, "search", _DEPTH),
    (_dfs_predecessors, "search", _DEPTH),
    (_dfs_successors, "search", _DEPTH),
    (_dfs_preorder_nodes, "search", _DEPTH),
    (_dfs_postorder_nodes, "search", _DEPTH),
    (_edge_dfs, "search", {"arguments": _edges_refusal}),
    (_edge_bfs, "search", {"arguments": _edges_refusal}),
    (_bfs_labeled_edges, "search", {"several": True, "arguments": _labels_refusal}),
    (_predecessor, "search", {"node": ("source", "target"), "several": True, "arguments": _predecessor_refusal}),
)
