# SPDX-License-Identifier: BSD-3-Clause
"""Weighted betweenness and Leiden of Coppice's Python package next to igraph and leidenalg.

usage: python3 igraph_peer.py [--scale 18] [--grid 1000] [--sources 256] [--peer-sources 16] [--repeat 3] [--threads 2] [GRAPH.mtx[.gz]...]

Needs coppice, igraph, leidenalg and scipy. Graphs: an undirected R-MAT graph with 2^SCALE vertices (edge factor 16) and a grid
with random weights, each with integer weights from 1 to 10, and files, whose absolute values are the weights. Betweenness is that of
the R-MAT graph from some sources, of which both draw their own; all values on a graph of 1,000 vertices are compared before. Leiden: modularity with
resolution 1 (`leidenalg.ModularityVertexPartition`, its default of two iterations, and `igraph.community_leiden`), computed by
igraph for all. Prints a Markdown table; igraph and leidenalg use one thread.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import igraph
import leidenalg
import numpy as np
import scipy.io
import scipy.sparse as sparse

import coppice

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("graphs", nargs="*", type=pathlib.Path)
parser.add_argument("--scale", type=int, default=18)
parser.add_argument("--grid", type=int, default=1000, help="vertices of a side")
parser.add_argument("--sources", type=int, default=256)
parser.add_argument("--peer-sources", type=int, default=16, help="those of igraph; times are compared by source")
parser.add_argument("--repeat", type=int, default=3, help="the smallest time of so many runs is printed")
parser.add_argument("--threads", type=int, default=2)


def symmetric(pattern, seed=1):
    """The pattern without loops in both directions, with integer weights from 1 to 10."""
    upper = sparse.triu(sparse.csr_array(pattern), 1).tocoo()
    weights = np.random.default_rng(seed).integers(1, 11, upper.nnz).astype(float)
    made = sparse.coo_array((weights, upper.coords), shape=upper.shape).tocsr()
    return (made + made.T).tocsr()


def rmat(scale):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/rmat.mtx"
        subprocess.run([sys.executable, "-m", "coppice", "generate", "rmat", "--scale", str(scale), "--undirected", "1", "--output", file,
                        "--quiet"], check=True)
        return symmetric(scipy.io.mmread(file))


def grid(n):
    path = sparse.diags_array([np.ones(n - 1)], offsets=[1], shape=(n, n))
    one = sparse.eye_array(n)
    return symmetric(sparse.kron(path, one) + sparse.kron(one, path))


def to_igraph(A):
    upper = sparse.triu(A, 1).tocoo()
    made = igraph.Graph(n=A.shape[0], edges=np.column_stack(upper.coords))
    made.es["weight"] = upper.data
    return made


def seconds(call, repeat):
    best, found = float("inf"), None
    for _ in range(repeat):
        start = time.perf_counter()
        found = call()
        best = min(best, time.perf_counter() - start)
    return best, found


def compare_betweenness():
    """Ends with an error if all values on a small graph differ."""
    A = symmetric(sparse.random_array((1000, 1000), density=0.01, rng=np.random.default_rng(5)))
    mine = coppice.graph.run("betweenness", A, weighted=True).values
    its = to_igraph(A).betweenness(weights="weight", directed=False)
    if not np.allclose(mine, its, rtol=1e-8, atol=1e-8):
        sys.exit("weighted betweenness differs from igraph's")


def betweenness_row(name, A, G, chosen):
    mine, _ = seconds(lambda: coppice.graph.run("betweenness", A, weighted=True, samples=chosen.sources), chosen.repeat)
    sources = np.random.default_rng(2).choice(A.shape[0], chosen.peer_sources, replace=False).tolist()
    its, _ = seconds(lambda: G.betweenness(weights="weight", directed=False, sources=sources), 1)
    mine, its = mine / chosen.sources, its / chosen.peer_sources
    print(f"| weighted betweenness, {chosen.sources} sources | {name} | {1e3 * mine:.1f} ms a source | igraph {1e3 * its:.1f} ms | "
          f"{its / mine:.1f} |", flush=True)


def leiden_rows(name, A, G, chosen):
    mine, labels = seconds(lambda: coppice.graph.run("leiden", A).values, chosen.repeat)
    reached = G.modularity(np.unique(labels, return_inverse=True)[1].tolist(), weights="weight")
    peers = {
        "leidenalg": lambda: leidenalg.find_partition(G, leidenalg.ModularityVertexPartition, weights="weight", seed=1).membership,
        "igraph": lambda: G.community_leiden(objective_function="modularity", weights="weight", n_iterations=2).membership,
    }
    for peer, call in peers.items():
        its, membership = seconds(call, 1)
        print(f"| Leiden | {name} | {mine:.2f} s, modularity {reached:.4f} | {peer} {its:.2f} s, "
              f"{G.modularity(membership, weights='weight'):.4f} | {its / mine:.1f} |", flush=True)


def main():
    chosen = parser.parse_args()
    coppice.set_threads(chosen.threads)
    compare_betweenness()
    graphs = {f"R-MAT {chosen.scale}": lambda: rmat(chosen.scale), f"grid {chosen.grid}²": lambda: grid(chosen.grid)}
    graphs |= {file.name.partition(".")[0]: lambda file=file: symmetric(scipy.io.mmread(file)) for file in chosen.graphs}
    print("| operation | graph | Coppice | peer | peer / Coppice |\n| --- | --- | --- | --- | --- |")
    for number, (name, make) in enumerate(graphs.items()):
        A = make()
        G = to_igraph(A)
        if number == 0:
            betweenness_row(name, A, G, chosen)
        leiden_rows(name, A, G, chosen)


if __name__ == "__main__":
    main()
