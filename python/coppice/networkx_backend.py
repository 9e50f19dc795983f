# SPDX-License-Identifier: BSD-3-Clause
"""NetworkX backend: ``networkx.pagerank(G, backend="coppice")`` and the others below."""

from __future__ import annotations

import inspect

import numpy as np

from . import graph


class Graph:
    """A NetworkX graph as a matrix, with its nodes in order; what the backend's functions take."""

    __networkx_backend__ = "coppice"

    def __init__(self, matrix, nodes, directed):
        self.matrix, self.nodes, self.directed = matrix, nodes, directed

    def is_directed(self):
        return self.directed

    def is_multigraph(self):
        return False

    def __len__(self):
        return len(self.nodes)


def _pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight",
              dangling=None):
    # NetworkX stops where the sum of changes is below n tol.
    found = _run("pagerank", G, damping=alpha, tolerance=len(G) * tol, max_iterations=max_iter)
    return dict(zip(G.nodes, found.tolist()))


def _connected_components(G):
    groups: dict = {}
    for node, label in zip(G.nodes, _run("components", G).tolist()):
        groups.setdefault(label, set()).add(node)
    yield from groups.values()


def _number_connected_components(G):
    return len(np.unique(_run("components", G)))


def _core_number(G):
    return {node: int(core) for node, core in zip(G.nodes, _run("cores", G).tolist())}


def _triangles(G, nodes=None):
    counts = {node: int(count) for node, count in zip(G.nodes, _run("triangles", G).tolist())}
    if nodes is None:
        return counts
    return counts[nodes] if nodes in counts else {node: counts[node] for node in nodes}


def _single_source_shortest_path_length(G, source, cutoff=None):
    levels = _run("bfs", G, source=graph._position(G.nodes, source)).tolist()
    most = max(levels) if cutoff is None else cutoff
    pairs = [(level, node) for node, level in zip(G.nodes, levels) if 0 <= level <= most]
    return {node: int(level) for level, node in sorted(pairs, key=lambda pair: pair[0])}


def _run(name, G, **options):
    return graph.run(name, G.matrix, **options).values


_FUNCTIONS = {
    "pagerank": _pagerank,
    "connected_components": _connected_components,
    "number_connected_components": _number_connected_components,
    "core_number": _core_number,
    "triangles": _triangles,
    "single_source_shortest_path_length": _single_source_shortest_path_length,
}


class _Backend:
    """What NetworkX asks of a backend."""

    @staticmethod
    def convert_from_nx(G, *args, name=None, **kwargs):
        import networkx as nx

        if isinstance(G, Graph):
            return G
        nodes = list(G)
        matrix = nx.to_scipy_sparse_array(G, nodelist=nodes, dtype=np.float64, weight=None) if nodes else None
        return Graph(matrix, nodes, G.is_directed())

    @staticmethod
    def convert_to_nx(result, *args, **kwargs):
        return result

    @staticmethod
    def can_run(name, args, kwargs):
        """Whether the arguments are those that the library's algorithm has, too."""
        if name not in _FUNCTIONS:
            return False
        given = inspect.signature(_FUNCTIONS[name]).bind(*args, **kwargs).arguments
        G = given["G"]
        if len(G) == 0 or G.is_multigraph():
            return False
        if name == "pagerank":
            weight = given.get("weight", "weight")
            weighted = not isinstance(G, Graph) and weight is not None and any(
                weight in data for _, _, data in G.edges(data=True))
            return not weighted and all(given.get(key) is None for key in ("personalization", "nstart", "dangling"))
        if name in ("core_number", "triangles") and not isinstance(G, Graph):
            return not any(u == v for u, v in G.edges)
        return True

    @staticmethod
    def should_run(name, args, kwargs):
        return True


backend = _Backend()
for _name, _function in _FUNCTIONS.items():
    setattr(_Backend, _name, staticmethod(_function))  # type: ignore[arg-type]


def get_info():
    return {
        "backend_name": "coppice",
        "project": "coppice",
        "package": "coppice",
        "short_summary": "Graph algorithms of Coppice, on all cores",
        "functions": {name: {} for name in _FUNCTIONS},
    }
