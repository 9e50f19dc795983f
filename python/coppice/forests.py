# SPDX-License-Identifier: BSD-3-Clause
"""Heavy edges of a sparse matrix: [0, n]-factors, linear forests, and the permutations they give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._arrays import REALS, integer, text
from ._pictures import path_lengths, table
from ._places import library_of
from ._sparse import csr, to_sparse

if TYPE_CHECKING:
    from ._types import Array, SparseMatrix

__all__ = ["Factor", "Forest", "factor", "linear_forest", "symmetrised_weights"]


@dataclass
class Factor:
    """A [0, n]-factor: at most n edges at every vertex.

    Attributes
    ----------
    neighbors : (vertices, degree) int32 array, -1 for unused slots.
    edges, rounds : int
    maximal : bool, whether it is known that no further edge can be added.
    weight, weight_coverage : float, sum of |w| over its edges, and its fraction of the total.
    """

    neighbors: Array = field(repr=False)
    degree: int
    edges: int
    rounds: int
    maximal: bool
    weight: float
    weight_coverage: float


@dataclass
class Forest:
    """A linear forest: paths that cover all vertices.

    Attributes
    ----------
    permutation : (n,) int32 array; position p of the new order holds vertex permutation[p].
    inverse : (n,) int32 array; inverse[permutation[p]] == p.
    path_offsets : (paths + 1,) int32 array; path k holds the positions from path_offsets[k] to path_offsets[k + 1].
    path_ids, positions : (n,) int32 arrays; the smaller end vertex of a vertex's path, and the steps from there.
    lower, diagonal, upper : (n,) arrays, the tridiagonal part of A along the paths, in the new order, as
        `coppice.solve_tridiagonal` takes it.
    """

    permutation: Array = field(repr=False)
    inverse: Array = field(repr=False)
    path_offsets: Array = field(repr=False)
    path_ids: Array = field(repr=False)
    positions: Array = field(repr=False)
    lower: Array = field(repr=False)
    diagonal: Array = field(repr=False)
    upper: Array = field(repr=False)
    paths: int
    longest_path: int
    cycles_broken: int
    edges: int
    weight: float
    weight_coverage: float

    def _repr_html_(self) -> str:
        names = ("paths", "longest_path", "cycles_broken", "edges", "weight_coverage")
        lengths = library_of(self.path_offsets).to_host(self.path_offsets)
        return table("linear forest", {name: getattr(self, name) for name in names}) + path_lengths(lengths)


def factor(A: SparseMatrix, degree: int = 2, *, method: Literal["parallel", "greedy"] = "parallel",
           rounds: int | None = None, ties: Literal["hash", "near"] = "hash", seed: int = 0) -> Factor:
    """A [0, degree]-factor of heavy edges of the graph of A, whose edge {i, j} weighs (|a_ij| + |a_ji|) / 2.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, float32 or float64
    degree : int from 1 to 4
    method : "parallel" or "greedy"
    rounds : int; 0: until the factor is maximal; None: until the weight hardly increases
    ties : "hash" or "near", the order of edges of equal weight
    seed : int, of that order

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([5.0, 1.0, 5.0], offsets=[1, 0, -1], shape=(3, 3), format="csr")
    >>> coppice.forests.factor(A, 1).edges
    1
    """
    matrix, values = csr("A", A, REALS, square=True)
    found = _taken(values, _core.factor(matrix, integer("degree", degree, 1, 4), *_chosen(method, rounds, ties, seed)))
    found["neighbors"] = found["neighbors"].reshape(-1, degree)
    return Factor(**found)


def linear_forest(A: SparseMatrix, *, method: Literal["parallel", "greedy"] = "parallel", rounds: int | None = None,
                  ties: Literal["hash", "near"] = "near", seed: int = 0) -> Forest:
    """The linear forest of heavy edges of A: its [0, 2]-factor with every cycle opened at its weakest edge.

    ``A[forest.permutation][:, forest.permutation]`` has the heavy edges on its first off-diagonals.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, float32 or float64
    method, rounds, ties, seed
        As in `factor`.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([5.0, 1.0, 5.0], offsets=[1, 0, -1], shape=(3, 3), format="csr")
    >>> coppice.forests.linear_forest(A).paths
    1
    """
    matrix, values = csr("A", A, REALS, square=True)
    return Forest(**_taken(values, _core.linear_forest(matrix, *_chosen(method, rounds, ties, seed))))


def symmetrised_weights(A: SparseMatrix) -> Any:
    """The weights that `factor` works with.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, float32 or float64

    Returns
    -------
    W : (n, n) sparse matrix of the library of A: (|a_ij| + |a_ji|) / 2, without its diagonal

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([5.0, 1.0, 5.0], offsets=[1, 0, -1], shape=(3, 3), format="csr")
    >>> coppice.forests.symmetrised_weights(A).toarray()[0]
    array([0., 5., 0.])
    """
    matrix, values = csr("A", A, REALS, square=True)
    return to_sparse(library_of(values), _core.symmetrised_weights(matrix))


def _chosen(method, rounds, ties, seed):
    rounds = None if rounds is None else integer("rounds", rounds, 0, 2**31 - 1)
    return (text("method", method, '"parallel" or "greedy"'), rounds, text("ties", ties, '"hash" or "near"'),
            integer("seed", seed, 0, 2**64 - 1))


def _taken(values, found):
    """Convert device results to arrays of the library of `values`."""
    take = library_of(values).taken
    return {key: take(value) if isinstance(value, _core.DeviceResult) else value for key, value in found.items()}
