# SPDX-License-Identifier: BSD-3-Clause
"""Gradients of direct solves in JAX, compared with those of its dense solve."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy
jax.config.update("jax_enable_x64", True)


def dense(dl, d, du):
    return jnp.diag(dl[1:], -1) + jnp.diag(d) + jnp.diag(du[:-1], 1)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_tridiagonal(dtype):
    from coppice.jax import solve_tridiagonal

    rng = np.random.default_rng(0)
    dl, d, du, b, c = (rng.standard_normal(7) + (1j * rng.standard_normal(7) if dtype == np.complex128 else 0)
                       for _ in range(5))
    arguments = (dl, d + 4, du, b)

    def ours(*a):
        return jnp.abs(c @ solve_tridiagonal(*a)) ** 2

    def theirs(dl, d, du, b):
        return jnp.abs(c @ jnp.linalg.solve(dense(dl, d, du), b)) ** 2

    found = jax.jit(jax.grad(ours, (0, 1, 2, 3)))(*arguments)
    for got, expected in zip(found, jax.grad(theirs, (0, 1, 2, 3))(*arguments)):
        assert np.allclose(got, expected)


def test_batches_under_vmap_and_jit():
    from coppice.jax import solve_tridiagonal

    rng = np.random.default_rng(1)
    dl, d, du, b = rng.standard_normal((4, 5, 9))
    d = d + 4
    expected = np.stack([np.linalg.solve(np.asarray(dense(*row[:3])), row[3]) for row in zip(dl, d, du, b)])
    assert np.allclose(solve_tridiagonal(dl, d, du, b), expected)
    assert np.allclose(jax.jit(jax.vmap(solve_tridiagonal))(dl, d, du, b), expected)
    shared = jax.vmap(solve_tridiagonal, (None, None, None, 0))(dl[0], d[0], du[0], b)
    assert np.allclose(shared, np.linalg.solve(np.asarray(dense(dl[0], d[0], du[0])), b.T).T)
    gradient = jax.grad(lambda b: solve_tridiagonal(dl, d, du, b).sum())(jnp.asarray(b))
    assert np.allclose(gradient[2], np.linalg.solve(np.asarray(dense(dl[2], d[2], du[2])).T, np.ones(9)))
    with pytest.raises(ValueError, match=r"b has shape \(9,\), expected \(5, 9\) as d has"):
        solve_tridiagonal(dl, d, du, b[0])


def test_banded():
    from coppice.jax import solve_banded

    below, above, n = 2, 1, 8
    rng = np.random.default_rng(2)
    ab, b = rng.standard_normal((below + above + 1, n)), rng.standard_normal(n)
    ab[above] += 6

    def theirs(ab, b):
        full = jnp.zeros((n, n))
        for i in range(n):
            for j in range(max(0, i - below), min(n, i + above + 1)):
                full = full.at[i, j].set(ab[above + i - j, j])
        return jnp.sum(jnp.sin(jnp.linalg.solve(full, b)))

    def ours(ab, b):
        return jnp.sum(jnp.sin(solve_banded((below, above), ab, b)))

    assert np.allclose(ours(ab, b), theirs(ab, b))
    for got, expected in zip(jax.grad(ours, (0, 1))(ab, b), jax.grad(theirs, (0, 1))(ab, b)):
        assert np.allclose(got, expected)
    with pytest.raises(ValueError, match="without its bands"):
        solve_banded((below, above), ab, b[:3])


def test_arrays_come_out():
    import coppice

    one = jnp.ones(9)
    x = coppice.solve_tridiagonal(0 * one, 2 * one, 0 * one, one)
    assert isinstance(x, jax.Array) and np.allclose(x, 0.5)
