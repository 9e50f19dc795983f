# SPDX-License-Identifier: BSD-3-Clause
"""The package beside SciPy, python-graphblas and a plain import, in one run: python python/bench/peers.py"""

import subprocess
import sys
import time

import numpy as np
import scipy.linalg
import scipy.sparse as sp

import coppice


def median(*calls, repeats=9):
    """Median seconds of each call, taken in turn."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for told, call in zip(times, calls):
            start = time.perf_counter()
            call()
            told.append(time.perf_counter() - start)
    return [float(np.median(told)) for told in times]


def banded(n=2**20):
    rng = np.random.default_rng(0)
    ab, b = rng.standard_normal((3, n)), rng.standard_normal(n)
    ab[1] += 4
    for threads in (1, 2):
        with coppice.use_threads(threads):
            theirs, ours = median(lambda: scipy.linalg.solve_banded((1, 1), ab, b),
                                  lambda: coppice.solve_banded((1, 1), ab, b))
        print(f"solve_banded((1, 1)), 2^20 rows, {threads} threads: SciPy {1e3 * theirs:.1f} ms, "
              f"ours {1e3 * ours:.1f} ms, {theirs / ours:.1f} times")


def products(n=2**19, degree=12):
    rng = np.random.default_rng(0)
    A = sp.csr_array((rng.uniform(1, 2, n * degree), rng.integers(0, n, n * degree), np.arange(n + 1) * degree),
                     shape=(n, n))
    A.sum_duplicates()
    x = rng.uniform(1, 2, n)
    ours = coppice.Matrix(A)
    with coppice.use_threads(2):
        calls, names = [lambda: ours.mxv(x, "min-plus")], ["min-plus"]
        try:
            import numba  # noqa: F401

            own = coppice.semiring.user(lambda s, p: min(s, p), lambda a, v: a + v, np.inf)
            calls.append(lambda: ours.mxv(x, own))
            names.append("user operator")
        except ImportError:
            pass
        try:
            import graphblas as gb

            gb.init("suitesparse", blocking=True)
            gb.ss.config["nthreads"] = 2
            theirs, vector = gb.io.from_scipy_sparse(A), gb.Vector.from_dense(x)
            calls.append(lambda: theirs.mxv(vector, gb.semiring.min_plus).new())
            names.append("python-graphblas min-plus")
        except ImportError:
            pass
        for name, seconds in zip(names, median(*calls)):
            print(f"mxv {n} rows, {A.nnz} nonzeros, 2 threads, {name}: {1e3 * seconds:.1f} ms")


def imports():
    def run(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    bare, numpy, ours = median(run("pass"), run("import numpy"), run("import coppice"))
    print(f"import: {1e3 * (ours - bare):.0f} ms, of which NumPy {1e3 * (numpy - bare):.0f} ms")


if __name__ == "__main__":
    banded()
    products()
    imports()
