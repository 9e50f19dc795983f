# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices with invalid arrays: every function raises ValueError that names the argument, before SciPy or the
library uses the arrays; these are not changed."""

import numpy as np
import pytest
import scipy.sparse as sp

import coppice

n = 4
OFFSETS, INDICES, DATA = [0, 2, 4, 5, 6], [0, 1, 1, 2, 2, 3], [4.0, 1, 4, 1, 4, 4]
v = np.ones(n)


def csr(offsets=OFFSETS, indices=INDICES, data=DATA, kind=sp.csr_array):
    """Return a matrix with these arrays, which SciPy does not check; without its flags about their order."""
    made = kind((n, n))
    made.indptr, made.indices, made.data = (np.asarray(part) for part in (offsets, indices, data))
    return made


def noted(matrix):
    """SciPy uses its flags instead of checking."""
    matrix.has_canonical_format = True
    return matrix


i4, i8 = np.int32, np.int64
MALFORMED = {
    "indptr falls": lambda: csr(np.array([0, 2, 1, 3, 6], i4)),
    "indptr falls, noted as canonical": lambda: noted(csr(np.array([0, 2, 1, 3, 6], i4))),
    "indptr begins behind 0": lambda: csr(np.array([1, 2, 4, 5, 6], i4)),
    "indptr begins below 0": lambda: csr(np.array([-1, 2, 4, 5, 6], i4)),
    "indptr is negative within": lambda: csr(np.array([0, -3, 4, 5, 6], i4)),
    "indptr ends early": lambda: csr(np.array([0, 2, 4, 5, 5], i4)),
    "indptr ends behind the indices": lambda: csr(np.array([0, 2, 4, 5, 600], i4)),
    "indptr is far beyond the indices": lambda: csr(np.array([0, 2**30, 2**30, 2**30, 2**30], i4)),
    "indptr wraps in 32 bits": lambda: csr(np.array([0, 2 + 2**32, 4 + 2**32, 5 + 2**32, 6 + 2**32], i8)),
    "indptr is too short": lambda: csr(np.array([0, 2, 6], i4)),
    "indptr is too long": lambda: csr(np.array([0, 2, 4, 5, 6, 6, 6], i4)),
    "indptr is empty": lambda: csr(np.zeros(0, i4)),
    "indptr has two dimensions": lambda: csr(np.array([OFFSETS], i4)),
    "indptr is float": lambda: csr(np.array(OFFSETS, float)),
    "indptr is in foreign order": lambda: csr(np.array(OFFSETS, ">i4")),
    "index is negative": lambda: csr(indices=np.array([0, 1, -1, 2, 2, 3], i4)),
    "index is n": lambda: csr(indices=np.array([0, 1, 1, 2, 2, n], i4)),
    "index is far out": lambda: csr(indices=np.array([0, 1, 1, 2**30, 2, 3], i4)),
    "index wraps in 32 bits": lambda: csr(indices=np.array([0, 1, 1, 2 + 2**32, 2, 3], i8), offsets=np.array(OFFSETS, i8)),
    "index is NaN": lambda: csr(indices=np.array([0, 1, 1, np.nan, 2, 3])),
    "indices have two dimensions": lambda: csr(indices=np.array([INDICES], i4)),
    "indices are fewer than data": lambda: csr(indices=np.array(INDICES[:4], i4)),
    "data is shorter than indices": lambda: csr(data=DATA[:4]),
    "data is longer than indices": lambda: csr(data=DATA + [1.0]),
    "data has two dimensions": lambda: csr(data=[DATA]),
    "falls, csr_matrix": lambda: csr(np.array([0, 2, 1, 3, 6], i4), kind=sp.csr_matrix),
    "falls, csc_array": lambda: csr(np.array([0, 2, 1, 3, 6], i4), kind=sp.csc_array),
    "index is far out, csc_array": lambda: csr(indices=np.array([0, 1, 1, 2**30, 2, 3], i4), kind=sp.csc_array),
    "falls, bsr_array": lambda: bsr(np.array([0, 2, 1], i4), np.array([0, 1], i4)),
    "index is out, bsr_array": lambda: bsr(np.array([0, 1, 2], i4), np.array([0, 2], i4)),
    "data does not fit, bsr_array": lambda: bsr(np.array([0, 1, 2], i4), np.array([0, 1], i4), np.ones((2, 3, 2))),
    "row is out, coo_array": lambda: coo([0, 1, n], [0, 1, 2]),
    "column is negative, coo_array": lambda: coo([0, 1, 2], [0, -1, 2]),
    "rows are fewer, coo_array": lambda: coo([0, 1], [0, 1, 2]),
}


def bsr(offsets, indices, data=None):
    made = sp.bsr_array((n, n), blocksize=(2, 2))
    made.indptr, made.indices, made.data = offsets, indices, np.ones((2, 2, 2)) if data is None else data
    return made


def coo(rows, columns):
    made = sp.coo_array((n, n))
    made.data = np.ones(3)
    made.coords = (np.array(rows, i4), np.array(columns, i4))
    return made


GOOD = sp.csr_array((np.array(DATA), np.array(INDICES, i4), np.array(OFFSETS, i4)), shape=(n, n))
CALLS = {
    "cg": ("A", lambda A: coppice.cg(A, v)),
    "minres": ("A", lambda A: coppice.minres(A, v)),
    "bicgstab": ("A", lambda A: coppice.bicgstab(A, v)),
    "idrs": ("A", lambda A: coppice.idrs(A, v)),
    "gmres": ("A", lambda A: coppice.gmres(A, v)),
    "fgmres": ("A", lambda A: coppice.fgmres(A, v)),
    "solve": ("A", lambda A: coppice.solve(A, v)),
    "solve by name": ("A", lambda A: coppice.solve(A, v, method="cg", preconditioner="none")),
    "solve_columns": ("A", lambda A: coppice.solve_columns(A, np.ones((n, 2)), method="cg")),
    "solve_refined": ("A", lambda A: coppice.solve_refined(A, v, preconditioner=None)),
    "preconditioner": ("A", lambda A: coppice.preconditioner("jacobi", A)),
    "refresh": ("A", lambda A: coppice.preconditioner("jacobi", GOOD).refresh(A)),
    "Matrix": ("A", coppice.Matrix),
    "factor": ("A", coppice.forests.factor),
    "linear_forest": ("A", coppice.forests.linear_forest),
    "symmetrised_weights": ("A", coppice.forests.symmetrised_weights),
    "bfs": ("G", lambda G: coppice.graph.bfs(G, source=0)),
    "pagerank": ("G", coppice.graph.pagerank),
    "sssp of integers": ("G", lambda G: coppice.graph.sssp(of_integers(G), source=0)),
    "to_networkx": ("G", coppice.graph.to_networkx),
    "to_igraph": ("G", coppice.graph.to_igraph),
}


def of_integers(G):
    G.data = np.asarray(G.data).astype(int)
    return G


def arrays_of(matrix):
    names = ("row", "col", "data") if matrix.format == "coo" else ("indptr", "indices", "data")
    return [np.array(getattr(matrix, name)) for name in names]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed(kind, call):
    name, function = CALLS[call]
    if call == "to_igraph":
        pytest.importorskip("igraph")
    if call == "to_networkx":
        pytest.importorskip("networkx")
    matrix = MALFORMED[kind]()
    if call == "sssp of integers":
        matrix = of_integers(matrix)
    before = arrays_of(matrix)
    with pytest.raises(ValueError, match=rf"^{name}(\.data)? with shape \(4, 4\) "):
        function(matrix)
    for was, now in zip(before, arrays_of(matrix)):
        assert np.array_equal(was, now, equal_nan=was.dtype.kind == "f")


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.lil_array, sp.dok_array,
                                  sp.dia_array, sp.csr_matrix])
def test_sound_matrices_of_every_format(kind):
    A = kind(GOOD)
    assert np.allclose(coppice.Matrix(A) @ v, GOOD @ v)
    assert np.allclose(coppice.bicgstab(A, GOOD @ v, rtol=1e-12)[0], v)
    assert coppice.graph.to_networkx(A, directed=True).number_of_edges() == GOOD.nnz


@pytest.mark.parametrize("flag", [None, True, False])
@pytest.mark.parametrize("index", [i4, i8])
def test_unsorted_rows_and_duplicates_are_taken_whatever_scipy_has_noted(flag, index):
    offsets, indices, data = np.array([0, 3, 5, 6, 7], index), np.array([2, 0, 2, 1, 0, 2, 3], index), np.arange(1.0, 8)
    A = sp.csr_array((n, n))
    A.indptr, A.indices, A.data = offsets, indices, data
    if flag is not None:
        A.has_canonical_format = flag
    dense = np.zeros((n, n))
    np.add.at(dense, (np.repeat(range(n), np.diff(offsets)), indices), data)
    held = coppice.Matrix(A)
    assert held.nnz == 6 and np.array_equal(held.to_scipy().toarray(), dense)
    assert np.allclose(held @ v, dense @ v) and np.allclose(coppice.gmres(A + 0 * A, dense @ v)[0], np.linalg.solve(
        dense, dense @ v)) if np.linalg.matrix_rank(dense) == n else True
    assert np.array_equal(A.indices, indices) and np.array_equal(A.data, data)


def test_arrays_of_torch():
    torch = pytest.importorskip("torch")
    for offsets, indices in (([0, 2, 1, 3, 3], [0, 1, 2]), ([0, 1, 2, 3, 3], [0, 1, 77]), ([0, 1, 2, 3, 3], [0, 1, -1]),
                             ([0, 1, 2, 3, 3], [0, 1, 2 + 2**32])):
        made = torch.sparse_csr_tensor(torch.tensor(offsets), torch.tensor(indices), torch.ones(3, dtype=torch.float64),
                                       size=(n, n), check_invariants=False)
        with pytest.raises(ValueError, match="^A with shape"):
            coppice.Matrix(made)
