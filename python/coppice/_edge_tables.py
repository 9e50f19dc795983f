# SPDX-License-Identifier: BSD-3-Clause
"""Graphs of tables of edges: data frames, Arrow data, files with named columns, pairs of arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import integer
from .renumbering import renumber


class EdgeTable:
    """Edges with the caller's ids; the functions of `coppice.graph` take it as G, and give results by these ids.

    Made by `from_table` and `from_edge_index`.

    Attributes
    ----------
    start, end : (m,) int32 arrays, positions of the ends of the edges in `ids`
    weights : (m,) float64 array, or None: every edge has weight 1
    ids : (n,) array, the id of every vertex
    directed : bool; if it is False, an edge stands for both directions
    """

    def __init__(self, start, end, weights, ids, directed):
        self.start, self.end, self.weights, self.ids, self.directed = start, end, weights, ids, directed

    def __repr__(self):
        kind = "directed" if self.directed else "undirected"
        return f"EdgeTable({len(self.ids)} vertices, {len(self.start)} edges, {kind})"

    def position(self, key: str, node: Any) -> int:
        """Return the position of an id in `ids`, or raise ValueError.

        Parameters
        ----------
        key : str, the argument that the message names
        node : the id
        """
        found = np.flatnonzero(self.ids == node)
        if not len(found):
            raise ValueError(f"{key} is {node!r}, which is no vertex of G")
        return int(found[0])

    def both(self, values: np.ndarray) -> np.ndarray:
        """Return values of edges for both directions, one after the other; a loop has one.

        Parameters
        ----------
        values : array with an element per edge
        """
        if self.directed:
            return values
        once = self.start != self.end
        return np.repeat(values, 1 + once)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of the edges in the order of `both`."""
        start, end = self.both(self.start).astype(np.int64), self.both(self.end).astype(np.int64)
        if not self.directed:
            once = self.start != self.end
            second = np.cumsum(1 + once)[once] - 1
            start[second], end[second] = self.end[once], self.start[once]
        return start, end

    def named(self, found: Any, are_vertices: bool) -> dict[str, np.ndarray]:
        """Return the columns of a result by ids: of vertices, or of edges. None is the id of "no vertex".

        Parameters
        ----------
        found : array of a value per vertex, or tuple (start, end, value) of edges
        are_vertices : bool, the values are vertices themselves
        """
        if isinstance(found, tuple):
            return {"source": self.ids[found[0]], "target": self.ids[found[1]], "value": found[2]}
        values = found
        if are_vertices:
            values = self.ids[found]
            if (found < 0).any():
                values = values.astype(object)
                values[found < 0] = None
        columns = {"vertex": self.ids}
        if values.ndim == 1:
            return {**columns, "value": values}
        return {**columns, **{f"step_{k}": values[:, k] for k in range(values.shape[1])}}


def from_table(table: Any, source: str = "source", target: str = "target", weight: str | None = None, *,
               directed: bool = True, vertices: Any = None) -> EdgeTable:
    """Make a graph of a table with a row per edge.

    ``coppice.graph.pagerank(from_table(frame, "from", "to")).values`` is a dict of columns, so that
    ``pandas.DataFrame(values)`` and ``polars.DataFrame(values)`` are tables of the result. Columns of numbers are not
    copied where their library gives NumPy a view; ids are renumbered as `coppice.renumber` does.

    Parameters
    ----------
    table : DataFrame of pandas or polars; table of Arrow, or any object with ``__arrow_c_stream__`` or ``__dataframe__``
        (needs pyarrow); dict of arrays; or the name of a file that ends in .csv, .csv.gz or .tsv (needs pandas or polars) or
        in .parquet (needs pyarrow, pandas or polars)
    source, target : str, the columns of the ends of the edges: integers with any gaps, or text
    weight : str, the column of the weights; None: every edge has weight 1
    directed : bool; False: an edge stands for both directions
    vertices : ids of all vertices, in the order of results, if there are some without edges; default: the sorted ids of the
        edges

    Returns
    -------
    EdgeTable

    Raises
    ------
    ValueError
        If a column does not exist or has missing values, or an end of an edge is not among `vertices`.
    TypeError
        If ids are neither integers nor text, or the table is of no known kind.

    Examples
    --------
    >>> import coppice
    >>> flights = coppice.graph.from_table({"from": ["BER", "CDG"], "to": ["CDG", "JFK"]}, "from", "to")
    >>> coppice.graph.bfs(flights, source="BER").values["value"]
    array([0, 1, 2])
    """
    columns = [source, target] if weight is None else [source, target, weight]
    read = _reader(table, columns)
    ends = [_ids_of(name, read(name)) for name in columns[:2]]
    weights = None if weight is None else _weights_of(weight, read(weight))
    if weights is not None and len(weights) != len(ends[0]):
        raise ValueError(f"column {weight!r} has {len(weights)} rows, expected {len(ends[0])} as column {source!r}")
    found = renumber(*ends)
    if vertices is None:
        return EdgeTable(found.start, found.end, weights, found.ids, directed)
    return EdgeTable(*_placed(found, vertices), weights=weights, ids=np.asarray(vertices), directed=directed)


def from_edge_index(edge_index: Any, weight: Any = None, *, vertices: int | None = None, directed: bool = True) -> EdgeTable:
    """Make a graph of an array of two rows, the ends of the edges, as PyTorch Geometric has them.

    Parameters
    ----------
    edge_index : (2, m) array or tensor of integers, numbers of vertices from 0
    weight : (m,) array or tensor, the weights of the edges; None: 1
    vertices : int, the number of vertices; default: the largest number, plus 1
    directed : bool; False: an edge stands for both directions (PyTorch Geometric stores both, which is ``directed=True``)

    Returns
    -------
    EdgeTable, whose ids are 0 to n - 1

    Examples
    --------
    >>> import coppice
    >>> edges = coppice.graph.from_edge_index([[0, 1], [1, 2]])
    >>> coppice.graph.bfs(edges, source=0).values["value"]
    array([0, 1, 2])
    """
    if vertices is not None:
        vertices = integer("vertices", vertices, 0, 2**31 - 1)
    start, end, weights = edge_index_arrays(edge_index, weight, vertices)
    if vertices is None:
        vertices = 1 + max(int(start.max()), int(end.max())) if len(start) else 0
    return EdgeTable(start, end, weights, np.arange(vertices), directed)


def edge_index_arrays(edge_index: Any, weight: Any, vertices: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Check the ends of edges and their weights; returns int32, int32 and float64 arrays."""
    ends = _on_host(edge_index)
    if ends.size == 0:
        ends = ends.reshape(2, 0).astype(np.int32)
    if ends.ndim != 2 or ends.shape[0] != 2 or ends.dtype.kind not in "iu":
        raise ValueError(f"edge_index has shape {ends.shape} and dtype {ends.dtype}, expected integers of shape (2, m)")
    last = 2**31 - 2 if vertices is None else vertices - 1
    if ends.size and (ends.min() < 0 or ends.max() > last):
        raise ValueError(f"edge_index has numbers from {ends.min()} to {ends.max()}, expected 0 to {last}")
    weights = None if weight is None else _weights_of("weight", _on_host(weight).reshape(-1))
    if weights is not None and len(weights) != ends.shape[1]:
        raise ValueError(f"weight has {len(weights)} elements, expected {ends.shape[1]} as edge_index has edges")
    return ends[0].astype(np.int32), ends[1].astype(np.int32), weights


def _on_host(array):
    return np.asarray(array.detach().cpu() if hasattr(array, "detach") else array)


def _placed(found, vertices):
    """Positions of the ends in the caller's list of vertices."""
    ids = np.asarray(vertices)
    order = np.argsort(ids, kind="stable")
    if len(ids) > 1 and (ids[order[1:]] == ids[order[:-1]]).any():
        raise ValueError("vertices holds an id twice, expected every vertex once")
    at = np.searchsorted(ids, found.ids, sorter=order)
    known = np.array([k < len(ids) and ids[order[k]] == id for k, id in zip(at.tolist(), found.ids)], dtype=bool)
    if not known.all():
        raise ValueError(f"vertices does not hold {found.ids[~known][0]!r}, an end of an edge")
    numbers = order[at].astype(np.int32)
    return numbers[found.start], numbers[found.end]


def _reader(table, columns):
    """A function from the name of a column to its values. Of a file, those of source, target and weight are read."""
    if isinstance(table, (str, os.PathLike)):
        table = _read_file(os.fspath(table), columns)
    if isinstance(table, Mapping):
        return lambda name: _checked(name, list(table), table.__getitem__)
    if not hasattr(table, "columns") or not hasattr(table, "__getitem__") or hasattr(table, "schema") and hasattr(
            table, "combine_chunks"):
        table = _arrow_table(table)
        return lambda name: _checked(name, table.column_names, lambda column: table.column(column).combine_chunks())
    return lambda name: _checked(name, list(table.columns), table.__getitem__)


def _checked(name, names, get):
    if name not in names:
        raise ValueError(f"the table has no column {name!r}, but {', '.join(map(repr, names))}")
    return get(name)


def _arrow_table(table):
    if not any(hasattr(table, protocol) for protocol in ("__arrow_c_stream__", "__dataframe__", "column_names")):
        raise TypeError(f"table is a {type(table).__name__}, expected a data frame, Arrow data, a dict of arrays or the name of "
                        "a file")
    pyarrow = _module("pyarrow", "Arrow data is read by pyarrow")
    if hasattr(table, "__arrow_c_stream__"):
        return pyarrow.table(table)
    import pyarrow.interchange

    return pyarrow.interchange.from_dataframe(table)


def _read_file(name, columns):
    if not os.path.exists(name):
        raise FileNotFoundError(f"table is {name!r}, which is no file")
    lower = name.lower()
    if lower.endswith(".parquet"):
        for reader in ("pyarrow", "polars", "pandas"):
            module = _module(reader)
            if module and reader == "pyarrow":
                import pyarrow.parquet

                return pyarrow.parquet.read_table(name)
            if module:
                return module.read_parquet(name)
        raise ImportError("a Parquet file needs pyarrow, polars or pandas: pip install pyarrow")
    separator = "\t" if lower.endswith((".tsv", ".tsv.gz")) else ","
    if not lower.endswith((".csv", ".csv.gz", ".tsv", ".tsv.gz")):
        raise ValueError(f"table is {name!r}, expected a file that ends in .csv, .tsv, .csv.gz, .tsv.gz or .parquet")
    if _module("pandas"):
        import pandas

        missing = {column: [""] for column in columns[:2]}  # "NA" and "null" are names
        missing.update((column, ["", "nan", "NaN", "NA", "null"]) for column in columns[2:])
        return pandas.read_csv(name, sep=separator, na_values=missing, keep_default_na=False)
    if _module("polars"):
        import polars

        return polars.read_csv(name, separator=separator)
    raise ImportError("a file with columns needs pandas or polars: pip install pandas")


def _module(name, need=None):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        if need:
            raise ImportError(f"{need}: pip install {name}") from None
        return None


def _values(name, column):
    """A column as a NumPy array; missing values are an error."""
    missing = _missing(column)
    if missing:
        raise ValueError(f"column {name!r} has {missing} missing values, expected a value in every row")
    if hasattr(column, "to_numpy"):
        try:
            return column.to_numpy(zero_copy_only=False)  # of Arrow
        except TypeError:
            return column.to_numpy()
    return _on_host(column)


def _missing(column):
    for count in ("null_count", "isna"):
        given = getattr(column, count, None)
        if given is not None:
            given = given() if callable(given) else given
            return int(given.sum()) if hasattr(given, "sum") else int(given)
    return 0


def _ids_of(name, column):
    ids = _values(name, column)
    if not ids.size:
        return np.zeros(0, dtype=np.int64)
    if ids.dtype.kind == "O":
        if all(isinstance(value, str) for value in ids):
            return ids.astype(str)
        if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in ids):
            return np.array(ids.tolist())
    if ids.dtype.kind not in "iuUS":
        raise TypeError(f"column {name!r} has dtype {ids.dtype}, expected integers or text, the ids of vertices")
    return ids


def _weights_of(name, column):
    weights = _values(name, column)
    if weights.dtype.kind not in "iufb":
        raise TypeError(f"column {name!r} has dtype {weights.dtype}, expected real numbers, the weights of edges")
    rounded = weights.astype(np.float64, copy=False)
    if weights.dtype.kind in "iu" and ((weights > 2**53).any() or (weights < -2**53).any()):
        raise ValueError(f"column {name!r} has integers beyond 2^53, which float64 does not hold exactly")
    if np.isnan(rounded).any():
        raise ValueError(f"column {name!r} has {int(np.isnan(rounded).sum())} values NaN, expected a weight in every row")
    return rounded
