# SPDX-License-Identifier: BSD-3-Clause
"""Least squares, eigenpairs, shifted systems and near null spaces, compared with SciPy and NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import coppice

RANDOM = np.random.default_rng(7)


def laplacian(nx):
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (nx, nx))
    return sp.csr_array(sp.kron(line, sp.eye(nx)) + sp.kron(sp.eye(nx), line))


def rectangular(rows, columns):
    a = sp.csr_array(sp.random(rows, columns, 0.1, random_state=RANDOM))
    return sp.csr_array(a + sp.csr_array(sp.eye(rows, columns)) * 2)


@pytest.mark.parametrize("method", ["lsmr", "lsqr"])
@pytest.mark.parametrize("shape", [(80, 30), (40, 40), (30, 80)])
def test_least_squares(method, shape):
    a = rectangular(*shape)
    b = RANDOM.standard_normal(shape[0])
    expected = np.linalg.lstsq(a.toarray(), b, rcond=None)[0]
    found = coppice.least_squares(a, b, method=method, preconditioner=None, rtol=1e-12)
    assert found.converged
    np.testing.assert_allclose(found.x, expected, atol=1e-8)
    residual = b - a @ found.x
    assert found.residual_norm == pytest.approx(np.linalg.norm(residual), abs=1e-9)
    assert found.normal_norm == pytest.approx(np.linalg.norm(a.T @ residual), abs=1e-9)


def test_least_squares_with_preconditioners_and_damping():
    a = sp.csr_array(rectangular(200, 60) @ sp.diags(10.0 ** (np.arange(60) / 30)))
    b = RANDOM.standard_normal(200)
    expected = np.linalg.lstsq(a.toarray(), b, rcond=None)[0]
    plain = coppice.least_squares(a, b, preconditioner=None, rtol=1e-10)
    for name in ("jacobi", "ic0", "forest"):
        found = coppice.least_squares(a, b, preconditioner=name, rtol=1e-10)
        assert found.converged and found.iterations < plain.iterations
        np.testing.assert_allclose(found.x, expected, rtol=1e-6, atol=1e-12)
    damped = coppice.least_squares(a, b, damp=0.5, rtol=1e-12)
    expected = np.linalg.solve((a.T @ a).toarray() + 0.25 * np.eye(60), a.T @ b)
    np.testing.assert_allclose(damped.x, expected, rtol=1e-6, atol=1e-9)
    single = coppice.least_squares(a.astype(np.float32), b.astype(np.float32), rtol=1e-4)
    assert single.converged and single.x.dtype == np.float32
    with pytest.raises(ValueError, match="lsmr"):
        coppice.least_squares(a, b, method="cgls")
    with pytest.raises(ValueError, match="b has"):
        coppice.least_squares(a, b[:-1])


def test_eigenpairs():
    a = laplacian(40)
    expected, _ = sla.eigsh(a, 5, sigma=0)
    found = coppice.eigenpairs(a, 5, M=coppice.preconditioner("multilevel", a), rtol=1e-9)
    assert found.converged
    np.testing.assert_allclose(found.values, expected, rtol=1e-8)
    np.testing.assert_allclose(a @ found.vectors, found.vectors * found.values, atol=1e-6)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(5), atol=1e-10)
    mass = sp.csr_array(sp.diags(1.0 + RANDOM.random(a.shape[0])))
    expected, _ = sla.eigsh(a, 3, mass, sigma=0)
    general = coppice.eigenpairs(a, 3, B=mass, M=lambda r: r / 4, rtol=1e-8, maxiter=2000)
    np.testing.assert_allclose(general.values, expected, rtol=1e-7)
    rest = coppice.eigenpairs(a, 2, Y=found.vectors[:, :1], M=coppice.preconditioner("multilevel", a), rtol=1e-8)
    np.testing.assert_allclose(rest.values, found.values[1:3], rtol=1e-6)
    largest = coppice.eigenpairs(a, 2, largest=True, rtol=1e-6, maxiter=3000)
    np.testing.assert_allclose(largest.values, sla.eigsh(a, 2, which="LA")[0][::-1], rtol=1e-5)
    with pytest.raises(ValueError, match="X0 has shape"):
        coppice.eigenpairs(a, 2, X0=np.ones((5, 2)))
    with pytest.raises(TypeError):
        coppice.eigenpairs(a.astype(np.float32), 2)


def test_shifted_systems():
    a = laplacian(20)
    b = RANDOM.standard_normal(400)
    shifts = [0.0, 0.3, 10.0]
    found = coppice.solve_shifted(a, shifts, b, rtol=1e-10)
    assert found.converged and found.x.shape == (400, 3)
    for k, shift in enumerate(shifts):
        expected = sla.spsolve(sp.csc_array(a + shift * sp.eye(400)), b)
        np.testing.assert_allclose(found.x[:, k], expected, rtol=1e-6, atol=1e-10)


def test_near_null_spaces():
    # Two unknowns per point: [a 0; 0 a] interleaved, and vectors by hand.
    points = RANDOM.random((30, 2))
    modes = coppice.rigid_body_modes(points)
    assert modes.shape == (60, 3)
    np.testing.assert_array_equal(modes[0::2, 0], 1)
    np.testing.assert_array_equal(modes[1::2, 0], 0)
    centred = points - points.mean(axis=0)
    np.testing.assert_allclose(modes[0::2, 2], -centred[:, 1])
    np.testing.assert_allclose(modes[1::2, 2], centred[:, 0])
    assert coppice.rigid_body_modes(RANDOM.random((5, 3))).shape == (15, 6)

    nx = 40
    a = sp.csr_array(sp.kron(laplacian(nx), sp.csr_array([[2.0, 0.5], [0.5, 1.0]])))
    grid = np.stack(np.meshgrid(np.arange(nx), np.arange(nx), indexing="ij"), -1).reshape(-1, 2).astype(float)
    b = RANDOM.standard_normal(2 * nx * nx)
    constants = np.tile(np.eye(2), (nx * nx, 1))
    by_block = coppice.solve(a, b, method="cg", preconditioner="multilevel", block=2)
    by_vectors = coppice.solve(a, b, method="cg", preconditioner="multilevel", near_null_space=constants, block=2)
    for found in (by_block, by_vectors):
        assert found.converged and np.linalg.norm(b - a @ found.x) <= 1.01e-6 * np.linalg.norm(b)
    assert by_block.iterations <= by_vectors.iterations  # smoothed within the components
    assert coppice.solve(a, b, coordinates=grid).converged
    m = coppice.preconditioner("multilevel", a, coordinates=grid)
    assert coppice.cg(a, b, M=m)[1] == 0
    with pytest.raises(ValueError, match="coordinates has shape"):
        coppice.solve(a, b, coordinates=grid[:-1])
    with pytest.raises(ValueError, match="near_null_space has shape"):
        coppice.preconditioner("multilevel", a, near_null_space=constants[:-1])
    with pytest.raises(ValueError, match="multilevel"):
        coppice.preconditioner("jacobi", a, near_null_space=constants)


def test_near_null_spaces_of_complex_matrices():
    nx = 48
    n = nx * nx
    phases = np.exp(1j * RANDOM.uniform(0, 2 * np.pi, n))
    D = sp.diags_array(phases)
    a = sp.csr_array(D.conj() @ laplacian(nx) @ D)  # D^H 1 is mapped to small values
    b = RANDOM.standard_normal(n) + 1j * RANDOM.standard_normal(n)
    vector = phases.conj()[:, None]
    counts = {}
    for name, near in (("vector", vector), ("multiple", (3 - 2j) * vector), ("constants", np.ones((n, 1)))):
        found = coppice.solve(a, b, method="cg", preconditioner="multilevel", near_null_space=near, rtol=1e-8)
        assert found.converged and np.linalg.norm(b - a @ found.x) <= 1.01e-8 * np.linalg.norm(b)
        counts[name] = found.iterations
    assert abs(counts["vector"] - counts["multiple"]) <= 1 and 2 * counts["vector"] < counts["constants"]
    m = coppice.preconditioner("multilevel", a.astype(np.complex64), near_null_space=vector)
    assert m.dtype == np.complex64 and np.isfinite(m @ b.astype(np.complex64)).all()
    assert coppice.solve(a, b, near_null_space=vector).attempts[-1]["preconditioner"] in ("multilevel", "direct,max-operations=1e7")
    grid = np.stack(np.meshgrid(np.arange(nx), np.arange(nx // 2), indexing="ij"), -1).reshape(-1, 2).astype(float)
    assert coppice.solve(a, b, method="cg", preconditioner="multilevel", coordinates=grid).converged  # real modes
    with pytest.raises(TypeError, match="near_null_space is complex"):
        coppice.preconditioner("multilevel", laplacian(nx), near_null_space=vector)
    with pytest.raises(ValueError, match="k from 1 to 16"):
        coppice.preconditioner("multilevel", a, near_null_space=np.ones((n, 17)))


def test_direct_takes_no_other_preconditioner():
    a = laplacian(10)
    b = RANDOM.standard_normal(100)
    assert coppice.solve(a, b, method="direct", order="columns").converged
    with pytest.raises(ValueError, match="takes no other preconditioner"):
        coppice.solve(a, b, method="direct", preconditioner="ilu0")


def test_limits_of_iterations_beyond_int64():
    A, b = sp.eye_array(6, format="csr") * 4.0, np.ones(6)
    assert np.allclose(coppice.least_squares(A, b, maxiter=2**70).x, 0.25)
    assert np.allclose(coppice.solve_shifted(A, [1.0], b, maxiter=2**70).x, 0.2)
    assert np.allclose(coppice.eigenpairs(A, 1, maxiter=2**70).values, 4)
