#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times of the NetworkX backend over those of NetworkX, for every function of the backend.

usage: scripts/networkx-ratios.py [--nodes 20000] [--edges 100000] [--limit 20] [--repeat 3] [FUNCTION...]

A random graph with weights, directed where the function needs it, arguments as in the table ARGUMENTS. "first" is a call with the
conversion of the graph, "cached" one on the graph that NetworkX keeps; both are given over NetworkX's time, the least of several
runs. "taken" says whether the backend takes the first and the cached call if NetworkX may choose (`should_run`). Functions
that NetworkX does not finish within the limit are shown with the limit as NetworkX's time, as "<"; "TooLong": the backend does not
finish either (distances of all pairs are 4e8 objects). A call that is taken and
slower than 1.2 times NetworkX is a miss: exit code 1.
"""
import argparse
import inspect
import random
import signal
import sys
import time

import networkx as nx

from coppice.networkx_backend import _FUNCTIONS, backend

ARGUMENTS = {"source": 0, "target": 1, "n": 0, "v": 5, "u": 3, "k": 3, "_s": 0, "_t": 1, "distance": 2, "radius": 2,
             "capacity": "weight", "sources": [0, 1], "ebunch": [(k, k + 7) for k in range(1000)]}
# Arguments that are left out although they are in ARGUMENTS.
OMITTED = {"closeness_centrality": {"u", "distance"}, "harmonic_centrality": {"sources", "distance"}, "k_core": {"k"},
           "betweenness_centrality": {"k"}, "edge_betweenness_centrality": {"k"}, "eccentricity": {"v"}, "k_shell": {"k"}}


class TooLong(Exception):
    """A call takes longer than the limit."""


def interrupted(*_):
    raise TooLong


def made_graph(nodes, edges, directed):
    """The same graph for every run."""
    random.seed(3)
    made = nx.gnm_random_graph(nodes, edges, seed=3, directed=directed)
    nx.set_edge_attributes(made, {edge: 1 + (sum(edge) * 7919) % 10 for edge in made.edges}, "weight")
    return made


def arguments_of(name, made):
    parameters = inspect.signature(nx.utils.backends._registered_algorithms[name].orig_func).parameters
    given = {key: value for key, value in ARGUMENTS.items() if key in parameters and key not in OMITTED.get(name, ())}
    half = len(made) // 2
    if "S" in parameters:
        given["S"] = set(range(half))
    if "T" in parameters:
        given["T"] = set(range(half, len(made)))
    if "communities" in parameters:
        given["communities"] = [set(range(half)), set(range(half, len(made)))]
    if name == "greedy_color":
        given["strategy"] = "random_sequential"
    return given


def finished(result):
    """NetworkX's iterators are run to their ends."""
    return list(result) if hasattr(result, "__next__") else result


def seconds(call, repeat, before=lambda: None):
    best = float("inf")
    for _ in range(repeat):
        before()
        start = time.perf_counter()
        finished(call())
        best = min(best, time.perf_counter() - start)
    return best


def within(limit, call):
    """The seconds of the call and whether it ended within the limit."""
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        return call(), True
    except TooLong:
        return limit, False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def measured(name, made, given, chosen):
    """(seconds of NetworkX, whether it ended, seconds of the first and of a cached call, which of them are taken)"""
    function = nx.utils.backends._registered_algorithms[name]
    made.__networkx_cache__.clear()
    taken = [backend.should_run(name, (made,), given)]
    first, ended = within(chosen.limit, lambda: seconds(lambda: function(made, **given, backend="coppice"), chosen.repeat,
                                                        made.__networkx_cache__.clear))
    if not ended:
        raise TooLong
    cached, _ = within(chosen.limit, lambda: seconds(lambda: function(made, **given, backend="coppice"), chosen.repeat))
    taken.append(backend.should_run(name, (made,), given))
    plain, ended = within(chosen.limit, lambda: seconds(lambda: function.orig_func(made, **given), 1))
    if ended and plain < 0.1:
        plain = min(plain, seconds(lambda: function.orig_func(made, **given), chosen.repeat))
    return plain, ended, first, cached, taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION")
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--edges", type=int, default=100_000)
    parser.add_argument("--limit", type=float, default=20, help="seconds for the runs of one kind")
    parser.add_argument("--repeat", type=int, default=3)
    chosen = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    signal.signal(signal.SIGALRM, interrupted)
    graphs = {directed: made_graph(chosen.nodes, chosen.edges, directed) for directed in (False, True)}
    if unknown := set(chosen.functions) - _FUNCTIONS.keys():
        parser.error(f"{', '.join(sorted(unknown))} are no functions of the backend")
    misses = []
    print("| function | NetworkX, ms | first / NetworkX | cached / NetworkX | taken: first, cached |\n| --- | --- | --- | --- | --- |")
    for name in chosen.functions or sorted(_FUNCTIONS):
        made = graphs[_FUNCTIONS[name].directed is True]
        given = arguments_of(name, made)
        if not backend.can_run(name, (made,), given):
            print(f"| {name} | refused |", flush=True)
            continue
        try:
            plain, ended, first, cached, taken = measured(name, made, given, chosen)
        except Exception as error:  # the random graph does not suit the function, as in NetworkX
            print(f"| {name} | {type(error).__name__} |", flush=True)
            continue
        print(f"| {name} | {'' if ended else '> '}{1e3 * plain:.3g} | {'' if ended else '< '}{first / plain:.3g} | "
              f"{'' if ended else '< '}{cached / plain:.3g} | {', '.join('yes' if one else 'no' for one in taken)} |", flush=True)
        if ended and any(ratio > 1.2 * plain for ratio, one in zip((first, cached), taken) if one):
            misses.append(name)
    if misses:
        print("slower than 1.2 times NetworkX:", ", ".join(misses))
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
