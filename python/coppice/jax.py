# SPDX-License-Identifier: BSD-3-Clause
"""Tridiagonal and banded solves for JAX, with gradients: ``from coppice.jax import solve_tridiagonal``.

They run on host arrays by ``jax.pure_callback``, also under ``jax.jit`` and ``jax.vmap``, whose batch is solved in one
call. Reverse mode uses the transposed solve; forward mode and second derivatives are not supported, as for every
``jax.custom_vjp``. All inputs have one type; float64 requires ``jax_enable_x64``.

The gradient of x = A^-1 b for a cotangent v (JAX's, without conjugation) is g = A^-T v for b, and -g x^T on the bands
for A.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from . import direct

__all__ = ["solve_banded", "solve_tridiagonal"]


def solve_tridiagonal(dl: jax.Array, d: jax.Array, du: jax.Array, b: jax.Array) -> jax.Array:
    """Solve tridiagonal systems as `coppice.solve_tridiagonal`; all arrays have the shape (..., n), with the same
    batch."""
    for name, array in (("dl", dl), ("du", du), ("b", b)):
        if jnp.shape(array) != jnp.shape(d):
            raise ValueError(f"{name} has shape {jnp.shape(array)}, expected {jnp.shape(d)} as d has")
    return _tridiagonal(dl, d, du, b)


def solve_banded(l_and_u: tuple[int, int], ab: jax.Array, b: jax.Array) -> jax.Array:
    """Solve banded systems in SciPy's layout as `coppice.solve_banded`; ab (..., l + u + 1, n), b (..., n)."""
    shape = jnp.shape(ab)
    if shape[:-2] + shape[-1:] != jnp.shape(b):
        raise ValueError(f"b has shape {jnp.shape(b)}, expected that of ab, {shape}, without its bands")
    return _banded(tuple(int(k) for k in l_and_u), ab, b)


def _on_host(solve, like, *arrays):
    """Call solve(*arrays) on NumPy arrays; the result has shape and type of `like`."""

    def called(*given):
        return solve(*(np.ascontiguousarray(array) for array in given))

    result = jax.ShapeDtypeStruct(like.shape, like.dtype)
    return jax.pure_callback(called, result, *arrays, vmap_method="broadcast_all")


@jax.custom_vjp
def _tridiagonal(dl, d, du, b):
    return _on_host(direct.solve_tridiagonal, b, dl, d, du, b)


def _tridiagonal_forward(dl, d, du, b):
    x = _tridiagonal(dl, d, du, b)
    return x, (dl, d, du, x)


def _tridiagonal_backward(kept, v):
    dl, d, du, x = kept
    g = _on_host(partial(direct.solve_tridiagonal, transposed=True), v, dl, d, du, v)
    zero = jnp.zeros_like(x[..., :1])
    below = jnp.concatenate([zero, x[..., :-1]], -1)  # x[i - 1], and nothing in the corners, which are ignored
    above = jnp.concatenate([x[..., 1:], zero], -1)
    return -g * below, -g * x, -g * above, g


_tridiagonal.defvjp(_tridiagonal_forward, _tridiagonal_backward)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _banded(l_and_u, ab, b):
    return _on_host(partial(direct.solve_banded, l_and_u), b, ab, b)


def _banded_forward(l_and_u, ab, b):
    x = _banded(l_and_u, ab, b)
    return x, (ab, x)


def _banded_backward(l_and_u, kept, v):
    ab, x = kept
    below, above = l_and_u
    g = _on_host(partial(direct.solve_banded, l_and_u, transposed=True), v, ab, v)
    n = x.shape[-1]
    bands = jnp.zeros_like(ab)
    for k in range(-below, above + 1):  # A[i, i + k] is ab[above - k, i + k]
        first, last = max(0, -k), max(max(0, -k), n - max(k, 0))
        bands = bands.at[..., above - k, first + k:last + k].set(-g[..., first:last] * x[..., first + k:last + k])
    return bands, g


_banded.defvjp(_banded_forward, _banded_backward)
