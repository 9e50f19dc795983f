# SPDX-License-Identifier: BSD-3-Clause
"""coppice.csgraph compared with scipy.sparse.csgraph, whose own tests scripts/scipy-suite.py runs."""

import functools
import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as scipy_csgraph

import coppice
from coppice import _core, csgraph


@pytest.fixture(autouse=True)
def answered(monkeypatch):
    """Coppice answers also for small graphs; the names of the algorithms that it ran."""
    seen, run = [], _core.run_graph_algorithm

    def recorded(name, *arguments):
        seen.append(name)
        return run(name, *arguments)

    monkeypatch.setattr(csgraph, "smallest", 0)
    monkeypatch.setattr(_core, "run_graph_algorithm", recorded)
    return seen


def graph(seed, n=60, density=0.05, least=0.0):
    rng = np.random.default_rng(seed)
    found = sp.random_array((n, n), density=density, rng=rng, format="csr")
    found.data = np.floor(found.data * 20) + least
    return found


def test_masked_arrays(answered):
    """Their zeros that are not masked are edges for Dijkstra's algorithm in SciPy, and none for that of Floyd and Warshall."""
    G = np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 1.0, 0]])
    for name in ("shortest_path", "dijkstra", "connected_components"):
        for masked in (np.ma.masked_invalid(G), np.ma.masked_equal(G, 0)):
            expected, found = getattr(scipy_csgraph, name)(masked), getattr(csgraph, name)(masked)
            assert all(map(np.array_equal, found, expected))
    assert np.array_equal(csgraph.shortest_path(np.ma.array(G)), scipy_csgraph.shortest_path(np.ma.array(G)))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
@pytest.mark.parametrize("indices", [None, 3, -1, [5, 5, 0], [[1], [2]]])
@pytest.mark.parametrize("seed", range(3))
def test_distances(directed, unweighted, indices, seed, answered):
    for G in (graph(seed), graph(seed).tocoo(), sp.csr_matrix(graph(seed)).astype("f4"), graph(seed, least=1.0).toarray(),
              graph(seed).astype(int)):
        for name in ("shortest_path", "dijkstra", "bellman_ford", "johnson"):
            expected = getattr(scipy_csgraph, name)(G, directed=directed, unweighted=unweighted, indices=indices)
            found = getattr(csgraph, name)(G, directed=directed, unweighted=unweighted, indices=indices)
            assert found.shape == expected.shape and found.dtype == expected.dtype and np.array_equal(found, expected)
    assert set(answered) == {"bfs" if unweighted else "sssp"}


def test_limits_and_negative_lengths(answered):
    G = graph(0)
    for limit in (0, 3.5, np.inf):
        assert np.array_equal(csgraph.dijkstra(G, limit=limit), scipy_csgraph.dijkstra(G, limit=limit))
    potential = np.arange(60.0)[::-1] * 2  # lengths below 0 without a negative cycle
    G = G.tocoo()
    G.data = G.data + potential[G.row] - potential[G.col]
    assert G.data.min() < 0
    assert np.allclose(csgraph.bellman_ford(G), scipy_csgraph.bellman_ford(G))
    assert np.allclose(csgraph.shortest_path(G, "J"), scipy_csgraph.shortest_path(G, "J"))
    count = len(answered)
    for call in (csgraph.bellman_ford, csgraph.johnson, csgraph.shortest_path):
        with pytest.raises(scipy_csgraph.NegativeCycleError):
            call(G, directed=False)
    assert len(answered) > count
    with pytest.raises(ValueError, match="limit"):
        csgraph.dijkstra(G, limit=-1)


def test_negative_cycles_that_no_source_reaches(answered):
    """Johnson's algorithm finds them in the whole graph, that of Bellman and Ford on the way; Floyd and Warshall ignore loops."""
    apart = sp.csr_array(([1.0, -2.0, 1.0], ([0, 2, 3], [1, 3, 2])), shape=(5, 5))
    for G in (apart, apart.toarray(), sp.csr_array(([1.0, -1.0], ([0, 2], [1, 2])), shape=(3, 3))):
        for indices in (0, [0, 1], [0]):
            for call in (csgraph.johnson, csgraph.shortest_path, functools.partial(csgraph.shortest_path, method="J")):
                with pytest.raises(scipy_csgraph.NegativeCycleError):
                    call(G, indices=indices)
                assert call(G, indices=indices, unweighted=True).shape == np.shape(indices) + G.shape[:1]
            expected = scipy_csgraph.bellman_ford(G, indices=indices)
            assert np.array_equal(csgraph.bellman_ford(G, indices=indices), expected)
    dense = np.ones((6, 6))
    dense[4, 4] = -1
    for G in (dense, sp.csr_array(dense)):
        assert np.array_equal(csgraph.shortest_path(G), scipy_csgraph.shortest_path(G))
    assert "sssp" in answered


@pytest.mark.parametrize("seed", range(4))
def test_components_and_trees(seed, answered):
    for G in (graph(seed, density=0.01), graph(seed, density=0.01).tocsc(), graph(seed, density=0.02).toarray(), sp.csr_array((5, 5))):
        for options in ({}, {"directed": False}, {"connection": "WEAK"}, {"directed": False, "connection": "strong"}):
            expected, found = scipy_csgraph.connected_components(G, **options), csgraph.connected_components(G, **options)
            assert found[0] == expected[0] and np.array_equal(found[1], expected[1]) and found[1].dtype == expected[1].dtype
            assert csgraph.connected_components(G, return_labels=False, **options) == expected[0]
    assert set(answered) == {"components"}
    rng = np.random.default_rng(seed)
    G = graph(seed)
    G.data = rng.permutation(G.nnz) + 1.0  # distinct: there is one minimum spanning forest
    for each in (G, sp.csr_matrix(G), G.toarray(), G.tocsc(), (G + G.T).tocsr()):
        expected, found = scipy_csgraph.minimum_spanning_tree(each), csgraph.minimum_spanning_tree(each)
        assert type(found) is type(expected) and np.isclose(found.sum(), expected.sum())
        assert np.array_equal(found.toarray(), expected.toarray())
    assert "mst" in answered


def test_what_scipy_answers(answered):
    G = graph(0)
    assert csgraph.__all__ == scipy_csgraph.__all__
    for name in csgraph.__all__:
        assert callable(getattr(csgraph, name))
    for name in ("shortest_path", "dijkstra", "bellman_ford", "johnson", "connected_components", "minimum_spanning_tree"):
        given = [p.name for p in inspect.signature(getattr(csgraph, name)).parameters.values()]
        assert getattr(scipy_csgraph, name).__doc__.lstrip().startswith(f"{name}({given[0]}")
    order, predecessors = csgraph.breadth_first_order(G, 0)
    assert np.array_equal(order, scipy_csgraph.breadth_first_order(G, 0)[0])
    found = csgraph.dijkstra(G, return_predecessors=True)
    assert all(map(np.array_equal, found, scipy_csgraph.dijkstra(G, return_predecessors=True)))
    assert csgraph.structural_rank(G) == scipy_csgraph.structural_rank(G)
    twice = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    assert csgraph.dijkstra(twice, indices=0)[1] == 1  # duplicates are parallel edges
    for directed in (True, False):
        for connection, error in (("neither", ValueError), (None, AttributeError)):
            with pytest.raises(error):
                scipy_csgraph.connected_components(G, directed, connection)
            with pytest.raises(error):
                csgraph.connected_components(G, directed, connection)
    assert answered == []


def test_malformed_graphs_are_refused_before_scipy_reads_them():
    for name in csgraph.__all__:
        if name in ("NegativeCycleError", "csgraph_from_dense", "csgraph_from_masked", "csgraph_masked_from_dense", "csgraph_to_masked"):
            continue
        G = graph(1)
        G.indices[3] = 4711
        more = {"maximum_flow": (0, 1), "yen": (0, 1, 2), "construct_dist_matrix": (np.zeros((60, 60), "i4"),),
                "reconstruct_path": (np.zeros(60, "i4"),)}.get(name, (0,) if "first" in name else ())
        with pytest.raises(ValueError, match="csgraph with shape .*4711"):
            getattr(csgraph, name)(G, *more)


def test_large_graphs_only(monkeypatch, answered):
    monkeypatch.setattr(csgraph, "smallest", 10**6)
    csgraph.dijkstra(graph(0), indices=0)
    assert answered == [] and coppice.csgraph is csgraph
