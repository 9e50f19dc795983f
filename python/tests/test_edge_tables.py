# SPDX-License-Identifier: BSD-3-Clause
"""Tables of edges: every kind of table gives the graph of its rows, and results come by the caller's ids."""

import networkx as nx
import numpy as np
import pytest

import coppice
from coppice.graph import from_edge_index, from_table

INTEGERS = {"from": [900, 4, 2**40, 4, 7], "to": [4, 2**40, 900, 7, 7], "cost": [1.5, 2.0, 0.25, 4.0, 9.0]}
NAMES = {"from": ["oslo", "rome", "bonn", "rome", "lima"], "to": ["rome", "bonn", "oslo", "lima", "lima"],
         "cost": [1.5, 2.0, 0.25, 4.0, 9.0]}


def as_dict(columns):
    return columns


def as_arrays(columns):
    return {name: np.array(values) for name, values in columns.items()}


def as_pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def as_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def as_arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


class Stream:
    """An object of another library that only exports Arrow data."""

    def __init__(self, table):
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def as_stream(columns):
    return Stream(as_arrow(columns))


class Interchange:
    """An object that only has the data frame interchange protocol."""

    def __init__(self, frame):
        self.__dataframe__ = frame.__dataframe__


def as_interchange(columns):
    return Interchange(as_arrow(columns))


KINDS = [as_dict, as_arrays, as_pandas, as_polars, as_arrow, as_stream, as_interchange]


def networkx_of(columns, directed):
    G = nx.DiGraph() if directed else nx.Graph()
    for u, v, w in zip(*columns.values()):
        G.add_edge(u, v, weight=w)
    return G


def by_id(values):
    return dict(zip(values["vertex"].tolist(), values["value"].tolist()))


@pytest.mark.parametrize("columns", [INTEGERS, NAMES], ids=["integers", "text"])
@pytest.mark.parametrize("make", KINDS)
def test_results_have_the_ids_of_the_table(make, columns):
    G = from_table(make(columns), "from", "to", "cost")
    start = columns["from"][0]
    lengths = by_id(coppice.graph.sssp(G, source=start).values)
    expected = nx.single_source_dijkstra_path_length(networkx_of(columns, True), start)
    assert lengths == {node: expected.get(node, np.inf) for node in networkx_of(columns, True)}
    U = from_table(make(columns), "from", "to", "cost", directed=False)
    edges = coppice.graph.mst(U).values
    found = {frozenset(pair) for pair in zip(edges["source"].tolist(), edges["target"].tolist())}
    assert found == {frozenset(pair) for pair in nx.minimum_spanning_tree(networkx_of(columns, False)).edges}
    assert sorted(edges["value"].tolist()) == [0.25, 1.5, 4.0]
    labels = by_id(coppice.graph.components(U).values)
    assert set(labels) == set(networkx_of(columns, False)) and len(set(labels.values())) == 1
    assert next(iter(labels.values())) in labels  # a label is a vertex
    mates = by_id(coppice.graph.maximal_matching(U).values)
    assert all(mate is None or mates[mate] == node for node, mate in mates.items())


def test_parallel_edges_and_missing_weights_are_those_of_each_algorithm():
    columns = {"source": [1, 1, 2], "target": [2, 2, 3], "w": [5, 3, 1]}
    G = from_table(columns, weight="w")
    assert by_id(coppice.graph.sssp(G, source=1).values) == {1: 0, 2: 3, 3: 4}
    assert by_id(coppice.graph.sssp(from_table(columns), source=1).values) == {1: 0, 2: 1, 3: 2}
    assert by_id(coppice.graph.widest(G, source=1).values)[2] == 5
    with pytest.raises(ValueError, match="parallel edges"):
        coppice.graph.pagerank(G)
    ranks = coppice.graph.pagerank(G, weighted=True).values
    assert ranks["value"].sum() == pytest.approx(1)


def test_vertices_without_edges_keep_their_order():
    G = from_table({"source": ["b"], "target": ["a"]}, vertices=["z", "b", "a"], directed=False)
    found = coppice.graph.components(G).values
    assert found["vertex"].tolist() == ["z", "b", "a"] and found["value"].tolist() == ["z", "b", "b"]


def test_results_are_tables_of_other_libraries():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(coppice.graph.bfs(from_table(as_pandas(NAMES), "from", "to"), source="oslo").values)
    assert frame.set_index("vertex")["value"].to_dict() == {"bonn": 2, "lima": 2, "oslo": 0, "rome": 1}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
def test_files(ending, tmp_path):
    frame, name = as_pandas(NAMES), tmp_path / f"edges{ending}"
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(name)
    else:
        frame.to_csv(name, index=False, sep="\t" if ending == ".tsv" else ",")
    G = from_table(name, "from", "to", "cost")
    assert G.ids.tolist() == ["bonn", "lima", "oslo", "rome"] and G.weights.tolist() == NAMES["cost"]


def test_files_with_names_that_pandas_takes_for_missing_values(tmp_path):
    pytest.importorskip("pandas")
    name = tmp_path / "edges.csv"
    name.write_text("source,target,w,note\nNA,null,1,\nnull,None,2,NA\n")
    assert from_table(name, weight="w").ids.tolist() == ["NA", "None", "null"]
    name.write_text("source,target,w\nNA,,1\n")
    with pytest.raises(ValueError, match="column 'target' has 1 missing values"):
        from_table(name)
    name.write_text("source,target,w\na,b,nan\n")
    with pytest.raises(ValueError, match="column 'w' has 1 missing values"):
        from_table(name, weight="w")


def test_edge_index():
    ends = np.array([[0, 1, 3], [1, 3, 0]])
    G = from_edge_index(ends, vertices=5)
    assert coppice.graph.bfs(G, source=0).values["value"].tolist() == [0, 1, -1, 2, -1]
    torch = pytest.importorskip("torch")
    same = from_edge_index(torch.tensor(ends), torch.tensor([1.0, 2.0, 3.0]), directed=False)
    assert by_id(coppice.graph.sssp(same, source=3).values) == {0: 3, 1: 2, 2: np.inf, 3: 0}


@pytest.mark.parametrize("call, error, message", [
    (lambda: from_table(INTEGERS, "from", "too"), ValueError, "no column 'too', but 'from', 'to', 'cost'"),
    (lambda: from_table({"source": [1.5], "target": [2]}), TypeError, "column 'source' has dtype float64"),
    (lambda: from_table({"source": [1, 2], "target": [2]}), ValueError, "expected"),
    (lambda: from_table({"source": [1], "target": ["a"]}), TypeError, "one kind of ids"),
    (lambda: from_table({"source": [1], "target": [2], "w": ["x"]}, weight="w"), TypeError, "column 'w' has dtype"),
    (lambda: from_table({"source": [1], "target": [2], "w": [np.nan]}, weight="w"), ValueError, "1 values NaN"),
    (lambda: from_table({"source": [1], "target": [2], "w": [2**53 + 1]}, weight="w"), ValueError, "beyond 2"),
    (lambda: from_table({"source": [1], "target": [2]}, vertices=[1]), ValueError, "vertices does not hold"),
    (lambda: from_table({"source": [1], "target": [2]}, vertices=[1, 2, 1]), ValueError, "an id twice"),
    (lambda: from_table("absent.csv"), FileNotFoundError, "no file"),
    (lambda: from_table(17), TypeError, "table is a int"),
    (lambda: from_edge_index([[0, 1]]), ValueError, "shape"),
    (lambda: from_edge_index([[0.0], [1.0]]), ValueError, "dtype float64"),
    (lambda: from_edge_index([[0], [9]], vertices=3), ValueError, "expected 0 to 2"),
    (lambda: from_edge_index([[0], [1]], [1.0, 2.0]), ValueError, "weight has 2 elements"),
    (lambda: coppice.graph.bfs(from_table(NAMES, "from", "to"), source="paris"), ValueError, "source is 'paris'"),
])
def test_errors_name_the_column(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_arrow])
def test_missing_values_are_errors(make):
    with pytest.raises(ValueError, match="column 'source' has 1 missing values"):
        from_table(make({"source": ["a", None], "target": ["b", "c"]}))


def test_empty_table():
    G = from_table({"source": [], "target": []}, vertices=[3, 4])
    assert by_id(coppice.graph.components(G).values) == {3: 3, 4: 4}


def test_frames_are_not_copied():
    """The weights of a frame of one float column are read in place."""
    polars = pytest.importorskip("polars")
    weights = np.arange(4.0)
    frame = polars.DataFrame({"source": [1, 2, 3, 4], "target": [2, 3, 4, 1], "w": weights})
    held = from_table(frame, weight="w").weights
    assert np.shares_memory(held, frame["w"].to_numpy())
