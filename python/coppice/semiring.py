# SPDX-License-Identifier: BSD-3-Clause
"""Semirings, monoids and operators: named and user-defined.

`operators`, `monoids`, `functions` and `selections` hold the names that the operations of `coppice.Matrix` and
`coppice.Vector` take; instead of a name, a Python function can be given, which Numba compiles, or an expression in C
of `coppice.jit`, which the compiler of the system compiles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from . import _core, _expressions, _operators
from ._arrays import number, text
from ._expressions import Expression

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


# The name of op(b, a) by the name of op; operators without an entry commute.
_SWAPPED = {"first": "second", "second": "first", "minus": "rminus", "rminus": "minus", "div": "rdiv", "rdiv": "div",
            "lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "max-first": "max-second", "max-second": "max-first"}
_NOT_SWAPPED = ("pow", "atan2", "fmod", "copysign")


def swapped(semiring: str | Semiring | UserSemiring) -> str | UserSemiring | None:
    """The semiring whose multiplication takes its operands in the other order, or None."""
    if isinstance(semiring, UserSemiring):
        return semiring.swapped()
    name = name_of(semiring)
    return _SWAPPED.get(name, name)


class UserSemiring:
    """A semiring of a monoid and an operator, by names, as Python functions or as expressions in C; returned by `user`."""

    def __init__(self, add: str | Callable | Expression, multiply: str | Callable | Expression, identity: Any) -> None:
        named = [_operators.is_name(what, f) for what, f in (("the addition", add), ("the multiplication", multiply))]
        if named[0] != named[1] or isinstance(add, Expression) != isinstance(multiply, Expression):
            raise TypeError(f"the addition is {add!r} and the multiplication {multiply!r}, expected two names, two functions "
                            "or two expressions of coppice.jit")
        self._monoid = Monoid(add, identity)
        self.add, self.multiply, self.of_names, self.identity = add, multiply, named[0], self._monoid.identity
        self._compiled: dict[np.dtype, Any] = {}
        self._swapped: UserSemiring | None = None
        self.name = "of the user"
        if not self.of_names:
            self.add, self.multiply = map(_operators.jitted, (add, multiply))

    def address(self, dtype: np.dtype) -> int:
        """Return the address of the compiled function that reduces rows of this type; it is compiled once."""
        if isinstance(self.add, Expression):
            return _expressions.rows(self.add, self.multiply, self.identity, dtype)
        if dtype not in self._compiled:
            self._compiled[dtype] = _compile_rows(_operators.numba(), self.add, self.multiply, self.identity, dtype)
        return self._compiled[dtype].address

    def chosen(self, dtype: np.dtype) -> tuple[_operators.Chosen, _operators.Chosen]:
        """Return addition, with its identity, and multiplication, as arguments of the library."""
        return self._monoid.chosen(dtype), _operators.binary(self.multiply, dtype)

    def swapped(self) -> UserSemiring | None:
        """The semiring whose multiplication takes its operands in the other order; None for a name that has no
        counterpart."""
        if self._swapped is None:
            multiply = self.multiply
            if isinstance(multiply, Expression):
                other = multiply.swapped()
            elif not self.of_names:
                other = _operators.numba().njit(lambda x, a: multiply(a, x))
            elif multiply in _NOT_SWAPPED:
                return None
            else:
                other = _SWAPPED.get(multiply, multiply)
            self._swapped = UserSemiring(self.add, other, None if self.of_names else self.identity)
        return self._swapped


def user(add: str | Callable[[float, float], float] | Expression,
         multiply: str | Callable[[float, float], float] | Expression, identity: float | None = None) -> UserSemiring:
    """Define a semiring for `Matrix.mxv`, `Matrix.vxm` and `Matrix.mxm`.

    Parameters
    ----------
    add : a name of `monoids`, a function (sum, product) -> sum, or an expression of `coppice.jit` with the sum x and the
        product y; associative
    multiply : a name of `operators`, a function of two numbers, or an expression of x and y; called in the order of the
        product: (a_ij, x_j) by `mxv`, (x_i, a_ij) by `vxm`, (a_ik, b_kj) by `mxm`. Of the same kind as `add`
    identity : float, the initial value of a sum and the result of an empty row; must not be given with a name, which
        has one

    Functions are compiled by Numba, expressions by the compiler of the system, for the type of the matrix; in `mxv`
    together with the loop over the rows. Entries of a row are reduced in their order, several rows simultaneously. On a
    device, which requires numba-cuda, each thread reduces a range of a row, and the sums are added in order.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> smallest_sum = coppice.semiring.user("min", "plus")
    >>> coppice.Matrix(csr_array([[0.0, 2.0], [3.0, 4.0]])).mxv([1.0, 10.0], smallest_sum)
    array([12.,  4.])
    """
    return UserSemiring(add, multiply, identity)


class Monoid:
    """An associative function of two numbers with its identity; returned by `monoid`."""

    def __init__(self, add: str | Callable | Expression, identity: Any = None) -> None:
        _operators.is_name("the monoid", add)
        if isinstance(add, str) == (identity is not None):
            raise ValueError(f"the monoid {add!r} {'has an' if isinstance(add, str) else 'needs its'} identity")
        if isinstance(add, str) and add not in _core.monoid_identities:
            raise ValueError(f"unknown monoid {add!r}, expected one of {', '.join(monoids)}")
        self.add = add
        self.identity: Any = _core.monoid_identities[add] if isinstance(add, str) else number("identity", identity)

    def chosen(self, dtype: np.dtype) -> _operators.Chosen:
        """Return the monoid as an argument of the library.

        Parameters
        ----------
        dtype : of the numbers
        """
        add = _operators.binary(self.add, dtype)
        return add if isinstance(self.add, str) else _operators.Chosen((add.handle, float(self.identity)), add)


def monoid(add: Callable[[float, float], float] | Expression, identity: float) -> Monoid:
    """Define a monoid for reductions.

    Parameters
    ----------
    add : function (a, b) of two numbers, compiled by Numba, or an expression of `coppice.jit`; associative
    identity : float, the result of an empty sum
    """
    return Monoid(add, identity)


Operator = Union[str, Callable[[float, float], float], Expression]
AnyMonoid = Union[str, Monoid]
AnySemiring = Union[str, Semiring, UserSemiring]
if TYPE_CHECKING:  # a test compares these names with `named`
    any: Semiring
    arg_max: Semiring
    max_first: Semiring
    max_min: Semiring
    max_plus: Semiring
    max_second: Semiring
    min_plus: Semiring
    or_and: Semiring
    plus_times: Semiring


def name_of(semiring: str | Semiring) -> str:
    if isinstance(semiring, Semiring):
        return semiring.name
    return text("semiring", semiring, "a name, one of coppice.semiring.named or one of coppice.semiring.user")


def _compile_rows(numba, add, multiply, identity, dtype):
    """Compile fold(first, last, offsets, indices, values, x, y) as a C function, with both operators inlined in its
    loop."""
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
