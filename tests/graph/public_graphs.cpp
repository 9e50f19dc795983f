// SPDX-License-Identifier: BSD-3-Clause
// Graph algorithms on all public graphs that are there, held against their definitions; one source, every executor.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <coppice/bfs.hpp>
#include <coppice/factor.hpp>
#include <coppice/graph/factor/edge_weights.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/matrix_file.hpp>
#include <coppice/pagerank.hpp>
#include <coppice/sssp.hpp>

#include "support/datasets.hpp"
#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct public_graph {
    std::string name{};
    csr<double> matrix{}; ///< as the file has it
};
/// Those that a test has the time for, in the order of their names.
std::vector<public_graph> public_graphs() {
    std::vector<public_graph> all;
    auto const folder = datasets_folder();
    if (!folder || !std::filesystem::is_directory(*folder / "graph")) {
        print_skipped("no public graphs (set COPPICE_DATASETS to a folder that holds graph/*.mtx.gz)");
        return all;
    }
    host_executor const host(1);
    for (auto const& file : std::filesystem::directory_iterator(*folder / "graph")) {
        if (sanitized && std::filesystem::file_size(file.path()) > 20000) continue;
        if (file.path().extension() == ".gz")
            all.push_back({file.path().stem().string(), read_matrix<double>(host, file.path())});
    }
    std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.name < b.name; });
    return all;
}
plain plain_of(csr<double> const& a) {
    host_executor const host(1);
    auto const offsets = to_vector(host, a.row_offsets()), indices = to_vector(host, a.column_indices());
    plain p;
    p.rows = p.columns = a.rows();
    p.offsets.assign(offsets.begin(), offsets.end());
    p.indices.assign(indices.begin(), indices.end());
    p.values = to_vector(host, a.values());
    return p;
}

/// No edge makes a distance shorter; what explains each of them is checked with the parents.
std::string check_tight(plain const& a, std::vector<double> const& distances, bool levels) {
    std::string wrong;
    for_entries(a, [&](int u, int v, double x) {
        if (distances[std::size_t(u)] + (levels ? 1 : x) < distances[std::size_t(v)])
            wrong = "an edge is shorter: " + std::to_string(u) + ", " + std::to_string(v);
    });
    return wrong;
}
/// The sum over all vertices of what is wrong in the equation of the ranks.
double pagerank_residual(plain const& a, std::vector<double> const& ranks) {
    double stuck = 0, wrong = 0;
    std::vector<double> next(ranks.size(), 0);
    auto const degree = [&](int u) { return a.offsets[std::size_t(u) + 1] - a.offsets[std::size_t(u)]; };
    for_entries(a, [&](int u, int v, double) { next[std::size_t(v)] += 0.85 * ranks[std::size_t(u)] / degree(u); });
    for (int u = 0; u < a.rows; ++u) stuck += degree(u) == 0 ? ranks[std::size_t(u)] : 0;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        wrong += std::abs(next[v] + (0.85 * stuck + 0.15) / a.rows - ranks[v]);
    return wrong;
}
/// Takes away vertices of at most k edges, for k = 0, 1, ...; those that go with k have core number k.
std::vector<int> peeled_cores(plain const& a) {
    std::vector<int> degree(std::size_t(a.rows), 0), core(std::size_t(a.rows), -1), going;
    for_entries(a, [&](int u, int v, double) { degree[std::size_t(u)] += u != v; });
    int left = a.rows;
    for (int k = 0; left > 0; ++k) {
        for (int v = 0; v < a.rows; ++v)
            if (core[std::size_t(v)] < 0 && degree[std::size_t(v)] <= k) going.push_back(v);
        while (!going.empty()) {
            int const v = going.back();
            going.pop_back();
            if (core[std::size_t(v)] >= 0) continue;
            core[std::size_t(v)] = k;
            --left;
            for (int e = a.offsets[std::size_t(v)]; e < a.offsets[std::size_t(v) + 1]; ++e) {
                int const u = a.indices[std::size_t(e)];
                if (u != v && core[std::size_t(u)] < 0 && --degree[std::size_t(u)] <= k) going.push_back(u);
            }
        }
    }
    return core;
}
/// Triangles by what the rows of the two ends of every edge share.
std::int64_t triangles_of_edges(plain const& a) {
    std::int64_t corners = 0;
    for_entries(a, [&](int u, int v, double) {
        if (u >= v) return;
        auto x = a.offsets[std::size_t(u)], y = a.offsets[std::size_t(v)];
        while (x < a.offsets[std::size_t(u) + 1] && y < a.offsets[std::size_t(v) + 1]) {
            int const p = a.indices[std::size_t(x)], q = a.indices[std::size_t(y)];
            corners += p == q;
            x += p <= q;
            y += q <= p;
        }
    });
    return corners / 3;
}

template <class Executor>
void check_walks(Executor const& exec, plain const& p, csr<double> const& a) {
    graph_view const g(a);
    int const source = p.rows / 2;
    auto const walk = bfs(exec, g, source, {.incoming = g});
    std::vector<double> levels;
    for (int const level : to_vector(exec, walk.levels)) levels.push_back(level < 0 ? infinity : level);
    CHECK(levels[std::size_t(source)] == 0);
    CHECK(check_tight(p, levels, true) == "");
    CHECK(check_parents(p, source, levels, to_vector(exec, walk.parents), [](double) { return 1.0; }) == "");
    auto const paths = sssp(exec, a.view(), source);
    auto const distances = to_vector(exec, paths.distances);
    CHECK(distances[std::size_t(source)] == 0);
    CHECK(check_tight(p, distances, false) == "");
    CHECK(check_parents(p, source, distances, to_vector(exec, paths.parents), [](double x) { return x; }) == "");
    auto const ranks = pagerank<double>(exec, g, g, {.tolerance = 1e-10});
    CHECK(ranks.converged);
    CHECK(pagerank_residual(p, to_vector(exec, ranks.ranks)) < 2e-10);
}
template <class Executor>
void check_structure(Executor const& exec, plain const& p, csr<double> const& a) {
    graph_view const g(a);
    CHECK(check_components(p, to_vector(exec, connected_components(exec, g).labels)) == "");
    CHECK(check_independent(p, to_vector(exec, maximal_independent_set(exec, g).members)) == "");
    CHECK(check_colours(p, to_vector(exec, colour_graph(exec, g).colours)) == "");
    CHECK(to_vector(exec, core_numbers(exec, g).cores) == peeled_cores(p));
    CHECK(count_triangles(exec, g) == triangles_of_edges(p));
    if (p.indices.size() > 3000) return; // what follows takes m^2 steps
    auto const found = bridges(exec, g);
    CHECK(check_bridges(p, to_vector(exec, found.from), to_vector(exec, found.to)) == "");
}
template <class Executor>
void check_heavy_edges(Executor const& exec, plain const& p, csr<double> const& a, csr<double> const& on_host) {
    CHECK(check_matching(p, to_vector(exec, maximal_matching(exec, graph_view(a)).mates)) == "");
    auto const forest = minimum_spanning_forest(exec, a.view());
    auto const from = to_vector(exec, forest.from), to = to_vector(exec, forest.to);
    auto const [weight, edges] = kruskal(p);
    CHECK(from.size() == std::size_t(edges));
    CHECK(forest.weight == doctest::Approx(weight).epsilon(1e-12));
    union_find parts(p.rows);
    bool is_forest = true;
    for (std::size_t e = 0; e < from.size(); ++e) is_forest = parts.join(from[e], to[e]) && is_forest;
    CHECK(is_forest);
    if (p.indices.size() > 100000) return; // the check of a factor seeks edges in rows
    auto const weights = graph_of(on_host);
    host_executor const host(1);
    for (int const degree : {1, 2}) {
        CAPTURE(degree);
        auto const f = parallel_factor(exec, a.view(), {.degree = degree, .rounds = 0, .charge_below = 0});
        CHECK(check_factor(weights, degree, to_vector(exec, f.neighbors), true) == "");
        auto const greedy = greedy_factor(host, on_host.view(), {.degree = degree});
        CHECK(f.weight == doctest::Approx(greedy.weight).epsilon(1e-12));
    }
}

} // namespace

TEST_CASE_TEMPLATE("public graphs: answers meet their definitions", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    host_executor const host(1);
    for (auto const& [name, file] : public_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const on_host = symmetrised_weights(host, file.view());
        auto const p = plain_of(on_host);
        auto const a = exec.copy(on_host);
        check_walks(exec, p, a);
        check_structure(exec, p, a);
        check_heavy_edges(exec, p, a, on_host);
        if (p.rows > 3000) continue; // n m steps
        auto const directed = exec.copy(file);
        auto const turned = transpose(exec, directed.view());
        auto const strong = strongly_connected_components(exec, graph_view(directed), graph_view(turned));
        std::int64_t components = 0;
        CHECK(check_strong_components(plain_of(file), to_vector(exec, strong.labels), components) == "");
        CHECK(strong.components == components);
    }
}
