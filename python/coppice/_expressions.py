# SPDX-License-Identifier: BSD-3-Clause
"""Operators as expressions in C, which the compiler of the system compiles at their first use with a type."""

from __future__ import annotations

import ctypes
import re
from functools import lru_cache
from typing import Any

import numpy as np

from . import _core
from ._arrays import text

_TYPES = {"b1": "bool", "i1": "int8_t", "i2": "int16_t", "i4": "int32_t", "i8": "int64_t", "u1": "uint8_t", "u2": "uint16_t",
          "u4": "uint32_t", "u8": "uint64_t", "f4": "float", "f8": "double", "c8": "float _Complex", "c16": "double _Complex"}
_HEAD = """#include <complex.h>
#undef I
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
typedef {type} number;
"""
_OPERATOR = "number x, number y"
_FUNCTION = "number x, int64_t i, int64_t j"
# The kind of the result, as a number that is at most that of a type which represents it: integer, real, complex.
_KINDS = """int coppice_kind(void)
{{
    number x = 1, y = 1;
    int64_t i = 0, j = 0;
    (void)x, (void)y, (void)i, (void)j;
    return _Generic(({value}), float: 1, double: 1, long double: 1, float _Complex: 2, double _Complex: 2, default: 0);
}}
"""


class Expression:
    """An operator of the user as an expression in C; returned by `jit`."""

    def __init__(self, source: str, flipped: bool = False) -> None:
        self.source, self.flipped = text("expression", source, 'an expression in C, as "z = x < 0 ? 0 : x * y"'), flipped
        if not self.source.strip():
            raise ValueError('expression is empty, expected an expression in C, as "z = x < 0 ? 0 : x * y"')

    def __repr__(self) -> str:
        return f"<operator {self.source!r}>"

    def swapped(self) -> Expression:
        """The operator with its operands in the other order."""
        return Expression(self.source, not self.flipped)

    def operator(self, dtype: np.dtype) -> int:
        """Return the address of a C function (x, y) of two numbers of the type.

        Parameters
        ----------
        dtype : of the numbers
        """
        return _operator(self.source, self.flipped, dtype)

    def function(self, dtype: np.dtype, places: int, truth: bool) -> int:
        """Return the address of a C function (x, i, j, scalar).

        Parameters
        ----------
        dtype : of x and of the result
        places : 2 for matrices; 1 for vectors, whose index the library passes as j, and the expression calls i
        truth : whether the result is 1 or 0
        """
        return _function(self.source, dtype, places, truth)


def rows(add: Expression, multiply: Expression, identity: float, dtype: np.dtype) -> int:
    """Return the address of a C function that reduces rows of a matrix, with both operators inlined in its loop."""
    return _rows(add.source, add.flipped, multiply.source, multiply.flipped, float(identity).hex(), dtype)


def jit(expression: str) -> Expression:
    """Define an operator by an expression in C, for `Matrix`, `Vector` and `semiring`; it needs no Numba.

    Parameters
    ----------
    expression : ``z = x < 0 ? 0 : x * y``, the expression alone, or several statements that set z. The operands x and y
        and the result z have the type of the matrix or vector. An operator of two numbers uses x and y; a function of
        `Matrix.apply` or a predicate of `Matrix.select` uses the value x, the row i and the column j (int64_t), that of
        a `Vector` the value x and the index i. Functions of math.h, complex.h and stdlib.h are declared. Integers wrap; an
        integer division by zero ends the program, as in C.

    The expression is compiled at its first use with a type by the compiler of the system, ``cc`` or that of
    COPPICE_CC, and stored in $COPPICE_CACHE_DIR, $XDG_CACHE_HOME/coppice or ~/.cache/coppice, so that later programs need
    no compiler; in a temporary folder of the process if the user cannot write there. COPPICE_JIT=off switches compilation off.

    Raises
    ------
    RuntimeError : if there is no compiler, or compilation is off
    ValueError : if the compiler does not accept the expression; the message has its reasons
    TypeError : if an expression for integers has a real, or one for real numbers a complex result; for several statements
        it is converted. On a device expressions are not available.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> A = coppice.Matrix(csr_array([[0.0, 2.0], [3.0, -4.0]]))
    >>> A.reduce_rows(coppice.semiring.monoid(coppice.jit("fmax(fabs(x), fabs(y))"), 0)).to_dense(0)
    array([2., 4.])
    >>> A.apply(coppice.jit("z = i == j ? 10 * x : x")).select(coppice.jit("x < 0")).to_scipy().toarray()
    array([[  0.,   0.],
           [  0., -40.]])
    """
    return Expression(expression)


@lru_cache(256)
def _operator(source, flipped, dtype):
    parameters = _ordered(flipped)
    return _compiled(source, dtype, [source], _value("value", _OPERATOR, source)
                     + f"number coppice_function(number x, number y) {{ return value({parameters}); }}\n")


@lru_cache(256)
def _function(source, dtype, places, truth):
    row = "i" if places == 2 else "j"
    return _compiled(source, dtype, [] if truth else [source], _value("value", _FUNCTION, source, "bool" if truth else "number")
                     + "number coppice_function(number x, int64_t i, int64_t j, double scalar)\n"
                       f"{{ return value(x, {row}, j); }}\n")


@lru_cache(256)
def _rows(add, add_flipped, multiply, multiply_flipped, identity, dtype):
    start = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(identity, identity)
    return _compiled(f"{add}; {multiply}", dtype, [add, multiply],
                     _value("added", _OPERATOR, add) + _value("product", _OPERATOR, multiply) + f"""
static inline number add(number x, number y) {{ return added({_ordered(add_flipped)}); }}
static inline number multiply(number x, number y) {{ return product({_ordered(multiply_flipped)}); }}
void coppice_function(int64_t first, int64_t last, const int32_t *offsets, const int32_t *indices, const number *values,
                      const number *x, number *sums)
{{
    for (int64_t row = first; row < last; ++row) {{
        number sum = {start};
        for (int32_t k = offsets[row]; k < offsets[row + 1]; ++k) sum = add(sum, multiply(values[k], x[indices[k]]));
        sums[row] = sum;
    }}
}}
""")


def _ordered(flipped):
    return "y, x" if flipped else "x, y"


def _single(source):
    """Return the expression whose value is the result; None for several statements."""
    matched = re.fullmatch(r"(?:\s*z\s*=(?!=))?([^;]*);?\s*", source)
    return matched and matched[1]


def _value(name, parameters, source, result="number"):
    """Return the definition of a function with the value of the expression."""
    single = _single(source)
    body = f"z = ({single});" if single is not None else f"{source};"
    return (f"static inline {result} {name}({parameters})\n{{\n    {result} z = 0;\n"
            f"#line 1 \"expression\"\n    {body}\n    return z;\n}}\n")


def _compiled(source, dtype, checked, definitions):
    """Return the address of `coppice_function`; TypeError if one of the checked expressions has a result that the type
    does not represent."""
    singles = [s for s in map(_single, checked) if s is not None]
    kinds = _KINDS.format(value=" + ".join(f"({s})" for s in singles)) if singles else ""
    try:
        library = _core.run_time_library(_HEAD.format(type=_TYPES[dtype.str[1:]]) + definitions + kinds)
    except (RuntimeError, ValueError) as error:
        raise type(error)(f"the expression {source!r} was not compiled: {error}") from None
    if singles:
        kind = ctypes.CFUNCTYPE(ctypes.c_int)(_core.run_time_function(library, "coppice_kind"))()
        if kind > "fc".find(dtype.kind) + 1:
            raise TypeError(f"the expression {source!r} has a {'real' if kind == 1 else 'complex'} result, which {dtype} does "
                            "not represent: convert the matrix with astype")
    return _core.run_time_function(library, "coppice_function")
