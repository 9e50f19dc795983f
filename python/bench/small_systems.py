# SPDX-License-Identifier: BSD-3-Clause
"""Call overhead of `solve_tridiagonal` on small systems, over the C++ call timed in the same process.

    c++ -std=c++20 -O2 -shared -fPIC -IPREFIX/include python/bench/small_systems.cpp -o small_systems.so \\
        PREFIX/lib/libcoppice.a -ltbb -lz -lfmt
    python python/bench/small_systems.py small_systems.so
"""

import ctypes
import sys
import timeit

import numpy as np

import coppice

CALLS, REPEATS = 20000, 9


def main(library):
    plain = ctypes.CDLL(library).seconds_per_call
    plain.restype = ctypes.c_double
    plain.argtypes = [ctypes.c_long, *[ctypes.c_void_p] * 5, ctypes.c_long]
    print("rows  C++ us  Python us  over us  (n - 1 diagonals) over us")
    for n in (16, 64, 256):
        dl, d, du, b = np.random.default_rng(0).standard_normal((4, n))
        x = np.empty(n)
        pointers = [a.ctypes.data for a in (dl, d, du, b, x)]
        short, above = dl[1:], du[:-1]
        theirs, ours, lapack = [], [], []
        for _ in range(REPEATS):  # alternately, so that other load affects all of them
            theirs.append(plain(n, *pointers, CALLS))
            ours.append(timeit.timeit(lambda: coppice.solve_tridiagonal(dl, d, du, b), number=CALLS) / CALLS)
            lapack.append(timeit.timeit(lambda: coppice.solve_tridiagonal(short, d, above, b), number=CALLS) / CALLS)
        assert np.array_equal(x, coppice.solve_tridiagonal(dl, d, du, b))
        base, python, shorter = (1e6 * float(np.median(a)) for a in (theirs, ours, lapack))
        print(f"{n:4}  {base:6.2f}  {python:9.2f}  {python - base:7.2f}  {shorter - base:7.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
