# SPDX-License-Identifier: BSD-3-Clause
"""Graph algorithms, forests and semirings."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as csgraph

import coppice


@pytest.fixture
def G():
    return nx.gnm_random_graph(60, 150, seed=3)


def test_against_networkx(G):
    A = nx.to_scipy_sparse_array(G, dtype=float)
    levels = coppice.graph.bfs(G, source=5).values
    assert {v: k for v, k in levels.items() if k >= 0} == nx.single_source_shortest_path_length(G, 5)
    assert coppice.graph.cores(G).values == nx.core_number(G)
    assert coppice.graph.triangles(G).values == nx.triangles(G)
    assert coppice.graph.components(G).facts["components"] == nx.number_connected_components(G)
    ranks = coppice.graph.pagerank(A, tolerance=1e-10).values
    assert np.allclose(ranks, list(nx.pagerank(G, tol=1e-12).values()), atol=1e-8)
    assert set(coppice.graph.algorithms()) >= {"bfs", "sssp", "mst", "colouring"}
    for name in coppice.graph.algorithms():
        assert callable(getattr(coppice.graph, name.replace("-", "_")))


def test_weights(G):
    rng = np.random.default_rng(0)
    for u, v in G.edges:
        G[u][v]["weight"] = rng.uniform(1, 2)
    A = nx.to_scipy_sparse_array(G)
    assert np.allclose(coppice.graph.sssp(A, source=2).values, csgraph.dijkstra(A, indices=2))
    edges = coppice.graph.mst(G).values
    assert sum(w for _, _, w in edges) == pytest.approx(csgraph.minimum_spanning_tree(A).sum())
    with pytest.raises(ValueError, match="one direction"):
        coppice.graph.mst(sp.triu(A).tocsr())
    with pytest.raises(ValueError, match="no node"):
        coppice.graph.bfs(G, source="x")
    with pytest.raises(TypeError, match="no option"):
        coppice.graph.bfs(A, sauce=1)


def test_networkx_backend(G):
    from coppice.networkx_backend import backend

    converted = backend.convert_from_nx(G, edge_attrs={"weight": 1})
    close = pytest.approx(nx.pagerank(G), abs=1e-5)
    assert backend.pagerank(converted) == close
    assert backend.core_number(converted) == nx.core_number(G)
    assert backend.triangles(converted) == nx.triangles(G) and backend.triangles(converted, 3) == nx.triangles(G, 3)
    assert backend.single_source_shortest_path_length(converted, 4) == nx.single_source_shortest_path_length(G, 4)
    groups = {frozenset(group) for group in backend.connected_components(converted)}
    assert groups == {frozenset(group) for group in nx.connected_components(G)}
    if "coppice" in nx.config.backends:  # the installed wheel registers the backend by its entry points
        assert nx.pagerank(G, backend="coppice") == close


def directed():
    D = nx.gnp_random_graph(40, 0.06, seed=5, directed=True)
    D.add_edges_from((v, u) for u, v in list(nx.path_graph(6).edges))
    return D


def weighted(H):
    rng = np.random.default_rng(1)
    nx.set_edge_attributes(H, {edge: rng.uniform(1, 2) for edge in H.edges}, "length")
    return H


BACKEND = [
    ("pagerank", {}), ("pagerank", {"alpha": 0.5, "tol": 1e-9}), ("eigenvector_centrality", {"tol": 1e-9, "max_iter": 999}),
    ("katz_centrality", {"alpha": 0.05}), ("katz_centrality", {"alpha": 0.02, "beta": 3.0, "normalized": False}),
    ("betweenness_centrality", {}), ("betweenness_centrality", {"normalized": False}), ("closeness_centrality", {}),
    ("closeness_centrality", {"u": 3}), ("connected_components", {}), ("number_connected_components", {}),
    ("is_connected", {}), ("node_connected_component", {"n": 4}), ("strongly_connected_components", {}),
    ("number_strongly_connected_components", {}), ("is_strongly_connected", {}), ("bridges", {}), ("has_bridges", {}),
    ("core_number", {}), ("triangles", {}), ("triangles", {"nodes": [2, 5]}), ("clustering", {}),
    ("clustering", {"nodes": 7}), ("average_clustering", {}), ("transitivity", {}),
    ("single_source_shortest_path_length", {"source": 2}), ("single_source_shortest_path_length", {"source": 2, "cutoff": 2}),
    ("single_source_dijkstra_path_length", {"source": 2, "weight": "length"}),
    ("single_source_dijkstra_path_length", {"source": 2, "weight": "length", "cutoff": 3.5}),
    ("single_source_dijkstra_path_length", {"source": 2, "weight": None}),
]


def plain(name, found):
    if name in ("connected_components", "strongly_connected_components", "bridges"):
        return {frozenset(each) for each in found}
    return found


def close(found, expected):
    if not isinstance(expected, dict):
        return found == pytest.approx(expected, abs=1e-5) if isinstance(expected, float) else found == expected
    return found.keys() == expected.keys() and all(found[v] == pytest.approx(expected[v], abs=1e-5) for v in expected)


@pytest.mark.parametrize("make", [
    lambda: weighted(nx.gnm_random_graph(60, 90, seed=3)), lambda: weighted(directed()),
    lambda: weighted(nx.karate_club_graph().to_directed()), lambda: weighted(nx.barbell_graph(5, 3)),
], ids=["sparse", "directed", "both", "bridges"])
@pytest.mark.parametrize("name, options", BACKEND)
def test_backend_against_networkx(make, name, options):
    from coppice.networkx_backend import backend

    H = make()
    for _, _, data in H.edges(data=True):
        data.pop("weight", None)  # those of the club
    if not backend.can_run(name, (H,), options):
        assert H.is_directed() != name.replace("number_", "").replace("is_", "").startswith("strongly")
        return
    weight = options.get("weight", "weight" if name == "pagerank" else None)
    converted = backend.convert_from_nx(H, edge_attrs={weight: 1} if weight else None)
    found, expected = plain(name, getattr(backend, name)(converted, **options)), plain(name, getattr(nx, name)(H, **options))
    assert close(found, expected)
    if isinstance(expected, dict) and "source" in options:
        assert list(found.values()) == sorted(found.values())
    if "coppice" in nx.config.backends:
        assert close(plain(name, getattr(nx, name)(H, backend="coppice", **options)), expected)


def test_what_the_backend_leaves_to_networkx():
    from coppice.networkx_backend import backend

    H, D = nx.path_graph(5), nx.path_graph(5, create_using=nx.DiGraph)
    W, loop = nx.Graph([(0, 1, {"weight": 2.0}), (1, 2)]), nx.Graph([(0, 0), (0, 1)])
    for name, arguments, options in (
        ("pagerank", (W,), {"alpha": 1}), ("pagerank", (H,), {"nstart": {9: 1}}), ("connected_components", (D,), {}),
        ("strongly_connected_components", (H,), {}), ("triangles", (loop,), {}), ("transitivity", (loop,), {}),
        ("betweenness_centrality", (H,), {"k": 2.5}), ("closeness_centrality", (W,), {"distance": 2}),
        ("katz_centrality", (H,), {"beta": {0: 1}}), ("bridges", (H,), {"root": 0}), ("average_clustering", (nx.Graph(),), {}),
        ("pagerank", (nx.MultiGraph([(0, 1)]),), {}), ("dominating_set", (H,), {}),
        ("single_source_dijkstra_path_length", (H, 0), {"weight": lambda u, v, data: None}),
    ):
        assert not backend.can_run(name, arguments, options), name
    with pytest.raises(nx.PowerIterationFailedConvergence):
        backend.eigenvector_centrality(backend.convert_from_nx(H), max_iter=1, tol=1e-15)


def test_options_of_all_algorithms(G):
    """Python accepts every option of the catalogue."""
    A = nx.to_scipy_sparse_array(G, dtype=float)
    values = {"source": 3, "delta": 0.5, "damping": 0.5, "tolerance": 1e-4, "max_iterations": 500, "samples": 5,
              "alpha": 0.02, "resolution": 0.7, "capacity": 3, "by_value": True, "weighted": True, "sink": 7, "hops": 2,
              "length": 5, "return_bias": 0.5, "outward_bias": 2.0, "seed": 3}
    seen = set()
    for name, row in coppice.graph.algorithms().items():
        options = [option.replace("-", "_") for option in row["options"]]
        B = sp.triu(A, 1).tocsr() if name == "longest-paths" else A
        coppice.graph.run(name, B, **{option: values[option] for option in options})
        seen |= set(options)
    assert seen == set(values)
    few = coppice.graph.betweenness(A, samples=5)
    assert few.facts["sources"] == 5 and coppice.graph.betweenness(A).facts["sources"] == 60


def test_forest():
    A = sp.diags_array([1.0, 4.0, 1.0], offsets=[-1, 0, 1], shape=(30, 30)).tocsr()
    order = np.random.default_rng(1).permutation(30)
    B = A[order][:, order].tocsr()
    forest = coppice.forests.linear_forest(B)
    assert forest.paths == 1 and forest.weight_coverage == 1
    assert np.array_equal(forest.permutation[forest.inverse], np.arange(30))
    b = np.arange(30.0)
    y = coppice.solve_tridiagonal(forest.lower, forest.diagonal, forest.upper, b[forest.permutation])
    assert np.allclose(B @ y[forest.inverse], b)
    for method in ("parallel", "greedy"):
        factor = coppice.forests.factor(B, 1, method=method, rounds=0 if method == "parallel" else None)
        mates = factor.neighbors[:, 0]
        matched = mates >= 0
        assert np.array_equal(mates[mates[matched]], np.flatnonzero(matched))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_semirings(dtype):
    rng = np.random.default_rng(2)
    A = sp.random_array((40, 30), density=0.2, rng=rng, format="csr").astype(dtype)
    x = rng.uniform(1, 2, 30).astype(dtype)
    M = coppice.Matrix(A)
    present, dense = A.toarray() != 0, A.toarray()
    assert np.allclose(M.mxv(x), A @ x)
    least = np.where(present, dense + x, np.inf).min(1)
    assert np.array_equal(M.mxv(x, coppice.semiring.min_plus), least)
    assert np.array_equal(M.T.vxm(x, "min-plus"), least)
    mask = (np.arange(40) % 2).astype(dtype)
    masked = M.mxv(x, "min-plus", mask=mask)
    assert np.array_equal(masked[1::2], least[1::2]) and np.all(masked[::2] == np.inf)
    assert np.array_equal(M.mxv(x, "min-plus", accumulate=np.ones(40, dtype)), np.minimum(least, 1))
    assert np.allclose(M.mxm(M.T).to_scipy().toarray(), dense @ dense.T, atol=1e-6)
    product = M.mxm(M.T, mask=coppice.Matrix(sp.eye_array(40, format="csr").astype(dtype))).to_scipy().toarray()
    assert np.allclose(product, np.diag(np.diag(dense @ dense.T)), atol=1e-6)
    assert coppice.Vector(x).vxm(M.T, "min-plus").values.dtype == dtype
    assert {s.name for s in coppice.semiring.named.values()} >= {"plus-times", "min-plus", "arg-max"}


def test_operators_of_the_user():
    pytest.importorskip("numba")
    rng = np.random.default_rng(5)
    A = sp.random_array((50, 50), density=0.1, rng=rng, format="csr")
    x = rng.uniform(1, 2, 50)
    longest = coppice.semiring.user(lambda s, p: max(s, p), lambda a, v: a * v + 1, -np.inf)
    expected = np.where(A.toarray() != 0, A.toarray() * x + 1, -np.inf).max(1)
    assert np.allclose(coppice.Matrix(A).mxv(x, longest), expected)


def test_operators_without_numba(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(ImportError, match="pip install numba"):
        coppice.semiring.user(min, max, 0.0)


def test_igraph():
    igraph = pytest.importorskip("igraph")
    H = igraph.Graph.Erdos_Renyi(n=40, m=90)
    H.es["weight"] = np.random.default_rng(0).uniform(1, 2, 90).tolist()
    H.vs["name"] = [f"v{k}" for k in range(40)]
    found = coppice.graph.sssp(H, source=3).values
    assert np.allclose(found, H.distances(source=3, weights="weight")[0])
    assert np.array_equal(coppice.graph.sssp(H, source="v3").values, found)
    with pytest.raises(ValueError, match="no vertex"):
        coppice.graph.sssp(H, source="x")
    assert np.array_equal(coppice.graph.cores(H).values, H.coreness())
    tree = coppice.graph.to_igraph(coppice.graph.mst(H).values, vertices=40)
    assert tree.is_simple() and sum(tree.es["weight"]) == pytest.approx(
        sum(H.spanning_tree(weights=H.es["weight"]).es["weight"]))
    back = coppice.graph.to_igraph(coppice.graph.from_igraph(H))
    assert back.get_adjacency() == H.get_adjacency()
    arrows = igraph.Graph([(0, 1), (1, 2), (1, 2)], directed=True)
    with pytest.raises(ValueError, match="2 parallel edges from 1 to 2.*parallel='min'"):
        coppice.graph.from_igraph(arrows)
    A = coppice.graph.from_igraph(arrows, parallel="count")
    assert np.array_equal(A.toarray(), [[0, 1, 0], [0, 0, 2], [0, 0, 0]])
    assert coppice.graph.to_igraph(A, directed=True).get_edgelist() == [(0, 1), (1, 2)]


def with_parallel_edges(library, directed=False):
    """0 - 1 - 2 - 3 - 0 with 0 - 1 twice, of weights 2 and 3, and 3 - 4."""
    edges = [(0, 1, 3.0), (1, 2, 1.0), (2, 3, 6.0), (3, 0, 5.0), (1, 0, 2.0) if not directed else (0, 1, 2.0), (3, 4, 1.0)]
    if library == "networkx":
        made = nx.MultiDiGraph() if directed else nx.MultiGraph()
        made.add_weighted_edges_from(edges)
        return made
    igraph = pytest.importorskip("igraph")
    made = igraph.Graph(edges=[edge[:2] for edge in edges], directed=directed)
    made.es["weight"] = [edge[2] for edge in edges]
    return made


def listed(values):
    return list(values.values()) if isinstance(values, dict) else values.tolist()


def edges_of(values):
    triples = values if isinstance(values, list) else list(zip(*(part.tolist() for part in values)))
    return {(min(u, v), max(u, v), w) for u, v, w in triples}


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_parallel_edges(library):
    """Expected values are from the definitions, on the graph of six edges."""
    H, D = with_parallel_edges(library), with_parallel_edges(library, directed=True)
    assert listed(coppice.graph.sssp(H, source=0).values) == [0, 2, 3, 5, 6]
    assert listed(coppice.graph.sssp(D, source=0).values) == [0, 2, 3, 9, 10]
    assert listed(coppice.graph.widest(D, source=0).values)[1:] == [3, 1, 1, 1]
    tree = coppice.graph.mst(H)
    assert edges_of(tree.values) == {(0, 1, 2.0), (1, 2, 1.0), (0, 3, 5.0), (3, 4, 1.0)} and tree.facts["weight"] == 9
    assert edges_of(coppice.graph.b_matching(H, capacity=1).values) == {(2, 3, 6.0), (0, 1, 3.0)}
    assert listed(coppice.graph.matching(H).values) == [1, 0, 3, 2, -1]
    assert listed(coppice.graph.bfs(D, source=0).values) == [0, 1, 2, 3, 4]
    assert coppice.graph.components(H).facts["components"] == 1
    sums = coppice.graph.communities(nx.Graph([(0, 1, {"weight": 5.0}), (1, 2, {"weight": 1.0}), (2, 3, {"weight": 6.0}),
                                               (3, 0, {"weight": 5.0}), (3, 4, {"weight": 1.0})]))
    assert coppice.graph.communities(H).facts["modularity"] == pytest.approx(sums.facts["modularity"], abs=1e-14)


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_a_parallel_edge_is_no_bridge(library):
    several = [(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2), (4, 5), (4, 5), (5, 6)]
    if library == "networkx":
        H = nx.MultiGraph(several)
        assert {frozenset(e[:2]) for e in coppice.graph.bridges(H).values} == {frozenset(e) for e in nx.bridges(H)}
    else:
        H = pytest.importorskip("igraph").Graph(several)
    found = coppice.graph.bridges(H)
    assert edges_of(found.values) == {(1, 2, 1.0), (5, 6, 1.0)} and found.facts["bridges"] == 2
    assert coppice.graph.bridges(nx.MultiGraph([(0, 1)])).facts["bridges"] == 1


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_every_algorithm_combines_parallel_edges_or_refuses_them(library):
    H = with_parallel_edges(library)
    for name, row in coppice.graph.algorithms().items():
        options = {"source": 0} if "source" in row["options"] else {}
        if coppice.graph.parallel_edges(name) == "refuse":
            assert not row["weighted"]
            with pytest.raises(ValueError, match=f"2 parallel edges from 0 to 1; {name} "):
                coppice.graph.run(name, H, **options)
        elif name != "longest-paths":  # an undirected edge is a cycle
            coppice.graph.run(name, H, **options)
        if "weighted" in row["options"]:
            coppice.graph.run(name, H, weighted=True)
    with pytest.raises(ValueError, match="unknown graph algorithm 'dfs'"):
        coppice.graph.parallel_edges("dfs")


def test_matchings_by_value():
    H = nx.Graph([(0, 1, {"weight": -5.0}), (1, 2, {"weight": 3.0}), (3, 4, {"weight": -1.0})])
    assert listed(coppice.graph.matching(H).values) == [1, 0, -1, 4, 3]
    assert listed(coppice.graph.matching(H, by_value=True).values) == [-1, 2, 1, -1, -1]
    with pytest.raises(TypeError, match="True or False"):
        coppice.graph.matching(H, by_value="no")


def test_sums_of_parallel_edges_are_the_same_in_both_directions():
    igraph = pytest.importorskip("igraph")
    H = igraph.Graph([(0, 1), (1, 0), (0, 1), (1, 0)])
    H.es["weight"] = [0.1, 1e16, 0.3, -1e16]
    A = coppice.graph.from_igraph(H, parallel="sum").toarray()
    assert A[0, 1] == A[1, 0]
    assert coppice.graph.from_igraph(H, parallel="min").toarray()[1, 0] == -1e16
    assert coppice.graph.from_igraph(H, parallel="max").toarray()[0, 1] == 1e16
    with pytest.raises(ValueError, match="expected min, max"):
        coppice.graph.from_igraph(H, parallel="first")


def test_weights_of_graphs():
    for weight, error, text in ((None, TypeError, r"edge \('a', 'b'\) of G has the weight None"), ("2", TypeError, "'2'"),
                                (2**53 + 1, ValueError, "9007199254740993"), (10**400, ValueError, "float64")):
        H = nx.Graph()
        H.add_edge("a", "b", weight=weight)
        H.add_edge("b", "c", weight=0.5)
        with pytest.raises(error, match=text):
            coppice.graph.sssp(H, source="a")
        assert coppice.graph.bfs(H, source="a").values == {"a": 0, "b": 1, "c": 2}  # does not read weights
    H["a"]["b"]["weight"] = 2**60
    assert coppice.graph.sssp(H, source="a").values["b"] == 2**60
    A = sp.csr_array(np.array([[0, 2**53 + 1], [1, 0]]))
    with pytest.raises(ValueError, match="int64 entries that float64 does not hold"):
        coppice.graph.sssp(A, source=0)
    zero = nx.Graph([(0, 1, {"weight": 0}), (1, 2, {"weight": 0}), (0, 2, {"weight": 1})])
    assert coppice.graph.mst(zero).facts["trees"] == 1
    assert coppice.graph.sssp(zero, source=0).values == {0: 0, 1: 0, 2: 0}


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_graphs_without_nodes_have_the_facts_of_an_empty_matrix(make):
    for name in coppice.graph.algorithms():
        try:
            facts = coppice.graph.run(name, sp.csr_array((0, 0))).facts
        except ValueError as error:  # there is no source
            with pytest.raises(ValueError, match=str(error)):
                coppice.graph.run(name, make())
            continue
        found = coppice.graph.run(name, make())
        assert found.facts == facts and len(found.values) == 0, name


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_of_every_format(form, dtype):
    A = sp.csr_array(np.array([[0, 2**53], [1, 0]], dtype=dtype)).asformat(form)
    assert coppice.graph.sssp(A, source=0).values.tolist() == [0, 2**53]
    with pytest.raises(ValueError, match=f"{A.dtype} entries that float64 does not hold"):
        coppice.graph.sssp(sp.csr_array(np.array([[0, 2**53 + 1], [1, 0]], dtype=dtype)).asformat(form), source=0)


def test_a_directed_graph_with_both_directions_stays_directed():
    G = nx.DiGraph(nx.cycle_graph(5))
    assert coppice.graph.betweenness(G).values == nx.betweenness_centrality(G, normalized=False)
    assert coppice.graph.betweenness(G.to_undirected()).values == nx.betweenness_centrality(G.to_undirected(), normalized=False)
    edges = {(u, v): value for u, v, value in coppice.graph.edge_betweenness(G).values}
    assert edges == nx.edge_betweenness_centrality(G, normalized=False)
    assert coppice.graph.components(G).facts["components"] == 1  # an algorithm for undirected graphs takes it


def test_two_weights_of_an_undirected_edge_are_combined():
    G = nx.DiGraph([(0, 1, {"weight": 5}), (1, 0, {"weight": 2})])
    A = sp.csr_array([[0, 5.0], [2, 0]])
    for H in (G, A):
        assert coppice.graph.mst(H).facts["weight"] == 2
        assert coppice.graph.matching(H, check=True).facts["weight"] == 5
    assert coppice.graph.sssp(A, source=1).values.tolist() == [2, 0]  # reads directed edges


def views_of(G):
    """Views of a graph, named."""
    first, edges = next(iter(G)), list(G.edges(keys=True) if G.is_multigraph() else G.edges)
    yield "subgraph", G.subgraph([node for node in G if node != first])
    yield "edge_subgraph", G.edge_subgraph(edges[::2])
    yield "restricted_view", nx.restricted_view(G, [], edges[:2])
    yield "one direction", nx.subgraph_view(G, filter_edge=lambda u, v, *key: (5 * u + v) % 3 != 0)
    yield "to_directed", G.to_directed(as_view=True)
    yield "to_undirected", G.to_undirected(as_view=True)
    yield "copy", G.copy(as_view=True)
    if G.is_directed():
        yield "reverse", nx.reverse_view(G)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_views_give_the_results_of_their_copies(kind):
    rng = np.random.default_rng(7)
    G = kind()
    G.add_nodes_from(range(9))
    for u, v, weight in rng.integers(0, 9, (24, 3)).tolist():
        G.add_edge(u, v, weight=weight)
    for name, view in views_of(G):
        for second, inner in (("", view), *views_of(view)):
            node, copy = next(iter(inner)), inner.copy()
            for run in (lambda H: coppice.graph.sssp(H, source=node), coppice.graph.components, coppice.graph.mst,
                        lambda H: coppice.graph.pagerank(H, weighted=True, tolerance=1e-3)):
                assert outcome(run, inner) == outcome(run, copy), (name, second)


def outcome(run, G):
    try:
        return run(G).values
    except ValueError as error:  # components of a directed graph
        return str(error)


def test_an_adjacency_of_its_own_is_read():
    from networkx.algorithms.approximation.kcomponents import _AntiGraph

    complement = _AntiGraph([(0, 1), (1, 2), (2, 3)])
    expected = nx.single_source_shortest_path_length(nx.complement(nx.path_graph(4)), 0)
    assert coppice.graph.bfs(complement, source=0).values == expected


def test_weights_that_are_not_read(G):
    for name, row in coppice.graph.algorithms().items():
        text = ("are its weights" if row["weighted"] else
                "weighted=True reads" if "weighted" in row["options"] else "every edge counts as 1")
        with pytest.raises(TypeError, match=f"{name} has no option 'weight'.*{text}"):
            coppice.graph.run(name, G, weight="weight")
        reads = row["weighted"] or "weighted" in row["options"]
        assert reads != ("Weights are not read" in getattr(coppice.graph, name.replace("-", "_")).__doc__)


def test_to_networkx(G):
    A = nx.to_scipy_sparse_array(G, dtype=float)
    assert nx.utils.graphs_equal(coppice.graph.to_networkx(A), nx.from_scipy_sparse_array(A))
    tree = coppice.graph.to_networkx(coppice.graph.mst(A).values, vertices=60)
    assert nx.is_forest(tree) and nx.number_connected_components(tree) == nx.number_connected_components(G)
    for error, text, arguments in (
        (TypeError, "number of vertices", (([0], [1], [1.0]),)),
        (ValueError, "expected 0 to 3", (([0], [7], [1.0]), 4)),
        (ValueError, "one length", (([0, 1], [1], [1.0]), 4)),
        (ValueError, r"\(60, 30\)", (A[:, :30],)),
        (TypeError, "list", ([0],)),
    ):
        with pytest.raises(error, match=text):
            coppice.graph.to_networkx(*arguments)


@pytest.mark.parametrize("make", [sp.csr_array, sp.coo_array])
def test_duplicate_entries_are_one_edge_of_their_sum(make):
    A = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    A = make(A) if make is sp.csr_array else A.tocoo()
    assert list(coppice.graph.to_networkx(A, directed=True).edges(data="weight")) == [(0, 1, 3.0)]
    assert A.nnz == 2


def test_threads_that_share_a_matrix():
    import threading

    A = sp.random_array((2000, 2000), density=0.01, rng=np.random.default_rng(0), format="csr")
    M = coppice.Matrix(A)
    sides = np.random.default_rng(1).standard_normal((4, 2000))
    expected = [M.mxv(x) for x in sides]
    wrong = []

    def work(k):
        for _ in range(50):
            if not np.array_equal(M.mxv(sides[k]), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_pictures():
    from xml.etree import ElementTree

    def rects(html):
        svg = ElementTree.fromstring(html[html.index("<svg"):])
        return svg.find("title").text, svg.findall("rect")

    eye = sp.eye_array(300, format="csr")
    title, squares = rects(coppice.Matrix(eye)._repr_html_())
    assert title == "pattern of 300 nonzeros" and len(squares) == 60
    assert all(square.get("x") == square.get("y") and square.get("fill-opacity") == "1.00" for square in squares)
    line = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(12, 12)).tolil()
    line[7, 8] = line[8, 7] = 0  # paths of 8 and 4
    title, bars = rects(coppice.forests.linear_forest(line.tocsr())._repr_html_())
    heights = [float(bar.get("height")) for bar in bars]
    assert len(bars) == 4 and heights[3] == 2 * heights[2] == 90 and heights[0] == heights[1] == 0
    assert bars[3].find("title").text == "8 vertices on paths of 8 to 15"
    empty = sp.csr_array((0, 5))
    assert "svg" not in coppice.Matrix(empty)._repr_html_()


def test_checks_prove_results(G):
    """The result of every algorithm with a check passes it; for others, check=True is an error."""
    A = nx.to_scipy_sparse_array(G, dtype=float)
    for name, row in coppice.graph.algorithms().items():
        if not row["check"]:
            with pytest.raises(ValueError, match="no proof for"):
                coppice.graph.run(name, A, check=True)
        elif name != "longest-paths":  # an undirected edge is a cycle
            coppice.graph.run(name, A, check=True)
    assert coppice.graph.longest_paths(sp.triu(A, 1).tocsr(), check=True).facts["acyclic"] == 1


def test_types_of_results():
    """Whole numbers are integers, for arrays, nodes and columns."""
    A = sp.csr_array(np.array([[0, 2, 1, 0], [2, 0, 3, 0], [1, 3, 0, 0], [0, 0, 0, 0.0]]))
    for name, expected in (("bfs", [0, 1, 1, -1]), ("triangles", [1, 1, 1, 0]), ("cores", [2, 2, 2, 0]),
                           ("components", [0, 0, 0, 3]), ("articulation-points", [0] * 4), ("min-cut", [1, 1, 1, 0])):
        values = coppice.graph.run(name, A).values
        assert values.dtype == np.int64 and values.tolist() == expected
    assert coppice.graph.sssp(A).values.dtype == np.float64
    colours = coppice.graph.colouring(coppice.graph.from_edge_index(np.array([[0, 1], [1, 2]]), directed=False)).values["value"]
    assert colours.dtype == np.int64 and colours[0] != colours[1] != colours[2]
