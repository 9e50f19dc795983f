# SPDX-License-Identifier: BSD-3-Clause
"""Every function of the NetworkX backend against NetworkX, on random graphs of all kinds."""

import copy
import inspect
import itertools
import math
import random

import networkx as nx
import numpy as np
import pytest

from coppice.networkx_backend import _FUNCTIONS, backend

GRAPHS = 60


def plain(name):
    """NetworkX's own function, or its registered one where the package does not export it."""
    return nx.utils.backends._registered_algorithms[name].orig_func


def random_graph(seed):
    """Graphs of four classes with loops, isolated nodes and missing weights; every tenth is empty."""
    rng = random.Random(seed)
    G = [nx.Graph, nx.DiGraph, nx.Graph, nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph][seed % 6]()
    n = 0 if seed % 10 == 9 else rng.randint(1, 14)
    nodes = [f"n{k}" if seed % 4 == 3 else k for k in rng.sample(range(100), n)]
    G.add_nodes_from(((node, {"colour": rng.randint(0, 3), **({"community": rng.randint(0, 1)} if rng.random() < 0.9 else {})}) for node in nodes), tag=seed)
    G.graph["name"] = f"graph {seed}"
    weights = [[0, 1, 2, 5], [0.0, 0.5, 1.25, 0.1], [-1, 0, 3, 4], [1, 0.5, True, 3], [4], [2, -0.5, 1]][rng.randrange(6)]
    loops = seed % 3 == 0
    for _ in range(int(n * rng.uniform(0, 2.5))):
        u, v = rng.choice(nodes), rng.choice(nodes)
        if u != v or loops:
            G.add_edge(u, v, **({} if rng.random() < 0.2 else {"weight": rng.choice(weights)}), label=rng.random())
    if seed % 5 == 1:
        for _, _, data in G.edges(data=True):
            data.pop("weight", None)
    return G


def converted(G, name, options):
    """As NetworkX converts it for that call."""
    kept = nx.utils.backends._registered_algorithms[name]
    need = _FUNCTIONS[name]
    attribute = {"weight": 1} if name == "hits" else {options.get(need.weight, default_of(name)): need.default}
    attribute.pop(None, None)
    edges = kept.preserve_edge_attrs
    edges = options.get("data", True) if edges == "data" else edges is True
    if any(map(callable, attribute)):
        edges = True
    nodes = {options.get(need.node_attribute, "community"): None} if need.node_attribute else None
    return backend.convert_from_nx(G, edge_attrs=None if edges else attribute, preserve_edge_attrs=edges, node_attrs=nodes,
                                   preserve_node_attrs=kept.preserve_node_attrs, preserve_graph_attrs=kept.preserve_graph_attrs)


def converted_with_all(G):
    """With all attributes, and one that no function asks for; a graph that NetworkX cached may hold more than it needs."""
    keep = dict.fromkeys(("preserve_edge_attrs", "preserve_node_attrs", "preserve_graph_attrs"), True)
    return backend.convert_from_nx(G, edge_attrs={"weight": 1, "label": 0, "none has it": 1}, **keep)


def default_of(name):
    argument = _FUNCTIONS[name].weight
    return inspect.signature(plain(name)).parameters[argument].default if argument else None


def outcome(function, G, options):
    """(result, None), or (None, (type of the exception, message)). Every call draws the same random numbers."""
    try:
        found = function(G, **copy.deepcopy(options))
        return (list(found) if inspect.isgenerator(found) or hasattr(found, "__next__") else found), None
    except Exception as error:
        return None, (type(error), str(error))


def assert_same(found, expected):
    if isinstance(expected, nx.Graph):
        assert type(found) is type(expected)
        assert nx.utils.graphs_equal(found, expected)
    elif isinstance(expected, dict):
        assert type(found) is dict and found.keys() == expected.keys()
        for key in expected:
            assert_same(found[key], expected[key])
    elif isinstance(expected, np.ndarray):
        assert type(found) is np.ndarray and found.dtype == expected.dtype and np.array_equal(found, expected)
        assert found.flags.f_contiguous == expected.flags.f_contiguous
    elif hasattr(expected, "toarray"):
        assert type(found) is type(expected) and found.dtype == expected.dtype
        assert found.nnz == expected.nnz and np.array_equal(found.toarray(), expected.toarray())
        assert found.has_canonical_format
    elif isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for mine, its in zip(found, expected):
            assert_same(mine, its)
    elif isinstance(expected, float):
        assert type(found) in (int, float) and found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    else:
        assert type(found).__module__ == type(expected).__module__ and found == expected


def node_of(rng, nodes):
    return "absent" if rng.random() < 0.1 or not nodes else rng.choice(nodes)


def pairs_of(rng, nodes):
    return [tuple(rng.sample(nodes, 2)) for _ in range(6)] if len(nodes) > 1 else []


def distribution_of(rng, nodes):
    return {node: rng.randint(0, 3) for node in nodes if rng.random() < 0.7} or None


def sides_of(rng, nodes):
    """Two disjoint sets of nodes."""
    some = rng.sample(nodes, len(nodes))
    first, second = sorted([rng.randint(0, len(nodes)), rng.randint(0, len(nodes))])
    return some[:first], set(some[first:second])


def partition_of(rng, nodes):
    groups = {}
    for node in nodes:
        groups.setdefault(rng.randrange(3), set()).add(node)
    return list(groups.values())


def several_of(rng, nodes):
    """Some nodes in a list or a set, at times with one that is not there."""
    found = rng.sample(nodes, rng.randint(0, len(nodes))) + (["absent"] if rng.random() < 0.1 else [])
    return rng.choice([found, set(found)])


def none_or(make):
    return lambda rng, nodes: rng.choice([None, make(rng, nodes)])


def members_of(rng, nodes):
    return rng.sample(nodes, rng.randint(0, len(nodes)))


def matching_of(rng, nodes):
    """Disjoint pairs of nodes, as a set or a dict; whether the graph has these edges is left open."""
    some = rng.sample(nodes, len(nodes))
    pairs = list(zip(some[::2], some[1::2]))[:rng.randint(0, 2)] + ([("absent", some[0])] if some and rng.random() < 0.1 else [])
    return rng.choice([set(pairs), {**dict(pairs), **{v: u for u, v in pairs}}, pairs])


SIDES, SIDE_NAMES = ["in", "out", "in+out"], ("x", "y", "source", "target")
CUTS, LIMITS = [None, None, 0, 1, 2.5, -1, math.inf], [None, None, 0, 1, 2, 1.5]
OPTIONS = {
    "source": node_of, "target": node_of, "n": node_of,
    "cutoff": lambda rng, nodes: rng.choice(CUTS), "depth_limit": lambda rng, nodes: rng.choice(LIMITS),
    "weight": lambda rng, nodes: rng.choice(["weight", "weight", "weight", None, "none has it"]),
    "distance": lambda rng, nodes: rng.choice(["weight", None]), "radius": lambda rng, nodes: rng.choice([0, 1, 2, 1.5, 3]),
    "k": lambda rng, nodes: rng.choice([0, 1, 2, 3, 2.5]), "center": lambda rng, nodes: rng.random() < 0.7,
    "u": lambda rng, nodes: rng.choice([None, node_of(rng, nodes)]), "wf_improved": lambda rng, nodes: rng.random() < 0.6,
    "undirected": lambda rng, nodes: rng.random() < 0.3, "reverse": lambda rng, nodes: rng.random() < 0.3,
    "method": lambda rng, nodes: rng.choice(["dijkstra", "bellman-ford"]), "ebunch": pairs_of,
    "data": lambda rng, nodes: rng.random() < 0.7, "ignore_nan": lambda rng, nodes: rng.random() < 0.3,
    "personalization": distribution_of, "nstart": distribution_of, "dangling": distribution_of,
    "sources": lambda rng, nodes: rng.choice([node_of(rng, nodes), rng.sample(nodes, min(2, len(nodes)))]),
    "_s": node_of, "_t": node_of, "capacity": lambda rng, nodes: rng.choice(["weight", "weight", "none has it"]),
    "communities": partition_of, "resolution": lambda rng, nodes: rng.choice([1, 0.5, 2]), "v": node_of,
    "nodelist": none_or(several_of), "dtype": lambda rng, nodes: rng.choice([None, None, float, np.int32]),
    "nonedge": lambda rng, nodes: rng.choice([0.0, 0, -1.5]), "format": lambda rng, nodes: rng.choice(["csr", "csc", "dense?"]),
    "order": lambda rng, nodes: rng.choice([None, "C", "F"]), "row_order": members_of, "column_order": none_or(members_of),
    "nodes": none_or(members_of), "attribute": lambda rng, nodes: rng.choice(["colour", "community"]), "targets": members_of,
    "orientation": lambda rng, nodes: rng.choice([None, None, "original", "reverse", "ignore"]),
    "return_seen": lambda rng, nodes: rng.random() < 0.5, "matching": matching_of, "nbunch1": several_of,
    "nbunch2": none_or(several_of), "delta": lambda rng, nodes: rng.choice([0.001, 1, 0]),
    "alpha": lambda rng, nodes: rng.choice([0.85, 0.5, 0.02]), "normalized": lambda rng, nodes: rng.random() < 0.7,
}
# These arguments are left out, or have the only values that the backend takes.
FIXED = {
    "harmonic_centrality": {"sources": None}, "edge_betweenness_centrality": {"k": None},
    "has_eulerian_path": {"source": None},
    "eigenvector_centrality": {"nstart": None, "max_iter": 1000}, "katz_centrality": {"nstart": None, "alpha": 0.02}, "hits": {"nstart": None, "normalized": True},
    "betweenness_centrality_subset": {"weight": None}, "edge_boundary": {"data": False},
    "asyn_lpa_communities": {"weight": None},
    "fast_label_propagation_communities": {"weight": None},
}
# Calls of the 60 that must be answered, where fewer graphs are of the right kind.
FEWEST = {"hits": 4, "louvain_communities": 5, "leiden_communities": 5, "ego_graph": 10, "normalized_cut_size": 5,
          "conductance": 5, "schultz_index": 6, "gutman_index": 6}


def options_of(name, rng, nodes):
    options = {key: OPTIONS[key](rng, nodes) for key in _FUNCTIONS[name].signature.parameters if key in OPTIONS}
    if "metric" in inspect.signature(plain(name)).parameters:
        options["metric"] = "modularity"
    if name in ("single_source_dijkstra", "shortest_path_length", "multi_source_dijkstra", "predecessor") and rng.random() < 0.5:
        options["target"] = None
    if name == "shortest_path_length" and rng.random() < 0.3:
        options["source"] = None
    if name == "k_core" and rng.random() < 0.3:
        options["k"] = None
    if name == "descendants_at_distance":
        options["distance"] = rng.choice([0, 1, 2, 3, -1, 1.5])
    if name == "betweenness_centrality":
        options.update(k=rng.choice([None, rng.randint(1, 5)]), endpoints=rng.random() < 0.4, seed=random.Random(7))
        if options["weight"] is not None and rng.random() < 0.5:
            options.update(k=None, endpoints=False)
    if name == "efficiency":
        options["u"] = node_of(rng, nodes)
    if "S" in _FUNCTIONS[name].signature.parameters:
        options["S"], T = sides_of(rng, nodes)
        if "T" in _FUNCTIONS[name].signature.parameters:
            options["T"] = rng.choice([None, T])
    if name == "eccentricity":
        options["v"] = rng.choice([None, rng.sample(nodes, len(nodes) // 2), rng.choice(nodes) if nodes else None])
    if name == "multi_source_dijkstra_path_length":
        options["sources"] = rng.sample(nodes, min(2, len(nodes)))
    if name == "shortest_path_length" or name == "average_shortest_path_length":
        options["weight"] = rng.choice([None, "weight"])
    if name == "average_shortest_path_length":
        options.pop("method")
    if name == "reciprocity":
        options["nodes"] = rng.choice([None, rng.sample(nodes, len(nodes) // 2), rng.choice(nodes) if nodes else None])
    if name in ("node_degree_xy", "average_neighbor_degree", "average_degree_connectivity"):
        weights = {"weight": rng.choice([None, None, "weight"])}
        sides = {key: rng.choice(SIDES) for key in ("x", "y", "source", "target") if key in _FUNCTIONS[name].signature.parameters}
        options = {**{key: value for key, value in options.items() if key not in SIDE_NAMES}, **weights,
                   **(sides if rng.random() < 0.6 else {})}
    if name.startswith("multi_source_dijkstra"):
        options["sources"] = rng.choice([members_of, several_of])(rng, nodes)
    if name in ("dfs_edges", "dfs_tree", "dfs_predecessors", "dfs_successors", "dfs_labeled_edges", "dfs_preorder_nodes",
                "dfs_postorder_nodes"):
        options["source"] = rng.choice([None, options["source"]])
    if name in ("edge_dfs", "edge_bfs"):
        options["source"] = rng.choice([None, options["source"], members_of(rng, nodes)])
    if name == "bfs_labeled_edges":
        options["sources"] = rng.choice([members_of(rng, nodes), *nodes[:1]])
    if name == "betweenness_centrality_subset":
        options["sources"] = members_of(rng, nodes)
    if name == "is_simple_path":
        options["nodes"] = path_of(rng, nodes)
    if name == "square_clustering" and nodes and rng.random() < 0.3:
        options["nodes"] = rng.choice(nodes)
    if name == "biadjacency_matrix" and options["column_order"] is not None:
        options["column_order"] = [node for node in options["column_order"] if node not in options["row_order"]]
    if name == "greedy_color":
        options["strategy"] = rng.choice(["largest_first", "random_sequential"])
    if _FUNCTIONS[name].functions and options.get("weight") == "weight" and rng.random() < 0.3:
        options["weight"] = length_of
    return {**options, **FIXED.get(name, {})}


def length_of(u, v, data):
    """A weight that depends on the ends of the edge."""
    return data.get("weight", 1) + (str(u) < str(v))


def path_of(rng, nodes):
    return rng.sample(nodes, min(len(nodes), rng.randint(0, 3))) + (["absent"] if rng.random() < 0.1 else [])


def is_partition(G, sets):
    return sorted(map(str, itertools.chain.from_iterable(sets))) == sorted(map(str, G))


def check_matching(G, found, options):
    assert nx.is_maximal_matching(G, found) and type(found) is set
    assert all(edge in set(G.edges) for edge in found)


def check_independent_set(G, found, options):
    kind = type(plain("maximal_independent_set")(nx.path_graph(2), None, random.Random(1)))
    assert type(found) is kind and len(set(found)) == len(found)
    assert not G.subgraph(found).edges and nx.is_dominating_set(G, found)


def check_colouring(G, found, options):
    if options["strategy"] != "random_sequential":
        expected = plain("greedy_color")(G, options["strategy"])
        assert list(found.items()) == list(expected.items())
    assert found.keys() == set(G) and {type(colour) for colour in found.values()} <= {int}
    for u in G:  # greedy in some order: each smaller colour is at a neighbour
        others = {found[v] for v in G[u] if v != u}
        assert found[u] not in others and others >= set(range(found[u]))


def check_communities(G, found, options):
    assert type(found) is list and is_partition(G, found)
    weight, resolution = options.get("weight", "weight"), options.get("resolution", 1)
    if G.size(weight) > 0:
        best = max(nx.community.modularity(G, plain("louvain_communities")(G, weight, resolution, seed=random.Random(seed)),
                                           weight, resolution) for seed in range(3))
        assert nx.community.modularity(G, found, weight, resolution) >= best - 0.15 * abs(best) - 0.02


def check_connected_communities(G, found, options):
    check_communities(G, found, options)
    assert all(nx.is_connected(G.subgraph(group)) for group in found)


def check_propagated(G, found, options):
    assert is_partition(G, found)
    label = {node: k for k, group in enumerate(found) for node in group}
    for node in G:
        counts = [sum(label[v] == k for v in G[node]) for k in range(len(found))]
        assert counts[label[node]] == max(counts)


def check_hubs(G, found, options):
    """NetworkX takes any singular vector of a largest singular value; only one that is alone has digits to compare."""
    values = np.linalg.svd(nx.to_numpy_array(G, weight=None), compute_uv=False)
    if len(values) > 1 and values[1] < 0.99 * values[0]:
        expected = plain("hits")(G)
        for mine, its in zip(found, expected):
            assert mine.keys() == its.keys() and all(mine[node] == pytest.approx(its[node], abs=1e-7) for node in G)


def check_flow(G, found, options):
    value, flows = found
    s, t, capacity = options["_s"], options["_t"], options.get("capacity", "capacity")
    expected = plain("maximum_flow_value")(G, s, t, capacity=capacity)
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-12) and type(value) in (int, float)
    assert {u: list(row) for u, row in flows.items()} == {u: list(G[u]) for u in G}
    outflow = dict.fromkeys(G, 0)
    for u, v, data in ((u, v, G[u][v]) for u in flows for v in flows[u]):
        flow = flows[u][v]
        assert 0 <= flow <= data.get(capacity, math.inf)
        assert flow == 0 or G.is_directed() or u == v or flows[v][u] == 0
        outflow[u] += flow
        outflow[v] -= flow
    for u in G:
        assert outflow[u] == pytest.approx({s: value, t: -value}.get(u, 0), rel=1e-9, abs=1e-9)


CONTRACTS = {
    "maximal_matching": check_matching, "maximal_independent_set": check_independent_set, "greedy_color": check_colouring,
    "louvain_communities": check_communities, "leiden_communities": check_connected_communities,
    "asyn_lpa_communities": check_propagated, "maximum_flow": check_flow,
    "fast_label_propagation_communities": check_propagated, "hits": check_hubs,
}


@pytest.mark.parametrize("name", sorted(_FUNCTIONS))
def test_random_graphs(name):
    answered = 0
    for seed in range(GRAPHS):
        G = random_graph(seed)
        options = options_of(name, random.Random(seed), list(G))
        if not backend.can_run(name, (G,), options):
            continue
        answered += 1
        before = nx.to_dict_of_dicts(G)
        found, failure = outcome(getattr(backend, name), converted(G, name, options), options)
        again, _ = outcome(getattr(backend, name), converted_with_all(G), options)
        assert nx.to_dict_of_dicts(G) == before
        if failure is None:
            assert_same(again, found)
        if name in CONTRACTS and (failure is None or name != "maximum_flow"):
            assert failure is None, (seed, options)
            CONTRACTS[name](G, found, options)
            continue
        expected, its_failure = outcome(plain(name), G, options)
        assert failure == its_failure, (seed, options)
        try:
            assert_same(found, expected)
        except AssertionError:
            raise AssertionError(f"graph {seed}, {options}: {found!r}, expected {expected!r}") from None
    assert answered >= FEWEST.get(name, 8), f"{answered} of {GRAPHS} calls are answered"


def infinite_capacities(seed):
    """Networks in which some edges have no capacity, so that it is infinite."""
    rng = random.Random(seed)
    G = rng.choice([nx.Graph, nx.DiGraph])()
    G.add_nodes_from(range(8))
    for _ in range(14):
        u, v = rng.randrange(8), rng.randrange(8)
        G.add_edge(u, v, **({} if rng.random() < 0.3 else {"capacity": rng.choice([0, 1, 2, 7])}))
    return G


@pytest.mark.parametrize("name", ["maximum_flow", "maximum_flow_value", "minimum_cut_value", "minimum_cut"])
def test_infinite_capacities(name):
    failures = []
    for seed in range(GRAPHS):
        G = infinite_capacities(seed)
        assert backend.can_run(name, (G, 0, 7), {})
        found, failure = outcome(lambda G: getattr(backend, name)(converted(G, name, {}), 0, 7), G, {})
        expected, its_failure = outcome(lambda G: plain(name)(G, 0, 7), G, {})
        assert failure == its_failure, seed
        if name == "maximum_flow" and failure is None:
            check_flow(G, found, {"_s": 0, "_t": 7})
        else:
            assert_same(found, expected)
        failures.append(failure)
    assert 5 < sum(failure is not None for failure in failures) < 55


# Arguments that only later versions of NetworkX have.
NEWER = {"closeness_centrality": {"sp"}, "hits": {"method"}, "leiden_communities": {"metric", "theta"}}


def test_arguments_are_those_of_networkx():
    for name, need in _FUNCTIONS.items():
        mine, its = need.signature.parameters, inspect.signature(plain(name)).parameters
        assert its.keys() - mine.keys() <= NEWER.get(name, set())
        assert {key: p.default for key, p in mine.items()} == {key: its[key].default for key in its if key in mine}
        in_order = [key for key, p in its.items() if p.kind != inspect.Parameter.KEYWORD_ONLY and key in mine]
        assert in_order == list(mine)[:len(in_order)]


def test_arguments_and_defaults_of_other_versions(monkeypatch):
    def refused(name, options, **parameters):
        """Whether a call is refused, and that of the backend has its result, if NetworkX has these arguments."""
        need = _FUNCTIONS[name]
        its = [need.signature.parameters["G"], *(inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=default)
                                                 for key, default in parameters.items())]
        monkeypatch.setitem(need.__dict__, "of_networkx", inspect.Signature(its))
        G = nx.path_graph(5)
        if backend.can_run(name, (G,), options):
            return getattr(backend, name)(converted(G, name, {}), **options)
        with pytest.raises(NotImplementedError):
            getattr(backend, name)(converted(G, name, {}), **options)
        return True

    closeness = {"u": None, "distance": None, "wf_improved": True, "sp": None}
    expected = plain("closeness_centrality")(nx.path_graph(5))
    assert refused("closeness_centrality", {}, **closeness) == expected
    assert refused("closeness_centrality", {"sp": None}, **closeness) == expected
    assert refused("closeness_centrality", {"sp": {}}, **closeness) is True
    assert refused("closeness_centrality", {}, **(closeness | {"u": 2})) == expected[2]  # another default
    leiden = {"weight": "weight", "resolution": 1.0, "max_level": None, "seed": None, "metric": "cpm", "theta": 0.01}
    assert refused("leiden_communities", {}, **leiden) is True  # another measure of quality
    found = refused("leiden_communities", {"metric": "modularity"}, **leiden)
    assert sorted(itertools.chain.from_iterable(found)) == list(range(5))
    assert refused("leiden_communities", {"metric": "modularity", "theta": 0.5}, **leiden) is True


@pytest.mark.parametrize("directed", [False, True])
def test_every_function_through_networkx(directed):
    """NetworkX converts with the attributes that it thinks a function reads, and keeps the converted graph."""
    if "coppice" not in nx.config.backends:
        pytest.skip("the package is not installed with its entry points")
    nx.config.warnings_to_ignore.add("cache")
    G = nx.gnp_random_graph(20, 0.2, seed=3, directed=directed)
    nx.set_edge_attributes(G, {edge: 1 + sum(edge) % 4 for edge in G.edges}, "weight")
    reached = 0
    for name in sorted(_FUNCTIONS):
        options = {key: value for key, value in options_of(name, random.Random(5), list(G)).items() if value is not None}
        if not backend.can_run(name, (G,), options):
            continue
        reached += 1
        call = nx.utils.backends._registered_algorithms[name]
        found, failure = outcome(lambda G, **options: call(G, backend="coppice", **options), G, options)
        if name in CONTRACTS:
            CONTRACTS[name](G, found, options)
            continue
        expected, its_failure = outcome(plain(name), G, options)
        assert failure == its_failure, name
        assert_same(found, expected)
    assert reached > 50
    assert len(nx.community.louvain_communities(nx.barbell_graph(5, 0), backend="coppice")) == 2
    assert len(nx.maximal_independent_set(nx.star_graph(4), [1], backend="coppice")) == 4
    with pytest.raises(NotImplementedError):
        nx.maximal_independent_set(nx.star_graph(4), seed=1, backend="coppice")
