# SPDX-License-Identifier: BSD-3-Clause
"""Checks of arguments: every message names the argument, what it is, and what was expected."""

from __future__ import annotations

import math
import operator
import sys
from typing import Any

import numpy as np

from . import _core, _places
from ._places import library_of

NUMBERS = (np.dtype("f4"), np.dtype("f8"), np.dtype("c8"), np.dtype("c16"))
REALS = NUMBERS[:2]
VALUES = (*NUMBERS, *(np.dtype(name) for name in ("bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")))


def named(types) -> str:
    return ", ".join(t.name for t in types)


def array(name: str, value, types=NUMBERS, copy=False) -> Any:
    """Return `value` as an array of NumPy, or of CuPy or PyTorch on a device, of one of `types`. TypeError or ValueError
    states why this is not possible.

    `copy`: lists, numbers, and arrays of other types and byte orders are converted, see `number_type`. False: an array
    that shares the memory of `value`, or an error.
    """
    if copy and (isinstance(value, (list, tuple, bool, int, float, complex, np.generic, np.matrix))
                 or not _shares_memory(value) and hasattr(value, "__array__")):
        value = _listed(name, value)
    elif not isinstance(value, np.ndarray):
        value = _shared(name, value)
    if type(value) is not np.ndarray and isinstance(value, (np.ma.MaskedArray, np.matrix)):
        raise TypeError(f"{name} with shape {value.shape} is a {type(value).__name__}, expected a plain array")
    dtype = library_of(value).dtype(value)
    if dtype in types and dtype.isnative:
        return value
    if copy and (wanted := type_among(types, dtype)) in types:
        return library_of(value).converted(value, wanted)
    if dtype not in types:
        raise TypeError(f"{name} with shape {shape_of(value)} has dtype {value.dtype}, expected {named(types)}"
                        f"{'' if copy else NO_CONVERSION}")
    raise TypeError(f"{name} with shape {value.shape} has bytes in foreign order: {value.dtype.str}{NO_CONVERSION}")


NO_CONVERSION = "; copy=False allows no conversion"


def number_type(*dtypes: np.dtype) -> np.dtype:
    """Return the type in which numbers of these types are computed, as SciPy does: that of NumPy's promotion among
    float32, float64, complex64 and complex128. Integers, booleans and reals of other sizes count as float64, complex numbers
    of other sizes as complex128. The type of objects if one of the types does not hold numbers."""
    natural = []
    for dtype in dtypes:
        if dtype.kind not in "biufc":
            return np.dtype(object)
        dtype = dtype.newbyteorder("=")
        natural.append(dtype if dtype in NUMBERS else NUMBERS[3 if dtype.kind == "c" else 1])
    return np.result_type(*natural)


def type_among(types, dtype: np.dtype) -> np.dtype:
    """Return the type of this machine's byte order if it is one of `types`, otherwise that of `number_type`."""
    native = dtype.newbyteorder("=")
    return native if native in types else number_type(dtype)


def exact(name: str, values, dtype: np.dtype) -> Any:
    """Return the values as another type. ValueError if it does not represent one of them."""
    given = library_of(values).dtype(values)
    if given == dtype:
        return values
    library = library_of(values)
    if library.on_device or np.can_cast(given, dtype) and not (given.kind in "iu" and given.itemsize == 8):
        return library.converted(values, dtype)
    with np.errstate(all="ignore"):
        made = _part_for(dtype, values).astype(dtype)
        again = _part_for(given, made).astype(given)  # differs where digits are lost
        same = (again == values) | ((values != values) & (made != made))
    if "c" not in (given.kind, dtype.kind):
        same &= (made < 0) == (values < 0)  # integers wrap in both directions
    if not same.all():
        wrong = values[~same][0]
        raise ValueError(f"{name} holds {wrong}, which {dtype} does not represent; astype(..., exact=False) rounds")
    return made


def _part_for(dtype, values):
    """Return the real part of complex numbers for a real type."""
    return values.real if values.dtype.kind == "c" and dtype.kind != "c" else values


def of_one_type(names, values, types=NUMBERS, copy=True) -> list[Any]:
    """Return arrays of the same type and memory space; `copy` as in `array`. Without it types must be equal."""
    parts = [array(name, value, types, copy) for name, value in zip(names, values)]
    if copy:
        wanted = number_type(*(library_of(part).dtype(part) for part in parts))
        parts = [cast(part, wanted) for part in parts]
    middle = (len(parts) - 1) // 2
    for name, part in zip(names, parts):
        same_type(names[middle], parts[middle], name, part)
    return parts


def cast(value, dtype: np.dtype) -> Any:
    """Return the array with the type; the same array if it has it."""
    library = library_of(value)
    return value if library.dtype(value) == dtype else library.converted(value, dtype)


def to_type(name: str, value, dtype: np.dtype, of: str, copy=True) -> Any:
    """Return an array of the given type, which is that of `of`. TypeError if the values are complex and the type is real."""
    value = array(name, value, copy=copy)
    given = library_of(value).dtype(value)
    if given != dtype and not (copy and np.can_cast(given, dtype, "same_kind")):
        raise TypeError(f"{name} with shape {shape_of(value)} has dtype {given}, expected {dtype} as {of} has"
                        f"{'' if copy else NO_CONVERSION}")
    return cast(value, dtype)


def _listed(name, value) -> np.ndarray:
    """Convert a list, a number or a matrix of NumPy."""
    try:
        made = np.asarray(value)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} is a {type(value).__name__} that is no array: {error}") from None
    if made.dtype.kind not in "biufc":
        raise TypeError(f"{name} is a {type(value).__name__} of {made.dtype}, expected numbers")
    return made


def contiguous(name: str, value, copy=False) -> Any:
    """Return an array without gaps, in a copy if necessary and allowed."""
    if library_of(value).is_contiguous(value):
        return value
    if copy:
        return library_of(value).packed(value)
    strides = value.strides if hasattr(value, "strides") else value.stride()
    raise ValueError(f"{name} with shape {shape_of(value)} has strides {strides}, expected contiguous memory"
                     f"{NO_CONVERSION}: {copies_with(value)}({name})")


def same_type(first: str, a, second: str, b) -> None:
    """Require that both have the same type, memory space and library."""
    left, right = library_of(a), library_of(b)
    if left.dtype(a) != right.dtype(b):
        raise TypeError(f"{second} with shape {shape_of(b)} has dtype {right.dtype(b)}, expected {left.dtype(a)} as "
                        f"{first} has")
    if left is not right or left.device(a) != right.device(b):
        raise TypeError(f"{second} with shape {shape_of(b)} is {where(right, b)}, expected {where(left, a)} as "
                        f"{first} is")


def shape_of(value) -> tuple[int, ...]:
    return tuple(value.shape)


def vector(name: str, value, size: int | None = None, types=NUMBERS, copy=False) -> Any:
    """Return a contiguous vector; of `size` elements if `size` is given. `copy` as in `array`."""
    value = contiguous(name, array(name, value, types, copy), copy)
    if value.ndim != 1 or (size is not None and value.shape[0] != size):
        raise ValueError(f"{name} has shape {shape_of(value)}, expected ({'n' if size is None else size},)")
    return value


def out_array(name: str, value, shape: tuple[int, ...], first: str, like) -> Any:
    """Return an output array of the given shape, with the type and in the memory space of `like`, which messages call
    `first`."""
    value = array(name, value)
    if shape_of(value) != tuple(shape):
        raise ValueError(f"{name} has shape {shape_of(value)}, expected {tuple(shape)}")
    same_type(first, like, name, value)
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        raise ValueError(f"{name} with shape {value.shape} is read-only, expected an array to write to")
    return value


def require_room(name: str, shape, dtype: np.dtype, like) -> None:
    """Raise MemoryError for an array that is larger than the memory of `like`: the operating system may allocate such
    memory, and fail only when it is written."""
    library, size = library_of(like), math.prod(shape) * dtype.itemsize
    if size > library.memory(like):
        raise MemoryError(f"cannot allocate {size} bytes for {name} with shape {tuple(shape)}, expected at most the "
                          f"{library.memory(like)} bytes of memory {where(library, like)}")


def require_finite(name: str, value) -> None:
    """Raise ValueError if an element is infinite or NaN."""
    if not bool(library_of(value).xp.isfinite(value).all()):
        raise ValueError(f"{name} with shape {shape_of(value)} contains infinity or NaN, expected finite numbers; "
                         "check_finite=False allows them")


def in_library_of(given, result) -> Any:
    """Convert a NumPy or CuPy array to the library of the argument `given`; both share their memory."""
    if isinstance(given, np.ndarray) or type(result) is type(given):
        return result
    if type(given).__module__.partition(".")[0] == "torch":
        return _places.torch().xp.from_numpy(result) if type(result) is np.ndarray else result
    if hasattr(given, "__array_namespace__"):
        return given.__array_namespace__().from_dlpack(result)
    return result


def integer(name: str, value, least: int | None = None, most: int | None = None) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected an integer") from None
    if (least is not None and number < least) or (most is not None and number > most):
        wanted = f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{name} is {number}, expected {wanted}")
    return number


def real(name: str, value) -> float:
    try:
        return value if type(value) is float else float(value + 0.0)  # text is not a number
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected a number") from None


def tolerance(name: str, value) -> float:
    """Return a finite number: infinity is the largest one."""
    number = real(name, value)
    if not number >= 0:
        raise ValueError(f"{name} is {number}, expected a number from 0")
    return min(number, sys.float_info.max)


def number(name: str, value) -> Any:
    """Return a number of Python: integers keep all their digits, other real numbers are floats."""
    return operator.index(value) if hasattr(value, "__index__") else real(name, value)


def text(name: str, value, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, expected {what}")
    return value


def copies_with(value) -> str:
    return {"numpy": "numpy.ascontiguousarray", "cupy": "cupy.ascontiguousarray",
            "torch": "torch.Tensor.contiguous"}[library_of(value).name]


def where(library, value) -> str:
    return f"of {library.name} on device {library.device(value)}" if library.on_device else "on the host"


def _shared(name: str, value):
    """Convert another object to an array that shares its memory: of NumPy, or of CuPy or PyTorch if it is on a
    device."""
    if not on_device(value):
        if not _shares_memory(value):
            raise TypeError(f"{name} is a {type(value).__name__}, expected a NumPy array or what shares its memory "
                            "by DLPack or the buffer protocol")
        return _borrow(name, value)
    if not _core.cuda_devices():
        raise TypeError(f"{name} is in the memory of a device; this build of coppice does not support devices, "
                        "only host memory")
    library = type(value).__module__.partition(".")[0]
    if library == "cupy":
        return value
    if library == "torch":
        return value.detach()
    try:
        return _places.cupy().xp.asarray(value)
    except ImportError:
        raise TypeError(f"{name} is in the memory of a device and is a {type(value).__name__}, expected an array of "
                        "CuPy or PyTorch; others are accepted if CuPy is installed") from None
    except Exception as error:  # from CuPy's runtime, whose exception classes depend on the version
        raise TypeError(f"{name} is in the memory of a device and is a {type(value).__name__} that CuPy does not "
                        f"accept: {error}") from None


def on_device(value) -> bool:
    if getattr(value, "is_cuda", False):
        return True
    device = getattr(value, "__dlpack_device__", None)
    if device is not None:
        return device()[0] not in (1, 3)  # kDLCPU, kDLCUDAHost
    return getattr(value, "__cuda_array_interface__", None) is not None


def _shares_memory(value) -> bool:
    """Whether NumPy, or a library for devices, reads the object without a copy."""
    if any(hasattr(value, name) for name in ("__dlpack__", "__array_interface__", "__cuda_array_interface__")):
        return True
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _borrow(name: str, value) -> np.ndarray:
    try:
        return np.from_dlpack(value) if hasattr(value, "__dlpack__") else np.asarray(value)
    except (BufferError, RuntimeError, TypeError) as error:
        if str(getattr(value, "dtype", "")).endswith("bool"):  # old versions of DLPack do not have this type
            return np.asarray(value)
        raise TypeError(f"{name}: {error}") from None
