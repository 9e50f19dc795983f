# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that call Python functions, compiled by Numba once per value type."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable

import numpy as np
from numba import cuda


def held(a: Any) -> Any:
    """Return an array as an argument of a kernel. All work is on one stream, so that no synchronisation is needed."""
    if isinstance(a, (int, np.ndarray, np.generic)) or type(a).__module__.startswith("numba"):
        return a
    return cuda.as_cuda_array(a, sync=False)


def _device(f: Callable) -> Any:
    return cuda.jit(device=True)(getattr(f, "py_func", f))


@lru_cache(256)  # bounded, since functions may be created in a loop
def join(op):
    op = _device(op)

    def joined(z, x, y):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = op(x[k], y[k])

    return cuda.jit(joined)


@lru_cache(256)
def where_both(op):
    op = _device(op)

    def joined(z, x, y, met):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = op(x[k], y[k]) if met[k] == 2 else x[k]

    return cuda.jit(joined)


@lru_cache(256)
def bound(op, first):
    op = _device(op)

    def with_first(z, x, operand):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = op(operand, x[k])

    def with_second(z, x, operand):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = op(x[k], operand)

    return cuda.jit(with_first if first else with_second)


def _value_of(truth):
    """Return the function that stores a result: its truth value or the result itself."""
    return _device((lambda value: 1 if value else 0) if truth else (lambda value: value))


@lru_cache(256)
def map(f, truth):
    f, stored = _device(f), _value_of(truth)

    def each(z, x):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = stored(f(x[k]))

    return cuda.jit(each)


@lru_cache(256)
def map_of_vector(f, truth):
    f, stored = _device(f), _value_of(truth)

    def each(z, x, positions):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = stored(f(x[k], np.int64(positions[k])))

    return cuda.jit(each)


@lru_cache(256)
def map_of_matrix(f, truth):
    f, row_of, stored = _device(f), _device(_row_of), _value_of(truth)

    def each(z, x, offsets, columns):
        k = cuda.grid(1)
        if k < z.shape[0]:
            z[k] = stored(f(x[k], row_of(offsets, k), np.int64(columns[k])))

    return cuda.jit(each)


def _row_of(offsets, k):
    """Return the row of entry k: the last row whose offset is at most k."""
    first = np.int64(0)
    last = np.int64(offsets.shape[0] - 1)
    while last - first > 1:
        middle = (first + last) // 2
        if offsets[middle] <= k:
            first = middle
        else:
            last = middle
    return first


@lru_cache(256)
def sum_of_products(add, multiply, identity):
    row_of, number = _device(_row_of), type(identity)
    add, multiply = _device(add), _device(multiply)

    def each(z, offsets, columns, a_offsets, a_columns, a_values, b_offsets, b_rows, b_values):
        k = cuda.grid(1)
        if k < z.shape[0]:
            row, column = row_of(offsets, k), columns[k]
            p, q = a_offsets[row], b_offsets[column]
            total = identity
            while p < a_offsets[row + 1] and q < b_offsets[column + 1]:
                i, j = a_columns[p], b_rows[q]
                if i == j:
                    total = number(add(total, multiply(a_values[p], b_values[q])))
                if i <= j:
                    p += 1
                if j <= i:
                    q += 1
            z[k] = total

    return cuda.jit(each)


@lru_cache(256)
def fold(add, multiply, identity):
    """Return kernel(y, offsets, indices, values, x, shift): 2^shift threads reduce a row; without `multiply` the values
    themselves are reduced."""
    add = _device(add)
    if multiply is None:
        def of_entry(k, indices, values, x):
            return values[k]
    else:
        multiply = _device(multiply)

        def of_entry(k, indices, values, x):
            return multiply(values[k], x[indices[k]])
    of_entry = _device(of_entry)
    everyone = 0xFFFFFFFF

    def folded(y, offsets, indices, values, x, shift):
        thread, lanes = cuda.grid(1), 1 << shift
        row, lane = thread >> shift, thread & (lanes - 1)
        first = last = 0
        if row < y.shape[0]:
            first, last = offsets[row], offsets[row + 1]
        part = (last - first + lanes - 1) >> shift
        total = identity
        for k in range(first + lane * part, min(last, first + (lane + 1) * part)):
            total = add(total, of_entry(k, indices, values, x))
        step = 1
        while step < lanes:
            right = cuda.shfl_down_sync(everyone, total, step)
            if lane % (2 * step) == 0 and (lane + step) * part < last - first:
                total = add(total, right)
            step *= 2
        if lane == 0 and row < y.shape[0]:
            y[row] = total

    return cuda.jit(folded)
