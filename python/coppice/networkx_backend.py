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
    return _by_node(G, _iterated("pagerank", G, max_iter, tol, damping=alpha))


def _eigenvector_centrality(G, max_iter=100, tol=1e-6, nstart=None, weight=None):
    return _by_node(G, _iterated("eigenvector", G, max_iter, tol))


def _katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1e-6, nstart=None, normalized=True, weight=None):
    scores = beta * _iterated("katz", G, max_iter, tol, alpha=alpha)
    return _by_node(G, scores / np.linalg.norm(scores) if normalized else scores)


def _betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    n, scores = len(G), _run("betweenness", G)
    if G.directed and (G.matrix != G.matrix.T).nnz == 0:
        scores = 2 * scores  # of a symmetric matrix pairs are counted once
    if normalized and n > 2:
        scores = scores * ((1 if G.directed else 2) / ((n - 1) * (n - 2)))
    return _by_node(G, scores)


def _closeness_centrality(G, u=None, distance=None, wf_improved=True):
    scores = _by_node(G, _run("closeness", G))
    return scores if u is None else scores[u]


def _connected_components(G):
    yield from _groups("components", G)


def _number_connected_components(G):
    return len(np.unique(_run("components", G)))


def _is_connected(G):
    return _number_connected_components(G) == 1


def _node_connected_component(G, n):
    return next(group for group in _groups("components", G) if n in group)


def _strongly_connected_components(G):
    yield from _groups("strong-components", G)


def _number_strongly_connected_components(G):
    return len(np.unique(_run("strong-components", G)))


def _is_strongly_connected(G):
    return _number_strongly_connected_components(G) == 1


def _bridges(G, root=None):
    found = _run("bridges", G)
    yield from {(G.nodes[min(u, v)], G.nodes[max(u, v)]) for u, v in zip(found[0].tolist(), found[1].tolist())}


def _has_bridges(G, root=None):
    return len(_run("bridges", G)[0]) > 0


def _core_number(G):
    return {node: int(core) for node, core in _by_node(G, _run("cores", G)).items()}


def _triangles(G, nodes=None):
    return _of_nodes({node: int(count) for node, count in _by_node(G, _run("triangles", G)).items()}, nodes)


def _clustering(G, nodes=None, weight=None):
    degree = np.diff(G.matrix.indptr).astype(float)
    return _of_nodes(_by_node(G, 2 * _run("triangles", G) / np.maximum(degree * (degree - 1), 1)), nodes)


def _average_clustering(G, nodes=None, weight=None, count_zeros=True):
    return sum(_clustering(G).values()) / len(G)


def _transitivity(G):
    return graph.run("triangles", G.matrix).facts["transitivity"]


def _single_source_shortest_path_length(G, source, cutoff=None):
    found = _from_source("bfs", G, source, cutoff)
    return {node: int(level) for node, level in found.items()}


def _single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    return _from_source("sssp", G, source, cutoff)


def _run(name, G, **options):
    return graph.run(name, G.matrix, **options).values


def _iterated(name, G, max_iter, tol, **options):
    try:
        return _run(name, G, tolerance=len(G) * tol, max_iterations=max_iter, **options)
    except ArithmeticError:
        from networkx import PowerIterationFailedConvergence

        raise PowerIterationFailedConvergence(max_iter) from None


def _by_node(G, values):
    return dict(zip(G.nodes, values.tolist()))


def _of_nodes(found, nodes):
    if nodes is None:
        return found
    try:
        if nodes in found:
            return found[nodes]
    except TypeError:  # a list of nodes
        pass
    return {node: found[node] for node in nodes if node in found}


def _groups(name, G):
    groups: dict = {}
    for node, label in _by_node(G, _run(name, G)).items():
        groups.setdefault(label, set()).add(node)
    return groups.values()


def _from_source(name, G, source, cutoff):
    """By rising distance, as NetworkX finds them."""
    far = np.inf if cutoff is None else cutoff
    found = _by_node(G, _run(name, G, source=graph._position(G.nodes, source)))
    pairs = [(length, node) for node, length in found.items() if 0 <= length <= far and length < np.inf]
    return {node: length for length, node in sorted(pairs, key=lambda pair: pair[0])}


_ITERATED, _UNDIRECTED, _DIRECTED, _SIMPLE = (
    {_eigenvector_centrality, _katz_centrality, _pagerank},
    {_bridges, _has_bridges, _connected_components, _number_connected_components, _is_connected,
     _node_connected_component, _core_number, _triangles, _clustering, _average_clustering, _transitivity},
    {_strongly_connected_components, _number_strongly_connected_components, _is_strongly_connected},
    {_core_number, _triangles, _clustering, _average_clustering, _transitivity},
)
_FUNCTIONS = {function.__name__[1:]: function for function in (
    *sorted(_UNDIRECTED | _DIRECTED | _ITERATED, key=lambda f: f.__name__), _betweenness_centrality,
    _closeness_centrality, _single_source_shortest_path_length, _single_source_dijkstra_path_length)}
# What is there for these values alone.
_ONLY: dict[str, dict] = {
    "pagerank": {"personalization": None, "nstart": None, "dangling": None},
    "eigenvector_centrality": {"nstart": None, "weight": None},
    "katz_centrality": {"nstart": None, "weight": None},
    "betweenness_centrality": {"k": None, "weight": None, "endpoints": False},
    "closeness_centrality": {"distance": None, "wf_improved": True},
    "clustering": {"weight": None},
    "average_clustering": {"nodes": None, "weight": None, "count_zeros": True},
    "bridges": {"root": None},
    "has_bridges": {"root": None},
}


class _Backend:
    """What NetworkX asks of a backend."""

    @staticmethod
    def convert_from_nx(G, *args, edge_attrs=None, name=None, **kwargs):
        import networkx as nx

        if isinstance(G, Graph):
            return G
        nodes, weight = list(G), next(iter(edge_attrs), None) if edge_attrs else None
        matrix = nx.to_scipy_sparse_array(G, nodelist=nodes, dtype=np.float64, weight=weight) if nodes else None
        return Graph(matrix, nodes, G.is_directed())

    @staticmethod
    def convert_to_nx(result, *args, **kwargs):
        return result

    @staticmethod
    def can_run(name, args, kwargs):
        """Whether the arguments are those that the library's algorithm has, too."""
        if name not in _FUNCTIONS:
            return False
        function = _FUNCTIONS[name]
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        G = given["G"]
        if len(G) == 0 or G.is_multigraph():
            return False
        if any(given.get(key, value) != value for key, value in _ONLY.get(name, {}).items()):
            return False
        if (function in _UNDIRECTED and G.is_directed()) or (function in _DIRECTED and not G.is_directed()):
            return False
        weight = given.get("weight", "weight" if name in ("pagerank", "single_source_dijkstra_path_length") else None)
        if name == "pagerank" and not isinstance(G, Graph) and weight is not None:
            return not any(weight in data for _, _, data in G.edges(data=True))
        if name == "single_source_dijkstra_path_length":
            return weight is None or isinstance(weight, str)
        if name == "katz_centrality":
            return isinstance(given.get("beta", 1.0), (int, float)) and given.get("alpha", 0.1) > 0
        return function not in _SIMPLE or isinstance(G, Graph) or not any(u == v for u, v in G.edges)

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
