# SPDX-License-Identifier: BSD-3-Clause
"""Graph algorithms on scipy.sparse matrices, on graphs of NetworkX and igraph, and on tables of edges.

The functions are those of the library's catalogue: `algorithms` lists them, ``run("bfs", G, source=3)`` and
``bfs(G, source=3)`` are the same. A matrix holds the edge (u, v) as its entry (u, v); entries are weights.
`from_igraph`, `to_igraph` and `to_networkx` convert; `from_table` and `from_edge_index` read data frames, Arrow data, files with
named columns and arrays of edges. `GraphBatch` holds many small graphs. `NeighborSampler`, `induced_subgraph` and
`k_hop_subgraph` return parts of graphs with local numbers, `all_pairs_distances` distances in blocks.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from . import _core
from ._arrays import integer, real
from ._drawings import Drawing, drawing
from ._edge_tables import EdgeTable, from_edge_index, from_table
from ._graph_batches import GraphBatch
from ._places import library_of
from ._sparse import csr, is_sparse, require_sound
from ._subgraphs import NeighborSampler, Subgraph, all_pairs_distances, induced_subgraph, k_hop_subgraph

if TYPE_CHECKING:
    from ._types import SparseMatrix

_COUNTS = ("max-iterations", "samples", "capacity", "hops", "length", "seed")
_FLAGS = ("by-value", "weighted")
_VERTICES = ("source", "sink")
# Their results are integers: levels, counts, colours and flags. The library returns all values but vertices as float64.
WHOLE = ("articulation-points", "bfs", "colouring", "cores", "diameter", "independent-set", "min-cut", "topological-levels",
          "triangles")
_MEANING = {
    "source": "node of the graph, or number of a vertex from 0",
    "delta": "float, the width of a bucket of distances; 0: chosen",
    "damping": "float in [0, 1), the share of a rank that edges carry on",
    "tolerance": "float > 0, stops where the sum of the changes is below it",
    "max-iterations": "int",
    "samples": "int, how many sources are taken; 0: all",
    "alpha": "float, the weight of an edge; 0: such that it converges",
    "resolution": "float > 0; the larger, the smaller the communities",
    "capacity": "int, edges that a vertex may keep",
    "weighted": "bool; True: the weights of the graph are read; False (default): every edge counts as 1",
    "sink": "node of the graph, or number of a vertex from 0; default: the last",
    "hops": "int, the largest number of edges from the source; 0: no limit",
    "length": "int, the number of steps of a walk",
    "return-bias": "float > 0, p of node2vec: a step back has its weight divided by p",
    "outward-bias": "float > 0, q of node2vec: a step to no neighbour of the previous vertex has its weight divided by q",
    "seed": "int, the seed of the random numbers",
    "by-value": "bool; True maximises the sum of the weights and takes no negative edge, False (default) that of |weights|",
}
_CHECKED: list[str] = _core.checked_graph_algorithms()
_ROWS: dict[str, dict[str, Any]] = {row["name"]: {**row, "check": row["name"] in _CHECKED}
                                    for row in _core.graph_algorithm_catalogue()}


class Answer(NamedTuple):
    """Result of an algorithm.

    Attributes
    ----------
    values : array with an element a vertex (a dict by node for a graph of NetworkX), or the edges (from, to, weights)
        (a list of such triples by node for a graph of NetworkX). Walks are an array with a row a vertex, of positions of
        vertices. Of an `EdgeTable` the values are a dict of columns: "vertex" and "value" (of walks "step_0", ...), or "source",
        "target" and "value", with the ids of the table. Levels, labels, counts, colours and flags are int64, other values of
        vertices float64.
    facts : dict of single numbers, such as the number of components.
    """

    values: Any
    facts: dict[str, float]


def algorithms() -> dict[str, dict[str, Any]]:
    """The catalogue: summary, output, needs and options of every algorithm, by name.

    Examples
    --------
    >>> import coppice
    >>> coppice.graph.algorithms()["sssp"]["options"]
    ['source', 'delta']
    """
    return dict(_ROWS)


class CheckedGraph:
    """The arrays of a sparse matrix after the checks of `run`, which takes this in place of the matrix for many calls."""

    def __init__(self, G):
        self.matrix, self.weights = _graph(G)
        self.shape, self.undirected = tuple(G.shape), _core.is_undirected(self.matrix)


def run(name: str, G: Any, *, check: bool = False, **options: Any) -> Answer:
    """Run the algorithm with the given name.

    Parameters
    ----------
    name : str
        A name of `algorithms()`.
    G : (n, n) sparse matrix of SciPy, CuPy or PyTorch, or NetworkX or igraph graph, whose edge attribute "weight" is the weight,
        or an `EdgeTable` of `from_table` or `from_edge_index`
        Algorithms for undirected graphs take matrices that hold both directions of every edge. Integer weights are
        converted to float64; one that float64 does not hold exactly is an error. An algorithm whose row of `algorithms()`
        is not ``weighted`` does not read weights unless its option `weighted` is True: every edge counts as 1.
        Parallel edges of a NetworkX or igraph graph or a table are combined as the algorithm requires, see `parallel_edges`.
        Duplicate entries of a matrix are added, as SciPy defines them. A matrix with both directions of every edge is
        undirected; a directed graph of NetworkX or igraph is directed even then, so that ordered pairs count in centralities.
    check : bool
        True: prove the result in linear time, from its definition and without the algorithm: distances by the edges that explain
        them, matchings by their maximality, a flow by its cut. `algorithms()` lists under ``check`` whether there is a proof.
    **options
        Options of the algorithm in the catalogue, with ``_`` instead of ``-``; `source` is a node of a NetworkX graph,
        a number or a name of a vertex of an igraph one.

    Raises
    ------
    ValueError
        For unknown names, vertices that do not exist, and graphs that do not satisfy the requirements of the algorithm.
    TypeError
        For options that the algorithm does not have, such as ``weight`` for an algorithm that does not read weights.
    ArithmeticError
        If there is no result: a cycle of negative length, no convergence.
    RuntimeError
        If the check finds that the result is wrong.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> coppice.graph.run("sssp", csr_array([[0, 2, 9], [0, 0, 3], [0, 0, 0]]), source=0).values
    array([0., 2., 5.])
    """
    if name not in _ROWS:
        raise ValueError(f"unknown graph algorithm {name!r}, expected one of {', '.join(_ROWS)}")
    row = _ROWS[name]
    if check and not row["check"]:
        raise ValueError(f"check is True, but there is no proof for {name}, only for {', '.join(_CHECKED)}")
    given = {key.replace("_", "-"): value for key, value in options.items()}
    for key in given:
        if key not in row["options"]:
            raise TypeError(f"{name} has no option {key!r}, expected {', '.join(row['options']) or 'none'}"
                            + (_about_weights(row) if key in ("weight", "weights", "distance") else ""))
    for key, value in given.items():
        if key not in _VERTICES:
            given[key] = _option(key, value)
    nodes, table, weighted, directed = None, None, given.get("weighted", False), False
    if not (isinstance(G, CheckedGraph) or is_sparse(G)):
        edges = _edges_of_graph(G, "weight" if row["weighted"] or weighted else None)
        for key in given.keys() & _VERTICES:
            given[key] = _vertex(G, edges.nodes, key, given[key])
        table = G if isinstance(G, EdgeTable) else None
        directed = table is None and G.is_directed()
        G = _combined(edges, row["parallel_weighted" if weighted else "parallel"], name)
        if row["parallel"] == "count":
            given["counted"] = True
        nodes = None if edges.igraph else edges.nodes
    for key in given.keys() & _VERTICES:
        given[key] = integer(key, given[key], -2**63, 2**63 - 1)
        if not 0 <= given[key] < G.shape[0]:
            raise ValueError(f"{key} is {given[key]}, " + (f"expected a vertex from 0 to {G.shape[0] - 1}" if G.shape[0]
                                                           else "but G has no vertices"))
    checked = G if isinstance(G, CheckedGraph) else CheckedGraph(G)
    if checked.undirected:
        given["undirected"] = row["undirected"] or not directed
    elif row["undirected"]:
        raise ValueError(f"G with shape {checked.shape} has edges in one direction only; {name} needs an undirected graph, "
                         "which stores both")
    found, facts, failure, columns, wrong = _core.run_graph_algorithm(name, checked.matrix, given, bool(check))
    if failure:
        raise ArithmeticError(f"{name}: {failure}")
    if wrong:
        raise RuntimeError(f"{name}: the check of the result found {wrong} (counted from 0)")
    if columns > 1:
        found = found.reshape(-1, columns)
    are_vertices = not isinstance(found, tuple) and found.dtype.kind == "i"
    if name in WHOLE:
        found = found.astype(np.int64)
    if table is not None:
        return Answer(table.named(found, are_vertices), facts)
    if nodes is not None:
        return Answer(_by_node(nodes, found), facts)
    placed = library_of(checked.weights).from_host
    return Answer(tuple(map(placed, found)) if isinstance(found, tuple) else placed(found), facts)


def parallel_edges(name: str) -> str:
    """Return how `run` combines parallel edges of a NetworkX or igraph graph for an algorithm.

    Parameters
    ----------
    name : str
        A name of `algorithms()`.

    Returns
    -------
    "min" : the smallest weight (shortest paths, spanning forests)
    "max" : the largest weight (widest paths, matchings)
    "sum" : the sum of the weights (communities)
    "count" : an edge with a parallel edge is no bridge
    "first" : the result does not depend on them (levels, components, independent sets, ...)
    "refuse" : the algorithm counts edges without weights, so that `run` raises ValueError

    Examples
    --------
    >>> import coppice
    >>> coppice.graph.parallel_edges("sssp")
    'min'
    """
    if name not in _ROWS:
        raise ValueError(f"unknown graph algorithm {name!r}, expected one of {', '.join(_ROWS)}")
    return _ROWS[name]["parallel"]


def from_igraph(G: Any, weight: str | None = "weight", *, parallel: str = "refuse") -> Any:
    """Convert an ``igraph.Graph`` to a scipy.sparse.csr_array, with both directions of undirected edges.

    Parameters
    ----------
    G : igraph.Graph
    weight : str, the edge attribute used as entries; 1 if the graph does not have it
    parallel : the entry for parallel edges: "min", "max" or "sum" of their weights, or their number, "count";
        "refuse" raises ValueError if there are any.
    """
    if parallel not in (*_COMBINE, "count", "refuse"):
        raise ValueError(f"parallel is {parallel!r}, expected {', '.join(_COMBINE)}, count or refuse")
    edges = _edges_of_igraph(G, weight if weight in G.es.attributes() else None)
    return _combined(edges, parallel, "from_igraph", "parallel='min', 'max', 'sum' or 'count'")


def to_igraph(G: SparseMatrix | tuple, vertices: int | None = None, *, directed: bool = False) -> Any:
    """Convert a sparse matrix, or the edges (from, to, weights) of a result, to an ``igraph.Graph``.

    Parameters
    ----------
    G : (n, n) scipy.sparse matrix, of which the upper triangle is used unless `directed`, or three arrays
    vertices : int, the number of vertices if G is a list of edges
    directed : bool

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> coppice.graph.to_igraph(csr_array([[0, 2], [2, 0]])).es["weight"]  # doctest: +SKIP
    [2]
    """
    import igraph

    n, start, end, weights = _edges_of(G, vertices, directed)
    made = igraph.Graph(n=n, edges=list(zip(start.tolist(), end.tolist())), directed=directed)
    made.es["weight"] = weights.tolist()
    return made


def to_networkx(G: SparseMatrix | tuple, vertices: int | None = None, *, directed: bool = False) -> Any:
    """Convert to a NetworkX graph with the nodes 0 to n - 1.

    Parameters
    ----------
    G, vertices, directed
        As in `to_igraph`.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> coppice.graph.to_networkx(csr_array([[0, 2], [2, 0]])).edges(data=True)
    EdgeDataView([(0, 1, {'weight': 2})])
    """
    import networkx as nx

    n, start, end, weights = _edges_of(G, vertices, directed)
    made = nx.DiGraph() if directed else nx.Graph()
    made.add_nodes_from(range(n))
    made.add_weighted_edges_from(zip(start.tolist(), end.tolist(), weights.tolist()))
    return made


def _edges_of(G, vertices, directed):
    if is_sparse(G):
        if len(G.shape) != 2 or G.shape[0] != G.shape[1]:
            raise ValueError(f"G has shape {G.shape}, expected (n, n)")
        require_sound("G", G)
        matrix = G.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        entries = matrix.tocoo()
        kept = np.full(entries.nnz, True) if directed else entries.row <= entries.col
        return G.shape[0], entries.row[kept], entries.col[kept], entries.data[kept]
    if not isinstance(G, tuple) or len(G) != 3:
        raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix or edges (from, to, weights)")
    if vertices is None:
        raise TypeError("G is a tuple of edges, which go with the number of vertices")
    start, end, weights = (np.asarray(a) for a in G)
    if start.ndim != 1 or not start.shape == end.shape == weights.shape:
        raise ValueError(f"G has arrays of shapes {start.shape}, {end.shape} and {weights.shape}, expected three of one length")
    if start.size and not 0 <= min(start.min(), end.min()) <= max(start.max(), end.max()) < vertices:
        raise ValueError(f"G has edges between the vertices {min(start.min(), end.min())} to "
                         f"{max(start.max(), end.max())}, expected 0 to {vertices - 1}")
    return vertices, start, end, weights


def layout(G: Any) -> Any:
    """Return positions of the vertices in the plane, by a multilevel force-directed method.

    Edges have a mean length of 1. Components are next to each other, the largest first, and vertices without edges are in a block
    after them. The result is the same in every call. 10^5 vertices take some six seconds of one core.

    Parameters
    ----------
    G : graph as `run` takes it, in host memory; directions, loops, parallel edges and weights do not matter

    Returns
    -------
    (n, 2) array, or a dict from node to position for a graph of NetworkX, as ``networkx.draw(G, pos=...)`` takes it

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> coppice.graph.layout(csr_array([[0, 1], [1, 0]])).shape
    (2, 2)
    """
    nodes, n, start, end = _pattern_of(G)
    positions = _positions_of(n, start, end)
    return dict(zip(nodes, positions)) if nodes is not None and not _is_igraph(G) and not isinstance(G, EdgeTable) else positions


def draw(G: Any, file: Any = None, *, values: Any = None, edges: Any = None) -> Drawing:
    """Draw a graph as SVG; notebooks show the result.

    Parameters
    ----------
    G : graph as `run` takes it, in host memory; see `layout`
    file : name of a file that ends in .svg, which is written; None: none
    values : a value for each vertex, which determines its colour: `Answer`, its ``values``, an array, or a dict by node.
        Integers and text: a colour for each value, such as a component; floats: from light (smallest) to dark
    edges : edges that are drawn thick: `Answer`, its ``values``, or three or two arrays of ends

    Returns
    -------
    Drawing

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> A = csr_array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> coppice.graph.draw(A, values=coppice.graph.components(A)).svg.count("<circle")
    3
    """
    nodes, n, start, end = _pattern_of(G)
    made = drawing(_positions_of(n, start, end), start, end, _drawn_edges(G, nodes, edges), _drawn_values(nodes, n, values),
                   list(range(n)) if nodes is None else list(nodes))
    if file is not None:
        made.save(file)
    return made


def _pattern_of(G):
    """(nodes or None, number of vertices, ends of the edges, each pair of vertices once, without loops)."""
    if is_sparse(G):
        matrix, _ = _graph(G)
        stored = G.tocoo() if hasattr(G, "nnz") else None
        if stored is None:
            raise TypeError(f"G is a {type(G).__name__} in device memory or of PyTorch, expected a scipy.sparse matrix or a graph")
        nodes, n, start, end = None, G.shape[0], stored.row, stored.col
    else:
        found = _edges_of_graph(G, None)
        nodes, n, start, end = found.nodes, len(found.nodes), found.start, found.end
        nodes = G.ids.tolist() if isinstance(G, EdgeTable) else nodes
    low, high = np.minimum(start, end).astype(np.int64), np.maximum(start, end).astype(np.int64)
    keys = np.unique((low * n + high)[low != high])
    return nodes, n, keys // max(n, 1), keys % max(n, 1)


def _positions_of(n, start, end):
    from scipy.sparse import coo_array

    pattern = coo_array((np.ones(len(start)), (start, end)), shape=(n, n)).tocsr()
    return _core.graph_layout(csr("G", pattern, square=True)[0]).reshape(n, 2)


def _drawn_values(nodes, n, values):
    values = values.values if isinstance(values, Answer) else values
    if isinstance(values, dict):
        if "value" in values and "vertex" in values:
            return np.asarray(values["value"])
        if nodes is None:
            nodes = range(n)
        missing = [node for node in nodes if node not in values]
        if missing:
            raise ValueError(f"values has no value for the node {missing[0]!r}, expected one for each")
        return np.asarray([values[node] for node in nodes])
    return values


def _drawn_edges(G, nodes, edges):
    """Positions of the ends of the edges to draw thick."""
    edges = edges.values if isinstance(edges, Answer) else edges
    if edges is None:
        return None
    if isinstance(edges, dict):
        ends = [[G.position("edges", node) for node in edges[side]] for side in ("source", "target")]
    elif isinstance(edges, list):
        position = {node: k for k, node in enumerate(nodes or ())}
        ends = [[position[edge[side]] for edge in edges] for side in (0, 1)]
    else:
        ends = edges[:2]
    return tuple(np.asarray(side, dtype=np.int64) for side in ends)


_COMBINE: dict[str, Any] = {"min": np.minimum, "max": np.maximum, "sum": np.add}
_READING = ("adj", "adjacency", "succ", "successors", "pred", "predecessors", "neighbors", "edges", "nodes", "degree",
            "__getitem__", "__iter__", "__len__", "__contains__", "get_edge_data", "has_edge", "is_directed", "is_multigraph")
_EXACT = 2**53  # float64 represents all integers up to this one


class _Edges(NamedTuple):
    """Edges of a graph in any order, with both directions of undirected ones."""

    nodes: Sequence
    start: np.ndarray
    end: np.ndarray
    weights: np.ndarray
    igraph: bool


def _is_igraph(G):
    return all(hasattr(G, name) for name in ("get_edgelist", "vcount", "is_directed"))


def _edges_of_graph(G, weight):
    if isinstance(G, EdgeTable):
        start, end = G.ends()
        given = None if weight is None or G.weights is None else G.both(G.weights)
        return _Edges(range(len(G.ids)), start, end, np.ones(len(start)) if given is None else given, False)
    if _is_igraph(G):
        return _edges_of_igraph(G, weight if weight in G.es.attributes() else None)
    return _edges_of_networkx(G, weight)


def _edges_of_igraph(G, weight):
    edges = np.asarray(G.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if weight is None:
        weights = np.ones(len(edges))
    else:
        weights = exact_weights(G.es[weight], lambda k: f"edge {k} of G from {edges[k, 0]} to {edges[k, 1]}")
    if not G.is_directed():  # edge and reverse are adjacent, so that both directions add parallel edges in the same order
        kept = np.ones((len(edges), 2), dtype=bool)
        kept[:, 1] = edges[:, 0] != edges[:, 1]
        edges = np.stack([edges, edges[:, ::-1]], axis=1)[kept]
        weights = np.repeat(weights, kept.sum(axis=1))
    return _Edges(list(range(G.vcount())), edges[:, 0], edges[:, 1], weights, True)


def _edges_of_networkx(G, weight):
    if not (hasattr(G, "is_directed") and hasattr(G, "nodes")):
        raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix, a graph of NetworkX or igraph, or an "
                        "EdgeTable (from_table makes one of a data frame)")
    nodes = list(G)
    if is_undirected_view(G) and reads_as_networkx(G):
        G = G.copy()  # the rows of a view may have an edge in one direction only, or with two sets of attributes
    rows = list(dict(G.adjacency()).values()) if reads_as_networkx(G) else [G[node] for node in nodes]
    if G.is_multigraph():  # rows of directed views count neighbors whose edges are all hidden
        rows = [dict(row) for row in rows]
    position = {node: k for k, node in enumerate(nodes)}
    end = np.fromiter((position[v] for row in rows for v in row), np.int64)
    start = np.repeat(np.arange(len(nodes)), np.fromiter(map(len, rows), np.int64, len(rows)))
    if G.is_multigraph():
        several = np.fromiter((len(keys) for row in rows for keys in row.values()), np.int64, len(end))
        start, end = np.repeat(start, several), np.repeat(end, several)
    if weight is None:
        return _Edges(nodes, start, end, np.ones(len(end)), False)
    if G.is_multigraph():
        found = [data.get(weight, 1) for row in rows for keys in row.values() for data in keys.values()]
    else:
        found = [data.get(weight, 1) for row in rows for data in row.values()]
    weights = exact_weights(found, lambda k: f"edge ({nodes[start[k]]!r}, {nodes[end[k]]!r}) of G")
    return _Edges(nodes, start, end, weights, False)


def reads_as_networkx(G: Any) -> bool:
    """Whether G is a graph of NetworkX whose class does not override how neighbours are read."""
    import networkx as nx

    bases = (nx.MultiDiGraph, nx.MultiGraph, nx.DiGraph, nx.Graph)
    base = next((base for base in bases if isinstance(G, base)), None)
    return base is not None and all(getattr(type(G), name, None) is getattr(base, name, None) for name in _READING)


def is_undirected_view(G: Any) -> bool:
    """Whether G is an undirected view of a graph of NetworkX, which may store edges in one direction."""
    return not G.is_directed() and hasattr(G, "_graph")


def exact_weights(values: list, edge: Callable[[int], str]) -> np.ndarray:
    """Convert weights to float64 without rounding. `edge(k)` describes edge k in a message."""
    if not all(kind is float or kind is np.float64 for kind in set(map(type, values))):
        for k, value in enumerate(values):
            if not isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
                raise TypeError(f"{edge(k)} has the weight {value!r}, expected a real number")
            if not isinstance(value, (float, np.floating)) and abs(int(value)) > _EXACT and not _is_exact(int(value)):
                raise ValueError(f"{edge(k)} has the weight {value}, which float64 does not hold exactly; expected integers "
                                 "up to 2^53, or floats")
    return np.array(values, dtype=np.float64)


def _is_exact(value: int) -> bool:
    try:
        return int(float(value)) == value
    except OverflowError:
        return False


def _combined(edges, how, name, remedy="a graph whose parallel edges are combined"):
    """Return a csr_array with one entry for each pair of vertices."""
    from scipy.sparse import csr_array

    n, weights = len(edges.nodes), edges.weights
    key = edges.start * n + edges.end  # below 2^62, since n is below 2^31
    order = np.argsort(key, kind="stable")
    key, weights = key[order], weights[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    if len(first) < len(key):
        counts = np.diff(first, append=len(order))
        if how == "refuse":
            u, v = divmod(int(key[first[counts.argmax()]]), n)
            raise ValueError(f"G has {counts.max()} parallel edges from {edges.nodes[u]!r} to {edges.nodes[v]!r}; {name} "
                             f"takes every pair of vertices once, expected {remedy}")
        key, weights = key[first], _COMBINE[how].reduceat(weights, first) if how in _COMBINE else weights[first]
    if how == "count":
        weights = np.diff(first, append=len(order)).astype(np.float64)
    offsets = np.searchsorted(key, np.arange(n + 1) * n)
    return csr_array((weights, key % max(n, 1), offsets), shape=(n, n))


def _vertex(G, nodes, key, vertex):
    if isinstance(G, EdgeTable):
        return G.position(key, vertex)
    if not _is_igraph(G):
        return _position(nodes, key, vertex)
    if not isinstance(vertex, str):
        return vertex
    try:
        return G.vs.find(vertex).index
    except (KeyError, ValueError):
        raise ValueError(f"{key} is {vertex!r}, which is no vertex of G") from None


def _option(key, value):
    if key in _FLAGS:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{key} is {value!r}, expected True or False")
        return bool(value)
    return integer(key, value, 0, 2**31 - 1) if key in _COUNTS else real(key, value)


def _about_weights(row):
    if "weighted" in row["options"]:
        return "; weighted=True reads the entries of a matrix, and the edge attribute 'weight' of a graph"
    return ("; entries of a matrix and the edge attribute 'weight' of a graph are its weights" if row["weighted"] else
            "; it does not read weights, every edge counts as 1")


def _graph(G):
    if hasattr(G, "layout"):  # of PyTorch
        G = G if G.is_complex() else G.double()
    elif G.dtype != np.float64:
        if G.dtype.kind not in "biuf":
            raise TypeError(f"G with shape {G.shape} has dtype {G.dtype}, expected real numbers")
        require_sound("G", G)
        if getattr(G, "format", "csr") not in ("csr", "csc", "coo"):  # `data` of the others is not the list of all entries
            G = G.tocoo()
        rounded = G.astype(np.float64)
        if G.dtype.kind in "iu" and G.dtype.itemsize == 8 and _loses_digits(G.data, rounded.data):
            raise ValueError(f"G with shape {G.shape} has {G.dtype} entries that float64 does not hold exactly; expected "
                             "integers up to 2^53, or floats")
        G = rounded
    return csr("G", G, square=True)


def _position(nodes, key, node):
    try:
        return nodes.index(node)
    except ValueError:
        raise ValueError(f"{key} is {node!r}, which is no node of G") from None


def _loses_digits(integers, rounded):
    large = abs(rounded) >= _EXACT
    return bool(large.any()) and any(map(lambda value: not _is_exact(value), integers[large].tolist()))


def _by_node(nodes, found):
    if isinstance(found, tuple):
        return [(nodes[u], nodes[v], w) for u, v, w in zip(*(a.tolist() for a in found))]
    return found if found.ndim > 1 else dict(zip(nodes, found.tolist()))


def _function_of(row):
    def algorithm(G, *, check=False, **options):
        return run(row["name"], G, check=check, **options)

    needs = f"{'weighted ' if row['weighted'] else ''}{'undirected ' if row['undirected'] else ''}graph"
    options = "".join(f"{name.replace('-', '_')} : {_MEANING[name]}\n" for name in row["options"])
    given = [inspect.Parameter(name.replace("-", "_"), inspect.Parameter.KEYWORD_ONLY, default=...)
             for name in row["options"]]
    if row["check"]:
        options += "check : bool, as in `run`\n"
        given.append(inspect.Parameter("check", inspect.Parameter.KEYWORD_ONLY, default=False))
    graph = inspect.Parameter("G", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    algorithm.__signature__ = inspect.Signature([graph, *given], return_annotation="Answer")
    algorithm.__name__ = algorithm.__qualname__ = row["name"].replace("-", "_")
    reads = "" if row["weighted"] or "weighted" in row["options"] else "Weights are not read: every edge counts as 1.\n\n"
    algorithm.__doc__ = (f"{row['summary']}.\n\n{reads}Parameters\n----------\nG : {needs}, as in `run`\n{options}\n"
                         f"Returns\n-------\nAnswer, whose values are {row['output']}\n")
    return algorithm


for _row in _ROWS.values():
    _function = _function_of(_row)
    assert not keyword.iskeyword(_function.__name__)
    globals()[_function.__name__] = _function
if TYPE_CHECKING:  # a test compares these names with the catalogue
    articulation_points: Callable[..., Answer]
    b_matching: Callable[..., Answer]
    betweenness: Callable[..., Answer]
    bfs: Callable[..., Answer]
    biconnected: Callable[..., Answer]
    bridges: Callable[..., Answer]
    closeness: Callable[..., Answer]
    clustering: Callable[..., Answer]
    colouring: Callable[..., Answer]
    communities: Callable[..., Answer]
    components: Callable[..., Answer]
    cores: Callable[..., Answer]
    diameter: Callable[..., Answer]
    edge_betweenness: Callable[..., Answer]
    eigenvector: Callable[..., Answer]
    hits: Callable[..., Answer]
    independent_set: Callable[..., Answer]
    katz: Callable[..., Answer]
    label_propagation: Callable[..., Answer]
    leiden: Callable[..., Answer]
    longest_paths: Callable[..., Answer]
    matching: Callable[..., Answer]
    max_flow: Callable[..., Answer]
    maximal_matching: Callable[..., Answer]
    min_cut: Callable[..., Answer]
    mst: Callable[..., Answer]
    pagerank: Callable[..., Answer]
    random_walks: Callable[..., Answer]
    similarity: Callable[..., Answer]
    sssp: Callable[..., Answer]
    strong_components: Callable[..., Answer]
    topological_levels: Callable[..., Answer]
    triangles: Callable[..., Answer]
    truss: Callable[..., Answer]
    widest: Callable[..., Answer]


__all__ = ["Answer", "Drawing", "EdgeTable", "GraphBatch", "NeighborSampler", "Subgraph", "algorithms", "all_pairs_distances", "draw", "from_edge_index", "from_igraph",
           "from_table", "induced_subgraph", "k_hop_subgraph", "layout", "parallel_edges", "run", "to_igraph", "to_networkx",
           *(name.replace("-", "_") for name in _ROWS)]
