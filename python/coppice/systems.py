# SPDX-License-Identifier: BSD-3-Clause
"""Least-squares problems, eigenpairs, and several shifted systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import in_library_of, integer, real, same_type, shape_of, text, to_type, tolerance, vector
from ._pictures import curve, table
from ._places import library_of
from ._sparse import csr
from .iterative import _checked, _chosen, _given, _held, _side, _solved, _type_of

if TYPE_CHECKING:
    from ._types import Array, ArrayIn, Callback, Operator, SparseMatrix

__all__ = ["Eigenpairs", "LeastSquares", "ShiftedSolutions", "eigenpairs", "least_squares", "solve_shifted"]

DOUBLE = (np.dtype("f8"),)


@dataclass
class LeastSquares:
    """Result of `least_squares`.

    Attributes
    ----------
    x : (n,) array
    converged : bool
    reason : str: residual (A x = b is solved), normal (a least-squares solution), max_iterations, stagnated, not_finite.
    iterations, restarts : int
    residual_norm : float, the true |b - A x|; with damping of the extended system.
    normal_norm : float, the true |A^T (b - A x)|.
    residual_history : (iterations + restarts + 1,) array, |b - A x| / |b| of the recurrence.
    """

    x: Array = field(repr=False)
    converged: bool
    reason: str
    iterations: int
    residual_norm: float
    normal_norm: float
    residual_history: Array = field(repr=False)
    restarts: int = 0

    def _repr_html_(self) -> str:
        rows = {key: getattr(self, key) for key in ("reason", "iterations", "residual_norm", "normal_norm")}
        return table("least squares", rows) + curve(self.residual_history)


@dataclass
class Eigenpairs:
    """Result of `eigenpairs`.

    Attributes
    ----------
    values : (k,) array, increasing; decreasing for the largest.
    vectors : (n, k) array in Fortran order, orthonormal in the product of B.
    residuals : (k,) array, |A x - lambda B x| / (|A x| + |lambda| |B x|).
    converged : bool
    reason : str: converged, max_iterations, stagnated, not_finite.
    iterations : int
    """

    values: Array
    vectors: Array = field(repr=False)
    residuals: Array
    converged: bool
    reason: str
    iterations: int


@dataclass
class ShiftedSolutions:
    """Result of `solve_shifted`.

    Attributes
    ----------
    x : (n, k) array in Fortran order, a column for each shift.
    converged : bool
    iterations : int
    relative_residuals : (k,) array, the true |b - (A + sigma I) x| / |b|.
    """

    x: Array = field(repr=False)
    converged: bool
    iterations: int
    relative_residuals: Array


def least_squares(A: SparseMatrix, b: ArrayIn, x0: ArrayIn | None = None, *, method: str = "lsmr",
                  preconditioner: str | None = "jacobi", damp: float = 0.0, rtol: float = 1e-8,
                  maxiter: int | None = None, callback: Callback | None = None,
                  **options: str | float) -> LeastSquares:
    """Minimise |b - A x|^2 + damp^2 |x|^2 for a matrix of any shape and rank.

    Parameters
    ----------
    A : (m, n) scipy.sparse matrix of real numbers
    b : (m,) array of the type of A
    x0 : (n,) array, the starting guess; zero by default.
    method : "lsmr" or "lsqr".
    preconditioner : a name of the catalogue of a symmetric preconditioner, set up for A^T A + damp^2 I, which is
        computed; "jacobi" divides by the squared column norms without that product; or None. If there are several
        solutions, the smallest one is found without a preconditioner only.
    damp : float, of the term damp^2 |x|^2.
    rtol : float
        Stop if |b - A x| <= rtol |b| or |A^T (b - A x)| <= rtol c |b - A x| with the largest column norm c; true
        residuals.
    maxiter : int, 10000 by default.
    callback : function (iteration, |b - A x| / |b|)
    **options : of the preconditioner, by name.

    Notes
    -----
    LSMR: Fong and Saunders 2011; LSQR: Paige and Saunders 1982.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> A = csr_array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> coppice.least_squares(A, [1.0, 2.0, 4.0]).x.round(6)  # the line through three points
    array([0.833333, 1.5     ])
    """
    text("method", method, '"lsmr" or "lsqr"')
    preconditioner = text("preconditioner", preconditioner or "none", "the name of a preconditioner or None")
    rows, columns = shape_of(A)
    of_caller, b = b, _side(b, rows, True)
    matrix, values = csr("A", A, beside=_type_of(b))
    b = _converted("b", b, rows, values)
    library = library_of(b)
    x = library.zeros((columns,), library.dtype(b), b) if x0 is None else library.copy(_converted("x0", x0, columns, b))
    found = _core.solve_least_squares(method, preconditioner, _chosen(options), matrix, _given(b), _given(x),
                                      real("damp", damp), tolerance("rtol", rtol),
                                      _limit(maxiter, 10000), _checked(callback))
    return LeastSquares(_solved(found, in_library_of(of_caller, x)), **found)


def eigenpairs(A: SparseMatrix, k: int = 6, *, B: SparseMatrix | None = None, M: Operator | None = None,
               X0: ArrayIn | None = None, Y: ArrayIn | None = None, largest: bool = False, rtol: float = 1e-6,
               maxiter: int | None = None, seed: int = 0, callback: Callback | None = None) -> Eigenpairs:
    """Compute the smallest eigenvalues of a symmetric matrix and their vectors by LOBPCG.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix of float64, symmetric
    k : int from 1 to 32, at most n / 3
    B : (n, n) scipy.sparse matrix of float64, symmetric positive definite: A x = lambda B x; the identity by default.
    M : operator z = M^-1 r, symmetric positive definite: a `preconditioner` of coppice, best
        ``coppice.preconditioner("multilevel", A)``, a ``LinearOperator``, a matrix or a function
    X0 : (n, k) array, start vectors; normally distributed random numbers with `seed` by default.
    Y : (n, j) array, vectors to which the eigenvectors are to be orthogonal: a null space, or known eigenvectors.
    largest : bool, the largest eigenvalues instead.
    rtol : float, the tolerance of |A x - lambda B x| / (|A x| + |lambda| |B x|).
    maxiter : int, 500 by default.
    seed : int, of the random start vectors.
    callback : function (iteration, largest of these residuals)

    Notes
    -----
    Knyazev 2001. Convergence is slow if the eigenvalue after the k-th is close to it: ask for some more pairs.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(50, 50), format="csr")
    >>> coppice.eigenpairs(A, 2).values.round(5)
    array([0.00379, 0.01516])
    """
    matrix, values = csr("A", A, DOUBLE, square=True)
    n = shape_of(A)[0]
    integer("k", k, 1, 32)
    library = library_of(values)
    mass = None if B is None else csr("B", B, DOUBLE, square=True)[0]
    if B is not None and shape_of(B) != shape_of(A):
        raise ValueError(f"B has shape {shape_of(B)}, expected {shape_of(A)} as A has")
    if X0 is None:
        start = np.random.default_rng(seed).standard_normal((k, n))
        x = library.beside(start.reshape(-1), values)
    else:
        x = _stacked("X0", X0, (n, k), values)
    constraints = None if Y is None else _given(_stacked("Y", Y, (n, None), values))
    like = library.zeros((n,), np.dtype("f8"), values)
    found = _core.lobpcg(matrix, mass, _held(M, like, like, True), _given(x), k, constraints, tolerance("rtol", rtol),
                         _limit(maxiter, 500), bool(largest), _checked(callback))
    vectors = _solved(found, in_library_of(X0 if X0 is not None else values, x.reshape((k, n)).T))
    return Eigenpairs(vectors=vectors, **found)


def solve_shifted(A: SparseMatrix, shifts: ArrayIn, b: ArrayIn, *, rtol: float = 1e-8, maxiter: int | None = None,
                  callback: Callback | None = None) -> ShiftedSolutions:
    """Solve (A + sigma I) x = b for several shifts sigma with one Krylov space (multi-shift CG).

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix of float64
    shifts : (k,) array; A + sigma I are symmetric positive definite.
    b : (n,) array of float64
    rtol : float, the tolerance of the true |b - (A + sigma I) x| / |b| of every system.
    maxiter : int, 10000 by default.
    callback : function (iteration, relative residual for the smallest shift)

    Notes
    -----
    As many products with A as CG for the smallest shift takes. There is no preconditioner. Jegerlehner 1996.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([1.0, 2.0], format="csr")
    >>> coppice.solve_shifted(A, [0.0, 1.0], [6.0, 6.0]).x.round(6)
    array([[6., 3.],
           [3., 2.]])
    """
    matrix, values = csr("A", A, DOUBLE, square=True)
    of_caller, b = b, _converted("b", b, shape_of(A)[0], values)
    shifts = np.asarray(shifts, np.float64)
    if shifts.ndim != 1:
        raise ValueError(f"shifts has shape {shifts.shape}, expected (k,)")
    library = library_of(b)
    x = library.zeros((len(shifts) * shape_of(A)[0],), library.dtype(b), b)
    found = _core.solve_shifted(matrix, shifts.tolist(), _given(b), _given(x), tolerance("rtol", rtol),
                                _limit(maxiter, 10000), _checked(callback))
    columns = in_library_of(of_caller, x.reshape((len(shifts), shape_of(A)[0])).T)
    return ShiftedSolutions(_solved(found, columns), **found)


def _limit(maxiter, standard):
    """The largest number of iterations, which the library counts as int64."""
    return min(integer("maxiter", standard if maxiter is None else maxiter, 0), 2**62)


def _converted(name, value, size, beside):
    """Return a vector of `size` elements in the type of `beside`."""
    value = to_type(name, vector(name, value, size, copy=True), _type_of(beside), "A", True)
    same_type("A", beside, name, value)
    return value


def _stacked(name: str, value: Any, shape: tuple[int, int | None], values: Any) -> Any:
    """Return the columns of an (n, k) array one after the other, as a new vector in the memory space of `values`."""
    given = np.asarray(library_of(value).to_host(value) if hasattr(value, "device") else value, np.float64)
    expected = f"({shape[0]}, {'j' if shape[1] is None else shape[1]})"
    if given.ndim != 2 or given.shape[0] != shape[0] or shape[1] not in (None, given.shape[1]):
        raise ValueError(f"{name} has shape {given.shape}, expected {expected}")
    return library_of(values).beside(np.array(given.T, order="C").reshape(-1), values)
