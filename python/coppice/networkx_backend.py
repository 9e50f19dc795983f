# SPDX-License-Identifier: BSD-3-Clause
"""NetworkX backend: ``networkx.pagerank(G, backend="coppice")`` and the functions below.

A call either returns the result of NetworkX or is refused with a reason: `can_run` returns the reason, and functions
that are called on a converted graph raise NotImplementedError, so that NetworkX can use its own function. Iterative
methods use the steps and the initial values of NetworkX; sums of floating-point numbers may be rounded differently.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Hashable
from functools import cached_property
from itertools import chain

import numpy as np

from . import graph


class Graph:
    """A NetworkX graph as arrays, with its nodes in order; the argument of the functions of the backend.

    Attributes
    ----------
    nodes : list
    indptr, indices : the positions of the neighbours of every node, in the order of NetworkX
    values : dict from an edge attribute to the list of its values in this order, for the requested attributes
    present : those of them that at least one edge has
    """

    __networkx_backend__ = "coppice"

    def __init__(self, nodes, indptr, indices, directed, values=None, present=()):
        self.nodes, self.indptr, self.indices, self.directed = nodes, indptr, indices, directed
        self.values, self.present, self._matrices, self._lengths = values or {}, frozenset(present), {}, {}

    def is_directed(self):
        return self.directed

    def is_multigraph(self):
        return False

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node):
        try:
            return node in self.position
        except TypeError:
            return False

    def number_of_edges(self):
        return len(self.indices) if self.directed else (len(self.indices) + self.loops) // 2

    @cached_property
    def position(self):
        return {node: k for k, node in enumerate(self.nodes)}

    @cached_property
    def loops(self):
        rows = np.repeat(np.arange(len(self), dtype=self.indices.dtype), np.diff(self.indptr))
        return int(np.count_nonzero(rows == self.indices))

    @cached_property
    def symmetric(self):
        """Whether every edge has its reverse."""
        A = self.matrix()
        return not self.directed or (A != A.T).nnz == 0

    @cached_property
    def incoming(self):
        return self.matrix().T.tocsr() if self.directed else self.matrix()

    def lengths(self, attribute):
        """Return the `_Lengths` of an edge attribute; for None, every edge has length 1."""
        if attribute is None:
            return _UNIT
        if attribute not in self.values:
            return _Lengths(None, f"the graph was converted without the edge attribute {attribute!r}")
        if attribute not in self._lengths:
            self._lengths[attribute] = _lengths_of(self.values[attribute])
        return self._lengths[attribute]

    def matrix(self, attribute=None):
        """Return a csr_array of ones, or of the lengths of that attribute, with sorted columns."""
        from scipy.sparse import csr_array

        if attribute not in self._matrices:
            data = np.ones(len(self.indices)) if attribute is None else self.lengths(attribute).array
            # conversion to CSC and back sorts in linear time
            made = csr_array((data, self.indices, self.indptr), shape=(len(self), len(self)))
            self._matrices[attribute] = made.tocsc().tocsr()
        return self._matrices[attribute]


class _Lengths:
    """Values of an edge attribute as float64, or the reason why the backend does not accept them."""

    def __init__(self, array, refusal, integers=False):
        self.array, self.refusal, self.integers = array, refusal, integers


_UNIT = _Lengths(None, None, True)
_INTEGERS, _FLOATS = {int, bool, np.bool_, np.int64}, {float, np.float64}


def _lengths_of(values):
    """Return the lengths if the sums of Dijkstra's algorithm in NetworkX and here are equal."""
    kinds = set(map(type, values))
    if not kinds <= _INTEGERS | _FLOATS:
        return _Lengths(None, "an edge has a length that is neither int nor float, or hides it by None")
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        return _Lengths(None, "an edge has a length beyond float64")
    with np.errstate(all="ignore"):
        total = float(array.sum())
    if array.size and not array.min() >= 0:
        return _Lengths(None, "an edge has a negative length, or NaN")
    if not total < 1e300:
        return _Lengths(None, "lengths are infinite, or their sum overflows")
    if kinds & _INTEGERS and total > 2**53:
        return _Lengths(None, "sums of integer lengths may exceed 2^53")
    return _Lengths(array, None, kinds <= _INTEGERS)


def _pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight",
              dangling=None):
    # NetworkX stops if the sum of changes is below n tol.
    return _by_node(G, _iterated("pagerank", G, max_iter, max_iter, len(G) * tol, damping=alpha))


def _eigenvector_centrality(G, max_iter=100, tol=1e-6, nstart=None, weight=None):
    # NetworkX starts from 1 / n, the library from 1 / sqrt(n): only the change of the first step differs.
    n, tolerance = len(G), len(G) * tol
    x = 1.0 + np.diff(G.incoming.indptr)
    x /= np.linalg.norm(x)
    if np.abs(x - 1 / n).sum() < tolerance:
        return _by_node(G, x)
    if np.abs(x - 1 / math.sqrt(n)).sum() >= tolerance:
        return _by_node(G, _iterated("eigenvector", G, max_iter, max_iter, tolerance))
    for _ in range(max_iter - 1):  # the library would stop too early
        last, x = x, x + G.incoming @ x
        x /= np.linalg.norm(x)
        if np.abs(x - last).sum() < tolerance:
            return _by_node(G, x)
    raise _not_converged(max_iter)


def _katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None):
    # NetworkX starts from 0, so that its first step gives the initial values of the library for beta = 1.
    scores = beta * _iterated("katz", G, max_iter, max_iter - 1, len(G) * tol / abs(beta), alpha=alpha)
    return _by_node(G, scores / np.linalg.norm(scores) if normalized else scores)


def _betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n, scores = len(G), _run("betweenness", G)
    if G.directed and G.symmetric:
        scores = 2 * scores  # pairs of a symmetric matrix are counted once
    if normalized and n > 2:
        scores = scores * ((1 if G.directed else 2) / ((n - 1) * (n - 2)))
    return _by_node(G, scores)


def _closeness_centrality(G, u=None, distance=None, wf_improved=True):
    if u is None:
        return _by_node(G, _run("closeness", G))
    levels = graph.run("bfs", G.incoming, source=_source(G, u, "Source {} is not in G")).values
    reached = levels[levels >= 0]
    others, total = len(reached) - 1.0, float(reached.sum())
    return others / total * (others / (len(G) - 1)) if total > 0 else 0.0


def _connected_components(G):
    yield from _groups(G, _run("components", G))


def _number_connected_components(G):
    return len(np.unique(_run("components", G)))


def _is_connected(G):
    return _number_connected_components(G) == 1


def _node_connected_component(G, n):
    position = G.position[n]  # KeyError, as of NetworkX
    labels = _run("components", G)
    return {G.nodes[k] for k in np.flatnonzero(labels == labels[position]).tolist()}


def _strongly_connected_components(G):
    labels = _run("strong-components", G)
    groups = _groups(G, labels)
    finished = _finish_of_components(G, labels)
    yield from (group for _, group in sorted(zip(finished, groups), key=lambda pair: pair[0]))


def _number_strongly_connected_components(G):
    return len(np.unique(_run("strong-components", G)))


def _is_strongly_connected(G):
    return _number_strongly_connected_components(G) == 1


def _bridges(G, root=None):
    start, end = _run("bridges", G)[:2]
    u, v = np.minimum(start, end), np.maximum(start, end)
    wanted = dict.fromkeys(zip(u.tolist(), v.tolist()))
    for k in np.unique(u).tolist():  # in the order of G.edges
        for neighbor in G.indices[G.indptr[k]:G.indptr[k + 1]].tolist():
            if (k, neighbor) in wanted:
                yield G.nodes[k], G.nodes[neighbor]


def _has_bridges(G, root=None):
    return len(_run("bridges", G)[0]) > 0


def _core_number(G):
    return {node: int(core) for node, core in _by_node(G, _run("cores", G)).items()}


def _triangles(G, nodes=None):
    return _of_nodes(G, {node: int(count) for node, count in _by_node(G, _run("triangles", G)).items()}, nodes)


def _clustering(G, nodes=None, weight=None):
    degree = np.diff(G.indptr).astype(float)
    return _of_nodes(G, _by_node(G, 2 * _run("triangles", G) / np.maximum(degree * (degree - 1), 1)), nodes)


def _average_clustering(G, nodes=None, weight=None, count_zeros=True):
    return sum(_clustering(G).values()) / len(G)


def _transitivity(G):
    return graph.run("triangles", G.matrix()).facts["transitivity"]


def _single_source_shortest_path_length(G, source, cutoff=None):
    start = _source(G, source, "Source {} is not in G")
    if cutoff is not None and math.isfinite(cutoff):
        cutoff = math.ceil(cutoff)  # NetworkX continues to the next level from one level below the cutoff
    return _from_source(G, _run("bfs", G, source=start), start, cutoff, True)


def _single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    start = _source(G, source, "Node {} not found in graph")
    found = graph.run("sssp", G.matrix(weight), source=start).values
    return _from_source(G, np.where(np.isfinite(found), found, -1), start, cutoff, G.lengths(weight).integers)


def _source(G, node, message):
    from networkx import NodeNotFound

    if node not in G:
        raise NodeNotFound(message.format(node))
    return G.position[node]


def _run(name, G, **options):
    return graph.run(name, G.matrix(), **options).values


def _iterated(name, G, max_iter, steps, tolerance, **options):
    try:
        return _run(name, G, tolerance=tolerance, max_iterations=steps, **options)
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


def _groups(G, labels):
    """Return the sets of nodes, in the order of their first nodes."""
    groups: dict = {}
    for node, label in zip(G.nodes, labels.tolist()):
        groups.setdefault(label, set()).add(node)
    return list(groups.values())


def _finish_of_components(G, labels):
    """Return the finishing times of the components in NetworkX's depth-first search, in the order of `_groups`."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import depth_first_order

    n = len(G)  # an additional vertex, whose edges are in the order of the sources
    indices = np.concatenate([G.indices, np.arange(n)])
    indptr = np.concatenate([G.indptr, [len(indices)]])
    everywhere = csr_array((np.ones(len(indices)), indices, indptr), shape=(n + 1, n + 1))
    order, parent = depth_first_order(everywhere, n, directed=True)
    order, parent = order.tolist(), parent.tolist()
    size, depth, first = [1] * (n + 1), [0] * (n + 1), {}
    for v in reversed(order[1:]):
        size[parent[v]] += size[v]
    finish = [0] * (n + 1)
    names = labels.tolist()
    for k, v in enumerate(order[1:]):
        depth[v] = depth[parent[v]] + 1
        finish[v] = k + size[v] - depth[v]
        first.setdefault(names[v], v)  # the component ends with its first vertex
    return [finish[first[label]] for label in dict.fromkeys(names)]


def _from_source(G, found, start, cutoff, integers):
    """Order nodes by increasing distance, nodes of equal distance as in the graph. -1: not reached."""
    kept = (found >= 0) & (found <= (np.inf if cutoff is None else cutoff))
    kept[start] = True
    places = np.flatnonzero(kept)
    places = places[np.argsort(found[places], kind="stable")]
    places = [start] + [k for k in places.tolist() if k != start]
    lengths = found[places]
    result = dict(zip(map(G.nodes.__getitem__, places), (lengths.astype(np.int64) if integers else lengths).tolist()))
    result[G.nodes[start]] = 0
    return result


def _integer(value, least):
    return isinstance(value, (int, np.integer)) and least <= value < 2**31


def _real(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def _iteration_refusal(tol, max_iter, least=1):
    if not (_real(tol) and tol > 0):
        return "tol is not a positive number"
    return None if _integer(max_iter, least) else f"max_iter is not an integer of {least} or more"


def _pagerank_refusal(given):
    if not (_real(given["alpha"]) and 0 <= given["alpha"] < 1):
        return "alpha is not in [0, 1)"
    return _iteration_refusal(given["tol"], given["max_iter"])


def _eigenvector_refusal(given):
    return _iteration_refusal(given["tol"], given["max_iter"])


def _katz_refusal(given):
    alpha, beta, tol = given["alpha"], given["beta"], given["tol"]
    if not (_real(alpha) and 0 < alpha < 1e300):
        return "alpha is not a positive number"
    if not (_real(beta) and _real(tol) and tol < abs(beta) < 1e100):
        return "beta is not a number beyond tol"
    return _iteration_refusal(tol, given["max_iter"], 2)


def _nodes_refusal(given):
    G, nodes = given["G"], given["nodes"]
    if nodes is None or nodes in G:
        return None
    if not isinstance(nodes, (list, tuple, set, frozenset, dict)):
        return "nodes is neither a node nor a list of nodes"
    return None if all(node in G for node in nodes) else "nodes are not all in the graph"


def _cutoff_refusal(given):
    cutoff = given["cutoff"]
    if cutoff is None or (isinstance(cutoff, (int, float)) and (abs(cutoff) <= 2**53 or cutoff in (math.inf, -math.inf))):
        return None
    return "cutoff is not a number up to 2^53, or infinity"


class _Need:
    """Requirements of a function of the backend.

    only : the supported values of some arguments.
    node : the argument that is a node, if one is.
    arguments : function of the bound arguments that returns why they are not supported; None: they are supported.
    directed : True or False if only directed or undirected graphs are supported.
    loops : whether the graph may have edges from a node to itself.
    weight : the argument that names an edge attribute: its `lengths` are read, or (`absent`) no edge may have it.
    cost : the time of the call in NetworkX: "search" (less than the conversion), "pass" (about as much as the
        conversion), "heavy" (several times as much).
    """

    def __init__(self, function, cost, only=(), node=None, arguments=None, directed=None, loops=True, weight=None,
                 absent=False):
        self.function, self.cost, self.only, self.node, self.arguments = function, cost, dict(only), node, arguments
        self.directed, self.loops, self.weight, self.absent = directed, loops, weight, absent
        self.signature = inspect.signature(function)

    def bound(self, args, kwargs):
        given = self.signature.bind(*args, **kwargs)
        given.apply_defaults()
        return given.arguments


_FUNCTIONS = {function.__name__[1:]: _Need(function, cost, **needs) for function, cost, needs in (
    (_pagerank, "heavy", {"only": {"personalization": None, "nstart": None, "dangling": None},
                         "arguments": _pagerank_refusal, "weight": "weight", "absent": True}),
    (_eigenvector_centrality, "heavy", {"only": {"nstart": None, "weight": None}, "arguments": _eigenvector_refusal}),
    (_katz_centrality, "heavy", {"only": {"nstart": None, "weight": None}, "arguments": _katz_refusal}),
    (_betweenness_centrality, "heavy", {"only": {"k": None, "weight": None, "endpoints": False}}),
    (_closeness_centrality, "heavy", {"only": {"distance": None, "wf_improved": True}, "node": "u"}),
    (_connected_components, "search", {"directed": False}),
    (_number_connected_components, "search", {"directed": False}),
    (_is_connected, "search", {"directed": False}),
    (_node_connected_component, "search", {"directed": False, "node": "n"}),
    (_strongly_connected_components, "pass", {"directed": True}),
    (_number_strongly_connected_components, "pass", {"directed": True}),
    (_is_strongly_connected, "search", {"directed": True}),
    (_bridges, "heavy", {"directed": False, "only": {"root": None}}),
    (_has_bridges, "heavy", {"directed": False, "only": {"root": None}}),
    (_core_number, "pass", {"directed": False, "loops": False}),
    (_triangles, "pass", {"directed": False, "loops": False, "arguments": _nodes_refusal}),
    (_clustering, "heavy", {"directed": False, "loops": False, "only": {"weight": None}, "arguments": _nodes_refusal}),
    (_average_clustering, "heavy", {"directed": False, "loops": False,
                                    "only": {"nodes": None, "weight": None, "count_zeros": True}}),
    (_transitivity, "heavy", {"directed": False, "loops": False}),
    (_single_source_shortest_path_length, "search", {"node": "source", "arguments": _cutoff_refusal}),
    (_single_source_dijkstra_path_length, "search", {"node": "source", "arguments": _cutoff_refusal, "weight": "weight"}),
)}


def _refusal(name, args, kwargs):
    """Return why the backend cannot return the result of NetworkX for the call; None if it can."""
    need = _FUNCTIONS.get(name)
    if need is None:
        return f"{name} is not a function of the backend"
    try:
        given = need.bound(args, kwargs)
    except TypeError as error:
        return str(error)
    G = given["G"]
    if not isinstance(G, Graph) and not (graph.reads_as_networkx(G) and not G.is_multigraph()):
        return "the graph is a multigraph, or its class overrides how neighbours are read"
    if len(G) == 0:
        return "the graph is empty"
    if need.directed is not None and need.directed != G.is_directed():
        return f"the graph is {'not ' if need.directed else ''}directed"
    for key, value in need.only.items():
        if not (given[key] is value or (type(given[key]) is type(value) and given[key] == value)):
            return f"{key} is not {value!r}"
    if need.node and not isinstance(given[need.node], Hashable):
        return f"{need.node} is not hashable"
    return (need.arguments(given) if need.arguments else None) or _data_refusal(need, given)


def _data_refusal(need, given):
    G = _cached(given["G"]) or given["G"]
    if not need.loops and (G.loops if isinstance(G, Graph) else any(u in row for u, row in G.adjacency())):
        return "the graph has edges from a node to itself"
    if need.weight is None or given[need.weight] is None:
        return None
    attribute = given[need.weight]
    if not isinstance(attribute, str):
        return f"{need.weight} is not the name of an edge attribute"
    G = _cached(given["G"], attribute) or given["G"]
    if need.absent:
        return f"edges have the attribute {attribute!r}" if _has_attribute(G, attribute) else None
    if isinstance(G, Graph):
        return G.lengths(attribute).refusal
    return _lengths_of([data.get(attribute, 1) for _, row in G.adjacency() for data in row.values()]).refusal


def _has_attribute(G, attribute):
    if isinstance(G, Graph):
        return attribute in G.present
    return any(attribute in data for _, row in G.adjacency() for data in row.values())


def _cached(G, attribute=None):
    """Return the converted graph with that attribute from NetworkX's cache of G; None if there is none."""
    import networkx as nx

    if not getattr(getattr(nx, "config", None), "cache_converted_graphs", False):
        return None
    kept = (getattr(G, "__networkx_cache__", None) or {}).get("backends", {}).get("coppice", {})
    return next((found for found in list(kept.values()) if isinstance(found, Graph) and
                 (attribute is None or attribute in found.values)), None)


def _checked(name, function):
    """Wrap a function, so that it raises NotImplementedError if its result would differ from that of NetworkX."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        refusal = _refusal(name, args, kwargs)
        if refusal:
            raise NotImplementedError(f"{name}: {refusal}; NetworkX itself takes such calls")
        return function(*args, **kwargs)

    return call


class _Backend:
    """The backend interface of NetworkX."""

    @staticmethod
    def convert_from_nx(G, *args, edge_attrs=None, name=None, **kwargs):
        if isinstance(G, Graph):
            return G
        if not graph.reads_as_networkx(G) or G.is_multigraph():
            raise NotImplementedError(f"G is a {type(G).__name__}, expected a Graph or DiGraph of NetworkX, which store every "
                                      "edge once, or a class that does not override how neighbours are read")
        nodes, adjacency = list(G), dict(G.adjacency())
        rows = [adjacency[node] for node in nodes]
        position = {node: k for k, node in enumerate(nodes)}
        indptr = np.zeros(len(nodes) + 1, dtype=np.int32)
        np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=indptr[1:])
        indices = np.fromiter(map(position.__getitem__, chain.from_iterable(rows)), np.int32, int(indptr[-1]))
        values = {attribute: [data.get(attribute, default) for row in rows for data in row.values()]
                  for attribute, default in (edge_attrs or {}).items()}
        present = [key for key in values if any(key in data for row in rows for data in row.values())]
        return Graph(nodes, indptr, indices, G.is_directed(), values, present)

    @staticmethod
    def convert_to_nx(result, *args, **kwargs):
        import networkx as nx

        if not isinstance(result, Graph):
            return result
        made = nx.DiGraph() if result.directed else nx.Graph()
        made.add_nodes_from(result.nodes)
        ends, places = np.diff(result.indptr), result.indices.tolist()
        starts = np.repeat(np.arange(len(result)), ends).tolist()
        for k, (u, v) in enumerate(zip(starts, places)):
            made.add_edge(result.nodes[u], result.nodes[v], **{key: values[k] for key, values in result.values.items()})
        return made

    @staticmethod
    def can_run(name, args, kwargs):
        """Whether the call returns the result of NetworkX."""
        return _refusal(name, args, kwargs) is None

    @staticmethod
    def should_run(name, args, kwargs):
        """Whether the call is faster than in NetworkX, including the conversion if the graph is not converted yet."""
        need = _FUNCTIONS[name]
        given = need.bound(args, kwargs)
        G, cost = given["G"], "search" if given.get("u") is not None else need.cost
        least = (_LEAST if isinstance(G, Graph) or _cached(G) else _LEAST_WITH_CONVERSION)[cost]
        if least == math.inf:
            return False
        return len(G) + (len(G.indices) if isinstance(G, Graph) else sum(map(len, G._adj.values()))) >= least


# Nodes and stored edges (both directions) above which all functions of a cost class are faster than in NetworkX, with
# the conversion and on a converted graph. Measured with 10 to 20,000 nodes and four times as many edges.
_LEAST_WITH_CONVERSION = {"search": math.inf, "pass": 5000, "heavy": 300}
_LEAST = {"search": 12_000, "pass": 1000, "heavy": 100}
backend = _Backend()
for _name, _need in _FUNCTIONS.items():
    setattr(_Backend, _name, staticmethod(_checked(_name, _need.function)))  # type: ignore[arg-type]


def get_info():
    return {
        "backend_name": "coppice",
        "project": "coppice",
        "package": "coppice",
        "short_summary": "Graph algorithms of Coppice, on all cores",
        "functions": {name: {} for name in _FUNCTIONS},
    }
