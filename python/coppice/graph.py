# SPDX-License-Identifier: BSD-3-Clause
"""Graph algorithms on scipy.sparse matrices and on graphs of NetworkX.

The functions are those of the library's catalogue: `algorithms` lists them, ``run("bfs", G, source=3)`` and
``bfs(G, source=3)`` are the same. A matrix holds the edge (u, v) as its entry (u, v); entries are weights.
"""

from __future__ import annotations

import keyword
from typing import NamedTuple

import numpy as np

from . import _core
from ._sparse import csr, is_sparse

_ROWS = {row["name"]: row for row in _core.graph_algorithm_catalogue()}


class Answer(NamedTuple):
    """What an algorithm found.

    Attributes
    ----------
    values : array with an element a vertex (a dict by node for a graph of NetworkX), or the edges (from, to, weights).
    facts : dict of single numbers, such as the number of components.
    """

    values: object
    facts: dict


def algorithms() -> dict[str, dict]:
    """The catalogue: summary, output, needs and options of every algorithm, by name."""
    return dict(_ROWS)


def run(name: str, G, **options) -> Answer:
    """Run the algorithm of that name.

    Parameters
    ----------
    name : str
        A name of `algorithms()`.
    G : (n, n) scipy.sparse matrix, or NetworkX graph
        Algorithms for undirected graphs take matrices that hold both directions of every edge. Weights of integers are
        converted to float64.
    **options
        Those that the catalogue names for the algorithm, with ``_`` for ``-``; `source` is a node of a NetworkX graph.

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
    nodes = None
    if not is_sparse(G):
        G, nodes = _matrix_of(G)
        if "source" in given:
            given["source"] = _position(nodes, given["source"])
    matrix = _graph(G)
    if _core.is_undirected(matrix):
        given["undirected"] = True
    elif row["undirected"]:
        raise ValueError(f"G with shape {G.shape} has edges in one direction only; {name} needs an undirected graph, "
                         "which stores both")
    found, facts, failure = _core.run_graph_algorithm(name, matrix, given)
    if failure:
        raise ArithmeticError(f"{name}: {failure}")
    return Answer(found if nodes is None else _by_node(nodes, found), facts)


def _graph(G):
    if G.dtype != np.float64:
        if G.dtype.kind not in "biuf":
            raise TypeError(f"G with shape {G.shape} has dtype {G.dtype}, expected real numbers")
        G = G.astype(np.float64)
    return csr("G", G, square=True)[0]


def _matrix_of(G):
    if not (hasattr(G, "is_directed") and hasattr(G, "nodes")):
        raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix or a NetworkX graph")
    import networkx as nx

    nodes = list(G)
    if not nodes:
        raise ValueError("G has no nodes")
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

    options = ", ".join(row["options"]).replace("-", "_") or "none"
    needs = "undirected graph" if row["undirected"] else "graph"
    algorithm.__name__ = algorithm.__qualname__ = row["name"].replace("-", "_")
    algorithm.__doc__ = (f"{row['summary']}.\n\nTakes a {'weighted ' if row['weighted'] else ''}{needs}; options: "
                         f"{options}. Values: {row['output']}. See `run`.")
    return algorithm


for _row in _ROWS.values():
    _function = _function_of(_row)
    assert not keyword.iskeyword(_function.__name__)
    globals()[_function.__name__] = _function
__all__ = ["Answer", "algorithms", "run", *(name.replace("-", "_") for name in _ROWS)]
