# SPDX-License-Identifier: BSD-3-Clause
"""The functions of ``scipy.sparse.csgraph``, with the same arguments and results.

Coppice computes distances without predecessors, connected components of undirected graphs (and weak ones) and minimum
spanning trees, for graphs whose number of entries is large enough (`smallest`). SciPy answers all other calls: predecessors, Floyd-Warshall,
strong components, traversals, flows, matchings, smaller graphs. Arrays of sparse matrices are checked before SciPy reads
them, so that malformed ones raise ValueError.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Callable

import numpy as np
from scipy.sparse import csgraph as _scipy
from scipy.sparse import csr_array, issparse

from . import _core
from ._arrays import REALS
from ._places import HOST
from ._sparse import arrays_of, csr_of, is_sparse, require_sound
from .sparse import Matrix

if TYPE_CHECKING:  # defined at the end; "as": strict type checkers take names of other modules as private otherwise
    from scipy.sparse.csgraph import (
        laplacian as laplacian, floyd_warshall as floyd_warshall, yen as yen, breadth_first_order as breadth_first_order,
        depth_first_order as depth_first_order, breadth_first_tree as breadth_first_tree,
        depth_first_tree as depth_first_tree, reverse_cuthill_mckee as reverse_cuthill_mckee, maximum_flow as maximum_flow,
        maximum_bipartite_matching as maximum_bipartite_matching,
        min_weight_full_bipartite_matching as min_weight_full_bipartite_matching, structural_rank as structural_rank,
        construct_dist_matrix as construct_dist_matrix, reconstruct_path as reconstruct_path,
        csgraph_masked_from_dense as csgraph_masked_from_dense, csgraph_from_dense as csgraph_from_dense,
        csgraph_from_masked as csgraph_from_masked, csgraph_to_dense as csgraph_to_dense,
        csgraph_to_masked as csgraph_to_masked)

NegativeCycleError = _scipy.NegativeCycleError

smallest: int = 20_000
"""Graphs with fewer entries are answered by SciPy, whose calls cost less; 25 times as many for components, 250 times for
spanning trees, whose sequential algorithms are fast. 0: Coppice answers whenever it can."""

_ORIGINAL = {name: getattr(_scipy, name) for name in _scipy.__all__ if name != "NegativeCycleError"}


def shortest_path(csgraph: Any, method: str = "auto", directed: bool = True, return_predecessors: bool = False,
                  unweighted: bool = False, overwrite: bool = False, indices: Any = None) -> Any:
    """Lengths of shortest paths; as ``scipy.sparse.csgraph.shortest_path``.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or dense array of lengths; zeros of a dense array are no edges
    method : "auto", "FW" (answered by SciPy), "D", "BF" or "J": without predecessors all others are the same algorithm,
        delta-stepping, which also reads negative lengths
    directed : bool; False: edges in both directions, of the shorter length
    return_predecessors : bool, also return the predecessors (answered by SciPy)
    unweighted : bool, count edges
    overwrite : bool, for SciPy's calls; no argument is overwritten
    indices : source or array of sources; None: all vertices

    Returns
    -------
    dist_matrix : array of the shape of `indices` and (n,); infinity for vertices that are not reached
    predecessors : array of this shape, only if `return_predecessors`

    Raises
    ------
    NegativeCycleError
        If a cycle of negative length is reached; "J", also as the choice of "auto": if there is one.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import shortest_path
    >>> shortest_path(csr_array([[0, 2, 9], [0, 0, 3], [0, 0, 0]]), indices=0)
    array([0., 2., 5.])
    """
    if method in ("auto", "D", "BF", "J") and not return_predecessors:
        try:
            found = _distances(csgraph, directed, indices, unweighted, method != "D", method in ("auto", "J"))
        except NegativeCycleError:
            if method != "auto":
                raise
            found = None  # SciPy chooses "FW" for many edges, which has no negative loops
        if found is not None:
            return found
    return _by_scipy("shortest_path", csgraph, method, directed, return_predecessors, unweighted, overwrite, indices)


def dijkstra(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
             unweighted: bool = False, limit: float = np.inf, min_only: bool = False) -> Any:
    """Lengths of shortest paths without negative edges; as ``scipy.sparse.csgraph.dijkstra``.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As in `shortest_path`.
    limit : float, vertices that are farther away count as not reached
    min_only : bool, return the distance from the nearest source only (answered by SciPy)

    Returns
    -------
    dist_matrix, predecessors
        As in `shortest_path`.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import dijkstra
    >>> dijkstra(csr_array([[0, 2, 9], [0, 0, 3], [0, 0, 0]]), indices=[0, 1], limit=4)
    array([[ 0.,  2., inf],
           [inf,  0.,  3.]])
    """
    if not return_predecessors and not min_only and limit >= 0:
        found = _distances(csgraph, directed, indices, unweighted, negative=False)
        if found is not None:
            found[found > limit] = np.inf
            return found
    return _by_scipy("dijkstra", csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)


def bellman_ford(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
                 unweighted: bool = False) -> Any:
    """Lengths of shortest paths, also with negative edges; as ``scipy.sparse.csgraph.bellman_ford``.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As in `shortest_path`.

    Returns
    -------
    dist_matrix, predecessors
        As in `shortest_path`.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import bellman_ford
    >>> bellman_ford(csr_array([[0, 2, 9], [0, 0, -1], [0, 0, 0]]), indices=0)
    array([0., 2., 1.])
    """
    return _with_negative_edges("bellman_ford", csgraph, directed, indices, return_predecessors, unweighted)


def johnson(csgraph: Any, directed: bool = True, indices: Any = None, return_predecessors: bool = False,
            unweighted: bool = False) -> Any:
    """Lengths of shortest paths, also with negative edges; as ``scipy.sparse.csgraph.johnson``.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted
        As in `shortest_path`.

    Returns
    -------
    dist_matrix, predecessors
        As in `shortest_path`.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import johnson
    >>> johnson(csr_array([[0, 2, 9], [0, 0, -1], [0, 0, 0]]), indices=0)
    array([0., 2., 1.])
    """
    return _with_negative_edges("johnson", csgraph, directed, indices, return_predecessors, unweighted)


def _with_negative_edges(name, csgraph, directed, indices, return_predecessors, unweighted):
    """Return the distances, or the answer of SciPy's function `name`."""
    found = None if return_predecessors else _distances(csgraph, directed, indices, unweighted, everywhere=name == "johnson")
    if found is not None:
        return found
    return _by_scipy(name, csgraph, directed, indices, return_predecessors, unweighted)


def connected_components(csgraph: Any, directed: bool = True, connection: str = "weak",
                         return_labels: bool = True) -> Any:
    """Connected components; as ``scipy.sparse.csgraph.connected_components``.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or dense array
    directed : bool; False: `connection` is not used
    connection : "weak", or "strong" (answered by SciPy)
    return_labels : bool

    Returns
    -------
    n_components : int
    labels : (n,) int32 array, numbered in the order of the smallest vertices; only if `return_labels`

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import connected_components
    >>> connected_components(csr_array([[0, 0, 1], [0, 0, 0], [0, 0, 0]]))
    (2, array([0, 1, 0], dtype=int32))
    """
    kind = connection.lower() if isinstance(connection, str) else None  # others are described by SciPy
    weak = kind == "weak" or (kind == "strong" and not directed)
    graph = _graph(csgraph, 25) if weak else None
    if graph is None:
        return _by_scipy("connected_components", csgraph, directed, connection, return_labels)
    graph = graph if _core.is_undirected(graph._csr) else _both_directions(graph)
    found, facts, *_ = _core.run_graph_algorithm("components", graph._csr, {"undirected": True}, False)
    count = int(facts["components"])
    return (count, np.unique(found, return_inverse=True)[1].astype(np.int32)) if return_labels else count


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """A minimum spanning forest; as ``scipy.sparse.csgraph.minimum_spanning_tree``.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or dense array; an edge between two vertices has the smaller length of both directions
    overwrite : bool, for SciPy's calls; no argument is overwritten

    Returns
    -------
    tree : (n, n) sparse matrix with an entry for each edge of the tree, at the place of this entry in `csgraph`. Edges of
        length 0 are omitted, as in SciPy. If edges have equal lengths, SciPy may return another tree of the same length.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from coppice.csgraph import minimum_spanning_tree
    >>> minimum_spanning_tree(csr_array([[0, 1, 5], [0, 0, 2], [0, 0, 0]])).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    graph = _graph(csgraph, 250)
    if graph is None:
        return _by_scipy("minimum_spanning_tree", csgraph, overwrite)
    (start, end, lengths), *_ = _core.run_graph_algorithm("mst", _both_directions(graph)._csr, {"undirected": True}, False)
    kept = lengths != 0
    start, end, lengths = np.minimum(start, end)[kept], np.maximum(start, end)[kept], lengths[kept]
    like = csgraph if issparse(csgraph) else _scipy.csgraph_from_dense(np.zeros((0, 0)))
    upwards = _entries(graph, start, end) == lengths
    rows, columns = np.where(upwards, start, end), np.where(upwards, end, start)
    kind = type(like.tocsr())
    return kind((lengths, (rows, columns)), shape=graph.shape)


def _entries(graph, rows, columns):
    """Return the values at the places, NaN where the graph has no entry."""
    offsets, indices, values = graph._arrays
    key = np.repeat(np.arange(graph.shape[0], dtype=np.int64), np.diff(offsets)) * graph.shape[1] + indices
    wanted = rows.astype(np.int64) * graph.shape[1] + columns
    place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
    return np.where(key[place] == wanted, values[place], np.nan)


def _distances(csgraph, directed, indices, unweighted, negative=True, everywhere=False):
    """Return the distances from the sources, or None for a call that SciPy answers. `everywhere`: a negative cycle is an error
    also if no source reaches it."""
    graph = _graph(csgraph)
    if graph is None or (not negative and not unweighted and graph.nnz and graph.values.min() < 0):
        return None
    n = graph.shape[0]
    sources = np.arange(n) if indices is None else np.asarray(indices)
    if sources.dtype.kind not in "iu" or (sources.size and not -n <= sources.min() <= sources.max() < n):
        return None  # SciPy describes the error
    distinct, place = np.unique(sources % n if n else sources, return_inverse=True)
    graph = graph if directed else _both_directions(graph)
    if everywhere and not unweighted and len(distinct) < n and graph.nnz and graph.values.min() < 0:
        _distances_from(_reached_from_one_more(graph), n, False)
    found = np.empty((len(distinct), n))
    for row, source in zip(found, distinct.tolist()):
        row[:] = _distances_from(graph, source, unweighted)
    if unweighted:
        found[found < 0] = np.inf
    return found[place.reshape(sources.shape)]


def _distances_from(graph, source, unweighted):
    values, _, failure, *_ = _core.run_graph_algorithm("bfs" if unweighted else "sssp", graph._csr, {"source": source}, False)
    if failure:
        raise NegativeCycleError(f"Negative cycle detected: {failure}")
    return values


def _reached_from_one_more(graph: Matrix) -> Matrix:
    """The graph with another vertex, the last one, whose edges of length 0 lead to all others."""
    n, (offsets, indices, values) = graph.shape[0], graph._arrays
    arrays = (np.append(offsets, len(values) + n), np.append(indices, np.arange(n)), np.append(values, np.zeros(n)))
    return Matrix(csr_array(arrays[::-1], shape=(n + 1, n + 1)))


def _graph(csgraph, factor=1) -> Matrix | None:
    """Return the graph as a Matrix of float64, or None for one that SciPy handles: one with fewer than `factor` times `smallest`
    entries, with duplicate entries, which SciPy reads as parallel edges, with values that are not finite, or a masked array, whose
    zeros are edges for some methods of SciPy only."""
    least = factor * smallest
    if isinstance(csgraph, (list, tuple)) or not hasattr(csgraph, "shape") or len(csgraph.shape) != 2:
        return None
    if csgraph.shape[0] != csgraph.shape[1] or csgraph.shape[0] > np.iinfo(np.int32).max:
        return None
    if isinstance(csgraph, np.ndarray):
        if csgraph.size < least or csgraph.dtype.kind not in "biuf" or np.ma.isMaskedArray(csgraph):
            return None
        csgraph = _scipy.csgraph_from_dense(csgraph)
    if not issparse(csgraph) or csgraph.nnz < least or csgraph.dtype.kind not in "biuf":
        return None
    arrays = arrays_of("csgraph", csgraph, REALS, beside=REALS[1])
    if len(arrays[2]) < csgraph.nnz or not np.isfinite(arrays[2]).all():
        return None
    made = Matrix._of(HOST, arrays, csgraph.shape)
    made._known = csr_of(arrays, made.shape, "csgraph")
    return made


def _both_directions(graph: Matrix) -> Matrix:
    """Return the graph with every edge in both directions, of the smaller value."""
    return graph.ewise_add(graph.transpose(), "min")


def _by_scipy(name: str, *arguments: Any) -> Any:
    return _checked(_ORIGINAL[name])(*arguments)


def _checked(function: Callable) -> Callable:
    """Wrap a function of SciPy, which reads sparse matrices in compiled code, by a check of their arrays."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        for value in (*arguments, *options.values()):
            if is_sparse(value):
                require_sound("csgraph", value)
        return function(*arguments, **options)

    return call


__all__ = list(_scipy.__all__)
for _name in __all__:
    if _name not in globals():
        globals()[_name] = _checked(_ORIGINAL[_name])
