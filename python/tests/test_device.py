# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of CuPy and PyTorch on a device: the same results as on the host, on the stream of the caller."""

import inspect

import numpy as np
import pytest

import coppice
from at_once import at_once
from coppice import _core

if not _core.cuda_devices():
    pytest.skip("no CUDA device, or a build without CUDA", allow_module_level=True)

scipy_sparse = pytest.importorskip("scipy.sparse")
REALS = [np.float32, np.float64]
NUMBERS = [*REALS, np.complex64, np.complex128]


class CuPy:
    def __init__(self):
        self.cp = pytest.importorskip("cupy")
        self.sparse = pytest.importorskip("cupyx.scipy.sparse")

    def array(self, a):
        return self.cp.asarray(a)

    def numpy(self, a):
        assert isinstance(a, self.cp.ndarray)
        return a.get()

    def csr(self, a):
        return self.sparse.csr_matrix(a)

    def scipy(self, a):
        return a.get()


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no device")

    def array(self, a):
        return self.torch.from_numpy(np.array(a)).cuda()

    def numpy(self, a):
        assert isinstance(a, self.torch.Tensor) and a.is_cuda
        return a.resolve_conj().cpu().numpy()

    def csr(self, a):
        a = scipy_sparse.csr_array(a)
        parts = [self.torch.from_numpy(np.array(part)) for part in (a.indptr, a.indices, a.data)]
        return self.torch.sparse_csr_tensor(*parts, size=a.shape).cuda()

    def scipy(self, a):
        parts = [part.cpu().numpy() for part in (a.values(), a.col_indices(), a.crow_indices())]
        return scipy_sparse.csr_array(tuple(parts), shape=tuple(a.shape))


@pytest.fixture(params=[CuPy, Torch], ids=["cupy", "torch"])
def library(request):
    return request.param()


def numbers(rng, shape, dtype):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def close(x, y):
    tolerance = 2e-3 if x.dtype in (np.float32, np.complex64) else 1e-9
    assert x.shape == y.shape and x.dtype == y.dtype
    assert np.max(np.abs(x - y), initial=0) <= tolerance * max(1, np.max(np.abs(y), initial=0))


def laplacian(n, dtype=np.float64):
    line = scipy_sparse.diags_array([-1.0, 2.05, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy_sparse.eye_array(n)
    return scipy_sparse.csr_array(scipy_sparse.kron(line, eye) + scipy_sparse.kron(eye, line)).astype(dtype)


def anisotropic(n, dtype=np.float64):
    line = scipy_sparse.diags_array([-1.0, 2.05, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    eye = scipy_sparse.eye_array(n)
    return scipy_sparse.csr_array(scipy_sparse.kron(line, eye) + 0.01 * scipy_sparse.kron(eye, line)).astype(dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("n", [1, 2, 17, 1000, 100001])
def test_tridiagonal(library, dtype, n):
    rng = np.random.default_rng(n)
    dl, d, du, b = numbers(rng, (4, n), dtype)
    d = d + 4
    on = [library.array(a) for a in (dl, d, du, b)]
    close(library.numpy(coppice.solve_tridiagonal(*on)), coppice.solve_tridiagonal(dl, d, du, b))
    close(library.numpy(coppice.solve_tridiagonal(*on, transposed=True)),
          coppice.solve_tridiagonal(dl, d, du, b, transposed=True))
    short = coppice.solve_tridiagonal(on[0][1:], on[1], on[2][:-1], on[3])
    close(library.numpy(short), coppice.solve_tridiagonal(dl, d, du, b))
    close(library.numpy(coppice.solve_cyclic_tridiagonal(*on)), coppice.solve_cyclic_tridiagonal(dl, d, du, b))


def test_reports_and_singular_systems(library):
    rng = np.random.default_rng(1)
    d = 4 + rng.random((3, 50))
    d[1] = 0
    ones, b = np.ones((3, 50)), rng.random((3, 50))
    ones[1] = 0
    x, report = coppice.solve_tridiagonal(*map(library.array, (ones, d, ones, b)), report=True, condition=True)
    host, expected = coppice.solve_tridiagonal(ones, d, ones, b, report=True, condition=True)
    assert list(report.status) == ["ok", "singular", "ok"] == list(expected.status)
    assert np.all(report.condition[[0, 2]] > 1)
    close(library.numpy(x)[[0, 2]], host[[0, 2]])


def test_batches_and_several_right_hand_sides(library):
    rng = np.random.default_rng(2)
    dl, du = rng.standard_normal((2, 100))
    d, b = 4 + rng.random((5, 1, 100)), rng.standard_normal((3, 100))
    x = coppice.solve_tridiagonal(*map(library.array, (dl, d, du, b)))
    close(library.numpy(x), coppice.solve_tridiagonal(dl, d, du, b))
    sides = rng.standard_normal((5, 1, 100, 4))
    x = coppice.solve_tridiagonal(*map(library.array, (dl, d, du, sides)))
    close(library.numpy(x), coppice.solve_tridiagonal(dl, d, du, sides))


@pytest.mark.parametrize("bands", [(1, 1), (2, 1), (0, 3), (8, 8)])
@pytest.mark.parametrize("n", [11, 4001])
def test_banded(library, bands, n):
    rng = np.random.default_rng(3)
    ab, b = rng.standard_normal((sum(bands) + 1, n)), rng.standard_normal(n)
    ab[bands[1]] += 3 * sum(bands)
    x = coppice.solve_banded(bands, library.array(ab), library.array(b))
    close(library.numpy(x), coppice.solve_banded(bands, ab, b))
    factors = coppice.factorize_banded(bands, library.array(ab))
    close(library.numpy(factors.solve(library.array(b), transposed=True)),
          coppice.solve_banded(bands, ab, b, transposed=True))


def test_blocks(library):
    rng = np.random.default_rng(4)
    lower, diagonal, upper = rng.standard_normal((3, 200, 3, 3))
    diagonal += 8 * np.eye(3)
    b = rng.standard_normal((600, 2))
    x = coppice.solve_block_tridiagonal(*map(library.array, (lower, diagonal, upper, b)))
    close(library.numpy(x), coppice.solve_block_tridiagonal(lower, diagonal, upper, b))


def test_factorisations_keep_the_matrix(library):
    rng = np.random.default_rng(5)
    dl, du, b = rng.standard_normal((3, 3000))
    d = 4 + rng.random(3000)
    on = [library.array(a) for a in (dl, d, du)]
    factors = coppice.factorize_tridiagonal(*on)
    for array in on:
        array *= 0
    close(library.numpy(factors.solve(library.array(b))), coppice.solve_tridiagonal(dl, d, du, b))
    assert factors.singular_rows == -1
    with pytest.raises(TypeError, match="b with shape .* is on the host"):
        factors.solve(b)


def test_sparse_solves(library):
    a = anisotropic(60)
    b = np.random.default_rng(6).standard_normal(a.shape[0])
    on, side = library.csr(a), library.array(b)
    for method in ("cg", "minres", "bicgstab", "tfqmr", "idrs", "gmres", "fgmres"):
        x, info = getattr(coppice, method)(on, side, rtol=1e-8, maxiter=3000)
        assert info == 0 and np.linalg.norm(b - a @ library.numpy(x)) <= 1.01e-8 * np.linalg.norm(b)
    solution = coppice.solve(on, side, rtol=1e-8)
    assert solution.converged and np.linalg.norm(b - a @ library.numpy(solution.x)) <= 1.01e-8 * np.linalg.norm(b)
    refined = coppice.solve_refined(on, side, rtol=1e-11)
    assert np.linalg.norm(b - a @ library.numpy(refined.x)) <= 1.01e-11 * np.linalg.norm(b)


def test_preconditioners(library):
    a = anisotropic(70)
    b = np.random.default_rng(7).standard_normal(a.shape[0])
    on, side = library.csr(a), library.array(b)
    plain = coppice.solve(on, side, method="cg", preconditioner=None, rtol=1e-8)
    for name in ("forest", "multilevel", "isai,factor-scheme=exact", "jacobi"):
        m = coppice.preconditioner(name, on)
        host = coppice.preconditioner(name, a)
        applied = library.numpy(m @ side)
        if name != "multilevel":  # other smoothers are used on a device
            close(applied, host @ b)
        found = coppice.solve(on, side, method="cg", preconditioner=m, rtol=1e-8)
        assert found.converged and found.iterations <= plain.iterations
        m.refresh(2 * on)
        close(library.numpy(m @ side), applied / 2)
    with pytest.raises(TypeError, match="x with shape .* is of numpy, expected an array of"):
        coppice.preconditioner("forest", on) @ b


def test_functions_as_operators_and_columns(library):
    a = laplacian(40)
    rng = np.random.default_rng(8)
    b = rng.standard_normal((a.shape[0], 3))
    on = library.csr(a)
    m = coppice.preconditioner("forest", on)
    diagonal = library.array(1 / a.diagonal())
    x, info = coppice.cg(lambda v: on @ v, library.array(b[:, 0]), rtol=1e-8, M=lambda r: diagonal * r)
    assert info == 0 and np.linalg.norm(b[:, 0] - a @ library.numpy(x)) <= 1.01e-8 * np.linalg.norm(b[:, 0])
    seen = []
    x, info = coppice.cg(on, library.array(b[:, 0]), rtol=1e-8, M=m, callback=lambda v: seen.append(v.shape))
    assert info == 0 and seen and seen[0] == (a.shape[0],)
    for held in (None, m, lambda r: diagonal * r):
        found = coppice.solve_columns(on, library.array(b), method="cg", preconditioner=held, rtol=1e-8)
        assert found.converged and np.linalg.norm(b - a @ library.numpy(found.x)) <= 1.1e-8 * np.linalg.norm(b)

    def fails(v):
        raise KeyError("of the user")

    with pytest.raises(KeyError, match="of the user"):
        coppice.cg(fails, library.array(b[:, 0]))
    with pytest.raises(ValueError, match="gave shape"):
        coppice.cg(lambda v: v[:-1], library.array(b[:, 0]))


def test_preconditioners_in_the_solvers_of_cupy():
    library = CuPy()
    solvers = pytest.importorskip("cupyx.scipy.sparse.linalg")
    a = anisotropic(50)
    b = np.random.default_rng(9).standard_normal(a.shape[0])
    on = library.csr(a)
    tolerance = {"rtol" if "rtol" in inspect.signature(solvers.cg).parameters else "tol": 1e-10}
    x, info = solvers.cg(on, library.array(b), M=coppice.preconditioner("forest", on), **tolerance)
    assert info == 0 and np.linalg.norm(b - a @ library.numpy(x)) <= 1e-8 * np.linalg.norm(b)


def test_forests_are_those_of_the_host(library):
    a = scipy_sparse.random_array((3000, 3000), density=1e-3, rng=np.random.default_rng(10), format="csr")
    a = scipy_sparse.csr_array(a + a.T + scipy_sparse.eye_array(3000))
    found, expected = coppice.forests.linear_forest(library.csr(a)), coppice.forests.linear_forest(a)
    for name in ("permutation", "inverse", "path_offsets", "lower", "diagonal", "upper"):
        assert np.array_equal(library.numpy(getattr(found, name)), getattr(expected, name)), name
    factor = coppice.forests.factor(library.csr(a), 3)
    assert np.array_equal(library.numpy(factor.neighbors), coppice.forests.factor(a, 3).neighbors)
    weights = library.scipy(coppice.forests.symmetrised_weights(library.csr(a)))
    assert abs(weights - coppice.forests.symmetrised_weights(a)).max() == 0


def test_graphs(library):
    a = laplacian(30)
    a.data = np.abs(a.data)
    a = scipy_sparse.csr_array(a - scipy_sparse.diags_array(a.diagonal()))
    a.eliminate_zeros()
    for name in ("bfs", "sssp", "components", "pagerank", "cores"):
        options = {"source": 7} if "source" in coppice.graph.algorithms()[name]["options"] else {}
        values, facts = coppice.graph.run(name, library.csr(a), **options)
        expected, known = coppice.graph.run(name, a, **options)
        assert np.allclose(library.numpy(values), expected, rtol=1e-9) and facts.keys() == known.keys()
    edges, facts = coppice.graph.mst(library.csr(a))
    assert len(edges) == 3 and all(len(library.numpy(part)) == a.shape[0] - 1 for part in edges)


def test_products(library):
    rng = np.random.default_rng(11)
    a = scipy_sparse.random_array((500, 700), density=0.02, rng=rng, format="csr")
    x, mask, before = rng.random(700), (rng.random(500) < 0.5).astype(float), rng.random(500)
    on, host = coppice.Matrix(library.csr(a)), coppice.Matrix(a)
    for name in coppice.semiring.named:
        close(library.numpy(on.mxv(library.array(x), name)), host.mxv(x, name))
    y = on.mxv(library.array(x), "min-plus", mask=library.array(mask), accumulate=library.array(before))
    close(library.numpy(y), host.mxv(x, "min-plus", mask=mask, accumulate=before))
    close(library.numpy(on.vxm(library.array(before))), host.vxm(before))
    product = on.mxm(on.T, "plus-times")
    assert abs(library.scipy(product.to_sparse()) - a @ a.T).max() < 1e-12
    assert abs(product.to_scipy() - a @ a.T).max() < 1e-12
    if isinstance(library, CuPy):
        assert abs(host.to_cupy().get() - a).max() == 0
    with pytest.raises(TypeError, match="x with shape .* is on the host"):
        on.mxv(x)


def require_numba_cuda():
    """Skip if numba-cuda is missing or does not support the installed NumPy, which fails only at compilation."""
    cuda = pytest.importorskip("numba.cuda")
    try:
        cuda.jit("void(float64[::1])")(lambda x: None)
    except Exception as e:
        pytest.skip(f"numba-cuda compiles nothing here: {e!r}")


@pytest.mark.parametrize("dtype", REALS)
def test_operators_of_the_user(library, dtype):
    require_numba_cuda()
    rng = np.random.default_rng(17)
    a = scipy_sparse.random_array((400, 300), density=0.03, rng=rng, format="lil")
    a[7, :] = rng.random(300)  # longer than the number of threads per row
    a[9, :] = 0
    a, x = scipy_sparse.csr_array(a).astype(dtype), rng.random(300).astype(dtype)
    largest = coppice.semiring.user(lambda s, p: max(s, p), lambda v, w: v * w + 1, -np.inf)
    on = coppice.Matrix(library.csr(a))
    # A device may fuse a product and a sum, with one rounding.
    assert np.allclose(library.numpy(on.mxv(library.array(x), largest)), coppice.Matrix(a).mxv(x, largest), rtol=1e-6)
    # Not commutative: the first product that is not 0.
    first = coppice.semiring.user(lambda s, p: s if s != 0 else p, lambda v, w: v * w, 0.0)
    assert np.array_equal(library.numpy(on.mxv(library.array(x), first)), coppice.Matrix(a).mxv(x, first))


def sparse_operands(rng, dtype, matrix, vector):
    """Small integers, so that sums are exact in any order; some entries are 0, some rows are empty."""
    def values(count):
        return rng.integers(-3, 4, count).astype(dtype)

    operands = []
    for shape, density in (((90, 90), 0.1), ((90, 90), 0.3), ((90, 90), 0.2)):
        rows, columns = np.nonzero(rng.random(shape) < density * (rng.random((90, 1)) < 0.8))
        offsets = np.searchsorted(rows, np.arange(91)).astype("i4")
        operands.append(matrix(scipy_sparse.csr_array((values(len(rows)), columns.astype("i4"), offsets), shape=shape)))
    for density in (0.3, 0.01, 1.0):
        indices = np.flatnonzero(rng.random(90) < density).astype("i4")
        operands.append(vector(values(len(indices)), *((indices, 90) if density < 1 else ())))
    return operands


def entries(found):
    """Return the entries of a matrix or vector in any memory space as NumPy arrays."""
    if isinstance(found, float):
        return np.array([found]),
    if isinstance(found, coppice.Matrix):
        a = found.to_scipy()
        return a.data, a.indices, a.indptr
    parts = found.values, np.arange(found.size, dtype="i4") if found.indices is None else found.indices
    return tuple(part.get() if hasattr(part, "get") else np.asarray(part.cpu() if hasattr(part, "cpu") else part)
                 for part in parts)


def the_same(found, expected, exact=True):
    assert type(found) is type(expected) and getattr(found, "shape", 0) == getattr(expected, "shape", 0)
    for left, right in zip(entries(found), entries(expected)):
        assert left.dtype == right.dtype and left.shape == right.shape
        assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f") if exact else np.allclose(
            left, right, rtol=1e-5 if left.dtype == np.float32 else 1e-13, equal_nan=True)


def on_both(library, dtype, operation, exact=True):
    host = sparse_operands(np.random.default_rng(21), dtype, coppice.Matrix, coppice.Vector)
    def place(a):
        return library.array(a) if isinstance(a, np.ndarray) else a

    there = sparse_operands(np.random.default_rng(21), dtype, lambda a: coppice.Matrix(library.csr(a)),
                            lambda values, *sparse: coppice.Vector(library.array(values), *map(place, sparse)))
    the_same(operation(*there), operation(*host), exact)


LIST = [77, 3, 12, 3, 0, 88]
SPARSE = {
    "ewise_add": lambda A, B, M, u, v, w: A.ewise_add(B, "min"),
    "ewise_mult": lambda A, B, M, u, v, w: A.ewise_mult(B, "minus"),
    "ewise_union": lambda A, B, M, u, v, w: A.ewise_union(B, "minus", 2.0, 5.0),
    "update": lambda A, B, M, u, v, w: A.update(B, mask=M, accumulate="plus", complement=True),
    "update replaces": lambda A, B, M, u, v, w: A.update(B, mask=M, replace=True, structure=True),
    "apply": lambda A, B, M, u, v, w: A.apply("diagindex", scalar=2.0).apply("abs").apply("minus", first=9.0),
    "select": lambda A, B, M, u, v, w: A.select("tril", -1).select("valuegt", 0.0),
    "reduce": lambda A, B, M, u, v, w: A.reduce("max") + A.reduce("plus"),
    "reduce_rows": lambda A, B, M, u, v, w: A.reduce_rows("min"),
    "reduce_columns": lambda A, B, M, u, v, w: A.reduce_columns("plus"),
    "extract": lambda A, B, M, u, v, w: A.extract(LIST, slice(5, 80, 3)),
    "extract nothing": lambda A, B, M, u, v, w: A.extract([], None),
    "assign": lambda A, B, M, u, v, w: A.assign(B.extract([1, 2, 9], None), [50, 4, 7], mask=M, accumulate="max"),
    "assign a number": lambda A, B, M, u, v, w: A.assign(4.0, LIST, mask=M, structure=True),
    "kronecker": lambda A, B, M, u, v, w: A.extract([1, 2], [3, 4, 5]).kronecker(B, "plus"),
    "transpose": lambda A, B, M, u, v, w: A.transpose(),
    "masked product": lambda A, B, M, u, v, w: A.mxm(B, "min-plus", mask=M, complement=True),
    "product of names": lambda A, B, M, u, v, w: A.mxm(B, coppice.semiring.user("max", "minus"), mask=M),
    "mxv of names": lambda A, B, M, u, v, w: A.mxv(w, coppice.semiring.user("min", "rminus"), mask=u, accumulate=w),
    "vectors": lambda A, B, M, u, v, w: u.ewise_add(v, "minus").ewise_mult(w, "times").apply("rowindex", scalar=1.0),
    "mxv": lambda A, B, M, u, v, w: A.mxv(u, "max-plus", mask=w, complement=True),
    "vxm": lambda A, B, M, u, v, w: v.vxm(A, "min-plus"),
    "update of a vector": lambda A, B, M, u, v, w: w.update(v, mask=u, complement=True, replace=True),
    "extract of a vector": lambda A, B, M, u, v, w: u.extract(LIST),
    "assign of a vector": lambda A, B, M, u, v, w: u.assign(w.extract([0, 1, 2]), [70, 2, 30], accumulate="plus"),
    "assign to a vector": lambda A, B, M, u, v, w: u.assign(2.0, slice(10, 40), mask=w, replace=True),
    "select of a vector": lambda A, B, M, u, v, w: u.select("rowgt", 12).select("valuene", 0),
    "reduce of a vector": lambda A, B, M, u, v, w: u.reduce("min"),
    "nothing left": lambda A, B, M, u, v, w: u.select("valuegt", 100.0),
}


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("operation", SPARSE.values(), ids=SPARSE)
def test_sparse_algebra(library, operation, dtype):
    on_both(library, dtype, operation)


@pytest.mark.parametrize("dtype", REALS)
def test_every_name_of_an_operator(library, dtype):
    """On values for which the results differ by rounding only."""
    for name in coppice.semiring.operators:
        on_both(library, dtype, lambda A, B, M, u, v, w: A.ewise_mult(B, name), exact=False)
    for name in coppice.semiring.monoids:
        on_both(library, dtype, lambda A, B, M, u, v, w: A.reduce_rows(name))
    for name in coppice.semiring.functions:
        on_both(library, dtype, lambda A, B, M, u, v, w: A.apply(name), exact=False)
    for name in coppice.semiring.selections:
        on_both(library, dtype, lambda A, B, M, u, v, w: A.select(name, 1.0))


def own():
    return coppice.semiring.user(lambda s, p: min(s, p), lambda a, x: 2 * a + x, np.inf)


FUNCTIONS = {
    "ewise_add": lambda A, B, M, u, v, w: A.ewise_add(B, lambda a, b: a - 2 * b),
    "ewise_mult": lambda A, B, M, u, v, w: A.ewise_mult(B, lambda a, b: a - 2 * b),
    "ewise_union": lambda A, B, M, u, v, w: A.ewise_union(B, lambda a, b: a - 2 * b, 2.0, 5.0),
    "apply": lambda A, B, M, u, v, w: A.apply(lambda a: a * a).apply(lambda a, i, j: a + 10 * i - j),
    "apply with an operand": lambda A, B, M, u, v, w: A.apply(lambda a, b: a - 2 * b, first=3.0),
    "select": lambda A, B, M, u, v, w: A.select(lambda a, i, j: i > j and a >= 0),
    "reduce": lambda A, B, M, u, v, w: A.reduce(coppice.semiring.monoid(lambda a, b: max(a, b), -np.inf)),
    "reduce_rows": lambda A, B, M, u, v, w: A.reduce_rows(coppice.semiring.monoid(lambda a, b: a + b, 0.0)),
    "update": lambda A, B, M, u, v, w: A.update(B, mask=M, accumulate=lambda a, b: a - 2 * b, complement=True),
    "assign": lambda A, B, M, u, v, w: A.assign(B.extract([1, 2], None), [50, 4], mask=M, replace=True,
                                                accumulate=lambda a, b: a - 2 * b),
    "assign a number": lambda A, B, M, u, v, w: A.assign(4.0, LIST, mask=M, accumulate=lambda a, b: a - 2 * b),
    "kronecker": lambda A, B, M, u, v, w: A.extract([1, 2], [3, 4]).kronecker(B, lambda a, b: a - 2 * b),
    "vectors": lambda A, B, M, u, v, w: u.ewise_add(w, lambda a, b: a - 2 * b).apply(lambda a, i: a + i),
    "mxm": lambda A, B, M, u, v, w: A.mxm(B, own(), mask=M, complement=True),
    "mxv": lambda A, B, M, u, v, w: A.mxv(u, own()),
    "mxv of all": lambda A, B, M, u, v, w: A.mxv(w, own(), mask=u, accumulate=w),
    "vxm": lambda A, B, M, u, v, w: u.vxm(A, own()),
}

@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("operation", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions_in_the_sparse_algebra(library, operation, dtype):
    require_numba_cuda()
    on_both(library, dtype, operation)


def test_long_rows_and_vectors(library):
    """Rows that are longer than a block, vectors of many ranges."""
    rng = np.random.default_rng(22)
    n = 300_000
    for cut in (0.0, 0.999):
        there = np.flatnonzero(rng.random(n) >= cut).astype("i4")
        values, more = rng.integers(-3, 4, (2, len(there))).astype(float)
        u, v = (coppice.Vector(library.array(a), library.array(there), n) for a in (values, more))
        x, y = (coppice.Vector(a, there, n) for a in (values, more))
        for operation in (lambda a, b: a.ewise_add(b, "minus"), lambda a, b: a.update(b, mask=b, complement=True),
                          lambda a, b: a.extract(slice(None, None, -1)), lambda a, b: a.select("valuegt", 0.0),
                          lambda a, b: a.assign(1.0, slice(0, n // 2), mask=b), lambda a, b: a.reduce("plus")):
            the_same(operation(u, v), operation(x, y))
        row = scipy_sparse.csr_array((values, there, np.array([0, len(there)], "i4")), shape=(1, n))
        A, B = coppice.Matrix(library.csr(row)), coppice.Matrix(row)
        the_same(A.mxv(u, "max-plus"), B.mxv(x, "max-plus"))
        the_same(A.transpose().ewise_add(A.transpose(), "first"), B.transpose())


def test_the_sparse_algebra_follows_the_current_stream(library):
    """A matrix may be created on one stream and used on another one after synchronisation."""
    rng = np.random.default_rng(23)
    a = scipy_sparse.random_array((2000, 2000), density=0.01, rng=rng, format="csr")
    A, host = coppice.Matrix(library.csr(a)), coppice.Matrix(a)
    B = coppice.Matrix(library.csr(a))
    expected = host.ewise_add(host, "plus").mxm(host, "plus-times", mask=host)
    if isinstance(library, CuPy):
        library.cp.cuda.Device().synchronize()
        stream = library.cp.cuda.Stream(non_blocking=True)
        context = stream
    else:
        library.torch.cuda.synchronize()
        stream = library.torch.cuda.Stream()
        context = library.torch.cuda.stream(stream)
    with context:
        found = A.ewise_add(B, "plus").mxm(A, "plus-times", mask=B)
        stream.synchronize()
    the_same(found, expected, exact=False)


def test_sparse_algebra_by_several_threads(library):
    rng = np.random.default_rng(24)
    a = scipy_sparse.random_array((500, 500), density=0.02, rng=rng, format="csr")
    A, host = coppice.Matrix(library.csr(a)), coppice.Matrix(a)
    expected = host.ewise_add(host.T, "max").select("triu", 1)

    def work(_):
        for _ in range(20):
            the_same(A.ewise_add(A.T, "max").select("triu", 1), expected)

    at_once(work)


def test_streams_share_a_matrix_and_a_preconditioner(library):
    """The workspaces of plans and preconditioners serve one call at a time: unordered streams do not share them."""
    rng = np.random.default_rng(25)
    a = scipy_sparse.csr_array(scipy_sparse.random_array((20_000, 20_000), density=1e-3, rng=rng)
                               + 30 * scipy_sparse.eye_array(20_000))
    x = rng.random(20_000)
    A, M = coppice.Matrix(library.csr(a)), coppice.preconditioner("forest", library.csr(a))
    product, turned, solution = a @ x, a.T @ x, coppice.preconditioner("forest", a) @ x
    there = library.array(x)
    if isinstance(library, CuPy):
        library.cp.cuda.Device().synchronize()
        streams = [library.cp.cuda.Stream(non_blocking=True) for _ in range(4)]
        contexts = streams
    else:
        library.torch.cuda.synchronize()
        streams = [library.torch.cuda.Stream() for _ in range(4)]
        contexts = [library.torch.cuda.stream(stream) for stream in streams]
    found = [[], [], []]
    for _ in range(20):
        for context in contexts:
            with context:
                found[0].append(A.mxv(there))
                found[1].append(M.matvec(there))
                found[2].append(A.vxm(there))
    for stream in streams:
        stream.synchronize()
    for y, z, w in zip(*found):
        close(library.numpy(y), product)
        close(library.numpy(z), solution)
        close(library.numpy(w), turned)


@pytest.mark.parametrize("error, text, call", [
    (TypeError, r"other with shape \(6, 6\) is on the host", lambda A, H, u, h: A.ewise_add(H)),
    (TypeError, "other with shape .* is of .* on device 0, expected on the host", lambda A, H, u, h: H.ewise_add(A)),
    (TypeError, "mask with shape .* is on the host", lambda A, H, u, h: A.update(A, mask=H)),
    (TypeError, "value with shape .* is on the host", lambda A, H, u, h: A.assign(H)),
    (TypeError, "B with shape .* is on the host", lambda A, H, u, h: A.mxm(H)),
    (TypeError, "x with shape .* is on the host", lambda A, H, u, h: A.mxv(h)),
    (TypeError, "other with shape .* is on the host", lambda A, H, u, h: u.ewise_add(h)),
    (ValueError, "rows .*9.*expected 0 to 5", lambda A, H, u, h: A.extract([9])),
    (ValueError, "unknown operator.*plus.*times", lambda A, H, u, h: A.ewise_add(A, "add")),
    (TypeError, "operator is a float", lambda A, H, u, h: A.ewise_add(A, 3.0)),
    (TypeError, "takes 2 arguments, expected 1, the value, or 3", lambda A, H, u, h: A.apply(lambda a, b: a)),
    (ValueError, "occurs twice", lambda A, H, u, h: A.assign(A.extract([0, 1]), [2, 2])),
])
def test_bad_input_of_the_sparse_algebra(library, error, text, call):
    host = scipy_sparse.eye_array(6, format="csr")
    values, indices = np.ones(2), np.array([1, 4], "i4")
    with pytest.raises(error, match=text):
        call(coppice.Matrix(library.csr(host)), coppice.Matrix(host),
             coppice.Vector(library.array(values), library.array(indices), 6), coppice.Vector(values, indices, 6))


def test_indices_lie_where_the_values_do(library):
    values = library.array(np.ones(2))
    assert coppice.Vector(values, [1, 4], 6).nnz == 2
    for indices, text in (([4, 1], "are not sorted"), ([1, 6], "expected 0 to 5"), ([1], r"indices has shape \(1,\)")):
        for placed in (indices, library.array(np.array(indices))):
            with pytest.raises(ValueError, match=text):
                coppice.Vector(values, placed, 6)
    with pytest.raises(TypeError, match="in another memory space|on a device"):
        coppice.Vector(np.ones(2), library.array(np.array([1, 4])), 6)


def test_work_is_queued_on_the_current_stream(library):
    n = 300000
    rng = np.random.default_rng(12)
    dl, du, b = rng.standard_normal((3, n))
    d = 4 + rng.random(n)
    expected = coppice.solve_tridiagonal(dl, d, du, b)
    on = [library.array(a) for a in (dl, d, du, b)]

    def late_solve():
        # The right-hand side is available only after a long product.
        slow = big
        for _ in range(4):
            slow = slow @ big
        late = on[3] + 0 * slow[0, 0]
        x = coppice.solve_tridiagonal(*on[:3], late)
        late -= late
        return x + 0

    big = library.array(np.full((4096, 4096), 1e-9))
    if isinstance(library, CuPy):
        library.cp.cuda.Device().synchronize()
        close(library.numpy(late_solve()), expected)
        with library.cp.cuda.Stream(non_blocking=True) as stream:
            x = late_solve()
            stream.synchronize()
        close(library.numpy(x), expected)
    else:
        library.torch.cuda.synchronize()
        close(library.numpy(late_solve()), expected)
        stream = library.torch.cuda.Stream()
        stream.wait_stream(library.torch.cuda.current_stream())
        with library.torch.cuda.stream(stream):
            x = late_solve()
        stream.synchronize()
        close(library.numpy(x), expected)


def test_threads(library):
    a = laplacian(50)
    b = np.random.default_rng(13).standard_normal(a.shape[0])
    on, side = library.csr(a), library.array(b)
    m = coppice.preconditioner("forest", on)
    expected = library.numpy(coppice.solve(on, side, method="cg", preconditioner=m).x)

    def work(_):
        for _ in range(5):
            found = coppice.solve(on, side, method="cg", preconditioner=m)
            assert np.array_equal(library.numpy(found.x), expected)

    at_once(work)


def test_nothing_is_left_behind():
    library = CuPy()
    on = [library.array(a) for a in np.random.default_rng(14).random((4, 1 << 16))]
    a = library.csr(laplacian(20))

    def work():
        coppice.solve_tridiagonal(*on)
        coppice.forests.linear_forest(a)
        coppice.factorize_tridiagonal(*on[:3])

    for _ in range(20):
        work()
    library.cp.cuda.Device().synchronize()
    before = library.cp.cuda.runtime.memGetInfo()[0]
    for _ in range(500):
        work()
    library.cp.cuda.Device().synchronize()
    assert library.cp.cuda.runtime.memGetInfo()[0] >= before - (32 << 20)


def test_gradients():
    torch = pytest.importorskip("torch")
    from coppice.torch import solve_banded, solve_tridiagonal

    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no device")
    for dtype in (torch.float64, torch.complex128):
        dl, d, du, b = (torch.randn(2, 6, dtype=dtype, device="cuda") for _ in range(4))
        inputs = [dl, d + 4, du, b]
        for tensor in inputs:
            tensor.requires_grad_()
        assert torch.autograd.gradcheck(solve_tridiagonal, inputs)
        ab = torch.randn(2, 4, 6, dtype=dtype, device="cuda")
        ab[:, 1] += 6
        inputs = [ab.requires_grad_(), b.detach().requires_grad_()]
        assert torch.autograd.gradcheck(lambda m, r: solve_banded((2, 1), m, r), inputs)


def test_other_arrays_on_a_device_are_taken():
    library = CuPy()

    class Other:
        def __init__(self, held):
            self.held, self.__cuda_array_interface__ = held, held.__cuda_array_interface__

    rng = np.random.default_rng(15)
    dl, d, du, b = rng.random((4, 50))
    d += 4
    x = coppice.solve_tridiagonal(*(Other(library.array(a)) for a in (dl, d, du, b)))
    close(library.numpy(x), coppice.solve_tridiagonal(dl, d, du, b))


def test_bad_input(library):
    dl, d, du, b = (library.array(a) for a in 4 + np.random.default_rng(16).random((4, 10)))
    host = np.ones(10)
    with pytest.raises(TypeError, match=r"dl with shape \(10,\) is on the host, expected of \w+ on device 0 as d is"):
        coppice.solve_tridiagonal(host, d, du, b)
    with pytest.raises(TypeError, match="b with shape .* is on the host"):
        coppice.solve_tridiagonal(dl, d, du, host)
    with pytest.raises(ValueError, match="b with shape .* strides .* copy=False"):
        coppice.solve_tridiagonal(dl[:5], d[:5], du[:5], b[::2], copy=False)
    with pytest.raises(TypeError, match="dtype .*int64, expected float32"):
        coppice.solve_tridiagonal(dl, d, du, library.array(np.arange(10)), copy=False)
    with pytest.raises(ValueError, match=r"b has shape \(9,\)"):
        coppice.solve_tridiagonal(dl, d, du, library.array(np.ones(9)))
    a = library.csr(laplacian(5))
    with pytest.raises(TypeError, match="b with shape .* is on the host"):
        coppice.solve(a, np.ones(25))
    with pytest.raises(ValueError, match="made for another type of number .* or in another memory space"):
        coppice.cg(a, library.array(np.ones(25)), M=coppice.preconditioner("forest", laplacian(5)))
    with pytest.raises(ValueError, match="on the host alone"):
        coppice.forests.factor(a, method="greedy")


def test_strided_and_integer_arrays_are_converted(library):
    dl, d, du, b = (library.array(a) for a in 4 + np.random.default_rng(16).random((4, 10)))
    wide = tuple(library.numpy(a) for a in (dl, d, du, b))
    x = coppice.solve_tridiagonal(dl[:5], d[:5], du[:5], b[::2])
    close(library.numpy(x), coppice.solve_tridiagonal(*(a[:5] for a in wide[:3]), wide[3][::2]))
    x = coppice.solve_tridiagonal(dl, d, du, library.array(np.arange(10)))
    close(library.numpy(x), coppice.solve_tridiagonal(*wide[:3], np.arange(10)))


def test_columns_out_of_range_are_told():
    library = CuPy()
    a = library.csr(laplacian(5))
    a.indices[7] = 100
    with pytest.raises(ValueError, match="column 100 is outside"):
        coppice.solve(a, library.array(np.ones(25)))
    a = library.csr(laplacian(5))
    a.indptr[3] = 1000
    a.has_canonical_format = True
    with pytest.raises(ValueError, match="row"):
        coppice.solve(a, library.array(np.ones(25)))


def test_empty_arrays(library):
    empty = library.array(np.empty(0))
    assert library.numpy(coppice.solve_tridiagonal(empty, empty, empty, empty)).shape == (0,)
