# SPDX-License-Identifier: BSD-3-Clause
"""`coppice solve` without a choice on matrix files, next to SciPy and PyAMG.

usage: python3 any_matrix.py COPPICE [--tolerance 1e-8] [--limit 60] [--repeat 3] [--json FILE] MATRIX.mtx[.gz]...

Needs scipy and pyamg. b = A x with x_i = sin(16 pi i / n), or MATRIX.b.mtx if it exists. One thread. Prints a Markdown
table: rows, nonzeros, what coppice chose, its iterations, milliseconds of set-up and solve (without reading), the true
relative residual ||b - A x|| / ||b|| of the written solution, then the same for the fastest peer that reaches the
tolerance, and the ratio of the times. Peers: SuperLU (spsolve's orders COLAMD and minimum degree of A + A^T), spilu with
GMRES(100), smoothed aggregation of PyAMG with CG or BiCGStab. The last line counts what has converged.
"""
import argparse
import json
import multiprocessing
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import scipy.io
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("coppice")
parser.add_argument("matrices", nargs="+", type=pathlib.Path)
parser.add_argument("--tolerance", type=float, default=1e-8)
parser.add_argument("--limit", type=float, default=60, help="seconds of each solve")
parser.add_argument("--repeat", type=int, default=3, help="the smallest time of so many runs is printed")
parser.add_argument("--json", type=pathlib.Path, help="writes all results, those of every peer too")
parser.add_argument("--no-peers", action="store_true")


def residual(a, x, b):
    norm = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
    return float(norm) if np.isfinite(norm) else float("inf")


def superlu(order):
    return lambda a, b, tolerance: linalg.splu(a.tocsc(), permc_spec=order).solve(b)


def incomplete(a, b, tolerance):
    factors = linalg.spilu(a.tocsc(), drop_tol=1e-4, fill_factor=10)
    m = linalg.LinearOperator(a.shape, factors.solve)
    return linalg.gmres(a, b, rtol=tolerance, restart=100, maxiter=10, M=m)[0]


def aggregation(a, b, tolerance):
    import pyamg
    symmetric = abs(a - a.T).max() <= 1e-12 * abs(a).max()
    levels = pyamg.smoothed_aggregation_solver(a, symmetry="symmetric" if symmetric else "nonsymmetric")
    return levels.solve(b, tol=tolerance, accel="cg" if symmetric else "bicgstab", maxiter=500)


PEERS = {"splu": superlu("COLAMD"), "splu, A + A^T": superlu("MMD_AT_PLUS_A"), "spilu, gmres": incomplete,
         "pyamg": aggregation}


def run_peer(name, a, b, tolerance, repeat, answers):
    warnings.simplefilter("ignore")
    best, x = float("inf"), np.zeros_like(b)
    for _ in range(repeat):
        start = time.perf_counter()
        try:
            x = PEERS[name](a, b, tolerance)
        except (RuntimeError, ValueError, ZeroDivisionError, np.linalg.LinAlgError):
            break
        best = min(best, time.perf_counter() - start)
        if best > 2:
            break
    answers.put((best, residual(a, x, b)))


def peer(name, a, b, options):
    answers = multiprocessing.Queue()
    child = multiprocessing.Process(target=run_peer,
                                    args=(name, a, b, options.tolerance, options.repeat, answers))
    child.start()
    try:
        return answers.get(timeout=options.limit)
    except Exception:  # no answer within the limit
        return float("inf"), float("inf")
    finally:
        child.terminate()
        child.join()


def coppice(path, a, b, options):
    with tempfile.TemporaryDirectory() as folder:
        rhs, solution = f"{folder}/b.mtx", f"{folder}/x.mtx"
        scipy.io.mmwrite(rhs, b.reshape(-1, 1), precision=17)
        found = {}
        for _ in range(options.repeat):
            command = [options.coppice, "solve", str(path), "--rhs", rhs, "--tolerance", str(options.tolerance),
                       "--max-iterations", "100000", "--threads", "1", "--quiet", "--json", "-", "-o", solution]
            try:
                done = subprocess.run(command, capture_output=True, timeout=options.limit)
            except subprocess.TimeoutExpired:
                return {"seconds": float("inf"), "residual": float("inf"), "by": "no answer", "iterations": 0}
            if done.returncode not in (0, 4):
                return {"seconds": float("inf"), "residual": float("inf"), "by": done.stderr.decode().strip(),
                        "iterations": 0}
            run = json.loads(done.stdout)
            seconds = run["setup_seconds"] + run["solve_seconds"]
            if seconds >= found.get("seconds", float("inf")):
                continue
            x = scipy.io.mmread(solution).ravel()
            found = {"seconds": seconds, "residual": residual(a, x, b), "iterations": run["iterations"],
                     "by": f"{run['solver']}, {run['preconditioner']}", "claims": run["converged"],
                     "attempts": [[one["solver"], one["preconditioner"], one.get("iterations", 0),
                                   one.get("setup_seconds", 0) + one.get("solve_seconds", 0)]
                                  for one in run.get("attempts", [])]}
            if seconds > 2:
                break
        return found


def measure(path, options):
    a = sparse.csr_matrix(scipy.io.mmread(path), dtype=float)
    given = path.with_name(path.name.removesuffix(".gz").removesuffix(".mtx") + ".b.mtx")
    b = scipy.io.mmread(given).ravel() if given.exists() else a @ np.sin(
        16 * np.pi * np.arange(1, a.shape[0] + 1) / a.shape[0])
    row = {"matrix": given.name.removesuffix(".b.mtx"), "rows": a.shape[0], "nonzeros": a.nnz}
    row["coppice"] = coppice(path, a, b, options)
    row["peers"] = {} if options.no_peers else {name: peer(name, a, b, options) for name in PEERS}
    return row


def show(row, tolerance):
    ours = row["coppice"]
    reached = {name: run for name, run in row["peers"].items() if run[1] <= 2 * tolerance}
    name, best = min(reached.items(), key=lambda item: item[1][0]) if reached else ("none", (float("inf"), 0))
    row["ratio"] = ours["seconds"] / best[0] if reached else 0
    theirs = f"{best[0] * 1e3:.4g} | {row['ratio']:.3g}" if reached else "– | –"
    print(f"| {row['matrix']} | {row['rows']} | {row['nonzeros']} | {ours['by']} | {ours['iterations']} | "
          f"{ours['seconds'] * 1e3:.4g} | {ours['residual']:.1e} | {name} | {theirs} |", flush=True)


def main():
    options = parser.parse_args()
    print("| matrix | rows | nonzeros | chosen | iterations | ms | residual | best peer | ms | ratio |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    rows = []
    for path in options.matrices:
        if path.name.endswith(".b.mtx") or path.name.endswith(".xyz.mtx"):
            continue
        rows.append(measure(path, options))
        show(rows[-1], options.tolerance)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
    good = [row for row in rows if row["coppice"]["residual"] <= 2 * options.tolerance]
    false = [row["matrix"] for row in rows
             if row["coppice"].get("claims") and row["coppice"]["residual"] > 2 * options.tolerance]
    within = "" if options.no_peers else (
        f", {sum(row['ratio'] <= 3 for row in good)} of them within 3 times the best peer or without a peer that does")
    print(f"\n{len(good)} of {len(rows)} converged{within}; false claims: {', '.join(false) or 'none'}")


if __name__ == "__main__":
    main()
