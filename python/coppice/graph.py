# SPDX-License-Identifier: BSD-3-Clause
"""Graph algorithms on scipy.sparse matrices and on graphs of NetworkX and igraph.

The functions are those of the library's catalogue: `algorithms` lists them, ``run("bfs", G, source=3)`` and
``bfs(G, source=3)`` are the same. A matrix holds the edge (u, v) as its entry (u, v); entries are weights.
`from_igraph`, `to_igraph` and `to_networkx` convert.
"""

from __future__ import annotations

import inspect
import keyword
from typing import TYPE_CHECKING, Any, Callable, NamedTuple

import numpy as np

from . import _core
from ._arrays import integer, real
from ._places import library_of
from ._sparse import csr, is_sparse, require_sound

if TYPE_CHECKING:
    from ._types import SparseMatrix

_COUNTS = ("max-iterations", "samples", "capacity")
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
}
_ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in _core.graph_algorithm_catalogue()}


class Answer(NamedTuple):
    """What an algorithm found.

    Attributes
    ----------
    values : array with an element a vertex (a dict by node for a graph of NetworkX), or the edges (from, to, weights)
        (a list of such triples by node for a graph of NetworkX).
    facts : dict of single numbers, such as the number of components.
    """

    values: Any
    facts: dict[str, float]


def algorithms() -> dict[str, dict[str, Any]]:
    """The catalogue: summary, output, needs and options of every algorithm, by name."""
    return dict(_ROWS)


def run(name: str, G: Any, **options: Any) -> Answer:
    """Run the algorithm of that name.

    Parameters
    ----------
    name : str
        A name of `algorithms()`.
    G : (n, n) sparse matrix of SciPy, CuPy or PyTorch, or NetworkX or igraph graph, whose edge attribute "weight" is the weight
        Algorithms for undirected graphs take matrices that hold both directions of every edge. Weights of integers are
        converted to float64.
    **options
        Those that the catalogue names for the algorithm, with ``_`` for ``-``; `source` is a node of a NetworkX graph,
        a number or a name of a vertex of an igraph one.

    Raises
    ------
    ValueError
        For unknown names, vertices that are not there and graphs that are not what the algorithm needs.
    ArithmeticError
        Where there is no answer: a cycle of negative length, no convergence.
    """
    if name not in _ROWS:
        raise ValueError(f"unknown graph algorithm {name!r}, expected one of {', '.join(_ROWS)}")
    row = _ROWS[name]
    given = {key.replace("_", "-"): value for key, value in options.items()}
    for key in given:
        if key not in row["options"]:
            raise TypeError(f"{name} has no option {key!r}, expected {', '.join(row['options']) or 'none'}")
    for key, value in given.items():
        if key != "source":
            given[key] = integer(key, value, 0, 2**31 - 1) if key in _COUNTS else real(key, value)
    nodes = None
    if _is_igraph(G):
        if isinstance(given.get("source"), str):
            given["source"] = _named_vertex(G, given["source"])
        G = from_igraph(G)
    elif not is_sparse(G):
        G, nodes = _matrix_of(G)
        if "source" in given:
            given["source"] = _position(nodes, given["source"])
    if "source" in given:
        given["source"] = integer("source", given["source"], -2**63, 2**63 - 1)
    matrix, weights = _graph(G)
    if _core.is_undirected(matrix):
        given["undirected"] = True
    elif row["undirected"]:
        raise ValueError(f"G with shape {tuple(G.shape)} has edges in one direction only; {name} needs an undirected graph, "
                         "which stores both")
    found, facts, failure = _core.run_graph_algorithm(name, matrix, given)
    if failure:
        raise ArithmeticError(f"{name}: {failure}")
    if nodes is not None:
        return Answer(_by_node(nodes, found), facts)
    placed = library_of(weights).from_host
    return Answer(tuple(map(placed, found)) if isinstance(found, tuple) else placed(found), facts)


def from_igraph(G: Any, weight: str | None = "weight") -> Any:
    """A scipy.sparse.csr_array of an ``igraph.Graph``, with both directions of undirected edges.

    Parameters
    ----------
    G : igraph.Graph
    weight : str, the edge attribute that entries are, and 1 where the graph has none; parallel edges are added up.
    """
    from scipy.sparse import coo_array

    n, edges = G.vcount(), np.asarray(G.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    if weight is not None and weight in G.es.attributes():
        weights = np.asarray(G.es[weight], dtype=np.float64)
    else:
        weights = np.ones(len(edges))
    if not G.is_directed():
        turned = edges[edges[:, 0] != edges[:, 1]]
        weights = np.concatenate([weights, weights[edges[:, 0] != edges[:, 1]]])
        edges = np.concatenate([edges, turned[:, ::-1]])
    return coo_array((weights, (edges[:, 0], edges[:, 1])), shape=(n, n)).tocsr()


def to_igraph(G: SparseMatrix | tuple, vertices: int | None = None, *, directed: bool = False) -> Any:
    """An ``igraph.Graph`` of a sparse matrix, or of the edges (from, to, weights) that an algorithm found.

    Parameters
    ----------
    G : (n, n) scipy.sparse matrix, whose upper triangle counts unless `directed`, or three arrays
    vertices : int, the number of vertices where G is edges
    directed : bool
    """
    import igraph

    n, start, end, weights = _edges_of(G, vertices, directed)
    made = igraph.Graph(n=n, edges=list(zip(start.tolist(), end.tolist())), directed=directed)
    made.es["weight"] = weights.tolist()
    return made


def to_networkx(G: SparseMatrix | tuple, vertices: int | None = None, *, directed: bool = False) -> Any:
    """A graph of NetworkX with the nodes 0 to n - 1.

    Parameters
    ----------
    G, vertices, directed
        As in `to_igraph`.
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
        entries = G.tocoo()
        kept = np.full(entries.nnz, True) if directed else entries.row <= entries.col
        return G.shape[0], entries.row[kept], entries.col[kept], entries.data[kept]
    if not isinstance(G, tuple) or len(G) != 3:
        raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix or edges (from, to, weights)")
    if vertices is None:
        raise TypeError("G is a tuple of edges, which go with the number of vertices")
    start, end, weights = (np.asarray(a) for a in G)
    if start.size and not 0 <= min(start.min(), end.min()) <= max(start.max(), end.max()) < vertices:
        raise ValueError(f"G has edges between the vertices {min(start.min(), end.min())} to "
                         f"{max(start.max(), end.max())}, expected 0 to {vertices - 1}")
    return vertices, start, end, weights


def _is_igraph(G):
    return all(hasattr(G, name) for name in ("get_edgelist", "vcount", "is_directed"))


def _named_vertex(G, name):
    try:
        return G.vs.find(name).index
    except (KeyError, ValueError):
        raise ValueError(f"source is {name!r}, which is no vertex of G") from None


def _graph(G):
    if hasattr(G, "layout"):  # of PyTorch
        G = G if G.is_complex() else G.double()
    elif G.dtype != np.float64:
        if G.dtype.kind not in "biuf":
            raise TypeError(f"G with shape {G.shape} has dtype {G.dtype}, expected real numbers")
        require_sound("G", G)
        G = G.astype(np.float64)
    return csr("G", G, square=True)


def _matrix_of(G):
    if not (hasattr(G, "is_directed") and hasattr(G, "nodes")):
        raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix or a graph of NetworkX or igraph")
    import networkx as nx

    nodes = list(G)
    if not nodes:
        raise ValueError("G has no nodes, expected one at least")
    return nx.to_scipy_sparse_array(G, nodelist=nodes, dtype=np.float64), nodes


def _position(nodes, node):
    try:
        return nodes.index(node)
    except ValueError:
        raise ValueError(f"source is {node!r}, which is no node of G") from None


def _by_node(nodes, found):
    if isinstance(found, tuple):
        return [(nodes[u], nodes[v], w) for u, v, w in zip(*(a.tolist() for a in found))]
    return dict(zip(nodes, found.tolist()))


def _function_of(row):
    def algorithm(G, **options):
        return run(row["name"], G, **options)

    needs = f"{'weighted ' if row['weighted'] else ''}{'undirected ' if row['undirected'] else ''}graph"
    options = "".join(f"{name.replace('-', '_')} : {_MEANING[name]}\n" for name in row["options"])
    given = [inspect.Parameter(name.replace("-", "_"), inspect.Parameter.KEYWORD_ONLY, default=...)
             for name in row["options"]]
    graph = inspect.Parameter("G", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    algorithm.__signature__ = inspect.Signature([graph, *given], return_annotation="Answer")
    algorithm.__name__ = algorithm.__qualname__ = row["name"].replace("-", "_")
    algorithm.__doc__ = (f"{row['summary']}.\n\nParameters\n----------\nG : {needs}, as in `run`\n{options}\n"
                         f"Returns\n-------\nAnswer, whose values are {row['output']}\n")
    return algorithm


for _row in _ROWS.values():
    _function = _function_of(_row)
    assert not keyword.iskeyword(_function.__name__)
    globals()[_function.__name__] = _function
if TYPE_CHECKING:

    def __getattr__(name: str) -> Callable[..., Answer]: ...  # the algorithms of the catalogue


__all__ = ["Answer", "algorithms", "from_igraph", "run", "to_igraph", "to_networkx",
           *(name.replace("-", "_") for name in _ROWS)]
