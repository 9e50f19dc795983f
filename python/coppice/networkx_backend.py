# SPDX-License-Identifier: BSD-3-Clause
"""NetworkX backend: ``networkx.pagerank(G, backend="coppice")`` and the others below.

A call is either answered as NetworkX answers it, or refused with a reason: `can_run` returns False, and functions called
on a converted graph raise NotImplementedError, so that NetworkX goes on with its own function if it may. Iterative methods
take NetworkX's steps from NetworkX's start; sums of floating-point numbers may round otherwise.
"""

from __future__ import annotations

import functools
import inspect
import math
import weakref
from collections.abc import Hashable
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from . import (_core, _networkx_flows, _networkx_matrices, _networkx_paths, _networkx_scores, _networkx_structure,
               _networkx_traversals, graph)
from ._networkx_common import (_by_node, _cutoff_refusal, _distances, _from_source, _groups, _iterable_of, _iterated,
                               _levels_from, _nodes_at, _not_converged, _of_nodes, _real, _run, _set_at, _sets, _source,
                               depth_first_search, distances_of,
                               version_of_networkx)
from ._networkx_empty import OF_EMPTY_GRAPHS, answers_empty_graphs


class Graph:
    """A NetworkX graph as arrays, with its nodes in order; what the backend's functions take.

    Attributes
    ----------
    nodes : list
    indptr, indices : the positions of the neighbours of every node, in the order of NetworkX
    values : dict from an edge attribute to its `_Values` in this order, for the attributes that were asked for; of parallel
        edges the smallest one
    present : those of them that some edge has
    counts : numbers of parallel edges of a multigraph in this order, else None
    node_values : dict from a node attribute that was asked for to the dict of its values by node
    attributes : `Attributes` of the graph if NetworkX asked to keep them, else None
    origin : a weak reference to the graph of NetworkX that was converted, else None
    """

    __networkx_backend__ = "coppice"

    def __init__(self, nodes, indptr, indices, directed, values=None, present=(), counts=None, attributes=None,
                 node_values=None):
        self.nodes, self.indptr, self.indices, self.directed = nodes, indptr, indices, directed
        self.values, self.present, self._matrices, self._lengths, self._checked = values or {}, frozenset(present), {}, {}, {}
        self._degrees: dict = {}
        self.counts, self.attributes, self.node_values, self.origin = counts, attributes, node_values or {}, None

    def __getstate__(self):
        return {**self.__dict__, "_checked": {}, "origin": None}  # a copy is that of another graph

    def is_directed(self):
        return self.directed

    def is_multigraph(self):
        return self.counts is not None

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
        counts = np.ones(len(self.indices), dtype=np.int64) if self.counts is None else self.counts
        loops = 0 if self.directed else counts[self.starts == self.indices].sum()
        return int(counts.sum() if self.directed else (counts.sum() + loops) // 2)

    @cached_property
    def position(self):
        return {node: k for k, node in enumerate(self.nodes)}

    @cached_property
    def objects(self):
        """The nodes as an array of objects, from which many are taken at once."""
        return np.fromiter(self.nodes, object, len(self))

    @cached_property
    def starts(self):
        """The positions of the first ends of the edges, whose second ones are `indices`."""
        return np.repeat(np.arange(len(self), dtype=self.indices.dtype), np.diff(self.indptr))

    @cached_property
    def loops(self):
        return int(np.count_nonzero(self.starts == self.indices))

    def degrees(self, incoming=False, outgoing=True):
        """Numbers of edges at each vertex, not to be changed; loops of undirected graphs count twice."""
        key = incoming, outgoing
        if key not in self._degrees:
            self._degrees[key] = self._counted_degrees(incoming, outgoing)
        return self._degrees[key]

    def _counted_degrees(self, incoming, outgoing):
        counts, n = self.counts, len(self)
        out = np.bincount(self.starts, counts, n) if outgoing else np.zeros(n)
        if self.directed:
            return (out + np.bincount(self.indices, counts, n) if incoming else out).astype(np.int64)
        at_loops = self.starts == self.indices
        loops = np.bincount(self.starts[at_loops], None if counts is None else counts[at_loops], n)
        return (out + loops).astype(np.int64)

    @cached_property
    def incoming(self):
        return self.matrix(incoming=True)

    @cached_property
    def both_directions(self):
        """A csr_array of ones, with the reverse of every edge."""
        return self.matrix().maximum(self.incoming) if self.directed else self.matrix()

    def has_values(self, attribute):
        return attribute in self.values or (self.attributes is not None and self.attributes.edges is not None)

    def values_of_nodes(self, attribute):
        """The dict of the values of a node attribute by node; None: it was not converted."""
        if attribute in self.node_values or self.attributes is None or self.attributes.nodes is None:
            return self.node_values.get(attribute)
        return {node: data[attribute] for node, data in zip(self.nodes, self.attributes.nodes) if attribute in data}

    def forget_functions(self):
        """Lengths by a function of the edges are computed for each call, as the function may return others."""
        for kept in (self._lengths, self._matrices, self._checked):
            for key in [key for key in kept if any(map(callable, key if isinstance(key, tuple) else (key,)))]:
                del kept[key]

    def lengths(self, attribute, default=1):
        """The `_Lengths` of an edge attribute, with the default of edges without it; of None: every edge is 1 long."""
        if attribute is None:
            return _UNIT
        if not self.has_values(attribute):
            return _Lengths(refusal=f"the graph was converted without the edge attribute {attribute!r}")
        if (attribute, default) not in self._lengths and callable(attribute):
            ends = zip(_nodes_at(self, self.starts), _nodes_at(self, self.indices), self.attributes.edges)
            self._lengths[attribute, default] = _Lengths([attribute(*edge) for edge in ends])
        if (attribute, default) not in self._lengths:
            values, edges = self.values.get(attribute), self.attributes and self.attributes.edges
            if values is None or (edges is not None and default != 1):  # converted values have the default 1
                self._lengths[attribute, default] = _Lengths([data.get(attribute, default) for data in edges])
            else:
                self._lengths[attribute, default] = _Lengths.of(values)
        return self._lengths[attribute, default]

    def matrix(self, attribute=None, incoming=False):
        """A csr_array of ones, or of the lengths of that attribute, with sorted columns; `incoming`: its transpose."""
        from scipy.sparse import csr_array

        if incoming and self.directed:
            if (attribute, "incoming") not in self._matrices:
                self._matrices[attribute, "incoming"] = self.matrix(attribute).T.tocsr()
            return self._matrices[attribute, "incoming"]
        if attribute not in self._matrices:
            data = np.ones(len(self.indices)) if attribute is None else self.lengths(attribute).array
            # a conversion to columns and back sorts in linear time
            made = csr_array((data, self.indices, self.indptr), shape=(len(self), len(self)))
            self._matrices[attribute] = made.tocsc().tocsr()
        return self._matrices[attribute]

    def checked(self, attribute=None, incoming=False):
        """The same matrix for `graph.run`."""
        key = attribute, incoming and self.directed
        if key not in self._checked:
            self._checked[key] = graph.CheckedGraph(self.matrix(attribute, incoming))
        return self._checked[key]

    def checked_both(self):
        """`both_directions` for `graph.run`."""
        if "both" not in self._checked:
            self._checked["both"] = graph.CheckedGraph(self.both_directions)
        return self._checked["both"]


class Attributes(NamedTuple):
    """What results that are graphs keep. The dicts are those of the NetworkX graph."""

    kind: type
    graph: dict
    nodes: list | None  # in the order of the graph
    edges: list | None  # in the order of its arrays


class _Lengths:
    """Values of an edge attribute as float64, or why the backend does not take them."""

    def __init__(self, values=(), refusal=None):
        kinds = set(map(type, values))
        self.array, self.integers, self._mixed = None, kinds <= _INTEGERS, bool(kinds & _INTEGERS)
        self.objects = values or None  # if their types do not follow from `integers`
        if refusal is None and not kinds <= _INTEGERS | _FLOATS:
            refusal = "an edge has a length that is neither int nor float, or hides it by None"
        if refusal is None:
            try:
                self.array = np.array(values, dtype=np.float64)
            except OverflowError:
                refusal = "an edge has a length beyond float64"
        self._broken = refusal

    @classmethod
    def of(cls, values):
        """Of `_Values`."""
        made = cls(values.given) if values.array is None else cls()
        if values.array is not None:
            made.array, made.integers, made._mixed, made.objects = values.array, not values.floats, values.integers, values.given
        return made

    def finite_are_integers(self):
        """Whether NetworkX makes integers of sums of the finite ones."""
        if self.objects is None:
            return self.integers
        return all(type(value) in _INTEGERS for value, finite in zip(self.objects, np.isfinite(self.array)) if finite)

    def refusal(self, use):
        """Why a function that uses the values so does not take them; None: it does.

        use : "lengths" (Dijkstra's sums in NetworkX and here are the same numbers), "signed" (those of Bellman and Ford),
            "order" (they are compared with each other), "weights" (floating-point sums, which may round otherwise), "shares"
            (of their sum), "positive" (lengths above 0), "capacities" (may be infinite), "exact capacities"
            (the same, and sums are not rounded), "entries" (they are copied)
        """
        if self._broken or self.array is None or not self.array.size:
            return self._broken
        with np.errstate(all="ignore"):
            total, least = float(np.abs(self.array).sum()), float(self.array.min())
        if math.isnan(least):
            return "an edge has the length NaN"
        if use in ("order", "entries"):
            return "integers are not below 2^53" if self._mixed and np.abs(self.array).max() >= 2**53 else None
        if use.endswith("capacities"):
            finite = self.array[np.isfinite(self.array)]
            total = float(np.abs(finite).sum())
            if use != "capacities" and not _sums_exactly(finite, total):
                return "sums of capacities may round"
        if not total < 1e300:
            return "lengths are infinite, or their sum overflows"
        if use != "signed" and least < 0:
            return "an edge has a negative length"
        if use == "positive" and (least == 0 or total / least > 2**40):
            return "an edge has length 0, or one so small that sums of lengths may lose it"
        if use == "weights" or (use == "capacities" and not self._mixed):
            return None
        if use == "shares":
            if total == 0:
                return "all weights are 0"
            # Python raises OverflowError or ZeroDivisionError where NumPy returns infinity or NaN
            return None if 1e-140 < total < 1e140 else "the square of the sum of the weights is beyond float64"
        if least < 0 and not _sums_exactly(self.array, total):
            return "lengths are negative, and their sums may round"
        if self._mixed and total >= 2**53:  # 2^53 + 1 rounds to it
            return "sums of integer lengths may exceed 2^53"
        return None


def _sums_exactly(array, total):
    """Whether all are multiples of 2^-20, and no sum of them is rounded."""
    return total <= 2**32 and bool(np.all(array * 2**20 == np.rint(array * 2**20)))


_INTEGERS, _FLOATS = {int, bool, np.bool_, np.int64}, {float, np.float64}
_UNIT = _Lengths()


def _pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight",
              dangling=None):
    if personalization or nstart or dangling or (weight is not None and _has_attribute(G, weight)):
        return _networkx_scores.weighted_pagerank(G, alpha, personalization, max_iter, tol, nstart, weight, dangling)
    # NetworkX stops where the sum of changes is below n tol.
    return _by_node(G, _iterated("pagerank", G, max_iter, max_iter, len(G) * tol, damping=alpha))


def _eigenvector_centrality(G, max_iter=100, tol=1e-6, nstart=None, weight=None):
    # NetworkX starts from 1 / n, the library from 1 / sqrt(n): the change of the first step differs, all else is the same.
    n, tolerance, incoming = len(G), len(G) * tol, G.matrix(weight, incoming=True)
    x = 1.0 + np.asarray(incoming.sum(axis=1)).reshape(n)
    x /= np.linalg.norm(x)
    if np.abs(x - 1 / n).sum() < tolerance:
        return _by_node(G, x)
    if np.abs(x - 1 / math.sqrt(n)).sum() >= tolerance:
        return _by_node(G, _iterated("eigenvector", G, max_iter, max_iter, tolerance, weight))
    for _ in range(max_iter - 1):  # the library would stop too early
        last, x = x, x + incoming @ x
        x /= np.linalg.norm(x)
        if np.abs(x - last).sum() < tolerance:
            return _by_node(G, x)
    raise _not_converged(max_iter)


def _katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None):
    # NetworkX starts from 0, so that its first step is where the library starts, for beta = 1.
    scores = beta * _iterated("katz", G, max_iter, max_iter - 1, len(G) * tol / abs(beta), weight, alpha=alpha)
    return _by_node(G, scores / np.linalg.norm(scores) if normalized else scores)


def _betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    sample = None
    if k is not None and k != len(G):
        from networkx.utils import create_py_random_state

        sample = [G.position[node] for node in create_py_random_state(seed).sample(list(G), k)]
    if sample is None and not endpoints:
        # of a symmetric matrix pairs are counted once
        sums = _networkx_scores.betweenness_sums(G, "betweenness", weight)
    else:
        sums = _networkx_scores.betweenness_from(G, range(len(G)) if sample is None else sample, endpoints)
    return _by_node(G, _networkx_scores.scaled_betweenness(G, sums, normalized, endpoints, sample))


def _closeness_centrality(G, u=None, distance=None, wf_improved=True):
    if u is None and distance is None and wf_improved:
        return _by_node(G, _run("closeness", G))
    if u is not None:
        absent = "Source {} is not in G" if distance is None else "Node {} not found in graph"
        return _closeness(G, [_source(G, u, absent)], distance, wf_improved)[u]
    return _closeness(G, range(len(G)), distance, wf_improved)


def _closeness(G, ends, distance, improved):
    return {G.nodes[end]: _inverse_mean(G, found, improved) for end, found in distances_of(G, ends, distance, incoming=True)}


def _inverse_mean(G, found, improved):
    reached = found[np.isfinite(found)]
    others, total = len(reached) - 1.0, float(reached.sum())
    return others / total * (others / (len(G) - 1) if improved else 1.0) if total > 0 else 0.0


def _connected_components(G):
    yield from _groups(G, _run("components", G))


def _number_connected_components(G):
    return len(np.unique(_run("components", G)))


def _is_connected(G):
    return _number_connected_components(G) == 1


def _node_connected_component(G, n):
    position = G.position[n]  # KeyError, as of NetworkX
    labels = _run("components", G)
    return _set_at(G, labels == labels[position])


def _strongly_connected_components(G):
    labels, (_, _, left) = _run("strong-components", G), depth_first_search(G)
    last = np.empty(len(G), dtype=np.int64)
    last[labels[left]] = np.arange(len(G))  # when NetworkX's search leaves each component
    yield from _sets(G, last[labels])


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
    return _by_node(G, _run("cores", G))


def _triangles(G, nodes=None):
    return _of_nodes(G, _by_node(G, _run("triangles", G)), nodes)


def _clustering(G, nodes=None, weight=None):
    if G.directed or weight is not None:
        return _of_nodes(G, _by_node(G, _run_weighted("clustering", G, weight)), nodes)
    degree = np.diff(G.indptr).astype(float)
    return _of_nodes(G, _by_node(G, 2 * _run("triangles", G) / np.maximum(degree * (degree - 1), 1)), nodes)


def _run_weighted(name, G, weight):
    return graph.run(name, G.checked(weight), weighted=weight is not None).values


def _average_clustering(G, nodes=None, weight=None, count_zeros=True):
    return sum(_clustering(G, weight=weight).values()) / len(G)


def _transitivity(G):
    return graph.run("triangles", G.checked()).facts["transitivity"]


def _single_source_shortest_path_length(G, source, cutoff=None):
    start = _source(G, source, "Source {} is not in G")
    return _levels_from(G, start, cutoff)


def _single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    start = _source(G, source, "Node {} not found in graph")
    return _from_source(G, _distances(G, start, weight), start, cutoff, G.lengths(weight).integers)


def _integer(value, least):
    return isinstance(value, (int, np.integer)) and least <= value < 2**31


def _iteration_refusal(tol, max_iter, least=1):
    if not (_real(tol) and tol > 0):
        return "tol is not a positive number"
    return None if _integer(max_iter, least) else f"max_iter is not an integer of {least} or more"


def _pagerank_refusal(given):
    if not (_real(given["alpha"]) and 0 <= given["alpha"] < 1):
        return "alpha is not in [0, 1)"
    for key in ("personalization", "nstart", "dangling"):
        if given[key] is not None and not _networkx_scores.is_distribution(given["G"], given[key]):
            return f"{key} is not a dict of numbers of at least 0 for nodes, with one above 0"
    return _iteration_refusal(given["tol"], given["max_iter"])


def _sample_refusal(given):
    if given["weight"] is not None and (given["k"] is not None or given["endpoints"]):
        return "weights are read without k and endpoints only"
    if given["k"] is not None and not len(given["G"]):
        return "k nodes are drawn from an empty graph"
    return None if given["k"] is None or _integer(given["k"], 1) else "k is not an integer of 1 or more"


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
    return None if _iterable_of(nodes, G) else "nodes is neither a node nor a list of nodes of the graph"


class _Need:
    """What a function of the backend needs.

    only : the only values that it takes of some arguments. Arguments that only other versions of NetworkX have are taken with
        their default there, if this does not name another value.
    node : the arguments that are nodes.
    arguments : function of the bound arguments that returns why they are refused; None: they are accepted.
    directed : True or False where it takes only such graphs.
    loops : whether the graph may have edges from a node to itself.
    several : whether it takes multigraphs.
    weight : the argument that names an edge attribute, whose values are read.
    functions : whether that argument may be a function of the ends of an edge and its attributes.
    node_attribute : the argument that names a node attribute, whose values are read.
    use : what for, see `_Lengths.refusal`.
    default : the value of edges without the attribute.
    absent : an edge attribute that no edge may have.
    attributes : whether the result contains attributes: "all", or "edges" if the argument `data` requests them.
    cost : what a call costs NetworkX: "local" (less than a pass over the graph, if only because it may end early, or as much
        as here), "search" (less than the conversion), "pass" (about as much as the conversion), "sources" (a search from
        every node), "heavy" (several times as much as the conversion).
    """

    def __init__(self, function, cost, only=(), node=(), arguments=None, directed=None, loops=True, several=False,
                 weight=None, use="lengths", absent=None, attributes=None, default=1, functions=False, node_attribute=None):
        self.function, self.cost, self.only, self.arguments = function, cost, dict(only), arguments
        self.node = (node,) if isinstance(node, str) else node
        self.directed, self.loops, self.several = directed, loops, several
        self.weight, self.use, self.absent, self.attributes = weight, use, absent, attributes
        self.default, self.functions, self.node_attribute = default, functions, node_attribute
        self.signature = inspect.signature(function)

    @cached_property
    def of_networkx(self):
        """The signature of the function in the NetworkX that is installed: versions add arguments and change defaults."""
        from networkx.utils import backends

        registered = getattr(backends, "_registered_algorithms", {}).get(self.function.__name__[1:])
        return inspect.signature(registered.orig_func) if registered else self.signature

    def bound(self, args, kwargs):
        """All arguments by name, with NetworkX's defaults, those that the function does not have included."""
        given = self.of_networkx.bind(*args, **kwargs)
        given.apply_defaults()
        return {"G": next(iter(given.arguments.values())), **given.arguments}  # a flow has the graph `flowG`

    def call(self, args, kwargs):
        given = self.bound(args, kwargs)
        mine = inspect.BoundArguments(self.signature, {key: given[key] for key in self.signature.parameters if key in given})
        return self.function(*mine.args, **mine.kwargs)

    def refused_value(self, given):
        """Why the value of an argument is refused; None: no value is."""
        expected = dict(self.only)
        for key, parameter in self.of_networkx.parameters.items():
            if key not in self.signature.parameters:
                expected.setdefault(key, parameter.default)
        for key, value in expected.items():
            if key in given and not (given[key] is value or (type(given[key]) is type(value) and given[key] == value)):
                return f"{key} is not {value!r}"
        return None


_FUNCTIONS = {function.__name__[1:]: _Need(function, cost, **needs) for function, cost, needs in (
    (_pagerank, "heavy", {"arguments": _pagerank_refusal, "weight": "weight", "use": "weights"}),
    (_eigenvector_centrality, "heavy", {"only": {"nstart": None}, "arguments": _eigenvector_refusal, "weight": "weight",
                                        "use": "weights"}),
    (_katz_centrality, "heavy", {"only": {"nstart": None}, "arguments": _katz_refusal, "weight": "weight",
                                 "use": "weights"}),
    (_betweenness_centrality, "heavy", {"arguments": _sample_refusal, "several": True, "weight": "weight",
                                        "use": "positive"}),
    (_closeness_centrality, "heavy", {"weight": "distance", "node": "u", "several": True}),
    (_connected_components, "search", {"directed": False, "several": True}),
    (_number_connected_components, "search", {"directed": False, "several": True}),
    (_is_connected, "search", {"directed": False, "several": True}),
    (_node_connected_component, "search", {"directed": False, "node": "n", "several": True}),
    (_strongly_connected_components, "pass", {"directed": True, "several": True}),
    (_number_strongly_connected_components, "pass", {"directed": True, "several": True}),
    (_is_strongly_connected, "local", {"directed": True, "several": True}),
    (_bridges, "heavy", {"directed": False, "only": {"root": None}}),
    (_has_bridges, "heavy", {"directed": False, "only": {"root": None}}),
    (_core_number, "pass", {"directed": False, "loops": False}),
    (_triangles, "pass", {"directed": False, "loops": False, "arguments": _nodes_refusal}),
    (_clustering, "heavy", {"loops": False, "weight": "weight", "use": "shares", "arguments": _nodes_refusal}),
    (_average_clustering, "heavy", {"loops": False, "weight": "weight", "use": "shares",
                                    "only": {"nodes": None, "count_zeros": True}}),
    (_transitivity, "heavy", {"directed": False, "loops": False}),
    (_single_source_shortest_path_length, "search", {"node": "source", "arguments": _cutoff_refusal, "several": True}),
    (_single_source_dijkstra_path_length, "search", {"node": "source", "arguments": _cutoff_refusal, "weight": "weight",
                                                     "functions": True, "several": True}),
    *_networkx_flows.FUNCTIONS, *_networkx_matrices.FUNCTIONS, *_networkx_paths.FUNCTIONS, *_networkx_scores.FUNCTIONS,
    *_networkx_structure.FUNCTIONS, *_networkx_traversals.FUNCTIONS,
)}


_OLDEST = (3, 5)  # results of several functions were others before


def _refusal(name, args, kwargs):
    """Why the backend does not do that call as NetworkX does; None: it does."""
    if version_of_networkx() < _OLDEST:
        return f"NetworkX is older than {'.'.join(map(str, _OLDEST))}"
    need = _FUNCTIONS.get(name)
    if need is None:
        return f"{name} is not a function of the backend"
    try:
        given = need.bound(args, kwargs)
    except TypeError as error:
        return str(error)
    G = given["G"]
    if not isinstance(G, Graph) and not graph.reads_as_networkx(G):
        return "the class of the graph overrides how neighbours are read"
    if G.is_multigraph() and not need.several:
        return "the graph is a multigraph"
    if need.directed is not None and need.directed != G.is_directed():
        return f"the graph is {'not ' if need.directed else ''}directed"
    if len(G) == 0 and not answers_empty_graphs(name, need):
        return "the graph is empty"
    if refused := need.refused_value(given):
        return refused
    for key in (*need.node, *([need.node_attribute] if need.node_attribute else [])):
        if not isinstance(given[key], Hashable):
            return f"{key} is not hashable"
    return (need.arguments(given) if need.arguments else None) or _data_refusal(need, given)


def _data_refusal(need, given):
    G = _cached(given["G"]) or given["G"]
    if not need.loops and (G.loops if isinstance(G, Graph) else _has_loops(G)):
        return "the graph has edges from a node to itself"
    if need.absent and _has_attribute(_cached(given["G"], need.absent) or given["G"], need.absent):
        return f"edges have the attribute {need.absent!r}"
    if isinstance(G, Graph) and need.attributes and G is given["G"] and not _keeps(G, need, given):
        return "the graph was converted without its attributes"
    reads = need.attributes or need.absent or (need.weight and given[need.weight] is not None)
    if reads and not isinstance(given["G"], Graph) and _joins_directions(given["G"]):
        return _JOINED
    if need.node_attribute and isinstance(G, Graph) and G is given["G"] and G.values_of_nodes(
            given[need.node_attribute]) is None:
        return f"the graph was converted without the node attribute {given[need.node_attribute]!r}"
    attribute = given[need.weight] if need.weight else None
    if attribute is None:
        return None
    if callable(attribute):
        return _function_refusal(need, given["G"], attribute)
    if not isinstance(attribute, str):
        return f"{need.weight} is not the name of an edge attribute"
    G = _cached(given["G"], attribute) or given["G"]
    if isinstance(G, Graph):
        found = G.lengths(attribute, need.default)
    else:
        found = _Lengths.of(_read_values(G, attribute, need.default))
    return found.refusal(need.use)


_JOINED = "attributes of an undirected view of a directed graph may differ in the two directions of an edge"


def _joins_directions(G):
    """Whether G is an undirected view of a directed graph, or a view of one."""
    directed = G.is_directed()
    while (G := getattr(G, "_graph", None)) is not None:
        if G.is_directed() and not directed:
            return True
    return False


def _function_refusal(need, G, function):
    """Why lengths by a function of the edges are not taken."""
    if not need.functions or G.is_multigraph():
        return f"{need.weight} is a function"
    if isinstance(G, Graph) and not G.has_values(function):
        return "the graph was converted without the attributes of its edges"
    try:
        if isinstance(G, Graph):
            return G.lengths(function).refusal(need.use)
        return _Lengths([function(u, v, data) for u, row in G.adjacency() for v, data in row.items()]).refusal(need.use)
    except Exception as error:  # NetworkX may not reach the edge
        return f"{need.weight} raises {type(error).__name__} for an edge"


def _keeps(G, need, given):
    if need.attributes == "edges":
        return given["data"] is False or (G.attributes is not None and G.attributes.edges is not None)
    return G.attributes is not None and None not in (G.attributes.nodes, G.attributes.edges, G.attributes.graph)


def _has_attribute(G, attribute):
    if isinstance(G, Graph):
        # what the conversion did not read may be there
        return attribute in G.present or not G.has_values(attribute) or _in_any(attribute, G.attributes and G.attributes.edges)
    found = None if G.is_multigraph() else _core.adjacency_has_attribute(_dict_of(G), attribute)
    return _in_any(attribute, _edge_data(_rows_of(G), G.is_multigraph())) if found is None else found


def _dict_of(G):
    """The dict of a graph that is no view, else a dict that `_core` does not take."""
    return G._adj if type(G._adj) is dict else {None: None}


def _has_loops(G):
    found = _core.adjacency_has_loops(_dict_of(G))
    return any(u in row for u, row in G.adjacency()) if found is None else found


class _Values(NamedTuple):
    """An attribute of every edge: what `_core.edge_values` returned, or a list of the objects and no array."""

    given: list | None
    array: np.ndarray | None
    integers: bool
    floats: bool
    present: bool

    def objects(self):
        if self.given is not None:
            return self.given
        return (self.array if self.floats else self.array.astype(np.int64)).tolist()


def _read_values(G, attribute, default):
    found = None if G.is_multigraph() else _core.edge_values(_dict_of(G), attribute, default)
    if found is not None:
        values, array, integers, floats, others, present = found
        return _Values(values, None if others else array, integers, floats, present)
    rows, several = _rows_of(G), G.is_multigraph()
    values = _values_of(rows, attribute, default, several)
    return _Values(values, None, False, False, _in_any(attribute, _edge_data(rows, several)))


def _in_any(attribute, edges):
    return any(attribute in data for data in edges or ())


def _rows_of(G):
    """The dicts of the neighbours of every node."""
    adjacency = dict(G.adjacency())
    return [adjacency[node] for node in G]


def _edge_data(rows, several):
    """The attributes of every edge; if the graph is a multigraph, also of parallel ones."""
    return ((data for row in rows for keys in row.values() for data in keys.values()) if several else
            (data for row in rows for data in row.values()))


def _values_of(rows, attribute, default, several):
    """The attribute of every edge; of parallel ones the smallest value, which is how NetworkX reads lengths."""
    if not several:
        return [data.get(attribute, default) for row in rows for data in row.values()]
    found = [[data.get(attribute, default) for data in keys.values()] for row in rows for keys in row.values()]
    return [values[0] if len(values) == 1 else _smallest(values) for values in found]


def _smallest(values):
    numbers = all(type(value) in _INTEGERS | _FLOATS and value == value for value in values)
    return min(values) if numbers else None  # `None` refuses


def _cached(G, attribute=None):
    """Return the converted graph that NetworkX caches for G, with that attribute; None if there is none."""
    import networkx as nx

    if not getattr(getattr(nx, "config", None), "cache_converted_graphs", False):
        return None
    kept = (getattr(G, "__networkx_cache__", None) or {}).get("backends", {}).get("coppice", {})
    return next((found for found in list(kept.values()) if isinstance(found, Graph) and
                 (attribute is None or found.has_values(attribute))), None)


def _checked(name, function):
    """The function, which raises NotImplementedError where it would not answer as NetworkX does."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        for given in (*args, *kwargs.values()):
            if isinstance(given, Graph):
                given.forget_functions()
        refusal = _refusal(name, args, kwargs)
        if refusal:
            raise NotImplementedError(f"{name}: {refusal}; NetworkX itself takes such calls")
        need = _FUNCTIONS[name]
        if name in OF_EMPTY_GRAPHS and len(G := need.bound(args, kwargs)["G"]) == 0:
            return OF_EMPTY_GRAPHS[name](G)
        return need.call(args, kwargs)

    return call


def _arrays_of(nodes, rows):
    position = {node: k for k, node in enumerate(nodes)}
    indptr = np.zeros(len(nodes) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)), out=indptr[1:])
    return indptr, np.fromiter(map(position.__getitem__, chain.from_iterable(rows)), np.int32, int(indptr[-1]))


def _has_reverses(indptr, indices, counts):
    """Whether every edge has its reverse, as often."""
    starts = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    forward, backward = np.lexsort((indices, starts)), np.lexsort((starts, indices))
    return (np.array_equal(starts[forward], indices[backward]) and np.array_equal(indices[forward], starts[backward]) and
            (counts is None or np.array_equal(counts[forward], counts[backward])))


class _Backend:
    """What NetworkX asks of a backend."""

    @staticmethod
    def convert_from_nx(G, *args, edge_attrs=None, node_attrs=None, preserve_edge_attrs=False, preserve_node_attrs=False,
                        preserve_graph_attrs=False, name=None, **kwargs):
        if isinstance(G, Graph):
            return G
        if not graph.reads_as_networkx(G):
            raise NotImplementedError(f"G is a {type(G).__name__}, expected a graph of NetworkX, or a class that does not "
                                      "override how neighbours are read")
        if (edge_attrs or preserve_edge_attrs) and _joins_directions(G):
            raise NotImplementedError(_JOINED)
        nodes, several = list(G), G.is_multigraph()
        made = None if several else _core.adjacency_arrays(_dict_of(G))
        if made is not None and nodes != list(G._adj):  # values are read in the order of the dict
            raise NotImplementedError("the nodes of G and its rows have different orders")
        rows = _rows_of(G) if several or made is None or preserve_edge_attrs else None
        if several:  # rows of views count neighbors whose edges are all hidden
            rows = [dict(row) for row in rows]
        indptr, indices = _arrays_of(nodes, rows) if made is None else made
        values = {attribute: _read_values(G, attribute, default) for attribute, default in (edge_attrs or {}).items()}
        present = [key for key, read in values.items() if read.present]
        counts = np.fromiter((len(keys) for row in rows for keys in row.values()), np.int64) if several else None
        if graph.is_undirected_view(G) and not _has_reverses(indptr, indices, counts):
            raise NotImplementedError("a filter of G hides one direction of an edge")
        attributes = None
        if preserve_edge_attrs or preserve_node_attrs or preserve_graph_attrs:
            attributes = Attributes(type(G), G.graph if preserve_graph_attrs else None,
                                    [G.nodes[node] for node in nodes] if preserve_node_attrs else None,
                                    list(_edge_data(rows, False)) if preserve_edge_attrs and not several else None)
        node_values = {key: {node: data[key] for node, data in G.nodes.items() if key in data} for key in node_attrs or {}}
        made = Graph(nodes, indptr, indices, G.is_directed(), values, present, counts, attributes, node_values)
        made.origin = weakref.ref(G)
        return made

    @staticmethod
    def convert_to_nx(result, *args, **kwargs):
        import networkx as nx

        if not isinstance(result, Graph):
            return result
        if result.is_multigraph():
            raise NotImplementedError("a multigraph is not converted back, since the keys of its edges are not kept")
        made = nx.DiGraph() if result.directed else nx.Graph()
        made.add_nodes_from(result.nodes)
        ends, places = np.diff(result.indptr), result.indices.tolist()
        starts = np.repeat(np.arange(len(result)), ends).tolist()
        objects = {key: values.objects() for key, values in result.values.items()}
        for k, (u, v) in enumerate(zip(starts, places)):
            made.add_edge(result.nodes[u], result.nodes[v], **{key: values[k] for key, values in objects.items()})
        return made

    @staticmethod
    def can_run(name, args, kwargs):
        """Whether the call would be answered as NetworkX does."""
        return _refusal(name, args, kwargs) is None

    @staticmethod
    def should_run(name, args, kwargs):
        """Whether the call, with the conversion of a graph that is not converted yet, takes less time than in NetworkX."""
        need = _FUNCTIONS[name]
        given = need.bound(args, kwargs)
        of_one = name == "closeness_centrality" and given["u"] is not None
        G, cost = given["G"], "search" if of_one else need.cost
        if name == "betweenness_centrality" and (given["k"] is not None or given["endpoints"]):
            return False  # a product for each level: many levels take longer than in NetworkX, few a tenth
        least = (_LEAST if isinstance(G, Graph) or _cached(G) else _LEAST_WITH_CONVERSION)[cost]
        if least == math.inf:
            return False
        if isinstance(G, Graph):
            return len(G) + len(G.indices) >= least
        stored = _core.adjacency_size(_dict_of(G))
        return len(G) + (sum(map(len, G._adj.values())) if stored is None else stored) >= least


# Nodes and stored edges (both directions) from which on all functions of a cost class take less time than in NetworkX,
# with the conversion and on a graph that is converted. Measured with 10 to 20,000 nodes and four times as many edges.
_LEAST_WITH_CONVERSION = {"local": math.inf, "search": math.inf, "pass": 5000, "sources": 9000, "heavy": 300}
_LEAST = {"local": math.inf, "search": 12_000, "pass": 1000, "sources": 9000, "heavy": 100}
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
