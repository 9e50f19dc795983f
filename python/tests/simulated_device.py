# SPDX-License-Identifier: BSD-3-Clause
"""A pytest plugin that treats host arrays as device arrays, whose kernels Numba simulates.

It tests the code for device arrays on machines without a device:

    NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=python/tests python -m pytest -p simulated_device python/tests/test_sparse.py
"""

import threading

from numba.cuda.simulator import kernelapi

from coppice import _places

_places.HOST.on_device = True
_places.HOST.numba_stream = lambda a: 0
_told = {}


def shfl_down_sync(self, mask, value, delta):
    """Missing in the simulator: the value of a later thread of the warp."""
    thread = threading.current_thread()
    place = (id(thread._manager), thread.threadIdx.x)
    _told[place] = value
    thread.syncthreads()
    right = _told.get((place[0], place[1] + delta), value) if place[1] % 32 + delta < 32 else value
    thread.syncthreads()
    return right


kernelapi.FakeCUDAModule.shfl_down_sync = shfl_down_sync
