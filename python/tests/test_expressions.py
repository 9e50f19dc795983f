# SPDX-License-Identifier: BSD-3-Clause
"""Operators of coppice.jit, compared with their definitions on dense arrays."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import coppice
from coppice import Matrix, Vector, jit, semiring

compiler = os.environ.get("COPPICE_CC") or "cc"
pytestmark = pytest.mark.skipif(shutil.which(compiler) is None, reason=f"there is no compiler {compiler}")

NUMBERS = ["i1", "i8", "u2", "f4", "f8", "c8", "c16"]


def dense(seed, shape, dtype):
    rng = np.random.default_rng(seed)
    low = 0 if np.dtype(dtype).kind in "ub" else -4
    values = rng.integers(low, 5, shape).astype(dtype)
    if values.dtype.kind == "c":
        values += (1j * rng.integers(-4, 5, shape)).astype(dtype)
    return values * (rng.random(shape) < 0.5)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_operators_of_two_numbers(dtype):
    a, b = dense(1, (9, 7), dtype), dense(2, (9, 7), dtype)
    A, B, both = Matrix(sp.csr_array(a)), Matrix(sp.csr_array(b)), (a != 0) & (b != 0)
    with np.errstate(over="ignore"):
        expected = np.where(both, a - np.array(2, a.dtype) * b, 0)
    assert np.array_equal(A.ewise_mult(B, jit("z = x - 2 * y")).to_scipy().toarray(), expected)
    union = np.where(both, expected, a + b)
    found = A.ewise_add(B, jit("x - 2 * y")).to_scipy()
    assert np.array_equal(found.toarray(), union) and found.dtype == np.dtype(dtype)
    updated = A.update(B, accumulate=jit("number t = 2 * y; z = x - t"))
    assert np.array_equal(updated.to_scipy().toarray(), union)
    bound = A.apply(jit("x - 2 * y"), second=np.array(1, dtype)).to_scipy().toarray()
    with np.errstate(over="ignore"):
        assert np.array_equal(bound, np.where(a != 0, a - np.array(2, a.dtype), 0))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_reductions_and_products(dtype):
    a, x = dense(3, (12, 8), dtype), dense(4, 8, dtype)
    A = Matrix(sp.csr_array(a))
    plus = semiring.monoid(jit("z = x + y"), 0)
    sums = a.sum(1, dtype=a.dtype)
    assert np.allclose(A.reduce_rows(plus).to_dense(0), sums) and np.allclose(A.reduce(plus), a.sum())
    assert np.allclose(A.reduce_columns(plus).to_dense(0), a.sum(0, dtype=a.dtype))
    other = semiring.user(jit("x + y"), jit("x - 2 * y"), 0)
    present = a != 0
    two = np.array(2, a.dtype)
    with np.errstate(over="ignore"):
        expected = np.where(present, a - two * x[None, :], 0).sum(1, dtype=a.dtype)
        left = np.where(present, dense(5, 12, dtype)[:, None] - two * a, 0).sum(0, dtype=a.dtype)
    assert np.allclose(A.mxv(x, other), expected)
    assert np.allclose(A.vxm(dense(5, 12, dtype), other), left)
    b = dense(6, (8, 5), dtype)
    product = np.zeros((12, 5), dtype)
    with np.errstate(over="ignore"):
        for k in range(8):
            met = present[:, k, None] & (b[k] != 0)[None, :]
            product += np.where(met, a[:, k, None] - two * b[k], 0).astype(dtype)
    assert np.allclose(A.mxm(Matrix(sp.csr_array(b)), other).to_scipy().toarray(), product)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_functions_of_places(dtype):
    a = dense(7, (6, 9), dtype)
    i, j = np.indices(a.shape)
    A = Matrix(sp.csr_array(a))
    applied = A.apply(jit("z = x + 10 * i - j")).to_scipy().toarray()
    assert np.array_equal(applied, np.where(a != 0, a + (10 * i - j).astype(a.dtype), 0))
    kept = A.select(jit("i > j && x != 2")).to_scipy().toarray()
    assert np.array_equal(kept, np.where((i > j) & (a != 2), a, 0))
    v = a[:, 2]
    places = np.flatnonzero(v)
    V = Vector(v[places], places, v.size)
    assert np.array_equal(V.apply(jit("x * 3 + i")).to_dense(0)[places], v[places] * 3 + places.astype(a.dtype))
    chosen = places[places % 2 == 1]
    assert np.array_equal(np.flatnonzero(V.select(jit("i % 2 == 1")).to_dense(0)), chosen)


def test_bool_and_a_predicate_with_fractions():
    a = np.array([[True, False, True], [True, True, True]])
    parity = Matrix(sp.csr_array(a)).reduce_rows(semiring.monoid(jit("x != y"), 0)).to_dense(False)
    assert np.array_equal(parity, [False, True])
    A = Matrix(sp.csr_array(np.array([[1, 2], [3, 4]])))
    assert np.array_equal(A.select(jit("0.5 * x > 1")).to_scipy().toarray(), [[0, 0], [3, 4]])


def test_infinite_identity():
    A = Matrix(sp.csr_array(np.array([[1.0, 5.0], [0.0, 0.0]])))
    longest = semiring.user(jit("x > y ? x : y"), jit("x * y + 1"), -np.inf)
    assert np.array_equal(A.mxv(np.array([2.0, 3.0]), longest), [16.0, -np.inf])


MATRIX = sp.csr_array(np.array([[1, 2], [3, 4]]))


@pytest.mark.parametrize("expression, kind, words", [
    ("", ValueError, "expected an expression in C"), (3, TypeError, "expected an expression in C"),
    ("x +", ValueError, "expression:1"), ("unknown", ValueError, "unknown"), ("i = 0", ValueError, "not compiled"),
    ("x * 0.5", TypeError, "real result, which int64"), ("x * 1.0i", TypeError, "complex result, which int64")])
def test_expressions_that_are_refused(expression, kind, words):
    A = Matrix(MATRIX)
    with pytest.raises(kind, match=words):
        A.ewise_add(A, jit(expression))


def test_several_statements_convert_their_result():
    A = Matrix(MATRIX)
    halves = A.apply(jit("double t = x; z = t / 2")).to_scipy().toarray()
    assert np.array_equal(halves, [[0, 1], [1, 2]]) and halves.dtype == np.int64


def test_a_complex_result_of_real_numbers_is_refused():
    A = Matrix(MATRIX.astype(float))
    with pytest.raises(TypeError, match="complex result, which float64"):
        A.apply(jit("csqrt(x)"))


def test_semirings_of_two_kinds_are_refused():
    with pytest.raises(TypeError, match="two names, two functions or two expressions"):
        semiring.user("plus", jit("x * y"))


def test_expressions_are_refused_on_a_device():
    from coppice import _operators
    with pytest.raises(TypeError, match=r"'x \* y' is compiled for the host, and the arrays are on a device"):
        _operators.require_on_device("plus", jit("x * y"))


PROGRAM = """
import numpy as np, scipy.sparse as sp, coppice
A = coppice.Matrix(sp.csr_array(np.array([[1.0, 2.0], [0.0, 4.0]])))
try:
    print(A.reduce_rows(coppice.semiring.monoid(coppice.jit("z = x + y"), 0)).to_dense(0))
except RuntimeError as error:
    print("RuntimeError:", error)
"""


def run(tmp_path, **settings):
    environment = {**os.environ, "COPPICE_CACHE_DIR": str(tmp_path), **settings}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True,
                          cwd=tmp_path).stdout


@pytest.mark.parametrize("home", ["/proc/none", "/dev/null", "relative", ""])
def test_without_a_folder_of_the_user(tmp_path, home):
    """Operators are compiled in a folder of the process, which it removes. A relative XDG_CACHE_HOME is ignored."""
    settings = {"COPPICE_CACHE_DIR": "", "XDG_CACHE_HOME": "relative", "HOME": home}
    assert run(tmp_path, **settings, TMPDIR=str(tmp_path)) == "[3. 4.]\n"
    assert list(tmp_path.iterdir()) == []
    assert "set COPPICE_CACHE_DIR" in run(tmp_path, **settings, TMPDIR="/proc/none")


def test_a_folder_that_is_named_later(tmp_path, monkeypatch):
    """A failure for want of a folder or a compiler is not stored."""
    A = coppice.Matrix(sp.csr_array(np.array([[1.0, 2.0]])))
    operator = coppice.jit("x + 1 + 0 * 7919")  # no other test uses it
    monkeypatch.setenv("COPPICE_CACHE_DIR", "/proc/none")
    with pytest.raises(RuntimeError, match="/proc/none"):
        A.apply(operator)
    monkeypatch.setenv("COPPICE_CACHE_DIR", str(tmp_path))
    assert A.apply(operator).values.tolist() == [2.0, 3.0]


def test_compilers_and_stored_operators(tmp_path):
    assert "cannot run the compiler /no/such/cc" in run(tmp_path, COPPICE_CC="/no/such/cc")
    assert "COPPICE_JIT is off" in run(tmp_path, COPPICE_JIT="off")
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    assert "of this user that nobody else can write" in run(folder)
    assert run(tmp_path) == "[3. 4.]\n"
    (stored,) = tmp_path.glob("*.so")
    before = stored.stat()
    assert run(tmp_path) == "[3. 4.]\n" and stored.stat() == before
    assert run(tmp_path, PATH="/no/such/folder") == "[3. 4.]\n"  # without a compiler
