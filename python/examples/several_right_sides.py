# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Many right-hand sides, and two precisions
#
# `solve_columns` takes right-hand sides that are there at the same time and reads the matrix once for eight of them.
# `solve_refined` works in float32 inside and reaches the accuracy of float64.

# %%
import numpy as np
import scipy.sparse as sp

import coppice
from _picture import show

n = 60
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
A = (sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)).tocsr()

# %% [markdown]
# Temperatures of a plate with a source at one of eight places.

# %%
places = [(10 + 5 * k) * n + 10 + 5 * k for k in range(8)]
B = np.zeros((n * n, 8), order="F")
B[places, np.arange(8)] = 1
M = coppice.preconditioner("multilevel", A)
found = coppice.solve_columns(A, B, method="cg", preconditioner=M, rtol=1e-10)
print([column.iterations for column in found.columns], "iterations")
assert found.converged and np.abs(A @ found.x - B).max() < 1e-9

# %% [markdown]
# Reciprocity: the warmth at place j of a source at place i is that at i of a source at j.

# %%
between = found.x[places]
assert np.allclose(between, between.T)

# %%
refined = coppice.solve_refined(A, B[:, 0], method="cg", preconditioner="multilevel", rtol=1e-12)
print(f"{refined.restarts} refinements, {refined.iterations} iterations, residual {refined.relative_residual:.1e}")
assert refined.converged and np.allclose(refined.x, found.x[:, 0])

# %%
show("several_right_sides", lambda axes: axes.imshow(found.x[:, 3].reshape(n, n)))
