# SPDX-License-Identifier: BSD-3-Clause
"""The tests of the sparse algebra with the code for device arrays."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")
HERE = Path(__file__).parent


def test_sparse_algebra():
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1",
                   "PYTHONPATH": os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "simulated_device", str(HERE / "test_sparse.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
