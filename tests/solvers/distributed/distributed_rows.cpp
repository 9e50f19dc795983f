// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/solvers/distributed/rows/distributed_rows.hpp>

#include <string>
#include <vector>

#include <coppice/algebra/generate/generators.hpp>
#include <coppice/solvers/distributed/rows/read_rows.hpp>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

multi_executor<host_executor> host_ranks(std::size_t ranks, int threads = 1) {
    return multi_executor<host_executor>(std::vector<host_executor>(ranks, host_executor{threads}));
}

template <class G, class O>
void check_products(named_edges const& graph, std::vector<int> const& begin, int threads) {
    CAPTURE(graph.name);
    CAPTURE(begin.size());
    auto const expected = products_by_definition(graph.edges);
    host_ranks(begin.size() - 1, threads).run([&](host_executor const& exec, rank_communicator const& comm) {
        auto const found = products_over_ranks<G, O>(exec, comm, graph.edges, begin);
        CHECK(found.maps == expected.maps);
        CHECK(found.nearest == expected.nearest);
        CHECK(found.heaviest == expected.heaviest);
        if (graph.name != "grid" && graph.name != "shuffled path") CHECK(found.sum == expected.sum);
    });
}

/// The message of the exception of rank `guilty`, whose rows are `offsets` and `columns`; others have one empty row.
std::string message_for(std::vector<int> const& offsets, std::vector<int> const& columns) {
    std::string message;
    try {
        host_ranks(3).run([&](host_executor const& exec, rank_communicator const& comm) {
            if (comm.rank() == 1)
                distributed_rows const rows(exec, comm, offsets, columns);
            else
                distributed_rows const rows(exec, comm, std::vector<int>{0, 0}, std::vector<int>{});
        });
    } catch (error const& e) {
        message = e.what();
    }
    return message;
}

} // namespace

TEST_CASE("distributed rows: products over any semiring are those of the definition") {
    for (bool const symmetric : {false, true})
        for (auto const& graph : graphs_for_ranks(symmetric))
            for (auto const& begin : divisions_of_vertices(graph.edges.vertices())) {
                check_products<std::int32_t, std::int32_t>(graph, begin, 1);
                check_products<std::int64_t, std::int64_t>(graph, begin, 2);
            }
}

TEST_CASE("distributed rows: a rank receives the elements that its rows read") {
    auto const grid = grid_edges(10, 12); // ranks of whole lines: 10 elements from each neighbour
    host_ranks(4).run([&](host_executor const& exec, rank_communicator const& comm) {
        auto const block = rows_of_rank(grid, equal_division(120, 4), comm.rank());
        distributed_rows const rows(exec, comm, block.offsets, block.columns);
        bool const at_end = comm.rank() == 0 || comm.rank() == 3;
        CHECK(rows.halo() == (at_end ? 10 : 20));
        CHECK(rows.size() == 30);
        CHECK(rows.first() == 30 * comm.rank());
        CHECK(rows.all_rows() == 120);
        auto const inner = rows.inner_rows(); // all lines but those at the neighbours
        CHECK(inner.last - inner.first == (at_end ? 20 : 10));
        for (std::int64_t k = 0; k < rows.halo(); ++k) CHECK((k == 0 || rows.outer()[k - 1] < rows.outer()[k]));
    });
}

TEST_CASE("distributed rows: blocks of rows with about equally many entries") {
    host_executor const host{1};
    std::vector<csr<double>> matrices;
    matrices.push_back(generate<double>(host, "rmat", {.scale = 10}));
    matrices.push_back(generate<double>(host, "laplace2d", {.nx = 20}));
    matrices.push_back({5, 3, host.copy(std::vector<int>{0, 0, 3, 3, 3, 4}), host.copy(std::vector<int>{0, 1, 2, 1}),
                        host.copy(std::vector<double>{1, 2, 3, 4})}); // fewer rows than ranks
    matrices.push_back({0, 0, host.copy(std::vector<int>{0}), buffer<int>(host, 0), buffer<double>(host, 0)});
    for (csr<double> const& a : matrices) {
        std::int64_t const n = a.rows(), total = a.nonzeros() + n;
        CAPTURE(n);
        for (int const ranks : {1, 2, 4, 7}) {
            CAPTURE(ranks);
            auto const begin = blocks_of_entries(a.row_offsets(), ranks);
            REQUIRE(begin.size() == std::size_t(ranks) + 1);
            CHECK(begin.back() == n);
            for (int p = 0; p < ranks; ++p) { // the first row with at least p of `ranks` parts of the entries before it
                std::int64_t row = 0;
                while (row < n && (a.row_offsets()[row] + row) * ranks < total * p) ++row;
                CHECK(begin[std::size_t(p)] == row);
            }
            auto const weight = [&](std::int64_t first, std::int64_t last) { // rows and entries
                return a.row_offsets()[last] - a.row_offsets()[first] + last - first;
            };
            for (std::size_t p = 0; p < std::size_t(ranks); ++p) { // beyond an equal part by less than a row
                auto const first = begin[p], last = begin[p + 1];
                if (first < last) CHECK(weight(first, last) * ranks < total + ranks * weight(last - 1, last));
            }
            for (int const start : {0, 1, 2}) { // equal blocks, all rows on the last rank, none on the first
                host_ranks(std::size_t(ranks)).run([&](host_executor const&, rank_communicator const& comm) {
                    std::int64_t const p = comm.rank();
                    auto const first = [&](std::int64_t q) {
                        return q >= ranks ? n : start == 0 ? n * q / ranks : start == 1 ? 0 : q > 1 ? n / 3 : 0;
                    };
                    auto const own = balance_entries(comm, slice_rows(a, first(p), first(p + 1)));
                    auto const expected = slice_rows(a, begin[std::size_t(p)], begin[std::size_t(p) + 1]);
                    CHECK(own.first == expected.first);
                    CHECK(own.all_rows == n);
                    CHECK(own.all_columns == a.columns());
                    CHECK(own.offsets == expected.offsets);
                    CHECK(own.columns == expected.columns);
                    CHECK(own.values == expected.values);
                });
            }
        }
    }
}

TEST_CASE("distributed rows: invalid rows are errors on all ranks") {
    CHECK(message_for({}, {}) == "distributed_rows: no offsets, expected one more than rows");
    CHECK(message_for({0, 2}, {0}).find("columns of distributed_rows") != std::string::npos);
    CHECK(message_for({0, 2, 1}, {0}) == "distributed_rows: offsets must begin with 0 and not decrease");
    CHECK(message_for({0, 1}, {3}) == "distributed_rows: column 3 outside a matrix of 3 columns");
    CHECK(message_for({0, 1}, {-1}) == "distributed_rows: column -1 outside a matrix of 3 columns");
    CHECK(message_for({0, 1}, {2}).empty());
}
