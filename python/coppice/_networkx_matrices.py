# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of graphs and correlations of the degrees of neighbors in the NetworkX backend."""

from __future__ import annotations

import numpy as np

from ._networkx_common import _by_node, _iterable_of, edges_in_order
from .sparse import Matrix


def _entries(G, weight, edges=slice(None)):
    """The weights of stored edges as NumPy makes an array of them; without weights the numbers of parallel edges."""
    lengths = G.lengths(weight)
    if weight is None:
        return np.ones(len(G.indices), dtype=np.int64)[edges] if G.counts is None else np.asarray(G.counts)[edges]
    if lengths.objects is not None:
        return np.array(np.fromiter(lengths.objects, object, len(G.indices))[edges].tolist())
    return (lengths.array.astype(np.int64) if lengths.integers else lengths.array)[edges]


def _in_type(values, dtype):
    """The values, as a list converts to the type: NumPy raises OverflowError for numbers that an array would wrap."""
    if dtype is None or np.dtype(dtype).kind not in "iu" or values.dtype.kind not in "iuf":
        return values
    limits = np.iinfo(dtype)
    fits = not len(values) or limits.min <= values.min() <= values.max() < limits.max + 1
    return values if fits else np.array(values.tolist(), dtype=dtype)


def _chosen_edges(G, rows, columns, weight):
    """(Row, column, weight) of the edges from the nodes `rows` to the nodes `columns`; None: all nodes."""
    if rows is columns is None:
        return G.starts, G.indices, _entries(G, weight)
    row, column = (_places(G, nodes)[ends] for nodes, ends in ((rows, G.starts), (columns, G.indices)))
    inside = (row >= 0) & (column >= 0)
    return row[inside], column[inside], _entries(G, weight, inside)


def _places(G, nodes):
    found = np.full(len(G), -1)
    found[[G.position[node] for node in nodes]] = np.arange(len(nodes))
    return found


def _sparse(edges, shape, dtype):
    """A csr_array with sorted columns."""
    from scipy.sparse import coo_array

    row, column, values = edges
    return coo_array((_in_type(values, dtype) if len(values) else np.zeros(0), (row, column)), shape=shape, dtype=dtype).tocsr()


def _in_format(matrix, format, message):
    from networkx import NetworkXError

    try:
        return matrix.asformat("coo" if format is None else format)  # NetworkX makes a coo_array first
    except ValueError as error:
        raise NetworkXError(message.format(format)) from error


def _to_scipy_sparse_array(G, nodelist=None, dtype=None, weight="weight", format="csr"):
    from networkx import NetworkXError

    if nodelist is not None:
        if len(nodelist) == 0:
            raise NetworkXError("nodelist has no nodes")
        _require_distinct(nodelist, [node for node in nodelist if node not in G], "Node {} in nodelist is not in G")
    row, column, values = _chosen_edges(G, nodelist, nodelist, weight)
    if not G.directed and (row == column).any():  # NetworkX adds loops twice and subtracts them
        values = values.astype(np.int64) if values.dtype == bool else values
        _in_type(-values[row == column], dtype)
    n = len(G) if nodelist is None else len(nodelist)
    return _in_format(_sparse((row, column, values), (n, n), dtype), format, "Unknown sparse matrix format: {}")


def _require_distinct(nodelist, absent, message):
    from networkx import NetworkXError

    if absent:
        raise NetworkXError(message.format(absent[0]))
    if len(set(nodelist)) < len(nodelist):
        raise NetworkXError("nodelist contains duplicates.")


def _to_numpy_array(G, nodelist=None, dtype=None, order=None, multigraph_weight=sum, weight="weight", nonedge=0.0):
    if nodelist is not None:
        absent = set(nodelist) - set(G)
        _require_distinct(nodelist, [absent] if absent else [], "Nodes {} in nodelist is not in G")
    n = len(G) if nodelist is None else len(nodelist)
    found = np.full((n, n), fill_value=nonedge, dtype=dtype, order=order)
    rows, columns, values = _chosen_edges(G, nodelist, nodelist, weight)
    if not len(rows) and len(G.indices) and n and G.is_multigraph():  # as NetworkX raises it
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    found[rows, columns] = _in_type(values, dtype)
    return found


def _biadjacency_matrix(G, row_order, column_order=None, dtype=None, weight="weight", format="csr"):
    from networkx import NetworkXError

    if len(row_order) == 0:
        raise NetworkXError("row_order is empty list")
    for name, given in (("row_order", row_order), ("column_order", column_order or ())):
        if len(set(given)) < len(given):
            raise NetworkXError(f"Ambiguous ordering: `{name}` contained duplicates.")
    columns = list(set(G) - set(row_order)) if column_order is None else column_order
    edges = _chosen_edges(G, row_order, columns, weight)
    if not len(edges[0]) and len(G.indices):  # as NetworkX raises it
        raise ValueError("not enough values to unpack (expected 3, got 0)")
    matrix = _sparse(edges, (len(row_order), len(columns)), dtype)
    return _in_format(matrix, format, "Unknown sparse array format: {}")


def _number_of_selfloops(G):
    at_loops = G.starts == G.indices
    return int(np.count_nonzero(at_loops) if G.counts is None else G.counts[at_loops].sum())


def _is_empty(G):
    return not len(G.indices)


def _edges_of(G, nodes):
    """(Starts, ends) of the edges at nodes, with parallel ones, in this order of the nodes."""
    edges = edges_in_order(G, [G.position[node] for node in nodes])
    if G.counts is not None:
        edges = np.repeat(edges, G.counts[edges])
    return G.starts[edges], G.indices[edges]


def _strengths(G, side, weight=None):
    """Degrees, or sums of the weights of the edges, that lead "out", "in" or both ways ("in+out")."""
    incoming, outgoing = "in" in side, "out" in side
    if weight is None:
        return G.degrees(incoming=incoming, outgoing=outgoing) if G.directed else G.degrees()
    values = _entries(G, weight)
    if not G.directed:
        return _sums(G.starts, np.where(G.starts == G.indices, 2 * values, values), len(G))
    nothing = np.zeros(len(G), dtype=values.dtype)
    return ((_sums(G.starts, values, len(G)) if outgoing else nothing) + (_sums(G.indices, values, len(G)) if incoming else nothing))


def _sums(places, values, n):
    found = np.zeros(n, dtype=values.dtype)
    np.add.at(found, places, values)
    return found


def _node_degree_xy(G, x="out", y="in", weight=None, nodes=None):
    nodes = set(G) if nodes is None else set(nodes)
    u, v = _edges_of(G, nodes)
    inside = np.zeros(len(G), dtype=bool)
    inside[[G.position[node] for node in nodes]] = True
    u, v = u[inside[v]], v[inside[v]]
    return zip(_strengths(G, x, weight)[u].tolist(), _strengths(G, y, weight)[v].tolist())


def _node_attribute_xy(G, attribute, nodes=None):
    chosen = set(G) if nodes is None else set(nodes)
    u, v = _edges_of(G, [node for node in G if node in chosen])
    given = G.values_of_nodes(attribute)
    values = np.fromiter((given.get(node) for node in G), object, len(G))
    return zip(values[u].tolist(), values[v].tolist())


def _sums_of_neighbors(G, degrees, source, weight):
    """The sum of weight times degree over the neighbors of every node, once for each of several edges to one."""
    values = np.ones(len(G.indices), dtype=np.int64) if weight is None else _entries(G, weight).astype(np.float64)
    found = np.zeros(len(G), dtype=np.result_type(values, degrees))
    if "out" in source or not G.directed:
        found += _sums(G.starts, values * degrees[G.indices], len(G))
    if "in" in source and G.directed:
        found += _sums(G.indices, values * degrees[G.starts], len(G))
    return found


def _average_neighbor_degree(G, source="out", target="out", nodes=None, weight=None):
    sums, strengths = _sums_of_neighbors(G, _strengths(G, target), source, weight), _strengths(G, source, weight)
    averages = _by_node(G, np.divide(sums, strengths, out=np.zeros(len(G)), where=strengths != 0))
    return averages if nodes is None else {node: averages[node] for node in nodes}


def _average_degree_connectivity(G, source="in+out", target="in+out", nodes=None, weight=None):
    """NetworkX adds the degrees of successors for the source "in+out"."""
    sums = _sums_of_neighbors(G, _strengths(G, target), "in" if source == "in" else "out", weight)
    degrees, strengths = _strengths(G, source), _strengths(G, source, weight)
    found: dict = {}
    if nodes is not None:
        places = [G.position[node] for node in ([nodes] if nodes in G else nodes)]
        degrees, sums, strengths = degrees[places], sums[places], strengths[places]
    for degree, total, strength in zip(degrees.tolist(), sums.tolist(), strengths.tolist()):
        before = found.get(degree, (0, 0))
        found[degree] = before[0] + total, before[1] + strength
    return {degree: total if strength == 0 else total / strength for degree, (total, strength) in found.items()}


def _square_clustering(G, nodes=None):
    """Common neighbors of all pairs of vertices, a block of rows at a time: C = A A without loops.

    squares(v) = sum over x other than v of C(v, x) (C(v, x) - 1) / 2; NetworkX subtracts them, the triangles and the pairs of
    neighbors from the sum of the degrees of all pairs of neighbors.
    """
    from scipy.sparse import csr_array

    plain = G.starts != G.indices
    A = csr_array((np.ones(int(plain.sum())), (G.starts[plain], G.indices[plain])), shape=(len(G), len(G)))
    degree, squares, triangles = np.diff(A.indptr), np.zeros(len(G)), np.zeros(len(G))
    work = np.cumsum(A @ degree)
    right = Matrix(A)
    for first, last in _blocks(work, 2**24):
        common = Matrix(A[first:last]).mxm(right).to_scipy().tocoo()
        other = common.row + first != common.col
        squares[first:last] = np.bincount(common.row[other], (common.data * (common.data - 1))[other], last - first) / 2
        triangles[first:last] = np.asarray(A[first:last].multiply(common.tocsr()).sum(axis=1)).reshape(-1)
    potential = (degree - 1) * (A @ degree) - degree * (degree - 1) - triangles - squares
    found = _by_node(G, np.divide(squares, potential, out=np.zeros(len(G)), where=(potential > 0) & (degree > 1)))
    return found if nodes is None else found[nodes] if nodes in G else {node: found[node] for node in nodes}


def _blocks(work, limit):
    """Ranges of rows; those of several rows have at most this work, whose running sum is given."""
    first = 0
    while first < len(work):
        done = work[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(work, done + limit, side="right")))
        yield first, last
        first = last


def _entry_refusal(given):
    """Types that keep the objects are left to NetworkX."""
    G, weight = given["G"], given["weight"]
    try:
        kind = np.dtype(given["dtype"]).kind
    except TypeError:
        return "dtype is none of NumPy"
    if kind not in "iufc":
        return "dtype is not a type of numbers"
    return _parallel_refusal(G, weight)


def _parallel_refusal(G, weight):
    if weight is not None and G.is_multigraph():
        return "weights of parallel edges are added"
    return None


def _list_refusal(given):
    nodes = given.get("nodelist")
    if not (nodes is None or isinstance(nodes, (list, tuple))):
        return "nodelist is not a list of nodes"
    if given.get("multigraph_weight", sum) is not sum or not isinstance(given.get("nonedge", 0), (int, float)):
        return "multigraph_weight is not sum, or nonedge is not a number"
    return _entry_refusal(given)


def _sides_refusal(given):
    G, rows, columns = given["G"], given["row_order"], given["column_order"]
    if not (_iterable_of(rows, G) and isinstance(rows, (list, tuple))):
        return "row_order is not a list of nodes of the graph"
    if columns is not None and (not isinstance(columns, (list, tuple)) or not _iterable_of(columns, G) or set(columns) & set(rows)):
        return "column_order is not a list of other nodes of the graph"
    return _entry_refusal(given)


def _view_refusal(given):
    G = given["G"]
    if G.is_multigraph() and not (hasattr(G, "indptr") or type(G._adj) is dict):
        return "views count neighbors whose edges are all hidden"
    return None


def _members_refusal(given):
    nodes, G = given["nodes"], given["G"]
    return None if nodes is None or (nodes not in G and _iterable_of(nodes, G)) else "nodes is not a list of nodes of the graph"


def _attribute_refusal(given):
    return "attribute is None" if given["attribute"] is None else _members_refusal(given)


def _one_or_more_refusal(given):
    return None if given["nodes"] in given["G"] else _members_refusal(given)


def _degrees_refusal(given):
    if given["G"].is_directed() and not {given["x"], given["y"]} <= {"in", "out"}:
        return 'x or y is neither "in" nor "out"'
    return _members_refusal(given) or _parallel_refusal(given["G"], given["weight"])


def _neighbors_refusal(given):
    return _directions_refusal(given, "out") or _members_refusal(given)


def _connectivity_refusal(given):
    return _directions_refusal(given, "in+out") or _one_or_more_refusal(given)


def _directions_refusal(given, default):
    G, sides = given["G"], (given["source"], given["target"])
    if not (all(side in ("in", "out", "in+out") for side in sides) if G.is_directed() else sides == (default, default)):
        return "source or target is none of those that NetworkX has for the graph"
    return _parallel_refusal(G, given["weight"])


_SEVERAL = {"several": True}
_MATRIX = {"several": True, "weight": "weight", "use": "entries"}
FUNCTIONS = (
    (_to_scipy_sparse_array, "pass", {**_MATRIX, "arguments": _list_refusal}),
    (_to_numpy_array, "search", {**_MATRIX, "arguments": _list_refusal}),
    (_biadjacency_matrix, "pass", {**_MATRIX, "arguments": _sides_refusal}),
    (_number_of_selfloops, "local", _SEVERAL),
    (_is_empty, "local", {**_SEVERAL, "arguments": _view_refusal}),
    (_node_degree_xy, "pass", {"several": True, "weight": "weight", "arguments": _degrees_refusal}),
    (_node_attribute_xy, "pass", {"several": True, "node_attribute": "attribute", "arguments": _attribute_refusal}),
    (_average_neighbor_degree, "pass", {"several": True, "weight": "weight", "arguments": _neighbors_refusal}),
    (_average_degree_connectivity, "pass", {"several": True, "weight": "weight", "arguments": _connectivity_refusal}),
    (_square_clustering, "heavy", {"directed": False, "arguments": _one_or_more_refusal, "several": True}),
)
