# SPDX-License-Identifier: BSD-3-Clause
"""Krylov methods and preconditioners, used by SciPy and compared with it."""

import _thread
import signal
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import coppice

METHODS = ["cg", "minres", "bicgstab", "tfqmr", "idrs", "gmres", "fgmres"]


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
    with pytest.warns(DeprecationWarning, match="callback_type"):  # then maxiter counts iterations, as in SciPy
        _, info = coppice.gmres(A, b, callback=told.append, maxiter=7, rtol=1e-12)
    assert info == len(told) == 7 and isinstance(told[-1], np.float64)
    del told[:]
    coppice.gmres(A, b, callback=told.append, callback_type="pr_norm")
    assert told[-1] <= 1e-5
    _, info = coppice.cg(A, b, rtol=1e-12, maxiter=3)
    assert info == 3
    for kind, steps in (("pr_norm", 10), ("legacy", 2)):  # cycles of 5, or iterations
        told.clear()
        coppice.gmres(A, b, rtol=1e-14, restart=5, maxiter=2, callback=told.append, callback_type=kind)
        assert len(told) == steps
    for method in (coppice.gmres, coppice.fgmres):  # x after every cycle, of which the last one ends early
        told.clear()
        x, info = method(A, b, rtol=1e-8, restart=5, callback=lambda x: told.append(residual(A, x, b)), callback_type="x")
        plain, _ = method(A, b, rtol=1e-8, restart=5)
        assert info == 0 and len(told) > 1 and np.allclose(x, plain) and told == sorted(told, reverse=True)
        assert told[-1] == residual(A, x, b) <= 1e-8
        assert method(A, b, rtol=1e-8, restart=5, maxiter=2, callback=told.append, callback_type="x")[1] == 2
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


def test_preconditioners_as_those_of_pyamg():
    A, b = laplace(20), np.ones(400)
    M = coppice.preconditioner("multilevel", A, coarsest=10)
    assert M.aspreconditioner() is M and M.aspreconditioner(cycle="V") is M
    W = M.aspreconditioner("W")
    assert W.report["options"]["cycle"] == "w" and W.report["options"]["coarsest"] == "10" and W.dtype == M.dtype
    assert np.array_equal(W @ b, coppice.preconditioner("multilevel", A, coarsest=10, cycle="w") @ b)
    assert not np.array_equal(W @ b, M @ b)
    for preconditioner, cycle in ((M, "F"), (coppice.preconditioner("jacobi", A), "V")):
        with pytest.raises(ValueError, match="cycle"):
            preconditioner.aspreconditioner(cycle)


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

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore SIGINT
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            coppice.solve(slow, b, method="cg", preconditioner=None, rtol=1e-14)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 20 <= len(calls) < 60 and 0 < residual(A, raised.value.x, b) < 1


def test_an_interrupt_ends_a_solve_without_python_in_it():
    """The calling thread checks for signals, although no Python code runs."""
    A, b = laplace(500), np.random.default_rng(0).standard_normal(250_000)  # takes seconds
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            coppice.solve(A, b, method="cg", preconditioner="none", rtol=1e-12)
            timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert residual(A, raised.value.x, b) <= 1


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("columns", [0, 1, 3, 11])
def test_columns(dtype, columns):
    A = laplace(12, dtype)
    B = np.random.default_rng(columns).standard_normal((144, columns)).astype(dtype)
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    diagonal = A.diagonal()
    for M in (None, "ilu0", coppice.preconditioner("jacobi", A), lambda r: r / diagonal):
        found = coppice.solve_columns(A, B, method="bicgstab", preconditioner=M, rtol=rtol)
        assert found.x.shape == B.shape and found.x.dtype == dtype and len(found.columns) == columns
        assert found.converged
        for k, column in enumerate(found.columns):
            assert residual(A, found.x[:, k], B[:, k]) <= 1.01 * rtol and np.shares_memory(column.x, found.x)
    assert found._repr_html_().count("column ") == columns and "svg" in found._repr_html_() or columns == 0
    again = coppice.solve_columns(A, B, found.x, method="bicgstab", rtol=1.1 * rtol)
    assert np.array_equal(again.x, found.x) and all(column.iterations == 0 for column in again.columns)


def test_columns_end_by_an_interrupt_and_by_errors():
    A, B = laplace(30), np.random.default_rng(0).standard_normal((900, 4))
    calls = []

    def slow(r):
        calls.append(1)
        if len(calls) == 8:
            _thread.interrupt_main()
        time.sleep(0.01)
        return r.copy()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            coppice.solve_columns(A, B, method="cg", preconditioner=slow, rtol=1e-14)
    finally:
        signal.signal(signal.SIGINT, before)
    assert raised.value.x.shape == B.shape and len(calls) < 200

    def broken(r):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        coppice.solve_columns(A, B, method="cg", preconditioner=broken)
    for error, text, arguments, options in (
        (ValueError, r"B has shape \(900,\), expected \(900, k\)", (A, B[:, 0]), {}),
        (TypeError, "B .*float32, expected float64", (A, B.astype("f4")), {"copy": False}),
        (ValueError, r"X0 has shape \(900, 2\), expected \(900, 4\)", (A, B, B[:, :2]), {}),
        (TypeError, "A is a function", (lambda x: x, B), {}),
        (TypeError, "rounds: not an argument of solve", (A, B), {"rounds": 3}),
        (ValueError, "cgs", (A, B), {"method": "cgs"}),
    ):
        with pytest.raises(error, match=text):
            coppice.solve_columns(*arguments, **{"method": "cg", **options})


def test_mixed_precision():
    A, b = laplace(30), np.random.default_rng(1).standard_normal(900)
    found = coppice.solve_refined(A, b, rtol=1e-13, rounds=5)
    assert found.converged and found.restarts >= 2 and residual(A, found.x, b) <= 1.01e-13
    assert found.attempts[0]["setup"]["options"]["rounds"] == "5" and "svg" in found._repr_html_()
    with pytest.raises(TypeError, match="A .*float32, expected float64"):
        coppice.solve_refined(A.astype("f4"), b.astype("f4"), copy=False)
    with pytest.raises(TypeError, match="A .*complex128, expected float32, float64"):
        coppice.solve_refined(A.astype(complex), b)
    with pytest.raises(ValueError, match="A with shape .*float32"):
        coppice.solve_refined(A * 1e300, b)


def test_progress(capsys):
    tqdm = pytest.importorskip("tqdm")
    assert tqdm
    A, b = laplace(20), np.ones(400)
    seen = []
    found = coppice.solve(A, b, method="cg", preconditioner="none", progress=True,
                          callback=lambda iteration, residual: seen.append(iteration))
    told = capsys.readouterr().err
    assert f"{found.iterations} iterations" in told and "residual=" in told and seen[-1] == found.iterations


def test_progress_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        coppice.solve(laplace(4), np.ones(16), progress=True)


@pytest.mark.parametrize("name", ["forest", "multilevel"])
def test_threads_that_share_a_preconditioner(name):
    """The threads use it alternately; otherwise they would write to the same workspace."""
    A = laplace(60)
    M = coppice.preconditioner(name, A)
    sides = np.random.default_rng(0).standard_normal((4, 3600))
    expected = [(coppice.bicgstab(A, b, M=M)[0], M @ b) for b in sides]
    wrong = []

    def work(k):
        for _ in range(10):
            x, z = coppice.bicgstab(A, sides[k], M=M)[0], M @ sides[k]
            if not (np.array_equal(x, expected[k][0]) and np.array_equal(z, expected[k][1])):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("method", METHODS)
def test_conversions_as_scipy(method):
    """Types are promoted, lists and other layouts copied; the result has the type and the values of the converted call."""
    A, b, run = laplace(5), np.arange(25), getattr(coppice, method)
    foreign = A.copy()
    foreign.data = foreign.data.astype(">f8")
    expected, _ = run(A, b.astype(float), rtol=1e-10)
    for matrix in (A, A.astype(int), A.astype("f4"), foreign, A.tocsc().astype("i1"), A.toarray(), A.toarray().tolist(),
                   A.toarray().astype(int), A.toarray().astype(">f4"), np.asfortranarray(A.toarray()), spl.aslinearoperator(A.astype("f4"))):
        for side in (b, b.tolist(), b.astype("f4"), b.astype(">f8"), b[:, None], np.repeat(b * 1.0, 2)[::2], b.astype("f2")):
            x, info = run(matrix, side, rtol=1e-10)
            both_single = getattr(matrix, "dtype", None) in ("f4", ">f4") and getattr(side, "dtype", None) == "f4"
            assert x.dtype == (np.float32 if both_single else np.float64) and x.shape == (25,)
            assert both_single or info == 0 and np.allclose(x, expected, rtol=1e-6)
    x, info = run(A, 1j * b, rtol=1e-10)
    assert info == 0 and x.dtype == np.complex128 and np.allclose(x, 1j * expected)
    x, info = run(A.astype("f4"), b.astype("f4"), x0=b.tolist(), M=np.eye(25, dtype=int).tolist(), rtol=1e-4)
    assert info == 0 and x.dtype == np.float32
    M = coppice.preconditioner("jacobi", A.astype("f4"))
    assert run(A, b, M=M, rtol=1e-10)[1] == 0
    assert np.array_equal(run(A, b, x0="Mb", maxiter=0, M=M)[0], (M @ b.astype(float)).astype(float))
    assert np.array_equal(run(A, b, x0="Mb", maxiter=0)[0], b)


def test_products_are_counted_as_in_scipy():
    """No product with a guess of zeros, and the method psolve of A is its preconditioner."""
    A, counted = laplace(6), []

    class Counted:
        shape, dtype = A.shape, A.dtype

        def matvec(self, x):
            counted.append("A")
            return A @ x

        def psolve(self, r):
            counted.append("M")
            return spl.spsolve(A.tocsc(), r)

    for method in (coppice.cg, coppice.bicgstab, coppice.gmres):
        del counted[:]
        assert method(Counted(), np.ones(36), rtol=1e-8)[1] == 0
        assert 0 < counted.count("A") <= 3 and counted.count("M")


def test_shift_and_show_of_minres(capsys):
    A, b = laplace(6), np.random.default_rng(0).standard_normal(36)
    shifted = A - 0.3 * sp.eye_array(36)
    for operator in (A, A.tocoo(), A.toarray(), A.toarray().tolist(), spl.aslinearoperator(A), lambda x: A @ x):
        x, info = coppice.minres(operator, b, shift=0.3, rtol=1e-10, show=True, check=not isinstance(operator, list))
        assert info == 0 and residual(shifted, x, b) <= 1e-10
    assert "MINRES: converged" in capsys.readouterr().out


def test_gmres_with_a_singular_preconditioner():
    """x = x0 + M y for a y of the Krylov space of A M with the smallest |b - A x|, up to rounding errors in a singular
    Hessenberg matrix; expected: least squares over a basis."""
    rng = np.random.default_rng(3)
    for n, rank in ((3, 2), (8, 5), (12, 1)):
        A, b, x0 = rng.standard_normal((n, n)) + 4 * np.eye(n), rng.standard_normal(n), rng.standard_normal(n)
        M = np.diag([1.0] * rank + [0.0] * (n - rank))
        basis = np.empty((n, 0))
        w = b - A @ x0
        for _ in range(rank + 1):
            w = w / np.linalg.norm(w)
            basis = np.column_stack([basis, w])
            w = A @ M @ w
        y = basis @ np.linalg.lstsq(A @ M @ basis, b - A @ x0, rcond=None)[0]
        x, info = coppice.gmres(A, b, x0, M=M, rtol=1e-12)
        least = np.linalg.norm(b - A @ (x0 + M @ y))
        assert info != 0 and (1 - 1e-9) * least <= np.linalg.norm(b - A @ x) <= 1.01 * least


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_transposed_preconditioners(dtype):
    random = np.random.default_rng(3)
    A = (sp.random(80, 80, 0.05, random_state=1) + 3 * sp.eye_array(80)).tocsr().astype(dtype)
    if dtype == np.complex128:
        A.data = A.data + 1j * random.standard_normal(A.data.shape) / 4
    for name, row in coppice.preconditioners().items():
        of_complex = ("none", "jacobi", "ilu0", "isai", "ilut", "iluk", "direct", "multilevel")
        if row["varies"] or row["needs_symmetry"] or (dtype == np.complex128 and name not in of_complex):
            continue
        M = coppice.preconditioner(name, A)
        x, y = (random.standard_normal(80).astype(dtype) for _ in range(2))
        assert np.vdot(y, M @ x) == pytest.approx(np.vdot(M.rmatvec(y), x), rel=1e-6, abs=1e-12), name
        assert np.allclose(M.T @ x, np.conj(M.H @ np.conj(x)))
        assert np.dot(y, M @ x) == pytest.approx(np.dot(M.T @ y, x), rel=1e-6, abs=1e-12), name
    M = coppice.preconditioner("ilut", A)
    b = A @ np.ones(80)
    x, info = spl.bicg(A, b, M=M, rtol=1e-10)
    assert info == 0 and np.allclose(x, 1)
    with pytest.raises(ValueError, match="has no transpose"):
        coppice.preconditioner("alt-o", abs(A)).rmatvec(np.ones(80))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_bicg(dtype):
    A = (laplace(12) + 0.3 * sp.eye_array(144, k=1)).tocsr().astype(dtype)
    if np.iscomplexobj(A):
        A = (A + 0.2j * sp.eye_array(144, k=-1)).tocsr().astype(dtype)
    b = np.arange(1, 145).astype(dtype)
    rtol = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-9
    diagonal = sp.diags_array(1 / A.diagonal()).tocsr()
    for M in (None, diagonal, spl.aslinearoperator(diagonal), coppice.preconditioner("ilu0", A)):
        for operator in (A, A.toarray(), spl.aslinearoperator(A)):
            x, info = coppice.bicg(operator, b, rtol=rtol, M=M)
            assert info == 0 and x.dtype == dtype and residual(A, x, b) <= 1.01 * rtol
    found = coppice.solve(A, b, method="bicg", preconditioner="ilut", rtol=rtol)
    assert found.converged and found.attempts[0]["solver"] == "bicg"
    with pytest.raises(TypeError, match="rmatvec"):
        coppice.bicg(lambda x: A @ x, b)
    expected, mine = [], []
    spl.bicg(A, b, rtol=rtol, callback=expected.append)
    coppice.bicg(A, b, rtol=rtol, callback=lambda x: mine.append(1))
    assert abs(len(expected) - len(mine)) <= 0.1 * len(expected) + 2


def test_qmr_and_tfqmr_as_scipy():
    A = (laplace(12) + 0.3 * sp.eye_array(144, k=1)).tocsr()
    b = np.arange(1.0, 145)
    left = sp.diags_array(1 / np.sqrt(A.diagonal())).tocsr()
    for matrix, name in ((A, "ilu0"), ((A + 0.2j * sp.eye_array(144, k=-1)).tocsr(), "jacobi")):
        right = coppice.preconditioner(name, matrix)
        for operator in (matrix, spl.aslinearoperator(matrix)):
            for given in ({}, {"M1": left}, {"M1": left, "M2": left}, {"M2": right}):
                x, info = coppice.qmr(operator, b, rtol=1e-9, **given)
                assert info == 0 and residual(matrix, x, b) <= 1.01e-9
            x, info = coppice.tfqmr(operator, b, rtol=1e-9, M=left)
            assert info == 0 and residual(matrix, x, b) <= 1.01e-9
    iterations = {}
    for library in (coppice, spl):
        scaled = spl.aslinearoperator(left)  # SciPy takes no matrix
        for name, given in (("qmr", {}), ("qmr", {"M1": scaled, "M2": scaled}), ("tfqmr", {})):
            told = []
            getattr(library, name)(A, b, rtol=1e-8, callback=told.append, **given)
            iterations.setdefault((name, len(given)), []).append(len(told))
    for key, (mine, expected) in iterations.items():
        steps = 2 if key[0] == "tfqmr" else 1  # SciPy counts half steps
        assert abs(steps * mine - expected) <= 0.15 * expected + 2, iterations
    with pytest.raises(TypeError, match="rmatvec"):
        coppice.qmr(lambda x: A @ x, b)


def test_psolve_and_rpsolve_of_an_operator_are_its_preconditioner():
    A, b = laplace(8).tocsr(), np.arange(1.0, 65)
    scale = np.sqrt(np.linspace(1, 9, 64))  # of the two sides of QMR
    S = sp.diags_array(scale**2)
    matrix = (S @ A @ S).tocsr()
    for name, solve, adjoint in (("bicg", lambda r: r / scale**4, lambda r: r / scale**4),
                                 ("qmr", lambda r, side: r / scale**2, lambda r, side: r / scale**2)):
        counts = []
        for with_solves in (False, True):
            operator = spl.aslinearoperator(matrix)
            if with_solves:
                operator.psolve, operator.rpsolve = solve, adjoint
            told = []
            x, info = getattr(coppice, name)(operator, b, rtol=1e-9, callback=told.append)
            assert info == 0 and residual(matrix, x, b) <= 1.01e-9
            counts.append(len(told))
        assert counts[1] < counts[0]


def test_tfqmr_shows(capsys):
    A, b = laplace(6), np.ones(36)
    coppice.tfqmr(A, b, show=True)
    coppice.tfqmr(A, b, maxiter=1, rtol=1e-12, show=True)
    assert capsys.readouterr().out == "TFQMR: converged, info 0\nTFQMR: not converged, info 1\n"


@pytest.mark.parametrize("convert", [np.asarray, lambda a: a.tolist(), np.asfortranarray, lambda a: a.astype(int), np.matrix])
def test_dense_matrices_are_taken_as_sparse_ones(convert):
    A = laplace(6).toarray()
    x = np.arange(1.0, 37)
    dense, b = convert(A), A @ x
    assert np.allclose(coppice.solve(dense, b, rtol=1e-10).x, x)
    assert np.allclose(coppice.solve(dense, b, method="cg", preconditioner="ilu0", rtol=1e-10).x, x)
    assert np.allclose(coppice.solve_refined(dense, b, rtol=1e-10).x, x)
    M = coppice.preconditioner("jacobi", dense)
    assert np.allclose(M @ x, x / A.diagonal())
    M.refresh(convert(2 * A))
    assert np.allclose(M @ x, x / A.diagonal() / 2)
    assert np.allclose(coppice.solve_columns(dense, np.stack([b, 2 * b], 1), method="cg", rtol=1e-10).x[:, 1], 2 * x)
    with pytest.raises(TypeError, match="A is a"):
        coppice.solve(dense, b, copy=False)
    with pytest.raises(ValueError, match=r"A has shape \(36,\)"):
        coppice.solve(A[0], b)
    with pytest.raises(ValueError, match="solve_columns takes several right-hand sides"):
        coppice.solve(dense, np.stack([b, b], 1))
    with pytest.raises(ValueError, match="holds nan"):
        coppice.solve(np.where(A == 4, np.nan, A), b)


def test_null_space():
    steps = sp.block_diag([sp.diags_array([-1.0, 1.0], offsets=[0, 1], shape=(n - 1, n)) for n in (300, 400)])
    A = (steps.T @ steps).tocsr()
    V = np.zeros((700, 2))
    V[:300, 0] = V[300:, 1] = 1
    b = A @ np.random.default_rng(1).standard_normal(700)
    expected = np.linalg.pinv(A.toarray(), rcond=1e-10, hermitian=True) @ b
    for method, preconditioner in (("auto", "auto"), ("cg", "multilevel"), ("minres", "jacobi"), ("gmres", "ilut")):
        found = coppice.solve(A, b, method=method, preconditioner=preconditioner, null_space=V, rtol=1e-11, restart=200)
        assert found.converged and np.allclose(found.x, expected, atol=1e-5 * abs(expected).max())
    for wrong, error in ((np.ones((700, 2)), "linearly"), (np.arange(700.0).reshape(-1, 1), "null space"),
                         (np.ones((7, 1)), "shape"), (np.ones(700), "shape")):
        with pytest.raises(ValueError, match=error):
            coppice.solve(A, b, null_space=wrong)
    with pytest.raises(TypeError, match="null_space"):
        coppice.solve(spl.aslinearoperator(A), b, method="cg", preconditioner=None, null_space=V)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.float32])
def test_duplicates_are_added_in_the_type_of_the_computation(make, dtype):
    value = 100 if np.dtype(dtype).itemsize == 1 else 30000
    given = sp.coo_array((np.full(5, value, dtype=dtype), ([0, 0, 0, 1, 1], [0, 0, 0, 1, 1])), shape=(2, 2))
    A = given
    if make is not sp.coo_array:  # SciPy's conversion would add them
        A = make((given.data, np.array([0, 0, 0, 1, 1]), np.array([0, 3, 5])), shape=(2, 2))
    solution, _ = coppice.cg(A, np.array([3.0 * value, 2.0 * value]))
    assert solution == pytest.approx([1, 1], rel=1e-6) and A.nnz == 5 and A.dtype == dtype
