# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends every long call: the caller soon gets KeyboardInterrupt, and everything is usable afterwards.

A thread simulates the keyboard. Calls that end before the interrupt are repeated, so that these tests also work on fast
machines.
"""

import _thread
import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

AFTER = 0.3  # seconds until the interrupt


def laplace(n):
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


def random_graph(n, degree, seed=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, n * degree // 2))
    a = sp.coo_array((rng.random(ends.shape[1]) + 0.1, tuple(ends)), shape=(n, n)).tocsr()
    return sp.csr_array(a + a.T)


@pytest.fixture
def keyboard():
    """Interrupt the main thread after some time."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes ignore SIGINT
    timers = []

    def press(after=AFTER):
        timers.append(threading.Timer(after, _thread.interrupt_main))
        timers[-1].start()

    yield press
    for timer in timers:
        timer.join()
    signal.signal(signal.SIGINT, before)


def interrupted(call, press):
    """Return the KeyboardInterrupt of a call, or between two calls, and the seconds since the interrupt."""
    start = time.monotonic()
    press()
    with pytest.raises(KeyboardInterrupt) as raised:
        while True:
            call()
    return raised.value, time.monotonic() - start - AFTER


A = laplace(300)
b = np.random.default_rng(0).standard_normal(A.shape[0])
WIDE = random_graph(60_000, 16)
GRAPH = random_graph(300_000, 12)
HELD = coppice.Matrix(WIDE)
LONG = np.random.default_rng(1).standard_normal((4, 8_000_000)) + np.array([0, 4, 0, 0])[:, None]
CALLS = {
    "mxm": lambda: HELD.mxm(HELD),
    "mxm of another semiring": lambda: HELD.mxm(HELD, "min-plus"),
    "mxm with a mask": lambda: HELD.mxm(HELD, mask=HELD),
    "mxm over operators by name": lambda: HELD.mxm(HELD, coppice.semiring.user("max", "minus")),
    "mxv": lambda: HELD.mxv(np.ones(HELD.shape[1])),
    "transpose": lambda: HELD.transpose(),
    "ewise_add": lambda: HELD.ewise_add(HELD, "max"),
    "set-up of multilevel": lambda: coppice.preconditioner("multilevel", A),
    "set-up of forest": lambda: coppice.preconditioner("forest", A),
    "set-up of ilu0": lambda: coppice.preconditioner("ilu0", A),
    "refresh": lambda: MULTILEVEL.refresh(A),
    "linear_forest": lambda: coppice.forests.linear_forest(GRAPH),
    "factor": lambda: coppice.forests.factor(GRAPH, 4, method="greedy"),
    "solve_tridiagonal": lambda: coppice.solve_tridiagonal(*LONG),
    "factorize_tridiagonal": lambda: coppice.factorize_tridiagonal(*LONG[:3]),
    "pagerank": lambda: coppice.graph.pagerank(GRAPH, tolerance=1e-15),
    "betweenness": lambda: coppice.graph.betweenness(GRAPH, samples=1000),
    "triangles": lambda: coppice.graph.triangles(GRAPH),
    "communities": lambda: coppice.graph.communities(GRAPH),
    "sssp": lambda: coppice.graph.sssp(GRAPH, source=0),
    "mst": lambda: coppice.graph.mst(GRAPH),
}
MULTILEVEL = coppice.preconditioner("multilevel", A)


@pytest.mark.parametrize("name", CALLS)
def test_calls_end_by_an_interrupt(name, keyboard):
    raised, seconds = interrupted(CALLS[name], keyboard)
    assert seconds < 10  # longer: a deadlock, or a call without checks; usually it takes a tenth of a second
    x = np.ones(HELD.shape[1])
    assert np.allclose(HELD @ x, WIDE @ x)  # everything works as before


SOLVES = {
    "cg": lambda A, b: coppice.cg(A, b, rtol=1e-14, maxiter=10**6),
    "minres": lambda A, b: coppice.minres(A, b, rtol=1e-14, maxiter=10**6),
    "bicgstab": lambda A, b: coppice.bicgstab(A, b, rtol=1e-14, maxiter=10**6),
    "gmres": lambda A, b: coppice.gmres(A, b, rtol=1e-14, maxiter=10**6),
    "fgmres": lambda A, b: coppice.fgmres(A, b, rtol=1e-14, maxiter=10**6),
    "idrs": lambda A, b: coppice.idrs(A, b, rtol=1e-14, maxiter=10**6),
    "solve": lambda A, b: coppice.solve(A, b, method="cg", preconditioner="none", rtol=1e-14, maxiter=10**6),
    "solve, auto": lambda A, b: coppice.solve(A, b, rtol=1e-14),
    "solve_columns": lambda A, b: coppice.solve_columns(A, np.stack([b, b[::-1]], 1), method="cg", rtol=1e-14,
                                                        maxiter=10**6),
    "solve_refined": lambda A, b: coppice.solve_refined(A, b, method="cg", preconditioner=None, rtol=1e-14, maxiter=10**6),
}


@pytest.mark.parametrize("name", SOLVES)
def test_solves_end_with_the_best_x(name, keyboard):
    large = laplace(700)
    side = np.random.default_rng(0).standard_normal(large.shape[0])
    raised, seconds = interrupted(lambda: SOLVES[name](large, side), keyboard)
    assert seconds < 10
    if not hasattr(raised, "x"):  # it occurred between two solves
        assert name == "solve, auto"
        return
    sides = np.stack([side, side[::-1]], 1) if name == "solve_columns" else side
    assert raised.x.shape == sides.shape
    assert np.linalg.norm(sides - large @ raised.x) <= np.linalg.norm(sides) * (1 + 1e-12)  # of the guess


def test_an_interrupt_in_an_operator_of_python(keyboard):
    calls = []

    def slow(x):
        calls.append(1)
        if len(calls) == 20:
            _thread.interrupt_main()
        return A @ x

    with pytest.raises(KeyboardInterrupt) as raised:
        coppice.cg(slow, b, rtol=1e-14)
    assert len(calls) < 60 and 0 < np.linalg.norm(b - A @ raised.value.x) < np.linalg.norm(b)
    with pytest.raises(KeyboardInterrupt) as raised:
        calls.clear()
        coppice.solve(slow, b, method="gmres", preconditioner=None, rtol=1e-14)
    assert raised.value.x.shape == b.shape


def test_exceptions_of_callbacks_and_other_handlers(keyboard):
    class Enough(Exception):
        pass

    def callback(iteration, residual):
        if iteration == 15:
            raise Enough("mine")

    with pytest.raises(Enough, match="mine") as raised:
        coppice.solve(A, b, method="cg", preconditioner=None, rtol=1e-14, callback=callback)
    assert np.linalg.norm(b - A @ raised.value.x) < np.linalg.norm(b)

    def stop(number, frame):
        raise Enough("a signal")

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Enough, match="a signal"):
            while True:
                HELD.mxm(HELD)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_handlers_that_raise_nothing_end_nothing():
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    expected = HELD.mxm(HELD).reduce()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        while len(seen) < 3:
            assert HELD.mxm(HELD).reduce() == expected
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_preconditioner_whose_refresh_was_interrupted(keyboard):
    """It raises an error until it is refreshed again."""
    large = laplace(400)
    M = coppice.preconditioner("multilevel", large)
    r = np.ones(large.shape[0])
    expected = M @ r
    for _ in range(5):
        interrupted(lambda: M.refresh(large), lambda: keyboard(AFTER))
        try:
            assert np.array_equal(M @ r, expected)  # the interrupt occurred between two refreshes
        except RuntimeError as error:
            assert "refresh it again" in str(error)
            with pytest.raises(RuntimeError, match="refresh it again"):
                coppice.cg(large, r, M=M)
        M.refresh(large)
        assert np.array_equal(M @ r, expected)


def test_other_threads_go_on(keyboard):
    """An interrupt ends only the call of the main thread, also if both threads share workers."""
    found, ends = [], threading.Event()
    expected = HELD.mxm(HELD).reduce()

    def work():
        while not ends.is_set():
            found.append(HELD.mxm(HELD).reduce())

    thread = threading.Thread(target=work)
    thread.start()
    try:
        interrupted(lambda: HELD.mxm(HELD, "min-plus"), keyboard)
    finally:
        ends.set()
        thread.join()
    assert set(found) <= {expected}
