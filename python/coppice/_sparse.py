# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of sparse matrices of SciPy, CuPy and PyTorch, and of objects with the same three arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _core, _places
from ._arrays import NO_CONVERSION, NUMBERS, VALUES, array, cast, contiguous, named, number_type, shape_of, type_among
from ._places import library_of

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

_INT32 = np.dtype("i4")
_INTEGERS = (_INT32, np.dtype("i8"))


def is_sparse(value: Any) -> TypeGuard[Any]:
    return (hasattr(value, "tocsr") and hasattr(value, "shape")) or _is_torch(value)


def sparse_of(name: str, a: Any, copy: bool = True) -> Any:
    """Return a dense matrix of the host, an array or a list of rows, as a CSR matrix of SciPy without its zeros; other
    values, and all if `copy` is false, unchanged."""
    if not copy or not isinstance(a, (np.ndarray, list, tuple)):
        return a
    from scipy.sparse import csr_array

    dense = array(name, a, VALUES, copy=True)
    if dense.ndim != 2:
        raise ValueError(f"{name} has shape {dense.shape}, expected (m, n)")
    return csr_array(dense)


def csr(name: str, a, types=NUMBERS, *, canonical=True, square=False, copy=True, beside=None):
    """Return (CSR of the library, its array of values) of a sparse matrix, or of a dense one; see `arrays_of`."""
    a = sparse_of(name, a, copy)
    arrays = arrays_of(name, a, types, canonical=canonical, square=square, copy=copy, beside=beside)
    return csr_of(arrays, shape_of(a), name), arrays[2]


def require_sound(name: str, a: Any) -> None:
    """Raise ValueError if the arrays of a sparse matrix are invalid; called before SciPy converts it."""
    if _on_device(a) or _is_torch(a):
        return
    kind = getattr(a, "format", None)
    if kind == "csr":
        _check_compressed(name, a, shape_of(a))
    else:
        _check_format(name, a, kind)


def csr_of(arrays, shape, unchecked=None):
    """`unchecked`: the name of a matrix with unchecked arrays on a device; None if the library created them. Host
    arrays have been checked by `arrays_of`."""
    library = library_of(arrays[2])
    known = unchecked is None or not library.on_device
    try:
        return _core.Csr(*map(library.given, arrays), *map(int, shape), known)
    except ValueError as error:
        raise _malformed(unchecked, shape, error) from None


def arrays_of(name: str, a, types=NUMBERS, *, canonical=True, square=False, copy=True, beside=None):
    """Return indptr and indices as int32 and data of a sparse matrix in any format.

    CSR arrays are not copied; 64-bit indices are copied if they fit 32 bits, other formats are converted by the library
    of the matrix. `canonical`: sorted columns without duplicates, in a copy if necessary. `copy`: values of other types
    are converted as by `_arrays.array`, and to their common type with `beside`, the type of other arguments. ValueError
    for invalid arrays, before any other library uses them.
    """
    if not is_sparse(a):
        raise TypeError(f"{name} is a {type(a).__name__}, expected a scipy.sparse matrix or array, or one of CuPy or "
                        "PyTorch")
    shape = shape_of(a)
    if len(shape) != 2 or (square and shape[0] != shape[1]):
        raise ValueError(f"{name} has shape {shape}, expected {'(n, n)' if square else '(m, n)'}")
    if max(shape) > np.iinfo(_INT32).max:
        raise OverflowError(f"{name} has shape {shape}, expected numbers below 2^31")
    offsets, indices, data = (_rows_of_torch(name, a, canonical) if _is_torch(a)
                              else _rows_of(name, a, canonical, types if copy else ()))
    count = indices.shape[0]
    if count > np.iinfo(_INT32).max:
        raise OverflowError(f"{name} with shape {shape} has {count} nonzeros, expected a number below 2^31")
    library = library_of(data)
    wanted = type_among(types, library.dtype(data)) if copy else library.dtype(data)
    if wanted not in types:
        raise TypeError(f"{name} with shape {shape} has dtype {a.dtype}, expected {named(types)}"
                        f"{'' if copy else NO_CONVERSION}")
    data = contiguous(f"{name}.data", array(f"{name}.data", data, types, copy), copy)
    if copy and beside is not None and (wanted := number_type(wanted, beside)) in types:
        data = cast(data, wanted)
    offsets, indices = (library.packed(library.converted(each, _INT32)) for each in (offsets, indices))
    return offsets, indices, data


def to_sparse(library, arrays):
    """Return a sparse matrix of SciPy, CuPy or PyTorch with the arrays (offsets, indices, values, shape) of the
    library."""
    *parts, shape = arrays
    offsets, indices, values = map(library.taken, parts)
    if library is not _places.HOST:
        return library.sparse(offsets, indices, values, shape)
    from scipy.sparse import csr_array

    return csr_array((values, indices, offsets), shape=shape)


def _rows_of(name, a, canonical, types):
    if _on_device(a):
        return _rows_of_device(name, a, canonical)
    kind, shape = getattr(a, "format", None), shape_of(a)
    rows = a
    if kind != "csr":
        _check_format(name, a, kind)
        try:
            rows = _in_types(a, types).tocsr()
        except (ValueError, IndexError, TypeError) as error:
            raise _malformed(name, shape, error) from None
    if _check_compressed(name, rows, shape) or not canonical:
        return rows.indptr, rows.indices, rows.data
    # A new matrix, since the flags of SciPy about the order of this one may be wrong.
    rows = type(rows)((np.array(_in_types(rows.data, types)), rows.indices.copy(), rows.indptr.copy()), shape=shape)
    rows.sum_duplicates()
    return rows.indptr, rows.indices, rows.data


def _in_types(a, types):
    """Return a matrix or array in the type of `types` in which it is computed, so that sums of duplicates do not wrap; if
    there is none, in the byte order of this machine, since SciPy's compiled code needs it."""
    dtype = getattr(a, "dtype", None)
    if not isinstance(dtype, np.dtype):
        return a
    wanted = type_among(types, dtype)
    wanted = wanted if wanted in types else dtype.newbyteorder("=")
    return a if wanted == dtype else a.astype(wanted)


def _check_format(name, a, kind):
    """Check the arrays of the formats that SciPy converts in compiled code without checks."""
    shape = shape_of(a)
    if kind == "csc":
        _check_compressed(name, a, shape[::-1])
    elif kind == "bsr":
        r, c = getattr(a, "blocksize", (0, 0))
        data = np.asarray(a.data)
        if data.ndim != 3 or min(data.shape[1:]) < 1 or shape[0] % data.shape[1] or shape[1] % data.shape[2]:
            raise _malformed(name, shape, f"data has shape {data.shape}, expected (blocks, r, c) of blocks that fit")
        _check_compressed(name, a, (shape[0] // r, shape[1] // c), 3)
    elif kind == "coo":
        _check_coordinates(name, a, shape)


def _check_compressed(name, a, shape, dimensions=1):
    """Return whether every row is sorted without duplicates. ValueError if indptr, indices and data are invalid."""
    told = shape_of(a)
    parts = {part: np.asarray(getattr(a, part)) for part in ("indptr", "indices", "data")}
    for part, array in parts.items():
        wanted = dimensions if part == "data" else 1
        if array.ndim != wanted:
            raise _malformed(name, told, f"{part} has shape {array.shape}, expected {wanted} "
                                         f"dimension{'s' if wanted > 1 else ''}")
        if part != "data" and array.dtype not in _INTEGERS:
            raise _malformed(name, told, f"{part} has dtype {array.dtype}, expected int32 or int64")
    if len(parts["data"]) != len(parts["indices"]):
        raise _malformed(name, told, f"data has {len(parts['data'])} elements and indices has {len(parts['indices'])}, "
                                     "expected as many")
    try:
        return _core.check_rows(*(np.ascontiguousarray(parts[part]) for part in ("indptr", "indices")), *map(int, shape))
    except ValueError as error:
        raise _malformed(name, told, error) from None


def _check_coordinates(name, a, shape):
    coords = [np.asarray(part) for part in getattr(a, "coords", None) or (a.row, a.col)]
    for part, array, bound in zip(("row", "col"), coords, shape):
        if array.ndim != 1 or array.shape != np.shape(a.data):
            raise _malformed(name, shape, f"{part} has shape {array.shape}, expected that of data, {np.shape(a.data)}")
        if array.dtype.kind not in "iu":
            raise _malformed(name, shape, f"{part} has dtype {array.dtype}, expected integers")
        if array.size and not 0 <= array.min() <= array.max() < bound:
            raise _malformed(name, shape, f"{part} holds {array.min()} to {array.max()}, expected 0 to {bound - 1}")


def _malformed(name, shape, why):
    return ValueError(f"{name} with shape {tuple(shape)} is not a valid sparse matrix: {why}")


def _on_device(a) -> bool:
    return type(a).__module__.partition(".")[0] in ("cupy", "cupyx")


def _rows_of_device(name, a, canonical):
    rows = a.tocsr()
    if canonical and not rows.has_canonical_format:
        csr_of((rows.indptr, rows.indices, rows.data), shape_of(rows), name)  # checks the arrays
        rows = rows.copy()
        rows.sum_duplicates()
    return rows.indptr, rows.indices, rows.data


def _is_torch(value) -> bool:
    return str(getattr(value, "layout", "")).startswith("torch.sparse_")


def _rows_of_torch(name, a, canonical):
    a = a.detach()
    if str(a.layout) == "torch.sparse_coo":
        _check_torch_coordinates(name, a)
    if canonical and str(a.layout) == "torch.sparse_coo":
        a = a.coalesce()
    rows = a if str(a.layout) == "torch.sparse_csr" else a.to_sparse_csr()
    arrays = rows.crow_indices(), rows.col_indices(), rows.values()
    if rows.is_cuda:
        _check_range(name, a, "crow_indices", arrays[0], arrays[1].shape[0] + 1)
        _check_range(name, a, "col_indices", arrays[1], rows.shape[1])
        return arrays
    parts = _Parts(*(part.numpy() for part in arrays), shape_of(rows))
    if _check_compressed(name, parts, parts.shape) or not canonical:
        return parts[:3]
    return _sorted_rows(*parts)


class _Parts(NamedTuple):
    indptr: Any
    indices: Any
    data: Any
    shape: tuple[int, ...]


def _sorted_rows(offsets, indices, data, shape):
    """Return new arrays with sorted columns and added duplicates."""
    rows = np.repeat(np.arange(shape[0]), np.diff(offsets))
    order = np.lexsort((indices, rows))
    rows, indices, data = rows[order], indices[order], data[order]
    first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]) | (indices[1:] != indices[:-1])))
    sums = np.add.reduceat(data, first) if len(data) else data
    return np.searchsorted(rows[first], np.arange(shape[0] + 1)).astype(offsets.dtype), indices[first], sums


def _check_torch_coordinates(name, a):
    for part, indices, bound in zip(("row", "column"), a._indices(), a.shape):
        _check_range(name, a, f"the {part} indices", indices, bound)


def _check_range(name, a, part, values, bound):
    """Check indices before they are converted to int32, since larger ones would wrap around."""
    if values.shape[0] and not 0 <= int(values.min()) <= int(values.max()) < bound:
        raise _malformed(name, shape_of(a), f"{part} holds {int(values.min())} to {int(values.max())}, expected 0 to "
                                            f"{bound - 1}")
