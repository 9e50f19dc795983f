# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors of bool, integers and complex numbers, on the host.

The library determines which entries are combined, from matrices of the same pattern whose values are the numbers 0, 1, ...
of the entries; functions of `_core` then compute the values. Integer arithmetic wraps, division by zero gives the limit of
the range, as in GraphBLAS.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _core, _operators
from ._arrays import exact
from ._expressions import Expression

_AT_POSITIONS = ("rowindex", "colindex", "diagindex")
_EXACT = 2**53  # float64 represents all integers up to this one
_PARTS = ("abs", "real", "imag")  # of complex numbers: real numbers
_COMPARED = {"valueeq": np.equal, "valuene": np.not_equal, "valuelt": np.less, "valuele": np.less_equal,
             "valuegt": np.greater, "valuege": np.greater_equal}
_OF_FRACTIONS = ("atan2", "copysign", "exp", "fmod", "hypot", "log", "sqrt")  # results are no integers
_PAIRS = {"plus-times": ("plus", "times"), "min-plus": ("min", "plus"), "max-plus": ("max", "plus"),
          "max-min": ("max", "min"), "or-and": ("lor", "land"), "max-first": ("max", "first"),
          "max-second": ("max", "second"), "any": ("first", "times")}


def scalar(name: str, value: Any, dtype: np.dtype) -> Any:
    """Return a number as a NumPy scalar of the type; an error if the type does not represent it."""
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "biufc":
        raise TypeError(f"{name} is {value!r}, expected a number that {dtype} represents")
    return exact(name, given.reshape(1), dtype)[0]


def ewise_add(a, b, op):
    return _merged(a, b, op, "ewise_add")


def ewise_mult(a, b, op):
    return _merged(a, b, op, "ewise_mult")


def kronecker(a, b, op):
    return _merged(a, b, op, "kronecker")


def ewise_union(a, b, op, missing, other_missing):
    return _merged(a, b, op, "ewise_add", np.array([missing, other_missing], a.dtype))


def apply(a, f, added):
    if f in _AT_POSITIONS:
        return a._with_values(_positions(a, f, added))
    if a.dtype.kind == "c" and f in _PARTS:
        return a._with_values({"abs": np.abs, "real": np.real, "imag": np.imag}[f](a.values).copy())
    return a._with_values(_mapped(a, _function(_operators.function, f, a)))


def apply_bound(a, op, operand, first):
    operand = np.atleast_1d(np.asarray(operand, a.dtype))
    return a._with_values(_combined(op, operand, a.values) if first else _combined(op, a.values, operand))


def select(a, keep, compared):
    if keep in _COMPARED:
        if a.dtype.kind == "c" and keep not in ("valueeq", "valuene"):
            raise TypeError(f"the selection {keep!r} compares numbers, and complex numbers have no order")
        kept = _COMPARED[keep](a.values, compared)
    elif isinstance(keep, str):
        return moved(a, "select", keep, compared)
    else:
        kept = _mapped(a, _function(_operators.selection, keep, a)) != 0
    numbers = a._with_values(np.where(kept, _count(a), -1.0)).select("valuege", 0.0)
    return _taken(numbers, a.values)


def moved(a, operation, *arguments):
    """Return the result of an operation that moves entries and does not read values."""
    return _taken(getattr(numbered(a), operation)(*arguments), a.values)


def update(c, result, op, mask, **flags):
    """C<mask> = C ⊙ result"""
    if op is not None:
        result = ewise_add(c, result, op)
    numbers = numbered(c).update(numbered(result, c.nnz), mask=mask, **flags)
    return _taken(numbers, np.concatenate([c.values, result.values]))


def assign(c, value, where, op, mask, **flags):
    """With an operator: C<mask> = C ⊙ T, where T is the result of the assignment to an empty matrix."""
    if op is not None:
        nothing = _taken(numbered(c).select("valuelt", 0.0), c.values)
        admitted = {name: flags[name] for name in ("structure", "complement")}
        return update(c, nothing.assign(value, *where, mask=mask, **admitted), op, mask, **flags)
    if isinstance(value, type(c)):
        numbers, source = numbered(value, c.nnz), np.concatenate([c.values, value.values])
    else:
        numbers, source = float(c.nnz), np.append(c.values, value)
    return _taken(numbered(c).assign(numbers, *where, mask=mask, **flags), source)


def reduce(a, add, identity):
    ends = np.array([0, a.nnz], np.int32)
    return fold_rows(a._library, ends, a.values, add, identity)[0].item()


def fold_rows(library, offsets, values, add, identity):
    """Reduce the values of every row in their order."""
    rows, dtype = offsets.shape[0] - 1, values.dtype
    sums, all_in_one = np.empty(rows, dtype), np.zeros(values.shape[0], np.int32)
    matrix = _core.Csr(offsets, all_in_one, values, rows, 1, True)
    op = _binary(add, dtype)
    _core.fold_entries(op.handle, identity_of(add, identity, dtype), matrix, sums)
    return sums


class Pair(NamedTuple):
    """Addition and multiplication of a semiring, and the result of an empty row."""

    add: Any
    multiply: Any
    identity: Any


def pair_of(semiring: Any, dtype: np.dtype) -> Pair:
    """Return the operators of a semiring: a name, or one of `semiring.user`."""
    if not isinstance(semiring, str):
        return Pair(semiring.add, semiring.multiply, identity_of(semiring.add, semiring.identity, dtype)[0])
    if semiring == "arg-max":
        raise TypeError(f"the semiring 'arg-max' writes numbers of columns for float32 and float64, not for {dtype}")
    if semiring not in _PAIRS:
        raise ValueError(f"unknown semiring {semiring!r}, expected one of {', '.join(_PAIRS)}")
    add, multiply = _PAIRS[semiring]
    return Pair(add, multiply, identity_of(add, 0 if add == "first" else _core.monoid_identities[add], dtype)[0])


def multiply_vector(a, pair, x):
    """Return the array A x."""
    y, (add, multiply) = np.empty(a.shape[0], a.dtype), _operators_of(pair, a.dtype)
    _core.multiply_vector(add.handle, multiply.handle, np.array([pair.identity], a.dtype), a._csr, x, y)
    return y


def product(a, b, pair, mask, complement):
    """Return A B; `mask`: a matrix whose entries select, or None."""
    add, multiply = _operators_of(pair, a.dtype)
    among = None if mask is None else _ones(mask)._csr
    where = a._made(_core.mxm(_ones(a)._csr, _ones(b)._csr, "any", among, complement))
    values = np.empty(where.nnz, a.dtype)
    _core.multiply_values(add.handle, multiply.handle, a._csr, b._csr, where._csr, values)
    return where._with_values(values)


def identity_of(add: Any, identity: Any, dtype: np.dtype) -> Any:
    """Return the identity as an array of one element; infinity is the limit of the range of integers."""
    if isinstance(add, str) and isinstance(identity, float) and not np.isfinite(identity):
        if dtype.kind == "b":
            identity = identity > 0
        elif dtype.kind in "iu":
            identity = np.iinfo(dtype).max if identity > 0 else np.iinfo(dtype).min
    return np.array([scalar("identity", identity, dtype)], dtype)


def numbered(a, first=0):
    """Return the entries with the values first, first + 1, ..."""
    return a._with_values(_count(a) + first)


def _count(a):
    return np.arange(a.nnz, dtype=np.float64)


def _ones(a):
    return a._with_values(np.ones(a.nnz, np.float32))


def _taken(numbers, source):
    """Return the entries of `numbers` with the values that they number."""
    return numbers._with_values(source[numbers.values.astype(np.int64)])


def _merged(a, b, op, operation, missing=None):
    """Return op of the entries that an operation combines; `missing`: values for those that only one of both has."""
    where, first, second, bits = _sources(a, b, operation)
    values, chosen = np.empty(where.nnz, a.dtype), _binary(op, a.dtype)
    _core.merge_values(chosen.handle, first, second, bits, a.values, b.values, missing, values)
    return where._with_values(values)


def _sources(a, b, operation):
    """Return the entries of an operation, and the numbers of the entries of a and b that they come from, from 1 on, 0: none: two
    arrays, or one of i + 2^bits j and None."""
    bits = a.nnz.bit_length()
    if (b.nnz + 1) << bits <= _EXACT:
        where = getattr(numbered(a, 1), operation)(b._with_values((_count(b) + 1) * 2.0**bits), "plus")
        return where, where.values, None, bits
    one, other = numbered(a, 1), numbered(b, 1)
    if operation == "ewise_add":
        first, second = (one.ewise_union(other, which, 0.0, 0.0) for which in ("first", "second"))
    else:
        first, second = (getattr(one, operation)(other, which) for which in ("first", "second"))
    return first, first.values, second.values, 0


def _combined(op, x, y):
    z = np.empty(max(x.shape[0], y.shape[0]) if min(x.shape[0], y.shape[0]) else 0, x.dtype)
    chosen = _binary(op, x.dtype)
    _core.combine_values(chosen.handle, x, y, z)
    return z


def _mapped(a, chosen):
    z = np.empty(a.nnz, a.dtype)
    _core.map_entries(chosen.handle, a._rows(a._parts())._csr, z)
    return z


def _positions(a, f, added):
    if a._places == 1:
        places = a._positions().astype(np.int64)
    else:
        rows = np.repeat(np.arange(a.shape[0]), np.diff(a._arrays[0]))
        places = {"rowindex": rows, "colindex": a._arrays[1].astype(np.int64), "diagindex": a._arrays[1] - rows}[f]
    return exact("the index", places + int(added) * (-1 if f == "diagindex" else 1), a.dtype)


def _operators_of(pair, dtype):
    return _binary(pair.add, dtype), _binary(pair.multiply, dtype)


def _binary(op, dtype):
    _require_defined("operator", op, dtype)
    return _operators.binary(op, dtype)


def _function(chosen, f, a):
    _require_defined("function", f, a.dtype)
    return chosen(f, a.dtype, a._places)


def _require_defined(what, op, dtype):
    if dtype.kind != "c" and op in _OF_FRACTIONS:
        raise TypeError(f"the {what} {op!r} has results that {dtype} does not represent: convert with astype(float)")
    if dtype.kind == "c" and not isinstance(op, (str, Expression)):
        raise TypeError(f"the {what} is a Python function, which is compiled for real numbers; for {dtype} expected a name or an "
                        "expression of coppice.jit")
