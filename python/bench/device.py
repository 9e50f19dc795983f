# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on a device: overhead of a Python call over the native call, and the functions of CuPy and PyTorch in the same
run.

    python python/bench/device.py
"""

import inspect
import statistics
import time

import cupy as cp
import numpy as np

import coppice


def median_seconds(call, repeats=21):
    """Median seconds of calls, each with a synchronisation."""
    call()
    cp.cuda.Device().synchronize()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        cp.cuda.Device().synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def seconds_of_a_queued_call(call, repeats=2000):
    """Seconds per asynchronous call: the time of Python, library and driver on the host."""
    for _ in range(100):
        call()
    cp.cuda.Device().synchronize()
    best = []
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(repeats // 10):
            call()
        best.append((time.perf_counter() - start) / (repeats // 10))
        cp.cuda.Device().synchronize()
    return statistics.median(best)


def small_systems():
    from coppice import direct

    dl, d, du, b = (cp.asarray(a) for a in np.random.default_rng(0).random((4, 16)))
    d += 4
    system = direct._tridiagonal(dl, d, du, False, None)
    bands, options, x = system.bands(), system.options("none"), cp.empty_like(b)
    given = [system.library.given(a) for a in (b, x)]
    inner = seconds_of_a_queued_call(lambda: coppice._core.solve_bands(bands, *given, 1, options, None))
    whole = seconds_of_a_queued_call(lambda: coppice.solve_tridiagonal(dl, d, du, b))
    print(f"solve_tridiagonal, 16 rows, queued: {1e6 * whole:.1f} us, the library's call {1e6 * inner:.1f} us")
    with_report = seconds_of_a_queued_call(lambda: coppice.solve_tridiagonal(dl, d, du, b, report=True), 200)
    print(f"  with a report, which is waited for: {1e6 * with_report:.1f} us")
    import torch

    tensors = [torch.as_tensor(a, device="cuda").clone() for a in (dl, d, du, b)]
    whole = seconds_of_a_queued_call(lambda: coppice.solve_tridiagonal(*tensors))
    print(f"  tensors of PyTorch: {1e6 * whole:.1f} us")
    on_host = [a.get() for a in (dl, d, du, b)]
    whole = seconds_of_a_queued_call(lambda: coppice.solve_tridiagonal(*on_host))
    print(f"  arrays of NumPy: {1e6 * whole:.1f} us; cupy.empty {1e6 * seconds_of_a_queued_call(lambda: cp.empty(16)):.1f} us")


def batches(systems=8192, n=512):
    import torch

    rng = np.random.default_rng(1)
    dl, d, du, b = rng.random((4, systems, n), dtype=np.float32)
    d += 4
    on = [cp.asarray(a) for a in (dl, d, du, b)]
    ours = median_seconds(lambda: coppice.solve_tridiagonal(*on))
    print(f"batch of {systems} x {n} in float32: {1e3 * ours:.3f} ms")
    dense = torch.zeros(systems, n, n, device="cuda")
    tensors = [torch.as_tensor(a, device="cuda") for a in on]
    i = torch.arange(n, device="cuda")
    dense[:, i, i] = tensors[1]
    dense[:, i[1:], i[:-1]] = tensors[0][:, 1:]
    dense[:, i[:-1], i[1:]] = tensors[2][:, :-1]
    theirs = median_seconds(lambda: torch.linalg.solve(dense, tensors[3]), 3)
    error = float((torch.linalg.solve(dense, tensors[3]) - torch.as_tensor(coppice.solve_tridiagonal(*on))).abs().max())
    print(f"  torch.linalg.solve: {1e3 * theirs:.1f} ms, {theirs / ours:.0f} times; largest difference {error:.1e}")
    some = 64
    matrices = cp.from_dlpack(dense[:some].contiguous())
    loop = median_seconds(lambda: [cp.linalg.solve(matrices[k], on[3][k]) for k in range(some)], 3) * systems / some
    print(f"  cupy.linalg.solve system by system: {1e3 * loop:.0f} ms (from {some}), {loop / ours:.0f} times")
    tensors = [t.clone() for t in tensors]
    again = median_seconds(lambda: coppice.solve_tridiagonal(*tensors))
    print(f"  tensors of PyTorch: {1e3 * again:.3f} ms")


def conjugate_gradients(side, iterations=400):
    import scipy.sparse as sp
    from cupyx.scipy.sparse import csr_matrix
    from cupyx.scipy.sparse.linalg import cg

    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    eye = sp.eye_array(side)
    a = csr_matrix(sp.csr_matrix(sp.kron(line, eye) + sp.kron(eye, line)))
    b = cp.asarray(np.random.default_rng(2).standard_normal(side * side))
    ours = median_seconds(lambda: coppice.cg(a, b, rtol=1e-30, maxiter=iterations), 5) / iterations
    tolerance = {"rtol" if "rtol" in inspect.signature(cg).parameters else "tol": 1e-30}  # CuPy 14, and before
    theirs = median_seconds(lambda: cg(a, b, maxiter=iterations, **tolerance), 3) / iterations
    print(f"cg, 5-point {side}^2, {iterations} iterations: {1e6 * ours:.1f} us an iteration, CuPy's "
          f"{1e6 * theirs:.1f}, {theirs / ours:.1f} times")
    whole = median_seconds(lambda: coppice.solve(a, b, rtol=1e-8), 5)
    solution = coppice.solve(a, b, rtol=1e-8)
    theirs = median_seconds(lambda: cg(a, b, maxiter=100000, **dict.fromkeys(tolerance, 1e-8)), 1)
    print(f"  to 1e-8: coppice.solve {1e3 * whole:.1f} ms with {solution.attempts[-1]['preconditioner']}, CuPy's cg "
          f"{1e3 * theirs:.1f} ms, {theirs / whole:.1f} times")


def by_a_function(timed):
    """Return the result of `timed`, or why Python functions are not compiled for the device of this machine."""
    try:
        return timed()
    except Exception as why:  # numba-cuda may not support the installed NumPy
        return f"not here ({type(why).__name__}: {why})"


def products(side=1000):
    """Products over a user-defined and a named semiring."""
    import scipy.sparse as sp
    from cupyx.scipy.sparse import csr_matrix

    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    eye = sp.eye_array(side)
    a = coppice.Matrix(csr_matrix(sp.csr_matrix(sp.kron(line, eye) + sp.kron(eye, line))))
    x = cp.asarray(np.random.default_rng(3).random(side * side))
    named = median_seconds(lambda: a.mxv(x, "min-plus"))
    semiring = coppice.semiring.user(lambda s, p: min(s, p), lambda v, w: v + w, np.inf)
    written = by_a_function(lambda: f"{1e6 * median_seconds(lambda: a.mxv(x, semiring)):.0f} us")
    print(f"min-plus, 5-point {side}^2: {1e6 * named:.0f} us, written in Python {written}")


def sparse_algebra(rows=1_000_000):
    """Operations on matrices of two patterns, compared with those of CuPy and of coppice on the host."""
    import scipy.sparse as sp
    from cupyx.scipy import sparse as theirs

    rng = np.random.default_rng(4)
    side = int(rows ** 0.5)
    line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    grid = sp.csr_matrix(sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line))
    places = np.unique(rng.integers(0, rows * rows, 8 * rows, dtype=np.int64))
    random = sp.csr_matrix((rng.random(len(places)), (places // rows, places % rows)), shape=(rows, rows))
    wanted = rng.permutation(rows)[:rows // 4].astype(np.int32)
    there = cp.asarray(wanted)
    table = {
        "ewise_add": (lambda a, b: a.ewise_add(b), lambda a, b: a + b),
        "ewise_mult": (lambda a, b: a.ewise_mult(b), lambda a, b: a.multiply(b)),
        "apply": (lambda a, b: a.apply("abs"), lambda a, b: abs(a)),
        "select": (lambda a, b: a.select("triu", 1), lambda a, b: theirs.triu(a, 1, "csr")),
        "reduce_rows": (lambda a, b: a.reduce_rows(), lambda a, b: a.sum(1)),
        "reduce": (lambda a, b: a.reduce(), lambda a, b: a.sum()),
        "transpose": (lambda a, b: a.transpose(), lambda a, b: a.T.tocsr()),
        "extract of rows": (lambda a, b: a.extract(there), lambda a, b: a[there]),
        "mxm": (lambda a, b: a.mxm(a), lambda a, b: a @ a),
        "masked mxm": (lambda a, b: a.mxm(a, mask=a), None),
        "update": (lambda a, b: a.update(b, mask=a, accumulate="plus"), None),
        "ewise_add of a function": (lambda a, b: a.ewise_add(b, add_twice), None),
        "mxm of a function": (lambda a, b: a.mxm(a, semiring, mask=a), None),
    }

    def add_twice(x, y):
        return x + 2 * y

    semiring = coppice.semiring.user(lambda s, p: min(s, p), lambda v, w: v + w, np.inf)
    for name, a in (("5-point", grid), ("random", random)):
        b = sp.csr_matrix(a.T) * 2
        given = theirs.csr_matrix(a), theirs.csr_matrix(b)
        on, host = [coppice.Matrix(each) for each in given], [coppice.Matrix(each) for each in (a, b)]
        for operation, (ours, peer) in table.items():
            if "function" in operation:
                print(f"{operation}, {name}: ", by_a_function(lambda: f"{1e3 * median_seconds(lambda: ours(*on), 7):.2f} ms"))
                continue
            seconds = median_seconds(lambda: ours(*on), 7)
            beside = "" if peer is None else f", CuPy {1e3 * median_seconds(lambda: peer(*given), 7):.2f} ms"
            if "rows" not in operation:
                start = time.perf_counter()
                ours(*host)
                beside += f", ours on the host {1e3 * (time.perf_counter() - start):.0f} ms"
            print(f"{operation}, {name}, {rows} rows, {a.nnz} nonzeros: {1e3 * seconds:.2f} ms{beside}")


if __name__ == "__main__":
    print(f"{cp.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {cp.__version__}, coppice "
          f"{coppice.__version__}")
    small_systems()
    batches()
    for side in (300, 1000):
        conjugate_gradients(side)
    products()
    sparse_algebra()
