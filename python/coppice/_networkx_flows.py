# SPDX-License-Identifier: BSD-3-Clause
"""Orders, flows, cuts, biconnected components, Eulerian graphs and sums of distances in the NetworkX backend."""

from __future__ import annotations

import math

import numpy as np

from . import _core, graph
from ._networkx_common import (_groups, _nodes_at, _real, _run, _set_at, _sets, depth_first_search, distances_of,
                               rows_in_order)
from ._networkx_paths import _eccentricity, _levels_between
from ._networkx_structure import _is_weakly_connected, _seed_refusal


def _biconnected(G):
    """(label of every vertex, last vertex of each component, parents, vertices as NetworkX's search leaves them).

    Labels rise in the order in which the depth-first search ends with the components; the lower ends of the tree edges of a
    component have its label, roots have -1. Its last vertex is the lower end that is left last; the parent of this vertex is
    the only other vertex of the component.
    """
    order, parent, left = depth_first_search(G)
    label, tops = _core.biconnected_labels(G.indptr, G.indices, order, parent, left)
    return label, tops, parent, left


def _biconnected_components(G):
    label, tops, parent, _ = _biconnected(G)
    for component, head in zip(_sets(G, label)[1:], _nodes_at(G, parent[tops])):
        component.add(head)
        yield component


def _is_biconnected(G):
    start, end, number = _run("biconnected", G)
    return bool(len(number) and number.max() == 1 and len(np.unique(np.concatenate([start, end]))) == len(G))


def _articulation_points(G):
    """NetworkX knows a root when its search ends, another vertex when the first component below it ends."""
    _, tops, parent, left = _biconnected(G)
    turn, heads = np.empty(len(G), dtype=np.int64), parent[tops]
    turn[left] = np.arange(len(G))
    roots = parent[heads] == heads
    found = ~roots | (np.bincount(heads, minlength=len(G))[heads] > 1)
    order = np.argsort(np.where(roots, turn[heads], turn[tops])[found], kind="stable")
    heads = heads[found][order]
    yield from _nodes_at(G, heads[np.sort(np.unique(heads, return_index=True)[1])])


def _topological_generations(G):
    """NetworkX lists a node when the last edge to it is read: a generation has the order of these edges."""
    from networkx import NetworkXUnfeasible

    levels = _run("topological-levels", G).astype(np.int64)
    generation, level = np.flatnonzero(levels == 0), 0
    while len(generation):
        _refuse_changes(G, generation)
        yield _nodes_at(G, generation)
        level += 1
        _, ends = rows_in_order(G, generation)
        ends = ends[levels[ends] == level][::-1]
        vertices, last = np.unique(ends, return_index=True)
        generation = vertices[np.argsort(-last)]
    if (levels < 0).any():
        raise NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _refuse_changes(G, generation):
    """Raise what NetworkX raises if nodes of a generation lost or gained edges while the caller iterates."""
    from networkx import NetworkXUnfeasible

    origin = G.origin and G.origin()
    if origin is None:
        return
    count = (lambda row: sum(1 for _ in row)) if origin.is_multigraph() else len  # see `convert_from_nx` about rows of views
    for v in generation.tolist():
        edges = count(origin.adj[G.nodes[v]]) if G.nodes[v] in origin else math.inf
        if edges > G.indptr[v + 1] - G.indptr[v]:
            raise RuntimeError("Graph changed during iteration")
        if edges < G.indptr[v + 1] - G.indptr[v]:
            raise NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration")


def _topological_sort(G):
    for generation in _topological_generations(G):
        yield from generation


def _has_cycle(G):
    return not graph.run("topological-levels", G.checked()).facts["acyclic"]


def _dag_longest_path_length(G, weight="weight", default_weight=1):
    from networkx import NetworkXUnfeasible

    try:
        longest = graph.run("longest-paths", G.checked(weight)).facts["longest"]
    except ArithmeticError:
        raise NetworkXUnfeasible("Graph contains a cycle or graph changed during iteration") from None
    return int(longest) if G.lengths(weight).integers else longest


def _maximum_flow(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    ends, values = _network(flowG, _s, _t, capacity)
    found = graph.run("max-flow", _matrix_of(flowG, values), source=ends[0], sink=ends[1])
    n, (start, end, flow) = len(flowG), found.values
    # NetworkX has the net flow of a pair of nodes, in the direction in which it is positive
    keys, here = start.astype(np.int64) * n + end, flowG.starts.astype(np.int64) * n + flowG.indices
    order = np.argsort(keys)
    keys, flow = keys[order], flow[order]
    back = flowG.indices.astype(np.int64) * n + flowG.starts
    net = np.maximum(_looked_up(keys, flow, here) - _looked_up(keys, flow, back), 0)
    value, whole = found.facts["flow"], flowG.lengths(capacity, math.inf).finite_are_integers()
    net = (net.astype(np.int64) if whole else net).tolist()
    names = flowG.nodes
    rows = zip(flowG.indptr[:-1].tolist(), flowG.indptr[1:].tolist())
    flows = {names[u]: dict(zip(map(names.__getitem__, flowG.indices[first:last].tolist()), net[first:last]))
             for u, (first, last) in enumerate(rows)}
    return int(value) if whole else value, flows


def _looked_up(keys, values, wanted):
    """The values of sorted keys; 0 for others."""
    if not len(keys):
        return np.zeros(len(wanted))
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0.0)


def _maximum_flow_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _cut(flowG, _s, _t, capacity)[0]


def _minimum_cut_value(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    return _cut(flowG, _s, _t, capacity)[0]


def _minimum_cut(flowG, _s, _t, capacity="capacity", flow_func=None, **kwargs):
    value, sides = _cut(flowG, _s, _t, capacity)
    return value, (_set_at(flowG, sides == 1), _set_at(flowG, sides == 0))


def _network(G, source, sink, capacity):
    """(positions of source and sink, finite capacities of the stored edges)."""
    from networkx import NetworkXError, NetworkXUnbounded

    for node in (source, sink):
        if node not in G:
            raise NetworkXError(f"node {node} not in graph")
    if source == sink:
        raise NetworkXError("source and sink are the same node")
    lengths = G.lengths(capacity, math.inf)
    ends, values = (G.position[source], G.position[sink]), lengths.array.copy()
    endless = np.isinf(values)
    if endless.any() and np.isfinite(_levels_over(G, endless, ends[0])[ends[1]]):
        raise NetworkXUnbounded("Infinite capacity path, flow unbounded above.")
    values[endless] = 1 + values[~endless].sum()  # more than any cut that is not endless
    return ends, values


def _cut(G, source, sink, capacity):
    """(value, 1 for the vertices that do not reach the sink in the residual network, else 0)."""
    ends, values = _network(G, source, sink, capacity)
    found = graph.run("min-cut", _matrix_of(G, values), source=ends[0], sink=ends[1])
    value = found.facts["cut"]
    return int(value) if G.lengths(capacity, math.inf).finite_are_integers() else value, found.values


def _matrix_of(G, values):
    from scipy.sparse import csr_array

    return csr_array((values, G.indices, G.indptr), shape=(len(G), len(G))).tocsc().tocsr()


def _levels_over(G, edges, start):
    """Levels of a search over some of the stored edges."""
    from scipy.sparse import csr_array

    offsets = np.concatenate([[0], np.cumsum(edges)])[G.indptr]
    some = csr_array((np.ones(int(offsets[-1])), G.indices[edges], offsets), shape=(len(G), len(G)))
    found = graph.run("bfs", some.tocsc().tocsr(), source=start).values
    return np.where(found >= 0, found, np.inf)


def _leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None):
    if not len(G.indices):
        return [{node} for node in G]
    return _groups(G, graph.run("leiden", G.checked(weight), resolution=resolution).values)


def _center(G, e=None, usebounds=False, weight=None):
    found = _eccentricity(G, weight=weight)
    least = min(found.values())
    return [node for node in G if found[node] == least]


def _distance_sum(G, weight, factor=None):
    """The sum over ordered pairs of vertices of their distance times factor(u, all v); infinity: not connected."""
    total = 0.0
    for start, found in distances_of(G, range(len(G)), weight):
        if not np.isfinite(found).all():
            return math.inf
        total += float((found if factor is None else found * factor(start)).sum())
    return int(total) if G.lengths(weight).integers else total


def _wiener_index(G, weight=None):
    total = _distance_sum(G, weight)
    return total if G.directed else total / 2


def _schultz_index(G, weight=None):
    degrees = G.degrees()
    return _distance_sum(G, weight, lambda u: degrees[u] + degrees) / 2


def _gutman_index(G, weight=None):
    degrees = G.degrees()
    return _distance_sum(G, weight, lambda u: degrees[u] * degrees) / 2


def _harmonic_diameter(G, sp=None, *, weight=None):
    total, n = 0.0, len(G)
    for _, found in distances_of(G, range(n), weight):
        total += float((1 / found[np.isfinite(found) & (found != 0)]).sum())
    if total:
        return n * (n - 1) / total
    return math.inf if n > 1 else math.nan


def _efficiency(G, u, v):
    from networkx import NetworkXNoPath

    try:
        return 1 / _levels_between(G, u, v)
    except NetworkXNoPath:
        return 0


def _is_regular(G):
    out, come = G.degrees(), G.degrees(incoming=True, outgoing=False)
    return bool((out == out[0]).all() and (not G.directed or (come == come[0]).all()))


def _is_k_regular(G, k):
    return bool((G.degrees() == k).all())


def _excess(G):
    """Outgoing minus incoming edges, or degrees modulo 2: 0 at vertices where an Eulerian path does not end."""
    return G.degrees() - G.degrees(incoming=True, outgoing=False) if G.directed else G.degrees() % 2


def _is_eulerian(G):
    if _excess(G).any():
        return False
    return len(np.unique(_run("strong-components" if G.directed else "components", G))) == 1


def _has_eulerian_path(G, source=None):
    if _is_eulerian(G):
        return True
    ends = _excess(G)
    odd = ends[ends != 0]
    return bool(len(odd) <= 2 and (np.abs(odd) == 1).all() and ((odd == 1).sum() <= 1 if G.directed else len(odd) == 2)
                and _is_weakly_connected(G))


def _is_semieulerian(G):
    return _has_eulerian_path(G) and not _is_eulerian(G)


def _number_attracting_components(G):
    """Strong components that no edge leaves."""
    labels = _run("strong-components", G)
    leaves = labels[G.starts] != labels[G.indices]
    return len(np.setdiff1d(labels, labels[G.starts[leaves]]))


def _is_attracting_component(G):
    return len(np.unique(_run("strong-components", G))) == 1


def _is_semiconnected(G):
    """Whether the strong components are a chain: each level of their graph has one, and no level lacks one."""
    from scipy.sparse import csr_array

    names, labels = np.unique(_run("strong-components", G), return_inverse=True)
    start, end, n = labels[G.starts], labels[G.indices], len(names)
    between = start != end
    condensed = csr_array((np.ones(between.sum()), (start[between], end[between])), shape=(n, n))
    condensed.sum_duplicates()
    return graph.run("topological-levels", condensed).facts["levels"] == n


def _flow_hierarchy(G, weight=None):
    from networkx import NetworkXError

    if not len(G.indices):
        raise NetworkXError("flow_hierarchy not applicable to empty graphs")
    labels = _run("strong-components", G)
    weights = np.ones(len(G.indices)) if weight is None else G.lengths(weight).array
    return 1 - float(weights[labels[G.starts] == labels[G.indices]].sum()) / float(weights.sum())


def _marked(G, nodes):
    marks = np.zeros(len(G), dtype=bool)
    marks[[G.position[node] for node in nodes]] = True
    return marks


def _sum(G, weight, edges):
    weights = np.ones(len(G.indices)) if weight is None else G.lengths(weight).array
    total = float(weights[edges].sum())
    return int(total) if G.lengths(weight).integers or not edges.any() else total  # NetworkX's sum of nothing is 0


def _cut_size(G, S, T=None, weight=None):
    inside = _marked(G, S)
    outside = ~inside if T is None else _marked(G, T)
    cut = inside[G.starts] & outside[G.indices]
    return _sum(G, weight, cut | (outside[G.starts] & inside[G.indices]) if G.directed else cut)


def _volume(G, S, weight=None):
    inside = _marked(G, S)
    total = _sum(G, weight, inside[G.starts])
    return total if G.directed else total + _sum(G, weight, inside[G.starts] & (G.starts == G.indices))


def _others(G, S, T):
    return set(G) - set(S) if T is None else T


def _normalized_cut_size(G, S, T=None, weight=None):
    T = _others(G, S, T)
    return _cut_size(G, S, T, weight) * (1 / _volume(G, S, weight) + 1 / _volume(G, T, weight))


def _conductance(G, S, T=None, weight=None):
    T = _others(G, S, T)
    return _cut_size(G, S, T, weight) / min(_volume(G, S, weight), _volume(G, T, weight))


def _modularity(G, communities, weight="weight", resolution=1):
    label = np.empty(len(G), dtype=np.int64)
    for k, community in enumerate(communities):
        label[[G.position[node] for node in community]] = k
    weights = np.ones(len(G.indices)) if weight is None else G.lengths(weight).array
    loops = 1.0 if G.directed else np.where(G.starts == G.indices, 2.0, 1.0)
    out, come = (np.bincount(label[ends], weights * loops, len(communities)) for ends in (G.starts, G.indices))
    inner = np.where(label[G.starts] == label[G.indices], weights * loops, 0.0)
    total = out.sum()
    return float(inner.sum() / total - resolution * (out * come).sum() / total**2)


def _s_metric(G):
    degrees = G.degrees(incoming=True)
    once = G.directed | (G.indices >= G.starts)
    return float((degrees[G.starts] * degrees[G.indices])[once].sum())


def _is_bipartite(G):
    """No vertex is connected to its copy in the graph of two copies of each vertex, whose edges lead to the other copy."""
    from scipy.sparse import block_array

    both = G.both_directions
    labels = graph.run("components", block_array([[None, both], [both, None]], format="csr")).values
    return bool((labels[:len(G)] != labels[len(G):]).all())


def _flow_refusal(given):
    if given["flow_func"] is not None or given["kwargs"]:
        return "flow_func is given"
    return None if isinstance(given["capacity"], str) else "capacity is not the name of an edge attribute"


def _leiden_refusal(given):
    if not (_real(given["resolution"]) and given["resolution"] > 0):
        return "resolution is not a positive number"
    return _seed_refusal(given)


def _pair_refusal(given):
    return "u or v is None" if given["u"] is None or given["v"] is None else None


def _degree_refusal(given):
    return None if _real(given["k"]) else "k is not a number"


def _set_of(nodes, G):
    """Whether these are some nodes of the graph, each once."""
    if not isinstance(nodes, (list, tuple, set, frozenset)) or not all(node in G for node in nodes):
        return False
    return len(set(nodes)) == len(nodes)


def _sides_refusal(given):
    G, S, T = given["G"], given["S"], given.get("T")
    if not _set_of(S, G) or (T is not None and not _set_of(T, G)):
        return "S or T is not a list or set of nodes of the graph, each once"
    if T is not None and set(S) & set(T):
        return "S and T have common nodes"
    return None


def _directed_sides_refusal(given):
    """NetworkX has no complement of S for directed graphs."""
    return _sides_refusal(given) or ("T is None" if given["T"] is None and given["G"].is_directed() else None)


def _partition_refusal(given):
    G, communities = given["G"], given["communities"]
    if not (_real(given["resolution"]) and isinstance(communities, (list, tuple))):
        return "resolution is not a number, or communities are not a list"
    if not all(_set_of(community, G) for community in communities) or sum(map(len, communities)) != len(G) or len(
            set().union(*communities)) != len(G):
        return "communities are not a partition of the nodes"
    return None if G.number_of_edges() else "the graph has no edges"


_SEVERAL, _SEARCHED = {"several": True}, {"several": True, "directed": False}
_ACYCLIC = {"directed": True, "several": True}
_FLOW = {"node": ("_s", "_t"), "weight": "capacity", "use": "capacities", "default": math.inf, "arguments": _flow_refusal}
_SUMS = {"weight": "weight", "several": True}
_SIDES = {"weight": "weight", "arguments": _sides_refusal}
FUNCTIONS = (
    (_biconnected_components, "heavy", _SEARCHED),
    (_is_biconnected, "heavy", _SEARCHED),
    (_articulation_points, "heavy", _SEARCHED),
    (_topological_generations, "local", _ACYCLIC),
    (_topological_sort, "local", _ACYCLIC),
    (_has_cycle, "local", _ACYCLIC),
    (_dag_longest_path_length, "pass", {"directed": True, "weight": "weight", "use": "signed", "only": {"default_weight": 1}}),
    (_maximum_flow, "heavy", _FLOW),
    (_maximum_flow_value, "heavy", _FLOW),
    (_minimum_cut_value, "heavy", _FLOW),
    (_minimum_cut, "heavy", {**_FLOW, "use": "exact capacities"}),
    (_leiden_communities, "heavy", {"directed": False, "loops": False, "weight": "weight", "use": "shares",
                                    "only": {"max_level": None, "metric": "modularity"}, "arguments": _leiden_refusal}),
    (_center, "sources", {**_SUMS, "only": {"e": None, "usebounds": False}}),
    (_wiener_index, "sources", _SUMS),
    (_schultz_index, "sources", {"weight": "weight", "directed": False}),
    (_gutman_index, "sources", {"weight": "weight", "directed": False}),
    (_harmonic_diameter, "sources", {**_SUMS, "only": {"sp": None}}),
    (_efficiency, "local", {"node": ("u", "v"), "arguments": _pair_refusal, "several": True, "directed": False}),
    (_is_regular, "local", _SEVERAL),
    (_is_k_regular, "local", {**_SEARCHED, "arguments": _degree_refusal}),
    (_is_eulerian, "local", _SEVERAL),
    (_has_eulerian_path, "local", {**_SEVERAL, "only": {"source": None}}),
    (_is_semieulerian, "search", _SEVERAL),
    (_number_attracting_components, "pass", _ACYCLIC),
    (_is_attracting_component, "pass", _ACYCLIC),
    (_is_semiconnected, "pass", _ACYCLIC),
    (_flow_hierarchy, "pass", {"directed": True, "weight": "weight", "use": "shares"}),
    (_cut_size, "local", {**_SIDES, "arguments": _directed_sides_refusal}),
    (_volume, "local", _SIDES),
    (_normalized_cut_size, "local", _SIDES),
    (_conductance, "local", _SIDES),
    (_modularity, "local", {"weight": "weight", "use": "shares", "arguments": _partition_refusal}),
    (_s_metric, "search", {"directed": False}),
    (_is_bipartite, "local", _SEVERAL),
)
