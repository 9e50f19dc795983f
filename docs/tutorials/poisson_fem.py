# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Poisson's equation by finite elements
#
# -Δu = f on an L-shaped domain with u = g on its boundary. [scikit-fem](https://scikit-fem.readthedocs.io) assembles the matrix;
# Coppice solves the linear system with conjugate gradients and multigrid. The exact solution is known, so that the error of the
# discretisation is measured, too.

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse.linalg
from skfem import Basis, BilinearForm, ElementTriP1, ElementTriP2, Functional, MeshTri, condense
from skfem.helpers import dot, grad

import coppice

# %% [markdown]
# The exact solution r^(2/3) sin(2θ/3) is harmonic, f = 0, and its gradient is infinite at the inner corner: the error of
# linear elements on uniform meshes decreases with h^(4/3) in the L2 norm instead of h^2.


# %%
@BilinearForm
def stiffness(u, v, _):
    return dot(grad(u), grad(v))


def exact(x):
    angle = np.mod(np.arctan2(x[1], x[0]) - np.pi / 2, 2 * np.pi)
    return (x[0]**2 + x[1]**2) ** (1 / 3) * np.sin(2 / 3 * angle)


def system(refinements, element):
    """Return basis, matrix and right-hand side of the inner unknowns, the inner unknowns, and a vector with the boundary values."""
    basis = Basis(MeshTri.init_lshaped().refined(refinements), element)
    A = stiffness.assemble(basis)
    boundary = basis.get_dofs().flatten()
    u = np.zeros(A.shape[0])
    u[boundary] = exact(basis.doflocs[:, boundary])
    inner, b, _, free = condense(A, np.zeros(A.shape[0]), x=u, D=boundary)
    return basis, inner.tocsr(), b, free, u


# %% [markdown]
# `MeshTri.init_lshaped` has its corner at the origin, and the missing quarter is x > 0, y > 0. Angles begin at its upper side.
# `condense` removes the boundary; the rest is symmetric positive definite.

# %%
basis, A, b, free, u = system(5, ElementTriP1())
M = coppice.preconditioner("multilevel", A)
found = coppice.solve(A, b, method="cg", preconditioner=M, rtol=1e-10)
u[free] = found.x
print(f"{A.shape[0]} unknowns: {found.iterations} iterations, {found.reason}")

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
picture = left.tripcolor(*basis.mesh.p, basis.mesh.t.T, u[basis.nodal_dofs[0]], shading="gouraud")
fig.colorbar(picture, ax=left)
left.set_title("solution")
left.set_aspect("equal")
right.semilogy(found.residual_history, ".-")
right.set_title("relative residual of CG with multigrid")
right.set_xlabel("iteration")
plt.show()

# %% [markdown]
# ## Refinement
#
# The number of iterations hardly depends on the mesh, so that the time is proportional to the unknowns. Without a preconditioner
# the iterations double with every refinement. SciPy's sparse direct solver (SuperLU) is the comparison.


# %%
@Functional
def squared_error(w):
    return (w["u"] - exact(w.x)) ** 2


rows = []
for refinements in range(3, 8):
    basis, A, b, free, u = system(refinements, ElementTriP1())
    begin = time.perf_counter()
    found = coppice.solve(A, b, method="cg", preconditioner="multilevel", rtol=1e-8)
    taken = time.perf_counter() - begin
    plain = coppice.solve(A, b, method="cg", preconditioner=None, rtol=1e-8)
    begin = time.perf_counter()
    direct = scipy.sparse.linalg.spsolve(A.tocsc(), b)
    taken_direct = time.perf_counter() - begin
    u[free] = found.x
    error = np.sqrt(squared_error.assemble(basis, u=basis.interpolate(u)))
    rows.append((A.shape[0], found.iterations, plain.iterations, taken, taken_direct, error))
    assert found.converged and np.abs(found.x - direct).max() < 1e-6

print(" unknowns  multigrid  plain CG   seconds   SuperLU   L2 error")
for row in rows:
    print("{:9d} {:10d} {:9d} {:9.4f} {:9.4f} {:10.2e}".format(*row))
sizes, iterations, plain, _, _, errors = map(np.array, zip(*rows))
order = np.log(errors[-2] / errors[-1]) / np.log(2)
print(f"order of convergence in h: {order:.2f}, expected 4/3")
assert iterations.max() <= 1.5 * iterations.min() + 4 and abs(order - 4 / 3) < 0.15

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
left.loglog(sizes, iterations, "o-", label="multigrid")
left.loglog(sizes, plain, "s-", label="no preconditioner")
left.set_xlabel("unknowns")
left.set_ylabel("iterations")
left.legend()
right.loglog(sizes, errors, "o-", label="error")
right.loglog(sizes, errors[0] * (sizes / sizes[0]) ** (-2 / 3), "--", label="h^(4/3)")
right.set_xlabel("unknowns")
right.legend()
plt.show()

# %% [markdown]
# ## Quadratic elements
#
# Nothing changes but the element. `method="auto"` chooses method and preconditioner from the matrix.

# %%
basis, A, b, free, u = system(5, ElementTriP2())
found = coppice.solve(A, b, rtol=1e-8)
u[free] = found.x
error = np.sqrt(squared_error.assemble(basis, u=basis.interpolate(u)))
print(f"P2: {A.shape[0]} unknowns, {found.iterations} iterations, error {error:.2e}")
assert found.converged
