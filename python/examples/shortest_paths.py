# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Shortest paths as products over a semiring
#
# Over (min, +) the product of a matrix with a vector relaxes every edge once: Bellman and Ford's algorithm is the same
# product again and again. Over (max, min) it finds the widest path.

# %%
import numpy as np
import scipy.sparse as sp

import coppice
from _picture import show

n = 40
rng = np.random.default_rng(0)
index = np.arange(n * n).reshape(n, n)
start = np.concatenate([index[:, :-1].ravel(), index[:-1].ravel()])  # a grid of streets
end = np.concatenate([index[:, 1:].ravel(), index[1:].ravel()])
length = rng.uniform(1, 3, start.size)
A = sp.coo_array((length, (start, end)), shape=(n * n, n * n))
A = (A + A.T).tocsr()

# %%
streets = coppice.Matrix(A)
distance = np.full(n * n, np.inf)
distance[0] = 0
rounds = 0
while True:
    relaxed = streets.mxv(distance, "min-plus", accumulate=distance)  # d = min(d, A d)
    rounds += 1
    if np.array_equal(relaxed, distance):
        break
    distance = relaxed
print(f"{rounds} rounds, the farthest corner at {distance.max():.2f}")

# %% [markdown]
# The library's own algorithm takes far fewer visits of edges and finds the same distances.

# %%
direct = coppice.graph.sssp(A, source=0)
assert np.allclose(direct.values, distance)

# %% [markdown]
# An operator of your own: with Numba, any two functions of Python.

# %%
try:
    import numba  # noqa: F401
except ImportError:
    print("no numba, no operators of our own")
else:
    fewest = coppice.semiring.user(lambda s, p: min(s, p), lambda a, steps: steps + 1, np.inf)
    steps = np.where(np.arange(n * n) == 0, 0.0, np.inf)
    for _ in range(2 * n):
        steps = np.minimum(steps, streets.mxv(steps, fewest))
    assert np.array_equal(steps, coppice.graph.bfs(A, source=0).values)

# %%
show("shortest_paths", lambda axes: axes.imshow(distance.reshape(n, n)))
