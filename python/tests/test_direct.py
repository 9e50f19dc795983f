# SPDX-License-Identifier: BSD-3-Clause
"""Direct solvers compared with SciPy and dense algebra."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def random(rng, shape, dtype):
    values = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def dense(dl, d, du, cyclic=False):
    n = d.shape[-1]
    a = np.zeros((n, n), np.complex128)
    for i in range(n):
        a[i, i] += d[i]
        if i > 0 or cyclic:
            a[i, (i - 1) % n] += dl[i]
        if i < n - 1 or cyclic:
            a[i, (i + 1) % n] += du[i]
    return a


MIXED = np.array([(0, 0, -1), (-1000, -1, 1000), (-1, 1, -1), (-1000, 1000, -1000), (-1000, 1000, 1000), (-1, 1, 1),
                  (1000, 0.001, 1000)])


@pytest.mark.parametrize("n", [513, 514, 700, 1000, 1024, 1500, 2047, 3002, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_mixed_scale_without_a_report(n, dtype):
    """Well-conditioned, since n is not 4 modulo 7; without a check of the solution, default calls would return
    infinity."""
    dl, d, du = np.resize(MIXED, (n, 3)).T.astype(dtype)
    b = np.random.default_rng(n).standard_normal(n).astype(dtype)
    ab = np.zeros((3, n), dtype)
    ab[0, 1:], ab[1], ab[2, :-1] = du[:-1], d, dl[1:]
    (dl, d, du), a = map(np.ascontiguousarray, (dl, d, du)), scipy.sparse.diags_array(
        [dl[1:], d, du[:-1]], offsets=[-1, 0, 1]).tocsr().astype(float)
    for x in (coppice.solve_tridiagonal(dl, d, du, b), coppice.solve_tridiagonal(dl[1:], d, du[:-1], b),
              coppice.solve_banded((1, 1), ab, b), coppice.solve_tridiagonal(dl, d, du, b[:, None])[:, 0],
              coppice.solve_tridiagonal(dl, d, du, b, out=b.copy())):
        assert np.all(np.isfinite(x))
        residual = np.abs(a @ x - b).max() / (abs(a).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max())
        assert residual < 100 * np.finfo(dtype).eps


def backward_error(a, x, b):
    residual = np.abs(a @ x - b).max()
    return residual / (np.abs(a).sum(1).max() * np.abs(x).max() + np.abs(b).max())


def close(a, x, b, dtype):
    assert x.dtype == dtype
    assert backward_error(a, x.astype(np.complex128), b) < 50 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 16, 65, 1000])
@pytest.mark.parametrize("transposed", [False, True])
def test_tridiagonal(dtype, n, transposed):
    rng = np.random.default_rng(n)
    dl, d, du, b = (random(rng, n, dtype) for _ in range(4))
    a = dense(dl, d, du)
    close(a.T if transposed else a, coppice.solve_tridiagonal(dl, d, du, b, transposed=transposed), b, dtype)
    many = random(rng, (n, 3), dtype)
    x, report = coppice.solve_tridiagonal(dl, d, du, many, transposed=transposed, report=True)
    assert report.ok and report.status.shape == () and x.shape == (n, 3)
    for k in range(3):
        close(a.T if transposed else a, x[:, k], many[:, k], dtype)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 8), st.integers(0, 8), st.integers(1, 60), st.sampled_from(DTYPES), st.integers(0, 2**32 - 1))
def test_banded_as_scipy(below, above, n, dtype, seed):
    rng = np.random.default_rng(seed)
    ab, b = random(rng, (below + above + 1, n), dtype), random(rng, n, dtype)
    ab[above] += (4 + below + above) * np.sign(ab[above].real)
    expected = scipy.linalg.solve_banded((below, above), ab, b) if below + above < n else None
    x = coppice.solve_banded((below, above), ab, b)
    if expected is not None:
        assert np.abs(x - expected).max() <= 1e3 * np.finfo(dtype).eps * np.abs(expected).max()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 80), st.sampled_from([(), (3,), (2, 1)]), st.sampled_from([(), (3,), (2, 3)]),
       st.integers(0, 3), st.sampled_from(DTYPES), st.booleans(), st.integers(0, 2**32 - 1))
def test_tridiagonal_as_scipy(n, of_matrix, of_sides, sides, dtype, out, seed):
    """Any batch, any number of right-hand sides (0: one, as a vector)."""
    rng = np.random.default_rng(seed)
    dl, d, du = (random(rng, (*of_matrix, n), dtype) for _ in range(3))
    d += 5 * np.sign(d.real)
    batch = np.broadcast_shapes(of_matrix, of_sides)
    if not sides and len(of_sides) > len(of_matrix):
        dl, d, du = (np.broadcast_to(a, (*batch, n)).copy() for a in (dl, d, du))
    b = random(rng, (*(of_sides if not sides else batch), n, *([sides] if sides else [])), dtype)
    given = np.moveaxis(np.empty((sides, *batch, n), dtype), 0, -1) if sides else np.empty((*batch, n), dtype)
    x = coppice.solve_tridiagonal(dl, d, du, b, out=given if out else None)
    assert x.shape == (*batch, n, *([sides] if sides else [])) and (x is given) == out
    full = [np.broadcast_to(a, (*batch, n)) for a in (dl, d, du)]
    b = np.broadcast_to(b, x.shape)
    for index in np.ndindex(*batch):
        lower, main, upper = (a[index] for a in full)
        ab = np.stack([np.roll(upper, 1), main, np.roll(lower, -1)])
        if n == 1:
            expected = b[index] / main[0]
        else:
            expected = scipy.linalg.solve_banded((1, 1), ab, b[index])
        assert np.abs(x[index] - expected).max() <= 200 * np.finfo(dtype).eps * np.abs(expected).max()


def test_threads_that_share_a_factorisation():
    import threading

    rng = np.random.default_rng(6)
    dl, d, du = rng.standard_normal((3, 30_000)) + np.array([[0], [4], [0]])
    sides = rng.standard_normal((4, 30_000))
    expected = [coppice.solve_tridiagonal(dl, d, du, b) for b in sides]
    factors, wrong = coppice.factorize_tridiagonal(dl, d, du), []
    forth = [factors.solve(b) for b in sides]
    back = [coppice.factorize_tridiagonal(dl, d, du).solve(b, transposed=True) for b in sides]

    def work(k):
        for _ in range(20):
            if not (np.array_equal(coppice.solve_tridiagonal(dl, d, du, sides[k]), expected[k])
                    and np.array_equal(factors.solve(sides[k]), forth[k])
                    and np.array_equal(factors.solve(sides[k], transposed=True), back[k])):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_batches_broadcast():
    rng = np.random.default_rng(1)
    dl, du = rng.standard_normal((2, 40))
    d = 5 + rng.standard_normal((3, 1, 40))
    b = rng.standard_normal((2, 40))
    x = coppice.solve_tridiagonal(dl, d, du, b)
    assert x.shape == (3, 2, 40)
    for i in range(3):
        for j in range(2):
            close(dense(dl, d[i, 0], du), x[i, j], b[j], np.float64)
    sides = rng.standard_normal((3, 2, 40, 4))
    x, report = coppice.solve_tridiagonal(dl, d, du, sides, report=True, condition=True)
    assert x.shape == sides.shape and report.condition.shape == (3, 2) and np.all(report.condition >= 1)
    close(dense(dl, d[2, 0], du), x[2, 1, :, 3], sides[2, 1, :, 3], np.float64)
    ab = np.zeros((2, 4, 30))
    ab[:] = rng.standard_normal(ab.shape)
    ab[:, 1] += 6
    b = rng.standard_normal((2, 30))
    x = coppice.solve_banded((2, 1), ab, b)
    for s in range(2):
        assert np.allclose(x[s], scipy.linalg.solve_banded((2, 1), ab[s], b[s]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_cyclic(dtype):
    rng = np.random.default_rng(2)
    dl, d, du, b = (random(rng, 50, dtype) for _ in range(4))
    close(dense(dl, d, du, True), coppice.solve_cyclic_tridiagonal(dl, d, du, b), b, dtype)


@pytest.mark.parametrize("m", [1, 2, 3, 8])
def test_blocks(m):
    rng = np.random.default_rng(m)
    n = 12
    lower, diagonal, upper = rng.standard_normal((3, n, m, m))
    b = rng.standard_normal(n * m)
    a = np.zeros((n * m, n * m))
    for i in range(n):
        for block, j in ((lower[i], i - 1), (diagonal[i], i), (upper[i], i + 1)):
            if 0 <= j < n:
                a[i * m:(i + 1) * m, j * m:(j + 1) * m] = block
    close(a, coppice.solve_block_tridiagonal(lower, diagonal, upper, b), b, np.float64)
    factors = coppice.factorize_block_tridiagonal(lower, diagonal, upper)
    close(a.T, factors.solve(b, transposed=True), b, np.float64)


@pytest.mark.parametrize("dtype", DTYPES)
def test_factorisation(dtype):
    rng = np.random.default_rng(3)
    dl, d, du = (random(rng, (4, 33), dtype) for _ in range(3))
    b = random(rng, (4, 33, 2), dtype)
    kept = [dense(dl[s], d[s], du[s]) for s in range(4)]
    factors = coppice.factorize_tridiagonal(dl, d, du)
    d[:] = 0  # the factorisation has its own copy
    for operation, turn in (({}, lambda a: a), ({"transposed": True}, lambda a: a.T),
                            ({"transposed": True, "conjugate": True}, lambda a: a.conj().T)):
        x = factors.solve(b, **operation)
        for s in range(4):
            close(turn(kept[s]), x[s, :, 1], b[s, :, 1], dtype)
    assert np.all(factors.singular_rows == -1)
    ab = random(rng, (5, 20), dtype)
    side = random(rng, 20, dtype)
    x = coppice.factorize_banded((2, 2), ab).solve(side)
    expected = scipy.linalg.solve_banded((2, 2), ab, side)
    assert np.abs(x - expected).max() < 2e4 * np.finfo(dtype).eps * np.abs(expected).max()


def test_factorisation_pivots():
    rng = np.random.default_rng(8)
    dl, d, du, b = rng.standard_normal((4, 500))
    d *= 1e-12
    factors = coppice.factorize_tridiagonal(dl, d, du)
    close(dense(dl, d, du), factors.solve(b), b, np.float64)
    close(dense(dl, d, du).T, factors.solve(b, transposed=True), b, np.float64)


def test_singular_and_nan_are_told():
    ones = np.ones(6)
    _, report = coppice.solve_tridiagonal(0 * ones, (np.arange(6) != 2) * 1.0, 0 * ones, ones, report=True)
    assert report.status == "singular" and report.row == 2 and not report.ok
    x, report = coppice.solve_tridiagonal(ones, np.full(6, np.nan), ones, ones, report=True)
    assert report.status == "not_finite" and np.isnan(x).all()
    assert np.isnan(coppice.solve_tridiagonal(ones, np.full(6, np.nan), ones, ones)).all()


def test_empty_and_lapack_lengths():
    empty = np.zeros(0)
    assert coppice.solve_tridiagonal(empty, empty, empty, empty).shape == (0,)
    assert coppice.solve_tridiagonal(np.zeros((0, 5)), np.ones((0, 5)), np.zeros((0, 5)), np.ones(5)).shape == (0, 5)
    dl, d, du, b = np.array([1.0, 2]), np.array([4.0, 5, 6]), np.array([1.0, 1]), np.ones(3)
    x = coppice.solve_tridiagonal(dl, d, du, b)
    assert np.allclose(x, np.linalg.solve(np.diag(dl, -1) + np.diag(d) + np.diag(du, 1), b))


def test_threads_give_the_same_bits():
    rng = np.random.default_rng(4)
    system = [*rng.standard_normal((3, 100_000)), rng.standard_normal(100_000)]
    with coppice.use_threads(1):
        one = coppice.solve_tridiagonal(*system)
    with coppice.use_threads(2):
        assert coppice.threads() == 2
        assert np.array_equal(one, coppice.solve_tridiagonal(*system))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 2, 17])
def test_lengths_of_lapack(dtype, n):
    rng = np.random.default_rng(n)
    dl, d, du, b = (random(rng, n, dtype) for _ in range(4))
    dl[0] = du[-1] = np.nan  # ignored
    expected = coppice.solve_tridiagonal(dl, d, du, b)
    for below, above in ((dl[1:], du[:-1]), (dl, du[:-1]), (dl[1:], du)):
        assert np.array_equal(coppice.solve_tridiagonal(below, d, above, b), expected)
    assert np.isfinite(expected).all()
