# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Elasticity with rigid body modes
#
# A cantilever beam bends under its weight. Algebraic multigrid needs to know which displacements cost no energy: translations and
# rotations, the *rigid body modes*. The coordinates of the mesh are enough to compute them.

# %%
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from skfem import Basis, BilinearForm, ElementTriP1, ElementVector, LinearForm, MeshTri, condense
from skfem.helpers import dot
from skfem.models.elasticity import lame_parameters, linear_elasticity

import coppice


# %% [markdown]
# A beam of length 8 and height 1, clamped on the left, plane strain, E = 1000, ν = 0.3.


# %%
@LinearForm
def weight(v, _):
    return -0.01 * v.value[1]


@BilinearForm
def mass(u, v, _):
    return dot(u, v)


def beam(n):
    """Return basis, stiffness matrix, load and mass matrix of the free unknowns, and these unknowns."""
    mesh = MeshTri.init_tensor(np.linspace(0, 8, 8 * n + 1), np.linspace(0, 1, n + 1))
    basis = Basis(mesh, ElementVector(ElementTriP1()))
    A = linear_elasticity(*lame_parameters(1000.0, 0.3)).assemble(basis)
    clamped = basis.get_dofs(lambda x: x[0] == 0.0)
    free = np.setdiff1d(np.arange(A.shape[0]), clamped.flatten())
    K, b, _, _ = condense(A, weight.assemble(basis), D=clamped)
    return basis, K.tocsr(), b, mass.assemble(basis)[free][:, free].tocsr(), free


# %% [markdown]
# The two displacements of a vertex are neighbours in the order of scikit-fem (x0, y0, x1, y1 and so on), which `coordinates=` expects.
# Clamped vertices were removed as a whole, so that the free unknowns are still pairs.

# %%
rows = []
for n in (8, 16, 32, 48):
    basis, K, b, _, free = beam(n)
    points = basis.doflocs[:, free][:, ::2].T
    assert np.array_equal(free[1::2], free[::2] + 1) and points.shape == (K.shape[0] // 2, 2)
    plain = coppice.solve(K, b, method="cg", preconditioner="multilevel", rtol=1e-8)
    modes = coppice.solve(K, b, method="cg", preconditioner="multilevel", coordinates=points, rtol=1e-8)
    rows.append((K.shape[0], plain.iterations, modes.iterations))
    assert modes.converged
print(" unknowns   without modes   with modes")
for row in rows:
    print("{:9d} {:15d} {:12d}".format(*row))
assert all(modes <= plain for _, plain, modes in rows[1:])

# %%
u = np.zeros(basis.N)
u[free] = modes.x
moved = basis.mesh.p + 1.0 * u[basis.nodal_dofs]
deflection = np.linalg.norm(u[basis.nodal_dofs], axis=0)
fig, axes = plt.subplots(figsize=(9, 2.6), layout="constrained")
picture = axes.tripcolor(*moved, basis.mesh.t.T, deflection, shading="gouraud")
fig.colorbar(picture, ax=axes, label="displacement")
axes.set_aspect("equal")
plt.show()
tip = deflection.max()
expected = 0.01 * 8**4 / (8 * 1000 / (1 - 0.3**2) / 12)  # q L^4 / (8 E I) of Euler and Bernoulli, plane strain
print(f"deflection of the tip {tip:.4f}, beam theory {expected:.4f}")
assert abs(tip / expected - 1) < 0.05

# %% [markdown]
# ## Vibrations
#
# K x = ω² M x: `eigenpairs` (LOBPCG) uses the same preconditioner. Other near-null spaces are passed as vectors by
# `near_null_space=`; `coppice.rigid_body_modes` returns those of points.

# %%
basis, K, b, M, free = beam(16)
points = basis.doflocs[:, free][:, ::2].T
preconditioner = coppice.preconditioner("multilevel", K, coordinates=points)
found = coppice.eigenpairs(K, 5, B=sp.csr_array(M), M=preconditioner, rtol=1e-7)
frequencies = np.sqrt(found.values)
print("frequencies", frequencies.round(4), "after", found.iterations, "iterations")
factor = np.sqrt(1000 / (1 - 0.3**2) / 12) / 8**2  # sqrt(E I / m) / L^2
print("beam theory", (np.array([1.8751, 4.6941, 7.8548]) ** 2 * factor).round(4), "for the first bending modes")
assert found.converged and abs(frequencies[0] / (1.8751**2 * factor) - 1) < 0.05

# %% [markdown]
# The third one is a longitudinal vibration, which the theory of bending does not have. The picture shows the others.

# %%
fig, axes = plt.subplots(3, 1, figsize=(8, 4.5), layout="constrained")
for k, axis in zip((0, 1, 3), axes):
    u = np.zeros(basis.N)
    u[free] = found.vectors[:, k] / np.abs(found.vectors[:, k]).max()
    axis.triplot(*(basis.mesh.p + 0.5 * u[basis.nodal_dofs]), basis.mesh.t.T, linewidth=0.4)
    axis.set_title(f"ω = {frequencies[k]:.3f}", fontsize=9)
    axis.set_aspect("equal")
    axis.axis("off")
plt.show()
