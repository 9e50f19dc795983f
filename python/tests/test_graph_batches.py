# SPDX-License-Identifier: BSD-3-Clause
"""A batch of graphs gives the results of each graph alone."""

import time

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import coppice
from coppice.graph import GraphBatch


def some_graphs(count, directed=False):
    rng, graphs = np.random.default_rng(3), []
    for k in range(count):
        n = int(rng.integers(0, 30))
        A = sp.random_array((n, n), density=min(1, 3 / max(n, 1)), rng=rng, format="csr")
        A.data = np.ceil(A.data * 5)
        graphs.append(A if directed else A.maximum(A.T).tocsr())
    return graphs


def networkx_of(A, directed=False):
    return nx.from_scipy_sparse_array(A, create_using=nx.DiGraph if directed else nx.Graph)


def test_components_triangles_cores_and_sets():
    graphs = [sp.csr_array(A - sp.diags_array(A.diagonal())) for A in some_graphs(80)]
    for A in graphs:
        A.eliminate_zeros()
    B = GraphBatch(graphs)
    assert len(B) == 80 and B.components().tolist() == [
        nx.number_connected_components(networkx_of(A)) for A in graphs]
    triangles, cores = B.split(B.run("triangles").values), B.split(B.run("cores").values)
    labels = B.split(B.run("components").values)
    for A, t, c, label in zip(graphs, triangles, cores, labels):
        G = networkx_of(A)
        assert t.tolist() == list(nx.triangles(G).values()) and c.tolist() == list(nx.core_number(G).values())
        assert all(label[list(group)].tolist() == [min(group)] * len(group) for group in nx.connected_components(G))
    assert B.sum(B.run("triangles").values).tolist() == [sum(nx.triangles(networkx_of(A)).values()) for A in graphs]
    mates = B.split(B.run("maximal-matching").values)
    for A, mate in zip(graphs, mates):
        assert nx.is_maximal_matching(networkx_of(A), {(u, int(v)) for u, v in enumerate(mate) if v > u})


@pytest.mark.parametrize("weighted", [False, True])
def test_pagerank(weighted):
    graphs = some_graphs(60, directed=True)
    B = GraphBatch(graphs)
    for A, ranks in zip(graphs, B.split(B.pagerank(tolerance=1e-10, max_iterations=1000, weighted=weighted))):
        expected = nx.pagerank(networkx_of(A, True), tol=1e-13, max_iter=1000, weight="weight" if weighted else None)
        assert np.allclose(ranks, list(expected.values()), rtol=0, atol=1e-10)
    assert np.allclose(B.sum(B.pagerank(damping=0)), [A.shape[0] > 0 for A in graphs])


def test_shortest_paths():
    graphs = some_graphs(60, directed=True)
    sources = [-1 if A.shape[0] == 0 or k % 7 == 0 else k % A.shape[0] for k, A in enumerate(graphs)]
    B = GraphBatch(graphs)
    for A, source, found, levels in zip(graphs, sources, B.split(B.sssp(sources)), B.split(B.bfs(sources))):
        G = networkx_of(A, True)
        expected = {} if source < 0 else nx.single_source_dijkstra_path_length(G, source)
        assert found.tolist() == [expected.get(v, np.inf) for v in G]
        expected = {} if source < 0 else nx.single_source_shortest_path_length(G, source)
        assert levels.tolist() == [expected.get(v, -1) for v in G]


def test_edge_index():
    B = GraphBatch.from_edge_index([[0, 1, 3], [1, 0, 4]], [0, 0, 0, 1, 1, 3], count=5)
    assert B.first.tolist() == [0, 3, 5, 5, 6, 6] and len(B) == 5
    assert B.matrix.toarray()[3, 4] == 1
    assert B.bfs([0, 0, -1, 0, -1]).tolist() == [0, 1, -1, 0, 1, 0]


@pytest.mark.parametrize("call, message", [
    (lambda B: B.run("closeness"), "closeness of a batch would depend on the other graphs"),
    (lambda B: B.sssp([0]), "expected 2 integers"),
    (lambda B: B.sssp([0, 2]), r"sources\[1\] is 2, expected a vertex below 2, or -1"),
    (lambda B: B.sum(np.ones(3)), "expected 4, the vertices of all graphs"),
    (lambda B: B.pagerank(damping=1), "damping is 1"),
    (lambda B: GraphBatch([np.ones((2, 2))]), r"graphs\[0\] is \(2, 2\), expected a sparse matrix"),
    (lambda B: GraphBatch([sp.csr_array((2, 3))]), r"graphs\[0\] is \(2, 3\)"),
    (lambda B: GraphBatch.from_edge_index([[0], [1]], [0, 1]), "vertices of the graphs 0 and 1"),
    (lambda B: GraphBatch.from_edge_index([[0], [1]], [1, 0]), "do not decrease"),
])
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call(GraphBatch([sp.eye_array(2, format="csr"), sp.eye_array(2, format="csr")]))


def test_no_graphs():
    B = GraphBatch([])
    assert len(B) == 0 and B.components().tolist() == [] and B.pagerank().tolist() == [] and B.split(np.zeros(0)) == []


def test_a_batch_is_as_fast_as_one_graph():
    """Components of 20,000 graphs of 30 vertices, and of one graph of the same size."""
    ring = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(30, 30)).tocsr()
    B = GraphBatch([ring] * 20_000)
    one = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=B.matrix.shape).tocsr()

    def seconds(work):
        best = np.inf
        for _ in range(5):
            start = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - start)
        return best

    assert seconds(lambda: B.run("components")) < 3 * seconds(lambda: coppice.graph.components(one)) + 0.01


@pytest.mark.parametrize("weighted", [False, True])
def test_betweenness_of_directed_and_undirected_graphs(weighted):
    graphs = some_graphs(20) + some_graphs(20, directed=True)
    B = GraphBatch(graphs)
    found = B.split(B.run("betweenness", weighted=weighted).values)
    start, end, scores = B.run("edge-betweenness", weighted=weighted).values
    of = B.graph_of_vertices[start]
    for k, A in enumerate(graphs):
        G = networkx_of(A, directed=k >= 20)
        unequal = A != A.T if weighted else A.sign() != A.sign().T
        if A.shape[0] == 0 or (k >= 20 and unequal.nnz == 0):  # a matrix with both directions of every edge is undirected
            continue
        weight = "weight" if weighted else None
        assert np.allclose(found[k], list(nx.betweenness_centrality(G, weight=weight, normalized=False).values()))
        expected = nx.edge_betweenness_centrality(G, weight=weight, normalized=False)
        mine = {(int(u - B.first[k]), int(v - B.first[k])): s for u, v, s in zip(start[of == k], end[of == k], scores[of == k])}
        assert mine == pytest.approx({edge: score for edge, score in expected.items() if k >= 20 or edge[0] != edge[1]})
