# SPDX-License-Identifier: BSD-3-Clause
"""Krylov methods with SciPy's call and return conventions, and preconditioners by name."""

from __future__ import annotations

import math
import types
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _core
from ._arrays import (NO_CONVERSION, NUMBERS, REALS, array, cast, in_library_of, integer, named, number_type, real, same_type,
                      shape_of, text, to_type, tolerance, vector)
from ._pictures import curve, table
from ._places import library_of
from ._sparse import arrays_of, csr, csr_of, is_sparse, require_sound, sparse_of

if TYPE_CHECKING:
    from ._types import Array, ArrayIn, Callback, Operator, SparseMatrix

try:
    from scipy.sparse.linalg import LinearOperator
except ImportError:  # everything except preconditioners in SciPy's solvers works without it

    class LinearOperator:  # type: ignore[no-redef]
        def __init__(self, dtype, shape):
            self.dtype, self.shape = np.dtype(dtype), shape

        def matvec(self, x):
            return self._matvec(x)

        __matmul__ = matvec


__all__ = ["ColumnsSolution", "Preconditioner", "Solution", "bicg", "bicgstab", "cg", "fgmres", "gmres", "idrs", "minres",
           "preconditioner", "preconditioners", "qmr", "rigid_body_modes", "solve", "solve_columns", "solve_refined", "tfqmr"]


def preconditioners() -> dict[str, dict[str, Any]]:
    """Return the catalogue of preconditioners by name: summary, requirements, use and options.

    Examples
    --------
    >>> import coppice
    >>> coppice.preconditioners()["jacobi"]["needs_diagonal"]
    True
    """
    return {row["name"]: row for row in _core.preconditioner_catalogue()}


def rigid_body_modes(coordinates: ArrayIn) -> Array:
    """Return the rigid body modes of points: translations, then rotations about the centre.

    Parameters
    ----------
    coordinates : (points, 2) or (points, 3) array

    Returns
    -------
    (n, 3) or (n, 6) array of float64 in Fortran order with n = points * dimension; the unknowns of a point follow each
    other. For `near_null_space` of `solve` and `preconditioner`.

    Examples
    --------
    >>> import coppice
    >>> coppice.rigid_body_modes([[0, 0], [1, 0], [0, 1]]).shape
    (6, 3)
    """
    points = np.ascontiguousarray(coordinates, np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"coordinates has shape {points.shape}, expected (points, 2) or (points, 3)")
    modes = _core.rigid_body_modes(points.shape[1], points.reshape(-1))
    return np.asarray(modes).reshape((-1, points.size)).T


def preconditioner(name: str, A: SparseMatrix | ArrayIn, *, coordinates: ArrayIn | None = None,
                   near_null_space: ArrayIn | None = None, copy: bool = True, **options: str | float) -> Preconditioner:
    """Set up a preconditioner by name for a square sparse matrix.

    Parameters
    ----------
    name : str
        A name of `preconditioners()`, or a name with options: ``"forest,rounds=7"``.
    A : (n, n) scipy.sparse matrix, or a dense array or list of rows, whose zeros are dropped
    coordinates : (points, 2) or (points, 3) array, for "multilevel" and elasticity: coarse levels represent the
        `rigid_body_modes`; n = points * dimension, and the unknowns of a point follow each other.
    near_null_space : (n, k) array with k from 1 to 32, for "multilevel": vectors that coarse levels represent; with the
        option ``block`` for several unknowns per point. For a complex A also complex, with k up to 16.
    copy : bool, convert values of other types than float32, float64, complex64 and complex128; False: TypeError
    **options
        Options of the catalogue, with ``_`` for ``-``: ``charge_period=3``.

    Returns
    -------
    Preconditioner
        A SciPy ``LinearOperator``, z = M^-1 r, also for SciPy's solvers. With SciPy, ``M.T``, ``M.H`` and ``M.rmatvec(x)`` are
        the transpose and the adjoint of M^-1, for arrays of NumPy.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> M = coppice.preconditioner("jacobi", diags_array([2.0, 4.0], format="csr"))
    >>> M @ [2, 4]
    array([1., 1.])
    """
    return Preconditioner(name, A, options, copy, coordinates=coordinates, near_null_space=near_null_space)


class Preconditioner(LinearOperator):
    """M^-1 as a linear operator; returned by `preconditioner`. It has its own copy of the data that it needs.

    Pickling and copying store the arrays of the matrix, which are shared with it, and the options: the copy is set up again
    for the values that the arrays have then.

    Attributes
    ----------
    report : dict with the findings of the set-up, its options and its time.
    """

    def __init__(self, name: str, A: SparseMatrix | ArrayIn, options: dict[str, Any] | None = None, copy: bool = True, *,
                 coordinates: ArrayIn | None = None, near_null_space: ArrayIn | None = None) -> None:
        A = sparse_of("A", A, copy)
        arrays = arrays_of("A", A, square=True, copy=copy)
        self._set_up(text("name", name, "one of coppice.preconditioners()"), arrays, shape_of(A), _chosen(options or {}),
                     _near_null_space(coordinates, near_null_space, shape_of(A)[0], _is_complex(arrays[2])), "A")

    def _set_up(self, name, arrays, shape, options, near, unchecked=None):
        values = arrays[2]
        vectors, block = near
        if vectors is not None:
            vectors = _given(library_of(values).beside(vectors.astype(library_of(values).dtype(values)), values))
        self._held = _core.make_preconditioner(name, csr_of(arrays, shape, unchecked), options, vectors, block)
        self._library = library_of(values)
        self.name, self._made_of = name.split(",")[0], (name, arrays, shape, options, near)
        super().__init__(self._library.dtype(values), shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, self._made_of

    def matvec(self, x: ArrayIn) -> Array:
        """Return M^-1 x, an array of the library of the matrix.

        Parameters
        ----------
        x : (n,) or (n, 1) array of the type of the matrix
        """
        if not self._library.on_device:
            x = np.asanyarray(x)
            if x.shape not in ((self.shape[0],), (self.shape[0], 1)):
                raise ValueError(f"x has shape {x.shape}, expected ({self.shape[0]},)")
            if not np.can_cast(x.dtype, self.dtype, "same_kind"):
                raise TypeError(f"x with shape {x.shape} has dtype {x.dtype}, expected {self.dtype} as the matrix has")
            return super().matvec(x)
        x = array("x", x, (self.dtype,))
        if library_of(x) is not self._library:
            raise TypeError(f"x with shape {shape_of(x)} is of {library_of(x).name}, expected an array of "
                            f"{self._library.name} as the matrix is")
        if shape_of(x) not in ((self.shape[0],), (self.shape[0], 1)):
            raise ValueError(f"x has shape {shape_of(x)}, expected ({self.shape[0]},)")
        z = self._matvec(x.reshape(-1))
        return z.reshape(x.shape)

    def _rmatvec(self, x):
        if self._library.on_device:
            raise TypeError(f"x with shape {shape_of(x)} is of {self._library.name}: transposed applications take arrays of NumPy")
        x = np.ascontiguousarray(np.conj(x), self.dtype).reshape(-1)
        z = np.empty_like(x)
        self._held.apply_transpose(x, z)
        return np.conj(z)

    def __matmul__(self, x: Any) -> Any:
        return self.matvec(x) if self._library.on_device else super().__matmul__(x)

    def __call__(self, x: Any) -> Any:
        return self @ x

    def _matvec(self, x):
        library = self._library
        x = library.packed(x) if library.on_device else np.ascontiguousarray(x, self.dtype).reshape(-1)
        z = library.empty(x.shape, self.dtype, x)
        self._held.apply(library.given(x), library.given(z))
        return z

    def aspreconditioner(self, cycle: str | None = None) -> Preconditioner:
        """Return the preconditioner, for code that is written for PyAMG's solvers.

        Parameters
        ----------
        cycle : "V" or "W", of the preconditioner "multilevel"; another cycle than that of this object is set up again. None:
            this object

        Examples
        --------
        >>> import coppice
        >>> from scipy.sparse import diags_array
        >>> A = diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(400, 400), format="csr")
        >>> M = coppice.preconditioner("multilevel", A).aspreconditioner(cycle="V")
        >>> coppice.cg(A, A @ range(400), M=M, rtol=1e-8)[1]
        0
        """
        if cycle is None:
            return self
        wanted = text("cycle", cycle, '"V" or "W"').lower()
        if self.report["options"].get("cycle") == wanted:
            return self
        name, arrays, shape, options, near = self._made_of
        return _remade(name, arrays, shape, {**options, "cycle": wanted}, near)

    def refresh(self, A: SparseMatrix | ArrayIn) -> None:
        """Update M to the values of another matrix with the same pattern; data that depend on the pattern only are
        reused.

        Parameters
        ----------
        A : (n, n) scipy.sparse matrix; ValueError for another pattern
        """
        A = sparse_of("A", A)
        arrays = arrays_of("A", A, square=True)
        dtype = library_of(arrays[2]).dtype(arrays[2])
        if shape_of(A) != tuple(self.shape) or dtype != self.dtype:
            raise ValueError(f"A has shape {shape_of(A)} and dtype {dtype}, expected {self.shape} and {self.dtype}")
        self._held.refresh(csr_of(arrays, self.shape, "A"))
        name, _, shape, options, near = self._made_of
        self._made_of = name, arrays, shape, options, near

    @property
    def report(self) -> dict[str, Any]:
        return self._held.report

    def __repr__(self) -> str:
        return f"<coppice preconditioner {self.name!r}, {self.shape[0]} rows, {self.dtype}>"

    def _repr_html_(self) -> str:
        return table(self.name, {key: value for key, value in self.report.items() if key != "name"})


def _remade(name, arrays, shape, options, near=(None, 1)):
    """Set up a preconditioner again, for pickling and copying."""
    made = Preconditioner.__new__(Preconditioner)
    made._set_up(name, arrays, shape, options, near)
    return made


@dataclass
class Solution:
    """Result of `solve`.

    Attributes
    ----------
    x : (n,) array with the smallest true residual, which is at most that of the guess.
    converged : bool
    reason : str: converged, zero_rhs, max_iterations, slow, breakdown, stagnated or not_finite.
    iterations : int
    relative_residual : float, the true |b - A x| / |b|.
    residual_history : (iterations + 1,) array of relative residuals.
    fault : str, describes values of the input that are not finite, if there are any.
    attempts : list of dict, the methods that ``auto`` tried, in order.
    """

    x: Array = field(repr=False)
    converged: bool
    reason: str
    iterations: int
    relative_residual: float
    residual_history: Array = field(repr=False)
    restarts: int = 0
    fault: str = ""
    attempts: list[dict[str, Any]] = field(default_factory=list, repr=False)
    setup_seconds: float = 0.0
    solve_seconds: float = 0.0

    def _repr_html_(self) -> str:
        rows = {key: getattr(self, key) for key in ("reason", "iterations", "relative_residual")}
        for attempt in self.attempts:
            rows[f"{attempt['solver']} with {attempt['preconditioner']}"] = attempt["refusal"] or attempt["reason"]
        return table("solution", rows) + curve(self.residual_history)


@dataclass
class ColumnsSolution:
    """Result of `solve_columns`.

    Attributes
    ----------
    x : (n, k) array in Fortran order
    columns : list of k `Solution`, whose x are the columns of x.
    """

    x: Array = field(repr=False)
    columns: list[Solution]

    def _repr_html_(self) -> str:
        rows = {f"column {k}": f"{c.reason}, {c.iterations} iterations, {c.relative_residual:.2e}"
                for k, c in enumerate(self.columns[:20])}
        return table(f"{len(self.columns)} solutions", rows) + "".join(curve(c.residual_history) for c in self.columns[:4])

    @property
    def converged(self) -> bool:
        """Whether every column converged."""
        return all(column.converged for column in self.columns)


def solve(A: Operator | ArrayIn, b: ArrayIn, x0: ArrayIn | None = None, *, method: str = "auto",
          preconditioner: str | Operator | None = "auto", rtol: float = 1e-6, atol: float = 0.0,
          maxiter: int | None = None, restart: int = 30, s: int = 4, callback: Callback | None = None,
          progress: bool = False, copy: bool = True, coordinates: ArrayIn | None = None,
          near_null_space: ArrayIn | None = None, null_space: ArrayIn | None = None, **options: str | float) -> Solution:
    """Solve A x = b and return the solution with a report.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, or a dense array or list of rows, whose zeros are dropped. Unless method or preconditioner
        is a choice by name, also a ``LinearOperator`` or a function x -> A x.
    b : (n,) array of the type of A
    x0 : (n,) array, the starting guess; zero by default.
    method : "auto", the name of a Krylov method, "bicg" or "qmr" (for matrices), or "direct": a sparse factorisation (the preconditioner
        "direct" with gmres, which refines and checks). Of arrays on a device, it is that of cuDSS on the device if the package
        nvidia-cudss-cu13 is installed, otherwise that on the host.
    preconditioner : "auto", a name of the catalogue, an operator z = M^-1 r, or None.
    rtol, atol : float
        Stop if the true |b - A x| <= max(rtol |b|, atol).
    maxiter : int, the maximum number of iterations; 10000 by default.
    restart : int, the dimension of the Krylov space of gmres and fgmres.
    s : int, the shadow space of idrs.
    callback : function (iteration, relative residual)
    progress : bool, show a bar of tqdm with the residual.
    copy : bool
        Convert A, b and x0 to their common type as SciPy does (integers count as float64), and copy lists, other byte orders and
        arrays with gaps. False: such an argument is an error.
    coordinates, near_null_space : as in `preconditioner`; used if multilevel is given or chosen.
    null_space : (n, k) array, of a singular real A: columns that span its null space. The solution has no components along them; b
        must be in the range of A (orthogonal to them if A is symmetric). ValueError if A times a column is not 0.
    **options : of the preconditioner, by name.

    Notes
    -----
    An exception of the callback, or of the handler of a signal (KeyboardInterrupt of Ctrl-C), ends the solve and reaches
    the caller; its attribute x is the best x so far.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> found = coppice.solve(A, A @ [1, 2, 3, 4], rtol=1e-10)
    >>> found.x.round(6), found.reason
    (array([1., 2., 3., 4.]), 'converged')
    """
    given = _options(rtol, atol, 10000, maxiter, restart, s)
    text("method", method, '"auto", "direct" or the name of a Krylov method')
    if options and preconditioner in (None, "auto") and method != "direct":
        _refuse_options("solve", options)
    if method == "auto" or isinstance(preconditioner, str) or options:
        A = sparse_of("A", A, copy)
    if is_sparse(A) and (preconditioner is None or isinstance(preconditioner, str)):
        side = _side(b, A.shape[0], copy)
        matrix, values = csr("A", A, square=True, copy=copy, beside=_type_of(side))
        side, x = _vectors(side, x0, values, copy)
        near, block = _near_null_space(coordinates, near_null_space, A.shape[0], _is_complex(values))
        null = None if null_space is None else _space("null_space", null_space, A.shape[0], A.shape[0])
        with _shown(progress, callback) as told:
            found = _core.solve_automatically(method, preconditioner or "none", _chosen(options), matrix, _given(side),
                                              _given(x), given, told, near, block, null)
        return Solution(_solved(found, in_library_of(b, x)), **found)
    if null_space is not None:
        raise TypeError(f"A is a {type(A).__name__}: null_space is for scipy.sparse matrices with a preconditioner by name")
    if method == "auto" or isinstance(preconditioner, str) or options:
        raise TypeError(f"A is a {type(A).__name__} and the preconditioner a {type(preconditioner).__name__}: "
                        "method, preconditioner and its options are chosen by name for matrices, sparse or dense, alone")
    with _shown(progress, callback) as told:
        x, found = _iterate(method, A, b, x0, preconditioner, given, told, copy=copy)
    return Solution(x, **found)


def solve_columns(A: SparseMatrix | ArrayIn, B: ArrayIn, X0: ArrayIn | None = None, *, method: str,
                  preconditioner: str | Operator | None = None, rtol: float = 1e-6, atol: float = 0.0,
                  maxiter: int | None = None, restart: int = 30, s: int = 4, copy: bool = True,
                  **options: str | float) -> ColumnsSolution:
    """Solve A X = B for several right-hand sides; up to eight of them share each pass over the matrix.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix
    B : (n, k) array; copied unless it is in Fortran order.
    X0 : (n, k) array, the starting guesses; zero by default.
    method : the name of a Krylov method.
    preconditioner : a `Preconditioner`, a name of the catalogue, an operator z = M^-1 r, or None.
    rtol, atol, maxiter, restart, s, copy, **options : as in `solve`; each column stops separately.

    Notes
    -----
    An exception of the handler of a signal (KeyboardInterrupt of Ctrl-C) ends all columns and reaches the caller; its
    attribute x holds the best columns so far.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(2, 2), format="csr")
    >>> coppice.solve_columns(A, [[4, 0], [-1, 15]], method="cg", rtol=1e-10).x.round(6)
    array([[1., 1.],
           [0., 4.]])
    """
    given = _options(rtol, atol, 10000, maxiter, restart, s)
    text("method", method, "the name of a Krylov method")
    A = sparse_of("A", A, copy)
    if not is_sparse(A):
        raise TypeError(f"A is a {type(A).__name__}, expected a scipy.sparse matrix or array")
    sides = array("B", B, copy=copy)
    matrix, values = csr("A", A, square=True, copy=copy, beside=_type_of(sides))
    library = library_of(values)
    dtype = library.dtype(values)
    sides = _columns("B", sides, A.shape[0], values, copy)
    x = library.zeros(sides.shape, dtype, sides) if X0 is None else library.copy(_columns("X0", X0, A.shape[0], values, copy))
    if x.shape != sides.shape:
        raise ValueError(f"X0 has shape {x.T.shape}, expected {sides.T.shape} as B has")
    if isinstance(preconditioner, str):
        preconditioner = Preconditioner(preconditioner, A, options, copy)
    elif options:
        _refuse_options("solve_columns", options)
    held = _held(preconditioner, library.empty((A.shape[0],), dtype, sides), B, copy)
    found, raised = _core.solve_columns(method, matrix, held, _given(sides), _given(x), len(x), given)
    _solved({"raised": raised}, in_library_of(B, x.T))
    columns = [Solution(in_library_of(B, column), **told) for column, told in zip(x, found)]
    return ColumnsSolution(in_library_of(B, x.T), columns)


def solve_refined(A: SparseMatrix | ArrayIn, b: ArrayIn, x0: ArrayIn | None = None, *, method: str = "gmres",
                  preconditioner: str | None = "forest", rtol: float = 1e-10, atol: float = 0.0,
                  maxiter: int | None = None, restart: int = 20, s: int = 4, callback: Callback | None = None,
                  progress: bool = False, copy: bool = True, **options: str | float) -> Solution:
    """Solve A x = b in mixed precision: Krylov steps in float32, residuals and x in float64.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix of real numbers
    b : (n,) array of real numbers
    method : the name of a Krylov method, for the inner solves.
    preconditioner : a name of the catalogue, set up in float32 (``"isai,storage=half"``: in half precision), or None.
    x0, rtol, atol, maxiter, restart, s, callback, progress, copy, **options : as in `solve`; the type is float64.

    Returns
    -------
    Solution
        `restarts` counts the refinements; the reason is "stagnated" if A is too ill-conditioned for float32.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> coppice.solve_refined(A, A @ [1, 2, 3, 4], rtol=1e-12).x.round(9)
    array([1., 2., 3., 4.])
    """
    given = _options(rtol, atol, 10000, maxiter, restart, s)
    text("method", method, "the name of a Krylov method")
    A = sparse_of("A", A, copy)
    matrix, values = csr("A", A, REALS if copy else REALS[1:], square=True, copy=copy, beside=REALS[1])
    largest = library_of(values).largest(values)
    if float(np.finfo(np.float32).max) < largest < np.inf:
        raise ValueError(f"A with shape {shape_of(A)} holds values up to {largest:.3g}, expected values in the range "
                         "of float32")
    side, x = _vectors(_side(b, A.shape[0], copy), x0, values, copy)
    name = preconditioner or "none"
    with _shown(progress, callback) as told:
        found = _core.solve_refined(method, name, _chosen(options), matrix, _given(side), _given(x), given, told)
    x = _solved(found, in_library_of(b, x))
    attempt = {"solver": method, "preconditioner": name, "refusal": "", "setup": found.pop("setup"),
               "setup_seconds": found["setup_seconds"], "solve_seconds": found["solve_seconds"],
               "reason": found["reason"], "iterations": found["iterations"]}
    return Solution(x, attempts=[attempt], **found)


def cg(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
       maxiter: int | None = None, M: Operator | None = None,
       callback: Callable[[Any], object] | None = None, progress: bool = False, copy: bool = True) -> tuple[Array, int]:
    """Conjugate gradients, for symmetric (Hermitian) positive definite A; call and result as in
    ``scipy.sparse.linalg.cg``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    x0 : (n,) array, the starting guess, or "Mb": M b
    rtol, atol : float
        Stop if the true |b - A x| <= max(rtol |b|, atol).
    maxiter : int, 10 n by default
    M : operator z = M^-1 r: a `preconditioner` of coppice, a ``LinearOperator``, a matrix or a function; by default the
        method ``psolve`` of A if it has one, as in SciPy
    callback : function (x), called after every iteration with the current x, which must not be changed or stored
    progress : bool, show a bar of tqdm with the residual
    copy : bool
        Convert A, b and x0 to their common type as SciPy does (integers count as float64), and copy lists, other byte orders and
        arrays with gaps. False: such an argument is an error.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int
        0: converged; positive: number of iterations without convergence (limit, stagnation); negative: breakdown, or
        input that is not finite.

    Notes
    -----
    An exception of the callback, or of the handler of a signal (KeyboardInterrupt of Ctrl-C), ends the solve and reaches
    the caller; its attribute x is the best x so far.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.cg(A, A @ [1, 2, 3, 4], rtol=1e-10, M=coppice.preconditioner("jacobi", A))
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    return _scipy("cg", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)


def minres(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, shift: float = 0.0,
           maxiter: int | None = None, M: Operator | None = None,
           callback: Callable[[Any], object] | None = None, show: bool = False, check: bool = False, atol: float = 0.0,
           progress: bool = False, copy: bool = True) -> tuple[Array, int]:
    """MINRES, for symmetric (Hermitian) indefinite A with a positive definite M; as ``scipy.sparse.linalg.minres``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    shift : float, solve (A - shift I) x = b
    show : bool, print how the solve ended
    check : bool
        Raise ValueError if <A y, A y> and <y, A A y> differ for a vector y: A is not symmetric; the same for M.
    x0, rtol, atol, maxiter, M, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.minres(A, A @ [1, 2, 3, 4], rtol=1e-10)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    if check:
        _require_symmetric("A", A, b)
        if M is not None:
            _require_symmetric("M", M, b)
    if real("shift", shift) != 0:
        A = _shifted(A, shift)
    x, info = _scipy("minres", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)
    if show:
        print(f"MINRES: {'converged' if info == 0 else 'not converged'}, info {info}")
    return x, info


def bicgstab(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
             maxiter: int | None = None, M: Operator | None = None,
             callback: Callable[[Any], object] | None = None, progress: bool = False,
             copy: bool = True) -> tuple[Array, int]:
    """BiCGStab, for any square A, preconditioned from the right.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    x0, rtol, atol, maxiter, M, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.bicgstab(A, A @ [1, 2, 3, 4], rtol=1e-10)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    return _scipy("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)


def bicg(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
         maxiter: int | None = None, M: Operator | None = None,
         callback: Callable[[Any], object] | None = None, progress: bool = False,
         copy: bool = True) -> tuple[Array, int]:
    """BiCG, for any square A with products with A^H; as ``scipy.sparse.linalg.bicg``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, dense array, or ``LinearOperator`` with ``rmatvec``
    b : (n,) or (n, 1) array
    M : operator z = M^-1 r with ``rmatvec``: a `preconditioner` of coppice, a ``LinearOperator`` or a matrix
    x0, rtol, atol, maxiter, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -2.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.bicg(A, A @ [1, 2, 3, 4], rtol=1e-10, M=coppice.preconditioner("ilu0", A))
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    return _scipy("bicg", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)


def qmr(A: Operator, b: ArrayIn, x0: ArrayIn | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
        maxiter: int | None = None, M1: Operator | None = None, M2: Operator | None = None,
        callback: Callable[[Any], object] | None = None, progress: bool = False,
        copy: bool = True) -> tuple[Array, int]:
    """QMR, for any square A with products with A^H; as ``scipy.sparse.linalg.qmr``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, dense array, or ``LinearOperator`` with ``rmatvec``
    b : (n,) or (n, 1) array
    M1, M2 : operators with ``rmatvec``, or matrices, with M2 M1 r ≈ A^-1 r; one of them may also be a `preconditioner`
        of coppice. The product is applied from the right, so the residual is b - A x.
    x0, rtol, atol, maxiter, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -2.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.qmr(A, A @ [1, 2, 3, 4], rtol=1e-10, M1=coppice.preconditioner("ilu0", A))
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    M = M2 if M1 is None else M1
    if M1 is not None and M2 is not None:
        from scipy.sparse.linalg import aslinearoperator

        M = aslinearoperator(M2) @ aslinearoperator(M1)
    return _scipy("qmr", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)


def tfqmr(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
          maxiter: int | None = None, M: Operator | None = None,
          callback: Callable[[Any], object] | None = None, show: bool = False, progress: bool = False,
          copy: bool = True) -> tuple[Array, int]:
    """Transpose-free QMR, for any square A, preconditioned from the right; as ``scipy.sparse.linalg.tfqmr``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    maxiter : int, the maximum number of iterations of two products with A; SciPy counts half of that as one.
    show : bool, print how the solve ended
    x0, rtol, atol, M, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.tfqmr(A, A @ [1, 2, 3, 4], rtol=1e-10)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    x, info = _scipy("tfqmr", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy)
    if show:
        print(f"TFQMR: {'converged' if info == 0 else 'not converged'}, info {info}")
    return x, info


def idrs(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, s: int = 4, rtol: float = 1e-5, atol: float = 0.0,
         maxiter: int | None = None, M: Operator | None = None,
         callback: Callable[[Any], object] | None = None, progress: bool = False,
         copy: bool = True) -> tuple[Array, int]:
    """IDR(s), for any square A.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    s : int from 1 to 8, the vectors of the shadow space
    x0, rtol, atol, maxiter, M, callback, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.idrs(A, A @ [1, 2, 3, 4], rtol=1e-10, s=2)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    return _scipy("idrs", A, b, x0, rtol, atol, maxiter, M, callback, progress, copy, s=s)


def gmres(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
          restart: int | None = None, maxiter: int | None = None, M: Operator | None = None,
          callback: Callable[[Any], object] | None = None, callback_type: str | None = None,
          progress: bool = False, copy: bool = True) -> tuple[Array, int]:
    """GMRES(restart), for any square A, preconditioned from the right; as ``scipy.sparse.linalg.gmres``.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    restart : int, the dimension of the Krylov space, min(20, n) by default
    maxiter : int, restart cycles, 10 n by default
    callback : function, called as `callback_type` specifies
    callback_type : str
        "pr_norm": with the relative residual, after every inner iteration. "x": with x, after every cycle. "legacy": as
        "pr_norm", and `maxiter` counts inner iterations; the default if there is a callback, with SciPy's
        DeprecationWarning.
    x0, rtol, atol, M, progress, copy
        As in `cg`.

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`; `maxiter` if this limit is reached

    Notes
    -----
    SciPy preconditions from the left, and its callback receives the norm of the preconditioned residual.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.gmres(A, A @ [1, 2, 3, 4], rtol=1e-10, restart=3)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    if callback is not None and callback_type is None:
        warnings.warn("coppice.gmres called without specifying `callback_type`: with SciPy, the default will change. State "
                      "it: gmres(..., callback_type='pr_norm'), or 'legacy' for the present default", DeprecationWarning,
                      stacklevel=2)
    return _with_restart("gmres", A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type or "legacy",
                         progress, copy)


def fgmres(A: Operator, b: ArrayIn, x0: ArrayIn | str | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
           restart: int | None = None, maxiter: int | None = None, M: Operator | None = None,
           callback: Callable[[Any], object] | None = None, callback_type: str = "pr_norm",
           progress: bool = False, copy: bool = True) -> tuple[Array, int]:
    """Flexible GMRES; M may differ between applications.

    Parameters
    ----------
    A : (n, n) scipy.sparse matrix, ``LinearOperator``, dense array or function x -> A x
    b : (n,) or (n, 1) array
    x0, rtol, atol, restart, maxiter, M, callback, callback_type, progress, copy
        As in `gmres`; the default of `callback_type` is "pr_norm".

    Returns
    -------
    x : (n,) array, the best by its true residual
    info : int, as of `cg`

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import diags_array
    >>> A = diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")
    >>> x, info = coppice.fgmres(A, A @ [1, 2, 3, 4], rtol=1e-10, M=lambda r: r / 4)
    >>> x.round(6), info
    (array([1., 2., 3., 4.]), 0)
    """
    return _with_restart("fgmres", A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type, progress, copy)


def _with_restart(method, A, b, x0, rtol, atol, restart, maxiter, M, callback, callback_type, progress, copy):
    if callback_type not in ("pr_norm", "legacy", "x"):
        raise ValueError(f'callback_type is {callback_type!r}, expected "pr_norm", "legacy" or "x"')
    n = max(1, np.shape(b)[0] if np.ndim(b) else 1)
    restart = min(20 if restart is None else integer("restart", restart, 1, 1000), n)
    cycles = integer("maxiter", 10 * n if maxiter is None else maxiter, 0)
    if _checked(callback) is not None and callback_type == "x":
        return _by_cycles(method, A, b, x0, rtol, atol, restart, cycles, M, callback, progress, copy)
    counts_inner = callback is not None and callback_type == "legacy"
    limit = cycles * (1 if counts_inner else restart)
    given = _options(rtol, atol, limit, None, restart, 4)
    told = None if callback is None else lambda iteration, residual: callback(np.float64(residual))
    with _shown(progress, told) as told:
        x, found = _iterate(method, A, b, x0, M, given, told, copy=copy)
    return x, cycles if found["iterations"] >= limit and not found["converged"] else _info(found)


def _by_cycles(method, A, b, x0, rtol, atol, restart, cycles, M, callback, progress, copy):
    """Solve with a call of the library per cycle, after which x is known."""
    given, x = _options(rtol, atol, restart, None, restart, 4), x0
    for _ in range(cycles):
        with _shown(progress, None) as told:
            x, found = _iterate(method, A, b, x, M, given, told, copy=copy)
        if found["iterations"]:
            callback(x)
        if found["reason"] != "max_iterations":
            return x, _info(found)
    return (x, cycles) if cycles else _iterate(method, A, b, x, M, _options(rtol, atol, 0, None, restart, 4), None, copy=copy)


def _scipy(method, A, b, x0, rtol, atol, maxiter, M, callback, progress, copy, s=4):
    given = _options(rtol, atol, 10 * max(1, np.shape(b)[0] if np.ndim(b) else 1), maxiter, 30, s)
    now = []  # x, once it is available
    told = None if _checked(callback) is None else lambda iteration, residual: callback(in_library_of(b, now[0]))
    with _shown(progress, told) as told:
        x, found = _iterate(method, A, b, x0, M, given, told, now, copy)
    return x, _info(found)


class _Shifted:
    """A - shift I as an operator."""

    def __init__(self, A, shift):
        for name in ("shape", "dtype"):
            if hasattr(A, name):
                setattr(self, name, getattr(A, name))
        self._product, self._shift = _product_of("A", A), shift

    def matvec(self, x):
        return self._product(x) - self._shift * x


def _shifted(A, shift):
    """Return A - shift I; a sparse matrix of SciPy remains one."""
    if not (is_sparse(A) and hasattr(A, "format")):
        return _Shifted(np.asarray(A) if isinstance(A, (list, tuple)) else A, shift)
    from scipy.sparse import eye_array

    require_sound("A", A)
    return A.tocsr() - shift * eye_array(A.shape[0], format="csr")


def _require_symmetric(name, operator, b):
    """Raise ValueError unless <B y, B y> = <y, B B y> for y = b, the criterion of SciPy."""
    product, y = _product_of(name, operator), np.asarray(b).reshape(-1)
    first = np.asarray(product(y)).reshape(-1)
    second = np.asarray(product(first)).reshape(-1)
    expected, found = np.vdot(first, first), np.vdot(y, second)
    if abs(expected - found) > (abs(expected) + 1e-300) * np.finfo(np.float64).eps ** (1 / 3):
        raise ValueError(f"{name} is not symmetric: <{name} b, {name} b> is {expected:.6g}, <b, {name} {name} b> {found:.6g}, "
                         "expected equal numbers")


def _is_complex(values):
    return library_of(values).dtype(values).kind == "c"


def _near_null_space(coordinates, vectors, n, is_complex):
    """Return the vectors, one after the other, in host memory, or None; and the unknowns per point. float64, of a complex
    matrix complex128 if complex ones are given."""
    if coordinates is None and vectors is None:
        return None, 1
    if coordinates is not None and vectors is not None:
        raise TypeError("coordinates and near_null_space both give near-null-space vectors, expected one of the two")
    if coordinates is not None:
        modes = rigid_body_modes(coordinates)
        if modes.shape[0] != n:
            raise ValueError(f"coordinates has shape {np.shape(coordinates)}, expected {n} elements as A has {n} rows")
        return modes.T.reshape(-1), np.shape(coordinates)[1]
    complex_vectors = np.iscomplexobj(vectors)
    if complex_vectors and not is_complex:
        raise TypeError("near_null_space is complex, expected real vectors as A is real")
    return _space("near_null_space", vectors, n, 16 if is_complex else 32, np.complex128 if complex_vectors else np.float64), 1


def _space(name, vectors, n, most, dtype=np.float64):
    """Return the columns of an (n, k) array, one after the other, as float64 or complex128 in host memory."""
    vectors = np.asarray(vectors, dtype)
    if vectors.ndim != 2 or vectors.shape[0] != n or not 1 <= vectors.shape[1] <= most:
        raise ValueError(f"{name} has shape {vectors.shape}, expected ({n}, k) with k from 1 to {most}")
    return vectors.T.reshape(-1)


def _options(rtol, atol, standard, maxiter, restart, s):
    """Check the numbers; `standard` is the limit of iterations if maxiter is None."""
    if atol is None or isinstance(atol, str):
        raise ValueError(f"atol is {atol!r}, expected a number from 0")
    limit = integer("maxiter", standard if maxiter is None else maxiter, 0)
    return _core.KrylovOptions(tolerance("rtol", rtol), tolerance("atol", atol), min(limit, 2**62), integer("restart", restart, 1, 1000),
                               integer("s", s, 1, _core.max_shadow_space))


def _solves_of(A, method):
    """Return the operator z = M^-1 r of the methods ``psolve`` and ``rpsolve`` (adjoint) of A, as SciPy; None without them."""
    solve, adjoint = getattr(A, "psolve", None), getattr(A, "rpsolve", None)
    if solve is None or adjoint is None:
        return solve
    if method == "qmr":
        return types.SimpleNamespace(matvec=lambda r: solve(solve(r, "left"), "right"),
                                     rmatvec=lambda r: adjoint(adjoint(r, "right"), "left"))
    return types.SimpleNamespace(matvec=solve, rmatvec=adjoint)


def _iterate(method, A, b, x0, M, given, callback, now=None, copy=True):
    if M is None:
        M = _solves_of(A, method)
    A = np.asarray(A) if copy and isinstance(A, (list, tuple)) else A
    side = _side(b, shape_of(A)[0] if is_sparse(A) else None, copy)
    if is_sparse(A):
        matrix, values = csr("A", A, canonical=False, square=True, copy=copy, beside=_type_of(side))
    else:
        side = _of_operator(A, side, copy)
        matrix, values = _function("A", A, side, b), side
    side, x = _vectors(side, _multiplied("M", M, side) if isinstance(x0, str) and x0 == "Mb" else x0, values, copy)
    if now is not None:
        now.append(x)
    held = _held(M, x, b, copy)
    if method in ("bicg", "qmr"):
        matrix = matrix if is_sparse(A) else (matrix, _adjoint_function("A", A, side, b))
        held = held if M is None or held is getattr(M, "_held", None) else (held, _adjoint_function("M", M, x, b))
    found = _core.solve_krylov(method, matrix, held, _given(side), _given(x), given, callback)
    return _solved(found, in_library_of(b, x)), found


def _solved(found, x):
    """Return x, or raise the exception that ended the solve, with the best x so far as its attribute."""
    raised = found.pop("raised")
    if raised is not None:
        raised.x = x
        raise raised
    return x


def _held(M, like, b, copy):
    """Convert M to an argument of the library."""
    if M is None:
        return None
    if not isinstance(M, Preconditioner):
        return _function("M", np.asarray(M) if copy and isinstance(M, (list, tuple)) else M, like, b)
    n, dtype = like.shape[0], _type_of(like)
    if M.shape != (n, n):
        raise ValueError(f"M has shape {M.shape}, expected ({n}, {n}) as b has shape ({n},)")
    if M.dtype == dtype:
        return M._held
    if not copy or library_of(like).on_device or not np.can_cast(dtype, M.dtype, "same_kind"):
        raise TypeError(f"M with shape {M.shape} has dtype {M.dtype}, expected {dtype} as b has{'' if copy else NO_CONVERSION}")
    return _function("M", M, like, b)


def _refuse_options(function, options):
    raise TypeError(f"{', '.join(options)}: not an argument of {function}, which takes others only as options of a preconditioner that "
                    "is given by name")


def _chosen(options):
    return {key.replace("_", "-"): _text(key, value) for key, value in options.items()}


def _checked(callback):
    if callback is not None and not callable(callback):
        raise TypeError(f"callback is {callback!r}, expected a function")
    return callback


@contextmanager
def _shown(progress, callback):
    """Wrap the callback, so that it also updates the progress bar if one is requested."""
    _checked(callback)
    if not progress:
        yield callback
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True shows a bar of tqdm, which is not installed: pip install tqdm") from None
    with tqdm(unit=" iterations") as bar:

        def told(iteration, residual):
            if iteration < bar.n:  # the next attempt of "auto"
                bar.reset()
            bar.set_postfix(residual=f"{residual:.2e}", refresh=False)
            bar.update(iteration - bar.n)
            if callback is not None:
                callback(iteration, residual)

        yield told


def _given(a):
    return library_of(a).given(a)


def _type_of(a) -> np.dtype:
    return library_of(a).dtype(a)


def _side(b, n, copy):
    """Return b as a vector of n elements, if n is known."""
    b = array("b", b, copy=copy)
    if b.ndim == 2 and b.shape[1] == 1:
        b = b[:, 0]
    elif b.ndim == 2:
        raise ValueError(f"b has shape {shape_of(b)}, expected ({'n' if n is None else n},); solve_columns takes several "
                         "right-hand sides")
    return vector("b", b, n, copy=copy)


def _vectors(b, x0, values, copy):
    """Return b in the type of `values`, and a copy of the guess as the array for x."""
    b = to_type("b", b, _type_of(values), "A", copy)
    same_type("A", values, "b", b)
    library = library_of(b)
    if x0 is None:
        return b, library.zeros(b.shape, library.dtype(b), b)
    if isinstance(x0, str):
        raise ValueError(f'x0 is {x0!r}, expected an array or "Mb"')
    if getattr(x0, "ndim", 0) == 2 and x0.shape[1] == 1:
        x0 = x0[:, 0]
    x0 = to_type("x0", vector("x0", x0, b.shape[0], copy=copy), _type_of(b), "b", copy)
    same_type("b", b, "x0", x0)
    return b, library.copy(x0)


def _multiplied(name, operator, x):
    """Return the product of an operator, or the vector itself without one."""
    return x if operator is None else _product_of(name, operator)(x)


def _of_operator(A, b, copy):
    """Return b in the common type of an operator and b."""
    told = str(getattr(A, "dtype", None) or _type_of(b)).removeprefix("torch.")
    try:
        own = np.dtype(told)
        wanted = number_type(own, _type_of(b)) if copy else own
    except TypeError:  # a type that NumPy does not have
        wanted = None
    if wanted not in NUMBERS or (not copy and wanted != _type_of(b)):
        raise TypeError(f"A with shape {tuple(A.shape)} has dtype {A.dtype}, expected {named(NUMBERS)}"
                        f"{'' if copy else NO_CONVERSION}")
    return cast(b, wanted)


def _columns(name, value, n, values, copy):
    """Return (k, n): the columns of an (n, k) array, stored consecutively."""
    value = to_type(name, value, _type_of(values), "A", copy)
    if value.ndim != 2 or value.shape[0] != n:
        raise ValueError(f"{name} has shape {shape_of(value)}, expected ({n}, k)")
    same_type("A", values, name, value)
    return library_of(value).packed(value.T)


def _product_of(name, operator):
    """Return the function x -> operator x."""
    if hasattr(operator, "matvec"):
        return operator.matvec
    if hasattr(operator, "__matmul__"):
        return operator.__matmul__
    if callable(operator):
        return operator
    raise TypeError(f"{name} is a {type(operator).__name__}, expected a matrix, a LinearOperator or a function")


def _function(name, operator, like, b):
    """Wrap an operator as a function of a vector of the library of b, whose result is checked."""
    library = library_of(like)
    n, dtype = like.shape[0], library.dtype(like)
    if hasattr(operator, "shape") and tuple(operator.shape) != (n, n):
        raise ValueError(f"{name} has shape {tuple(operator.shape)}, expected ({n}, {n}) as b has shape ({n},)")
    if isinstance(operator, np.ndarray) and np.can_cast(operator.dtype, dtype, "same_kind"):
        operator = np.asarray(operator, dtype)  # NumPy would convert it in every product
    product = _product_of(name, operator)
    if library.on_device:
        return _function_on_device(name, product, library, n, dtype)
    called = name != "A"

    def apply(x):
        nonlocal called
        if not called:  # the first vector is the guess; users count products, and SciPy's tests do
            called = True
            if not x.any():
                return np.zeros(n, dtype)
        y = np.asarray(product(in_library_of(b, x)))
        if y.size != n or not np.can_cast(y.dtype, dtype, "same_kind"):
            raise ValueError(f"{name} of a vector of shape ({n},) and dtype {dtype} gave shape {y.shape} and dtype "
                             f"{y.dtype}, expected the same")
        return np.ascontiguousarray(y, dtype).reshape(n)

    return apply


def _adjoint_function(name, operator, like, b):
    """Return the function x -> B^T x of an operator B, that is, conj(B^H conj(x)), with a result that is checked."""
    if isinstance(operator, (list, tuple, np.ndarray)):
        return _function(name, np.asarray(operator).T, like, b)
    if not hasattr(operator, "rmatvec") and hasattr(operator, "T"):
        return _function(name, operator.T, like, b)
    if not hasattr(operator, "rmatvec"):
        raise TypeError(f"{name} is a {type(operator).__name__} without rmatvec, expected a matrix or a LinearOperator with "
                        "rmatvec: bicg takes products with the adjoint")
    transposed = _function(name, lambda x: np.conj(operator.rmatvec(np.conj(x))), like, b)
    return transposed


def _function_on_device(name, product, library, n, dtype):
    """The same for arrays of CuPy and PyTorch, on the stream of the solve."""

    def apply(given):
        with library.queue(given.stream):
            y = array(f"{name} of a vector", product(library.taken(given)), (dtype,))
            if math.prod(y.shape) != n:
                raise ValueError(f"{name} of a vector of shape ({n},) gave shape {shape_of(y)}, expected the same")
            return library_of(y).given(library_of(y).packed(y))

    return apply


def _info(found):
    if found["converged"]:
        return 0
    if found["reason"] in ("breakdown", "not_finite"):
        return -1
    return max(1, found["iterations"])


def _text(name, value) -> str:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (str, int, float, np.number)):
        raise TypeError(f"the option {name} is {value!r}, expected a number or a name")
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)
