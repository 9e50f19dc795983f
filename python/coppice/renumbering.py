# SPDX-License-Identifier: BSD-3-Clause
"""Maps ids of any kind to numbers from 0."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Renumbered", "renumber"]


class Renumbered(NamedTuple):
    """Edges with vertex numbers from 0, and the ids of the numbers.

    Attributes
    ----------
    start, end : (m,) int32 arrays, numbers from 0 to n - 1
    ids : (n,) array, sorted without duplicates: ids[k] is the id of vertex k.
    """

    start: np.ndarray
    end: np.ndarray
    ids: np.ndarray


def renumber(start: Any, end: Any) -> Renumbered:
    """Map the ids of the ends of edges to numbers from 0. Ids may have gaps, be larger than 2^31, negative or text.

    ``scipy.sparse.coo_array((weights, (r.start, r.end)), shape=(len(r.ids),) * 2)`` is the matrix of the edges;
    ``numpy.searchsorted(r.ids, 4711)`` is the vertex of an id, ``r.ids[values]`` are the ids of vertices. Memory grows
    with the number of edges, not with the ids.

    Parameters
    ----------
    start, end : (m,) arrays or lists of integers or text, the ends of m edges

    Returns
    -------
    Renumbered

    Examples
    --------
    >>> import coppice
    >>> start, end, ids = coppice.renumber(["Oslo", "Rome"], ["Rome", "Bern"])
    >>> start, end, ids.tolist()
    (array([1, 2], dtype=int32), array([2, 0], dtype=int32), ['Bern', 'Oslo', 'Rome'])
    """
    ends = [_ids(name, given) for name, given in (("start", start), ("end", end))]
    if ends[0].shape != ends[1].shape:
        raise ValueError(f"end has shape {ends[1].shape}, expected {ends[0].shape} as start has")
    ids, numbers = np.unique(_joined(*ends), return_inverse=True)
    if len(ids) > np.iinfo(np.int32).max:
        raise OverflowError(f"start and end hold {len(ids)} different ids, expected a number below 2^31")
    numbers = numbers.astype(np.int32)
    return Renumbered(numbers[:len(ends[0])], numbers[len(ends[0]):], ids)


def _ids(name, given):
    ids = np.asarray(given)
    if ids.size == 0:
        ids = ids.astype(np.int64)
    if ids.ndim != 1:
        raise ValueError(f"{name} has shape {ids.shape}, expected (m,)")
    if ids.dtype.kind not in "iuUS":
        raise TypeError(f"{name} with shape {ids.shape} has dtype {ids.dtype}, expected integers or text; others may round: "
                        "two ids would become one")
    return ids


def _joined(start, end):
    """Concatenate both arrays without changing any id."""
    if len({ids.dtype.kind in "iu" for ids in (start, end)}) > 1 or {start.dtype.kind, end.dtype.kind} == {"U", "S"}:
        raise TypeError(f"start has dtype {start.dtype} and end {end.dtype}, expected one kind of ids in both")
    if {start.dtype.kind, end.dtype.kind} != {"i", "u"}:
        return np.concatenate([start, end])
    unsigned, signed = (start, end) if start.dtype.kind == "u" else (end, start)
    if signed.size and signed.min() < 0:  # NumPy would convert both to float64
        if unsigned.size and unsigned.max() > np.iinfo(np.int64).max:
            raise OverflowError("start and end hold negative ids and such beyond 2^63, expected one type for both")
        return np.concatenate([start.astype(np.int64), end.astype(np.int64)])
    return np.concatenate([start.astype(np.uint64), end.astype(np.uint64)])
