// SPDX-License-Identifier: BSD-3-Clause
#include <coppice/graph/structure/both_directions.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "support/executors.hpp"
#include "support/stored_rows.hpp"
#include <coppice/algebra/random.hpp>
#include <coppice/graph/catalogue/catalogue.hpp>

using namespace coppice;
using namespace coppice::test;

namespace {

using edge_values = std::map<std::pair<std::int32_t, std::int32_t>, double>;

template <class Executor>
edge_values edges_of(Executor const& exec, csr_view<double> a) {
    auto const offsets = to_vector(exec, a.row_offsets());
    auto const columns = to_vector(exec, a.column_indices());
    auto const values = to_vector(exec, a.values());
    edge_values found;
    for (std::int32_t i = 0; i < a.rows(); ++i)
        for (auto k = offsets[std::size_t(i)]; k < offsets[std::size_t(i) + 1]; ++k)
            found[{i, columns[std::size_t(k)]}] = values[std::size_t(k)];
    return found;
}

/// Entries at given positions with values from -2 to 2, including zeros and loops.
template <class Executor>
csr<double> some_graph(Executor const& exec, std::int32_t n, edge_values& all) {
    random_stream const random(17, 0);
    std::vector<std::int32_t> offsets{0}, columns;
    std::vector<double> values;
    for (std::int32_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j < n; ++j) {
            auto const k = std::uint64_t(i) * std::uint64_t(n) + std::uint64_t(j);
            if (random.uniform(2 * k, 0, 1) > 0.2) continue;
            columns.push_back(j);
            values.push_back(std::floor(random.uniform(2 * k + 1, -2, 3)));
            all[{i, j}] = values.back();
        }
        offsets.push_back(std::int32_t(columns.size()));
    }
    return {n, n, exec.copy(offsets), exec.copy(columns), exec.copy(values)};
}

} // namespace

TEST_CASE_TEMPLATE("both directions: the union, with signs, zeros and loops", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (std::int32_t const n : {1, 2, 40}) {
        edge_values all;
        auto const a = some_graph(exec, n, all);
        for (auto const rule : {duplicates::min, duplicates::max, duplicates::sum, duplicates::count}) {
            edge_values expected;
            for (auto const& [ends, value] : all) {
                auto const mirror = all.find({ends.second, ends.first});
                double const other = mirror == all.end() ? value : mirror->second;
                double const combined = rule == duplicates::min ? std::min(value, other) : std::max(value, other);
                expected[ends] = expected[{ends.second, ends.first}] = combined;
            }
            CHECK(edges_of(exec, view_of(both_directions(exec, a.view(), rule))) == expected);
        }
        std::erase_if(all, [](auto const& edge) { return !(edge.second > 0); });
        CHECK(edges_of(exec, view_of(positive_edges(exec, a.view()))) == all);
    }
}

TEST_CASE_TEMPLATE("matchings by value take no negative edge; bridges may be numbers of edges", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    // A path 0 - 1 - 2 - 3 with weights -5, 3, -1.
    csr<double> const path(4, 4, exec.copy(std::vector<std::int32_t>{0, 1, 3, 5, 6}),
                           exec.copy(std::vector<std::int32_t>{1, 0, 2, 1, 3, 2}),
                           exec.copy(std::vector<double>{-5, -5, 3, 3, -1, -1}));
    auto const mates = [&](bool is_signed) {
        auto const answer =
            run_graph_algorithm(exec, "matching", path.view(), {.undirected = true, .by_value = is_signed});
        return std::get<graph_answer::vertex_numbers>(answer.found);
    };
    CHECK(mates(false) == graph_answer::vertex_numbers{1, 0, 3, 2});
    CHECK(mates(true) == graph_answer::vertex_numbers{-1, 2, 1, -1});
    auto const weight_of_two = [&](bool is_signed) {
        auto const answer = run_graph_algorithm(exec, "b-matching", path.view(),
                                                {.undirected = true, .capacity = 2, .by_value = is_signed});
        auto const& taken = std::get<answer_edges>(answer.found).weights;
        return std::accumulate(taken.begin(), taken.end(), 0.0);
    };
    CHECK(weight_of_two(false) == 9);
    CHECK(weight_of_two(true) == 3);
    // The same path; edge 1 - 2 represents two parallel edges.
    csr<double> const counts(4, 4, exec.copy(std::vector<std::int32_t>{0, 1, 3, 5, 6}),
                             exec.copy(std::vector<std::int32_t>{1, 0, 2, 1, 3, 2}),
                             exec.copy(std::vector<double>{1, 1, 1, 2, 1, 1}));
    auto const bridges = [&](bool counted) {
        auto const answer =
            run_graph_algorithm(exec, "bridges", counts.view(), {.undirected = true, .counted = counted});
        return std::get<answer_edges>(answer.found).from;
    };
    CHECK(bridges(false) == std::vector<vertex_id>{0, 1, 2});
    CHECK(bridges(true) == std::vector<vertex_id>{0, 2});
}

TEST_CASE("the registry documents the rule for parallel edges") {
    std::map<duplicates, std::vector<std::string_view>> names;
    for (auto const& row : graph_algorithm_catalogue) names[row.parallel].push_back(row.name);
    using list = std::vector<std::string_view>;
    CHECK(names[duplicates::min] == list{"sssp", "mst"});
    CHECK(names[duplicates::max] == list{"widest", "longest-paths", "matching", "b-matching"});
    CHECK(names[duplicates::sum] == list{"max-flow", "min-cut", "communities", "leiden"});
    CHECK(names[duplicates::count] == list{"bridges"});
    CHECK(names[duplicates::first] == list{"bfs", "diameter", "components", "strong-components", "biconnected",
                                           "articulation-points", "topological-levels", "closeness", "maximal-matching",
                                           "independent-set", "colouring"});
    names.clear();
    for (auto const& row : graph_algorithm_catalogue)
        if (row.reads("weighted")) names[row.parallel_weighted].push_back(row.name);
    CHECK(names[duplicates::min] == list{"betweenness", "edge-betweenness", "closeness"});
    CHECK(names[duplicates::sum] == list{"random-walks", "pagerank", "katz", "eigenvector", "hits", "clustering"});
    CHECK(names.size() == 2);
}
