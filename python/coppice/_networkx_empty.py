# SPDX-License-Identifier: BSD-3-Clause
"""What functions of the NetworkX backend return for a graph without nodes, as NetworkX defines it."""

from __future__ import annotations


def _raises(name, message):
    def call(G):
        import networkx

        raise getattr(networkx, name)(message)

    return call


def _constant(value):
    return lambda G: value


def _nothing(G):
    return iter(())


def _no_values(G):
    return {}


_UNCONNECTED = _raises("NetworkXPointlessConcept", "Connectivity is undefined for the null graph.")
_NO_NODES = _raises("NetworkXPointlessConcept", "G has no nodes.")
_NO_EDGES = _raises("NetworkXError", "Not defined for empty graphs")

OF_EMPTY_GRAPHS = {
    **dict.fromkeys(("articulation_points", "biconnected_components", "bridges", "connected_components", "isolates",
                     "maximum_spanning_edges", "minimum_spanning_edges", "strongly_connected_components",
                     "topological_generations", "topological_sort", "weakly_connected_components", "edge_dfs", "edge_bfs",
                     "node_degree_xy", "node_attribute_xy"), _nothing),
    **dict.fromkeys(("betweenness_centrality", "clustering", "core_number", "degree_centrality", "edge_betweenness_centrality",
                     "greedy_color", "harmonic_centrality", "in_degree_centrality", "katz_centrality", "out_degree_centrality",
                     "pagerank", "triangles", "square_clustering", "average_neighbor_degree", "average_degree_connectivity"),
                    _no_values),
    **dict.fromkeys(("is_connected", "is_eulerian", "is_semiconnected", "is_semieulerian", "is_strongly_connected",
                     "is_weakly_connected", "wiener_index", "gutman_index", "schultz_index", "has_eulerian_path"), _UNCONNECTED),
    **dict.fromkeys(("is_arborescence", "is_branching", "is_forest", "is_tree"), _NO_NODES),
    **dict.fromkeys(("has_bridges", "has_cycle", "is_biconnected", "is_attracting_component", "negative_edge_cycle"), _constant(False)),
    **dict.fromkeys(("dag_longest_path_length", "global_efficiency", "number_attracting_components",
                     "number_connected_components", "number_of_isolates", "number_of_selfloops",
                     "number_strongly_connected_components", "number_weakly_connected_components", "transitivity"),
                    _constant(0)),
    **dict.fromkeys(("is_bipartite", "is_k_regular", "is_empty"), _constant(True)),
    "average_shortest_path_length": _raises("NetworkXPointlessConcept", "the null graph has no paths, thus there is no average "
                                            "shortest path length"),
    "eigenvector_centrality": _raises("NetworkXPointlessConcept", "cannot compute centrality for the null graph"),
    "flow_hierarchy": _raises("NetworkXError", "flow_hierarchy not applicable to empty graphs"),
    "is_directed_acyclic_graph": lambda G: G.is_directed(),
    "is_regular": _raises("NetworkXPointlessConcept", "Graph has no nodes."),
    "maximal_matching": lambda G: set(),
    "overall_reciprocity": _NO_EDGES,
    "s_metric": _constant(0.0),
    "to_scipy_sparse_array": _raises("NetworkXError", "Graph has no nodes or edges"),
}
# These are not in the table: they go through the nodes or read the source first.
_NATURAL = {
    "all_pairs_bellman_ford_path_length", "all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length",
    "all_pairs_shortest_path", "all_pairs_shortest_path_length", "to_numpy_array",
}


def answers_empty_graphs(name, need):
    return name in OF_EMPTY_GRAPHS or name in _NATURAL or (bool(need.node) and name not in ("closeness_centrality", "ego_graph"))
