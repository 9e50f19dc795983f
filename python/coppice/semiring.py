# SPDX-License-Identifier: BSD-3-Clause
"""Semirings, monoids and operators: named ones, and such of the user's own.

`operators`, `monoids`, `functions` and `selections` hold the names that the operations of `coppice.Matrix` and
`coppice.Vector` take; in the place of a name a function of Python may stand, which Numba compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from . import _core, _operators
from ._arrays import text

__all__ = ["Monoid", "Semiring", "functions", "monoid", "monoids", "named", "operators", "selections",
           "user"]

operators: tuple[str, ...] = _core.operator_names
monoids: tuple[str, ...] = _core.monoid_names
functions: tuple[str, ...] = _core.function_names
selections: tuple[str, ...] = _core.selection_names


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
        self._numba = _operators.numba()
        self._compiled: dict[np.dtype, Any] = {}
        self._kernels: dict[np.dtype, Any] = {}
        self._add, self._multiply = map(_operators.jitted, (add, multiply))
        self._turned: Any = None
        self.name, self.identity = "of the user", identity

    def address(self, dtype: np.dtype) -> int:
        """Of the compiled function that folds rows for this type; compiled once."""
        if dtype not in self._compiled:
            self._compiled[dtype] = _compile_rows(self._numba, self._add, self._multiply, self.identity, dtype)
        return self._compiled[dtype].address

    def chosen(self, dtype: np.dtype, turned: bool = False) -> tuple[_operators.Chosen, _operators.Chosen]:
        """Addition, with its identity, and multiplication, as the library calls them; `turned`: multiply(x_j, a_ij)."""
        if turned and self._turned is None:
            multiply = self._multiply
            self._turned = self._numba.njit(lambda x, a: multiply(a, x))
        chosen = self._turned if turned else self._multiply
        return Monoid(self._add, self.identity).chosen(dtype), _operators.binary(chosen, dtype)

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
    """A semiring of your own for `Matrix.mxv`, `Matrix.vxm` and, on the host, `Matrix.mxm`.

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


class Monoid:
    """An associative function of two numbers with its identity; made by `monoid`."""

    def __init__(self, add: str | Callable, identity: float | None = None) -> None:
        if isinstance(add, str) == (identity is not None):
            raise ValueError(f"the monoid {add!r} {'has an' if isinstance(add, str) else 'needs its'} identity")
        self._add, self._identity = add, identity

    def chosen(self, dtype: np.dtype) -> _operators.Chosen:
        """As the library calls it.

        Parameters
        ----------
        dtype : of the numbers
        """
        add = _operators.binary(self._add, dtype)
        return add if self._identity is None else _operators.Chosen((add.handle, float(self._identity)), add)


def monoid(add: Callable[[float, float], float], identity: float) -> Monoid:
    """A monoid of your own, for reductions.

    Parameters
    ----------
    add : function (a, b) of two numbers, associative; compiled by Numba
    identity : float, the result where there is nothing to add
    """
    return Monoid(add, identity)


Operator = Union[str, Callable[[float, float], float]]
AnyMonoid = Union[str, Monoid]
AnySemiring = Union[str, Semiring, UserSemiring]
if TYPE_CHECKING:

    def __getattr__(name: str) -> Semiring: ...  # min_plus and the others of `named`


def name_of(semiring: str | Semiring) -> str:
    if isinstance(semiring, Semiring):
        return semiring.name
    return text("semiring", semiring, "a name, one of coppice.semiring.named or one of coppice.semiring.user")


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
