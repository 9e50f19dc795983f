# SPDX-License-Identifier: BSD-3-Clause
"""Types for annotations; not used at run time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Protocol, Sequence, Union

if TYPE_CHECKING:
    import numpy.typing as npt
    from typing_extensions import Buffer

    class SupportsDLPack(Protocol):
        def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    class SparseMatrix(Protocol):
        """A scipy.sparse matrix or array of two dimensions."""

        @property
        def shape(self) -> tuple[int, ...]: ...
        def tocsr(self) -> Any: ...

    class HasMatvec(Protocol):
        """A ``LinearOperator``."""

        def matvec(self, x: Any) -> Any: ...

    class HasMatmul(Protocol):
        def __matmul__(self, x: Any) -> Any: ...

    Array = npt.NDArray[Any]  # results
    ArrayIn = Union[npt.NDArray[Any], SupportsDLPack, Buffer, Sequence[Any]]  # what shares memory with NumPy, or lists
    Operator = Union[SparseMatrix, HasMatvec, HasMatmul, Callable[[Any], Any]]
    Callback = Callable[[int, float], object]
