# SPDX-License-Identifier: BSD-3-Clause
"""Runs functions in several threads that start simultaneously."""

import threading

THREADS = 6


def at_once(*works):
    """Run every function in THREADS threads that start simultaneously; raise an exception of any of them."""
    failures, start = [], threading.Barrier(THREADS * len(works))

    def run(work, k):
        try:
            start.wait()
            work(k)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work, k)) for work in works for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
