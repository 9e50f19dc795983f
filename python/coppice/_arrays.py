# SPDX-License-Identifier: BSD-3-Clause
"""Checks of arguments: every message names the argument, what it is, and what was expected."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _places
from ._places import library_of

NUMBERS = (np.dtype("f4"), np.dtype("f8"), np.dtype("c8"), np.dtype("c16"))
REALS = NUMBERS[:2]


def named(types) -> str:
    return ", ".join(t.name for t in types)


def array(name: str, value, types=NUMBERS) -> Any:
    """`value` as an array of NumPy, or of CuPy or PyTorch on a device, without a copy; TypeError or ValueError says
    what stands against it."""
    if not isinstance(value, np.ndarray):
        value = _shared(name, value)
    dtype = library_of(value).dtype(value)
    if dtype not in types:
        raise TypeError(f"{name} with shape {shape_of(value)} has dtype {value.dtype}, expected {named(types)}; "
                        f"nothing is converted behind your back")
    if not dtype.isnative:
        raise TypeError(f"{name} with shape {value.shape} has bytes in foreign order: {value.dtype.str}")
    return value


def contiguous(name: str, value) -> Any:
    if not library_of(value).is_contiguous(value):
        strides = value.strides if hasattr(value, "strides") else value.stride()
        raise ValueError(f"{name} with shape {shape_of(value)} has strides {strides}, expected contiguous memory; "
                         f"nothing is copied behind your back: {copies_with(value)}({name})")
    return value


def same_type(first: str, a, second: str, b) -> None:
    """Both of one type, in one place, of one library."""
    left, right = library_of(a), library_of(b)
    if left.dtype(a) != right.dtype(b):
        raise TypeError(f"{second} with shape {shape_of(b)} has dtype {right.dtype(b)}, expected {left.dtype(a)} as "
                        f"{first} has")
    if left is not right or left.device(a) != right.device(b):
        raise TypeError(f"{second} with shape {shape_of(b)} is {_where(right, b)}, expected {_where(left, a)} as "
                        f"{first} is")


def shape_of(value) -> tuple[int, ...]:
    return tuple(value.shape)


def vector(name: str, value, size: int | None = None, types=NUMBERS) -> Any:
    """A contiguous vector; of `size` elements where that is given."""
    value = contiguous(name, array(name, value, types))
    if value.ndim != 1 or (size is not None and value.shape[0] != size):
        raise ValueError(f"{name} has shape {shape_of(value)}, expected ({'n' if size is None else size},)")
    return value


def out_vector(name: str, value, like) -> Any:
    """A vector that may be written to, of the type and shape of `like`."""
    value = vector(name, value, like.shape[0])
    same_type("the right-hand side", like, name, value)
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        raise ValueError(f"{name} with shape {value.shape} is read-only, expected an array to write to")
    return value


def copies_with(value) -> str:
    return {"numpy": "numpy.ascontiguousarray", "cupy": "cupy.ascontiguousarray",
            "torch": "torch.Tensor.contiguous"}[library_of(value).name]


def _where(library, value) -> str:
    return f"of {library.name} on device {library.device(value)}" if library.on_device else "on the host"


def _shared(name: str, value):
    """What is no array of NumPy: the same memory as one, or as one of CuPy or PyTorch where it lies on a device."""
    if not _on_device(value):
        if not (hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__") or _has_buffer(value)):
            raise TypeError(f"{name} is a {type(value).__name__}, expected a NumPy array or what shares its memory "
                            "by DLPack or the buffer protocol")
        return _borrow(name, value)
    if not _core.cuda_devices():
        raise TypeError(f"{name} lies in the memory of a device; this build of coppice has none to work on, only host "
                        "memory")
    library = type(value).__module__.partition(".")[0]
    if library == "cupy":
        return value
    if library == "torch":
        return value.detach()
    try:
        return _places.cupy().xp.asarray(value)
    except ImportError:
        raise TypeError(f"{name} is a {type(value).__name__} on a device, expected an array of CuPy or PyTorch; others "
                        "are taken where CuPy is installed") from None


def _on_device(value) -> bool:
    if getattr(value, "is_cuda", False):
        return True
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        return device()[0] not in (1, 3)  # kDLCPU, kDLCUDAHost
    return getattr(value, "__cuda_array_interface__", None) is not None


def _has_buffer(value) -> bool:
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _borrow(name: str, value) -> np.ndarray:
    try:
        return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise TypeError(f"{name}: {error}") from None
