# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # Analysis of a network
#
# Two communities with few edges between them. The functions of `coppice.graph` take scipy.sparse matrices and graphs of
# NetworkX and igraph.

# %%
import numpy as np
import scipy.sparse as sp

import coppice
from _picture import show

rng = np.random.default_rng(1)
half = 300
group = np.repeat([0, 1], half)
chance = np.where(group[:, None] == group, 0.05, 0.001)
upper = np.triu(rng.random(chance.shape) < chance, 1)
A = sp.csr_array((upper | upper.T).astype(float))

# %%
ranks = coppice.graph.pagerank(A).values
components = coppice.graph.components(A)
cores = coppice.graph.cores(A).values
triangles = coppice.graph.triangles(A)
print("components", components.facts, "largest core", cores.max(), "triangles", triangles.facts)
assert abs(ranks.sum() - 1) < 1e-6
assert triangles.values.sum() == round((A @ A * A).sum() / 2)  # each twice at every corner

# %%
labels = coppice.graph.communities(A).values
connected = components.values == np.bincount(components.values.astype(int)).argmax()
same = labels[:, None] == labels
agreement = (same == (group[:, None] == group))[connected][:, connected].mean()
print(f"communities agree with the two groups for {agreement:.0%} of pairs")
assert agreement > 0.7

# %% [markdown]
# In and out of NetworkX, and as its backend: `networkx.pagerank(G, backend="coppice")`.

# %%
try:
    import networkx as nx
except ImportError:
    print("no networkx")
else:
    G = coppice.graph.to_networkx(A)
    assert nx.number_connected_components(G) == components.facts["components"]
    distances = coppice.graph.bfs(G, source=0).values
    print("vertices by distance from 0:", np.bincount([int(d) for d in distances.values() if d >= 0]))

# %%
show("graph_analytics", lambda axes: axes.scatter(A.sum(axis=1), ranks, c=group, s=8))
