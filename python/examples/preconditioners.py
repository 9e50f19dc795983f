# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Which preconditioner? An anisotropic problem
#
# Couplings along x are a hundred times as strong as those along y: a linear forest finds the strong ones in the matrix
# alone, and a tridiagonal solve along its paths is the preconditioner.

# %%
import numpy as np
import scipy.sparse as sp

import coppice
from _picture import show

n = 120
line = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
one = sp.eye_array(n)
A = (sp.kron(one, line) + 0.01 * sp.kron(line, one)).tocsr()
b = np.sin(np.arange(A.shape[0]) / 50)

# %% [markdown]
# The order of the unknowns does not matter to it: they are shuffled here.

# %%
order = np.random.default_rng(0).permutation(A.shape[0])
A, b = A[order][:, order].tocsr(), b[order]
forest = coppice.forests.linear_forest(A)
print(f"{forest.paths} paths, {forest.weight_coverage:.0%} of the weight")
assert forest.weight_coverage > 0.9

# %%
found = {
    name: coppice.solve(A, b, method="bicgstab", preconditioner=name, rtol=1e-8)
    for name in ("none", "jacobi", "forest", "multilevel")
}
for name, solution in found.items():
    print(f"{name:11} {solution.iterations:5} iterations  {solution.reason}")
assert all(solution.converged for solution in found.values())
assert found["forest"].iterations < found["jacobi"].iterations / 2

# %%
automatic = coppice.solve(A, b, rtol=1e-8)  # `auto` looks at the matrix
print("auto:", [(attempt["solver"], attempt["preconditioner"]) for attempt in automatic.attempts])


# %%
def curves(axes):
    for name, solution in found.items():
        axes.semilogy(solution.residual_history, label=name)
    axes.set_xlabel("iteration")
    axes.legend()


show("preconditioners", curves)
