# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices of SciPy, and whatever has their three arrays, as the library sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._arrays import NUMBERS, array, contiguous, named

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

_INT32 = np.dtype("i4")


def is_sparse(value: Any) -> TypeGuard[Any]:
    return hasattr(value, "tocsr") and hasattr(value, "shape")


def csr(name: str, a, types=NUMBERS, *, canonical=True, square=False):
    """(csr of the library, dtype) of a SciPy sparse matrix; see `arrays_of`."""
    arrays = arrays_of(name, a, types, canonical=canonical, square=square)
    return _core.Csr(*arrays, *map(int, a.shape)), arrays[2].dtype


def arrays_of(name: str, a, types=NUMBERS, *, canonical=True, square=False):
    """indptr and indices of int32 and data of a SciPy sparse matrix in any format.

    CSR arrays are read where they lie; indices of 64 bits are copied where they fit 32, other formats are converted by
    SciPy. `canonical`: columns sorted, without duplicates, which a copy is made for where it is not so.
    """
    if not is_sparse(a):
        raise TypeError(f"{name} is a {type(a).__name__}, expected a scipy.sparse matrix or array")
    if len(a.shape) != 2 or (square and a.shape[0] != a.shape[1]):
        raise ValueError(f"{name} has shape {a.shape}, expected {'(n, n)' if square else '(m, n)'}")
    if max(a.shape) > np.iinfo(_INT32).max or a.nnz > np.iinfo(_INT32).max:
        raise OverflowError(f"{name} with shape {a.shape} has {a.nnz} nonzeros, expected numbers below 2^31")
    if a.dtype not in types:
        raise TypeError(f"{name} with shape {a.shape} has dtype {a.dtype}, expected {named(types)}; "
                        "nothing is converted behind your back")
    rows = a.tocsr()
    if canonical and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    data = contiguous(f"{name}.data", array(f"{name}.data", rows.data, types))
    return rows.indptr.astype(_INT32, copy=False), rows.indices.astype(_INT32, copy=False), data


def to_scipy(arrays):
    """A scipy.sparse.csr_array of (offsets, indices, values, shape)."""
    from scipy.sparse import csr_array

    offsets, indices, values, shape = arrays
    return csr_array((values, indices, offsets), shape=shape)
