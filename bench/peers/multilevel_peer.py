# SPDX-License-Identifier: BSD-3-Clause
"""Smoothed aggregation of PyAMG on matrices of the suite `multilevel`: python3 multilevel_peer.py COPPICE [TOLERANCE].

Needs scipy and pyamg. CG (BiCGStab where unsymmetric), one V cycle, default settings, one thread; milliseconds.
"""
import subprocess
import sys
import tempfile
import time

import numpy
import pyamg
import scipy.io

PROBLEMS = [
    ("5-point", "laplace2d --nx 500"),
    ("ANISO1", "aniso1 --nx 500"),
    ("ANISO2", "aniso2 --nx 500"),
    ("ANISO3", "aniso3 --nx 500"),
    ("rotated 45", "rotated --nx 500 --angle 45 --ratio 0.01"),
    ("rotated 30", "rotated --nx 500 --angle 30 --ratio 0.01"),
    ("rotated 30, 7-point", "rotated --nx 500 --angle 30 --ratio 0.01 --points 7"),
    ("ATMOSMODM", "laplace3d --nx 60 --wy 40"),
    ("7-point", "laplace3d --nx 60"),
    ("convection", "convection --nx 500"),
    ("elasticity", "elasticity --nx 24"),
]


def measure(coppice, name, request, tolerance):
    with tempfile.NamedTemporaryFile(suffix=".mtx") as file:
        subprocess.run([coppice, "generate", *request.split(), "-o", file.name, "--quiet"], check=True)
        a = scipy.io.mmread(file.name).tocsr()
    x = numpy.sin(16 * numpy.pi * numpy.arange(a.shape[0]) / a.shape[0])
    symmetric = name != "convection"
    start = time.perf_counter()
    levels = pyamg.smoothed_aggregation_solver(a, symmetry="symmetric" if symmetric else "nonsymmetric")
    middle = time.perf_counter()
    history = []
    levels.solve(a @ x, tol=tolerance, accel="cg" if symmetric else "bicgstab", residuals=history, maxiter=500)
    end = time.perf_counter()
    print(f"{name:20} {len(history) - 1:4} iterations {history[-1] / history[0]:.1e}  set-up "
          f"{(middle - start) * 1e3:7.1f}  solve {(end - middle) * 1e3:7.1f}  together {(end - start) * 1e3:7.1f} ms  "
          f"complexity {levels.operator_complexity():.2f}", flush=True)


if __name__ == "__main__":
    for problem, generator in PROBLEMS:
        measure(sys.argv[1], problem, generator, float(sys.argv[2]) if len(sys.argv) > 2 else 1e-6)
