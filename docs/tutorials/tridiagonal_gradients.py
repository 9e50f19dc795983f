# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Batches of tridiagonal systems in PyTorch, with gradients
#
# A rod has an unknown conductivity k(x). Temperatures were measured in several experiments with different sources of heat. Each
# experiment is a tridiagonal system; gradient descent through the solver finds k. `coppice.torch.solve_tridiagonal` solves the
# whole batch in one call, and its backward pass is another batch of tridiagonal systems.

# %%
import time

import matplotlib.pyplot as plt
import torch

from coppice.torch import solve_tridiagonal

torch.manual_seed(0)
n, experiments = 200, 24
h = 1 / (n + 1)
x = torch.linspace(h, 1 - h, n, dtype=torch.float64)
faces = torch.linspace(h / 2, 1 - h / 2, n + 1, dtype=torch.float64)

# %% [markdown]
# ## The model
#
# -(k u')' = f, u = 0 at both ends. With k at the n + 1 faces between the unknowns the matrix has the diagonals -k_i, k_i +
# k_{i+1}, -k_{i+1}, divided by h². All tensors have the shape (experiments, n); the first element of `dl` and the last one of `du`
# are ignored.


# %%
def temperatures(k, f):
    """Return u for conductivities k (n + 1,) and sources f (experiments, n)."""
    left, right = k[:-1], k[1:]
    dl, d, du = (each.expand(f.shape) for each in (-left, left + right, -right))
    return solve_tridiagonal(dl, d, du, h * h * f)


true = 1 + 0.8 * torch.exp(-(((faces - 0.3) / 0.08) ** 2)) - 0.6 * torch.exp(-(((faces - 0.7) / 0.1) ** 2))
centres = torch.linspace(0.05, 0.95, experiments, dtype=torch.float64)
f = 10 * torch.exp(-(((x - centres[:, None]) / 0.05) ** 2))
measured = temperatures(true, f)
measured = measured + 1e-4 * torch.randn_like(measured)

# %% [markdown]
# ## Gradients
#
# `torch.autograd.gradcheck` compares the gradients with differences.

# %%
few = torch.rand(3, 7, dtype=torch.float64)
arguments = tuple(each.clone().requires_grad_() for each in (-0.3 * few, 1 + few, -0.2 * few, few.flip(0)))
assert torch.autograd.gradcheck(solve_tridiagonal, arguments)
print("gradients agree with differences")

# %% [markdown]
# ## The inverse problem
#
# k = exp(m) is positive. The loss is the misfit and a small term for the slope of m; L-BFGS needs few evaluations.

# %%
m = torch.zeros(n + 1, dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.LBFGS([m], lr=1.0, max_iter=150, history_size=30, line_search_fn="strong_wolfe")
history = []


def loss():
    optimizer.zero_grad()
    misfit = ((temperatures(m.exp(), f) - measured) ** 2).mean() / 1e-8
    total = misfit + 1e-2 * (m.diff() ** 2).sum() / h
    total.backward()
    history.append(float(misfit))
    return total


begin = time.perf_counter()
optimizer.step(loss)
k = m.detach().exp()
error = float((k - true).norm() / true.norm())
print(f"{len(history)} evaluations in {time.perf_counter() - begin:.2f} s, relative error of k {error:.3f}")
assert error < 0.05 and history[-1] < 1e-3 * history[0]

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.3), layout="constrained")
left.plot(faces, true, label="true")
left.plot(faces, k, "--", label="found")
left.set_xlabel("x")
left.set_title("conductivity")
left.legend()
right.semilogy(history)
right.set_title("misfit, 1: the noise")
right.set_xlabel("evaluation")
plt.show()

# %% [markdown]
# ## Comparison with a dense solver
#
# `torch.linalg.solve` has gradients as well, but its matrices have n² elements and its work is n³.


# %%
def best_of(call, runs=5):
    """Return the shortest time of some runs in seconds."""
    taken = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return min(taken)


sizes, times = (50, 100, 200, 400), {"coppice": [], "torch.linalg.solve": []}
for size in sizes:
    d = 3 + torch.rand(64, size, dtype=torch.float64)
    du, b = torch.rand_like(d), torch.rand_like(d)
    dense = torch.diag_embed(d) + torch.diag_embed(du[:, :-1], 1) + torch.diag_embed(du[:, 1:], -1)
    times["coppice"].append(best_of(lambda: solve_tridiagonal(du, d, du, b)))
    times["torch.linalg.solve"].append(best_of(lambda: torch.linalg.solve(dense, b)))
    assert torch.allclose(solve_tridiagonal(du, d, du, b), torch.linalg.solve(dense, b))
for name, each in times.items():
    print(f"{name:20s}", "  ".join(f"{1e3 * value:8.3f} ms" for value in each))

fig, axes = plt.subplots(figsize=(5, 3), layout="constrained")
for name, each in times.items():
    axes.loglog(sizes, each, "o-", label=name)
axes.set_xlabel("unknowns of a system, 64 systems")
axes.set_ylabel("seconds")
axes.legend()
plt.show()
