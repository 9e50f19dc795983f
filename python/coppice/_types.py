# SPDX-License-Identifier: BSD-3-Clause
"""Names of types for annotations; nothing here is needed to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Protocol, Union

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

    Array = npt.NDArray[Any]  # what comes out
    ArrayIn = Union[npt.NDArray[Any], SupportsDLPack, Buffer]  # what shares memory with NumPy
    Operator = Union[SparseMatrix, HasMatvec, HasMatmul, Callable[[Any], Any]]
    Callback = Callable[[int, float], object]
