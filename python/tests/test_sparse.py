# SPDX-License-Identifier: BSD-3-Clause
"""Sparse algebra compared with its definitions on dense arrays with a mask of the entries."""

import math
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import coppice
from coppice import Matrix, Vector, _on_device, semiring

BINARY = {"plus": np.add, "minus": np.subtract, "rminus": lambda a, b: b - a, "times": np.multiply, "min": np.minimum,
          "max": np.maximum, "first": lambda a, b: a, "second": lambda a, b: b, "ne": np.not_equal, "lt": np.less}


def random_matrix(rng, shape, dtype=np.float64, density=0.3):
    there = rng.random(shape) < density
    values = np.where(there, rng.integers(-3, 4, shape), 0).astype(dtype)  # some entries are 0
    return of(values, there), values, there


def of(values, there):
    rows, columns = np.nonzero(there)
    offsets = np.concatenate([[0], np.cumsum(there.sum(1))]).astype("i4")
    return Matrix(sp.csr_array((values[rows, columns], columns.astype("i4"), offsets), shape=values.shape))


def random_vector(rng, n, dtype=np.float64, density=0.4):
    there = rng.random(n) < density
    values = np.where(there, rng.integers(-3, 4, n), 0).astype(dtype)
    return Vector(values[there], np.flatnonzero(there), n), values, there


def same(found, values, there):
    """Check that the entries are equal."""
    if isinstance(found, Vector):
        indices = np.arange(found.size) if found.indices is None else found.indices
        assert np.array_equal(indices, np.flatnonzero(there)) and np.array_equal(found.values, values[there])
    else:
        a = found.to_scipy()
        rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
        expected = np.nonzero(there)
        assert a.shape == there.shape and np.array_equal(rows, expected[0]) and np.array_equal(a.indices, expected[1])
        assert np.array_equal(a.data, values[there])
    assert found.nnz == there.sum()


MAKERS = [lambda rng, dtype: random_matrix(rng, (9, 14), dtype), lambda rng, dtype: random_vector(rng, 23, dtype)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", MAKERS, ids=["matrices", "vectors"])
@pytest.mark.parametrize("op", BINARY)
def test_elementwise(make, op, dtype):
    rng = np.random.default_rng(0)
    (A, a, in_a), (B, b, in_b) = make(rng, dtype), make(rng, dtype)
    both = BINARY[op](a, b).astype(dtype)
    same(A.ewise_mult(B, op), both, in_a & in_b)
    same(A.ewise_add(B, op), np.where(in_a & in_b, both, np.where(in_a, a, b)), in_a | in_b)
    filled = BINARY[op](np.where(in_a, a, 7), np.where(in_b, b, 5)).astype(dtype)
    same(A.ewise_union(B, op, 7, 5), filled, in_a | in_b)


@pytest.mark.parametrize("make", MAKERS, ids=["matrices", "vectors"])
@pytest.mark.parametrize("accumulate", [None, "plus"])
@pytest.mark.parametrize("flags", range(16))
def test_update_by_its_definition(make, accumulate, flags):
    rng = np.random.default_rng(flags)
    masked, replace, structure, complement = (bool(flags & 1 << k) for k in range(4))
    (C, c, in_c), (T, t, in_t), (M, m, in_m) = (make(rng, np.float64) for _ in range(3))
    admitted = in_m if structure else in_m & (m != 0)
    admitted = np.full(in_m.shape, True) if not masked else admitted
    admitted = ~admitted if complement else admitted
    # z = c ⊙ t; w<mask, replace> = z
    z = np.where(in_c & in_t, c + t, np.where(in_c, c, t)) if accumulate else t
    in_z = in_c | in_t if accumulate else in_t
    expected = np.where(admitted, z, c)
    there = np.where(admitted, in_z, in_c & (not replace))
    found = C.update(T, mask=M if masked else None, accumulate=accumulate, replace=replace, structure=structure,
                     complement=complement)
    same(found, expected, there)
    same(C, c, in_c)  # unchanged


def test_apply_and_select():
    rng = np.random.default_rng(1)
    A, a, there = random_matrix(rng, (11, 8))
    i, j = np.indices(a.shape)
    for name, expected in (("abs", abs(a)), ("ainv", -a), ("one", np.ones_like(a)), ("lnot", (a == 0) * 1.0),
                           ("rowindex", i), ("diagindex", j - i)):
        same(A.apply(name), np.asarray(expected, float), there)
    same(A.apply("colindex", scalar=3), j + 3.0, there)
    same(A.apply("minus", first=10), 10 - a, there)
    same(A.apply("minus", second=10), a - 10, there)
    for name, scalar, keep in (("tril", -1, j <= i - 1), ("triu", 1, j >= i + 1), ("diag", 2, j == i + 2),
                               ("offdiag", 0, i != j), ("rowle", 4, i <= 4), ("rowgt", 4, i > 4), ("colle", 3, j <= 3),
                               ("colgt", 3, j > 3), ("valuegt", 1, a > 1), ("valuele", 0, a <= 0),
                               ("valuene", 0, a != 0)):
        same(A.select(name, scalar), a, there & keep)
    u, values, there = random_vector(rng, 30)
    k = np.arange(30)
    same(u.apply("rowindex", scalar=1), k + 1.0, there)
    same(u.select("rowgt", 12), values, there & (k > 12))
    same(u.select("valuelt", 0), values, there & (values < 0))


def test_reductions():
    rng = np.random.default_rng(2)
    A, a, there = random_matrix(rng, (12, 9), density=0.2)
    assert A.reduce() == a.sum() and A.reduce("max") == a[there].max()
    for found, axis in ((A.reduce_rows("min"), 1), (A.reduce_columns("min"), 0)):
        same(found, np.where(there, a, np.inf).min(axis), there.any(axis))
    full = np.ones((5, 4))
    assert of(full, full > 0).reduce_rows().indices is None
    empty = Matrix(sp.csr_array((3, 4)))
    assert empty.reduce("min") == np.inf and empty.reduce_rows().nnz == 0
    u, values, there = random_vector(rng, 40)
    assert u.reduce("plus") == values.sum() and u.reduce("min") == values[there].min()


def test_parts():
    rng = np.random.default_rng(3)
    A, a, there = random_matrix(rng, (10, 12))
    rows, columns = [3, 3, 0, 9], [11, 2, 5]
    same(A.extract(rows, columns), a[rows][:, columns], there[rows][:, columns])
    same(A.extract(None, slice(2, 9, 3)), a[:, 2:9:3], there[:, 2:9:3])
    same(A.extract([], None), a[:0], there[:0])
    B, b, in_b = random_matrix(rng, (3, 2))
    expected, where = a.copy(), there.copy()
    expected[np.ix_([7, 1, 4], [0, 5])], where[np.ix_([7, 1, 4], [0, 5])] = b, in_b
    same(A.assign(B, [7, 1, 4], [0, 5]), expected, where)
    M, m, in_m = random_matrix(rng, (10, 12))
    admitted = in_m & (m != 0)
    admitted[:, 6:] = False
    same(A.assign(4.0, columns=slice(6), mask=M), np.where(admitted, 4, a), there | admitted)
    u, values, in_u = random_vector(rng, 20)
    same(u.extract([19, 0, 7, 7]), values[[19, 0, 7, 7]], in_u[[19, 0, 7, 7]])
    expected, where = values.copy(), in_u.copy()
    expected[[5, 2]], where[[5, 2]] = [8, 9], True
    same(u.assign(Vector(np.array([8.0, 9])), [5, 2]), expected, where)
    same(u.assign(1.0), np.ones(20), np.full(20, True))
    same(A.kronecker(B, "plus"), np.add.outer(a, b).transpose(0, 2, 1, 3).reshape(30, 24),
         np.kron(there, in_b).astype(bool))
    same(A.transpose(), a.T, there.T)


@pytest.mark.parametrize("name", ["plus-times", "min-plus", "max-first", "max-second", "arg-max"])
def test_products_with_lists_are_those_with_full_vectors(name):
    rng = np.random.default_rng(4)
    A, a, there = random_matrix(rng, (40, 30), density=0.15)
    for u, values, in_u, product, turn in ((*random_vector(rng, 30), A.mxv, False), (*random_vector(rng, 40), A.vxm, True)):
        found = product(u, name)
        # columns of A without an element of u are ignored
        kept = there.T[in_u].T if not turn else there[in_u]
        part, side = (a[:, in_u], values[in_u]) if not turn else (a[in_u].T, values[in_u])
        kept = kept if not turn else kept.T
        # x A is Aᵀ x with its operands in the other order
        of_rows = {"max-first": "max-second", "max-second": "max-first"}.get(name, name) if turn else name
        full = of(part, kept).mxv(np.ascontiguousarray(side), of_rows)
        if name == "arg-max":
            full = np.where(full >= 0, np.flatnonzero(in_u)[full.astype(int)], -1)
        same(found, full, kept.any(1))
        mask = random_vector(rng, found.size)
        for complement in (False, True):
            admitted = (mask[2] & (mask[1] != 0)) != complement
            same(product(u, name, mask=mask[0], complement=complement), full, kept.any(1) & admitted)


def test_breadth_first_search():
    """q<not level, replace> = q A: the textbook loop."""
    rng = np.random.default_rng(5)
    adjacency = sp.random_array((200, 200), density=0.02, rng=rng, format="csr")
    A, level = Matrix(adjacency), Vector(np.zeros(0), [], 200)
    frontier, depth = Vector(np.ones(1), [7], 200), 0
    while frontier.nnz:
        level = level.assign(float(depth), mask=frontier, structure=True)
        frontier = frontier.update(frontier.vxm(A, "any"), mask=level, structure=True, complement=True, replace=True)
        depth += 1
    expected = coppice.graph.bfs(adjacency, source=7).values
    assert np.array_equal(level.to_dense(-1), expected)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40_000), st.integers(0, 2**32 - 1))
def test_vectors_in_parts(n, seed):
    """Long vectors are split into ranges: every entry is in one of them."""
    rng = np.random.default_rng(seed)
    (u, a, in_a), (v, b, in_b) = random_vector(rng, n), random_vector(rng, n)
    same(u.ewise_add(v), a + b, in_a | in_b)
    same(u.update(v, mask=v, complement=True, replace=True), b, in_b & (b == 0))


def test_operators_of_the_user():
    pytest.importorskip("numba")
    rng = np.random.default_rng(6)
    (A, a, in_a), (B, b, in_b) = (random_matrix(rng, (9, 9)) for _ in range(2))
    i, j = np.indices(a.shape)
    same(A.ewise_mult(B, lambda x, y: 2 * x - y), 2 * a - b, in_a & in_b)
    same(A.apply(lambda x: x * x), a * a, in_a)
    same(A.apply(lambda x, i, j: x + 10 * i + j), a + 10 * i + j, in_a)
    same(A.apply(lambda x, y: x - 2 * y, second=3), a - 6, in_a)
    same(A.select(lambda x, i, j: i > j and x >= 0), a, in_a & (i > j) & (a >= 0))
    assert A.reduce(semiring.monoid(lambda x, y: max(x, y), -np.inf)) == a[in_a].max()
    u, values, there = random_vector(rng, 9)
    same(u.apply(lambda x, k: x + k), values + np.arange(9), there)
    own = semiring.user(lambda s, p: min(s, p), lambda a, x: 2 * a + x, np.inf)
    products = 2 * a[:, :, None] + b[None]
    met = in_a[:, :, None] & in_b[None]
    same(A.mxm(B, own), np.where(met, products, np.inf).min(1), met.any(1))
    same(A.mxm(B, own, mask=B, complement=True), np.where(met, products, np.inf).min(1), met.any(1) & ~in_b)
    expected = np.where(in_a.T & there, 2 * values + a.T, np.inf).min(1)
    same(u.vxm(A, own), expected, (in_a.T & there).any(1))
    same(A.mxv(u, own), np.where(in_a & there, 2 * a + values, np.inf).min(1), (in_a & there).any(1))
    full = np.where(in_a, 2 * a + values, np.inf).min(1)
    before, mask = np.arange(9.0), (np.arange(9) % 2).astype(float)
    assert np.array_equal(A.mxv(values, own, accumulate=before), np.minimum(before, full))
    assert np.array_equal(A.mxv(values, own, mask=mask), np.where(mask != 0, full, np.inf))
    assert np.array_equal(A.mxv(values, own, mask=mask, complement=True, accumulate=before),
                          np.where(mask == 0, np.minimum(before, full), before))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_semirings_of_names(dtype):
    rng = np.random.default_rng(8)
    (A, a, in_a), (B, b, in_b) = (random_matrix(rng, (9, 9), dtype) for _ in range(2))
    own = semiring.user("min", "minus")
    met, differences = in_a[:, :, None] & in_b[None], a[:, :, None] - b[None]
    same(A.mxm(B, own), np.where(met, differences, np.inf).min(1), met.any(1))
    same(A.mxm(B, own, mask=B, complement=True), np.where(met, differences, np.inf).min(1), met.any(1) & ~in_b)
    u, values, there = random_vector(rng, 9, dtype)
    same(A.mxv(u, own), np.where(in_a & there, a - values, np.inf).min(1), (in_a & there).any(1))
    same(u.vxm(A, own), np.where(in_a.T & there, values - a.T, np.inf).min(1), (in_a.T & there).any(1))
    full, before = np.where(in_a, a - values, np.inf).min(1).astype(dtype), np.arange(9, dtype=dtype)
    assert np.array_equal(A.mxv(values, own), full)
    assert np.array_equal(A.mxv(values, own, mask=before % 2, accumulate=before),
                          np.where(before % 2 != 0, np.minimum(before, full), before))


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", ["first", "second", "oneb", "plus", "minus", "rminus", "times", "div", "rdiv", "min", "lt",
                                  "ge", "eq", "pow", "atan2", "fmod", "copysign"])
def test_operands_of_vxm_are_in_the_order_of_the_product(name, own):
    """x A by its definition, multiply(x_i, a_ij), as in GrB_vxm; for full vectors and lists, masks and sums."""
    rng = np.random.default_rng(9)
    a = np.where(rng.random((12, 7)) < 0.6, rng.integers(1, 9, (12, 7)), 0).astype(float)
    A, x = coppice.Matrix(sp.csr_array(a)), rng.integers(1, 9, 12).astype(float)
    functions = {
        "first": lambda u, v: u, "second": lambda u, v: v, "oneb": lambda u, v: 1.0, "plus": lambda u, v: u + v,
        "minus": lambda u, v: u - v, "rminus": lambda u, v: v - u, "times": lambda u, v: u * v,
        "div": lambda u, v: u / v, "rdiv": lambda u, v: v / u, "min": lambda u, v: min(u, v),
        "lt": lambda u, v: 1.0 if u < v else 0.0, "ge": lambda u, v: 1.0 if u >= v else 0.0, "eq": lambda u, v: 1.0 if u == v else 0.0,
        "pow": lambda u, v: u**v, "atan2": lambda u, v: math.atan2(u, v), "fmod": lambda u, v: u % v,
        "copysign": lambda u, v: math.copysign(u, v)}
    f = functions[name]
    if own:
        pytest.importorskip("numba")
        semiring_of = semiring.user(lambda s, p: max(s, p), f, -np.inf)
    else:
        semiring_of = semiring.user("max", name)
    expected = np.array([max((f(x[i], a[i, j]) for i in np.flatnonzero(a[:, j])), default=-np.inf) for j in range(7)])
    assert np.allclose(A.vxm(x, semiring_of), expected)
    there = np.arange(12) % 3 > 0
    u = coppice.Vector(x[there], np.flatnonzero(there), 12)
    some = [max((f(x[i], a[i, j]) for i in np.flatnonzero(a[:, j]) if there[i]), default=-np.inf) for j in range(7)]
    assert np.allclose(A.vxm(u, semiring_of).to_dense(-np.inf), some)
    mask, before = (np.arange(7) % 2).astype(float), np.arange(7.0)
    found = A.vxm(x, semiring_of, mask=mask, accumulate=before)
    assert np.allclose(found, np.where(mask != 0, np.maximum(before, expected), before))
    along = np.array([max((f(a[i, j], y) for j, y in enumerate(before) if a[i, j]), default=-np.inf) for i in range(12)]) \
        if name not in ("div", "fmod", "rdiv") else None
    if along is not None:
        assert np.allclose(A.mxv(before, semiring_of), along)


@pytest.mark.parametrize("name", ["max-first", "max-second"])
def test_named_semirings_in_vxm(name):
    a, x = np.array([[1.0, 0, 5], [7, 2, 0]]), np.array([3.0, 4.0])
    A = coppice.Matrix(sp.csr_array(a))
    expected = [4, 4, 3] if name == "max-first" else [7, 2, 5]  # the vector is the first operand
    assert np.array_equal(A.vxm(x, name), expected)
    assert np.array_equal(A.vxm(coppice.Vector(x, [0, 1], 2), name).to_dense(), expected)


def test_products_by_the_operator_of_python():
    rng = np.random.default_rng(9)
    (A, a, _), x = random_matrix(rng, (7, 5)), rng.random(5)
    u, values, there = random_vector(rng, 7)
    assert np.allclose(A @ x, a @ x) and np.allclose(np.ones(7) @ A, np.ones(7) @ a)
    assert np.allclose((A @ A.T).to_scipy().toarray(), a @ a.T)
    assert np.allclose((u @ A).to_dense(), (values * there) @ a)
    with pytest.raises(TypeError):
        u @ 3.0


def test_vectors_without_elements():
    none = Vector(np.zeros(0))
    assert none.ewise_add(none).size == 0 and none.reduce("min") == np.inf and none.extract([]).size == 0
    assert none.update(none, mask=none).shape == (0,)


def test_against_suitesparse():
    pytest.importorskip("graphblas.io")  # not "graphblas": the source folder of that name would be found
    import graphblas as gb

    rng = np.random.default_rng(7)
    (A, a, in_a), (B, b, in_b), (M, m, in_m) = (random_matrix(rng, (50, 50), density=0.1) for _ in range(3))
    X, Y, Z = (gb.io.from_scipy_sparse(each.to_scipy()) for each in (A, B, M))
    for ours, theirs in (
        (A.mxm(B, "min-plus"), X.mxm(Y, gb.semiring.min_plus)),
        (A.ewise_add(B, "max"), X.ewise_add(Y, gb.binary.max)),
        (A.kronecker(B, "minus"), X.kronecker(Y, gb.binary.minus)),
        (A.select("tril", -1), X.select(gb.select.tril, -1)),
    ):
        expected = gb.io.to_scipy_sparse(theirs.new())
        there = np.zeros(expected.shape, bool)
        coordinates = expected.tocoo()
        there[coordinates.row, coordinates.col] = True
        values = np.zeros(expected.shape)
        values[coordinates.row, coordinates.col] = coordinates.data
        same(ours, values, there)
    Y(Z.V, gb.binary.plus, replace=True) << X
    expected = Y.to_dense(np.nan)
    same(B.update(A, mask=M, accumulate="plus", replace=True), expected, ~np.isnan(expected))


LONG = Matrix(sp.csr_array((2**16, 2)))


@pytest.mark.parametrize("error, text, call", [
    (TypeError, "other is a Vector, expected a Matrix", lambda A, u: A.ewise_add(u)),
    (ValueError, r"other has shape \(4,\).*expected \(6,\)", lambda A, u: u.ewise_add(Vector(np.ones(4)))),
    (ValueError, r"other .*float32, expected \(6, 6\) and float64", lambda A, u: A.ewise_mult(
        Matrix(sp.eye_array(6, format="csr", dtype="f4")))),
    (ValueError, "unknown operator.*plus.*times", lambda A, u: A.ewise_add(A, "add")),
    (ValueError, "unknown function.*abs", lambda A, u: A.apply("sine")),
    (ValueError, "unknown selection.*tril", lambda A, u: A.select("lower")),
    (ValueError, "unknown monoid.*plus", lambda A, u: A.reduce("minus")),
    (ValueError, "needs its identity", lambda A, u: semiring.monoid(max, None)),
    (TypeError, "operator is a float", lambda A, u: A.ewise_add(A, 3.0)),
    (ValueError, "rows .*9.*expected 0 to 5", lambda A, u: A.extract([9])),
    (TypeError, "columns .*float64, expected a list of integers", lambda A, u: A.extract(None, [0.5])),
    (ValueError, "occurs twice", lambda A, u: A.assign(A.extract([0, 1]), [2, 2])),
    (ValueError, r"value has shape \(6, 6\).*expected \(2, 6\)", lambda A, u: A.assign(A, [0, 1])),
    (ValueError, r"mask has shape \(4,\)", lambda A, u: u.update(u, mask=Vector(np.ones(4)))),
    (ValueError, r"x has shape \(3,\).*expected \(6,\)", lambda A, u: A.mxv(Vector(np.ones(1), [0], 3))),
    (ValueError, "accumulate goes with dense", lambda A, u: A.mxv(u, accumulate=np.ones(6))),
    (ValueError, "are not sorted", lambda A, u: Vector(np.ones(2), [3, 3], 6)),
    (ValueError, r"indices .*8.*expected 0 to 5", lambda A, u: Vector(np.ones(2), [3, 8], 6)),
    (ValueError, r"indices has shape \(1,\), expected \(2,\)", lambda A, u: Vector(np.ones(2), [3], 6)),
    (TypeError, "go together", lambda A, u: Vector(np.ones(2), [3, 4])),
    (TypeError, "B is a Vector", lambda A, u: A.mxm(u)),
    (TypeError, "A is a csr_array, expected a Matrix", lambda A, u: u.vxm(sp.eye_array(6, format="csr"))),
    (TypeError, "value is .*Vector.*, expected a number or a Matrix", lambda A, u: A.assign(u)),
    (TypeError, "value is 'a', expected a number or a Vector", lambda A, u: u.assign("a")),
    (TypeError, "scalar is 'a', expected a number", lambda A, u: A.select("tril", "a")),
    (TypeError, "monoid is a int, expected a name, a function of numbers or an expression", lambda A, u: A.reduce(3)),
    (TypeError, "expected two names, two functions or two expressions", lambda A, u: semiring.user("plus", max)),
    (ValueError, "unknown monoid 'minus', expected one of plus", lambda A, u: semiring.user("minus", "times")),
    (ValueError, "monoid 'plus' has an identity", lambda A, u: semiring.user("plus", "times", 0.0)),
    (ValueError, "unknown operator.*plus", lambda A, u: A.mxm(A, semiring.user("plus", "tims"))),
    (ValueError, "both first and second", lambda A, u: A.apply("plus", first=1, second=2)),
    (OverflowError, "rows of a Kronecker product", lambda A, u: LONG.kronecker(LONG)),
])
def test_bad_input(error, text, call):
    with pytest.raises(error, match=text):
        call(Matrix(sp.eye_array(6, format="csr")), Vector(np.ones(2), [1, 4], 6))


def test_without_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "coppice._kernels", raising=False)
    monkeypatch.delattr(coppice, "_kernels", raising=False)
    A = Matrix(sp.eye_array(3, format="csr"))
    with pytest.raises(ImportError, match="pip install .?numba"):
        A.apply(lambda a: a + 1)
    with pytest.raises(ImportError, match="Python functions .* 'numba-cuda.cu13.'; the names of coppice.semiring"):
        _on_device.apply(A, lambda a: a + 1)
    assert A.mxm(A, semiring.user("min", "plus")).reduce() == 6  # names do not need Numba


def test_functions_of_a_wrong_number_of_arguments():
    pytest.importorskip("numba")
    with pytest.raises(TypeError, match="takes 2 arguments, expected 1, the value, or 3"):
        Matrix(sp.eye_array(3, format="csr")).apply(lambda a, b: a)


@pytest.mark.parametrize("columns", [0, 1, 3, 64, 70])
def test_products_with_arrays_convert_as_scipy(columns):
    rng = np.random.default_rng(columns)
    S = sp.random_array((30, 20), density=0.2, rng=rng, format="csr")
    on_device = coppice._places.HOST.on_device  # simulated
    X = np.round(rng.standard_normal((20, columns)) * 8)
    for given in (S, S.astype("f4"), (S * 8).astype(int), S.astype(bool)):
        A = coppice.Matrix(given)
        for right in (X, X.astype("f4"), X.astype(int), np.asfortranarray(X), X.astype(">f8"), np.repeat(X, 2, 1)[:, ::2]):
            y = A @ right
            exact = given.astype("f8") @ right.astype("f8")
            both = np.result_type(given.dtype, right.dtype.newbyteorder("="))
            both = both if both.kind == "f" or not on_device else np.dtype("f8")
            assert y.dtype == both and y.shape == exact.shape and np.allclose(y, exact, rtol=1e-6, atol=1e-5)
            for column in right.T[:2]:
                for vector in (column, column.tolist()):
                    assert np.allclose(A @ vector, given.astype("f8") @ column, rtol=1e-6, atol=1e-5)
    with pytest.raises(ValueError, match=r"X has shape \(19, .*expected \(20, k\)"):
        A @ X[1:]
    if on_device:
        with pytest.raises(TypeError, match="X .*complex128"):
            A @ (1j * X)
    else:
        assert np.allclose(A @ (1j * X), given @ (1j * X))
