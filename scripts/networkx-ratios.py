#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Times of the NetworkX backend over those of NetworkX, for every function of the backend.

usage: scripts/networkx-ratios.py [--nodes 20000] [--edges 100000] [--limit 20] [--repeat 3] [--record FILE] [FUNCTION...]
       scripts/networkx-ratios.py --page [--record FILE]

A random graph with weights, directed where the function needs it, its largest component or without cycles where it needs that;
arguments as in the table ARGUMENTS. "first" is a call with the
conversion of the graph, "cached" one on the graph that NetworkX keeps; both are given over NetworkX's time, the least of several
runs. "taken" says whether the backend takes the first and the cached call if NetworkX may choose (`should_run`). Functions
that NetworkX does not finish within the limit are shown with the limit as NetworkX's time, as "<"; "TooLong": the backend does not
finish either (distances of all pairs are 4e8 objects). A call that is taken and
slower than 1.2 times NetworkX is a miss: exit code 1.

--record stores the figures in a JSON file, in place of those of the same functions that it has, so that doubtful ones can be
measured again. --page measures nothing and writes the table of docs/results/networkx.md from the
record (default: bench/results/networkx.json).
"""
import argparse
import datetime
import inspect
import json
import pathlib
import platform
import random
import re
import signal
import sys
import textwrap
import time

import networkx as nx

from coppice.networkx_backend import _FUNCTIONS, backend

ARGUMENTS = {"source": 0, "target": 1, "n": 0, "v": 5, "u": 3, "k": 3, "_s": 0, "_t": 1, "distance": 2, "radius": 2,
             "capacity": "weight", "sources": [0, 1], "ebunch": [(k, k + 7) for k in range(1000)]}
# Arguments that are left out although they are in ARGUMENTS.
OMITTED = {"closeness_centrality": {"u", "distance"}, "harmonic_centrality": {"sources", "distance"}, "k_core": {"k"},
           "betweenness_centrality": {"k"}, "edge_betweenness_centrality": {"k"}, "eccentricity": {"v"}, "k_shell": {"k"},
           "average_neighbor_degree": {"source", "target"}, "average_degree_connectivity": {"source", "target"},
           "predecessor": {"target"}, "multi_source_dijkstra": {"target"}, "ego_graph": {"distance"}, "has_eulerian_path": {"source"}}
CONNECTED = {"average_shortest_path_length", "center", "diameter", "eccentricity", "gutman_index", "harmonic_diameter", "periphery", "radius",
             "schultz_index", "wiener_index"}
ACYCLIC = {"dag_longest_path_length", "topological_generations", "topological_sort"}
UNWEIGHTED = {"hits"}
# Other arguments of some functions.
SPECIAL = {
    "greedy_color": lambda G: {"strategy": "largest_first"}, "is_simple_path": lambda G: {"nodes": nx.shortest_path(G, 0, 1)},
    "to_numpy_array": lambda G: {"nodelist": list(range(2000))}, "node_attribute_xy": lambda G: {"attribute": "community"},
    "biadjacency_matrix": lambda G: {"row_order": list(range(len(G) // 2))},
    **dict.fromkeys(("is_matching", "is_perfect_matching", "is_maximal_matching"),
                    lambda G: {"matching": nx.maximal_matching(nx.Graph(G))}),
    **dict.fromkeys(("edge_boundary", "node_boundary"), lambda G: {"nbunch1": list(range(len(G) // 2))}),
    "katz_centrality": lambda G: {"alpha": 0.01},
    "betweenness_centrality_subset": lambda G: {"targets": list(range(100))},
}
RECORD = pathlib.Path(__file__).resolve().parent.parent / "bench" / "results" / "networkx.json"
PAGE = RECORD.parent.parent.parent / "docs" / "results" / "networkx.md"
MARKS = "<!-- begin networkx ratios -->\n", "<!-- end networkx ratios -->"


class TooLong(Exception):
    """A call takes longer than the limit."""


def interrupted(*_):
    raise TooLong


def made_graph(nodes, edges, directed):
    """The same graph for every run."""
    random.seed(3)
    made = nx.gnm_random_graph(nodes, edges, seed=3, directed=directed)
    nx.set_edge_attributes(made, {edge: 1 + (sum(edge) * 7919) % 10 for edge in made.edges}, "weight")
    nx.set_node_attributes(made, {node: node % 5 for node in made}, "community")
    return made


def graph_for(name, graphs):
    """The kind of random graph that the function needs; all kinds are made of two graphs, and kept in `graphs`."""
    directed = _FUNCTIONS[name].directed is True
    kind = next((kind for kind, names in (("connected", CONNECTED), ("acyclic", ACYCLIC), ("unweighted", UNWEIGHTED)) if name in names),
                directed)
    if kind not in graphs:
        made = graphs[False].copy()
        if kind == "connected":
            made = made.subgraph(max(nx.connected_components(made), key=len)).copy()
        elif kind == "acyclic":
            made = nx.DiGraph((min(edge), max(edge), {"weight": weight}) for *edge, weight in made.edges(data="weight"))
        else:
            for _, _, data in made.edges(data=True):
                data.clear()
        graphs[kind] = made
    return graphs[kind]


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
    if "seed" in parameters:  # what NetworkX passes for no seed
        given["seed"] = random._inst
    return {**given, **(SPECIAL[name](made) if name in SPECIAL else {})}


def finished(result):
    """NetworkX's iterators are run to their ends."""
    return list(result) if hasattr(result, "__next__") else result


def seconds(call, repeat, before=lambda: None):
    """The smallest time of some runs; of one that takes more than a second there are no more."""
    best = float("inf")
    for _ in range(repeat):
        before()
        start = time.perf_counter()
        finished(call())
        best = min(best, time.perf_counter() - start)
        if best > 1:
            break
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


def measured_row(name, made, chosen):
    """The figures of a function as they are stored: times in milliseconds, or the reason why there are none."""
    with nx.config(backend_priority=[]):
        given = arguments_of(name, made)
    if not backend.can_run(name, (made,), given):
        return {"without": "refused"}
    try:
        plain, ended, first, cached, taken = measured(name, made, given, chosen)
    except Exception as error:  # the random graph does not suit the function, as in NetworkX
        return {"without": type(error).__name__}
    return {"networkx": 1e3 * plain, "ended": ended, "first": 1e3 * first, "cached": 1e3 * cached, "taken": taken}


def line(name, row):
    if "without" in row:
        return f"| `{name}` | {row['without']} |"
    plain, sign = row["networkx"], "" if row["ended"] else "< "
    return (f"| `{name}` | {'' if row['ended'] else '> '}{plain:.3g} | {sign}{row['first'] / plain:.2g} | "
            f"{sign}{row['cached'] / plain:.2g} | {', '.join('yes' if one else 'no' for one in row['taken'])} |")


HEAD = "| function | NetworkX, ms | first / NetworkX | cached / NetworkX | taken: first, cached |\n| --- | --- | --- | --- | --- |"


def is_miss(row):
    return row.get("ended", False) and any(row[key] > 1.2 * row["networkx"] for key, one in zip(("first", "cached"), row["taken"]) if one)


def write_page(file):
    record = json.loads(file.read_text())
    rows = record["functions"]
    with_times = {name: row for name, row in rows.items() if "without" not in row}
    ended = [row for row in with_times.values() if row["ended"]]
    taken = [row for row in ended if row["taken"][1]]
    summary = (f"{record['nodes']:,} nodes, {record['edges']:,} edges, {record['date']}, NetworkX {record['networkx']}, CPython "
            f"{record['python']}. {len(with_times)} of {len(rows)} functions have figures. NetworkX ends {len(ended)} of them within "
            f"the limit; a cached call takes at most 0.1 of its time for {sum(r['cached'] <= 0.1 * r['networkx'] for r in ended)} "
            f"({sum(r['cached'] <= 0.1 * r['networkx'] for r in taken)} of the {len(taken)} that `should_run` takes), a first call at "
            f"most 0.5 for {sum(r['first'] <= 0.5 * r['networkx'] for r in ended)}; calls that are taken and slower than 1.2 times "
            f"NetworkX: {sum(map(is_miss, ended))}.")
    text = [textwrap.fill(summary, 127), "", HEAD]
    text += [line(name, rows[name]) for name in sorted(with_times)]
    without = ", ".join(f"`{name}` ({row['without']})" for name, row in sorted(rows.items()) if name not in with_times)
    text += ["", textwrap.fill(f"Without figures: {without}.", 127)]
    page = PAGE.read_text()
    PAGE.write_text(re.sub(f"(?s){MARKS[0]}.*{MARKS[1]}", lambda _: MARKS[0] + "\n".join(text) + "\n" + MARKS[1], page))


def store(file, chosen, found):
    before = json.loads(file.read_text())["functions"] if file.exists() else {}
    rows = {**before, **found}
    head = {"nodes": chosen.nodes, "edges": chosen.edges, "date": datetime.date.today().isoformat(), "networkx": nx.__version__,
            "python": platform.python_version()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(shortened(rows[name]))}" for name in sorted(rows))
    file.write_text(f'{json.dumps(head)[:-1]}, "functions": {{\n{lines}\n}}}}\n')


def shortened(row):
    return {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in row.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION")
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--edges", type=int, default=100_000)
    parser.add_argument("--limit", type=float, default=20, help="seconds for the runs of one kind")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    if chosen.page:
        write_page(chosen.record or RECORD)
        return 0
    nx.config.warnings_to_ignore.add("cache")
    signal.signal(signal.SIGALRM, interrupted)
    graphs = {directed: made_graph(chosen.nodes, chosen.edges, directed) for directed in (False, True)}
    if unknown := set(chosen.functions) - _FUNCTIONS.keys():
        parser.error(f"{', '.join(sorted(unknown))} are no functions of the backend")
    found = {}
    print(HEAD)
    for name in chosen.functions or sorted(_FUNCTIONS):
        found[name] = measured_row(name, graph_for(name, graphs), chosen)
        print(line(name, found[name]), flush=True)
        if chosen.record:
            store(chosen.record, chosen, {name: found[name]})
    if misses := [name for name, row in found.items() if is_miss(row)]:
        print("slower than 1.2 times NetworkX:", ", ".join(misses))
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
