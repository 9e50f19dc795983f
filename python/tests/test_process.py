# SPDX-License-Identifier: BSD-3-Clause
"""The package as a whole: memory, the command, pages of the guide."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
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
    v, four, A = np.ones(64), np.full(64, 4.0), sp.eye_array(64, format="csr")

    def work(times):
        for _ in range(times):
            coppice.solve_tridiagonal(v, four, v, v)
        for _ in range(times // 20):
            with pytest.raises(ValueError):
                coppice.solve_tridiagonal(v, v, v, v[:3])
            coppice.solve_tridiagonal(v[1:], four, v, v)
            coppice.solve_tridiagonal(v, four, v, v, report=True)
        for _ in range(times // 200):
            M = coppice.preconditioner("jacobi", A)
            coppice.cg(A, v, M=M)
            coppice.cg(lambda x: 2 * x, v)
            coppice.forests.linear_forest(A)
            coppice.solve_columns(A, np.ones((64, 2)), method="cg")
            coppice.graph.bfs(A, source=0)
            coppice.factorize_tridiagonal(v, 4 * v, v).solve(v)
            S, u = coppice.Matrix(A), coppice.Vector(v[:2], [3, 5], 64)
            S.update(S.mxm(S).ewise_add(S, "min"), mask=S.select("triu"), accumulate="plus").reduce_rows("max")
            u.update(u.vxm(S, "min-plus").apply("abs"), accumulate="times").extract([5, 5, 3])
            with pytest.raises(ValueError):
                S.ewise_add(S, "add")
            coppice.solve(A, v, method="cg", preconditioner="forest", callback=lambda iteration, residual: None)

    work(2000)
    before = resident()
    work(100_000)
    assert resident() - before < 500  # pages


def test_licences_come_along():
    from importlib.metadata import files

    try:
        names = {path.name for path in files("coppice") or () if "licenses" in path.parts}
    except ImportError:
        pytest.skip("not installed as a package")
    carried = {"LICENSE", *(path.name for path in (ROOT / "python/licenses").glob("*.txt"))}
    assert names == carried and {"nanobind.txt", "oneTBB.txt", "robin-map.txt"} < carried


def test_numpy_alone_is_imported():
    others = {"scipy", "torch", "networkx", "numba", "jax", "igraph", "tqdm"}
    code = f"import sys, coppice; print(sorted({others} & set(sys.modules)))"
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


@pytest.mark.skipif(shutil.which("ldd") is None, reason="looks at libraries as Linux does")
def test_nothing_but_the_wheel_and_libraries_of_every_system_is_needed():
    everywhere = ("linux-vdso", "ld-linux", "libc.", "libm.", "libdl.", "librt.", "libpthread.", "libstdc++.", "libgcc_s.",
                  "libz.", "libtbb.")
    folder = Path(coppice.__file__).parent
    for program in (folder / "bin" / "coppice", Path(coppice._core.__file__)):
        if program.exists():
            told = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
            needed = {Path(line.split()[0]).name for line in told.splitlines() if line.strip()}
            assert needed and all(name.startswith(everywhere) for name in needed), told


GUIDE = sorted((ROOT / "docs/guide").glob("*.md"))
PAGES = [ROOT / "README.md", *(page for page in GUIDE if "```python" in page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_the_pages_run(page, capsys):
    """In order, with the names of the previous examples; examples whose libraries are missing are skipped."""
    names: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S):
        if all(find_spec(library) for library in ("torch", "numba") if f"import {library}" in block):
            exec(compile(block, page, "exec"), names)
    assert names or page.stem == "python_devices"
    assert len(PAGES) == 8 and all(f"({page.name})" in (ROOT / "docs/guide/python.md").read_text() for page in PAGES[1:])


@pytest.mark.parametrize("path", sorted((ROOT / "python/examples").glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_examples_run(path, tmp_path):
    run = subprocess.run([sys.executable, path], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_there_are_examples():
    assert len(list((ROOT / "python/examples").glob("[a-z]*.py"))) >= 5
