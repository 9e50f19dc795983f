# SPDX-License-Identifier: BSD-3-Clause
"""Structure of graphs in the NetworkX backend: components, trees, cores, subgraphs, sets, colours, communities.

Where NetworkX takes random numbers, its contract is met by any valid answer, and the library gives one that is the same in
every call; such calls are taken only if no seed is given.
"""

from __future__ import annotations

import random
from collections.abc import Hashable

import numpy as np

from . import _core, graph
from ._networkx_common import (_by_node, _cutoff_refusal, _distances, _groups, _iterable_of, _nodes_at, _real, _run,
                               _set_at, _source, edges_in_order, made_graph,
                               rows_in_order, version_of_networkx)


def _weakly_connected_components(G):
    yield from _groups(G, _weak_labels(G))


def _number_weakly_connected_components(G):
    return len(np.unique(_weak_labels(G)))


def _is_weakly_connected(G):
    return _number_weakly_connected_components(G) == 1


def _weak_labels(G):
    return graph.run("components", G.checked_both()).values


def _is_tree(G):
    return G.number_of_edges() == len(G) - 1 and _is_weakly_connected(G)


def _is_forest(G):
    return G.number_of_edges() == len(G) - _number_weakly_connected_components(G)


def _is_arborescence(G):
    return _is_tree(G) and int(G.degrees(incoming=True, outgoing=False).max()) <= 1


def _is_branching(G):
    return _is_forest(G) and int(G.degrees(incoming=True, outgoing=False).max()) <= 1


def _isolates(G):
    return iter(_nodes_at(G, np.flatnonzero(G.degrees(incoming=True) == 0)))


def _number_of_isolates(G):
    return int(np.count_nonzero(G.degrees(incoming=True) == 0))


def _overall_reciprocity(G):
    from networkx import NetworkXError

    if not len(G.indices):
        raise NetworkXError("Not defined for empty graphs")
    return (int(_answered(G).sum()) - G.loops) / len(G.indices)


def _reciprocity(G, nodes=None):
    from networkx import NetworkXError

    if nodes is None:
        return _overall_reciprocity(G)
    answered, degrees = _answered(G), G.degrees(incoming=True)
    found = {node: 2 * int(answered[k]) / int(degrees[k]) if degrees[k] else None
             for node, k in ((node, G.position[node]) for node in ([nodes] if nodes in G else nodes))}
    if nodes not in G:
        return found
    if found[nodes] is None:
        raise NetworkXError("Not defined for isolated nodes.")
    return found[nodes]


def _answered(G):
    """How many edges of each node have their reverse; a loop is its own."""
    return np.asarray(G.matrix().multiply(G.incoming).sum(axis=1)).reshape(len(G))


def _subgraph(G, nodes=None, edges=None):
    """A copy with some nodes (all) and those of some stored edges (all) whose ends are among them, with attributes."""
    kept, had = np.ones(len(G), dtype=bool) if nodes is None else nodes, G.attributes
    edges = kept[G.starts] & kept[G.indices] & (True if edges is None else edges)
    places, nodes = np.flatnonzero(edges & (G.directed | (G.indices >= G.starts))), np.flatnonzero(kept)
    return made_graph(had.kind, _nodes_at(G, nodes), _nodes_at(G, G.starts[places]), _nodes_at(G, G.indices[places]),
                      list(map(had.edges.__getitem__, places.tolist())), had.graph, [had.nodes[k] for k in nodes.tolist()])


def _k_core(G, k=None, core_number=None):
    cores = _run("cores", G)
    return _subgraph(G, cores >= (cores.max() if k is None else k))


def _k_shell(G, k=None, core_number=None):
    cores = _run("cores", G)
    return _subgraph(G, cores == (cores.max() if k is None else k))


def _k_crust(G, k=None, core_number=None):
    cores = _run("cores", G)
    return _subgraph(G, cores <= (cores.max() - 1 if k is None else k))


def _k_corona(G, k, core_number=None):
    cores = _run("cores", G)
    strong = np.bincount(G.starts[cores[G.indices] >= k], minlength=len(G))
    return _subgraph(G, (cores == k) & (strong == k))


def _k_truss(G, k):
    start, end, number = _run("truss", G)
    n = len(G)
    kept = np.concatenate([start[number >= k] * n + end[number >= k], end[number >= k] * n + start[number >= k]])
    edges = np.isin(G.starts.astype(np.int64) * n + G.indices, kept)
    return _subgraph(G, np.bincount(G.starts[edges], minlength=n) > 0, edges)


def _ego_graph(G, n, radius=1, center=True, undirected=False, distance=None):
    start = _source(G, n, "Source {} is not in G" if distance is None else "Node {} not found in graph")
    if distance is not None:
        found, last = _distances(G, start, distance), radius
    else:
        matrix = G.both_directions if undirected else G.matrix()
        levels = graph.run("bfs", matrix, source=start).values
        found, last = np.where(levels >= 0, levels, np.inf), None if radius is None else np.ceil(radius)
    near = np.isfinite(found) & (found <= (np.inf if radius is None else last))
    near[start] = center
    return _subgraph(G, near)


def _spanning_forest(G, weight, largest):
    """Stored edges that NetworkX's Kruskal takes, in its order. Ranks instead of weights make the forest unique."""
    from scipy.sparse import csr_array

    once = np.flatnonzero(G.indices >= G.starts)
    weights = np.ones(len(G.indices)) if weight is None else G.lengths(weight).array
    order = once[np.argsort(-weights[once] if largest else weights[once], kind="stable")]
    order = order[G.starts[order] != G.indices[order]]
    u, v, ranks = G.starts[order], G.indices[order], np.arange(1.0, len(order) + 1)
    both = csr_array((np.tile(ranks, 2), (np.concatenate([u, v]), np.concatenate([v, u]))), shape=(len(G), len(G)))
    return order[np.sort(graph.run("mst", both).values[2]).astype(np.int64) - 1]


def _spanning_edges(G, weight, data, largest):
    edges = _spanning_forest(G, weight, largest)
    ends = _nodes_at(G, G.starts[edges]), _nodes_at(G, G.indices[edges])
    yield from zip(*ends, map(G.attributes.edges.__getitem__, edges.tolist())) if data else zip(*ends)


def _minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    yield from _spanning_edges(G, weight, data, False)


def _maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    yield from _spanning_edges(G, weight, data, True)


def _minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, False)


def _maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _spanning_tree(G, weight, True)


def _spanning_tree(G, weight, largest):
    edges, had = _spanning_forest(G, weight, largest), G.attributes
    return made_graph(had.kind, G.nodes, _nodes_at(G, G.starts[edges]), _nodes_at(G, G.indices[edges]),
                      list(map(had.edges.__getitem__, edges.tolist())), had.graph, had.nodes)


def _maximal_matching(G):
    mates = _run("maximal-matching", G)
    first = np.flatnonzero(mates > np.arange(len(G)))
    return set(zip(_nodes_at(G, first), _nodes_at(G, mates[first].astype(np.int64))))


def _has_edges(G, pairs):
    """Whether all pairs of nodes are edges of the graph."""
    u, v = (np.array([G.position[pair[k]] for pair in pairs], dtype=np.int64) for k in (0, 1))
    rows = edges_in_order(G, u)
    number = np.repeat(np.arange(len(u)), np.diff(G.indptr)[u])
    return bool(np.bincount(number[G.indices[rows] == v[number]], minlength=len(u)).all())


def _nodes_of_matching(G, matching):
    """The nodes of a matching; None if it has an edge that the graph does not have, or two edges at a node."""
    from networkx import NetworkXError
    from networkx.algorithms.matching import matching_dict_to_set

    nodes: set = set()
    edges: list = []
    for edge in matching_dict_to_set(matching) if isinstance(matching, dict) else matching:
        wrong = (f"matching has non-2-tuple edge {edge}" if len(edge) != 2 else
                 f"matching contains edge {edge} with node not in G" if edge[0] not in G or edge[1] not in G else None)
        if wrong and _has_edges(G, edges):  # an edge before it decides in NetworkX
            raise NetworkXError(wrong)
        if wrong or edge[0] == edge[1] or edge[0] in nodes or edge[1] in nodes:
            return None
        edges.append(edge)
        nodes.update(edge)
    return nodes if _has_edges(G, edges) else None


def _is_matching(G, matching):
    return _nodes_of_matching(G, matching) is not None


def _is_perfect_matching(G, matching):
    nodes = _nodes_of_matching(G, matching)
    return nodes is not None and len(nodes) == len(G)


def _is_maximal_matching(G, matching):
    nodes = _nodes_of_matching(G, matching)
    if nodes is None:
        return False
    free = ~_flags(G, nodes)
    return not (free[G.starts] & free[G.indices] & (G.starts != G.indices)).any()


def _flags(G, nodes):
    found = np.zeros(len(G), dtype=bool)
    found[[G.position[node] for node in nodes if node in G]] = True
    return found


def _is_simple_path(G, nodes):
    if len(nodes) < 2 or not all(node in G for node in nodes):
        return len(nodes) == 1 and nodes[0] in G
    return len(set(nodes)) == len(nodes) and _has_edges(G, list(zip(nodes, nodes[1:])))


def _edge_boundary(G, nbunch1, nbunch2=None, data=False, keys=False, default=None):
    first = {node for node in nbunch1 if node in G}  # NetworkX reads the rows in the order of this set
    order = np.array([G.position[node] for node in first], dtype=np.int64)
    u, v = rows_in_order(G, order)
    turn = np.full(len(G), -1)
    turn[order] = np.arange(len(order))
    if nbunch2 is None:
        kept = turn[v] < 0
    else:
        second = _flags(G, nbunch2)
        kept = second[v] | ((turn[v] >= 0) & second[u])
    if not G.directed:
        kept &= (turn[v] < 0) | (turn[v] >= turn[u])
    return iter(zip(_nodes_at(G, u[kept]), _nodes_at(G, v[kept])))


def _node_boundary(G, nbunch1, nbunch2=None):
    first = _flags(G, nbunch1)
    near = np.zeros(len(G), dtype=bool)
    near[G.indices[first[G.starts]]] = True
    return _set_at(G, near & ~first & (True if nbunch2 is None else _flags(G, nbunch2)))


def _maximal_independent_set(G, nodes=None, seed=None):
    first = [G.position[node] for node in set(nodes or ())]
    free = np.ones(len(G), dtype=bool)
    free[first] = False
    free[G.indices[np.isin(G.starts, first)]] = False
    places = np.flatnonzero(free)
    chosen = graph.run("independent-set", G.matrix()[places][:, places]).values if len(places) else np.zeros(0)
    found = _nodes_at(G, [*first, *places[chosen > 0].tolist()])
    return set(found) if version_of_networkx() >= (3, 7) else found


def _greedy_color(G, strategy="largest_first", interchange=False):
    if strategy == "random_sequential":
        return _by_node(G, _run("colouring", G))
    order = np.argsort(-G.degrees(incoming=True), kind="stable").astype(np.int32)
    return dict(zip(_nodes_at(G, order), _core.greedy_colors(G.indptr, G.indices, order)[order].tolist()))


def _louvain_communities(G, weight="weight", resolution=1, threshold=1e-7, max_level=None, seed=None):
    if not len(G.indices):
        return [{node} for node in G]
    return _groups(G, graph.run("communities", G.checked(weight), resolution=resolution).values)


def _asyn_lpa_communities(G, weight=None, seed=None):
    yield from _propagated(G)


def _fast_label_propagation_communities(G, *, weight=None, seed=None):
    yield from _propagated(G)


def _propagated(G):
    found = graph.run("label-propagation", G.checked())
    if not found.facts["converged"]:
        raise NotImplementedError("label propagation: labels still change after the largest number of sweeps")
    return _groups(G, found.values)


def _seed_refusal(given):
    return None if given["seed"] is None or given["seed"] is random._inst else "a seed is given, for which NetworkX's answer is one"


def _louvain_refusal(given):
    if not (_real(given["resolution"]) and given["resolution"] > 0):
        return "resolution is not a positive number"
    return _seed_refusal(given)


def _set_refusal(given):
    G, nodes = given["G"], given["nodes"]
    if nodes and not _iterable_of(nodes, G):
        return "nodes is not a list of nodes of the graph"
    if nodes and not _are_independent(G, set(nodes)):
        return "nodes are not independent"
    return _seed_refusal(given)


def _are_independent(G, nodes):
    if not hasattr(G, "indptr"):
        return not any(v in nodes for u in nodes for v in G.adj[u])
    at = [G.position[node] for node in nodes]
    return not (np.isin(G.starts, at) & np.isin(G.indices, at)).any()


def _strategy_refusal(given):
    known = given["strategy"] in ("largest_first", "random_sequential") if isinstance(given["strategy"], str) else False
    return None if known else 'strategy is neither "largest_first" nor "random_sequential"'


def _matching_refusal(given):
    matching = given["matching"]
    edges = list(matching.items()) if isinstance(matching, dict) else matching
    if isinstance(edges, (list, tuple, set, frozenset)) and all(
            isinstance(edge, tuple) and all(isinstance(node, Hashable) for node in edge) for edge in edges):
        return None
    return "matching is neither a dict nor a set of tuples of nodes"


def _path_refusal(given):
    nodes = given["nodes"]
    return None if isinstance(nodes, (list, tuple)) and all(isinstance(node, Hashable) for node in nodes) else (
        "nodes is not a list of nodes")


def _bunches_refusal(given):
    for key in ("nbunch1", "nbunch2"):
        nodes = given[key]
        if not (nodes is None and key == "nbunch2") and not (
                isinstance(nodes, (list, tuple, set, frozenset, dict)) and all(isinstance(node, Hashable) for node in nodes)):
            return f"{key} is not a list of nodes"
    return None


def _number_refusal(given):
    return None if given["k"] is None or _real(given["k"]) else "k is not a number"


def _given_number_refusal(given):
    return None if _real(given["k"]) else "k is not a number"


def _spanning_edges_refusal(given):
    return None if isinstance(given["data"], bool) else "data is neither True nor False"  # NetworkX does not convert others


def _ego_refusal(given):
    if given["undirected"] and given["distance"] is not None and given["G"].is_directed():
        return "undirected with distances takes the attributes of one direction"
    if given["radius"] is None:
        return None
    return _cutoff_refusal({"cutoff": given["radius"]})


def _members_refusal(given):
    G, nodes = given["G"], given["nodes"]
    if nodes is None or nodes in G or _iterable_of(nodes, G):
        return None
    return "nodes is neither a node nor a list of nodes of the graph"


_ALL, _KRUSKAL = {"attributes": "all"}, {"algorithm": "kruskal"}
_WEAK, _SEVERAL = {"directed": True, "several": True}, {"several": True}
_CORES = {**_ALL, "directed": False, "loops": False, "only": {"core_number": None}, "arguments": _number_refusal}
_SPANNING = {"directed": False, "only": _KRUSKAL, "weight": "weight", "use": "order"}
_LABELS = {"directed": False, "loops": False, "only": {"weight": None}, "arguments": _seed_refusal}
FUNCTIONS = (
    (_weakly_connected_components, "search", _WEAK),
    (_number_weakly_connected_components, "search", _WEAK),
    (_is_weakly_connected, "search", _WEAK),
    (_is_tree, "search", _SEVERAL),
    (_is_forest, "search", _SEVERAL),
    (_is_arborescence, "search", _WEAK),
    (_is_branching, "search", _WEAK),
    (_isolates, "search", _SEVERAL),
    (_number_of_isolates, "search", _SEVERAL),
    (_overall_reciprocity, "pass", {"directed": True}),
    (_reciprocity, "pass", {"directed": True, "arguments": _members_refusal}),
    (_k_core, "pass", _CORES),
    (_k_shell, "pass", _CORES),
    (_k_crust, "pass", _CORES),
    (_k_corona, "pass", {**_CORES, "arguments": _given_number_refusal}),
    (_k_truss, "heavy", {**_ALL, "directed": False, "loops": False, "arguments": _given_number_refusal}),
    (_ego_graph, "local", {**_ALL, "node": "n", "weight": "distance", "arguments": _ego_refusal}),
    (_minimum_spanning_edges, "pass", {**_SPANNING, "attributes": "edges", "arguments": _spanning_edges_refusal}),
    (_maximum_spanning_edges, "pass", {**_SPANNING, "attributes": "edges", "arguments": _spanning_edges_refusal}),
    (_minimum_spanning_tree, "pass", {**_SPANNING, **_ALL}),
    (_maximum_spanning_tree, "pass", {**_SPANNING, **_ALL}),
    (_maximal_matching, "search", {"directed": False}),
    (_maximal_independent_set, "search", {**_SEVERAL, "directed": False, "loops": False, "arguments": _set_refusal}),
    (_greedy_color, "pass", {**_SEVERAL, "directed": False, "only": {"interchange": False}, "arguments": _strategy_refusal}),
    (_is_matching, "local", {**_SEVERAL, "arguments": _matching_refusal}),
    (_is_perfect_matching, "local", {**_SEVERAL, "arguments": _matching_refusal}),
    (_is_maximal_matching, "local", {"arguments": _matching_refusal}),
    (_is_simple_path, "local", {**_SEVERAL, "arguments": _path_refusal}),
    (_edge_boundary, "local", {"only": {"data": False, "keys": False}, "arguments": _bunches_refusal}),
    (_node_boundary, "local", {**_SEVERAL, "arguments": _bunches_refusal}),
    (_louvain_communities, "heavy", {"directed": False, "loops": False, "weight": "weight", "use": "shares",
                                     "only": {"threshold": 1e-7, "max_level": None}, "arguments": _louvain_refusal}),
    (_asyn_lpa_communities, "heavy", _LABELS),
    (_fast_label_propagation_communities, "heavy", _LABELS),
)
