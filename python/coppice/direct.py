# SPDX-License-Identifier: BSD-3-Clause
"""Direct solvers for tridiagonal, cyclic, block tridiagonal and banded systems."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from . import _core
from ._arrays import (contiguous, in_library_of, integer, of_one_type, out_array, require_finite, require_room, same_type,
                      shape_of, text, to_type)
from ._places import library_of, quick_tridiagonal

__all__ = [
    "Factorization", "Report", "factorize_banded", "factorize_block_tridiagonal", "factorize_tridiagonal",
    "solve_banded", "solve_block_tridiagonal", "solve_cyclic_tridiagonal", "solve_tridiagonal",
]

# struct solve_report of the library
_REPORT = np.dtype([("backward_error", "f8"), ("componentwise_error", "f8"), ("row", "i8"), ("status", "i4"),
                    ("tries", "i4"), ("condition", "f8")])
_STATUS = np.array(["ok", "singular", "not_finite", "inaccurate"])


class Report(NamedTuple):
    """Errors and status of the systems of a call; arrays have the shape of the batch, () without a batch.

    Attributes
    ----------
    backward_error : max |A x - b| / (|A| |x| + |b|) in maximum norms, the largest over right-hand sides.
    componentwise_error : max over rows of |A x - b|_i / (|A| |x| + |b|)_i.
    status : "ok", "singular", "not_finite" or "inaccurate".
    row : row of the first column without a pivot, counted from 0; -1 if every column has one.
    condition : estimate of the condition number in the 1-norm; 0 without ``condition=True``.
    tries : number of the attempt that computed the solution.
    """

    backward_error: np.ndarray
    componentwise_error: np.ndarray
    status: np.ndarray
    row: np.ndarray
    condition: np.ndarray
    tries: np.ndarray

    @property
    def ok(self) -> bool:
        """Whether every system was solved to its error bound."""
        return bool(np.all(self.status == "ok"))


def solve_tridiagonal(dl, d, du, b, *, transposed=False, pivoting="partial", method="auto", refinements=0,
                      report=False, condition=False, out=None, copy=True):
    """Solve tridiagonal systems A x = b with partial pivoting; the time is bound by memory bandwidth.

    Parameters
    ----------
    dl, d, du : (..., n) arrays or lists
        Lower, main and upper diagonal: row i reads ``dl[i] x[i-1] + d[i] x[i] + du[i] x[i+1]``. ``dl[..., 0]`` and
        ``du[..., -1]`` are ignored. Diagonals of n - 1 elements, as LAPACK takes them, are copied to length n.
    b : (..., n) or (..., n, k) array or list
        Right-hand sides: k of them if b has one dimension more than the matrix. Leading dimensions broadcast.
    transposed : bool
        Solve with the transpose of A.
    pivoting : {"partial", "scaled", "none"}
    method : {"auto", "rpts", "chain"}
    refinements : int
        Steps of iterative refinement.
    report : bool
        Also return a `Report`. A system whose backward error is too large is solved again by a safer method: on the host
        also without a report, unless ``out`` is b.
    condition : bool
        Estimate condition numbers for the report, which it implies.
    out : array of the shape of x
        Output array for x; it may be b. For several right-hand sides its last axis must have the largest stride.
    copy : bool
        Arguments of different types are converted to their common type as SciPy does: float32, float64, complex64 or
        complex128; integers count as float64. Lists, other byte orders and arrays with gaps are copied. False: such an
        argument is an error.

    Returns
    -------
    x : array of the shape of b (broadcast)
    report : Report
        Only if `report` or `condition` is true.

    Notes
    -----
    For a singular matrix x contains infinities, NaN or huge numbers, and the status in the report is "singular"; there
    is no exception. Contiguous arrays are not copied; several right-hand sides are copied unless their last axis has
    the largest stride, and a batch that broadcasts is expanded. The interpreter's lock is released.

    Examples
    --------
    >>> import coppice
    >>> coppice.solve_tridiagonal([0, 1, 1], [2, 2, 2], [1, 1, 0], [4, 8, 8])
    array([1., 2., 3.])
    >>> x, report = coppice.solve_tridiagonal([0, 1], [0, 0], [1, 0], [3, 4], report=True)
    >>> x, report.ok
    (array([4., 3.]), True)
    """
    if pivoting == "partial" and method == "auto" and out is None and not (
            transposed or refinements or report or condition):
        x = quick_tridiagonal(dl, d, du, b)
        if x is not None:
            return x
    *bands, side = of_one_type(("dl", "d", "du", "b"), (dl, d, du, b), copy=copy)
    system = _tridiagonal(*bands, False, copy)
    return _solve(system, side, b, copy, transposed, pivoting, method, refinements, report, condition, out)


def solve_cyclic_tridiagonal(dl, d, du, b, *, transposed=False, pivoting="partial", refinements=0, report=False,
                             condition=False, out=None, copy=True):
    """Solve cyclic tridiagonal systems.

    Parameters
    ----------
    dl, d, du : (..., n) arrays
        As in `solve_tridiagonal`, but ``dl[..., 0]`` couples the first row to the last unknown, ``du[..., -1]`` the last
        row to the first, and all have n elements.
    b : (..., n) or (..., n, k) array
    transposed, pivoting, refinements, report, condition, out, copy
        As in `solve_tridiagonal`.

    Returns
    -------
    x : array of the shape of b (broadcast)
    report : Report
        Only if `report` or `condition` is true.

    Examples
    --------
    >>> import coppice
    >>> coppice.solve_cyclic_tridiagonal([1, 1, 1], [3, 3, 3], [1, 1, 1], [8, 10, 12])
    array([1., 2., 3.])
    """
    *bands, side = of_one_type(("dl", "d", "du", "b"), (dl, d, du, b), copy=copy)
    system = _tridiagonal(*bands, True, copy)
    return _solve(system, side, b, copy, transposed, pivoting, "auto", refinements, report, condition, out)


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=False, *, transposed=False,
                 pivoting="partial", refinements=0, report=False, condition=False, out=None, copy=True):
    """Solve banded systems in SciPy's layout; as ``scipy.linalg.solve_banded``.

    Parameters
    ----------
    l_and_u : (int, int)
        Number of bands below and above the diagonal, each at most 8.
    ab : (..., l + u + 1, n) array
        ``ab[..., u + i - j, j]`` is A[i, j].
    b : (..., n) or (..., n, k) array
    overwrite_ab, overwrite_b : bool
        For SciPy's calls; no argument is overwritten.
    check_finite : bool
        Raise ValueError if ab or b contains infinity or NaN.
    transposed, pivoting, refinements, report, condition, out, copy
        As in `solve_tridiagonal`.

    Returns
    -------
    x : array of the shape of b (broadcast)
    report : Report
        Only if `report` or `condition` is true.

    Notes
    -----
    One band on each side of the diagonal is not copied; other bands are copied to the layout of the library. Unlike
    SciPy's function, a singular matrix is no exception, and infinity and NaN are searched for only on request.

    Examples
    --------
    >>> import coppice
    >>> coppice.solve_banded((1, 1), [[0, 1, 1], [2, 2, 2], [1, 1, 0]], [4, 8, 8])
    array([1., 2., 3.])
    """
    bands, side = of_one_type(("ab", "b"), (ab, b), copy=copy)
    if check_finite:
        require_finite("ab", bands)
        require_finite("b", side)
    system = _banded(l_and_u, bands, copy)
    return _solve(system, side, b, copy, transposed, pivoting, "auto", refinements, report, condition, out)


def solve_block_tridiagonal(lower, diagonal, upper, b, *, cyclic=False, transposed=False, pivoting="partial",
                            refinements=0, report=False, condition=False, out=None, copy=True):
    """Solve block tridiagonal systems with blocks of m x m, m from 1 to 8.

    Parameters
    ----------
    lower, diagonal, upper : (..., n, m, m) arrays
        Block row i reads ``lower[i] @ x[i-1] + diagonal[i] @ x[i] + upper[i] @ x[i+1]``. The first block of `lower`
        and the last one of `upper` are ignored unless `cyclic`. Blocks are copied to column-major order unless they
        are stored so.
    b : (..., n * m) or (..., n * m, k) array
    cyclic : bool
        These two blocks couple the first and the last block row.
    transposed, pivoting, refinements, report, condition, out, copy
        As in `solve_tridiagonal`.

    Returns
    -------
    x : array of the shape of b (broadcast)
    report : Report
        Only if `report` or `condition` is true.

    Examples
    --------
    >>> import coppice
    >>> import numpy as np
    >>> blocks = np.tile(2.0 * np.eye(2), (3, 1, 1))
    >>> coppice.solve_block_tridiagonal(0 * blocks, blocks, 0 * blocks, [2, 4, 6, 8, 10, 12])
    array([1., 2., 3., 4., 5., 6.])
    """
    *blocks, side = of_one_type(("lower", "diagonal", "upper", "b"), (lower, diagonal, upper, b), copy=copy)
    system = _blocks(*blocks, cyclic)
    return _solve(system, side, b, copy, transposed, pivoting, "auto", refinements, report, condition, out)


def factorize_tridiagonal(dl, d, du, *, cyclic=False, copy=True) -> Factorization:
    """Factorise tridiagonal systems with partial pivoting, for repeated solves.

    Parameters
    ----------
    dl, d, du : (..., n) arrays
        As in `solve_tridiagonal`.
    cyclic : bool
        The corner entries are used, as in `solve_cyclic_tridiagonal`.
    copy : bool, as in `solve_tridiagonal`

    Examples
    --------
    >>> import coppice
    >>> factors = coppice.factorize_tridiagonal([0, 1, 1], [2, 2, 2], [1, 1, 0])
    >>> factors.solve([4, 8, 8]), factors.solve([4, 8, 8], transposed=True)
    (array([1., 2., 3.]), array([1., 2., 3.]))
    """
    return Factorization(_tridiagonal(*of_one_type(("dl", "d", "du"), (dl, d, du), copy=copy), cyclic, copy))


def factorize_banded(l_and_u, ab, *, copy=True) -> Factorization:
    """Factorise banded systems with partial pivoting, for repeated solves.

    Parameters
    ----------
    l_and_u : (int, int)
    ab : (..., l + u + 1, n) array
        As in `solve_banded`.
    copy : bool, as in `solve_tridiagonal`

    Examples
    --------
    >>> import coppice
    >>> coppice.factorize_banded((0, 1), [[0, 1, 1], [2, 2, 2]]).solve([4, 7, 6])
    array([1., 2., 3.])
    """
    return Factorization(_banded(l_and_u, *of_one_type(("ab",), (ab,), copy=copy), copy))


def factorize_block_tridiagonal(lower, diagonal, upper, *, cyclic=False, copy=True) -> Factorization:
    """Factorise block tridiagonal systems with partial pivoting, for repeated solves.

    Parameters
    ----------
    lower, diagonal, upper : (..., n, m, m) arrays
    cyclic : bool
        As in `solve_block_tridiagonal`.
    copy : bool, as in `solve_tridiagonal`

    Examples
    --------
    >>> import coppice
    >>> import numpy as np
    >>> blocks = np.tile(2.0 * np.eye(2), (2, 1, 1))
    >>> coppice.factorize_block_tridiagonal(0 * blocks, blocks, 0 * blocks).solve([2, 4, 6, 8])
    array([1., 2., 3., 4.])
    """
    names = ("lower", "diagonal", "upper")
    return Factorization(_blocks(*of_one_type(names, (lower, diagonal, upper), copy=copy), cyclic))


class Factorization:
    """Factorisation of one system or of a batch; returned by the functions factorize_*.

    Stores a copy of the matrix, from which the factors of the transpose are computed when they are first needed, and from
    which unpickling and copying factorise again.

    Attributes
    ----------
    shape : shape of the batch
    n : rows of a system
    dtype : of the matrix
    """

    def __init__(self, system: _System):
        self._system = system.copy()
        self._factors = {}
        if self._system.systems:
            self._factors_of("none")

    def __reduce__(self):
        return Factorization, (self._system,)

    def __repr__(self):
        batch = f"batch {self.shape} of " if self.shape else ""
        return f"<Factorization, {batch}{self.n} rows, {self.dtype}>"

    shape = property(lambda self: self._system.batch)
    n = property(lambda self: self._system.rows)
    dtype = property(lambda self: self._system.dtype)

    @property
    def singular_rows(self) -> np.ndarray:
        """For each system, the first row without a pivot, or -1."""
        rows = self._factors_of("none").singular_rows if self._system.systems else np.zeros(0, np.int64)
        return rows.reshape(self._system.batch)

    def solve(self, b, *, transposed=False, conjugate=False, out=None, copy=True):
        """Solve A x = b with the factors.

        Parameters
        ----------
        b : (..., n) or (..., n, k) array
            As in the functions solve_*, for the batch of the factorisation; converted to its type, which must be complex
            if b is.
        transposed, conjugate : bool
            Solve A^T x = b; with both A^H x = b.
        out : array of the shape of b
            Output array for x, as in `solve_tridiagonal`.
        copy : bool, as in `solve_tridiagonal`

        Returns
        -------
        x : array of the shape of b
        """
        operation = _operation(transposed, conjugate)
        sides = _Sides(self._system, to_type("b", b, self.dtype, "the factorisation", copy), b, copy)
        if sides.batch != self._system.batch:
            raise ValueError(f"b has shape {shape_of(b)}: its batch is {sides.batch}, expected that of the "
                             f"factorisation, {self._system.batch}")
        x, given = sides.answer(out), sides.library.given
        if math.prod(x.shape):
            self._factors_of(operation).solve(given(sides.columns), given(x), sides.count)
        return sides.shaped(x, out)

    def _factors_of(self, operation):
        if operation not in self._factors:
            self._factors[operation] = _core.factorise(self._system.bands(), self._system.options(operation))
        return self._factors[operation]


class _System:
    """Checked arrays of a batch of matrices: bands (..., length, *rest) of one type."""

    def __init__(self, names, parts, *, length, block=1, bands=(-1, -1), cyclic=False, batch=()):
        self.names, self.parts, self.length, self.block = names, parts, length, block
        self.lower_upper, self.cyclic, self.batch = bands, cyclic, batch
        self.library = library_of(parts[0])
        self.dtype = self.library.dtype(parts[0])
        self.rows = length * block

    @property
    def systems(self):
        return math.prod(self.batch)

    def __reduce__(self):
        options = {"length": self.length, "block": self.block, "bands": self.lower_upper, "cyclic": self.cyclic,
                   "batch": self.batch}
        return _system_of, (self.names, self.parts, options)

    def spread(self, batch):
        """The same matrices over a larger batch."""
        if batch == self.batch:
            return self
        parts = [_spread(part, self.batch, batch) for part in self.parts]
        return _System(self.names, parts, length=self.length, block=self.block, bands=self.lower_upper,
                       cyclic=self.cyclic, batch=batch)

    def copy(self):
        return _System(self.names, [self.library.copy(part) for part in self.parts], length=self.length, block=self.block,
                       bands=self.lower_upper, cyclic=self.cyclic, batch=self.batch)

    def bands(self):
        given = [self.library.given(part) for part in self.parts]
        lower, diagonal, upper = given if len(given) == 3 else (None, given[0], None)
        return _core.Bands(lower, diagonal, upper, self.systems, self.length, self.block, *self.lower_upper)

    def options(self, operation, pivoting="partial", method="auto", refinements=0, condition=False):
        text("pivoting", pivoting, '"partial", "scaled" or "none"')
        text("method", method, '"auto", "rpts" or "chain"')
        refinements = integer("refinements", refinements, 0, 1000)
        return _core.BandOptions(pivoting, 0.0, self.cyclic, operation, method, refinements, 0.0, condition)


def _system_of(names, parts, options):
    return _System(names, parts, **options)


class _Sides:
    """Right-hand sides in the layout of the library: [columns, systems, rows]."""

    def __init__(self, system: _System, b, given, copy):
        """`given`: b as the caller passed it, in whose library the solution is returned."""
        self.given = given
        same_type(system.names[-1], system.parts[-1], "b", b)
        self.library, self.dtype = system.library, system.dtype
        n, dimensions, shape = system.rows, len(system.batch) + 1, shape_of(b)
        self.vectors = b.ndim <= dimensions
        rows = shape[-1:] if self.vectors else shape[-2:-1]
        if rows != (n,):
            raise ValueError(f"b has shape {shape}, expected (..., {n}) or (..., {n}, k) for "
                             f"{'one system' if not system.batch else f'a batch {system.batch} of systems'} "
                             f"of {n} rows")
        own = shape[:-1] if self.vectors else shape[:-2]
        try:
            self.batch = np.broadcast_shapes(own, system.batch)
        except ValueError:
            raise ValueError(f"b has shape {shape}: its batch {own} does not broadcast with that of the matrix, "
                             f"{system.batch}") from None
        self.count = 1 if self.vectors else shape[-1]
        if self.vectors:
            self.columns = _spread(contiguous("b", b, copy), own, self.batch)
        else:
            whole = self.batch + shape[-2:]
            require_room("the right-hand sides of a batch", whole, self.dtype, b)
            spread = self.library.broadcast(b, whole)
            self.columns = self.library.packed(self.library.moved(spread, -1, 0))

    def answer(self, out):
        """Return the output array of the library: `out` in its layout, or a new array."""
        if out is None:
            return self.library.empty(self.columns.shape, self.dtype, self.columns)
        shape = shape_of(self.columns)
        out = out_array("out", out, shape if self.vectors else (*shape[1:], shape[0]), "b", self.columns)
        if self.vectors:
            return contiguous("out", out)
        x = self.library.moved(out, -1, 0)
        if not self.library.is_contiguous(x):
            raise ValueError(f"out with shape {shape_of(out)} has row-major right-hand sides, expected consecutive columns: "
                             f"numpy.moveaxis(numpy.empty({shape}), 0, -1)")
        return x

    def shaped(self, x, out):
        if out is not None:
            return out
        return in_library_of(self.given, x if self.vectors else self.library.moved(x, 0, -1))


def _solve(system, b, given, copy, transposed, pivoting, method, refinements, report, condition, out):
    sides = _Sides(system, b, given, copy)
    system = system.spread(sides.batch)
    options = system.options(_operation(transposed, False), pivoting, method, refinements, condition)
    asked = report or condition
    x, given = sides.answer(out), sides.library.given
    # On the host the report is always computed: its cost is small, and the library then checks the solution. It needs
    # b; on a device it would require a synchronisation.
    reported = asked or not (sides.library.on_device or np.may_share_memory(x, sides.columns))
    told = np.zeros(system.systems, _REPORT) if reported else None
    if math.prod(x.shape):
        _core.solve_bands(system.bands(), given(sides.columns), given(x), sides.count, options,
                          None if told is None else told.view(np.uint8))
    if not asked:
        return sides.shaped(x, out)
    told = told.reshape(system.batch)
    return sides.shaped(x, out), Report(told["backward_error"], told["componentwise_error"], _STATUS[told["status"]],
                                   told["row"], told["condition"], told["tries"])


def _operation(transposed, conjugate):
    if not transposed:
        if conjugate:
            raise ValueError("conjugate=True goes with transposed=True")
        return "none"
    return "conjugate_transposed" if conjugate else "transposed"


def _spread(part, batch, wanted):
    if batch == wanted:
        return part
    library, shape = library_of(part), wanted + shape_of(part)[len(batch):]
    require_room("a batch of systems", shape, library.dtype(part), part)
    return library.packed(library.broadcast(part, shape))


def _common_batch(names, parts, dimensions):
    batches = [shape_of(part)[:part.ndim - dimensions] for part in parts]
    try:
        batch = np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(f"{name} {shape_of(part)}" for name, part in zip(names, parts))
        raise ValueError(f"leading dimensions do not broadcast: {shapes}") from None
    return batch, [_spread(part, own, batch) for part, own in zip(parts, batches)]


def _tridiagonal(dl, d, du, corners, copy) -> _System:
    names = ("dl", "d", "du")
    if d.ndim == 0:
        raise ValueError("d has shape (), expected (..., n)")
    n = d.shape[-1]
    parts = []
    for name, part, pad in (("dl", dl, (1, 0)), ("d", d, None), ("du", du, (0, 1))):
        if part.ndim > 0 and pad and not corners and n > 0 and part.shape[-1] == n - 1:
            part = library_of(part).padded(part, *pad)
        if part.ndim == 0 or part.shape[-1] != n:
            also = "" if corners or name == "d" else f" or (..., {n - 1})"
            raise ValueError(f"{name} has shape {shape_of(part)}, expected (..., {n}){also} as d has shape "
                             f"{shape_of(d)}")
        parts.append(contiguous(name, part, copy))
    batch, parts = _common_batch(names, parts, 1)
    return _System(names, parts, length=n, cyclic=corners, batch=batch)


def _banded(l_and_u, ab, copy) -> _System:
    try:
        below, above = (integer("l_and_u", k) for k in l_and_u)
    except (TypeError, ValueError):
        raise TypeError(f"l_and_u is {l_and_u!r}, expected two integers (l, u)") from None
    most = _core.largest_block
    if not (0 <= below <= most and 0 <= above <= most):
        raise ValueError(f"l_and_u is ({below}, {above}), expected two numbers from 0 to {most}")
    ab = contiguous("ab", ab, copy)
    if ab.ndim < 2 or ab.shape[-2] != below + above + 1:
        raise ValueError(f"ab has shape {shape_of(ab)}, expected (..., {below + above + 1}, n) for l_and_u "
                         f"({below}, {above})")
    n, batch = ab.shape[-1], shape_of(ab)[:-2]
    if (below, above) == (1, 1) and not batch and n > 1:
        flat = ab.reshape(-1)  # lower[i] = ab[2, i - 1], upper[i] = ab[0, i + 1]; corners are ignored
        parts = [flat[2 * n - 1:3 * n - 1], flat[n:2 * n], flat[1:n + 1]]
        return _System(("ab",) * 3, parts, length=n)
    library = library_of(ab)
    bands = library.zeros(batch + (below + above + 1, n), library.dtype(ab), ab)
    for k in range(-below, above + 1):  # A[i, i + k]
        first, last = max(0, -k), max(max(0, -k), n - max(k, 0))
        bands[..., k + below, first:last] = ab[..., above - k, first + k:last + k]
    return _System(("ab",), [bands], length=n, bands=(below, above), batch=batch)


def _blocks(lower, diagonal, upper, cyclic) -> _System:
    names = ("lower", "diagonal", "upper")
    parts = [lower, diagonal, upper]
    d = diagonal
    if d.ndim < 3 or d.shape[-1] != d.shape[-2] or not 1 <= d.shape[-1] <= _core.largest_block:
        raise ValueError(f"diagonal has shape {shape_of(d)}, expected (..., n, m, m) with m from 1 to "
                         f"{_core.largest_block}")
    for name, part in zip(names, parts):
        if part.shape[-3:] != d.shape[-3:]:
            raise ValueError(f"{name} has shape {shape_of(part)}, expected (..., "
                             f"{', '.join(map(str, d.shape[-3:]))}) as diagonal has shape {shape_of(d)}")
    batch, parts = _common_batch(names, parts, 3)
    library = library_of(d)
    parts = [library.packed(library.swapped(part, -1, -2)) for part in parts]
    return _System(names, parts, length=d.shape[-3], block=d.shape[-1], cyclic=cyclic, batch=batch)
