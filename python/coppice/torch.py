# SPDX-License-Identifier: BSD-3-Clause
"""Direct solves and graph products for PyTorch, with gradients: ``from coppice.torch import solve_tridiagonal, spmm``.

`spmm`, `sddmm`, `Graph` and `batch` are the products of graph networks. Of the direct solves, the gradient of x = A^-1 b is
g = A^-H dx for b and -conj(x) g^T, on the bands, for A (both with factors of the same matrix). Tensors are on the CPU or on a
CUDA device; their memory is shared.
"""

from __future__ import annotations

import numpy as np
import torch

from . import direct
from ._features import Graph, batch, sddmm, spmm

__all__ = ["Graph", "batch", "sddmm", "solve_banded", "solve_tridiagonal", "spmm"]


def solve_tridiagonal(dl: torch.Tensor, d: torch.Tensor, du: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Solve tridiagonal systems as `coppice.solve_tridiagonal`; all tensors have the shape (..., n), with the same
    batch."""
    for name, tensor in (("dl", dl), ("du", du), ("b", b)):
        if tensor.shape != d.shape:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}, expected {tuple(d.shape)} as d has")
    return _Tridiagonal.apply(dl, d, du, b)


def solve_banded(l_and_u: tuple[int, int], ab: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Solve banded systems in SciPy's layout as `coppice.solve_banded`; ab (..., l + u + 1, n), b (..., n)."""
    if ab.shape[:-2] + ab.shape[-1:] != b.shape:
        raise ValueError(f"b has shape {tuple(b.shape)}, expected that of ab, {tuple(ab.shape)}, without its bands")
    return _Banded.apply(l_and_u, ab, b)


def _array(tensor):
    """Convert a tensor to an argument of `coppice.direct`: a NumPy array, or the tensor itself if it is on a device."""
    tensor = tensor.detach().resolve_conj().contiguous()
    return tensor.numpy() if tensor.device.type == "cpu" else tensor


def _tensor(x) -> torch.Tensor:
    return torch.from_numpy(x) if isinstance(x, np.ndarray) else x


class _Tridiagonal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, dl, d, du, b):
        factors = direct.factorize_tridiagonal(_array(dl), _array(d), _array(du))
        x = _tensor(factors.solve(_array(b)))
        ctx.factors = factors
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dx):
        (x,) = ctx.saved_tensors
        g = _tensor(ctx.factors.solve(_array(dx), transposed=True, conjugate=True))
        y = x.conj()
        lower, upper = torch.zeros_like(g), torch.zeros_like(g)
        lower[..., 1:] = -g[..., 1:] * y[..., :-1]
        upper[..., :-1] = -g[..., :-1] * y[..., 1:]
        return lower, -g * y, upper, g


class _Banded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, l_and_u, ab, b):
        ctx.l_and_u = l_and_u
        ctx.factors = direct.factorize_banded(l_and_u, _array(ab))
        x = _tensor(ctx.factors.solve(_array(b)))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dx):
        (x,) = ctx.saved_tensors
        below, above = ctx.l_and_u
        g = _tensor(ctx.factors.solve(_array(dx), transposed=True, conjugate=True))
        y, n = x.conj(), x.shape[-1]
        bands = torch.zeros(*x.shape[:-1], below + above + 1, n, dtype=x.dtype, device=x.device)
        for k in range(-below, above + 1):  # A[i, i + k] is ab[above - k, i + k]
            first, last = max(0, -k), max(max(0, -k), n - max(k, 0))
            bands[..., above - k, first + k:last + k] = -g[..., first:last] * y[..., first + k:last + k]
        return None, bands, g
