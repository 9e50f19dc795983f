// SPDX-License-Identifier: BSD-3-Clause
/// \file
/// Graphs that are divided among ranks, and bodies of tests that run on ranks of one process and on processes of MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <coppice/algebra/operations.hpp>
#include <coppice/communities.hpp>
#include <coppice/graph_parts.hpp>

#include "support/affine.hpp"
#include "support/sanitized.hpp"

namespace coppice::test {

/// Edges by the vertices that they leave, with lengths; rows are sorted.
struct edge_rows {
    std::vector<std::int32_t> offsets{0}, columns{};
    std::vector<double> lengths{};
    int vertices() const { return int(offsets.size()) - 1; }
    csr_view<double> view() const {
        return {vertices(), vertices(), offsets.back(), offsets.data(), columns.data(), lengths.data()};
    }
};

struct named_edges {
    std::string name;
    edge_rows edges;
};

/// Collects edges, also parallel ones.
class edge_collector {
public:
    explicit edge_collector(int vertices) : rows_(static_cast<std::size_t>(vertices)) {}
    void arc(int u, int v, double length) { rows_[std::size_t(u)].emplace_back(v, length); }
    void edge(int u, int v, double length) {
        arc(u, v, length);
        if (u != v) arc(v, u, length);
    }
    edge_rows rows() {
        edge_rows all;
        for (auto& row : rows_) {
            std::stable_sort(row.begin(), row.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
            for (auto const& [v, length] : row) all.columns.push_back(v), all.lengths.push_back(length);
            all.offsets.push_back(int(all.columns.size()));
        }
        return all;
    }

private:
    std::vector<std::vector<std::pair<int, double>>> rows_;
};

/// A random graph with loops, parallel edges and lengths from 0 to 3; every fifth vertex is isolated.
inline edge_rows random_edges(int vertices, int count, bool symmetric, unsigned seed) {
    std::mt19937 random(seed);
    edge_collector all(vertices);
    auto const vertex = [&] {
        int const v = int(random() % unsigned(vertices));
        return v % 5 == 4 && vertices > 4 ? v - 1 : v;
    };
    for (int k = 0; k < count; ++k) {
        int const u = vertex(), v = random() % 16 == 0 ? u : vertex();
        double const length = double(random() % 13) / 4;
        for (unsigned times = 0; times < 1 + (random() % 8 == 0); ++times)
            symmetric ? all.edge(u, v, length) : all.arc(u, v, length);
    }
    return all.rows();
}
/// A path whose vertices have random numbers, so that it changes ranks at nearly every edge.
inline edge_rows shuffled_path(int vertices, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order(static_cast<std::size_t>(vertices));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    edge_collector all(vertices);
    for (std::size_t i = 1; i < order.size(); ++i) all.edge(order[i - 1], order[i], double(i % 3) / 7);
    return all.rows();
}
inline edge_rows grid_edges(int nx, int ny) {
    edge_collector all(nx * ny);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            if (x + 1 < nx) all.edge(y * nx + x, y * nx + x + 1, 1 + (x * 7 + y) % 5 * .3);
            if (y + 1 < ny) all.edge(y * nx + x, (y + 1) * nx + x, (x + y * 3) % 4 * .7);
        }
    return all.rows();
}

/// Undirected graphs, or directed ones.
inline std::vector<named_edges> graphs_for_ranks(bool symmetric) {
    std::vector<named_edges> all;
    all.push_back({"one vertex", edge_collector(1).rows()});
    edge_collector loop(1);
    loop.edge(0, 0, 2.0);
    all.push_back({"a loop", loop.rows()});
    all.push_back({"no edge", edge_collector(9).rows()});
    edge_collector star(40);
    for (int v = 0; v < 40; ++v)
        if (v != 17) star.edge(17, v, v % 2);
    all.push_back({"star", star.rows()});
    if (symmetric && !sanitized) all.push_back({"shuffled path", shuffled_path(300, 3)});
    if (symmetric) all.push_back({"grid", grid_edges(31, 17)});
    for (int const n : sanitized ? std::vector<int>{20} : std::vector<int>{3, 20, 150, 700})
        for (unsigned const seed : {1u, 2u})
            all.push_back({"random graph of " + std::to_string(n) + " vertices",
                           random_edges(n, n * (seed == 1 ? 1 : 4), symmetric, seed)});
    return all;
}

/// First vertex of each rank, [ranks + 1]: equal blocks.
inline std::vector<int> equal_division(int vertices, int ranks) {
    std::vector<int> begin;
    for (int p = 0; p <= ranks; ++p) begin.push_back(int(std::int64_t(vertices) * p / ranks));
    return begin;
}
/// Equal blocks of 1, 2, 4 and 7 ranks (with sanitizers, of 1 and 4), ranks without vertices, and more ranks than
/// vertices.
inline std::vector<std::vector<int>> divisions_of_vertices(int n) {
    std::vector<std::vector<int>> all;
    for (int const ranks : sanitized ? std::vector<int>{1, 4} : std::vector<int>{1, 2, 4, 7})
        all.push_back(equal_division(n, ranks));
    all.push_back({0, 0, n / 3, n / 3, n, n});
    all.push_back({0, std::min(1, n), n});
    return all;
}

/// Calls check(graph, division) for all graphs and divisions.
template <class Check>
void for_divided_graphs(bool symmetric, Check const& check) {
    for (auto const& graph : graphs_for_ranks(symmetric)) {
        CAPTURE(graph.name);
        for (auto const& begin : divisions_of_vertices(graph.edges.vertices())) {
            CAPTURE(begin);
            check(graph.edges, begin);
        }
    }
}

template <class T = double>
row_block<T> rows_of_rank(edge_rows const& all, std::vector<int> const& begin, int rank) {
    int const first = begin[std::size_t(rank)], last = begin[std::size_t(rank) + 1];
    int const from = all.offsets[std::size_t(first)], to = all.offsets[std::size_t(last)];
    row_block<T> block{first,
                       all.vertices(),
                       all.vertices(),
                       {all.offsets.begin() + first, all.offsets.begin() + last + 1},
                       {all.columns.begin() + from, all.columns.begin() + to},
                       {all.lengths.begin() + from, all.lengths.begin() + to}};
    for (auto& offset : block.offsets) offset -= from;
    return block;
}

/// Concatenates the blocks of all ranks.
template <class Values>
auto concatenated(rank_communicator const& comm, Values const& block) {
    std::vector<std::remove_cvref_t<decltype(*block.begin())>> all;
    for (auto const& of_rank : comm.gather(decltype(all)(block.begin(), block.end())))
        all.insert(all.end(), of_rank.begin(), of_rank.end());
    return all;
}

/// The elements of all ranks of a vector in memory of the executor.
template <class Executor, class T>
std::vector<T> concatenated(Executor const& exec, rank_communicator const& comm, buffer<T> const& block) {
    return concatenated(comm, to_vector(exec, block));
}

// ---- products ----

struct product_answers {
    std::vector<affine_map<>> maps{};      ///< composition of the maps of each row, which does not commute
    std::vector<float> nearest{};          ///< (min, +)
    std::vector<double> heaviest{}, sum{}; ///< column of the largest product; usual product
    bool operator==(product_answers const&) const = default;
};

inline affine_map<> map_of_edge(int column, double length) {
    return {std::uint32_t(column * 31 + 7), std::uint32_t(length * 4 + 1)};
}
inline float element(std::int64_t i) { return float((i * 7919 + 13) % 101) / 4; }

/// G and O: types of columns and offsets.
template <class G, class O>
product_answers products_over_ranks(host_executor const& exec, rank_communicator const& comm, edge_rows const& graph,
                                    std::vector<int> const& begin) {
    auto const block = rows_of_rank(graph, begin, comm.rank());
    distributed_rows const rows(exec, comm, std::vector<O>(block.offsets.begin(), block.offsets.end()),
                                std::vector<G>(block.columns.begin(), block.columns.end()));
    auto const n = std::size_t(rows.size());
    // An element of x is its own global index, so that the maps depend on the columns.
    std::vector<std::int64_t> indices(n);
    std::iota(indices.begin(), indices.end(), rows.first());
    std::vector<affine_map<>> maps(n);
    auto halo_of_indices = rows.template halo_of<std::int64_t>(exec, comm);
    double const* const lengths = block.values.data();
    for (int again = 0; again < 2; ++again)
        reduce_rows(
            exec, rows, halo_of_indices, array_view<std::int64_t const>(indices),
            [lengths](std::int64_t k, std::int64_t column) { return map_of_edge(int(column), lengths[k]); },
            compose_maps<>{}, [&maps](std::int64_t i, affine_map<> const& m) { maps[std::size_t(i)] = m; });

    std::vector<float> x(n), nearest(n);
    std::vector<double> wide(n), heaviest(n), sum(n);
    for (std::size_t i = 0; i < n; ++i) wide[i] = x[i] = element(rows.first() + std::int64_t(i));
    auto halo = rows.template halo_of<float>(exec, comm);
    std::vector<float> const values(block.values.begin(), block.values.end());
    semiring_spmv(exec, rows, halo, min_plus<float>{}, array_view<float const>(values), array_view<float const>(x),
                  array_view<float>(nearest));
    auto halo_of_doubles = rows.template halo_of<double>(exec, comm);
    array_view<double const> const a(block.values), from(wide);
    semiring_spmv(exec, rows, halo_of_doubles, arg_max_times<double>{}, a, from, array_view<double>(heaviest));
    semiring_spmv(exec, rows, halo_of_doubles, plus_times<double>{}, a, from, array_view<double>(sum));
    return {concatenated(comm, maps), concatenated(comm, nearest), concatenated(comm, heaviest),
            concatenated(comm, sum)};
}

/// The same from the definitions. All numbers are multiples of 1/16, so that sums are exact.
inline product_answers products_by_definition(edge_rows const& graph) {
    product_answers all;
    for (std::size_t i = 0; i + 1 < graph.offsets.size(); ++i) {
        affine_map<> map{1, 0};
        float nearest = std::numeric_limits<float>::infinity();
        double sum = 0, largest = -std::numeric_limits<double>::infinity(), heaviest = -1;
        for (auto k = std::size_t(graph.offsets[i]); k < std::size_t(graph.offsets[i + 1]); ++k) {
            map = compose_maps<>{}(map, map_of_edge(graph.columns[k], graph.lengths[k]));
            nearest = std::min(nearest, float(graph.lengths[k]) + element(graph.columns[k]));
            double const product = graph.lengths[k] * double(element(graph.columns[k]));
            sum += product;
            if (product > largest) largest = product, heaviest = graph.columns[k];
        }
        all.maps.push_back(map);
        all.nearest.push_back(nearest);
        all.sum.push_back(sum);
        all.heaviest.push_back(heaviest);
    }
    return all;
}

// ---- graph algorithms ----

/// Results that do not depend on the number of ranks.
struct path_answers {
    std::vector<std::int32_t> levels{}, parents{}, shallow_levels{}, path_parents{};
    std::vector<double> distances{};
    std::vector<float> distances_with_delta{};
    std::int64_t depth = 0, reached = 0, shallow_depth = 0;
    bool operator==(path_answers const&) const = default;
};
template <class Executor>
path_answers paths_over_ranks(Executor const& exec, rank_communicator const& comm, edge_rows const& graph,
                              std::vector<int> const& begin, std::int64_t source) {
    auto const block = rows_of_rank(graph, begin, comm.rank());
    distributed_rows const rows(exec, comm, block.offsets, block.columns);
    auto const r = bfs_distributed(exec, comm, rows, source);
    // offsets of 64 bits
    distributed_rows const wide(exec, comm, std::vector<std::int64_t>(block.offsets.begin(), block.offsets.end()),
                                block.columns);
    auto const shallow = bfs_distributed(exec, comm, wide, source, 2);
    auto const doubles = exec.copy(block.values);
    auto const paths = sssp_distributed(exec, comm, rows, array_view<double const>(doubles.view()), source);
    auto const lengths = exec.copy(std::vector<float>(block.values.begin(), block.values.end()));
    auto const again = sssp_distributed(exec, comm, wide, array_view<float const>(lengths.view()), source,
                                        {.delta = .3, .parents = false});
    CHECK(again.parents.empty());
    return {concatenated(exec, comm, r.levels),
            concatenated(exec, comm, r.parents),
            concatenated(exec, comm, shallow.levels),
            concatenated(exec, comm, paths.parents),
            concatenated(exec, comm, paths.distances),
            concatenated(exec, comm, again.distances),
            r.depth,
            r.reached,
            shallow.depth};
}
/// The same by bfs() and sssp() of one executor. Parents of bfs() are the smallest ones if no level is pulled.
inline path_answers paths_of_one(host_executor const& exec, edge_rows const& graph, vertex_id source) {
    auto const r = bfs(exec, graph_view(graph.view()), source);
    auto const shallow = bfs(exec, graph_view(graph.view()), source, {.max_depth = 2});
    auto const paths = sssp(exec, graph.view(), source);
    std::vector<float> const lengths(graph.lengths.begin(), graph.lengths.end());
    auto const again = sssp(exec,
                            csr_view<float>{graph.vertices(), graph.vertices(), graph.offsets.back(),
                                            graph.offsets.data(), graph.columns.data(), lengths.data()},
                            source);
    return {to_vector(exec, r.levels),
            to_vector(exec, r.parents),
            to_vector(exec, shallow.levels),
            to_vector(exec, paths.parents),
            to_vector(exec, paths.distances),
            to_vector(exec, again.distances),
            r.depth,
            r.reached,
            shallow.depth};
}

struct label_answers {
    std::vector<std::int32_t> labels{};
    std::int64_t components = 0;
    bool operator==(label_answers const&) const = default;
};
template <class Executor>
label_answers components_over_ranks(Executor const& exec, rank_communicator const& comm, edge_rows const& graph,
                                    std::vector<int> const& begin) {
    auto const block = rows_of_rank(graph, begin, comm.rank());
    distributed_rows const rows(exec, comm, block.offsets, block.columns);
    auto const r = connected_components_distributed(exec, comm, rows);
    return {concatenated(exec, comm, r.labels), r.components};
}

struct community_answers {
    std::vector<std::int32_t> labels{};
    std::int64_t communities = 0;
    double modularity = 0;
    int levels = 0;
    bool operator==(community_answers const&) const = default;
};
/// `gathered_edges`: see louvain_distributed(); 0: every level is computed over ranks.
template <class Executor> // a template, so that nvcc compiles it only if it is used
community_answers communities_over_ranks(Executor const& exec, rank_communicator const& comm, edge_rows const& graph,
                                         std::vector<int> const& begin, louvain_options const& options,
                                         std::int64_t gathered_edges) {
    auto const block = rows_of_rank(graph, begin, comm.rank());
    distributed_rows const rows(exec, comm, block.offsets, block.columns);
    auto const weights = exec.copy(block.values);
    auto const r =
        louvain_distributed(exec, comm, rows, array_view<double const>(weights.view()), options, gathered_edges);
    return {concatenated(exec, comm, r.labels), r.communities, r.modularity, r.levels};
}
inline community_answers communities_of_one(host_executor const& exec, edge_rows const& graph,
                                            louvain_options const& options) {
    auto const r = louvain(exec, graph.view(), options);
    return {to_vector(exec, r.labels), r.communities, r.modularity, r.levels};
}

/// Without parallel edges, whose lengths are added.
inline edge_rows summed_edges(edge_rows const& graph) {
    edge_rows simple;
    for (std::size_t i = 0; i + 1 < graph.offsets.size(); ++i) {
        auto const first = std::size_t(graph.offsets[i]);
        for (auto k = first; k < std::size_t(graph.offsets[i + 1]); ++k) {
            if (k > first && graph.columns[k] == graph.columns[k - 1]) {
                simple.lengths.back() += graph.lengths[k];
                continue;
            }
            simple.columns.push_back(graph.columns[k]);
            simple.lengths.push_back(graph.lengths[k]);
        }
        simple.offsets.push_back(int(simple.columns.size()));
    }
    return simple;
}
/// Without parallel edges, with the loops.
inline edge_rows simple_edges(edge_rows const& graph) {
    edge_rows simple;
    for (std::size_t i = 0; i + 1 < graph.offsets.size(); ++i) {
        auto const first = std::size_t(graph.offsets[i]);
        for (auto k = first; k < std::size_t(graph.offsets[i + 1]); ++k) {
            if (k > first && graph.columns[k] == graph.columns[k - 1]) continue;
            simple.columns.push_back(graph.columns[k]);
            simple.lengths.push_back(graph.lengths[k]);
        }
        simple.offsets.push_back(int(simple.columns.size()));
    }
    return simple;
}
struct triangle_answers {
    std::vector<std::int64_t> triangles{};
    std::vector<double> coefficients{};
    std::int64_t total = 0;
    double transitivity = 0;
    bool operator==(triangle_answers const&) const = default;
};
template <class Executor>
triangle_answers triangles_over_ranks(Executor const& exec, rank_communicator const& comm, edge_rows const& simple,
                                      std::vector<int> const& begin) {
    auto const block = rows_of_rank(simple, begin, comm.rank());
    distributed_rows const rows(exec, comm, block.offsets, block.columns);
    auto const r = clustering_distributed(exec, comm, rows);
    double sum = 0;
    auto const coefficients = concatenated(exec, comm, r.coefficients);
    for (double const c : coefficients) sum += c;
    CHECK(r.mean * double(simple.vertices()) == doctest::Approx(sum).epsilon(1e-13));
    return {concatenated(exec, comm, r.triangles), coefficients, r.total, r.transitivity};
}
inline triangle_answers triangles_of_one(host_executor const& exec, edge_rows const& simple) {
    auto const r = clustering(exec, graph_view(simple.view()));
    return {to_vector(exec, r.triangles), to_vector(exec, r.coefficients), r.total, r.transitivity};
}

struct rank_answers {
    std::vector<double> ranks{};
    int iterations = 0;
    double residual = 0;
    bool operator==(rank_answers const&) const = default;
};
template <class Executor>
rank_answers pagerank_over_ranks(Executor const& exec, rank_communicator const& comm, edge_rows const& graph,
                                 std::vector<int> const& begin, bool weighted) {
    auto const block = rows_of_rank(graph, begin, comm.rank());
    auto const transposed = transpose_rows(distributed::set_up_executor(exec), comm, block);
    distributed_rows const rows(exec, comm, block.offsets, block.columns);
    distributed_rows const incoming(exec, comm, transposed.offsets, transposed.columns);
    auto const outgoing_values = exec.copy(block.values), incoming_values = exec.copy(transposed.values);
    directed_weights<double> weights;
    if (weighted) weights = {outgoing_values.view(), incoming_values.view()};
    auto const r = pagerank_distributed<double>(exec, comm, rows, incoming, {.tolerance = 1e-10}, weights);
    CHECK(r.converged);
    return {concatenated(exec, comm, r.ranks), r.iterations, r.residual};
}
inline rank_answers pagerank_of_one(host_executor const& exec, edge_rows const& graph, bool weighted) {
    auto const transposed = transpose(exec, graph.view());
    directed_weights<double> weights;
    if (weighted) weights = {array_view<double const>(graph.lengths), transposed.values().view()};
    auto const r =
        pagerank<double>(exec, graph_view(graph.view()), graph_view(transposed), {.tolerance = 1e-10}, {}, {}, weights);
    return {to_vector(exec, r.ranks), r.iterations, r.residual};
}
/// Sums over vertices in another order change a rank by some rounding errors per iteration, which the damping adds up
/// to less than 1 / (1 - damping) of them.
inline void check_close(rank_answers const& found, rank_answers const& expected) {
    REQUIRE(found.ranks.size() == expected.ranks.size());
    CHECK(found.iterations == expected.iterations);
    for (std::size_t v = 0; v < found.ranks.size(); ++v)
        CHECK(found.ranks[v] == doctest::Approx(expected.ranks[v]).epsilon(1e-13));
}

} // namespace coppice::test
