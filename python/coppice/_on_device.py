# SPDX-License-Identifier: BSD-3-Clause
"""Python functions as operators on device arrays, compiled by numba-cuda.

The kernels of the library are precompiled and cannot call such a function. Therefore the library computes which entries
are combined, with built-in operators that copy values, and a compiled kernel then calls the function on these values:
in the order, and with the result, of the same call on the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _operators

_THREADS = 128


def ewise_add(a, b, op):
    first, second = a.ewise_add(b, "first"), a.ewise_add(b, "second")
    met = a.apply("one").ewise_union(b.apply("one"), "plus", 0.0, 0.0)  # 2 if both have an entry
    return _with_values(first, _kernels().where_both(op), first.values, second.values, met.values)


def ewise_mult(a, b, op):
    return _joined(a.ewise_mult(b, "first"), a.ewise_mult(b, "second"), op)


def ewise_union(a, b, op, missing, other_missing):
    return _joined(a.ewise_union(b, "first", missing, other_missing),
                   a.ewise_union(b, "second", missing, other_missing), op)


def kronecker(a, b, op):
    return _joined(a.kronecker(b, "first"), a.kronecker(b, "second"), op)


def apply(a, f, _=0):
    return _mapped(a, f, False)


def apply_bound(a, op, operand, first):
    return _with_values(a, _kernels().bound(op, first), a.values, a.dtype.type(operand))


def select(a, keep, _=0):
    return a.ewise_mult(_mapped(a, keep, True).select("valuene", 0.0), "first")


def update(c, result, op, mask, **flags):
    """C<mask> = C ⊙ result, where C ⊙ result is stored as a separate matrix."""
    return c.update(ewise_add(c, result, op), mask=mask, **flags)


def assign(c, value, where, op, mask, **flags):
    """C<mask> = C ⊙ T, where T is the result of the assignment to an empty matrix."""
    nothing = c.select("valueeq", np.nan)  # no number equals NaN
    admitted = {name: flags[name] for name in ("structure", "complement")}
    return update(c, nothing.assign(value, *where, mask=mask, **admitted), op, mask, **flags)


def reduce(a, add, identity):
    """Reduce some thousand ranges on the device, and their results on the host."""
    library, count = a._library, a.values.shape[0]
    length = max(1, -(-count // 1024))
    ends = np.minimum(np.arange(1025, dtype=np.int64) * length, count).astype(np.int32)
    sums = fold_rows(library, library.beside(ends, a.values), a.values, add, identity)
    function, total = getattr(add, "py_func", add), a.dtype.type(identity)
    for each in library.to_host(sums):
        total = a.dtype.type(function(total, each))
    return float(total)


def fold_rows(library, offsets, values, add, identity):
    """Reduce the values of every row in their order."""
    sums = library.empty((offsets.shape[0] - 1,), library.dtype(values), values)
    _fold(library, _kernels().fold(add, None, library.dtype(values).type(identity)), sums, offsets, offsets, values, values)
    return sums


def multiply_rows(a, x, y, add, multiply, identity):
    """y_i = add of multiply(a_ij, x_j)."""
    if a._held is None:  # Numba's checks of an array take longer than a small product
        a._held = [_kernels().held(each) for each in a._arrays]
    _fold(a._library, _kernels().fold(add, multiply, a.dtype.type(identity)), y, *a._held, x)


def join(library, op, x, y):
    z = library.empty(x.shape, library.dtype(x), x)
    _launch(library, _kernels().join(op), z, x, y)
    return z


def products(pattern, a, b, add, multiply, identity):
    """Compute the entries of the product at the positions of `pattern` from the rows of A and of Bᵀ."""
    kernel = _kernels().sum_of_products(add, multiply, a.dtype.type(identity))
    return _with_values(pattern, kernel, *pattern._arrays[:2], *a._arrays, *b.transpose()._arrays)


def _kernels() -> Any:
    try:
        from . import _kernels as kernels
    except ImportError as error:
        raise ImportError("Python functions are compiled for a device by numba-cuda: pip install 'numba-cuda[cu13]'; "
                          f"the names of coppice.semiring work without it ({error})") from error
    return kernels


def _with_values(pattern, kernel, *arguments):
    """Return the entries of `pattern` with values written by a kernel, one per thread."""
    library = pattern._library
    values = library.empty(pattern.values.shape, pattern.dtype, pattern.values)
    _launch(library, kernel, values, *arguments)
    return pattern._with_values(values)


def _joined(first, second, op):
    return _with_values(first, _kernels().join(op), first.values, second.values)


def _mapped(a, f, truth):
    if not _operators.asks_for_places(f, a._places):
        return _with_values(a, _kernels().map(f, truth), a.values)
    if a._places == 2:
        return _with_values(a, _kernels().map_of_matrix(f, truth), a.values, *a._arrays[:2])
    return _with_values(a, _kernels().map_of_vector(f, truth), a.values, a._positions())


def _launch(library, kernel, z, *arguments):
    if z.shape[0]:
        _run(kernel[-(-z.shape[0] // _THREADS), _THREADS, library.numba_stream(z)], z, *arguments)


def _fold(library, kernel, y, offsets, indices, values, x):
    """Use a power of two of up to 32 threads per row, close to the mean row length."""
    rows, entries, shift = y.shape[0], values.shape[0], 0
    while shift < 5 and rows << shift < entries:
        shift += 1
    if rows:
        _run(kernel[-(-(rows << shift) // _THREADS), _THREADS, library.numba_stream(y)], y, offsets, indices, values, x,
             shift)


def _run(launch, *arguments):
    try:
        launch(*map(_kernels().held, arguments))
    except Exception as error:
        if type(error).__name__ in ("NvvmSupportError", "CudaSupportError"):
            raise RuntimeError("Numba finds no compiler for the device; its package numba-cuda brings one: "
                               f"pip install 'numba-cuda[cu13]' ({error})") from error
        raise
