// SPDX-License-Identifier: BSD-3-Clause
// Tests of batches of graphs: the results of each graph alone; single-source for all executors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <coppice/graph_batch.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/sssp.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

/// Graphs of 0 to 40 vertices, with loops, vertices without edges, and directed ones.
std::vector<plain_csr<double>> small_batch() {
    std::vector<plain_csr<double>> all;
    for (unsigned seed = 0; seed < 120; ++seed) {
        std::mt19937 random(seed);
        int const n = int(random() % 41);
        graph_builder g(n);
        for (int k = 0; n > 0 && k < int(random() % 60); ++k) {
            int const u = int(random() % unsigned(n)), v = int(random() % unsigned(n));
            if (seed % 3 == 0)
                g.entry(u, v, 1 + int(random() % 5));
            else
                g.edge(u, v, 1 + int(random() % 5));
        }
        all.push_back(g.plain());
    }
    return all;
}

} // namespace

TEST_CASE_TEMPLATE("batches: the results of each graph alone", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    auto const graphs = small_batch();
    std::vector<csr<double>> owners;
    for (auto const& g : graphs) owners.push_back(g.on(host));
    std::vector<csr_view<double>> views;
    for (auto const& a : owners) views.push_back(a.view());
    auto const batch = make_graph_batch(exec, std::span<csr_view<double> const>(views));
    CHECK(batch.count == std::int64_t(graphs.size()));
    auto const first = to_vector(exec, batch.first);
    std::vector<vertex_id> sources;
    for (std::size_t i = 0; i < graphs.size(); ++i)
        sources.push_back(graphs[i].rows == 0 || i % 7 == 6 ? -1 : vertex_id(i % std::size_t(graphs[i].rows)));
    auto const distances = to_vector(exec, batch_sssp(exec, batch, sources).distances);
    for (bool const weighted : {false, true}) {
        auto const found = batch_pagerank(exec, batch, {.tolerance = 1e-10, .max_iterations = 1000}, weighted);
        CHECK(found.converged);
        auto const ranks = to_vector(exec, found.ranks);
        for (std::size_t i = 0; i < graphs.size(); ++i) {
            if (graphs[i].rows == 0) continue;
            auto const& a = owners[i];
            auto const incoming = transpose(host, a.view());
            directed_weights<double> weights;
            if (weighted) weights = {a.values().view(), incoming.values().view()};
            auto const alone =
                to_vector(host, pagerank<double>(host, a, incoming, {.tolerance = 1e-14}, {}, {}, weights).ranks);
            for (std::size_t v = 0; v < alone.size(); ++v)
                CHECK(std::abs(ranks[std::size_t(first[i]) + v] - alone[v]) <= 1e-10);
        }
    }
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        auto const begin = distances.begin() + first[i];
        if (sources[i] < 0) {
            CHECK(std::all_of(begin, begin + graphs[i].rows, [](double d) { return std::isinf(d); }));
            continue;
        }
        auto const alone = to_vector(host, sssp(host, views[i], sources[i]).distances);
        CHECK(std::equal(alone.begin(), alone.end(), begin));
    }
    std::vector<csr_view<double>> undirected;
    for (std::size_t i = 0; i < views.size(); ++i)
        if (i % 3 != 0) undirected.push_back(views[i]);
    auto const both = make_graph_batch(exec, std::span<csr_view<double> const>(undirected));
    auto const counts = to_vector(exec, batch_components(exec, both));
    auto const cores = to_vector(exec, core_numbers(exec, graph_view(both.graph)).cores);
    auto const starts = to_vector(exec, both.first);
    std::vector<double> as_values(cores.begin(), cores.end());
    auto const on_device = exec.copy(as_values);
    auto const sums = to_vector(exec, batch_sum(exec, both, on_device.view()));
    for (std::size_t i = 0; i < undirected.size(); ++i) {
        CHECK(counts[i] == double(connected_components(host, graph_view(undirected[i])).components));
        auto const alone = to_vector(host, core_numbers(host, graph_view(undirected[i])).cores);
        CHECK(std::equal(alone.begin(), alone.end(), cores.begin() + starts[i]));
        double sum = 0;
        for (auto const core : alone) sum += core;
        CHECK(sums[i] == sum);
    }
    CHECK_THROWS_AS(batch_sssp(exec, batch, {0}), dimension_error);
    sources[1] = 41;
    CHECK_THROWS_AS(batch_sssp(exec, batch, sources), argument_error);
    auto const none = make_graph_batch(exec, std::span<csr_view<double> const>());
    CHECK(none.count == 0);
    CHECK(batch_components(exec, none).size() == 0);
    CHECK(batch_pagerank(exec, none).ranks.size() == 0);
}
