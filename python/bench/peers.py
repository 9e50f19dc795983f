# SPDX-License-Identifier: BSD-3-Clause
"""Compares the package with SciPy, python-graphblas and a plain import, in one run: python python/bench/peers.py"""

import subprocess
import sys
import time

import numpy as np
import scipy.linalg
import scipy.sparse as sp

import coppice


def median(*calls, repeats=9):
    """Median seconds of each call, measured alternately. Of three consecutive calls the last one is measured, since
    spinning threads of the previous library (such as OpenMP) would slow down the first one."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(repeats):
        for told, call in zip(times, calls):
            for _ in range(3):
                start = time.perf_counter()
                call()
                seconds = time.perf_counter() - start
            told.append(seconds)
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
    calls = {"min-plus": lambda: ours.mxv(x, "min-plus")}
    try:
        import numba  # noqa: F401

        own = coppice.semiring.user(lambda s, p: p if p < s else s, lambda a, v: a + v, np.inf)
        calls["operators of the user"] = lambda: ours.mxv(x, own)
    except ImportError:
        pass
    try:
        import graphblas as gb

        gb.init("suitesparse", blocking=True)
        theirs, vector = gb.io.from_scipy_sparse(A), gb.Vector.from_dense(x)
        least = gb.monoid.register_anonymous(gb.binary.register_anonymous(lambda s, p: p if p < s else s), 10**9)
        semiring = gb.semiring.register_anonymous(least, gb.binary.register_anonymous(lambda a, v: a + v))
        calls["python-graphblas min-plus"] = lambda: theirs.mxv(vector, gb.semiring.min_plus).new()
        calls["python-graphblas, operators of the user"] = lambda: theirs.mxv(vector, semiring).new()
    except ImportError:
        gb = None
    for threads in (1, 2):
        if gb:
            gb.ss.config["nthreads"] = threads
        with coppice.use_threads(threads):
            for name, seconds in zip(calls, median(*calls.values())):
                print(f"mxv {n} rows, {A.nnz} nonzeros, {threads} threads, {name}: {1e3 * seconds:.1f} ms")


def imports():
    def run(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    bare, numpy, ours = median(run("pass"), run("import numpy"), run("import coppice"))
    print(f"import: {1e3 * (ours - bare):.0f} ms, of which NumPy {1e3 * (numpy - bare):.0f} ms")


if __name__ == "__main__":
    banded()
    products()
    imports()
