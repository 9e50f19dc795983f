# SPDX-License-Identifier: BSD-3-Clause
"""The package as a whole: memory, the command, pages of the guide."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

ROOT = Path(__file__).parents[2]


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1])


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts pages as Linux does")
def test_nothing_leaks():
    v, A = np.ones(64), sp.eye_array(64, format="csr")

    def work(times):
        for _ in range(times):
            coppice.solve_tridiagonal(v, 4 * v, v, v)
            with pytest.raises(ValueError):
                coppice.solve_tridiagonal(v, v, v, v[:3])
        for _ in range(times // 20):
            M = coppice.preconditioner("jacobi", A)
            coppice.cg(A, v, M=M)
            coppice.cg(lambda x: 2 * x, v)
            coppice.forests.linear_forest(A)
            coppice.factorize_tridiagonal(v, 4 * v, v).solve(v)

    work(2000)
    before = resident()
    work(20000)
    assert resident() - before < 500  # pages


def test_numpy_alone_is_imported():
    code = "import sys, coppice; print(sorted({'scipy', 'torch', 'networkx', 'numba'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_names_that_are_imported_on_first_use():
    code = (
        "import coppice; assert set(coppice.__all__) <= set(dir(coppice)); "
        "print(callable(coppice.cg), set(coppice.iterative.__all__) <= set(coppice.__all__), hasattr(coppice, 'cgs'))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split() == ["True", "True", "False"]


def test_the_command():
    program = Path(coppice.__file__).parent / "bin" / "coppice"
    if not program.exists():
        pytest.skip("built without the command")
    run = subprocess.run([sys.executable, "-m", "coppice", "--version"], capture_output=True, text=True)
    assert run.returncode == 0 and run.stdout.strip() == f"coppice {coppice.__version__}"
    run = subprocess.run([sys.executable, "-m", "coppice", "nothing"], capture_output=True, text=True)
    assert run.returncode == 2 and run.stderr.startswith("coppice: error:")


@pytest.mark.parametrize("page", ["docs/guide/python.md", "README.md"])
def test_examples_of_the_pages_run(page, capsys):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert blocks
    names: dict = {}
    for block in blocks:
        if "import torch" in block or "numba" in block:
            pytest.importorskip("torch" if "import torch" in block else "numba")
        exec(compile(block, page, "exec"), names)
