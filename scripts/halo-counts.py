#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the table of halos in docs/scale.md: what a rank receives in a product, counted for generated graphs.

    scripts/halo-counts.py COPPICE [KIND...]

COPPICE is the command that generates the graphs. Without kinds: an R-MAT graph, the same with shuffled vertices, and a grid.

1D: a rank owns an equal block of rows, and receives the elements of x in its columns that it does not own. With blocks of
entries the rows of a rank have about equally many entries instead (blocks_of_entries).
2D: the ranks form a grid of R x C. Rank (r, c) has the entries in block r of the rows and block c of the columns. Vectors
belong to all ranks in equal pieces: piece (r, c) is the c-th part of row block r. A rank receives the elements of x in its
columns, and for its own piece the partial sums of the ranks of its row. Only rows and columns with an entry count.
The last columns are times of a product of a larger graph with these fractions: entries of the largest rank over the rate
of a device, plus its received bytes over the bandwidth.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RANKS = ((2, 1, 2), (4, 2, 2), (8, 2, 4), (16, 4, 4), (64, 8, 8))

# The product that is predicted: R-MAT 26 in double, on devices. The rate of entries is assumed (12 bytes of an entry and
# a random element of x); the bandwidths are those of scale-model.py.
VERTICES, ENTRIES, VALUE_BYTES = 2**26, 2**31, 8
ENTRY_RATE = 20e9  # entries per second of a device
RANKS_OF_HOST, HOST_BANDWIDTH, NETWORK_BANDWIDTH = 8, 200e9, 50e9  # bytes per second and device

KINDS = ("rmat,scale=16", "rmat,scale=16,shuffled", "laplace2d,nx=256")


def entries(command, kind):
    """Number of vertices and the entries of a generated graph."""
    name, *options = kind.split(",")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.mtx"
        arguments = [part for option in options if option != "shuffled" for part in ("--" + option.split("=")[0], option.split("=")[1])]
        subprocess.run([command, "generate", name, *arguments, "-o", str(path), "--quiet"], check=True)
        with path.open() as lines:
            symmetric = "symmetric" in next(lines)
            text = (line.split() for line in lines if not line.startswith("%"))
            vertices = int(next(text)[0])
            pairs = [(int(line[0]) - 1, int(line[1]) - 1) for line in text]
    if symmetric:
        pairs += [(j, i) for i, j in pairs if i != j]
    if "shuffled" in options:
        order = list(range(vertices))
        random.Random(1).shuffle(order)
        pairs = [(order[i], order[j]) for i, j in pairs]
    return vertices, pairs


def blocks(n, count):
    """Block of every index in [0, n) divided into equal blocks."""
    return [i * count // n for i in range(n)]


def blocks_of_entries(n, pairs, count):
    """Block of every row: about equally many entries, of which each row has one more."""
    lengths = [1] * n
    for i, _ in pairs:
        lengths[i] += 1
    total, before, of_row = sum(lengths), 0, []
    for length in lengths:
        of_row.append(before * count // total)
        before += length
    return of_row


def received_1d(n, pairs, owner, ranks):
    """Elements that each rank receives; `owner` of each row."""
    reads = [bytearray(n) for _ in range(ranks)]
    for i, j in pairs:
        reads[owner[i]][j] = 1
    return [sum(of) - sum(of[j] for j in range(n) if owner[j] == p) for p, of in enumerate(reads)]


def received_2d(n, pairs, rows, columns):
    """Elements of x and partial sums that each rank receives."""
    row_block, column_block = blocks(n, rows), blocks(n, columns)
    piece = blocks(n, rows * columns)  # of the vectors, in the order of the ranks
    reads = [bytearray(n) for _ in range(rows * columns)]
    writes = [bytearray(n) for _ in range(rows * columns)]
    for i, j in pairs:
        rank = row_block[i] * columns + column_block[j]
        reads[rank][j] = 1
        writes[rank][i] = 1
    received = []
    for rank in range(rows * columns):
        of_x = sum(reads[rank]) - sum(reads[rank][j] for j in range(n) if piece[j] == rank)
        own = [i for i in range(n) if piece[i] == rank]
        row = range(rank // columns * columns, (rank // columns + 1) * columns)
        received.append(of_x + sum(writes[other][i] for other in row if other != rank for i in own))
    return received


def largest_share(pairs, row_block, column_block, columns, ranks):
    """Most entries of a rank, over the mean."""
    counts = [0] * ranks
    for i, j in pairs:
        counts[row_block[i] * columns + column_block[j]] += 1
    return max(counts) * ranks / len(pairs)


def product(ranks, halo, share):
    """Predicted ms of a product with ENTRIES entries; halo: received elements of a rank over the number of vertices."""
    bandwidth = HOST_BANDWIDTH if ranks <= RANKS_OF_HOST else NETWORK_BANDWIDTH
    return 1e3 * (share * ENTRIES / ranks / ENTRY_RATE + halo * VERTICES * VALUE_BYTES / bandwidth)


def main():
    command, *kinds = sys.argv[1:]
    for kind in kinds or KINDS:
        n, pairs = entries(command, kind)
        print(f"{kind}: {n} vertices, {len(pairs)} entries\n")
        names = "1D", "by entries", "2D"
        titles = [f"{what}, {name}" for what in ("received: mean, largest", "most entries over the mean", "product in ms") for name in names]
        print("| ranks | " + " | ".join(titles) + " |")
        print("| --- |" + " --- |" * len(titles))
        for ranks, rows, columns in RANKS:
            equal, balanced, one = blocks(n, ranks), blocks_of_entries(n, pairs, ranks), [0] * n
            halos = (
                received_1d(n, pairs, equal, ranks),
                received_1d(n, pairs, balanced, ranks),
                received_2d(n, pairs, rows, columns),
            )
            shares = (
                largest_share(pairs, equal, one, 1, ranks),
                largest_share(pairs, balanced, one, 1, ranks),
                largest_share(pairs, blocks(n, rows), blocks(n, columns), columns, ranks),
            )
            cells = [f"{sum(of) / ranks / n:.3f}, {max(of) / n:.3f}" for of in halos]
            cells += [f"{share:.2f}" for share in shares]
            cells += [f"{product(ranks, max(of) / n, share):.1f}" for of, share in zip(halos, shares)]
            print(f"| {ranks} | " + " | ".join(cells) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
