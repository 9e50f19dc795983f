// SPDX-License-Identifier: BSD-3-Clause
// Tests of strong components, widest paths, bridges, diameters and centralities against their definitions;
// single-source for all executors.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include <coppice/centrality.hpp>
#include <coppice/graph_structure.hpp>
#include <coppice/sssp.hpp>

#include "support/executors.hpp"
#include "support/graph_answers.hpp"
#include "support/graphs.hpp"
#include "support/sanitized.hpp"

using namespace coppice;
using namespace coppice::test;

namespace {

std::vector<named_graph> graphs_to_search() {
    std::vector<named_graph> all;
    graph_builder pairs(200); // 0 <-> 1 -> 2 <-> 3 -> ...
    for (int v = 0; v + 1 < 200; ++v) {
        pairs.entry(v, v + 1, 1 + v % 5);
        if (v % 2 == 0) pairs.entry(v + 1, v, 2);
    }
    all.push_back({"chain of pairs", pairs.plain()});
    graph_builder cycle(50);
    for (int v = 0; v < 50; ++v) cycle.entry(v, (v + 1) % 50, 1 + v % 3);
    all.push_back({"directed cycle", cycle.plain()});
    for (int const degree : {1, 2}) // a few large components, and one that has most vertices
        all.push_back({"random, " + std::to_string(degree) + " edges a vertex",
                       random_matrix<double>(std::vector<std::int64_t>(500, degree), 500, 5)});
    std::mt19937 random(3);
    int const many = sanitized ? 2100 : 3000; // sources have indices up to 2046
    graph_builder skewed(many);
    for (int k = 0; k < 2 * many; ++k) {
        double const u = double(random() % 10000) / 10000;
        skewed.entry(int(many * u * u * u), int(random() % unsigned(many)), double(random() % 9));
    }
    all.push_back({"power law, directed", skewed.plain()});
    return all;
}
std::vector<named_graph> small_graphs() {
    std::vector<named_graph> all;
    for (auto& g : hard_graphs())
        if (g.weights.rows > 0 && g.weights.rows <= 60) all.push_back(std::move(g));
    all.push_back({"grid", stencil_graph(9, 7, stencil_five_point)});
    all.push_back({"random, directed, repeated edges", random_matrix<double>(std::vector<std::int64_t>(70, 2), 70, 5)});
    return all;
}

/// Levels and numbers of shortest paths between all pairs of vertices.
struct all_paths {
    std::vector<std::vector<double>> distance, count;
    explicit all_paths(plain const& a) {
        for (int s = 0; s < a.rows; ++s) {
            distance.push_back(plain_distances(a, s, true));
            auto const& d = distance.back();
            std::vector<int> order(d.size());
            for (int v = 0; v < a.rows; ++v) order[std::size_t(v)] = v;
            std::stable_sort(order.begin(), order.end(),
                             [&](int x, int y) { return d[std::size_t(x)] < d[std::size_t(y)]; });
            std::vector<double> n(d.size(), 0);
            n[std::size_t(s)] = 1;
            for (int const u : order)
                for (int k = a.offsets[std::size_t(u)]; k < a.offsets[std::size_t(u) + 1]; ++k) {
                    auto const v = std::size_t(a.indices[std::size_t(k)]);
                    if (d[std::size_t(u)] + 1 == d[v]) n[v] += n[std::size_t(u)];
                }
            count.push_back(n);
        }
    }
};

std::vector<double> plain_betweenness(all_paths const& p) {
    std::size_t const n = p.distance.size();
    std::vector<double> score(n, 0);
    for (std::size_t s = 0; s < n; ++s)
        for (std::size_t t = 0; t < n; ++t) {
            if (s == t || std::isinf(p.distance[s][t])) continue;
            for (std::size_t v = 0; v < n; ++v)
                if (v != s && v != t && p.distance[s][v] + p.distance[v][t] == p.distance[s][t])
                    score[v] += p.count[s][v] * p.count[v][t] / p.count[s][t];
        }
    return score;
}

void check_near(std::vector<double> const& a, std::vector<double> const& b, double tolerance = 1e-12) {
    REQUIRE(a.size() == b.size());
    double wrong = 0;
    for (std::size_t v = 0; v < a.size(); ++v) wrong = std::max(wrong, std::abs(a[v] - b[v]) / (1 + std::abs(b[v])));
    CHECK(wrong <= tolerance);
}

} // namespace

TEST_CASE_TEMPLATE("strong components: paths exist in both directions within components only", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : graphs_to_search()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec), transposed = transpose(exec, a.view());
        auto const r = strongly_connected_components(exec, a, transposed);
        auto const labels = to_vector(exec, r.labels);
        std::int64_t components = 0;
        CHECK(check_strong_components(weights, labels, components) == "");
        CHECK(r.components == components);
    }
    for (auto const& [name, weights] : hard_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec);
        auto const r = strongly_connected_components(exec, a, a);
        CHECK(check_components(weights, to_vector(exec, r.labels)) == "");
    }
}

TEST_CASE_TEMPLATE("widest paths: the widths found by relaxing all edges", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto all = hard_graphs();
    for (auto& g : graphs_to_search()) all.push_back(std::move(g));
    for (auto const& [name, weights] : all) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows == 0) continue;
        int const source = weights.rows / 3;
        auto const r = widest_paths(exec, view_of(weights.on(exec)), source);
        auto const widths = to_vector(exec, r.widths);
        auto const parents = to_vector(exec, r.parents);
        auto const expected = plain_widths(weights, source);
        CHECK(widths == expected);
        CHECK(check_widest_parents(weights, source, expected, parents) == "");
    }
    graph_builder zeros(3); // +0 and -0 are the same width
    zeros.entry(0, 1, 0.0);
    zeros.entry(0, 2, -0.0);
    for (double const width : to_vector(exec, widest_paths(exec, view_of(zeros.plain().on(exec)), 0).widths))
        CHECK(!std::signbit(width));
    graph_builder g(3);
    g.edge(0, 1, -2);
    g.edge(1, 2, std::nan(""));
    auto const a = g.plain<float>().on(exec);
    CHECK_THROWS_WITH_AS(widest_paths(exec, a.view(), 0), "widest_paths: 2 edge widths are NaN", matrix_error);
    CHECK_THROWS_AS(widest_paths(exec, a.view(), 3), argument_error);
}

TEST_CASE_TEMPLATE("bridges disconnect components; bounds of a diameter contain it", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto graphs = hard_graphs();
    graph_builder triangles(9); // triangles 0 1 2 and 4 5 6 on a path 2 - 3 - 4, and an edge 7 - 8
    for (auto const& [u, v] : {std::pair{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {4, 6}, {7, 8}})
        triangles.edge(u, v, 1);
    graphs.push_back({"linked triangles", triangles.plain()});
    auto twice = plain_csr<double>{2, 2, {0, 2, 4}, {1, 1, 0, 0}, {1, 1, 1, 1}};
    graphs.push_back({"an edge stored twice", twice});
    for (auto const& [name, weights] : graphs) {
        auto const& case_name = name;
        CAPTURE(case_name);
        if (weights.rows > 1000) continue;
        auto const a = weights.on(exec);
        auto const r = bridges(exec, graph_view(a));
        CHECK(check_bridges(weights, to_vector(exec, r.from), to_vector(exec, r.to)) == "");
        auto const d = diameter(exec, graph_view(a));
        if (weights.rows == 0) continue;
        double longest = 0;
        for (int v = 0; v<weights.rows; v += weights.rows> 100 ? 1 + weights.rows / 50 : 1) {
            auto const from = plain_distances(weights, v, true);
            if (std::isinf(from[std::size_t(d.from)])) continue; // in another component
            for (double const x : from)
                if (!std::isinf(x)) longest = std::max(longest, x);
        }
        CHECK(longest <= d.upper);
        CHECK(plain_distances(weights, d.from, true)[std::size_t(d.to)] == d.lower);
        CHECK(d.lower <= d.upper);
        if (name.find("cycle of") == 0 || name == "star" || name == "linked triangles") {
            CHECK(d.lower == longest);
        }
    }
    CHECK_THROWS_AS(diameter(exec, graph_view(twice.on(exec)), {.searches = 0}), argument_error);
    graph_builder path(5); // searches from 1, from its end 4, and from 2 between the ends
    for (int v = 0; v < 4; ++v) path.edge(v, v + 1, 1);
    auto const a = path.plain().on(exec);
    auto const d = diameter(exec, graph_view(a));
    CHECK(d.searches == 3);
    CHECK(d.lower == 4);
    CHECK(d.upper == 4);
    CHECK(diameter(exec, graph_view(a), {.searches = 1}).lower == 3);
    auto const from_end = diameter(exec, graph_view(a), {.source = 0, .searches = 1});
    CHECK(from_end.from == 0);
    CHECK(from_end.to == 4);
    CHECK(from_end.lower == 4);
}

TEST_CASE_TEMPLATE("iterations on graphs end if the change is less than the tolerance, not if it is equal", Fixture,
                   COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const a = random_matrix<double>(std::vector<std::int64_t>(50, 5), 50, 11).on(exec);
    auto const transposed = transpose(exec, a.view());
    auto const check = [&](auto const& run) {
        auto const first = run(1e-300);
        CHECK(first.iterations == 3);
        CHECK(first.residual > 0);
        auto const equal = run(first.residual);
        CHECK(equal.iterations == 3);
        CHECK(equal.residual == first.residual);
        CHECK_FALSE(equal.converged);
        CHECK(run(2 * first.residual).converged);
    };
    graph_view const g(a), incoming(transposed);
    check([&](double t) { return pagerank<double>(exec, g, incoming, {.tolerance = t, .max_iterations = 3}); });
    check([&](double t) {
        return katz_centrality(exec, g, incoming, {.alpha = 0.001, .tolerance = t, .max_iterations = 3});
    });
    check([&](double t) { return eigenvector_centrality(exec, incoming, {.tolerance = t, .max_iterations = 3}); });
    check([&](double t) { return hubs_and_authorities(exec, g, incoming, {.tolerance = t, .max_iterations = 3}); });
}

TEST_CASE_TEMPLATE("betweenness and closeness: sums over all pairs", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : small_graphs()) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec), transposed = transpose(exec, a.view());
        all_paths const paths(weights);
        auto expected = plain_betweenness(paths);
        check_near(to_vector(exec, betweenness(exec, a, transposed).scores), expected);
        for (double& x : expected) x /= 2;
        check_near(to_vector(exec, betweenness(exec, a, transposed, {.unordered_pairs = true}).scores), expected);
        auto const near = closeness(exec, graph_view(a));
        std::size_t const n = paths.distance.size();
        std::vector<double> close(n, 0), harmonic(n, 0);
        for (std::size_t v = 0; v < n; ++v) {
            double count = 0, sum = 0;
            for (std::size_t u = 0; u < n; ++u) {
                double const d = paths.distance[u][v];
                if (u == v || std::isinf(d)) continue;
                ++count;
                sum += d;
                harmonic[v] += 1 / d;
            }
            if (count > 0) close[v] = count / sum * count / double(n - 1);
        }
        check_near(to_vector(exec, near.scores), close);
        check_near(to_vector(exec, near.harmonic), harmonic);
    }
    // A chain of 1500 diamonds: 2^1500 paths, half of them through each middle vertex.
    int const diamonds = 1500;
    graph_builder chain(3 * diamonds + 1);
    for (int i = 0; i < diamonds; ++i)
        for (int const middle : {3 * i + 1, 3 * i + 2}) {
            chain.edge(3 * i, middle, 1);
            chain.edge(middle, 3 * i + 3, 1);
        }
    auto const a = chain.plain().on(exec);
    auto const scores = to_vector(exec, betweenness(exec, a, a, {.from = {.vertices = {0}}}).scores);
    for (int i = 0; i < diamonds; ++i)
        CHECK(scores[std::size_t(3 * i + 1)] == doctest::Approx(0.5 * (3 * (diamonds - 1 - i) + 1)).epsilon(1e-12));
    // 2^512 paths of 512 diamonds and 2^511 of equally many edges end at one vertex, then 2^400 times as many: numbers
    // of different scale are added. Of all paths to a vertex behind, 2/3 pass the end of the first group, 1/3 that of
    // the second.
    graph_builder both_chains(6000);
    int last = 0;
    auto const add_chain = [&](int at, int count) {
        for (int i = 0; i < count; ++i, last += 3, at = last) {
            for (int const middle : {last + 1, last + 2}) {
                both_chains.entry(at, middle, 1);
                both_chains.entry(middle, last + 3, 1);
            }
        }
        return last;
    };
    int const first_end = add_chain(0, 512), second = ++last;
    both_chains.entry(0, second, 1);
    both_chains.entry(second, ++last, 1);
    int const second_end = add_chain(last, 511), common = ++last;
    for (int const end : {first_end, second_end}) both_chains.entry(end, common, 1);
    int const end = add_chain(common, 400);
    auto const two = both_chains.plain().on(exec), reversed = transpose(exec, two.view());
    auto const passing = to_vector(exec, betweenness(exec, two, reversed, {.from = {.vertices = {0}}}).scores);
    CHECK(passing[std::size_t(first_end)] == doctest::Approx(2.0 / 3 * (end - common + 1)).epsilon(1e-12));
    CHECK(passing[std::size_t(second_end)] == doctest::Approx(1.0 / 3 * (end - common + 1)).epsilon(1e-12));
    CHECK(passing[std::size_t(common)] == doctest::Approx(end - common).epsilon(1e-12));
    auto const sampled = betweenness(exec, a, a, {.from = {.samples = 7}});
    CHECK(sampled.sources == 7);
    CHECK_THROWS_WITH_AS(betweenness(exec, a, a, {.from = {.vertices = {3, 3}}}),
                         "a source of betweenness is given twice: vertex 3", argument_error);
    CHECK_THROWS_AS(closeness(exec, a, {.vertices = {-1}}), argument_error);
    CHECK_THROWS_AS(closeness(exec, a, {.samples = -1}), argument_error);
}

TEST_CASE_TEMPLATE("levels from many sources are the minima over single sources", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const graphs = graphs_to_search();
    auto const& weights = graphs.back().weights;
    auto const a = weights.on(exec);
    std::vector<vertex_id> sources;
    for (int s = 0; s < 70; ++s) sources.push_back(s * s % 67 * 31); // some repeated
    auto const levels = to_vector(exec, bfs_levels(exec, graph_view(a), sources));
    auto const n = std::size_t(weights.rows);
    for (std::size_t s = 0; s < sources.size(); s += 7) {
        auto const one = to_vector(exec, bfs(exec, graph_view(a), sources[s]).levels);
        CHECK(std::equal(one.begin(), one.end(), levels.begin() + std::ptrdiff_t(s * n)));
    }
}

TEST_CASE_TEMPLATE("distances from many sources are the minima over single sources", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    auto const graphs = graphs_to_search();
    auto const& weights = graphs.back().weights;
    auto const a = weights.on(exec);
    auto const n = std::size_t(weights.rows);
    std::vector<vertex_id> sources{5, 0, weights.rows - 1, 5, 700};
    for (int k = 1; k <= 18; ++k) sources.push_back(31 * k % weights.rows); // more than are searched together
    for (double const delta : {0.0, 2.0}) {
        auto const all = to_vector(exec, sssp_distances(exec, a.view(), sources, delta));
        REQUIRE(all.size() == n * sources.size());
        for (std::size_t s = 0; s < sources.size(); ++s) {
            auto const one = to_vector(exec, sssp(exec, a.view(), sources[s]).distances);
            CHECK(std::equal(one.begin(), one.end(), all.begin() + std::ptrdiff_t(s * n)));
        }
    }
    CHECK(sssp_distances(exec, a.view(), {}).size() == 0);
    CHECK_THROWS_AS(sssp_distances(exec, a.view(), {0, weights.rows}), argument_error);

    graph_builder g(4); // the cycle 1 -> 2 -> 1 is negative; 3 does not reach it
    g.entry(0, 1, 1);
    g.entry(1, 2, -3);
    g.entry(2, 1, 1);
    auto const cycle = g.plain().on(exec);
    auto const found = to_vector(exec, sssp_distances(exec, cycle.view(), {3, 0}));
    CHECK(found[3] == 0);
    CHECK(std::isinf(found[0]));
    for (std::size_t v = 4; v < 8; ++v) CHECK(std::isnan(found[v]));
}

TEST_CASE_TEMPLATE("spectral centralities solve their equations", Fixture, COPPICE_TEST_EXECUTORS) {
    auto const exec = Fixture::exec();
    for (auto const& [name, weights] : {hard_graphs()[14], small_graphs().back(), graphs_to_search()[4]}) {
        auto const& case_name = name;
        CAPTURE(case_name);
        auto const a = weights.on(exec), transposed = transpose(exec, a.view());
        auto const n = std::size_t(weights.rows);
        auto const& graph = weights;
        auto const in = [&](std::vector<double> const& x) {
            std::vector<double> y(n, 0);
            for_entries(graph, [&](int u, int v, double) { y[std::size_t(v)] += x[std::size_t(u)]; });
            return y;
        };
        auto const out = [&](std::vector<double> const& x) {
            std::vector<double> y(n, 0);
            for_entries(graph, [&](int u, int v, double) { y[std::size_t(u)] += x[std::size_t(v)]; });
            return y;
        };
        auto const katz = katz_centrality(exec, a, transposed, {.alpha = 0.01, .tolerance = 1e-12});
        CHECK(katz.converged);
        auto const x = to_vector(exec, katz.scores);
        auto sums = in(x);
        for (double& s : sums) s = 0.01 * s + 1;
        check_near(x, sums, 1e-11);
        CHECK(katz_centrality(exec, a, transposed).converged); // with the default alpha
        CHECK(!katz_centrality(exec, a, transposed, {.alpha = 100, .max_iterations = 50}).converged);

        auto const hits = hubs_and_authorities(exec, a, transposed, {.tolerance = 1e-13, .max_iterations = 20000});
        CHECK(hits.converged);
        auto const hubs = to_vector(exec, hits.hubs), authorities = to_vector(exec, hits.authorities);
        auto next = out(authorities);
        double size = 0, total = 0;
        for (double const s : next) size += s;
        for (double& s : next) s /= size;
        for (double const s : authorities) total += s;
        check_near(hubs, next, 1e-9);
        CHECK(total == doctest::Approx(1));
    }
    auto const g = hard_graphs()[14]; // nearly connected: the result is the eigenvector of the largest eigenvalue
    CAPTURE(g.name);
    auto const a = g.weights.on(exec);
    auto const r = eigenvector_centrality(exec, a, {.tolerance = 1e-13, .max_iterations = 20000});
    CHECK(r.converged);
    auto const x = to_vector(exec, r.scores);
    std::vector<double> y(x.size(), 0);
    for_entries(g.weights, [&](int u, int v, double) { y[std::size_t(v)] += x[std::size_t(u)]; });
    double value = 0, length = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
        value += x[v] * y[v];
        length += x[v] * x[v];
    }
    CHECK(length == doctest::Approx(1));
    for (double& s : y) s /= value;
    check_near(x, y, 1e-9);
    CHECK_THROWS_AS(eigenvector_centrality(exec, a, {.tolerance = 0}), argument_error);
    CHECK_THROWS_AS(katz_centrality(exec, a, a, {.alpha = -1}), argument_error);
    CHECK_THROWS_AS(hubs_and_authorities(exec, a, a, {.max_iterations = 0}), argument_error);
}
