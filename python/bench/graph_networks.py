# SPDX-License-Identifier: BSD-3-Clause
"""Products of graph networks: `coppice.torch.spmm` and the ways of PyTorch in the same run, as rows of a Markdown table.

    python python/bench/graph_networks.py [--device cuda] [--scale 18] [--threads 2] [--widths 1,16,64]

Y_i = sum or max over the neighbours j of i of a_ij X_j, in float32, forward alone and with the gradients for X and a. Peers:
`torch.sparse.mm` with a CSR tensor (max and gradients of the values only on the CPU), and what is written by hand: features
gathered by edge, multiplied, and added by `index_add` or reduced by `scatter_reduce`.
"""

import argparse
import statistics
import time

import numpy as np
import torch

import coppice
from coppice.torch import Graph, spmm


def rmat(scale):
    """R-MAT graph with 16 distinct edges a vertex at most, in both directions, with a permutation of the vertices."""
    draws = np.random.default_rng(0)
    ends = np.zeros((2, 16 << scale), dtype=np.int64)
    for _ in range(scale):
        quadrant = np.searchsorted(np.cumsum([0.57, 0.19, 0.19]), draws.random(16 << scale))
        ends = 2 * ends + np.stack([quadrant >> 1, quadrant & 1])
    ends = draws.permutation(1 << scale)[ends]
    numbers = np.unique(np.concatenate([(u << scale) + v for u, v in (ends, ends[::-1])]))
    return torch.as_tensor(np.stack([numbers >> scale, numbers & ((1 << scale) - 1)])), 1 << scale


def citations(n):
    """Each of n papers cites eight earlier ones. Half of them are copied from the citations of one of these papers, so that
    papers that are often cited are cited more often."""
    draws = np.random.default_rng(0)
    cited = [np.zeros(8, dtype=np.int64)]
    first = draws.random((n, 8))
    copied = draws.random((n, 8)) < 0.5
    for v in range(1, n):
        chosen = (first[v] * v).astype(np.int64)
        earlier = cited[int(first[v, 0] * v)]
        cited.append(np.where(copied[v], earlier, chosen))
    rows = np.repeat(np.arange(n), 8)
    return torch.as_tensor(np.stack([np.concatenate(cited), rows])), n


def seconds_of(call, device, repeats):
    def once():
        start = time.perf_counter()
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - start

    once()
    return statistics.median(once() for _ in range(repeats))


def by_hand(edges, weights, X, n, reduce):
    messages = weights[:, None] * X[edges[0]]
    zeros = X.new_zeros(n, X.shape[1])
    if reduce == "sum":
        return zeros.index_add(0, edges[1], messages)
    return zeros.scatter_reduce(0, edges[1][:, None].expand_as(messages), messages, "amax", include_self=False)


def methods(edges, n, weights, reduce, device):
    """(name, weights that may require gradients, function of X) of each method."""
    offsets = torch.zeros(n + 1, dtype=torch.int64, device=device)
    offsets[1:] = torch.cumsum(torch.bincount(edges[1], minlength=n), 0)
    matrix = torch.sparse_csr_tensor(offsets, edges[0], weights.detach(), (n, n))
    graph = Graph(matrix)
    matrix.requires_grad_(weights.requires_grad)
    yield "coppice", weights, lambda X: spmm(graph, X, reduce, weights=weights)
    yield "gathered by edge", weights, lambda X: by_hand(edges, weights, X, n, reduce)
    if reduce == "sum":
        yield "torch.sparse.mm", matrix, lambda X: torch.sparse.mm(matrix, X)
    elif device == "cpu":
        yield "torch.sparse.mm", matrix, lambda X: torch.sparse.mm(matrix, X, "amax")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--widths", default="1,16,64")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"PyTorch {torch.__version__}, coppice {coppice.__version__}, {options.device}, {torch.get_num_threads()} threads\n")
    print("| graph | width | reduction | | Coppice | torch.sparse.mm | gathered by edge | best of both / Coppice |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, (edges, n) in ((f"R-MAT {options.scale}", rmat(options.scale)),
                             (f"citations, 2^{options.scale - 1}", citations(1 << (options.scale - 1)))):
        edges = edges[:, torch.argsort(edges[1] * n + edges[0])].to(options.device)
        for width in map(int, options.widths.split(",")):
            for reduce in ("sum", "max"):
                for gradients in (False, True):
                    torch.manual_seed(0)
                    weights = torch.rand(edges.shape[1], device=options.device).requires_grad_(gradients)
                    times, results = {}, {}
                    for method, parameters, call in methods(edges, n, weights, reduce, options.device):
                        X = torch.randn(n, width, generator=torch.Generator().manual_seed(1)).to(options.device)
                        X.requires_grad_(gradients)

                        def run(X=X, call=call, parameters=parameters):
                            X.grad = parameters.grad = None
                            with torch.set_grad_enabled(gradients):
                                Y = call(X)
                                if gradients:
                                    Y.sum().backward()
                            return Y

                        try:
                            results[method] = run().detach()
                            times[method] = seconds_of(run, options.device, options.repeats)
                        except (RuntimeError, NotImplementedError) as error:
                            print(f"<!-- {method}, {reduce}: {str(error).splitlines()[0]} -->")
                    for found in results.values():
                        torch.testing.assert_close(found, results["coppice"], rtol=1e-3, atol=1e-3)
                    cells = [f"{1e3 * times[m]:#.3g} ms" if m in times else "" for m in
                             ("coppice", "torch.sparse.mm", "gathered by edge")]
                    best = min(t for m, t in times.items() if m != "coppice")
                    print(f"| {name} | {width} | {reduce} | {'with gradients' if gradients else 'forward'} | {cells[0]} | {cells[1]} | "
                          f"{cells[2]} | {best / times['coppice']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
