# SPDX-License-Identifier: BSD-3-Clause
"""Mapping of ids of any kind to numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

import coppice


@pytest.mark.parametrize("start, end", [
    ([0, 2_000_000_000], [2_000_000_000, 5]),
    (np.array([2**40, 7, -3]), np.array([7, 2**62, 2**40])),
    (np.array([2**64 - 1, 3], np.uint64), np.array([3, 2**63], np.uint64)),
    (np.array([2**64 - 1, 3], np.uint64), np.array([3, 4])),
    (np.array([2**53, 2**53 + 1], np.uint64), np.array([-1, 2**53])),
    (["b", "a"], ["a", "later"]),
    ([], []),
])
def test_ids_come_back(start, end):
    found = coppice.renumber(start, end)
    of = [int(i) if not isinstance(i, str) else i for i in (*list(start), *list(end))]
    ids = [i if isinstance(i, str) else int(i) for i in found.ids.tolist()]
    assert ids == sorted(set(of))
    assert [ids[k] for k in (*found.start, *found.end)] == of
    assert found.start.dtype == found.end.dtype == np.int32


def test_distances_by_id():
    far = 2_000_000_000
    r = coppice.renumber([10, far], [far, 77])
    m = len(r.ids)
    A = sp.coo_array((np.array([2.0, 3.0]), (r.start, r.end)), shape=(m, m)).tocsr()
    found = coppice.graph.sssp(A, source=int(np.searchsorted(r.ids, 10))).values
    assert dict(zip(r.ids.tolist(), found.tolist())) == {10: 0, far: 2, 77: 5}


def test_bad_ids():
    for error, text, start, end in (
        (TypeError, "start .*float64, expected integers or text", [1.5], [2]),
        (TypeError, "expected one kind of ids", [1], ["1"]),
        (ValueError, r"end has shape \(1,\), expected \(2,\)", [1, 2], [3]),
        (ValueError, r"start has shape \(1, 1\)", [[1]], [3]),
        (OverflowError, "beyond 2\\^63", np.array([2**64 - 1], np.uint64), [-1]),
    ):
        with pytest.raises(error, match=text):
            coppice.renumber(start, end)
