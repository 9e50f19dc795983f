#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the tables of docs/scale.md: times of the model next to measured ones, and its predictions.

    scripts/scale-model.py

Times are in ms, for CG with multilevel on 7-point 200^3 rows per device unless stated. The measured ones are from machines
with four H200 (docs/scale.md names the commits); parameters below are fitted to them if their comment states it.
"""
import math

ROWS = 8e6  # of a device
ITERATIONS = 21
ITERATION = 40.0 / ITERATIONS  # on one device
SETUP = 97.6 - 40.0  # on one device
COARSENING = 8  # rows of a level over those of the next
REPLICATED = 131072  # rows of all ranks below which every rank has the level

# Counts per distributed level on the host (two and four ranks, three levels): the solve has 11.6 exchanges and 3.25
# gathers an iteration, the set-up 28 exchanges and 32 gathers.
EXCHANGES_OF_LEVEL = 11.6 / 3
GATHERS = 3.25
SETUP_STEPS_OF_LEVEL = 60 / 3

E_TWO, E_FOUR = 0.014, 0.028  # exchange or gather between devices of one host: fitted to the solve
STEP_TWO, STEP_FOUR = 0.37, 0.69  # step of a set-up: fitted
E_NETWORK = 0.060  # exchange of 0.3 MB over 50 GB/s for each device: assumed
GATHER = (0.020, 0.006)  # a + b log2 P, over a network: assumed


def levels(devices, replicated=REPLICATED):
    """Number of levels that are distributed."""
    return max(1, math.ceil(math.log(ROWS * devices / replicated, COARSENING)))


def iteration(devices, exchange, gather, replicated=REPLICATED):
    return ITERATION + EXCHANGES_OF_LEVEL * levels(devices, replicated) * exchange + GATHERS * gather


def setup(devices, step, replicated=REPLICATED):
    return SETUP + SETUP_STEPS_OF_LEVEL * levels(devices, replicated) * step


def table(head, rows):
    print("| " + " | ".join(head) + " |\n| " + " | ".join("---" for _ in head) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def checks():
    """Model and measurement. The parameters are fitted to the rows marked by a star."""
    return [
        ("product, 5-point 4000^2 in all, two", 0.375 / 2 + E_TWO, 0.2194),
        ("the same, four", 0.375 / 4 + E_FOUR, 0.1267),
        ("product, 27-point 160^3 each, two", 0.3923 + E_TWO, 0.4302),
        ("the same, four", 0.3923 + E_FOUR, 0.4322),
        ("iteration, two *", iteration(2, E_TWO, E_TWO), 48.6 / 23),
        ("iteration, four *", iteration(4, E_FOUR, E_FOUR), 48.8 / 21),
        ("set-up, two *", setup(2, STEP_TWO), 128.5 - 48.6),
        ("set-up, four *", setup(4, STEP_FOUR), 147.6 - 48.8),
        ("tridiagonal 2^26 each, two *", 1.56 + 0.14, 1.70),
        ("tridiagonal 2^27 in all, two", 3.01 / 2 + 0.14, 1.65),
        ("tridiagonal 2^26 each, four *", 1.56 + 0.17, 1.73),
        ("tridiagonal 2^27 in all, four", 3.01 / 4 + 0.17, 0.946),
    ]


def predictions():
    one = SETUP + ITERATIONS * ITERATION
    for name, step, gather_of, replicated in (
        ("step of the set-up as on two devices", STEP_TWO, lambda p: GATHER[0] + GATHER[1] * math.log2(p), REPLICATED),
        ("as on four devices", STEP_FOUR, lambda p: GATHER[0] + GATHER[1] * math.log2(p), REPLICATED),
        ("as on two, gathers by a ring (2 us a rank)", STEP_TWO, lambda p: 0.002 * p, REPLICATED),
        ("as on two, the levels below 4e6 rows on one host", STEP_TWO, lambda p: GATHER[0] + GATHER[1] * math.log2(p), 4e6),
    ):
        cells = [name]
        for p in (16, 64, 1024):
            of_setup = setup(p, step, replicated)
            of_iteration = iteration(p, E_NETWORK, gather_of(p), replicated)
            total = of_setup + ITERATIONS * of_iteration
            cells.append(f"{of_setup:.0f} + {ITERATIONS * of_iteration:.0f}, {100 * one / total:.0f} %")
        yield cells


def values_received():
    """Values that a rank receives in a product with a graph whose every rank needs every vertex, over the vertices."""
    for p in (4, 8, 16, 64, 1024):
        yield [str(p), f"{1 - 1 / p:.2f}", f"{2 / math.sqrt(p) * (1 - 1 / math.sqrt(p)):.2f}"]


table(["", "model, ms", "measured, ms", "measured over model"],
      [[name, f"{model:.3g}", f"{found:.3g}", f"{found / model:.2f}"] for name, model, found in checks()])
table(["set-up + solve in ms, efficiency", "16", "64", "1024"], predictions())
table(["ranks", "rows (1D)", "blocks (2D)"], values_received())
