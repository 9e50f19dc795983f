# SPDX-License-Identifier: BSD-3-Clause
"""Parts of graphs with local numbers: sampled neighbourhoods, induced subgraphs, neighbourhoods of k edges; distances of all
pairs in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._arrays import integer
from ._edge_tables import EdgeTable
from ._sparse import csr, is_sparse, require_sound


class Subgraph(NamedTuple):
    """A part of a graph with local numbers from 0.

    Attributes
    ----------
    vertices : (k,) array; vertices[v] is the vertex of the graph, or its id in a table, that has the local number v
    edge_index : (2, m) int64 array, local numbers of the source and the target of every edge, as PyTorch Geometric has them
    edges : (m,) int64 array, the position of every edge in the arrays of the graph: in `data` of a CSR matrix, in the rows of a
        table. ``edge_attr[edges]`` are the attributes of the edges.
    vertices_per_hop, edges_per_hop : lists of the numbers of vertices and edges that every hop adds; the first element of
        `vertices_per_hop` is the number of seeds

    Examples
    --------
    >>> import coppice
    >>> part = coppice.graph.k_hop_subgraph(coppice.graph.from_edge_index([[0, 1], [1, 2]]), [0], 1)
    >>> part.vertices, part.vertices_per_hop
    (array([0, 1]), [1, 1])
    """

    vertices: np.ndarray
    edge_index: np.ndarray
    edges: np.ndarray
    vertices_per_hop: list[int]
    edges_per_hop: list[int]


class NeighborSampler:
    """Samples neighbourhoods of vertices for graph networks (GraphSAGE, Hamilton et al. 2017).

    Hop h draws ``fanouts[h]`` edges at every vertex that hop h - 1 added, all edges with the same probability. A sample depends
    on the seeds and the random seed only, for any number of threads. It takes O(s log s) time for s edges, independent of the size
    of the graph; the sampler holds the graph.

    Parameters
    ----------
    G : (n, n) scipy.sparse matrix with the entry (u, v) for the edge from u to v, or EdgeTable of `from_table` or
        `from_edge_index`. Parallel edges of a table are drawn separately.
    fanouts : sequence of int, the number of edges that are drawn at a vertex in every hop; -1: all
    replace : bool; False: different edges, at most as many as there are; True: independent draws
    incoming : bool; True: edges that lead to a vertex are drawn, so that messages go along edges to the seeds; False: edges that
        leave it

    Examples
    --------
    >>> import coppice
    >>> edges = coppice.graph.from_edge_index([[0, 1, 2, 3], [2, 2, 3, 0]])
    >>> part = coppice.graph.NeighborSampler(edges, [2, 1]).sample([2])
    >>> part.vertices, part.edge_index
    (array([2, 0, 1, 3]), array([[1, 2, 3],
           [0, 0, 1]]))
    """

    def __init__(self, G: Any, fanouts: Sequence[int], *, replace: bool = False, incoming: bool = True):
        self.fanouts = [integer(f"fanouts[{k}]", fanout, -1, 2**31 - 1) for k, fanout in enumerate(fanouts)]
        if replace and -1 in self.fanouts:
            raise ValueError("fanouts holds -1, all edges, and replace is True; expected numbers of edges")
        self.replace = bool(replace)
        self._rows = _Rows(G, incoming)

    def sample(self, seeds: Any, seed: int = 0) -> Subgraph:
        """Return the sampled neighbourhood.

        Parameters
        ----------
        seeds : vertices, each once; ids of a table
        seed : int from 0 to 2^64 - 1, of the random numbers; another one for each batch and epoch

        Returns
        -------
        Subgraph, whose vertices are the seeds in their order, then the new vertices of each hop
        """
        seed = integer("seed", seed, 0, 2**64 - 1)
        return self._rows.part(_core.sample_neighbors(self._rows.csr, self._rows.numbers("seeds", seeds).tolist(), self.fanouts,
                                                      self.replace, seed))


def induced_subgraph(G: Any, vertices: Any) -> Subgraph:
    """Return some vertices and all edges between them.

    Parameters
    ----------
    G : as `NeighborSampler` takes it
    vertices : vertices, each once; ids of a table

    Returns
    -------
    Subgraph, whose vertices are in the given order

    Examples
    --------
    >>> import coppice
    >>> edges = coppice.graph.from_edge_index([[0, 1, 2], [1, 2, 0]])
    >>> coppice.graph.induced_subgraph(edges, [2, 1]).edge_index.tolist()
    [[1], [0]]
    """
    rows = _Rows(G, False)
    return rows.part(_core.induced_subgraph(rows.csr, rows.numbers("vertices", vertices).tolist()))


def k_hop_subgraph(G: Any, seeds: Any, hops: int, *, incoming: bool = False) -> Subgraph:
    """Return the vertices within some edges of the seeds, and all edges between them; of one seed: its ego graph.

    Parameters
    ----------
    G : as `NeighborSampler` takes it
    seeds : vertices, each once; ids of a table
    hops : int, the largest number of edges of a path
    incoming : bool; False: paths from the seeds; True: paths to them, as ``k_hop_subgraph`` of PyTorch Geometric

    Returns
    -------
    Subgraph, whose vertices are the seeds, then the new vertices of each hop

    Examples
    --------
    >>> import coppice
    >>> edges = coppice.graph.from_edge_index([[0, 1, 2], [1, 2, 3]])
    >>> coppice.graph.k_hop_subgraph(edges, [1], 1).vertices
    array([1, 2])
    """
    rows = _Rows(G, incoming)
    return rows.part(_core.k_hop_subgraph(rows.csr, rows.numbers("seeds", seeds).tolist(), integer("hops", hops, 0, 2**31 - 1)))


def all_pairs_distances(G: Any, *, weighted: bool = False, sources: Any = None,
                        memory: int = 2**28) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the distances between all pairs of vertices, in blocks of bounded memory.

    Parameters
    ----------
    G : (n, n) scipy.sparse matrix, or EdgeTable of `from_table` or `from_edge_index`
    weighted : bool; True: entries or weights are lengths, and the shortest of parallel edges counts; False: every edge is 1 long
    sources : vertices whose distances are computed; default: all
    memory : int, bytes of a block, which has one row at least

    Yields
    ------
    (k,) array of sources, (k, n) array of the distances from each to every vertex; infinity: there is no path

    Raises
    ------
    ArithmeticError
        If there is a cycle of negative length.

    Examples
    --------
    >>> import coppice
    >>> edges = coppice.graph.from_edge_index([[0, 1], [1, 2]])
    >>> for sources, distances in coppice.graph.all_pairs_distances(edges):
    ...     print(sources, distances.tolist())
    [0 1 2] [[0.0, 1.0, 2.0], [inf, 0.0, 1.0], [inf, inf, 0.0]]
    """
    rows = _Rows(G, False, weighted=weighted)
    chosen = np.arange(rows.size, dtype=np.int32) if sources is None else rows.numbers("sources", sources)
    # levels are computed before they are converted
    count = max(1, integer("memory", memory, 1, 2**62) // max(1, rows.size * (8 if weighted else 12)))
    for first in range(0, len(chosen), count):
        block = chosen[first:first + count]
        found = _core.distances_from(rows.csr, block.tolist(), bool(weighted)).reshape(len(block), rows.size)
        if np.isnan(found).any():
            raise ArithmeticError("all_pairs_distances: there is a cycle of negative length")
        yield rows.ids(block), found


class _Rows:
    """The rows of a graph, or of its transpose, for the functions of the library; entries are positions of edges, or lengths."""

    def __init__(self, G, incoming, weighted=False):
        from scipy.sparse import csr_array

        self.table, self.incoming = (G if isinstance(G, EdgeTable) else None), bool(incoming)
        if self.table is not None:
            start, end = G.ends()
            entries = np.arange(len(G.start)) if not weighted else np.ones(len(G.start)) if G.weights is None else G.weights
            entries, self.size = G.both(entries), len(G.ids)
        elif is_sparse(G) and hasattr(G, "nnz") and hasattr(G, "tocsr"):
            if len(G.shape) != 2 or G.shape[0] != G.shape[1]:
                raise ValueError(f"G has shape {G.shape}, expected (n, n)")
            require_sound("G", G)
            stored = G.tocsr()
            self.size = G.shape[0]
            start, end = np.repeat(np.arange(self.size), np.diff(stored.indptr)), stored.indices
            entries = stored.data if weighted else np.arange(len(end))
        else:
            raise TypeError(f"G is a {type(G).__name__}, expected a scipy.sparse matrix, or an EdgeTable of from_table or "
                            "from_edge_index")
        if self.incoming:
            start, end = end, start
        order = np.lexsort((end, start))
        offsets = np.zeros(self.size + 1, dtype=np.int32)
        np.cumsum(np.bincount(start, minlength=self.size), out=offsets[1:])
        self.entries = entries[order]
        data = np.asarray(self.entries, dtype=np.float64)
        made = csr_array((data, end[order].astype(np.int32), offsets), shape=(self.size, self.size))
        self.csr = csr("G", made, square=True, canonical=False)[0]

    def numbers(self, name, vertices):
        """The positions of vertices, as a list of int32."""
        given = np.asarray(vertices).reshape(-1)
        if self.table is not None:
            return self._positions(name, given)
        if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= self.size):
            raise ValueError(f"{name} is {vertices!r}, expected numbers of vertices from 0 to {self.size - 1}")
        return given.astype(np.int32)

    def _positions(self, name, given):
        ids = self.table.ids
        if not given.size:
            return given.astype(np.int32)
        if (given.dtype.kind in "iu") != (ids.dtype.kind in "iu"):
            raise ValueError(f"{name} has dtype {given.dtype}, expected {ids.dtype} as the ids of the table have")
        order = np.argsort(ids, kind="stable")
        at = np.minimum(np.searchsorted(ids, given, sorter=order), max(self.size - 1, 0))
        known = ids[order[at]] == given if self.size else np.zeros(len(given), dtype=bool)
        if not known.all():
            raise ValueError(f"{name} holds {given[~known][0].item()!r}, which is no vertex of G")
        return order[at].astype(np.int32)

    def ids(self, numbers):
        numbers = numbers.astype(np.int64)
        return numbers if self.table is None else self.table.ids[numbers]

    def part(self, found):
        vertices, leaving, arriving, edges, of_vertices, of_edges = found
        ends = (arriving, leaving) if self.incoming else (leaving, arriving)
        return Subgraph(self.ids(vertices), np.stack(ends).astype(np.int64), self.entries[edges].astype(np.int64),
                        list(of_vertices), list(of_edges))
