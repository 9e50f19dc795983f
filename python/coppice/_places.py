# SPDX-License-Identifier: BSD-3-Clause
"""Array libraries: NumPy on the host, CuPy and PyTorch on a device.

The classes `Host`, `CuPy` and `Torch` have the same methods: the few operations that the package needs. Results are
arrays of the library of the arguments; work is queued on its current stream.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from . import _core


class Host:
    """NumPy. `given` and `taken` convert arrays to and from the native library; for NumPy they return the arrays."""

    name = "numpy"
    on_device = False
    xp: Any = np

    def dtype(self, a) -> np.dtype:
        return a.dtype

    def device(self, a) -> int | None:
        return None

    def is_contiguous(self, a) -> bool:
        return a.flags.c_contiguous

    def given(self, a):
        return a

    def taken(self, result):
        return result

    def from_host(self, a):
        return a

    def to_host(self, a):
        return a

    def beside(self, a, like):
        """Copy a host array to the memory space of `like`."""
        return a

    def counted(self, n, like):
        """Return 0, 1, ..., n - 1 as int32."""
        return self.xp.arange(n, dtype=np.int32)

    def filled(self, shape, value, dtype, like):
        return self.xp.full(shape, value, dtype)

    def lower_places(self, rising, wanted):
        """Return, for each element of `wanted`, the number of smaller elements, as int32."""
        return self.xp.searchsorted(rising, wanted).astype(np.int32)

    def rows_with_entries(self, offsets):
        return self.xp.flatnonzero(self.xp.diff(offsets)).astype(np.int32)

    def put(self, a, indices, values):
        a[indices] = values

    def picked(self, a, indices):
        return a[indices]

    def finish(self, like):
        """Wait for the current stream."""

    def queue(self, stream):
        """Return the context in which user functions work on that stream."""
        return nullcontext()

    def empty(self, shape, dtype, like=None):
        return self.xp.empty(shape, dtype)

    def zeros(self, shape, dtype, like=None):
        return self.xp.zeros(shape, dtype)

    def copy(self, a):
        return self.xp.array(a, order="C")

    def packed(self, a):
        return self.xp.ascontiguousarray(a)

    def converted(self, a, dtype):
        return a.astype(dtype, copy=False)

    def broadcast(self, a, shape):
        return self.xp.broadcast_to(a, shape)

    def moved(self, a, source, destination):
        return self.xp.moveaxis(a, source, destination)

    def swapped(self, a, first, second):
        return self.xp.swapaxes(a, first, second)

    def padded(self, a, before, after):
        """Pad the last axis with zeros."""
        return self.xp.pad(a, [(0, 0)] * (a.ndim - 1) + [(before, after)])

    def largest(self, a) -> float:
        """Return the largest modulus; 0 for an empty array."""
        return float(self.xp.abs(a).max()) if a.size else 0.0

    def memory(self, like) -> int:
        """Return the size in bytes of the memory of `like`."""
        return _host_memory()


class CuPy(Host):
    name = "cupy"
    on_device = True

    def __init__(self) -> None:
        import cupy

        self.xp = cupy
        self._current, self._empty, self._solved = cupy.cuda.get_current_stream, cupy.empty, _SOLVED

    def device(self, a):
        return a.data.device_id

    def given(self, a):
        stream = self._current()
        dtype = a.dtype
        return _core.DeviceArray(a.data.ptr, a.size, dtype.kind, dtype.itemsize, a.data.device_id,
                                 _of_stream(stream.ptr), stream, a)

    def tridiagonal(self, dl, d, du, b):
        """Fast path for four plain vectors of one type and length; None for other arguments."""
        kind, n, dtype, device = type(d), d.size, d.dtype, d.data.device_id
        if n == 0 or dtype not in self._solved:
            return None
        at = []
        for a in (dl, d, du, b):
            if type(a) is not kind or a.ndim != 1 or a.size != n or a.dtype != dtype or not a.flags.c_contiguous:
                return None
            memory = a.data
            if memory.device_id != device:
                return None
            at.append(memory.ptr)
        x, stream = self._empty(n, dtype), self._current()
        _core.tridiagonal_on_device(dtype.kind, dtype.itemsize, n, *at, x.data.ptr, device, _of_stream(stream.ptr),
                                    stream)
        return x

    def taken(self, result):
        return self.xp.asarray(result)

    def from_host(self, a):
        return self.xp.asarray(a)

    def to_host(self, a):
        return a.get()

    def beside(self, a, like):
        return self.xp.asarray(a)

    def numba_stream(self, a):
        return _numba_stream(self._current().ptr)

    def finish(self, like):
        self._current().synchronize()

    def queue(self, stream):
        return self.xp.cuda.ExternalStream(stream) if stream else nullcontext()

    def memory(self, like):
        with like.device:
            return self.xp.cuda.runtime.memGetInfo()[1]

    def sparse(self, offsets, indices, values, shape):
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix((values, indices, offsets), shape=shape)


class Torch(Host):
    name = "torch"
    on_device = True

    def __init__(self) -> None:
        import torch

        self.xp = torch
        self._types = {getattr(torch, name): np.dtype(name) for name in (
            "float16", "float32", "float64", "complex64", "complex128", "bool", "uint8", "int8", "int16", "int32",
            "int64")}
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self._solved = _SOLVED
        self._numbers = {dtype: number for number, dtype in self._types.items()}

    def dtype(self, a):
        return self._types.get(a.dtype, np.dtype("V2"))  # none that is expected

    def device(self, a):
        return a.device.index

    def is_contiguous(self, a):
        return a.is_contiguous() and not a.is_conj() and not a.is_neg()

    def given(self, a):
        dtype, device = self._types[a.dtype], a.get_device()
        return _core.DeviceArray(a.data_ptr(), a.numel(), dtype.kind, dtype.itemsize, device, *self._stream(device), a)

    def tridiagonal(self, dl, d, du, b):
        dtype, shape, device = self._types.get(d.dtype), d.shape, d.get_device()
        if len(shape) != 1 or shape[0] == 0 or dtype not in self._solved:
            return None
        for a in (dl, du, b):
            if type(a) is not self.xp.Tensor or a.dtype != d.dtype or a.shape != shape or a.get_device() != device:
                return None
        for a in (dl, d, du, b):
            if not a.is_contiguous() or (dtype.kind == "c" and (a.is_conj() or a.is_neg())):
                return None
        x = self.xp.empty_like(b)
        _core.tridiagonal_on_device(dtype.kind, dtype.itemsize, shape[0], dl.data_ptr(), d.data_ptr(), du.data_ptr(),
                                    b.data_ptr(), x.data_ptr(), device, *self._stream(device))
        return x

    def _stream(self, device):
        """Return (address, owner) of the current stream."""
        if self._raw_stream is not None and not self._raw_stream(device):
            return 0, None  # by far the most frequent case, with a faster query
        stream = self.xp.cuda.current_stream(device)
        return _of_stream(stream.cuda_stream), stream

    def taken(self, result):
        return self.xp.as_tensor(result, device="cuda")

    def from_host(self, a):
        return self.xp.from_numpy(a).cuda()

    def to_host(self, a):
        return a.cpu().numpy()

    def beside(self, a, like):
        return self.xp.from_numpy(a).to(like.device)

    def counted(self, n, like):
        return self.xp.arange(n, dtype=self.xp.int32, device=like.device)

    def filled(self, shape, value, dtype, like):
        return self.xp.full(tuple(shape), value, dtype=self._numbers[np.dtype(dtype)], device=like.device)

    def lower_places(self, rising, wanted):
        return self.xp.searchsorted(rising, wanted, out_int32=True)

    def rows_with_entries(self, offsets):
        return self.xp.nonzero(self.xp.diff(offsets)).flatten().to(self.xp.int32)

    def put(self, a, indices, values):
        a[indices.long()] = values

    def picked(self, a, indices):
        return a[indices.long()]

    def numba_stream(self, a):
        return _numba_stream(self._stream(a.device.index)[0])

    def finish(self, like):
        self.xp.cuda.current_stream(like.device).synchronize()

    def queue(self, stream):
        return self.xp.cuda.stream(self.xp.cuda.ExternalStream(stream)) if stream else nullcontext()

    def empty(self, shape, dtype, like=None):
        return self.xp.empty(tuple(shape), dtype=self._numbers[np.dtype(dtype)], device=like.device)

    def zeros(self, shape, dtype, like=None):
        return self.xp.zeros(tuple(shape), dtype=self._numbers[np.dtype(dtype)], device=like.device)

    def copy(self, a):
        return a.clone(memory_format=self.xp.contiguous_format)

    def packed(self, a):
        return a.resolve_conj().resolve_neg().contiguous()

    def converted(self, a, dtype):
        return a.to(self._numbers[np.dtype(dtype)])

    def moved(self, a, source, destination):
        return self.xp.movedim(a, source, destination)

    def padded(self, a, before, after):
        return self.xp.nn.functional.pad(a, (before, after))

    def largest(self, a):
        return float(a.abs().max()) if a.numel() else 0.0

    def memory(self, like):
        return self.xp.cuda.get_device_properties(like.device).total_memory

    def sparse(self, offsets, indices, values, shape):
        return self.xp.sparse_csr_tensor(offsets, indices, values, size=tuple(shape))


HOST = Host()
_SOLVED = {np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")}


@cache
def _host_memory() -> int:
    """Return the memory of the machine, or the limit of its container."""
    try:
        most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return sys.maxsize
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            most = min(most, int(Path(path).read_text()))
        except (OSError, ValueError):  # none, or "max"
            pass
    return most


@cache
def cupy() -> CuPy:
    return CuPy()


@cache
def torch() -> Torch:
    return Torch()


def library_of(a) -> Host:
    """Return the library of an array that `_arrays.array` returned."""
    if isinstance(a, np.ndarray):
        return HOST
    return torch() if type(a).__module__.partition(".")[0] == "torch" else cupy()


def quick_tridiagonal(dl, d, du, b):
    """Return x for four plain vectors of one library and type; None for other arguments, which the general path
    checks."""
    if type(d) is np.ndarray:  # None is left to the general path, whose message names it
        return None if dl is None or du is None or b is None else _core.quick_tridiagonal(np.empty_like, dl, d, du, b)
    kind = type(d)
    if kind.__module__ == "cupy" and kind.__name__ == "ndarray":
        return cupy().tridiagonal(dl, d, du, b)
    if kind.__module__ == "torch" and kind.__name__ == "Tensor" and d.is_cuda and not d.requires_grad:
        return torch().tridiagonal(dl, d, du, b)
    return None


def _of_stream(address: int) -> int:
    return 0 if address == 1 else address  # cudaStreamLegacy is the default stream, too


def _numba_stream(address: int):
    from numba import cuda

    return cuda.external_stream(address) if address else cuda.default_stream()
