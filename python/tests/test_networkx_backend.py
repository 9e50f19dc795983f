# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the NetworkX backend return the results of NetworkX or are rejected."""

import math
import pickle
import random
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from coppice import graph
from coppice.networkx_backend import _FUNCTIONS, backend

GENERATORS = ("connected_components", "strongly_connected_components", "bridges")


def plain(name):
    """Return the function of NetworkX."""
    return nx.utils.backends._registered_algorithms[name].orig_func


def outcome(name, function, *args, **kwargs):
    """(result, None), or (None, type of the exception)."""
    try:
        found = function(*args, **kwargs)
        return (list(found) if name in GENERATORS else found), None
    except Exception as error:
        return None, type(error)


def converted(G, *attributes):
    return backend.convert_from_nx(G, edge_attrs=dict.fromkeys(attributes, 1))


def close(found, expected):
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(close(found[key], expected[key]) for key in expected)
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    return found == expected


def test_a_weighted_conversion_serves_calls_without_weights():
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 5), ("b", "c", 7)])
    both = converted(G, "weight")
    lengths = backend.single_source_dijkstra_path_length
    assert lengths(both, "a") == {"a": 0, "b": 5, "c": 12}
    assert lengths(both, "a", weight=None) == {"a": 0, "b": 1, "c": 2}
    assert lengths(both, "a") == {"a": 0, "b": 5, "c": 12}
    with pytest.raises(NotImplementedError, match="attribute 'length'"):
        lengths(both, "a", weight="length")


def negative():
    return nx.DiGraph([(0, 1, {"weight": 3}), (0, 2, {"weight": 1}), (1, 3, {"weight": -5}), (2, 3, {"weight": 1}),
                       (3, 4, {"weight": 1})])


def of_weight(value):
    return nx.Graph([(0, 1, {"weight": value}), (1, 2, {"weight": 1})])


class Complement(nx.Graph):
    """A view of the complement of the stored graph."""

    def __getitem__(self, n):
        return {v: {} for v in set(self._adj) - set(self._adj[n]) - {n}}

    def neighbors(self, n):
        return iter(self[n])

    def adjacency(self):
        return ((n, self[n]) for n in self._adj)


PATH, LOOP = nx.path_graph(4), nx.Graph([(0, 0), (0, 1)])
DIJKSTRA, BFS = "single_source_dijkstra_path_length", "single_source_shortest_path_length"
REFUSED = [
    *((DIJKSTRA, G, {"source": 0}) for G in (
        negative(), of_weight(None), of_weight(math.nan), of_weight(math.inf), of_weight(1e308), of_weight(2**53),
        nx.DiGraph([(0, 1, {"weight": 2**53 + 1})]), of_weight(10**400), of_weight(Fraction(1, 3)), of_weight("2"), of_weight(np.float32(0.1)), of_weight(1j))),
    (DIJKSTRA, PATH, {"source": []}), (DIJKSTRA, PATH, {"source": 0, "cutoff": math.nan}),
    (DIJKSTRA, PATH, {"source": 0, "weight": lambda u, v, d: None}), (BFS, PATH, {"source": 0, "cutoff": "x"}), (DIJKSTRA, PATH, {"source": 0, "cutoff": 10**400}),
    (BFS, PATH, {}), ("node_connected_component", PATH, {"n": []}), ("triangles", PATH, {"nodes": 9}), ("triangles", PATH, {"nodes": [0, 9]}),
    ("triangles", PATH, {"nodes": iter([0])}), ("clustering", PATH, {"nodes": [0, []]}),
    *(("pagerank", PATH, options) for options in (
        {"alpha": 1}, {"alpha": -0.1}, {"alpha": "x"}, {"max_iter": 0}, {"max_iter": 2.5}, {"tol": 0}, {"tol": math.nan},
        {"personalization": {}}, {"personalization": {9: 1}}, {"nstart": {0: -1, 1: 2}}, {"dangling": {0: math.nan}},
        {"personalization": [1, 2, 3, 4]})),
    ("pagerank", of_weight(-2), {}), ("pagerank", of_weight(None), {}),
    *(("katz_centrality", PATH, options) for options in (
        {"beta": 0}, {"beta": math.nan}, {"beta": "1"}, {"beta": 1e-7}, {"alpha": 0}, {"alpha": -0.1}, {"max_iter": 1},
        {"tol": 0}, {"tol": -1}, {"weight": 2})),
    *(("eigenvector_centrality", PATH, options) for options in ({"max_iter": 0}, {"tol": 0}, {"nstart": {}})),
    ("betweenness_centrality", PATH, {"k": 0}), ("betweenness_centrality", of_weight(0), {"weight": "weight"}),
    ("betweenness_centrality", PATH, {"weight": "weight", "k": 2}), ("katz_centrality", of_weight(-1), {"weight": "weight"}),
    ("edge_betweenness_centrality", PATH, {"k": 2}), ("edge_betweenness_centrality", of_weight(0), {"weight": "weight"}),
    ("maximum_flow_value", of_weight(-1), {"_s": 0, "_t": 2, "capacity": "weight"}),
    ("minimum_cut", of_weight(0.1), {"_s": 0, "_t": 2, "capacity": "weight"}), ("volume", PATH, {"S": [0, 0]}),
    ("minimum_cut", PATH, {"_s": 0, "_t": 2, "flow_func": len}), ("conductance", PATH, {"S": [0], "T": [0, 1]}),
    ("modularity", PATH, {"communities": [{0, 1}]}), ("cut_size", nx.DiGraph([(0, 1)]), {"S": [0]}),
    *(("modularity", nx.Graph([(0, 1, {"weight": w})]), {"communities": [{0}, {1}]}) for w in (1e200, 1e-200)),
    ("leiden_communities", PATH, {"max_level": 2}), ("has_eulerian_path", PATH, {"source": 0}),
    ("louvain_communities", of_weight(-1), {}), ("louvain_communities", PATH, {"seed": random.Random(1)}),
    ("louvain_communities", nx.Graph([(0, 1, {"weight": 0})]), {}), ("maximal_independent_set", PATH, {"nodes": [0, 1]}),
    ("maximal_independent_set", PATH, {"seed": random.Random(1)}), ("greedy_color", PATH, {"strategy": "smallest_last"}), ("k_core", PATH, {"k": 10**400}),
    ("minimum_spanning_tree", of_weight(math.nan), {}), ("minimum_spanning_tree", of_weight(2**53 + 1), {}),
    ("minimum_spanning_tree", PATH, {"algorithm": "prim"}), ("hits", of_weight(2), {}), ("hits", PATH, {"max_iter": 1}),
    ("single_source_bellman_ford_path_length", of_weight(-0.1), {"source": 0}), ("bfs_layers", PATH, {"sources": [0, 9]}),
    ("bfs_tree", nx.DiGraph([(0, 1)]), {"source": 1, "reverse": True}), ("ego_graph", PATH, {"n": 0, "radius": math.nan}),
    ("jaccard_coefficient", PATH, {}), ("jaccard_coefficient", PATH, {"ebunch": iter([(0, 1)])}),
    ("jaccard_coefficient", PATH, {"ebunch": [(0, 9)]}), ("adamic_adar_index", PATH, {"ebunch": [(0, 0)]}),
    ("core_number", LOOP, {}), ("triangles", LOOP, {}), ("average_clustering", LOOP, {}),
    *((name, of_weight(2**60), {"weight": "weight", **options}) for name, options in (
        ("volume", {"S": [1]}), ("cut_size", {"S": [1]}), ("node_degree_xy", {}), ("average_neighbor_degree", {}),
        ("average_degree_connectivity", {}))),
    *((name, PATH, {"_s": 0, "_t": 2, "capacity": None}) for name in ("maximum_flow", "maximum_flow_value", "minimum_cut")),
    *(("minimum_spanning_edges", PATH, {"data": data}) for data in ("weight", None, 1)), ("node_attribute_xy", PATH, {"attribute": None}),
    ("betweenness_centrality", nx.Graph(), {"k": 1}), ("efficiency", PATH, {"u": 0, "v": None}),
    ("center", nx.Graph(), {}), ("is_connected", nx.DiGraph([(0, 1)]), {}), ("is_strongly_connected", PATH, {}),
]


@pytest.mark.parametrize("name, G, options", REFUSED)
def test_what_is_left_to_networkx(name, G, options):
    assert not backend.can_run(name, (G,), options)
    attribute = options.get("weight", "weight")
    with pytest.raises(NotImplementedError):
        getattr(backend, name)(converted(G, *([attribute] if isinstance(attribute, str) else [])), **options)


def test_negative_cycles_of_frozen_graphs_are_left_to_networkx():
    G = nx.path_graph(3)
    assert backend.can_run("negative_edge_cycle", (G,), {})
    assert not backend.can_run("negative_edge_cycle", (nx.freeze(G),), {})


@pytest.mark.parametrize("name, options", [
    ("node_connected_component", {"n": "absent"}), (BFS, {"source": "absent"}), (DIJKSTRA, {"source": "absent"}),
    (DIJKSTRA, {"source": "absent", "weight": None}), ("closeness_centrality", {"u": "absent"}),
    ("bfs_tree", {"source": "absent"}), ("bfs_tree", {"source": None}),
])
def test_nodes_that_are_not_there(name, options):
    with pytest.raises(Exception) as expected:
        plain(name)(PATH, **options)
    assert backend.can_run(name, (PATH,), options)
    with pytest.raises(type(expected.value)) as found:
        getattr(backend, name)(converted(PATH, "weight"), **options)
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("name, options", [
    ("to_scipy_sparse_array", {}), ("to_numpy_array", {}), ("biadjacency_matrix", {"row_order": [0, 2]})])
@pytest.mark.parametrize("weight, dtype", [(-1, np.uint8), (256, np.uint8), (2**31, np.int32), (255, np.uint8), (-1, np.float32),
                                           (1e300, np.int64), (2.0**63, np.int64), (1.5, np.int32)])
def test_integers_that_the_type_of_a_matrix_does_not_hold(name, options, weight, dtype):
    G, its = of_weight(weight), plain(name)
    G.edges[1, 2]["weight"] = type(weight)(1)
    assert backend.can_run(name, (G,), {"dtype": dtype, **options})
    expected, its_failure = outcome(name, its, G, dtype=dtype, **options)
    found, failure = outcome(name, getattr(backend, name), converted(G, "weight"), dtype=dtype, **options)
    assert failure == its_failure and type(found) is type(expected)
    assert failure or (found != expected).sum() == 0


@pytest.mark.parametrize("weight, dtype", [(1, np.uint8), (0, np.uint16), (True, np.uint8), (1.5, np.uint8), (1, np.int8)])
def test_loops_that_an_unsigned_type_does_not_subtract(weight, dtype):
    G, its = of_weight(weight), plain("to_scipy_sparse_array")
    G.add_edge(2, 2, weight=weight)
    for options in ({}, {"nodelist": [2, 1]}, {"nodelist": [0, 1]}):
        for H in (G, G.to_directed()):
            expected, its_failure = outcome("to_scipy_sparse_array", its, H, dtype=dtype, **options)
            found, failure = outcome("to_scipy_sparse_array", backend.to_scipy_sparse_array, converted(H, "weight"), dtype=dtype, **options)
            assert failure == its_failure
            assert failure or (found != expected).sum() == 0


def test_weights_whose_reciprocal_overflows():
    for weight, converges in ((5e-324, False), (1e-310, False), (1e-300, True)):
        G = nx.Graph([("a", "b", {"weight": weight})])
        assert backend.can_run("pagerank", (G,), {})
        expected, its_failure = outcome("pagerank", plain("pagerank"), G)
        found, failure = outcome("pagerank", backend.pagerank, converted(G, "weight"))
        assert failure == its_failure and (failure is None) == converges
        assert failure or found == pytest.approx(expected)


def test_multigraph_views_without_edges():
    G = nx.MultiGraph([(0, 1), (1, 2)])
    hidden = nx.subgraph_view(G, filter_edge=lambda u, v, key: False)
    assert not backend.can_run("is_empty", (hidden,), {})  # NetworkX: not empty
    assert backend.can_run("is_empty", (G,), {}) and not backend.is_empty(converted(G))


def test_k_corona_needs_a_number():
    assert backend.can_run("k_corona", (PATH, 1), {}) and not backend.can_run("k_corona", (PATH, None), {})


def test_matrices_without_a_format():
    G = of_weight(3)
    for name, options in (("to_scipy_sparse_array", {}), ("biadjacency_matrix", {"row_order": [0, 2]})):
        found = getattr(backend, name)(converted(G, "weight"), format=None, **options)
        assert found.format == plain(name)(G, format=None, **options).format


@pytest.mark.parametrize("name", [BFS, DIJKSTRA])
@pytest.mark.parametrize("cutoff", [-1, -math.inf, 0, 1.5, math.inf, 2**53])
def test_cutoffs(name, cutoff):
    assert backend.can_run(name, (PATH, 1), {"cutoff": cutoff})
    assert getattr(backend, name)(converted(PATH, "weight"), 1, cutoff=cutoff) == plain(name)(PATH, 1, cutoff=cutoff)


@pytest.mark.parametrize("cutoff", [None, 0, -1, -math.inf, 1, 1.5, math.inf])
def test_cutoffs_of_predecessors(cutoff):
    assert backend.can_run("predecessor", (PATH, 0), {"cutoff": cutoff})
    assert backend.predecessor(converted(PATH), 0, cutoff=cutoff) == plain("predecessor")(PATH, 0, cutoff=cutoff)


@pytest.mark.parametrize("cutoff", [None, 0, -1, -math.inf, 1])
def test_cutoffs_and_loops_of_length_zero(cutoff):
    G = nx.Graph([(0, 0, {"weight": 0}), (0, 1, {"weight": 1}), (1, 1, {"weight": 0})])
    found = backend.dijkstra_predecessor_and_distance(converted(G, "weight"), 0, cutoff=cutoff)
    assert found == plain("dijkstra_predecessor_and_distance")(G, 0, cutoff=cutoff)


@pytest.mark.parametrize("capacities", [(1e200, 1e250), (2.0, 3.0), (1e19, 2e19), (2.5, 1.0), (2, 3), (2, None), (2, math.inf)])
def test_flows_have_the_type_of_the_finite_capacities(capacities):
    G = nx.DiGraph([("s", "a", {"capacity": capacities[0]}), ("a", "t", {} if capacities[1] is None else {"capacity": capacities[1]})])
    for name in ("maximum_flow", "maximum_flow_value", "minimum_cut_value"):
        expected, found = plain(name)(G, "s", "t"), getattr(nx, name)(G, "s", "t", backend="coppice")
        value = found[0] if name == "maximum_flow" else found
        assert found == expected and type(value) is type(capacities[0])


def test_edge_betweenness_of_lengths_that_round_differently_in_both_directions():
    lengths = [0.1, 0.2, 0.3, 0.6, 0.3]  # (0.1 + 0.2) + 0.3 > 0.6 = (0.3 + 0.2) + 0.1
    G = nx.DiGraph()
    for (u, v), length in zip([(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)], lengths):
        G.add_edge(u, v, weight=length)
        G.add_edge(v, u, weight=length)
    assert backend.can_run("edge_betweenness_centrality", (G,), {"weight": "weight"})
    found = backend.edge_betweenness_centrality(converted(G, "weight"), weight="weight")
    expected = plain("edge_betweenness_centrality")(G, weight="weight")
    assert close(found, expected) and any(expected[u, v] != expected[v, u] for u, v in expected)


def test_an_ego_graph_without_a_radius_is_what_the_node_reaches():
    G = nx.disjoint_union(nx.path_graph(3), nx.path_graph(2))
    kept = backend.convert_from_nx(G, preserve_edge_attrs=True, preserve_node_attrs=True, preserve_graph_attrs=True)
    assert backend.can_run("ego_graph", (G, 0, None), {})
    assert set(backend.ego_graph(kept, 0, None)) == set(plain("ego_graph")(G, 0, None)) == {0, 1, 2}


REQUIRED = {"source": 0, "target": 1, "n": 0, "sources": 0, "k": 2, "distance": 1, "ebunch": [(0, 2)],
            "_s": 0, "_t": 1, "S": [0], "u": 0, "v": 1, "communities": [{0, 1, 2}], "row_order": [0], "nodes": [0], "nbunch1": [0],
            "matching": {(0, 1)}, "targets": [0], "attribute": "colour"}


def required(name):
    """Arguments without which the function cannot be called; pairs, as all of them are refused."""
    return {key: REQUIRED[key] for key, p in _FUNCTIONS[name].signature.parameters.items()
            if key not in ("G", "flowG", "kwargs") and (p.default is p.empty or key == "ebunch")}


@pytest.mark.parametrize("make", [nx.MultiGraph, nx.MultiDiGraph])
def test_multigraphs_are_taken_where_parallel_edges_have_a_meaning(make):
    G = make([(0, 1), (1, 2), (0, 1)])
    for name, need in _FUNCTIONS.items():
        assert need.several or not backend.can_run(name, (G,), required(name)), name
    with pytest.raises(NotImplementedError, match="keys of its edges"):
        backend.convert_to_nx(converted(G))


def test_graphs_that_are_not_converted():
    G = Complement([(0, 1), (1, 2)])
    for name in _FUNCTIONS:
        assert not backend.can_run(name, (G,), required(name))
    with pytest.raises(NotImplementedError, match="Complement"):
        backend.convert_from_nx(G)


def test_undirected_views_of_directed_graphs():
    """Their edges (u, v) and (v, u) may have different attributes, so that only calls that read none are answered."""
    G = nx.DiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": 5}), (1, 2, {"weight": 2}), (2, 0, {"weight": 3})])
    for view in (G.to_undirected(as_view=True), G.to_undirected(as_view=True).subgraph([0, 1, 2])):
        for name in ("minimum_spanning_tree", "average_clustering", "k_core", "hits"):
            assert not backend.can_run(name, (view,), {"weight": "weight"} if name == "average_clustering" else {})
        assert backend.can_run("average_clustering", (view,), {})
        assert backend.average_clustering(converted(view)) == plain("average_clustering")(view)
        with pytest.raises(NotImplementedError, match="two directions"):
            converted(view, "weight")
    for view in (G.reverse(copy=False), G.subgraph([0, 1]), nx.Graph(G).to_directed(as_view=True)):
        assert backend.can_run(DIJKSTRA, (view, 0), {})


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_views_with_one_direction_of_an_edge_are_refused(kind):
    view = nx.subgraph_view(kind([(0, 1), (1, 2), (2, 0)]), filter_edge=lambda u, v, *key: u < v)
    with pytest.raises(NotImplementedError, match="one direction"):
        converted(view)


def test_views_of_multigraphs_with_hidden_edges():
    """`len` of a row of such a view counts neighbors to which every edge is hidden."""
    G = nx.MultiGraph([(0, 1), (0, 1), (1, 2), (2, 3), (3, 0), (0, 4)])
    view = nx.subgraph_view(G, filter_edge=lambda u, v, key: {u, v} not in ({1, 2}, {0, 3}))
    assert list(backend.connected_components(converted(view))) == [{0, 1, 4}, {2, 3}]
    assert backend.degree_centrality(converted(view)) == plain("degree_centrality")(view)
    assert not backend.is_tree(converted(view)) and not backend.is_forest(converted(view))
    assert graph.components(view).values == {0: 0, 1: 0, 2: 2, 3: 2, 4: 0}
    view = nx.subgraph_view(nx.MultiDiGraph([(0, 1), (1, 2)]), filter_edge=lambda u, v, key: u != 0)
    assert list(backend.topological_sort(converted(view))) == list(plain("topological_sort")(view)) == [0, 1, 2]


def test_a_subclass_without_adjacency_of_its_own_is_converted():
    class Named(nx.Graph):
        pass

    assert backend.can_run("is_connected", (Named([(0, 1)]),), {})
    view = nx.subgraph_view(nx.path_graph(6), filter_node=lambda v: v != 2)
    assert list(backend.connected_components(converted(view))) == [{0, 1}, {3, 4, 5}]


@pytest.mark.parametrize("seed", range(12))
def test_orders_are_those_of_networkx(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    D = nx.DiGraph()
    D.add_nodes_from(rng.permutation(n).tolist())
    D.add_edges_from(rng.integers(0, n, (int(n * rng.uniform(0.3, 2.5)), 2)).tolist())
    assert list(backend.strongly_connected_components(converted(D))) == list(nx.strongly_connected_components(D))
    H = D.to_undirected()
    assert list(backend.connected_components(converted(H))) == list(nx.connected_components(H))
    assert list(backend.bridges(converted(H))) == list(nx.bridges(H))
    assert list(backend.core_number(converted(nx.Graph(PATH)))) == list(PATH)
    start = next(iter(D))
    for found, expected in ((backend.bfs_tree(converted(D), start), nx.bfs_tree(D, start)), (backend.dfs_tree(converted(D)), nx.dfs_tree(D))):
        assert [(u, list(row)) for u, row in found.adjacency()] == [(u, list(row)) for u, row in expected.adjacency()]


@pytest.mark.parametrize("kind, weights", [
    ("integers", [0, 3, 7, True]), ("floats", [0.0, 0.1, 2.5]), ("both", [1, 0.5, 4]), ("numpy", [np.int64(3), np.float64(0.1)]),
])
@pytest.mark.parametrize("cutoff", [None, 0, 4, 5.5, math.inf])
def test_lengths_are_the_same_numbers(kind, weights, cutoff):
    G = nx.gnp_random_graph(40, 0.1, seed=2, directed=True)
    for k, (_, _, data) in enumerate(G.edges(data=True)):
        if k % 5:
            data["weight"] = weights[k % len(weights)]
    found = backend.single_source_dijkstra_path_length(converted(G, "weight"), 1, cutoff=cutoff)
    assert found == plain(DIJKSTRA)(G, 1, cutoff=cutoff)  # equal in all digits
    assert list(found.values()) == sorted(found.values())
    if kind == "integers":
        assert {type(length) for length in found.values()} == {int}


@pytest.mark.parametrize("name, options", [
    ("pagerank", {"alpha": 0.99}), ("pagerank", {"tol": 1e-2}), ("eigenvector_centrality", {}),
    ("eigenvector_centrality", {"tol": 0.1}), ("eigenvector_centrality", {"tol": 1}), ("katz_centrality", {"alpha": 0.05}),
    ("katz_centrality", {"alpha": 0.02, "beta": -250.0, "tol": 1e-3, "normalized": False}), ("katz_centrality", {"alpha": 9.0}),
])
@pytest.mark.parametrize("max_iter", [2, 3, 7, 30, 1000])
def test_iterations_are_those_of_networkx(name, options, max_iter):
    """The same iterate at an early stop, the same exception without convergence."""
    for G in (nx.path_graph(30), nx.gnp_random_graph(30, 0.1, seed=1, directed=True), nx.star_graph(1)):
        assert backend.can_run(name, (G,), {**options, "max_iter": max_iter})
        expected = outcome(name, plain(name), G, max_iter=max_iter, **options)
        found = outcome(name, getattr(backend, name), converted(G, "weight"), max_iter=max_iter, **options)
        assert found[1] is expected[1] and close(found[0], expected[0])


def test_should_run_where_the_conversion_pays():
    small, large = nx.path_graph(10), nx.gnm_random_graph(3000, 9000, seed=1)
    whole = {"betweenness_centrality", "closeness_centrality", "clustering", "bridges", "core_number", "pagerank"}
    for name in _FUNCTIONS:
        options = required(name)
        assert not backend.should_run(name, (small,), options), name
        assert not backend.should_run(name, (converted(small),), options), name
        if _FUNCTIONS[name].cost in ("local", "search"):
            assert not backend.should_run(name, (large,), options), name
        assert name not in whole or backend.should_run(name, (large,), {}), name
    assert backend.should_run("connected_components", (converted(large),), {})
    assert not backend.should_run("closeness_centrality", (large,), {"u": 3})


def test_conversion_and_back():
    G = nx.DiGraph([("b", "a", {"weight": 2}), ("a", "c", {"weight": 0.5}), ("c", "c", {"weight": 1})])
    assert nx.utils.graphs_equal(backend.convert_to_nx(converted(G, "weight")), G)
    H = nx.Graph([(1, 0), (1, 1), (2, 0)])
    assert nx.utils.edges_equal(backend.convert_to_nx(converted(H)).edges, H.edges)


def test_calls_through_networkx():
    if "coppice" not in nx.config.backends:
        pytest.skip("the package is not installed with its entry points")
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 5), ("b", "c", 7)])
    nx.config.warnings_to_ignore.add("cache")
    for weight, expected in (("weight", 12), (None, 2), ("weight", 12), ("none has it", 2), (None, 2)):
        assert nx.single_source_dijkstra_path_length(G, "a", weight=weight, backend="coppice")["c"] == expected
    assert nx.node_connected_component(G, "a", backend="coppice") == {"a", "b", "c"}
    with pytest.raises(KeyError):
        nx.node_connected_component(G, "absent", backend="coppice")
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra_path_length(negative(), 0, backend="coppice")
    with nx.config(backend_priority=["coppice"]):
        with pytest.raises(KeyError):
            nx.node_connected_component(G, "absent")
        with pytest.raises(ValueError, match="Contradictory"):
            nx.single_source_dijkstra_path_length(negative(), 0)


@pytest.mark.parametrize("change, error", [(lambda G: G.add_edge(4, 5), RuntimeError), (lambda G: G.remove_node(2), RuntimeError),
                                           (lambda G: G.remove_node(4), nx.NetworkXUnfeasible)])
def test_topological_orders_of_a_graph_that_changes(change, error):
    for function in (nx.topological_sort, nx.topological_generations):
        failures = []
        for backend_of_call in ("networkx", "coppice"):
            G = nx.DiGraph([(1, 2), (2, 3), (3, 4)])
            with pytest.raises(error) as failure:
                for k, _ in enumerate(function(G, backend=backend_of_call)):
                    if k == 0:
                        change(G)
            failures.append(failure.value)
        assert str(failures[0]) == str(failures[1])


def test_a_copied_conversion_does_not_watch_the_first_graph():
    G = nx.DiGraph([(1, 2), (2, 3)])
    made = pickle.loads(pickle.dumps(backend.convert_from_nx(G)))
    G.clear()
    assert list(backend.topological_sort(made)) == [1, 2, 3]


class Named(nx.Graph):
    """A subclass, which may override how edges are added."""


@pytest.mark.parametrize("kind", [nx.Graph, Named])
def test_result_graphs_are_copies(kind):
    G = kind([(1, 2, {"weight": 3}), (2, 3, {"weight": 1}), (1, 3, {"weight": 2}), (3, 4, {})], name="given")
    G.nodes[1]["colour"] = "red"
    keep = dict.fromkeys(("preserve_edge_attrs", "preserve_node_attrs", "preserve_graph_attrs"), True)
    for tree in (backend.minimum_spanning_tree(backend.convert_from_nx(G, **keep)), backend.k_core(backend.convert_from_nx(G, **keep), 1)):
        assert type(tree) is kind and tree.graph == {"name": "given"} and tree.nodes[1] == {"colour": "red"}
        assert tree[2][3] is tree[3][2] and tree[2][3] == {"weight": 1}
        tree[2][3]["weight"], tree.nodes[1]["colour"] = 9, "blue"
        tree.remove_edge(3, 4)
        tree.add_edge(5, 6, weight=1)
        assert G[2][3] == {"weight": 1} and G.nodes[1] == {"colour": "red"} and 5 not in G and G.has_edge(3, 4)


def test_lengths_by_a_function_are_computed_for_each_call():
    G, factor = nx.path_graph(3), 1
    kept = backend.convert_from_nx(G, preserve_edge_attrs=True)

    def length(u, v, data):
        return factor * (u + v)

    assert backend.single_source_dijkstra_path_length(kept, 0, weight=length) == {0: 0, 1: 1, 2: 4}
    factor = 10
    assert backend.single_source_dijkstra_path_length(kept, 0, weight=length) == {0: 0, 1: 10, 2: 40}
    assert backend.single_source_dijkstra_path_length(kept, 0, weight=lambda u, v, data: v - u + 1) == {0: 0, 1: 2, 2: 4}
    for wrong in (lambda u, v, data: None, lambda u, v, data: data["absent"], lambda u, v, data: -1):
        assert not backend.can_run("single_source_dijkstra_path_length", (G, 0), {"weight": wrong})
        with pytest.raises(NotImplementedError):
            backend.single_source_dijkstra_path_length(kept, 0, weight=wrong)
    assert not backend.can_run("single_source_dijkstra_path_length", (nx.MultiGraph(G), 0), {"weight": length})
    assert not backend.can_run("shortest_path_length", (nx.DiGraph(G),), {"target": 0, "weight": length})


def test_calls_that_networkx_may_end_early_stay_there():
    made = {directed: converted(nx.gnm_random_graph(3000, 20_000, seed=1, directed=directed)) for directed in (False, True)}
    for name in ("is_bipartite", "is_regular", "is_k_regular", "is_eulerian", "has_eulerian_path", "has_cycle",
                 "is_directed_acyclic_graph", "is_strongly_connected"):
        G = made[_FUNCTIONS[name].directed is True]
        assert not backend.should_run(name, (G,), {"k": 3} if name == "is_k_regular" else {}), name


def test_versions_whose_results_differ(monkeypatch):
    G = nx.path_graph(4)
    for version, answers in (("2.8.8", False), ("3.4.2", False), ("3.5rc0.dev0", True), ("3.7", True), ("4.0", True)):
        monkeypatch.setattr(nx, "__version__", version)
        assert backend.can_run("core_number", (G,), {}) == answers
    monkeypatch.setattr(nx, "__version__", "3.4")
    with pytest.raises(NotImplementedError, match="NetworkX is older than 3.5"):
        backend.core_number(G)
