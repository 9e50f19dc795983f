# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Link prediction with random walks and embeddings
#
# Which edges of a network are missing? Vertices that random walks visit together get similar vectors, and similar vertices are
# likely to be linked. This is DeepWalk and node2vec in the form of a factorised matrix: with the pointwise mutual information of
# vertices on walks (Levy and Goldberg 2014), skip-gram needs no neural network.

# %%
import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import coppice

rng = np.random.default_rng(3)

# %% [markdown]
# ## A network with communities
#
# Users and what they read: 12 communities, edges within a community are 40 times as likely as others. A tenth of the edges is
# hidden; these are to be predicted.

# %%
n, groups = 1200, 12
community = rng.integers(0, groups, n)
likely = np.where(community[:, None] == community[None, :], 0.12, 0.003)
edges = np.argwhere(np.triu(rng.random((n, n)) < likely, 1))
hidden = rng.random(len(edges)) < 0.1
shown, missing = edges[~hidden], edges[hidden]
ones = np.ones(len(shown), np.int64)
graph = sp.csr_array((np.concatenate([ones, ones]), (np.append(shown[:, 0], shown[:, 1]), np.append(shown[:, 1], shown[:, 0]))),
                     shape=(n, n))
print(f"{len(shown)} edges are known, {len(missing)} are hidden")

# %% [markdown]
# ## Random walks
#
# One walk of 40 steps from every vertex per call; ten calls with different seeds. `return_bias` and `outward_bias` are p and q of
# node2vec.

# %%
walks = np.concatenate([coppice.graph.random_walks(graph, length=40, seed=seed, return_bias=1.0, outward_bias=0.5).values
                        for seed in range(10)])
print("walks:", walks.shape, "the first:", walks[0, :8])

# %% [markdown]
# ## From walks to vectors
#
# Pairs of vertices at most 5 steps apart are counted in a sparse matrix of integers. Its positive pointwise mutual information is
# factorised by the largest eigenvectors, which `eigenpairs` computes.

# %%
window = 5
counts = sp.csr_array((n, n), dtype=np.int64)
for step in range(1, window + 1):
    first, second = walks[:, :-step].ravel(), walks[:, step:].ravel()
    met = (first >= 0) & (second >= 0)
    counts = counts + sp.csr_array((np.ones(met.sum(), np.int64), (first[met], second[met])), shape=(n, n))
counts = coppice.Matrix(counts)
counts = counts.ewise_add(counts.T, "plus")  # exact: integers
total, visits = counts.reduce(), counts.reduce_rows().to_dense()
print(f"{counts.nnz} pairs, {total} meetings")

pairs = counts.to_scipy().tocoo()
information = np.log(pairs.data * float(total) / (visits[pairs.row] * visits[pairs.col].astype(float)))
positive = sp.csr_array((np.maximum(information, 0.0), (pairs.row, pairs.col)), shape=(n, n))
positive.eliminate_zeros()
found = coppice.eigenpairs(positive, 16, largest=True, rtol=1e-5, seed=0)
vectors = found.vectors * np.sqrt(found.values)
print(f"{vectors.shape[1]} eigenvectors after {found.iterations} iterations, {found.reason}")
assert found.converged

# %% [markdown]
# ## Prediction
#
# The score of a pair is the cosine of its vectors. The area under the ROC curve (AUC) is the probability that a hidden edge has a
# higher score than a pair without an edge. Common neighbours, a masked product A² over integers, are the comparison.

# %%
candidates = rng.integers(0, n, (20 * len(missing), 2))
known = {(int(u), int(v)) for u, v in edges}
others = np.array([(u, v) for u, v in np.sort(candidates, axis=1).tolist() if u != v and (u, v) not in known])[:10 * len(missing)]


def auc(score):
    """Probability that a hidden edge has the higher score; ties count one half (Mann and Whitney)."""
    values = np.concatenate([score(missing), score(others)])
    _, rank, count = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count - 1) / 2
    ranks = middle[rank][:len(missing)].sum()
    return (ranks - len(missing) * (len(missing) + 1) / 2) / (len(missing) * len(others))


unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
A = coppice.Matrix(graph)
asked = np.concatenate([missing, others])
mask = coppice.Matrix(sp.csr_array((np.ones(len(asked), bool), (asked[:, 0], asked[:, 1])), shape=(n, n)))
common = A.mxm(A, mask=mask).to_scipy()
areas = {"embedding of walks": auc(lambda e: (unit[e[:, 0]] * unit[e[:, 1]]).sum(axis=1)),
         "common neighbours": auc(lambda e: np.asarray(common[e[:, 0], e[:, 1]]).ravel())}
for name, area in areas.items():
    print(f"{name:20s} AUC {area:.3f}")
assert areas["embedding of walks"] > areas["common neighbours"] > 0.6

# %% [markdown]
# ## What the vectors know
#
# `coppice.learn` has spectral methods with the interface of scikit-learn. Here the first coordinates of the vectors already show
# the communities.

# %%
fig, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for axis, (a, b) in zip(axes, ((1, 2), (3, 4))):
    axis.scatter(unit[:, a], unit[:, b], c=community, s=6, cmap="tab20")
    axis.set_xlabel(f"coordinate {a}")
    axis.set_ylabel(f"coordinate {b}")
plt.show()
