# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # A heat equation, implicitly: many tridiagonal systems with one matrix
#
# u_t = u_xx on (0, 1) with u = 0 at both ends, by the Crank-Nicolson method: one tridiagonal system per step, with the
# same matrix in every step. `factorize_tridiagonal` factorises it once. Several initial values are solved together, as
# columns of the right-hand side.

# %%
import numpy as np

import coppice
from _picture import show

n, dt, steps = 400, 1e-4, 1000
h = 1 / (n + 1)
x = h * np.arange(1, n + 1)
r = dt / (2 * h * h)

factors = coppice.factorize_tridiagonal(np.full(n, -r), np.full(n, 1 + 2 * r), np.full(n, -r))

# %% [markdown]
# Two initial values: a sine, whose decay is known, and a box. `u` holds them as (n, 2).

# %%
u = np.stack([np.sin(np.pi * x), (abs(x - 0.5) < 0.1).astype(float)], axis=1)
begin = u.copy()
for _ in range(steps):
    explicit = (1 - 2 * r) * u
    explicit[1:] += r * u[:-1]
    explicit[:-1] += r * u[1:]
    u = factors.solve(explicit)

# %%
expected = np.exp(-np.pi**2 * dt * steps) * begin[:, 0]
error = np.abs(u[:, 0] - expected).max()
print(f"after t = {dt * steps:.2f}: error of the sine {error:.1e}, maximum of the box {u[:, 1].max():.3f}")
assert error < 1e-5

# %%
show("heat_equation", lambda axes: (axes.plot(x, begin, "--"), axes.plot(x, u), axes.set_xlabel("x")))
