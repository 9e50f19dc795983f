# SPDX-License-Identifier: BSD-3-Clause
"""Searches and shortest paths of the NetworkX backend.

Sets and lengths come from the searches of the library. Where NetworkX's result depends on the order in which it reads edges
(trees, paths, layers), one thread reads them in this order (`_core.breadth_first`), or the edges that end a shortest path.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable

import numpy as np

from . import _core, graph
from ._networkx_common import (_cutoff_refusal, _distances, _from_source, _iterable_of, _levels, _levels_from, _nodes_at,
                               _set_at, _source, _within, breadth_first_search, depth_limit_refusal,
                               distances_of, edges_in_order, lists_by_end,
                               made_graph, version_of_networkx)


def _lengths_from(G, source, weight, cutoff=None, incoming=False, message="Node {} not found in graph"):
    """NetworkX's dict of lengths, with or without weights."""
    start = _source(G, source, message)
    if weight is None:
        return _levels_from(G, start, cutoff, incoming)
    found = _distances(G, start, weight, incoming)
    return _from_source(G, found, start, cutoff, G.lengths(weight).integers)


def _number(G, weight, value):
    return int(value) if G.lengths(weight).integers else float(value)


def _single_target_shortest_path_length(G, target, cutoff=None):
    return _lengths_from(G, target, None, cutoff, True, "Target {} is not in G")


def _all_pairs_shortest_path_length(G, cutoff=None):
    for node in G:
        yield node, _lengths_from(G, node, None, cutoff)


def _has_path(G, source, target):
    from networkx import NetworkXNoPath

    try:
        _levels_between(G, source, target)
    except NetworkXNoPath:
        return False
    return True


def _levels_between(G, source, target):
    from networkx import NetworkXNoPath

    start, end = _source(G, source, "Source {} is not in G"), _source(G, target, "Target {} is not in G")
    level = _levels(G, start)[end]
    if level == math.inf:
        raise NetworkXNoPath(f"No path between {source} and {target}.")
    return int(level)


def _dijkstra_path_length(G, source, target, weight="weight"):
    return _length_between(G, source, target, weight, "Node {} not found in graph", "Node {} not reachable from {}")


def _length_between(G, source, target, weight, absent, unreachable):
    from networkx import NetworkXNoPath

    start = _source(G, source, absent)
    if source == target:
        return 0
    found = _levels(G, start) if weight is None else _signed_distances(G, start, weight)
    if target not in G or found[G.position[target]] == math.inf:
        raise NetworkXNoPath(unreachable.format(target, source))
    return _number(G, weight, found[G.position[target]])


def _shortest_path_length(G, source=None, target=None, weight=None, method="dijkstra"):
    if source is None and target is None:
        return ((node, _lengths_from(G, node, weight)) for node in G)
    absent = ("Source {} is not in G" if weight is None else
              "Node {} not found in graph" if method == "dijkstra" else "Source {} not in G")
    if target is None:
        return _lengths_from(G, source, weight, message=absent)
    if source is None:
        return _lengths_from(G, target, weight, incoming=True, message=absent)
    if weight is None:
        return _levels_between(G, source, target)
    return (_dijkstra_path_length if method == "dijkstra" else _bellman_ford_path_length)(G, source, target, weight)


def _all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    if weight is None and cutoff is not None and math.isfinite(cutoff):
        cutoff = math.floor(cutoff)  # searches go one level on from one below the cutoff
    if weight is None:
        yield from _all_pairs_shortest_path_length(G, cutoff)
        return
    for start, found in distances_of(G, range(len(G)), weight):
        yield G.nodes[start], _from_source(G, found, start, cutoff, G.lengths(weight).integers)


def _signed_distances(G, start, weight):
    from networkx import NetworkXUnbounded

    try:
        return _distances(G, start, weight)
    except ArithmeticError:
        raise NetworkXUnbounded("Negative cycle detected.") from None


def _single_source_bellman_ford_path_length(G, source, weight="weight"):
    start = _source(G, source, "Source {} not in G")
    if weight is None:
        return _levels_from(G, start, None)
    found = _signed_distances(G, start, weight)
    return _from_source(G, found, start, None, G.lengths(weight).integers)


def _all_pairs_bellman_ford_path_length(G, weight="weight"):
    for node in G:
        yield node, _single_source_bellman_ford_path_length(G, node, weight)


def _bellman_ford_path_length(G, source, target, weight="weight"):
    absent = "Node {} not found in graph" if source == target else "Source {} not in G"
    return _length_between(G, source, target, weight, absent, "node {} not reachable from {}")


def _negative_edge_cycle(G, weight="weight", heuristic=True):
    """Every vertex is reached from one more, whose edges are 1 long."""
    from scipy.sparse import csr_array

    if not len(G.indices):
        return False
    A, n = G.matrix(weight), len(G)
    everywhere = csr_array((np.concatenate([A.data, np.ones(n)]), np.concatenate([A.indices, np.arange(n)]),
                            np.concatenate([A.indptr, [A.nnz + n]])), shape=(n + 1, n + 1))
    try:
        graph.run("sssp", everywhere, source=n)
    except ArithmeticError:
        return True
    return False


def _edges_of_search(G, source, depth_limit=None):
    """(parents, children) in the order of the search."""
    from networkx import NetworkXError

    if source not in G:
        raise NetworkXError(f"The node {source} is not in the {'di' if G.directed else ''}graph.")
    order, parent, level = breadth_first_search(G, [G.position[source]])
    below = _within(order, level, depth_limit)[1:]
    return _nodes_at(G, parent[below]), _nodes_at(G, below)


def _bfs_edges(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    yield from zip(*_edges_of_search(G, source, depth_limit))


def _bfs_tree(G, source, reverse=False, depth_limit=None, sort_neighbors=None):
    from networkx import DiGraph

    if source is None:
        raise ValueError("None cannot be a node")  # NetworkX adds it to the tree before it searches
    parents, children = _edges_of_search(G, source, depth_limit)
    return made_graph(DiGraph, [source, *children], parents, children)


def _bfs_predecessors(G, source, depth_limit=None, sort_neighbors=None):
    if version_of_networkx() >= (3, 7):
        warnings.warn("\n\nbfs_predecessors is deprecated and will be removed in NetworkX 3.9\n"
                      "Use ``(t, s) for (s, t) in bfs_edges`` instead", DeprecationWarning, stacklevel=2)
    yield from zip(*_edges_of_search(G, source, depth_limit)[::-1])


def _bfs_successors(G, source, depth_limit=None, sort_neighbors=None):
    children: dict = {source: []}
    for parent, child in zip(*_edges_of_search(G, source, depth_limit)):
        children.setdefault(parent, []).append(child)
    yield from children.items()


def _bfs_layers(G, sources):
    if sources in G:
        sources = [sources]
    order, _, level = breadth_first_search(G, [G.position[node] for node in set(sources)])
    ends = np.cumsum(np.bincount(level[order])).tolist()
    nodes = _nodes_at(G, order)
    yield from (nodes[first:last] for first, last in zip([0, *ends], ends))


def _descendants_at_distance(G, source, distance):
    from networkx import NetworkXError

    if source not in G:
        raise NetworkXError(f"The node {source} is not in the graph.")
    levels = _levels(G, G.position[source])
    return _set_at(G, np.isfinite(levels) & (levels == distance))


def _descendants(G, source):
    return _reached(G, source, False)


def _ancestors(G, source):
    return _reached(G, source, True)


def _reached(G, source, incoming):
    from networkx import NetworkXError

    if source not in G:
        raise NetworkXError(f"The node {source} is not in the {'di' if G.directed else ''}graph.")
    found = _set_at(G, np.isfinite(_levels(G, G.position[source], incoming)))
    found.remove(source)
    return found


def _single_source_shortest_path(G, source, cutoff=None):
    order, parent, level = breadth_first_search(G, [_source(G, source, "Source {} not in G")])
    return _core.paths(G.nodes, _within(order, level, cutoff), parent)


def _all_pairs_shortest_path(G, cutoff=None):
    for node in G:
        yield node, _single_source_shortest_path(G, node, cutoff)


def _dijkstra_search(G, starts, weight, cutoff=None):
    """(vertices in the order in which NetworkX's Dijkstra ends with them, their parents, lengths)."""
    found = _distances_from(G, starts, weight)
    steps = np.ones(len(G.indices)) if weight is None else G.lengths(weight).array
    order, parent = _core.shortest_path_order(G.indptr, G.indices, steps, found, np.asarray(starts, dtype=np.int32),
                                              math.inf if cutoff is None else cutoff)
    return order, parent, found


def _distances_from(G, starts, weight):
    """The least lengths of paths from some vertices; several ones are the ends of edges of length 0 from a vertex more."""
    if len(starts) == 1:
        return _levels(G, starts[0]) if weight is None else _distances(G, starts[0], weight)
    from scipy.sparse import csr_array

    A, n = G.matrix(weight), len(G)
    from_all = csr_array((np.concatenate([A.data, np.zeros(len(starts))]), np.concatenate([A.indices, starts]),
                          np.append(A.indptr, A.nnz + len(starts))), shape=(n + 1, n + 1))
    return graph.run("sssp", from_all, source=n).values[:n]


def _single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    return _multi_source_dijkstra(G, [source], target, cutoff, weight)


def _starts_of(G, sources):
    from networkx import NodeNotFound

    if not sources:
        raise ValueError("sources must not be empty")
    for node in sources:
        if node not in G:
            raise NodeNotFound(f"Node {node} not found in graph")
    return [G.position[node] for node in dict.fromkeys(sources)]


def _multi_source_dijkstra(G, sources, target=None, cutoff=None, weight="weight"):
    from networkx import NetworkXNoPath

    starts = _starts_of(G, sources)
    if target in sources:
        return 0, [target]
    order, parent, lengths = _dijkstra_search(G, starts, weight, cutoff)
    if target is None:
        lengths = lengths[order]
        numbers = (lengths.astype(np.int64) if G.lengths(weight).integers else lengths).tolist()
        distances = dict(zip(_nodes_at(G, order), [0] * len(starts) + numbers[len(starts):]))
        return distances, _core.paths(G.nodes, order, parent)
    end = G.position[target] if target in G else None
    if end is None or parent[end] < 0:
        raise NetworkXNoPath(f"No path to {target}.")
    path = [end]
    while parent[path[-1]] != path[-1]:
        path.append(int(parent[path[-1]]))
    return _number(G, weight, lengths[end]), _nodes_at(G, path[::-1])


def _single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    return _single_source_dijkstra(G, source, None, cutoff, weight)[1]


def _dijkstra_path(G, source, target, weight="weight"):
    return _single_source_dijkstra(G, source, target, None, weight)[1]


def _all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    for node in G:
        yield node, _single_source_dijkstra(G, node, None, cutoff, weight)


def _all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    for node in G:
        yield node, _single_source_dijkstra(G, node, None, cutoff, weight)[1]


def _multi_source_dijkstra_path_length(G, sources, cutoff=None, weight="weight"):
    starts = _starts_of(G, sources)
    found = _distances_from(G, starts, weight)
    lengths = _from_source(G, found, starts[0], cutoff, G.lengths(weight).integers)
    return {**dict.fromkeys(sources, 0), **lengths}


def _multi_source_dijkstra_path(G, sources, cutoff=None, weight="weight"):
    return _multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


def _dijkstra_predecessor_and_distance(G, source, cutoff=None, weight="weight"):
    """A predecessor ends a shortest path; NetworkX lists them in the order in which it is done with them."""
    start = _source(G, source, "Node {} is not found in the graph")
    order, _, found = _dijkstra_search(G, [start], weight, cutoff)
    edges = edges_in_order(G, order)
    u, v, reached = G.starts[edges], G.indices[edges], np.zeros(len(G), dtype=bool)
    reached[order] = True
    steps = np.ones(len(edges)) if weight is None else G.lengths(weight).array[edges]
    ends = reached[v] & (found[u] + steps == found[v]) & (found[v] <= (math.inf if cutoff is None else cutoff))
    return lists_by_end(G, order, u[ends], v[ends]), _from_source(G, found, start, cutoff, G.lengths(weight).integers)


def _eccentricity(G, v=None, sp=None, weight=None):
    from networkx import NetworkXError

    found = {}
    for start, lengths in distances_of(G, [G.position[node] for node in (G if v is None else [v] if v in G else v)], weight):
        if not np.isfinite(lengths).all():
            raise NetworkXError("Found infinite path length because the digraph is not strongly connected" if G.directed else
                                "Found infinite path length because the graph is not connected")
        found[G.nodes[start]] = _number(G, weight, lengths.max())
    return found[v] if v is not None and v in G else found


def _diameter(G, e=None, usebounds=False, weight=None):
    return max(_eccentricity(G, weight=weight).values())


def _radius(G, e=None, usebounds=False, weight=None):
    return min(_eccentricity(G, weight=weight).values())


def _periphery(G, e=None, usebounds=False, weight=None):
    found = _eccentricity(G, weight=weight)
    largest = max(found.values())
    return [node for node in G if found[node] == largest]


def _average_shortest_path_length(G, weight=None, method=None):
    from networkx import NetworkXError

    n, total = len(G), 0.0
    if n == 1:
        return 0
    if len(np.unique(graph.run("strong-components" if G.directed else "components", G.checked()).values)) > 1:
        raise NetworkXError("Graph is not strongly connected." if G.directed else "Graph is not connected.")
    for _, lengths in distances_of(G, range(n), weight):
        total += float(lengths.sum())
    return total / (n * (n - 1))


def _global_efficiency(G):
    n, total = len(G), 0.0
    for _, levels in distances_of(G, range(n)):
        total += float((1 / levels[levels > 0]).sum())
    return total / (n * (n - 1)) if n > 1 else 0


def _is_directed_acyclic_graph(G):
    return G.directed and G.loops == 0 and len(np.unique(graph.run("strong-components", G.checked()).values)) == len(G)


def _search_refusal(given):
    """NetworkX reads incoming edges in the order of their insertion, which the arrays do not hold."""
    if given.get("reverse") and given["G"].is_directed():
        return "reverse of a directed graph depends on the order in which edges were added"
    return depth_limit_refusal(given["depth_limit"])


def _layers_refusal(given):
    G, sources = given["G"], given["sources"]
    if sources in G or (sources and _iterable_of(sources, G)):
        return None
    return "sources is neither a node nor a list of nodes of the graph"


def _sources_refusal(given):
    sources = given["sources"]
    if not isinstance(sources, (list, tuple, set, frozenset, dict)) or not all(isinstance(node, Hashable) for node in sources):
        return "sources is not a list of nodes"
    return _cutoff_refusal(given)


def _nodes_refusal(given):
    v, G = given["v"], given["G"]
    return None if v is None or v in G or _iterable_of(v, G) else "v is neither a node nor a list of nodes of the graph"


def _distance_refusal(given):
    return None if isinstance(given["distance"], (int, float)) else "distance is not a number"


def _frozen_refusal(given):
    return "the graph is frozen, and NetworkX adds a node to it" if getattr(given["G"], "frozen", False) else None


def _method_refusal(given):
    if callable(given["weight"]) and given["source"] is None and given["target"] is not None and given["G"].is_directed():
        return "weight is a function, which NetworkX calls for reversed edges"
    return None if given["method"] in ("dijkstra", "bellman-ford") else "method is neither dijkstra nor bellman-ford"


def _ends_refusal(given):
    return "an end of the path is None" if given["source"] is None or given.get("target", 0) is None else None


_FROM = {"node": "source", "several": True}
_SEARCH = {**_FROM, "only": {"sort_neighbors": None}, "arguments": _search_refusal}
_BETWEEN = {"node": ("source", "target"), "several": True, "arguments": _ends_refusal}
_WEIGHTED = {"weight": "weight", "functions": True}
_SIGNED = {**_WEIGHTED, "use": "signed"}
_CUT = {"arguments": _cutoff_refusal, "several": True}
_EXTREME = {**_WEIGHTED, "several": True, "only": {"e": None, "usebounds": False}}
FUNCTIONS = (
    (_single_target_shortest_path_length, "search", {**_CUT, "node": "target"}),
    (_all_pairs_shortest_path_length, "sources", _CUT),
    (_shortest_path_length, "local", {**_FROM, **_WEIGHTED, "node": ("source", "target"), "arguments": _method_refusal}),
    (_has_path, "local", _BETWEEN),
    (_dijkstra_path_length, "local", {**_BETWEEN, **_WEIGHTED}),
    (_dijkstra_path, "local", {**_BETWEEN, **_WEIGHTED}),
    (_single_source_dijkstra, "search", {**_CUT, **_WEIGHTED, "node": ("source", "target")}),
    (_single_source_dijkstra_path, "search", {**_CUT, **_WEIGHTED, "node": "source"}),
    (_all_pairs_dijkstra, "sources", {**_CUT, **_WEIGHTED}),
    (_all_pairs_dijkstra_path, "sources", {**_CUT, **_WEIGHTED}),
    (_all_pairs_dijkstra_path_length, "sources", {**_CUT, **_WEIGHTED}),
    (_single_source_bellman_ford_path_length, "search", {**_FROM, **_SIGNED}),
    (_bellman_ford_path_length, "search", {**_BETWEEN, **_SIGNED}),
    (_all_pairs_bellman_ford_path_length, "sources", {**_SIGNED, "several": True}),
    (_negative_edge_cycle, "search", {**_SIGNED, "several": True, "arguments": _frozen_refusal}),
    (_multi_source_dijkstra_path_length, "search", {**_WEIGHTED, "several": True, "arguments": _sources_refusal}),
    (_multi_source_dijkstra, "search", {**_WEIGHTED, "several": True, "node": "target", "arguments": _sources_refusal}),
    (_multi_source_dijkstra_path, "search", {**_WEIGHTED, "several": True, "arguments": _sources_refusal}),
    (_dijkstra_predecessor_and_distance, "search", {**_CUT, **_WEIGHTED, "node": "source"}),
    (_eccentricity, "sources", {**_WEIGHTED, "several": True, "only": {"sp": None}, "arguments": _nodes_refusal}),
    (_diameter, "sources", _EXTREME),
    (_radius, "sources", _EXTREME),
    (_periphery, "sources", _EXTREME),
    (_average_shortest_path_length, "sources", {**_WEIGHTED, "several": True, "only": {"method": None}}),
    (_global_efficiency, "sources", {"directed": False, "several": True}),
    (_is_directed_acyclic_graph, "local", {"several": True}),
    (_single_source_shortest_path, "search", {**_CUT, "node": "source"}),
    (_all_pairs_shortest_path, "local", _CUT),
    (_descendants, "search", _FROM),
    (_ancestors, "search", _FROM),
    (_descendants_at_distance, "local", {**_FROM, "arguments": _distance_refusal}),
    (_bfs_edges, "search", _SEARCH),
    (_bfs_tree, "search", _SEARCH),
    (_bfs_predecessors, "search", _SEARCH),
    (_bfs_successors, "search", _SEARCH),
    (_bfs_layers, "search", {"arguments": _layers_refusal, "several": True}),
)
