// SPDX-License-Identifier: BSD-3-Clause
// Graph algorithms and semiring products on processes of MPI: the bits of ranks of one process, and of one executor.
#include "mpi/both_kinds.hpp"

#include <string>
#include <vector>

#include "support/product_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Calls check(graph, division) for graphs with equal blocks, and with ranks without vertices.
template <class Check>
void for_graphs(bool symmetric, Check const& check) {
    int const ranks = processes().ranks();
    for (auto const& graph : graphs_for_ranks(symmetric)) {
        CAPTURE(graph.name);
        int const n = graph.edges.vertices();
        check(graph.edges, equal_division(n, ranks));
        std::vector<int> uneven(std::size_t(ranks) + 1, n); // all vertices on the first two ranks
        uneven[0] = 0;
        if (ranks > 1) uneven[1] = n / 3;
        check(graph.edges, uneven);
    }
}

} // namespace

TEST_CASE("mpi: products over any semiring") {
    for_graphs(false, [](edge_rows const& graph, std::vector<int> const& begin) {
        auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return products_over_ranks<std::int32_t, std::int64_t>(exec, comm, graph, begin);
        });
        auto const expected = products_by_definition(graph);
        CHECK(found.maps == expected.maps);
        CHECK(found.nearest == expected.nearest);
        CHECK(found.heaviest == expected.heaviest);
    });
}

TEST_CASE("mpi: searches have the bits of one executor") {
    for (bool const symmetric : {false, true})
        for_graphs(symmetric, [](edge_rows const& graph, std::vector<int> const& begin) {
            int const source = graph.vertices() / 2;
            auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
                return paths_over_ranks(exec, comm, graph, begin, source);
            });
            CHECK(found == paths_of_one(host_executor{1}, graph, source));
        });
}

TEST_CASE("mpi: components have the labels of one executor") {
    for_graphs(true, [](edge_rows const& graph, std::vector<int> const& begin) {
        auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return components_over_ranks(exec, comm, graph, begin);
        });
        auto const one = connected_components(host_executor{1}, graph_view(graph.view()));
        CHECK(found.labels == to_vector(host_executor{1}, one.labels));
        CHECK(found.components == one.components);
    });
}

TEST_CASE("mpi: communities are those of one executor") {
    for_graphs(true, [](edge_rows const& graph, std::vector<int> const& begin) {
        auto const simple = summed_edges(graph);
        auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return communities_over_ranks(exec, comm, simple, begin, {}, 0);
        });
        CHECK(found == communities_of_one(host_executor{1}, simple, {}));
    });
}

TEST_CASE("mpi: products of matrices are those of one executor") {
    int const ranks = processes().ranks();
    for (int const n : {0, 5, 60}) {
        auto const a = random_matrix(n, 40, 3, 1), b = random_matrix(40, 50, 4, 2), mask = random_matrix(n, 50, 9, 3);
        auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return matrix_products_over_ranks(exec, comm, a, b, mask, equal_division(n, ranks),
                                              equal_division(40, ranks));
        });
        CHECK(found == matrix_products_of_one(host_executor{1}, a, b, mask));
    }
}

TEST_CASE("mpi: triangles are those of one executor") {
    for_graphs(true, [](edge_rows const& graph, std::vector<int> const& begin) {
        auto const simple = simple_edges(graph);
        auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
            return triangles_over_ranks(exec, comm, simple, begin);
        });
        CHECK(found == triangles_of_one(host_executor{1}, simple));
    });
}

TEST_CASE("mpi: PageRank is that of one executor up to rounding") {
    for (bool const weighted : {false, true})
        for_graphs(false, [&](edge_rows const& graph, std::vector<int> const& begin) {
            auto const found = over_processes([&](host_executor const& exec, rank_communicator const& comm) {
                return pagerank_over_ranks(exec, comm, graph, begin, weighted);
            });
            check_close(found, pagerank_of_one(host_executor{1}, graph, weighted));
        });
}

TEST_CASE("mpi: an error of a graph algorithm on one rank ends all") {
    auto const graph = grid_edges(5, 5);
    int const ranks = processes().ranks(), guilty = ranks - 1;
    std::string message;
    try {
        processes().run([&](host_executor const& exec, rank_communicator const& comm) {
            auto block = rows_of_rank(graph, equal_division(25, ranks), comm.rank());
            if (comm.rank() == guilty) block.columns[0] = 25;
            distributed_rows const rows(exec, comm, block.offsets, block.columns);
            bfs_distributed(exec, comm, rows, 0);
        });
    } catch (std::exception const& e) {
        message = e.what();
    }
    CHECK(message.find("distributed_rows: column 25 outside a matrix of 25 columns") != std::string::npos);
    CHECK(processes().failed_rank() == guilty);
}
