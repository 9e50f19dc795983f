# SPDX-License-Identifier: BSD-3-Clause
"""Checks of arguments: every message names the argument, what it is, and what was expected."""

from __future__ import annotations

import numpy as np

NUMBERS = (np.dtype("f4"), np.dtype("f8"), np.dtype("c8"), np.dtype("c16"))
REALS = NUMBERS[:2]


def named(types) -> str:
    return ", ".join(t.name for t in types)


def array(name: str, value, types=NUMBERS) -> np.ndarray:
    """`value` as a contiguous NumPy array without a copy; TypeError or ValueError says what stands against it."""
    if not isinstance(value, np.ndarray):
        if getattr(value, "__cuda_array_interface__", None) is not None or _on_device(value):
            raise TypeError(f"{name} lies in the memory of a device; this build of coppice works on host memory")
        if not (hasattr(value, "__dlpack__") or hasattr(value, "__array_interface__") or _has_buffer(value)):
            raise TypeError(f"{name} is a {type(value).__name__}, expected a NumPy array or what shares its memory "
                            "by DLPack or the buffer protocol")
        value = _borrow(name, value)
    if value.dtype not in types:
        raise TypeError(f"{name} with shape {value.shape} has dtype {value.dtype}, expected {named(types)}; "
                        f"nothing is converted behind your back")
    if not value.dtype.isnative:
        raise TypeError(f"{name} with shape {value.shape} has bytes in foreign order: {value.dtype.str}")
    return value


def contiguous(name: str, value: np.ndarray) -> np.ndarray:
    if not value.flags.c_contiguous:
        raise ValueError(f"{name} with shape {value.shape} has strides {value.strides}, expected contiguous memory; "
                         f"nothing is copied behind your back: numpy.ascontiguousarray({name})")
    return value


def same_type(first: str, a: np.ndarray, second: str, b: np.ndarray) -> None:
    if a.dtype != b.dtype:
        raise TypeError(f"{second} with shape {b.shape} has dtype {b.dtype}, expected {a.dtype} as {first} has")


def vector(name: str, value, size: int | None = None, types=NUMBERS) -> np.ndarray:
    """A contiguous vector; of `size` elements where that is given."""
    value = contiguous(name, array(name, value, types))
    if value.ndim != 1 or (size is not None and value.shape[0] != size):
        raise ValueError(f"{name} has shape {value.shape}, expected ({'n' if size is None else size},)")
    return value


def out_vector(name: str, value, like: np.ndarray) -> np.ndarray:
    """A vector that may be written to, of the type and shape of `like`."""
    value = vector(name, value, like.shape[0])
    same_type("the right-hand side", like, name, value)
    if not value.flags.writeable:
        raise ValueError(f"{name} with shape {value.shape} is read-only, expected an array to write to")
    return value


def _on_device(value) -> bool:
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and device()[0] not in (1, 3)  # kDLCPU, kDLCUDAHost


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
