# SPDX-License-Identifier: BSD-3-Clause
"""Batches of small graphs, processed as one block-diagonal graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import integer
from ._edge_tables import edge_index_arrays

if TYPE_CHECKING:
    from .graph import Answer

# Algorithms whose result at a vertex or edge depends on the component alone.
_LOCAL = ("components", "strong-components", "bridges", "biconnected", "articulation-points", "topological-levels",
          "longest-paths", "betweenness", "edge-betweenness", "triangles", "similarity", "cores", "truss", "mst", "matching",
          "b-matching", "maximal-matching", "independent-set", "colouring", "random-walks")


class GraphBatch:
    """Many small graphs, such as molecules, as one: a call takes about as long as one graph of the same total size.

    Parameters
    ----------
    graphs : list of (n, n) scipy.sparse matrices, as `coppice.graph.run` takes them; sizes may differ and be 0

    Attributes
    ----------
    matrix : (n, n) csr_array, the block-diagonal matrix
    first : (count + 1,) int64 array: graph i has the vertices first[i] to first[i + 1] - 1 of the matrix

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> path = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> coppice.graph.GraphBatch([path, path]).components()
    array([1, 1])
    """

    def __init__(self, graphs: Sequence[Any]):
        from scipy.sparse import csr_array

        rows = [graph.tocsr() for graph in map(_square, range(len(graphs)), graphs)]
        self.first = np.cumsum([0, *(graph.shape[0] for graph in rows)], dtype=np.int64)
        entries = np.cumsum([0, *(graph.nnz for graph in rows)], dtype=np.int64)
        n = int(self.first[-1])
        if n > 2**31 - 1 or entries[-1] > 2**31 - 1:
            raise OverflowError(f"graphs have {n} vertices and {entries[-1]} edges together, expected numbers below 2^31")
        if not rows:
            self.matrix = csr_array((0, 0))
            return
        counts = np.concatenate([np.diff(graph.indptr) for graph in rows])
        indices = np.concatenate([graph.indices for graph in rows]) + np.repeat(self.first[:-1], np.diff(entries))
        data = np.concatenate([graph.data for graph in rows]).astype(np.float64)
        self.matrix = csr_array((data, indices.astype(np.int32), np.append(0, np.cumsum(counts)).astype(np.int32)), shape=(n, n))

    @classmethod
    def from_edge_index(cls, edge_index: Any, batch: Any, weight: Any = None, *, count: int | None = None) -> GraphBatch:
        """Make a batch of the edges of all graphs, as PyTorch Geometric has them.

        Parameters
        ----------
        edge_index : (2, m) array or tensor of integers, ends of the edges, as numbers of vertices of all graphs
        batch : (n,) array or tensor of integers that do not decrease: the graph of every vertex
        weight : (m,) array or tensor; None: 1
        count : int, the number of graphs; default: the largest number in `batch`, plus 1
        """
        from scipy.sparse import coo_array

        of = np.asarray(batch.detach().cpu() if hasattr(batch, "detach") else batch)
        if of.ndim != 1 or of.dtype.kind not in "iu" or (np.diff(of) < 0).any() or (of < 0).any():
            raise ValueError(f"batch has shape {of.shape} and dtype {of.dtype}, expected integers of at least 0 that do not decrease")
        start, end, weights = edge_index_arrays(edge_index, weight, len(of))
        crossing = np.flatnonzero(of[start] != of[end])
        if len(crossing):
            k = int(crossing[0])
            raise ValueError(f"edge_index has an edge from {start[k]} to {end[k]}, vertices of the graphs {of[start[k]]} and "
                             f"{of[end[k]]}, expected edges within graphs")
        found = int(of[-1]) + 1 if len(of) else 0
        graphs = found if count is None else integer("count", count, found, 2**31 - 1)
        made = cls([])
        made.first = np.searchsorted(of, np.arange(graphs + 1)).astype(np.int64)
        values = np.ones(len(start)) if weights is None else weights
        made.matrix = coo_array((values, (start, end)), shape=(len(of), len(of))).tocsr()
        return made

    def __len__(self) -> int:
        return len(self.first) - 1

    def __repr__(self):
        return f"GraphBatch({len(self)} graphs, {self.matrix.shape[0]} vertices, {self.matrix.nnz} edges)"

    def run(self, name: str, **options: Any) -> Answer:
        """Run an algorithm of `coppice.graph.algorithms` on all graphs.

        The values are an array over all vertices, or edges (from, to, values) of the block-diagonal matrix; labels and mates
        are numbers within the graph. `split` makes a list of them, `sum` adds them by graph. The facts are those of all graphs.

        Parameters
        ----------
        name : str, an algorithm whose result for a vertex depends on its graph only
        **options : of the algorithm, as `coppice.graph.run` takes them

        Raises
        ------
        ValueError
            For algorithms whose result depends on the whole graph: `pagerank`, `sssp` and `bfs` are methods; closeness,
            communities and others have to be run on each graph.
        """
        from .graph import WHOLE, run

        if name not in _LOCAL:
            raise ValueError(f"{name} of a batch would depend on the other graphs, expected one of {', '.join(_LOCAL)}, or the "
                             "methods pagerank, sssp and bfs")
        answer = run(name, self.matrix, **options)
        if name in ("betweenness", "edge-betweenness"):
            answer = self._with_unordered_pairs(answer, options.get("weighted", False))
        if isinstance(answer.values, np.ndarray) and answer.values.dtype.kind == "i" and name not in WHOLE:
            base = self.first[self.graph_of_vertices]
            values = answer.values - (base if answer.values.ndim == 1 else base[:, None])
            return answer._replace(values=np.where(answer.values < 0, -1, values))
        return answer

    @property
    def graph_of_vertices(self) -> np.ndarray:
        """(n,) array: the graph of every vertex."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """Return views of an array over all vertices, one for each graph.

        Parameters
        ----------
        values : (n,) array
        """
        self._check(values)
        return np.split(values, self.first[1:-1]) if len(self) else []

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Return a (count,) array: the sums of `values` by graph; those of graphs without vertices are 0.

        Parameters
        ----------
        values : (n,) array, over all vertices
        """
        self._check(values)
        return np.bincount(self.graph_of_vertices, weights=values, minlength=len(self))

    def _check(self, values):
        if len(values) != self.matrix.shape[0]:
            raise ValueError(f"values has {len(values)} elements, expected {self.matrix.shape[0]}, the vertices of all graphs")

    def _with_unordered_pairs(self, answer, weighted):
        """Pairs of undirected graphs count once, also if other graphs are directed, so that the batch is."""
        A = self.matrix.copy()
        if not weighted:
            A.data[:] = 1
        unequal = np.asarray(abs(A - A.T).sum(axis=1)).reshape(-1)
        undirected = (self.sum(unequal) == 0)[self.graph_of_vertices]
        if undirected.all() or not undirected.any():
            return answer
        if not isinstance(answer.values, tuple):
            values = np.where(undirected, answer.values / 2, answer.values)
        else:
            start, end, scores = answer.values
            both = _matrix_of((start, end, scores), A.shape)
            once = undirected[start] & (start < end)
            scores = np.where(once, (both + both.T)[start, end] / 2, scores)
            kept = once | ~undirected[start]
            values = start[kept], end[kept], scores[kept]
        largest = values if isinstance(values, np.ndarray) else values[2]
        return answer._replace(values=values, facts={**answer.facts, "largest": float(largest.max(initial=0))})

    def components(self) -> np.ndarray:
        """(count,) int64 array: the number of connected components of every graph, which store both directions of edges."""
        labels = self.run("components").values
        return self.sum(labels == np.arange(len(labels)) - self.first[self.graph_of_vertices]).astype(np.int64)

    def pagerank(self, *, damping: float = 0.85, tolerance: float = 1e-6, max_iterations: int = 200,
                 weighted: bool = False) -> np.ndarray:
        """PageRank of every graph; the ranks of a graph sum to 1.

        They are the solution of x = damping P^T x + 1, divided by its sum, which takes restarts at vertices without edges into
        account. Raises ArithmeticError if it does not converge.

        Parameters
        ----------
        damping : float of at least 0 and below 1
        tolerance : float, of the sum of all changes of x
        max_iterations : int
        weighted : bool, read the entries as weights of at least 0
        """
        from scipy.sparse import csr_array

        from .graph import run

        A, n = self.matrix, self.matrix.shape[0]
        if n == 0:
            return np.zeros(0)
        if not 0 <= damping < 1:
            raise ValueError(f"damping is {damping}, expected at least 0 and below 1")
        weights = A.data if weighted else np.ones(A.nnz)
        if weighted and not (np.isfinite(weights).all() and (weights >= 0).all()):
            raise ValueError("graphs have weights that are negative or not finite")
        degree = np.diff(A.indptr)
        sums = np.bincount(np.repeat(np.arange(n), degree), weights=weights, minlength=n)
        shares = np.divide(weights, np.repeat(sums, degree), out=np.zeros(A.nnz), where=np.repeat(sums, degree) > 0)
        x = np.ones(n)
        if damping > 0:
            P = csr_array((shares, A.indices, A.indptr), shape=A.shape)
            x = run("katz", P, alpha=damping, tolerance=tolerance, max_iterations=max_iterations, weighted=True).values
        return x / self.sum(x)[self.graph_of_vertices]

    def sssp(self, sources: Any) -> np.ndarray:
        """(n,) array: distances from the source of the graph of every vertex; infinity: not reached. Entries are lengths.

        Parameters
        ----------
        sources : (count,) integers, numbers within the graphs from 0; -1: the graph has no source
        """
        return self._distances(sources, self.matrix.data)

    def bfs(self, sources: Any) -> np.ndarray:
        """Return an (n,) int64 array: numbers of edges from the source of the graph; -1: not reached.

        Parameters
        ----------
        sources : (count,) integers, as for `sssp`
        """
        found = self._distances(sources, np.ones(self.matrix.nnz))
        return np.where(np.isfinite(found), found, -1).astype(np.int64)

    def _distances(self, sources, lengths):
        """From a vertex more, whose edges to the sources have length 0."""
        from scipy.sparse import csr_array

        from .graph import run

        given, sizes = np.asarray(sources), np.diff(self.first)
        if given.shape != (len(self),) or given.dtype.kind not in "iu":
            raise ValueError(f"sources has shape {given.shape} and dtype {given.dtype}, expected {len(self)} integers")
        wrong = np.flatnonzero((given < -1) | (given >= sizes))
        if len(wrong):
            k = int(wrong[0])
            raise ValueError(f"sources[{k}] is {given[k]}, expected a vertex below {sizes[k]}, or -1")
        starts, A, n = (self.first[:-1] + given)[given >= 0], self.matrix, self.matrix.shape[0]
        linked = csr_array((np.concatenate([lengths, np.zeros(len(starts))]), np.concatenate([A.indices, starts]),
                            np.append(A.indptr, A.nnz + len(starts))), shape=(n + 1, n + 1))
        return run("sssp", linked, source=n).values[:n]


def _matrix_of(edges, shape):
    """The sparse matrix of edges (from, to, values)."""
    from scipy.sparse import coo_array

    return coo_array((edges[2], edges[:2]), shape=shape).tocsr()


def _square(k, graph):
    if not hasattr(graph, "tocsr") or len(graph.shape) != 2 or graph.shape[0] != graph.shape[1]:
        shape = getattr(graph, "shape", type(graph).__name__)
        raise ValueError(f"graphs[{k}] is {shape}, expected a sparse matrix of shape (n, n)")
    return graph
