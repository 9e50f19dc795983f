# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices of SciPy, CuPy and PyTorch, and whatever has their three arrays, as the library sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _places
from ._arrays import NUMBERS, array, contiguous, named, shape_of
from ._places import library_of

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

_INT32 = np.dtype("i4")


def is_sparse(value: Any) -> TypeGuard[Any]:
    return (hasattr(value, "tocsr") and hasattr(value, "shape")) or _is_torch(value)


def csr(name: str, a, types=NUMBERS, *, canonical=True, square=False):
    """(csr of the library, its array of values) of a sparse matrix; see `arrays_of`."""
    arrays = arrays_of(name, a, types, canonical=canonical, square=square)
    return csr_of(arrays, shape_of(a)), arrays[2]


def csr_of(arrays, shape, known=False):
    """`known`: what the arrays hold has been looked at, or the library made them."""
    library = library_of(arrays[2])
    return _core.Csr(*map(library.given, arrays), *map(int, shape), known)


def arrays_of(name: str, a, types=NUMBERS, *, canonical=True, square=False):
    """indptr and indices of int32 and data of a sparse matrix in any format.

    CSR arrays are read where they lie; indices of 64 bits are copied where they fit 32, other formats are converted by
    the library of the matrix. `canonical`: columns sorted, without duplicates, which a copy is made for where it is not
    so.
    """
    if not is_sparse(a):
        raise TypeError(f"{name} is a {type(a).__name__}, expected a scipy.sparse matrix or array, or one of CuPy or "
                        "PyTorch")
    shape = shape_of(a)
    if len(shape) != 2 or (square and shape[0] != shape[1]):
        raise ValueError(f"{name} has shape {shape}, expected {'(n, n)' if square else '(m, n)'}")
    if max(shape) > np.iinfo(_INT32).max:
        raise OverflowError(f"{name} has shape {shape}, expected numbers below 2^31")
    offsets, indices, data = (_rows_of_torch if _is_torch(a) else _rows_of)(a, canonical)
    count = indices.shape[0]
    if count > np.iinfo(_INT32).max:
        raise OverflowError(f"{name} with shape {shape} has {count} nonzeros, expected a number below 2^31")
    library = library_of(data)
    if library.dtype(data) not in types:
        raise TypeError(f"{name} with shape {shape} has dtype {a.dtype}, expected {named(types)}; "
                        "nothing is converted behind your back")
    data = contiguous(f"{name}.data", array(f"{name}.data", data, types))
    return library.converted(offsets, _INT32), library.converted(indices, _INT32), data


def to_sparse(library, arrays):
    """A sparse matrix of SciPy, CuPy or PyTorch of (offsets, indices, values, shape) of the library."""
    *parts, shape = arrays
    offsets, indices, values = map(library.taken, parts)
    if library is not _places.HOST:
        return library.sparse(offsets, indices, values, shape)
    from scipy.sparse import csr_array

    return csr_array((values, indices, offsets), shape=shape)


def _rows_of(a, canonical):
    rows = a.tocsr()
    if canonical and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows.indptr, rows.indices, rows.data


def _is_torch(value) -> bool:
    return str(getattr(value, "layout", "")).startswith("torch.sparse_")


def _rows_of_torch(a, canonical):
    a = a.detach()
    if canonical and str(a.layout) == "torch.sparse_coo":
        a = a.coalesce()
    rows = a if str(a.layout) == "torch.sparse_csr" else a.to_sparse_csr()
    arrays = rows.crow_indices(), rows.col_indices(), rows.values()
    return arrays if rows.is_cuda else tuple(part.numpy() for part in arrays)
