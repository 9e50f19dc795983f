# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest that takes arrays of the host for those of a device, whose kernels Numba simulates.

What the package does for arrays of a device can so be tested where there is none:

    NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=python/tests python -m pytest -p simulated_device python/tests/test_sparse.py
"""

import threading

from numba.cuda.simulator import kernelapi

from coppice import _places

_places.HOST.on_device = True
_places.HOST.numba_stream = lambda a: 0
_told = {}


def shfl_down_sync(self, mask, value, delta):
    """What the simulator lacks: the value of a thread further on in the warp."""
    thread = threading.current_thread()
    place = (id(thread._manager), thread.threadIdx.x)
    _told[place] = value
    thread.syncthreads()
    right = _told.get((place[0], place[1] + delta), value) if place[1] % 32 + delta < 32 else value
    thread.syncthreads()
    return right


kernelapi.FakeCUDAModule.shfl_down_sync = shfl_down_sync
