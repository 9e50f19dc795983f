# SPDX-License-Identifier: BSD-3-Clause
"""Gradients of direct solves."""

import pytest

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_gradients(dtype):
    from coppice.torch import solve_banded, solve_tridiagonal

    torch.manual_seed(0)
    dl, d, du, b = (torch.randn(2, 6, dtype=dtype) for _ in range(4))
    arguments = [t.requires_grad_() for t in (dl, d + 4, du, b)]
    assert torch.autograd.gradcheck(solve_tridiagonal, arguments)
    ab = torch.randn(4, 7, dtype=dtype)
    ab[1] += 6
    arguments = [t.requires_grad_() for t in (ab, torch.randn(7, dtype=dtype))]
    assert torch.autograd.gradcheck(lambda ab, b: solve_banded((2, 1), ab, b), arguments)


def test_tensors_come_out():
    import numpy as np
    import scipy.sparse as sp

    import coppice

    n = 20
    one, A = torch.ones(n, dtype=torch.float64), 2 * sp.eye_array(n, format="csr")
    x = coppice.solve_tridiagonal(0 * one, 2 * one, 0 * one, one)
    assert isinstance(x, torch.Tensor) and torch.allclose(x, one / 2)
    dense = 2 * torch.eye(n, dtype=torch.float64)
    for operator in (A, dense, lambda x: dense @ x, dense.to_sparse_csr()):
        x, info = coppice.cg(operator, one, M=lambda r: r / 2)
        assert info == 0 and isinstance(x, torch.Tensor) and torch.allclose(x, one / 2)
    y = coppice.Matrix(dense.to_sparse_csr()).mxv(one)
    assert isinstance(y, torch.Tensor) and torch.allclose(y, 2 * one)
    out = torch.empty(n, dtype=torch.float64)
    assert coppice.solve_tridiagonal(0 * one, 2 * one, 0 * one, one, out=out) is out and torch.allclose(out, one / 2)
    assert isinstance(coppice.cg(A, np.ones(n))[0], np.ndarray)
