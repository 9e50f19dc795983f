// SPDX-License-Identifier: BSD-3-Clause
// Tests of the memory of graph algorithms: the registry's upper bounds hold, and a shortage gives a clear error.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include <coppice/generators.hpp>
#include <coppice/graph/catalogue/catalogue.hpp>

#include "support/failing_memory.hpp"
#include "support/graphs.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

struct sized_graph {
    std::string name{};
    csr<double> matrix{};
    bool undirected = true;
};
std::vector<sized_graph> graphs_of_all_sizes() {
    host_executor const host(1);
    int const n = sanitized ? 2000 : 20000, scale = sanitized ? 8 : 11;
    std::vector<sized_graph> all;
    auto grid = generate<double>(host, "laplace2d", {.nx = sanitized ? 40 : 130});
    for (auto& x : grid.values()) x = 1 + x * x;
    all.push_back({"grid", std::move(grid)});
    for (double const edges : {1.0, 16.0, 60.0})
        all.push_back({"R-MAT, " + std::to_string(int(edges)) + " edges a vertex",
                       generate<double>(host, "rmat", {.scale = scale, .edge_factor = edges})});
    all.push_back({"R-MAT, directed", generate<double>(host, "rmat", {.scale = scale, .undirected = false}), false});
    graph_builder star(n), path(n), ring(n);
    for (int v = 1; v < n; ++v) {
        star.edge(0, v, 1);
        path.edge(int(v * 787LL % n), int((v - 1) * 787LL % n), 1);
        for (int const k : {1, 7, 30}) ring.entry(v, (v * 13 + k) % n, 1);
    }
    all.push_back({"star", star.plain().on(host)});
    all.push_back({"path", path.plain().on(host)});
    all.push_back({"random, directed", ring.plain().on(host), false});
    all.push_back({"no edges", graph_builder(n).plain().on(host)});
    return all;
}

} // namespace

TEST_CASE("graph algorithms take no more memory than documented, and at least a quarter of it") {
    auto const graphs = graphs_of_all_sizes();
    for (auto const& row : graph_algorithm_catalogue) {
        CAPTURE(row.name);
        double closest = 0;
        bool const takes_weights = row.reads("weighted");
        for (auto const& [name, matrix, undirected] : graphs)
            for (bool const weighted : {false, true}) {
                if ((row.undirected && !undirected) || (weighted && !takes_weights)) continue;
                auto const& case_name = name;
                CAPTURE(case_name);
                CAPTURE(weighted);
                auto const memory = std::make_shared<failing_memory>();
                host_executor const exec(2, memory);
                auto const a = exec.copy(matrix);
                auto const said = graph_algorithm_memory(row.name, graph_view(a), undirected, weighted, 2);
                std::int64_t const before = memory->held_bytes();
                run_graph_algorithm(
                    exec, row.name, a.view(),
                    {.undirected = undirected, .max_iterations = 20, .samples = 8, .weighted = weighted});
                CHECK(memory->peak_bytes() - before <= said);
                closest = std::max(closest, double(memory->peak_bytes() - before) / double(said));
            }
        CHECK(closest > (sanitized ? 0.1 : 0.25));
    }
}

TEST_CASE("graph algorithms: a memory shortage is an error with algorithm and size") {
    host_executor const host(1);
    auto const matrix = generate<double>(host, "rmat", {.scale = 5, .edge_factor = 4});
    for (auto const& row : graph_algorithm_catalogue) {
        CAPTURE(row.name);
        auto const allocations = every_allocation_fails_once(2, [&](host_executor const& exec) {
            try {
                auto const a = host_executor(1).copy(matrix);
                run_graph_algorithm(exec, row.name, a.view(), {.undirected = true, .max_iterations = 3, .samples = 3});
            } catch (memory_error const& e) {
                std::string const words = e.what();
                CHECK(words.rfind(std::string(row.name) + " needs up to 1 MB in addition to the graph", 0) == 0);
                throw;
            }
        });
        CHECK(allocations > 0);
    }
}
