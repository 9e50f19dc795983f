# SPDX-License-Identifier: BSD-3-Clause
from typing import Literal, NamedTuple, overload

from ._types import Array, ArrayIn

__all__ = [
    "Factorization", "Report", "factorize_banded", "factorize_block_tridiagonal", "factorize_tridiagonal",
    "solve_banded", "solve_block_tridiagonal", "solve_cyclic_tridiagonal", "solve_tridiagonal",
]

class Report(NamedTuple):
    backward_error: Array
    componentwise_error: Array
    status: Array
    row: Array
    condition: Array
    tries: Array
    @property
    def ok(self) -> bool: ...

class Factorization:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def n(self) -> int: ...
    @property
    def dtype(self) -> object: ...
    @property
    def singular_rows(self) -> Array: ...
    def __init__(self, system: object) -> None: ...
    def solve(
        self, b: ArrayIn, *, transposed: bool = ..., conjugate: bool = ..., out: ArrayIn | None = ...,
        copy: bool = ...,
    ) -> Array: ...

def factorize_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, *, cyclic: bool = ..., copy: bool = ...,
) -> Factorization: ...
def factorize_banded(l_and_u: tuple[int, int], ab: ArrayIn, *, copy: bool = ...) -> Factorization: ...
def factorize_block_tridiagonal(
    lower: ArrayIn, diagonal: ArrayIn, upper: ArrayIn, *, cyclic: bool = ..., copy: bool = ...,
) -> Factorization: ...
@overload
def solve_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ..., method: Literal["auto", "rpts", "chain"] = ...,
    refinements: int = ..., report: Literal[False] = ..., condition: Literal[False] = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> Array: ...
@overload
def solve_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ..., method: Literal["auto", "rpts", "chain"] = ...,
    refinements: int = ..., report: Literal[True], condition: bool = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ..., method: Literal["auto", "rpts", "chain"] = ...,
    refinements: int = ..., report: bool = ..., condition: Literal[True], out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_cyclic_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[False] = ..., condition: Literal[False] = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> Array: ...
@overload
def solve_cyclic_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[True], condition: bool = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_cyclic_tridiagonal(
    dl: ArrayIn, d: ArrayIn, du: ArrayIn, b: ArrayIn, *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: bool = ..., condition: Literal[True], out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_banded(
    l_and_u: tuple[int, int], ab: ArrayIn, b: ArrayIn, overwrite_ab: bool = ..., overwrite_b: bool = ...,
    check_finite: bool = ..., *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[False] = ..., condition: Literal[False] = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> Array: ...
@overload
def solve_banded(
    l_and_u: tuple[int, int], ab: ArrayIn, b: ArrayIn, overwrite_ab: bool = ..., overwrite_b: bool = ...,
    check_finite: bool = ..., *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[True], condition: bool = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_banded(
    l_and_u: tuple[int, int], ab: ArrayIn, b: ArrayIn, overwrite_ab: bool = ..., overwrite_b: bool = ...,
    check_finite: bool = ..., *,
    transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: bool = ..., condition: Literal[True], out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_block_tridiagonal(
    lower: ArrayIn, diagonal: ArrayIn, upper: ArrayIn, b: ArrayIn, *,
    cyclic: bool = ..., transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[False] = ..., condition: Literal[False] = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> Array: ...
@overload
def solve_block_tridiagonal(
    lower: ArrayIn, diagonal: ArrayIn, upper: ArrayIn, b: ArrayIn, *,
    cyclic: bool = ..., transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: Literal[True], condition: bool = ..., out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
@overload
def solve_block_tridiagonal(
    lower: ArrayIn, diagonal: ArrayIn, upper: ArrayIn, b: ArrayIn, *,
    cyclic: bool = ..., transposed: bool = ..., pivoting: Literal["partial", "scaled", "none"] = ...,
    refinements: int = ..., report: bool = ..., condition: Literal[True], out: ArrayIn | None = ...,
    copy: bool = ...,
) -> tuple[Array, Report]: ...
