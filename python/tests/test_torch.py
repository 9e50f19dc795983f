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
