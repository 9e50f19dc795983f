#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `coppice solve`, `coppice multiply` and graph algorithms on processes of MPI and compares with ranks of one process.

The tests mpi_ranks run the algorithms on up to 7 processes; here 4 suffice, since a process takes up to half a second to start.

usage: command.py COPPICE MPIEXEC OPTION-OF-NUMBER
"""
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

coppice, mpiexec, number = sys.argv[1:4]
folder = Path(tempfile.mkdtemp(prefix="coppice-mpi-"))


def alone(*arguments):
    """The outcome of one process, without the variables of a surrounding mpiexec."""
    return subprocess.run([coppice, *arguments], capture_output=True, text=True, timeout=120)


def together(ranks, *arguments):
    return subprocess.run([mpiexec, number, str(ranks), coppice, *arguments], capture_output=True, text=True, timeout=120)


def check(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def errors(result):
    """The lines of the command on standard error; mpiexec adds others."""
    return [line for line in result.stderr.splitlines() if line.startswith("coppice: error:")]


def right_hand_side(rows):
    path = folder / f"b{rows}.mtx"
    path.write_text(f"%%MatrixMarket matrix array real general\n{rows} 1\n" + "".join(f"{i % 7 - 3}\n" for i in range(rows)))
    return str(path)


def compare_with_ranks_of_one_process(matrix, rows, *options):
    """Processes find what as many ranks of one process find: the same residuals, bit for bit, and the same solution."""
    options = (*options, "--rhs", right_hand_side(rows))
    for ranks in (1, 2, 4):
        x, y = folder / "x.mtx", folder / "y.mtx"
        parts = alone("solve", matrix, *options, "--backend", "host", "--parts", str(ranks), "--json", "-", "-o", str(y))
        processes = together(ranks, "solve", matrix, *options, "--backend", "host", "--mpi", "on", "--json", "-", "-o", str(x))
        check(parts.returncode == processes.returncode == 0, f"{matrix} {options} on {ranks}: {processes.stderr}")
        one, other = json.loads(parts.stdout), json.loads(processes.stdout)
        for key in ("solver", "preconditioner", "parts", "iterations", "rows", "nonzeros", "relative_residual"):
            if ranks > 1 or key in ("parts", "rows", "nonzeros"):
                check(one[key] == other[key], f"{key} of {matrix} on {ranks} ranks: {one[key]} and {other[key]}")
        if ranks > 1:
            check(one["residual_history"] == other["residual_history"], f"residuals of {matrix} on {ranks} ranks")
            check(x.read_text() == y.read_text(), f"solutions of {matrix} on {ranks} ranks")


grid = folder / "grid.mtx"
check(alone("generate", "laplace2d", "--nx", "40", "-o", str(grid)).returncode == 0, "generate")
wind = folder / "wind.mtx.gz"
check(alone("generate", "convection", "--nx", "30", "-o", str(wind)).returncode == 0, "generate")
compare_with_ranks_of_one_process(str(grid), 1600, "--solver", "cg", "--preconditioner", "multilevel", "--tolerance", "1e-9")
compare_with_ranks_of_one_process("generate:elasticity,nx=9", 2187, "--solver", "cg", "--preconditioner", "multilevel")
compare_with_ranks_of_one_process("generate:elasticity,nx=9", 2187, "--solver", "cg", "--preconditioner", "multilevel", "--block", "3")
compare_with_ranks_of_one_process(str(wind), 900, "--solver", "auto", "--preconditioner", "jacobi")
compare_with_ranks_of_one_process("generate:aniso2,nx=30", 900, "--solver", "auto", "--preconditioner", "forest")
for several in ("alt-i", "mos-d", "mos", "mos-a", "block-forest"):
    compare_with_ranks_of_one_process("generate:aniso2,nx=30", 900, "--solver", "auto", "--preconditioner", several)

for method in ("bicg", "qmr"):
    for preconditioner in ("ilu0", "multilevel"):
        compare_with_ranks_of_one_process(str(wind), 900, "--solver", method, "--preconditioner", preconditioner)

# Complex systems, also from files that rank 0 reads, and real matrices with complex right-hand sides.
def complex_grid(path, kind, diagonal):
    """A 5-point grid of 20 x 20 points with couplings of all phases below the diagonal."""
    lines = []
    for p in range(400):
        lines.append(f"{p + 1} {p + 1} {diagonal}")
        for q in [p + 1] * (p % 20 < 19) + [p + 20] * (p < 380):
            lines.append(f"{q + 1} {p + 1} {math.cos(p * p)} {math.sin(p * p)}")
    text = f"%%MatrixMarket matrix coordinate complex {kind}\n400 400 {len(lines)}\n" + "\n".join(lines) + "\n"
    with (gzip.open if path.name.endswith("gz") else open)(path, "wt") as file:
        file.write(text)
    return str(path)


hermitian = complex_grid(folder / "hermitian.mtx", "hermitian", "4.5 0")
symmetric = complex_grid(folder / "symmetric.mtx.gz", "symmetric", "5 1")
compare_with_ranks_of_one_process(hermitian, 400, "--solver", "auto", "--preconditioner", "multilevel")
compare_with_ranks_of_one_process(hermitian, 400)
for solver, preconditioner in (("gmres", "multilevel"), ("bicg", "multilevel"), ("qmr", "ilu0"), ("idrs", "jacobi")):
    compare_with_ranks_of_one_process(symmetric, 400, "--solver", solver, "--preconditioner", preconditioner)
imaginary = folder / "imaginary.mtx"
imaginary.write_text("%%MatrixMarket matrix array complex general\n1600 1\n" + "0 1\n" * 1600)
found = together(3, "solve", str(grid), "--rhs", str(imaginary), "--json", "-", "-o", str(folder / "i.mtx"))
check(json.loads(found.stdout)["solver"] == "cg", found.stdout)
check((folder / "i.mtx").read_text().startswith("%%MatrixMarket matrix array complex"), "a complex solution")
known = json.loads(together(4, "solve", hermitian, "--tolerance", "1e-10", "--json", "-").stdout)
check(0 < known["forward_relative_error"] < 1e-8, f"the error is {known}")

swap = folder / "swap.mtx"  # indefinite: not for cg, which was chosen for all symmetric matrices
swap.write_text("%%MatrixMarket matrix coordinate real symmetric\n8 8 4\n2 1 1\n4 3 1\n6 5 1\n8 7 1\n")
compare_with_ranks_of_one_process(str(swap), 8, "--solver", "auto", "--preconditioner", "none")
compare_with_ranks_of_one_process("generate:laplace2d,nx=20", 400, "--solver", "auto", "--preconditioner", "alt-o")

# Values whose squares leave the range, and an absolute tolerance that is larger than the relative one.
small = folder / "small.mtx"
small.write_text(
    "%%MatrixMarket matrix coordinate real symmetric\n40 40 79\n"
    + "".join(f"{i} {i} 2e-200\n" for i in range(1, 41))
    + "".join(f"{i + 1} {i} -1e-200\n" for i in range(1, 40))
)
compare_with_ranks_of_one_process(str(small), 40, "--solver", "cg", "--preconditioner", "jacobi")
compare_with_ranks_of_one_process(str(grid), 1600, "--solver", "cg", "--preconditioner", "jacobi", "--absolute-tolerance", "0.5")
loose = json.loads(together(3, "solve", str(small), "--preconditioner", "jacobi", "--absolute-tolerance", "1e-201", "--json", "-").stdout)
check(1e-6 < loose["tolerance"] < 1, f"the tolerance is {loose['tolerance']}")

# A starting guess from a file: the solution of the last run is a start without iterations.
b = right_hand_side(1600)
solved = together(4, "solve", str(grid), "--rhs", b, "--solver", "cg", "--tolerance", "1e-10", "-o", str(folder / "z.mtx"))
check(solved.returncode == 0, solved.stderr)
check(len([line for line in solved.stdout.splitlines() if "converged" in line]) == 1, "rank 0 alone prints: " + solved.stdout)
again = together(4, "solve", str(grid), "--rhs", b, "--x0", str(folder / "z.mtx"), "--solver", "cg", "--json", "-")
check(json.loads(again.stdout)["iterations"] == 0, "a solution as start: " + again.stdout)

# The known solution, whose error is that over all processes.
known = json.loads(together(4, "solve", str(grid), "--tolerance", "1e-10", "--json", "-").stdout)
check(known["solver"] == "cg" and known["parts"] == 4 and 0 < known["forward_relative_error"] < 1e-7, f"the error is {known}")

# One message, and the exit code of the process that failed.
zero, unsymmetric = folder / "zero.mtx", folder / "unsymmetric.mtx"
zero.write_text("%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 1 1\n")
unsymmetric.write_text("%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 2 2\n3 3 2\n4 4 2\n4 1 1\n")
text = grid.read_text()
bad = folder / "bad.mtx"
bad.write_text(text[: text.rindex(" ")] + " x\n")
unknown, complex_values = folder / "unknown.mtx", folder / "complex.mtx"
unknown.write_text("%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 4 nan\n")
complex_values.write_text("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 1\n")
for ranks in (1, 3):
    for matrix, options, code, why in (
        (str(folder / "none.mtx"), (), 3, "No such file"),
        (str(bad), (), 3, "expected a real value"),
        (str(unknown), (), 3, "the entry in row 4, column 4 is NaN"),
        (str(complex_values), ("--preconditioner", "forest"), 2, "for real matrices, this system is complex"),
        (str(grid), ("--solver", "sor"), 2, "unknown solver"),
        (str(grid), ("--rhs", str(folder / "none.mtx")), 3, "No such file"),
        (str(grid), ("-o", str(folder / "none" / "x.mtx")), 3, "none/x.mtx"),
        (str(grid), ("--max-iterations", "1", "--tolerance", "1e-12"), 4, "did not converge"),
        (str(grid), ("--compare",), 2, "cannot be combined with --compare"),
        (str(zero), ("--preconditioner", "jacobi"), 3, "the diagonal entry of row 4 is zero"),
        (str(unsymmetric), ("--preconditioner", "ic0"), 3, "it is not symmetric, and ic0 requires symmetry"),
        (str(grid), ("--parts", "2"), 2, "--parts is for one process"),
    ):
        ended = together(ranks, "solve", matrix, *options, "--mpi", "on")
        found = errors(ended)
        check(ended.returncode == code, f"{matrix} {options} on {ranks}: exit code {ended.returncode}, expected {code}: {ended.stderr}")
        check(len(found) == 1 and why in found[0], f"{matrix} {options} on {ranks}: {ended.stderr}")

# Processes with other arguments than the first one would wait for each other, or disagree about messages.
def with_other_arguments(*arguments):
    first = ("solve", str(grid), "--solver", "cg")
    return subprocess.run([mpiexec, number, "2", coppice, *first, ":", number, "1", coppice, *arguments],
                          capture_output=True, text=True, timeout=120)


for arguments in (
    ("solve", str(grid), "--solver", "bicgstab"),
    ("solve", str(grid), "--solver", "cg", "--precision", "single"),
    ("solve", str(folder / "none.mtx"), "--solver", "cg"),
    ("bfs", str(grid)),
    ("pagerank", str(grid)),
):
    ended = with_other_arguments(*arguments)
    found = errors(ended)
    check(ended.returncode == 2, f"{arguments} on process 2: exit code {ended.returncode}: {ended.stderr}")
    check(len(found) == 1 and "process 2 is started as 'coppice " + " ".join(arguments) + "'" in found[0], ended.stderr)
for threads in (("--threads", "2"), ("--threads=2",)):
    ended = with_other_arguments("solve", str(grid), "--solver", "cg", *threads)
    check(ended.returncode == 0, f"another number of threads: {ended.stderr}")

# Graph algorithms: the result of one process; PageRank that of as many ranks, and of one up to rounding.
def numbers(path):
    return [line for line in path.read_text().splitlines() if not line.startswith("%")][1:]


def compare_graph_algorithm(command, graph, *options, backend="host"):
    one, x = folder / "one.mtx", folder / "x.mtx"
    alone_end = alone(command, graph, *options, "--backend", "host", "--json", "-", "-o", str(one))
    check(alone_end.returncode == 0, f"{command} {graph}: {alone_end.stderr}")
    facts = json.loads(alone_end.stdout)
    ranks, parts = 3, folder / "parts.mtx"
    as_ranks = alone(command, graph, *options, "--backend", "host", "--parts", str(ranks), "--json", "-", "-o", str(parts))
    ended = together(ranks, command, graph, *options, "--backend", backend, "--mpi", "on", "--json", "-", "-o", str(x))
    where = f"{command} {graph} {options} on {ranks} ranks, {backend}"
    check(ended.returncode == as_ranks.returncode == 0, f"{where}: {ended.stderr} {as_ranks.stderr}")
    found, of_ranks = json.loads(ended.stdout), json.loads(as_ranks.stdout)
    for key in ("rows", "nonzeros", "undirected", "source", "depth", "reached", "farthest", "components", "communities",
                "modularity", "levels", "largest", "triangles", "iterations"):
        check(found.get(key) == facts.get(key) == of_ranks.get(key), f"{key} of {where}: {found.get(key)}, {facts.get(key)}")
    check(found["parts"] == of_ranks["parts"] == ranks, f"parts of {where}")
    check(found["devices"] == (ranks if backend == "cuda" else 0), f"devices of {where}: {found['devices']}")
    if command == "pagerank":
        check(backend == "cuda" or numbers(x) == numbers(parts), f"ranks of {where}")
        largest = max(abs(float(a) - float(b)) / float(b) for a, b in zip(numbers(x), numbers(one), strict=True))
        check(largest < 1e-12, f"{where}: a difference of {largest}")
    else:
        check(numbers(x) == numbers(parts) == numbers(one), f"result of {where}")


directed = folder / "directed.mtx"
entries = [(i * 17 % 60 + 1, i * i * 29 % 60 + 1, i % 4) for i in range(300) if i * i * 29 % 60 % 6 != 5]
directed.write_text(
    f"%%MatrixMarket matrix coordinate real general\n60 60 {len(entries)}\n" + "".join(f"{i} {j} {v}\n" for i, j, v in entries)
)
words = folder / "words.csv"
words.write_text("from,to,length\n" + "".join(f"n{i * 7 % 31},n{i * i % 31},{1 + i % 3}\n" for i in range(90)))
for command in ("bfs", "components", "pagerank", "sssp"):
    compare_graph_algorithm(command, "generate:rmat,scale=7")
    both = ("--symmetrise",) if command == "components" else ()
    once = ("--parallel", "once") if command == "pagerank" else ()
    compare_graph_algorithm(command, str(directed), *both, *once)
compare_graph_algorithm("components", str(grid))
compare_graph_algorithm("communities", "generate:rmat,scale=7")
weighted = folder / "weighted.mtx"  # two directions with different values, which are added, and a matrix of one value each
edges = {(min(u, v), max(u, v)) for u, v, _ in entries if u != v}
weighted.write_text(
    f"%%MatrixMarket matrix coordinate real general\n60 60 {2 * len(edges)}\n"
    + "".join(f"{u} {v} {(u * v) % 5 + 1}\n{v} {u} {(u + v) % 3 + 1}\n" for u, v in sorted(edges))
)
even = folder / "even.mtx"
even.write_text(
    f"%%MatrixMarket matrix coordinate real symmetric\n60 60 {len(edges)}\n"
    + "".join(f"{v} {u} {(u * v) % 5 / 4 + 1}\n" for u, v in sorted(edges))
)
for graph in (weighted, even):
    compare_graph_algorithm("communities", str(graph))
compare_graph_algorithm("communities", str(directed), "--symmetrise", "--resolution", "2")
compare_graph_algorithm("triangles", "generate:rmat,scale=7")
compare_graph_algorithm("bfs", str(directed), "--source", "9", "--hops", "2")
compare_graph_algorithm("sssp", str(words), "--renumber", "--columns", "from,to,length", "--source", "n5")
compare_graph_algorithm("pagerank", str(directed), "--weighted")
for ranks in (1, 3):
    for arguments, code, why in (
        (("bfs", str(bad)), 3, "expected a real value"),
        (("bfs", str(grid), "--source", "1601"), 2, "expected a vertex from 1 to 1600"),
        (("bfs", "generate:rmat,scale=5", "--source", "99"), 2, "expected a vertex"),
        (("components", str(directed)), 3, "needs an undirected graph"),
        (("pagerank", str(directed)), 3, "there are parallel edges from"),
        (("pagerank", str(grid), "--max-iterations", "1"), 4, "did not converge"),
        (("bfs", str(grid), "--report", str(folder / "page.html")), 2, "cannot be combined with --report"),
        (("sssp", str(grid)), 4, "a cycle of negative length is reached"),
    ):
        ended = together(ranks, *arguments, "--mpi", "on")
        found = errors(ended)
        check(ended.returncode == code, f"{arguments} on {ranks}: exit code {ended.returncode}, expected {code}: {ended.stderr}")
        check(len(found) == 1 and why in found[0], f"{arguments} on {ranks}: {ended.stderr}")

# Each process with a device, of which several may share one; without devices, an error on one rank is that of all.
on_device = together(2, "bfs", "generate:rmat,scale=5", "--mpi", "on", "--backend", "cuda")
if on_device.returncode == 0:
    for command in ("bfs", "communities", "components", "pagerank", "sssp", "triangles"):
        compare_graph_algorithm(command, "generate:rmat,scale=8", backend="cuda")
    compare_graph_algorithm("components", str(grid), backend="cuda")
    compare_graph_algorithm("sssp", str(words), "--renumber", "--columns", "from,to,length", "--source", "n5", backend="cuda")
    compare_graph_algorithm("pagerank", str(directed), "--weighted", backend="cuda")
else:
    for command in ("bfs", "triangles", "multiply"):
        arguments = (str(even),) if command != "multiply" else (str(even), str(even))
        refused = together(2, command, *arguments, "--mpi", "on", "--backend", "cuda")
        found = errors(refused)
        check(refused.returncode == 5, f"{command} without devices: exit code {refused.returncode}: {refused.stderr}")
        check(len(found) == 1 and "CUDA" in found[0], f"{command} without devices: {refused.stderr}")

# Products of matrices: the file of one process, bit for bit.
for arguments in (
    (str(grid), str(grid)),
    ("generate:rmat,scale=7", str(folder / "square.mtx"), "--semiring", "min-plus"),
    (str(directed), str(even), "--semiring", "arg-max"),
    (str(even), str(even), "--mask", str(even)),
    (str(wind), str(wind), "--mask", str(wind), "--complement", "--precision", "single"),
):
    square = folder / "square.mtx"
    check(alone("generate", "laplace2d", "--nx", "16", "--ny", "8", "-o", str(square)).returncode == 0, "generate")
    c, d = folder / "c.mtx", folder / "d.mtx"
    one = alone("multiply", *arguments, "--backend", "host", "--json", "-", "-o", str(c))
    check(one.returncode == 0, f"multiply {arguments}: {one.stderr}")
    exact = on_device.returncode == 0 and str(wind) not in arguments  # devices fuse multiplications and additions
    for ranks, backend in ((2, "host"), (3, "host"), *(((2, "cuda"),) if exact else ())):
        ended = together(ranks, "multiply", *arguments, "--backend", backend, "--mpi", "on", "--json", "-", "-o", str(d))
        check(ended.returncode == 0, f"multiply {arguments} on {ranks}, {backend}: {ended.stderr}")
        check(json.loads(ended.stdout)["nonzeros"] == json.loads(one.stdout)["nonzeros"], f"nonzeros of {arguments}")
        check(json.loads(ended.stdout)["parts"] == ranks, f"parts of {arguments} on {ranks} ranks")
        check(c.read_text() == d.read_text(), f"product of {arguments} on {ranks} ranks")
for arguments, code, why in (
    ((str(grid), str(even)), 3, "rows of the second matrix of a product"),
    ((str(grid), str(bad)), 3, "expected a real value"),
    ((str(grid), str(grid), "--semiring", "plus"), 2, "semiring"),
    ((str(grid), str(grid), "--report", str(folder / "page.html")), 2, "cannot be combined with --report"),
):
    ended = together(3, "multiply", *arguments, "--mpi", "on")
    found = errors(ended)
    check(ended.returncode == code, f"multiply {arguments}: exit code {ended.returncode}, expected {code}: {ended.stderr}")
    check(len(found) == 1 and why in found[0], f"multiply {arguments}: {ended.stderr}")

# Each process separately.
separate = together(2, "solve", str(grid), "--mpi", "off", "--threads", "1")
check(separate.stdout.count("relative residual") == 2, "--mpi off: " + separate.stdout + separate.stderr)
check(alone("solve", str(grid), "--mpi", "maybe").returncode == 2, "--mpi maybe")
for file in folder.iterdir():
    file.unlink()
folder.rmdir()
