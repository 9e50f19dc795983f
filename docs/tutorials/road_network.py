# SPDX-License-Identifier: BSD-3-Clause
# %% [markdown]
# # A road network from an edge list
#
# Travel times, bottlenecks and isolated parts of a road network that is stored as a list of edges with names. The network is
# made here: crossings at random places, roads between neighbours, a few faster roads.

# %%
import csv
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from scipy.spatial import Delaunay

import coppice
from coppice.graph import from_table

rng = np.random.default_rng(7)
places = rng.random((4000, 2)) * [20.0, 12.0]  # kilometres
sides = np.concatenate([Delaunay(places).simplices[:, pair] for pair in ((0, 1), (1, 2), (0, 2))])
roads = np.unique(np.sort(sides, axis=1), axis=0)
length = np.linalg.norm(places[roads[:, 0]] - places[roads[:, 1]], axis=1)
river = (places[roads[:, 0], 0] < 10) != (places[roads[:, 1], 0] < 10)
bridges = np.flatnonzero(river)[rng.choice(river.sum(), 4, replace=False)]
kept = (length < 0.8) & (rng.random(len(roads)) < 0.7) & ~river
kept[bridges] = True
roads, length = roads[kept], length[kept]
fast = np.abs(places[roads].mean(axis=1)[:, 1] - 6) < 0.25  # an east-west corridor
minutes = 60 * length / np.where(fast, 90, 40)

# %% [markdown]
# The list is a file with a header and names of crossings. `from_table` takes a dict of columns, as here, data frames of pandas and
# polars, Arrow tables, and with pandas or polars the file itself. Ids may be text.

# %%
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "roads.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["from", "to", "minutes"])
        rows.writerows((f"X{u:04d}", f"X{v:04d}", f"{time:.4f}") for (u, v), time in zip(roads, minutes))
    with file.open(newline="") as lines:
        records = list(csv.DictReader(lines))
print(records[0])
columns = {name: [record[name] for record in records] for name in ("from", "to")}
columns["minutes"] = [float(record["minutes"]) for record in records]
network = from_table(columns, source="from", target="to", weight="minutes", directed=False)
print(network)

# %% [markdown]
# ## Connected parts
#
# `run` and the functions of `coppice.graph` take the table; results have a column of ids.

# %%
parts = coppice.graph.components(network)
sizes = np.bincount(np.unique(parts.values["value"], return_inverse=True)[1])
print(f"{len(sizes)} parts, the largest with {sizes.max()} of {sizes.sum()} crossings")
number = np.array([int(str(name)[1:]) for name in parts.values["vertex"]])
labels, counts = np.unique(parts.values["value"], return_counts=True)
largest = number[parts.values["value"] == labels[counts.argmax()]]

# %% [markdown]
# ## Travel times
#
# Shortest paths from the crossing that is nearest to a corner. `check=True` proves the result: every distance is explained by an
# edge, and no edge shortens one.

# %%
start = largest[np.argmin(np.linalg.norm(places[largest] - [0, 0], axis=1))]
times = coppice.graph.sssp(network, source=f"X{start:04d}", check=True)
at = np.array([int(str(name)[1:]) for name in times.values["vertex"]])
reached = np.isfinite(times.values["value"])
print(f"farthest reachable crossing: {times.values['value'][reached].max():.1f} minutes")
assert reached.sum() == counts.max()

fig, axes = plt.subplots(figsize=(9, 4.6), layout="constrained")
axes.add_collection(LineCollection(places[roads], colors=np.where(fast, "black", "silver"),
                                   linewidths=np.where(fast, 1.2, 0.6)))
picture = axes.scatter(*places[at[reached]].T, c=times.values["value"][reached], s=7)
axes.plot(*places[start], "k*", markersize=16)
fig.colorbar(picture, ax=axes, label="minutes")
axes.set_aspect("equal")
plt.show()

# %% [markdown]
# ## Bottlenecks
#
# Betweenness counts the shortest paths through a crossing; 200 sources are enough for an estimate. Crossings near the four bridges of
# the river have the highest values. `bridges` of graph theory are roads without which a part is cut off.

# %%
between = coppice.graph.betweenness(network, samples=200, weighted=True)
value = between.values["value"]
order = np.argsort(value)[::-1]
where = np.array([int(str(name)[1:]) for name in between.values["vertex"]])
print("highest betweenness:", [str(between.values["vertex"][k]) for k in order[:5]])
cut = coppice.graph.bridges(network)
print(len(cut.values["source"]), "roads are the only access to a part")

fig, axes = plt.subplots(figsize=(9, 4.6), layout="constrained")
axes.add_collection(LineCollection(places[roads], colors="lightgrey", linewidths=0.4))
axes.scatter(*places[where[order]].T, c=value[order], s=1 + 60 * value[order] / value.max(), cmap="magma_r")
axes.set_title("betweenness")
axes.set_aspect("equal")
plt.show()
assert np.abs(places[where[order[:8]], 0] - 10).max() < 4
