# SPDX-License-Identifier: BSD-3-Clause
"""Sparse algebra: matrices and vectors with products over semirings, element-wise operations and submatrices.

Operations return their result. Mask, accumulator and replace are applied by `update`:
``C.update(A.ewise_add(B, "min"), mask=M, accumulate="plus")`` is C<M> = C + min(A, B). Instead of a name of an operator
(`coppice.semiring`), a function of numbers can be given, which Numba compiles. All operations run in the memory space
of the arrays, on the host or on a device. Values on the host are bool, integers, real or complex numbers; on a device
float32 or float64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from . import _core, _on_device, _operators, _places, _typed
from ._arrays import (REALS, VALUES, array, contiguous, exact as exact_values, in_library_of, integer, on_device, real, same_type, shape_of,
                      vector, where)
from ._expressions import Expression
from ._pictures import pattern, table
from ._places import HOST, library_of
from ._sparse import arrays_of, csr_of, to_sparse
from .semiring import AnyMonoid, AnySemiring, Monoid, Operator, UserSemiring, name_of, swapped

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._types import Array, ArrayIn, SparseMatrix

    Indices = Union[ArrayIn, list[int], slice, None]

__all__ = ["Matrix", "Vector"]

_INTEGERS = tuple(np.dtype(kind + size) for kind in "iu" for size in "1248")


class _Entries:
    """Common base of matrices and vectors. The library stores a vector as a matrix, too: see `Vector._rows`."""

    dtype: np.dtype
    shape: tuple[int, ...]
    values: Any
    _library: Any
    _places = 2  # number of indices of an entry

    @property
    def nnz(self) -> int:
        """Number of entries."""
        return self.values.shape[0]

    def _rows(self, parts: int) -> Matrix:
        """Return the entries as a matrix."""
        raise NotImplementedError

    def _made(self, arrays: Any) -> Self:
        """Convert (offsets, indices, values, shape) of such a matrix to an object of this class."""
        raise NotImplementedError

    def _with_values(self, values: Any) -> Self:
        """Return the same entries with other values."""
        raise NotImplementedError

    def _parts(self, *others: _Entries) -> int:
        return 1

    def _fitting(self, name: str, other: Any, typed: bool = True) -> Any:
        """Return `other`, which must have class, shape, type (if `typed`) and memory space of this object."""
        raise NotImplementedError

    def astype(self, dtype: Any, *, exact: bool = True) -> Self:
        """Return the same entries with values of another type.

        Parameters
        ----------
        dtype : bool, an integer type, float32, float64, complex64 or complex128; on a device float32 or float64
        exact : bool
            True: a value that the type does not represent is a ValueError. False: values are converted as by NumPy.
        """
        wanted, known = np.dtype(dtype), REALS if self._library.on_device else VALUES
        if wanted not in known:
            raise TypeError(f"dtype is {wanted}, expected one of {', '.join(each.name for each in known)}")
        if wanted == self.dtype:
            return self
        return self._with_values(exact_values("the object", self.values, wanted) if exact
                                 else self._library.converted(self.values, wanted))

    def _beside(self, name, other, typed=True):
        """Return `other`; TypeError unless it has the type (if `typed`) and the memory space of this object."""
        if typed and other.dtype != self.dtype:
            raise TypeError(f"{name} with shape {other.shape} has dtype {other.dtype}, expected {self.dtype}; astype converts")
        mine, theirs = where(self._library, self.values), where(other._library, other.values)
        if mine != theirs:
            raise TypeError(f"{name} with shape {other.shape} is {theirs}, expected {mine}")
        return other

    def _writing(self, mask, accumulate, replace, structure, complement):
        """Return the options of an output with the mask as a matrix, and the objects that must stay alive until the
        output is written."""
        op = None if accumulate is None else _operators.binary(accumulate, self.dtype)
        return _core.Writing(_handle(mask), op and op.handle, replace, structure, complement), op

    @property
    def _is_real(self) -> bool:
        """Whether the library computes with values of this type."""
        return self.dtype in REALS

    def _apart(self, what: str, op: Any) -> Any:
        """Return the module that computes values apart from their places: for types other than float32 and float64, and for
        Python functions on a device. None if the library does both."""
        of_name = op is None or _operators.is_name(what, op)
        if not self._is_real:
            return _typed
        if self._library.on_device:
            _operators.require_on_device(op)
        return None if of_name or not self._library.on_device else _on_device

    def _scalar(self, name: str, value: Any) -> Any:
        """Return a number that the type of this object represents."""
        return real(name, value) if self._is_real else _typed.scalar(name, value, self.dtype)

    def _selecting(self, mask: Any) -> Any:
        """Return a mask in a type that the library takes with this object: 1 for values that select, 0 for others."""
        wanted = self.dtype if self._is_real else np.dtype(np.float64)
        if mask is None or mask.dtype == wanted:
            return mask
        return mask._with_values(mask._library.converted(mask.values != 0, wanted))

    def ewise_add(self, other: Self, op: Operator = "plus") -> Self:
        """Return the union of the entries (GrB_eWiseAdd).

        Parameters
        ----------
        other : of the shape and type of this one
        op : combines entries at the same position, op(a, b): a name of `semiring.operators`, a function of two
            numbers, or an expression of `coppice.jit`
        """
        return self._merged("ewise_add", other, op)

    def ewise_mult(self, other: Self, op: Operator = "times") -> Self:
        """Return op(a, b) at the positions at which both have an entry (GrB_eWiseMult).

        Parameters
        ----------
        other, op
            As in `ewise_add`.
        """
        return self._merged("ewise_mult", other, op)

    def ewise_union(self, other: Self, op: Operator, missing: float, other_missing: float) -> Self:
        """Return op(a, b) at the positions at which at least one has an entry (GxB_eWiseUnion).

        Parameters
        ----------
        other, op
            As in `ewise_add`.
        missing, other_missing : number, the values for missing entries of this object and of `other`
        """
        return self._merged("ewise_union", other, op, self._scalar("missing", missing),
                            self._scalar("other_missing", other_missing))

    def apply(self, f: str | Callable | Expression, *, first: float | None = None, second: float | None = None,
              scalar: float = 0.0) -> Self:
        """Return f of every entry (GrB_apply).

        Parameters
        ----------
        f : a name of `semiring.functions`, for complex numbers also "conj", "real", "imag", or a function of the value, or of
            value and position: (a), for matrices (a, i, j), for vectors (a, i); or an expression of `coppice.jit`. With `first` or
            `second`, an operator.
        first, second : number, an operand of the operator: op(first, a) or op(a, second)
        scalar : the number that rowindex, colindex and diagindex add
        """
        if first is not None and second is not None:
            raise ValueError("both first and second are given, expected one operand")
        if first is not None or second is not None:
            bound = self._scalar("second", second) if first is None else self._scalar("first", first)
            if apart := self._apart("the operator", f):
                return apart.apply_bound(self, f, bound, first is not None)
            op = _operators.binary(f, self.dtype)
            return self._made(_core.apply_bound(self._rows(self._parts())._csr, op.handle, bound, first is not None))
        if apart := self._apart("the function", f):
            return apart.apply(self, f, scalar)
        chosen = _operators.function(self._turned_name(f), self.dtype, self._places)
        return self._made(_core.apply(self._rows(self._parts())._csr, chosen.handle, real("scalar", scalar)))

    def select(self, keep: str | Callable | Expression, scalar: float = 0.0) -> Self:
        """Return the entries for which `keep` holds (GrB_select).

        Parameters
        ----------
        keep : a name of `semiring.selections`, or a predicate with the arguments of `apply`
        scalar : the number for the comparison: ``select("tril", -1)`` selects the entries below the diagonal,
            ``select("valuegt", 2)`` those greater than 2
        """
        if apart := self._apart("the selection", keep):
            return apart.select(self, keep, scalar)
        chosen = _operators.selection(self._turned_name(keep), self.dtype, self._places)
        return self._made(_core.select(self._rows(self._parts())._csr, chosen.handle, real("scalar", scalar)))

    def reduce(self, monoid: AnyMonoid = "plus") -> Any:
        """Reduce all entries, in any order; the identity if there are none (GrB_reduce). The result is a number of Python,
        computed in the type of the entries: sums of integers wrap.

        Parameters
        ----------
        monoid : a name of `semiring.monoids`, or one of `semiring.monoid`
        """
        monoid = _monoid_of(monoid)
        if apart := self._apart("the monoid", monoid.add):
            return apart.reduce(self, monoid.add, monoid.identity)
        chosen = monoid.chosen(self.dtype)
        return _core.reduce(self._rows(self._parts())._csr, chosen.handle)

    def update(self, result: Self, *, mask: Self | None = None, accumulate: Operator | None = None,
               replace: bool = False, structure: bool = False, complement: bool = False) -> Self:
        """Return C after C<mask, replace> = C ⊙ result, the output step of every GraphBLAS operation; C is this object.

        Parameters
        ----------
        result : of the shape and type of C
        mask : of the shape of C; C is written only at positions with a nonzero entry of the mask
        accumulate : the operator ⊙ for the old value and the result; without it the result replaces the old value
        replace : entries of C that the mask does not select are deleted
        structure : all entries of the mask select, whatever their value
        complement : use the complement of the mask
        """
        given = [self._fitting("result", result)]
        if mask is not None:
            mask = self._selecting(self._fitting("mask", mask, typed=False))
            given.append(mask)
        flags = {"replace": replace, "structure": structure, "complement": complement}
        if apart := self._apart("the operator", accumulate):
            return apart.update(self, result, accumulate, mask, **flags)
        parts = self._parts(*given)
        writing, keeps = self._writing(None if mask is None else mask._rows(parts), accumulate, **flags)
        return self._made(_core.update(self._rows(parts)._csr, result._rows(parts)._csr, writing))

    def _number(self, value: Any) -> Any:
        try:
            return self._scalar("value", value)
        except TypeError as error:
            raise TypeError(f"{error} or a {type(self).__name__}") from None

    def _merged(self, operation, other, op, *more):
        self._fitting("other", other)
        if apart := self._apart("the operator", op):
            return getattr(apart, operation)(self, other, op, *more)
        chosen, parts = _operators.binary(op, self.dtype), self._parts(other)
        merged = getattr(_core, operation)(self._rows(parts)._csr, other._rows(parts)._csr, chosen.handle, *more)
        return self._made(merged)

    def _turned_name(self, name):
        return name


class Vector(_Entries):
    """A vector: an array, which it shares, or a list of entries.

    Parameters
    ----------
    values : (n,) array of bool, integers, real or complex numbers, whose type is kept (types without a counterpart in C++
        are converted to float64 or complex128; on a device all types other than float32 to float64); with `indices`, the
        (entries,) array of the values at these indices
    indices : (entries,) array or list of integers, sorted without duplicates, if not all elements are entries; must not
        be changed afterwards
    size : int, the length n; required with `indices`

    Attributes
    ----------
    values : array
    indices : array of int32, or None if all elements are entries
    size : int
    shape : (size,)

    Examples
    --------
    >>> import coppice
    >>> v = coppice.Vector([5.0, 7.0], [1, 3], 4)
    >>> v.to_dense()
    array([0., 5., 0., 7.])
    >>> v.reduce("max")
    7.0
    """

    _places = 1

    def __init__(self, values: ArrayIn, indices: ArrayIn | list[int] | None = None, size: int | None = None) -> None:
        self.values = vector("values", values, types=_types_of(values), copy=True)
        self._library = library_of(self.values)
        self.dtype, self.indices, self.size = self._library.dtype(self.values), None, self.values.shape[0]
        if (indices is None) != (size is None):
            raise TypeError(f"values with shape {shape_of(self.values)}: indices and size go together")
        if indices is not None:
            self.size = integer("size", size, 0, 2**31 - 1)
            self.indices = _indices("indices", indices, self.size, self.values)
            if shape_of(self.indices) != shape_of(self.values):
                raise ValueError(f"indices has shape {shape_of(self.indices)}, expected {shape_of(self.values)} as values "
                                 "has")
            if bool((self.indices[1:] <= self.indices[:-1]).any()):
                raise ValueError(f"indices with shape {shape_of(self.indices)} are not sorted without duplicates")
        self.shape = (self.size,)

    def to_dense(self, fill: float = 0.0) -> Any:
        """Return the (n,) array; the values themselves if all elements are entries.

        Parameters
        ----------
        fill : number, the value of elements without an entry
        """
        if self.indices is None:
            return self.values
        dense = self._library.filled((self.size,), self._scalar("fill", fill), self.dtype, self.values)
        self._library.put(dense, self.indices, self.values)
        return dense

    def vxm(self, A: Matrix, semiring: AnySemiring = "plus-times", *, mask: ArrayIn | Vector | None = None,
            complement: bool = False, accumulate: ArrayIn | Vector | None = None) -> Vector:
        """x A.

        Parameters
        ----------
        A : Matrix (n, m)
        semiring, mask, complement, accumulate
            As in `Matrix.vxm`.
        """
        if not isinstance(A, Matrix):
            raise TypeError(f"A is a {type(A).__name__}, expected a Matrix")
        return A.vxm(self, semiring, mask=mask, complement=complement, accumulate=accumulate)

    def __matmul__(self, A: Matrix) -> Vector:
        return self.vxm(A) if isinstance(A, Matrix) else NotImplemented

    def extract(self, indices: Indices = None) -> Vector:
        """Return the vector whose element k is that at indices[k] (GrB_extract).

        Parameters
        ----------
        indices : in any order, with repetition, or a slice; None: all
        """
        if not self._is_real:
            return _typed.moved(self, "extract", indices)
        listed = self._along_line(_indices("indices", indices, self.size, self.values))
        return self._of_line(_core.extract(self._line()._csr, *listed))

    def assign(self, value: Vector | float, indices: Indices = None, *, mask: Vector | None = None,
               accumulate: Operator | None = None, replace: bool = False, structure: bool = False,
               complement: bool = False) -> Vector:
        """Return w after w<mask>(indices) = w(indices) ⊙ value (GrB_assign); w is this object.

        Parameters
        ----------
        value : Vector with one element per index, or a number for all selected positions
        indices : in any order, distinct for a Vector, or a slice; None: all
        mask, accumulate, replace, structure, complement
            As in `update`.
        """
        flags = {"replace": replace, "structure": structure, "complement": complement}
        where = _indices("indices", indices, self.size, self.values)
        if isinstance(value, Vector):
            size = self.size if where is None else where.shape[0]
            if value.size != size or value.dtype != self.dtype:
                raise ValueError(f"value has shape ({value.size},) and dtype {value.dtype}, expected ({size},) and "
                                 f"{self.dtype}")
            self._beside("value", value)
        else:
            value = number = self._number(value)
        mask = None if mask is None else self._selecting(self._fitting("mask", mask, typed=False))
        if apart := self._apart("the operator", accumulate):
            return apart.assign(self, value, (indices,), accumulate, mask, **flags)
        writing, keeps = self._writing(None if mask is None else mask._line(), accumulate, **flags)
        listed = self._along_line(where)
        if isinstance(value, Vector):
            return self._of_line(_core.assign(self._line()._csr, value._line()._csr, *listed, writing))
        return self._of_line(_core.assign_scalar(self._line()._csr, number, *listed, writing))

    def _rows(self, parts):
        """Store ranges of indices as rows, so that several threads can work: row k holds the entries of [k width, (k +
        1) width)."""
        first = np.minimum(np.arange(parts + 1) * (-(-self.size // parts)), self.size).astype(np.int32)
        offsets = self._library.beside(first, self.values)
        if self.indices is not None:
            offsets = self._library.lower_places(self.indices, offsets)
        return self._matrix(offsets, self._positions(), (parts, self.size))

    def _column(self):
        """Return the vector as a matrix of one column."""
        offsets = self._library.counted(self.size + 1, self.values)
        if self.indices is not None:
            offsets = self._library.lower_places(self.indices, offsets)
        return self._matrix(offsets, self._library.filled((self.nnz,), 0, np.int32, self.values), (self.size, 1))

    def _line(self):
        """Return the vector as a matrix of one row, for operations whose cost is proportional to the entries; on a
        device, where each thread processes a row, as a matrix of one column."""
        return self._column() if self._library.on_device else self._rows(1)

    def _along_line(self, where):
        """Return indices as (rows, columns) of that matrix."""
        where = None if where is None else self._library.given(where)
        return (where, None) if self._library.on_device else (None, where)

    def _of_line(self, arrays):
        return self._of_column(arrays) if self._library.on_device else self._made(arrays)

    def _of_column(self, arrays):
        offsets, _, values, (size, _) = arrays
        return self._of(self._library.taken(values), self._library.rows_with_entries(self._library.taken(offsets)), size)

    def _positions(self):
        return self._library.counted(self.size, self.values) if self.indices is None else self.indices

    def _matrix(self, offsets, indices, shape):
        return Matrix._of(self._library, (offsets, indices, self.values), shape)

    def _made(self, arrays):
        _, indices, values, (_, size) = arrays
        return self._of(self._library.taken(values), self._library.taken(indices), size)

    def _with_values(self, values):
        return self._of(values, self.indices, self.size)

    @classmethod
    def _of(cls, values, indices, size):
        made = cls(values)
        if values.shape[0] < size:
            made.indices, made.size, made.shape = indices, size, (size,)
        return made

    def _parts(self, *others):
        entries = max(x.nnz for x in (self, *others))
        return max(1, min(entries // 64 if self._library.on_device else min(entries // 4096, 64), self.size))

    def _fitting(self, name, other, typed=True):
        if not isinstance(other, Vector):
            raise TypeError(f"{name} is a {type(other).__name__}, expected a Vector")
        if other.size != self.size or (typed and other.dtype != self.dtype):
            raise ValueError(f"{name} has shape ({other.size},) and dtype {other.dtype}, expected ({self.size},) and "
                             f"{self.dtype}")
        return self._beside(name, other, typed)

    def _turned_name(self, name):
        """Swap the names of row and column operators: the index of an entry is its row here, but its column in the
        library."""
        return {"rowindex": "colindex", "rowle": "colle", "rowgt": "colgt"}.get(name, name) if isinstance(name, str) \
            else name

    def _repr_html_(self) -> str:
        facts = {"length": self.size, "entries": self.nnz, "type": self.dtype}
        places = self._library.to_host(self._positions())
        return table("vector", facts) + pattern(np.array([0, self.nnz]), places, (1, self.size))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.array(self.to_dense(), dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self.size

    def __reduce__(self) -> tuple[Any, ...]:
        return Vector._of, (self.values, self.indices, self.size)

    def __repr__(self) -> str:
        if self.indices is None:
            return f"Vector({self.values!r})"
        return f"<Vector of length {self.size}, {self.nnz} entries, {self.dtype}>"


class Matrix(_Entries):
    """Sparse matrix with the plan of its products. ``A @ x``, ``x @ A``, ``A @ B`` are products over plus-times, and so is
    ``A @ X`` for an (n, k) array.

    Parameters
    ----------
    A : (m, n) sparse matrix of SciPy, CuPy or PyTorch; CSR arrays are shared. Their values may change, but not their indices
        and offsets, which are checked only here. Values are bool, integers, real or complex numbers, whose type is kept; on
        a device they are float32 or float64, and other real types are converted to float64.

    Examples
    --------
    >>> import coppice
    >>> from scipy.sparse import csr_array
    >>> A = coppice.Matrix(csr_array([[0.0, 2.0], [3.0, 0.0]]))
    >>> A @ [1, 10]
    array([20.,  3.])
    >>> A.mxv([1, 10], "min-plus")
    array([12.,  4.])
    >>> (A @ A).to_scipy().toarray()
    array([[6., 0.],
           [0., 6.]])
    """

    __array_ufunc__ = None  # x @ A calls this class instead of NumPy

    def __init__(self, A: SparseMatrix) -> None:
        arrays = arrays_of("A", A, _types_of(A))
        self._set(library_of(arrays[2]), arrays, A.shape)
        self._known = csr_of(arrays, self.shape, "A")

    @classmethod
    def _of(cls, library, arrays, shape):
        """Create a matrix from arrays of the library."""
        made = cls.__new__(cls)
        made._set(library, tuple(map(library.taken, arrays)), shape)
        return made

    def _set(self, library, arrays, shape):
        self._library, self._arrays, self.values = library, arrays, arrays[2]
        self.dtype, self.shape = library.dtype(self.values), tuple(map(int, shape))
        self._known: Any = None
        self._is_quick = not library.on_device and self._is_real
        self._planned: dict[int, Any] = {}
        self._turned: Matrix | None = None
        self._held: Any = None

    @property
    def _csr(self):
        """Return the matrix as an argument of the library; on a device for the current stream."""
        if self._library.on_device:
            return csr_of(self._arrays, self.shape)
        if self._known is None:
            self._known = csr_of(self._arrays, self.shape)
        return self._known

    def _plan(self, y):
        """Return the plan of the products on the stream of y; there is one plan per stream, since the workspace of a
        plan serves one product at a time."""
        queue = getattr(y, "stream", 0)
        if queue not in self._planned:
            self._planned.setdefault(queue, _core.plan_products(self._csr))
        return self._planned[queue]

    def mxv(self, x: ArrayIn | Vector, semiring: AnySemiring = "plus-times", *, mask: ArrayIn | Vector | None = None,
            complement: bool = False, accumulate: ArrayIn | Vector | None = None) -> Any:
        """y_i = ⊕_j multiply(a_ij, x_j).

        Parameters
        ----------
        x : (n,) array or list, or Vector; matrix and array are converted to the common type that NumPy gives them. A value
            that it does not represent, such as 2**53 + 1 in float64, is a ValueError.
        semiring : a name, one of `semiring.named`, or one of `semiring.user`
        mask : (m,) array of the type of the matrix or bool, or Vector; y is computed only where the mask is not 0.
            Elsewhere y is that of `accumulate`, or of an empty row.
        complement : bool, compute y only where the mask is 0
        accumulate : (m,) array that is added to the product by the addition of the semiring

        Returns
        -------
        y : (m,) array, or Vector if x is one. If x has indices, so has y: it has no entry if no entries are combined or
            if the mask does not select the position.
        """
        if isinstance(x, Vector) and x.indices is not None:
            return self._mxv_of_entries(x, semiring, mask, complement, accumulate)
        wrapped, of_caller = isinstance(x, Vector), x
        x = vector("x", x.values if isinstance(x, Vector) else x, self.shape[1], self._types, copy=not wrapped)
        if not wrapped:
            wider, x = self._of_common_type("x", x)
            if wider is not self:
                y = wider.mxv(x, semiring, mask=mask, complement=complement, accumulate=accumulate)
                return in_library_of(of_caller, y)
        same_type("the matrix", self._arrays[2], "x", x)
        if not self._is_real:
            y = self._typed_mxv(x, semiring, mask, complement, accumulate)
            return Vector(y) if wrapped else in_library_of(of_caller, y)
        y, given = self._library.empty(self.shape[:1], self.dtype, x), self._library.given
        beside = [None if a is None else self._array_beside(name, a, y) for name, a in
                  (("mask", mask), ("accumulate", accumulate))]
        if isinstance(semiring, UserSemiring):
            y = self._fold_by_user(semiring, x, y, *beside, complement)
        else:
            mask, before = (None if a is None else given(a) for a in beside)
            place = given(y)
            _core.mxv(self._plan(place), name_of(semiring), given(x), place, mask, complement, before)
        return Vector(y) if wrapped else in_library_of(of_caller, y)

    def vxm(self, x: ArrayIn | Vector, semiring: AnySemiring = "plus-times", *, mask: ArrayIn | Vector | None = None,
            complement: bool = False, accumulate: ArrayIn | Vector | None = None) -> Any:
        """y_j = ⊕_i multiply(x_i, a_ij), with the operands in the order of the product x A, as in GrB_vxm. Uses the
        rows of the transposed matrix, which is computed once; on the host, a Vector with indices is multiplied along
        its entries, without the transposed matrix.

        Parameters
        ----------
        x : (m,) array of the type of the matrix, or Vector
        semiring, mask, complement, accumulate
            As in `mxv`; (n,) arrays.
        """
        if isinstance(x, Vector) and x.indices is not None:
            return self._vxm_of_entries(x, semiring, mask, complement, accumulate)
        of_other_order = swapped(semiring)
        if of_other_order is None:
            return self._vxm_as_row(x, semiring, mask, complement, accumulate)
        return self.T.mxv(x, of_other_order, mask=mask, complement=complement, accumulate=accumulate)

    def __matmul__(self, other: Any) -> Any:
        # What mxv() would do for such a vector, without its checks, which take as long as a small product.
        if (type(other) is np.ndarray and self._is_quick and other.dtype == self.dtype and other.shape == self.shape[1:]
                and other.flags.c_contiguous):
            y = np.empty(self.shape[0], self.dtype)
            _core.mxv(self._planned.get(0) or self._plan(y), "plus-times", other, y, None, False, None)
            return y
        if isinstance(other, Matrix):
            return self.mxm(other)
        return self._times_columns(other) if getattr(other, "ndim", 1) == 2 else self.mxv(other)

    def _times_columns(self, X):
        """Return A X for an (n, k) array."""
        given, X = X, array("X", X, self._types, copy=True)
        if X.shape[0] != self.shape[1]:
            raise ValueError(f"X has shape {shape_of(X)}, expected ({self.shape[1]}, k) as A has shape {self.shape}")
        A, X = self._of_common_type("X", X)
        if not A._is_real:
            return in_library_of(given, _columns([A @ X[:, k] for k in range(X.shape[1])], (self.shape[0], A.dtype)))
        X = contiguous("X", X, copy=True)
        same_type("the matrix", A.values, "X", X)
        Y, place = A._library.empty((self.shape[0], X.shape[1]), A.dtype, X), A._library.given
        _core.multiply_columns(A._csr, place(X), X.shape[1], place(Y))
        return in_library_of(given, Y)

    def __rmatmul__(self, x: ArrayIn) -> Any:
        return self.vxm(x)

    def mxm(self, B: Matrix, semiring: AnySemiring = "plus-times", *, mask: Matrix | None = None,
            complement: bool = False) -> Matrix:
        """The product A B over a semiring.

        Parameters
        ----------
        B : Matrix (n, k) of the type of this one
        semiring : as in `mxv`
        mask : Matrix (m, k) of any type; the product is computed only at its entries
        complement : bool, compute the product only where the mask has no entries
        """
        for name, other in (("B", B), ("mask", mask)):
            if other is not None and not isinstance(other, Matrix):
                raise TypeError(f"{name} is a {type(other).__name__}, expected a Matrix")
            if other is not None:
                self._beside(name, other, typed=name == "B")
        if B.shape[0] != self.shape[1]:
            raise ValueError(f"B has shape {B.shape}, expected ({self.shape[1]}, k) as A has shape {self.shape}")
        if mask is not None and mask.shape != (self.shape[0], B.shape[1]):
            raise ValueError(f"mask has shape {mask.shape}, expected {(self.shape[0], B.shape[1])}")
        return self._product(B, semiring, mask, complement)

    def reduce_rows(self, monoid: AnyMonoid = "plus") -> Vector:
        """Reduce every row in the order of its columns; empty rows give no entry (GrB_reduce to a vector).

        Parameters
        ----------
        monoid : as in `reduce`
        """
        monoid, offsets = _monoid_of(monoid), self._arrays[0]
        if apart := self._apart("the monoid", monoid.add):
            sums = apart.fold_rows(self._library, offsets, self.values, monoid.add, monoid.identity)
        else:
            chosen = monoid.chosen(self.dtype)
            sums = self._library.taken(_core.reduce_rows(self._csr, chosen.handle))
        present = self._library.rows_with_entries(offsets)
        if present.shape[0] == sums.shape[0]:
            return Vector(sums)
        return Vector._of(self._library.picked(sums, present), present, sums.shape[0])

    def reduce_columns(self, monoid: AnyMonoid = "plus") -> Vector:
        """Reduce every column in the order of its rows.

        Parameters
        ----------
        monoid : as in `reduce`
        """
        return self.transpose().reduce_rows(monoid)

    def extract(self, rows: Indices = None, columns: Indices = None) -> Matrix:
        """Return A(rows, columns) (GrB_extract).

        Parameters
        ----------
        rows, columns : indices in any order, with repetition, or slices; None: all
        """
        if not self._is_real:
            return _typed.moved(self, "extract", rows, columns)
        return self._made(_core.extract(self._csr, *self._given(self._listed(rows, columns))))

    def assign(self, value: Matrix | float, rows: Indices = None, columns: Indices = None, *,
               mask: Matrix | None = None, accumulate: Operator | None = None, replace: bool = False,
               structure: bool = False, complement: bool = False) -> Matrix:
        """Return C after C<mask>(rows, columns) = C(rows, columns) ⊙ value (GrB_assign); C is this object.

        Parameters
        ----------
        value : Matrix with one row and one column per index, or a number for all selected positions
        rows, columns : indices in any order, distinct for a Matrix, or slices; None: all
        mask, accumulate, replace, structure, complement : as in `update`; the mask has the shape of C
        """
        flags = {"replace": replace, "structure": structure, "complement": complement}
        listed = self._listed(rows, columns)
        if isinstance(value, Matrix):
            shape = tuple(n if a is None else a.shape[0] for n, a in zip(self.shape, listed))
            if value.shape != shape or value.dtype != self.dtype:
                raise ValueError(f"value has shape {value.shape} and dtype {value.dtype}, expected {shape} and "
                                 f"{self.dtype}")
            self._beside("value", value)
        else:
            value = number = self._number(value)
        mask = None if mask is None else self._selecting(self._fitting("mask", mask, typed=False))
        if apart := self._apart("the operator", accumulate):
            return apart.assign(self, value, (rows, columns), accumulate, mask, **flags)
        writing, keeps = self._writing(mask, accumulate, **flags)
        listed = self._given(listed)
        if isinstance(value, Matrix):
            return self._made(_core.assign(self._csr, value._csr, *listed, writing))
        return self._made(_core.assign_scalar(self._csr, number, *listed, writing))

    def kronecker(self, B: Matrix, op: Operator = "times") -> Matrix:
        """Return the Kronecker product with op(a_ij, b_kl) (GrB_kronecker).

        Parameters
        ----------
        B : Matrix (p, q) of the type of this one
        op : as in `ewise_add`
        """
        if not isinstance(B, Matrix):
            raise TypeError(f"B is a {type(B).__name__}, expected a Matrix")
        self._beside("B", B)
        if apart := self._apart("the operator", op):
            return apart.kronecker(self, B, op)
        chosen = _operators.binary(op, self.dtype)
        return self._made(_core.kronecker(self._csr, B._csr, chosen.handle))

    def transpose(self) -> Matrix:
        """Return the transposed matrix with the current values."""
        if not self._is_real:
            return _typed.moved(self, "transpose")
        return self._made(_core.transpose(self._csr))

    @property
    def T(self) -> Matrix:
        """The transposed matrix, computed at the first access with the values at that time."""
        if self._turned is None:
            turned = self.transpose()
            self._library.finish(self.values)  # another stream may use it later
            self._turned = turned
        return self._turned

    def to_sparse(self) -> Any:
        """Return a sparse matrix of SciPy, CuPy or PyTorch that shares the arrays."""
        return to_sparse(self._library, (*self._arrays, self.shape))

    def to_scipy(self) -> Any:
        """Return a scipy.sparse.csr_array that shares the arrays; a copy if they are on a device."""
        return to_sparse(HOST, (*map(self._library.to_host, self._arrays), self.shape))

    def to_cupy(self) -> Any:
        """Return a matrix of cupyx.scipy.sparse that shares the arrays; a copy if they are on the host."""
        return to_sparse(_places.cupy(), (*self._arrays, self.shape))

    def _repr_html_(self) -> str:
        offsets, indices = map(self._library.to_host, self._arrays[:2])
        facts = {"shape": f"{self.shape[0]} x {self.shape[1]}", "nonzeros": len(indices), "type": self.dtype}
        return table("matrix", facts) + pattern(offsets, indices, self.shape)

    def __repr__(self) -> str:
        return f"<Matrix {self.shape[0]} x {self.shape[1]}, {self._arrays[1].shape[0]} nonzeros, {self.dtype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _matrix_of, (self._arrays, self.shape)

    def _rows(self, parts):
        return self

    def _made(self, arrays):
        *parts, shape = arrays
        return Matrix._of(self._library, parts, shape)

    def _with_values(self, values):
        return Matrix._of(self._library, (*self._arrays[:2], values), self.shape)

    def _listed(self, rows, columns):
        return (_indices("rows", rows, self.shape[0], self.values),
                _indices("columns", columns, self.shape[1], self.values))

    def _given(self, lists):
        return [None if each is None else self._library.given(each) for each in lists]

    def _fitting(self, name, other, typed=True):
        if not isinstance(other, Matrix):
            raise TypeError(f"{name} is a {type(other).__name__}, expected a Matrix")
        if other.shape != self.shape or (typed and other.dtype != self.dtype):
            raise ValueError(f"{name} has shape {other.shape} and dtype {other.dtype}, expected {self.shape} and "
                             f"{self.dtype}")
        return self._beside(name, other, typed)

    def _array_beside(self, name, value, y):
        """Check that an array has type and shape of y."""
        value = value.to_dense() if isinstance(value, Vector) else value
        value = array(name, value, VALUES if name == "mask" or not self._is_real else REALS)
        if name == "mask" and library_of(value).dtype(value) != self.dtype:
            value = library_of(value).converted(value != 0, self.dtype)
        value = contiguous(name, value)
        if shape_of(value) != shape_of(y):
            raise ValueError(f"{name} has shape {shape_of(value)}, expected {shape_of(y)}")
        same_type("the matrix", y, name, value)
        return value

    def _fold_by_user(self, semiring, x, y, mask, before, complement):
        library = self._library
        if semiring.of_names:
            sums = self._product(Vector(x)._column(), semiring, None, False)
            y = library.filled(self.shape[:1], semiring.identity, self.dtype, x)
            library.put(y, library.rows_with_entries(sums._arrays[0]), sums.values)
        elif library.on_device:
            _operators.require_on_device(semiring.add)
            _on_device.multiply_rows(self, x, y, semiring.add, semiring.multiply, semiring.identity)
        else:
            _core.fold_rows(semiring.address(self.dtype), self._csr, x, y)
        return self._joined_by_user(semiring, y, mask, before, complement)

    @property
    def _types(self):
        return REALS if self._library.on_device else VALUES

    def _of_common_type(self, name, x):
        """Return matrix and array in the common type of NumPy; ValueError if it does not represent one of the values."""
        given = library_of(x).dtype(x)
        if given == self.dtype:
            return self, x
        wanted = np.result_type(self.dtype, given)
        A = self if wanted == self.dtype else self._with_values(exact_values("the matrix", self.values, wanted))
        return A, exact_values(name, x, wanted)

    def _typed_mxv(self, x, semiring, mask, complement, accumulate):
        pair = _typed.pair_of(semiring if isinstance(semiring, UserSemiring) else name_of(semiring), self.dtype)
        y = _typed.multiply_vector(self, pair, x)
        beside = [None if a is None else self._array_beside(name, a, y) for name, a in
                  (("mask", mask), ("accumulate", accumulate))]
        return self._joined_by_user(pair, y, *beside, complement)

    def _joined_by_user(self, semiring, y, mask, before, complement):
        library = self._library
        if before is not None:
            y = Vector(before).ewise_add(Vector(y), semiring.add).values
        if mask is not None:
            kept = library.filled(y.shape, semiring.identity, self.dtype, y) if before is None else before
            y = library.xp.where((mask != 0) != complement, y, kept)
        return y

    def _product(self, B, semiring, mask, complement):
        """Return A B over a semiring; the mask is a Matrix or None."""
        if not self._is_real:
            pair = _typed.pair_of(semiring if isinstance(semiring, UserSemiring) else name_of(semiring), self.dtype)
            return _typed.product(self, B, pair, mask, complement)
        among = _handle(self._selecting(mask))
        if not isinstance(semiring, UserSemiring):
            return self._made(_core.mxm(self._csr, B._csr, name_of(semiring), among, complement))
        if self._library.on_device and not semiring.of_names:
            _operators.require_on_device(semiring.add)
            pattern = self._made(_core.mxm(self._csr, B._csr, "any", among, complement))
            return _on_device.products(pattern, self, B, semiring.add, semiring.multiply, semiring.identity)
        add, multiply = semiring.chosen(self.dtype)
        return self._made(_core.multiply_over(self._csr, B._csr, add.handle, multiply.handle, among, complement))

    def _mxv_of_entries(self, x, semiring, mask, complement, accumulate):
        self._require_entries(x, self.shape[1], accumulate)
        mask = self._mask_of_entries(mask, self.shape[0])
        product = self._product(x._column(), semiring, None if mask is None else mask._column(), complement)
        return x._of_column((*product._arrays, product.shape))

    def _vxm_of_entries(self, x, semiring, mask, complement, accumulate):
        self._require_entries(x, self.shape[0], accumulate)
        # On a device one thread would process the whole row of x.
        of_other_order = swapped(semiring) if self._library.on_device else None
        if of_other_order is not None:
            return self.T._mxv_of_entries(x, of_other_order, mask, complement, None)
        mask = self._mask_of_entries(mask, self.shape[1])
        semiring = semiring if isinstance(semiring, UserSemiring) else name_of(semiring)
        product = x._rows(1)._product(self, semiring, None if mask is None else mask._rows(1), complement)
        return x._made((*product._arrays, product.shape))

    def _vxm_as_row(self, x, semiring, mask, complement, accumulate):
        """Compute x A as the product of a matrix of one row, for an operator without a name for swapped operands."""
        wrapped, of_caller = isinstance(x, Vector), x
        x = vector("x", x.values if isinstance(x, Vector) else x, self.shape[0], self._types)
        same_type("the matrix", self._arrays[2], "x", x)
        sums = Vector(x)._rows(1)._product(self, semiring, None, False)
        y = self._library.filled(self.shape[1:], semiring.identity, self.dtype, x)
        self._library.put(y, sums._arrays[1], sums.values)
        beside = [None if a is None else self._array_beside(name, a, y) for name, a in
                  (("mask", mask), ("accumulate", accumulate))]
        y = self._joined_by_user(semiring, y, *beside, complement)
        return Vector(y) if wrapped else in_library_of(of_caller, y)

    def _require_entries(self, x, size, accumulate):
        if x.size != size or x.dtype != self.dtype:
            raise ValueError(f"x has shape ({x.size},) and dtype {x.dtype}, expected ({size},) and {self.dtype}")
        self._beside("x", x)
        if accumulate is not None:
            raise ValueError("accumulate goes with dense vectors; Vector.update accumulates for those with indices")

    def _mask_of_entries(self, mask, size):
        """Return the entries of the mask that select."""
        if mask is None:
            return None
        mask = mask if isinstance(mask, Vector) else Vector(mask)
        if mask.size != size:
            raise ValueError(f"mask has shape ({mask.size},), expected ({size},)")
        return self._beside("mask", mask, typed=False).select("valuene", 0)


def _matrix_of(arrays, shape):
    """Return a matrix with these arrays, for pickling and copying."""
    return Matrix._of(library_of(arrays[2]), arrays, shape)


def _types_of(value):
    """Return the types that values may have in the memory space of an array or matrix."""
    library = type(value).__module__.partition(".")[0]
    return REALS if library in ("cupy", "cupyx") or on_device(value) else VALUES


def _columns(columns, shape_and_type):
    if columns:
        return np.stack(columns, axis=1)
    rows, dtype = shape_and_type
    return np.empty((rows, 0), dtype)


def _handle(matrix):
    return None if matrix is None else matrix._csr


def _monoid_of(monoid):
    return monoid if isinstance(monoid, Monoid) else Monoid(monoid)


def _indices(name, value, bound, like):
    """Return indices as int32 in the memory space of `like`, or None for all."""
    if value is None:
        return None
    library = library_of(like)
    if isinstance(value, slice):
        return library.beside(np.arange(*value.indices(bound), dtype=np.int32), like)
    if on_device(value):
        value = array(name, value, _INTEGERS)
        if library is not library_of(value):
            raise TypeError(f"{name} with shape {shape_of(value)} is in another memory space than the entries")
    else:
        value = np.asarray(value)
        if value.size == 0:
            value = value.astype(np.int32)
    kind = library_of(value).dtype(value).kind
    if value.ndim != 1 or kind not in "iu":
        raise TypeError(f"{name} has shape {shape_of(value)} and dtype {value.dtype}, expected a list of integers")
    if value.shape[0] and not 0 <= value.min() <= value.max() < bound:
        raise ValueError(f"{name} with shape {shape_of(value)} holds {value.min()} to {value.max()}, expected 0 to "
                         f"{bound - 1}")
    if isinstance(value, np.ndarray):
        return library.beside(np.ascontiguousarray(value, np.int32), like)
    return library.packed(library.converted(value, np.dtype(np.int32)))
