# SPDX-License-Identifier: BSD-3-Clause
"""Sampled neighbourhoods, subgraphs and distances of all pairs, from their definitions and against NetworkX."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import coppice

graph = coppice.graph


def random_edges(seed, n=40, m=150):
    return np.random.default_rng(seed).integers(0, n, (2, m))


def kinds(seed, directed):
    """A table with numbers, a table with text, a matrix, with the ends of the edges at the positions that results name."""
    ends = random_edges(seed)
    yield graph.from_edge_index(ends, vertices=40, directed=directed), ends, np.arange(40)
    names = np.array([f"v{k:02}" for k in range(40)])[::-1]
    rows = {"from": names[ends[0]], "to": names[ends[1]]}
    yield graph.from_table(rows, "from", "to", vertices=names, directed=directed), names[ends], names
    if directed:
        A = sp.coo_array((np.ones(len(ends[0])), tuple(ends)), shape=(40, 40)).tocsr()
        yield A, np.stack([np.repeat(np.arange(40), np.diff(A.indptr)), A.indices]), np.arange(40)


def check_edges(part, ends, directed):
    source, target = part.vertices[part.edge_index]
    forward = (ends[0][part.edges] == source) & (ends[1][part.edges] == target)
    backward = (ends[1][part.edges] == source) & (ends[0][part.edges] == target)
    assert (forward if directed else forward | backward).all()
    assert len(set(part.vertices.tolist())) == len(part.vertices) == sum(part.vertices_per_hop)
    assert part.edge_index.dtype == np.int64 and part.edges.dtype == np.int64


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("incoming", [True, False])
@pytest.mark.parametrize("replace", [True, False])
def test_samples(directed, incoming, replace):
    for G, ends, nodes in kinds(3, directed):
        seeds = nodes[[5, 3, 17]]
        part = graph.NeighborSampler(G, [3, 2], replace=replace, incoming=incoming).sample(seeds, seed=4)
        check_edges(part, ends, directed)
        assert part.vertices[:3].tolist() == seeds.tolist()
        near, far = part.edge_index[::-1] if incoming else part.edge_index
        first = part.edges_per_hop[0]
        assert sum(part.edges_per_hop) == len(near)
        assert (near[:first] < 3).all() and (near[first:] >= 3).all() and (near < sum(part.vertices_per_hop[:2])).all()
        for v in range(sum(part.vertices_per_hop[:2])):
            node = part.vertices[v]
            fan_out = 3 if v < 3 else 2
            degree = (ends[1 if incoming else 0] == node).sum()
            if not directed:
                degree = ((ends == node).any(axis=0)).sum()
            expected = (fan_out if degree else 0) if replace else min(fan_out, degree)
            assert (near == v).sum() == expected
            if not replace:
                assert len(set(part.edges[near == v].tolist())) == expected


def test_samples_depend_on_the_seed_only():
    sampler = graph.NeighborSampler(graph.from_edge_index(random_edges(1, 200, 4000), vertices=200), [5, 5])
    same = [sampler.sample([1, 2], seed=9) for _ in range(2)]
    assert all(np.array_equal(a, b) for a, b in zip(*same))
    assert not np.array_equal(same[0].edges, sampler.sample([1, 2], seed=10).edges)


@pytest.mark.parametrize("directed", [True, False])
def test_subgraphs(directed):
    for G, ends, nodes in kinds(7, directed):
        chosen = nodes[[30, 2, 9, 11, 4, 25, 7, 8]]
        part = graph.induced_subgraph(G, chosen)
        check_edges(part, ends, directed)
        assert part.vertices.tolist() == chosen.tolist()
        inside = np.isin(ends, chosen).all(axis=0)
        assert set(part.edges.tolist()) == set(np.flatnonzero(inside).tolist())

        X = (nx.MultiDiGraph if directed else nx.MultiGraph)()
        X.add_nodes_from(nodes.tolist())
        X.add_edges_from(zip(*ends.tolist()))
        for incoming in (False, True):
            part = graph.k_hop_subgraph(G, nodes[[12]], 2, incoming=incoming)
            check_edges(part, ends, directed)
            ego = nx.ego_graph(X.reverse() if directed and incoming else X, nodes[12].item(), radius=2)
            assert set(part.vertices.tolist()) == set(ego)
            loops = 0 if directed else sum(u != v for u, v in ego.edges())  # both directions
            assert part.edge_index.shape[1] == ego.number_of_edges() + loops


@pytest.mark.parametrize("weighted", [True, False])
def test_distances_of_all_pairs(weighted):
    ends, lengths = random_edges(5), np.random.default_rng(2).integers(1, 9, 150).astype(float)
    G = graph.from_edge_index(ends, lengths, vertices=40)
    X = nx.MultiDiGraph()
    X.add_nodes_from(range(40))
    X.add_weighted_edges_from(zip(*ends.tolist(), lengths.tolist()))
    expected = nx.floyd_warshall_numpy(X, weight="weight" if weighted else "none has it")
    for memory in (1, 1000, 2**28):
        blocks = list(graph.all_pairs_distances(G, weighted=weighted, memory=memory))
        assert np.array_equal(np.concatenate([block for _, block in blocks]), expected)
        assert np.concatenate([sources for sources, _ in blocks]).tolist() == list(range(40))
        assert max(len(sources) for sources, _ in blocks) <= max(1, memory // (8 * 40))
    (sources, rows), = graph.all_pairs_distances(G, weighted=weighted, sources=[7, 3])
    assert sources.tolist() == [7, 3] and np.array_equal(rows, expected[[7, 3]])
    negative = sp.csr_array(np.array([[0.0, -1], [-1, 0]]))
    with pytest.raises(ArithmeticError, match="negative"):
        list(graph.all_pairs_distances(negative, weighted=True))


def test_bad_input():
    G = graph.from_edge_index(random_edges(1), vertices=40)
    T = graph.from_table({"a": ["x", "y"], "b": ["y", "x"]}, "a", "b")
    for call, words in [
        (lambda: graph.NeighborSampler(G, [-2]), r"fanouts\[0\] is -2"),
        (lambda: graph.NeighborSampler(G, [3, -1], replace=True), "fanouts holds -1"),
        (lambda: graph.NeighborSampler(G, [3]).sample([40]), "seeds"),
        (lambda: graph.NeighborSampler(G, [3]).sample([1, 1]), "occurs twice"),
        (lambda: graph.NeighborSampler(G, [3]).sample([1], seed=-1), "seed is -1"),
        (lambda: graph.NeighborSampler(T, [3]).sample(["z"]), "seeds holds 'z', which is no vertex"),
        (lambda: graph.NeighborSampler(T, [3]).sample([1]), "seeds has dtype"),
        (lambda: graph.induced_subgraph(G, [0.5]), "vertices"),
        (lambda: graph.k_hop_subgraph(G, [0], -1), "hops is -1"),
        (lambda: graph.induced_subgraph(sp.csr_array((2, 3)), [0]), "G has shape"),
        (lambda: list(graph.all_pairs_distances(G, memory=0)), "memory is 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="expected a scipy.sparse matrix, or an EdgeTable"):
        graph.NeighborSampler(nx.path_graph(3), [1])
    empty = graph.NeighborSampler(sp.csr_array((3, 3)), [2, 2]).sample([])
    assert len(empty.vertices) == 0 and empty.edge_index.shape == (2, 0)
