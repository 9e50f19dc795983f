# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors of bool, integers and complex numbers, compared with their definitions on dense arrays."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import coppice
from coppice import Matrix, Vector, _typed, semiring

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
TYPES = ["?", *INTEGERS, "c8", "c16"]


def random_values(rng, shape, dtype):
    """Return values, of which some are 0, and where entries are."""
    there = rng.random(shape) < 0.4
    values = rng.integers(0 if np.dtype(dtype).kind in ("b", "u") else -3, 4, shape).astype(dtype)
    if values.dtype.kind == "c":
        values += (1j * rng.integers(-2, 3, shape)).astype(dtype)
    return np.where(there, values, 0).astype(dtype), there


def random_matrix(rng, shape, dtype):
    values, there = random_values(rng, shape, dtype)
    rows, columns = np.nonzero(there)
    offsets = np.concatenate([[0], np.cumsum(there.sum(1))])
    return Matrix(sp.csr_array((values[rows, columns], columns, offsets), shape=shape)), values, there


def random_vector(rng, n, dtype):
    values, there = random_values(rng, n, dtype)
    return Vector(values[there], np.flatnonzero(there), n), values, there


def same(found, values, there):
    assert found.dtype == values.dtype
    if isinstance(found, Vector):
        indices = np.arange(found.size) if found.indices is None else found.indices
        assert np.array_equal(indices, np.flatnonzero(there)) and np.array_equal(found.values, values[there])
    else:
        a = found.to_scipy()
        rows = np.repeat(np.arange(a.shape[0]), np.diff(a.indptr))
        assert np.array_equal(np.stack([rows, a.indices]), np.nonzero(there)) and np.array_equal(a.data, values[there])


MAKERS = [lambda rng, dtype: random_matrix(rng, (9, 14), dtype), lambda rng, dtype: random_vector(rng, 23, dtype)]


def quotient(a, b):
    """Division of GraphBLAS: towards zero, and the limit of the range for a zero divisor."""
    if a.dtype.kind == "c":
        with np.errstate(all="ignore"):
            return a / b
    if a.dtype.kind == "b":
        return a
    info = np.iinfo(a.dtype)

    def one(x, y):
        if y == 0:
            return info.max if x > 0 else info.min if x < 0 else 0
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    return np.vectorize(one, otypes=[object])(a.astype(object), b.astype(object))


@pytest.mark.parametrize("make", [0, 1], ids=["matrices", "vectors"])
def test_numbers_that_do_not_fit_one_float(make, monkeypatch):
    """Objects with more than some 10^8 entries number their entries twice."""
    rng = np.random.default_rng(11)
    (A, a, in_a), (B, b, in_b) = MAKERS[make](rng, "i4"), MAKERS[make](rng, "i4")
    expected = [A.ewise_add(B, "minus"), A.ewise_mult(B, "minus"), A.ewise_union(B, "minus", 5, 7)]
    few = [A.kronecker(B, "minus")] if make == 0 else []
    monkeypatch.setattr(_typed, "_EXACT", 0)
    again = [A.ewise_add(B, "minus"), A.ewise_mult(B, "minus"), A.ewise_union(B, "minus", 5, 7)]
    for one, other in zip(expected + few, again + ([A.kronecker(B, "minus")] if few else [])):
        assert one.shape == other.shape and np.array_equal(one.values, other.values)
    same(again[1], a - b, in_a & in_b)


def operators(dtype):
    one = {"plus": np.add, "times": np.multiply, "first": lambda a, b: a, "second": lambda a, b: b, "eq": np.equal,
           "ne": np.not_equal, "lor": np.logical_or, "lxor": np.logical_xor,
           "minus": np.not_equal if dtype == "?" else np.subtract}
    ordered = {"min": np.minimum, "max": np.maximum, "lt": np.less, "ge": np.greater_equal, "div": quotient}
    return one if np.dtype(dtype).kind == "c" else {**one, **ordered}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("make", MAKERS, ids=["matrices", "vectors"])
def test_elementwise(make, dtype):
    rng = np.random.default_rng(0)
    (A, a, in_a), (B, b, in_b) = make(rng, dtype), make(rng, dtype)
    for name, op in operators(dtype).items():
        both = np.asarray(op(a, b)).astype(dtype)
        same(A.ewise_mult(B, name), both, in_a & in_b)
        same(A.ewise_add(B, name), np.where(in_a & in_b, both, np.where(in_a, a, b)), in_a | in_b)
        filled = np.asarray(op(np.where(in_a, a, a.dtype.type(1)), np.where(in_b, b, a.dtype.type(0)))).astype(dtype)
        same(A.ewise_union(B, name, 1, 0), filled, in_a | in_b)


@pytest.mark.parametrize("dtype", ["?", "i8", "u2", "c16"])
@pytest.mark.parametrize("make", MAKERS, ids=["matrices", "vectors"])
@pytest.mark.parametrize("accumulate", [None, "plus"])
@pytest.mark.parametrize("flags", range(0, 16, 3))
def test_update_by_its_definition(make, accumulate, flags, dtype):
    rng = np.random.default_rng(flags)
    masked, replace, structure, complement = (bool(flags & 1 << k) for k in range(4))
    (C, c, in_c), (T, t, in_t) = (make(rng, dtype) for _ in range(2))
    M, m, in_m = make(rng, "?" if flags % 2 else "i4")
    admitted = in_m if structure else in_m & (m != 0)
    admitted = np.full(in_m.shape, True) if not masked else admitted
    admitted = ~admitted if complement else admitted
    z = np.where(in_c & in_t, c + t, np.where(in_c, c, t)).astype(dtype) if accumulate else t
    in_z = in_c | in_t if accumulate else in_t
    found = C.update(T, mask=M if masked else None, accumulate=accumulate, replace=replace, structure=structure,
                     complement=complement)
    same(found, np.where(admitted, z, c), np.where(admitted, in_z, in_c & (not replace)))


@pytest.mark.parametrize("dtype", TYPES)
def test_apply_and_select(dtype):
    rng = np.random.default_rng(1)
    A, a, there = random_matrix(rng, (11, 8), dtype)
    i, j = np.indices(a.shape)
    same(A.apply("one"), np.ones_like(a), there)
    same(A.apply("lnot"), (a == 0).astype(dtype), there)
    same(A.apply("ainv"), a if dtype == "?" else -a, there)
    same(A.apply("plus", second=1), (a + a.dtype.type(1)).astype(dtype), there)
    if dtype != "?":
        same(A.apply("rowindex", scalar=3), (i + 3).astype(dtype), there)
        same(A.apply("minus", first=3), (a.dtype.type(3) - a).astype(dtype), there)
    if np.dtype(dtype).kind != "c":
        same(A.apply("abs"), abs(a), there)
        same(A.select("valuegt", 1), a, there & (a > 1))
    same(A.select("valuene", 0), a, there & (a != 0))
    same(A.select("tril", -1), a, there & (j <= i - 1))
    u, values, in_u = random_vector(rng, 30, dtype)
    same(u.select("rowgt", 12), values, in_u & (np.arange(30) > 12))


def test_parts_of_complex_numbers():
    A, a, there = random_matrix(np.random.default_rng(2), (7, 9), "c16")
    same(A.apply("conj"), a.conj(), there)
    for name, part in (("abs", np.abs), ("real", np.real), ("imag", np.imag)):
        same(A.apply(name), part(a), there)
    assert A.astype("c8").apply("abs").dtype == np.float32
    assert np.allclose(A.apply("exp").values, np.exp(a[there]))


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(dtype):
    rng = np.random.default_rng(3)
    A, a, there = random_matrix(rng, (12, 9), dtype)
    expected = a[there].any() if dtype == "?" else a.sum(dtype=dtype)
    assert A.reduce() == expected and type(A.reduce()) is type(expected.item())
    same(A.reduce_rows(), a.sum(axis=1, dtype=dtype), there.any(1))
    same(A.reduce_columns("times"), np.where(there, a, 1).prod(axis=0, dtype=dtype), there.any(0))
    empty = Matrix(sp.csr_array((3, 4), dtype=dtype))
    assert empty.reduce() == 0 and empty.reduce("times") == 1 and empty.reduce_rows().nnz == 0
    if np.dtype(dtype).kind in "iu":
        assert A.reduce("min") == a[there].min() and empty.reduce("min") == np.iinfo(dtype).max


@pytest.mark.parametrize("dtype", TYPES)
def test_parts(dtype):
    rng = np.random.default_rng(4)
    A, a, there = random_matrix(rng, (10, 12), dtype)
    rows, columns = [3, 3, 0, 9], [11, 2, 5]
    same(A.extract(rows, columns), a[rows][:, columns], there[rows][:, columns])
    same(A.transpose(), a.T, there.T)
    B, b, in_b = random_matrix(rng, (3, 2), dtype)
    expected, where = a.copy(), there.copy()
    expected[np.ix_([7, 1, 4], [0, 5])], where[np.ix_([7, 1, 4], [0, 5])] = b, in_b
    same(A.assign(B, [7, 1, 4], [0, 5]), expected, where)
    M, m, in_m = random_matrix(rng, (10, 12), "?")
    admitted = in_m & m
    admitted[:, 6:] = False
    same(A.assign(1, columns=slice(6), mask=M), np.where(admitted, a.dtype.type(1), a), there | admitted)
    added = np.where(admitted, np.where(there, a + a.dtype.type(1), a.dtype.type(1)), a).astype(dtype)
    same(A.assign(1, columns=slice(6), mask=M, accumulate="plus"), added, there | admitted)
    same(A.kronecker(B), np.kron(a, b), np.kron(there, in_b).astype(bool))
    u, values, in_u = random_vector(rng, 20, dtype)
    same(u.extract([19, 0, 7, 7]), values[[19, 0, 7, 7]], in_u[[19, 0, 7, 7]])
    same(u.assign(1, [5, 2]), np.where(np.isin(np.arange(20), [2, 5]), values.dtype.type(1), values),
         in_u | np.isin(np.arange(20), [2, 5]))
    assert np.array_equal(u.to_dense(), values)


def product(a, in_a, b, in_b, add, multiply, identity):
    """A B by its definition, for all rows and columns."""
    values, there = np.full((a.shape[0], b.shape[1]), identity, a.dtype), np.zeros((a.shape[0], b.shape[1]), bool)
    for i, k, j in np.argwhere(in_a[:, :, None] & in_b[None]):
        each = np.asarray(multiply(a[i, k], b[k, j])).astype(a.dtype)
        values[i, j] = add(values[i, j], each) if there[i, j] else each
        there[i, j] = True
    return values, there


def semirings(dtype):
    made = {"plus-times": (np.add, np.multiply, 0), "or-and": (np.logical_or, np.logical_and, 0),
            "any": (lambda s, p: s, np.multiply, 0)}
    if np.dtype(dtype).kind != "c":
        least, most = (0, 1) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        made |= {"min-plus": (np.minimum, np.add, most), "max-min": (np.maximum, np.minimum, least),
                 "max-second": (np.maximum, lambda x, y: y, least)}
    return made


@pytest.mark.parametrize("dtype", TYPES)
def test_products(dtype):
    rng = np.random.default_rng(5)
    (A, a, in_a), (B, b, in_b) = random_matrix(rng, (12, 15), dtype), random_matrix(rng, (15, 10), dtype)
    M, _, in_m = random_matrix(rng, (12, 10), "f4")
    x, in_x = random_values(rng, 15, dtype)
    u = Vector(x[in_x], np.flatnonzero(in_x), 15)
    for name, (add, multiply, identity) in semirings(dtype).items():
        values, there = product(a, in_a, b, in_b, add, multiply, identity)
        same(A.mxm(B, name), values, there)
        same(A.mxm(B, name, mask=M), values, there & in_m)
        same(A.mxm(B, name, mask=M, complement=True), values, there & ~in_m)
        y, in_y = product(a, in_a, x[:, None], np.full((15, 1), True), add, multiply, identity)
        assert np.array_equal(A.mxv(x, name), y[:, 0])
        same(A.mxv(Vector(x), name), y[:, 0], np.full(12, True))
        y, in_y = product(a, in_a, x[:, None], in_x[:, None], add, multiply, identity)
        same(A.mxv(u, name), y[:, 0], in_y[:, 0])
        w, in_w = product(x[None], in_x[None], b, in_b, add, multiply, identity)
        same(B.vxm(u, name), w[0], in_w[0])
        mask, before = rng.random(12) < 0.5, np.ones(12, dtype)
        y, _ = product(a, in_a, x[:, None], np.full((15, 1), True), add, multiply, identity)
        joined = np.where(mask, np.asarray(add(before, y[:, 0])).astype(dtype), before)
        assert np.array_equal(A.mxv(x, name, mask=mask, accumulate=before), joined)
    assert np.array_equal(A @ x, a @ x) and np.array_equal(x @ A.T, x @ a.T)
    X = random_values(rng, (15, 3), dtype)[0]
    assert np.array_equal(A @ X, a @ X) and (A @ X[:, :0]).shape == (12, 0)
    same(A.mxm(B, semiring.user("lxor", "first")), *product(a, in_a, b, in_b, np.logical_xor, lambda s, t: s, 0))


def test_a_large_product_is_that_of_scipy():
    rng = np.random.default_rng(6)
    n = 1000
    a = sp.random_array((n, n), density=1e-2, rng=rng, format="csr")
    for dtype in ("i8", "u2", "c16"):
        b = sp.csr_array((rng.integers(1, 100, a.nnz).astype(dtype), a.indices, a.indptr), shape=a.shape)
        found = (Matrix(b) @ Matrix(b)).to_scipy()
        assert found.dtype == dtype and np.array_equal(found.toarray(), (b @ b).toarray())
        x = rng.integers(0, 100, n).astype(dtype)
        assert np.array_equal(Matrix(b) @ x, b @ x)


def test_threads_do_not_change_results():
    a = sp.random_array((20_000, 20_000), density=2e-4, rng=np.random.default_rng(7), format="csr", dtype=np.complex64)
    x = np.random.default_rng(8).standard_normal(20_000).astype("c8")
    results = []
    for threads in (1, 4):
        with coppice.use_threads(threads):
            A = Matrix(a)
            results.append((A @ x, (A @ A).values, A.reduce()))
    assert all(np.array_equal(one, other) for one, other in zip(*results))


def test_integers_wrap():
    u = Vector(np.array([127, -128], "i1"))
    assert u.apply("plus", second=1).values.tolist() == [-128, -127]
    assert u.ewise_mult(u, "times").values.tolist() == [1, 0] and u.reduce() == -1
    assert Vector(np.array([2**63 - 1])).apply("plus", second=1).values.tolist() == [-2**63]


@pytest.mark.parametrize("dtype", [">i4", "<i8", "?", "u2", "c8"])
def test_conversions_lose_nothing(dtype):
    native = np.dtype(dtype).newbyteorder("=")
    a = sp.csr_array(np.array([[0, 1], [1, 0]]).astype(native))
    others = (a.tocsc(), a.tocoo(), a.tolil())
    a.data = a.data.astype(dtype)
    for given in (a, *others):
        assert Matrix(given).dtype == native and Matrix(given).to_scipy().dtype == native
        assert np.array_equal(Matrix(given).to_scipy().toarray(), a.toarray())
    large = np.array([2**63 - 1, 2**53 + 1])
    assert Vector(large).values.tolist() == large.tolist()
    assert Vector([True, False]).dtype == bool and Vector([1, 2]).dtype == np.int64 and Vector([1j]).dtype == complex
    assert Vector(np.ones(2, "f2")).dtype == np.float64
    for copied in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        again = copied(Matrix(a))
        assert again.dtype == native and np.array_equal(again.to_scipy().toarray(), a.toarray())
        assert copied(Vector(large)).values.tolist() == large.tolist()


def test_products_of_two_types():
    A = Matrix(sp.csr_array([[0, 2], [3, 0]]))
    assert A.dtype == np.int64 and (A @ [1, 10]).dtype == np.int64
    assert np.array_equal(A @ [0.5, 1.0], [2.0, 1.5]) and (A @ np.array([1, 1j])).dtype == complex
    assert (A @ np.ones(2, "f4")).dtype == np.float64 and (A @ np.ones(2, bool)).dtype == np.int64
    assert (A.astype("i4") @ np.ones(2, "f4")).dtype == np.float64
    large = Matrix(sp.csr_array([[2**53 + 1]]))
    assert (large @ [1])[0] == 2**53 + 1
    with pytest.raises(ValueError, match="9007199254740993, which float64 does not represent"):
        large @ [1.0]
    with pytest.raises(ValueError, match="x holds 9007199254740993"):
        Matrix(sp.csr_array([[1.0]])) @ [2**53 + 1]
    with pytest.raises(TypeError, match="dtype float64, expected int64; astype converts"):
        A @ A.astype(float)
    assert np.array_equal((A.astype(float) @ A.astype(float)).values, (A @ A).values)


def test_conversions_that_lose_values_are_errors():
    A = Matrix(sp.csr_array([[300, -1]]))
    for dtype, value in (("i1", 300), ("u8", -1), ("?", 300)):
        with pytest.raises(ValueError, match=f"holds {value}, which {np.dtype(dtype)} does not represent"):
            A.astype(dtype)
    assert A.astype("i1", exact=False).values.tolist() == [44, -1]
    for values, dtype in (([0.5], "i4"), ([np.nan], "i4"), ([1j], "f8"), ([2.0**53, 0.1], "f4"), ([2**53 + 1], "f8")):
        with pytest.raises(ValueError, match="does not represent"):
            Vector(values).astype(dtype)
    assert Vector([np.nan, 1.0]).astype("f4").dtype == np.float32 and Vector([1 + 0j]).astype("f8").values.tolist() == [1]
    with pytest.raises(TypeError, match="dtype is float16"):
        A.astype("f2")
    for call in (lambda: A.apply("plus", second=0.5), lambda: A.assign(2.5), lambda: A.ewise_union(A, "plus", 0.5, 0),
                 lambda: A.astype("i4").apply("plus", second=2**40), lambda: A.astype("i2").apply("rowindex", scalar=2**20)):
        with pytest.raises(ValueError, match="does not represent"):
            call()
    for call in (lambda: A.apply("sqrt"), lambda: A.ewise_add(A, "hypot"), lambda: A.mxv([1, 1], "arg-max"),
                 lambda: A.assign("a"), lambda: A.astype(complex).select("valuelt", 1)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match='unknown operator of complex numbers "min"'):
        A.astype(complex).ewise_add(A.astype(complex), "min")


def test_functions_of_the_user():
    pytest.importorskip("numba")
    rng = np.random.default_rng(9)
    for dtype in ("i4", "u1", "?"):
        (A, a, in_a), (B, b, in_b) = random_matrix(rng, (9, 9), dtype), random_matrix(rng, (9, 9), dtype)
        same(A.ewise_mult(B, lambda s, t: s | t), a | b, in_a & in_b)
        same(A.apply(lambda s: s ^ s), np.zeros_like(a), in_a)
        same(A.select(lambda s, i, j: i < j), a, in_a & (np.indices(a.shape)[0] < np.indices(a.shape)[1]))
        either = semiring.user(lambda s, t: s | t, lambda s, t: s & t, 0)
        same(A.mxm(B, either), *product(a, in_a, b, in_b, np.bitwise_or, np.bitwise_and, 0))
        x = b[0]
        assert np.array_equal(A.mxv(x, either), product(a, in_a, x[:, None], np.full((9, 1), True), np.bitwise_or,
                                                        np.bitwise_and, 0)[0][:, 0])
        assert A.reduce(semiring.monoid(lambda s, t: s | t, 0)) == np.bitwise_or.reduce(a[in_a])
    A = Matrix(sp.csr_array([[1, 2]]))
    with pytest.raises(TypeError, match="the function returns float64 for int64, expected integers"):
        A.apply(lambda s: s / 2)
    with pytest.raises(TypeError, match="compiled for real numbers"):
        A.astype(complex).apply(lambda s: s)


def test_counting_walks_and_triangles():
    """Numbers that float64 does not hold, and the mask of a product."""
    n = 40
    complete = sp.csr_array(np.ones((n, n), np.int64) - np.eye(n, dtype=np.int64))
    A = Matrix(complete)
    power = A
    for _ in range(11):
        power = power @ A
    # The eigenvalues of the complete graph are n - 1, once, and -1.
    closed = ((n - 1)**12 + (n - 1)) // n
    assert int(power.to_scipy()[0, 0]) == closed and closed > 2**53
    lower = A.select("tril", -1)
    assert lower.mxm(lower, mask=lower).reduce() == n * (n - 1) * (n - 2) // 6


def test_pictures_of_notebooks():
    A = Matrix(sp.csr_array(np.eye(5, dtype=bool)))
    assert "<svg" in A._repr_html_() and "bool" in A._repr_html_() and "5 nonzeros" in A._repr_html_()
    html = Vector([3, 4], [1, 5], 9)._repr_html_()
    assert html.count("<rect") == 2 and "int64" in html


@pytest.mark.parametrize("name", ["bool", "uint8", "int32", "int64", "complex64"])
def test_tensors(name):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, name)
    A = Matrix(torch.tensor([[0, 1], [1, 1]]).to(dtype).to_sparse())
    assert A.dtype == np.dtype(name)
    y = A @ torch.ones(2, dtype=dtype)
    assert isinstance(y, torch.Tensor) and y.dtype == dtype and y.tolist() == [1, 1 if name == "bool" else 2]
    assert Vector(torch.ones(3, dtype=dtype)).dtype == np.dtype(name)
