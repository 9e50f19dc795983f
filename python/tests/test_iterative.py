# SPDX-License-Identifier: BSD-3-Clause
"""Krylov methods and preconditioners, with SciPy as user and as judge."""

import _thread
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import coppice

METHODS = ["cg", "minres", "bicgstab", "idrs", "gmres", "fgmres"]


def laplace(n, dtype=np.float64):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    one = sp.eye_array(n)
    return (sp.kron(line, one) + sp.kron(one, line)).tocsr().astype(dtype)


def residual(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_methods(method, dtype):
    A = laplace(12, dtype)
    b = np.arange(1, A.shape[0] + 1).astype(dtype)
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    run = getattr(coppice, method)
    diagonal = A.diagonal()
    for M in (None, lambda r: r / diagonal, coppice.preconditioner("jacobi", A)):
        for operator in (A, A.tocsc(), A.tocoo(), spl.aslinearoperator(A), lambda x: A @ x):
            x, info = run(operator, b, rtol=rtol, M=M)
            assert info == 0 and x.dtype == dtype and residual(A, x, b) <= 1.01 * rtol


def test_conventions_of_scipy():
    A, b = laplace(10), np.ones(100)
    seen = []
    x, info = coppice.cg(A, b, callback=lambda x: seen.append(residual(A, x, b)))
    assert info == 0 and seen[-1] == pytest.approx(residual(A, x, b)) and seen[0] > seen[-1]
    told = []
    coppice.gmres(A, b, callback=told.append)
    assert told[-1] <= 1e-5
    _, info = coppice.cg(A, b, rtol=1e-12, maxiter=3)
    assert info == 3
    exact, _ = coppice.cg(A, b, rtol=1e-13)
    again, info = coppice.cg(A, b, exact, rtol=1e-8)
    assert info == 0 and np.array_equal(again, exact)
    assert coppice.cg(A, 0 * b)[1] == 0
    x, info = coppice.cg(A, np.full(100, np.nan))
    assert info < 0


def test_preconditioners_are_linear_operators():
    A, b = laplace(14), np.ones(196)
    assert {"forest", "jacobi", "multilevel"} <= set(coppice.preconditioners())
    for name, row in coppice.preconditioners().items():
        M = coppice.preconditioner(name, A)
        assert M.shape == A.shape and isinstance(M, spl.LinearOperator)
        if not row["varies"]:
            assert spl.gmres(A, b, M=M, rtol=1e-6)[1] == 0, name
        assert coppice.fgmres(A, b, M=M, rtol=1e-6)[1] == 0, name
    M = coppice.preconditioner("forest", A, rounds=7, ties="hash")
    assert M.report["options"]["rounds"] == "7" and 0 < M.report["weight_coverage"] <= 1
    r = np.arange(196.0)
    z = M @ r
    M.refresh(A * 2)
    assert np.allclose(M @ r, z / 2)
    assert "forest" in M._repr_html_()


def test_solve_chooses():
    A, b = laplace(20), np.ones(400)
    found = coppice.solve(A, b, rtol=1e-9)
    assert found.converged and residual(A, found.x, b) <= 1e-9 and found.attempts[-1]["solver"]
    assert "svg" in found._repr_html_()
    found = coppice.solve(A, b, method="bicgstab", preconditioner="forest", rounds=5)
    assert found.attempts[0]["setup"]["options"]["rounds"] == "5"
    found = coppice.solve(lambda x: A @ x, b, method="cg", preconditioner=None)
    assert found.converged and len(found.residual_history) == found.iterations + 1


def test_an_interrupt_keeps_the_best():
    A, b = laplace(40), np.random.default_rng(0).standard_normal(1600)
    calls = []

    def slow(x):
        calls.append(1)
        if len(calls) == 20:
            _thread.interrupt_main()
        return A @ x

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores it
    try:
        found = coppice.solve(slow, b, method="cg", preconditioner=None, rtol=1e-14)
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.reason == "cancelled" and 10 < found.iterations < 60
    assert residual(A, found.x, b) == pytest.approx(found.relative_residual) and found.relative_residual < 1


def test_errors_of_operators_come_through():
    def broken(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        coppice.cg(broken, np.ones(5))
    with pytest.raises(ValueError, match="A of a vector of shape"):
        coppice.cg(lambda x: x[:2], np.ones(5))
    with pytest.raises(ZeroDivisionError):
        coppice.cg(laplace(4), np.ones(16), callback=lambda x: 1 // 0)


def test_the_lock_is_released():
    A, b = laplace(60), np.ones(3600)
    expected, _ = coppice.cg(A, b)
    found = [None] * 4

    def work(k):
        found[k] = coppice.cg(A, b)[0]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(x, expected) for x in found)
