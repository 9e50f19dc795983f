// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/graph_parts.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/executors.hpp"
#include "support/graph_blocks.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

using rank_work = std::function<void(host_executor const&, rank_communicator const&)>;

/// Calls work(exec, comm) on ranks with this many threads.
void on_ranks(std::size_t ranks, int threads, rank_work const& work) {
    multi_executor<host_executor>(std::vector<host_executor>(ranks, host_executor{threads})).run(work);
}

std::string message_of(std::size_t ranks, rank_work const& work) {
    try {
        on_ranks(ranks, 1, work);
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("distributed analytics: the transpose has the rows of one executor") {
    for_divided_graphs(false, [](edge_rows const& graph, std::vector<int> const& begin) {
        auto const expected = transpose(host_executor{1}, graph.view());
        on_ranks(begin.size() - 1, 1, [&](host_executor const& exec, rank_communicator const& comm) {
            auto const block = rows_of_rank(graph, begin, comm.rank());
            auto const t = transpose_rows(exec, comm, block);
            CHECK(t.first == block.first);
            CHECK(t.rows() == block.rows());
            CHECK(concatenated(comm, t.columns) == to_vector(exec, expected.column_indices()));
            CHECK(concatenated(comm, t.values) == to_vector(exec, expected.values()));
            bool const undirected = is_undirected(exec, graph_view(graph.view()));
            CHECK(is_undirected(comm, block) == undirected);
        });
    });
}

TEST_CASE("distributed analytics: algorithms by name") {
    auto const random = random_edges(200, 500, true, 5);
    auto const begin = equal_division(200, 4);
    host_executor const one{1};
    for (std::string const name : {"bfs", "communities", "components", "pagerank", "sssp", "triangles"}) {
        CAPTURE(name);
        auto const graph = name == "triangles"     ? simple_edges(random)
                           : name == "communities" ? summed_edges(random)
                                                   : random;
        CHECK(is_distributed_graph_algorithm(name));
        for (bool const undirected : {false, true}) {
            analytics_options const options{.source = 3, .undirected = undirected, .tolerance = 1e-9};
            on_ranks(4, 1, [&](host_executor const& exec, rank_communicator const& comm) {
                auto const block = rows_of_rank(graph, begin, comm.rank());
                auto const r = run_graph_algorithm_distributed(exec, comm, name, block, options);
                CHECK(r.failure.empty());
                auto const fact = [&](std::string_view of) {
                    for (auto const& [key, value] : r.facts)
                        if (key == of) return value;
                    return -1.0;
                };
                if (name == "components" || name == "communities") {
                    auto const labels = concatenated(comm, std::get<graph_answer::vertex_numbers>(r.found));
                    std::int64_t largest = 0;
                    for (auto const label : labels)
                        largest = std::max<std::int64_t>(largest, std::count(labels.begin(), labels.end(), label));
                    CHECK(fact("largest") == double(largest));
                    if (name == "components")
                        CHECK(fact(name) == double(connected_components(one, graph_view(graph.view())).components));
                    else
                        CHECK(fact("modularity") == louvain(one, graph.view()).modularity);
                    return;
                }
                auto const values = concatenated(comm, std::get<graph_answer::values>(r.found));
                if (name == "triangles") {
                    CHECK(fact("triangles") * 3 == std::accumulate(values.begin(), values.end(), 0.0));
                    return;
                }
                double sum = 0, reached = 0, farthest = 0;
                for (double const v : values) {
                    bool const is_reached = std::isfinite(v) && v >= 0;
                    sum += v, reached += is_reached ? 1 : 0;
                    farthest = std::max(farthest, is_reached ? v : 0.0);
                }
                if (name == "pagerank") CHECK(sum == doctest::Approx(1));
                if (name != "pagerank") CHECK(fact("reached") == reached);
                if (name != "pagerank") CHECK(fact(name == "bfs" ? "depth" : "farthest") == farthest);
            });
        }
    }
    CHECK(!is_distributed_graph_algorithm("truss"));
    CHECK(message_of(2, [&](host_executor const& exec, rank_communicator const& comm) {
              run_graph_algorithm_distributed(exec, comm, "truss", rows_of_rank(random, {0, 1, 200}, comm.rank()));
          }).find("unknown graph algorithm over ranks \"truss\"") == 0);
}

TEST_CASE("distributed analytics: invalid arguments are errors on all ranks") {
    auto const graph = grid_edges(4, 4);
    auto const message = [&](auto const& call) {
        return message_of(3, [&](host_executor const& exec, rank_communicator const& comm) {
            auto const block = rows_of_rank(graph, equal_division(16, 3), comm.rank());
            distributed_rows const rows(exec, comm, block.offsets, block.columns);
            call(exec, comm, rows, block.values);
        });
    };
    using rows_type = distributed_rows<host_executor>;
    using lengths_type = std::vector<double>;
    for (int const source : {-1, 16})
        CHECK(message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type const&) {
                  bfs_distributed(exec, comm, rows, source);
              }) == "the source of bfs_distributed is vertex " + std::to_string(source) +
                        " of a graph of 16 vertices, which are counted from 0");
    CHECK(message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type const&) {
              bfs_distributed(exec, comm, rows, 0, -1);
          }) == "max_depth of bfs_distributed is -1, expected 0 or more");
    auto const with_length = [&](double length) {
        return message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type lengths) {
            if (comm.rank() == 2) lengths[1] = length;
            sssp_distributed(exec, comm, rows, array_view<double const>(lengths), 0);
        });
    };
    for (double const length : {std::nan(""), -std::numeric_limits<double>::infinity()})
        CHECK(with_length(length).find("1 edge lengths are NaN or minus infinity") != std::string::npos);
    CHECK(with_length(std::numeric_limits<double>::infinity()).empty());
    CHECK(message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type const& lengths) {
              sssp_distributed(exec, comm, rows, array_view<double const>(lengths), 0, {.delta = -1});
          }).find("sssp option delta is -1") == 0);
    CHECK(message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type const&) {
              pagerank_distributed<double>(exec, comm, rows, rows, {.damping = 1});
          }).find("pagerank option damping is 1") == 0);
    CHECK(message([&](auto const& exec, auto const& comm, rows_type const& rows, lengths_type lengths) {
              if (comm.rank() == 1) lengths[0] = -1;
              array_view<double const> const w(lengths);
              pagerank_distributed<double>(exec, comm, rows, rows, {}, {w, w});
          }).find("weights of pagerank: 1 of ") == 0);
}

TEST_CASE("distributed analytics: a graph without vertices") {
    on_ranks(3, 1, [&](host_executor const& exec, rank_communicator const& comm) {
        distributed_rows const rows(exec, comm, std::vector<int>{0}, std::vector<int>{});
        CHECK(connected_components_distributed(exec, comm, rows).components == 0);
        CHECK(pagerank_distributed<double>(exec, comm, rows, rows).converged);
    });
}
