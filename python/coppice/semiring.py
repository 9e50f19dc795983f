# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices over semirings: named ones, and such of the user's own operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import _core, _places
from ._arrays import REALS, out_vector, same_type, vector
from ._pictures import pattern, table
from ._places import HOST, library_of
from ._sparse import arrays_of, csr_of, to_sparse

if TYPE_CHECKING:
    from ._types import Array, ArrayIn, SparseMatrix

__all__ = ["Matrix", "Semiring", "Vector", "named", "user"]


class Semiring:
    """A semiring of the library, by name: ``coppice.semiring.min_plus``."""

    def __init__(self, name: str, meaning: str, writes_columns: bool) -> None:
        self.name, self.meaning, self.writes_columns = name, meaning, writes_columns

    def __repr__(self) -> str:
        return f"<semiring {self.name}: {self.meaning}>"


named: dict[str, Semiring] = {row[0]: Semiring(*row) for row in _core.semirings}
for _name, _semiring in named.items():
    globals()[_name.replace("-", "_")] = _semiring
    __all__.append(_name.replace("-", "_"))


class UserSemiring:
    """A semiring of two functions of Python, compiled by Numba; made by `user`."""

    def __init__(self, add: Callable, multiply: Callable, identity: float) -> None:
        try:
            import numba
        except ImportError:
            raise ImportError("operators written in Python are compiled by Numba, which is not installed: "
                              "pip install numba") from None
        self._numba = numba
        self._compiled: dict[np.dtype, Any] = {}
        self._kernels: dict[np.dtype, Any] = {}
        self._add, self._multiply = (f if hasattr(f, "py_func") else numba.njit(f) for f in (add, multiply))
        self.name, self.identity = "of the user", identity

    def address(self, dtype: np.dtype) -> int:
        """Of the compiled function that folds rows for this type; compiled once."""
        if dtype not in self._compiled:
            self._compiled[dtype] = _compile_rows(self._numba, self._add, self._multiply, self.identity, dtype)
        return self._compiled[dtype].address


    def fold_on_device(self, arrays, x, y, library, dtype) -> None:
        if dtype not in self._kernels:
            self._kernels[dtype] = _compile_rows_on_device(self._add, self._multiply, self.identity, dtype)
        rows, nonzeros = y.shape[0], arrays[1].shape[0]
        if rows == 0:
            return
        lanes = 1  # of a row: about as many as it is long
        while lanes < 32 and lanes * rows < nonzeros:
            lanes *= 2
        threads = 128
        launch = self._kernels[dtype][-(-rows * lanes // threads), threads, library.numba_stream(x)]
        launch(*arrays, x, y, lanes)


def user(add: Callable, multiply: Callable, identity: float) -> UserSemiring:
    """A semiring of your own for `Matrix.mxv` and `Matrix.vxm`.

    Parameters
    ----------
    add : function (sum, product) -> sum, associative
    multiply : function (a_ij, x_j) -> product
    identity : float, what a sum begins with, and the result of an empty row

    Both functions are compiled by Numba with the loop over the rows, for the type of the matrix; rows are folded in
    their order, several at a time. On a device, where Numba needs its package numba-cuda, threads fold parts of a row,
    whose sums are added in their order.
    """
    return UserSemiring(add, multiply, identity)


if TYPE_CHECKING:
    AnySemiring = str | Semiring | UserSemiring

    def __getattr__(name: str) -> Semiring: ...  # min_plus and the others of `named`


class Vector:
    """A dense vector with an element a row or column of a matrix; a thin wrap of an array, which it shares."""

    def __init__(self, values: ArrayIn) -> None:
        self.values = vector("values", values, types=REALS)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self.values.shape[0]

    def vxm(self, A: Matrix, semiring: AnySemiring = "plus-times", **options: Any) -> Vector:
        """x A, as `Matrix.vxm`."""
        return Vector(A.vxm(self.values, semiring, **options))

    def __repr__(self) -> str:
        return f"Vector({self.values!r})"


class Matrix:
    """A sparse matrix with the plan of its products.

    Parameters
    ----------
    A : (m, n) sparse matrix of SciPy, CuPy or PyTorch, float32 or float64; CSR arrays are shared, and their values may
        change.
    """

    def __init__(self, A: SparseMatrix) -> None:
        self._arrays = arrays_of("A", A, REALS)
        self._library = library_of(self._arrays[2])
        self.dtype, self.shape = self._library.dtype(self._arrays[2]), tuple(map(int, A.shape))
        self._csr = csr_of(self._arrays, self.shape)
        self._plan = _core.plan_products(self._csr)
        self._turned: Matrix | None = None

    def mxv(self, x: ArrayIn | Vector, semiring: AnySemiring = "plus-times", *, mask: ArrayIn | Vector | None = None,
            complement: bool = False, accumulate: ArrayIn | Vector | None = None) -> Any:
        """y_i = ⊕_j multiply(a_ij, x_j).

        Parameters
        ----------
        x : (n,) array of the type of the matrix, or Vector
        semiring : a name, `named` one, or one of `user`
        mask : (m,) array; only where it is not 0 (with `complement`: where it is 0) is y computed. Elsewhere y is that
            of `accumulate`, or of an empty row.
        accumulate : (m,) array that the addition of the semiring joins to the product

        Returns
        -------
        y : (m,) array, or Vector where x is one
        """
        wrapped = isinstance(x, Vector)
        x = vector("x", x.values if isinstance(x, Vector) else x, self.shape[1], REALS)
        same_type("the matrix", self._arrays[2], "x", x)
        y, given = self._library.empty(self.shape[:1], self.dtype, x), self._library.given
        if isinstance(semiring, UserSemiring):
            if mask is not None or accumulate is not None:
                raise ValueError("mask and accumulate go with named semirings")
            if self._library.on_device:
                semiring.fold_on_device(self._arrays, x, y, self._library, self.dtype)
            else:
                _core.fold_rows(semiring.address(self.dtype), self._csr, x, y)
        else:
            beside = [None if a is None else out_like(name, a, y) for name, a in
                      (("mask", mask), ("accumulate", accumulate))]
            mask, before = (None if a is None else given(a) for a in beside)
            _core.mxv(self._plan, _name_of(semiring), given(x), given(y), mask, complement, before)
        return Vector(y) if wrapped else y

    def vxm(self, x: ArrayIn | Vector, semiring: AnySemiring = "plus-times", **options: Any) -> Any:
        """y_j = ⊕_i multiply(a_ij, x_i): `mxv` of the transposed matrix, which is made once."""
        return self.T.mxv(x, semiring, **options)

    def mxm(self, B: Matrix, semiring: str | Semiring = "plus-times", *, mask: Matrix | None = None,
            complement: bool = False) -> Matrix:
        """The product A B over a named semiring, only where `mask` has entries (with `complement`: has none)."""
        for name, other in (("B", B), ("mask", mask)):
            if other is not None and other.dtype != self.dtype:
                raise TypeError(f"{name} with shape {other.shape} has dtype {other.dtype}, expected {self.dtype}")
        if B.shape[0] != self.shape[1]:
            raise ValueError(f"B has shape {B.shape}, expected ({self.shape[1]}, k) as A has shape {self.shape}")
        if mask is not None and mask.shape != (self.shape[0], B.shape[1]):
            raise ValueError(f"mask has shape {mask.shape}, expected {(self.shape[0], B.shape[1])}")
        product = _core.mxm(self._csr, B._csr, _name_of(semiring), None if mask is None else mask._csr, complement)
        return Matrix(to_sparse(self._library, product))

    @property
    def T(self) -> Matrix:
        """The transposed matrix, made once; it keeps the values of that time."""
        if self._turned is None:
            self._turned = Matrix(to_sparse(self._library, _core.transpose(self._csr)))
        return self._turned

    def to_sparse(self) -> Any:
        """A sparse matrix of SciPy, CuPy or PyTorch, whose arrays these are, that shares them."""
        return to_sparse(self._library, (*self._arrays, self.shape))

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_array that shares the arrays; a copy of those on a device."""
        return to_sparse(HOST, (*map(self._library.to_host, self._arrays), self.shape))

    def to_cupy(self) -> Any:
        """A matrix of cupyx.scipy.sparse that shares the arrays; a copy of those on the host."""
        return to_sparse(_places.cupy(), (*self._arrays, self.shape))

    def _repr_html_(self) -> str:
        offsets, indices = map(self._library.to_host, self._arrays[:2])
        facts = {"shape": f"{self.shape[0]} x {self.shape[1]}", "nonzeros": len(indices), "type": self.dtype}
        return table("matrix", facts) + pattern(offsets, indices, self.shape)

    def __repr__(self) -> str:
        return f"<Matrix {self.shape[0]} x {self.shape[1]}, {self._arrays[1].shape[0]} nonzeros, {self.dtype}>"


def out_like(name, value, y):
    if isinstance(value, Vector):
        value = value.values
    elif not library_of(y).on_device:
        value = np.array(value)
    return out_vector(name, value, y)


def _name_of(semiring) -> str:
    return semiring if isinstance(semiring, str) else semiring.name


def _compile_rows(numba, add, multiply, identity, dtype):
    """fold(first, last, offsets, indices, values, x, y) as a C function, with both operators in its loop."""
    number = numba.from_dtype(dtype)
    start = dtype.type(identity)
    pointer = numba.types.CPointer
    integer, index = numba.int64, pointer(numba.int32)

    def fold(first, last, offsets, indices, values, x, y):
        for row in range(first, last):
            total = start
            for k in range(offsets[row], offsets[row + 1]):
                total = add(total, multiply(values[k], x[indices[k]]))
            y[row] = total

    signature = numba.void(integer, integer, index, index, pointer(number), pointer(number), pointer(number))
    return numba.cfunc(signature, nopython=True)(fold)


def _compile_rows_on_device(add, multiply, identity, dtype):
    """kernel(offsets, indices, values, x, y, lanes): `lanes` threads, a power of two up to 32, fold a row."""
    try:
        from numba import cuda
    except ImportError:
        raise ImportError("operators written in Python are compiled for a device by numba-cuda, which is not "
                          "installed: pip install numba-cuda") from None
    add, multiply = (cuda.jit(device=True)(f.py_func) for f in (add, multiply))
    start = dtype.type(identity)
    everyone = 0xFFFFFFFF

    def fold(offsets, indices, values, x, y, lanes):
        thread = cuda.grid(1)
        row, lane = thread // lanes, thread % lanes
        first = last = 0
        if row < y.shape[0]:
            first, last = offsets[row], offsets[row + 1]
        part = (last - first + lanes - 1) // lanes
        total = start
        for k in range(first + lane * part, min(last, first + (lane + 1) * part)):
            total = add(total, multiply(values[k], x[indices[k]]))
        step = 1
        while step < lanes:
            right = cuda.shfl_down_sync(everyone, total, step)
            if lane % (2 * step) == 0 and (lane + step) * part < last - first:
                total = add(total, right)
            step *= 2
        if lane == 0 and row < y.shape[0]:
            y[row] = total

    return cuda.jit(fold)
