// SPDX-License-Identifier: BSD-3-Clause
// Searches, components and PageRank over ranks, on the host and on devices.
#include <coppice/graph_parts.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Levels and parents from the definition: the smallest number of edges, the smallest vertex of the level before.
struct search_tree {
    std::vector<std::int32_t> levels, parents;
};
search_tree tree_by_definition(edge_rows const& g, int source) {
    auto const n = std::size_t(g.vertices());
    search_tree tree{std::vector<std::int32_t>(n, -1), std::vector<std::int32_t>(n, -1)};
    std::vector<int> queue{source};
    tree.levels[std::size_t(source)] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        auto const u = std::size_t(queue[i]);
        for (auto k = std::size_t(g.offsets[u]); k < std::size_t(g.offsets[u + 1]); ++k) {
            auto const v = std::size_t(g.columns[k]);
            if (tree.levels[v] < 0) {
                tree.levels[v] = tree.levels[u] + 1;
                queue.push_back(int(v));
            }
            if (tree.levels[v] == tree.levels[u] + 1 && (tree.parents[v] < 0 || tree.parents[v] > int(u)))
                tree.parents[v] = int(u);
        }
    }
    tree.parents[std::size_t(source)] = source;
    return tree;
}

/// The edges in the opposite direction; the rows descend.
edge_rows opposite_edges(edge_rows const& g) {
    edge_collector all(g.vertices());
    for (int u = 0; u < g.vertices(); ++u)
        for (auto k = std::size_t(g.offsets[std::size_t(u)]); k < std::size_t(g.offsets[std::size_t(u) + 1]); ++k)
            all.arc(g.columns[k], u, g.lengths[k]);
    auto rows = all.rows();
    for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v)
        std::reverse(rows.columns.begin() + rows.offsets[v], rows.columns.begin() + rows.offsets[v + 1]);
    return rows;
}

/// Levels of 1, 8, 100, 2 and 4 vertices, and others that are not reached. Levels 2 and 3 are pulled: the edges of
/// level 1 are many, and level 2 has more vertices. Level 4 is pushed, since level 3 is small.
edge_rows graph_of_pulled_levels() {
    constexpr int n = 130, hubs = 8, middle = 100;
    auto const vertex = [](int i) { return i * 37 % n; }; // so that every rank has vertices of most levels
    edge_collector all(n);
    for (int h = 1; h <= hubs; ++h) all.edge(vertex(0), vertex(h), 1);
    for (int i = 0; i < middle; ++i) {
        for (int const k : {0, 3, 5}) all.edge(vertex(1 + (i + k) % hubs), vertex(1 + hubs + i), 1);
        if (i % 5 == 0) all.edge(vertex(1 + hubs + i), vertex(1 + hubs + middle + i / 5 % 2), 1);
    }
    for (int i = 0; i < 4; ++i)
        for (int const k : {1, 2}) all.edge(vertex(hubs + middle + k), vertex(hubs + middle + 3 + i), 1);
    return all.rows();
}
/// The tree of graph_of_pulled_levels() from vertex 0 to level `max_depth`, if the rows of `incoming` descend: a pulled
/// vertex has the first of its neighbours in the level before as parent, which is the largest one.
search_tree pulled_tree_by_definition(edge_rows const& g, int max_depth) {
    auto tree = tree_by_definition(g, 0);
    for (std::size_t v = 0; v < tree.levels.size(); ++v) {
        if (tree.levels[v] > max_depth) {
            tree.levels[v] = tree.parents[v] = -1;
        } else if (tree.levels[v] == 2 || tree.levels[v] == 3) {
            for (auto k = std::size_t(g.offsets[v]); k < std::size_t(g.offsets[v + 1]); ++k) {
                auto const u = g.columns[k];
                if (tree.levels[std::size_t(u)] == tree.levels[v] - 1) tree.parents[v] = std::max(tree.parents[v], u);
            }
        }
    }
    return tree;
}

/// The smallest vertex of each component, by repeated passes over the edges.
std::vector<std::int32_t> labels_by_definition(edge_rows const& g) {
    std::vector<std::int32_t> labels(static_cast<std::size_t>(g.vertices()));
    for (std::size_t v = 0; v < labels.size(); ++v) labels[v] = std::int32_t(v);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t u = 0; u < labels.size(); ++u)
            for (auto k = std::size_t(g.offsets[u]); k < std::size_t(g.offsets[u + 1]); ++k) {
                auto& other = labels[std::size_t(g.columns[k])];
                if (other == labels[u]) continue;
                other = labels[u] = std::min(other, labels[u]);
                changed = true;
            }
    }
    return labels;
}

} // namespace

TEST_CASE_TEMPLATE("distributed searches: the bits of one executor", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    constexpr bool on_host = std::is_same_v<decltype(Fixture::exec()), host_executor>;
    for (bool const symmetric : {false, true})
        for_divided_graphs(symmetric, [&](edge_rows const& graph, std::vector<int> const& begin) {
            int const n = graph.vertices();
            for (int const source : on_host ? std::vector<int>{0, n / 2, n - 1} : std::vector<int>{n / 2}) {
                CAPTURE(source);
                auto const expected = paths_of_one(host_executor{1}, graph, source);
                auto const tree = tree_by_definition(graph, source);
                pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                    auto const found = paths_over_ranks(exec, comm, graph, begin, source);
                    CHECK(found.levels == tree.levels);
                    CHECK(found.parents == tree.parents);
                    CHECK(found.levels == expected.levels);
                    CHECK(found.parents == expected.parents);
                    CHECK(found.shallow_levels == expected.shallow_levels);
                    CHECK(found.distances == expected.distances);
                    CHECK(found.distances_with_delta == expected.distances_with_delta);
                    CHECK(found.path_parents == expected.path_parents);
                    CHECK(found == expected);
                });
            }
        });
}

TEST_CASE_TEMPLATE("distributed searches: parents of shortest paths along edges of positive length", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for (bool const positive : {true, false}) { // with lengths of 0, vertices of equal distance are parents
        CAPTURE(positive);
        auto graph = random_edges(150, 600, true, 2);
        if (positive)
            for (auto& length : graph.lengths) length += 0.25;
        auto const source = std::size_t(graph.columns[0]);
        auto const expected = paths_of_one(host_executor{1}, graph, vertex_id(source));
        bool ties = false;
        std::vector<std::int32_t> parents(expected.distances.size(), -1); // the smallest at a smaller distance
        for (std::size_t u = 0; u < parents.size(); ++u)
            for (auto k = std::size_t(graph.offsets[u]); k < std::size_t(graph.offsets[u + 1]); ++k) {
                auto const v = std::size_t(graph.columns[k]);
                double const from = expected.distances[u], to = expected.distances[v];
                if (!std::isfinite(from) || from + graph.lengths[k] != to) continue;
                ties = ties || (from == to && u != v);
                if (parents[v] < 0) parents[v] = std::int32_t(u);
            }
        parents[source] = std::int32_t(source);
        REQUIRE(ties == !positive);
        for (auto const& begin : divisions_of_vertices(graph.vertices()))
            pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                auto const found = paths_over_ranks(exec, comm, graph, begin, std::int64_t(source));
                CHECK(found.path_parents == expected.path_parents);
                if (positive) CHECK(found.path_parents == parents);
            });
    }
}

TEST_CASE_TEMPLATE("distributed searches: pulled levels", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for (bool const symmetric : {false, true})
        for_divided_graphs(symmetric, [&](edge_rows const& graph, std::vector<int> const& begin) {
            int const source = graph.vertices() / 3;
            auto const tree = tree_by_definition(graph, source);
            auto const depth = *std::max_element(tree.levels.begin(), tree.levels.end());
            auto const reached = std::count_if(tree.levels.begin(), tree.levels.end(), [](int l) { return l >= 0; });
            pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                auto const block = rows_of_rank(graph, begin, comm.rank());
                distributed_rows const rows(exec, comm, block.offsets, block.columns);
                auto const transposed = transpose_rows(distributed::set_up_executor(exec), comm, block);
                distributed_rows const incoming(exec, comm, transposed.offsets, transposed.columns);
                auto const r = bfs_distributed(exec, comm, rows, source, 1 << 20, symmetric ? &rows : &incoming);
                CHECK(concatenated(exec, comm, r.levels) == tree.levels);
                CHECK(concatenated(exec, comm, r.parents) == tree.parents);
                CHECK(r.depth == depth);
                CHECK(r.reached == reached);
            });
        });
}

TEST_CASE_TEMPLATE("distributed searches: a pulled level finds the first neighbour of a row", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    auto const graph = graph_of_pulled_levels();
    REQUIRE(pulled_tree_by_definition(graph, 9).parents != tree_by_definition(graph, 0).parents);
    for (auto const& begin : divisions_of_vertices(graph.vertices())) {
        CAPTURE(begin);
        for (int const max_depth : {0, 1, 2, 3, 4, 9}) { // the last level is pushed or pulled, or is not the last
            CAPTURE(max_depth);
            auto const tree = pulled_tree_by_definition(graph, max_depth);
            auto const reached = std::count_if(tree.levels.begin(), tree.levels.end(), [](int l) { return l >= 0; });
            pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                auto const block = rows_of_rank(graph, begin, comm.rank());
                distributed_rows const rows(exec, comm, block.offsets, block.columns);
                auto descending = block.columns;
                for (std::size_t i = 0; i + 1 < block.offsets.size(); ++i)
                    std::reverse(descending.begin() + block.offsets[i], descending.begin() + block.offsets[i + 1]);
                distributed_rows const incoming(exec, comm, block.offsets, descending);
                auto const r = bfs_distributed(exec, comm, rows, 0, max_depth, &incoming);
                CHECK(concatenated(exec, comm, r.levels) == tree.levels);
                CHECK(concatenated(exec, comm, r.parents) == tree.parents);
                CHECK(r.depth == std::min(max_depth, 4));
                CHECK(r.reached == reached);
            });
        }
    }
}

TEST_CASE_TEMPLATE("distributed searches: costs of exchanges do not affect the result", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    using distributed::search_costs;
    std::vector<named_edges> graphs{{"pulled levels", graph_of_pulled_levels()},
                                    {"random graph", random_edges(200, 500, true, 7)},
                                    {"directed graph", random_edges(200, 700, false, 8)},
                                    {"grid", grid_edges(12, 9)}};
    for (auto const& [name, graph] : graphs) {
        CAPTURE(name);
        auto const transposed = opposite_edges(graph);
        for (auto const& begin : divisions_of_vertices(graph.vertices())) {
            CAPTURE(begin);
            for (int const max_depth : {2, 3, 1 << 20})
                pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                    using exec_type = std::remove_cvref_t<decltype(exec)>;
                    auto const block = rows_of_rank(graph, begin, comm.rank());
                    auto const opposite = rows_of_rank(transposed, begin, comm.rank());
                    distributed_rows const rows(exec, comm, block.offsets, block.columns);
                    distributed_rows const incoming(exec, comm, opposite.offsets, opposite.columns);
                    auto const expected = bfs_distributed(exec, comm, rows, 0, max_depth, &incoming);
                    auto const levels = concatenated(exec, comm, expected.levels);
                    auto const parents = concatenated(exec, comm, expected.parents);
                    distributed::owned_graph<exec_type> const owned(exec, comm, rows);
                    // Messages for all pushed levels; values of all outer vertices; pulled instead of pushed levels.
                    for (auto const costs : {search_costs{-(1 << 20), 0}, search_costs{1 << 20, 0}, search_costs{0, 2},
                                             search_costs{0, 1000}}) {
                        CAPTURE(costs.messages);
                        CAPTURE(costs.sent_byte);
                        buffer<std::int32_t> start_levels(exec, owned.view().vertices);
                        buffer<std::uint32_t> start_parents(exec, owned.view().vertices);
                        for_each(exec, start_levels.size(),
                                 distributed::begin_search{owned.owns(0) ? 0 : -1, 0, start_levels.data(),
                                                           start_parents.data()});
                        distributed::level_search<exec_type> search(owned, std::move(start_levels),
                                                                    std::move(start_parents), costs);
                        search.run(distributed::every_edge{}, max_depth,
                                   distributed::level_pull<exec_type, std::int32_t>(owned, incoming));
                        CHECK(concatenated(exec, comm, search.levels()) == levels);
                        CHECK(concatenated(exec, comm, search.parents()) == parents);
                        CHECK(search.reached() == expected.reached);
                        CHECK(search.depth() == expected.depth);
                    }
                });
        }
    }
}

TEST_CASE_TEMPLATE("distributed searches: incoming edges of another number of vertices are an error", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    auto const graph = grid_edges(4, 5), larger = grid_edges(3, 7); // 20 and 21 vertices: rank 1 has another number
    auto const search = [&](auto const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(graph, {0, 10, 20}, comm.rank());
        auto const other = rows_of_rank(larger, {0, 10, 21}, comm.rank());
        distributed_rows const rows(exec, comm, block.offsets, block.columns);
        distributed_rows const incoming(exec, comm, other.offsets, other.columns);
        bfs_distributed(exec, comm, rows, 0, 9, &incoming);
    };
    CHECK_THROWS_AS(pool.run(2, search), dimension_error);
}

TEST_CASE_TEMPLATE("distributed searches: components have the labels of one executor", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for_divided_graphs(true, [&](edge_rows const& graph, std::vector<int> const& begin) {
        auto const one = connected_components(host_executor{1}, graph_view(graph.view()));
        auto const labels = labels_by_definition(graph);
        pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
            auto const found = components_over_ranks(exec, comm, graph, begin);
            CHECK(found.labels == labels);
            CHECK(found.labels == to_vector(host_executor{1}, one.labels));
            CHECK(found.components == one.components);
        });
    });
}

TEST_CASE_TEMPLATE("distributed searches: components of many pairs of trees", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for_divided_graphs(true, [&](edge_rows const& graph, std::vector<int> const& begin) {
        auto const labels = labels_by_definition(graph);
        pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
            using exec_type = std::remove_cvref_t<decltype(exec)>;
            auto const block = rows_of_rank(graph, begin, comm.rank());
            distributed_rows const rows(exec, comm, block.offsets, block.columns);
            distributed::owned_graph<exec_type> const owned(exec, comm, rows);
            for (std::int64_t const max_gathered : {0, 7, 1 << 20}) { // the contracted graph; either; gathered pairs
                CAPTURE(max_gathered);
                buffer<vertex_id> found(exec, owned.own());
                distributed::rank_trees<exec_type>(owned, max_gathered).label(found.data());
                CHECK(concatenated(exec, comm, found) == labels);
            }
        });
    });
}

TEST_CASE_TEMPLATE("distributed searches: components whose largest trees are found by some ranks", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    // Stars whose centres and leaves are on different ranks, connected by last edges of long rows or not at all.
    for (int const ranks : {2, 3, 4, 7})
        for (int const links : {0, 1, 2}) {
            CAPTURE(ranks);
            CAPTURE(links);
            int const size = 40, n = ranks * size;
            edge_collector all(n);
            for (int p = 0; p < ranks; ++p)
                for (int i = 1; i < size - 4; ++i) {
                    all.edge(p * size, p * size + i, 1);
                    if (i % 3 == 0) all.edge(p * size + i, p * size + i + 1, 1);
                }
            for (int p = 0; p + 1 < ranks; ++p) {
                if (links > 0) all.edge(p * size + 9, (p + 1) * size + 20, 1);       // of the largest trees
                if (links > 1) all.edge(p * size + size - 1, (p + 1) * size + 5, 1); // of a vertex outside of them
            }
            auto graph = all.rows();
            for (bool const descends : {false, true}) {
                if (descends)
                    for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v)
                        std::reverse(graph.columns.begin() + graph.offsets[v],
                                     graph.columns.begin() + graph.offsets[v + 1]);
                auto const labels = labels_by_definition(graph);
                pool.run(std::size_t(ranks), [&](auto const& exec, rank_communicator const& comm) {
                    CHECK(components_over_ranks(exec, comm, graph, equal_division(n, ranks)).labels == labels);
                });
            }
        }
}

TEST_CASE_TEMPLATE("distributed searches: long chains between ranks are one component", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    edge_collector two(sanitized ? 60 : 600); // two paths; every edge of them leads to another rank
    int const n = sanitized ? 60 : 600;
    auto const vertex = [&](int i) { return i % 5 * (n / 5) + i / 5; };
    for (int i = 0; i + 2 < n; ++i)
        if (i != n / 2) two.edge(vertex(i), vertex(i + 2), 1);
    auto const graph = two.rows();
    auto const labels = labels_by_definition(graph);
    auto const begin = equal_division(n, 5);
    pool.run(5, [&](auto const& exec, rank_communicator const& comm) {
        auto const found = components_over_ranks(exec, comm, graph, begin);
        CHECK(found.labels == labels);
        CHECK(found.components == 3);
    });
}

TEST_CASE_TEMPLATE("distributed searches: an edge that only one rank unites", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    // A chain over three ranks, from vertex 0 to a vertex of rank 0, which is connected to the centre of a larger star
    // on the other ranks. The edge to the chain is the last one of the centre.
    int const size = 120, n = 3 * size, centre = n - 1, length = 58;
    auto const in_chain = [&](int i) { return i % 3 * size + i / 3; };
    edge_collector both(n);
    for (int i = 0; i + 1 < length; ++i) both.edge(in_chain(i), in_chain(i + 1), 1);
    for (int v = size; v < centre; ++v)
        if (v % size > length / 3) both.edge(v, centre, 1);
    both.edge(in_chain(length - 1), centre, 1);
    REQUIRE(in_chain(length - 1) < size);
    auto graph = both.rows();
    std::reverse(graph.columns.begin() + graph.offsets[std::size_t(centre)], graph.columns.end());
    auto const labels = labels_by_definition(graph);
    pool.run(3, [&](auto const& exec, rank_communicator const& comm) {
        CHECK(components_over_ranks(exec, comm, graph, equal_division(n, 3)).labels == labels);
    });
}

TEST_CASE_TEMPLATE("distributed searches: PageRank is that of one executor up to rounding", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    for (bool const weighted : {false, true})
        for_divided_graphs(false, [&](edge_rows const& graph, std::vector<int> const& begin) {
            auto const expected = pagerank_of_one(host_executor{1}, graph, weighted);
            pool.run(begin.size() - 1, [&](auto const& exec, rank_communicator const& comm) {
                check_close(pagerank_over_ranks(exec, comm, graph, begin, weighted), expected);
            });
        });
}

TEST_CASE_TEMPLATE("distributed searches: algorithms by name", Fixture, COPPICE_TEST_EXECUTORS) {
    rank_pool<Fixture> pool;
    auto const graph = random_edges(200, 500, true, 5);
    auto const begin = equal_division(200, 3);
    auto const tree = tree_by_definition(graph, 3);
    auto const paths = paths_of_one(host_executor{1}, graph, 3);
    auto const labels = labels_by_definition(graph);
    analytics_options const options{.source = 3, .undirected = true, .tolerance = 1e-9};
    pool.run(3, [&](auto const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(graph, begin, comm.rank());
        auto const run = [&](char const* name) {
            CHECK(is_distributed_graph_algorithm(name));
            auto answer = run_graph_algorithm_distributed(exec, comm, name, block, options);
            CHECK(answer.failure.empty());
            return answer;
        };
        auto const values = [&](char const* name) {
            return concatenated(comm, std::get<graph_answer::values>(run(name).found));
        };
        CHECK(values("bfs") == std::vector<double>(tree.levels.begin(), tree.levels.end()));
        CHECK(values("sssp") == paths.distances);
        CHECK(concatenated(comm, std::get<graph_answer::vertex_numbers>(run("components").found)) ==
              std::vector<std::int64_t>(labels.begin(), labels.end()));
        auto const ranks = values("pagerank");
        CHECK(std::accumulate(ranks.begin(), ranks.end(), 0.0) == doctest::Approx(1));
        auto const counts = run_graph_algorithm_distributed(
            exec, comm, "triangles", rows_of_rank(simple_edges(graph), begin, comm.rank()), options);
        auto const triangles = concatenated(comm, std::get<graph_answer::values>(counts.found));
        CHECK(3 * counts.facts[0].second == std::accumulate(triangles.begin(), triangles.end(), 0.0));
        CHECK(counts.facts[0].second == double(triangles_of_one(host_executor{1}, simple_edges(graph)).total));
        auto const communities = run_graph_algorithm_distributed(
            exec, comm, "communities", rows_of_rank(summed_edges(graph), begin, comm.rank()), options);
        for (auto const& [key, value] : communities.facts)
            if (key == "modularity") CHECK(value == louvain(host_executor{1}, summed_edges(graph).view()).modularity);
        for (auto const& [key, value] : run("bfs").facts)
            CHECK(value == double(key == "depth" ? paths.depth : paths.reached));
    });
}
