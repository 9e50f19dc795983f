# SPDX-License-Identifier: BSD-3-Clause
"""Operators as arguments of the library: a name of its tables, or the address of a function that Numba or, for an
expression in C, the compiler of the system compiled."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any, Callable, NamedTuple

import numpy as np

from ._expressions import Expression


class Chosen(NamedTuple):
    """An operator as passed to the library, and the objects that must stay alive while the library calls it."""

    handle: Any
    keeps: Any = None


def binary(op: str | Callable, dtype: np.dtype) -> Chosen:
    """Return op(a, b) for two numbers of the type."""
    return _chosen("the operator", op, dtype, _compile_binary)


def function(f: str | Callable, dtype: np.dtype, places: int) -> Chosen:
    """Return f(a), or f(a, i, j) for a matrix (`places` 2), or f(a, i) for a vector (`places` 1)."""
    return _chosen("the function", f, dtype, _compile_function, places, False)


def selection(keep: str | Callable, dtype: np.dtype, places: int) -> Chosen:
    """The same for a predicate."""
    return _chosen("the selection", keep, dtype, _compile_function, places, True)


def numba() -> Any:
    try:
        import numba
    except ImportError:
        raise ImportError("operators written in Python are compiled by Numba, which is not installed: "
                          "pip install numba") from None
    return numba


def jitted(f: Callable | Expression) -> Any:
    return f if isinstance(f, Expression) or hasattr(f, "py_func") else numba().njit(f)


def is_name(what: str, op: Any) -> bool:
    """Whether `op` is a name; False for a function. TypeError for other objects."""
    if isinstance(op, str):
        return True
    if not isinstance(op, Expression) and not callable(op):
        raise TypeError(f"{what} is a {type(op).__name__}, expected a name, a function of numbers or an expression of "
                        "coppice.jit")
    return False


def require_on_device(*operators: Any) -> None:
    """TypeError if one of the operators is an expression in C."""
    for op in operators:
        if isinstance(op, Expression):
            raise TypeError(f"the expression {op.source!r} is compiled for the host, and the arrays are on a device: expected a name "
                            "or a Python function")


def asks_for_places(f: Callable, places: int) -> bool:
    """Whether f takes (a, i, j) or (a, i) instead of (a); TypeError for other signatures."""
    count = len(inspect.signature(getattr(f, "py_func", f)).parameters)
    if count not in (1, 1 + places):
        raise TypeError(f"the function {getattr(f, '__name__', f)!r} takes {count} arguments, expected 1, the value, or "
                        f"{1 + places}, with its {'row and column' if places == 2 else 'index'}")
    return count != 1


def _chosen(what, op, dtype, compiler, *more):
    if is_name(what, op):
        return Chosen(op)
    if isinstance(op, Expression):
        return Chosen(op.function(dtype, *more) if more else op.operator(dtype))
    compiled = compiler(op, dtype, *more)
    return Chosen(compiled.address, compiled)


def _require_kind(function, dtype, *arguments):
    """Raise TypeError if a function of integers or bool returns fractions, which would be cut off."""
    if dtype.kind not in "biu":
        return
    function.compile(arguments)
    result = function.overloads[arguments].signature.return_type
    if result not in numba().types.integer_domain | {numba().types.boolean}:
        raise TypeError(f"the function returns {result} for {dtype}, expected integers: convert with astype(float)")


@lru_cache(256)  # bounded, since functions may be created in a loop
def _compile_binary(op, dtype):
    number = numba().from_dtype(dtype)
    op = jitted(op)
    _require_kind(op, dtype, number, number)

    def call(a, b):
        return op(a, b)

    return numba().cfunc(number(number, number), nopython=True)(call)


@lru_cache(256)
def _compile_function(f, dtype, places, truth):
    number, integer = numba().from_dtype(dtype), numba().int64
    at_places = asks_for_places(f, places)
    f = jitted(f)
    if not at_places:
        def value(a, i, j):
            return f(a)
    elif places == 2:
        def value(a, i, j):
            return f(a, i, j)
    else:
        def value(a, i, j):
            return f(a, j)
    value = numba().njit(value)
    if not truth:
        _require_kind(value, dtype, number, integer, integer)

    def call(a, i, j, scalar):
        return value(a, i, j)

    def call_for_truth(a, i, j, scalar):
        return 1 if value(a, i, j) else 0

    signature = number(number, integer, integer, numba().float64)
    return numba().cfunc(signature, nopython=True)(call_for_truth if truth else call)
