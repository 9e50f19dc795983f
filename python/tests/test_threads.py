# SPDX-License-Identifier: BSD-3-Clause
"""Several threads of Python simultaneously, as in interpreters without a lock: objects are shared, calls overlap."""

import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import coppice
from at_once import THREADS, at_once


def poisson(n):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


def test_what_is_made_on_first_use():
    """Plans, transposes, factors and compiled operators, which all threads request at the same time."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = sp.random_array((200, 200), density=0.05, rng=rng, format="csr")
        x, A = rng.random(200), coppice.Matrix(a)
        dl, d, du = rng.random((3, 200))
        factors = coppice.factorize_tridiagonal(dl, d + 3, du)
        expected = coppice.solve_tridiagonal(dl, d + 3, du, x, transposed=True)

        def work(k):
            assert np.allclose(A.mxv(x), a @ x) and np.allclose(A.vxm(x), a.T @ x)
            assert np.allclose(factors.solve(x, transposed=True), expected)

        at_once(work)


def test_operators_of_the_user():
    pytest.importorskip("numba")
    a = sp.random_array((100, 100), density=0.1, rng=np.random.default_rng(1), format="csr")
    A, x = coppice.Matrix(a), np.ones(100)
    longest = coppice.semiring.user(lambda s, p: max(s, p), lambda v, w: v * w, -np.inf)
    expected = A.mxv(x, "max-first")

    def work(k):
        found = A.mxv(x, longest)
        assert np.array_equal(found, expected)
        assert A.apply(lambda v: v + k).nnz == A.nnz

    at_once(work)


def test_a_preconditioner_is_refreshed_while_others_solve():
    """A solve uses either matrix; both are valid."""
    a = poisson(30)
    b = a @ np.ones(900)
    M = coppice.preconditioner("forest", a)

    def solve(k):
        for _ in range(5):
            x, info = coppice.cg(a, b, M=M, rtol=1e-10)
            assert info == 0 and np.allclose(x, 1)

    def refresh(k):
        for _ in range(5):
            M.refresh(a * (1.0 + k))
            assert M.report["name"]

    def apply(k):
        for _ in range(20):
            assert np.all(np.isfinite(M @ b))

    at_once(solve, refresh, apply)


def test_everything_at_once():
    a = poisson(20)
    weights = abs(a)
    A, b = coppice.Matrix(a), np.ones(400)
    rows, levels = A.reduce_rows("max").values, coppice.graph.bfs(weights, source=0).values
    forest = coppice.forests.linear_forest(weights)
    solution = coppice.solve(a, b).x

    def algebra(k):
        assert np.array_equal(A.ewise_add(A.T, "max").reduce_rows("max").values, rows)

    def graphs(k):
        assert np.array_equal(coppice.graph.bfs(weights, source=0).values, levels)
        assert np.array_equal(coppice.forests.linear_forest(weights).permutation, forest.permutation)

    def solves(k):
        assert np.allclose(coppice.solve(a, b).x, solution)

    def settings(k):
        coppice.set_threads(1 + k % 2)
        assert coppice.threads() in (1, 2)
        with pytest.raises(ValueError, match="unknown operator"):
            A.ewise_add(A, "add")

    before = coppice.threads()
    try:
        at_once(algebra, graphs, solves, settings)
    finally:
        coppice.set_threads(before)


def test_calls_let_other_threads_run():
    """While a product is computed, another thread counts. A thread that waits for the interpreter's lock can count at
    most once at the begin and at the end of a call, so three rounds prove that the lock was released during the
    call."""
    a = coppice.Matrix(sp.random_array((5000, 5000), density=4e-3, rng=np.random.default_rng(2), format="csr"))
    rounds, done = [0], threading.Event()

    def count():
        while not done.is_set():
            rounds[0] += 1
            time.sleep(1e-4)

    thread = threading.Thread(target=count)
    thread.start()
    most = 0
    try:
        for _ in range(1000):  # on a busy machine the other thread may have to wait
            before = rounds[0]
            a.mxm(a, "min-plus")
            most = max(most, rounds[0] - before)
            if most >= 3:
                break
    finally:
        done.set()
        thread.join()
    assert most >= 3
