# SPDX-License-Identifier: BSD-3-Clause
"""Pictures and layouts of graphs of every kind."""

import re
import xml.etree.ElementTree

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import coppice

graph = coppice.graph
GRID = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 12))
MATRIX = nx.to_scipy_sparse_array(GRID, dtype=float)


def counts(svg):
    assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")
    return svg.count("<circle"), [path.count("L") for path in re.findall('<path[^>]*"/>', svg)]


def test_layout_follows_distances():
    positions = graph.layout(MATRIX)
    levels = graph.bfs(MATRIX, source=0).values
    far = np.linalg.norm(positions - positions[0], axis=1)
    assert np.corrcoef(levels, far)[0, 1] > 0.95
    lengths = [np.linalg.norm(positions[u] - positions[v]) for u, v in GRID.edges]
    assert np.mean(lengths) == pytest.approx(1)
    assert np.array_equal(positions, graph.layout(MATRIX))
    by_node = graph.layout(GRID)
    assert list(by_node) == list(GRID) and np.array_equal(np.array(list(by_node.values())), positions)


def test_pictures(tmp_path):
    tree = graph.mst(MATRIX)
    made = graph.draw(MATRIX, tmp_path / "a.svg", values=graph.components(MATRIX), edges=tree)
    assert (tmp_path / "a.svg").read_text() == made.svg == made._repr_svg_()
    assert counts(made.svg) == (144, [264, 143])
    assert len(set(re.findall('circle[^>]*fill="(#[0-9a-f]*)"', made.svg))) == 1
    shades = graph.draw(MATRIX, values=np.linspace(0, 1, 144)).svg
    assert len(set(re.findall('circle[^>]*fill="(#[0-9a-f]*)"', shades))) > 100
    X = nx.Graph([("a<b", "c"), ("d", "e")])
    made = graph.draw(X, values=graph.components(X), edges=graph.mst(X))
    assert counts(made.svg) == (4, [2, 2]) and "<title>a&lt;b</title>" in made.svg
    table = graph.from_table({"x": ["r", "s"], "y": ["s", "t"]}, "x", "y", directed=False)
    made = graph.draw(table, values=graph.bfs(table, source="r"), edges=graph.mst(table))
    assert counts(made.svg) == (3, [2, 2]) and "<title>t</title>" in made.svg
    assert counts(graph.draw(sp.csr_array((3, 3))).svg) == (3, [])
    large = graph.draw(sp.diags_array([np.ones(4999)], offsets=[1], shape=(5000, 5000)).tocsr()).svg
    assert large.count("h0") == 5000 and counts(large)[0] == 0


def test_bad_input(tmp_path):
    with pytest.raises(ValueError, match="expected a name that ends in .svg"):
        graph.draw(MATRIX, tmp_path / "a.png")
    with pytest.raises(ValueError, match=r"values has shape \(3,\), expected \(144,\)"):
        graph.draw(MATRIX, values=[1, 2, 3])
    with pytest.raises(ValueError, match="no value for the node 1"):
        graph.draw(nx.path_graph(3), values={0: 1})
    with pytest.raises(TypeError, match="G is a int"):
        graph.layout(3)
